//! What Collie's commits change, read once each: from the clone, or from the remote where no clone has them any more.

use super::locking::lock;
use crate::auth::GitCredentials;
use crate::engine_client::local::disk_limits;
use collie_config::LiveConfig;
use collie_core::changes::OwnCommit;
use collie_core::ids::{LoopId, Sha};
use collie_core::loop_state::LoopState;
use collie_core::text::KnownSecrets;
use collie_engine::ports::{GitError, GitHub as _, GitRemote, PullRef};
use collie_git::{CloneReader, CommitPatch, DiskLimitsSource, GitOptions, RemotePatches};
use collie_github::GitHubClient;
use collie_wire::rpc::MissingCommit;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Commits whose changes are remembered: they never change.
const MAX_REMEMBERED: usize = 64;
/// Lines that are remembered in all.
const MAX_REMEMBERED_LINES: usize = 100_000;
/// A remote that does not answer for as long is not waited for: a person is.
const REMOTE_TIMEOUT: Duration = Duration::from_secs(30);
/// What a commit changes, or why that is not known.
pub(super) type KnownPatch = Result<Arc<CommitPatch>, MissingCommit>;

/// What commits change, once it was read, and what the remote was asked for in vain.
pub(super) struct PatchCache {
    known: Mutex<BTreeMap<(LoopId, Sha), KnownPatch>>,
    /// One reading at a time: two views that ask at once ask the remote once.
    reading: tokio::sync::Mutex<()>,
    remote: RemotePatches,
    secrets: KnownSecrets,
}

impl PatchCache {
    pub(super) fn new(root: &Path, config: &LiveConfig, github: &Arc<GitHubClient>) -> Self {
        let secrets = collie_reviewers::known_secrets(config, github);
        let credentials = Arc::new(GitCredentials(github.clone()));
        let live = config.clone();
        let options = GitOptions {
            network_timeout: REMOTE_TIMEOUT,
            known_secrets: secrets.clone(),
            disk_limits: DiskLimitsSource::new(move || disk_limits(live.get().disk)),
            ..GitOptions::default()
        };
        Self {
            known: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
            remote: RemotePatches::new(root, credentials, options),
            secrets,
        }
    }

    /// Every secret that this process knows.
    pub(super) fn secrets(&self) -> &KnownSecrets {
        &self.secrets
    }

    /// What a commit changes: from the clone, else from the remote, which is asked once. `again` asks one anew that did not answer.
    pub(super) async fn read(
        &self,
        clones: &CloneReader,
        github: &GitHubClient,
        state: &LoopState,
        commit: &OwnCommit,
        again: bool,
    ) -> Result<KnownPatch, GitError> {
        let key = (state.id.clone(), commit.sha.clone());
        let _reading = self.reading.lock().await;
        match lock(&self.known).get(&key) {
            Some(Err(MissingCommit::Unreachable)) if again => {}
            Some(known) => return Ok(known.clone()),
            None => {}
        }
        let only = commit.merge.as_ref().map(|merge| &merge.conflicts[..]);
        let patch = match clones.commit_patch(&state.id, &commit.sha, only).await? {
            Some(patch) => Ok(Arc::new(patch)),
            None => self.ask_remote(github, state, &commit.sha, only).await,
        };
        let mut known = lock(&self.known);
        let lines = |patch: &KnownPatch| patch.as_ref().map_or(0, |patch| patch.line_count());
        let all = known.values().map(lines).sum::<usize>() + lines(&patch);
        if known.len() >= MAX_REMEMBERED || all > MAX_REMEMBERED_LINES {
            known.clear();
        }
        known.insert(key, patch.clone());
        Ok(patch)
    }

    async fn ask_remote(
        &self,
        github: &GitHubClient,
        state: &LoopState,
        commit: &Sha,
        only: Option<&[String]>,
    ) -> KnownPatch {
        let url = github.git_url(&state.pull.repo);
        let head = state.run.head.repo.as_ref();
        let remote = GitRemote {
            head_url: head.map_or_else(|| url.clone(), |head| github.git_url(head)),
            url,
            branch: state.pull.head_ref.clone(),
            deleted_fork: None,
        };
        let pull = PullRef {
            id: state.id.clone(),
            repo: state.pull.repo.clone(),
        };
        let asked = self.remote.commit_patch(&pull, &remote, commit, only).await;
        match asked {
            Ok(Some(patch)) => Ok(Arc::new(patch)),
            Ok(None) => Err(MissingCommit::Gone),
            Err(GitError::Unreachable { message }) => {
                tracing::info!(%commit, message, "a commit could not be asked for");
                Err(MissingCommit::Unreachable)
            }
            Err(error) => {
                tracing::info!(%commit, %error, "a commit is nowhere any more");
                Err(MissingCommit::Gone)
            }
        }
    }
}

//! Git, as the engine calls it: commits of a file that has faults or has not.

use super::github_port::place;
use super::remote::{FILE, FIRST_LINE, LINES, commit_of, file_text, sha};
use super::schedule::{Call, Fault};
use super::stage::Stage;
use async_trait::async_trait;
use collie_core::code_context::{WordHits, WordSearch};
use collie_core::ids::{Login, Sha};
use collie_engine::ports::{
    CleanWorktree, CommitMessage, DiffFile, GateRefusal, Git, GitError, GitRemote, LineRange,
    MergedWorktree, PullRef, PushOutcome, Shield, ShieldedConfig, SyntaxChecker, VerifyRun,
    VettedChange, VettedMerge, WorktreePurpose,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// What is changed in a worktree and not committed: the faults that its file has now.
type Changes = BTreeMap<std::path::PathBuf, BTreeSet<u32>>;

/// The clone of a stage.
pub struct SimulatedGit {
    stage: Arc<Stage>,
    changes: Mutex<Changes>,
}

fn unreachable_remote() -> GitError {
    GitError::Unreachable {
        message: "connection refused".into(),
    }
}

impl SimulatedGit {
    /// An empty clone.
    pub fn new(stage: Arc<Stage>) -> Self {
        Self {
            stage,
            changes: Mutex::default(),
        }
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the file of a worktree.
    pub fn edit(&self, worktree: &CleanWorktree, edit: impl FnOnce(&mut BTreeSet<u32>)) {
        let mut changes = self.changes();
        let faults = changes
            .entry(worktree.path().to_owned())
            .or_insert_with(|| self.faults(worktree.head()));
        edit(faults);
    }

    /// The faults of a commit.
    pub fn faults(&self, commit: &Sha) -> BTreeSet<u32> {
        self.stage.remote().faults(commit_of(commit))
    }

    fn worktree(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        (wanted, found): (&Sha, Sha),
        folder: &str,
    ) -> Result<CleanWorktree, GitError> {
        let path = format!("/worktrees/{}/{folder}", pull.id.number);
        self.changes().remove(std::path::Path::new(&path));
        let paths = (path.into(), "/clone".into());
        CleanWorktree::at_verified_head(paths, (wanted, found), sha(0), pull, remote)
    }

    async fn look(&self) -> Result<(), GitError> {
        match self.stage.gate.enter(Call::ReadClone).await {
            Some(Fault::NotDone) => Err(unreachable_remote()),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Git for SimulatedGit {
    async fn prepare(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        _: &Sha,
        purpose: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        match self.stage.gate.enter(Call::Prepare).await {
            Some(Fault::NotDone) => return Err(unreachable_remote()),
            Some(Fault::Hangs) => std::future::pending().await,
            #[expect(clippy::panic, reason = "a fault of the program that is asked for")]
            Some(Fault::Panics) => panic!("{}", super::PLANNED_PANIC),
            _ => {}
        }
        let found = self.stage.remote().view(place(pull)).head();
        let folder = match purpose {
            WorktreePurpose::Review(name) => name,
            WorktreePurpose::Fix => "fix",
        };
        let worktree = self.worktree(pull, remote, (head, sha(found)), folder);
        self.stage.gate.leave().await;
        worktree
    }

    async fn diff(&self, _: &CleanWorktree, _: &Sha) -> Result<Vec<DiffFile>, GitError> {
        self.look().await?;
        Ok(vec![DiffFile {
            path: FILE.into(),
            old_path: None,
            deleted: false,
            added: false,
            opaque: false,
            unshown: None,
            changed: vec![(1, LINES)],
            shown: vec![(1, LINES)],
        }])
    }

    async fn changed_lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<Option<BTreeMap<String, Vec<LineRange>>>, GitError> {
        self.look().await?;
        let (now, then) = (self.faults(worktree.head()), self.faults(since));
        let lines = now.symmetric_difference(&then);
        let lines: Vec<LineRange> = lines
            .map(|fault| (FIRST_LINE + fault, FIRST_LINE + fault))
            .collect();
        Ok(Some(BTreeMap::from([(FILE.to_owned(), lines)])))
    }

    async fn changed_paths_at(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: &Sha,
    ) -> Result<Option<BTreeSet<String>>, GitError> {
        self.look().await?;
        Ok(Some(BTreeSet::from([FILE.to_owned()])))
    }

    async fn patch_of(
        &self,
        _: &CleanWorktree,
        commit: &Sha,
        _: usize,
    ) -> Result<Option<String>, GitError> {
        self.look().await?;
        Ok(Some(format!("patch of {commit}")))
    }

    async fn file_at(
        &self,
        _: &CleanWorktree,
        commit: &Sha,
        path: &str,
        _: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        self.look().await?;
        Ok((path == FILE).then(|| file_text(&self.faults(commit)).into_bytes()))
    }

    async fn paths_at(&self, _: &CleanWorktree, _: &Sha) -> Result<Vec<String>, GitError> {
        Ok(vec![FILE.to_owned()])
    }

    async fn search_words(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: &WordSearch,
    ) -> Result<WordHits, GitError> {
        Ok(WordHits::default())
    }

    async fn commit_messages(&self, _: &CleanWorktree, _: usize) -> Result<Vec<String>, GitError> {
        Ok(Vec::new())
    }

    async fn shield(
        &self,
        worktree: &CleanWorktree,
        _: &Sha,
        config: ShieldedConfig,
    ) -> Result<Shield, GitError> {
        Ok(Shield::raised_in(worktree, config, Vec::new(), Vec::new()))
    }

    async fn unshield(&self, _: &CleanWorktree, _: Shield) -> Result<(), GitError> {
        Ok(())
    }

    async fn files_at(
        &self,
        _: &PullRef,
        _: &GitRemote,
        _: &Sha,
        _: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        self.look().await?;
        Ok(Vec::new())
    }

    async fn vet(
        &self,
        worktree: &CleanWorktree,
        _: &dyn SyntaxChecker,
        _: VerifyRun<'_>,
        _: &CancellationToken,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, GitError> {
        match self.stage.gate.enter(Call::Vet).await {
            Some(Fault::NotDone) => {
                return Err(GitError::Io {
                    what: "reading a file".into(),
                    message: "input/output error".into(),
                });
            }
            Some(Fault::Refused) => {
                return Ok(Err(GateRefusal::Verify {
                    command: "make test".into(),
                    output: "1 failed".into(),
                }));
            }
            _ => {}
        }
        let changed = self.changes().get(worktree.path()).cloned();
        let before = self.faults(worktree.head());
        let changed = changed.filter(|faults| *faults != before);
        let change = changed.map(|_| {
            let paths = vec![FILE.to_owned()];
            VettedChange::passed_all_gates(worktree, sha(0), paths, None)
        });
        self.stage.gate.leave().await;
        Ok(Ok(change))
    }

    async fn commit(
        &self,
        change: &VettedChange,
        message: &CommitMessage,
    ) -> Result<Sha, GitError> {
        let fault = self.stage.gate.enter(Call::Commit).await;
        let failed = GitError::Failed {
            command: "commit-tree".into(),
            location: "worktree".into(),
            message: "killed".into(),
        };
        if fault == Some(Fault::NotDone) {
            return Err(failed);
        }
        let worktree = change.worktree();
        let faults = self
            .changes()
            .get(worktree.path())
            .cloned()
            .unwrap_or_default();
        let named = |key: &str| {
            let mut trailers = message.trailers.iter();
            trailers
                .find(|(name, _)| name == key)
                .map(|(_, value)| value.clone())
        };
        let turn = named("Collie-Run").zip(named("Collie-Round"));
        let head = commit_of(worktree.head());
        let commit = self.stage.remote().make_commit(head, faults, turn);
        self.stage.gate.leave().await;
        match fault {
            Some(Fault::AnswerLost) => Err(failed),
            _ => Ok(sha(commit)),
        }
    }

    async fn oscillates(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        self.look().await?;
        let now = self.faults(commit);
        let brought: BTreeSet<u32> = &now - &self.faults(worktree.head());
        let remote = self.stage.remote();
        let mended_before = own.iter().any(|own| {
            let commit = remote.commit(commit_of(own));
            let parent = commit.and_then(|commit| commit.parent);
            let before = parent
                .map(|parent| remote.faults(parent))
                .unwrap_or_default();
            let after = remote.faults(commit_of(own));
            brought
                .iter()
                .any(|fault| before.contains(fault) && !after.contains(fault))
        });
        Ok(mended_before)
    }

    async fn push(
        &self,
        pull: &PullRef,
        _: &GitRemote,
        (commit, from): (&Sha, &Sha),
        _: Option<&Login>,
    ) -> Result<PushOutcome, GitError> {
        let stage = &self.stage;
        let number = pull.id.number;
        let view = stage.remote().view(place(pull));
        let ended = stage.promises().has_ended(&pull.id);
        let now = stage.clock.world();
        if view
            .auto_merge
            .is_some_and(|since| now.since(since) > 5_000)
            && !ended
        {
            stage.breach(format!("#{number}: a push while that could merge"));
        }
        let fault = stage.gate.enter(Call::Push).await;
        match fault {
            Some(Fault::NotDone) => return Err(unreachable_remote()),
            Some(Fault::Refused) => {
                return Err(GitError::PushRefused {
                    message: "protected branch hook declined".into(),
                });
            }
            _ => {}
        }
        let now = stage.clock.world();
        let outcome = {
            let mut remote = stage.remote();
            let view = remote.view(place(pull));
            let id = commit_of(commit);
            if view.branch.contains(&id) {
                PushOutcome::Done
            } else if view.head() != commit_of(from) {
                let head = sha(view.head());
                PushOutcome::Moved { head }
            } else {
                let lies_on = remote.commit(id).and_then(|commit| commit.parent);
                let forced = lies_on != Some(view.head());
                remote.push(place(pull), now, id);
                drop(remote);
                stage.log(format!("#{number} Collie pushes {}", commit.short()));
                if forced {
                    stage.breach(format!("#{number}: a push that throws commits away"));
                }
                super::review_bot::plan_bot(stage, place(pull));
                PushOutcome::Done
            }
        };
        stage.gate.leave().await;
        match fault {
            Some(Fault::AnswerLost) => Err(unreachable_remote()),
            _ => Ok(outcome),
        }
    }

    async fn rebase(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        onto: &Sha,
        _: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        if self.stage.gate.enter(Call::Prepare).await == Some(Fault::NotDone) {
            return Err(unreachable_remote());
        }
        let (after, before) = {
            let known = self.stage.remote();
            let parent = known
                .commit(commit_of(commit))
                .and_then(|commit| commit.parent);
            let before = parent.map(|parent| known.faults(parent));
            (known.faults(commit_of(commit)), before.unwrap_or_default())
        };
        let (mended, broken) = (&before - &after, &after - &before);
        if !mended.is_subset(&self.faults(onto)) {
            // Somebody else changed the same lines.
            return Err(GitError::Diverged);
        }
        let worktree = self.worktree(pull, remote, (onto, onto.clone()), "fix")?;
        self.edit(&worktree, |faults| {
            faults.retain(|fault| !mended.contains(fault));
            faults.extend(broken);
        });
        self.stage.gate.leave().await;
        Ok(worktree)
    }

    async fn merge_base_in(
        &self,
        _: &PullRef,
        _: &GitRemote,
        _: &Sha,
        _: &Sha,
    ) -> Result<Option<MergedWorktree>, GitError> {
        Ok(None)
    }

    async fn lay_merge(&self, _: &MergedWorktree, _: &Sha) -> Result<(), GitError> {
        Ok(())
    }

    async fn vet_merge(
        &self,
        _: &MergedWorktree,
        _: &dyn SyntaxChecker,
        _: VerifyRun<'_>,
        _: &CancellationToken,
    ) -> Result<Result<VettedMerge, GateRefusal>, GitError> {
        Err(GitError::Diverged)
    }

    async fn remote_head(&self, remote: &GitRemote) -> Result<Option<Sha>, GitError> {
        if self.stage.gate.enter(Call::RemoteHead).await == Some(Fault::NotDone) {
            return Err(unreachable_remote());
        }
        let place = remote.branch.strip_prefix("topic-");
        let place = place.and_then(|place| place.parse::<usize>().ok());
        let head = place.map(|place| sha(self.stage.remote().view(place).head()));
        self.stage.gate.leave().await;
        Ok(head)
    }

    async fn clean_up(&self, _: &PullRef) -> Result<(), GitError> {
        match self.stage.gate.enter(Call::CleanUp).await {
            Some(Fault::NotDone) => Err(GitError::Io {
                what: "removing a folder".into(),
                message: "busy".into(),
            }),
            _ => Ok(()),
        }
    }
}

//! What a commit changes that no clone has any more: asked of its remote, in a clone of its own that is gone again afterwards.

use crate::cat_file::ObjectPart;
use crate::commit_patch::CommitPatch;
use crate::excerpt::CloneReader;
use crate::git_options::{Credentials, GitOptions};
use crate::io_error::io_error;
use crate::worktrees::Worktrees;
use collie_core::ids::Sha;
use collie_engine::ports::{GitError, GitRemote, PullRef};
use std::path::{Path, PathBuf};

/// Asks remotes for single commits. The clones of the data folder are left alone, whichever process they belong to.
pub struct RemotePatches {
    root: PathBuf,
    credentials: Credentials,
    options: GitOptions,
}

impl RemotePatches {
    /// Works below a folder of clones, where what a killed process leaves is removed at the next start of an engine.
    pub fn new(root: &Path, credentials: Credentials, options: GitOptions) -> Self {
        Self {
            root: root.to_owned(),
            credentials,
            options: GitOptions {
                partial_clone: true,
                ..options
            },
        }
    }

    /// As [`CloneReader::commit_patch`], of what the repositories of a pull request have.
    ///
    /// # Errors
    /// [`GitError::Unreachable`] when trying again may help; another when the commit is not there either.
    pub async fn commit_patch(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        only: Option<&[String]>,
    ) -> Result<Option<CommitPatch>, GitError> {
        let what = "a folder for a commit could not be made";
        let trash = self.root.join("trash");
        std::fs::create_dir_all(&trash).map_err(io_error(what))?;
        let folder = tempfile::Builder::new()
            .prefix(".commit-")
            .tempdir_in(trash)
            .map_err(io_error(what))?;
        let worktrees = Worktrees::new(
            folder.path(),
            self.credentials.clone(),
            None,
            self.options.clone(),
        )?;
        worktrees.fetch_lone_commit(pull, remote, commit).await?;
        let reader = CloneReader::new(folder.path());
        reader.commit_patch(&pull.id, commit, only).await
    }
}

impl Worktrees {
    /// Fetches a commit, and the files that it changes.
    async fn fetch_lone_commit(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
    ) -> Result<(), GitError> {
        let clone_dir = self.clone_path(&pull.id);
        self.ensure_clone(&clone_dir).await?;
        let head = GitRemote {
            url: remote.head_url.clone(),
            ..remote.clone()
        };
        let from_head = self.fetch_commit(&clone_dir, pull, &head, commit).await;
        let source = match from_head {
            Err(GitError::Failed { .. }) if remote.url != remote.head_url => {
                self.fetch_commit(&clone_dir, pull, remote, commit).await?;
                &remote.url
            }
            fetched => {
                fetched?;
                &remote.head_url
            }
        };
        let parent = self
            .resolve_revision(&clone_dir, &format!("{commit}^"))
            .await?;
        let Some(parent) = parent else { return Ok(()) };
        let changes = self
            .tree_changes(&clone_dir, &parent, commit, false)
            .await?;
        let sides = changes.iter().flat_map(|change| {
            let sides = [
                (change.old_mode, &change.old_id),
                (change.new_mode, &change.new_id),
            ];
            sides.into_iter()
        });
        let ids: Vec<String> = sides
            .filter(|(mode, _)| crate::plumbing_output::is_file_mode(*mode))
            .map(|(_, id)| id.clone())
            .collect();
        let there = self
            .read_objects(&clone_dir, &ids, ObjectPart::Start(0))
            .await?;
        let missing = ids.into_iter().zip(there);
        let missing: Vec<String> = missing
            .filter(|(_, found)| found.is_none())
            .map(|(id, _)| id)
            .collect();
        self.fetch_blobs(&clone_dir, source, &[commit], &missing)
            .await?;
        self.cat_files.close(&clone_dir).await;
        Ok(())
    }
}

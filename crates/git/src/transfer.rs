//! Carries what a session works on to another machine, and its change back.

use crate::Worktrees;
use crate::git_command::{GitCommand, command_error};
use crate::io_error::io_error;
use async_trait::async_trait;
use collie_core::ids::Sha;
use collie_engine::ports::{ChangeTransfer, CleanWorktree, GitError};
use std::path::Path;

/// Where the commits of a bundle are named.
const BUNDLE_REFS: &str = "refs/heads/collie";
/// What the head is called in a bundle, and in the repository that is made of it.
pub const BUNDLE_HEAD: &str = "collie/head";

#[async_trait]
impl ChangeTransfer for Worktrees {
    async fn bundle(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
        also: &[Sha],
        file: &Path,
    ) -> Result<(), GitError> {
        let clone_dir = self.prepared_worktree_paths(worktree)?.clone_dir;
        let lock = self.clone_lock(&clone_dir);
        // The names are the clone's own for a moment: nobody else makes a bundle meanwhile.
        let _held = lock.lock().await;
        let mut named = vec![
            (format!("{BUNDLE_REFS}/head"), worktree.head()),
            (format!("{BUNDLE_REFS}/base"), base),
        ];
        for (at, commit) in also.iter().enumerate() {
            if self.has_commit(&clone_dir, commit).await? {
                named.push((format!("{BUNDLE_REFS}/also-{at}"), commit));
            }
        }
        self.name_commits(&clone_dir, &named).await?;
        let create = GitCommand::new(["bundle", "create", "--quiet"]).arg(file);
        let names = named.iter().map(|(name, _)| name);
        let create = names.fold(create, |create, name| create.arg(name));
        let made = self.git.run(create.in_clone(&clone_dir)).await;
        self.unname_commits(&clone_dir, &named).await?;
        made.map(drop)
    }

    async fn change_of(&self, worktree: &CleanWorktree) -> Result<Vec<u8>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        let (_folder, index) = self.copy_of_trusted_index(&worktree_paths)?;
        let changed = self.changed_paths(&worktree_paths, &index).await?;
        let mut names = Vec::new();
        // A folder with a repository of its own is no file of this one.
        for path in changed.iter().filter(|path| !path.ends_with(b"/")) {
            names.extend_from_slice(path);
            names.push(0);
        }
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let add = ["update-index", "--add", "--remove", "-z", "--stdin"];
        let add = worktree_paths.command_with_index(add, &index);
        self.git.run(add.input(names)).await?;
        let diff = [
            "diff-index",
            "--cached",
            "--patch",
            "--binary",
            "--full-index",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            worktree.head().as_str(),
        ];
        let diff = worktree_paths.command_with_index(diff, &index);
        Ok(self.git.run(diff).await?.stdout)
    }

    async fn lay_change(&self, worktree: &CleanWorktree, patch: &[u8]) -> Result<(), GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.check_out(&worktree_paths, worktree.head()).await?;
        if patch.is_empty() {
            return Ok(());
        }
        // Git itself refuses paths that lead out, through a link or into `.git`.
        let apply = ["apply", "--index", "--whitespace=nowarn", "-"];
        let apply = worktree_paths.command(apply).input(patch.to_vec());
        let applied = self.git.run_unchecked(apply).await?;
        if applied.exit_code == 0 {
            return Ok(());
        }
        tracing::info!(words = applied.stderr, "a patch does not apply");
        self.check_out(&worktree_paths, worktree.head()).await?;
        Err(GitError::Diverged)
    }
}

impl Worktrees {
    async fn name_commits(
        &self,
        clone_dir: &Path,
        named: &[(String, &Sha)],
    ) -> Result<(), GitError> {
        let lines = named.iter();
        let lines: String = lines
            .map(|(name, commit)| format!("update {name} {commit}\n"))
            .collect();
        self.update_refs(clone_dir, lines).await
    }

    async fn unname_commits(
        &self,
        clone_dir: &Path,
        named: &[(String, &Sha)],
    ) -> Result<(), GitError> {
        let lines = named.iter();
        let lines: String = lines.map(|(name, _)| format!("delete {name}\n")).collect();
        self.update_refs(clone_dir, lines).await
    }

    async fn update_refs(&self, clone_dir: &Path, lines: String) -> Result<(), GitError> {
        let update = GitCommand::new(["update-ref", "--stdin"]).in_clone(clone_dir);
        self.git.run(update.input(lines.into_bytes())).await?;
        Ok(())
    }

    /// Makes a bare repository of a bundle, which is then a remote like any other. The folder must be a new one below that of the clones;
    /// remotes of this machine have to be allowed.
    ///
    /// # Errors
    /// The file is no bundle, or is broken; the folder cannot be made.
    pub async fn repository_of_bundle(&self, bundle: &Path, folder: &Path) -> Result<(), GitError> {
        let what = "the repository could not be made";
        std::fs::create_dir_all(folder).map_err(io_error(what))?;
        let init = GitCommand::new(["init", "--bare", "--quiet", "--template="]);
        self.git.run(init.arg(folder)).await?;
        let fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        let fetch = GitCommand::new(fetch).arg("--end-of-options").arg(bundle);
        let fetch = fetch.arg(format!("+{BUNDLE_REFS}/*:{BUNDLE_REFS}/*"));
        let fetched = self.git.run_unchecked(fetch.in_clone(folder)).await?;
        let head = format!("{BUNDLE_REFS}/head");
        // Git takes a file that begins like a bundle for one without commits.
        if fetched.exit_code == 0 && self.resolve_revision(folder, &head).await?.is_some() {
            return Ok(());
        }
        Err(command_error("fetch", "the bundle", &fetched.stderr))
    }
}

//! Merges the base into the head in a worktree (§3.7): by git's own `merge-tree`, which needs no worktree, runs no hook and asks no
//! attribute but the clone's.

use crate::Worktrees;
use crate::git_command::GitCommand;
use crate::io_error::io_error;
use crate::layout::{WorktreePaths, copy_index};
use crate::object_reader::{parse_sha, unexpected_output};
use crate::plumbing_output::{self, ConflictStage};
use crate::shield::is_agent_config;
use collie_core::file_marks::is_binary;
use collie_core::ids::Sha;
use collie_engine::ports::{
    ConflictTexts, GitError, GitRemote, MergeConflict, MergedWorktree, PullRef, WorktreePurpose,
};
use std::collections::BTreeMap;
use std::path::Path;

/// What git made of two commits.
pub(crate) struct MergedTree {
    pub(crate) tree: Sha,
    /// The stages of what conflicts, by path.
    pub(crate) conflicts: BTreeMap<Vec<u8>, Vec<ConflictStage>>,
}

impl Worktrees {
    /// See the port.
    pub(crate) async fn merge_base_into_worktree(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
    ) -> Result<Option<MergedWorktree>, GitError> {
        let worktree = self
            .prepare_worktree(pull, remote, head, base, WorktreePurpose::Fix)
            .await?;
        let worktree_paths = self.prepared_worktree_paths(&worktree)?;
        let clone_dir = &worktree_paths.clone_dir;
        if self.is_ancestor(clone_dir, base, head).await? {
            return Ok(None);
        }
        let merged = self.merge_trees(clone_dir, head, base).await?;
        self.check_checkout_size(clone_dir, &merged.tree).await?;
        self.check_out_tree(&worktree_paths, &merged.tree).await?;
        copy_index(
            &worktree_paths.git_dir.join("index"),
            &worktree_paths.trusted_index,
        )
        .map_err(io_error("the index could not be copied"))?;
        let mut conflicts = Vec::new();
        for (path, stages) in &merged.conflicts {
            conflicts.push(MergeConflict {
                path: String::from_utf8_lossy(path).into_owned(),
                texts: self.conflict_texts(clone_dir, path, stages).await?,
            });
        }
        Ok(Some(MergedWorktree {
            worktree,
            base: base.clone(),
            tree: merged.tree,
            conflicts,
        }))
    }

    /// See the port. The index that the worktree is judged by stays what git made of both sides.
    pub(crate) async fn check_out_merge_commit(
        &self,
        merged: &MergedWorktree,
        commit: &Sha,
    ) -> Result<(), GitError> {
        let worktree_paths = self.prepared_worktree_paths(&merged.worktree)?;
        let clone_dir = &worktree_paths.clone_dir;
        let revision = format!("{commit}^{{tree}}");
        let Some(tree) = self.resolve_revision(clone_dir, &revision).await? else {
            return Err(GitError::Diverged);
        };
        self.check_out_tree(&worktree_paths, &tree).await
    }

    /// Merges two commits by git's own rules, without a worktree.
    pub(crate) async fn merge_trees(
        &self,
        clone_dir: &Path,
        head: &Sha,
        base: &Sha,
    ) -> Result<MergedTree, GitError> {
        let git_command = GitCommand::new(["merge-tree", "--write-tree", "-z", "--no-messages"])
            .arg(head.as_str())
            .arg(base.as_str())
            .in_clone(clone_dir);
        let output = self.git.run_expecting(git_command, &[0, 1]).await?;
        let (tree, stages) = plumbing_output::parse_merge_tree(&output.stdout)
            .ok_or_else(|| unexpected_output("merge-tree"))?;
        let mut conflicts: BTreeMap<Vec<u8>, Vec<ConflictStage>> = BTreeMap::new();
        for stage in stages {
            let path = stage.path.clone();
            conflicts.entry(path).or_default().push(stage);
        }
        if (output.exit_code == 0) != conflicts.is_empty() {
            return Err(unexpected_output("merge-tree"));
        }
        let tree = parse_sha("merge-tree", &tree)?;
        Ok(MergedTree { tree, conflicts })
    }

    async fn check_out_tree(
        &self,
        worktree_paths: &WorktreePaths,
        tree: &Sha,
    ) -> Result<(), GitError> {
        let read_tree = ["read-tree", "--reset", "-u", tree.as_str()];
        self.git.run(worktree_paths.command(read_tree)).await?;
        let index = worktree_paths.git_dir.join("index");
        self.replace_escaping_links(worktree_paths, &index).await
    }

    /// The texts of a conflict that a fixer may settle: both sides have the file at this path, as text.
    async fn conflict_texts(
        &self,
        clone_dir: &Path,
        path: &[u8],
        stages: &[ConflictStage],
    ) -> Result<Option<ConflictTexts>, GitError> {
        let of = |number: u8| stages.iter().find(|stage| stage.number == number);
        let (Some(head), Some(base)) = (of(2), of(3)) else {
            return Ok(None);
        };
        let plain = stages
            .iter()
            .all(|stage| plumbing_output::is_file_mode(stage.mode));
        if !plain || head.mode != base.mode || std::str::from_utf8(path).is_err() {
            return Ok(None);
        }
        let ids: Vec<&str> = stages.iter().map(|stage| stage.id.as_str()).collect();
        let blobs = self.read_blobs(clone_dir, &ids).await?;
        if is_agent_config(path) || blobs.iter().any(|blob| is_binary(blob)) {
            return Ok(None);
        }
        Ok(Some(ConflictTexts {
            common: of(1).map(|stage| stage.id.clone()),
            head: head.id.clone(),
            base: base.id.clone(),
        }))
    }
}

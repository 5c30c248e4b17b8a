//! Judges what a fixer left in the worktree (§6.3): the tree against the head, whatever was committed meanwhile.

use crate::Worktrees;
use crate::git_command::GitCommand;
use crate::io_error::io_error;
use crate::layout::{WorktreePaths, copy_index, is_real_dir};
use crate::merge_gates::MergeTrees;
use crate::object_reader::{parse_sha, unexpected_output};
use crate::plumbing_output::{self, TreeChange};
use crate::tamper::{tampering, tampering_by_move};
use collie_core::ids::Sha;
use collie_engine::ports::VerifyRun;
use collie_engine::ports::{
    CleanWorktree, GateRefusal, GitError, MergedWorktree, SyntaxChecker, VettedChange, VettedMerge,
};
use collie_platform::{has_other_names, name_of, path_of};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

type VetResult = Result<Option<VettedChange>, GateRefusal>;

impl Worktrees {
    /// See the port.
    pub(crate) async fn vet_worktree(
        &self,
        worktree: &CleanWorktree,
        syntax_checker: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<VetResult, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        if let Some(refusal) = self.restore_dot_git(&worktree_paths)? {
            return Ok(Err(refusal));
        }
        let (_folder, index) = self.copy_of_trusted_index(&worktree_paths)?;
        let head = worktree.head();
        let sides = [(worktree.merge_base(), head)];
        let tree = match self
            .tree_in_scope(&worktree_paths, &sides, head, &index)
            .await?
        {
            Ok(Some(tree)) => tree,
            Ok(None) => return Ok(Ok(None)),
            Err(refusal) => return Ok(Err(refusal)),
        };
        let changes = self
            .tree_changes(&worktree_paths.clone_dir, worktree.head(), &tree, false)
            .await?;
        if let Some(refusal) = self
            .check_content(&worktree_paths, worktree, &tree, &changes, syntax_checker)
            .await?
        {
            return Ok(Err(refusal));
        }
        let refusal = self
            .verify_tree(&worktree_paths, verify, (&tree, &index), cancel)
            .await?;
        Ok(match refusal {
            Some(refusal) => Err(refusal),
            None => Ok(Some(vetted(worktree, tree, &changes, None))),
        })
    }

    /// See the port. What git made of both sides is taken as it is; what differs from it is the fixer's.
    pub(crate) async fn vet_merged_worktree(
        &self,
        merged: &MergedWorktree,
        syntax_checker: &dyn SyntaxChecker,
        verify: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Result<VettedMerge, GateRefusal>, GitError> {
        let worktree = &merged.worktree;
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        if let Some(refusal) = self.restore_dot_git(&worktree_paths)? {
            return Ok(Err(refusal));
        }
        let (_folder, index) = self.copy_of_trusted_index(&worktree_paths)?;
        let common = worktree.merge_base();
        let sides = [(common, worktree.head()), (common, &merged.base)];
        let tree = match self
            .tree_in_scope(&worktree_paths, &sides, &merged.tree, &index)
            .await?
        {
            Ok(tree) => tree.unwrap_or_else(|| merged.tree.clone()),
            Err(refusal) => return Ok(Err(refusal)),
        };
        let clone_dir = &worktree_paths.clone_dir;
        let changes = self
            .tree_changes(clone_dir, &merged.tree, &tree, false)
            .await?;
        if let Some(refusal) = self
            .check_merged_content(&worktree_paths, merged, &tree, &changes, syntax_checker)
            .await?
        {
            return Ok(Err(refusal));
        }
        let trees = MergeTrees {
            common,
            head: worktree.head(),
            base: &merged.base,
            merged: &tree,
        };
        let lost = self.lost_in_merge(clone_dir, &trees).await?;
        let refusal = self
            .verify_tree(&worktree_paths, verify, (&tree, &index), cancel)
            .await?;
        Ok(match refusal {
            Some(refusal) => Err(refusal),
            None => Ok(VettedMerge {
                change: vetted(worktree, tree, &changes, Some(merged.base.clone())),
                lost,
            }),
        })
    }

    /// A copy of the index that the worktree is judged by, in a folder that goes with it.
    pub(crate) fn copy_of_trusted_index(
        &self,
        worktree_paths: &WorktreePaths,
    ) -> Result<(TempDir, PathBuf), GitError> {
        let what = "the index could not be copied";
        let folder = tempfile::Builder::new()
            .prefix("vet-")
            .tempdir_in(self.trash_dir())
            .map_err(io_error(what))?;
        let index = folder.path().join("index");
        copy_index(&worktree_paths.trusted_index, &index).map_err(io_error(what))?;
        Ok((folder, index))
    }

    /// Runs the verify commands, if there are any, and takes back what they did to the files.
    async fn verify_tree(
        &self,
        worktree_paths: &WorktreePaths,
        verify: VerifyRun<'_>,
        (tree, index): (&Sha, &Path),
        cancel: &CancellationToken,
    ) -> Result<Option<GateRefusal>, GitError> {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        if verify.plan.commands.is_empty() {
            return Ok(None);
        }
        let refusal = self.run_verify(worktree_paths, verify, cancel).await?;
        self.reset_to_vetted(worktree_paths, tree, index).await?;
        Ok(refusal)
    }

    /// Looks for what a change does to weaken its own checks, whether its files can be parsed, and for secrets.
    async fn check_content(
        &self,
        worktree_paths: &WorktreePaths,
        worktree: &CleanWorktree,
        tree: &Sha,
        changes: &[TreeChange],
        syntax_checker: &dyn SyntaxChecker,
    ) -> Result<Option<GateRefusal>, GitError> {
        let tampered = self.check_tampering(worktree_paths, worktree, tree).await?;
        if tampered.is_some() {
            return Ok(tampered);
        }
        let broken = self
            .check_syntax(worktree_paths, changes, syntax_checker)
            .await?;
        if broken.is_some() {
            return Ok(broken);
        }
        self.check_secrets(worktree_paths, changes).await
    }

    /// The worktree is still the worktree of this clone; a `.git` that was changed is put back.
    fn restore_dot_git(
        &self,
        worktree_paths: &WorktreePaths,
    ) -> Result<Option<GateRefusal>, GitError> {
        if !is_real_dir(&worktree_paths.work_dir) {
            return Err(GitError::WorktreeGone);
        }
        let dot_git = worktree_paths.work_dir.join(".git");
        let intact = fs::symlink_metadata(&dot_git)
            .is_ok_and(|meta| meta.is_file() && meta.len() < 65_536)
            && fs::read(&dot_git).is_ok_and(|text| text == worktree_paths.dot_git());
        if intact {
            return Ok(None);
        }
        self.write_plain_file(&dot_git, &worktree_paths.dot_git())
            .map_err(io_error("the worktree's .git could not be put back"))?;
        Ok(Some(GateRefusal::Scope {
            paths: vec![".git".into()],
        }))
    }

    /// The tree that the worktree holds, when all that differs from `before`, which the index has, may differ; none when nothing does. What
    /// one of the sides, from where it parted to its tip, changes may.
    async fn tree_in_scope(
        &self,
        worktree_paths: &WorktreePaths,
        sides: &[(&Sha, &Sha)],
        before: &Sha,
        index: &Path,
    ) -> Result<Result<Option<Sha>, GateRefusal>, GitError> {
        let changed = self.changed_paths(worktree_paths, index).await?;
        if changed.is_empty() {
            return Ok(Ok(None));
        }
        let allowed = self.allowed_paths(worktree_paths, sides).await?;
        let (inside, outside): (Vec<_>, Vec<_>) = changed.into_iter().partition(|path| {
            allowed.contains(path) && is_regular_or_missing(&worktree_paths.work_dir, path)
        });
        if !outside.is_empty() {
            let paths = outside
                .iter()
                .map(|path| String::from_utf8_lossy(path).into_owned())
                .collect();
            return Ok(Err(GateRefusal::Scope { paths }));
        }
        let linked: Vec<String> = inside
            .iter()
            .filter(|path| has_other_links(&worktree_paths.work_dir, path))
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect();
        if !linked.is_empty() {
            return Ok(Err(GateRefusal::Links { paths: linked }));
        }
        let mut names = Vec::new();
        for path in inside {
            names.extend_from_slice(&path);
            names.push(0);
        }
        let add = worktree_paths.command_with_index(
            ["update-index", "--add", "--remove", "-z", "--stdin"],
            index,
        );
        self.git.run(add.input(names)).await?;
        let written = self
            .git
            .run(worktree_paths.command_with_index(["write-tree"], index))
            .await?;
        let tree = parse_sha("write-tree", &written.stdout_line())?;
        let before = self
            .resolve_revision(&worktree_paths.clone_dir, &format!("{before}^{{tree}}"))
            .await?;
        Ok(Ok((before.as_ref() != Some(&tree)).then_some(tree)))
    }

    /// Takes back what verify commands did to files that are not ignored, so that it is not taken for the fixer's.
    async fn reset_to_vetted(
        &self,
        worktree_paths: &WorktreePaths,
        tree: &Sha,
        index: &Path,
    ) -> Result<(), GitError> {
        self.restore_dot_git(worktree_paths)?;
        let reset = ["read-tree", "--reset", "-u", tree.as_str()];
        self.git
            .run(worktree_paths.command_with_index(reset, index))
            .await?;
        let clean = ["clean", "-ffdq"];
        self.git
            .run(worktree_paths.command_with_index(clean, index))
            .await?;
        self.replace_escaping_links(worktree_paths, index).await
    }

    /// The paths that differ from the head, new files that are not ignored included.
    pub(crate) async fn changed_paths(
        &self,
        worktree_paths: &WorktreePaths,
        index: &Path,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let list = [
            "ls-files",
            "-z",
            "--modified",
            "--deleted",
            "--others",
            "--exclude-standard",
        ];
        let output = self
            .git
            .run(worktree_paths.command_with_index(list, index))
            .await?;
        let mut changed: BTreeSet<Vec<u8>> = plumbing_output::nul_fields(&output.stdout)
            .map(<[u8]>::to_vec)
            .collect();
        if changed.is_empty() {
            return Ok(changed);
        }
        // Links that lead out were replaced by their text when the worktree was prepared: no change of the fixer.
        let output = self
            .git
            .run(worktree_paths.command_with_index(["ls-files", "-z", "--stage"], index))
            .await?;
        let staged = plumbing_output::parse_staged(&output.stdout)
            .ok_or_else(|| unexpected_output("ls-files"))?;
        let links: Vec<Vec<u8>> = staged
            .into_iter()
            .filter(|(mode, path)| plumbing_output::is_link_mode(*mode) && changed.contains(path))
            .map(|(_, path)| path)
            .collect();
        let mut head = BTreeMap::new();
        for path in links {
            let mut name = b":".to_vec();
            name.extend_from_slice(&path);
            let git_command =
                GitCommand::new([OsStr::new("cat-file"), OsStr::new("blob"), name_of(&name)])
                    .in_clone(&worktree_paths.clone_dir)
                    .env("GIT_INDEX_FILE", index);
            head.insert(path, self.git.run(git_command).await?.stdout);
        }
        changed.retain(|path| match head.get(path) {
            Some(target) => !has_content(&worktree_paths.work_dir, path, target),
            None => true,
        });
        Ok(changed)
    }

    /// The paths that these sides change, old names included.
    async fn allowed_paths(
        &self,
        worktree_paths: &WorktreePaths,
        sides: &[(&Sha, &Sha)],
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let mut changes = Vec::new();
        for (parted, tip) in sides {
            let clone_dir = &worktree_paths.clone_dir;
            changes.extend(self.tree_changes(clone_dir, parted, tip, true).await?);
        }
        Ok(changes
            .into_iter()
            .flat_map(|change| [Some(change.path), change.old_path])
            .flatten()
            .filter(|path| std::str::from_utf8(path).is_ok())
            .collect())
    }

    /// Looks at each changed file, and at files that moved as such.
    async fn check_tampering(
        &self,
        worktree_paths: &WorktreePaths,
        worktree: &CleanWorktree,
        tree: &Sha,
    ) -> Result<Option<GateRefusal>, GitError> {
        let changes = self
            .tree_changes(&worktree_paths.clone_dir, worktree.head(), tree, true)
            .await?;
        let mut places = Vec::new();
        for change in &changes {
            let Some(path) = change.text_path() else {
                continue;
            };
            let before = self
                .read_text(worktree_paths, change.old_mode, &change.old_id)
                .await?;
            let after = self
                .read_text(worktree_paths, change.new_mode, &change.new_id)
                .await?;
            let old = change
                .old_path
                .as_deref()
                .and_then(|path| std::str::from_utf8(path).ok());
            places.extend(match (old, before.as_deref(), after.as_deref()) {
                (Some(old), Some(before), Some(after)) => {
                    tampering_by_move(old, path, before, after)
                }
                (_, before, after) => tampering(path, before, after),
            });
        }
        Ok((!places.is_empty()).then_some(GateRefusal::Tamper { locations: places }))
    }

    /// One side of a change as text; none where nothing is, or no file.
    async fn read_text(
        &self,
        worktree_paths: &WorktreePaths,
        mode: u32,
        id: &str,
    ) -> Result<Option<String>, GitError> {
        if !(plumbing_output::is_file_mode(mode) || plumbing_output::is_link_mode(mode)) {
            return Ok(None);
        }
        let blobs = self.read_blobs(&worktree_paths.clone_dir, &[id]).await?;
        let text = blobs.first().map(|blob| String::from_utf8_lossy(blob));
        Ok(text.map(std::borrow::Cow::into_owned))
    }

    async fn check_syntax(
        &self,
        worktree_paths: &WorktreePaths,
        changes: &[TreeChange],
        syntax_checker: &dyn SyntaxChecker,
    ) -> Result<Option<GateRefusal>, GitError> {
        let mut places = Vec::new();
        for change in changes
            .iter()
            .filter(|change| change.status != b'D' && change.is_regular())
        {
            let Some(path) = change.text_path() else {
                continue;
            };
            let before = (change.old_mode != 0).then_some(change.old_id.as_str());
            let ids: Vec<&str> = before.into_iter().chain([change.new_id.as_str()]).collect();
            let mut blobs = self
                .read_blobs(&worktree_paths.clone_dir, &ids)
                .await?
                .into_iter();
            let before = before.and_then(|_| blobs.next());
            let after = blobs.next().unwrap_or_default();
            if let Some(line) = syntax_checker.first_broken_line(path, before.as_deref(), &after) {
                places.push(format!("{path}:{line}"));
            }
        }
        Ok((!places.is_empty()).then_some(GateRefusal::Syntax { locations: places }))
    }
}

/// The proof that a tree passed all gates; `merged` is the base that it merges in.
fn vetted(
    worktree: &CleanWorktree,
    tree: Sha,
    changes: &[TreeChange],
    merged: Option<Sha>,
) -> VettedChange {
    let paths = changes
        .iter()
        .filter_map(TreeChange::text_path)
        .map(str::to_string)
        .collect();
    VettedChange::passed_all_gates(worktree, tree, paths, merged)
}

/// The path is a regular file, or is not there: no link, no folder, no pipe, and nothing behind a link.
fn is_regular_or_missing(work_dir: &Path, path: &[u8]) -> bool {
    let above = path_of(path).ancestors().skip(1);
    let behind_link = above
        .filter(|part| !part.as_os_str().is_empty())
        .any(|part| work_dir.join(part).is_symlink());
    if behind_link {
        return false;
    }
    match fs::symlink_metadata(work_dir.join(path_of(path))) {
        Ok(meta) => meta.is_file(),
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        ),
    }
}

/// The file has another name, which may lie anywhere: it may be a file of this machine, and not the fixer's.
fn has_other_links(work_dir: &Path, path: &[u8]) -> bool {
    fs::symlink_metadata(work_dir.join(path_of(path))).is_ok_and(|meta| has_other_names(&meta))
}

/// The path is a regular file with just this text.
fn has_content(work_dir: &Path, path: &[u8], text: &[u8]) -> bool {
    let path = work_dir.join(path_of(path));
    fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() == text.len() as u64)
        && fs::read(&path).is_ok_and(|found| found == text)
}

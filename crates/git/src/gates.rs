//! Judges what a fixer left in the worktree (§6.3): the tree against the head, whatever was committed meanwhile.

use crate::GitPlace;
use crate::call::Call;
use crate::objects::{odd, sha_of};
use crate::place::{Spot, copy_index, io_error, is_real_folder};
use crate::raw::{self, Change};
use crate::tamper::{moved, tampering};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GateRefusal, GitError, SyntaxJudge, VettedChange};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tokio_util::sync::CancellationToken;

type Vetted = Result<Option<VettedChange>, GateRefusal>;

impl GitPlace {
    /// See the port.
    pub(crate) async fn judge(
        &self,
        worktree: &CleanWorktree,
        syntax: &dyn SyntaxJudge,
        verify: &[String],
        cancel: &CancellationToken,
    ) -> Result<Vetted, GitError> {
        let spot = self.spot_of(worktree)?;
        if let Some(refusal) = self.guard_dot_git(&spot)? {
            return Ok(Err(refusal));
        }
        let what = "the index could not be copied";
        let folder = tempfile::Builder::new()
            .prefix("vet-")
            .tempdir_in(self.trash())
            .map_err(io_error(what))?;
        let index = folder.path().join("index");
        copy_index(&spot.index, &index).map_err(io_error(what))?;
        let tree = match self.tree_in_scope(&spot, worktree, &index).await? {
            Ok(Some(tree)) => tree,
            Ok(None) => return Ok(Ok(None)),
            Err(refusal) => return Ok(Err(refusal)),
        };
        let changes = self
            .changes(&spot.clone, &worktree.head, &tree, false)
            .await?;
        if let Some(refusal) = self.check_tampering(&spot, worktree, &tree).await? {
            return Ok(Err(refusal));
        }
        if let Some(refusal) = self.check_syntax(&spot, &changes, syntax).await? {
            return Ok(Err(refusal));
        }
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        if !verify.is_empty() {
            let refusal = self.run_verify(&spot.tree, verify, cancel).await?;
            self.undo_since_vetted(&spot, &tree, &index).await?;
            if let Some(refusal) = refusal {
                return Ok(Err(refusal));
            }
        }
        let paths = changes
            .iter()
            .filter_map(Change::text_path)
            .map(str::to_string)
            .collect();
        Ok(Ok(Some(VettedChange {
            worktree: worktree.clone(),
            paths,
            tree,
        })))
    }

    /// The worktree is still the worktree of this clone; a `.git` that was changed is put back.
    fn guard_dot_git(&self, spot: &Spot) -> Result<Option<GateRefusal>, GitError> {
        if !is_real_folder(&spot.tree) {
            return Err(GitError::Io {
                what: "the worktree is not there any more".into(),
                message: "prepare it again".into(),
            });
        }
        let dot_git = spot.tree.join(".git");
        let intact = fs::symlink_metadata(&dot_git)
            .is_ok_and(|meta| meta.is_file() && meta.len() < 65_536)
            && fs::read(&dot_git).is_ok_and(|text| text == spot.dot_git());
        if intact {
            return Ok(None);
        }
        self.put(&dot_git, &spot.dot_git())
            .map_err(io_error("the worktree's .git could not be put back"))?;
        Ok(Some(GateRefusal::Scope {
            paths: vec![".git".into()],
        }))
    }

    /// The tree that the worktree holds, when all that differs from the head may differ; none when nothing does.
    async fn tree_in_scope(
        &self,
        spot: &Spot,
        worktree: &CleanWorktree,
        index: &Path,
    ) -> Result<Result<Option<Sha>, GateRefusal>, GitError> {
        let touched = self.touched(spot, index).await?;
        if touched.is_empty() {
            return Ok(Ok(None));
        }
        let allowed = self.allowed(spot, worktree).await?;
        let (inside, outside): (Vec<_>, Vec<_>) = touched
            .into_iter()
            .partition(|path| allowed.contains(path) && is_plain_or_gone(&spot.tree, path));
        if !outside.is_empty() {
            let paths = outside
                .iter()
                .map(|path| String::from_utf8_lossy(path).into_owned())
                .collect();
            return Ok(Err(GateRefusal::Scope { paths }));
        }
        let mut names = Vec::new();
        for path in inside {
            names.extend_from_slice(&path);
            names.push(0);
        }
        let add = spot.call_with_index(
            ["update-index", "--add", "--remove", "-z", "--stdin"],
            index,
        );
        self.caller.run(add.input(names)).await?;
        let written = self
            .caller
            .run(spot.call_with_index(["write-tree"], index))
            .await?;
        let tree = sha_of("write-tree", &written.line())?;
        let before = self
            .resolve_name(&spot.clone, &format!("{}^{{tree}}", worktree.head))
            .await?;
        Ok(Ok((before.as_ref() != Some(&tree)).then_some(tree)))
    }

    /// Takes back what verify commands did to files that are not ignored, so that it is not taken for the fixer's.
    async fn undo_since_vetted(
        &self,
        spot: &Spot,
        tree: &Sha,
        index: &Path,
    ) -> Result<(), GitError> {
        self.guard_dot_git(spot)?;
        let reset = ["read-tree", "--reset", "-u", tree.as_str()];
        self.caller.run(spot.call_with_index(reset, index)).await?;
        let clean = ["clean", "-ffdq"];
        self.caller.run(spot.call_with_index(clean, index)).await?;
        self.disarm_links(spot, index).await
    }

    /// The paths that differ from the head, new files that are not ignored included.
    async fn touched(&self, spot: &Spot, index: &Path) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let list = [
            "ls-files",
            "-z",
            "--modified",
            "--deleted",
            "--others",
            "--exclude-standard",
        ];
        let answer = self.caller.run(spot.call_with_index(list, index)).await?;
        let mut touched: BTreeSet<Vec<u8>> = raw::fields(&answer.out).map(<[u8]>::to_vec).collect();
        if touched.is_empty() {
            return Ok(touched);
        }
        // Links that lead out were replaced by their text when the worktree was prepared: no change of the fixer.
        let answer = self
            .caller
            .run(spot.call_with_index(["ls-files", "-z", "--stage"], index))
            .await?;
        let staged = raw::staged(&answer.out).ok_or_else(|| odd("ls-files"))?;
        let links: Vec<Vec<u8>> = staged
            .into_iter()
            .filter(|(mode, path)| raw::is_link(*mode) && touched.contains(path))
            .map(|(_, path)| path)
            .collect();
        let mut head = BTreeMap::new();
        for path in links {
            let mut name = b":".to_vec();
            name.extend_from_slice(&path);
            let call = Call::new([
                OsStr::new("cat-file"),
                OsStr::new("blob"),
                OsStr::from_bytes(&name),
            ])
            .in_clone(&spot.clone)
            .env("GIT_INDEX_FILE", index);
            head.insert(path, self.caller.run(call).await?.out);
        }
        touched.retain(|path| match head.get(path) {
            Some(target) => !is_text_of(&spot.tree, path, target),
            None => true,
        });
        Ok(touched)
    }

    /// The paths that the pull request itself changes, old names included.
    async fn allowed(
        &self,
        spot: &Spot,
        worktree: &CleanWorktree,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let changes = self
            .changes(&spot.clone, &worktree.merge_base, &worktree.head, true)
            .await?;
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
        spot: &Spot,
        worktree: &CleanWorktree,
        tree: &Sha,
    ) -> Result<Option<GateRefusal>, GitError> {
        let changes = self
            .changes(&spot.clone, &worktree.head, tree, true)
            .await?;
        let mut places = Vec::new();
        for change in &changes {
            let Some(path) = change.text_path() else {
                continue;
            };
            let before = self.text_of(spot, change.old_mode, &change.old_id).await?;
            let after = self.text_of(spot, change.new_mode, &change.new_id).await?;
            let old = change
                .old_path
                .as_deref()
                .and_then(|path| std::str::from_utf8(path).ok());
            places.extend(match (old, before.as_deref(), after.as_deref()) {
                (Some(old), Some(before), Some(after)) => moved(old, path, before, after),
                (_, before, after) => tampering(path, before, after),
            });
        }
        Ok((!places.is_empty()).then_some(GateRefusal::Tamper { places }))
    }

    /// One side of a change as text; none where nothing is, or no file.
    async fn text_of(&self, spot: &Spot, mode: u32, id: &str) -> Result<Option<String>, GitError> {
        if !(raw::is_file(mode) || raw::is_link(mode)) {
            return Ok(None);
        }
        let blobs = self.blobs(&spot.clone, &[id]).await?;
        let text = blobs.first().map(|blob| String::from_utf8_lossy(blob));
        Ok(text.map(std::borrow::Cow::into_owned))
    }

    async fn check_syntax(
        &self,
        spot: &Spot,
        changes: &[Change],
        syntax: &dyn SyntaxJudge,
    ) -> Result<Option<GateRefusal>, GitError> {
        let mut places = Vec::new();
        for change in changes
            .iter()
            .filter(|change| change.status != b'D' && change.is_plain())
        {
            let Some(path) = change.text_path() else {
                continue;
            };
            let before = (change.old_mode != 0).then_some(change.old_id.as_str());
            let ids: Vec<&str> = before.into_iter().chain([change.new_id.as_str()]).collect();
            let mut blobs = self.blobs(&spot.clone, &ids).await?.into_iter();
            let before = before.and_then(|_| blobs.next());
            let after = blobs.next().unwrap_or_default();
            if let Some(line) = syntax.broke(path, before.as_deref(), &after) {
                places.push(format!("{path}:{line}"));
            }
        }
        Ok((!places.is_empty()).then_some(GateRefusal::Syntax { places }))
    }
}

/// The path is a regular file, or is not there: no link, no folder, no pipe, and nothing behind a link.
fn is_plain_or_gone(tree: &Path, path: &[u8]) -> bool {
    let above = Path::new(OsStr::from_bytes(path)).ancestors().skip(1);
    let behind_link = above
        .filter(|part| !part.as_os_str().is_empty())
        .any(|part| tree.join(part).is_symlink());
    if behind_link {
        return false;
    }
    match fs::symlink_metadata(tree.join(OsStr::from_bytes(path))) {
        Ok(meta) => meta.is_file(),
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        ),
    }
}

/// The path is a regular file with just this text.
fn is_text_of(tree: &Path, path: &[u8], text: &[u8]) -> bool {
    let path = tree.join(OsStr::from_bytes(path));
    fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() == text.len() as u64)
        && fs::read(&path).is_ok_and(|found| found == text)
}

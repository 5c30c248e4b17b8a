//! Reads commits, trees and files of a clone.

use crate::GitPlace;
use crate::call::Call;
use crate::raw::{self, Change, Entry};
use collie_core::ids::Sha;
use collie_engine::ports::GitError;
use std::path::Path;

/// An output that is not what git prints.
pub(crate) fn odd(command: &str) -> GitError {
    GitError::Failed {
        command: command.into(),
        place: "the clone".into(),
        message: "its output was not understood: check the git version".into(),
    }
}

/// Reads a commit id that git printed.
pub(crate) fn sha_of(command: &str, text: &str) -> Result<Sha, GitError> {
    Sha::parse(text.trim()).map_err(|_| odd(command))
}

impl GitPlace {
    /// Whether the clone has a commit.
    pub(crate) async fn has_commit(&self, clone: &Path, sha: &Sha) -> Result<bool, GitError> {
        let call = Call::new(["cat-file", "-e"])
            .arg(format!("{sha}^{{commit}}"))
            .in_clone(clone);
        Ok(self.caller.run_for(call, &[0, 1, 128]).await?.code == 0)
    }

    /// Whether one commit is another or an ancestor of it. What the clone does not have is no ancestor.
    pub(crate) async fn is_ancestor(
        &self,
        clone: &Path,
        old: &Sha,
        new: &Sha,
    ) -> Result<bool, GitError> {
        let call =
            Call::new(["merge-base", "--is-ancestor", old.as_str(), new.as_str()]).in_clone(clone);
        Ok(self.caller.run_for(call, &[0, 1, 128]).await?.code == 0)
    }

    /// The object that a name of git's means; none when there is no such.
    pub(crate) async fn resolve_name(
        &self,
        clone: &Path,
        name: &str,
    ) -> Result<Option<Sha>, GitError> {
        let call = Call::new(["rev-parse", "--verify", "--quiet", "--end-of-options", name])
            .in_clone(clone);
        let answer = self.caller.run_for(call, &[0, 1, 128]).await?;
        if answer.code == 0 {
            sha_of("rev-parse", &answer.line()).map(Some)
        } else {
            Ok(None)
        }
    }

    /// What lies at a path of a commit: the entry itself, or with `below` all files in it.
    pub(crate) async fn entries(
        &self,
        clone: &Path,
        commit: &Sha,
        path: &str,
        below: bool,
    ) -> Result<Vec<Entry>, GitError> {
        let mut call = Call::new(["ls-tree", "-z", "-l", "--full-tree"]);
        if below {
            call = call.arg("-r");
        }
        call = call.arg(commit.as_str());
        if !path.is_empty() {
            call = call.arg("--").arg(path);
        }
        let answer = self.caller.run(call.in_clone(clone)).await?;
        raw::entries(&answer.out).ok_or_else(|| odd("ls-tree"))
    }

    /// Every path of a commit that is UTF-8, sorted.
    pub(crate) async fn paths_of(
        &self,
        clone: &Path,
        commit: &Sha,
    ) -> Result<Vec<String>, GitError> {
        let call = Call::new(["ls-tree", "-r", "-z", "--name-only", "--full-tree"])
            .arg(commit.as_str())
            .in_clone(clone);
        let answer = self.caller.run(call).await?;
        let mut paths: Vec<String> = raw::fields(&answer.out)
            .filter_map(|path| std::str::from_utf8(path).ok())
            .map(str::to_string)
            .collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// The contents of blobs, in order.
    pub(crate) async fn blobs(&self, clone: &Path, ids: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let wanted: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let call = Call::new(["cat-file", "--batch"])
            .in_clone(clone)
            .input(wanted.into_bytes());
        let out = self.caller.run(call).await?.out;
        let mut rest = out.as_slice();
        let mut found = Vec::with_capacity(ids.len());
        for _ in ids {
            let (blob, after) = batch_record(rest).ok_or_else(|| odd("cat-file"))?;
            found.push(blob.to_vec());
            rest = after;
        }
        Ok(found)
    }

    /// What differs between two trees, without lines.
    pub(crate) async fn changes(
        &self,
        clone: &Path,
        old: &Sha,
        new: &Sha,
        renames: bool,
    ) -> Result<Vec<Change>, GitError> {
        let call = Call::new(["diff-tree", "-r", "--raw", "-z", "--no-abbrev"])
            .arg(if renames {
                "--find-renames"
            } else {
                "--no-renames"
            })
            .arg(old.as_str())
            .arg(new.as_str());
        let answer = self.caller.run(call.in_clone(clone)).await?;
        raw::changes(&answer.out).ok_or_else(|| odd("diff-tree"))
    }
}

/// The first content of a `cat-file --batch` output, and what follows it.
fn batch_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = head.rsplit(' ').next()?.parse().ok()?;
    let body = &bytes[end + 1..];
    let after = body.get(size..)?.strip_prefix(b"\n")?;
    Some((&body[..size], after))
}

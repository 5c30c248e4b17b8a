//! Which changed files nobody is shown, whatever room there is, and why (§4.4). What is text is told by content. What is generated is
//! told by the base: what a pull request says of its own files counts for nothing.

use crate::Worktrees;
use crate::cat_file::ObjectPart;
use crate::git_command::GitCommand;
use crate::io_error::io_error;
use crate::object_reader::unexpected_output;
use crate::patch::FilePatch;
use crate::plumbing_output::{self, TreeChange};
use collie_core::coverage::UnseenReason;
use collie_core::file_marks::{
    bears_generated_mark, is_binary, is_lockfile, is_text_in_disguise, vendored_folder,
};
use collie_core::ids::Sha;
use collie_engine::ports::GitError;
use std::collections::BTreeSet;
use std::path::Path;

/// How much of a file is looked at to tell whether it is text, in bytes; git looks as far.
const PROBE_BYTES: usize = 8_000;
/// How much of a file of the base is looked at for marks and long lines, in bytes.
const MARK_BYTES: usize = 1 << 20;
/// As many beginnings are held at once.
const STARTS_AT_ONCE: usize = 32;
/// What says that a file is generated or vendored, or that it is not.
const GENERATED_ATTRIBUTES: [&str; 2] = ["linguist-generated", "linguist-vendored"];

impl Worktrees {
    /// Why nobody is shown the lines of each of these files; none where they are shown.
    pub(crate) async fn unshown_reasons(
        &self,
        clone_dir: &Path,
        base: &Sha,
        pairs: &[(TreeChange, FilePatch)],
    ) -> Result<Vec<Option<UnseenReason>>, GitError> {
        let mut reasons: Vec<Option<UnseenReason>> = pairs
            .iter()
            .map(|(change, _)| reason_by_kind(change))
            .collect();
        self.tell_binaries(clone_dir, pairs, &mut reasons).await?;
        let paths: Vec<Option<&str>> = pairs
            .iter()
            .zip(&reasons)
            .map(|((change, _), reason)| change.text_path().filter(|_| reason.is_none()))
            .collect();
        let generated = self.generated_at_base(clone_dir, base, &paths).await?;
        for (reason, path) in reasons.iter_mut().zip(&paths) {
            if path.is_some_and(|path| generated.contains(path)) {
                *reason = Some(UnseenReason::Generated);
            }
        }
        Ok(reasons)
    }

    /// Of the files that git shows no lines of, those that are binary, and those that are text all the same.
    async fn tell_binaries(
        &self,
        clone_dir: &Path,
        pairs: &[(TreeChange, FilePatch)],
        reasons: &mut [Option<UnseenReason>],
    ) -> Result<(), GitError> {
        let doubtful: Vec<usize> = (0..pairs.len())
            .filter(|at| reasons[*at].is_none() && pairs[*at].1.binary)
            .collect();
        let ids = doubtful.iter().map(|at| {
            let change = &pairs[*at].0;
            match change.status {
                b'D' => change.old_id.clone(),
                _ => change.new_id.clone(),
            }
        });
        let found = self
            .read_starts(clone_dir, ids.collect(), PROBE_BYTES, |_, start, size| {
                if is_binary(start) {
                    match is_text_in_disguise(start) {
                        true => UnseenReason::Unreadable,
                        false => UnseenReason::Binary,
                    }
                } else if size > PROBE_BYTES as u64 {
                    // Text beyond git's own limit, or that takes the place of a binary file.
                    UnseenReason::TooLarge
                } else {
                    UnseenReason::Unreadable
                }
            })
            .await?;
        for (at, reason) in doubtful.into_iter().zip(found) {
            reasons[at] = reason.or(Some(UnseenReason::Unreadable));
        }
        Ok(())
    }

    /// Those of these paths that a commit marks as generated or vendored: by an attribute, by what the file says there of itself, by lying
    /// in a folder of others' code that has files there.
    async fn generated_at_base(
        &self,
        clone_dir: &Path,
        base: &Sha,
        paths: &[Option<&str>],
    ) -> Result<BTreeSet<String>, GitError> {
        // A name is one line of what git is asked, and git takes a carriage return at its end for a part of the line's.
        let paths: Vec<&str> = paths
            .iter()
            .copied()
            .flatten()
            .filter(|path| !path.contains(['\n', '\r']))
            .collect();
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let there = self.list_paths_at(clone_dir, base).await?;
        let by_attribute = self
            .generated_attributes(clone_dir, base, &there, &paths)
            .await?;
        let known: Vec<&str> = paths
            .iter()
            .copied()
            .filter(|path| {
                there
                    .binary_search_by(|known| known.as_str().cmp(path))
                    .is_ok()
            })
            .collect();
        let names = known.iter().map(|path| format!("{base}:{path}")).collect();
        let marked = self
            .read_starts(clone_dir, names, MARK_BYTES, |at, start, _| {
                bears_generated_mark(known[at], start).then_some(known[at])
            })
            .await?;
        let marked: BTreeSet<&str> = marked.into_iter().flatten().flatten().collect();
        let in_vendored = |path: &str| {
            vendored_folder(path).is_some_and(|folder| {
                let first = there.partition_point(|known| known.as_str() < folder);
                there
                    .get(first)
                    .is_some_and(|known| known.starts_with(folder))
            })
        };
        let generated = paths.into_iter().zip(by_attribute).filter(|(path, says)| {
            says.unwrap_or_else(|| marked.contains(path) || in_vendored(path))
        });
        Ok(generated.map(|(path, _)| path.to_owned()).collect())
    }

    /// What the attributes of a commit say of paths: generated, not generated, or nothing. They are laid into an index of their own, since
    /// git reads them from a commit only from 2.40 on.
    async fn generated_attributes(
        &self,
        clone_dir: &Path,
        base: &Sha,
        there: &[String],
        paths: &[&str],
    ) -> Result<Vec<Option<bool>>, GitError> {
        let is_attributes =
            |path: &&String| *path == ".gitattributes" || path.ends_with("/.gitattributes");
        if !there.iter().any(|path| is_attributes(&path)) {
            return Ok(vec![None; paths.len()]);
        }
        let entries = self.tree_entries(clone_dir, base, "", true).await?;
        let mut listed = Vec::new();
        for entry in entries.iter().filter(|entry| {
            plumbing_output::is_file_mode(entry.mode) && entry.path.ends_with(b".gitattributes")
        }) {
            listed.extend_from_slice(format!("{:o} {}\t", entry.mode, entry.id).as_bytes());
            listed.extend_from_slice(&entry.path);
            listed.push(0);
        }
        let what = "the index for attributes could not be made";
        let folder = tempfile::tempdir_in(clone_dir.join("collie")).map_err(io_error(what))?;
        let index = folder.path().join("index");
        let update = GitCommand::new(["update-index", "-z", "--index-info"])
            .in_clone(clone_dir)
            .env("GIT_INDEX_FILE", &index)
            .input(listed);
        self.git.run(update).await?;
        let names: Vec<u8> = paths
            .iter()
            .flat_map(|path| path.bytes().chain(std::iter::once(0)))
            .collect();
        let ask = GitCommand::new(["check-attr", "--cached", "-z", "--stdin"])
            .arg(GENERATED_ATTRIBUTES[0])
            .arg(GENERATED_ATTRIBUTES[1])
            .in_clone(clone_dir)
            .env("GIT_INDEX_FILE", &index)
            .input(names);
        let output = self.git.run(ask).await?;
        parse_attributes(&output.stdout, paths.len()).ok_or_else(|| unexpected_output("check-attr"))
    }

    /// What `of_start` makes of the place and the beginning of each blob, in order; none for a name that there is not.
    async fn read_starts<T>(
        &self,
        clone_dir: &Path,
        names: Vec<String>,
        keep: usize,
        of_start: impl Fn(usize, &[u8], u64) -> T,
    ) -> Result<Vec<Option<T>>, GitError> {
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunks(STARTS_AT_ONCE) {
            let part = ObjectPart::Start(keep);
            for object in self.read_objects(clone_dir, names, part).await? {
                let start = object
                    .as_ref()
                    .and_then(|object| Some((object.bytes.as_deref()?, object.size)));
                found.push(start.map(|(start, size)| of_start(found.len(), start, size)));
            }
        }
        Ok(found)
    }
}

/// What is told by modes and names alone.
fn reason_by_kind(change: &TreeChange) -> Option<UnseenReason> {
    const SUBMODULE: u32 = 0o160_000;
    let modes = [change.old_mode, change.new_mode];
    let Some(path) = change.text_path() else {
        return Some(UnseenReason::Unreadable);
    };
    if modes
        .iter()
        .any(|mode| plumbing_output::is_link_mode(*mode))
    {
        Some(UnseenReason::Link)
    } else if modes.iter().all(|mode| [0, SUBMODULE].contains(mode)) {
        Some(UnseenReason::Submodule)
    } else if !change.is_regular() {
        Some(UnseenReason::Unreadable)
    } else {
        is_lockfile(path).then_some(UnseenReason::Lockfile)
    }
}

/// Reads the records of `check-attr -z` for two attributes of each path; none when they are not what git prints.
fn parse_attributes(bytes: &[u8], count: usize) -> Option<Vec<Option<bool>>> {
    let mut values = bytes.split(|byte| *byte == 0).skip(2).step_by(3);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count {
        let says = [values.next()?, values.next()?].map(|value| match value {
            b"unspecified" => None,
            b"unset" | b"false" => Some(false),
            _ => Some(true),
        });
        found.push(match says {
            [Some(true), _] | [_, Some(true)] => Some(true),
            [None, None] => None,
            _ => Some(false),
        });
    }
    Some(found)
}

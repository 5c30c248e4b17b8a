//! State on disk: one append-only log a repository, one line a change.
//!
//! A line holds every row that one change touched, so a change is there whole or not at all.
//! Lines are written with a single `write` and are not synced: they survive the death of the
//! process, which is what a stand-in needs, though not always the death of the machine.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ForgeError;
use crate::model::{RepoMeta, RepoState};
use crate::table::{Row, Table};

const META: &str = "meta";

/// One line of a log.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Line {
    /// No id up to and including this one may be given out again.
    last_id: u64,
    /// Table, key, row as it is now (`null`: removed).
    put: Vec<(String, u64, Value)>,
}

/// The open log of a repository.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    /// Where the last whole line ends.
    len: u64,
}

impl Log {
    /// Starts the log of a new repository.
    pub(crate) fn create(
        path: &Path,
        state: &mut RepoState,
        last_id: u64,
    ) -> Result<Self, ForgeError> {
        write_whole(path, state, last_id)?;
        settle(state);
        Self::append_to(path)
    }

    /// Reads a log; gives the state and the last id that was given out.
    pub(crate) fn load(path: &Path) -> Result<(Self, RepoState, u64), ForgeError> {
        let bytes = std::fs::read(path).map_err(ForgeError::io("read", path))?;
        // A line without its end is a change that was never acknowledged.
        let whole = bytes
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let mut meta: Option<RepoMeta> = None;
        let mut lines = Vec::new();
        for (index, text) in bytes[..whole].split(|b| *b == b'\n').enumerate() {
            if text.is_empty() {
                continue;
            }
            let corrupt = |why: serde_json::Error| ForgeError::Corrupt {
                path: path.to_owned(),
                line: index + 1,
                why: why.to_string(),
            };
            let line: Line = serde_json::from_slice(text).map_err(corrupt)?;
            for (table, _, row) in &line.put {
                if table == META {
                    meta = Some(serde_json::from_value(row.clone()).map_err(corrupt)?);
                }
            }
            lines.push((index + 1, line));
        }
        let meta = meta.ok_or_else(|| ForgeError::Corrupt {
            path: path.to_owned(),
            line: 1,
            why: "nothing is said about the repository itself".to_owned(),
        })?;
        let mut state = RepoState::new(meta);
        let mut last_id = 0;
        let count = lines.len();
        for (number, line) in lines {
            last_id = last_id.max(line.last_id);
            for (table, key, row) in line.put {
                apply(&mut state, &table, key, row).map_err(|why| ForgeError::Corrupt {
                    path: path.to_owned(),
                    line: number,
                    why,
                })?;
            }
        }
        settle(&mut state);
        if count > 1 || whole < bytes.len() {
            write_whole(path, &state, last_id)?;
        }
        Ok((Self::append_to(path)?, state, last_id))
    }

    /// Writes what changed since the last time, as one line.
    pub(crate) fn append(
        &mut self,
        state: &mut RepoState,
        last_id: u64,
    ) -> Result<bool, ForgeError> {
        let put = collect(state, false);
        if put.is_empty() {
            return Ok(false);
        }
        let bytes = encode(&Line { last_id, put })?;
        let written = self.file.write_all(&bytes);
        if let Err(error) = written {
            // Half a line would swallow the next one.
            self.file
                .set_len(self.len)
                .map_err(ForgeError::io("shorten", &self.path))?;
            return Err(ForgeError::io("write", &self.path)(error));
        }
        self.len += bytes.len() as u64;
        settle(state);
        Ok(true)
    }

    fn append_to(path: &Path) -> Result<Self, ForgeError> {
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(ForgeError::io("open", path))?;
        let len = file.metadata().map_err(ForgeError::io("read", path))?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            len,
        })
    }
}

/// Takes back every change since the last append.
pub(crate) fn undo(state: &mut RepoState) {
    state.meta.undo();
    state.pulls.undo();
    state.issues.undo();
    state.issue_comments.undo();
    state.reviews.undo();
    state.threads.undo();
    state.review_comments.undo();
    state.check_runs.undo();
    state.statuses.undo();
}

/// Writes a file whole or not at all: temporary file, sync, rename.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ForgeError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(ForgeError::io("create", folder))?;
    let mut file = tempfile::NamedTempFile::new_in(folder)
        .map_err(ForgeError::io("create a file in", folder))?;
    file.write_all(bytes)
        .and_then(|()| file.as_file().sync_all())
        .map_err(ForgeError::io("write", path))?;
    file.persist(path)
        .map_err(|e| ForgeError::io("replace", path)(e.error))?;
    Ok(())
}

fn write_whole(path: &Path, state: &RepoState, last_id: u64) -> Result<(), ForgeError> {
    let put = collect(state, true);
    write_atomically(path, &encode(&Line { last_id, put })?)
}

fn encode(line: &Line) -> Result<Vec<u8>, ForgeError> {
    let mut bytes = serde_json::to_vec(line).map_err(|e| unwritable(&e))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn unwritable(error: &serde_json::Error) -> ForgeError {
    ForgeError::refused(500, format!("cannot write the change as JSON: {error}"))
}

fn collect(state: &RepoState, all: bool) -> Vec<(String, u64, Value)> {
    let mut put = Vec::new();
    if all || state.meta.is_changed() {
        put.push((META.to_owned(), state.meta.id, to_value(&*state.meta)));
    }
    gather(&mut put, &state.pulls, all);
    gather(&mut put, &state.issues, all);
    gather(&mut put, &state.issue_comments, all);
    gather(&mut put, &state.reviews, all);
    gather(&mut put, &state.threads, all);
    gather(&mut put, &state.review_comments, all);
    gather(&mut put, &state.check_runs, all);
    gather(&mut put, &state.statuses, all);
    put
}

fn gather<T: Row>(put: &mut Vec<(String, u64, Value)>, table: &Table<T>, all: bool) {
    if all {
        let rows = table
            .iter()
            .map(|row| (T::TABLE.to_owned(), row.key(), to_value(row)));
        put.extend(rows);
    } else {
        let rows = table
            .changed()
            .map(|(key, row)| (T::TABLE.to_owned(), key, row.map_or(Value::Null, to_value)));
        put.extend(rows);
    }
}

fn to_value<T: Serialize>(row: &T) -> Value {
    serde_json::to_value(row).expect("rows hold only strings, numbers and string-keyed maps")
}

fn settle(state: &mut RepoState) {
    state.meta.settle();
    state.pulls.settle();
    state.issues.settle();
    state.issue_comments.settle();
    state.reviews.settle();
    state.threads.settle();
    state.review_comments.settle();
    state.check_runs.settle();
    state.statuses.settle();
}

fn apply(state: &mut RepoState, table: &str, key: u64, row: Value) -> Result<(), String> {
    match table {
        META => Ok(()),
        "pull" => put(&mut state.pulls, key, row),
        "issue" => put(&mut state.issues, key, row),
        "issue_comment" => put(&mut state.issue_comments, key, row),
        "review" => put(&mut state.reviews, key, row),
        "thread" => put(&mut state.threads, key, row),
        "review_comment" => put(&mut state.review_comments, key, row),
        "check_run" => put(&mut state.check_runs, key, row),
        "status" => put(&mut state.statuses, key, row),
        other => Err(format!(
            "unknown table `{other}`, perhaps of a newer version"
        )),
    }
}

fn put<T: Row>(table: &mut Table<T>, key: u64, row: Value) -> Result<(), String> {
    if row.is_null() {
        table.remove(key);
    } else {
        table.insert(serde_json::from_value(row).map_err(|e| e.to_string())?);
    }
    Ok(())
}

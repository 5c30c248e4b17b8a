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

const META_TABLE: &str = "meta";

/// One line of a log.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LogEntry {
    /// No id up to and including this one may be given out again.
    last_id: u64,
    /// Table, key, row as it is now (`null`: removed).
    put: Vec<(String, u64, Value)>,
}

/// The open log of a repository.
#[derive(Debug)]
pub(crate) struct RepoLog {
    path: PathBuf,
    file: File,
    /// Where the last whole line ends.
    len: u64,
}

impl RepoLog {
    /// Starts the log of a new repository.
    pub(crate) fn create(
        path: &Path,
        state: &mut RepoState,
        last_id: u64,
    ) -> Result<Self, ForgeError> {
        write_compacted(path, state, last_id)?;
        clear_changes(state);
        Self::open_for_append(path)
    }

    /// Reads a log; gives the state and the last id that was given out.
    pub(crate) fn load(path: &Path) -> Result<(Self, RepoState, u64), ForgeError> {
        let bytes = std::fs::read(path).map_err(ForgeError::io("read", path))?;
        // A line without its end is a change that was never acknowledged.
        let complete_len = bytes
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let mut meta: Option<RepoMeta> = None;
        let mut lines = Vec::new();
        for (index, text) in bytes[..complete_len].split(|b| *b == b'\n').enumerate() {
            if text.is_empty() {
                continue;
            }
            let corrupt_error = |why: serde_json::Error| ForgeError::Corrupt {
                path: path.to_owned(),
                line: index + 1,
                why: why.to_string(),
            };
            let line: LogEntry = serde_json::from_slice(text).map_err(corrupt_error)?;
            for (table, _, row) in &line.put {
                if table == META_TABLE {
                    meta = Some(serde_json::from_value(row.clone()).map_err(corrupt_error)?);
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
        let line_count = lines.len();
        for (number, line) in lines {
            last_id = last_id.max(line.last_id);
            for (table, key, row) in line.put {
                apply_row(&mut state, &table, key, row).map_err(|why| ForgeError::Corrupt {
                    path: path.to_owned(),
                    line: number,
                    why,
                })?;
            }
        }
        clear_changes(&mut state);
        if line_count > 1 || complete_len < bytes.len() {
            write_compacted(path, &state, last_id)?;
        }
        Ok((Self::open_for_append(path)?, state, last_id))
    }

    /// Writes what changed since the last time, as one line.
    pub(crate) fn append(
        &mut self,
        state: &mut RepoState,
        last_id: u64,
    ) -> Result<bool, ForgeError> {
        let put = collect_rows(state, false);
        if put.is_empty() {
            return Ok(false);
        }
        let bytes = encode_entry(&LogEntry { last_id, put })?;
        let written = self.file.write_all(&bytes);
        if let Err(error) = written {
            // Half a line would swallow the next one.
            self.file
                .set_len(self.len)
                .map_err(ForgeError::io("shorten", &self.path))?;
            return Err(ForgeError::io("write", &self.path)(error));
        }
        self.len += bytes.len() as u64;
        clear_changes(state);
        Ok(true)
    }

    fn open_for_append(path: &Path) -> Result<Self, ForgeError> {
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
pub(crate) fn roll_back(state: &mut RepoState) {
    state.meta.roll_back();
    state.pulls.roll_back();
    state.issues.roll_back();
    state.issue_comments.roll_back();
    state.reviews.roll_back();
    state.threads.roll_back();
    state.review_comments.roll_back();
    state.check_runs.roll_back();
    state.statuses.roll_back();
    state.reactions.roll_back();
    state.events.roll_back();
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

fn write_compacted(path: &Path, state: &RepoState, last_id: u64) -> Result<(), ForgeError> {
    let put = collect_rows(state, true);
    write_atomically(path, &encode_entry(&LogEntry { last_id, put })?)
}

fn encode_entry(line: &LogEntry) -> Result<Vec<u8>, ForgeError> {
    let mut bytes = serde_json::to_vec(line).map_err(|e| serialization_error(&e))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn serialization_error(error: &serde_json::Error) -> ForgeError {
    ForgeError::refused(500, format!("cannot write the change as JSON: {error}"))
}

fn collect_rows(state: &RepoState, include_unchanged: bool) -> Vec<(String, u64, Value)> {
    let mut put = Vec::new();
    if include_unchanged || state.meta.is_changed() {
        put.push((META_TABLE.to_owned(), state.meta.id, to_value(&*state.meta)));
    }
    collect_table(&mut put, &state.pulls, include_unchanged);
    collect_table(&mut put, &state.issues, include_unchanged);
    collect_table(&mut put, &state.issue_comments, include_unchanged);
    collect_table(&mut put, &state.reviews, include_unchanged);
    collect_table(&mut put, &state.threads, include_unchanged);
    collect_table(&mut put, &state.review_comments, include_unchanged);
    collect_table(&mut put, &state.check_runs, include_unchanged);
    collect_table(&mut put, &state.statuses, include_unchanged);
    collect_table(&mut put, &state.reactions, include_unchanged);
    collect_table(&mut put, &state.events, include_unchanged);
    put
}

fn collect_table<T: Row>(
    put: &mut Vec<(String, u64, Value)>,
    table: &Table<T>,
    include_unchanged: bool,
) {
    if include_unchanged {
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

fn clear_changes(state: &mut RepoState) {
    state.meta.clear_changes();
    state.pulls.clear_changes();
    state.issues.clear_changes();
    state.issue_comments.clear_changes();
    state.reviews.clear_changes();
    state.threads.clear_changes();
    state.review_comments.clear_changes();
    state.check_runs.clear_changes();
    state.statuses.clear_changes();
    state.reactions.clear_changes();
    state.events.clear_changes();
}

fn apply_row(state: &mut RepoState, table: &str, key: u64, row: Value) -> Result<(), String> {
    match table {
        META_TABLE => Ok(()),
        "pull" => apply_to_table(&mut state.pulls, key, row),
        "issue" => apply_to_table(&mut state.issues, key, row),
        "issue_comment" => apply_to_table(&mut state.issue_comments, key, row),
        "review" => apply_to_table(&mut state.reviews, key, row),
        "thread" => apply_to_table(&mut state.threads, key, row),
        "review_comment" => apply_to_table(&mut state.review_comments, key, row),
        "check_run" => apply_to_table(&mut state.check_runs, key, row),
        "status" => apply_to_table(&mut state.statuses, key, row),
        "reaction" => apply_to_table(&mut state.reactions, key, row),
        "event" => apply_to_table(&mut state.events, key, row),
        other => Err(format!(
            "unknown table `{other}`, perhaps of a newer version"
        )),
    }
}

fn apply_to_table<T: Row>(table: &mut Table<T>, key: u64, row: Value) -> Result<(), String> {
    if row.is_null() {
        table.remove(key);
    } else {
        table.insert(serde_json::from_value(row).map_err(|e| e.to_string())?);
    }
    Ok(())
}

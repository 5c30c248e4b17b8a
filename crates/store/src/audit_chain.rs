//! The chain of the audit log (§9.6): each line has the hash of the line before it as `prev`, and its own as `hash`, SHA-256 over the line
//! without `hash`, keys sorted. The chain runs through all files, in the order of their days, beginning with 64 zeros.
//!
//! It shows what was changed by who did not make the chain anew. It has no key: whoever may write the data folder can forge all of it.

use collie_core::text::escape_json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The `prev` of the first line.
pub(crate) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A line's members, sorted by their names.
pub(crate) type Fields = BTreeMap<String, Value>;

/// Where the chain ends, by whoever wrote the last line. It tells when lines at the end are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The name of the file.
    pub(crate) file: String,
    /// The line in it, from 1.
    pub(crate) line: u64,
    /// Its hash.
    pub(crate) hash: String,
}

/// The end of the log, as a writer finds it.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    /// The name of the last file; empty when there is none.
    pub(crate) file: String,
    /// Its lines.
    pub(crate) line: u64,
    /// What the next line follows.
    pub(crate) hash: String,
    /// Whether the file ends within a line.
    pub(crate) torn: bool,
    bytes: u64,
}

impl Tail {
    /// The end after this line was written.
    pub(crate) fn after_writing(head: Head, folder: &Path) -> io::Result<Self> {
        let bytes = folder.join(&head.file).metadata()?.len();
        Ok(Self {
            file: head.file,
            line: head.line,
            hash: head.hash,
            torn: false,
            bytes,
        })
    }

    /// Whether nobody else has written since.
    pub(crate) fn is_current(&self, folder: &Path, head: Option<&Head>) -> bool {
        let same_length = folder
            .join(&self.file)
            .metadata()
            .is_ok_and(|metadata| metadata.len() == self.bytes);
        same_length && head.is_some_and(|head| head.hash == self.hash)
    }
}

/// What is wrong with a line of the audit log, or was with one that is no longer there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFault {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub kind: AuditFaultKind,
}

/// What can be wrong with a line of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFaultKind {
    /// It is not as it was written.
    Edited,
    /// It does not follow the line before it: a line was removed, put in or moved.
    Gap,
    /// It is not chained, after lines that are.
    Unchained,
    /// It was the last one, and is not there.
    Truncated,
}

/// What a look at the whole audit log finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// Lines that are chained.
    pub chained: u64,
    /// Lines at the beginning that were written before the log was chained.
    pub unchained: u64,
    /// What is wrong, in the order of the lines.
    pub faults: Vec<AuditFault>,
}

/// Gives a line its place in the chain; its members, and its hash.
pub(crate) fn seal(mut fields: Fields, prev: &str) -> (Fields, String) {
    fields.remove("hash");
    fields.insert("prev".into(), prev.into());
    let hash = hash_of(&fields);
    fields.insert("hash".into(), hash.as_str().into());
    (fields, hash)
}

fn hash_of(fields: &Fields) -> String {
    hex::encode(Sha256::digest(canonical(fields)))
}

/// The one way to write a line.
fn canonical(fields: &Fields) -> String {
    // Text and null alone: nothing of it can fail to be written.
    let text = serde_json::to_string(fields).unwrap_or_default();
    escape_json(&text).into_owned()
}

/// A line as it is found.
enum Line {
    /// As it was written, or with a hash that does not fit.
    Chained {
        prev: String,
        hash: String,
        intact: bool,
    },
    /// A whole line without a place in the chain.
    Unchained,
    /// No JSON object.
    Unreadable,
}

fn parse_line(bytes: &[u8]) -> Line {
    let Some(mut fields) = serde_json::from_slice::<Fields>(bytes).ok() else {
        return Line::Unreadable;
    };
    let as_written = canonical(&fields).as_bytes() == bytes;
    let text = |value: Option<Value>| value.and_then(|value| Some(value.as_str()?.to_owned()));
    let (prev, hash) = (
        text(fields.get("prev").cloned()),
        text(fields.remove("hash")),
    );
    match (prev, hash) {
        (Some(prev), Some(hash)) => Line::Chained {
            intact: as_written && hash_of(&fields) == hash,
            prev,
            hash,
        },
        (None, None) => Line::Unchained,
        _ => Line::Unreadable,
    }
}

/// The files of the log, in the order of their days.
fn log_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = file_name(&path);
        if name.starts_with("audit_") && name.ends_with(".jsonl") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    whole
        .split(|byte| *byte == b'\n')
        .filter(move |_| !bytes.is_empty())
}

/// Finds the end of the log. Where the line that `head` names is gone, the next line follows it all the same, so that the gap stays visible.
pub(crate) fn find_tail(folder: &Path, head: Option<&Head>) -> io::Result<Tail> {
    let mut tail = Tail {
        file: String::new(),
        line: 0,
        hash: head.map_or(GENESIS, |head| &head.hash).to_owned(),
        torn: false,
        bytes: 0,
    };
    for path in log_files(folder)?.iter().rev() {
        let bytes = std::fs::read(path)?;
        if tail.file.is_empty() {
            tail.file = file_name(path);
            tail.line = lines_of(&bytes).count() as u64;
            tail.torn = bytes.last().is_some_and(|byte| *byte != b'\n');
            tail.bytes = bytes.len() as u64;
        }
        let mut hashes = BTreeSet::new();
        let mut last = None;
        for line in lines_of(&bytes) {
            if let Line::Chained { prev, hash, .. } = parse_line(line) {
                hashes.extend([prev, hash.clone()]);
                last = Some(hash);
            }
        }
        if let Some(last) = last {
            if head.is_none_or(|head| hashes.contains(&head.hash)) {
                tail.hash = last;
            }
            break;
        }
    }
    Ok(tail)
}

/// Walks along the chain.
#[derive(Default)]
struct Walk {
    report: AuditReport,
    /// What the next line has to follow; none before the first line, and after one that cannot be read.
    expected: Option<String>,
    seen: BTreeSet<String>,
}

impl Walk {
    fn step(&mut self, file: &str, number: u64, line: Line) {
        let kind = match line {
            Line::Unchained if self.seen.is_empty() => {
                self.report.unchained += 1;
                None
            }
            Line::Unchained => Some(AuditFaultKind::Unchained),
            Line::Unreadable => {
                self.expected = None;
                Some(AuditFaultKind::Edited)
            }
            Line::Chained { prev, hash, intact } => {
                let is_first = self.seen.is_empty() && self.report.faults.is_empty();
                let follows = match &self.expected {
                    Some(expected) => *expected == prev,
                    None => !is_first || prev == GENESIS,
                };
                self.report.chained += 1;
                self.seen.insert(hash.clone());
                self.expected = Some(hash);
                match (intact, follows) {
                    (false, _) => Some(AuditFaultKind::Edited),
                    (true, false) => Some(AuditFaultKind::Gap),
                    (true, true) => None,
                }
            }
        };
        self.report.faults.extend(kind.map(|kind| AuditFault {
            file: file.to_owned(),
            line: number,
            kind,
        }));
    }
}

/// Looks at every line of the log. `head` is where its last writer says that it ends.
pub(crate) fn verify(folder: &Path, head: Option<&Head>) -> io::Result<AuditReport> {
    let mut walk = Walk::default();
    for path in log_files(folder)? {
        let (name, bytes) = (file_name(&path), std::fs::read(&path)?);
        for (number, line) in (1..).zip(lines_of(&bytes)) {
            walk.step(&name, number, parse_line(line));
        }
    }
    let lost = head.filter(|head| !walk.seen.contains(&head.hash));
    walk.report.faults.extend(lost.map(|head| AuditFault {
        file: head.file.clone(),
        line: head.line,
        kind: AuditFaultKind::Truncated,
    }));
    Ok(walk.report)
}

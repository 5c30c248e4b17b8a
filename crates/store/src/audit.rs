//! The audit log: one JSON object a line, one file a day in UTC, each line chained to the one before (§9.6).

use crate::atomic_file::sync_folder;
use crate::audit_chain::{self, AuditReport, Fields, Head, Tail, find_tail, seal};
use crate::error::from_io;
use crate::paths::{StorePaths, create_private};
use crate::time::timestamp;
use collie_core::text::JsonEscapeWriter;
use collie_engine::ports::{AuditEntry, AuditSubject, StoreError};
use fd_lock::RwLock;
use log::kv::{Key, Value};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use structured_logger::Writer;
use structured_logger::json::JSONWriter;

/// The file that says where the chain ends, and whose lock is held while a line is written.
pub(crate) const CHAIN_FILE: &str = "chain.json";
/// The head is written over in place, in one piece: it always has this length.
const HEAD_BYTES: usize = 256;

/// Writes the audit log; begins a new file when the day changes.
pub(crate) struct AuditLog {
    folder: PathBuf,
    /// Where this process has seen the chain end; none when it has to look.
    tail: Mutex<Option<Tail>>,
}

impl AuditLog {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            tail: Mutex::new(None),
        }
    }

    /// Appends one line. Several processes take turns, so that each line follows the one before it.
    pub(crate) fn append(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        // After a failure it is looked for anew: a file may have been moved or replaced, or end in half a line.
        let known = tail.take();
        let written = self.append_after(known, entry);
        *tail = Some(written.map_err(|error| from_io("writing the audit log", &error))?);
        Ok(())
    }

    fn append_after(&self, known: Option<Tail>, entry: &AuditEntry) -> io::Result<Tail> {
        create_private(&self.folder)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let mut lock = RwLock::new(open_private(options, &self.folder.join(CHAIN_FILE))?);
        let mut chain = lock.write()?;
        let head = read_head(&mut chain)?;
        let known = known.filter(|tail| tail.is_current(&self.folder, head.as_ref()));
        let tail = match known {
            Some(tail) => tail,
            None => find_tail(&self.folder, head.as_ref())?,
        };
        let at = timestamp(entry.at);
        let day_file = format!("audit_{}.jsonl", at.strftime("%Y-%m-%d"));
        // Never before the last line, whatever the clock says: the order of the files is that of the chain.
        let file = day_file.max(tail.file.clone());
        let (fields, hash) = seal(fields_of(entry, &at.to_string()), &tail.hash);
        self.write_line(&file, tail.torn && file == tail.file, &fields)?;
        let head = Head {
            line: if file == tail.file { tail.line + 1 } else { 1 },
            file,
            hash,
        };
        write_head(&mut chain, &head)?;
        Tail::after_writing(head, &self.folder)
    }

    /// Appends with a single write, after ending a line that somebody could not, and returns when the disk has it: what follows may be a
    /// post, and the end of the chain must not be known of a line that a loss of power takes.
    fn write_line(&self, file: &str, torn: bool, fields: &Fields) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        let mut open = open_private(options, &self.folder.join(file))?;
        if torn {
            open.write_all(b"\n")?;
        }
        let fields: BTreeMap<Key<'_>, Value<'_>> = fields
            .iter()
            .map(|(name, value)| (Key::from(name.as_str()), Value::from_serde(value)))
            .collect();
        let is_new = open.metadata()?.len() == 0;
        let written = open.try_clone()?;
        JSONWriter::new(JsonEscapeWriter::new(open)).write_log(&fields)?;
        written.sync_data()?;
        if is_new {
            sync_folder(&self.folder)?;
        }
        Ok(())
    }
}

/// What a line says, without its place in the chain.
fn fields_of(entry: &AuditEntry, at: &str) -> Fields {
    let mut fields: Fields = entry
        .details
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    // After the details, so that none of them can pass for one of these.
    let (subject, name) = match &entry.subject {
        AuditSubject::Pull(pull) => ("pull", pull.to_string()),
        AuditSubject::Repository(repo) => ("repo", repo.to_string()),
    };
    let own = [
        ("timestamp", Some(at.to_owned())),
        ("action", Some(action_name(entry))),
        (
            "correlation_id",
            entry
                .correlation_id
                .as_ref()
                .map(|id| id.as_str().to_owned()),
        ),
        (subject, Some(name)),
    ];
    fields.extend(own.map(|(name, value)| (name.to_owned(), value.into())));
    fields
}

fn action_name(entry: &AuditEntry) -> String {
    let name = serde_json::to_value(entry.action).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

fn open_private(mut options: OpenOptions, path: &Path) -> io::Result<File> {
    collie_platform::private_file(&mut options);
    options.open(path)
}

/// Where the chain ends, as its last writer wrote it; none when nobody has, or it cannot be read.
fn read_head(chain: &mut File) -> io::Result<Option<Head>> {
    let mut text = Vec::new();
    chain.rewind()?;
    chain.read_to_end(&mut text)?;
    if text.is_empty() {
        return Ok(None);
    }
    let head = serde_json::from_slice(&text);
    let head =
        head.inspect_err(|error| tracing::warn!(%error, "the end of the audit log is not known"));
    Ok(head.ok())
}

fn write_head(chain: &mut File, head: &Head) -> io::Result<()> {
    let mut text = serde_json::to_string(head)?;
    let length = HEAD_BYTES - 1;
    text = format!("{text:<length$}\n");
    chain.rewind()?;
    chain.write_all(text.as_bytes())
}

/// Looks at the whole audit log of a folder, and reports each line that is not as it was written, or not in its place.
///
/// # Errors
/// The system's, when a file cannot be read.
pub fn verify_audit(folder: &StorePaths) -> io::Result<AuditReport> {
    let folder = folder.audit();
    let chain = folder.join(CHAIN_FILE);
    if !chain.exists() {
        return audit_chain::verify(&folder, None);
    }
    // Nobody writes meanwhile.
    let mut lock = RwLock::new(File::options().read(true).write(true).open(chain)?);
    let mut chain = lock.write()?;
    let head = read_head(&mut chain)?;
    audit_chain::verify(&folder, head.as_ref())
}

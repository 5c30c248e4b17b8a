//! The audit log: one JSON object a line, one file a day in UTC (§9.6).

use crate::error::from_io;
use crate::paths::create_private;
use crate::time::timestamp;
use collie_core::text::JsonEscapeWriter;
use collie_engine::ports::{AuditEntry, AuditSubject, StoreError};
use log::kv::{Key, Value};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use structured_logger::Writer;
use structured_logger::json::JSONWriter;

/// Writes the audit log; opens a new file when the day changes.
pub(crate) struct AuditLog {
    folder: PathBuf,
    open_file: Mutex<Option<(String, JSONWriter<JsonEscapeWriter<File>>)>>,
}

impl AuditLog {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            open_file: Mutex::new(None),
        }
    }

    /// Appends one line with a single write, so that lines of several processes do not mix.
    pub(crate) fn append(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let fail = |error: &std::io::Error| from_io("writing the audit log", error);
        let at = timestamp(entry.at);
        let day = at.strftime("%Y-%m-%d").to_string();
        let mut open_file = self
            .open_file
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let writer = match open_file.take() {
            Some((opened, writer)) if opened == day => writer,
            Some(_) | None => self.open_day_file(&day).map_err(|error| fail(&error))?,
        };
        let at = at.to_string();
        let (subject, name) = match &entry.subject {
            AuditSubject::Pull(pull) => ("pull", pull.to_string()),
            AuditSubject::Repository(repo) => ("repo", repo.to_string()),
        };
        let mut fields: BTreeMap<Key<'_>, Value<'_>> = entry
            .details
            .iter()
            .map(|(name, value)| (Key::from(name.as_str()), Value::from(value.as_str())))
            .collect();
        // After the details, so that none of them can pass for one of these.
        fields.insert(Key::from("timestamp"), Value::from(at.as_str()));
        fields.insert(Key::from("action"), Value::from_serde(&entry.action));
        fields.insert(
            Key::from("correlation_id"),
            entry
                .correlation_id
                .as_ref()
                .map_or(Value::null(), |id| Value::from(id.as_str())),
        );
        fields.insert(Key::from(subject), Value::from(name.as_str()));
        writer.write_log(&fields).map_err(|error| fail(&error))?;
        // After a failure the file is opened anew: it may have been moved or replaced.
        *open_file = Some((day, writer));
        Ok(())
    }

    fn open_day_file(&self, day: &str) -> std::io::Result<JSONWriter<JsonEscapeWriter<File>>> {
        create_private(&self.folder)?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .open(self.folder.join(format!("audit_{day}.jsonl")))
            .map(|file| JSONWriter::new(JsonEscapeWriter::new(file)))
    }
}

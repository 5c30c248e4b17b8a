//! What people made of findings, one TOML file a repository: `memory/HOST/OWNER/NAME.toml`.
//!
//! It is the user's to read and edit: comments and order stay, and a file that cannot be understood is left alone. A file says whose it is by
//! GitHub's id, so that it goes along with a rename, and a new repository under an old name does not inherit it.

use crate::atomic_file::replace_file;
use crate::checkpoint::portable_name;
use crate::error::{failed, from_io};
use crate::lock::open_lock_file;
use crate::paths::create_private;
use async_trait::async_trait;
use collie_core::ids::{Login, Time};
use collie_core::review_memory::{MAX_ENTRIES, MemoryEntry, MemoryVerdict, RepositoryMemory};
use collie_engine::ports::{MemoryKey, ReviewMemory, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// The form that this Collie writes.
const VERSION: u32 = 1;
/// The list of entries.
const ENTRIES: &str = "entry";
/// The key that says whose file it is.
const REPOSITORY: &str = "repository";

/// The files of one data folder.
#[derive(Clone, Debug)]
pub struct MemoryFiles {
    folder: PathBuf,
}

/// A file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMemory {
    version: u32,
    /// Read by itself, also from files that are not understood.
    #[serde(rename = "repository")]
    _repository: Option<String>,
    #[serde(default)]
    entry: Vec<StoredEntry>,
}

/// An entry as it is written: times as people read them, and no more than a title and a verdict needed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEntry {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    verdict: MemoryVerdict,
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    category: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    file: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<Login>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pull: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl MemoryFiles {
    /// Those below a data folder; nothing is made before something is written.
    pub fn below(data_folder: &Path) -> Self {
        Self {
            folder: data_folder.join("memory"),
        }
    }

    /// The file of a repository, wherever it is called what; none while nothing is remembered.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn file(&self, key: &MemoryKey) -> Result<Option<PathBuf>, StoreError> {
        self.find(key)
            .map_err(|error| from_io(&tried("finding", key), &error))
    }

    /// Everything that is remembered of a repository.
    ///
    /// # Errors
    /// The file cannot be read, or not be understood.
    pub fn load(&self, key: &MemoryKey) -> Result<RepositoryMemory, StoreError> {
        let Some(path) = self.file(key)? else {
            return Ok(RepositoryMemory::default());
        };
        let text =
            fs::read_to_string(&path).map_err(|error| from_io(&tried("reading", key), &error))?;
        parse(&text, &path)
    }

    /// Reads every file; how many there are, and what is wrong with those that cannot be understood.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn check(&self) -> Result<(usize, Vec<StoreError>), StoreError> {
        let mut count = 0;
        let mut errors = Vec::new();
        for path in self
            .all()
            .map_err(|error| from_io("listing the memory", &error))?
        {
            count += 1;
            let text = fs::read_to_string(&path);
            let read =
                text.map_err(|error| from_io(&format!("reading {}", path.display()), &error));
            errors.extend(read.and_then(|text| parse(&text, &path)).err());
        }
        Ok((count, errors))
    }

    /// The files of all repositories.
    fn all(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for host in entries_of(&self.folder)? {
            for owner in entries_of(&host)? {
                let of_owner = entries_of(&owner)?.into_iter();
                files.extend(
                    of_owner.filter(|path| path.extension().is_some_and(|end| end == "toml")),
                );
            }
        }
        Ok(files)
    }

    /// Adds an entry, or replaces the one with its id; the oldest go beyond [`MAX_ENTRIES`].
    ///
    /// # Errors
    /// The file cannot be read, understood or written: it is as it was.
    pub fn add(&self, key: &MemoryKey, entry: &MemoryEntry) -> Result<(), StoreError> {
        self.edit(key, |document, memory| {
            if !memory.add(entry.clone()) {
                return Ok(false);
            }
            let table = entry_table(entry)?;
            let entries = document[ENTRIES].or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
            let Some(entries) = entries.as_array_of_tables_mut() else {
                return Err(failed(
                    "changing the memory",
                    "`entry` is no list of tables",
                ));
            };
            let known = entries.iter().position(|known| has_id(known, &entry.id));
            match known.and_then(|at| entries.get_mut(at)) {
                Some(known) => *known = table,
                None => entries.push(table),
            }
            while entries.len() > MAX_ENTRIES {
                entries.remove(0);
            }
            Ok(true)
        })
    }

    /// Takes an entry out; whether there was one.
    ///
    /// # Errors
    /// As for [`MemoryFiles::add`].
    pub fn forget(&self, key: &MemoryKey, id: &str) -> Result<bool, StoreError> {
        let mut found = false;
        self.edit(key, |document, _| {
            let entries = document
                .get_mut(ENTRIES)
                .and_then(Item::as_array_of_tables_mut);
            if let Some(entries) = entries {
                let before = entries.len();
                entries.retain(|known| !has_id(known, id));
                found = entries.len() < before;
            }
            Ok(found)
        })?;
        Ok(found)
    }

    /// Changes a file under the folder's lock; `change` says whether there is anything to write.
    fn edit(
        &self,
        key: &MemoryKey,
        change: impl FnOnce(&mut DocumentMut, &mut RepositoryMemory) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let io_error = |error: io::Error| from_io(&tried("changing", key), &error);
        create_private(&self.folder).map_err(io_error)?;
        let file = open_lock_file(&self.folder.join(".lock")).map_err(io_error)?;
        let mut lock = fd_lock::RwLock::new(file);
        let _guard = lock.write().map_err(io_error)?;
        let found = self.find(key).map_err(io_error)?;
        let text = match &found {
            Some(path) => fs::read_to_string(path).map_err(io_error)?,
            None => new_file(key),
        };
        let shown = found.clone().unwrap_or_else(|| self.usual_path(key));
        let mut memory = parse(&text, &shown)?;
        let mut document: DocumentMut = text.parse().map_err(|error| unreadable(&shown, error))?;
        if !change(&mut document, &mut memory)? {
            return Ok(());
        }
        let path = self.place(key, found).map_err(io_error)?;
        replace_file(&path, ".memory_", document.to_string().as_bytes()).map_err(io_error)
    }

    fn usual_path(&self, key: &MemoryKey) -> PathBuf {
        let folder = self.folder.join(portable_name(&key.id.host));
        let folder = folder.join(portable_name(key.name.owner()));
        folder.join(format!("{}.toml", portable_name(key.name.name())))
    }

    /// Where to write: under the present name, unless another repository's file has that.
    fn place(&self, key: &MemoryKey, found: Option<PathBuf>) -> io::Result<PathBuf> {
        let usual = self.usual_path(key);
        if found.as_deref() == Some(&usual) {
            return Ok(usual);
        }
        create_private(usual.parent().unwrap_or(&self.folder))?;
        match (usual.exists(), found) {
            (false, Some(old)) => fs::rename(old, &usual).map(|()| usual),
            (false, None) => Ok(usual),
            (true, Some(old)) => Ok(old),
            (true, None) => {
                let hash = hex::encode(&Sha256::digest(&key.id.repo_id)[..6]);
                let name = format!("{}-{hash}.toml", portable_name(key.name.name()));
                Ok(usual.with_file_name(name))
            }
        }
    }

    /// The file that says it is this repository's, or that says nothing and bears its name.
    fn find(&self, key: &MemoryKey) -> io::Result<Option<PathBuf>> {
        let usual = self.usual_path(key);
        match owner_of(&usual)? {
            Some(Some(owner)) if owner != key.id.repo_id => {}
            Some(_) => return Ok(Some(usual)),
            None => {}
        }
        let host = self.folder.join(portable_name(&key.id.host));
        for folder in entries_of(&host)? {
            for path in entries_of(&folder)? {
                let is_toml = path.extension().is_some_and(|end| end == "toml");
                if is_toml && owner_of(&path)? == Some(Some(key.id.repo_id.clone())) {
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }
}

#[async_trait]
impl ReviewMemory for MemoryFiles {
    async fn read(&self, key: &MemoryKey) -> Result<RepositoryMemory, StoreError> {
        let (files, key) = (self.clone(), key.clone());
        let read = tokio::task::spawn_blocking(move || files.load(&key)).await;
        read.unwrap_or_else(|error| Err(failed("reading the memory", error)))
    }

    async fn record(&self, key: &MemoryKey, entry: &MemoryEntry) -> Result<(), StoreError> {
        let (files, key, entry) = (self.clone(), key.clone(), entry.clone());
        let written = tokio::task::spawn_blocking(move || files.add(&key, &entry)).await;
        written.unwrap_or_else(|error| Err(failed("changing the memory", error)))
    }
}

/// The repository that a file says it is of; the outer none: there is no such file.
fn owner_of(path: &Path) -> io::Result<Option<Option<String>>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // One that cannot be understood is told of by whoever reads it.
    let document = text.parse::<DocumentMut>().ok();
    let owner = document.and_then(|document| Some(document.get(REPOSITORY)?.as_str()?.to_owned()));
    Ok(Some(owner))
}

fn entries_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn new_file(key: &MemoryKey) -> String {
    format!(
        "# What people made of findings in {}. Collie reads it before each review; change it as you like.\n\
         version = {VERSION}\n{REPOSITORY} = {}\n",
        key.name,
        value(key.id.repo_id.as_str())
    )
}

fn parse(text: &str, path: &Path) -> Result<RepositoryMemory, StoreError> {
    let stored: StoredMemory = toml::from_str(text).map_err(|error| unreadable(path, error))?;
    if stored.version > VERSION {
        return Err(StoreError::NewerVersion {
            what: path.display().to_string(),
            found: stored.version,
            known: VERSION,
        });
    }
    let entries = stored.entry.into_iter().enumerate();
    Ok(RepositoryMemory {
        entries: entries.map(|(at, entry)| entry.into_entry(at)).collect(),
    })
}

/// A file that the user has to put right: it is named, with the parser's words on line and key.
fn unreadable(path: &Path, error: impl std::fmt::Display) -> StoreError {
    failed(&format!("reading {}", path.display()), error)
}

fn tried(verb: &str, key: &MemoryKey) -> String {
    format!("{verb} the memory of {}", key.name)
}

fn has_id(table: &Table, id: &str) -> bool {
    table.get("id").and_then(Item::as_str) == Some(id)
}

fn entry_table(entry: &MemoryEntry) -> Result<Table, StoreError> {
    let text = toml::to_string(&StoredEntry::from(entry.clone()))
        .map_err(|error| failed("writing an entry of the memory", error))?;
    let document: DocumentMut = text
        .parse()
        .map_err(|error| failed("writing an entry of the memory", error))?;
    Ok(document.as_table().clone())
}

impl StoredEntry {
    /// An entry that a person wrote may lack all that only Collie needs.
    fn into_entry(self, at: usize) -> MemoryEntry {
        let millis = |time: Timestamp| Time(time.as_millisecond());
        let id = if self.id.is_empty() {
            format!("entry-{}", at + 1)
        } else {
            self.id
        };
        MemoryEntry {
            id,
            verdict: self.verdict,
            title: self.title,
            category: self.category,
            file: self.file,
            description: self.description,
            evidence: self.evidence,
            reason: self.reason,
            by: self.by,
            pull: self.pull,
            at: self.at.map_or(Time(0), millis),
            expires_at: self.expires_at.map(millis),
        }
    }
}

impl From<MemoryEntry> for StoredEntry {
    fn from(entry: MemoryEntry) -> Self {
        let timestamp = |time: Time| Timestamp::from_millisecond(time.0).ok();
        Self {
            id: entry.id,
            verdict: entry.verdict,
            title: entry.title,
            category: entry.category,
            file: entry.file,
            description: entry.description,
            evidence: entry.evidence,
            reason: entry.reason,
            by: entry.by,
            pull: entry.pull,
            at: timestamp(entry.at),
            expires_at: entry.expires_at.and_then(timestamp),
        }
    }
}

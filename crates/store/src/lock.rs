//! Locks that the system frees when their process dies (§10.2).

use crate::error::OpenError;
use crate::paths::StorePaths;
use fd_lock::{RwLock, RwLockWriteGuard};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to try for the engine's lock: longer than [`running_engine`] looks at it.
const LOCK_TIMEOUT: Duration = Duration::from_millis(300);

/// Proof that this process alone runs the engine of a data folder.
#[derive(Debug)]
pub(crate) struct EngineLock {
    // The lock belongs to the open file: it ends when the file is closed.
    _file: RwLock<File>,
}

impl EngineLock {
    /// Takes the lock and writes the own process id into it.
    pub(crate) fn take(folder: &StorePaths) -> Result<Self, OpenError> {
        let failed = |error: &io::Error| OpenError::folder(folder.root(), "write to", error);
        let file = open_lock_file(&folder.engine_lock()).map_err(|error| failed(&error))?;
        let mut lock = RwLock::new(file);
        let started = Instant::now();
        loop {
            let taken = match lock.try_write() {
                Ok(mut guard) => {
                    write_pid(&mut guard).map_err(|error| failed(&error))?;
                    // The guard would borrow from the lock that is to be kept beside it. Without it, the
                    // lock is held until the file is closed.
                    std::mem::forget(guard);
                    true
                }
                Err(error) if is_locked(&error) => false,
                Err(error) => return Err(failed(&error)),
            };
            if taken {
                return Ok(Self { _file: lock });
            }
            if started.elapsed() > LOCK_TIMEOUT {
                let pid = read_pid(&folder.engine_lock());
                return Err(OpenError::EngineRunning {
                    folder: folder.root().to_path_buf(),
                    pid,
                });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// An engine that runs on a data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningEngine {
    /// Its process id, when it could be read.
    pub pid: Option<u32>,
}

/// Tells whether some process runs the engine of this data folder.
pub fn running_engine(folder: &StorePaths) -> Result<Option<RunningEngine>, OpenError> {
    let path = folder.engine_lock();
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(OpenError::folder(folder.root(), "read", &error)),
    };
    match RwLock::new(file).try_read() {
        Ok(_free) => Ok(None),
        Err(error) if is_locked(&error) => Ok(Some(RunningEngine {
            pid: read_pid(&path),
        })),
        Err(error) => Err(OpenError::folder(folder.root(), "read", &error)),
    }
}

/// Proof that nobody else writes a loop's checkpoint.
#[derive(Debug)]
pub(crate) struct LoopLock<'file> {
    _guard: RwLockWriteGuard<'file, File>,
}

/// The lock file of a checkpoint, opened.
pub(crate) fn loop_lock_file(path: &Path) -> io::Result<RwLock<File>> {
    open_lock_file(path).map(RwLock::new)
}

impl<'file> LoopLock<'file> {
    /// Takes it at once or fails.
    pub(crate) fn take(file: &'file mut RwLock<File>) -> io::Result<Self> {
        file.try_write().map(|guard| Self { _guard: guard })
    }
}

pub(crate) fn open_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

fn is_locked(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn read_pid(path: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(32)
        .read_to_string(&mut text)
        .ok()?;
    text.trim().parse().ok()
}

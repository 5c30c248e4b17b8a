//! Reads objects of a clone through one `git cat-file --batch-command` a clone, which stays for the next reading: starting git takes longer
//! than most readings do.

use crate::git_command::{GitCommand, GitRunner, MAX_STDOUT_BYTES, command_error};
use crate::process::InteractiveProcess;
use collie_engine::ports::GitError;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};

/// A process that nobody has asked for as long is ended.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// As many names are asked for at once: the question and the answer fit into the pipes, so that neither side waits for the other.
const NAMES_AT_ONCE: usize = 64;
/// A longer name is asked for alone.
const MAX_PIPED_NAME: usize = 512;
/// A header is a name that was asked for, and little more.
const MAX_HEADER_BYTES: u64 = 64 * 1024;

/// How much of an object is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ObjectPart {
    /// All of it, when it has no more bytes than these.
    WholeUpTo(u64),
    /// Its first bytes.
    Start(usize),
}

/// An object that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundObject {
    /// Its id.
    pub(crate) id: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// What was wanted of it; none of one that is larger than was asked for.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// The processes that read, one a clone.
#[derive(Default)]
pub(crate) struct CatFilePool(Mutex<HashMap<PathBuf, Arc<Slot>>>);

/// The place of one process. Whoever reads takes it out, so that one whose reader is dropped half-way ends with it.
type Slot = tokio::sync::Mutex<SlotState>;

#[derive(Default)]
struct SlotState {
    process: Option<InteractiveProcess>,
    /// Readings so far.
    uses: u64,
}

impl CatFilePool {
    fn slot(&self, clone_dir: &Path) -> Arc<Slot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(clone_dir.to_path_buf()).or_default().clone()
    }

    /// Ends the process of a clone; it is gone when this returns.
    pub(crate) async fn close(&self, clone_dir: &Path) {
        let slot = self.slot(clone_dir);
        let process = slot.lock().await.process.take();
        if let Some(process) = process {
            process.end().await;
        }
    }
}

impl CatFilePool {
    /// What there is of these names, in order; none for a name that git does not know. A name has no line feed.
    ///
    /// # Errors
    /// When git ends or takes too long over it, and when more comes back than may be kept.
    pub(crate) async fn read_objects(
        &self,
        git: &GitRunner,
        clone_dir: &Path,
        names: &[String],
        part: ObjectPart,
    ) -> Result<Vec<Option<FoundObject>>, GitError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let slot = self.slot(clone_dir);
        let mut state = slot.lock().await;
        state.uses += 1;
        // One that has ended since it was last asked says nothing about this reading.
        if let Some(mut process) = state.process.take() {
            match exchange_in_time(git, &mut process, names, part).await {
                Ok(found) => {
                    state.process = Some(process);
                    return Ok(found);
                }
                Err(Fault::Ended(error)) => {
                    tracing::info!(%error, "git cat-file ended; it is started anew");
                }
                Err(fault) => return Err(fault_error(git, process, fault).await),
            }
        }
        let command = GitCommand::new(["cat-file", "--batch-command"]).in_clone(clone_dir);
        let mut process = git.start_interactive(command).await?;
        match exchange_in_time(git, &mut process, names, part).await {
            Ok(found) => {
                state.process = Some(process);
                tokio::spawn(end_when_idle(Arc::downgrade(&slot), state.uses));
                Ok(found)
            }
            Err(fault) => Err(fault_error(git, process, fault).await),
        }
    }
}

async fn exchange_in_time(
    git: &GitRunner,
    process: &mut InteractiveProcess,
    names: &[String],
    part: ObjectPart,
) -> Result<Vec<Option<FoundObject>>, Fault> {
    let limit = git.options().local_timeout;
    match tokio::time::timeout(limit, exchange(process, names, part)).await {
        Ok(found) => found,
        Err(_) => Err(Fault::TimedOut(limit)),
    }
}

/// Ends the process, and says what was wrong.
async fn fault_error(git: &GitRunner, process: InteractiveProcess, fault: Fault) -> GitError {
    let words = git.redact_paths(&process.end().await);
    match fault {
        Fault::Ended(error) if words.is_empty() => failed(format!("it ended: {error}")),
        Fault::Ended(_) => command_error("cat-file", "the clone", &words),
        Fault::TimedOut(limit) => failed(format!("no answer after {} s; {words}", limit.as_secs())),
        Fault::TooMuch => failed(format!("more than {MAX_STDOUT_BYTES} bytes came back")),
        Fault::Garbled => failed("its output was not understood: check the git version".into()),
    }
}

fn failed(message: String) -> GitError {
    GitError::Failed {
        command: "cat-file".into(),
        location: "the clone".into(),
        message,
    }
}

/// Why a reading came to nothing.
enum Fault {
    /// The process has ended, or closed its pipes.
    Ended(io::Error),
    /// It does not answer.
    TimedOut(Duration),
    /// It answered something else.
    Garbled,
    /// More than may be kept.
    TooMuch,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Ended(error)
    }
}

/// Ends a process that was not used between two looks at it.
async fn end_when_idle(slot: Weak<Slot>, mut uses: u64) {
    loop {
        tokio::time::sleep(IDLE_TIMEOUT).await;
        let Some(slot) = slot.upgrade() else { return };
        let mut state = slot.lock().await;
        if state.process.is_none() {
            return;
        }
        if state.uses == uses {
            let process = state.process.take();
            drop(state);
            if let Some(process) = process {
                process.end().await;
            }
            return;
        }
        uses = state.uses;
    }
}

/// What git says of a name.
struct Header {
    id: String,
    size: u64,
}

async fn exchange(
    process: &mut InteractiveProcess,
    names: &[String],
    part: ObjectPart,
) -> Result<Vec<Option<FoundObject>>, Fault> {
    let mut found = Vec::with_capacity(names.len());
    let mut kept = 0;
    let mut rest = names;
    while !rest.is_empty() {
        let short = rest.iter().take(NAMES_AT_ONCE);
        let count = short
            .take_while(|name| name.len() <= MAX_PIPED_NAME)
            .count();
        let (now, later) = rest.split_at(count.max(1));
        rest = later;
        let question: String = now.iter().map(|name| format!("info {name}\n")).collect();
        send(process, &question).await?;
        let mut headers = Vec::with_capacity(now.len());
        for _ in now {
            headers.push(read_header(process).await?);
        }
        for header in headers {
            found.push(match header {
                Some(header) => Some(read_object(process, header, part, &mut kept).await?),
                None => None,
            });
        }
    }
    Ok(found)
}

async fn send(process: &mut InteractiveProcess, question: &str) -> Result<(), Fault> {
    process.stdin.write_all(question.as_bytes()).await?;
    Ok(process.stdin.flush().await?)
}

/// Reads `ID TYPE SIZE`, or `NAME missing`.
async fn read_header(process: &mut InteractiveProcess) -> Result<Option<Header>, Fault> {
    let mut line = Vec::new();
    let mut limited = (&mut process.stdout).take(MAX_HEADER_BYTES);
    limited.read_until(b'\n', &mut line).await?;
    match line.pop() {
        Some(b'\n') => {}
        Some(_) if line.len() as u64 + 1 == MAX_HEADER_BYTES => return Err(Fault::Garbled),
        Some(_) | None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
    }
    let line = String::from_utf8_lossy(&line);
    if line.ends_with(" missing") {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let (Some(id), Some(_), Some(size), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Fault::Garbled);
    };
    let size = size.parse().map_err(|_| Fault::Garbled)?;
    Ok(Some(Header {
        id: id.to_owned(),
        size,
    }))
}

async fn read_object(
    process: &mut InteractiveProcess,
    header: Header,
    part: ObjectPart,
    kept: &mut usize,
) -> Result<FoundObject, Fault> {
    let Header { id, size } = header;
    let wanted = match part {
        ObjectPart::WholeUpTo(max) if size > max => {
            let bytes = None;
            return Ok(FoundObject { id, size, bytes });
        }
        ObjectPart::WholeUpTo(_) => size,
        ObjectPart::Start(keep) => size.min(keep as u64),
    };
    let wanted = usize::try_from(wanted).map_err(|_| Fault::TooMuch)?;
    *kept = kept.saturating_add(wanted);
    if *kept > MAX_STDOUT_BYTES {
        return Err(Fault::TooMuch);
    }
    send(process, &format!("contents {id}\n")).await?;
    let again = read_header(process).await?.ok_or(Fault::Garbled)?;
    if again.size != size {
        return Err(Fault::Garbled);
    }
    let mut bytes = vec![0; wanted];
    process.stdout.read_exact(&mut bytes).await?;
    // The rest of it, and git's own line feed.
    let mut left = size - wanted as u64 + 1;
    while left > 0 {
        let there = process.stdout.fill_buf().await?;
        if there.is_empty() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(there.len());
        process.stdout.consume(taken);
        left -= taken as u64;
    }
    let bytes = Some(bytes);
    Ok(FoundObject { id, size, bytes })
}

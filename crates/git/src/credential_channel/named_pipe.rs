//! The channel of Windows: a pipe whose name is random, that its owner alone may open, and that answers only processes of the very call.
//!
//! Git for Windows starts what it starts with three handles and no more, so there is nothing to inherit. Its helper is Collie's own program,
//! which is told the pipe's name and hands git's question on. The name is no secret: the system says which process is at the other end of the
//! pipe, and the job of the call, whose child was put in before it began, whether that process belongs to it.

use crate::credential::Credential;
use collie_platform::{ProcessTree, TreeMembers};
use interprocess::os::windows::named_pipe::PipeListenerOptions;
use interprocess::os::windows::named_pipe::pipe_mode::Bytes;
use interprocess::os::windows::named_pipe::tokio::{PipeListener, PipeStream};
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::oneshot;
use uuid::Uuid;
use widestring::u16cstr;

/// The first argument that makes a program git's helper; the pipe's name and git's own word follow.
const HELPER_FLAG: &str = "--git-credential-helper";
/// Where all pipes are.
const PIPES: &str = r"\\.\pipe\";
/// Everything to the owner, and nothing to anybody else; nothing is inherited.
const OWNER_ALONE: &widestring::U16CStr = u16cstr!("D:P(A;;GA;;;OW)");
/// How long is waited when the system gives no further end of the pipe.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// What the system says where every end of a pipe is taken ([System Error
/// Codes](https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-)).
const ERROR_PIPE_BUSY: i32 = 231;
/// How often a taken pipe is tried again, after [`ACCEPT_PAUSE`] each.
const BUSY_TRIES: u32 = 100;
/// How long a helper may take with its question; a second one is not kept waiting for ever.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(30);
/// A question or an answer that is longer is none of git's.
const MAX_BYTES: u64 = 64 << 10;

/// Collie's end.
pub(crate) struct CredentialChannel {
    listener: PipeListener<Bytes, Bytes>,
    started: oneshot::Receiver<TreeMembers>,
}

/// Git's end.
pub(crate) struct GitsEnd {
    helper: String,
    started: oneshot::Sender<TreeMembers>,
}

impl CredentialChannel {
    /// Opens a channel for one call; git's end of it comes along. `helper` is a program whose `main` begins with
    /// `help_git_if_asked`.
    pub(crate) fn open(helper: &Path) -> io::Result<(Self, GitsEnd)> {
        let name = format!("collie-{}", Uuid::new_v4());
        let listener = PipeListenerOptions::new()
            .path(format!("{PIPES}{name}"))
            .security_descriptor(Some(SecurityDescriptor::deserialize(OWNER_ALONE)?))
            .create_tokio_duplex()?;
        let (tell, started) = oneshot::channel();
        let gits_end = GitsEnd {
            helper: format!("!{} {HELPER_FLAG} {name}", quote(helper)?),
            started: tell,
        };
        Ok((Self { listener, started }, gits_end))
    }

    /// Answers each question, for as long as the call goes on.
    pub(crate) async fn serve(self, credential: Credential) -> Infallible {
        if let Ok(members) = self.started.await {
            loop {
                match self.listener.accept().await {
                    Ok(stream) => answer(&stream, &members, &credential).await,
                    Err(error) => {
                        tracing::warn!(%error, "git's credential helper cannot be listened for");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        }
        // The call did not begin, and says so itself.
        std::future::pending().await
    }
}

impl GitsEnd {
    /// The helper as git is to be told it.
    pub(crate) fn helper(&self) -> String {
        self.helper.clone()
    }

    /// Starts git, and tells Collie's end whom it may answer.
    pub(crate) fn spawn(self, command: Command) -> io::Result<ProcessTree> {
        let child = ProcessTree::spawn(command)?;
        // Where nobody serves, nobody is answered.
        let _ = self.started.send(child.members());
        Ok(child)
    }
}

/// Answers one process, if it belongs to the call.
async fn answer(stream: &PipeStream<Bytes, Bytes>, members: &TreeMembers, credential: &Credential) {
    match stream.client_process_id() {
        Ok(process) if members.contains(process) => {
            let answered = credential.answer_all(stream, stream);
            if tokio::time::timeout(QUESTION_TIMEOUT, answered)
                .await
                .is_err()
            {
                tracing::warn!("git's credential helper asked nothing, and was given up");
            }
        }
        Ok(process) => {
            tracing::warn!(
                process,
                "another program asked for git's credential, and got none"
            );
        }
        Err(error) => tracing::warn!(%error, "who asks for git's credential cannot be told"),
    }
}

/// A program as the shell of git takes it.
fn quote(program: &Path) -> io::Result<String> {
    let no_name = || {
        let message = format!("{} cannot be named to git: move Collie", program.display());
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let name = program.to_str().ok_or_else(no_name)?;
    let name = name.replace('\\', "/").replace('\'', r"'\''");
    Ok(format!("'{name}'"))
}

pub(super) fn help_git_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(OsStr::new(HELPER_FLAG)) {
        return;
    }
    let pipe = args.next().unwrap_or_default();
    // Git also tells its helpers what to keep and what to forget.
    if args.next().as_deref() != Some(OsStr::new("get")) {
        std::process::exit(0);
    }
    let handed_on = hand_on(&Path::new(PIPES).join(pipe));
    if let Err(error) = &handed_on {
        eprintln!("git's credential helper: Collie cannot be asked: {error}");
    }
    std::process::exit(i32::from(handed_on.is_err()));
}

/// Opens the pipe; waits while all its ends are taken, as they are for a moment whenever somebody has called.
fn open_pipe(pipe: &Path) -> io::Result<File> {
    let mut tries = 0;
    loop {
        let opened = OpenOptions::new().read(true).write(true).open(pipe);
        match opened {
            Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY) && tries < BUSY_TRIES => {
                tries += 1;
                std::thread::sleep(ACCEPT_PAUSE);
            }
            opened => return opened,
        }
    }
}

/// Hands git's question on, and the answer back.
fn hand_on(pipe: &Path) -> io::Result<()> {
    let mut question = Vec::new();
    io::stdin().take(MAX_BYTES).read_to_end(&mut question)?;
    question.push(b'\n');
    let mut pipe = open_pipe(pipe)?;
    pipe.write_all(&question)?;
    let mut git = io::stdout().lock();
    for line in BufReader::new(pipe.take(MAX_BYTES)).lines() {
        let line = secrecy::zeroize::Zeroizing::new(line?);
        if line.is_empty() {
            break;
        }
        writeln!(git, "{}", *line)?;
    }
    git.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_so_that_gits_shell_takes_it_whole() {
        let program = Path::new(r"C:\Users\Ana's\Program Files\collie.exe");
        let expect = r"'C:/Users/Ana'\''s/Program Files/collie.exe'";
        assert_eq!(quote(program).unwrap(), expect);
    }

    #[tokio::test]
    async fn each_call_has_a_pipe_of_its_own() {
        let helpers = [(), ()].map(|()| {
            let (channel, gits_end) = CredentialChannel::open(Path::new("collie")).unwrap();
            (gits_end.helper(), channel)
        });
        let [(first, _open), (second, _also_open)] = helpers;
        assert!(
            first.starts_with("!'collie' --git-credential-helper collie-"),
            "{first}"
        );
        assert_ne!(first, second);
    }
}

//! The channel of Unix: a pair of sockets, one of which git and what it starts inherit.

use crate::credential::Credential;
use collie_platform::ProcessTree;
use command_fds::{CommandFdExt as _, FdMapping};
use std::convert::Infallible;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use tokio::net::UnixStream;
use tokio::process::Command;

/// Where git's end of the socket stands in its processes. The script around git uses 3 for itself.
const CREDENTIAL_FD: i32 = 4;

/// A credential helper as a snippet for the shell, of builtins alone: hands git's question on, and the answer back.
const CREDENTIAL_HELPER: &str = "!f() { test \"$1\" = get || exit 0; \
     { while IFS= read -r line; do printf '%s\\n' \"$line\"; done; echo; } >&4; \
     while IFS= read -r line <&4 && test -n \"$line\"; do printf '%s\\n' \"$line\"; done; }; f";

/// Collie's end.
pub(crate) struct CredentialChannel {
    stream: UnixStream,
}

/// Git's end.
pub(crate) struct GitsEnd {
    socket: OwnedFd,
}

impl CredentialChannel {
    /// Opens a channel for one call; git's end of it comes along. The helper is the shell, and no program of ours.
    pub(crate) fn open(_helper: &Path) -> io::Result<(Self, GitsEnd)> {
        // No other program inherits either end.
        let (ours, gits) = StdUnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let stream = UnixStream::from_std(ours)?;
        Ok((
            Self { stream },
            GitsEnd {
                socket: gits.into(),
            },
        ))
    }

    /// Answers each question, for as long as the call goes on.
    pub(crate) async fn serve(self, credential: Credential) -> Infallible {
        let (questions, answers) = self.stream.into_split();
        credential.answer_all(questions, answers).await;
        // Nobody asks any more; the call may go on for long.
        std::future::pending().await
    }
}

impl GitsEnd {
    /// The helper as git is to be told it.
    pub(crate) fn helper(&self) -> String {
        CREDENTIAL_HELPER.to_owned()
    }

    /// Starts git with its end. With the command goes our copy of that.
    pub(crate) fn spawn(self, mut command: Command) -> io::Result<ProcessTree> {
        let mapping = FdMapping {
            parent_fd: self.socket,
            child_fd: CREDENTIAL_FD,
        };
        let mapped = command.fd_mappings(vec![mapping]);
        mapped.map_err(|error| io::Error::other(error.to_string()))?;
        ProcessTree::spawn(command)
    }
}

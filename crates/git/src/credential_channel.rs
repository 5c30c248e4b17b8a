//! Gives one call of git its credential (§9.4), over a channel that only this call has and that ends with it: not in its arguments, not in
//! its environment, not in a file. What the helper asks for is answered for the very host that the call is about, and no other.
//!
//! On Unix the channel is a socket that git inherits, on Windows a pipe that knows who calls: git for Windows hands no handle on.

#[cfg(windows)]
mod named_pipe;
#[cfg(unix)]
mod socket;

#[cfg(windows)]
use named_pipe as channel;
#[cfg(unix)]
use socket as channel;

pub(crate) use channel::{CredentialChannel, GitsEnd};

use crate::credential::{Credential, RemoteOrigin};
use secrecy::SecretString;
use std::io;
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

/// Turns this process into git's credential helper where its first argument says so, and ends it afterwards; returns at once otherwise.
/// Every program whose git signs in calls this first thing in `main`. On Unix the shell is the helper, and nothing asks for this.
pub fn help_git_if_asked() {
    #[cfg(windows)]
    named_pipe::help_git_if_asked();
}

/// Runs a call of git to its end, signed in to the host of `url` and to no other. It gets no further settings by `GIT_CONFIG_COUNT`.
/// `helper` is a program whose `main` begins with [`help_git_if_asked`].
///
/// # Errors
/// The system's, and an address that is none of the web.
pub async fn output_signed_in(
    mut command: Command,
    url: &str,
    token: SecretString,
    helper: &Path,
) -> io::Result<Output> {
    let no_origin = || io::Error::new(io::ErrorKind::InvalidInput, "no address of the web");
    let origin = RemoteOrigin::of(url).ok_or_else(no_origin)?;
    let (channel, gits_end) = CredentialChannel::open(helper)?;
    let settings = origin.settings(gits_end.helper());
    command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (index, (name, value)) in settings.into_iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{index}"), name);
        command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = gits_end.spawn(command)?;
    let (stdout, stderr) = (child.stdout(), child.stderr());
    let output = async {
        let (status, stdout, stderr) =
            tokio::try_join!(child.wait(), read_all(stdout), read_all(stderr))?;
        Ok(Output {
            status,
            stdout,
            stderr,
        })
    };
    tokio::select! {
        output = output => output,
        never = channel.serve(Credential::new(origin, token)) => match never {},
    }
}

async fn read_all(pipe: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

//! A pipe that stays open though its other user lets go.

use std::io;
use tokio::process::ChildStdin;

/// A second hold on a child's input: that stays open for as long as this is there.
#[derive(Debug)]
pub struct StdinHold {
    #[cfg(unix)]
    _end: std::os::fd::OwnedFd,
    #[cfg(windows)]
    _end: std::os::windows::io::OwnedHandle,
}

/// A child's input, and a second hold on it.
///
/// # Errors
/// The system's.
pub fn hold_stdin(stdin: ChildStdin) -> io::Result<(ChildStdin, StdinHold)> {
    #[cfg(unix)]
    let first = stdin.into_owned_fd()?;
    #[cfg(windows)]
    let first = stdin.into_owned_handle()?;
    let second = first.try_clone()?;
    let stdin = ChildStdin::from_std(std::process::ChildStdin::from(first))?;
    Ok((stdin, StdinHold { _end: second }))
}

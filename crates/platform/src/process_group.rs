//! A child with all that it starts.

use tokio::process::Command;

/// Has a command lead a group of its own, with what it starts.
pub fn lead_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// The group of a child that leads one. It is killed when this is dropped.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Option<u32>,
}

impl ProcessGroup {
    /// The group of a child with this number; none of one that has ended.
    pub fn of(leader: Option<u32>) -> Self {
        Self { leader }
    }

    /// Asks all of it to end. Where a system cannot ask, it is killed.
    pub fn terminate(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGTERM);
        #[cfg(not(unix))]
        self.kill();
    }

    /// Ends all of it.
    pub fn kill(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGKILL);
        #[cfg(windows)]
        if let Some(leader) = self.leader {
            // There are no groups: the tree below the leader is ended, as far as it is still known.
            let ended = std::process::Command::new("taskkill")
                .args(["/T", "/F", "/PID", &leader.to_string()])
                .output();
            drop(ended);
        }
    }

    #[cfg(unix)]
    fn signal(&self, signal: nix::sys::signal::Signal) {
        if let Some(leader) = self.leader.and_then(|id| i32::try_from(id).ok()) {
            // The group may be gone already, and that is what is wanted.
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(leader), signal);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

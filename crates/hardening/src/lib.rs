//! What other programs of this machine see of Collie's own process (§9.5): no secret in its environment, no core file, and on Linux no
//! access to its memory for programs of the same user.
//!
//! The environment that a program was started with stays readable in `/proc/PID/environ` whatever the program does to its variables
//! ([proc_pid_environ(5)](https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html)). So a process that finds a secret in its environment
//! starts its program once more, as the same process, without the secret, which it hands itself through a pipe.
//!
//! Windows has no such start, lets programs of the same user read each other's memory, and may keep a report of a crash: there nothing is
//! hidden, and [`exposure`] says so.

#[cfg(unix)]
mod handover;
mod secret_names;
mod variables;

pub use secret_names::names_secret;
pub use variables::{secret_values, variable, variable_os, variables};

#[cfg(unix)]
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// What of this process others could still see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Whether other programs of this user may read its memory. On macOS that is the system's to decide.
    pub memory: bool,
    /// Whether a crash may leave a core file.
    pub core_file: bool,
    /// The variables of its environment that hold a secret.
    pub variables: Vec<String>,
}

/// Hides this process and its secrets. First thing in `main` after [`supervise_if_asked`], before any thread starts: it may start the program
/// once more, and does not return then.
///
/// `defaults` are variables that the program wants and nobody has set; they are set on the way.
///
/// What cannot be done is left undone, and [`exposure`] tells of it.
///
/// [`supervise_if_asked`]: https://docs.rs/collie-sandbox
#[cfg(unix)]
pub fn harden(defaults: &[(&str, &str)]) {
    hide_memory();
    // Without a core file nothing of the memory is left after a crash.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    match handover::receive() {
        Some(secrets) => variables::hold(secrets),
        None => handover::restart_without_secrets(defaults),
    }
}

/// Hides nothing: see above.
#[cfg(not(unix))]
pub fn harden(_defaults: &[(&str, &str)]) {}

/// What others can still see of this process, looked at now.
pub fn exposure() -> Exposure {
    Exposure {
        memory: is_memory_readable(),
        core_file: may_leave_core_file(),
        variables: secret_names::in_environment()
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
    }
}

/// Not dumpable: no core file, no `ptrace`, and `/proc/PID` belongs to root
/// ([PR_SET_DUMPABLE](https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html)).
#[cfg(target_os = "linux")]
fn hide_memory() {
    // A kernel without it has no other way either.
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// macOS lets no program near another's memory that does not have the right to debug; there is nothing to ask for.
#[cfg(all(unix, not(target_os = "linux")))]
fn hide_memory() {}

#[cfg(target_os = "linux")]
fn is_memory_readable() -> bool {
    nix::sys::prctl::get_dumpable().unwrap_or(true)
}

#[cfg(not(target_os = "linux"))]
fn is_memory_readable() -> bool {
    cfg!(not(unix))
}

#[cfg(unix)]
fn may_leave_core_file() -> bool {
    getrlimit(Resource::RLIMIT_CORE).map_or(true, |(soft, _)| soft > 0)
}

#[cfg(not(unix))]
fn may_leave_core_file() -> bool {
    true
}

#[cfg(test)]
#[cfg(windows)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_does_not_hide_is_said() {
        harden(&[]);
        let exposure = exposure();
        assert!(exposure.memory && exposure.core_file, "{exposure:?}");
    }
}

//! What is run, and on what terms.

use std::ffi::OsString;
use std::path::PathBuf;

/// A program to run: with its whole environment, and where it begins.
#[derive(Clone, Debug)]
pub struct Program {
    /// A path, or a name that is looked up on the `PATH` of `env`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where it begins.
    pub folder: PathBuf,
}

/// What the program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    Empty,
    /// What is written to [`SandboxedChild::stdin`].
    Piped,
}

/// What holds the limits on memory and processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitsBy {
    /// A control group: the whole tree together.
    ControlGroup,
    /// The limits of processes: each alone.
    Process,
}

/// Says that the user runs what this repository's pull requests bring without a sandbox. Nothing else makes one than the setting that says so.
#[derive(Clone, Copy, Debug)]
pub struct UnsandboxedTrust(());

impl UnsandboxedTrust {
    /// By the user's own setting for the repository (§9.5). Who may call this is held by `architecture/proofs.rs` of `collie-cli`.
    pub fn by_the_users_setting(unsandboxed: bool) -> Option<Self> {
        unsandboxed.then_some(Self(()))
    }
}

/// This very program, as the supervisor that [`crate::Sandbox::detect`] takes.
pub fn own_program() -> PathBuf {
    // Without it nothing starts, and that is said where it is tried.
    std::env::current_exe().unwrap_or_else(|_| "collie".into())
}

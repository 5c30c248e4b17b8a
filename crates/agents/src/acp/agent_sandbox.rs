//! Where an agent is run.

use collie_sandbox::{Limits, SandboxRunner, UnsandboxedTrust};
use std::path::PathBuf;

/// Where an agent is run.
#[derive(Clone, Debug)]
pub struct AgentSandbox {
    /// Puts it there.
    pub runner: SandboxRunner,
    /// The user wants no walls for this repository.
    pub without_walls: Option<UnsandboxedTrust>,
    /// What it may read beside its folder, toolchains and its own program: the clone that the folder belongs to.
    pub readable: Vec<PathBuf>,
    /// What it never sees: the data folder.
    pub hidden: Vec<PathBuf>,
    /// What it may use up.
    pub limits: Limits,
    /// Where what it keeps of its home lies, made where it is missing: its sessions are there for the next turn.
    pub kept_home: PathBuf,
}

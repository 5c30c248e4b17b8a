//! Where what a pull request brings is run (§9.5): verify commands and coding agents.
//!
//! A [`Sandboxed`] is the only way to run such a program, and a [`Sandbox`] the only way to one, save where the user has said that a
//! repository needs none. Inside there are a process tree, an IPC and a network namespace of its own, an empty home, toolchains read-only, the
//! worktree, and nothing else of this machine. Everything ends with the program, and with Collie.
//!
//! Outside stands [bubblewrap](https://github.com/containers/bubblewrap), inside a supervisor that adds
//! [Landlock](https://docs.kernel.org/userspace-api/landlock.html), a list of refused system calls and limits.

//!
//! On Windows there are no walls, and [`Sandbox::detect`] says so: what runs there is what the user trusts without them.

mod allowed_hosts;
mod disk_usage;
mod error;
mod policy;
mod program;
mod program_folder;
mod refused_hosts;
mod run;
mod runner;
mod toolchain_env;

#[cfg(unix)]
mod bubblewrap;
#[cfg(unix)]
mod cgroup;
#[cfg(unix)]
mod disk_watch;
#[cfg(unix)]
mod inner_walls;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod relay;
#[cfg(unix)]
mod sandbox;
#[cfg(unix)]
mod seatbelt;
#[cfg(unix)]
mod supervisor;
#[cfg(unix)]
mod visible_folders;

#[cfg(windows)]
mod no_walls;
#[cfg(windows)]
use no_walls as sandbox;

#[cfg(test)]
#[cfg(unix)]
mod fuzz_tests;

pub use allowed_hosts::{HostPattern, InvalidHost};
pub use disk_usage::{DiskStop, disk_usage};
pub use error::SandboxError;
pub use policy::{KeptFolders, Limits, SandboxPolicy};
pub use program::{LimitsBy, Program, Stdin, UnsandboxedTrust, own_program};
pub use program_folder::program_folder;
pub use refused_hosts::{RefusedHost, RefusedHosts};
pub use run::{ProcessOutcome, SandboxedEnd};
pub use runner::SandboxRunner;
pub use sandbox::{Sandbox, Sandboxed, SandboxedChild};
pub use toolchain_env::toolchain_env;

#[cfg(windows)]
pub use no_walls::supervise_if_asked;
#[cfg(unix)]
pub use supervisor::supervise_if_asked;

//! Where what a pull request brings is run (§9.5): verify commands and coding agents.
//!
//! A [`Sandboxed`] is the only way to run such a program, and a [`Sandbox`] the only way to one, save where the user has said that a
//! repository needs none. Inside there are a process tree, an IPC and a network namespace of its own, an empty home, toolchains read-only, the
//! worktree, and nothing else of this machine. Everything ends with the program, and with Collie.
//!
//! Outside stands [bubblewrap](https://github.com/containers/bubblewrap), inside a supervisor that adds
//! [Landlock](https://docs.kernel.org/userspace-api/landlock.html), a list of refused system calls and limits.

mod allowed_hosts;
mod bubblewrap;
mod cgroup;
mod disk_watch;
mod error;
mod inner_walls;
mod policy;
mod processes;
mod program_folder;
mod proxy;
mod relay;
mod run;
mod runner;
mod sandbox;
mod seatbelt;
mod supervisor;
mod toolchain_env;
mod visible_folders;

#[cfg(test)]
mod fuzz_tests;

pub use allowed_hosts::{HostPattern, InvalidHost};
pub use disk_watch::{DiskStop, disk_usage};
pub use error::SandboxError;
pub use policy::{KeptFolders, Limits, SandboxPolicy};
pub use program_folder::program_folder;
pub use proxy::{RefusedHost, RefusedHosts};
pub use run::{ProcessOutcome, SandboxedEnd};
pub use runner::SandboxRunner;
pub use sandbox::{LimitsBy, Program, Sandbox, Sandboxed, SandboxedChild, Stdin, UnsandboxedTrust};
pub use supervisor::{own_program, supervise_if_asked};
pub use toolchain_env::toolchain_env;

//! What systems do in ways of their own, behind one face.
//!
//! **Architecture invariant.** No call of one system alone stands outside of here, the sandbox, the hardening of the own process, git's credential
//! socket and the command's interrupts; a test of the command holds that (`crates/cli/tests/architecture/platforms.rs`).

mod files;
mod paths;
mod pipes;
mod process_tree;
mod programs;

pub use files::{
    bytes_on_disk, has_other_names, identity_of_shared, is_executable, make_executable,
    make_owner_writable, make_private, private_file, private_folder, with_rights,
};
pub use paths::{bytes_of, name_of, path_of, real_path};
pub use pipes::{StdinHold, hold_stdin};
#[cfg(windows)]
pub use process_tree::TreeMembers;
pub use process_tree::{ProcessTree, tethered};
pub use programs::{HOME_VARIABLE, SHELL, SYSTEM_VARIABLES, find_program};

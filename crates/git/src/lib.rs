//! Clones, worktrees, gates, commit and push (§6.2–6.4), through the `git` binary.
//!
//! One bare clone per repository, one worktree per pull request, fixer or reviewer, all below one folder that one engine
//! process owns. What runs here never obeys the repository: hooks, filters, diff drivers, `fsmonitor`, submodules and
//! the user's git configuration are off, and the clone's own configuration is written anew before each use (§9.3).
//! Git asks for its credential over a channel that ends with the call (§9.4).

mod base_merge;
mod cat_file;
mod checkout_size;
mod commit;
mod commit_log;
mod commit_message;
mod commit_patch;
mod commit_transfer;
mod complete_commits;
mod credential;
mod credential_channel;
mod diff;
mod disk_limits;
mod excerpt;
mod fetch;
mod fetch_command;
mod fetched_patch;
mod gates;
mod git_command;
mod git_options;
mod io_error;
mod known_diffs;
mod layout;
mod lazy_checkouts;
mod lost_lines;
mod merge_gates;
mod network_failure;
mod object_reader;
mod oscillation;
mod partial_clone;
mod patch;
mod plumbing_output;
mod port;
mod prepare;
mod prepared;
mod process;
mod push;
mod secret_gate;
mod shield;
mod tamper;
mod text_search;
mod transfer;
mod unshown;
mod verify;
mod worktrees;

#[cfg(test)]
mod fuzz_tests;

pub use commit_patch::{CommitPatch, PatchHunk, PatchLine, PatchedFile};
pub use credential_channel::{help_git_if_asked, output_signed_in};
pub use disk_limits::{DiskLimits, DiskLimitsSource};
pub use excerpt::{CloneReader, ExcerptLine, ExcerptSelection, LineChange};
pub use fetched_patch::RemotePatches;
pub use git_options::{Credentials, GitOptions, RemoteCredentials};
pub use transfer::BUNDLE_HEAD;
pub use worktrees::{CommitIdentity, Worktrees};

use collie_engine::ports::GitError;
use git_command::GitRunner;
use std::path::Path;
use std::sync::Arc;

/// Finds the version of a git binary, for `collie doctor`.
///
/// # Errors
/// [`GitError::NoGit`] when it is missing or older than 2.38.
pub async fn git_version(git: &Path) -> Result<String, GitError> {
    let options = GitOptions {
        binary: git.to_path_buf(),
        ..GitOptions::default()
    };
    GitRunner::new(std::env::temp_dir(), Arc::new(|| None), options)
        .version()
        .await
}

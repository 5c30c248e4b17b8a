//! Turns of a real child process that speaks ACP, well behaved and not. No process may be left after any of them.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod choices;
mod failures;
mod harness;
mod permissions;
mod process_cleanup;
mod sessions;
mod turns;

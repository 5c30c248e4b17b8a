//! Turns of a real child process that speaks ACP, well behaved and not. No process may be left after any of them.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod bad;
mod ends;
mod good;
mod permissions;
mod sessions;
mod stage;

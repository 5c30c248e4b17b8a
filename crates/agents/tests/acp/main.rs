//! Turns of a real child process that speaks ACP, well behaved and not. No process may be left after any of them.

mod bad;
mod ends;
mod good;
mod permissions;
mod sessions;
mod stage;

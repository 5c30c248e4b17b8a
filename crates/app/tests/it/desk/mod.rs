//! The desk on the real engine, store, git and GitHub adapter, with the real forge, in one process.

mod folders;
mod lists;
mod merging;
mod session;
mod signing;
mod stage;
mod toggle;
mod updates;
mod words;

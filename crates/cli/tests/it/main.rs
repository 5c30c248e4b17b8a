//! The real `collie` in processes of its own, on a forge in another.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod bad_input;
mod demonstration;
mod kill;
mod review;
mod second_process;
mod settled;
mod support;
mod version_1;

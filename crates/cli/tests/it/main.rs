//! The real `collie` in processes of its own, on a forge in another.

mod bad_input;
mod demonstration;
mod kill;
mod second_process;
mod settled;
mod support;

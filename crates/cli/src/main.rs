//! The `collie` command.
fn main() {}

//! One forge, one engine, and everybody who plays a part, in one process.

mod clock;
mod context;
mod end_checks;
pub mod fixture;
pub mod pause_points;
mod run_test;

pub use context::TestContext;
pub use end_checks::{check_processes, processes_of};
pub use run_test::run_test;

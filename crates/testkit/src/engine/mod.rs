//! One forge, one engine, and everybody who plays a part, in one process.

mod clock;
mod context;
mod end_checks;
mod github_app;
mod loop_fixture;
mod pause_points;
mod run_test;

pub use clock::ManualClock;
pub use context::{Expectations, TestContext};
pub use end_checks::{check_processes, processes_of};
pub use github_app::TestApp;
pub use loop_fixture::LoopFixture;
pub use pause_points::{Pause, PausePoint, PausePoints};
pub use run_test::run_test;

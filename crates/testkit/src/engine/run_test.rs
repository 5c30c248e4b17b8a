//! A test from its scene to the checks at its end.

use super::context::TestContext;
use super::end_checks;
use super::loop_fixture::LoopFixture;

/// Sets a scene with pull request 1, starts the engine, plays, and looks whether everything is in order afterwards.
pub async fn run_test(fixture: impl Into<LoopFixture>, test: impl AsyncFnOnce(&mut TestContext)) {
    let mut ctx = TestContext::new(&fixture.into()).await;
    ctx.start_engine().await;
    test(&mut ctx).await;
    end_checks::check_end_state(&ctx).await;
    ctx.stop_engine().await;
    end_checks::check_processes(&ctx.data_folder()).await;
    ctx.forge.stop().await;
}

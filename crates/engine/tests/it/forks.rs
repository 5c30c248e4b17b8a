//! Pull requests from forks: others', one's own, and those that are gone (§2, §3.6).

use collie_core::blocker::Stop;
use collie_core::lifecycle::State;
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::repository::{FAULTY_FILE, PullFixture, RepositoryFixture};

/// A fault that a rule finds and fixes, on a branch of a fork of somebody who may write.
fn faulty_pull(login: &str) -> PullFixture {
    let pull = PullFixture::new("patch").by(login);
    pull.with_file("app.js", FAULTY_FILE)
}

async fn delete_fork(ctx: &TestContext, owner: &str) {
    let path = format!("/api/v3/repos/{owner}/app");
    let deleted = ctx.send(owner, "DELETE", &path, None).await;
    assert_eq!(deleted.expect("an answer").status, 204);
}

/// The run stops because nothing can be pushed, and the review stands on the pull request.
async fn assert_cannot_push(ctx: &TestContext, number: u64, because: &str) {
    let end = ctx.wait_for_state(number, State::NeedsHuman).await;
    let Some(Stop::CannotPush { reason, .. }) = &end.run.stop else {
        panic!("{:?}", end.run.stop);
    };
    assert_eq!(reason, because);
    let said = ctx.posted_bodies(number).await.join("\n");
    assert!(said.contains("debugger"), "{said}");
    assert_eq!(ctx.fix_commits_of(number).len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_goes_to_the_fork_where_its_author_lets_maintainers_push() {
    let fixture = RepositoryFixture::clean().with_pull(faulty_pull("kim").from_fork());
    run_test(fixture, async |ctx| {
        ctx.start_loop(2).await;
        ctx.wait_for_state(2, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits_of(2).len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_that_only_its_author_may_push_to_is_reviewed_and_not_fixed() {
    let fixture = RepositoryFixture::clean().with_pull(faulty_pull("kim").from_closed_fork());
    run_test(fixture, async |ctx| {
        ctx.start_loop(2).await;
        assert_cannot_push(ctx, 2, "fork_read_only").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ones_own_fork_takes_pushes() {
    let fixture = RepositoryFixture::clean().with_pull(faulty_pull("octo").from_closed_fork());
    run_test(fixture, async |ctx| {
        ctx.start_loop(2).await;
        ctx.wait_for_state(2, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits_of(2).len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_from_a_deleted_fork_is_reviewed_and_not_fixed() {
    let clean = PullFixture::new("docs")
        .by("ben")
        .with_file("docs.md", "# Docs\n")
        .from_fork();
    let fixture = RepositoryFixture::clean()
        .with_pull(faulty_pull("kim").from_fork())
        .with_pull(clean);
    run_test(fixture, async |ctx| {
        delete_fork(ctx, "kim").await;
        delete_fork(ctx, "ben").await;
        ctx.start_loop(2).await;
        assert_cannot_push(ctx, 2, "fork_read_only").await;
        ctx.start_loop(3).await;
        ctx.wait_for_state(3, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_that_is_deleted_before_the_push_stops_the_run() {
    let fixture = RepositoryFixture::clean().with_pull(faulty_pull("kim").from_fork());
    run_test(fixture, async |ctx| {
        let pause = ctx.pause_points.pause_at(PausePoint::Committed);
        ctx.start_loop(2).await;
        pause.wait_reached().await;
        delete_fork(ctx, "kim").await;
        pause.release();
        assert_cannot_push(ctx, 2, "refused").await;
    })
    .await;
}

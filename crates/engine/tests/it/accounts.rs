//! Personas and authors' agents with GitHub accounts of their own (§18.2): the real vault, tokens encrypted in the journal, the forge with several
//! accounts.

use super::panel::{
    MENDED, approving_review, fixture_with_typo, review_with_finding, serve_model, with_agent,
    write_script,
};
use collie_config::{FixerSettings, ReviewerSettings};
use collie_core::ids::Login;
use collie_core::lifecycle::State;
use collie_engine::ports::AccountTokens as _;
use collie_testkit::engine::{LoopFixture, PausePoint, TestContext, run_test};
use serde_json::{Value, json};
use std::path::Path;

/// Quinn posts as ben, who is on the forge's cast.
const QUINN: &str = "ben";

fn with_quinns_account(fixture: impl Into<LoopFixture>) -> LoopFixture {
    fixture.into().with_layer(|layer| {
        let quinn = layer.reviewers.entry("quinn".into()).or_default();
        *quinn = ReviewerSettings {
            account: Some(Login::new(QUINN)),
            may_approve: Some(true),
            may_request_changes: Some(true),
            ..quinn.clone()
        };
    })
}

/// Reviews on GitHub: who, and what they say.
async fn reviews(ctx: &TestContext) -> Vec<(String, String)> {
    let list = ctx.repo_get("/pulls/1/reviews?per_page=100").await;
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| (text(&row["user"], "login"), text(row, "state")))
        .collect()
}

fn quinn_said(reviews: &[(String, String)]) -> Vec<&str> {
    let by_quinn = reviews.iter().filter(|(login, _)| login == QUINN);
    by_quinn.map(|(_, state)| state.as_str()).collect()
}

async fn model_of_two_rounds() -> collie_fake_llm::RunningFakeLlm {
    let reviews = vec![
        review_with_finding("  const sum = list.lenght;"),
        approving_review(),
    ];
    serve_model(reviews, "100").await
}

fn fixture(url: String, script: &Path) -> LoopFixture {
    let fixture = with_agent(
        fixture_with_typo().with_model(url),
        script,
        "resume",
        "fixer",
    );
    with_quinns_account(fixture)
}

/// Gives quinn's account its role and has the loop run with its token.
async fn start_with_account(ctx: &mut TestContext) {
    ctx.change_repository(json!({"roles": {QUINN: "member"}}))
        .await;
    ctx.add_account(QUINN).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persona_requests_changes_and_approves_as_itself() {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    run_test(fixture(model.url(), &script), async |ctx| {
        start_with_account(ctx).await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        let said = reviews(ctx).await;
        assert_eq!(quinn_said(&said), ["CHANGES_REQUESTED", "APPROVED"]);
        assert!(
            said.iter()
                .all(|(login, state)| login == QUINN || state == "COMMENTED")
        );
        let inline = ctx.repo_get("/pulls/1/comments").await;
        assert_eq!(inline[0]["user"]["login"], QUINN);
        // What Quinn said is nobody's feedback: the fixer was handed one finding.
        assert_eq!(state.run.fixing.turns, 1);
        no_token_lies_about(ctx).await;
    })
    .await;
}

/// The token of quinn's account is nowhere below the data folder, in no answer, in no words of an error.
async fn no_token_lies_about(ctx: &TestContext) {
    let secret = format!("forge-{QUINN}");
    let mut looked_at = 0;
    let mut folders = vec![ctx.data_folder()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                looked_at += 1;
                let found = bytes
                    .windows(secret.len())
                    .any(|part| part == secret.as_bytes());
                assert!(!found, "{}", path.display());
            }
        }
    }
    assert!(looked_at > 3, "only {looked_at} files were looked at");
    let vault = ctx.account_vault().await;
    let told = format!("{vault:?} {:?} {:?}", vault.list().await, ctx.state(1));
    assert!(!told.contains(&secret), "{told}");
    let host = collie_config::host_of(&ctx.api_url());
    let token = vault.token(&host, &Login::new(QUINN)).await.unwrap();
    assert!(!format!("{token:?}").contains(&secret));
}

async fn check_crash_at(point: PausePoint) {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    run_test(fixture(model.url(), &script), async |ctx| {
        start_with_account(ctx).await;
        let hold = ctx.pause_points.pause_at(point);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let said = reviews(ctx).await;
        assert_eq!(quinn_said(&said), ["CHANGES_REQUESTED", "APPROVED"]);
        let inline = ctx.repo_get("/pulls/1/comments").await;
        assert_eq!(inline.as_array().unwrap().len(), 1, "{inline:#}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_a_post_and_before_it_is_known_posts_no_persona_twice() {
    check_crash_at(PausePoint::Posted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_a_post_loses_no_persona_s_word() {
    check_crash_at(PausePoint::Post).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_whose_answer_was_lost_is_found_under_its_account() {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    run_test(fixture(model.url(), &script), async |ctx| {
        ctx.expectations.refused_requests = true;
        start_with_account(ctx).await;
        let reviews_route = "POST /repos/{owner}/{repo}/pulls/{number}/reviews";
        let drop = json!({"kind": "drop_after", "route": reviews_route, "count": 1});
        ctx.set_faults(drop).await;
        ctx.start_loop_until_ready().await;
        let said = reviews(ctx).await;
        assert_eq!(quinn_said(&said), ["CHANGES_REQUESTED", "APPROVED"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused_stops_its_posts_says_so_and_nobody_stands_in() {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    run_test(fixture(model.url(), &script), async |ctx| {
        ctx.expectations.refused_requests = true;
        start_with_account(ctx).await;
        let revoked = |revoked: bool| Some(json!({"login": QUINN, "revoked": revoked}));
        ctx.call("demo", "POST", "/_forge/tokens", revoked(true))
            .await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "account_unusable").await;
        let blocker = state.run.blocker.clone().unwrap();
        assert!(blocker.needs_person());
        let args = format!("{:?}", blocker.args());
        assert!(args.contains(QUINN) && args.contains("refused"), "{args}");
        let inline = ctx.repo_get("/pulls/1/comments").await;
        assert_eq!(inline, json!([]), "nobody stands in for it");
        // A token that is accepted is used at once.
        ctx.call("demo", "POST", "/_forge/tokens", revoked(false))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(
            quinn_said(&reviews(ctx).await),
            ["CHANGES_REQUESTED", "APPROVED"]
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_a_token_is_waited_for() {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    run_test(fixture(model.url(), &script), async |ctx| {
        ctx.change_repository(json!({"roles": {QUINN: "member"}}))
            .await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "account_unusable").await;
        let args = format!("{:?}", state.run.blocker.clone().unwrap().args());
        assert!(args.contains("missing"), "{args}");
        // Added beside the running engine.
        ctx.add_account(QUINN).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(
            quinn_said(&reviews(ctx).await),
            ["CHANGES_REQUESTED", "APPROVED"]
        );
    })
    .await;
}

/// Fixes of whoever's pull requests are pushed as quinn's account.
fn with_authors_account(url: String, script: &Path) -> LoopFixture {
    let fixture = fixture_with_typo().with_model(url);
    with_agent(fixture, script, "resume", "fixer").with_layer(|layer| {
        let fixer = layer.fixer.take().unwrap();
        layer.fixer = Some(FixerSettings {
            accounts: [(Login::new("ana"), Login::new(QUINN))].into(),
            ..fixer
        });
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_as_an_account_that_is_refused_waits_and_nobody_stands_in() {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    run_test(with_authors_account(model.url(), &script), async |ctx| {
        ctx.expectations.refused_requests = true;
        start_with_account(ctx).await;
        let revoked = |revoked: bool| Some(json!({"login": QUINN, "revoked": revoked}));
        ctx.call("demo", "POST", "/_forge/tokens", revoked(true))
            .await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "account_unusable").await;
        let args = format!("{:?}", state.run.blocker.clone().unwrap().args());
        assert!(args.contains(QUINN) && args.contains("refused"), "{args}");
        assert!(ctx.fix_commits("topic").is_empty(), "nobody pushes instead");
        ctx.call("demo", "POST", "/_forge/tokens", revoked(false))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_authors_agent_pushes_and_reports_as_its_own_account() {
    let model = model_of_two_rounds().await;
    let (_folder, script) = write_script(json!({"edits": {"app.js": MENDED}}));
    let fixture = with_authors_account(model.url(), &script);
    run_test(fixture, async |ctx| {
        start_with_account(ctx).await;
        ctx.start_loop_until_ready().await;
        let commits = ctx.repo_get("/pulls/1/commits").await;
        let fix = commits.as_array().unwrap().last().unwrap();
        assert_eq!(fix["commit"]["author"]["name"], QUINN, "{fix:#}");
        let email = fix["commit"]["author"]["email"].as_str().unwrap();
        assert!(
            email.ends_with(&format!(
                "+{QUINN}@users.noreply.{}",
                collie_config::host_of(&ctx.api_url())
            )),
            "{email}"
        );
        let comments = ctx.repo_get("/issues/1/comments").await;
        let by_quinn = comments
            .as_array()
            .unwrap()
            .iter()
            .filter(|c| c["user"]["login"] == QUINN);
        let bodies: Vec<&str> = by_quinn.filter_map(|c| c["body"].as_str()).collect();
        assert_eq!(
            bodies.len(),
            1,
            "the fix report, and nothing else: {bodies:#?}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_key_puts_all_tokens_under_it_and_the_old_one_opens_none() {
    run_test(fixture_with_typo(), async |ctx| {
        ctx.add_account(QUINN).await;
        let host = collie_config::host_of(&ctx.api_url());
        let quinn = Login::new(QUINN);
        let old = std::fs::read(ctx.account_key_file()).unwrap();
        let vault = ctx.account_vault().await;
        assert_eq!(vault.rotate_key().await.unwrap(), 1);
        assert_ne!(std::fs::read(ctx.account_key_file()).unwrap(), old);
        assert!(vault.token(&host, &quinn).await.is_ok());
        assert!(ctx.account_vault().await.token(&host, &quinn).await.is_ok());
        // With the key of before, nothing is opened, and nothing is lost.
        let key = std::fs::read(ctx.account_key_file()).unwrap();
        std::fs::write(ctx.account_key_file(), &old).unwrap();
        let sealed = ctx.account_vault().await;
        assert!(sealed.token(&host, &quinn).await.is_err());
        assert!(!sealed.list().await.unwrap()[0].usable);
        assert!(sealed.rotate_key().await.is_err());
        std::fs::write(ctx.account_key_file(), &key).unwrap();
        assert!(ctx.account_vault().await.token(&host, &quinn).await.is_ok());
        let vault = ctx.account_vault().await;
        vault.remove(&host, &quinn).await.unwrap();
        assert!(vault.token(&host, &quinn).await.is_err());
        assert!(vault.remove(&host, &quinn).await.is_err());
        let next = ctx.account_key_file().with_extension("key.next");
        assert!(!next.exists(), "the key of before is gone");
    })
    .await;
}

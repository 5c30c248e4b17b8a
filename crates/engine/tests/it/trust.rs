//! What of a stranger's is executed and fixed, and who says so (§6.3e, §9.1).

use collie_core::blocker::Blocker;
use collie_core::error_code::ErrorCode;
use collie_core::ids::Login;
use collie_core::lifecycle::State;
use collie_core::note::Note;
use collie_core::session::RefusedHosts;
use collie_core::trust::{RepositoryTrust, TrustDecision};
use collie_testkit::engine::{LoopFixture, PausePoint, TestContext, run_test};
use collie_testkit::repository::{FAULTY_FILE, PullFixture, RepositoryFixture};
use std::path::PathBuf;

/// A verify command that leaves a mark in the cache, which outlives the worktree.
const MARK: &str = "touch ~/.cache/was-run";

/// A repository with a fault in pull request 1, and commands to verify a fix.
fn verified_by(commands: &[&str]) -> RepositoryFixture {
    RepositoryFixture::faulty().with_base_file(".collie.toml", config_file(commands))
}

fn config_file(commands: &[&str]) -> String {
    format!("[verify]\ncommands = {commands:?}\n")
}

fn trust(commands: &[&str]) -> TrustDecision {
    TrustDecision::TrustCommands {
        commands: commands.iter().map(ToString::to_string).collect(),
    }
}

/// Marks that verify commands left in the repository's cache.
fn marks(ctx: &TestContext) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![ctx.data_folder().join("git/verify-caches")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.ends_with("was-run") {
                found.push(path);
            }
        }
    }
    found
}

async fn wait_for_untrusted(ctx: &TestContext, commands: &[&str]) {
    let blocker = Blocker::VerifyUntrusted {
        commands: commands.iter().map(ToString::to_string).collect(),
    };
    ctx.wait_until(1, "the commands to be asked about", |state| {
        state.run.blocker.as_ref() == Some(&blocker) && state.is_settled()
    })
    .await;
}

fn decisions(ctx: &TestContext) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    ctx.audit_entries()
        .iter()
        .filter(|entry| entry.get("decision").is_some() || entry.get("reason").is_some())
        .filter(|entry| text(&entry["action"]).starts_with("permission_check"))
        .map(|entry| (text(&entry["action"]), text(&entry["decision"])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_repository_run_only_once_they_are_trusted_and_a_change_asks_again() {
    run_test(verified_by(&[MARK]), async |ctx| {
        let head = ctx.sha("topic");
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.wait_for_observations(1, 3).await;
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        assert_eq!(ctx.sha("topic"), head);

        ctx.decide(1, trust(&[MARK])).await.expect("octo may");
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(marks(ctx).len(), 1);
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        assert_eq!(state.run.fixing.turns, 1, "the fix is not done again");

        // The same repository, another pull request: what was said holds.
        let pull = PullFixture::new("second").with_file("app.js", FAULTY_FILE);
        assert_eq!(ctx.open_pull(pull).await, 2);
        ctx.start_loop(2).await;
        ctx.wait_for_state(2, State::PrReadyToMerge).await;

        // Other commands: nobody has trusted these.
        let changed = ["true", MARK];
        ctx.push("main", &[(".collie.toml", &config_file(&changed))])
            .await;
        let pull = PullFixture::new("third").with_file("app.js", FAULTY_FILE);
        assert_eq!(ctx.open_pull(pull).await, 3);
        for mark in marks(ctx) {
            std::fs::remove_file(mark).expect("it can be removed");
        }
        ctx.start_loop(3).await;
        ctx.wait_for_blocker(3, "verify_untrusted").await;
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        ctx.decide(3, trust(&changed)).await.expect("octo may");
        ctx.wait_for_state(3, State::PrReadyToMerge).await;
        assert_eq!(marks(ctx).len(), 1);
        let passed = ("permission_check_passed".into(), "trust_commands".into());
        assert_eq!(decisions(ctx), [passed.clone(), passed]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_that_change_while_a_fix_waits_are_asked_about_as_they_are_then() {
    run_test(verified_by(&["false"]), async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &["false"]).await;
        ctx.push("main", &[(".collie.toml", &config_file(&[MARK]))])
            .await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.decide(1, trust(&["false"])).await.expect("octo may");
        ctx.wait_for_observations(1, 3).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        ctx.decide(1, trust(&[MARK])).await.expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(marks(ctx).len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_a_pull_request_s_own_base_are_not_asked_about() {
    let fixture = verified_by(&["true"]).with_branches("topic", "mallorys");
    run_test(fixture, async |ctx| {
        ctx.push("mallorys", &[(".collie.toml", &config_file(&[MARK]))])
            .await;
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &["true"]).await;
        ctx.decide(1, trust(&["true"])).await.expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_whose_trust_is_taken_back_while_a_fix_is_made_do_not_run() {
    run_test(verified_by(&[MARK]), async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.decide(1, trust(&[MARK])).await.expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        for mark in marks(ctx) {
            std::fs::remove_file(mark).expect("it can be removed");
        }
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        let pull = PullFixture::new("second").with_file("app.js", FAULTY_FILE);
        assert_eq!(ctx.open_pull(pull).await, 2);
        ctx.start_loop(2).await;
        hold.wait_reached().await;
        ctx.decide(2, TrustDecision::RevokeVerification)
            .await
            .expect("octo may");
        ctx.wait_until(2, "the loop to know", |state| {
            state.trust == RepositoryTrust::default()
        })
        .await;
        hold.release();
        ctx.wait_for_blocker(2, "verify_untrusted").await;
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        ctx.expectations.pending_effects = true;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_for_one_repository_holds_for_no_other() {
    run_test(verified_by(&[MARK]), async |ctx| {
        let pull = PullFixture::new("topic").with_file("app.js", FAULTY_FILE);
        let other = RepositoryFixture::new("acme/web")
            .with_base_file(".collie.toml", config_file(&[MARK]))
            .with_pull(pull);
        ctx.add_repository(&other).await;
        let id = ctx.try_start_loop("acme/web#1").await.expect("octo may");
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.decide(1, trust(&[MARK])).await.expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let loops = ctx.handle().loops();
        let other = loops.iter().find(|state| state.id == id);
        let other = other.expect("it is there");
        assert_eq!(other.trust, RepositoryTrust::default());
        assert_eq!(marks(ctx).len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_decided_before_the_journal_was_lost_is_asked_about_again() {
    run_test(verified_by(&[MARK]), async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.decide(1, trust(&[MARK])).await.expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        ctx.stop_engine().await;
        ctx.lose_journal().await;
        ctx.start_engine().await;
        ctx.wait_until(1, "the loop to know of no decision", |state| {
            state.trust == RepositoryTrust::default()
        })
        .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_users_own_configuration_run_without_a_question() {
    let fixture = LoopFixture::from(RepositoryFixture::faulty())
        .with_layer(|layer| layer.verify = Some(vec![MARK.into(), "test ! -e ../escape".into()]));
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        assert_eq!(marks(ctx).len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_decided_and_what_waits_for_it_survive_a_crash() {
    run_test(verified_by(&[MARK]), async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.crash().await;
        ctx.start_engine().await;
        wait_for_untrusted(ctx, &[MARK]).await;
        let hold = ctx.pause_points.pause_at(PausePoint::Push);
        ctx.decide(1, trust(&[MARK])).await.expect("octo may");
        hold.wait_reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        // A loop that is made afterwards knows it too.
        let pull = PullFixture::new("second").with_file("app.js", FAULTY_FILE);
        assert_eq!(ctx.open_pull(pull).await, 2);
        ctx.start_loop(2).await;
        ctx.wait_for_state(2, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_verification_the_commands_are_not_run_and_the_proof_names_them() {
    run_test(verified_by(&[MARK, "exit 1"]), async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK, "exit 1"]).await;
        ctx.decide(1, TrustDecision::SkipVerification)
            .await
            .expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        let said = ctx.posted_bodies(1).await.join("\n");
        assert!(said.contains("were not verified"), "{said}");
        assert!(said.contains("exit 1"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_that_the_repository_s_own_commands_refuse_is_not_pushed() {
    let command = "echo sum is missing; grep -q debugger app.js";
    run_test(verified_by(&[command]), async |ctx| {
        let before = ctx.sha("topic");
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[command]).await;
        ctx.decide(1, trust(&[command])).await.expect("octo may");
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        assert_eq!(state.run.stop.as_ref().unwrap().code(), "upheld");
        assert_eq!(ctx.sha("topic"), before);
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        let said = ctx.posted_bodies(1).await.join("\n");
        assert!(said.contains("reverted"), "{said}");
        assert!(said.contains("sum is missing"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_that_pass_let_the_fix_through_and_leave_nothing_in_it() {
    let commands = ["echo built > artefact.txt", "test ! -e ../escape"];
    run_test(verified_by(&commands), async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &commands).await;
        ctx.decide(1, trust(&commands)).await.expect("octo may");
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let files = collie_testkit::git::git(
            &ctx.bare_repository(),
            &["ls-tree", "-r", "--name-only", "topic"],
        );
        assert!(!files.contains("artefact"), "{files}");
    })
    .await;
}

/// Who has no role in the repository.
const OUTSIDER: &str = "mallory";

/// Pull request 2 is mallory's, from a fork, with the same fault as ana's first one.
fn with_outsiders_pull(fixture: RepositoryFixture) -> RepositoryFixture {
    fixture.with_pull(
        PullFixture::new("patch")
            .by(OUTSIDER)
            .from_fork()
            .with_file("app.js", FAULTY_FILE),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outsiders_change_is_reviewed_and_nothing_of_it_is_run_or_fixed_until_the_author_is_allowed()
 {
    let user = |layer: &mut collie_config::ConfigLayer| layer.verify = Some(vec![MARK.into()]);
    let fixture = with_outsiders_pull(RepositoryFixture::faulty()).with_layer(user);
    run_test(fixture, async |ctx| {
        let head = ctx.pull_head(2);
        ctx.start_loop(2).await;
        let state = ctx.wait_for_blocker(2, "author_not_allowed").await;
        ctx.wait_for_observations(2, 3).await;
        assert_eq!(state.run.state, State::PrReviewing);
        assert_eq!(ctx.pull_head(2), head);
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        let said = ctx.posted_bodies(2).await.join("\n");
        assert!(said.contains("debugger"), "{said}");
        let Some(Blocker::AuthorNotAllowed { login, id }) = &state.run.blocker else {
            panic!("{:?}", state.run.blocker);
        };
        assert_eq!(login.as_ref(), Some(&Login::new(OUTSIDER)));

        // Beside it, the change of somebody who may write is fixed as ever.
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        ctx.wait_for_blocker(2, "author_not_allowed").await;

        let allow = TrustDecision::AllowAuthor {
            id: id.expect("the account is there"),
            login: Login::new(OUTSIDER),
        };
        ctx.decide(2, allow).await.expect("octo may");
        ctx.wait_for_state(2, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits_of(2).len(), 1);
        assert_eq!(marks(ctx).len(), 1);
        let denied = ("permission_check_denied".into(), String::new());
        let allowed = ("permission_check_passed".into(), "allow_author".into());
        assert_eq!(decisions(ctx), [denied, allowed]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_pull_request_of_an_outsider_can_be_allowed_and_taken_back_while_it_is_fixed() {
    let fixture = with_outsiders_pull(RepositoryFixture::clean());
    run_test(fixture, async |ctx| {
        let head = ctx.pull_head(2);
        ctx.start_loop(2).await;
        ctx.wait_for_blocker(2, "author_not_allowed").await;
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        let allow = TrustDecision::AllowPull { number: 2 };
        ctx.decide(2, allow.clone()).await.expect("octo may");
        hold.wait_reached().await;
        let revoke = TrustDecision::RevokePull { number: 2 };
        ctx.decide(2, revoke).await.expect("octo may");
        ctx.wait_for_blocker(2, "author_not_allowed").await;
        hold.release();
        ctx.pause_points.clear();
        ctx.wait_for_observations(2, 3).await;
        assert_eq!(ctx.pull_head(2), head);
        ctx.decide(2, allow).await.expect("octo may");
        ctx.wait_for_state(2, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits_of(2).len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_start_loops_decides_nothing() {
    let fixture = LoopFixture::from(verified_by(&[MARK]));
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        wait_for_untrusted(ctx, &[MARK]).await;
        ctx.restart_engine_as("forge-mallory").await;
        let refused = ctx.decide(1, trust(&[MARK])).await;
        assert!(refused.is_err());
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        ctx.expectations.pending_effects = true;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_without_a_sandbox_is_the_work_of_collaborators_alone() {
    let outside = tempfile::tempdir().unwrap();
    let canary = outside.path().join("canary");
    std::fs::write(&canary, "").unwrap();
    // Passes where nothing of this machine is seen.
    let command = format!("test ! -e {}", canary.display());
    let user = move |layer: &mut collie_config::ConfigLayer| {
        layer.verify = Some(vec![command.clone()]);
        let repo = collie_core::ids::RepoName::parse("demo/app").unwrap();
        layer.repositories = Some(vec![collie_config::WatchedRepository {
            unsandboxed: true,
            ..collie_config::WatchedRepository::new(repo)
        }]);
    };
    let fixture = with_outsiders_pull(RepositoryFixture::faulty()).with_layer(user);
    run_test(fixture, async |ctx| {
        ctx.start_loop(2).await;
        ctx.wait_for_blocker(2, "author_not_allowed").await;
        ctx.decide(2, TrustDecision::AllowPull { number: 2 })
            .await
            .expect("octo may");
        ctx.wait_for_state(2, State::PrReadyToMerge).await;
        // The control: a collaborator's runs as the user said, and sees it.
        ctx.start_loop(1).await;
        let end = ctx
            .wait_until(1, "an end", |state| state.is_settled())
            .await;
        assert_ne!(end.run.state, State::PrReadyToMerge);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_sandbox_a_fix_waits_says_what_is_missing_and_goes_on_once_it_is_there() {
    let user = |layer: &mut collie_config::ConfigLayer| layer.verify = Some(vec![MARK.to_owned()]);
    let fixture = LoopFixture::from(RepositoryFixture::faulty()).with_layer(user);
    run_test(fixture, async |ctx| {
        ctx.stop_engine().await;
        let program = ctx.forge.dir.path().join("supervisor");
        ctx.set_sandbox_supervisor(program.clone());
        ctx.start_engine().await;
        let head = ctx.sha("topic");
        ctx.start_loop(1).await;
        for _ in 0..2 {
            let state = ctx.wait_for_blocker(1, "no_sandbox").await;
            assert_eq!(state.run.state, State::PrFixing);
            let Some(Blocker::NoSandbox { error }) = &state.run.blocker else {
                panic!("{:?}", state.run.blocker);
            };
            assert_eq!(error.code, ErrorCode::SandboxRefused);
            assert!(
                format!("{error}").contains("supervisor"),
                "it says what stands in the way: {error}"
            );
            assert!(state.is_settled(), "a person has to act");
            ctx.wait_for_observations(1, 3).await;
        }
        assert_eq!(marks(ctx), Vec::<PathBuf>::new());
        assert_eq!(ctx.sha("topic"), head);

        // Somebody mends it: nothing else has to be done.
        std::fs::copy(collie_testkit::sandbox::supervisor(), &program).expect("a program");
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(marks(ctx).len(), 1);
        assert_eq!(state.run.ordinal, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_were_refused_while_a_fix_was_prepared_are_in_the_timeline_though_all_went_well()
{
    let ask = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/${HTTPS_PROXY##*:} && printf \"CONNECT evil.example:443 HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n\" >&3 && head -n 1 <&3'";
    let user = |layer: &mut collie_config::ConfigLayer| {
        layer.verify = Some(vec!["true".to_owned()]);
        layer.prepare.command = Some(ask.to_owned());
        let hosts = ["registry.example:443".parse().expect("a host")];
        layer.prepare.hosts = Some(hosts.into());
    };
    let fixture = LoopFixture::from(RepositoryFixture::faulty()).with_layer(user);
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let notes = ctx.notes(1).await.into_iter();
        let refused: Vec<Note> = notes
            .filter(|note| matches!(note, Note::HostsRefused { .. }))
            .collect();
        let expected = Note::HostsRefused {
            reviewer: None,
            hosts: RefusedHosts {
                prepare: ["evil.example:443".to_owned()].into(),
                ..RefusedHosts::default()
            },
        };
        assert_eq!(refused, [expected]);
    })
    .await;
}

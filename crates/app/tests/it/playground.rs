//! The demo that lives on: the real engine on its forge, restarts and sudden ends between.
use collie_app::demo::{DemoError, DemoSpeed, Playground, SCENARIOS, Scenario};
use collie_app::engine_client::local::LocalEngine;

use collie_core::ids::{Login, PullName};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_testkit::wait::{wait_until, wait_until_blocking};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// The titles of each repository's issues, oldest first.
const ISSUES: [(&str, &[&str]); 3] = [
    (
        "shop",
        &[
            "An order without an amount ends the whole import",
            "Search finds nothing when the name has an accent",
        ],
    ),
    (
        "dashboard",
        &[
            "The mean hides slow requests",
            "Answers of yesterday are still shown",
        ],
    ),
    (
        "tools",
        &["Everybody on the machine can read the token file"],
    ),
];

/// A folder for the demo inside one that stays.
fn demo_folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("demo");
    (folder, root)
}

/// What one process of the desktop app holds.
struct DesktopProcess {
    runtime: Runtime,
    playground: Playground,
    app: LocalEngine,
}

impl DesktopProcess {
    /// Starts one; what a killed one held may take a moment to be free.
    fn start(root: &Path) -> Self {
        let runtime = runtime();
        let playground = runtime.block_on(open_playground(root));
        let app = wait_until_blocking("the engine", || {
            runtime.block_on(LocalEngine::start(playground.engine_setup("en")))
        });
        Self {
            runtime,
            playground,
            app,
        }
    }

    fn pull(&self, scenario: Scenario) -> PullName {
        let pulls = self.playground.pulls();
        let found = pulls.into_iter().find(|(of, _)| *of == scenario);
        found.unwrap().1
    }

    fn start_loop(&self, scenario: Scenario) -> PullName {
        let (pull, changes) = (self.pull(scenario), self.app.handle().subscribe());
        self.runtime.block_on(async {
            self.app.handle().start(&pull).await.unwrap();
            self.playground.start_actors(scenario, changes).unwrap();
        });
        pull
    }

    /// Lets people go on with what a killed process had begun.
    fn resume_actors(&self, scenario: Scenario) {
        let changes = self.app.handle().subscribe();
        let _inside = self.runtime.enter();
        self.playground.start_actors(scenario, changes).unwrap();
    }

    fn wait_until(&self, pull: &PullName, is: impl Fn(&LoopState) -> bool) -> Arc<LoopState> {
        wait_until_blocking(&pull.to_string(), || {
            self.app.handle().find(pull).filter(|state| is(state))
        })
    }

    fn wait_until_ended_as_designed(&self, scenario: Scenario) -> Arc<LoopState> {
        let (pull, design) = (self.pull(scenario), scenario.expected());
        let state = self.wait_until(&pull, |state| {
            state.run.state == design.state && state.is_settled()
        });
        assert_eq!(state.run.stop.as_ref().map(|stop| stop.code()), design.stop);
        let (least, most) = design.pushes;
        assert!(
            (least..=most).contains(&state.run.fixing.iteration),
            "{state:#?}"
        );
        state
    }

    /// Ends without a word, as `kill -9` does.
    fn kill(self) {
        self.runtime.shutdown_timeout(Duration::from_secs(5));
        drop((self.playground, self.app));
    }

    fn stop(self) {
        self.runtime.block_on(self.app.shutdown());
        self.runtime.block_on(self.playground.close());
    }

    fn get(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.playground.api_url());
        self.runtime.block_on(async {
            let token = self.playground.token_of("demo");
            let request = reqwest::Client::new().get(url).bearer_auth(token);
            let answer = request.header("user-agent", "test").send().await.unwrap();
            answer.json().await.unwrap()
        })
    }

    fn list(&self, pull: &PullName, kind: &str, what: &str) -> Vec<Value> {
        let path = format!(
            "/repos/{}/{kind}/{}/{what}?per_page=100",
            pull.repo, pull.number
        );
        self.get(&path).as_array().unwrap().clone()
    }

    /// Nothing that was posted or pushed is there twice.
    fn assert_nothing_twice(&self, pull: &PullName) {
        let mut said: Vec<String> = Vec::new();
        for (kind, what) in [
            ("issues", "comments"),
            ("pulls", "comments"),
            ("pulls", "reviews"),
        ] {
            for item in self.list(pull, kind, what) {
                let body = item["body"].as_str().unwrap_or_default();
                // Bots speak on each head.
                if !body.is_empty() && item["user"]["type"] != "Bot" {
                    said.push(format!("{} {body}", item["user"]["login"]));
                }
            }
        }
        let count = said.len();
        assert!(count > 0, "somebody has said something");
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), count, "{said:#?}");
        let commits = self.list(pull, "pulls", "commits");
        let mut messages: Vec<&str> = commits
            .iter()
            .map(|commit| commit["commit"]["message"].as_str().unwrap())
            .collect();
        messages.sort_unstable();
        let all = messages.len();
        messages.dedup();
        assert_eq!(messages.len(), all, "{messages:#?}");
    }
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

/// Opens one; what a process before it held may take a moment to be free.
async fn open_playground(root: &Path) -> Playground {
    let opened = wait_until("the playground", async || {
        let outcome = Playground::open(root, DemoSpeed::Fast).await;
        if let Err(error) = &outcome {
            let is_held = matches!(error, DemoError::InUse(_) | DemoError::PortTaken(_));
            assert!(is_held, "{error}");
        }
        outcome
    });
    opened.await
}

/// Tries again while it is in use: a process that another test has just forked holds every lock until it runs its program.
async fn retry_while_in_use<T>(
    attempt: impl AsyncFn() -> Result<T, DemoError>,
) -> Result<T, DemoError> {
    let outcome = wait_until("the playground to be free", async || {
        match attempt().await {
            Err(in_use @ DemoError::InUse(_)) => Err(in_use),
            outcome => Ok(outcome),
        }
    });
    outcome.await
}

#[test]
fn scenarios_are_played_to_their_end_beside_calm_pull_requests() {
    let (_folder, root) = demo_folder();
    let process = DesktopProcess::start(&root);
    let pulls = process.playground.pulls();
    assert_eq!(
        pulls.iter().map(|(of, _)| *of).collect::<Vec<_>>(),
        SCENARIOS
    );
    for (scenario, pull) in &pulls {
        assert_eq!(process.playground.scenario_of(pull), Some(*scenario));
    }
    let mut open = Vec::new();
    for repo in ["shop", "dashboard", "tools"] {
        let all = process.get(&format!("/repos/demo/{repo}/pulls"));
        open.extend(all.as_array().unwrap().clone());
    }
    assert_eq!(open.len(), 9);
    assert_eq!(open.iter().filter(|pull| pull["draft"] == true).count(), 1);
    for (repo, expect) in ISSUES {
        let all = process.get(&format!("/repos/demo/{repo}/issues?direction=asc"));
        let issues = all.as_array().unwrap().iter();
        let titles: Vec<_> = issues
            .filter(|entry| entry.get("pull_request").is_none())
            .map(|issue| issue["title"].as_str().unwrap())
            .collect();
        assert_eq!(titles, expect, "{repo}");
    }
    for scenario in SCENARIOS {
        process.start_loop(scenario);
    }
    for scenario in SCENARIOS {
        process.wait_until_ended_as_designed(scenario);
        process.assert_nothing_twice(&process.pull(scenario));
    }
    process.stop();
}

#[test]
fn a_sudden_end_in_the_middle_changes_neither_keys_nor_ends() {
    let (_folder, root) = demo_folder();
    let played = [Scenario::FixLoop, Scenario::Human, Scenario::Stuck];
    let process = DesktopProcess::start(&root);
    let url = process.playground.api_url();
    let before: Vec<_> = played.map(|scenario| process.start_loop(scenario)).into();
    let ids: Vec<_> = before
        .iter()
        .map(|pull| {
            process
                .wait_until(pull, |state| state.run.fixing.iteration > 0)
                .id
                .clone()
        })
        .collect();
    process.kill();

    let process = DesktopProcess::start(&root);
    assert_eq!(process.playground.api_url(), url);
    for scenario in played {
        process.resume_actors(scenario);
    }
    for ((scenario, pull), id) in played.into_iter().zip(before).zip(ids) {
        let state = process.wait_until_ended_as_designed(scenario);
        assert_eq!((process.pull(scenario), &state.id), (pull.clone(), &id));
        process.assert_nothing_twice(&pull);
    }
    // Who has played their part and begins anew has nothing left to do.
    process.resume_actors(Scenario::Human);
    process.resume_actors(Scenario::Stuck);
    process.stop();
    let process = DesktopProcess::start(&root);
    for scenario in played {
        process.assert_nothing_twice(&process.pull(scenario));
    }
    process.stop();
}

#[test]
fn a_merged_scenario_can_be_played_again() {
    let (_folder, root) = demo_folder();
    let process = DesktopProcess::start(&root);
    let first = process.start_loop(Scenario::Human);
    process.wait_until_ended_as_designed(Scenario::Human);
    let merge = format!(
        "{}/repos/{}/pulls/{}/merge",
        process.playground.api_url(),
        first.repo,
        first.number
    );
    process.runtime.block_on(async {
        let token = process.playground.token_of("octo");
        let request = reqwest::Client::new().put(merge).bearer_auth(token);
        let answer = request
            .header("user-agent", "test")
            .json(&serde_json::json!({}))
            .send()
            .await;
        assert!(answer.unwrap().status().is_success());
    });
    process.wait_until(&first, |state| state.run.state == State::Merged);
    let second = process
        .runtime
        .block_on(process.playground.reopen_scenario(Scenario::Human))
        .unwrap();
    assert_ne!(second, first);
    assert_eq!(process.pull(Scenario::Human), second);
    assert_eq!(process.playground.scenario_of(&first), None);
    process.start_loop(Scenario::Human);
    process.wait_until_ended_as_designed(Scenario::Human);
    process.assert_nothing_twice(&second);

    // A cancelled one too; the new name outlives a restart.
    process
        .app
        .handle()
        .cancel(&second, &Login::new("demo"))
        .unwrap();
    process.wait_until(&second, |state| state.run.state.is_terminal());
    let third = process
        .runtime
        .block_on(process.playground.reopen_scenario(Scenario::Human))
        .unwrap();
    process.stop();
    let process = DesktopProcess::start(&root);
    assert_eq!(process.pull(Scenario::Human), third);
    let gone = process.get(&format!("/repos/{}/pulls/{}", second.repo, second.number));
    assert_eq!(gone["state"], "closed");
    process.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_port_is_distinguished_from_other_errors_and_can_be_waited_for() {
    let (_folder, root) = demo_folder();
    let playground = open_playground(&root).await;
    let url = playground.api_url();
    let port: u16 = url
        .rsplit(':')
        .next()
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((20_000..32_000).contains(&port), "{url}");
    playground.close().await;
    // The same holds for a listener as for a lock.
    let bind = || std::net::TcpListener::bind(("127.0.0.1", port));
    let taker = wait_until_blocking("the port", bind);
    let again = retry_while_in_use(async || Playground::open(&root, DemoSpeed::Fast).await);
    let error = again.await.unwrap_err();
    assert!(
        matches!(error, DemoError::PortTaken(taken) if taken == port),
        "{error}"
    );
    drop(taker);
    let playground = open_playground(&root).await;
    assert_eq!(playground.api_url(), url);
    playground.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_open_keeps_others_out_and_is_not_forgotten() {
    let (_folder, root) = demo_folder();
    let playground = open_playground(&root).await;
    let error = Playground::open(&root, DemoSpeed::Fast).await.unwrap_err();
    assert!(matches!(error, DemoError::InUse(_)), "{error}");
    let error = Playground::remove(&root).unwrap_err();
    assert!(matches!(error, DemoError::InUse(_)), "{error}");
    playground.close().await;
    std::fs::write(root.join("notes.txt"), "mine").unwrap();
    retry_while_in_use(async || Playground::remove(&root))
        .await
        .unwrap();
    let left: Vec<_> = std::fs::read_dir(&root)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["notes.txt"]);
    std::fs::remove_file(root.join("notes.txt")).unwrap();
    retry_while_in_use(async || Playground::remove(&root))
        .await
        .unwrap();
    assert!(!root.exists());
    retry_while_in_use(async || Playground::remove(&root))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_made_playground_is_made_anew_and_a_damaged_one_says_so() {
    let (_folder, root) = demo_folder();
    let playground = open_playground(&root).await;
    playground.close().await;
    // A set-up that was killed has everything but its record.
    std::fs::remove_file(root.join("playground.json")).unwrap();
    std::fs::remove_dir_all(root.join("forge/git/demo/tools.git")).unwrap();
    let playground = open_playground(&root).await;
    assert_eq!(playground.pulls().len(), SCENARIOS.len());
    playground.close().await;
    std::fs::write(root.join("playground.json"), "{").unwrap();
    let again = retry_while_in_use(async || Playground::open(&root, DemoSpeed::Fast).await);
    let error = again.await.unwrap_err();
    assert!(matches!(error, DemoError::RecordDamaged { .. }), "{error}");
    retry_while_in_use(async || Playground::remove(&root))
        .await
        .unwrap();
    open_playground(&root).await.close().await;
}

#[test]
fn nobody_plays_the_demo_by_a_login_alone() {
    let (_folder, root) = demo_folder();
    let process = DesktopProcess::start(&root);
    let user = format!("{}/user", process.playground.api_url());
    let status = |token: &str| {
        process.runtime.block_on(async {
            let request = reqwest::Client::new().get(&user).bearer_auth(token);
            let answer = request.header("user-agent", "test").send().await;
            answer.unwrap().status().as_u16()
        })
    };
    let token = process.playground.token_of("demo");
    for guessed in [
        "forge-demo",
        "demo-token",
        "forge-demo-",
        &format!("forge-demo-{}", "0".repeat(32)),
        &token.replace("demo", "octo"),
    ] {
        assert_eq!(status(guessed), 401, "{guessed}");
    }
    assert_eq!(status(&token), 200);
    // Nothing of a run's secrets lies in the data folder.
    assert!(!root.join("forge/address.json").exists());
    process.stop();
    let process = DesktopProcess::start(&root);
    assert_ne!(
        process.playground.token_of("demo"),
        token,
        "each run has its own"
    );
    process.stop();
}

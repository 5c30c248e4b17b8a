//! `collie action` with the environment of GitHub's runner, on a forge: whom the review is posted as, what a fork gets, what later steps are told.

use crate::review::*;
use crate::support::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// What GitHub's runner sets up for a step.
struct Runner {
    folder: tempfile::TempDir,
    event: &'static str,
    payload: Value,
    actor: &'static str,
}

impl Runner {
    fn new(event: &'static str, payload: Value) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            event,
            payload,
            actor: "kim",
        }
    }

    /// A push to a pull request of the repository's own branch, or of a fork.
    fn of_pull(is_fork: bool) -> Self {
        let head = if is_fork { 2 } else { 1 };
        let payload = json!({"action": "synchronize", "pull_request": {
            "number": 1, "head": {"repo": {"id": head}}, "base": {"repo": {"id": 1}},
        }});
        Self::new("pull_request", payload)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn step(&self, home: &TestHome, args: &[&str]) -> Command {
        std::fs::write(self.path("event.json"), self.payload.to_string()).unwrap();
        let mut command = home.collie(&[&["action"], args].concat());
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", self.event)
            .env("GITHUB_EVENT_PATH", self.path("event.json"))
            .env("GITHUB_REPOSITORY", "acme/app")
            .env("GITHUB_ACTOR", self.actor)
            .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
            .env("GITHUB_OUTPUT", self.path("output"));
        command
    }

    fn run(&self, home: &TestHome, args: &[&str]) -> CommandResult {
        run_to_end(&mut self.step(home, args))
    }

    fn summary(&self) -> String {
        std::fs::read_to_string(self.path("summary.md")).unwrap()
    }

    fn output(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.path("output")).unwrap();
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let found = lines.find(|(key, _)| *key == name);
        found
            .unwrap_or_else(|| panic!("{name} in {text}"))
            .1
            .to_owned()
    }
}

/// A data folder that allows nobody: a workflow's token needs no more than the workflow.
fn bare_home(forge: &ForgeServer) -> TestHome {
    let home = TestHome::new(forge);
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    let lines = config
        .lines()
        .filter(|line| line.starts_with("github_api_url"));
    home.configure(&lines.collect::<Vec<_>>().join("\n"));
    home
}

/// The lines that are commands to the runner, without what stands between the words that stop it from reading any.
fn commands(stdout: &str) -> Vec<String> {
    let mut stopped_by = None;
    let mut found = Vec::new();
    for line in stdout.lines() {
        match &stopped_by {
            Some(word) if line == format!("::{word}::") => stopped_by = None,
            Some(_) => {}
            None => match line.strip_prefix("::stop-commands::") {
                Some(word) => stopped_by = Some(word.to_owned()),
                None if line.starts_with("::") => found.push(line.to_owned()),
                None => {}
            },
        }
    }
    assert_eq!(stopped_by, None, "{stdout}");
    found
}

#[test]
fn the_workflows_own_token_posts_and_later_steps_are_told() {
    let (forge, _) = setup();
    let home = bare_home(&forge);
    let model = model_quoting("  const sum = list.lenght;");
    let runner = Runner::of_pull(false);
    let url = model.url();
    let sarif = runner.path("out.sarif");
    let flags = [
        "--llm-provider",
        "compatible",
        "--model",
        "scripted",
        "--llm-url",
        &url,
        "--fail-on",
        "P1",
        "--sarif",
        sarif.to_str().unwrap(),
    ];
    let ended = runner.run(&home, &flags);
    assert_eq!(ended.status, 3, "{ended:?}");
    let posted = reviews(&forge);
    assert_eq!(posted.len(), 1, "{ended:?}");
    let told = commands(&ended.stdout);
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(
        told[0].starts_with("::error file=app.js,line=2,title=P1 "),
        "{told:#?}"
    );
    for (name, value) in [
        ("conclusion", "request_changes"),
        ("p1", "1"),
        ("posted", "true"),
        ("rules-alone", "false"),
        ("unread", "false"),
        ("review-id", &posted[0]["id"].to_string()),
        ("sarif", sarif.to_str().unwrap()),
    ] {
        assert_eq!(runner.output(name), value, "{name}");
    }
    assert!(
        runner
            .summary()
            .starts_with(posted[0]["body"].as_str().unwrap())
    );
    let log: Value = serde_json::from_str(&std::fs::read_to_string(&sarif).unwrap()).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 2);

    let again = runner.run(&home, &flags);
    assert_eq!(again.status, 3, "{again:?}");
    assert_eq!(
        reviews(&forge).len(),
        1,
        "a job that is run again posts nothing"
    );
}

#[test]
fn a_fork_without_secrets_gets_the_rules_alone_and_nothing_is_posted() {
    let (forge, _) = setup();
    let model = model_quoting("  const sum = list.lenght;");
    let url = model.url();
    let home = bare_home(&forge);
    let flags = [
        "--llm-provider",
        "compatible",
        "--model",
        "scripted",
        "--llm-url",
        &url,
    ];
    forge.call(COLLIE_LOGIN, "DELETE", "/_forge/requests", None);
    let by_dependabot = Runner {
        actor: "dependabot[bot]",
        ..Runner::of_pull(false)
    };
    for runner in [Runner::of_pull(true), by_dependabot] {
        let ended = runner.run(&home, &flags);
        assert_eq!(ended.status, 0, "{ended:?}");
        assert!(
            commands(&ended.stdout)[0].starts_with("::notice::"),
            "{ended:?}"
        );
        assert_eq!(runner.output("rules-alone"), "true");
        assert_eq!(runner.output("posted"), "false");
        assert!(
            runner
                .summary()
                .starts_with("> This workflow has no secrets")
        );
    }
    assert!(model.requests().is_empty(), "the model was asked");
    assert!(reviews(&forge).is_empty());
    let counts = forge.call(COLLIE_LOGIN, "GET", "/_forge/requests", None);
    let routes = counts["routes"].as_object().unwrap();
    let written = |route: &&String| {
        let reads = ["/graphql", "git-upload-pack"];
        !route.starts_with("GET ") && !reads.iter().any(|read| route.contains(read))
    };
    assert_eq!(routes.keys().filter(written).count(), 0, "{counts}");
    // With its secrets the same change is read by the model.
    let target = Runner {
        event: "pull_request_target",
        ..Runner::of_pull(true)
    };
    let ended = target.run(&home, &flags);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert_eq!(target.output("rules-alone"), "false");
    assert_eq!(reviews(&forge).len(), 1);
}

#[test]
fn what_others_wrote_is_no_command_to_the_runner() {
    let forge = ForgeServer::start();
    let hostile = "const a = 1;\n::error::owned\n::set-output name=p0::9\ndebugger;\n";
    forge.import_files(
        "acme/app",
        &[("a.js", "export {};\n")],
        &[("a.js", hostile)],
    );
    let home = bare_home(&forge);
    let runner = Runner::of_pull(false);
    let ended = runner.run(&home, &["--dry-run"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    for line in commands(&ended.stdout) {
        assert!(
            !line.starts_with("::error::owned") && !line.starts_with("::set-output"),
            "{line}"
        );
    }
    let words: Vec<_> = ended
        .stdout
        .lines()
        .filter(|line| line.starts_with("::stop-commands::"))
        .collect();
    let again = runner.run(&home, &["--dry-run"]);
    assert_eq!(words.len(), 1, "{ended:?}");
    assert!(!again.stdout.contains(words[0]), "the word can be known");
}

#[test]
fn what_is_missing_is_named() {
    let (forge, _) = setup();
    let home = bare_home(&forge);
    let runner = Runner::of_pull(false);
    for name in [
        "GITHUB_EVENT_PATH",
        "GITHUB_REPOSITORY",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_OUTPUT",
    ] {
        let ended = run_to_end(runner.step(&home, &["--json"]).env_remove(name));
        assert_eq!(ended.status, 1, "{ended:?}");
        assert_eq!(ended.json()[0]["code"], "action_environment", "{name}");
        assert!(ended.stdout.contains(name), "{ended:?}");
    }
    let push = Runner::new("push", json!({"ref": "refs/heads/main"}));
    assert_eq!(
        push.run(&home, &["--json"]).json()[0]["code"],
        "action_no_pull"
    );
    let named = push.run(&home, &["--pull-request", "1", "--dry-run"]);
    assert_eq!(named.status, 0, "{named:?}");
    assert!(reviews(&forge).is_empty());
}

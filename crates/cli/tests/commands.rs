//! The real command, as scripts use it: exit statuses, JSON lines, and clear errors, against a forge of its own.

use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A command in a world of its own: nothing of the user's environment is seen.
fn collie_command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_collie"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("COLLIE_HOME", home.join("data"))
        .env("LANG", "C")
        .stdin(Stdio::null());
    command
}

fn run_to_end(command: &mut Command) -> (i32, Vec<Value>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("it runs");
    let lines = String::from_utf8(stdout).expect("UTF-8");
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    (
        status.code().expect("no signal"),
        lines,
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

/// A forge with `me/project` and pull request 1, served until dropped.
struct ForgeServer {
    child: Child,
    api_url: String,
}

impl ForgeServer {
    fn start(folder: &Path) -> Self {
        let source = folder.join("source");
        let script = "git init -q -b main . && echo 'print(1)' > a.py && git add . && git commit -q -m Start \
             && git switch -q -c change && echo 'print(2)' > a.py && git commit -q -a -m Change && git switch -q main";
        std::fs::create_dir_all(&source).expect("made");
        let made = Command::new("sh")
            .args(["-c", script])
            .current_dir(&source)
            .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "me")))
            .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "me@localhost")))
            .status();
        assert!(made.expect("sh runs").success());
        let root = folder.join("forge");
        let forge = |args: &[&str]| {
            let mut command = collie_command(folder);
            command
                .args(["forge", args[0], "--root"])
                .arg(&root)
                .args(&args[1..]);
            command
        };
        let (status, lines, error) =
            run_to_end(forge(&["import", "--json", "--repo", "me/project", "--git"]).arg(&source));
        assert_eq!(
            (status, lines[0]["type"].as_str()),
            (0, Some("imported")),
            "{error}"
        );
        let open = [
            "open-pr",
            "--json",
            "--repo",
            "me/project",
            "--base",
            "main",
            "--head",
            "change",
            "--title",
            "Print 2",
        ];
        let (status, lines, error) = run_to_end(&mut forge(&open));
        assert_eq!(
            (status, lines[0]["pull"].as_str()),
            (0, Some("me/project#1")),
            "{error}"
        );
        let mut child = forge(&["serve"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("a line");
        let startup_line: Value = serde_json::from_str(&line).expect("one JSON line");
        let api_url = startup_line["api_url"]
            .as_str()
            .expect("an address")
            .to_owned();
        Self { child, api_url }
    }

    fn client(&self, folder: &Path, login: &str) -> Command {
        let mut command = collie_command(folder);
        command
            .env("GITHUB_API_URL", &self.api_url)
            .env("GITHUB_TOKEN", format!("forge-{login}"))
            .env("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS", "me");
        command
    }
}

impl Drop for ForgeServer {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        if !std::thread::panicking() {
            ended.expect("the forge ends");
        }
    }
}

#[test]
fn a_pull_request_is_watched_until_it_is_settled_and_can_be_looked_up_later() {
    let folder = tempfile::tempdir().unwrap();
    let forge = ForgeServer::start(folder.path());
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(
        data.join("config.toml"),
        "poll_interval = \"1s\"\nno_checks_grace = \"1s\"\n",
    )
    .unwrap();
    let client = |args: &[&str]| run_to_end(forge.client(folder.path(), "me").args(args));

    let (status, lines, error) = client(&[
        "watch",
        "me/project",
        "--autonomy",
        "push",
        "--until-settled",
        "--json",
    ]);
    assert_eq!(status, 0, "{error}");
    let last = lines.last().unwrap();
    assert_eq!(
        (last["type"].as_str(), last["state"].as_str()),
        (Some("settled"), Some("pr_ready_to_merge"))
    );
    assert!(
        lines[..lines.len() - 1]
            .iter()
            .all(|line| line["type"] == "loop")
    );

    let (status, lines, _) = client(&["status", "ME/Project#1", "--json"]);
    assert_eq!((status, lines.len()), (0, 1));
    assert_eq!(lines[0]["key"], "me/project#1");

    let (status, lines, _) = client(&["log", "me/project#1", "--json"]);
    assert_eq!(status, 0);
    assert!(lines.iter().any(|line| line["to"] == "pr_ready_to_merge"));
    assert!(
        lines
            .windows(2)
            .all(|pair| pair[0]["seq"].as_u64() < pair[1]["seq"].as_u64())
    );

    let (status, lines, _) = client(&["cancel", "me/project#1", "--json"]);
    assert_eq!((status, lines[0]["fate"].as_str()), (0, Some("queued")));
    let (status, lines, _) = client(&[
        "watch",
        "me/project#1",
        "--autonomy",
        "push",
        "--until-settled",
        "--json",
    ]);
    assert!(status == 5 || status == 0, "{status}: {:?}", lines.last());
}

#[test]
fn what_cannot_be_done_is_reported_with_a_code_and_words() {
    let folder = tempfile::tempdir().unwrap();
    let forge = ForgeServer::start(folder.path());
    let check = |login: &str, args: &[&str], code: &str, words: &str| {
        let (status, lines, _) =
            run_to_end(forge.client(folder.path(), login).args(args).arg("--json"));
        let said = lines.last().unwrap_or(&Value::Null);
        assert_eq!(
            (status, said["type"].as_str(), said["code"].as_str()),
            (1, Some("error"), Some(code)),
            "{args:?}: {said}"
        );
        let message = said["message"].as_str().unwrap();
        assert!(message.contains(words), "{args:?}: {message}");
    };
    let nowhere = folder.path().join("nowhere").display().to_string();
    check(
        "me",
        &["watch", "me/nothing#1", "--until-settled"],
        "not_found",
        "me/nothing",
    );
    check(
        "me",
        &["watch", "me/project#77", "--until-settled"],
        "not_found",
        "me/project#77",
    );
    check(
        "kim",
        &["watch", "me/project#1", "--until-settled"],
        "denied",
        "kim",
    );
    check(
        "nobody-there",
        &["start", "me/project#1"],
        "unauthorized",
        "token",
    );
    check("me", &["status", "me/project#1"], "no_loop", "me/project#1");
    check("me", &["log", "me/project#1"], "no_loop", "me/project#1");
    check(
        "me",
        &[
            "forge", "open-pr", "--root", &nowhere, "--repo", "a/b", "--base", "x", "--head", "y",
            "--title", "t",
        ],
        "forge",
        "no account `a`",
    );
}

#[test]
fn a_wrong_configuration_or_command_line_is_reported_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(
        data.join("config.toml"),
        "\nauto_merge = true\npol_interval = 3\n",
    )
    .unwrap();
    let (status, lines, _) = run_to_end(collie_command(folder.path()).args(["status", "--json"]));
    let message = lines[0]["message"].as_str().unwrap();
    assert_eq!(
        (status, lines[0]["code"].as_str()),
        (1, Some("configuration"))
    );
    assert!(
        message.contains("config.toml, line 2, `auto_merge`"),
        "{message}"
    );
    assert!(
        message.contains("did you mean `poll_interval`?"),
        "{message}"
    );
    for args in [
        &["watch"] as &[&str],
        &["watch", "nonsense"],
        &["start", "a/b"],
        &["demo", "--scenario", "x"],
        &["merge", "a/b#1"],
    ] {
        assert_eq!(
            run_to_end(collie_command(folder.path()).args(args)).0,
            2,
            "{args:?}"
        );
    }
    assert!(!data.join("collie.db").exists());
}

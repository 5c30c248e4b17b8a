//! `collie review` in CI: exit status by what was found, formats, one report a head, several pull requests, few processes.

use crate::review::*;
use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm as Model};
use collie_testkit::program::write_program;
use serde_json::{Value, json};
use std::path::Path;

const MISSPELT: &str = "  const sum = list.lenght;";

#[test]
fn a_build_fails_from_the_priority_on_that_is_asked_for() {
    let (_forge, home) = setup();
    let model = model_quoting(MISSPELT);
    for (flags, status) in [
        (&["--dry-run"][..], 0),
        (&["--dry-run", "--fail-on", "P0"], 0),
        (&["--dry-run", "--fail-on", "P1"], 3),
        (&["--dry-run", "--fail-on", "p3", "--json"], 3),
        (&["--dry-run", "--fail-on", "P4"], 2),
    ] {
        let ended = run_review(&home, &model, flags);
        assert_eq!(ended.status, status, "{flags:?}: {ended:?}");
    }
}

#[test]
fn a_head_is_reported_on_once_and_a_second_run_ends_as_the_first_did() {
    let (forge, home) = setup();
    let model = model_quoting(MISSPELT);
    // The answer is lost, and for a while nobody can tell whether the review arrived.
    let faults = json!([
        { "kind": "drop_after", "route": "POST /repos/*/*/pulls/*/reviews", "count": 1 },
    ]);
    forge.call(COLLIE_LOGIN, "POST", "/_forge/faults", Some(faults));
    let first = run_review(&home, &model, &["--json", "--fail-on", "P1"]);
    assert_eq!(first.status, 3, "{first:?}");
    let first = first.json().pop().unwrap();
    let asked = model.requests().len();
    // Another machine, which remembers nothing.
    let elsewhere = TestHome::new(&forge);
    for home in [&home, &elsewhere] {
        let again = run_review(home, &model, &["--json", "--fail-on", "P1"]);
        assert_eq!(again.status, 3, "{again:?}");
        let line = again.json().pop().unwrap();
        assert_eq!(
            [&line["posted"], &line["already_posted"], &line["review_id"]],
            [&json!(false), &json!(true), &first["review_id"]]
        );
        for same in ["conclusion", "counts", "unread", "body"] {
            assert_eq!(line[same], first[same], "{same}");
        }
        let below = run_review(home, &model, &["--fail-on", "P0"]);
        assert_eq!(below.status, 0, "{below:?}");
        assert!(below.stdout.contains("already has a review"), "{below:?}");
        assert!(
            below
                .stdout
                .contains("changes requested (2 findings count)"),
            "{below:?}"
        );
    }
    assert_eq!(model.requests().len(), asked, "nobody is asked again");
    assert_eq!(
        (reviews(&forge).len(), comment_locations(&forge).len()),
        (1, 2)
    );
}

#[test]
fn a_report_that_somebody_else_put_there_is_not_taken_for_ours() {
    let (forge, home) = setup();
    let model = model_quoting(MISSPELT);
    let dry = review_line(&run_review(&home, &model, &["--json", "--dry-run"]));
    let body = dry["body"].as_str().unwrap();
    let better = body.replace("\"p1_critical\":1", "\"p1_critical\":0");
    assert_ne!(better, body);
    let copied = json!({"event": "COMMENT", "body": better});
    forge.call(
        "kim",
        "POST",
        "/repos/acme/app/pulls/1/reviews",
        Some(copied),
    );
    let ended = run_review(&home, &model, &["--json", "--fail-on", "P1"]);
    assert_eq!(ended.status, 3, "{ended:?}");
    assert_eq!(ended.json().pop().unwrap()["posted"], true);
}

#[test]
fn the_report_is_printed_as_markdown_and_nothing_else() {
    let (forge, home) = setup();
    let model = model_quoting(MISSPELT);
    let ended = run_review(&home, &model, &["--format", "markdown"]);
    let posted = reviews(&forge);
    let body = posted[0]["body"].as_str().unwrap();
    assert!(ended.stdout.starts_with(body), "{}", ended.stdout);
    let rest = &ended.stdout[body.len()..];
    assert!(
        rest.contains("#### `app.js:2`") && rest.contains("#### `app.js:3`"),
        "{rest}"
    );
    assert!(!rest.contains("Posted"), "{rest}");
    let json = run_review(&home, &model, &["--dry-run", "--format", "json"]);
    assert_eq!(review_line(&json)["dry_run"], true);
}

#[test]
fn several_are_reviewed_in_a_row_and_one_that_fails_stops_no_other() {
    let (forge, home) = setup();
    let args = [
        "review",
        "77",
        "1",
        "--repo",
        "acme/app",
        "--json",
        "--fail-on",
        "P3",
    ];
    let ended = home.run(&args);
    assert_eq!(ended.status, 1, "{ended:?}");
    let lines = ended.json();
    assert_eq!(lines[0]["code"], "not_found", "{lines:#?}");
    assert_eq!(lines.last().unwrap()["key"], "acme/app#1", "{lines:#?}");
    assert_eq!(reviews(&forge).len(), 1);
}

#[test]
fn what_was_left_out_is_named() {
    let forge = ForgeServer::start();
    let lock = "{}\n";
    forge.import_files(
        "acme/app",
        &[("a.txt", "a\n")],
        &[("a.txt", "b\n"), ("package-lock.json", lock)],
    );
    let home = TestHome::new(&forge);
    let line = review_line(&home.run(&[&REVIEW[..], &["--json", "--dry-run"]].concat()));
    assert_eq!(
        line["unseen"],
        json!([{"path": "package-lock.json", "reason": "lockfile"}]),
        "{line}"
    );
    let told = home.run(&[&REVIEW[..], &["--dry-run"]].concat());
    assert!(
        told.stdout.contains("  package-lock.json: lockfile\n"),
        "{told:?}"
    );
    let body = line["body"].as_str().unwrap();
    assert!(
        body.contains("1 of 2 files in full (+2 −1), by rules."),
        "{body}"
    );
}

/// A folder with a git that writes down each of its calls.
fn recording_git(log: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|place| place.join("git"));
    let git = git.into_iter().find(|git| git.is_file()).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n",
        log.display(),
        git.display()
    );
    write_program(&folder.path().join("git"), script);
    folder
}

#[test]
fn a_cold_review_starts_few_processes_however_many_files_changed() {
    let logs = tempfile::tempdir().unwrap();
    let calls_for = |count: usize| -> Vec<String> {
        let forge = ForgeServer::start();
        let names: Vec<String> = (0..count).map(|n| format!("src/f{n}.js")).collect();
        let with = |text: &'static str| names.iter().map(move |name| (name.as_str(), text));
        let base: Vec<(&str, &str)> = with("export {};\n").collect();
        let head: Vec<(&str, &str)> = with("export const x = 1;\n").collect();
        forge.import_files("acme/app", &base, &head);
        let home = TestHome::new(&forge);
        let model = model_quoting(MISSPELT);
        let log = logs.path().join(count.to_string());
        let folder = recording_git(&log);
        let args = review_args(&model, &["--dry-run", "--json"]);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = home.collie(&args);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", folder.path().display()));
        let line: Value = review_line(&run_to_end(&mut command));
        assert_eq!(line["reviewers"], json!(["quinn", "rules"]));
        let text = std::fs::read_to_string(&log).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let (four, forty) = (calls_for(4), calls_for(40));
    assert_eq!(four.len(), forty.len(), "{four:#?}\n{forty:#?}");
    assert!(four.len() <= 45, "{}: {four:#?}", four.len());
    let readers = four.iter().filter(|call| call.starts_with("cat-file"));
    assert_eq!(readers.count(), 1, "{four:#?}");
}

/// A model that finds this in a file that the pull request leaves alone.
fn model_finding_elsewhere(evidence: &'static str) -> Model {
    let answer = move |asked: &ReceivedRequest| {
        if is_second_look(asked) {
            return Reply::text(second_look().to_string());
        }
        let found = json!({
            "kind": "error", "priority": "P1", "category": "correctness", "file": "README.md", "line": 1,
            "evidence": evidence, "title": "The document names the wrong product", "trigger": "any reader",
            "consequence": "they look for something else", "description": "It is another product now.",
            "suggestion": null, "replacement": null, "confidence": 0.95,
        });
        let told = json!({
            "conclusion": "request_changes", "findings": [found], "earlier": [], "escalations": [], "fullReport": "One fault.",
        });
        Reply::text(told.to_string())
    };
    RUNTIME.block_on(FakeLlm::serve(answer))
}

#[test]
fn what_stands_in_a_file_that_is_left_alone_counts_and_is_told_in_the_report() {
    let (forge, home) = setup();
    let line = review_line(&run_review(
        &home,
        &model_finding_elsewhere("# App"),
        &["--json"],
    ));
    assert_eq!(line["counts"]["p1_critical"], 1, "{line}");
    let body = line["body"].as_str().unwrap();
    assert!(
        body.contains("The document names the wrong product"),
        "{body}"
    );
    let on_lines = comment_locations(&forge);
    assert!(
        on_lines.iter().all(|(path, _)| path == "app.js"),
        "{on_lines:?}"
    );
    // What does not stand there is dropped, as anywhere.
    let (_forge, home) = setup();
    let model = model_finding_elsewhere("# Another product");
    let line = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(line["counts"]["p1_critical"], 0, "{line}");
}

#[test]
fn with_fail_on_a_person_who_requests_changes_is_enough() {
    let forge = ForgeServer::start();
    forge.import_files("demo/app", &[("a.txt", "a\n")], &[("a.txt", "b\n")]);
    let home = TestHome::new(&forge);
    let say = |event: &str| {
        let review = json!({"event": event, "body": "My word."});
        let path = "/repos/demo/app/pulls/1/reviews";
        forge.call("ana", "POST", path, Some(review));
    };
    say("REQUEST_CHANGES");
    // Who may write is told to owners alone.
    let review = ["review", "1", "--repo", "demo/app"];
    let gated = [&review[..], &["--fail-on", "P0", "--json"]].concat();
    // The second time from the report that is there.
    for _ in 0..2 {
        let ended = home.run(&gated);
        assert_eq!(ended.status, 3, "{ended:?}");
    }
    assert_eq!(home.run(&review).status, 0, "nothing was to fail");
    // It is the person's latest word that counts, and not the one of then.
    for (event, status) in [("APPROVE", 0), ("REQUEST_CHANGES", 3)] {
        say(event);
        let ended = home.run(&gated);
        assert_eq!(ended.status, status, "{event}: {ended:?}");
        assert_eq!(ended.json().pop().unwrap()["already_posted"], json!(true));
    }
}

#[test]
fn who_may_not_be_asked_about_is_named_where_they_say_something() {
    let forge = ForgeServer::start();
    forge.import_files("acme/app", &[("a.txt", "a\n")], &[("a.txt", "b\n")]);
    let home = TestHome::new(&forge);
    let review = json!({"event": "REQUEST_CHANGES", "body": "My word."});
    forge.call(
        "ana",
        "POST",
        "/repos/acme/app/pulls/1/reviews",
        Some(review),
    );
    // The token is of one who may only read.
    let gated = [&REVIEW[..], &["--fail-on", "P0"]].concat();
    let ended = home.run(&gated);
    let said = "GitHub does not tell this token what @ana may do here";
    assert!(ended.stdout.contains(said), "{ended:?}");
    assert_eq!(ended.status, 0, "{ended:?}");
    // The second time from the report that is there.
    let json = home.run(&[&gated[..], &["--json"]].concat()).json();
    let last = json.last().unwrap();
    assert_eq!(last["permission_unread"], json!(["ana"]), "{last}");
    assert_eq!(last["already_posted"], json!(true));
}

#[test]
fn with_fail_on_text_that_nobody_was_shown_is_enough() {
    let forge = ForgeServer::start();
    // More than the rules of structure read.
    let large = "x = 1\n".repeat(200_000);
    forge.import_files("acme/app", &[("app.py", "x = 1\n")], &[("app.py", &large)]);
    let home = TestHome::new(&forge);
    let gated = [&REVIEW[..], &["--fail-on", "P0", "--json"]].concat();
    let ended = home.run(&gated);
    let unseen = ended.json().pop().unwrap()["unseen"].to_string();
    assert!(unseen.contains("too_large"), "{unseen}");
    assert_eq!(ended.status, 3, "{ended:?}");
    assert_eq!(home.run(&gated).status, 3, "from the report that is there");
    // Where it is only to be told, it is no reason.
    let home = TestHome::new(&forge).with_config_lines("unseen = \"tell\"");
    let again = [&gated[..], &["--dry-run"]].concat();
    assert_eq!(home.run(&again).status, 0);
}

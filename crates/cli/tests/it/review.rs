//! `collie review`: one review on a real forge, by the rules and by a scripted model.

use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm as Model};
use serde_json::{Value, json};

/// A fault that only the model finds, on line 2, and one that only the rules find, on line 3.
pub(crate) const FAULTY: &str =
    "export function total(list) {\n  const sum = list.lenght;\n  debugger;\n  return sum;\n}\n";

/// A forge with that change as `acme/app#1`, and a data folder.
pub(crate) fn setup() -> (ForgeServer, TestHome) {
    let forge = ForgeServer::start();
    let base = [("app.js", "export {};\n"), ("README.md", "# App\n")];
    forge.import_files("acme/app", &base, &[("app.js", FAULTY)]);
    let home = TestHome::new(&forge);
    (forge, home)
}

/// Where a prompt asks what became of earlier findings.
pub(crate) const EARLIER: &str = "## Your earlier findings";

/// A model that finds the misspelling, quoting `evidence`, and stands by it.
pub(crate) fn model_quoting(evidence: &'static str) -> Model {
    let answer = move |asked: &ReceivedRequest| {
        let told = if is_second_look(asked) {
            second_look()
        } else {
            json!({
                "conclusion": "request_changes",
                "findings": [{
                    "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js",
                    "line": 2, "evidence": evidence, "title": "The length is misspelt",
                    "trigger": "any list", "consequence": "the total is undefined",
                    "description": "`lenght` is undefined.", "suggestion": "Write `length`.",
                    "replacement": null, "confidence": 0.95,
                }],
                "earlier": if asked.prompt().contains(EARLIER) {
                    json!([{"finding": "K1", "verdict": "open", "reason": "It is still there."}])
                } else {
                    json!([])
                },
                "escalations": [{"reason": "It is about money.", "reviewer": "sam"}], "fullReport": "One fault.",
            })
        };
        Reply::text(told.to_string()).with_usage(1000, 100, 200)
    };
    RUNTIME.block_on(FakeLlm::serve(answer))
}

/// Whether one of its findings is to be looked at again.
pub(crate) fn is_second_look(asked: &ReceivedRequest) -> bool {
    let verdicts = |schema: &Value| schema.pointer("/properties/verdicts").is_some();
    asked.schema.as_ref().is_some_and(verdicts)
}

/// A second look that upholds the finding.
pub(crate) fn second_look() -> Value {
    json!({"verdicts": [{"finding": "F1", "reason": "I looked.", "score": "100"}]})
}

pub(crate) const REVIEW: [&str; 4] = ["review", "1", "--repo", "acme/app"];

/// The command with these flags, on this model.
pub(crate) fn review_args(model: &Model, flags: &[&str]) -> Vec<String> {
    let url = model.url();
    let named = [
        "--llm-provider",
        "compatible",
        "--model",
        "scripted",
        "--llm-url",
        &url,
    ];
    let all = [&REVIEW[..], &named, flags].concat();
    all.into_iter().map(str::to_owned).collect()
}

pub(crate) fn run_review(home: &TestHome, model: &Model, flags: &[&str]) -> CommandResult {
    let args = review_args(model, flags);
    home.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Path and line of what stands in the diff, in order.
pub(crate) fn comment_locations(forge: &ForgeServer) -> Vec<(String, u64)> {
    let comments = forge.list("/repos/acme/app/pulls/1/comments");
    let place = |c: &Value| {
        let path = c["path"].as_str().unwrap().to_owned();
        (path, c["line"].as_u64().unwrap())
    };
    comments.iter().map(place).collect()
}

pub(crate) fn reviews(forge: &ForgeServer) -> Vec<Value> {
    forge.list("/repos/acme/app/pulls/1/reviews")
}

/// The last line, which is about the whole review.
pub(crate) fn review_line(ended: &CommandResult) -> Value {
    assert_eq!(ended.status, 0, "{ended:?}");
    let mut lines = ended.json();
    let last = lines.pop().unwrap();
    assert_eq!(last["type"], "review", "{last}");
    assert!(
        lines.iter().all(|line| line["type"] == "finding"),
        "{lines:#?}"
    );
    last
}

#[test]
fn a_model_and_the_rules_review_once_and_the_review_is_posted_once() {
    let (forge, home) = setup();
    let model = model_quoting("  const sum = list.lenght;");
    let first = run_review(
        &home,
        &model,
        &["--json", "--temperature", "0.25", "--max-tokens", "900"],
    );
    let line = review_line(&first);
    assert_eq!(line["conclusion"], "request_changes");
    assert_eq!(line["reviewers"], json!(["quinn", "rules"]));
    assert_eq!(line["counts"]["p1_critical"], 1, "{line}");
    assert_eq!(line["usage"]["input_tokens"], 2000, "{line}");
    assert_eq!(
        (&line["posted"], &line["dry_run"]),
        (&json!(true), &json!(false))
    );
    let findings = first.json();
    assert_eq!(findings[0]["title"], "The length is misspelt");
    assert!(findings[0]["fingerprint"].is_string() && findings[0]["comment"].is_string());

    let places_of_both = [("app.js".to_owned(), 2), ("app.js".to_owned(), 3)];
    assert_eq!(comment_locations(&forge), places_of_both);
    let posted = reviews(&forge);
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!(posted[0]["state"], "COMMENTED");
    assert_eq!(
        (&posted[0]["id"], &posted[0]["body"]),
        (&line["review_id"], &line["body"])
    );
    assert!(forge.list("/repos/acme/app/issues/1/comments").is_empty());
    let asked = &model.requests()[0];
    assert!(asked.prompt().contains("list.lenght"), "{}", asked.prompt());

    let again = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(
        (&again["posted"], &again["review_id"]),
        (&json!(false), &line["review_id"])
    );
    assert_eq!(
        (comment_locations(&forge).len(), reviews(&forge).len()),
        (2, 1)
    );
    let told = run_review(&home, &model, &["--lang", "fr"]);
    assert!(told.stdout.contains("a déjà une revue"), "{told:?}");

    let audit = home.audit();
    let has = |action: &str| audit.iter().any(|line| line["action"] == action);
    assert!(
        has("permission_check_passed") && has("comment_posted"),
        "{audit:#?}"
    );
    let left = std::fs::read_dir(home.path().join("reviews/worktrees"));
    let trees = left.map_or(0, |hosts| {
        let repos = hosts.flat_map(|host| std::fs::read_dir(host.unwrap().path()).unwrap());
        repos
            .flat_map(|repo| std::fs::read_dir(repo.unwrap().path()).unwrap())
            .count()
    });
    assert_eq!(trees, 0, "no checkout stays behind");
}

#[test]
fn a_dry_run_prints_what_would_be_posted_and_writes_nothing() {
    let (forge, home) = setup();
    let model = model_quoting("  const sum = list.lenght;");
    forge.call(COLLIE_LOGIN, "DELETE", "/_forge/requests", None);
    // Whoever may not post may look all the same.
    let home = home.signed_in_as("forge-ana");
    let ended = run_review(&home, &model, &["--dry-run"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    for shown in [
        "app.js:2\n",
        "app.js:3\n",
        "The length is misspelt",
        "Review 1: changes requested",
        "<!-- collie-action:",
        "Dry run: nothing was posted. The review would have 2 inline comments.",
    ] {
        assert!(
            ended.stdout.contains(shown),
            "`{shown}` is not in\n{}",
            ended.stdout
        );
    }
    let line = review_line(&run_review(&home, &model, &["--dry-run", "--json"]));
    assert_eq!(
        (&line["posted"], &line["dry_run"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(line["review_id"], Value::Null);
    assert_eq!(
        (comment_locations(&forge).len(), reviews(&forge).len()),
        (0, 0)
    );
    let counts = forge.call(COLLIE_LOGIN, "GET", "/_forge/requests", None);
    let routes = counts["routes"].as_object().unwrap();
    let writes = |route: &&String| {
        !route.starts_with("GET ")
            && !["/graphql", "git-upload-pack"]
                .iter()
                .any(|r| route.contains(r))
    };
    let written: Vec<&String> = routes.keys().filter(writes).collect();
    assert!(written.is_empty() && !routes.is_empty(), "{counts}");
}

#[test]
fn a_review_whose_answer_is_lost_is_there_once() {
    let (forge, home) = setup();
    let route = "POST /repos/*/*/pulls/*/reviews";
    let faults = json!([{ "kind": "drop_after", "route": route, "count": 1 }]);
    forge.call(COLLIE_LOGIN, "POST", "/_forge/faults", Some(faults));
    let line = review_line(&home.run(&[&REVIEW[..], &["--json"]].concat()));
    let posted = reviews(&forge);
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!(
        (&line["posted"], &line["review_id"]),
        (&json!(true), &posted[0]["id"])
    );
}

#[test]
fn what_does_not_stand_in_the_code_is_dropped() {
    let (forge, home) = setup();
    let model = model_quoting("  const sum = list.size();");
    let line = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(line["counts"]["p1_critical"], 0, "{line}");
    assert_eq!(comment_locations(&forge), [("app.js".to_owned(), 3)]);
}

#[test]
fn without_a_model_the_rules_review_alone_also_beside_a_running_engine() {
    let (forge, home) = setup();
    let gate = CheckGate::new();
    let slow = [
        (".forge.toml", gate.forge_toml()),
        ("a.txt", "a\n".to_owned()),
    ];
    let slow: Vec<(&str, &str)> = slow
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    forge.import_files("acme/slow", &slow, &[("a.txt", "b\n")]);
    let mut engine = home.start(&["watch", "acme/slow#1", "--json"]);
    engine.read_until("the engine at work", |_| true);
    let line = review_line(&home.run(&[&REVIEW[..], &["--json"]].concat()));
    assert_eq!(line["reviewers"], json!(["rules"]));
    assert_eq!(
        line["usage"],
        json!({"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0})
    );
    assert_eq!(comment_locations(&forge), [("app.js".to_owned(), 3)]);
}

#[test]
fn a_sound_change_gets_one_approving_comment_and_no_approval() {
    let forge = ForgeServer::start();
    forge.import_files("acme/app", &[("a.txt", "a\n")], &[("a.txt", "b\n")]);
    let home = TestHome::new(&forge);
    let ended = home.run(&REVIEW);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(
        ended.stdout.contains("Nothing to change was found."),
        "{ended:?}"
    );
    assert!(
        ended.stdout.contains("Posted the review: http"),
        "{ended:?}"
    );
    let posted = reviews(&forge);
    assert_eq!(
        (posted.len(), &posted[0]["state"]),
        (1, &json!("COMMENTED"))
    );
}

#[test]
fn what_cannot_be_reviewed_or_posted_is_refused_in_words() {
    let (forge, home) = setup();
    let check = |home: &TestHome, args: &[&str], status: i32, code: &str, words: &[&str]| {
        let ended = home.run(&[args, &["--json"]].concat());
        let said = ended.json().pop().unwrap();
        assert_eq!(
            (ended.status, &said["code"]),
            (status, &json!(code)),
            "{ended:?}"
        );
        for word in words {
            assert!(said.to_string().contains(word), "`{word}` is not in {said}");
        }
    };
    let usage = |flags: &[&str], words: &[&str]| {
        check(&home, &[&REVIEW[..], flags].concat(), 2, "usage", words);
    };
    usage(&["--llm-provider", "claudius"], &["anthropic"]);
    usage(&["--temperature", "3"], &["from 0 to 2"]);
    usage(&["--max-tokens", "7"], &["256"]);
    usage(&["--llm-url", "localhost"], &["localhost"]);
    check(
        &home,
        &["review", "0", "--repo", "acme/app"],
        2,
        "usage",
        &["0"],
    );
    check(&home, &["review", "1"], 2, "usage", &["--repo"]);
    let half = [&REVIEW[..], &["--model", "x"]].concat();
    check(&home, &half, 1, "configuration", &["provider"]);
    let idle = [&REVIEW[..], &["--temperature", "1"]].concat();
    check(&home, &idle, 1, "review_no_model", &["--llm-provider"]);

    let unknown = ["review", "77", "--repo", "acme/app"];
    check(
        &home,
        &unknown,
        1,
        "not_found",
        &["acme/app#77", "not found"],
    );
    let mute = RUNTIME.block_on(FakeLlm::serve(|_| Reply::text("Looks good!")));
    let args = review_args(&mute, &[]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    check(
        &home,
        &args,
        1,
        "review_failed",
        &["quinn could not review acme/app#1"],
    );

    let home = home.signed_in_as("forge-ana");
    check(
        &home,
        &REVIEW,
        1,
        "review_denied",
        &["@ana", "allowed_users", "--dry-run"],
    );
    let denied = home.audit();
    assert!(
        denied
            .iter()
            .any(|line| line["action"] == "permission_check_denied")
    );
    let close = json!({ "state": "closed" });
    forge.call("kim", "PATCH", "/repos/acme/app/pulls/1", Some(close));
    check(
        &home,
        &REVIEW,
        1,
        "review_not_open",
        &["acme/app#1 is closed"],
    );
    assert_eq!(
        (comment_locations(&forge).len(), reviews(&forge).len()),
        (0, 0)
    );
}

#[test]
fn callers_in_files_that_stay_as_they_are_are_shown_to_a_model() {
    let forge = ForgeServer::start();
    let base = [
        (
            "app.js",
            "export function total(list) {\n  return list.length;\n}\n",
        ),
        (
            "report.js",
            "import { total } from \"./app.js\";\n\nexport function report(list) {\n  return total(list) + 1;\n}\n",
        ),
    ];
    forge.import_files("acme/app", &base, &[("app.js", FAULTY)]);
    let home = TestHome::new(&forge);
    let model = model_quoting("  const sum = list.lenght;");
    review_line(&run_review(&home, &model, &["--json"]));
    let prompt = model.requests()[0].prompt();
    let beside = prompt.split("## Code beside the change").nth(1);
    let beside = beside.unwrap_or_else(|| panic!("no such section:\n{prompt}"));
    for shown in ["report.js (uses total)", "  return total(list) + 1;"] {
        assert!(beside.contains(shown), "{shown} in\n{beside}");
    }
}

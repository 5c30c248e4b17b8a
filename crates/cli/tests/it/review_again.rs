//! `collie review` on a later head: what changed since, and what stood.

use crate::review::{
    EARLIER, FAULTY, REVIEW, comment_locations, is_second_look, review_line, run_review,
    second_look, setup,
};
use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm as Model};
use serde_json::{Value, json};

/// A model that finds the misspelling once, and says later only what becomes of what it is asked about.
fn obedient_model() -> Model {
    let answer = |asked: &ReceivedRequest| {
        let prompt = asked.prompt();
        let mut told = json!({
            "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "Nothing new.",
        });
        if is_second_look(asked) {
            told = second_look();
        } else if prompt.contains(EARLIER) {
            told["earlier"] =
                json!([{"finding": "K1", "verdict": "open", "reason": "It still says `lenght`."}]);
            told["conclusion"] = json!("request_changes");
        } else if !prompt.contains("The length is misspelt") {
            told["conclusion"] = json!("request_changes");
            told["findings"] = json!([{
                "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 2,
                "evidence": "  const sum = list.lenght;", "title": "The length is misspelt",
                    "trigger": "any list", "consequence": "the total is undefined",
                "description": "`lenght` is undefined.", "suggestion": null, "replacement": null, "confidence": 0.95,
            }]);
        }
        Reply::text(told.to_string())
    };
    RUNTIME.block_on(FakeLlm::serve(answer))
}

#[test]
fn a_second_review_does_not_approve_what_the_first_one_found() {
    let (forge, home) = setup();
    let model = obedient_model();
    let first = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(first["counts"]["p1_critical"], 1, "{first}");
    forge.push_to_pull("acme/app", &[("README.md", "# The app\n")]);
    let again = run_review(&home, &model, &["--json"]);
    let second = review_line(&again);
    assert_eq!(second["conclusion"], "request_changes", "{second}");
    assert_eq!(second["counts"]["p1_critical"], 1, "{second}");
    let told = again.json();
    let stands = told.iter().find(|line| line["priority"] == "P1").unwrap();
    assert_eq!(
        (&stands["title"], &stands["line"]),
        (&json!("The length is misspelt"), &json!(2))
    );
    assert_eq!(comment_locations(&forge).len(), 2, "it is not said twice");
}

/// The repository's member answers what stands on line 2 of `app.js`, and closes its thread.
fn dismiss_thread(forge: &ForgeServer, words: &str) {
    // Who may write is told to those who may write themselves.
    let roles = json!({"roles": {"ana": "member", "kim": "member", COLLIE_LOGIN: "member"}});
    let settings = "/_forge/repos/acme/app";
    forge.call(COLLIE_LOGIN, "PATCH", settings, Some(roles));
    let comments = forge.list("/repos/acme/app/pulls/1/comments");
    let fits = |comment: &&Value| comment["line"] == 2;
    let comment = comments.iter().find(fits).expect("a comment on the line");
    let reply = json!({"body": words, "in_reply_to": comment["id"]});
    forge.call(
        "ana",
        "POST",
        "/repos/acme/app/pulls/1/comments",
        Some(reply),
    );
    let query = "{ repository(owner: \"acme\", name: \"app\") { pullRequest(number: 1) { reviewThreads(first: 9) { nodes { id line } } } } }";
    let data = forge.graphql("ana", query, json!({}));
    let threads = &data["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    let mut threads = threads.as_array().unwrap().iter();
    let thread = threads.find(|thread| thread["line"] == 2).unwrap();
    let resolve =
        "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id } } }";
    forge.graphql("ana", resolve, json!({"id": thread["id"]}));
}

/// What `collie memory list` gives.
fn remembered(home: &TestHome) -> Vec<Value> {
    let listed = home.run(&["memory", "list", "acme/app", "--json"]);
    assert_eq!(listed.status, 0, "{listed:?}");
    listed.json()
}

#[test]
fn a_review_remembers_what_was_dismissed_on_the_one_before_until_that_is_forgotten() {
    let (forge, home) = setup();
    let model = obedient_model();
    review_line(&run_review(&home, &model, &["--json"]));
    let path = |home: &TestHome| home.run(&["memory", "path", "acme/app", "--json"]).json();
    assert!(remembered(&home).is_empty());
    assert_eq!(path(&home)[0]["path"], Value::Null);
    dismiss_thread(&forge, "meant: an old browser calls it so");
    forge.push_to_pull("acme/app", &[("README.md", "# The app\n")]);
    review_line(&run_review(&home, &model, &["--json"]));
    let entries = remembered(&home);
    let [entry] = &entries[..] else {
        panic!("{entries:?}")
    };
    assert_eq!(entry["verdict"], "dismissed");
    assert_eq!(entry["title"], "The length is misspelt");
    assert_eq!(
        (&entry["category"], &entry["file"], &entry["by"]),
        (&json!("correctness"), &json!("app.js"), &json!("ana"))
    );
    assert_eq!(entry["reason"], "meant: an old browser calls it so");
    let prompt = review_prompts(&model).pop().unwrap();
    assert!(prompt.contains("an old browser calls it so"), "{prompt}");
    // Seen again it is the same; the file is where `path` says.
    forge.push_to_pull("acme/app", &[("README.md", "# An app\n")]);
    review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(remembered(&home).len(), 1);
    let file = path(&home)[0]["path"].as_str().unwrap().to_owned();
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("an old browser")
    );
    // In words for people, too.
    let listed = home.run(&["memory", "list", "acme/app", "--lang", "en"]);
    assert!(
        listed.stdout.contains("@ana") && listed.stdout.contains("#1"),
        "{listed:?}"
    );
    let id = entry["id"].as_str().unwrap();
    let forgotten = home.run(&["memory", "forget", "acme/app", id]);
    assert_eq!(forgotten.status, 0, "{forgotten:?}");
    assert!(remembered(&home).is_empty());
    let again = home.run(&["memory", "forget", "acme/app", id, "--lang", "en"]);
    assert!(again.status != 0 && again.stderr.contains(id), "{again:?}");
}

#[test]
fn a_review_takes_a_thread_for_no_dismissal_where_the_file_changed_since() {
    let (forge, home) = setup();
    let model = obedient_model();
    review_line(&run_review(&home, &model, &["--json"]));
    dismiss_thread(&forge, "mended above");
    let mended = FAULTY.replace(
        "export function total(list) {\n",
        "export function total(given) {\n",
    );
    forge.push_to_pull("acme/app", &[("app.js", &mended)]);
    review_line(&run_review(&home, &model, &["--json"]));
    assert!(remembered(&home).is_empty());
}

/// The prompts of first looks, without those of second looks at single findings.
fn review_prompts(model: &Model) -> Vec<String> {
    let reviews = |asked: &&ReceivedRequest| {
        let findings = |schema: &Value| schema.pointer("/properties/findings").is_some();
        asked.schema.as_ref().is_some_and(findings)
    };
    let requests = model.requests();
    let asked = requests.iter().filter(reviews);
    asked.map(ReceivedRequest::prompt).collect()
}

#[test]
fn a_second_review_looks_at_what_changed_since_the_first_and_at_what_stood() {
    let (forge, home) = setup();
    let model = obedient_model();
    review_line(&run_review(&home, &model, &["--json"]));
    forge.push_to_pull("acme/app", &[("README.md", "# The new app\n")]);
    let ended = run_review(&home, &model, &["--json"]);
    assert_eq!(review_line(&ended)["conclusion"], "request_changes");
    let asked = review_prompts(&model);
    let (first, second) = (&asked[0], &asked[1]);
    assert!(first.contains("Review the whole change"), "{first}");
    assert!(
        second.contains("## What changed since your last look"),
        "{second}"
    );
    assert!(second.contains("# The new app"), "{second}");
    // Of what did not change just the code of what stood.
    assert!(second.contains(EARLIER) && second.contains("const sum = list.lenght;"));
    assert!(first.contains("## The repository") && !second.contains("## The repository"));
    let body = review_line(&ended)["body"].as_str().unwrap().to_owned();
    assert!(body.contains("looked at what changed since"), "{body}");
    // Another model has seen nothing.
    let url = model.url();
    let other = [
        "--llm-provider",
        "compatible",
        "--model",
        "other",
        "--llm-url",
        &url,
    ];
    forge.push_to_pull("acme/app", &[("README.md", "# Another app\n")]);
    let ended = home.run(&[&REVIEW[..], &other, &["--json"]].concat());
    review_line(&ended);
    let third = review_prompts(&model).pop().unwrap();
    assert!(third.contains("Review the whole change"), "{third}");
}

/// The same change with and without its check of the caller.
const GUARDED: &str =
    "export function remove(user, id) {\n  if (!user.authorized) return;\n  drop(id);\n}\n";
const UNGUARDED: &str = "export function remove(user, id) {\n  drop(id);\n}\n";

/// A model that finds what a line that is gone was there for, where it is shown that line as gone.
fn model_that_misses_a_guard() -> Model {
    let answer = |asked: &ReceivedRequest| {
        let prompt = asked.prompt();
        let mut told = json!({
            "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "Nothing new.",
        });
        if is_second_look(asked) {
            told = second_look();
        } else if prompt.contains("What changed since") && prompt.contains("user.authorized") {
            told["conclusion"] = json!("request_changes");
            told["findings"] = json!([{
                "kind": "error", "priority": "P0", "category": "security", "file": "app.js", "line": 2,
                "evidence": "  if (!user.authorized) return;", "title": "Anybody can remove",
                "trigger": "a caller who is not authorized", "consequence": "the entry is gone",
                "description": "The check is gone.", "suggestion": null, "replacement": null, "confidence": 0.95,
            }]);
        }
        Reply::text(told.to_string())
    };
    RUNTIME.block_on(FakeLlm::serve(answer))
}

#[test]
fn a_second_review_is_shown_a_file_that_only_lost_lines() {
    let forge = ForgeServer::start();
    forge.import_files("acme/app", &[("app.js", "")], &[("app.js", GUARDED)]);
    let home = TestHome::new(&forge);
    let model = model_that_misses_a_guard();
    let first = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(first["conclusion"], "approve", "{first}");
    forge.push_to_pull("acme/app", &[("app.js", UNGUARDED)]);
    let second = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(second["counts"]["p0_blocking"], 1, "{second}");
    assert_eq!(second["conclusion"], "needs_major_work", "{second}");
    // Beside the gap, in the diff as it is now.
    assert_eq!(comment_locations(&forge).len(), 1);
}

#[test]
fn a_second_review_remembers_what_stood_on_no_line() {
    let (forge, home) = setup();
    let answer = |asked: &ReceivedRequest| {
        let prompt = asked.prompt();
        let mut told = json!({
            "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "Nothing new.",
        });
        if is_second_look(asked) {
            told = second_look();
        } else if prompt.contains(EARLIER) {
            told["earlier"] =
                json!([{"finding": "K1", "verdict": "open", "reason": "There is none yet."}]);
        } else if !prompt.contains("No test covers totals") {
            let found = json!({
                "kind": "error", "priority": "P1", "category": "tests", "file": null, "line": null,
                "evidence": null, "title": "No test covers totals", "trigger": "any change", "consequence": "nothing tells", "description": "None calls `total`.",
                "suggestion": null, "replacement": null, "confidence": 0.95,
            });
            told["findings"] = json!([found]);
        }
        Reply::text(told.to_string())
    };
    let model = RUNTIME.block_on(FakeLlm::serve(answer));
    let first = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(first["counts"]["p1_critical"], 1, "{first}");
    for text in ["# One\n", "# Two\n"] {
        forge.push_to_pull("acme/app", &[("README.md", text)]);
        let next = review_line(&run_review(&home, &model, &["--json"]));
        assert_eq!(next["counts"]["p1_critical"], 1, "{next}");
    }
}

/// A file of the base, and what the pull request had added to it and takes out again.
const ROUTES: &str = "export function routes(app) {\n  app.get(\"/\", home);\n}\n";
const GUARDED_ROUTES: &str =
    "export function routes(app) {\n  if (!user.authorized) return;\n  app.get(\"/\", home);\n}\n";

#[test]
fn a_second_review_is_shown_what_a_push_takes_out_of_the_pull_request() {
    let forge = ForgeServer::start();
    let base = [("app.js", ""), ("routes.js", ROUTES)];
    let change = [("app.js", "export {};\n"), ("routes.js", GUARDED_ROUTES)];
    forge.import_files("acme/app", &base, &change);
    let home = TestHome::new(&forge);
    let model = model_that_misses_a_guard();
    let first = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(first["conclusion"], "approve", "{first}");
    // The difference of the pull request does not have that file any more.
    forge.push_to_pull("acme/app", &[("routes.js", ROUTES)]);
    review_line(&run_review(&home, &model, &["--json"]));
    let second = review_prompts(&model).pop().unwrap();
    let (_, since) = second.split_once("What changed since").unwrap();
    assert!(since.contains("routes.js"), "{since}");
    assert!(since.contains("if (!user.authorized) return;"), "{since}");
}

#[test]
fn a_second_review_is_not_shown_what_came_with_the_base() {
    let forge = ForgeServer::start();
    let base = [("app.js", ""), ("routes.js", ROUTES)];
    forge.import_files("acme/app", &base, &[("app.js", "export {};\n")]);
    let home = TestHome::new(&forge);
    let model = model_that_misses_a_guard();
    review_line(&run_review(&home, &model, &["--json"]));
    forge.push_to_branch("acme/app", "main", &[("routes.js", GUARDED_ROUTES)]);
    let update = "/repos/acme/app/pulls/1/update-branch";
    forge.call("kim", "PUT", update, Some(json!({})));
    forge.push_to_pull("acme/app", &[("app.js", "export { };\n")]);
    review_line(&run_review(&home, &model, &["--json"]));
    let second = review_prompts(&model).pop().unwrap();
    assert!(second.contains("What changed since"), "{second}");
    assert!(!second.contains("user.authorized"), "{second}");
}

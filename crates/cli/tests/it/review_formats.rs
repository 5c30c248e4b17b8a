//! `collie review` on several repositories at once, and as SARIF.

use crate::review::*;
use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply};
use serde_json::{Value, json};

/// A second repository on a forge, with a fault that only the rules find.
fn add_web(forge: &ForgeServer) {
    let base = [("web.js", "export {};\n")];
    let head = [("web.js", "export function f() {\n  debugger;\n}\n")];
    forge.import_files("acme/web", &base, &head);
}

fn sarif(ended: &CommandResult) -> Value {
    let mut lines = ended.json();
    assert_eq!(lines.len(), 1, "{ended:?}");
    lines.remove(0)
}

fn results(run: &Value) -> Vec<(String, u64)> {
    let place = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        (
            uri.to_owned(),
            place["region"]["startLine"].as_u64().unwrap(),
        )
    };
    run["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(place)
        .collect()
}

#[test]
fn pull_requests_of_several_repositories_make_one_file_and_one_that_fails_is_told() {
    let (forge, home) = setup();
    add_web(&forge);
    let pulls = ["acme/app#1", "acme/web#1", "acme/gone#1"];
    let args = [
        &["review"],
        &pulls[..],
        &["--format", "sarif", "--fail-on", "P3", "--dry-run"],
    ];
    let ended = home.run(&args.concat());
    assert_eq!(ended.status, 1, "{ended:?}");
    assert!(ended.stderr.contains("acme/gone"), "{ended:?}");
    let log = sarif(&ended);
    let runs = log["runs"].as_array().unwrap();
    let ids: Vec<_> = runs
        .iter()
        .map(|run| &run["automationDetails"]["id"])
        .collect();
    assert_eq!(ids, ["collie/acme/app/1/", "collie/acme/web/1/"]);
    assert_eq!(results(&runs[0]), [("app.js".to_owned(), 3)]);
    assert_eq!(results(&runs[1]), [("web.js".to_owned(), 2)]);
    let result = &runs[1]["results"][0];
    assert!(
        !result["ruleId"].as_str().unwrap().contains(':'),
        "{result}"
    );
    let head = forge.call("kim", "GET", "/repos/acme/web/pulls/1", None);
    let provenance = &runs[1]["versionControlProvenance"][0];
    assert_eq!(provenance["revisionId"], head["head"]["sha"]);

    let without = home.run(&[&["review"], &pulls[..2], &["--dry-run", "--fail-on", "P0"]].concat());
    assert_eq!(without.status, 0, "{without:?}");
    assert!(without.stdout.contains("acme/web#1"), "{without:?}");
}

#[test]
fn a_head_that_was_reviewed_before_has_its_findings_in_the_file_all_the_same() {
    let (forge, home) = setup();
    let args = [&REVIEW[..], &["--format", "sarif"]].concat();
    let first = sarif(&home.run(&args));
    let second = sarif(&home.run(&args));
    let prints = |log: &Value| {
        let results = log["runs"][0]["results"].as_array().unwrap().iter();
        results
            .map(|result| result["partialFingerprints"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(prints(&first).len(), 1, "{first:#}");
    assert_eq!(prints(&first), prints(&second));
    assert_eq!(reviews(&forge).len(), 1, "it is posted once");
}

#[test]
fn a_secret_that_a_reviewer_quotes_is_in_no_format() {
    let (_forge, home) = setup();
    // Put together here, so that no file of the sources has it.
    let token = ["ghp_", "9fK2mQ7xLw4ZtR8vB3nYcJ6dHs1PgEa5UoXi"].concat();
    let told = json!({
        "conclusion": "request_changes",
        "findings": [{
            "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js",
            "line": 2, "evidence": "  const sum = list.lenght;", "title": format!("{token} is used"),
            "trigger": "any list", "consequence": "the total is undefined",
            "description": format!("The key is {token}."), "suggestion": format!("Drop {token}."),
            "replacement": null, "confidence": 0.95,
        }],
        "earlier": [], "escalations": [], "fullReport": format!("I saw {token}."),
    });
    let answer = move |asked: &ReceivedRequest| match is_second_look(asked) {
        true => Reply::text(second_look().to_string()),
        false => Reply::text(told.to_string()),
    };
    let model = RUNTIME.block_on(FakeLlm::serve(answer));
    for format in ["sarif", "json", "markdown", "text"] {
        let ended = run_review(&home, &model, &["--dry-run", "--format", format]);
        assert_eq!(ended.status, 0, "{ended:?}");
        assert!(ended.stdout.contains("is used"), "{format}: {ended:?}");
        assert!(!ended.stdout.contains(&token), "{format}: {ended:?}");
    }
}

#[test]
fn a_number_without_a_repository_is_refused_with_the_command_line() {
    let home = TestHome::with_config("");
    let ended = home.run(&["review", "1", "--json"]);
    assert_eq!(ended.status, 2, "{ended:?}");
    assert_eq!(ended.json()[0]["code"], json!("usage"));
    assert!(ended.stdout.contains("--repo"), "{ended:?}");
    let both = home.run(&["review", "a/b#1", "--json", "--format", "sarif"]);
    assert_eq!(both.status, 2, "{both:?}");
}

//! The checks of `gh`'s own tests, read by the adapter and sorted by `core::ci`, against what `gh` expects of itself.
//!
//! `COLLIE_GH_TESTS` names a folder with `pkg/cmd/pr/checks`, `pkg/cmd/pr/status` and `api/pull_request_test.go` of its sources.

use super::read_json;
use crate::node_conversion;
use crate::nodes::CheckContextNode;
use collie_core::ci::Ci;
use collie_core::policy::Policy;
use collie_core::snapshot::{Check, Snapshot};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words on which the specification (§3.3) and `gh` disagree, each as `gh` and as Collie has it: a start-up that failed and a
/// check that GitHub gave up on will not go on by themselves; what asks for a person has not failed.
const DISAGREEMENTS: [(&str, Bucket, Bucket); 3] = [
    ("STARTUP_FAILURE", Bucket::Pending, Bucket::Fail),
    ("STALE", Bucket::Pending, Bucket::Fail),
    ("ACTION_REQUIRED", Bucket::Fail, Bucket::Pending),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bucket {
    Pass,
    Fail,
    Pending,
}

impl Bucket {
    /// As `gh pr checks` prints it to a program, or marks it on a terminal.
    fn of_gh(word: &str) -> Self {
        match word {
            "pass" | "skipping" | "✓" => Self::Pass,
            "fail" | "cancel" | "X" => Self::Fail,
            "pending" | "*" => Self::Pending,
            other => panic!("`{other}` is no word of gh's"),
        }
    }
}

/// A check as both tell it: its name, or `WORKFLOW/NAME (EVENT)`, and what it came to.
type Row = (String, Bucket);

fn folder() -> Option<PathBuf> {
    std::env::var_os("COLLIE_GH_TESTS").map(PathBuf::from)
}

fn source(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// What `gh` does not ask GitHub for, and what its tests leave out: the kind, a name, a number that grows with time, the
/// workflow's address.
fn completed(node: &Value, index: usize) -> Value {
    let mut node = node.clone();
    let is_status = node["context"]
        .as_str()
        .is_some_and(|name| !name.is_empty())
        || node["state"].as_str().is_some_and(|word| !word.is_empty());
    let name = [&node["context"], &node["name"]];
    let name = name
        .iter()
        .filter_map(|name| name.as_str())
        .find(|name| !name.is_empty());
    let name = name.map_or_else(|| format!("check {index}"), str::to_owned);
    if is_status {
        node["__typename"] = "StatusContext".into();
        node["context"] = name.into();
        node["createdAt"] = node["startedAt"].clone();
        return node;
    }
    node["__typename"] = "CheckRun".into();
    node["name"] = name.into();
    // Later runs have higher numbers.
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let started = node["startedAt"].as_str().map(digits).unwrap_or_default();
    node["databaseId"] = format!("{started}{index:02}")
        .parse::<u64>()
        .unwrap_or_default()
        .into();
    if node["conclusion"] == "" {
        node["conclusion"] = Value::Null;
    }
    let workflow = &mut node["checkSuite"]["workflowRun"];
    if workflow.is_object() {
        let name = workflow["workflow"]["name"].as_str().unwrap_or_default();
        workflow["workflow"]["resourcePath"] = format!("/o/r/actions/workflows/{name}.yml").into();
        if workflow.get("event").is_none() {
            workflow["event"] = "".into();
        }
    } else {
        node["checkSuite"] = Value::Null;
    }
    node
}

/// The checks as a reading of the pull request has them.
fn checks_of(nodes: &[Value]) -> Vec<Check> {
    let decode = |(index, node): (usize, &Value)| {
        let node = completed(node, index);
        serde_json::from_value::<CheckContextNode>(node.clone())
            .unwrap_or_else(|error| panic!("{error}: {node}"))
    };
    let nodes = nodes.iter().enumerate().map(decode).collect();
    let current = node_conversion::without_superseded_statuses(nodes);
    current
        .into_iter()
        .map(|node| node_conversion::check(node).0)
        .collect()
}

fn snapshot_with(checks: Vec<Check>) -> Snapshot {
    let actor = json!({"id": 1, "login": "ana", "is_bot": false});
    let mut snapshot: Snapshot = serde_json::from_value(json!({
        "read_at": 0, "repo": "acme/web", "number": 1, "title": "", "body": "", "url": "", "author": null,
        "viewer": actor, "state": "open", "draft": false, "locked": false, "head": "a".repeat(40),
        "head_ref": "feature", "head_repo": null, "base_ref": "main", "base": "b".repeat(40), "mergeable": "yes",
        "merge_blocked": false, "behind": false, "review_required": false, "auto_merge": null, "in_merge_queue": false, "labels": [],
        "required_checks": [], "known_checks": [], "checks": [], "reviews": [], "threads": [], "comments": [],
        "files": [], "push_obstacles": [], "pending_review": false, "default_head": null, "writers": [],
    }))
    .expect("a reading as journals keep it");
    snapshot.checks = checks;
    snapshot
}

/// What Collie makes of the checks.
fn rows_of(nodes: &[Value]) -> Vec<Row> {
    let snapshot = snapshot_with(checks_of(nodes));
    let ci = Ci::of(&snapshot, &Policy::default(), &BTreeSet::new());
    let named = |check: &Check| match &check.workflow {
        Some(workflow) if workflow.event.is_empty() => format!("{}/{}", workflow.name, check.name),
        Some(workflow) => format!("{}/{} ({})", workflow.name, check.name, workflow.event),
        None => check.name.clone(),
    };
    let lists = [
        (&ci.passed, Bucket::Pass),
        (&ci.failed, Bucket::Fail),
        (&ci.running, Bucket::Pending),
        (&ci.needs_action, Bucket::Pending),
    ];
    let of = |(list, bucket): (&Vec<&Check>, Bucket)| {
        list.iter()
            .map(|check| (named(check), bucket))
            .collect::<Vec<_>>()
    };
    let mut rows: Vec<Row> = lists.into_iter().flat_map(of).collect();
    rows.sort();
    rows
}

/// All lists of contexts in a document, in order.
fn contexts_in(value: &Value) -> Vec<Vec<Value>> {
    match value {
        Value::Array(items) => items.iter().flat_map(contexts_in).collect(),
        Value::Object(fields) => match fields.get("contexts") {
            Some(contexts) => vec![
                contexts["nodes"]
                    .as_array()
                    .cloned()
                    .unwrap_or_else(|| by_count(contexts)),
            ],
            None => fields.values().flat_map(contexts_in).collect(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Contexts of which only the number of each state is told.
fn by_count(contexts: &Value) -> Vec<Value> {
    const STATUSES: [&str; 6] = [
        "QUEUED",
        "IN_PROGRESS",
        "WAITING",
        "PENDING",
        "REQUESTED",
        "COMPLETED",
    ];
    let each = |list: &str, node: fn(&str) -> Value| {
        let states = contexts[list].as_array().cloned().unwrap_or_default();
        let repeat = |state: &Value| {
            let count =
                usize::try_from(state["count"].as_u64().unwrap_or_default()).unwrap_or_default();
            vec![node(state["state"].as_str().unwrap_or_default()); count]
        };
        states.iter().flat_map(repeat).collect::<Vec<_>>()
    };
    let run = |word: &str| match STATUSES.contains(&word) {
        true => json!({"status": word, "conclusion": null}),
        false => json!({"status": "COMPLETED", "conclusion": word}),
    };
    let mut nodes = each("checkRunCountsByState", run);
    nodes.extend(each(
        "statusContextCountsByState",
        |word| json!({"state": word}),
    ));
    nodes
}

/// The text between two marks, if both are there.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = &text[text.find(from)? + from.len()..];
    Some(&rest[..rest.find(to)?])
}

/// What a case of `gh pr checks` prints; none where it prints no check. With names as a terminal shows them, or plain ones.
fn printed_rows(case: &str) -> Option<(Vec<Row>, bool)> {
    if let Some(shown) = between(case, "wantOut: heredoc.Doc(`", "`)") {
        let table = shown
            .lines()
            .map(str::trim)
            .skip_while(|line| !line.starts_with("NAME"))
            .skip(1);
        let row = |line: &str| {
            let columns: Vec<&str> = line.split("  ").map(str::trim).collect();
            (
                columns[1].to_owned(),
                Bucket::of_gh(if columns[0] == "-" {
                    mark_of(shown)
                } else {
                    columns[0]
                }),
            )
        };
        return Some((
            table.filter(|line| !line.is_empty()).map(row).collect(),
            true,
        ));
    }
    let printed = between(case, "wantOut: \"", "\",\n").filter(|text| !text.is_empty())?;
    let row = |line: &str| {
        let mut columns = line.split("\\t");
        let name = columns.next().unwrap_or_default().to_owned();
        (name, Bucket::of_gh(columns.next().unwrap_or_default()))
    };
    let lines = printed.split("\\n").filter(|line| !line.is_empty());
    Some((lines.map(row).collect(), false))
}

/// A terminal has one mark for what was skipped and what was cancelled; its line of numbers says which there is.
fn mark_of(shown: &str) -> &'static str {
    if shown.contains("0 skipped") {
        "cancel"
    } else {
        "skipping"
    }
}

#[test]
fn gh_pr_checks_prints_what_is_read() {
    let Some(folder) = folder() else { return };
    let text = source(&folder, "pkg/cmd/pr/checks/checks_test.go");
    let (mut agreed, mut fixtures) = (0, BTreeSet::new());
    for case in text
        .split("\n\t\t{\n")
        .filter(|case| case.contains("./fixtures/"))
    {
        let fixture = between(case, "./fixtures/", "\"").expect("a name");
        let Some((mut expected, on_terminal)) = printed_rows(case) else {
            continue;
        };
        let value = read_json(&folder.join("pkg/cmd/pr/checks/fixtures").join(fixture));
        let mut nodes = contexts_in(&value).concat();
        if case.contains("required: true") {
            nodes.retain(|node| node["isRequired"] == true);
        }
        if !on_terminal {
            // To a program `gh` tells no workflow.
            nodes
                .iter_mut()
                .for_each(|node| node["checkSuite"] = Value::Null);
            expected.dedup();
        }
        expected.sort();
        assert_eq!(rows_of(&nodes), expected, "{fixture}");
        agreed += 1;
        fixtures.insert(fixture);
    }
    println!(
        "gh pr checks: {agreed} cases on {} fixtures agree",
        fixtures.len()
    );
    assert!(agreed >= 15 && fixtures.len() >= 9, "{agreed} {fixtures:?}");
}

#[test]
fn gh_pr_status_sums_up_what_is_read() {
    let Some(folder) = folder() else { return };
    let text = source(&folder, "pkg/cmd/pr/status/status_test.go");
    let mut agreed = 0;
    for (test, fixture) in [
        ("TestPRStatus_reviewsAndChecks(", "prStatusChecks.json"),
        (
            "TestPRStatus_reviewsAndChecksWithStatesByCount(",
            "prStatusChecksWithStatesByCount.json",
        ),
    ] {
        let body = &text[text.find(test).expect("the test")..];
        let listed = between(body, "expected := []string{", "}").expect("a list");
        let expected: Vec<&str> = listed
            .lines()
            .filter_map(|line| between(line, "\"", "\""))
            .collect();
        let value = read_json(&folder.join("pkg/cmd/pr/status/fixtures").join(fixture));
        let found: Vec<String> = contexts_in(&value)
            .iter()
            .map(|nodes| summary(nodes))
            .collect();
        assert_eq!(found.len(), expected.len(), "{fixture}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                expected.starts_with(found),
                "{fixture}: {found}, gh says {expected}"
            );
            agreed += 1;
        }
    }
    println!("gh pr status: {agreed} pull requests of 2 fixtures agree");
}

/// The words of `gh pr status` for what Collie makes of the checks.
fn summary(nodes: &[Value]) -> String {
    let rows = rows_of(nodes);
    let count = |bucket: Bucket| rows.iter().filter(|(_, found)| *found == bucket).count();
    match (count(Bucket::Fail), count(Bucket::Pending)) {
        (0, 0) => "✓ Checks passing".to_owned(),
        (0, _) => "- Checks pending".to_owned(),
        (failed, _) if failed == rows.len() => "× All checks failing".to_owned(),
        (failed, _) => format!("× {failed}/{} checks failing", rows.len()),
    }
}

/// A literal of Go's `api.CheckContext` as GraphQL gives it.
fn node_of_literal(literal: &str) -> Value {
    let field = |name: &str| between(literal, &format!("{name}:"), "\n").map(str::trim);
    let text = |name: &str| field(name).map(|value| value.trim_matches(['"', ',']).to_owned());
    let time = |name: &str| {
        let parts = between(field(name)?, "time.Date(", ",")?;
        let all = field(name)?.trim_start_matches("time.Date(");
        let numbers: Vec<u32> = all.split(", ").map_while(|n| n.parse().ok()).collect();
        assert_eq!(parts.len(), 4);
        let [year, month, day, hour, minute, second, ..] = numbers[..] else {
            return None;
        };
        Some(format!(
            "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        ))
    };
    let mut node = json!({"startedAt": time("StartedAt"), "completedAt": time("CompletedAt")});
    for (ours, theirs) in [
        ("name", "\tName"),
        ("context", "Context"),
        ("state", "State"),
        ("status", "Status"),
        ("conclusion", "Conclusion"),
        ("detailsUrl", "DetailsURL"),
        ("targetUrl", "TargetURL"),
    ] {
        node[ours] = text(theirs).into();
    }
    if let Some(run) = between(literal, "WorkflowRun: api.WorkflowRun{", "\n\t\t\t\t\t},") {
        let of = |mark: &str| between(run, mark, "\"").unwrap_or_default();
        let (event, name) = (of("Event: \""), of("Name: \""));
        node["checkSuite"] = json!({"workflowRun": {"event": event, "workflow": {"name": name}}});
    }
    node
}

#[test]
fn of_several_attempts_gh_and_collie_keep_the_same() {
    let Some(folder) = folder() else { return };
    let text = source(&folder, "pkg/cmd/pr/checks/checks_test.go");
    let body = &text[text.find("func TestEliminateDuplicates").expect("the test")..];
    let literals = |part: &str| -> Vec<Value> {
        part.split("\n\t\t\t\t{\n")
            .skip(1)
            .map(node_of_literal)
            .collect()
    };
    let mut agreed = 0;
    for case in body.split("\n\t\t{\n").skip(1) {
        let (before, after) = case.split_once("want: []").expect("what is wanted");
        let (all, kept) = (literals(before), literals(after));
        assert!(all.len() >= kept.len() && !kept.is_empty(), "{case}");
        assert_eq!(rows_of(&all), rows_of(&kept), "{case}");
        assert_eq!(rows_of(&all).len(), kept.len(), "{case}");
        agreed += 1;
    }
    println!("gh's attempts: {agreed} cases agree");
    assert!(agreed >= 4, "{agreed}");
}

#[test]
fn each_word_means_the_same_to_gh_but_for_those_that_are_named() {
    let Some(folder) = folder() else { return };
    let text = source(&folder, "api/pull_request_test.go");
    let (mut agreed, mut differ) = (0, BTreeMap::new());
    let cases = text
        .split("\n\t\t{\n")
        .filter(|case| case.contains("expectedChecksStatus: PullRequestChecksStatus{"));
    for case in cases {
        let payload = between(case, "payload:", "\n").expect("a payload").trim();
        let Some(word) = between(payload, "(\"", "\")") else {
            continue;
        };
        let node = match payload.split('(').next() {
            Some("singleCheckRunWithStatus") => json!({"status": word, "conclusion": null}),
            Some("singleCompletedCheckRunWithConclusion") => {
                json!({"status": "COMPLETED", "conclusion": word})
            }
            Some("singleStatusContextWithState") => json!({"state": word}),
            other => panic!("{other:?}"),
        };
        let said = between(case, "PullRequestChecksStatus{", ":").expect("an outcome");
        let said = match said {
            "Passing" => Bucket::Pass,
            "Failing" => Bucket::Fail,
            "Pending" => Bucket::Pending,
            other => panic!("{other}"),
        };
        let found = rows_of(&[node])[0].1;
        if found == said {
            agreed += 1;
        } else {
            differ.insert(word, (said, found));
        }
    }
    let named: BTreeMap<&str, (Bucket, Bucket)> = (DISAGREEMENTS.iter())
        .map(|(word, gh, ours)| (*word, (*gh, *ours)))
        .collect();
    assert_eq!(differ, named);
    println!(
        "gh's words: {agreed} agree, {} differ as the specification has it",
        differ.len()
    );
    assert!(agreed >= 20, "{agreed}");
}

//! What a delivery says has changed. None of it is believed: it says only where to look.

use collie_core::ids::RepoName;
use collie_core::loop_state::LoopState;
use collie_engine::ChangeUrgency;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Where something has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    /// The repository, as it is called.
    pub(crate) repo: RepoName,
    /// GitHub's node id of it, which a new name does not change.
    repo_id: String,
    /// Pull requests by number.
    numbers: BTreeSet<u64>,
    /// Those at this commit.
    head: Option<String>,
    /// Those that go into this branch.
    base: Option<String>,
    /// Which pull requests are open, or how they present themselves, may be otherwise than before.
    pub(crate) changes_list: bool,
    /// How soon it has to be looked at.
    pub(crate) urgency: ChangeUrgency,
    /// Whose doing it was, as the payload says.
    sender: Option<String>,
}

/// What a delivery is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// It says where to look.
    Hint(Hint),
    /// An event, or an action, that Collie has no use for.
    Ignored,
}

#[derive(Deserialize)]
struct Payload {
    action: Option<String>,
    repository: RepositoryPart,
    pull_request: Option<NumberPart>,
    issue: Option<IssuePart>,
    check_run: Option<ChecksPart>,
    check_suite: Option<ChecksPart>,
    workflow_run: Option<ChecksPart>,
    sha: Option<String>,
    merge_group: Option<MergeGroupPart>,
    state: Option<serde_json::Value>,
    sender: Option<SenderPart>,
}

#[derive(Deserialize)]
struct RepositoryPart {
    full_name: String,
    node_id: String,
}

#[derive(Deserialize)]
struct SenderPart {
    login: String,
}

#[derive(Deserialize)]
struct NumberPart {
    number: u64,
}

#[derive(Deserialize)]
struct IssuePart {
    number: u64,
    /// An issue has none.
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ChecksPart {
    head_sha: String,
    conclusion: Option<String>,
    /// Empty where the head is in a fork.
    #[serde(default)]
    pull_requests: Vec<NumberPart>,
}

#[derive(Deserialize)]
struct MergeGroupPart {
    base_ref: String,
}

/// The events that say where to look.
const KNOWN: [&str; 11] = [
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "issue_comment",
    "check_run",
    "check_suite",
    "status",
    "workflow_run",
    "workflow_job",
    "merge_group",
];

/// Reads a delivery of an event.
///
/// # Errors
/// The body is not what GitHub sends with such an event.
pub(crate) fn read(event: &str, body: &[u8]) -> Result<Delivery, String> {
    if !KNOWN.contains(&event) {
        serde_json::from_slice::<serde::de::IgnoredAny>(body).map_err(|error| error.to_string())?;
        return Ok(Delivery::Ignored);
    }
    let payload: Payload = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let repo = RepoName::parse(&payload.repository.full_name)
        .map_err(|_| "`repository.full_name` is no name of a repository".to_owned())?;
    let hint = Hint {
        repo,
        repo_id: payload.repository.node_id.clone(),
        numbers: BTreeSet::new(),
        head: None,
        base: None,
        changes_list: false,
        urgency: urgency(event, &payload),
        sender: payload.sender.as_ref().map(|sender| sender.login.clone()),
    };
    place(event, payload, hint)
}

/// How soon an event has to be looked at. What nothing waits for, and what is followed by another that says the same, comes later.
fn urgency(event: &str, payload: &Payload) -> ChangeUrgency {
    let action = payload.action.as_deref().unwrap_or_default();
    let is_later = match event {
        // A suite that has ended tells of its last check.
        "check_run" => {
            action != "completed" || payload.check_run.as_ref().is_none_or(ChecksPart::passed)
        }
        "check_suite" | "workflow_run" => action != "completed",
        "status" => payload
            .state
            .as_ref()
            .is_some_and(|state| state == "pending"),
        "pull_request" => {
            ["assigned", "unassigned", "milestoned", "demilestoned"].contains(&action)
        }
        _ => false,
    };
    match is_later {
        true => ChangeUrgency::Later,
        false => ChangeUrgency::Now,
    }
}

impl ChecksPart {
    fn passed(&self) -> bool {
        let conclusion = self.conclusion.as_deref().unwrap_or_default();
        ["success", "neutral", "skipped"].contains(&conclusion)
    }
}

/// Fills in where an event happened.
fn place(event: &str, payload: Payload, mut hint: Hint) -> Result<Delivery, String> {
    let missing = |part: &str| format!("an event `{event}` has `{part}`");
    match event {
        "pull_request"
        | "pull_request_review"
        | "pull_request_review_comment"
        | "pull_request_review_thread" => {
            let pull = payload
                .pull_request
                .ok_or_else(|| missing("pull_request"))?;
            hint.numbers.insert(pull.number);
            hint.changes_list =
                event == "pull_request" && payload.action.as_deref() != Some("closed");
        }
        "issue_comment" => {
            let issue = payload.issue.ok_or_else(|| missing("issue"))?;
            if issue.pull_request.is_none() {
                return Ok(Delivery::Ignored);
            }
            hint.numbers.insert(issue.number);
        }
        "check_run" | "check_suite" | "workflow_run" => {
            let parts = [payload.check_run, payload.check_suite, payload.workflow_run];
            let checks = parts.into_iter().flatten().next();
            let checks = checks.ok_or_else(|| missing(event))?;
            let numbers = checks.pull_requests.iter().map(|pull| pull.number);
            hint.numbers.extend(numbers);
            hint.head = Some(checks.head_sha);
        }
        "status" => hint.head = Some(payload.sha.ok_or_else(|| missing("sha"))?),
        "merge_group" => {
            let group = payload.merge_group.ok_or_else(|| missing("merge_group"))?;
            let base = group.base_ref.trim_start_matches("refs/heads/").to_owned();
            hint.base = Some(base);
        }
        // The run of a job tells of it too.
        _ => return Ok(Delivery::Ignored),
    }
    Ok(Delivery::Hint(hint))
}

impl Hint {
    /// The same, where it may be this account's own doing: the loop knows what it did.
    pub(crate) fn by_possibly(mut self, own: Option<&str>) -> Self {
        let is_own = |own: &str| {
            self.sender
                .as_deref()
                .is_some_and(|sender| sender.eq_ignore_ascii_case(own))
        };
        if own.is_some_and(is_own) {
            self.urgency = ChangeUrgency::Later;
        }
        self
    }

    /// Whether something has happened to the pull request of a loop.
    pub(crate) fn concerns(&self, state: &LoopState) -> bool {
        let is_at = |head: &String| {
            state
                .run
                .head
                .sha
                .as_ref()
                .is_some_and(|sha| sha.as_str() == head)
        };
        state.id.repo_id == self.repo_id
            && (self.numbers.contains(&state.id.number)
                || self.head.as_ref().is_some_and(is_at)
                || self.base.as_ref() == Some(&state.pull.base_ref))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::ids::{Login, LoopId, RunId, Sha, Time};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_core::policy::Policy;
    use serde_json::{Value, json};
    use std::path::Path;

    /// The events that §18.1 names, as GitHub calls them.
    const EVENTS: [&str; 9] = [
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "issue_comment",
        "check_run",
        "check_suite",
        "status",
        "workflow_run",
        "merge_group",
    ];

    fn watched(number: u64, repo_id: &str, head: &str, base: &str) -> LoopState {
        let id = LoopId {
            host: "github.com".into(),
            repo_id: repo_id.into(),
            number,
        };
        let pull = PullRequest {
            repo: RepoName::parse("acme/renamed").unwrap(),
            title: String::new().into(),
            author: None,
            url: String::new(),
            head_ref: "topic".into(),
            base_ref: base.into(),
        };
        let new = NewLoop {
            id,
            pull,
            run: RunId::new("run"),
            started_by: Login::new("kim"),
            policy: Policy::default(),
        };
        let mut state = LoopState::new(new, Time(0));
        state.run.head.sha = Some(Sha::parse(head).unwrap());
        state
    }

    fn hint(event: &str, payload: &Value) -> Hint {
        match read(event, payload.to_string().as_bytes()) {
            Ok(Delivery::Hint(hint)) => hint,
            other => panic!("{event}: {other:?}"),
        }
    }

    /// GitHub's own examples, which octokit publishes: each wakes the loop that it is about, and no other.
    #[test]
    fn each_published_example_wakes_the_loop_that_it_is_about() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file =
            root.join("../../node_modules/@octokit/webhooks-examples/api.github.com/index.json");
        let text = std::fs::read_to_string(&file).expect("`npm ci` fetches the examples");
        let published: Vec<Value> = serde_json::from_str(&text).unwrap();
        let mut seen = BTreeSet::new();
        for entry in &published {
            let event = entry["name"].as_str().unwrap();
            for example in entry["examples"].as_array().unwrap() {
                let body = example.to_string();
                let delivery = read(event, body.as_bytes());
                let delivery = delivery.unwrap_or_else(|error| panic!("{event}: {error}"));
                let Delivery::Hint(hint) = delivery else {
                    let is_plain_issue = example["issue"]["pull_request"].is_null();
                    assert!(!EVENTS.contains(&event) || event == "issue_comment" && is_plain_issue);
                    continue;
                };
                seen.insert(event.to_owned());
                let repo_id = example["repository"]["node_id"].as_str().unwrap();
                let part = |name: &str| (!example[name].is_null()).then(|| &example[name]);
                let checks = ["check_run", "check_suite", "workflow_run"]
                    .iter()
                    .find_map(|name| part(name));
                let head = checks.map_or(&example["sha"], |checks| &checks["head_sha"]);
                let head = head
                    .as_str()
                    .unwrap_or("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
                let base = example["merge_group"]["base_ref"]
                    .as_str()
                    .unwrap_or("main");
                let base = base.trim_start_matches("refs/heads/");
                let number = ["pull_request", "issue"].iter().find_map(|name| part(name));
                let number = number.map_or(7, |pull| pull["number"].as_u64().unwrap());
                assert!(
                    hint.concerns(&watched(number, repo_id, head, base)),
                    "{event}: {hint:?}"
                );
                let other = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
                assert!(
                    !hint.concerns(&watched(number, "R_other", head, base)),
                    "{event}"
                );
                assert!(
                    !hint.concerns(&watched(999_999, repo_id, other, "other")),
                    "{event}"
                );
            }
        }
        // The set has comments on issues alone: those on pull requests have a test of their own.
        let missing = EVENTS.iter().filter(|event| !seen.contains(**event));
        let missing: Vec<&str> = missing.copied().collect();
        assert_eq!(missing, ["issue_comment"]);
    }

    #[test]
    fn a_comment_on_a_pull_request_wakes_it_and_one_on_an_issue_nothing() {
        let mut payload = json!({
            "action": "created",
            "repository": {"full_name": "acme/api", "node_id": "R_1"},
            "issue": {"number": 4, "pull_request": {"url": "x"}},
        });
        let head = "a".repeat(40);
        let hint = hint("issue_comment", &payload);
        assert!(hint.concerns(&watched(4, "R_1", &head, "main")));
        assert!(!hint.concerns(&watched(5, "R_1", &head, "main")));
        payload["issue"] = json!({"number": 4});
        let read = read("issue_comment", payload.to_string().as_bytes());
        assert_eq!(read, Ok(Delivery::Ignored));
    }

    #[test]
    fn a_merge_group_wakes_those_that_go_into_its_branch() {
        let payload = json!({
            "action": "checks_requested",
            "repository": {"full_name": "acme/api", "node_id": "R_1"},
            "merge_group": {"base_ref": "refs/heads/main", "head_ref": "refs/heads/gh-readonly-queue/main/pr-4-x", "head_sha": "c"},
        });
        let hint = hint("merge_group", &payload);
        let head = "a".repeat(40);
        assert!(hint.concerns(&watched(4, "R_1", &head, "main")));
        assert!(!hint.concerns(&watched(4, "R_1", &head, "release")));
    }

    #[test]
    fn what_decides_nothing_by_itself_waits_for_more() {
        let repository = json!({"full_name": "acme/api", "node_id": "R_1"});
        let check = |event: &str, mut payload: Value, expect: ChangeUrgency| {
            payload["repository"] = repository.clone();
            payload["sender"] = json!({"login": "ana"});
            let hint = hint(event, &payload);
            assert_eq!(hint.urgency, expect, "{event} {payload}");
            // What the server's own account did is known already.
            let own = hint.by_possibly(Some("Ana"));
            assert_eq!(own.urgency, ChangeUrgency::Later, "{event}");
        };
        let run = |action: &str, conclusion: Value| json!({"action": action, "check_run": {"head_sha": "a", "conclusion": conclusion}});
        use ChangeUrgency::{Later, Now};
        check("check_run", run("created", Value::Null), Later);
        check("check_run", run("completed", json!("success")), Later);
        check("check_run", run("completed", json!("failure")), Now);
        check("check_run", run("completed", json!("timed_out")), Now);
        let suite = |action: &str| json!({"action": action, "check_suite": {"head_sha": "a"}});
        check("check_suite", suite("completed"), Now);
        check("check_suite", suite("requested"), Later);
        let status = |state: &str| json!({"sha": "a", "state": state});
        check("status", status("pending"), Later);
        check("status", status("success"), Now);
        let pull = |action: &str| json!({"action": action, "pull_request": {"number": 1}});
        check("pull_request", pull("synchronize"), Now);
        check("pull_request", pull("assigned"), Later);
        check("pull_request_review", pull("submitted"), Now);
    }

    #[test]
    fn what_opens_or_changes_a_pull_request_has_the_list_read() {
        let of = |event: &str, action: &str| {
            let payload = json!({
                "action": action,
                "repository": {"full_name": "acme/api", "node_id": "R_1"},
                "pull_request": {"number": 4},
            });
            hint(event, &payload).changes_list
        };
        for action in [
            "opened",
            "reopened",
            "ready_for_review",
            "labeled",
            "synchronize",
        ] {
            assert!(of("pull_request", action), "{action}");
        }
        assert!(!of("pull_request", "closed"));
        assert!(!of("pull_request_review", "submitted"));
    }

    #[test]
    fn what_is_malformed_is_refused_and_what_is_unknown_ignored() {
        let repository = json!({"full_name": "acme/api", "node_id": "R_1"});
        let malformed = [
            ("pull_request", json!({"repository": repository})),
            ("pull_request", json!({"pull_request": {"number": 1}})),
            ("status", json!({"repository": repository, "sha": 4})),
            (
                "check_run",
                json!({"repository": repository, "check_run": {}}),
            ),
            (
                "issue_comment",
                json!({"repository": {"full_name": "x", "node_id": "R_1"}}),
            ),
            ("pull_request", json!([])),
        ];
        for (event, payload) in malformed {
            let read = read(event, payload.to_string().as_bytes());
            assert!(read.is_err(), "{event} {payload}");
        }
        assert_eq!(read("ping", b"{}"), Ok(Delivery::Ignored));
        assert_eq!(read("an_event_of_tomorrow", b"{}"), Ok(Delivery::Ignored));
        assert!(read("an_event_of_tomorrow", b"{").is_err());
    }
}

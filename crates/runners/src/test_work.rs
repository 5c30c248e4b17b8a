//! Work for tests.

use crate::work::{FixWork, OfferedWork, ReviewWork, Work};
use collie_core::ids::{LoopId, RepoName, Sha, Time};
use collie_core::policy::{Policy, ReviewerSpec};
use collie_core::snapshot::Snapshot;
use serde_json::{Value, json};

pub(crate) fn sha(digit: char) -> Sha {
    Sha::parse(&digit.to_string().repeat(40)).unwrap()
}

/// A finding of a reviewer.
pub(crate) fn finding(id: &str, kind: &str, name: &str) -> Value {
    json!({
        "id": id, "priority": "P1", "category": "bug", "file": "a.py", "line": 1, "title": format!("fault {id}"),
        "description": "it is wrong", "suggestion": null, "kind": "error", "confidence": 0.9, "evidence": "x",
        "source": {"type": kind, "name": name, "timestamp": "2026-01-01T00:00:00Z"},
    })
}

fn snapshot(number: u64) -> Snapshot {
    let nobody = json!([]);
    let viewer = json!({"login": "collie", "id": 1, "is_bot": false});
    let value = json!({
        "read_at": 0, "repo": "acme/web", "number": number, "title": "A change", "body": "", "url": "", "author": viewer,
        "viewer": viewer, "state": "open", "draft": false, "locked": false, "head": sha('a'), "head_ref": "topic",
        "head_repo": "acme/web", "base_ref": "main", "base": sha('b'), "mergeable": "yes", "behind": false,
        "review_required": false, "auto_merge": null, "in_merge_queue": false, "labels": nobody, "required_checks": nobody,
        "known_checks": nobody, "checks": nobody, "reviews": nobody, "threads": nobody, "comments": nobody, "files": nobody,
        "push_obstacles": nobody, "pending_review": false,
    });
    serde_json::from_value(value).unwrap()
}

fn offered(number: u64, work: Work) -> OfferedWork {
    OfferedWork {
        loop_id: LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number,
        },
        repo: RepoName::parse("acme/web").unwrap(),
        head: sha('a'),
        base: sha('b'),
        snapshot: snapshot(number),
        issues: Vec::new(),
        memory: Vec::new(),
        work,
    }
}

/// Quinn is to look at a pull request.
pub(crate) fn review_work(number: u64) -> OfferedWork {
    let work = ReviewWork {
        reviewer: ReviewerSpec::agent("quinn"),
        author_may_write: true,
        since: None,
        known_findings: Vec::new(),
        unseen: Vec::new(),
        doubted: Vec::new(),
        rules: Vec::new(),
        personas: Vec::new(),
        policy: Policy::default(),
        now: Time(0),
        time_left_ms: 900_000,
    };
    offered(number, Work::Review(Box::new(work)))
}

/// Two issues are to be fixed.
pub(crate) fn fix_work(number: u64) -> OfferedWork {
    let issues = ["Q-1", "Q-2"].map(|id| finding(id, "agent", "quinn"));
    let payload =
        json!({"prNumber": number, "round": 1, "issuesToFix": issues, "optionalIssues": []});
    let work = FixWork {
        payload: serde_json::from_value(payload).unwrap(),
        rules: Vec::new(),
        attempts: Vec::new(),
        refusal: None,
        tried: String::new(),
        title: "A change".into(),
        author: None,
        verify_commands: Vec::new(),
    };
    offered(number, Work::Fix(Box::new(work)))
}

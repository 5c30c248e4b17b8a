//! The kinds of objects that the adapter reads: how one is known among others, and what has to come of it.

use super::translate;
use crate::browse::default_branch::{AccountRow, ContentRow};
use crate::browse::issues::{IssueRow, RepositoryRow};
use crate::check_evidence::{AnnotationRow, UserRow};
use crate::node_conversion;
use crate::nodes::{
    AccountNode, CheckContextNode, CommentNode, NameOnly, PullNode, ReviewNode, WorkflowRunNode,
};
use crate::permissions::PermissionRow;
use crate::post::{CreatedRow, PostedRow};
use collie_core::ci::github_name;
use collie_core::review::Association;
use collie_core::snapshot::{CheckStatus, Mergeable};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One kind.
pub(super) struct Kind {
    pub name: &'static str,
    /// Whether an object is of this kind.
    pub is: fn(&Value) -> bool,
    /// Reads it, and holds the outcome against the words that GitHub said.
    pub read: fn(&Value) -> Result<(), String>,
}

fn has(value: &Value, fields: &[&str]) -> bool {
    fields.iter().all(|field| value.get(field).is_some())
}

fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, said: T) -> Result<(), String> {
    if found == said {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, GitHub said {said:?}"))
}

/// The kinds; an object may be of several.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "user",
        is: is_account,
        read: read_account,
    },
    Kind {
        name: "bot",
        is: |it| is_account(it) && it["type"] == "Bot",
        read: read_account,
    },
    Kind {
        name: "organization",
        is: is_organization,
        read: read_organization,
    },
    Kind {
        name: "pull request",
        is: |it| {
            has(it, &["number", "state", "title"])
                && has(&it["head"], &["sha"])
                && has(&it["base"], &["sha"])
        },
        read: read_pull,
    },
    Kind {
        name: "review",
        is: |it| {
            has(
                it,
                &["id", "state", "commit_id", "user", "pull_request_url"],
            ) && !has(it, &["diff_hunk"])
        },
        read: read_review,
    },
    Kind {
        name: "review comment",
        is: |it| has(it, &["id", "diff_hunk", "path", "body"]),
        read: read_comment,
    },
    Kind {
        name: "issue comment",
        is: |it| has(it, &["id", "issue_url", "body", "user"]),
        read: read_comment,
    },
    Kind {
        name: "check run",
        is: |it| has(it, &["id", "name", "head_sha", "output", "check_suite"]),
        read: read_check_run,
    },
    Kind {
        name: "check suite",
        is: |it| {
            has(
                it,
                &[
                    "id",
                    "head_branch",
                    "head_sha",
                    "status",
                    "conclusion",
                    "before",
                    "after",
                ],
            )
        },
        read: |it| read_check(it, translate::check_suite(it)),
    },
    Kind {
        name: "workflow run",
        is: |it| has(it, &["id", "workflow_id", "run_number", "event"]),
        read: |it| decode::<WorkflowRunNode>(&translate::workflow_run(it)).map(drop),
    },
    Kind {
        name: "status",
        is: |it| has(it, &["id", "context", "state", "target_url"]),
        read: read_status,
    },
    Kind {
        name: "annotation",
        is: |it| has(it, &["annotation_level", "path", "message"]),
        read: |it| decode::<AnnotationRow>(it).map(drop),
    },
    Kind {
        name: "issue",
        is: |it| has(it, &["repository_url", "title", "number", "state"]),
        read: |it| decode::<IssueRow>(it).map(drop),
    },
    Kind {
        name: "repository",
        is: |it| has(it, &["id", "full_name", "private", "owner"]),
        read: |it| decode::<RepositoryRow>(it).map(drop),
    },
    Kind {
        name: "label",
        is: |it| has(it, &["name", "color", "url"]),
        read: |it| decode::<NameOnly>(it).map(drop),
    },
    Kind {
        name: "content",
        is: |it| has(it, &["encoding", "content", "sha", "path"]),
        read: |it| decode::<ContentRow>(it).map(drop),
    },
    Kind {
        name: "permission",
        is: |it| it["permission"].is_string() && is_account(&it["user"]),
        read: |it| decode::<PermissionRow>(it).map(drop),
    },
];

fn is_account(it: &Value) -> bool {
    it["login"].is_string() && has(it, &["id", "type", "url"])
}

/// As payloads have it, without a type, or as an account.
fn is_organization(it: &Value) -> bool {
    it["login"].is_string() && (has(it, &["id", "members_url"]) || it["type"] == "Organization")
}

fn read_account(it: &Value) -> Result<(), String> {
    decode::<AccountRow>(it)?;
    decode::<UserRow>(it)?;
    let node: AccountNode = decode(&translate::account(it))?;
    let actor = node_conversion::actor(&node).ok_or("has no number")?;
    same("the number", Some(actor.id.0), it["id"].as_u64())?;
    same("being a bot", actor.is_bot, it["type"] == "Bot")
}

fn read_organization(it: &Value) -> Result<(), String> {
    let node: AccountNode = decode(&translate::account(it))?;
    let actor = node_conversion::actor(&node).ok_or("has no number")?;
    same("being a bot", actor.is_bot, false)
}

fn read_association(it: &Value) -> Result<(), String> {
    let Some(word) = it["author_association"].as_str() else {
        return Ok(());
    };
    let unknown = node_conversion::parse_association(word) == Association::None;
    same("having no association", unknown, word == "NONE")
}

fn read_pull(it: &Value) -> Result<(), String> {
    let node: PullNode = decode(&translate::pull(it))?;
    let shown = |fault| format!("{fault:?}");
    node_conversion::parse_sha(&node.facts.head_ref_oid).map_err(shown)?;
    node_conversion::parse_pull_state(&node.facts.state).ok_or("is in no known state")?;
    let mergeable = match node_conversion::parse_mergeable(&node.facts.mergeable) {
        Mergeable::Yes => Some(true),
        Mergeable::Conflicting => Some(false),
        Mergeable::Unknown => None,
    };
    same("being mergeable", mergeable, it["mergeable"].as_bool())?;
    read_association(it)
}

fn read_review(it: &Value) -> Result<(), String> {
    decode::<PostedRow>(it)?;
    decode::<CreatedRow>(it)?;
    let node: ReviewNode = decode(&translate::review(it))?;
    let review = node_conversion::review(node).map_err(|fault| format!("{fault:?}"))?;
    let said = it["state"].as_str().unwrap_or_default().to_lowercase();
    same("the verdict", github_name(review.verdict), said)?;
    same(
        "being submitted",
        review.submitted_at.is_some(),
        it["submitted_at"].is_string(),
    )?;
    read_association(it)
}

fn read_comment(it: &Value) -> Result<(), String> {
    decode::<PostedRow>(it)?;
    decode::<CreatedRow>(it)?;
    let node: CommentNode = decode(&translate::comment(it))?;
    let comment = node_conversion::comment(node).map_err(|fault| format!("{fault:?}"))?;
    let comment = comment.ok_or("is not published")?;
    same(
        "the author",
        comment.author.map(|a| a.id.0),
        it["user"]["id"].as_u64(),
    )?;
    read_association(it)
}

/// Reads a check, and holds status and conclusion against GitHub's words.
fn read_check(it: &Value, translated: Value) -> Result<(), String> {
    let node: CheckContextNode = decode(&translated)?;
    let (check, _) = node_conversion::check(node);
    let conclusion = it["conclusion"].as_str().map(str::to_owned);
    same(
        "the conclusion",
        check.conclusion.map(github_name),
        conclusion,
    )?;
    let status = it["status"].as_str().unwrap_or_default().to_owned();
    same("the status", github_name(check.status), status)
}

fn read_check_run(it: &Value) -> Result<(), String> {
    read_check(it, translate::check_run(it))?;
    let node: CheckContextNode = decode(&translate::check_run(it))?;
    let (check, app) = node_conversion::check(node);
    same("the number", Some(check.id), it["id"].as_u64())?;
    let ended = it["completed_at"].is_string();
    same("having ended", check.completed_at.is_some(), ended)?;
    same("the app", app.as_deref(), it["app"]["slug"].as_str())
}

fn read_status(it: &Value) -> Result<(), String> {
    let node: CheckContextNode = decode(&translate::status(it))?;
    let (check, _) = node_conversion::check(node);
    let passed = check.conclusion.map(github_name);
    let said = match it["state"].as_str() {
        Some("success") => Some("success"),
        Some("failure" | "error") => Some("failure"),
        Some("pending") => None,
        other => return Err(format!("{other:?} is no state")),
    };
    same("the outcome", passed.as_deref(), said)?;
    same(
        "being done",
        check.status == CheckStatus::Completed,
        said.is_some(),
    )
}

//! Objects of REST as GraphQL has them: other names, other letter case, the same facts.

use serde_json::{Value, json};

fn upper(value: &Value) -> Value {
    match value {
        Value::String(word) => Value::from(word.to_uppercase()),
        other => other.clone(),
    }
}

/// What REST leaves out or has as null where GraphQL has an empty text.
fn text(value: &Value) -> Value {
    value.as_str().unwrap_or_default().into()
}

fn or(value: &Value, default: impl Into<Value>) -> Value {
    if value.is_null() {
        default.into()
    } else {
        value.clone()
    }
}

/// `Actor`: GraphQL calls a bot by its app's name alone, and a deleted account null.
pub(super) fn account(user: &Value) -> Value {
    if user.is_null() {
        return Value::Null;
    }
    let login = user["login"].as_str().unwrap_or_default();
    let kind = or(&user["type"], "User");
    json!({
        "__typename": kind,
        "login": login.strip_suffix("[bot]").unwrap_or(login),
        "databaseId": user["id"],
    })
}

fn number(value: &Value) -> Value {
    value
        .as_u64()
        .map_or(Value::Null, |id| id.to_string().into())
}

pub(super) fn comment(comment: &Value) -> Value {
    let commit = comment["original_commit_id"].as_str();
    json!({
        "fullDatabaseId": number(&comment["id"]),
        "author": account(&comment["user"]),
        "body": text(&comment["body"]),
        "createdAt": comment["created_at"],
        "updatedAt": comment["updated_at"],
        "state": commit.map(|_| "SUBMITTED"),
        "originalCommit": commit.map(|oid| json!({"oid": oid})),
    })
}

pub(super) fn review(review: &Value) -> Value {
    let commit = review["commit_id"].as_str();
    json!({
        "fullDatabaseId": number(&review["id"]),
        "author": account(&review["user"]),
        "authorAssociation": or(&review["author_association"], "NONE"),
        "state": upper(&review["state"]),
        "body": text(&review["body"]),
        "submittedAt": review["submitted_at"],
        "updatedAt": text(&review["submitted_at"]),
        "commit": commit.map(|oid| json!({"oid": oid})),
    })
}

pub(super) fn check_run(run: &Value) -> Value {
    let app = &run["app"];
    json!({
        "__typename": "CheckRun",
        "databaseId": run["id"],
        "name": run["name"],
        "status": upper(&run["status"]),
        "conclusion": upper(&run["conclusion"]),
        "completedAt": run["completed_at"],
        "detailsUrl": run["details_url"],
        "url": run["html_url"],
        "title": run["output"]["title"],
        "summary": run["output"]["summary"],
        "checkSuite": {"app": app.get("slug").map(|slug| json!({"slug": slug})), "workflowRun": null},
    })
}

/// A suite as the only check run of its own.
pub(super) fn check_suite(suite: &Value) -> Value {
    let mut run = check_run(suite);
    run["name"] = "suite".into();
    run
}

pub(super) fn workflow_run(run: &Value) -> Value {
    let workflow = json!({"resourcePath": text(&run["workflow_url"]), "name": text(&run["name"])});
    json!({"event": run["event"], "workflow": workflow})
}

pub(super) fn status(status: &Value) -> Value {
    json!({
        "__typename": "StatusContext",
        "context": status["context"],
        "state": upper(&status["state"]),
        "description": status["description"],
        "targetUrl": status["target_url"],
        "createdAt": status["created_at"],
        "creator": account(&status["creator"]),
    })
}

pub(super) fn pull(pull: &Value) -> Value {
    let page = || json!({"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}});
    let merged = pull["merged"] == true || !pull["merged_at"].is_null();
    let state = if merged {
        "MERGED".into()
    } else {
        upper(&pull["state"])
    };
    let repo = &pull["head"]["repo"];
    let mergeable = match pull["mergeable"].as_bool() {
        Some(true) => "MERGEABLE",
        Some(false) => "CONFLICTING",
        None => "UNKNOWN",
    };
    let head_repository = repo.get("full_name").map(|name| {
        let branch = repo["default_branch"]
            .as_str()
            .map(|name| json!({"name": name}));
        json!({"nameWithOwner": name, "defaultBranchRef": branch})
    });
    let auto_merge = pull.get("auto_merge").filter(|order| !order.is_null());
    json!({
        "title": pull["title"], "body": text(&pull["body"]), "url": pull["html_url"], "state": state,
        "isDraft": or(&pull["draft"], false), "locked": or(&pull["locked"], false),
        "headRefOid": pull["head"]["sha"], "headRefName": pull["head"]["ref"],
        "baseRefName": pull["base"]["ref"], "baseRefOid": pull["base"]["sha"],
        "isCrossRepository": repo["id"] != pull["base"]["repo"]["id"],
        "maintainerCanModify": or(&pull["maintainer_can_modify"], false),
        "mergeable": mergeable, "mergeStateStatus": upper(&or(&pull["mergeable_state"], "unknown")),
        "reviewDecision": null, "isInMergeQueue": false, "author": account(&pull["user"]),
        "autoMergeRequest": auto_merge.map(|order| json!({"enabledBy": account(&order["enabled_by"])})),
        "headRepository": head_repository, "headRef": {"branchProtectionRule": null},
        "baseRef": {"branchProtectionRule": null, "target": null},
        "earlier": {"nodes": []}, "latest": {"nodes": []},
        "labels": null, "files": null, "reviews": null,
        "comments": page(), "reviewThreads": page(),
        "stackedOn": {"pullRequests": {"totalCount": 0}},
    })
}

//! GraphQL as a client sees it.

use crate::fixture::{ForgeFixture, string_of, wait_until};
use serde_json::{Value, json};

const SNAPSHOT: &str = include_str!("../snapshot.graphql");

const BASE: &[(&str, &str)] = &[
    ("src/lib.rs", "fn one() {}\nfn two() {}\nfn three() {}\n"),
    ("old.txt", "one\ntwo\nthree\nfour\nfive\n"),
    (
        ".forge.toml",
        "[[check]]\nname = \"build\"\nrun = \"echo built\"\n",
    ),
];
const HEAD: &[(&str, &str)] = &[
    ("src/lib.rs", "fn one() {}\nfn second() {}\nfn three() {}\n"),
    ("src/new.rs", "fn added() {}\n"),
];

/// Starts the usual playground and waits for its check.
async fn start_fixture() -> ForgeFixture {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    wait_until("the check to pass", async || {
        let query = r#"{ repository(owner: "demo", name: "app") { pullRequest(number: 1) { statusCheckRollup { state } } } }"#;
        let data = fixture.graphql_data("ana", query, json!({})).await;
        (data["repository"]["pullRequest"]["statusCheckRollup"]["state"] == "SUCCESS").then_some(())
    })
    .await;
    fixture
}

/// Takes out of an answer what differs from run to run.
fn normalized(fixture: &ForgeFixture, value: &Value) -> String {
    // What else is built decides whether maps are sorted.
    let mut value = value.clone();
    value.sort_all_objects();
    let shown = format!("{value:#}").replace(&fixture.git_url(), "http://forge");
    regex::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
        .expect("the pattern is well formed")
        .replace_all(&shown, |found: &regex::Captures<'_>| {
            if &found[0] == "2026-01-02T01:04:05Z" {
                found[0].to_owned()
            } else {
                "NOW".to_owned()
            }
        })
        .into_owned()
}

/// Adds a review of ben with one inline comment, and a comment of CodeRabbit on the conversation.
async fn add_review_and_comment(fixture: &ForgeFixture) {
    let pull = fixture.pull_id().await;
    fixture
        .graphql_data(
            "ben",
            "mutation($pull: ID!) { addPullRequestReview(input: {pullRequestId: $pull, event: REQUEST_CHANGES, \
             body: \"Not yet.\", threads: [{path: \"src/lib.rs\", line: 2, body: \"Why?\"}]}) { clientMutationId } }",
            json!({"pull": pull}),
        )
        .await;
    fixture
        .graphql_data(
            "coderabbitai[bot]",
            "mutation($pull: ID!) { addComment(input: {subjectId: $pull, body: \"Walkthrough\"}) { clientMutationId } }",
            json!({"pull": pull}),
        )
        .await;
}

#[tokio::test]
async fn one_query_reads_all_there_is_to_know_about_a_pull_request() {
    let fixture = start_fixture().await;
    add_review_and_comment(&fixture).await;
    let data = fixture
        .graphql_data(
            "ana",
            SNAPSHOT,
            json!({"owner": "demo", "name": "app", "number": 1}),
        )
        .await;
    insta::assert_snapshot!(normalized(&fixture, &data));
}

#[tokio::test]
async fn fifty_pull_requests_come_in_one_query() {
    let fixture = start_fixture().await;
    let parts: Vec<String> = (0..50)
        .map(|place| {
            format!(
                "p{place}: repository(owner: \"demo\", name: \"app\") {{ pullRequest(number: 1) {{ ...P \
                 commits(last: 1) {{ nodes {{ commit {{ oid }} }} }} files(first: 100) {{ totalCount }} }} }}"
            )
        })
        .collect();
    let query = format!(
        "query {{ {} rateLimit {{ cost nodeCount }} }} fragment P on PullRequest {{ headRefOid mergeStateStatus }}",
        parts.join(" ")
    );
    let data = fixture.graphql_data("ana", &query, json!({})).await;
    assert_eq!(data["rateLimit"], json!({"cost": 1, "nodeCount": 50 * 101}));
    assert_eq!(data["p0"]["pullRequest"]["files"]["totalCount"], 2);
    assert_eq!(data["p49"]["pullRequest"], data["p0"]["pullRequest"]);
}

/// Sends a query that is refused, and compares the first error and the data.
async fn assert_refused(
    fixture: &ForgeFixture,
    login: &str,
    query: &str,
    error: Value,
    data: Value,
) {
    let answer = fixture.graphql(login, query, json!({})).await;
    assert_eq!(answer.status, 200);
    let found = &answer.body["errors"][0];
    for (field, expect) in error.as_object().expect("the case is an object") {
        assert_eq!(found[field], *expect, "{query}: {:#}", answer.body);
    }
    assert_eq!(
        answer.body.get("data").unwrap_or(&Value::Null),
        &data,
        "{query}"
    );
}

#[tokio::test]
async fn refusals_are_worded_as_github_words_them() {
    let fixture = start_fixture().await;
    let missing = "Could not resolve to a Repository with the name 'demo/nope'.";
    assert_refused(
        &fixture,
        "ana",
        r#"{ repository(owner: "demo", name: "nope") { id } }"#,
        json!({"type": "NOT_FOUND", "path": ["repository"], "message": missing, "locations": [{"line": 1, "column": 3}]}),
        json!({"repository": null}),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        r#"{ repository(owner: "demo", name: "app") { pullRequest(number: 9) { id } } }"#,
        json!({"type": "NOT_FOUND", "path": ["repository", "pullRequest"],
               "message": "Could not resolve to a PullRequest with the number of 9."}),
        json!({"repository": {"pullRequest": null}}),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        r#"{ node(id: "PR_nonsense") { id } }"#,
        json!({"type": "NOT_FOUND", "message": "Could not resolve to a node with the global id of 'PR_nonsense'."}),
        json!({"node": null}),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        r#"{ repository(owner: "demo", name: "app") { pullRequests { totalCount } } }"#,
        json!({"type": "MISSING_PAGINATION_BOUNDARIES", "path": ["repository", "pullRequests"]}),
        json!({"repository": null}),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        r#"{ repository(owner: "demo", name: "app") { pullRequests(first: 101) { totalCount } } }"#,
        json!({"type": "EXCESSIVE_PAGINATION", "message":
               "Requesting 101 records on the `pullRequests` connection exceeds the `first` limit of 100 records."}),
        json!({"repository": null}),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        r#"{ repository(owner: "demo", name: "app") { pullRequests(first: 1, after: "x") { totalCount } } }"#,
        json!({"type": "INVALID_CURSOR_ARGUMENTS", "message": "`x` does not appear to be a valid cursor."}),
        json!({"repository": null}),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        "{ nonsense }",
        json!({"path": null}),
        Value::Null,
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        "{ viewer",
        json!({"path": null}),
        Value::Null,
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        r#"{ repository(owner: "demo", name: "app") { pullRequests(first: 100) { nodes {
            reviewThreads(first: 100) { nodes { comments(first: 100) { totalCount } } } } } } }"#,
        json!({"type": "MAX_NODE_LIMIT_EXCEEDED"}),
        Value::Null,
    )
    .await;
    let stranger = fixture
        .graphql("nobody-at-all", "{ viewer { login } }", json!({}))
        .await;
    assert_eq!(
        (stranger.status, string_of(&stranger.body["message"])),
        (401, "Bad credentials".to_owned())
    );
}

#[tokio::test]
async fn pages_meet_without_gap_or_overlap() {
    let fixture = start_fixture().await;
    let pull = fixture.pull_id().await;
    for place in 0..5 {
        let query = "mutation($pull: ID!, $body: String!) { addComment(input: {subjectId: $pull, body: $body}) { subject { id } } }";
        fixture
            .graphql_data(
                "ben",
                query,
                json!({"pull": pull, "body": format!("comment {place}")}),
            )
            .await;
    }
    let query = "query($pull: ID!, $first: Int, $after: String, $last: Int, $before: String) { node(id: $pull) { \
        ... on PullRequest { comments(first: $first, after: $after, last: $last, before: $before) { totalCount \
        nodes { body } edges { cursor node { body } } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } } } } }";
    let (mut seen, mut after) = (Vec::new(), Value::Null);
    loop {
        let data = fixture
            .graphql_data(
                "ana",
                query,
                json!({"pull": pull, "first": 2, "after": after}),
            )
            .await;
        let page = &data["node"]["comments"];
        assert_eq!(page["totalCount"], 5);
        assert_eq!(
            page["edges"].as_array().map(Vec::len),
            page["nodes"].as_array().map(Vec::len)
        );
        seen.extend(
            page["nodes"]
                .as_array()
                .expect("a page has nodes")
                .iter()
                .map(|node| string_of(&node["body"])),
        );
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    assert_eq!(
        seen,
        [
            "comment 0",
            "comment 1",
            "comment 2",
            "comment 3",
            "comment 4"
        ]
    );
    let data = fixture
        .graphql_data(
            "ana",
            query,
            json!({"pull": pull, "last": 2, "before": after}),
        )
        .await;
    let page = &data["node"]["comments"];
    assert_eq!(
        page["nodes"],
        json!([{"body": "comment 2"}, {"body": "comment 3"}])
    );
    assert_eq!(page["pageInfo"]["hasPreviousPage"], true);
    assert_eq!(page["pageInfo"]["hasNextPage"], true);
}

#[tokio::test]
async fn a_pending_review_is_seen_by_its_author_only() {
    let fixture = start_fixture().await;
    let pull = fixture.pull_id().await;
    let begin = "mutation($pull: ID!) { addPullRequestReview(input: {pullRequestId: $pull, body: \"draft\", \
        threads: [{path: \"src/lib.rs\", line: 2, body: \"hm\"}]}) { pullRequestReview { state submittedAt } } }";
    let data = fixture
        .graphql_data("ben", begin, json!({"pull": pull}))
        .await;
    assert_eq!(
        data["addPullRequestReview"]["pullRequestReview"],
        json!({"state": "PENDING", "submittedAt": null})
    );
    let query = "query($pull: ID!) { node(id: $pull) { ... on PullRequest { reviews(first: 9) { totalCount } \
        reviewThreads(first: 9) { nodes { id comments(first: 9) { nodes { state } } } } } } }";
    let mine = fixture
        .graphql_data("ben", query, json!({"pull": pull}))
        .await;
    assert_eq!(mine["node"]["reviews"]["totalCount"], 1);
    let thread = &mine["node"]["reviewThreads"]["nodes"][0];
    assert_eq!(thread["comments"]["nodes"], json!([{"state": "PENDING"}]));
    let theirs = fixture
        .graphql_data("ana", query, json!({"pull": pull}))
        .await;
    assert_eq!(theirs["node"]["reviews"]["totalCount"], 0);
    assert_eq!(theirs["node"]["reviewThreads"]["nodes"], json!([]));
    let hidden = fixture
        .graphql(
            "ana",
            "query($id: ID!) { node(id: $id) { id } }",
            json!({"id": thread["id"]}),
        )
        .await;
    assert_eq!(hidden.body["errors"][0]["type"], "NOT_FOUND");
    let again = fixture.graphql("ben", begin, json!({"pull": pull})).await;
    assert_eq!(again.body["errors"][0]["type"], "UNPROCESSABLE");
    assert_eq!(
        again.body["errors"][0]["message"],
        "User can only have one pending review per pull request"
    );
}

#[tokio::test]
async fn threads_are_answered_and_resolved_by_those_who_may() {
    let fixture = start_fixture().await;
    add_review_and_comment(&fixture).await;
    let pull = fixture.pull_id().await;
    let query = "query($pull: ID!) { node(id: $pull) { ... on PullRequest { reviewThreads(first: 9) { nodes { \
        id viewerCanResolve viewerCanReply isResolved } } } } }";
    let data = fixture
        .graphql_data("mallory", query, json!({"pull": pull}))
        .await;
    let thread = &data["node"]["reviewThreads"]["nodes"][0];
    assert_eq!(thread["viewerCanResolve"], false);
    let id = thread["id"].clone();
    let resolve = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id, clientMutationId: \"m\"}) { \
        clientMutationId thread { isResolved isCollapsed resolvedBy { login } viewerCanUnresolve } } }";
    let refused = fixture.graphql("mallory", resolve, json!({"id": id})).await;
    assert_eq!(refused.body["errors"][0]["type"], "FORBIDDEN");
    assert_eq!(refused.body["data"], json!({"resolveReviewThread": null}));
    let reply = "mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, \
        body: \"Done.\"}) { comment { body state replyTo { body } pullRequestReview { state } author { login } } } }";
    let data = fixture.graphql_data("ana", reply, json!({"id": id})).await;
    assert_eq!(
        data["addPullRequestReviewThreadReply"]["comment"],
        json!({"body": "Done.", "state": "SUBMITTED", "replyTo": {"body": "Why?"},
               "pullRequestReview": {"state": "COMMENTED"}, "author": {"login": "ana"}})
    );
    let data = fixture
        .graphql_data("ana", resolve, json!({"id": id}))
        .await;
    assert_eq!(
        data["resolveReviewThread"],
        json!({"clientMutationId": "m", "thread": {"isResolved": true, "isCollapsed": true,
               "resolvedBy": {"login": "ana"}, "viewerCanUnresolve": true}})
    );
    let undo = "mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }";
    let data = fixture.graphql_data("ana", undo, json!({"id": id})).await;
    assert_eq!(data["unresolveReviewThread"]["thread"]["isResolved"], false);
}

#[tokio::test]
async fn a_person_drafts_readies_closes_reopens_and_merges() {
    let fixture = start_fixture().await;
    let pull = fixture.pull_id().await;
    for (name, field, expect) in [
        ("convertPullRequestToDraft", "isDraft", json!(true)),
        ("markPullRequestReadyForReview", "isDraft", json!(false)),
        ("closePullRequest", "state", json!("CLOSED")),
        ("reopenPullRequest", "state", json!("OPEN")),
        ("mergePullRequest", "state", json!("MERGED")),
    ] {
        let query = format!(
            "mutation($pull: ID!) {{ {name}(input: {{pullRequestId: $pull}}) {{ pullRequest {{ {field} }} }} }}"
        );
        let refused = fixture
            .graphql("mallory", &query, json!({"pull": pull}))
            .await;
        assert_eq!(refused.body["errors"][0]["type"], "FORBIDDEN", "{name}");
        let data = fixture
            .graphql_data("octo", &query, json!({"pull": pull}))
            .await;
        assert_eq!(data[name]["pullRequest"][field], expect, "{name}");
    }
    let query = "query($pull: ID!) { node(id: $pull) { ... on PullRequest { merged mergedBy { login } closed mergeCommit { \
        messageHeadline } mergeable mergeStateStatus baseRef { target { oid } } } } }";
    let data = fixture
        .graphql_data("ana", query, json!({"pull": pull}))
        .await;
    assert_eq!(data["node"]["mergedBy"]["login"], "octo");
    assert_eq!(
        data["node"]["mergeCommit"]["messageHeadline"],
        "Merge pull request #1 from demo/topic"
    );
    assert_eq!(data["node"]["mergeable"], "UNKNOWN");
}

#[tokio::test]
async fn auto_merge_and_the_queue_are_refused_where_they_make_no_sense() {
    let fixture = start_fixture().await;
    let pull = fixture.pull_id().await;
    let expect = [
        (
            "disablePullRequestAutoMerge",
            "Can't disable auto-merge for this pull request.",
        ),
        (
            "enablePullRequestAutoMerge",
            "Pull request Pull request is in clean status",
        ),
        (
            "enqueuePullRequest",
            "No merge queue found for the base branch.",
        ),
    ];
    for (name, message) in expect {
        let query = format!(
            "mutation($pull: ID!) {{ {name}(input: {{pullRequestId: $pull}}) {{ clientMutationId }} }}"
        );
        let answer = fixture.graphql("octo", &query, json!({"pull": pull})).await;
        assert_eq!(
            answer.body["errors"][0]["type"], "UNPROCESSABLE",
            "{name}: {:#}",
            answer.body
        );
        assert_eq!(answer.body["errors"][0]["message"], message);
    }
    let moved = "mutation($pull: ID!) { mergePullRequest(input: {pullRequestId: $pull, \
        expectedHeadOid: \"0000000000000000000000000000000000000000\"}) { clientMutationId } }";
    let answer = fixture.graphql("octo", moved, json!({"pull": pull})).await;
    assert_eq!(answer.body["errors"][0]["type"], "UNPROCESSABLE");
}

#[tokio::test]
async fn auto_merge_shows_until_it_is_switched_off() {
    let checks = [
        (
            ".forge.toml",
            "[[check]]\nname = \"build\"\nrun = \"exit 1\"\n",
        ),
        ("a.txt", "a\n"),
    ];
    let fixture = ForgeFixture::start(&checks, &[("a.txt", "b\n")]).await;
    let pull = fixture.pull_id().await;
    let state = "query($pull: ID!) { node(id: $pull) { ... on PullRequest { mergeStateStatus autoMergeRequest { mergeMethod enabledBy { login } } } } }";
    wait_until("the check to fail", async || {
        let data = fixture
            .graphql_data("ana", state, json!({"pull": pull}))
            .await;
        (data["node"]["mergeStateStatus"] == "UNSTABLE").then_some(())
    })
    .await;
    let enable = "mutation($pull: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $pull, mergeMethod: SQUASH}) { \
        actor { login } pullRequest { state } } }";
    fixture
        .graphql_data("octo", enable, json!({"pull": pull}))
        .await;
    let data = fixture
        .graphql_data("ana", state, json!({"pull": pull}))
        .await;
    assert_eq!(
        data["node"]["autoMergeRequest"],
        json!({"mergeMethod": "SQUASH", "enabledBy": {"login": "octo"}})
    );
    let disable = "mutation($pull: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $pull}) { actor { login } } }";
    fixture
        .graphql_data("octo", disable, json!({"pull": pull}))
        .await;
    let data = fixture
        .graphql_data("ana", state, json!({"pull": pull}))
        .await;
    assert_eq!(data["node"]["autoMergeRequest"], Value::Null);
}

#[tokio::test]
async fn the_rate_limit_object_agrees_with_the_headers() {
    let fixture = start_fixture().await;
    let query = "{ viewer { login } rateLimit { limit cost remaining used resetAt nodeCount } }";
    let answer = fixture.graphql("kim", query, json!({})).await;
    let limit = &answer.body["data"]["rateLimit"];
    assert_eq!(limit["limit"], 5000);
    assert_eq!(limit["cost"], 1);
    assert_eq!(
        limit["remaining"].to_string(),
        answer.header("x-ratelimit-remaining")
    );
    assert_eq!(limit["used"].to_string(), answer.header("x-ratelimit-used"));
    assert_eq!(answer.header("x-ratelimit-resource"), "graphql");
    let reset: i64 = answer
        .header("x-ratelimit-reset")
        .parse()
        .expect("the header is a number");
    let shown = jiff::Timestamp::from_second(reset).expect("the header is a moment");
    assert_eq!(string_of(&limit["resetAt"]), shown.to_string());
}

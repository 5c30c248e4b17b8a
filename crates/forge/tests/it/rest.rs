//! The REST API over real HTTP: what people and bots can do, and what is refused.

use crate::fixture::{ForgeFixture, REPO};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const BASE: &[(&str, &str)] = &[(
    "src/a.txt",
    "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n",
)];
const HEAD: &[(&str, &str)] = &[
    (
        "src/a.txt",
        "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n",
    ),
    ("new file é.txt", "hello\n"),
];

fn repo_path(path: &str) -> String {
    format!("/api/v3/repos/{REPO}{path}")
}

async fn start_fixture() -> ForgeFixture {
    ForgeFixture::start(BASE, HEAD).await
}

/// Sends a request and checks its status and, where given, a part of its answer's text.
async fn assert_refused(
    fixture: &ForgeFixture,
    login: &str,
    (method, path): (&str, &str),
    body: Value,
    (status, words): (u16, &str),
) {
    let answer = fixture
        .call(login, method, &repo_path(path), Some(body))
        .await;
    let told = answer.body.to_string();
    assert_eq!(answer.status, status, "{method} {path}: {told}");
    assert!(told.contains(words), "{method} {path}: {told}");
    assert_eq!(answer.body["status"], status.to_string());
}

#[tokio::test]
async fn a_token_acts_as_its_login_and_no_other_gets_in() {
    let fixture = start_fixture().await;
    let me = fixture.call("ana", "GET", "/api/v3/user", None).await;
    assert_eq!((me.status, &me.body["login"]), (200, &json!("ana")));
    let bot = fixture
        .call("coderabbitai[bot]", "GET", "/api/v3/user", None)
        .await;
    assert_eq!(bot.body["id"], 136_622_811);
    assert_eq!(bot.body["type"], "Bot");
    let stranger = fixture.call("nobody", "GET", "/api/v3/user", None).await;
    assert_eq!(stranger.status, 401);
    assert_eq!(stranger.body["message"], "Bad credentials");
    let url = format!("{}/user", fixture.api_url());
    let silent = fixture.http().get(url).send().await.expect("it answers");
    assert_eq!(silent.status(), 401);
    let added = fixture
        .call(
            "",
            "POST",
            "/_forge/accounts",
            Some(json!({"login": "zoe"})),
        )
        .await;
    assert_eq!(added.status, 201);
    assert_eq!(
        fixture
            .call("zoe", "GET", "/api/v3/user", None)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_pull_request_reports_its_facts() {
    let fixture = start_fixture().await;
    let pull = fixture
        .call("mallory", "GET", &repo_path("/pulls/1"), None)
        .await
        .body;
    for (field, expect) in [
        ("state", json!("open")),
        ("mergeable", json!(true)),
        ("mergeable_state", json!("clean")),
        ("changed_files", json!(2)),
        ("additions", json!(2)),
        ("deletions", json!(1)),
        ("author_association", json!("MEMBER")),
        ("commits", json!(1)),
    ] {
        assert_eq!(pull[field], expect, "{field}");
    }
    let files = fixture
        .call("ben", "GET", &repo_path("/pulls/1/files"), None)
        .await
        .body;
    let names: Vec<&Value> = files
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| &f["filename"])
        .collect();
    assert_eq!(names, ["new file é.txt", "src/a.txt"]);
    assert!(
        files[1]["patch"]
            .as_str()
            .expect("a patch")
            .contains("-4\n+four")
    );
    let commits = fixture
        .call("ben", "GET", &repo_path("/pulls/1/commits"), None)
        .await
        .body;
    assert_eq!(
        commits[0]["commit"]["message"],
        "Change things\n\nFor the better."
    );
    assert_eq!(commits[0]["sha"], pull["head"]["sha"]);
    let content = fixture
        .call(
            "ben",
            "GET",
            &repo_path("/contents/new%20file%20%C3%A9.txt?ref=topic"),
            None,
        )
        .await
        .body;
    assert_eq!(content["content"], "aGVsbG8K\n");
    let compared = fixture
        .call("ben", "GET", &repo_path("/compare/main...topic"), None)
        .await
        .body;
    assert_eq!(
        (&compared["status"], &compared["ahead_by"]),
        (&json!("ahead"), &json!(1))
    );
}

#[tokio::test]
async fn an_unchanged_answer_is_a_304() {
    let fixture = start_fixture().await;
    let url = format!("{}{}", fixture.git_url(), repo_path("/pulls/1"));
    let get_with_tag = |tag: Option<String>| {
        let mut request = fixture
            .http()
            .get(&url)
            .header("authorization", "token forge-ana");
        if let Some(tag) = tag {
            request = request.header("if-none-match", tag);
        }
        async move { request.send().await.expect("it answers") }
    };
    let first = get_with_tag(None).await;
    let tag = first.headers()["etag"].to_str().expect("text").to_owned();
    assert!(first.headers().contains_key("x-github-request-id"));
    assert!(first.headers().contains_key("x-ratelimit-remaining"));
    let same = get_with_tag(Some(tag.clone())).await;
    assert_eq!(same.status(), 304);
    assert_eq!(same.bytes().await.expect("a body").len(), 0);
    let edit = json!({"title": "Another title"});
    assert_eq!(
        fixture
            .call("ana", "PATCH", &repo_path("/pulls/1"), Some(edit))
            .await
            .status,
        200
    );
    assert_eq!(get_with_tag(Some(tag)).await.status(), 200);
}

#[tokio::test]
async fn lists_come_in_pages_with_links() {
    let fixture = start_fixture().await;
    for n in 1..=5 {
        let body = json!({"body": format!("comment {n}")});
        let made = fixture
            .call(
                "mallory",
                "POST",
                &repo_path("/issues/1/comments"),
                Some(body),
            )
            .await;
        assert_eq!(made.status, 201);
        assert_eq!(made.body["author_association"], "NONE");
    }
    let mut seen = Vec::new();
    let mut path = Some(repo_path("/issues/1/comments?per_page=2"));
    while let Some(at) = path {
        let page = fixture.call("ana", "GET", &at, None).await;
        let list = page.body.as_array().expect("a list").clone();
        assert!(list.len() <= 2);
        seen.extend(list.into_iter().map(|c| c["body"].clone()));
        path = page.header("link").split(", ").find_map(|link| {
            let (url, rel) = link.split_once(">; ")?;
            let path = url
                .trim_start_matches('<')
                .strip_prefix(&fixture.git_url())?;
            (rel == "rel=\"next\"").then(|| path.to_owned())
        });
    }
    assert_eq!(
        seen,
        [
            "comment 1",
            "comment 2",
            "comment 3",
            "comment 4",
            "comment 5"
        ]
    );
}

#[tokio::test]
async fn inline_comments_stand_only_on_lines_of_the_diff() {
    let fixture = start_fixture().await;
    let head = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body["head"]["sha"]
        .clone();
    let on = |line: u64, side: &str| json!({"path": "src/a.txt", "line": line, "side": side, "body": "Why?", "commit_id": head});
    let good = fixture
        .call(
            "mallory",
            "POST",
            &repo_path("/pulls/1/comments"),
            Some(on(4, "RIGHT")),
        )
        .await;
    assert_eq!(good.status, 201, "{}", good.body);
    assert_eq!(
        good.body["diff_hunk"],
        "@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\n+four"
    );
    assert_eq!(good.body["line"], 4);
    let left = fixture
        .call(
            "ben",
            "POST",
            &repo_path("/pulls/1/comments"),
            Some(on(4, "LEFT")),
        )
        .await;
    assert_eq!(left.body["side"], "LEFT");
    let add = ("POST", "/pulls/1/comments");
    assert_refused(
        &fixture,
        "ben",
        add,
        on(15, "RIGHT"),
        (422, "must be part of the diff"),
    )
    .await;
    let mut range = on(4, "RIGHT");
    range["start_line"] = json!(9);
    assert_refused(&fixture, "ben", add, range, (422, "start_line")).await;
    let mut elsewhere = on(4, "RIGHT");
    elsewhere["path"] = json!("no/such");
    assert_refused(&fixture, "ben", add, elsewhere, (422, "path")).await;
    let mut foreign = on(4, "RIGHT");
    foreign["commit_id"] = json!("0123456789012345678901234567890123456789");
    assert_refused(&fixture, "ben", add, foreign, (422, "commit_id")).await;

    let id = &good.body["id"];
    let path = format!("/pulls/1/comments/{id}/replies");
    let reply = fixture
        .call(
            "ana",
            "POST",
            &repo_path(&path),
            Some(json!({"body": "Because."})),
        )
        .await;
    assert_eq!((reply.status, &reply.body["in_reply_to_id"]), (201, id));
    assert_refused(
        &fixture,
        "ana",
        ("POST", &path),
        json!({"body": " "}),
        (422, "missing_field"),
    )
    .await;
    let own = format!("/pulls/comments/{id}");
    assert_refused(
        &fixture,
        "kim",
        ("PATCH", "/pulls/comments/1"),
        json!({"body": "x"}),
        (404, "Not Found"),
    )
    .await;
    let edited = fixture
        .call(
            "mallory",
            "PATCH",
            &repo_path(&own),
            Some(json!({"body": "How?"})),
        )
        .await;
    assert_eq!(edited.body["body"], "How?");
    let all = fixture
        .call("ana", "GET", &repo_path("/pulls/1/comments"), None)
        .await
        .body;
    assert_eq!(all.as_array().map(Vec::len), Some(3));
    assert_eq!(
        fixture
            .call("mallory", "DELETE", &repo_path(&own), None)
            .await
            .status,
        204
    );
    assert_eq!(
        fixture
            .call("mallory", "GET", &repo_path(&own), None)
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn reviews_obey_github_s_rules() {
    let fixture = start_fixture().await;
    let reviews = ("POST", "/pulls/1/reviews");
    for event in ["APPROVE", "REQUEST_CHANGES"] {
        let body = json!({"event": event, "body": "Mine"});
        assert_refused(
            &fixture,
            "ana",
            reviews,
            body,
            (422, "your own pull request"),
        )
        .await;
    }
    let off = json!({"event": "COMMENT", "body": "x", "comments": [{"path": "src/a.txt", "line": 18, "body": "y"}]});
    assert_refused(
        &fixture,
        "ben",
        reviews,
        off,
        (422, "Line could not be resolved"),
    )
    .await;
    assert_refused(
        &fixture,
        "ben",
        reviews,
        json!({"event": "COMMENT"}),
        (422, "Body can't be blank"),
    )
    .await;

    let draft = json!({"comments": [{"path": "src/a.txt", "line": 4, "body": "Hm"}]});
    let pending = fixture
        .call("ben", "POST", &repo_path(reviews.1), Some(draft))
        .await
        .body;
    assert_eq!(pending["state"], "PENDING");
    assert_eq!(pending.get("submitted_at"), None);
    let again = json!({"event": "APPROVE"});
    assert_refused(&fixture, "ben", reviews, again, (422, "one pending review")).await;
    let others = fixture
        .call("ana", "GET", &repo_path("/pulls/1/reviews"), None)
        .await
        .body;
    assert_eq!(others, json!([]), "a pending review is its author's own");
    assert_eq!(
        fixture
            .call("ana", "GET", &repo_path("/pulls/1/comments"), None)
            .await
            .body,
        json!([])
    );

    let submit = format!("/pulls/1/reviews/{}/events", pending["id"]);
    let done = fixture
        .call(
            "ben",
            "POST",
            &repo_path(&submit),
            Some(json!({"event": "REQUEST_CHANGES", "body": "Please"})),
        )
        .await
        .body;
    assert_eq!(done["state"], "CHANGES_REQUESTED");
    assert_eq!(done["author_association"], "COLLABORATOR");
    let all = fixture
        .call("ana", "GET", &repo_path("/pulls/1/comments"), None)
        .await
        .body;
    assert_eq!(all[0]["body"], "Hm");

    let dismiss = format!("/pulls/1/reviews/{}/dismissals", pending["id"]);
    assert_refused(
        &fixture,
        "mallory",
        ("PUT", &dismiss),
        json!({"message": "no"}),
        (403, "push access"),
    )
    .await;
    let gone = fixture
        .call(
            "octo",
            "PUT",
            &repo_path(&dismiss),
            Some(json!({"message": "Stale"})),
        )
        .await
        .body;
    assert_eq!(gone["state"], "DISMISSED");
    let second = json!({"body": "draft"});
    let second = fixture
        .call("kim", "POST", &repo_path(reviews.1), Some(second))
        .await
        .body;
    let path = format!("/pulls/1/reviews/{}", second["id"]);
    assert_eq!(
        fixture
            .call("kim", "DELETE", &repo_path(&path), None)
            .await
            .status,
        200
    );
    assert_eq!(
        fixture
            .call("kim", "GET", &repo_path(&path), None)
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn merging_is_refused_for_github_s_reasons_and_then_really_done() {
    for (method, parents) in [("merge", 2), ("squash", 1), ("rebase", 1)] {
        let fixture = start_fixture().await;
        let merge = ("PUT", "/pulls/1/merge");
        let body = |sha: &str| json!({"merge_method": method, "sha": sha});
        let head = crate::fixture::string_of(
            &fixture
                .call("ana", "GET", &repo_path("/pulls/1"), None)
                .await
                .body["head"]["sha"],
        );
        assert_refused(
            &fixture,
            "mallory",
            merge,
            body(&head),
            (403, "push access"),
        )
        .await;
        let stale = "0".repeat(40);
        assert_refused(
            &fixture,
            "octo",
            merge,
            body(&stale),
            (409, "Head branch was modified"),
        )
        .await;
        let rules = json!({"protection": {"main": {"required_checks": ["build"]}}});
        let path = format!("/_forge/repos/{REPO}");
        assert_eq!(
            fixture
                .call("ana", "PATCH", &path, Some(rules))
                .await
                .status,
            204
        );
        assert_refused(&fixture, "octo", merge, body(&head), (405, "is expected")).await;
        let status = json!({"state": "success", "context": "build"});
        let posted = fixture
            .call(
                "octo",
                "POST",
                &repo_path(&format!("/statuses/{head}")),
                Some(status),
            )
            .await;
        assert_eq!(posted.status, 201);
        let done = fixture
            .call("octo", "PUT", &repo_path(merge.1), Some(body(&head)))
            .await;
        assert_eq!(
            (done.status, &done.body["merged"]),
            (200, &json!(true)),
            "{}",
            done.body
        );
        let pull = fixture
            .call("ana", "GET", &repo_path("/pulls/1"), None)
            .await
            .body;
        assert_eq!(
            (&pull["merged"], &pull["state"]),
            (&json!(true), &json!("closed"))
        );
        let tip = fixture
            .call("ana", "GET", &repo_path("/commits/main"), None)
            .await
            .body;
        assert_eq!(tip["sha"], done.body["sha"]);
        assert_eq!(
            tip["parents"].as_array().map(Vec::len),
            Some(parents),
            "{method}"
        );
        let file = fixture
            .call("ana", "GET", &repo_path("/contents/src/a.txt"), None)
            .await
            .body;
        assert_eq!(file["size"], 54);
        assert_refused(&fixture, "octo", merge, body(&head), (405, "not mergeable")).await;
        assert_refused(
            &fixture,
            "ana",
            ("PATCH", "/pulls/1"),
            json!({"state": "open"}),
            (422, "merged"),
        )
        .await;
    }
}

#[tokio::test]
async fn a_private_repository_is_not_there_for_outsiders() {
    let fixture = start_fixture().await;
    let path = format!("/_forge/repos/{REPO}");
    fixture
        .call_granted("ana", "PATCH", &path, Some(json!({"private": true})))
        .await;
    for path in [
        "",
        "/pulls/1",
        "/issues/1/comments",
        "/commits/main/check-runs",
    ] {
        let outsider = fixture.call("mallory", "GET", &repo_path(path), None).await;
        assert_eq!(
            (outsider.status, &outsider.body["message"]),
            (404, &json!("Not Found")),
            "{path}"
        );
        assert_eq!(
            fixture
                .call("kim", "GET", &repo_path(path), None)
                .await
                .status,
            200,
            "{path}"
        );
    }
    let body = Some(json!({"body": "hi"}));
    assert_eq!(
        fixture
            .call("mallory", "POST", &repo_path("/issues/1/comments"), body)
            .await
            .status,
        404
    );
}

/// A head goes out before its body, as from Python's http.client; and the next request on the same connection.
#[tokio::test]
async fn a_connection_outlives_a_request_whose_body_nothing_looks_at() {
    let fixture = start_fixture().await;
    let address = fixture.running().addr();
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let path = repo_path("/issues/1/lock");
    let head = |method: &str, size: usize| {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: token forge-demo\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
        )
    };
    let body = br#"{"lock_reason":"resolved"}"#;
    for _ in 0..2 {
        let put = head("PUT", body.len());
        stream.write_all(put.as_bytes()).await.expect("it reads");
        let unanswered =
            tokio::time::timeout(Duration::from_millis(200), stream.peek(&mut [0])).await;
        assert!(unanswered.is_err(), "it answered before it had read");
        stream.write_all(body).await.expect("it reads on");
        assert_eq!(next_status(&mut stream).await, Some(204));
        let delete = head("DELETE", 0);
        stream.write_all(delete.as_bytes()).await.expect("it reads");
        assert_eq!(next_status(&mut stream).await, Some(204));
    }
}

/// The status of the next answer, which has no body; none once the other side has closed.
async fn next_status(stream: &mut TcpStream) -> Option<u16> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).expect("text");
    Some(head.split(' ').nth(1)?.parse().expect("a status"))
}

#[tokio::test]
async fn labels_reviewers_state_and_lock_can_be_set_by_those_with_a_role() {
    let fixture = start_fixture().await;
    let labels = ("POST", "/issues/1/labels");
    let named = json!({"labels": ["collie:ignore"]});
    assert_refused(
        &fixture,
        "mallory",
        labels,
        named.clone(),
        (403, "push access"),
    )
    .await;
    let set = fixture
        .call("kim", "POST", &repo_path(labels.1), Some(named))
        .await;
    assert_eq!(set.body[0]["name"], "collie:ignore");
    let off = fixture
        .call(
            "kim",
            "DELETE",
            &repo_path("/issues/1/labels/collie:ignore"),
            None,
        )
        .await;
    assert_eq!((off.status, off.body), (200, json!([])));
    let again = fixture
        .call(
            "kim",
            "DELETE",
            &repo_path("/issues/1/labels/collie:ignore"),
            None,
        )
        .await;
    assert_eq!(again.status, 404);

    let request = ("POST", "/pulls/1/requested_reviewers");
    assert_refused(
        &fixture,
        "kim",
        request,
        json!({"reviewers": ["ana"]}),
        (422, "author"),
    )
    .await;
    let asked = fixture
        .call(
            "kim",
            "POST",
            &repo_path(request.1),
            Some(json!({"reviewers": ["ben"]})),
        )
        .await;
    assert_eq!(asked.body["requested_reviewers"][0]["login"], "ben");
    fixture
        .call_granted(
            "ben",
            "POST",
            &repo_path("/pulls/1/reviews"),
            Some(json!({"event": "APPROVE"})),
        )
        .await;
    let left = fixture
        .call("kim", "GET", &repo_path(request.1), None)
        .await
        .body;
    assert_eq!(
        left["users"],
        json!([]),
        "a given review is no longer asked for"
    );

    assert_eq!(
        fixture
            .call("kim", "PUT", &repo_path("/issues/1/lock"), None)
            .await
            .status,
        204
    );
    let comment = ("POST", "/issues/1/comments");
    assert_refused(
        &fixture,
        "mallory",
        comment,
        json!({"body": "hi"}),
        (403, "locked"),
    )
    .await;

    let close = json!({"state": "closed"});
    assert_refused(
        &fixture,
        "mallory",
        ("PATCH", "/pulls/1"),
        close.clone(),
        (403, "admin rights"),
    )
    .await;
    assert_eq!(
        fixture
            .call("ana", "PATCH", &repo_path("/pulls/1"), Some(close))
            .await
            .body["state"],
        "closed"
    );
    let open = fixture
        .call("ana", "GET", &repo_path("/pulls"), None)
        .await
        .body;
    assert_eq!(open, json!([]));
    let again = json!({"state": "open"});
    assert_eq!(
        fixture
            .call("ana", "PATCH", &repo_path("/pulls/1"), Some(again))
            .await
            .body["state"],
        "open"
    );
}

#[tokio::test]
async fn an_issue_is_opened_by_anyone_and_changed_by_its_author_or_a_writer() {
    let fixture = start_fixture().await;
    let new = json!({"title": "Slow", "body": "Very.", "labels": ["bug"]});
    let opened = fixture
        .call("mallory", "POST", &repo_path("/issues"), Some(new.clone()))
        .await;
    assert_eq!((opened.status, &opened.body["number"]), (201, &json!(2)));
    assert_eq!(opened.body["labels"], json!([]), "mallory cannot write");
    assert!(opened.body.get("pull_request").is_none());
    let open = ("POST", "/issues");
    assert_refused(&fixture, "ana", open, json!({}), (422, "missing_field")).await;
    let long = json!({"title": "x".repeat(257)});
    assert_refused(&fixture, "ana", open, long, (422, "too long")).await;
    let edit = ("PATCH", "/issues/2");
    let close = json!({"state": "closed"});
    assert_refused(
        &fixture,
        "kim",
        edit,
        json!({"state": "gone"}),
        (422, "invalid"),
    )
    .await;
    let stranger = json!({"login": "zoe"});
    fixture
        .call_granted("", "POST", "/_forge/accounts", Some(stranger))
        .await;
    assert_refused(&fixture, "zoe", edit, close.clone(), (403, "admin rights")).await;

    let labelled = json!({"title": "Slower", "labels": ["bug"]});
    let edit_as = async |login: &str, body: &Value| {
        let path = repo_path("/issues/2");
        fixture
            .call(login, "PATCH", &path, Some(body.clone()))
            .await
            .body
    };
    let by_author = edit_as("mallory", &labelled).await;
    assert_eq!(
        (&by_author["title"], &by_author["labels"]),
        (&json!("Slower"), &json!([]))
    );
    let by_writer = edit_as("ana", &labelled).await;
    assert_eq!(by_writer["labels"][0]["name"], "bug");
    let closed = edit_as("mallory", &close).await;
    assert_eq!(
        (&closed["state"], &closed["state_reason"]),
        (&json!("closed"), &json!("completed"))
    );
    assert_eq!(closed["closed_by"]["login"], "mallory");
    let list_issues = async |query: &str| {
        let path = repo_path(&format!("/issues{query}"));
        let body = fixture.call("ana", "GET", &path, None).await.body;
        let numbers = body.as_array().expect("a list").iter();
        numbers
            .map(|it| it["number"].as_u64().expect("a number"))
            .collect::<Vec<_>>()
    };
    assert_eq!(list_issues("").await, [1], "pull requests are issues too");
    assert_eq!(list_issues("?state=closed&labels=Bug").await, [2]);
    assert_eq!(list_issues("?state=all").await, [2, 1]);
    let pull = fixture
        .call("ana", "GET", &repo_path("/pulls/2"), None)
        .await;
    assert_eq!(pull.status, 404, "its number is no pull request's");

    fixture
        .call_granted("demo", "PUT", &repo_path("/issues/2/lock"), None)
        .await;
    let comment = ("POST", "/issues/2/comments");
    let body = json!({"body": "Why?"});
    assert_refused(&fixture, "mallory", comment, body, (403, "locked")).await;
}

#[tokio::test]
async fn malformed_requests_get_github_s_errors() {
    let fixture = start_fixture().await;
    let url = format!("{}{}", fixture.git_url(), repo_path("/issues/1/comments"));
    let request = fixture
        .http()
        .post(url)
        .header("authorization", "Bearer forge-ana");
    let broken = request.body("{").send().await.expect("it answers");
    assert_eq!(broken.status(), 400);
    let new = ("POST", "/pulls");
    let pull = |base: &str, head: &str| json!({"title": "T", "base": base, "head": head});
    assert_refused(
        &fixture,
        "ana",
        new,
        pull("main", "topic"),
        (422, "already exists"),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        new,
        pull("main", "nowhere"),
        (422, "invalid"),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        new,
        pull("topic", "main"),
        (422, "No commits between"),
    )
    .await;
    assert_refused(
        &fixture,
        "ana",
        new,
        json!({"title": "T"}),
        (422, "missing_field"),
    )
    .await;
    for path in ["/pulls/99", "/pulls/one", "/nothing/here", "/check-runs/7"] {
        assert_eq!(
            fixture
                .call("ana", "GET", &repo_path(path), None)
                .await
                .status,
            404,
            "{path}"
        );
    }
    let unknown = fixture
        .call(
            "ana",
            "GET",
            &repo_path("/commits/no-such/check-runs"),
            None,
        )
        .await;
    assert_eq!(unknown.status, 422);
}

#[tokio::test]
async fn branch_rules_are_reported_and_hold_a_merge() {
    let fixture = start_fixture().await;
    let rules = json!({"protection": {"main": {
        "required_checks": ["build"], "strict": true, "required_reviews": 1, "enforce_admins": true,
    }}});
    fixture
        .call_granted(
            "ana",
            "PATCH",
            &format!("/_forge/repos/{REPO}"),
            Some(rules),
        )
        .await;
    let branch = fixture
        .call("ana", "GET", &repo_path("/branches/main"), None)
        .await
        .body;
    assert_eq!(branch["protected"], true);
    let told = fixture
        .call("ana", "GET", &repo_path("/rules/branches/main"), None)
        .await
        .body;
    let kinds: Vec<&Value> = told
        .as_array()
        .expect("a list")
        .iter()
        .map(|r| &r["type"])
        .collect();
    assert_eq!(
        kinds,
        ["non_fast_forward", "required_status_checks", "pull_request"]
    );
    let pull = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body;
    assert_eq!(pull["mergeable_state"], "blocked");
    let checks = repo_path("/branches/main/protection/required_status_checks");
    assert_eq!(
        fixture.call("demo", "GET", &checks, None).await.body["contexts"],
        json!(["build"])
    );
    assert_eq!(
        fixture.call("ana", "GET", &checks, None).await.status,
        404,
        "for owners only"
    );
    let unruled = fixture
        .call(
            "demo",
            "GET",
            &repo_path("/branches/topic/protection"),
            None,
        )
        .await;
    assert_eq!(unruled.body["message"], "Branch not protected");
}

#[tokio::test]
async fn a_permission_is_told_to_those_who_may_push_and_a_member_may_be_one_who_only_reads() {
    let fixture = start_fixture().await;
    let roles = json!({"roles": {"mallory": "reader"}});
    fixture
        .call_granted("", "PATCH", &format!("/_forge/repos/{REPO}"), Some(roles))
        .await;
    for (login, permission) in [
        ("demo", "admin"),
        ("ana", "write"),
        ("kim", "write"),
        ("mallory", "read"),
    ] {
        let path = repo_path(&format!("/collaborators/{login}/permission"));
        let told = fixture.call("octo", "GET", &path, None).await;
        assert_eq!(told.body["permission"], permission, "{login}");
        assert_eq!(told.body["user"]["login"], login);
        let refused = fixture.call("mallory", "GET", &path, None).await;
        assert_eq!(refused.status, 403);
    }
    let words = json!({"body": "Hello."});
    let said = fixture
        .call_granted(
            "mallory",
            "POST",
            &repo_path("/issues/1/comments"),
            Some(words),
        )
        .await;
    assert_eq!(said["author_association"], "MEMBER");
}

#[tokio::test]
async fn a_login_that_was_given_up_is_another_account_s_afterwards() {
    let fixture = start_fixture().await;
    let before = fixture
        .call("ana", "GET", "/api/v3/users/mallory", None)
        .await;
    let path = "/_forge/accounts/mallory";
    let taken = fixture
        .call("", "PATCH", path, Some(json!({"login": "ana"})))
        .await;
    assert_eq!(taken.status, 422);
    fixture
        .call_granted("", "PATCH", path, Some(json!({"login": "mallory-was"})))
        .await;
    fixture
        .call_granted(
            "",
            "POST",
            "/_forge/accounts",
            Some(json!({"login": "mallory"})),
        )
        .await;
    let after = fixture
        .call("ana", "GET", "/api/v3/users/mallory", None)
        .await;
    assert_ne!(before.body["id"], after.body["id"]);
    let was = fixture
        .call("ana", "GET", "/api/v3/users/mallory-was", None)
        .await;
    assert_eq!(before.body["id"], was.body["id"]);
}

#[tokio::test]
async fn languages_are_counted_by_bytes_of_the_default_branch() {
    let base = [
        ("src/a.py", "12345"),
        ("src/b.py", "678"),
        ("lib.rs", "fn"),
        ("README.md", "# No code"),
    ];
    let fixture = ForgeFixture::start(&base, &[("more.go", "package more")]).await;
    let counted = fixture
        .call("ana", "GET", &repo_path("/languages"), None)
        .await;
    assert_eq!(counted.status, 200);
    assert_eq!(counted.body, json!({"Python": 8, "Rust": 2}));
}

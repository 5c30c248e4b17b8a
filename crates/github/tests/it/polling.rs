//! Watched pull requests: what has not changed is not read again, and nothing that changed is missed (§3.2).

use crate::common::{
    ClientFixture, GraphQlOperation, ManualClock, client, observe_response, pull, repository_json,
};
use collie_core::ids::{PullName, Time};
use collie_core::poll_budget::RateResource;
use collie_core::snapshot::{ObserveFailure, Snapshot};
use collie_engine::ports::{GitHub, PollDepth, PullPoll, PullRef};
use collie_github::GitHubClient;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, ResponseTemplate};

const CHANGES: PollDepth = PollDepth::Changes;

fn polls(pulls: &[PullRef], depth: PollDepth) -> Vec<PullPoll> {
    let poll = |pull: &PullRef| PullPoll {
        pull: pull.clone(),
        depth,
        by_person: false,
    };
    pulls.iter().map(poll).collect()
}

/// A forge with so many pull requests, a client on it, and what it reads.
struct Watch {
    fixture: ClientFixture,
    client: GitHubClient,
    pulls: Vec<PullRef>,
}

impl Watch {
    async fn start(count: u64, edit: impl Fn(PullFixture) -> PullFixture) -> Self {
        let repository =
            (1..=count).fold(RepositoryFixture::new("demo/app"), |repository, number| {
                let pull = PullFixture::new(&format!("topic-{number}"));
                repository.with_pull(edit(pull.with_file(&format!("{number}.txt"), "x\n")))
            });
        let fixture = ClientFixture::start(&repository).await;
        let client = fixture.client_as("octo").await;
        let mut pulls = Vec::new();
        for number in 1..=count {
            let name = PullName::parse(&format!("demo/app#{number}")).expect("a name");
            pulls.push(client.resolve_pull(&name).await.expect("resolved").pull);
        }
        Self {
            fixture,
            client,
            pulls,
        }
    }

    /// Polls all of them; gives what was read, and how often which query was sent.
    async fn poll(&self, depth: PollDepth) -> (Vec<Snapshot>, Value) {
        self.fixture.reset_request_counts().await;
        let found = self.client.poll(&polls(&self.pulls, depth)).await;
        let found = found.into_iter().map(|one| one.expect("read")).collect();
        (found, self.fixture.request_counts().await)
    }

    /// Polls until a look shows no change. Times are whole seconds, so that what is young is read again.
    async fn settle(&self) -> Vec<Snapshot> {
        wait_until("a poll that needs one query", async || {
            let (found, counts) = self.poll(CHANGES).await;
            (graphql_requests(&counts) == 1).then_some(found)
        })
        .await
    }

    async fn act(&self, login: &str, method: &str, path: &str, body: Value) -> Value {
        self.fixture
            .repo_call(login, method, path, Some(body))
            .await
    }
}

fn graphql_requests(counts: &Value) -> u64 {
    counts["routes"]["POST /graphql"].as_u64().unwrap_or(0)
}

/// A reading but for when it was made.
fn timeless(snapshot: &Snapshot) -> Snapshot {
    Snapshot {
        read_at: Time(0),
        ..snapshot.clone()
    }
}

#[tokio::test]
async fn what_has_not_changed_is_shown_by_one_query_that_costs_little() {
    let watch = Watch::start(30, |pull| pull).await;
    let before = watch.settle().await;
    watch.fixture.clock.advance(60_000);
    let (found, counts) = watch.poll(CHANGES).await;
    // Four connections each: 120 in all.
    assert_eq!(
        (graphql_requests(&counts), &counts["charged"]["graphql"]),
        (1, &json!(1))
    );
    for (found, before) in found.iter().zip(&before) {
        assert_eq!(timeless(found), timeless(before));
        assert_eq!(found.read_at, Time(1_700_000_060_000));
    }
    // Before something is written, all is read.
    let (_, counts) = watch.poll(PollDepth::Everything).await;
    assert_eq!(graphql_requests(&counts), 2);
}

/// Of what GitHub says has changed all is read, without a look before it where they are few: that costs a point, as the look would.
#[tokio::test]
async fn what_is_said_to_have_changed_is_read_for_what_a_look_costs() {
    let mut watch = Watch::start(6, |pull| pull).await;
    let all = watch.pulls.clone();
    watch.settle().await;
    watch
        .act("ben", "POST", "/issues/1/comments", json!({"body": "one"}))
        .await;
    watch.pulls = all[..1].to_vec();
    let (found, counts) = watch.poll(PollDepth::Reported).await;
    assert_eq!(found[0].comments.len(), 1);
    assert_eq!(
        (graphql_requests(&counts), &counts["charged"]["graphql"]),
        (1, &json!(1))
    );
    // Of many those that did not change cost but the look.
    watch
        .act("ben", "POST", "/issues/5/comments", json!({"body": "two"}))
        .await;
    watch.pulls = all;
    let (found, counts) = watch.poll(PollDepth::Reported).await;
    assert_eq!(found[4].comments.len(), 1);
    assert_eq!(
        graphql_requests(&counts),
        2,
        "a look, and those that changed"
    );
    // New threads are in it, however many there were.
    watch.pulls.truncate(1);
    for _ in 0..7 {
        comment_inline(&watch, 1).await;
    }
    let (found, _) = watch.poll(PollDepth::Reported).await;
    assert_eq!(found[0].threads.len(), 7);
}

/// Adds an inline comment of ben's to a pull request; gives its number.
async fn comment_inline(watch: &Watch, number: u64) -> u64 {
    let comment = json!({"body": "Why?", "path": format!("{number}.txt"), "line": 1, "side": "RIGHT",
        "commit_id": watch.fixture.sha(&format!("topic-{number}"))});
    let path = format!("/pulls/{number}/comments");
    watch.act("ben", "POST", &path, comment).await["id"]
        .as_u64()
        .expect("a number")
}

#[tokio::test]
async fn each_kind_of_change_is_seen_by_the_next_look() {
    let watch = Watch::start(16, |pull| pull).await;
    let (fixture, act) = (&watch.fixture, async |login, method, path: &str, body| {
        watch.act(login, method, path, body).await
    });
    let number = |value: &Value| value["id"].as_u64().expect("a number");
    let sha = |number: u64| fixture.sha(&format!("topic-{number}"));
    let edited = number(&act("ben", "POST", "/issues/2/comments", json!({"body": "one"})).await);
    let deleted = number(&act("ben", "POST", "/issues/3/comments", json!({"body": "one"})).await);
    comment_inline(&watch, 4).await;
    let answered = comment_inline(&watch, 5).await;
    let approval = json!({"event": "REQUEST_CHANGES", "body": "No"});
    let review = number(&act("ben", "POST", "/pulls/6/reviews", approval.clone()).await);
    act(
        "ana",
        "POST",
        &format!("/statuses/{}", sha(7)),
        json!({"state": "pending", "context": "ci"}),
    )
    .await;
    let before = watch.settle().await;
    act("ben", "POST", "/issues/1/comments", json!({"body": "new"})).await;
    act(
        "ben",
        "PATCH",
        &format!("/issues/comments/{edited}"),
        json!({"body": "two"}),
    )
    .await;
    fixture
        .repo_call(
            "ben",
            "DELETE",
            &format!("/issues/comments/{deleted}"),
            None,
        )
        .await;
    let threads = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 1) { nodes { id } } } } }";
    let thread = fixture.graphql_about_pull("ana", 4, threads).await["node"]["reviewThreads"]["nodes"][0]["id"].clone();
    let resolve =
        "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }";
    fixture
        .graphql_data("ana", resolve, json!({"id": thread}))
        .await;
    act(
        "ana",
        "POST",
        &format!("/pulls/5/comments/{answered}/replies"),
        json!({"body": "So"}),
    )
    .await;
    act(
        "demo",
        "PUT",
        &format!("/pulls/6/reviews/{review}/dismissals"),
        json!({"message": "Old"}),
    )
    .await;
    act(
        "ana",
        "POST",
        &format!("/statuses/{}", sha(7)),
        json!({"state": "success", "context": "ci"}),
    )
    .await;
    act(
        "ana",
        "POST",
        &format!("/statuses/{}", sha(8)),
        json!({"state": "pending", "context": "ci"}),
    )
    .await;
    act(
        "ben",
        "POST",
        "/pulls/9/reviews",
        json!({"event": "APPROVE"}),
    )
    .await;
    act(
        "demo",
        "POST",
        "/issues/10/labels",
        json!({"labels": ["urgent"]}),
    )
    .await;
    act("ana", "PATCH", "/pulls/11", json!({"title": "Another"})).await;
    act("ana", "PATCH", "/pulls/12", json!({"body": "Why"})).await;
    fixture.push("topic-13", &[("13.txt", "y\n")]).await;
    act("ana", "PATCH", "/pulls/14", json!({"state": "closed"})).await;
    comment_inline(&watch, 15).await;
    fixture.push("main", &[("16.txt", "z\n")]).await;
    let fresh = fixture.client_as("octo").await;
    let (found, _) = watch.poll(CHANGES).await;
    let read = fresh.observe(&watch.pulls).await;
    for ((found, read), before) in found.iter().zip(read).zip(&before) {
        let read = read.expect("read");
        assert_ne!(timeless(before), timeless(found), "{}", found.number);
        assert_eq!(timeless(found), timeless(&read), "{}", found.number);
    }
}

#[tokio::test]
async fn what_hangs_on_the_head_is_read_once_a_head() {
    let watch = Watch::start(1, |pull| {
        (0..130).fold(pull, |pull, file| {
            pull.with_file(&format!("many/{file}.txt"), "x\n")
        })
    })
    .await;
    let before = watch.settle().await;
    assert_eq!(before[0].files.len(), 131);
    watch
        .act("ben", "POST", "/issues/1/comments", json!({"body": "new"}))
        .await;
    let (found, counts) = watch.poll(CHANGES).await;
    assert_eq!((found[0].comments.len(), found[0].files.len()), (1, 131));
    // A look, and a reading without the files and their second page.
    assert_eq!(graphql_requests(&counts), 2, "{counts:#}");
    watch
        .fixture
        .push("topic-1", &[("many/0.txt", "y\n"), ("one more.txt", "y\n")])
        .await;
    let (found, _) = watch.poll(CHANGES).await;
    assert_eq!(found[0].files.len(), 132);
}

#[tokio::test]
async fn files_are_read_anew_where_the_base_branch_is_another() {
    let watch = Watch::start(1, |pull| pull).await;
    // Another base that has one of both files of the change already.
    watch
        .fixture
        .push_from("topic-1", "next", &[("next.txt", "x\n")])
        .await;
    watch.fixture.push("topic-1", &[("more.txt", "x\n")]).await;
    let paths = |found: &[Snapshot]| -> Vec<String> {
        let files = found[0].files.iter();
        files.map(|file| file.path.clone()).collect()
    };
    assert_eq!(paths(&watch.settle().await), ["1.txt", "more.txt"]);
    watch
        .act("ana", "PATCH", "/pulls/1", json!({"base": "next"}))
        .await;
    let (found, _) = watch.poll(CHANGES).await;
    assert_eq!(found[0].base_ref, "next");
    assert_eq!(paths(&found), ["more.txt"]);
}

#[tokio::test]
async fn what_a_look_cannot_see_is_seen_within_minutes() {
    let watch = Watch::start(3, |pull| pull).await;
    watch.settle().await;
    // Nothing on GitHub says that somebody was made a base of another: only a full reading asks.
    let stack = json!({"title": "On top", "head": "topic-2", "base": "topic-1"});
    watch.act("ana", "POST", "/pulls", stack).await;
    let sees = async || {
        let (found, counts) = watch.poll(CHANGES).await;
        (
            !found[0].push_obstacles.is_empty(),
            graphql_requests(&counts),
        )
    };
    assert_eq!(sees().await, (false, 1));
    watch.fixture.clock.advance(5 * 60_000);
    assert_eq!(sees().await, (true, 2));
    assert_eq!(sees().await, (true, 1));
}

#[tokio::test]
async fn a_server_that_does_not_know_what_a_look_asks_for_is_read_whole() {
    let server = MockServer::start().await;
    let unknown = json!({"errors": [{"path": ["query Shallow", "pull0", "statusCheckRollup"],
        "extensions": {"code": "undefinedField", "typeName": "PullRequest", "fieldName": "statusCheckRollup"},
        "message": "Field 'statusCheckRollup' doesn't exist on type 'PullRequest'"}]});
    crate::observe::mount_response(&server, "Shallow", unknown).await;
    crate::observe::mount_response(&server, "Observe", observe_response(&[repository_json()]))
        .await;
    let confirmed = crate::common::confirm_response(&crate::common::sha('a'), 0);
    crate::observe::mount_response(&server, "Confirm", confirmed).await;
    let client = client(&server.uri(), "t", ManualClock::at(1_700_000_000_000)).await;
    let polls = polls(&[pull(1)], CHANGES);
    for _ in 0..3 {
        let found = client.poll(&polls).await;
        assert!(found[0].is_ok(), "{found:?}");
    }
    assert_eq!(queries(&server, "Shallow").await, 1);
}

/// A pull request as the query that reads all has it, with all that a look at it is compared with.
fn whole_json() -> Value {
    let mut whole = repository_json();
    for list in ["reviews", "comments", "reviewThreads"] {
        whole["pullRequest"][list]["totalCount"] = json!(0);
    }
    let contexts =
        &mut whole["pullRequest"]["latest"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"];
    contexts["checkRunCountsByState"] = json!([]);
    contexts["statusContextCountsByState"] = json!([]);
    whole["pullRequest"]["updatedAt"] = json!("2023-11-14T00:00:00Z");
    whole
}

/// The same as a look shows it.
fn look_json(whole: &Value) -> Value {
    let mut look = whole.clone();
    let latest = &whole["pullRequest"]["latest"]["nodes"][0]["commit"];
    look["pullRequest"]["statusCheckRollup"] = latest["statusCheckRollup"].clone();
    look["pullRequest"]["lastEdited"] = json!({"totalCount": 0, "nodes": []});
    look
}

/// How often a query of that name was sent.
async fn queries(server: &MockServer, name: &str) -> usize {
    let requests = server.received_requests().await.expect("recorded");
    let words = format!("query {name}");
    let is_one =
        |request: &&wiremock::Request| String::from_utf8_lossy(&request.body).contains(&words);
    requests.iter().filter(is_one).count()
}

#[tokio::test]
async fn a_stale_answer_after_a_look_is_not_taken_for_the_last_word() {
    let server = MockServer::start().await;
    let whole = whole_json();
    let mut look = look_json(&whole);
    // The look is newer than the reading that follows it: GitHub's copies are not all of one age.
    look["pullRequest"]["lastEdited"] =
        json!({"totalCount": 1, "nodes": [{"updatedAt": "2023-11-14T00:00:01Z"}]});
    crate::observe::mount_response(&server, "Shallow", observe_response(&[look])).await;
    crate::observe::mount_response(&server, "Observe", observe_response(&[whole])).await;
    let confirmed = crate::common::confirm_response(&crate::common::sha('a'), 0);
    crate::observe::mount_response(&server, "Confirm", confirmed).await;
    let client = client(&server.uri(), "t", ManualClock::at(1_700_000_000_000)).await;
    let polls = polls(&[pull(1)], CHANGES);
    for _ in 0..3 {
        client.poll(&polls).await[0].as_ref().expect("read");
    }
    assert_eq!(queries(&server, "Observe").await, 3);
}

/// A look says what the reading after it need not ask for: that is of no use once the pull request has moved in between.
#[tokio::test]
async fn files_that_were_not_asked_for_are_of_no_other_head_and_no_other_base() {
    let check = async |moved: fn(&mut Value)| {
        let server = MockServer::start().await;
        let whole = whole_json();
        let mut look = look_json(&whole);
        look["pullRequest"]["updatedAt"] = json!("2023-11-14T00:00:01Z");
        let mut without = whole.clone();
        let pull_json = without["pullRequest"].as_object_mut().expect("one");
        pull_json.remove("files");
        pull_json.remove("earlier");
        moved(&mut without["pullRequest"]);
        crate::observe::mount_response(&server, "Shallow", observe_response(&[look])).await;
        Mock::given(GraphQlOperation("Observe"))
            .respond_with(ResponseTemplate::new(200).set_body_json(observe_response(&[whole])))
            .up_to_n_times(1)
            .mount(&server)
            .await;
        crate::observe::mount_response(&server, "Observe", observe_response(&[without])).await;
        let confirmed = crate::common::confirm_response(&crate::common::sha('a'), 0);
        crate::observe::mount_response(&server, "Confirm", confirmed).await;
        let client = client(&server.uri(), "t", ManualClock::at(1_700_000_000_000)).await;
        let polls = polls(&[pull(1)], CHANGES);
        client.poll(&polls).await[0].as_ref().expect("read");
        let mut again = client.poll(&polls).await;
        assert_eq!(queries(&server, "Observe").await, 2);
        again.remove(0).map(|found| found.number)
    };
    assert_eq!(check(|_| ()).await, Ok(1));
    let moved = Err(ObserveFailure::Moved);
    let head_moved = |pull: &mut Value| {
        let head = json!("c".repeat(40));
        pull["latest"]["nodes"][0]["commit"]["oid"] = head.clone();
        pull["headRefOid"] = head;
    };
    assert_eq!(check(head_moved).await, moved);
    assert_eq!(
        check(|pull| pull["baseRefName"] = json!("next")).await,
        moved
    );
}

#[tokio::test]
async fn a_log_that_is_still_to_come_is_asked_for_though_a_look_shows_nothing_new() {
    let server = MockServer::start().await;
    let mut whole = whole_json();
    let contexts =
        &mut whole["pullRequest"]["latest"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"];
    contexts["checkRunCountsByState"] = json!([{"state": "FAILURE", "count": 1}]);
    contexts["nodes"] = json!([{"__typename": "CheckRun", "databaseId": 11, "name": "build",
        "status": "COMPLETED", "conclusion": "FAILURE", "completedAt": "2023-11-14T22:13:20Z",
        "detailsUrl": null, "url": null, "title": null, "summary": null, "checkSuite": null}]);
    let look = look_json(&whole);
    crate::observe::mount_response(&server, "Shallow", observe_response(&[look])).await;
    crate::observe::mount_response(&server, "Observe", observe_response(&[whole])).await;
    let confirmed = crate::common::confirm_response(&crate::common::sha('a'), 0);
    crate::observe::mount_response(&server, "Confirm", confirmed).await;
    let logs = || wiremock::matchers::path("/api/v3/repos/acme/web/actions/jobs/11/logs");
    Mock::given(logs())
        .respond_with(ResponseTemplate::new(404))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    Mock::given(logs())
        .respond_with(ResponseTemplate::new(200).set_body_string("boom"))
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t", ManualClock::at(1_700_000_000_000)).await;
    let polls = polls(&[pull(1)], CHANGES);
    let mut tails = Vec::new();
    for _ in 0..3 {
        let found = client.poll(&polls).await.remove(0).expect("read");
        tails.push(found.checks[0].log_tail.clone());
    }
    let boom = Some("boom".to_owned());
    assert_eq!(tails, [None, boom.clone(), boom]);
    // The third is of the look alone: nothing is awaited any more.
    assert_eq!(queries(&server, "Observe").await, 2);
}

#[tokio::test]
async fn with_fewer_points_left_than_a_query_costs_the_wait_is_until_the_reset() {
    let watch = Watch::start(30, |pull| pull).await;
    let limit =
        json!({"token": "forge-octo", "resource": "graphql", "remaining": 3, "reset_in": 2_000});
    watch
        .fixture
        .call("demo", "PUT", "/_forge/rate_limit", Some(limit))
        .await;
    watch.fixture.reset_request_counts().await;
    let everything = polls(&watch.pulls, PollDepth::Everything);
    for minute in 0..4 {
        let found = watch.client.poll(&everything).await;
        for one in found {
            let Err(ObserveFailure::RateLimited { until }) = one else {
                panic!("{one:?}");
            };
            let wait = until.since(Time(1_700_000_000_000));
            assert!(
                (1_990_000..=2_001_000).contains(&wait),
                "minute {minute}: {wait}"
            );
        }
        watch.fixture.clock.advance(60_000);
    }
    // All that came after the first were answered here.
    assert_eq!(graphql_requests(&watch.fixture.request_counts().await), 1);
}

#[tokio::test]
async fn what_a_poll_costs_is_counted_as_collies_unless_a_person_asked_for_it() {
    let watch = Watch::start(3, |pull| pull).await;
    let used = |resource: RateResource| {
        let budgets = watch.client.budgets();
        let found = budgets.into_iter().find(|one| one.resource == resource);
        found.expect("the forge has limits")
    };
    let before = used(RateResource::Graphql);
    // Each start was asked for.
    assert_eq!(before.used, 0);
    assert!(before.remaining < 5_000);
    let (_, counts) = watch.poll(CHANGES).await;
    let first = used(RateResource::Graphql);
    assert_eq!(Some(first.used), counts["charged"]["graphql"].as_u64());
    assert_eq!(
        Some(used(RateResource::Rest).used),
        counts["charged"]["core"].as_u64()
    );
    // First readings say nothing of those to come.
    assert_eq!(first.reading_cost_permille, 0);
    watch.settle().await;
    let settled = used(RateResource::Graphql);
    assert_ne!(settled.reading_cost_permille, 0);
    let mut asked = polls(&watch.pulls, PollDepth::Everything);
    asked.iter_mut().for_each(|poll| poll.by_person = true);
    for read in watch.client.poll(&asked).await {
        read.expect("read");
    }
    let after = used(RateResource::Graphql);
    assert_eq!(after.used, settled.used);
    assert!(after.remaining < settled.remaining);
    assert_eq!(after.reading_cost_permille, settled.reading_cost_permille);
    watch.fixture.shutdown().await;
}

#[tokio::test]
async fn what_github_says_has_not_changed_costs_nothing() {
    let server = MockServer::start().await;
    let whole = whole_json();
    let look = observe_response(&[look_json(&whole)]);
    crate::observe::mount_response(&server, "Shallow", look).await;
    crate::observe::mount_response(&server, "Observe", observe_response(&[whole])).await;
    let confirmed = crate::common::confirm_response(&crate::common::sha('a'), 0);
    crate::observe::mount_response(&server, "Confirm", confirmed).await;
    let counted = |status: u16, time: &str| {
        ResponseTemplate::new(status)
            .insert_header("date", format!("Tue, 14 Nov 2023 {time} GMT"))
            .insert_header("x-ratelimit-limit", "5000")
            .insert_header("x-ratelimit-remaining", "4000")
            .insert_header("x-ratelimit-reset", "1700003600")
            .insert_header("x-ratelimit-resource", "core")
            .insert_header("etag", "\"v1\"")
    };
    let rules = || wiremock::matchers::path("/api/v3/repos/acme/web/rules/branches/main");
    Mock::given(rules())
        .and(wiremock::matchers::header("if-none-match", "\"v1\""))
        .respond_with(counted(304, "22:18:20"))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(rules())
        .respond_with(counted(200, "22:13:20").set_body_json(json!([])))
        .expect(1)
        .mount(&server)
        .await;
    let clock = ManualClock::at(1_700_000_000_000);
    let client = client(&server.uri(), "t", clock.clone()).await;
    for _ in 0..2 {
        let found = client.poll(&polls(&[pull(1)], PollDepth::Everything)).await;
        found[0].as_ref().expect("read");
        let mut budgets = client.budgets().into_iter();
        let rest = budgets.find(|one| one.resource == RateResource::Rest);
        assert_eq!(rest.map(|rest| rest.used), Some(1));
        // By then rules of branches are asked for again.
        clock.advance(5 * 60_000);
    }
}

#[tokio::test]
async fn a_query_that_costs_more_than_a_point_is_counted_by_what_it_says() {
    // The first reading of thirty is a deep one.
    let watch = Watch::start(30, |pull| pull).await;
    let used = || watch.client.budgets()[0].used;
    let before = used();
    let (_, counts) = watch.poll(CHANGES).await;
    let charged = counts["charged"]["graphql"].as_u64();
    assert!(charged > Some(1), "{counts}");
    assert_eq!(Some(used() - before), charged);
    watch.fixture.shutdown().await;
}

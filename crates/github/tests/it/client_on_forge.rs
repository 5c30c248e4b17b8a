//! The client against the forge: real git, real pages, real refusals and faults.

use crate::common::ClientFixture;
use collie_core::ids::{ActionToken, LoopId, PullName, RepoName, Sha, ThreadId};
use collie_core::snapshot::{CheckConclusion, ObserveFailure, PullState, Snapshot};
use collie_engine::ports::{GitHub, GitHubError, PullRef, RenderedInlineComment, RenderedPost};
use collie_github::GitHubClient;
use collie_testkit::git::git;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use collie_testkit::wait::wait_until;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

const LONG_FILE_LINES: u32 = 130;

/// A forge with `demo/app`, and pull request 1 of ana in it: its head adds `long.txt` of 130 lines and `files` further files; `check` runs on it.
async fn start_fixture(files: usize, check: &str) -> ClientFixture {
    let mut long = String::new();
    for line in 1..=LONG_FILE_LINES {
        writeln!(long, "line {line}").expect("written");
    }
    let pull = PullFixture::new("feat/long")
        .with_title("Add much")
        .with_file("long.txt", long);
    let pull = (0..files).fold(pull, |pull, file| {
        pull.with_file(&format!("file {file}.txt"), "x\n")
    });
    let checks = format!("[[check]]\nname = \"build\"\nrun = {check:?}\n");
    let repository = RepositoryFixture::new("demo/app").with_base_file(".forge.toml", checks);
    ClientFixture::start(&repository.with_pull(pull)).await
}

async fn resolve_pull(client: &GitHubClient) -> PullRef {
    let name = PullName::parse("demo/app#1").expect("a name");
    client.resolve_pull(&name).await.expect("resolved").pull
}

async fn observe_one(client: &GitHubClient, pull: &PullRef) -> Snapshot {
    client
        .observe(std::slice::from_ref(pull))
        .await
        .remove(0)
        .expect("read")
}

/// Reads until the checks are done.
async fn observe_when_checks_done(client: &GitHubClient, pull: &PullRef) -> Snapshot {
    wait_until("the end of the checks", async || {
        let found = observe_one(client, pull).await;
        let are_done =
            !found.checks.is_empty() && found.checks.iter().all(|check| check.conclusion.is_some());
        are_done.then_some(found)
    })
    .await
}

fn inline(line: u32) -> RenderedInlineComment {
    RenderedInlineComment {
        path: "long.txt".into(),
        start_line: (line > 1).then(|| line - 1),
        line,
        body: format!("on line {line}"),
    }
}

fn review(head: &Sha, lines: impl Iterator<Item = u32>) -> RenderedPost {
    RenderedPost::Review {
        event: collie_core::post::ReviewEvent::Comment,
        commit: head.clone(),
        body: "a look".into(),
        comments: lines.map(inline).collect(),
    }
}

fn comment(body: &str) -> RenderedPost {
    RenderedPost::Comment { body: body.into() }
}

#[tokio::test]
async fn everything_is_read_to_the_end() {
    let fixture = start_fixture(120, "true").await;
    let (ben, octo) = (
        fixture.client_as("ben").await,
        fixture.client_as("octo").await,
    );
    let pull = resolve_pull(&octo).await;
    let head = observe_one(&octo, &pull).await.head;
    ben.post(&pull, &review(&head, 1..=LONG_FILE_LINES), None)
        .await
        .expect("reviewed");
    for n in 0..105 {
        ben.post(&pull, &comment(&format!("comment {n}")), None)
            .await
            .expect("said");
    }
    let first = observe_one(&octo, &pull).await.threads[0].comments[0].id;
    for n in 0..25 {
        let reply = RenderedPost::Reply {
            in_reply_to: first,
            body: format!("reply {n}"),
        };
        octo.post(&pull, &reply, None).await.expect("answered");
    }
    for n in 0..55 {
        ben.post(
            &pull,
            &RenderedPost::Review {
                event: collie_core::post::ReviewEvent::Comment,
                commit: head.clone(),
                body: format!("r{n}"),
                comments: vec![],
            },
            None,
        )
        .await
        .expect("reviewed");
    }
    let found = observe_when_checks_done(&octo, &pull).await;
    let lines: Vec<Option<u32>> = found.threads.iter().map(|thread| thread.line).collect();
    assert_eq!(lines, (1..=LONG_FILE_LINES).map(Some).collect::<Vec<_>>());
    let replies: Vec<&str> = found.threads[0]
        .comments
        .iter()
        .map(|one| one.body.as_str())
        .collect();
    assert_eq!(
        (replies.len(), replies[0], replies[25]),
        (26, "on line 1", "reply 24")
    );
    let said: Vec<&str> = found.comments.iter().map(|one| one.body.as_str()).collect();
    assert_eq!((said.len(), said[104]), (105, "comment 104"));
    assert_eq!(found.files.len(), 121);
    assert!(found.reviews.len() >= 56, "{}", found.reviews.len());
    assert_eq!(
        (
            found.state,
            found.head_ref.as_str(),
            found.base_ref.as_str()
        ),
        (PullState::Open, "feat/long", "main")
    );
    assert_eq!(
        (found.head.as_str(), found.viewer.login.as_str()),
        (head.as_str(), "octo")
    );
    assert!(
        found.push_obstacles.is_empty(),
        "{:?}",
        found.push_obstacles
    );
    let check = &found.checks[0];
    assert_eq!(
        (check.name.as_str(), check.conclusion),
        ("build", Some(CheckConclusion::Success))
    );
    assert_eq!(
        check.reporter.as_ref().map(|bot| (bot.id.0, bot.is_bot)),
        Some((41_898_282, true))
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_failed_check_brings_the_end_of_its_log() {
    let fixture = start_fixture(0, "seq 1 700; echo 'long.txt:3: bad line'; exit 1").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let found = observe_when_checks_done(&octo, &pull).await;
    assert_eq!(found.checks[0].conclusion, Some(CheckConclusion::Failure));
    let log = found.checks[0].log_tail.as_deref().expect("a log");
    assert!(
        log.lines().count() <= 500 && log.contains("long.txt:3: bad line"),
        "{log}"
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_pull_request_that_is_not_there_fails_alone() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let numberless = PullRef {
        id: LoopId {
            number: 99,
            ..pull.id.clone()
        },
        repo: pull.repo.clone(),
    };
    let repoless = PullRef {
        id: pull.id.clone(),
        repo: RepoName::parse("demo/nope").expect("a name"),
    };
    let found = octo.observe(&[numberless, pull.clone(), repoless]).await;
    assert_eq!(found[0], Err(ObserveFailure::NotFound));
    assert_eq!(found[1].as_ref().expect("read").title, "Add much");
    assert_eq!(found[2], Err(ObserveFailure::NotFound));
    assert_eq!(octo.open_pulls(&pull.repo).await.expect("listed"), [1]);
    let stranger = fixture.client_as("nobody").await;
    assert_eq!(
        stranger.observe(&[pull]).await,
        [Err(ObserveFailure::Unauthorized)]
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn an_unsubmitted_review_is_seen_and_makes_the_forge_refuse_another() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let head = observe_one(&octo, &pull).await.head;
    fixture
        .call(
            "octo",
            "POST",
            "/api/v3/repos/demo/app/pulls/1/reviews",
            Some(json!({"body": "draft"})),
        )
        .await;
    assert!(observe_one(&octo, &pull).await.pending_review);
    assert!(
        !observe_one(&fixture.client_as("ben").await, &pull)
            .await
            .pending_review
    );
    let error = octo
        .post(&pull, &review(&head, 1..=1), None)
        .await
        .expect_err("refused");
    assert!(error.to_string().contains("pending review"), "{error}");
    assert!(matches!(error, GitHubError::Refused { .. }), "{error:?}");
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_line_outside_the_diff_is_refused_in_githubs_words_and_nothing_is_left() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let head = observe_one(&octo, &pull).await.head;
    let error = octo
        .post(
            &pull,
            &review(&head, LONG_FILE_LINES..=LONG_FILE_LINES + 1),
            None,
        )
        .await
        .expect_err("refused");
    assert!(
        matches!(error, GitHubError::Undeliverable { .. }),
        "{error:?}"
    );
    let gone = RenderedPost::Reply {
        in_reply_to: 1,
        body: "to whom?".into(),
    };
    let error = octo.post(&pull, &gone, None).await.expect_err("refused");
    assert!(
        matches!(error, GitHubError::Undeliverable { .. }),
        "{error:?}"
    );
    let found = observe_one(&octo, &pull).await;
    assert!(found.threads.is_empty() && found.reviews.is_empty());
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_found_and_one_that_never_arrived_is_not() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let head = observe_one(&octo, &pull).await.head;
    let marked_body = |token: &str| {
        format!("words\n\n<!-- pr-review-loop-marker -->\n<!-- collie-action:{token} -->")
    };
    let posts = [
        (
            "POST /repos/*/*/issues/*/comments",
            comment(&marked_body("one")),
        ),
        (
            "POST /repos/*/*/pulls/*/reviews",
            RenderedPost::Review {
                event: collie_core::post::ReviewEvent::Comment,
                commit: head,
                body: marked_body("one"),
                comments: vec![inline(3)],
            },
        ),
    ];
    for (route, rendered) in posts {
        for (kind, arrives) in [("drop_before", false), ("drop_after", true)] {
            let token = ActionToken::new(format!("{kind}{}", route.len()));
            let rendered = match &rendered {
                RenderedPost::Comment { .. } => comment(&marked_body(token.as_str())),
                RenderedPost::Review {
                    commit, comments, ..
                } => RenderedPost::Review {
                    event: collie_core::post::ReviewEvent::Comment,
                    commit: commit.clone(),
                    body: marked_body(token.as_str()),
                    comments: comments.clone(),
                },
                RenderedPost::Reply { .. } | RenderedPost::Dismissal { .. } => continue,
            };
            fixture
                .set_faults(json!({"kind": kind, "route": route, "count": 1}))
                .await;
            let error = octo
                .post(&pull, &rendered, None)
                .await
                .expect_err("no answer");
            assert!(
                matches!(error, GitHubError::OutcomeUnknown { .. }),
                "{kind} {route}: {error:?}"
            );
            let found = octo.find_post(&pull, &token).await.expect("read");
            assert_eq!(found.is_some(), arrives, "{kind} {route}");
            let others = fixture
                .client_as("ben")
                .await
                .find_post(&pull, &token)
                .await
                .expect("read");
            assert_eq!(others, None, "it is not ben's");
        }
    }
    let found = observe_one(&octo, &pull).await;
    assert_eq!((found.comments.len(), found.threads.len()), (1, 1));
    fixture.shutdown().await;
}

#[tokio::test]
async fn rate_limits_are_waited_for() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let faults = [
        json!({"kind": "primary_rate_limit", "reset_in": 120, "route": "query", "count": 1}),
        json!({"kind": "secondary_rate_limit", "retry_after": 60, "code": 429, "route": "query", "count": 1}),
    ];
    for fault in faults {
        fixture.set_faults(fault).await;
        let found = octo.observe(std::slice::from_ref(&pull)).await.remove(0);
        let Err(ObserveFailure::RateLimited { until }) = found else {
            panic!("{found:?}")
        };
        let wait = until.0 - collie_engine::ports::Clock::now(&*fixture.clock).0;
        assert!((50_000..=121_000).contains(&wait), "{wait}");
        let error = octo
            .post(&pull, &comment("too early"), None)
            .await
            .expect_err("held");
        assert!(
            matches!(error, GitHubError::RetryLater { until: then, .. } if then == until),
            "{error:?}"
        );
        fixture.clock.advance(wait);
        observe_one(&octo, &pull).await;
    }
    let limited = json!({"kind": "secondary_rate_limit", "route": "POST /repos/**", "count": 1});
    fixture.set_faults(limited).await;
    let error = octo
        .post(&pull, &comment("too fast"), None)
        .await
        .expect_err("limited");
    assert!(matches!(error, GitHubError::RetryLater { .. }), "{error:?}");
    fixture.clock.advance(60_000);
    octo.post(&pull, &comment("in time"), None)
        .await
        .expect("posted");
    assert_eq!(observe_one(&octo, &pull).await.comments.len(), 1);
    fixture.shutdown().await;
}

#[tokio::test]
async fn an_outage_opens_the_breaker_which_closes_when_it_is_over() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    fixture
        .set_faults(json!({"kind": "status", "code": 503, "route": "query", "count": 3}))
        .await;
    for _ in 0..3 {
        let found = octo.observe(std::slice::from_ref(&pull)).await;
        assert!(
            matches!(found[0], Err(ObserveFailure::Unreachable { .. })),
            "{found:?}"
        );
    }
    let found = octo.observe(std::slice::from_ref(&pull)).await;
    assert!(
        matches!(found[0], Err(ObserveFailure::BreakerOpen { .. })),
        "{found:?}"
    );
    fixture.clock.advance(300_000);
    observe_one(&octo, &pull).await;
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_thread_is_resolved_once_and_for_all() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let pull = resolve_pull(&octo).await;
    let head = observe_one(&octo, &pull).await.head;
    octo.post(&pull, &review(&head, 5..=5), None)
        .await
        .expect("reviewed");
    let thread = observe_one(&octo, &pull).await.threads.remove(0);
    assert_eq!(
        (thread.path.as_str(), thread.line, thread.resolved),
        ("long.txt", Some(5), false)
    );
    assert_eq!(thread.comments[0].commit, Some(head));
    for _ in 0..2 {
        octo.resolve_thread(&pull, &thread.id)
            .await
            .expect("resolved");
    }
    assert!(observe_one(&octo, &pull).await.threads[0].resolved);
    let error = octo
        .resolve_thread(&pull, &ThreadId::new("PRRT_nope"))
        .await
        .expect_err("gone");
    assert!(
        matches!(error, GitHubError::Undeliverable { .. }),
        "{error:?}"
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn git_finds_the_repository_where_the_client_says() {
    let fixture = start_fixture(0, "true").await;
    let octo = fixture.client_as("octo").await;
    let found = observe_one(&octo, &resolve_pull(&octo).await).await;
    let url = octo.git_url(&found.repo);
    assert!(!url.contains("forge-octo"), "{url}");
    let url = url.replace("http://", "http://octo:forge-octo@");
    let remote_refs = tokio::task::spawn_blocking(move || {
        git(Path::new("/"), &["ls-remote", &url, "refs/heads/feat/long"])
    });
    assert!(
        remote_refs
            .await
            .expect("run")
            .starts_with(found.head.as_str())
    );
    fixture.shutdown().await;
}

/// A forge with twelve pull requests, and these as they are read.
async fn start_with_many() -> (ClientFixture, Vec<PullRef>) {
    let repository = (1..=12).fold(RepositoryFixture::new("demo/app"), |repository, number| {
        let pull = PullFixture::new(&format!("topic-{number}"));
        repository.with_pull(pull.with_file(&format!("{number}.txt"), "x\n"))
    });
    let fixture = ClientFixture::start(&repository).await;
    let client = fixture.client_as("octo").await;
    let mut pulls = Vec::new();
    for number in 1..=12 {
        let name = PullName::parse(&format!("demo/app#{number}")).expect("a name");
        pulls.push(client.resolve_pull(&name).await.expect("resolved").pull);
    }
    (fixture, pulls)
}

async fn count_graphql_requests(fixture: &ClientFixture) -> u64 {
    let counts = fixture.request_counts().await;
    counts["routes"]["POST /graphql"].as_u64().unwrap_or(0)
}

#[tokio::test]
async fn a_query_that_github_cannot_answer_is_split_and_only_who_is_to_blame_is_reported() {
    for answer in ["bad_gateway", "errors", "resource_limits"] {
        let (fixture, pulls) = start_with_many().await;
        let fault = json!({"kind": "heavy_query", "number": 7, "answer": answer});
        fixture.set_faults(fault).await;
        let client = fixture.client_as("octo").await;
        let mut requests = Vec::new();
        for _ in 0..3 {
            fixture.reset_request_counts().await;
            let found = client.observe(&pulls).await;
            requests.push(count_graphql_requests(&fixture).await);
            for (pull, found) in pulls.iter().zip(&found) {
                let is_culprit = pull.id.number == 7;
                let is_reported = matches!(found, Err(ObserveFailure::Unreachable { .. }));
                assert_eq!(
                    (found.is_err(), is_reported),
                    (is_culprit, is_culprit),
                    "{answer}: {found:?}"
                );
            }
        }
        // From then on it is asked for by itself, and the rest together; a third request may ask whether GitHub answers at all.
        let later = &requests[1..];
        assert!(
            later.iter().all(|count| (2..=3).contains(count)),
            "{answer}: {requests:?}"
        );
    }
}

#[tokio::test]
async fn the_size_that_github_can_answer_is_remembered_for_a_while() {
    for answer in ["bad_gateway", "errors", "resource_limits"] {
        let (fixture, pulls) = start_with_many().await;
        let fault = json!({"kind": "heavy_query", "over": 5, "answer": answer});
        fixture.set_faults(fault).await;
        let client = fixture.client_as("octo").await;
        let read_all = async || {
            fixture.reset_request_counts().await;
            let found = client.observe(&pulls).await;
            assert!(found.iter().all(Result::is_ok), "{answer}: {found:?}");
            count_graphql_requests(&fixture).await
        };
        read_all().await;
        let remembered = read_all().await;
        assert!((3..=4).contains(&remembered), "{answer}: {remembered}");
        fixture.clear_faults().await;
        fixture.clock.advance(15 * 60_000);
        assert_eq!(read_all().await, 1, "{answer}");
    }
}

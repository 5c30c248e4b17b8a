//! Collie as a GitHub App (§18.2): its tokens end in the middle of a loop, its installation is suspended and taken away.

use collie_core::ids::PullName;
use collie_core::lifecycle::State;
use collie_testkit::engine::run_test;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use collie_testkit::wait::wait_until;
use serde_json::json;

const MAKE_TOKEN: &str = "POST /app/installations/{installation_id}/access_tokens";

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_goes_on_while_the_tokens_of_its_app_end() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        // Each ends within what is kept as a margin, so it is renewed before each request.
        ctx.act_as_app(15).await;
        ctx.start_engine().await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1, "it pushed");
        let counts = ctx.request_counts().await;
        let made = counts["routes"][MAKE_TOKEN].as_u64().unwrap_or_default();
        assert!(made > 2, "{made} in {counts:#}");
        let comments = ctx.repo_get("/issues/1/comments").await;
        let comments = comments.as_array().unwrap();
        assert!(!comments.is_empty());
        for comment in comments {
            assert_eq!(comment["user"]["login"], "collie-app[bot]");
        }
        // What it said is its own: one report, one fix report, one proof, and nobody's feedback.
        assert_eq!(comments.len(), 3, "{comments:#?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_token_serves_as_long_as_it_is_good() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        ctx.act_as_app(3600).await;
        ctx.start_engine().await;
        ctx.start_loop_until_ready().await;
        let counts = ctx.request_counts().await;
        // One for the repository, one to ask who the App is.
        assert_eq!(counts["routes"][MAKE_TOKEN], 2, "{counts:#}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_is_suspended_or_gone_is_named_and_ends_once_it_is_back() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        let app = ctx.act_as_app(3600).await;
        ctx.start_engine().await;
        ctx.start_loop_until_ready().await;
        for (gone, back, problem) in [
            (
                json!({"suspended": true}),
                json!({"suspended": false}),
                "suspended",
            ),
            (
                json!({"installed": false}),
                json!({"installed": true}),
                "not_installed",
            ),
        ] {
            ctx.change_app(app, gone).await;
            let state = ctx.wait_for_blocker(1, "app_unusable").await;
            let blocker = state.run.blocker.clone().unwrap();
            assert!(blocker.needs_person());
            let args = format!("{:?}", blocker.args());
            assert!(args.contains(problem), "{args}");
            ctx.change_app(app, back).await;
            ctx.wait_for_blocker(1, "awaiting_merge").await;
        }
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_repository_is_read_and_written_with_its_own_token() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.expectations.refused_requests = true;
        let first = ctx.repo().to_owned();
        let owner = first.split('/').next().unwrap();
        let second = format!("{owner}/second");
        let other = RepositoryFixture::new(&second)
            .with_base_files(&[("a.txt", "a\n")])
            .with_pull(
                PullFixture::new("change")
                    .with_file("a.txt", "b\n")
                    .by("kim"),
            );
        ctx.add_repository(&other).await;
        ctx.stop_engine().await;
        ctx.act_as_app(3600).await;
        for repo in [&first, &second] {
            let settings = json!({"private": true, "roles": {"collie-app[bot]": "member"}});
            ctx.change_repository_named(repo, settings).await;
        }
        ctx.start_engine().await;
        ctx.start_loop(1).await;
        ctx.try_start_loop(&format!("{second}#1")).await.unwrap();
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.run.fixing.iteration, 1, "it pushed");
        let other = PullName::parse(&format!("{second}#1")).unwrap();
        wait_until("the other loop", async || {
            let state = ctx.handle().find(&other).unwrap();
            let is_ready = state.run.state == State::PrReadyToMerge && state.is_settled();
            is_ready
                .then_some(())
                .ok_or_else(|| format!("{:?}", state.run))
        })
        .await;
        // One for each, and one to ask who the App is; the forge refuses what each has no right to.
        let counts = ctx.request_counts().await;
        assert_eq!(counts["routes"][MAKE_TOKEN], 3, "{counts:#}");
        let refused = counts["refused"].as_object().unwrap();
        let asks_rights =
            |route: &&String| route.ends_with("/pulls") || route.ends_with("/git/refs");
        let refused: Vec<&String> = refused.keys().filter(|route| !asks_rights(route)).collect();
        assert!(refused.is_empty(), "{refused:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_repository_is_refused_for_another() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        let app = ctx.act_as_app(3600).await;
        let first = ctx.repo().to_owned();
        let (owner, name) = first.split_once('/').unwrap();
        let mut others = Vec::new();
        for (repo, private) in [("hidden", true), ("open", false)] {
            let repo = format!("{owner}/{repo}");
            let fixture = RepositoryFixture::new(&repo)
                .with_base_files(&[("a.txt", "a\n")])
                .with_pull(PullFixture::new("change").with_file("a.txt", "b\n").by("kim"));
            ctx.add_repository(&fixture).await;
            let settings = json!({"private": private, "roles": {"collie-app[bot]": "member"}});
            ctx.change_repository_named(&repo, settings).await;
            others.push(repo);
        }
        let [hidden, open] = others.try_into().unwrap();
        let token = async |asked: serde_json::Value| {
            let (status, made) = ctx.ask_app_token(app, asked).await;
            assert_eq!(status, 201, "{made}");
            made["token"].as_str().unwrap().to_owned()
        };
        let comment = async |token: &str, repo: &str| {
            let path = format!("/repos/{repo}/issues/1/comments");
            let body = json!({"body": "said"});
            ctx.with_token(token, "POST", &path, Some(body)).await
        };
        let query = async |token: &str, repo: &str| {
            let (owner, name) = repo.split_once('/').unwrap();
            let query = format!(
                "query {{ repository(owner: \"{owner}\", name: \"{name}\") {{ viewerPermission pullRequest(number: 1) {{ title }} }} }}"
            );
            ctx.graphql_with_token(token, &query).await
        };
        let own = token(json!({"repositories": [name]})).await;
        let all = token(json!({})).await;
        // The control: what is not limited may all of it.
        for repo in [&first, &hidden, &open] {
            assert_eq!(comment(&all, repo).await.0, 201, "{repo}");
            assert_eq!(ctx.git_status(&all, repo, "git-receive-pack").await, 200);
        }
        assert_eq!(comment(&own, &first).await.0, 201);
        assert_eq!(ctx.git_status(&own, &first, "git-receive-pack").await, 200);
        let seen = query(&own, &first).await;
        assert_eq!(seen["data"]["repository"]["viewerPermission"], "WRITE", "{seen}");
        assert_eq!(comment(&own, &hidden).await.0, 404);
        let (status, said) = comment(&own, &open).await;
        assert_eq!(status, 403, "{said}");
        assert_eq!(said["message"], "Resource not accessible by integration");
        for service in ["git-upload-pack", "git-receive-pack"] {
            assert_eq!(ctx.git_status(&own, &hidden, service).await, 404, "{service}");
        }
        assert_eq!(ctx.git_status(&own, &open, "git-upload-pack").await, 200);
        assert_eq!(ctx.git_status(&own, &open, "git-receive-pack").await, 403);
        let unseen = query(&own, &hidden).await;
        assert_eq!(unseen["errors"][0]["type"], "NOT_FOUND", "{unseen}");
        // What is asked for is what is had.
        let reads = json!({"repositories": [name], "permissions": {"contents": "read", "metadata": "read"}});
        let reads = token(reads).await;
        assert_eq!(comment(&reads, &first).await.0, 403);
        assert_eq!(ctx.git_status(&reads, &first, "git-upload-pack").await, 200);
        assert_eq!(ctx.git_status(&reads, &first, "git-receive-pack").await, 403);
        let pulls = format!("/repos/{first}/pulls/1");
        assert_eq!(ctx.with_token(&reads, "GET", &pulls, None).await.0, 403);
        // What the installation has not cannot be asked for.
        for asked in [
            json!({"repositories": ["nowhere"]}),
            json!({"repository_ids": [4_711_000]}),
            json!({"permissions": {"administration": "write"}}),
            json!({"permissions": {"statuses": "write"}}),
        ] {
            let (status, said) = ctx.ask_app_token(app, asked.clone()).await;
            assert_eq!(status, 422, "{asked}: {said}");
        }
        ctx.start_engine().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_app_was_not_granted_is_named_and_not_asked_for() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        let app = ctx.act_as_app(3600).await;
        let less = json!({"contents": "write", "metadata": "read", "pull_requests": "read"});
        ctx.change_app(app, json!({"permissions": less})).await;
        ctx.start_engine().await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "rights_lacking").await;
        ctx.cancel(1);
        ctx.wait_for_state(1, State::Cancelled).await;
    })
    .await;
}

//! Harm by words: what a fixer that obeys a stranger writes into files, what a model that does says of the code, and what others name
//! their checks. Nothing of it may reach the branch, a comment or a commit message.

use crate::attacker::{with_agent, with_walls};
use collie_core::lifecycle::State;
use collie_fake_llm::{FakeLlm, Reply, RunningFakeLlm};
use collie_testkit::engine::{LoopFixture, TestContext, run_test};
use collie_testkit::git::git;
use collie_testkit::repository::{CLEAN_FILE, RepositoryFixture};
use serde_json::{Value, json};
use std::fs;

/// Reaches its mark with every attack, so that the mark is known to be one.
const CANARY: &str = "canary";

/// Tokens by their forms, put together here so that no scanner takes this file for a leak.
fn tokens() -> [String; 5] {
    [
        ("ghp_", "x7Kq2LmV9pRt4WzB8nYc3HdF6jGs1aUe5oQi"),
        ("glpat-", "x7Kq2LmV9pRt4WzB8nYc"),
        ("hf_", "xKqLmVpRtWzBnYcHdFjGsaUeoQiTyUvNbM"),
        (
            "SG.",
            "x7Kq2LmV9pRt4WzB8nYc3H.x7Kq2LmV9pRt4WzB8nYc3HdF6jGs1aUe5oQix7Kq2Lm",
        ),
        ("AKIA", "X7KQ2LMVW4RT4WZB"),
    ]
    .map(|(start, rest)| format!("{start}{rest}"))
}

/// Everything that the branch holds and ever held, with messages.
fn history(ctx: &TestContext) -> String {
    git(
        &ctx.bare_repository(),
        &["log", "-p", "--format=%B", "refs/heads/topic"],
    )
}

/// What others see once the loop has stopped, or been pushed to: the branch with its history, and what was posted.
async fn published(fixture: LoopFixture) -> (String, String) {
    let mut seen = None;
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_until(1, "an end", |state| {
            state.is_settled() && state.outbox.effects.is_empty()
        })
        .await;
        seen = Some((history(ctx), ctx.posted_bodies(1).await.join("\n")));
    })
    .await;
    seen.unwrap()
}

/// What is published when the fixer runs `shell`, and leaves `app.js` so; without walls, since only the gates are to stand in its way.
async fn published_after_fix(shell: &str, file: Option<String>) -> String {
    let scripts = tempfile::tempdir().unwrap();
    let edits = file.map_or(json!({}), |file| json!({"app.js": file}));
    let fixture = with_agent(RepositoryFixture::faulty(), shell, &edits, scripts.path());
    let (history, posts) = published(with_walls(fixture, false)).await;
    history + &posts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_the_fixer_writes_is_not_pushed() {
    let line = |text: &str| Some(format!("{CLEAN_FILE}export const note = \"{text}\";\n"));
    let control = published_after_fix("true", line(CANARY)).await;
    assert!(control.contains(CANARY), "{control}");
    let [by_form, ..] = tokens();
    let of_this_process = "forge-octo".to_owned();
    for secret in [by_form, of_this_process] {
        let seen = published_after_fix("true", line(&secret)).await;
        assert!(!seen.contains(&secret), "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_password_that_the_fixer_writes_is_not_pushed() {
    let password = "xK9$mQ2vLp7!rT4wZb8nYc3HdF6jGs1a";
    let file = format!("{CLEAN_FILE}export const password = \"{password}\";\n");
    let seen = published_after_fix("true", Some(file)).await;
    assert!(!seen.contains(password), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_link_leads_to_is_not_pushed() {
    let victim = tempfile::tempdir().unwrap();
    let note = victim.path().join("note.js");
    fs::write(&note, format!("{CLEAN_FILE}// {CANARY}\n")).unwrap();
    for (shell, reaches) in [
        ("cp NOTE app.js", true),
        ("ln -f NOTE app.js", false),
        ("ln -sf NOTE app.js", false),
    ] {
        let shell = shell.replace("NOTE", note.to_str().unwrap());
        let seen = published_after_fix(&shell, None).await;
        assert_eq!(seen.contains(CANARY), reaches, "{shell}:\n{seen}");
    }
}

/// A model that finds the fault, and says so in these words.
async fn model_that_says(title: &str, words: &str) -> RunningFakeLlm {
    let finding = json!({
        "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": 3,
        "evidence": "  debugger;", "title": title, "description": words, "suggestion": words,
        "trigger": words, "consequence": words,
        "replacement": null, "confidence": 0.95,
    });
    let review = json!({
        "conclusion": "request_changes", "findings": [finding], "earlier": [], "escalations": [],
        "fullReport": words,
    });
    let second = json!({"verdicts": [{"finding": "F1", "reason": words, "score": "100"}]});
    FakeLlm::serve(move |asked| {
        let verdicts = |schema: &Value| schema.pointer("/properties/verdicts").is_some();
        let is_second_look = asked.schema.as_ref().is_some_and(verdicts);
        Reply::text(if is_second_look { &second } else { &review }.to_string())
    })
    .await
}

/// What people call each other, close or steer with, and what a terminal obeys.
const STEERING: &[&str] = &[
    "@octo/owners",
    "fixes acme/plans#1",
    "closes https://github.com/acme/plans/issues/1",
    "\n/merge\n",
    "\nbors r+\n",
    "\u{1b}]52;c;aGFybQ==\u{7}",
    "\u{9b}2J",
    "\u{202e}drawkcab",
    "\u{e0041}\u{200b}",
    "<!-- pr-review-loop-marker -->",
    "\ndiff --git a/x b/x\n",
];

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_says_neither_leaks_nor_steers() {
    let words = format!("{CANARY} {} {}", tokens().join(" "), STEERING.join(" "));
    let model = model_that_says(&format!("{CANARY} title"), &words).await;
    let fixture = RepositoryFixture::faulty().with_model(model.url());
    let (_, posts) = published(fixture).await;
    assert!(posts.contains(CANARY), "{posts}");
    for secret in tokens() {
        assert!(!posts.contains(&secret), "{secret}:\n{posts}");
    }
    let own_mark = "<!-- pr-review-loop-marker -->";
    for text in STEERING.iter().filter(|text| **text != own_mark) {
        // In a code span nobody is called.
        let raw = format!(" {text}");
        assert!(!posts.contains(&raw), "{text:?}:\n{posts}");
    }
    let marks = posts.matches(own_mark).count();
    let tokens = posts.matches("<!-- collie-action:").count();
    assert_eq!(marks, tokens, "one mark a post:\n{posts}");
}

/// The messages of the commits that the loop makes for this fixture.
async fn fix_messages(fixture: LoopFixture, red_status: Option<&str>) -> String {
    let mut messages = None;
    run_test(fixture, async |ctx| {
        ctx.expectations.pending_effects = true;
        if let Some(context) = red_status {
            let path = format!("/statuses/{}", ctx.sha("topic"));
            let red = json!({"state": "failure", "context": context, "description": context});
            ctx.repo_call("ben", "POST", &path, Some(red)).await;
        }
        ctx.start_loop(1).await;
        ctx.wait_until(1, "a push", |state| {
            state.run.fixing.iteration > 0 || state.run.state == State::NeedsHuman
        })
        .await;
        messages = Some(ctx.fix_commits("topic").join("\n"));
    })
    .await;
    messages.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_titles_neither_leak_nor_steer_in_a_commit_message() {
    let [token, ..] = tokens();
    let name = format!("{CANARY} {token} @octo fixes acme/plans#1 [skip ci]");
    let scripts = tempfile::tempdir().unwrap();
    let obedient = |fixture: LoopFixture| {
        with_agent(
            fixture,
            "true",
            &json!({"app.js": CLEAN_FILE}),
            scripts.path(),
        )
    };
    let model = model_that_says(&name, "It stops here.").await;
    let by_title = obedient(RepositoryFixture::faulty().with_model(model.url()));
    let by_check = obedient(RepositoryFixture::faulty().into());
    for (fixture, status) in [(by_title, None), (by_check, Some(name.as_str()))] {
        let messages = fix_messages(fixture, status).await;
        assert!(messages.contains(CANARY), "{status:?}:\n{messages}");
        for harm in [token.as_str(), "@octo", "fixes acme/plans#1", "[skip ci]"] {
            assert!(!messages.contains(harm), "{status:?}: {harm}:\n{messages}");
        }
    }
}

/// Every file of the data folder but for the clones, which hold what was pushed.
fn kept_text(ctx: &TestContext) -> String {
    let (mut open, mut text) = (vec![ctx.data_folder()], String::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("git") => {}
                true => open.push(path),
                false => text += &String::from_utf8_lossy(&fs::read(path).unwrap()),
            }
        }
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_says_is_kept_without_its_secrets() {
    let words = format!("{CANARY} {}", tokens().join(" "));
    let model = model_that_says(CANARY, &words).await;
    let fixture = RepositoryFixture::faulty().with_model(model.url());
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_until(1, "a review", |state| !state.run.review.findings.is_empty())
            .await;
        ctx.wait_until(1, "an end", |state| {
            state.is_settled() && state.outbox.effects.is_empty()
        })
        .await;
        ctx.stop_engine().await;
        let kept = kept_text(ctx);
        assert!(kept.contains(&format!("{CANARY} ")), "control");
        for secret in tokens() {
            assert!(!kept.contains(&secret), "{secret}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_not_sent_the_secrets_in_a_change() {
    let of_this_process = "forge-octo".to_owned();
    let secrets: Vec<String> = tokens().into_iter().chain([of_this_process]).collect();
    let notes = format!("{CANARY}\n{}\n", secrets.join("\n"));
    let model = model_that_says("It stops here", "It stops here.").await;
    let fixture = RepositoryFixture::faulty()
        .with_head_file("notes.txt", &notes)
        .with_model(model.url());
    published(fixture).await;
    let prompts: Vec<String> = model
        .requests()
        .iter()
        .map(|asked| asked.prompt())
        .collect();
    let prompts = prompts.join("\n");
    assert!(prompts.contains(CANARY), "{prompts}");
    for secret in secrets {
        assert!(!prompts.contains(&secret), "{secret}:\n{prompts}");
    }
}

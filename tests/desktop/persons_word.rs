//! What a person says of a finding, and what else a run that waits for them asks of them, in the window.

use crate::fixture::{REPO, WindowFixture};
use crate::own_account::{allowed_user_config, open, open_card, sign_in, start};
use crate::window::AppWindow;
use collie_testkit::repository::{FAULTY_FILE, PullContent, PullFixture, RepositoryFixture};
use serde_json::json;
use std::path::{Path, PathBuf};

const TITLE: &str = "Show how the key is read";

#[tokio::test]
async fn a_finding_that_stopped_a_run_is_dismissed_and_the_run_goes_on_to_ready() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Unfixable)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    window.wait_for_text("Manual intervention required").await;

    window.press("Dismiss and resume…").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.fill("Reason", "A key of the example").await;
    window.press("Dismiss and resume").await;

    window.wait_for_enabled("Merge…").await;
    window.wait_for_text("1 finding dismissed").await;
    window.press("1 finding was dismissed by a person").await;
    window
        .wait_for_text("dismissed it: A key of the example")
        .await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    assert_eq!(window.page_errors(), Vec::<String>::new());
    window.quit().await;
}

/// The window on the card of the pull request, whose loop has begun.
async fn begun(fixture: &WindowFixture, config: &str) -> AppWindow {
    let home = fixture.write_config(&allowed_user_config(config));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    window
}

/// Nothing on the page is wrong; and it is closed.
async fn quit(window: AppWindow) {
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    assert_eq!(window.page_errors(), Vec::<String>::new());
    window.quit().await;
}

/// The files of this name below a folder.
fn files_named(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(_) if entry.file_name() == name => found.push(entry.path()),
                Ok(_) | Err(_) => {}
            }
        }
    }
    found
}

#[tokio::test]
async fn what_the_fixer_is_told_is_read_by_it_and_what_it_declined_is_fixed() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Unfixable)]).await;
    let scripts = tempfile::tempdir().unwrap();
    let declined = json!({"fixedIssues": [], "rejectedIssues": [{"findingId": "F1", "reason": "It is an example"}]});
    let work = json!([
        {"answer": declined.to_string()},
        {"edits": {"app1.js": "export const key = process.env.KEY;\n"}},
    ]);
    std::fs::write(scripts.path().join("script.json"), work.to_string()).unwrap();
    let program = collie_fake_agent::program();
    let (folder, agent) = (scripts.path().display(), program.display());
    // What it is asked is kept where it may keep things.
    let command = format!(
        "mkdir -p ~/.fake-agent; tee -a ~/.fake-agent/asked | FAKE_AGENT_SCRIPT={folder}/script.json {agent}"
    );
    let config = format!(
        "[[stages]]\nreviewers = [\"rules\"]\n[fixer]\nruns_on = \"scripted\"\n[agents.scripted]\ncommand = {}\nreadable = [\"{folder}\", \"{agent}\"]\nstate = [\".fake-agent\"]\n",
        json!(["sh", "-c", command])
    );
    let window = begun(&fixture, &config).await;
    window.wait_for_text("Manual intervention required").await;
    let head = fixture.head_sha(1).await;
    let asked = || -> String {
        let files = files_named(fixture.dir.path(), "asked");
        files
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap())
            .collect()
    };
    assert!(!asked().is_empty(), "it was asked once");
    assert!(!asked().contains("Read it from the environment"));

    window.press("Tell the fixer…").await;
    window.fill("Note", "Read it from the environment").await;
    window.press("Send").await;
    window.press("Resume…").await;
    window.press("Resume").await;

    window.wait_for_enabled("Merge…").await;
    assert!(
        asked().contains("Read it from the environment"),
        "{}",
        asked()
    );
    assert_ne!(fixture.head_sha(1).await, head);
    assert!(
        fixture
            .file("topic-1", "app1.js")
            .contains("process.env.KEY")
    );
    window.press("Timeline").await;
    // Of a long log only what is in sight is on the page.
    window.fill("Search the log", "told").await;
    window
        .wait_for_text("told the fixer: Read it from the environment")
        .await;
    quit(window).await;
}

#[tokio::test]
async fn a_run_whose_rounds_are_spent_is_given_two_more_and_becomes_ready() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Faulty)]).await;
    let window = begun(&fixture, "max_pr_review_iterations = 1\n").await;
    window.wait_for_enabled("Merge…").await;
    // The only round is spent; then the author pushes another fault.
    fixture.push("topic-1", &[("more.js", FAULTY_FILE)]).await;
    let head = fixture.head_sha(1).await;
    window.press("2 more rounds…").await;
    window.wait_for_text("may push up to 3 times").await;
    assert_eq!(fixture.head_sha(1).await, head);
    window.press("Resume").await;

    window.wait_for_enabled("Merge…").await;
    assert_ne!(fixture.head_sha(1).await, head);
    assert!(!fixture.file("topic-1", "more.js").contains("debugger"));
    quit(window).await;
}

#[tokio::test]
async fn an_author_without_write_access_is_allowed_and_what_was_found_is_fixed() {
    let pull = PullFixture::new("patch")
        .with_title(TITLE)
        .by("mallory")
        .from_fork()
        .with_file("app.js", FAULTY_FILE);
    let repository = RepositoryFixture::new(REPO)
        .with_check("true")
        .with_pull(pull);
    let fixture = WindowFixture::of(&repository).await;
    let window = begun(&fixture, "").await;
    window.wait_for_text("@mallory has no write access").await;
    let head = fixture.pull_head(1);
    window.press("Allow this author…").await;
    window
        .wait_for_text("Fix the pull requests of @mallory?")
        .await;
    assert_eq!(fixture.pull_head(1), head);
    window.press("Allow the author").await;

    window.wait_for_enabled("Merge…").await;
    assert_ne!(fixture.pull_head(1), head);
    quit(window).await;
}

#[tokio::test]
async fn a_repositorys_command_is_trusted_runs_and_the_fix_is_pushed() {
    // It leaves a mark in the cache, which outlives the worktree.
    let command = "touch ~/.cache/was-run";
    let pull = PullFixture::new("topic-1")
        .with_title(TITLE)
        .with_file("app1.js", FAULTY_FILE);
    let repository = RepositoryFixture::new(REPO)
        .with_check("true")
        .with_base_file(
            ".collie.toml",
            format!("[verify]\ncommands = [\"{command}\"]\n"),
        )
        .with_pull(pull);
    let fixture = WindowFixture::of(&repository).await;
    let window = begun(&fixture, "").await;
    window.press("Trust these commands…").await;
    let shown = format!("//*[@role='dialog']//code[.='{command}']");
    window.find(&shown).await;
    let head = fixture.head_sha(1).await;
    assert_eq!(
        files_named(fixture.dir.path(), "was-run"),
        Vec::<PathBuf>::new()
    );
    window.press("Trust").await;

    window.wait_for_enabled("Merge…").await;
    assert_ne!(fixture.head_sha(1).await, head);
    assert_eq!(files_named(fixture.dir.path(), "was-run").len(), 1);
    quit(window).await;
}

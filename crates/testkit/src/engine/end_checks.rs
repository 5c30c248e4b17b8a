//! What must hold at the end of every test.

use super::context::TestContext;
use crate::forge::COLLIE;
use crate::wait::Wait;
use collie_core::event::Delivery;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::text::trailing_token;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Nothing twice, nothing merged, nothing pending, nothing refused, nothing left behind.
pub async fn check_end_state(ctx: &TestContext) {
    if ctx.try_handle().is_none() {
        return;
    }
    ctx.clear_faults().await;
    for state in ctx.handle().loops() {
        let number = state.id.number;
        let is_at_rest = |state: &LoopState| {
            state.run.state.is_terminal() || state.run.state == State::PrReadyToMerge
        };
        if is_at_rest(&state) && !ctx.expectations.pending_effects {
            ctx.wait_until(number, "an empty outbox", |state| {
                state.outbox.effects.is_empty()
            })
            .await;
        }
        check_posts(ctx, number).await;
        check_commits(ctx, number);
        let pull = ctx.repo_get(&format!("/pulls/{number}")).await;
        assert_ne!(
            pull["merged_by"]["login"], COLLIE,
            "Collie merged #{number}"
        );
        let state = ctx.state(number);
        for delivery in state.memory.posted.values() {
            if let Delivery::Undeliverable { message } = delivery {
                assert!(
                    ctx.expectations.refused_requests || state.run.state.is_terminal(),
                    "#{number}: not delivered: {message}"
                );
            }
        }
        if state.run.state.is_over() {
            let left = format!("pr-{number}-");
            let worktrees = ctx.worktrees();
            assert!(
                !worktrees.iter().any(|name| name.starts_with(&left)),
                "#{number} ended as {} and left {worktrees:?}",
                state.run.state
            );
        }
    }
    if !ctx.expectations.refused_requests {
        let counts = ctx.request_counts().await;
        let refused = counts["refused"].as_object().expect("refusals by route");
        let refused: Vec<&String> = refused.keys().filter(|route| !asks_rights(route)).collect();
        assert!(refused.is_empty(), "refused: {refused:?}");
    }
}

/// Whether requests there lack what they must have, so that the refusal tells what the token may do.
fn asks_rights(route: &str) -> bool {
    let routes = ["pulls", "git/refs"].map(|path| format!("POST /repos/{{owner}}/{{repo}}/{path}"));
    routes.iter().any(|probe| probe == route)
}

/// No token twice.
async fn check_posts(ctx: &TestContext, number: u64) {
    let bodies = ctx.posted_bodies(number).await;
    let mut seen = BTreeSet::new();
    for body in bodies.iter().filter(|body| !body.is_empty()) {
        let token = trailing_token(body)
            .unwrap_or_else(|| panic!("#{number}: a post without a token at its end: {body}"));
        assert!(
            seen.insert(token.clone()),
            "#{number}: {token} was posted twice:\n{body}"
        );
    }
}

/// No commit twice.
fn check_commits(ctx: &TestContext, number: u64) {
    let fixes = ctx.fix_commits_of(number);
    let different: BTreeSet<_> = fixes.iter().collect();
    assert_eq!(fixes.len(), different.len(), "#{number}: {fixes:#?}");
}

/// No process of the data folder is alive.
pub async fn check_processes(data: &Path) {
    let wait = Wait {
        timeout: Duration::from_secs(10),
        interval: Duration::from_millis(50),
    };
    let gone = wait.until("the end of every process", async || {
        let alive = processes_of(data);
        if alive.is_empty() {
            Ok(())
        } else {
            Err(format!("{alive:#?}"))
        }
    });
    gone.await;
}

/// Processes, other than this one, whose command line, environment or folder names the data folder.
pub fn processes_of(data: &Path) -> Vec<String> {
    let needle = data.to_string_lossy().into_owned();
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry.file_name().to_string_lossy().into_owned();
        if id == own || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let place = entry.path();
        let read = |name: &str| {
            let bytes = std::fs::read(place.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        let folder = std::fs::read_link(place.join("cwd")).unwrap_or_default();
        let command = read("cmdline");
        let names = command.contains(&needle)
            || read("environ").contains(&needle)
            || folder.starts_with(data);
        if names && !command.is_empty() {
            found.push(format!("{id}: {command}"));
        }
    }
    found
}

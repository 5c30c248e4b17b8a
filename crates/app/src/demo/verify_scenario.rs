//! Looks at the forge, as anybody could, and says in what a scenario did not end as designed.

use super::forge_client::ForgeClient;
use super::{DemoError, Scenario};
use collie_core::loop_state::LoopState;
use serde_json::Value;
use std::collections::BTreeMap;

/// The account that Collie plays in the demo.
pub(crate) const COLLIE_LOGIN: &str = "demo";

const MARKER: &str = "<!-- pr-review-loop-marker -->";

/// What is not as designed; empty when all is.
pub(crate) async fn verify_scenario(
    forge: &ForgeClient,
    scenario: Scenario,
    state: &LoopState,
) -> Result<Vec<String>, DemoError> {
    let mut problems = Vec::new();
    let design = scenario.expected();
    if state.run.state != design.state {
        problems.push(format!(
            "ended as {}, not as {}",
            state.run.state, design.state
        ));
    }
    let stop = state.run.stop.as_ref().map(|stop| stop.code());
    if stop != design.stop {
        problems.push(format!(
            "stopped because of {stop:?}, not {:?}",
            design.stop
        ));
    }
    check_range(
        &mut problems,
        "pushes by Collie",
        state.run.fixing.iteration,
        design.pushes,
    );
    check_range(
        &mut problems,
        "restarts",
        state.run.head.restarts,
        design.restarts,
    );
    let pull = forge
        .get(COLLIE_LOGIN, &format!("/repos/{}/pulls/1", scenario.repo()))
        .await?;
    let head = pull["head"]["sha"].as_str().unwrap_or_default();
    if state.run.head.sha.as_ref().map(|sha| sha.as_str()) != Some(head) {
        problems.push(format!(
            "the loop is at {:?}, the pull request at {head}",
            state.run.head.sha
        ));
    }
    if pull["merged"] != Value::Bool(false) || pull["state"] != "open" {
        problems.push("the pull request is not open any more".to_owned());
    }
    verify_posts(forge, scenario, head, &mut problems).await?;
    Ok(problems)
}

fn check_range(problems: &mut Vec<String>, what: &str, found: u32, (least, most): (u32, u32)) {
    if !(least..=most).contains(&found) {
        problems.push(format!("{found} {what}, expected {least} to {most}"));
    }
}

/// What Collie wrote: a comment in the conversation, a review, or a comment in a diff.
struct Post {
    is_comment: bool,
    body: String,
}

async fn list_posts(forge: &ForgeClient, scenario: Scenario) -> Result<Vec<Post>, DemoError> {
    let repo = scenario.repo();
    let mut posts = Vec::new();
    for place in ["issues/1/comments", "pulls/1/reviews", "pulls/1/comments"] {
        for item in forge
            .list(COLLIE_LOGIN, &format!("/repos/{repo}/{place}"))
            .await?
        {
            if item["user"]["login"] == COLLIE_LOGIN {
                posts.push(Post {
                    is_comment: place == "issues/1/comments",
                    body: item["body"].as_str().unwrap_or_default().to_owned(),
                });
            }
        }
    }
    Ok(posts)
}

/// Each post carries its marker, and no token is there twice.
fn check_markers(posts: &[Post], problems: &mut Vec<String>) {
    let mut tokens: BTreeMap<&str, u32> = BTreeMap::new();
    for Post { body, .. } in posts {
        // GitHub wraps each reply in a review without a text.
        if body.is_empty() {
            continue;
        }
        if !body.contains(MARKER) {
            problems.push(format!("a post without its marker: {}", first_line(body)));
        }
        if let Some(token) = token_of(body) {
            *tokens.entry(token).or_default() += 1;
        }
    }
    for (token, times) in tokens {
        if times > 1 {
            problems.push(format!(
                "the post with token {token} is there {times} times"
            ));
        }
    }
}

async fn verify_posts(
    forge: &ForgeClient,
    scenario: Scenario,
    head: &str,
    problems: &mut Vec<String>,
) -> Result<(), DemoError> {
    let posts = list_posts(forge, scenario).await?;
    check_markers(&posts, problems);
    let comments: Vec<&str> = posts
        .iter()
        .filter(|post| post.is_comment)
        .map(|post| post.body.as_str())
        .collect();
    let Some(last) = comments.last() else {
        problems.push("Collie said nothing in the conversation".to_owned());
        return Ok(());
    };
    for evidence in scenario.expected().evidence {
        if !last.contains(evidence) {
            problems.push(format!(
                "the last comment does not hold `{evidence}`: {}",
                first_line(last)
            ));
        }
    }
    if !last.contains(&head[..head.len().min(7)]) {
        problems.push(format!("the last comment does not name the head {head}"));
    }
    if scenario == Scenario::Human {
        let asked = comments
            .iter()
            .filter(|body| body.starts_with("@ana"))
            .count();
        if asked != 1 {
            problems.push(format!(
                "ana was asked to look again {asked} times, expected once"
            ));
        }
    }
    Ok(())
}

fn first_line(body: &str) -> &str {
    body.lines().next().unwrap_or_default()
}

/// The action token at the end of a body.
fn token_of(body: &str) -> Option<&str> {
    let (_, rest) = body.rsplit_once("<!-- collie-action:")?;
    rest.split_once("-->").map(|(token, _)| token.trim())
}

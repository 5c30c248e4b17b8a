//! Looks at the forge, as anybody could, and says in what a scenario did not end as designed.

use super::forge_client::ForgeClient;
use super::{DemoError, Scenario};
use collie_core::error_code::ErrorCode;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The account that Collie plays in the demo.
pub(crate) const COLLIE_LOGIN: &str = "demo";

const MARKER: &str = "<!-- pr-review-loop-marker -->";

/// What is not as designed; empty when all is.
pub(crate) async fn verify_scenario(
    forge: &ForgeClient,
    scenario: Scenario,
    state: &LoopState,
) -> Result<Vec<UserError>, DemoError> {
    let mut problems = Vec::new();
    let design = scenario.expected();
    if state.run.state != design.state {
        problems.push(differs(Aspect::State, state.run.state, design.state));
    }
    let stop = state.run.stop.as_ref().map(|stop| stop.code());
    if stop != design.stop {
        let [found, expected] = [stop, design.stop].map(|stop| stop.unwrap_or("-"));
        problems.push(differs(Aspect::Stop, found, expected));
    }
    check_range(
        &mut problems,
        Aspect::Pushes,
        state.run.fixing.iteration,
        design.pushes,
    );
    check_range(
        &mut problems,
        Aspect::Restarts,
        state.run.head.restarts,
        design.restarts,
    );
    let pull = forge
        .get(COLLIE_LOGIN, &format!("/repos/{}/pulls/1", scenario.repo()))
        .await?;
    let head = pull["head"]["sha"].as_str().unwrap_or_default();
    let seen = state.run.head.sha.as_ref().map(|sha| sha.as_str());
    if seen != Some(head) {
        problems.push(differs(Aspect::Head, seen.unwrap_or("-"), head));
    }
    if pull["merged"] != Value::Bool(false) || pull["state"] != "open" {
        problems.push(differs(Aspect::Pull, &pull["state"], "open"));
    }
    verify_posts(forge, scenario, head, &mut problems).await?;
    Ok(problems)
}

/// What a scenario's end is compared in. The words are `problem-demo_differs`.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
enum Aspect {
    /// The loop's state.
    State,
    /// Why it stopped.
    Stop,
    /// How often Collie pushed.
    Pushes,
    /// How often the run began again.
    Restarts,
    /// The head that the loop is at.
    Head,
    /// The pull request's state.
    Pull,
    /// A post without its marker.
    Marker,
    /// Posts with the same token.
    Token,
    /// Comments in the conversation.
    Comments,
    /// What the last comment says.
    Comment,
    /// How often Ana was asked to look again.
    Asked,
}

/// What was found in place of what the scenario's design says.
fn differs(what: Aspect, found: impl fmt::Display, expected: impl fmt::Display) -> UserError {
    UserError::new(ErrorCode::DemoDiffers)
        .with("what", <&str>::from(what))
        .with("found", found)
        .with("expected", expected)
}

fn check_range(problems: &mut Vec<UserError>, what: Aspect, found: u32, (least, most): (u32, u32)) {
    if !(least..=most).contains(&found) {
        problems.push(differs(what, found, format!("{least}–{most}")));
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
fn check_markers(posts: &[Post], problems: &mut Vec<UserError>) {
    let mut tokens: BTreeMap<&str, u32> = BTreeMap::new();
    for Post { body, .. } in posts {
        // GitHub wraps each reply in a review without a text.
        if body.is_empty() {
            continue;
        }
        if !body.contains(MARKER) {
            problems.push(differs(Aspect::Marker, first_line(body), MARKER));
        }
        if let Some(token) = token_of(body) {
            *tokens.entry(token).or_default() += 1;
        }
    }
    for (token, times) in tokens {
        if times > 1 {
            problems.push(differs(Aspect::Token, times, 1).with("token", token));
        }
    }
}

async fn verify_posts(
    forge: &ForgeClient,
    scenario: Scenario,
    head: &str,
    problems: &mut Vec<UserError>,
) -> Result<(), DemoError> {
    let posts = list_posts(forge, scenario).await?;
    check_markers(&posts, problems);
    let comments: Vec<&str> = posts
        .iter()
        .filter(|post| post.is_comment)
        .map(|post| post.body.as_str())
        .collect();
    let Some(last) = comments.last() else {
        problems.push(differs(Aspect::Comments, 0, 1));
        return Ok(());
    };
    if last.contains("LGTM") != scenario.expected().lgtm {
        problems.push(differs(Aspect::Comment, first_line(last), "LGTM"));
    }
    for evidence in scenario.expected().evidence {
        if !last.contains(evidence) {
            problems.push(differs(Aspect::Comment, first_line(last), evidence));
        }
    }
    if !last.contains(&head[..head.len().min(7)]) {
        problems.push(differs(Aspect::Comment, first_line(last), head));
    }
    if scenario == Scenario::Human {
        let asked = comments
            .iter()
            .filter(|body| body.starts_with("@ana"))
            .count();
        if asked != 1 {
            problems.push(differs(Aspect::Asked, asked, 1));
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

#[cfg(test)]
mod tests {
    use super::*;
    use collie_i18n::Localizer;
    use strum::VariantArray as _;

    #[test]
    fn each_aspect_has_words_in_each_language() {
        for (language, expected) in [("en", "expected: b"), ("fr", "attendu\u{202f}: b")] {
            let localizer = Localizer::new(language);
            for aspect in Aspect::VARIANTS {
                let text = localizer.error_text(&differs(*aspect, "a", "b").with("token", "t1"));
                assert!(text.contains(expected), "{text}");
                let without_words = <&str>::from(aspect);
                assert!(!text.starts_with(&format!("{without_words}:")), "{text}");
                assert!(
                    !text.starts_with(&format!("{without_words}\u{202f}:")),
                    "{text}"
                );
            }
        }
    }
}

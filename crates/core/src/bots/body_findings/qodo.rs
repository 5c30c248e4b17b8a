//! Qodo and PR-Agent: one conversation comment that lists everything.

use super::super::pattern::expression;
use super::draft::{BodyFinding, Draft, PathOfAnchor, number};
use crate::finding::Priority;
use regex::{Captures, Regex};
use std::sync::LazyLock;

static WEIGHT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"alt="(action required|remediation recommended|informational|advisory|other)[^"]*""#,
    )
});
static ITEM: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^<summary>\s*\d+\\?\.\s+(.*?)</summary>"));
/// Struck out, or labelled so. A tick alone says nothing: it stands before the label "Correctness", too.
static DONE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^<s>|<code>[✓✗]\s*(resolved|dismissed)\b"));
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"\[([^\[\]\s]+?) ?\[R?(\d+)(?:-(\d+))?\]\]"));
static FOCUS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"^<details><summary><a href=['"][^'"]*#diff-([0-9a-f]{64})R(\d+)(?:-R(\d+))?['"]><strong>(.*?)</strong>"#,
    )
});
static SUGGESTION: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^<details><summary>(?:<s>)?([^<]+?)(</s>)?</summary>$"));
static IMPACT: LazyLock<Regex> =
    LazyLock::new(|| expression(r"<td align=center>(high|medium|low)\b"));
static TAG: LazyLock<Regex> = LazyLock::new(|| expression(r"<[^>]+>"));

/// "Code Review by Qodo", "PR Reviewer Guide" or "PR Code Suggestions".
pub(super) fn findings(body: &str, path_of_anchor: &PathOfAnchor<'_>) -> Vec<BodyFinding> {
    if body.contains("PR Reviewer Guide") {
        focus_areas(body, path_of_anchor)
    } else if body.contains("PR Code Suggestions") {
        suggestions(body)
    } else {
        numbered(body)
    }
}

fn without_tags(text: &str) -> String {
    let plain = TAG.replace_all(text, "");
    let plain = plain.replace("&lt;", "<").replace("&gt;", ">");
    plain
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
        .trim()
        .to_owned()
}

fn set_place(draft: &mut Draft, place: &Captures<'_>) {
    if draft.file.is_empty() {
        place[1].clone_into(&mut draft.file);
        draft.lines = (
            number(place.get(2)),
            number(place.get(3)).or(number(place.get(2))),
        );
    }
}

/// Items under the picture that says how much they weigh. Those that are [`DONE`] are left out.
fn numbered(body: &str) -> Vec<BodyFinding> {
    let (mut found, mut draft) = (Vec::new(), None::<Draft>);
    let (mut weight, mut in_description) = (Priority::P2, false);
    for line in body.lines() {
        let inner = line.trim_start_matches(['>', ' ']);
        if let Some(said) = WEIGHT.captures(line) {
            weight = match said[1].to_lowercase().as_str() {
                "action required" => Priority::P1,
                "remediation recommended" => Priority::P2,
                _ => Priority::P3,
            };
        } else if let Some(item) = ITEM.captures(line) {
            found.extend(draft.take().map(Draft::finish));
            let done = DONE.is_match(&item[1]);
            let title = item[1].split("<code>").next().unwrap_or_default();
            draft = (!done).then(|| Draft {
                title: without_tags(title),
                ..Draft::new("", None, None, weight)
            });
        } else if let Some(open) = &mut draft {
            if inner.starts_with("<summary>") {
                in_description = inner.contains("Description");
            } else if let Some(place) = PLACE.captures(inner) {
                set_place(open, &place);
            } else if in_description && !inner.starts_with("</details") {
                open.text.push(without_tags(inner));
            }
        }
    }
    found.extend(draft.map(Draft::finish));
    found
}

/// What the guide asks a reviewer to look at; its links name files by their hash alone.
fn focus_areas(body: &str, path_of_anchor: &PathOfAnchor<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft) = (Vec::new(), None::<Draft>);
    for line in body.lines() {
        if let Some(item) = FOCUS.captures(line) {
            found.extend(draft.take().map(Draft::finish));
            let file = path_of_anchor(&item[1]).unwrap_or_default();
            draft = Some(Draft {
                title: without_tags(&item[4]),
                ..Draft::new(
                    &file,
                    number(item.get(2)),
                    number(item.get(3)),
                    Priority::P2,
                )
            });
        } else if line.starts_with("</summary>") {
            found.extend(draft.take().map(Draft::finish));
        } else if let Some(open) = &mut draft {
            open.text.push(without_tags(line));
        }
    }
    found.extend(draft.map(Draft::finish));
    found
}

/// Rows of a table; its last column says how much each weighs. They are offers, so that the weightiest is important, no more.
fn suggestions(body: &str) -> Vec<BodyFinding> {
    let (mut found, mut draft) = (Vec::new(), None::<(Draft, bool)>);
    for line in body.lines() {
        if line.contains("Suggestion importance") {
            continue;
        } else if let Some(item) = SUGGESTION.captures(line) {
            let done = item.get(2).is_some();
            draft = Some((
                Draft {
                    title: without_tags(&item[1]),
                    ..Draft::new("", None, None, Priority::P3)
                },
                done,
            ));
        } else if let Some(said) = IMPACT.captures(line) {
            if let Some((mut open, false)) = draft.take() {
                if said[1].eq_ignore_ascii_case("high") {
                    open.priority = Priority::P2;
                }
                found.push(open.finish());
            }
        } else if let Some((open, _)) = &mut draft {
            if let Some(place) = PLACE.captures(line) {
                set_place(open, &place);
            } else if open.file.is_empty() && !line.starts_with(['<', '_']) {
                open.text.push(without_tags(&line.replace("**", "")));
            }
        }
    }
    found
}

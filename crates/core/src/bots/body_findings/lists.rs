//! Plain lists: Copilot's suppressed comments, Codex' links, Gemini's headings, Greptile's numbers, Sourcery's bullets.

use super::super::pattern::expression;
use super::draft::{BodyFinding, Draft, PriorityOf, number};
use crate::finding::{Confidence, FindingKind, Priority};
use regex::Regex;
use std::sync::LazyLock;

/// Copilot holds back what it is not sure of.
const SUPPRESSED: Confidence = Confidence::from_permille(500);

static SUPPRESSED_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"<summary>.*(suppressed due to low confidence|suppressed comments)")
});
static BOLD_PLACE: LazyLock<Regex> = LazyLock::new(|| expression(r"^\*\*(.+):(\d+)\*\*$"));
static BLOB: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^https://[^/]+/[^/]+/[^/]+/blob/[0-9a-f]+/(\S+)#L(\d+)(?:-L(\d+))?$")
});
static HEADING_PLACE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^### (\S.*?) \((\d+)(?:-(\d+))?\)$"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| expression(r"^\d+\.\s+(\S.*)$"));
static GREPTILE_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"((comments outside diff|additional comments) \(\d+\)|findings</h\d>)")
});
/// What Greptile appends to its remarks about style.
const GREPTILE_HINT: &str = "If this suggestion doesn't match your team's coding style";
static GREPTILE_PLACE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"`([^`\s]+)`(?:,? lines? |:)(\d+)(?:-(\d+))?"));
static MARKS: LazyLock<Regex> = LazyLock::new(|| expression(r"<[^>]+>|!\[[^\]]*\]\([^)]*\)"));
static QUOTED_PATH: LazyLock<Regex> =
    LazyLock::new(|| expression(r"`([\w./-]+/[\w.-]+\.\w+|[\w-]+\.(?:\w{1,4}))`"));
static SOURCERY_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"^<location(?: path="([^"]+)" line_range="(\d+)(?:-(\d+))?"\s*/>|>\s*`([^`]+):(\d+)(?:-(\d+))?`)"#,
    )
});

fn without_marks(line: &str) -> String {
    let words = MARKS.replace_all(line, "").replace("**", "");
    words.trim_matches(['*', ' ']).to_owned()
}

/// Copilot's "Comments suppressed due to low confidence".
pub(super) fn suppressed(body: &str, priority_of: &PriorityOf<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft, mut open, mut code) = (Vec::new(), None::<Draft>, false, false);
    for line in body.lines() {
        if SUPPRESSED_HEAD.is_match(line) {
            open = true;
        } else if line.starts_with("```") {
            code = !code;
        } else if !open || code {
        } else if line.starts_with("</details>") {
            open = false;
        } else if let Some(place) = BOLD_PLACE.captures(line) {
            found.extend(draft.take().map(Draft::finish));
            draft = Some(Draft::new(
                &place[1],
                number(place.get(2)),
                None,
                Priority::P2,
            ));
        } else if let Some(finding) = &mut draft {
            let words = line.trim_start_matches("* ");
            if finding.text.iter().all(String::is_empty) {
                finding.priority = priority_of(words);
            }
            finding.text.push(words.to_owned());
        }
    }
    found.extend(draft.map(Draft::finish));
    for finding in &mut found {
        (finding.confidence, finding.kind) = (SUPPRESSED, FindingKind::Suggestion);
    }
    found
}

/// Codex: a link to the lines, then what is wrong there.
pub(super) fn linked(body: &str, priority_of: &PriorityOf<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft) = (Vec::new(), None::<Draft>);
    for line in body.lines() {
        if let Some(place) = BLOB.captures(line.trim()) {
            found.extend(draft.take().map(Draft::finish));
            let (first, last) = (number(place.get(2)), number(place.get(3)));
            draft = Some(Draft::new(&place[1], first, last, Priority::P2));
        } else if line.starts_with("<details>") {
            found.extend(draft.take().map(Draft::finish));
        } else if let Some(finding) = &mut draft {
            if finding.title.is_empty() && line.starts_with("**") {
                finding.priority = priority_of(line);
                finding.title = without_marks(line);
            } else {
                finding.text.push(line.to_owned());
            }
        }
    }
    found.extend(draft.map(Draft::finish));
    found
}

/// Gemini, when it could not put its comments on their lines: a heading a place.
pub(super) fn headed(body: &str, priority_of: &PriorityOf<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft, mut code) = (Vec::new(), None::<Draft>, false);
    for line in body.lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code {
        } else if let Some(place) = HEADING_PLACE.captures(line) {
            found.extend(draft.take().map(Draft::finish));
            let (first, last) = (number(place.get(2)), number(place.get(3)));
            draft = Some(Draft::new(&place[1], first, last, Priority::P2));
        } else if line.starts_with("</details>") {
            found.extend(draft.take().map(Draft::finish));
        } else if let Some(finding) = &mut draft {
            if line.starts_with("![") {
                finding.priority = priority_of(line);
            }
            finding.text.push(without_marks(line));
        }
    }
    found.extend(draft.map(Draft::finish));
    found
}

/// Greptile's numbered findings: those outside of the diff, and those of its summary.
pub(super) fn numbered(body: &str, priority_of: &PriorityOf<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft, mut open) = (Vec::new(), None::<Draft>, false);
    for line in body.lines() {
        let ends =
            line.starts_with("<h") || line.starts_with("## ") || line.starts_with("</details>");
        if GREPTILE_HEAD.is_match(line) {
            open = true;
        } else if open && ends {
            found.extend(draft.take().map(Draft::finish));
            open = false;
        } else if !open || line.starts_with("<!--") || line.contains(GREPTILE_HINT) {
        } else if line.contains("#discussion_r") {
            // It stands in a thread too.
            found.extend(draft.take().map(Draft::finish));
        } else if let Some(item) = NUMBERED.captures(line) {
            found.extend(draft.take().map(Draft::finish));
            let mut next = Draft::new("", None, None, priority_of(&item[1]));
            set_greptile_words(&mut next, &item[1]);
            draft = Some(next);
        } else if let Some(finding) = &mut draft {
            if finding.text.iter().all(|text| text.is_empty()) {
                finding.priority = priority_of(line);
            }
            set_greptile_words(finding, line.trim());
        }
    }
    found.extend(draft.map(Draft::finish));
    found
}

fn set_greptile_words(draft: &mut Draft, line: &str) {
    if let (true, Some(place)) = (draft.file.is_empty(), GREPTILE_PLACE.captures(line)) {
        place[1].clone_into(&mut draft.file);
        let first = number(place.get(2));
        draft.lines = (first, number(place.get(3)).or(first));
    } else {
        draft.text.push(without_marks(line));
    }
}

/// Sourcery: bullets for the whole, and the comments that it also hands to agents.
pub(super) fn bulleted(body: &str, priority_of: &PriorityOf<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft) = (Vec::new(), None::<Draft>);
    let (mut in_prompt, mut addressed, mut priority) = (false, false, Priority::P3);
    for line in body.lines() {
        if line.contains("Individual Comments") {
            in_prompt = true;
        } else if !in_prompt && line.starts_with("<details>") {
            found.extend(draft.take().map(Draft::finish));
            priority = Priority::P3;
        } else if !in_prompt && line.starts_with("**Security issues**") {
            priority = Priority::P1;
        } else if !in_prompt && line.starts_with("**") {
            priority = Priority::P3;
        } else if !in_prompt && line.starts_with("- ") && !body_is_in_prompt(body, line) {
            found.extend(draft.take().map(Draft::finish));
            found.push(bullet(line, priority));
        } else if let Some(place) = SOURCERY_PLACE.captures(line) {
            found.extend(draft.take().map(Draft::finish));
            let at = if place.get(1).is_some() { 1 } else { 4 };
            let (first, last) = (number(place.get(at + 1)), number(place.get(at + 2)));
            draft = Some(Draft::new(&place[at], first, last, Priority::P2));
        } else if line.starts_with("<issue_to_address>") || line.starts_with("</issue_to_address>")
        {
            addressed = line.starts_with("<i");
            found.extend(
                (!addressed)
                    .then(|| draft.take())
                    .flatten()
                    .map(Draft::finish),
            );
        } else if let (true, Some(finding)) = (addressed, &mut draft) {
            if finding.text.is_empty() {
                finding.priority = priority_of(line);
            }
            finding.text.push(line.replace("**", ""));
        }
    }
    found
}

/// Whether a bullet is one of the share links below the prompt, or of the prompt itself.
fn body_is_in_prompt(body: &str, line: &str) -> bool {
    let at = line.as_ptr() as usize - body.as_ptr() as usize;
    let prompt = body.find("Prompt for AI Agents");
    prompt.is_some_and(|prompt| at > prompt)
        || body[..at].contains("Sourcery is free for open source")
}

fn bullet(line: &str, priority: Priority) -> BodyFinding {
    let words = line.trim_start_matches("- ");
    let path = QUOTED_PATH.captures(words);
    let file = path
        .as_ref()
        .map_or("", |path| path.get(1).map_or("", |m| m.as_str()));
    let mut draft = Draft::new(
        if file.contains('/') { file } else { "" },
        None,
        None,
        priority,
    );
    draft.text.push(words.to_owned());
    BodyFinding {
        kind: FindingKind::Suggestion,
        ..draft.finish()
    }
}

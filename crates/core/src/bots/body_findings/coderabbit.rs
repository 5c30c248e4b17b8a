//! CodeRabbit: collapsed sections by file in a review's body, for what it could not put on its line.

use super::super::pattern::expression;
use super::draft::{BodyFinding, Draft, PriorityOf, number};
use crate::finding::Priority;
use regex::Regex;
use std::sync::LazyLock;

static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(outside diff range|nitpick|critical|major|minor|trivial|duplicate|additional) comments? \(\d+\)",
    )
});
static FILE: LazyLock<Regex> = LazyLock::new(|| expression(r"^<summary>([^<]+) \(\d+\)</summary>"));
static ITEM: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^`(?:([^`:]+):)?(\d+)(?:-(\d+))?`(?:: *(.*))?$"));
static CALLOUT: LazyLock<Regex> = LazyLock::new(|| expression(r"^<summary><em>(.*?)</em>"));
static TITLE: LazyLock<Regex> = LazyLock::new(|| expression(r"^\*\*(.+?)\*\*\s*(.*)$"));

/// What a section's items are, where they do not say.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Findings(Priority),
    /// Repeated from threads, or praise, or no section at all.
    Other,
}

fn section(line: &str) -> Option<Section> {
    let name = SECTION.captures(line)?.get(1)?.as_str().to_lowercase();
    Some(match name.as_str() {
        "duplicate" | "additional" => Section::Other,
        "nitpick" | "trivial" => Section::Findings(Priority::P3),
        "critical" => Section::Findings(Priority::P0),
        "major" => Section::Findings(Priority::P1),
        _ => Section::Findings(Priority::P2),
    })
}

/// Reads line by line; what is folded away inside an item is for agents, and left out.
pub(super) fn findings(body: &str, priority_of: &PriorityOf<'_>) -> Vec<BodyFinding> {
    let (mut found, mut draft) = (Vec::new(), None::<Draft>);
    let (mut now, mut file, mut folded) = (Section::Other, String::new(), 0_u32);
    for line in body.lines() {
        let line = line.trim_start_matches(['>', ' ']).trim_end();
        if let Some(next) = section(line) {
            found.extend(draft.take().map(Draft::finish));
            (now, folded) = (next, 0);
            file.clear();
            continue;
        }
        let Section::Findings(usual) = now else {
            continue;
        };
        if folded == 0
            && let Some(name) = FILE.captures(line)
        {
            found.extend(draft.take().map(Draft::finish));
            name[1].trim().clone_into(&mut file);
        } else if folded == 0 && CALLOUT.is_match(line) {
            found.extend(draft.take().map(Draft::finish));
        } else if folded == 0
            && let Some(item) = ITEM.captures(line)
        {
            found.extend(draft.take().map(Draft::finish));
            let rest = item.get(4).map_or("", |rest| rest.as_str());
            let own = item.get(1).map_or(file.as_str(), |own| own.as_str());
            let mut next = Draft::new(own, number(item.get(2)), number(item.get(3)), usual);
            read_words(&mut next, rest, usual, priority_of);
            draft = Some(next);
        } else if draft.is_some() && line.starts_with("<details") {
            folded += 1;
        } else if folded > 0 {
            folded -= u32::from(line.contains("</details>"));
        } else if line.starts_with("</blockquote>") {
            found.extend(draft.take().map(Draft::finish));
        } else if let Some(open) = &mut draft {
            read_words(open, line, usual, priority_of);
        }
    }
    found.extend(draft.map(Draft::finish));
    found
}

/// A line of an item: its labels, its title, or its text.
fn read_words(draft: &mut Draft, line: &str, usual: Priority, priority_of: &PriorityOf<'_>) {
    let is_label = line.starts_with('_') && line.ends_with('_');
    if is_label && draft.title.is_empty() {
        let said = priority_of(line);
        // Without a word of its own an item weighs what its section does.
        draft.priority = if said == Priority::P2 && !line.contains("Minor") {
            usual
        } else {
            said
        };
    } else if let (true, Some(title)) = (draft.title.is_empty(), TITLE.captures(line)) {
        title[1].clone_into(&mut draft.title);
        draft.text.push(title[2].to_owned());
    } else if !line.starts_with("<!--") {
        draft.text.push(line.to_owned());
    }
}

//! What a reader needs to judge a finding: the code that it is about, as it stands at the head, and what was tried on it (§6.1).

use super::code_sanitizer::{addresses_model, escaped_code_text};
use super::enclosing::enclosing_lines;
use super::hunks::{lines, render_lines};
use super::material::{ChangedFile, Material};
use super::prompt_parts::sanitized_line;
use super::token_budget::{PartRank, PromptItem, PromptPart, TokenCounter};
use collie_core::evidence::QuoteIndex;
use collie_core::finding::Finding;
use collie_core::text::fence_as_text;
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};

/// Of the fixes that were tried on a finding the latest are shown.
const MAX_EARLIER_FIXES: usize = 3;
/// Lines of one of them.
const MAX_PATCH_LINES: usize = 60;

/// The code around a finding, whole function or more; none where it is about no line that stands.
pub(super) fn finding_context(
    material: &Material,
    index: usize,
    finding: &Finding,
    count_tokens: TokenCounter<'_>,
) -> Option<PromptItem> {
    let content = material.file(&finding.file)?.content_at_head.as_deref()?;
    let place = place_at_head(content, finding)?;
    let text = render_lines(content, enclosing_lines(content, place)?);
    Some(PromptItem {
        part: PromptPart::FindingContext {
            path: finding.file.clone(),
            line: place.0,
        },
        rank: PartRank::NamedHunk,
        tokens: count_tokens(&text),
        addresses_model: addresses_model(&text),
        text,
        index,
    })
}

/// First and last line of what a finding quotes, else its line.
fn place_at_head(content: &str, finding: &Finding) -> Option<(u32, u32)> {
    let quoted = finding.evidence.as_deref().and_then(|quote| {
        let found = QuoteIndex::of(content).find(quote, finding.line)?;
        Some((found.first, found.last))
    });
    quoted.or_else(|| {
        let end = u32::try_from(lines(content).len()).unwrap_or(u32::MAX);
        let line = finding.line?.min(end);
        Some((line, line))
    })
}

/// What a reviewer needs to judge its own earlier findings: the code around those whose place the changed lines do not show, and what
/// was tried on each.
pub(super) fn earlier_finding_items(
    material: &Material,
    count_tokens: TokenCounter<'_>,
) -> Vec<PromptItem> {
    let mut items = Vec::new();
    for (index, known) in material.earlier_findings().enumerate() {
        if !is_shown_as_changed(material, known) {
            let context = finding_context(material, index, &known.finding, count_tokens);
            items.extend(context);
        }
        items.extend(earlier_fixes(material, index, known, count_tokens));
    }
    items
}

/// Whether this round shows the code that a finding is about anyway: the whole change, or changed lines at its place. A rejection is judged
/// on the code, whatever changed.
fn is_shown_as_changed(material: &Material, known: &TrackedFinding) -> bool {
    let Some(delta) = &material.delta else {
        return true;
    };
    let finding = &known.finding;
    let shows = |file: &ChangedFile| {
        let content = file.content_at_head.as_deref();
        let place = content.and_then(|content| place_at_head(content, finding));
        let mut hunks = file.hunks.iter().filter_map(|hunk| hunk.head_lines());
        place.is_some_and(|(first, last)| hunks.any(|(from, to)| from <= last && first <= to))
    };
    let changed = delta.iter().find(|file| file.path == finding.file);
    known.rejection.is_none() && changed.is_some_and(shows)
}

/// Patches of fixes that did not settle a finding. Whether the latest one does is what the changed lines show, as long as it is claimed.
fn earlier_fixes(
    material: &Material,
    index: usize,
    known: &TrackedFinding,
    count_tokens: TokenCounter<'_>,
) -> Vec<PromptItem> {
    let all = material.earlier_fixes.iter();
    let mut patches: Vec<&str> = all
        .filter(|fix| fix.fingerprint == known.fingerprint)
        .map(|fix| fix.patch.as_str())
        .collect();
    if known.status == FindingStatus::Claimed {
        patches.pop();
    }
    let latest = patches.len().saturating_sub(MAX_EARLIER_FIXES);
    let item = |patch: &&str| {
        let text = patch_text(patch, MAX_PATCH_LINES);
        PromptItem {
            part: PromptPart::EarlierFix {
                title: known.finding.title.clone(),
            },
            rank: PartRank::NamedHunk,
            tokens: count_tokens(&text),
            addresses_model: addresses_model(&text),
            text,
            index,
        }
    };
    patches[latest..].iter().map(item).collect()
}

/// The beginning of a patch, as a reader gets it.
pub(super) fn patch_text(patch: &str, most: usize) -> String {
    let rows: Vec<&str> = patch.lines().collect();
    let shown = escaped_code_text(&rows[..rows.len().min(most)].join("\n"));
    match rows.len().saturating_sub(most) {
        0 => shown,
        cut => format!("{shown}\n[{cut} more lines]"),
    }
}

/// What is kept of the items that belong to a finding, in words.
pub(super) fn context_texts(kept: &[&PromptItem], index: usize) -> Vec<String> {
    let own = kept.iter().filter(|item| item.index == index);
    own.filter_map(|item| {
        let words = match &item.part {
            PromptPart::FindingContext { path, .. } => {
                format!("The code around it at the head, {}:", sanitized_line(path))
            }
            PromptPart::EarlierFix { .. } => "This was tried, and did not settle it:".to_string(),
            _ => return None,
        };
        Some(format!("{words}\n{}", fence_as_text(&item.text)))
    })
    .collect()
}

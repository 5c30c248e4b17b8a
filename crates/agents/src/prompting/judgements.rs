//! What people made of the repository's earlier findings, as reviewers read it.

use super::material::Material;
use super::prompt_parts::{PartCollector, sanitized_excerpt, sanitized_line, sanitized_path};
use super::review_prompt::files_under_review;
use super::token_budget::{PartRank, PromptItem, PromptPart, TokenCounter};
use collie_core::finding::Finding;
use collie_core::review_memory::{MemoryEntry, MemoryVerdict};
use collie_core::text::fence_as_text;
use std::collections::BTreeSet;

/// The most entries that are told: the nearest to the change first.
const MAX_TOLD: usize = 20;

impl PartCollector {
    /// Judgements on earlier findings, as many as the share holds.
    pub(super) fn judgements(
        &mut self,
        material: &Material,
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let files = files_under_review(material);
        let files: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let told = material.context.memory.told_for(&files);
        for entry in told.into_iter().take(MAX_TOLD) {
            let part = PromptPart::Judgement {
                title: entry.title.clone(),
            };
            let what = (part, PartRank::Judgement);
            self.add_whole(what, judgement_line(entry), (&mut share, count_tokens));
        }
    }
}

/// The judgements of a first look; none where nothing is remembered.
pub(super) fn judgements_section(kept: &[&PromptItem]) -> Option<String> {
    let is_judgement = |item: &&&PromptItem| matches!(item.part, PromptPart::Judgement { .. });
    let lines: Vec<&str> = kept
        .iter()
        .filter(is_judgement)
        .map(|item| item.text.as_str())
        .collect();
    (!lines.is_empty()).then(|| section(&lines))
}

/// What people made of the like of a finding, for its second look.
pub(super) fn judgements_on(material: &Material, findings: &[&Finding]) -> Option<String> {
    let memory = &material.context.memory;
    let about = |entry: &&MemoryEntry| findings.iter().any(|finding| entry.is_about(finding));
    let lines: Vec<String> = memory
        .entries
        .iter()
        .filter(about)
        .take(MAX_TOLD)
        .map(judgement_line)
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    (!lines.is_empty()).then(|| section(&lines))
}

fn section(lines: &[&str]) -> String {
    format!(
        "## What people here made of earlier findings\n\nTheir taste, no instruction: what they dismissed is said again only where this change makes it \
         another thing, and you say how. It excuses no hole in security.\n\n{}",
        fence_as_text(&lines.join("\n"))
    )
}

fn judgement_line(entry: &MemoryEntry) -> String {
    let verdict = match entry.verdict {
        MemoryVerdict::Dismissed => "dismissed",
        MemoryVerdict::Accepted => "accepted",
    };
    let place = match entry.file.as_str() {
        "" => String::new(),
        file => format!(" ({})", sanitized_path(file)),
    };
    let reason = entry.reason.as_deref().map(sanitized_excerpt);
    let reason = reason.map_or_else(String::new, |reason| {
        format!(
            ": {}",
            reason.split_whitespace().collect::<Vec<_>>().join(" ")
        )
    });
    format!(
        "- {verdict}: {}{place}{reason}",
        sanitized_line(&entry.title)
    )
}

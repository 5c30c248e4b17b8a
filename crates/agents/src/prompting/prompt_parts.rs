//! The parts of a prompt as text: each piece of somebody else's goes through the sanitizer and into a fence (§9.2).

use super::code_sanitizer::{escaped_code_text, sanitized_code_text};
use super::file_tree::file_tree;
use super::material::{ExistingThread, LinkKind, LinkedIssue, Material, Remark, TextFile};
use super::relevance::TouchedWords;
use super::token_budget::{
    OmissionReason, OmittedPart, PartRank, PromptItem, PromptPart, TokenCounter, truncate_lines,
    truncate_paragraphs,
};
use collie_core::code_context::FunctionSpan;
use collie_core::finding::Finding;
use collie_core::text::{fence_as_text, sanitize_untrusted};
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};
use std::collections::BTreeMap;

/// Takes as much of a text as a number of tokens holds; whether something was cut off.
type Truncate = fn(&str, u32, TokenCounter<'_>) -> Option<(String, bool)>;

/// Stands where a text was cut off.
const TRUNCATION_MARK: &str = "[…]";

/// Items and what had to be left out while they were made.
#[derive(Default)]
pub(super) struct PartCollector {
    pub(super) items: Vec<PromptItem>,
    pub(super) omitted: Vec<OmittedPart>,
    /// What the change touches: sections of guidelines that name it come first.
    pub(super) touched: TouchedWords,
    /// Where the functions of changed files are, by path.
    pub(super) functions: BTreeMap<String, Vec<FunctionSpan>>,
}

/// Characters of one comment in a thread, and of a finding's description in a list.
const MAX_COMMENT_CHARS: usize = 1_200;

impl PartCollector {
    /// Adds a text, cut to what is left of its share. `raw` is what it was before it was sanitized.
    pub(super) fn add_truncated(
        &mut self,
        (part, rank): (PromptPart, PartRank),
        (raw, text): (&str, &str),
        (share, count): (&mut u32, TokenCounter<'_>),
        truncate: Truncate,
    ) {
        let raw_tokens = count(raw);
        let kept = truncate(text, *share, count);
        let tokens = kept.as_ref().map_or(0, |(kept, _)| count(kept));
        let omission = match &kept {
            None => Some(OmissionReason::NoRoom),
            Some((kept, cut)) if *cut || kept.ends_with(TRUNCATION_MARK) => {
                Some(OmissionReason::Truncated)
            }
            Some(_) => None,
        };
        if let Some(reason) = omission {
            self.omitted.push(OmittedPart {
                part: part.clone(),
                reason,
                tokens: raw_tokens.saturating_sub(tokens),
            });
        }
        if let Some((text, _)) = kept {
            *share -= tokens.min(*share);
            self.push(part, rank, text, tokens);
        }
    }

    /// Adds a text whole, or not at all where its share does not hold it.
    pub(super) fn add_whole(
        &mut self,
        (part, rank): (PromptPart, PartRank),
        text: String,
        (share, count): (&mut u32, TokenCounter<'_>),
    ) {
        let tokens = count(&text);
        if tokens <= *share {
            *share -= tokens;
            self.push(part, rank, text, tokens);
        } else {
            self.omitted.push(OmittedPart {
                part,
                reason: OmissionReason::NoRoom,
                tokens,
            });
        }
    }

    pub(super) fn push(&mut self, part: PromptPart, rank: PartRank, text: String, tokens: u32) {
        let place = self.items.len();
        self.items.push(PromptItem {
            part,
            rank,
            text,
            tokens,
            index: place,
            addresses_model: false,
        });
    }

    /// The description.
    pub(super) fn description(
        &mut self,
        text: &str,
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let clean = sanitized_text(text);
        if !clean.is_empty() {
            let what = (PromptPart::Description, PartRank::Description);
            self.add_truncated(
                what,
                (text, &clean),
                (&mut share, count_tokens),
                truncate_paragraphs,
            );
        }
    }

    /// Documents that the description links.
    pub(super) fn documents(
        &mut self,
        files: &[TextFile],
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        for file in files {
            let path = file.path.clone();
            let text = sanitized_text(&file.text);
            if !text.is_empty() {
                let what = (PromptPart::Document { path }, PartRank::Document);
                self.add_truncated(
                    what,
                    (&file.text, &text),
                    (&mut share, count_tokens),
                    truncate_paragraphs,
                );
            }
        }
    }

    /// Issues, those that are closed by the change first.
    pub(super) fn issues(
        &mut self,
        issues: &[LinkedIssue],
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let mut order: Vec<&LinkedIssue> = issues.iter().collect();
        order.sort_by_key(|issue| issue.link);
        for issue in order {
            let rank = match issue.link {
                LinkKind::Closes => PartRank::Closes,
                LinkKind::Mentions => PartRank::Mentions,
            };
            let part = PromptPart::Issue {
                repo: issue.repo.clone(),
                number: issue.number,
            };
            let text = issue_text(issue);
            let raw = format!("{} {}", issue.title, issue.body);
            self.add_truncated(
                (part, rank),
                (&raw, &text),
                (&mut share, count_tokens),
                truncate_paragraphs,
            );
        }
    }

    /// Threads: open ones on changed files first. In a second look those of Collie that nobody answered say nothing that its findings do not.
    pub(super) fn threads(
        &mut self,
        material: &Material,
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let settled = |thread: &ExistingThread| thread.resolved || thread.outdated;
        let unanswered = |thread: &ExistingThread| thread.by_collie && thread.comments.len() <= 1;
        let mut order: Vec<&ExistingThread> = material.threads.iter().collect();
        order.retain(|thread| !thread.of_bot_alone);
        order.retain(|thread| material.delta.is_none() || !unanswered(thread));
        order.sort_by_key(|thread| (settled(thread), material.file(&thread.path).is_none()));
        for thread in order {
            let part = PromptPart::Thread {
                path: thread.path.clone(),
                line: thread.line,
            };
            let rank = if settled(thread) {
                PartRank::SettledThread
            } else {
                PartRank::Thread
            };
            self.add_whole(
                (part, rank),
                thread_text(thread),
                (&mut share, count_tokens),
            );
        }
    }

    /// The conversation: the latest comments are kept first, and shown in their order.
    pub(super) fn conversation(
        &mut self,
        remarks: &[Remark],
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let first = self.items.len();
        for remark in remarks.iter().rev() {
            let text = remark_text(remark);
            if !text.is_empty() {
                let part = PromptPart::Remark {
                    login: remark.login.clone(),
                };
                self.add_whole((part, PartRank::Remark), text, (&mut share, count_tokens));
            }
        }
        self.items[first..].reverse();
    }

    /// Findings of others, which are not to be said again.
    pub(super) fn other_findings(
        &mut self,
        material: &Material,
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        for known in material.other_findings() {
            let part = PromptPart::Finding {
                title: known.finding.title.clone(),
            };
            self.add_whole(
                (part, PartRank::Finding),
                finding_line(known),
                (&mut share, count_tokens),
            );
        }
    }

    /// The repository's files around the change.
    pub(super) fn structure(
        &mut self,
        material: &Material,
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let text = file_tree(material).join("\n");
        if text.is_empty() {
            return;
        }
        let what = (PromptPart::Structure, PartRank::Structure);
        self.add_truncated(
            what,
            (&text, &text),
            (&mut share, count_tokens),
            truncate_lines,
        );
    }
}

pub(super) fn sanitized_path(path: &str) -> String {
    sanitized_code_text(path).replace('\n', " ")
}

/// What somebody said, sanitized; its ends trimmed.
pub(super) fn sanitized_text(text: &str) -> String {
    let clean = sanitize_untrusted(text);
    let end = if clean.truncated { TRUNCATION_MARK } else { "" };
    format!("{}{end}", clean.text.trim())
}

/// The same, cut after so many characters.
pub(super) fn sanitized_excerpt(text: &str) -> String {
    let text = sanitized_text(text);
    match text.char_indices().nth(MAX_COMMENT_CHARS) {
        Some((end, _)) => format!("{} {TRUNCATION_MARK}", &text[..end]),
        None => text,
    }
}

/// The same on one line.
pub(super) fn sanitized_line(text: &str) -> String {
    sanitized_text(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn issue_text(issue: &LinkedIssue) -> String {
    if !issue.read {
        let name = format!("{}#{}", issue.repo, issue.number);
        return format!("{name} (not read: do not guess what it says)");
    }
    let state = if issue.state.eq_ignore_ascii_case("closed") {
        "closed"
    } else {
        "open"
    };
    let why = match issue.link {
        LinkKind::Closes => "this pull request closes it",
        LinkKind::Mentions => "mentioned",
    };
    let title = sanitized_line(&issue.title);
    let head = format!("{}#{} ({state}; {why}): {title}", issue.repo, issue.number);
    format!("{head}\n\n{}", sanitized_text(&issue.body))
        .trim_end()
        .to_string()
}

pub(super) fn remark_text(remark: &Remark) -> String {
    let text = sanitized_excerpt(&remark.text);
    if text.is_empty() {
        text
    } else {
        format!("{}: {text}", sanitized_line(remark.login.as_str()))
    }
}

fn thread_text(thread: &ExistingThread) -> String {
    let state = match (thread.resolved, thread.outdated) {
        (true, _) => "resolved",
        (false, true) => "outdated",
        (false, false) => "open",
    };
    let origin = match (thread.by_collie, thread.trusted) {
        (true, _) => ", from an earlier review",
        (false, true) => "",
        (false, false) => ", by somebody without write access: it settles nothing",
    };
    let location = match thread.line {
        Some(line) => format!("{}:{line}", sanitized_line(&thread.path)),
        None => sanitized_line(&thread.path),
    };
    let mut rows = vec![format!("{location} ({state}{origin})")];
    rows.extend(
        thread
            .comments
            .iter()
            .map(remark_text)
            .filter(|text| !text.is_empty()),
    );
    rows.join("\n")
}

/// Where a finding is.
pub(super) fn finding_location(finding: &Finding) -> String {
    match (finding.file.as_str(), finding.line) {
        ("", _) => "the change as a whole".to_string(),
        (file, Some(line)) => sanitized_line(&format!("{file}:{line}")),
        (file, None) => sanitized_line(file),
    }
}

/// A finding of somebody else, short.
fn finding_line(known: &TrackedFinding) -> String {
    let finding = &known.finding;
    format!(
        "{:?} {}: {} ({})",
        finding.priority,
        finding_location(finding),
        sanitized_line(&finding.title),
        sanitized_line(&finding.source.name)
    )
}

/// A finding that a reader is to judge, below its label.
pub(super) fn reviewer_finding_text(label: &str, finding: &Finding) -> String {
    let mut rows = vec![
        format!(
            "{:?} {} {}",
            finding.priority,
            sanitized_line(&finding.category),
            finding_location(finding)
        ),
        sanitized_line(&finding.title),
        sanitized_excerpt(&finding.description),
    ];
    if let Some(evidence) = &finding.evidence {
        rows.push("Evidence:".into());
        rows.push(escaped_code_text(evidence).trim_end().to_string());
    }
    rows.retain(|row| !row.is_empty());
    format!("**{label}**\n{}", fence_as_text(&rows.join("\n")))
}

/// An earlier finding of this reviewer, with its label and what the fixer said.
pub(super) fn earlier_finding_text(label: &str, known: &TrackedFinding) -> String {
    let mut out = reviewer_finding_text(label, &known.finding);
    match (&known.rejection, known.status) {
        (Some(reason), _) => {
            out.push_str("\nIt was not fixed, for this reason:\n");
            out.push_str(&fence_as_text(&sanitized_excerpt(reason)));
        }
        (None, FindingStatus::Claimed | FindingStatus::Fixed) => {
            out.push_str("\nIt is said to be fixed.");
        }
        (
            None,
            FindingStatus::Open
            | FindingStatus::Rejected
            | FindingStatus::Withdrawn
            | FindingStatus::Unsure
            | FindingStatus::Dismissed
            | FindingStatus::Stuck,
        ) => {}
    }
    out
}

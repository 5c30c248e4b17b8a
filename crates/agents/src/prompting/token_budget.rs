//! Fits a prompt to a number of tokens: by whole parts, most relevant first, and says what was left out (§4.4).

use collie_core::error_code::ErrorCode;
use collie_core::ids::{Login, RepoName};
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

/// What one part costs beside its text: a heading, a fence.
const PART_OVERHEAD_TOKENS: u32 = 8;
/// Names of parts left out that the prompt lists; the others are counted.
const MAX_LISTED_OMISSIONS: usize = 30;

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Parts of the system prompt; the same in each round, so that providers' caches hit.
    pub system: Vec<String>,
    /// Parts of the user's message; what seldom changes comes first.
    pub user: Vec<String>,
    /// What did not fit, or was cut short.
    pub omitted: Vec<OmittedPart>,
    /// Tokens of all parts, by the counter that was given.
    pub tokens: u32,
    /// SHA-256 of all parts, in hex.
    pub hash: String,
}

/// Something that the prompt lacks for want of room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedPart {
    /// What.
    pub part: PromptPart,
    /// All of it, or its end.
    pub reason: OmissionReason,
    /// How many tokens it would have cost.
    pub tokens: u32,
}

/// How much of a part is lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// All of it: there was no room.
    NoRoom,
    /// Some of it is lacking.
    Truncated,
}

/// A part of a prompt that may be left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "part")]
pub enum PromptPart {
    /// The description of the pull request.
    Description,
    /// A file of guidelines.
    Guideline {
        /// Its path.
        path: String,
    },
    /// The repository's folders and files.
    Structure,
    /// A document that the description links.
    Document {
        /// Its path.
        path: String,
    },
    /// A linked issue.
    Issue {
        /// Its repository.
        repo: RepoName,
        /// Its number.
        number: u64,
    },
    /// A review thread.
    Thread {
        /// The file.
        path: String,
        /// The line.
        line: Option<u32>,
    },
    /// A comment in the conversation.
    Remark {
        /// Who wrote it.
        login: Login,
    },
    /// A finding of somebody else.
    Finding {
        /// Its title.
        title: String,
    },
    /// Changed lines of a file.
    Hunk {
        /// The file.
        path: String,
        /// The first line at the head.
        first: u32,
        /// The last.
        last: u32,
    },
    /// What lies between the changed lines of a file.
    UnchangedLines {
        /// The file.
        path: String,
    },
    /// What was tried on a finding.
    EarlierFix {
        /// The finding's title.
        title: String,
    },
    /// Lines of a file around a finding.
    FindingContext {
        /// The file.
        path: String,
        /// The line.
        line: u32,
    },
}

impl fmt::Display for PromptPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PromptPart::Description => write!(f, "description"),
            PromptPart::Guideline { path } => write!(f, "guidelines {path}"),
            PromptPart::Structure => write!(f, "list of files"),
            PromptPart::Document { path } => write!(f, "document {path}"),
            PromptPart::Issue { repo, number } => write!(f, "issue {repo}#{number}"),
            PromptPart::Thread { path, line } => match line {
                Some(line) => write!(f, "thread on {path}:{line}"),
                None => write!(f, "thread on {path}"),
            },
            PromptPart::Remark { login } => write!(f, "comment by {login}"),
            PromptPart::Finding { title } => write!(f, "finding {title}"),
            PromptPart::Hunk { path, first, last } => {
                write!(f, "changed lines {path}:{first}-{last}")
            }
            PromptPart::UnchangedLines { path } => write!(f, "unchanged lines of {path}"),
            PromptPart::EarlierFix { title } => write!(f, "fix tried on {title}"),
            PromptPart::FindingContext { path, line } => write!(f, "lines around {path}:{line}"),
        }
    }
}

/// Not even the task fits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the task alone takes {needed} tokens and {budget} are allowed: raise the budget, or choose a model that reads more"
)]
pub struct BudgetTooSmall {
    /// Tokens without which there is no task.
    pub needed: u32,
    /// Tokens allowed.
    pub budget: u32,
}

impl From<BudgetTooSmall> for UserError {
    fn from(error: BudgetTooSmall) -> Self {
        UserError::new(ErrorCode::BudgetTooSmall)
            .with_arg("needed", error.needed)
            .with_arg("budget", error.budget)
    }
}

/// How relevant a part is; the order of this list is the order in which parts are taken. What comes first is what changes least, so
/// that it is the same in the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartRank {
    Description,
    Guideline,
    Closes,
    Mentions,
    /// Changed lines of a file that a finding speaks of.
    NamedHunk,
    CodeHunk,
    Thread,
    Finding,
    /// What lies between the changes of code gets half of what is left at most, until what comes before tests' was offered a place.
    CodeFile,
    TestHunk,
    ProseHunk,
    /// Guidelines beyond those that each round begins with.
    MoreGuideline,
    Document,
    Structure,
    SettledThread,
    Remark,
    TestFile,
    GeneratedHunk,
}

/// One part that may be left out.
#[derive(Clone, Debug)]
pub(super) struct PromptItem {
    pub(super) part: PromptPart,
    pub(super) rank: PartRank,
    /// Ready to be put in; untrusted text in it is sanitized, not fenced.
    pub(super) text: String,
    pub(super) tokens: u32,
    /// Tells items of one sort apart: the file's place in its list.
    pub(super) index: usize,
    /// Whether it is code that holds words to a model.
    pub(super) addresses_model: bool,
}

/// Where the parts go.
pub(super) struct PromptTexts {
    pub(super) system: Vec<String>,
    pub(super) user: Vec<String>,
}

/// Counts tokens of a text.
pub(super) type TokenCounter<'a> = &'a dyn Fn(&str) -> u32;

/// Takes as many items as fit and puts the prompt together. `put` is given the items that are in, in their order, and what is left out.
pub(super) fn fit_to_budget(
    items: &[PromptItem],
    mut left_out: Vec<OmittedPart>,
    budget: u32,
    count_tokens: TokenCounter<'_>,
    assemble: &dyn Fn(&[&PromptItem], &[OmittedPart]) -> PromptTexts,
) -> Result<Prompt, BudgetTooSmall> {
    let total = |parts: &PromptTexts| -> u32 {
        let all = parts.system.iter().chain(&parts.user);
        all.map(|text| count_tokens(text))
            .fold(0, u32::saturating_add)
    };
    let needed = total(&assemble(&[], &[]));
    if needed > budget {
        return Err(BudgetTooSmall { needed, budget });
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|at| items[*at].rank);
    let mut selected = select_items(items, &order, budget - needed);
    loop {
        let chosen: Vec<&PromptItem> = selected.iter().map(|at| &items[*at]).collect();
        let mut omitted = left_out.clone();
        for at in order.iter().filter(|at| !selected.contains(at)) {
            add_omitted(&mut omitted, &items[*at], &chosen);
        }
        let mut parts = assemble(&chosen, &omitted);
        let mut tokens = total(&parts);
        if tokens > budget && selected.is_empty() {
            // Only the list of what is left out is too much.
            parts = assemble(&[], &[]);
            tokens = total(&parts);
        }
        if tokens <= budget {
            left_out = omitted;
            let hash = super::prompts::sha256(parts.system.iter().chain(&parts.user));
            return Ok(Prompt {
                system: parts.system,
                user: parts.user,
                omitted: left_out,
                tokens,
                hash,
            });
        }
        drop_least_relevant(items, &order, &mut selected, tokens - budget);
    }
}

/// Adds what an item would have shown. Guidelines come in two parts, and are told of once.
fn add_omitted(omitted: &mut Vec<OmittedPart>, item: &PromptItem, kept: &[&PromptItem]) {
    let same = |part: &PromptPart| item.rank == PartRank::MoreGuideline && *part == item.part;
    match omitted.iter_mut().find(|left| same(&left.part)) {
        Some(left) => left.tokens = left.tokens.saturating_add(item.tokens),
        None => omitted.push(OmittedPart {
            part: item.part.clone(),
            reason: if kept.iter().any(|other| same(&other.part)) {
                OmissionReason::Truncated
            } else {
                OmissionReason::NoRoom
            },
            tokens: item.tokens,
        }),
    }
}

fn select_items(items: &[PromptItem], order: &[usize], room: u32) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    let mut room = room;
    let mut code_file_budget: Option<u32> = None;
    let is_code_file = |at: &&usize| items[**at].rank == PartRank::CodeFile;
    let last = order.partition_point(|at| items[*at].rank < PartRank::TestFile);
    // Files that did not fit their half get another chance before what matters least.
    let second_pass = order.iter().filter(is_code_file).map(|at| (at, true));
    let first_pass = order[..last].iter().map(|at| (at, false));
    let low_priority = order[last..].iter().map(|at| (at, false));
    for (at, second_chance) in first_pass.chain(second_pass).chain(low_priority) {
        let cost = items[*at].tokens.saturating_add(PART_OVERHEAD_TOKENS);
        let limit = if is_code_file(&at) && !second_chance {
            *code_file_budget.get_or_insert(room / 2)
        } else {
            room
        };
        if cost <= limit && kept.insert(*at) {
            room -= cost;
            if let (Some(half), true) = (&mut code_file_budget, is_code_file(&at)) {
                *half = half.saturating_sub(cost);
            }
        }
    }
    kept
}

/// Drops the least relevant items, at least one, that together cost as much as the prompt is too long.
fn drop_least_relevant(
    items: &[PromptItem],
    order: &[usize],
    kept: &mut BTreeSet<usize>,
    over: u32,
) {
    let mut gone = 0_u32;
    for at in order.iter().rev() {
        if gone >= over {
            break;
        }
        if kept.remove(at) {
            gone = gone.saturating_add(items[*at].tokens.max(1));
        }
    }
}

/// The list of what is left out, one a line; a long list is counted at its end.
pub(super) fn list_omitted(omitted: &[OmittedPart]) -> String {
    let describe = |left: &OmittedPart| match left.reason {
        OmissionReason::NoRoom => left.part.to_string(),
        OmissionReason::Truncated => format!("{} (in part)", left.part),
    };
    let mut lines: Vec<String> = omitted
        .iter()
        .take(MAX_LISTED_OMISSIONS)
        .map(|left| super::code_sanitizer::sanitized_code_text(&describe(left)).replace('\n', " "))
        .collect();
    if omitted.len() > MAX_LISTED_OMISSIONS {
        lines.push(format!("and {} more", omitted.len() - MAX_LISTED_OMISSIONS));
    }
    lines.join("\n")
}

/// As much of a text as fits, by whole paragraphs from its beginning. Nothing when not even the first fits.
pub(super) fn truncate_paragraphs(
    text: &str,
    max_tokens: u32,
    count_tokens: TokenCounter<'_>,
) -> Option<(String, bool)> {
    truncate_before(text, "\n\n", max_tokens, count_tokens)
}

/// The same by whole lines.
pub(super) fn truncate_lines(
    text: &str,
    max_tokens: u32,
    count_tokens: TokenCounter<'_>,
) -> Option<(String, bool)> {
    truncate_before(text, "\n", max_tokens, count_tokens)
}

fn truncate_before(
    text: &str,
    border: &str,
    max_tokens: u32,
    count_tokens: TokenCounter<'_>,
) -> Option<(String, bool)> {
    if count_tokens(text) <= max_tokens {
        return Some((text.to_string(), false));
    }
    let ends: Vec<usize> = text
        .match_indices(border)
        .map(|(at, _)| at)
        .filter(|at| *at > 0)
        .collect();
    // Longer beginnings cost more, so the longest that fits is found by halving.
    let fitting = ends.partition_point(|end| count_tokens(&text[..*end]) <= max_tokens);
    let kept = text[..*ends.get(fitting.checked_sub(1)?)?].trim_end();
    (!kept.is_empty() && count_tokens(kept) <= max_tokens).then(|| (kept.to_string(), true))
}

/// Words of headings and texts that tell how a change should be.
const REVIEW_KEYWORDS: [&str; 24] = [
    "review",
    "style",
    "convention",
    "guideline",
    "test",
    "coding",
    "code",
    "naming",
    "error",
    "security",
    "document",
    "changelog",
    "commit",
    "pull request",
    "api",
    "compatib",
    "deprecat",
    "must",
    "should",
    "never",
    "always",
    "avoid",
    "prefer",
    "architecture",
];

/// A text cut in two, each part in the text's order. Either may be empty.
pub(super) struct SplitText {
    /// What fits.
    pub(super) kept: String,
    /// What does not.
    pub(super) rest: String,
}

/// A section of one of several texts.
struct GuidelineSection<'a> {
    text_index: usize,
    text: &'a str,
    fits: bool,
}

/// As much of guidelines as fits, and what does not: whole sections, those that speak of how a change should be before those that do not, those of
/// an earlier text before those of a later one.
pub(super) fn split_guidelines(
    texts: &[&str],
    max_tokens: u32,
    count_tokens: TokenCounter<'_>,
) -> Vec<SplitText> {
    let all = texts.iter().map(|text| count_tokens(text));
    let all_fit = all.fold(0, u32::saturating_add) <= max_tokens;
    let of_text = |(of, text)| {
        markdown_sections(text)
            .into_iter()
            .map(move |text| (of, text))
    };
    let mut found: Vec<GuidelineSection<'_>> = (0..)
        .zip(texts.iter().copied())
        .flat_map(of_text)
        .map(|(of, text)| GuidelineSection {
            text_index: of,
            text,
            fits: all_fit,
        })
        .collect();
    if !all_fit {
        select_sections(&mut found, max_tokens, count_tokens);
    }
    let part = |of: usize, kept: bool| -> String {
        let wanted = found
            .iter()
            .filter(|section| section.text_index == of && section.fits == kept);
        let text: String = wanted.map(|section| section.text).collect();
        text.trim_end().trim_start_matches('\n').to_string()
    };
    (0..texts.len())
        .map(|of| SplitText {
            kept: part(of, true),
            rest: part(of, false),
        })
        .collect()
}

fn select_sections(
    sections: &mut Vec<GuidelineSection<'_>>,
    max_tokens: u32,
    count_tokens: TokenCounter<'_>,
) {
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_cached_key(|at| {
        let section = &sections[*at];
        let weight = review_relevance(section.text);
        (weight == 0, section.text_index, Reverse(weight))
    });
    let mut room = max_tokens;
    for at in &order {
        let tokens = count_tokens(sections[*at].text).saturating_add(1);
        if tokens <= room {
            room -= tokens;
            sections[*at].fits = true;
        }
    }
    let some = sections
        .iter()
        .any(|section| section.fits && !section.text.trim().is_empty());
    if let (false, Some(best)) = (some, order.first()) {
        // Not one fits: the beginning of the best one is better than nothing.
        let GuidelineSection {
            text_index: of,
            text,
            ..
        } = sections[*best];
        if let Some((beginning, _)) = truncate_paragraphs(text, max_tokens, count_tokens) {
            let (text, rest) = text.split_at(beginning.len());
            sections[*best].text = rest;
            let kept = true;
            sections.insert(
                *best,
                GuidelineSection {
                    text_index: of,
                    text,
                    fits: kept,
                },
            );
        }
    }
}

/// A Markdown text cut before each heading that stands outside of fences.
fn markdown_sections(text: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut at = 0;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') && at > 0 {
            cuts.push(at);
        }
        at += line.len();
    }
    cuts.push(text.len());
    cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect()
}

/// How much a section speaks of how a change should be, per thousand characters; its heading counts most.
fn review_relevance(section: &str) -> usize {
    let lower = section.to_lowercase();
    let heading = lower.lines().next().unwrap_or_default();
    let in_heading = REVIEW_KEYWORDS
        .iter()
        .filter(|word| heading.contains(**word));
    let in_text: usize = REVIEW_KEYWORDS
        .iter()
        .map(|w| lower.matches(w).count())
        .sum();
    in_heading.count() * 20 + in_text * 1_000 / lower.len().max(500)
}

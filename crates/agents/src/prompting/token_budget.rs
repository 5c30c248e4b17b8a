//! Fits a prompt to a number of tokens: by whole parts, most relevant first, and says what was left out (§4.4).

use collie_core::error_code::ErrorCode;
use collie_core::ids::{Login, RepoName};
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};
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
    /// How many of the first parts of the user's message other prompts of the same session begin with too.
    pub shared_user_parts: usize,
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
    /// What lies between the changed lines of a file, or some of it.
    UnchangedLines {
        /// The file.
        path: String,
        /// The lines at the head, both ends of a range in it.
        ranges: Vec<(u32, u32)>,
    },
    /// Code that the change does not touch, with a definition or a call site in it.
    Related {
        /// The file.
        path: String,
    },
    /// The messages of the commits.
    Commits,
    /// Labels, and how the checks stand.
    Checks,
    /// What people made of an earlier finding.
    Judgement {
        /// The finding's title.
        title: String,
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
            PromptPart::UnchangedLines { path, .. } => write!(f, "unchanged lines of {path}"),
            PromptPart::Related { path } => write!(f, "related code in {path}"),
            PromptPart::Commits => write!(f, "messages of commits"),
            PromptPart::Checks => write!(f, "labels and checks"),
            PromptPart::Judgement { title } => write!(f, "judgement on {title}"),
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
    /// Commits, labels, checks.
    Progress,
    /// What people made of earlier findings.
    Judgement,
    /// Changed lines of a file that a finding speaks of.
    NamedHunk,
    CodeHunk,
    Thread,
    Finding,
    /// From here on to [`PartRank::CodeFile`], what lies around the changes of code gets half of what is left at most, until what comes before
    /// tests' was offered a place.
    CodeFunction,
    Related,
    CodeNear,
    CodeFar,
    CodeFile,
    TestHunk,
    ProseHunk,
    /// Guidelines beyond those that each round begins with.
    MoreGuideline,
    Document,
    Structure,
    TestFunction,
    Background,
    SettledThread,
    Remark,
    TestFile,
    GeneratedHunk,
    /// Guidelines that have no share: they get what all else leaves.
    RestOfGuideline,
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

/// Takes as many items as fit and puts the prompt together. `assemble` is given the items that are in, in their order, and what is left out.
pub(super) fn fit_to_budget(
    items: &[PromptItem],
    left_out: Vec<OmittedPart>,
    budget: u32,
    count_tokens: TokenCounter<'_>,
    assemble: &dyn Fn(&[&PromptItem], &[OmittedPart]) -> PromptTexts,
) -> Result<Prompt, BudgetTooSmall> {
    fit_shared_first(items, &[], (left_out, budget), count_tokens, assemble)
}

/// The same, with what has one of these ranks before all else: prompts of one session that have the same budget begin alike then.
pub(super) fn fit_shared_first(
    items: &[PromptItem],
    shared: &[PartRank],
    (mut left_out, budget): (Vec<OmittedPart>, u32),
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
    order.sort_by_key(|at| (!shared.contains(&items[*at].rank), items[*at].rank));
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
                shared_user_parts: 0,
                tokens,
                hash,
            });
        }
        drop_least_relevant(items, &order, &mut selected, tokens - budget);
    }
}

/// Adds what an item would have shown. What comes in several parts, guidelines and what lies around changes, is told of once.
fn add_omitted(omitted: &mut Vec<OmittedPart>, item: &PromptItem, kept: &[&PromptItem]) {
    let same = |part: &PromptPart| match (part, &item.part) {
        (
            PromptPart::UnchangedLines { path, .. },
            PromptPart::UnchangedLines { path: other, .. },
        ) => path == other,
        (PromptPart::Related { path }, PromptPart::Related { path: other }) => path == other,
        (part, other) => {
            let in_pieces = matches!(
                item.rank,
                PartRank::MoreGuideline | PartRank::RestOfGuideline
            );
            in_pieces && part == other
        }
    };
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
    let is_code_file =
        |at: &&usize| (PartRank::CodeFunction..=PartRank::CodeFile).contains(&items[**at].rank);
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

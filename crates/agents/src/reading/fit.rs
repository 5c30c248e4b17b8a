//! Fits a prompt to a number of tokens: by whole parts, most relevant first, and says what was left out (§4.4).

use collie_core::ids::{Login, RepoName};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

/// What one part costs beside its text: a heading, a fence.
const AROUND: u32 = 8;
/// Names of parts left out that the prompt lists; the others are counted.
const MOST_NAMED: usize = 30;

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Parts of the system prompt; the same in each round, so that providers' caches hit.
    pub system: Vec<String>,
    /// Parts of the user's message; what seldom changes comes first.
    pub user: Vec<String>,
    /// What did not fit, or was cut short.
    pub left_out: Vec<LeftOut>,
    /// Tokens of all parts, by the counter that was given.
    pub tokens: u32,
    /// SHA-256 of all parts, in hex.
    pub hash: String,
}

/// Something that the prompt lacks for want of room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// What.
    pub what: Part,
    /// All of it, or its end.
    pub why: Lack,
    /// How many tokens it would have cost.
    pub tokens: u32,
}

/// How much of a part is lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// All of it: there was no room.
    NoRoom,
    /// Some of it is lacking.
    CutShort,
}

/// A part of a prompt that may be left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "part")]
pub enum Part {
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
    Rest {
        /// The file.
        path: String,
    },
    /// Lines of a file around a finding.
    Around {
        /// The file.
        path: String,
        /// The line.
        line: u32,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Description => write!(f, "description"),
            Part::Guideline { path } => write!(f, "guidelines {path}"),
            Part::Structure => write!(f, "list of files"),
            Part::Document { path } => write!(f, "document {path}"),
            Part::Issue { repo, number } => write!(f, "issue {repo}#{number}"),
            Part::Thread { path, line } => match line {
                Some(line) => write!(f, "thread on {path}:{line}"),
                None => write!(f, "thread on {path}"),
            },
            Part::Remark { login } => write!(f, "comment by {login}"),
            Part::Finding { title } => write!(f, "finding {title}"),
            Part::Hunk { path, first, last } => write!(f, "changed lines {path}:{first}-{last}"),
            Part::Rest { path } => write!(f, "unchanged lines of {path}"),
            Part::Around { path, line } => write!(f, "lines around {path}:{line}"),
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

/// How relevant a part is; the order of this list is the order in which parts are taken. What comes first is what changes least, so
/// that it is the same in the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
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
pub(super) struct Item {
    pub(super) part: Part,
    pub(super) rank: Rank,
    /// Ready to be put in; untrusted text in it is sanitized, not fenced.
    pub(super) text: String,
    pub(super) tokens: u32,
    /// Tells items of one sort apart: the file's place in its list.
    pub(super) place: usize,
    /// Whether it is code that holds words to a model.
    pub(super) speaks: bool,
}

/// Where the parts go.
pub(super) struct Parts {
    pub(super) system: Vec<String>,
    pub(super) user: Vec<String>,
}

/// Counts tokens of a text.
pub(super) type Count<'a> = &'a dyn Fn(&str) -> u32;

/// Takes as many items as fit and puts the prompt together. `put` is given the items that are in, in their order, and what is left out.
pub(super) fn fit(
    items: &[Item],
    mut left_out: Vec<LeftOut>,
    budget: u32,
    count: Count<'_>,
    put: &dyn Fn(&[&Item], &[LeftOut]) -> Parts,
) -> Result<Prompt, BudgetTooSmall> {
    let total = |parts: &Parts| -> u32 {
        let all = parts.system.iter().chain(&parts.user);
        all.map(|text| count(text)).fold(0, u32::saturating_add)
    };
    let needed = total(&put(&[], &[]));
    if needed > budget {
        return Err(BudgetTooSmall { needed, budget });
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|at| items[*at].rank);
    let mut kept = select(items, &order, budget - needed);
    loop {
        let chosen: Vec<&Item> = kept.iter().map(|at| &items[*at]).collect();
        let mut lacking = left_out.clone();
        for at in order.iter().filter(|at| !kept.contains(at)) {
            add_lack(&mut lacking, &items[*at], &chosen);
        }
        let mut parts = put(&chosen, &lacking);
        let mut tokens = total(&parts);
        if tokens > budget && kept.is_empty() {
            // Only the list of what is left out is too much.
            parts = put(&[], &[]);
            tokens = total(&parts);
        }
        if tokens <= budget {
            left_out = lacking;
            let hash = super::prompts::sha256(parts.system.iter().chain(&parts.user));
            return Ok(Prompt {
                system: parts.system,
                user: parts.user,
                left_out,
                tokens,
                hash,
            });
        }
        drop_last(items, &order, &mut kept, tokens - budget);
    }
}

/// Adds what an item would have shown. Guidelines come in two parts, and are told of once.
fn add_lack(lacking: &mut Vec<LeftOut>, item: &Item, kept: &[&Item]) {
    let same = |part: &Part| item.rank == Rank::MoreGuideline && *part == item.part;
    match lacking.iter_mut().find(|left| same(&left.what)) {
        Some(left) => left.tokens = left.tokens.saturating_add(item.tokens),
        None => lacking.push(LeftOut {
            what: item.part.clone(),
            why: if kept.iter().any(|other| same(&other.part)) {
                Lack::CutShort
            } else {
                Lack::NoRoom
            },
            tokens: item.tokens,
        }),
    }
}

fn select(items: &[Item], order: &[usize], room: u32) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    let mut room = room;
    let mut for_files: Option<u32> = None;
    let of_code = |at: &&usize| items[**at].rank == Rank::CodeFile;
    let last = order.partition_point(|at| items[*at].rank < Rank::TestFile);
    // Files that did not fit their half get another chance before what matters least.
    let again = order.iter().filter(of_code).map(|at| (at, true));
    let first = order[..last].iter().map(|at| (at, false));
    let rest = order[last..].iter().map(|at| (at, false));
    for (at, second_chance) in first.chain(again).chain(rest) {
        let cost = items[*at].tokens.saturating_add(AROUND);
        let limit = if of_code(&at) && !second_chance {
            *for_files.get_or_insert(room / 2)
        } else {
            room
        };
        if cost <= limit && kept.insert(*at) {
            room -= cost;
            if let (Some(half), true) = (&mut for_files, of_code(&at)) {
                *half = half.saturating_sub(cost);
            }
        }
    }
    kept
}

/// Drops the least relevant items, at least one, that together cost as much as the prompt is too long.
fn drop_last(items: &[Item], order: &[usize], kept: &mut BTreeSet<usize>, over: u32) {
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
pub(super) fn names(left_out: &[LeftOut]) -> String {
    let name = |left: &LeftOut| match left.why {
        Lack::NoRoom => left.what.to_string(),
        Lack::CutShort => format!("{} (in part)", left.what),
    };
    let mut lines: Vec<String> = left_out
        .iter()
        .take(MOST_NAMED)
        .map(|left| super::hunks::clean_code(&name(left)).replace('\n', " "))
        .collect();
    if left_out.len() > MOST_NAMED {
        lines.push(format!("and {} more", left_out.len() - MOST_NAMED));
    }
    lines.join("\n")
}

/// As much of a text as fits, by whole paragraphs from its beginning. Nothing when not even the first fits.
pub(super) fn cut_text(text: &str, most: u32, count: Count<'_>) -> Option<(String, bool)> {
    cut_before(text, "\n\n", most, count)
}

/// The same by whole lines.
pub(super) fn cut_lines(text: &str, most: u32, count: Count<'_>) -> Option<(String, bool)> {
    cut_before(text, "\n", most, count)
}

fn cut_before(text: &str, border: &str, most: u32, count: Count<'_>) -> Option<(String, bool)> {
    if count(text) <= most {
        return Some((text.to_string(), false));
    }
    let ends: Vec<usize> = text
        .match_indices(border)
        .map(|(at, _)| at)
        .filter(|at| *at > 0)
        .collect();
    // Longer beginnings cost more, so the longest that fits is found by halving.
    let fitting = ends.partition_point(|end| count(&text[..*end]) <= most);
    let kept = text[..*ends.get(fitting.checked_sub(1)?)?].trim_end();
    (!kept.is_empty() && count(kept) <= most).then(|| (kept.to_string(), true))
}

/// Words of headings and texts that tell how a change should be.
const OF_REVIEW: [&str; 24] = [
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
pub(super) struct Divided {
    /// What fits.
    pub(super) kept: String,
    /// What does not.
    pub(super) rest: String,
}

/// A section of one of several texts.
struct Section<'a> {
    of: usize,
    text: &'a str,
    kept: bool,
}

/// As much of guidelines as fits, and what does not: whole sections, those that speak of how a change should be before those that do not, those of
/// an earlier text before those of a later one.
pub(super) fn divide_guidelines(texts: &[&str], most: u32, count: Count<'_>) -> Vec<Divided> {
    let all = texts.iter().map(|text| count(text));
    let all_fit = all.fold(0, u32::saturating_add) <= most;
    let of_text = |(of, text)| sections(text).into_iter().map(move |text| (of, text));
    let mut found: Vec<Section<'_>> = (0..)
        .zip(texts.iter().copied())
        .flat_map(of_text)
        .map(|(of, text)| Section {
            of,
            text,
            kept: all_fit,
        })
        .collect();
    if !all_fit {
        keep_what_fits(&mut found, most, count);
    }
    let part = |of: usize, kept: bool| -> String {
        let wanted = found.iter().filter(|s| s.of == of && s.kept == kept);
        let text: String = wanted.map(|s| s.text).collect();
        text.trim_end().trim_start_matches('\n').to_string()
    };
    (0..texts.len())
        .map(|of| Divided {
            kept: part(of, true),
            rest: part(of, false),
        })
        .collect()
}

fn keep_what_fits(sections: &mut Vec<Section<'_>>, most: u32, count: Count<'_>) {
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_cached_key(|at| {
        let section = &sections[*at];
        let weight = weight(section.text);
        (weight == 0, section.of, Reverse(weight))
    });
    let mut room = most;
    for at in &order {
        let tokens = count(sections[*at].text).saturating_add(1);
        if tokens <= room {
            room -= tokens;
            sections[*at].kept = true;
        }
    }
    let some = sections.iter().any(|s| s.kept && !s.text.trim().is_empty());
    if let (false, Some(best)) = (some, order.first()) {
        // Not one fits: the beginning of the best one is better than nothing.
        let Section { of, text, .. } = sections[*best];
        if let Some((beginning, _)) = cut_text(text, most, count) {
            let (text, rest) = text.split_at(beginning.len());
            sections[*best].text = rest;
            let kept = true;
            sections.insert(*best, Section { of, text, kept });
        }
    }
}

/// A Markdown text cut before each heading that stands outside of fences.
fn sections(text: &str) -> Vec<&str> {
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
fn weight(section: &str) -> usize {
    let lower = section.to_lowercase();
    let heading = lower.lines().next().unwrap_or_default();
    let in_heading = OF_REVIEW.iter().filter(|word| heading.contains(**word));
    let in_text: usize = OF_REVIEW.iter().map(|w| lower.matches(w).count()).sum();
    in_heading.count() * 20 + in_text * 1_000 / lower.len().max(500)
}

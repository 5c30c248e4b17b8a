//! The restraint of a good reviewer: what does not stand in the code, was said already or is too unsure is dropped (§4.4).

use super::code_sanitizer::escaped_code_text;
use super::hunks::lines;
use super::join::rank_among_duplicates;
use super::material::{ChangedFile, ExistingThread, LineChange, Material};
use super::review_answer::ReviewerAnswer;
use collie_core::evidence::{QuoteIndex, QuoteMatch};
use collie_core::finding::{Confidence, Finding, FindingKind, Priority, Replacement};
use collie_core::ids::ThreadId;
use collie_core::review::{IssueCounts, ReviewerResult, conclusion_from_counts};
use collie_core::text::{overlap_permille, word_stems};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Lines between two remarks on the same point.
const MAX_LINE_DISTANCE: u32 = 5;
/// How much of one remark another says when it covers it, in thousandths.
const MIN_OVERLAP_NEAR: u32 = 600;
/// The same for a remark on the very line.
const MIN_OVERLAP_SAME_LINE: u32 = 500;
/// The same where it is not known how near they are.
const MIN_OVERLAP_UNKNOWN_LINE: u32 = 750;
/// How much two titles of one reader share when they are one finding, in thousandths.
const MIN_OVERLAP_DUPLICATE: u32 = 750;
/// Lines of evidence that a finding keeps.
const MAX_EVIDENCE_LINES: u32 = 20;
/// More lines than that are no suggestion.
const MAX_REPLACED_LINES: u32 = 60;

/// Why a finding is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum DropReason {
    /// What it quotes does not stand in the file at the head, or it quotes nothing.
    NoEvidence,
    /// It is about a file that the pull request does not change, and quotes nothing of it.
    NotUnderReview,
    /// The same reviewer says it twice.
    Duplicate {
        /// The finding that stays.
        of: String,
    },
}

/// A finding that is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedFinding {
    /// The finding.
    pub finding: Finding,
    /// Why.
    pub reason: DropReason,
}

/// What is left of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilteredReview {
    /// The result without what was dropped; lines are where the evidence stands.
    pub result: ReviewerResult,
    /// What was dropped.
    pub dropped: Vec<DroppedFinding>,
    /// Open threads of somebody trusted that say a finding already, by its id: it counts, and is not posted once more (§4.4).
    pub covered: BTreeMap<String, ThreadId>,
    /// Why earlier findings still stand, by finding id.
    pub upheld: BTreeMap<String, String>,
    /// The line that GitHub takes a comment on, by finding id; the others belong into the report.
    pub positions: BTreeMap<String, u32>,
    /// What can be offered as a suggestion, by finding id. A comment with one must span these lines.
    pub replacements: BTreeMap<String, Replacement>,
}

/// A finding with the lines it rests on.
type AnchoredFinding = (Finding, Option<QuoteMatch>);

/// Holds an answer against the code and against what was said already. Counts and conclusion are those of what is left.
pub fn filter_findings(answer: ReviewerAnswer, material: &Material) -> FilteredReview {
    let ReviewerAnswer {
        mut result,
        upheld,
        replacements,
        ..
    } = answer;
    let mut files = QuoteIndexes::default();
    let mut dropped = Vec::new();
    let mut kept: Vec<AnchoredFinding> = Vec::new();
    for mut finding in std::mem::take(&mut result.findings) {
        let is_upheld = upheld.contains_key(&finding.id);
        let quote_match = match anchor_finding(&mut finding, material, &mut files, is_upheld) {
            Ok(standing) => standing,
            Err(DropReason::NoEvidence) if is_grave(&finding, material) => {
                mark_unsure(&mut finding, material.comment_threshold);
                None
            }
            Err(why) => {
                dropped.push(DroppedFinding {
                    finding,
                    reason: why,
                });
                continue;
            }
        };
        match drop_reason(&finding, material, is_upheld) {
            Some(why) => dropped.push(DroppedFinding {
                finding,
                reason: why,
            }),
            None => kept.push((finding, quote_match)),
        }
    }
    let remaining = drop_duplicates(kept, &mut dropped, &upheld, material.comment_threshold);
    let covered = remaining
        .iter()
        .filter_map(|(finding, _)| {
            let thread = covering_thread(finding, material)?;
            Some((finding.id.clone(), thread.id.clone()))
        })
        .collect();
    let positions = remaining
        .iter()
        .filter_map(|(finding, _)| Some((finding.id.clone(), comment_line(finding, material)?)))
        .collect();
    let offered = remaining
        .iter()
        .filter_map(|(finding, quote_match)| {
            let text = replacements.get(&finding.id)?;
            let offer = clean_replacement(finding, (*quote_match)?, text, material)?;
            Some((finding.id.clone(), offer))
        })
        .collect();
    result.findings = remaining.into_iter().map(|(finding, _)| finding).collect();
    recount(&mut result, material.comment_threshold);
    FilteredReview {
        result,
        dropped,
        covered,
        upheld,
        positions,
        replacements: offered,
    }
}

/// What grave errors quote that does not stand in the code, in words for their reader to quote it anew.
pub fn misquotes(answer: &ReviewerAnswer, material: &Material) -> Vec<String> {
    let mut files = QuoteIndexes::default();
    let findings = answer.result.findings.iter().enumerate();
    let new = findings.filter(|(_, finding)| !answer.upheld.contains_key(&finding.id));
    let misquoted = new.filter(|(_, finding)| {
        let mut finding = (*finding).clone();
        is_grave(&finding, material)
            && anchor_finding(&mut finding, material, &mut files, false).is_err()
    });
    misquoted
        .map(|(_, finding)| {
            format!(
                "the finding `{}` rests on nothing that stands in `{}`: give as `evidence` whole lines of it exactly as they were shown, without line numbers, or leave the finding out",
                finding.title, finding.file
            )
        })
        .collect()
}

/// Whether a finding would hold the pull request up, and nobody should lose it over a slip in its quote.
fn is_grave(finding: &Finding, material: &Material) -> bool {
    let threshold = material.comment_threshold;
    finding.kind == FindingKind::Error
        && matches!(finding.priority, Priority::P0 | Priority::P1)
        && threshold > 0
        && finding.confidence.permille() >= threshold
}

/// Makes a finding one that nobody is sure of: it is listed, on no line, and does not count.
fn mark_unsure(finding: &mut Finding, comment_threshold: u16) {
    finding.evidence = None;
    finding.line = None;
    finding.confidence = Confidence::from_permille(comment_threshold.saturating_sub(1));
}

/// Counts what counts: findings of which somebody is sure enough (§4.4).
pub fn recount(result: &mut ReviewerResult, comment_threshold: u16) {
    let sure = |finding: &&Finding| finding.confidence.permille() >= comment_threshold;
    result.issues = IssueCounts::of(result.findings.iter().filter(sure));
    result.conclusion = conclusion_from_counts(result.issues);
}

/// Drops what one reader says twice.
fn drop_duplicates(
    mut kept: Vec<AnchoredFinding>,
    dropped: &mut Vec<DroppedFinding>,
    upheld: &BTreeMap<String, String>,
    comment_threshold: u16,
) -> Vec<AnchoredFinding> {
    // What counts, and of that the gravest and surest, first: of two that say the same it stays.
    kept.sort_by_key(|(finding, _)| {
        (
            !upheld.contains_key(&finding.id),
            rank_among_duplicates(finding, comment_threshold),
            std::cmp::Reverse(finding.confidence),
        )
    });
    let mut remaining: Vec<AnchoredFinding> = Vec::new();
    for (finding, quote_match) in kept {
        let is_upheld = upheld.contains_key(&finding.id);
        let duplicate = remaining
            .iter()
            .find(|(other, _)| !is_upheld && is_duplicate(other, &finding));
        match duplicate {
            Some((other, _)) => dropped.push(DroppedFinding {
                reason: DropReason::Duplicate {
                    of: other.id.clone(),
                },
                finding,
            }),
            None => remaining.push((finding, quote_match)),
        }
    }
    remaining
}

/// Files made ready to look quotes up in, each once.
#[derive(Default)]
struct QuoteIndexes(BTreeMap<String, QuoteIndex>);

impl QuoteIndexes {
    fn quote_index(&mut self, file: &ChangedFile) -> &QuoteIndex {
        self.0
            .entry(file.path.clone())
            .or_insert_with(|| match &file.content_at_head {
                Some(text) => QuoteIndex::of(text),
                // Too large to have at hand: what the hunks show of it.
                None => QuoteIndex::from_numbered(
                    file.hunks
                        .iter()
                        .flat_map(|hunk| hunk.numbered())
                        .filter(|(_, change, _)| *change != LineChange::Removed)
                        .map(|(number, _, text)| (number, text)),
                ),
            })
    }
}

/// Puts a finding on the line where its evidence stands, and says where that is; none where it rests on no line of the head.
fn anchor_finding(
    finding: &mut Finding,
    material: &Material,
    files: &mut QuoteIndexes,
    is_upheld: bool,
) -> Result<Option<QuoteMatch>, DropReason> {
    let since = material.file_since_last_look(&finding.file);
    let Some(file) = material.file(&finding.file).or(since) else {
        // About no file, or about one that is not under review: nothing to hold it against here.
        finding.evidence = finding.evidence.take().filter(|q| !q.trim().is_empty());
        return Ok(None);
    };
    let Some(quote) = finding.evidence.clone().filter(|q| !q.trim().is_empty()) else {
        // About the file as a whole. A line without a quote is a guess.
        finding.evidence = None;
        return if finding.line.is_none() || is_upheld {
            Ok(None)
        } else {
            Err(DropReason::NoEvidence)
        };
    };
    if let Some(quote_match) = files.quote_index(file).find(&quote, finding.line) {
        finding.line = Some(best_line(quote_match, finding.line, file));
        finding.evidence = quoted_lines(quote_match, file).or(finding.evidence.take());
        return Ok(Some(quote_match));
    }
    // What the pull request itself had added, and a push took out again, is gone from its own difference.
    let removed = |file| find_in_removed_lines(file, &quote, finding.line);
    if let Some((line, beside)) = removed(file).or_else(|| removed(since?)) {
        finding.line = line;
        finding.evidence = beside;
        return Ok(None);
    }
    if is_upheld {
        // The reader has seen the change and says that it still stands: its words changed, not its cause.
        finding.evidence = None;
        let end = file
            .content_at_head
            .as_deref()
            .map_or(0, |text| lines(text).len());
        finding.line = finding.line.filter(|line| *line as usize <= end);
        return Ok(None);
    }
    Err(DropReason::NoEvidence)
}

/// Of the lines of a quote the one that was named, else the first that GitHub takes a comment on, else the first.
fn best_line(quote_match: QuoteMatch, named: Option<u32>, file: &ChangedFile) -> u32 {
    let (first, last) = (quote_match.first, quote_match.last);
    let named = named.filter(|line| (first..=last).contains(line) && file.is_commentable(*line));
    let shown = || (first..=last).find(|line| file.is_commentable(*line));
    named.or_else(shown).unwrap_or(first)
}

/// The lines of the file that a quote stands for: a finding keeps its identity however loosely it was quoted (§5.1).
fn quoted_lines(quote_match: QuoteMatch, file: &ChangedFile) -> Option<String> {
    let last = quote_match
        .last
        .min(quote_match.first.saturating_add(MAX_EVIDENCE_LINES - 1));
    let all = lines(file.content_at_head.as_deref()?);
    let quoted = all.get(quote_match.first as usize - 1..last as usize)?;
    let quoted: Vec<&str> = quoted.iter().map(|line| line.trim_end()).collect();
    Some(quoted.join("\n"))
}

/// Where lines were taken out: the line of the head that is there now, and its text as evidence, since what is gone does not stand.
fn find_in_removed_lines(
    file: &ChangedFile,
    quote: &str,
    hint: Option<u32>,
) -> Option<(Option<u32>, Option<String>)> {
    for hunk in &file.hunks {
        let rows: Vec<(u32, LineChange, &str)> = hunk.numbered().collect();
        let removed_rows = || {
            rows.iter()
                .filter(|(_, change, _)| *change == LineChange::Removed)
        };
        let found =
            QuoteIndex::from_numbered(removed_rows().map(|(number, _, text)| (*number, *text)))
                .find(quote, hint)
                // A quote may run over what stayed.
                .or_else(|| {
                    let before = rows
                        .iter()
                        .filter(|(_, change, _)| *change != LineChange::Added);
                    QuoteIndex::from_numbered(before.map(|(number, _, text)| (*number, *text)))
                        .find(quote, hint)
                        .filter(|quote_match| {
                            removed_rows().any(|(number, _, _)| {
                                (quote_match.first..=quote_match.last).contains(number)
                            })
                        })
                });
        let Some(quote_match) = found else { continue };
        let says_something = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
        let mut remaining_rows = rows
            .iter()
            .filter(|(_, change, text)| *change != LineChange::Removed && says_something(text));
        let after = remaining_rows
            .clone()
            .find(|(number, _, _)| *number >= quote_match.first);
        let beside = after.or_else(|| remaining_rows.next_back());
        return Some((
            beside.map(|(number, _, _)| *number),
            beside.map(|(_, _, text)| escaped_code_text(text).trim().to_string()),
        ));
    }
    None
}

/// What speaks against keeping a finding that stands. How sure its reviewer is, is no reason: what is too unsure does not count, and is kept
/// (§4.4).
fn drop_reason(finding: &Finding, material: &Material, is_upheld: bool) -> Option<DropReason> {
    if is_upheld {
        return None;
    }
    // The engine holds the quote against the file, which is not at hand here; GitHub takes no comment on it, so it goes into the report.
    let is_under_review = finding.file.is_empty()
        || finding.evidence.is_some()
        || material.file(&finding.file).is_some()
        || material.file_since_last_look(&finding.file).is_some();
    (!is_under_review).then_some(DropReason::NotUnderReview)
}

fn covering_thread<'m>(finding: &Finding, material: &'m Material) -> Option<&'m ExistingThread> {
    let mut threads = material.threads.iter();
    threads.find(|thread| thread_covers(thread, finding))
}

fn thread_covers(thread: &ExistingThread, finding: &Finding) -> bool {
    // A word of somebody whom nobody trusts, or that is settled, silences nothing.
    let covers = thread.trusted && !thread.resolved && !thread.by_collie;
    if !covers || thread.path != finding.file || finding.file.is_empty() {
        return false;
    }
    let needed = match (thread.line, finding.line) {
        (Some(a), Some(b)) if a == b => MIN_OVERLAP_SAME_LINE,
        (Some(a), Some(b)) if a.abs_diff(b) <= MAX_LINE_DISTANCE => MIN_OVERLAP_NEAR,
        (Some(_), Some(_)) => return false,
        (None, _) | (_, None) => MIN_OVERLAP_UNKNOWN_LINE,
    };
    let said = thread
        .comments
        .iter()
        .map(|remark| remark.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let said = word_stems(&said);
    let title = word_stems(&finding.title);
    let all = word_stems(&format!("{} {}", finding.title, finding.description));
    overlap_permille(&title, &said).max(overlap_permille(&all, &said)) >= needed
}

/// Whether two findings of one reader are one.
fn is_duplicate(a: &Finding, b: &Finding) -> bool {
    let near = match (a.line, b.line) {
        (Some(a), Some(b)) => a.abs_diff(b) <= MAX_LINE_DISTANCE,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    a.file == b.file
        && near
        && (a.kind == FindingKind::Question) == (b.kind == FindingKind::Question)
        && overlap_permille(&word_stems(&a.title), &word_stems(&b.title)) >= MIN_OVERLAP_DUPLICATE
}

fn comment_line(finding: &Finding, material: &Material) -> Option<u32> {
    let line = finding.line?;
    let file = material.file(&finding.file)?;
    file.is_commentable(line).then_some(line)
}

/// The replacement where it applies cleanly: in place of whole lines, all of them in one part of the diff, and different from what is there.
fn clean_replacement(
    finding: &Finding,
    quote_match: QuoteMatch,
    text: &str,
    material: &Material,
) -> Option<Replacement> {
    let file = material.file(&finding.file)?;
    let QuoteMatch {
        first,
        last,
        whole_lines: whole,
    } = quote_match;
    let within = file
        .shown
        .iter()
        .any(|(from, to)| *from <= first && last <= *to);
    let content = lines(file.content_at_head.as_deref()?);
    let present = content.get(first as usize - 1..last as usize)?;
    let text = strip_fence(text);
    if !whole || !within || last - first >= MAX_REPLACED_LINES || text.trim().is_empty() {
        return None;
    }
    let text = indented_like(present, &text);
    let same = text
        .lines()
        .map(str::trim_end)
        .eq(present.iter().map(|line| line.trim_end()));
    (!same).then_some(Replacement { first, last, text })
}

/// Code without the fence that it may have come in.
fn strip_fence(text: &str) -> String {
    let mut rows: Vec<&str> = text.lines().collect();
    let is_fence = |row: Option<&&str>| row.is_some_and(|row| row.trim_start().starts_with("```"));
    if is_fence(rows.first()) && rows.len() > 1 && is_fence(rows.last()) {
        rows.pop();
        rows.remove(0);
    }
    rows.join("\n").trim_end().to_string()
}

/// Readers often give code from its first column: it gets the indentation of what it replaces.
fn indented_like(present: &[&str], text: &str) -> String {
    let indent = |line: &str| line[..line.len() - line.trim_start().len()].to_string();
    let filled = |line: &&str| !line.trim().is_empty();
    let least = |lines: &mut dyn Iterator<Item = &str>| {
        lines
            .map(indent)
            .min_by_key(|indent| indent.len())
            .unwrap_or_default()
    };
    let there = least(&mut present.iter().copied().filter(filled));
    let given = least(&mut text.lines().filter(filled));
    if !given.is_empty() || there.is_empty() {
        return text.to_string();
    }
    let indented = text.lines().map(|line| {
        if line.trim().is_empty() {
            String::new()
        } else {
            format!("{there}{line}")
        }
    });
    indented.collect::<Vec<_>>().join("\n")
}

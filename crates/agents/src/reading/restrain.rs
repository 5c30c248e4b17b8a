//! The restraint of a good reviewer: what does not stand in the code, was said already or is too unsure is dropped (§4.4).

use super::answer::Answer;
use super::compose::looked_at;
use super::hunks::{clean_code, holds, lines};
use super::material::{ChangedFile, ExistingThread, LineChange, Material};
use super::words::{overlap, words};
use collie_core::evidence::{Lines, Standing};
use collie_core::shapes::{
    Finding, FindingKind, IssueCounts, Priority, Replacement, ReviewerResult, conclude,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Lines between two remarks on the same point.
const NEAR: u32 = 5;
/// How much of one remark another says when it covers it.
const COVERS: f64 = 0.6;
/// The same for a remark on the very line.
const COVERS_HERE: f64 = 0.5;
/// The same where it is not known how near they are.
const COVERS_SOMEWHERE: f64 = 0.75;
/// Lines of evidence that a finding keeps.
const MOST_QUOTED: u32 = 20;
/// More lines than that are no suggestion.
const MOST_REPLACED: u32 = 60;

/// Why a finding is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum Why {
    /// What it quotes does not stand in the file at the head, or it quotes nothing.
    NoEvidence,
    /// A thread of somebody else says it already.
    Covered {
        /// Its place in [`Material::threads`].
        thread: usize,
    },
    /// The reviewer is not sure enough.
    LowConfidence,
    /// It is about code that is not under review in this round.
    NotChanged,
    /// The same reviewer says it twice.
    Duplicate {
        /// The finding that stays.
        of: String,
    },
    /// More than were asked for; these matter least.
    TooMany,
}

/// A finding that is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The finding.
    pub finding: Finding,
    /// Why.
    pub why: Why,
}

/// What is left of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restrained {
    /// The result without what was dropped; lines are where the evidence stands.
    pub result: ReviewerResult,
    /// What was dropped.
    pub dropped: Vec<Dropped>,
    /// The line that GitHub takes a comment on, by finding id; the others belong into the report.
    pub positions: BTreeMap<String, u32>,
    /// What can be offered as a suggestion, by finding id. A comment with one must span these lines.
    pub replacements: BTreeMap<String, Replacement>,
}

/// A finding with the lines it rests on.
type Held = (Finding, Option<Standing>);

/// Holds an answer against the code and against what was said already. Counts and conclusion are those of what is left.
///
/// Earlier findings that still stand are kept whatever a thread says (it is most often their own).
pub fn restrain(answer: Answer, material: &Material) -> Restrained {
    let Answer {
        mut result,
        upheld,
        replacements,
        ..
    } = answer;
    let mut files = Files::default();
    let mut dropped = Vec::new();
    let mut kept: Vec<Held> = Vec::new();
    for mut finding in std::mem::take(&mut result.findings) {
        let old = upheld.contains(&finding.id);
        let standing = match anchor(&mut finding, material, &mut files, old) {
            Ok(standing) => standing,
            Err(why) => {
                dropped.push(Dropped { finding, why });
                continue;
            }
        };
        match objection(&finding, material, old) {
            Some(why) => dropped.push(Dropped { finding, why }),
            None => kept.push((finding, standing)),
        }
    }
    let left = thin_out(kept, &mut dropped, &upheld, material.max_findings);
    let positions = left
        .iter()
        .filter_map(|(finding, _)| Some((finding.id.clone(), position(finding, material)?)))
        .collect();
    let offered = left
        .iter()
        .filter_map(|(finding, standing)| {
            let text = replacements.get(&finding.id)?;
            let offer = offer(finding, (*standing)?, text, material)?;
            Some((finding.id.clone(), offer))
        })
        .collect();
    result.findings = left.into_iter().map(|(finding, _)| finding).collect();
    result.issues = IssueCounts::of(&result.findings);
    result.conclusion = conclude(result.issues);
    Restrained {
        result,
        dropped,
        positions,
        replacements: offered,
    }
}

/// Drops what one reader says twice, and the least of too many.
fn thin_out(
    mut kept: Vec<Held>,
    dropped: &mut Vec<Dropped>,
    upheld: &BTreeSet<String>,
    most: u32,
) -> Vec<Held> {
    // The gravest and surest first: of two that say the same it stays, and of too many it is not cut off.
    kept.sort_by_key(|(f, _)| {
        (
            !upheld.contains(&f.id),
            f.priority,
            std::cmp::Reverse(f.confidence),
        )
    });
    let mut left: Vec<Held> = Vec::new();
    let mut new = 0;
    for (finding, standing) in kept {
        let old = upheld.contains(&finding.id);
        let twin = left.iter().find(|(other, _)| !old && same(other, &finding));
        let why = match twin {
            Some((other, _)) => Some(Why::Duplicate {
                of: other.id.clone(),
            }),
            None if !old && new >= most => Some(Why::TooMany),
            None => None,
        };
        match why {
            Some(why) => dropped.push(Dropped { finding, why }),
            None => {
                new += u32::from(!old);
                left.push((finding, standing));
            }
        }
    }
    left
}

/// Files made ready to look quotes up in, each once.
#[derive(Default)]
struct Files(BTreeMap<String, Lines>);

impl Files {
    fn of(&mut self, file: &ChangedFile) -> &Lines {
        self.0
            .entry(file.path.clone())
            .or_insert_with(|| match &file.content_at_head {
                Some(text) => Lines::of(text),
                // Too large to have at hand: what the hunks show of it.
                None => Lines::numbered(
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
fn anchor(
    finding: &mut Finding,
    material: &Material,
    files: &mut Files,
    old: bool,
) -> Result<Option<Standing>, Why> {
    let Some(file) = material.file(&finding.file) else {
        // About no file, or about one that is not under review: nothing to hold it against here.
        return Ok(None);
    };
    let Some(quote) = finding.evidence.clone().filter(|q| !q.trim().is_empty()) else {
        // About the file as a whole. A line without a quote is a guess.
        finding.evidence = None;
        return if finding.line.is_none() || old {
            Ok(None)
        } else {
            Err(Why::NoEvidence)
        };
    };
    if let Some(standing) = files.of(file).find(&quote, finding.line) {
        finding.line = Some(best_line(standing, finding.line, file));
        finding.evidence = quoted(standing, file).or(finding.evidence.take());
        return Ok(Some(standing));
    }
    if let Some((line, beside)) = removed(file, &quote, finding.line) {
        finding.line = line;
        finding.evidence = beside;
        return Ok(None);
    }
    if old {
        // The reader has seen the change and says that it still stands: its words changed, not its cause.
        finding.evidence = None;
        let end = file
            .content_at_head
            .as_deref()
            .map_or(0, |text| lines(text).len());
        finding.line = finding.line.filter(|line| *line as usize <= end);
        return Ok(None);
    }
    Err(Why::NoEvidence)
}

/// Of the lines of a quote the one that was named, else the first that GitHub takes a comment on, else the first.
fn best_line(standing: Standing, named: Option<u32>, file: &ChangedFile) -> u32 {
    let (first, last) = (standing.first, standing.last);
    let named = named.filter(|line| (first..=last).contains(line) && file.shows(*line));
    let shown = || (first..=last).find(|line| file.shows(*line));
    named.or_else(shown).unwrap_or(first)
}

/// The lines of the file that a quote stands for: a finding keeps its identity however loosely it was quoted (§5.1).
fn quoted(standing: Standing, file: &ChangedFile) -> Option<String> {
    let last = standing
        .last
        .min(standing.first.saturating_add(MOST_QUOTED - 1));
    let all = lines(file.content_at_head.as_deref()?);
    let quoted = all.get(standing.first as usize - 1..last as usize)?;
    let quoted: Vec<&str> = quoted.iter().map(|line| line.trim_end()).collect();
    Some(quoted.join("\n"))
}

/// Where lines were taken out: the line of the head that is there now, and its text as evidence, since what is gone does not stand.
fn removed(
    file: &ChangedFile,
    quote: &str,
    hint: Option<u32>,
) -> Option<(Option<u32>, Option<String>)> {
    for hunk in &file.hunks {
        let rows: Vec<(u32, LineChange, &str)> = hunk.numbered().collect();
        let gone = || {
            rows.iter()
                .filter(|(_, change, _)| *change == LineChange::Removed)
        };
        let found = Lines::numbered(gone().map(|(number, _, text)| (*number, *text)))
            .find(quote, hint)
            // A quote may run over what stayed.
            .or_else(|| {
                let before = rows
                    .iter()
                    .filter(|(_, change, _)| *change != LineChange::Added);
                Lines::numbered(before.map(|(number, _, text)| (*number, *text)))
                    .find(quote, hint)
                    .filter(|standing| {
                        gone()
                            .any(|(number, _, _)| (standing.first..=standing.last).contains(number))
                    })
            });
        let Some(standing) = found else { continue };
        let says_something = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
        let mut there = rows
            .iter()
            .filter(|(_, change, text)| *change != LineChange::Removed && says_something(text));
        let after = there
            .clone()
            .find(|(number, _, _)| *number >= standing.first);
        let beside = after.or_else(|| there.next_back());
        return Some((
            beside.map(|(number, _, _)| *number),
            beside.map(|(_, _, text)| clean_code(text).trim().to_string()),
        ));
    }
    None
}

/// What speaks against keeping a finding that stands.
fn objection(finding: &Finding, material: &Material, old: bool) -> Option<Why> {
    if old {
        return None;
    }
    if finding.confidence.permille() < material.comment_threshold {
        return Some(Why::LowConfidence);
    }
    if !is_under_review(finding, material) {
        return Some(Why::NotChanged);
    }
    let thread = material
        .threads
        .iter()
        .position(|thread| covers(thread, finding));
    thread.map(|thread| Why::Covered { thread })
}

/// Whether a finding is about what this round looks at. In a later round, a fault that blocks the merge is told wherever in the change it is.
fn is_under_review(finding: &Finding, material: &Material) -> bool {
    if finding.file.is_empty() {
        return true;
    }
    if material.file(&finding.file).is_none() {
        return false;
    }
    if material.delta.is_none() || finding.priority == Priority::P0 {
        return true;
    }
    let files = looked_at(material);
    let file = files.iter().find(|file| file.path == finding.file);
    match (file, finding.line) {
        (Some(file), Some(line)) => holds(&file.shown, line),
        (Some(_), None) => true,
        (None, _) => false,
    }
}

fn covers(thread: &ExistingThread, finding: &Finding) -> bool {
    let stale = thread.resolved && thread.outdated;
    if thread.own || stale || thread.path != finding.file || finding.file.is_empty() {
        return false;
    }
    let needed = match (thread.line, finding.line) {
        (Some(a), Some(b)) if a == b => COVERS_HERE,
        (Some(a), Some(b)) if a.abs_diff(b) <= NEAR => COVERS,
        (Some(_), Some(_)) => return false,
        (None, _) | (_, None) => COVERS_SOMEWHERE,
    };
    let said = thread
        .comments
        .iter()
        .map(|remark| remark.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let said = words(&said);
    let title = words(&finding.title);
    let all = words(&format!("{} {}", finding.title, finding.description));
    overlap(&title, &said).max(overlap(&all, &said)) >= needed
}

/// Whether two findings of one reader are one.
fn same(a: &Finding, b: &Finding) -> bool {
    let near = match (a.line, b.line) {
        (Some(a), Some(b)) => a.abs_diff(b) <= NEAR,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    a.file == b.file
        && near
        && (a.kind == FindingKind::Question) == (b.kind == FindingKind::Question)
        && overlap(&words(&a.title), &words(&b.title)) >= 0.75
}

fn position(finding: &Finding, material: &Material) -> Option<u32> {
    let line = finding.line?;
    let file = material.file(&finding.file)?;
    file.shows(line).then_some(line)
}

/// The replacement where it applies cleanly: in place of whole lines, all of them in one part of the diff, and different from what is there.
fn offer(
    finding: &Finding,
    standing: Standing,
    text: &str,
    material: &Material,
) -> Option<Replacement> {
    let file = material.file(&finding.file)?;
    let Standing { first, last, whole } = standing;
    let within = file
        .shown
        .iter()
        .any(|(from, to)| *from <= first && last <= *to);
    let content = lines(file.content_at_head.as_deref()?);
    let present = content.get(first as usize - 1..last as usize)?;
    let text = unfenced(text);
    if !whole || !within || last - first >= MOST_REPLACED || text.trim().is_empty() {
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
fn unfenced(text: &str) -> String {
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

//! Applying the rules' own fixes.

use crate::lines::LineSet;
use crate::rule_match::{RuleMatch, ScanInput, TextEdit};
use crate::ruleset::RuleSet;
use crate::scan::scan;
use crate::syntax::parses;

/// A match that somebody wants fixed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SelectedMatch {
    /// The rule's id.
    pub rule_id: String,
    /// The match's first line, from 1.
    pub line: usize,
}

/// A fix that is in the new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedFix {
    /// What was asked for.
    pub selected: SelectedMatch,
    /// How many places on that line were changed.
    pub edits: usize,
}

/// A fix that is not in the new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnappliedFix {
    /// What was asked for.
    pub selected: SelectedMatch,
    /// Why not.
    pub reason: UnappliedReason,
}

/// Why a fix was not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnappliedReason {
    /// Nothing of that rule starts on that line.
    #[error("the rule no longer matches on this line")]
    NoMatch,
    /// The rule knows no fix.
    #[error("the rule has no fix")]
    NoFix,
    /// Another fix of this call changes the same place.
    #[error("another fix changes the same place")]
    Overlaps,
    /// With the fix the file would not parse.
    #[error("the file would no longer parse")]
    BreaksSyntax,
    /// With the fix the rule would still match.
    #[error("the rule would still match")]
    StillMatches,
}

/// What became of the fixes asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixOutcome {
    /// The new content; the old one where nothing was applied.
    pub content: Vec<u8>,
    /// What is in it.
    pub applied: Vec<AppliedFix>,
    /// What is not, and why.
    pub not_applied: Vec<UnappliedFix>,
}

/// Applies the fixes of the selected matches to a file, whatever lines of it changed. Line ends
/// and the end of the file stay as they are. A fix counts only if the file still parses, when it
/// did before, and the match is gone.
#[must_use]
pub fn apply_fixes(
    rules: &RuleSet,
    path: &str,
    content: &[u8],
    selected: &[SelectedMatch],
) -> FixOutcome {
    let mut wanted = selected.to_vec();
    wanted.sort_by(|a, b| (a.line, &a.rule_id).cmp(&(b.line, &b.rule_id)));
    wanted.dedup();
    let found = scan_whole_file(rules, path, content);
    let mut outcome = FixOutcome {
        content: content.to_vec(),
        applied: Vec::new(),
        not_applied: Vec::new(),
    };
    let mut planned: Vec<(SelectedMatch, Vec<TextEdit>)> = Vec::new();
    for selected in wanted {
        match edits_for(rules, &selected, &found) {
            Ok(edits) => planned.push((selected, edits)),
            Err(reason) => outcome.not_applied.push(UnappliedFix { selected, reason }),
        }
    }
    let combined = are_disjoint(&planned)
        .then(|| apply_edits(content, &planned))
        .filter(|together| check_result(rules, path, content, together, &planned, &found).is_ok());
    if let Some(combined) = combined {
        outcome.content = combined;
        outcome.applied = planned.into_iter().map(applied_fix).collect();
    } else {
        apply_one_by_one(rules, path, content, &found, planned, &mut outcome);
    }
    outcome
}

fn applied_fix((selected, edits): (SelectedMatch, Vec<TextEdit>)) -> AppliedFix {
    AppliedFix {
        selected,
        edits: edits.len(),
    }
}

fn scan_whole_file(rules: &RuleSet, path: &str, content: &[u8]) -> Vec<RuleMatch> {
    scan(
        rules,
        &ScanInput {
            path,
            content,
            changed_lines: &LineSet::All,
            generated: false,
        },
    )
}

/// The edits for a selected match: one for each place on its line, none of them overlapping.
fn edits_for(
    rules: &RuleSet,
    selected: &SelectedMatch,
    found: &[RuleMatch],
) -> Result<Vec<TextEdit>, UnappliedReason> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut matched = false;
    let matches = found
        .iter()
        .filter(|hit| hit.rule_id == selected.rule_id && hit.line == selected.line);
    for found_match in matches {
        matched = true;
        let Some(fix) = &found_match.fix else {
            return Err(UnappliedReason::NoFix);
        };
        // Of nested matches of one rule the outer one goes first; a later round finds the inner.
        if !edits.iter().any(|other| edits_overlap(other, fix)) {
            edits.push(fix.clone());
        }
    }
    // Broken syntax is found beside the version before, which is not at hand here; it has no fix in any case.
    let is_syntax = rules
        .syntax()
        .is_some_and(|header| header.id == selected.rule_id);
    if matched {
        Ok(edits)
    } else if is_syntax {
        Err(UnappliedReason::NoFix)
    } else {
        Err(UnappliedReason::NoMatch)
    }
}

/// Says whether no two edits change the same place.
fn are_disjoint(fixes: &[(SelectedMatch, Vec<TextEdit>)]) -> bool {
    let mut edits: Vec<&TextEdit> = fixes.iter().flat_map(|(_, edits)| edits).collect();
    edits.sort_by_key(|edit| edit.range.start);
    !edits.windows(2).any(|pair| edits_overlap(pair[0], pair[1]))
}

fn edits_overlap(one: &TextEdit, other: &TextEdit) -> bool {
    one.range.start < other.range.end && other.range.start < one.range.end
        || one.range.start == other.range.start
}

/// The content with all the edits, which must lie apart.
fn apply_edits(content: &[u8], fixes: &[(SelectedMatch, Vec<TextEdit>)]) -> Vec<u8> {
    let mut edits: Vec<&TextEdit> = fixes.iter().flat_map(|(_, edits)| edits).collect();
    edits.sort_by_key(|edit| edit.range.start);
    let mut result = Vec::with_capacity(content.len());
    let mut at = 0;
    for edit in edits {
        result.extend_from_slice(&content[at..edit.range.start]);
        result.extend_from_slice(edit.replacement.as_bytes());
        at = edit.range.end;
    }
    result.extend_from_slice(&content[at..]);
    result
}

/// Checks that the file still parses and that each rule matches as many times less as it has
/// edits.
fn check_result(
    rules: &RuleSet,
    path: &str,
    before: &[u8],
    after: &[u8],
    applied: &[(SelectedMatch, Vec<TextEdit>)],
    found: &[RuleMatch],
) -> Result<(), UnappliedReason> {
    if parses(path, before) == Some(true) && parses(path, after) != Some(true) {
        return Err(UnappliedReason::BreaksSyntax);
    }
    let remaining = scan_whole_file(rules, path, after);
    let count =
        |matches: &[RuleMatch], id: &str| matches.iter().filter(|hit| hit.rule_id == id).count();
    let is_gone = applied.iter().all(|(selected, _)| {
        let id = &selected.rule_id;
        let edits: usize = applied
            .iter()
            .filter(|(other, _)| other.rule_id == *id)
            .map(|(_, edits)| edits.len())
            .sum();
        count(&remaining, id) + edits <= count(found, id)
    });
    if is_gone {
        Ok(())
    } else {
        Err(UnappliedReason::StillMatches)
    }
}

/// Tries each fix beside those already accepted, since together they do not work.
fn apply_one_by_one(
    rules: &RuleSet,
    path: &str,
    content: &[u8],
    found: &[RuleMatch],
    planned: Vec<(SelectedMatch, Vec<TextEdit>)>,
    outcome: &mut FixOutcome,
) {
    let mut accepted: Vec<(SelectedMatch, Vec<TextEdit>)> = Vec::new();
    for fix in planned {
        accepted.push(fix);
        let tried = if are_disjoint(&accepted) {
            let attempt = apply_edits(content, &accepted);
            check_result(rules, path, content, &attempt, &accepted, found).map(|()| attempt)
        } else {
            Err(UnappliedReason::Overlaps)
        };
        match tried {
            Ok(attempt) => outcome.content = attempt,
            Err(reason) => {
                if let Some((selected, _)) = accepted.pop() {
                    outcome.not_applied.push(UnappliedFix { selected, reason });
                }
            }
        }
    }
    outcome.applied = accepted.into_iter().map(applied_fix).collect();
}

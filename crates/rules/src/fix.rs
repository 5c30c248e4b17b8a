//! Applying the rules' own fixes.

use crate::lines::LineSet;
use crate::matches::{Edit, FileInput, Match};
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
pub fn fix(rules: &RuleSet, path: &str, content: &[u8], selected: &[SelectedMatch]) -> FixOutcome {
    let mut wanted = selected.to_vec();
    wanted.sort_by(|a, b| (a.line, &a.rule_id).cmp(&(b.line, &b.rule_id)));
    wanted.dedup();
    let found = scan_all(rules, path, content);
    let mut outcome = FixOutcome {
        content: content.to_vec(),
        applied: Vec::new(),
        not_applied: Vec::new(),
    };
    let mut ready: Vec<(SelectedMatch, Vec<Edit>)> = Vec::new();
    for selected in wanted {
        match edits_for(rules, &selected, &found) {
            Ok(edits) => ready.push((selected, edits)),
            Err(reason) => outcome.not_applied.push(UnappliedFix { selected, reason }),
        }
    }
    let together = is_apart(&ready)
        .then(|| apply(content, &ready))
        .filter(|together| check_result(rules, path, content, together, &ready, &found).is_ok());
    if let Some(together) = together {
        outcome.content = together;
        outcome.applied = ready.into_iter().map(applied).collect();
    } else {
        apply_one_by_one(rules, path, content, &found, ready, &mut outcome);
    }
    outcome
}

fn applied((selected, edits): (SelectedMatch, Vec<Edit>)) -> AppliedFix {
    AppliedFix {
        selected,
        edits: edits.len(),
    }
}

fn scan_all(rules: &RuleSet, path: &str, content: &[u8]) -> Vec<Match> {
    scan(
        rules,
        &FileInput {
            path,
            content,
            changed_lines: &LineSet::All,
        },
    )
}

/// The edits for a selected match: one for each place on its line, none of them overlapping.
fn edits_for(
    rules: &RuleSet,
    selected: &SelectedMatch,
    found: &[Match],
) -> Result<Vec<Edit>, UnappliedReason> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut matched = false;
    let hits = found
        .iter()
        .filter(|hit| hit.rule_id == selected.rule_id && hit.line == selected.line);
    for hit in hits {
        matched = true;
        let Some(fix) = &hit.fix else {
            return Err(UnappliedReason::NoFix);
        };
        // Of nested matches of one rule the outer one goes first; a later round finds the inner.
        if !edits.iter().any(|other| overlap(other, fix)) {
            edits.push(fix.clone());
        }
    }
    // Broken syntax is found beside the version before, which is not at hand here; it has no fix in any case.
    let is_syntax = rules
        .syntax()
        .is_some_and(|head| head.id == selected.rule_id);
    if matched {
        Ok(edits)
    } else if is_syntax {
        Err(UnappliedReason::NoFix)
    } else {
        Err(UnappliedReason::NoMatch)
    }
}

/// Says whether no two edits change the same place.
fn is_apart(fixes: &[(SelectedMatch, Vec<Edit>)]) -> bool {
    let mut edits: Vec<&Edit> = fixes.iter().flat_map(|(_, edits)| edits).collect();
    edits.sort_by_key(|edit| edit.range.start);
    !edits.windows(2).any(|pair| overlap(pair[0], pair[1]))
}

fn overlap(one: &Edit, other: &Edit) -> bool {
    one.range.start < other.range.end && other.range.start < one.range.end
        || one.range.start == other.range.start
}

/// The content with all the edits, which must lie apart.
fn apply(content: &[u8], fixes: &[(SelectedMatch, Vec<Edit>)]) -> Vec<u8> {
    let mut edits: Vec<&Edit> = fixes.iter().flat_map(|(_, edits)| edits).collect();
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
    applied: &[(SelectedMatch, Vec<Edit>)],
    found: &[Match],
) -> Result<(), UnappliedReason> {
    if parses(path, before) == Some(true) && parses(path, after) != Some(true) {
        return Err(UnappliedReason::BreaksSyntax);
    }
    let left = scan_all(rules, path, after);
    let count =
        |matches: &[Match], id: &str| matches.iter().filter(|hit| hit.rule_id == id).count();
    let is_gone = applied.iter().all(|(selected, _)| {
        let id = &selected.rule_id;
        let edits: usize = applied
            .iter()
            .filter(|(other, _)| other.rule_id == *id)
            .map(|(_, edits)| edits.len())
            .sum();
        count(&left, id) + edits <= count(found, id)
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
    found: &[Match],
    ready: Vec<(SelectedMatch, Vec<Edit>)>,
    outcome: &mut FixOutcome,
) {
    let mut accepted: Vec<(SelectedMatch, Vec<Edit>)> = Vec::new();
    for fix in ready {
        accepted.push(fix);
        let tried = if is_apart(&accepted) {
            let attempt = apply(content, &accepted);
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
    outcome.applied = accepted.into_iter().map(applied).collect();
}

//! Which finding is which across rounds (§5.1).

use crate::finding::{Finding, SourceType};
use crate::ids::Fingerprint;
use crate::token::digest;
use crate::tracked_finding::{CheckFailure, FindingStatus, TrackedFinding};
use std::collections::{BTreeMap, BTreeSet};

/// Text without what a reformatting changes: runs of white space become one blank.
pub fn normalize(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text that anchors a finding: the lines it rests on; failing those, its title. A bot's comment goes by all its words, a person's
/// words by the comment that holds them, and a failed check by [`match_check_failure`].
fn anchor(finding: &Finding) -> String {
    match finding.source.kind {
        SourceType::Human => return finding.id.clone(),
        // Many begin each comment with the same line, so the whole of it counts.
        SourceType::Bot => return normalize(&finding.description),
        SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Ci => {}
    }
    match finding.evidence.as_deref().map(normalize) {
        Some(evidence) if !evidence.is_empty() => evidence,
        Some(_) | None => normalize(&finding.title),
    }
}

/// Fingerprints of the findings of one result, in order: file, category, anchor, and which one of equals it is.
pub fn fingerprints(findings: &[Finding]) -> Vec<Fingerprint> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut of = |finding: &Finding| {
        let plain = digest([finding.file.as_str(), &finding.category, &anchor(finding)]);
        let nth = seen
            .entry(plain.clone())
            .and_modify(|n| *n += 1)
            .or_insert(0);
        Fingerprint::new(if *nth == 0 {
            plain
        } else {
            digest([plain.as_str(), &nth.to_string()])
        })
    };
    findings.iter().map(&mut of).collect()
}

/// How alike two texts must be to be the same one reworded.
const SIMILARITY_THRESHOLD: f64 = 0.8;

fn is_similar(a: &str, b: &str) -> bool {
    // Distances are quadratic: long texts are compared by their beginnings.
    let cut = |text: &str| normalize(text).chars().take(400).collect::<String>();
    strsim::normalized_levenshtein(&cut(a), &cut(b)) >= SIMILARITY_THRESHOLD
}

/// Whether two findings rest on the same text, though not both are tracked under its fingerprint.
fn has_same_anchor(a: &Finding, b: &Finding) -> bool {
    a.file == b.file && a.category == b.category && anchor(a) == anchor(b) && is_near_match(a, b)
}

fn is_near_match(a: &Finding, b: &Finding) -> bool {
    match a.source.kind {
        SourceType::Ci | SourceType::Human => return false,
        SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Bot => {}
    }
    if a.file != b.file || a.category != b.category {
        return false;
    }
    match (&a.evidence, &b.evidence) {
        (Some(x), Some(y)) => is_similar(x, y),
        (None, _) | (_, None) => is_similar(&a.title, &b.title),
    }
}

/// The identity under which each finding is tracked: its own fingerprint or that of a near match that is not taken (§5.1).
///
/// A tracked finding is taken when another one of this result is it exactly.
pub fn match_tracked(
    findings: &[Finding],
    fingerprints: &[Fingerprint],
    tracked: &BTreeMap<Fingerprint, TrackedFinding>,
) -> Vec<Fingerprint> {
    let mut taken: BTreeSet<Fingerprint> = fingerprints
        .iter()
        .filter(|f| tracked.contains_key(f))
        .cloned()
        .collect();
    let mut matched: Vec<Option<Fingerprint>> = fingerprints
        .iter()
        .map(|own| tracked.contains_key(own).then(|| own.clone()))
        .collect();
    // What rests on the very same text goes before what is only alike: among similar lines each finding keeps its own.
    for is_match in [has_same_anchor, is_near_match] {
        for (finding, found) in findings.iter().zip(&mut matched) {
            if found.is_none() {
                let mut untaken = tracked.iter().filter(|(print, _)| !taken.contains(*print));
                let known = untaken.find(|(_, known)| is_match(finding, &known.finding));
                *found = known.map(|(print, _)| print.clone());
                taken.extend(found.clone());
            }
        }
    }
    let matched = matched.into_iter().zip(fingerprints);
    matched
        .map(|(found, own)| found.unwrap_or_else(|| own.clone()))
        .collect()
}

/// A failed check, held against what was tracked before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckMatch {
    /// The identity under which it is tracked.
    pub fingerprint: Fingerprint,
    /// Some of what failed before does not any more, and nothing else has begun to.
    pub is_progress: bool,
}

/// The identity of a failed check: itself, or the one of the same check that failed with some of the same before (§3.3).
///
/// A check that fails with nothing of what it failed with before has another fault.
pub fn match_check_failure(
    failure: &CheckFailure,
    tracked: &BTreeMap<Fingerprint, TrackedFinding>,
) -> CheckMatch {
    let known = tracked.values().filter_map(|known| {
        let before = known.check_failure.as_ref()?;
        (before.check == failure.check).then_some((known, &before.failures))
    });
    let known: Vec<_> = known.collect();
    let stands = |known: &TrackedFinding| known.status != FindingStatus::Fixed;
    let same = |wanted: bool| {
        let mut known = known.iter();
        known.find(|(known, failures)| stands(known) == wanted && **failures == failure.failures)
    };
    let overlaps = || {
        let mut known = known.iter();
        known.find(|(known, failures)| stands(known) && !failures.is_disjoint(&failure.failures))
    };
    // Of what was confirmed as fixed, all that failed now must have been part.
    let part_of_fixed = || {
        let mut known = known.iter();
        known.find(|(known, failures)| !stands(known) && failures.is_superset(&failure.failures))
    };
    let found = same(true)
        .or_else(overlaps)
        .or_else(|| same(false))
        .or_else(part_of_fixed);
    match found {
        Some((known, before)) => CheckMatch {
            fingerprint: known.fingerprint.clone(),
            is_progress: stands(known)
                && failure.failures.len() < before.len()
                && before.is_superset(&failure.failures),
        },
        None => CheckMatch {
            fingerprint: check_fingerprint(failure),
            is_progress: false,
        },
    }
}

fn check_fingerprint(CheckFailure { check, failures }: &CheckFailure) -> Fingerprint {
    let reporter = check.reporter.map(|id| id.0.to_string());
    let [reporter, workflow, event] =
        [&reporter, &check.workflow, &check.event].map(|part| part.as_deref().unwrap_or_default());
    let key = ["ci", check.name.as_str(), reporter, workflow, event];
    let failures = failures.iter().map(String::as_str);
    Fingerprint::new(digest(key.into_iter().chain(failures)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{finding, tracked};

    fn check(known: &Finding, again: &Finding) -> bool {
        let known_print = fingerprints(std::slice::from_ref(known));
        let map = [(known_print[0].clone(), tracked(known, &known_print[0]))].into();
        let prints = fingerprints(std::slice::from_ref(again));
        match_tracked(std::slice::from_ref(again), &prints, &map)[0] == known_print[0]
    }

    #[test]
    fn a_finding_is_known_again_after_its_lines_moved_or_its_title_was_reworded() {
        let before = finding("a.py", "rule:is-literal", "if kind is \"csv\":");
        let mut moved = before.clone();
        moved.line = Some(80);
        assert!(check(&before, &moved));
        let mut reworded = before.clone();
        reworded.title = "Something else entirely".into();
        assert!(check(&before, &reworded));
        let mut touched = before.clone();
        touched.evidence = Some("    if  kind is \"csv\" :".into());
        assert!(check(&before, &touched));
    }

    #[test]
    fn another_place_file_or_rule_is_another_finding() {
        let before = finding("a.py", "rule:is-literal", "if kind is \"csv\":");
        assert!(!check(
            &before,
            &finding("b.py", "rule:is-literal", "if kind is \"csv\":")
        ));
        assert!(!check(
            &before,
            &finding("a.py", "rule:other", "if kind is \"csv\":")
        ));
        assert!(!check(
            &before,
            &finding("a.py", "rule:is-literal", "return total is 100 or None")
        ));
    }

    /// The simulator found it: the first that was alike was taken, so a finding that stood was called fixed, and one that was fixed came back.
    #[test]
    fn among_similar_lines_a_finding_stays_the_one_that_it_was_matched_with() {
        let line = |nth: u32| finding("a.py", "rule:x", &format!("total_{nth} = left - right"));
        let before = [line(2), line(37)];
        let prints = fingerprints(&before);
        // Both were matched with others that they are like, and took their words over.
        for standing in 0..2 {
            let mut known = BTreeMap::new();
            for (now, print) in [line(20), line(24)].iter().zip(&prints) {
                known.insert(print.clone(), tracked(now, print));
            }
            let again = [[line(20), line(24)][standing].clone()];
            let own = fingerprints(&again);
            let matched = match_tracked(&again, &own, &known);
            assert_eq!(matched, [prints[standing].clone()]);
        }
    }

    #[test]
    fn equal_lines_in_one_file_are_findings_of_their_own() {
        let one = finding("a.py", "rule:x", "x == None");
        let prints = fingerprints(&[one.clone(), one]);
        assert_ne!(prints[0], prints[1]);
    }
}

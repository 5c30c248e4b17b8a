//! Which finding names which fault: verdicts, whoever gave them, and those that place and words give.

use crate::case::Fault;
use crate::place::{Nearness, nearness, shared_words};
use crate::results::{CaseResult, RanFinding};
use crate::verdict::{Judge, Judgement, Verdict};
use std::collections::BTreeMap;

/// The faults that a finding may be, by place: those of other files are none.
pub fn candidate_faults<'a>(faults: &'a [Fault], finding: &RanFinding) -> Vec<&'a Fault> {
    let possible =
        |fault: &&Fault| nearness(&finding.file, finding.line, fault, 0) > Nearness::Elsewhere;
    faults.iter().filter(possible).collect()
}

/// What place and words say of each scored finding of a run: the surest fault for each, or that it is a false one.
pub fn judge_by_place(result: &CaseResult, distance: u32) -> Vec<Verdict> {
    result
        .scored_findings()
        .map(|finding| {
            let best = result
                .faults
                .iter()
                .filter_map(|fault| Some((likeness(finding, fault, distance)?, fault)))
                // Of equals the first.
                .rev()
                .max_by_key(|(likeness, _)| *likeness);
            Verdict {
                case: result.case.clone(),
                repeat: result.repeat,
                finding: finding.id.clone(),
                judge: Judge::Place { distance },
                judgement: match best {
                    Some((_, fault)) => Judgement::Fault {
                        fault: fault.id.clone(),
                    },
                    None => Judgement::False,
                },
                reason: String::new(),
            }
        })
        .collect()
}

/// How sure place and words are that a finding names a fault; none when they do not say so.
///
/// On the very lines that is enough. Near them, one word with a meaning must be shared; where one of both has no place, half of the words.
fn likeness(finding: &RanFinding, fault: &Fault, distance: u32) -> Option<(Nearness, usize)> {
    let near = nearness(&finding.file, finding.line, fault, distance);
    let said = format!("{} {}", finding.title, finding.description);
    let (shared, of) = shared_words(&said, &format!("{} {}", fault.what, fault.kind));
    let same = match near {
        Nearness::On => true,
        Nearness::Near => shared >= 1,
        Nearness::Unplaced => shared >= 2 && shared * 2 >= of,
        Nearness::SameFile | Nearness::Elsewhere => false,
    };
    same.then_some((near, shared))
}

/// The verdict that counts for each finding: a person's over a model's over that of place; of equals the last one written.
pub fn strongest_verdicts(verdicts: &[Verdict]) -> BTreeMap<(&str, u32, &str), &Verdict> {
    let mut strongest: BTreeMap<(&str, u32, &str), &Verdict> = BTreeMap::new();
    for verdict in verdicts {
        let key = (
            verdict.case.as_str(),
            verdict.repeat,
            verdict.finding.as_str(),
        );
        let weight = |judge: &Judge| match judge {
            Judge::Place { .. } => 0,
            Judge::Model { .. } => 1,
            Judge::Hand => 2,
        };
        let stands = strongest
            .get(&key)
            .is_some_and(|other| weight(&other.judge) > weight(&verdict.judge));
        if !stands {
            strongest.insert(key, verdict);
        }
    }
    strongest
}

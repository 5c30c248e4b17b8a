//! What a person says of a finding: that it does not matter here, or what its fixer should know (§13.8).

use super::Transition;
use crate::effect::{Effect, FixEffect};
use crate::event::FindingDismissed;
use crate::finding::Finding;
use crate::fix::FixerNote;
use crate::ids::Fingerprint;
use crate::note::Note;
use crate::post::DismissedFinding;
use crate::review::{IssueCounts, conclusion_from_counts};
use crate::text::redact;
use crate::tracked_finding::{Dismissal, FindingStatus};
use std::collections::BTreeMap;

/// Longer words of a person are cut: the thread has room for more.
const MAX_WORD_CHARS: usize = 2_000;
/// Of more notes that the fixer has not read the oldest go.
const MAX_NOTES: usize = 20;

impl Transition {
    /// Takes a finding out of what counts, in this run and in those that go on with it. What a check or a person found stays.
    pub(super) fn finding_dismissed(&mut self, dismissed: &FindingDismissed) {
        // What needs a person or failed may still be spoken of: the next run goes on with it.
        if self.state.run.state.is_over() {
            return self.ignore("terminal");
        }
        let FindingDismissed {
            by,
            fingerprint: print,
            reason,
        } = dismissed;
        let Some(known) = self.state.run.review.findings.get_mut(print) else {
            return self.ignore("unknown_finding");
        };
        if !known.may_be_dismissed() {
            return self.ignore("not_dismissable");
        }
        let reason = cut(reason);
        known.status = FindingStatus::Dismissed;
        known.dismissal = Some(Dismissal {
            by: by.clone(),
            reason: reason.clone(),
            at: self.now,
        });
        let known = known.clone();
        self.notes.push(Note::FindingDismissed {
            by: by.clone(),
            fingerprint: print.clone(),
            title: known.finding.title.clone(),
            reason: reason.clone(),
        });
        self.remember_dismissed(&known, by, &reason);
        self.recount_verdicts(print);
        self.drop_fix_of(print);
        self.poll_now();
    }

    /// Keeps what the fixer is told with its next turn. What it names is handed over again, whatever was claimed of it (§2).
    pub(super) fn fixer_noted(&mut self, note: &FixerNote) {
        if self.state.run.state.is_over() {
            return self.ignore("terminal");
        }
        let named = note.finding_id.as_ref();
        let findings = &mut self.state.run.review.findings;
        let known = named.map(|print| findings.get_mut(print));
        if let Some(None) = known {
            return self.ignore("unknown_finding");
        }
        if let Some(Some(known)) = known
            && matches!(known.status, FindingStatus::Stuck | FindingStatus::Rejected)
        {
            known.reopen();
        }
        let note = FixerNote {
            text: cut(&note.text),
            ..note.clone()
        };
        self.notes.push(Note::FixerNoted {
            by: note.by.clone(),
            fingerprint: note.finding_id.clone(),
            text: note.text.clone(),
        });
        let notes = &mut self.state.run.fixing.notes;
        notes.push(note);
        let surplus = notes.len().saturating_sub(MAX_NOTES);
        notes.drain(..surplus);
        self.poll_now();
    }

    /// What people dismissed in this loop, as reports and proof list it.
    pub(super) fn dismissed_findings(&self) -> Vec<DismissedFinding> {
        let findings = self.state.run.review.findings.values();
        let dismissed = findings.filter(|known| known.status == FindingStatus::Dismissed);
        let mut lines: Vec<DismissedFinding> = dismissed
            .filter_map(|known| {
                let word = known.dismissal.as_ref()?;
                Some(DismissedFinding {
                    title: known.finding.title.clone(),
                    file: known.finding.file.clone(),
                    priority: known.finding.priority,
                    by: word.by.clone(),
                    reason: word.reason.clone(),
                })
            })
            .collect();
        lines.sort_by_key(|line| (line.priority, line.file.clone(), line.title.clone()));
        lines
    }

    /// Has the verdicts of those who reported a finding rest on what still counts.
    fn recount_verdicts(&mut self, print: &Fingerprint) {
        let findings = &self.state.run.review.findings;
        let counting: BTreeMap<&Fingerprint, &Finding> = findings
            .iter()
            .filter(|(_, known)| !known.status.is_set_aside())
            .map(|(print, known)| (print, &known.finding))
            .collect();
        let stages = self.state.run.review.stages.iter_mut();
        let seats = stages.flat_map(|stage| &mut stage.reviewers);
        for seat in seats.filter(|seat| seat.findings.contains(print)) {
            let found = seat.findings.iter();
            let counts = IssueCounts::of(found.filter_map(|print| counting.get(print).copied()));
            seat.verdict = Some(conclusion_from_counts(counts));
        }
    }

    /// Takes back a fix that somebody is at work on, so that it is asked for anew without the finding.
    fn drop_fix_of(&mut self, print: &Fingerprint) {
        self.state.outbox.effects.retain(|_, effect| match effect {
            Effect::Fix(FixEffect { payload, .. }) => {
                let mut asked = payload.issues_to_fix.iter();
                !asked.any(|issue| issue.id == print.as_str())
            }
            _ => true,
        });
    }
}

/// A person's words as they are kept: trimmed, without secrets, and no longer than a remark.
fn cut(text: &str) -> String {
    let text: String = redact(text.trim(), &[]);
    text.chars().take(MAX_WORD_CHARS).collect()
}

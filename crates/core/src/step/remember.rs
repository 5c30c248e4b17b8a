//! What is written down of people's judgements on findings, for later reviews of the repository.

use super::Transition;
use crate::comments::{AuthorRole, author_role};
use crate::effect::{Effect, RememberEffect};
use crate::finding::SourceType;
use crate::ids::{Fingerprint, Login};
use crate::loop_state::LoopState;
use crate::review_memory::{Judgement, MemoryEntry, MemoryVerdict};
use crate::snapshot::{Actor, Comment, Snapshot, Thread};
use crate::tracked_finding::{FindingStatus, TrackedFinding};

impl Transition {
    /// Findings whose threads people settled with a reason while the code stayed as it was.
    pub(super) fn remember_dismissals(&mut self, snapshot: &Snapshot) {
        let entries: Vec<MemoryEntry> = snapshot
            .threads
            .iter()
            .filter_map(|thread| self.dismissal(snapshot, thread))
            .collect();
        entries.into_iter().for_each(|entry| self.remember(entry));
    }

    /// Findings of models and agents that were fixed in what people merged.
    pub(super) fn remember_accepted(&mut self, snapshot: &Snapshot) {
        let id = self.state.id.clone();
        let findings = self.state.run.review.findings.iter();
        let accepted = |(_, known): &(&Fingerprint, &TrackedFinding)| {
            known.status == FindingStatus::Fixed && is_by_reviewer(known)
        };
        let entries: Vec<MemoryEntry> = findings
            .filter(accepted)
            .map(|(print, known)| {
                let judged = Judgement {
                    pull: &id,
                    by: None,
                    reason: None,
                    at: snapshot.read_at,
                };
                MemoryEntry::of_finding(&known.finding, print, MemoryVerdict::Accepted, judged)
            })
            .collect();
        entries.into_iter().for_each(|entry| self.remember(entry));
    }

    /// What a thread's end says of its finding; nothing unless somebody with write access closed it, and had the last word in it.
    fn dismissal(&self, snapshot: &Snapshot, thread: &Thread) -> Option<MemoryEntry> {
        if self.state.memory.resolved.contains(&thread.id) {
            // Collie closed it, by the account of whoever uses it.
            return None;
        }
        let known = self.own_finding(snapshot, thread)?;
        let stands = match known.status {
            FindingStatus::Open | FindingStatus::Rejected | FindingStatus::Stuck => true,
            FindingStatus::Claimed
            | FindingStatus::Fixed
            | FindingStatus::Withdrawn
            | FindingStatus::Dismissed
            | FindingStatus::Unsure => false,
        };
        if !stands || !is_by_reviewer(known) {
            return None;
        }
        let role = |c: &Comment| author_role(&self.state, snapshot, c.author.as_ref(), &c.body);
        let mut words = thread.comments.iter().rev();
        let reason = words.find(|c| role(c) != AuthorRole::Own)?;
        let author = closed_with_reason(&self.state, snapshot, thread, reason)?;
        let judged = Judgement {
            pull: &self.state.id,
            by: Some(&author.login),
            reason: Some(&reason.body),
            at: reason.created_at,
        };
        let dismissed = MemoryVerdict::Dismissed;
        Some(MemoryEntry::of_finding(
            &known.finding,
            &known.fingerprint,
            dismissed,
            judged,
        ))
    }

    /// What a person said of a finding in Collie itself.
    pub(super) fn remember_dismissed(&mut self, known: &TrackedFinding, by: &Login, reason: &str) {
        if !is_by_reviewer(known) {
            return;
        }
        let judged = Judgement {
            pull: &self.state.id,
            by: Some(by),
            reason: Some(reason),
            at: self.now,
        };
        let dismissed = MemoryVerdict::Dismissed;
        let print = &known.fingerprint;
        let entry = MemoryEntry::of_finding(&known.finding, print, dismissed, judged);
        self.remember(entry);
    }

    fn remember(&mut self, entry: MemoryEntry) {
        if self.state.memory.remembered.insert(entry.id.clone()) {
            let entry = Box::new(entry);
            self.enqueue(Effect::Remember(RememberEffect { entry }));
        }
    }
}

/// Who closed a thread with this reason: the same person with write access did both.
pub(super) fn closed_with_reason<'a>(
    state: &LoopState,
    snapshot: &Snapshot,
    thread: &Thread,
    reason: &'a Comment,
) -> Option<&'a Actor> {
    let by = thread.resolved_by.as_ref().filter(|_| thread.resolved)?;
    let author = reason.author.as_ref().filter(|author| author.id == by.id)?;
    let role = author_role(state, snapshot, Some(author), &reason.body);
    (role == AuthorRole::Trusted).then_some(author)
}

/// Whether it comes from one who reads what is remembered.
fn is_by_reviewer(known: &TrackedFinding) -> bool {
    match known.finding.source.kind {
        SourceType::Agent => true,
        SourceType::Rules
        | SourceType::Linter
        | SourceType::Ci
        | SourceType::Bot
        | SourceType::Human => false,
    }
}

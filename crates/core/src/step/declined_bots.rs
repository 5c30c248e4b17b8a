//! What a bot found, somebody else confirmed and the fixer declined (§6.1). A bot cannot be asked whether it upholds its finding: who looked
//! at it before is, with the fixer's reason, once a head and only where nothing else is left.

use super::Transition;
use super::decide::Decision;
use crate::blocker::{Blocker, Stop};
use crate::comments::{self, ThreadStatus};
use crate::finding::SourceType;
use crate::ids::{Fingerprint, Sha};
use crate::snapshot::Snapshot;
use crate::tracked_finding::{FindingStatus, SecondLook, TrackedFinding};

impl Transition {
    /// Whether nothing is left of what bots found that somebody confirmed and the fixer declined.
    pub(super) fn has_no_declined_bots(&self, snapshot: &Snapshot) -> bool {
        self.confirmed_and_declined(snapshot).is_empty()
    }

    /// Has the fixer's reasons weighed; the run stops where a finding is upheld. None where nothing is left of them.
    pub(super) fn settle_declined_bots(&mut self, snapshot: &Snapshot) -> Option<Decision> {
        let declined = self.confirmed_and_declined(snapshot);
        if declined.is_empty() {
            return None;
        }
        let is_upheld = |known: &&TrackedFinding| known.is_upheld_at(&snapshot.head);
        let (upheld, unweighed): (Vec<_>, Vec<_>) = declined.iter().partition(is_upheld);
        let unweighed: Vec<TrackedFinding> = unweighed.into_iter().cloned().collect();
        if !unweighed.is_empty() {
            if let Some((stage, reviewer)) = self.second_looker() {
                let names = vec![reviewer.name.clone()];
                self.ask_second_look(snapshot, (stage, reviewer), unweighed);
                return Some(Decision::Wait(Blocker::Reviewing { names }));
            }
            // Nobody can weigh it, and two tools say the same.
            self.uphold_declined(
                unweighed.iter().map(|known| &known.fingerprint),
                &snapshot.head,
            );
        }
        let count = upheld.len() + unweighed.len();
        self.stop_run(Stop::Upheld {
            count: u32::try_from(count).unwrap_or(u32::MAX),
        });
        Some(Decision::Ended)
    }

    /// Findings stand that a bot made and the fixer declined.
    pub(super) fn uphold_declined<'f>(
        &mut self,
        prints: impl Iterator<Item = &'f Fingerprint>,
        head: &Sha,
    ) {
        for print in prints {
            let known = self.state.run.review.findings.get_mut(print);
            if let Some(known) = known.filter(|known| known.status == FindingStatus::Rejected) {
                known.upheld_at = Some(head.clone());
            }
        }
    }

    fn confirmed_and_declined(&self, snapshot: &Snapshot) -> Vec<TrackedFinding> {
        let known = self.state.run.review.findings.values();
        let declined = known.filter(|known| is_confirmed_and_declined(known));
        declined
            .filter(|known| self.is_insisted_on(snapshot, known))
            .cloned()
            .collect()
    }

    /// The bot has not taken it back, and nobody has settled its thread.
    fn is_insisted_on(&self, snapshot: &Snapshot, known: &TrackedFinding) -> bool {
        if comments::stands_in_body(&known.finding) {
            return true;
        }
        let id = known.finding.source.review_id.as_deref();
        let mut threads = snapshot.threads.iter();
        let thread = threads.find(|thread| Some(thread.id.as_str()) == id);
        let status = thread.map(|thread| comments::thread_status(&self.state, snapshot, thread));
        matches!(
            status,
            Some(ThreadStatus::Answered | ThreadStatus::Replying)
        )
    }
}

fn is_confirmed_and_declined(known: &TrackedFinding) -> bool {
    known.finding.source.kind == SourceType::Bot
        && known.status == FindingStatus::Rejected
        && known.finding.priority.blocks()
        && (known.second_look == Some(SecondLook::Stands)
            || (known.is_agreed() && !known.is_refuted()))
}

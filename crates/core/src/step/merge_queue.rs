//! The merge queue: it holds Collie's hands, and what it takes out is told apart (§3.3, §11).

use super::Transition;
use crate::blocker::Blocker;
use crate::ids::Fingerprint;
use crate::loop_state::QueueStay;
use crate::merge_queue::{Ejection, EjectionCause};
use crate::note::Note;
use crate::post::EjectionLine;
use crate::snapshot::{QueueRemoval, RemovalReason, Snapshot};

/// How long a pull request counts as queued after GitHub no longer says so, and does not say why: it takes an entry out before it shows
/// the merge, or the event.
const LEAVING_MS: u64 = 2 * 60_000;
/// Ejections that are remembered: one may be queued again dozens of times.
const MAX_EJECTIONS: usize = 20;

impl Transition {
    /// Records what a snapshot tells of the merge queue; each ejection once.
    pub(super) fn note_merge_queue(&mut self, snapshot: &Snapshot) {
        let stay = &mut self.state.run.head.queue_stay;
        if snapshot.in_merge_queue {
            *stay = Some(QueueStay::default());
            return;
        }
        if let Some(removal) = &snapshot.queue_removal {
            *stay = None;
            return self.note_removal(removal, snapshot);
        }
        let Some(known) = stay else {
            return;
        };
        let left_at = *known.left_at.get_or_insert(snapshot.read_at);
        if snapshot.read_at.since(left_at) >= LEAVING_MS {
            *stay = None;
        }
    }

    fn note_removal(&mut self, removal: &QueueRemoval, snapshot: &Snapshot) {
        let ejections = &self.state.memory.ejections;
        let is_known = ejections.iter().any(|known| known.at == removal.at);
        // One from before this head came is of another.
        let not_before = self.state.run.head.not_before;
        let is_older = not_before.is_some_and(|before| removal.at <= before);
        let is_of_other = removal.head.as_ref().is_some_and(|of| *of != snapshot.head);
        if is_known || is_older || is_of_other {
            return;
        }
        let (cause, checks) = removal.cause(snapshot);
        let word = match &removal.reason {
            RemovalReason::Unknown { word } => word.clone(),
            _ => String::new(),
        };
        let ejection = Ejection {
            at: removal.at,
            head: snapshot.head.clone(),
            commit: removal.commit.clone(),
            cause,
            word,
            checks: checks.iter().map(|check| check.name.clone()).collect(),
            findings: Vec::new(),
        };
        self.notes.push(Note::QueueEjected {
            ejection: Box::new(ejection.clone()),
        });
        let ejections = &mut self.state.memory.ejections;
        ejections.push(ejection);
        let surplus = ejections.len().saturating_sub(MAX_EJECTIONS);
        ejections.drain(..surplus);
    }

    /// What holds everything while it is in the queue, or has left it and GitHub does not say how.
    pub(super) fn queue_hold(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let stays = snapshot.in_merge_queue || self.state.run.head.queue_stay.is_some();
        stays.then_some(Blocker::MergeQueue)
    }

    /// The ejection that stands: of this head, and not queued again since.
    fn ejection(&self, snapshot: &Snapshot) -> Option<&Ejection> {
        let removal = snapshot.queue_removal.as_ref()?;
        let mut known = self.state.memory.ejections.iter();
        known.find(|known| known.at == removal.at && known.head == snapshot.head)
    }

    /// What an ejection holds against ready, until a person queues it again.
    pub(super) fn ejection_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let ejection = self.ejection(snapshot)?;
        let error = match ejection.cause {
            EjectionCause::Conflict => self.merge_error(snapshot),
            _ => None,
        };
        ejection
            .cause
            .blocks_ready()
            .then(|| Blocker::QueueEjected {
                cause: ejection.cause,
                names: ejection.checks.clone(),
                base: snapshot.base_ref.clone(),
                error,
            })
    }

    /// Whether it conflicted in the queue, and merging the base in may settle that.
    pub(super) fn conflicted_in_queue(&self, snapshot: &Snapshot) -> bool {
        let ejection = self.ejection(snapshot);
        ejection.is_some_and(|ejection| ejection.cause == EjectionCause::Conflict)
    }

    /// Whether it failed in the queue by its own fault, and may be fixed.
    pub(super) fn has_queue_failure_to_fix(&self, snapshot: &Snapshot) -> bool {
        let ejection = self.ejection(snapshot);
        ejection.is_some_and(|ejection| ejection.cause == EjectionCause::OwnChecks)
            && self.fixing_blocker(snapshot).is_none()
    }

    /// Tracks what checks of the queue failed with by the change's own fault; their identities.
    pub(super) fn track_queue_failures(&mut self, snapshot: &Snapshot) -> Vec<Fingerprint> {
        let (Some(removal), Some(ejection)) = (&snapshot.queue_removal, self.ejection(snapshot))
        else {
            return Vec::new();
        };
        if !self.has_queue_failure_to_fix(snapshot) {
            return Vec::new();
        }
        let (at, timestamp) = (ejection.at, snapshot.read_at.rfc3339());
        // Which they are was judged when it was first seen.
        let own = removal.failed_checks.iter();
        let own = own.filter(|check| ejection.checks.contains(&check.name));
        let own = own.map(|check| removal.finding(check, &snapshot.base_ref, &timestamp));
        let own: Vec<_> = own.collect();
        let prints = own
            .into_iter()
            .map(|(finding, failure)| self.track_check_failure(&finding, failure));
        let prints: Vec<Fingerprint> = prints.collect();
        let mut known = self.state.memory.ejections.iter_mut();
        if let Some(ejection) = known.find(|known| known.at == at) {
            ejection.findings.clone_from(&prints);
        }
        prints
    }

    /// The ejections so far, each with the commit that claims to fix it, for the proof.
    pub(super) fn ejection_lines(&self) -> Vec<EjectionLine> {
        let findings = &self.state.run.review.findings;
        let line = |ejection: &Ejection| EjectionLine {
            ejection: ejection.clone(),
            claimed_in: ejection.findings.iter().rev().find_map(|print| {
                let claims = &findings.get(print)?.fixed_in;
                claims.last().cloned()
            }),
        };
        self.state.memory.ejections.iter().map(line).collect()
    }
}

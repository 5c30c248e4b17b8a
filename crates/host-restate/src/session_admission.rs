//! What a session waits for before a worker is offered it: its time, its head branch (§6.4), and a slot of the fleet (§2). The branch comes
//! before the slot, so that nobody has a slot and waits for a branch.

use collie_core::ids::EffectId;
use collie_core::loop_state::LoopState;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a loop was given that it had asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "grant")]
pub(crate) enum Grant {
    /// Its head branch, by the ticket of the wish.
    Branch { ticket: u64 },
    /// A slot for a session.
    Slot { effect: EffectId },
}

/// What a loop asks of others for its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AdmissionStep {
    AcquireBranch {
        branch: String,
        ticket: u64,
    },
    ReleaseBranch {
        branch: String,
        ticket: u64,
    },
    EnqueueForSlot {
        effect: EffectId,
    },
    ReleaseSlot {
        effect: EffectId,
    },
    /// A worker may have it.
    Offer {
        effect: EffectId,
    },
}

/// What the sessions of a loop wait for, and what it holds for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Admission {
    waiting: BTreeMap<EffectId, WaitsFor>,
    branch: Option<BranchClaim>,
    /// Of the newest wish for a branch.
    ticket: u64,
    /// Sessions that have a slot, or wait for one.
    slots: BTreeSet<EffectId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitsFor {
    /// Its time.
    Time,
    /// Another loop that makes or pushes commits for the same branch.
    Branch,
    /// A slot of the fleet.
    Slot,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BranchClaim {
    branch: String,
    ticket: u64,
    is_granted: bool,
}

impl Admission {
    /// A session is not to begin yet: [`Self::begin`] is called once it is.
    pub fn postpone(&mut self, effect: &EffectId) {
        self.waiting.insert(effect.clone(), WaitsFor::Time);
    }

    /// Whether a session waits for its time.
    pub fn is_postponed(&self, effect: &EffectId) -> bool {
        self.waiting.get(effect) == Some(&WaitsFor::Time)
    }

    /// What each session waits for that no worker was offered.
    pub fn waiting(&self) -> &BTreeMap<EffectId, WaitsFor> {
        &self.waiting
    }

    /// Brings a session as far as it goes at once.
    pub fn begin(
        &mut self,
        state: &LoopState,
        effect: &EffectId,
        has_slots: bool,
    ) -> Vec<AdmissionStep> {
        let asked = state.outbox.effects.get(effect);
        let Some(asked) = asked else {
            return Vec::new();
        };
        let has_branch = self.branch.as_ref().is_some_and(|claim| claim.is_granted);
        let effect = effect.clone();
        if asked.makes_commit() && !has_branch {
            self.waiting.insert(effect, WaitsFor::Branch);
            return self.claim_branch(state).into_iter().collect();
        }
        if has_slots && !self.slots.contains(&effect) {
            self.waiting.insert(effect.clone(), WaitsFor::Slot);
            self.slots.insert(effect.clone());
            return vec![AdmissionStep::EnqueueForSlot { effect }];
        }
        self.waiting.remove(&effect);
        vec![AdmissionStep::Offer { effect }]
    }

    /// Takes what was granted. What is of no use any more was given back before.
    pub fn granted(
        &mut self,
        state: &LoopState,
        grant: &Grant,
        has_slots: bool,
    ) -> Vec<AdmissionStep> {
        match grant {
            Grant::Branch { ticket } => {
                let claim = self.branch.as_mut();
                let Some(claim) = claim.filter(|claim| claim.ticket == *ticket) else {
                    return Vec::new();
                };
                claim.is_granted = true;
                let waiting = self.waiting.iter();
                let waiting: Vec<EffectId> = waiting
                    .filter(|(_, waits_for)| **waits_for == WaitsFor::Branch)
                    .map(|(effect, _)| effect.clone())
                    .collect();
                let begun = waiting.iter();
                begun
                    .flat_map(|effect| self.begin(state, effect, has_slots))
                    .collect()
            }
            Grant::Slot { effect } => {
                if self.waiting.remove(effect) != Some(WaitsFor::Slot) {
                    return Vec::new();
                }
                let effect = effect.clone();
                vec![AdmissionStep::Offer { effect }]
            }
        }
    }

    /// Gives back what an event has made needless, and holds the branch for a commit that is on its way there.
    pub fn settle(&mut self, state: &LoopState) -> Vec<AdmissionStep> {
        let wanted = &state.outbox.effects;
        self.waiting.retain(|effect, _| wanted.contains_key(effect));
        let ended = self
            .slots
            .extract_if(.., |effect| !wanted.contains_key(effect));
        let mut steps: Vec<AdmissionStep> = ended
            .map(|effect| AdmissionStep::ReleaseSlot { effect })
            .collect();
        let makes_commit = |effect: &EffectId| {
            let asked = wanted.get(effect);
            asked.is_some_and(collie_core::effect::Effect::makes_commit)
                && !self.is_postponed(effect)
        };
        if state.is_about_to_push() {
            steps.extend(self.claim_branch(state));
        } else if !wanted.keys().any(makes_commit)
            && let Some(BranchClaim { branch, ticket, .. }) = self.branch.take()
        {
            steps.push(AdmissionStep::ReleaseBranch { branch, ticket });
        }
        steps
    }

    /// Gives everything back: the loop is somebody else's from now on.
    pub fn release_all(&mut self) -> Vec<AdmissionStep> {
        self.waiting.clear();
        let slots = std::mem::take(&mut self.slots).into_iter();
        let slots = slots.map(|effect| AdmissionStep::ReleaseSlot { effect });
        let branch = self.branch.take();
        let branch =
            branch.map(
                |BranchClaim { branch, ticket, .. }| AdmissionStep::ReleaseBranch {
                    branch,
                    ticket,
                },
            );
        slots.chain(branch).collect()
    }

    fn claim_branch(&mut self, state: &LoopState) -> Option<AdmissionStep> {
        if self.branch.is_some() {
            return None;
        }
        self.ticket += 1;
        let (branch, ticket) = (state.head_branch().to_string(), self.ticket);
        self.branch = Some(BranchClaim {
            branch: branch.clone(),
            ticket,
            is_granted: false,
        });
        Some(AdmissionStep::AcquireBranch { branch, ticket })
    }
}

#[cfg(test)]
mod tests {
    use super::{Admission, AdmissionStep, Grant, WaitsFor};
    use crate::stored_loop::tests::{fixing, reviewing};
    use collie_core::ids::EffectId;

    const BRANCH: &str = "github.com/acme/api/topic";

    fn acquire(ticket: u64) -> AdmissionStep {
        let branch = BRANCH.to_owned();
        AdmissionStep::AcquireBranch { branch, ticket }
    }

    fn release(ticket: u64) -> AdmissionStep {
        let branch = BRANCH.to_owned();
        AdmissionStep::ReleaseBranch { branch, ticket }
    }

    fn offer(effect: &EffectId) -> AdmissionStep {
        let effect = effect.clone();
        AdmissionStep::Offer { effect }
    }

    #[test]
    fn a_fix_waits_for_its_branch_and_then_for_a_slot_and_gives_both_back() {
        let (mut state, fix) = fixing();
        let mut admission = Admission::default();
        assert_eq!(admission.begin(&state, &fix, true), [acquire(1)]);
        assert_eq!(admission.waiting()[&fix], WaitsFor::Branch);
        assert_eq!(admission.settle(&state), []);
        let granted = Grant::Branch { ticket: 1 };
        let enqueue = AdmissionStep::EnqueueForSlot {
            effect: fix.clone(),
        };
        assert_eq!(admission.granted(&state, &granted, true), [enqueue]);
        assert_eq!(admission.waiting()[&fix], WaitsFor::Slot);
        let slot = Grant::Slot {
            effect: fix.clone(),
        };
        assert_eq!(admission.granted(&state, &slot, true), [offer(&fix)]);
        assert!(admission.waiting().is_empty());
        // It has begun: what is granted once more begins nothing.
        assert_eq!(admission.granted(&state, &slot, true), []);
        assert_eq!(admission.granted(&state, &granted, true), []);
        state.outbox.effects.clear();
        let effect = fix.clone();
        let given_back = [AdmissionStep::ReleaseSlot { effect }, release(1)];
        assert_eq!(admission.settle(&state), given_back);
        assert_eq!(admission.settle(&state), []);
    }

    #[test]
    fn what_is_not_wanted_any_more_gives_back_what_it_waited_for() {
        let (mut state, fix) = fixing();
        let mut admission = Admission::default();
        admission.begin(&state, &fix, true);
        state.outbox.effects.clear();
        assert_eq!(admission.settle(&state), [release(1)]);
        // The grant was under way.
        let late = Grant::Branch { ticket: 1 };
        assert_eq!(admission.granted(&state, &late, true), []);
        let (state, fix) = fixing();
        assert_eq!(admission.begin(&state, &fix, true), [acquire(2)]);
        assert_eq!(admission.granted(&state, &late, true), []);
    }

    #[test]
    fn a_review_needs_no_branch_and_without_slots_nothing_waits_for_one() {
        let (state, review) = reviewing();
        let mut admission = Admission::default();
        assert_eq!(admission.begin(&state, &review, false), [offer(&review)]);
        let (state, fix) = fixing();
        admission.begin(&state, &fix, false);
        let granted = Grant::Branch { ticket: 1 };
        assert_eq!(admission.granted(&state, &granted, false), [offer(&fix)]);
    }
}

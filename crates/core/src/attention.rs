//! Whom a loop waits for, and when nobody need watch it any more (§14): said here, and asked by everybody.

use crate::blocker::Blocker;
use crate::effect::Effect;
use crate::lifecycle::State;
use crate::loop_state::LoopState;
use serde::{Deserialize, Serialize};

/// Whom a loop waits for, from afar: what lists, counts and the tray are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// A person, to merge it.
    Ready,
    /// A person, for anything else.
    NeedsYou,
    /// Nobody: it goes on by itself.
    Working,
    /// Nobody: it is merged, closed or cancelled, or stopped and its pull request has ended since.
    Over,
}

impl LoopState {
    /// Whom it waits for.
    pub fn attention(&self) -> Attention {
        match self.shown_state() {
            State::Merged | State::Closed | State::Cancelled => Attention::Over,
            State::PrReadyToMerge => Attention::Ready,
            State::NeedsHuman | State::Failed => Attention::NeedsYou,
            State::PrCreated | State::PrAwaitingChecks | State::PrReviewing | State::PrFixing => {
                let blocker = self.run.blocker.as_ref();
                // A pause is told once for all, not by each loop.
                if blocker.is_some_and(Blocker::needs_person) && !self.is_paused() {
                    Attention::NeedsYou
                } else {
                    Attention::Working
                }
            }
        }
    }

    /// Whether it is terminal, ready, or waits for something that only a person can do. Whether something is still to be sent is
    /// another question: [`LoopState::is_settled`].
    pub fn is_at_rest(&self) -> bool {
        self.attention() != Attention::Working || self.is_paused()
    }

    /// Whether what it waits for is the end of a pause of everything.
    pub fn is_paused(&self) -> bool {
        !self.run.state.is_terminal() && matches!(self.run.blocker, Some(Blocker::Paused { .. }))
    }

    /// Whether it is at rest and has said and done all it wanted to: who stops watching now loses nothing.
    pub fn is_settled(&self) -> bool {
        let pending = &self.outbox.effects;
        let is_waited_for = |effect: &Effect| {
            !effect.only_reads() && !self.is_kept_from_work(effect) && self.may_do(effect)
        };
        self.is_at_rest()
            && !self.awaits_release()
            && (self.is_kept_from_writing() || !pending.values().any(is_waited_for))
    }

    /// Whether the very thing that a person has to do keeps it from this work.
    fn is_kept_from_work(&self, effect: &Effect) -> bool {
        let blocker = self.run.blocker.as_ref();
        effect.takes_slot()
            && matches!(
                blocker,
                Some(Blocker::NoSandbox { .. } | Blocker::Budget { .. })
            )
    }

    /// Whether what it waits for is the very thing that keeps it from writing.
    fn is_kept_from_writing(&self) -> bool {
        let blocker = self.run.blocker.as_ref();
        !self.run.state.is_terminal() && blocker.is_some_and(Blocker::forbids_writing)
    }
}

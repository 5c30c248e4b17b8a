//! What the object of a loop sends.

use crate::branch_lock::BranchWish;
use crate::loop_key::LoopKey;
use crate::messages::{AppendRequest, EffectRequest, ReadRequest, SessionOffer, Timer};
use crate::reading_schedule::ReadTimer;
use crate::slot_queue::SlotWish;
use collie_core::event::Event;
use collie_core::ids::EffectId;
use collie_engine::ports::AuditEntry;

/// What an object sends once its state is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// To what happened to the loops of the host.
    History(Box<AppendRequest>),
    /// To the audit log.
    Audit(Vec<AuditEntry>),
    /// To whichever worker runs it.
    Effect(EffectRequest),
    /// To the loop's posts, which are said one after the other.
    Post(EffectRequest),
    /// To whichever worker takes it.
    Session(SessionOffer),
    /// To the object itself, after so long.
    Timer { timer: Timer, after_ms: u64 },
    /// To the queue of readings.
    Reading(ReadRequest),
    /// To the queue of readings: this loop is read no more.
    Unwatch(LoopKey),
    /// To the object itself, as an event.
    Event(Box<Event>),
    /// To what loops share.
    Shared(SharedMessage),
}

impl From<ReadTimer> for Outgoing {
    fn from(ReadTimer { timer, after_ms }: ReadTimer) -> Self {
        Self::Timer { timer, after_ms }
    }
}

/// What goes to what loops share: head branches, and the slots of the fleet. Each answers with a grant, to this loop or to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SharedMessage {
    AcquireBranch { branch: String, wish: BranchWish },
    ReleaseBranch { branch: String, wish: BranchWish },
    EnqueueForSlot(SlotWish),
    ReleaseSlot { host: String, effect: EffectId },
}

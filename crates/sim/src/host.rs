//! What the engine promises one loop: a journal that forgets nothing, an outbox that is worked off, doubt that is settled (§8.2, §10).
//!
//! What is durable lies beside what a crash takes away, and each broken promise is named in [`Host::fault`].

use crate::blank_snapshot::repo;
use crate::bounds::Search;
use crate::world::{Shown, World, author, snapshot, talk_index};
use collie_core::effect::Effect;
use collie_core::event::{Delivered, Delivery, Event};
use collie_core::finding::SourceType;
use collie_core::ids::{ActionToken, EffectId, Login, LoopId, RunId, ThreadId, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::{LoopState, NewLoop, PullRequest};
use collie_core::post::{Post, PostContent};
use collie_core::snapshot::{PullState, ReviewVerdict, Snapshot};
use collie_core::step::step;
use collie_core::tracked_finding::FindingStatus;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A broken promise.
pub type Fault = &'static str;

/// Something stood on GitHub twice.
pub const POSTED_TWICE: Fault = "a token stands on GitHub once at most";
/// A comment was answered twice.
pub const ANSWERED_TWICE: Fault = "a comment is answered once at most";
/// A fix was pushed twice.
pub const PUSHED_TWICE: Fault = "a turn of the fixer is pushed once at most";
/// More was pushed than may be.
pub const PUSHED_TOO_OFTEN: Fault = "no run pushes more often than it may";
/// A push was not counted.
pub const PUSH_NOT_COUNTED: Fault = "every push is counted once";
/// A run that has ended said something else than its last word.
pub const SENT_AFTER_END: Fault = "a run that has ended sends its last words only";
/// Something was written that could have merged.
pub const WROTE_UNDER_AUTO_MERGE: Fault = "nothing is written while a write could merge";
/// A wait without a name or an end.
pub const WAITS_FOR_NOTHING: Fault = "every wait has a blocker and a time to look again";
/// Ready was claimed and is not so.
pub const NOT_READY: Fault = "ready is what GitHub shows";
/// Something that a person said was lost.
pub const FEEDBACK_LOST: Fault = "ready leaves nothing unanswered of what people said";
/// A claim was taken for a fact.
pub const CLAIM_UNSEEN: Fault = "fixed is what a look at a head with the fix has confirmed";
/// A person's word was lost.
pub const WORD_LOST: Fault = "what a person said is done once it was taken";

/// All of them.
pub const FAULTS: [Fault; 12] = [
    POSTED_TWICE,
    ANSWERED_TWICE,
    PUSHED_TWICE,
    PUSHED_TOO_OFTEN,
    PUSH_NOT_COUNTED,
    SENT_AFTER_END,
    WROTE_UNDER_AUTO_MERGE,
    WAITS_FOR_NOTHING,
    NOT_READY,
    WORD_LOST,
    FEEDBACK_LOST,
    CLAIM_UNSEEN,
];

/// The engine, as one loop sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Host {
    /// What the journal has; nothing else outlives a crash but `inbox` and `sending`.
    pub state: Arc<LoopState>,
    /// Events that were stored and not applied.
    pub inbox: Vec<Event>,
    /// Posts whose body was stored before it was sent.
    pub sending: BTreeSet<EffectId>,
    /// Posts that may have arrived, as this process knows.
    pub in_doubt: BTreeSet<EffectId>,
    /// Answers that are on their way.
    pub late_answers: Vec<Event>,
    /// A reading that is under way.
    pub reading: Option<Box<Snapshot>>,
    /// Work that has a slot.
    pub working: BTreeSet<EffectId>,
    /// Effects that were asked for before the run ended.
    pub before_end: BTreeSet<EffectId>,
    /// A person's cancel that was taken.
    pub cancel_taken: bool,
    /// Pushes of the present run that have arrived: the turn of each.
    pub arrived: Vec<u32>,
    /// Which turn made a commit.
    pub turn_of: BTreeMap<u8, u32>,
    /// The first broken promise.
    pub fault: Option<Fault>,
}

impl Host {
    /// A loop that was just started.
    pub fn new(search: &Search, number: u64, now: Time) -> Self {
        let new = NewLoop {
            id: LoopId {
                host: "github.com".into(),
                repo_id: "R_1".into(),
                number,
            },
            pull: PullRequest {
                repo: repo(),
                title: "A change".into(),
                author: Some(author().login),
                url: String::new(),
                head_ref: "topic".into(),
                base_ref: "main".into(),
            },
            run: RunId::new("run-1"),
            started_by: Login::new("kim"),
            policy: search.policy(),
        };
        Self {
            state: Arc::new(LoopState::new(new, now)),
            inbox: Vec::new(),
            sending: BTreeSet::new(),
            in_doubt: BTreeSet::new(),
            late_answers: Vec::new(),
            reading: None,
            working: BTreeSet::new(),
            before_end: BTreeSet::new(),
            cancel_taken: false,
            arrived: Vec::new(),
            turn_of: BTreeMap::new(),
            fault: None,
        }
    }

    /// Says that a promise was broken.
    pub fn breach(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// Stores an event, and applies what is stored.
    pub fn receive(&mut self, event: Event, now: Time) {
        self.inbox.push(event);
        self.apply(now);
    }

    /// Applies what is stored, in order: event, state and outbox in one transaction each.
    pub fn apply(&mut self, now: Time) {
        for event in std::mem::take(&mut self.inbox) {
            let before = self.state.clone();
            let done = step(&before, &event, now);
            if !before.run.state.is_terminal() && done.state.run.state.is_terminal() {
                self.before_end = before.outbox.effects.keys().cloned().collect();
            }
            if before.run.id != done.state.run.id {
                self.arrived.clear();
                self.cancel_taken = false;
            }
            let kept = |id: &EffectId| done.state.outbox.effects.contains_key(id);
            self.sending.retain(kept);
            self.in_doubt.retain(kept);
            self.working.retain(kept);
            self.state = Arc::new(done.state);
        }
        self.check_wait();
    }

    /// Dies, and starts again: what was not stored is gone, what was stored is applied.
    pub fn crash(&mut self, now: Time) {
        self.late_answers.clear();
        self.reading = None;
        self.working.clear();
        self.in_doubt = self.sending.clone();
        self.apply(now);
    }

    fn check_wait(&mut self) {
        let run = &self.state.run;
        let over = run.state.is_terminal();
        let names_its_wait = run.blocker.is_some() && run.polling.next_at.is_some();
        if !over && !names_its_wait {
            self.breach(WAITS_FOR_NOTHING);
        }
        if self.cancel_taken && !over && self.inbox.is_empty() {
            self.breach(WORD_LOST);
        }
    }

    /// A reading that shows what is so has made it ready: everything that ready claims has to be so.
    pub fn check_ready(&mut self, shown: &Shown) {
        let run = &self.state.run;
        if run.state != State::PrReadyToMerge {
            return;
        }
        let head = crate::world::sha(shown.head());
        let mut seats = run.review.stages.iter().flat_map(|stage| &stage.reviewers);
        let holds = shown.state == PullState::Open
            && !shown.draft
            && !shown.auto_merge
            && shown.check == crate::world::CheckState::Passed
            && shown.verdict != Some(ReviewVerdict::ChangesRequested)
            && seats.all(|seat| seat.head.as_ref() == Some(&head))
            && !shown.talks.iter().any(crate::world::Talk::waits_for_answer);
        if !holds {
            self.breach(NOT_READY);
        }
        let mut heard = self.state.memory.feedback.values();
        if heard.any(|heard| heard.processed_at.is_none()) {
            self.breach(FEEDBACK_LOST);
        }
    }

    /// What it asks for, in order.
    pub fn effects(&self) -> impl Iterator<Item = (&EffectId, &Effect)> {
        self.state.outbox.effects.iter()
    }

    /// Whether a post is to be sent, as the engine judges it (§10.1).
    pub fn is_wanted(&self, id: &EffectId) -> bool {
        !self.state.outbox.unwanted.contains(id)
    }

    /// Holds a post that is being sent against what may be said, and against the world.
    pub fn check_send(&mut self, world: &World, id: &EffectId, post: &Post) {
        let is_last_word = post.content.is_last_word();
        let ended = self.state.run.state.is_terminal();
        if ended && !is_last_word && self.before_end.contains(id) {
            self.breach(SENT_AFTER_END);
        }
        self.check_write(world);
    }

    /// Holds a write against what could merge by it.
    pub fn check_write(&mut self, world: &World) {
        if world.shown.auto_merge && !self.state.run.state.is_terminal() {
            self.breach(WROTE_UNDER_AUTO_MERGE);
        }
    }

    /// Whether something that the panel found is called fixed, and nobody has looked at a head with the fix.
    fn has_unseen_claim(&self, world: &World) -> bool {
        let place = |sha: &collie_core::ids::Sha| {
            let commit = crate::world::commit_of(sha);
            let mut branch = world.shown.branch.iter();
            branch.position(|known| *known == commit)
        };
        let review = &self.state.run.review;
        let seats = review.stages.iter().flat_map(|stage| &stage.reviewers);
        let looked = seats.filter_map(|seat| place(seat.head.as_ref()?)).max();
        review.findings.values().any(|known| {
            let fixed = known.status == FindingStatus::Fixed;
            let by_panel = known.finding.source.kind == SourceType::Agent;
            let fix = known.fixed_in.last().and_then(&place);
            fixed && by_panel && fix.is_some_and(|fix| looked.is_none_or(|looked| looked < fix))
        })
    }

    /// Holds what stands on GitHub against the promises.
    pub fn check_world(&mut self, world: &World) {
        if world.shown.posts.values().any(|count| *count > 1) {
            self.breach(POSTED_TWICE);
        }
        for talk in world.shown.talks.iter().filter(|talk| !talk.is_own()) {
            let (ours, theirs): (Vec<_>, Vec<_>) = talk.said.iter().partition(|said| said.is_own());
            if ours.len() > theirs.len() {
                self.breach(ANSWERED_TWICE);
            }
        }
        if self.has_unseen_claim(world) {
            self.breach(CLAIM_UNSEEN);
        }
        let mut turns = self.arrived.clone();
        turns.sort_unstable();
        turns.dedup();
        if turns.len() < self.arrived.len() {
            self.breach(PUSHED_TWICE);
        }
        if self.arrived.len() > self.state.max_iterations() as usize {
            self.breach(PUSHED_TOO_OFTEN);
        }
        let pushes = |effect: &Effect| matches!(effect, Effect::Push(_));
        let known = !self.state.outbox.effects.values().any(pushes) && self.late_answers.is_empty();
        let counted = self.state.run.fixing.iteration as usize;
        if known && !self.state.run.state.is_terminal() && counted != self.arrived.len() {
            self.breach(PUSH_NOT_COUNTED);
        }
    }
}

/// A reading of what is shown.
pub fn read(shown: &Shown, number: u64, at: Time) -> Box<Snapshot> {
    Box::new(snapshot(shown, number, at))
}

/// That a post is there.
pub fn confirmed(id: &EffectId) -> Event {
    let delivery = Delivery::Confirmed { remote_id: 900 };
    Event::answered(id.clone(), Delivered { delivery })
}

/// That a post is not to be sent any more, or cannot be.
pub fn undeliverable(id: &EffectId) -> Event {
    let message = "given up".to_owned();
    let delivery = Delivery::Undeliverable { message };
    Event::answered(id.clone(), Delivered { delivery })
}

/// What a post adds to GitHub.
pub fn write_of(post: &Post) -> crate::world::Write {
    let thread: Option<&ThreadId> = match &post.content {
        PostContent::Reply { thread, .. } | PostContent::Addition { thread, .. } => Some(thread),
        _ => None,
    };
    let inline: Vec<ActionToken> = match &post.content {
        PostContent::Inline { comments, .. } => comments
            .iter()
            .map(|comment| comment.token.clone())
            .collect(),
        _ => Vec::new(),
    };
    crate::world::Write {
        token: post.token.clone(),
        thread: thread.filter(|id| talk_index(id).is_some()).cloned(),
        inline,
    }
}

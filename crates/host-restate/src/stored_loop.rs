//! What the object of a loop remembers beside the state: which timers count, who works, who writes.

use crate::branch_lock::BranchWish;
use crate::kept_entries::KeptEntries;
use crate::loop_key::LoopKey;
use crate::messages::{
    AppendRequest, AskedLoop, ClaimAnswer, ClaimedWrite, EffectRequest, Heartbeat, HeartbeatAnswer,
    SessionOffer, Timer, WriteClaim,
};
use crate::outgoing::{Outgoing, SharedMessage};
use crate::reading_schedule::ReadingSchedule;
use crate::session_admission::{Admission, AdmissionStep, Grant, WaitsFor};
use crate::slot_queue::SlotWish;
use crate::watched_session::{SessionLook, WatchedSession, next_look};
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_engine::ports::{HandedLoop, LookReason, ReleasedLoop};
use collie_engine::{AppliedEvent, HistoryEntry, panic_outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an object remembers beside the state: which timers count, who works, who writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Bookkeeping {
    /// How many events the loop has had that its history has.
    version: u64,
    kept_entries: KeptEntries,
    #[serde(flatten)]
    readings: ReadingSchedule,
    sessions: BTreeMap<EffectId, WatchedSession>,
    writes: BTreeMap<EffectId, ClaimedWrite>,
    admission: Admission,
    /// The move that brought the loop here, and its version then; none of one that began here. What is sent for it is named after that: the
    /// engine remembers for a day what it was asked before the loop was given back.
    arrival: Option<Arrival>,
    /// Whether the fleet has slots of its own; the worker's to say, and not kept.
    #[serde(skip)]
    has_slots: bool,
}

/// How a loop came here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Arrival {
    name: String,
    version: u64,
}

/// What a heartbeat comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeardBeat {
    pub answer: HeartbeatAnswer,
    /// The name of the worker, where it is new that it has the session.
    pub taken_by: Option<String>,
}

impl Bookkeeping {
    /// Says whether sessions need a slot of the fleet.
    pub fn with_slots(self, has_slots: bool) -> Self {
        Self { has_slots, ..self }
    }

    /// What sessions wait for that no worker was offered.
    pub fn waiting(&self) -> &BTreeMap<EffectId, WaitsFor> {
        self.admission.waiting()
    }

    /// What a new loop sends.
    pub fn begin(&mut self, state: &LoopState, now: Time) -> Vec<Outgoing> {
        self.version = 1;
        let history = [self.record(&state.id, HistoryEntry::begun(state, now))];
        let reading = self.readings.arm(state, now).map(Outgoing::from);
        history.into_iter().chain(reading).collect()
    }

    /// What a loop sends that is handed over under a name, in the middle of its run.
    pub fn adopt(&mut self, handed: &HandedLoop, name: &str, now: Time) -> Vec<Outgoing> {
        let state = &handed.state;
        self.version += 1;
        self.arrival = Some(Arrival {
            name: name.to_owned(),
            version: self.version,
        });
        let writes = handed.in_doubt.iter();
        let writes = writes.map(|(effect, body)| {
            let run = "before the move".to_owned();
            let body = body.clone();
            (effect.clone(), ClaimedWrite { run, body })
        });
        self.writes = writes.collect();
        let mut entry = HistoryEntry::begun(state, now);
        entry.version = self.version;
        let mut out = vec![self.record(&state.id, entry)];
        let settled = self.admission.settle(state);
        out.extend(self.take_steps(state, settled));
        for (id, effect) in state.outbox.in_order() {
            self.send_effect(state, (id, effect), now, &mut out);
        }
        out.extend(self.readings.arm(state, now).map(Outgoing::from));
        let pending = handed.pending.iter().cloned();
        out.extend(pending.map(|event| Outgoing::Event(Box::new(event))));
        out
    }

    /// The version that a loop arrived with by this move.
    pub fn arrived(&self, name: &str) -> Option<u64> {
        let arrival = self.arrival.as_ref();
        let arrival = arrival.filter(|arrival| arrival.name == name);
        arrival.map(|arrival| arrival.version)
    }

    /// What comes before the names of what is sent once.
    pub fn once_prefix(&self) -> String {
        let arrival = self.arrival.as_ref();
        arrival.map_or_else(String::new, |arrival| format!("{}/", arrival.name))
    }

    /// Lets go of a loop: what is to be sent, and what may have been written. Numbers go on where they are, so that what was sent before
    /// counts no more.
    pub fn release(&mut self, state: &LoopState) -> (Vec<Outgoing>, ReleasedLoop) {
        let mut steps = self.admission.release_all();
        add_ended(&mut steps, self.end_sessions(|_| true));
        let mut out = self.take_steps(state, steps);
        out.push(Outgoing::Unwatch(LoopKey::from(state.id.clone())));
        self.readings = self.readings.stopped();
        let writes = std::mem::take(&mut self.writes).into_iter();
        let in_doubt = writes.map(|(effect, write)| (effect, write.body));
        let handed = HandedLoop {
            state: state.clone(),
            in_doubt: in_doubt.collect(),
            pending: Vec::new(),
        };
        let version = self.version;
        (out, ReleasedLoop { version, handed })
    }

    /// How many events the loop has had that its history has.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What an applied event sends.
    pub fn after_event(
        &mut self,
        (before, event): (&LoopState, &Event),
        done: &AppliedEvent,
        now: Time,
    ) -> Vec<Outgoing> {
        if is_of_reading(event) {
            self.readings.answered();
        }
        let wanted = &done.state.outbox.effects;
        let ended = self.end_sessions(|id| !wanted.contains_key(id));
        self.writes.retain(|id, _| wanted.contains_key(id));
        let mut out = Vec::new();
        if !is_left_out(event, done) {
            self.version += 1;
            let entry = HistoryEntry::applied((before, event), done, (self.version, now));
            out.push(self.record(&before.id, entry));
        }
        if !done.audits.is_empty() {
            out.push(Outgoing::Audit(done.audits.clone()));
        }
        let mut settled = self.admission.settle(&done.state);
        add_ended(&mut settled, ended);
        out.extend(self.take_steps(&done.state, settled));
        for (id, effect) in &done.effects {
            self.send_effect(&done.state, (id, effect), now, &mut out);
        }
        out.extend(self.readings.arm(&done.state, now).map(Outgoing::from));
        if self.readings.has_ended(&done.state) {
            out.push(Outgoing::Unwatch(LoopKey::from(done.state.id.clone())));
        }
        out
    }

    /// An entry for the history of the loop.
    fn record(&mut self, id: &LoopId, entry: HistoryEntry) -> Outgoing {
        // What cannot be written as JSON could not be sent either.
        let bytes = serde_json::to_vec(&entry).map_or(0, |text| text.len());
        Outgoing::History(Box::new(AppendRequest {
            key: LoopKey::from(id.clone()),
            kept: self.kept_entries.add(entry.version, bytes),
            entry,
        }))
    }

    /// Sessions that are over, and are known elsewhere to have a worker.
    fn end_sessions(&mut self, is_over: impl Fn(&EffectId) -> bool) -> Vec<EffectId> {
        let ended = self.sessions.extract_if(.., |id, _| is_over(id));
        ended
            .filter(|(_, session)| session.is_taken())
            .map(|(id, _)| id)
            .collect()
    }

    fn send_effect(
        &mut self,
        state: &LoopState,
        (id, effect): (&EffectId, &Effect),
        now: Time,
        out: &mut Vec<Outgoing>,
    ) {
        let request = EffectRequest {
            loop_id: state.id.clone(),
            effect: id.clone(),
            // What is done for a loop that does not want it any more does no harm: it need not be looked at.
            asked: (!effect.waits_for_pause()).then(|| AskedLoop {
                at: now,
                state: Box::new(state.clone()),
            }),
        };
        if let Some(not_before) = effect.not_before() {
            if not_before > now {
                self.admission.postpone(id);
                let (effect, after_ms) = (id.clone(), not_before.since(now));
                let timer = Timer::Begin { effect };
                return out.push(Outgoing::Timer { timer, after_ms });
            }
            out.extend(self.begin_session(state, id));
        } else if matches!(effect, Effect::Post(_) | Effect::ResolveThread(_)) {
            out.push(Outgoing::Post(request));
        } else {
            out.push(Outgoing::Effect(request));
        }
    }

    fn begin_session(&mut self, state: &LoopState, effect: &EffectId) -> Vec<Outgoing> {
        let steps = self.admission.begin(state, effect, self.has_slots);
        self.take_steps(state, steps)
    }

    /// Something was granted that sessions waited for.
    pub fn granted(&mut self, state: &LoopState, grant: &Grant) -> Vec<Outgoing> {
        let steps = self.admission.granted(state, grant, self.has_slots);
        self.take_steps(state, steps)
    }

    fn take_steps(&mut self, state: &LoopState, steps: Vec<AdmissionStep>) -> Vec<Outgoing> {
        let key = LoopKey::from(state.id.clone());
        let wish = |ticket| BranchWish {
            key: key.clone(),
            ticket,
        };
        let mut out = Vec::new();
        for step in steps {
            let message = match step {
                AdmissionStep::AcquireBranch { branch, ticket } => SharedMessage::AcquireBranch {
                    branch,
                    wish: wish(ticket),
                },
                AdmissionStep::ReleaseBranch { branch, ticket } => SharedMessage::ReleaseBranch {
                    branch,
                    wish: wish(ticket),
                },
                AdmissionStep::EnqueueForSlot { effect } => {
                    SharedMessage::EnqueueForSlot(SlotWish {
                        key: key.clone(),
                        effect,
                        repo: state.pull.repo.clone(),
                        person: state.run.started_by.clone(),
                    })
                }
                AdmissionStep::ReleaseSlot { effect } => SharedMessage::ReleaseSlot {
                    host: state.id.host.clone(),
                    effect,
                },
                AdmissionStep::Offer { effect } => {
                    self.sessions.insert(effect.clone(), WatchedSession::new());
                    out.extend(offer((&state.id, &effect), 1));
                    continue;
                }
            };
            out.push(Outgoing::Shared(message));
        }
        out
    }

    /// Something is said to have happened to its pull request.
    pub fn look(&mut self, state: &LoopState, reason: LookReason, now: Time) -> Vec<Outgoing> {
        let timer = self.readings.look(state, reason, now);
        timer.map(Outgoing::from).into_iter().collect()
    }

    /// What a timer sends that has come; nothing where it counts no more.
    pub fn timer_came(&mut self, state: &LoopState, timer: &Timer) -> Vec<Outgoing> {
        match timer {
            Timer::Read { generation } => self.read(state, *generation),
            Timer::Session { effect, attempt } => self.look_at_session(state, effect, *attempt),
            Timer::Begin { effect } if self.admission.is_postponed(effect) => {
                self.begin_session(state, effect)
            }
            Timer::Begin { .. } => Vec::new(),
        }
    }

    fn read(&mut self, state: &LoopState, generation: u64) -> Vec<Outgoing> {
        let came = self.readings.came(state, generation);
        let sent = came.map(|(request, guard)| [Outgoing::Reading(request), guard.into()]);
        sent.into_iter().flatten().collect()
    }

    fn look_at_session(
        &mut self,
        state: &LoopState,
        effect: &EffectId,
        attempt: u32,
    ) -> Vec<Outgoing> {
        let session = self.sessions.get_mut(effect);
        let Some(session) = session.filter(|session| session.attempt() == attempt) else {
            return Vec::new();
        };
        match session.look() {
            SessionLook::Wait => vec![next_look(effect, attempt)],
            SessionLook::Offer(attempt) => offer((&state.id, effect), attempt).into(),
            SessionLook::GiveUp => {
                let outcome = state.outbox.effects.get(effect).and_then(panic_outcome);
                let event = outcome.map(|outcome| Event::answered(effect.clone(), outcome));
                event
                    .into_iter()
                    .map(|event| Outgoing::Event(Box::new(event)))
                    .collect()
            }
        }
    }

    /// A worker says that it has a session.
    pub fn hear(&mut self, heartbeat: &Heartbeat) -> HeardBeat {
        let session = self.sessions.get_mut(&heartbeat.effect);
        let session = session.filter(|session| session.attempt() == heartbeat.attempt);
        let answer = HeartbeatAnswer {
            is_wanted: session.is_some(),
        };
        let taken_by = session.and_then(|session| session.hear(heartbeat.worker.as_deref()));
        HeardBeat { answer, taken_by }
    }

    /// Somebody wants to write. One run of an effect at a time may: whoever takes over shuts out who was there before, and is told what
    /// that one may have written (§8.2).
    pub fn claim(&mut self, state: &LoopState, claim: WriteClaim) -> ClaimAnswer {
        let refused = ClaimAnswer {
            is_granted: false,
            earlier: None,
        };
        if !state.outbox.effects.contains_key(&claim.effect) {
            return refused;
        }
        let before = self.writes.get(&claim.effect).cloned();
        let earlier = before.filter(|before| before.run != claim.run);
        if earlier.is_some() && !claim.takes_over {
            return refused;
        }
        let body = claim
            .body
            .or_else(|| earlier.as_ref().and_then(|earlier| earlier.body.clone()));
        let run = claim.run;
        let taken = claim.takes_over && earlier.is_none();
        if !taken {
            self.writes.insert(claim.effect, ClaimedWrite { run, body });
        }
        ClaimAnswer {
            is_granted: true,
            earlier,
        }
    }
}

/// Whoever shows who works is told that sessions have ended, those too that had no slot.
fn add_ended(steps: &mut Vec<AdmissionStep>, ended: Vec<EffectId>) {
    for effect in ended {
        let step = AdmissionStep::ReleaseSlot { effect };
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
}

/// A session for whichever worker takes it, and the look at whether it was taken.
fn offer((loop_id, effect): (&LoopId, &EffectId), attempt: u32) -> [Outgoing; 2] {
    let offer = SessionOffer {
        loop_id: loop_id.clone(),
        effect: effect.clone(),
        attempt,
    };
    [Outgoing::Session(offer), next_look(effect, attempt)]
}

/// Whether an event is a reading that showed nothing new: thousands of loops that wait have one each minute.
fn is_left_out(event: &Event, done: &AppliedEvent) -> bool {
    matches!(event, Event::Observed(_) | Event::PollPostponed(_)) && done.is_quiet
}

/// Whether an event says how a reading went.
fn is_of_reading(event: &Event) -> bool {
    matches!(
        event,
        Event::Observed(_) | Event::ObserveFailed(_) | Event::PollPostponed(_)
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kept_entries::Kept;
    use collie_core::effect::{
        CheckRightsEffect, LoadConfigEffect, PushEffect, ReviewEffect, VerifyEffect,
    };
    use collie_core::event::{Cancel, PollPostponed};
    use collie_core::ids::{Login, RepoName, RunId, Sha};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_core::policy::{Policy, ReviewerSpec};
    use collie_core::poll_budget::{PollThrottle, RateResource};
    use collie_core::post::RenderedPost;
    use collie_engine::apply_event;

    const NOW: Time = Time(1_000_000);

    pub(crate) fn state() -> LoopState {
        let new = NewLoop {
            id: LoopId {
                host: "github.com".into(),
                repo_id: "R_1".into(),
                number: 7,
            },
            pull: PullRequest {
                repo: RepoName::parse("acme/api").expect("a name"),
                title: String::new().into(),
                author: None,
                url: String::new(),
                head_ref: "topic".into(),
                base_ref: "main".into(),
            },
            run: RunId::new("run"),
            started_by: Login::new("kim"),
            policy: Policy::default(),
        };
        LoopState::new(new, NOW)
    }

    /// A state that asks for something, and the id of that.
    fn asking(effect: Effect) -> (LoopState, EffectId) {
        let mut state = state();
        let run = state.run.id.clone();
        state.outbox.ask(&run, effect);
        let id = state.outbox.effects.keys().next().expect("asked").clone();
        (state, id)
    }

    fn sha(digit: &str) -> Sha {
        Sha::parse(&digit.repeat(40)).expect("a commit")
    }

    fn verify() -> Effect {
        Effect::Verify(VerifyEffect {
            commit: sha("a"),
            from: sha("b"),
            base: sha("c"),
            not_before: NOW,
            failures: 0,
        })
    }

    fn push() -> Effect {
        Effect::Push(PushEffect {
            commit: sha("a"),
            from: sha("b"),
            rebased: false,
        })
    }

    /// A state with work that makes a commit.
    pub(crate) fn fixing() -> (LoopState, EffectId) {
        asking(verify())
    }

    /// A state with a review.
    pub(crate) fn reviewing() -> (LoopState, EffectId) {
        asking(Effect::Review(ReviewEffect {
            stage: 0,
            reviewer: ReviewerSpec::agent("quinn"),
            head: sha("a"),
            base: sha("c"),
            since: None,
            known_findings: Vec::new(),
            unseen: Vec::new(),
            doubted: Vec::new(),
            not_before: NOW,
        }))
    }

    fn short_effect() -> Effect {
        Effect::LoadConfig(LoadConfigEffect { commit: sha("a") })
    }

    #[test]
    fn each_event_has_the_next_version_and_readings_that_show_nothing_new_have_none() {
        let (mut state, effect) = asking(short_effect());
        let mut books = Bookkeeping::default();
        let begun = books.begin(&state, NOW);
        let entry = |out: &Outgoing| match out {
            Outgoing::History(asked) => Some((asked.entry.clone(), asked.kept.clone())),
            _ => None,
        };
        let first = Kept {
            first: 1,
            gone: Vec::new(),
        };
        let begin = HistoryEntry::begun(&state, NOW);
        assert_eq!(entry(&begun[0]), Some((begin, first.clone())));
        let postponed = Event::PollPostponed(PollPostponed {
            at: NOW,
            throttle: PollThrottle {
                resource: RateResource::Graphql,
                remaining: 0,
                limit: 5_000,
                resets_at: NOW.plus(60_000),
                stretch_permille: 1_000,
            },
            jitter_permille: 1_000,
        });
        // The first one tells why, the others nothing new.
        state = apply_event(&state, &postponed, NOW).state;
        let done = apply_event(&state, &postponed, NOW);
        let out = books.after_event((&state, &postponed), &done, NOW);
        assert!(
            !out.iter().any(|out| matches!(out, Outgoing::History(_))),
            "{out:?}"
        );
        assert_eq!(books.version(), 1);
        state = done.state;
        let cancel = Event::Cancel(Cancel {
            by: Login::new("kim"),
        });
        let done = apply_event(&state, &cancel, NOW);
        let out = books.after_event((&state, &cancel), &done, NOW);
        assert!(done.dropped.contains(&effect));
        let cancelled = HistoryEntry::applied((&state, &cancel), &done, (2, NOW));
        assert_eq!(
            out.iter().find_map(entry),
            Some((cancelled, first)),
            "{out:?}"
        );
    }

    /// What an older worker kept has no version, and its timers at the same place.
    #[test]
    fn what_an_older_worker_kept_is_read() {
        let old = r#"{"generation":7,"next_read":5,"is_reading":true,"sessions":{},"writes":{}}"#;
        let books: Bookkeeping = serde_json::from_str(old).expect("read");
        let written = serde_json::to_value(&books).expect("written");
        assert_eq!(written["generation"], 7);
        assert_eq!(written["next_read"], 5);
        assert_eq!((books.version(), &written["is_reading"]), (0, &true.into()));
        assert_eq!(
            serde_json::from_value::<Bookkeeping>(written).expect("read"),
            books
        );
    }

    fn watched() -> (Bookkeeping, LoopState, EffectId) {
        let (state, id) = asking(short_effect());
        let mut books = Bookkeeping::default();
        books.sessions.insert(id.clone(), WatchedSession::new());
        (books, state, id)
    }

    /// Lets the looks at a session come until something else is sent than the next one.
    fn look_until_silent(
        books: &mut Bookkeeping,
        state: &LoopState,
        look: &Timer,
    ) -> Vec<Outgoing> {
        for _ in 0..100 {
            let sent = books.timer_came(state, look);
            if !matches!(&sent[..], [Outgoing::Timer { timer, .. }] if timer == look) {
                return sent;
            }
        }
        panic!("nothing else is ever sent");
    }

    #[test]
    fn a_session_is_given_to_another_worker_once_its_own_is_silent() {
        let (mut books, state, effect) = watched();
        let heartbeat = |attempt| Heartbeat {
            effect: effect.clone(),
            attempt,
            worker: None,
        };
        let timer = |attempt| Timer::Session {
            effect: effect.clone(),
            attempt,
        };
        assert!(books.hear(&heartbeat(1)).answer.is_wanted);
        let sent = look_until_silent(&mut books, &state, &timer(1));
        assert!(
            matches!(&sent[..], [Outgoing::Session(offer), Outgoing::Timer { timer: next, .. }]
            if (&offer.effect, offer.attempt) == (&effect, 2) && *next == timer(2)),
            "{sent:?}"
        );
        // The one who had it is told, and the timer of its attempt does nothing more.
        assert!(!books.hear(&heartbeat(1)).answer.is_wanted);
        assert_eq!(books.timer_came(&state, &timer(1)), []);
        assert!(books.hear(&heartbeat(2)).answer.is_wanted);
    }

    #[test]
    fn it_is_told_once_who_has_a_session_and_once_that_it_has_ended() {
        let (mut books, state, effect) = watched();
        let heard = |books: &mut Bookkeeping, worker: &str| {
            let heartbeat = Heartbeat {
                effect: effect.clone(),
                attempt: 1,
                worker: Some(worker.into()),
            };
            books.hear(&heartbeat).taken_by
        };
        assert_eq!(heard(&mut books, "one"), Some("one".into()));
        assert_eq!(heard(&mut books, "one"), None);
        assert_eq!(heard(&mut books, "two"), Some("two".into()));
        let cancel = Event::Cancel(Cancel {
            by: Login::new("kim"),
        });
        let done = apply_event(&state, &cancel, NOW);
        assert!(done.dropped.contains(&effect));
        let told = Outgoing::Shared(SharedMessage::ReleaseSlot {
            host: "github.com".into(),
            effect,
        });
        let mut again = books.clone();
        let out = books.after_event((&state, &cancel), &done, NOW);
        let count = |out: &[Outgoing]| out.iter().filter(|out| **out == told).count();
        assert_eq!(count(&out), 1, "{out:?}");
        let (out, _) = again.release(&state);
        assert_eq!(count(&out), 1, "{out:?}");
        // Nobody was told of one that no worker has taken.
        let (mut books, state, _) = watched();
        let out = books.after_event((&state, &cancel), &done, NOW);
        assert_eq!(count(&out), 0, "{out:?}");
    }

    #[test]
    fn a_session_that_every_worker_falls_silent_over_has_failed() {
        let (mut books, mut state, effect) = watched();
        state.outbox.effects.insert(effect.clone(), verify());
        let mut look = Timer::Session { effect, attempt: 1 };
        let event = loop {
            match &look_until_silent(&mut books, &state, &look)[..] {
                [Outgoing::Session(_), Outgoing::Timer { timer, .. }] => look = timer.clone(),
                [Outgoing::Event(event)] => break event.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(event.name(), "verify_failed");
        assert_eq!(books.timer_came(&state, &look), []);
    }

    fn claim(effect: &EffectId, run: &str, takes_over: bool) -> WriteClaim {
        let body = (!takes_over).then(|| RenderedPost::Comment { body: run.into() });
        WriteClaim {
            effect: effect.clone(),
            run: run.into(),
            body,
            takes_over,
        }
    }

    #[test]
    fn who_takes_a_write_over_shuts_out_who_had_it_and_learns_what_it_may_have_written() {
        let (state, effect) = asking(short_effect());
        let mut books = Bookkeeping::default();
        // To look whether there is something to take over claims nothing.
        assert_eq!(books.claim(&state, claim(&effect, "a", true)).earlier, None);
        assert!(books.claim(&state, claim(&effect, "a", false)).is_granted);
        assert!(!books.claim(&state, claim(&effect, "b", false)).is_granted);
        let taken = books.claim(&state, claim(&effect, "b", true));
        let earlier = taken.earlier.expect("a may have written");
        assert_eq!(earlier.run, "a");
        assert!(matches!(earlier.body, Some(RenderedPost::Comment { body }) if body == "a"));
        assert!(!books.claim(&state, claim(&effect, "a", false)).is_granted);
        assert!(books.claim(&state, claim(&effect, "b", false)).is_granted);
    }

    #[test]
    fn a_loop_that_is_handed_over_does_what_it_wanted_and_looks_for_what_it_may_have_done() {
        let (state, effect) = asking(short_effect());
        let body = RenderedPost::Comment {
            body: "said".into(),
        };
        let handed = HandedLoop {
            state: state.clone(),
            in_doubt: [(effect.clone(), Some(body.clone()))].into(),
            pending: Vec::new(),
        };
        let mut books = Bookkeeping::default();
        let out = books.adopt(&handed, "first", NOW);
        let asks = |outgoing: &Outgoing| match outgoing {
            Outgoing::Effect(asked) | Outgoing::Post(asked) => asked.effect == effect,
            _ => false,
        };
        assert!(out.iter().any(asks), "{out:?}");
        assert_eq!(
            (books.arrived("first"), books.arrived("other")),
            (Some(1), None)
        );
        let taken = books.claim(&state, claim(&effect, "a", true));
        assert_eq!(taken.earlier.and_then(|earlier| earlier.body), Some(body));

        let (_, released) = books.release(&state);
        assert_eq!((released.version, &released.handed), (1, &handed));
        // What the engine remembers of the first stay is not taken for what is asked in the second.
        let before = books.once_prefix();
        books.adopt(&released.handed, "second", NOW);
        assert_eq!(books.arrived("second"), Some(2));
        assert_ne!(books.once_prefix(), before);
    }

    #[test]
    fn a_loop_that_is_given_back_gives_back_what_it_holds_and_its_timers_count_no_more() {
        let (mut books, state, effect) = watched();
        let timer = books.readings.arm(&state, NOW).expect("it is read").timer;
        books.release(&state);
        let heartbeat = Heartbeat {
            effect,
            attempt: 1,
            worker: None,
        };
        assert!(!books.hear(&heartbeat).answer.is_wanted);
        assert_eq!(books.timer_came(&state, &timer), []);
    }

    #[test]
    fn nothing_is_claimed_that_the_loop_does_not_want() {
        let (mut state, effect) = asking(short_effect());
        state.outbox.effects.clear();
        let mut books = Bookkeeping::default();
        assert!(!books.claim(&state, claim(&effect, "a", false)).is_granted);
    }

    #[test]
    fn what_is_dropped_is_watched_no_more() {
        let (mut books, state, effect) = watched();
        books.claim(&state, claim(&effect, "a", false));
        let cancel = Event::Cancel(Cancel {
            by: Login::new("kim"),
        });
        let done = apply_event(&state, &cancel, NOW);
        assert!(done.dropped.contains(&effect));
        books.after_event((&state, &cancel), &done, NOW);
        assert!(books.sessions.is_empty() && books.writes.is_empty());
    }

    #[test]
    fn an_effect_that_lasts_is_offered_and_others_are_run() {
        let rights = Effect::CheckRights(CheckRightsEffect { needed: [].into() });
        let (state, id) = asking(rights.clone());
        let mut books = Bookkeeping::default();
        let mut out = Vec::new();
        books.send_effect(&state, (&id, &rights), NOW, &mut out);
        let [Outgoing::Effect(request)] = &out[..] else {
            panic!("{out:?}");
        };
        assert_eq!((&request.effect, &request.asked), (&id, &None));
        assert!(books.sessions.is_empty());
    }

    #[test]
    fn the_loop_is_sent_along_with_what_does_no_harm_where_it_is_not_wanted_any_more() {
        for (effect, is_sent) in [
            (short_effect(), true),
            (Effect::CleanUp, true),
            (
                Effect::CheckRights(CheckRightsEffect { needed: [].into() }),
                false,
            ),
            (push(), false),
        ] {
            let (state, id) = asking(effect.clone());
            let mut out = Vec::new();
            Bookkeeping::default().send_effect(&state, (&id, &effect), NOW, &mut out);
            let [Outgoing::Effect(request)] = &out[..] else {
                panic!("{out:?}");
            };
            let asked = is_sent.then(|| AskedLoop {
                at: NOW,
                state: Box::new(state),
            });
            assert_eq!(request.asked, asked, "{}", effect.name());
        }
    }

    #[test]
    fn a_session_whose_time_has_not_come_waits_and_holds_nothing() {
        let (state, fix) = fixing();
        let asked = &state.outbox.effects[&fix];
        let mut books = Bookkeeping::default().with_slots(true);
        let (mut out, early) = (Vec::new(), Time(NOW.0 - 500));
        books.send_effect(&state, (&fix, asked), early, &mut out);
        let timer = Timer::Begin {
            effect: fix.clone(),
        };
        let wait = Outgoing::Timer {
            timer: timer.clone(),
            after_ms: 500,
        };
        assert_eq!(out, [wait]);
        let begun = books.timer_came(&state, &timer);
        assert!(
            matches!(
                &begun[..],
                [Outgoing::Shared(SharedMessage::AcquireBranch { .. })]
            ),
            "{begun:?}"
        );
        assert_eq!(books.timer_came(&state, &timer), [], "it came once");
    }
}

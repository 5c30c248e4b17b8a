//! What may happen, one thing at a time, and what it leads to.

use crate::bounds::{Bounds, POLL_MS, Search};
use crate::canonical;
use crate::host::{self, FAULTS, Host};
use crate::progress::{Graph, Node, Step};
use crate::sessions;
use crate::world::{CheckState, Said, Speaker, Talk, World, commit_of, sha, thread_id};
use collie_core::blocker::Blocker;
use collie_core::effect::Effect;
use collie_core::event::{
    Cancel, ChecksRerun, ConfigLoaded, Event, NextRun, ObserveFailed, Observed, Outcome,
    PushFailed, PushFailure, Pushed, Rebased, RemoteHead, RightsChecked, SessionFailure,
    ThreadResolved,
};
use collie_core::ids::{EffectId, Login, RunId, Time};
use collie_core::lifecycle::State;
use collie_core::snapshot::{ObserveFailure, PullState, ReviewVerdict};
use stateright::{Model, Property};
use std::hash::{Hash, Hasher};

/// How the answer of an effect comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// At once.
    Now,
    /// Twice.
    Twice,
    /// After other things, or never.
    Later,
    /// Not at all: the process dies between the deed and its answer.
    Lost,
}

/// What an effect comes to, where that is not settled by the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// What is usual: it works, the reviewer finds nothing, the fixer fixes.
    Usual,
    /// The reviewer finds something; the fixer turns down; a rebase conflicts.
    Other,
    /// A session breaks off.
    Fails,
    /// A post lands, and its answer is lost.
    AnswerLost,
    /// A post's answer is lost, and it lands later.
    LandsLate,
    /// A post meets a rate limit.
    RateLimited,
}

/// Something that happens to one pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// It is read.
    Read,
    /// It is read from a replica that is behind.
    ReadStale,
    /// It cannot be read.
    ReadFails,
    /// A reading begins whose answer takes long.
    BeginReading,
    /// That answer comes.
    EndReading,
    /// Work gets a slot.
    Begin(usize),
    /// The effect at this place is done.
    Do(usize, Choice, How),
    /// A late answer comes.
    Answer(usize),
    /// A late write lands.
    Land(usize),
    /// The check of the head ends.
    CheckEnds(bool),
    /// The bot looks at the head, and opens a thread or not.
    BotLooks(bool),
    /// The bot contradicts the answer in its thread.
    BotInsists(usize),
    /// A person pushes.
    Push,
    /// A person opens a thread.
    Comment,
    /// A person has another word in a thread.
    CommentAgain(usize),
    /// A person resolves a thread.
    Resolve(usize),
    /// A person asks for changes.
    RequestChanges,
    /// A person approves.
    Approve,
    /// A person makes it a draft, or not one any more.
    Draft(bool),
    /// A person switches auto-merge.
    AutoMerge(bool),
    /// A person merges or closes it.
    End(PullState),
    /// A person cancels the run.
    Cancel,
    /// A person cancels the run, and the process dies before it has applied that.
    CancelBeforeCrash,
    /// A person begins another run.
    NextRun,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// To one pull request.
    Of(usize, Act),
    /// Time passes until the next thing is due.
    Tick,
    /// A long time passes at once.
    Sleep,
    /// The process dies, and starts again.
    Crash,
}

/// A pull request and its loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pull {
    /// GitHub.
    pub world: World,
    /// Collie.
    pub host: Host,
}

/// A situation.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The pull requests.
    pub pulls: Vec<Pull>,
    /// Now.
    pub now: Time,
    /// What may still happen.
    pub left: Bounds,
    /// What it is known by.
    pub key: u64,
}

impl Hash for Situation {
    fn hash<H: Hasher>(&self, into: &mut H) {
        self.key.hash(into);
    }
}

impl PartialEq for Situation {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Situation {
    fn seal(mut self) -> Self {
        let pull_key = |pull: &Pull| {
            let mut hasher = canonical::hasher();
            pull.world.hash(&mut hasher);
            canonical::hash_host(&pull.host, self.now, &mut hasher);
            hasher.finish()
        };
        // Which pull request is which does not matter.
        let mut keys: Vec<u64> = self.pulls.iter().map(pull_key).collect();
        keys.sort_unstable();
        let mut hasher = canonical::hasher();
        (keys, self.left).hash(&mut hasher);
        self.key = hasher.finish();
        self
    }

    /// Whether every loop has ended, is ready, or waits for a person.
    pub fn is_settled(&self) -> bool {
        self.pulls.iter().all(|pull| {
            let run = &pull.host.state.run;
            run.state.is_terminal() || run.state == State::PrReadyToMerge
        })
    }

    fn node(&self) -> Node {
        Node {
            key: self.key,
            is_end: self.is_settled() || self.fault().is_some(),
        }
    }

    /// The first broken promise.
    pub fn fault(&self) -> Option<host::Fault> {
        self.pulls.iter().find_map(|pull| pull.host.fault)
    }
}

/// The model of one search.
pub struct LoopModel {
    /// Its bounds.
    pub search: Search,
    /// Which situation leads to which, as far as it was searched.
    pub graph: Graph,
    /// A situation that a path is wanted to.
    pub wanted: Option<u64>,
}

impl LoopModel {
    /// A model that has not been searched.
    pub fn new(search: Search) -> Self {
        Self {
            search,
            graph: Graph::default(),
            wanted: None,
        }
    }

    fn keep(&self) -> bool {
        self.search.bounds.stale_readings > 0
    }
}

/// Whether it happens by itself sooner or later: no fault, and nothing that people may as well leave be. What a blocker asks a person for
/// counts as such.
pub fn is_fair(action: &Action) -> bool {
    match action {
        Action::Tick => true,
        Action::Sleep | Action::Crash => false,
        Action::Of(_, act) => match act {
            Act::Read
            | Act::EndReading
            | Act::Begin(_)
            | Act::Do(_, Choice::Usual | Choice::Other, How::Now)
            | Act::Answer(_)
            | Act::Land(_)
            | Act::CheckEnds(_)
            | Act::Resolve(_)
            | Act::Approve
            | Act::Draft(false)
            | Act::AutoMerge(false) => true,
            Act::ReadStale
            | Act::ReadFails
            | Act::BeginReading
            | Act::Do(..)
            // It may be silent as well: then its time runs out.
            | Act::BotLooks(_)
            | Act::BotInsists(_)
            | Act::Push
            | Act::Comment
            | Act::CommentAgain(_)
            | Act::RequestChanges
            | Act::Draft(true)
            | Act::AutoMerge(true)
            | Act::End(_)
            | Act::Cancel
            | Act::CancelBeforeCrash
            | Act::NextRun => false,
        },
    }
}

/// Whether it is something that Collie does, other than to look.
pub fn is_work(action: &Action) -> bool {
    matches!(action, Action::Of(_, Act::Do(..)))
}

impl Model for LoopModel {
    type State = Situation;
    type Action = Action;

    fn init_states(&self) -> Vec<Situation> {
        let now = Time(10_000_000);
        let pull = |number: u8| Pull {
            world: World::new(),
            host: Host::new(&self.search, u64::from(number), now),
        };
        let first = Situation {
            pulls: (0..self.search.pulls).map(|_| pull(7)).collect(),
            now,
            left: self.search.bounds,
            key: 0,
        };
        vec![first.seal()]
    }

    fn actions(&self, at: &Situation, into: &mut Vec<Action>) {
        if at.fault().is_some() {
            return;
        }
        for index in 0..at.pulls.len() {
            let mut acts = Vec::new();
            self.acts(at, &at.pulls[index], &mut acts);
            into.extend(acts.into_iter().map(|act| Action::Of(index, act)));
        }
        if next_time(at).is_some() {
            into.push(Action::Tick);
        }
        if at.left.sleeps > 0 {
            into.push(Action::Sleep);
        }
        if at.left.crashes > 0 {
            into.push(Action::Crash);
        }
    }

    fn next_state(&self, last: &Situation, action: Action) -> Option<Situation> {
        let mut next = last.clone();
        match action {
            Action::Tick => next.now = next_time(last)?,
            Action::Sleep => {
                next.left.sleeps -= 1;
                next.now = next.now.plus(10 * POLL_MS);
            }
            Action::Crash => {
                next.left.crashes -= 1;
                crash(&mut next);
            }
            Action::Of(index, act) => self.happen(&mut next, index, act)?,
        }
        for pull in &mut next.pulls {
            let Pull { world, host } = pull;
            host.before_end
                .retain(|id| host.state.outbox.effects.contains_key(id));
            host.check_world(world);
        }
        let next = next.seal();
        if next.key == last.key && next.fault().is_none() {
            return None;
        }
        let step = Step {
            fair: is_fair(&action),
            works: is_work(&action),
        };
        self.graph.add(last.node(), next.node(), step);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(
                "not the situation that is looked for",
                |model: &Self, at| model.wanted != Some(at.key),
            ),
            Property::sometimes("it becomes ready", |_, at: &Situation| {
                let mut pulls = at.pulls.iter();
                pulls.any(|pull| pull.host.state.run.state == State::PrReadyToMerge)
            }),
        ];
        macro_rules! promises {
            ($($index:literal)+) => {
                $(properties.push(Property::always(FAULTS[$index], |_, at: &Situation| {
                    at.fault() != Some(FAULTS[$index])
                }));)+
            };
        }
        promises!(0 1 2 3 4 5 6 7 8 9 10 11);
        properties
    }
}

fn crash(at: &mut Situation) {
    let now = at.now;
    for pull in &mut at.pulls {
        pull.host.crash(now);
    }
}

/// When the next thing is due, where nothing is due now.
fn next_time(at: &Situation) -> Option<Time> {
    let polls = at
        .pulls
        .iter()
        .map(|pull| pull.host.state.run.polling.next_at);
    let polls: Vec<Time> = polls.flatten().collect();
    if polls.iter().any(|due| *due <= at.now) {
        return None;
    }
    let effects = at.pulls.iter().flat_map(|pull| pull.host.effects());
    let work = effects.filter_map(|(_, effect)| effect.not_before());
    polls
        .into_iter()
        .chain(work.filter(|begin| *begin > at.now))
        .min()
}

/// Which effects may be done now: posts and resolutions one after the other, work once its time has come. What only reads, or touches this
/// machine alone, is taken one after the other too: no two orders of these differ.
fn ready_effects<'a>(
    at: &'a Situation,
    pull: &'a Pull,
) -> impl Iterator<Item = (usize, &'a EffectId, &'a Effect)> {
    let is_said = |effect: &Effect| matches!(effect, Effect::Post(_) | Effect::ResolveThread(_));
    let is_private = |effect: &Effect| {
        effect.only_reads() || matches!(effect, Effect::CleanUp | Effect::Remember(_))
    };
    let first = pull.host.effects().position(|(_, effect)| is_said(effect));
    let first_private = pull
        .host
        .effects()
        .position(|(_, effect)| is_private(effect));
    let forbids = pull.world.shown.auto_merge && !pull.host.state.run.state.is_terminal();
    let answered = |id: &EffectId| {
        let mut late = pull.host.late_answers.iter();
        late.any(|event| matches!(event, Event::Answered(answered) if answered.effect == *id))
    };
    let effects = pull.host.effects().enumerate();
    let ready = effects.filter(move |(place, (id, effect))| {
        let is_due = effect.not_before().is_none_or(|begin| begin <= at.now);
        let in_turn = (!is_said(effect) || first == Some(*place))
            && (!is_private(effect) || first_private == Some(*place));
        let is_write = is_said(effect) || matches!(effect, Effect::Push(_));
        is_due && in_turn && !(is_write && forbids) && !answered(id)
    });
    ready.map(|(place, (id, effect))| (place, id, effect))
}

impl LoopModel {
    fn acts(&self, at: &Situation, pull: &Pull, into: &mut Vec<Act>) {
        self.acts_of_collie(at, pull, into);
        acts_of_others(at, pull, into);
    }

    fn acts_of_collie(&self, at: &Situation, pull: &Pull, into: &mut Vec<Act>) {
        let Pull { world, host } = pull;
        let left = &at.left;
        let due = host
            .state
            .run
            .polling
            .next_at
            .is_some_and(|due| due <= at.now);
        if due {
            into.push(Act::Read);
            if left.stale_readings > 0 && world.before.is_some() {
                into.push(Act::ReadStale);
            }
            if left.failed_readings > 0 {
                into.push(Act::ReadFails);
            }
            if left.delays > 0 && host.reading.is_none() {
                into.push(Act::BeginReading);
            }
        }
        if host.reading.is_some() {
            into.push(Act::EndReading);
        }
        into.extend((0..host.late_answers.len()).map(Act::Answer));
        into.extend((0..world.late.len()).map(Act::Land));
        let working: usize = at.pulls.iter().map(|pull| pull.host.working.len()).sum();
        for (place, id, effect) in ready_effects(at, pull) {
            if effect.takes_slot() && !host.working.contains(id) {
                if working < usize::from(self.search.slots) {
                    into.push(Act::Begin(place));
                }
                continue;
            }
            for choice in choices(at, pull, id, effect) {
                into.push(Act::Do(place, choice, How::Now));
                let answers = !matches!(
                    choice,
                    Choice::AnswerLost | Choice::LandsLate | Choice::RateLimited
                );
                if answers && left.crashes > 0 {
                    into.push(Act::Do(place, choice, How::Lost));
                }
                if answers && left.delays > 0 {
                    into.push(Act::Do(place, choice, How::Later));
                }
                if answers && left.duplicates > 0 {
                    into.push(Act::Do(place, choice, How::Twice));
                }
            }
        }
    }

    fn happen(&self, at: &mut Situation, index: usize, act: Act) -> Option<()> {
        let (now, keep) = (at.now, self.keep());
        match act {
            Act::Read | Act::ReadStale | Act::ReadFails | Act::BeginReading | Act::EndReading => {
                read(at, index, act)
            }
            Act::Begin(place) => {
                let host = &mut at.pulls[index].host;
                let id = host.effects().nth(place)?.0.clone();
                host.working.insert(id);
                Some(())
            }
            Act::Do(place, choice, how) => self.run_effect(at, index, place, choice, how),
            Act::Answer(which) => {
                let host = &mut at.pulls[index].host;
                let answer = host.late_answers.remove(which);
                host.receive(answer, now);
                Some(())
            }
            Act::Land(which) => {
                let world = &mut at.pulls[index].world;
                let write = world.late.remove(which);
                world.land(keep, &write);
                Some(())
            }
            Act::CheckEnds(passes) => {
                at.left.red_checks -= u8::from(!passes);
                let check = match passes {
                    true => CheckState::Passed,
                    false => CheckState::Failed,
                };
                at.pulls[index]
                    .world
                    .change(keep, |shown| shown.check = check);
                Some(())
            }
            Act::BotLooks(_) | Act::BotInsists(_) => self.bot(at, index, act),
            person => self.person(at, index, person),
        }
    }

    fn bot(&self, at: &mut Situation, index: usize, act: Act) -> Option<()> {
        let keep = self.keep();
        let world = &mut at.pulls[index].world;
        match act {
            Act::BotLooks(opens) => {
                at.left.bot_looks -= 1;
                at.left.bot_threads -= u8::from(opens);
                let id = next_comment(world);
                let looked = (world.shown.head(), opens);
                // A review and its threads come at once.
                world.change(keep, |shown| {
                    shown.bot_looks.push(looked);
                    if opens {
                        shown.talks.push(Talk::opened(Said {
                            id,
                            by: Speaker::Bot,
                        }));
                    }
                });
            }
            Act::BotInsists(which) => {
                at.left.bot_insists -= 1;
                say_again(world, keep, which, Speaker::Bot);
            }
            _ => return None,
        }
        Some(())
    }

    fn person(&self, at: &mut Situation, index: usize, act: Act) -> Option<()> {
        let keep = self.keep();
        let world = &mut at.pulls[index].world;
        match act {
            Act::Push => {
                at.left.pushes -= 1;
                let commit = world.make_commit();
                world.push(keep, commit);
            }
            Act::Comment => {
                at.left.comments -= 1;
                let id = next_comment(world);
                world.change(keep, |shown| {
                    shown.talks.push(Talk::opened(Said {
                        id,
                        by: Speaker::Person,
                    }));
                });
            }
            Act::CommentAgain(which) => {
                at.left.comments -= 1;
                say_again(world, keep, which, Speaker::Person);
            }
            Act::Resolve(which) => {
                world.change(keep, |shown| shown.talks[which].resolved = true);
            }
            Act::RequestChanges => {
                at.left.reviews -= 1;
                let verdict = Some(ReviewVerdict::ChangesRequested);
                world.change(keep, |shown| shown.verdict = verdict);
            }
            Act::Approve => {
                world.change(keep, |shown| shown.verdict = Some(ReviewVerdict::Approved));
            }
            Act::Draft(on) => {
                at.left.drafts -= u8::from(on);
                world.change(keep, |shown| shown.draft = on);
            }
            Act::AutoMerge(on) => {
                at.left.auto_merges -= u8::from(on);
                world.change(keep, |shown| shown.auto_merge = on);
            }
            Act::End(state) => {
                at.left.ends -= 1;
                world.change(keep, |shown| shown.state = state);
            }
            command => return self.command(at, index, command),
        }
        Some(())
    }

    /// What a person tells Collie.
    fn command(&self, at: &mut Situation, index: usize, act: Act) -> Option<()> {
        let now = at.now;
        let host = &mut at.pulls[index].host;
        let by = Login::new("kim");
        match act {
            Act::Cancel | Act::CancelBeforeCrash => {
                at.left.cancels -= 1;
                host.cancel_taken = true;
                host.inbox.push(Event::Cancel(Cancel { by }));
                if act == Act::Cancel {
                    host.apply(now);
                } else {
                    at.left.crashes -= 1;
                    crash(at);
                }
            }
            Act::NextRun => {
                at.left.next_runs -= 1;
                let next = NextRun {
                    by,
                    run: RunId::new(format!("run-{}", host.state.run.ordinal + 1)),
                    policy: Box::new(self.search.policy()),
                    extra_rounds: 0,
                };
                let event = match host.state.run.state.may_resume() {
                    true => Event::Resume(next),
                    false => Event::Retry(next),
                };
                host.receive(event, now);
            }
            _ => return None,
        }
        Some(())
    }

    fn run_effect(
        &self,
        at: &mut Situation,
        index: usize,
        place: usize,
        choice: Choice,
        how: How,
    ) -> Option<()> {
        let now = at.now;
        match choice {
            Choice::AnswerLost => at.left.lost_answers -= 1,
            Choice::LandsLate => at.left.late_writes -= 1,
            Choice::RateLimited => at.left.rate_limits -= 1,
            Choice::Fails => at.left.failed_sessions -= 1,
            Choice::Usual | Choice::Other => {}
        }
        let pull = &mut at.pulls[index];
        let (id, effect) = pull.host.effects().nth(place)?;
        let (id, effect) = (id.clone(), effect.clone());
        let finds = matches!((&effect, choice), (Effect::Review(_), Choice::Other));
        at.left.findings -= u8::from(finds);
        let answer = match &effect {
            Effect::Post(asked) => {
                let write = host::write_of(&asked.post);
                send(pull, &id, &asked.post, write, choice, self.keep())
            }
            other => Some(Event::answered(id, self.deed(pull, other, choice)?)),
        };
        let Some(answer) = answer else {
            return Some(());
        };
        let host = &mut at.pulls[index].host;
        match how {
            How::Now => host.receive(answer, now),
            How::Twice => {
                at.left.duplicates -= 1;
                host.receive(answer.clone(), now);
                host.receive(answer, now);
            }
            How::Later => {
                at.left.delays -= 1;
                host.late_answers.push(answer);
            }
            How::Lost => {
                at.left.crashes -= 1;
                crash(at);
            }
        }
        Some(())
    }

    /// What an effect that is no post does, and what it comes to.
    fn deed(&self, pull: &mut Pull, effect: &Effect, choice: Choice) -> Option<Outcome> {
        let keep = self.keep();
        let Pull { world, host } = pull;
        Some(match effect {
            Effect::LoadConfig(asked) => Outcome::from(ConfigLoaded {
                commit: asked.commit.clone(),
                policy: Box::new(self.search.policy()),
                without_effect: Default::default(),
            }),
            Effect::CheckRights(_) => RightsChecked {
                lacking: Default::default(),
                unanswered: false,
            }
            .into(),
            Effect::Review(_) | Effect::Fix(_) => session(world, host, effect, choice)?,
            Effect::Push(asked) => {
                host.check_write(world);
                push(world, host, asked, choice, keep)
            }
            Effect::ReadRemoteHead(_) => RemoteHead {
                head: Some(sha(world.shown.head())),
            }
            .into(),
            Effect::ResolveThread(asked) => {
                host.check_write(world);
                let which = crate::world::talk_index(&asked.thread);
                world.change(keep, |shown| {
                    let talk = which.and_then(|which| shown.talks.get_mut(which));
                    talk.into_iter().for_each(|talk| talk.resolved = true);
                });
                ThreadResolved { refused: None }.into()
            }
            Effect::RerunChecks(_) => ChecksRerun {
                refused: Default::default(),
            }
            .into(),
            Effect::CleanUp => Outcome::CleanedUp,
            Effect::Remember(_) => Outcome::Remembered,
            Effect::Post(_) | Effect::Verify(_) | Effect::MergeBase(_) => return None,
        })
    }
}

/// What a reviewer or the fixer answers.
fn session(world: &mut World, host: &mut Host, effect: &Effect, choice: Choice) -> Option<Outcome> {
    Some(match effect {
        Effect::Review(asked) => {
            let at_head = asked.head == sha(world.shown.head());
            match choice {
                Choice::Fails => Outcome::ReviewFailed(sessions::broke_off()),
                _ if !at_head => Outcome::ReviewFailed(sessions::failed(mismatch(world))),
                _ => sessions::review(asked, host.state.id.number, choice == Choice::Other),
            }
        }
        Effect::Fix(asked) => {
            let at_head = asked.head == sha(world.shown.head());
            match choice {
                Choice::Fails => Outcome::FixFailed(sessions::broke_off()),
                _ if !at_head => Outcome::FixFailed(sessions::failed(mismatch(world))),
                Choice::Other => sessions::fix(asked, None),
                _ => {
                    let commit = world.make_commit();
                    host.turn_of.insert(commit, host.state.run.fixing.turns);
                    sessions::fix(asked, Some(sha(commit)))
                }
            }
        }
        _ => return None,
    })
}

fn mismatch(world: &World) -> SessionFailure {
    SessionFailure::HeadMismatch {
        found: Some(sha(world.shown.head())),
    }
}

/// Another word in a thread.
fn say_again(world: &mut World, keep: bool, which: usize, by: Speaker) {
    let id = next_comment(world);
    world.change(keep, |shown| shown.talks[which].said.push(Said { id, by }));
}

/// The number of the next comment.
fn next_comment(world: &World) -> u64 {
    let said = world.shown.talks.iter().map(|talk| talk.said.len() as u64);
    101 + said.sum::<u64>()
}

/// A push: done where it is on the branch already, laid on top of what came between once, else given up (§6.4).
fn push(
    world: &mut World,
    host: &mut Host,
    asked: &collie_core::effect::PushEffect,
    choice: Choice,
    keep: bool,
) -> Outcome {
    let commit = commit_of(&asked.commit);
    let done = Pushed {
        commit: asked.commit.clone(),
    };
    if world.shown.branch.contains(&commit) {
        return done.into();
    }
    if asked.from == sha(world.shown.head()) {
        world.push(keep, commit);
        host.arrived.extend(host.turn_of.get(&commit).copied());
        return done.into();
    }
    if asked.rebased || choice == Choice::Other {
        let failure = PushFailure::Diverged;
        return PushFailed { failure }.into();
    }
    let again = world.make_commit();
    let turn = host.turn_of.get(&commit).copied();
    host.turn_of.extend(turn.map(|turn| (again, turn)));
    Rebased {
        commit: sha(again),
        onto: sha(world.shown.head()),
        verification: Default::default(),
        refused_hosts: Default::default(),
    }
    .into()
}

/// Sends a post as the engine does: what is in doubt is looked for first, what nobody wants any more is not sent, the body is stored
/// before it goes out. None: no answer yet.
fn send(
    pull: &mut Pull,
    id: &EffectId,
    post: &collie_core::post::Post,
    write: crate::world::Write,
    choice: Choice,
    keep: bool,
) -> Option<Event> {
    let Pull { world, host } = pull;
    let is_there = world.shown.posts.contains_key(&post.token);
    let looks = host.in_doubt.contains(id) || host.state.may_have_said_more();
    if looks && is_there {
        return Some(host::confirmed(id));
    }
    if !host.is_wanted(id) {
        return Some(host::undeliverable(id));
    }
    host.check_send(world, id, post);
    host.sending.insert(id.clone());
    match choice {
        Choice::RateLimited => None,
        Choice::LandsLate => {
            world.late.push(write);
            host.in_doubt.insert(id.clone());
            None
        }
        Choice::AnswerLost => {
            world.land(keep, &write);
            host.in_doubt.insert(id.clone());
            None
        }
        Choice::Usual | Choice::Other | Choice::Fails => {
            world.land(keep, &write);
            Some(host::confirmed(id))
        }
    }
}

fn choices(at: &Situation, pull: &Pull, id: &EffectId, effect: &Effect) -> Vec<Choice> {
    let (left, Pull { world, host }) = (&at.left, pull);
    let mut all = Vec::new();
    match effect {
        Effect::Review(asked) => {
            all.push(Choice::Usual);
            let at_head = asked.head == sha(world.shown.head());
            if at_head && left.findings > 0 {
                all.push(Choice::Other);
            }
            if left.failed_sessions > 0 {
                all.push(Choice::Fails);
            }
        }
        Effect::Fix(asked) => {
            all.push(Choice::Usual);
            if asked.head == sha(world.shown.head()) {
                all.push(Choice::Other);
            }
            if left.failed_sessions > 0 {
                all.push(Choice::Fails);
            }
        }
        Effect::Push(asked) => {
            all.push(Choice::Usual);
            let is_there = world.shown.branch.contains(&commit_of(&asked.commit));
            let moved = asked.from != sha(world.shown.head());
            if !is_there && moved && !asked.rebased {
                all.push(Choice::Other);
            }
        }
        Effect::Post(asked) => {
            let token = &asked.post.token;
            let looks = host.in_doubt.contains(id) || host.state.may_have_said_more();
            let found = looks && world.shown.posts.contains_key(token);
            // What GitHub has taken it shows before a later attempt succeeds: longer than both looks nobody can wait (§8.2).
            let is_late = world.late.iter().any(|late| late.token == *token);
            if !is_late || !host.is_wanted(id) {
                all.push(Choice::Usual);
            }
            if !found && host.is_wanted(id) {
                if left.lost_answers > 0 && !is_late {
                    all.push(Choice::AnswerLost);
                }
                if left.late_writes > 0 && !is_late {
                    all.push(Choice::LandsLate);
                }
                if left.rate_limits > 0 {
                    all.push(Choice::RateLimited);
                }
            }
        }
        Effect::Verify(_) | Effect::MergeBase(_) => {}
        _ => all.push(Choice::Usual),
    }
    all
}

/// What CI, bots and people may do.
fn acts_of_others(at: &Situation, pull: &Pull, into: &mut Vec<Act>) {
    let (left, Pull { world, host }) = (&at.left, pull);
    let shown = &world.shown;
    let state = host.state.run.state;
    if state.is_terminal() && left.next_runs > 0 && state.may_retry() {
        into.push(Act::NextRun);
    }
    if shown.state != PullState::Open || state.is_terminal() {
        return;
    }
    if shown.check == CheckState::Running {
        into.push(Act::CheckEnds(true));
        if left.red_checks > 0 {
            into.push(Act::CheckEnds(false));
        }
    }
    if shown.draft {
        into.push(Act::Draft(false));
    }
    if shown.auto_merge {
        into.push(Act::AutoMerge(false));
    }
    if shown.verdict == Some(ReviewVerdict::ChangesRequested) {
        into.push(Act::Approve);
    }
    acts_in_threads(at, pull, into);
    let may = [
        (left.pushes > 0, Act::Push),
        (left.comments > 0, Act::Comment),
        (
            left.reviews > 0 && shown.verdict.is_none(),
            Act::RequestChanges,
        ),
        (left.drafts > 0 && !shown.draft, Act::Draft(true)),
        (
            left.auto_merges > 0 && !shown.auto_merge,
            Act::AutoMerge(true),
        ),
        (left.ends > 0, Act::End(PullState::Closed)),
        (left.ends > 0, Act::End(PullState::Merged)),
        (left.cancels > 0, Act::Cancel),
        (left.cancels > 0 && left.crashes > 0, Act::CancelBeforeCrash),
    ];
    into.extend(may.into_iter().filter(|(may, _)| *may).map(|(_, act)| act));
}

/// What the bot and people may say in threads, and the bot of the head.
fn acts_in_threads(at: &Situation, pull: &Pull, into: &mut Vec<Act>) {
    let (left, Pull { world, host }) = (&at.left, pull);
    let shown = &world.shown;
    let asks_for_threads = matches!(host.state.run.blocker, Some(Blocker::ThreadsOpen { .. }));
    let open = shown.talks.iter().enumerate();
    let open = open.filter(|(_, talk)| !talk.resolved && !talk.is_own());
    for (which, talk) in open {
        if asks_for_threads {
            into.push(Act::Resolve(which));
        }
        let answered = talk.last_is_own();
        let by_bot = talk.opener() == Some(&Speaker::Bot);
        if left.comments > 0 && answered && !by_bot {
            into.push(Act::CommentAgain(which));
        }
        if left.bot_insists > 0 && answered && by_bot {
            into.push(Act::BotInsists(which));
        }
    }
    let head = shown.head();
    if left.bot_looks > 0 && !shown.bot_looks.iter().any(|(looked, _)| *looked == head) {
        into.push(Act::BotLooks(false));
        if left.bot_threads > 0 {
            into.push(Act::BotLooks(true));
        }
    }
}

fn read(at: &mut Situation, index: usize, act: Act) -> Option<()> {
    let now = at.now;
    let Pull { world, host } = &mut at.pulls[index];
    let number = host.state.id.number;
    let observed = |snapshot| {
        let throttle = None;
        Event::Observed(Observed { snapshot, throttle })
    };
    match act {
        Act::Read => {
            let snapshot = host::read(&world.shown, number, now);
            host.receive(observed(snapshot), now);
            host.check_ready(&world.shown);
        }
        Act::ReadStale => {
            at.left.stale_readings -= 1;
            let snapshot = host::read(world.before.as_ref()?, number, now);
            host.receive(observed(snapshot), now);
        }
        Act::ReadFails => {
            at.left.failed_readings -= 1;
            let message = "down".to_owned();
            host.receive(
                Event::ObserveFailed(ObserveFailed {
                    at: now,
                    failure: ObserveFailure::Unreachable { message },
                    jitter_permille: 0,
                }),
                now,
            );
        }
        Act::BeginReading => {
            at.left.delays -= 1;
            host.reading = Some(host::read(&world.shown, number, now));
        }
        Act::EndReading => {
            let snapshot = host.reading.take()?;
            host.receive(observed(snapshot), now);
        }
        _ => return None,
    }
    Some(())
}

/// Where a thread is, for whoever reads a trace.
pub fn thread_name(which: usize) -> String {
    thread_id(which).to_string()
}

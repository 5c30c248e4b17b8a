//! People, bots and time.

use super::agenda::Happening;
use super::github_port::{SimulatedGitHub, pull_ref};
use super::journal_port::JournalThread;
use super::remote::{
    COLLIE, Comment, FAULTS, FIRST_LINE, PERSON, ReviewRow, Talk, View, fault_title, number,
};
use super::review_bot::{self, plan_bot};
use super::schedule::{MINUTE, Move};
use super::stage::Stage;
use crate::blank_snapshot::repo;
use collie_core::ids::{ActionToken, Login, PullName, Time};
use collie_core::lifecycle::State;
use collie_core::snapshot::{PullState, ReviewVerdict};
use collie_core::text::trailing_token;
use collie_engine::ports::{Clock, JournalReader, LoopRequest};
use std::sync::Arc;
use std::time::Duration;

/// How far Collie's clock is put forward: a laptop that slept.
const FORWARD_MS: i64 = 2 * 60 * 60_000;
/// How far it is put back.
const BACK_MS: i64 = -20 * 60_000;
/// How long people leave things as they are, before and between their help.
const HELP_MS: u64 = 10 * MINUTE;

/// Plans what is in the schedule, and the bot's first look.
pub fn plan(stage: &Stage) {
    let start = super::stage::START;
    for (at, planned) in stage.schedule.moves.iter().enumerate() {
        stage
            .agenda
            .add(start.plus(planned.at), Happening::Planned(at));
    }
    let last = stage.schedule.moves.last().map_or(0, |planned| planned.at);
    let help = start.plus(last + 3 * HELP_MS);
    stage.agenda.add(help, Happening::PeopleHelp);
    for pull in 0..stage.schedule.setting.pulls {
        plan_bot(stage, usize::try_from(pull).unwrap_or_default());
    }
}

/// The name of a pull request.
pub fn pull_name(place: usize) -> PullName {
    PullName {
        repo: repo(),
        number: place as u64 + 1,
    }
}

/// Who acts.
pub struct People {
    /// Where.
    pub stage: Arc<Stage>,
    /// What they write to.
    pub github: Arc<SimulatedGitHub>,
    /// Where they leave what they ask of Collie.
    pub journal: Arc<JournalThread>,
}

impl People {
    /// Acts for ever.
    pub async fn act(self) {
        loop {
            let now = self.stage.clock.world();
            while let Some(what) = self.stage.agenda.take_due(now) {
                self.happen(what);
            }
            let next = self.stage.agenda.next();
            let left = next.map_or(HELP_MS, |next| next.since(now));
            tokio::select! {
                biased;
                () = self.stage.agenda.changed() => {}
                () = tokio::time::sleep(Duration::from_millis(left.max(1))) => {}
            }
        }
    }

    fn happen(&self, what: Happening) {
        match what {
            Happening::Planned(at) => {
                if let Some(planned) = self.stage.schedule.moves.get(at) {
                    let pull = usize::try_from(planned.pull).unwrap_or_default();
                    self.make_move(at, pull, planned.what);
                }
            }
            Happening::BotReviews { pull, head } => review_bot::review(&self.stage, pull, head),
            Happening::BotInsists { pull, talk } => review_bot::insist(&self.stage, pull, talk),
            Happening::Lands { pull, rendered } => {
                self.github.land(&pull_ref(pull), &rendered);
            }
            Happening::PeopleHelp => {
                for pull in 0..self.stage.schedule.setting.pulls {
                    self.help(usize::try_from(pull).unwrap_or_default());
                }
                let next = self.stage.clock.world().plus(HELP_MS);
                self.stage.agenda.add(next, Happening::PeopleHelp);
            }
        }
    }

    /// Leaves a request; its number.
    fn ask(&self, what: LoopRequest) -> Option<u64> {
        let at = self.stage.clock.now();
        let by = Login::new("kim");
        let asked = self
            .journal
            .ask(move |store| Box::pin(async move { store.add_request(&what, &by, at).await }));
        asked
            .inspect_err(|error| {
                self.stage
                    .breach(format!("a request was not stored: {error}"));
            })
            .ok()
    }

    /// Starts a loop for each pull request.
    pub fn start_loops(&self) {
        for place in 0..self.stage.schedule.setting.pulls {
            self.start_loop(usize::try_from(place).unwrap_or_default());
        }
    }

    fn start_loop(&self, place: usize) {
        let (pull, autonomy) = (pull_name(place), None);
        self.ask(LoopRequest::Start { pull, autonomy });
    }

    fn make_move(&self, nth: usize, pull: usize, what: Move) {
        let stage = &self.stage;
        let now = stage.clock.world();
        let view = stage.remote().view(pull);
        if view.state == PullState::Merged {
            return;
        }
        stage.log(format!("#{} a person: {what:?}", pull + 1));
        match what {
            Move::Push | Move::ForcePush => {
                let pushed = self.person_pushes(nth, pull, &view, what == Move::ForcePush);
                if pushed {
                    plan_bot(stage, pull);
                }
            }
            Move::Comment | Move::CommentAgain | Move::Edit | Move::Remark => {
                self.say(nth, pull, what);
            }
            Move::DeletePost => self.delete_post(nth, pull),
            Move::RequestChanges => self.review(pull, &view, ReviewVerdict::ChangesRequested),
            Move::Approve => self.review(pull, &view, ReviewVerdict::Approved),
            Move::Draft
            | Move::AutoMerge
            | Move::Lock
            | Move::Close
            | Move::Merge
            | Move::CheckTurnsRed => {
                let mut remote = stage.remote();
                remote.change(pull, now, |view| change_flag(view, what, now));
            }
            Move::BaseMoves => {
                let mut remote = stage.remote();
                let base = remote.base;
                remote.base = remote.make_commit(base, Default::default(), None);
            }
            Move::Cancel => {
                let (id, pull) = (pull_ref(pull).id, pull_name(pull));
                let run = stage.promises().run_at_work(&id);
                let request = self.ask(LoopRequest::Cancel { pull });
                let cancelled = run.zip(request).map(|(run, request)| (id, run, request));
                stage.promises().cancelled.extend(cancelled);
            }
            Move::NextRun => self.next_run(pull),
            Move::Pause => {
                let paused = {
                    let mut promises = stage.promises();
                    promises.paused = !promises.paused;
                    promises.paused
                };
                self.ask(LoopRequest::SetPaused { paused });
            }
            Move::ClockForward => stage.clock.shift(FORWARD_MS),
            Move::ClockBack => stage.clock.shift(BACK_MS),
        }
    }

    fn person_pushes(&self, nth: usize, pull: usize, view: &View, forced: bool) -> bool {
        let (draw, now) = (self.stage.draw, self.stage.clock.world());
        let mut remote = self.stage.remote();
        let on = match (forced, view.branch.as_slice()) {
            (false, _) => view.head(),
            (true, [.., before, _]) => *before,
            (true, _) => return false,
        };
        let mut faults = remote.faults(on);
        let fault = number(draw.below(("pushes", nth), u64::from(FAULTS)));
        if !faults.remove(&fault) && draw.chance(("breaks", nth), 500) {
            faults.insert(fault);
        }
        let commit = remote.make_commit(on, faults, None);
        remote.change(pull, now, |view| {
            if forced {
                view.branch.pop();
            }
            view.branch.push(commit);
            view.head_came.insert(commit, now);
        });
        true
    }

    fn say(&self, nth: usize, pull: usize, what: Move) {
        let (draw, now) = (self.stage.draw, self.stage.clock.world());
        let mut remote = self.stage.remote();
        let id = remote.take_id();
        let fault = number(draw.below(("says", nth), u64::from(FAULTS)));
        let comment = |body: String| Comment {
            id,
            author: PERSON,
            body,
            at: now,
            edited: None,
        };
        let view = remote.view(pull);
        let talks: Vec<u64> = view.talks.keys().copied().collect();
        let chosen = draw.pick(("talk", nth), &talks);
        match what {
            Move::Comment => {
                let talk = Talk {
                    line: FIRST_LINE + fault,
                    resolved: false,
                    comments: vec![comment(format!("Is this right? {}", fault_title(fault)))],
                    asked: 1,
                    answers: 0,
                };
                remote.change(pull, now, |view| {
                    view.talks.insert(id, talk);
                });
            }
            Move::CommentAgain => remote.change(pull, now, |view| {
                let talk = chosen.and_then(|id| view.talks.get_mut(&id));
                talk.into_iter().for_each(|talk| {
                    talk.asked += 1;
                    let again = talk.asked;
                    talk.comments
                        .push(comment(format!("And what of this ({again})?")));
                });
            }),
            Move::Edit => remote.change(pull, now, |view| {
                let talk = chosen.and_then(|id| view.talks.get_mut(&id));
                talk.into_iter().for_each(|talk| {
                    talk.asked += 1;
                    let mut own = talk.comments.iter_mut();
                    let own = own.find(|comment| comment.author == PERSON);
                    own.into_iter().for_each(|own| {
                        own.body.push_str(" Really?");
                        own.edited = Some(now);
                    });
                });
            }),
            _ => remote.change(pull, now, |view| {
                let nth = view.remarks.len();
                // Some of it asks for nothing.
                let words = match nth % 3 {
                    0 => "Nice work.".to_owned(),
                    _ => format!("Should it not count from {nth}?"),
                };
                view.remarks.push(comment(words));
            }),
        }
    }

    fn delete_post(&self, nth: usize, pull: usize) {
        let now = self.stage.clock.world();
        let mut remote = self.stage.remote();
        let talks: Vec<u64> = remote.view(pull).talks.keys().copied().collect();
        let chosen = self.stage.draw.pick(("talk", nth), &talks);
        let mut deleted = None;
        remote.change(pull, now, |view| deleted = delete_post(view, chosen));
        let token = deleted.and_then(|post| trailing_token(&post.body));
        // What is deleted before Collie has seen it stand there nobody can tell from what never arrived: it may be said again.
        let is_known = |token: &ActionToken| {
            let promises = self.stage.promises();
            promises
                .loops()
                .any(|state| state.memory.posted.contains_key(token))
        };
        if let Some(token) = token.filter(|token| !is_known(token)) {
            remote.tokens.remove(&token);
            remote.change(pull, now, |view| {
                let talk = chosen.and_then(|id| view.talks.get_mut(&id));
                talk.into_iter()
                    .for_each(|talk| talk.answers = talk.answers.saturating_sub(1));
            });
        }
    }

    fn review(&self, pull: usize, view: &View, verdict: ReviewVerdict) {
        let now = self.stage.clock.world();
        let head = view.head();
        let mut remote = self.stage.remote();
        let id = remote.take_id();
        remote.change(pull, now, |view| {
            view.reviews.push(ReviewRow {
                id,
                author: PERSON,
                verdict,
                head,
                body: String::new(),
                at: now,
            });
        });
    }

    fn next_run(&self, place: usize) {
        let id = pull_ref(place).id;
        let state = self.stage.promises().state_of(&id);
        let pull = pull_name(place);
        match state {
            Some(State::NeedsHuman) => {
                self.ask(LoopRequest::Resume { pull, rounds: 0 });
            }
            Some(State::Closed | State::Cancelled | State::Failed) => {
                self.ask(LoopRequest::Retry { pull });
            }
            _ => {}
        }
    }

    /// Does everything that a blocker may ask a person for.
    fn help(&self, pull: usize) {
        let stage = &self.stage;
        let now = stage.clock.world();
        let view = stage.remote().view(pull);
        if stage.promises().state_of(&pull_ref(pull).id).is_none() {
            // GitHub did not tell about it: the person was told, and asks again.
            self.start_loop(pull);
        }
        let is_open = view.state == PullState::Open;
        if is_open && view.verdict() == Some(ReviewVerdict::ChangesRequested) {
            self.review(pull, &view, ReviewVerdict::Approved);
        }
        let paused = std::mem::take(&mut stage.promises().paused);
        if paused {
            self.ask(LoopRequest::SetPaused { paused: false });
        }
        let changes = view.draft
            || view.locked
            || view.auto_merge.is_some()
            || view.talks.values().any(|talk| !talk.resolved);
        if changes {
            stage.log(format!("#{} people help", pull + 1));
            stage.remote().change(pull, now, |view| {
                view.draft = false;
                view.locked = false;
                view.auto_merge = None;
                view.talks
                    .values_mut()
                    .for_each(|talk| talk.resolved = true);
            });
        }
    }
}

/// Does what changes how the pull request itself stands, and back again the next time.
fn change_flag(view: &mut View, what: Move, now: Time) {
    match what {
        Move::Draft => view.draft = !view.draft,
        Move::AutoMerge => {
            view.auto_merge = match view.auto_merge {
                Some(_) => None,
                None => Some(now),
            };
        }
        Move::Lock => view.locked = !view.locked,
        Move::Close => {
            view.state = match view.state {
                PullState::Closed => PullState::Open,
                PullState::Open | PullState::Merged => PullState::Closed,
            };
        }
        Move::Merge => view.state = PullState::Merged,
        Move::CheckTurnsRed => {
            let head = view.head();
            view.turned_red.insert((head, 0));
        }
        _ => {}
    }
}

/// Takes the last post of Collie's away: in a thread, or else in the conversation.
fn delete_post(view: &mut View, talk: Option<u64>) -> Option<Comment> {
    let in_talk = talk.and_then(|id| view.talks.get_mut(&id).map(|talk| (id, talk)));
    if let Some((id, talk)) = in_talk
        && let Some(at) = talk.comments.iter().rposition(|c| c.author == COLLIE)
    {
        let deleted = talk.comments.remove(at);
        if talk.comments.is_empty() {
            view.talks.remove(&id);
        }
        return Some(deleted);
    }
    let at = view.remarks.iter().rposition(|c| c.author == COLLIE)?;
    Some(view.remarks.remove(at))
}

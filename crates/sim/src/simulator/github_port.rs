//! GitHub, as the engine calls it.

use super::agenda::Happening;
use super::remote::{COLLIE, Remote, actor};
use super::schedule::{Call, Fault};
use super::snapshot::snapshot;
use super::stage::Stage;
use crate::blank_snapshot::repo;
use async_trait::async_trait;
use collie_core::effect::CheckRun;
use collie_core::ids::{ActionToken, Login, PullName, RepoName, ThreadId, Time};
use collie_core::poll_budget::RateBudget;
use collie_core::post::RenderedPost;
use collie_core::snapshot::{Actor, ObserveFailure, PullState, Snapshot};
use collie_core::text::trailing_token;
use collie_core::token_right::{RepositoryWrite, TokenRight};
use collie_engine::ports::{Clock, GitHub, GitHubError, PullRef, ResolvedPull, WriteObstacle};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// How far a replica may be behind, in milliseconds: as long as a reading after a push may stay stale (§3.6).
const BEHIND_MS: u64 = 20_000;
/// How often a pull request may be read in a minute: after each thing that is asked for a look of its own, and never without a pause.
const READINGS_A_MINUTE: usize = 40;
/// How long after its answer a late write lands: before the second look for it (§8.2).
const LATE_MS: u64 = 3_000;
/// The shortest rate limit.
const LIMITED_MS: u64 = 60_000;
/// How late a write may land at most while the next one waits for its rate limit: after it was looked for twice, before it is sent again.
const LATE_UNDER_LIMIT_MS: u64 = 20_000;
const HOST: &str = "github.com";

/// The place of a pull request by its number.
pub fn place(pull: &PullRef) -> usize {
    usize::try_from(pull.id.number.saturating_sub(1)).unwrap_or_default()
}

/// A pull request by its place.
pub fn pull_ref(place: usize) -> PullRef {
    PullRef {
        id: collie_core::ids::LoopId {
            host: HOST.into(),
            repo_id: "R_1".into(),
            number: place as u64 + 1,
        },
        repo: repo(),
    }
}

fn unknown(what: &str) -> GitHubError {
    GitHubError::OutcomeUnknown {
        host: HOST.into(),
        what: what.into(),
        message: "the connection was cut".into(),
    }
}

/// What a fault makes of a call that changes nothing by it; none where the call goes on.
fn failed(stage: &Stage, fault: Option<Fault>, what: &str) -> Option<GitHubError> {
    let host = HOST.to_owned();
    match fault? {
        Fault::NotDone => Some(unknown(what)),
        Fault::RateLimited => {
            let nth = stage.gate.awaits();
            let wait = stage.draw.between(("rate limit", nth), LIMITED_MS, 120_000);
            let until = stage.clock.now().plus(wait);
            Some(GitHubError::RetryLater { host, until })
        }
        Fault::Refused => Some(GitHubError::Refused {
            host,
            what: what.into(),
            message: "Validation failed".into(),
        }),
        Fault::AnswerLost
        | Fault::DoneLate
        | Fault::Stale
        | Fault::NotFound
        | Fault::Hangs
        | Fault::Panics
        | Fault::DiskFull
        | Fault::Slow => None,
    }
}

/// GitHub of a stage.
pub struct SimulatedGitHub(pub Arc<Stage>);

impl SimulatedGitHub {
    async fn read_one(
        &self,
        pull: &PullRef,
        fault: Option<Fault>,
    ) -> Result<Snapshot, ObserveFailure> {
        let stage = &self.0;
        match failed(stage, fault, "a reading") {
            Some(GitHubError::RetryLater { until, .. }) => {
                return Err(ObserveFailure::RateLimited { until });
            }
            Some(error) => {
                let message = error.to_string();
                return Err(ObserveFailure::Unreachable { message });
            }
            None => {}
        }
        if fault == Some(Fault::NotFound) {
            return Err(ObserveFailure::NotFound);
        }
        let (now, read_at) = (stage.clock.world(), stage.clock.now());
        let behind = match fault {
            Some(Fault::Stale) => stage.draw.below(("behind", now.0), BEHIND_MS),
            _ => 0,
        };
        let at = Time(now.0.saturating_sub_unsigned(behind));
        let often = stage.promises().read(pull.id.number, now);
        if often > READINGS_A_MINUTE {
            stage.breach(format!(
                "#{} is read {often} times in a minute",
                pull.id.number
            ));
        }
        stage
            .read_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(read_at, at);
        let remote = stage.remote();
        let view = remote.view_at(place(pull), at);
        Ok(snapshot(&remote, place(pull), &view, at, read_at))
    }

    /// Holds a write that begins against what may be written.
    fn check_write(&self, pull: &PullRef) {
        let stage = &self.0;
        let now = stage.clock.world();
        let view = stage.remote().view(place(pull));
        let long = |since: Time| now.since(since) > 5_000;
        let ended = stage.promises().has_ended(&pull.id);
        if view.auto_merge.is_some_and(long) && !ended {
            stage.breach(format!(
                "#{}: something is written while that could merge",
                pull.id.number
            ));
        }
    }
}

#[async_trait]
impl GitHub for SimulatedGitHub {
    async fn viewer(&self) -> Result<Actor, GitHubError> {
        Ok(actor(COLLIE))
    }

    async fn resolve_pull(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError> {
        let fault = self.0.gate.enter(Call::Ask).await;
        if let Some(error) = failed(&self.0, fault, "a pull request") {
            return Err(error);
        }
        self.0.gate.leave().await;
        let place = usize::try_from(pull.number.saturating_sub(1)).unwrap_or_default();
        Ok(ResolvedPull {
            pull: pull_ref(place),
            title: "A change".into(),
            author: Some(actor(Remote::author(place))),
            url: String::new(),
            head_ref: format!("topic-{place}"),
            base_ref: "main".into(),
        })
    }

    async fn open_pulls(&self, _: &RepoName) -> Result<Vec<u64>, GitHubError> {
        Ok(Vec::new())
    }

    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        let fault = self.0.gate.enter(Call::Poll).await;
        let mut answers = Vec::new();
        for pull in pulls {
            answers.push(self.read_one(pull, fault).await);
        }
        self.0.gate.leave().await;
        answers
    }

    fn budgets(&self) -> Vec<RateBudget> {
        Vec::new()
    }

    async fn post(
        &self,
        pull: &PullRef,
        rendered: &RenderedPost,
        _: Option<&Login>,
    ) -> Result<u64, GitHubError> {
        let stage = &self.0;
        self.check_write(pull);
        let fault = stage.gate.enter(Call::Post).await;
        if let Some(error) = failed(stage, fault, "a post") {
            return Err(error);
        }
        if stage.remote().view(place(pull)).locked {
            return Err(GitHubError::Refused {
                host: HOST.into(),
                what: "a post".into(),
                message: "This conversation is locked".into(),
            });
        }
        if fault == Some(Fault::DoneLate) {
            // Of several pull requests, the next post may be another one's: this one would be sent again meanwhile.
            let is_alone = stage.schedule.setting.pulls == 1;
            let latest = match is_alone && stage.gate.is_limited_next(Call::Post) {
                true => LATE_UNDER_LIMIT_MS,
                false => LATE_MS,
            };
            let drawn = ("late", stage.gate.awaits());
            let later = stage.draw.between(drawn, latest / 3, latest);
            let (pull, rendered) = (place(pull), rendered.clone());
            let at = stage.clock.world().plus(later);
            stage.agenda.add(at, Happening::Lands { pull, rendered });
            return Err(unknown("a post"));
        }
        let landed = self.land(pull, rendered);
        stage.gate.leave().await;
        match landed {
            Some(_) if fault == Some(Fault::AnswerLost) => Err(unknown("a post")),
            Some(id) => Ok(id),
            None => Err(GitHubError::Undeliverable {
                host: HOST.into(),
                what: "a reply".into(),
                message: "the thread is gone".into(),
            }),
        }
    }

    async fn find_post(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError> {
        let stage = &self.0;
        let fault = stage.gate.enter(Call::FindPost).await;
        if let Some(error) = failed(stage, fault, "a search") {
            return Err(error);
        }
        let view = stage.remote().view(place(pull));
        let bears = |body: &str| trailing_token(body).as_ref() == Some(token);
        let comments = view.talks.values().flat_map(|talk| &talk.comments);
        let comments = comments.chain(&view.remarks).map(|c| (c.id, &c.body));
        let reviews = view.reviews.iter().map(|row| (row.id, &row.body));
        let found = comments.chain(reviews).find(|(_, body)| bears(body));
        let found = found.map(|(id, _)| id);
        stage.gate.leave().await;
        Ok(found)
    }

    async fn lacking_rights(
        &self,
        _: &RepoName,
        _: &BTreeSet<RepositoryWrite>,
    ) -> Result<BTreeSet<TokenRight>, GitHubError> {
        let fault = self.0.gate.enter(Call::Ask).await;
        match failed(&self.0, fault, "rights") {
            Some(error) => Err(error),
            None => Ok(BTreeSet::new()),
        }
    }

    async fn write_obstacle(&self, pull: &PullRef) -> Result<Option<WriteObstacle>, GitHubError> {
        let stage = &self.0;
        let fault = stage.gate.enter(Call::WriteObstacle).await;
        if let Some(error) = failed(stage, fault, "auto-merge") {
            return Err(error);
        }
        let view = stage.remote().view(place(pull));
        let obstacle = match view.state {
            PullState::Open => view.auto_merge.map(|_| WriteObstacle::AutoMerge),
            PullState::Merged | PullState::Closed => Some(WriteObstacle::Ended),
        };
        stage.gate.leave().await;
        Ok(obstacle)
    }

    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError> {
        let stage = &self.0;
        self.check_write(pull);
        let fault = stage.gate.enter(Call::ResolveThread).await;
        if let Some(error) = failed(stage, fault, "a thread") {
            return Err(error);
        }
        let now = stage.clock.world();
        let id = thread_number(thread);
        stage.remote().change(place(pull), now, |view| {
            let talk = id.and_then(|id| view.talks.get_mut(&id));
            talk.into_iter().for_each(|talk| talk.resolved = true);
        });
        stage.log(format!("#{} Collie resolves {thread}", pull.id.number));
        stage.gate.leave().await;
        match fault {
            Some(Fault::AnswerLost) => Err(unknown("a thread")),
            _ => Ok(()),
        }
    }

    async fn rerun_check(&self, pull: &PullRef, run: &CheckRun) -> Result<(), GitHubError> {
        let stage = &self.0;
        self.check_write(pull);
        let fault = stage.gate.enter(Call::RerunCheck).await;
        if let Some(error) = failed(stage, fault, "a check") {
            return Err(error);
        }
        let now = stage.clock.world();
        let (head, nth) = ((run.id - 10_000) / 100, (run.id % 100) / 10);
        let twice = {
            let mut remote = stage.remote();
            let mut again = false;
            remote.change(place(pull), now, |view| {
                again = view.reruns.contains_key(&(head, nth));
                view.reruns.entry((head, nth)).or_insert(now);
            });
            again
        };
        stage.log(format!("#{} check {} runs again", pull.id.number, run.id));
        stage.gate.leave().await;
        if twice {
            stage.breach(format!("check {} is run again twice", run.id));
        }
        match fault {
            Some(Fault::AnswerLost) => Err(unknown("a check")),
            _ => Ok(()),
        }
    }

    async fn was_rerun(&self, pull: &PullRef, run: &CheckRun) -> Result<bool, GitHubError> {
        let stage = &self.0;
        let fault = stage.gate.enter(Call::FindPost).await;
        if let Some(error) = failed(stage, fault, "a check") {
            return Err(error);
        }
        let known = ((run.id - 10_000) / 100, (run.id % 100) / 10);
        let was_rerun = stage.remote().view(place(pull)).reruns.contains_key(&known);
        stage.gate.leave().await;
        Ok(was_rerun)
    }

    fn git_url(&self, repo: &RepoName) -> String {
        format!("https://{HOST}/{repo}")
    }
}

fn thread_number(thread: &ThreadId) -> Option<u64> {
    thread.as_str().strip_prefix('T')?.parse().ok()
}

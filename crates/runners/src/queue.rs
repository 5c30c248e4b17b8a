//! Where work for runners is left and picked up, in the process that runs the engine.

use crate::handed_in::{FailedSession, HandedIn, SessionOutcome};
use crate::lease_token::{TokenHash, new_token};
use crate::leases::{Claimant, Credential, LeaseTable, Refusal};
use crate::work::{ClaimedSession, OfferedWork};
use collie_core::event::SessionFailure;
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc, oneshot};

/// A runner that was not heard of for so long is not counted on. After a start nobody has been heard of, and everybody may come back.
const GONE_AFTER: Duration = Duration::from_secs(60);

/// A session that was handed in, to be looked at by who offered it.
pub(crate) struct Arrival {
    /// What was handed in, held against the request.
    pub(crate) done: HandedIn,
    /// Which runner.
    pub(crate) runner: String,
    /// Where the runner is told what became of it.
    pub(crate) verdict: oneshot::Sender<Result<(), UserError>>,
}

struct Offer {
    bundle: PathBuf,
    arrivals: mpsc::UnboundedSender<Arrival>,
    changed: Arc<Notify>,
    offered_at: Instant,
}

struct Tables {
    leases: LeaseTable,
    offers: HashMap<String, Offer>,
    last_heard: Instant,
    /// What a runner last said of why it cannot do a session.
    refusals: HashMap<String, (String, SessionFailure)>,
}

/// Where work for runners is left and picked up.
pub struct RunnerQueue {
    tables: Mutex<Tables>,
    offered: Notify,
}

impl std::fmt::Debug for RunnerQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunnerQueue").finish_non_exhaustive()
    }
}

impl Default for RunnerQueue {
    fn default() -> Self {
        let tables = Tables {
            leases: LeaseTable::new(Duration::from_secs(90)),
            offers: HashMap::new(),
            last_heard: Instant::now(),
            refusals: HashMap::new(),
        };
        Self {
            tables: Mutex::new(tables),
            offered: Notify::new(),
        }
    }
}

impl RunnerQueue {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        // Each use leaves the tables whole.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether some runner asked for work, or said that it is at work, a moment ago.
    pub(crate) fn is_expected(&self) -> bool {
        self.tables().last_heard.elapsed() < GONE_AFTER
    }

    /// Offers a session, until what is returned is dropped.
    pub(crate) fn offer(
        self: &Arc<Self>,
        work: OfferedWork,
        bundle: PathBuf,
        lease: Duration,
    ) -> Ticket {
        let id = hex::encode(rand::random::<[u8; 16]>());
        let (arrivals, receiver) = mpsc::unbounded_channel();
        let changed = Arc::new(Notify::new());
        let offer = Offer {
            bundle,
            arrivals,
            changed: changed.clone(),
            offered_at: Instant::now(),
        };
        let mut tables = self.tables();
        tables.leases.set_lease(lease);
        tables.offers.insert(id.clone(), offer);
        tables.leases.offer(id.clone(), Arc::new(work));
        drop(tables);
        self.offered.notify_waiters();
        Ticket {
            queue: self.clone(),
            id,
            arrivals: receiver,
            changed,
        }
    }

    /// A session for a runner, at once or within so long; none where there is none.
    pub async fn claim(&self, claimant: &Claimant, wait: Duration) -> Option<ClaimedSession> {
        let deadline = tokio::time::Instant::now() + wait;
        loop {
            let offered = self.offered.notified();
            tokio::pin!(offered);
            // Before it is looked: what is offered in between wakes it too.
            offered.as_mut().enable();
            if let Some(claimed) = self.claim_now(claimant) {
                return Some(claimed);
            }
            tokio::select! {
                () = offered => {}
                () = tokio::time::sleep_until(deadline) => {
                    self.tables().last_heard = Instant::now();
                    return None;
                }
            }
        }
    }

    fn claim_now(&self, claimant: &Claimant) -> Option<ClaimedSession> {
        let token = new_token();
        let now = Instant::now();
        let mut tables = self.tables();
        tables.last_heard = now;
        tables.expire(now);
        let (id, work) = tables.leases.claim(claimant, TokenHash::of(&token), now)?;
        tables.tell(&id);
        let lease = tables.leases.lease();
        let mut work = OfferedWork::clone(&work);
        if let Some(offer) = tables.offers.get(&id) {
            work.take_time(now.duration_since(offer.offered_at));
        }
        Some(ClaimedSession {
            session: id,
            token,
            lease_ms: u64::try_from(lease.as_millis()).unwrap_or(u64::MAX),
            work,
        })
    }

    /// The bundle with the commits of a session.
    ///
    /// # Errors
    /// The token is not good for that.
    pub fn bundle(&self, token: &str, pull: &PullName, session: &str) -> Result<PathBuf, Refusal> {
        let tables = self.tables();
        let shown = credential(token, pull, session);
        tables.leases.authorize(&shown, Instant::now())?;
        let bundle = tables.offers.get(session).map(|offer| offer.bundle.clone());
        bundle.ok_or(Refusal::Over)
    }

    /// Lets a lease go on; says for how long.
    ///
    /// # Errors
    /// The token is not good for that.
    pub fn heartbeat(
        &self,
        token: &str,
        pull: &PullName,
        session: &str,
    ) -> Result<Duration, Refusal> {
        let now = Instant::now();
        let mut tables = self.tables();
        let extended = (tables.leases).extend(&credential(token, pull, session), now)?;
        tables.last_heard = now;
        tables.tell(session);
        Ok(extended)
    }

    /// Whether a token is good for a session, before a large body is read.
    ///
    /// # Errors
    /// It is not.
    pub fn knows(&self, token: &str, pull: &PullName) -> Result<(), Refusal> {
        let shown = Credential {
            token: TokenHash::of(token),
            pull,
            session: None,
        };
        let tables = self.tables();
        tables.leases.authorize(&shown, Instant::now()).map(drop)
    }

    /// Takes what a runner hands in, once; returns when who offered the session has looked at it.
    ///
    /// # Errors
    /// What is wrong with it, or why it comes too late. A result that is wrong in its shape leaves the lease as it is; one whose patch
    /// does not fit has ended it.
    pub async fn hand_in(
        &self,
        token: &str,
        pull: &PullName,
        done: HandedIn,
    ) -> Result<(), HandInError> {
        let verdict = self.take(token, pull, done)?;
        match verdict {
            // Who offered it is gone: it is not wanted any more.
            Some(verdict) => match verdict.await {
                Ok(verdict) => verdict.map_err(HandInError::Invalid),
                Err(_) => Err(HandInError::Refused(Refusal::Over)),
            },
            None => Ok(()),
        }
    }

    fn take(
        &self,
        token: &str,
        pull: &PullName,
        done: HandedIn,
    ) -> Result<Option<oneshot::Receiver<Result<(), UserError>>>, HandInError> {
        let now = Instant::now();
        let session = done.session.clone();
        let shown = credential(token, pull, &session);
        let mut tables = self.tables();
        let work = tables.leases.authorize(&shown, now)?;
        let done = done.validated(&work).map_err(HandInError::Invalid)?;
        tables.last_heard = now;
        let runner = tables
            .leases
            .holder(&session)
            .map(|(name, _)| name.to_owned());
        let runner = runner.unwrap_or_default();
        let back = match &done.outcome {
            SessionOutcome::Returned => Some(None),
            SessionOutcome::Failed(failed) if is_of_this_runner(failed) => {
                Some(Some(failed.failure.clone()))
            }
            SessionOutcome::Failed(_) | SessionOutcome::Review(_) | SessionOutcome::Fix(_) => None,
        };
        if let Some(cannot) = back {
            tables.leases.give_back(&shown, cannot.is_some(), now)?;
            if let Some(failure) = cannot {
                tables.refusals.insert(session.clone(), (runner, failure));
            }
            tables.tell(&session);
            drop(tables);
            self.offered.notify_waiters();
            return Ok(None);
        }
        tables.leases.finish(&shown, now)?;
        let (verdict, told) = oneshot::channel();
        let arrival = Arrival {
            done,
            runner,
            verdict,
        };
        if let Some(offer) = tables.offers.get(&session) {
            // Who offered it is gone: the verdict says so.
            let _ = offer.arrivals.send(arrival);
        }
        Ok(Some(told))
    }
}

/// What fails on this runner may go well on another: it lacks a model, an agent, a sandbox, or means of its own.
fn is_of_this_runner(failed: &FailedSession) -> bool {
    match failed.failure {
        SessionFailure::Permanent { .. }
        | SessionFailure::NoSandbox { .. }
        | SessionFailure::OverBudget { .. }
        | SessionFailure::Outage { .. } => true,
        SessionFailure::Transient { .. } | SessionFailure::HeadMismatch { .. } => false,
    }
}

/// Why something that was handed in was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandInError {
    /// The token is not good for it.
    Refused(Refusal),
    /// It is not what was asked for.
    Invalid(UserError),
}

impl From<Refusal> for HandInError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn credential<'a>(token: &str, pull: &'a PullName, session: &'a str) -> Credential<'a> {
    Credential {
        token: TokenHash::of(token),
        pull,
        session: Some(session),
    }
}

impl Tables {
    fn expire(&mut self, now: Instant) {
        for id in self.leases.expire(now) {
            self.tell(&id);
        }
    }

    /// Tells who offered a session that something changed.
    fn tell(&self, id: &str) {
        if let Some(offer) = self.offers.get(id) {
            offer.changed.notify_one();
        }
    }
}

/// A session that is offered; dropping it takes it back, whoever holds it.
pub(crate) struct Ticket {
    queue: Arc<RunnerQueue>,
    id: String,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    changed: Arc<Notify>,
}

impl Ticket {
    /// What is handed in.
    pub(crate) async fn arrival(&mut self) -> Arrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // The queue has the other end as long as there is a ticket.
            None => std::future::pending().await,
        }
    }

    /// Returns when it was claimed, given back, or its holder was heard of.
    pub(crate) fn changed(&self) -> impl Future<Output = ()> + use<> {
        let changed = self.changed.clone();
        async move { changed.notified().await }
    }

    /// Who holds it, and until when unless it says something. Those that were silent for a lease hold nothing any more.
    pub(crate) fn holder(&self) -> Option<(String, Instant)> {
        let mut tables = self.queue.tables();
        tables.expire(Instant::now());
        let holder = tables.leases.holder(&self.id);
        let holder = holder.map(|(name, ends)| (name.to_owned(), ends));
        drop(tables);
        if holder.is_none() {
            self.queue.offered.notify_waiters();
        }
        holder
    }

    /// Takes it back if nobody holds it; whether it was so. Why the last runner could not do it goes along.
    pub(crate) fn take_back(&self) -> Option<Option<(String, SessionFailure)>> {
        let mut tables = self.queue.tables();
        let taken = tables.leases.withdraw_if_waiting(&self.id);
        taken.then(|| tables.refusals.remove(&self.id))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut tables = self.queue.tables();
        tables.leases.withdraw(&self.id);
        tables.offers.remove(&self.id);
        tables.refusals.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_work::review_work;
    use crate::work::Work;

    #[tokio::test]
    async fn a_review_that_waited_for_a_runner_has_so_much_less_time_left() {
        let queue = Arc::new(RunnerQueue::default());
        let _ticket = queue.offer(review_work(7), PathBuf::new(), Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(30)).await;
        let runner = "one".to_owned();
        let claimed = queue.claim(&Claimant { runner }, Duration::ZERO).await;
        let Some(Work::Review(review)) = claimed.map(|claimed| claimed.work.work) else {
            panic!("it was offered");
        };
        let left = review.time_left_ms;
        assert!((800_000..=900_000 - 30).contains(&left), "{left}");
    }
}

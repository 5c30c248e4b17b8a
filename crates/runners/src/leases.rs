//! Which sessions wait for a runner, who holds which, and whose word on one counts. Pure: the time, ids and tokens are the caller's.

use crate::lease_token::TokenHash;
use crate::work::{OfferedWork, Work};
use collie_core::ids::PullName;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tokens of leases that have ended and are told from tokens that nobody ever had.
const MAX_ENDED: usize = 4_096;

/// What is done in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A review.
    Review,
    /// A fix.
    Fix,
}

impl OfferedWork {
    /// What is done.
    pub fn kind(&self) -> WorkKind {
        match self.work {
            Work::Review(_) => WorkKind::Review,
            Work::Fix(_) => WorkKind::Fix,
        }
    }

    /// The pull request.
    pub fn pull(&self) -> PullName {
        PullName {
            repo: self.repo.clone(),
            number: self.loop_id.number,
        }
    }
}

/// Who asks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimant {
    /// What the runner is called.
    pub runner: String,
}

/// Why a word on a session does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody was ever given this token, or it was long ago.
    UnknownToken,
    /// The token is another session's.
    OtherSession,
    /// The lease has ended: the session was handed in, given back, taken from a runner that was silent, or is not wanted any more.
    Over,
}

/// A session with a token, as somebody names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credential<'a> {
    /// The token.
    pub(crate) token: TokenHash,
    /// The pull request of the address.
    pub(crate) pull: &'a PullName,
    /// The session that is named; none where only the pull request is.
    pub(crate) session: Option<&'a str>,
}

#[derive(Debug)]
struct Lease {
    token: TokenHash,
    runner: String,
    ends: Instant,
}

#[derive(Debug)]
struct Session {
    work: Arc<OfferedWork>,
    lease: Option<Lease>,
    /// Runners that cannot do it.
    refused_by: BTreeSet<String>,
}

/// All sessions that are offered or held.
#[derive(Debug)]
pub(crate) struct LeaseTable {
    lease: Duration,
    sessions: BTreeMap<String, Session>,
    waiting: VecDeque<String>,
    ended: VecDeque<TokenHash>,
}

impl LeaseTable {
    pub(crate) fn new(lease: Duration) -> Self {
        Self {
            lease,
            sessions: BTreeMap::new(),
            waiting: VecDeque::new(),
            ended: VecDeque::new(),
        }
    }

    /// From now on leases last so long.
    pub(crate) fn set_lease(&mut self, lease: Duration) {
        self.lease = lease;
    }

    /// How long a lease lasts.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// Offers a session.
    pub(crate) fn offer(&mut self, id: String, work: Arc<OfferedWork>) {
        let session = Session {
            work,
            lease: None,
            refused_by: BTreeSet::new(),
        };
        self.waiting.push_back(id.clone());
        self.sessions.insert(id, session);
    }

    /// Gives the session that waits longest and that this runner has not refused to a runner, under this token.
    pub(crate) fn claim(
        &mut self,
        claimant: &Claimant,
        token: TokenHash,
        now: Instant,
    ) -> Option<(String, Arc<OfferedWork>)> {
        let fits = |id: &String| {
            let session = self.sessions.get(id);
            session.is_some_and(|one| !one.refused_by.contains(&claimant.runner))
        };
        let place = self.waiting.iter().position(fits)?;
        let id = self.waiting.remove(place)?;
        let session = self.sessions.get_mut(&id)?;
        session.lease = Some(Lease {
            token,
            runner: claimant.runner.clone(),
            ends: now + self.lease,
        });
        Some((id, session.work.clone()))
    }

    /// What is worked on, if the word of whoever shows this counts.
    pub(crate) fn authorize(
        &self,
        shown: &Credential<'_>,
        now: Instant,
    ) -> Result<Arc<OfferedWork>, Refusal> {
        let mut held = None;
        // All are compared, so that the time it takes tells nothing.
        for (id, session) in &self.sessions {
            if let Some(lease) = &session.lease
                && lease.token.is(shown.token)
            {
                held = Some((id, session, lease));
            }
        }
        let Some((id, session, lease)) = held else {
            let was_given = self.ended.iter().filter(|ended| ended.is(shown.token));
            return Err(match was_given.count() {
                0 => Refusal::UnknownToken,
                _ => Refusal::Over,
            });
        };
        let (named, own) = (shown.pull.to_string(), session.work.pull().to_string());
        let is_other = shown.session.is_some_and(|session| session != id.as_str());
        if is_other || !named.eq_ignore_ascii_case(&own) {
            return Err(Refusal::OtherSession);
        }
        match now < lease.ends {
            true => Ok(session.work.clone()),
            false => Err(Refusal::Over),
        }
    }

    /// Lets a lease go on.
    pub(crate) fn extend(
        &mut self,
        shown: &Credential<'_>,
        now: Instant,
    ) -> Result<Duration, Refusal> {
        self.authorize(shown, now)?;
        let lease = self.lease;
        let session = shown.session.and_then(|id| self.sessions.get_mut(id));
        if let Some(held) = session.and_then(|session| session.lease.as_mut()) {
            held.ends = now + lease;
        }
        Ok(lease)
    }

    /// Takes a session as done: nobody's word on it counts from now on.
    pub(crate) fn finish(&mut self, shown: &Credential<'_>, now: Instant) -> Result<(), Refusal> {
        self.authorize(shown, now)?;
        self.withdraw(shown.session.unwrap_or_default());
        Ok(())
    }

    /// Takes a session back from who holds it, to be given to somebody else; not to the same runner again where that cannot do it.
    pub(crate) fn give_back(
        &mut self,
        shown: &Credential<'_>,
        cannot: bool,
        now: Instant,
    ) -> Result<(), Refusal> {
        self.authorize(shown, now)?;
        self.end_lease(shown.session.unwrap_or_default(), cannot);
        Ok(())
    }

    /// Takes sessions from runners that were silent for a lease; names them.
    pub(crate) fn expire(&mut self, now: Instant) -> Vec<String> {
        let silent = |session: &Session| session.lease.as_ref().is_some_and(|it| it.ends <= now);
        let ids: Vec<String> = (self.sessions.iter())
            .filter(|(_, session)| silent(session))
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            self.end_lease(id, false);
        }
        ids
    }

    fn end_lease(&mut self, id: &str, cannot: bool) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(lease) = session.lease.take() else {
            return;
        };
        if cannot {
            session.refused_by.insert(lease.runner);
        }
        // It has waited longest.
        self.waiting.push_front(id.to_owned());
        self.remember_ended(lease.token);
    }

    /// Takes a session out, whoever holds it.
    pub(crate) fn withdraw(&mut self, id: &str) {
        self.waiting.retain(|waiting| waiting != id);
        let lease = self.sessions.remove(id).and_then(|session| session.lease);
        if let Some(lease) = lease {
            self.remember_ended(lease.token);
        }
    }

    /// Takes a session out that nobody holds; whether it was so.
    pub(crate) fn withdraw_if_waiting(&mut self, id: &str) -> bool {
        let waits = self.sessions.get(id).is_some_and(|it| it.lease.is_none());
        if waits {
            self.withdraw(id);
        }
        waits
    }

    /// Who holds a session, and until when unless it says something.
    pub(crate) fn holder(&self, id: &str) -> Option<(&str, Instant)> {
        let lease = self.sessions.get(id)?.lease.as_ref()?;
        Some((lease.runner.as_str(), lease.ends))
    }

    fn remember_ended(&mut self, token: TokenHash) {
        if self.ended.len() == MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_work::{fix_work, review_work};

    const LEASE: Duration = Duration::from_secs(10);

    struct LeaseFixture {
        leases: LeaseTable,
        begun: Instant,
    }

    impl LeaseFixture {
        fn with(ids: &[(&str, OfferedWork)]) -> Self {
            let mut leases = LeaseTable::new(LEASE);
            for (id, work) in ids {
                leases.offer((*id).to_owned(), Arc::new(work.clone()));
            }
            let begun = Instant::now();
            Self { leases, begun }
        }

        fn at(&self, seconds: u64) -> Instant {
            self.begun + Duration::from_secs(seconds)
        }

        fn claim(&mut self, runner: &str, token: &str, at: u64) -> Option<String> {
            let runner = runner.to_owned();
            let (token, now) = (TokenHash::of(token), self.at(at));
            let claimed = self.leases.claim(&Claimant { runner }, token, now);
            claimed.map(|(id, _)| id)
        }

        fn try_use(&self, token: &str, pull: &str, session: &str, at: u64) -> Result<(), Refusal> {
            let pull = PullName::parse(pull).unwrap();
            let shown = Credential {
                token: TokenHash::of(token),
                pull: &pull,
                session: Some(session),
            };
            self.leases.authorize(&shown, self.at(at)).map(drop)
        }

        fn finish(&mut self, token: &str, session: &str, at: u64) -> Result<(), Refusal> {
            let pull = PullName::parse("acme/web#7").unwrap();
            let shown = Credential {
                token: TokenHash::of(token),
                pull: &pull,
                session: Some(session),
            };
            let now = self.at(at);
            self.leases.finish(&shown, now)
        }
    }

    #[test]
    fn a_token_is_good_for_its_session_and_pull_request_alone() {
        let mut queue = LeaseFixture::with(&[("a", review_work(7)), ("b", fix_work(8))]);
        assert_eq!(queue.claim("one", "ta", 0).as_deref(), Some("a"));
        assert_eq!(queue.claim("two", "tb", 0).as_deref(), Some("b"));
        assert_eq!(queue.claim("two", "tc", 0), None);
        assert_eq!(queue.try_use("ta", "acme/web#7", "a", 1), Ok(()));
        assert_eq!(queue.try_use("ta", "Acme/Web#7", "a", 1), Ok(()));
        for (pull, session) in [
            ("acme/web#8", "b"),
            ("acme/web#8", "a"),
            ("acme/web#7", "b"),
        ] {
            let refused = queue.try_use("ta", pull, session, 1);
            assert_eq!(refused, Err(Refusal::OtherSession), "{pull} {session}");
        }
        for unknown in ["", "tc", "TA", "ta "] {
            let refused = queue.try_use(unknown, "acme/web#7", "a", 1);
            assert_eq!(refused, Err(Refusal::UnknownToken), "{unknown:?}");
        }
    }

    #[test]
    fn what_was_handed_in_is_not_taken_again() {
        let mut queue = LeaseFixture::with(&[("a", review_work(7))]);
        queue.claim("one", "ta", 0).unwrap();
        assert_eq!(queue.finish("ta", "a", 1), Ok(()));
        assert_eq!(queue.finish("ta", "a", 1), Err(Refusal::Over));
        assert_eq!(queue.claim("two", "tb", 1), None);
    }

    #[test]
    fn who_is_silent_for_a_lease_loses_the_session_to_another() {
        let mut queue = LeaseFixture::with(&[("a", review_work(7))]);
        queue.claim("one", "ta", 0).unwrap();
        assert!(queue.leases.expire(queue.at(9)).is_empty());
        let pull = PullName::parse("acme/web#7").unwrap();
        let shown = Credential {
            token: TokenHash::of("ta"),
            pull: &pull,
            session: Some("a"),
        };
        assert_eq!(queue.leases.extend(&shown, queue.at(9)), Ok(LEASE));
        assert!(queue.leases.expire(queue.at(18)).is_empty());
        // Over before anybody has looked.
        assert_eq!(
            queue.try_use("ta", "acme/web#7", "a", 19),
            Err(Refusal::Over)
        );
        assert_eq!(
            queue.leases.extend(&shown, queue.at(19)),
            Err(Refusal::Over)
        );
        assert_eq!(queue.leases.expire(queue.at(19)), ["a"]);
        assert_eq!(queue.claim("two", "tb", 19).as_deref(), Some("a"));
        assert_eq!(queue.finish("ta", "a", 20), Err(Refusal::Over));
        assert_eq!(queue.finish("tb", "a", 20), Ok(()));
    }

    #[test]
    fn what_a_runner_cannot_do_goes_to_another_first_and_not_to_it_again() {
        let mut queue = LeaseFixture::with(&[("a", review_work(7)), ("b", review_work(8))]);
        queue.claim("one", "ta", 0).unwrap();
        let pull = PullName::parse("acme/web#7").unwrap();
        let shown = Credential {
            token: TokenHash::of("ta"),
            pull: &pull,
            session: Some("a"),
        };
        assert_eq!(queue.leases.give_back(&shown, true, queue.at(1)), Ok(()));
        assert_eq!(queue.claim("one", "tb", 1).as_deref(), Some("b"));
        assert_eq!(queue.claim("one", "tc", 1), None);
        assert_eq!(queue.claim("two", "td", 1).as_deref(), Some("a"));
    }

    #[test]
    fn what_is_withdrawn_is_over_for_who_held_it() {
        let mut queue = LeaseFixture::with(&[("a", review_work(7)), ("b", review_work(8))]);
        queue.claim("one", "ta", 0).unwrap();
        assert!(!queue.leases.withdraw_if_waiting("a"));
        assert!(queue.leases.withdraw_if_waiting("b"));
        queue.leases.withdraw("a");
        assert_eq!(
            queue.try_use("ta", "acme/web#7", "a", 1),
            Err(Refusal::Over)
        );
        assert_eq!(queue.claim("two", "tb", 1), None);
    }
}

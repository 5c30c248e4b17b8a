//! How often somebody may ask.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::AccountId;
use collie_core::user_error::UserError;
use governor::clock::Clock as _;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A page that is opened asks some thirty times.
const PERSON_BURST: NonZeroU32 = NonZeroU32::new(120).unwrap();
const PERSON_A_SECOND: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// Tokens that GitHub has not vouched for yet: each costs a request to it.
const STRANGER_BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
const STRANGER_A_MINUTE: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// A browser holds one stream a page; each holds a connection, of which the server has so many for all.
const STREAMS_OF_A_PERSON: usize = 40;
/// When a person with too many streams may ask again: nobody knows when one ends.
const STREAM_WAIT: Duration = Duration::from_secs(5);
/// In an error: after how many seconds it is worth asking again.
pub(crate) const RETRY_AFTER: &str = "retry_after_s";
/// How often what is remembered of those who have gone is forgotten.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Who has asked how often.
pub(crate) struct Limits {
    people: DefaultKeyedRateLimiter<AccountId>,
    strangers: DefaultKeyedRateLimiter<IpAddr>,
    streams: Arc<Mutex<HashMap<AccountId, usize>>>,
}

/// A person's stream, for as long as it is open.
pub(crate) struct StreamPlace {
    streams: Arc<Mutex<HashMap<AccountId, usize>>>,
    person: AccountId,
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut streams = lock(&self.streams);
        if let Some(open) = streams.get_mut(&self.person) {
            *open -= 1;
            if *open == 0 {
                streams.remove(&self.person);
            }
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let people = Quota::per_second(PERSON_A_SECOND).allow_burst(PERSON_BURST);
        let strangers = Quota::per_minute(STRANGER_A_MINUTE).allow_burst(STRANGER_BURST);
        Self {
            people: RateLimiter::keyed(people),
            strangers: RateLimiter::keyed(strangers),
            streams: Arc::default(),
        }
    }
}

impl Limits {
    /// Counts a request of a person.
    pub(crate) fn take(&self, person: AccountId) -> Result<(), UserError> {
        take(&self.people, &person)
    }

    /// Counts a token that nobody has vouched for, by the address that it came from.
    pub(crate) fn take_stranger(&self, address: IpAddr) -> Result<(), UserError> {
        take(&self.strangers, &address)
    }

    /// Counts a stream of a person, until it ends.
    pub(crate) fn take_stream(&self, person: AccountId) -> Result<StreamPlace, UserError> {
        let mut streams = lock(&self.streams);
        let open = streams.entry(person).or_default();
        if *open >= STREAMS_OF_A_PERSON {
            return Err(refusal(STREAM_WAIT));
        }
        *open += 1;
        Ok(StreamPlace {
            streams: self.streams.clone(),
            person,
        })
    }

    /// Forgets those who have not asked for a while; never returns.
    pub(crate) async fn sweep(&self) {
        loop {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            self.people.retain_recent();
            self.strangers.retain_recent();
        }
    }
}

fn take<K: Clone + Hash + Eq>(
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
) -> Result<(), UserError> {
    let taken = limiter.check_key(key);
    taken.map_err(|not_until| refusal(not_until.wait_time_from(limiter.clock().now())))
}

/// A refusal that says when to ask again, in seconds rounded up: before that it is refused again.
fn refusal(wait: Duration) -> UserError {
    let seconds = u64::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u64::MAX);
    UserError::new(ErrorCode::TooManyRequests)
        .with_arg(RETRY_AFTER, seconds.max(1))
        .hint(ErrorHint::TryAgain)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_hears_how_long_a_token_takes_to_come_back() {
        let limits = Limits::default();
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let refused = (0..=STRANGER_BURST.get()).find_map(|_| limits.take_stranger(one).err());
        let refused = refused.expect("one too many");
        // 20 a minute.
        assert_eq!(refused.args[RETRY_AFTER], 3_u64.into());
        limits.take_stranger(other).expect("another's");
    }

    #[test]
    fn a_person_has_so_many_streams_and_one_that_ends_makes_room() {
        let limits = Limits::default();
        let (one, other) = (AccountId(1), AccountId(2));
        let places = (0..STREAMS_OF_A_PERSON).map(|_| limits.take_stream(one));
        let mut places: Vec<StreamPlace> = places.map(|place| place.expect("room")).collect();
        assert!(limits.take_stream(one).is_err());
        limits.take_stream(other).expect("another's");
        places.pop();
        places.push(limits.take_stream(one).expect("room again"));
        drop(places);
        assert_eq!(lock(&limits.streams).len(), 0, "nobody is remembered");
    }
}

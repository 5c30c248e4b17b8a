//! How often somebody may ask.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::AccountId;
use collie_core::user_error::UserError;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

/// A page that is opened asks some thirty times.
const PERSON_BURST: NonZeroU32 = NonZeroU32::new(120).unwrap();
const PERSON_A_SECOND: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// Tokens that GitHub has not vouched for yet: each costs a request to it.
const STRANGER_BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
const STRANGER_A_MINUTE: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// How often what is remembered of those who have gone is forgotten.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Who has asked how often.
pub(crate) struct Limits {
    people: DefaultKeyedRateLimiter<AccountId>,
    strangers: DefaultKeyedRateLimiter<IpAddr>,
}

impl Default for Limits {
    fn default() -> Self {
        let people = Quota::per_second(PERSON_A_SECOND).allow_burst(PERSON_BURST);
        let strangers = Quota::per_minute(STRANGER_A_MINUTE).allow_burst(STRANGER_BURST);
        Self {
            people: RateLimiter::keyed(people),
            strangers: RateLimiter::keyed(strangers),
        }
    }
}

impl Limits {
    /// Counts a request of a person.
    pub(crate) fn take(&self, person: AccountId) -> Result<(), UserError> {
        self.people.check_key(&person).map_err(|_| refusal())
    }

    /// Counts a token that nobody has vouched for, by the address that it came from.
    pub(crate) fn take_stranger(&self, address: IpAddr) -> Result<(), UserError> {
        self.strangers.check_key(&address).map_err(|_| refusal())
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

fn refusal() -> UserError {
    UserError::new(ErrorCode::TooManyRequests).hint(ErrorHint::TryAgain)
}

//! The one wait of tests: a condition is looked at again and again, and never for ever.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// How long a wait may last, and how often it looks.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// No wait lasts longer.
    pub timeout: Duration,
    /// How long a wait sleeps before it looks again.
    pub interval: Duration,
}

/// No wait lasts longer, unless a test says so.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(120);
/// How a test waits.
const WAIT: Wait = Wait {
    timeout: WAIT_TIMEOUT,
    interval: Duration::from_millis(10),
};

/// What a look comes to: a `bool`, an `Option`, or a `Result` whose error says what was seen instead.
pub trait Look {
    /// What was waited for.
    type Found;
    /// What is shown of the last look when the wait was in vain.
    type Seen: Display;

    /// Tells what was waited for from what was seen instead.
    fn found(self) -> Result<Self::Found, Self::Seen>;
}

impl Look for bool {
    type Found = ();
    type Seen = &'static str;

    fn found(self) -> Result<(), &'static str> {
        if self { Ok(()) } else { Err("not so") }
    }
}

impl<T> Look for Option<T> {
    type Found = T;
    type Seen = &'static str;

    fn found(self) -> Result<T, &'static str> {
        self.ok_or("nothing")
    }
}

impl<T, S: Display> Look for Result<T, S> {
    type Found = T;
    type Seen = S;

    fn found(self) -> Self {
        self
    }
}

impl Wait {
    /// Looks until what is waited for is there, and gives it.
    ///
    /// # Panics
    ///
    /// When it is not there in time.
    pub async fn until<L: Look>(self, what: &str, mut look: impl AsyncFnMut() -> L) -> L::Found {
        let since = Instant::now();
        loop {
            match look().await.found() {
                Ok(found) => return found,
                Err(seen) => self.assert_time_is_left(since, what, seen),
            }
            tokio::time::sleep(self.interval).await;
        }
    }

    /// The same for tests that block their thread.
    ///
    /// # Panics
    ///
    /// When it is not there in time.
    pub fn until_blocking<L: Look>(self, what: &str, mut look: impl FnMut() -> L) -> L::Found {
        let since = Instant::now();
        loop {
            match look().found() {
                Ok(found) => return found,
                Err(seen) => self.assert_time_is_left(since, what, seen),
            }
            std::thread::sleep(self.interval);
        }
    }

    fn assert_time_is_left(self, since: Instant, what: &str, seen: impl Display) {
        assert!(
            since.elapsed() < self.timeout,
            "waited {} s in vain for {what}; last seen: {seen:#}",
            self.timeout.as_secs()
        );
    }
}

/// Looks until what is waited for is there, and gives it.
///
/// # Panics
///
/// When it is not there within [`WAIT_TIMEOUT`].
pub async fn wait_until<L: Look>(what: &str, look: impl AsyncFnMut() -> L) -> L::Found {
    WAIT.until(what, look).await
}

/// The same for tests that block their thread.
///
/// # Panics
///
/// When it is not there within [`WAIT_TIMEOUT`].
pub fn wait_until_blocking<L: Look>(what: &str, look: impl FnMut() -> L) -> L::Found {
    WAIT.until_blocking(what, look)
}

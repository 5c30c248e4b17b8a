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
pub const WAIT: Wait = Wait {
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
    /// When it is not there in time, or a look has not ended by then.
    pub async fn until<L: Look>(self, what: &str, mut look: impl AsyncFnMut() -> L) -> L::Found {
        let since = Instant::now();
        let mut last = None;
        loop {
            let left = self.timeout.saturating_sub(since.elapsed());
            // A look may ask another program, which may never answer.
            let Ok(looked) = tokio::time::timeout(left.max(self.interval), look()).await else {
                let last = last.unwrap_or_else(|| "no look came to its end".to_owned());
                panic!("{}", self.in_vain(what, last));
            };
            match looked.found() {
                Ok(found) => return found,
                Err(seen) => {
                    let seen = format!("{seen:#}");
                    assert!(
                        since.elapsed() < self.timeout,
                        "{}",
                        self.in_vain(what, seen)
                    );
                    last = Some(seen);
                }
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
                Err(seen) => assert!(
                    since.elapsed() < self.timeout,
                    "{}",
                    self.in_vain(what, seen)
                ),
            }
            std::thread::sleep(self.interval);
        }
    }

    fn in_vain(self, what: &str, last: impl Display) -> String {
        let seconds = self.timeout.as_secs();
        format!("waited {seconds} s in vain for {what}; last seen: {last:#}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "waited 40 s in vain for an answer; last seen: nothing yet")]
    async fn a_look_that_never_ends_does_not_hold_the_wait() {
        let wait = Wait {
            timeout: Duration::from_secs(40),
            interval: Duration::from_millis(1),
        };
        let mut looks = 0;
        let answer = wait.until("an answer", async || {
            looks += 1;
            if looks > 1 {
                std::future::pending::<()>().await;
            }
            Err::<(), _>("nothing yet")
        });
        answer.await;
    }
}

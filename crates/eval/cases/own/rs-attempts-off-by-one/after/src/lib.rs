//! Calls a service, and tries again when that fails.

use std::io;
use std::thread::sleep;
use std::time::Duration;

/// The pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// What is asked of a service.
pub trait Service {
    fn call(&mut self, request: &str) -> io::Result<String>;
}

/// Calls the service, `max_attempts` times at most. Gives the last error when none went well.
pub fn call(service: &mut dyn Service, request: &str, max_attempts: u32) -> io::Result<String> {
    let mut pause = FIRST_PAUSE;
    let mut last = io::Error::other("no attempt was allowed");
    for attempt in 0..=max_attempts {
        if attempt > 0 {
            sleep(pause);
            pause *= 2;
        }
        match service.call(request) {
            Ok(answer) => return Ok(answer),
            Err(error) => last = error,
        }
    }
    Err(last)
}

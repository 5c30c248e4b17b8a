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

/// Calls the service once, and again up to `max_retries` times while it fails. Gives the last error when none went well.
pub fn call(service: &mut dyn Service, request: &str, max_retries: u32) -> io::Result<String> {
    let mut pause = FIRST_PAUSE;
    let mut retries = 0..max_retries;
    loop {
        match service.call(request) {
            Ok(answer) => return Ok(answer),
            Err(error) if retries.next().is_none() => return Err(error),
            Err(_) => {
                sleep(pause);
                pause = pause.saturating_mul(2);
            }
        }
    }
}

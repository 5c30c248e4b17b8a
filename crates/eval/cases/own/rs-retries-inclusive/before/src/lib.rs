//! Calls a service, and gives up after the first failure.

use std::io;

/// What is asked of a service.
pub trait Service {
    fn call(&mut self, request: &str) -> io::Result<String>;
}

/// Calls the service once.
pub fn call(service: &mut dyn Service, request: &str) -> io::Result<String> {
    service.call(request)
}

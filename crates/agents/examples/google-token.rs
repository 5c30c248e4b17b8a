//! Prints the assertion that a service account signs, for `scripts/check-google-token.mjs` to judge.
//!
//! ```console
//! $ cargo run -p collie-agents --example google-token -- FILE SECONDS
//! ```
//!
//! SECONDS is the time of the signature, since 1970. No request is sent.

use collie_agents::llm::GoogleCredentials;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(assertion) = assertion(&args) else {
        eprintln!("usage: google-token FILE SECONDS, with the key file of a service account");
        return ExitCode::FAILURE;
    };
    println!("{assertion}");
    ExitCode::SUCCESS
}

fn assertion(args: &[String]) -> Option<String> {
    let [file, seconds] = args else { return None };
    let file = std::fs::read_to_string(file).ok()?;
    let credentials = GoogleCredentials::from_json(&file).ok()?;
    let seconds = Duration::from_secs(seconds.parse().ok()?);
    credentials.assertion(SystemTime::UNIX_EPOCH + seconds)
}

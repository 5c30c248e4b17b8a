//! Prints the token that an access key of the environment signs for a region, for `scripts/check-bedrock-token.mjs` to judge.
//!
//! ```console
//! $ AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… cargo run -p collie-agents --example bedrock-token -- REGION SECONDS
//! ```
//!
//! SECONDS is the time of the signature, since 1970. No request is sent.

use collie_agents::llm::{AwsCredentials, Secret};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(token) = token(&args) else {
        eprintln!("usage: bedrock-token REGION SECONDS, with an access key in the environment");
        return ExitCode::FAILURE;
    };
    println!("{}", token.expose());
    ExitCode::SUCCESS
}

fn token(args: &[String]) -> Option<Secret> {
    let [region, seconds] = args else { return None };
    let value = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|value| Secret::new(&value))
    };
    let credentials = AwsCredentials {
        access_key_id: value("AWS_ACCESS_KEY_ID")?,
        secret_access_key: value("AWS_SECRET_ACCESS_KEY")?,
        session_token: value("AWS_SESSION_TOKEN"),
    };
    let seconds = Duration::from_secs(seconds.parse().ok()?);
    credentials.bedrock_token(region, SystemTime::UNIX_EPOCH + seconds)
}

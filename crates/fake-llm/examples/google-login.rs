//! Serves Google's token service and metadata server for `scripts/check-google-token.mjs`, until its input closes.
//!
//! Prints one line of JSON: where each is, and the files of a service account and of a person whom it knows.

use collie_fake_llm::{GoogleAccount, GoogleAnswers, RunningGoogle};
use serde_json::json;
use std::io::Read as _;

#[tokio::main]
async fn main() {
    let google = RunningGoogle::serve(GoogleAnswers::default()).await;
    let (account, url) = (GoogleAccount::new(), google.token_url());
    println!(
        "{}",
        json!({
            "metadata_host": google.metadata_host(),
            "key_file": account.key_file(&url),
            "user_file": account.user_file(&url),
        })
    );
    let closed = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
    // Whatever ends the input, it is the end.
    let _ = closed.await;
}

//! Looks at this machine and at the quota, for `collie doctor` and the settings of the desktop app.

use collie_github::Token;
use serde::Deserialize;
use std::process::Stdio;
use std::time::Duration;

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first line that a program says about its version; none when it is not there.
pub async fn version_of(program: &str) -> Option<String> {
    let asked = tokio::process::Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output
        .status
        .success()
        .then(|| text.lines().next().unwrap_or_default().to_owned())
}

/// What could wall commands in here: names of what was found.
pub fn sandboxes() -> Vec<&'static str> {
    let mut found = Vec::new();
    let modules = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    if modules.split(',').any(|name| name.trim() == "landlock") {
        found.push("Landlock");
    }
    if on_path("bwrap") {
        found.push("bubblewrap");
    }
    if cfg!(target_os = "macos") && on_path("sandbox-exec") {
        found.push("Seatbelt");
    }
    found
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// What is left of the requests of this hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Requests left.
    pub left: u64,
    /// Requests an hour.
    pub limit: u64,
    /// When it begins anew, in seconds since 1970.
    pub resets_at: i64,
}

#[derive(Deserialize)]
struct RateLimit {
    resources: Resources,
}

#[derive(Deserialize)]
struct Resources {
    core: Resource,
    graphql: Option<Resource>,
}

#[derive(Clone, Copy, Deserialize)]
struct Resource {
    remaining: u64,
    limit: u64,
    reset: i64,
}

/// Asks for the quota; the question itself costs none. Of REST and GraphQL the scarcer one counts. The error is for people.
pub async fn quota(api_url: &str, token: &Token) -> Result<Quota, String> {
    let said = |error: reqwest::Error| error.without_url().to_string();
    let client = reqwest::Client::builder()
        .timeout(PATIENCE)
        .build()
        .map_err(said)?;
    let answer = client
        .get(format!("{api_url}/rate_limit"))
        .bearer_auth(token.expose())
        .header("user-agent", "collie")
        .send()
        .await
        .and_then(reqwest::Response::error_for_status)
        .map_err(said)?;
    let RateLimit { resources } = answer.json().await.map_err(said)?;
    let core = resources.core;
    let scarcer = match resources.graphql {
        Some(graphql) if graphql.remaining * core.limit < core.remaining * graphql.limit => graphql,
        Some(_) | None => core,
    };
    Ok(Quota {
        left: scarcer.remaining,
        limit: scarcer.limit,
        resets_at: scarcer.reset,
    })
}

//! Bots that play by a script: after a delay on a head they review, comment, report a check, or say that they can't.
//!
//! The script is the `[[bot]]` tables of the head's `.forge.toml`, and what `/_forge/bots` set for the repository. Whoever
//! it names acts under its own account, so a person's account can claim in its text to be a bot: an impostor.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Forge;
use crate::acts::reviews::{self, NewReview, ReviewEvent};
use crate::acts::threads::NewThread;
use crate::acts::{comments, pulls};
use crate::clock::now;
use crate::diff::FileDiff;
use crate::error::ForgeError;
use crate::model::{
    Account, AccountKind, CheckRun, CheckStatus, Conclusion, PullRequest, PullState, RepoName, Sha,
    Side,
};

/// The file of a head that holds the script.
const CONFIG: &str = ".forge.toml";

/// What a bot says that is out of quota, unless the script has other words.
const RATE_LIMIT_NOTICE: &str = "> [!WARNING]\n> ## Rate limit exceeded\n>\n> This head was not reviewed: the hourly \
    limit is used up. Please wait **12 minutes and 30 seconds** before requesting another review.";

/// One part of a script.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// Who acts; an account that is not there yet is added, a bot when it ends in `[bot]`, else a person.
    login: String,
    /// How long after the head came, such as `2s`, `500ms` or `1m 30s`.
    #[serde(default = "two_seconds")]
    after: String,
    /// What happens.
    does: Deed,
    /// The text: of the inline comment where there is one, else of the review, comment or check.
    #[serde(default)]
    body: String,
    /// The text of a review whose `body` is inline.
    #[serde(default)]
    summary: String,
    /// The file to comment on; with `pattern`, the only one to look in.
    path: Option<String>,
    /// The line to comment on.
    line: Option<u64>,
    /// Comments on the first added line that holds this text, and does nothing where there is none.
    pattern: Option<String>,
    /// On which heads it acts.
    #[serde(default)]
    heads: Heads,
    /// How a review is submitted.
    #[serde(default)]
    event: Event,
    /// The name of a check; the app's own when absent.
    name: Option<String>,
    /// How a check ends.
    #[serde(default)]
    conclusion: Ending,
}

/// What a bot does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deed {
    Review,
    Comment,
    RateLimitNotice,
    Check,
    Nothing,
}

/// On which heads a bot acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Heads {
    First,
    #[default]
    Each,
}

/// How a review is submitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    #[default]
    Comment,
    Approve,
    RequestChanges,
}

/// How a check ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ending {
    #[default]
    Success,
    Failure,
    Neutral,
    Skipped,
    ActionRequired,
}

fn two_seconds() -> String {
    "2s".to_owned()
}

/// The part of `.forge.toml` that is about bots.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default)]
    bot: Vec<Part>,
}

/// The turns that this process has begun, so that none is played twice.
#[derive(Debug, Default)]
pub(crate) struct Playing(Mutex<HashSet<Turn>>);

impl Playing {
    /// Enters a turn; `false` when it was begun before.
    fn begin(&self, turn: &Turn) -> bool {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.insert(turn.clone())
    }
}

/// One part on one head.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Turn {
    repo: RepoName,
    number: u64,
    head: Sha,
    part: Part,
}

/// Called whenever a pull request has a new head, its first one included: starts the bots' clocks.
pub(crate) fn on_new_head(forge: &Forge, repo: &RepoName, number: u64, sha: &Sha) {
    start(forge, repo, number, sha, Before::Nothing);
}

/// Takes up the bots' parts on the heads that are there when the forge starts; what was done is not done again.
pub(crate) fn resume(forge: &Forge) {
    for repo in forge.repos() {
        let open = forge.read(&repo, |state| {
            let open = state
                .pulls
                .iter()
                .filter(|pull| pull.state == PullState::Open);
            open.map(|pull| (pull.number, pull.head_sha.clone()))
                .collect::<Vec<_>>()
        });
        for (number, head) in open.unwrap_or_default() {
            start(forge, &repo, number, &head, Before::Perhaps);
        }
    }
}

/// What was done on a head before its clocks were started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The head is new.
    Nothing,
    /// Another process may have played the part. Times are known to the second only, so a new head is not asked.
    Perhaps,
}

/// Starts the clocks of every part that is for this head.
fn start(forge: &Forge, repo: &RepoName, number: u64, head: &Sha, before: Before) {
    let (forge, repo, head) = (forge.clone(), repo.clone(), head.clone());
    forge.clone().spawn(async move {
        let parts = match script(&forge, &repo, &head).await {
            Ok(parts) => parts,
            Err(error) => {
                tracing::warn!(%repo, number, %error, "the bots' script cannot be read");
                return;
            }
        };
        for part in parts {
            let turn = Turn {
                repo: repo.clone(),
                number,
                head: head.clone(),
                part,
            };
            forge.spawn(play(forge.clone(), turn, before));
        }
    });
}

/// Reads the script for a head: its own, and the repository's.
async fn script(forge: &Forge, repo: &RepoName, head: &Sha) -> Result<Vec<Part>, ForgeError> {
    let bad = |why: String| ForgeError::refused(422, why);
    let mut parts = match forge.git(repo)?.file(head, CONFIG).await? {
        Some(bytes) => {
            let text =
                String::from_utf8(bytes).map_err(|error| bad(format!("{CONFIG}: {error}")))?;
            let config: Config =
                toml::from_str(&text).map_err(|error| bad(format!("{CONFIG}: {error}")))?;
            config.bot
        }
        None => Vec::new(),
    };
    let set = forge.read(repo, |state| state.meta.bots.clone())?;
    parts.extend(stored(set).map_err(|error| bad(format!("stored script: {error}")))?);
    Ok(parts)
}

/// Reads the script that was stored with a repository.
fn stored(value: serde_json::Value) -> Result<Vec<Part>, serde_json::Error> {
    if value.is_null() {
        Ok(Vec::new())
    } else {
        serde_json::from_value(value)
    }
}

/// Plays one part, if its head is still the head by then.
async fn play(forge: Forge, turn: Turn, before: Before) {
    if !forge.bots().begin(&turn) {
        return;
    }
    if let Err(error) = perform(&forge, &turn, before).await {
        tracing::warn!(
            repo = %turn.repo, number = turn.number, login = turn.part.login, %error,
            "a bot could not play its part"
        );
    }
}

async fn perform(forge: &Forge, turn: &Turn, before: Before) -> Result<(), ForgeError> {
    let Some(pull) = current(forge, turn)? else {
        return Ok(());
    };
    if turn.part.heads == Heads::First && pull.heads.len() > 1 {
        return Ok(());
    }
    let came = match before {
        Before::Nothing => now(),
        Before::Perhaps => pull.heads.last().map_or(pull.created_at, |head| head.at),
    };
    tokio::time::sleep(wait(&turn.part.after, came)?).await;
    let Some(pull) = current(forge, turn)? else {
        return Ok(());
    };
    let account = account(forge, &turn.part.login)?;
    match turn.part.does {
        Deed::Nothing => Ok(()),
        Deed::Check => check(forge, turn, &account),
        Deed::Comment if !turn.part.is_inline() => {
            say(forge, turn, &account, &turn.part.body, before)
        }
        Deed::RateLimitNotice if turn.part.body.is_empty() => {
            say(forge, turn, &account, RATE_LIMIT_NOTICE, before)
        }
        Deed::RateLimitNotice => say(forge, turn, &account, &turn.part.body, before),
        Deed::Review | Deed::Comment => review(forge, turn, &pull, &account).await,
    }
}

/// The pull request, as long as it is open and at the turn's head.
fn current(forge: &Forge, turn: &Turn) -> Result<Option<PullRequest>, ForgeError> {
    forge.read(&turn.repo, |state| {
        state
            .pulls
            .get(turn.number)
            .filter(|pull| pull.state == PullState::Open && pull.head_sha == turn.head)
            .cloned()
    })
}

/// How long is left of a delay that began when the head came.
fn wait(after: &str, came: Timestamp) -> Result<Duration, ForgeError> {
    let delay: SignedDuration = after.parse().map_err(|_| {
        ForgeError::refused(
            422,
            format!("`{after}` is no delay: write it like `2s`, `500ms` or `1m 30s`"),
        )
    })?;
    let delay = Duration::try_from(delay).unwrap_or_default();
    let passed = Duration::try_from(now().duration_since(came)).unwrap_or_default();
    Ok(delay.saturating_sub(passed))
}

/// Finds an account, or adds it.
fn account(forge: &Forge, login: &str) -> Result<Account, ForgeError> {
    if let Some(account) = forge.account_by_login(login)
        && account.login.eq_ignore_ascii_case(login)
    {
        return Ok(account);
    }
    let kind = if login.ends_with("[bot]") {
        AccountKind::Bot
    } else {
        AccountKind::User
    };
    forge.add_account(login, kind, None)
}

/// Comments on the conversation, unless that was done on this head.
fn say(
    forge: &Forge,
    turn: &Turn,
    account: &Account,
    body: &str,
    before: Before,
) -> Result<(), ForgeError> {
    let done = forge.read(&turn.repo, |state| {
        let since = state
            .pulls
            .get(turn.number)
            .and_then(|pull| pull.heads.last().map(|head| head.at));
        state.issue_comments.iter().any(|comment| {
            comment.number == turn.number
                && comment.author == account.id
                && comment.body == body
                && Some(comment.created_at) >= since
        })
    })?;
    if done && before == Before::Perhaps {
        return Ok(());
    }
    comments::add(forge, account, &turn.repo, turn.number, body).map(drop)
}

/// Reviews, unless that was done on this head.
async fn review(
    forge: &Forge,
    turn: &Turn,
    pull: &PullRequest,
    account: &Account,
) -> Result<(), ForgeError> {
    let part = &turn.part;
    let thread = if part.is_inline() {
        let files = pulls::files(forge, &turn.repo, pull).await?;
        match part.place(&files) {
            Some(thread) => Some(thread),
            None => return Ok(()),
        }
    } else {
        None
    };
    let body = if thread.is_some() {
        &part.summary
    } else {
        &part.body
    };
    let done = forge.read(&turn.repo, |state| {
        state.reviews.iter().any(|review| {
            review.number == turn.number
                && review.author == account.id
                && review.commit_sha == turn.head
                && review.body == *body
                && thread.as_ref().is_none_or(|thread| {
                    state.review_comments.iter().any(|comment| {
                        comment.review_id == review.id && comment.body == thread.body
                    })
                })
        })
    })?;
    if done {
        return Ok(());
    }
    let new = NewReview {
        commit: Some(turn.head.to_string()),
        body: body.clone(),
        event: Some(match part.event {
            Event::Comment => ReviewEvent::Comment,
            Event::Approve => ReviewEvent::Approve,
            Event::RequestChanges => ReviewEvent::RequestChanges,
        }),
        comments: thread.into_iter().collect(),
    };
    reviews::create(forge, account, &turn.repo, turn.number, new)
        .await
        .map(drop)
}

/// Reports a finished check, unless that was done on this head.
fn check(forge: &Forge, turn: &Turn, account: &Account) -> Result<(), ForgeError> {
    let part = &turn.part;
    let slug = account.login.trim_end_matches("[bot]");
    let name = part.name.clone().unwrap_or_else(|| slug.to_owned());
    forge.change(&turn.repo, |state| {
        let of_app = |run: &&CheckRun| run.head_sha == turn.head && run.app == account.id;
        if state
            .check_runs
            .iter()
            .filter(of_app)
            .any(|run| run.name == name)
        {
            return Ok(());
        }
        let suite = state.check_runs.iter().find(of_app).map(|run| run.suite_id);
        let at = now();
        let title = part.body.lines().next().unwrap_or_default();
        state.check_runs.insert(CheckRun {
            id: forge.next_id(),
            suite_id: suite.unwrap_or_else(|| forge.next_id()),
            name,
            head_sha: turn.head.clone(),
            number: turn.number,
            app: account.id,
            command: String::new(),
            timeout_secs: 0,
            status: CheckStatus::Completed,
            conclusion: Some(part.conclusion.into()),
            created_at: at,
            started_at: Some(at),
            completed_at: Some(at),
            title: (!title.is_empty()).then(|| title.to_owned()),
            summary: (!part.body.is_empty()).then(|| part.body.clone()),
            annotations: Vec::new(),
        });
        Ok(())
    })
}

impl From<Ending> for Conclusion {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Success => Self::Success,
            Ending::Failure => Self::Failure,
            Ending::Neutral => Self::Neutral,
            Ending::Skipped => Self::Skipped,
            Ending::ActionRequired => Self::ActionRequired,
        }
    }
}

impl Part {
    /// Whether it is about a line.
    fn is_inline(&self) -> bool {
        self.pattern.is_some() || self.path.is_some()
    }

    /// Where it comments; nothing when its pattern is on no added line.
    fn place(&self, files: &[FileDiff]) -> Option<NewThread> {
        let (path, line) = match (&self.pattern, &self.path) {
            (Some(pattern), only) => files
                .iter()
                .filter(|file| only.as_ref().is_none_or(|only| *only == file.path))
                .find_map(|file| {
                    let line = added_lines(file)
                        .find(|(_, text)| text.contains(pattern.as_str()))?
                        .0;
                    Some((file.path.clone(), Some(line)))
                })?,
            (None, Some(path)) => (path.clone(), self.line),
            (None, None) => return None,
        };
        Some(NewThread {
            path,
            body: self.body.clone(),
            line,
            side: Side::Right,
            start_line: None,
            start_side: None,
            position: None,
            file_level: line.is_none(),
        })
    }
}

/// The lines that a diff adds, with their numbers in the new file.
fn added_lines(file: &FileDiff) -> impl Iterator<Item = (u64, &str)> {
    let mut hunks = file.hunks.iter();
    let mut next = 0;
    file.patch()
        .unwrap_or_default()
        .lines()
        .filter_map(move |line| match line.as_bytes().first() {
            Some(b'@') => {
                next = hunks.next().map_or(0, |hunk| hunk.new_start);
                None
            }
            Some(b'+') => {
                next += 1;
                Some((next - 1, &line[1..]))
            }
            Some(b'-' | b'\\') => None,
            Some(_) | None => {
                next += 1;
                None
            }
        })
}

/// Builds the routes that set scripts: `GET`, `PUT` and `DELETE /_forge/bots?repo=OWNER/NAME`.
pub(crate) fn routes(forge: Forge) -> Router {
    Router::new()
        .route("/_forge/bots", get(show).put(set).delete(clear))
        .with_state(forge)
}

/// Which repository is meant.
#[derive(Debug, Deserialize)]
struct Which {
    repo: RepoName,
}

fn refused(error: &ForgeError) -> Response {
    let status = match error {
        ForgeError::NoSuchRepo(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, Json(json!({"message": error.to_string()}))).into_response()
}

async fn show(State(forge): State<Forge>, Query(which): Query<Which>) -> Response {
    match forge.read(&which.repo, |state| state.meta.bots.clone()) {
        Ok(serde_json::Value::Null) => Json(json!([])).into_response(),
        Ok(parts) => Json(parts).into_response(),
        Err(error) => refused(&error),
    }
}

/// Stores a script and starts it on the heads that are there.
async fn set(
    State(forge): State<Forge>,
    Query(which): Query<Which>,
    Json(wanted): Json<serde_json::Value>,
) -> Response {
    let checked = stored(wanted)
        .map_err(|error| ForgeError::refused(422, format!("cannot read the script: {error}")))
        .and_then(|parts| {
            parts
                .iter()
                .try_for_each(|part| wait(&part.after, now()).map(drop))?;
            Ok(parts)
        });
    let outcome = checked.and_then(|parts| {
        let value = serde_json::to_value(&parts).map_err(|error| {
            ForgeError::refused(500, format!("cannot store the script: {error}"))
        })?;
        forge.change(&which.repo, |state| {
            state.meta.edit().bots = value;
            Ok(())
        })?;
        forge.read(&which.repo, |state| {
            let open = state
                .pulls
                .iter()
                .filter(|pull| pull.state == PullState::Open);
            open.map(|pull| (pull.number, pull.head_sha.clone()))
                .collect::<Vec<_>>()
        })
    });
    match outcome {
        Ok(open) => {
            for (number, head) in open {
                start(&forge, &which.repo, number, &head, Before::Perhaps);
            }
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => refused(&error),
    }
}

async fn clear(State(forge): State<Forge>, Query(which): Query<Which>) -> Response {
    let cleared = forge.change(&which.repo, |state| {
        state.meta.edit().bots = serde_json::Value::Null;
        Ok(())
    });
    match cleared {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => refused(&error),
    }
}

//! Bots that play by a script: after a delay on a head they review, comment, report a check, or say that they can't.
//!
//! The script is the `[[bot]]` tables of the head's `.forge.toml`, and what `/_forge/bots` set for the repository. Whoever
//! it names acts under its own account, so a person's account can claim in its text to be a bot: an impostor.

use std::collections::{BTreeMap, HashSet};
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
use crate::actions::reviews::{self, NewReview, ReviewEvent};
use crate::actions::threads::{self, NewThread};
use crate::actions::{comments, pulls};
use crate::clock::now;
use crate::diff::FileDiff;
use crate::error::ForgeError;
use crate::model::{
    Account, AccountId, AccountKind, CheckRun, CheckStatus, Conclusion, PullRequest, PullState,
    RepoName, Sha, Side,
};

/// The file of a head that holds the script.
const CONFIG_FILE: &str = ".forge.toml";

/// What a bot says that is out of quota, unless the script has other words.
const RATE_LIMIT_NOTICE: &str = "> [!WARNING]\n> ## Rate limit exceeded\n>\n> This head was not reviewed: the hourly \
    limit is used up. Please wait **12 minutes and 30 seconds** before requesting another review.";

/// What a bot says that has not looked yet, unless the script has other words.
const PLACEHOLDER: &str = "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n> [!NOTE]\n> Currently \
    processing new changes in this PR. This may take a few minutes, please wait...";

/// What a bot says under an answer, unless the script has other words.
const THANKS: &str =
    "Thank you for the explanation, that makes sense. I have noted it for further reviews.";

/// How often it is looked whether what a bot waits for has come.
const CUE_INTERVAL: Duration = Duration::from_millis(50);

/// One part of a script.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotStep {
    /// Who acts; an account that is not there yet is added, a bot when it ends in `[bot]`, else a person.
    login: String,
    /// How long after the head came, such as `2s`, `500ms` or `1m 30s`.
    #[serde(default = "two_seconds")]
    after: String,
    /// What happens.
    does: BotAction,
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
    heads: HeadSelection,
    /// Waits, after its delay, for a comment of somebody else that begins so, such as `@coderabbitai review`.
    asked_with: Option<String>,
    /// Waits, after its delay, until somebody else has answered in a thread of its own; a review is then posted again, in a new thread.
    #[serde(default)]
    when_answered: bool,
    /// When a bot that is out of quota says that it is back, such as `12m 30s`.
    back_in: Option<String>,
    /// How a review is submitted.
    #[serde(default)]
    event: ScriptedReviewEvent,
    /// The name of a check; the app's own when absent.
    name: Option<String>,
    /// How a check ends.
    #[serde(default)]
    conclusion: ScriptedConclusion,
}

/// What a bot does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BotAction {
    Review,
    Comment,
    /// Edits its latest comment of the conversation; writes one where there is none.
    EditComment,
    /// The same, with words that stand where a review will be.
    Placeholder,
    RateLimitNotice,
    /// Replies wherever somebody else has the last word in a thread of its own.
    Thanks,
    Check,
    Nothing,
}

/// On which heads a bot acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HeadSelection {
    First,
    #[default]
    Each,
}

/// How a review is submitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScriptedReviewEvent {
    #[default]
    Comment,
    Approve,
    RequestChanges,
}

/// How a check ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScriptedConclusion {
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
struct BotsConfig {
    #[serde(default)]
    bot: Vec<BotStep>,
}

/// The turns that this process has begun, so that none is played twice.
#[derive(Debug, Default)]
pub(crate) struct StartedSteps(Mutex<HashSet<ScheduledStep>>);

impl StartedSteps {
    /// Enters a turn; `false` when it was begun before.
    fn try_start(&self, scheduled_step: &ScheduledStep) -> bool {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.insert(scheduled_step.clone())
    }
}

/// One part on one head.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ScheduledStep {
    repo: RepoName,
    number: u64,
    head: Sha,
    step: BotStep,
}

/// Called whenever a pull request has a new head, its first one included: starts the bots' clocks.
pub(crate) fn on_new_head(forge: &Forge, repo: &RepoName, number: u64, sha: &Sha) {
    schedule_steps(forge, repo, number, sha, EarlierActions::None);
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
            schedule_steps(forge, &repo, number, &head, EarlierActions::Possible);
        }
    }
}

/// What was done on a head before its clocks were started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EarlierActions {
    /// The head is new.
    None,
    /// Another process may have played the part. Times are known to the second only, so a new head is not asked.
    Possible,
}

/// Starts the clocks of every part that is for this head.
fn schedule_steps(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    head: &Sha,
    earlier_actions: EarlierActions,
) {
    let (forge, repo, head) = (forge.clone(), repo.clone(), head.clone());
    forge.clone().spawn(async move {
        let steps = match load_script(&forge, &repo, &head).await {
            Ok(parts) => parts,
            Err(error) => {
                tracing::warn!(%repo, number, %error, "the bots' script cannot be read");
                return;
            }
        };
        for step in steps {
            let scheduled_step = ScheduledStep {
                repo: repo.clone(),
                number,
                head: head.clone(),
                step,
            };
            forge.spawn(run_step(forge.clone(), scheduled_step, earlier_actions));
        }
    });
}

/// Reads the script for a head: its own, and the repository's.
async fn load_script(
    forge: &Forge,
    repo: &RepoName,
    head: &Sha,
) -> Result<Vec<BotStep>, ForgeError> {
    let invalid_script = |why: String| ForgeError::refused(422, why);
    let mut steps = match forge.git(repo)?.file(head, CONFIG_FILE).await? {
        Some(bytes) => {
            let text = String::from_utf8(bytes)
                .map_err(|error| invalid_script(format!("{CONFIG_FILE}: {error}")))?;
            let config: BotsConfig = toml::from_str(&text)
                .map_err(|error| invalid_script(format!("{CONFIG_FILE}: {error}")))?;
            config.bot
        }
        None => Vec::new(),
    };
    let stored_script = forge.read(repo, |state| state.meta.bots.clone())?;
    steps.extend(
        parse_stored_script(stored_script)
            .map_err(|error| invalid_script(format!("stored script: {error}")))?,
    );
    Ok(steps)
}

/// Reads the script that was stored with a repository.
fn parse_stored_script(value: serde_json::Value) -> Result<Vec<BotStep>, serde_json::Error> {
    if value.is_null() {
        Ok(Vec::new())
    } else {
        serde_json::from_value(value)
    }
}

/// Plays one part, if its head is still the head by then.
async fn run_step(forge: Forge, scheduled_step: ScheduledStep, earlier_actions: EarlierActions) {
    if !forge.started_bot_steps().try_start(&scheduled_step) {
        return;
    }
    if let Err(error) = perform_step(&forge, &scheduled_step, earlier_actions).await {
        tracing::warn!(
            repo = %scheduled_step.repo, number = scheduled_step.number, login = scheduled_step.step.login, %error,
            "a bot could not play its part"
        );
    }
}

async fn perform_step(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    earlier_actions: EarlierActions,
) -> Result<(), ForgeError> {
    let Some(pull) = pull_if_current(forge, scheduled_step)? else {
        return Ok(());
    };
    if scheduled_step.step.heads == HeadSelection::First && pull.heads.len() > 1 {
        return Ok(());
    }
    let head_created_at = match earlier_actions {
        EarlierActions::None => now(),
        EarlierActions::Possible => pull.heads.last().map_or(pull.created_at, |head| head.at),
    };
    tokio::time::sleep(remaining_delay(
        &scheduled_step.step.after,
        head_created_at,
    )?)
    .await;
    let Some(pull) = pull_if_current(forge, scheduled_step)? else {
        return Ok(());
    };
    let account = find_or_add_account(forge, &scheduled_step.step.login)?;
    if !wait_for_cue(forge, scheduled_step, &account).await? {
        return Ok(());
    }
    act(forge, scheduled_step, &pull, &account, earlier_actions).await
}

async fn act(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    pull: &PullRequest,
    account: &Account,
    earlier_actions: EarlierActions,
) -> Result<(), ForgeError> {
    let step = &scheduled_step.step;
    let comment = |body: &str| post_comment(forge, scheduled_step, account, body, earlier_actions);
    match step.does {
        BotAction::Nothing => Ok(()),
        BotAction::Check => report_check(forge, scheduled_step, account),
        BotAction::Comment if !step.is_inline() => comment(&step.body),
        BotAction::EditComment => edit_comment(forge, scheduled_step, account, &step.body),
        BotAction::Placeholder => {
            edit_comment(forge, scheduled_step, account, step.words(PLACEHOLDER))
        }
        BotAction::Thanks => give_thanks(forge, scheduled_step, account),
        BotAction::RateLimitNotice => comment(&step.rate_limit_notice()?),
        BotAction::Review | BotAction::Comment => {
            post_review(forge, scheduled_step, pull, account).await
        }
    }
}

/// Waits for what the script makes a bot wait for; `false` when the head has gone.
async fn wait_for_cue(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    account: &Account,
) -> Result<bool, ForgeError> {
    let step = &scheduled_step.step;
    loop {
        let Some(pull) = pull_if_current(forge, scheduled_step)? else {
            return Ok(false);
        };
        let since = pull.heads.last().map(|head| head.at);
        let is_asked = match &step.asked_with {
            None => true,
            Some(words) => forge.read(&scheduled_step.repo, |state| {
                state.issue_comments.iter().any(|comment| {
                    comment.number == scheduled_step.number
                        && comment.author != account.id
                        && comment.body.starts_with(words.as_str())
                        && Some(comment.created_at) >= since
                })
            })?,
        };
        let is_answered =
            !step.when_answered || !answered_threads(forge, scheduled_step, account)?.is_empty();
        if is_asked && is_answered {
            return Ok(true);
        }
        tokio::time::sleep(CUE_INTERVAL).await;
    }
}

/// Threads that an account opened and somebody else answered in, and whether that is the last word there.
fn answered_threads(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    account: &Account,
) -> Result<Vec<(u64, bool)>, ForgeError> {
    forge.read(&scheduled_step.repo, |state| {
        let mut threads: BTreeMap<u64, Vec<AccountId>> = BTreeMap::new();
        for comment in state.review_comments.iter() {
            if comment.number == scheduled_step.number {
                let authors = threads.entry(comment.thread_id).or_default();
                authors.push(comment.author);
            }
        }
        let is_other = |author: &AccountId| *author != account.id;
        let own = threads
            .into_iter()
            .filter(|(_, authors)| authors.first() == Some(&account.id));
        own.filter(|(_, authors)| authors.iter().any(is_other))
            .map(|(thread, authors)| (thread, authors.last().is_some_and(is_other)))
            .collect()
    })
}

/// Replies wherever somebody else has the last word in a thread of its own.
fn give_thanks(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    account: &Account,
) -> Result<(), ForgeError> {
    let body = scheduled_step.step.words(THANKS);
    let answered = answered_threads(forge, scheduled_step, account)?;
    for (thread, _) in answered.into_iter().filter(|(_, is_last)| *is_last) {
        threads::reply(forge, account, &scheduled_step.repo, thread, body, false)?;
    }
    Ok(())
}

/// Edits its latest comment of the conversation, or writes its first.
fn edit_comment(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    account: &Account,
    body: &str,
) -> Result<(), ForgeError> {
    let (repo, number) = (&scheduled_step.repo, scheduled_step.number);
    let latest = forge.read(repo, |state| {
        let mut own = state
            .issue_comments
            .iter()
            .filter(|comment| comment.number == number && comment.author == account.id);
        own.next_back().map(|comment| comment.id)
    })?;
    match latest {
        Some(id) => comments::edit(forge, account, repo, id, body).map(drop),
        None => comments::add(forge, account, repo, number, body).map(drop),
    }
}

/// The pull request, as long as it is open and at the turn's head.
fn pull_if_current(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
) -> Result<Option<PullRequest>, ForgeError> {
    forge.read(&scheduled_step.repo, |state| {
        state
            .pulls
            .get(scheduled_step.number)
            .filter(|pull| pull.state == PullState::Open && pull.head_sha == scheduled_step.head)
            .cloned()
    })
}

fn parse_delay(delay: &str) -> Result<Duration, ForgeError> {
    let parsed: SignedDuration = delay.parse().map_err(|_| {
        ForgeError::refused(
            422,
            format!("`{delay}` is no delay: write it like `2s`, `500ms` or `1m 30s`"),
        )
    })?;
    Ok(Duration::try_from(parsed).unwrap_or_default())
}

/// How long is left of a delay that began when the head came.
fn remaining_delay(after: &str, head_created_at: Timestamp) -> Result<Duration, ForgeError> {
    let delay = parse_delay(after)?;
    let elapsed = Duration::try_from(now().duration_since(head_created_at)).unwrap_or_default();
    Ok(delay.saturating_sub(elapsed))
}

/// Finds an account, or adds it.
fn find_or_add_account(forge: &Forge, login: &str) -> Result<Account, ForgeError> {
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
fn post_comment(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    account: &Account,
    body: &str,
    earlier_actions: EarlierActions,
) -> Result<(), ForgeError> {
    let is_done = forge.read(&scheduled_step.repo, |state| {
        let since = state
            .pulls
            .get(scheduled_step.number)
            .and_then(|pull| pull.heads.last().map(|head| head.at));
        state.issue_comments.iter().any(|comment| {
            comment.number == scheduled_step.number
                && comment.author == account.id
                && comment.body == body
                && Some(comment.created_at) >= since
        })
    })?;
    if is_done && earlier_actions == EarlierActions::Possible {
        return Ok(());
    }
    comments::add(
        forge,
        account,
        &scheduled_step.repo,
        scheduled_step.number,
        body,
    )
    .map(drop)
}

/// Reviews, unless that was done on this head.
async fn post_review(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    pull: &PullRequest,
    account: &Account,
) -> Result<(), ForgeError> {
    let step = &scheduled_step.step;
    let new_thread = if step.is_inline() {
        let files = pulls::changed_files(forge, &scheduled_step.repo, pull).await?;
        match step.new_thread(&files) {
            Some(thread) => Some(thread),
            None => return Ok(()),
        }
    } else {
        None
    };
    let body = if new_thread.is_some() {
        &step.summary
    } else {
        &step.body
    };
    let done = forge.read(&scheduled_step.repo, |state| {
        let done = state.reviews.iter().filter(|review| {
            review.number == scheduled_step.number
                && review.author == account.id
                && review.commit_sha == scheduled_step.head
                && review.body == *body
                && new_thread.as_ref().is_none_or(|thread| {
                    state.review_comments.iter().any(|comment| {
                        comment.review_id == review.id && comment.body == thread.body
                    })
                })
        });
        done.count()
    })?;
    // What was answered is posted once more.
    if done > usize::from(step.when_answered) {
        return Ok(());
    }
    let new = NewReview {
        commit: Some(scheduled_step.head.to_string()),
        body: body.clone(),
        event: Some(match step.event {
            ScriptedReviewEvent::Comment => ReviewEvent::Comment,
            ScriptedReviewEvent::Approve => ReviewEvent::Approve,
            ScriptedReviewEvent::RequestChanges => ReviewEvent::RequestChanges,
        }),
        comments: new_thread.into_iter().collect(),
    };
    reviews::create(
        forge,
        account,
        &scheduled_step.repo,
        scheduled_step.number,
        new,
    )
    .await
    .map(drop)
}

/// Reports a finished check, unless that was done on this head.
fn report_check(
    forge: &Forge,
    scheduled_step: &ScheduledStep,
    account: &Account,
) -> Result<(), ForgeError> {
    let step = &scheduled_step.step;
    let slug = account.login.trim_end_matches("[bot]");
    let name = step.name.clone().unwrap_or_else(|| slug.to_owned());
    forge.change(&scheduled_step.repo, |state| {
        let is_of_app =
            |run: &&CheckRun| run.head_sha == scheduled_step.head && run.app == account.id;
        if state
            .check_runs
            .iter()
            .filter(is_of_app)
            .any(|run| run.name == name)
        {
            return Ok(());
        }
        let suite = state
            .check_runs
            .iter()
            .find(is_of_app)
            .map(|run| run.suite_id);
        let at = now();
        let title = step.body.lines().next().unwrap_or_default();
        state.check_runs.insert(CheckRun {
            id: forge.next_id(),
            suite_id: suite.unwrap_or_else(|| forge.next_id()),
            name,
            head_sha: scheduled_step.head.clone(),
            number: scheduled_step.number,
            app: account.id,
            command: String::new(),
            timeout_secs: 0,
            status: CheckStatus::Completed,
            conclusion: Some(step.conclusion.into()),
            created_at: at,
            started_at: Some(at),
            completed_at: Some(at),
            title: (!title.is_empty()).then(|| title.to_owned()),
            summary: (!step.body.is_empty()).then(|| step.body.clone()),
            annotations: Vec::new(),
            workflow: None,
        });
        Ok(())
    })
}

impl From<ScriptedConclusion> for Conclusion {
    fn from(ending: ScriptedConclusion) -> Self {
        match ending {
            ScriptedConclusion::Success => Self::Success,
            ScriptedConclusion::Failure => Self::Failure,
            ScriptedConclusion::Neutral => Self::Neutral,
            ScriptedConclusion::Skipped => Self::Skipped,
            ScriptedConclusion::ActionRequired => Self::ActionRequired,
        }
    }
}

impl BotStep {
    /// Its own words, or those that are for it.
    fn words<'a>(&'a self, default: &'a str) -> &'a str {
        if self.body.is_empty() {
            default
        } else {
            &self.body
        }
    }

    /// What it says that is out of quota; with the time that the script names.
    fn rate_limit_notice(&self) -> Result<String, ForgeError> {
        let words = self.words(RATE_LIMIT_NOTICE);
        let Some(back_in) = &self.back_in else {
            return Ok(words.to_owned());
        };
        let secs = parse_delay(back_in)?.as_secs();
        let named = format!("{} minutes and {} seconds", secs / 60, secs % 60);
        Ok(words.replace("12 minutes and 30 seconds", &named))
    }

    /// Whether it is about a line.
    fn is_inline(&self) -> bool {
        self.pattern.is_some() || self.path.is_some()
    }

    /// Where it comments; nothing when its pattern is on no added line.
    fn new_thread(&self, files: &[FileDiff]) -> Option<NewThread> {
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
        .route(
            "/_forge/bots",
            get(get_script).put(put_script).delete(delete_script),
        )
        .with_state(forge)
}

/// Which repository is meant.
#[derive(Debug, Deserialize)]
struct RepoQuery {
    repo: RepoName,
}

fn error_response(error: &ForgeError) -> Response {
    let status = match error {
        ForgeError::NoSuchRepo(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, Json(json!({"message": error.to_string()}))).into_response()
}

async fn get_script(State(forge): State<Forge>, Query(query): Query<RepoQuery>) -> Response {
    match forge.read(&query.repo, |state| state.meta.bots.clone()) {
        Ok(serde_json::Value::Null) => Json(json!([])).into_response(),
        Ok(parts) => Json(parts).into_response(),
        Err(error) => error_response(&error),
    }
}

/// Stores a script and starts it on the heads that are there.
async fn put_script(
    State(forge): State<Forge>,
    Query(query): Query<RepoQuery>,
    Json(script): Json<serde_json::Value>,
) -> Response {
    let checked = parse_stored_script(script)
        .map_err(|error| ForgeError::refused(422, format!("cannot read the script: {error}")))
        .and_then(|parts| {
            parts
                .iter()
                .try_for_each(|part| remaining_delay(&part.after, now()).map(drop))?;
            Ok(parts)
        });
    let outcome = checked.and_then(|parts| {
        let value = serde_json::to_value(&parts).map_err(|error| {
            ForgeError::refused(500, format!("cannot store the script: {error}"))
        })?;
        forge.change(&query.repo, |state| {
            state.meta.edit().bots = value;
            Ok(())
        })?;
        forge.read(&query.repo, |state| {
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
                schedule_steps(&forge, &query.repo, number, &head, EarlierActions::Possible);
            }
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => error_response(&error),
    }
}

async fn delete_script(State(forge): State<Forge>, Query(query): Query<RepoQuery>) -> Response {
    let cleared = forge.change(&query.repo, |state| {
        state.meta.edit().bots = serde_json::Value::Null;
        Ok(())
    });
    match cleared {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => error_response(&error),
    }
}

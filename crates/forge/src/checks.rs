//! Checks that really run: the commands of `.forge.toml` on every new head.

use collie_platform::{ProcessTree, SYSTEM_VARIABLES};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::now;
use crate::error::ForgeError;
use crate::log_annotations;
use crate::model::{
    Annotation, CheckRun, CheckStatus, Conclusion, PullState, RepoName, Sha, Workflow,
};
use crate::shipped_accounts::ACTIONS_BOT;
use crate::{Forge, git_dir};

/// The file in a commit that names its checks.
const CONFIG_FILE: &str = ".forge.toml";

/// How long a check may run where it does not say, and at most.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// How much of a log is kept, in bytes; what is beyond is cut from its front.
const MAX_LOG_BYTES: usize = 1024 * 1024;

/// What a check inherits from the forge's environment: enough for toolchains, and no secrets.
const INHERITED_ENVIRONMENT: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOCACHE",
    "GOROOT",
    "NODE_PATH",
];

/// What is running, and how much may at once.
#[derive(Debug)]
pub(crate) struct CheckRunner {
    concurrency: Semaphore,
    /// Cancels the runs of a pull request's current head.
    cancellations: Mutex<BTreeMap<(String, u64), CancellationToken>>,
    /// Runs that this process has taken up.
    started: Mutex<BTreeSet<u64>>,
}

impl Default for CheckRunner {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, |n| n.get());
        Self {
            concurrency: Semaphore::new(cores.max(2)),
            cancellations: Mutex::default(),
            started: Mutex::default(),
        }
    }
}

#[derive(Debug, Deserialize)]
struct ChecksConfig {
    #[serde(default)]
    check: Vec<CheckSpec>,
}

/// What a check belongs to that names no workflow.
const DEFAULT_WORKFLOW: &str = "CI";
const DEFAULT_EVENT: &str = "pull_request";
const QUEUE_EVENT: &str = "merge_group";

#[derive(Debug, Deserialize)]
struct CheckSpec {
    name: String,
    run: String,
    timeout: Option<String>,
    /// Name of its workflow, whose file is called alike.
    workflow: Option<String>,
    /// What started that.
    event: Option<String>,
}

impl CheckSpec {
    fn workflow(&self) -> Workflow {
        let name = self.workflow.as_deref().unwrap_or(DEFAULT_WORKFLOW);
        let event = self.event.as_deref().unwrap_or(DEFAULT_EVENT);
        Workflow {
            file: format!("{}.yml", name.to_lowercase().replace(' ', "-")),
            name: name.to_owned(),
            event: event.to_owned(),
        }
    }
}

/// Enters the check runs of a new head and starts them; those of the head before are cancelled.
pub(crate) async fn on_new_head(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    head: &Sha,
) -> Result<(), ForgeError> {
    let cancellation = CancellationToken::new();
    let previous =
        lock(&forge.checks().cancellations).insert((repo.key(), number), cancellation.clone());
    if let Some(before) = previous {
        before.cancel();
    }
    let Some(bytes) = forge.git(repo)?.file(head, CONFIG_FILE).await? else {
        return Ok(());
    };
    let runs = match read_config(&bytes) {
        Ok(specs) => insert_runs(forge, repo, number, head, specs)?,
        Err(why) => return insert_broken_config_run(forge, repo, number, head, &why),
    };
    for run in runs {
        start_run(forge, repo, run, cancellation.clone());
    }
    Ok(())
}

/// Enters the check runs of a merge queue's commit and starts them.
pub(crate) async fn on_queue_commit(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    commit: &Sha,
) -> Result<(), ForgeError> {
    let Some(bytes) = forge.git(repo)?.file(commit, CONFIG_FILE).await? else {
        return Ok(());
    };
    let runs = match read_config(&bytes) {
        Ok(specs) => {
            let of_queue = |(spec, timeout): (CheckSpec, Duration)| {
                let event = Some(QUEUE_EVENT.to_owned());
                (CheckSpec { event, ..spec }, timeout)
            };
            let specs = specs.into_iter().map(of_queue).collect();
            insert_runs(forge, repo, number, commit, specs)?
        }
        Err(why) => return insert_broken_config_run(forge, repo, number, commit, &why),
    };
    for run in runs {
        start_run(forge, repo, run, CancellationToken::new());
    }
    Ok(())
}

/// Runs a finished check once more, as a new run.
pub(crate) fn rerun(forge: &Forge, repo: &RepoName, id: u64) -> Result<(), ForgeError> {
    let run = forge.change(repo, |state| {
        let old = state.check_runs.get(id).ok_or_else(ForgeError::not_found)?;
        let run = CheckRun {
            id: forge.next_id(),
            created_at: now(),
            ..reset_to_queued(old.clone())
        };
        state.check_runs.insert(run.clone());
        Ok(run)
    })?;
    let cancellation = lock(&forge.checks().cancellations)
        .entry((repo.key(), run.number))
        .or_default()
        .clone();
    start_run(forge, repo, run, cancellation);
    Ok(())
}

/// Takes up what a stop of the forge cut off.
pub(crate) fn resume(forge: &Forge) -> Result<(), ForgeError> {
    let started = lock(&forge.checks().started).clone();
    for repo in forge.repos() {
        let to_resume = forge.change(&repo, |state| {
            let is_open_head = |run: &CheckRun| {
                let pull = state.pulls.get(run.number);
                pull.is_some_and(|p| p.state == PullState::Open && p.head_sha == run.head_sha)
            };
            let unfinished = state
                .check_runs
                .iter()
                .filter(|r| r.status != CheckStatus::Completed && !started.contains(&r.id))
                // Those of other apps run elsewhere.
                .filter(|r| r.app == ACTIONS_BOT);
            let unfinished: Vec<(CheckRun, bool)> =
                unfinished.map(|r| (r.clone(), is_open_head(r))).collect();
            let mut to_resume = Vec::new();
            for (run, open) in unfinished {
                let run = reset_to_queued(run);
                state.check_runs.insert(if open {
                    run.clone()
                } else {
                    mark_cancelled(run.clone())
                });
                to_resume.extend(open.then_some(run));
            }
            Ok(to_resume)
        })?;
        for run in to_resume {
            let cancellation = lock(&forge.checks().cancellations)
                .entry((repo.key(), run.number))
                .or_default()
                .clone();
            start_run(forge, &repo, run, cancellation);
        }
    }
    Ok(())
}

fn start_run(forge: &Forge, repo: &RepoName, run: CheckRun, cancellation: CancellationToken) {
    lock(&forge.checks().started).insert(run.id);
    forge.spawn(run_check(forge.clone(), repo.clone(), run, cancellation));
}

/// Where the log of a check run is.
pub(crate) fn log_path(root: &Path, run: u64) -> std::path::PathBuf {
    root.join("logs").join(format!("{run}.log"))
}

fn read_config(bytes: &[u8]) -> Result<Vec<(CheckSpec, Duration)>, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
    let config: ChecksConfig = toml::from_str(text).map_err(|e| e.to_string())?;
    let with_timeout = |spec: CheckSpec| {
        let timeout = match &spec.timeout {
            Some(text) => parse_timeout(text).ok_or_else(|| {
                format!(
                    "check `{}`: timeout `{text}` is not like `90s` or `5m`",
                    spec.name
                )
            })?,
            None => MAX_TIMEOUT,
        };
        Ok((spec, timeout.min(MAX_TIMEOUT)))
    };
    config.check.into_iter().map(with_timeout).collect()
}

fn parse_timeout(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    match &text[digits.len()..] {
        "ms" => Some(Duration::from_millis(number)),
        "s" | "" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        _ => None,
    }
}

fn insert_runs(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    head: &Sha,
    specs: Vec<(CheckSpec, Duration)>,
) -> Result<Vec<CheckRun>, ForgeError> {
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    forge.change(repo, |state| {
        let mut runs = Vec::new();
        for (spec, timeout) in specs {
            let suite = suite_of(state, head, &spec.workflow());
            let suite = suite.unwrap_or_else(|| forge.next_id());
            let run = new_run(forge.next_id(), suite, number, head, spec, timeout);
            state.check_runs.insert(run.clone());
            runs.push(run);
        }
        Ok(runs)
    })
}

fn suite_of(state: &crate::model::RepoState, head: &Sha, workflow: &Workflow) -> Option<u64> {
    let is_own = |r: &&CheckRun| {
        r.head_sha == *head && r.app == ACTIONS_BOT && r.workflow.as_ref() == Some(workflow)
    };
    state.check_runs.iter().find(is_own).map(|r| r.suite_id)
}

fn insert_broken_config_run(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    head: &Sha,
    why: &str,
) -> Result<(), ForgeError> {
    let spec = CheckSpec {
        name: CONFIG_FILE.to_owned(),
        run: String::new(),
        timeout: None,
        workflow: None,
        event: None,
    };
    let runs = insert_runs(forge, repo, number, head, vec![(spec, MAX_TIMEOUT)])?;
    for run in runs {
        let log = format!("{CONFIG_FILE} cannot be read: {why}\n");
        let outcome = CommandOutcome::Exit(1);
        record_outcome(forge, repo, &run, &outcome, log.as_bytes())?;
    }
    Ok(())
}

fn new_run(
    id: u64,
    suite: u64,
    number: u64,
    head: &Sha,
    spec: CheckSpec,
    timeout: Duration,
) -> CheckRun {
    let workflow = Some(spec.workflow());
    CheckRun {
        id,
        suite_id: suite,
        name: spec.name,
        head_sha: head.clone(),
        number,
        app: ACTIONS_BOT,
        command: spec.run,
        timeout_secs: timeout.as_secs().max(1),
        status: CheckStatus::Queued,
        conclusion: None,
        created_at: now(),
        started_at: None,
        completed_at: None,
        title: None,
        summary: None,
        annotations: Vec::new(),
        workflow,
    }
}

fn reset_to_queued(run: CheckRun) -> CheckRun {
    CheckRun {
        status: CheckStatus::Queued,
        conclusion: None,
        started_at: None,
        completed_at: None,
        title: None,
        summary: None,
        annotations: Vec::new(),
        ..run
    }
}

fn mark_cancelled(run: CheckRun) -> CheckRun {
    CheckRun {
        status: CheckStatus::Completed,
        conclusion: Some(Conclusion::Cancelled),
        completed_at: Some(now()),
        title: Some("Cancelled".to_owned()),
        ..run
    }
}

/// How a command ended.
#[derive(Debug)]
enum CommandOutcome {
    Exit(i32),
    Killed,
    TimedOut,
    Cancelled,
    /// It never ran.
    NotRun(String),
}

async fn run_check(forge: Forge, repo: RepoName, run: CheckRun, cancellation: CancellationToken) {
    let (ending, log) = tokio::select! {
        () = cancellation.cancelled() => (CommandOutcome::Cancelled, Vec::new()),
        slot = forge.checks().concurrency.acquire() => {
            let _slot = slot;
            check_out_and_execute(&forge, &repo, &run, &cancellation).await
        }
    };
    if let Err(error) = record_outcome(&forge, &repo, &run, &ending, &log) {
        tracing::warn!(%repo, check = run.name, %error, "cannot record a check's end");
    }
}

async fn check_out_and_execute(
    forge: &Forge,
    repo: &RepoName,
    run: &CheckRun,
    cancellation: &CancellationToken,
) -> (CommandOutcome, Vec<u8>) {
    let started = forge.change(repo, |state| {
        if let Some(run) = state.check_runs.get_mut(run.id) {
            run.status = CheckStatus::InProgress;
            run.started_at = Some(now());
        }
        Ok(())
    });
    let checkout_folder = match started {
        Ok(()) => checkout(forge, repo, &run.head_sha).await,
        Err(error) => Err(error),
    };
    match checkout_folder {
        Ok(folder) => execute(repo, run, &folder.path().join("work"), cancellation).await,
        Err(error) => (CommandOutcome::NotRun(error.to_string()), Vec::new()),
    }
}

/// The files of a commit, in a temporary folder under `work`.
async fn checkout(
    forge: &Forge,
    repo: &RepoName,
    sha: &Sha,
) -> Result<tempfile::TempDir, ForgeError> {
    let git = forge.git(repo)?;
    let folder =
        tempfile::tempdir().map_err(ForgeError::io("create a folder in", std::env::temp_dir()))?;
    let work = folder.path().join("work");
    std::fs::create_dir(&work).map_err(ForgeError::io("create", &work))?;
    for args in [
        &["read-tree", sha.as_str()][..],
        &["checkout-index", "--all", "--force"],
    ] {
        let mut command = git_dir::git_command(&work);
        command
            .env("GIT_DIR", git.path())
            .env("GIT_WORK_TREE", &work)
            .env("GIT_INDEX_FILE", folder.path().join("index"));
        let output = git_dir::run_git(&mut command, git.path(), args, b"").await?;
        if output.code != 0 {
            return Err(ForgeError::Git {
                command: args.join(" "),
                repo: git.path().to_owned(),
                stderr: output.stderr,
            });
        }
    }
    Ok(folder)
}

async fn execute(
    repo: &RepoName,
    run: &CheckRun,
    work: &Path,
    cancellation: &CancellationToken,
) -> (CommandOutcome, Vec<u8>) {
    let mut command = Command::new("sh");
    // One stream, so that the log has its lines in order.
    command
        .arg("-c")
        .arg(format!("exec 2>&1\n{}", run.command))
        .current_dir(work)
        .env_clear()
        .envs(
            INHERITED_ENVIRONMENT
                .iter()
                .chain(SYSTEM_VARIABLES)
                .filter_map(|name| Some((*name, std::env::var_os(name)?))),
        )
        .env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_REPOSITORY", repo.to_string())
        .env("GITHUB_SHA", run.head_sha.as_str())
        .env("GITHUB_WORKSPACE", work)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // It is killed also when the forge stops.
    let mut child = match ProcessTree::spawn(command) {
        Ok(child) => child,
        Err(error) => {
            return (
                CommandOutcome::NotRun(format!("cannot start sh: {error}")),
                Vec::new(),
            );
        }
    };
    let output = child.stdout();
    let reader = tokio::spawn(async move {
        match output {
            Some(output) => read_tail(output).await,
            None => Vec::new(),
        }
    });
    let outcome = tokio::select! {
        status = child.wait() => status.map_or_else(|e| CommandOutcome::NotRun(e.to_string()), outcome_of),
        () = tokio::time::sleep(Duration::from_secs(run.timeout_secs)) => CommandOutcome::TimedOut,
        () = cancellation.cancelled() => CommandOutcome::Cancelled,
    };
    drop(child);
    // What left the group may still hold the pipe; it gets no more than this.
    let log = tokio::time::timeout(Duration::from_secs(2), reader).await;
    (outcome, log.ok().and_then(Result::ok).unwrap_or_default())
}

fn outcome_of(status: ExitStatus) -> CommandOutcome {
    status
        .code()
        .map_or(CommandOutcome::Killed, CommandOutcome::Exit)
}

async fn read_tail(mut output: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut log = Vec::new();
    let mut chunk = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = output.read(&mut chunk).await {
        log.extend_from_slice(&chunk[..count]);
        if log.len() > 2 * MAX_LOG_BYTES {
            log.drain(..log.len() - MAX_LOG_BYTES);
        }
    }
    let excess = log.len().saturating_sub(MAX_LOG_BYTES);
    log.drain(..excess);
    log
}

fn record_outcome(
    forge: &Forge,
    repo: &RepoName,
    run: &CheckRun,
    outcome: &CommandOutcome,
    log: &[u8],
) -> Result<(), ForgeError> {
    let (conclusion, title) = match outcome {
        CommandOutcome::Exit(0) => (Conclusion::Success, "Passed".to_owned()),
        CommandOutcome::Exit(code) => (
            Conclusion::Failure,
            format!("Failed with exit status {code}"),
        ),
        CommandOutcome::Killed => (Conclusion::Failure, "Killed by a signal".to_owned()),
        CommandOutcome::TimedOut => (
            Conclusion::TimedOut,
            format!("Timed out after {} s", run.timeout_secs),
        ),
        CommandOutcome::Cancelled => (Conclusion::Cancelled, "Cancelled".to_owned()),
        CommandOutcome::NotRun(why) => (Conclusion::Failure, format!("Could not run: {why}")),
    };
    let mut log = log.to_vec();
    if !matches!(outcome, CommandOutcome::Exit(_)) {
        if log.last().is_some_and(|b| *b != b'\n') {
            log.push(b'\n');
        }
        log.extend_from_slice(format!("##[error]{title}\n").as_bytes());
    }
    let path = log_path(forge.root(), run.id);
    let folder = forge.root().join("logs");
    std::fs::create_dir_all(&folder).map_err(ForgeError::io("create", &folder))?;
    std::fs::write(&path, &log).map_err(ForgeError::io("write", &path))?;
    let text = String::from_utf8_lossy(&log);
    let annotations: Vec<Annotation> = match conclusion {
        Conclusion::Success => Vec::new(),
        _ => log_annotations::parse_log(&text),
    };
    let last_lines_reversed: Vec<&str> = text.lines().rev().take(20).collect();
    let tail: Vec<&str> = last_lines_reversed.into_iter().rev().collect();
    let summary = format!("`{}`\n\n```\n{}\n```", run.command, tail.join("\n"));
    forge.change(repo, |state| {
        if let Some(run) = state.check_runs.get_mut(run.id) {
            run.status = CheckStatus::Completed;
            run.conclusion = Some(conclusion);
            run.completed_at = Some(now());
            run.started_at = run.started_at.or(run.completed_at);
            run.title = Some(title);
            run.summary = Some(summary);
            run.annotations = annotations;
        }
        Ok(())
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! `collie watch`: runs loops in this terminal, or follows the engine that already does.

use crate::args::{WatchArgs, WatchTarget};
use crate::cli_error::CliError;
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::loop_display::LoopDisplay;
use crate::{context, localize, loop_format, requests};
use collie_app::auth;
use collie_app::engine_client::journal::{OpenError, open_reader};
use collie_app::engine_client::local::{EngineSetup, LocalEngine, LocalEngineError};
use collie_app::engine_client::remote::RemoteEngine;
use collie_app::render::loop_view::loop_view;
use collie_config::LiveConfig;
use collie_core::ids::{LoopId, PullName, RepoName};
use collie_core::loop_state::LoopState;
use collie_engine::StartError;
use collie_engine::ports::GitHub;
use collie_reviewers::activity::{ActivityRegistry, Worker};
use collie_wire::WatchLine;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often the clocks go on, and how often another engine's journal is looked at.
const REDRAW_INTERVAL: Duration = Duration::from_secs(1);

/// Exit status of a watch that left something in the middle.
const EXIT_UNFINISHED: u8 = 1;

/// What is watched, and how it stands.
struct WatchedLoops<'c> {
    context: &'c Context,
    display: LoopDisplay<'c>,
    until_settled: bool,
    /// Whole repositories whose new pull requests are taken up as well.
    repositories: Vec<RepoName>,
    ids: BTreeSet<LoopId>,
    states: BTreeMap<LoopId, Arc<LoopState>>,
}

/// Watches until everything is settled, has ended, or Ctrl-C.
pub async fn run(context: &Context, args: WatchArgs) -> Result<u8, CliError> {
    let mut interrupt = Interrupt::listen();
    context::require_git().await?;
    let activities: Arc<ActivityRegistry> = Arc::default();
    let wiring = EngineSetup {
        config: LiveConfig::new(context.config.clone()),
        tokens: auth::token_source(&context.config).await,
        activities: activities.clone(),
    };
    loop {
        let started = tokio::select! {
            started = LocalEngine::start(wiring.clone()) => started,
            () = interrupt.wait() => return Ok(print_paused(context)),
        };
        let error = match started {
            Ok(app) => {
                let watch = LocalWatch {
                    engine: app,
                    activities,
                };
                return watch.run(context, &args, &mut interrupt).await;
            }
            Err(error) => error,
        };
        match error {
            LocalEngineError::Open(OpenError::EngineRunning { pid, .. }) => {
                if let Some(status) =
                    follow_remote_engine(context, &args, pid, &mut interrupt).await?
                {
                    return Ok(status);
                }
                // The other one has ended with work left: this process goes on with it.
            }
            LocalEngineError::Connect(error) => {
                return Err(requests::connect_error(context, error));
            }
            LocalEngineError::Git(error) => return Err(CliError::new("git", error)),
            LocalEngineError::Open(_)
            | LocalEngineError::Folder(_)
            | LocalEngineError::Engine(_) => {
                return Err(CliError::new("store", error));
            }
        }
    }
}

/// The pull requests that the targets name; whole repositories apart.
async fn resolve_targets(
    context: &Context,
    github: &dyn GitHub,
    targets: &[WatchTarget],
) -> Result<(BTreeSet<PullName>, Vec<RepoName>), CliError> {
    let (mut pulls, mut repositories) = (BTreeSet::new(), Vec::new());
    for target in targets {
        match target {
            WatchTarget::Pull(pull) => {
                pulls.insert(pull.clone());
            }
            WatchTarget::Repository(repo) => {
                let open = open_pulls(github, repo).await?;
                if open.is_empty() {
                    let text = localize!(
                        context.output.localizer,
                        "cli-nothing-open",
                        repo = repo.to_string()
                    );
                    context.output.print_text(&text);
                }
                pulls.extend(open);
                repositories.push(repo.clone());
            }
        }
    }
    Ok((pulls, repositories))
}

async fn open_pulls(github: &dyn GitHub, repo: &RepoName) -> Result<Vec<PullName>, CliError> {
    let numbers = github
        .open_pulls(repo)
        .await
        .map_err(|e| CliError::new("github", e))?;
    Ok(numbers
        .into_iter()
        .map(|number| PullName {
            repo: repo.clone(),
            number,
        })
        .collect())
}

impl<'c> WatchedLoops<'c> {
    fn new(
        context: &'c Context,
        args: &WatchArgs,
        title: String,
        repositories: Vec<RepoName>,
    ) -> Self {
        Self {
            context,
            display: LoopDisplay::new(&context.output, title),
            until_settled: args.until_settled,
            repositories,
            ids: BTreeSet::new(),
            states: BTreeMap::new(),
        }
    }

    /// Takes in how a loop is now; others than the watched ones are left alone.
    fn update_loop(&mut self, state: Arc<LoopState>, queue_position: Option<u32>) {
        if self.ids.contains(&state.id) {
            let speech = &self.context.output.localizer.shared;
            self.display
                .update_loop(loop_view(&state, queue_position, speech));
            self.states.insert(state.id.clone(), state);
        }
    }

    /// Takes in who works on a loop.
    fn update_activity(&mut self, id: &LoopId, workers: &[Worker]) {
        if let Some(state) = self.states.get(id) {
            let activity = loop_format::workers_text(&self.context.output.localizer, workers);
            self.display
                .set_activity(state.pull_name().to_string(), activity);
        }
    }

    /// The same of all loops.
    fn update_all_activities(&mut self, activities: &ActivityRegistry) {
        for id in self.ids.clone() {
            self.update_activity(&id, &activities.workers_on(&id));
        }
    }

    /// Whether there is nothing left to watch.
    fn is_finished(&self) -> bool {
        let all_seen = self.states.len() == self.ids.len();
        let over = |state: &LoopState| {
            state.is_settled() && (self.until_settled || state.run.state.is_terminal())
        };
        let may_grow = !self.until_settled && !self.repositories.is_empty();
        all_seen && !may_grow && self.states.values().all(|state| over(state))
    }

    /// Prints the end and gives the exit status; 1 when something was left in the middle.
    fn finish(&self) -> u8 {
        self.display.finish();
        if self.context.output.json {
            let settled: BTreeSet<String> = self
                .states
                .values()
                .filter(|state| state.is_settled())
                .map(|state| format!("{}#{}", state.pull.repo, state.id.number))
                .collect();
            for view in self
                .display
                .views()
                .filter(|view| settled.contains(&view.key))
            {
                self.context
                    .output
                    .print_json(&WatchLine::Settled(Box::new(view.clone())));
            }
        }
        let statuses: Option<Vec<u8>> = self
            .ids
            .iter()
            .map(|id| {
                self.states
                    .get(id)
                    .and_then(|state| collie_wire::exit_status(state))
            })
            .collect();
        statuses.map_or(EXIT_UNFINISHED, collie_wire::worst_exit_status)
    }

    fn finish_paused(&self) -> u8 {
        let status = self.finish();
        print_paused(self.context);
        status
    }
}

/// Says that nothing is lost; gives the exit status of a watch that saw no end.
fn print_paused(context: &Context) -> u8 {
    context
        .output
        .print_text(&localize!(context.output.localizer, "cli-paused"));
    EXIT_UNFINISHED
}

/// The engine of this process, and who works in it.
struct LocalWatch {
    engine: LocalEngine,
    activities: Arc<ActivityRegistry>,
}

impl LocalWatch {
    async fn run(
        self,
        context: &Context,
        args: &WatchArgs,
        interrupt: &mut Interrupt,
    ) -> Result<u8, CliError> {
        let outcome = watch_local_engine(context, args, &self, interrupt).await;
        self.engine.shutdown().await;
        outcome
    }
}

async fn watch_local_engine(
    context: &Context,
    args: &WatchArgs,
    watch: &LocalWatch,
    interrupt: &mut Interrupt,
) -> Result<u8, CliError> {
    let engine = &watch.engine;
    let (pulls, repositories) = tokio::select! {
        found = resolve_targets(context, engine.github(), &args.targets) => found?,
        () = interrupt.wait() => return Ok(print_paused(context)),
    };
    let title = localize!(
        context.output.localizer,
        "cli-watching",
        count = pulls.len()
    );
    let mut changes = engine.handle().subscribe();
    let mut activity_changes = watch.activities.subscribe();
    let mut watched = WatchedLoops::new(context, args, title, repositories);
    for pull in pulls {
        tokio::select! {
            started = start_loop(&mut watched, engine, &pull) => started?,
            // Not all are taken up: how those ended that are says nothing of the whole.
            () = interrupt.wait() => {
                watched.finish();
                return Ok(print_paused(context));
            }
        }
    }
    for state in engine.handle().loops() {
        let queue_position = engine.handle().queue_position(&state.id);
        watched.update_loop(state, queue_position);
    }
    let mut tick = tokio::time::interval(REDRAW_INTERVAL);
    let poll = Duration::from_millis(context.config.policy.poll_interval_ms);
    let mut new_pulls_tick = tokio::time::interval_at(tokio::time::Instant::now() + poll, poll);
    while !watched.is_finished() {
        tokio::select! {
            change = changes.recv() => match change {
                Ok(state) => {
                    let queue_position = engine.handle().queue_position(&state.id);
                    watched.update_loop(state, queue_position);
                }
                Err(RecvError::Lagged(_)) => {
                    for state in engine.handle().loops() {
                        let queue_position = engine.handle().queue_position(&state.id);
                        watched.update_loop(state, queue_position);
                    }
                }
                Err(RecvError::Closed) => std::future::pending().await,
            },
            deed = activity_changes.recv() => match deed {
                Ok(id) => watched.update_activity(&id, &watch.activities.workers_on(&id)),
                Err(RecvError::Lagged(_)) => watched.update_all_activities(&watch.activities),
                Err(RecvError::Closed) => std::future::pending().await,
            },
            error = engine.failed() => {
                watched.finish();
                return Err(CliError::new("engine", error));
            }
            _ = tick.tick() => watched.display.draw(),
            _ = new_pulls_tick.tick(), if !args.until_settled => start_new_pulls(&mut watched, engine).await,
            () = interrupt.wait() => return Ok(watched.finish_paused()),
        }
    }
    Ok(watched.finish())
}

/// Takes a pull request up. One whose loop has ended is shown as it ended.
async fn start_loop(
    watched: &mut WatchedLoops<'_>,
    engine: &LocalEngine,
    pull: &PullName,
) -> Result<(), CliError> {
    match engine.handle().start(pull).await {
        Ok(id) => {
            watched.ids.insert(id);
            Ok(())
        }
        Err(StartError::Ended { .. }) => {
            watched
                .ids
                .extend(engine.handle().find(pull).map(|state| state.id.clone()));
            Ok(())
        }
        Err(error) => Err(start_error(watched.context, pull, &error)),
    }
}

fn start_error(context: &Context, pull: &PullName, error: &StartError) -> CliError {
    match error {
        StartError::Denied { .. } => {
            let file = collie_config::data_paths::config_file(&context.data)
                .display()
                .to_string();
            let hint = localize!(context.output.localizer, "cli-hint-allow", file = file);
            CliError::new("refused", format!("{pull}: {error}")).with_hint(hint)
        }
        StartError::GitHub(_) => CliError::new("github", error),
        StartError::Ended { .. } | StartError::Config(_) | StartError::Store(_) => {
            CliError::new("refused", format!("{pull}: {error}"))
        }
    }
}

/// Takes up pull requests that were opened meanwhile. What fails is tried again at the next look.
async fn start_new_pulls(watched: &mut WatchedLoops<'_>, engine: &LocalEngine) {
    for repo in watched.repositories.clone() {
        let open = match open_pulls(engine.github(), &repo).await {
            Ok(open) => open,
            Err(problem) => {
                tracing::warn!(%repo, problem = problem.message, "cannot look for new pull requests");
                continue;
            }
        };
        for pull in open {
            let known = watched
                .states
                .values()
                .any(|state| state.pull.repo == pull.repo && state.id.number == pull.number);
            if !known && let Err(problem) = start_loop(watched, engine, &pull).await {
                tracing::warn!(
                    problem = problem.message,
                    "a new pull request is not taken up"
                );
            }
        }
    }
}

/// Follows the engine of another process: asks it through requests, reads what it writes. None when that engine has
/// ended before everything was settled.
async fn follow_remote_engine(
    context: &Context,
    args: &WatchArgs,
    pid: Option<u32>,
    interrupt: &mut Interrupt,
) -> Result<Option<u8>, CliError> {
    let title = match pid {
        Some(pid) => localize!(
            context.output.localizer,
            "cli-following",
            pid = pid.to_string()
        ),
        None => localize!(context.output.localizer, "cli-following-unknown"),
    };
    let github = auth::github_client(&context.config, &auth::token_source(&context.config).await)
        .await
        .map_err(|error| requests::connect_error(context, error))?;
    let by = github
        .viewer()
        .await
        .map_err(|error| CliError::new("github", error))?
        .login;
    let (pulls, _) = resolve_targets(context, github.as_ref(), &args.targets).await?;
    let journal = open_reader(&context.data)
        .await
        .map_err(|e| CliError::new("store", e))?;
    let engine = RemoteEngine::new(context.data.clone(), journal);
    // Whole repositories are the other engine's to watch for new pull requests.
    let mut watched = WatchedLoops::new(context, args, title, Vec::new());
    let failed = |error: collie_engine::ports::StoreError| CliError::new("store", error);
    engine.read_changes().await.map_err(failed)?;
    let known: BTreeSet<LoopId> = engine
        .loops()
        .iter()
        .map(|state| state.id.clone())
        .collect();
    for pull in &pulls {
        let found = github
            .resolve_pull(pull)
            .await
            .map_err(|e| CliError::new("github", e))?;
        watched.ids.insert(found.pull.id.clone());
        if known.contains(&found.pull.id) {
            continue;
        }
        requests::request_start(&engine, pull.clone(), &by).await?;
    }
    let mut tick = tokio::time::interval(REDRAW_INTERVAL);
    let mut is_first_look = true;
    while !watched.is_finished() {
        tokio::select! {
            _ = tick.tick() => {}
            () = interrupt.wait() => return Ok(Some(watched.finish())),
        }
        let runs = engine
            .is_running()
            .map_err(|e| CliError::new("data_folder", e))?;
        let changed = engine.read_changes().await.map_err(failed)?;
        let shown = match std::mem::take(&mut is_first_look) {
            true => engine.loops(),
            false => changed.unwrap_or_default(),
        };
        for state in shown {
            watched.update_loop(state, None);
        }
        watched.display.draw();
        if !runs && !watched.is_finished() {
            watched.display.clear();
            engine.close().await;
            return Ok(None);
        }
    }
    engine.close().await;
    Ok(Some(watched.finish()))
}

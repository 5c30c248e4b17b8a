//! `collie watch`: runs loops in this terminal, or follows the engine that already does.

use crate::args::{WatchArgs, WatchTarget};
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::loop_display::LoopDisplay;
use crate::terminal_text::TerminalText;
use crate::views::folder_database;
use crate::{context, localize, loop_format};
use collie_app::auth;
use collie_app::engine_client::local::redactor;
use collie_app::engine_client::{EngineChange, EngineChanges, EngineClient, EngineEnd};
use collie_app::render::loop_view::loop_view;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{LoopId, PullName, RepoName};
use collie_core::loop_state::LoopState;
use collie_core::queue_place::QueuePlace;
use collie_core::text::KnownSecrets;
use collie_core::user_error::UserError;
use collie_engine::ports::GitHub;
use collie_reviewers::activity::{ActivityRegistry, Worker};
use collie_wire::WatchLine;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often the clocks go on.
const REDRAW_INTERVAL: Duration = Duration::from_secs(1);

/// How often pull requests are tried to be taken up that GitHub did not answer for. Before a limit is over nothing is sent.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

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
    /// Pull requests that GitHub has not answered for yet; they are taken up once it does.
    unanswered: Vec<PullName>,
}

/// Watches until everything is settled, has ended, or Ctrl-C.
pub async fn run(context: &Context, args: WatchArgs) -> Result<u8, UserError> {
    let mut interrupt = Interrupt::listen();
    context::require_git().await?;
    let activities: Arc<ActivityRegistry> = Arc::default();
    let setup = context.engine_setup(
        auth::loop_token_source(&context.config).await?,
        activities.clone(),
    );
    let database = folder_database(context)?;
    loop {
        let started = tokio::select! {
            started = EngineClient::start_or_follow(setup.clone(), database.as_deref()) => started,
            () = interrupt.wait() => return Ok(print_paused(context)),
        };
        let engine = started?;
        let watch = Watch {
            context,
            args: &args,
            engine: &engine,
            activities: &activities,
        };
        let outcome = watch.run(&mut interrupt).await;
        engine.shutdown().await;
        if let Some(status) = outcome? {
            return Ok(status);
        }
        // The other one has ended with work left: this process goes on with it.
    }
}

/// The pull requests that the targets name; whole repositories apart.
async fn resolve_targets(
    context: &Context,
    github: &dyn GitHub,
    targets: &[WatchTarget],
) -> Result<(BTreeSet<PullName>, Vec<RepoName>), UserError> {
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

async fn open_pulls(github: &dyn GitHub, repo: &RepoName) -> Result<Vec<PullName>, UserError> {
    let numbers = github.open_pulls(repo).await?;
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
            unanswered: Vec::new(),
        }
    }

    /// Takes in how a loop is now; others than the watched ones are left alone.
    fn update_loop(&mut self, state: Arc<LoopState>, place: Option<&QueuePlace>) {
        // What was told before a request that began another run may arrive after it.
        let shown = self.states.get(&state.id);
        let is_past = shown.is_some_and(|shown| shown.run.ordinal > state.run.ordinal);
        if self.ids.contains(&state.id) && !is_past {
            let private = redactor(&self.context.config, KnownSecrets::default());
            let speech = &self.context.output.localizer.shared;
            self.display
                .update_loop(loop_view(&state, place, speech, &private));
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
        all_seen
            && !may_grow
            && self.unanswered.is_empty()
            && self.states.values().all(|state| over(state))
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
}

/// Says that nothing is lost; gives the exit status of a watch that saw no end.
fn print_paused(context: &Context) -> u8 {
    context
        .output
        .print_text(&localize!(context.output.localizer, "cli-paused"));
    EXIT_UNFINISHED
}

/// A watch of one engine: this process's own, or another one's, which is followed and asked.
struct Watch<'c> {
    context: &'c Context,
    args: &'c WatchArgs,
    engine: &'c EngineClient,
    activities: &'c ActivityRegistry,
}

impl<'c> Watch<'c> {
    /// Gives the exit status; none when another process's engine has ended before everything was settled.
    async fn run(&self, interrupt: &mut Interrupt) -> Result<Option<u8>, UserError> {
        let github = self.engine.github();
        let (pulls, repositories) = tokio::select! {
            found = self.resolve_targets_in_time(github.as_ref()) => found?,
            () = interrupt.wait() => return Ok(Some(self.print_interrupted(EXIT_UNFINISHED))),
        };
        let mut changes = self.engine.subscribe();
        // Whole repositories are for the process that runs the engine to watch for new pull requests.
        let repositories = if self.engine.is_local() {
            repositories
        } else {
            Vec::new()
        };
        let title = self.title(pulls.len());
        let mut watched = WatchedLoops::new(self.context, self.args, title, repositories);
        for pull in pulls {
            tokio::select! {
                started = self.start_or_wait(&mut watched, pull) => started?,
                // Not all are taken up: how those ended that are says nothing of the whole.
                () = interrupt.wait() => {
                    watched.finish();
                    return Ok(Some(self.print_interrupted(EXIT_UNFINISHED)));
                }
            }
        }
        // A decision that was queued may be the very thing that a loop waits for.
        self.engine.wait_for_queued_requests().await?;
        if !self.engine.is_local() {
            // How the loops of a followed engine came to where they are is not told.
            changes = self.engine.subscribe();
        }
        self.watch_until_finished(&mut watched, changes, interrupt)
            .await
    }

    async fn watch_until_finished(
        &self,
        watched: &mut WatchedLoops<'_>,
        mut changes: EngineChanges,
        interrupt: &mut Interrupt,
    ) -> Result<Option<u8>, UserError> {
        let mut activity_changes = self.activities.subscribe();
        self.update_all_loops(watched);
        watched.update_all_activities(self.activities);
        let mut tick = tokio::time::interval(REDRAW_INTERVAL);
        let poll = Duration::from_millis(self.context.config.policy.poll_interval_ms);
        let mut retry_tick =
            tokio::time::interval_at(tokio::time::Instant::now() + RETRY_INTERVAL, RETRY_INTERVAL);
        let mut new_pulls_tick = tokio::time::interval_at(tokio::time::Instant::now() + poll, poll);
        while !watched.is_finished() {
            let unanswered = !watched.unanswered.is_empty();
            tokio::select! {
                _ = retry_tick.tick(), if unanswered => self.start_unanswered(watched).await?,
                change = changes.next() => match change {
                    EngineChange::Loop(state) => self.update_loop(watched, state),
                    EngineChange::Missed => self.update_all_loops(watched),
                    EngineChange::Standing => {}
                    EngineChange::Unreadable(error) => return Err(error.into()),
                    EngineChange::Ended(end) => return finish_after_end(watched, end),
                },
                activity = activity_changes.recv() => match activity {
                    Ok(id) => watched.update_activity(&id, &self.activities.workers_on(&id)),
                    Err(RecvError::Lagged(_)) => watched.update_all_activities(self.activities),
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                _ = tick.tick() => watched.display.draw(),
                _ = new_pulls_tick.tick(), if !self.args.until_settled => self.start_new_pulls(watched).await,
                () = interrupt.wait() => return Ok(Some(self.print_interrupted(watched.finish()))),
            }
        }
        Ok(Some(watched.finish()))
    }

    /// What stands above the loops.
    fn title(&self, count: usize) -> String {
        let localizer = &self.context.output.localizer;
        if self.engine.is_local() {
            return localize!(localizer, "cli-watching", count = count);
        }
        match self.engine.other_pid() {
            Some(pid) => localize!(localizer, "cli-following", pid = pid.to_string()),
            None => localize!(localizer, "cli-following-unknown"),
        }
    }

    /// Says that nothing is lost, where this process did the work; gives the exit status on.
    fn print_interrupted(&self, status: u8) -> u8 {
        if self.engine.is_local() {
            print_paused(self.context);
        }
        status
    }

    fn update_loop(&self, watched: &mut WatchedLoops<'_>, state: Arc<LoopState>) {
        let place = self.engine.queue_place(&state.id);
        watched.update_loop(state, place.as_ref());
    }

    fn update_all_loops(&self, watched: &mut WatchedLoops<'_>) {
        for state in self.engine.loops() {
            self.update_loop(watched, state);
        }
    }

    /// Takes a pull request up. One whose loop has ended is shown as it ended.
    async fn start_loop(
        &self,
        watched: &mut WatchedLoops<'_>,
        pull: &PullName,
    ) -> Result<(), UserError> {
        let by = self.engine.github().viewer().await?.login;
        let id = self
            .engine
            .start_loop(pull, &by, self.args.autonomy)
            .await?;
        watched.ids.insert(id);
        Ok(())
    }

    /// The same, but where GitHub does not answer the pull request is taken up later (§3.2): those that run wait for it as well.
    async fn start_or_wait(
        &self,
        watched: &mut WatchedLoops<'_>,
        pull: PullName,
    ) -> Result<(), UserError> {
        let Err(problem) = self.start_loop(watched, &pull).await else {
            return Ok(());
        };
        let began = !watched.ids.is_empty() || !watched.unanswered.is_empty();
        if !is_waited_out(&problem, began) {
            return Err(problem);
        }
        if watched.unanswered.is_empty() {
            self.print_waiting(&problem);
        }
        watched.unanswered.push(pull);
        Ok(())
    }

    async fn start_unanswered(&self, watched: &mut WatchedLoops<'_>) -> Result<(), UserError> {
        while let Some(pull) = watched.unanswered.first().cloned() {
            match self.start_loop(watched, &pull).await {
                Err(problem) if is_waited_out(&problem, true) => break,
                started => started?,
            }
            watched.unanswered.remove(0);
        }
        self.update_all_loops(watched);
        Ok(())
    }

    /// What the targets name. A used-up quota is waited for.
    async fn resolve_targets_in_time(
        &self,
        github: &dyn GitHub,
    ) -> Result<(BTreeSet<PullName>, Vec<RepoName>), UserError> {
        let mut is_said = false;
        loop {
            match resolve_targets(self.context, github, &self.args.targets).await {
                Err(problem) if is_waited_out(&problem, false) => {
                    if !std::mem::replace(&mut is_said, true) {
                        self.print_waiting(&problem);
                    }
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                found => return found,
            }
        }
    }

    /// Says what is waited for, beside what is printed of the loops.
    fn print_waiting(&self, problem: &UserError) {
        let text = self.context.output.localizer.shared.error_text(problem);
        self.context.output.print_aside(&TerminalText::plain(&text));
    }

    /// Takes up pull requests that were opened meanwhile. What fails is tried again at the next look.
    async fn start_new_pulls(&self, watched: &mut WatchedLoops<'_>) {
        for repo in watched.repositories.clone() {
            let open = match open_pulls(self.engine.github().as_ref(), &repo).await {
                Ok(open) => open,
                Err(problem) => {
                    tracing::warn!(%repo, %problem, "cannot look for new pull requests");
                    continue;
                }
            };
            for pull in open {
                let known = watched
                    .states
                    .values()
                    .any(|state| state.pull.repo == pull.repo && state.id.number == pull.number);
                if !known && let Err(problem) = self.start_loop(watched, &pull).await {
                    tracing::warn!(%problem, "a new pull request is not taken up");
                }
            }
        }
    }
}

/// Whether a start that failed is tried again: GitHub asks to wait, or has stopped answering since the watch began.
fn is_waited_out(problem: &UserError, began: bool) -> bool {
    match problem.code {
        ErrorCode::Wait => true,
        ErrorCode::Unreachable => began,
        _ => false,
    }
}

/// What a watch comes to whose engine has ended by itself.
fn finish_after_end(watched: &WatchedLoops<'_>, end: EngineEnd) -> Result<Option<u8>, UserError> {
    match end {
        EngineEnd::Failed(error) => {
            watched.finish();
            Err(error.into())
        }
        EngineEnd::OtherProcessUnknown(error) => Err(error.into()),
        EngineEnd::OtherProcessEnded => {
            watched.display.clear();
            Ok(None)
        }
    }
}

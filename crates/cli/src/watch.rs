//! `collie watch`: runs loops in this terminal, or follows the engine that already does.

use crate::args::{Target, WatchArgs};
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::problem::Problem;
use crate::show::Show;
use crate::{ask, context, paint, say};
use collie_app::activity::{Activities, Worker};
use collie_app::assemble::{App, AssembleError, Wiring};
use collie_app::config::LiveConfig;
use collie_app::connect;
use collie_app::settled::is_settled;
use collie_app::view::view;
use collie_core::ids::{LoopId, PullName, RepoName};
use collie_core::model::LoopState;
use collie_engine::StartError;
use collie_engine::ports::{GitHub, Journal as _};
use collie_store::{OpenError, OpenMode, Store, running_engine};
use collie_wire::Line;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often the clocks go on, and how often another engine's journal is looked at.
const TICK: Duration = Duration::from_secs(1);

/// Exit status of a watch that left something in the middle.
const UNDER_WAY: u8 = 1;

/// What is watched, and how it stands.
struct Watched<'c> {
    context: &'c Context,
    show: Show<'c>,
    until_settled: bool,
    /// Whole repositories whose new pull requests are taken up as well.
    repositories: Vec<RepoName>,
    ids: BTreeSet<LoopId>,
    states: BTreeMap<LoopId, Arc<LoopState>>,
}

/// Watches until everything is settled, has ended, or Ctrl-C.
pub async fn run(context: &Context, args: WatchArgs) -> Result<u8, Problem> {
    let mut interrupt = Interrupt::listen();
    context::git_is_there().await?;
    let activities: Arc<Activities> = Arc::default();
    let wiring = Wiring {
        config: LiveConfig::new(context.config.clone()),
        tokens: connect::token_source(&context.config).await,
        activities: activities.clone(),
    };
    loop {
        let started = tokio::select! {
            started = App::start(wiring.clone()) => started,
            () = interrupt.wait() => return Ok(pause(context)),
        };
        let error = match started {
            Ok(app) => {
                let led = Led { app, activities };
                return led.lead(context, &args, &mut interrupt).await;
            }
            Err(error) => error,
        };
        match error {
            AssembleError::Open(OpenError::Owned { pid, .. }) => {
                if let Some(status) = follow(context, &args, pid, &mut interrupt).await? {
                    return Ok(status);
                }
                // The other one has ended with work left: this process goes on with it.
            }
            AssembleError::Connect(error) => return Err(ask::no_token(context, error)),
            AssembleError::Git(error) => return Err(Problem::new("git", error)),
            AssembleError::Open(_) | AssembleError::Engine(_) => {
                return Err(Problem::new("store", error));
            }
        }
    }
}

/// The pull requests that the targets name; whole repositories apart.
async fn resolve(
    context: &Context,
    github: &dyn GitHub,
    targets: &[Target],
) -> Result<(BTreeSet<PullName>, Vec<RepoName>), Problem> {
    let (mut pulls, mut repositories) = (BTreeSet::new(), Vec::new());
    for target in targets {
        match target {
            Target::Pull(pull) => {
                pulls.insert(pull.clone());
            }
            Target::Repository(repo) => {
                let open = open_pulls(github, repo).await?;
                if open.is_empty() {
                    let text = say!(context.out.say, "cli-nothing-open", repo = repo.to_string());
                    context.out.words(&text);
                }
                pulls.extend(open);
                repositories.push(repo.clone());
            }
        }
    }
    Ok((pulls, repositories))
}

async fn open_pulls(github: &dyn GitHub, repo: &RepoName) -> Result<Vec<PullName>, Problem> {
    let numbers = github
        .open_pulls(repo)
        .await
        .map_err(|e| Problem::new("github", e))?;
    Ok(numbers
        .into_iter()
        .map(|number| PullName {
            repo: repo.clone(),
            number,
        })
        .collect())
}

impl<'c> Watched<'c> {
    fn new(
        context: &'c Context,
        args: &WatchArgs,
        title: String,
        repositories: Vec<RepoName>,
    ) -> Self {
        Self {
            context,
            show: Show::new(&context.out, title),
            until_settled: args.until_settled,
            repositories,
            ids: BTreeSet::new(),
            states: BTreeMap::new(),
        }
    }

    /// Takes in how a loop is now; others than the watched ones are left alone.
    fn see(&mut self, state: Arc<LoopState>, queue_position: Option<u32>) {
        if self.ids.contains(&state.id) {
            let speech = &self.context.out.say.speech;
            self.show.update(view(&state, queue_position, speech));
            self.states.insert(state.id.clone(), state);
        }
    }

    /// Takes in who works on a loop.
    fn hear(&mut self, id: &LoopId, workers: &[Worker]) {
        if let Some(state) = self.states.get(id) {
            let doing = paint::doing(&self.context.out.say, workers);
            self.show.does(state.name().to_string(), doing);
        }
    }

    /// The same of all loops.
    fn hear_all(&mut self, activities: &Activities) {
        for id in self.ids.clone() {
            self.hear(&id, &activities.of(&id));
        }
    }

    /// Whether there is nothing left to watch.
    fn is_over(&self) -> bool {
        let all_seen = self.states.len() == self.ids.len();
        let over = |state: &LoopState| {
            is_settled(state) && (self.until_settled || state.state.is_terminal())
        };
        let may_grow = !self.until_settled && !self.repositories.is_empty();
        all_seen && !may_grow && self.states.values().all(|state| over(state))
    }

    /// Prints the end and gives the exit status; 1 when something was left in the middle.
    fn finish(&self) -> u8 {
        self.show.finish();
        if self.context.out.json {
            let settled: BTreeSet<String> = self
                .states
                .values()
                .filter(|state| is_settled(state))
                .map(|state| format!("{}#{}", state.repo, state.id.number))
                .collect();
            for view in self.show.views().filter(|view| settled.contains(&view.key)) {
                self.context
                    .out
                    .line(&Line::Settled(Box::new(view.clone())));
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
        statuses.map_or(UNDER_WAY, collie_wire::worst)
    }

    fn paused(&self) -> u8 {
        let status = self.finish();
        pause(self.context);
        status
    }
}

/// Says that nothing is lost; gives the exit status of a watch that saw no end.
fn pause(context: &Context) -> u8 {
    context.out.words(&say!(context.out.say, "cli-paused"));
    UNDER_WAY
}

/// The engine of this process, and who works in it.
struct Led {
    app: App,
    activities: Arc<Activities>,
}

impl Led {
    async fn lead(
        self,
        context: &Context,
        args: &WatchArgs,
        interrupt: &mut Interrupt,
    ) -> Result<u8, Problem> {
        let outcome = lead_on(context, args, &self, interrupt).await;
        self.app.shutdown().await;
        outcome
    }
}

async fn lead_on(
    context: &Context,
    args: &WatchArgs,
    led: &Led,
    interrupt: &mut Interrupt,
) -> Result<u8, Problem> {
    let app = &led.app;
    let (pulls, repositories) = tokio::select! {
        found = resolve(context, app.github(), &args.targets) => found?,
        () = interrupt.wait() => return Ok(pause(context)),
    };
    let title = say!(context.out.say, "cli-watching", count = pulls.len());
    let mut changes = app.handle().subscribe();
    let mut deeds = led.activities.subscribe();
    let mut watched = Watched::new(context, args, title, repositories);
    for pull in pulls {
        tokio::select! {
            started = start(&mut watched, app, &pull) => started?,
            // Not all are taken up: how those ended that are says nothing of the whole.
            () = interrupt.wait() => {
                watched.finish();
                return Ok(pause(context));
            }
        }
    }
    for state in app.handle().loops() {
        let place = app.handle().queue_position(&state.id);
        watched.see(state, place);
    }
    let mut tick = tokio::time::interval(TICK);
    let poll = Duration::from_millis(context.config.policy.poll_interval_ms);
    let mut look = tokio::time::interval_at(tokio::time::Instant::now() + poll, poll);
    while !watched.is_over() {
        tokio::select! {
            change = changes.recv() => match change {
                Ok(state) => {
                    let place = app.handle().queue_position(&state.id);
                    watched.see(state, place);
                }
                Err(RecvError::Lagged(_)) => {
                    for state in app.handle().loops() {
                        let place = app.handle().queue_position(&state.id);
                        watched.see(state, place);
                    }
                }
                Err(RecvError::Closed) => std::future::pending().await,
            },
            deed = deeds.recv() => match deed {
                Ok(id) => watched.hear(&id, &led.activities.of(&id)),
                Err(RecvError::Lagged(_)) => watched.hear_all(&led.activities),
                Err(RecvError::Closed) => std::future::pending().await,
            },
            error = app.failed() => {
                watched.finish();
                return Err(Problem::new("engine", error));
            }
            _ = tick.tick() => watched.show.draw(),
            _ = look.tick(), if !args.until_settled => look_for_more(&mut watched, app).await,
            () = interrupt.wait() => return Ok(watched.paused()),
        }
    }
    Ok(watched.finish())
}

/// Takes a pull request up. One whose loop has ended is shown as it ended.
async fn start(watched: &mut Watched<'_>, app: &App, pull: &PullName) -> Result<(), Problem> {
    match app.handle().start(pull).await {
        Ok(id) => {
            watched.ids.insert(id);
            Ok(())
        }
        Err(StartError::Ended { .. }) => {
            watched
                .ids
                .extend(app.handle().find(pull).map(|state| state.id.clone()));
            Ok(())
        }
        Err(error) => Err(refused(watched.context, pull, &error)),
    }
}

fn refused(context: &Context, pull: &PullName, error: &StartError) -> Problem {
    match error {
        StartError::Denied { .. } => {
            let file = collie_app::home::config_file(&context.data)
                .display()
                .to_string();
            let hint = say!(context.out.say, "cli-hint-allow", file = file);
            Problem::new("refused", format!("{pull}: {error}")).hint(hint)
        }
        StartError::GitHub(_) => Problem::new("github", error),
        StartError::Ended { .. } | StartError::Config(_) | StartError::Store(_) => {
            Problem::new("refused", format!("{pull}: {error}"))
        }
    }
}

/// Takes up pull requests that were opened meanwhile. What fails is tried again at the next look.
async fn look_for_more(watched: &mut Watched<'_>, app: &App) {
    for repo in watched.repositories.clone() {
        let open = match open_pulls(app.github(), &repo).await {
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
                .any(|state| state.repo == pull.repo && state.id.number == pull.number);
            if !known && let Err(problem) = start(watched, app, &pull).await {
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
async fn follow(
    context: &Context,
    args: &WatchArgs,
    pid: Option<u32>,
    interrupt: &mut Interrupt,
) -> Result<Option<u8>, Problem> {
    let title = match pid {
        Some(pid) => say!(context.out.say, "cli-following", pid = pid.to_string()),
        None => say!(context.out.say, "cli-following-unknown"),
    };
    let github = connect::github(
        &context.config,
        &connect::token_source(&context.config).await,
    )
    .await
    .map_err(|error| ask::no_token(context, error))?;
    let by = github
        .viewer()
        .await
        .map_err(|error| Problem::new("github", error))?
        .login;
    let (pulls, _) = resolve(context, github.as_ref(), &args.targets).await?;
    let store = Store::open(&context.data, OpenMode::Reader)
        .await
        .map_err(|e| Problem::new("store", e))?;
    // Whole repositories are the other engine's to watch for new pull requests.
    let mut watched = Watched::new(context, args, title, Vec::new());
    let known: BTreeSet<LoopId> = store
        .loops()
        .await
        .map_err(|e| Problem::new("store", e))?
        .into_iter()
        .map(|state| state.id)
        .collect();
    for pull in &pulls {
        let found = github
            .resolve(pull)
            .await
            .map_err(|e| Problem::new("github", e))?;
        watched.ids.insert(found.pull.id.clone());
        if known.contains(&found.pull.id) {
            continue;
        }
        ask::start_through(&store, &context.data, pull.clone(), &by).await?;
    }
    let failed = |error: collie_engine::ports::StoreError| Problem::new("store", error);
    let mut tick = tokio::time::interval(TICK);
    let mut seen = None;
    while !watched.is_over() {
        tokio::select! {
            _ = tick.tick() => {}
            () = interrupt.wait() => return Ok(Some(watched.finish())),
        }
        // Asked before the journal is read, so that what it wrote last is seen.
        let runs = running_engine(&context.data).map_err(|e| Problem::new("data_folder", e))?;
        let last = store.last_entry().await.map_err(failed)?;
        if seen.replace(last) != Some(last) {
            for state in store.loops().await.map_err(failed)? {
                let same = watched
                    .states
                    .get(&state.id)
                    .is_some_and(|known| **known == state);
                if !same {
                    watched.see(Arc::new(state), None);
                }
            }
        }
        watched.show.draw();
        if runs.is_none() && !watched.is_over() {
            watched.show.clear();
            store.close().await;
            return Ok(None);
        }
    }
    store.close().await;
    Ok(Some(watched.finish()))
}

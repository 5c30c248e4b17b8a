//! Sets the demo up, plays it, and tells how it ended.

use super::cast::{self, Place, Temper};
use super::door::Forge;
use super::judge::{COLLIE, judge};
use super::{DemoError, Scenario, files};
use crate::assemble::{App, Wiring};
use crate::config::{Config, Layer, LiveConfig};
use crate::settled;
use collie_core::ids::Login;
use collie_core::model::LoopState;
use collie_github::{Token, TokenSource};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinSet;

/// A scenario that has not ended by then has failed.
const LIMIT: Duration = Duration::from_secs(240);

/// In the command nobody dawdles, and who waits in vain says so.
const TEMPER: Temper = Temper {
    lag: Duration::ZERO,
    patience: Some(Duration::from_secs(180)),
    belief: None,
};

/// What is played.
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// Where the forge and the data folder live; a temporary folder without it.
    pub root: Option<PathBuf>,
    /// The scenarios, side by side.
    pub scenarios: Vec<Scenario>,
    /// The language of what Collie says.
    pub language: &'static str,
}

/// How a scenario ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which.
    pub scenario: Scenario,
    /// The loop at its end; none when it was never made.
    pub state: Option<Arc<LoopState>>,
    /// What is not as designed; empty when all is.
    pub problems: Vec<String>,
    /// From the start of the demo.
    pub elapsed: Duration,
}

/// A demo that is set up: the forge listens, the engine runs, nothing has begun.
pub struct Demo {
    app: App,
    forge: collie_forge::Running,
    cast: Forge,
    places: Vec<Place>,
    // Removed when this is dropped, after everything else has ended.
    _folder: Option<tempfile::TempDir>,
}

impl Demo {
    /// Sets the repositories, the forge and the engine up.
    pub async fn set_up(options: &DemoOptions) -> Result<Self, DemoError> {
        let (root, folder) = match &options.root {
            Some(root) => (root.clone(), None),
            None => {
                let folder = tempfile::Builder::new()
                    .prefix("collie-demo-")
                    .tempdir()
                    .map_err(DemoError::write(std::env::temp_dir()))?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let forge_root = root.join("forge");
        if forge_root.exists() {
            return Err(DemoError::RootUsed(root));
        }
        let forge = collie_forge::Forge::open(&forge_root)?;
        for scenario in &options.scenarios {
            import(&forge, *scenario, &root).await?;
        }
        let running = forge.serve(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let cast = Forge::of(&running);
        let mut places = Vec::new();
        for scenario in &options.scenarios {
            let place = place(&cast, *scenario).await?;
            cast::prologue(&cast, &place).await?;
            places.push(place);
        }
        let app = App::start(wiring(&root, &running.api_url(), options.language)).await?;
        Ok(Self {
            app,
            forge: running,
            cast,
            places,
            _folder: folder,
        })
    }

    /// The application, to look at while it plays.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Plays every scenario to its end. `ended` is told of each as it ends.
    pub async fn play(&self, ended: impl Fn(&Outcome)) -> Result<Vec<Outcome>, DemoError> {
        let start = Instant::now();
        let mut parts = JoinSet::new();
        for place in self.places.clone() {
            let (cast, changes) = (self.cast.clone(), self.app.handle().subscribe());
            parts.spawn(async move { cast::play(&cast, &place, TEMPER, changes).await });
        }
        let mut watched = JoinSet::new();
        for Place { scenario, .. } in &self.places {
            watched.spawn(end_of(*scenario, self.app.handle().clone()));
        }
        for Place { scenario, .. } in &self.places {
            let started = self.app.handle().start(&scenario.pull()).await;
            started.map_err(|error| DemoError::Start {
                scenario: *scenario,
                message: error.to_string(),
            })?;
        }
        let mut outcomes = Vec::new();
        while let Some(done) = watched.join_next().await {
            let (scenario, state) = done.expect("waiting for an end does not panic");
            let problems = match &state {
                Some(state) => judge(&self.cast, scenario, state).await?,
                None => vec![format!("did not end within {} s", LIMIT.as_secs())],
            };
            let state = state.or_else(|| present(&self.app, scenario));
            let outcome = Outcome {
                scenario,
                state,
                problems,
                elapsed: start.elapsed(),
            };
            ended(&outcome);
            outcomes.push(outcome);
        }
        while let Some(part) = parts.join_next().await {
            // Somebody who waited in vain shows in the outcome as well; this says why.
            if let Ok(Err(error)) = part {
                note(&mut outcomes, &error);
            }
        }
        outcomes.sort_by_key(|outcome| outcome.scenario);
        Ok(outcomes)
    }

    /// Ends engine and forge.
    pub async fn close(self) {
        self.app.shutdown().await;
        self.forge.shutdown().await;
    }
}

fn note(outcomes: &mut [Outcome], error: &DemoError) {
    if let DemoError::NotMyTurn { scenario, .. } = error {
        if let Some(outcome) = outcomes
            .iter_mut()
            .find(|outcome| outcome.scenario == *scenario)
        {
            outcome.problems.push(error.to_string());
        }
    } else if let Some(outcome) = outcomes.first_mut() {
        outcome.problems.push(error.to_string());
    }
}

fn present(app: &App, scenario: Scenario) -> Option<Arc<LoopState>> {
    app.handle()
        .loops()
        .into_iter()
        .find(|state| state.repo == scenario.repo())
}

/// Waits until the scenario's loop is settled the way its design says, or for good.
async fn end_of(
    scenario: Scenario,
    handle: collie_engine::Handle,
) -> (Scenario, Option<Arc<LoopState>>) {
    let mut changes: Receiver<Arc<LoopState>> = handle.subscribe();
    let wanted = scenario.design().state;
    let wait = async {
        loop {
            let ours = handle
                .loops()
                .into_iter()
                .find(|state| state.repo == scenario.repo());
            if let Some(state) = ours
                && settled::is_settled(&state)
                && (state.state == wanted || state.state.is_terminal())
            {
                return state;
            }
            // A missed change is looked up above; a closed channel is an engine that ended.
            if let Err(tokio::sync::broadcast::error::RecvError::Closed) = changes.recv().await {
                std::future::pending::<()>().await;
            }
        }
    };
    (scenario, tokio::time::timeout(LIMIT, wait).await.ok())
}

async fn import(
    forge: &collie_forge::Forge,
    scenario: Scenario,
    root: &Path,
) -> Result<(), DemoError> {
    let sources = root.join("sources");
    let source = sources.join(scenario.name());
    files::make_repository(scenario, &source).await?;
    let repo = scenario.repo();
    let name = collie_forge::model::RepoName::new(repo.owner(), repo.name())?;
    forge.import(&name, &source).await?;
    let pull = files::pull(scenario)?;
    forge
        .open_pr(
            &name,
            "main",
            &pull.branch,
            &pull.title,
            &pull.body,
            &pull.author,
        )
        .await?;
    Ok(())
}

async fn place(forge: &Forge, scenario: Scenario) -> Result<Place, DemoError> {
    let path = format!("/repos/{}/pulls/1", scenario.repo());
    let pull = forge.get(COLLIE, &path).await?;
    Ok(Place {
        scenario,
        pull: scenario.pull(),
        folder: PathBuf::new(),
        branch: files::pull(scenario)?.branch,
        first_head: pull["head"]["sha"].as_str().unwrap_or_default().to_owned(),
    })
}

/// How Collie is put together in a demo: its data folder is `data` below `root`.
pub(crate) fn wiring(root: &Path, api_url: &str, language: &'static str) -> Wiring {
    let layer = Layer {
        language: Some(language),
        ..layer(api_url)
    };
    let config = Config::resolve(root.join("data"), &[layer])
        .expect("the forge is not github.com, and nothing else can be refused");
    Wiring {
        config: LiveConfig::new(config),
        tokens: TokenSource::Given(token()),
        activities: Arc::default(),
    }
}

/// What a data folder on a demo's forge needs of its configuration.
pub(crate) fn layer(api_url: &str) -> Layer {
    Layer {
        poll_interval: Some(1_000),
        ready_poll_interval: Some(2_000),
        collect_failures_for: Some(20_000),
        no_checks_grace: Some(3_000),
        allowed_users: Some(BTreeSet::from([Login::new(COLLIE)])),
        github_api_url: Some(api_url.to_owned()),
        ..Layer::default()
    }
}

/// The token of whom Collie works as.
pub(crate) fn token() -> Token {
    Token::new(&format!("forge-{COLLIE}")).expect("a login has no blanks")
}

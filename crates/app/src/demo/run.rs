//! Sets the demo up, plays it, and tells how it ended.

use super::{DemoError, DemoStage, Scenario};
use crate::accounts::KeyPlace;
use crate::engine_client::local::{EngineSetup, LocalEngine};
use collie_config::{Config, ConfigLayer, LiveConfig};
use collie_core::error_code::ErrorCode;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_github::{Token, TokenSource};
use collie_reviewers::KeySources;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinSet;

/// A scenario that has not ended by then has failed.
const SCENARIO_TIMEOUT: Duration = Duration::from_secs(240);

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
pub struct ScenarioOutcome {
    /// Which.
    pub scenario: Scenario,
    /// The loop at its end; none when it was never made.
    pub state: Option<Arc<LoopState>>,
    /// What is not as designed; empty when all is.
    pub problems: Vec<UserError>,
    /// From the start of the demo.
    pub elapsed: Duration,
}

/// A demo that is set up: the forge listens, the engine runs, nothing has begun.
pub struct Demo {
    engine: LocalEngine,
    stage: DemoStage,
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
        let tokens = collie_forge::TokenScheme::secret();
        let stage = DemoStage::set_up(&root, &options.scenarios, tokens).await?;
        stage.write_prices(&root.join("data"))?;
        let setup = engine_setup(&root, stage.config_layer(), stage.token(), options.language);
        let app = LocalEngine::start(setup).await?;
        Ok(Self {
            engine: app,
            stage,
            _folder: folder,
        })
    }

    /// The application, to look at while it plays.
    pub fn engine(&self) -> &LocalEngine {
        &self.engine
    }

    /// The forge that it plays on.
    pub fn forge(&self) -> &collie_forge::RunningForge {
        self.stage.forge()
    }

    /// Plays every scenario to its end. `ended` is told of each as it ends.
    pub async fn run(
        &self,
        on_outcome: impl Fn(&ScenarioOutcome),
    ) -> Result<Vec<ScenarioOutcome>, DemoError> {
        let start = Instant::now();
        let handle = self.engine.handle();
        let mut actors = self.stage.spawn_actors(|| handle.subscribe());
        let mut waits = JoinSet::new();
        for scenario in self.stage.scenarios() {
            waits.spawn(wait_for_end(scenario, handle.clone()));
        }
        for scenario in self.stage.scenarios() {
            let started = handle.start(&scenario.pull()).await;
            started.map_err(|error| DemoError::StartLoop {
                scenario,
                cause: error.into(),
            })?;
        }
        let mut outcomes = Vec::new();
        while let Some(done) = waits.join_next().await {
            let (scenario, state) = done.expect("waiting for an end does not panic");
            let problems = match &state {
                Some(state) => self.stage.verify(scenario, state).await?,
                None => vec![
                    UserError::new(ErrorCode::DemoTimeout)
                        .with("seconds", SCENARIO_TIMEOUT.as_secs()),
                ],
            };
            let state = state.or_else(|| current_state(&self.engine, scenario));
            let outcome = ScenarioOutcome {
                scenario,
                state,
                problems,
                elapsed: start.elapsed(),
            };
            on_outcome(&outcome);
            outcomes.push(outcome);
        }
        while let Some(part) = actors.join_next().await {
            // Somebody who waited in vain shows in the outcome as well; this says why.
            if let Ok(Err(error)) = part {
                record_actor_error(&mut outcomes, error);
            }
        }
        outcomes.sort_by_key(|outcome| outcome.scenario);
        Ok(outcomes)
    }

    /// Ends engine and forge.
    pub async fn close(self) {
        self.engine.shutdown().await;
        self.stage.close().await;
    }
}

fn record_actor_error(outcomes: &mut [ScenarioOutcome], error: DemoError) {
    let concerns = match &error {
        DemoError::ActorTimeout { scenario, .. } => outcomes
            .iter_mut()
            .find(|outcome| outcome.scenario == *scenario),
        _ => outcomes.first_mut(),
    };
    if let Some(outcome) = concerns {
        outcome.problems.push(error.into());
    }
}

fn current_state(app: &LocalEngine, scenario: Scenario) -> Option<Arc<LoopState>> {
    app.handle()
        .loops()
        .into_iter()
        .find(|state| state.pull.repo == scenario.repo())
}

/// Waits until the scenario's loop is settled the way its design says, or for good.
async fn wait_for_end(
    scenario: Scenario,
    handle: collie_engine::EngineHandle,
) -> (Scenario, Option<Arc<LoopState>>) {
    let mut changes: Receiver<Arc<LoopState>> = handle.subscribe();
    let wait = async {
        loop {
            let ours = handle
                .loops()
                .into_iter()
                .find(|state| state.pull.repo == scenario.repo());
            if let Some(state) = ours
                && scenario.is_over(&state)
            {
                return state;
            }
            // A missed change is looked up above; a closed channel is an engine that ended.
            if let Err(tokio::sync::broadcast::error::RecvError::Closed) = changes.recv().await {
                std::future::pending::<()>().await;
            }
        }
    };
    (
        scenario,
        tokio::time::timeout(SCENARIO_TIMEOUT, wait).await.ok(),
    )
}

/// How Collie is put together in a demo: its data folder is `data` below `root`.
pub(crate) fn engine_setup(
    root: &Path,
    layer: ConfigLayer,
    token: Token,
    language: &'static str,
) -> EngineSetup {
    let layer = ConfigLayer {
        language: Some(language),
        ..layer
    };
    let config = Config::resolve(root.join("data"), &[layer])
        .expect("the forge is not github.com, and nothing else can be refused");
    EngineSetup {
        runners: None,
        sandbox_supervisor: collie_sandbox::own_program(),
        config: LiveConfig::new(config),
        tokens: TokenSource::Given(token),
        activities: Arc::default(),
        keys: KeySources::of_environment(),
        account_key: KeyPlace::of_machine(),
    }
}

//! Sets the demo up, plays it, and tells how it ended.

use super::actors::{self, ActorTiming, ScenarioPull};
use super::forge_client::ForgeClient;
use super::scripted_model::{self, ScriptedModel};
use super::verify_scenario::{COLLIE_LOGIN, verify_scenario};
use super::{DemoError, Scenario, sample_files};
use crate::accounts::KeyPlace;
use crate::engine_client::local::{EngineSetup, LocalEngine};
use collie_config::{Config, ConfigLayer, LiveConfig};
use collie_core::autonomy::Autonomy;
use collie_core::error_code::ErrorCode;
use collie_core::ids::Login;
use collie_core::loop_state::LoopState;
use collie_core::policy::Policy;
use collie_core::user_error::UserError;
use collie_github::{Token, TokenSource};
use collie_reviewers::KeySources;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinSet;

/// A scenario that has not ended by then has failed.
const SCENARIO_TIMEOUT: Duration = Duration::from_secs(240);

/// In the command nobody dawdles, and who waits in vain says so.
const COMMAND_TIMING: ActorTiming = ActorTiming {
    reaction_delay: Duration::ZERO,
    wait_timeout: Some(Duration::from_secs(180)),
    assume_observed_after: None,
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
    forge: collie_forge::RunningForge,
    forge_client: ForgeClient,
    _model: ScriptedModel,
    pulls: Vec<ScenarioPull>,
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
        let tokens = collie_forge::TokenScheme::secret();
        let forge = collie_forge::Forge::open_with(&forge_root, tokens)?;
        for scenario in &options.scenarios {
            import_scenario(&forge, *scenario, &root).await?;
        }
        let running = forge.serve(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let forge_client = ForgeClient::new(&running);
        let mut pulls = Vec::new();
        for scenario in &options.scenarios {
            let target = scenario_pull(&forge_client, *scenario).await?;
            actors::run_setup_actions(&forge_client, &target).await?;
            pulls.push(target);
        }
        let model = ScriptedModel::serve(Path::new("")).await?;
        scripted_model::write_prices(&root.join("data"))?;
        let setup = engine_setup(
            &root,
            config_layer(&running.api_url(), &model.url()),
            collie_token(&forge_client),
            options.language,
        );
        let app = LocalEngine::start(setup).await?;
        Ok(Self {
            engine: app,
            forge: running,
            forge_client,
            _model: model,
            pulls,
            _folder: folder,
        })
    }

    /// The application, to look at while it plays.
    pub fn engine(&self) -> &LocalEngine {
        &self.engine
    }

    /// The forge that it plays on.
    pub fn forge(&self) -> &collie_forge::RunningForge {
        &self.forge
    }

    /// Plays every scenario to its end. `ended` is told of each as it ends.
    pub async fn run(
        &self,
        on_outcome: impl Fn(&ScenarioOutcome),
    ) -> Result<Vec<ScenarioOutcome>, DemoError> {
        let start = Instant::now();
        let mut actors = JoinSet::new();
        for place in self.pulls.clone() {
            let (cast, changes) = (self.forge_client.clone(), self.engine.handle().subscribe());
            actors.spawn(async move {
                actors::run_actions(&cast, &place, COMMAND_TIMING, changes).await
            });
        }
        let mut waits = JoinSet::new();
        for ScenarioPull { scenario, .. } in &self.pulls {
            waits.spawn(wait_for_end(*scenario, self.engine.handle().clone()));
        }
        for ScenarioPull { scenario, .. } in &self.pulls {
            let started = self.engine.handle().start(&scenario.pull()).await;
            started.map_err(|error| DemoError::StartLoop {
                scenario: *scenario,
                cause: error.into(),
            })?;
        }
        let mut outcomes = Vec::new();
        while let Some(done) = waits.join_next().await {
            let (scenario, state) = done.expect("waiting for an end does not panic");
            let problems = match &state {
                Some(state) => verify_scenario(&self.forge_client, scenario, state).await?,
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
        self.forge.shutdown().await;
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
    let wanted = scenario.expected().state;
    let wait = async {
        loop {
            let ours = handle
                .loops()
                .into_iter()
                .find(|state| state.pull.repo == scenario.repo());
            if let Some(state) = ours
                && state.is_settled()
                && (state.run.state == wanted || state.run.state.is_terminal())
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

async fn import_scenario(
    forge: &collie_forge::Forge,
    scenario: Scenario,
    root: &Path,
) -> Result<(), DemoError> {
    let sources = root.join("sources");
    let source = sources.join(scenario.name());
    sample_files::make_repository(scenario, &source).await?;
    let repo = scenario.repo();
    let name = collie_forge::model::RepoName::new(repo.owner(), repo.name())?;
    forge.import(&name, &source).await?;
    let pull = sample_files::pull_file(scenario)?;
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

async fn scenario_pull(forge: &ForgeClient, scenario: Scenario) -> Result<ScenarioPull, DemoError> {
    let path = format!("/repos/{}/pulls/1", scenario.repo());
    let pull = forge.get(COLLIE_LOGIN, &path).await?;
    Ok(ScenarioPull {
        scenario,
        pull: scenario.pull(),
        folder: PathBuf::new(),
        branch: sample_files::pull_file(scenario)?.branch,
        first_head: pull["head"]["sha"].as_str().unwrap_or_default().to_owned(),
    })
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

/// What a data folder on a demo's forge needs of its configuration. The model is asked only where a repository wants a persona.
pub(crate) fn config_layer(api_url: &str, model_url: &str) -> ConfigLayer {
    ConfigLayer {
        poll_interval: Some(1_000),
        ready_poll_interval: Some(2_000),
        collect_failures_for: Some(20_000),
        no_checks_grace: Some(3_000),
        allowed_users: Some(BTreeSet::from([Login::new(COLLIE_LOGIN)])),
        github_api_url: Some(api_url.to_owned()),
        // What is played here is nobody's: it is shown whole.
        autonomy: Some(Autonomy::Push),
        stages: Some(Policy::default().stages),
        llm: scripted_model::settings(model_url),
        ..ConfigLayer::default()
    }
}

/// The token of whom Collie works as.
pub(crate) fn collie_token(forge: &ForgeClient) -> Token {
    Token::new(&forge.token_of(COLLIE_LOGIN)).expect("a login has no blanks")
}

//! The stage of a demo: the forge with its repositories, the people and the scripted model. Who runs the loops is another matter.

use super::actors::{self, ActorTiming, ScenarioPull};
use super::forge_client::ForgeClient;
use super::scripted_model::{self, ScriptedModel};
use super::verify_scenario::{COLLIE_LOGIN, verify_scenario};
use super::{DemoError, Scenario, sample_files};
use collie_config::ConfigLayer;
use collie_core::autonomy::Autonomy;
use collie_core::ids::Login;
use collie_core::loop_state::LoopState;
use collie_core::policy::Policy;
use collie_core::user_error::UserError;
use collie_forge::{RunningForge, TokenScheme};
use collie_github::Token;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinSet;

/// In the command nobody dawdles, and who waits in vain says so.
const COMMAND_TIMING: ActorTiming = ActorTiming {
    reaction_delay: Duration::ZERO,
    wait_timeout: Some(Duration::from_secs(180)),
    assume_observed_after: None,
};

/// A stage that is set: the forge and the model listen, nothing has begun.
pub struct DemoStage {
    forge: RunningForge,
    forge_client: ForgeClient,
    model: ScriptedModel,
    pulls: Vec<ScenarioPull>,
}

impl DemoStage {
    /// Sets it below `root`, which may hold no earlier one.
    pub async fn set_up(
        root: &Path,
        scenarios: &[Scenario],
        tokens: TokenScheme,
    ) -> Result<Self, DemoError> {
        let forge_root = root.join("forge");
        if forge_root.exists() {
            return Err(DemoError::RootUsed(root.to_owned()));
        }
        let forge = collie_forge::Forge::open_with(&forge_root, tokens)?;
        for scenario in scenarios {
            import_scenario(&forge, *scenario, root).await?;
        }
        let running = forge.serve(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let forge_client = ForgeClient::new(&running);
        let mut pulls = Vec::new();
        for scenario in scenarios {
            let target = scenario_pull(&forge_client, *scenario).await?;
            actors::run_setup_actions(&forge_client, &target).await?;
            pulls.push(target);
        }
        let model = ScriptedModel::serve(Path::new("")).await?;
        Ok(Self {
            forge: running,
            forge_client,
            model,
            pulls,
        })
    }

    /// The forge.
    pub fn forge(&self) -> &RunningForge {
        &self.forge
    }

    /// What is played on it.
    pub fn scenarios(&self) -> impl Iterator<Item = Scenario> {
        self.pulls.iter().map(|target| target.scenario)
    }

    /// What whoever runs the loops needs of its configuration.
    pub fn config_layer(&self) -> ConfigLayer {
        config_layer(&self.forge.api_url(), &self.model.url())
    }

    /// The token of whom Collie works as.
    pub fn token(&self) -> Token {
        collie_token(&self.forge_client)
    }

    /// Puts the model's price into a data folder that has no prices of its own.
    pub fn write_prices(&self, data: &Path) -> Result<(), DemoError> {
        scripted_model::write_prices(data)
    }

    /// Has everybody play their part. Each is shown the loops as they change, from before the first one.
    pub fn spawn_actors(
        &self,
        subscribe: impl Fn() -> Receiver<Arc<LoopState>>,
    ) -> JoinSet<Result<(), DemoError>> {
        let mut actors = JoinSet::new();
        for target in self.pulls.clone() {
            let (cast, changes) = (self.forge_client.clone(), subscribe());
            actors.spawn(async move {
                actors::run_actions(&cast, &target, COMMAND_TIMING, changes).await
            });
        }
        actors
    }

    /// What is not as designed in how a loop ended; empty when all is.
    pub async fn verify(
        &self,
        scenario: Scenario,
        state: &LoopState,
    ) -> Result<Vec<UserError>, DemoError> {
        verify_scenario(&self.forge_client, scenario, state).await
    }

    /// Ends the forge.
    pub async fn close(self) {
        self.forge.shutdown().await;
    }
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

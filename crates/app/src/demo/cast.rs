//! The people of a scenario beside a Collie that runs somewhere else: in a process that may die at any moment.

use super::actors::{self, ActorTiming, ScenarioPull};
use super::forge_client::ForgeClient;
use super::scripted_model::{MODEL, PRICES, ScriptedModel};
use super::verify_scenario::COLLIE_LOGIN;
use super::{DemoError, Scenario, sample_files};
use collie_core::ids::{PullName, RepoName};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Nobody dawdles. Who waits for Collie to take the pull request up is told when it has, by being asked to play.
const TIMING: ActorTiming = ActorTiming {
    reaction_delay: Duration::ZERO,
    wait_timeout: None,
    assume_observed_after: Some(Duration::ZERO),
};

/// The people of a scenario and the model that it may ask.
pub struct Cast {
    forge: ForgeClient,
    model: ScriptedModel,
    part: ScenarioPull,
}

impl Cast {
    /// Gathers them at pull request 1 of a repository with the scenario's files, on the forge at an address such as
    /// `http://127.0.0.1:4000`, whose tokens are `forge-LOGIN`. What people do before Collie is there is done then.
    ///
    /// # Errors
    /// The forge cannot be reached, or refuses something.
    pub async fn gather(
        git_url: &str,
        scenario: Scenario,
        repo: &RepoName,
    ) -> Result<Self, DemoError> {
        let forge = ForgeClient::at(git_url, collie_forge::TokenScheme::by_login());
        let pull = forge
            .get(COLLIE_LOGIN, &format!("/repos/{repo}/pulls/1"))
            .await?;
        let part = ScenarioPull {
            scenario,
            pull: PullName {
                repo: repo.clone(),
                number: 1,
            },
            folder: PathBuf::new(),
            branch: sample_files::pull_file(scenario)?.branch,
            first_head: pull["head"]["sha"].as_str().unwrap_or_default().to_owned(),
        };
        actors::run_setup_actions(&forge, &part).await?;
        let model = ScriptedModel::serve(Path::new("")).await?;
        Ok(Self { forge, model, part })
    }

    /// What the data folder of the Collie that is played with needs to ask the model: lines for `config.toml`, and `prices.toml`.
    pub fn settings(&self) -> (String, &'static str) {
        let url = self.model.url();
        let config =
            format!("[llm]\nprovider = \"compatible\"\nmodel = \"{MODEL}\"\nurl = \"{url}\"\n");
        (config, PRICES)
    }

    /// Plays, until they have done all that they do. Who waits for Collie to have seen the pull request counts from here.
    ///
    /// # Errors
    /// The forge cannot be reached, or refuses something.
    pub async fn play(&self) -> Result<(), DemoError> {
        // Nobody tells them of loops.
        let (_silent, changes) = tokio::sync::broadcast::channel(1);
        actors::run_actions(&self.forge, &self.part, TIMING, changes).await
    }
}

//! What every command needs before it begins: the data folder, the configuration, a way to answer.

use crate::args::CommonArgs;
use crate::localize::CliLocalizer;
use crate::output::Output;
use collie_app::accounts::KeyPlace;
use collie_app::auth;
use collie_app::engine_client::local::EngineSetup;
use collie_config::{Config, ConfigLayer, DataFolder, LiveConfig};
use collie_core::user_error::UserError;
use collie_github::TokenSource;
use collie_i18n::Language;
use collie_reviewers::activity::ActivityRegistry;
use std::sync::Arc;

/// A command's surroundings.
pub struct Context {
    /// The data folder.
    pub data: DataFolder,
    /// The configuration, resolved.
    pub config: Config,
    /// Where the answers go.
    pub output: Output,
}

/// The way to answer, before the configuration is known: in the language of the flag or of the terminal.
pub fn output_before_config(common: &CommonArgs) -> Output {
    let language = common
        .lang
        .map_or_else(terminal_language, crate::args::LanguageArg::code);
    Output {
        json: common.json,
        localizer: CliLocalizer::new(language),
    }
}

/// The language that the environment asks for.
pub fn terminal_language() -> &'static str {
    Language::resolve(None, &|name| std::env::var(name).ok()).code()
}

/// Finds the data folder.
pub fn data_folder(common: &CommonArgs) -> Result<DataFolder, UserError> {
    let found = match &common.home {
        Some(home) => DataFolder::at(home),
        None => DataFolder::locate(),
    };
    Ok(found?)
}

/// Asks for git before anything begins: without it no loop gets anywhere, and no forge.
pub async fn require_git() -> Result<(), UserError> {
    collie_git::git_version(std::path::Path::new("git"))
        .await
        .map(drop)
        .map_err(UserError::from)
}

impl Context {
    /// What a command works with that acts as the account of this machine.
    pub fn engine_setup(
        &self,
        tokens: TokenSource,
        activities: Arc<ActivityRegistry>,
    ) -> EngineSetup {
        EngineSetup {
            runners: None,
            sandbox_supervisor: collie_sandbox::own_program(),
            config: LiveConfig::new(self.config.clone()),
            tokens,
            activities,
            keys: auth::model_keys::machine_keys(),
            account_key: KeyPlace::of_machine(),
        }
    }

    /// Reads files, environment and flags into one configuration.
    pub fn load(common: &CommonArgs) -> Result<Self, UserError> {
        Self::load_with(common, ConfigLayer::default())
    }

    /// The same with a command's own flags, which come last.
    pub fn load_with(common: &CommonArgs, flags: ConfigLayer) -> Result<Self, UserError> {
        let data = data_folder(common)?;
        let terminal = ConfigLayer {
            language: Some(terminal_language()),
            ..ConfigLayer::default()
        };
        let layers = [
            terminal,
            ConfigLayer::from_folder(&data)?,
            ConfigLayer::from_environment(collie_hardening::variable)?,
            common.layer(),
            flags,
        ];
        let config = Config::resolve(data.path().to_owned(), &layers)?;
        let output = Output {
            json: common.json,
            localizer: CliLocalizer::new(config.language),
        };
        Ok(Self {
            data,
            config,
            output,
        })
    }
}

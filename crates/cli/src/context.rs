//! What every command needs before it begins: the data folder, the configuration, a way to answer.

use crate::args::CommonArgs;
use crate::cli_error::CliError;
use crate::localize::CliLocalizer;
use crate::output::Output;
use collie_config::{Config, ConfigError, ConfigFileError, ConfigLayer, DataFolder};
use collie_i18n::Language;

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
pub fn data_folder(common: &CommonArgs) -> Result<DataFolder, CliError> {
    let found = match &common.home {
        Some(home) => DataFolder::at(home),
        None => DataFolder::locate(),
    };
    found.map_err(|error| CliError::new("data_folder", error))
}

/// Asks for git before anything begins: without it no loop gets anywhere, and no forge.
pub async fn require_git() -> Result<(), CliError> {
    collie_git::git_version(std::path::Path::new("git"))
        .await
        .map(drop)
        .map_err(|error| CliError::new("git", error))
}

impl Context {
    /// Reads files, environment and flags into one configuration.
    pub fn load(common: &CommonArgs) -> Result<Self, CliError> {
        Self::load_with(common, ConfigLayer::default())
    }

    /// The same with a command's own flags, which come last.
    pub fn load_with(common: &CommonArgs, flags: ConfigLayer) -> Result<Self, CliError> {
        let data = data_folder(common)?;
        let localizer = output_before_config(common).localizer;
        let configuration_error =
            |error: ConfigError| CliError::new("configuration", error.message(&localizer.shared));
        let terminal = ConfigLayer {
            language: Some(terminal_language()),
            ..ConfigLayer::default()
        };
        let layers = [
            terminal,
            ConfigLayer::from_folder(&data).map_err(|error| match error {
                ConfigFileError::Invalid(error) => configuration_error(error),
                error @ ConfigFileError::Unreadable { .. } => CliError::new("configuration", error),
            })?,
            ConfigLayer::from_environment(|name| std::env::var(name).ok())
                .map_err(configuration_error)?,
            common.layer(),
            flags,
        ];
        let config =
            Config::resolve(data.path().to_owned(), &layers).map_err(configuration_error)?;
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

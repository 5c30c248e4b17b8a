//! What every command needs before it begins: the data folder, the configuration, a way to answer.

use crate::args::Common;
use crate::output::Output;
use crate::problem::Problem;
use crate::say::Say;
use collie_app::config::{Config, ConfigError, FileError, Layer};
use collie_app::words::Language as WordsLanguage;
use collie_store::DataFolder;

/// A command's surroundings.
pub struct Context {
    /// The data folder.
    pub data: DataFolder,
    /// The configuration, resolved.
    pub config: Config,
    /// Where the answers go.
    pub out: Output,
}

/// The way to answer, before the configuration is known: in the language of the flag or of the terminal.
pub fn first_output(common: &Common) -> Output {
    let language = common
        .lang
        .map_or_else(terminal_language, crate::args::Language::code);
    Output {
        json: common.json,
        say: Say::new(language),
    }
}

/// The language that the environment asks for.
pub fn terminal_language() -> &'static str {
    WordsLanguage::pick(None, &|name| std::env::var(name).ok()).code()
}

/// Finds the data folder.
pub fn data_folder(common: &Common) -> Result<DataFolder, Problem> {
    let found = match &common.home {
        Some(home) => DataFolder::at(home),
        None => DataFolder::locate(),
    };
    found.map_err(|error| Problem::new("data_folder", error))
}

/// Asks for git before anything begins: without it no loop gets anywhere, and no forge.
pub async fn git_is_there() -> Result<(), Problem> {
    collie_git::git_version(std::path::Path::new("git"))
        .await
        .map(drop)
        .map_err(|error| Problem::new("git", error))
}

impl Context {
    /// Reads files, environment and flags into one configuration.
    pub fn load(common: &Common) -> Result<Self, Problem> {
        Self::load_with(common, Layer::default())
    }

    /// The same with a command's own flags, which come last.
    pub fn load_with(common: &Common, flags: Layer) -> Result<Self, Problem> {
        let data = data_folder(common)?;
        let say = first_output(common).say;
        let wrong = |error: ConfigError| Problem::new("configuration", error.told(&say.speech));
        let terminal = Layer {
            language: Some(terminal_language()),
            ..Layer::default()
        };
        let layers = [
            terminal,
            Layer::of_folder(&data).map_err(|error| match error {
                FileError::Wrong(error) => wrong(error),
                error @ FileError::Unreadable { .. } => Problem::new("configuration", error),
            })?,
            Layer::from_environment(|name| std::env::var(name).ok()).map_err(wrong)?,
            common.layer(),
            flags,
        ];
        let config = Config::resolve(data.path().to_owned(), &layers).map_err(wrong)?;
        let out = Output {
            json: common.json,
            say: Say::new(config.language),
        };
        Ok(Self { data, config, out })
    }
}

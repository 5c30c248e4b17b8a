//! What every command needs before it begins: the data folder, the configuration, a way to answer.

use crate::args::Common;
use crate::output::Output;
use crate::problem::Problem;
use crate::say::Say;
use collie_app::config::{Config, ConfigError, FileKind, Layer};
use collie_app::home;
use collie_app::words::Language as WordsLanguage;
use collie_store::DataFolder;
use std::io::ErrorKind;

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
        let data = data_folder(common)?;
        let say = first_output(common).say;
        let wrong = |error: ConfigError| Problem::new("configuration", error.told(&say.speech));
        let terminal = Layer {
            language: Some(terminal_language()),
            ..Layer::default()
        };
        let layers = [
            terminal,
            read_file(&data)?.map_err(wrong)?,
            Layer::from_environment(|name| std::env::var(name).ok()).map_err(wrong)?,
            common.layer(),
        ];
        let config = Config::resolve(data.path().to_owned(), &layers).map_err(wrong)?;
        let out = Output {
            json: common.json,
            say: Say::new(config.language),
        };
        Ok(Self { data, config, out })
    }
}

fn read_file(data: &DataFolder) -> Result<Result<Layer, ConfigError>, Problem> {
    let path = home::config_file(data);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        // A file in the folder's place is told by whoever opens the folder.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Ok(Layer::default()));
        }
        Err(error) => {
            return Err(Problem::new(
                "configuration",
                format!("{}: {error}", path.display()),
            ));
        }
    };
    let name = path.display().to_string();
    Ok(Layer::from_toml(&name, &text, FileKind::User))
}

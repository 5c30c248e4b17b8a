//! The configuration that a desk goes by.

use super::{Desk, DeskOptions, Problem};
use crate::config::{Config, ConfigError, FileKind, Layer};
use crate::home;
use crate::words::Language;
use collie_store::DataFolder;
use std::io::ErrorKind;

/// Reads a folder's `config.toml`; silence when there is none.
pub(super) fn file(folder: &DataFolder) -> Result<Layer, Problem> {
    let path = home::config_file(folder);
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            Layer::from_toml(&path.display().to_string(), &text, FileKind::User).map_err(wrong)
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Layer::default())
        }
        Err(error) => Err(Problem::new("configuration")
            .with("message", format!("{}: {error}", path.display()))
            .hint("configuration")),
    }
}

fn wrong(error: ConfigError) -> Problem {
    Problem::new("configuration")
        .with("message", error)
        .hint("configuration")
}

/// The language that the user's file, or else the host, names. A file with mistakes names none.
pub(super) fn language(options: &DeskOptions) -> &'static str {
    let named = file(&options.folder).ok().and_then(|layer| layer.language);
    named.unwrap_or(options.language)
}

impl Desk {
    /// The person's own configuration: the file, the environment.
    pub(super) fn configuration(&self) -> Result<Config, Problem> {
        let options = &self.shared.options;
        let layers = [
            self.host_layer(),
            file(&options.folder)?,
            Layer::from_environment(|name| (options.environment)(name)).map_err(wrong)?,
        ];
        Config::resolve(options.folder.path().to_owned(), &layers).map_err(wrong)
    }

    /// The demo's configuration: what the demo needs, how the person likes the window, what was chosen in the demo.
    pub(super) fn demo_configuration(
        &self,
        demo: &DataFolder,
        needs: Layer,
    ) -> Result<Config, Problem> {
        let layers = [self.host_layer(), needs, self.likes(), file(demo)?];
        Config::resolve(demo.path().to_owned(), &layers).map_err(wrong)
    }

    /// How the person likes the window, by their own file.
    pub(super) fn likes(&self) -> Layer {
        let own = file(&self.shared.options.folder).unwrap_or_default();
        Layer {
            language: own.language,
            theme: own.theme,
            notifications: own.notifications,
            keep_running: own.keep_running,
            ..Layer::default()
        }
    }

    pub(super) fn host_layer(&self) -> Layer {
        Layer {
            language: Language::named(self.shared.options.language).map(Language::code),
            ..Layer::default()
        }
    }
}

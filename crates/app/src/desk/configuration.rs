//! The configuration that a desk goes by.

use super::{Desk, DeskOptions, Problem};
use crate::config::{Config, Layer};
use crate::words::Language;
use collie_store::DataFolder;

/// The language that the user's file, or else the host, names. A file with mistakes names none.
pub(super) fn language(options: &DeskOptions) -> &'static str {
    let named = Layer::of_folder(&options.folder)
        .ok()
        .and_then(|layer| layer.language);
    named.unwrap_or(options.language)
}

impl Desk {
    /// The person's own configuration: the file, the environment.
    pub(super) fn configuration(&self) -> Result<Config, Problem> {
        let options = &self.shared.options;
        let layers = [
            self.host_layer(),
            Layer::of_folder(&options.folder)?,
            Layer::from_environment(|name| (options.environment)(name))?,
        ];
        Ok(Config::resolve(options.folder.path().to_owned(), &layers)?)
    }

    /// The demo's configuration: what the demo needs, how the person likes the window, what was chosen in the demo.
    pub(super) fn demo_configuration(
        &self,
        demo: &DataFolder,
        needs: Layer,
    ) -> Result<Config, Problem> {
        let layers = [
            self.host_layer(),
            needs,
            self.likes(),
            Layer::of_folder(demo)?,
        ];
        Ok(Config::resolve(demo.path().to_owned(), &layers)?)
    }

    /// How the person likes the window, by their own file.
    pub(super) fn likes(&self) -> Layer {
        let own = Layer::of_folder(&self.shared.options.folder).unwrap_or_default();
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

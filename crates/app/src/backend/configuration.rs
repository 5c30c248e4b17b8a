//! The configuration that a backend goes by.

use super::backend_state::{Backend, BackendOptions};
use collie_config::{Config, ConfigLayer, DataFolder};
use collie_core::user_error::UserError;
use collie_i18n::Language;

/// The language that the user's file, or else the host, names. A file with mistakes names none.
pub(super) fn initial_language(options: &BackendOptions) -> &'static str {
    let configured = ConfigLayer::from_folder(&options.folder)
        .ok()
        .and_then(|layer| layer.language);
    configured.unwrap_or(options.language)
}

impl Backend {
    /// The person's own configuration: the file, the environment.
    pub(super) fn configuration(&self) -> Result<Config, UserError> {
        let options = &self.shared.options;
        let layers = [
            self.host_layer(),
            ConfigLayer::from_folder(&options.folder)?,
            ConfigLayer::from_environment(|name| (options.environment)(name))?,
        ];
        Ok(Config::resolve(options.folder.path().to_owned(), &layers)?)
    }

    /// The demo's configuration: what the demo needs, how the person likes the window, what was chosen in the demo.
    pub(super) fn demo_configuration(
        &self,
        demo: &DataFolder,
        demo_layer: ConfigLayer,
    ) -> Result<Config, UserError> {
        let layers = [
            self.host_layer(),
            demo_layer,
            self.window_preferences(),
            ConfigLayer::from_folder(demo)?,
        ];
        Ok(Config::resolve(demo.path().to_owned(), &layers)?)
    }

    /// How the person likes the window, by their own file.
    pub(super) fn window_preferences(&self) -> ConfigLayer {
        let user_layer = ConfigLayer::from_folder(&self.shared.options.folder).unwrap_or_default();
        ConfigLayer {
            language: user_layer.language,
            theme: user_layer.theme,
            notifications: user_layer.notifications,
            keep_running: user_layer.keep_running,
            ..ConfigLayer::default()
        }
    }

    pub(super) fn host_layer(&self) -> ConfigLayer {
        ConfigLayer {
            language: Language::parse(self.shared.options.language).map(Language::code),
            ..self.shared.host_defaults.clone()
        }
    }
}

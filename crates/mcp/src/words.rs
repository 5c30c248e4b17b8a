//! The texts of `locales/*/mcp.ftl`, and those that everything shares.

use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use fluent::FluentValue;

/// Texts in one language.
pub struct McpWords {
    own: Localizer,
    shared: Localizer,
}

impl McpWords {
    /// Takes the texts of a language of the configuration.
    pub fn new(language: &str) -> Self {
        Self {
            own: Localizer::from_files(language, &["mcp"]),
            shared: Localizer::new(language),
        }
    }

    pub(crate) fn text(&self, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
        self.own.text(key, args)
    }

    pub(crate) fn plain(&self, key: &str) -> String {
        self.own.plain(key)
    }

    pub(crate) fn shared(&self) -> &Localizer {
        &self.shared
    }

    /// What went wrong, and what can be done, a line each.
    pub(crate) fn error(&self, error: &UserError) -> String {
        let mut lines = vec![self.shared.error_text(error)];
        lines.extend(self.shared.error_hints(error));
        lines.join("\n")
    }
}

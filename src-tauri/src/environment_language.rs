//! The environment's language.

use collie_i18n::{Language, Localizer};

/// The words of the environment's language: before the settings are read, and on a terminal.
pub fn localizer_of_environment() -> Localizer {
    Localizer::new(language_of_environment().code())
}

/// The language that holds until the configuration names one.
pub fn language_of_environment() -> Language {
    Language::resolve(None, &|name| std::env::var(name).ok())
}

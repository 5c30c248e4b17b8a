//! The one table of what a secret looks like: for rules, gates, prompts, redaction and commit messages (§8.3).
//!
//! The services' forms follow the default rules of gitleaks 8 (<https://github.com/gitleaks/gitleaks>, MIT, see `LICENSE-gitleaks` here): which
//! there are, and how long their values are. How a value beside a name is found and what counts as random is Collie's own.

mod beside_names;
mod form;
mod general;
mod more_tokens;
mod tokens;

pub use form::SecretForm;
pub(super) use form::{CompiledForm, ValueCheck};

use std::sync::{LazyLock, OnceLock};

/// All of them, those that say most first.
pub fn secret_forms() -> impl Iterator<Item = &'static SecretForm> {
    tokens::TOKENS
        .iter()
        .chain(more_tokens::MORE_TOKENS)
        .chain(general::GENERAL)
        .chain(beside_names::BESIDE_NAMES)
}

/// The form with that id.
pub fn secret_form(id: &str) -> Option<&'static SecretForm> {
    secret_forms().find(|form| form.id == id)
}

/// The table, each form compiled at most once.
pub(super) static COMPILED_FORMS: LazyLock<Vec<CompiledForm>> = LazyLock::new(|| {
    secret_forms()
        .map(|form| CompiledForm {
            form,
            regex: OnceLock::new(),
        })
        .collect()
});

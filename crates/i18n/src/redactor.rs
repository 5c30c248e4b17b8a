//! What must not be posted, and its removal from texts.

use collie_core::text::{self, KnownSecrets};
use std::fmt;

/// What this process knows and nobody else should.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Literal secrets, tokens and keys, as they are when something is redacted.
    pub secrets: KnownSecrets,
    /// Folders of this machine: home, temp, data.
    pub folders: Vec<String>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("secrets", &self.secrets)
            .field("folders", &self.folders)
            .finish()
    }
}

impl Redactor {
    /// Takes secrets, diffs and folders out of a text.
    pub fn redact(&self, text: &str) -> String {
        text::hide_folders(&text::redact(text, &self.secrets.now()), &self.folders)
    }
}

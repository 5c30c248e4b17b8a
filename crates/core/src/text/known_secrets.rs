//! The literal secrets that this process knows (§8.3).

use std::fmt;
use std::sync::Arc;

/// A shorter literal would tear holes into ordinary words.
const MIN_SECRET_CHARS: usize = 6;

/// Gives literal secrets as they are at the moment.
type SecretSource = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// The secrets that this process knows, asked for anew each time: a token that was renewed a moment ago is among them.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    sources: Vec<SecretSource>,
}

impl KnownSecrets {
    /// Those that never change.
    pub fn of(secrets: impl IntoIterator<Item = String>) -> Self {
        let secrets: Vec<String> = secrets.into_iter().collect();
        Self::default().and(move || secrets.clone())
    }

    /// Asks there as well.
    #[must_use]
    pub fn and(mut self, source: impl Fn() -> Vec<String> + Send + Sync + 'static) -> Self {
        self.sources.push(Arc::new(source));
        self
    }

    /// What they are now, the longest first; those under 6 characters are left out.
    pub fn now(&self) -> Vec<String> {
        let mut secrets: Vec<String> = self
            .sources
            .iter()
            .flat_map(|source| source())
            .map(|secret| secret.trim().to_owned())
            .filter(|secret| secret.chars().count() >= MIN_SECRET_CHARS)
            .collect();
        secrets.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        secrets
    }
}

impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownSecrets")
            .field("sources", &self.sources.len())
            .finish()
    }
}

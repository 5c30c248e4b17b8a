//! The literal secrets that this process knows (§8.3).

use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

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
        let secrets: Zeroizing<Vec<String>> = Zeroizing::new(secrets.into_iter().collect());
        Self::default().and(move || secrets.to_vec())
    }

    /// Asks there as well.
    #[must_use]
    pub fn and(mut self, source: impl Fn() -> Vec<String> + Send + Sync + 'static) -> Self {
        self.sources.push(Arc::new(source));
        self
    }

    /// What they are now, the longest first; those under 6 characters are left out. The list is wiped once it is dropped.
    pub fn now(&self) -> Zeroizing<Vec<String>> {
        let mut secrets = Zeroizing::new(Vec::new());
        for source in &self.sources {
            let given = Zeroizing::new(source());
            let fit = given
                .iter()
                .map(|secret| secret.trim())
                .filter(|secret| secret.chars().count() >= MIN_SECRET_CHARS);
            secrets.extend(fit.map(str::to_owned));
        }
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

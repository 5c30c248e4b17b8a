//! The configuration in force, which saving the settings swaps while the engine runs.

use super::resolve::Config;
use collie_i18n::Language;
use std::sync::{Arc, PoisonError, RwLock};

/// The configuration in force; clones share it. What reads it anew each time follows a change at once: policies of the next
/// rounds, allowed users, the language of posts. See [`needs_restart`] for the rest.
#[derive(Clone, Debug)]
pub struct LiveConfig(Arc<RwLock<Arc<Config>>>);

impl LiveConfig {
    /// Begins with a configuration.
    pub fn new(config: Config) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(config))))
    }

    /// What holds now.
    pub fn get(&self) -> Arc<Config> {
        // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The language that it names now.
    pub fn language(&self) -> Language {
        Language::parse(self.get().language).unwrap_or_default()
    }

    /// Puts another configuration into force, and gives the former.
    pub fn replace(&self, config: Config) -> Arc<Config> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, Arc::new(config))
    }
}

/// Whether an engine that runs by `before` must be started anew to go by `after`: where GitHub is, as whom, how many loops work at
/// once, how long runs can be replayed and the data folder are fixed when it starts.
pub fn needs_restart(before: &Config, after: &Config) -> bool {
    before.api_url != after.api_url
        || before.account != after.account
        || before.slots != after.slots
        || before.disk.replay_days != after.disk.replay_days
        || before.home != after.home
}

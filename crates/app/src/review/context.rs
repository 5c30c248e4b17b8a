//! What the steps of one review work with.

use collie_config::{DataFolder, LiveConfig};
use collie_core::ids::PullName;
use collie_core::snapshot::Snapshot;
use collie_core::text::KnownSecrets;
use collie_engine::ports::PullRef;
use collie_github::GitHubClient;
use collie_reviewers::KeySources;
use collie_reviewers::activity::ActivityRegistry;
use std::sync::Arc;

/// Everything that a review works with.
pub(super) struct ReviewContext {
    pub(super) config: LiveConfig,
    pub(super) activities: Arc<ActivityRegistry>,
    pub(super) github: Arc<GitHubClient>,
    pub(super) data: DataFolder,
    pub(super) pull: PullRef,
    pub(super) snapshot: Snapshot,
    pub(super) name: PullName,
    pub(super) keys: KeySources,
}

impl ReviewContext {
    /// The secrets of this process, asked for each time.
    pub(super) fn known_secrets(&self) -> KnownSecrets {
        collie_reviewers::known_secrets(&self.config, &self.github)
    }
}

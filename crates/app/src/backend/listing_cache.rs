//! What is known of the sidebar's repositories, and which of them to read.

use super::locking::lock;
use collie_config::Config;
use collie_core::ids::RepoName;
use collie_core::user_error::UserError;
use collie_github::browse::RepositoryListing;
use collie_wire::rpc::ConnectionView;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// A repository that was looked at within this time is kept fresh.
const RECENTLY_VIEWED: Duration = Duration::from_secs(120);

/// What is known of each repository.
#[derive(Default)]
pub(super) struct ListingCache {
    pub(super) entries: Mutex<BTreeMap<RepoName, ListingEntry>>,
    pub(super) wake: Notify,
    pub(super) connection: Mutex<Option<ConnectionView>>,
}

#[derive(Clone, Default)]
pub(super) struct ListingEntry {
    pub(super) listing: Option<Arc<RepositoryListing>>,
    pub(super) problem: Option<UserError>,
    pub(super) read_at: Option<Instant>,
    pub(super) viewed_at: Option<Instant>,
    /// A person wants it read now.
    pub(super) refresh_requested: bool,
}

impl ListingCache {
    /// How GitHub answered the last time; none when it did.
    pub fn connection_problem(&self) -> Option<ConnectionView> {
        lock(&self.connection).clone()
    }

    /// What keeps a repository from being read.
    pub fn problem(&self, repo: &RepoName) -> Option<UserError> {
        lock(&self.entries)
            .get(repo)
            .and_then(|entry| entry.problem.clone())
    }

    /// Wants a repository read now.
    pub fn refresh_now(&self, repo: &RepoName) {
        let mut entries = lock(&self.entries);
        let entry = entries.entry(repo.clone()).or_default();
        entry.refresh_requested = true;
        entry.viewed_at = Some(Instant::now());
        drop(entries);
        self.wake.notify_one();
    }

    /// Has a repository read now that nobody looks at.
    pub fn read_now(&self, repo: &RepoName) {
        let mut entries = lock(&self.entries);
        entries.entry(repo.clone()).or_default().refresh_requested = true;
        drop(entries);
        self.wake.notify_one();
    }

    /// Notes that somebody looks at a repository; gives what is known of it.
    pub(super) fn mark_viewed(&self, repo: &RepoName) -> ListingEntry {
        let mut entries = lock(&self.entries);
        let entry = entries.entry(repo.clone()).or_default();
        let newly_viewed = entry
            .viewed_at
            .is_none_or(|asked| asked.elapsed() > RECENTLY_VIEWED);
        entry.viewed_at = Some(Instant::now());
        let entry = entry.clone();
        drop(entries);
        if newly_viewed || entry.read_at.is_none() {
            self.wake.notify_one();
        }
        entry
    }

    /// Repositories to read now: those whose toggle is on, those in sight, those that a person wants.
    pub(super) fn due(&self, config: &Config, interval: Duration) -> Vec<RepoName> {
        let mut entries = lock(&self.entries);
        let auto_started: BTreeSet<&RepoName> = config
            .repositories
            .iter()
            .filter(|watched| watched.auto_pr_review_enabled)
            .map(|watched| &watched.name)
            .collect();
        for repo in &auto_started {
            entries.entry((*repo).clone()).or_default();
        }
        // A little early counts: those in sight are read together.
        let max_age = interval.mul_f32(0.9);
        let is_due = |(repo, entry): &(&RepoName, &mut ListingEntry)| {
            let recently_viewed = entry
                .viewed_at
                .is_some_and(|asked| asked.elapsed() < RECENTLY_VIEWED);
            let wanted = auto_started.contains(repo) || recently_viewed;
            entry.refresh_requested
                || (wanted && entry.read_at.is_none_or(|read| read.elapsed() >= max_age))
        };
        entries
            .iter_mut()
            .filter(is_due)
            .map(|(repo, entry)| {
                entry.refresh_requested = false;
                repo.clone()
            })
            .collect()
    }
}

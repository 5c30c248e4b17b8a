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
/// How old lists get while all of them are looked at from afar: there may be many, and each costs requests (§3.2).
const AFAR_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// What is known of each repository.
#[derive(Default)]
pub(super) struct ListingCache {
    pub(super) entries: Mutex<BTreeMap<RepoName, ListingEntry>>,
    /// When somebody last looked at what is open in all chosen repositories.
    all_viewed_at: Mutex<Option<Instant>>,
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

    /// Notes that somebody looks at all repositories from afar.
    pub(super) fn mark_all_viewed(&self) {
        let before = lock(&self.all_viewed_at).replace(Instant::now());
        if before.is_none_or(|viewed| viewed.elapsed() > AFAR_INTERVAL) {
            self.wake.notify_one();
        }
    }

    /// Repositories to read now: those whose toggle is on, those in sight, those that a person wants; more rarely all that are chosen, while
    /// somebody looks at them from afar.
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
        // Each reading has the page ask again, so that it goes on for as long as the page is there.
        let from_afar = lock(&self.all_viewed_at)
            .is_some_and(|viewed| viewed.elapsed() < AFAR_INTERVAL + RECENTLY_VIEWED);
        let chosen: BTreeSet<&RepoName> = match from_afar {
            true => config.repositories.iter().map(|one| &one.name).collect(),
            false => BTreeSet::new(),
        };
        for repo in &chosen {
            entries.entry((*repo).clone()).or_default();
        }
        // A little early counts: those in sight are read together.
        let max_age = interval.mul_f32(0.9);
        let max_age_from_afar = interval.max(AFAR_INTERVAL).mul_f32(0.9);
        let is_due = |(repo, entry): &(&RepoName, &mut ListingEntry)| {
            let recently_viewed = entry
                .viewed_at
                .is_some_and(|asked| asked.elapsed() < RECENTLY_VIEWED);
            let wanted = auto_started.contains(repo) || recently_viewed;
            let is_older = |age| entry.read_at.is_none_or(|read| read.elapsed() >= age);
            entry.refresh_requested
                || (wanted && is_older(max_age))
                || (chosen.contains(repo) && is_older(max_age_from_afar))
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

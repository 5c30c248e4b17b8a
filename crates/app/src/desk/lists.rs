//! Open pull requests and issues of the sidebar's repositories, kept fresh; and what the Auto-PR-Review toggle makes of them.

use super::work::{Engine, Work};
use super::{Desk, Problem, lock};
use crate::config::{Config, WatchedRepository};
use collie_core::ids::{Login, PullName, RepoName};
use collie_core::model::LoopState;
use collie_core::toggle::{OpenPull, PassedBy, ToggleRules, Wish, wish};
use collie_engine::ports::{GitHubError, Request};
use collie_github::browse::{IssueLine as Issue, Listing, PullLine as Pull};
use collie_wire::rpc::{Connection, ConnectionView, IssueLine, ListingView, PullLine, Topic};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// A repository that was looked at within this time is kept fresh.
const IN_SIGHT: Duration = Duration::from_secs(120);

/// Lists are not read more often, however fast loops are polled.
const LEAST: Duration = Duration::from_secs(3);

/// Branches that agents name so.
const AGENTS_BRANCHES: [&str; 9] = [
    "claude/",
    "codex/",
    "copilot/",
    "cursor/",
    "devin/",
    "gemini/",
    "jules/",
    "opencode/",
    "agent/",
];

/// What is known of each repository.
#[derive(Default)]
pub(super) struct Lists {
    entries: Mutex<BTreeMap<RepoName, Entry>>,
    wake: Notify,
    connection: Mutex<Option<ConnectionView>>,
}

#[derive(Clone, Default)]
struct Entry {
    listing: Option<Arc<Listing>>,
    problem: Option<Problem>,
    read: Option<Instant>,
    asked: Option<Instant>,
    /// A person wants it read now.
    hurried: bool,
}

impl Lists {
    /// How GitHub answered the last time; none when it did.
    pub fn trouble(&self) -> Option<ConnectionView> {
        lock(&self.connection).clone()
    }

    /// What keeps a repository from being read.
    pub fn problem(&self, repo: &RepoName) -> Option<Problem> {
        lock(&self.entries)
            .get(repo)
            .and_then(|entry| entry.problem.clone())
    }

    /// Wants a repository read now.
    pub fn hurry(&self, repo: &RepoName) {
        let mut entries = lock(&self.entries);
        let entry = entries.entry(repo.clone()).or_default();
        entry.hurried = true;
        entry.asked = Some(Instant::now());
        drop(entries);
        self.wake.notify_one();
    }

    /// Notes that somebody looks at a repository; gives what is known of it.
    fn look(&self, repo: &RepoName) -> Entry {
        let mut entries = lock(&self.entries);
        let entry = entries.entry(repo.clone()).or_default();
        let first = entry.asked.is_none_or(|asked| asked.elapsed() > IN_SIGHT);
        entry.asked = Some(Instant::now());
        let entry = entry.clone();
        drop(entries);
        if first || entry.read.is_none() {
            self.wake.notify_one();
        }
        entry
    }

    /// Repositories to read now: those whose toggle is on, those in sight, those that a person wants.
    fn due(&self, config: &Config, every: Duration) -> Vec<RepoName> {
        let mut entries = lock(&self.entries);
        let toggled: BTreeSet<&RepoName> = config
            .repositories
            .iter()
            .filter(|watched| watched.auto_pr_review_enabled)
            .map(|watched| &watched.name)
            .collect();
        for repo in &toggled {
            entries.entry((*repo).clone()).or_default();
        }
        // A little early counts: those in sight are read together.
        let old = every.mul_f32(0.9);
        let is_due = |(repo, entry): &(&RepoName, &mut Entry)| {
            let in_sight = entry.asked.is_some_and(|asked| asked.elapsed() < IN_SIGHT);
            let wanted = toggled.contains(repo) || in_sight;
            entry.hurried || (wanted && entry.read.is_none_or(|read| read.elapsed() >= old))
        };
        entries
            .iter_mut()
            .filter(is_due)
            .map(|(repo, entry)| {
                entry.hurried = false;
                repo.clone()
            })
            .collect()
    }
}

impl Desk {
    /// What is open in a repository, as last read.
    pub(super) fn listing(&self, work: &Work, repo: &str) -> Result<ListingView, Problem> {
        let repo = repository(repo)?;
        let entry = work.lists.look(&repo);
        let config = work.config.get();
        let me = work.login();
        let watched = watched(&config, &repo);
        let problem = entry.problem.map(|problem| problem.view(&self.speech()));
        let Some(listing) = entry.listing else {
            return Ok(ListingView {
                pulls: Vec::new(),
                issues: Vec::new(),
                open_issues: 0,
                truncated: false,
                read_at: None,
                problem,
            });
        };
        let mut pulls: Vec<&Pull> = listing.pulls.iter().collect();
        pulls.sort_by_key(|pull| std::cmp::Reverse(pull.updated_at));
        let pull_line =
            |pull: &&Pull| self.pull_line(work, (&listing, pull), watched.as_ref(), me.as_ref());
        let issue_line = |issue: &Issue| issue_line(&listing.repo, issue, me.as_ref());
        Ok(ListingView {
            pulls: pulls.iter().map(pull_line).collect(),
            issues: listing.issues.iter().map(issue_line).collect(),
            open_issues: u32::try_from(listing.issues_total).unwrap_or(u32::MAX),
            truncated: listing.truncated,
            read_at: Some(listing.read_at.rfc3339()),
            problem,
        })
    }

    fn pull_line(
        &self,
        work: &Work,
        (listing, pull): (&Listing, &Pull),
        watched: Option<&WatchedRepository>,
        me: Option<&Login>,
    ) -> PullLine {
        let known = work.find_by_id(&pull.id);
        let passed_by = watched
            .filter(|watched| watched.auto_pr_review_enabled)
            .and_then(
                |watched| match wish_for(work, (listing, pull), watched, known.as_deref()) {
                    Wish::Leave(PassedBy::HasLoop) | Wish::Start | Wish::Retry => None,
                    Wish::Leave(why) => {
                        Some(self.speech().plain(&format!("passed-by-{}", why.code())))
                    }
                },
            );
        let author = pull.author.as_ref();
        PullLine {
            // A loop keeps the name it goes by, also where the repository has been renamed since.
            key: name_of(listing, pull, known.as_deref()).to_string(),
            number: pull.id.number,
            title: pull.title.clone(),
            author: author.map(|author| author.login.to_string()),
            mine: author.is_some_and(|author| Some(&author.login) == me),
            by_agent: author.is_some_and(|author| author.is_bot)
                || AGENTS_BRANCHES
                    .iter()
                    .any(|prefix| pull.head_ref.starts_with(prefix)),
            draft: pull.draft,
            auto_merge: pull.auto_merge,
            head_ref: pull.head_ref.clone(),
            base_ref: pull.base_ref.clone(),
            labels: pull.labels.iter().map(|label| label.name.clone()).collect(),
            updated_at: pull.updated_at.rfc3339(),
            passed_by,
        }
    }

    /// Keeps lists fresh and lets the toggles start what they are for; never returns.
    pub(super) async fn keep_lists(&self, work: &Arc<Work>) {
        loop {
            let config = work.config.get();
            let every = Duration::from_millis(config.policy.poll_interval_ms).max(LEAST);
            let due = work.lists.due(&config, every);
            if !due.is_empty() {
                self.read_lists(work, &due).await;
                self.session_changed();
            }
            self.serve_toggles(work).await;
            tokio::select! {
                () = work.lists.wake.notified() => {}
                () = tokio::time::sleep(every) => {}
            }
        }
    }

    async fn read_lists(&self, work: &Arc<Work>, due: &[RepoName]) {
        let read = work.github.listing(due).await;
        let answers = match read {
            Ok(answers) => {
                *lock(&work.lists.connection) = None;
                answers
            }
            Err(error) => {
                *lock(&work.lists.connection) = trouble(&error);
                due.iter()
                    .map(|repo| (repo.clone(), Err(error.clone())))
                    .collect()
            }
        };
        let mut topics = Vec::new();
        for (repo, answer) in answers {
            let mut entries = lock(&work.lists.entries);
            let entry = entries.entry(repo.clone()).or_default();
            entry.read = Some(Instant::now());
            match answer {
                Ok(listing) => {
                    entry.listing = Some(Arc::new(listing));
                    entry.problem = None;
                }
                Err(error) => entry.problem = Some(error.into()),
            }
            // Always told: when it was read is shown too.
            topics.push(Topic::Listing(repo.to_string()));
        }
        topics.push(Topic::Repositories);
        self.stale(topics);
    }

    /// Starts what the toggles are for. Only the process that runs the engine does.
    async fn serve_toggles(&self, work: &Arc<Work>) {
        let Engine::Own { .. } = &work.engine else {
            return;
        };
        let config = work.config.get();
        let allowed = work
            .login()
            .is_some_and(|login| config.policy.allowed_users.contains(&login));
        if !allowed {
            return;
        }
        for watched in config
            .repositories
            .iter()
            .filter(|w| w.auto_pr_review_enabled)
        {
            let listing = lock(&work.lists.entries)
                .get(&watched.name)
                // What cannot be read now is not acted on.
                .filter(|entry| entry.problem.is_none())
                .and_then(|entry| entry.listing.clone());
            let Some(listing) = listing else { continue };
            for pull in &listing.pulls {
                self.serve_toggle(work, (&listing, pull), watched).await;
            }
        }
    }

    async fn serve_toggle(
        &self,
        work: &Work,
        (listing, pull): (&Listing, &Pull),
        watched: &WatchedRepository,
    ) {
        let known = work.find_by_id(&pull.id);
        let name = name_of(listing, pull, known.as_deref());
        let request = match wish_for(work, (listing, pull), watched, known.as_deref()) {
            Wish::Start => Request::Start { pull: name.clone() },
            Wish::Retry => Request::Retry { pull: name.clone() },
            Wish::Leave(_) => return,
        };
        self.play_part(work, &name);
        if let Err(problem) = work.wish(request).await {
            tracing::warn!(pull = %name, code = problem.code, "the toggle could not start a loop");
        }
    }
}

/// What a pull request's loop goes by; what the listing says where there is none.
fn name_of(listing: &Listing, pull: &Pull, known: Option<&LoopState>) -> PullName {
    known.map_or_else(
        || PullName {
            repo: listing.repo.clone(),
            number: pull.id.number,
        },
        LoopState::name,
    )
}

fn wish_for(
    work: &Work,
    (listing, pull): (&Listing, &Pull),
    watched: &WatchedRepository,
    known: Option<&LoopState>,
) -> Wish {
    let labels: Vec<String> = pull.labels.iter().map(|label| label.name.clone()).collect();
    let open = OpenPull {
        head: &pull.head,
        draft: pull.draft,
        author: pull.author.as_ref().map(|author| &author.login),
        labels: &labels,
        base_ref: &pull.base_ref,
        read_at: listing.read_at,
    };
    let rules = ToggleRules {
        authors: watched.authors.iter().cloned().collect(),
        labels: watched.labels.iter().cloned().collect(),
        base_branches: watched.base_branches.iter().cloned().collect(),
        ignore_label: work.config.get().policy.ignore_label.clone(),
    };
    wish(&open, &rules, known)
}

fn issue_line(repo: &RepoName, issue: &Issue, me: Option<&Login>) -> IssueLine {
    let author = issue.author.as_ref();
    IssueLine {
        key: format!("{repo}#{}", issue.number),
        number: issue.number,
        title: issue.title.clone(),
        author: author.map(|author| author.login.to_string()),
        mine: author.is_some_and(|author| Some(&author.login) == me),
        labels: issue
            .labels
            .iter()
            .map(|label| label.name.clone())
            .collect(),
        comments: u32::try_from(issue.comments).unwrap_or(u32::MAX),
        updated_at: issue.updated_at.rfc3339(),
    }
}

fn trouble(error: &GitHubError) -> Option<ConnectionView> {
    let view = |status, until: Option<collie_core::ids::Time>| {
        Some(ConnectionView {
            status,
            until: until.map(collie_core::ids::Time::rfc3339),
        })
    };
    match error {
        GitHubError::Unauthorized { .. } => view(Connection::Unauthorized, None),
        GitHubError::Wait { until, .. } => view(Connection::RateLimited, Some(*until)),
        GitHubError::Unclear { .. } => view(Connection::Unreachable, None),
        GitHubError::NotFound { .. } | GitHubError::Refused { .. } => None,
    }
}

/// A repository's name as the UI sent it.
pub(super) fn repository(text: &str) -> Result<RepoName, Problem> {
    RepoName::parse(text).map_err(|_| Problem::new("bad_name").with("name", text))
}

/// A pull request's name as the UI sent it.
pub(super) fn pull(text: &str) -> Result<PullName, Problem> {
    PullName::parse(text).map_err(|_| Problem::new("bad_name").with("name", text))
}

fn watched(config: &Config, repo: &RepoName) -> Option<WatchedRepository> {
    let is = |watched: &&WatchedRepository| watched.name.is(repo);
    config.repositories.iter().find(is).cloned()
}

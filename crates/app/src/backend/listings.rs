//! Open pull requests and issues of the sidebar's repositories, kept fresh; and what the Auto-PR-Review toggle makes of them.

use super::backend_state::Backend;
use super::locking::lock;
use super::session::Session;
use crate::user_error::error_view;
use collie_config::{Config, WatchedRepository};
use collie_core::auto_start::{
    AutoStart, AutoStartFilter, OpenPull, SkipReason, decide_auto_start,
};
use collie_core::error_code::ErrorCode;
use collie_core::ids::{Login, PullName, RepoName};
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHubError, LoopRequest};
use collie_github::browse::{IssueSummary as Issue, PullSummary as Pull, RepositoryListing};
use collie_wire::rpc::{
    Connection, ConnectionView, IssueLine, ListingView, OpenPullsView, PullLine, Topic,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Lists are not read more often, however fast loops are polled.
const MIN_INTERVAL: Duration = Duration::from_secs(3);

/// Branches that agents name so.
const AGENT_BRANCH_PREFIXES: [&str; 9] = [
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

impl Backend {
    /// What is open in a repository, as last read.
    pub(super) fn listing(&self, session: &Session, repo: &str) -> Result<ListingView, UserError> {
        let repo = parse_repository(repo)?;
        let entry = session.listings.mark_viewed(&repo);
        let config = session.config.get();
        let me = session.login();
        let watched = watched_repository(&config, &repo);
        let problem = entry
            .problem
            .map(|problem| error_view(&problem, &self.localizer()));
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
            |pull: &&Pull| self.pull_line(session, (&listing, pull), watched.as_ref(), me.as_ref());
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

    /// What is open in all chosen repositories, as last read.
    pub(super) fn open_pulls(&self, session: &Session) -> OpenPullsView {
        session.listings.mark_all_viewed();
        let (config, me) = (session.config.get(), session.login());
        let mut view = OpenPullsView::default();
        for watched in &config.repositories {
            let listing = lock(&session.listings.entries)
                .get(&watched.name)
                .and_then(|entry| entry.listing.clone());
            let Some(listing) = listing else {
                view.unread.push(watched.name.to_string());
                continue;
            };
            if listing.truncated {
                view.truncated.push(watched.name.to_string());
            }
            let mut pulls: Vec<&Pull> = listing.pulls.iter().collect();
            pulls.sort_by_key(|pull| std::cmp::Reverse(pull.updated_at));
            let line =
                |pull: &Pull| self.pull_line(session, (&listing, pull), Some(watched), me.as_ref());
            view.pulls.extend(pulls.into_iter().map(line));
        }
        view
    }

    fn pull_line(
        &self,
        session: &Session,
        (listing, pull): (&RepositoryListing, &Pull),
        watched: Option<&WatchedRepository>,
        me: Option<&Login>,
    ) -> PullLine {
        let loop_state = session.engine.find_by_id(&pull.id);
        let skip_reason = watched
            .filter(|watched| watched.auto_pr_review_enabled)
            .and_then(|watched| {
                match auto_start_decision(session, (listing, pull), watched, loop_state.as_deref())
                {
                    AutoStart::Skip(SkipReason::HasLoop) | AutoStart::Start | AutoStart::Retry => {
                        None
                    }
                    AutoStart::Skip(reason) => Some(
                        self.localizer()
                            .plain(&format!("passed-by-{}", reason.code())),
                    ),
                }
            });
        let (would_start, left_out) = {
            let own = watched
                .cloned()
                .unwrap_or_else(|| WatchedRepository::new(listing.repo.clone()));
            let decision =
                auto_start_decision(session, (listing, pull), &own, loop_state.as_deref());
            let left_out = decision == AutoStart::Skip(SkipReason::LeftOut);
            (
                left_out || !matches!(decision, AutoStart::Skip(_)),
                left_out,
            )
        };
        let author = pull.author.as_ref();
        PullLine {
            // A loop keeps the name it goes by, also where the repository has been renamed since.
            key: loop_name(listing, pull, loop_state.as_deref()).to_string(),
            number: pull.id.number,
            title: pull.title.clone(),
            author: author.map(|author| author.login.to_string()),
            mine: author.is_some_and(|author| Some(&author.login) == me),
            by_agent: author.is_some_and(|author| author.is_bot)
                || AGENT_BRANCH_PREFIXES
                    .iter()
                    .any(|prefix| pull.head_ref.starts_with(prefix)),
            draft: pull.draft,
            auto_merge: pull.auto_merge,
            head_ref: pull.head_ref.clone(),
            base_ref: pull.base_ref.clone(),
            labels: pull.labels.iter().map(|label| label.name.clone()).collect(),
            updated_at: pull.updated_at.rfc3339(),
            skip_reason,
            would_start,
            left_out,
        }
    }

    /// Keeps lists fresh and lets the toggles start what they are for; never returns.
    pub(super) async fn run_listings(&self, session: &Arc<Session>) {
        loop {
            let config = session.config.get();
            let interval = Duration::from_millis(config.policy.poll_interval_ms).max(MIN_INTERVAL);
            let due = session.listings.due(&config, interval);
            if !due.is_empty() {
                self.read_listings(session, &due).await;
                self.send_session_if_changed();
            }
            self.auto_start_loops(session).await;
            tokio::select! {
                () = session.listings.wake.notified() => {}
                () = tokio::time::sleep(interval) => {}
            }
        }
    }

    async fn read_listings(&self, session: &Arc<Session>, due: &[RepoName]) {
        let result = session.github.listing(due).await;
        let answers = match result {
            Ok(answers) => {
                *lock(&session.listings.connection) = None;
                answers
            }
            Err(error) => {
                *lock(&session.listings.connection) = connection_of_error(&error);
                due.iter()
                    .map(|repo| (repo.clone(), Err(error.clone())))
                    .collect()
            }
        };
        let mut topics = Vec::new();
        for (repo, answer) in answers {
            let mut entries = lock(&session.listings.entries);
            let entry = entries.entry(repo.clone()).or_default();
            entry.read_at = Some(Instant::now());
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
        topics.extend([Topic::Repositories, Topic::OpenPulls]);
        self.send_stale(topics);
    }

    /// Starts what the toggles are for. Only the process that runs the engine does.
    async fn auto_start_loops(&self, session: &Arc<Session>) {
        if !session.engine.is_local() {
            return;
        }
        let config = session.config.get();
        let allowed = session
            .login()
            .is_some_and(|login| config.policy.allowed_users.contains(&login));
        if !allowed {
            return;
        }
        for watched in config
            .repositories
            .iter()
            .filter(|watched| watched.auto_pr_review_enabled)
        {
            let listing = lock(&session.listings.entries)
                .get(&watched.name)
                // What cannot be read now is not acted on.
                .filter(|entry| entry.problem.is_none())
                .and_then(|entry| entry.listing.clone());
            let Some(listing) = listing else { continue };
            for pull in &listing.pulls {
                self.auto_start_pull(session, (&listing, pull), watched)
                    .await;
            }
        }
    }

    async fn auto_start_pull(
        &self,
        session: &Session,
        (listing, pull): (&RepositoryListing, &Pull),
        watched: &WatchedRepository,
    ) {
        let loop_state = session.engine.find_by_id(&pull.id);
        let name = loop_name(listing, pull, loop_state.as_deref());
        let request =
            match auto_start_decision(session, (listing, pull), watched, loop_state.as_deref()) {
                AutoStart::Start => LoopRequest::Start {
                    pull: name.clone(),
                    autonomy: None,
                },
                AutoStart::Retry => LoopRequest::Retry { pull: name.clone() },
                AutoStart::Skip(_) => return,
            };
        self.start_demo_actors(session, &name);
        if let Err(problem) = session.submit(request, None).await {
            tracing::warn!(pull = %name, code = problem.code.as_str(), "the toggle could not start a loop");
        }
    }
}

/// What a pull request's loop goes by; what the listing says where there is none.
fn loop_name(listing: &RepositoryListing, pull: &Pull, loop_state: Option<&LoopState>) -> PullName {
    loop_state.map_or_else(
        || PullName {
            repo: listing.repo.clone(),
            number: pull.id.number,
        },
        LoopState::pull_name,
    )
}

fn auto_start_decision(
    session: &Session,
    (listing, pull): (&RepositoryListing, &Pull),
    watched: &WatchedRepository,
    loop_state: Option<&LoopState>,
) -> AutoStart {
    let labels: Vec<String> = pull.labels.iter().map(|label| label.name.clone()).collect();
    let open = OpenPull {
        number: pull.id.number,
        head: &pull.head,
        draft: pull.draft,
        author: pull.author.as_ref().map(|author| &author.login),
        labels: &labels,
        base_ref: &pull.base_ref,
        read_at: listing.read_at,
    };
    let rules = AutoStartFilter {
        authors: watched.authors.iter().cloned().collect(),
        labels: watched.labels.iter().cloned().collect(),
        base_branches: watched.base_branches.iter().cloned().collect(),
        except: watched.except.iter().copied().collect(),
        ignore_label: session.config.get().policy.ignore_label.clone(),
    };
    decide_auto_start(&open, &rules, loop_state)
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

fn connection_of_error(error: &GitHubError) -> Option<ConnectionView> {
    let view = |status, until: Option<collie_core::ids::Time>| {
        Some(ConnectionView {
            status,
            until: until.map(collie_core::ids::Time::rfc3339),
        })
    };
    match error {
        GitHubError::Unauthorized { .. } => view(Connection::Unauthorized, None),
        GitHubError::RetryLater { until, .. } => view(Connection::RateLimited, Some(*until)),
        GitHubError::OutcomeUnknown { .. } => view(Connection::Unreachable, None),
        GitHubError::NotFound { .. }
        | GitHubError::Undeliverable { .. }
        | GitHubError::Account { .. }
        | GitHubError::App { .. }
        | GitHubError::ServerTooOld { .. }
        | GitHubError::Refused { .. } => None,
    }
}

/// A repository's name as the UI sent it.
pub(super) fn parse_repository(text: &str) -> Result<RepoName, UserError> {
    RepoName::parse(text).map_err(|_| UserError::new(ErrorCode::BadName).with("name", text))
}

/// A pull request's name as the UI sent it.
pub(super) fn parse_pull(text: &str) -> Result<PullName, UserError> {
    PullName::parse(text).map_err(|_| UserError::new(ErrorCode::BadName).with("name", text))
}

fn watched_repository(config: &Config, repo: &RepoName) -> Option<WatchedRepository> {
    let is = |watched: &&WatchedRepository| watched.name.eq_ignore_case(repo);
    config.repositories.iter().find(is).cloned()
}

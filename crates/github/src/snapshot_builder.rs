//! Makes a reading of the first answer on one pull request: pages to the end, evidence, rules.

use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use crate::branch_rules::{self, BranchRules};
use crate::check_evidence;
use crate::graphql::{self, Page, PageInfo};
use crate::node_conversion;
use crate::nodes::{
    BaseRefNode, CheckContextNode, CheckNameNode, NodeList, PullCommitNode, PullNode,
    RepositoryNode, StackedPullsNode, ThreadNode,
};
use crate::observation_cache::{CachedPull, ObservationCache};
use crate::permissions::attach_permissions;
use crate::queries;
use collie_core::ids::{Login, RepoName, Sha, Time};
use collie_core::snapshot::{
    Actor, ChangedFile, Check, Comment, PullState, PushObstacle, Review, ReviewVerdict, Snapshot,
    Thread,
};
use collie_engine::ports::PullRef;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a pull request when its first answer is in.
pub(crate) struct ReadContext<'a> {
    /// Which it is.
    pub pull: &'a PullRef,
    /// What earlier readings taught.
    pub cached: Option<&'a CachedPull>,
    /// The account of the token.
    pub viewer: &'a Actor,
    /// When it was asked for.
    pub read_at: Time,
}

/// Why one pull request could not be read.
#[derive(Clone, Debug)]
pub(crate) enum ReadFailure {
    /// A call failed.
    Api(ApiFault),
    /// The head moved meanwhile.
    HeadMoved,
}

impl From<ApiFault> for ReadFailure {
    fn from(fault: ApiFault) -> Self {
        ReadFailure::Api(fault)
    }
}

/// A reading that still lacks its last look.
pub(crate) struct UnconfirmedSnapshot {
    /// What was read.
    pub snapshot: Snapshot,
    /// Further pages were read after the first query, so that the head has to be read again.
    pub needs_confirmation: bool,
    /// The head branch was not known in advance, so that what builds on it has to be asked.
    pub stacked_unknown: bool,
}

/// Makes the reading. What it lacks is a last look at the head, where that is needed.
pub(crate) async fn build_snapshot(
    api: &ApiClient,
    cache: &ObservationCache,
    context: ReadContext<'_>,
    node: Result<RepositoryNode<PullNode>, ApiFault>,
) -> Result<UnconfirmedSnapshot, ReadFailure> {
    let node = node?;
    let viewer_may_write = node_conversion::grants_write(node.viewer_permission.as_deref());
    let default_head = default_head(&node)?;
    let (repo, mut node) = pull_of_repository(node, context.pull)?;
    let state = node_conversion::parse_pull_state(&node.state)
        .ok_or_else(|| node_conversion::invalid_value("pull request state", &node.state))?;
    let head = node_conversion::parse_sha(&node.head_ref_oid)?;
    let head_repo = node.head_repository.as_ref();
    let head_repo = head_repo.and_then(|repo| RepoName::parse(&repo.name_with_owner).ok());
    let open = state == PullState::Open;
    let rules = if open {
        ProtectionRules::fetch(api, cache, &repo, &node, head_repo.as_ref()).await?
    } else {
        ProtectionRules::default()
    };
    let stacked_unknown = open
        && context
            .cached
            .is_none_or(|known| known.head_ref != node.head_ref_name);
    let mut page_reader = PageReader {
        api,
        pull: context.pull,
        repo: &repo,
        read_more: false,
    };
    let mut lists =
        PullLists::read(&mut page_reader, cache, &head, context.cached, &mut node).await?;
    let needs_confirmation = page_reader.read_more;
    if open {
        attach_check_evidence(api, cache, &repo, &mut lists.checks).await?;
    }
    let pull = FetchedPull {
        node,
        repo,
        state,
        head,
        head_repo,
        rules,
        lists,
    };
    let mut snapshot = pull.into_snapshot(&context)?;
    snapshot.default_head = default_head;
    if open {
        let (cache, repo_id) = (&cache.permissions, &context.pull.id.repo_id);
        attach_permissions(api, cache, repo_id, viewer_may_write, &mut snapshot).await?;
    }
    Ok(UnconfirmedSnapshot {
        snapshot,
        needs_confirmation,
        stacked_unknown,
    })
}

async fn attach_check_evidence(
    api: &ApiClient,
    cache: &ObservationCache,
    repo: &RepoName,
    checks: &mut [Check],
) -> Result<(), ApiFault> {
    for check in checks {
        check_evidence::attach_evidence(api, &cache.check_evidence, repo, check).await?;
    }
    Ok(())
}

/// The commit that the default branch is at.
fn default_head(node: &RepositoryNode<PullNode>) -> Result<Option<Sha>, ApiFault> {
    let branch = node.default_branch_ref.as_ref();
    let target = branch.and_then(|branch| branch.target.as_ref());
    target
        .map(|target| node_conversion::parse_sha(&target.oid))
        .transpose()
}

/// Takes the pull request out of the answer, with the name that its repository has now.
fn pull_of_repository(
    node: RepositoryNode<PullNode>,
    pull: &PullRef,
) -> Result<(RepoName, PullNode), ApiFault> {
    let not_found = || ApiFault::NotFound(format!("{}#{}", pull.repo, pull.id.number));
    // Another repository may have taken the name of one that was moved or deleted.
    if node.id != pull.id.repo_id {
        return Err(not_found());
    }
    let pull = node.pull_request.ok_or_else(not_found)?;
    let repo = RepoName::parse(&node.name_with_owner)
        .map_err(|_| node_conversion::invalid_value("repository name", &node.name_with_owner))?;
    Ok((repo, pull))
}

/// The lists of a pull request, read to their ends.
struct PullLists {
    known_checks: BTreeSet<String>,
    checks: Vec<Check>,
    files: Vec<ChangedFile>,
    labels: BTreeSet<String>,
    reviews: Vec<Review>,
    comments: Vec<Comment>,
    threads: Vec<Thread>,
}

impl PullLists {
    /// Reads on from the first pages, which it takes out of the answer.
    async fn read(
        page_reader: &mut PageReader<'_>,
        cache: &ObservationCache,
        head: &Sha,
        cached: Option<&CachedPull>,
        pull: &mut PullNode,
    ) -> Result<Self, ApiFault> {
        let known_checks = known_check_names(page_reader, head, cached, pull).await?;
        let checks = head_checks(page_reader, cache, head, &mut pull.latest).await?;
        let files = page_reader
            .read_all(queries::FILES, pull.files.take())
            .await?;
        let labels = page_reader
            .read_all(queries::LABELS, pull.labels.take())
            .await?;
        let mut reviews = Vec::new();
        for node in page_reader
            .read_all(queries::REVIEWS, pull.reviews.take())
            .await?
        {
            reviews.push(node_conversion::review(node)?);
        }
        let mut comments = Vec::new();
        for node in page_reader
            .read_all(queries::COMMENTS, Some(pull.comments.take()))
            .await?
        {
            comments.extend(node_conversion::comment(node)?);
        }
        let mut threads = Vec::new();
        for node in page_reader
            .read_all(queries::THREADS, Some(pull.review_threads.take()))
            .await?
        {
            threads.extend(page_reader.read_thread(node).await?);
        }
        Ok(Self {
            known_checks,
            checks,
            files: files.into_iter().map(node_conversion::file).collect(),
            labels: labels.into_iter().map(|label| label.name).collect(),
            reviews,
            comments,
            threads,
        })
    }

    /// Whether the viewer has a review that is not submitted.
    fn has_pending_review_of(&self, viewer: &Actor) -> bool {
        self.reviews.iter().any(|review| {
            let is_own = review
                .author
                .as_ref()
                .is_some_and(|author| author.id == viewer.id);
            is_own && review.verdict == ReviewVerdict::Pending
        })
    }
}

/// A pull request of which everything was read.
struct FetchedPull {
    /// The first answer, without its lists.
    node: PullNode,
    repo: RepoName,
    state: PullState,
    head: Sha,
    head_repo: Option<RepoName>,
    rules: ProtectionRules,
    lists: PullLists,
}

impl FetchedPull {
    fn into_snapshot(self, context: &ReadContext<'_>) -> Result<Snapshot, ApiFault> {
        let Self { node, lists, .. } = self;
        let push_obstacles = push_obstacles(&node, &self.rules, context.cached);
        let pending_review = lists.has_pending_review_of(context.viewer);
        Ok(Snapshot {
            read_at: context.read_at,
            number: context.pull.id.number,
            title: node.title.into(),
            body: node.body,
            url: node.url,
            author: node.author.as_ref().and_then(node_conversion::actor),
            viewer: context.viewer.clone(),
            state: self.state,
            draft: node.is_draft,
            locked: node.locked,
            head: self.head,
            head_ref: node.head_ref_name,
            head_repo: self.head_repo,
            base: base_sha(node.base_ref.as_ref(), &node.base_ref_oid)?,
            base_ref: node.base_ref_name,
            mergeable: node_conversion::parse_mergeable(&node.mergeable),
            // GitHub says BEHIND only where the branch must be up to date.
            behind: node.merge_state_status == "BEHIND",
            review_required: node.review_decision.as_deref() == Some("REVIEW_REQUIRED"),
            // An account that is gone may still have switched it on: an empty name is better than none.
            auto_merge: node.auto_merge_request.map(|request| {
                Login::new(
                    request
                        .enabled_by
                        .map_or_else(String::new, |account| account.login),
                )
            }),
            in_merge_queue: node.is_in_merge_queue,
            labels: lists.labels,
            required_checks: self.rules.required_checks,
            known_checks: lists.known_checks,
            checks: lists.checks,
            reviews: lists.reviews,
            threads: lists.threads,
            comments: lists.comments,
            files: lists.files,
            push_obstacles,
            pending_review,
            default_head: None,
            writers: BTreeSet::new(),
            permission_unread: BTreeSet::new(),
            pinned_accounts: BTreeMap::new(),
            repo: self.repo,
        })
    }
}

/// The commit that the base branch is at; where the branch is gone, the one it was at last.
fn base_sha(base: Option<&BaseRefNode>, last_known: &str) -> Result<Sha, ApiFault> {
    let target = base.and_then(|base| base.target.as_ref());
    node_conversion::parse_sha(target.map_or(last_known, |target| target.oid.as_str()))
}

/// What branch rules say, classic protection and rulesets together.
#[derive(Default)]
struct ProtectionRules {
    required_checks: BTreeSet<String>,
    head_rules: BranchRules,
}

impl ProtectionRules {
    async fn fetch(
        api: &ApiClient,
        cache: &ObservationCache,
        repo: &RepoName,
        pull: &PullNode,
        head_repo: Option<&RepoName>,
    ) -> Result<Self, ApiFault> {
        let base =
            branch_rules::read_branch_rules(api, &cache.branch_rules, repo, &pull.base_ref_name)
                .await?;
        let mut required_checks = base.required_checks;
        let classic_rule = pull
            .base_ref
            .as_ref()
            .and_then(|base| base.branch_protection_rule.as_ref());
        if let Some(rule) = classic_rule.filter(|rule| rule.requires_status_checks) {
            let contexts = rule
                .required_status_check_contexts
                .iter()
                .flatten()
                .flatten();
            required_checks.extend(contexts.cloned());
        }
        let head = match head_repo {
            Some(repo) if pull.head_ref.is_some() => {
                branch_rules::read_branch_rules(api, &cache.branch_rules, repo, &pull.head_ref_name)
                    .await?
            }
            Some(_) | None => BranchRules::default(),
        };
        Ok(Self {
            required_checks,
            head_rules: head,
        })
    }
}

/// Why a push to the head branch could do harm (§6.4).
fn push_obstacles(
    pull: &PullNode,
    rules: &ProtectionRules,
    cached: Option<&CachedPull>,
) -> BTreeSet<PushObstacle> {
    let mut obstacles = BTreeSet::new();
    let repo = pull.head_repository.as_ref();
    let default_branch = repo.and_then(|repo| repo.default_branch_ref.as_ref());
    if default_branch.is_some_and(|branch| branch.name == pull.head_ref_name) {
        obstacles.insert(PushObstacle::DefaultBranch);
    }
    let classic = pull
        .head_ref
        .as_ref()
        .is_some_and(|head| head.branch_protection_rule.is_some());
    if classic || rules.head_rules.restricts_pushes {
        obstacles.insert(PushObstacle::Protected);
    }
    let stacked_known = cached.is_some_and(|known| known.head_ref == pull.head_ref_name);
    if stacked_known && is_stacked_on(pull.stacked_on.as_ref()) {
        obstacles.insert(PushObstacle::BaseOfAnother);
    }
    if repo.is_none() || (pull.is_cross_repository && !pull.maintainer_can_modify) {
        obstacles.insert(PushObstacle::ForkReadOnly);
    }
    obstacles
}

/// Reads further pages, and notes that it did.
struct PageReader<'a> {
    api: &'a ApiClient,
    pull: &'a PullRef,
    repo: &'a RepoName,
    read_more: bool,
}

impl PageReader<'_> {
    /// All entries of a list whose first page is there.
    async fn read_all<T: DeserializeOwned>(
        &mut self,
        document: &str,
        page: Option<Page<T>>,
    ) -> Result<Vec<T>, ApiFault> {
        let Some(page) = page else {
            return Ok(Vec::new());
        };
        let variables = json!({
            "owner": self.repo.owner(), "name": self.repo.name(), "number": self.pull.id.number,
        });
        self.read_remaining(
            document,
            variables,
            &["repository", "pullRequest", "page"],
            page,
        )
        .await
    }

    /// All entries of a list of a commit.
    async fn read_all_of_commit<T: DeserializeOwned>(
        &mut self,
        document: &str,
        commit: &str,
        page: Page<T>,
    ) -> Result<Vec<T>, ApiFault> {
        let variables =
            json!({"owner": self.repo.owner(), "name": self.repo.name(), "commit": commit});
        let below = ["repository", "object", "statusCheckRollup", "page"];
        self.read_remaining(document, variables, &below, page).await
    }

    /// A thread with all its comments.
    async fn read_thread(&mut self, mut node: ThreadNode) -> Result<Option<Thread>, ApiFault> {
        let none = PageInfo {
            has_next_page: false,
            end_cursor: None,
        };
        let info = std::mem::replace(&mut node.comments.page_info, none);
        let page = Page {
            nodes: Vec::new(),
            page_info: info,
        };
        let variables = json!({"thread": node.id});
        let more_comments = self
            .read_remaining(queries::THREAD_COMMENTS, variables, &["node", "page"], page)
            .await?;
        node_conversion::thread(node, more_comments)
    }

    async fn read_remaining<T: DeserializeOwned>(
        &mut self,
        document: &str,
        variables: Value,
        below: &[&str],
        page: Page<T>,
    ) -> Result<Vec<T>, ApiFault> {
        let info = page.page_info;
        let mut entries: Vec<T> = page.nodes.into_iter().flatten().collect();
        if info.has_next_page {
            self.read_more = true;
            let cursor = info.end_cursor;
            entries.extend(
                graphql::fetch_remaining(self.api, document, &variables, below, cursor).await?,
            );
        }
        Ok(entries)
    }
}

/// All checks of the head. GitHub's list of commits may lag behind its head: then the commit itself is asked.
async fn head_checks(
    page_reader: &mut PageReader<'_>,
    cache: &ObservationCache,
    head: &Sha,
    latest: &mut NodeList<PullCommitNode<Page<CheckContextNode>>>,
) -> Result<Vec<Check>, ApiFault> {
    let mut commits = latest.nodes.drain(..).flatten().map(|entry| entry.commit);
    let page = match commits.find(|commit| commit.oid == head.as_str()) {
        None => Some(Page::unfetched()),
        Some(commit) => commit.status_check_rollup.map(|rollup| rollup.contexts),
    };
    let Some(page) = page else {
        return Ok(Vec::new());
    };
    let mut checks = Vec::new();
    for node in page_reader
        .read_all_of_commit(queries::HEAD_CHECKS, head.as_str(), page)
        .await?
    {
        let (mut check, app) = node_conversion::check(node);
        if let Some(slug) = app {
            check.reporter =
                check_evidence::reporter_account(page_reader.api, &cache.check_evidence, &slug)
                    .await?;
        }
        checks.push(check);
    }
    Ok(checks)
}

/// Names of checks that the base or earlier heads of this pull request had (§3.3).
async fn known_check_names(
    page_reader: &mut PageReader<'_>,
    head: &Sha,
    cached: Option<&CachedPull>,
    pull: &mut PullNode,
) -> Result<BTreeSet<String>, ApiFault> {
    let mut nodes: Vec<CheckNameNode> = Vec::new();
    for commit in pull
        .earlier
        .nodes
        .drain(..)
        .flatten()
        .map(|entry| entry.commit)
    {
        if commit.oid != head.as_str() {
            let rollup = commit
                .status_check_rollup
                .map(|rollup| rollup.contexts.nodes);
            nodes.extend(rollup.into_iter().flatten().flatten());
        }
    }
    let base = pull.base_ref.as_mut().and_then(|base| base.target.as_mut());
    if let Some(base) = base
        && let Some(rollup) = base.status_check_rollup.take()
    {
        nodes.extend(
            page_reader
                .read_all_of_commit(queries::CHECK_NAMES, &base.oid, rollup.contexts)
                .await?,
        );
    }
    let mut names: BTreeSet<String> = nodes
        .into_iter()
        .filter_map(node_conversion::check_name)
        .collect();
    if let Some(known) = cached {
        names.extend(known.earlier_check_names.iter().cloned());
        if known.head != *head {
            names.extend(known.check_names.iter().cloned());
        }
    }
    Ok(names)
}

/// Whether an open pull request has the head branch as its base.
pub(crate) fn is_stacked_on(found: Option<&StackedPullsNode>) -> bool {
    found.is_some_and(|found| found.pull_requests.total_count > 0)
}

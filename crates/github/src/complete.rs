//! Makes a reading of the first answer on one pull request: pages to the end, evidence, rules.

use crate::api::Api;
use crate::evidence;
use crate::fault::Fault;
use crate::graphql::{self, Page, PageInfo};
use crate::observe::{Draft, Memory, Miss, Remembered, is_stacked_on};
use crate::queries;
use crate::reading;
use crate::rules::{self, BranchRules};
use crate::shape::{
    BaseRef, ContextNode, NameNode, Nodes, PullCommit, PullNode, RepositoryNode, ThreadNode,
};
use collie_core::ids::{Login, RepoName, Sha, Time};
use collie_core::snapshot::{
    Actor, Check, PullState, PushObstacle, ReviewVerdict, Snapshot, Thread,
};
use collie_engine::ports::PullRef;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is known of a pull request when its first answer is in.
pub(crate) struct Found<'a> {
    /// Which it is.
    pub pull: &'a PullRef,
    /// What earlier readings taught.
    pub known: Option<&'a Remembered>,
    /// The account of the token.
    pub viewer: &'a Actor,
    /// When it was asked for.
    pub read_at: Time,
}

/// Makes the reading. What it lacks is a last look at the head, where that is needed.
pub(crate) async fn complete(
    api: &Api,
    memory: &Memory,
    found: Found<'_>,
    node: Result<RepositoryNode<PullNode>, Fault>,
) -> Result<Draft, Miss> {
    let node = node?;
    let gone = || Fault::NotFound(format!("{}#{}", found.pull.repo, found.pull.id.number));
    // Another repository may have taken the name of one that was moved or deleted.
    if node.id != found.pull.id.repo_id {
        return Err(gone().into());
    }
    let mut pull = node.pull_request.ok_or_else(gone)?;
    let repo = RepoName::parse(&node.name_with_owner)
        .map_err(|_| reading::unreadable("repository name", &node.name_with_owner))?;
    let state = reading::pull_state(&pull.state)
        .ok_or_else(|| reading::unreadable("pull request state", &pull.state))?;
    let head = reading::sha(&pull.head_ref_oid)?;
    let head_repo = pull
        .head_repository
        .as_ref()
        .and_then(|repo| RepoName::parse(&repo.name_with_owner).ok());
    let open = state == PullState::Open;
    let rules = if open {
        Rules::read(api, memory, &repo, &pull, head_repo.as_ref()).await?
    } else {
        Rules::default()
    };
    let push_obstacles = push_obstacles(&pull, &rules, found.known);
    let ask_stacked = open
        && found
            .known
            .is_none_or(|known| known.head_ref != pull.head_ref_name);

    let mut further = Further {
        api,
        pull: found.pull,
        repo: &repo,
        read: false,
    };
    let known_checks = known_checks(&mut further, &head, found.known, &mut pull).await?;
    let mut checks = head_checks(&mut further, memory, &head, &mut pull.latest).await?;
    let files = further.all(queries::FILES, pull.files).await?;
    let labels = further.all(queries::LABELS, pull.labels).await?;
    let mut reviews = Vec::new();
    for node in further.all(queries::REVIEWS, pull.reviews).await? {
        reviews.push(reading::review(node)?);
    }
    let mut comments = Vec::new();
    for node in further.all(queries::COMMENTS, Some(pull.comments)).await? {
        comments.extend(reading::comment(node)?);
    }
    let mut threads = Vec::new();
    for node in further
        .all(queries::THREADS, Some(pull.review_threads))
        .await?
    {
        threads.extend(further.thread(node).await?);
    }
    let look_again = further.read;
    if open {
        for check in &mut checks {
            evidence::fill(api, &memory.evidence, &repo, check).await?;
        }
    }
    let pending_review = reviews.iter().any(|review| {
        let mine = review
            .author
            .as_ref()
            .is_some_and(|author| author.id == found.viewer.id);
        mine && review.verdict == ReviewVerdict::Pending
    });
    let snapshot = Snapshot {
        read_at: found.read_at,
        number: found.pull.id.number,
        title: pull.title,
        body: pull.body,
        url: pull.url,
        author: pull.author.as_ref().and_then(reading::actor),
        viewer: found.viewer.clone(),
        state,
        draft: pull.is_draft,
        locked: pull.locked,
        head,
        head_ref: pull.head_ref_name,
        head_repo,
        base: base_of(pull.base_ref.as_ref(), &pull.base_ref_oid)?,
        base_ref: pull.base_ref_name,
        mergeable: reading::mergeable(&pull.mergeable),
        // GitHub says BEHIND only where the branch must be up to date.
        behind: pull.merge_state_status == "BEHIND",
        review_required: pull.review_decision.as_deref() == Some("REVIEW_REQUIRED"),
        // An account that is gone may still have switched it on: an empty name is better than none.
        auto_merge: pull.auto_merge_request.map(|request| {
            Login::new(
                request
                    .enabled_by
                    .map_or_else(String::new, |account| account.login),
            )
        }),
        in_merge_queue: pull.is_in_merge_queue,
        labels: labels.into_iter().map(|label| label.name).collect(),
        required_checks: rules.required_checks,
        known_checks,
        checks,
        reviews,
        threads,
        comments,
        files: files.into_iter().map(reading::file).collect(),
        push_obstacles,
        pending_review,
        repo,
    };
    Ok(Draft {
        snapshot,
        look_again,
        ask_stacked,
    })
}

/// The commit that the base branch is at; where the branch is gone, the one it was at last.
fn base_of(base: Option<&BaseRef>, last: &str) -> Result<Sha, Fault> {
    let target = base.and_then(|base| base.target.as_ref());
    reading::sha(target.map_or(last, |target| target.oid.as_str()))
}

/// What branch rules say, classic protection and rulesets together.
#[derive(Default)]
struct Rules {
    required_checks: BTreeSet<String>,
    head: BranchRules,
}

impl Rules {
    async fn read(
        api: &Api,
        memory: &Memory,
        repo: &RepoName,
        pull: &PullNode,
        head_repo: Option<&RepoName>,
    ) -> Result<Self, Fault> {
        let base = rules::of_branch(api, &memory.rules, repo, &pull.base_ref_name).await?;
        let mut required_checks = base.required_checks;
        let classic = pull
            .base_ref
            .as_ref()
            .and_then(|base| base.branch_protection_rule.as_ref());
        if let Some(rule) = classic.filter(|rule| rule.requires_status_checks) {
            let contexts = rule
                .required_status_check_contexts
                .iter()
                .flatten()
                .flatten();
            required_checks.extend(contexts.cloned());
        }
        let head = match head_repo {
            Some(repo) if pull.head_ref.is_some() => {
                rules::of_branch(api, &memory.rules, repo, &pull.head_ref_name).await?
            }
            Some(_) | None => BranchRules::default(),
        };
        Ok(Self {
            required_checks,
            head,
        })
    }
}

/// Why a push to the head branch could do harm (§6.4).
fn push_obstacles(
    pull: &PullNode,
    rules: &Rules,
    known: Option<&Remembered>,
) -> BTreeSet<PushObstacle> {
    let mut found = BTreeSet::new();
    let repo = pull.head_repository.as_ref();
    let default = repo.and_then(|repo| repo.default_branch_ref.as_ref());
    if default.is_some_and(|branch| branch.name == pull.head_ref_name) {
        found.insert(PushObstacle::DefaultBranch);
    }
    let classic = pull
        .head_ref
        .as_ref()
        .is_some_and(|head| head.branch_protection_rule.is_some());
    if classic || rules.head.restricts_pushes {
        found.insert(PushObstacle::Protected);
    }
    let asked_right = known.is_some_and(|known| known.head_ref == pull.head_ref_name);
    if asked_right && is_stacked_on(pull.stacked_on.as_ref()) {
        found.insert(PushObstacle::BaseOfAnother);
    }
    if repo.is_none() || (pull.is_cross_repository && !pull.maintainer_can_modify) {
        found.insert(PushObstacle::ForkReadOnly);
    }
    found
}

/// Reads further pages, and notes that it did.
struct Further<'a> {
    api: &'a Api,
    pull: &'a PullRef,
    repo: &'a RepoName,
    read: bool,
}

impl Further<'_> {
    /// All entries of a list whose first page is there.
    async fn all<T: DeserializeOwned>(
        &mut self,
        document: &str,
        page: Option<Page<T>>,
    ) -> Result<Vec<T>, Fault> {
        let Some(page) = page else {
            return Ok(Vec::new());
        };
        let variables = json!({
            "owner": self.repo.owner(), "name": self.repo.name(), "number": self.pull.id.number,
        });
        self.rest_of(
            document,
            variables,
            &["repository", "pullRequest", "page"],
            page,
        )
        .await
    }

    /// All entries of a list of a commit.
    async fn of_commit<T: DeserializeOwned>(
        &mut self,
        document: &str,
        commit: &str,
        page: Page<T>,
    ) -> Result<Vec<T>, Fault> {
        let variables =
            json!({"owner": self.repo.owner(), "name": self.repo.name(), "commit": commit});
        let below = ["repository", "object", "statusCheckRollup", "page"];
        self.rest_of(document, variables, &below, page).await
    }

    /// A thread with all its comments.
    async fn thread(&mut self, mut node: ThreadNode) -> Result<Option<Thread>, Fault> {
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
        let more = self
            .rest_of(queries::THREAD_COMMENTS, variables, &["node", "page"], page)
            .await?;
        reading::thread(node, more)
    }

    async fn rest_of<T: DeserializeOwned>(
        &mut self,
        document: &str,
        variables: Value,
        below: &[&str],
        page: Page<T>,
    ) -> Result<Vec<T>, Fault> {
        let info = page.page_info;
        let mut all: Vec<T> = page.nodes.into_iter().flatten().collect();
        if info.has_next_page {
            self.read = true;
            let cursor = info.end_cursor;
            all.extend(graphql::rest(self.api, document, &variables, below, cursor).await?);
        }
        Ok(all)
    }
}

/// All checks of the head. GitHub's list of commits may lag behind its head: then the commit itself is asked.
async fn head_checks(
    further: &mut Further<'_>,
    memory: &Memory,
    head: &Sha,
    latest: &mut Nodes<PullCommit<Page<ContextNode>>>,
) -> Result<Vec<Check>, Fault> {
    let mut commits = latest.nodes.drain(..).flatten().map(|entry| entry.commit);
    let page = match commits.find(|commit| commit.oid == head.as_str()) {
        None => Some(Page::unread()),
        Some(commit) => commit.status_check_rollup.map(|rollup| rollup.contexts),
    };
    let Some(page) = page else {
        return Ok(Vec::new());
    };
    let mut checks = Vec::new();
    for node in further
        .of_commit(queries::HEAD_CHECKS, head.as_str(), page)
        .await?
    {
        let (mut check, app) = reading::check(node);
        if let Some(slug) = app {
            check.reporter = evidence::reporter(further.api, &memory.evidence, &slug).await?;
        }
        checks.push(check);
    }
    Ok(checks)
}

/// Names of checks that the base or earlier heads of this pull request had (§3.3).
async fn known_checks(
    further: &mut Further<'_>,
    head: &Sha,
    known: Option<&Remembered>,
    pull: &mut PullNode,
) -> Result<BTreeSet<String>, Fault> {
    let mut nodes: Vec<NameNode> = Vec::new();
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
            further
                .of_commit(queries::CHECK_NAMES, &base.oid, rollup.contexts)
                .await?,
        );
    }
    let mut names: BTreeSet<String> = nodes.into_iter().filter_map(reading::check_name).collect();
    if let Some(known) = known {
        names.extend(known.earlier.iter().cloned());
        if known.head != *head {
            names.extend(known.names.iter().cloned());
        }
    }
    Ok(names)
}

//! What git has: commits, refs, and the files that a pull request changes.
#![expect(
    clippy::duplicated_attributes,
    reason = "fields of an interface may well have one type"
)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Context, ID, Interface, Object, Result, SimpleObject};
use jiff::Timestamp;
use tokio::sync::Semaphore;

use super::checks::StatusCheckRollup;
use super::connection::{Connection, ConnectionNode, PageArgs};
use super::enums::PatchStatus;
use super::pull::PullRequest;
use super::repository::Repository;
use super::scalars::{DateTime, GitObjectId, GitTimestamp, Uri, to_graphql_int};
use super::{into_graphql_result, nullable, request_context};
use crate::actions::pulls;
use crate::diff::{FileDiff, FileStatus};
use crate::git_dir;
use crate::model::{Protection, Role, Sha};
use crate::node::commit_node_id;

/// How many git processes one forge runs for GraphQL at once.
const MAX_GIT_PROCESSES: usize = 8;
/// How many answers of git are kept; then the cache starts anew.
const CACHE_CAPACITY: usize = 2_000;

/// Repository, merge base, head.
type CommitRange = (u64, Sha, Sha);

/// Remembers what git said about commits, which never change.
pub struct GitCache {
    commits: Mutex<HashMap<(u64, Sha), Arc<git_dir::Commit>>>,
    ranges: Mutex<HashMap<CommitRange, Arc<Vec<Sha>>>>,
    git_permits: Semaphore,
}

impl Default for GitCache {
    fn default() -> Self {
        Self {
            commits: Mutex::default(),
            ranges: Mutex::default(),
            git_permits: Semaphore::new(MAX_GIT_PROCESSES),
        }
    }
}

fn cache_get<K: std::hash::Hash + Eq, V: Clone>(
    cache: &Mutex<HashMap<K, V>>,
    key: &K,
) -> Option<V> {
    cache
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(key)
        .cloned()
}

fn cache_insert<K: std::hash::Hash + Eq, V>(cache: &Mutex<HashMap<K, V>>, key: K, value: V) {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= CACHE_CAPACITY {
        cache.clear();
    }
    cache.insert(key, value);
}

/// Loads a commit.
async fn load_commit(
    ctx: &Context<'_>,
    repository: &Repository,
    sha: &Sha,
) -> Result<Arc<git_dir::Commit>> {
    let cache = ctx.data_unchecked::<GitCache>();
    let key = (repository.meta.id, sha.clone());
    if let Some(commit) = cache_get(&cache.commits, &key) {
        return Ok(commit);
    }
    let _permit = cache.git_permits.acquire().await;
    let git = into_graphql_result(request_context(ctx).forge.git(&repository.meta.name))?;
    let commit = Arc::new(into_graphql_result(git.commit(sha).await)?);
    cache_insert(&cache.commits, key, commit.clone());
    Ok(commit)
}

/// Lists the commits of a pull request, oldest first.
pub async fn commits_of(ctx: &Context<'_>, pull: &PullRequest) -> Result<Arc<Vec<Sha>>> {
    let cache = ctx.data_unchecked::<GitCache>();
    let id = pull.repository.meta.id;
    let key = (
        id,
        pull.row.git.merge_base.clone(),
        pull.row.head_sha.clone(),
    );
    if let Some(range) = cache_get(&cache.ranges, &key) {
        return Ok(range);
    }
    let _permit = cache.git_permits.acquire().await;
    let git = into_graphql_result(request_context(ctx).forge.git(&pull.repository.meta.name))?;
    let commits = into_graphql_result(git.commits_between(&key.1, &key.2).await)?;
    let range: Arc<Vec<Sha>> = Arc::new(commits.iter().map(|commit| commit.sha.clone()).collect());
    for commit in commits {
        cache_insert(&cache.commits, (id, commit.sha.clone()), Arc::new(commit));
    }
    cache_insert(&cache.ranges, key, range.clone());
    Ok(range)
}

/// Lists the files that a pull request changes.
pub async fn files_of(
    ctx: &Context<'_>,
    pull: &PullRequest,
) -> Result<Vec<PullRequestChangedFile>> {
    let _permit = ctx.data_unchecked::<GitCache>().git_permits.acquire().await;
    let forge = &request_context(ctx).forge;
    let files = into_graphql_result(
        pulls::changed_files(forge, &pull.repository.meta.name, &pull.row).await,
    )?;
    Ok((0..files.len())
        .map(|index| PullRequestChangedFile {
            files: files.clone(),
            index,
        })
        .collect())
}

/// Anything that git stores; the forge shows commits only.
#[derive(Clone, Interface)]
#[graphql(
    field(name = "abbreviated_oid", ty = "String"),
    field(name = "commit_resource_path", ty = "Uri"),
    field(name = "commit_url", ty = "Uri"),
    field(name = "id", ty = "ID"),
    field(name = "oid", ty = "GitObjectId"),
    field(name = "repository", ty = "Repository")
)]
pub enum GitObject {
    /// A commit.
    Commit(Commit),
}

/// A commit; what it says is read when it is asked for.
#[derive(Clone)]
pub struct Commit {
    /// Where it is.
    pub repository: Repository,
    /// Its id.
    pub sha: Sha,
}

impl ConnectionNode for Commit {
    const NAME: &'static str = "Commit";

    fn key(&self) -> String {
        self.sha.to_string()
    }
}

impl Commit {
    /// Names a commit without reading it.
    pub fn unloaded(repository: &Repository, sha: &Sha) -> Self {
        Self {
            repository: repository.clone(),
            sha: sha.clone(),
        }
    }

    fn path(&self) -> String {
        format!("{}/commit/{}", self.repository.meta.name, self.sha)
    }
}

/// Turns git's date, which has an offset, into GitHub's, which has none.
fn parse_date(date: &str) -> Timestamp {
    date.parse().unwrap_or_default()
}

#[Object]
impl Commit {
    pub async fn abbreviated_oid(&self) -> String {
        self.sha.as_str().chars().take(7).collect()
    }

    async fn author(&self, ctx: &Context<'_>) -> Option<Result<GitActor>> {
        nullable(async move {
            let commit = load_commit(ctx, &self.repository, &self.sha).await?;
            Ok(Some(GitActor::of(&commit.author)))
        })
        .await
    }

    async fn authored_date(&self, ctx: &Context<'_>) -> Result<DateTime> {
        let commit = load_commit(ctx, &self.repository, &self.sha).await?;
        Ok(parse_date(&commit.author.date).into())
    }

    pub async fn commit_resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    pub async fn commit_url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }

    async fn committed_date(&self, ctx: &Context<'_>) -> Result<DateTime> {
        let commit = load_commit(ctx, &self.repository, &self.sha).await?;
        Ok(parse_date(&commit.committer.date).into())
    }

    async fn committer(&self, ctx: &Context<'_>) -> Option<Result<GitActor>> {
        nullable(async move {
            let commit = load_commit(ctx, &self.repository, &self.sha).await?;
            Ok(Some(GitActor::of(&commit.committer)))
        })
        .await
    }

    pub async fn id(&self) -> ID {
        commit_node_id(self.repository.meta.id, self.sha.as_str()).into()
    }

    async fn message(&self, ctx: &Context<'_>) -> Result<String> {
        let commit = load_commit(ctx, &self.repository, &self.sha).await?;
        Ok(commit.message.clone())
    }

    async fn message_body(&self, ctx: &Context<'_>) -> Result<String> {
        let commit = load_commit(ctx, &self.repository, &self.sha).await?;
        let body = commit.message.split_once('\n').map_or("", |(_, body)| body);
        Ok(body.trim().to_owned())
    }

    async fn message_headline(&self, ctx: &Context<'_>) -> Result<String> {
        let commit = load_commit(ctx, &self.repository, &self.sha).await?;
        Ok(commit.message.lines().next().unwrap_or_default().to_owned())
    }

    pub async fn oid(&self) -> GitObjectId {
        GitObjectId(self.sha.to_string())
    }

    async fn parents(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Connection<Commit>> {
        let commit = load_commit(ctx, &self.repository, &self.sha).await?;
        let parents = commit
            .parents
            .iter()
            .map(|sha| Commit::unloaded(&self.repository, sha))
            .collect();
        Connection::paginate(
            ctx,
            PageArgs {
                after,
                before,
                first,
                last,
            },
            parents,
        )
    }

    pub async fn repository(&self) -> Repository {
        self.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn status_check_rollup(&self, ctx: &Context<'_>) -> Option<Result<StatusCheckRollup>> {
        nullable(async move { StatusCheckRollup::of(ctx, &self.repository, &self.sha) }).await
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }
}

/// Who wrote a commit, as git has it.
#[derive(Clone, SimpleObject)]
pub struct GitActor {
    date: Option<GitTimestamp>,
    email: Option<String>,
    name: Option<String>,
}

impl GitActor {
    fn of(signature: &git_dir::Signature) -> Self {
        Self {
            date: Some(parse_date(&signature.date).into()),
            email: Some(signature.email.clone()),
            name: Some(signature.name.clone()),
        }
    }
}

/// A commit of a pull request.
#[derive(Clone)]
pub struct PullRequestCommit {
    /// The pull request.
    pub pull: PullRequest,
    /// The commit.
    pub sha: Sha,
}

impl ConnectionNode for PullRequestCommit {
    const NAME: &'static str = "PullRequestCommit";

    fn key(&self) -> String {
        self.sha.to_string()
    }
}

impl PullRequestCommit {
    fn path(&self) -> String {
        format!("{}/commits/{}", self.pull.path(), self.sha)
    }
}

#[Object]
impl PullRequestCommit {
    async fn commit(&self) -> Commit {
        Commit::unloaded(&self.pull.repository, &self.sha)
    }

    pub async fn id(&self) -> ID {
        format!("PURC_{}_{}", self.pull.row.id, self.sha).into()
    }

    async fn pull_request(&self) -> PullRequest {
        self.pull.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }
}

/// A file that a pull request changes.
#[derive(Clone)]
pub struct PullRequestChangedFile {
    files: Arc<Vec<FileDiff>>,
    index: usize,
}

impl PullRequestChangedFile {
    fn diff(&self) -> &FileDiff {
        &self.files[self.index]
    }
}

impl ConnectionNode for PullRequestChangedFile {
    const NAME: &'static str = "PullRequestChangedFile";

    fn key(&self) -> String {
        self.diff().path.clone()
    }
}

#[Object]
impl PullRequestChangedFile {
    async fn additions(&self) -> i64 {
        to_graphql_int(self.diff().additions)
    }

    async fn change_type(&self) -> PatchStatus {
        match self.diff().status {
            FileStatus::Added => PatchStatus::Added,
            FileStatus::Removed => PatchStatus::Deleted,
            FileStatus::Modified => PatchStatus::Modified,
            FileStatus::Renamed => PatchStatus::Renamed,
            FileStatus::Copied => PatchStatus::Copied,
            FileStatus::Changed => PatchStatus::Changed,
        }
    }

    async fn deletions(&self) -> i64 {
        to_graphql_int(self.diff().deletions)
    }

    async fn path(&self) -> String {
        self.diff().path.clone()
    }
}

/// A branch.
#[derive(Clone)]
pub struct Ref {
    /// Where it is.
    pub repository: Repository,
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// What it points at.
    pub target: Sha,
}

#[Object]
impl Ref {
    /// As on GitHub, for admins only.
    async fn branch_protection_rule(&self, ctx: &Context<'_>) -> Option<BranchProtectionRule> {
        let rule = self.repository.meta.protection.get(&self.name)?;
        let role = self.repository.meta.role(request_context(ctx).viewer.id);
        (role == Role::Owner).then(|| BranchProtectionRule {
            repository: self.repository.clone(),
            pattern: self.name.clone(),
            rule: rule.clone(),
        })
    }

    pub async fn id(&self) -> ID {
        format!("REF_{}_refs/heads/{}", self.repository.meta.id, self.name).into()
    }

    async fn name(&self) -> String {
        self.name.clone()
    }

    async fn prefix(&self) -> String {
        "refs/heads/".to_owned()
    }

    pub async fn repository(&self) -> Repository {
        self.repository.clone()
    }

    /// What is asked of the viewer; for all who may push.
    async fn ref_update_rule(&self, ctx: &Context<'_>) -> Option<RefUpdateRule> {
        let rule = self.repository.meta.protection.get(&self.name)?;
        let role = self.repository.meta.role(request_context(ctx).viewer.id);
        role.may_write().then(|| RefUpdateRule {
            pattern: self.name.clone(),
            rule: rule.clone(),
        })
    }

    async fn target(&self) -> Option<GitObject> {
        Some(GitObject::Commit(Commit::unloaded(
            &self.repository,
            &self.target,
        )))
    }
}

/// What the rules of a branch ask of the viewer.
#[derive(Clone)]
pub struct RefUpdateRule {
    pattern: String,
    rule: Protection,
}

#[Object]
impl RefUpdateRule {
    async fn pattern(&self) -> String {
        self.pattern.clone()
    }

    async fn required_approving_review_count(&self) -> Option<i64> {
        Some(i64::from(self.rule.required_reviews))
    }

    async fn required_status_check_contexts(&self) -> Option<Vec<Option<String>>> {
        Some(
            self.rule
                .required_checks
                .iter()
                .cloned()
                .map(Some)
                .collect(),
        )
    }

    async fn requires_conversation_resolution(&self) -> bool {
        self.rule.require_conversation_resolution
    }

    /// The forge has no rule against an ordinary push.
    async fn viewer_can_push(&self) -> bool {
        true
    }
}

/// The rules of a protected branch.
#[derive(Clone)]
pub struct BranchProtectionRule {
    repository: Repository,
    pattern: String,
    rule: Protection,
}

#[Object]
impl BranchProtectionRule {
    pub async fn id(&self) -> ID {
        format!("BPR_{}_{}", self.repository.meta.id, self.pattern).into()
    }

    async fn is_admin_enforced(&self) -> bool {
        self.rule.enforce_admins
    }

    async fn pattern(&self) -> String {
        self.pattern.clone()
    }

    pub async fn repository(&self) -> Option<Repository> {
        Some(self.repository.clone())
    }

    async fn required_approving_review_count(&self) -> Option<i64> {
        Some(i64::from(self.rule.required_reviews))
    }

    async fn required_status_check_contexts(&self) -> Option<Vec<Option<String>>> {
        Some(
            self.rule
                .required_checks
                .iter()
                .cloned()
                .map(Some)
                .collect(),
        )
    }

    async fn requires_approving_reviews(&self) -> bool {
        self.rule.required_reviews > 0
    }

    async fn requires_conversation_resolution(&self) -> bool {
        self.rule.require_conversation_resolution
    }

    async fn requires_status_checks(&self) -> bool {
        !self.rule.required_checks.is_empty() || self.rule.strict
    }

    async fn requires_strict_status_checks(&self) -> bool {
        self.rule.strict
    }
}

//! GraphQL answers as GitHub writes them. Enum values stay texts here; `reading` gives each its meaning.

use crate::graphql::Page;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// A text, or the number that an older server has in its place.
#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(u64),
}

impl From<TextOrNumber> for String {
    fn from(value: TextOrNumber) -> Self {
        match value {
            TextOrNumber::Text(text) => text,
            TextOrNumber::Number(number) => number.to_string(),
        }
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    TextOrNumber::deserialize(input).map(String::from)
}

fn text_or_number_or_null<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Option::<TextOrNumber>::deserialize(input).map(|value| value.map(String::from))
}

/// An account: `Actor`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountNode {
    #[serde(rename = "__typename")]
    pub kind: String,
    pub login: String,
    /// None for the kinds that have no number.
    pub database_id: Option<u64>,
}

/// Just a commit's id.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct OidOnly {
    pub oid: String,
}

/// A name and nothing else.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NameOnly {
    pub name: String,
}

/// A comment: of the conversation, or of a thread (`state`, `original_commit`).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommentNode {
    /// GraphQL's `BigInt` is a text; an older server has the number alone.
    #[serde(default, deserialize_with = "text_or_number_or_null")]
    pub full_database_id: Option<String>,
    pub author: Option<AccountNode>,
    pub body: String,
    pub created_at: String,
    pub updated_at: String,
    /// `PENDING` when it belongs to an unpublished review.
    pub state: Option<String>,
    pub original_commit: Option<OidOnly>,
}

/// A review.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewNode {
    #[serde(default, deserialize_with = "text_or_number_or_null")]
    pub full_database_id: Option<String>,
    pub author: Option<AccountNode>,
    pub author_association: String,
    pub state: String,
    pub body: String,
    pub submitted_at: Option<String>,
    pub updated_at: String,
    pub commit: Option<OidOnly>,
}

/// A thread with its first comments.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadNode {
    pub id: String,
    pub is_resolved: bool,
    pub resolved_by: Option<AccountNode>,
    pub is_outdated: bool,
    pub path: String,
    pub line: Option<u32>,
    pub comments: Page<CommentNode>,
}

/// A changed file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileNode {
    pub path: String,
    pub change_type: String,
    #[serde(default)]
    pub additions: u32,
    #[serde(default)]
    pub deletions: u32,
}

/// A check run or a commit status.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "__typename")]
pub(crate) enum CheckContextNode {
    CheckRun(CheckRunNode),
    StatusContext(CommitStatusNode),
    /// A kind that GitHub has added since.
    #[serde(other)]
    Other,
}

/// A check run.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckRunNode {
    /// `Int` in the schema, though GitHub's numbers have outgrown it: may be null.
    pub database_id: Option<u64>,
    pub name: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub completed_at: Option<String>,
    pub details_url: Option<String>,
    pub url: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub check_suite: Option<CheckSuiteNode>,
}

/// The suite of a check run.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckSuiteNode {
    pub app: Option<AppNode>,
    /// Only of GitHub Actions.
    pub workflow_run: Option<WorkflowRunNode>,
}

/// A run of a workflow.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct WorkflowRunNode {
    /// The run's own number on a server that does not tell the event.
    #[serde(deserialize_with = "text_or_number")]
    pub event: String,
    pub workflow: WorkflowNode,
}

/// A workflow.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowNode {
    pub resource_path: String,
    pub name: String,
}

/// The app that reported a check.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppNode {
    pub slug: String,
    pub database_id: Option<u64>,
}

/// A commit status.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommitStatusNode {
    pub context: String,
    pub state: String,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub created_at: Option<String>,
    pub creator: Option<AccountNode>,
}

/// The name of a check run or commit status.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "__typename")]
pub(crate) enum CheckNameNode {
    CheckRun {
        name: String,
    },
    StatusContext {
        context: String,
    },
    #[serde(other)]
    Other,
}

/// Checks of a commit.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RollupNode<T> {
    pub contexts: T,
}

/// A commit with its checks.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommitNode<T> {
    pub oid: String,
    pub status_check_rollup: Option<RollupNode<T>>,
}

/// An entry of a pull request's commits.
#[derive(Debug, Deserialize)]
pub(crate) struct PullCommitNode<T> {
    pub commit: CommitNode<T>,
}

/// A list whose further pages are not asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct NodeList<T> {
    #[serde(default = "Vec::new")]
    pub nodes: Vec<Option<T>>,
}

/// A classic branch protection.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProtectionNode {
    pub requires_status_checks: bool,
    pub required_status_check_contexts: Option<Vec<Option<String>>>,
}

/// The base branch.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BaseRefNode {
    pub branch_protection_rule: Option<ProtectionNode>,
    /// What the branch rules ask of this account; people without admin rights see it too.
    pub ref_update_rule: Option<RefUpdateRuleNode>,
    pub target: Option<OidOnly>,
}

/// What the branch rules ask of the account of the token.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefUpdateRuleNode {
    pub required_status_check_contexts: Option<Vec<Option<String>>>,
}

/// The latest pull requests of a repository, with whether they had checks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecentPullsNode {
    pub pull_requests: NodeList<RecentPullNode>,
}

/// One of them.
#[derive(Debug, Deserialize)]
pub(crate) struct RecentPullNode {
    pub number: u64,
    pub commits: NodeList<RecentCommitNode>,
}

/// Its head.
#[derive(Debug, Deserialize)]
pub(crate) struct RecentCommitNode {
    pub commit: RecentRollupNode,
}

/// Whether anything has reported there.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecentRollupNode {
    pub status_check_rollup: Option<IgnoredAny>,
}

/// The head branch.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadRefNode {
    /// Shown to admins only.
    pub branch_protection_rule: Option<serde_json::Value>,
    /// The same for everybody who may push.
    pub ref_update_rule: Option<serde_json::Value>,
}

/// The repository of the head branch.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadRepositoryNode {
    pub name_with_owner: String,
    /// What the account of the token may do there.
    #[serde(default)]
    pub viewer_permission: Option<String>,
    pub default_branch_ref: Option<NameOnly>,
}

/// Who switched auto-merge on.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AutoMergeNode {
    pub enabled_by: Option<LoginOnly>,
}

/// An account of which only the name is asked for.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LoginOnly {
    pub login: String,
}

/// How many open pull requests build on a branch.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackedPullsNode {
    pub pull_requests: TotalCount,
}

/// The size of a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TotalCount {
    pub total_count: u64,
}

/// What of a pull request is no list: it costs nothing to ask for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PullFactsNode {
    pub title: String,
    pub body: String,
    pub url: String,
    pub state: String,
    pub is_draft: bool,
    pub locked: bool,
    #[serde(default)]
    pub updated_at: String,
    pub head_ref_oid: String,
    pub head_ref_name: String,
    pub base_ref_name: String,
    pub base_ref_oid: String,
    pub is_cross_repository: bool,
    pub maintainer_can_modify: bool,
    pub mergeable: String,
    pub merge_state_status: String,
    pub review_decision: Option<String>,
    /// A server without merge queues does not know the field.
    #[serde(default)]
    pub is_in_merge_queue: bool,
    #[serde(default)]
    pub is_merge_queue_enabled: bool,
    pub author: Option<AccountNode>,
    pub auto_merge_request: Option<AutoMergeNode>,
    pub head_repository: Option<HeadRepositoryNode>,
    pub head_ref: Option<HeadRefNode>,
    pub base_ref: Option<BaseRefNode>,
}

/// A pull request, first pages of everything.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PullNode {
    #[serde(flatten)]
    pub facts: PullFactsNode,
    /// None where the head is known.
    pub earlier: Option<NodeList<PullCommitNode<NodeList<CheckNameNode>>>>,
    pub latest: NodeList<PullCommitNode<CheckContextPage>>,
    pub labels: Option<Page<NameOnly>>,
    /// None where the head is known.
    pub files: Option<Page<FileNode>>,
    pub reviews: Option<Page<ReviewNode>>,
    pub comments: Page<CommentNode>,
    pub review_threads: Page<ThreadNode>,
    pub stacked_on: Option<StackedPullsNode>,
}

/// A pull request without its lists, but with what shows whether one of them changed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShallowPullNode {
    #[serde(flatten)]
    pub facts: PullFactsNode,
    pub status_check_rollup: Option<RollupNode<CheckCountsNode>>,
    pub reviews: Option<ListChangesNode<ReviewChangeNode>>,
    pub last_edited: ListChangesNode<EditNode>,
    pub review_threads: ListChangesNode<ThreadChangeNode>,
}

/// A list of which only what may change is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListChangesNode<T> {
    pub total_count: u64,
    #[serde(default = "Vec::new")]
    pub nodes: Vec<Option<T>>,
}

/// What may change of a review.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewChangeNode {
    pub state: String,
    pub updated_at: String,
}

/// When a comment was edited.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditNode {
    pub updated_at: String,
}

/// What may change of a thread.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadChangeNode {
    pub is_resolved: bool,
}

/// How many checks are in which state.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckCountsNode {
    pub check_run_counts_by_state: Option<Vec<StateCountNode>>,
    pub status_context_counts_by_state: Option<Vec<StateCountNode>>,
}

/// How many are in one state.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StateCountNode {
    pub state: String,
    pub count: u64,
}

/// The first checks of a commit, and how all of them stand.
#[derive(Debug, Deserialize)]
pub(crate) struct CheckContextPage {
    #[serde(flatten)]
    pub page: Page<CheckContextNode>,
    #[serde(flatten)]
    pub counts: CheckCountsNode,
}

/// A repository with one of its pull requests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepositoryNode<P> {
    pub id: String,
    pub name_with_owner: String,
    /// What the account of the token may do there.
    pub viewer_permission: Option<String>,
    pub default_branch_ref: Option<DefaultBranchNode>,
    pub pull_request: Option<P>,
}

/// Where the default branch is.
#[derive(Debug, Deserialize)]
pub(crate) struct DefaultBranchNode {
    pub target: Option<OidOnly>,
}

/// The last look at a pull request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationNode {
    pub pull_request: Option<ConfirmedPullNode>,
}

/// What the last look shows.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmedPullNode {
    pub head_ref_oid: String,
    pub stacked_on: Option<StackedPullsNode>,
}

/// A pull request as `resolve` reads it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolvedPullNode {
    pub title: String,
    pub url: String,
    pub head_ref_name: String,
    pub base_ref_name: String,
    pub author: Option<AccountNode>,
}

/// A pull request in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenPullNode {
    pub number: u64,
    pub is_draft: bool,
}

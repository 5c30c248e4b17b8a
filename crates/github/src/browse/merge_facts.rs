//! What a person is told before they merge by hand. Reading only (§11).

use crate::api_fault::ApiFault;
use crate::client::GitHubClient;
use crate::graphql;
use crate::node_conversion;
use crate::nodes::AutoMergeNode;
use crate::queries;
use crate::quota::Payer;
use collie_core::ids::{Login, PullName, Sha};
use collie_core::merge_method::MergeMethod;
use collie_core::snapshot::{Mergeable, PullState};
use collie_engine::ports::{GitHubError, WriteObstacle};
use serde::Deserialize;
use serde_json::json;

/// GitHub's `mergeStateStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeState {
    /// The head must be brought up to date first.
    Behind,
    /// Rules of the base are not met.
    Blocked,
    /// Nothing stands in its way.
    Clean,
    /// It conflicts with its base.
    Dirty,
    /// Still a draft.
    Draft,
    /// Nothing stands in its way, and the host runs hooks before.
    HasHooks,
    /// It can be merged, though a check that is not required fails or runs.
    Unstable,
    /// Not computed yet, or a state that GitHub has added since.
    Unknown,
}

/// What the signed-in account may do in a repository, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Nothing, or something that GitHub has added since.
    None,
    /// Read.
    Read,
    /// Label and close.
    Triage,
    /// Push.
    Write,
    /// Most settings.
    Maintain,
    /// Everything.
    Admin,
}

impl Permission {
    /// Whether it is enough to push.
    pub fn can_push(self) -> bool {
        self >= Permission::Write
    }
}

/// What GitHub says of a pull request that a person wants in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeFacts {
    /// Open, closed or merged.
    pub state: PullState,
    /// Not ready for review.
    pub draft: bool,
    /// The commit it is at.
    pub head: Sha,
    /// The branch it goes into.
    pub base_ref: String,
    /// Methods that the repository allows, the account's default first.
    pub methods: Vec<MergeMethod>,
    /// The base takes pull requests through a queue only.
    pub base_has_queue: bool,
    /// The queue holds it.
    pub in_merge_queue: bool,
    /// Who switched auto-merge on; an empty name when that account is gone.
    pub auto_merge: Option<Login>,
    /// Whether it conflicts.
    pub mergeable: Mergeable,
    /// What stands in its way.
    pub merge_state: MergeState,
    /// What the account may do.
    pub permission: Permission,
}

impl MergeFacts {
    /// What stands against a write. It may be in the queue and have auto-merge; the queue holds it then. What is merged or closed may still bear the
    /// request.
    pub(crate) fn write_obstacle(&self) -> Option<WriteObstacle> {
        match (self.state, self.in_merge_queue, &self.auto_merge) {
            (PullState::Open, true, _) => Some(WriteObstacle::MergeQueue),
            (PullState::Open, false, Some(_)) => Some(WriteObstacle::AutoMerge),
            (PullState::Open, false, None) => None,
            (PullState::Merged | PullState::Closed, _, _) => Some(WriteObstacle::Ended),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MergeFactsNode {
    merge_commit_allowed: bool,
    squash_merge_allowed: bool,
    rebase_merge_allowed: bool,
    viewer_default_merge_method: String,
    viewer_permission: Option<String>,
    pull_request: Option<MergePullNode>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MergePullNode {
    state: String,
    is_draft: bool,
    head_ref_oid: String,
    base_ref_name: String,
    mergeable: String,
    merge_state_status: String,
    /// A server without merge queues knows neither field.
    #[serde(default)]
    is_in_merge_queue: bool,
    #[serde(default)]
    is_merge_queue_enabled: bool,
    auto_merge_request: Option<AutoMergeNode>,
}

impl GitHubClient {
    /// What has to be known before a person merges by hand: methods, queue, state, rights.
    ///
    /// # Errors
    /// As any reading; `NotFound` when there is no such pull request.
    pub async fn merge_facts(&self, pull: &PullName) -> Result<MergeFacts, GitHubError> {
        self.merge_facts_paid_by(pull, Payer::Person).await
    }

    /// The same, from somebody's share of the quota.
    pub(crate) async fn merge_facts_paid_by(
        &self,
        pull: &PullName,
        payer: Payer,
    ) -> Result<MergeFacts, GitHubError> {
        let api = self.api.paid_by(payer);
        let read = async {
            let variables = json!({
                "owner": pull.repo.owner(), "name": pull.repo.name(), "number": pull.number,
            });
            let mut response = graphql::send(&api, queries::MERGE_FACTS, variables).await?;
            build_merge_facts(response.take_field("repository")?, pull)
        };
        self.read_unless_open(&pull.to_string(), read).await
    }
}

fn build_merge_facts(node: MergeFactsNode, name: &PullName) -> Result<MergeFacts, ApiFault> {
    let methods = allowed_methods(&node);
    let permission = parse_permission(node.viewer_permission.as_deref());
    let pull = node
        .pull_request
        .ok_or_else(|| ApiFault::NotFound(name.to_string()))?;
    let state = node_conversion::parse_pull_state(&pull.state)
        .ok_or_else(|| node_conversion::invalid_value("pull request state", &pull.state))?;
    Ok(MergeFacts {
        state,
        draft: pull.is_draft,
        head: node_conversion::parse_sha(&pull.head_ref_oid)?,
        base_ref: pull.base_ref_name,
        methods,
        base_has_queue: pull.is_merge_queue_enabled,
        in_merge_queue: pull.is_in_merge_queue,
        auto_merge: pull.auto_merge_request.map(|request| {
            Login::new(
                request
                    .enabled_by
                    .map_or_else(String::new, |account| account.login),
            )
        }),
        mergeable: node_conversion::parse_mergeable(&pull.mergeable),
        merge_state: parse_merge_state(&pull.merge_state_status),
        permission,
    })
}

fn allowed_methods(node: &MergeFactsNode) -> Vec<MergeMethod> {
    let methods_allowed = [
        (node.merge_commit_allowed, MergeMethod::Merge, "MERGE"),
        (node.squash_merge_allowed, MergeMethod::Squash, "SQUASH"),
        (node.rebase_merge_allowed, MergeMethod::Rebase, "REBASE"),
    ];
    let (mut first, others): (Vec<_>, Vec<_>) = methods_allowed
        .into_iter()
        .filter(|(allowed, _, _)| *allowed)
        .partition(|(_, _, name)| *name == node.viewer_default_merge_method);
    first.extend(others);
    first.into_iter().map(|(_, method, _)| method).collect()
}

fn parse_merge_state(text: &str) -> MergeState {
    match text {
        "BEHIND" => MergeState::Behind,
        "BLOCKED" => MergeState::Blocked,
        "CLEAN" => MergeState::Clean,
        "DIRTY" => MergeState::Dirty,
        "DRAFT" => MergeState::Draft,
        "HAS_HOOKS" => MergeState::HasHooks,
        "UNSTABLE" => MergeState::Unstable,
        _ => MergeState::Unknown,
    }
}

/// An unknown one is none.
pub(super) fn parse_permission(text: Option<&str>) -> Permission {
    match text {
        Some("READ") => Permission::Read,
        Some("TRIAGE") => Permission::Triage,
        Some("WRITE") => Permission::Write,
        Some("MAINTAIN") => Permission::Maintain,
        Some("ADMIN") => Permission::Admin,
        Some(_) | None => Permission::None,
    }
}

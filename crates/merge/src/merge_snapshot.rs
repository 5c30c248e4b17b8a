//! The last look at GitHub before a merge, and what it says against one.

use crate::checks::{CheckContext, UngreenChecks};
use crate::consent::ConfirmedMerge;
use crate::http_client::{HttpResponse, MergeClient};
use crate::refusal::MergeRefusal;
use collie_core::ids::{Login, RepoName, Sha, Time};
use collie_core::loop_state::LoopState;
use collie_core::merge_method::MergeMethod;
use collie_github::{ApiFault, Token, classify_response, server_version};
use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

const SNAPSHOT_QUERY: &str = include_str!("../queries/look.graphql");
/// Pages of a hundred checks that are read.
const MAX_CHECK_PAGES: usize = 20;

/// What GitHub shows now.
#[derive(Debug)]
pub(crate) struct MergeSnapshot {
    viewer: Login,
    repository: Repository,
    pull: PullRequest,
    checks: Vec<CheckContext>,
}

#[derive(Debug, Deserialize)]
struct Account {
    login: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    id: String,
    name_with_owner: RepoName,
    merge_commit_allowed: bool,
    squash_merge_allowed: bool,
    rebase_merge_allowed: bool,
    viewer_permission: Option<RepositoryPermission>,
    /// Open pull requests whose head branch has the name of the base that the loop knows.
    below: PullNumberConnection,
    #[serde(default)]
    pull_request: Option<PullRequest>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum RepositoryPermission {
    Admin,
    Maintain,
    Write,
    Triage,
    Read,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullRequest {
    state: PullRequestState,
    is_draft: bool,
    head_ref_oid: Sha,
    base_ref_name: String,
    mergeable: MergeableState,
    merge_state_status: MergeStateStatus,
    merged_at: Option<String>,
    merged_by: Option<Account>,
    merge_commit: Option<MergeCommit>,
    /// A server without merge queues knows neither field.
    #[serde(default)]
    is_in_merge_queue: bool,
    #[serde(default)]
    is_merge_queue_enabled: bool,
    auto_merge_request: Option<AutoMergeRequest>,
    commits: CommitConnection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum PullRequestState {
    Open,
    Closed,
    Merged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum MergeableState {
    #[serde(rename = "MERGEABLE")]
    Yes,
    Conflicting,
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum MergeStateStatus {
    Behind,
    Blocked,
    Clean,
    Dirty,
    Draft,
    HasHooks,
    Unstable,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
struct PullNumberConnection {
    nodes: Vec<Option<PullNumber>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullNumber {
    number: u64,
    is_cross_repository: bool,
}

#[derive(Debug, Deserialize)]
struct MergeCommit {
    oid: Sha,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AutoMergeRequest {
    enabled_by: Option<Account>,
}

#[derive(Debug, Deserialize)]
struct CommitConnection {
    nodes: Vec<Option<CommitNode>>,
}

#[derive(Debug, Deserialize)]
struct CommitNode {
    commit: CommitWithChecks,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommitWithChecks {
    status_check_rollup: Option<StatusCheckRollup>,
}

#[derive(Debug, Deserialize)]
struct StatusCheckRollup {
    contexts: CheckContextConnection,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CheckContextConnection {
    nodes: Vec<Option<CheckContext>>,
    page_info: PageInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

impl MergeSnapshot {
    /// Reads everything that a merge depends on; the checks to their end.
    pub async fn read(
        host: &MergeClient,
        token: &Token,
        state: &LoopState,
        now: Time,
    ) -> Result<Self, ApiFault> {
        let mut checks = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_CHECK_PAGES {
            let variables = json!({
                "owner": state.pull.repo.owner(), "name": state.pull.repo.name(), "number": state.id.number,
                "base": state.pull.base_ref, "checks": cursor,
            });
            let mut data = graphql_data(&ask(host, token, &variables).await?, now)?;
            let missing = || ApiFault::NotFound("no such pull request".into());
            let viewer: Account = take_field(&mut data, "viewer")?;
            let repository: Option<Repository> = take_field(&mut data, "repository")?;
            let mut repository = repository.ok_or_else(missing)?;
            let mut pull = repository.pull_request.take().ok_or_else(missing)?;
            let head_commit = pull.commits.nodes.pop().flatten();
            let head_commit = head_commit.ok_or_else(|| {
                ApiFault::InvalidResponse("GitHub's answer shows no commit of it".into())
            })?;
            let next = head_commit.commit.status_check_rollup.and_then(|rollup| {
                let CheckContextConnection { nodes, page_info } = rollup.contexts;
                checks.extend(nodes.into_iter().flatten());
                page_info.end_cursor.filter(|_| page_info.has_next_page)
            });
            if next.is_none() {
                return Ok(Self {
                    viewer: Login::new(viewer.login),
                    repository,
                    pull,
                    checks,
                });
            }
            cursor = next;
        }
        Err(ApiFault::InvalidResponse(
            "GitHub's pages do not end".into(),
        ))
    }

    /// The repository's present name.
    pub fn repo(&self) -> &RepoName {
        &self.repository.name_with_owner
    }

    /// The head now.
    pub fn head(&self) -> &Sha {
        &self.pull.head_ref_oid
    }

    /// When it was merged, where it was.
    pub fn merged_at(&self) -> Option<Time> {
        let at: jiff::Timestamp = self.pull.merged_at.as_deref()?.parse().ok()?;
        Some(Time(at.as_millisecond()))
    }

    /// Whether it is the pull request that was confirmed, open, at that head, and seen by that account.
    pub fn check_unchanged(
        &self,
        state: &LoopState,
        confirmed: &ConfirmedMerge,
        host: &str,
    ) -> Result<(), MergeRefusal> {
        if self.repository.id != state.id.repo_id {
            return Err(MergeRefusal::NotFound {
                host: host.to_string(),
            });
        }
        if self.viewer != confirmed.login {
            return Err(MergeRefusal::SignedInAsAnother {
                confirmed: confirmed.login.clone(),
                now: self.viewer.clone(),
            });
        }
        match self.pull.state {
            PullRequestState::Open => {}
            PullRequestState::Closed => return Err(MergeRefusal::Closed),
            PullRequestState::Merged => {
                return Err(MergeRefusal::AlreadyMerged {
                    by: login_of(self.pull.merged_by.as_ref()),
                    head: self.head().clone(),
                    commit: self.pull.merge_commit.as_ref().map(|one| one.oid.clone()),
                });
            }
        }
        if *self.head() != confirmed.head {
            return Err(MergeRefusal::HeadMoved {
                saw: confirmed.head.clone(),
                now: Some(self.head().clone()),
            });
        }
        Ok(())
    }

    /// Whether nothing stands against the merge; the gravest obstacle otherwise.
    pub fn check_mergeable(
        &self,
        state: &LoopState,
        confirmed: &ConfirmedMerge,
        host: &str,
    ) -> Result<(), MergeRefusal> {
        self.check_unchanged(state, confirmed, host)?;
        self.check_no_other_merger()?;
        self.check_stack(state)?;
        self.check_permissions(confirmed)?;
        if self.pull.mergeable == MergeableState::Conflicting {
            return Err(MergeRefusal::Conflict);
        }
        let checks =
            UngreenChecks::classify(&self.checks, &state.run.configuration.policy.ignored_checks);
        if !checks.is_empty() {
            let UngreenChecks { failed, running } = checks;
            return Err(MergeRefusal::ChecksNotGreen { failed, running });
        }
        match (self.pull.merge_state_status, self.pull.mergeable) {
            (MergeStateStatus::Dirty, _) => Err(MergeRefusal::Conflict),
            (MergeStateStatus::Draft, _) => Err(MergeRefusal::Draft),
            (MergeStateStatus::Blocked, _) => Err(MergeRefusal::Blocked),
            (MergeStateStatus::Behind, _) => Err(MergeRefusal::Behind),
            (MergeStateStatus::Unknown, _) | (_, MergeableState::Unknown) => {
                Err(MergeRefusal::MergeabilityUnknown)
            }
            // Unstable: a check that is ignored here is not green.
            (
                MergeStateStatus::Clean | MergeStateStatus::HasHooks | MergeStateStatus::Unstable,
                _,
            ) => Ok(()),
        }
    }

    /// Whether its base is no head of another pull request: a merge into that would change what is reviewed there. A fork may have a
    /// branch of any name.
    fn check_stack(&self, state: &LoopState) -> Result<(), MergeRefusal> {
        let base = &self.pull.base_ref_name;
        if *base != state.pull.base_ref {
            return Err(MergeRefusal::BaseChanged {
                saw: state.pull.base_ref.clone(),
                now: base.clone(),
            });
        }
        let mut below = self.repository.below.nodes.iter().flatten();
        match below.find(|pull| !pull.is_cross_repository) {
            Some(below) => Err(MergeRefusal::StackLayer {
                below: format!("{}#{}", self.repo(), below.number),
                base: base.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Whether nothing else merges it, or has to (§11).
    fn check_no_other_merger(&self) -> Result<(), MergeRefusal> {
        if let Some(auto_merge) = &self.pull.auto_merge_request {
            return Err(MergeRefusal::AutoMergeOn {
                by: login_of(auto_merge.enabled_by.as_ref()),
            });
        }
        if self.pull.is_in_merge_queue {
            return Err(MergeRefusal::InMergeQueue);
        }
        if self.pull.is_merge_queue_enabled {
            return Err(MergeRefusal::QueueRequired);
        }
        if self.pull.is_draft {
            return Err(MergeRefusal::Draft);
        }
        Ok(())
    }

    fn check_permissions(&self, confirmed: &ConfirmedMerge) -> Result<(), MergeRefusal> {
        match self.repository.viewer_permission {
            // Where GitHub does not say, its answer to the merge will.
            Some(
                RepositoryPermission::Admin
                | RepositoryPermission::Maintain
                | RepositoryPermission::Write,
            )
            | None => {}
            Some(RepositoryPermission::Triage | RepositoryPermission::Read) => {
                return Err(MergeRefusal::NoPermission {
                    login: confirmed.login.clone(),
                    message: "it has no write access".into(),
                });
            }
        }
        let allowed = match confirmed.method {
            MergeMethod::Merge => self.repository.merge_commit_allowed,
            MergeMethod::Squash => self.repository.squash_merge_allowed,
            MergeMethod::Rebase => self.repository.rebase_merge_allowed,
        };
        if allowed {
            Ok(())
        } else {
            Err(MergeRefusal::MethodNotAllowed {
                method: confirmed.method,
            })
        }
    }
}

fn login_of(account: Option<&Account>) -> Option<Login> {
    account.map(|one| Login::new(&one.login))
}

/// Asks, and asks again without what the host turns out not to know: a document with such a field is not run.
async fn ask(
    host: &MergeClient,
    token: &Token,
    variables: &Value,
) -> Result<HttpResponse, ApiFault> {
    loop {
        let document = host.schema.adapt(SNAPSHOT_QUERY);
        let body = json!({"query": document, "variables": variables});
        let response = host
            .send_once(Method::POST, &host.endpoint.graphql_path, token, &body)
            .await
            .map_err(|error| ApiFault::Unreachable(error.into_message()))?;
        let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let errors = answer["errors"]
            .as_array()
            .filter(|_| answer["data"].is_null());
        let version = server_version(&response.headers);
        let learnt = host
            .schema
            .learn(errors.map_or(&[], Vec::as_slice), version);
        if !learnt.map_err(ApiFault::UnknownField)? {
            return Ok(response);
        }
    }
}

/// The data of a GraphQL answer; any error in it is a fault, since every field counts here.
fn graphql_data(response: &HttpResponse, now: Time) -> Result<Map<String, Value>, ApiFault> {
    if let Some(fault) = classify_response(response.status, &response.headers, &response.body, now)
    {
        return Err(fault);
    }
    let mut body: Map<String, Value> =
        serde_json::from_slice(&response.body).map_err(unreadable_response)?;
    let Some(error) = body.get("errors").and_then(|errors| errors.get(0)) else {
        return take_field(&mut body, "data");
    };
    let message = error["message"].as_str().unwrap_or("no words").to_string();
    Err(match error["type"].as_str().unwrap_or_default() {
        // A spent quota comes with HTTP status 200; its headers are those of a refusal.
        "RATE_LIMITED" | "RATE_LIMIT" => {
            classify_response(429, &response.headers, &response.body, now)
                .unwrap_or(ApiFault::InvalidResponse(message))
        }
        "NOT_FOUND" => ApiFault::NotFound(message),
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ApiFault::Forbidden(message),
        _ => ApiFault::InvalidResponse(message),
    })
}

fn take_field<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    name: &str,
) -> Result<T, ApiFault> {
    serde_json::from_value(object.remove(name).unwrap_or_default()).map_err(unreadable_response)
}

fn unreadable_response(error: serde_json::Error) -> ApiFault {
    ApiFault::InvalidResponse(format!("GitHub's answer could not be read: {error}"))
}

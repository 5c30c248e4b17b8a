//! The last look at GitHub before a merge, and what it says against one.

use crate::checks::{Context, NotGreen};
use crate::consent::Confirmed;
use crate::exchange::{Answer, Host};
use crate::refusal::Refusal;
use collie_core::ids::{Login, RepoName, Sha, Time};
use collie_core::merging::MergeMethod;
use collie_core::model::LoopState;
use collie_github::{Fault, Token, of_answer};
use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

const LOOK: &str = include_str!("../queries/look.graphql");
/// Pages of a hundred checks that are read.
const PAGES: usize = 20;

/// What GitHub shows now.
#[derive(Debug)]
pub(crate) struct Look {
    viewer: Login,
    repository: Repository,
    pull: Pull,
    checks: Vec<Context>,
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
    viewer_permission: Option<Permission>,
    #[serde(default)]
    pull_request: Option<Pull>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Permission {
    Admin,
    Maintain,
    Write,
    Triage,
    Read,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pull {
    state: PullState,
    is_draft: bool,
    head_ref_oid: Sha,
    mergeable: Mergeable,
    merge_state_status: MergeState,
    merged_at: Option<String>,
    merged_by: Option<Account>,
    merge_commit: Option<Commit>,
    is_in_merge_queue: bool,
    is_merge_queue_enabled: bool,
    auto_merge_request: Option<AutoMerge>,
    commits: Commits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum PullState {
    Open,
    Closed,
    Merged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Mergeable {
    #[serde(rename = "MERGEABLE")]
    Yes,
    Conflicting,
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum MergeState {
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
struct Commit {
    oid: Sha,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AutoMerge {
    enabled_by: Option<Account>,
}

#[derive(Debug, Deserialize)]
struct Commits {
    nodes: Vec<Option<Latest>>,
}

#[derive(Debug, Deserialize)]
struct Latest {
    commit: Checked,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    status_check_rollup: Option<Rollup>,
}

#[derive(Debug, Deserialize)]
struct Rollup {
    contexts: Contexts,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contexts {
    nodes: Vec<Option<Context>>,
    page_info: PageInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

impl Look {
    /// Reads everything that a merge depends on; the checks to their end.
    pub async fn read(
        host: &Host,
        token: &Token,
        state: &LoopState,
        now: Time,
    ) -> Result<Self, Fault> {
        let mut checks = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let variables = json!({
                "owner": state.repo.owner(), "name": state.repo.name(), "number": state.id.number,
                "checks": cursor,
            });
            let body = json!({"query": LOOK, "variables": variables});
            let answer = host
                .exchange(Method::POST, &host.endpoint.graphql, token, &body)
                .await
                .map_err(|lost| Fault::Unreachable(lost.into_message()))?;
            let mut data = data_of(&answer, now)?;
            let missing = || Fault::NotFound("no such pull request".into());
            let viewer: Account = part(&mut data, "viewer")?;
            let repository: Option<Repository> = part(&mut data, "repository")?;
            let mut repository = repository.ok_or_else(missing)?;
            let mut pull = repository.pull_request.take().ok_or_else(missing)?;
            let latest = pull.commits.nodes.pop().flatten();
            let latest = latest
                .ok_or_else(|| Fault::Garbled("GitHub's answer shows no commit of it".into()))?;
            let next = latest.commit.status_check_rollup.and_then(|rollup| {
                let Contexts { nodes, page_info } = rollup.contexts;
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
        Err(Fault::Garbled("GitHub's pages do not end".into()))
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
    pub fn still_stands(
        &self,
        state: &LoopState,
        confirmed: &Confirmed,
        host: &str,
    ) -> Result<(), Refusal> {
        if self.repository.id != state.id.repo_id {
            return Err(Refusal::NotFound {
                host: host.to_string(),
            });
        }
        if self.viewer != confirmed.login {
            return Err(Refusal::SignedInAsAnother {
                confirmed: confirmed.login.clone(),
                now: self.viewer.clone(),
            });
        }
        match self.pull.state {
            PullState::Open => {}
            PullState::Closed => return Err(Refusal::Closed),
            PullState::Merged => {
                return Err(Refusal::AlreadyMerged {
                    by: login(self.pull.merged_by.as_ref()),
                    head: self.head().clone(),
                    commit: self.pull.merge_commit.as_ref().map(|one| one.oid.clone()),
                });
            }
        }
        if *self.head() != confirmed.head {
            return Err(Refusal::HeadMoved {
                saw: confirmed.head.clone(),
                now: Some(self.head().clone()),
            });
        }
        Ok(())
    }

    /// Whether nothing stands against the merge; the gravest obstacle otherwise.
    pub fn judge(
        &self,
        state: &LoopState,
        confirmed: &Confirmed,
        host: &str,
    ) -> Result<(), Refusal> {
        self.still_stands(state, confirmed, host)?;
        self.no_other_merges()?;
        self.account_may(confirmed)?;
        if self.pull.mergeable == Mergeable::Conflicting {
            return Err(Refusal::Conflict);
        }
        let checks = NotGreen::of(&self.checks, &state.policy.ignored_checks);
        if !checks.is_empty() {
            let NotGreen { failed, running } = checks;
            return Err(Refusal::ChecksNotGreen { failed, running });
        }
        match (self.pull.merge_state_status, self.pull.mergeable) {
            (MergeState::Dirty, _) => Err(Refusal::Conflict),
            (MergeState::Draft, _) => Err(Refusal::Draft),
            (MergeState::Blocked, _) => Err(Refusal::Blocked),
            (MergeState::Behind, _) => Err(Refusal::Behind),
            (MergeState::Unknown, _) | (_, Mergeable::Unknown) => Err(Refusal::MergeabilityUnknown),
            // Unstable: a check that is ignored here is not green.
            (MergeState::Clean | MergeState::HasHooks | MergeState::Unstable, _) => Ok(()),
        }
    }

    /// Whether nothing else merges it, or has to (§11).
    fn no_other_merges(&self) -> Result<(), Refusal> {
        if let Some(order) = &self.pull.auto_merge_request {
            return Err(Refusal::AutoMergeOn {
                by: login(order.enabled_by.as_ref()),
            });
        }
        if self.pull.is_in_merge_queue {
            return Err(Refusal::InMergeQueue);
        }
        if self.pull.is_merge_queue_enabled {
            return Err(Refusal::QueueRequired);
        }
        if self.pull.is_draft {
            return Err(Refusal::Draft);
        }
        Ok(())
    }

    fn account_may(&self, confirmed: &Confirmed) -> Result<(), Refusal> {
        match self.repository.viewer_permission {
            // Where GitHub does not say, its answer to the merge will.
            Some(Permission::Admin | Permission::Maintain | Permission::Write) | None => {}
            Some(Permission::Triage | Permission::Read) => {
                return Err(Refusal::NoPermission {
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
            Err(Refusal::MethodNotAllowed {
                method: confirmed.method,
            })
        }
    }
}

fn login(account: Option<&Account>) -> Option<Login> {
    account.map(|one| Login::new(&one.login))
}

/// The data of a GraphQL answer; any error in it is a fault, since every field counts here.
fn data_of(answer: &Answer, now: Time) -> Result<Map<String, Value>, Fault> {
    if let Some(fault) = of_answer(answer.status, &answer.headers, &answer.body, now) {
        return Err(fault);
    }
    let mut reply: Map<String, Value> = serde_json::from_slice(&answer.body).map_err(unreadable)?;
    let Some(error) = reply.get("errors").and_then(|errors| errors.get(0)) else {
        return part(&mut reply, "data");
    };
    let words = error["message"].as_str().unwrap_or("no words").to_string();
    Err(match error["type"].as_str().unwrap_or_default() {
        // A spent quota comes with HTTP status 200; its headers are those of a refusal.
        "RATE_LIMITED" | "RATE_LIMIT" => {
            of_answer(429, &answer.headers, &answer.body, now).unwrap_or(Fault::Garbled(words))
        }
        "NOT_FOUND" => Fault::NotFound(words),
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => Fault::Forbidden(words),
        _ => Fault::Garbled(words),
    })
}

fn part<T: DeserializeOwned>(of: &mut Map<String, Value>, name: &str) -> Result<T, Fault> {
    serde_json::from_value(of.remove(name).unwrap_or_default()).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> Fault {
    Fault::Garbled(format!("GitHub's answer could not be read: {error}"))
}

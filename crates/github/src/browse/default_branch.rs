//! A file as the default branch has it now, and an account by its name: what a person is shown before they trust something.

use crate::api_fault::ApiFault;
use crate::branch_rules::encode_path_segment;
use crate::client::GitHubClient;
use crate::{graphql, node_conversion, queries};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_core::ids::{AccountId, Login, RepoName, RepositoryId, Sha};
use collie_core::snapshot::Actor;
use collie_engine::ports::GitHubError;
use serde::Deserialize;
use serde_json::json;

/// Where a repository's default branch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultBranch {
    /// The repository's identity.
    pub id: RepositoryId,
    /// Its present name.
    pub repo: RepoName,
    /// The branch and the commit that it is at; none while the repository is empty.
    pub head: Option<(String, Sha)>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DefaultBranchNode {
    id: String,
    name_with_owner: String,
    default_branch_ref: Option<RefNode>,
}

#[derive(Debug, Deserialize)]
struct RefNode {
    name: String,
    target: Option<TargetNode>,
}

#[derive(Debug, Deserialize)]
struct TargetNode {
    oid: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContentRow {
    encoding: String,
    content: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AccountRow {
    id: u64,
    login: String,
    #[serde(rename = "type")]
    kind: String,
}

impl GitHubClient {
    /// Reads where a repository's default branch is. Costs one request.
    ///
    /// # Errors
    /// As any reading; `NotFound` when there is no such repository, or the token may not see it.
    pub async fn default_branch(&self, repo: &RepoName) -> Result<DefaultBranch, GitHubError> {
        let read = async {
            let variables = json!({"owner": repo.owner(), "name": repo.name()});
            let mut response = graphql::send(&self.api, queries::DEFAULT_BRANCH, variables).await?;
            let node: DefaultBranchNode = response.take_field("repository")?;
            let name = RepoName::parse(&node.name_with_owner).map_err(|_| {
                node_conversion::invalid_value("repository name", &node.name_with_owner)
            })?;
            let branch = node
                .default_branch_ref
                .and_then(|branch| Some((branch.name, branch.target?.oid)));
            let head = match branch {
                Some((branch, oid)) => Some((branch, node_conversion::parse_sha(&oid)?)),
                None => None,
            };
            let id = RepositoryId {
                host: self.host().to_owned(),
                repo_id: node.id,
            };
            Ok(DefaultBranch {
                id,
                repo: name,
                head,
            })
        };
        self.read_unless_open(&repo.to_string(), read).await
    }

    /// Reads a file as of a commit, afresh; none when it is not there. Costs one request.
    ///
    /// # Errors
    /// As any reading; `Refused` when it is no file, or too large to be told.
    pub async fn file_at(
        &self,
        repo: &RepoName,
        path: &str,
        commit: &Sha,
    ) -> Result<Option<Vec<u8>>, GitHubError> {
        let read = async {
            let place = format!("/repos/{repo}/contents/{path}?ref={commit}");
            let row: ContentRow = match self.api.get_uncached(&place).await {
                Ok(response) => response.json()?,
                Err(ApiFault::NotFound(_)) => return Ok(None),
                Err(fault) => return Err(fault),
            };
            let text: String = row.content.split_whitespace().collect();
            match STANDARD.decode(text) {
                Ok(bytes) if row.encoding == "base64" => Ok(Some(bytes)),
                Ok(_) | Err(_) => Err(ApiFault::Refused(format!("{path} is too large"))),
            }
        };
        self.read_unless_open(&format!("{repo}: {path}"), read)
            .await
    }

    /// Who bears a name now.
    ///
    /// # Errors
    /// As any reading; `NotFound` when nobody does.
    pub async fn account(&self, login: &Login) -> Result<Actor, GitHubError> {
        let what = format!("@{login}");
        // A name that could lead elsewhere is nobody's.
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '[' | ']');
        let read = async {
            if login.as_str().is_empty() || !login.as_str().chars().all(is_name) {
                return Err(ApiFault::NotFound(what.clone()));
            }
            let place = format!("/users/{}", encode_path_segment(login.as_str()));
            let row: AccountRow = self.api.get_uncached(&place).await?.json()?;
            let login = row.login.strip_suffix("[bot]").unwrap_or(&row.login);
            Ok(Actor {
                id: AccountId(row.id),
                login: Login::new(login),
                is_bot: row.kind == "Bot",
            })
        };
        self.read_unless_open(&what, read).await
    }
}

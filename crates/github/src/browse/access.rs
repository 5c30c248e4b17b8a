//! What the account may do in a repository, as GitHub tells it of itself.

use crate::client::GitHubClient;
use crate::node_conversion::invalid_value;
use collie_core::ids::RepoName;
use collie_engine::ports::GitHubError;
use serde::Deserialize;

/// A repository as the account sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryAccess {
    /// Its name now: another than the one asked for when it was renamed.
    pub repo: RepoName,
    /// GitHub's node id, which stays the same whatever it is called.
    pub repo_id: String,
    /// The account may push.
    pub can_push: bool,
}

#[derive(Debug, Deserialize)]
struct AccessRow {
    full_name: String,
    node_id: String,
    /// Left out where nobody is signed in.
    permissions: Option<PermissionsRow>,
}

#[derive(Debug, Deserialize)]
struct PermissionsRow {
    #[serde(default)]
    admin: bool,
    #[serde(default)]
    maintain: bool,
    #[serde(default)]
    push: bool,
}

impl GitHubClient {
    /// Tells what the account may do in a repository. Costs one request, none while it has not changed.
    ///
    /// # Errors
    /// As any reading; `NotFound` when there is no such repository, or the account may not see it.
    pub async fn repository_access(
        &self,
        repo: &RepoName,
    ) -> Result<RepositoryAccess, GitHubError> {
        let read = async {
            let row: AccessRow = self.api.get(&format!("/repos/{repo}")).await?.json()?;
            let permissions = row.permissions.as_ref();
            Ok(RepositoryAccess {
                can_push: permissions.is_some_and(|may| may.push || may.maintain || may.admin),
                repo: RepoName::parse(&row.full_name)
                    .map_err(|_| invalid_value("repository name", &row.full_name))?,
                repo_id: row.node_id,
            })
        };
        self.read_unless_open(&repo.to_string(), read).await
    }
}

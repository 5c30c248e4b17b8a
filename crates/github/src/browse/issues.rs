//! One issue, as a reviewer reads it (§4.4).

use crate::api_fault::ApiFault;
use crate::client::GitHubClient;
use crate::node_conversion::invalid_value;
use collie_core::ids::RepoName;
use collie_engine::ports::GitHubError;
use serde::Deserialize;

/// What an issue, or a pull request, asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueText {
    /// The repository that it lies in: an issue may have been moved to another one.
    pub repo: RepoName,
    /// Its title.
    pub title: String,
    /// Its text; empty when it has none.
    pub body: String,
    /// GitHub's word: `open` or `closed`.
    pub state: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct IssueRow {
    repository_url: String,
    title: String,
    body: Option<String>,
    state: String,
}

/// What a repository shows of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryVisibility {
    /// Its present name.
    pub repo: RepoName,
    /// Everybody may read it.
    pub public: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RepositoryRow {
    full_name: String,
    private: bool,
    /// Older Enterprise servers leave it out. `internal` is not public.
    visibility: Option<String>,
}

/// The repository that an address of the API such as `https://api.github.com/repos/acme/api` names.
fn repository_of_url(url: &str) -> Result<RepoName, ApiFault> {
    let name = url.rsplit_once("/repos/").map_or("", |(_, name)| name);
    RepoName::parse(name).map_err(|_| invalid_value("repository of an issue", url))
}

impl GitHubClient {
    /// Tells whether everybody may read a repository. Costs one request, none while it has not changed.
    ///
    /// # Errors
    /// As any reading; `NotFound` when there is no such repository, or the token may not see it.
    pub async fn visibility(&self, repo: &RepoName) -> Result<RepositoryVisibility, GitHubError> {
        let read = async {
            let response = self.api.get(&format!("/repos/{repo}")).await?;
            let row: RepositoryRow = response.json()?;
            let named_public = row.visibility.as_deref().is_none_or(|v| v == "public");
            Ok(RepositoryVisibility {
                repo: RepoName::parse(&row.full_name)
                    .map_err(|_| invalid_value("repository name", &row.full_name))?,
                public: !row.private && named_public,
            })
        };
        self.read_unless_open(&repo.to_string(), read).await
    }

    /// Reads the text of an issue or pull request. Costs one request, none while it has not changed.
    ///
    /// # Errors
    /// As any reading; `NotFound` when there is no such issue, or the token may not see it.
    pub async fn issue(&self, repo: &RepoName, number: u64) -> Result<IssueText, GitHubError> {
        let read = async {
            let response = self
                .api
                .get(&format!("/repos/{repo}/issues/{number}"))
                .await?;
            let entry: IssueRow = response.json()?;
            Ok(IssueText {
                repo: repository_of_url(&entry.repository_url)?,
                title: entry.title,
                body: entry.body.unwrap_or_default(),
                state: entry.state,
            })
        };
        self.read_unless_open(&format!("{repo}#{number}"), read)
            .await
    }
}

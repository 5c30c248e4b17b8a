//! One issue, as a reviewer reads it (§4.4).

use crate::client::GitHubClient;
use collie_core::ids::RepoName;
use collie_engine::ports::GitHubError;
use serde::Deserialize;

/// What an issue, or a pull request, asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueText {
    /// Its title.
    pub title: String,
    /// Its text; empty when it has none.
    pub body: String,
    /// GitHub's word: `open` or `closed`.
    pub state: String,
}

#[derive(Debug, Deserialize)]
struct IssueRow {
    title: String,
    body: Option<String>,
    state: String,
}

impl GitHubClient {
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
                title: entry.title,
                body: entry.body.unwrap_or_default(),
                state: entry.state,
            })
        };
        self.read_unless_open(&format!("{repo}#{number}"), read)
            .await
    }
}

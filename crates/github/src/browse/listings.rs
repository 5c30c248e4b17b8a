//! Repositories, and what is open in them.

use super::{
    Author, IssueSummary, LabelSummary, PullSummary, RepositoryListing, RepositorySummary,
};
use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use crate::client::GitHubClient;
use crate::graphql::{self, Page};
use crate::node_conversion;
use crate::nodes::{AccountNode, NodeList, TotalCount};
use crate::queries;
use collie_core::ids::{Login, LoopId, RepoName, Time};
use collie_engine::ports::GitHubError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Repositories that are listed at most.
const MAX_REPOSITORIES: usize = 200;
/// Open pull requests of one repository that are listed at most.
const MAX_PULLS: usize = 500;
/// Repositories that one query lists: GitHub gives a query ten seconds.
const REPOSITORIES_PER_QUERY: usize = 10;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedRepositoryNode {
    name_with_owner: String,
    is_private: bool,
    is_archived: bool,
    viewer_permission: Option<String>,
    pushed_at: Option<String>,
    pull_requests: TotalCount,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenWorkNode {
    id: String,
    name_with_owner: String,
    pull_requests: CountedList<Page<ListedPullNode>>,
    issues: CountedList<NodeList<ListedIssueNode>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CountedList<T> {
    total_count: u64,
    #[serde(flatten)]
    list: T,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedPullNode {
    number: u64,
    title: String,
    url: String,
    is_draft: bool,
    head_ref_name: String,
    head_ref_oid: String,
    base_ref_name: String,
    is_cross_repository: bool,
    created_at: String,
    updated_at: String,
    author: Option<AccountNode>,
    labels: Option<NodeList<ListedLabelNode>>,
    auto_merge_request: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedIssueNode {
    number: u64,
    title: String,
    url: String,
    updated_at: String,
    author: Option<AccountNode>,
    labels: Option<NodeList<ListedLabelNode>>,
    comments: TotalCount,
}

#[derive(Debug, Deserialize)]
struct ListedLabelNode {
    name: String,
    color: String,
}

impl GitHubClient {
    /// Repositories that the signed-in account owns, works in or sees through an organisation, last pushed first; 200
    /// at most.
    ///
    /// # Errors
    /// As any reading: signed out, a limit, no clear answer.
    pub async fn repositories(&self) -> Result<Vec<RepositorySummary>, GitHubError> {
        let read = async {
            let (variables, below) = (json!({}), ["viewer", "page"]);
            let page = graphql::fetch_at_most(
                &self.api,
                queries::REPOSITORIES,
                &variables,
                &below,
                None,
                MAX_REPOSITORIES,
            );
            let entries: Vec<ListedRepositoryNode> = page.await?.0;
            entries.into_iter().map(repository_summary).collect()
        };
        self.read_unless_open("the list of repositories", read)
            .await
    }

    /// What is open in each of many repositories, ten a query.
    ///
    /// Each has its own outcome: one that vanished is `NotFound`, and fails alone.
    ///
    /// # Errors
    /// As any reading, when no query at all was answered.
    pub async fn listing(
        &self,
        repos: &[RepoName],
    ) -> Result<BTreeMap<RepoName, Result<RepositoryListing, GitHubError>>, GitHubError> {
        let mut listings_by_repo = BTreeMap::new();
        let mut any_answered = false;
        let mut last_error = None;
        for chunk in repos.chunks(REPOSITORIES_PER_QUERY) {
            let listings_read = self.read_unless_open(
                "the list of pull requests",
                fetch_listings(&self.api, chunk),
            );
            match listings_read.await {
                Ok(listings) => {
                    any_answered = true;
                    for (repo, listing) in chunk.iter().zip(listings) {
                        let listing = listing
                            .map_err(|fault| fault.into_read_error(self.host(), &repo.to_string()));
                        listings_by_repo.insert(repo.clone(), listing);
                    }
                }
                Err(error) => {
                    let failed = chunk.iter().map(|repo| (repo.clone(), Err(error.clone())));
                    listings_by_repo.extend(failed);
                    last_error = Some(error);
                }
            }
        }
        match last_error {
            Some(error) if !any_answered => Err(error),
            Some(_) | None => Ok(listings_by_repo),
        }
    }
}

fn repository_summary(entry: ListedRepositoryNode) -> Result<RepositorySummary, ApiFault> {
    let permission = super::merge_facts::parse_permission(entry.viewer_permission.as_deref());
    Ok(RepositorySummary {
        name: parse_repo_name(&entry.name_with_owner)?,
        private: entry.is_private,
        archived: entry.is_archived,
        can_push: permission.can_push(),
        open_pulls: entry.pull_requests.total_count,
        pushed_at: entry
            .pushed_at
            .as_deref()
            .and_then(node_conversion::parse_time),
    })
}

/// The fault outside is one of the whole query.
async fn fetch_listings(
    api: &ApiClient,
    repos: &[RepoName],
) -> Result<Vec<Result<RepositoryListing, ApiFault>>, ApiFault> {
    let read_at = api.clock.now();
    let mut variables = json!({});
    for (index, repo) in repos.iter().enumerate() {
        variables[format!("owner{index}")] = json!(repo.owner());
        variables[format!("name{index}")] = json!(repo.name());
    }
    let mut response = graphql::send(api, &queries::listing(repos.len()), variables).await?;
    let mut listings = Vec::with_capacity(repos.len());
    for index in 0..repos.len() {
        let listing = match response.take_field::<OpenWorkNode>(&format!("repo{index}")) {
            Ok(work) => complete_listing(api, work, read_at).await,
            Err(fault) => Err(fault),
        };
        listings.push(listing);
    }
    Ok(listings)
}

/// Reads the further pages of one repository's pull requests.
async fn complete_listing(
    api: &ApiClient,
    open_work: OpenWorkNode,
    read_at: Time,
) -> Result<RepositoryListing, ApiFault> {
    let repo = parse_repo_name(&open_work.name_with_owner)?;
    let CountedList { total_count, list } = open_work.pull_requests;
    let next = list.next_cursor();
    let mut entries: Vec<ListedPullNode> = list.nodes.into_iter().flatten().collect();
    let mut truncated = false;
    if next.is_some() {
        let variables = json!({"owner": repo.owner(), "name": repo.name()});
        let limit = MAX_PULLS.saturating_sub(entries.len());
        let below = ["repository", "page"];
        let rest =
            graphql::fetch_at_most(api, queries::LISTED_PULLS, &variables, &below, next, limit);
        let (rest, more) = rest.await?;
        entries.extend(rest);
        truncated = more;
    }
    let id = |number| LoopId {
        host: api.endpoint.host.clone(),
        repo_id: open_work.id.clone(),
        number,
    };
    let mut pulls: Vec<PullSummary> = Vec::with_capacity(entries.len());
    for entry in entries {
        pulls.push(pull_summary(id(entry.number), entry)?);
    }
    let issues = open_work
        .issues
        .list
        .nodes
        .into_iter()
        .flatten()
        .map(issue_summary);
    Ok(RepositoryListing {
        pulls,
        pulls_total: total_count,
        truncated,
        issues: issues.collect::<Result<_, _>>()?,
        issues_total: open_work.issues.total_count,
        read_at,
        repo,
        repo_id: open_work.id,
    })
}

fn pull_summary(id: LoopId, entry: ListedPullNode) -> Result<PullSummary, ApiFault> {
    Ok(PullSummary {
        id,
        title: entry.title,
        author: entry.author.map(author),
        draft: entry.is_draft,
        head_ref: entry.head_ref_name,
        head: node_conversion::parse_sha(&entry.head_ref_oid)?,
        base_ref: entry.base_ref_name,
        cross_repository: entry.is_cross_repository,
        labels: label_summaries(entry.labels),
        auto_merge: entry.auto_merge_request.is_some(),
        created_at: parse_required_time(&entry.created_at)?,
        updated_at: parse_required_time(&entry.updated_at)?,
        url: entry.url,
    })
}

fn issue_summary(entry: ListedIssueNode) -> Result<IssueSummary, ApiFault> {
    Ok(IssueSummary {
        number: entry.number,
        title: entry.title,
        author: entry.author.map(author),
        labels: label_summaries(entry.labels),
        comments: entry.comments.total_count,
        updated_at: parse_required_time(&entry.updated_at)?,
        url: entry.url,
    })
}

fn author(account: AccountNode) -> Author {
    let (login, suffixed) = match account.login.strip_suffix("[bot]") {
        Some(login) => (login, true),
        None => (account.login.as_str(), false),
    };
    Author {
        login: Login::new(login),
        is_bot: suffixed || account.kind == "Bot",
    }
}

fn label_summaries(list: Option<NodeList<ListedLabelNode>>) -> Vec<LabelSummary> {
    let nodes = list.map_or_else(Vec::new, |list| list.nodes);
    let line = |ListedLabelNode { name, color }| LabelSummary { name, color };
    nodes.into_iter().flatten().map(line).collect()
}

fn parse_repo_name(text: &str) -> Result<RepoName, ApiFault> {
    RepoName::parse(text).map_err(|_| node_conversion::invalid_value("repository name", text))
}

fn parse_required_time(text: &str) -> Result<Time, ApiFault> {
    node_conversion::parse_time(text).ok_or_else(|| node_conversion::invalid_value("time", text))
}

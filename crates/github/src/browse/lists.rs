//! Repositories, and what is open in them.

use super::{Author, IssueLine, LabelLine, Listing, PullLine, RepositoryLine};
use crate::api::Api;
use crate::client::GitHubClient;
use crate::fault::Fault;
use crate::graphql::{self, Page};
use crate::queries;
use crate::reading;
use crate::shape::{Account, Count, Nodes};
use collie_core::ids::{Login, LoopId, RepoName, Time};
use collie_engine::ports::GitHubError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Repositories that are listed at most.
const MOST_REPOSITORIES: usize = 200;
/// Open pull requests of one repository that are listed at most.
const MOST_PULLS: usize = 500;
/// Repositories that one query lists: GitHub gives a query ten seconds.
const AT_ONCE: usize = 10;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RepositoryEntry {
    name_with_owner: String,
    is_private: bool,
    is_archived: bool,
    viewer_permission: Option<String>,
    pushed_at: Option<String>,
    pull_requests: Count,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenWork {
    id: String,
    name_with_owner: String,
    pull_requests: Counted<Page<PullEntry>>,
    issues: Counted<Nodes<IssueEntry>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counted<T> {
    total_count: u64,
    #[serde(flatten)]
    list: T,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullEntry {
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
    author: Option<Account>,
    labels: Option<Nodes<LabelEntry>>,
    auto_merge_request: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IssueEntry {
    number: u64,
    title: String,
    url: String,
    updated_at: String,
    author: Option<Account>,
    labels: Option<Nodes<LabelEntry>>,
    comments: Count,
}

#[derive(Debug, Deserialize)]
struct LabelEntry {
    name: String,
    color: String,
}

impl GitHubClient {
    /// Repositories that the signed-in account owns, works in or sees through an organisation, last pushed first; 200
    /// at most.
    ///
    /// # Errors
    /// As any reading: signed out, a limit, no clear answer.
    pub async fn repositories(&self) -> Result<Vec<RepositoryLine>, GitHubError> {
        let asked = async {
            let (variables, below) = (json!({}), ["viewer", "page"]);
            let some = graphql::some(
                &self.api,
                queries::REPOSITORIES,
                &variables,
                &below,
                None,
                MOST_REPOSITORIES,
            );
            let found: Vec<RepositoryEntry> = some.await?.0;
            found.into_iter().map(repository).collect()
        };
        self.read_of("the list of repositories", asked).await
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
    ) -> Result<BTreeMap<RepoName, Result<Listing, GitHubError>>, GitHubError> {
        let mut found = BTreeMap::new();
        let mut answered = false;
        let mut unanswered = None;
        for some in repos.chunks(AT_ONCE) {
            let listed = self.read_of("the list of pull requests", list(&self.api, some));
            match listed.await {
                Ok(listings) => {
                    answered = true;
                    for (repo, listing) in some.iter().zip(listings) {
                        let listing = listing
                            .map_err(|fault| fault.into_read(self.host(), &repo.to_string()));
                        found.insert(repo.clone(), listing);
                    }
                }
                Err(error) => {
                    let each = some.iter().map(|repo| (repo.clone(), Err(error.clone())));
                    found.extend(each);
                    unanswered = Some(error);
                }
            }
        }
        match unanswered {
            Some(error) if !answered => Err(error),
            Some(_) | None => Ok(found),
        }
    }
}

fn repository(entry: RepositoryEntry) -> Result<RepositoryLine, Fault> {
    let permission = super::merging::permission(entry.viewer_permission.as_deref());
    Ok(RepositoryLine {
        name: repo_name(&entry.name_with_owner)?,
        private: entry.is_private,
        archived: entry.is_archived,
        can_push: permission.can_push(),
        open_pulls: entry.pull_requests.total_count,
        pushed_at: entry.pushed_at.as_deref().and_then(reading::time),
    })
}

/// The fault outside is one of the whole query.
async fn list(api: &Api, repos: &[RepoName]) -> Result<Vec<Result<Listing, Fault>>, Fault> {
    let read_at = api.clock.now();
    let mut variables = json!({});
    for (index, repo) in repos.iter().enumerate() {
        variables[format!("owner{index}")] = json!(repo.owner());
        variables[format!("name{index}")] = json!(repo.name());
    }
    let mut reply = graphql::send(api, &queries::listing(repos.len()), variables).await?;
    let mut listings = Vec::with_capacity(repos.len());
    for index in 0..repos.len() {
        let listing = match reply.take::<OpenWork>(&format!("repo{index}")) {
            Ok(work) => whole(api, work, read_at).await,
            Err(fault) => Err(fault),
        };
        listings.push(listing);
    }
    Ok(listings)
}

/// Reads the further pages of one repository's pull requests.
async fn whole(api: &Api, work: OpenWork, read_at: Time) -> Result<Listing, Fault> {
    let repo = repo_name(&work.name_with_owner)?;
    let Counted { total_count, list } = work.pull_requests;
    let next = list.next();
    let mut entries: Vec<PullEntry> = list.nodes.into_iter().flatten().collect();
    let mut truncated = false;
    if next.is_some() {
        let variables = json!({"owner": repo.owner(), "name": repo.name()});
        let most = MOST_PULLS.saturating_sub(entries.len());
        let below = ["repository", "page"];
        let rest = graphql::some(api, queries::LISTED_PULLS, &variables, &below, next, most);
        let (rest, more) = rest.await?;
        entries.extend(rest);
        truncated = more;
    }
    let id = |number| LoopId {
        host: api.endpoint.host.clone(),
        repo_id: work.id.clone(),
        number,
    };
    let mut pulls: Vec<PullLine> = Vec::with_capacity(entries.len());
    for entry in entries {
        pulls.push(pull(id(entry.number), entry)?);
    }
    let issues = work.issues.list.nodes.into_iter().flatten().map(issue);
    Ok(Listing {
        pulls,
        pulls_total: total_count,
        truncated,
        issues: issues.collect::<Result<_, _>>()?,
        issues_total: work.issues.total_count,
        read_at,
        repo,
        repo_id: work.id,
    })
}

fn pull(id: LoopId, entry: PullEntry) -> Result<PullLine, Fault> {
    Ok(PullLine {
        id,
        title: entry.title,
        author: entry.author.map(author),
        draft: entry.is_draft,
        head_ref: entry.head_ref_name,
        head: reading::sha(&entry.head_ref_oid)?,
        base_ref: entry.base_ref_name,
        cross_repository: entry.is_cross_repository,
        labels: labels(entry.labels),
        auto_merge: entry.auto_merge_request.is_some(),
        created_at: moment(&entry.created_at)?,
        updated_at: moment(&entry.updated_at)?,
        url: entry.url,
    })
}

fn issue(entry: IssueEntry) -> Result<IssueLine, Fault> {
    Ok(IssueLine {
        number: entry.number,
        title: entry.title,
        author: entry.author.map(author),
        labels: labels(entry.labels),
        comments: entry.comments.total_count,
        updated_at: moment(&entry.updated_at)?,
        url: entry.url,
    })
}

fn author(account: Account) -> Author {
    let (login, suffixed) = match account.login.strip_suffix("[bot]") {
        Some(login) => (login, true),
        None => (account.login.as_str(), false),
    };
    Author {
        login: Login::new(login),
        is_bot: suffixed || account.kind == "Bot",
    }
}

fn labels(list: Option<Nodes<LabelEntry>>) -> Vec<LabelLine> {
    let nodes = list.map_or_else(Vec::new, |list| list.nodes);
    let line = |LabelEntry { name, color }| LabelLine { name, color };
    nodes.into_iter().flatten().map(line).collect()
}

fn repo_name(text: &str) -> Result<RepoName, Fault> {
    RepoName::parse(text).map_err(|_| reading::unreadable("repository name", text))
}

fn moment(text: &str) -> Result<Time, Fault> {
    reading::time(text).ok_or_else(|| reading::unreadable("time", text))
}

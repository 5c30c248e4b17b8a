//! Searching issues and pull requests.

use axum::Router;
use axum::extract::{OriginalUri, State};
use axum::response::IntoResponse as _;
use axum::routing::get;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, page_response};
use super::response::query_param;
use crate::Forge;
use crate::auth::Viewer;
use crate::error::ForgeError;
use crate::model::{Account, Issue, IssueState, PullRequest, PullState, RepoName, RepoState};

/// GitHub gives no more results than this.
const MAX_RESULTS: usize = 1000;

pub(super) fn routes() -> Router<Forge> {
    Router::new().route("/search/issues", get(search_issues))
}

async fn search_issues(
    State(forge): State<Forge>,
    Viewer(viewer): Viewer,
    OriginalUri(uri): OriginalUri,
) -> HandlerResult {
    let text = query_param(&uri, "q").filter(|q| !q.trim().is_empty());
    let text = text.ok_or_else(|| ForgeError::invalid("Search", "q", "missing"))?;
    let terms = parse_terms(&text);
    let base_url = forge.base_url();
    let mut found: Vec<(Timestamp, Timestamp, Value)> = Vec::new();
    for repo in searched_repos(&forge, &viewer, &terms)? {
        let context = JsonContext::new(&forge, &repo, &base_url);
        forge.read(&repo, |state| {
            for entry in entries_of(&forge, state, &viewer) {
                if terms.iter().all(|term| entry.fits(term)) {
                    found.push((
                        entry.created_at,
                        entry.updated_at,
                        entry.json(context, state),
                    ));
                }
            }
        })?;
    }
    let by_update = query_param(&uri, "sort").as_deref() == Some("updated");
    found.sort_by_key(|(created, updated, _)| if by_update { *updated } else { *created });
    if query_param(&uri, "order").as_deref() != Some("asc") {
        found.reverse();
    }
    let total = found.len();
    found.truncate(MAX_RESULTS);
    let wrap = |_: usize, items: Vec<Value>| {
        json!({
            "total_count": total, "incomplete_results": false, "search_type": "lexical", "items": items,
        })
    };
    Ok(page_response(&base_url, &uri, found, |(_, _, item)| item.clone(), wrap).into_response())
}

/// One word of a query, or one qualifier; `-` before it turns it round.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    negated: bool,
    qualifier: Option<String>,
    text: String,
}

/// Splits a query at blanks outside quotes. Qualifiers and texts are in lower case.
fn parse_terms(query: &str) -> Vec<Term> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in query.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is always one").push(c),
        }
    }
    let to_term = |word: String| {
        let (negated, rest) = match word.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, word.as_str()),
        };
        let (qualifier, text) = match rest.split_once(':') {
            Some((qualifier, text)) => (Some(qualifier.to_lowercase()), text),
            None => (None, rest),
        };
        Term {
            negated,
            qualifier,
            text: text.to_lowercase(),
        }
    };
    let said = words.into_iter().filter(|w| !w.is_empty());
    said.map(to_term).collect()
}

/// The repositories that are asked for and can be seen; 422 where one is asked for that cannot.
fn searched_repos(
    forge: &Forge,
    viewer: &Account,
    terms: &[Term],
) -> Result<Vec<RepoName>, ForgeError> {
    let sees = |repo: &RepoName| {
        forge
            .read(repo, |s| s.meta.visible_to(viewer))
            .unwrap_or(false)
    };
    let visible: Vec<RepoName> = forge.repos().into_iter().filter(sees).collect();
    let named = |term: &&Term| !term.negated && term.qualifier.as_deref() == Some("repo");
    let named: Vec<&Term> = terms.iter().filter(named).collect();
    if named.is_empty() {
        return Ok(visible);
    }
    let found: Vec<RepoName> = (visible.into_iter())
        .filter(|repo| named.iter().any(|term| term.text == repo.key()))
        .collect();
    if found.is_empty() {
        let words = "The listed users and repositories cannot be searched either because the resources do not exist \
                     or you do not have permission to view them.";
        return Err(ForgeError::invalid_with("Search", "q", "invalid", words));
    }
    Ok(found)
}

/// An issue or pull request, as qualifiers ask for it.
struct Entry<'a> {
    forge: &'a Forge,
    state: &'a RepoState,
    viewer: &'a Account,
    kind: EntryKind<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Clone, Copy)]
enum EntryKind<'a> {
    Pull(&'a PullRequest),
    Issue(&'a Issue),
}

fn entries_of<'a>(
    forge: &'a Forge,
    state: &'a RepoState,
    viewer: &'a Account,
) -> impl Iterator<Item = Entry<'a>> {
    let pulls = state.pulls.iter().map(EntryKind::Pull);
    let issues = state.issues.iter().map(EntryKind::Issue);
    pulls.chain(issues).map(move |kind| {
        let (created_at, updated_at) = match kind {
            EntryKind::Pull(pull) => (pull.created_at, pull.updated_at),
            EntryKind::Issue(issue) => (issue.created_at, issue.updated_at),
        };
        Entry {
            forge,
            state,
            viewer,
            kind,
            created_at,
            updated_at,
        }
    })
}

impl Entry<'_> {
    fn fits(&self, term: &Term) -> bool {
        self.is(term.qualifier.as_deref(), &term.text) != term.negated
    }

    fn is(&self, qualifier: Option<&str>, text: &str) -> bool {
        let (author, assignees, labels) = match self.kind {
            EntryKind::Pull(p) => (p.author, &p.assignees, &p.labels),
            EntryKind::Issue(i) => (i.author, &i.assignees, &i.labels),
        };
        let account = || match text {
            "@me" => Some(self.viewer.id),
            login => self.forge.account_by_login(login).map(|a| a.id),
        };
        match qualifier {
            // Asked for before.
            Some("repo") => self.state.meta.name.key() == text,
            Some("is" | "type" | "state") => self.is_a(text),
            Some("draft") => self.pull().is_some_and(|p| p.draft == (text == "true")),
            Some("author") => account() == Some(author),
            Some("assignee") => account().is_some_and(|id| assignees.contains(&id)),
            Some("label") => labels.contains(text),
            Some("head") => self
                .pull()
                .is_some_and(|p| p.head_ref.to_lowercase() == text),
            Some("base") => self
                .pull()
                .is_some_and(|p| p.base_ref.to_lowercase() == text),
            Some("user" | "org") => self.state.meta.name.owner().eq_ignore_ascii_case(text),
            Some("review-requested") => {
                let asked = self.pull().map(|p| &p.requested_reviewers);
                asked.is_some_and(|ids| account().is_some_and(|id| ids.contains(&id)))
            }
            Some(other) => self.says(&format!("{other}:{text}")),
            None => self.says(text),
        }
    }

    fn pull(&self) -> Option<&PullRequest> {
        match self.kind {
            EntryKind::Pull(pull) => Some(pull),
            EntryKind::Issue(_) => None,
        }
    }

    fn is_a(&self, word: &str) -> bool {
        let open = match self.kind {
            EntryKind::Pull(pull) => pull.state == PullState::Open,
            EntryKind::Issue(issue) => issue.state == IssueState::Open,
        };
        match word {
            "pr" | "pull-request" => self.pull().is_some(),
            "issue" => self.pull().is_none(),
            "open" => open,
            "closed" => !open,
            "merged" => self.pull().is_some_and(|p| p.state == PullState::Merged),
            "unmerged" => self.pull().is_some_and(|p| p.state != PullState::Merged),
            "draft" => self.pull().is_some_and(|p| p.draft),
            "public" => !self.state.meta.private,
            "private" => self.state.meta.private,
            _ => false,
        }
    }

    /// Whether title or text hold a word.
    fn says(&self, word: &str) -> bool {
        let (title, body) = match self.kind {
            EntryKind::Pull(p) => (&p.title, &p.body),
            EntryKind::Issue(i) => (&i.title, &i.body),
        };
        let body = body.as_deref().unwrap_or_default();
        title.to_lowercase().contains(word) || body.to_lowercase().contains(word)
    }

    fn json(&self, context: JsonContext<'_>, state: &RepoState) -> Value {
        let mut out = match self.kind {
            EntryKind::Pull(pull) => json_objects::pull_as_issue_json(context, state, pull),
            EntryKind::Issue(issue) => json_objects::issue_json(context, state, issue),
        };
        out["score"] = Value::from(1.0);
        out
    }
}

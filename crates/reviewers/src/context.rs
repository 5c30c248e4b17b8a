//! What helps to judge a change beside the change itself: the functions that it is in, what it uses and what uses it, how far it is (§4.4).

use super::Panel;
use super::gather::git_failure;
use collie_agents::prompting::{ChangedFile, CheckState, ReviewContext, TextFile};
use collie_core::code_context::{FunctionSpan, RelatedCode, WordSearch};
use collie_core::event::SessionFailure;
use collie_core::file_marks::is_binary;
use collie_core::ids::Sha;
use collie_core::review_memory::RepositoryMemory;
use collie_core::snapshot::{Check, Snapshot};
use collie_engine::ports::{CleanWorktree, GitError};
use collie_rules::symbols::{
    ChangedSource, MAX_RELATED_FILE_BYTES, TouchedSymbols, files_to_read, function_spans,
    related_code, touched_symbols,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Commits whose messages are shown.
const MAX_COMMITS: usize = 30;
/// Checks and labels that are named.
const MAX_CHECKS: usize = 60;
const MAX_LABELS: usize = 20;
/// Answers to searches that are kept; one is that of a head and what a change touches there.
const MAX_KEPT_SEARCHES: usize = 32;

/// Code that was found at a commit for what a change touches: reviewers of one head ask for the same.
#[derive(Default)]
pub(super) struct RelatedCodeCache(Mutex<VecDeque<KeptSearch>>);

struct KeptSearch {
    head: Sha,
    touched: TouchedSymbols,
    found: Arc<Vec<RelatedCode>>,
}

impl RelatedCodeCache {
    fn get(&self, head: &Sha, touched: &TouchedSymbols) -> Option<Arc<Vec<RelatedCode>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept
            .iter()
            .find(|one| one.head == *head && one.touched == *touched);
        found.map(|one| one.found.clone())
    }

    fn keep(&self, head: &Sha, touched: TouchedSymbols, found: Arc<Vec<RelatedCode>>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT_SEARCHES {
            kept.pop_front();
        }
        let head = head.clone();
        kept.push_back(KeptSearch {
            head,
            touched,
            found,
        });
    }
}

/// What the syntax of the changed files tells.
struct ChangeOutline {
    functions: BTreeMap<String, Vec<FunctionSpan>>,
    touched: TouchedSymbols,
}

impl Panel {
    /// Everything of it. What cannot be found out is left out: a review goes without.
    pub(super) async fn read_context(
        &self,
        tree: &CleanWorktree,
        snapshot: &Snapshot,
        files: &[ChangedFile],
        background: Vec<TextFile>,
    ) -> Result<ReviewContext, SessionFailure> {
        let owned = files.to_vec();
        let outline = tokio::task::spawn_blocking(move || outline_change(&owned)).await;
        let Ok(ChangeOutline { functions, touched }) = outline else {
            tracing::warn!("the syntax of a change could not be read");
            return Ok(ReviewContext::default());
        };
        let changed: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        let links = touched.links.clone();
        let related = match self.find_related(tree, touched, changed).await {
            Ok(related) => related.as_ref().clone(),
            Err(error) => {
                tracing::warn!(%error, "code beside a change could not be looked for");
                Vec::new()
            }
        };
        let commits = self.git.commit_messages(tree, MAX_COMMITS).await;
        let labels = snapshot.labels.iter().take(MAX_LABELS).cloned();
        let checks = snapshot.checks.iter().take(MAX_CHECKS);
        Ok(ReviewContext {
            functions,
            related,
            links,
            background,
            commits: commits.map_err(git_failure)?,
            labels: labels.collect(),
            checks: checks.map(check_state).collect(),
            colleagues: BTreeMap::new(),
            memory: RepositoryMemory::default(),
        })
    }

    /// Definitions of what a change uses, and call sites of what it redefines.
    async fn find_related(
        &self,
        tree: &CleanWorktree,
        touched: TouchedSymbols,
        changed: BTreeSet<String>,
    ) -> Result<Arc<Vec<RelatedCode>>, GitError> {
        let head = tree.head();
        if let Some(found) = self.related.get(head, &touched) {
            return Ok(found);
        }
        let search = WordSearch {
            words: touched.words(),
            extensions: touched.file_extensions(),
        };
        let hits = self.git.search_words(tree, head, &search).await?;
        if hits.truncated {
            tracing::info!("a search for code beside a change was cut short");
        }
        let asked = touched.clone();
        let paths = tokio::task::spawn_blocking(move || {
            let changed: BTreeSet<&str> = changed.iter().map(String::as_str).collect();
            files_to_read(&asked, &hits.hits, &changed)
        });
        let mut files = Vec::new();
        for path in paths.await.unwrap_or_default() {
            if let Some(text) = self.read_code(tree, &path).await? {
                files.push((path, text));
            }
        }
        let asked = touched.clone();
        let found = tokio::task::spawn_blocking(move || related_code(&asked, &files));
        let found = Arc::new(found.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "code beside a change could not be read");
            Vec::new()
        }));
        self.related.keep(head, touched, found.clone());
        Ok(found)
    }

    /// A file of the head as text; none where it is none, or is too large. It is read from the clone: a checkout may have no files laid.
    async fn read_code(
        &self,
        tree: &CleanWorktree,
        path: &str,
    ) -> Result<Option<String>, GitError> {
        let bytes = self
            .git
            .file_at(tree, tree.head(), path, MAX_RELATED_FILE_BYTES)
            .await?;
        let bytes = bytes.filter(|bytes| !is_binary(bytes));
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn outline_change(files: &[ChangedFile]) -> ChangeOutline {
    let lines: Vec<(BTreeSet<u32>, BTreeSet<u32>)> = files
        .iter()
        .map(|file| (file.added_lines(), file.removed_lines()))
        .collect();
    let sources: Vec<ChangedSource<'_>> = files
        .iter()
        .zip(&lines)
        .map(|(file, (added, removed))| ChangedSource {
            path: &file.path,
            before: file.content_at_base.as_deref(),
            after: file.content_at_head.as_deref(),
            added,
            removed,
        })
        .collect();
    let spans = files.iter().filter_map(|file| {
        let spans = function_spans(&file.path, file.content_at_head.as_deref()?);
        Some((file.path.clone(), spans))
    });
    ChangeOutline {
        functions: spans.collect(),
        touched: touched_symbols(&sources),
    }
}

/// GitHub's words for how a check stands.
fn check_state(check: &Check) -> CheckState {
    let word = match &check.conclusion {
        Some(conclusion) => serde_json::to_value(conclusion),
        None => serde_json::to_value(check.status),
    };
    let word = word.ok().and_then(|word| word.as_str().map(str::to_owned));
    CheckState {
        name: check.name.clone(),
        state: word.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_kept_by_head_and_by_what_is_touched_and_not_for_ever() {
        let cache = RelatedCodeCache::default();
        let head = |n: usize| Sha::parse(&format!("{n:040x}")).unwrap();
        let touched = |name: &str| TouchedSymbols {
            links: BTreeSet::from([(name.to_owned(), String::new())]),
            ..TouchedSymbols::default()
        };
        cache.keep(&head(1), touched("a"), Arc::default());
        assert!(cache.get(&head(1), &touched("a")).is_some());
        assert!(cache.get(&head(2), &touched("a")).is_none());
        assert!(cache.get(&head(1), &touched("b")).is_none());
        for n in 2..100 {
            cache.keep(&head(n), touched("a"), Arc::default());
        }
        assert!(cache.get(&head(1), &touched("a")).is_none());
        assert!(cache.get(&head(99), &touched("a")).is_some());
        assert_eq!(cache.0.lock().unwrap().len(), MAX_KEPT_SEARCHES);
    }
}

//! The rules on the panel: as reviewer, as fixer, and as the judge of the syntax gate (§4.7, §6.3).

use crate::findings::{finding_of_match, finding_of_rule_error};
use crate::fix_plan::{FileContents, apply_plan};
use crate::{
    LineSet, RuleError, RuleMatch, RuleSet, ScanInput, scan_file, scan_syntax, syntax_errors,
};
use async_trait::async_trait;
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::finding::Finding;
use collie_core::review::{IssueCounts, ReviewerResult, conclusion_from_counts};
use collie_core::user_error::UserError;
use collie_engine::ports::{
    DiffFile, FixRequest, FixResponse, Fixer, Git, GitError, ReviewRequest, ReviewResponse,
    Reviewers, SyntaxChecker, path_in_worktree,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Files larger than that are not read: they are data.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The built-in rules on every chair that they can take.
pub struct RulesAdapter {
    git: Arc<dyn Git>,
}

impl RulesAdapter {
    /// `git` gives the files of the merge base, to tell what was broken before.
    pub fn new(git: Arc<dyn Git>) -> Self {
        Self { git }
    }

    async fn read_changed_files(
        &self,
        request: &ReviewRequest,
    ) -> Result<(Vec<ScannedFile>, Vec<UnseenFile>), GitError> {
        let mut files = Vec::new();
        let mut unseen = Vec::new();
        for file in &request.diff {
            let mut skip = |reason| {
                let path = file.path.clone();
                unseen.push(UnseenFile { path, reason });
            };
            if let Some(reason) = file.unshown {
                skip(reason);
            }
            if !has_lines(file) {
                continue;
            }
            let tree = &request.worktree;
            // From the commit, not from the disk: a checkout may not have its files yet.
            let head = self
                .git
                .file_at(tree, tree.head(), &file.path, MAX_FILE_BYTES);
            let Some(content) = head.await? else {
                // A regular file that the diff shows lines of: what keeps it away is its size.
                skip(UnseenReason::TooLarge);
                continue;
            };
            let old = file.old_path.as_deref().unwrap_or(&file.path);
            let before = if file.added {
                None
            } else {
                self.git
                    .file_at(tree, tree.merge_base(), old, MAX_FILE_BYTES)
                    .await?
            };
            files.push(ScannedFile {
                path: file.path.clone(),
                content,
                before,
                changed: changed_lines(file),
                generated: is_generated(file),
            });
        }
        Ok((files, unseen))
    }
}

/// One file in memory.
struct ScannedFile {
    path: String,
    content: Vec<u8>,
    before: Option<Vec<u8>>,
    changed: LineSet,
    generated: bool,
}

/// Whether only secrets and conflict markers are looked for in it.
fn is_generated(file: &DiffFile) -> bool {
    matches!(
        file.unshown,
        Some(UnseenReason::Generated | UnseenReason::Lockfile)
    )
}

fn has_lines(file: &DiffFile) -> bool {
    !file.deleted && !file.opaque && !file.changed.is_empty()
}

fn changed_lines(file: &DiffFile) -> LineSet {
    file.changed
        .iter()
        .flat_map(|(first, last)| *first as usize..=*last as usize)
        .collect()
}

/// The bytes of a file of the worktree.
///
/// # Errors
/// Why it is not read.
async fn read_file(root: &Path, path: &str) -> Result<Vec<u8>, UnseenReason> {
    let absolute_path = path_in_worktree(root, path).ok_or(UnseenReason::Unreadable)?;
    // A link is not followed: it could lead out of the worktree.
    let meta = tokio::fs::symlink_metadata(&absolute_path).await;
    let meta = meta.map_err(|_| UnseenReason::Unreadable)?;
    if !meta.is_file() {
        return Err(UnseenReason::Unreadable);
    }
    if meta.len() > MAX_FILE_BYTES {
        return Err(UnseenReason::TooLarge);
    }
    let content = tokio::fs::read(&absolute_path).await;
    content.map_err(|_| UnseenReason::Unreadable)
}

fn parse_rule_set(files: &[(String, Vec<u8>)]) -> (RuleSet, Vec<RuleError>) {
    let text = |(path, bytes): &(String, Vec<u8>)| {
        (path.clone(), String::from_utf8_lossy(bytes).into_owned())
    };
    let texts: Vec<(String, String)> = files.iter().map(text).collect();
    RuleSet::with_repository(&texts)
}

/// Runs what is heavy on the processor off the runtime's threads.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SessionFailure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        let panicked = UserError::new(ErrorCode::RulesPanicked);
        SessionFailure::permanent(panicked.with_aside("message", error.to_string()))
    })
}

#[async_trait]
impl Reviewers for RulesAdapter {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        let (rules, errors) = parse_rule_set(&request.rules);
        let (files, mut unseen) = self
            .read_changed_files(&request)
            .await
            .map_err(SessionFailure::transient)?;
        let cancel_token = cancel.clone();
        let (found, unread) =
            run_blocking(move || scan_files(&rules, &files, &cancel_token)).await?;
        unseen.extend(unread);
        let timestamp = request.now.rfc3339();
        let mut findings: Vec<Finding> = found
            .iter()
            .enumerate()
            .map(|(index, found_match)| finding_of_match(found_match, index, &timestamp))
            .collect();
        findings.extend(
            errors
                .iter()
                .enumerate()
                .map(|(index, error)| finding_of_rule_error(error, index, &timestamp)),
        );
        let issues = IssueCounts::of(&findings);
        let result = ReviewerResult {
            agent: request.reviewer.name,
            pr_number: request.worktree.pull().id.number,
            conclusion: conclusion_from_counts(issues),
            issues,
            findings,
            full_report: String::new(),
            escalations: Vec::new(),
        };
        Ok(ReviewResponse {
            unseen,
            ..result.into()
        })
    }
}

fn scan_files(
    rules: &RuleSet,
    files: &[ScannedFile],
    cancel_token: &CancellationToken,
) -> (Vec<RuleMatch>, Vec<UnseenFile>) {
    let mut found = Vec::new();
    let mut unseen = Vec::new();
    for file in files {
        if cancel_token.is_cancelled() {
            break;
        }
        let input = ScanInput {
            path: &file.path,
            content: &file.content,
            changed_lines: &file.changed,
            generated: file.generated,
        };
        let scanned = scan_file(rules, &input);
        found.extend(scanned.matches);
        unseen.extend(scanned.unread.map(|reason| UnseenFile {
            path: file.path.clone(),
            reason,
        }));
        found.extend(scan_syntax(rules, &input, file.before.as_deref()));
    }
    (found, unseen)
}

impl SyntaxChecker for RulesAdapter {
    fn first_broken_line(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<u32> {
        let first = syntax_errors(path, before, after).into_iter().next()?;
        u32::try_from(first.line).ok()
    }
}

#[async_trait]
impl Fixer for RulesAdapter {
    async fn fix(
        &self,
        request: FixRequest,
        _cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        let (rules, _) = parse_rule_set(&request.rules);
        let mut contents = BTreeMap::new();
        for file in request.diff.iter().filter(|file| has_lines(file)) {
            if let Ok(content) = read_file(request.worktree.path(), &file.path).await {
                contents.insert(file.path.clone(), (content, changed_lines(file)));
            }
        }
        let payload = request.payload.clone();
        // What was refused is undone; asked for now are those that may pass without the others.
        if request.refusal.is_some() {
            self.restore_head(&request, &mut contents).await?;
        }
        let (result, changed) =
            run_blocking(move || apply_plan(&rules, &contents, &payload)).await?;
        for (path, content) in changed {
            write_file(request.worktree.path(), &path, &content).await?;
        }
        Ok(FixResponse {
            result,
            session: None,
            independent: true,
        })
    }
}

impl RulesAdapter {
    /// Puts the files back to what they are at the head.
    async fn restore_head(
        &self,
        request: &FixRequest,
        contents: &mut FileContents,
    ) -> Result<(), SessionFailure> {
        let tree = &request.worktree;
        for (path, (now, _)) in contents {
            let head = self
                .git
                .file_at(tree, tree.head(), path, MAX_FILE_BYTES)
                .await;
            let head = head.map_err(SessionFailure::transient)?;
            if let Some(head) = head.filter(|head| head != now) {
                write_file(tree.path(), path, &head).await?;
                *now = head;
            }
        }
        Ok(())
    }
}

async fn write_file(root: &Path, path: &str, content: &[u8]) -> Result<(), SessionFailure> {
    let absolute_path = path_in_worktree(root, path).ok_or_else(|| {
        SessionFailure::transient(UserError::new(ErrorCode::PathOutside).with("path", path))
    })?;
    tokio::fs::write(&absolute_path, content)
        .await
        .map_err(|error| {
            let error = UserError::new(ErrorCode::FixUnwritten)
                .with("path", path)
                .with_aside("message", error.to_string());
            SessionFailure::transient(error)
        })
}

//! Gathers what a reviewer is given, from the clone and from GitHub (§4.4).

use super::Panel;
use super::setup;
use collie_agents::prompting::{
    ExistingThread, Material, Persona, Remark, TextFile, applicable_instructions, background_paths,
    guideline_paths, instruction_paths, linked_documents,
};
use collie_config::{Config, host_of};
use collie_core::agreement::{bot_findings, is_of_bot_alone, is_reviewing_bot};
use collie_core::bots::find_bot;
use collie_core::coverage::UnseenFile;
use collie_core::event::{Outage, SessionFailure};
use collie_core::file_marks::is_binary;
use collie_core::ids::Sha;
use collie_core::policy::Policy;
use collie_core::snapshot::{Comment, Snapshot, Thread};
use collie_core::text::trailing_token;
use collie_engine::ports::{CleanWorktree, DiffFile, GitError, ReviewRequest};
use collie_rules::matches_any_glob;
use std::collections::{BTreeMap, BTreeSet};

/// Documents and guidelines that are larger are not shown.
const MAX_DOCUMENT_BYTES: u64 = 128 * 1024;
/// The most paths of the repository.
const MAX_TREE_PATHS: usize = 20_000;
/// The most findings of one answer: what is not worth a comment of its own goes into the report.
const MAX_FINDINGS: u32 = 40;

impl Panel {
    /// Everything that this reviewer is to know, and which files it is not shown whatever room there is.
    pub(super) async fn gather_material(
        &self,
        request: &ReviewRequest,
        config: &Config,
    ) -> Result<(Material, Vec<UnseenFile>), SessionFailure> {
        let name = &request.reviewer.name;
        let mut persona = setup::load_persona(&config.home, &request.personas, name)?;
        // It is offered just those who would be let in.
        persona.may_escalate_to = request.reviewer.may_escalate_to.iter().cloned().collect();
        let snapshot = self.pulls.snapshot(request.worktree.pull()).await?;
        let change = self.read_change(request).await.map_err(git_failure)?;
        let worktree = &request.worktree;
        let mut paths = self.list_paths(worktree, worktree.head()).await?;
        paths.truncate(MAX_TREE_PATHS);
        let host = host_of(&config.api_url);
        let refs = [snapshot.base_ref.as_str(), snapshot.head_ref.as_str()];
        let documents = linked_documents(&snapshot.body, &snapshot.repo, &host, &refs);
        let base_paths = self.list_paths(worktree, &request.base).await?;
        let background = background_paths(&base_paths, &persona.name);
        let background = self.read_text_files(worktree, &request.base, &background);
        let background = background.await?;
        let under_review = change.delta.as_deref().unwrap_or(&change.files);
        let mut context = self
            .read_context(worktree, &snapshot, under_review, background)
            .await?;
        context.memory = self.recall(request, &snapshot.repo).await;
        context.colleagues = colleagues(&persona, request, config);
        let material = Material {
            context,
            part: None,
            repo: snapshot.repo.clone(),
            number: snapshot.number,
            base: worktree.merge_base().clone(),
            head: worktree.head().clone(),
            files: change.files,
            delta: change.delta,
            tree: paths,
            guidelines: self
                .guidelines_among(&base_paths, worktree, &request.base, &request.diff)
                .await?,
            documents: self
                .read_text_files(worktree, worktree.head(), &documents)
                .await?,
            issues: self.pulls.linked_issues(&snapshot).await,
            threads: existing_threads(&snapshot, &request.policy),
            bot_findings: bot_findings(&request.policy, &snapshot),
            conversation: conversation_remarks(&snapshot, &request.policy),
            tracked_findings: request.known_findings.clone(),
            earlier_fixes: self.earlier_fixes(request).await.map_err(git_failure)?,
            persona,
            strictness: request.policy.strictness,
            comment_threshold: request.policy.comment_threshold,
            max_findings: MAX_FINDINGS,
            language: Some(language_name(config).to_owned()),
            title: snapshot.title.as_raw().to_owned(),
            description: snapshot.body,
            author: snapshot.author.map(|author| author.login),
        };
        Ok((material, change.unseen))
    }

    async fn list_paths(
        &self,
        tree: &CleanWorktree,
        at: &Sha,
    ) -> Result<Vec<String>, SessionFailure> {
        self.git.paths_at(tree, at).await.map_err(git_failure)
    }

    /// The text files among these that are there.
    pub(super) async fn read_text_files(
        &self,
        tree: &CleanWorktree,
        commit: &Sha,
        paths: &[String],
    ) -> Result<Vec<TextFile>, SessionFailure> {
        let mut files = Vec::new();
        for path in paths {
            let read = self
                .git
                .file_at(tree, commit, path, MAX_DOCUMENT_BYTES)
                .await;
            let bytes = read.map_err(git_failure)?;
            if let Some(bytes) = bytes.filter(|bytes| !is_binary(bytes)) {
                files.push(TextFile {
                    path: path.clone(),
                    text: String::from_utf8_lossy(&bytes).into_owned(),
                });
            }
        }
        Ok(files)
    }

    /// The repository's guidelines, from the base (§9.3).
    pub(super) async fn guidelines(
        &self,
        tree: &CleanWorktree,
        base: &Sha,
        diff: &[DiffFile],
    ) -> Result<Vec<TextFile>, SessionFailure> {
        let paths = self.list_paths(tree, base).await?;
        self.guidelines_among(&paths, tree, base, diff).await
    }

    /// Those among the paths of the base; instructions for paths only where the change touches one of these.
    async fn guidelines_among(
        &self,
        base_paths: &[String],
        tree: &CleanWorktree,
        base: &Sha,
        diff: &[DiffFile],
    ) -> Result<Vec<TextFile>, SessionFailure> {
        let changed: Vec<&str> = diff.iter().map(|file| file.path.as_str()).collect();
        let instructions = instruction_paths(base_paths);
        let instructions = self.read_text_files(tree, base, &instructions).await?;
        let mut guidelines = applicable_instructions(instructions, &changed, &matches_any_glob);
        let paths = guideline_paths(base_paths, &changed);
        guidelines.extend(self.read_text_files(tree, base, &paths).await?);
        Ok(guidelines)
    }
}

/// The titles of those whom a persona may ask in, by name.
fn colleagues(
    persona: &Persona,
    request: &ReviewRequest,
    config: &Config,
) -> BTreeMap<String, String> {
    let titled = persona.may_escalate_to.iter().filter_map(|name| {
        let colleague = setup::load_persona(&config.home, &request.personas, name).ok()?;
        Some((name.clone(), colleague.title))
    });
    titled.collect()
}

/// Collie's own words end with its token, in a body of an account that it posts as (§7.1).
fn is_posted_by_collie(snapshot: &Snapshot, comment: &Comment) -> bool {
    let author = comment.author.as_ref();
    let by_own = author.is_some_and(|author| snapshot.may_be_own(author.id));
    by_own && trailing_token(&comment.body).is_some()
}

pub(super) fn remark_of(comment: &Comment) -> Option<Remark> {
    Some(Remark {
        login: comment.author.as_ref()?.login.clone(),
        text: comment.body.clone(),
    })
}

/// Whether somebody opened it whose word counts. An allowed name is left to the step that posts, which knows whom it stands for.
fn is_trusted(snapshot: &Snapshot, policy: &Policy, thread: &Thread) -> bool {
    let opener = thread.comments.first().and_then(|c| c.author.as_ref());
    opener.is_some_and(|actor| match find_bot(policy, actor) {
        Some(bot) => bot.reviews,
        None => {
            let may_write = !actor.is_bot && snapshot.may_write(actor.id);
            may_write && !snapshot.is_for_collie_alone(actor.id)
        }
    })
}

fn existing_threads(snapshot: &Snapshot, policy: &Policy) -> Vec<ExistingThread> {
    let thread = |thread: &Thread| ExistingThread {
        id: thread.id.clone(),
        path: thread.path.clone(),
        line: thread.line,
        resolved: thread.resolved,
        outdated: thread.outdated,
        by_collie: thread
            .comments
            .first()
            .is_some_and(|c| is_posted_by_collie(snapshot, c)),
        trusted: is_trusted(snapshot, policy, thread),
        of_bot_alone: is_of_bot_alone(policy, snapshot, thread),
        comments: thread.comments.iter().filter_map(remark_of).collect(),
    };
    snapshot.threads.iter().map(thread).collect()
}

/// What is said beside the code. What review bots found is kept from reviewers, as their threads are.
fn conversation_remarks(snapshot: &Snapshot, policy: &Policy) -> Vec<Remark> {
    let by_bot = |comment: &Comment| {
        let author = comment.author.as_ref();
        author.is_some_and(|author| is_reviewing_bot(policy, author))
    };
    let others = |comment: &&Comment| !is_posted_by_collie(snapshot, comment) && !by_bot(comment);
    snapshot
        .comments
        .iter()
        .filter(others)
        .filter_map(remark_of)
        .collect()
}

fn language_name(config: &Config) -> &'static str {
    match config.language {
        "fr" => "French",
        _ => "English",
    }
}

/// Paths that the pull request changes, which a fix may change too (§6.3).
pub(super) fn fixable_paths(diff: &[DiffFile]) -> Vec<String> {
    let paths = diff
        .iter()
        .flat_map(|file| [Some(&file.path), file.old_path.as_ref()]);
    let paths: BTreeSet<&String> = paths.flatten().collect();
    paths.into_iter().cloned().collect()
}

pub(super) fn git_failure(error: GitError) -> SessionFailure {
    match error {
        GitError::Unreachable { .. } => {
            SessionFailure::outage(Outage::Unreachable { until: None }, error)
        }
        error => SessionFailure::transient(error),
    }
}

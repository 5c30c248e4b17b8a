//! One review of a pull request, without a loop and without a fix (§14, `collie review`).
//!
//! Reviewers, evidence, consensus, words and tokens are those of a loop. The checkout is its own, so that it gets in nobody's way:
//! an engine may work on the same data folder meanwhile.

mod checkout;
mod context;
mod dismissals;
mod error;
mod options;
mod post;
mod prepare;
mod progress;
mod run_reviewers;

pub use error::ReviewError;
pub use options::{Posting, ReviewOptions, ReviewPanel, ReviewPayer};
pub use post::PostOutcome;
use post::RenderedReview;
pub use progress::ReviewProgress;

use crate::command_account::CommandBook;
use crate::engine_client::local::{EngineSetup, redactor};
use checkout::ReviewCheckout;
use collie_core::budget::Budget;
use collie_core::comments::changes_requested_by_trusted;
use collie_core::coverage::Coverage;
use collie_core::ids::{Login, PullName, Sha};
use collie_core::policy::Policy;
use collie_core::post::ReviewOutcome;
use collie_core::session::LeftOut;
use collie_core::step::{PostedReport, posted_report};
use collie_core::tracked_finding::TrackedFinding;
use collie_core::usage::Usage;
use collie_engine::ports::{BudgetAccount, Git, RenderedInlineComment};
use collie_i18n::{Redactor, Renderer};
use context::ReviewContext;
use run_reviewers::{DraftReview, fetch_first, new_loop_state, review_policy, run_reviewers};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A review that was made.
#[derive(Clone, Debug)]
pub struct CompletedReview {
    /// The pull request, under its present name.
    pub pull: PullName,
    /// Where a person reads it.
    pub url: String,
    /// The head that was reviewed.
    pub head: Sha,
    /// Who looked; nobody where this head was reviewed before.
    pub reviewers: Vec<String>,
    /// What it came to.
    pub outcome: ReviewOutcome,
    /// What nobody was shown.
    pub coverage: Coverage,
    /// What reviewers were not shown for lack of space, with their names.
    pub left_out: Vec<(String, LeftOut)>,
    /// Files that reviewers did not read since the reading failed, with their names.
    pub unread_files: Vec<(String, Vec<String>)>,
    /// People who said something and of whom GitHub does not say what they may do: they count as without write access (§9.1).
    pub permission_unread: BTreeSet<Login>,
    /// Everything that counts, the most urgent first; each with what goes on its line, where something does.
    pub findings: Vec<(TrackedFinding, Option<RenderedInlineComment>)>,
    /// What nobody is sure enough of: it does not count.
    pub unsure: Vec<TrackedFinding>,
    /// The review's own text, complete.
    pub body: String,
    /// What goes on lines, in the order of file and line.
    pub comments: Vec<RenderedInlineComment>,
    /// What it cost.
    pub usage: Usage,
    /// What became of it on GitHub.
    pub posted: PostOutcome,
}

/// What puts words to the review, in the language of the moment.
fn review_renderer(context: &ReviewContext) -> Renderer {
    let live = context.config.clone();
    Renderer::live(move || live.language(), review_redactor(context))
}

fn review_redactor(context: &ReviewContext) -> Redactor {
    redactor(&context.config.get(), context.known_secrets())
}

/// A finding as it may leave this machine: formats other than the report go to GitHub and to agents too (§8.3).
fn redact_finding(mut tracked: TrackedFinding, redactor: &Redactor) -> TrackedFinding {
    let finding = &mut tracked.finding;
    for text in [&mut finding.title, &mut finding.description] {
        *text = redactor.redact(text);
    }
    for text in [&mut finding.suggestion, &mut finding.evidence]
        .into_iter()
        .flatten()
    {
        *text = redactor.redact(text);
    }
    // Code that something was taken out of is no replacement any more.
    let is_whole = |text: &str| redactor.redact(text) == text;
    tracked.replacement = tracked.replacement.filter(|new| is_whole(&new.text));
    tracked
}

/// Where the review counts what it spends, and what it may. Without a limit nothing keeps it: what cannot be written down then is only logged.
async fn open_account(
    context: &ReviewContext,
    options: &ReviewOptions,
    policy: &Policy,
) -> Result<Option<Arc<dyn BudgetAccount>>, ReviewError> {
    let mut budget = context.config.get().budget;
    budget.pull_request = budget.pull_request.tightened_by(policy.budget);
    let book = match &options.payer {
        ReviewPayer::Nobody => return Ok(None),
        ReviewPayer::Book(book) => book.clone(),
        ReviewPayer::DataFolder => match CommandBook::open(&context.data).await {
            Ok(book) => book,
            Err(error) if budget == Budget::default() => {
                tracing::warn!(%error, "what this review spends is not counted");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        },
    };
    let pull = match &options.payer {
        ReviewPayer::DataFolder => Some((context.pull.id.clone(), context.name.repo.clone())),
        ReviewPayer::Book(_) | ReviewPayer::Nobody => None,
    };
    Ok(Some(book.account(pull, budget)))
}

/// What is there of a head that was reviewed before: asking again would cost, and might come to something else than what is posted.
///
/// What people say may have changed since, and is as it is now.
fn reviewed_before(context: ReviewContext, posted: PostedReport) -> CompletedReview {
    let state = new_loop_state(&context, context.config.get().policy.clone());
    let requested = changes_requested_by_trusted(&state, &context.snapshot);
    let permission_unread = context.snapshot.people_of_unread_permission();
    CompletedReview {
        pull: context.name,
        url: context.snapshot.url,
        head: context.snapshot.head,
        reviewers: Vec::new(),
        outcome: ReviewOutcome {
            changes_requested: !requested.is_empty(),
            ..posted.outcome
        },
        coverage: Coverage::default(),
        left_out: Vec::new(),
        unread_files: Vec::new(),
        permission_unread,
        findings: Vec::new(),
        unsure: Vec::new(),
        body: posted.body,
        comments: Vec::new(),
        usage: Usage::default(),
        posted: PostOutcome::AlreadyPosted(posted.id),
    }
}

/// Reviews once, and posts the review unless that was not wanted. Ends soon after `cancel`, but not while it posts.
pub async fn review(
    setup: EngineSetup,
    options: &ReviewOptions,
    on_progress: &(dyn Fn(ReviewProgress<'_>) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<CompletedReview, ReviewError> {
    on_progress(ReviewProgress::Reading);
    let stopped = || ReviewError::Stopped {
        pull: options.pull.clone(),
    };
    let context = tokio::select! {
        work = prepare::prepare(setup, options) => work?,
        () = cancel.cancelled() => return Err(stopped()),
    };
    let is_dry = options.posting == Posting::DryRun;
    let before = posted_report(&context.pull.id, &context.snapshot).filter(|_| !is_dry);
    let before = match before {
        Some(posted) if !options.look_again => return Ok(reviewed_before(context, posted)),
        Some(posted) => Some(posted.id),
        None => None,
    };
    let checkout = ReviewCheckout::acquire(&context.data)?;
    let git: Arc<dyn Git> = Arc::new(checkout.worktrees(&context)?);
    let policy = async {
        fetch_first(&context, git.as_ref()).await;
        review_policy(&context, git.as_ref(), options.panel).await
    };
    let draft = tokio::select! {
        policy = policy => {
            let policy = policy?;
            let account = open_account(&context, options, &policy).await?;
            let state = new_loop_state(&context, policy.clone());
            dismissals::remember_dismissals(&context, git.as_ref(), &state).await;
            run_reviewers(&context, &git, (policy, account), on_progress, cancel).await
        }
        () = cancel.cancelled() => Err(stopped()),
    };
    let clean_up = async {
        if let Err(error) = git.clean_up(&context.pull).await {
            tracing::warn!(%error, "the checkout of a review stays behind");
        }
    };
    let post = async {
        let made = draft?;
        if cancel.is_cancelled() {
            return Err(stopped());
        }
        let (rendered, posted) = post_draft(&context, (is_dry, before), &made, on_progress).await?;
        Ok((made, rendered, posted))
    };
    // Nothing of the checkout is needed for posting.
    let (outcome, ()) = tokio::join!(post, clean_up);
    let (made, rendered, posted) = outcome?;
    let redactor = review_redactor(&context);
    let redacted = |found: Vec<TrackedFinding>| -> Vec<TrackedFinding> {
        let each = found.into_iter();
        each.map(|tracked| redact_finding(tracked, &redactor))
            .collect()
    };
    Ok(CompletedReview {
        permission_unread: context.snapshot.people_of_unread_permission(),
        pull: context.name,
        url: context.snapshot.url,
        head: context.snapshot.head,
        reviewers: made.reviewers,
        outcome: made.review.outcome,
        coverage: made.review.coverage,
        left_out: made.review.left_out,
        unread_files: made.review.unread_files,
        unsure: redacted(made.review.unsure),
        findings: rendered.with_comments(redacted(made.review.findings)),
        body: rendered.body,
        comments: rendered.comments.into_iter().map(|(_, c)| c).collect(),
        usage: made.review.usage,
        posted,
    })
}

/// Puts a review into words, and posts it unless that was not wanted or it is there, under a number, from `before`.
async fn post_draft(
    context: &ReviewContext,
    (is_dry, before): (bool, Option<u64>),
    made: &DraftReview,
    on_progress: &(dyn Fn(ReviewProgress<'_>) + Send + Sync),
) -> Result<(RenderedReview, PostOutcome), ReviewError> {
    let renderer = review_renderer(context);
    let rendered = post::render_review(&renderer, &made.review, &context.snapshot.head);
    if is_dry {
        return Ok((rendered, PostOutcome::NotPosted));
    }
    if let Some(id) = before {
        return Ok((rendered, PostOutcome::AlreadyPosted(id)));
    }
    on_progress(ReviewProgress::Posting);
    let posted = post::post_review(context, &made.review.report.token, &rendered).await?;
    if matches!(posted, PostOutcome::Posted(_)) {
        post::post_additions(context, &renderer, &made.review.additions).await?;
    }
    Ok((rendered, posted))
}

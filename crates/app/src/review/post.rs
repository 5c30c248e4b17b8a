//! Puts a review on GitHub, once (§8).

use super::context::ReviewContext;
use super::error::ReviewError;
use crate::clock::SystemClock;
use crate::engine_client::journal::open_reader;
use crate::engine_client::policies::ConfiguredPolicies;
use collie_core::ids::{ActionToken, Fingerprint, Sha};
use collie_core::post::{Post, PostContent, ReviewEvent};
use collie_core::step::SingleReview;
use collie_core::tracked_finding::TrackedFinding;
use collie_engine::EngineConfig;
use collie_engine::ports::{
    AuditAction, AuditEntry, Clock as _, GitHub as _, GitHubError, PolicySource as _,
    RenderedInlineComment, RenderedPost,
};
use collie_i18n::Renderer;
use std::collections::BTreeMap;

/// How often it is sent when it is not known whether it arrived.
const MAX_ATTEMPTS: usize = 3;
/// A wait that GitHub asks for is kept when it is no longer, in milliseconds.
const MAX_WAIT_MS: u64 = 2 * 60_000;

/// What became of the review on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostOutcome {
    /// It was posted under this number.
    Posted(u64),
    /// One of this head was posted before, under this number; nothing was added.
    AlreadyPosted(u64),
    /// Nothing was to be posted.
    NotPosted,
}

/// A review in words.
pub(super) struct RenderedReview {
    head: Sha,
    pub(super) body: String,
    pub(super) comments: Vec<(Fingerprint, RenderedInlineComment)>,
}

impl RenderedReview {
    /// The findings, each with what goes on its line.
    pub(super) fn with_comments(
        &self,
        findings: Vec<TrackedFinding>,
    ) -> Vec<(TrackedFinding, Option<RenderedInlineComment>)> {
        let comment = |finding: &TrackedFinding| {
            let mut all = self.comments.iter();
            all.find(|(print, _)| *print == finding.fingerprint)
                .map(|(_, comment)| comment.clone())
        };
        findings
            .into_iter()
            .map(|finding| {
                let comment = comment(&finding);
                (finding, comment)
            })
            .collect()
    }
}

/// The report as the text of one review, and on the lines what a loop would say there.
pub(super) fn render_review(
    renderer: &Renderer,
    review: &SingleReview,
    head: &Sha,
) -> RenderedReview {
    let body = match renderer.render(&review.report) {
        RenderedPost::Comment { body }
        | RenderedPost::Reply { body, .. }
        | RenderedPost::Review { body, .. }
        | RenderedPost::Dismissal { message: body, .. } => body,
    };
    let inline = review.inline.as_ref();
    let comments = inline.map_or_else(Vec::new, |post| {
        let fingerprints = match &post.content {
            // Only these are put on a line.
            PostContent::Inline { comments, .. } => comments
                .iter()
                .filter(|comment| comment.finding.line.is_some())
                .map(|comment| comment.fingerprint.clone())
                .collect(),
            _ => Vec::new(),
        };
        match renderer.render(post) {
            RenderedPost::Review { comments, .. } => {
                fingerprints.into_iter().zip(comments).collect()
            }
            RenderedPost::Comment { .. }
            | RenderedPost::Reply { .. }
            | RenderedPost::Dismissal { .. } => Vec::new(),
        }
    });
    RenderedReview {
        head: head.clone(),
        body,
        comments,
    }
}

/// Whether the signed-in account may post here (§9.1), which may be decided already. The decision is audited.
pub(super) async fn check_may_post(
    context: &ReviewContext,
    is_own_account: bool,
) -> Result<(), ReviewError> {
    let viewer = &context.snapshot.viewer;
    let login = viewer.login.clone();
    let allowed = is_own_account
        || ConfiguredPolicies::new(context.config.clone()).may_start(&login)
            && context.snapshot.is_pinned(viewer);
    let action = if allowed {
        AuditAction::PermissionCheckPassed
    } else {
        AuditAction::PermissionCheckDenied
    };
    write_audit(context, action, [("login", login.to_string())].into()).await?;
    let pull = context.name.clone();
    if !allowed {
        Err(ReviewError::Denied { pull, login })
    } else if context.snapshot.pending_review {
        Err(ReviewError::PendingReview { pull, login })
    } else {
        Ok(())
    }
}

/// Posts it, unless a review with this token is there.
pub(super) async fn post_review(
    context: &ReviewContext,
    token: &ActionToken,
    review: &RenderedReview,
) -> Result<PostOutcome, ReviewError> {
    if let Some(id) = context.github.find_post(&context.pull, token).await? {
        return Ok(PostOutcome::AlreadyPosted(id));
    }
    let rendered = RenderedPost::Review {
        event: ReviewEvent::Comment,
        commit: review.head.clone(),
        body: review.body.clone(),
        comments: review.comments.iter().map(|(_, c)| c.clone()).collect(),
    };
    let id = post_until_known(context, token, &rendered).await?;
    audit_post(context, token, id).await?;
    Ok(PostOutcome::Posted(id))
}

/// Adds to threads of others what they lack, each once. One that cannot be delivered any more, to a thread that is gone or locked, is
/// left out: what it says stands in the report.
pub(super) async fn post_additions(
    context: &ReviewContext,
    renderer: &Renderer,
    additions: &[Post],
) -> Result<(), ReviewError> {
    for addition in additions {
        let token = &addition.token;
        if (context.github.find_post(&context.pull, token).await?).is_some() {
            continue;
        }
        match post_until_known(context, token, &renderer.render(addition)).await {
            Ok(id) => audit_post(context, token, id).await?,
            Err(error @ (GitHubError::Undeliverable { .. } | GitHubError::NotFound { .. })) => {
                tracing::info!(%error, "a reply in a thread was not posted");
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

async fn audit_post(
    context: &ReviewContext,
    token: &ActionToken,
    id: u64,
) -> Result<(), ReviewError> {
    let details = [
        ("action_token", token.to_string()),
        ("comment_id", id.to_string()),
    ];
    write_audit(context, AuditAction::CommentPosted, details.into()).await
}

/// Sends it until it is known to have arrived, or refused. What is in doubt is looked for before it is sent again (§8.2).
async fn post_until_known(
    context: &ReviewContext,
    token: &ActionToken,
    rendered: &RenderedPost,
) -> Result<u64, GitHubError> {
    let mut attempts = 1;
    let mut doubt = false;
    loop {
        let error = match context.github.post(&context.pull, rendered, None).await {
            Ok(id) => return Ok(id),
            Err(error) => error,
        };
        let now = SystemClock.now();
        match &error {
            GitHubError::RetryLater { until, .. } if until.since(now) <= MAX_WAIT_MS => {
                SystemClock.sleep_until(*until).await;
            }
            GitHubError::OutcomeUnknown { .. } => doubt = true,
            GitHubError::RetryLater { .. }
            | GitHubError::NotFound { .. }
            | GitHubError::Unauthorized { .. }
            | GitHubError::Undeliverable { .. }
            | GitHubError::Account { .. }
            | GitHubError::App { .. }
            | GitHubError::ServerTooOld { .. }
            | GitHubError::Refused { .. } => attempts = MAX_ATTEMPTS,
        }
        // How a later attempt went says nothing about whether an earlier one arrived.
        if doubt && let Some(id) = find_in_doubt(context, token).await? {
            return Ok(id);
        }
        if attempts == MAX_ATTEMPTS {
            return Err(error);
        }
        attempts += 1;
    }
}

/// Looks for a post that may have arrived: after a delay and, since GitHub promises no read after write, once more.
async fn find_in_doubt(
    context: &ReviewContext,
    token: &ActionToken,
) -> Result<Option<u64>, GitHubError> {
    for _ in 0..2 {
        let delay = EngineConfig::default().doubt_delay_ms;
        SystemClock.sleep_until(SystemClock.now().plus(delay)).await;
        if let Some(id) = context.github.find_post(&context.pull, token).await? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

async fn write_audit(
    context: &ReviewContext,
    action: AuditAction,
    details: BTreeMap<&str, String>,
) -> Result<(), ReviewError> {
    let store = open_reader(&context.data).await?;
    let entry = AuditEntry {
        at: SystemClock.now(),
        action,
        correlation_id: None,
        subject: context.name.clone().into(),
        details: details
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    };
    let written = store.audit(&entry).await;
    store.close().await;
    Ok(written?)
}

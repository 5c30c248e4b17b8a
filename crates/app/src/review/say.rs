//! Puts a review on GitHub, once (§8).

use super::{Posted, ReviewError, Work};
use crate::clock::SystemClock;
use crate::policies::ConfiguredPolicies;
use crate::words::Words;
use collie_core::ids::{ActionToken, Fingerprint, Sha};
use collie_core::model::TrackedFinding;
use collie_core::post::Content;
use collie_core::step::OneReview;
use collie_engine::EngineConfig;
use collie_engine::ports::{
    AuditAction, AuditEntry, Clock as _, GitHub as _, GitHubError, Journal as _, Policies as _,
    Rendered, RenderedInline, Words as _,
};
use collie_store::{OpenMode, Store};
use std::collections::BTreeMap;

/// How often it is sent when it is not known whether it arrived.
const TRIES: usize = 3;
/// A wait that GitHub asks for is kept when it is no longer, in milliseconds.
const LONGEST_WAIT_MS: u64 = 2 * 60_000;

/// A review in words.
pub(super) struct Spoken {
    head: Sha,
    pub(super) body: String,
    pub(super) comments: Vec<(Fingerprint, RenderedInline)>,
}

impl Spoken {
    /// The findings, each with what goes on its line.
    pub(super) fn beside(
        &self,
        findings: Vec<TrackedFinding>,
    ) -> Vec<(TrackedFinding, Option<RenderedInline>)> {
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
pub(super) fn render(words: &Words, review: &OneReview, head: &Sha) -> Spoken {
    let body = match words.render(&review.report) {
        Rendered::Comment { body }
        | Rendered::Reply { body, .. }
        | Rendered::Review { body, .. } => body,
    };
    let inline = review.inline.as_ref();
    let comments = inline.map_or_else(Vec::new, |post| {
        let prints = match &post.content {
            // Only these are put on a line.
            Content::Inline { comments, .. } => comments
                .iter()
                .filter(|comment| comment.finding.line.is_some())
                .map(|comment| comment.fingerprint.clone())
                .collect(),
            _ => Vec::new(),
        };
        match words.render(post) {
            Rendered::Review { comments, .. } => prints.into_iter().zip(comments).collect(),
            Rendered::Comment { .. } | Rendered::Reply { .. } => Vec::new(),
        }
    });
    Spoken {
        head: head.clone(),
        body,
        comments,
    }
}

/// Whether the signed-in account may post here (§9.1). The decision is audited.
pub(super) async fn may_post(work: &Work) -> Result<(), ReviewError> {
    let login = work.snapshot.viewer.login.clone();
    let allowed = ConfiguredPolicies::new(work.config.clone()).may_start(&login);
    let action = if allowed {
        AuditAction::PermissionCheckPassed
    } else {
        AuditAction::PermissionCheckDenied
    };
    audit(work, action, [("login", login.to_string())].into()).await?;
    let pull = work.name.clone();
    if !allowed {
        Err(ReviewError::Denied { pull, login })
    } else if work.snapshot.pending_review {
        Err(ReviewError::Unsubmitted { pull, login })
    } else {
        Ok(())
    }
}

/// Posts it, unless a review with this token is there.
pub(super) async fn post(
    work: &Work,
    token: &ActionToken,
    spoken: &Spoken,
) -> Result<Posted, ReviewError> {
    if let Some(id) = work.github.find_posted(&work.pull, token).await? {
        return Ok(Posted::Before(id));
    }
    let rendered = Rendered::Review {
        commit: spoken.head.clone(),
        body: spoken.body.clone(),
        comments: spoken.comments.iter().map(|(_, c)| c.clone()).collect(),
    };
    let id = send(work, token, &rendered).await?;
    let details = [
        ("action_token", token.to_string()),
        ("comment_id", id.to_string()),
    ];
    audit(work, AuditAction::CommentPosted, details.into()).await?;
    Ok(Posted::Now(id))
}

/// Sends it until it is known to have arrived, or refused. What is in doubt is looked for before it is sent again (§8.2).
async fn send(work: &Work, token: &ActionToken, rendered: &Rendered) -> Result<u64, GitHubError> {
    let mut tries = 1;
    loop {
        let error = match work.github.post(&work.pull, rendered).await {
            Ok(id) => return Ok(id),
            Err(error) => error,
        };
        let now = SystemClock.now();
        match &error {
            GitHubError::Wait { until, .. } if until.since(now) <= LONGEST_WAIT_MS => {
                SystemClock.sleep_until(*until).await;
            }
            GitHubError::Unclear { .. } => {
                // GitHub promises no read after write: once more.
                for _ in 0..2 {
                    let later = SystemClock
                        .now()
                        .plus(EngineConfig::default().doubt_delay_ms);
                    SystemClock.sleep_until(later).await;
                    if let Some(id) = work.github.find_posted(&work.pull, token).await? {
                        return Ok(id);
                    }
                }
            }
            GitHubError::Wait { .. }
            | GitHubError::NotFound { .. }
            | GitHubError::Unauthorized { .. }
            | GitHubError::Refused { .. } => return Err(error),
        }
        if tries == TRIES {
            return Err(error);
        }
        tries += 1;
    }
}

async fn audit(
    work: &Work,
    action: AuditAction,
    details: BTreeMap<&str, String>,
) -> Result<(), ReviewError> {
    let store = Store::open(&work.data, OpenMode::Reader).await?;
    let entry = AuditEntry {
        at: SystemClock.now(),
        action,
        correlation_id: None,
        pull: work.name.clone(),
        details: details
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    };
    let written = store.audit(&entry).await;
    store.close().await;
    Ok(written?)
}

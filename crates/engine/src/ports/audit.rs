//! The audit log (§9.6).

use collie_core::ids::{PullName, RepoName, RunId, Time};
use std::collections::BTreeMap;

/// One line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AuditEntry {
    /// When.
    pub at: Time,
    /// What: a name of §9.6.
    pub action: AuditAction,
    /// The run's correlation id; none before there is a run.
    pub correlation_id: Option<RunId>,
    /// What it is about.
    pub subject: AuditSubject,
    /// Further fields, such as `event_key` and `action_token`.
    pub details: BTreeMap<String, String>,
}

/// What an entry of the audit log is about.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditSubject {
    /// A pull request: the field `pull`, `owner/repo#n`.
    Pull(PullName),
    /// A repository: the field `repo`, `owner/repo`.
    Repository(RepoName),
}

impl From<PullName> for AuditSubject {
    fn from(pull: PullName) -> Self {
        AuditSubject::Pull(pull)
    }
}

impl From<RepoName> for AuditSubject {
    fn from(repo: RepoName) -> Self {
        AuditSubject::Repository(repo)
    }
}

/// Actions of the audit log (§9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// A run began.
    PrReviewLoopStarted,
    /// A run ended well: ready and merged, or closed.
    PrReviewLoopCompleted,
    /// A run ended as `needs_human` or `failed`, or was cancelled.
    PrReviewLoopFailed,
    /// An iteration ended.
    PrReviewLoopIteration,
    /// The fixer began.
    PrFixerStarted,
    /// Its commit is on the remote.
    PrFixerChangesApplied,
    /// It ended without a result.
    PrFixerFailed,
    /// A verified bot's feedback was taken in.
    ExternalBotCommentTrusted,
    /// A comment claims to be a bot's and is not.
    ExternalBotCommentRejected,
    /// The login may start loops, or the user allowed something (§6.3e, §9.1).
    PermissionCheckPassed,
    /// It may not, the user took something back, or an author may not be fixed.
    PermissionCheckDenied,
    /// A person has looked at what no reviewer was shown (§4.4).
    UnseenFilesSeen,
    /// A person dismissed a finding, with a reason.
    FindingDismissed,
    /// A person told the fixer something.
    FixerNoted,
    /// A trusted person's command in a comment was obeyed (§7).
    CommandObeyed,
    /// How far Collie goes by itself was set (§13.7).
    AutonomyChanged,
    /// A person paused everything (§15).
    Paused,
    /// A person let everything go on.
    Unpaused,
    /// A person let a commit be pushed.
    PushApproved,
    /// A person did not let a commit be pushed.
    PushRejected,
    /// A post was confirmed.
    CommentPosted,
    /// One act is shown as more than one post (§8.2).
    CommentDuplicated,
    /// Somebody edited a post.
    CommentEdited,
    /// Somebody deleted a post.
    CommentDeleted,
    /// A person confirmed a merge in the dialog (§11); written before GitHub is asked.
    MergeRequested,
    /// GitHub shows it merged.
    MergeCompleted,
    /// It was refused, or its outcome is unknown.
    MergeFailed,
}

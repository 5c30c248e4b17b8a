//! What a step has to remark: for the timeline and the audit log, never to decide from.

use crate::ids::{AccountId, ActionToken, EventKey, Fingerprint, Login, RunId, Sha};
use crate::session::SessionSummary;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

/// What a step has to remark: why an event changed nothing, what was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum Note {
    /// The event makes no sense in this state; nothing changed.
    Ignored {
        /// Why: a code such as `terminal`, `stale_snapshot`, `unknown_effect`.
        reason: String,
    },
    /// Somebody else moved the head.
    HeadMoved {
        /// From.
        from: Sha,
        /// To.
        to: Sha,
    },
    /// A comment claims to be a bot's and bears another account's id (§3.4).
    Impostor {
        /// The comment.
        comment: u64,
        /// Who wrote it.
        login: Login,
        /// Whom it claims to be.
        claims: String,
    },
    /// The author has no write access and was not allowed: nothing is fixed (§9.1).
    AuthorDenied {
        /// Who; none when the account is gone.
        login: Option<Login>,
        /// The account.
        id: Option<AccountId>,
    },
    /// A verified bot's feedback was taken in.
    BotTrusted {
        /// The account.
        id: AccountId,
        /// Its name.
        login: Login,
        /// The event key.
        key: EventKey,
    },
    /// How a reviewer or the fixer worked.
    #[serde(alias = "worked")]
    SessionFinished {
        /// The reviewer; none for the fixer.
        reviewer: Option<String>,
        /// Its account.
        #[serde(alias = "account")]
        session: Box<SessionSummary>,
        /// What it cost.
        usage: Usage,
    },
    /// A finding came back after it was fixed.
    BecameStuck {
        /// Which.
        fingerprint: Fingerprint,
    },
    /// A run began.
    RunStarted {
        /// Its id.
        run: RunId,
    },
    /// An iteration ended with a push.
    IterationDone {
        /// Which.
        iteration: u32,
        /// The commit.
        commit: Sha,
    },
    /// A post will never arrive.
    Undeliverable {
        /// Its token.
        token: ActionToken,
        /// GitHub's words.
        message: String,
    },
}

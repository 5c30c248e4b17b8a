//! What a step has to remark: for the timeline and the audit log, never to decide from.

use crate::autonomy::Autonomy;
use crate::blocker::BlockerCode;
use crate::failure_cause::FailureCause;
use crate::ids::{AccountId, ActionToken, EventKey, Fingerprint, Login, RunId, Sha, TurnKey};
use crate::loop_state::PullEnd;
use crate::merge_queue::Ejection;
use crate::policy::ReviewerKind;
use crate::review::Conclusion;
use crate::session::{RefusedHosts, SessionSummary};
use crate::token_right::TokenRight;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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
    /// An account bears a name of the configuration that stands for another account (§9.1): it is not trusted for it.
    LoginReused {
        /// The name.
        login: Login,
        /// The account that the name stands for.
        pinned: AccountId,
        /// The account that bears it now.
        found: AccountId,
    },
    /// GitHub does not tell the token what somebody may do here: they count as having no write access.
    PermissionUnread {
        /// Their account.
        id: AccountId,
        /// Its name.
        login: Login,
    },
    /// The token lacks rights for what Collie writes: nothing is written until it has them.
    RightsLacking {
        /// Which.
        rights: BTreeSet<TokenRight>,
    },
    /// The token has by now what it lacked.
    RightsGranted,
    /// Keys of the repository's configuration that had no effect: they would have widened what the user set (§12).
    ConfigWithoutEffect {
        /// The commit that it was read from.
        commit: Sha,
        /// The keys.
        keys: BTreeSet<String>,
    },
    /// What people and bots said and nobody has answered is handed over as one turn (§7.2).
    FeedbackTurn {
        /// Which.
        turn: TurnKey,
        /// Its events.
        events: BTreeSet<EventKey>,
    },
    /// A trusted person's command in a comment was obeyed.
    CommandObeyed {
        /// Who.
        by: Login,
        /// What, without what it begins with.
        words: String,
        /// The comment.
        key: EventKey,
    },
    /// Somebody who is not trusted wrote a command: nothing was done.
    CommandDenied {
        /// Who.
        by: Login,
        /// What.
        words: String,
        /// The comment.
        key: EventKey,
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
    /// Hosts that the sandbox refused, where no session that finished tells of them (§9.5).
    HostsRefused {
        /// The reviewer; none for the fixer, or for what prepared the verification of its work.
        reviewer: Option<String>,
        /// They.
        hosts: RefusedHosts,
    },
    /// A session was broken off; this is what it had cost by then.
    SessionCancelled {
        /// As far as is known.
        usage: Usage,
    },
    /// Failed checks are run once more before they count (§3.3).
    ChecksRerun {
        /// Each with why it failed.
        checks: Vec<(String, FailureCause)>,
    },
    /// GitHub took the pull request out of the merge queue.
    QueueEjected {
        /// When, why, and by which checks.
        ejection: Box<Ejection>,
    },
    /// What a fixer said was fixed stands after all, and goes back to it (§5.2).
    ClaimRefuted {
        /// Which finding.
        fingerprint: Fingerprint,
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
    /// A person has looked at what no reviewer was shown (§4.4).
    FilesSeen {
        /// Who.
        by: Login,
        /// The head.
        head: Sha,
        /// How many text files nobody had been shown.
        count: u32,
    },
    /// A reviewer is done with a head.
    ReviewDone {
        /// Who.
        reviewer: String,
        /// What it is.
        kind: ReviewerKind,
        /// The head.
        head: Sha,
        /// What it concluded.
        verdict: Conclusion,
        /// How many findings it has there.
        findings: u32,
    },
    /// A commit of Collie's is on the branch.
    Pushed {
        /// Which.
        commit: Sha,
    },
    /// A commit of Collie's does not go on top of what was pushed meanwhile: it is given up (§6.4).
    PushConflicted {
        /// Which.
        commit: Sha,
    },
    /// It waits for something else than before.
    Waits {
        /// For what.
        blocker: BlockerCode,
        /// Whether only a person can end that.
        needs_person: bool,
    },
    /// Other bots than before have yet to review the head, whatever it waits for meanwhile.
    BotsAwaited {
        /// They; none once nobody is waited for.
        names: BTreeSet<String>,
    },
    /// A person dismissed a finding (§13.8).
    FindingDismissed {
        /// Who.
        by: Login,
        /// Which.
        fingerprint: Fingerprint,
        /// Its title.
        title: String,
        /// Why.
        reason: String,
    },
    /// A person told the fixer something for its next turn.
    FixerNoted {
        /// Who.
        by: Login,
        /// The finding that it is about; none where it is about the change as a whole.
        fingerprint: Option<Fingerprint>,
        /// What.
        text: String,
    },
    /// How far Collie goes by itself has changed (§13.7).
    AutonomyChanged {
        /// Who set it; none where the repository or a label did.
        by: Option<Login>,
        /// How far.
        level: Autonomy,
    },
    /// A person has paused everything, or lets it go on.
    PauseChanged {
        /// Who.
        by: Login,
        /// Whether it is paused now.
        paused: bool,
    },
    /// What was held is thrown away: it was made for a head that is gone.
    HeldDiscarded {
        /// How many posts.
        count: u32,
    },
    /// A person lets a commit be pushed.
    PushApproved {
        /// Who.
        by: Login,
        /// The commit.
        commit: Sha,
    },
    /// A person does not let a commit be pushed.
    PushRejected {
        /// Who.
        by: Login,
        /// The commit.
        commit: Sha,
        /// What they said; may be empty.
        words: String,
    },
    /// The pull request has ended, after the run had stopped for something else.
    PullEnded {
        /// How.
        end: PullEnd,
    },
    /// A post will never arrive.
    Undeliverable {
        /// Its token.
        token: ActionToken,
        /// GitHub's words.
        message: String,
    },
    /// GitHub shows one act of Collie's more than once: what must never be (§8.2).
    PostDuplicated {
        /// Its token.
        token: ActionToken,
        /// GitHub's numbers of the posts.
        ids: Vec<u64>,
    },
    /// Somebody edited a post of Collie's.
    PostEdited {
        /// `comment:`, `thread:` or `review:` and GitHub's number.
        place: String,
    },
    /// Somebody deleted a post of Collie's. It is not posted again.
    PostDeleted {
        /// `comment:`, `thread:` or `review:` and GitHub's number.
        place: String,
    },
}

//! Why a loop waits (§2): a code with arguments. The words for it are in `locales/`.

use crate::budget::BudgetExceeded;
use crate::ids::{AccountId, Login, Sha, Time};
use crate::merge_queue::EjectionCause;
use crate::own_accounts::{AccountProblem, AccountTrouble, AppProblem};
use crate::token_right::TokenRight;
use crate::user_error::{TextArg, UserError};
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, IntoStaticStr};

/// What a waiting loop waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumDiscriminants)]
#[strum_discriminants(
    name(BlockerCode),
    doc = " The codes of [`Blocker`], as they are written in JSON and in the Fluent key `blocker-…`.",
    derive(Hash, Serialize, Deserialize, IntoStaticStr),
    serde(rename_all = "snake_case"),
    strum(serialize_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", strum_discriminants(derive(ts_rs::TS)))]
#[serde(rename_all = "snake_case", tag = "code")]
pub enum Blocker {
    /// Accepted; permission and configuration are being read.
    Starting,
    /// Checks of this head are not done.
    ChecksRunning {
        /// Their names, required ones that have not reported among them.
        names: Vec<String>,
        /// All checks of this head.
        total: u32,
    },
    /// Nothing has reported yet; waits whether something will.
    NoChecksYet {
        /// Until then.
        until: Time,
    },
    /// A check failed; waits for the rest, so that one push answers all.
    CollectingFailures {
        /// What failed.
        failed: Vec<String>,
        /// Until then at the latest.
        until: Time,
    },
    /// A check asks a person to act.
    CheckNeedsAction {
        /// The checks.
        names: Vec<String>,
    },
    /// Checks failed for what the change may not be to blame for; they are run once more.
    RerunningChecks {
        /// The checks.
        names: Vec<String>,
    },
    /// Checks fail on the base too: nothing is fixed until the base is put right (§3.3).
    BaseBroken {
        /// The checks.
        names: Vec<String>,
        /// The base branch.
        base: String,
    },
    /// Bots have not reviewed this head.
    BotsPending {
        /// Their names.
        names: Vec<String>,
        /// Until then.
        until: Time,
    },
    /// Bots that are expected are out of quota, and say until when.
    BotsOutOfQuota {
        /// Their names.
        names: Vec<String>,
        /// Until then.
        until: Time,
    },
    /// Reviewers of the panel are at work.
    Reviewing {
        /// Their names.
        names: Vec<String>,
    },
    /// People of the panel have to review.
    AwaitingReviewer {
        /// Their names.
        logins: Vec<Login>,
    },
    /// People asked for changes; all was answered, they have to look again.
    ChangesRequested {
        /// Their names.
        logins: Vec<Login>,
    },
    /// Threads wait for a person's answer.
    ThreadsOpen {
        /// How many.
        count: u32,
    },
    /// Comments outside of threads are left to people, and nobody has settled them.
    CommentsOpen {
        /// How many.
        count: u32,
        /// Who wrote them.
        logins: Vec<Login>,
    },
    /// The fixer is at work.
    Fixing {
        /// How many findings it was handed.
        count: u32,
    },
    /// The verify commands that were trusted are run on the fix that waited for that.
    Verifying,
    /// A fix is done, and nobody has said yet that the repository's verify commands may run (§6.3e).
    VerifyUntrusted {
        /// The commands, in order.
        commands: Vec<String>,
    },
    /// The author has no write access, and nobody has said yet that this author's work may be fixed (§9.1).
    AuthorNotAllowed {
        /// Who opened the pull request; none when the account is gone.
        login: Option<Login>,
        /// The account.
        id: Option<AccountId>,
    },
    /// Findings stand, and the configuration wants none of them fixed by Collie.
    FixingOff,
    /// Text files that no reviewer was shown: a person has to look at them (§4.4).
    Unseen {
        /// How many.
        count: u32,
        /// The first of their paths.
        names: Vec<String>,
    },
    /// There is no sandbox on this machine, and work is to be done that runs in one (§9.5).
    NoSandbox {
        /// What is missing, or in the way, and what can be done.
        error: UserError,
    },
    /// A model or agent was not asked, since that might have passed a limit of what may be spent (§15).
    Budget {
        /// Which limit, and what is left of it.
        exceeded: BudgetExceeded,
    },
    /// The base is being merged into the head branch.
    MergingBase {
        /// The base branch.
        base: String,
    },
    /// A person has paused everything: nothing is begun or written until somebody lets it go on (§15).
    Paused {
        /// Who paused it.
        by: Login,
        /// Since then.
        since: Time,
    },
    /// Collie only observes here: what it would write waits until a person lets it (§13.7).
    Observing {
        /// How many writes wait.
        count: u32,
    },
    /// A commit is done, and a person has to approve or reject it before it is pushed (§13.7).
    AwaitingApproval {
        /// The commit.
        commit: Sha,
        /// How many files it changes; 0 where that is not known.
        count: u32,
        /// The first of their paths.
        names: Vec<String>,
    },
    /// The fix is being pushed.
    Pushing,
    /// The push is done, GitHub does not show it yet.
    AwaitingPush,
    /// Comments are being posted.
    Posting,
    /// Ready: a person decides.
    AwaitingMerge,
    /// It is a draft.
    Draft,
    /// It conflicts with its base.
    Conflict {
        /// The base branch.
        base: String,
        /// Why Collie could not merge the base in; none where it has not tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<UserError>,
    },
    /// The base must be merged in first.
    Behind {
        /// The base branch.
        base: String,
        /// Why Collie could not merge the base in; none where it has not tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<UserError>,
    },
    /// GitHub has not computed yet whether it merges cleanly.
    MergeabilityUnknown,
    /// GitHub would refuse to merge, and does not say which of the branch's rules stands against it.
    MergeBlocked,
    /// The branch rules ask for a review.
    ReviewRequired,
    /// It bears the label that keeps Collie away.
    IgnoreLabel {
        /// The label.
        label: String,
    },
    /// The posting account has an unsubmitted review here.
    PendingReview,
    /// Auto-merge is on: what Collie does could complete the merge (§11).
    AutoMerge {
        /// Who switched it on.
        by: Login,
    },
    /// A merge queue holds it (§11).
    MergeQueue,
    /// It was taken out of the merge queue, and a person has to queue it again.
    QueueEjected {
        /// Why.
        cause: EjectionCause,
        /// The checks that failed there.
        names: Vec<String>,
        /// The base branch.
        base: String,
        /// Why Collie could not merge the base in; none where it has not tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<UserError>,
    },
    /// GitHub does not answer.
    Unreachable {
        /// The next try.
        until: Time,
    },
    /// The token is not accepted.
    Unauthorized,
    /// The token lacks a right.
    Forbidden {
        /// GitHub's words.
        message: String,
    },
    /// Something is to be said or pushed as an account of its own, and that account cannot be used (§18.2).
    AccountUnusable {
        /// Which.
        login: Login,
        /// Why.
        problem: AccountProblem,
    },
    /// The GitHub App that Collie acts as cannot act (§18.2).
    AppUnusable {
        /// Why.
        problem: AppProblem,
    },
    /// The token lacks rights for what Collie writes, as GitHub said before anything was written.
    RightsLacking {
        /// Which; all of one kind.
        rights: Vec<TokenRight>,
    },
    /// The server does not know a field without which nothing can be said of a pull request.
    ServerTooOld {
        /// The field, as `Type.field`.
        field: String,
        /// The server's version; empty where it does not tell.
        version: String,
    },
    /// GitHub says there is no such pull request; waits whether that lasts.
    NotFound {
        /// Until then.
        until: Time,
    },
    /// The quota is used up.
    RateLimited {
        /// Until then.
        until: Time,
    },
    /// The repository's `.collie.toml` cannot be read.
    ConfigInvalid {
        /// File, line, key and what was expected.
        #[serde(alias = "message")]
        error: UserError,
    },
}

impl From<AccountTrouble> for Blocker {
    fn from(AccountTrouble { login, problem }: AccountTrouble) -> Self {
        Blocker::AccountUnusable { login, problem }
    }
}

impl Blocker {
    /// The code, as it is written in JSON and in the Fluent key `blocker-…`.
    pub fn code(&self) -> &'static str {
        BlockerCode::from(self).into()
    }

    /// What its text takes up, by name.
    pub fn args(&self) -> Vec<(&'static str, TextArg)> {
        match self {
            Blocker::Starting
            | Blocker::Verifying
            | Blocker::FixingOff
            | Blocker::Pushing
            | Blocker::AwaitingPush
            | Blocker::Posting
            | Blocker::AwaitingMerge
            | Blocker::Draft
            | Blocker::MergeabilityUnknown
            | Blocker::MergeBlocked
            | Blocker::ReviewRequired
            | Blocker::PendingReview
            | Blocker::MergeQueue
            | Blocker::Unauthorized => Vec::new(),
            Blocker::ChecksRunning { names, total } => running_args(names, *total),
            Blocker::NoChecksYet { until }
            | Blocker::Unreachable { until }
            | Blocker::NotFound { until }
            | Blocker::RateLimited { until } => vec![("until", (*until).into())],
            Blocker::CollectingFailures {
                failed: names,
                until,
            }
            | Blocker::BotsOutOfQuota { names, until }
            | Blocker::BotsPending { names, until } => {
                [names_of(names), vec![("until", (*until).into())]].concat()
            }
            Blocker::CheckNeedsAction { names }
            | Blocker::RerunningChecks { names }
            | Blocker::Reviewing { names } => names_of(names),
            Blocker::BaseBroken { names, base } => {
                [names_of(names), text_arg("base", base)].concat()
            }
            Blocker::AwaitingReviewer { logins: of } | Blocker::ChangesRequested { logins: of } => {
                login_args(of)
            }
            Blocker::AwaitingApproval {
                commit,
                count,
                names,
            } => [
                text_arg("commit", commit.short()),
                counted_names(*count, names),
            ]
            .concat(),
            Blocker::ThreadsOpen { count }
            | Blocker::Fixing { count }
            | Blocker::Observing { count } => {
                vec![("count", (*count).into())]
            }
            Blocker::CommentsOpen { count, logins } => {
                let names = logins.iter().map(|login| format!("@{login}"));
                counted_names(*count, &names.collect::<Vec<_>>())
            }
            Blocker::Unseen { count, names } => counted_names(*count, names),
            Blocker::VerifyUntrusted { commands } => commands_args(commands),
            Blocker::AuthorNotAllowed { login, .. } => vec![("login", author_arg(login.as_ref()))],
            Blocker::Conflict { .. } | Blocker::Behind { .. } | Blocker::QueueEjected { .. } => {
                self.base_args()
            }
            Blocker::MergingBase { base } => text_arg("base", base),
            Blocker::IgnoreLabel { label } => text_arg("label", label),
            Blocker::AutoMerge { by } => text_arg("by", &format!("@{by}")),
            Blocker::Paused { by, since } => [
                text_arg("by", &format!("@{by}")),
                vec![("since", (*since).into())],
            ]
            .concat(),
            Blocker::Forbidden { message } => text_arg("message", message),
            Blocker::AppUnusable { problem } => text_arg("problem", problem.name()),
            Blocker::AccountUnusable { login, problem } => [
                text_arg("login", login.as_str()),
                text_arg("problem", problem.name()),
            ]
            .concat(),
            Blocker::ConfigInvalid { error } | Blocker::NoSandbox { error } => error_arg(error),
            Blocker::Budget { exceeded } => exceeded.args(),
            Blocker::RightsLacking { rights } => rights_args(rights),
            Blocker::ServerTooOld { field, version } => server_args(field, version),
        }
    }

    /// The base that stands in the way, and why it could not be merged in.
    fn base_args(&self) -> Vec<(&'static str, TextArg)> {
        match self {
            Blocker::Conflict { base, error } | Blocker::Behind { base, error } => {
                merge_args(base, error.as_ref())
            }
            Blocker::QueueEjected {
                cause,
                names,
                base,
                error,
            } => [
                text_arg("cause", cause.code()),
                names_of(names),
                merge_args(base, error.as_ref()),
            ]
            .concat(),
            _ => Vec::new(),
        }
    }

    /// Whether it is the very thing that keeps Collie from writing, so that what it has to say stays unsaid meanwhile.
    pub fn forbids_writing(&self) -> bool {
        matches!(
            self,
            Blocker::PendingReview
                | Blocker::AutoMerge { .. }
                | Blocker::MergeQueue
                | Blocker::Observing { .. }
                | Blocker::Unauthorized
                | Blocker::Forbidden { .. }
                | Blocker::AccountUnusable { .. }
                | Blocker::AppUnusable { .. }
                | Blocker::RightsLacking { .. }
        )
    }

    /// Whether only a person can end the wait; such a loop is settled (§14).
    pub fn needs_person(&self) -> bool {
        match self {
            Blocker::Budget { exceeded } => exceeded.until.is_none(),
            Blocker::CheckNeedsAction { .. }
            | Blocker::BaseBroken { .. }
            | Blocker::AwaitingReviewer { .. }
            | Blocker::ChangesRequested { .. }
            | Blocker::ThreadsOpen { .. }
            | Blocker::CommentsOpen { .. }
            | Blocker::AwaitingMerge
            | Blocker::Draft
            | Blocker::Conflict { .. }
            | Blocker::Behind { .. }
            | Blocker::MergeBlocked
            | Blocker::ReviewRequired
            | Blocker::VerifyUntrusted { .. }
            | Blocker::AuthorNotAllowed { .. }
            | Blocker::FixingOff
            | Blocker::Paused { .. }
            | Blocker::Observing { .. }
            | Blocker::AwaitingApproval { .. }
            | Blocker::Unseen { .. }
            | Blocker::NoSandbox { .. }
            | Blocker::IgnoreLabel { .. }
            | Blocker::PendingReview
            | Blocker::AutoMerge { .. }
            | Blocker::QueueEjected { .. }
            | Blocker::Unauthorized
            | Blocker::Forbidden { .. }
            | Blocker::AccountUnusable { .. }
            | Blocker::AppUnusable { .. }
            | Blocker::RightsLacking { .. }
            | Blocker::ServerTooOld { .. }
            | Blocker::ConfigInvalid { .. } => true,
            Blocker::Starting
            | Blocker::MergeabilityUnknown
            | Blocker::ChecksRunning { .. }
            | Blocker::NoChecksYet { .. }
            | Blocker::CollectingFailures { .. }
            | Blocker::RerunningChecks { .. }
            | Blocker::BotsPending { .. }
            | Blocker::BotsOutOfQuota { .. }
            | Blocker::Reviewing { .. }
            | Blocker::Fixing { .. }
            | Blocker::Verifying
            | Blocker::MergingBase { .. }
            | Blocker::Pushing
            | Blocker::AwaitingPush
            | Blocker::Posting
            | Blocker::MergeQueue
            | Blocker::Unreachable { .. }
            | Blocker::NotFound { .. }
            | Blocker::RateLimited { .. } => false,
        }
    }
}

fn names_of(names: &[String]) -> Vec<(&'static str, TextArg)> {
    vec![
        ("count", names.len().into()),
        ("names", TextArg::Names(names.to_vec())),
    ]
}

fn text_arg(name: &'static str, text: &str) -> Vec<(&'static str, TextArg)> {
    vec![(name, TextArg::Text(text.to_owned()))]
}

fn running_args(names: &[String], total: u32) -> Vec<(&'static str, TextArg)> {
    vec![
        ("open", names.len().into()),
        ("total", total.into()),
        ("names", TextArg::Names(names.to_vec())),
    ]
}

/// The field, and the version: `none` where the server does not tell it.
fn server_args(field: &str, version: &str) -> Vec<(&'static str, TextArg)> {
    let version = if version.is_empty() { "none" } else { version };
    [text_arg("field", field), text_arg("version", version)].concat()
}

/// What is lacking, and of which `kind` it is: a classic token's `scope`, or a `permission`.
fn rights_args(rights: &[TokenRight]) -> Vec<(&'static str, TextArg)> {
    let is_scope = rights.iter().any(|right| right.is_scope());
    let kind = if is_scope { "scope" } else { "permission" };
    let labels = rights.iter().map(|right| right.label().to_owned());
    let names = names_of(&labels.collect::<Vec<_>>());
    [names, text_arg("kind", kind)].concat()
}

/// The base, and why it was not merged in: `tried` says whether there is a reason.
fn merge_args(base: &str, error: Option<&UserError>) -> Vec<(&'static str, TextArg)> {
    let tried = if error.is_some() { "yes" } else { "no" };
    let message = error
        .cloned()
        .map_or_else(|| TextArg::Text(String::new()), TextArg::from);
    let args = [text_arg("base", base), text_arg("tried", tried)];
    [args.concat(), vec![("message", message)]].concat()
}

fn error_arg(error: &UserError) -> Vec<(&'static str, TextArg)> {
    vec![("message", error.clone().into())]
}

fn counted_names(count: u32, names: &[String]) -> Vec<(&'static str, TextArg)> {
    vec![
        ("count", count.into()),
        ("names", TextArg::Names(names.to_vec())),
    ]
}

fn login_args(logins: &[Login]) -> Vec<(&'static str, TextArg)> {
    let logins = logins.iter().map(|login| format!("@{login}"));
    vec![("names", TextArg::Names(logins.collect()))]
}

fn commands_args(commands: &[String]) -> Vec<(&'static str, TextArg)> {
    let quoted = commands.iter().map(|command| format!("`{command}`"));
    vec![
        ("count", commands.len().into()),
        ("commands", TextArg::Names(quoted.collect())),
    ]
}

/// `@login`, or `none` where the account is gone.
fn author_arg(login: Option<&Login>) -> TextArg {
    TextArg::Text(login.map_or_else(|| "none".into(), |login| format!("@{login}")))
}

/// Why a run ended as `needs_human` or `failed`. The words for it, with hints, are in `locales/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumDiscriminants)]
#[strum_discriminants(
    name(StopCode),
    doc = " The codes of [`Stop`], as they are written in JSON and in the Fluent key `stop-…`.",
    derive(Hash, Serialize, Deserialize, IntoStaticStr, strum::VariantArray),
    serde(rename_all = "snake_case"),
    strum(serialize_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", strum_discriminants(derive(ts_rs::TS)))]
#[serde(rename_all = "snake_case", tag = "code")]
pub enum Stop {
    /// CI was still running at its deadline.
    CiTimeout {
        /// Checks that were.
        names: Vec<String>,
    },
    /// The iterations are used up.
    IterationsSpent {
        /// How many there were.
        max: u32,
    },
    /// Only findings are left that came back after they were fixed.
    Stuck {
        /// How many.
        count: u32,
    },
    /// Fixes went back and forth.
    Oscillating,
    /// The fixer cannot fix what is left, and it stands.
    Upheld {
        /// How many.
        count: u32,
    },
    /// Others pushed too often while it worked.
    TooManyRestarts {
        /// How often.
        count: u32,
    },
    /// Feedback kept coming without an end (§7.2).
    TooManyTurns {
        /// How many answers there were.
        count: u32,
    },
    /// A push to this branch is not possible or could do harm.
    CannotPush {
        /// A code: `default_branch`, `protected`, `base_of_another`, `fork_read_only`, `refused`.
        reason: String,
        /// GitHub's or git's words; may be empty.
        message: String,
    },
    /// A reviewer failed for good.
    ReviewFailed {
        /// Which.
        reviewer: String,
        /// Why.
        #[serde(alias = "message")]
        error: UserError,
    },
    /// The fixer failed for good.
    FixFailed {
        /// Why.
        #[serde(alias = "message")]
        error: UserError,
    },
    /// The pull request is not there any more, or access was lost.
    AccessLost,
}

impl Stop {
    /// The code, as it is written in JSON and in the Fluent key `stop-…`.
    pub fn code(&self) -> &'static str {
        StopCode::from(self).into()
    }

    /// The state it ends in: `failed` when it could not go on, else `needs_human` (§2).
    pub fn terminal_state(&self) -> crate::lifecycle::State {
        use crate::lifecycle::State;
        match self {
            Stop::ReviewFailed { error, .. } | Stop::FixFailed { error }
                if error.code.needs_person() =>
            {
                State::NeedsHuman
            }
            Stop::CiTimeout { .. }
            | Stop::ReviewFailed { .. }
            | Stop::FixFailed { .. }
            | Stop::AccessLost => State::Failed,
            Stop::IterationsSpent { .. }
            | Stop::Stuck { .. }
            | Stop::Oscillating
            | Stop::Upheld { .. }
            | Stop::TooManyRestarts { .. }
            | Stop::TooManyTurns { .. }
            | Stop::CannotPush { .. } => State::NeedsHuman,
        }
    }
}

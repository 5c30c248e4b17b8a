//! What the desktop app shows beside loops. Times are RFC 3339 in UTC.

use crate::{ErrorView, UsageView};
use collie_core::autonomy::Autonomy;
use collie_core::blocker::BlockerCode;
use collie_core::ids::Sha;
use collie_core::lifecycle::State;
use collie_core::merge_method::MergeMethod;
use collie_core::policy::ReviewerKind;
use collie_core::review::Conclusion;
use collie_core::text::UntrustedText;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where the app stands.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct SessionView {
    /// What there is to show.
    pub phase: SessionPhase,
    /// Who is signed in; none during onboarding.
    pub account: Option<AccountView>,
    /// What was found to sign in with, for onboarding.
    pub credentials: DetectedCredentials,
    /// The demo; none when no demo is open.
    pub demo: Option<DemoView>,
    /// The engine; none unless it runs.
    pub engine: Option<EngineView>,
    /// The pause of everything; none where nothing is paused.
    pub pause: Option<PauseView>,
    /// How GitHub answers.
    pub connection: ConnectionView,
    /// What is left of the quota, as last told by GitHub.
    pub quota: Option<QuotaView>,
    /// What keeps the app from working, with the way out; none when all is well.
    pub problem: Option<ErrorView>,
    /// The language of the texts.
    pub language: Language,
    /// The colours.
    pub theme: Theme,
    /// Whether this host can merge; only the desktop window can.
    pub can_merge: bool,
    /// Whether this host is a server, which works for many with an account of its own.
    pub server: bool,
    /// Whether people may sign in by a code that they type on GitHub's page.
    pub device_sign_in: bool,
    /// What the person who asks may decide about all of it.
    pub rights: RightsView,
    /// Collie's version.
    pub version: String,
    /// The data folder.
    pub data_folder: String,
}

/// A code to type on GitHub's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DeviceCodeView {
    /// What asks whether it was typed.
    pub id: String,
    /// The code.
    pub user_code: String,
    /// The page.
    pub verification_uri: String,
    /// For how long it can be typed.
    #[ts(type = "number")]
    pub expires_in_ms: u64,
    /// How far apart questions whether it was typed make sense.
    #[ts(type = "number")]
    pub interval_ms: u64,
}

/// What became of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DeviceSignInState {
    /// It was not typed yet.
    Waiting,
    /// The person is signed in.
    Done,
}

/// What a person may do that is not about one repository (§18): a page offers nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct RightsView {
    /// They may pause everything, see spending, insights and settings, and decide for whom Collie works by itself.
    pub operate: bool,
    /// They have the machine: settings, repositories, keys, files and programs on it.
    pub own_machine: bool,
}

impl RightsView {
    /// Those of whoever has the machine.
    pub const ALL: Self = Self {
        operate: true,
        own_machine: true,
    };
    /// Those of whom nobody knows.
    pub const NONE: Self = Self {
        operate: false,
        own_machine: false,
    };
}

/// That a person has paused everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PauseView {
    /// Who: a login.
    pub by: String,
    /// Since when.
    pub since: String,
}

/// What there is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SessionPhase {
    /// Nobody is signed in.
    Onboarding,
    /// Nobody is signed in to a server that others set up.
    SignIn,
    /// The engine is being started.
    Starting,
    /// The engine runs here.
    Running,
    /// Another process runs the engine; this one shows it and asks it.
    Following,
    /// It could not be started: [`SessionView::problem`] says why.
    Stopped,
}

/// A language that all texts exist in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    En,
    /// French.
    Fr,
}

/// Which colours the window has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// The system's.
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// Who is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct AccountView {
    /// The login.
    pub login: String,
    /// `github.com`, or another host.
    pub host: String,
    /// Where the token comes from.
    pub source: AccountSource,
    /// Whether it may start loops (§9.1).
    pub allowed: bool,
    /// Rights that the token lacks, in GitHub's words; empty when it has all, or does not tell.
    pub missing_scopes: Vec<String>,
}

/// Where a token comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum AccountSource {
    /// `gh auth token`.
    Gh,
    /// `GITHUB_TOKEN`.
    Environment,
    /// Typed in, and kept by the system's keychain.
    Keychain,
    /// Typed in, and forgotten when the app ends: there is no keychain.
    Memory,
    /// The demo's.
    Demo,
}

/// What was found on this machine to sign in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DetectedCredentials {
    /// `gh` is installed.
    pub gh_installed: bool,
    /// Where a token was found; none when there is none.
    pub token: Option<AccountSource>,
    /// Whose it is, once GitHub has said so.
    pub login: Option<String>,
    /// Whether a keychain can be used.
    pub keychain: bool,
}

/// The demo forge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DemoView {
    /// In the order shown.
    pub scenarios: Vec<DemoScenario>,
}

/// A pull request of the demo. Title and story are the Fluent keys `scenario-NAME` and `scenario-NAME-story`, dashes kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DemoScenario {
    /// Its name: `fix-loop`, …
    pub name: String,
    /// Its pull request.
    pub key: String,
    /// Whether it was started.
    pub started: bool,
}

/// The engine at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct EngineView {
    /// Slots there are (§2); none where loops live elsewhere, and work there is not limited or that is not known.
    pub slots: Option<u32>,
    /// Slots taken.
    pub working: u32,
    /// Loops that queue for one.
    pub queued: u32,
    /// The process that runs it; none when it is this one.
    pub process: Option<u32>,
    /// Loops live in a durable engine elsewhere, and are only shown here: slots are those of all its workers.
    pub elsewhere: bool,
}

/// How GitHub answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ConnectionView {
    /// In one word.
    pub status: Connection,
    /// When it is tried again, or the quota begins anew.
    pub until: Option<String>,
}

/// How GitHub answers, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Connection {
    /// It does, or nobody has asked yet.
    Ok,
    /// It does not.
    Unreachable,
    /// It does not accept the token.
    Unauthorized,
    /// The quota is used up.
    RateLimited,
}

/// What is left of the quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct QuotaView {
    /// Requests left; of REST and GraphQL the scarcer.
    #[ts(type = "number")]
    pub left: u64,
    /// Requests an hour.
    #[ts(type = "number")]
    pub limit: u64,
    /// When it begins anew.
    pub resets_at: String,
}

/// A repository of the sidebar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct RepositoryView {
    /// `owner/repo`.
    pub name: String,
    /// The toggle (§13.1).
    pub auto_review: bool,
    /// How far Collie goes by itself here (§13.7).
    pub autonomy: Autonomy,
    /// Whether it was put there; one that is there only for its loops cannot be removed.
    pub chosen: bool,
    /// Whether the person who asks may start loops here and act on them: whoever may push.
    pub may_write: bool,
    /// How many loops it has that did not end.
    pub loops: u32,
    /// What keeps it from being read, such as that it vanished.
    pub problem: Option<ErrorView>,
}

/// A repository that could be put into the sidebar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct AvailableRepository {
    /// `owner/repo`.
    pub name: String,
    /// Not public.
    pub private: bool,
    /// Open pull requests.
    pub open_pulls: u32,
    /// It is in the sidebar already.
    pub chosen: bool,
}

/// What is open in a repository.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ListingView {
    /// Most recently updated first.
    pub pulls: Vec<PullLine>,
    /// Most recently updated first.
    pub issues: Vec<IssueLine>,
    /// How many issues are open, listed or not.
    pub open_issues: u32,
    /// There are more pull requests than are listed.
    pub truncated: bool,
    /// When it was read; none when it never could be.
    pub read_at: Option<String>,
    /// Why it could not be read the last time.
    pub problem: Option<ErrorView>,
}

/// Open pull requests of all chosen repositories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
pub struct OpenPullsView {
    /// Those of each repository in turn, the latest first.
    pub pulls: Vec<PullLine>,
    /// Repositories that were not read yet, or could not be: nothing is known of theirs.
    pub unread: Vec<String>,
    /// Repositories with more than are listed.
    pub truncated: Vec<String>,
}

/// A pull request as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PullLine {
    /// `owner/repo#n`.
    pub key: String,
    /// Its number.
    #[ts(type = "number")]
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Who opened it.
    pub author: Option<String>,
    /// By the signed-in account.
    pub mine: bool,
    /// By an agent: a bot's account, or a branch as agents name theirs.
    pub by_agent: bool,
    /// A draft.
    pub draft: bool,
    /// Auto-merge is on: Collie would not work on it (§11).
    pub auto_merge: bool,
    /// The head branch.
    pub head_ref: String,
    /// The base branch.
    pub base_ref: String,
    /// Labels.
    pub labels: Vec<String>,
    /// When something last happened.
    pub updated_at: String,
    /// Why the toggle leaves it alone; none when it would start it, or it has a loop.
    pub skip_reason: Option<String>,
    /// Whether the toggle would start it if it were on; those that a person left out are among them.
    pub would_start: bool,
    /// A person left it out.
    pub left_out: bool,
}

/// An issue as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct IssueLine {
    /// `owner/repo#n`.
    pub key: String,
    /// Its number.
    #[ts(type = "number")]
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Who opened it.
    pub author: Option<String>,
    /// By the signed-in account.
    pub mine: bool,
    /// Labels.
    pub labels: Vec<String>,
    /// Comments.
    pub comments: u32,
    /// When something last happened.
    pub updated_at: String,
}

/// Who is at work on a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ActivityView {
    /// `owner/repo#n`.
    pub key: String,
    /// In the order in which they began; empty when nobody is.
    pub workers: Vec<WorkerView>,
}

/// A reviewer or fixer at work. It lives as long as its session and is never stored: the journal keeps what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct WorkerView {
    /// The reviewer's name; `fixer` for the fixer.
    pub name: String,
    /// The model, or the agent in its own words, such as `codex 0.169.0`.
    pub runs_on: String,
    /// When it began.
    pub since: String,
    /// What it does now, in words.
    pub text: String,
    /// What its session has spent so far, in words; null where nothing is told yet.
    pub spent: Option<String>,
    /// What it did before, oldest first; not more than the last dozen.
    pub recent: Vec<ActivityLine>,
}

/// One thing that somebody at work did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ActivityLine {
    /// When.
    pub at: String,
    /// What, in words.
    pub text: String,
}

/// One thing that happened to a loop.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct TimelineLine {
    /// Its number in the journal.
    #[ts(type = "number")]
    pub seq: u64,
    /// When.
    pub at: String,
    /// The event's name: `observed`, `review_finished`, …
    pub event: String,
    /// The state before; none for the first.
    pub from: Option<State>,
    /// The state after.
    pub to: State,
    /// In words: what happened, and what Collie did.
    pub text: String,
    /// Remarks in words.
    pub notes: Vec<String>,
    /// A reading of GitHub, or a step of Collie's with itself, that says nothing new.
    pub quiet: bool,
    /// What it waits for from then on; none where that did not change.
    pub waits_for: Option<TimelineWait>,
    /// The bots that have yet to review from then on, whatever it waits for; none where that did not change.
    pub bots_awaited: Option<Vec<String>>,
    /// The reviewer that is done.
    pub review: Option<TimelineReview>,
    /// The commit that was pushed.
    pub pushed: Option<Sha>,
    /// Who worked, `fixer` for the fixer; none where no session ended.
    pub worker: Option<String>,
    /// What that session cost.
    pub usage: Option<UsageView>,
}

/// What a loop waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct TimelineWait {
    /// The blocker's code.
    pub code: BlockerCode,
    /// Whether only a person can end it.
    pub needs_person: bool,
}

/// A review that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct TimelineReview {
    /// `rules`, or a persona.
    pub reviewer: String,
    /// What it is.
    pub kind: ReviewerKind,
    /// What it concluded.
    pub verdict: Conclusion,
    /// The head.
    pub head_sha: Sha,
    /// How many findings it has there.
    pub findings: u32,
}

/// The beginning of a pull request's description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DescriptionView {
    /// As it was written; empty where nothing was.
    #[ts(type = "string")]
    pub text: UntrustedText,
}

/// The code a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ExcerptView {
    /// The lines it was found on, as they are in the pull request's diff; empty when they are gone or the clone is not there.
    pub finding: Vec<DiffLine>,
    /// The commit that fixed it.
    pub fix_commit: Option<Sha>,
    /// What that commit did to the file, near the finding.
    pub fix: Vec<DiffLine>,
}

/// What a diff does to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffLineKind {
    /// Leaves it.
    Context,
    /// Adds it.
    Added,
    /// Takes it away.
    Removed,
    /// Stands for lines that are left out.
    Gap,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffLine {
    /// What the diff does to it.
    pub kind: DiffLineKind,
    /// Its number before; none for an added one.
    pub old: Option<u32>,
    /// Its number after; none for a removed one.
    pub new: Option<u32>,
    /// Without its end.
    pub text: String,
    /// The line the finding stands on.
    pub marked: bool,
}

/// How a ready pull request may be merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct MergeOfferView {
    /// The head that would be merged.
    pub head_sha: Sha,
    /// The branch it would go into.
    pub base_ref: String,
    /// What the repository allows, the usual one first.
    pub methods: Vec<MergeMethod>,
    /// Why it cannot be merged now; none when it can.
    pub refusal: Option<ErrorView>,
}

/// A merge that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct MergedView {
    /// The commit on the base branch; none when GitHub did not say.
    pub sha: Option<String>,
    /// Who did it.
    pub by: String,
}

/// What is looked at on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DoctorCode {
    /// The `git` program.
    Git,
    /// The `gh` program.
    Gh,
    /// The token for GitHub.
    Token,
    /// Whether the account may start loops.
    Allowed,
    /// The version of a GitHub Enterprise Server, and what it does not know.
    Server,
    /// What the token lacks in a repository.
    Rights,
    /// What is left of GitHub's quota.
    Quota,
    /// The language model.
    Model,
    /// A coding agent.
    Agent,
    /// What walls commands in.
    Sandbox,
    /// Collie's own process.
    Process,
    /// `config.toml`.
    Config,
    /// The data folder.
    Data,
    /// The journal.
    Journal,
    /// The audit log.
    Audit,
    /// What people made of findings.
    Memory,
    /// Another process that runs the engine.
    Engine,
}

impl DoctorCode {
    /// The name in JSON, and the end of the Fluent key `doctor-…`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A line of the look at this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DoctorLine {
    /// What was looked at.
    pub code: DoctorCode,
    /// Its name in words.
    pub title: String,
    /// How it is.
    pub status: DoctorStatus,
    /// In words, with what to do about it.
    pub text: String,
}

/// How something on this machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DoctorStatus {
    /// As it should be.
    Ok,
    /// Works, with less.
    Warning,
    /// Keeps Collie from working.
    Bad,
}

//! What the UI may ask.

use super::{InsightsTable, Topic};
use collie_core::autonomy::Autonomy;
use collie_core::ids::Sha;
use collie_core::insights::InsightsRange;
use collie_core::merge_method::MergeMethod;
use collie_core::trust::TrustDecision;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// One call of the UI. Written as `{"command": NAME, "args": {…}}`, without `args` where there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "command", content = "args", rename_all = "snake_case")]
pub enum Command {
    /// Where the app stands: who is signed in, whether the engine runs, what is wrong.
    Session,
    /// Every loop. Afterwards they are kept true by [`super::Update::Loop`].
    Loops,
    /// Who is at work on which loop, and at what. Afterwards it is kept true by [`super::Update::Activity`].
    Activities,
    /// The repositories of the sidebar.
    Repositories,
    /// Open pull requests and issues of one repository, as last read; read anew in the background when old.
    Listing {
        /// `owner/repo`.
        repo: String,
    },
    /// Open pull requests of all chosen repositories, as last read; read anew in the background when old, more rarely than a list that is
    /// looked at.
    OpenPulls,
    /// What happened to a loop, oldest first.
    Timeline {
        /// `owner/repo#n`.
        key: String,
    },
    /// The runs of a loop that another one has followed, the latest first, each with its proof as it was.
    EarlierRuns {
        /// `owner/repo#n`.
        key: String,
    },
    /// The lines that a finding is about, and those that fixed it.
    Excerpts {
        /// `owner/repo#n`.
        key: String,
        /// The finding.
        fingerprint: String,
    },
    /// What Collie pushed or would push of a pull request: commits by round, with their files (§13.8).
    Changes {
        /// `owner/repo#n`.
        key: String,
    },
    /// The lines of one of those commits, each hunk with the findings that it answers.
    CommitDiff {
        /// `owner/repo#n`.
        key: String,
        /// Which.
        sha: Sha,
    },
    /// How a ready pull request may be merged: asks GitHub.
    MergeOffer {
        /// `owner/repo#n`.
        key: String,
    },
    /// Every setting with its value and where that comes from.
    Settings,
    /// What is wrong with changes that were not saved yet; empty when they can be.
    CheckSettings {
        /// By key; null takes a key out of the file.
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// Repositories that the signed-in account can push to.
    AvailableRepositories,
    /// What people made of a repository's earlier findings.
    ReviewMemory {
        /// `owner/repo`.
        repo: String,
    },
    /// What models and agents have spent, and may still spend.
    Spending,
    /// What many runs came to (§13.8).
    Insights {
        /// Of which days.
        range: InsightsRange,
        /// `owner/repo`; null for all.
        #[serde(default)]
        only: Option<String>,
    },
    /// Saves what the figures are made of as CSV, into the folder of downloads.
    ExportInsights {
        /// Of which days.
        range: InsightsRange,
        /// `owner/repo`; null for all.
        #[serde(default)]
        only: Option<String>,
        /// Which rows.
        table: InsightsTable,
    },
    /// Looks at this machine: git, gh, sandbox, keychain, quota, data folder.
    Doctor,

    /// Starts a loop.
    Start {
        /// `owner/repo#n`.
        key: String,
    },
    /// Cancels a loop.
    Cancel {
        /// `owner/repo#n`.
        key: String,
    },
    /// Begins a fresh run.
    Retry {
        /// `owner/repo#n`.
        key: String,
    },
    /// Goes on after `needs_human`.
    Resume {
        /// `owner/repo#n`.
        key: String,
        /// So many rounds more than configured, in the new run alone.
        #[serde(default)]
        rounds: u32,
    },
    /// Says that a finding does not matter here (§13.8).
    Dismiss {
        /// `owner/repo#n`.
        key: String,
        /// Which.
        fingerprint: String,
        /// Why.
        reason: String,
    },
    /// Tells the fixer something for its next turn (§13.8).
    Note {
        /// `owner/repo#n`.
        key: String,
        /// The finding that it is about; none where it is about the change as a whole.
        fingerprint: Option<String>,
        /// What.
        text: String,
    },
    /// The beginning of a pull request's description, as last read.
    Description {
        /// `owner/repo#n`.
        key: String,
    },
    /// Decides what may be run and fixed in the repository of a loop (§6.3e, §9.1).
    DecideTrust {
        /// `owner/repo#n`.
        key: String,
        /// What the person decided, as they saw it.
        decision: TrustDecision,
    },
    /// Says that the person has looked at what no reviewer was shown (§4.4).
    Seen {
        /// `owner/repo#n`.
        key: String,
        /// The head that the person saw.
        head_sha: Sha,
    },
    /// Forgets what people made of a finding.
    ForgetJudgement {
        /// `owner/repo`.
        repo: String,
        /// The entry's id.
        id: String,
    },
    /// Merges. Only the desktop window carries it out, after its dialog was confirmed (§11).
    Merge {
        /// `owner/repo#n`.
        key: String,
        /// The head that the person saw.
        head_sha: Sha,
        /// How.
        method: MergeMethod,
    },
    /// Switches the Auto-PR-Review toggle of a repository (§13.1).
    SetAutoReview {
        /// `owner/repo`.
        repo: String,
        /// On or off.
        on: bool,
        /// What the person confirmed with it; none leaves all as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        plan: Option<AutoReviewPlan>,
    },
    /// Sets how far Collie goes by itself in a repository: its loops are told, and new ones begin so (§13.7).
    SetAutonomy {
        /// `owner/repo`.
        repo: String,
        /// How far.
        level: Autonomy,
    },
    /// Pauses everything, or lets it go on (§15).
    SetPaused {
        /// Whether it is to be paused.
        paused: bool,
    },
    /// Tells the host which pull requests are snoozed, all of them, so that what it shows around the window leaves them out.
    SetSnoozes {
        /// Those that are out of the way now.
        snoozes: Vec<Snooze>,
    },
    /// Tells the host which kinds of notifications are switched off, all of them: those of the system leave them out too.
    SetMutedNotifications {
        /// Those that are off.
        kinds: Vec<NotificationKind>,
    },
    /// Lets the commit be pushed that waits for it.
    ApprovePush {
        /// `owner/repo#n`.
        key: String,
        /// The commit that the person saw.
        commit: Sha,
    },
    /// Does not let it be pushed.
    RejectPush {
        /// `owner/repo#n`.
        key: String,
        /// The commit that the person saw.
        commit: Sha,
        /// What the fixer is told; may be empty.
        note: String,
    },
    /// Puts repositories into the sidebar.
    AddRepositories {
        /// `owner/repo` each.
        repos: Vec<String>,
    },
    /// Takes a repository out of the sidebar; its loops go on.
    RemoveRepository {
        /// `owner/repo`.
        repo: String,
    },
    /// Reads a repository's pull requests and issues, and its loops, now.
    Refresh {
        /// `owner/repo`.
        repo: String,
    },
    /// Where the key of a model is.
    ModelKey {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
        /// Changes that were not saved yet, as in [`Self::CheckSettings`].
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// Keeps the key of a model's service in the keychain.
    SetModelKey {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
        /// Changes that were not saved yet.
        changes: BTreeMap<String, serde_json::Value>,
        /// The key. It is never sent back.
        secret: String,
    },
    /// Takes the key of a model's service out of the keychain.
    RemoveModelKey {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
        /// Changes that were not saved yet.
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// Asks the service of a model which ones it has.
    ListModels {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
        /// Changes that were not saved yet.
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// Asks a model one small question, for real. One that is under way for the same table is given up.
    TestModel {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
        /// Changes that were not saved yet.
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// What reviews by a model may cost, by what was measured and the prices that are known.
    ExpectedCost {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
        /// Changes that were not saved yet.
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// Gives up the test of a model that is under way, if one is.
    StopModelTest {
        /// `llm`, `models.NAME` or `reviewers.NAME`.
        table: String,
    },
    /// Writes changes into `config.toml`, all or none, and puts them into force.
    SaveSettings {
        /// By key; null takes a key out of the file.
        changes: BTreeMap<String, serde_json::Value>,
    },
    /// Looks anew for `gh`, a token and a keychain; what is found becomes part of the session.
    DetectCredentials,
    /// Signs in as the account that `gh` or `GITHUB_TOKEN` holds.
    SignInDetected,
    /// Checks a typed token with GitHub, keeps it in the keychain, and signs in.
    SignIn {
        /// The token. It is never sent back.
        token: String,
        /// The API address of GitHub Enterprise; none for github.com.
        api_url: Option<String>,
    },
    /// On a server for a team: gets a code to type on GitHub's page.
    DeviceSignIn,
    /// Looks whether it was typed, and signs in.
    DeviceSignInState {
        /// Which code: the view's id.
        id: String,
    },
    /// Stops the engine and forgets a typed token. On a server it ends this browser's session alone.
    SignOut,
    /// On a server for a team: ends every session of the person, on whatever browser.
    SignOutEverywhere,
    /// Adds the signed-in account to `allowed_users`.
    AllowMe,
    /// Sets the demo forge up, or opens the one that is there.
    StartDemo,
    /// Starts a scenario of the demo.
    PlayScenario {
        /// Its name.
        scenario: String,
    },
    /// Goes back to the sign-in; `forget` removes the demo's data.
    LeaveDemo {
        /// Whether the data goes.
        forget: bool,
    },
    /// Tries again to start what [`super::SessionView::problem`] names.
    TryAgain,
    /// Opens something outside the window.
    Open {
        /// What.
        target: OpenTarget,
    },
    /// Writes an error of the page into the diagnostics.
    PageError {
        /// What the page said of it.
        text: String,
    },
    /// Marks the moment at which the window could be used; for measurements and the log.
    Interactive {
        /// Since the page began to load, in milliseconds.
        after_ms: u32,
    },
}

/// What a notification tells: a loop became ready, needs a person, or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    /// It is ready to merge.
    Ready,
    /// It needs a person.
    NeedsYou,
    /// It failed.
    Failed,
}

/// A pull request that a person put out of the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Snooze {
    /// `owner/repo#n`.
    pub key: String,
    /// Until then, in milliseconds since 1970; none until it changes.
    #[ts(type = "number | null")]
    pub until_ms: Option<i64>,
}

/// What a person confirmed as they switched the toggle on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AutoReviewPlan {
    /// How far Collie goes by itself in the repository.
    pub autonomy: Autonomy,
    /// Numbers of pull requests that are left out.
    #[ts(type = "Array<number>")]
    pub except: Vec<u64>,
}

/// Something outside the window. Addresses are never taken from the UI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum OpenTarget {
    /// A pull request or an issue in the browser.
    Item {
        /// `owner/repo#n`.
        key: String,
    },
    /// A check's page in the browser.
    Check {
        /// `owner/repo#n`.
        key: String,
        /// The check's name.
        name: String,
    },
    /// A commit in the browser.
    Commit {
        /// `owner/repo#n`.
        key: String,
        /// Which.
        sha: Sha,
    },
    /// The loop's worktree in the file browser.
    Worktree {
        /// `owner/repo#n`.
        key: String,
    },
    /// A finding's place on GitHub, in the browser.
    Thread {
        /// `owner/repo#n`.
        key: String,
        /// The finding.
        fingerprint: String,
    },
    /// The file of a finding at its line, in the editor; it is opened in the loop's worktree.
    Code {
        /// `owner/repo#n`.
        key: String,
        /// The finding.
        fingerprint: String,
    },
    /// The checks of a pull request in the browser.
    Checks {
        /// `owner/repo#n`.
        key: String,
    },
    /// `config.toml` in the editor.
    Configuration,
    /// The folder of the diagnostics.
    Logs,
    /// The page at which GitHub makes tokens.
    NewToken,
}

impl Command {
    /// What a reading shows: its key in the UI's cache, which an [`super::Update::Stale`] names. None for commands that act.
    pub fn topic(&self) -> Option<Topic> {
        match self {
            Command::Session => Some(Topic::Session),
            Command::Loops => Some(Topic::Loops),
            Command::Activities => Some(Topic::Activities),
            Command::Repositories => Some(Topic::Repositories),
            Command::Listing { repo } => Some(Topic::Listing(repo.clone())),
            Command::OpenPulls => Some(Topic::OpenPulls),
            Command::Timeline { key } => Some(Topic::Timeline(key.clone())),
            Command::EarlierRuns { key } => Some(Topic::EarlierRuns(key.clone())),
            Command::Excerpts { key, .. } => Some(Topic::Excerpts(key.clone())),
            Command::Description { key } => Some(Topic::Description(key.clone())),
            Command::Changes { key } => Some(Topic::Changes(key.clone())),
            Command::CommitDiff { key, .. } => Some(Topic::CommitDiff(key.clone())),
            Command::MergeOffer { key } => Some(Topic::MergeOffer(key.clone())),
            Command::Settings => Some(Topic::Settings),
            Command::AvailableRepositories => Some(Topic::AvailableRepositories),
            Command::ReviewMemory { repo } => Some(Topic::ReviewMemory(repo.clone())),
            Command::Spending => Some(Topic::Spending),
            Command::Insights { .. } => Some(Topic::Insights),
            Command::Doctor => Some(Topic::Doctor),
            Command::ModelKey { .. } => Some(Topic::ModelKeys),
            Command::ListModels { .. } => Some(Topic::ListedModels),
            Command::ExpectedCost { .. } => Some(Topic::Settings),
            Command::SetModelKey { .. }
            | Command::RemoveModelKey { .. }
            | Command::TestModel { .. }
            | Command::StopModelTest { .. }
            | Command::CheckSettings { .. }
            | Command::Start { .. }
            | Command::Cancel { .. }
            | Command::Retry { .. }
            | Command::Resume { .. }
            | Command::Dismiss { .. }
            | Command::Note { .. }
            | Command::DecideTrust { .. }
            | Command::Seen { .. }
            | Command::SetAutonomy { .. }
            | Command::SetPaused { .. }
            | Command::SetSnoozes { .. }
            | Command::SetMutedNotifications { .. }
            | Command::ApprovePush { .. }
            | Command::RejectPush { .. }
            | Command::ForgetJudgement { .. }
            | Command::Merge { .. }
            | Command::SetAutoReview { .. }
            | Command::AddRepositories { .. }
            | Command::RemoveRepository { .. }
            | Command::Refresh { .. }
            | Command::SaveSettings { .. }
            | Command::DetectCredentials
            | Command::SignInDetected
            | Command::SignIn { .. }
            | Command::DeviceSignIn
            | Command::DeviceSignInState { .. }
            | Command::SignOut
            | Command::SignOutEverywhere
            | Command::AllowMe
            | Command::StartDemo
            | Command::PlayScenario { .. }
            | Command::LeaveDemo { .. }
            | Command::TryAgain
            | Command::Open { .. }
            | Command::PageError { .. }
            | Command::ExportInsights { .. }
            | Command::Interactive { .. } => None,
        }
    }

    /// What has to be read anew once this has succeeded. Loops are not here: they send their own updates.
    pub fn stale_topics(&self) -> Vec<Topic> {
        match self {
            Command::SetPaused { .. } => vec![Topic::Session],
            Command::SetAutoReview { .. }
            | Command::SetAutonomy { .. }
            | Command::AddRepositories { .. } => Topic::of_sidebar(None),
            Command::RemoveRepository { repo } => Topic::of_sidebar(Some(repo)),
            Command::Refresh { repo } => vec![
                Topic::Listing(repo.clone()),
                Topic::OpenPulls,
                Topic::Repositories,
            ],
            Command::SaveSettings { .. } | Command::AllowMe => Topic::of_configuration(),
            Command::SetModelKey { .. } | Command::RemoveModelKey { .. } => {
                vec![Topic::ModelKeys, Topic::ListedModels, Topic::Doctor]
            }
            // Another account, or none: nothing that was shown holds any more.
            Command::SignInDetected
            | Command::SignIn { .. }
            | Command::SignOut
            | Command::SignOutEverywhere
            | Command::StartDemo
            | Command::LeaveDemo { .. }
            | Command::TryAgain => Topic::all(),
            Command::PlayScenario { .. } => vec![Topic::Session, Topic::Repositories],
            Command::ForgetJudgement { repo, .. } => vec![Topic::ReviewMemory(repo.clone())],
            Command::Merge { key, .. } => vec![Topic::MergeOffer(key.clone())],
            Command::Session
            | Command::DeviceSignIn
            | Command::DeviceSignInState { .. }
            | Command::Loops
            | Command::Activities
            | Command::Repositories
            | Command::Listing { .. }
            | Command::OpenPulls
            | Command::Timeline { .. }
            | Command::EarlierRuns { .. }
            | Command::Excerpts { .. }
            | Command::Description { .. }
            | Command::Changes { .. }
            | Command::CommitDiff { .. }
            | Command::MergeOffer { .. }
            | Command::Settings
            | Command::CheckSettings { .. }
            | Command::ModelKey { .. }
            | Command::ListModels { .. }
            | Command::TestModel { .. }
            | Command::ExpectedCost { .. }
            | Command::StopModelTest { .. }
            | Command::AvailableRepositories
            | Command::ReviewMemory { .. }
            | Command::Spending
            | Command::Insights { .. }
            | Command::ExportInsights { .. }
            | Command::Doctor
            | Command::Start { .. }
            | Command::Cancel { .. }
            | Command::Retry { .. }
            | Command::Resume { .. }
            | Command::Dismiss { .. }
            | Command::Note { .. }
            | Command::DecideTrust { .. }
            | Command::Seen { .. }
            | Command::SetSnoozes { .. }
            | Command::SetMutedNotifications { .. }
            | Command::ApprovePush { .. }
            | Command::RejectPush { .. }
            // It tells of each finding as it comes.
            | Command::DetectCredentials
            | Command::Open { .. }
            | Command::PageError { .. }
            | Command::Interactive { .. } => Vec::new(),
        }
    }
}

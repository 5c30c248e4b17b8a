//! The contract with the UI: commands, what they answer, what a change makes stale. `ui/src/generated/wire.ts` is written from it.
//!
//! The envelope is the same for every host: a [`Command`] goes in as JSON, its answer or an [`crate::ErrorView`] comes out, and
//! batches of [`Update`] stream the other way. Which answer belongs to which command is said once, in `typescript.rs`.

mod changes;
mod command;
mod desktop;
mod insights;
mod memory;
mod models;
mod settings;
mod spending;
#[cfg(test)]
mod tests;
mod topic;
mod typescript;
mod update;

pub use changes::{
    AnsweredFindingView, ChangeCommitView, ChangeRoundView, ChangedFileView, ChangesView,
    CommitDiffView, CommitMergeView, DiffHunkView, FileDiffView, HunkAnswerView, MissingCommit,
};
pub use command::{AutoReviewPlan, Command, NotificationKind, OpenTarget, Snooze};
pub use desktop::{
    AccountSource, AccountView, ActivityLine, ActivityView, AvailableRepository, Connection,
    ConnectionView, DemoScenario, DemoView, DescriptionView, DetectedCredentials, DeviceCodeView,
    DeviceSignInState, DiffLine, DiffLineKind, DoctorCode, DoctorLine, DoctorStatus, EngineView,
    ExcerptView, IssueLine, Language, ListingView, MergeOfferView, MergedView, OpenPullsView,
    PauseView, PullLine, QuotaView, RepositoryView, RightsView, SessionPhase, SessionView, Theme,
    TimelineLine, TimelineReview, TimelineWait, WorkerView,
};
pub use insights::{
    DayRangeView, EndView, InsightsTable, InsightsView, NamedSpendingView, PeriodView,
    ReviewerFiguresView, RoundFiguresView, SavedFileView, SpentView, SpreadView, TotalsView,
};
pub use memory::{MemoryEntryView, MemoryView};
pub use models::{
    CostRangeView, ExpectedCostView, ListedModelView, ModelKeyProblem, ModelKeySource,
    ModelKeyView, ModelTestView,
};
pub use settings::{
    AgentSetting, AuthorSetting, BotSetting, HeaderSetting, McpServerSetting, ModelOptions,
    ModelSetting, PersonaOption, PersonaSetting, RepositorySetting, ReviewerSetting, SettingField,
    SettingGroup, SettingKind, SettingProblem, SettingSource, SettingsView, StageSetting,
};
pub use spending::{BudgetLimitView, PeriodSpendingView, SpendingView};
pub use topic::Topic;
pub use typescript::typescript;
pub use update::{Update, changed_fields};

//! What an error is called, and what can be done about it.

use serde::{Deserialize, Serialize};

/// Every code that a [`crate::user_error::UserError`] may have: what programs branch on. `i18n` tests hold it to its texts.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ErrorCode {
    // GitHub and the account.
    /// GitHub has no such thing, or does not show it.
    NotFound,
    /// GitHub does not accept the token.
    Unauthorized,
    /// GitHub refuses.
    Refused,
    /// GitHub asks to wait.
    Wait,
    /// GitHub could not be reached.
    Unreachable,
    /// GitHub does not accept the token that was typed.
    BadToken,
    /// What was typed is no token.
    TokenShape,
    /// The host does not answer as GitHub does.
    NotGithub,
    /// The address of the API cannot be used.
    BadUrl,
    /// No token was found.
    NoToken,
    /// The token lacks rights.
    Scopes,
    /// The server does not know a field that Collie needs.
    ServerTooOld,
    /// The token is another account's than the one that was chosen.
    OtherAccount,
    /// The account may not start loops (§9.1).
    Denied,
    /// The account bears an allowed name that stands for another account (§9.1).
    LoginReused,
    /// The file that says whom the names of the configuration stand for cannot be used.
    AccountsUnusable,
    /// Nothing can be said or pushed as an account of its own (§18.2).
    AccountUnusable,
    /// The GitHub App that Collie acts as cannot act (§18.2).
    AppUnusable,
    /// The key of the GitHub App cannot be used.
    AppKey,
    /// The token that was given for an account of its own is the main account's.
    AccountIsMain,
    /// The token that was given is another account's than the one that was named.
    AccountMismatch,
    /// No account of that name has a token here.
    AccountUnknown,
    /// There is no key to encrypt tokens with.
    AccountNoKey,
    /// The key for tokens is none, or cannot be read or written.
    AccountKeyUnusable,
    /// A token was encrypted under a key that is not at hand.
    AccountSealed,
    /// Tokens changed while they were put under another key.
    AccountsChanged,
    /// Nobody is signed in.
    SignedOut,
    /// GitHub has not said yet whose token it is.
    LoginUnknown,

    // Loops.
    /// The pull request has ended.
    Ended,
    /// There is no such loop.
    NoLoop,
    /// The loop has no such run.
    NoRun,
    /// The loop has no such finding.
    NoFinding,
    /// Collie has no such commit in the pull request.
    NoOwnCommit,
    /// The loop has ended.
    Over,
    /// The loop is at work.
    Busy,
    /// The loop cannot be resumed in this state.
    NotResumable,
    /// The head is another one than the person has looked at.
    AnotherHead,
    /// There is nothing that nobody was shown.
    NothingUnseen,
    /// A finding of a check or of a person, or one that counts for nothing any more.
    NotDismissable,
    /// The beginning of more than one fingerprint.
    AmbiguousFinding,
    /// A reason or a note without a word.
    NothingSaid,
    /// No push waits for a person's approval.
    NoPushWaits,
    /// The push that waits is of another commit.
    AnotherPush,
    /// Nothing of that id is remembered.
    NoMemoryEntry,
    /// The text names no pull request or repository.
    BadName,
    /// The loop has no worktree here.
    NoWorktree,
    /// There is no web page for it.
    NoPage,

    // The engine, the data folder, the settings, the keychain.
    /// The engine of another process refused.
    EngineRefused,
    /// The engine of another process has not answered yet.
    NoAnswer,
    /// The engine is still being started.
    Starting,
    /// The configuration is wrong.
    Configuration,
    /// The settings cannot be read.
    SettingsUnreadable,
    /// The settings cannot be written.
    SettingsUnwritable,
    /// Another program keeps changing the settings.
    SettingsBusy,
    /// The disk is full.
    DiskFull,
    /// A newer Collie wrote it.
    Newer,
    /// Stored data is damaged.
    Damaged,
    /// The journal failed.
    Store,
    /// A file that was asked for could not be written.
    FileNotSaved,
    /// What was typed names no day.
    BadSince,
    /// A later checkpoint of the same loop is there.
    CheckpointOlder,
    /// A checkpoint cannot be read.
    CheckpointUnreadable,
    /// Another process owns the data folder.
    Owned,
    /// The data folder cannot be used.
    Folder,
    /// There is no home folder.
    NoHome,
    /// There is no sandbox for this system.
    SandboxUnsupported,
    /// bubblewrap is not installed.
    SandboxMissing,
    /// bubblewrap cannot put up its walls here.
    SandboxRefused,
    /// The kernel has no Landlock.
    SandboxNoLandlock,
    /// A program could not be started in the sandbox.
    SandboxNotStarted,
    /// A sandboxed program had more in its folders than it may, and was ended.
    SandboxDiskLimit,
    /// The command that prepares a verification failed.
    PrepareFailed,
    /// It failed, and wanted to reach hosts that the user does not name.
    PrepareHostsRefused,
    /// A verify command failed, as it seems since it has no network.
    VerifyNeedsNetwork,
    /// git is missing or too old.
    NoGit,
    /// A git command failed.
    GitFailed,
    /// The git remote did not answer.
    GitUnreachable,
    /// A branch is not at the head that GitHub shows.
    HeadMismatch,
    /// The remote refused the push.
    PushRefused,
    /// The branch moved, and the fix does not apply on top of it.
    Diverged,
    /// Somebody cancelled.
    Cancelled,
    /// A clone or worktree could not be used.
    CloneFailed,
    /// The files of a checkout would take more than the limit.
    CheckoutTooLarge,
    /// A checkout would have more files and folders than the limit.
    CheckoutTooManyFiles,
    /// The worktree was removed meanwhile.
    WorktreeGone,
    /// A URL or branch name that is not handed to git.
    InvalidRemote,
    /// The base is in the head branch already.
    BaseMergeUpToDate,
    /// Git cannot merge the base in by itself.
    BaseMergeConflicts,
    /// The base conflicts in a way that is nobody's but a person's to settle.
    BaseMergeUnresolvable,
    /// Merging the base in left out lines without saying why.
    BaseMergeLinesLost,
    /// A gate refuses what merging the base in came to.
    BaseMergeRefused,
    /// The fixer does not resolve the conflicts.
    BaseMergeRejected,
    /// What merging the base in came to does not pass the verify commands that were allowed since.
    BaseMergeNotVerified,
    /// A person did not let the merge of the base be pushed.
    BaseMergeDeclined,
    /// There is no keychain.
    NoKeychain,
    /// The keychain is locked.
    KeychainLocked,
    /// The keychain failed.
    Keychain,

    // The demo.
    /// The demo could not be opened.
    Demo,
    /// The demo needs no token.
    DemoHasNoToken,
    /// The demo's port is in use.
    DemoPort,
    /// The demo is open in another process.
    DemoOpen,
    /// The folder holds an earlier demo.
    DemoRootUsed,
    /// A scenario did not end as designed.
    DemoDiffers,
    /// A scenario did not end in time.
    DemoTimeout,
    /// Somebody of the demo's cast waited in vain.
    DemoWaited,
    /// The demo's forge refused somebody of the cast.
    DemoCallRefused,
    /// There is no such scenario.
    NoScenario,
    /// The demo is not open.
    NoDemo,

    // Why a pull request is not offered for merging.
    /// Only the desktop window merges.
    MergeElsewhere,
    /// It is closed.
    MergeClosed,
    /// It is merged already.
    MergeMerged,
    /// It is a draft.
    MergeDraft,
    /// It is in the merge queue.
    MergeQueued,
    /// Its base branch merges through a queue.
    MergeByQueue,
    /// Auto-merge is on.
    MergeAuto,
    /// The account may not merge.
    MergeNoRight,
    /// It conflicts with its base.
    MergeConflict,
    /// The branch rules are not met.
    MergeBlocked,
    /// The base must be merged in first.
    MergeBehind,
    /// The repository allows no way to merge.
    MergeNoMethod,

    // Why a merge was refused: the codes of `collie_merge::Refusal` that are not above, and of the shell.
    /// The confirmation is for another pull request.
    OtherPull,
    /// The loop is not ready at this head.
    NotReady,
    /// The head is another one than the person saw.
    HeadMoved,
    /// It is a draft.
    Draft,
    /// It is closed.
    Closed,
    /// It is merged already.
    AlreadyMerged,
    /// It conflicts with its base.
    Conflict,
    /// Checks failed or are not done.
    ChecksNotGreen,
    /// The rules of the base branch hold it.
    Blocked,
    /// The base must be in it first.
    Behind,
    /// GitHub has not found out whether it merges.
    MergeabilityUnknown,
    /// Auto-merge is on.
    AutoMergeOn,
    /// A merge queue holds it.
    InMergeQueue,
    /// The base takes merges from its queue only.
    QueueRequired,
    /// A layer of a stack is not merged before the one below it.
    StackLayer,
    /// A pull request goes into another branch than before.
    BaseChanged,
    /// The repository does not allow the method.
    MethodNotAllowed,
    /// The account may not merge there.
    NoPermission,
    /// Another account is signed in than the dialog showed.
    SignedInAsAnother,
    /// GitHub asks to wait.
    RateLimited,
    /// There was no clear answer, and GitHub shows it open ever since.
    NotMerged,
    /// There was no clear answer, and GitHub cannot be asked.
    OutcomeUnknown,
    /// The request could not be written into the audit log.
    Unrecorded,
    /// There is no client for GitHub.
    NoConnection,
    /// The app is quitting.
    Quitting,

    // Reviewers and fixers.
    /// A review took too long.
    ReviewDeadline,
    /// A fix took too long.
    FixDeadline,
    /// A session broke off by a fault of the program.
    SessionPanicked,
    /// A model or agent was not asked, since that might have passed a limit of what may be spent.
    BudgetExceeded,
    /// A result asks for changes and names none.
    ResultWithoutFindings,
    /// A result is for another pull request.
    ResultForAnotherPull,
    /// A finding in a result is not well formed.
    ResultFindingInvalid,
    /// A fix does not answer each issue once.
    ResultUnbalanced,
    /// A result names a commit that is none.
    ResultBadSha,
    /// A persona has nothing to run on.
    PersonaWithoutRunner,
    /// A persona runs on the model, and none is set up.
    PersonaWithoutModel,
    /// There is no such persona.
    PersonaUnknown,
    /// A persona's file has no front matter.
    PersonaNoFrontMatter,
    /// A persona's front matter is no YAML.
    PersonaNotYaml,
    /// A persona's front matter has a key that nobody knows.
    PersonaUnknownKey,
    /// A value in a persona's front matter does not fit.
    PersonaBadValue,
    /// A persona's front matter lacks a key.
    PersonaMissingKey,
    /// A persona's text is empty or too long.
    PersonaBadBody,
    /// The folder of personas cannot be read.
    PersonasUnreadable,
    /// A file or folder of rules, or one that they were to be tried on, cannot be read.
    RulesUnreadable,
    /// There are no rule files where they were looked for.
    NoRules,
    /// There is no rule of that id.
    RuleUnknown,
    /// There is no such provider of models.
    ProviderUnknown,
    /// The user's prices cannot be used.
    PricesInvalid,
    /// There is no such agent.
    AgentUnknown,
    /// The task does not fit into the tokens that are allowed.
    BudgetTooSmall,
    /// The pull request could not be read for a session.
    PullUnread,
    /// A person was to be dispatched.
    HumanNotDispatched,
    /// An agent gave no account of its work.
    AgentNoAccount,
    /// An agent did not answer in the shape that was asked for.
    AgentShape,
    /// The rules came to a sudden end.
    RulesPanicked,
    /// A path leads out of the worktree.
    PathOutside,
    /// A fixed file could not be written.
    FixUnwritten,

    // Backups.
    /// There is something where a backup is to go.
    BackupTargetUsed,
    /// A folder is no backup that could be used.
    BackupUnusable,
    /// A copy could not be made.
    BackupFailed,

    // The server for a team.
    /// The webhooks' secret cannot be read.
    WebhookSecretUnreadable,
    /// A runner has shown no secret that is known here, or one that was taken from it.
    RunnerUnknown,
    /// The token is none of a session.
    SessionTokenUnknown,
    /// The token is another session's.
    SessionTokenOther,
    /// The session was handed in, given back, given to another runner, or is not wanted any more.
    SessionOver,
    /// What is handed in is of another head.
    SessionStale,
    /// A review is handed in for a fix, or a fix for a review.
    SessionOtherWork,
    /// The patch that was handed in does not apply to the head, or is none.
    PatchUnfit,
    /// The patch is larger than any is taken.
    PatchTooLarge,
    /// No runner has taken a session in time.
    NoRunner,
    /// Runners have taken a session, and none has handed it in.
    RunnersLost,
    /// The file with the secrets of runners cannot be used.
    RunnersUnusable,
    /// A runner's name is none, or is another's already.
    RunnerName,
    /// The address of the server that a runner works for cannot be used.
    RunnerServerUrl,
    /// A runner was started without its secret, or it cannot be read.
    RunnerSecretMissing,
    /// Another runner works in this data folder.
    RunnerFolderBusy,
    /// The server does not answer a runner as servers do.
    RunnerServerAnswer,
    /// The address is reached by others, and nothing keeps what is sent to it from being read on the way.
    ListenUnprotected,
    /// Nothing could be listened on at the address.
    ListenFailed,
    /// The address of a worker is reached by others, and no key tells the engine from them.
    WorkerUnprotected,
    /// The address of the ingress or the key that a worker was given is none, or it has limits that it cannot hold.
    WorkerSettings,
    /// The engine that loops live in gives no answer.
    LoopsUnreachable,
    /// The engine that loops live in answers what cannot be read.
    LoopsUnreadable,
    /// The data folder, or the database, shows loops of another engine.
    LoopsOfAnotherEngine,
    /// The database that views are read from gives no answer.
    DatabaseUnreachable,
    /// The address of the database is none.
    DatabaseUrl,
    /// The database shows loops of another engine than the data folder.
    DatabaseOfAnotherEngine,
    /// The loops that the data folder shows are kept in a database.
    LoopsInDatabase,
    /// The loops of the data folder live in an engine elsewhere.
    LoopsElsewhere,
    /// The data folder has loops of its own.
    LoopsOfItsOwn,
    /// The engine that loops are to be moved to, or from, gives no answer.
    MoveUnreachable,
    /// Loops are not moved while everything is paused.
    MovePaused,
    /// The loops are where they are to be moved.
    MoveNothing,
    /// A move of loops has begun and not ended.
    MoveUnfinished,
    /// The public address is none.
    PublicUrlInvalid,
    /// The request names another host.
    ForeignHost,
    /// The request comes from another site's page.
    ForeignOrigin,
    /// The request cannot be understood.
    RequestMalformed,
    /// The request is too large.
    RequestTooLarge,
    /// The request took too long to arrive.
    RequestTimedOut,
    /// Somebody asks too often.
    TooManyRequests,
    /// The server has no such page.
    NoRoute,
    /// There is no such thing, or GitHub does not show it to the person.
    NotVisible,
    /// The person may not write in the repository.
    NoWriteAccess,
    /// Only whoever runs the server decides it.
    OperatorOnly,
    /// The signature of a delivery is missing or wrong.
    BadSignature,
    /// The server has no secret for webhooks.
    WebhooksOff,
    /// The server is ending.
    ServerStopping,
    /// The server has no app for signing in by a code.
    DeviceOff,
    /// GitHub does not take the server's app for signing in by a code.
    DeviceRefused,
    /// The person has declined to let the app act for them.
    DeviceDenied,
    /// Nobody typed the code in time.
    DeviceExpired,

    // Language models.
    /// There is no key.
    LlmNoKey,
    /// No model is named.
    LlmNoModel,
    /// What was typed cannot be a key.
    LlmKeyShape,
    /// The settings say that the key is elsewhere than in the keychain.
    LlmKeyNamed,
    /// The program that prints the key did not.
    LlmKeyCommand,
    /// The file of a login cannot be used.
    LlmLoginUnusable,
    /// Whoever gives keys does not accept a login.
    LlmLoginRefused,
    /// Whoever gives keys on a login does not answer.
    LlmLoginUnanswered,
    /// A header's variable is not set.
    LlmNoHeader,
    /// The address cannot be asked.
    LlmBadAddress,
    /// The provider has no list of its models.
    LlmNotListed,
    /// No model is set up, and none is named.
    ModelsNone,
    /// A provider is named without a model of it.
    ModelsUnnamed,
    /// The schema cannot be used.
    LlmBadSchema,
    /// The key is not accepted.
    LlmUnauthorized,
    /// No credit is left.
    LlmNoCredit,
    /// The model is not known there.
    LlmModelNotFound,
    /// The model takes no more questions for now.
    LlmRateLimited,
    /// The question is too long.
    LlmContextTooLong,
    /// The model was given less of the question than was sent.
    LlmPromptCut,
    /// The model refused.
    LlmRefused,
    /// A setting is not taken.
    LlmRequestRejected,
    /// The service is out of order.
    LlmUnavailable,
    /// The service cannot be reached.
    LlmUnreachable,
    /// The answer broke off.
    LlmStreamInterrupted,
    /// The answer is too long.
    LlmMaxTokensReached,
    /// The answer is empty.
    LlmEmptyAnswer,
    /// The answer has another shape.
    LlmSchemaMismatch,
    /// The answer took too long.
    LlmDeadlineExceeded,
    /// The question was cancelled.
    LlmCancelled,

    // Coding agents.
    /// Its program is not there.
    AgentProgramNotFound,
    /// It could not be started.
    AgentNotStarted,
    /// It speaks another version of the protocol.
    AgentUnsupportedProtocol,
    /// It wants a login first.
    AgentLoginRequired,
    /// It does not keep to the protocol.
    AgentInvalidResponse,
    /// It said nothing for too long.
    AgentIdleTimeout,
    /// It took too long.
    AgentDeadlineExceeded,
    /// It sent too much.
    AgentTooMuchOutput,
    /// It ended too early.
    AgentProcessExited,
    /// It refused.
    AgentRefused,
    /// It was cancelled.
    AgentCancelled,

    // `collie review`.
    /// The pull request could not be checked out.
    ReviewCheckout,
    /// The pull request is not open.
    ReviewNotOpen,
    /// The account may not post reviews.
    ReviewDenied,
    /// The account has an unsubmitted review there.
    ReviewPending,
    /// The configuration at the base cannot be used.
    ReviewPolicy,
    /// A reviewer failed.
    ReviewFailed,
    /// The review was stopped.
    ReviewStopped,
    /// Flags are about a model that is not set up.
    ReviewNoModel,
    /// A variable is not set that GitHub's runner sets.
    ActionEnvironment,
    /// The event of a workflow cannot be read.
    ActionEvent,
    /// The event of a workflow is about no pull request.
    ActionNoPull,

    // `collie mcp`.
    /// The client of an MCP server broke the protocol.
    McpClient,
    /// The MCP server offers only what changes nothing.
    McpReadOnly,
    /// There is no proof yet.
    NoProof,

    // Evaluations.
    /// A file of cases is no TOML of the right shape.
    EvalSetSyntax,
    /// A file of cases has none.
    EvalSetEmpty,
    /// Two cases or faults have one name.
    EvalSetDuplicate,
    /// The name of a case or fault cannot be part of a path.
    EvalSetBadId,
    /// A case names something that is no commit id.
    EvalSetBadSha,
    /// A case names something that is no repository or pull request.
    EvalSetBadRepository,
    /// Lines of a fault are none.
    EvalSetBadLines,
    /// A path of a case leads out of its repository.
    EvalSetBadPath,
    /// A case has no change, or more than one.
    EvalSetNoChange,
    /// A case is neither clean nor faulty, or both.
    EvalSetCleanOrFaulty,
    /// A fault has lines but no file.
    EvalSetLinesWithoutFile,
    /// A text of a fault is empty.
    EvalSetEmptyText,
    /// A file of results cannot be read.
    EvalResultsInvalid,
    /// A file of an evaluation cannot be read or written.
    EvalFile,
    /// The file for the results is there already.
    EvalExists,
    /// The results to go on with are of another run.
    EvalOtherRun,
    /// Cases need clones, and no folder of clones is named.
    EvalNoClones,
    /// The clone of a repository is not there.
    EvalNoClone,
    /// A clone lacks a commit.
    EvalNoCommit,
    /// A clone lacks the head of a pull request.
    EvalNoPull,
    /// Git failed while a case was set up.
    EvalGit,
    /// A case that was named is not in the set.
    EvalNoCase,
    /// A prompt of a replayed run is not recorded.
    EvalNotRecorded,
    /// What records and replays answers could not be started.
    EvalRecorder,
    /// Recording needs a language model.
    EvalNoModel,
    /// A judge that is a model is not set up.
    EvalJudgeNoModel,
    /// The judge gave no verdict.
    EvalJudgeFailed,
    /// An evaluation was stopped.
    EvalStopped,
    /// An evaluation ended since the budget does not pay for more; its cause says which limit.
    EvalOverBudget,
    /// Cases of an evaluation failed.
    EvalCasesFailed,
    /// Two runs have no case in common.
    EvalNothingInCommon,
    /// A folder of prompts cannot be used; its causes say what is wrong with its files.
    EvalPromptsInvalid,
    /// No prompt is called so.
    EvalPromptUnknown,
    /// A prompt is not there.
    EvalPromptMissing,
    /// A prompt says nothing.
    EvalPromptEmpty,
    /// A slot that is filled is not there.
    EvalPromptMissingSlot,
    /// A slot that nothing fills.
    EvalPromptUnknownSlot,
    /// A persona's file describes another one.
    EvalPromptOtherPersona,
    /// Prompts are named for a reviewer that is asked none.
    EvalPromptsUnused,

    // The command line and the local forge.
    /// The command line cannot be understood; its cause is one of those below.
    Usage,
    /// There is no such argument.
    UsageUnknownArgument,
    /// There is no such command.
    UsageUnknownCommand,
    /// A value is none of those there are.
    UsageInvalidValue,
    /// A value is not well formed.
    UsageBadValue,
    /// Arguments are missing.
    UsageMissing,
    /// A command is missing.
    UsageMissingCommand,
    /// A value is missing.
    UsageMissingValue,
    /// An argument cannot be used twice, or beside another.
    UsageConflict,
    /// It is wrong in another way.
    UsageOther,
    /// How a command is used; beside what is wrong.
    UsageLine,
    /// No threads can be started.
    NoThreads,
    /// The local forge could not be opened or changed.
    Forge,

    // The host.
    /// This host opens no other programs.
    OpensNothing,
    /// Nothing opened it.
    NotOpened,
    /// The answer could not be written as JSON.
    Answer,
    /// The page and the host are of different versions.
    Contract,
    /// Only web addresses are opened.
    NotAWebAddress,
    /// Nobody understands an argument of the window's command line.
    Argument,
    /// The window's command line has no such option.
    OptionUnknown,
    /// There is no display.
    NoDisplay,
    /// The window cannot be opened.
    NoWindow,

    // What is wrong in a configuration.
    /// One thing that is wrong, with its place.
    ConfigProblem,
    /// The text is no TOML; the parser's reason is English.
    ConfigInvalidToml,
    /// The file is not UTF-8 after this byte.
    ConfigNotUtf8,
    /// The file cannot be read, for the system's reason.
    ConfigUnreadable,
    /// Nobody knows the key, but one is near.
    ConfigUnknownKeyNear,
    /// Nobody knows the key; these are known in its table.
    ConfigUnknownKey,
    /// Only the user's own file may say this.
    ConfigUserFileOnly,
    /// Only the user's own file may name bots.
    ConfigUserFileOnlyBots,
    /// Only the user's own file may list repositories.
    ConfigUserFileOnlyRepositories,
    /// Only the user's own file may set the desktop app up.
    ConfigUserFileOnlyDesktop,
    /// Only the user's own file may say which models and agents run.
    ConfigUserFileOnlyModels,
    /// Reviews of a persona may approve or request changes, and it has no account of its own.
    ConfigVerdictWithoutAccount,
    /// A GitHub App without its id, or without the account that has installed it.
    ConfigAppIncomplete,
    /// A model without its provider, or the other way round.
    ConfigLlmIncomplete,
    /// An agent that Collie does not know, without its command.
    ConfigAgentWithoutCommand,
    /// An MCP server that is no program and no address, or both, or is nobody's.
    ConfigMcpIncomplete,
    /// A secret stands in the command or the address of an MCP server.
    ConfigMcpHoldsSecret,
    /// A variable that no other program gets.
    ConfigWithheldVariable,
    /// A provider that has no usual address, without its own.
    ConfigLlmWithoutUrl,
    /// No table of a model by this name.
    ConfigUnknownModel,
    /// No header that a request can have.
    ConfigInvalidHeader,
    /// A secret stands in the file.
    ConfigHeaderHoldsSecret,
    /// The same header is there twice.
    ConfigDuplicateHeader,
    /// No name of a variable.
    ConfigNotAVariable,
    /// No temperature from 0 to 2.
    ConfigInvalidTemperature,
    /// No amount of dollars up to a million.
    ConfigInvalidDollars,
    /// No name of a persona or an agent.
    ConfigInvalidName,
    /// No agent by this name.
    ConfigUnknownAgent,
    /// A table by this name was expected.
    ConfigNotATable,
    /// Tables by this name were expected.
    ConfigNotAnArrayOfTables,
    /// `require_human_approval` can only be true (§11).
    ConfigHumanApprovalDisabled,
    /// `auto_merge` can only be false (§11).
    ConfigAutoMergeEnabled,
    /// No address of an API.
    ConfigInvalidUrl,
    /// It names no host.
    ConfigInvalidHost,
    /// A verify command begins as a line does that says what prepares.
    ConfigReservedCommand,
    /// The path does not begin at the root.
    ConfigRelativePath,
    /// The path is none below a home folder.
    ConfigNotBelowHome,
    /// No number of an account.
    ConfigInvalidAccountId,
    /// A bot without its account or login.
    ConfigBotIncomplete,
    /// A stage has 1 to 5 reviewers, not this many.
    ConfigStageSize,
    /// A stage without reviewers.
    ConfigStageEmpty,
    /// A reviewer is in a stage twice.
    ConfigDuplicateReviewer,
    /// No reviewer by this name.
    ConfigUnknownReviewer,
    /// No time.
    ConfigInvalidDuration,
    /// No whole number in these bounds.
    ConfigOutOfRange,
    /// No share from 0 to 1.
    ConfigInvalidShare,
    /// No share from 0 to 1, in a variable.
    ConfigInvalidShareVariable,
    /// Neither true nor false.
    ConfigNotABoolean,
    /// No text, or an empty one.
    ConfigNotAString,
    /// No list of texts.
    ConfigNotAStringArray,
    /// No login.
    ConfigInvalidLogin,
    /// None of these words.
    ConfigUnknownChoice,
    /// No language of ours, in a variable.
    ConfigUnknownLanguage,
    /// No known bot has this login.
    ConfigUnknownBot,
    /// github.com is read too often (§2).
    ConfigPollTooFast,
    /// No name of a repository.
    ConfigInvalidRepository,
    /// A repository without its name.
    ConfigRepositoryUnnamed,
    /// A repository is listed twice.
    ConfigDuplicateRepository,
    /// An environment variable holds the setting, so that the file has no say.
    ConfigSetByEnvironment,
    /// Nothing of this shape can be written there.
    ConfigUnsupportedValue,

    // Records of earlier versions.
    /// An earlier version of Collie wrote it down in words.
    Recorded,
}

impl ErrorCode {
    /// The code, as it is written in JSON and in the Fluent key `problem-…`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether a person decides how it goes on: a limit or a setting of theirs stands in the way, and nothing is out of order.
    pub fn needs_person(self) -> bool {
        matches!(
            self,
            ErrorCode::CheckoutTooLarge
                | ErrorCode::CheckoutTooManyFiles
                | ErrorCode::SandboxDiskLimit
                | ErrorCode::PrepareFailed
                | ErrorCode::PrepareHostsRefused
                | ErrorCode::VerifyNeedsNetwork
        )
    }

    /// Whether this machine has no sandbox, or not all of its walls: what is to run in it waits until somebody has mended that.
    pub fn is_missing_sandbox(self) -> bool {
        matches!(
            self,
            ErrorCode::SandboxUnsupported
                | ErrorCode::SandboxMissing
                | ErrorCode::SandboxRefused
                | ErrorCode::SandboxNoLandlock
        )
    }
}

/// What can be done about an error: the text `problem-hint-…`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ErrorHint {
    /// Check name and access.
    Access,
    /// Sign in again.
    SignIn,
    /// Check what the account may do.
    Rights,
    /// Update the server.
    UpdateServer,
    /// Sign in with another account that gh knows.
    OtherAccount,
    /// Add the token of an account of its own.
    AddAccount,
    /// See to the GitHub App: its installation and its key.
    CheckApp,
    /// Say where the key for tokens of accounts is.
    AccountKey,
    /// Do it once more.
    AgainNow,
    /// Check the network.
    Network,
    /// Make another token.
    NewToken,
    /// Say where the API is.
    ApiUrl,
    /// Allow the account.
    Allow,
    /// Take a name out of `accounts.json`, so that it is pinned anew.
    Repin,
    /// Start a loop.
    StartLoop,
    /// Start a new run.
    Retry,
    /// Cancel first.
    CancelFirst,
    /// See the settings.
    Settings,
    /// Check the permissions of the settings.
    SettingsRights,
    /// Close the other program.
    SettingsBusy,
    /// Mend the file.
    Configuration,
    /// Free some space.
    FreeSpace,
    /// Update Collie.
    Update,
    /// Rebuild the journal.
    Rebuild,
    /// Check the data folder.
    DataFolder,
    /// Stop the other process.
    StopOther,
    /// Install git.
    Git,
    /// Start the demo anew.
    DemoAnew,
    /// Free the port.
    DemoPort,
    /// Nothing: the request stays.
    StaysQueued,
    /// Unlock the keychain.
    Keychain,
    /// Unlock the keychain, or give a model's key in another way.
    ModelKeychain,
    /// Give a model's key in another way than the keychain.
    ModelKeyElsewhere,
    /// Merge in the desktop window.
    DesktopWindow,
    /// Look at it on GitHub.
    OnGithub,
    /// Install bubblewrap.
    InstallBubblewrap,
    /// Let users make namespaces.
    UserNamespaces,
    /// Use a kernel that has Landlock.
    Landlock,
    /// Trust the repository without a sandbox.
    Unsandboxed,
    /// Raise the limit under `[disk]`.
    DiskLimits,
    /// Fetch dependencies before the verification.
    Prepare,
    /// Name the hosts that may be reached.
    PrepareHosts,
    /// Run `collie doctor`.
    Doctor,
    /// See the help of the forge.
    Forge,
    /// See the help.
    Usage,
    /// Try again in a moment.
    TryAgain,
    /// Install WebKitGTK.
    InstallWebkit,
    /// Use the terminal.
    Terminal,
    /// Post nothing.
    DryRun,
    /// Raise a limit of what may be spent, or wait for midnight.
    RaiseBudget,
    /// Put a proxy that speaks TLS in front.
    TlsProxy,
    /// See what the server's page of the documentation says.
    ServerDocs,
    /// Read how workers are run.
    WorkerDocs,
    /// See that the engine and a worker run, and move the loops once they do.
    CheckEngineToMove,
    /// End the move that was begun.
    FinishMove,
    /// See that the engine and a worker run: what is shown goes on by itself.
    CheckEngine,
    /// Look at the database.
    CheckDatabase,
    /// Name the database that the server of the folder has.
    NameDatabase,
    /// See what the Action's page of the documentation says.
    ActionDocs,
}

impl ErrorHint {
    /// Its name, as it is written in the Fluent key `problem-hint-…`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

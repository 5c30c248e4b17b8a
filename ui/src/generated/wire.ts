// Written by `cargo run -p collie-wire --example generate`. Change the Rust it comes from: crates/wire/src/rpc.

/**
 * GitHub's number of an account; names change, this does not (§3.4).
 */
export type AccountId = number;

/**
 * Where a token comes from.
 */
export type AccountSource = "gh" | "environment" | "keychain" | "memory" | "demo";

/**
 * Who is signed in.
 */
export type AccountView = { 
/**
 * The login.
 */
login: string, 
/**
 * `github.com`, or another host.
 */
host: string, 
/**
 * Where the token comes from.
 */
source: AccountSource, 
/**
 * Whether it may start loops (§9.1).
 */
allowed: boolean, 
/**
 * Rights that the token lacks, in GitHub's words; empty when it has all, or does not tell.
 */
missing_scopes: Array<string>, };

/**
 * One thing that somebody at work did.
 */
export type ActivityLine = { 
/**
 * When.
 */
at: string, 
/**
 * What, in words.
 */
text: string, };

/**
 * Who is at work on a loop.
 */
export type ActivityView = { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * In the order in which they began; empty when nobody is.
 */
workers: Array<WorkerView>, };

/**
 * A coding agent.
 */
export type AgentSetting = { 
/**
 * Its name.
 */
name: string, 
/**
 * The program and its arguments. Empty for an agent that Collie starts without being told how.
 */
command: Array<string>, 
/**
 * Names of variables that it gets of Collie's own environment, to log in with.
 */
env: Array<string>, 
/**
 * Hosts that it reaches beside those of its makers: `example.com`, `*.example.com`, `localhost:11434`.
 */
hosts: Array<string>, 
/**
 * Files and folders of this machine that it may read: absolute paths.
 */
readable: Array<string>, 
/**
 * Folders below its home that outlive a turn.
 */
state: Array<string>, 
/**
 * Its model, as it calls it itself; its own choice when left out.
 */
model?: string, 
/**
 * How much that thinks; its own default when left out.
 */
effort?: string, };

/**
 * A finding that a commit answers.
 */
export type AnsweredFindingView = { 
/**
 * Its identity.
 */
fingerprint: Fingerprint, 
/**
 * How much it weighs.
 */
priority: Priority, 
/**
 * Its title.
 */
title: string, 
/**
 * Its file; empty where it is about none.
 */
file: string, 
/**
 * Its line.
 */
line: number | null, 
/**
 * Who found it.
 */
by: string, };

/**
 * Whom a loop waits for, from afar: what lists, counts and the tray are made of.
 */
export type Attention = "ready" | "needs_you" | "working" | "over";

/**
 * Who fixes what an author opened.
 */
export type AuthorSetting = { 
/**
 * The author.
 */
login: string, 
/**
 * `rules`, or an agent.
 */
runs_on: string, };

/**
 * What a person confirmed as they switched the toggle on.
 */
export type AutoReviewPlan = { 
/**
 * How far Collie goes by itself in the repository.
 */
autonomy: Autonomy, 
/**
 * Numbers of pull requests that are left out.
 */
except: Array<number>, };

/**
 * How far Collie goes by itself. The stricter one is the lesser.
 */
export type Autonomy = "observe" | "ask" | "push";

/**
 * A repository that could be put into the sidebar.
 */
export type AvailableRepository = { 
/**
 * `owner/repo`.
 */
name: string, 
/**
 * Not public.
 */
private: boolean, 
/**
 * Open pull requests.
 */
open_pulls: number, 
/**
 * It is in the sidebar already.
 */
chosen: boolean, };

/**
 * The codes of [`Blocker`], as they are written in JSON and in the Fluent key `blocker-…`.
 */
export type BlockerCode = "starting" | "checks_running" | "no_checks_yet" | "collecting_failures" | "check_needs_action" | "rerunning_checks" | "base_broken" | "bots_pending" | "bots_out_of_quota" | "reviewing" | "awaiting_reviewer" | "changes_requested" | "threads_open" | "comments_open" | "fixing" | "verifying" | "verify_untrusted" | "author_not_allowed" | "fixing_off" | "unseen" | "no_sandbox" | "budget" | "merging_base" | "paused" | "observing" | "awaiting_approval" | "pushing" | "awaiting_push" | "posting" | "awaiting_merge" | "draft" | "conflict" | "behind" | "mergeability_unknown" | "merge_blocked" | "review_required" | "ignore_label" | "pending_review" | "auto_merge" | "merge_queue" | "queue_ejected" | "unreachable" | "unauthorized" | "forbidden" | "account_unusable" | "app_unusable" | "rights_lacking" | "server_too_old" | "not_found" | "rate_limited" | "config_invalid";

/**
 * What a loop waits for.
 */
export type BlockerView = { 
/**
 * [`Blocker::code`].
 */
code: BlockerCode, 
/**
 * Its arguments, by name.
 */
args: Record<string, unknown>, 
/**
 * The same in words.
 */
text: string, 
/**
 * Whether only a person can end the wait.
 */
needs_person: boolean, };

/**
 * One bot.
 */
export type BotLine = { 
/**
 * Its login.
 */
login: Login, 
/**
 * Its account.
 */
id: AccountId, 
/**
 * Whether the account is the one the registry names.
 */
verified: boolean, 
/**
 * How it stands.
 */
status: BotStatusCode, 
/**
 * How long it is waited for, or out of quota.
 */
until: string | null, };

/**
 * A bot of the registry.
 */
export type BotSetting = { 
/**
 * Its login.
 */
login: string, 
/**
 * Its account: what it is known by (§3.4).
 */
id: number, 
/**
 * It ships with Collie: shown, and not to be removed.
 */
shipped: boolean, };

/**
 * The codes of [`BotStatus`], as they are written in JSON.
 */
export type BotStatusCode = "waiting" | "reviewed" | "out_of_quota" | "timed_out" | "not_expected";

/**
 * A loop that commits to the same head branch, which others wait for.
 */
export type BranchHolderView = { 
/**
 * Its pull request, `owner/repo#n`.
 */
pull: string, 
/**
 * That it is waited for, in words.
 */
text: string, };

/**
 * What may be spent; none where nobody set a limit.
 */
export type BudgetLimitView = { 
/**
 * In dollars.
 */
cost_usd: number | null, 
/**
 * In tokens of what has no price: as set, or as the dollars come to.
 */
tokens: number | null, };

/**
 * One commit of Collie's.
 */
export type ChangeCommitView = { 
/**
 * Its id.
 */
sha: Sha, 
/**
 * The first line of its message; none where no clone has it.
 */
subject: string | null, 
/**
 * When it was made, RFC 3339; none where no clone has it.
 */
at: string | null, 
/**
 * Where it is.
 */
standing: CommitStanding, 
/**
 * What it merges in; none for a fix.
 */
merge: CommitMergeView | null, 
/**
 * Why its files are not known; none where they are.
 */
missing: MissingCommit | null, 
/**
 * Its files.
 */
files: Array<ChangedFileView>, 
/**
 * Files beyond those that are listed.
 */
files_left_out: number, 
/**
 * How many findings it answers.
 */
findings: number, };

/**
 * The commits of one round.
 */
export type ChangeRoundView = { 
/**
 * The round, from 1; none for what earlier runs pushed.
 */
round: number | null, 
/**
 * Oldest first.
 */
commits: Array<ChangeCommitView>, };

/**
 * How much a pull request changes, as GitHub counts.
 */
export type ChangeSize = { 
/**
 * Changed files.
 */
files: number, 
/**
 * Lines that are new.
 */
additions: number, 
/**
 * Lines that are gone.
 */
deletions: number, };

/**
 * A file of a commit.
 */
export type ChangedFileView = { 
/**
 * Its path; of a removed file, its last.
 */
path: string, 
/**
 * The path it had before, where that is another.
 */
old_path: string | null, 
/**
 * What becomes of it.
 */
status: FileStatus, 
/**
 * Lines that it gains.
 */
added: number, 
/**
 * Lines that it loses.
 */
removed: number, 
/**
 * Why none of its lines are shown; none where they are.
 */
unshown: UnseenReason | null, };

/**
 * All commits of Collie's in a pull request, without their lines.
 */
export type ChangesView = { 
/**
 * Earlier runs first, then round by round.
 */
rounds: Array<ChangeRoundView>, 
/**
 * Files that fixes change, each counted once; merges of the base and what is no longer on the branch do not count.
 */
files: number, 
/**
 * Lines that fixes add, over all of them.
 */
added: number, 
/**
 * Lines that fixes remove.
 */
removed: number, 
/**
 * Something is missing from these counts.
 */
incomplete: boolean, };

/**
 * How a check ended, as GitHub names it. Commit statuses map onto it.
 */
export type CheckConclusion = "success" | "failure" | "neutral" | "cancelled" | "skipped" | "timed_out" | "action_required" | "stale" | "startup_failure";

/**
 * One check.
 */
export type CheckLine = { 
/**
 * Its name.
 */
name: string, 
/**
 * GitHub's word, or `missing`.
 */
status: CheckStatus | "missing", 
/**
 * GitHub's word.
 */
conclusion: CheckConclusion | null, 
/**
 * What it came to (§3.3).
 */
outcome: CheckOutcome, 
/**
 * Where a person reads more.
 */
url: string | null, 
/**
 * Why it failed, as far as that is told apart; only of failed ones.
 */
cause?: FailureCause, };

/**
 * How one check counts.
 */
export type CheckOutcome = "running" | "needs_action" | "passed" | "failed";

/**
 * How a check run stands, as GitHub names it.
 */
export type CheckStatus = "queued" | "in_progress" | "completed" | "waiting" | "requested" | "pending";

/**
 * How CI stands as a whole (§3.3).
 */
export type CiStatus = "none" | "pending" | "passed" | "failed";

/**
 * Checks of the head.
 */
export type CiView = { 
/**
 * All of them in one word.
 */
status: CiStatus, 
/**
 * How many passed.
 */
passed: number, 
/**
 * How many failed.
 */
failed: number, 
/**
 * How many are not done, those that have not reported included.
 */
running: number, 
/**
 * Each.
 */
checks: Array<CheckLine>, 
/**
 * Changed files that say what CI runs: the first of them; not there where there are none.
 */
workflow_files?: Array<string>, };

/**
 * One call of the UI. Written as `{"command": NAME, "args": {…}}`, without `args` where there are none.
 */
export type Command = { "command": "session" } | { "command": "loops" } | { "command": "activities" } | { "command": "repositories" } | { "command": "listing", "args": { 
/**
 * `owner/repo`.
 */
repo: string, } } | { "command": "open_pulls" } | { "command": "timeline", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "earlier_runs", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "excerpts", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The finding.
 */
fingerprint: string, } } | { "command": "changes", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "commit_diff", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Which.
 */
sha: Sha, } } | { "command": "merge_offer", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "settings" } | { "command": "check_settings", "args": { 
/**
 * By key; null takes a key out of the file.
 */
changes: { [key in string]: JsonValue }, } } | { "command": "available_repositories" } | { "command": "review_memory", "args": { 
/**
 * `owner/repo`.
 */
repo: string, } } | { "command": "spending" } | { "command": "insights", "args": { 
/**
 * Of which days.
 */
range: InsightsRange, 
/**
 * `owner/repo`; null for all.
 */
only: string | null, } } | { "command": "export_insights", "args": { 
/**
 * Of which days.
 */
range: InsightsRange, 
/**
 * `owner/repo`; null for all.
 */
only: string | null, 
/**
 * Which rows.
 */
table: InsightsTable, } } | { "command": "doctor" } | { "command": "start", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "cancel", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "retry", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "resume", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * So many rounds more than configured, in the new run alone.
 */
rounds: number, } } | { "command": "dismiss", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Which.
 */
fingerprint: string, 
/**
 * Why.
 */
reason: string, } } | { "command": "note", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The finding that it is about; none where it is about the change as a whole.
 */
fingerprint: string | null, 
/**
 * What.
 */
text: string, } } | { "command": "description", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, } } | { "command": "decide_trust", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * What the person decided, as they saw it.
 */
decision: TrustDecision, } } | { "command": "seen", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The head that the person saw.
 */
head_sha: Sha, } } | { "command": "forget_judgement", "args": { 
/**
 * `owner/repo`.
 */
repo: string, 
/**
 * The entry's id.
 */
id: string, } } | { "command": "merge", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The head that the person saw.
 */
head_sha: Sha, 
/**
 * How.
 */
method: MergeMethod, } } | { "command": "set_auto_review", "args": { 
/**
 * `owner/repo`.
 */
repo: string, 
/**
 * On or off.
 */
on: boolean, 
/**
 * What the person confirmed with it; none leaves all as it is.
 */
plan?: AutoReviewPlan, } } | { "command": "set_autonomy", "args": { 
/**
 * `owner/repo`.
 */
repo: string, 
/**
 * How far.
 */
level: Autonomy, } } | { "command": "set_paused", "args": { 
/**
 * Whether it is to be paused.
 */
paused: boolean, } } | { "command": "set_snoozes", "args": { 
/**
 * Those that are out of the way now.
 */
snoozes: Array<Snooze>, } } | { "command": "set_muted_notifications", "args": { 
/**
 * Those that are off.
 */
kinds: Array<NotificationKind>, } } | { "command": "approve_push", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The commit that the person saw.
 */
commit: Sha, } } | { "command": "reject_push", "args": { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The commit that the person saw.
 */
commit: Sha, 
/**
 * What the fixer is told; may be empty.
 */
note: string, } } | { "command": "add_repositories", "args": { 
/**
 * `owner/repo` each.
 */
repos: Array<string>, } } | { "command": "remove_repository", "args": { 
/**
 * `owner/repo`.
 */
repo: string, } } | { "command": "refresh", "args": { 
/**
 * `owner/repo`.
 */
repo: string, } } | { "command": "model_key", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, 
/**
 * Changes that were not saved yet, as in [`Self::CheckSettings`].
 */
changes: { [key in string]: JsonValue }, } } | { "command": "set_model_key", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, 
/**
 * Changes that were not saved yet.
 */
changes: { [key in string]: JsonValue }, 
/**
 * The key. It is never sent back.
 */
secret: string, } } | { "command": "remove_model_key", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, 
/**
 * Changes that were not saved yet.
 */
changes: { [key in string]: JsonValue }, } } | { "command": "list_models", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, 
/**
 * Changes that were not saved yet.
 */
changes: { [key in string]: JsonValue }, } } | { "command": "test_model", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, 
/**
 * Changes that were not saved yet.
 */
changes: { [key in string]: JsonValue }, } } | { "command": "expected_cost", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, 
/**
 * Changes that were not saved yet.
 */
changes: { [key in string]: JsonValue }, } } | { "command": "stop_model_test", "args": { 
/**
 * `llm`, `models.NAME` or `reviewers.NAME`.
 */
table: string, } } | { "command": "save_settings", "args": { 
/**
 * By key; null takes a key out of the file.
 */
changes: { [key in string]: JsonValue }, } } | { "command": "detect_credentials" } | { "command": "sign_in_detected" } | { "command": "sign_in", "args": { 
/**
 * The token. It is never sent back.
 */
token: string, 
/**
 * The API address of GitHub Enterprise; none for github.com.
 */
api_url: string | null, } } | { "command": "device_sign_in" } | { "command": "device_sign_in_state", "args": { 
/**
 * Which code: the view's id.
 */
id: string, } } | { "command": "sign_out" } | { "command": "sign_out_everywhere" } | { "command": "allow_me" } | { "command": "start_demo" } | { "command": "play_scenario", "args": { 
/**
 * Its name.
 */
scenario: string, } } | { "command": "leave_demo", "args": { 
/**
 * Whether the data goes.
 */
forget: boolean, } } | { "command": "try_again" } | { "command": "open", "args": { 
/**
 * What.
 */
target: OpenTarget, } } | { "command": "page_error", "args": { 
/**
 * What the page said of it.
 */
text: string, } } | { "command": "interactive", "args": { 
/**
 * Since the page began to load, in milliseconds.
 */
after_ms: number, } };

/**
 * The lines of a commit.
 */
export type CommitDiffView = { 
/**
 * The commit.
 */
sha: Sha, 
/**
 * Why nothing is shown; none where something is.
 */
missing: MissingCommit | null, 
/**
 * Its files, in order.
 */
files: Array<FileDiffView>, 
/**
 * Files beyond those that are listed.
 */
files_left_out: number, 
/**
 * The findings that the commit answers, the most urgent first.
 */
findings: Array<AnsweredFindingView>, 
/**
 * Those that no hunk was found for, by their place in `findings`.
 */
elsewhere: Array<number>, };

/**
 * A merge of the base. Of such a commit the files are shown that conflicted: the rest is the base's.
 */
export type CommitMergeView = { 
/**
 * The base branch; none where only an earlier run knew.
 */
base_ref: string | null, 
/**
 * How many files conflicted.
 */
conflicts: number, };

/**
 * Where a commit of Collie's is.
 */
export type CommitStanding = "pushed" | "pending" | "removed";

/**
 * What a reviewer, or the panel, concludes (A6).
 */
export type Conclusion = "approve" | "request_changes" | "needs_major_work";

/**
 * How sure the reviewer is, in thousandths; written as a number from 0 to 1.
 */
export type Confidence = number;

/**
 * How GitHub answers, in one word.
 */
export type Connection = "ok" | "unreachable" | "unauthorized" | "rate_limited";

/**
 * How GitHub answers.
 */
export type ConnectionView = { 
/**
 * In one word.
 */
status: Connection, 
/**
 * When it is tried again, or the quota begins anew.
 */
until: string | null, };

/**
 * The usual, from the least to the most.
 */
export type CostRangeView = { 
/**
 * The least, in tokens.
 */
tokens_least: number, 
/**
 * The most, in tokens.
 */
tokens_most: number, 
/**
 * The least, in dollars; none where the price is not known.
 */
usd_least: number | null, 
/**
 * The most, in dollars.
 */
usd_most: number | null, };

/**
 * What of a head nobody was shown (§4.4).
 */
export type CoverageView = { 
/**
 * Files that nobody was shown wholly, by path.
 */
unseen: Array<UnseenFile>, 
/**
 * How many of them are text that somebody has to look at.
 */
needing_look: number, 
/**
 * Text files that only the built-in rules have read, though there are other reviewers.
 */
rules_only: Array<string>, 
/**
 * Who has looked at this head instead.
 */
seen_by: Login | null, };

/**
 * Days in a row, as `YYYY-MM-DD`.
 */
export type DayRangeView = { 
/**
 * The first.
 */
from: string, 
/**
 * The last.
 */
to: string, };

/**
 * A pull request of the demo. Title and story are the Fluent keys `scenario-NAME` and `scenario-NAME-story`, dashes kept.
 */
export type DemoScenario = { 
/**
 * Its name: `fix-loop`, …
 */
name: string, 
/**
 * Its pull request.
 */
key: string, 
/**
 * Whether it was started.
 */
started: boolean, };

/**
 * The demo forge.
 */
export type DemoView = { 
/**
 * In the order shown.
 */
scenarios: Array<DemoScenario>, };

/**
 * The beginning of a pull request's description.
 */
export type DescriptionView = { 
/**
 * As it was written; empty where nothing was.
 */
text: string, };

/**
 * What was found on this machine to sign in with.
 */
export type DetectedCredentials = { 
/**
 * `gh` is installed.
 */
gh_installed: boolean, 
/**
 * Where a token was found; none when there is none.
 */
token: AccountSource | null, 
/**
 * Whose it is, once GitHub has said so.
 */
login: string | null, 
/**
 * Whether a keychain can be used.
 */
keychain: boolean, };

/**
 * A code to type on GitHub's page.
 */
export type DeviceCodeView = { 
/**
 * What asks whether it was typed.
 */
id: string, 
/**
 * The code.
 */
user_code: string, 
/**
 * The page.
 */
verification_uri: string, 
/**
 * For how long it can be typed.
 */
expires_in_ms: number, 
/**
 * How far apart questions whether it was typed make sense.
 */
interval_ms: number, };

/**
 * What became of a code.
 */
export type DeviceSignInState = "waiting" | "done";

/**
 * Changed lines with some around them.
 */
export type DiffHunkView = { 
/**
 * The number of its first line before, from 1.
 */
old_start: number, 
/**
 * The number of its first line after, from 1.
 */
new_start: number, 
/**
 * Each begins with `+`, `-` or a blank, as in a unified diff; the one before a line that is just `\` is the last of its file and has no end.
 */
lines: Array<string>, 
/**
 * The findings that it answers.
 */
answers: Array<HunkAnswerView>, };

/**
 * One line of a diff.
 */
export type DiffLine = { 
/**
 * What the diff does to it.
 */
kind: DiffLineKind, 
/**
 * Its number before; none for an added one.
 */
old: number | null, 
/**
 * Its number after; none for a removed one.
 */
new: number | null, 
/**
 * Without its end.
 */
text: string, 
/**
 * The line the finding stands on.
 */
marked: boolean, };

/**
 * What a diff does to a line.
 */
export type DiffLineKind = "context" | "added" | "removed" | "gap";

/**
 * A person's word that a finding does not matter here.
 */
export type DismissalView = { 
/**
 * Who.
 */
by: Login, 
/**
 * Why.
 */
reason: string, 
/**
 * When.
 */
at: string, };

/**
 * What is looked at on this machine.
 */
export type DoctorCode = "git" | "gh" | "token" | "allowed" | "server" | "rights" | "quota" | "model" | "agent" | "sandbox" | "process" | "config" | "data" | "journal" | "audit" | "memory" | "engine";

/**
 * A line of the look at this machine.
 */
export type DoctorLine = { 
/**
 * What was looked at.
 */
code: DoctorCode, 
/**
 * Its name in words.
 */
title: string, 
/**
 * How it is.
 */
status: DoctorStatus, 
/**
 * In words, with what to do about it.
 */
text: string, };

/**
 * How something on this machine is.
 */
export type DoctorStatus = "ok" | "warning" | "bad";

/**
 * A run that another one has followed, as it was last.
 */
export type EarlierRunView = { 
/**
 * The run.
 */
run_id: string, 
/**
 * Which one of its pull request, from 1.
 */
number: number, 
/**
 * When it began.
 */
started_at: string, 
/**
 * When it ended; none of one that a later run replaced before that was kept.
 */
ended_at: string | null, 
/**
 * How it ended.
 */
state: State, 
/**
 * Whether the rest is known: runs before that was kept have their times alone.
 */
kept: boolean, 
/**
 * The head that it ended on.
 */
head_sha: Sha | null, 
/**
 * Why it stopped.
 */
error: StopView | null, 
/**
 * What was seen at the head that was ready last.
 */
proof: ProofView | null, 
/**
 * Tokens and money of it.
 */
usage: UsageView, };

/**
 * Why a pull request was taken out of the merge queue, told apart by whose turn it is.
 */
export type EjectionCause = "own_checks" | "neighbour_checks" | "base_checks" | "undecided_checks" | "infrastructure" | "timeout" | "conflict" | "branch_protections" | "merge_not_built" | "manual" | "queue_cleared" | "rolled_back" | "unknown";

/**
 * How many runs ended in a way.
 */
export type EndView = { 
/**
 * In which.
 */
end: "merged" | "closed" | "cancelled" | "unrecorded" | StopCode, 
/**
 * How many.
 */
count: number, };

/**
 * The engine at work.
 */
export type EngineView = { 
/**
 * Slots there are (§2); none where loops live elsewhere, and work there is not limited or that is not known.
 */
slots: number | null, 
/**
 * Slots taken.
 */
working: number, 
/**
 * Loops that queue for one.
 */
queued: number, 
/**
 * The process that runs it; none when it is this one.
 */
process: number | null, 
/**
 * Loops live in a durable engine elsewhere, and are only shown here: slots are those of all its workers.
 */
elsewhere: boolean, };

/**
 * Every code that a [`crate::user_error::UserError`] may have: what programs branch on. `i18n` tests hold it to its texts.
 */
export type ErrorCode = "not_found" | "unauthorized" | "refused" | "wait" | "unreachable" | "bad_token" | "token_shape" | "not_github" | "bad_url" | "no_token" | "scopes" | "server_too_old" | "other_account" | "denied" | "login_reused" | "accounts_unusable" | "account_unusable" | "app_unusable" | "app_key" | "account_is_main" | "account_mismatch" | "account_unknown" | "account_no_key" | "account_key_unusable" | "account_sealed" | "accounts_changed" | "signed_out" | "login_unknown" | "ended" | "no_loop" | "no_run" | "no_finding" | "no_own_commit" | "over" | "busy" | "not_resumable" | "another_head" | "nothing_unseen" | "not_dismissable" | "ambiguous_finding" | "nothing_said" | "no_push_waits" | "another_push" | "no_memory_entry" | "bad_name" | "no_worktree" | "no_page" | "engine_refused" | "no_answer" | "starting" | "configuration" | "settings_unreadable" | "settings_unwritable" | "settings_busy" | "disk_full" | "newer" | "damaged" | "store" | "file_not_saved" | "bad_since" | "checkpoint_older" | "checkpoint_unreadable" | "owned" | "folder" | "no_home" | "sandbox_unsupported" | "sandbox_missing" | "sandbox_refused" | "sandbox_no_landlock" | "sandbox_not_started" | "sandbox_disk_limit" | "prepare_failed" | "prepare_hosts_refused" | "verify_needs_network" | "no_git" | "git_failed" | "git_unreachable" | "head_mismatch" | "push_refused" | "diverged" | "cancelled" | "clone_failed" | "checkout_too_large" | "checkout_too_many_files" | "worktree_gone" | "invalid_remote" | "base_merge_up_to_date" | "base_merge_conflicts" | "base_merge_unresolvable" | "base_merge_lines_lost" | "base_merge_refused" | "base_merge_rejected" | "base_merge_not_verified" | "base_merge_declined" | "no_keychain" | "keychain_locked" | "keychain" | "demo" | "demo_has_no_token" | "demo_port" | "demo_open" | "demo_root_used" | "demo_differs" | "demo_timeout" | "demo_waited" | "demo_call_refused" | "no_scenario" | "no_demo" | "merge_elsewhere" | "merge_closed" | "merge_merged" | "merge_draft" | "merge_queued" | "merge_by_queue" | "merge_auto" | "merge_no_right" | "merge_conflict" | "merge_blocked" | "merge_behind" | "merge_no_method" | "other_pull" | "not_ready" | "head_moved" | "draft" | "closed" | "already_merged" | "conflict" | "checks_not_green" | "blocked" | "behind" | "mergeability_unknown" | "auto_merge_on" | "in_merge_queue" | "queue_required" | "stack_layer" | "base_changed" | "method_not_allowed" | "no_permission" | "signed_in_as_another" | "rate_limited" | "not_merged" | "outcome_unknown" | "unrecorded" | "no_connection" | "quitting" | "review_deadline" | "fix_deadline" | "session_panicked" | "budget_exceeded" | "result_without_findings" | "result_for_another_pull" | "result_finding_invalid" | "result_unbalanced" | "result_bad_sha" | "persona_without_runner" | "persona_without_model" | "persona_unknown" | "persona_no_front_matter" | "persona_not_yaml" | "persona_unknown_key" | "persona_bad_value" | "persona_missing_key" | "persona_bad_body" | "personas_unreadable" | "rules_unreadable" | "no_rules" | "rule_unknown" | "provider_unknown" | "prices_invalid" | "agent_unknown" | "budget_too_small" | "pull_unread" | "human_not_dispatched" | "agent_no_account" | "agent_shape" | "rules_panicked" | "path_outside" | "fix_unwritten" | "backup_target_used" | "backup_unusable" | "backup_failed" | "webhook_secret_unreadable" | "runner_unknown" | "session_token_unknown" | "session_token_other" | "session_over" | "session_stale" | "session_other_work" | "patch_unfit" | "patch_too_large" | "no_runner" | "runners_lost" | "runners_unusable" | "runner_name" | "runner_server_url" | "runner_secret_missing" | "runner_folder_busy" | "runner_server_answer" | "listen_unprotected" | "listen_failed" | "worker_unprotected" | "worker_settings" | "loops_unreachable" | "loops_unreadable" | "loops_of_another_engine" | "database_unreachable" | "database_url" | "database_of_another_engine" | "loops_in_database" | "loops_elsewhere" | "loops_of_its_own" | "move_unreachable" | "move_paused" | "move_nothing" | "move_unfinished" | "public_url_invalid" | "foreign_host" | "foreign_origin" | "request_malformed" | "request_too_large" | "request_timed_out" | "too_many_requests" | "no_route" | "not_visible" | "no_write_access" | "operator_only" | "bad_signature" | "webhooks_off" | "server_stopping" | "device_off" | "device_refused" | "device_denied" | "device_expired" | "llm_no_key" | "llm_no_model" | "llm_key_shape" | "llm_key_named" | "llm_key_command" | "llm_login_unusable" | "llm_login_refused" | "llm_login_unanswered" | "llm_no_header" | "llm_bad_address" | "llm_not_listed" | "models_none" | "models_unnamed" | "llm_bad_schema" | "llm_unauthorized" | "llm_no_credit" | "llm_model_not_found" | "llm_rate_limited" | "llm_context_too_long" | "llm_prompt_cut" | "llm_refused" | "llm_request_rejected" | "llm_unavailable" | "llm_unreachable" | "llm_stream_interrupted" | "llm_max_tokens_reached" | "llm_empty_answer" | "llm_schema_mismatch" | "llm_deadline_exceeded" | "llm_cancelled" | "agent_program_not_found" | "agent_not_started" | "agent_unsupported_protocol" | "agent_login_required" | "agent_invalid_response" | "agent_idle_timeout" | "agent_deadline_exceeded" | "agent_too_much_output" | "agent_process_exited" | "agent_refused" | "agent_cancelled" | "review_checkout" | "review_not_open" | "review_denied" | "review_pending" | "review_policy" | "review_failed" | "review_stopped" | "review_no_model" | "action_environment" | "action_event" | "action_no_pull" | "mcp_client" | "mcp_read_only" | "no_proof" | "eval_set_syntax" | "eval_set_empty" | "eval_set_duplicate" | "eval_set_bad_id" | "eval_set_bad_sha" | "eval_set_bad_repository" | "eval_set_bad_lines" | "eval_set_bad_path" | "eval_set_no_change" | "eval_set_clean_or_faulty" | "eval_set_lines_without_file" | "eval_set_empty_text" | "eval_results_invalid" | "eval_file" | "eval_exists" | "eval_other_run" | "eval_no_clones" | "eval_no_clone" | "eval_no_commit" | "eval_no_pull" | "eval_git" | "eval_no_case" | "eval_not_recorded" | "eval_recorder" | "eval_no_model" | "eval_judge_no_model" | "eval_judge_failed" | "eval_stopped" | "eval_over_budget" | "eval_cases_failed" | "eval_nothing_in_common" | "eval_prompts_invalid" | "eval_prompt_unknown" | "eval_prompt_missing" | "eval_prompt_empty" | "eval_prompt_missing_slot" | "eval_prompt_unknown_slot" | "eval_prompt_other_persona" | "eval_prompts_unused" | "usage" | "usage_unknown_argument" | "usage_unknown_command" | "usage_invalid_value" | "usage_bad_value" | "usage_missing" | "usage_missing_command" | "usage_missing_value" | "usage_conflict" | "usage_other" | "usage_line" | "no_threads" | "forge" | "opens_nothing" | "not_opened" | "answer" | "contract" | "not_a_web_address" | "argument" | "option_unknown" | "no_display" | "no_window" | "config_problem" | "config_invalid_toml" | "config_not_utf8" | "config_unreadable" | "config_unknown_key_near" | "config_unknown_key" | "config_user_file_only" | "config_user_file_only_bots" | "config_user_file_only_repositories" | "config_user_file_only_desktop" | "config_user_file_only_models" | "config_verdict_without_account" | "config_app_incomplete" | "config_llm_incomplete" | "config_agent_without_command" | "config_mcp_incomplete" | "config_mcp_holds_secret" | "config_withheld_variable" | "config_llm_without_url" | "config_unknown_model" | "config_invalid_header" | "config_header_holds_secret" | "config_duplicate_header" | "config_not_a_variable" | "config_invalid_temperature" | "config_invalid_dollars" | "config_invalid_name" | "config_unknown_agent" | "config_not_a_table" | "config_not_an_array_of_tables" | "config_human_approval_disabled" | "config_auto_merge_enabled" | "config_invalid_url" | "config_invalid_host" | "config_reserved_command" | "config_relative_path" | "config_not_below_home" | "config_invalid_account_id" | "config_bot_incomplete" | "config_stage_size" | "config_stage_empty" | "config_duplicate_reviewer" | "config_unknown_reviewer" | "config_invalid_duration" | "config_out_of_range" | "config_invalid_share" | "config_invalid_share_variable" | "config_not_a_boolean" | "config_not_a_string" | "config_not_a_string_array" | "config_invalid_login" | "config_unknown_choice" | "config_unknown_language" | "config_unknown_bot" | "config_poll_too_fast" | "config_invalid_repository" | "config_repository_unnamed" | "config_duplicate_repository" | "config_set_by_environment" | "config_unsupported_value" | "recorded";

/**
 * What went wrong, and what can be done.
 */
export type ErrorView = { 
/**
 * What programs branch on.
 */
code: ErrorCode, 
/**
 * What people read.
 */
message: string, 
/**
 * What people can do.
 */
hints: Array<string>, };

/**
 * The code a finding is about.
 */
export type ExcerptView = { 
/**
 * The lines it was found on, as they are in the pull request's diff; empty when they are gone or the clone is not there.
 */
finding: Array<DiffLine>, 
/**
 * The commit that fixed it.
 */
fix_commit: Sha | null, 
/**
 * What that commit did to the file, near the finding.
 */
fix: Array<DiffLine>, };

/**
 * What reviews by a model may cost.
 */
export type ExpectedCostView = { 
/**
 * A first review's prompt.
 */
first: CostRangeView, 
/**
 * That of the review after a fix.
 */
next: CostRangeView, 
/**
 * So many tokens of an answer cost [`Self::answer_usd`].
 */
answer_tokens: number, 
/**
 * In dollars; none where the price is not known.
 */
answer_usd: number | null, };

/**
 * Why a check failed.
 */
export type FailureCause = "base_broken" | "infrastructure" | "flaky" | "regression";

/**
 * The lines of a file.
 */
export type FileDiffView = { 
/**
 * The file.
 */
file: ChangedFileView, 
/**
 * A secret was taken out of its lines.
 */
redacted: boolean, 
/**
 * Lines of hunks that are not shown, since there are too many.
 */
lines_left_out: number, 
/**
 * Its lines.
 */
hunks: Array<DiffHunkView>, };

/**
 * How a commit changes a file.
 */
export type FileStatus = "added" | "removed" | "modified" | "renamed" | "retyped";

/**
 * What sort of remark a finding is (§4.3).
 */
export type FindingKind = "question" | "suggestion" | "nitpick" | "error" | "praise";

/**
 * Where a finding comes from.
 */
export type FindingSource = { 
/**
 * The sort of source.
 */
type: SourceType, 
/**
 * Reviewer, check, bot or login.
 */
name: string, 
/**
 * GitHub's id of the thread, comment or review, where there is one.
 */
reviewId: string | null, 
/**
 * RFC 3339.
 */
timestamp: string, };

/**
 * What has become of a finding.
 */
export type FindingStatus = "open" | "claimed" | "fixed" | "rejected" | "withdrawn" | "unsure" | "stuck" | "dismissed";

/**
 * One finding: A1 and its history.
 */
export type FindingView = { 
/**
 * Its identity.
 */
fingerprint: Fingerprint, 
/**
 * What has become of it.
 */
status: FindingStatus, 
/**
 * It lies on lines that Collie's last fix wrote.
 */
introduced_by_fix: boolean, 
/**
 * The review, counted from 1, that first reported it.
 */
first_round: number, 
/**
 * The review that last reported it.
 */
last_round: number, 
/**
 * Commits that were to fix it, oldest first.
 */
fixed_in: Array<Sha>, 
/**
 * Why the fixer did not fix it: its own words, or a code.
 */
rejection: string | null, 
/**
 * The same in words for people.
 */
rejection_text?: string, 
/**
 * Why it stands in the report alone, though it counts; not there where it is on its line, or was not posted.
 */
report_only?: ReportOnly, 
/**
 * Other tools that made it too, as people call them; not there where there are none.
 */
also_found_by?: Array<string>, 
/**
 * Who dismissed it, and why; not there where nobody did.
 */
dismissal?: DismissalView, 
/**
 * Whether a person may dismiss it.
 */
can_dismiss: boolean, 
/**
 * Whether it has a place on GitHub that can be opened.
 */
has_page: boolean, 
/**
 * The reviewer's own id for it. Not its identity across rounds; that is the fingerprint (§5.1).
 */
id: string, 
/**
 * How much it weighs.
 */
priority: Priority, 
/**
 * Free word: `security`, `ci`, `tests`, …; for rules `rule:<id>`.
 */
category: string, 
/**
 * Path in the repository; empty when it concerns no file.
 */
file: string, 
/**
 * 1-based line at the reviewed head; null when unknown.
 */
line: number | null, 
/**
 * One line.
 */
title: string, 
/**
 * The reasons, in Markdown.
 */
description: string, 
/**
 * What to write instead, where that can be said; else null.
 */
suggestion: string | null, 
/**
 * Who found it.
 */
source: FindingSource, 
/**
 * The sort of remark.
 */
kind: FindingKind, 
/**
 * How sure the reviewer is.
 */
confidence: Confidence, 
/**
 * The lines it rests on, quoted; for a failed check the tail of its log.
 */
evidence: string | null, };

/**
 * What makes a finding the same finding in the next round (§5.1); hex SHA-256.
 */
export type Fingerprint = string;

/**
 * A header that goes along with each request. One that holds a secret comes from a variable.
 */
export type HeaderSetting = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its value, or the name of the variable that holds it.
 */
value: string, 
/**
 * Whether [`Self::value`] is the name of a variable.
 */
from_variable: boolean, };

/**
 * What kind of write it is.
 */
export type HeldKind = "review" | "inline" | "persona_review" | "dismiss_review" | "fix" | "proof" | "stop" | "reply" | "addition" | "answers" | "command_reply" | "body_dispositions" | "request_bot_review" | "request_rereview" | "resolve_thread" | "rerun_checks";

/**
 * The commit that would be pushed.
 */
export type HeldPushView = { 
/**
 * The commit.
 */
commit: Sha, 
/**
 * The head that it was made on.
 */
head: Sha, 
/**
 * The files that it changes; empty where that is not known.
 */
files: Array<string>, 
/**
 * Whether a person's Approve would push it now: the level is *ask*, not *observe*.
 */
can_approve: boolean, };

/**
 * One thing that would be written.
 */
export type HeldWriteView = { 
/**
 * What.
 */
kind: HeldKind, 
/**
 * Where: `path:line`; none for the conversation, and where that is not known.
 */
place: string | null, 
/**
 * The complete Markdown, as it would be sent; empty for what has none.
 */
body: string, };

/**
 * A finding beside a hunk.
 */
export type HunkAnswerView = { 
/**
 * Its place in the findings of the commit.
 */
finding: number, 
/**
 * The hunk changes its lines, or those right beside them; else it only likely belongs to it.
 */
exact: boolean, };

/**
 * Which days are asked for.
 */
export type InsightsRange = { "kind": "days", 
/**
 * How many; at least one.
 */
days: number, } | { "kind": "months", 
/**
 * How many; at least one.
 */
months: number, } | { "kind": "all" } | { "kind": "between", 
/**
 * The first.
 */
from: string, 
/**
 * The last; today where none is named.
 */
to: string | null, };

/**
 * Which rows are saved as a file.
 */
export type InsightsTable = "runs" | "spending";

/**
 * The figures of a range of days.
 */
export type InsightsView = { 
/**
 * The days.
 */
range: DayRangeView, 
/**
 * All of them together.
 */
totals: TotalsView, 
/**
 * As many days before; null where the range is all there is.
 */
before: TotalsView | null, 
/**
 * What the periods are.
 */
unit: PeriodUnit, 
/**
 * The range in pieces, in order.
 */
periods: Array<PeriodView>, 
/**
 * Findings by the round that first reported them, in order.
 */
rounds: Array<RoundFiguresView>, 
/**
 * How runs ended, the most frequent first.
 */
ends: Array<EndView>, 
/**
 * Who found how much, the most first.
 */
reviewers: Array<ReviewerFiguresView>, 
/**
 * Spending by model, the most first; without a name what was not recorded by model.
 */
models: Array<NamedSpendingView>, 
/**
 * Spending by repository, the same way.
 */
repositories: Array<NamedSpendingView>, 
/**
 * Runs that ended in the range before their findings and reasons were recorded.
 */
unrecorded_runs: number, 
/**
 * Runs that have not ended: what is counted of ended runs is not counted of them.
 */
ongoing_runs: number, 
/**
 * Since when these, and models and repositories, are recorded; RFC 3339.
 */
recorded_since: string, 
/**
 * The first day that anything is known of; null while nothing is.
 */
first_day: string | null, 
/**
 * Every repository that anything is known of, by name.
 */
all_repositories: Array<string>, };

/**
 * An issue as it is listed.
 */
export type IssueLine = { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Its number.
 */
number: number, 
/**
 * Its title.
 */
title: string, 
/**
 * Who opened it.
 */
author: string | null, 
/**
 * By the signed-in account.
 */
mine: boolean, 
/**
 * Labels.
 */
labels: Array<string>, 
/**
 * Comments.
 */
comments: number, 
/**
 * When something last happened.
 */
updated_at: string, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/**
 * A language that all texts exist in.
 */
export type Language = "en" | "fr";

/**
 * One linter that the base configures, on the files that changed.
 */
export type LinterRun = { 
/**
 * Its name: `ruff`, `clippy`, …
 */
name: string, } & ({ "outcome": "ran", 
/**
 * What it says of changed lines.
 */
findings: number, } | { "outcome": "not_installed" } | { "outcome": "timed_out", 
/**
 * How long it had.
 */
seconds: number, } | { "outcome": "failed", 
/**
 * The end of its own words, or the system's.
 */
message: string, });

/**
 * A model of a service's list.
 */
export type ListedModelView = { 
/**
 * What it is asked by.
 */
name: string, 
/**
 * What people call it, where that is another name.
 */
title: string | null, 
/**
 * The longest question that it reads, where the service says it.
 */
context_tokens: number | null, };

/**
 * What is open in a repository.
 */
export type ListingView = { 
/**
 * Most recently updated first.
 */
pulls: Array<PullLine>, 
/**
 * Most recently updated first.
 */
issues: Array<IssueLine>, 
/**
 * How many issues are open, listed or not.
 */
open_issues: number, 
/**
 * There are more pull requests than are listed.
 */
truncated: boolean, 
/**
 * When it was read; none when it never could be.
 */
read_at: string | null, 
/**
 * Why it could not be read the last time.
 */
problem: ErrorView | null, };

/**
 * An account name. GitHub ignores letter case in it, so equality does too.
 */
export type Login = string;

/**
 * All there is to show of one loop. Times are RFC 3339 in UTC.
 */
export type LoopView = { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Host name, with port when it is not the usual one.
 */
host: string, 
/**
 * The present attempt.
 */
run_id: string, 
/**
 * What its log lines carry; the run's id.
 */
correlation_id: string, 
/**
 * Title of the pull request.
 */
title: string, 
/**
 * Its author's login.
 */
author: string | null, 
/**
 * Where a person reads it.
 */
url: string, 
/**
 * Where the loop stands.
 */
state: State, 
/**
 * Whom it waits for, from afar.
 */
attention: Attention, 
/**
 * Pushes by Collie.
 */
iteration: number, 
/**
 * The most there may be.
 */
max_iterations: number, 
/**
 * The head it works on.
 */
head_sha: Sha | null, 
/**
 * The base branch.
 */
base_ref: string, 
/**
 * The head branch; with the account that it belongs to where that is a fork.
 */
head_ref: string, 
/**
 * How much the pull request changes; none until it was read.
 */
size: ChangeSize | null, 
/**
 * When this run began.
 */
started_at: string, 
/**
 * When something last changed.
 */
updated_at: string, 
/**
 * From the start of the run to now, or to its end.
 */
elapsed_ms: number, 
/**
 * Its place in the queue for a slot, from 1.
 */
queue_position: number | null, 
/**
 * Whom it waits for, where a slot would not do: the loop that commits to the same head branch.
 */
branch_holder: BranchHolderView | null, 
/**
 * The names of the workers that have its reviews and fixes, where loops live elsewhere.
 */
workers: Array<string>, 
/**
 * What it waits for.
 */
blocker: BlockerView | null, 
/**
 * How far Collie goes by itself here (§13.7).
 */
autonomy: Autonomy, 
/**
 * What it would write on GitHub if that let it, in order.
 */
held: Array<HeldWriteView>, 
/**
 * The commit that it would push; none where none waits.
 */
held_push: HeldPushView | null, 
/**
 * When GitHub is read again.
 */
next_poll_at: string | null, 
/**
 * Why that is later than configured; none where it is not.
 */
throttle: ThrottleView | null, 
/**
 * How many posts of Collie's GitHub shows more than once: an alarm.
 */
duplicated_posts: number, 
/**
 * Checks of the head.
 */
ci: CiView, 
/**
 * Bots.
 */
bots: Array<BotLine>, 
/**
 * The stage that reviews, from 0.
 */
current_stage: number, 
/**
 * The panel.
 */
stages: Array<StageView>, 
/**
 * What the panel concluded.
 */
consensus: Conclusion | null, 
/**
 * People beside the panel whose review counts.
 */
people: Array<PersonLine>, 
/**
 * What nobody was shown of that head; none while there is nothing to say.
 */
coverage: CoverageView | null, 
/**
 * What was seen at the head that was ready last (§8.4); the same as on GitHub.
 */
proof: ProofView | null, 
/**
 * Every finding, most urgent first.
 */
findings: Array<FindingView>, 
/**
 * What each iteration came to.
 */
rounds: Array<RoundView>, 
/**
 * Tokens and money of this run.
 */
usage: UsageView, 
/**
 * The same of all runs of this pull request; none while no earlier one has cost anything.
 */
usage_all_runs: UsageView | null, 
/**
 * Whether Cancel makes sense.
 */
can_cancel: boolean, 
/**
 * Whether Retry makes sense.
 */
can_retry: boolean, 
/**
 * Whether Resume makes sense.
 */
can_resume: boolean, 
/**
 * Whether the desktop app may offer Merge. Information only: the merge gate looks for itself (§11).
 */
can_merge: boolean, 
/**
 * How it was merged.
 */
merge_type: MergeType | null, 
/**
 * Why it stopped.
 */
error: StopView | null, };

/**
 * A server of the user's that speaks the Model Context Protocol: a program, or one at an address. No secret is in it, but names of variables.
 */
export type McpServerSetting = { 
/**
 * Its name.
 */
name: string, 
/**
 * The program and its arguments; empty for a server at an address.
 */
command: Array<string>, 
/**
 * Names of variables that the program gets of Collie's own environment.
 */
env: Array<string>, 
/**
 * The address; left out for a program.
 */
url?: string, 
/**
 * How the server at the address is spoken to; left out for a program.
 */
transport?: string, 
/**
 * What goes along with each request to the address.
 */
headers: Array<HeaderSetting>, 
/**
 * Whose agents get it.
 */
used_by: Array<string>, 
/**
 * Hosts that it reaches beside its own address.
 */
hosts: Array<string>, 
/**
 * Files and folders of this machine that it may read: absolute paths.
 */
readable: Array<string>, };

/**
 * One judgement.
 */
export type MemoryEntryView = { 
/**
 * Its id.
 */
id: string, 
/**
 * What people made of the finding.
 */
verdict: MemoryVerdict, 
/**
 * The finding's title.
 */
title: string, 
/**
 * The file it was about; empty where it is about none.
 */
file: string, 
/**
 * Why.
 */
reason: string | null, 
/**
 * Who judged.
 */
by: Login | null, 
/**
 * In which pull request.
 */
pull: number | null, 
/**
 * When; RFC 3339.
 */
at: string, 
/**
 * Until when it is heeded; RFC 3339. None: for ever.
 */
expires_at: string | null, };

/**
 * What people made of a finding.
 */
export type MemoryVerdict = "dismissed" | "accepted";

/**
 * The memory of one repository.
 */
export type MemoryView = { 
/**
 * Where its file is; none while nothing is remembered.
 */
file: string | null, 
/**
 * What is remembered, the newest first.
 */
entries: Array<MemoryEntryView>, };

/**
 * How a pull request is merged.
 */
export type MergeMethod = "merge" | "squash" | "rebase";

/**
 * How a ready pull request may be merged.
 */
export type MergeOfferView = { 
/**
 * The head that would be merged.
 */
head_sha: Sha, 
/**
 * The branch it would go into.
 */
base_ref: string, 
/**
 * What the repository allows, the usual one first.
 */
methods: Array<MergeMethod>, 
/**
 * Why it cannot be merged now; none when it can.
 */
refusal: ErrorView | null, };

/**
 * How a merge came about.
 */
export type MergeType = "approved" | "forced";

/**
 * A merge that was done.
 */
export type MergedView = { 
/**
 * The commit on the base branch; none when GitHub did not say.
 */
sha: string | null, 
/**
 * Who did it.
 */
by: string, };

/**
 * Why nothing can be shown of a commit.
 */
export type MissingCommit = "gone" | "unreachable";

/**
 * Why the keychain is of no use.
 */
export type ModelKeyProblem = { 
/**
 * Whether there is none at all, so that nothing can be typed.
 */
is_absent: boolean, 
/**
 * What is wrong, in the reader's language.
 */
message: string, 
/**
 * What can be done.
 */
hints: Array<string>, };

/**
 * Where the key of a model is taken from.
 */
export type ModelKeySource = "keychain" | "variable" | "command" | "file" | "missing" | "unneeded";

/**
 * Where the key of a model is, never what it is.
 */
export type ModelKeyView = { 
/**
 * The provider.
 */
provider: string, 
/**
 * The host that the key is for, where it is not the provider's own.
 */
host: string | null, 
/**
 * Where the key is taken from.
 */
source: ModelKeySource, 
/**
 * The variable or the program, where it is one.
 */
name: string | null, 
/**
 * The environment variables that may hold it; the first one that is set counts.
 */
variables: Array<string>, 
/**
 * Whether a key can be typed here: the settings do not say that it is elsewhere.
 */
editable: boolean, 
/**
 * Whether the keychain keeps one, be it the one that is taken or not.
 */
stored: boolean, 
/**
 * Why the keychain is of no use, in words.
 */
problem: ModelKeyProblem | null, };

/**
 * What may be said of a model besides its name; what is left out is silence. Numbers are sent as they were typed where they are none.
 */
export type ModelOptions = { 
/**
 * One of the providers.
 */
provider?: string, 
/**
 * Where it answers.
 */
url?: string, 
/**
 * How much it thinks.
 */
effort?: string, 
/**
 * From 0 to 2.
 */
temperature?: number | string, 
/**
 * The longest answer, in tokens.
 */
max_tokens?: number | string, 
/**
 * The largest request, in tokens.
 */
context_tokens?: number | string, 
/**
 * The variable that holds the key.
 */
key_variable?: string, 
/**
 * The program that prints the key, with its arguments.
 */
key_command?: Array<string>, 
/**
 * What goes along with each request.
 */
headers?: Array<HeaderSetting>, };

/**
 * A model that takes over from others: `[models.NAME]`.
 */
export type ModelSetting = { 
/**
 * What `fallback` calls it.
 */
name: string, 
/**
 * The provider's name for the model.
 */
model: string | null, 
/**
 * One of the providers.
 */
provider?: string, 
/**
 * Where it answers.
 */
url?: string, 
/**
 * How much it thinks.
 */
effort?: string, 
/**
 * From 0 to 2.
 */
temperature?: number | string, 
/**
 * The longest answer, in tokens.
 */
max_tokens?: number | string, 
/**
 * The largest request, in tokens.
 */
context_tokens?: number | string, 
/**
 * The variable that holds the key.
 */
key_variable?: string, 
/**
 * The program that prints the key, with its arguments.
 */
key_command?: Array<string>, 
/**
 * What goes along with each request.
 */
headers?: Array<HeaderSetting>, };

/**
 * What a real question to a model came to.
 */
export type ModelTestView = { 
/**
 * The model that was asked: provider and name.
 */
model: string, 
/**
 * The model as the service names it, where that is another name.
 */
answered_as: string | null, 
/**
 * From the question to the end of the answer, in milliseconds.
 */
latency_ms: number, 
/**
 * What was sent, in tokens.
 */
input_tokens: number, 
/**
 * What came back, in tokens.
 */
output_tokens: number, 
/**
 * In dollars; null where the model has no price.
 */
cost_usd: number | null, };

/**
 * What was spent on one model, or in one repository.
 */
export type NamedSpendingView = { 
/**
 * Its name; null where that was not recorded.
 */
name: string | null, 
/**
 * How much.
 */
spent: SpentView, };

/**
 * What a notification tells: a loop became ready, needs a person, or failed.
 */
export type NotificationKind = "ready" | "needs_you" | "failed";

/**
 * Open pull requests of all chosen repositories.
 */
export type OpenPullsView = { 
/**
 * Those of each repository in turn, the latest first.
 */
pulls: Array<PullLine>, 
/**
 * Repositories that were not read yet, or could not be: nothing is known of theirs.
 */
unread: Array<string>, 
/**
 * Repositories with more than are listed.
 */
truncated: Array<string>, };

/**
 * Something outside the window. Addresses are never taken from the UI.
 */
export type OpenTarget = { "what": "item", 
/**
 * `owner/repo#n`.
 */
key: string, } | { "what": "check", 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The check's name.
 */
name: string, } | { "what": "commit", 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Which.
 */
sha: Sha, } | { "what": "worktree", 
/**
 * `owner/repo#n`.
 */
key: string, } | { "what": "thread", 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The finding.
 */
fingerprint: string, } | { "what": "code", 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * The finding.
 */
fingerprint: string, } | { "what": "checks", 
/**
 * `owner/repo#n`.
 */
key: string, } | { "what": "configuration" } | { "what": "logs" } | { "what": "new_token" };

/**
 * That a person has paused everything.
 */
export type PauseView = { 
/**
 * Who: a login.
 */
by: string, 
/**
 * Since when.
 */
since: string, };

/**
 * What was spent in a time, and what may be.
 */
export type PeriodSpendingView = { 
/**
 * All of it.
 */
spent: UsageView, 
/**
 * The tokens of it that no price is known for.
 */
unpriced_tokens: number, 
/**
 * What may be.
 */
limit: BudgetLimitView, };

/**
 * What a range is shown in.
 */
export type PeriodUnit = "day" | "week" | "month";

/**
 * A piece of a range.
 */
export type PeriodView = { 
/**
 * Its days that lie in the range.
 */
days: DayRangeView, 
/**
 * Runs that became ready for the first time.
 */
ready: number, 
/**
 * How long these took from their start.
 */
time_to_ready: SpreadView | null, };

/**
 * A person beside the panel, with the review of theirs that counts.
 */
export type PersonLine = { 
/**
 * Who.
 */
login: Login, 
/**
 * They approved, or asked for changes.
 */
verdict: Conclusion, 
/**
 * The head that they looked at.
 */
head_sha: Sha | null, 
/**
 * When.
 */
at: string | null, };

/**
 * A persona that can be put into a stage.
 */
export type PersonaOption = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is, as its file says. None for one that ships, whose words are `persona-NAME`, and for one that no file of the user's describes.
 */
title: string | null, 
/**
 * What it would run on, by the settings as they are saved: `llm`, or an agent. None: nothing is set up for it.
 */
runs_on: string | null, 
/**
 * Whom it may ask in when the settings say nothing of that: those that its own file names.
 */
default_escalates_to: Array<string>, };

/**
 * What a persona runs on. What is null follows the others: the language model, else the agent that fixes.
 */
export type PersonaSetting = { 
/**
 * Its name.
 */
name: string, 
/**
 * `llm`, or an agent.
 */
runs_on: string | null, 
/**
 * Another model of the same provider.
 */
model: string | null, 
/**
 * Personas that it may ask in. Null: those that its own file names, [`PersonaOption::default_escalates_to`].
 */
escalates_to: Array<string> | null, 
/**
 * Those of `[models.NAME]` that take over from its model: those of the model for all when left out, nobody when empty.
 */
fallback?: Array<string>, 
/**
 * One of the providers.
 */
provider?: string, 
/**
 * Where it answers.
 */
url?: string, 
/**
 * How much it thinks.
 */
effort?: string, 
/**
 * From 0 to 2.
 */
temperature?: number | string, 
/**
 * The longest answer, in tokens.
 */
max_tokens?: number | string, 
/**
 * The largest request, in tokens.
 */
context_tokens?: number | string, 
/**
 * The variable that holds the key.
 */
key_variable?: string, 
/**
 * The program that prints the key, with its arguments.
 */
key_command?: Array<string>, 
/**
 * What goes along with each request.
 */
headers?: Array<HeaderSetting>, };

/**
 * How much a finding weighs. Orders by urgency: `P0` first.
 */
export type Priority = "P0" | "P1" | "P2" | "P3";

/**
 * What several tools found (§4.6).
 */
export type ProofAgreement = { 
/**
 * The finding's title.
 */
title: string, 
/**
 * Who, as people call them.
 */
found_by: Array<string>, };

/**
 * A check of the proof.
 */
export type ProofCheck = { 
/**
 * Its name.
 */
name: string, 
/**
 * GitHub's word.
 */
conclusion: CheckConclusion, };

/**
 * A finding that a person dismissed.
 */
export type ProofDismissal = { 
/**
 * The finding's title.
 */
title: string, 
/**
 * Who.
 */
by: Login, 
/**
 * Why.
 */
reason: string, };

/**
 * An ejection from the merge queue that the proof names.
 */
export type ProofEjection = { 
/**
 * The head that was in the queue.
 */
head_sha: Sha, 
/**
 * Why, as in the Fluent key `ejection-…`.
 */
cause: EjectionCause, 
/**
 * The checks that it is about.
 */
checks: Array<string>, 
/**
 * GitHub's own word for a reason that is not known; empty for others.
 */
word: string, 
/**
 * The last commit that claims to fix it.
 */
claimed_in: Sha | null, };

/**
 * A fix of the proof.
 */
export type ProofFix = { 
/**
 * The finding's title.
 */
title: string, 
/**
 * Collie's commit; none where somebody else fixed it.
 */
commit: Sha | null, };

/**
 * A finding that nothing was done about, though no person dismissed it.
 */
export type ProofLeft = { 
/**
 * The finding's title.
 */
title: string, 
/**
 * Why the fixer declined it; none where it stands after every fix.
 */
declined: string | null, };

/**
 * A merge of the base that the proof names (§3.7).
 */
export type ProofMerge = { 
/**
 * The merge commit.
 */
commit: Sha, 
/**
 * The base branch.
 */
base_ref: string, 
/**
 * Lines of either side that were left out, each with a reason.
 */
lost_lines: number, };

/**
 * A thread of the proof.
 */
export type ProofThread = { 
/**
 * The file it is in.
 */
file: string, 
/**
 * `resolved` or `answered`.
 */
settled: string, };

/**
 * A verdict of the proof.
 */
export type ProofVerdict = { 
/**
 * The reviewer or bot.
 */
name: string, 
/**
 * What it is; none for a bot.
 */
kind: ReviewerKind | null, 
/**
 * What it concluded; none for a bot that only commented.
 */
verdict: Conclusion | null, 
/**
 * The head it looked at.
 */
head_sha: Sha | null, 
/**
 * How many findings it has there.
 */
findings: number, };

/**
 * The proof of ready (§8.4).
 */
export type ProofView = { 
/**
 * The head it proves.
 */
head_sha: Sha, 
/**
 * Each check with its conclusion.
 */
checks: Array<ProofCheck>, 
/**
 * Checks that were red and green at that head; not there where there are none.
 */
flaky?: Array<string>, 
/**
 * Changed files that say what CI runs; not there where there are none.
 */
workflow_files?: Array<string>, 
/**
 * Each reviewer's and bot's verdict.
 */
verdicts: Array<ProofVerdict>, 
/**
 * Nobody has read the change: only the built-in rules have looked for what they know.
 */
unread: boolean, 
/**
 * Each thread of a trusted author.
 */
threads: Array<ProofThread>, 
/**
 * Pushes by Collie.
 */
iterations: number, 
/**
 * What was fixed, and where.
 */
fixed: Array<ProofFix>, 
/**
 * What several tools found; not there where there is nothing.
 */
agreements?: Array<ProofAgreement>, 
/**
 * Merges of the base into the branch, by Collie; not there where there are none.
 */
merges?: Array<ProofMerge>, 
/**
 * Times that the merge queue took it out; not there where there are none.
 */
ejections?: Array<ProofEjection>, 
/**
 * Verify commands of the repository that fixes were pushed without; not there where there are none.
 */
unverified?: Array<string>, 
/**
 * What nobody was shown at that head; not there where there is nothing to say.
 */
coverage?: CoverageView, 
/**
 * What a person dismissed; not there where there is nothing.
 */
dismissed?: Array<ProofDismissal>, 
/**
 * What is stuck, or was declined by the fixer; not there where there is nothing.
 */
left?: Array<ProofLeft>, 
/**
 * Titles of suggestions that stay open.
 */
suggestions: Array<string>, 
/**
 * Tokens and money.
 */
usage: UsageView, 
/**
 * From the start of the run to ready.
 */
elapsed_ms: number, };

/**
 * A pull request as it is listed.
 */
export type PullLine = { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Its number.
 */
number: number, 
/**
 * Its title.
 */
title: string, 
/**
 * Who opened it.
 */
author: string | null, 
/**
 * By the signed-in account.
 */
mine: boolean, 
/**
 * By an agent: a bot's account, or a branch as agents name theirs.
 */
by_agent: boolean, 
/**
 * A draft.
 */
draft: boolean, 
/**
 * Auto-merge is on: Collie would not work on it (§11).
 */
auto_merge: boolean, 
/**
 * The head branch.
 */
head_ref: string, 
/**
 * The base branch.
 */
base_ref: string, 
/**
 * Labels.
 */
labels: Array<string>, 
/**
 * When something last happened.
 */
updated_at: string, 
/**
 * Why the toggle leaves it alone; none when it would start it, or it has a loop.
 */
skip_reason: string | null, 
/**
 * Whether the toggle would start it if it were on; those that a person left out are among them.
 */
would_start: boolean, 
/**
 * A person left it out.
 */
left_out: boolean, };

/**
 * What is left of the quota.
 */
export type QuotaView = { 
/**
 * Requests left; of REST and GraphQL the scarcer.
 */
left: number, 
/**
 * Requests an hour.
 */
limit: number, 
/**
 * When it begins anew.
 */
resets_at: string, };

/**
 * One of GitHub's two hourly budgets, which are counted apart
 * (<https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>).
 */
export type RateResource = "graphql" | "rest";

/**
 * Why a finding that counts stands in the report alone (§4.4).
 */
export type ReportOnly = "covered" | "outside_diff" | "minor" | "surplus";

/**
 * A repository of the sidebar.
 */
export type RepositorySetting = { 
/**
 * `owner/repo`.
 */
name: string, 
/**
 * The toggle (§13.1).
 */
auto_pr_review_enabled: boolean, 
/**
 * Only pull requests by these; everybody's when empty.
 */
authors: Array<string>, 
/**
 * Only pull requests with one of these labels; any when empty.
 */
labels: Array<string>, 
/**
 * Only pull requests into one of these branches; any when empty.
 */
base_branches: Array<string>, 
/**
 * Repositories that are not public and whose issues its pull requests may have read all the same.
 */
read_from: Array<string>, 
/**
 * Verify commands and agents run without the sandbox, as the user (§9.5).
 */
unsandboxed: boolean, 
/**
 * How far Collie goes by itself here; none in settings of before that was asked, where it pushes.
 */
autonomy: Autonomy | null, 
/**
 * Numbers of pull requests that the toggle leaves out.
 */
except: Array<number>, };

/**
 * A repository of the sidebar.
 */
export type RepositoryView = { 
/**
 * `owner/repo`.
 */
name: string, 
/**
 * The toggle (§13.1).
 */
auto_review: boolean, 
/**
 * How far Collie goes by itself here (§13.7).
 */
autonomy: Autonomy, 
/**
 * Whether it was put there; one that is there only for its loops cannot be removed.
 */
chosen: boolean, 
/**
 * Whether the person who asks may start loops here and act on them: whoever may push.
 */
may_write: boolean, 
/**
 * How many loops it has that did not end.
 */
loops: number, 
/**
 * What keeps it from being read, such as that it vanished.
 */
problem: ErrorView | null, };

/**
 * What one reviewer, linter or bot found.
 */
export type ReviewerFiguresView = { 
/**
 * What sort of reviewer.
 */
source: SourceType, 
/**
 * Its name.
 */
name: string, 
/**
 * How much it found.
 */
findings: number, 
/**
 * How much of that was fixed.
 */
fixed: number, 
/**
 * How much of that a person dismissed.
 */
dismissed: number, };

/**
 * Who sits on a reviewer's chair (§4.2).
 */
export type ReviewerKind = "rules" | "agent" | "human";

/**
 * Who reviews.
 */
export type ReviewerSetting = { 
/**
 * `rules`, a persona, or a login.
 */
name: string, 
/**
 * What it is.
 */
kind: ReviewerKind, };

/**
 * How far a reviewer is.
 */
export type ReviewerStatus = "waiting" | "reviewing" | "reviewed" | "outdated" | "failed";

/**
 * One reviewer.
 */
export type ReviewerView = { 
/**
 * `rules`, a persona, or a login.
 */
name: string, 
/**
 * What it is.
 */
kind: ReviewerKind, 
/**
 * How far it is.
 */
status: ReviewerStatus, 
/**
 * The latest verdict.
 */
verdict: Conclusion | null, 
/**
 * The head it was given on.
 */
head_sha: Sha | null, 
/**
 * How many findings it has there.
 */
findings: number, 
/**
 * Whom it asked in.
 */
escalations: Array<string>, 
/**
 * When it was given.
 */
at: string | null, 
/**
 * What became of the repository's linters there; only of the rules.
 */
linters: Array<LinterRun>, };

/**
 * What a person may do that is not about one repository (§18): a page offers nothing else.
 */
export type RightsView = { 
/**
 * They may pause everything, see spending, insights and settings, and decide for whom Collie works by itself.
 */
operate: boolean, 
/**
 * They have the machine: settings, repositories, keys, files and programs on it.
 */
own_machine: boolean, };

/**
 * What was found in one round, and what became of it.
 */
export type RoundFiguresView = { 
/**
 * The round, from 1.
 */
round: number, 
/**
 * How many runs found something there.
 */
runs: number, 
/**
 * Fixed, and seen to be.
 */
fixed: number, 
/**
 * Dismissed by a person.
 */
dismissed: number, 
/**
 * Taken back by who found it, or not fixed and upheld.
 */
declined: number, 
/**
 * Still open at the end.
 */
open: number, };

/**
 * One iteration.
 */
export type RoundView = { 
/**
 * From 1.
 */
iteration: number, 
/**
 * Findings of priority P0.
 */
p0: number, 
/**
 * P1.
 */
p1: number, 
/**
 * P2.
 */
p2: number, 
/**
 * P3.
 */
p3: number, 
/**
 * How many were fixed.
 */
fixed: number, 
/**
 * How many were not.
 */
rejected: number, 
/**
 * The commit that was pushed.
 */
commit: Sha | null, };

/**
 * A file that was written.
 */
export type SavedFileView = { 
/**
 * Where it is.
 */
path: string, };

/**
 * What there is to show.
 */
export type SessionPhase = "onboarding" | "sign_in" | "starting" | "running" | "following" | "stopped";

/**
 * Where the app stands.
 */
export type SessionView = { 
/**
 * What there is to show.
 */
phase: SessionPhase, 
/**
 * Who is signed in; none during onboarding.
 */
account: AccountView | null, 
/**
 * What was found to sign in with, for onboarding.
 */
credentials: DetectedCredentials, 
/**
 * The demo; none when no demo is open.
 */
demo: DemoView | null, 
/**
 * The engine; none unless it runs.
 */
engine: EngineView | null, 
/**
 * The pause of everything; none where nothing is paused.
 */
pause: PauseView | null, 
/**
 * How GitHub answers.
 */
connection: ConnectionView, 
/**
 * What is left of the quota, as last told by GitHub.
 */
quota: QuotaView | null, 
/**
 * What keeps the app from working, with the way out; none when all is well.
 */
problem: ErrorView | null, 
/**
 * The language of the texts.
 */
language: Language, 
/**
 * The colours.
 */
theme: Theme, 
/**
 * Whether this host can merge; only the desktop window can.
 */
can_merge: boolean, 
/**
 * Whether this host is a server, which works for many with an account of its own.
 */
server: boolean, 
/**
 * Whether people may sign in by a code that they type on GitHub's page.
 */
device_sign_in: boolean, 
/**
 * What the person who asks may decide about all of it.
 */
rights: RightsView, 
/**
 * Collie's version.
 */
version: string, 
/**
 * The data folder.
 */
data_folder: string, };

/**
 * One setting.
 */
export type SettingField = { 
/**
 * Its key in `config.toml`; tables are dotted.
 */
key: string, 
/**
 * Where it is shown.
 */
group: SettingGroup, 
/**
 * What may be put in.
 */
kind: SettingKind, 
/**
 * What holds. Shaped as `kind` says.
 */
value: unknown, 
/**
 * What held without anybody's word. Null where there is no default.
 */
default: unknown, 
/**
 * Where the value comes from. One from the environment cannot be changed here.
 */
source: SettingSource, 
/**
 * The environment variable that decides over the file, where there is one.
 */
variable: string | null, };

/**
 * A page of the settings.
 */
export type SettingGroup = "general" | "accounts" | "repositories" | "panel" | "models" | "limits" | "rules" | "bots";

/**
 * What may be put in, and how the value is written in JSON.
 */
export type SettingKind = { "type": "toggle" } | { "type": "number", 
/**
 * At least.
 */
min: number, 
/**
 * At most.
 */
max: number, } | { "type": "fraction" } | { "type": "decimal", 
/**
 * At most.
 */
max: number, } | { "type": "duration" } | { "type": "text" } | { "type": "choice", 
/**
 * The words.
 */
options: Array<string>, } | { "type": "logins" } | { "type": "texts" } | { "type": "stages", 
/**
 * The personas that can be put in: shipped, the user's own, and those that are named somewhere already.
 */
personas: Array<PersonaOption>, 
/**
 * What is wrong with the user's own personas, a line each.
 */
persona_problems: Array<string>, } | { "type": "runner", 
/**
 * `rules`, then the agents.
 */
options: Array<string>, } | { "type": "authors", 
/**
 * What can fix.
 */
options: Array<string>, } | { "type": "personas", 
/**
 * `llm`, then the agents.
 */
options: Array<string>, 
/**
 * Whom it may be said of.
 */
personas: Array<PersonaOption>, 
/**
 * The words of `provider`.
 */
providers: Array<string>, 
/**
 * The words of `effort`.
 */
efforts: Array<string>, } | { "type": "program" } | { "type": "headers" } | { "type": "model_names" } | { "type": "models", 
/**
 * The words of `provider`.
 */
providers: Array<string>, 
/**
 * The words of `effort`.
 */
efforts: Array<string>, } | { "type": "agents", 
/**
 * Those that Collie starts without being told how.
 */
known: Array<string>, 
/**
 * The words of `effort`.
 */
efforts: Array<string>, } | { "type": "mcp_servers", 
/**
 * The words of `transport`.
 */
transports: Array<string>, 
/**
 * The words of `used_by`.
 */
roles: Array<string>, } | { "type": "bots" } | { "type": "repositories" };

/**
 * Something that cannot be saved, or could not be read.
 */
export type SettingProblem = { 
/**
 * The setting; empty when the whole file is no TOML.
 */
key: string, 
/**
 * The key with the tables it lies in, such as `reviewers.sam.effort`, where that is more than [`Self::key`].
 */
path?: string, 
/**
 * The line in the file, from 1; none for what was not saved yet.
 */
line: number | null, 
/**
 * What is wrong and what was expected, in the reader's language.
 */
message: string, };

/**
 * Where a value comes from.
 */
export type SettingSource = "default" | "demo" | "file" | "environment";

/**
 * Every setting (§12).
 */
export type SettingsView = { 
/**
 * Where they are kept.
 */
file: string, 
/**
 * In the order shown. The label is the Fluent key `setting-KEY`, the help `setting-KEY-help` (dots written as dashes).
 */
fields: Array<SettingField>, 
/**
 * What is wrong with the file as it is; while there is something, the last good values hold.
 */
problems: Array<SettingProblem>, };

/**
 * A commit id: 40 or 64 lower-case hex digits.
 */
export type Sha = string;

/**
 * A persona that comes with Collie (§4.1). The user may describe others.
 */
export type ShippedPersona = "priya" | "quinn" | "sam";

/**
 * A pull request that a person put out of the way.
 */
export type Snooze = { 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * Until then, in milliseconds since 1970; none until it changes.
 */
until_ms: number | null, };

/**
 * Who found it.
 */
export type SourceType = "agent" | "rules" | "linter" | "ci" | "bot" | "human";

/**
 * What was spent by the journal: sessions under way are not in it.
 */
export type SpendingView = { 
/**
 * Today, by the clock of the machine.
 */
day: PeriodSpendingView, 
/**
 * Since this was first counted.
 */
total: PeriodSpendingView, 
/**
 * What one pull request may spend.
 */
pull_request_limit: BudgetLimitView, };

/**
 * Money and tokens.
 */
export type SpentView = { 
/**
 * Millionths of a dollar, as far as prices are known.
 */
cost_micros: number, 
/**
 * Some of it was spent where no price is known, so that it cost more.
 */
unpriced: boolean, 
/**
 * Tokens, in and out.
 */
tokens: number, };

/**
 * Quartiles of durations, in milliseconds.
 */
export type SpreadView = { 
/**
 * How many there are.
 */
count: number, 
/**
 * A quarter is at most this.
 */
lower_ms: number, 
/**
 * Half is at most this.
 */
median_ms: number, 
/**
 * Three quarters are at most this.
 */
upper_ms: number, };

/**
 * A stage of the panel.
 */
export type StageSetting = { 
/**
 * `rules`, a persona, a login of a person: 1 to 5.
 */
reviewers: Array<ReviewerSetting>, };

/**
 * Reviewers that work side by side.
 */
export type StageView = { 
/**
 * In the order shown.
 */
reviewers: Array<ReviewerView>, };

/**
 * Where a loop stands; persisted and printed as written here.
 */
export type State = "pr_created" | "pr_awaiting_checks" | "pr_reviewing" | "pr_fixing" | "pr_ready_to_merge" | "merged" | "closed" | "cancelled" | "needs_human" | "failed";

/**
 * The codes of [`Stop`], as they are written in JSON and in the Fluent key `stop-…`.
 */
export type StopCode = "ci_timeout" | "iterations_spent" | "stuck" | "oscillating" | "upheld" | "too_many_restarts" | "too_many_turns" | "cannot_push" | "review_failed" | "fix_failed" | "access_lost";

/**
 * Why a loop stopped, and what can be done.
 */
export type StopView = { 
/**
 * [`Stop::code`].
 */
code: StopCode, 
/**
 * What people read.
 */
message: string, 
/**
 * What people can do.
 */
hints: Array<string>, };

/**
 * Which colours the window has.
 */
export type Theme = "system" | "light" | "dark";

/**
 * Polls are slower than configured, so that what is left of GitHub's budget lasts until its reset.
 */
export type ThrottleView = { 
/**
 * The budget that is short.
 */
resource: RateResource, 
/**
 * What is left of it, in points (GraphQL) or requests (REST).
 */
remaining: number, 
/**
 * What there is an hour.
 */
limit: number, 
/**
 * When all of it is there again.
 */
until: string, 
/**
 * The same in words.
 */
text: string, };

/**
 * One thing that happened to a loop.
 */
export type TimelineLine = { 
/**
 * Its number in the journal.
 */
seq: number, 
/**
 * When.
 */
at: string, 
/**
 * The event's name: `observed`, `review_finished`, …
 */
event: string, 
/**
 * The state before; none for the first.
 */
from: State | null, 
/**
 * The state after.
 */
to: State, 
/**
 * In words: what happened, and what Collie did.
 */
text: string, 
/**
 * Remarks in words.
 */
notes: Array<string>, 
/**
 * A reading of GitHub, or a step of Collie's with itself, that says nothing new.
 */
quiet: boolean, 
/**
 * What it waits for from then on; none where that did not change.
 */
waits_for: TimelineWait | null, 
/**
 * The bots that have yet to review from then on, whatever it waits for; none where that did not change.
 */
bots_awaited: Array<string> | null, 
/**
 * The reviewer that is done.
 */
review: TimelineReview | null, 
/**
 * The commit that was pushed.
 */
pushed: Sha | null, 
/**
 * Who worked, `fixer` for the fixer; none where no session ended.
 */
worker: string | null, 
/**
 * What that session cost.
 */
usage: UsageView | null, };

/**
 * A review that is done.
 */
export type TimelineReview = { 
/**
 * `rules`, or a persona.
 */
reviewer: string, 
/**
 * What it is.
 */
kind: ReviewerKind, 
/**
 * What it concluded.
 */
verdict: Conclusion, 
/**
 * The head.
 */
head_sha: Sha, 
/**
 * How many findings it has there.
 */
findings: number, };

/**
 * What a loop waits for.
 */
export type TimelineWait = { 
/**
 * The blocker's code.
 */
code: BlockerCode, 
/**
 * Whether only a person can end it.
 */
needs_person: boolean, };

/**
 * What a range comes to.
 */
export type TotalsView = { 
/**
 * Runs that became ready for the first time.
 */
ready: number, 
/**
 * How long these took from their start.
 */
time_to_ready: SpreadView | null, 
/**
 * Runs that ended.
 */
ended: number, 
/**
 * Those of them that ended merged.
 */
merged: number, 
/**
 * Findings of runs that ended.
 */
findings: number, 
/**
 * Those of them that a person may dismiss.
 */
dismissable: number, 
/**
 * Those of them that a person has dismissed.
 */
dismissed: number, 
/**
 * What was spent.
 */
spent: SpentView, };

/**
 * One decision of the user about a repository.
 */
export type TrustDecision = { "decision": "trust_commands", 
/**
 * As the person saw them.
 */
commands: Array<string>, } | { "decision": "skip_verification" } | { "decision": "revoke_verification" } | { "decision": "allow_author", 
/**
 * The account.
 */
id: AccountId, 
/**
 * Its name.
 */
login: Login, } | { "decision": "revoke_author", 
/**
 * The name it was allowed under.
 */
login: Login, } | { "decision": "allow_pull", 
/**
 * Its number.
 */
number: number, } | { "decision": "revoke_pull", 
/**
 * Its number.
 */
number: number, };

/**
 * A changed file that was not shown, or not wholly.
 */
export type UnseenFile = { 
/**
 * Its path at the head; of a removed file, its last.
 */
path: string, 
/**
 * Why.
 */
reason: UnseenReason, };

/**
 * Why a changed file was not shown, or not wholly.
 */
export type UnseenReason = "binary" | "lockfile" | "generated" | "submodule" | "link" | "too_large" | "too_many" | "unreadable" | "nesting" | "no_room" | "reading_failed" | "taken_out";

/**
 * One piece of news. Hosts send them in batches.
 */
export type Update = { "type": "loop", 
/**
 * `owner/repo#n`.
 */
key: string, 
/**
 * By name.
 */
changed: Partial<LoopView>, } | { "type": "activity" } & ActivityView | { "type": "stale", 
/**
 * Prefixes of keys in the UI's cache.
 */
topics: string[][], } | { "type": "show", 
/**
 * `owner/repo#n`.
 */
key: string, } | { "type": "notice", 
/**
 * What programs branch on.
 */
code: ErrorCode, 
/**
 * In words.
 */
text: string, };

/**
 * Tokens and money.
 */
export type UsageView = { 
/**
 * Tokens in.
 */
input_tokens: number, 
/**
 * Tokens out.
 */
output_tokens: number, 
/**
 * Dollars, as far as prices are known; null where none is.
 */
cost_usd: number | null, 
/**
 * Some of it was spent where no price is known, so that it cost more; left out where all is known.
 */
unpriced?: boolean, };

/**
 * A reviewer or fixer at work. It lives as long as its session and is never stored: the journal keeps what came of it.
 */
export type WorkerView = { 
/**
 * The reviewer's name; `fixer` for the fixer.
 */
name: string, 
/**
 * The model, or the agent in its own words, such as `codex 0.169.0`.
 */
runs_on: string, 
/**
 * When it began.
 */
since: string, 
/**
 * What it does now, in words.
 */
text: string, 
/**
 * What its session has spent so far, in words; null where nothing is told yet.
 */
spent: string | null, 
/**
 * What it did before, oldest first; not more than the last dozen.
 */
recent: Array<ActivityLine>, };

/** Every `Language`, in the order shown. */
export const LANGUAGES = ["en", "fr"] as const satisfies readonly Language[];

/** Every `SettingGroup`, in the order shown. */
export const SETTING_GROUPS = ["general", "accounts", "repositories", "panel", "models", "limits", "rules", "bots"] as const satisfies readonly SettingGroup[];

/** Every `ShippedPersona`, in the order shown. */
export const SHIPPED_PERSONAS = ["priya", "quinn", "sam"] as const satisfies readonly ShippedPersona[];

/** The states after which nothing follows. */
export const TERMINAL_STATES: readonly State[] = ["merged", "closed", "cancelled", "needs_human", "failed"];

/** What each command answers. */
export interface Answers {
  session: SessionView;
  loops: Array<LoopView>;
  activities: Array<ActivityView>;
  repositories: Array<RepositoryView>;
  listing: ListingView;
  open_pulls: OpenPullsView;
  timeline: Array<TimelineLine>;
  earlier_runs: Array<EarlierRunView>;
  excerpts: ExcerptView;
  description: DescriptionView;
  changes: ChangesView;
  commit_diff: CommitDiffView;
  merge_offer: MergeOfferView;
  settings: SettingsView;
  check_settings: Array<SettingProblem>;
  available_repositories: Array<AvailableRepository>;
  spending: SpendingView;
  insights: InsightsView;
  export_insights: SavedFileView;
  review_memory: MemoryView;
  model_key: ModelKeyView;
  set_model_key: null;
  remove_model_key: null;
  list_models: Array<ListedModelView>;
  test_model: ModelTestView;
  expected_cost: ExpectedCostView;
  stop_model_test: null;
  doctor: Array<DoctorLine>;
  start: null;
  cancel: null;
  retry: null;
  resume: null;
  dismiss: null;
  note: null;
  decide_trust: null;
  seen: null;
  set_autonomy: null;
  set_paused: null;
  set_snoozes: null;
  set_muted_notifications: null;
  approve_push: null;
  reject_push: null;
  forget_judgement: null;
  merge: MergedView;
  set_auto_review: null;
  add_repositories: null;
  remove_repository: null;
  refresh: null;
  save_settings: Array<SettingProblem>;
  detect_credentials: null;
  sign_in_detected: null;
  sign_in: null;
  device_sign_in: DeviceCodeView;
  device_sign_in_state: DeviceSignInState;
  sign_out: null;
  sign_out_everywhere: null;
  allow_me: null;
  start_demo: null;
  play_scenario: null;
  leave_demo: null;
  try_again: null;
  open: null;
  page_error: null;
  interactive: null;
}

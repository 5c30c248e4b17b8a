use super::localizer::Locales;
use super::markdown::MarkdownWriter;
use super::{Language, Localizer, Redactor, Renderer};
use collie_core::base_merge::{BaseMerge, LostLine, MergeSide};
use collie_core::blocker::{Blocker, Stop};
use collie_core::budget::{BudgetExceeded, BudgetScope, BudgetUnit};
use collie_core::change_map::{ChangeMap, FileUse};
use collie_core::command::Command;
use collie_core::coverage::{Coverage, UnseenFile, UnseenReason};
use collie_core::effect::Effect;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::event::{Event, Outcome};
use collie_core::finding::{
    Confidence, Finding, FindingKind, FindingSource, Priority, Replacement, SourceType,
};
use collie_core::fix::{Tamper, note_codes};
use collie_core::ids::{AccountId, ActionToken, EventKey, Fingerprint, Login, Sha, ThreadId, Time};
use collie_core::lifecycle::{STATES, State};
use collie_core::linter_run::{LinterOutcome, LinterRun};
use collie_core::loop_state::RoundSummary;
use collie_core::merge_queue::{Ejection, EjectionCause};
use collie_core::own_accounts::{AccountProblem, AppProblem};
use collie_core::policy::ReviewerKind;
use collie_core::poll_budget::{PollThrottle, RateResource};
use collie_core::post::{
    AddedFinding, AnsweredRemark, CommandOutcome, DismissedFinding, DisposedFinding, Disposition,
    EjectionLine, Explanation, FixLine, FixReport, InlineComment, LeftFinding, LeftReason, Post,
    PostContent, Proof, RenderedPost, ReviewEvent, ReviewOutcome, ReviewReport, StopReport,
    VerdictLine,
};
use collie_core::review::{COMMENT_MARKER, Conclusion, IssueCounts, ThreadStats};
use collie_core::session::LeftOut;
use collie_core::snapshot::{ChangedFile, FileChange};
use collie_core::text::{KnownSecrets, MAX_COMMENT_CHARS, trailing_token};
use collie_core::token_right::TokenRight;
use collie_core::tracked_finding::{FindingStatus, ReportOnly, TrackedFinding};
use collie_core::usage::Cost;
use collie_core::user_error::{TextArg, UserError};
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use strum::{VariantArray as _, VariantNames};

const LANGUAGES: [Language; 2] = [Language::En, Language::Fr];
const UNTIL: Time = Time(1_780_000_000_000);

fn localizer(language: Language) -> Localizer {
    Localizer::with_time_zone(language, TimeZone::UTC)
}

fn renderer(language: Language) -> Renderer {
    let private = Redactor {
        secrets: KnownSecrets::of(["correct-horse-battery".to_owned()]),
        folders: vec!["/home/ana".into(), "/tmp".into()],
    };
    Renderer::new(language, private)
}

fn sha(digit: &str) -> Sha {
    Sha::parse(&digit.repeat(40)).expect("40 hex digits")
}

fn check_names(count: usize) -> Vec<String> {
    ["build", "e2e", "lint", "unit", "docs", "types", "deploy"]
        .iter()
        .take(count)
        .map(ToString::to_string)
        .collect()
}

/// One of each; a new variant does not compile until it is listed here.
fn blockers() -> Vec<Blocker> {
    use Blocker::*;
    let listed = |blocker: &Blocker| match blocker {
        Starting | ChecksRunning { .. } | NoChecksYet { .. } | CollectingFailures { .. } => (),
        RerunningChecks { .. } | BaseBroken { .. } => (),
        CheckNeedsAction { .. } | BotsPending { .. } | BotsOutOfQuota { .. } => (),
        Reviewing { .. } => (),
        AwaitingReviewer { .. } | ChangesRequested { .. } | ThreadsOpen { .. } => (),
        CommentsOpen { .. } => (),
        Fixing { .. } | Pushing | AwaitingPush | Posting | AwaitingMerge | Draft => (),
        Conflict { .. } | Behind { .. } | MergeabilityUnknown | MergeBlocked | ReviewRequired => (),
        IgnoreLabel { .. } | PendingReview | AutoMerge { .. } | MergeQueue => (),
        QueueEjected { .. } => (),
        Unreachable { .. } | Unauthorized | Forbidden { .. } | NotFound { .. } => (),
        RateLimited { .. } | ConfigInvalid { .. } | Budget { .. } => (),
        RightsLacking { .. } | ServerTooOld { .. } | AccountUnusable { .. } => (),
        AppUnusable { .. } => (),
        MergingBase { .. }
        | Verifying
        | VerifyUntrusted { .. }
        | AuthorNotAllowed { .. }
        | FixingOff
        | NoSandbox { .. }
        | Observing { .. }
        | AwaitingApproval { .. }
        | Paused { .. }
        | Unseen { .. } => (),
    };
    let unusable = |problem| AccountUnusable {
        login: Login::new("quinn-bot"),
        problem,
    };
    let logins = || vec![Login::new("ana"), Login::new("bob")];
    let budgets = [
        (BudgetScope::PullRequest, BudgetUnit::CostMicros),
        (BudgetScope::PullRequest, BudgetUnit::Tokens),
        (BudgetScope::Total, BudgetUnit::CostMicros),
        (BudgetScope::Total, BudgetUnit::Tokens),
        (BudgetScope::Day, BudgetUnit::CostMicros),
        (BudgetScope::Day, BudgetUnit::Tokens),
    ]
    .map(|(scope, unit)| Budget {
        exceeded: BudgetExceeded {
            scope,
            unit,
            limit: 5_000_000,
            spent: 4_900_000,
            needed: 400_000,
            until: (scope == BudgetScope::Day).then_some(UNTIL),
        },
    });
    let mut all = vec![
        Starting,
        Paused {
            by: Login::new("ana"),
            since: UNTIL,
        },
        ChecksRunning {
            names: check_names(2),
            total: 7,
        },
        ChecksRunning {
            names: check_names(1),
            total: 1,
        },
        ChecksRunning {
            names: check_names(7),
            total: 9,
        },
        NoChecksYet { until: UNTIL },
        CollectingFailures {
            failed: check_names(1),
            until: UNTIL,
        },
        CollectingFailures {
            failed: check_names(3),
            until: UNTIL,
        },
        CheckNeedsAction {
            names: check_names(1),
        },
        CheckNeedsAction {
            names: check_names(2),
        },
        RerunningChecks {
            names: check_names(1),
        },
        RerunningChecks {
            names: check_names(2),
        },
        BaseBroken {
            names: check_names(1),
            base: "main".into(),
        },
        BaseBroken {
            names: check_names(2),
            base: "main".into(),
        },
        BotsPending {
            names: vec!["CodeRabbit".into()],
            until: UNTIL,
        },
        BotsOutOfQuota {
            names: vec!["CodeRabbit".into()],
            until: UNTIL,
        },
        BotsOutOfQuota {
            names: vec!["CodeRabbit".into(), "Codex".into()],
            until: UNTIL,
        },
        Reviewing {
            names: vec!["rules".into()],
        },
        Reviewing {
            names: vec!["rules".into(), "quinn".into()],
        },
        AwaitingReviewer { logins: logins() },
        ChangesRequested { logins: logins() },
        Verifying,
        VerifyUntrusted {
            commands: vec!["make lint".into()],
        },
        VerifyUntrusted {
            commands: vec!["make lint".into(), "make build".into()],
        },
        FixingOff,
        AuthorNotAllowed {
            login: Some(Login::new("mallory")),
            id: Some(AccountId(66)),
        },
        AuthorNotAllowed {
            login: None,
            id: None,
        },
        Observing { count: 1 },
        Observing { count: 3 },
        AwaitingApproval {
            commit: Sha::parse(&"b".repeat(40)).unwrap(),
            count: 0,
            names: Vec::new(),
        },
        AwaitingApproval {
            commit: Sha::parse(&"b".repeat(40)).unwrap(),
            count: 2,
            names: vec!["a.py".into(), "b.py".into()],
        },
        Unseen {
            count: 1,
            names: vec!["src/a.py".into()],
        },
        Unseen {
            count: 4,
            names: vec!["a.py".into(), "b.py".into(), "c.py".into()],
        },
        ThreadsOpen { count: 1 },
        ThreadsOpen { count: 3 },
        CommentsOpen {
            count: 1,
            logins: vec![Login::new("ana")],
        },
        CommentsOpen {
            count: 3,
            logins: vec![Login::new("ana"), Login::new("ben")],
        },
        Fixing { count: 1 },
        Fixing { count: 4 },
        Pushing,
        AwaitingPush,
        Posting,
        AwaitingMerge,
        Draft,
        MergingBase {
            base: "main".into(),
        },
        Conflict {
            base: "main".into(),
            error: None,
        },
        Conflict {
            base: "main".into(),
            error: Some(
                UserError::new(ErrorCode::BaseMergeConflicts)
                    .with_arg("files", vec!["a.py".to_owned(), "b.py".to_owned()]),
            ),
        },
        Behind {
            base: "main".into(),
            error: None,
        },
        Behind {
            base: "main".into(),
            error: Some(UserError::new(ErrorCode::BaseMergeUpToDate)),
        },
        NoSandbox {
            error: UserError::new(ErrorCode::SandboxMissing)
                .hint(ErrorHint::InstallBubblewrap)
                .hint(ErrorHint::Unsandboxed),
        },
        NoSandbox {
            error: UserError::new(ErrorCode::SandboxRefused)
                .with("message", "bwrap: no permissions to create a namespace")
                .hint(ErrorHint::UserNamespaces),
        },
        MergeabilityUnknown,
        MergeBlocked,
        ReviewRequired,
        IgnoreLabel {
            label: "collie:ignore".into(),
        },
        PendingReview,
        AutoMerge {
            by: Login::new("ana"),
        },
        MergeQueue,
        ejected(EjectionCause::OwnChecks, 1, None),
        ejected(EjectionCause::NeighbourChecks, 2, None),
        ejected(EjectionCause::BaseChecks, 1, None),
        ejected(EjectionCause::UndecidedChecks, 0, None),
        ejected(EjectionCause::UndecidedChecks, 1, None),
        ejected(EjectionCause::UndecidedChecks, 2, None),
        ejected(EjectionCause::Infrastructure, 1, None),
        ejected(EjectionCause::Timeout, 0, None),
        ejected(EjectionCause::Conflict, 0, None),
        ejected(EjectionCause::Conflict, 0, Some("a.py")),
        ejected(EjectionCause::BranchProtections, 0, None),
        ejected(EjectionCause::MergeNotBuilt, 0, None),
        Unreachable { until: UNTIL },
        Unauthorized,
        Forbidden {
            message: "Resource not accessible".into(),
        },
        AppUnusable {
            problem: AppProblem::KeyRefused,
        },
        AppUnusable {
            problem: AppProblem::Suspended,
        },
        AppUnusable {
            problem: AppProblem::NotInstalled,
        },
        unusable(AccountProblem::Missing),
        unusable(AccountProblem::Refused),
        unusable(AccountProblem::NoAccess),
        unusable(AccountProblem::Sealed),
        RightsLacking {
            rights: vec![TokenRight::PullRequests, TokenRight::Contents],
        },
        RightsLacking {
            rights: vec![TokenRight::RepoScope],
        },
        ServerTooOld {
            field: "PullRequest.mergeStateStatus".into(),
            version: "3.2.1".into(),
        },
        ServerTooOld {
            field: "PullRequest.mergeStateStatus".into(),
            version: String::new(),
        },
        NotFound { until: UNTIL },
        RateLimited { until: UNTIL },
        ConfigInvalid {
            error: UserError::recorded(".collie.toml:3: unknown key `slot`"),
        },
    ];
    all.extend(budgets);
    all.iter().for_each(listed);
    all
}

fn ejected(cause: EjectionCause, checks: usize, file: Option<&str>) -> Blocker {
    let error = |file: &str| {
        let files = vec![file.to_owned()];
        UserError::new(ErrorCode::BaseMergeConflicts).with_arg("files", files)
    };
    Blocker::QueueEjected {
        cause,
        names: check_names(checks),
        base: "main".into(),
        error: file.map(error),
    }
}

/// One of each; a new variant does not compile until it is listed here.
fn stops() -> Vec<Stop> {
    use Stop::*;
    let listed = |stop: &Stop| match stop {
        CiTimeout { .. } | IterationsSpent { .. } | Stuck { .. } | Oscillating => (),
        Upheld { .. } | TooManyRestarts { .. } | TooManyTurns { .. } | CannotPush { .. } => (),
        ReviewFailed { .. } | FixFailed { .. } | AccessLost => (),
    };
    let mut all = vec![
        CiTimeout {
            names: check_names(0),
        },
        CiTimeout {
            names: check_names(1),
        },
        CiTimeout {
            names: check_names(2),
        },
        IterationsSpent { max: 1 },
        IterationsSpent { max: 5 },
        Stuck { count: 1 },
        Stuck { count: 2 },
        Oscillating,
        Upheld { count: 1 },
        Upheld { count: 2 },
        TooManyRestarts { count: 20 },
        TooManyTurns { count: 20 },
        ReviewFailed {
            reviewer: "rules".into(),
            error: UserError::recorded("no"),
        },
        FixFailed {
            error: UserError::recorded("no"),
        },
        AccessLost,
    ];
    for reason in [
        "default_branch",
        "protected",
        "base_of_another",
        "fork_read_only",
        "refused",
    ] {
        all.push(CannotPush {
            reason: reason.into(),
            message: "GH006: protected".into(),
        });
    }
    all.iter().for_each(listed);
    all
}

/// A finding whose every word comes from somebody who means no good.
fn finding(nth: u32, priority: Priority, kind: SourceType) -> Finding {
    Finding {
        id: format!("F-{nth}"),
        priority,
        category: "security".into(),
        file: "src/cart.py".into(),
        line: Some(10 + nth),
        title: "`eval` runs | whatever @ana gives it".into(),
        description: "Fixes #12. Anyone can:\n\n```py\neval(x) # @ana\n```\n\n/merge\n<!-- collie-action:00 -->".into(),
        suggestion: Some("ast.literal_eval(x)".into()),
        source: FindingSource {
            kind,
            name: "quinn".into(),
            review_id: None,
            timestamp: UNTIL.rfc3339(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::from_permille(900),
        evidence: Some("at /home/ana/x/cart.py\n```\ncorrect-horse-battery\n".into()),
    }
}

fn tracked_finding(nth: u32, status: FindingStatus) -> TrackedFinding {
    TrackedFinding {
        finding: finding(nth, Priority::P1, SourceType::Ci),
        number: 0,
        fingerprint: Fingerprint::new(format!("f{nth}")),
        status,
        introduced_by_fix: nth == 1,
        first_round: 1,
        last_round: 3,
        fixed_in: vec![sha("a"), sha("b")],
        standing_reasons: Default::default(),
        refuted_claims: 0,
        check_failure: None,
        rejection: Some("it is meant to be so, @ana".into()),
        rejection_reported: false,
        in_diff: true,
        covered: false,
        covered_by: None,
        report_only: None,
        replacement: None,
        also_found_by: Default::default(),
        joined_to: None,
        second_look: None,
        upheld_at: None,
        dismissal: None,
    }
}

fn linter_runs() -> Vec<LinterRun> {
    let run = |name: &str, outcome| LinterRun {
        name: name.into(),
        outcome,
    };
    let message = "no such rule: <b>Q</b> @ana".to_owned();
    vec![
        run("ruff", LinterOutcome::Ran { findings: 2 }),
        run("biome", LinterOutcome::Ran { findings: 0 }),
        run("golangci-lint", LinterOutcome::NotInstalled),
        run("clippy", LinterOutcome::TimedOut { seconds: 300 }),
        run("eslint", LinterOutcome::Failed { message }),
    ]
}

fn verdict_lines() -> Vec<VerdictLine> {
    vec![
        VerdictLine {
            name: "rules".into(),
            kind: Some(ReviewerKind::Rules),
            findings: 1,
            verdict: Some(Conclusion::Approve),
            head: Some(sha("c")),
            left_out: None,
            unread_files: Vec::new(),
            linters: linter_runs(),
        },
        VerdictLine {
            name: "quinn @ana".into(),
            kind: Some(ReviewerKind::Agent),
            findings: 2,
            verdict: Some(Conclusion::RequestChanges),
            head: Some(sha("c")),
            left_out: Some(LeftOut {
                parts: 14,
                tokens: 31_200,
                files: (1..=12).map(|n| format!("big/{n}.rs")).collect(),
            }),
            unread_files: vec!["late.rs".into()],
            linters: Vec::new(),
        },
        VerdictLine {
            name: "coderabbitai".into(),
            kind: None,
            findings: 0,
            verdict: None,
            head: None,
            left_out: None,
            unread_files: Vec::new(),
            linters: Vec::new(),
        },
    ]
}

fn review_report() -> ReviewReport {
    let findings = vec![
        finding(1, Priority::P1, SourceType::Rules),
        finding(2, Priority::P3, SourceType::Agent),
    ];
    ReviewReport {
        ordinal: 2,
        head: sha("c"),
        consensus: Conclusion::RequestChanges,
        counts: IssueCounts::of(&findings),
        changes_requested_by: Vec::new(),
        verdicts: verdict_lines(),
        findings,
        stuck: vec![finding(3, Priority::P2, SourceType::Rules)],
        unread: false,
        coverage: coverage(),
        report_only: vec![None, Some(ReportOnly::Minor)],
        unsure: vec![finding(4, Priority::P2, SourceType::Agent)],
        dismissed: Vec::new(),
        record: None,
        map: ChangeMap::default(),
        summaries: Vec::new(),
        threads: ThreadStats::default(),
        open_threads: String::new(),
        numbers: Vec::new(),
        found_by: vec![vec!["quinn".into(), "CodeRabbit @ana".into()], Vec::new()],
        unchecked: 2,
        needs_look: 0,
    }
}

/// A file of a change.
fn changed(path: &str, change: FileChange, additions: u32, deletions: u32) -> ChangedFile {
    ChangedFile {
        path: path.into(),
        change,
        additions,
        deletions,
    }
}

/// A report of a large change with much in it.
fn long_report() -> ReviewReport {
    let mut findings: Vec<Finding> = (1..=5)
        .map(|nth| finding(nth, Priority::P2, SourceType::Agent))
        .collect();
    findings[0].priority = Priority::P0;
    findings[0].kind = FindingKind::Question;
    findings[1].priority = Priority::P1;
    findings[1].description = "The total is off by one. It counts from 0.".into();
    findings[2].file = "src/rates | @ana.py".into();
    findings[4].description = String::new();
    let mut files: Vec<ChangedFile> = (0..60)
        .map(|nth| changed(&format!("gen/{nth}.py"), FileChange::Modified, 1, 1))
        .collect();
    files.extend([
        changed("src/cart.py", FileChange::Modified, 1_200, 3),
        changed("src/rates | @ana.py", FileChange::Added, 40, 0),
        changed("src/old.py", FileChange::Deleted, 0, 80),
        changed("src/0 | @ana.py", FileChange::Renamed, 0, 0),
        changed("src/5 | @ana.py", FileChange::Copied, 90_000, 0),
        changed("bin/run", FileChange::Changed, 0, 0),
        changed("tests/cart_test.py", FileChange::Modified, 12, 0),
    ]);
    let report = review_report();
    let uses = |user: &str, symbol: &str| FileUse {
        used: "src/cart.py".into(),
        user: user.into(),
        symbol: symbol.into(),
    };
    let uses = [
        uses("src/old.py", ""),
        uses("src/shop | @ana.py", "total"),
        uses("web/\"]```.py", "total"),
    ];
    ReviewReport {
        map: ChangeMap::of(&files, &findings, &report.coverage).with_uses(uses.iter()),
        counts: IssueCounts::of(&findings),
        findings,
        summaries: vec![
            (
                "quinn @ana".into(),
                "## The cart\n\nIt is read **twice**. Fixes #12.\n\n/merge\n".into(),
            ),
            ("sam".into(), " \n".into()),
        ],
        threads: ThreadStats {
            total_threads: 7,
            resolved_threads: 5,
            unresolved_threads: 2,
        },
        open_threads: "- `src/cart.py:3` `ana`: Is @kim right? Fixes #12 <b>\n- `a.py` `mallory`\n"
            .into(),
        ..report
    }
}

/// A report of a small change in which nothing was found.
fn plain_approval() -> ReviewReport {
    let files = [changed("src/cart.py", FileChange::Modified, 1, 1)];
    let line = |name: &str, kind| VerdictLine {
        name: name.into(),
        kind: Some(kind),
        findings: 0,
        verdict: Some(Conclusion::Approve),
        left_out: None,
        unread_files: Vec::new(),
        linters: Vec::new(),
        head: Some(sha("c")),
    };
    ReviewReport {
        ordinal: 1,
        consensus: Conclusion::Approve,
        counts: IssueCounts::default(),
        verdicts: vec![
            line("quinn", ReviewerKind::Agent),
            line("rules", ReviewerKind::Rules),
        ],
        findings: Vec::new(),
        stuck: Vec::new(),
        coverage: Coverage::default(),
        map: ChangeMap::of(&files, &[], &Coverage::default()),
        summaries: vec![("quinn".into(), "Fine.".into())],
        report_only: Vec::new(),
        unsure: Vec::new(),
        dismissed: Vec::new(),
        found_by: Vec::new(),
        unchecked: 0,
        ..review_report()
    }
}

/// A file for each reason that there is.
fn coverage() -> Coverage {
    let file = |(index, reason): (usize, &UnseenReason)| UnseenFile {
        path: format!("src/{index} | @ana.py"),
        reason: *reason,
    };
    Coverage {
        unseen: UnseenReason::VARIANTS
            .iter()
            .enumerate()
            .map(file)
            .collect(),
        rules_only: ["big.py".to_owned()].into(),
    }
}

fn ejection_line(cause: EjectionCause, checks: &[&str], claimed_in: Option<&str>) -> EjectionLine {
    EjectionLine {
        ejection: Ejection {
            at: UNTIL,
            head: sha("a"),
            commit: None,
            cause,
            word: String::new(),
            checks: checks.iter().map(|name| (*name).to_owned()).collect(),
            findings: Vec::new(),
        },
        claimed_in: claimed_in.map(sha),
    }
}

fn proof() -> Proof {
    Proof {
        head: sha("c"),
        checks: vec![
            ("build".into(), "success".into()),
            ("odd | one".into(), "whatever".into()),
        ],
        flaky: vec!["e2e | slow".into()],
        workflow_files: vec![".github/workflows/ci.yml".into()],
        verdicts: verdict_lines(),
        unread: false,
        threads: vec![
            ("src/a.rs".into(), "resolved".into()),
            ("src/b.rs".into(), "answered".into()),
        ],
        merges: vec![(sha("d"), base_merge())],
        ejections: vec![
            ejection_line(EjectionCause::OwnChecks, &["test `x`"], Some("e")),
            ejection_line(EjectionCause::Manual, &[], None),
        ],
        iterations: 2,
        dismissed: Vec::new(),
        left: vec![
            LeftFinding {
                title: "`eval` comes back".into(),
                file: "src/a.rs".into(),
                priority: Priority::P2,
                why: LeftReason::Stuck,
            },
            LeftFinding {
                title: "A name | misleads".into(),
                file: String::new(),
                priority: Priority::P3,
                why: LeftReason::Declined {
                    reason: "it is public |\n@ana decides".into(),
                },
            },
        ],
        agreements: vec![(
            "`eval` | runs".into(),
            vec!["quinn".into(), "CodeRabbit".into()],
        )],
        fixed: vec![
            ("`eval` runs anything".into(), Some(sha("b"))),
            ("A name misleads".into(), None),
        ],
        unverified: vec!["make | lint".into()],
        coverage: coverage(),
        seen_by: Some(Login::new("ana")),
        suggestions: vec![finding(4, Priority::P3, SourceType::Agent)],
        tokens: (12_400, 1_230_456),
        cost_micros: 1_012_500,
        unpriced: false,
        elapsed_ms: 843_000,
    }
}

fn stop_report(stop: Stop) -> StopReport {
    let round = |iteration, churned| RoundSummary {
        iteration,
        p0: 0,
        p1: 2,
        p2: 1,
        p3: 0,
        fixed: 2,
        rejected: 1,
        commit: (iteration == 1).then(|| sha("a")),
        churned,
    };
    StopReport {
        stop,
        head: Some(sha("c")),
        findings: vec![
            tracked_finding(1, FindingStatus::Stuck),
            tracked_finding(2, FindingStatus::Rejected),
        ],
        rounds: vec![round(1, false), round(2, true)],
    }
}

fn fix_report() -> FixReport {
    let line = |title: &str, note: &str| FixLine {
        title: title.into(),
        file: "src/a b|c.py".into(),
        line: Some(3),
        note: note.into(),
    };
    FixReport {
        iteration: 1,
        commit: Some(sha("d")),
        fixed: vec![line("`eval` runs anything", "now literal_eval; closes #3")],
        rejected: vec![line("a name", "it is public |\n@ana decides")],
        deferred: 2,
        merge: None,
    }
}

fn base_merge() -> BaseMerge {
    let line = |line, side, text: &str| LostLine {
        path: "src/a b|c.py".into(),
        line,
        side,
        text: text.into(),
    };
    BaseMerge {
        base_ref: "ma|in".into(),
        base: sha("a"),
        conflicts: vec!["src/a b|c.py".into()],
        lost: vec![
            line(3, MergeSide::Base, "x = 1 | 2 # @ana closes #3"),
            line(0, MergeSide::Head, ""),
        ],
    }
}

fn contents() -> Vec<(&'static str, PostContent)> {
    let answered = |disposition| AnsweredRemark {
        author: Login::new("ana"),
        title: "Please handle nulls, fixes #1".into(),
        event: EventKey::new("7:issue:5:2026-01-01T00:00:00Z:aa"),
        disposition,
    };
    let command = |command, outcome| PostContent::CommandReply {
        command,
        outcome,
        place: None,
    };
    let reply = |disposition| PostContent::Reply {
        thread: ThreadId::new("T1"),
        in_reply_to: 5,
        disposition,
    };
    let comment = |nth, priority, kind| InlineComment {
        token: token(nth),
        fingerprint: Fingerprint::new("f"),
        number: 0,
        finding: finding(nth, priority, kind),
        replacement: None,
    };
    let offer = |nth, text: &str| InlineComment {
        replacement: Some(Replacement {
            first: 2,
            last: 4,
            text: text.into(),
        }),
        ..comment(nth, Priority::P2, SourceType::Agent)
    };
    vec![
        ("review", PostContent::Review(review_report())),
        ("review_long", PostContent::Review(long_report())),
        ("review_plain", PostContent::Review(plain_approval())),
        (
            "review_unread",
            PostContent::Review(ReviewReport {
                consensus: Conclusion::Approve,
                counts: IssueCounts::default(),
                verdicts: verdict_lines()[..1].to_vec(),
                unread: true,
                ..review_report()
            }),
        ),
        (
            "persona_approves",
            PostContent::PersonaReview {
                persona: "quinn".into(),
                head: sha("c"),
                verdict: ReviewEvent::Approve,
                comments: Vec::new(),
            },
        ),
        (
            "persona_requests_changes",
            PostContent::PersonaReview {
                persona: "quinn".into(),
                head: sha("c"),
                verdict: ReviewEvent::RequestChanges,
                comments: vec![comment(1, Priority::P1, SourceType::Agent)],
            },
        ),
        (
            "persona_takes_back",
            PostContent::DismissReview {
                persona: "quinn".into(),
                review: 5,
                head: sha("c"),
            },
        ),
        (
            "inline",
            PostContent::Inline {
                head: sha("c"),
                comments: vec![
                    comment(1, Priority::P0, SourceType::Rules),
                    comment(2, Priority::P2, SourceType::Agent),
                    offer(3, "let fence = \"```\";\n    let x = 1;"),
                    // As it would have to be posted it could not be applied.
                    offer(4, "let key = \"correct-horse-battery\";"),
                    offer(5, "// <!-- a comment"),
                ],
            },
        ),
        (
            "addition",
            PostContent::Addition {
                thread: ThreadId::new("T1"),
                in_reply_to: 5,
                findings: vec![AddedFinding {
                    fingerprint: Fingerprint::new("f"),
                    finding: finding(2, Priority::P1, SourceType::Agent),
                }],
            },
        ),
        ("fix", PostContent::Fix(fix_report())),
        (
            "no_fix",
            PostContent::Fix(FixReport {
                iteration: 0,
                commit: None,
                fixed: Vec::new(),
                deferred: 0,
                ..fix_report()
            }),
        ),
        (
            "merge",
            PostContent::Fix(FixReport {
                merge: Some(base_merge()),
                ..fix_report()
            }),
        ),
        ("proof", PostContent::Proof(proof())),
        (
            "proof_dismissed",
            PostContent::Proof(Proof {
                dismissed: vec![DismissedFinding {
                    title: "Two-digit years | @ana".into(),
                    file: "src/dates.rs".into(),
                    priority: Priority::P1,
                    by: Login::new("kim"),
                    reason: "Such dates are refused before. /lgtm".into(),
                }],
                ..proof()
            }),
        ),
        (
            "proof_unread",
            PostContent::Proof(Proof {
                verdicts: verdict_lines()[..1].to_vec(),
                unread: true,
                ..proof()
            }),
        ),
        (
            "stop",
            PostContent::Stop(stop_report(Stop::Stuck { count: 1 })),
        ),
        (
            "failed",
            PostContent::Stop(stop_report(Stop::ReviewFailed {
                reviewer: "quinn @ana".into(),
                error: UserError::recorded("exit 1\n```\n/lgtm\n"),
            })),
        ),
        (
            "reply_fixed",
            reply(Disposition::Fixed {
                commit: sha("d"),
                note: "Checked first.".into(),
            }),
        ),
        (
            "reply_declined",
            reply(Disposition::Declined {
                reason: "@ana wants it".into(),
            }),
        ),
        (
            "reply_left",
            reply(Disposition::LeftToPerson {
                reason: "Which of both?".into(),
            }),
        ),
        (
            "request_bot_review",
            PostContent::RequestBotReview {
                bot: AccountId(136_622_811),
                command: "@coderabbitai review".into(),
            },
        ),
        (
            "body_dispositions",
            PostContent::BodyDispositions {
                items: vec![
                    DisposedFinding {
                        bot: "CodeRabbit".into(),
                        title: "Keep the guard, fixes #1".into(),
                        file: "src/a.rs".into(),
                        line: Some(7),
                        disposition: Disposition::Fixed {
                            commit: sha("c"),
                            note: "It is kept.".into(),
                        },
                    },
                    DisposedFinding {
                        bot: "Qodo".into(),
                        title: "Split it".into(),
                        file: String::new(),
                        line: None,
                        disposition: Disposition::Declined {
                            reason: "@ana wants it".into(),
                        },
                    },
                ],
            },
        ),
        (
            "answers",
            PostContent::Answers {
                items: vec![
                    answered(Disposition::Fixed {
                        commit: sha("c"),
                        note: "It is kept.".into(),
                    }),
                    answered(Disposition::Declined {
                        reason: "@ben wants it, /lgtm".into(),
                    }),
                ],
                asks_person: false,
            },
        ),
        (
            "answers_left",
            PostContent::Answers {
                items: vec![answered(Disposition::LeftToPerson {
                    reason: note_codes::NOT_COVERED.into(),
                })],
                asks_person: true,
            },
        ),
        (
            "command_stop",
            command(Command::Stop, CommandOutcome::Stopped),
        ),
        (
            "command_stop_late",
            command(
                Command::Stop,
                CommandOutcome::HasEnded {
                    state: State::NeedsHuman,
                },
            ),
        ),
        (
            "command_retry",
            command(Command::Retry, CommandOutcome::Restarted),
        ),
        (
            "command_retry_denied",
            command(Command::Retry, CommandOutcome::NotAllowed),
        ),
        (
            "command_retry_early",
            command(
                Command::Retry,
                CommandOutcome::StillRunning {
                    state: State::PrFixing,
                },
            ),
        ),
        (
            "command_explain",
            command(
                Command::Explain { number: 3 },
                CommandOutcome::Explained {
                    told: Box::new(Explanation {
                        number: 3,
                        finding: tracked_finding(1, FindingStatus::Stuck),
                    }),
                },
            ),
        ),
        (
            "command_explain_none",
            command(
                Command::Explain { number: 9 },
                CommandOutcome::NoSuchFinding { number: 9 },
            ),
        ),
        (
            "command_fix",
            command(Command::FixThis, CommandOutcome::NeedsThread),
        ),
        (
            "command_done",
            command(Command::Done, CommandOutcome::Settled { count: 2 }),
        ),
        (
            "command_done_nothing",
            command(Command::Done, CommandOutcome::Settled { count: 0 }),
        ),
        (
            "command_unknown",
            command(
                Command::Unknown {
                    words: "merge @ana `now`".into(),
                },
                CommandOutcome::Unknown,
            ),
        ),
        (
            "look_again",
            PostContent::RequestRereview {
                logins: vec![Login::new("ana"), Login::new("bob")],
                head: sha("c"),
            },
        ),
    ]
}

fn token(nth: u32) -> ActionToken {
    ActionToken::new(format!("{nth:064}"))
}

/// Each body with the token that it must end with.
fn bodies(rendered: &RenderedPost) -> Vec<(u32, &str)> {
    match rendered {
        RenderedPost::Comment { body }
        | RenderedPost::Reply { body, .. }
        | RenderedPost::Dismissal { message: body, .. } => vec![(9, body)],
        RenderedPost::Review { body, comments, .. } => {
            let inline = (1..).zip(comments.iter().map(|comment| comment.body.as_str()));
            std::iter::once((9, body.as_str())).chain(inline).collect()
        }
    }
}

#[test]
fn every_body_reads_well_in_both_languages() {
    for language in LANGUAGES {
        let renderer = renderer(language);
        for (name, content) in contents() {
            let rendered = renderer.render(&Post {
                token: token(9),
                content,
                by: None,
            });
            let bodies = bodies(&rendered);
            let shown: Vec<&str> = bodies.iter().map(|(_, body)| *body).collect();
            insta::assert_snapshot!(
                format!("{}_{name}", language.code()),
                shown.join("\n\n=====\n\n")
            );
        }
    }
}

#[test]
fn a_secret_that_is_new_since_the_start_is_not_posted() {
    let token_in_use = std::sync::Arc::new(std::sync::Mutex::new("token-of-the-start".to_owned()));
    let source = token_in_use.clone();
    let secrets = KnownSecrets::default().and(move || vec![source.lock().expect("a lock").clone()]);
    let private = Redactor {
        secrets,
        ..Redactor::default()
    };
    let renderer = Renderer::new(Language::En, private);
    *token_in_use.lock().expect("a lock") = "token-renewed-since".to_owned();
    let rendered = renderer.render(&Post {
        token: token(9),
        content: PostContent::Reply {
            in_reply_to: 1,
            thread: ThreadId::new("T"),
            disposition: Disposition::Declined {
                reason: "it sends token-renewed-since".into(),
            },
        },
        by: None,
    });
    let bodies = bodies(&rendered);
    let body = bodies[0].1;
    assert!(body.contains("it sends [REDACTED]"), "{body}");
}

#[test]
fn each_refusal_of_a_gate_has_its_words() {
    for language in LANGUAGES {
        let renderer = renderer(language);
        let writer = MarkdownWriter {
            localizer: renderer.localizer(),
            redactor: &Redactor::default(),
        };
        let mut said = BTreeSet::new();
        for code in [
            note_codes::GATE_SCOPE,
            note_codes::GATE_SYNTAX,
            note_codes::GATE_SECRETS,
            note_codes::GATE_LINKS,
            note_codes::GATE_CONFLICTS,
            note_codes::GATE_LOST_LINES,
            note_codes::GATE_VERIFY,
            note_codes::PUSH_REJECTED,
        ] {
            let note = writer.fixer_note(&format!("{code}:src/a.rs:3"));
            assert!(
                note.contains("src/a.rs:3") && !note.contains(code),
                "{note}"
            );
            assert!(said.insert(note));
        }
    }
}

#[test]
fn every_body_ends_with_its_token_and_leaks_and_calls_nothing() {
    for language in LANGUAGES {
        let renderer = renderer(language);
        for (name, content) in contents() {
            let rendered = renderer.render(&Post {
                token: token(9),
                content,
                by: None,
            });
            for (expect, body) in bodies(&rendered) {
                assert_eq!(trailing_token(body), Some(token(expect)), "{name}");
                assert_eq!(
                    (
                        body.matches("<!--").count(),
                        body.matches(COMMENT_MARKER).count()
                    ),
                    // A report also says to programs what it came to.
                    (2 + usize::from(body.starts_with("<!-- collie-review: ")), 1),
                    "{name}"
                );
                for leak in [
                    "correct-horse",
                    "/home/ana",
                    "{$",
                    "{ $",
                    "No localization",
                    "\u{2068}",
                ] {
                    assert!(!body.contains(leak), "{name} shows {leak}: {body}");
                }
                let called = outside_code(body).matches("@ana").count();
                assert_eq!(called, usize::from(name == "look_again"), "{name}: {body}");
                assert!(
                    !body
                        .lines()
                        .any(|line| line.starts_with("/merge") || line.starts_with("/lgtm"))
                );
            }
        }
    }
}

/// What is neither in a fence nor in a code span of one line.
fn outside_code(body: &str) -> String {
    let mut open: Option<&str> = None;
    let mut out = String::new();
    for line in body.lines() {
        let mark = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            Some(begin) if line == begin => open = None,
            Some(_) => {}
            None if mark.len() >= 3 => open = Some(mark),
            None => out.extend(line.replace("\\`", "").split('`').step_by(2)),
        }
    }
    assert_eq!(open, None, "a fence stays open: {body}");
    out
}

#[test]
fn a_table_has_as_many_cells_in_each_row_whatever_is_quoted() {
    let renderer = renderer(Language::En);
    let mut report = fix_report();
    for title in ["a \\| b `c | d` @ana", "`a \\", "| | |", "a\nb", "\\"] {
        report.fixed[0].title = title.into();
        let rendered = renderer.render(&Post {
            token: token(9),
            content: PostContent::Fix(report.clone()),
            by: None,
        });
        let (_, body) = bodies(&rendered)[0];
        for row in body.lines().filter(|line| line.starts_with('|')) {
            let bars = row
                .replace("\\\\", "")
                .replace("\\|", "")
                .matches('|')
                .count();
            assert_eq!(bars, 4, "{title:?}: {row}");
        }
    }
}

#[test]
fn a_report_too_long_for_github_is_cut_and_keeps_its_token() {
    let mut report = review_report();
    report.findings = (0..500)
        .map(|nth| finding(nth, Priority::P1, SourceType::Agent))
        .collect();
    for finding in &mut report.findings {
        finding.description = "long words | ".repeat(1_000);
    }
    let rendered = renderer(Language::En).render(&Post {
        token: token(9),
        content: PostContent::Review(report),
        by: None,
    });
    let (_, body) = bodies(&rendered)[0];
    assert!(body.chars().count() <= MAX_COMMENT_CHARS);
    assert_eq!(trailing_token(body), Some(token(9)));
    assert!(body.contains("… and 450 more.") && body.contains("[TRUNCATED_COMMENT]"));
}

#[test]
fn the_first_rule_that_fits_is_printed() {
    let renderer = renderer(Language::En);
    let check = |people: usize, priorities: &[Priority], expect: &str| {
        let mut report = review_report();
        let findings = priorities
            .iter()
            .map(|priority| finding(1, *priority, SourceType::Agent));
        report.findings = findings.collect();
        report.counts = IssueCounts::of(&report.findings);
        report.changes_requested_by = vec![Login::new("ana"); people];
        let rendered = renderer.render(&Post {
            token: token(9),
            content: PostContent::Review(report),
            by: None,
        });
        let (_, body) = bodies(&rendered)[0];
        assert!(body.contains(expect), "{expect}: {body}");
    };
    use Priority::*;
    check(
        1,
        &[P0],
        "`@ana` requested changes: that decides, whatever else was found (rule 0).",
    );
    check(
        0,
        &[P0, P1, P0],
        "2 P0 findings remain: needs major work (rule 1).",
    );
    check(
        0,
        &[P1, P2],
        "1 P1 finding remains: changes requested (rule 2).",
    );
    check(
        0,
        &[P2],
        "1 P2 finding remains: changes requested (rule 3).",
    );
    check(0, &[P3], "approved (rule 4).");
    check(0, &[], "Nothing to change was found.");
}

#[test]
fn states_blockers_and_stops_have_words_in_both_languages() {
    for language in LANGUAGES {
        let localizer = localizer(language);
        let mut shown = String::new();
        for state in STATES {
            shown += &format!("{state}: {}\n", localizer.state_name(state));
        }
        for blocker in blockers() {
            shown += &format!("{}: {}\n", blocker.code(), localizer.blocker_text(&blocker));
        }
        for resource in [RateResource::Graphql, RateResource::Rest] {
            let throttle = PollThrottle {
                resource,
                remaining: 1_200,
                limit: 5_000,
                resets_at: UNTIL,
                stretch_permille: 2_000,
            };
            shown += &format!("throttle: {}\n", localizer.throttle_text(&throttle));
        }
        for stop in stops() {
            let (message, hints) = localizer.stop_text(&stop);
            assert!(!hints.is_empty(), "{stop:?} leaves people without advice");
            shown += &format!("{}: {message}\n    {}\n", stop.code(), hints.join("\n    "));
        }
        assert!(
            !shown.contains("{$") && !shown.contains("No localization"),
            "{shown}"
        );
        insta::assert_snapshot!(format!("{}_loop", language.code()), shown);
    }
}

#[test]
fn an_error_is_put_in_words_with_its_values_and_causes() {
    let wrong = UserError::new(ErrorCode::ConfigUnknownKeyNear).with_nearest(Some("slots"));
    let place = TextArg::Place {
        name: Some("config.toml".into()),
        line: Some(3),
        key: "slot".into(),
    };
    let problem = UserError::new(ErrorCode::ConfigProblem)
        .with_arg("place", place)
        .with_arg("wrong", wrong);
    let error = UserError::new(ErrorCode::Configuration)
        .with_arg("problems", vec![problem.clone(), problem])
        .hint(ErrorHint::Configuration);
    let line = "config.toml, line 3, `slot`: unknown key; did you mean `slots`?";
    assert_eq!(
        localizer(Language::En).error_text(&error),
        format!("The configuration has an error:\n{line}\n{line}")
    );
    let silent = UserError::new(ErrorCode::LlmUnauthorized)
        .with("model", "gpt")
        .with_aside("message", "");
    let french = localizer(Language::Fr);
    assert_eq!(
        french.error_text(&silent),
        "gpt n’accepte pas la clé\u{202f}: vérifiez-la, ou créez-en une nouvelle."
    );
    assert_eq!(french.error_hints(&error).len(), 1);
}

fn known(micros: u64) -> Cost {
    Cost {
        micros,
        unpriced: false,
    }
}

#[test]
fn a_cost_that_nobody_knows_is_no_zero() {
    let (en, fr) = (localizer(Language::En), localizer(Language::Fr));
    let unpriced = |micros| Cost {
        micros,
        unpriced: true,
    };
    let said = [unpriced(0), unpriced(120_000), known(0)].map(|cost| en.format_cost(cost));
    assert_eq!(said, ["price unknown", "$0.1200 + unknown", "$0.0000"]);
    let said = [unpriced(0), unpriced(120_000)].map(|cost| fr.format_cost(cost));
    assert_eq!(said, ["prix inconnu", "0,1200 $ + inconnu"]);
    let spent = |proof| {
        let rendered = renderer(Language::En).render(&Post {
            token: token(9),
            content: PostContent::Proof(proof),
            by: None,
        });
        bodies(&rendered)
            .iter()
            .map(|(_, body)| *body)
            .collect::<String>()
    };
    let partly = spent(Proof {
        unpriced: true,
        ..proof()
    });
    assert!(partly.contains("$1.0125 + unknown"), "{partly}");
    let untold = spent(Proof {
        tokens: (0, 0),
        cost_micros: 0,
        unpriced: true,
        ..proof()
    });
    assert!(untold.contains("price unknown"), "{untold}");
}

#[test]
fn amounts_are_written_as_the_language_does() {
    let (en, fr) = (localizer(Language::En), localizer(Language::Fr));
    assert_eq!(en.format_duration(192_000), "3 min 12 s");
    assert_eq!(en.format_duration(3_900_000), "1 h 05 min");
    assert_eq!(en.format_duration(999), "0 s");
    assert_eq!(
        (en.format_number(1_234_567), fr.format_number(1_234)),
        ("1,234,567".into(), "1\u{a0}234".into())
    );
    assert_eq!(
        (
            en.format_cost(known(12_500)),
            fr.format_cost(known(1_012_500))
        ),
        ("$0.0125".into(), "1,0125 $".into())
    );
    assert_eq!(en.format_time_of_day(UNTIL), "20:26");
    assert_eq!(en.format_list::<String>(&[]), "");
    assert_eq!(fr.format_list(&["a", "b", "c"]), "a, b et c");
    assert_eq!(
        en.format_list(&check_names(7)),
        "build, e2e, lint, unit, docs and 2 more"
    );
}

#[test]
fn the_language_is_what_was_reported_first() {
    let check = |variables: &[(&str, &str)], configured: Option<&str>, expect: Language| {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        let variable = |name: &str| variables.get(name).map(ToString::to_string);
        assert_eq!(
            Language::resolve(configured, &variable),
            expect,
            "{variables:?} {configured:?}"
        );
    };
    check(&[], None, Language::En);
    check(&[("LANG", "fr_CA.UTF-8")], None, Language::Fr);
    check(&[("LANG", "fr_FR"), ("LC_ALL", "C")], None, Language::En);
    check(&[("LANG", "de_DE")], None, Language::En);
    check(&[("LANG", "en_GB")], Some("fr"), Language::Fr);
    check(&[("COLLIE_LANG", "en")], Some("fr"), Language::En);
    check(&[("COLLIE_LANG", "")], Some("fr"), Language::Fr);
    check(&[("COLLIE_LANG", "xx"), ("LANG", "fr")], None, Language::Fr);
}

/// Key and variables of each text of a file.
fn fluent_texts(path: &str) -> BTreeMap<String, BTreeSet<String>> {
    let file = Locales::get(path).unwrap_or_else(|| panic!("{path} is missing"));
    let text = String::from_utf8(file.data.into_owned()).expect("UTF-8");
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut key = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if !line.starts_with([' ', '}'])
            && let Some((name, _)) = line.split_once(" =")
        {
            key = name.to_string();
            assert!(
                texts.insert(key.clone(), BTreeSet::new()).is_none(),
                "{path}: {key} twice"
            );
        }
        for piece in line.split("{ $").skip(1) {
            let name = piece
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next();
            let names = texts.get_mut(&key).expect("a text begins with its key");
            names.extend(name.map(String::from));
        }
    }
    texts
}

#[test]
fn both_languages_have_the_same_texts_with_the_same_variables() {
    let of = |language: &str| -> BTreeSet<String> {
        let folder = format!("{language}/");
        Locales::iter()
            .filter_map(|path| path.strip_prefix(&folder).map(String::from))
            .collect()
    };
    assert_eq!(of("en"), of("fr"));
    let mut all = BTreeSet::new();
    for file in of("en") {
        let (en, fr) = (
            fluent_texts(&format!("en/{file}")),
            fluent_texts(&format!("fr/{file}")),
        );
        for (key, variables) in &en {
            assert_eq!(Some(variables), fr.get(key), "{file}: {key}");
            assert!(all.insert(key.clone()), "{key} is in two files");
        }
        assert_eq!(en.len(), fr.len(), "{file}: fr has texts that en lacks");
    }
}

#[test]
fn every_text_is_used_and_every_code_has_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut source = String::new();
    // The window shows texts of these files too.
    for folder in ["crates", "src-tauri/src", "ui/src"] {
        read_sources(&root.join(folder), &mut source);
    }
    let codes: BTreeSet<String> = STATES
        .iter()
        .map(|state| format!("state-{state}"))
        .chain(
            blockers()
                .iter()
                .map(|blocker| format!("blocker-{}", blocker.code())),
        )
        .chain(stops().iter().map(|stop| format!("stop-{}", stop.code())))
        .chain(Effect::VARIANTS.iter().map(|name| format!("effect-{name}")))
        .chain(
            ErrorCode::VARIANTS
                .iter()
                .map(|code| format!("problem-{}", code.as_str())),
        )
        .chain(
            ErrorHint::VARIANTS
                .iter()
                .map(|hint| format!("problem-hint-{}", hint.as_str())),
        )
        .chain(Tamper::VARIANTS.iter().map(|kind| format!("tamper-{kind}")))
        .chain(
            Event::VARIANTS
                .iter()
                .chain(Outcome::VARIANTS)
                .filter(|name| **name != "answered")
                .map(|name| format!("event-{name}")),
        )
        .collect();
    let quoted: HashSet<&str> = source.split(['"', '`']).collect();
    // Keys that a code completes: "start-{code}", or `start-${code}` in the window.
    let begun: HashSet<&str> = quoted
        .iter()
        .filter_map(|piece| piece.split_once('{'))
        .map(|(start, _)| start.trim_end_matches('$'))
        .collect();
    let used = |key: &str| {
        // Those of this module are all listed above.
        let of_codes = ["state-", "blocker-", "stop-", "problem-", "tamper-"]
            .iter()
            .any(|start| key.starts_with(start));
        let mut starts = key.match_indices('-').map(|(at, _)| &key[..=at]);
        codes.contains(key)
            || quoted.contains(key)
            || !of_codes && starts.any(|start| begun.contains(start))
    };
    let mut all = BTreeSet::new();
    // The command line's help is held to its arguments by the command's own tests.
    let files = Locales::iter().filter(|path| path.starts_with("en/") && path != "en/usage.ftl");
    for path in files {
        for key in fluent_texts(&path).into_keys() {
            assert!(used(&key), "{path}: nothing uses {key}");
            all.insert(key);
        }
    }
    for code in codes.iter().filter(|code| *code != "stop-cannot_push") {
        assert!(all.contains(code), "{code} has no text");
    }
}

fn read_sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() && !path.ends_with("target") {
            read_sources(&path, out);
        } else if path
            .extension()
            .is_some_and(|ending| ["rs", "ts", "tsx"].iter().any(|known| ending == *known))
        {
            *out += &std::fs::read_to_string(&path).expect("a source is UTF-8");
        }
    }
}

#[test]
fn nothing_that_others_wrote_steers_what_shows_a_text() {
    let hostile = "a\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{202e}\u{200b}\rb";
    let shown = "a␛]52;c;ZXZpbA==␇␛[2J\u{fffd}2J␡\u{fffd}\u{fffd}␍b";
    let name = || hostile.to_owned();
    let cause = UserError::new(ErrorCode::Demo).with("message", hostile);
    for language in LANGUAGES {
        let localizer = localizer(language);
        let list = |count| (0..count).map(|_| name()).collect::<Vec<_>>();
        let mut texts = vec![
            localizer.error_text(&cause),
            localizer.blocker_text(&Blocker::Forbidden { message: name() }),
            localizer.blocker_text(&Blocker::Conflict {
                base: name(),
                error: None,
            }),
        ];
        for count in [1, 2, 7] {
            let (names, total) = (list(count), 9);
            texts.push(localizer.blocker_text(&Blocker::ChecksRunning { names, total }));
            texts.push(
                localizer
                    .stop_text(&Stop::CiTimeout { names: list(count) })
                    .0,
            );
        }
        for text in texts {
            assert!(text.contains(shown), "{text:?}");
            assert!(!text.contains(char::is_control), "{text:?}");
            assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text:?}");
        }
        // Words may have lines, a name has one.
        let lines = UserError::new(ErrorCode::Demo).with("message", "a\r\nb\tc");
        assert!(localizer.error_text(&lines).contains("a\nb\tc"));
        let names = vec!["a\nb".to_owned()];
        let blocker = Blocker::ChecksRunning { names, total: 1 };
        assert!(localizer.blocker_text(&blocker).contains("a␊b"));
    }
}

#[test]
fn a_small_change_without_a_finding_is_told_in_two_lines() {
    let body = |report: ReviewReport| {
        let rendered = renderer(Language::En).render(&Post {
            token: token(9),
            content: PostContent::Review(report),
            by: None,
        });
        let RenderedPost::Comment { body } = rendered else {
            panic!("a report is a comment");
        };
        body
    };
    let lines = |report: ReviewReport| {
        let body = body(report);
        let told = body.lines().filter(|line| !line.starts_with("<!--"));
        told.filter(|line| !line.is_empty()).count()
    };
    assert_eq!(lines(plain_approval()), 2);
    // Whatever is out of the ordinary is told.
    let mut others: Vec<ReviewReport> = Vec::new();
    let mut other = |change: &dyn Fn(&mut ReviewReport)| {
        let mut report = plain_approval();
        change(&mut report);
        others.push(report);
    };
    other(&|report| report.unread = true);
    other(&|report| report.coverage = coverage());
    other(&|report| report.threads.unresolved_threads = 1);
    other(&|report| report.stuck = vec![finding(1, Priority::P2, SourceType::Rules)]);
    other(&|report| report.findings = vec![finding(1, Priority::P3, SourceType::Rules)]);
    other(&|report| report.verdicts[0].left_out = verdict_lines()[1].left_out.clone());
    other(&|report| report.verdicts[1].linters = linter_runs());
    other(&|report| report.map.additions = 1_000);
    other(&|report| report.map = ChangeMap::default());
    other(&|report| report.consensus = Conclusion::RequestChanges);
    for report in others {
        assert!(lines(report.clone()) > 2, "{report:?}");
    }
}

#[test]
fn a_report_says_to_programs_what_it_came_to() {
    let report = long_report();
    let rendered = renderer(Language::Fr).render(&Post {
        token: token(9),
        content: PostContent::Review(report.clone()),
        by: None,
    });
    let RenderedPost::Comment { body } = rendered else {
        panic!("a report is a comment");
    };
    assert_eq!(
        ReviewOutcome::parse(&body),
        Some(ReviewOutcome::of(&report))
    );
    assert_eq!(ReviewOutcome::parse(&body[1..]), None);
}

#[test]
fn why_a_finding_was_not_fixed_is_told_in_words_and_never_as_a_code() {
    let redactor = Redactor::default();
    for language in ["en", "fr"] {
        let localizer = Localizer::new(language);
        for note in [
            "push_rejected:Keep the statement",
            "push_rejected:",
            collie_core::fix::note_codes::NOT_COVERED,
            "gate_scope:a.rs",
            "gate_verify:npm test\nit failed",
        ] {
            let told = crate::fixer_note(&localizer, &redactor, note);
            assert!(
                !told.contains("push_") && !told.contains("gate_") && told.contains(' '),
                "{language}: {told}"
            );
        }
        let said = crate::fixer_note(&localizer, &redactor, "It is meant so");
        assert_eq!(said, "It is meant so", "an agent's own words stay");
    }
}

#[test]
fn a_reviewer_that_failed_is_told_by_the_name_that_people_know() {
    let told = |language, reviewer: &str| {
        let stop = Stop::ReviewFailed {
            reviewer: reviewer.into(),
            error: UserError::recorded("no"),
        };
        localizer(language).stop_text(&stop).0
    };
    let expected = [
        ("quinn", "The reviewer Quinn failed for good"),
        ("house-style", "The reviewer house-style failed for good"),
        ("rules", "The rules failed for good"),
    ];
    for (reviewer, expect) in expected {
        assert_eq!(told(Language::En, reviewer), expect);
    }
    let french = told(Language::Fr, "rules");
    assert!(french.starts_with("Les règles ont"), "{french}");
}

#[test]
fn a_moment_of_another_day_bears_its_date() {
    let en = localizer(Language::En);
    assert_eq!(en.format_moment(UNTIL, UNTIL), "20:26");
    let yesterday = Time(UNTIL.0 - 24 * 3_600_000);
    let told = en.format_moment(yesterday, UNTIL);
    assert!(
        told.ends_with(" 20:26") && told.len() == "2026-03-13 20:26".len(),
        "{told}"
    );
}

/// What stands inside of another text, or begins with the name of a program.
const WITHIN_A_LINE: [&str; 6] = [
    "doctor-git",
    "doctor-gh",
    "doctor-agent-login",
    "doctor-agent-login-unknown",
    "doctor-agent-no-login",
    "doctor-quota-none",
];

#[test]
fn what_the_doctor_says_begins_with_a_capital() {
    for language in ["en", "fr"] {
        let path = format!("{language}/doctor.ftl");
        let file = crate::localizer::Locales::get(&path).expect("it is there");
        let text = String::from_utf8(file.data.into_owned()).expect("UTF-8");
        let mut key = String::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let value = match line.split_once(" = ") {
                Some((name, value)) => {
                    key = name.to_owned();
                    value
                }
                None => line.split_once("] ").map_or("", |(_, value)| value),
            };
            let is_within = WITHIN_A_LINE.contains(&key.as_str());
            let begins_low = value.chars().next().is_some_and(char::is_lowercase);
            assert!(is_within || !begins_low, "{path}: {line}");
        }
    }
}

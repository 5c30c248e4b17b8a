//! The bodies that Collie posts, without marker and token.

use super::markdown::{
    MAX_DETAILED_FINDINGS, MarkdownWriter, details_block, escape_cell, numbered,
};
use collie_core::base_merge::{BaseMerge, LostLine, MergeSide};
use collie_core::blocker::Stop;
use collie_core::coverage::{Coverage, UnseenFile};
use collie_core::ids::{Login, Sha};
use collie_core::lifecycle::State;
use collie_core::loop_state::RoundSummary;
use collie_core::post::{
    AddedFinding, DismissedFinding, DisposedFinding, Disposition, EjectionLine, FixLine, FixReport,
    InlineComment, LeftFinding, LeftReason, Proof, ReviewEvent, StopReport, VerdictLine,
};
use collie_core::text;
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};
use collie_core::usage::Cost;
use std::collections::BTreeMap;

/// How many files a post names; the others are counted.
const MAX_NAMED_FILES: usize = 100;

/// What nobody was shown (§4.4), and who has looked at it instead.
pub(super) fn coverage_section(
    writer: &MarkdownWriter<'_>,
    coverage: &Coverage,
    seen_by: Option<&Login>,
) -> String {
    let mut out = String::new();
    if !coverage.unseen.is_empty() {
        let row = |file: &UnseenFile| {
            vec![
                escape_cell(&writer.location(&file.path, None)),
                writer.localizer.unseen_reason(file.reason),
            ]
        };
        let rows = coverage.unseen.iter().take(MAX_NAMED_FILES).map(row);
        let head = ["post-column-where", "post-column-reason"];
        let args = [("count", coverage.unseen.len().into())];
        let table = writer.table(&head, rows.collect());
        out += &details_block(&writer.text("report-unseen", &args), &table);
    }
    if !coverage.rules_only.is_empty() {
        let row = |path: &String| vec![escape_cell(&writer.location(path, None))];
        let rows = coverage.rules_only.iter().take(MAX_NAMED_FILES).map(row);
        let args = [("count", coverage.rules_only.len().into())];
        let table = writer.table(&["post-column-where"], rows.collect());
        out += &details_block(&writer.text("report-rules-only", &args), &table);
    }
    if let Some(login) = seen_by.filter(|_| coverage.needing_look().next().is_some()) {
        let login = writer.format_logins_as_code(std::slice::from_ref(login));
        out += &format!(
            "\n{}\n",
            writer.text("proof-seen-by", &[("login", login.into())])
        );
    }
    out
}

/// What each reviewer and bot came to, what reviewers were not shown, and what became of the repository's linters.
pub(super) fn verdict_table(
    writer: &MarkdownWriter<'_>,
    lines: &[VerdictLine],
    with_head: bool,
) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let row = |line: &VerdictLine| {
        let mut cells = vec![
            writer.quoted_cell(&line.name),
            writer.localizer.reviewer_verdict(line),
        ];
        cells.extend(with_head.then(|| writer.commit_cell(line.head.as_ref())));
        cells
    };
    let head = [
        "post-column-reviewer",
        "post-column-verdict",
        "post-column-head",
    ];
    let head = if with_head { &head[..] } else { &head[..2] };
    let mut out = writer.table(head, lines.iter().map(row).collect());
    for line in lines {
        if !line.unread_files.is_empty() {
            let unread = writer.unread_files_text(&line.name, &line.unread_files);
            out += &format!("\n{unread}\n");
        }
        if let Some(left) = &line.left_out {
            out += &format!("\n{}\n", writer.left_out_text(&line.name, left));
        }
        if !line.linters.is_empty() {
            out += &format!("\n{}\n", writer.linters_text(&line.linters));
        }
    }
    out
}

/// The body of the review that carries the inline comments.
pub(super) fn inline_review_body(
    writer: &MarkdownWriter<'_>,
    head: &Sha,
    comments: &[InlineComment],
) -> String {
    let args = [
        ("count", comments.len().into()),
        ("head", head.to_string().into()),
    ];
    writer.text("inline-summary", &args)
}

/// The body of a review of a persona under its own account: what it says, and how many comments come with it.
pub(super) fn persona_review_body(
    writer: &MarkdownWriter<'_>,
    persona: &str,
    (verdict, head): (ReviewEvent, &Sha),
    comments: &[InlineComment],
) -> String {
    let args = [
        ("persona", writer.quoted_line(persona).into()),
        ("verdict", verdict.name().into()),
        ("head", head.to_string().into()),
    ];
    let said = writer.text("persona-review", &args);
    match comments.is_empty() {
        true => said,
        false => format!("{said} {}", inline_review_body(writer, head, comments)),
    }
}

/// Why a review of a persona is taken back.
pub(super) fn dismissal_message(writer: &MarkdownWriter<'_>, persona: &str, head: &Sha) -> String {
    let args = [
        ("persona", writer.quoted_line(persona).into()),
        ("head", head.to_string().into()),
    ];
    writer.text("persona-review-taken-back", &args)
}

/// The report of one fix.
pub(super) fn fix_body(writer: &MarkdownWriter<'_>, report: &FixReport) -> String {
    if let (Some(merge), Some(commit)) = (&report.merge, &report.commit) {
        return merge_body(writer, report, (merge, commit));
    }
    // Iterations count pushes: a round without one has no number of its own.
    let (title, pushed) = match &report.commit {
        Some(commit) => (
            writer.text("fix-title", &[("iteration", report.iteration.into())]),
            writer.text("fix-pushed", &[("commit", commit.to_string().into())]),
        ),
        None => (writer.plain("fix-title-none"), writer.plain("fix-nothing")),
    };
    let mut out = writer.heading(&title);
    let counts = [
        ("fixed", report.fixed.len().into()),
        ("rejected", report.rejected.len().into()),
        ("deferred", report.deferred.into()),
    ];
    out += &format!("\n{pushed} {}\n", writer.text("fix-counts", &counts));
    out += &fix_table(
        writer,
        "post-column-fixed",
        "post-column-done",
        &report.fixed,
    );
    out + &fix_table(
        writer,
        "post-column-declined",
        "post-column-why",
        &report.rejected,
    )
}

/// The report of a base that was merged in: how each conflict was resolved, and each line that is left out.
fn merge_body(
    writer: &MarkdownWriter<'_>,
    report: &FixReport,
    (merge, commit): (&BaseMerge, &Sha),
) -> String {
    let base = writer.quoted_line(&merge.base_ref);
    let args = [
        ("iteration", report.iteration.into()),
        ("base", base.into()),
    ];
    let mut out = writer.heading(&writer.text("fix-title-merge", &args));
    out += &format!(
        "\n{}\n",
        merge_sentence(writer, "fix-merged", (merge, commit))
    );
    if !report.fixed.is_empty() {
        let row = |line: &FixLine| {
            let note = writer.fixer_note(&line.note);
            vec![writer.quoted_cell(&line.file), writer.quoted_cell(&note)]
        };
        let head = ["post-column-conflict", "post-column-resolution"];
        let rows = report.fixed.iter().map(row).collect();
        out += &format!("\n{}", writer.table(&head, rows));
    }
    out + &lost_lines_section(writer, merge)
}

fn merge_sentence(
    writer: &MarkdownWriter<'_>,
    key: &str,
    (merge, commit): (&BaseMerge, &Sha),
) -> String {
    let args = [
        ("base", writer.quoted_line(&merge.base_ref).into()),
        ("head", merge.base.to_string().into()),
        ("commit", commit.to_string().into()),
    ];
    writer.text(key, &args)
}

/// Lines that a merge left out; nothing where there are none.
fn lost_lines_section(writer: &MarkdownWriter<'_>, merge: &BaseMerge) -> String {
    if merge.lost.is_empty() {
        return String::new();
    }
    let row = |line: &LostLine| {
        let side = match line.side {
            MergeSide::Head => "merge-side-head",
            MergeSide::Base => "merge-side-base",
        };
        vec![
            escape_cell(&writer.location(&line.path, (line.line > 0).then_some(line.line))),
            writer.quoted_cell(&line.text),
            writer.plain(side),
        ]
    };
    let head = [
        "post-column-where",
        "post-column-line",
        "post-column-added-by",
    ];
    let table = writer.table(&head, merge.lost.iter().map(row).collect());
    let args = [("count", merge.lost.len().into())];
    details_block(&writer.text("merge-lost", &args), &table)
}

fn fix_table(writer: &MarkdownWriter<'_>, first: &str, last: &str, lines: &[FixLine]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let row = |line: &FixLine| {
        vec![
            writer.quoted_cell(&line.title),
            escape_cell(&writer.location(&line.file, line.line)),
            writer.quoted_cell(&writer.fixer_note(&line.note)),
        ]
    };
    format!(
        "\n{}",
        writer.table(
            &[first, "post-column-where", last],
            lines.iter().map(row).collect()
        )
    )
}

/// LGTM and proof in one; no LGTM where nobody has read the change (§4.4).
pub(super) fn proof_body(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    let title = match proof.unread {
        true => "proof-title-unread",
        false => "proof-title",
    };
    let mut out = writer.heading(&writer.plain(title));
    let head = [("head", proof.head.to_string().into())];
    out += &format!("\n{}\n\n", writer.text("proof-lead", &head));
    if proof.unread {
        out += &format!("{}\n\n", writer.plain("report-unread"));
    }
    out += &verdict_table(writer, &proof.verdicts, true);
    let folded = |summary: String, head: &[&str], table: Vec<Vec<String>>| {
        if table.is_empty() {
            format!("\n{summary}.\n")
        } else {
            details_block(&summary, &writer.table(head, table))
        }
    };
    let part = |key, rows: usize, head: &[&str], table: Vec<Vec<String>>| {
        folded(writer.text(key, &[("count", rows.into())]), head, table)
    };
    let head = ["post-column-check", "post-column-result"];
    let checks = check_rows(writer, proof);
    out += &folded(checks_summary(writer, proof), &head, checks);
    let head = ["post-column-where", "post-column-status"];
    let settled = thread_rows(writer, proof);
    out += &part("proof-threads", settled.len(), &head, settled);
    let outsiders = outsider_thread_rows(writer, proof);
    if !outsiders.is_empty() {
        out += &part(
            "proof-outsiders",
            outsiders.len(),
            &["post-column-where"],
            outsiders,
        );
    }
    let fixed = fixed_rows(writer, proof);
    let head = ["post-column-finding", "post-column-commit"];
    out += &part("proof-fixed", fixed.len(), &head, fixed);
    out += &agreements_section(writer, proof);
    out += &names_section(writer, "proof-flaky", &proof.flaky);
    out += &names_section(writer, "proof-workflow-files", &proof.workflow_files);
    out += &merges_section(writer, proof);
    out += &ejections_section(writer, proof);
    out += &unverified_section(writer, proof);
    out += &coverage_section(writer, &proof.coverage, proof.seen_by.as_ref());
    out += &dismissed_section(writer, &proof.dismissed);
    out += &left_section(writer, &proof.left);
    out += &suggestions_section(writer, proof);
    out + &format!("\n{}.\n", spent_summary(writer, proof))
}

/// What was fixed, each with Collie's commit, where it has one.
fn fixed_rows(writer: &MarkdownWriter<'_>, proof: &Proof) -> Vec<Vec<String>> {
    let elsewhere = || writer.text("proof-fixed-elsewhere", &[]);
    let row = |(title, commit): &(String, Option<Sha>)| {
        let commit = commit.as_ref().map(ToString::to_string);
        vec![writer.quoted_cell(title), commit.unwrap_or_else(elsewhere)]
    };
    proof.fixed.iter().map(row).collect()
}

/// What a person dismissed, with the reason; nothing where there is nothing.
pub(super) fn dismissed_section(
    writer: &MarkdownWriter<'_>,
    dismissed: &[DismissedFinding],
) -> String {
    if dismissed.is_empty() {
        return String::new();
    }
    let row = |line: &DismissedFinding| {
        vec![
            writer.quoted_cell(&line.title),
            escape_cell(&writer.location(&line.file, None)),
            writer.format_logins_as_code(std::slice::from_ref(&line.by)),
            writer.quoted_cell(&line.reason),
        ]
    };
    let head = [
        "post-column-finding",
        "post-column-where",
        "post-column-dismissed-by",
        "post-column-reason",
    ];
    let table = writer.table(&head, dismissed.iter().map(row).collect());
    let args = [("count", dismissed.len().into())];
    details_block(&writer.text("proof-dismissed", &args), &table)
}

/// What is stuck or was declined, with the reason; nothing where there is nothing.
fn left_section(writer: &MarkdownWriter<'_>, left: &[LeftFinding]) -> String {
    if left.is_empty() {
        return String::new();
    }
    let row = |line: &LeftFinding| {
        let why = match &line.why {
            LeftReason::Stuck => writer.plain("status-stuck"),
            LeftReason::Declined { reason } => {
                let reason = writer.quoted_cell(&writer.fixer_note(reason));
                writer.text("stopped-declined", &[("reason", reason.into())])
            }
        };
        vec![
            writer.quoted_cell(&line.title),
            escape_cell(&writer.location(&line.file, None)),
            why,
        ]
    };
    let head = [
        "post-column-finding",
        "post-column-where",
        "post-column-reason",
    ];
    let table = writer.table(&head, left.iter().map(row).collect());
    details_block(
        &writer.text("proof-left", &[("count", left.len().into())]),
        &table,
    )
}

/// Suggestions that stay open; nothing where there are none.
fn suggestions_section(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    if proof.suggestions.is_empty() {
        return String::new();
    }
    let table = writer.findings_table(proof.suggestions.iter());
    let args = [("count", proof.suggestions.len().into())];
    details_block(&writer.text("proof-suggestions", &args), &table)
}

/// What several tools found, and who; nothing where there is nothing.
fn agreements_section(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    let row = |(title, names): &(String, Vec<String>)| {
        let names: Vec<String> = names.iter().map(|name| writer.quoted_cell(name)).collect();
        vec![writer.quoted_cell(title), names.join(", ")]
    };
    if proof.agreements.is_empty() {
        return String::new();
    }
    let summary = [("count", proof.agreements.len().into())];
    let head = ["post-column-finding", "post-column-found-by"];
    let table = writer.table(&head, proof.agreements.iter().map(row).collect());
    details_block(&writer.text("proof-agreements", &summary), &table)
}

/// The verify commands that fixes were pushed without; nothing where there are none.
fn unverified_section(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    if proof.unverified.is_empty() {
        return String::new();
    }
    let row = |command: &String| vec![writer.quoted_cell(command)];
    let table = proof.unverified.iter().map(row).collect();
    let args = [("count", proof.unverified.len().into())];
    details_block(
        &writer.text("proof-unverified", &args),
        &writer.table(&["post-column-command"], table),
    )
}

/// Each base that was merged in, with what that left out.
fn merges_section(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    let section = |(commit, merge): &(Sha, BaseMerge)| {
        let sentence = merge_sentence(writer, "proof-merge", (merge, commit));
        format!("\n{sentence}\n{}", lost_lines_section(writer, merge))
    };
    proof.merges.iter().map(section).collect()
}

/// Each ejection from the merge queue, with what was done about it.
fn ejections_section(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    let section = |line: &EjectionLine| {
        let quote = |name: &str| writer.quoted_line(name);
        let why = writer.localizer.ejection_reason(&line.ejection, quote);
        let claim = line.claimed_in.as_ref().map(Sha::to_string);
        let args = [
            ("head", line.ejection.head.to_string().into()),
            ("why", why.into()),
            ("commit", claim.unwrap_or_else(|| "none".to_owned()).into()),
        ];
        format!("\n{}\n", writer.text("proof-ejection", &args))
    };
    proof.ejections.iter().map(section).collect()
}

/// A sentence that names what it is about; nothing where there is none.
fn names_section(writer: &MarkdownWriter<'_>, key: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|name| writer.quoted_line(name)).collect();
    let list = writer.localizer.format_list(&quoted);
    let args = [("count", names.len().into()), ("names", list.into())];
    format!("\n{}\n", writer.text(key, &args))
}

fn spent_summary(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    let time = writer.localizer.format_duration(proof.elapsed_ms);
    let args = [
        ("iterations", proof.iterations.into()),
        ("time", time.into()),
    ];
    let pushes = writer.text("proof-spent", &args);
    if proof.tokens == (0, 0) && proof.cost() == Cost::default() {
        return pushes;
    }
    let args = [
        (
            "input",
            writer.localizer.format_number(proof.tokens.0).into(),
        ),
        (
            "output",
            writer.localizer.format_number(proof.tokens.1).into(),
        ),
        ("cost", writer.localizer.format_cost(proof.cost()).into()),
    ];
    format!("{pushes}, {}", writer.text("proof-cost", &args))
}

/// How many checks passed, and how the others ended.
fn checks_summary(writer: &MarkdownWriter<'_>, proof: &Proof) -> String {
    let mut by_result: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, result) in &proof.checks {
        *by_result.entry(result).or_default() += 1;
    }
    let passed = by_result.remove("success");
    let key = match by_result.is_empty() {
        false if passed.is_none() => "proof-checks-none-passed",
        _ => "proof-checks",
    };
    let passed = writer.text(key, &[("count", passed.unwrap_or(0).into())]);
    let others = by_result.into_iter();
    let others = others.map(|(result, count)| format!("{count} {}", check_result(writer, result)));
    let parts: Vec<String> = std::iter::once(passed).chain(others).collect();
    parts.join(", ")
}

/// How a check ended, in a word.
fn check_result(writer: &MarkdownWriter<'_>, result: &str) -> String {
    match check_conclusion_key(result) {
        Some(key) => writer.plain(key),
        None => writer.quoted_cell(result),
    }
}

fn check_rows(writer: &MarkdownWriter<'_>, proof: &Proof) -> Vec<Vec<String>> {
    let row = |(name, result): &(String, String)| {
        vec![writer.quoted_cell(name), check_result(writer, result)]
    };
    proof.checks.iter().map(row).collect()
}

/// The word for a conclusion of GitHub.
fn check_conclusion_key(result: &str) -> Option<&'static str> {
    Some(match result {
        "success" => "check-success",
        "neutral" => "check-neutral",
        "skipped" => "check-skipped",
        "failure" => "check-failure",
        "cancelled" => "check-cancelled",
        "timed_out" => "check-timed_out",
        "stale" => "check-stale",
        "startup_failure" => "check-startup_failure",
        "action_required" => "check-action_required",
        _ => return None,
    })
}

/// How a proof marks threads that nobody trusted has opened or answered.
const OUTSIDER: &str = "outsider";

fn thread_rows(writer: &MarkdownWriter<'_>, proof: &Proof) -> Vec<Vec<String>> {
    let row = |(path, how): &(String, String)| {
        let how = match how.as_str() {
            "resolved" => writer.plain("proof-thread-resolved"),
            "answered" => writer.plain("proof-thread-answered"),
            other => writer.quoted_cell(other),
        };
        vec![escape_cell(&writer.location(path, None)), how]
    };
    let settled = proof.threads.iter().filter(|(_, how)| how != OUTSIDER);
    settled.map(row).collect()
}

/// Threads of people without write access: they block nothing, and are named (§4.6).
fn outsider_thread_rows(writer: &MarkdownWriter<'_>, proof: &Proof) -> Vec<Vec<String>> {
    let of_others = proof.threads.iter().filter(|(_, how)| how == OUTSIDER);
    of_others
        .map(|(path, _)| vec![escape_cell(&writer.location(path, None))])
        .collect()
}

/// The last word of a run that stopped, with the dossier.
pub(super) fn stop_body(writer: &MarkdownWriter<'_>, report: &StopReport) -> String {
    let title = if report.stop.terminal_state() == State::Failed {
        "stopped-title-failed"
    } else {
        "stopped-title-needs_human"
    };
    let (message, hints) = writer
        .localizer
        .stop_text(&quoted_stop(writer, &report.stop));
    let mut out = writer.heading(&writer.plain(title));
    out += &format!("\n**{message}.**");
    if let Some(head) = &report.head {
        out += &format!(
            " {}",
            writer.text("stopped-at", &[("head", head.to_string().into())])
        );
    }
    out += "\n";
    if let Some(said) = stop_cause(writer, &report.stop) {
        out += &format!(
            "\n{}\n\n{}\n",
            writer.plain("stopped-said"),
            writer.quoted_log(&said)
        );
    }
    out += &format!("\n{}\n\n", writer.plain("stopped-todo"));
    out += &hints
        .iter()
        .map(|hint| format!("- {hint}\n"))
        .collect::<String>();
    out += &open_findings_section(writer, &report.findings);
    out + &rounds_section(writer, &report.rounds)
}

/// The same stop, with names of others made harmless.
fn quoted_stop(writer: &MarkdownWriter<'_>, stop: &Stop) -> Stop {
    match stop {
        Stop::CiTimeout { names } => Stop::CiTimeout {
            names: names.iter().map(|name| writer.quoted_line(name)).collect(),
        },
        Stop::ReviewFailed { reviewer, error } => Stop::ReviewFailed {
            reviewer: writer.quoted_line(reviewer),
            error: error.clone(),
        },
        Stop::IterationsSpent { .. }
        | Stop::Stuck { .. }
        | Stop::Oscillating
        | Stop::Upheld { .. }
        | Stop::TooManyRestarts { .. }
        | Stop::TooManyTurns { .. }
        | Stop::CannotPush { .. }
        | Stop::FixFailed { .. }
        | Stop::AccessLost => stop.clone(),
    }
}

/// What a stop came of: git's words, or the error of a session.
fn stop_cause(writer: &MarkdownWriter<'_>, stop: &Stop) -> Option<String> {
    let message = match stop {
        Stop::CannotPush { message, .. } => message.clone(),
        Stop::ReviewFailed { error, .. } | Stop::FixFailed { error } => {
            writer.localizer.error_text(error)
        }
        Stop::CiTimeout { .. }
        | Stop::IterationsSpent { .. }
        | Stop::Stuck { .. }
        | Stop::Oscillating
        | Stop::Upheld { .. }
        | Stop::TooManyRestarts { .. }
        | Stop::TooManyTurns { .. }
        | Stop::AccessLost => return None,
    };
    Some(message).filter(|message| !message.trim().is_empty())
}

fn open_findings_section(writer: &MarkdownWriter<'_>, findings: &[TrackedFinding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let row = |tracked: &TrackedFinding| {
        vec![
            writer.priority_badge(&tracked.finding),
            writer.quoted_cell(&tracked.finding.title),
            escape_cell(&writer.location(&tracked.finding.file, tracked.finding.line)),
            writer.plain(status_key(tracked.status)),
        ]
    };
    let head = [
        "post-column-priority",
        "post-column-finding",
        "post-column-where",
        "post-column-status",
    ];
    let table = writer.table(&head, findings.iter().map(row).collect());
    let shown = findings.iter().take(MAX_DETAILED_FINDINGS).map(|tracked| {
        let finding = numbered(tracked.number, &tracked.finding);
        writer.full_finding(&finding, &finding_history(writer, tracked))
    });
    let summary = writer.text("stopped-findings", &[("count", findings.len().into())]);
    let all = details_block(&summary, &shown.collect::<Vec<_>>().join("\n---\n\n"));
    format!("\n**{}**\n\n{table}{all}", writer.plain("stopped-left"))
}

pub(super) fn status_key(status: FindingStatus) -> &'static str {
    match status {
        FindingStatus::Open => "status-open",
        FindingStatus::Claimed => "status-claimed",
        FindingStatus::Fixed => "status-fixed",
        FindingStatus::Rejected => "status-rejected",
        FindingStatus::Withdrawn => "status-withdrawn",
        FindingStatus::Unsure => "status-unsure",
        FindingStatus::Stuck => "status-stuck",
        FindingStatus::Dismissed => "status-dismissed",
    }
}

/// What has been tried on a finding.
pub(super) fn finding_history(
    writer: &MarkdownWriter<'_>,
    tracked: &TrackedFinding,
) -> Vec<String> {
    let mut notes = Vec::new();
    if tracked.status == FindingStatus::Stuck && !tracked.fixed_in.is_empty() {
        let commits = writer.localizer.format_list(&tracked.fixed_in);
        let args = [
            ("round", tracked.last_round.into()),
            ("commits", commits.into()),
        ];
        notes.push(writer.text("stopped-back", &args));
    }
    if tracked.introduced_by_fix {
        notes.push(writer.plain("stopped-by-fix"));
    }
    if let Some(reason) = &tracked.rejection {
        let args = [(
            "reason",
            writer.quoted_line(&writer.fixer_note(reason)).into(),
        )];
        notes.push(writer.text("stopped-declined", &args));
    }
    notes
}

fn rounds_section(writer: &MarkdownWriter<'_>, rounds: &[RoundSummary]) -> String {
    if rounds.is_empty() {
        return String::new();
    }
    let row = |round: &RoundSummary| {
        let commit = writer.commit_cell(round.commit.as_ref());
        let commit = if round.churned {
            format!("{commit} ({})", writer.plain("stopped-churned"))
        } else {
            commit
        };
        let number = |number: u32| number.to_string();
        let mut cells: Vec<String> = [
            round.iteration,
            round.p0,
            round.p1,
            round.p2,
            round.p3,
            round.fixed,
            round.rejected,
        ]
        .map(number)
        .into();
        cells.push(commit);
        cells
    };
    let head = [
        "post-column-round",
        "post-priority-p0",
        "post-priority-p1",
        "post-priority-p2",
        "post-priority-p3",
        "post-column-fixed",
        "post-column-declined",
        "post-column-commit",
    ];
    let table = writer.table(&head, rounds.iter().map(row).collect());
    let summary = writer.text("stopped-rounds", &[("count", rounds.len().into())]);
    details_block(&summary, &table)
}

/// What became of a thread.
pub(super) fn reply_body(writer: &MarkdownWriter<'_>, disposition: &Disposition) -> String {
    let (lead, quoted) = match disposition {
        Disposition::Fixed { commit, note } => (
            writer.text("reply-fixed", &[("commit", commit.to_string().into())]),
            note,
        ),
        Disposition::Declined { reason } => (writer.plain("reply-declined"), reason),
        Disposition::LeftToPerson { reason } => (writer.plain("reply-left"), reason),
    };
    let quoted = writer.quoted_markdown(&writer.fixer_note(quoted));
    // A fence or a list needs a line of its own.
    let apart = if quoted.contains('\n') { "\n\n" } else { " " };
    format!("{lead}{apart}{quoted}").trim_end().to_string()
}

/// What a thread of somebody's lacks that says already what was found.
pub(super) fn addition_body(writer: &MarkdownWriter<'_>, findings: &[AddedFinding]) -> String {
    let all = findings.iter();
    let told: Vec<String> = all
        .map(|added| writer.full_finding(&added.finding, &[]))
        .collect();
    format!(
        "{}\n\n{}",
        writer.plain("addition-lead"),
        told.join("\n---\n\n")
    )
}

/// What became of findings that have no thread of their own.
pub(super) fn answers(writer: &MarkdownWriter<'_>, items: &[DisposedFinding]) -> String {
    let row = |item: &DisposedFinding| {
        vec![
            writer.quoted_cell(&item.bot),
            writer.quoted_cell(&item.title),
            escape_cell(&writer.location(&item.file, item.line)),
            // A cell is one line.
            escape_cell(&reply_body(writer, &item.disposition).replace('\n', " ")),
        ]
    };
    let head = [
        "post-column-reviewer",
        "post-column-finding",
        "post-column-where",
        "post-column-done",
    ];
    let rows = items.iter().map(row).collect();
    let title = writer.heading(&writer.plain("bot-findings-answered"));
    format!("{title}\n{}", writer.table(&head, rows))
}

/// Asks people to look again; these are called by name.
pub(super) fn rereview_request_body(
    writer: &MarkdownWriter<'_>,
    logins: &[Login],
    head: &Sha,
) -> String {
    let people: Vec<String> = logins.iter().map(|login| writer.mention(login)).collect();
    let args = [
        ("people", writer.localizer.format_list(&people).into()),
        ("head", text::code_span(head.short()).into()),
    ];
    writer.text("look-again", &args)
}

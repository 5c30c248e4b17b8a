//! The bodies that Collie posts, without marker and token.

use super::pieces::{MOST_DETAILS, Page, details, in_cell};
use collie_core::blocker::Stop;
use collie_core::ids::{Login, Sha};
use collie_core::lifecycle::State;
use collie_core::model::{FindingStatus, RoundSummary, TrackedFinding};
use collie_core::post::{
    Disposition, FixLine, FixReport, InlineComment, Proof, ReviewReport, StopReport, VerdictLine,
};
use collie_core::shapes::Finding;
use collie_core::text;

/// The report of one review.
pub(super) fn review(page: &Page<'_>, report: &ReviewReport) -> String {
    let args = [
        ("ordinal", report.ordinal.into()),
        (
            "verdict",
            page.speech.verdict(Some(report.consensus)).into(),
        ),
    ];
    let mut out = page.heading(&page.text("report-title", &args));
    let head = [("head", report.head.to_string().into())];
    out += &format!(
        "\n{}\n{}\n\n",
        rule(page, report),
        page.text("report-at", &head)
    );
    if report.findings.is_empty() {
        out += &format!("{}\n", page.plain("report-nothing"));
    } else {
        out += &page.findings_table(report.findings.iter());
        let args = [("count", report.findings.len().into())];
        out += &all_details(page, &page.text("report-findings", &args), &report.findings);
    }
    if !report.stuck.is_empty() {
        let args = [("count", report.stuck.len().into())];
        let table = page.findings_table(report.stuck.iter());
        out += &details(&page.text("report-stuck", &args), &table);
    }
    out + "\n" + &verdicts(page, &report.verdicts)
}

/// The rule of A6 that decided, in words: the first that fits.
fn rule(page: &Page<'_>, report: &ReviewReport) -> String {
    let counts = &report.counts;
    let decided = |key, count: u32| page.text(key, &[("count", count.into())]);
    if !report.changes_requested_by.is_empty() {
        let names = page.named(&report.changes_requested_by);
        page.text("rule-people", &[("names", names.into())])
    } else if counts.p0_blocking > 0 {
        decided("rule-p0", counts.p0_blocking)
    } else if counts.p1_critical > 0 {
        decided("rule-p1", counts.p1_critical)
    } else if counts.p2_important > 0 {
        decided("rule-p2", counts.p2_important)
    } else {
        page.plain("rule-none")
    }
}

fn all_details(page: &Page<'_>, summary: &str, findings: &[Finding]) -> String {
    let shown = findings
        .iter()
        .take(MOST_DETAILS)
        .map(|finding| page.finding(finding, &[]));
    details(summary, &shown.collect::<Vec<_>>().join("\n---\n\n"))
}

fn verdicts(page: &Page<'_>, lines: &[VerdictLine]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let row = |line: &VerdictLine| {
        vec![
            page.cell(&line.name),
            page.speech.verdict(line.verdict),
            page.commit(line.head.as_ref()),
        ]
    };
    let head = [
        "post-column-reviewer",
        "post-column-verdict",
        "post-column-head",
    ];
    let mut out = page.table(&head, lines.iter().map(row).collect());
    for line in lines {
        if let Some(left) = &line.left_out {
            out += &format!("\n{}\n", page.left_out(&line.name, left));
        }
    }
    out
}

/// The body of the review that carries the inline comments.
pub(super) fn inline_summary(page: &Page<'_>, head: &Sha, comments: &[InlineComment]) -> String {
    let args = [
        ("count", comments.len().into()),
        ("head", head.to_string().into()),
    ];
    page.text("inline-summary", &args)
}

/// The report of one fix.
pub(super) fn fix(page: &Page<'_>, report: &FixReport) -> String {
    // Iterations count pushes: a round without one has no number of its own.
    let (title, pushed) = match &report.commit {
        Some(commit) => (
            page.text("fix-title", &[("iteration", report.iteration.into())]),
            page.text("fix-pushed", &[("commit", commit.to_string().into())]),
        ),
        None => (page.plain("fix-title-none"), page.plain("fix-nothing")),
    };
    let mut out = page.heading(&title);
    let counts = [
        ("fixed", report.fixed.len().into()),
        ("rejected", report.rejected.len().into()),
        ("deferred", report.deferred.into()),
    ];
    out += &format!("\n{pushed} {}\n", page.text("fix-counts", &counts));
    out += &fix_lines(page, "post-column-fixed", "post-column-done", &report.fixed);
    out + &fix_lines(
        page,
        "post-column-declined",
        "post-column-why",
        &report.rejected,
    )
}

fn fix_lines(page: &Page<'_>, first: &str, last: &str, lines: &[FixLine]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let row = |line: &FixLine| {
        vec![
            page.cell(&line.title),
            in_cell(&page.place(&line.file, line.line)),
            page.cell(&page.note(&line.note)),
        ]
    };
    format!(
        "\n{}",
        page.table(
            &[first, "post-column-where", last],
            lines.iter().map(row).collect()
        )
    )
}

/// LGTM and proof in one.
pub(super) fn proof(page: &Page<'_>, proof: &Proof) -> String {
    let mut out = page.heading(&page.plain("proof-title"));
    let head = [("head", proof.head.to_string().into())];
    out += &format!("\n{}\n\n", page.text("proof-lead", &head));
    out += &verdicts(page, &proof.verdicts);
    let part = |key, rows: usize, head: &[&str], table: Vec<Vec<String>>| {
        let summary = page.text(key, &[("count", rows.into())]);
        if rows == 0 {
            format!("\n{summary}.\n")
        } else {
            details(&summary, &page.table(head, table))
        }
    };
    let head = ["post-column-check", "post-column-result"];
    out += &part(
        "proof-checks",
        proof.checks.len(),
        &head,
        check_rows(page, proof),
    );
    let head = ["post-column-where", "post-column-status"];
    out += &part(
        "proof-threads",
        proof.threads.len(),
        &head,
        thread_rows(page, proof),
    );
    let row = |(title, commit): &(String, Sha)| vec![page.cell(title), commit.to_string()];
    let head = ["post-column-finding", "post-column-commit"];
    out += &part(
        "proof-fixed",
        proof.fixed.len(),
        &head,
        proof.fixed.iter().map(row).collect(),
    );
    if !proof.suggestions.is_empty() {
        let table = page.findings_table(proof.suggestions.iter());
        let args = [("count", proof.suggestions.len().into())];
        out += &details(&page.text("proof-suggestions", &args), &table);
    }
    out + &format!("\n{}.\n", spent(page, proof))
}

fn spent(page: &Page<'_>, proof: &Proof) -> String {
    let time = page.speech.duration(proof.elapsed_ms);
    let args = [
        ("iterations", proof.iterations.into()),
        ("time", time.into()),
    ];
    let pushes = page.text("proof-spent", &args);
    if proof.tokens == (0, 0) && proof.cost_micros == 0 {
        return pushes;
    }
    let args = [
        ("input", page.speech.number(proof.tokens.0).into()),
        ("output", page.speech.number(proof.tokens.1).into()),
        ("cost", page.speech.money(proof.cost_micros).into()),
    ];
    format!("{pushes}, {}", page.text("proof-cost", &args))
}

fn check_rows(page: &Page<'_>, proof: &Proof) -> Vec<Vec<String>> {
    let row = |(name, result): &(String, String)| {
        let result = match check_key(result) {
            Some(key) => page.plain(key),
            None => page.cell(result),
        };
        vec![page.cell(name), result]
    };
    proof.checks.iter().map(row).collect()
}

/// The word for a conclusion of GitHub.
fn check_key(result: &str) -> Option<&'static str> {
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

fn thread_rows(page: &Page<'_>, proof: &Proof) -> Vec<Vec<String>> {
    let row = |(path, how): &(String, String)| {
        let how = match how.as_str() {
            "resolved" => page.plain("proof-thread-resolved"),
            "answered" => page.plain("proof-thread-answered"),
            other => page.cell(other),
        };
        vec![in_cell(&page.place(path, None)), how]
    };
    proof.threads.iter().map(row).collect()
}

/// The last word of a run that stopped, with the dossier.
pub(super) fn stop(page: &Page<'_>, report: &StopReport) -> String {
    let title = if report.stop.ends_in() == State::Failed {
        "stopped-title-failed"
    } else {
        "stopped-title-needs_human"
    };
    let (message, hints) = page.speech.stop(&quoted_stop(page, &report.stop));
    let mut out = page.heading(&page.plain(title));
    out += &format!("\n**{message}.**");
    if let Some(head) = &report.head {
        out += &format!(
            " {}",
            page.text("stopped-at", &[("head", head.to_string().into())])
        );
    }
    out += "\n";
    if let Some(said) = said(&report.stop) {
        out += &format!("\n{}\n\n{}\n", page.plain("stopped-said"), page.log(said));
    }
    out += &format!("\n{}\n\n", page.plain("stopped-todo"));
    out += &hints
        .iter()
        .map(|hint| format!("- {hint}\n"))
        .collect::<String>();
    out += &left(page, &report.findings);
    out + &rounds(page, &report.rounds)
}

/// The same stop, with names of others made harmless.
fn quoted_stop(page: &Page<'_>, stop: &Stop) -> Stop {
    match stop {
        Stop::CiTimeout { names } => Stop::CiTimeout {
            names: names.iter().map(|name| page.line(name)).collect(),
        },
        Stop::ReviewFailed { reviewer, message } => Stop::ReviewFailed {
            reviewer: page.line(reviewer),
            message: message.clone(),
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

/// The words of others that go with a stop.
fn said(stop: &Stop) -> Option<&str> {
    let message = match stop {
        Stop::CannotPush { message, .. }
        | Stop::ReviewFailed { message, .. }
        | Stop::FixFailed { message } => message,
        Stop::CiTimeout { .. }
        | Stop::IterationsSpent { .. }
        | Stop::Stuck { .. }
        | Stop::Oscillating
        | Stop::Upheld { .. }
        | Stop::TooManyRestarts { .. }
        | Stop::TooManyTurns { .. }
        | Stop::AccessLost => return None,
    };
    Some(message.as_str()).filter(|message| !message.trim().is_empty())
}

fn left(page: &Page<'_>, findings: &[TrackedFinding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let row = |tracked: &TrackedFinding| {
        vec![
            page.badge(&tracked.finding),
            page.cell(&tracked.finding.title),
            in_cell(&page.place(&tracked.finding.file, tracked.finding.line)),
            page.plain(status_key(tracked.status)),
        ]
    };
    let head = [
        "post-column-priority",
        "post-column-finding",
        "post-column-where",
        "post-column-status",
    ];
    let table = page.table(&head, findings.iter().map(row).collect());
    let shown = findings
        .iter()
        .take(MOST_DETAILS)
        .map(|tracked| page.finding(&tracked.finding, &history(page, tracked)));
    let summary = page.text("stopped-findings", &[("count", findings.len().into())]);
    let all = details(&summary, &shown.collect::<Vec<_>>().join("\n---\n\n"));
    format!("\n**{}**\n\n{table}{all}", page.plain("stopped-left"))
}

fn status_key(status: FindingStatus) -> &'static str {
    match status {
        FindingStatus::Open => "status-open",
        FindingStatus::Fixed => "status-fixed",
        FindingStatus::Rejected => "status-rejected",
        FindingStatus::Withdrawn => "status-withdrawn",
        FindingStatus::Stuck => "status-stuck",
    }
}

/// What has been tried on a finding.
fn history(page: &Page<'_>, tracked: &TrackedFinding) -> Vec<String> {
    let mut notes = Vec::new();
    if tracked.status == FindingStatus::Stuck && !tracked.fixed_in.is_empty() {
        let commits = page.speech.list(&tracked.fixed_in);
        let args = [
            ("round", tracked.last_round.into()),
            ("commits", commits.into()),
        ];
        notes.push(page.text("stopped-back", &args));
    }
    if tracked.introduced_by_fix {
        notes.push(page.plain("stopped-by-fix"));
    }
    if let Some(reason) = &tracked.rejection {
        let args = [("reason", page.line(&page.note(reason)).into())];
        notes.push(page.text("stopped-declined", &args));
    }
    notes
}

fn rounds(page: &Page<'_>, rounds: &[RoundSummary]) -> String {
    if rounds.is_empty() {
        return String::new();
    }
    let row = |round: &RoundSummary| {
        let commit = page.commit(round.commit.as_ref());
        let commit = if round.churned {
            format!("{commit} ({})", page.plain("stopped-churned"))
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
    let table = page.table(&head, rounds.iter().map(row).collect());
    let summary = page.text("stopped-rounds", &[("count", rounds.len().into())]);
    details(&summary, &table)
}

/// What became of a thread.
pub(super) fn reply(page: &Page<'_>, disposition: &Disposition) -> String {
    let (lead, quoted) = match disposition {
        Disposition::Fixed { commit, note } => (
            page.text("reply-fixed", &[("commit", commit.to_string().into())]),
            note,
        ),
        Disposition::Declined { reason } => (page.plain("reply-declined"), reason),
        Disposition::LeftToPerson { reason } => (page.plain("reply-left"), reason),
    };
    let quoted = page.prose(&page.note(quoted));
    // A fence or a list needs a line of its own.
    let apart = if quoted.contains('\n') { "\n\n" } else { " " };
    format!("{lead}{apart}{quoted}").trim_end().to_string()
}

/// Asks people to look again; these are called by name.
pub(super) fn look_again(page: &Page<'_>, logins: &[Login], head: &Sha) -> String {
    let people: Vec<String> = logins.iter().map(|login| page.mention(login)).collect();
    let args = [
        ("people", page.speech.list(&people).into()),
        ("head", text::code_span(head.short()).into()),
    ];
    page.text("look-again", &args)
}

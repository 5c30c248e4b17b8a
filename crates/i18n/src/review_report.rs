//! The report of one review: what was found, what matters most of it, what was looked at and what was not (§8.1). What is long is folded away.

use super::drawing::uses_drawing;
use super::markdown::{MAX_DETAILED_FINDINGS, MarkdownWriter, details_block, escape_cell};
use super::post_body::{coverage_section, dismissed_section, verdict_table};
use collie_core::change_map::{ChangeMap, MappedFile};
use collie_core::coverage::UnseenReason;
use collie_core::finding::{Finding, FindingKind, Priority};
use collie_core::linter_run::LinterOutcome;
use collie_core::look_record::Look;
use collie_core::post::{ReviewOutcome, ReviewReport, VerdictLine};
use collie_core::review::Conclusion;
use collie_core::snapshot::FileChange;
use collie_core::tracked_finding::ReportOnly;
use fluent::FluentValue;
use std::collections::BTreeSet;

/// As many findings are told first.
const MAX_TOP_FINDINGS: usize = 3;
/// A change of fewer files needs no map.
const MIN_MAPPED_FILES: u32 = 3;
/// Fewer uses need no drawing.
const MIN_DRAWN_USES: usize = 3;
/// A change of more lines is not small.
const MAX_SMALL_LINES: u64 = 50;

/// The report of one review.
pub(super) fn review_body(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    let verdict =
        writer
            .localizer
            .consensus_name(report.consensus, report.unread, report.findings.len());
    let args = [
        ("ordinal", report.ordinal.into()),
        ("verdict", verdict.into()),
    ];
    let outcome = ReviewOutcome::of(report).to_comment();
    let mut out = format!(
        "{outcome}\n{}\n",
        writer.heading(&writer.text("report-title", &args))
    );
    let looked = looked_at(writer, report);
    if is_plain_approval(report) {
        let nothing = writer.plain("report-nothing");
        return out + &format!("{looked} {nothing}\n{}", record_lines(writer, report));
    }
    out += &format!("{}\n{looked}\n\n", deciding_rule(writer, report));
    if report.unread {
        out += &format!("{}\n\n", writer.plain("report-unread"));
    }
    out += &findings_section(writer, report);
    if report.unchecked > 0 {
        let args = [("count", report.unchecked.into())];
        out += &format!("\n{}\n", writer.text("report-unchecked", &args));
    }
    if !report.unsure.is_empty() {
        let args = [("count", report.unsure.len().into())];
        let table = unsure_table(writer, &report.unsure);
        out += &details_block(&writer.text("report-unsure", &args), &table);
    }
    if !report.stuck.is_empty() {
        let args = [("count", report.stuck.len().into())];
        let table = writer.findings_table(report.stuck.iter());
        out += &details_block(&writer.text("report-stuck", &args), &table);
    }
    out += &dismissed_section(writer, &report.dismissed);
    out += &map_section(writer, &report.map);
    out += &uses_section(writer, &report.map);
    out += &format!("\n{}", verdicts(writer, report));
    out += &threads_section(writer, report);
    out += &coverage_section(writer, &report.coverage, None);
    for (name, summary) in &report.summaries {
        let args = [("name", writer.quoted_line(name).into())];
        let summary = writer.quoted_markdown(summary);
        if !summary.is_empty() {
            out += &details_block(&writer.text("report-summary", &args), &summary);
        }
    }
    out + &record_lines(writer, report)
}

/// How many threads are open, and which of others.
fn threads_section(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    if report.threads.unresolved_threads == 0 {
        return String::new();
    }
    let args = [
        ("open", report.threads.unresolved_threads.into()),
        ("count", report.threads.total_threads.into()),
    ];
    let counts = writer.text("report-threads", &args);
    let listed = writer.quoted_markdown(&report.open_threads);
    if listed.is_empty() {
        return format!("\n{counts}\n");
    }
    details_block(&counts, &listed)
}

/// Who was shown what changed alone, and what this review leaves for the next one: a line that nobody sees.
fn record_lines(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    let Some(record) = &report.record else {
        return String::new();
    };
    let since = |look: &Look| {
        let since = look.since.as_ref()?;
        let args = [
            ("name", writer.quoted_line(&look.reviewer).into()),
            ("head", since.to_string().into()),
        ];
        Some(format!("\n{}\n", writer.text("report-since", &args)))
    };
    let lines: String = record.looks.iter().filter_map(since).collect();
    format!("{lines}\n{}\n", record.to_line(|text| writer.redact(text)))
}

/// A small change that somebody has read, wholly, and in which nothing was found: there is nothing to tell but that.
fn is_plain_approval(report: &ReviewReport) -> bool {
    let nothing_to_tell = |line: &VerdictLine| {
        let ran = |outcome: &LinterOutcome| matches!(outcome, LinterOutcome::Ran { .. });
        line.left_out.is_none() && line.linters.iter().all(|run| ran(&run.outcome))
    };
    report.consensus == Conclusion::Approve
        && !report.unread
        && report.findings.is_empty()
        && report.stuck.is_empty()
        && report.unsure.is_empty()
        && report.dismissed.is_empty()
        && report.coverage.is_empty()
        && report.threads.unresolved_threads == 0
        && report.verdicts.iter().all(nothing_to_tell)
        && (1..MIN_MAPPED_FILES).contains(&report.map.count)
        && report.map.lines() <= MAX_SMALL_LINES
}

/// What was looked at, and by whom.
fn looked_at(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    let head = ("head", report.head.to_string().into());
    if report.map.is_empty() {
        return writer.text("report-at", &[head]);
    }
    let count = u64::from(report.map.count);
    let files = report.coverage.unseen.iter();
    // The others are no part of what the count is of.
    let unseen = files.filter(|file| file.reason != UnseenReason::TakenOut);
    let unseen = unseen.count() + report.coverage.rules_only.len();
    let unseen = unseen as u64;
    let looked = |line: &&VerdictLine| line.head.as_ref() == Some(&report.head);
    let names: Vec<String> = report
        .verdicts
        .iter()
        .filter(looked)
        .map(|line| writer.quoted_line(&line.name))
        .collect();
    let mut args = vec![
        head,
        ("count", count.into()),
        ("names", writer.localizer.format_list(&names).into()),
    ];
    args.extend(line_counts(writer, &report.map));
    if unseen > 0 {
        args.push(("seen", count.saturating_sub(unseen).into()));
        return writer.text("report-looked-partly", &args);
    }
    writer.text("report-looked", &args)
}

fn line_counts(
    writer: &MarkdownWriter<'_>,
    map: &ChangeMap,
) -> [(&'static str, FluentValue<'static>); 2] {
    let number = |lines| writer.localizer.format_number(lines).into();
    [
        ("added", number(map.additions)),
        ("removed", number(map.deletions)),
    ]
}

/// The rule of A6 that decided, in words: the first that fits.
fn deciding_rule(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    let counts = &report.counts;
    let decided = |key, count: u32| writer.text(key, &[("count", count.into())]);
    if !report.changes_requested_by.is_empty() {
        let names = writer.format_logins_as_code(&report.changes_requested_by);
        writer.text("rule-people", &[("names", names.into())])
    } else if counts.p0_blocking > 0 {
        decided("rule-p0", counts.p0_blocking)
    } else if counts.p1_critical > 0 {
        decided("rule-p1", counts.p1_critical)
    } else if counts.p2_important > 0 {
        decided("rule-p2", counts.p2_important)
    } else if report.unread {
        writer.plain("rule-none-unread")
    } else {
        writer.plain("rule-none")
    }
}

/// The gravest findings, each with a reason; all of them, in full, folded away.
fn findings_section(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    let findings = &report.findings;
    if findings.is_empty() {
        return format!("{}\n", writer.plain("report-nothing"));
    }
    let count = [("count", findings.len().into())];
    let is_question = |finding: &&Finding| finding.kind == FindingKind::Question;
    let labelled = || labelled_findings(report).zip(found_by(report));
    let issues = labelled().filter(|((finding, _), _)| !is_question(finding));
    let questions = labelled().filter(|((finding, _), _)| is_question(finding));
    let top: String = issues
        .chain(questions)
        .take(MAX_TOP_FINDINGS)
        .enumerate()
        .map(|(index, ((finding, label), found_by))| {
            top_finding(writer, (index + 1, finding), label, found_by)
        })
        .collect();
    let details: Vec<String> = findings
        .iter()
        .zip(found_by(report))
        .take(MAX_DETAILED_FINDINGS)
        .map(|(finding, found_by)| writer.full_finding(&by_all(writer, finding, found_by), &[]))
        .collect();
    let details = details.join("\n---\n\n");
    if findings.len() <= MAX_TOP_FINDINGS {
        return top + &details_block(&writer.text("report-findings", &count), &details);
    }
    let all = format!("{}\n{details}", labelled_table(writer, report));
    format!(
        "{}\n\n{top}{}",
        writer.text("report-top", &[("count", MAX_TOP_FINDINGS.into())]),
        details_block(&writer.text("report-all-findings", &count), &all)
    )
}

/// The findings, and of those that are not on their line why.
fn labelled_findings(
    report: &ReviewReport,
) -> impl Iterator<Item = (&Finding, Option<ReportOnly>)> {
    let labels = report.report_only.iter().copied();
    report
        .findings
        .iter()
        .zip(labels.chain(std::iter::repeat(None)))
}

/// Who made each finding, where several tools did.
fn found_by(report: &ReviewReport) -> impl Iterator<Item = &[String]> {
    let names = report.found_by.iter().map(Vec::as_slice);
    names.chain(std::iter::repeat(&[][..]))
}

/// A finding as that of all who made it.
fn by_all(writer: &MarkdownWriter<'_>, finding: &Finding, names: &[String]) -> Finding {
    let mut finding = finding.clone();
    if !names.is_empty() {
        finding.source.name = writer.localizer.format_list(names);
    }
    finding
}

fn found_by_text(writer: &MarkdownWriter<'_>, names: &[String]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| writer.quoted_line(name)).collect();
    let args = [("names", writer.localizer.format_list(&names).into())];
    (!names.is_empty()).then(|| writer.text("finding-found-by", &args))
}

fn labelled_table(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    if report.report_only.iter().all(Option::is_none) {
        return writer.findings_table(report.findings.iter());
    }
    let row = |(finding, label): (&Finding, Option<ReportOnly>)| {
        let mut cells = writer.finding_cells(finding);
        cells.push(label.map_or_else(String::new, |label| writer.localizer.report_only(label)));
        cells
    };
    let head = [
        "post-column-priority",
        "post-column-finding",
        "post-column-where",
        "post-column-report-only",
    ];
    writer.table(&head, labelled_findings(report).map(row).collect())
}

/// Findings that do not count, and how sure somebody is of each.
fn unsure_table(writer: &MarkdownWriter<'_>, findings: &[Finding]) -> String {
    let row = |finding: &Finding| {
        let mut cells = writer.finding_cells(finding);
        cells.push(format!("{} %", finding.confidence.permille() / 10));
        cells
    };
    let head = [
        "post-column-priority",
        "post-column-finding",
        "post-column-where",
        "post-column-sure",
    ];
    writer.table(&head, findings.iter().map(row).collect())
}

fn top_finding(
    writer: &MarkdownWriter<'_>,
    (number, finding): (usize, &Finding),
    label: Option<ReportOnly>,
    found_by: &[String],
) -> String {
    let mut out = format!(
        "{number}. {} {} · {}\n",
        writer.priority_badge(finding),
        writer.quoted_line(&finding.title),
        writer.location(&finding.file, finding.line)
    );
    let reason = writer.quoted_line(first_sentence(&finding.description));
    if !reason.is_empty() {
        out += &format!("   {reason}\n");
    }
    if let Some(names) = found_by_text(writer, found_by) {
        out += &format!("   *{names}*\n");
    }
    if let Some(label) = label {
        let because = writer.plain("post-column-report-only");
        out += &format!("   *{because} {}*\n", writer.localizer.report_only(label));
    }
    out
}

/// The first sentence of a text, of its first line of prose; nothing where it begins with something else.
fn first_sentence(text: &str) -> &str {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    if line.starts_with("```") || line.starts_with(['~', '<', '#', '|', '-', '*', '>', '!', '[']) {
        return "";
    }
    let end = [". ", "! ", "? "].iter().filter_map(|end| line.find(end));
    end.min().map_or(line, |end| &line[..=end])
}

/// The files of the change, the most important first; nothing for a change of one or two.
fn map_section(writer: &MarkdownWriter<'_>, map: &ChangeMap) -> String {
    if map.count < MIN_MAPPED_FILES {
        return String::new();
    }
    let row = |file: &MappedFile| {
        vec![
            escape_cell(&writer.location(&file.path, None)),
            format!("+{} −{}", file.additions, file.deletions),
            file_note(writer, file),
        ]
    };
    let head = ["post-column-where", "post-column-lines", "post-column-note"];
    let mut table = writer.table(&head, map.files.iter().map(row).collect());
    let more = (map.count as usize).saturating_sub(map.files.len());
    if more > 0 {
        let args = [("count", more.into())];
        table += &format!("\n{}\n", writer.text("post-more-rows", &args));
    }
    let mut args = vec![("count", map.count.into())];
    args.extend(line_counts(writer, map));
    details_block(&writer.text("report-map", &args), &table)
}

/// A drawing of who uses what changed; nothing for a use or two, which a sentence says better.
fn uses_section(writer: &MarkdownWriter<'_>, map: &ChangeMap) -> String {
    if map.uses.len() < MIN_DRAWN_USES {
        return String::new();
    }
    let users: BTreeSet<&str> = map.uses.iter().map(|one| one.user.as_str()).collect();
    let args = [("count", users.len().into())];
    details_block(
        &writer.text("report-uses", &args),
        &uses_drawing(writer, map),
    )
}

/// What there is to say of a file in a few words.
fn file_note(writer: &MarkdownWriter<'_>, file: &MappedFile) -> String {
    let change = match file.change {
        FileChange::Added => Some("file-added"),
        FileChange::Deleted => Some("file-deleted"),
        FileChange::Renamed => Some("file-renamed"),
        FileChange::Copied => Some("file-copied"),
        FileChange::Changed => Some("file-mode"),
        FileChange::Modified => None,
    };
    let findings = file.findings.map(|(priority, count)| {
        let args = [
            ("priority", priority_code(priority).into()),
            ("count", count.into()),
        ];
        writer.text("file-findings", &args)
    });
    let unseen = file.unseen.map(|reason| {
        let reason = writer.localizer.unseen_reason(reason);
        writer.text("file-unseen", &[("reason", reason.into())])
    });
    let notes = [findings, unseen, change.map(|key| writer.plain(key))];
    notes.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn priority_code(priority: Priority) -> &'static str {
    match priority {
        Priority::P0 => "P0",
        Priority::P1 => "P1",
        Priority::P2 => "P2",
        Priority::P3 => "P3",
    }
}

/// Each reviewer's verdict; with its head where that is not the one that is reported on.
fn verdicts(writer: &MarkdownWriter<'_>, report: &ReviewReport) -> String {
    let at_head = |line: &VerdictLine| line.head.as_ref().is_none_or(|head| *head == report.head);
    verdict_table(
        writer,
        &report.verdicts,
        !report.verdicts.iter().all(at_head),
    )
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_reason_is_one_sentence_of_prose() {
        for (text, expect) in [
            ("", ""),
            ("\n One. Two.", "One."),
            ("One line\nand another", "One line"),
            ("`x` is read. Then", "`x` is read."),
            ("Version 1.2 breaks. More", "Version 1.2 breaks."),
            ("```py\nx\n```", ""),
            ("- a point. More", ""),
            ("# A heading", ""),
            ("Is it? Yes.", "Is it?"),
        ] {
            assert_eq!(first_sentence(text), expect, "{text:?}");
        }
    }
}

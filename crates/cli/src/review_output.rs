//! A review as `collie review` prints it: in words, as Markdown, as lines of JSON, or with others as SARIF.

use crate::args::ReviewFormat;
use crate::context::Context;
use crate::coverage_lines::file_lines;
use crate::localize;
use crate::sarif::sarif_log;
use crate::terminal_text::TerminalText;
use collie_app::review::{CompletedReview, PostOutcome};
use collie_core::coverage::UnseenFile;
use collie_core::finding::Priority;
use collie_core::session::LeftOut;
use collie_core::text::visible_line;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::usage::Usage;
use collie_engine::ports::RenderedInlineComment;
use collie_wire::UsageView;
use console::Style;
use serde_json::{Value, json};

/// Prints a review.
pub fn print(context: &Context, reviewed: &CompletedReview, dry_run: bool, format: ReviewFormat) {
    match format {
        ReviewFormat::Json => print_json(context, reviewed, dry_run),
        ReviewFormat::Markdown => context.output.print_text(&markdown(reviewed)),
        ReviewFormat::Text => print_review(context, reviewed, dry_run),
        // All of them make one file.
        ReviewFormat::Sarif => {}
    }
}

/// Prints reviews as one SARIF file; nothing where there is none, since a file without runs is nothing that could be uploaded.
pub fn print_sarif(context: &Context, reviews: &[CompletedReview]) {
    if reviews.is_empty() {
        return;
    }
    let made = sarif_log(reviews, &context.output.localizer);
    context.output.print_json(&made.log);
    for remark in made.remarks {
        context.output.print_aside(&TerminalText::plain(remark));
    }
}

/// The report as it is posted, and below it what goes on lines.
pub fn markdown(reviewed: &CompletedReview) -> String {
    let mut text = reviewed.body.clone();
    for comment in &reviewed.comments {
        let place = format!("{}:{}", visible_line(&comment.path), comment.line);
        text.push_str(&format!("\n\n#### `{place}`\n\n"));
        text.push_str(&comment.body);
    }
    text
}

fn print_review(context: &Context, reviewed: &CompletedReview, dry_run: bool) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let bold = Style::new().bold();
    output.print_styled(&TerminalText::styled(&bold, title(context, reviewed)));
    for (tracked, _) in &reviewed.findings {
        output.print_styled(&finding_line(context, tracked));
    }
    let is_earlier = matches!(reviewed.posted, PostOutcome::AlreadyPosted(_));
    if reviewed.findings.is_empty() && !is_earlier {
        output.print_text(&localizer.shared.plain("report-nothing"));
    }
    if reviewed.outcome.unread {
        output.print_text(&localize!(localizer, "cli-unread"));
    }
    print_unseen(context, reviewed);
    if !reviewed.permission_unread.is_empty() {
        let names = reviewed.permission_unread.iter();
        let names: Vec<String> = names.map(|login| format!("@{login}")).collect();
        let names = localizer.shared.format_list(&names);
        output.print_text(&localize!(
            localizer,
            "cli-review-permission-unread",
            names = names
        ));
    }
    if dry_run {
        let title = localize!(localizer, "cli-review-report");
        output.print_text("");
        output.print_styled(&TerminalText::styled(&bold, title));
        output.print_text(&reviewed.body);
        for comment in &reviewed.comments {
            let place = format!("{}:{}", visible_line(&comment.path), comment.line);
            output.print_text("");
            output.print_styled(&TerminalText::styled(&bold, place));
            output.print_text(&comment.body);
        }
        output.print_text("");
    }
    if let Some(usage) = usage_line(context, reviewed.usage) {
        output.print_text(&usage);
    }
    let count = reviewed.comments.len();
    output.print_text(&match reviewed.posted {
        PostOutcome::Posted(_) => localize!(
            localizer,
            "cli-review-posted",
            count = count,
            url = reviewed.url.as_str()
        ),
        PostOutcome::AlreadyPosted(_) => {
            localize!(localizer, "cli-review-before", url = reviewed.url.as_str())
        }
        PostOutcome::NotPosted => localize!(localizer, "cli-review-dry", count = count),
    });
}

/// Pull request, head, verdict, and who looked.
fn title(context: &Context, reviewed: &CompletedReview) -> String {
    let localizer = &context.output.localizer;
    let outcome = &reviewed.outcome;
    let counted = outcome.counts.total() as usize;
    let verdict = localizer
        .shared
        .consensus_name(outcome.conclusion, outcome.unread, counted);
    let (pull, head) = (reviewed.pull.to_string(), reviewed.head.short());
    if reviewed.reviewers.is_empty() {
        return localize!(
            localizer,
            "cli-review-title-earlier",
            pull = pull,
            head = head,
            verdict = verdict,
            count = counted
        );
    }
    localize!(
        localizer,
        "cli-review-title",
        pull = pull,
        head = head,
        verdict = verdict,
        names = localizer.shared.format_list(&reviewed.reviewers)
    )
}

/// What was left out: files that nobody was shown, and material for which there was no room.
fn print_unseen(context: &Context, reviewed: &CompletedReview) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let files: Vec<&UnseenFile> = reviewed.coverage.unseen.iter().collect();
    if !files.is_empty() {
        let title = localize!(
            localizer,
            "cli-unseen",
            count = files.len(),
            head = reviewed.head.short()
        );
        output.print_text(&title);
        for line in file_lines(output, &files) {
            output.print_text(&line);
        }
    }
    for (name, files) in &reviewed.unread_files {
        let text = localize!(
            localizer,
            "cli-review-reading-failed",
            name = visible_line(name),
            files = visible_line(&files.join(", "))
        );
        output.print_text(&text);
    }
    for (name, left_out) in &reviewed.left_out {
        let text = localize!(
            localizer,
            "cli-review-left-out",
            name = visible_line(name),
            count = left_out.parts,
            files = left_out.files.join(", ")
        );
        output.print_text(&text);
    }
}

/// What the review took in tokens and money; none where no model was asked.
fn usage_line(context: &Context, usage: Usage) -> Option<String> {
    let localizer = &context.output.localizer.shared;
    if usage.input_tokens + usage.output_tokens == 0 {
        return None;
    }
    let args = [
        ("input", localizer.format_number(usage.input_tokens).into()),
        (
            "output",
            localizer.format_number(usage.output_tokens).into(),
        ),
        ("cost", localizer.format_cost(usage.cost()).into()),
    ];
    Some(localizer.text("proof-cost", &args))
}

/// One finding in one line: priority, place, title.
fn finding_line(context: &Context, tracked: &TrackedFinding) -> TerminalText {
    let finding = &tracked.finding;
    let style = match finding.priority {
        Priority::P0 | Priority::P1 => Style::new().red(),
        Priority::P2 => Style::new().yellow(),
        Priority::P3 => Style::new().dim(),
    };
    let place = match (finding.file.as_str(), finding.line) {
        ("", _) => context.output.localizer.shared.plain("post-nowhere"),
        (file, Some(line)) => format!("{file}:{line}"),
        (file, None) => file.to_owned(),
    };
    let mut line = TerminalText::styled(&style, format!("{:?}", finding.priority));
    let words = [&place, &finding.title, &finding.source.name];
    let [place, title, by] = words.map(|text| visible_line(text));
    line.push(format!("  {place}  {title} ({by})"));
    line
}

fn print_json(context: &Context, reviewed: &CompletedReview, dry_run: bool) {
    let output = &context.output;
    for (tracked, comment) in &reviewed.findings {
        output.print_json(&finding_json(tracked, comment.as_ref()));
    }
    for tracked in &reviewed.unsure {
        output.print_json(&finding_json(tracked, None));
    }
    let mut line = review_json(reviewed);
    if let Some(fields) = line.as_object_mut() {
        fields.insert("dry_run".into(), dry_run.into());
    }
    output.print_json(&line);
}

/// What a review came to.
pub fn review_json(reviewed: &CompletedReview) -> Value {
    let (posted, id) = match reviewed.posted {
        PostOutcome::Posted(id) => (true, Some(id)),
        PostOutcome::AlreadyPosted(id) => (false, Some(id)),
        PostOutcome::NotPosted => (false, None),
    };
    json!({
        "type": "review",
        "key": reviewed.pull.to_string(),
        "head_sha": reviewed.head,
        "url": reviewed.url,
        "reviewers": reviewed.reviewers,
        "conclusion": reviewed.outcome.conclusion,
        "counts": reviewed.outcome.counts,
        "unread": reviewed.outcome.unread,
        "changes_requested": reviewed.outcome.changes_requested,
        "unseen": reviewed.coverage.unseen,
        "rules_only": reviewed.coverage.rules_only,
        "unread_files": reviewed.unread_files.iter().map(|(name, files)| json!({"reviewer": name, "files": files})).collect::<Vec<_>>(),
        "permission_unread": reviewed.permission_unread,
        "left_out": reviewed.left_out.iter().map(left_out_json).collect::<Vec<_>>(),
        "usage": UsageView::from(&reviewed.usage),
        "body": reviewed.body,
        "posted": posted,
        "already_posted": matches!(reviewed.posted, PostOutcome::AlreadyPosted(_)),
        "review_id": id,
    })
}

/// What a reviewer was not shown for lack of space.
fn left_out_json((name, left_out): &(String, LeftOut)) -> Value {
    json!({
        "reviewer": name,
        "parts": left_out.parts,
        "tokens": left_out.tokens,
        "files": left_out.files,
    })
}

/// A finding (A1) with its identity, and what is said on its line.
pub fn finding_json(tracked: &TrackedFinding, comment: Option<&RenderedInlineComment>) -> Value {
    let mut line = serde_json::to_value(&tracked.finding).expect("findings are plain data");
    if let Some(fields) = line.as_object_mut() {
        fields.insert("type".into(), "finding".into());
        fields.insert("fingerprint".into(), tracked.fingerprint.as_str().into());
        fields.insert("comment".into(), comment.map(|c| c.body.as_str()).into());
        fields.insert("status".into(), json!(tracked.status));
        if let Some(label) = tracked.report_only {
            fields.insert("report_only".into(), label.code().into());
        }
        if tracked.is_agreed() {
            fields.insert("also_found_by".into(), json!(tracked.also_found_by));
        }
    }
    line
}

//! `collie review`: one review of a pull request, posted or only shown.

use crate::args::ReviewArgs;
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::localize;
use crate::loop_format;
use crate::terminal_text::TerminalText;
use collie_app::auth;
use collie_app::engine_client::local::EngineSetup;
use collie_app::review::{CompletedReview, PostOutcome, ReviewOptions, ReviewProgress, review};
use collie_config::LiveConfig;
use collie_core::error_code::ErrorCode;
use collie_core::finding::Priority;
use collie_core::ids::PullName;
use collie_core::text::visible_line;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ports::RenderedInlineComment;
use collie_reviewers::activity::ActivityRegistry;
use collie_wire::UsageView;
use console::Style;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often the spinner turns.
const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

/// Reviews once; 0 whatever the verdict.
pub async fn run(context: &Context, args: ReviewArgs) -> Result<u8, UserError> {
    let output = &context.output;
    if args.has_model_flag() && context.config.llm.is_none() {
        return Err(UserError::new(ErrorCode::ReviewNoModel));
    }
    let mut interrupt = Interrupt::listen();
    let activities: Arc<ActivityRegistry> = Arc::default();
    let mut activity_changes = activities.subscribe();
    let wiring = EngineSetup {
        sandbox_supervisor: collie_sandbox::own_program(),
        config: LiveConfig::new(context.config.clone()),
        tokens: auth::token_source(&context.config).await,
        activities: activities.clone(),
    };
    let options = ReviewOptions {
        pull: PullName {
            repo: args.repo.0.clone(),
            number: args.number,
        },
        dry_run: args.dry_run,
        prefer_model: args.names_model(),
    };
    let spinner = spinner(context);
    let show = |text: String| output.show_progress(&spinner, &TerminalText::plain(text));
    let on_progress = |progress: ReviewProgress<'_>| {
        show(progress_text(context, &options.pull, progress));
    };
    let cancel = CancellationToken::new();
    let work = review(wiring, &options, &on_progress, &cancel);
    tokio::pin!(work);
    let result = loop {
        tokio::select! {
            made = &mut work => break made,
            deed = activity_changes.recv() => {
                let workers = deed.map_or_else(|_| Vec::new(), |id| activities.workers_on(&id));
                if !workers.is_empty() {
                    show(loop_format::workers_text(&output.localizer, &workers));
                }
            }
            () = interrupt.wait() => {
                cancel.cancel();
                break work.await;
            }
        }
    };
    spinner.finish_and_clear();
    let reviewed = result?;
    if output.json {
        print_json(context, &reviewed, args.dry_run);
    } else {
        print_review(context, &reviewed, args.dry_run);
    }
    Ok(0)
}

/// Shows how far it is where a person watches.
fn spinner(context: &Context) -> ProgressBar {
    if !context.output.is_interactive() {
        return ProgressBar::hidden();
    }
    let template = "{spinner} {msg}  {elapsed}";
    let style = ProgressStyle::with_template(template).expect("a plain template");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.enable_steady_tick(SPINNER_INTERVAL);
    spinner
}

fn progress_text(context: &Context, pull: &PullName, progress: ReviewProgress<'_>) -> String {
    let localizer = &context.output.localizer;
    match progress {
        ReviewProgress::Reading => {
            localize!(localizer, "cli-review-reading", pull = pull.to_string())
        }
        ReviewProgress::Reviewing(names) => {
            localize!(
                localizer,
                "cli-review-looking",
                names = localizer.shared.format_list(names)
            )
        }
        ReviewProgress::Posting => localize!(localizer, "cli-review-posting"),
    }
}

fn print_review(context: &Context, reviewed: &CompletedReview, dry_run: bool) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let bold = Style::new().bold();
    let verdict = localizer.shared.consensus_name(
        reviewed.consensus.conclusion,
        reviewed.unread,
        reviewed.findings.len(),
    );
    let title = localize!(
        localizer,
        "cli-review-title",
        pull = reviewed.pull.to_string(),
        head = reviewed.head.short(),
        verdict = verdict,
        names = localizer.shared.format_list(&reviewed.reviewers)
    );
    output.print_styled(&TerminalText::styled(&bold, title));
    for (tracked, _) in &reviewed.findings {
        output.print_styled(&finding_line(context, tracked));
    }
    if reviewed.findings.is_empty() {
        output.print_text(&localizer.shared.plain("report-nothing"));
    }
    if reviewed.unread {
        output.print_text(&localize!(localizer, "cli-unread"));
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
    let (posted, id) = match reviewed.posted {
        PostOutcome::Posted(id) => (true, Some(id)),
        PostOutcome::AlreadyPosted(id) => (false, Some(id)),
        PostOutcome::NotPosted => (false, None),
    };
    output.print_json(&json!({
        "type": "review",
        "key": reviewed.pull.to_string(),
        "head_sha": reviewed.head,
        "url": reviewed.url,
        "reviewers": reviewed.reviewers,
        "conclusion": reviewed.consensus.conclusion,
        "counts": reviewed.consensus.counts,
        "unread": reviewed.unread,
        "usage": UsageView::from(&reviewed.usage),
        "body": reviewed.body,
        "dry_run": dry_run,
        "posted": posted,
        "review_id": id,
    }));
}

/// A finding (A1) with its identity, and what is said on its line.
fn finding_json(tracked: &TrackedFinding, comment: Option<&RenderedInlineComment>) -> Value {
    let mut line = serde_json::to_value(&tracked.finding).expect("findings are plain data");
    if let Some(fields) = line.as_object_mut() {
        fields.insert("type".into(), "finding".into());
        fields.insert("fingerprint".into(), tracked.fingerprint.as_str().into());
        fields.insert("comment".into(), comment.map(|c| c.body.as_str()).into());
        fields.insert("status".into(), json!(tracked.status));
        if let Some(label) = tracked.report_only {
            fields.insert("report_only".into(), label.code().into());
        }
    }
    line
}

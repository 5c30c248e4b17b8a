//! `collie review`: one review of a pull request, posted or only shown.

use crate::args::ReviewArgs;
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::paint;
use crate::problem::Problem;
use crate::say;
use collie_app::activity::Activities;
use collie_app::assemble::Wiring;
use collie_app::config::LiveConfig;
use collie_app::connect;
use collie_app::review::{Asked, Posted, Progress, ReviewError, Reviewed, review};
use collie_core::ids::PullName;
use collie_core::model::TrackedFinding;
use collie_core::shapes::Priority;
use collie_engine::ports::RenderedInline;
use console::Style;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often the spinner turns.
const TICK: Duration = Duration::from_millis(100);

/// Reviews once; 0 whatever the verdict.
pub async fn run(context: &Context, args: ReviewArgs) -> Result<u8, Problem> {
    let out = &context.out;
    if args.has_model_flag() && context.config.llm.is_none() {
        return Err(Problem::new(
            "configuration",
            "no language model is set up for these flags: name one with --llm-provider and --model, or in [llm] of config.toml",
        ));
    }
    let mut interrupt = Interrupt::listen();
    let activities: Arc<Activities> = Arc::default();
    let mut deeds = activities.subscribe();
    let wiring = Wiring {
        config: LiveConfig::new(context.config.clone()),
        tokens: connect::token_source(&context.config).await,
        activities: activities.clone(),
    };
    let asked = Asked {
        pull: PullName {
            repo: args.repo.0.clone(),
            number: args.number,
        },
        dry_run: args.dry_run,
        on_model: args.names_model(),
    };
    let spinner = spinner(context);
    let tell = |progress: Progress<'_>| spinner.set_message(words(context, &asked.pull, progress));
    let cancel = CancellationToken::new();
    let work = review(wiring, &asked, &tell, &cancel);
    tokio::pin!(work);
    let made = loop {
        tokio::select! {
            made = &mut work => break made,
            deed = deeds.recv() => {
                let workers = deed.map_or_else(|_| Vec::new(), |id| activities.of(&id));
                if !workers.is_empty() {
                    spinner.set_message(paint::doing(&out.say, &workers));
                }
            }
            () = interrupt.wait() => {
                cancel.cancel();
                break work.await;
            }
        }
    };
    spinner.finish_and_clear();
    let reviewed = made.map_err(|error| problem(context, error))?;
    if out.json {
        print_json(context, &reviewed, args.dry_run);
    } else {
        print(context, &reviewed, args.dry_run);
    }
    Ok(0)
}

/// Shows how far it is where a person watches.
fn spinner(context: &Context) -> ProgressBar {
    if !context.out.is_live() {
        return ProgressBar::hidden();
    }
    let template = "{spinner} {msg}  {elapsed}";
    let style = ProgressStyle::with_template(template).expect("a plain template");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.enable_steady_tick(TICK);
    spinner
}

fn words(context: &Context, pull: &PullName, progress: Progress<'_>) -> String {
    let say = &context.out.say;
    match progress {
        Progress::Reading => say!(say, "cli-review-reading", pull = pull.to_string()),
        Progress::Reviewing(names) => {
            say!(say, "cli-review-looking", names = say.speech.list(names))
        }
        Progress::Posting => say!(say, "cli-review-posting"),
    }
}

fn problem(context: &Context, error: ReviewError) -> Problem {
    let say = &context.out.say;
    match &error {
        ReviewError::Connect(_) => crate::ask::no_token(context, error),
        ReviewError::GitHub(_) => Problem::new("github", error),
        ReviewError::Folder(_) => Problem::new("data_folder", error),
        ReviewError::Store(_) => Problem::new("store", error),
        ReviewError::Git { .. } | ReviewError::Place { .. } => {
            let hint = say!(say, "cli-hint-doctor");
            Problem::new("git", error).hint(hint)
        }
        ReviewError::Denied { .. } => {
            let file = collie_app::home::config_file(&context.data);
            let hint = say!(say, "cli-hint-allow", file = file.display().to_string());
            Problem::new("refused", error).hint(hint)
        }
        ReviewError::NotOpen { .. } | ReviewError::Unsubmitted { .. } => {
            Problem::new("refused", error)
        }
        ReviewError::Policy { .. } => Problem::new("configuration", error),
        ReviewError::Reviewer { .. } => {
            let hint = say!(say, "cli-hint-doctor");
            Problem::new("review", error).hint(hint)
        }
        ReviewError::Stopped { .. } => Problem::new("stopped", error),
    }
}

fn print(context: &Context, reviewed: &Reviewed, dry_run: bool) {
    let (out, say) = (&context.out, &context.out.say);
    let bold = Style::new().bold();
    let verdict = say.speech.verdict(Some(reviewed.consensus.conclusion));
    let title = say!(
        say,
        "cli-review-title",
        pull = reviewed.pull.to_string(),
        head = reviewed.head.short(),
        verdict = verdict,
        names = say.speech.list(&reviewed.reviewers)
    );
    out.words(&bold.apply_to(title).to_string());
    for (tracked, _) in &reviewed.findings {
        out.words(&finding_line(context, tracked));
    }
    if reviewed.findings.is_empty() {
        out.words(&say.speech.plain("report-nothing"));
    }
    if dry_run {
        out.words(&format!(
            "\n{}",
            bold.apply_to(say!(say, "cli-review-report"))
        ));
        out.words(&reviewed.body);
        for comment in &reviewed.comments {
            let place = format!("{}:{}", comment.path, comment.line);
            out.words(&format!("\n{}\n{}", bold.apply_to(place), comment.body));
        }
        out.words("");
    }
    let usage = &reviewed.usage;
    if usage.input_tokens + usage.output_tokens > 0 {
        let args = [
            ("input", say.speech.number(usage.input_tokens).into()),
            ("output", say.speech.number(usage.output_tokens).into()),
            ("cost", say.speech.money(usage.cost_micros).into()),
        ];
        out.words(&say.speech.text("proof-cost", &args));
    }
    let count = reviewed.comments.len();
    out.words(&match reviewed.posted {
        Posted::Now(_) => say!(
            say,
            "cli-review-posted",
            count = count,
            url = reviewed.url.as_str()
        ),
        Posted::Before(_) => say!(say, "cli-review-before", url = reviewed.url.as_str()),
        Posted::Nothing => say!(say, "cli-review-dry", count = count),
    });
}

/// One finding in one line: priority, place, title.
fn finding_line(context: &Context, tracked: &TrackedFinding) -> String {
    let finding = &tracked.finding;
    let style = match finding.priority {
        Priority::P0 | Priority::P1 => Style::new().red(),
        Priority::P2 => Style::new().yellow(),
        Priority::P3 => Style::new().dim(),
    };
    let place = match (finding.file.as_str(), finding.line) {
        ("", _) => context.out.say.speech.plain("post-nowhere"),
        (file, Some(line)) => format!("{file}:{line}"),
        (file, None) => file.to_owned(),
    };
    let priority = style.apply_to(format!("{:?}", finding.priority));
    format!(
        "{priority}  {}  {} ({})",
        one_line(&place),
        one_line(&finding.title),
        finding.source.name
    )
}

/// What others wrote, without what could steer a terminal.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

fn print_json(context: &Context, reviewed: &Reviewed, dry_run: bool) {
    let out = &context.out;
    for (tracked, comment) in &reviewed.findings {
        out.line(&finding_json(tracked, comment.as_ref()));
    }
    let usage = &reviewed.usage;
    // Costs are far below the 2^53 micro-dollars that a float holds exactly.
    let cost = usage.cost_micros as f64 / 1_000_000.0;
    let (posted, id) = match reviewed.posted {
        Posted::Now(id) => (true, Some(id)),
        Posted::Before(id) => (false, Some(id)),
        Posted::Nothing => (false, None),
    };
    out.line(&json!({
        "type": "review",
        "key": reviewed.pull.to_string(),
        "head_sha": reviewed.head,
        "url": reviewed.url,
        "reviewers": reviewed.reviewers,
        "conclusion": reviewed.consensus.conclusion,
        "counts": reviewed.consensus.counts,
        "usage": {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost_usd": cost,
        },
        "body": reviewed.body,
        "dry_run": dry_run,
        "posted": posted,
        "review_id": id,
    }));
}

/// A finding (A1) with its identity, and what is said on its line.
fn finding_json(tracked: &TrackedFinding, comment: Option<&RenderedInline>) -> Value {
    let mut line = serde_json::to_value(&tracked.finding).expect("findings are plain data");
    if let Some(fields) = line.as_object_mut() {
        fields.insert("type".into(), "finding".into());
        fields.insert("fingerprint".into(), tracked.fingerprint.as_str().into());
        fields.insert("comment".into(), comment.map(|c| c.body.as_str()).into());
    }
    line
}

//! `collie review`: one review of a pull request, posted or only shown.

use crate::args::{FailOn, ReviewArgs, ReviewFormat};
use crate::context::Context;
use crate::error_output::print_error;
use crate::interrupt::Interrupt;
use crate::localize;
use crate::loop_format;
use crate::review_output;
use crate::terminal_text::TerminalText;
use collie_app::auth;
use collie_app::engine_client::local::EngineSetup;
use collie_app::review::{CompletedReview, ReviewOptions, ReviewPayer, ReviewProgress, review};
use collie_config::LiveConfig;
use collie_core::error_code::ErrorCode;
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use collie_reviewers::activity::ActivityRegistry;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often the spinner turns.
const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

/// Exit status where a finding counts that `--fail-on` names (§14: a person is needed).
const EXIT_FINDINGS: u8 = 3;
/// Exit status where a review came to nothing.
const EXIT_FAILED: u8 = 1;

/// Reviews each pull request once. Without `--fail-on` 0 whatever the verdict; of several the worst: 1, 3, 0.
pub async fn run(context: &Context, args: ReviewArgs) -> Result<u8, UserError> {
    if args.model.has_model_flag() && context.config.llm.is_none() {
        return Err(UserError::new(ErrorCode::ReviewNoModel));
    }
    let mut interrupt = Interrupt::listen();
    let cancel = CancellationToken::new();
    let mut statuses = Vec::new();
    for number in &args.numbers {
        let reviewed = review_one(context, &args, *number, &mut interrupt, &cancel).await;
        statuses.push(match reviewed {
            Ok(reviewed) => {
                review_output::print(context, &reviewed, args.dry_run, args.format);
                status_of(&reviewed, args.fail_on)
            }
            // The only one is reported as any error of a command is.
            Err(error) if args.numbers.len() == 1 => return Err(error),
            Err(error) => {
                print_error(&error, &context.output);
                EXIT_FAILED
            }
        });
        if cancel.is_cancelled() {
            break;
        }
    }
    let worst = [EXIT_FAILED, EXIT_FINDINGS].into_iter();
    Ok(worst
        .into_iter()
        .find(|status| statuses.contains(status))
        .unwrap_or(0))
}

fn status_of(reviewed: &CompletedReview, fail_on: Option<FailOn>) -> u8 {
    match fail_on {
        Some(priority) if priority.is_reached(&reviewed.outcome.counts) => EXIT_FINDINGS,
        Some(_) | None => 0,
    }
}

async fn review_one(
    context: &Context,
    args: &ReviewArgs,
    number: u64,
    interrupt: &mut Interrupt,
    cancel: &CancellationToken,
) -> Result<CompletedReview, UserError> {
    let output = &context.output;
    let activities: Arc<ActivityRegistry> = Arc::default();
    let mut activity_changes = activities.subscribe();
    let wiring = EngineSetup {
        sandbox_supervisor: collie_sandbox::own_program(),
        config: LiveConfig::new(context.config.clone()),
        tokens: auth::token_source(&context.config).await,
        activities: activities.clone(),
        keys: auth::model_keys::machine_keys(),
    };
    let options = ReviewOptions {
        pull: PullName {
            repo: args.repo.0.clone(),
            number,
        },
        dry_run: args.dry_run,
        prefer_model: args.model.names_model(),
        payer: ReviewPayer::DataFolder,
    };
    let spinner = spinner(context, args.format);
    let show = |text: String| output.show_progress(&spinner, &TerminalText::plain(text));
    let on_progress = |progress: ReviewProgress<'_>| {
        show(progress_text(context, &options.pull, progress));
    };
    let work = review(wiring, &options, &on_progress, cancel);
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
    Ok(result?)
}

/// Shows how far it is where a person watches.
fn spinner(context: &Context, format: ReviewFormat) -> ProgressBar {
    if format != ReviewFormat::Text || !context.output.is_interactive() {
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

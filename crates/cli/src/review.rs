//! `collie review`: one review of each pull request, posted or only shown.

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
use collie_app::review::{
    CompletedReview, Posting, ReviewOptions, ReviewPanel, ReviewPayer, ReviewProgress, review,
};
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

/// Exit status where `--fail-on` is given and a person is needed (§14): a finding counts that it names, for one.
const EXIT_FINDINGS: u8 = 3;
/// Exit status where a review came to nothing.
const EXIT_FAILED: u8 = 1;

/// Reviews each pull request once. Without `--fail-on` 0 whatever the verdict; of several the worst: 1, 3, 0.
pub async fn run(context: &Context, args: ReviewArgs) -> Result<u8, UserError> {
    require_model(context, args.model.has_model_flag())?;
    let mut interrupt = Interrupt::listen();
    let cancel = CancellationToken::new();
    let mut statuses = Vec::new();
    let mut reviews = Vec::new();
    // Names that lack their repository are refused with the command line.
    let pulls = args.named_pulls().unwrap_or_default();
    let is_watched = args.format == ReviewFormat::Text && context.output.is_interactive();
    for pull in &pulls {
        let options = review_options(&args, pull);
        let reviewed = review_one(context, &options, is_watched, &mut interrupt, &cancel).await;
        statuses.push(match reviewed {
            Ok(reviewed) => {
                review_output::print(context, &reviewed, args.dry_run, args.format);
                let status = status_of(&reviewed, args.fail_on);
                reviews.push(reviewed);
                status
            }
            // The only one is reported as any error of a command is.
            Err(error) if pulls.len() == 1 => return Err(error),
            Err(error) => {
                print_error(&error, &context.output);
                EXIT_FAILED
            }
        });
        if cancel.is_cancelled() {
            break;
        }
    }
    if args.format == ReviewFormat::Sarif {
        review_output::print_sarif(context, &reviews);
    }
    let worst = [EXIT_FAILED, EXIT_FINDINGS].into_iter();
    Ok(worst
        .into_iter()
        .find(|status| statuses.contains(status))
        .unwrap_or(0))
}

/// Refuses flags about a model where none is set up.
pub fn require_model(context: &Context, has_model_flag: bool) -> Result<(), UserError> {
    match has_model_flag && context.config.llm.is_none() {
        true => Err(UserError::new(ErrorCode::ReviewNoModel)),
        false => Ok(()),
    }
}

fn review_options(args: &ReviewArgs, pull: &PullName) -> ReviewOptions {
    ReviewOptions {
        pull: pull.clone(),
        posting: match args.dry_run {
            true => Posting::DryRun,
            false => Posting::IfAllowed,
        },
        panel: match args.model.names_model() {
            true => ReviewPanel::PreferModel,
            false => ReviewPanel::Configured,
        },
        // A file without results would tell code scanning that everything was fixed.
        look_again: args.format == ReviewFormat::Sarif,
        payer: ReviewPayer::DataFolder,
    }
}

/// The exit status of one review. With `--fail-on` a person is needed too where one requested changes, and where text was shown to nobody.
pub fn status_of(reviewed: &CompletedReview, fail_on: Option<FailOn>) -> u8 {
    let outcome = &reviewed.outcome;
    let needs_person = outcome.changes_requested || outcome.unseen > 0;
    match fail_on {
        Some(priority) if needs_person || priority.is_reached(&outcome.counts) => EXIT_FINDINGS,
        Some(_) | None => 0,
    }
}

/// What a review of this machine's account works with.
pub async fn review_setup(context: &Context, activities: Arc<ActivityRegistry>) -> EngineSetup {
    context.engine_setup(auth::token_source(&context.config).await, activities)
}

/// Reviews one pull request; shows how far it is where a person watches.
pub async fn review_one(
    context: &Context,
    options: &ReviewOptions,
    is_watched: bool,
    interrupt: &mut Interrupt,
    cancel: &CancellationToken,
) -> Result<CompletedReview, UserError> {
    let output = &context.output;
    let activities: Arc<ActivityRegistry> = Arc::default();
    let mut activity_changes = activities.subscribe();
    let wiring = review_setup(context, activities.clone()).await;
    let spinner = match is_watched {
        true => spinner(),
        false => ProgressBar::hidden(),
    };
    let show = |text: String| output.show_progress(&spinner, &TerminalText::plain(text));
    let on_progress = |progress: ReviewProgress<'_>| {
        show(progress_text(context, &options.pull, progress));
    };
    let work = review(wiring, options, &on_progress, cancel);
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

fn spinner() -> ProgressBar {
    let template = "{spinner} {msg}  {elapsed}";
    let style = ProgressStyle::with_template(template).expect("a plain template");
    let spinner = ProgressBar::new_spinner().with_style(style);
    spinner.enable_steady_tick(SPINNER_INTERVAL);
    spinner
}

/// How far a review is, in words.
pub fn progress_text(context: &Context, pull: &PullName, progress: ReviewProgress<'_>) -> String {
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

//! `collie action`: one review of the pull request that a GitHub workflow runs for (§18.4).
//!
//! What the runner hands over are the [variables](https://docs.github.com/en/actions/reference/workflows-and-actions/variables) of
//! `action.rs`'s [`Runner`], and what it takes are lines of the log that are
//! [commands](https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands).

use crate::args::{ActionArgs, ReviewFormat};
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::localize;
use crate::review::{require_model, review_one, status_of};
use crate::review_output::{self, markdown};
use crate::sarif::{level, sarif_log};
use crate::workflow_event::WorkflowEvent;
use collie_app::review::{
    CompletedReview, PostOutcome, Posting, ReviewOptions, ReviewPanel, ReviewPayer,
};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::text::{escape_json, visible_block, visible_line};
use collie_core::tracked_finding::TrackedFinding;
use collie_core::user_error::UserError;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Annotations of one level that GitHub shows of a step.
const MAX_ANNOTATIONS: usize = 10;
/// A step's summary that is larger is not shown at all.
const MAX_SUMMARY_BYTES: usize = 1024 * 1024;
/// What a summary that is too long ends with.
const CUT: &str = "\n\n…\n";

/// What the runner tells of the workflow.
struct Runner {
    event: WorkflowEvent,
    summary: PathBuf,
    output: PathBuf,
}

impl Runner {
    fn read() -> Result<Self, UserError> {
        let event = WorkflowEvent::read(
            Path::new(&variable("GITHUB_EVENT_PATH")?),
            &variable("GITHUB_EVENT_NAME")?,
            &variable("GITHUB_REPOSITORY")?,
            &variable("GITHUB_ACTOR").unwrap_or_default(),
        )?;
        Ok(Self {
            event,
            summary: variable("GITHUB_STEP_SUMMARY")?.into(),
            output: variable("GITHUB_OUTPUT")?.into(),
        })
    }
}

fn variable(name: &str) -> Result<String, UserError> {
    let value = collie_hardening::variable(name).filter(|value| !value.trim().is_empty());
    value.ok_or_else(|| {
        UserError::new(ErrorCode::ActionEnvironment)
            .with("name", name)
            .hint(ErrorHint::ActionDocs)
    })
}

/// Reviews the pull request of the workflow. Exit status as that of `collie review`.
pub async fn run(context: &Context, args: ActionArgs) -> Result<u8, UserError> {
    let runner = Runner::read()?;
    let pull = runner.event.pull(args.pull_request)?;
    let has_no_secrets = runner.event.has_no_secrets();
    if !has_no_secrets {
        require_model(context, args.model.has_model_flag())?;
    }
    let options = ReviewOptions {
        pull,
        posting: match args.dry_run || has_no_secrets {
            true => Posting::DryRun,
            false => Posting::OwnAccount,
        },
        panel: match (has_no_secrets, args.model.names_model()) {
            (true, _) => ReviewPanel::RulesAlone,
            (false, true) => ReviewPanel::PreferModel,
            (false, false) => ReviewPanel::Configured,
        },
        look_again: args.sarif.is_some(),
        payer: ReviewPayer::DataFolder,
    };
    let mut interrupt = Interrupt::listen();
    let cancel = CancellationToken::new();
    let reviewed = review_one(context, &options, false, &mut interrupt, &cancel).await?;
    let status = status_of(&reviewed, args.fail_on);
    tell(context, &reviewed, has_no_secrets);
    let note = has_no_secrets.then(|| localize!(context.output.localizer, "cli-action-fork"));
    append(&runner.summary, &summary(&reviewed, note.as_deref()))?;
    if let Some(file) = &args.sarif {
        write_sarif(context, &reviewed, file)?;
    }
    append(
        &runner.output,
        &outputs(&reviewed, args.sarif.as_deref(), has_no_secrets),
    )?;
    Ok(status)
}

/// Tells what was found in the log: as annotations, and in words that steer no runner.
fn tell(context: &Context, reviewed: &CompletedReview, has_no_secrets: bool) {
    let output = &context.output;
    if output.json {
        let is_dry = reviewed.posted == PostOutcome::NotPosted;
        review_output::print(context, reviewed, is_dry, ReviewFormat::Json);
        return;
    }
    if has_no_secrets {
        let text = localize!(output.localizer, "cli-action-fork");
        output.print_text(&command("notice", &[], &text));
    }
    let findings: Vec<&TrackedFinding> = reviewed.findings.iter().map(|(one, _)| one).collect();
    for line in annotations(&findings) {
        output.print_text(&line);
    }
    // Whatever others wrote: no line of it is a command, until the runner reads this word that they cannot know.
    let word = format!("{:032x}", rand::random::<u128>());
    output.print_text(&format!("::stop-commands::{word}"));
    review_output::print(context, reviewed, false, ReviewFormat::Text);
    output.print_text(&format!("::{word}::"));
}

/// The findings that have a line as commands, as many of each level as GitHub shows.
fn annotations(findings: &[&TrackedFinding]) -> Vec<String> {
    let annotated = ["error", "warning", "note"].map(|wanted| {
        findings
            .iter()
            .filter(move |tracked| level(tracked.finding.priority) == wanted)
            .filter(|tracked| !tracked.finding.file.is_empty())
            .take(MAX_ANNOTATIONS)
            .map(|tracked| annotation(tracked))
    });
    annotated.into_iter().flatten().collect()
}

fn annotation(tracked: &TrackedFinding) -> String {
    let finding = &tracked.finding;
    let name = match level(finding.priority) {
        "note" => "notice",
        name => name,
    };
    let line = finding.line.unwrap_or(1).to_string();
    let title = format!("{:?} {}", finding.priority, visible_line(&finding.title));
    let properties = [
        ("file", finding.file.as_str()),
        ("line", &line),
        ("title", &title),
    ];
    let text = match finding.description.trim() {
        "" => &finding.title,
        text => text,
    };
    command(name, &properties, &visible_block(text))
}

/// A command for the runner, on one line.
fn command(name: &str, properties: &[(&str, &str)], text: &str) -> String {
    let escaped = |text: &str| {
        let text = text.replace('%', "%25");
        text.replace('\r', "%0D").replace('\n', "%0A")
    };
    let properties: Vec<String> = properties
        .iter()
        .map(|(key, value)| {
            let value = escaped(value).replace(':', "%3A").replace(',', "%2C");
            format!("{key}={value}")
        })
        .collect();
    let gap = match properties.is_empty() {
        true => "",
        false => " ",
    };
    format!("::{name}{gap}{}::{}", properties.join(","), escaped(text))
}

/// The report for the step's summary, at most as long as GitHub shows.
fn summary(reviewed: &CompletedReview, note: Option<&str>) -> String {
    let note = note.map(|note| format!("> {note}\n\n")).unwrap_or_default();
    let mut text = format!("{note}{}\n", markdown(reviewed));
    if text.len() > MAX_SUMMARY_BYTES {
        let end = text.floor_char_boundary(MAX_SUMMARY_BYTES - CUT.len());
        text.truncate(end);
        text.push_str(CUT);
    }
    text
}

/// What later steps of the workflow read. No value has a line of its own, so none can name another.
fn outputs(reviewed: &CompletedReview, sarif: Option<&Path>, rules_alone: bool) -> String {
    let counts = &reviewed.outcome.counts;
    let (posted, id) = match reviewed.posted {
        PostOutcome::Posted(id) => (true, id.to_string()),
        PostOutcome::AlreadyPosted(id) => (false, id.to_string()),
        PostOutcome::NotPosted => (false, String::new()),
    };
    let conclusion = serde_json::to_value(reviewed.outcome.conclusion);
    let conclusion = conclusion
        .ok()
        .and_then(|it| it.as_str().map(str::to_owned));
    let sarif = sarif.map(|path| path.display().to_string());
    let values = [
        ("conclusion", conclusion.unwrap_or_default()),
        ("findings", counts.total().to_string()),
        ("p0", counts.p0_blocking.to_string()),
        ("p1", counts.p1_critical.to_string()),
        ("p2", counts.p2_important.to_string()),
        ("p3", counts.p3_suggestion.to_string()),
        ("head-sha", reviewed.head.to_string()),
        ("posted", posted.to_string()),
        ("review-id", id),
        ("rules-alone", rules_alone.to_string()),
        ("unread", reviewed.outcome.unread.to_string()),
        ("sarif", sarif.unwrap_or_default().replace(['\r', '\n'], "")),
    ];
    let lines = values
        .iter()
        .map(|(name, value)| format!("{name}={value}\n"));
    lines.collect()
}

fn unwritable(path: &Path) -> impl Fn(std::io::Error) -> UserError {
    move |error| {
        UserError::new(ErrorCode::FileNotSaved)
            .with("path", path.display())
            .with("message", error)
    }
}

fn append(path: &Path, text: &str) -> Result<(), UserError> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(unwritable(path))
}

fn write_sarif(
    context: &Context,
    reviewed: &CompletedReview,
    path: &Path,
) -> Result<(), UserError> {
    let made = sarif_log(std::slice::from_ref(reviewed), &context.output.localizer);
    for remark in &made.remarks {
        context.output.print_text(&command("warning", &[], remark));
    }
    let text = escape_json(&made.log.to_string()).into_owned();
    std::fs::write(path, text).map_err(unwritable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_begins_a_command_of_its_own() {
        let hostile = "one%\r\n::error::two,three:four";
        let line = command("notice", &[("title", hostile), ("file", "a,b:c")], hostile);
        assert_eq!(
            line,
            "::notice title=one%25%0D%0A%3A%3Aerror%3A%3Atwo%2Cthree%3Afour,file=a%2Cb%3Ac::one%25%0D%0A::error::two,three:four"
        );
        assert_eq!(line.lines().count(), 1);
        assert_eq!(command("notice", &[], "a"), "::notice::a");
    }
}

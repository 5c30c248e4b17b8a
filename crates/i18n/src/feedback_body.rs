//! What people are told who said something in a comment: outside of threads, or to Collie itself (§7).

use super::markdown::{MarkdownWriter, numbered};
use super::post_body::{finding_history, reply_body, status_key};
use collie_core::command::Command;
use collie_core::post::{AnsweredRemark, CommandOutcome, Explanation};
use collie_core::text;

/// Answers to what was said outside of threads, each below what it answers.
pub(super) fn answers_body(
    writer: &MarkdownWriter<'_>,
    items: &[AnsweredRemark],
    asks_person: bool,
) -> String {
    let mut out = String::new();
    if asks_person {
        let args = [
            ("count", items.len().into()),
            ("command", own_command(&Command::Done).into()),
        ];
        out += &format!("{}\n\n", writer.text("answers-left", &args));
    }
    let one = |item: &AnsweredRemark| {
        let author = writer.format_logins_as_code(std::slice::from_ref(&item.author));
        let quote = writer.quoted_line(&item.title);
        let said = format!("> {author}: {quote}");
        match asks_person {
            true => said,
            false => format!("{said}\n\n{}", reply_body(writer, &item.disposition)),
        }
    };
    let told: Vec<String> = items.iter().map(one).collect();
    out + &told.join("\n\n")
}

/// What became of a command.
pub(super) fn command_body(
    writer: &MarkdownWriter<'_>,
    command: &Command,
    outcome: &CommandOutcome,
) -> String {
    let said = match command {
        Command::Unknown { words } => text::code_span(&writer.quoted_line(words)),
        known => own_command(known),
    };
    let state = |state| writer.localizer.state_name(state).into();
    match outcome {
        CommandOutcome::Stopped => writer.plain("command-stopped"),
        CommandOutcome::HasEnded { state: ended } => {
            writer.text("command-has-ended", &[("state", state(*ended))])
        }
        CommandOutcome::NotAllowed => writer.plain("command-not-allowed"),
        CommandOutcome::Restarted => writer.plain("command-restarted"),
        CommandOutcome::StillRunning { state: stands } => {
            writer.text("command-still-running", &[("state", state(*stands))])
        }
        CommandOutcome::Explained { told } => explanation(writer, told),
        CommandOutcome::NoSuchFinding { number } => {
            let name = format!("F-{number}");
            writer.text("command-no-finding", &[("finding", name.into())])
        }
        CommandOutcome::NeedsThread => {
            writer.text("command-needs-thread", &[("command", said.into())])
        }
        CommandOutcome::Settled { count } => {
            writer.text("command-settled", &[("count", (*count).into())])
        }
        CommandOutcome::Unknown => {
            let known = [
                Command::Stop,
                Command::Retry,
                Command::Explain { number: 3 },
                Command::FixThis,
                Command::Done,
            ];
            let known = known.each_ref().map(own_command);
            let args = [
                ("command", said.into()),
                ("known", writer.localizer.format_list(&known).into()),
            ];
            writer.text("command-unknown", &args)
        }
    }
}

/// A command of Collie's as code; what is quoted would be defused, and could not be copied.
fn own_command(command: &Command) -> String {
    format!("`/collie {}`", command.words())
}

fn explanation(writer: &MarkdownWriter<'_>, told: &Explanation) -> String {
    let finding = numbered(told.number, &told.finding.finding);
    let args = [(
        "status",
        writer.plain(status_key(told.finding.status)).into(),
    )];
    let status = writer.text("explain-status", &args);
    let mut notes = vec![status];
    notes.extend(finding_history(writer, &told.finding));
    writer.full_finding(&finding, &notes)
}

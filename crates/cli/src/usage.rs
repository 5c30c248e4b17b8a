//! The command line's own words: help, and what is wrong with a command line, in the reader's language.
//!
//! clap speaks English alone: help texts are put into its commands from `locales/*/usage.ftl`, and its errors are read by what
//! they are about.

use crate::localize::CliLocalizer;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::error::Error as _;

/// The command with every help text in a language.
pub fn localized(mut command: Command, localizer: &CliLocalizer) -> Command {
    // What clap adds by itself is there once it is built.
    command.build();
    localize_command(command, localizer, "")
}

fn localize_command(command: Command, localizer: &CliLocalizer, path: &str) -> Command {
    let key = |name: &str| format!("usage{path}-{name}");
    let template = localizer.text("usage-template", &[]) + "\n";
    let mut command = command
        .about(localizer.text(&key("about"), &[]))
        .help_template(template)
        .subcommand_help_heading(localizer.text("usage-commands", &[]))
        .mut_args(|arg| localize_arg(arg, localizer, &key));
    let names: Vec<String> = (command.get_subcommands())
        .map(|subcommand| subcommand.get_name().to_owned())
        .collect();
    for name in names {
        command = command.mut_subcommand(&name, |subcommand| {
            // Every command's `help` is the same, and lists the commands once more.
            let path = match name.as_str() {
                _ if path == "-help" => path.to_owned(),
                "help" => "-help".to_owned(),
                name => format!("{path}-{name}"),
            };
            localize_command(subcommand, localizer, &path)
        });
    }
    command
}

/// Ids of the arguments that every command takes: their help is written once.
const EVERYWHERE: [&str; 5] = ["json", "home", "lang", "help", "version"];

fn localize_arg(arg: Arg, localizer: &CliLocalizer, key: &impl Fn(&str) -> String) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    let key = match EVERYWHERE.contains(&id.as_str()) {
        true => format!("usage-arg-{id}"),
        false => key(&format!("arg-{id}")),
    };
    let mut help = localizer.text(&key, &[]);
    let values: Vec<String> = (arg.get_possible_values().iter())
        .filter(|value| arg.get_action().takes_values() && !value.is_hide_set())
        .map(|value| value.get_name().to_owned())
        .collect();
    let defaults: Vec<String> = (arg.get_default_values().iter())
        .filter(|_| arg.get_action().takes_values())
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    for (key, words) in [("usage-values", values), ("usage-default", defaults)] {
        if !words.is_empty() {
            help.push(' ');
            help.push_str(&localizer.text(key, &[("values", words.join(", ").into())]));
        }
    }
    let has_long_help = arg.get_long_help().is_some();
    let arg = arg
        .help(help.clone())
        .hide_possible_values(true)
        .hide_default_value(true);
    if has_long_help {
        arg.long_help(help)
    } else {
        arg
    }
}

/// What is wrong with a command line; none where help or the version was asked for.
pub fn usage_error(error: &clap::Error) -> Option<UserError> {
    let text = |kind| context_text(error, kind);
    let cause = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::DisplayVersion => return None,
        ErrorKind::UnknownArgument => UserError::new(ErrorCode::UsageUnknownArgument)
            .with("arg", text(ContextKind::InvalidArg))
            .with_nearest(nearest(error, ContextKind::SuggestedArg)),
        ErrorKind::InvalidSubcommand => UserError::new(ErrorCode::UsageUnknownCommand)
            .with("name", text(ContextKind::InvalidSubcommand))
            .with_nearest(nearest(error, ContextKind::SuggestedSubcommand)),
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
            UserError::new(ErrorCode::UsageMissingValue).with("arg", text(ContextKind::InvalidArg))
        }
        ErrorKind::InvalidValue => UserError::new(ErrorCode::UsageInvalidValue)
            .with("arg", text(ContextKind::InvalidArg))
            .with("value", text(ContextKind::InvalidValue))
            .with("known", text(ContextKind::ValidValue))
            .with_nearest(nearest(error, ContextKind::SuggestedValue)),
        ErrorKind::ValueValidation => bad_value(error),
        ErrorKind::MissingRequiredArgument => {
            UserError::new(ErrorCode::UsageMissing).with("args", text(ContextKind::InvalidArg))
        }
        ErrorKind::MissingSubcommand => UserError::new(ErrorCode::UsageMissingCommand)
            .with("known", text(ContextKind::ValidSubcommand)),
        ErrorKind::ArgumentConflict => UserError::new(ErrorCode::UsageConflict)
            .with("arg", text(ContextKind::InvalidArg))
            .with("other", text(ContextKind::PriorArg)),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues | ErrorKind::NoEquals => {
            UserError::new(ErrorCode::UsageMissingValue).with("arg", text(ContextKind::InvalidArg))
        }
        // Not of our making, or of a later version of clap.
        _ => UserError::new(ErrorCode::UsageOther),
    };
    let usage = text(ContextKind::Usage);
    let usage = usage.trim_start_matches("Usage:").trim();
    let wrong = UserError::new(ErrorCode::Usage)
        .with_arg("cause", cause)
        .hint(ErrorHint::Usage);
    Some(match usage {
        "" => wrong,
        usage => wrong.with_causes(vec![
            UserError::new(ErrorCode::UsageLine).with("usage", usage),
        ]),
    })
}

/// A value that its reader refuses, with the reader's reason where it is one of ours.
fn bad_value(error: &clap::Error) -> UserError {
    let refused = UserError::new(ErrorCode::UsageBadValue)
        .with("arg", context_text(error, ContextKind::InvalidArg))
        .with("value", context_text(error, ContextKind::InvalidValue));
    match error.source().and_then(|source| source.downcast_ref()) {
        Some(reason) => refused.with_causes(vec![UserError::clone(reason)]),
        None => refused,
    }
}

fn nearest(error: &clap::Error, kind: ContextKind) -> Option<String> {
    Some(context_text(error, kind)).filter(|word| !word.is_empty())
}

/// What an error is about, without colours; several are joined with commas.
fn context_text(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        Some(ContextValue::StyledStrs(texts)) => {
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            texts.join(", ")
        }
        Some(ContextValue::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory as _;

    /// Every help of a command and those below it, in a row.
    fn helps(command: &mut Command, found: &mut Vec<String>) {
        found.push(command.render_long_help().to_string());
        for subcommand in command.get_subcommands_mut() {
            helps(subcommand, found);
        }
    }

    #[test]
    fn help_is_whole_in_every_language() {
        for language in ["en", "fr"] {
            let mut command = localized(Cli::command(), &CliLocalizer::new(language));
            let mut found = Vec::new();
            helps(&mut command, &mut found);
            assert!(found.len() > 10);
            for help in &found {
                assert!(!help.contains("No localization"), "{language}: {help}");
                assert!(!help.contains("usage-"), "{language}: {help}");
                if language == "fr" {
                    for english in [
                        "Usage:",
                        "Commands:",
                        "Print ",
                        "possible values",
                        "default:",
                    ] {
                        assert!(!help.contains(english), "{english}: {help}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_has_its_words_in_every_language() {
        let lines: [&[&str]; 9] = [
            &["collie", "watch", "--untilsettled", "a/b#1"],
            &["collie", "statis"],
            &["collie", "--lang", "de", "status"],
            &["collie", "start", "a"],
            &["collie", "start"],
            &["collie", "forge"],
            &["collie", "review", "1", "--repo"],
            &["collie", "doctor", "--rebuild", "--rebuild"],
            &[
                "collie",
                "review",
                "1",
                "--repo",
                "a/b",
                "--max-tokens",
                "1",
            ],
        ];
        for line in lines {
            for language in ["en", "fr"] {
                let localizer = CliLocalizer::new(language);
                let error = localized(Cli::command(), &localizer)
                    .try_get_matches_from(line)
                    .expect_err("it is wrong");
                let Some(error) = usage_error(&error) else {
                    // Help, since nothing was said.
                    assert_eq!(line, ["collie", "forge"]);
                    continue;
                };
                let text = localizer.shared.error_text(&error);
                assert!(
                    !text.contains("No localization") && !text.contains("{$"),
                    "{text}"
                );
                assert!(!text.contains("Usage") || language == "en", "{text}");
            }
        }
    }
}

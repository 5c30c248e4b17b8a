//! The `collie` command, for its own program and for the desktop app's, which is the same under another name.

mod account;
mod action;
mod approve;
mod args;
mod backup;
mod context;
mod coverage_lines;
mod demo;
mod doctor;
mod error_output;
mod eval;
mod eval_args;
mod eval_report;
mod forge;
mod insights;
mod interrupt;
mod localize;
mod loop_display;
mod loop_format;
mod mcp;
mod memory;
mod model_args;
mod models;
#[cfg(feature = "restate")]
mod move_loops;
mod output;
mod pause;
mod persons_word;
mod replay;
mod requests;
mod review;
mod review_output;
mod rules;
mod runner;
mod sarif;
mod seen;
mod serve;
mod status;
#[cfg(feature = "restate")]
mod telemetry;
mod terminal_text;
mod trust;
mod usage;
mod views;
mod watch;
#[cfg(feature = "restate")]
mod worker;
mod workflow_event;

#[cfg(feature = "restate")]
use args::LoopEngine;
use args::{Cli, Command, ResumeArgs};
use clap::{CommandFactory as _, FromArgMatches as _};
use collie_app::logging::OtherLayer;
use collie_config::{ConfigLayer, DataFolder};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_engine::ports::LoopRequest;
use collie_i18n::Language;
use context::Context;
use error_output::print_error;
use eval_args::EvalCommand;
use localize::CliLocalizer;
use output::Output;
use std::process::ExitCode;

pub use interrupt::Interrupt;

/// Exit status of a command line that cannot be understood (§14).
const EXIT_USAGE: u8 = 2;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let cli = match parse_command_line() {
        Ok(cli) => cli,
        Err(error) => return print_usage_error(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = UserError::new(ErrorCode::NoThreads).with("message", error);
            print_error(&error, &context::output_before_config(&cli.common));
            return ExitCode::from(1);
        }
    };
    let common = cli.common.clone();
    let status = runtime.block_on(run(cli)).unwrap_or_else(|error| {
        // In the configured language, unless the configuration is what is wrong.
        let output = Context::load(&common).map_or_else(
            |_| context::output_before_config(&common),
            |context| context.output,
        );
        print_error(&error, &output);
        1
    });
    // What still blocks, such as a read of a terminal, does not keep the process.
    runtime.shutdown_background();
    ExitCode::from(status)
}

/// Reads the command line, with help in the language of the flag or of the terminal.
fn parse_command_line() -> Result<Cli, clap::Error> {
    let localizer = CliLocalizer::new(language_before_parsing());
    let mut command = usage::localized(Cli::command(), &localizer);
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches)
        .and_then(Cli::normalized)
        .map_err(|error| error.format(&mut command))
}

/// The language that `--lang` names, wherever it stands, else the terminal's.
fn language_before_parsing() -> &'static str {
    let args: Vec<String> = std::env::args().collect();
    let named = args
        .iter()
        .enumerate()
        .find_map(|(at, arg)| match arg.as_str() {
            "--lang" => args.get(at + 1).map(String::as_str),
            arg => arg.strip_prefix("--lang="),
        });
    named
        .and_then(Language::parse)
        .map_or_else(context::terminal_language, Language::code)
}

/// Says what is wrong with the command line; help and version are no errors.
fn print_usage_error(error: &clap::Error) -> ExitCode {
    match usage::usage_error(error) {
        Some(wrong) => {
            let output = Output {
                json: std::env::args_os().any(|argument| argument == "--json"),
                localizer: CliLocalizer::new(language_before_parsing()),
            };
            print_error(&wrong, &output);
            ExitCode::from(EXIT_USAGE)
        }
        // Where nobody reads, nothing can be said.
        None => {
            drop(error.print());
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(EXIT_USAGE))
        }
    }
}

async fn run(cli: Cli) -> Result<u8, UserError> {
    let common = cli.common;
    match cli.command {
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "collie", &mut std::io::stdout());
            Ok(0)
        }
        Command::Forge(command) => {
            forge::run(&context::output_before_config(&common), command).await
        }
        Command::Rules(command) => rules::run(&context::output_before_config(&common), command),
        Command::Demo(args) => demo::run(&common, args).await,
        Command::Watch(args) => {
            let context = load_with_diagnostics(&common)?;
            watch::run(&context, args).await
        }
        Command::Serve(args) => {
            let context = Context::load(&common)?;
            let to = if args.log_to_stderr {
                None
            } else {
                Some(&context.data)
            };
            let to = to.cloned();
            let keep = move |others| keep_diagnostics(to.as_ref(), others);
            #[cfg(feature = "restate")]
            if args.engine == LoopEngine::Restate {
                let work = serve::run(context, args);
                return telemetry::measured(telemetry::SERVER, keep, work).await;
            }
            keep(Vec::new());
            serve::run(context, args).await
        }
        Command::Runner(args) => runner::run(&load_with_diagnostics(&common)?, args).await,
        #[cfg(feature = "restate")]
        Command::Worker(args) => {
            let context = Context::load(&common)?;
            let keep = |others| keep_diagnostics(Some(&context.data), others);
            telemetry::measured(telemetry::WORKER, keep, worker::run(&context, args)).await
        }
        #[cfg(feature = "restate")]
        Command::Move(args) => move_loops::run(&load_with_diagnostics(&common)?, args).await,
        Command::RunnerToken(args) => {
            let output = context::output_before_config(&common);
            runner::token(&output, &context::data_folder(&common)?, args)
        }
        Command::Start(args) => {
            let (pull, autonomy) = (args.pull, None);
            ask(&common, LoopRequest::Start { pull, autonomy }).await
        }
        Command::Cancel(args) => ask(&common, LoopRequest::Cancel { pull: args.pull }).await,
        Command::Retry(args) => ask(&common, LoopRequest::Retry { pull: args.pull }).await,
        Command::Resume(args) => {
            let ResumeArgs { pull, rounds } = args;
            let rounds = rounds.unwrap_or_default();
            ask(&common, LoopRequest::Resume { pull, rounds }).await
        }
        Command::Dismiss(args) => {
            persons_word::dismiss(&load_with_diagnostics(&common)?, args).await
        }
        Command::Note(args) => persons_word::note(&load_with_diagnostics(&common)?, args).await,
        Command::Trust(args) => trust::trust(&load_with_diagnostics(&common)?, args).await,
        Command::Allow(args) => trust::allow(&load_with_diagnostics(&common)?, args).await,
        Command::Approve(args) => approve::approve(&load_with_diagnostics(&common)?, args).await,
        Command::Reject(args) => approve::reject(&load_with_diagnostics(&common)?, args).await,
        Command::Pause => pause::set(&load_with_diagnostics(&common)?, true).await,
        Command::Unpause => pause::set(&load_with_diagnostics(&common)?, false).await,
        Command::Seen(args) => seen::run(&load_with_diagnostics(&common)?, args).await,
        Command::Insights(args) => insights::run(&load_with_diagnostics(&common)?, args).await,
        Command::Account(command) => account::run(&load_with_diagnostics(&common)?, command).await,
        Command::Memory(command) => memory::run(&load_with_diagnostics(&common)?, command).await,
        Command::Backup(args) => {
            let context = Context::load(&common)?;
            backup::backup(&context.output, &context.data, args).await
        }
        // The configuration is in the backup.
        Command::Restore(args) => {
            let output = context::output_before_config(&common);
            backup::restore(&output, &context::data_folder(&common)?, args).await
        }
        Command::Status(args) => status::status(&Context::load(&common)?, args.pull.as_ref()).await,
        Command::Replay(args) => replay::run(&Context::load(&common)?, args).await,
        Command::Log(args) => status::log(&Context::load(&common)?, &args).await,
        Command::Review(args) => {
            review::run(&load_with_flags(&common, args.model.layer())?, args).await
        }
        Command::Action(args) => {
            action::run(&load_with_flags(&common, args.model.layer())?, args).await
        }
        Command::Mcp(args) => mcp::run(load_with_diagnostics(&common)?, &args).await,
        Command::Models(args) => models::run(&Context::load(&common)?, args).await,
        Command::Eval(command) => run_eval(&common, command).await,
        Command::Doctor(args) if args.rebuild => doctor::rebuild(&Context::load(&common)?).await,
        Command::Doctor(_) => doctor::run(&Context::load(&common)?).await,
    }
}

/// Leaves a request for the engine of the data folder.
async fn ask(common: &args::CommonArgs, request: LoopRequest) -> Result<u8, UserError> {
    requests::run(&load_with_diagnostics(common)?, request).await
}

async fn run_eval(common: &args::CommonArgs, command: EvalCommand) -> Result<u8, UserError> {
    eval::run(&load_with_flags(common, command.layer())?, command).await
}

/// The surroundings of a command that acts: its diagnostics are kept.
fn load_with_diagnostics(common: &args::CommonArgs) -> Result<Context, UserError> {
    Context::load(common).map(start_diagnostics)
}

/// The same with a command's own flags over the configuration.
fn load_with_flags(common: &args::CommonArgs, flags: ConfigLayer) -> Result<Context, UserError> {
    Context::load_with(common, flags).map(start_diagnostics)
}

fn start_diagnostics(context: Context) -> Context {
    keep_diagnostics(Some(&context.data), Vec::new());
    context
}

/// Keeps diagnostics in a data folder, or on standard error without one.
fn keep_diagnostics(data: Option<&DataFolder>, others: Vec<OtherLayer>) {
    let kept = match data {
        Some(data) => collie_app::logging::init_with(data, others),
        None => collie_app::logging::init_to_stderr(others),
    };
    // A log that cannot be written is no reason not to work; the data folder says so itself if it is the cause.
    if let Err(reason) = kept {
        tracing::debug!(reason, "no diagnostics are kept");
    }
}

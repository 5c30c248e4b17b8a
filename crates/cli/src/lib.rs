//! The `collie` command, for its own program and for the desktop app's, which is the same under another name.

mod args;
mod cli_error;
mod context;
mod demo;
mod doctor;
mod forge;
mod interrupt;
mod localize;
mod loop_display;
mod loop_format;
mod output;
mod requests;
mod review;
mod status;
mod watch;

use args::{Cli, Command};
use clap::{CommandFactory as _, Parser as _};
use cli_error::CliError;
use collie_engine::ports::LoopRequest;
use context::Context;
use localize::CliLocalizer;
use output::Output;
use std::process::ExitCode;

/// Exit status of a command line that cannot be understood (§14).
const EXIT_USAGE: u8 = 2;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage_error(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            CliError::new("system", format!("no threads can be started: {error}"))
                .print(&context::output_before_config(&cli.common));
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
        error.print(&output);
        1
    });
    // What still blocks, such as a read of a terminal, does not keep the process.
    runtime.shutdown_background();
    ExitCode::from(status)
}

/// Says what is wrong with the command line; help and version are no errors.
fn usage_error(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let output = Output {
            json: true,
            localizer: CliLocalizer::new(context::terminal_language()),
        };
        let text = error.to_string();
        let text = text.trim_start_matches("error: ").trim_end();
        CliError::new("usage", text).print(&output);
        return ExitCode::from(EXIT_USAGE);
    }
    // Where nobody reads, nothing can be said.
    drop(error.print());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(EXIT_USAGE))
}

async fn run(cli: Cli) -> Result<u8, CliError> {
    let common = cli.common;
    match cli.command {
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "collie", &mut std::io::stdout());
            Ok(0)
        }
        Command::Forge(command) => {
            forge::run(&context::output_before_config(&common), command).await
        }
        Command::Demo(args) => demo::run(&common, args).await,
        Command::Watch(args) => {
            let context = load_with_diagnostics(&common)?;
            watch::run(&context, args).await
        }
        Command::Start(args) => {
            requests::run(
                &load_with_diagnostics(&common)?,
                LoopRequest::Start { pull: args.pull },
            )
            .await
        }
        Command::Cancel(args) => {
            requests::run(
                &load_with_diagnostics(&common)?,
                LoopRequest::Cancel { pull: args.pull },
            )
            .await
        }
        Command::Retry(args) => {
            requests::run(
                &load_with_diagnostics(&common)?,
                LoopRequest::Retry { pull: args.pull },
            )
            .await
        }
        Command::Resume(args) => {
            requests::run(
                &load_with_diagnostics(&common)?,
                LoopRequest::Resume { pull: args.pull },
            )
            .await
        }
        Command::Status(args) => status::status(&Context::load(&common)?, args.pull.as_ref()).await,
        Command::Log(args) => status::log(&Context::load(&common)?, &args.pull).await,
        Command::Review(args) => {
            let context = start_diagnostics(Context::load_with(&common, args.layer())?);
            review::run(&context, args).await
        }
        Command::Doctor(args) if args.rebuild => doctor::rebuild(&Context::load(&common)?).await,
        Command::Doctor(_) => doctor::run(&Context::load(&common)?).await,
    }
}

/// The surroundings of a command that acts: its diagnostics are kept.
fn load_with_diagnostics(common: &args::CommonArgs) -> Result<Context, CliError> {
    Context::load(common).map(start_diagnostics)
}

fn start_diagnostics(context: Context) -> Context {
    // A log that cannot be written is no reason not to work; the data folder says so itself if it is the cause.
    if let Err(reason) = collie_app::logging::init(&context.data) {
        tracing::debug!(reason, "no diagnostics are kept");
    }
    context
}

//! The `collie` command, for its own program and for the desktop app's, which is the same under another name.

mod args;
mod ask;
mod context;
mod demo;
mod doctor;
mod forge;
mod interrupt;
mod output;
mod paint;
mod problem;
mod review;
mod say;
mod show;
mod status;
mod watch;

use args::{Cli, Command};
use clap::{CommandFactory as _, Parser as _};
use collie_engine::ports::Request;
use context::Context;
use output::Output;
use problem::Problem;
use say::Say;
use std::process::ExitCode;

/// Exit status of a command line that cannot be understood (§14).
const USAGE: u8 = 2;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misunderstood(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            Problem::new("system", format!("no threads can be started: {error}"))
                .print(&context::first_output(&cli.common));
            return ExitCode::from(1);
        }
    };
    let common = cli.common.clone();
    let status = runtime.block_on(run(cli)).unwrap_or_else(|problem| {
        // In the configured language, unless the configuration is what is wrong.
        let out = Context::load(&common).map_or_else(|_| context::first_output(&common), |c| c.out);
        problem.print(&out);
        1
    });
    // What still blocks, such as a read of a terminal, does not keep the process.
    runtime.shutdown_background();
    ExitCode::from(status)
}

/// Says what is wrong with the command line; help and version are no errors.
fn misunderstood(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let out = Output {
            json: true,
            say: Say::new(context::terminal_language()),
        };
        let text = error.to_string();
        let text = text.trim_start_matches("error: ").trim_end();
        Problem::new("usage", text).print(&out);
        return ExitCode::from(USAGE);
    }
    // Where nobody reads, nothing can be said.
    drop(error.print());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

async fn run(cli: Cli) -> Result<u8, Problem> {
    let common = cli.common;
    match cli.command {
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "collie", &mut std::io::stdout());
            Ok(0)
        }
        Command::Forge(command) => forge::run(&context::first_output(&common), command).await,
        Command::Demo(args) => demo::run(&common, args).await,
        Command::Watch(args) => {
            let context = traced(&common)?;
            watch::run(&context, args).await
        }
        Command::Start(args) => {
            ask::run(&traced(&common)?, Request::Start { pull: args.pull }).await
        }
        Command::Cancel(args) => {
            ask::run(&traced(&common)?, Request::Cancel { pull: args.pull }).await
        }
        Command::Retry(args) => {
            ask::run(&traced(&common)?, Request::Retry { pull: args.pull }).await
        }
        Command::Resume(args) => {
            ask::run(&traced(&common)?, Request::Resume { pull: args.pull }).await
        }
        Command::Status(args) => status::status(&Context::load(&common)?, args.pull.as_ref()).await,
        Command::Log(args) => status::log(&Context::load(&common)?, &args.pull).await,
        Command::Review(args) => {
            let context = keep_trace(Context::load_with(&common, args.layer())?);
            review::run(&context, args).await
        }
        Command::Doctor(args) if args.rebuild => doctor::rebuild(&Context::load(&common)?).await,
        Command::Doctor(_) => doctor::run(&Context::load(&common)?).await,
    }
}

/// The surroundings of a command that acts: its diagnostics are kept.
fn traced(common: &args::Common) -> Result<Context, Problem> {
    Context::load(common).map(keep_trace)
}

fn keep_trace(context: Context) -> Context {
    // A log that cannot be written is no reason not to work; the data folder says so itself if it is the cause.
    if let Err(reason) = collie_app::trace::start(&context.data) {
        tracing::debug!(reason, "no diagnostics are kept");
    }
    context
}

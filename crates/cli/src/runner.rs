//! `collie runner` and `collie runner-token`: sessions of a server that run on this machine, and who may take them (§18.1).

use crate::args::{RunnerArgs, RunnerTokenArgs};
use crate::context::{self, Context};
use crate::interrupt::Interrupt;
use crate::localize;
use crate::output::Output;
use collie_app::auth;
use collie_app::runner::{RunnerEvent, RunnerSetup};
use collie_config::{DataFolder, LiveConfig, data_paths};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_runners::{RunnerClient, RunnerSecrets};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// What a runner shows its server.
const RUNNER_TOKEN: &str = "COLLIE_RUNNER_TOKEN";

/// Takes sessions until it is told to stop; gives the exit status.
pub async fn run(context: &Context, args: RunnerArgs) -> Result<u8, UserError> {
    let mut interrupt = Interrupt::listen();
    context::require_git().await?;
    let client = RunnerClient::new(&args.server, secret(args.token_file.as_deref())?)?;
    let setup = RunnerSetup {
        client,
        name: args.name.unwrap_or_default(),
        folder: data_paths::runner_folder(&context.data),
        config: LiveConfig::new(context.config.clone()),
        sandbox_supervisor: collie_sandbox::own_program(),
        keys: auth::model_keys::machine_keys(),
        once: args.once,
    };
    let output = &context.output;
    let stop = CancellationToken::new();
    let tell = |event: RunnerEvent| tell(output, &args.server, event);
    let running = collie_app::runner::run(setup, &stop, &tell);
    tokio::pin!(running);
    tokio::select! {
        ended = &mut running => ended?,
        () = interrupt.wait() => {
            stop.cancel();
            running.await?;
        }
    }
    say(
        output,
        &json!({"type": "stopped"}),
        &localize!(output.localizer, "cli-runner-stopped"),
    );
    Ok(0)
}

/// Makes, lists or revokes secrets of runners; gives the exit status.
pub fn token(output: &Output, data: &DataFolder, args: RunnerTokenArgs) -> Result<u8, UserError> {
    let secrets = RunnerSecrets::in_file(data_paths::runners_file(data));
    let Some(name) = args.name else {
        for name in secrets.names()? {
            say(output, &json!({"name": name}), &name);
        }
        return Ok(0);
    };
    if !args.revoke {
        // Alone on its line: it is piped into a file.
        let secret = secrets.add(&name)?;
        say(output, &json!({"name": name, "token": secret}), &secret);
        return Ok(0);
    }
    let had = secrets.revoke(&name)?;
    let text = match had {
        true => localize!(output.localizer, "cli-runner-revoked", name = &name),
        false => localize!(output.localizer, "cli-runner-none", name = &name),
    };
    say(output, &json!({"name": name, "revoked": had}), &text);
    Ok(u8::from(!had))
}

fn secret(file: Option<&Path>) -> Result<SecretString, UserError> {
    let missing = |place: &str, message: String| {
        UserError::new(ErrorCode::RunnerSecretMissing)
            .with("place", place)
            .with("message", message)
            .hint(ErrorHint::ServerDocs)
    };
    let text = match file {
        Some(file) => {
            let place = file.display().to_string();
            let read = std::fs::read_to_string(file);
            let text = read.map_err(|error| missing(&place, error.to_string()))?;
            match text.trim() {
                "" => return Err(missing(&place, "it is empty".to_owned())),
                text => text.to_owned(),
            }
        }
        None => {
            let found = collie_hardening::variable(RUNNER_TOKEN);
            let found = found.filter(|value| !value.trim().is_empty());
            found.ok_or_else(|| missing(RUNNER_TOKEN, "it is not set".to_owned()))?
        }
    };
    Ok(SecretString::from(text.trim().to_owned()))
}

fn tell(output: &Output, server: &str, event: RunnerEvent) {
    let localizer = &output.localizer;
    let (line, text) = match event {
        RunnerEvent::Waiting => (
            json!({"type": "waiting", "server": server}),
            localize!(localizer, "cli-runner-waits", server = server),
        ),
        RunnerEvent::Away { message } => (
            json!({"type": "away", "message": message}),
            localize!(localizer, "cli-runner-away", message = message),
        ),
        RunnerEvent::Began { pull, work } => (
            json!({"type": "began", "pull": pull, "work": work}),
            localize!(localizer, "cli-runner-began", pull = &pull, work = work),
        ),
        RunnerEvent::HandedIn { pull } => (
            json!({"type": "handed_in", "pull": pull}),
            localize!(localizer, "cli-runner-handed-in", pull = &pull),
        ),
        RunnerEvent::Failed { pull, error } => {
            let reason = localizer.shared.error_text(&error);
            (
                json!({"type": "failed", "pull": pull, "code": error.code.as_str(), "message": reason}),
                localize!(
                    localizer,
                    "cli-runner-failed",
                    pull = &pull,
                    reason = reason
                ),
            )
        }
        RunnerEvent::Over { pull } => (
            json!({"type": "over", "pull": pull}),
            localize!(localizer, "cli-runner-over", pull = &pull),
        ),
        RunnerEvent::GivenBack { pull } => (
            json!({"type": "given_back", "pull": pull}),
            localize!(localizer, "cli-runner-given-back", pull = &pull),
        ),
    };
    say(output, &line, &text);
}

fn say(output: &Output, line: &Value, text: &str) {
    match output.json {
        true => output.print_json(line),
        false => output.print_text(text),
    }
}

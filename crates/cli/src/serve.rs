//! `collie serve`: runs the engine, and serves it to a team.

#[cfg(feature = "restate")]
use crate::args::LoopEngine;
use crate::args::ServeArgs;
use crate::context::{self, Context};
use crate::interrupt::Interrupt;
use crate::localize;
#[cfg(feature = "restate")]
use crate::views;
use collie_app::auth::keychain::Keychain;
use collie_app::backend::{Backend, BackendOptions, CredentialScope};
use collie_app::engine_client::LoopsPlace;
use collie_config::{ConfigLayer, data_paths};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
#[cfg(feature = "restate")]
use collie_host_restate::RestateLoops;
use collie_runners::{RunnerQueue, RunnerSecrets};
use collie_server::{RunnerAccess, Server, ServerOptions};
use secrecy::SecretString;
use serde_json::json;
use std::sync::Arc;

/// What asks for the metrics carries it.
const METRICS_TOKEN: &str = "COLLIE_METRICS_TOKEN";
/// What GitHub signs deliveries of webhooks with.
const WEBHOOK_SECRET: &str = "COLLIE_WEBHOOK_SECRET";
/// A file that holds it.
const WEBHOOK_SECRET_FILE: &str = "COLLIE_WEBHOOK_SECRET_FILE";
/// The name of an entry of the keychain that holds it.
const WEBHOOK_SECRET_KEYCHAIN: &str = "COLLIE_WEBHOOK_SECRET_KEYCHAIN";
/// With webhooks polls only make up for deliveries that were lost.
const POLL_INTERVAL_WITH_WEBHOOKS_MS: u64 = 15 * 60_000;

/// Serves until it is told to stop; gives the exit status.
pub async fn run(context: Context, args: ServeArgs) -> Result<u8, UserError> {
    let mut interrupt = Interrupt::listen();
    let mut options =
        ServerOptions::new(args.listen, args.public_url.as_deref(), args.behind_proxy)?;
    let secret = |name: &str| collie_hardening::variable(name).filter(|value| !value.is_empty());
    options.metrics_token = secret(METRICS_TOKEN).map(SecretString::from);
    options.webhook_secret = webhook_secret(&Keychain::system()).await?;
    options.session_lifetime = args.session_lifetime;
    options.device_client_id = args.github_client_id.clone().filter(|id| !id.is_empty());
    let queue: Arc<RunnerQueue> = Arc::default();
    options.runners = Some(runner_access(&context, &queue));
    let defaults = defaults(options.webhook_secret.is_some());
    context::require_git().await?;
    let backend = BackendOptions {
        elsewhere: elsewhere(&args)?,
        ..backend_options(&context, &queue)
    };
    let runs_here = backend.elsewhere.is_none();
    // Before the engine: an address that is taken is said at once.
    let failed = |error: std::io::Error| {
        let failed = UserError::new(ErrorCode::ListenFailed).with("address", args.listen);
        failed.with("message", error)
    };
    let listener = tokio::net::TcpListener::bind(args.listen).await;
    let listener = listener.map_err(failed)?;
    options.listen = listener.local_addr().map_err(failed)?;
    let backend = tokio::select! {
        opened = Backend::open_unattended(backend, defaults) => opened?,
        () = interrupt.wait() => return Ok(0),
    };
    if runs_here {
        // What happened while no delivery could be taken is not sent again by itself. Workers read on meanwhile.
        backend.look_at_everything();
    }
    say_where(&context, &options.address());
    let server = Server::new(options, backend.clone());
    let mut ended_by_itself = false;
    let stop = async {
        tokio::select! {
            () = interrupt.wait() => {}
            () = backend.stopped() => ended_by_itself = true,
        }
    };
    server.serve(listener, stop).await;
    let problem = backend.session_now().problem;
    backend.close().await;
    if ended_by_itself {
        let message = problem.map(|problem| problem.message).unwrap_or_default();
        return Err(UserError::new(ErrorCode::Store).with("message", message));
    }
    if !context.output.json {
        let text = localize!(context.output.localizer, "cli-team-stopped");
        context.output.print_text(&text);
    }
    Ok(0)
}

fn say_where(context: &Context, address: &str) {
    let output = &context.output;
    if output.json {
        return output.print_json(&json!({ "url": address }));
    }
    let text = localize!(output.localizer, "cli-team-serving", address = address);
    output.print_text(&text);
}

/// Where loops live, if elsewhere.
#[cfg(feature = "restate")]
fn elsewhere(args: &ServeArgs) -> Result<Option<LoopsPlace>, UserError> {
    match args.engine {
        LoopEngine::Here => Ok(None),
        LoopEngine::Restate => {
            let loops = RestateLoops::new(&args.ingress).map_err(|error| {
                UserError::new(ErrorCode::WorkerSettings)
                    .with("message", error)
                    .hint(ErrorHint::WorkerDocs)
            })?;
            Ok(Some(LoopsPlace {
                engine: Arc::new(loops),
                views: views::database()?,
            }))
        }
    }
}

/// The same of a build that knows no engine elsewhere.
#[cfg(not(feature = "restate"))]
fn elsewhere(_: &ServeArgs) -> Result<Option<LoopsPlace>, UserError> {
    Ok(None)
}

fn runner_access(context: &Context, queue: &Arc<RunnerQueue>) -> RunnerAccess {
    RunnerAccess {
        queue: queue.clone(),
        secrets: RunnerSecrets::in_file(data_paths::runners_file(&context.data)),
    }
}

/// The secret of webhooks: from the environment, a file, or the keychain.
async fn webhook_secret(keychain: &Keychain) -> Result<Option<SecretString>, UserError> {
    let variable = |name: &str| collie_hardening::variable(name).filter(|value| !value.is_empty());
    if let Some(secret) = variable(WEBHOOK_SECRET) {
        return Ok(Some(SecretString::from(secret)));
    }
    let unreadable = |place: &str, message: String| {
        UserError::new(ErrorCode::WebhookSecretUnreadable)
            .with("place", place)
            .with("message", message)
            .hint(ErrorHint::ServerDocs)
    };
    if let Some(file) = variable(WEBHOOK_SECRET_FILE) {
        let place = format!("{WEBHOOK_SECRET_FILE}={file}");
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|error| unreadable(&place, error.to_string()))?;
        return match text.trim() {
            "" => Err(unreadable(&place, "it is empty".to_owned())),
            text => Ok(Some(SecretString::from(text))),
        };
    }
    let Some(name) = variable(WEBHOOK_SECRET_KEYCHAIN) else {
        return Ok(None);
    };
    let place = format!("{WEBHOOK_SECRET_KEYCHAIN}={name}");
    match keychain.load_secret(&name).await {
        Ok(Some(secret)) => Ok(Some(SecretString::from(secret.as_str()))),
        Ok(None) => Err(unreadable(
            &place,
            "the keychain has no such entry of collie".to_owned(),
        )),
        Err(error) => Err(unreadable(&place, error.to_string())),
    }
}

/// What holds where `config.toml` says nothing.
fn defaults(has_webhooks: bool) -> ConfigLayer {
    let poll_interval = has_webhooks.then_some(POLL_INTERVAL_WITH_WEBHOOKS_MS);
    ConfigLayer {
        poll_interval,
        ready_poll_interval: poll_interval,
        ..ConfigLayer::default()
    }
}

fn backend_options(context: &Context, queue: &Arc<RunnerQueue>) -> BackendOptions {
    BackendOptions {
        folder: context.data.clone(),
        environment: Arc::new(collie_hardening::variable),
        credentials: CredentialScope::Machine,
        keychain: Keychain::system(),
        language: context.config.language,
        runners: Some(queue.clone()),
        elsewhere: None,
        can_merge: false,
        demo_if_new: false,
    }
}

//! `collie worker`: runs loops that the durable engine Restate keeps (§18.5).

use crate::args::WorkerArgs;
use crate::context::{self, Context};
use crate::interrupt::Interrupt;
use crate::localize;
use collie_app::auth;
use collie_app::clock::SystemClock;
use collie_app::engine_client::local::build_ports;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_engine::EngineConfig;
use collie_host_restate::{Worker, WorkerError, WorkerParts};
use serde_json::json;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Works until it is told to stop; gives the exit status.
pub async fn run(context: &Context, args: WorkerArgs) -> Result<u8, UserError> {
    let mut interrupt = Interrupt::listen();
    context::require_git().await?;
    if !args.listen.ip().is_loopback() && args.identity_key.is_none() {
        return Err(UserError::new(ErrorCode::WorkerUnprotected)
            .with("address", args.listen)
            .hint(ErrorHint::WorkerDocs));
    }
    let failed = |error: std::io::Error| {
        let failed = UserError::new(ErrorCode::ListenFailed).with("address", args.listen);
        failed.with("message", error)
    };
    let listener = TcpListener::bind(args.listen).await.map_err(failed)?;
    let address = format!("http://{}", listener.local_addr().map_err(failed)?);
    let setup = context.engine_setup(
        auth::loop_token_source(&context.config).await?,
        Arc::default(),
    );
    let built = build_ports(setup, Arc::new(SystemClock)).await?;
    let worker = Worker::new(WorkerParts {
        ports: built.ports,
        commits: built.commits,
        config: EngineConfig {
            slots: context.config.slots,
            ..EngineConfig::default()
        },
        name: args.name.unwrap_or_else(machine_name),
        fleet_slots: args.fleet_slots.map(NonZeroUsize::get),
        ingress: args.ingress.clone(),
        identity_key: args.identity_key,
    });
    let worker = worker.map_err(|error| unusable(&error))?;
    let output = &context.output;
    if output.json {
        output.print_json(&json!({ "url": address }));
    } else {
        let text = localize!(
            output.localizer,
            "cli-worker-listens",
            address = address,
            ingress = args.ingress
        );
        output.print_text(&text);
    }
    let served = worker.serve(listener, interrupt.wait()).await;
    served.map_err(|error| unusable(&error))?;
    if !output.json {
        output.print_text(&localize!(output.localizer, "cli-worker-stopped"));
    }
    Ok(0)
}

/// What people call this machine.
fn machine_name() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// What of its settings keeps a worker from beginning.
fn unusable(error: &WorkerError) -> UserError {
    UserError::new(ErrorCode::WorkerSettings)
        .with("message", error)
        .hint(ErrorHint::WorkerDocs)
}

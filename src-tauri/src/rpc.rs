//! The one command of the page.

use crate::host::{self, ShellHost};
use crate::{merge_command, open_external};
use collie_app::clock;
use collie_core::ids::PullName;
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, Update};
use serde::Serialize;
use serde_json::Value;
use tauri::{AppHandle, State};

/// Carries a command of the contract out, and answers with what the contract says, or with an [`ErrorView`].
#[tauri::command]
pub async fn rpc(
    app: AppHandle,
    host: State<'_, ShellHost>,
    call: Value,
) -> Result<Value, ErrorView> {
    let command: Command = serde_json::from_value(call).map_err(contract_error)?;
    let stale = command.stale_topics();
    match command {
        Command::Merge {
            key,
            head_sha,
            method,
        } => {
            let pull = PullName::parse(&key).map_err(contract_error)?;
            let at = clock::now();
            // Whoever quits in the meantime waits for the outcome; after that nothing is begun.
            let _merging = host.merge_lock.lock().await;
            let localizer = host.backend.localizer();
            if host.is_quitting() {
                return Err(merge_command::refusal_view(&localizer, "quitting", &[]));
            }
            let merged =
                merge_command::merge(&host.backend, &localizer, pull, head_sha, method, at).await;
            host::send_to_page(&app, Update::Stale { topics: stale });
            merged.and_then(|merged| to_answer(&merged))
        }
        Command::Open { target } => {
            let resolved = host.backend.resolve_open_target(&target).await;
            let external_target =
                resolved.map_err(|problem| problem.to_view(&host.backend.localizer()))?;
            open_external::open(&host.backend.localizer(), external_target).await?;
            Ok(Value::Null)
        }
        Command::Interactive { .. } => {
            host::on_page_ready(&app);
            host.backend.run(command).await
        }
        other => host.backend.run(other).await,
    }
}

fn to_answer(value: &impl Serialize) -> Result<Value, ErrorView> {
    serde_json::to_value(value).map_err(contract_error)
}

/// Only a page and a program of different versions do not understand each other.
fn contract_error(error: impl std::fmt::Display) -> ErrorView {
    ErrorView {
        code: "contract".to_owned(),
        message: format!(
            "the window and the program are of different versions ({error}): quit Collie and start it again"
        ),
        hints: Vec::new(),
    }
}

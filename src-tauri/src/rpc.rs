//! The one command of the page.

use crate::host::{self, ShellHost};
use crate::{merge_command, open_external};
use collie_app::clock;
use collie_app::user_error::error_view;
use collie_core::error_code::ErrorCode;
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
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
    let backend = &host.backend;
    let in_words = |error: UserError| error_view(&error, &backend.localizer());
    let command: Command =
        serde_json::from_value(call).map_err(|error| in_words(contract_error(error)))?;
    let stale = command.stale_topics();
    match command {
        Command::Merge {
            key,
            head_sha,
            method,
        } => {
            let pull = PullName::parse(&key).map_err(|error| in_words(error.into()))?;
            let at = clock::now();
            // Whoever quits in the meantime waits for the outcome; after that nothing is begun.
            let _merging = host.merge_lock.lock().await;
            if host.is_quitting() {
                return Err(in_words(UserError::new(ErrorCode::Quitting)));
            }
            let merged = merge_command::merge(backend, pull, head_sha, method, at).await;
            host::send_to_page(&app, Update::Stale { topics: stale });
            merged
                .and_then(|merged| to_answer(&merged))
                .map_err(in_words)
        }
        Command::Open { target } => {
            let resolved = backend.resolve_open_target(&target).await;
            let external_target = resolved.map_err(in_words)?;
            open_external::open(external_target)
                .await
                .map_err(in_words)?;
            Ok(Value::Null)
        }
        Command::SetSnoozes { snoozes } => {
            host.snoozes.send_replace(snoozes);
            Ok(Value::Null)
        }
        Command::SetMutedNotifications { kinds } => {
            host.muted.send_replace(kinds);
            Ok(Value::Null)
        }
        Command::Interactive { .. } => {
            host::on_page_ready(&app);
            backend.run(command).await
        }
        other => backend.run(other).await,
    }
}

fn to_answer(value: &impl Serialize) -> Result<Value, UserError> {
    serde_json::to_value(value).map_err(contract_error)
}

/// Only a page and a program of different versions do not understand each other.
fn contract_error(error: serde_json::Error) -> UserError {
    UserError::new(ErrorCode::Contract).with("message", error)
}

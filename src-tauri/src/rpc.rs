//! The one command of the page.

use crate::host::{self, Host};
use crate::{merging, outside};
use collie_app::clock;
use collie_core::ids::PullName;
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, Update};
use serde::Serialize;
use serde_json::Value;
use tauri::{AppHandle, State};

/// Carries a command of the contract out, and answers with what the contract says, or with an [`ErrorView`].
#[tauri::command]
pub async fn rpc(app: AppHandle, host: State<'_, Host>, call: Value) -> Result<Value, ErrorView> {
    let command: Command = serde_json::from_value(call).map_err(misunderstood)?;
    let stale = command.makes_stale();
    match command {
        Command::Merge {
            key,
            head_sha,
            method,
        } => {
            let pull = PullName::parse(&key).map_err(misunderstood)?;
            let at = clock::now();
            // Whoever quits in the meantime waits for the outcome; after that nothing is begun.
            let _merging = host.merging.lock().await;
            let speech = host.desk.speech();
            if host.is_quitting() {
                return Err(merging::refused(&speech, "quitting", &[]));
            }
            let merged = merging::merge(&host.desk, &speech, pull, head_sha, method, at).await;
            host::tell_page(&app, Update::Stale { topics: stale });
            merged.and_then(|merged| answer(&merged))
        }
        Command::Open { target } => {
            let what = host.desk.opens(&target).await;
            let what = what.map_err(|problem| problem.view(&host.desk.speech()))?;
            outside::open(&host.desk.speech(), what).await?;
            Ok(Value::Null)
        }
        Command::Interactive { .. } => {
            host::page_hears(&app);
            host.desk.run(command).await
        }
        other => host.desk.run(other).await,
    }
}

fn answer(value: &impl Serialize) -> Result<Value, ErrorView> {
    serde_json::to_value(value).map_err(misunderstood)
}

/// Only a page and a program of different versions do not understand each other.
fn misunderstood(error: impl std::fmt::Display) -> ErrorView {
    ErrorView {
        code: "contract".to_owned(),
        message: format!(
            "the window and the program are of different versions ({error}): quit Collie and start it again"
        ),
        hints: Vec::new(),
    }
}

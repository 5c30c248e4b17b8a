//! The one command of the page.

use crate::host::Host;
use collie_wire::ErrorView;
use collie_wire::rpc::Command;
use serde_json::{Value, json};
use tauri::{AppHandle, State};

/// Carries a command of the contract out, and answers with what the contract says, or with an [`ErrorView`].
#[tauri::command]
pub async fn rpc(app: AppHandle, host: State<'_, Host>, call: Value) -> Result<Value, Value> {
    let command: Command = serde_json::from_value(call).map_err(|error| misunderstood(&error))?;
    if let Command::Interactive { .. } = command {
        crate::host::page_hears(&app);
    }
    host.desk
        .run(command)
        .await
        .map_err(|problem| json!(problem))
}

/// Only a page and a program of different versions do not understand each other.
fn misunderstood(error: &serde_json::Error) -> Value {
    json!(ErrorView {
        code: "contract".to_owned(),
        message: format!("the window asked for something that this Collie does not know: {error}"),
        hints: Vec::new(),
    })
}

//! Diagnostics: `tracing` into the data folder, a line of JSON each, with the correlation id of the span it
//! happened in. What people read goes elsewhere.

use crate::engine_client::journal::create_folder;
use collie_config::{DataFolder, data_paths};
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;

/// Writes diagnostics to `logs/collie_YYYY-MM-DD.log` from now on. `COLLIE_LOG` chooses what is written, as in
/// `collie_engine=debug`. Where the file cannot be opened, or another subscriber is set, nothing is written and the
/// reason comes back: a command goes on without diagnostics.
pub fn init(data: &DataFolder) -> Result<(), String> {
    let folder = data_paths::logs_folder(data);
    // Before anything is put into it: it is for its owner alone.
    create_folder(data).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let path = folder.join(format!("collie_{day}.log"));
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    let filter = EnvFilter::try_from_env("COLLIE_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,collie=info,collie_engine=info,collie_app=info"));
    tracing_subscriber::fmt()
        .json()
        .with_env_filter(filter)
        .with_writer(Mutex::new(file))
        .try_init()
        .map_err(|e| e.to_string())
}

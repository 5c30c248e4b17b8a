//! Opens the journal of a data folder: the one place above the store that names it.

use collie_config::DataFolder;
use collie_engine::ports::{Journal, JournalReader};
use collie_store::{OpenMode, Store, StorePaths};
use std::sync::Arc;

pub use collie_store::{OpenError, RebuildReport, RunningEngine};

/// Opens it for the engine, which takes the folder's lock.
pub(crate) async fn open_for_engine(folder: &DataFolder) -> Result<Arc<dyn Journal>, OpenError> {
    let store = Store::open(&paths(folder), OpenMode::Engine).await?;
    Ok(Arc::new(store))
}

/// Opens it beside an engine, or without one.
pub async fn open_reader(folder: &DataFolder) -> Result<Arc<dyn JournalReader>, OpenError> {
    let store = Store::open(&paths(folder), OpenMode::Reader).await?;
    Ok(Arc::new(store))
}

/// Tells whether some process runs the engine of this data folder.
pub fn running_engine(folder: &DataFolder) -> Result<Option<RunningEngine>, OpenError> {
    collie_store::running_engine(&paths(folder))
}

/// Makes a journal that is damaged or lost anew from the checkpoints.
pub async fn rebuild(folder: &DataFolder) -> Result<RebuildReport, OpenError> {
    collie_store::rebuild(&paths(folder)).await
}

fn paths(folder: &DataFolder) -> StorePaths {
    StorePaths::below(folder.path())
}

//! Opens the journal of a data folder: the one place above the store that names it.

use super::origin::Origin;
use collie_config::DataFolder;
use collie_engine::ports::{
    AccountStore, CommandLedger, Journal, JournalReader, MovableJournal, ProjectionJournal,
    ProjectionPlace, StoreError,
};
pub(crate) use collie_store::MemoryFiles;
use collie_store::{OpenMode, Store, StorePaths};
use std::sync::Arc;

pub use collie_store::{
    AuditFault, AuditFaultKind, AuditReport, OpenError, RebuildReport, RunningEngine,
};

/// Makes the data folder itself, for its owner alone where the system knows owners.
pub fn create_folder(folder: &DataFolder) -> Result<(), OpenError> {
    paths(folder).create()
}

/// Opens it for the engine, which takes the folder's lock.
pub(crate) async fn open_for_engine(folder: &DataFolder) -> Result<Arc<dyn Journal>, OpenError> {
    let store = Box::pin(Store::open(&paths(folder), OpenMode::Engine)).await?;
    Ok(Arc::new(store))
}

/// Opens it for what loops elsewhere tell; the folder's lock is taken as by an engine, also where the views themselves lie in a database.
pub(crate) async fn open_for_projection(
    folder: &DataFolder,
) -> Result<Arc<dyn ProjectionJournal>, OpenError> {
    let store = Box::pin(Store::open(&paths(folder), OpenMode::Engine)).await?;
    Ok(Arc::new(store))
}

/// Opens it to hand its loops over; the folder's lock is taken as by an engine.
pub(crate) async fn open_for_moving(
    folder: &DataFolder,
) -> Result<Arc<dyn MovableJournal>, OpenError> {
    let store = Box::pin(Store::open(&paths(folder), OpenMode::Engine)).await?;
    Ok(Arc::new(store))
}

/// Opens it beside an engine, or without one.
pub async fn open_reader(folder: &DataFolder) -> Result<Arc<dyn JournalReader>, OpenError> {
    let store = Box::pin(Store::open(&paths(folder), OpenMode::Reader)).await?;
    Ok(Arc::new(store))
}

/// Opens what shows the loops of a data folder, beside an engine or without one: its own journal, or the database that a server keeps them in.
///
/// # Errors
/// They are in a database, and none is given; that does not answer, or shows loops of another engine.
pub async fn open_views(
    folder: &DataFolder,
    database: Option<&dyn ProjectionPlace>,
) -> Result<Arc<dyn JournalReader>, OpenError> {
    let own = open_reader(folder).await?;
    let Some(origin) = database_origin(folder)? else {
        return Ok(own);
    };
    let database = database.ok_or_else(|| StoreError::InDatabase {
        folder: folder.path().to_owned(),
    })?;
    Ok(database.open_reader(own, origin.engine.as_deref()).await?)
}

/// Whether the loops of a data folder are shown in a database.
///
/// # Errors
/// What the folder says of it cannot be read.
pub fn are_views_in_database(folder: &DataFolder) -> Result<bool, OpenError> {
    Ok(database_origin(folder)?.is_some())
}

fn database_origin(folder: &DataFolder) -> Result<Option<Origin>, OpenError> {
    let origin = Origin::read(folder)?;
    Ok(origin.filter(|origin| origin.views_in_database))
}

/// Opens what commands count their spending in, beside an engine or without one.
pub(crate) async fn open_command_ledger(
    folder: &DataFolder,
) -> Result<Arc<dyn CommandLedger>, OpenError> {
    let store = Box::pin(Store::open(&paths(folder), OpenMode::Reader)).await?;
    Ok(Arc::new(store))
}

/// Opens where sealed tokens of accounts lie, beside an engine or without one.
pub(crate) async fn open_account_store(
    folder: &DataFolder,
) -> Result<Arc<dyn AccountStore>, OpenError> {
    let store = Box::pin(Store::open(&paths(folder), OpenMode::Reader)).await?;
    Ok(Arc::new(store))
}

/// What people made of findings, one file a repository.
pub(crate) fn review_memory(folder: &DataFolder) -> MemoryFiles {
    MemoryFiles::below(folder.path())
}

/// Tells whether some process runs the engine of this data folder.
pub fn running_engine(folder: &DataFolder) -> Result<Option<RunningEngine>, OpenError> {
    collie_store::running_engine(&paths(folder))
}

/// Makes a journal that is damaged or lost anew from the checkpoints.
pub async fn rebuild(folder: &DataFolder) -> Result<RebuildReport, OpenError> {
    collie_store::rebuild(&paths(folder)).await
}

/// Looks at every line of the audit log (§9.6).
///
/// # Errors
/// The system's, when a file cannot be read.
pub async fn verify_audit(folder: &DataFolder) -> std::io::Result<AuditReport> {
    let paths = paths(folder);
    let looked = tokio::task::spawn_blocking(move || collie_store::verify_audit(&paths));
    looked.await.map_err(std::io::Error::other)?
}

/// Reads every file of what people made of findings: how many there are, and what is wrong with some.
///
/// # Errors
/// The folder cannot be read.
pub async fn check_memory(folder: &DataFolder) -> Result<(usize, Vec<StoreError>), StoreError> {
    let files = review_memory(folder);
    let looked = tokio::task::spawn_blocking(move || files.check()).await;
    looked.unwrap_or_else(|error| {
        Err(StoreError::Failed {
            what: "reading the memory".into(),
            message: error.to_string(),
        })
    })
}

fn paths(folder: &DataFolder) -> StorePaths {
    StorePaths::below(folder.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_new_folder_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temp.path().join("a/b")).unwrap();
        create_folder(&folder).unwrap();
        let mode = std::fs::metadata(folder.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        create_folder(&folder).unwrap();
    }

    #[test]
    fn a_file_in_the_way_is_named_with_what_to_do() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("taken");
        std::fs::write(&file, "").unwrap();
        let folder = DataFolder::at(&file).unwrap();
        let error = create_folder(&folder).unwrap_err().to_string();
        assert!(
            error.contains("taken") && error.contains("COLLIE_HOME"),
            "{error}"
        );
    }
}

//! What commands show loops from: the data folder's journal, or the database in which a server of that folder keeps them (§18.5).

use crate::context::Context;
use collie_app::engine_client::journal::{are_views_in_database, open_views};
#[cfg(feature = "restate")]
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_engine::ports::{JournalReader, ProjectionPlace};
#[cfg(feature = "restate")]
use collie_store_postgres::PostgresPlace;
use std::sync::Arc;

/// Where the database is that views lie in.
#[cfg(feature = "restate")]
const DATABASE_URL: &str = "DATABASE_URL";

/// The database that `DATABASE_URL` names; none where it names none.
///
/// # Errors
/// It is no address of PostgreSQL.
#[cfg(feature = "restate")]
pub fn database() -> Result<Option<Arc<dyn ProjectionPlace>>, UserError> {
    let url = collie_hardening::variable(DATABASE_URL).filter(|url| !url.is_empty());
    let Some(url) = url else {
        return Ok(None);
    };
    let place = PostgresPlace::parse(&url).map_err(|error| {
        UserError::new(ErrorCode::DatabaseUrl)
            .with("message", error)
            .hint(ErrorHint::WorkerDocs)
    })?;
    Ok(Some(Arc::new(place)))
}

/// The same of a build that knows no engine elsewhere.
#[cfg(not(feature = "restate"))]
fn database() -> Result<Option<Arc<dyn ProjectionPlace>>, UserError> {
    Ok(None)
}

/// The database of a folder whose loops are shown in one. Of all others the variable is not read: it may be that of some other program.
pub fn folder_database(context: &Context) -> Result<Option<Arc<dyn ProjectionPlace>>, UserError> {
    match are_views_in_database(&context.data)? {
        true => database(),
        false => Ok(None),
    }
}

/// Opens what shows the loops of the data folder, beside an engine or without one.
pub async fn open_loops(context: &Context) -> Result<Arc<dyn JournalReader>, UserError> {
    let database = folder_database(context)?;
    Ok(open_views(&context.data, database.as_deref()).await?)
}

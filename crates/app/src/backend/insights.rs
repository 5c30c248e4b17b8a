//! What many runs came to, for the window.

use super::listings;
use super::session::Session;
use crate::insights::{self, InsightsQuery};
use collie_core::error_code::ErrorCode;
use collie_core::insights::InsightsRange;
use collie_core::user_error::UserError;
use collie_wire::rpc::{InsightsTable, InsightsView, SavedFileView};

/// The figures.
pub(super) async fn view(
    session: &Session,
    range: InsightsRange,
    only: Option<&str>,
) -> Result<InsightsView, UserError> {
    let query = query(session, range, only).await?;
    compute(move || query.view()).await
}

/// Saves the rows of a table among the downloads.
pub(super) async fn export(
    session: &Session,
    range: InsightsRange,
    only: Option<&str>,
    table: InsightsTable,
) -> Result<SavedFileView, UserError> {
    let query = query(session, range, only).await?;
    let saved = compute(move || {
        let failed = |message: String| {
            UserError::new(ErrorCode::FileNotSaved)
                .with("path", "CSV")
                .with("message", message)
        };
        let days = query.figures().range;
        let kind = match table {
            InsightsTable::Runs => "runs",
            InsightsTable::Spending => "spending",
        };
        let name = format!("collie-{kind}-{}-{}", days.from, days.to);
        let content = query
            .csv(table)
            .map_err(|error| failed(error.to_string()))?;
        let folder = insights::download_folder().ok_or_else(|| failed("no home folder".into()))?;
        insights::save(&folder, &name, &content)
    });
    let path = saved.await??;
    Ok(SavedFileView {
        path: path.display().to_string(),
    })
}

async fn query(
    session: &Session,
    range: InsightsRange,
    only: Option<&str>,
) -> Result<InsightsQuery, UserError> {
    let only = only.map(listings::parse_repository).transpose()?;
    Ok(InsightsQuery::read(session.store.as_ref(), range, only).await?)
}

/// Runs what may take a while beside the tasks that answer.
async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, UserError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| UserError::new(ErrorCode::Store).with("message", error.to_string()))
}

//! What people made of a repository's earlier findings, for the settings.

use super::session::Session;
use super::{Backend, listings};
use crate::review_memory::MemoryOf;
use collie_core::user_error::UserError;
use collie_wire::rpc::MemoryView;

impl Backend {
    /// Everything that is remembered of a repository.
    pub(super) async fn review_memory(
        &self,
        session: &Session,
        repo: &str,
    ) -> Result<MemoryView, UserError> {
        let memory = find(session, repo).await?;
        let entries = memory.load()?.entries;
        let file = memory.file()?.map(|file| file.display().to_string());
        Ok(MemoryView::new(file, entries))
    }

    /// Takes an entry out.
    pub(super) async fn forget_judgement(
        &self,
        session: &Session,
        repo: &str,
        id: &str,
    ) -> Result<(), UserError> {
        find(session, repo).await?.forget(id)
    }
}

async fn find(session: &Session, repo: &str) -> Result<MemoryOf, UserError> {
    let repo = listings::parse_repository(repo)?;
    MemoryOf::find(&session.folder, &session.github, &repo).await
}

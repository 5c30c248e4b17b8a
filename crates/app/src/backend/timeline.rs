//! A loop's history.

use super::session::Session;
use super::{Backend, listings};
use crate::render::timeline::timeline_line;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_wire::rpc::TimelineLine;

impl Backend {
    /// What happened to a loop, oldest first.
    pub(super) async fn timeline(
        &self,
        session: &Session,
        key: &str,
    ) -> Result<Vec<TimelineLine>, UserError> {
        let pull = listings::parse_pull(key)?;
        let state = session
            .engine
            .find(&pull)
            .ok_or_else(|| UserError::new(ErrorCode::NoLoop).with("pull", &pull))?;
        let entries = session.store.timeline(&state.id).await?;
        let localizer = self.localizer();
        Ok(entries
            .iter()
            .map(|entry| timeline_line(entry, &localizer))
            .collect())
    }
}

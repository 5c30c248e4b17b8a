//! A loop's history.

use super::session::Session;
use super::{Backend, listings};
use crate::render::loop_view::earlier_run_views;
use crate::render::timeline::timeline_line;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_wire::EarlierRunView;
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

    /// The runs of a loop before the present one, the latest first.
    pub(super) async fn earlier_runs(
        &self,
        session: &Session,
        key: &str,
    ) -> Result<Vec<EarlierRunView>, UserError> {
        let pull = listings::parse_pull(key)?;
        let state = session
            .engine
            .find(&pull)
            .ok_or_else(|| UserError::new(ErrorCode::NoLoop).with("pull", &pull))?;
        let runs = session.store.runs(&state.id).await?;
        Ok(earlier_run_views(
            &runs,
            &state.run.id,
            &self.localizer(),
            &session.redactor(),
        ))
    }
}

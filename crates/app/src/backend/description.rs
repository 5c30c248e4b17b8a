//! What a pull request says of itself.

use super::listings;
use super::session::Session;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_wire::rpc::DescriptionView;

/// The beginning of the description, as last read.
pub(super) fn description(session: &Session, key: &str) -> Result<DescriptionView, UserError> {
    let pull = listings::parse_pull(key)?;
    let state = session
        .engine
        .find(&pull)
        .ok_or_else(|| UserError::new(ErrorCode::NoLoop).with("pull", &pull))?;
    Ok(DescriptionView {
        text: state.run.polling.last_snapshot.description.clone(),
    })
}

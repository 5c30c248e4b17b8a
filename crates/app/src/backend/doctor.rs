//! The look at this machine, for the settings.

use super::Backend;
use crate::doctor::{DoctorContext, run_checks};
use collie_wire::rpc::DoctorLine;

impl Backend {
    /// Looks at everything; takes a few seconds.
    pub(super) async fn doctor_lines(&self) -> Vec<DoctorLine> {
        let localizer = self.localizer();
        let session = self.session().ok();
        let config = match &session {
            Some(session) => Ok((*session.config.get()).clone()),
            None => self.configuration(),
        };
        let tokens = match &session {
            Some(session) => Some(session.github.token_source()),
            None => config
                .as_ref()
                .ok()
                .and_then(|config| self.shared.options.credentials.token_source(config)),
        };
        let data = session
            .as_ref()
            .map_or(&self.shared.options.folder, |session| &session.folder);
        run_checks(&DoctorContext {
            data,
            config: config.as_ref().map_err(Clone::clone),
            tokens: tokens.as_ref(),
            localizer: &localizer,
            keys: &self.key_sources(),
        })
        .await
    }
}

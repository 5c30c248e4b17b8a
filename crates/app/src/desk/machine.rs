//! The look at this machine, for the settings.

use super::Desk;
use crate::doctor::{Ground, look};
use collie_github::TokenSource;
use collie_wire::rpc::DoctorLine;

impl Desk {
    /// Looks at everything; takes a few seconds.
    pub(super) async fn doctor(&self) -> Vec<DoctorLine> {
        let speech = self.speech();
        let work = self.work().ok();
        let config = match &work {
            Some(work) => Ok((*work.config.get()).clone()),
            None => self.configuration(),
        };
        let tokens = match &work {
            Some(work) => TokenSource::Given(work.github.token()),
            None => TokenSource::LookUp,
        };
        let data = work
            .as_ref()
            .map_or(&self.shared.options.folder, |work| &work.folder);
        look(&Ground {
            data,
            config: config
                .as_ref()
                .map_err(|problem| problem.view(&speech).message),
            tokens: &tokens,
            speech: &speech,
        })
        .await
    }
}

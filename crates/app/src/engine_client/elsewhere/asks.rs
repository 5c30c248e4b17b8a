//! What people ask, and what GitHub reports, brought to the engine.

use super::ElsewhereEngine;
use crate::engine_client::requests::{RequestOutcome, SubmitError};
use collie_core::ids::{Login, LoopId};
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::CommandError;
use collie_engine::ports::{ElsewhereError, LookReason, LoopRequest, StoreError};
use std::sync::Arc;
use std::time::Duration;

/// How often requests of other processes are looked for.
const ASK_INTERVAL: Duration = Duration::from_millis(500);
/// So long a request may take to be shown before it is answered: the engine has it by then.
const SHOWN_WITHIN: Duration = Duration::from_secs(3);
/// How often that is looked at.
const SHOWN_INTERVAL: Duration = Duration::from_millis(30);

impl ElsewhereEngine {
    /// Has the engine carry a request out, and waits a little until what it came to is shown.
    pub async fn submit(
        &self,
        request: &LoopRequest,
        by: &Login,
    ) -> Result<RequestOutcome, SubmitError> {
        match self.loops_of(request)? {
            About::Nothing => self.submit_about(request, None, by).await?,
            About::Loops(loops) => {
                for state in loops {
                    self.submit_about(request, Some(&state), by).await?;
                }
            }
        }
        Ok(RequestOutcome::Done)
    }

    async fn submit_about(
        &self,
        request: &LoopRequest,
        about: Option<&LoopState>,
        by: &Login,
    ) -> Result<(), SubmitError> {
        let about = (self.host.as_str(), about);
        let reached = self.source.submit(request, about, by).await;
        if let Some((id, version)) = reached.map_err(SubmitError::Elsewhere)? {
            self.wait_until_shown(&id, version).await;
        }
        if matches!(request, LoopRequest::SetPaused { .. })
            && let Err(error) = self.look_at_pause().await
        {
            tracing::debug!(%error, "whether everything is paused is looked at again");
        }
        Ok(())
    }

    /// The loops that a request is about.
    fn loops_of(&self, request: &LoopRequest) -> Result<About, CommandError> {
        let pull = match (request, request.pull()) {
            // It may not be there yet.
            (LoopRequest::Start { .. }, _) => return Ok(About::Nothing),
            (LoopRequest::SetRepositoryAutonomy { repo, .. }, _) => {
                let mut loops = self.loops();
                loops.retain(|state| state.pull.repo.eq_ignore_case(repo));
                return Ok(About::Loops(loops));
            }
            (_, Some(pull)) => pull,
            (_, None) => return Ok(About::Nothing),
        };
        let found = self.loops().into_iter().find(|state| state.is_of(pull));
        let found = found.ok_or_else(|| CommandError::NoSuchLoop(pull.clone()))?;
        Ok(About::Loops(vec![found]))
    }

    /// Whoever asks next sees what was done.
    async fn wait_until_shown(&self, id: &LoopId, version: u64) {
        let shown = async {
            loop {
                match self.refresh(id).await {
                    Ok(shown) if shown >= Some(version) => return,
                    Ok(_) => {}
                    Err(error) => tracing::debug!(%error, "a loop could not be looked at"),
                }
                tokio::time::sleep(SHOWN_INTERVAL).await;
            }
        };
        if tokio::time::timeout(SHOWN_WITHIN, shown).await.is_err() {
            tracing::info!(%id, "what was asked is not shown yet");
        }
    }

    /// Has a loop's pull request read before its next poll; said again until the engine has heard it.
    pub fn look(&self, id: &LoopId, reason: LookReason) {
        let mut looks = self.lock_looks();
        let said = looks.get(id).copied();
        looks.insert(id.clone(), more_urgent(said, reason));
        drop(looks);
        self.wake.notify_one();
    }

    /// Brings looks and requests of other processes to the engine, until the journal cannot be read or written.
    pub(super) async fn bring_asks(&self) -> StoreError {
        loop {
            if self.problem().is_none() {
                self.bring_looks().await;
                if let Err(error) = self.bring_requests().await {
                    return error;
                }
            }
            tokio::select! {
                () = self.wake.notified() => {}
                () = tokio::time::sleep(ASK_INTERVAL) => {}
            }
        }
    }

    async fn bring_looks(&self) {
        let looks = std::mem::take(&mut *self.lock_looks());
        for (id, reason) in looks {
            let shown = self.loop_shown(&id);
            let looked = self.source.look(&id, reason, shown.as_deref());
            if let Err(error) = looked.await {
                tracing::warn!(%error, %id, "that something has changed could not be told");
                let mut looks = self.lock_looks();
                let since = looks.get(&id).copied();
                looks.insert(id, more_urgent(since, reason));
            }
        }
    }

    async fn bring_requests(&self) -> Result<(), StoreError> {
        for (number, request, by) in self.journal.requests().await? {
            let refusal = match self.submit(&request, &by).await {
                Ok(_) => None,
                // It stays, and is brought once the engine answers.
                Err(SubmitError::Elsewhere(ElsewhereError::Unreachable { .. })) => return Ok(()),
                Err(error) => Some(UserError::from(error)),
            };
            self.journal
                .finish_request(number, refusal.as_ref())
                .await?;
        }
        Ok(())
    }
}

/// What a request is about.
enum About {
    /// No loop, or one that may not be there yet.
    Nothing,
    Loops(Vec<Arc<LoopState>>),
}

/// Of two reasons the one that is read sooner and more thoroughly.
fn more_urgent(before: Option<LookReason>, now: LookReason) -> LookReason {
    match (before, now) {
        (None, only) => only,
        (Some(LookReason::Reported(before)), LookReason::Reported(now)) => {
            LookReason::Reported(before.max(now))
        }
        (Some(_), _) => LookReason::Person,
    }
}

//! What the user decides about a repository: written down, audited, and told to each of its loops (§6.3e, §9.1).

pub use crate::audit::trust_entry;
use crate::engine_ports::Ports;
use crate::handle::{CommandError, EngineHandle};
use crate::loop_start::StartError;
use crate::ports::StoreError;
use collie_core::event::{Event, TrustChanged};
use collie_core::ids::{LoopId, RepoName, RepositoryId};
use collie_core::loop_state::LoopState;
use collie_core::trust::{RepositoryTrust, TrustDecision};
use std::collections::BTreeMap;

impl EngineHandle {
    /// What the user has decided for a repository.
    pub async fn trust(&self, id: &RepositoryId) -> RepositoryTrust {
        let decided = self.shared.trust.lock().await;
        decided.get(id).cloned().unwrap_or_default()
    }

    /// Remembers a decision of the signed-in account, which must be one that may start loops.
    ///
    /// # Errors
    /// As [`EngineHandle::start`].
    pub async fn decide(
        &self,
        repo: &RepoName,
        id: &RepositoryId,
        decision: &TrustDecision,
    ) -> Result<(), CommandError> {
        let by = self.check_permission(repo.clone().into()).await?;
        let journal = &self.shared.journal;
        let mut decided = self.shared.trust.lock().await;
        let mut trust = decided.get(id).cloned().unwrap_or_default();
        trust.decide(decision);
        let now = self.shared.ports.clock.now();
        let entry = trust_entry(repo, decision, &by, now);
        journal.audit(&entry).await.map_err(StartError::from)?;
        let written = journal.set_trust(id, &trust, now).await;
        written.map_err(StartError::from)?;
        decided.insert(id.clone(), trust.clone());
        let loops: Vec<LoopId> = (self.loops().iter())
            .filter(|state| state.id.repository() == *id)
            .map(|state| state.id.clone())
            .collect();
        for id in loops {
            self.store_event(&id, trust_changed(&trust)).await?;
        }
        Ok(())
    }
}

/// Tells loops what they have not heard: the process ended between a decision and its events, or the journal was rebuilt, which
/// forgets decisions.
pub(crate) async fn tell_loops(
    ports: &Ports,
    loops: &[LoopState],
    decided: &BTreeMap<RepositoryId, RepositoryTrust>,
) -> Result<(), StoreError> {
    let undecided = RepositoryTrust::default();
    let mut events = Vec::new();
    for state in loops {
        let trust = decided.get(&state.id.repository()).unwrap_or(&undecided);
        if state.trust != *trust {
            events.push((state.id.clone(), trust_changed(trust)));
        }
    }
    if !events.is_empty() {
        ports
            .journal
            .receive(&events, ports.effects.clock.now())
            .await?;
    }
    Ok(())
}

/// The event that tells a loop what was decided.
pub fn trust_changed(trust: &RepositoryTrust) -> Event {
    let trust = Box::new(trust.clone());
    Event::TrustChanged(TrustChanged { trust })
}

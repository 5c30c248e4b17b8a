//! How far Collie goes by itself (§13.7): what hosts may ask for, what loops are told at the start, and the second look right before
//! each write.

use crate::effect_host::EffectHost;
use crate::engine_ports::Ports;
use crate::handle::{CommandError, EngineHandle};
use crate::loop_command::LoopCommand;
use crate::ports::StoreError;
use collie_core::autonomy::Autonomy;
use collie_core::effect::Effect;
use collie_core::event::{AutonomyChanged, Event};
use collie_core::ids::{LoopId, PullName, RepoName, Sha};
use collie_core::loop_state::LoopState;
use tokio::sync::broadcast::error::RecvError;

/// Waits until an effect of a loop may be done. `core` asks for no write that the level does not allow; this is what holds where the level
/// was lowered after that, where `core` is wrong, and while everything is paused.
pub async fn wait_until_allowed(host: &dyn EffectHost, id: &LoopId, effect: &Effect) {
    let mut changed = host.changes();
    while !host.may_do(id, effect) {
        tracing::info!(
            effect = effect.name(),
            "waits for the level of autonomy, or for a pause to end"
        );
        match changed.recv().await {
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return std::future::pending().await,
        }
    }
}

/// Tells loops what the settings say by now, where that is something new.
pub(crate) async fn tell_loops(ports: &Ports, loops: &[LoopState]) -> Result<(), StoreError> {
    let mut events = Vec::new();
    for state in loops {
        let Some(level) = ports.effects.policy_source.autonomy(&state.pull.repo) else {
            continue;
        };
        let chosen = state.chosen_autonomy;
        if chosen.configured != Some(level) && chosen.level != level {
            let changed = AutonomyChanged {
                by: state.run.started_by.clone(),
                level,
                configured: Some(level),
            };
            events.push((state.id.clone(), Event::AutonomyChanged(changed)));
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

impl EngineHandle {
    /// Sets how far Collie goes by itself for one pull request; stored before it returns.
    ///
    /// # Errors
    /// There is no such loop, or the signed-in login may not say so.
    pub async fn set_autonomy(&self, pull: &PullName, level: Autonomy) -> Result<(), CommandError> {
        let of_repository = false;
        let command = LoopCommand::SetAutonomy {
            level,
            of_repository,
        };
        self.command(pull, &command).await
    }

    /// The same for every pull request of a repository, as the settings say by now.
    ///
    /// # Errors
    /// The signed-in login may not say so.
    pub async fn set_repository_autonomy(
        &self,
        repo: &RepoName,
        level: Autonomy,
    ) -> Result<(), CommandError> {
        let by = self.check_permission(repo.clone().into()).await?;
        let of_repository = true;
        let command = LoopCommand::SetAutonomy {
            level,
            of_repository,
        };
        let loops = self.loops();
        for state in loops
            .iter()
            .filter(|state| state.pull.repo.eq_ignore_case(repo))
        {
            self.store_command(state, &by, &command).await?;
        }
        Ok(())
    }

    /// Lets a commit be pushed that waits for it; stored before it returns.
    ///
    /// # Errors
    /// No push of this commit waits for a person.
    pub async fn approve_push(&self, pull: &PullName, commit: &Sha) -> Result<(), CommandError> {
        let commit = commit.clone();
        self.command(pull, &LoopCommand::Approve { commit }).await
    }

    /// Does not let it be pushed; the fixer is told the note.
    ///
    /// # Errors
    /// No push of this commit waits for a person.
    pub async fn reject_push(
        &self,
        pull: &PullName,
        commit: &Sha,
        note: &str,
    ) -> Result<(), CommandError> {
        let (commit, note) = (commit.clone(), note.to_owned());
        self.command(pull, &LoopCommand::Reject { commit, note })
            .await
    }
}

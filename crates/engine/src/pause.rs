//! The pause of everything: written down, and told to each loop (§15). What it keeps from being done is `core`'s to say.

use crate::engine_ports::Ports;
use crate::handle::{CommandError, EngineHandle};
use crate::loop_start::StartError;
use crate::ports::StoreError;
use collie_core::event::{Event, PauseChanged};
use collie_core::ids::{Login, LoopId};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;

impl EngineHandle {
    /// The pause of everything; none where nothing is paused.
    pub fn pause(&self) -> Option<Pause> {
        self.shared.tables().pause.clone()
    }

    /// Pauses everything, or lets it go on; stored before it returns. Sessions under way end within 5 s.
    ///
    /// Anybody who can ask may: what a pause keeps from being done was allowed when its loop was made.
    ///
    /// # Errors
    /// The journal could not be written.
    pub async fn set_paused(&self, paused: bool, by: &Login) -> Result<(), CommandError> {
        // Held until each loop is told, so that none is made in between which is not.
        let _decided = self.shared.trust.lock().await;
        if self.pause().is_some() == paused {
            return Ok(());
        }
        let pause = paused.then(|| Pause {
            by: by.clone(),
            since: self.shared.ports.clock.now(),
        });
        let written = self.shared.journal.set_pause(pause.as_ref()).await;
        written.map_err(StartError::from)?;
        self.shared.tables().pause.clone_from(&pause);
        let told: Vec<(LoopId, Event)> = (self.loops().iter())
            .map(|state| (state.id.clone(), pause_changed(by, pause.as_ref())))
            .collect();
        self.store_events(told).await?;
        Ok(())
    }
}

/// Tells loops what they have not heard: the process ended between the word and its events.
pub(crate) async fn tell_loops(
    ports: &Ports,
    loops: &[LoopState],
    pause: Option<&Pause>,
) -> Result<(), StoreError> {
    let untold = loops.iter().filter(|state| state.pause.as_ref() != pause);
    let events: Vec<(LoopId, Event)> = untold
        .map(|state| {
            let by = pause.map_or(&state.run.started_by, |pause| &pause.by);
            (state.id.clone(), pause_changed(by, pause))
        })
        .collect();
    if !events.is_empty() {
        ports
            .journal
            .receive(&events, ports.effects.clock.now())
            .await?;
    }
    Ok(())
}

fn pause_changed(by: &Login, pause: Option<&Pause>) -> Event {
    Event::PauseChanged(PauseChanged {
        by: by.clone(),
        pause: pause.cloned(),
    })
}

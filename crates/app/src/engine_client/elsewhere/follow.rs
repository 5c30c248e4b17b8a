//! Following the engine: what has changed is asked for again and again, written down, and told.

use super::ElsewhereEngine;
use super::shown::ShownLoop;
use super::steps::{KnownLoop, lags_behind, replaced, steps_of};
use super::work::ShownWork;
use crate::engine_client::changes::EngineChange;
use crate::engine_client::origin::Origin;
use collie_core::ids::LoopId;
use collie_core::pause::Pause;
use collie_core::user_error::UserError;
use collie_engine::ports::{ElsewhereError, LoopChanges, ProjectedStep, StoreError};
use futures::StreamExt as _;
use std::sync::Arc;
use std::time::Duration;

/// How often it is asked what has changed.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(500);
/// The same at most, while it does not answer.
const FOLLOW_INTERVAL_MOST: Duration = Duration::from_secs(5);
/// Loops that are asked at once.
const AT_ONCE: usize = 16;
/// Loops whose news are written in one transaction.
const CHUNK: usize = 64;

impl ElsewhereEngine {
    /// Follows it until the journal here cannot be written.
    pub(super) async fn follow(&self) -> StoreError {
        match self.forget_recordings().await {
            // It is said by what follows, and goes on.
            Ok(()) | Err(StoreError::Unreachable { .. }) => {}
            Err(error) => return error,
        }
        let mut interval = FOLLOW_INTERVAL;
        loop {
            let problem = match self.catch_up().await {
                Ok(()) => {
                    self.look_at_work().await;
                    None
                }
                Err(error @ ElsewhereError::Store(StoreError::Unreachable { .. })) => Some(error),
                Err(ElsewhereError::Store(error)) => return error,
                Err(error) => Some(error),
            };
            interval = match &problem {
                None => FOLLOW_INTERVAL,
                Some(_) => (interval * 2).min(FOLLOW_INTERVAL_MOST),
            };
            self.set_problem(problem);
            tokio::time::sleep(interval).await;
        }
    }

    fn set_problem(&self, failed: Option<ElsewhereError>) {
        let problem = failed.clone().map(UserError::from);
        let mut shown = self.lock_shown();
        if shown.problem == problem {
            return;
        }
        match &failed {
            Some(error) => tracing::warn!(%error, "loops elsewhere cannot be followed"),
            None => tracing::info!("loops elsewhere are followed"),
        }
        shown.problem = problem;
        drop(shown);
        self.tell(EngineChange::Standing);
    }

    /// Takes over all that has changed since it was last asked.
    async fn catch_up(&self) -> Result<(), ElsewhereError> {
        let since = self.lock_shown().position;
        let told = self.source.changes(&self.host, since).await?;
        self.check_engine(&told).await?;
        self.take_pause(told.pause.clone()).await?;
        if since == Some(told.position) {
            return Ok(());
        }
        let changed = match told.changed {
            Some(changed) => changed,
            None => self.source.loops(&self.host).await?,
        };
        let mut failed = None;
        for chunk in changed.chunks(CHUNK) {
            let asked: Vec<_> = chunk.iter().map(|id| self.news_of(id)).collect();
            let asked = futures::stream::iter(asked).buffer_unordered(AT_ONCE);
            let answers: Vec<_> = asked.collect().await;
            let mut steps = Vec::new();
            for answer in answers {
                match answer {
                    Ok(news) => steps.extend(news),
                    Err(error) => failed = Some(error),
                }
            }
            self.take_steps(steps).await?;
        }
        // What could not be taken over is asked for again: the position stays.
        if let Some(error) = failed {
            return Err(error);
        }
        self.journal.set_projection_position(told.position).await?;
        self.lock_shown().position = Some(told.position);
        Ok(())
    }

    /// Whether it is the engine whose loops this folder shows, and the journal; the first that says its name is.
    async fn check_engine(&self, told: &LoopChanges) -> Result<(), ElsewhereError> {
        let known = self.lock_shown().engine.clone();
        let is_known = known.is_none() || known == told.engine;
        if !is_known || !self.journal.claim_for(told.engine.as_deref()).await? {
            return Err(ElsewhereError::AnotherEngine {
                address: self.source.address().to_owned(),
            });
        }
        if let (None, Some(engine)) = (known, &told.engine) {
            Origin::of(Some(engine.clone()))
                .with_views_in_database(self.is_shared)
                .write(&self.folder)?;
            self.lock_shown().engine = Some(engine.clone());
        }
        Ok(())
    }

    /// Takes over whether everything is paused.
    pub(super) async fn look_at_pause(&self) -> Result<(), ElsewhereError> {
        let since = self.lock_shown().position;
        let told = self.source.changes(&self.host, since).await?;
        Ok(self.take_pause(told.pause).await?)
    }

    async fn take_pause(&self, pause: Option<Pause>) -> Result<(), StoreError> {
        if self.lock_shown().pause == pause {
            return Ok(());
        }
        self.journal.set_pause(pause.as_ref()).await?;
        self.lock_shown().pause = pause;
        self.tell(EngineChange::Standing);
        Ok(())
    }

    /// Takes over who works and who waits, with one call for all loops; none where nobody can.
    async fn look_at_work(&self) {
        let seen = {
            let shown = self.lock_shown();
            if !shown.may_have_work() {
                return;
            }
            shown.work.revision
        };
        let work = match self.source.work(&self.host, seen).await {
            Ok(None) => return,
            Ok(Some(work)) => ShownWork::told(work),
            Err(error) => {
                // Loops are shown all the same, and whether the engine answers is seen by the next look at them.
                tracing::debug!(%error, "it is not known who works");
                ShownWork::unknown()
            }
        };
        let (changed, is_same) = {
            let mut shown = self.lock_shown();
            let is_same = shown.work == work;
            let changed = shown.take_work(work);
            let states = changed.iter().filter_map(|id| shown.loops.get(id));
            let states: Vec<_> = states.map(|it| it.state.clone()).collect();
            (states, is_same)
        };
        if is_same {
            return;
        }
        for state in changed {
            self.tell(EngineChange::Loop(state));
        }
        self.tell(EngineChange::Standing);
    }

    /// Takes over what one loop has to tell; the version that is shown then.
    pub(super) async fn refresh(&self, id: &LoopId) -> Result<Option<u64>, ElsewhereError> {
        let steps = self.news_of(id).await?;
        self.take_steps(steps).await?;
        let shown = self.lock_shown();
        Ok(shown.loops.get(id).and_then(|shown| shown.version))
    }

    async fn news_of(&self, id: &LoopId) -> Result<Vec<ProjectedStep>, ElsewhereError> {
        let known = {
            let shown = self.lock_shown();
            let known = shown.loops.get(id);
            known.map(|known| (known.version, known.state.clone()))
        };
        let known = known.as_ref().map(|(version, state)| KnownLoop {
            version: *version,
            state,
        });
        let after = known.and_then(|known| known.version).unwrap_or(0);
        let entries = self.source.history(id, after).await?;
        if let Some(steps) = steps_of(known, &entries, &self.zone) {
            return Ok(steps);
        }
        let Some(now) = self.source.state(id).await? else {
            return Ok(Vec::new());
        };
        if lags_behind(known, &entries, &now) {
            return Ok(Vec::new());
        }
        tracing::debug!(%id, after, "what led to a loop is not known: it is shown as it stands");
        Ok(vec![replaced(known, now)])
    }

    /// Writes steps down, then shows what they came to.
    async fn take_steps(&self, steps: Vec<ProjectedStep>) -> Result<(), StoreError> {
        if steps.is_empty() {
            return Ok(());
        }
        self.journal.project(&steps).await?;
        let ends_run = steps.iter().any(|step| {
            let ran = step.applied.from.is_some_and(|from| !from.is_terminal());
            ran && step.applied.state.run.state.is_terminal()
        });
        for step in steps {
            self.show(step);
        }
        match ends_run {
            true => self.forget_recordings().await,
            false => Ok(()),
        }
    }

    fn show(&self, step: ProjectedStep) {
        let mut shown = self.lock_shown();
        let known = shown.loops.get(&step.applied.state.id);
        // Two may have asked at once: what is older is shown no more.
        if known.is_some_and(|known| known.version >= Some(step.version)) {
            return;
        }
        let state = Arc::new(step.applied.state);
        let now = ShownLoop {
            version: Some(step.version),
            state: state.clone(),
        };
        shown.loops.insert(state.id.clone(), now);
        drop(shown);
        self.tell(EngineChange::Loop(state));
    }

    async fn forget_recordings(&self) -> Result<(), StoreError> {
        let before = crate::clock::now().minus(self.replayable_ms);
        self.journal.forget_recordings(before).await.map(drop)
    }

    fn tell(&self, change: EngineChange) {
        // Without a listener there is nobody to miss it.
        let _ = self.changes.send(change);
    }
}

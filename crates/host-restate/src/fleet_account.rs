//! What a session on a worker may spend: asked of the object that knows what all of them do (§15).

use crate::messages::{ReserveRequest, SessionOffer, SessionSpending};
use crate::runtime::Runtime;
use async_trait::async_trait;
use collie_core::budget::{Budget, BudgetExceeded, BudgetLimit, day_of};
use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::usage::Usage;
use collie_engine::ports::BudgetAccount;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a worker waits before it asks again where there was no answer.
const ASK_INTERVAL: Duration = Duration::from_secs(2);

/// The account of one session.
pub(crate) struct FleetAccount {
    runtime: Arc<Runtime>,
    /// Tells this run of the session from every other.
    name: String,
    loop_id: LoopId,
    /// What the pull request had spent before.
    spent_before: Usage,
    /// What the repository itself lets be spent on one of its pull requests.
    repository: BudgetLimit,
    own: Mutex<Own>,
    /// The number of what was said last. Held while something is said: one after the other.
    sequence: tokio::sync::Mutex<u64>,
}

#[derive(Clone, Copy, Default)]
struct Own {
    spent: Usage,
    reserved: Usage,
}

impl FleetAccount {
    /// One for a session that begins.
    pub fn open(runtime: Arc<Runtime>, offer: &SessionOffer, state: &LoopState) -> Self {
        // A worker may be offered the same attempt twice.
        let run = uuid::Uuid::new_v4();
        Self {
            runtime,
            name: format!("{}/{}/{run}", offer.effect, offer.attempt),
            loop_id: state.id.clone(),
            spent_before: state.spent(),
            repository: state.run.configuration.policy.budget,
            own: Mutex::default(),
            sequence: tokio::sync::Mutex::default(),
        }
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn budget(&self) -> Budget {
        let limits = &self.runtime.ports.policy_source;
        limits.budget().with_repository(self.repository)
    }

    /// Says what the session came to, until that is heard. What cost nothing and set nothing aside is not told of.
    pub async fn close(&self) {
        let mut sequence = self.sequence.lock().await;
        let own = *self.own();
        if *sequence == 0 && own.spent.is_nothing() {
            return;
        }
        *sequence += 1;
        let ended = Own {
            reserved: Usage::default(),
            ..own
        };
        let (told, _) = self.describe(ended, *sequence, false);
        while let Err(error) = self.runtime.ingress.report_spending(&told).await {
            tracing::warn!(%error, "what a session came to was not heard");
            tokio::time::sleep(ASK_INTERVAL).await;
        }
    }

    fn describe(&self, own: Own, sequence: u64, is_open: bool) -> (SessionSpending, Time) {
        let at = self.runtime.ports.clock.now();
        let (day, day_ends) = day_of(at, &self.runtime.config.time_zone);
        let told = SessionSpending {
            name: self.name.clone(),
            loop_id: self.loop_id.clone(),
            spent_before: self.spent_before,
            spent: own.spent,
            reserved: own.reserved,
            is_open,
            sequence,
            at,
            day,
        };
        (told, day_ends)
    }
}

#[async_trait]
impl BudgetAccount for FleetAccount {
    /// Nothing is called before it is known that it may be: while the engine does not answer, the session waits.
    async fn reserve(&self, worst: Usage) -> Result<(), BudgetExceeded> {
        let budget = self.budget();
        if budget.is_none() {
            self.own().reserved += worst;
            return Ok(());
        }
        let mut sequence = self.sequence.lock().await;
        *sequence += 1;
        let own = *self.own();
        let (session, day_ends) = self.describe(own, *sequence, true);
        let asked = ReserveRequest {
            session,
            worst,
            budget,
            day_ends,
        };
        let refused = loop {
            match self.runtime.ingress.reserve_spending(&asked).await {
                Ok(refused) => break refused,
                Err(error) => tracing::warn!(%error, "it is not known what may still be spent"),
            }
            tokio::time::sleep(ASK_INTERVAL).await;
        };
        if let Some(exceeded) = refused {
            return Err(exceeded);
        }
        self.own().reserved += worst;
        Ok(())
    }

    /// Told with the next call, or at the end: until then a little more is set aside than need be.
    fn replace(&self, reserved: Usage, by: Usage) {
        let mut own = self.own();
        own.reserved = own.reserved.since(&reserved);
        own.reserved += by;
    }

    fn spend(&self, _on: &str, usage: Usage) {
        self.own().spent += usage;
    }
}

//! What is measured of a session while it goes on.

use async_trait::async_trait;
use collie_core::budget::BudgetExceeded;
use collie_core::event::{SessionFailed, SessionFailure};
use collie_core::session::{AgentSession, RefusedHosts};
use collie_core::usage::Usage;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts what a session spends (§15), and names the hosts that it was refused (§9.5), while it does: whatever becomes of it, that is
/// known. Clones count together.
#[derive(Clone, Default)]
pub struct SessionMeter {
    measured: Arc<Mutex<Measured>>,
    account: Option<Arc<dyn BudgetAccount>>,
}

#[derive(Debug, Default)]
struct Measured {
    usage: Usage,
    refused_hosts: RefusedHosts,
    agent_session: Option<AgentSession>,
}

/// What a session may spend.
#[async_trait]
pub trait BudgetAccount: Send + Sync {
    /// Sets the worst case of a call aside.
    ///
    /// # Errors
    ///
    /// The limit that the call might pass; nothing is set aside then.
    async fn reserve(&self, worst: Usage) -> Result<(), BudgetExceeded>;

    /// Sets something else aside in its place, whatever the limits: it is spent, or given back.
    fn replace(&self, reserved: Usage, by: Usage);

    /// Counts what was spent on a model, called `provider/name`, or on an agent.
    fn spend(&self, on: &str, usage: Usage);
}

/// What is set aside for a call; dropping it gives it back.
#[must_use]
pub struct Reservation {
    account: Option<Arc<dyn BudgetAccount>>,
    reserved: Usage,
}

impl Reservation {
    /// Keeps what the call came to set aside, until its session counts it, and gives the rest back.
    pub fn shrink_to(&mut self, spent: Usage) {
        if let Some(account) = &self.account {
            account.replace(self.reserved, spent);
        }
        self.reserved = spent;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(account) = &self.account {
            account.replace(self.reserved, Usage::default());
        }
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reservation").field(&self.reserved).finish()
    }
}

impl fmt::Debug for SessionMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionMeter")
            .field(&*self.measured())
            .finish()
    }
}

impl SessionMeter {
    /// One of a session that may not spend what it likes.
    pub fn with_account(account: Arc<dyn BudgetAccount>) -> Self {
        Self {
            account: Some(account),
            ..Self::default()
        }
    }

    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the worst case of a call aside before it is made.
    ///
    /// # Errors
    ///
    /// The limit that it might pass: the call must not be made.
    pub async fn reserve(&self, worst: Usage) -> Result<Reservation, BudgetExceeded> {
        if let Some(account) = &self.account {
            account.reserve(worst).await?;
        }
        Ok(Reservation {
            account: self.account.clone(),
            reserved: worst,
        })
    }

    /// Counts more that was spent on a model, called `provider/name`, or on an agent.
    pub fn add(&self, on: &str, more: Usage) {
        if let Some(account) = &self.account {
            account.spend(on, more);
        }
        self.measured().usage += more;
    }

    /// All of it so far.
    pub fn total(&self) -> Usage {
        self.measured().usage
    }

    /// Names hosts that an agent, or what prepared the verification, wanted to reach and may not.
    pub fn add_refused_hosts(&self, more: RefusedHosts) {
        let refused = &mut self.measured().refused_hosts;
        refused.agent.extend(more.agent);
        refused.prepare.extend(more.prepare);
    }

    /// All of them so far.
    pub fn refused_hosts(&self) -> RefusedHosts {
        self.measured().refused_hosts.clone()
    }

    /// Says which session the fixer's agent can go on with, and what was paid of it.
    pub fn set_agent_session(&self, session: AgentSession) {
        self.measured().agent_session = Some(session);
    }

    /// The one that it can go on with: of the turn before, or of an earlier look at the same pull request.
    pub fn agent_session(&self) -> Option<AgentSession> {
        self.measured().agent_session.clone()
    }

    /// What a session came to that failed.
    pub(crate) fn failed(&self, failure: SessionFailure) -> SessionFailed {
        let Measured {
            usage,
            refused_hosts,
            agent_session: _,
        } = &*self.measured();
        SessionFailed {
            failure,
            usage: *usage,
            refused_hosts: refused_hosts.clone(),
        }
    }
}

//! What is measured of a session while it goes on.

use collie_core::event::{SessionFailed, SessionFailure};
use collie_core::session::RefusedHosts;
use collie_core::usage::Usage;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts what a session spends (§15), and names the hosts that it was refused (§9.5), while it does: whatever becomes of it, that is
/// known. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct SessionMeter(Arc<Mutex<Measured>>);

#[derive(Debug, Default)]
struct Measured {
    usage: Usage,
    refused_hosts: RefusedHosts,
}

impl SessionMeter {
    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts more.
    pub fn add(&self, more: Usage) {
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

    /// What a session came to that failed.
    pub(crate) fn failed(&self, failure: SessionFailure) -> SessionFailed {
        let Measured {
            usage,
            refused_hosts,
        } = &*self.measured();
        SessionFailed {
            failure,
            usage: *usage,
            refused_hosts: refused_hosts.clone(),
        }
    }
}

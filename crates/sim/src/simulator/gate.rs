//! What every call to the outside passes: time goes by, a fault may strike, and the process may die before and after it.

use super::draw::Draw;
use super::schedule::{Call, Fault, MINUTE, Schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

#[derive(Debug, Default)]
struct Counts {
    calls: BTreeMap<Call, u64>,
    awaits: u64,
    struck: BTreeMap<(Call, Fault), u64>,
    died: u64,
    died_at: Option<u64>,
}

/// Counts calls over all lives of the process.
#[derive(Debug)]
pub struct Gate {
    draw: Draw,
    strikes: BTreeMap<(Call, u64), Fault>,
    crashes: BTreeSet<u64>,
    counts: Mutex<Counts>,
    dies: Notify,
}

impl Gate {
    /// The faults of a schedule.
    pub fn new(schedule: &Schedule) -> Self {
        let strikes = schedule.strikes.iter();
        Self {
            draw: Draw::new(schedule.seed),
            strikes: strikes
                .map(|strike| ((strike.call, strike.nth), strike.fault))
                .collect(),
            crashes: schedule.crashes.iter().copied().collect(),
            counts: Mutex::default(),
            dies: Notify::new(),
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call: what strikes it.
    pub async fn enter(&self, call: Call) -> Option<Fault> {
        let nth = {
            let mut counts = self.counts();
            let nth = counts.calls.entry(call).or_default();
            *nth += 1;
            *nth - 1
        };
        self.pass().await;
        let fault = self.strikes.get(&(call, nth)).copied();
        let (least, most) = match (call, fault) {
            (Call::Write | Call::Read, _) => (1, 3),
            (_, Some(Fault::Slow)) => (20_000, 3 * MINUTE),
            (Call::Review | Call::Fix, _) => (5_000, 4 * MINUTE),
            (Call::Vet, _) => (500, MINUTE),
            (Call::Prepare | Call::Push, _) => (200, 8_000),
            _ => (40, 900),
        };
        let takes = self.draw.between(("takes", call, nth), least, most);
        tokio::time::sleep(Duration::from_millis(takes)).await;
        if let Some(fault) = fault {
            *self.counts().struck.entry((call, fault)).or_default() += 1;
        }
        fault
    }

    /// Whether the next call of this kind will meet a rate limit.
    pub fn is_limited_next(&self, call: Call) -> bool {
        let next = self.counts().calls.get(&call).copied().unwrap_or_default();
        self.strikes.get(&(call, next)) == Some(&Fault::RateLimited)
    }

    /// Ends a call: what it did is done, and its answer not yet taken in.
    pub async fn leave(&self) {
        self.pass().await;
    }

    /// An await, at which the process may die.
    async fn pass(&self) {
        let dies = {
            let mut counts = self.counts();
            let at = counts.awaits;
            counts.awaits += 1;
            let dies = self.crashes.contains(&at);
            counts.died += u64::from(dies);
            if dies {
                counts.died_at = Some(at);
            }
            dies
        };
        if dies {
            self.dies.notify_one();
            std::future::pending::<()>().await;
        }
    }

    /// Ends when the process dies.
    pub async fn death(&self) {
        self.dies.notified().await;
    }

    /// How often it died.
    pub fn died(&self) -> u64 {
        self.counts().died
    }

    /// The await at which it has died; none where it has ended by itself. Given once.
    pub fn take_death(&self) -> Option<u64> {
        self.counts().died_at.take()
    }

    /// Awaits so far.
    pub fn awaits(&self) -> u64 {
        self.counts().awaits
    }

    /// How often each call was made.
    pub fn calls(&self) -> BTreeMap<Call, u64> {
        self.counts().calls.clone()
    }

    /// Which faults have struck, and how often.
    pub fn struck(&self) -> BTreeMap<(Call, Fault), u64> {
        self.counts().struck.clone()
    }
}

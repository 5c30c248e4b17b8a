//! What all players of one play share.

use super::agenda::Agenda;
use super::draw::Draw;
use super::gate::Gate;
use super::promises::Promises;
use super::remote::Remote;
use super::schedule::Schedule;
use super::torn::{EarlierCheckpoints, TornFiles};
use async_trait::async_trait;
use collie_core::ids::{RunId, Time};
use collie_engine::ports::Clock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// When a play begins.
pub const START: Time = Time(1_800_000_000_000);
/// Collie's clock is looked at again at least so often.
const SLICE: Duration = Duration::from_secs(30);

/// Time: that of the world, and Collie's, which may be off.
#[derive(Debug)]
pub struct SimulatedClock {
    draw: Draw,
    /// The world's time when the present runtime began, and its own measure of that moment.
    began: Mutex<(Time, Option<Instant>)>,
    skew: AtomicI64,
    set: watch::Sender<()>,
    drawn: AtomicU64,
    runs: AtomicU64,
}

impl SimulatedClock {
    fn new(draw: Draw) -> Self {
        Self {
            draw,
            began: Mutex::new((START, None)),
            skew: AtomicI64::new(0),
            set: watch::Sender::default(),
            drawn: AtomicU64::new(0),
            runs: AtomicU64::new(0),
        }
    }

    fn began(&self) -> MutexGuard<'_, (Time, Option<Instant>)> {
        self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The world's time.
    pub fn world(&self) -> Time {
        match *self.began() {
            (time, Some(instant)) => {
                let passed = Instant::now().duration_since(instant).as_millis();
                time.plus(u64::try_from(passed).unwrap_or_default())
            }
            (time, None) => time,
        }
    }

    /// Begins another life, in a runtime of its own, so long after the last one.
    pub fn begin_life(&self, last: Time, later_ms: u64) {
        *self.began() = (last.plus(later_ms), Some(Instant::now()));
    }

    /// Lets time stand still: no runtime measures it any more.
    pub fn stop(&self, at: Time) {
        *self.began() = (at, None);
    }

    /// Sets Collie's clock off by so much more.
    pub fn shift(&self, by_ms: i64) {
        self.skew.fetch_add(by_ms, Ordering::Relaxed);
        self.set.send_replace(());
    }
}

#[async_trait]
impl Clock for SimulatedClock {
    fn now(&self) -> Time {
        Time(self.world().0 + self.skew.load(Ordering::Relaxed))
    }

    async fn sleep_until(&self, time: Time) {
        let mut set = self.set.subscribe();
        loop {
            let left = Duration::from_millis(time.since(self.now()));
            if left.is_zero() {
                return;
            }
            // A clock that is put back makes a wait longer, as on any machine.
            tokio::select! {
                biased;
                _ = set.changed() => {}
                () = tokio::time::sleep(left.min(SLICE.max(left / 2))) => {}
            }
        }
    }

    fn jitter(&self) -> u16 {
        let nth = self.drawn.fetch_add(1, Ordering::Relaxed);
        u16::try_from(self.draw.below(("jitter", nth), 1_000)).unwrap_or_default()
    }

    fn run_id(&self) -> RunId {
        let nth = self.runs.fetch_add(1, Ordering::Relaxed);
        RunId::new(format!("run-{nth}"))
    }
}

/// The stage of one play.
#[derive(Debug)]
pub struct Stage {
    /// What is played.
    pub schedule: Schedule,
    /// What chance goes by.
    pub draw: Draw,
    /// Time.
    pub clock: SimulatedClock,
    /// What every call passes.
    pub gate: Gate,
    /// What will happen by itself.
    pub agenda: Agenda,
    remote: Mutex<Remote>,
    promises: Mutex<Promises>,
    torn: Mutex<TornFiles>,
    earlier: Mutex<EarlierCheckpoints>,
    log: Mutex<Vec<String>>,
    /// The world's time at which each reading was made, by Collie's.
    pub read_at: Mutex<BTreeMap<Time, Time>>,
}

impl Stage {
    /// Before anything has happened.
    pub fn new(schedule: &Schedule) -> Self {
        let draw = Draw::new(schedule.seed);
        Self {
            schedule: schedule.clone(),
            draw,
            clock: SimulatedClock::new(draw),
            gate: Gate::new(schedule),
            agenda: Agenda::default(),
            remote: Mutex::new(Remote::new(draw, &schedule.setting, START)),
            promises: Mutex::default(),
            torn: Mutex::default(),
            earlier: Mutex::default(),
            log: Mutex::default(),
            read_at: Mutex::default(),
        }
    }

    /// GitHub.
    pub fn remote(&self) -> MutexGuard<'_, Remote> {
        self.remote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What must hold.
    pub fn promises(&self) -> MutexGuard<'_, Promises> {
        self.promises.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What deaths have left of files.
    pub fn torn(&self) -> MutexGuard<'_, TornFiles> {
        self.torn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The checkpoints before the newest.
    pub fn earlier(&self) -> MutexGuard<'_, EarlierCheckpoints> {
        self.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line of what happened.
    pub fn log(&self, text: impl AsRef<str>) {
        let at = self.clock.world().since(START);
        let line = format!("{:>9}.{:03} {}", at / 1_000, at % 1_000, text.as_ref());
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }

    /// Says that a promise was broken.
    pub fn breach(&self, what: impl Into<String>) {
        let what = what.into();
        self.log(format!("BROKEN: {what}"));
        self.promises().breach(what);
    }

    /// What happened so far.
    pub fn lines(&self) -> Vec<String> {
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

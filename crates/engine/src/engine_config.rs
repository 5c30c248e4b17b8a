//! Numbers of the engine.

/// Numbers of the engine itself. Times in milliseconds.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Loops that review or fix at once (3).
    pub slots: usize,
    /// Pull requests in one reading (1,000): the port divides them into queries, so that what changed here and there is read together.
    pub batch: usize,
    /// How often requests of other processes are looked for (300 ms).
    pub requests_every_ms: u64,
    /// How long after a doubtful write it is first looked for, and again (2 s; §8.2).
    pub doubt_delay_ms: u64,
    /// One review session (15 min).
    pub review_deadline_ms: u64,
    /// One fix session, gates included (30 min).
    pub fix_deadline_ms: u64,
    /// How long children get when the engine stops (8 s).
    pub grace_ms: u64,
    /// How long a run can be replayed after it ended (30 days).
    pub replayable_ms: u64,
    /// Where a day ends at midnight (§15): that of the machine.
    pub time_zone: jiff::tz::TimeZone,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            slots: 3,
            batch: 1_000,
            requests_every_ms: 300,
            doubt_delay_ms: 2_000,
            review_deadline_ms: 15 * 60_000,
            fix_deadline_ms: 30 * 60_000,
            grace_ms: 8_000,
            replayable_ms: 30 * 24 * 60 * 60_000,
            time_zone: jiff::tz::TimeZone::system(),
        }
    }
}

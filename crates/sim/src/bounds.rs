//! How much may happen in a search: what people and bots may do, and how often things go wrong.

use crate::world::bot;
use collie_core::policy::{KnownBot, Policy, ReviewerKind, ReviewerSpec, StageSpec};
use std::collections::BTreeSet;

/// Between two readings, in milliseconds; longer than a reading after a push may stay stale (§3.6).
pub const POLL_MS: u64 = 30_000;

/// How often each thing may happen on one path; a field is counted down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Pushes by a person.
    pub pushes: u8,
    /// Threads that a person opens.
    pub comments: u8,
    /// Requests for changes by a person.
    pub reviews: u8,
    /// Times that a person makes it a draft.
    pub drafts: u8,
    /// Times that a person switches auto-merge on.
    pub auto_merges: u8,
    /// Times that a person closes or merges it.
    pub ends: u8,
    /// Times that a person cancels the run.
    pub cancels: u8,
    /// Runs that a person begins after one has ended.
    pub next_runs: u8,
    /// Looks of the review bot at a head. Without any there is no bot, and nobody waits for one.
    pub bot_looks: u8,
    /// Those of them that open a thread.
    pub bot_threads: u8,
    /// Times that the bot contradicts an answer in its thread.
    pub bot_insists: u8,
    /// Red checks.
    pub red_checks: u8,
    /// Looks of the reviewer that find something.
    pub findings: u8,
    /// Times that the process dies: with nothing under way, or after an effect was done and before its answer was stored.
    pub crashes: u8,
    /// Answers that come twice.
    pub duplicates: u8,
    /// Answers and readings that come later than others, or never.
    pub delays: u8,
    /// Readings that show what was before the last write.
    pub stale_readings: u8,
    /// Readings that fail.
    pub failed_readings: u8,
    /// Sessions that break off.
    pub failed_sessions: u8,
    /// Posts that land and whose answer is lost.
    pub lost_answers: u8,
    /// Posts whose answer is lost and that land later.
    pub late_writes: u8,
    /// Posts that meet a rate limit.
    pub rate_limits: u8,
    /// Long times in which nothing is read: a laptop that sleeps.
    pub sleeps: u8,
}

/// One search.
#[derive(Clone, Debug)]
pub struct Search {
    /// What it is called.
    pub name: &'static str,
    /// How many pull requests there are.
    pub pulls: u8,
    /// How many reviews and fixes may go on at once.
    pub slots: u8,
    /// Pushes by Collie before a person is asked.
    pub max_iterations: u32,
    /// What may happen.
    pub bounds: Bounds,
}

impl Search {
    /// What a loop goes by.
    pub fn policy(&self) -> Policy {
        let bots: Vec<KnownBot> = match self.bounds.bot_looks {
            0 => Vec::new(),
            _ => vec![bot().clone()],
        };
        Policy {
            max_iterations: self.max_iterations,
            ci_timeout_ms: 2 * POLL_MS,
            bot_timeout_ms: POLL_MS,
            poll_interval_ms: POLL_MS,
            ready_poll_interval_ms: POLL_MS,
            red_collect_ms: POLL_MS,
            missing_grace_ms: POLL_MS,
            no_checks_grace_ms: POLL_MS,
            gone_ms: 2 * POLL_MS,
            max_restarts: 2,
            // What it hears after the end are commands alone, which nobody gives here.
            listen_after_end_ms: 0,
            max_turns: 3,
            session_retries: 1,
            stages: vec![StageSpec {
                reviewers: vec![ReviewerSpec {
                    name: "quinn".into(),
                    kind: ReviewerKind::Agent,
                    may_escalate_to: BTreeSet::new(),
                }],
            }],
            bots: bots.clone(),
            expected_bots: bots.iter().map(|bot| bot.id).collect(),
            ..Policy::default()
        }
    }
}

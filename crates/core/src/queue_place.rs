//! What a loop waits for whose work could begin (§2, §6.4).

use crate::ids::PullName;

/// How a loop stands in the queue for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePlace {
    /// Its place, from 1.
    pub position: u32,
    /// The pull request whose loop makes or pushes a commit for the same head branch: that is waited for, whether a slot is free or not.
    pub branch_held_by: Option<PullName>,
}

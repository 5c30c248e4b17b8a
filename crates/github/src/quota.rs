//! How much GitHub still lets us ask.

use collie_core::ids::Time;

/// How much of one quota is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// What is left.
    pub remaining: u64,
    /// What there is an hour.
    pub limit: u64,
    /// When all of it is there again.
    pub resets_at: Time,
}

/// The quotas as the last answers told them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Of GraphQL, in points; none before the first answer, or where the host has no limits.
    pub graphql: Option<Quota>,
    /// Of REST, in requests; none before the first answer, or where the host has no limits.
    pub rest: Option<Quota>,
    /// Until when GitHub asked to wait; none when a call may be made.
    pub paused_until: Option<Time>,
}

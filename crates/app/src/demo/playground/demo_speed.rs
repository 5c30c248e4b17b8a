//! How fast a demo goes.

/// How fast checks, bots and people are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoSpeed {
    /// As fast as they can: for tests.
    Fast,
    /// So that somebody can watch: checks take seconds, bots and people too.
    Watchable,
}

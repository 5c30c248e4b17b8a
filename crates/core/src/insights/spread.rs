//! The middle of many durations, and how far they lie apart.

/// The quartiles of some durations, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many there are.
    pub count: u32,
    /// A quarter is at most this.
    pub lower: u64,
    /// Half is at most this.
    pub median: u64,
    /// Three quarters are at most this.
    pub upper: u64,
}

impl Spread {
    /// Of these; none of nothing. Between two it interpolates, as spreadsheets do (`QUARTILE.INC`).
    pub fn of(mut all: Vec<u64>) -> Option<Self> {
        all.sort_unstable();
        let last = all.len().checked_sub(1)?;
        let quartile = |quarters: usize| {
            let (at, rest) = (last * quarters / 4, last * quarters % 4);
            let below = all.get(at).copied().unwrap_or_default();
            let above = all.get(at + 1).copied().unwrap_or(below);
            below + (above - below) * rest as u64 / 4
        };
        Some(Self {
            count: u32::try_from(all.len()).unwrap_or(u32::MAX),
            lower: quartile(1),
            median: quartile(2),
            upper: quartile(3),
        })
    }
}

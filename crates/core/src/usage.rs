//! Tokens and money (§15).

use serde::{Deserialize, Serialize};

/// Tokens and money spent by a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens in.
    pub input_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// Millionths of a dollar, as far as prices are known.
    pub cost_micros: u64,
    /// Some of it was spent where no price is known, so that it cost more than `cost_micros`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
    /// The tokens of that, in and out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unpriced_tokens: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What something cost, as far as prices are known: a model without one is never free (§15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The known part, in millionths of a dollar.
    pub micros: u64,
    /// There is a part that no price is known for.
    pub unpriced: bool,
}

impl Cost {
    /// The known part; none where nothing is known of it.
    pub fn known_micros(self) -> Option<u64> {
        (self.micros > 0 || !self.unpriced).then_some(self.micros)
    }
}

impl Usage {
    /// Whether nothing was spent.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// What was spent after `before`, of which it is the continuation.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(before.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(before.output_tokens),
            cost_micros: self.cost_micros.saturating_sub(before.cost_micros),
            unpriced: self.unpriced_tokens > before.unpriced_tokens
                || (self.unpriced && !before.unpriced),
            unpriced_tokens: self.unpriced_tokens.saturating_sub(before.unpriced_tokens),
        }
    }

    /// The same, of which no price is known.
    #[must_use]
    pub fn without_price(self) -> Self {
        Self {
            unpriced: true,
            unpriced_tokens: self.input_tokens.saturating_add(self.output_tokens),
            ..self
        }
    }

    /// What it cost.
    pub fn cost(&self) -> Cost {
        Cost {
            micros: self.cost_micros,
            unpriced: self.unpriced,
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cost_micros = self.cost_micros.saturating_add(more.cost_micros);
        self.unpriced = self.unpriced || more.unpriced;
        self.unpriced_tokens = self.unpriced_tokens.saturating_add(more.unpriced_tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_price_is_known_for_stays_unknown_when_it_is_added_up() {
        let spent = |cost_micros, unpriced| Usage {
            input_tokens: 10,
            output_tokens: 1,
            cost_micros,
            unpriced,
            unpriced_tokens: if unpriced { 11 } else { 0 },
        };
        let mut all = spent(0, true);
        assert_eq!(all.cost().known_micros(), None, "it is no zero");
        all += spent(7, false);
        assert_eq!((all.cost().known_micros(), all.unpriced), (Some(7), true));
        assert_eq!(all.unpriced_tokens, 11);
        assert_eq!(
            all.since(&spent(0, true)),
            spent(7, false),
            "and apart again"
        );
        assert_eq!(Usage::default().cost().known_micros(), Some(0));
        let only_unknown = Usage {
            unpriced: true,
            ..Usage::default()
        };
        assert!(!only_unknown.is_nothing());
    }

    #[test]
    fn what_was_kept_before_there_was_such_a_thing_is_read_as_known() {
        let kept = r#"{"input_tokens":1,"output_tokens":2,"cost_micros":3}"#;
        let usage: Usage = serde_json::from_str(kept).expect("an older form");
        assert!(!usage.unpriced);
        assert_eq!(serde_json::to_string(&usage).expect("plain data"), kept);
    }
}

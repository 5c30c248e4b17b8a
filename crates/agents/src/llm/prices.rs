//! What tokens cost, as data: a table that ships, and the caller's own before it.

use super::model::Model;
use super::provider::Provider;
use super::usage::{LlmUsage, TokenUsage};
use collie_core::usage::Cost;
use jiff::civil::Date;
use serde::Deserialize;

/// The table that ships.
const SHIPPED: &str = include_str!("../../prices.toml");

/// Prices per model. All are millionths of a dollar per million tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prices {
    /// The first that has a price for a model tells it.
    tables: Vec<Vec<ModelPrice>>,
}

/// A table of prices that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prices cannot be read: {reason}")]
pub struct InvalidPrices {
    /// Where and why.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceTable {
    #[serde(default)]
    price: Vec<ModelPrice>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelPrice {
    provider: Provider,
    model: String,
    /// The first day, in UTC, on which it holds; without it, from the beginning.
    from: Option<Date>,
    input: u64,
    /// Without it, kept tokens cost what others do: the most that it can be.
    cached_input: Option<u64>,
    /// Without it, tokens cost nothing more for being kept.
    stored_input: Option<u64>,
    output: u64,
    /// What a question of more tokens costs, all of it.
    long: Option<LongContextPrice>,
    /// When the numbers were looked up. For people.
    looked_up: String,
    /// Where. For people.
    source: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongContextPrice {
    over: u64,
    input: u64,
    cached_input: Option<u64>,
    stored_input: Option<u64>,
    output: u64,
}

impl Default for Prices {
    fn default() -> Self {
        Self::read(SHIPPED).expect("a test reads the table that ships")
    }
}

impl Prices {
    /// Reads a table in the form of the one that ships (`crates/agents/prices.toml`).
    pub fn read(toml: &str) -> Result<Self, InvalidPrices> {
        let table: PriceTable = toml::from_str(toml).map_err(|e| InvalidPrices {
            reason: e.to_string(),
        })?;
        Ok(Self {
            tables: vec![table.price],
        })
    }

    /// The prices of `own`, and these where it has none.
    pub fn with_overrides(self, own: Self) -> Self {
        Self {
            tables: own.tables.into_iter().chain(self.tables).collect(),
        }
    }

    /// What was spent on that day, each request rounded up. What the service itself says of a request counts before any
    /// table; tokens that neither has a price for leave the cost [`Cost::unpriced`], never at a zero that is a guess.
    pub fn cost(&self, model: &Model, usage: &LlmUsage, day: Date) -> Cost {
        let price = self.price_of(model, day);
        let mut cost = Cost::default();
        for request in &usage.requests {
            let table = || price.map(|price| price.rates_for(request.input_tokens).cost(request));
            match request.reported_cost_micros.or_else(table) {
                Some(micros) => cost.micros = cost.micros.saturating_add(micros),
                None => cost.unpriced |= !request.is_nothing(),
            }
        }
        cost
    }

    /// The cost in millionths of a dollar, where all of it is known.
    pub fn cost_micros(&self, model: &Model, usage: &LlmUsage, day: Date) -> Option<u64> {
        let cost = self.cost(model, usage, day);
        (!cost.unpriced).then_some(cost.micros)
    }

    fn price_of(&self, model: &Model, day: Date) -> Option<&ModelPrice> {
        let holds = |price: &&ModelPrice| {
            price.matches_model(model) && price.from.is_none_or(|first| first <= day)
        };
        self.tables.iter().find_map(|table| {
            // Of two that began on one day the first counts.
            let holding = table.iter().rev().filter(holds);
            holding.max_by_key(|price| price.from)
        })
    }
}

impl ModelPrice {
    fn rates_for(&self, input_tokens: u64) -> TokenRates {
        match self.long {
            Some(long) if input_tokens > long.over => TokenRates {
                input: long.input,
                cached_input: long.cached_input.unwrap_or(long.input),
                stored_input: long.stored_input.unwrap_or(long.input),
                output: long.output,
            },
            Some(_) | None => TokenRates {
                input: self.input,
                cached_input: self.cached_input.unwrap_or(self.input),
                stored_input: self.stored_input.unwrap_or(self.input),
                output: self.output,
            },
        }
    }

    fn matches_model(&self, model: &Model) -> bool {
        self.provider == model.provider
            && model
                .name
                .strip_prefix(&self.model)
                .is_some_and(is_version_suffix)
    }
}

/// Whether this is what is added to the name of a model to name one of its versions: nothing, or a date.
fn is_version_suffix(rest: &str) -> bool {
    let Some(date) = rest.strip_prefix('-') else {
        return rest.is_empty();
    };
    let digits = date.bytes().filter(u8::is_ascii_digit).count();
    date == "latest" || (digits == 8 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// What each kind of token costs.
struct TokenRates {
    input: u64,
    cached_input: u64,
    stored_input: u64,
    output: u64,
}

impl TokenRates {
    fn cost(&self, usage: &TokenUsage) -> u64 {
        let kept = usage.cached_input_tokens + usage.stored_input_tokens;
        let micros: u128 = [
            (usage.input_tokens.saturating_sub(kept), self.input),
            (usage.cached_input_tokens, self.cached_input),
            (usage.stored_input_tokens, self.stored_input),
            (usage.output_tokens, self.output),
        ]
        .into_iter()
        .map(|(tokens, rate)| u128::from(tokens) * u128::from(rate))
        .sum();
        u64::try_from(micros.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const TODAY: Date = date(2026, 11, 24);

    fn usage_of(input: u64, cached: u64, stored: u64, output: u64) -> LlmUsage {
        LlmUsage {
            requests: vec![TokenUsage {
                input_tokens: input,
                cached_input_tokens: cached,
                stored_input_tokens: stored,
                output_tokens: output,
                ..TokenUsage::default()
            }],
        }
    }

    fn check(provider: Provider, name: &str, usage: LlmUsage, expect: Option<u64>) {
        let cost = Prices::default().cost_micros(&Model::new(provider, name), &usage, TODAY);
        assert_eq!(cost, expect, "{provider}/{name} {usage:?}");
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let (p, opus) = (Provider::Anthropic, "claude-opus-5-5");
        check(p, opus, usage_of(1_000_000, 0, 0, 0), Some(4_000_000));
        check(p, opus, usage_of(1_000_000, 1_000_000, 0, 0), Some(200_000));
        check(
            p,
            opus,
            usage_of(1_000_000, 0, 1_000_000, 0),
            Some(5_000_000),
        );
        check(p, opus, usage_of(0, 0, 0, 1_000_000), Some(20_000_000));
        check(
            p,
            opus,
            usage_of(1_000, 600, 300, 10),
            Some(100 * 4 + 120 + 1_500 + 200),
        );
        check(p, opus, usage_of(1, 0, 0, 0), Some(4));
        check(p, opus, usage_of(1, 1, 0, 0), Some(1));
    }

    #[test]
    fn a_long_question_costs_more_as_a_whole() {
        let (p, haiku) = (Provider::Anthropic, "claude-haiku-5-5");
        check(p, haiku, usage_of(100_000, 0, 0, 0), Some(10_000));
        check(p, haiku, usage_of(100_001, 0, 0, 0), Some(50_001));
        let mut two = usage_of(60_000, 0, 0, 0);
        two.requests.extend(usage_of(60_000, 0, 0, 0).requests);
        check(p, haiku, two, Some(12_000));
    }

    #[test]
    fn a_dated_version_costs_what_the_model_does_and_another_model_is_unknown() {
        let one = || usage_of(200_000, 0, 0, 0);
        check(
            Provider::Anthropic,
            "claude-sonnet-4-5-20250929",
            one(),
            Some(600_000),
        );
        check(
            Provider::OpenAi,
            "gpt-5-mini-2025-08-07",
            one(),
            Some(50_000),
        );
        check(Provider::OpenAi, "gpt-5-mini-high", one(), None);
        check(Provider::Anthropic, "claude-opus-5-6", one(), None);
        check(Provider::Compatible, "claude-opus-5-5", one(), None);
    }

    #[test]
    fn what_the_service_says_of_the_cost_counts_before_any_table() {
        let routed = Model::new(Provider::OpenRouter, "any/model");
        let mut usage = usage_of(1_000, 0, 0, 10);
        let prices = Prices::default();
        let unknown = Cost {
            micros: 0,
            unpriced: true,
        };
        assert_eq!(prices.cost(&routed, &usage, TODAY), unknown);
        let mut told = usage.requests[0];
        told.reported_cost_micros = Some(1_234);
        usage.requests.push(told);
        let both = Cost {
            micros: 1_234,
            unpriced: true,
        };
        assert_eq!(prices.cost(&routed, &usage, TODAY), both);
        usage.requests.remove(0);
        assert_eq!(prices.cost_micros(&routed, &usage, TODAY), Some(1_234));
        let unasked = LlmUsage {
            requests: vec![TokenUsage::default()],
        };
        assert_eq!(prices.cost(&routed, &unasked, TODAY), Cost::default());
    }

    #[test]
    fn a_price_holds_from_its_day_on() {
        let flash = Model::new(Provider::Gemini, "gemini-3.8-flash");
        let usage = usage_of(1_000_000, 0, 0, 1_000_000);
        let own = r#"
            [[price]]
            provider = "gemini"
            model = "gemini-3.8-flash"
            input = 1
            output = 1
            looked_up = "2026-11-22"
            source = "our contract"
        "#;
        let own = Prices::default().with_overrides(Prices::read(own).unwrap());
        for (day, shipped) in [
            (date(2026, 12, 31), 4_500_000),
            (date(2027, 1, 1), 9_000_000),
        ] {
            let cost = Prices::default().cost_micros(&flash, &usage, day);
            assert_eq!(cost, Some(shipped), "{day}");
            assert_eq!(own.cost_micros(&flash, &usage, day), Some(2), "{day}");
        }
    }

    #[test]
    fn the_callers_prices_come_first() {
        let own = r#"
            [[price]]
            provider = "compatible"
            model = "ours"
            input = 0
            output = 0
            looked_up = "2026-11-22"
            source = "our own machine"

            [[price]]
            provider = "anthropic"
            model = "claude-opus-5-5"
            input = 1_000_000
            output = 1
            looked_up = "2026-11-22"
            source = "our contract"
        "#;
        let prices = Prices::default().with_overrides(Prices::read(own).unwrap());
        let cost = |provider, name| {
            prices.cost_micros(
                &Model::new(provider, name),
                &usage_of(1_000_000, 500_000, 0, 0),
                TODAY,
            )
        };
        assert_eq!(cost(Provider::Compatible, "ours"), Some(0));
        assert_eq!(
            cost(Provider::Anthropic, "claude-opus-5-5"),
            Some(1_000_000)
        );
        assert_eq!(cost(Provider::Anthropic, "claude-opus-5"), Some(2_750_000));
    }

    #[test]
    fn a_table_with_a_mistake_is_reported_where() {
        let bad = "[[price]]\nprovider = \"anthropc\"\n";
        let said = Prices::read(bad).unwrap_err().to_string();
        assert!(
            said.contains("line 2") && said.contains("anthropc"),
            "{said}"
        );
    }
}

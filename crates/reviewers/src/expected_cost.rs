//! What reviews by a model may cost, before there was one: sizes that were measured, at the prices that are known.

use super::models::unkeyed_model;
use super::usage::load_prices;
use collie_agents::llm::{LlmUsage, Model, Prices, TokenUsage};
use collie_config::{Config, LlmSettings};
use collie_core::user_error::UserError;
use jiff::civil::Date;

/// Tokens of a first review: the middle half of the pull requests in docs/measurements.md.
pub const FIRST_REVIEW_TOKENS: (u64, u64) = (5_759, 41_011);

/// Tokens of the review after a fix, of the same ones.
pub const NEXT_REVIEW_TOKENS: (u64, u64) = (2_961, 3_970);

/// Answers were not measured: they hang on the model. Their price is told for so many tokens.
pub const ANSWER_TOKENS: u64 = 1_000;

/// What reviews cost, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedCost {
    /// A first review's prompt: least and most of the usual.
    pub first: (u64, u64),
    /// The same after a fix.
    pub next: (u64, u64),
    /// [`ANSWER_TOKENS`] of an answer.
    pub answer: u64,
}

/// What reviews by this model may cost; none where its price is not known.
///
/// # Errors
/// The user's own prices cannot be read.
pub fn expected_cost(
    config: &Config,
    settings: &LlmSettings,
) -> Result<Option<ExpectedCost>, UserError> {
    let prices = load_prices(config)?;
    let model = unkeyed_model(settings)?;
    let utc = jiff::tz::TimeZone::UTC;
    let day = jiff::Timestamp::now().to_zoned(utc).date();
    Ok(cost_at(&prices, &model, day))
}

fn cost_at(prices: &Prices, model: &Model, day: Date) -> Option<ExpectedCost> {
    let of = |input_tokens, output_tokens| {
        let request = TokenUsage {
            input_tokens,
            output_tokens,
            ..TokenUsage::default()
        };
        let usage = LlmUsage {
            requests: vec![request],
        };
        prices.cost_micros(model, &usage, day)
    };
    let range = |(least, most)| Some((of(least, 0)?, of(most, 0)?));
    Some(ExpectedCost {
        first: range(FIRST_REVIEW_TOKENS)?,
        next: range(NEXT_REVIEW_TOKENS)?,
        answer: of(0, ANSWER_TOKENS)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_agents::llm::Provider;

    /// The quartiles of a column of the newest table of pull requests.
    fn middle_half(column: usize) -> (u64, u64) {
        let page = include_str!("../../../docs/measurements.md");
        let (_, table) = page
            .split_once("| repository | commit | lines | first, now |")
            .unwrap();
        let rows = table
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with('|'));
        let cell = |row: &str| row.split('|').nth(column)?.trim().parse().ok();
        let mut all: Vec<u64> = rows.map(|row| cell(row).unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all.len(), 21);
        (all[5], all[15])
    }

    #[test]
    fn the_sizes_are_those_that_were_measured() {
        assert_eq!(middle_half(4), FIRST_REVIEW_TOKENS);
        assert_eq!(middle_half(5), NEXT_REVIEW_TOKENS);
    }

    #[test]
    fn a_price_that_nobody_knows_is_none_and_a_known_one_is_multiplied() {
        let prices = Prices::read(
            "[[price]]\nprovider = \"compatible\"\nmodel = \"m\"\ninput = 3_000_000\noutput = 15_000_000\nlooked_up = \"2026-11-24\"\nsource = \"a test\"\n",
        );
        let prices = prices.unwrap();
        let day = Date::constant(2026, 11, 24);
        let cost = |name| cost_at(&prices, &Model::new(Provider::Compatible, name), day);
        assert_eq!(cost("other"), None);
        let known = cost("m").unwrap();
        assert_eq!(known.answer, 15_000);
        assert_eq!(known.next.0, NEXT_REVIEW_TOKENS.0 * 3);
    }
}

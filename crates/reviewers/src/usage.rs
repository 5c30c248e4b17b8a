//! What models and agents cost (§15).

use collie_agents::acp::{Resumption, TurnEnd, TurnUsage};
use collie_agents::llm::{LlmUsage, Model, Prices};
use collie_config::Config;
use collie_core::error_code::ErrorCode;
use collie_core::ids::Time;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use std::io::ErrorKind;

/// The prices that ship, and the user's own `prices.toml` over them.
pub(super) fn load_prices(config: &Config) -> Result<Prices, UserError> {
    let shipped = Prices::default();
    let wrong = |message: String| UserError::new(ErrorCode::PricesInvalid).with("message", message);
    match std::fs::read_to_string(config.home.join("prices.toml")) {
        Ok(text) => {
            let own = Prices::read(&text).map_err(|error| wrong(error.reason))?;
            Ok(shipped.with_overrides(own))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(shipped),
        Err(error) => Err(wrong(error.to_string())),
    }
}

pub(super) fn model_usage(prices: &Prices, model: &Model, usage: &LlmUsage, now: Time) -> Usage {
    let now = jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let day = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let cost = prices.cost(model, usage, day);
    if cost.unpriced {
        tracing::info!(%model, "this model has no price: what it cost is not known");
    }
    let total = usage.total();
    let spent = Usage {
        input_tokens: total.input_tokens,
        output_tokens: total.output_tokens,
        cost_micros: cost.micros,
        ..Usage::default()
    };
    if cost.unpriced {
        spent.without_price()
    } else {
        spent
    }
}

/// What an agent tells of one turn. Cached tokens are tokens in. It tells what its whole session has cost: what it had told before, in
/// millionths of a dollar, is not this turn's where it went on with that session.
pub(super) fn agent_turn_usage(end: &TurnEnd, reported_before: u64) -> Usage {
    let before = match end.resumption {
        Resumption::Resumed => reported_before,
        Resumption::Fresh | Resumption::Lost { .. } => 0,
    };
    let tokens = agent_tokens(end.usage.unwrap_or_default());
    // It says what its session costs, or nobody knows it.
    if end.session_cost_usd.is_none() {
        return tokens.without_price();
    }
    Usage {
        cost_micros: micros_from_dollars(end.session_cost_usd).saturating_sub(before),
        ..tokens
    }
}

/// Tokens as an agent tells them: cached ones are tokens in. Nothing is said of their price.
pub(super) fn agent_tokens(told: TurnUsage) -> Usage {
    let cached = told
        .cached_read_tokens
        .saturating_add(told.cached_write_tokens);
    Usage {
        input_tokens: told.input_tokens.saturating_add(cached),
        output_tokens: told.output_tokens,
        ..Usage::default()
    }
}

/// Dollars in millionths, rounded up; what is no amount is nothing.
pub(super) fn micros_from_dollars(dollars: Option<f64>) -> u64 {
    let micros = dollars.unwrap_or(0.0) * 1_000_000.0;
    // In range: at most a million dollars, so the conversion neither wraps nor loses its sign.
    if (0.0..=1e12).contains(&micros) {
        micros.ceil() as u64
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_agents::acp::StopReason;
    use collie_agents::llm::{Provider, TokenUsage};

    fn spent(model: &Model) -> Usage {
        let usage = LlmUsage {
            requests: vec![TokenUsage {
                input_tokens: 1_000,
                output_tokens: 10,
                ..TokenUsage::default()
            }],
        };
        model_usage(&Prices::default(), model, &usage, Time(1_795_000_000_000))
    }

    #[test]
    fn a_model_without_a_price_has_an_unknown_cost_and_no_zero() {
        let known = spent(&Model::new(Provider::Anthropic, "claude-opus-5-5"));
        assert_eq!((known.cost_micros, known.unpriced), (4_200, false));
        let unknown = spent(&Model::new(Provider::Compatible, "ours"));
        assert_eq!((unknown.input_tokens, unknown.unpriced), (1_000, true));
        assert_eq!(unknown.cost().known_micros(), None);
    }

    #[test]
    fn an_agent_that_does_not_say_what_it_cost_has_an_unknown_cost() {
        let mut end = TurnEnd {
            text: String::new(),
            text_cut: false,
            stop_reason: StopReason::EndTurn,
            session_id: "s".into(),
            resumption: Resumption::Fresh,
            usage: None,
            session_cost_usd: Some(0.5),
            tools: Vec::new(),
            tools_left_out: 0,
            refused: Vec::new(),
            untaken: Vec::new(),
        };
        let told = agent_turn_usage(&end, 0);
        assert_eq!((told.cost_micros, told.unpriced), (500_000, false));
        end.session_cost_usd = None;
        assert_eq!(agent_turn_usage(&end, 0).cost().known_micros(), None);
    }
}

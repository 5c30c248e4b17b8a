//! What models and agents cost (§15).

use collie_agents::acp::{Resumption, TurnEnd};
use collie_agents::llm::{LlmUsage, Model, Prices};
use collie_config::Config;
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::ids::Time;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use std::io::ErrorKind;

/// The prices that ship, and the user's own `prices.toml` over them.
pub(super) fn load_prices(config: &Config) -> Result<Prices, SessionFailure> {
    let shipped = Prices::default();
    let wrong = |message: String| {
        let error = UserError::new(ErrorCode::PricesInvalid).with("message", message);
        SessionFailure::permanent(error)
    };
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
    let cost = prices.cost_micros(model, usage, day);
    if cost.is_none() {
        tracing::info!(%model, "this model has no price: its cost is not counted");
    }
    let total = usage.total();
    Usage {
        input_tokens: total.input_tokens,
        output_tokens: total.output_tokens,
        cost_micros: cost.unwrap_or(0),
    }
}

/// What an agent tells of one turn. Cached tokens are tokens in. It tells what its whole session has cost: what it had told before, in
/// millionths of a dollar, is not this turn's where it went on with that session.
pub(super) fn agent_turn_usage(end: &TurnEnd, reported_before: u64) -> Usage {
    let reported = end.usage.unwrap_or_default();
    let before = match end.resumption {
        Resumption::Resumed => reported_before,
        Resumption::Fresh | Resumption::Lost { .. } => 0,
    };
    Usage {
        input_tokens: reported.input_tokens
            + reported.cached_read_tokens
            + reported.cached_write_tokens,
        output_tokens: reported.output_tokens,
        cost_micros: micros_from_dollars(end.session_cost_usd).saturating_sub(before),
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

//! Whether models and agents may be asked, by what is left to spend (§15).

use crate::usage::{load_prices, model_usage};
use async_trait::async_trait;
use collie_agents::llm::{LlmUsage, Model, Prices, RequestBound, SpendingGate, TokenUsage};
use collie_config::Config;
use collie_core::budget::BudgetExceeded;
use collie_core::event::SessionFailure;
use collie_core::ids::Time;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ports::{Reservation, SessionMeter};
use std::sync::{Arc, Mutex, PoisonError};

/// What the requests of one question may cost. While it lives, what they came to stays set aside.
#[derive(Debug)]
pub(super) struct PromptBudget {
    meter: SessionMeter,
    prices: Prices,
    now: Time,
    reserved: Mutex<Vec<Reservation>>,
}

impl PromptBudget {
    pub(super) fn new(meter: &SessionMeter, prices: &Prices, now: Time) -> Self {
        Self {
            meter: meter.clone(),
            prices: prices.clone(),
            now,
            reserved: Mutex::default(),
        }
    }

    fn usage(&self, model: &Model, request: TokenUsage) -> Usage {
        let requests = vec![request];
        model_usage(&self.prices, model, &LlmUsage { requests }, self.now)
    }

    /// What a request costs at the most: some services take more for a question that they keep.
    fn worst_case(&self, model: &Model, bound: RequestBound) -> Usage {
        let plain = TokenUsage {
            input_tokens: bound.input_tokens,
            output_tokens: bound.output_tokens,
            ..TokenUsage::default()
        };
        let kept = TokenUsage {
            stored_input_tokens: bound.input_tokens,
            ..plain
        };
        let (plain, kept) = (self.usage(model, plain), self.usage(model, kept));
        if kept.cost_micros > plain.cost_micros {
            kept
        } else {
            plain
        }
    }
}

#[async_trait]
impl SpendingGate for PromptBudget {
    async fn reserve(&self, model: &Model, bound: RequestBound) -> Result<(), BudgetExceeded> {
        let reservation = self.meter.reserve(self.worst_case(model, bound)).await?;
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        reserved.push(reservation);
        Ok(())
    }

    fn settle(&self, model: &Model, spent: &TokenUsage) {
        let spent = self.usage(model, *spent);
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = reserved.last_mut() {
            last.shrink_to(spent);
        }
    }
}

/// What a question that belongs to no review may cost, and where that is counted.
#[derive(Debug)]
pub struct QuestionBudget {
    gate: Arc<PromptBudget>,
}

impl QuestionBudget {
    /// One that the meter's account pays.
    ///
    /// # Errors
    /// The user's own prices cannot be read.
    pub fn new(config: &Config, meter: &SessionMeter, now: Time) -> Result<Self, UserError> {
        let prices = load_prices(config)?;
        let gate = Arc::new(PromptBudget::new(meter, &prices, now));
        Ok(Self { gate })
    }

    /// What is asked before each request.
    pub fn gate(&self) -> Arc<dyn SpendingGate> {
        self.gate.clone()
    }

    /// Counts what the question came to.
    pub fn count(&self, model: &Model, usage: &LlmUsage) {
        let PromptBudget {
            meter, prices, now, ..
        } = self.gate.as_ref();
        meter.add(&model.to_string(), model_usage(prices, model, usage, *now));
    }
}

/// Whether an agent may begin a turn: nobody knows what that costs, so that something has to be left, in dollars and in tokens.
pub(super) async fn check_agent_budget(meter: &SessionMeter) -> Result<(), SessionFailure> {
    let nothing = Usage::default();
    for unknown in [nothing, nothing.without_price()] {
        meter
            .reserve(unknown)
            .await
            .map(drop)
            .map_err(|exceeded| SessionFailure::OverBudget { exceeded })?;
    }
    Ok(())
}

//! Several models for one question: the next takes over when one is down, out of quota, or refuses its key (§15).

use super::exchange::{Llm, LlmProgress, LlmRequest};
use super::failure::LlmFailure;
use super::model::Model;
use super::usage::LlmUsage;
use collie_core::session::{TakeOver, TakeOverReason};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What came of a question to several models, one after the other.
#[derive(Debug)]
pub struct ChainOutcome<T> {
    /// What the last one said, or why nobody did.
    pub result: Result<T, LlmFailure>,
    /// What each spent that was asked, by its place.
    pub spent: Vec<(usize, LlmUsage)>,
    /// Who took over from another, and why.
    pub take_overs: Vec<TakeOver>,
}

impl Llm {
    /// Asks the first of these models, and the next where that one cannot be had: [`LlmFailure::take_over_reason`].
    ///
    /// One that could not be had is not asked again for a while, as long as another is left. All but the last are given half
    /// of the time that is left, so that there is some for those that take over.
    ///
    /// # Panics
    ///
    /// Without a model.
    pub async fn complete_json_with<T>(
        &self,
        models: &[Model],
        request: &LlmRequest,
        validate: impl Fn(&Value) -> Result<T, String>,
        on_progress: &(dyn Fn(LlmProgress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> ChainOutcome<T> {
        let began = Instant::now();
        let order = self.breakers.in_order(models, began);
        let mut spent = Vec::new();
        let mut take_overs = Vec::new();
        let mut given_up = order.passed_over;
        let mut asked = order.asked.into_iter().peekable();
        let result = loop {
            let at = asked.next().expect("the last one ends it");
            let (model, is_last) = (&models[at], asked.peek().is_none());
            if let Some(reason) = given_up.take() {
                let model = model.to_string();
                take_overs.push(TakeOver { model, reason });
            }
            let left = request.deadline.saturating_sub(began.elapsed());
            let share = LlmRequest {
                deadline: if is_last { left } else { left / 2 },
                ..request.clone()
            };
            let answer = self.complete_json(model, &share, &validate, on_progress, cancel);
            match answer.await {
                Ok((value, answer)) => {
                    self.breakers.close(model);
                    spent.push((at, answer.usage));
                    break Ok(value);
                }
                Err(failed) => {
                    spent.push((at, failed.usage));
                    given_up = self.give_up(model, &failed.failure);
                    if given_up.is_none() || is_last {
                        break Err(failed.failure);
                    }
                }
            }
        };
        ChainOutcome {
            result,
            spent,
            take_overs,
        }
    }

    /// Leaves a model alone for a while that could not be had, and says why.
    fn give_up(&self, model: &Model, failure: &LlmFailure) -> Option<TakeOverReason> {
        let reason = failure.take_over_reason()?;
        let until = Instant::now() + breaker_time(failure);
        self.breakers.open(model, until, Some(reason));
        tracing::warn!(%model, ?reason, "a model cannot be had");
        Some(reason)
    }
}

impl LlmFailure {
    /// Why another model should take over; none where it would be asked something wrong too, or where nobody waits any more.
    pub fn take_over_reason(&self) -> Option<TakeOverReason> {
        match self {
            Self::Unavailable { .. }
            | Self::Unreachable { .. }
            | Self::LoginUnanswered { .. }
            | Self::StreamInterrupted { .. }
            | Self::DeadlineExceeded { .. } => Some(TakeOverReason::Down),
            Self::RateLimited { .. } | Self::NoCredit { .. } => Some(TakeOverReason::OutOfQuota),
            Self::Unauthorized { .. } | Self::LoginRefused { .. } | Self::NoKey { .. } => {
                Some(TakeOverReason::KeyRefused)
            }
            Self::BadAddress { .. }
            | Self::NotListed { .. }
            | Self::BadSchema { .. }
            | Self::ModelNotFound { .. }
            | Self::ContextTooLong { .. }
            | Self::PromptCut { .. }
            | Self::Refused { .. }
            | Self::RequestRejected { .. }
            | Self::MaxTokensReached { .. }
            | Self::EmptyAnswer { .. }
            | Self::SchemaMismatch { .. }
            | Self::OverBudget { .. }
            | Self::Cancelled { .. } => None,
        }
    }
}

/// How long one that is down is left alone.
const DOWN_TIME: Duration = Duration::from_secs(2 * 60);

/// How long one is left alone that refuses the key: somebody has to mend that.
const KEY_TIME: Duration = Duration::from_secs(5 * 60);

/// How long one is left alone whose account is empty.
const CREDIT_TIME: Duration = Duration::from_secs(15 * 60);

/// The longest wait of a service that is believed.
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

fn breaker_time(failure: &LlmFailure) -> Duration {
    match failure {
        LlmFailure::RateLimited { wait, .. } => {
            wait.unwrap_or(DOWN_TIME).clamp(DOWN_TIME / 2, MAX_WAIT)
        }
        LlmFailure::NoCredit { .. } => CREDIT_TIME,
        LlmFailure::Unauthorized { .. }
        | LlmFailure::LoginRefused { .. }
        | LlmFailure::NoKey { .. } => KEY_TIME,
        _ => DOWN_TIME,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_believed_how_long_to_wait_within_reason() {
        let limited = |seconds: u64| {
            breaker_time(&LlmFailure::RateLimited {
                model: String::new(),
                wait: Some(Duration::from_secs(seconds)),
                message: String::new(),
            })
        };
        let waits = [1, 600, 1_000_000].map(|seconds| limited(seconds).as_secs());
        assert_eq!(waits, [60, 600, 3_600]);
    }
}

//! Several models for one question: the next takes over when one is down, out of quota, or refuses its key (§15).

use super::exchange::{Llm, LlmProgress, LlmRequest};
use super::failure::LlmFailure;
use super::model::Model;
use super::usage::LlmUsage;
use collie_core::session::{TakeOver, TakeOverReason};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
        let mut outcome = ChainOutcome {
            result: Err(LlmFailure::Cancelled {
                model: String::new(),
            }),
            spent: Vec::new(),
            take_overs: Vec::new(),
        };
        let mut given_up = order.passed_over;
        for (place, &at) in order.asked.iter().enumerate() {
            let model = &models[at];
            let is_last = place + 1 == order.asked.len();
            if let Some(reason) = given_up.take() {
                outcome.take_overs.push(TakeOver {
                    model: model.to_string(),
                    reason,
                });
            }
            let left = request.deadline.saturating_sub(began.elapsed());
            let share = LlmRequest {
                deadline: if is_last { left } else { left / 2 },
                ..request.clone()
            };
            let asked = self.complete_json(model, &share, &validate, on_progress, cancel);
            match asked.await {
                Ok((value, answer)) => {
                    self.breakers.close(model);
                    outcome.spent.push((at, answer.usage));
                    outcome.result = Ok(value);
                    return outcome;
                }
                Err(failed) => {
                    outcome.spent.push((at, failed.usage));
                    given_up = failed.failure.take_over_reason();
                    if given_up.is_some() {
                        let rest = breaker_time(&failed.failure);
                        self.breakers.open(model, Instant::now() + rest, given_up);
                    }
                    let is_over = given_up.is_none() || is_last;
                    outcome.result = Err(failed.failure);
                    if is_over {
                        return outcome;
                    }
                    tracing::warn!(%model, reason = ?given_up, "a model cannot be had: the next takes over");
                }
            }
        }
        outcome
    }
}

impl LlmFailure {
    /// Why another model should take over; none where it would be asked something wrong too, or where nobody waits any more.
    pub fn take_over_reason(&self) -> Option<TakeOverReason> {
        match self {
            Self::Unavailable { .. }
            | Self::Unreachable { .. }
            | Self::StreamInterrupted { .. }
            | Self::DeadlineExceeded { .. } => Some(TakeOverReason::Down),
            Self::RateLimited { .. } | Self::NoCredit { .. } => Some(TakeOverReason::OutOfQuota),
            Self::Unauthorized { .. } | Self::NoKey { .. } => Some(TakeOverReason::KeyRefused),
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
        LlmFailure::Unauthorized { .. } | LlmFailure::NoKey { .. } => KEY_TIME,
        _ => DOWN_TIME,
    }
}

/// Models that could not be had, until when they are left alone, and why. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Breakers(Arc<Mutex<HashMap<String, Broken>>>);

#[derive(Clone, Copy, Debug)]
struct Broken {
    until: Instant,
    reason: Option<TakeOverReason>,
}

/// Whom to ask, by place.
#[derive(Debug, PartialEq, Eq)]
struct AskOrder {
    asked: Vec<usize>,
    /// Why those before the first of them are left alone.
    passed_over: Option<TakeOverReason>,
}

impl Breakers {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Broken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, model: &Model, until: Instant, reason: Option<TakeOverReason>) {
        self.all().insert(key(model), Broken { until, reason });
    }

    fn close(&self, model: &Model) {
        self.all().remove(&key(model));
    }

    /// All that are not left alone; all of them where that leaves nobody.
    fn in_order(&self, models: &[Model], now: Instant) -> AskOrder {
        assert!(!models.is_empty(), "somebody has to be asked");
        let broken = self.all();
        let broken: Vec<Option<Broken>> = models
            .iter()
            .map(|model| broken.get(&key(model)).copied())
            .map(|found| found.filter(|broken| broken.until > now))
            .collect();
        let whole = |at: &usize| broken[*at].is_none();
        let asked: Vec<usize> = (0..models.len()).filter(whole).collect();
        match asked.first() {
            None => AskOrder {
                asked: (0..models.len()).collect(),
                passed_over: None,
            },
            Some(&first) => AskOrder {
                passed_over: broken[..first].last().and_then(|found| (*found)?.reason),
                asked,
            },
        }
    }
}

/// A model of one service: the same model elsewhere may well answer.
fn key(model: &Model) -> String {
    format!("{model} {}", model.url.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Provider;

    #[test]
    fn one_that_could_not_be_had_is_left_alone_for_a_while_if_another_is_there() {
        let models = ["a", "b"].map(|name| Model::new(Provider::OpenAi, name));
        let breakers = Breakers::default();
        let now = Instant::now();
        let order = |now| breakers.in_order(&models, now);
        let all = |passed_over, asked: &[usize]| AskOrder {
            asked: asked.to_vec(),
            passed_over,
        };
        assert_eq!(order(now), all(None, &[0, 1]));
        let until = now + Duration::from_secs(60);
        breakers.open(&models[0], until, Some(TakeOverReason::OutOfQuota));
        assert_eq!(order(now), all(Some(TakeOverReason::OutOfQuota), &[1]));
        assert_eq!(order(until), all(None, &[0, 1]), "it is tried again");
        breakers.open(&models[1], until, Some(TakeOverReason::Down));
        assert_eq!(order(now), all(None, &[0, 1]), "nobody else is left");
        breakers.close(&models[0]);
        assert_eq!(order(now), all(None, &[0]));
        let elsewhere = Model {
            url: Some("https://example.org".into()),
            ..models[1].clone()
        };
        assert_eq!(breakers.in_order(&[elsewhere], now), all(None, &[0]));
    }

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

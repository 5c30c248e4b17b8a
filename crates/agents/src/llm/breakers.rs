//! Models that could not be had, and are left alone for a while.

use super::model::Model;
use collie_core::session::TakeOverReason;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

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
pub(super) struct AskOrder {
    pub(super) asked: Vec<usize>,
    /// Why those before the first of them are left alone.
    pub(super) passed_over: Option<TakeOverReason>,
}

impl Breakers {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Broken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self, model: &Model, until: Instant, reason: Option<TakeOverReason>) {
        self.all()
            .insert(service_key(model), Broken { until, reason });
    }

    pub(super) fn close(&self, model: &Model) {
        self.all().remove(&service_key(model));
    }

    /// All that are not left alone; all of them where that leaves nobody.
    pub(super) fn in_order(&self, models: &[Model], now: Instant) -> AskOrder {
        assert!(!models.is_empty(), "somebody has to be asked");
        let broken = self.all();
        let broken: Vec<Option<Broken>> = models
            .iter()
            .map(|model| broken.get(&service_key(model)).copied())
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
pub(super) fn service_key(model: &Model) -> String {
    format!("{model} {}", model.url.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Provider;
    use std::time::Duration;

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
}

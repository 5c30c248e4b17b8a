//! The deliveries that were sent, for whoever looks at them and sends them again. They end with the process; GitHub's with three days.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::clock::format_time;

/// More than these are not kept.
const CAPACITY: usize = 2_000;

/// What a delivery carries, each time it is sent.
#[derive(Debug, Clone)]
pub(crate) struct SentRequest {
    /// The webhook.
    pub(crate) hook: u64,
    /// The delivery's id, which stays when it is sent again.
    pub(crate) guid: String,
    /// The event.
    pub(crate) event: String,
    /// The repository's id.
    pub(crate) target: u64,
    /// The payload.
    pub(crate) payload: Value,
}

/// One time that it was sent.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    /// Its own number.
    pub(crate) id: u64,
    pub(crate) delivered_at: Timestamp,
    pub(crate) redelivery: bool,
    pub(crate) duration: Duration,
    /// In words.
    pub(crate) status: String,
    pub(crate) status_code: u16,
    pub(crate) request_headers: BTreeMap<String, String>,
    /// Headers and body of what came back.
    pub(crate) answer: Option<(BTreeMap<String, String>, String)>,
    pub(crate) request: SentRequest,
}

impl Delivery {
    pub(crate) fn is_ok(&self) -> bool {
        (200..300).contains(&self.status_code)
    }

    /// GitHub's `hook-delivery-item`.
    pub(crate) fn item_json(&self) -> Value {
        json!({
            "id": self.id,
            "guid": self.request.guid,
            "delivered_at": format_time(self.delivered_at),
            "redelivery": self.redelivery,
            "duration": (self.duration.as_secs_f64() * 100.0).round() / 100.0,
            "status": self.status,
            "status_code": self.status_code,
            "event": self.request.event,
            "action": self.request.payload["action"],
            "installation_id": null,
            "repository_id": self.request.target,
            "throttled_at": null,
        })
    }

    /// GitHub's `hook-delivery`.
    pub(crate) fn json(&self, url: &str) -> Value {
        let mut whole = self.item_json();
        let (headers, payload) = match &self.answer {
            Some((headers, body)) => (json!(headers), json!(body)),
            None => (Value::Null, Value::Null),
        };
        whole["url"] = json!(url);
        whole["request"] =
            json!({"headers": self.request_headers, "payload": self.request.payload});
        whole["response"] = json!({"headers": headers, "payload": payload});
        whole
    }
}

/// The last deliveries.
#[derive(Debug, Default)]
pub(crate) struct DeliveryLog(Mutex<VecDeque<Delivery>>);

impl DeliveryLog {
    pub(crate) fn add(&self, delivery: Delivery) {
        let mut kept = self.lock();
        if kept.len() == CAPACITY {
            kept.pop_front();
        }
        kept.push_back(delivery);
    }

    /// Those of a webhook, newest first.
    pub(crate) fn of(&self, hook: u64) -> Vec<Delivery> {
        let kept = self.lock();
        let own = kept.iter().rev().filter(|one| one.request.hook == hook);
        own.cloned().collect()
    }

    pub(crate) fn last_of(&self, hook: u64) -> Option<Delivery> {
        let kept = self.lock();
        let last = kept.iter().rev().find(|one| one.request.hook == hook);
        last.cloned()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Delivery>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

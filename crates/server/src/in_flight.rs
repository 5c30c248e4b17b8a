//! Events of the API that are carried out right now: each by one request at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// Whose turn it is, by the event's id.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<HashMap<String, Weak<Turn<()>>>>);

impl InFlight {
    /// Waits until no other request carries the event out. It is this one's turn until what is given is dropped.
    pub(crate) async fn begin(&self, id: &str) -> OwnedMutexGuard<()> {
        self.turn(id).lock_owned().await
    }

    fn turn(&self, id: &str) -> Arc<Turn<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(known) = turns.get(id).and_then(Weak::upgrade) {
            return known;
        }
        let turn = Arc::default();
        turns.insert(id.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    #[tokio::test]
    async fn the_second_of_one_event_waits_for_the_first_and_no_other_does() {
        let turns = InFlight::default();
        let first = turns.begin("a").await;
        let mut second = pin!(turns.begin("a"));
        let waits = poll_fn(|context| Poll::Ready(second.as_mut().poll(context).is_pending()));
        assert!(waits.await);
        drop(turns.begin("b").await);
        drop(first);
        drop(second.await);
        let turns = turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(turns.len() <= 2, "nothing is kept for ever");
    }
}

//! Updates on their way to the page: few events, each with all that happened since the last.

use collie_wire::rpc::{Topic, Update};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// At most one batch in this time.
pub const BATCH_INTERVAL: Duration = Duration::from_millis(50);

/// Waits for news and takes all there is; none once nothing more can come.
pub async fn next_batch(updates: &mut Receiver<Update>) -> Option<Vec<Update>> {
    let mut batch = match updates.recv().await {
        Ok(update) => vec![update],
        Err(RecvError::Lagged(_)) => vec![everything_stale()],
        Err(RecvError::Closed) => return None,
    };
    loop {
        match updates.try_recv() {
            Ok(update) => merge_update(&mut batch, update),
            Err(TryRecvError::Lagged(_)) => merge_update(&mut batch, everything_stale()),
            Err(TryRecvError::Empty | TryRecvError::Closed) => return Some(batch),
        }
    }
}

/// More came than was kept for a slow reader: everything has to be read anew.
fn everything_stale() -> Update {
    let topics = vec![Topic::Everything];
    Update::Stale { topics }
}

/// Adds an update to a batch; a change of the same loop, or what else is stale, joins the one that is there.
fn merge_update(batch: &mut Vec<Update>, update: Update) {
    match update {
        Update::Loop { key, changed } => {
            let existing = batch.iter_mut().find_map(|there| match there {
                Update::Loop { key: of, changed } if *of == key => Some(changed),
                Update::Loop { .. }
                | Update::Activity(_)
                | Update::Stale { .. }
                | Update::Show { .. }
                | Update::Notice { .. } => None,
            });
            match existing {
                Some(there) => there.extend(changed),
                None => batch.push(Update::Loop { key, changed }),
            }
        }
        Update::Stale { topics } => {
            let existing = batch.iter_mut().find_map(|there| match there {
                Update::Stale { topics } => Some(topics),
                Update::Loop { .. }
                | Update::Activity(_)
                | Update::Show { .. }
                | Update::Notice { .. } => None,
            });
            match existing {
                Some(there) => topics
                    .into_iter()
                    .for_each(|topic| push_unique(there, topic)),
                None => batch.push(Update::Stale { topics }),
            }
        }
        Update::Activity(view) => {
            let existing = batch.iter_mut().find_map(|there| match there {
                Update::Activity(there) if there.key == view.key => Some(there),
                Update::Activity(_)
                | Update::Loop { .. }
                | Update::Stale { .. }
                | Update::Show { .. }
                | Update::Notice { .. } => None,
            });
            match existing {
                Some(there) => *there = view,
                None => batch.push(Update::Activity(view)),
            }
        }
        Update::Show { .. } | Update::Notice { .. } => batch.push(update),
    }
}

fn push_unique(topics: &mut Vec<Topic>, topic: Topic) {
    if !topics.contains(&topic) {
        topics.push(topic);
    }
}

#[cfg(test)]
mod tests {
    use super::next_batch;
    use collie_core::error_code::ErrorCode;
    use collie_wire::rpc::{Topic, Update};
    use serde_json::{Value, json};
    use tokio::sync::broadcast;

    fn changed(key: &str, fields: Value) -> Update {
        let changed = fields.as_object().expect("an object").clone();
        let key = key.to_owned();
        Update::Loop { key, changed }
    }

    fn stale(topics: &[Topic]) -> Update {
        let topics = topics.to_vec();
        Update::Stale { topics }
    }

    fn message() -> Update {
        let (code, text) = (ErrorCode::Argument, "y".to_owned());
        Update::Notice { code, text }
    }

    async fn check(capacity: usize, sent: Vec<Update>, expect: Vec<Update>) {
        let (sender, mut updates) = broadcast::channel(capacity);
        for update in sent {
            sender.send(update).expect("somebody hears");
        }
        assert_eq!(next_batch(&mut updates).await, Some(expect));
        drop(sender);
        assert_eq!(next_batch(&mut updates).await, None);
    }

    #[tokio::test]
    async fn what_came_together_goes_out_together_and_the_last_word_of_a_field_holds() {
        let sent = vec![
            changed("a/b#1", json!({ "state": "pr_reviewing", "title": "x" })),
            stale(&[Topic::Session]),
            changed("a/b#2", json!({ "iteration": 1 })),
            message(),
            changed("a/b#1", json!({ "state": "pr_fixing" })),
            stale(&[Topic::Session, Topic::Doctor]),
            message(),
        ];
        let expect = vec![
            changed("a/b#1", json!({ "state": "pr_fixing", "title": "x" })),
            stale(&[Topic::Session, Topic::Doctor]),
            changed("a/b#2", json!({ "iteration": 1 })),
            message(),
            message(),
        ];
        check(16, sent, expect).await;
    }

    #[tokio::test]
    async fn a_reader_that_was_too_slow_is_told_to_read_everything_anew() {
        let sent: Vec<Update> = (0..9)
            .map(|n| changed("a/b#1", json!({ "iteration": n })))
            .collect();
        let expect = vec![
            stale(&[Topic::Everything]),
            changed("a/b#1", json!({ "iteration": 8 })),
        ];
        check(4, sent, expect).await;
    }
}

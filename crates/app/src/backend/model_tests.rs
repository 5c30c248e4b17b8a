//! The tests of models that are under way, so that they can be given up.

use super::locking::lock;
use std::collections::BTreeMap;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The tests that are under way, by the table of the model.
#[derive(Default)]
pub(super) struct ModelTests(Mutex<BTreeMap<String, CancellationToken>>);

impl ModelTests {
    /// Begins one, and gives up an earlier one of the same model.
    pub(super) fn begin(&self, table: &str) -> CancellationToken {
        let begun = CancellationToken::new();
        let earlier = lock(&self.0).insert(table.to_owned(), begun.clone());
        if let Some(earlier) = earlier {
            earlier.cancel();
        }
        begun
    }

    /// Gives up the one of a model, if one is under way.
    pub(super) fn stop(&self, table: &str) {
        if let Some(under_way) = lock(&self.0).remove(table) {
            under_way.cancel();
        }
    }
}

//! What happened to a loop of late: an object with the loop's key, beside the loop's own, which stays small.

use crate::fleet_object::FleetObjectClient;
use crate::loop_key::LoopKey;
use collie_engine::HistoryEntry;
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// Where it lies which entries there are.
const INDEX: &str = "index";
/// So many entries of a loop are kept at most.
const MAX_ENTRIES: usize = 64;
/// So large are they together at most, unless a single one is larger.
const MAX_BYTES: usize = 256 << 10;

/// The history of a loop.
pub(crate) struct HistoryObject;

/// Which entries there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Index {
    entries: Vec<IndexedEntry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct IndexedEntry {
    version: u64,
    bytes: usize,
}

impl Index {
    /// Takes an entry in; the versions of those that are kept no more.
    fn add(&mut self, version: u64, bytes: usize) -> Vec<u64> {
        if self.entries.iter().any(|entry| entry.version == version) {
            return Vec::new();
        }
        self.entries.push(IndexedEntry { version, bytes });
        self.entries.sort_by_key(|entry| entry.version);
        let mut gone = Vec::new();
        let size =
            |entries: &[IndexedEntry]| entries.iter().map(|entry| entry.bytes).sum::<usize>();
        while self.entries.len() > 1
            && (self.entries.len() > MAX_ENTRIES || size(&self.entries) > MAX_BYTES)
        {
            gone.push(self.entries.remove(0).version);
        }
        gone
    }
}

#[restate_sdk::object(
    name = "CollieHistory",
    client_visibility = "pub(crate)",
    // An entry is read where somebody asks for it alone.
    lazy_state
)]
impl HistoryObject {
    /// Keeps an entry, and says that there is something new.
    #[handler(ingress_private = true)]
    async fn append(
        &self,
        ctx: ObjectContext<'_>,
        Json(entry): Json<HistoryEntry>,
    ) -> HandlerResult<()> {
        let key: LoopKey = ctx.key().parse()?;
        let mut index = stored(ctx.get::<Json<Index>>(INDEX).await?);
        let text = serde_json::to_string(&entry)?;
        for version in index.add(entry.version, text.len()) {
            ctx.clear(&entry_name(version));
        }
        ctx.set(&entry_name(entry.version), text);
        ctx.set(INDEX, Json(index));
        let fleet = ctx.object_client::<FleetObjectClient>(key.id().host.clone());
        fleet.changed(Json(key)).send();
        Ok(())
    }

    /// The entries after a version, in order, as far as they are kept.
    #[handler]
    async fn since(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(after): Json<u64>,
    ) -> HandlerResult<Json<Vec<HistoryEntry>>> {
        let index = stored(ctx.get::<Json<Index>>(INDEX).await?);
        let mut entries = Vec::new();
        for known in index.entries.iter().filter(|entry| entry.version > after) {
            // One that was let go of meanwhile is missed by whoever asks.
            if let Some(text) = ctx.get::<String>(&entry_name(known.version)).await? {
                entries.push(serde_json::from_str(&text)?);
            }
        }
        Ok(Json(entries))
    }
}

fn stored(index: Option<Json<Index>>) -> Index {
    index.map(Json::into_inner).unwrap_or_default()
}

fn entry_name(version: u64) -> String {
    format!("entry/{version:020}")
}

#[cfg(test)]
mod tests {
    use super::{Index, MAX_BYTES, MAX_ENTRIES};

    #[test]
    fn as_much_is_kept_as_has_room_and_the_newest_always() {
        let mut index = Index::default();
        for version in 1..=MAX_ENTRIES as u64 {
            assert_eq!(index.add(version, 10), Vec::<u64>::new());
        }
        assert_eq!(index.add(65, 10), [1]);
        assert_eq!(index.add(65, 10), Vec::<u64>::new(), "it came twice");
        let gone = index.add(66, 2 * MAX_BYTES);
        assert_eq!(gone.len(), MAX_ENTRIES, "{gone:?}");
        assert_eq!(index.entries.len(), 1);
        // One that came late is in its place.
        let mut index = Index::default();
        index.add(3, 10);
        index.add(2, 10);
        let versions: Vec<u64> = index.entries.iter().map(|entry| entry.version).collect();
        assert_eq!(versions, [2, 3]);
    }
}

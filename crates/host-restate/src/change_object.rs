//! What happened to the loops of a host of late: an object whose key is the host. Each entry of a history is a change, and the changes are
//! counted, so that whoever asks is told which loops have new ones.
//!
//! An entry and its place among the changes are written by one call: whoever is told of a change finds its entry.

use crate::loop_key::LoopKey;
use crate::messages::{AppendRequest, FleetChanges, HistoryRequest};
use collie_core::pause::Pause;
use collie_engine::HistoryEntry;
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where it lies how the changes stand.
const STANDING: &str = "standing";
/// So many changes are kept; who has missed more than these looks at each loop.
const KEPT_CHANGES: u64 = 4_096;
/// So many changes are told at once.
const TOLD_CHANGES: u64 = 512;

/// What happened to the loops of a host.
pub(crate) struct ChangeObject;

/// How the changes of a host stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Standing {
    /// Which engine this is: another one counts its changes anew. None before the first.
    engine: Option<String>,
    /// How many changes there were.
    position: u64,
    /// Whether everything is paused.
    pause: Option<Pause>,
}

impl Standing {
    /// Which changes are told to whoever knows of the first `since`; none where some of them are kept no more, or were of another engine.
    fn told_since(&self, since: u64) -> Option<Range<u64>> {
        let missed = self.position.checked_sub(since)?;
        // The oldest may be let go of while they are read.
        (missed < KEPT_CHANGES - TOLD_CHANGES)
            .then(|| since..self.position.min(since.saturating_add(TOLD_CHANGES)))
    }
}

#[restate_sdk::object(
    name = "CollieChanges",
    client_visibility = "pub(crate)",
    // An entry is read where somebody asks for it alone.
    lazy_state
)]
impl ChangeObject {
    /// Keeps an entry of a loop's history, and lets go of those that it takes the place of.
    #[handler(ingress_private = true)]
    async fn append(
        &self,
        ctx: ObjectContext<'_>,
        Json(AppendRequest { key, entry, kept }): Json<AppendRequest>,
    ) -> HandlerResult<()> {
        let mut standing = stored(ctx.get(STANDING).await?);
        if standing.engine.is_none() {
            let name = ctx.run(|| async { Ok(uuid::Uuid::new_v4().to_string()) });
            standing.engine = Some(name.name("engine").await?);
        }
        // A call costs what it writes: this is written where it changes.
        if !kept.gone.is_empty() || kept.first == entry.version {
            ctx.set(&first_name(&key), kept.first);
        }
        for version in kept.gone {
            ctx.clear(&entry_name(&key, version));
        }
        let text = serde_json::to_string(&entry)?;
        ctx.set(&entry_name(&key, entry.version), text);
        if let Some(gone) = standing.position.checked_sub(KEPT_CHANGES) {
            ctx.clear(&change_name(gone));
        }
        ctx.set(&change_name(standing.position), key.to_string());
        standing.position += 1;
        ctx.set(STANDING, Json(standing));
        Ok(())
    }

    /// Everything was paused, or goes on.
    #[handler(ingress_private = true)]
    async fn paused(
        &self,
        ctx: ObjectContext<'_>,
        Json(pause): Json<Option<Pause>>,
    ) -> HandlerResult<()> {
        let standing = stored(ctx.get(STANDING).await?);
        ctx.set(STANDING, Json(Standing { pause, ..standing }));
        Ok(())
    }

    /// Which loops have changed since so many changes; the position says how far that goes.
    #[handler]
    async fn since(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(since): Json<Option<u64>>,
    ) -> HandlerResult<Json<FleetChanges>> {
        let standing = stored(ctx.get(STANDING).await?);
        let newest = standing.position;
        let told = match since.and_then(|since| standing.told_since(since)) {
            Some(told) => changed_loops(&ctx, told.clone()).await?.zip(Some(told.end)),
            None => None,
        };
        let (changed, position) = told.unzip();
        Ok(Json(FleetChanges {
            engine: standing.engine,
            position: position.unwrap_or(newest),
            newest,
            changed,
            pause: standing.pause,
        }))
    }

    /// What happened to a loop after a version, in order, as far as it is kept.
    #[handler]
    async fn history(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(HistoryRequest { key, after }): Json<HistoryRequest>,
    ) -> HandlerResult<Json<Vec<HistoryEntry>>> {
        let Some(first) = ctx.get::<u64>(&first_name(&key)).await? else {
            return Ok(Json(Vec::new()));
        };
        let mut entries = Vec::new();
        for version in first.max(after.saturating_add(1)).. {
            // The last is the one that none follows. One that was let go of meanwhile is missed by whoever asks, and so are those after it.
            let Some(text) = ctx.get::<String>(&entry_name(&key, version)).await? else {
                break;
            };
            entries.push(serde_json::from_str(&text)?);
        }
        Ok(Json(entries))
    }
}

/// The loops of some changes, each once; none where some are kept no more.
async fn changed_loops(
    ctx: &SharedObjectContext<'_>,
    changes: Range<u64>,
) -> HandlerResult<Option<Vec<LoopKey>>> {
    let mut keys = BTreeSet::new();
    for change in changes {
        let Some(key) = ctx.get::<String>(&change_name(change)).await? else {
            return Ok(None);
        };
        keys.insert(key.parse()?);
    }
    Ok(Some(keys.into_iter().collect()))
}

fn stored(standing: Option<Json<Standing>>) -> Standing {
    standing.map(Json::into_inner).unwrap_or_default()
}

fn change_name(change: u64) -> String {
    format!("change/{change:020}")
}

fn first_name(key: &LoopKey) -> String {
    format!("first/{key}")
}

fn entry_name(key: &LoopKey, version: u64) -> String {
    format!("entry/{key}/{version:020}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_is_told_some_changes_at_once_and_that_it_has_missed_too_many() {
        let standing = Standing {
            position: 10_000,
            ..Standing::default()
        };
        assert_eq!(standing.told_since(10_000), Some(10_000..10_000));
        assert_eq!(standing.told_since(9_990), Some(9_990..10_000));
        assert_eq!(standing.told_since(7_000), Some(7_000..7_512));
        assert_eq!(
            standing.told_since(6_416),
            None,
            "some may be gone once they are read"
        );
        assert_eq!(standing.told_since(10_001), None, "it is another engine");
    }
}

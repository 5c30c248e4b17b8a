//! All loops of a host: an object whose key is the host. It knows which there are, and whether everything is paused (§15).

use crate::loop_key::LoopKey;
use crate::messages::FleetEntry;
use collie_core::event::{Event, PauseChanged};
use collie_core::pause::Pause;
use restate_sdk::prelude::*;

/// Where the pause lies.
const PAUSE: &str = "pause";
/// Where the name of each loop lies: its key comes after this.
const LOOP: &str = "loop/";

/// All loops of a host.
pub(crate) struct FleetObject;

#[restate_sdk::object(
    name = "CollieFleet",
    client_visibility = "pub(crate)",
    // Thousands of names would be sent with each call.
    lazy_state
)]
impl FleetObject {
    /// Takes a loop in; the pause that it begins in.
    #[handler(ingress_private = true)]
    async fn enter(
        &self,
        ctx: ObjectContext<'_>,
        Json(entry): Json<FleetEntry>,
    ) -> HandlerResult<Json<Option<Pause>>> {
        ctx.set(&format!("{LOOP}{}", entry.key), entry.pull);
        let pause = ctx.get::<Json<Pause>>(PAUSE).await?;
        Ok(Json(pause.map(Json::into_inner)))
    }

    /// Pauses everything, or lets it go on, and tells each loop.
    #[handler(ingress_private = true)]
    async fn set_paused(
        &self,
        ctx: ObjectContext<'_>,
        Json(change): Json<PauseChanged>,
    ) -> HandlerResult<()> {
        let before = ctx.get::<Json<Pause>>(PAUSE).await?;
        if before.is_some() == change.pause.is_some() {
            return Ok(());
        }
        match &change.pause {
            Some(pause) => ctx.set(PAUSE, Json(pause.clone())),
            None => ctx.clear(PAUSE),
        }
        for name in ctx.get_keys().await? {
            let key = name.strip_prefix(LOOP).map(str::parse::<LoopKey>);
            let Some(Ok(key)) = key else { continue };
            let event = Event::PauseChanged(change.clone());
            ctx.request::<_, ()>(key.handler("apply"), Json(event))
                .send();
        }
        Ok(())
    }

    /// The loops there are, in the order of their keys.
    #[handler]
    async fn loops(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Vec<FleetEntry>>> {
        let mut entries = Vec::new();
        for name in ctx.get_keys().await? {
            let key = name.strip_prefix(LOOP).map(str::parse::<LoopKey>);
            let Some(Ok(key)) = key else { continue };
            let pull = ctx.get::<String>(&name).await?.unwrap_or_default();
            entries.push(FleetEntry { key, pull });
        }
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Json(entries))
    }
}

//! All loops of a host: an object whose key is the host. It knows which there are, which have changed of late, whether everything is paused
//! (§15), and what was decided for each repository (§9.1).

use crate::change_feed::FeedPosition;
use crate::loop_key::LoopKey;
use crate::messages::{FleetChanges, FleetDecision, FleetEntry};
use collie_core::event::{Event, PauseChanged};
use collie_core::ids::RepositoryId;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use collie_engine::trust_changed;
use restate_sdk::prelude::*;

/// Where the pause lies.
const PAUSE: &str = "pause";
/// Where the name of each loop lies: its key comes after this.
const LOOP: &str = "loop/";
/// Where it lies how many changes there were.
const POSITION: &str = "feed/position";
/// Where it lies which engine this is: another one counts its changes anew.
const ENGINE: &str = "feed/engine";

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

    /// A loop lives here no more.
    #[handler(ingress_private = true)]
    async fn leave(&self, ctx: ObjectContext<'_>, Json(key): Json<LoopKey>) -> HandlerResult<()> {
        ctx.clear(&format!("{LOOP}{key}"));
        Ok(())
    }

    /// What was decided for a repository elsewhere, before its loops came; what was decided here stands.
    #[handler(ingress_private = true)]
    async fn adopt_trust(
        &self,
        ctx: ObjectContext<'_>,
        Json((id, elsewhere)): Json<(RepositoryId, RepositoryTrust)>,
    ) -> HandlerResult<Json<RepositoryTrust>> {
        let name = trust_name(&id);
        if let Some(here) = ctx.get::<Json<RepositoryTrust>>(&name).await? {
            return Ok(here);
        }
        ctx.set(&name, Json(elsewhere.clone()));
        Ok(Json(elsewhere))
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
        for key in keys_of(ctx.get_keys().await?) {
            let event = Event::PauseChanged(change.clone());
            ctx.request::<_, ()>(key.handler("apply"), Json(event))
                .send();
        }
        Ok(())
    }

    /// Remembers a decision about a repository, and tells each of its loops.
    #[handler(ingress_private = true)]
    async fn decide(
        &self,
        ctx: ObjectContext<'_>,
        Json(decided): Json<FleetDecision>,
    ) -> HandlerResult<()> {
        let name = trust_name(&decided.id);
        let before = ctx.get::<Json<RepositoryTrust>>(&name).await?;
        let mut trust = before.map(Json::into_inner).unwrap_or_default();
        trust.decide(&decided.decision);
        ctx.set(&name, Json(trust.clone()));
        for key in keys_of(ctx.get_keys().await?) {
            if key.id().repository() == decided.id {
                ctx.request::<_, ()>(key.handler("apply"), Json(trust_changed(&trust)))
                    .send();
            }
        }
        Ok(())
    }

    /// What was decided for a repository.
    #[handler]
    async fn trust(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(id): Json<RepositoryId>,
    ) -> HandlerResult<Json<RepositoryTrust>> {
        let trust = ctx.get::<Json<RepositoryTrust>>(&trust_name(&id)).await?;
        Ok(Json(trust.map(Json::into_inner).unwrap_or_default()))
    }

    /// The loops there are, in the order of their keys.
    #[handler]
    async fn loops(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Vec<FleetEntry>>> {
        let mut entries = Vec::new();
        for key in keys_of(ctx.get_keys().await?) {
            let pull = ctx.get::<String>(&format!("{LOOP}{key}")).await?;
            let pull = pull.unwrap_or_default();
            entries.push(FleetEntry { key, pull });
        }
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Json(entries))
    }

    /// Their keys alone, in no order.
    #[handler]
    async fn keys(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Vec<LoopKey>>> {
        Ok(Json(keys_of(ctx.get_keys().await?).collect()))
    }

    /// A loop has changed.
    #[handler(ingress_private = true)]
    async fn changed(&self, ctx: ObjectContext<'_>, Json(key): Json<LoopKey>) -> HandlerResult<()> {
        let position = ctx.get::<Json<FeedPosition>>(POSITION).await?;
        let FeedPosition(before) = position.map(Json::into_inner).unwrap_or_default();
        if before == 0 {
            let name = ctx.run(|| async { Ok(uuid::Uuid::new_v4().to_string()) });
            let engine = name.name("engine").await?;
            ctx.set(ENGINE, engine);
        }
        let place = FeedPosition(before).next_place();
        if let Some(gone) = place.gone {
            ctx.clear(&page_name(gone));
        }
        let name = page_name(place.page);
        let mut page = match place.is_first {
            true => Vec::new(),
            false => {
                let page = ctx.get::<Json<Vec<LoopKey>>>(&name).await?;
                page.map(Json::into_inner).unwrap_or_default()
            }
        };
        page.push(key);
        ctx.set(&name, Json(page));
        ctx.set(POSITION, Json(FeedPosition(before + 1)));
        Ok(())
    }

    /// What has changed since so many changes.
    #[handler]
    async fn changes(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(since): Json<Option<u64>>,
    ) -> HandlerResult<Json<FleetChanges>> {
        let position = ctx.get::<Json<FeedPosition>>(POSITION).await?;
        let position = position.map(Json::into_inner).unwrap_or_default();
        let pause = ctx.get::<Json<Pause>>(PAUSE).await?;
        let engine = ctx.get::<String>(ENGINE).await?;
        let changed = match since {
            Some(since) => changed_since(&ctx, position, since).await?,
            None => None,
        };
        Ok(Json(FleetChanges {
            engine,
            position: position.0,
            changed,
            pause: pause.map(Json::into_inner),
        }))
    }
}

/// The loops that have changed since so many changes; none where that is not known any more.
async fn changed_since(
    ctx: &SharedObjectContext<'_>,
    position: FeedPosition,
    since: u64,
) -> HandlerResult<Option<Vec<LoopKey>>> {
    let Some(pages) = position.pages_since(since) else {
        return Ok(None);
    };
    let mut keys = Vec::new();
    for page in pages {
        let Some(Json(on_page)) = ctx.get::<Json<Vec<LoopKey>>>(&page_name(page)).await? else {
            return Ok(None);
        };
        keys.extend(position.on_page(page, on_page, since));
    }
    keys.sort();
    keys.dedup();
    Ok(Some(keys))
}

/// The keys of the loops among the names of what is kept.
fn keys_of(names: Vec<String>) -> impl Iterator<Item = LoopKey> {
    let names = names.into_iter();
    names.filter_map(|name| name.strip_prefix(LOOP)?.parse().ok())
}

fn trust_name(id: &RepositoryId) -> String {
    format!("trust/{}", id.repo_id)
}

fn page_name(page: u64) -> String {
    format!("feed/page/{page:016}")
}

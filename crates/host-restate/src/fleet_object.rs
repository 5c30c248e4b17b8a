//! All loops of a host: an object whose key is the host. It knows which there are, whether everything is paused (§15), and what was decided for
//! each repository (§9.1).

use crate::change_object::ChangeObjectClient;
use crate::loop_key::LoopKey;
use crate::messages::{FleetDecision, FleetEntry};
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
        // Waited for, so that whoever asked for it sees it.
        let changes = ctx.object_client::<ChangeObjectClient>(ctx.key());
        changes.paused(Json(change.pause.clone())).call().await?;
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
}

/// The keys of the loops among the names of what is kept.
fn keys_of(names: Vec<String>) -> impl Iterator<Item = LoopKey> {
    let names = names.into_iter();
    names.filter_map(|name| name.strip_prefix(LOOP)?.parse().ok())
}

fn trust_name(id: &RepositoryId) -> String {
    format!("trust/{}", id.repo_id)
}

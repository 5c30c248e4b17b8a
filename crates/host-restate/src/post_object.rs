//! What a loop says, one after the other: an object whose key is the loop's.

use crate::effect_service::run_short;
use crate::loop_key::LoopKey;
use crate::messages::EffectRequest;
use crate::runtime::Runtime;
use restate_sdk::prelude::*;
use std::sync::Arc;

/// Says what a loop has to say, in order.
pub(crate) struct PostObject(pub Arc<Runtime>);

#[restate_sdk::object(
    name = "ColliePosts",
    client_visibility = "pub(crate)",
    ingress_private = true,
    inactivity_timeout = "1h",
    abort_timeout = "1m"
)]
impl PostObject {
    /// Says one thing; those that were asked for later wait.
    #[handler]
    async fn post(
        &self,
        ctx: ObjectContext<'_>,
        Json(asked): Json<EffectRequest>,
    ) -> HandlerResult<()> {
        let (runtime, key) = (self.0.clone(), LoopKey::from(asked.loop_id.clone()));
        let ran = ctx.run(move || async move { Ok(Json(run_short(&runtime, asked).await?)) });
        if let Some(event) = ran.name("post").await?.into_inner() {
            ctx.request::<_, ()>(key.handler("apply"), Json(event))
                .send();
        }
        Ok(())
    }
}

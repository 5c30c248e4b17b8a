//! A commit of Collie's that may be on no remote yet, for as long as somebody may have to push it.

use restate_sdk::prelude::*;
use restate_sdk::serde::Json;
use std::time::Duration;

/// What these objects are called. Their key is the loop's, and the commit.
pub(crate) const COMMIT_OBJECT: &str = "CollieCommits";

/// Where the pack lies, in Base64.
const PACK: &str = "pack";
/// How long one is kept: a push may wait for a person's word.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Keeps one commit.
pub(crate) struct CommitObject;

#[restate_sdk::object(name = "CollieCommits", client_visibility = "pub(crate)")]
impl CommitObject {
    /// Keeps it, for a while.
    #[handler]
    async fn keep(&self, ctx: ObjectContext<'_>, Json(pack): Json<String>) -> HandlerResult<()> {
        ctx.set(PACK, Json(pack));
        ctx.object_client::<CommitObjectClient>(ctx.key())
            .forget()
            .send_after(KEPT_FOR);
        Ok(())
    }

    /// Lets go of it.
    #[handler]
    async fn forget(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        ctx.clear(PACK);
        Ok(())
    }

    /// The commit; none where nobody kept it.
    #[handler]
    async fn fetch(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<String>>> {
        let pack = ctx.get::<Json<String>>(PACK).await?;
        Ok(Json(pack.map(Json::into_inner)))
    }
}

//! What all workers spend (§15): an object whose key is the host. A worker asks it before each call of a model.

use crate::messages::{EarlierSpending, ReserveRequest, SessionSpending};
use crate::spending_book::SpendingBook;
use collie_core::budget::BudgetExceeded;
use restate_sdk::prelude::*;

/// What the objects are called.
pub(crate) const SPENDING_OBJECT: &str = "CollieSpending";
/// Where the book lies.
const BOOK: &str = "book";

/// The account book of a fleet.
pub(crate) struct SpendingObject;

#[restate_sdk::object(name = "CollieSpending", client_visibility = "pub(crate)")]
impl SpendingObject {
    /// Sets aside what a call may come to; why not, where a limit forbids it.
    #[handler]
    async fn reserve(
        &self,
        ctx: ObjectContext<'_>,
        Json(asked): Json<ReserveRequest>,
    ) -> HandlerResult<Json<Option<BudgetExceeded>>> {
        let mut book = book(ctx.get::<Json<SpendingBook>>(BOOK).await?);
        let refused = book.reserve(&asked).err();
        ctx.set(BOOK, Json(book));
        Ok(Json(refused))
    }

    /// Takes over what a session has come to.
    #[handler]
    async fn report(
        &self,
        ctx: ObjectContext<'_>,
        Json(told): Json<SessionSpending>,
    ) -> HandlerResult<()> {
        let mut book = book(ctx.get::<Json<SpendingBook>>(BOOK).await?);
        book.report(&told);
        ctx.set(BOOK, Json(book));
        Ok(())
    }

    /// Counts what was spent before loops were moved here.
    #[handler]
    async fn adopt(
        &self,
        ctx: ObjectContext<'_>,
        Json(earlier): Json<EarlierSpending>,
    ) -> HandlerResult<()> {
        let mut book = book(ctx.get::<Json<SpendingBook>>(BOOK).await?);
        book.adopt(earlier);
        ctx.set(BOOK, Json(book));
        Ok(())
    }

    /// What was spent and is set aside.
    #[handler]
    async fn spent(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<SpendingBook>> {
        Ok(Json(book(ctx.get::<Json<SpendingBook>>(BOOK).await?)))
    }
}

fn book(stored: Option<Json<SpendingBook>>) -> SpendingBook {
    stored.map(Json::into_inner).unwrap_or_default()
}

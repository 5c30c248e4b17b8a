//! Requests from outside that were taken already.

use crate::error::from_sqlx;
use crate::store::Store;
use collie_core::ids::Time;
use collie_engine::ports::StoreError;
use sqlx::Connection as _;

impl Store {
    pub(crate) async fn is_seen(&self, id: &str) -> Result<bool, StoreError> {
        let found: Option<(i64,)> = sqlx::query_as("SELECT at FROM seen WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.database.readers)
            .await
            .map_err(|error| from_sqlx("looking for a request that was taken", &error))?;
        Ok(found.is_some())
    }

    pub(crate) async fn write_seen(
        &self,
        ids: &[String],
        at: Time,
        forget_before: Time,
    ) -> Result<(), StoreError> {
        let tried = "remembering a request";
        let fail = |error: sqlx::Error| from_sqlx(tried, &error);
        let mut writer = self.database.writer(tried).await?;
        let written = async {
            let mut tx = writer.begin().await?;
            for id in ids {
                sqlx::query("INSERT INTO seen (id, at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING")
                    .bind(id)
                    .bind(at.0)
                    .execute(&mut *tx)
                    .await?;
            }
            sqlx::query("DELETE FROM seen WHERE at < ?")
                .bind(forget_before.0)
                .execute(&mut *tx)
                .await?;
            tx.commit().await
        };
        let written = written.await;
        writer.give_back(written).map_err(fail)
    }
}

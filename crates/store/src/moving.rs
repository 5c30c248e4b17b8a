//! The journal of loops that are handed to an engine elsewhere, or come back from it.

use crate::apply::{self, find_loop};
use crate::batch::Batch;
use crate::error::{failed, from_sqlx};
use crate::integers::to_i64;
use crate::persisted::to_json;
use crate::store::Store;
use async_trait::async_trait;
use collie_core::ids::LoopId;
use collie_engine::ports::{HandedLoop, MovableJournal, StoreError};
use std::collections::BTreeMap;

const TRIED: &str = "writing down where loops live";

#[async_trait]
impl MovableJournal for Store {
    async fn become_projection(&self, versions: &BTreeMap<LoopId, u64>) -> Result<(), StoreError> {
        self.engine(TRIED)?;
        let mut batch = Batch::default();
        batch.add("DELETE FROM inbox");
        batch.add("DELETE FROM projection");
        batch.add("DELETE FROM projected_loops");
        for (id, version) in versions {
            batch
                .add("INSERT INTO projected_loops (loop, version) VALUES (?, ?)")
                .bind(self.row_of(id).await?)
                .bind(to_i64(*version)?);
        }
        let written = self.database.write_all(TRIED, batch).await;
        self.copying_if_damaged(written).map(drop)
    }

    async fn become_own(&self, loops: &[HandedLoop]) -> Result<(), StoreError> {
        self.engine(TRIED)?;
        let mut batch = Batch::default();
        for handed in loops {
            let row_id = self.row_of(&handed.state.id).await?;
            batch.add("DELETE FROM outbox WHERE loop = ?").bind(row_id);
            // It was handed over, and has been applied.
            batch.add("DELETE FROM inbox WHERE loop = ?").bind(row_id);
            let effects = handed.state.outbox.in_order().into_iter();
            let effects: Vec<_> = effects
                .map(|(id, effect)| (id.clone(), effect.clone()))
                .collect();
            let at = handed.state.run.updated_at;
            apply::insert_effects(&mut batch, row_id, &effects, at)?;
            for (effect, body) in &handed.in_doubt {
                let body = body.as_ref().map(to_json).transpose()?;
                batch
                    .add("UPDATE outbox SET rendered_json = ?, in_doubt = 1 WHERE effect_id = ?")
                    .bind(body)
                    .bind(effect.as_str());
            }
        }
        batch.add("DELETE FROM projection");
        batch.add("DELETE FROM projected_loops");
        let written = self.database.write_all(TRIED, batch).await;
        self.copying_if_damaged(written).map(drop)
    }
}

impl Store {
    async fn row_of(&self, id: &LoopId) -> Result<i64, StoreError> {
        let connection = self.database.readers.acquire().await;
        let mut connection = connection.map_err(|error| from_sqlx(TRIED, &error))?;
        let found = find_loop(&mut connection, id).await?;
        let unknown = || failed(TRIED, format!("there is no loop {id}"));
        Ok(found.ok_or_else(unknown)?.row_id)
    }
}

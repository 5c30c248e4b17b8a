//! Sealed tokens of accounts of their own (§18.2). What is sealed is opened elsewhere: no key comes here.

use crate::batch::Batch;
use crate::error::from_sqlx;
use crate::store::Store;
use async_trait::async_trait;
use collie_core::ids::{AccountId, Login, Time};
use collie_engine::ports::{AccountStore, SealedAccount, StoreError};
use sqlx::{Connection as _, SqliteConnection};

#[async_trait]
impl AccountStore for Store {
    async fn sealed_accounts(&self) -> Result<Vec<SealedAccount>, StoreError> {
        type Row = (String, i64, String, String, Option<Vec<u8>>, i64);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT host, account, login, key_id, sealed, added_at FROM own_accounts ORDER BY host, login",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the accounts of personas", &error))?;
        let account = |(host, id, login, key_id, sealed, added_at): Row| SealedAccount {
            host,
            id: AccountId(u64::try_from(id).unwrap_or_default()),
            login: Login::new(&login),
            key_id,
            sealed,
            added_at: Time(added_at),
        };
        Ok(rows.into_iter().map(account).collect())
    }

    async fn keep_account(&self, account: &SealedAccount) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        // A login may have passed to another account: a name stands for one account at a time.
        batch
            .add("UPDATE own_accounts SET sealed = NULL, key_id = '' WHERE host = ? AND login = ? COLLATE NOCASE AND account <> ?")
            .bind(&account.host)
            .bind(account.login.as_str())
            .bind(i64::try_from(account.id.0).unwrap_or(i64::MAX));
        batch
            .add(
                "INSERT INTO own_accounts (host, account, login, key_id, sealed, added_at) VALUES (?, ?, ?, ?, ?, ?) \
                 ON CONFLICT (host, account) DO UPDATE SET login = excluded.login, key_id = excluded.key_id, \
                 sealed = excluded.sealed, added_at = excluded.added_at",
            )
            .bind(&account.host)
            .bind(i64::try_from(account.id.0).unwrap_or(i64::MAX))
            .bind(account.login.as_str())
            .bind(&account.key_id)
            .bind(&account.sealed)
            .bind(account.added_at.0);
        let tried = "keeping the token of an account";
        self.database.write_all(tried, batch).await.map(drop)
    }

    async fn forget_account(&self, host: &str, id: AccountId) -> Result<bool, StoreError> {
        let removal = sqlx::query(
            "UPDATE own_accounts SET sealed = NULL, key_id = '' WHERE host = ? AND account = ? AND sealed IS NOT NULL",
        )
        .bind(host)
        .bind(i64::try_from(id.0).unwrap_or(i64::MAX));
        let tried = "removing the token of an account";
        let done = self.database.write(tried, removal).await?;
        Ok(done.rows_affected() > 0)
    }

    async fn reseal_accounts(
        &self,
        resealed: &[(SealedAccount, SealedAccount)],
    ) -> Result<bool, StoreError> {
        let tried = "putting tokens under another key";
        let mut writer = self.database.writer(tried).await?;
        let done = reseal(&mut writer, resealed).await;
        writer
            .give_back(done)
            .map_err(|error| from_sqlx(tried, &error))
    }
}

/// Puts all of them under another key, in one transaction, or none where one is not as it was.
async fn reseal(
    connection: &mut SqliteConnection,
    resealed: &[(SealedAccount, SealedAccount)],
) -> Result<bool, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    for (before, after) in resealed {
        let done = sqlx::query(
            "UPDATE own_accounts SET sealed = ?, key_id = ? WHERE host = ? AND account = ? AND sealed = ?",
        )
        .bind(&after.sealed)
        .bind(&after.key_id)
        .bind(&before.host)
        .bind(i64::try_from(before.id.0).unwrap_or(i64::MAX))
        .bind(&before.sealed)
        .execute(&mut *transaction)
        .await?;
        if done.rows_affected() != 1 {
            transaction.rollback().await?;
            return Ok(false);
        }
    }
    transaction.commit().await?;
    Ok(true)
}

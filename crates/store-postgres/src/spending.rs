//! What was spent, by day and by model.

use crate::error::from_sqlx;
use crate::journal::execute;
use collie_core::ids::LoopId;
use collie_core::insights::SpendRow;
use collie_core::usage::Usage;
use collie_engine::ports::{DaySpending, ModelSpending, StoreError};
use collie_store::format::{JOURNAL_NAME, Names, damaged, to_i64, to_u64};
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use std::collections::BTreeMap;

const READING: &str = "reading what was spent";

/// A usage as a row has it.
#[derive(sqlx::FromRow)]
struct UsageColumns {
    day: String,
    input_tokens: i64,
    output_tokens: i64,
    cost_micros: i64,
    unpriced_tokens: i64,
    unpriced: bool,
}

/// The same on a model.
#[derive(sqlx::FromRow)]
struct ModelColumns {
    host: String,
    repo_id: String,
    model: String,
    #[sqlx(flatten)]
    usage: UsageColumns,
}

impl UsageColumns {
    fn into_day(self) -> Result<DaySpending, StoreError> {
        let day = self.day.parse();
        Ok(DaySpending {
            day: day.map_err(|error| damaged(JOURNAL_NAME, error))?,
            usage: Usage {
                input_tokens: to_u64(self.input_tokens)?,
                output_tokens: to_u64(self.output_tokens)?,
                cost_micros: to_u64(self.cost_micros)?,
                unpriced: self.unpriced,
                unpriced_tokens: to_u64(self.unpriced_tokens)?,
            },
        })
    }
}

/// Adds to a day, and to what was spent on each model.
pub(crate) async fn add(
    tx: &mut PgConnection,
    id: &LoopId,
    spent: &DaySpending,
    spent_on: &[ModelSpending],
) -> Result<(), StoreError> {
    let day = spent.day.to_string();
    let insert = sqlx::query(
        "INSERT INTO spending AS kept (day, input_tokens, output_tokens, cost_micros, unpriced_tokens, unpriced)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (day) DO UPDATE SET
             input_tokens = kept.input_tokens + excluded.input_tokens,
             output_tokens = kept.output_tokens + excluded.output_tokens,
             cost_micros = kept.cost_micros + excluded.cost_micros,
             unpriced_tokens = kept.unpriced_tokens + excluded.unpriced_tokens,
             unpriced = kept.unpriced OR excluded.unpriced",
    );
    let insert = bind_usage(insert.bind(&day), &spent.usage)?;
    execute(tx, insert).await?;
    for ModelSpending { model, usage } in spent_on {
        let insert = sqlx::query(
            "INSERT INTO model_spending AS kept (day, host, repo_id, model, input_tokens, output_tokens, cost_micros,
                                                unpriced_tokens, unpriced)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (day, host, repo_id, model) DO UPDATE SET
                 input_tokens = kept.input_tokens + excluded.input_tokens,
                 output_tokens = kept.output_tokens + excluded.output_tokens,
                 cost_micros = kept.cost_micros + excluded.cost_micros,
                 unpriced_tokens = kept.unpriced_tokens + excluded.unpriced_tokens,
                 unpriced = kept.unpriced OR excluded.unpriced",
        );
        let insert = insert.bind(&day).bind(&id.host).bind(&id.repo_id);
        let insert = insert.bind(model.as_deref().unwrap_or(""));
        execute(tx, bind_usage(insert, usage)?).await?;
    }
    Ok(())
}

type Statement<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;

fn bind_usage<'q>(statement: Statement<'q>, usage: &Usage) -> Result<Statement<'q>, StoreError> {
    Ok(statement
        .bind(to_i64(usage.input_tokens)?)
        .bind(to_i64(usage.output_tokens)?)
        .bind(to_i64(usage.cost_micros)?)
        .bind(to_i64(usage.unpriced_tokens)?)
        .bind(usage.unpriced))
}

/// All days, in order.
pub(crate) async fn days(pool: &PgPool) -> Result<Vec<DaySpending>, StoreError> {
    let rows: Vec<UsageColumns> = sqlx::query_as("SELECT * FROM spending ORDER BY day")
        .fetch_all(pool)
        .await
        .map_err(|error| from_sqlx(READING, &error))?;
    rows.into_iter().map(UsageColumns::into_day).collect()
}

/// What was spent by model, and what is in the days' sums beyond that.
pub(crate) async fn by_model(pool: &PgPool, names: &Names) -> Result<Vec<SpendRow>, StoreError> {
    let rows: Vec<ModelColumns> =
        sqlx::query_as("SELECT * FROM model_spending ORDER BY day, host, repo_id, model")
            .fetch_all(pool)
            .await
            .map_err(|error| from_sqlx(READING, &error))?;
    let mut by_model = Vec::with_capacity(rows.len());
    let mut attributed: BTreeMap<_, Usage> = BTreeMap::new();
    for row in rows {
        let DaySpending { day, usage } = row.usage.into_day()?;
        *attributed.entry(day).or_default() += usage;
        by_model.push(SpendRow {
            day,
            repo: names.get(&(row.host, row.repo_id)).cloned(),
            model: Some(row.model).filter(|model| !model.is_empty()),
            usage,
        });
    }
    for DaySpending { day, usage } in days(pool).await? {
        let rest = usage.since(&attributed.remove(&day).unwrap_or_default());
        if !rest.is_nothing() {
            by_model.push(SpendRow {
                day,
                repo: None,
                model: None,
                usage: rest,
            });
        }
    }
    Ok(by_model)
}

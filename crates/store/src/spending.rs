//! What was spent, by day.

use crate::batch::Batch;
use crate::command_spending;
use crate::error::{JOURNAL_NAME, damaged, from_sqlx};
use crate::integers::{to_i64, to_u64};
use collie_core::usage::Usage;
use collie_engine::ports::{DaySpending, StoreError};
use sqlx::Row;
use sqlx::sqlite::{SqliteExecutor, SqlitePool, SqliteRow};
use std::collections::BTreeMap;

/// Adds to a day, with what says that it was spent.
pub(crate) fn add(batch: &mut Batch, spent: &DaySpending) -> Result<(), StoreError> {
    let usage = &spent.usage;
    let statement = batch.add(
        "INSERT INTO spending
             (day, input_tokens, output_tokens, cost_micros, unpriced_tokens, unpriced)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (day) DO UPDATE SET
             input_tokens = input_tokens + excluded.input_tokens,
             output_tokens = output_tokens + excluded.output_tokens,
             cost_micros = cost_micros + excluded.cost_micros,
             unpriced_tokens = unpriced_tokens + excluded.unpriced_tokens,
             unpriced = max(unpriced, excluded.unpriced)",
    );
    statement
        .bind(spent.day.to_string())
        .bind(to_i64(usage.input_tokens)?)
        .bind(to_i64(usage.output_tokens)?)
        .bind(to_i64(usage.cost_micros)?)
        .bind(to_i64(usage.unpriced_tokens)?)
        .bind(usage.unpriced);
    Ok(())
}

/// All days, in order, with what commands paid beside the engine.
pub(crate) async fn all_days(readers: &SqlitePool) -> Result<Vec<DaySpending>, StoreError> {
    let mut days: BTreeMap<_, Usage> = BTreeMap::new();
    for DaySpending { day, usage } in days_of_loops(readers).await? {
        *days.entry(day).or_default() += usage;
    }
    for DaySpending { day, usage } in command_spending::paid_days(readers).await? {
        *days.entry(day).or_default() += usage;
    }
    let days = days.into_iter();
    Ok(days
        .map(|(day, usage)| DaySpending { day, usage })
        .collect())
}

/// What loops spent, all days, in order.
pub(crate) async fn days_of_loops(
    executor: impl SqliteExecutor<'_>,
) -> Result<Vec<DaySpending>, StoreError> {
    let rows = sqlx::query("SELECT * FROM spending ORDER BY day")
        .fetch_all(executor)
        .await
        .map_err(|error| from_sqlx("reading what was spent", &error))?;
    rows.iter().map(day_from_row).collect()
}

pub(crate) fn day_from_row(row: &SqliteRow) -> Result<DaySpending, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading what was spent", &error);
    let day: String = row.try_get("day").map_err(fail)?;
    let number = |name| row.try_get::<i64, _>(name).map_err(fail).and_then(to_u64);
    Ok(DaySpending {
        day: day.parse().map_err(|error| damaged(JOURNAL_NAME, error))?,
        usage: Usage {
            input_tokens: number("input_tokens")?,
            output_tokens: number("output_tokens")?,
            cost_micros: number("cost_micros")?,
            unpriced: number("unpriced")? != 0,
            unpriced_tokens: number("unpriced_tokens")?,
        },
    })
}

//! What commands of a person spend beside the engine (§15).

use crate::error::{JOURNAL_NAME, from_sqlx};
use crate::integers::{to_i64, to_u64};
use crate::persisted::read_state;
use crate::spending::{self, day_from_row};
use crate::store::Store;
use async_trait::async_trait;
use collie_core::budget::{BudgetExceeded, Spending};
use collie_core::ids::{LoopId, Time};
use collie_core::usage::Usage;
use collie_engine::ports::{
    CommandAsk, CommandLedger, CommandPayment, CommandSpending, DaySpending, StoreError,
};
use sqlx::sqlite::{SqliteExecutor, SqliteRow};
use sqlx::{Connection as _, Row, SqliteConnection};

/// Longer than any question takes. What is still set aside then belongs to a process that died.
const RESERVED_FOR_MS: u64 = 3_600_000;

const TRIED: &str = "counting what a command spends";

fn fail(error: sqlx::Error) -> StoreError {
    from_sqlx(TRIED, &error)
}

#[async_trait]
impl CommandLedger for Store {
    async fn reserve(&self, ask: &CommandAsk) -> Result<Result<(), BudgetExceeded>, StoreError> {
        let mut writer = self.database.writer(TRIED).await?;
        let reserved = reserve_alone(&mut writer, ask).await;
        writer.give_back(reserved)
    }

    async fn set_reserved(
        &self,
        session: &str,
        reserved: Usage,
        at: Time,
    ) -> Result<(), StoreError> {
        let query = match reserved.is_nothing() {
            true => sqlx::query("DELETE FROM command_reservations WHERE session = ?").bind(session),
            false => sqlx::query(
                "UPDATE command_reservations
                 SET at = ?, input_tokens = ?, output_tokens = ?, cost_micros = ?,
                     unpriced_tokens = ?, unpriced = ?
                 WHERE session = ?",
            )
            .bind(at.0)
            .bind(to_i64(reserved.input_tokens)?)
            .bind(to_i64(reserved.output_tokens)?)
            .bind(to_i64(reserved.cost_micros)?)
            .bind(to_i64(reserved.unpriced_tokens)?)
            .bind(reserved.unpriced)
            .bind(session),
        };
        self.database.write(TRIED, query).await.map(drop)
    }

    async fn pay(&self, payment: &CommandPayment) -> Result<(), StoreError> {
        let CommandSpending { day, pull, usage } = &payment.spending;
        let (host, repo_id, number) = place_of(pull.as_ref())?;
        let query = sqlx::query(
            "INSERT INTO command_spending (day, host, repo_id, number, repo, model, input_tokens, output_tokens,
                                           cost_micros, unpriced_tokens, unpriced)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (day, host, repo_id, number, model) DO UPDATE SET
                 repo = excluded.repo,
                 input_tokens = input_tokens + excluded.input_tokens,
                 output_tokens = output_tokens + excluded.output_tokens,
                 cost_micros = cost_micros + excluded.cost_micros,
                 unpriced_tokens = unpriced_tokens + excluded.unpriced_tokens,
                 unpriced = max(unpriced, excluded.unpriced)",
        )
        .bind(day.to_string())
        .bind(host)
        .bind(repo_id)
        .bind(number)
        .bind(payment.repo.as_ref().map(ToString::to_string).unwrap_or_default())
        .bind(&payment.model)
        .bind(to_i64(usage.input_tokens)?)
        .bind(to_i64(usage.output_tokens)?)
        .bind(to_i64(usage.cost_micros)?)
        .bind(to_i64(usage.unpriced_tokens)?)
        .bind(usage.unpriced);
        self.database.write(TRIED, query).await.map(drop)
    }
}

/// Sets aside what a command may spend, in a transaction of its own.
async fn reserve_alone(
    connection: &mut SqliteConnection,
    ask: &CommandAsk,
) -> Result<Result<(), BudgetExceeded>, StoreError> {
    // Other processes set aside as well: SQLite's own lock makes them follow one another.
    let tx = connection.begin_with("BEGIN IMMEDIATE").await;
    let mut tx = tx.map_err(fail)?;
    sqlx::query("DELETE FROM command_reservations WHERE at <= ?")
        .bind(dead_before(ask.at)?)
        .execute(&mut *tx)
        .await
        .map_err(fail)?;
    let spending = spending_seen_by(&mut tx, ask).await?;
    if let Err(exceeded) = ask.budget.check(&spending, &ask.worst, ask.day.1) {
        return Ok(Err(exceeded));
    }
    let mut reserved = ask.reserved;
    reserved += ask.worst;
    write_reservation(&mut tx, ask, &reserved).await?;
    tx.commit().await.map_err(fail)?;
    Ok(Ok(()))
}

/// Where a pull request stands in the tables.
fn place_of(pull: Option<&LoopId>) -> Result<(&str, &str, i64), StoreError> {
    Ok(match pull {
        Some(id) => (&id.host, &id.repo_id, to_i64(id.number)?),
        None => ("", "", 0),
    })
}

async fn write_reservation(
    tx: &mut SqliteConnection,
    ask: &CommandAsk,
    reserved: &Usage,
) -> Result<(), StoreError> {
    let (host, repo_id, number) = place_of(ask.pull.as_ref())?;
    let done = sqlx::query(
        "INSERT OR REPLACE INTO command_reservations
             (session, at, day, host, repo_id, number, input_tokens, output_tokens, cost_micros,
              unpriced_tokens, unpriced)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&ask.session)
    .bind(ask.at.0)
    .bind(ask.day.0.to_string())
    .bind(host)
    .bind(repo_id)
    .bind(number)
    .bind(to_i64(reserved.input_tokens)?)
    .bind(to_i64(reserved.output_tokens)?)
    .bind(to_i64(reserved.cost_micros)?)
    .bind(to_i64(reserved.unpriced_tokens)?)
    .bind(reserved.unpriced)
    .execute(tx)
    .await;
    done.map(drop).map_err(fail)
}

/// What is spent or set aside, as whoever asks sees it: by loops, by commands, and by itself.
async fn spending_seen_by(
    tx: &mut SqliteConnection,
    ask: &CommandAsk,
) -> Result<Spending, StoreError> {
    let mut seen = Spending::default();
    let mut count = |day, usage: Usage| {
        seen.total += usage;
        if day == ask.day.0 {
            seen.day += usage;
        }
    };
    for DaySpending { day, usage } in spending::days_of_loops(&mut *tx).await? {
        count(day, usage);
    }
    let commands = read(&mut *tx, ask.at).await?;
    for CommandSpending { day, usage, .. } in &commands {
        count(*day, *usage);
    }
    seen.pull_request = match &ask.pull {
        None => ask.own,
        Some(id) => {
            let mut spent = spent_by_loop(tx, id).await?;
            let of_it = commands.iter().filter(|one| one.pull.as_ref() == Some(id));
            of_it.for_each(|one| spent += one.usage);
            spent
        }
    };
    Ok(seen)
}

async fn spent_by_loop(tx: &mut SqliteConnection, id: &LoopId) -> Result<Usage, StoreError> {
    let row: Option<(u32, String)> = sqlx::query_as(
        "SELECT version, state_json FROM loops WHERE host = ? AND repo_id = ? AND number = ?",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(to_i64(id.number)?)
    .fetch_optional(tx)
    .await
    .map_err(fail)?;
    match row {
        Some((version, json)) => Ok(read_state(JOURNAL_NAME, version, &json)?.spent()),
        None => Ok(Usage::default()),
    }
}

/// Who last asked then has died since.
fn dead_before(now: Time) -> Result<i64, StoreError> {
    Ok(now.0.saturating_sub(to_i64(RESERVED_FOR_MS)?))
}

/// What commands have spent, and what those that live have set aside, by day and pull request.
pub(crate) async fn read(
    executor: impl SqliteExecutor<'_>,
    now: Time,
) -> Result<Vec<CommandSpending>, StoreError> {
    let rows = sqlx::query(
        "SELECT day, host, repo_id, number,
                sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
                sum(cost_micros) AS cost_micros, sum(unpriced_tokens) AS unpriced_tokens,
                max(unpriced) AS unpriced
         FROM (SELECT day, host, repo_id, number, input_tokens, output_tokens, cost_micros,
                      unpriced_tokens, unpriced FROM command_spending
               UNION ALL
               SELECT day, host, repo_id, number, input_tokens, output_tokens, cost_micros,
                      unpriced_tokens, unpriced FROM command_reservations WHERE at > ?)
         GROUP BY day, host, repo_id, number ORDER BY day",
    )
    .bind(dead_before(now)?)
    .fetch_all(executor)
    .await
    .map_err(fail)?;
    rows.iter().map(from_row).collect()
}

/// What commands have paid, by day.
pub(crate) async fn paid_days(
    executor: impl SqliteExecutor<'_>,
) -> Result<Vec<DaySpending>, StoreError> {
    let rows = sqlx::query(
        "SELECT day, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
                sum(cost_micros) AS cost_micros, sum(unpriced_tokens) AS unpriced_tokens,
                max(unpriced) AS unpriced
         FROM command_spending GROUP BY day ORDER BY day",
    )
    .fetch_all(executor)
    .await
    .map_err(fail)?;
    rows.iter().map(day_from_row).collect()
}

fn from_row(row: &SqliteRow) -> Result<CommandSpending, StoreError> {
    let DaySpending { day, usage } = day_from_row(row)?;
    let host: String = row.try_get("host").map_err(fail)?;
    let pull = match host.is_empty() {
        true => None,
        false => Some(LoopId {
            host,
            repo_id: row.try_get("repo_id").map_err(fail)?,
            number: to_u64(row.try_get("number").map_err(fail)?)?,
        }),
    };
    Ok(CommandSpending { day, pull, usage })
}

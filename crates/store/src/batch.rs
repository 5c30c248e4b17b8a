//! Statements that are carried out together. Each one by itself is a message to SQLite's thread and an answer from it, which together take
//! longer than most statements.

use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Encode, Sqlite, SqliteConnection, Type};

/// Statements and their arguments, in order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    sql: String,
    arguments: SqliteArguments,
    failure: Option<sqlx::Error>,
}

impl Batch {
    /// Adds a statement. Its arguments are `?` without numbers, and bound right after.
    pub(crate) fn add(&mut self, statement: &'static str) -> &mut Self {
        self.sql.push_str(statement);
        self.sql.push_str(";\n");
        self
    }

    /// Adds an argument of the last statement.
    pub(crate) fn bind<'a, T: Encode<'a, Sqlite> + Type<Sqlite>>(
        &mut self,
        argument: T,
    ) -> &mut Self {
        if let Err(error) = self.arguments.add(argument) {
            self.failure.get_or_insert(sqlx::Error::Encode(error));
        }
        self
    }

    /// The same as one transaction that waits for other processes that write.
    pub(crate) fn into_transaction(mut self) -> Self {
        self.sql = format!("BEGIN IMMEDIATE;\n{}COMMIT;\n", self.sql);
        self
    }

    /// Carries them out, and gives all rows. Where one fails those after it are left out: a transaction that was begun stays open.
    pub(crate) async fn run(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<SqliteRow>, sqlx::Error> {
        match self.failure {
            Some(error) => Err(error),
            None => {
                // The statements are this program's own, the values are arguments.
                let query = sqlx::query_with(AssertSqlSafe(self.sql), self.arguments);
                query.fetch_all(connection).await
            }
        }
    }
}

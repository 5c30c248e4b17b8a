//! What many runs came to (§13.8), for window and command: figures, and the rows they are made of as CSV.

mod csv_file;
mod csv_tables;

pub(crate) use csv_file::download_folder;
pub use csv_file::save;
pub use csv_tables::{runs_csv, spending_csv};

use crate::clock;
use collie_core::ids::{RepoName, Time};
use collie_core::insights::{Insights, InsightsRange, insights};
use collie_engine::ports::{InsightRows, JournalReader, StoreError};
use collie_wire::rpc::{InsightsTable, InsightsView};
use jiff::tz::TimeZone;

/// The rows of a journal, and what is asked of them.
pub struct InsightsQuery {
    rows: InsightRows,
    range: InsightsRange,
    only: Option<RepoName>,
    now: Time,
    zone: TimeZone,
}

impl InsightsQuery {
    /// Reads the rows. Days are those of the machine, as spending is counted.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn read(
        journal: &dyn JournalReader,
        range: InsightsRange,
        only: Option<RepoName>,
    ) -> Result<Self, StoreError> {
        let rows = journal.insights().await?;
        Ok(Self::new(
            rows,
            range,
            only,
            clock::now(),
            TimeZone::system(),
        ))
    }

    /// Of rows that are there already.
    pub fn new(
        rows: InsightRows,
        range: InsightsRange,
        only: Option<RepoName>,
        now: Time,
        zone: TimeZone,
    ) -> Self {
        Self {
            rows,
            range,
            only,
            now,
            zone,
        }
    }

    /// The figures.
    pub fn figures(&self) -> Insights {
        let InsightRows { runs, spending, .. } = &self.rows;
        let only = self.only.as_ref();
        insights(runs, spending, &self.range, only, self.now, &self.zone)
    }

    /// The figures as they cross to the page.
    pub fn view(&self) -> InsightsView {
        InsightsView::new(&self.figures(), self.rows.recorded_since)
    }

    /// The rows of a table, as CSV.
    ///
    /// # Errors
    /// None that rows can lead to; the writer's, else.
    pub fn csv(&self, table: InsightsTable) -> std::io::Result<Vec<u8>> {
        match table {
            InsightsTable::Runs => runs_csv(self),
            InsightsTable::Spending => spending_csv(self),
        }
    }
}

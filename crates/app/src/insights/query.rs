//! Rows of a journal, and what is asked of them.

use crate::clock;
use collie_core::ids::{RepoName, Time};
use collie_core::insights::{Insights, InsightsRange, insights};
use collie_engine::ports::{InsightRows, JournalReader, StoreError};
use collie_wire::rpc::InsightsView;
use jiff::tz::TimeZone;

/// The rows of a journal, and what is asked of them.
pub struct InsightsQuery {
    pub(super) rows: InsightRows,
    range: InsightsRange,
    pub(super) only: Option<RepoName>,
    now: Time,
    pub(super) zone: TimeZone,
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
}

//! The rows that figures are made of as CSV (RFC 4180). Columns and codes are the same in every language: programs read them.

use super::query::InsightsQuery;
use collie_core::budget::day_of;
use collie_core::ids::{RepoName, Time};
use collie_core::insights::{FindingOutcome, RunRow};
use collie_core::text::visible_line;
use collie_wire::rpc::InsightsTable;
use std::borrow::Cow;
use std::io;

const RUN_COLUMNS: [&str; 19] = [
    "run",
    "repository",
    "pull_request",
    "title",
    "author",
    "started_at",
    "ready_at",
    "ended_at",
    "time_to_ready_ms",
    "state",
    "end",
    "pushes",
    "findings",
    "fixed",
    "dismissed",
    "declined",
    "open",
    "cost_usd",
    "tokens",
];

const SPENDING_COLUMNS: [&str; 7] = [
    "day",
    "repository",
    "model",
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "unpriced_tokens",
];

impl InsightsQuery {
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

/// A row for each run that began, was ready or ended in the range.
fn runs_csv(query: &InsightsQuery) -> io::Result<Vec<u8>> {
    let days = query.figures().range;
    let inside = |at: Time| days.contains(day_of(at, &query.zone).0);
    let touches = |run: &&RunRow| {
        let times = [Some(run.started_at), run.ready_at, run.ended_at];
        times.into_iter().flatten().any(inside)
    };
    let wanted = query.rows.runs.iter();
    let wanted = wanted.filter(|run| is_of(query, Some(&run.repo)));
    write_csv(&RUN_COLUMNS, wanted.filter(touches).map(run_row))
}

/// A row for each day, repository and model.
fn spending_csv(query: &InsightsQuery) -> io::Result<Vec<u8>> {
    let days = query.figures().range;
    let wanted = query.rows.spending.iter();
    let wanted = wanted.filter(|row| days.contains(row.day) && is_of(query, row.repo.as_ref()));
    let rows = wanted.map(|row| {
        vec![
            row.day.to_string(),
            row.repo
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            row.model.clone().unwrap_or_default(),
            dollars(row.usage.cost_micros),
            row.usage.input_tokens.to_string(),
            row.usage.output_tokens.to_string(),
            row.usage.unpriced_tokens.to_string(),
        ]
    });
    write_csv(&SPENDING_COLUMNS, rows)
}

fn is_of(query: &InsightsQuery, repo: Option<&RepoName>) -> bool {
    query.only.is_none() || repo == query.only.as_ref()
}

fn run_row(run: &RunRow) -> Vec<String> {
    let time = |at: Option<Time>| at.map(Time::rfc3339).unwrap_or_default();
    let record = run.record.as_ref();
    // What is not known is no zero.
    let known = |text: &dyn Fn(&collie_core::insights::RunRecord) -> String| {
        record.map(text).unwrap_or_default()
    };
    let found = |wanted: &[FindingOutcome]| {
        let counts = run.findings().iter();
        let counts = counts.filter(|found| wanted.contains(&found.outcome()));
        let sum: u32 = counts.map(|found| found.count).sum();
        known(&|_| sum.to_string())
    };
    let all = [
        FindingOutcome::Fixed,
        FindingOutcome::Dismissed,
        FindingOutcome::Declined,
        FindingOutcome::Open,
    ];
    let end = run.ended_at.map(|_| run.end().code()).unwrap_or_default();
    vec![
        run.run.to_string(),
        run.repo.to_string(),
        run.number.to_string(),
        known(&|record| record.title.clone()),
        known(&|record| {
            record
                .author
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default()
        }),
        run.started_at.rfc3339(),
        time(run.ready_at),
        time(run.ended_at),
        run.time_to_ready()
            .map(|ms| ms.to_string())
            .unwrap_or_default(),
        run.state.to_string(),
        end.to_owned(),
        known(&|record| record.pushes.to_string()),
        found(&all),
        found(&[FindingOutcome::Fixed]),
        found(&[FindingOutcome::Dismissed]),
        found(&[FindingOutcome::Declined]),
        found(&[FindingOutcome::Open]),
        known(&|record| dollars(record.usage.cost_micros)),
        known(&|record| (record.usage.input_tokens + record.usage.output_tokens).to_string()),
    ]
}

/// Dollars, exactly: `0.012345`.
fn dollars(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn write_csv(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    writer.write_record(columns)?;
    for row in rows {
        let cells = row.iter().map(|cell| without_formula(cell).into_owned());
        writer.write_record(cells)?;
    }
    writer
        .into_inner()
        .map_err(|error| io::Error::other(error.to_string()))
}

/// A text that no spreadsheet takes for a formula, on one line: an apostrophe before what would begin one, as OWASP has it. What people
/// wrote may begin in any way, what Collie counts does not.
fn without_formula(cell: &str) -> Cow<'_, str> {
    let line = visible_line(cell);
    match line.trim_start().chars().next() {
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => {
            Cow::Owned(format!("'{line}"))
        }
        _ if line.starts_with(['\t', '\r']) => Cow::Owned(format!("'{line}")),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_begin_a_formula_is_text() {
        for (given, expected) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(1)", "'@SUM(1)"),
            ("  =1", "'  =1"),
            ("＝1", "'＝1"),
            ("a = b", "a = b"),
            ("12", "12"),
            ("", ""),
        ] {
            assert_eq!(without_formula(given), expected);
        }
    }

    #[test]
    fn dollars_are_exact() {
        assert_eq!(dollars(12_345), "0.012345");
        assert_eq!(dollars(2_000_001), "2.000001");
    }

    #[test]
    fn lines_end_as_the_standard_has_it_and_quotes_are_doubled() {
        let row = vec!["a,b".to_owned(), "say \"hi\"".to_owned()];
        let bytes = write_csv(&["x", "y"], [row].into_iter()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, "x,y\r\n\"a,b\",\"say \"\"hi\"\"\"\r\n");
    }
}

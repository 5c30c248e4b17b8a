//! CSV of runs and spending, as another program reads it back.

use collie_app::insights::InsightsQuery;
use collie_core::ids::{Login, RepoName, RunId, Time};
use collie_core::insights::{InsightsRange, RunRecord, RunRow, SpendRow};
use collie_core::lifecycle::State;
use collie_core::usage::Usage;
use collie_engine::ports::InsightRows;
use collie_wire::rpc::InsightsTable;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The 24th of November 2026, at noon.
const NOW: Time = Time(1_795_521_600_000);

fn run(number: u64, title: &str) -> RunRow {
    RunRow {
        repo: RepoName::parse("acme/web").unwrap(),
        number,
        run: RunId::new(format!("run-{number}")),
        started_at: NOW,
        ready_at: Some(NOW.plus(90_000)),
        ended_at: None,
        state: State::PrReadyToMerge,
        record: Some(RunRecord {
            title: title.into(),
            author: Some(Login::new("ana")),
            ..RunRecord::default()
        }),
        is_continued: false,
    }
}

fn query(rows: InsightRows) -> InsightsQuery {
    let range = InsightsRange::Days { days: 7 };
    InsightsQuery::new(rows, range, None, NOW, TimeZone::UTC)
}

/// Each row by its columns, as Python's `csv` module reads it.
fn read_by_python(bytes: &[u8]) -> Vec<Value> {
    let script = "import csv, io, json, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='')
print(json.dumps(list(csv.DictReader(text, strict=True))))";
    let mut python = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn titles_of_any_kind_come_back_as_they_were_and_formulas_as_text() {
    let titles = [
        ("plain", "plain"),
        ("a, \"b\" and 'c'", "a, \"b\" and 'c'"),
        ("é ✓ 日本", "é ✓ 日本"),
        ("=HYPERLINK(\"https://x\")", "'=HYPERLINK(\"https://x\")"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
    ];
    let numbered = titles.iter().zip(1..);
    let runs = numbered.map(|((title, _), number)| run(number, title));
    let rows = InsightRows {
        runs: runs.collect(),
        ..InsightRows::default()
    };
    let bytes = query(rows).csv(InsightsTable::Runs).unwrap();
    let read = read_by_python(&bytes);
    let read_titles: Vec<_> = read
        .iter()
        .map(|row| row["title"].as_str().unwrap())
        .collect();
    assert_eq!(read_titles, titles.map(|(_, expected)| expected));
    let first = &read[0];
    assert_eq!(first["started_at"], "2026-11-24T12:00:00Z");
    assert_eq!(
        (&first["time_to_ready_ms"], &first["ended_at"]),
        (&json!("90000"), &json!(""))
    );
    assert_eq!(
        (&first["findings"], &first["author"]),
        (&json!("0"), &json!("ana"))
    );
}

#[test]
fn what_is_not_known_is_an_empty_cell_and_no_zero() {
    let old = RunRow {
        record: None,
        ..run(1, "")
    };
    let rows = InsightRows {
        runs: vec![old],
        spending: vec![SpendRow {
            day: "2026-11-24".parse().unwrap(),
            repo: None,
            model: None,
            usage: Usage {
                input_tokens: 7,
                cost_micros: 1_234_567,
                ..Usage::default()
            },
        }],
        ..InsightRows::default()
    };
    let query = query(rows);
    let runs = read_by_python(&query.csv(InsightsTable::Runs).unwrap());
    for column in [
        "title", "author", "findings", "fixed", "cost_usd", "tokens", "end",
    ] {
        assert_eq!(runs[0][column], "", "{column}");
    }
    let spending = read_by_python(&query.csv(InsightsTable::Spending).unwrap());
    let expected = json!({
        "day": "2026-11-24", "repository": "", "model": "", "cost_usd": "1.234567",
        "input_tokens": "7", "output_tokens": "0", "unpriced_tokens": "0",
    });
    assert_eq!(spending, [expected]);
}

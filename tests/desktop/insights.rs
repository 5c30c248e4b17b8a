//! What many runs came to, as the real window shows and saves it (§13.8).

use crate::fixture::{REPO, WindowFixture};
use crate::own_account::{allowed_user_config, heading_xpath, open, open_card, sign_in, start};
use collie_engine::ports::{
    AppliedStep, DaySpending, Journal as _, JournalReader as _, ModelSpending,
};
use collie_store::{OpenMode, Store, StorePaths};
use collie_testkit::repository::PullContent;
use serde_json::{Value, json};
use std::path::Path;

const TITLE: &str = "Count the list";

/// The titles of the charts, each with how many rows its table has.
const TABLES: &str = "return [...document.querySelectorAll('main section')]
    .filter((chart) => chart.querySelector('h2') && chart.querySelector('table[aria-labelledby]'))
    .map((chart) => [chart.querySelector('h2').textContent, chart.querySelectorAll('tbody tr').length])";

/// Writes down that a model has cost something on this loop today, as a session would have.
async fn spend_on_a_model(home: &Path) {
    let store = Store::open(&StorePaths::below(home), OpenMode::Engine)
        .await
        .unwrap();
    let state = store.loops().await.unwrap().remove(0);
    let at = collie_app::clock::now();
    let usage = serde_json::from_value(
        json!({ "input_tokens": 1_000, "output_tokens": 50, "cost_micros": 120_000 }),
    )
    .unwrap();
    let step = AppliedStep {
        inbox: Vec::new(),
        from: Some(state.run.state),
        read_before: None,
        state,
        effects: Vec::new(),
        dropped: Vec::new(),
        notes: Vec::new(),
        at,
        spent: Some(DaySpending {
            day: at.rfc3339()[..10].parse().unwrap(),
            usage,
        }),
        spent_on: vec![ModelSpending {
            model: Some("openai/large".to_owned()),
            usage,
        }],
    };
    store.apply(&[step]).await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn insights_open_by_key_have_a_table_for_each_chart_change_with_the_time_and_save_a_file() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Faulty)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    window.press("Merge…").await;
    let head = fixture.head_sha(1).await;
    window
        .press(&format!("Merge {} into main", &head[..7]))
        .await;
    window.wait_for_text("Merged").await;
    window.quit().await;
    spend_on_a_model(&home).await;

    let window = open(&home).await;
    window.find_row(TITLE).await;
    window.keys("4").await;
    window.find(&heading_xpath("Insights")).await;
    window.wait_for_text("openai/large").await;
    let tables = window.script(TABLES).await;
    let with_rows = |table: &&Value| table[1].as_u64().is_some_and(|rows| rows > 0);
    let titles: Vec<&str> = (tables.as_array().unwrap().iter())
        .filter(with_rows)
        .filter_map(|table| table[0].as_str())
        .collect();
    let expected = [
        "Became ready per week",
        "Median time to ready",
        "Findings per round",
        "Share dismissed, by reviewer",
        "Spending by model",
        "Spending by repository",
        "How runs ended",
    ];
    assert_eq!(titles, expected, "{tables}");
    assert_eq!(window.axe_violations().await, Vec::<String>::new());

    window.press("7 days").await;
    window.find(&heading_xpath("Became ready per day")).await;
    window.press("12 months").await;
    window.find(&heading_xpath("Became ready per week")).await;

    window.press("Export CSV").await;
    window.press("Runs, a row each").await;
    window.wait_for_text("Saved as ").await;
    let said = "return [...document.querySelectorAll('[role=status]')].map((e) => e.textContent).find((text) => text.startsWith('Saved as '))";
    let said = window.script(said).await;
    let path = said.as_str().unwrap().trim_start_matches("Saved as ");
    let saved = std::fs::read_to_string(path).unwrap();
    let mut rows = saved.lines();
    let (heads, row) = (rows.next().unwrap(), rows.next().unwrap());
    assert!(heads.contains("repository"), "{saved}");
    assert!(row.contains(REPO) && row.contains(TITLE), "{saved}");
    assert_eq!(rows.next(), None, "a row a run");
    window.quit().await;
}

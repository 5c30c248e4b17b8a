//! `collie insights`: what many runs came to (§13.8).

use crate::args::{InsightsArgs, TableArg};
use crate::context::Context;
use crate::localize;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use crate::views::open_loops;
use collie_app::insights::InsightsQuery;
use collie_core::error_code::ErrorCode;
use collie_core::insights::{Insights, PeriodUnit, Spread};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_wire::rpc::InsightsTable;
use console::Style;
use serde_json::json;

/// Prints figures, or the rows they are made of.
pub async fn run(context: &Context, args: InsightsArgs) -> Result<u8, UserError> {
    let store = open_loops(context).await?;
    let range = args.since.0;
    let only = args.repo.map(|repo| repo.0);
    let query = InsightsQuery::read(store.as_ref(), range, only).await;
    store.close().await;
    let query = query?;
    let output = &context.output;
    if let Some(table) = args.csv {
        return print_csv(output, &query, table);
    }
    if output.json {
        let view = serde_json::to_value(query.view()).unwrap_or_default();
        let mut line = json!({ "type": "insights" });
        if let (Some(line), serde_json::Value::Object(view)) = (line.as_object_mut(), view) {
            line.extend(view);
        }
        output.print_json(&line);
    } else {
        print_figures(output, &query.figures());
    }
    Ok(0)
}

fn print_csv(output: &Output, query: &InsightsQuery, table: TableArg) -> Result<u8, UserError> {
    let table = match table {
        TableArg::Runs => InsightsTable::Runs,
        TableArg::Spending => InsightsTable::Spending,
    };
    let failed = |error: std::io::Error| {
        UserError::new(ErrorCode::FileNotSaved)
            .with("path", "CSV")
            .with("message", error.to_string())
    };
    let rows = query.csv(table).map_err(failed)?;
    output.print_bytes(&rows);
    Ok(0)
}

fn print_figures(output: &Output, figures: &Insights) {
    let localizer = &output.localizer;
    let days = localize!(
        localizer,
        "cli-insights-days",
        from = figures.range.from.to_string(),
        to = figures.range.to.to_string()
    );
    print_title(output, days);
    let totals = &figures.totals;
    if totals.ready == 0 && totals.ended == 0 && figures.models.is_empty() {
        output.print_text(&localize!(localizer, "cli-insights-nothing"));
        return;
    }
    let time = match &totals.time_to_ready {
        Some(spread) => spread_text(output, spread),
        None => "–".to_owned(),
    };
    let share = match totals.dismissable {
        0 => "–".to_owned(),
        all => format!(
            "{} ({}/{all})",
            percent(totals.dismissed, all),
            totals.dismissed
        ),
    };
    let merged = format!("{}/{}", totals.merged, totals.ended);
    print_table(
        output,
        &[
            vec![
                localize!(localizer, "insights-tile-ready"),
                totals.ready.to_string(),
            ],
            vec![localize!(localizer, "insights-tile-time"), time],
            vec![localize!(localizer, "insights-tile-merged"), merged],
            vec![localize!(localizer, "insights-tile-dismissed"), share],
            vec![
                localize!(localizer, "insights-tile-spent"),
                cost(output, &totals.usage),
            ],
        ],
    );
    print_periods(output, figures);
    print_rounds(output, figures);
    print_reviewers(output, figures);
    print_spending(output, figures);
    print_ends(output, figures);
    print_uncounted(output, figures);
}

/// Which runs are not counted.
fn print_uncounted(output: &Output, figures: &Insights) {
    let localizer = &output.localizer;
    output.print_text(&localize!(localizer, "insights-ended-only"));
    if figures.ongoing_runs > 0 {
        let count = figures.ongoing_runs;
        output.print_text(&localize!(
            localizer,
            "insights-ongoing-runs",
            count = count
        ));
    }
    if figures.unrecorded_runs > 0 {
        let count = figures.unrecorded_runs;
        output.print_text(&localize!(
            localizer,
            "cli-insights-unrecorded",
            count = count
        ));
    }
}

fn print_periods(output: &Output, figures: &Insights) {
    let localizer = &output.localizer;
    if figures.totals.ready == 0 {
        return;
    }
    let title = match figures.unit {
        PeriodUnit::Day => localize!(localizer, "insights-ready-day"),
        PeriodUnit::Week => localize!(localizer, "insights-ready-week"),
        PeriodUnit::Month => localize!(localizer, "insights-ready-month"),
    };
    print_title(output, title);
    let rows: Vec<Vec<String>> = (figures.periods.iter())
        .map(|period| {
            let time = period.time_to_ready.as_ref();
            let time = time.map(|spread| spread_text(output, spread));
            let ready = period.ready.to_string();
            vec![
                period.days.from.to_string(),
                ready,
                time.unwrap_or_default(),
            ]
        })
        .collect();
    print_table(output, &rows);
}

fn print_rounds(output: &Output, figures: &Insights) {
    let localizer = &output.localizer;
    if figures.rounds.is_empty() {
        return;
    }
    print_title(output, localize!(localizer, "insights-rounds"));
    let mut rows = vec![vec![
        String::new(),
        localize!(localizer, "insights-outcome-fixed"),
        localize!(localizer, "insights-outcome-dismissed"),
        localize!(localizer, "insights-outcome-declined"),
        localize!(localizer, "insights-outcome-open"),
    ]];
    rows.extend(figures.rounds.iter().map(|round| {
        let counts = [round.fixed, round.dismissed, round.declined, round.open];
        let name = localize!(localizer, "insights-round", round = round.round);
        let counts = counts.iter().map(ToString::to_string);
        std::iter::once(name).chain(counts).collect()
    }));
    print_table(output, &rows);
}

fn print_reviewers(output: &Output, figures: &Insights) {
    if figures.reviewers.is_empty() {
        return;
    }
    print_title(output, localize!(output.localizer, "insights-dismissed"));
    let rows: Vec<Vec<String>> = (figures.reviewers.iter())
        .map(|it| {
            let share = percent(it.dismissed, it.findings);
            let of = format!("{}/{}", it.dismissed, it.findings);
            vec![it.name.clone(), share, of]
        })
        .collect();
    print_table(output, &rows);
}

fn print_spending(output: &Output, figures: &Insights) {
    let localizer = &output.localizer;
    let unrecorded = || localize!(localizer, "insights-unrecorded");
    let row = |name: Option<String>, usage: &Usage| {
        let tokens = usage.input_tokens + usage.output_tokens;
        let tokens = localize!(localizer, "insights-tokens", count = tokens);
        vec![name.unwrap_or_else(unrecorded), cost(output, usage), tokens]
    };
    if figures.models.is_empty() {
        return;
    }
    print_title(output, localize!(localizer, "insights-models"));
    let models = figures.models.iter();
    let models: Vec<_> = models
        .map(|(name, usage)| row(name.clone(), usage))
        .collect();
    print_table(output, &models);
    print_title(output, localize!(localizer, "insights-repositories"));
    let repositories = figures.repositories.iter();
    let repositories: Vec<_> = repositories
        .map(|(name, usage)| row(name.as_ref().map(ToString::to_string), usage))
        .collect();
    print_table(output, &repositories);
}

fn print_ends(output: &Output, figures: &Insights) {
    if figures.ends.is_empty() {
        return;
    }
    print_title(output, localize!(output.localizer, "insights-ends"));
    let ends = figures.ends.iter();
    let rows: Vec<Vec<String>> = ends
        .map(|(end, count)| {
            let name = format!("insights-end-{}", end.code());
            vec![output.localizer.text(&name, &[]), count.to_string()]
        })
        .collect();
    print_table(output, &rows);
}

fn print_title(output: &Output, title: String) {
    output.print_styled(&TerminalText::styled(&Style::new().bold(), title));
}

/// Rows under each other: the first cells to the left, the others to the right of their columns.
fn print_table(output: &Output, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells
                .map(|cell| console::measure_text_width(cell))
                .max()
                .unwrap_or(0)
        })
        .collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| {
            let room = " ".repeat(width.saturating_sub(console::measure_text_width(cell)));
            if at == 0 {
                format!("{cell}{room}")
            } else {
                format!("{room}{cell}")
            }
        });
        output.print_text(&format!("  {}", cells.collect::<Vec<_>>().join("  ")));
    }
    output.print_text("");
}

fn cost(output: &Output, usage: &Usage) -> String {
    output.localizer.shared.format_cost(usage.cost())
}

fn spread_text(output: &Output, spread: &Spread) -> String {
    let duration = |ms| output.localizer.shared.format_duration(ms);
    localize!(
        output.localizer,
        "insights-spread",
        median = duration(spread.median),
        lower = duration(spread.lower),
        upper = duration(spread.upper)
    )
}

fn percent(part: u32, whole: u32) -> String {
    let rounded = (u64::from(part) * 200 + u64::from(whole)) / (u64::from(whole).max(1) * 2);
    format!("{rounded} %")
}

//! What evaluations come to, in words and as JSON.

use crate::context::Context;
use crate::localize;
use crate::terminal_text::TerminalText;
use collie_core::usage::Cost;
use collie_eval::{
    Comparison, Difference, Figure, Figures, Interval, Metric, PairedCase, RESAMPLES, RunHeader,
    RunResults, SEED, figures,
};
use console::Style;
use serde_json::{Value, json};

/// Cases that a comparison lists.
const MAX_LISTED: usize = 40;

/// Prints what a run comes to, and gives it.
pub fn print_figures(context: &Context, results: &RunResults) -> Figures {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let said = figures(results);
    if output.json {
        output.print_json(&json!({
            "type": "eval_report", "run": results.header, "figures": said,
            "resamples": RESAMPLES, "seed": SEED,
        }));
        return said;
    }
    let title = localize!(
        localizer,
        "cli-eval-title",
        run = run_name(&results.header),
        set = results.header.set.as_str(),
        cases = said.cases,
        runs = said.runs
    );
    output.print_styled(&TerminalText::styled(&Style::new().bold(), title));
    let findings = said.true_findings + said.false_findings;
    print_proportion(
        context,
        "cli-eval-precision",
        said.precision,
        (said.true_findings, findings),
    );
    print_proportion(context, "cli-eval-recall", said.recall, said.found);
    if let Some(f1) = said.f1 {
        output.print_text(&localize!(
            localizer,
            "cli-eval-f-one",
            value = percent(f1.value),
            interval = interval_text(context, f1.interval)
        ));
    }
    print_clean(context, &said);
    let kinds = said
        .by_kind
        .iter()
        .map(|(kind, (found, all))| format!("{kind} {found}/{all}"));
    let kinds: Vec<String> = kinds.collect();
    if !kinds.is_empty() {
        let kinds = kinds.join(", ");
        output.print_text(&localize!(localizer, "cli-eval-kinds", kinds = kinds));
    }
    if said.unjudged > 0 {
        output.print_text(&localize!(
            localizer,
            "cli-eval-unjudged",
            count = said.unjudged
        ));
    }
    print_spending(context, &said);
    said
}

fn print_clean(context: &Context, said: &Figures) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    if said.clean.cases > 0 {
        let wrong = said.clean.false_findings.map_or(0.0, |rate| rate.value);
        let (silent, runs) = said.clean.silent;
        output.print_text(&localize!(
            localizer,
            "cli-eval-clean",
            silent = silent,
            runs = runs,
            interval = interval_text(
                context,
                said.clean.silent_share.and_then(|one| one.interval)
            ),
            wrong = (wrong * runs as f64).round()
        ));
    }
}

fn print_proportion(context: &Context, key: &str, figure: Option<Figure>, of: (u64, u64)) {
    let localizer = &context.output.localizer;
    let text = match figure {
        Some(figure) => localize!(
            localizer,
            key,
            value = percent(figure.value),
            hits = of.0,
            all = of.1,
            interval = interval_text(context, figure.interval)
        ),
        None => {
            let name = localize!(
                localizer,
                "cli-eval-metric",
                metric = &key["cli-eval-".len()..]
            );
            localize!(localizer, "cli-eval-no-figure", name = name)
        }
    };
    context.output.print_text(&text);
}

fn print_spending(context: &Context, said: &Figures) {
    let (output, shared) = (&context.output, &context.output.localizer.shared);
    let spent = &said.spending;
    let cost = match spent.cost_micros {
        Some(micros) => shared.format_cost(Cost {
            micros,
            unpriced: false,
        }),
        None => localize!(output.localizer, "cli-eval-cost-unknown"),
    };
    output.print_text(&localize!(
        output.localizer,
        "cli-eval-spent",
        cost = cost,
        input = shared.format_number(spent.input_tokens),
        output = shared.format_number(spent.output_tokens),
        total = shared.format_duration(spent.total_ms),
        median = shared.format_duration(spent.median_ms)
    ));
    print_run_spending(context, said);
    if !said.failed.is_empty() {
        let names = said.failed.iter().map(|(case, _)| case.clone());
        let names: Vec<String> = names.collect();
        output.print_text(&localize!(
            output.localizer,
            "cli-eval-failed",
            count = said.failed.len(),
            names = shared.format_list(&names)
        ));
    }
}

/// What one run costs and takes, each with its interval.
fn print_run_spending(context: &Context, said: &Figures) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let figures = [
        (Metric::RunCost, said.spending.run_cost_micros),
        (Metric::RunTime, said.spending.run_ms),
    ];
    for (metric, figure) in figures {
        let Some(figure) = figure else { continue };
        output.print_text(&localize!(
            localizer,
            "cli-eval-run-figure",
            name = metric_name(context, metric),
            value = metric_value(context, metric, figure.value),
            interval = metric_interval(context, metric, figure.interval)
        ));
    }
}

/// Who ran on what with which prompts.
fn run_name(header: &RunHeader) -> String {
    let prompts = header
        .prompts
        .as_deref()
        .map(|hash| &hash[..hash.len().min(8)]);
    match prompts {
        Some(prompts) => format!("{} · {} · {prompts}", header.persona, header.runs_on),
        None => header.persona.clone(),
    }
}

fn percent(value: f64) -> f64 {
    (value * 100.0).round()
}

fn interval_text(context: &Context, interval: Option<Interval>) -> String {
    let localizer = &context.output.localizer;
    match interval {
        Some(interval) => localize!(
            localizer,
            "cli-eval-interval",
            low = percent(interval.low),
            high = percent(interval.high)
        ),
        None => localize!(localizer, "cli-eval-no-interval"),
    }
}

/// Prints two runs side by side.
pub fn print_comparison(
    context: &Context,
    (first, second): (&RunResults, &RunResults),
    compared: &Comparison,
) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    if output.json {
        output.print_json(&comparison_json((first, second), compared));
        return;
    }
    let title = localize!(
        localizer,
        "cli-eval-compare-title",
        first = run_name(&first.header),
        second = run_name(&second.header),
        cases = compared.cases
    );
    output.print_styled(&TerminalText::styled(&Style::new().bold(), title));
    for difference in &compared.differences {
        output.print_text(&difference_text(context, difference));
    }
    output.print_text(&localize!(
        localizer,
        "cli-eval-only",
        first = compared.only_first,
        second = compared.only_second,
        p = format!("{:.3}", compared.mcnemar_p)
    ));
    output.print_styled(&TerminalText::styled(
        &Style::new().bold(),
        verdict_text(context, compared),
    ));
    for case in compared.changed.iter().take(MAX_LISTED) {
        output.print_text(&case_text(context, case));
    }
    let more = compared.changed.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        output.print_text(&localize!(localizer, "cli-eval-more", count = more));
    }
    if !compared.unpaired.is_empty() {
        output.print_text(&localize!(
            localizer,
            "cli-eval-unpaired",
            count = compared.unpaired.len(),
            names = localizer.shared.format_list(&compared.unpaired)
        ));
    }
}

fn metric_name(context: &Context, metric: Metric) -> String {
    localize!(
        &context.output.localizer,
        "cli-eval-metric",
        metric = metric_code(metric)
    )
}

/// A figure in its unit.
fn metric_value(context: &Context, metric: Metric, value: f64) -> String {
    let shared = &context.output.localizer.shared;
    // A difference may be below zero.
    let sign = if value < 0.0 { "−" } else { "" };
    // Money and times of runs are far below 2^53.
    let size = value.abs().round() as u64;
    match metric {
        Metric::RunCost => {
            let cost = Cost {
                micros: size,
                unpriced: false,
            };
            format!("{sign}{}", shared.format_cost(cost))
        }
        Metric::RunTime => format!(
            "{sign}{}",
            localize!(
                &context.output.localizer,
                "cli-eval-seconds",
                seconds = (value.abs() / 10.0).round() / 100.0
            )
        ),
        Metric::Precision | Metric::Recall | Metric::F1 | Metric::CleanFalseFindings => {
            percent(value).to_string()
        }
    }
}

fn metric_interval(context: &Context, metric: Metric, interval: Option<Interval>) -> String {
    let (Metric::RunCost | Metric::RunTime, Some(known)) = (metric, interval) else {
        return interval_text(context, interval);
    };
    localize!(
        &context.output.localizer,
        "cli-eval-interval-of",
        low = metric_value(context, metric, known.low),
        high = metric_value(context, metric, known.high)
    )
}

fn metric_code(metric: Metric) -> &'static str {
    match metric {
        Metric::Precision => "precision",
        Metric::Recall => "recall",
        Metric::F1 => "f1",
        Metric::CleanFalseFindings => "clean",
        Metric::RunCost => "cost",
        Metric::RunTime => "time",
    }
}

fn difference_text(context: &Context, difference: &Difference) -> String {
    let (localizer, metric) = (&context.output.localizer, difference.metric);
    localize!(
        localizer,
        "cli-eval-difference",
        name = metric_name(context, metric),
        first = metric_value(context, metric, difference.first),
        second = metric_value(context, metric, difference.second),
        interval = metric_interval(context, metric, difference.interval),
        noise = match difference.is_more_than_noise() {
            true => "no",
            false => "yes",
        }
    )
}

/// Whether one is better, in a sentence.
fn verdict_text(context: &Context, compared: &Comparison) -> String {
    let localizer = &context.output.localizer;
    let Some(f1) = compared.f1() else {
        return localize!(localizer, "cli-eval-no-verdict");
    };
    let better = match f1.is_more_than_noise() {
        false => "none",
        true if f1.second > f1.first => "second",
        true => "first",
    };
    localize!(
        localizer,
        "cli-eval-verdict",
        better = better,
        points = percent((f1.second - f1.first).abs()),
        interval = interval_text(context, f1.interval)
    )
}

fn case_text(context: &Context, case: &PairedCase) -> String {
    let localizer = &context.output.localizer;
    localize!(
        localizer,
        "cli-eval-case",
        case = case.case.as_str(),
        first = case.only_first.len(),
        second = case.only_second.len(),
        wrong = case.false_first.0,
        other = case.false_second.0
    )
}

fn comparison_json((first, second): (&RunResults, &RunResults), compared: &Comparison) -> Value {
    let more_than_noise = compared.f1().map(Difference::is_more_than_noise);
    json!({
        "type": "eval_comparison", "first": first.header, "second": second.header,
        "comparison": compared, "more_than_noise": more_than_noise,
        "resamples": RESAMPLES, "seed": SEED,
    })
}

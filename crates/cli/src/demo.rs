//! `collie demo`: the scenarios side by side, shown as they go.

use crate::args::{CommonArgs, DemoArgs, LanguageArg};
use crate::context::terminal_language;
use crate::interrupt::Interrupt;
use crate::localize;
use crate::loop_display::LoopDisplay;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use collie_app::demo::{Demo, DemoOptions, SCENARIOS, Scenario, ScenarioOutcome};
use collie_app::render::loop_view::loop_view;
use collie_config::DataFolder;
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use collie_i18n::Redactor;
use serde_json::json;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How often the clocks on the screen go on.
const REDRAW_INTERVAL: Duration = Duration::from_secs(1);

/// Plays the demo; 0 when each scenario ended as designed.
pub async fn run(common: &CommonArgs, args: DemoArgs) -> Result<u8, UserError> {
    let language = common
        .lang
        .map_or_else(terminal_language, LanguageArg::code);
    let output = crate::context::output_before_config(common);
    crate::context::require_git().await?;
    let options = DemoOptions {
        root: args.root.clone(),
        scenarios: chosen_scenarios(&args.scenario),
        language,
    };
    if let Some(root) = &args.root {
        keep_diagnostics(root);
    }
    let mut interrupt = Interrupt::listen();
    if output.is_interactive() {
        let text = localize!(output.localizer, "demo-setting-up");
        output.print_aside(&TerminalText::plain(text));
    }
    let demo = tokio::select! {
        demo = Demo::set_up(&options) => demo?,
        () = interrupt.wait() => return Ok(1),
    };
    let display = RefCell::new(LoopDisplay::new(
        &output,
        localize!(output.localizer, "demo-title"),
    ));
    let finished = tokio::select! {
        outcomes = demo.run(|outcome| print_outcome(&output, outcome)) => Some(outcomes),
        () = follow_changes(demo.engine().handle().subscribe(), &display, &output.localizer.shared) => None,
        () = redraw_each_second(&display) => None,
        () = interrupt.wait() => None,
    };
    let Some(outcomes) = finished else {
        demo.close().await;
        return Ok(1);
    };
    display.borrow().finish();
    demo.close().await;
    let outcomes = outcomes?;
    print_summary(&output, &outcomes);
    if let (Some(root), false) = (&args.root, output.json) {
        output.print_text(&localize!(
            output.localizer,
            "demo-kept",
            folder = root.display().to_string()
        ));
    }
    let good = outcomes.iter().all(|outcome| outcome.problems.is_empty());
    Ok(u8::from(!good))
}

/// The scenarios of these names in their order, each once; all of them where none is named.
fn chosen_scenarios(names: &[String]) -> Vec<Scenario> {
    let mut chosen: Vec<Scenario> = names
        .iter()
        .filter_map(|name| Scenario::parse(name))
        .collect();
    if chosen.is_empty() {
        return SCENARIOS.to_vec();
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Keeps diagnostics where the demo's data is kept. Without them the demo goes on.
fn keep_diagnostics(root: &Path) {
    let started = DataFolder::at(root.join("data"))
        .map_err(|error| error.to_string())
        .and_then(|data| collie_app::logging::init(&data));
    if let Err(reason) = started {
        tracing::debug!(reason, "no diagnostics are kept");
    }
}

/// Shows every change; never returns.
async fn follow_changes(
    mut changes: Receiver<Arc<LoopState>>,
    display: &RefCell<LoopDisplay<'_>>,
    localizer: &Localizer,
) {
    loop {
        match changes.recv().await {
            Ok(state) => display.borrow_mut().update_loop(loop_view(
                &state,
                None,
                localizer,
                &Redactor::default(),
            )),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

async fn redraw_each_second(display: &RefCell<LoopDisplay<'_>>) {
    let mut ticks = tokio::time::interval(REDRAW_INTERVAL);
    loop {
        ticks.tick().await;
        display.borrow().draw();
    }
}

fn print_outcome(output: &Output, outcome: &ScenarioOutcome) {
    if output.json {
        let state = outcome.state.as_ref();
        let problems: Vec<String> = outcome
            .problems
            .iter()
            .map(|problem| output.localizer.shared.error_text(problem))
            .collect();
        output.print_json(&json!({
            "type": "scenario",
            "scenario": outcome.scenario.name(),
            "as_designed": outcome.problems.is_empty(),
            "problems": problems,
            "state": state.map(|state| state.run.state),
            "iteration": state.map(|state| state.run.fixing.iteration),
            "elapsed_ms": u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX),
        }));
    }
}

fn print_summary(output: &Output, outcomes: &[ScenarioOutcome]) {
    let localizer = &output.localizer;
    let bad: Vec<&ScenarioOutcome> = outcomes
        .iter()
        .filter(|outcome| !outcome.problems.is_empty())
        .collect();
    output.print_text("");
    for outcome in &bad {
        output.print_text(&localize!(
            localizer,
            "demo-not-as-designed",
            scenario = outcome.scenario.name()
        ));
        for problem in &outcome.problems {
            output.print_text(&format!("  {}", localizer.shared.error_text(problem)));
        }
    }
    if bad.is_empty() && outcomes.len() == 1 {
        output.print_text(&localize!(localizer, "demo-one-as-designed"));
    } else if bad.is_empty() {
        output.print_text(&localize!(
            localizer,
            "demo-as-designed",
            count = outcomes.len()
        ));
        output.print_text(&localize!(localizer, "demo-next"));
    }
}

//! `collie demo`: the scenarios side by side, shown as they go.

use crate::args::{Common, DemoArgs, Language};
use crate::context::terminal_language;
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::problem::Problem;
use crate::say;
use crate::show::Show;
use collie_app::demo::{Demo, DemoError, DemoOptions, Outcome, SCENARIOS, Scenario};
use collie_app::view::view;
use collie_app::words::Speech;
use collie_core::model::LoopState;
use collie_store::DataFolder;
use serde_json::json;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How often the clocks on the screen go on.
const TICK: Duration = Duration::from_secs(1);

/// Plays the demo; 0 when each scenario ended as designed.
pub async fn run(common: &Common, args: DemoArgs) -> Result<u8, Problem> {
    let language = common.lang.map_or_else(terminal_language, Language::code);
    let out = crate::context::first_output(common);
    let chosen: Vec<Scenario> = args
        .scenario
        .iter()
        .filter_map(|name| Scenario::named(name))
        .collect();
    let mut scenarios = if chosen.is_empty() {
        SCENARIOS.to_vec()
    } else {
        chosen
    };
    scenarios.sort_unstable();
    scenarios.dedup();
    crate::context::git_is_there().await?;
    let options = DemoOptions {
        root: args.root.clone(),
        scenarios,
        language,
    };
    let failed = |error: DemoError| Problem::new("demo", error);
    if let Some(root) = &args.root {
        keep_diagnostics(root);
    }
    let mut interrupt = Interrupt::listen();
    if out.is_live() {
        anstream::eprintln!("{}", say!(out.say, "demo-setting-up"));
    }
    let demo = tokio::select! {
        demo = Demo::set_up(&options) => demo.map_err(failed)?,
        () = interrupt.wait() => return Ok(1),
    };
    let show = RefCell::new(Show::new(&out, say!(out.say, "demo-title")));
    let played = tokio::select! {
        outcomes = demo.play(|outcome| tell(&out, outcome)) => Some(outcomes.map_err(failed)),
        () = follow(demo.app().handle().subscribe(), &show, &out.say.speech) => None,
        () = tick(&show) => None,
        () = interrupt.wait() => None,
    };
    let Some(outcomes) = played else {
        demo.close().await;
        return Ok(1);
    };
    show.borrow().finish();
    demo.close().await;
    let outcomes = outcomes?;
    summary(&out, &outcomes);
    if let (Some(root), false) = (&args.root, out.json) {
        out.words(&say!(
            out.say,
            "demo-kept",
            folder = root.display().to_string()
        ));
    }
    let good = outcomes.iter().all(|outcome| outcome.problems.is_empty());
    Ok(u8::from(!good))
}

/// Keeps diagnostics where the demo's data is kept. Without them the demo goes on.
fn keep_diagnostics(root: &Path) {
    let started = DataFolder::at(root.join("data"))
        .map_err(|error| error.to_string())
        .and_then(|data| collie_app::trace::start(&data));
    if let Err(reason) = started {
        tracing::debug!(reason, "no diagnostics are kept");
    }
}

/// Shows every change; never returns.
async fn follow(mut changes: Receiver<Arc<LoopState>>, show: &RefCell<Show<'_>>, speech: &Speech) {
    loop {
        match changes.recv().await {
            Ok(state) => show.borrow_mut().update(view(&state, None, speech)),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

async fn tick(show: &RefCell<Show<'_>>) {
    let mut ticks = tokio::time::interval(TICK);
    loop {
        ticks.tick().await;
        show.borrow().draw();
    }
}

fn tell(out: &Output, outcome: &Outcome) {
    if out.json {
        let state = outcome.state.as_ref();
        out.line(&json!({
            "type": "scenario",
            "scenario": outcome.scenario.name(),
            "as_designed": outcome.problems.is_empty(),
            "problems": outcome.problems,
            "state": state.map(|state| state.state),
            "iteration": state.map(|state| state.iteration),
            "elapsed_ms": u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX),
        }));
    }
}

fn summary(out: &Output, outcomes: &[Outcome]) {
    let say = &out.say;
    let bad: Vec<&Outcome> = outcomes.iter().filter(|o| !o.problems.is_empty()).collect();
    out.words("");
    for outcome in &bad {
        out.words(&say!(
            say,
            "demo-not-as-designed",
            scenario = outcome.scenario.name()
        ));
        for problem in &outcome.problems {
            out.words(&format!("  {problem}"));
        }
    }
    if bad.is_empty() && outcomes.len() == 1 {
        out.words(&say!(say, "demo-one-as-designed"));
    } else if bad.is_empty() {
        out.words(&say!(say, "demo-as-designed", count = outcomes.len()));
        out.words(&say!(say, "demo-next"));
    }
}

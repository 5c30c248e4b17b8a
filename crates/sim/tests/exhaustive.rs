//! Every order of events within bounds, over the `step` that ships: see docs/testing.md.

use collie_sim::bounds::{Bounds, Search};
use collie_sim::model::LoopModel;
use stateright::{Checker, Model};
use std::time::{Duration, Instant};

/// Searches to the end, and fails with the way to whatever is wrong.
fn search(search: Search) {
    let begun = Instant::now();
    let checker = LoopModel::new(search.clone())
        .checker()
        .threads(2)
        .spawn_dfs()
        .join();
    let searched = begun.elapsed();
    let progress = checker.model().graph.progress();
    println!(
        "{}: {} situations, {} steps, depth {}, {} fair steps, {:.1?} and {:.1?} for progress",
        search.name,
        checker.unique_state_count(),
        checker.state_count(),
        checker.max_depth(),
        progress.fair_steps,
        searched,
        begun.elapsed() - searched
    );
    let found: Vec<_> = checker.discoveries().into_iter().collect();
    for (name, path) in &found {
        if *name != "it becomes ready" {
            let acts: Vec<_> = path.clone().into_actions();
            panic!("{}: broken: {name}: {acts:#?}", search.name);
        }
    }
    assert_eq!(found.len(), 1, "it becomes ready");
    for (what, key) in [
        ("nothing ends this wait", progress.stuck),
        ("work comes back to this", progress.circle),
    ] {
        if let Some(key) = key {
            panic!("{}: {what}: {}", search.name, way_to(&search, key));
        }
    }
}

/// How a situation comes about, and what it is.
fn way_to(search: &Search, key: u64) -> String {
    let mut model = LoopModel::new(search.clone());
    model.wanted = Some(key);
    let checker = model.checker().threads(2).spawn_bfs().join();
    let path = checker.discovery("not the situation that is looked for");
    let path = path.expect("it was found before");
    let last = path.last_state().clone();
    let runs: Vec<_> = last
        .pulls
        .iter()
        .map(|pull| {
            let run = &pull.host.state.run;
            let effects: Vec<_> = pull
                .host
                .effects()
                .map(|(_, effect)| effect.label())
                .collect();
            (run.state, run.blocker.clone(), effects, pull.world.clone())
        })
        .collect();
    format!("{:#?}\n{runs:#?}", path.into_actions())
}

const PLAIN: Search = Search {
    name: "plain",
    pulls: 1,
    slots: 1,
    max_iterations: 2,
    bounds: NOTHING,
};

const NOTHING: Bounds = Bounds {
    pushes: 0,
    comments: 0,
    reviews: 0,
    drafts: 0,
    auto_merges: 0,
    ends: 0,
    cancels: 0,
    next_runs: 0,
    red_checks: 0,
    findings: 0,
    crashes: 0,
    duplicates: 0,
    delays: 0,
    stale_readings: 0,
    failed_readings: 0,
    failed_sessions: 0,
    lost_answers: 0,
    late_writes: 0,
    rate_limits: 0,
    sleeps: 0,
};

#[test]
fn one_fault_is_fixed() {
    let bounds = Bounds {
        findings: 3,
        ..NOTHING
    };
    search(Search { bounds, ..PLAIN });
}

//! Every order of events within bounds, over the `step` that ships: see docs/testing.md.

use collie_sim::bounds::{Bounds, Search};
use collie_sim::model::{Action, LoopModel, Situation, is_fair};
use stateright::{Checker, Model};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Instant;

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
            panic!("{}: broken: {name}: {acts:?}", search.name);
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
    let waits = waits_after(checker.model(), last);
    format!(
        "{:?}\n{runs:#?}\nwhat follows by itself: {waits:#?}",
        path.into_actions()
    )
}

/// What is waited for in everything that follows by itself, each once.
fn waits_after(model: &LoopModel, first: Situation) -> BTreeSet<String> {
    let (mut seen, mut waits, mut queue) = (HashSet::new(), BTreeSet::new(), vec![first]);
    while let Some(at) = queue.pop() {
        if !seen.insert(at.key) {
            continue;
        }
        for pull in &at.pulls {
            let run = &pull.host.state.run;
            let effects: Vec<_> = pull
                .host
                .effects()
                .map(|(_, effect)| effect.label())
                .collect();
            waits.insert(format!("{} {:?} {effects:?}", run.state, run.blocker));
        }
        let mut next = Vec::new();
        model.actions(&at, &mut next);
        next.retain(is_fair);
        queue.extend(
            next.into_iter()
                .filter_map(|action| model.next_state(&at, action)),
        );
    }
    waits
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
    bot_looks: 0,
    bot_threads: 0,
    bot_insists: 0,
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

/// The same where there is time: `npm run test:long`.
fn search_long(wanted: Search) {
    if std::env::var_os("COLLIE_SIM_LONG").is_some() {
        search(wanted);
    }
}

#[test]
fn a_reviewer_that_never_stops_finding() {
    let bounds = Bounds {
        findings: 4,
        ..NOTHING
    };
    search(Search {
        name: "findings",
        bounds,
        ..PLAIN
    });
}

#[test]
fn the_process_dies_and_answers_come_late_or_twice() {
    let bounds = Bounds {
        findings: 1,
        crashes: 1,
        duplicates: 1,
        ..NOTHING
    };
    search(Search {
        name: "crashes",
        bounds,
        ..PLAIN
    });
}

#[test]
fn posts_land_late_or_without_an_answer() {
    let bounds = Bounds {
        findings: 1,
        lost_answers: 1,
        late_writes: 1,
        rate_limits: 1,
        ..NOTHING
    };
    search(Search {
        name: "posts",
        bounds,
        ..PLAIN
    });
}

#[test]
fn readings_are_stale_or_fail() {
    let bounds = Bounds {
        findings: 1,
        stale_readings: 1,
        failed_readings: 1,
        ..NOTHING
    };
    search(Search {
        name: "readings",
        bounds,
        ..PLAIN
    });
}

#[test]
fn people_push_and_comment() {
    let bounds = Bounds {
        pushes: 1,
        comments: 1,
        ..NOTHING
    };
    search(Search {
        name: "people",
        bounds,
        ..PLAIN
    });
}

#[test]
fn people_ask_for_changes() {
    let bounds = Bounds {
        comments: 1,
        reviews: 1,
        ..NOTHING
    };
    search(Search {
        name: "reviews",
        bounds,
        ..PLAIN
    });
}

#[test]
fn people_hold_it_and_end_it() {
    let bounds = Bounds {
        findings: 1,
        drafts: 1,
        auto_merges: 1,
        ends: 1,
        ..NOTHING
    };
    search(Search {
        name: "holds",
        bounds,
        ..PLAIN
    });
}

#[test]
fn people_cancel_and_begin_again() {
    let bounds = Bounds {
        findings: 1,
        crashes: 1,
        cancels: 1,
        next_runs: 1,
        ..NOTHING
    };
    search(Search {
        name: "runs",
        bounds,
        ..PLAIN
    });
}

#[test]
fn what_the_last_run_left_unsaid_is_said_by_the_next() {
    let bounds = Bounds {
        comments: 1,
        cancels: 1,
        next_runs: 1,
        ..NOTHING
    };
    search(Search {
        name: "words",
        max_iterations: 1,
        bounds,
        ..PLAIN
    });
}

#[test]
fn checks_fail_and_sessions_break_off() {
    let bounds = Bounds {
        findings: 1,
        red_checks: 2,
        failed_sessions: 2,
        ..NOTHING
    };
    search(Search {
        name: "checks",
        bounds,
        ..PLAIN
    });
}

#[test]
fn a_bot_looks_or_is_silent_and_contradicts_an_answer() {
    let bounds = Bounds {
        bot_looks: 2,
        bot_threads: 1,
        bot_insists: 1,
        ..NOTHING
    };
    search(Search {
        name: "bot",
        bounds,
        ..PLAIN
    });
}

#[test]
fn a_bot_looks_while_the_process_dies() {
    let bounds = Bounds {
        bot_looks: 1,
        bot_threads: 1,
        crashes: 1,
        ..NOTHING
    };
    search(Search {
        name: "bot and crashes",
        bounds,
        ..PLAIN
    });
}

#[test]
fn two_pull_requests_share_a_slot() {
    let bounds = Bounds {
        findings: 1,
        ..NOTHING
    };
    search(Search {
        name: "two",
        pulls: 2,
        bounds,
        ..PLAIN
    });
}

#[test]
fn what_the_last_run_said_late_is_not_said_again() {
    let bounds = Bounds {
        comments: 1,
        cancels: 1,
        next_runs: 1,
        late_writes: 1,
        ..NOTHING
    };
    search(Search {
        name: "late words",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_crashes() {
    let bounds = Bounds {
        findings: 2,
        crashes: 2,
        duplicates: 1,
        delays: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "crashes, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_posts() {
    let bounds = Bounds {
        findings: 1,
        comments: 1,
        crashes: 1,
        lost_answers: 1,
        late_writes: 1,
        rate_limits: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "posts, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_readings() {
    let bounds = Bounds {
        pushes: 1,
        findings: 1,
        stale_readings: 1,
        delays: 1,
        failed_readings: 1,
        sleeps: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "readings, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_people() {
    let bounds = Bounds {
        findings: 1,
        pushes: 2,
        comments: 2,
        ..NOTHING
    };
    search_long(Search {
        name: "people, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_reviews() {
    let bounds = Bounds {
        findings: 1,
        pushes: 1,
        comments: 1,
        reviews: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "reviews, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_holds() {
    let bounds = Bounds {
        findings: 1,
        pushes: 1,
        drafts: 1,
        auto_merges: 1,
        ends: 1,
        crashes: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "holds, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_runs() {
    let bounds = Bounds {
        findings: 1,
        comments: 1,
        crashes: 1,
        cancels: 1,
        next_runs: 1,
        late_writes: 1,
        rate_limits: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "runs, long",
        bounds,
        ..PLAIN
    });
}

#[test]
fn long_two() {
    let bounds = Bounds {
        findings: 1,
        crashes: 1,
        pushes: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "two, long",
        pulls: 2,
        bounds,
        ..PLAIN
    });
}
/// What leads to a situation must not matter: whatever is forgotten of it, the same may happen, and leads to the same.
fn check_forgetting(search: Search) {
    let model = LoopModel::new(search);
    let follows = |at: &Situation| {
        let mut actions = Vec::new();
        model.actions(at, &mut actions);
        let next = actions.into_iter();
        let next = next.filter_map(|action| Some((action, model.next_state(at, action)?)));
        next.collect::<Vec<_>>()
    };
    let keys = |next: &[(Action, Situation)]| {
        let mut keys: Vec<u64> = next.iter().map(|(_, at)| at.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let mut known: HashMap<u64, (Situation, Vec<u64>)> = HashMap::new();
    let mut queue = model.init_states();
    while let Some(at) = queue.pop() {
        let next = follows(&at);
        let keys = keys(&next);
        match known.get(&at.key) {
            Some((other, before)) => assert_eq!(*before, keys, "{other:#?}\n{at:#?}"),
            None => {
                known.insert(at.key, (at, keys));
                queue.extend(next.into_iter().map(|(_, at)| at));
            }
        }
    }
}

#[test]
fn what_is_forgotten_of_a_situation_changes_nothing_that_follows() {
    let bounds = Bounds {
        findings: 1,
        ends: 1,
        ..NOTHING
    };
    check_forgetting(Search { bounds, ..PLAIN });
}

#[test]
fn nor_what_is_forgotten_where_a_bot_is_waited_for() {
    let bounds = Bounds {
        bot_looks: 1,
        bot_threads: 1,
        ..NOTHING
    };
    check_forgetting(Search { bounds, ..PLAIN });
}

#[test]
fn long_bots() {
    let bounds = Bounds {
        bot_looks: 2,
        bot_threads: 2,
        bot_insists: 1,
        pushes: 1,
        crashes: 1,
        ..NOTHING
    };
    search_long(Search {
        name: "bot, long",
        bounds,
        ..PLAIN
    });
}

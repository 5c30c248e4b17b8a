//! Schedules of chance, played with the real engine (§17).

use collie_sim::simulator::schedule::{Call, Fault, Schedule, Strike, Tear, Torn};
use collie_sim::simulator::{Played, play};
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use strum::VariantArray;

fn played(schedule: &Schedule) -> Played {
    play(schedule, &std::env::temp_dir()).expect("a journal in the folder for temporary files")
}

/// A seed that fails is in the message, with the command that plays it.
fn assert_kept(schedule: &Schedule) {
    let Played { breaches, log, .. } = played(schedule);
    let seed = schedule.seed;
    assert!(
        breaches.is_empty(),
        "npm run sim -- --seed {seed}: {breaches:#?}\n{}",
        log.join("\n")
    );
}

#[test]
fn one_seed_gives_one_play() {
    let wild = (0..).map(Schedule::of_seed).filter(|of| {
        of.crashes.len() > 2 && of.strikes.len() > 2 && of.moves.len() > 2 && of.setting.pulls > 1
    });
    for schedule in wild.take(4) {
        let (first, second) = (played(&schedule), played(&schedule));
        assert!(first.log.len() > 10, "{:?}", first.log);
        assert_eq!(first.log, second.log, "seed {}", schedule.seed);
    }
}

/// New seeds each time, for so long as it is told; what it plays is printed.
#[test]
fn whatever_happens_every_promise_is_kept() {
    let long = std::env::var_os("COLLIE_TEST_LONG").is_some();
    let limit = Duration::from_secs(if long { 600 } else { 15 });
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    let first = now.as_secs() * 1_000_000;
    let begun = Instant::now();
    let mut seed = first;
    while begun.elapsed() < limit || seed < first + 10 {
        assert_kept(&Schedule::of_seed(seed));
        seed += 1;
    }
    println!("played {} schedules from seed {first} on", seed - first);
}

/// Without faults everything that is asked for is done, and a pull request without a fault becomes ready.
#[test]
fn a_quiet_schedule_becomes_ready() {
    let mut quiet = Schedule::of_seed(1);
    quiet.moves.clear();
    quiet.strikes.clear();
    quiet.crashes.clear();
    quiet.setting.first_faults = 0;
    quiet.setting.imagines = 0;
    quiet.setting.checks = 0;
    quiet.setting.bot = false;
    let played = played(&quiet);
    assert_eq!(played.breaches, [""; 0]);
    assert!(played.reached["pr_ready_to_merge"] >= 1, "{:?}", played.log);
    assert_eq!(played.died, 0);
}

/// Reviewers that always find something and a fixer that breaks as much as it mends: each run ends by itself, and says why (§5.3). Spent rounds and oscillation are not reached by these.
#[test]
fn runs_that_lead_nowhere_end_for_each_of_the_reasons() {
    let mut stops = BTreeMap::new();
    for seed in 0..24 {
        let mut schedule = Schedule::of_seed(seed);
        schedule.moves.clear();
        schedule.strikes.clear();
        schedule.crashes.clear();
        schedule.setting.checks = 0;
        schedule.setting.first_faults = 3;
        schedule.setting.imagines = if seed % 2 == 0 { 1_000 } else { 0 };
        schedule.setting.mends = [300, 1_000][usize::from(seed % 4 < 2)];
        schedule.setting.breaks = if seed % 3 == 0 { 1_000 } else { 200 };
        let played = played(&schedule);
        assert_eq!(played.breaches, [""; 0], "seed {seed}: {:#?}", played.log);
        for (stop, times) in played.stops {
            *stops.entry(stop).or_insert(0) += times;
        }
    }
    println!("{stops:?}");
    for reason in ["upheld", "stuck"] {
        assert!(stops.contains_key(reason), "{reason} in {stops:?}");
    }
}

/// A control: faults and deaths reach their mark, at each of the first awaits.
#[test]
fn it_dies_at_any_await_that_it_is_told_and_goes_on() {
    for at in (0..120).step_by(7) {
        let mut schedule = Schedule::of_seed(5);
        schedule.moves.clear();
        schedule.strikes = vec![Strike {
            call: Call::Post,
            nth: 0,
            fault: Fault::AnswerLost,
        }];
        schedule.crashes = vec![at];
        let played = played(&schedule);
        assert_eq!(played.died, 1, "await {at}");
        assert_eq!(played.breaches, [""; 0], "await {at}: {:#?}", played.log);
    }
}

/// Each kind of file is torn by a death at some of the first awaits: it comes back, and what is torn stays visible (§9.6, §10.3).
#[test]
fn whatever_a_death_leaves_of_its_files_it_comes_back() {
    for file in Torn::VARIANTS {
        for at in (40..220).step_by(30) {
            let mut schedule = Schedule::of_seed(5);
            schedule.moves.clear();
            schedule.strikes.clear();
            schedule.crashes = vec![at];
            schedule.tears = vec![Tear { at, file: *file }];
            let played = played(&schedule);
            assert_eq!(played.torn, BTreeMap::from([(*file, 1)]), "await {at}");
            assert_eq!(
                played.breaches, [""; 0],
                "{file:?} at await {at}: {:#?}",
                played.log
            );
        }
    }
}

/// What once broke a promise, or does where a safeguard is taken away (`tests/mutants/simulator.mjs`), shrunk; each file says in its name what
/// happens in it.
#[test]
fn what_broke_once_holds_now() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schedules");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("the folder") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let schedule: Schedule = serde_json::from_str(&text).expect("a schedule");
        let played = played(&schedule);
        assert_eq!(
            played.breaches,
            [""; 0],
            "{}: {:#?}",
            path.display(),
            played.log
        );
        count += 1;
    }
    assert!(count > 0);
}

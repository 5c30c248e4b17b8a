//! Plays schedules: `npm run sim -- --seed 42`.

use clap::Parser;
use collie_sim::simulator::schedule::{Call, Fault, Schedule, Torn, shrink};
use collie_sim::simulator::{Played, play, processor};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Plays the real engine against a simulated GitHub, git and clock, with faults and crashes drawn from seeds, and holds every promise against
/// what it did.
#[derive(Parser)]
struct Args {
    /// Play this seed alone, and print what happened.
    #[arg(long)]
    seed: Option<u64>,
    /// Play the schedule of a file alone, and print what happened.
    #[arg(long, conflicts_with = "seed")]
    schedule: Option<PathBuf>,
    /// The first of many seeds; by default one that nobody has played yet.
    #[arg(long)]
    first: Option<u64>,
    /// How many seeds.
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// Play for so many seconds instead.
    #[arg(long = "for")]
    seconds: Option<u64>,
    /// How many at once; by default one for each processor.
    #[arg(long)]
    jobs: Option<usize>,
    /// Where failing schedules are left.
    #[arg(long, default_value = "target/sim")]
    out: PathBuf,
    /// Add how many were played to this file, a line of JSON, and print the sum of all its lines.
    #[arg(long)]
    record: Option<PathBuf>,
    /// The commit that this is built of, for that line.
    #[arg(long, requires = "record")]
    commit: Option<String>,
}

/// What many plays came to.
#[derive(Default)]
struct Totals {
    played: u64,
    died: u64,
    pushes: u64,
    posts: u64,
    reached: BTreeMap<&'static str, u64>,
    stops: BTreeMap<&'static str, u64>,
    struck: BTreeMap<(Call, Fault), u64>,
    torn: BTreeMap<Torn, u64>,
    calls: BTreeMap<String, u64>,
    lasted: u64,
    failing: Vec<(u64, String)>,
}

impl Totals {
    fn add(&mut self, played: &Played) {
        self.played += 1;
        self.died += played.died;
        self.pushes += played.pushes as u64;
        self.posts += played.posts as u64;
        for (state, times) in &played.reached {
            *self.reached.entry(state).or_default() += times;
        }
        for (stop, times) in &played.stops {
            *self.stops.entry(stop).or_default() += times;
        }
        for (call, times) in &played.calls {
            *self.calls.entry(format!("{call:?}")).or_default() += times;
        }
        self.lasted += played.lasted;
        for (file, times) in &played.torn {
            *self.torn.entry(*file).or_default() += times;
        }
        for (fault, times) in &played.struck {
            *self.struck.entry(*fault).or_default() += times;
        }
    }
}

/// Journals lie in memory where the system offers that.
fn below() -> PathBuf {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match (&args.seed, &args.schedule) {
        (Some(seed), _) => show(&Schedule::of_seed(*seed)),
        (None, Some(file)) => read(file).and_then(|schedule| show(&schedule)),
        (None, None) => play_many(&args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn read(file: &Path) -> Result<Schedule, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    serde_json::from_str(&text).map_err(|error| named(&error))
}

/// Plays one schedule and prints all of it; whether every promise was kept.
fn show(schedule: &Schedule) -> Result<bool, String> {
    let mut out = io::stdout().lock();
    let played = play(schedule, &below())?;
    let plan = serde_json::to_string(schedule).map_err(|error| error.to_string())?;
    let _ = writeln!(out, "{plan}");
    for line in &played.log {
        let _ = writeln!(out, "{line}");
    }
    let kept = played.breaches.is_empty();
    let word = if kept { "kept" } else { "broken" };
    let _ = writeln!(
        out,
        "{} posts, {} pushes, died {} times in {} awaits: every promise was {word}",
        played.posts, played.pushes, played.died, played.awaits
    );
    Ok(kept)
}

fn play_many(args: &Args) -> Result<bool, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let fresh = now.map_or(0, |now| now.as_secs() * 1_000_000);
    let first = args.first.unwrap_or(fresh);
    let limit = args.seconds.map(Duration::from_secs);
    let jobs = args
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let begun = Instant::now();
    let next = AtomicU64::new(first);
    let stop = AtomicBool::new(false);
    let totals = Mutex::new(Totals::default());
    let fault = Mutex::new(None);
    let work = |nth: usize| {
        processor::stay_on_one(nth);
        while !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let is_over = match limit {
                Some(limit) => begun.elapsed() >= limit,
                None => seed >= first + args.count,
            };
            if is_over {
                return;
            }
            match play(&Schedule::of_seed(seed), &below()) {
                Ok(played) => {
                    let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
                    totals.add(&played);
                    if let Some(breach) = played.breaches.first() {
                        totals.failing.push((seed, breach.clone()));
                        // The others are likely to be of the same cause.
                        stop.store(totals.failing.len() >= 5, Ordering::Relaxed);
                    }
                }
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for nth in 0..jobs {
            let work = &work;
            scope.spawn(move || work(nth));
        }
    });
    if let Some(error) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    report(args, &totals, first, begun.elapsed())?;
    Ok(totals.failing.is_empty())
}

/// What was played, what it came to, and how much a schedule is.
fn report_totals(out: &mut impl Write, totals: &Totals, first: u64, took: Duration) {
    let seconds = took.as_secs_f64();
    let last = first + totals.played.saturating_sub(1);
    let _ = writeln!(
        out,
        "played {} schedules, seeds {first} to {last}, in {seconds:.1} s ({:.0} a second): {} broke a promise",
        totals.played,
        totals.played as f64 / seconds,
        totals.failing.len()
    );
    let _ = writeln!(
        out,
        "{} posts, {} pushes, {} deaths; states reached: {}; stops: {}",
        totals.posts,
        totals.pushes,
        totals.died,
        listed(totals.reached.iter()),
        listed(totals.stops.iter())
    );
    let each = |sum: &u64| *sum as f64 / totals.played.max(1) as f64;
    let calls = totals.calls.iter();
    let calls = calls.map(|(call, times)| (call, format!("{:.1}", each(times))));
    let _ = writeln!(
        out,
        "a schedule lasts {:.1} simulated hours; calls: {}",
        each(&totals.lasted) / 3_600_000.0,
        listed(calls)
    );
    let struck = totals.struck.iter();
    let struck = struck.map(|((call, fault), times)| (format!("{call:?} {fault:?}"), times));
    let struck: BTreeMap<String, &u64> = struck.collect();
    let _ = writeln!(out, "faults: {}", listed(struck.iter()));
    let torn = totals.torn.iter();
    let torn = torn.map(|(file, times)| (format!("{file:?}"), times));
    let _ = writeln!(out, "left torn by a death: {}", listed(torn));
}

fn report(args: &Args, totals: &Totals, first: u64, took: Duration) -> Result<(), String> {
    let mut out = io::stdout().lock();
    report_totals(&mut out, totals, first, took);
    for (seed, breach) in &totals.failing {
        let fails = |schedule: &Schedule| {
            play(schedule, &below()).is_ok_and(|played| !played.breaches.is_empty())
        };
        let small = shrink(&Schedule::of_seed(*seed), fails);
        let file = args.out.join(format!("{seed}.json"));
        let json = serde_json::to_string(&small).map_err(|error| error.to_string())?;
        fs::create_dir_all(&args.out)
            .and_then(|()| fs::write(&file, json))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let _ = writeln!(
            out,
            "seed {seed}: {breach}\n  all of it: npm run sim -- --seed {seed}\n  shrunk to {} things: npm run sim -- --schedule {}",
            small.len(),
            file.display()
        );
    }
    let run = RecordedRun {
        commit: args.commit.clone().unwrap_or_default(),
        schedules: totals.played,
        failed: totals.failing.len(),
        first,
        seconds: took.as_secs(),
    };
    match &args.record {
        Some(file) => report_sum(&mut out, file, &run),
        None => Ok(()),
    }
}

/// Adds a run to the file, and says what all that are in it come to.
fn report_sum(out: &mut impl Write, file: &Path, run: &RecordedRun) -> Result<(), String> {
    let all = record(file, run).map_err(|error| format!("{}: {error}", file.display()))?;
    let commits: BTreeSet<&str> = all.iter().map(|run| run.commit.as_str()).collect();
    let _ = writeln!(
        out,
        "in all {} schedules on {} commits: {} broke a promise",
        all.iter().map(|run| run.schedules).sum::<u64>(),
        commits.len(),
        all.iter().map(|run| run.failed).sum::<usize>()
    );
    Ok(())
}

/// A line of the file that runs are recorded in.
#[derive(Serialize, Deserialize)]
struct RecordedRun {
    #[serde(default)]
    commit: String,
    schedules: u64,
    failed: usize,
    first: u64,
    seconds: u64,
}

/// Adds a run to the file; gives all that are in it.
fn record(file: &Path, run: &RecordedRun) -> io::Result<Vec<RecordedRun>> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut open = fs::OpenOptions::new();
    let mut opened = open.create(true).append(true).open(file)?;
    writeln!(opened, "{}", serde_json::to_string(run)?)?;
    let text = fs::read_to_string(file)?;
    let runs = text.lines().map(serde_json::from_str);
    Ok(runs.collect::<Result<_, _>>()?)
}

fn listed<N: std::fmt::Display, T: std::fmt::Display>(of: impl Iterator<Item = (N, T)>) -> String {
    let all: Vec<String> = of.map(|(name, times)| format!("{name} {times}")).collect();
    all.join(", ")
}

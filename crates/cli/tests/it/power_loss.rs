//! The machine loses its power right as a post or a push leaves it: what the real process had written and not synced is gone. The next
//! start goes on, nothing is said or pushed twice, and the audit log is whole.
//!
//! `strace` tells what was written and synced. What git writes into the clones arrives: it can be fetched again.

use crate::audit::audit_line;
use crate::kill::*;
use crate::support::*;
use collie_app::demo::Scenario;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// What is traced: every way in which the process, or SQLite in it, writes, syncs and names files, and sends.
const CALLS: &str = "trace=write,writev,pwrite64,sendto,fsync,fdatasync,ftruncate,rename";

/// Posts and pushes of the scenario at which the power goes, each in a run of its own.
const LOSSES: usize = 6;

/// A part of a file that may be lost: where it begins, and its bytes; none where it is at the end, of whatever length before.
type Part = (Option<u64>, u64);

/// What was written to files and not synced.
#[derive(Default)]
struct Unsynced {
    parts: BTreeMap<PathBuf, Vec<Part>>,
    /// How much of a file a sync that has begun is for.
    syncing: BTreeMap<String, (PathBuf, usize)>,
}

/// The path of the first file that a call names by its descriptor.
fn file_of(line: &str) -> Option<PathBuf> {
    let (_, rest) = line.split_once('<')?;
    let (path, _) = rest.split_once('>')?;
    path.starts_with('/').then(|| path.into())
}

/// The last numbers of a call, whether it has ended or not.
fn numbers_of(line: &str) -> Vec<u64> {
    let call = line.split(" <unfinished").next().unwrap_or(line);
    let call = call.rsplit_once(") = ").map_or(call, |(call, _)| call);
    let mut numbers: Vec<u64> = Vec::new();
    for part in call.rsplit(", ") {
        match part.parse() {
            Ok(number) => numbers.insert(0, number),
            Err(_) => break,
        }
    }
    numbers
}

impl Unsynced {
    fn of(log: &str, home: &Path) -> Self {
        let mut unsynced = Self::default();
        for line in log.lines() {
            unsynced.take_in(line, home);
        }
        unsynced
    }

    fn take_in(&mut self, line: &str, home: &Path) {
        let Some((process, call)) = line.split_once(' ') else {
            return;
        };
        let call = call.trim_start();
        if call.starts_with("<... fsync resumed") || call.starts_with("<... fdatasync resumed") {
            self.synced(process);
            return;
        }
        let Some((name, _)) = call.split_once('(') else {
            return;
        };
        if name == "rename" {
            let mut names = call.split('"').skip(1).step_by(2).map(PathBuf::from);
            if let (Some(from), Some(to)) = (names.next(), names.next()) {
                let parts = self.parts.remove(&from).unwrap_or_default();
                self.parts.insert(to, parts);
            }
            return;
        }
        let is_kept = |path: &PathBuf| {
            let path = path.strip_prefix(home);
            path.is_ok_and(|path| !path.starts_with("git") && !path.starts_with("logs"))
        };
        let Some(path) = file_of(call).filter(is_kept) else {
            return;
        };
        let parts = self.parts.entry(path.clone()).or_default();
        match (name, &numbers_of(call)[..]) {
            ("write", [.., length]) => parts.push((None, *length)),
            ("pwrite64", [.., length, at]) => parts.push((Some(*at), *length)),
            ("fsync" | "fdatasync", _) => {
                let begun = (path, parts.len());
                self.syncing.insert(process.to_owned(), begun);
                if !call.contains("<unfinished") {
                    self.synced(process);
                }
            }
            _ => {}
        }
    }

    fn synced(&mut self, process: &str) {
        if let Some((path, count)) = self.syncing.remove(process)
            && let Some(parts) = self.parts.get_mut(&path)
        {
            parts.drain(..count.min(parts.len()));
        }
    }

    /// Takes it out of the files; the names of those that lost something.
    fn lose(&self) -> Vec<String> {
        let lost = self.parts.iter().filter(|(path, parts)| {
            // Written over in one piece, it arrives before what it speaks of: the worst that it can do.
            let arrives = path.ends_with("chain.json");
            !parts.is_empty() && !arrives && path.exists()
        });
        let names = lost.map(|(path, parts)| {
            lose_parts(path, parts);
            path.file_name().unwrap().display().to_string()
        });
        names.collect()
    }
}

fn lose_parts(path: &Path, parts: &[Part]) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    let appended: u64 = parts
        .iter()
        .filter(|(at, _)| at.is_none())
        .map(|(_, n)| n)
        .sum();
    for (at, bytes) in parts.iter().filter_map(|(at, n)| Some(((*at)?, *n))) {
        let inside = bytes.min(length.saturating_sub(at));
        file.write_all_at(&vec![0; usize::try_from(inside).unwrap()], at)
            .unwrap();
    }
    file.set_len(length.saturating_sub(appended)).unwrap();
}

/// Whether a line tells of a post or a push that leaves the machine.
fn is_sent(line: &str) -> bool {
    let routes = ["/comments HTTP", "/reviews HTTP", "git-receive-pack HTTP"];
    line.contains("\"POST /") && routes.iter().any(|route| line.contains(route))
}

/// Runs the loop until the power goes with its `nth` post or push; gives what was not synced, or nothing where it ended before.
fn run_until_power_loss(home: &TestHome, repo: &str, nth: usize) -> Option<Unsynced> {
    let log = home.path().parent().unwrap().join("calls.log");
    let collie = home.collie(&["watch", &format!("{repo}#1"), "--until-settled", "--json"]);
    let mut traced = Command::new("strace");
    traced.env_clear();
    traced.envs(
        collie
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    traced
        .args(["-f", "-y", "-s", "60", "-e", CALLS, "-o"])
        .arg(&log);
    traced.arg(collie.get_program()).args(collie.get_args());
    traced
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut running = traced.spawn().unwrap();
    let went = wait_until_blocking("the power loss, or the end", || {
        let told = fs::read_to_string(&log).unwrap_or_default();
        if told.lines().filter(|line| is_sent(line)).count() >= nth {
            let process = told.split_whitespace().next().unwrap().parse().unwrap();
            kill(Pid::from_raw(process), Signal::SIGKILL).unwrap();
            return Ok(true);
        }
        match running.try_wait().unwrap() {
            Some(_) => Ok(false),
            None => Err(told.len()),
        }
    });
    let ended = wait_until_blocking("the end of the traced process", || {
        running.try_wait().unwrap()
    });
    assert!(went || ended.success(), "{repo}: {ended:?}");
    let told = fs::read_to_string(&log).unwrap();
    went.then(|| Unsynced::of(&told, &home.path()))
}

/// Whether processes can be traced here: some containers forbid it.
fn can_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status();
    traced.is_ok_and(|status| status.success())
}

#[test]
fn what_was_not_synced_as_a_post_or_push_left_is_not_needed_to_go_on() {
    if !can_trace() {
        println!("SKIPPED: strace cannot trace processes here");
        return;
    }
    let forge = ForgeServer::start();
    let lost = Mutex::new(Vec::new());
    let lose_power = |nth: usize| {
        let repo = format!("demo/power-{nth}");
        forge.import_scenario(Scenario::FixLoop, &repo);
        let home = TestHome::new(&forge);
        let Some(unsynced) = run_until_power_loss(&home, &repo, nth) else {
            return;
        };
        lost.lock().unwrap().push((nth, unsynced.lose()));
        let pull = format!("{repo}#1");
        let ended = home.run(&["watch", &pull, "--until-settled", "--json"]);
        assert_eq!(ended.status, 0, "{nth}: {ended:?}");
        let posts = posted_tokens(&forge, &repo);
        assert_said_once(&repo, &posts);
        let commits = commits(&forge, &repo);
        assert_eq!(commits.len(), 2, "{nth}: {commits:#?}");
        assert_records_agree(&home, &repo, &posts, &commits);
        assert_eq!(audit_line(&home, "en")["status"], "ok", "{nth}");
        assert_nothing_left(&home);
    };
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let lose_power = &lose_power;
            scope.spawn(move || {
                (1..=LOSSES)
                    .filter(|nth| nth % 3 == thread)
                    .for_each(lose_power)
            });
        }
    });
    let lost = lost.into_inner().unwrap();
    println!("files that lost something, by the post or push at which the power went: {lost:?}");
    assert_eq!(lost.len(), LOSSES, "the loop ended before: {lost:?}");
}

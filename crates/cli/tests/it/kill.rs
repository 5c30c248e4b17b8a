//! `kill -9` at random moments of the fix loop: the next start goes on, nothing is said or pushed twice, nothing is lost.

use crate::support::*;
use collie_app::demo::Scenario;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How far the loop is, by what `watch --json` last said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoopPhase {
    /// Nothing was read from GitHub yet.
    Begin,
    /// The configuration at the base is read.
    Read,
    /// The fixer works.
    Fix,
    /// From the commit to the push.
    Push,
    /// The push is done, the report is posted, checks run.
    Wait,
    /// The panel reviews.
    Review,
    /// It is ready, the proof is posted.
    Ready,
}

const PHASES: [LoopPhase; 7] = [
    LoopPhase::Begin,
    LoopPhase::Read,
    LoopPhase::Fix,
    LoopPhase::Push,
    LoopPhase::Wait,
    LoopPhase::Review,
    LoopPhase::Ready,
];

fn phase_of(line: &Value) -> LoopPhase {
    let blocker = line["blocker"]["code"].as_str().unwrap_or_default();
    match line["state"].as_str().unwrap() {
        "pr_created" => LoopPhase::Read,
        "pr_fixing" if blocker == "pushing" => LoopPhase::Push,
        "pr_fixing" => LoopPhase::Fix,
        "pr_awaiting_checks" if line["iteration"] == 0 => LoopPhase::Read,
        "pr_awaiting_checks" => LoopPhase::Wait,
        "pr_reviewing" => LoopPhase::Review,
        "pr_ready_to_merge" => LoopPhase::Ready,
        other => panic!("the loop went to {other}: {line}"),
    }
}

/// So many loops are killed at most, or as many as kills are wanted: a phase that none of them hits is a failure.
const MAX_LOOPS: usize = 30;

/// How long each phase takes when nobody disturbs it.
type PhaseDurations = BTreeMap<LoopPhase, Duration>;

/// What is to be seen at the end of a loop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LoopOutcome {
    pub(crate) commits: usize,
    /// The first words of each post.
    posts: Vec<String>,
    audited: BTreeMap<String, usize>,
}

fn watch(home: &TestHome, repo: &str) -> RunningCommand {
    home.start(&["watch", &format!("{repo}#1"), "--until-settled", "--json"])
}

/// A loop that is killed in every phase, as often as is wanted, each time on a repository of its own.
pub(crate) trait KillTarget: Sync {
    fn forge(&self) -> &ForgeServer;

    /// Puts pull request 1 on the forge, under the name of that repository.
    fn set_up(&self, repo: &str) -> TestHome;

    /// Waits until what is to be hit in that phase is there.
    fn wait_for_work(&self, _phase: LoopPhase, _home: &TestHome) {}
}

struct FixLoop {
    forge: ForgeServer,
}

impl KillTarget for FixLoop {
    fn forge(&self) -> &ForgeServer {
        &self.forge
    }

    fn set_up(&self, repo: &str) -> TestHome {
        self.forge.import_scenario(Scenario::FixLoop, repo);
        TestHome::new(&self.forge)
    }
}

/// Runs the loop undisturbed and takes the time.
fn run_undisturbed(target: &dyn KillTarget) -> (PhaseDurations, LoopOutcome) {
    let (repo, forge) = ("demo/fix-loop-0", target.forge());
    let home = target.set_up(repo);
    let mut begun = vec![(LoopPhase::Begin, Instant::now())];
    let mut running = watch(&home, repo);
    while let Some(line) = running.next_line(Instant::now() + WAIT_TIMEOUT) {
        let now = phase_of(&serde_json::from_str(&line).unwrap());
        if begun.last().unwrap().0 < now {
            begun.push((now, Instant::now()));
        }
    }
    assert_eq!(
        running.wait_for_exit().code(),
        Some(0),
        "{:#?}",
        running.seen
    );
    begun.push((LoopPhase::Ready, Instant::now()));
    let spans = begun.windows(2).map(|two| (two[0].0, two[1].1 - two[0].1));
    (
        spans.collect(),
        assert_sound_outcome(forge, &home, repo, &running.seen),
    )
}

/// Runs one loop to its end through a kill in each phase; gives where the kills landed.
fn run_with_kills(
    target: &dyn KillTarget,
    repo: &str,
    spans: &PhaseDurations,
    rng: &mut StdRng,
) -> (Vec<LoopPhase>, LoopOutcome) {
    let home = target.set_up(repo);
    let mut landed = Vec::new();
    let mut running = watch(&home, repo);
    for aim in PHASES {
        let span = spans.get(&aim).copied().unwrap_or_default();
        let delay = span.mul_f64(rng.random_range(0.0..1.0));
        let mut at = if aim == LoopPhase::Begin {
            LoopPhase::Begin
        } else {
            let line = running.read_until("a phase", |line| phase_of(line) >= aim);
            phase_of(&line)
        };
        target.wait_for_work(at, &home);
        let end = Instant::now() + delay;
        while Instant::now() < end {
            if let Some(line) = running.next_line(end) {
                at = phase_of(&serde_json::from_str(&line).unwrap());
            }
        }
        if running.kill() {
            landed.push(at);
        }
        running = watch(&home, repo);
    }
    let status = running.wait_for_exit().code();
    assert_eq!(
        status,
        Some(0),
        "{repo} after {landed:?}: {:#?}",
        running.seen
    );
    let outcome = assert_sound_outcome(target.forge(), &home, repo, &running.seen);
    (landed, outcome)
}

/// Looks at everything that a person could look at afterwards.
fn assert_sound_outcome(
    forge: &ForgeServer,
    home: &TestHome,
    repo: &str,
    seen: &[String],
) -> LoopOutcome {
    let last: Value = serde_json::from_str(seen.last().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["state"]),
        (&"settled".into(), &"pr_ready_to_merge".into())
    );
    let tokens = posted_tokens(forge, repo);
    let posts = tokens.iter().map(|post| post.words.clone()).collect();
    assert_said_once(repo, &tokens);
    let commits = commits(forge, repo);
    let changes: BTreeSet<&str> = commits.iter().map(|(_, change)| change.as_str()).collect();
    assert_eq!(
        changes.len(),
        commits.len(),
        "{repo}: a change was pushed twice: {commits:#?}"
    );
    assert_records_agree(home, repo, &tokens, &commits);
    assert_eq!(
        home.status(&format!("{repo}#1"))["state"],
        "pr_ready_to_merge"
    );
    assert_nothing_left(home);
    let mut audited = BTreeMap::new();
    for line in home.audit() {
        let action = line["action"].as_str().unwrap().to_owned();
        *audited.entry(action).or_default() += 1;
    }
    // Every start asks again whether it may.
    audited.remove("permission_check_passed");
    LoopOutcome {
        commits: commits.len(),
        posts,
        audited,
    }
}

/// A post by Collie.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) token: String,
    /// The first three.
    pub(crate) words: String,
    /// A comment on the code that came with a review.
    is_of_review: bool,
}

/// No post is there twice.
pub(crate) fn assert_said_once(repo: &str, posts: &[Posted]) {
    let unique: BTreeSet<&str> = posts.iter().map(|post| post.token.as_str()).collect();
    assert_eq!(
        unique.len(),
        posts.len(),
        "{repo}: a post is there twice: {posts:#?}"
    );
}

/// Every post by Collie, the oldest first.
pub(crate) fn posted_tokens(forge: &ForgeAccess, repo: &str) -> Vec<Posted> {
    let places = ["issues/1/comments", "pulls/1/reviews", "pulls/1/comments"];
    let items = places
        .iter()
        .flat_map(|place| forge.list(&format!("/repos/{repo}/{place}")));
    let ours = items.filter(|item| item["user"]["login"] == COLLIE_LOGIN && item["body"] != "");
    ours.map(|item| {
        let body = item["body"].as_str().unwrap();
        let (_, rest) = body.rsplit_once("<!-- collie-action:").unwrap();
        let words = body.lines().next().unwrap().split_whitespace().take(3);
        Posted {
            token: rest.trim_end_matches("-->").trim().to_owned(),
            words: words.collect::<Vec<_>>().join(" "),
            is_of_review: item["path"].is_string() && item["in_reply_to_id"].is_null(),
        }
    })
    .collect()
}

/// Every commit of the pull request that Collie made: its id and the hash of its change.
pub(crate) fn commits(forge: &ForgeAccess, repo: &str) -> Vec<(String, String)> {
    let listed = forge.list(&format!("/repos/{repo}/pulls/1/commits"));
    let ours = listed
        .iter()
        .filter(|commit| commit["commit"]["author"]["name"] == "Collie");
    let ids = ours.map(|commit| commit["sha"].as_str().unwrap().to_owned());
    ids.map(|id| {
        let path = format!("/repos/{repo}/commits/{id}");
        let commit = forge.call(COLLIE_LOGIN, "GET", &path, None);
        let changes: Vec<(&Value, &Value)> = commit["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (&f["filename"], &f["patch"]))
            .collect();
        assert!(!changes.is_empty(), "{commit}");
        (id, format!("{changes:?}"))
    })
    .collect()
}

/// Status, journal and audit log tell the same, and what the forge shows.
pub(crate) fn assert_records_agree(
    home: &TestHome,
    repo: &str,
    posts: &[Posted],
    commits: &[(String, String)],
) {
    let pull = format!("{repo}#1");
    let status = home.status(&pull);
    // A review is one request, and one line of the audit log, with all of its comments.
    let requests = posts.iter().filter(|post| !post.is_of_review);
    let tokens: BTreeSet<&str> = requests.map(|post| post.token.as_str()).collect();
    assert_eq!(status["iteration"], commits.len());
    let rounds = status["rounds"].as_array().unwrap().iter();
    let pushed: Vec<&str> = rounds
        .filter_map(|round| round["commit"].as_str())
        .collect();
    let ids: Vec<&str> = commits.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(pushed, ids, "{repo}");
    let mut audit = home.audit();
    audit.retain(|line| line["pull"] == pull.as_str());
    let audited_values = |action: &str, key: &str| -> Vec<String> {
        let lines = audit.iter().filter(|line| line["action"] == action);
        lines
            .map(|line| line[key].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        audited_values("pr_review_loop_started", "run"),
        [status["run_id"].as_str().unwrap()]
    );
    assert_eq!(audited_values("pr_review_loop_iteration", "commit"), ids);
    let posted = audited_values("comment_posted", "action_token");
    assert_eq!(posted.len(), tokens.len(), "{repo}: {audit:#?}");
    assert_eq!(
        posted.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        tokens
    );
    let log = home.run(&["log", &pull, "--json"]).json();
    let seqs: Vec<u64> = log
        .iter()
        .map(|line| line["seq"].as_u64().unwrap())
        .collect();
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
    assert_eq!(log.last().unwrap()["to"], status["state"]);
}

/// No process, no lock and no half-removed folder stays behind.
pub(crate) fn assert_nothing_left(home: &TestHome) {
    wait_until_blocking("the end of every child", || {
        processes_in(&home.path()).is_empty()
    });
    let mut folders = vec![home.path()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let ours = entry.path().starts_with(home.path().join("git"));
            assert!(
                !(ours && name.ends_with(".lock")),
                "{} is left",
                entry.path().display()
            );
            assert_ne!(
                folder,
                home.path().join("git/trash"),
                "{name} is left in the trash"
            );
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    let said = home.run(&["status"]);
    assert!(
        said.stdout.contains("The engine is not running"),
        "{said:?}"
    );
}

/// Processes that work in a folder or are told of it.
pub(crate) fn processes_in(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let all = std::fs::read_dir("/proc").unwrap().map(Result::unwrap);
    let mine = |process: &Path| -> Option<String> {
        let told = std::fs::read(process.join("cmdline")).ok()?;
        let told = String::from_utf8_lossy(&told).replace('\0', " ");
        let works =
            std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        (works || told.contains(folder)).then_some(told)
    };
    all.filter_map(|process| mine(&process.path())).collect()
}

/// The seed of a run: the one that is asked for, or a new one; printed, so that it can be asked for.
pub(crate) fn run_seed() -> u64 {
    let seed = std::env::var("COLLIE_TEST_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(rand::random);
    println!("COLLIE_TEST_SEED={seed}");
    seed
}

/// How many kills there are to be: in every run, and in a long one.
pub(crate) fn wanted_kills(usual: usize, long: usize) -> usize {
    match std::env::var_os("COLLIE_TEST_LONG") {
        Some(_) => long,
        None => usual,
    }
}

/// Kills the loops of a target until so many kills have landed, and one in each of these phases: each ends as the undisturbed one, which
/// is given.
pub(crate) fn kill_until(
    wanted: usize,
    phases: &[LoopPhase],
    target: &dyn KillTarget,
) -> LoopOutcome {
    let seed = run_seed();
    let (spans, undisturbed) = run_undisturbed(target);
    println!("undisturbed: {spans:?}, {undisturbed:?}");
    let (next, landed) = (AtomicUsize::new(1), Mutex::new(Vec::new()));
    let is_enough = |landed: &Vec<LoopPhase>| {
        landed.len() >= wanted && phases.iter().all(|phase| landed.contains(phase))
    };
    let run_loops = || {
        while !is_enough(&landed.lock().unwrap()) {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            assert!(
                nth <= wanted.max(MAX_LOOPS),
                "no kill landed in one of {phases:?}: {landed:?}"
            );
            let mut rng = StdRng::seed_from_u64(seed.wrapping_add(nth as u64));
            let repo = format!("demo/fix-loop-{nth}");
            let (hit, outcome) = run_with_kills(target, &repo, &spans, &mut rng);
            println!("{nth}: {hit:?}");
            assert_eq!(outcome, undisturbed, "loop {nth}, killed in {hit:?}");
            landed.lock().unwrap().extend(hit);
        }
    };
    std::thread::scope(|scope| {
        for thread in [
            scope.spawn(run_loops),
            scope.spawn(run_loops),
            scope.spawn(run_loops),
        ] {
            thread.join().unwrap();
        }
    });
    undisturbed
}

#[test]
fn killed_at_50_random_moments_the_fix_loop_ends_ready_with_nothing_twice() {
    let target = FixLoop {
        forge: ForgeServer::start(),
    };
    let undisturbed = kill_until(wanted_kills(50, 200), &PHASES, &target);
    // What makes the check red, and then what the review of a green head finds.
    assert_eq!(undisturbed.commits, 2);
}

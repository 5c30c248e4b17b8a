//! What Collie would do where it only observes is what it does where it may (§13.7).

use collie_app::demo::{Demo, DemoOptions, SCENARIOS, Scenario};
use collie_core::autonomy::{Autonomy, GitHubWrite};
use collie_core::effect::Effect;
use collie_core::ids::Sha;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::post::{Post, RenderedPost};
use collie_i18n::{Localizer, Redactor, render_post};
use collie_testkit::forge::ForgeClient;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;

/// How long a scenario may take until it rests.
const TIMEOUT: Duration = Duration::from_secs(180);

/// What one loop did, up to its first push.
#[derive(Default)]
struct Acts {
    /// In order, without what tells two runs apart.
    acts: Vec<String>,
    seen: BTreeSet<String>,
    over: bool,
}

impl Acts {
    /// Takes in what is new in a state: what is asked for, and what would be.
    fn note(&mut self, state: &LoopState, folder: &Path) {
        for held in &state.outbox.held {
            if self.seen.insert(format!("{:?}", held.effect)) {
                self.note_effect(&held.effect);
            }
        }
        for (id, effect) in &state.outbox.effects {
            if !self.over && self.seen.insert(id.to_string()) {
                self.note_effect(effect);
                self.over |= effect.github_write() == Some(GitHubWrite::Push);
            }
        }
        if self.over && !self.seen.contains("push") {
            self.note_push(state, folder);
        }
    }

    /// Takes in the commit that waits, as if its push were asked for.
    fn note_held_push(&mut self, state: &LoopState, folder: &Path) {
        if state.held_push().is_some() {
            self.acts.push("push".into());
            self.note_push(state, folder);
        }
    }

    fn note_effect(&mut self, effect: &Effect) {
        match effect {
            // The token is asked only where something is to be written.
            Effect::CheckRights(_) => {}
            Effect::Post(asked) => self.acts.extend(post_lines(&asked.post)),
            other => self.acts.push(other.label()),
        }
    }

    fn note_push(&mut self, state: &LoopState, folder: &Path) {
        self.seen.insert("push".into());
        let fix = state.run.fixing.pending.as_ref();
        let (from, commit) = fix
            .and_then(|fix| Some((&fix.from, fix.commit.as_ref()?)))
            .expect("what is pushed is a fix");
        self.acts.push(patch(folder, from, commit));
    }
}

/// A post as it is sent: its kind, its places, its bodies.
fn post_lines(post: &Post) -> Vec<String> {
    let localizer = Localizer::new("en");
    let kind = post.content.name();
    match render_post(&localizer, &Redactor::default(), post) {
        RenderedPost::Comment { body }
        | RenderedPost::Reply { body, .. }
        | RenderedPost::Dismissal { message: body, .. } => {
            vec![format!("post {kind}: {}", normalised(&body))]
        }
        RenderedPost::Review { body, comments, .. } => {
            let review = format!("post {kind}: {}", normalised(&body));
            let lines = comments.iter().map(|comment| {
                let body = normalised(&comment.body);
                format!("post {kind} at {}:{}: {body}", comment.path, comment.line)
            });
            std::iter::once(review).chain(lines).collect()
        }
    }
}

/// Without SHAs, tokens, run ids, times, and what a check's own log says of its folder and its clock: these differ between any two runs.
fn normalised(body: &str) -> String {
    let is_id = |word: &str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let kept = body.lines().filter(|line| {
        let line = line.to_ascii_lowercase();
        let by_chance = ["collie-action:", "took", "time", "duration_ms"];
        !by_chance.iter().any(|words| line.contains(words))
    });
    let words = kept.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric()));
    let words: Vec<&str> = words.collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    // `1.036ms`, as a test runner says how long it took: what stands before the point is as much chance as what follows it.
    let is_fraction_of_ms = |word: &&str| word.strip_suffix("ms").is_some_and(is_number);
    let words = (0..words.len())
        .filter(|at| !(is_number(words[*at]) && words.get(at + 1).is_some_and(is_fraction_of_ms)))
        .map(|at| words[at]);
    let is_of_the_check = |word: &str| {
        word.starts_with("tmp")
            || (word.len() > 2 && word.starts_with(|c: char| c.is_ascii_digit()))
    };
    let words = words.map(|word| match word {
        word if is_id(word) => "ID",
        word if is_of_the_check(word) => "OF-THE-CHECK",
        word => word,
    });
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_time = |at: usize| {
        let unit = words.get(at + 1).copied().unwrap_or_default();
        matches!(unit, "s" | "min") && words[at].bytes().all(|b| b.is_ascii_digit())
    };
    let kept = (0..words.len()).filter(|at| !is_time(*at));
    kept.map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

/// What a commit changes, as the clone has it.
fn patch(folder: &Path, from: &Sha, commit: &Sha) -> String {
    let diff = |clone: PathBuf| {
        let range = [from.as_str(), commit.as_str()];
        let done = Command::new("git")
            .arg("-C")
            .arg(clone)
            .args(["diff", "--no-color", "--no-ext-diff"])
            .args(range)
            .output()
            .expect("git is there");
        done.status.success().then_some(done.stdout)
    };
    let found = bare_clones(&folder.join("data/git"))
        .into_iter()
        .find_map(diff);
    let found = found.expect("a clone has the commit");
    assert!(!found.is_empty(), "the commit changes something");
    String::from_utf8_lossy(&found).into_owned()
}

/// Folders below that are bare repositories.
fn bare_clones(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    let mut found = Vec::new();
    for folder in folders {
        if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
            found.push(folder);
        } else {
            found.extend(bare_clones(&folder));
        }
    }
    found
}

/// What the forge was asked to write.
async fn writes(demo: &Demo, folder: &Path) -> Vec<String> {
    let forge = demo.forge();
    let client = ForgeClient::new(&forge.git_url(), forge.secret(), folder);
    let counts = client.request_counts().await;
    let names = |kind: &str| -> Vec<String> {
        let counted = counts[kind].as_object().cloned().unwrap_or_default();
        counted.keys().cloned().collect()
    };
    let reads = |route: &String| {
        route.starts_with("GET ")
            || route.starts_with("HEAD ")
            || route.ends_with("/graphql")
            || route.ends_with("git-upload-pack")
            || route.contains("/_forge/")
    };
    let mut found: Vec<String> = names("routes").into_iter().filter(|r| !reads(r)).collect();
    found.extend(
        names("graphql")
            .into_iter()
            .filter(|op| op.starts_with("mutation")),
    );
    found
}

/// Plays all scenarios without their people at one level, until each rests; what each loop did, and what the forge was asked to write.
async fn play(level: Autonomy) -> (BTreeMap<Scenario, Vec<String>>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = DemoOptions {
        root: Some(folder.path().to_owned()),
        scenarios: SCENARIOS.to_vec(),
        language: "en",
    };
    let demo = Demo::set_up(&options).await.expect("the demo is set up");
    let client = ForgeClient::new(
        &demo.forge().git_url(),
        demo.forge().secret(),
        folder.path(),
    );
    client.reset_request_counts().await;
    let handle = demo.engine().handle().clone();
    let mut changes: Receiver<Arc<LoopState>> = handle.subscribe();
    for scenario in SCENARIOS {
        let started = handle.start_at(&scenario.pull(), Some(level)).await;
        started.expect("it is started");
    }
    let mut acts: BTreeMap<Scenario, Acts> = BTreeMap::new();
    let mut resting: BTreeMap<Scenario, Arc<LoopState>> = BTreeMap::new();
    let all_rest = async {
        while resting.len() < SCENARIOS.len() {
            let state = changes.recv().await.expect("no change is missed");
            let of = |scenario: &Scenario| state.pull.repo == scenario.repo();
            let scenario = SCENARIOS.into_iter().find(of).expect("one of ours");
            let noted = acts.entry(scenario).or_default();
            noted.note(&state, folder.path());
            // A stop for a person who does not play here is as good as an end.
            let rests = state.is_settled() && state.run.state != State::PrCreated;
            if rests || noted.over {
                resting.insert(scenario, state.clone());
            } else {
                resting.remove(&scenario);
            }
        }
    };
    let waited = tokio::time::timeout(TIMEOUT, all_rest).await;
    assert!(waited.is_ok(), "at {level}, only {:?} rest", resting.keys());
    for (scenario, state) in &resting {
        let noted = acts.entry(*scenario).or_default();
        noted.note_held_push(state, folder.path());
    }
    let written = writes(&demo, folder.path()).await;
    demo.close().await;
    let acts = acts
        .into_iter()
        .map(|(scenario, noted)| (scenario, noted.acts));
    (acts.collect(), written)
}

/// How many acts two runs have in common, from the first on, and how many there are.
fn agreement(observed: &[String], real: &[String]) -> (usize, usize) {
    let same = observed.iter().zip(real).filter(|(a, b)| a == b).count();
    (same, observed.len().max(real.len()))
}

#[tokio::test(flavor = "multi_thread")]
async fn observed_and_real_runs_agree_up_to_the_first_push_and_nothing_is_written() {
    let (observed, written) = play(Autonomy::Observe).await;
    assert_eq!(written, Vec::<String>::new(), "the forge was written to");
    let (real, written) = play(Autonomy::Push).await;
    let has = |what: &str| written.iter().any(|write| write.contains(what));
    assert!(
        has("comments") && has("git-receive-pack"),
        "the control: {written:?}"
    );
    let (mut same, mut all) = (0, 0);
    for scenario in SCENARIOS {
        let (a, b) = (&observed[&scenario], &real[&scenario]);
        let (agreed, total) = agreement(a, b);
        if agreed < total {
            println!("{scenario} observed: {a:#?}\nreal: {b:#?}");
        }
        same += agreed;
        all += total;
    }
    println!("{same} of {all} acts agree");
    assert!(all > 20, "there is something to compare: {all}");
    assert!(same * 100 >= all * 99, "{same} of {all} acts agree");
    let pushes = |acts: &Vec<String>| acts.iter().any(|act| act == "push");
    assert!(observed.values().any(pushes), "a push is among them");
}

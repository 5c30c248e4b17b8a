//! `collie worker` on a real engine (§18.5): a loop goes from open to ready while its worker is killed, and nothing is said or pushed twice.
//!
//! The engine is the binary that `tests/restate` brings from npm. Where it is missing nothing can be shown, and that is said.

use crate::budget::PRICES;
use crate::kill::{Posted, assert_said_once, commits, posted_tokens};
use crate::support::*;
use collie_app::demo::Scenario;
use collie_fake_llm::{FakeLlm, Reply};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// Names the engine's program, where it is not the one of `tests/restate`.
const ENGINE_VARIABLE: &str = "COLLIE_RESTATE_SERVER";

/// The engine's program; none where nobody installed it.
fn engine_program() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let machine = match machine {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let system = if system == "macos" { "darwin" } else { system };
    let package =
        format!("tests/restate/node_modules/@restatedev/restate-server-{system}-{machine}");
    let program = match std::env::var_os(ENGINE_VARIABLE) {
        Some(program) => program.into(),
        None => root.join(package).join("bin/restate-server"),
    };
    program.exists().then_some(program)
}

/// Ports that nobody listens on.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

/// A durable engine, and whoever asks it.
pub(crate) struct EngineServer {
    program: PathBuf,
    folder: tempfile::TempDir,
    child: Child,
    /// Of the ingress, of the administration, and of the engine itself.
    ports: [u16; 3],
    ingress: u16,
    admin: u16,
    http: reqwest::Client,
}

impl EngineServer {
    /// Starts one; none, said loudly, where there is no program.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = engine_program() else {
            eprintln!(
                "\nNOT TESTED: {ENGINE_VARIABLE} names no restate-server, and tests/restate holds none: run `bash scripts/setup.sh --tests`\n"
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let [ingress, admin, fabric] = free_ports();
        let engine = Self {
            child: spawn_engine(&program, folder.path(), [ingress, admin, fabric]),
            program,
            folder,
            ports: [ingress, admin, fabric],
            ingress,
            admin,
            http: reqwest::Client::new(),
        };
        wait_until_blocking("the engine", || engine.is_healthy().then_some(()));
        Some(engine)
    }

    /// Kills it as `kill -9` does, and starts it anew on what is on its disk.
    fn kill_and_restart(&mut self) {
        self.kill();
        self.restart();
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it anew on what is on its disk.
    pub(crate) fn restart(&mut self) {
        self.child = spawn_engine(&self.program, self.folder.path(), self.ports);
        wait_until_blocking("the engine", || self.is_healthy().then_some(()));
    }

    fn is_healthy(&self) -> bool {
        let at = |port: u16, path: &str| {
            let asked = self
                .http
                .get(format!("http://127.0.0.1:{port}{path}"))
                .send();
            RUNTIME
                .block_on(asked)
                .is_ok_and(|answer| answer.status().is_success())
        };
        at(self.admin, "/health") && at(self.ingress, "/restate/health")
    }

    pub(crate) fn ingress_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.ingress)
    }

    /// Asks for something that is granted.
    fn post(&self, port: u16, path: &str, body: &Value) -> Value {
        let url = format!("http://127.0.0.1:{port}{path}");
        let asked = async {
            let answer = self.http.post(&url).json(body).send().await.unwrap();
            (answer.status(), answer.text().await.unwrap())
        };
        let (status, text) = RUNTIME.block_on(asked);
        assert!(status.is_success(), "{path}: {status}: {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// Tells it where workers are.
    pub(crate) fn register(&self, worker: &str) {
        self.post(self.admin, "/deployments", &json!({"uri": worker}));
    }

    /// Starts a loop; gives its key.
    pub(crate) fn start_loop(&self, pull: &str) -> String {
        let asked = json!({"pull": pull});
        let begun = self.post(self.ingress, "/CollieStarts/start", &asked);
        begun["key"].as_str().unwrap().to_owned()
    }

    /// Asks for something of loops; the status of the answer.
    pub(crate) fn command(&self, command: &str, body: &Value) -> u16 {
        let url = format!("{}/CollieCommands/{command}", self.ingress_url());
        let asked = self.http.post(url).json(body).send();
        RUNTIME.block_on(asked).unwrap().status().as_u16()
    }

    /// The loops of a host, as the engine lists them.
    pub(crate) fn loops(&self, host: &str) -> Vec<Value> {
        let listed = self.ask_object("CollieFleet", host, "loops");
        serde_json::from_value(listed).unwrap()
    }

    /// What workers have spent and set aside.
    pub(crate) fn spent(&self, host: &str) -> Value {
        self.ask_object("CollieSpending", host, "spent")
    }

    fn ask_object(&self, object: &str, key: &str, handler: &str) -> Value {
        let url = format!("{}/{object}/{}/{handler}", self.ingress_url(), escaped(key));
        let asked = async { self.http.post(url).send().await?.json().await };
        let answered: Result<Value, reqwest::Error> = RUNTIME.block_on(asked);
        answered.unwrap()
    }

    /// What the engine knows of a service.
    fn service(&self, name: &str) -> Value {
        let url = format!("http://127.0.0.1:{}/services/{name}", self.admin);
        let asked = async { self.http.get(url).send().await?.json().await };
        let known: Result<Value, reqwest::Error> = RUNTIME.block_on(asked);
        known.unwrap()
    }

    /// Brings an event to a loop.
    pub(crate) fn apply(&self, key: &str, event: &Value) {
        let path = format!("/CollieLoop/{}/apply", escaped(key));
        self.post(self.ingress, &path, event);
    }

    /// The state of a loop; null while nothing answers.
    pub(crate) fn state(&self, key: &str) -> Value {
        self.view(key)["state"].clone()
    }

    /// A loop as others see it; null while nothing answers.
    pub(crate) fn view(&self, key: &str) -> Value {
        let url = format!("{}/CollieLoop/{}/view", self.ingress_url(), escaped(key));
        let asked = async {
            let request = self.http.post(url).timeout(Duration::from_secs(10));
            let answer = request.send().await.ok()?;
            serde_json::from_str::<Value>(&answer.text().await.ok()?).ok()
        };
        RUNTIME.block_on(asked).unwrap_or_default()
    }

    pub(crate) fn wait_until_ready(&self, key: &str) -> Value {
        wait_until_blocking("a loop to be ready", || {
            let state = self.state(key);
            match state["run"]["state"].as_str() {
                Some("pr_ready_to_merge") if state["outbox"]["effects"] == json!({}) => Ok(state),
                _ => Err(format!(
                    "{} {} {}\n{}",
                    state["run"]["state"],
                    state["run"]["blocker"],
                    state["outbox"],
                    std::fs::read_to_string(self.folder.path().join("engine.log")).unwrap()
                )),
            }
        })
    }
}

impl Drop for EngineServer {
    fn drop(&mut self) {
        // One that has ended already is no error.
        let ended = self.child.kill().and_then(|()| self.child.wait());
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

/// Starts the engine's program on a folder, with the settings that people are given.
fn spawn_engine(program: &Path, folder: &Path, [ingress, admin, fabric]: [u16; 3]) -> Child {
    let mut log = std::fs::File::options();
    let log = log
        .create(true)
        .append(true)
        .open(folder.join("engine.log"));
    let log = log.unwrap();
    let mut command = Command::new(program);
    let settings =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/many-machines/restate.toml");
    command.arg("--no-logo").arg("-c").arg(settings);
    command.env("RESTATE_BASE_DIR", folder.join("engine"));
    command.env("RESTATE_INGRESS__BIND_PORT", ingress.to_string());
    command.env("RESTATE_ADMIN__BIND_PORT", admin.to_string());
    command.env("RESTATE_BIND_PORT", fabric.to_string());
    command.stdin(Stdio::null());
    command.stdout(log.try_clone().unwrap()).stderr(log);
    command.spawn().unwrap()
}

/// A key as a part of a path.
fn escaped(key: &str) -> String {
    key.replace('/', "%2F")
        .replace(':', "%3A")
        .replace('=', "%3D")
}

/// Starts a worker on an address of its own choice.
pub(crate) fn start_worker(home: &TestHome, engine: &EngineServer, port: u16) -> RunningCommand {
    start_worker_with(home, engine, port, &[])
}

/// The same with more flags.
pub(crate) fn start_worker_with(
    home: &TestHome,
    engine: &EngineServer,
    port: u16,
    more: &[&str],
) -> RunningCommand {
    let (listen, ingress) = (format!("127.0.0.1:{port}"), engine.ingress_url());
    let flags = [
        "worker",
        "--ingress",
        &ingress,
        "--listen",
        &listen,
        "--json",
    ];
    let mut worker = home.start(&[&flags[..], more].concat());
    worker.read_until("a worker's address", |line| line["url"].is_string());
    worker
}

/// An address behind which one worker at a time stands, as a proxy has it.
struct Switch {
    port: u16,
    target: Arc<AtomicU16>,
}

impl Switch {
    fn start(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = Arc::new(AtomicU16::new(target));
        let chosen = target.clone();
        // Ends with the test's process.
        std::thread::spawn(move || {
            for from in listener.incoming().map_while(Result::ok) {
                let to = TcpStream::connect(("127.0.0.1", chosen.load(Ordering::SeqCst)));
                let Ok(to) = to else { continue };
                for stream in [&from, &to] {
                    stream.set_nodelay(true).unwrap();
                }
                let back = (to.try_clone().unwrap(), from.try_clone().unwrap());
                for (mut from, mut to) in [(from, to), back] {
                    std::thread::spawn(move || {
                        // Whoever closes first ends both ways.
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Self { port, target }
    }

    fn send_to(&self, port: u16) {
        self.target.store(port, Ordering::SeqCst);
    }
}

/// What a loop has said, by the first words, in no order.
fn words(posts: &[Posted]) -> Vec<&str> {
    let mut words: Vec<_> = posts.iter().map(|post| post.words.as_str()).collect();
    words.sort_unstable();
    words
}

#[test]
fn a_loop_goes_from_open_to_ready_on_the_engine() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let repo = "demo/clean";
    forge.import_scenario(Scenario::Clean, repo);
    let home = TestHome::new(&forge);
    let [port] = free_ports();
    let _worker = start_worker(&home, &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let key = engine.start_loop(&format!("{repo}#1"));
    engine.wait_until_ready(&key);
    let posts = posted_tokens(&forge, repo);
    assert_said_once(repo, &posts);
    assert!(!posts.is_empty());
}

/// The engine's own defaults keep finished calls for a day and pause one that fails for an hour.
#[test]
fn every_call_is_tried_until_it_is_done_and_forgotten_then() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge);
    let [port] = free_ports();
    let _worker = start_worker(&home, &engine, port);
    let registered = engine.post(
        engine.admin,
        "/deployments",
        &json!({"uri": format!("http://127.0.0.1:{port}")}),
    );
    let services = registered["services"].as_array().unwrap();
    assert!(services.len() >= 12, "{services:#?}");
    for service in services {
        let name = service["name"].as_str().unwrap();
        let known = engine.service(name);
        assert_eq!(known["journal_retention"], "0s", "{known:#}");
        let retries = &known["retry_policy"]["max_attempts"];
        assert_eq!(*retries, 1_000_000, "{known:#}");
    }
}

#[test]
fn a_post_whose_answer_was_lost_with_its_worker_is_looked_for_by_the_next() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let repo = "demo/clean";
    forge.import_scenario(Scenario::Clean, repo);
    let fault = json!({
        "kind": "drop_after", "route": "POST /repos/**/comments", "login": COLLIE_LOGIN, "after": 0, "count": 1,
    });
    forge.call(COLLIE_LOGIN, "POST", "/_forge/faults", Some(fault));
    let homes = [TestHome::new(&forge), TestHome::new(&forge)];
    let [port] = free_ports();
    let mut worker = start_worker(&homes[0], &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let key = engine.start_loop(&format!("{repo}#1"));
    wait_until_blocking("a post", || !posted_tokens(&forge, repo).is_empty());
    // It waits by now until it may look whether its post has arrived.
    assert!(worker.kill());
    let faults = forge.call(COLLIE_LOGIN, "GET", "/_forge/faults", None);
    assert_eq!(faults[0]["hit"], 1, "{faults}");
    let _worker = start_worker(&homes[1], &engine, port);
    engine.wait_until_ready(&key);
    assert_said_once(repo, &posted_tokens(&forge, repo));
}

#[test]
fn workers_and_the_engine_are_killed_again_and_again_and_nothing_is_said_or_pushed_twice() {
    let Some(mut engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let [port] = free_ports();
    // Each is a machine of its own: what the other has in its folder is gone for it.
    let homes = [TestHome::new(&forge), TestHome::new(&forge)];
    let mut worker = start_worker(&homes[0], &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let [undisturbed, disturbed] = ["demo/fix-loop-0", "demo/fix-loop-1"].map(|repo| {
        forge.import_scenario(Scenario::FixLoop, repo);
        repo
    });
    let key = engine.start_loop(&format!("{undisturbed}#1"));
    engine.wait_until_ready(&key);
    let begun = Instant::now();
    let key = engine.start_loop(&format!("{disturbed}#1"));
    let mut kills = 0;
    for delay in [300, 700, 1_100, 1_500, 2_300, 3_100] {
        std::thread::sleep(Duration::from_millis(delay));
        kills += usize::from(worker.kill());
        if kills % 2 == 0 {
            engine.kill_and_restart();
        }
        worker = start_worker(&homes[kills % 2], &engine, port);
    }
    engine.wait_until_ready(&key);
    println!("{kills} kills, ready after {:?}", begun.elapsed());
    let posts = [undisturbed, disturbed].map(|repo| {
        let posts = posted_tokens(&forge, repo);
        assert_said_once(repo, &posts);
        posts
    });
    assert_eq!(words(&posts[1]), words(&posts[0]));
    let changes = [undisturbed, disturbed].map(|repo| {
        let commits = commits(&forge, repo).into_iter();
        commits.map(|(_, change)| change).collect::<Vec<_>>()
    });
    assert_eq!(
        changes[1], changes[0],
        "something was pushed twice, or not at all"
    );
    assert_eq!(kills, 6);
}

#[test]
fn a_commit_is_pushed_by_another_machine_once_its_own_is_gone() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let repo = "demo/fix-loop";
    forge.import_scenario(Scenario::FixLoop, repo);
    let homes = [(); 2].map(|()| TestHome::new(&forge));
    for home in &homes {
        let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
        home.configure(&config.replace("\"push\"", "\"ask\""));
    }
    let [port] = free_ports();
    let mut worker = start_worker(&homes[0], &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let key = engine.start_loop(&format!("{repo}#1"));
    let push = wait_until_blocking("a push that waits for a person", || {
        let state = engine.state(&key);
        let fix = &state["run"]["fixing"]["pending"];
        fix["commit"].is_string().then(|| fix.clone())
    });
    assert!(worker.kill());
    let _worker = start_worker(&homes[1], &engine, port);
    let approved = json!({
        "event": "push_approved", "by": COLLIE_LOGIN, "commit": push["commit"], "head": push["from"],
    });
    engine.apply(&key, &approved);
    let wanted = push["commit"].as_str().unwrap();
    wait_until_blocking("the push", || {
        let pushed = commits(&forge, repo);
        pushed.iter().any(|(id, _)| id == wanted)
    });
}

#[test]
fn workers_that_freeze_and_thaw_while_others_go_on_say_and_push_nothing_twice() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let homes = [TestHome::new(&forge), TestHome::new(&forge)];
    let ports: [u16; 2] = free_ports();
    let workers = [0, 1].map(|nth| start_worker(&homes[nth], &engine, ports[nth]));
    let switch = Switch::start(ports[0]);
    engine.register(&format!("http://127.0.0.1:{}", switch.port));
    let repos: Vec<String> = (0..4).map(|nth| format!("demo/fix-loop-{nth}")).collect();
    for repo in &repos {
        forge.import_scenario(Scenario::FixLoop, repo);
    }
    let started = repos
        .iter()
        .map(|repo| engine.start_loop(&format!("{repo}#1")));
    let keys: Vec<String> = started.collect();
    // Each freezes past every deadline of the engine's, the other takes its place, and it thaws in the middle of that.
    for (nth, delay) in [700, 1_900, 1_300, 2_600].into_iter().enumerate() {
        std::thread::sleep(Duration::from_millis(delay));
        let frozen = &workers[nth % 2];
        frozen.signal(Signal::SIGSTOP);
        switch.send_to(ports[(nth + 1) % 2]);
        std::thread::sleep(Duration::from_secs(9));
        frozen.signal(Signal::SIGCONT);
    }
    for key in &keys {
        engine.wait_until_ready(key);
    }
    // What a zombie still had to say, it would say now.
    std::thread::sleep(Duration::from_secs(6));
    for repo in &repos {
        let posts = posted_tokens(&forge, repo);
        assert_said_once(repo, &posts);
        assert_eq!(words(&posts), words(&posted_tokens(&forge, &repos[0])));
        let pushed = commits(&forge, repo).into_iter();
        let mut changes: Vec<String> = pushed.map(|(_, change)| change).collect();
        let all = changes.len();
        changes.sort();
        changes.dedup();
        assert_eq!((changes.len(), all), (2, 2), "{repo}: {changes:#?}");
    }
}

/// A dollar a thousand tokens: the first question may cost more than the limit.
#[test]
fn what_a_pull_request_may_cost_holds_on_a_worker_as_well() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let repo = "demo/clean";
    forge.import_scenario(Scenario::Clean, repo);
    let model = RUNTIME.block_on(FakeLlm::serve(|_| Reply::text("{}")));
    let home = TestHome::new(&forge).with_config_lines(&format!(
        "[[stages]]\nreviewers = [\"quinn\"]\n[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n\
         [budget]\nper_pull_request_usd = 1\n",
        model.url()
    ));
    std::fs::write(home.path().join("prices.toml"), PRICES).unwrap();
    let [port] = free_ports();
    let _worker = start_worker(&home, &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let key = engine.start_loop(&format!("{repo}#1"));
    wait_until_blocking("the budget to stop the loop", || {
        let run = &engine.state(&key)["run"];
        let told = format!("{} {}", run["blocker"], run["stop"]);
        let exceeded = &run["blocker"]["exceeded"]["scope"];
        (exceeded == "pull_request").then_some(()).ok_or(told)
    });
    assert_eq!(model.request_count(), 0, "it was asked");
}

#[test]
fn a_worker_that_others_could_command_does_not_start() {
    let forge = ForgeServer::start();
    let home = TestHome::new(&forge);
    let refused = home.run(&["worker", "--listen", "0.0.0.0:0", "--json"]);
    assert_eq!(refused.status, 1, "{refused:?}");
    assert_eq!(
        refused.json()[0]["code"],
        "worker_unprotected",
        "{refused:?}"
    );
}

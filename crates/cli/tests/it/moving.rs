//! `collie move` on a real engine (§18.5): loops go to Restate and come back in the middle of their run.

use crate::kill::{assert_said_once, commits, posted_tokens};
use crate::support::*;
use crate::worker::{EngineServer, free_ports, start_worker};
use collie_app::demo::Scenario;
use serde_json::{Value, json};

const REPO: &str = "demo/fix-loop";
const PULL: &str = "demo/fix-loop#1";

/// A data folder with an engine of its own, and the machines elsewhere.
struct Setup {
    forge: ForgeServer,
    engine: EngineServer,
    home: TestHome,
    worker_home: TestHome,
    worker_port: u16,
}

impl Setup {
    fn start() -> Option<Self> {
        let engine = EngineServer::start()?;
        let forge = ForgeServer::start();
        forge.import_scenario(Scenario::FixLoop, REPO);
        let asks = |home: TestHome| {
            let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
            home.configure(&config.replace("autonomy = \"push\"", "autonomy = \"ask\""));
            home
        };
        let [worker_port] = free_ports();
        Some(Self {
            home: asks(TestHome::new(&forge)),
            worker_home: asks(TestHome::new(&forge)),
            forge,
            engine,
            worker_port,
        })
    }

    fn start_worker(&self) -> RunningCommand {
        let worker = start_worker(&self.worker_home, &self.engine, self.worker_port);
        let address = format!("http://127.0.0.1:{}", self.worker_port);
        self.engine.register(&address);
        worker
    }

    fn watch(&self) -> RunningCommand {
        self.home.start(&["watch", PULL, "--json"])
    }

    /// Moves the loops of the data folder.
    fn move_to(&self, place: &str) -> CommandResult {
        let ingress = self.engine.ingress_url();
        let args = ["move", place, "--ingress", &ingress, "--json"];
        self.home.run(&args)
    }

    fn moved(&self, place: &str) -> Value {
        let ended = self.move_to(place);
        assert_eq!(ended.status, 0, "{ended:?}");
        ended.json()[0].clone()
    }

    fn refused(&self, place: &str) -> String {
        let ended = self.move_to(place);
        assert_eq!(ended.status, 1, "{ended:?}");
        ended.json()[0]["code"].as_str().unwrap().to_owned()
    }

    /// Whether the data folder says that its loops are not its own.
    fn says_elsewhere(&self) -> bool {
        self.home.path().join("elsewhere.json").exists()
    }

    fn wait_until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        wait_until_blocking(what, || {
            // A journal that is being made is nobody else's yet.
            let shown = self.home.run(&["status", PULL, "--json"]);
            let now = shown.json().pop().unwrap_or_default();
            match fits(&now) {
                true => Ok(now),
                false => Err(now),
            }
        })
    }

    /// Waits until the fix is made and waits for a person's word; the commit.
    fn wait_for_held_push(&self) -> String {
        let now = self.wait_until("the fix to wait", |now| {
            now["held_push"]["commit"].is_string()
        });
        now["held_push"]["commit"].as_str().unwrap().to_owned()
    }
}

const COUNTED: fn(usize) -> Value =
    |moved| json!({"moved": moved, "others": [], "left_commits": []});

#[test]
fn a_loop_with_a_commit_that_is_on_no_remote_goes_to_restate_is_pushed_there_and_comes_back() {
    let Some(setup) = Setup::start() else {
        return;
    };
    let mut watch = setup.watch();
    let commit = setup.wait_for_held_push();
    assert_eq!(setup.refused("restate"), "owned", "it is at work");
    watch.kill();

    let worker = setup.start_worker();
    assert_eq!(setup.moved("restate"), COUNTED(1));
    assert!(setup.says_elsewhere());
    assert_eq!(setup.refused("restate"), "move_nothing");
    let refused = setup.home.run(&["watch", PULL, "--json"]);
    let code = refused.json().pop().unwrap()["code"].clone();
    assert_eq!(code, "loops_elsewhere", "{refused:?}");

    let host = setup.forge.api_url();
    let host = host.split("//").nth(1).unwrap().split('/').next().unwrap();
    let key = setup.engine.loops(host)[0]["key"]
        .as_str()
        .unwrap()
        .to_owned();
    let approve = json!({"key": key, "command": "approve", "commit": commit});
    assert_eq!(setup.engine.command("ask", &approve), 200);
    wait_until_blocking("the commit to be pushed", || {
        let pushed = commits(&setup.forge, REPO);
        let found = pushed.iter().any(|(sha, _)| *sha == commit);
        found.then_some(()).ok_or(format!("{pushed:?}"))
    });
    wait_until_blocking("the loop to be ready", || {
        let run = setup.engine.state(&key)["run"].clone();
        // Each push is asked about.
        if run["blocker"]["code"] == "awaiting_approval" {
            let asked = &run["blocker"]["commit"];
            let approve = json!({"key": key, "command": "approve", "commit": asked});
            assert_eq!(setup.engine.command("ask", &approve), 200);
        }
        (run["state"] == "pr_ready_to_merge")
            .then_some(())
            .ok_or(run)
    });

    assert_eq!(setup.moved("here"), COUNTED(1));
    assert!(!setup.says_elsewhere());
    assert_eq!(
        setup.engine.state(&key),
        Value::Null,
        "it is nobody's there"
    );
    assert_eq!(setup.refused("here"), "move_nothing");
    drop(worker);
    assert_eq!(setup.home.status(PULL)["state"], "pr_ready_to_merge");
    // It goes on here, without the machines elsewhere.
    setup
        .forge
        .push_to_branch(REPO, "json-orders", &[("README.md", "# Changed\n")]);
    let _watch = setup.watch();
    let pull = format!("/repos/{REPO}/pulls/1");
    let head = setup.forge.call(COLLIE_LOGIN, "GET", &pull, None)["head"]["sha"].clone();
    setup.wait_until("the new head to be ready", |now| {
        now["state"] == "pr_ready_to_merge" && now["head_sha"] == head
    });
    assert_said_once(REPO, &posted_tokens(&setup.forge, REPO));
    let log = setup.home.run(&["log", PULL, "--json"]);
    let approved = log
        .json()
        .iter()
        .filter(|line| line["event"] == "push_approved")
        .count();
    let pushed = commits(&setup.forge, REPO).len();
    assert_eq!(
        approved, pushed,
        "what happened there is told here: {log:?}"
    );
}

#[test]
fn a_move_that_is_broken_off_goes_on_and_nothing_works_on_the_loops_meanwhile() {
    let Some(mut setup) = Setup::start() else {
        return;
    };
    let mut watch = setup.watch();
    let commit = setup.wait_for_held_push();
    watch.kill();
    // Nothing answers: nothing is begun.
    setup.engine.kill();
    assert_eq!(setup.refused("restate"), "move_unreachable");
    assert!(!setup.says_elsewhere());
    setup.engine.restart();
    let worker = setup.start_worker();
    assert_eq!(setup.moved("restate"), COUNTED(1));
    // The command dies while loops come back, then the engine.
    let ingress = setup.engine.ingress_url();
    let args = ["move", "here", "--ingress", &ingress, "--json"];
    let mut moving = setup.home.start(&args);
    let file = setup.home.path().join("elsewhere.json");
    wait_until_blocking("the move to begin", || {
        let text = std::fs::read_to_string(&file).unwrap();
        text.contains("moving").then_some(()).ok_or(text)
    });
    assert!(moving.kill(), "it had ended by itself");
    assert_eq!(setup.refused("restate"), "move_unfinished");
    let refused = setup.home.run(&["watch", PULL, "--json"]);
    let code = refused.json().pop().unwrap()["code"].clone();
    assert_eq!(code, "move_unfinished", "{refused:?}");
    setup.engine.kill();
    assert_eq!(setup.refused("here"), "move_unreachable");
    setup.engine.restart();
    assert_eq!(setup.moved("here"), COUNTED(1));
    assert_eq!(setup.moved("restate"), COUNTED(1), "a second time");
    assert_eq!(setup.moved("here"), COUNTED(1));
    drop(worker);
    let now = setup.home.status(PULL);
    assert_eq!(now["held_push"]["commit"], commit, "{now:#}");
    let watch = ["watch", PULL, "--until-settled", "--json"];
    while setup.home.run(&watch).status != 0 {
        let approved = setup.home.run(&["approve", PULL, "--yes", "--json"]);
        assert_eq!(approved.status, 0, "{approved:?}");
    }
    let pushed = commits(&setup.forge, REPO);
    assert!(pushed.iter().any(|(sha, _)| *sha == commit), "{pushed:?}");
    assert_said_once(REPO, &posted_tokens(&setup.forge, REPO));
}

//! `kill -9` while a language model reviews and a coding agent fixes, over ACP: the next start begins their work anew, nothing is said or
//! pushed twice, and no agent lives on.

use crate::kill::*;
use crate::review::FAULTY;
use crate::support::*;
use collie_fake_llm::{FakeLlm, Reply, RunningFakeLlm};
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long agent and model take, so that they can be hit.
const WORK: Duration = Duration::from_millis(400);

/// A loop with a model for Quinn, and an agent that fixes.
struct AgentLoop {
    forge: ForgeServer,
    model: RunningFakeLlm,
    /// The script of the agent: its command names this folder.
    scripts: tempfile::TempDir,
    /// How often the agent was there as the process was about to be killed.
    agents_at_work: AtomicUsize,
}

/// What the model says of a head whose check is green: nothing is wrong with it.
fn review() -> Reply {
    std::thread::sleep(WORK);
    let told = json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "I looked.",
    });
    Reply::text(told.to_string())
}

impl AgentLoop {
    fn new() -> Self {
        let scripts = tempfile::tempdir().unwrap();
        let mended = FAULTY
            .replace("lenght", "length")
            .replace("  debugger;\n", "");
        let script = json!({"edits": {"app.js": mended}});
        std::fs::write(scripts.path().join("script.json"), script.to_string()).unwrap();
        Self {
            forge: ForgeServer::start(),
            model: RUNTIME.block_on(FakeLlm::serve(|_| review())),
            scripts,
            agents_at_work: AtomicUsize::new(0),
        }
    }
}

impl KillTarget for AgentLoop {
    fn forge(&self) -> &ForgeServer {
        &self.forge
    }

    fn set_up(&self, repo: &str) -> TestHome {
        let pull = PullFixture::new("change").with_title("A change").by("kim");
        let repository = RepositoryFixture::new(repo)
            .with_base_files(&[("app.js", "export {};\n")])
            .with_check("! grep -n debugger app.js")
            .with_pull(pull.with_file("app.js", FAULTY));
        self.forge.import(&repository);
        let scripts = self.scripts.path().display();
        let program = collie_fake_agent::program();
        // The shell stays, and tells by its arguments whose agent it is.
        let command = format!(
            "sleep {}; FAKE_AGENT_SCRIPT={scripts}/script.json {}; exit",
            WORK.as_secs_f64(),
            program.display()
        );
        TestHome::new(&self.forge).with_config_lines(&format!(
            "[[stages]]\nreviewers = [\"quinn\", \"rules\"]\n\
             [llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n\
             [fixer]\nruns_on = \"scripted\"\n\
             [agents.scripted]\ncommand = {}\nreadable = [\"{scripts}\", \"{}\"]\nstate = [\".fake-agent\"]\n",
            self.model.url(),
            json!(["sh", "-c", command]),
            program.display(),
        ))
    }

    fn wait_for_work(&self, phase: LoopPhase, _home: &TestHome) {
        if phase != LoopPhase::Fix {
            return;
        }
        // It may be over already, or fail the sandbox: then the loop itself says so.
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            if !processes_in(self.scripts.path()).is_empty() {
                self.agents_at_work.fetch_add(1, Ordering::Relaxed);
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn killed_while_a_model_reviews_and_an_agent_fixes_the_loop_ends_ready_with_nothing_twice() {
    let target = AgentLoop::new();
    let phases = [LoopPhase::Fix, LoopPhase::Review];
    let undisturbed = kill_until(wanted_kills(14, 200), &phases, &target);
    assert_eq!(undisturbed.commits, 1);
    assert!(target.agents_at_work.load(Ordering::Relaxed) > 0);
    wait_until_blocking("the end of every agent", || {
        processes_in(target.scripts.path()).is_empty()
    });
}

//! Who brings the harm, and what came of it.

use collie_config::{AgentSettings, FixerSettings, WatchedRepository};
use collie_core::ids::RepoName;
use collie_core::lifecycle::State;
use collie_core::policy::{ReviewerKind, ReviewerSpec, StageSpec};
use collie_testkit::engine::{LoopFixture, run_test};
use collie_testkit::repository::{CLEAN_FILE, RepositoryFixture};
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use tempfile::TempDir;

/// Who does what the stranger wants.
#[derive(Clone, Copy, Debug)]
pub enum Attacker {
    /// A script of the pull request that the user's own verify command runs.
    VerifyScript,
    /// The agent that fixes.
    Agent,
}

/// What came of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The loop went on to ready as if nothing were.
    Harmless,
    /// The harm was done.
    Harmed,
}

/// Somebody's machine: what is theirs, and a server that is for them alone.
struct Victim {
    folder: TempDir,
    server: TcpListener,
}

impl Victim {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in [".ssh/id_ed25519", ".profile", "bin/git"] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "canary\n").unwrap();
        }
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { folder, server }
    }

    /// The attack, aimed at this machine and this process.
    fn aim(&self, harm: &str) -> String {
        let port = self.server.local_addr().unwrap().port();
        harm.replace("VICTIM", self.folder.path().to_str().unwrap())
            .replace("COLLIE", &std::process::id().to_string())
            .replace("PORT", &port.to_string())
    }
}

impl Attacker {
    /// Runs the loop on the attacker's pull request.
    pub async fn run(self, harm: &str, unsandboxed: bool) -> Outcome {
        let victim = Victim::new();
        let harm = victim.aim(harm);
        let scripts = tempfile::tempdir().unwrap();
        let fixture = match self {
            Self::VerifyScript => with_verify_script(&harm),
            Self::Agent => with_agent(&harm, scripts.path()),
        };
        let repo = RepoName::parse("demo/app").unwrap();
        let fixture = fixture.with_layer(|layer| {
            layer.repositories = Some(vec![WatchedRepository {
                unsandboxed,
                ..WatchedRepository::new(repo)
            }]);
        });
        let mut outcome = None;
        run_test(fixture, async |ctx| {
            ctx.start_loop(1).await;
            let end = ctx
                .wait_until(1, "an end", |state| state.is_settled())
                .await;
            outcome = Some(match end.run.state {
                State::PrReadyToMerge => Outcome::Harmless,
                _ => Outcome::Harmed,
            });
        })
        .await;
        outcome.unwrap()
    }
}

/// The base has a script that its verify command runs; the pull request brings another one.
fn with_verify_script(harm: &str) -> LoopFixture {
    let script = format!("if {harm} 2>/dev/null; then exit 1; fi\n");
    RepositoryFixture::faulty()
        .with_base_file("check.sh", "true\n")
        .with_head_file("check.sh", script)
        .with_layer(|layer| layer.verify = Some(vec!["sh check.sh".into()]))
}

/// The agent tries to do harm, and goes where that worked; else it mends the fault.
fn with_agent(harm: &str, scripts: &Path) -> LoopFixture {
    let script = scripts.join("script.json");
    fs::write(
        &script,
        json!({"edits": {"app.js": CLEAN_FILE}}).to_string(),
    )
    .unwrap();
    let program = collie_fake_agent::program();
    let shell = format!("if {harm} 2>/dev/null; then exit 1; fi; exec \"$0\"");
    let command = [
        "env".to_owned(),
        format!("FAKE_AGENT_SCRIPT={}", script.display()),
        "sh".to_owned(),
        "-c".to_owned(),
        shell,
        program.display().to_string(),
    ];
    let agent = AgentSettings {
        command: command.to_vec(),
        readable: vec![scripts.to_owned()],
        state: vec![".fake-agent".into()],
        ..AgentSettings::default()
    };
    RepositoryFixture::faulty().with_layer(|layer| {
        layer.agents.insert("obedient".into(), agent);
        let rules = ReviewerSpec {
            kind: ReviewerKind::Rules,
            ..ReviewerSpec::agent("rules")
        };
        layer.stages = Some(vec![StageSpec {
            reviewers: vec![rules],
        }]);
        layer.fixer = Some(FixerSettings {
            runs_on: Some("obedient".into()),
            ..FixerSettings::default()
        });
    })
}

//! Who brings the harm, and what came of it.

use collie_config::{AgentSettings, FixerSettings, ReviewerSettings, WatchedRepository};
use collie_core::ids::RepoName;
use collie_core::lifecycle::State;
use collie_core::policy::{ReviewerKind, ReviewerSpec, StageSpec};
use collie_testkit::engine::{LoopFixture, run_test};
use collie_testkit::repository::{CLEAN_FILE, RepositoryFixture};
use serde_json::{Value, json};
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
    pub async fn run(self, harm: &str) -> Outcome {
        let victim = Victim::new();
        let shell = format!("if {} 2>/dev/null; then exit 1; fi", victim.aim(harm));
        match self.settled_state(&shell, false).await {
            State::PrReadyToMerge => Outcome::Harmless,
            _ => Outcome::Harmed,
        }
    }

    /// Does every harm in a repository that the user runs without walls, and gives those that were not done.
    pub async fn run_without_walls(self, harms: &[&str]) -> Vec<String> {
        let victim = Victim::new();
        let missed = victim.folder.path().join("missed");
        let tries: String = (0..)
            .zip(harms)
            .map(|(index, harm)| {
                let harm = victim.aim(harm);
                format!("( {harm} ) 2>/dev/null || echo {index} >> {missed:?}\n")
            })
            .collect();
        let shell = format!("touch {missed:?}\n{tries}exit 1");
        self.settled_state(&shell, true).await;
        let missed = fs::read_to_string(missed).expect("it was run");
        let index = |line: &str| line.parse::<usize>().unwrap();
        let missed = missed.lines().map(|line| harms[index(line)].to_owned());
        missed.collect()
    }

    async fn settled_state(self, shell: &str, unsandboxed: bool) -> State {
        let scripts = tempfile::tempdir().unwrap();
        let fixture = match self {
            Self::VerifyScript => RepositoryFixture::faulty()
                .with_base_file("check.sh", "true\n")
                .with_head_file("check.sh", format!("{shell}\n"))
                .with_layer(|layer| layer.verify = Some(vec!["sh check.sh".into()])),
            Self::Agent => {
                let fixed = json!({"app.js": CLEAN_FILE});
                with_agent(RepositoryFixture::faulty(), shell, &fixed, scripts.path())
            }
        };
        let mut state = None;
        run_test(with_walls(fixture, !unsandboxed), async |ctx| {
            ctx.start_loop(1).await;
            let end = ctx
                .wait_until(1, "an end", |state| state.is_settled())
                .await;
            state = Some(end.run.state);
        })
        .await;
        state.unwrap()
    }
}

/// The repository, behind walls or without as the user wants it.
pub fn with_walls(fixture: impl Into<LoopFixture>, walls: bool) -> LoopFixture {
    fixture.into().with_layer(|layer| {
        layer.repositories = Some(vec![WatchedRepository {
            unsandboxed: !walls,
            ..WatchedRepository::new(RepoName::parse("demo/app").unwrap())
        }]);
    })
}

/// The rules review, and an agent fixes that runs `shell` in its folder, then makes `edits` and says that all is done. Its script lies in
/// `scripts`.
pub fn with_agent(
    fixture: impl Into<LoopFixture>,
    shell: &str,
    edits: &Value,
    scripts: &Path,
) -> LoopFixture {
    let agent = obedient_agent(shell, &json!({"edits": edits}), scripts);
    fixture.into().with_layer(|layer| {
        layer.agents.insert("obedient".into(), agent);
        if layer.llm.model.is_none() {
            let rules = ReviewerSpec {
                kind: ReviewerKind::Rules,
                ..ReviewerSpec::agent("rules")
            };
            layer.stages = Some(vec![StageSpec {
                reviewers: vec![rules],
            }]);
        }
        layer.fixer = Some(FixerSettings {
            runs_on: Some("obedient".into()),
            ..FixerSettings::default()
        });
    })
}

/// Quinn alone reviews, as an agent that runs `shell` in its folder, then approves.
pub fn with_reviewing_agent(
    fixture: impl Into<LoopFixture>,
    shell: &str,
    scripts: &Path,
) -> LoopFixture {
    let review = json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [], "fullReport": "Fine.",
    });
    let agent = obedient_agent(shell, &json!({"answer": review.to_string()}), scripts);
    fixture.into().with_layer(|layer| {
        layer.agents.insert("obedient".into(), agent);
        let runs_on = ReviewerSettings {
            runs_on: Some("obedient".into()),
            ..ReviewerSettings::default()
        };
        layer.reviewers.insert("quinn".into(), runs_on);
        layer.stages = Some(vec![StageSpec {
            reviewers: vec![ReviewerSpec::agent("quinn")],
        }]);
    })
}

fn obedient_agent(shell: &str, script: &Value, scripts: &Path) -> AgentSettings {
    let file = scripts.join("script.json");
    fs::write(&file, script.to_string()).unwrap();
    let command = [
        "env".to_owned(),
        format!("FAKE_AGENT_SCRIPT={}", file.display()),
        "sh".to_owned(),
        "-c".to_owned(),
        format!("{shell}\nexec \"$0\""),
        collie_fake_agent::program().display().to_string(),
    ];
    AgentSettings {
        command: command.to_vec(),
        readable: vec![scripts.to_owned()],
        state: vec![".fake-agent".into()],
        ..AgentSettings::default()
    }
}

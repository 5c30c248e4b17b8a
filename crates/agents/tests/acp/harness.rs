//! A folder with an agent in it, and a look at what is left of it.

use collie_agents::acp::{
    AgentFailure, AgentProgress, AgentRole, AgentSandbox, AgentSpec, EnvVars, TurnEnd, TurnLimits,
    TurnRequest, host_env_vars, run_turn,
};
use collie_sandbox::{Limits, SandboxRunner};
use collie_testkit::wait::Wait;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A working folder and the fake agent in it. All that it starts works in that folder, by which it is found.
pub struct AgentHarness {
    _root: tempfile::TempDir,
    pub cwd: PathBuf,
    pub spec: AgentSpec,
    pub env: EnvVars,
    pub limits: TurnLimits,
}

/// What a turn came to.
pub struct TurnRun {
    pub result: Result<TurnEnd, AgentFailure>,
    pub progress: Vec<AgentProgress>,
    pub elapsed: Duration,
}

/// Puts up walls as Collie does.
pub fn runner() -> SandboxRunner {
    SandboxRunner::new(collie_testkit::sandbox::supervisor())
}

impl AgentHarness {
    /// An agent with these ways, and a script for its prompts.
    pub fn new(behaviors: &str, script: &serde_json::Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        let cwd = root.path().canonicalize().unwrap().join("tree");
        std::fs::create_dir(&cwd).unwrap();
        let scripts = root.path().join("scripts");
        std::fs::create_dir(&scripts).unwrap();
        let file = scripts.join("script.json");
        std::fs::write(&file, script.to_string()).unwrap();
        let program = collie_fake_agent::program().to_str().unwrap().to_owned();
        let spec = AgentSpec {
            id: "fake".into(),
            name: "Fake".into(),
            command: vec![program],
            version_args: vec!["--version".into()],
            extra_env: vec![
                ("FAKE_AGENT".into(), behaviors.into()),
                ("FAKE_AGENT_SCRIPT".into(), file.to_str().unwrap().into()),
            ],
            state_folders: vec![".fake-agent".into()],
            ..AgentSpec::default()
        };
        let limits = TurnLimits {
            idle_timeout: Duration::from_secs(60),
            ..TurnLimits::default()
        };
        Self {
            _root: root,
            cwd,
            spec,
            env: host_env_vars(),
            limits,
        }
    }

    /// An agent with these ways and nothing to do.
    pub fn idle(behaviors: &str) -> Self {
        Self::new(behaviors, &serde_json::json!({"answer": "Nothing to do."}))
    }

    pub fn turn_request(&self, role: AgentRole) -> TurnRequest {
        TurnRequest {
            spec: self.spec.clone(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            sandbox: self.sandbox(),
            prompt: vec!["You are a test.".into(), "Do it.".into()],
            resume_session_id: None,
            role,
            limits: self.limits,
        }
    }

    /// The script lies beside the folder. A new home each time.
    pub fn sandbox(&self) -> AgentSandbox {
        let root = self.cwd.parent().unwrap();
        AgentSandbox {
            runner: runner(),
            without_walls: None,
            readable: vec![root.join("scripts")],
            hidden: Vec::new(),
            limits: Limits::default(),
            kept_home: root.join("home"),
        }
    }

    /// Runs a turn and sees that nothing of it is left.
    pub async fn run(&self, turn: &TurnRequest) -> TurnRun {
        self.run_until(turn, |_| false).await
    }

    /// Runs a turn and cancels it at the first progress that fits.
    pub async fn run_until(
        &self,
        turn: &TurnRequest,
        cancel_at: impl Fn(&AgentProgress) -> bool + Send + Sync + 'static,
    ) -> TurnRun {
        let progress_log = Arc::new(Mutex::new(Vec::new()));
        let cancel = CancellationToken::new();
        let cancelled = Arc::new(Mutex::new(None));
        let started_at = Instant::now();
        let (log, token, cancelled_at) = (progress_log.clone(), cancel.clone(), cancelled.clone());
        let on_progress = move |progress: AgentProgress| {
            if cancel_at(&progress) {
                token.cancel();
                cancelled_at
                    .lock()
                    .unwrap()
                    .get_or_insert_with(Instant::now);
            }
            log.lock().unwrap().push(progress);
        };
        let end = run_turn(turn, on_progress, &cancel).await;
        let elapsed = cancelled.lock().unwrap().unwrap_or(started_at).elapsed();
        assert_eq!(
            processes_in(&self.cwd),
            [],
            "processes are left after {end:?}"
        );
        let heard = progress_log.lock().unwrap().clone();
        TurnRun {
            result: end,
            progress: heard,
            elapsed,
        }
    }
}

/// The processes that work in a folder: number and command line.
#[cfg(target_os = "linux")]
pub fn processes_in(folder: &Path) -> Vec<(String, String)> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let entry = entry.ok()?.path();
        // What has ended and only waits to be noticed has no folder any more.
        let is_there = std::fs::read_link(entry.join("cwd"))
            .ok()?
            .starts_with(folder);
        let line = std::fs::read_to_string(entry.join("cmdline"))
            .unwrap_or_default()
            .replace('\0', " ");
        is_there.then(|| {
            (
                entry
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                line,
            )
        })
    });
    processes.collect()
}

/// The processes that work in a folder: elsewhere than on Linux they do not show.
#[cfg(not(target_os = "linux"))]
pub fn processes_in(_: &Path) -> Vec<(String, String)> {
    Vec::new()
}

/// Waits until no process works in the folder.
pub async fn wait_until_empty(folder: &Path) {
    wait_for_processes(folder, 0).await;
}

/// Waits until so many processes work in the folder: one that only forks may be there for a moment.
pub async fn wait_for_processes(folder: &Path, wanted: usize) {
    let wait = Wait {
        timeout: Duration::from_secs(10),
        interval: Duration::from_millis(10),
    };
    let what = format!("{wanted} processes");
    let there = wait.until(&what, async || {
        let there = processes_in(folder);
        if there.len() == wanted {
            Ok(())
        } else {
            Err(format!("{there:?}"))
        }
    });
    there.await;
}

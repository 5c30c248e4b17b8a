//! A folder with an agent in it, and a look at what is left of it.

use collie_agents::acp::{
    AgentFailure, AgentSpec, Limits, Outside, Progress, Role, Turn, TurnEnd, outside, run,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A working folder and the fake agent in it. All that it starts works in that folder, by which it is found.
pub struct Stage {
    _root: tempfile::TempDir,
    pub cwd: PathBuf,
    pub spec: AgentSpec,
    pub outside: Outside,
    pub limits: Limits,
}

/// What a turn came to.
pub struct Ran {
    pub end: Result<TurnEnd, AgentFailure>,
    pub heard: Vec<Progress>,
    pub took: Duration,
}

impl Stage {
    /// An agent with these ways, and a script for its prompts.
    pub fn new(ways: &str, script: &serde_json::Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        let cwd = root.path().canonicalize().unwrap().join("tree");
        std::fs::create_dir(&cwd).unwrap();
        let file = root.path().join("script.json");
        std::fs::write(&file, script.to_string()).unwrap();
        let program = collie_fake_agent::program().to_str().unwrap().to_owned();
        let spec = AgentSpec {
            id: "fake".into(),
            name: "Fake".into(),
            command: vec![program],
            version_args: vec!["--version".into()],
            extra_env: vec![
                ("FAKE_AGENT".into(), ways.into()),
                ("FAKE_AGENT_SCRIPT".into(), file.to_str().unwrap().into()),
            ],
            ..AgentSpec::default()
        };
        let limits = Limits {
            idle: Duration::from_secs(60),
            ..Limits::default()
        };
        Self {
            _root: root,
            cwd,
            spec,
            outside: outside(),
            limits,
        }
    }

    /// An agent with these ways and nothing to do.
    pub fn idle(ways: &str) -> Self {
        Self::new(ways, &serde_json::json!({"answer": "Nothing to do."}))
    }

    pub fn turn(&self, role: Role) -> Turn {
        Turn {
            spec: self.spec.clone(),
            outside: self.outside.clone(),
            cwd: self.cwd.clone(),
            prompt: vec!["You are a test.".into(), "Do it.".into()],
            session: None,
            role,
            limits: self.limits,
        }
    }

    /// Runs a turn and sees that nothing of it is left.
    pub async fn run(&self, turn: &Turn) -> Ran {
        self.run_until(turn, |_| false).await
    }

    /// Runs a turn and cancels it at the first progress that fits.
    pub async fn run_until(
        &self,
        turn: &Turn,
        cancel_at: impl Fn(&Progress) -> bool + Send + Sync + 'static,
    ) -> Ran {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let cancel = CancellationToken::new();
        let cancelled = Arc::new(Mutex::new(None));
        let begun = Instant::now();
        let (list, token, at) = (heard.clone(), cancel.clone(), cancelled.clone());
        let tell = move |progress: Progress| {
            if cancel_at(&progress) {
                token.cancel();
                at.lock().unwrap().get_or_insert_with(Instant::now);
            }
            list.lock().unwrap().push(progress);
        };
        let end = run(turn, tell, &cancel).await;
        let took = cancelled.lock().unwrap().unwrap_or(begun).elapsed();
        assert_eq!(alive_in(&self.cwd), [], "processes are left after {end:?}");
        let heard = heard.lock().unwrap().clone();
        Ran { end, heard, took }
    }
}

/// The processes that work in a folder: number and command line.
#[cfg(target_os = "linux")]
pub fn alive_in(folder: &Path) -> Vec<(String, String)> {
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
pub fn alive_in(_: &Path) -> Vec<(String, String)> {
    Vec::new()
}

/// Waits until no process works in the folder.
pub async fn until_empty(folder: &Path) {
    until_alive(folder, 0).await;
}

/// Waits until so many processes work in the folder: one that only forks may be there for a moment.
pub async fn until_alive(folder: &Path, wanted: usize) {
    for _ in 0..1000 {
        if alive_in(folder).len() == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?} are there, not {wanted}", alive_in(folder));
}

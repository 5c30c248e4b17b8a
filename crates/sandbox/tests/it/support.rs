//! A machine with secrets, and scripts that are run on it, behind walls and without.

use collie_sandbox::{Program, Sandbox, SandboxPolicy, Sandboxed, Stdin, UnsandboxedTrust};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;

/// A home folder with secrets, and a worktree.
pub struct Machine {
    pub root: TempDir,
    pub sandbox: Sandbox,
}

pub fn supervisor() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_collie-sandbox-supervisor"))
}

/// How a script ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
}

impl Machine {
    pub async fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for file in ["home/.ssh/id_ed25519", "data/collie.db", "work/file"] {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "s3cret").unwrap();
        }
        let sandbox = Sandbox::detect(supervisor()).await.unwrap();
        Self { root, sandbox }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    pub fn policy(&self) -> SandboxPolicy {
        SandboxPolicy {
            writable: vec![self.path("work")],
            ..SandboxPolicy::default()
        }
    }

    pub fn shell(&self, script: &str) -> Program {
        let env = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", self.path("home").into_os_string()),
            ("ROOT", self.root.path().as_os_str().to_owned()),
        ];
        Program {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            env: env
                .map(|(name, value)| (OsString::from(name), value))
                .into(),
            folder: self.path("work"),
        }
    }

    pub async fn inside(&self, script: &str) -> Ended {
        run(self.sandbox.program(&self.policy(), self.shell(script))).await
    }

    pub fn without_walls(&self, script: &str) -> Sandboxed {
        let trust = UnsandboxedTrust::by_the_users_setting(true).unwrap();
        Sandboxed::without_walls(trust, supervisor(), self.shell(script))
    }

    pub async fn outside(&self, script: &str) -> Ended {
        run(self.without_walls(script)).await
    }
}

pub async fn run(program: Sandboxed) -> Ended {
    let mut child = program.spawn(Stdin::Empty).await.unwrap();
    let mut out = String::new();
    let mut stdout = child.stdout().unwrap();
    stdout.read_to_string(&mut out).await.unwrap();
    let status = child.wait().await.unwrap();
    Ended {
        code: status.code(),
        out,
    }
}

/// Fails unless the script does harm without walls (ends with 0), and none behind them.
pub async fn check(machine: &Machine, what: &str, script: &str) {
    let control = machine.outside(script).await;
    assert_eq!(
        control.code,
        Some(0),
        "{what}: the control fails: {control:?}"
    );
    let tried = machine.inside(script).await;
    assert!(
        tried.code.is_some_and(|code| code != 0),
        "{what} got through: {tried:?}"
    );
}

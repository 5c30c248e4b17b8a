//! Runs the repository's own commands on a fix (§6.3 e), in the sandbox (§9.5): they run what the pull request brings.

use crate::Worktrees;
use crate::git_command::inherited_env;
use crate::io_error::io_error;
use crate::layout::WorktreePaths;
use crate::process::{OutputTail, ProcessOutcome, run_sandboxed};
use collie_engine::ports::{GateRefusal, GitError, VerifyPlan};
use collie_sandbox::{
    Limits, Program, SandboxError, SandboxPolicy, Sandboxed, Stdin, UnsandboxedTrust, disk_usage,
};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use tokio_util::sync::CancellationToken;

/// What is kept of a command's output.
const MAX_OUTPUT_BYTES: usize = 16 * 1024;

/// Variables that commands see: where toolchains are. Nothing that signs anybody in.
const VERIFY_ENV_ALLOWLIST: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "GOFLAGS",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

impl Worktrees {
    /// Runs the commands in order; the first that fails is the refusal.
    pub(crate) async fn run_verify(
        &self,
        paths: &WorktreePaths,
        plan: &VerifyPlan,
        cancel: &CancellationToken,
    ) -> Result<Option<GateRefusal>, GitError> {
        for command in &plan.commands {
            let program = self.verify_program(paths, plan, command).await?;
            let child = program.spawn(Stdin::Empty).await.map_err(no_sandbox)?;
            // Both outputs go into one, in the order they come.
            let tail = Mutex::new(OutputTail::new(MAX_OUTPUT_BYTES));
            let keep = |bytes: &[u8]| {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.push(bytes);
            };
            let limit = self.git.options().verify_timeout;
            let (outcome, disk_stop) = run_sandboxed(child, limit, cancel, &keep)
                .await
                .map_err(io_error("a verify command could not be waited for"))?;
            if let Some(stop) = disk_stop {
                let error = Box::new(stop.into());
                return Err(GitError::SandboxStopped { error });
            }
            let output = tail.into_inner().unwrap_or_else(PoisonError::into_inner);
            let output = output.into_text();
            let output = output.replace(&*paths.work_dir.to_string_lossy(), ".");
            let mut output = self.git.redact_paths(&output);
            match outcome {
                ProcessOutcome::Exited(Some(0)) => continue,
                ProcessOutcome::Cancelled => return Err(GitError::Cancelled),
                ProcessOutcome::Exited(Some(_)) => {}
                ProcessOutcome::Exited(None) => output.push_str("\nIt was killed."),
                ProcessOutcome::TimedOut => {
                    output.push_str(&format!("\nIt was stopped after {} s.", limit.as_secs()));
                }
            }
            return Ok(Some(GateRefusal::Verify {
                command: command.clone(),
                output,
            }));
        }
        Ok(None)
    }

    async fn verify_program(
        &self,
        paths: &WorktreePaths,
        plan: &VerifyPlan,
        command: &str,
    ) -> Result<Sandboxed, GitError> {
        let program = self.shell_program(paths, command);
        let policy = SandboxPolicy {
            writable: vec![paths.work_dir.clone()],
            readable: vec![paths.clone_dir.clone()],
            // The data folder: clones, journal and configuration.
            hidden: vec![self.root.parent().unwrap_or(&self.root).to_owned()],
            cache: Some(self.verify_cache(paths).await?),
            limits: Limits {
                disk_bytes: self.git.options().disk_limits.now().sandbox_bytes,
                ..Limits::default()
            },
            ..SandboxPolicy::default()
        };
        let trust = UnsandboxedTrust::by_the_users_setting(plan.unsandboxed);
        let sandbox = &self.git.options().sandbox;
        let placed = sandbox.program(&policy, program, trust).await;
        placed.map_err(no_sandbox)
    }

    fn shell_program(&self, paths: &WorktreePaths, command: &str) -> Program {
        let options = self.git.options();
        let extra_names: Vec<&str> = options.verify_env.iter().map(String::as_str).collect();
        let mut env = inherited_env(VERIFY_ENV_ALLOWLIST);
        env.extend(inherited_env(&extra_names));
        env.push((OsString::from("TMPDIR"), OsString::from("/tmp")));
        Program {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), command.into()],
            env,
            folder: paths.work_dir.clone(),
        }
    }

    /// The repository's own cache, which stays from one command to the next until it takes half of what a command may have on the disk.
    async fn verify_cache(&self, paths: &WorktreePaths) -> Result<PathBuf, GitError> {
        let clone = paths.clone_dir.strip_prefix(&self.root);
        let cache = self
            .root
            .join("verify-caches")
            .join(clone.unwrap_or(&paths.clone_dir));
        let most = self.git.options().disk_limits.now().sandbox_bytes / 2;
        let folder = cache.clone();
        let used = tokio::task::spawn_blocking(move || disk_usage(&[folder], most)).await;
        if used.is_ok_and(|used| used > most) {
            tracing::info!(%most, "the cache of verify commands is emptied");
            self.discard(&cache)?;
        }
        std::fs::create_dir_all(&cache).map_err(io_error("a cache folder could not be made"))?;
        Ok(cache)
    }
}

fn no_sandbox(error: SandboxError) -> GitError {
    GitError::NoSandbox {
        error: Box::new(error.into()),
    }
}

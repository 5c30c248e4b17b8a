//! Runs the repository's own commands on a fix (§6.3 d).

use crate::Worktrees;
use crate::git_command::inherited_env;
use crate::process::{OutputTail, ProcessInput, ProcessOutcome, ProcessSpec, run_to_end};
use collie_engine::ports::{GateRefusal, GitError};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use tokio_util::sync::CancellationToken;

/// What is kept of a command's output.
const MAX_OUTPUT_BYTES: usize = 16 * 1024;

/// Variables that commands see: where tools and caches are. Nothing that signs anybody in.
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
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "LD_LIBRARY_PATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOPROXY",
    "GOFLAGS",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "UV_CACHE_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

impl Worktrees {
    /// Runs the commands in order; the first that fails is the refusal.
    pub(crate) async fn run_verify(
        &self,
        work_dir: &Path,
        commands: &[String],
        cancel: &CancellationToken,
    ) -> Result<Option<GateRefusal>, GitError> {
        for command in commands {
            // Both outputs go into one, in the order they come.
            let tail = Mutex::new(OutputTail::new(MAX_OUTPUT_BYTES));
            let keep = |bytes: &[u8]| {
                tail.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(bytes)
            };
            let outcome = run_to_end(
                self.verify_process_spec(work_dir, command),
                Some(cancel),
                &mut { keep },
                &mut { keep },
            )
            .await
            .map_err(|error| GitError::Io {
                what: "a verify command could not be started".into(),
                message: error.to_string(),
            })?;
            let output = tail
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .into_text();
            let output = output.replace(&*work_dir.to_string_lossy(), ".");
            let mut output = self.git.redact_paths(&output);
            match outcome {
                ProcessOutcome::Exited(Some(0)) => continue,
                ProcessOutcome::Cancelled => return Err(GitError::Cancelled),
                ProcessOutcome::Exited(Some(_)) => {}
                ProcessOutcome::Exited(None) => output.push_str("\nIt was killed."),
                ProcessOutcome::TimedOut => {
                    let limit = self.git.options().verify_timeout.as_secs();
                    output.push_str(&format!("\nIt was stopped after {limit} s."));
                }
            }
            return Ok(Some(GateRefusal::Verify {
                command: command.clone(),
                output,
            }));
        }
        Ok(None)
    }

    fn verify_process_spec(&self, work_dir: &Path, command: &str) -> ProcessSpec {
        let options = self.git.options();
        let extra_names: Vec<&str> = options.verify_env.iter().map(String::as_str).collect();
        let mut env = inherited_env(VERIFY_ENV_ALLOWLIST);
        env.extend(inherited_env(&extra_names));
        ProcessSpec {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), command.into()],
            env,
            folder: work_dir.to_path_buf(),
            stdin: ProcessInput::KillOnClose,
            timeout: options.verify_timeout,
        }
    }
}

//! Runs the repository's own commands on a fix (§6.3 d).

use crate::GitPlace;
use crate::call::passed;
use crate::process::{End, Input, Job, Tail, run};
use collie_engine::ports::{GateRefusal, GitError};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use tokio_util::sync::CancellationToken;

/// What is kept of a command's output.
const MOST_OUTPUT: usize = 16 * 1024;

/// Variables that commands see: where tools and caches are. Nothing that signs anybody in.
const PASSED: &[&str] = &[
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

impl GitPlace {
    /// Runs the commands in order; the first that fails is the refusal.
    pub(crate) async fn run_verify(
        &self,
        tree: &Path,
        commands: &[String],
        cancel: &CancellationToken,
    ) -> Result<Option<GateRefusal>, GitError> {
        for command in commands {
            // Both outputs go into one, in the order they come.
            let tail = Mutex::new(Tail::new(MOST_OUTPUT));
            let keep = |bytes: &[u8]| {
                tail.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(bytes)
            };
            let end = run(
                self.verify_job(tree, command),
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
                .text();
            let output = output.replace(&*tree.to_string_lossy(), ".");
            let mut output = self.caller.without_paths(&output);
            match end {
                End::Exited(Some(0)) => continue,
                End::Cancelled => return Err(GitError::Cancelled),
                End::Exited(Some(_)) => {}
                End::Exited(None) => output.push_str("\nIt was killed."),
                End::TimedOut => {
                    let limit = self.caller.options().verify_limit.as_secs();
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

    fn verify_job(&self, tree: &Path, command: &str) -> Job {
        let options = self.caller.options();
        let more: Vec<&str> = options.verify_env.iter().map(String::as_str).collect();
        let mut env = passed(PASSED);
        env.extend(passed(&more));
        Job {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), command.into()],
            env,
            folder: tree.to_path_buf(),
            input: Input::Tethered,
            limit: options.verify_limit,
        }
    }
}

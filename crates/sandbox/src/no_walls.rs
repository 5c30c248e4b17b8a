//! What there is where no walls are: nothing of a pull request is run, save where the user trusts its repository without them.

use crate::disk_usage::DiskStop;
use crate::error::SandboxError;
use crate::policy::SandboxPolicy;
use crate::program::{LimitsBy, Program, Stdin, UnsandboxedTrust};
use crate::refused_hosts::RefusedHosts;
use collie_platform::ProcessTree;
use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// There is none on this system, and so there is no value of it.
#[derive(Clone, Debug)]
pub struct Sandbox(Infallible);

impl Sandbox {
    /// Finds none.
    ///
    /// # Errors
    /// [`SandboxError::UnsupportedSystem`].
    pub async fn detect(_supervisor: PathBuf) -> Result<Self, SandboxError> {
        Err(SandboxError::UnsupportedSystem(std::env::consts::OS))
    }

    /// What holds the limits on memory and processes here.
    pub fn limits_by(&self) -> LimitsBy {
        match self.0 {}
    }

    /// Whether its walls have been tried by nobody yet.
    pub fn is_untried(&self) -> bool {
        match self.0 {}
    }

    /// Puts a program behind the walls.
    pub fn program(&self, _policy: &SandboxPolicy, _program: Program) -> Sandboxed {
        match self.0 {}
    }
}

/// A program of a pull request, ready to be run, since the user said so. There is no other way to one.
#[derive(Debug)]
pub struct Sandboxed {
    program: Program,
}

impl Sandboxed {
    /// A program that runs as the user, with all that they may do. It too ends with Collie, and all that it started with it.
    pub fn without_walls(_trust: UnsandboxedTrust, _supervisor: PathBuf, program: Program) -> Self {
        Self { program }
    }

    /// Starts it; both outputs are piped. Everything that it starts ends with it, and with the value that is given back.
    ///
    /// # Errors
    /// [`SandboxError::NotStarted`]: nothing has run.
    pub async fn spawn(self, stdin: Stdin) -> Result<SandboxedChild, SandboxError> {
        let Program {
            program,
            args,
            env,
            folder,
        } = self.program;
        let mut command = Command::new(&program);
        command
            .args(args)
            .env_clear()
            .envs(env)
            .current_dir(folder)
            .stdin(match stdin {
                Stdin::Empty => Stdio::null(),
                Stdin::Piped => Stdio::piped(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut tree = ProcessTree::spawn(command).map_err(|error| SandboxError::NotStarted {
            program: program.to_string_lossy().into_owned(),
            message: error.to_string(),
        })?;
        // Whoever waits for a child closes its input.
        let stdin = tree.stdin();
        Ok(SandboxedChild { tree, stdin })
    }
}

/// A program that runs. Dropped, it is killed with all that it started.
#[derive(Debug)]
pub struct SandboxedChild {
    tree: ProcessTree,
    stdin: Option<ChildStdin>,
}

impl SandboxedChild {
    /// What it reads, where that is piped; once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// What it writes; once.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.tree.stdout()
    }

    /// What it complains of; once.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.tree.stderr()
    }

    /// None: nobody stands between it and the network.
    pub fn refused_hosts(&mut self) -> Option<RefusedHosts> {
        None
    }

    /// Waits until it has ended. What it has started is ended then too.
    ///
    /// # Errors
    /// The system's.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.tree.wait().await;
        self.tree.kill();
        status
    }

    /// None: nobody watches what it writes.
    pub fn disk_stop(&self) -> Option<DiskStop> {
        None
    }

    /// Asks it to end.
    pub async fn terminate(&mut self) {
        self.tree.terminate();
    }

    /// Kills it and all that it started; [`SandboxedChild::wait`] tells when they are gone.
    pub async fn kill(&mut self) {
        self.tree.kill();
    }
}

/// Does nothing: without walls no program has to be started within them.
pub fn supervise_if_asked() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ProcessOutcome;
    use crate::runner::SandboxRunner;
    use collie_core::error_code::{ErrorCode, ErrorHint};
    use collie_core::user_error::UserError;
    use std::sync::Mutex;
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    fn command(script: &str) -> Program {
        Program {
            program: "cmd".into(),
            args: vec!["/C".into(), script.into()],
            env: crate::toolchain_env(),
            folder: std::env::temp_dir(),
        }
    }

    #[tokio::test]
    async fn nothing_is_run_and_the_system_is_named_with_what_to_do() {
        let runner = SandboxRunner::new("collie".into());
        let policy = SandboxPolicy::default();
        let refused = runner.program(&policy, command("exit 0"), None).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused, SandboxError::UnsupportedSystem("windows"));
        let told = UserError::from(refused);
        assert_eq!(told.code, ErrorCode::SandboxUnsupported);
        assert_eq!(told.hints, [ErrorHint::Unsandboxed]);
    }

    async fn run(script: &str, timeout: Duration) -> (ProcessOutcome, String) {
        let trust = UnsandboxedTrust::by_the_users_setting(true);
        let runner = SandboxRunner::new("collie".into());
        let policy = SandboxPolicy::default();
        let placed = runner.program(&policy, command(script), trust).await;
        let child = placed.unwrap().spawn(Stdin::Piped).await.unwrap();
        let said = Mutex::new(Vec::new());
        let hear = |bytes: &[u8]| said.lock().unwrap().extend_from_slice(bytes);
        let end = child
            .run(timeout, &CancellationToken::new(), &hear, &|_| ())
            .await
            .unwrap();
        let said = said.into_inner().unwrap();
        (
            end.outcome,
            String::from_utf8_lossy(&said).trim().to_owned(),
        )
    }

    #[tokio::test]
    async fn what_the_user_trusts_without_walls_runs_and_ends_with_all_that_it_started() {
        let minute = Duration::from_secs(60);
        let (outcome, said) = run("echo begun& exit 3", minute).await;
        assert_eq!(
            (outcome, said.as_str()),
            (ProcessOutcome::Exited(Some(3)), "begun")
        );
        // What is left would hold the output open for longer than is waited for.
        let (outcome, said) = run("start /B cmd /C set /p x= & echo begun", minute).await;
        assert_eq!(
            (outcome, said.as_str()),
            (ProcessOutcome::Exited(Some(0)), "begun")
        );
        let (outcome, _) = run("set /p x=", Duration::from_millis(300)).await;
        assert_eq!(outcome, ProcessOutcome::TimedOut);
    }
}

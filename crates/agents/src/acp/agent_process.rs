//! An agent's process: its start, its pipes, its end.

use super::agent_home::LentLogins;
use super::failure::AgentFailure;
use super::output_tail::OutputTail;
use super::placement::place_agent;
use super::program_lookup::find_program;
use super::turn::TurnRequest;
use collie_platform::{StdinHold, hold_stdin};
use collie_sandbox::{SandboxError, SandboxedChild, Stdin};
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// How long an agent may take to go once it was asked to.
const TERM_TIMEOUT: Duration = Duration::from_secs(2);
/// How long what was killed may take to be gone.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long the error output of a process that is gone is still read.
const STDERR_DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// A running agent. Dropped, it is killed with all that it started, and its temporary files go.
pub(super) struct RunningAgent {
    pub(super) child: SandboxedChild,
    /// The end of its error output.
    pub(super) stderr_tail: OutputTail,
    stderr_task: AbortOnDropHandle<()>,
    // The agent's input stays open for as long as this is there, also when the conversation is over.
    stdin_guard: Option<StdinHold>,
    logins: LentLogins,
    temp_dir: TempDir,
}

/// Its two ends of the conversation.
pub(super) struct AgentPipes {
    /// What it reads.
    pub(super) stdin: ChildStdin,
    /// What it writes.
    pub(super) stdout: ChildStdout,
}

/// Starts an agent in its folder.
pub(super) async fn spawn_agent(
    turn: &TurnRequest,
) -> Result<(RunningAgent, AgentPipes), AgentFailure> {
    let program = find_program(&turn.spec, &turn.env)?;
    let not_started = |reason: String| AgentFailure::NotStarted {
        agent: turn.spec.name.clone(),
        program: turn.spec.command.first().cloned().unwrap_or_default(),
        reason,
    };
    if !turn.cwd.is_dir() {
        let gone = io::Error::from(io::ErrorKind::NotFound);
        return Err(not_started(format!("{}: {gone}", turn.cwd.display())));
    }
    let temp_dir = tempfile::Builder::new()
        .prefix("collie-agent-")
        .tempdir()
        .map_err(|error| not_started(error.to_string()))?;
    let (placed, logins) = place_agent(turn, &program, temp_dir.path()).await?;
    let started = placed.spawn(Stdin::Piped).await;
    let mut child = started.map_err(|error| match error {
        SandboxError::NotStarted { message, .. } => not_started(message),
        error => not_started(error.to_string()),
    })?;
    let (stdin, stdout, stderr) =
        take_pipes(&mut child).ok_or_else(|| not_started("no pipes".into()))?;
    let (stdin, input) = hold_stdin(stdin).map_err(|error| not_started(error.to_string()))?;
    let stderr_tail = OutputTail::default();
    let drain = AbortOnDropHandle::new(tokio::spawn(stderr_tail.clone().drain(stderr)));
    Ok((
        RunningAgent {
            child,
            stderr_tail,
            stderr_task: drain,
            stdin_guard: Some(input),
            logins,
            temp_dir,
        },
        AgentPipes { stdin, stdout },
    ))
}

fn take_pipes(child: &mut SandboxedChild) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
    Some((child.stdin()?, child.stdout()?, child.stderr()?))
}

impl RunningAgent {
    /// Its folder for temporary files.
    pub(super) fn temp_path(&self) -> &Path {
        self.temp_dir.path()
    }

    /// Ends it and all that it started; it may go by itself first. Tells how it ended, if it did so by itself.
    pub(super) async fn end(mut self, exit_timeout: Duration) -> Option<ExitStatus> {
        // Upon this a good agent goes.
        self.stdin_guard = None;
        let by_itself = timeout(exit_timeout, self.child.wait()).await;
        let by_itself = by_itself.ok().and_then(Result::ok);
        if by_itself.is_none() {
            self.child.terminate().await;
            if timeout(TERM_TIMEOUT, self.child.wait()).await.is_err() {
                self.child.kill().await;
                if timeout(KILL_TIMEOUT, self.child.wait()).await.is_err() {
                    tracing::warn!("processes of an agent did not end although they were killed");
                }
            }
        }
        // Its last words may still be in the pipe.
        let _ = timeout(STDERR_DRAIN_TIMEOUT, self.stderr_task).await;
        self.logins.give_back();
        by_itself
    }
}

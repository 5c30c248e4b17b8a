//! An agent's process: its start, its pipes, its end.

use super::environment::{self, EnvVars};
use super::failure::AgentFailure;
use super::output_tail::OutputTail;
use super::policy::AgentRole;
use super::process_tree::{self, ProcessTree};
use super::program_lookup::find_program;
use super::spec::AgentSpec;
use nix::unistd::Pid;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// How long the error output of a process that is gone is still read.
const STDERR_DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// A running agent. Dropped, it is killed with all that it started, and its temporary files go.
pub(super) struct RunningAgent {
    // First, so that the tree is killed while its leader still stands.
    process_tree: ProcessTree,
    /// The group's leader.
    pub(super) child: Child,
    /// The end of its error output.
    pub(super) stderr_tail: OutputTail,
    stderr_task: AbortOnDropHandle<()>,
    // The agent's input stays open for as long as this is there, also when the conversation is over.
    stdin_guard: Option<OwnedFd>,
    temp_dir: TempDir,
}

/// Its two ends of the conversation.
pub(super) struct AgentPipes {
    /// What it reads.
    pub(super) stdin: ChildStdin,
    /// What it writes.
    pub(super) stdout: ChildStdout,
}

/// Starts an agent, or with `args` its program with other arguments.
pub(super) fn spawn_agent(
    spec: &AgentSpec,
    args: &[String],
    role: AgentRole,
    env: &EnvVars,
    cwd: &Path,
) -> Result<(RunningAgent, AgentPipes), AgentFailure> {
    let program = find_program(spec, env)?;
    let not_started = |reason: String| AgentFailure::NotStarted {
        agent: spec.name.clone(),
        program: spec.command.first().cloned().unwrap_or_default(),
        reason,
    };
    if !cwd.is_dir() {
        return Err(not_started(format!(
            "{}: {}",
            cwd.display(),
            std::io::Error::from(std::io::ErrorKind::NotFound)
        )));
    }
    let temp = tempfile::Builder::new()
        .prefix("collie-agent-")
        .tempdir()
        .map_err(|e| not_started(e.to_string()))?;
    let mark = process_tree::new_mark();
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(environment::agent_env(spec, role, env, temp.path(), &mark))
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|e| not_started(e.to_string()))?;
    let leader = child.id().and_then(|id| i32::try_from(id).ok());
    let leader = leader.ok_or_else(|| not_started("exited at once".into()))?;
    let group = ProcessTree::new(Pid::from_raw(leader), mark);
    let (stdin, stdout, stderr) =
        take_pipes(&mut child).ok_or_else(|| not_started("no pipes".into()))?;
    let (stdin, input) = duplicate_stdin(stdin).map_err(|e| not_started(e.to_string()))?;
    let tail = OutputTail::default();
    let drain = AbortOnDropHandle::new(tokio::spawn(tail.clone().drain(stderr)));
    Ok((
        RunningAgent {
            process_tree: group,
            child,
            stderr_tail: tail,
            stderr_task: drain,
            stdin_guard: Some(input),
            temp_dir: temp,
        },
        AgentPipes { stdin, stdout },
    ))
}

fn take_pipes(child: &mut Child) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
    Some((
        child.stdin.take()?,
        child.stdout.take()?,
        child.stderr.take()?,
    ))
}

/// A pipe, and a second hold on it.
fn duplicate_stdin(stdin: ChildStdin) -> io::Result<(ChildStdin, OwnedFd)> {
    let fd = stdin.into_owned_fd()?;
    let second = fd.try_clone()?;
    let stdin = ChildStdin::from_std(std::process::ChildStdin::from(fd))?;
    Ok((stdin, second))
}

impl RunningAgent {
    /// Its folder for temporary files.
    pub(super) fn temp_path(&self) -> &Path {
        self.temp_dir.path()
    }

    /// Closes its input, upon which a good agent goes. What it started so far is known from then on.
    pub(super) fn close_input(&mut self) {
        self.process_tree.remember_processes();
        self.stdin_guard = None;
    }

    /// Ends it and all that it started; it may go by itself first. Tells how it ended, if it did so by itself.
    pub(super) async fn end(mut self, exit_timeout: Duration) -> Option<ExitStatus> {
        self.close_input();
        let Self {
            process_tree: group,
            mut child,
            stderr_tail: _,
            stderr_task: drain,
            stdin_guard: _,
            temp_dir: _temp,
        } = self;
        let by_itself = group.end(&mut child, exit_timeout).await;
        // Its last words may still be in the pipe.
        let _ = timeout(STDERR_DRAIN_TIMEOUT, drain).await;
        by_itself
    }
}

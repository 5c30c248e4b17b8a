//! An agent's process: its start, its pipes, its end.

use super::environment::{self, Outside};
use super::failure::AgentFailure;
use super::find::program;
use super::group::{self, Group};
use super::policy::Role;
use super::spec::AgentSpec;
use super::tail::Tail;
use nix::unistd::Pid;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// How long the error output of a process that is gone is still read.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A running agent. Dropped, it is killed with all that it started, and its temporary files go.
pub(super) struct Running {
    // First, so that the tree is killed while its leader still stands.
    group: Group,
    /// The group's leader.
    pub(super) child: Child,
    /// The end of its error output.
    pub(super) tail: Tail,
    drain: AbortOnDropHandle<()>,
    // The agent's input stays open for as long as this is there, also when the conversation is over.
    input: Option<OwnedFd>,
    temp: TempDir,
}

/// Its two ends of the conversation.
pub(super) struct Pipes {
    /// What it reads.
    pub(super) stdin: ChildStdin,
    /// What it writes.
    pub(super) stdout: ChildStdout,
}

/// Starts an agent, or with `args` its program with other arguments.
pub(super) fn start(
    spec: &AgentSpec,
    args: &[String],
    role: Role,
    outside: &Outside,
    cwd: &Path,
) -> Result<(Running, Pipes), AgentFailure> {
    let program = program(spec, outside)?;
    let failed = |reason: String| AgentFailure::NotStarted {
        agent: spec.name.clone(),
        program: spec.command.first().cloned().unwrap_or_default(),
        reason,
    };
    if !cwd.is_dir() {
        return Err(failed(
            "the folder that it should work in is not there; try again, and it is made anew".into(),
        ));
    }
    let temp = tempfile::Builder::new()
        .prefix("collie-agent-")
        .tempdir()
        .map_err(|e| failed(e.to_string()))?;
    let mark = group::mark();
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(environment::of_agent(
            spec,
            role,
            outside,
            temp.path(),
            &mark,
        ))
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .map_err(|e| failed(format!("{e}; check that it runs in a terminal")))?;
    let leader = child.id().and_then(|id| i32::try_from(id).ok());
    let leader = leader.ok_or_else(|| failed("it ended at once".into()))?;
    let group = Group::new(Pid::from_raw(leader), mark);
    let pipes = child
        .stdin
        .take()
        .zip(child.stdout.take())
        .zip(child.stderr.take());
    let ((stdin, stdout), stderr) =
        pipes.ok_or_else(|| failed("the system gave it no pipes".into()))?;
    let (stdin, input) = doubled(stdin).map_err(|e| failed(e.to_string()))?;
    let tail = Tail::default();
    let drain = AbortOnDropHandle::new(tokio::spawn(tail.clone().drain(stderr)));
    Ok((
        Running {
            group,
            child,
            tail,
            drain,
            input: Some(input),
            temp,
        },
        Pipes { stdin, stdout },
    ))
}

/// A pipe, and a second hold on it.
fn doubled(stdin: ChildStdin) -> io::Result<(ChildStdin, OwnedFd)> {
    let fd = stdin.into_owned_fd()?;
    let second = fd.try_clone()?;
    let stdin = ChildStdin::from_std(std::process::ChildStdin::from(fd))?;
    Ok((stdin, second))
}

impl Running {
    /// Its folder for temporary files.
    pub(super) fn temp(&self) -> &Path {
        self.temp.path()
    }

    /// Closes its input, upon which a good agent goes. What it started so far is known from then on.
    pub(super) fn close_input(&mut self) {
        self.group.record();
        self.input = None;
    }

    /// Ends it and all that it started; it may go by itself first. Tells how it ended, if it did so by itself.
    pub(super) async fn end(mut self, patience: Duration) -> Option<ExitStatus> {
        self.close_input();
        let Self {
            group,
            mut child,
            tail: _,
            drain,
            input: _,
            temp: _temp,
        } = self;
        let by_itself = group.end(&mut child, patience).await;
        // Its last words may still be in the pipe.
        let _ = timeout(LAST_WORDS, drain).await;
        by_itself
    }
}

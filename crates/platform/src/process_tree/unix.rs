//! A tree is a process group.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Runs its arguments but the first, which is the file they read, and kills the whole group when the other end of its input closes: an
/// engine that is killed leaves no orphan behind (§10.4). Descriptor 4 is for whoever it runs.
const KILL_ON_CLOSE_SCRIPT: &str = r#"exec 3<&0
{ read -r _ <&3; kill -9 0; } >/dev/null 2>&1 4<&- &
watch=$!
input=$1
shift
"$@" <"$input" 3<&-
code=$?
kill -9 $watch
wait $watch 2>/dev/null
exit $code"#;

/// A child that leads a group.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Option<Pid>,
    child: Child,
}

impl Tree {
    pub(super) fn spawn(mut command: Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        Ok(Self {
            leader: leader.map(Pid::from_raw),
            child,
        })
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    pub(super) fn terminate(&mut self) {
        self.signal(Signal::SIGTERM);
    }

    pub(super) fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // The group may be gone already, and that is what is wanted.
            let _ = killpg(leader, signal);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(super) fn tethered(program: &Path, input: Option<&Path>) -> Command {
    let mut sh = Command::new("/bin/sh");
    sh.args(["-c", KILL_ON_CLOSE_SCRIPT, "collie"])
        .arg(input.unwrap_or(Path::new("/dev/null")))
        .arg(program)
        .stdin(Stdio::piped());
    sh
}

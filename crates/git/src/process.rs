//! Runs a child process in a group of its own, with a deadline, and leaves nothing of it behind.

use crate::credential_channel::GitsEnd;
use collie_platform::{ProcessTree, find_program, tethered};
use collie_sandbox::ProcessOutcome;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long a child that was asked to stop may take (§10.5).
const TERMINATION_GRACE: Duration = Duration::from_secs(5);
/// How long output is still read once the child is gone.
const OUTPUT_DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// What a child reads.
pub(crate) enum ProcessInput {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing; and it dies with this process.
    KillOnClose,
    /// This file; and it dies with this process.
    FileKillOnClose(PathBuf),
}

/// What to run.
pub(crate) struct ProcessSpec {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    pub(crate) stdin: ProcessInput,
    pub(crate) timeout: Duration,
    /// Git's end of what its credential comes through.
    pub(crate) credential: Option<GitsEnd>,
}

/// The last bytes of an output that may be of any length.
pub(crate) struct OutputTail {
    bytes: Vec<u8>,
    max_bytes: usize,
}

impl OutputTail {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            bytes: Vec::new(),
            max_bytes,
        }
    }

    pub(crate) fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        if self.bytes.len() > self.max_bytes * 2 {
            self.truncate();
        }
    }

    fn truncate(&mut self) {
        let surplus = self.bytes.len().saturating_sub(self.max_bytes);
        self.bytes.drain(..surplus);
    }

    pub(crate) fn into_text(mut self) -> String {
        self.truncate();
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Runs a job to its end. Both outputs go to their sinks as they come.
pub(crate) async fn run_to_end(
    spec: ProcessSpec,
    cancel: Option<&CancellationToken>,
    out: &mut (dyn FnMut(&[u8]) + Send),
    err: &mut (dyn FnMut(&[u8]) + Send),
) -> io::Result<ProcessOutcome> {
    let mut spec = spec;
    let credential = spec.credential.take();
    let mut child = spawn(&spec, credential)?;
    let stdin = child.stdin();
    let (stdout, stderr) = (child.stdout(), child.stderr());

    // A tether is held, unwritten, until the child has ended.
    let (feed, held_stdin) = match &spec.stdin {
        ProcessInput::Bytes(bytes) => (stdin.map(|pipe| (pipe, bytes.as_slice())), None),
        ProcessInput::KillOnClose | ProcessInput::FileKillOnClose(_) => (None, stdin),
    };
    let mut pipes = pin!(async {
        tokio::join!(write(feed), read(stdout, out), read(stderr, err));
    });
    let mut piping = true;
    let mut stop = pin!(async {
        tokio::select! {
            () = tokio::time::sleep(spec.timeout) => ProcessOutcome::TimedOut,
            () = cancelled(cancel) => ProcessOutcome::Cancelled,
        }
    });
    let end = loop {
        tokio::select! {
            status = child.wait() => break ProcessOutcome::Exited(status?.code()),
            () = &mut pipes, if piping => piping = false,
            why = &mut stop => {
                child.terminate();
                // The outcome is known; how the child took it does not matter.
                let _ = tokio::time::timeout(TERMINATION_GRACE, child.wait()).await;
                break why;
            }
        }
    };
    drop(child);
    drop(held_stdin);
    if piping {
        // Only a descendant that left the group can still hold the pipes open; it is not waited for.
        let _ = tokio::time::timeout(OUTPUT_DRAIN_TIMEOUT, pipes).await;
    }
    Ok(end)
}

/// A child that is asked again and again. It is killed with its group when this is dropped, and ends by itself when its input closes, as
/// it does when this process is killed.
pub(crate) struct InteractiveProcess {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: BufReader<ChildStdout>,
    /// Gives the end of what it said on its error output, once that is closed.
    stderr: JoinHandle<OutputTail>,
    child: ProcessTree,
}

impl InteractiveProcess {
    /// Starts it; what the job says of its input and its time limit does not count.
    pub(crate) fn start(mut spec: ProcessSpec, max_stderr: usize) -> io::Result<Self> {
        spec.stdin = ProcessInput::Bytes(Vec::new());
        let credential = spec.credential.take();
        let mut child = spawn(&spec, credential)?;
        let no_pipe = || io::Error::other("the child has no pipes");
        let stdin = child.stdin().ok_or_else(no_pipe)?;
        let stdout = child.stdout().ok_or_else(no_pipe)?;
        let stderr = child.stderr();
        Ok(Self {
            stdin,
            stdout: BufReader::with_capacity(64 * 1024, stdout),
            stderr: tokio::spawn(async move {
                let mut tail = OutputTail::new(max_stderr);
                read(stderr, &mut |bytes| tail.push(bytes)).await;
                tail
            }),
            child,
        })
    }

    /// Ends it, and says what it had to say; it is gone when this returns.
    pub(crate) async fn end(mut self) -> String {
        self.child.kill();
        // What cannot be waited for is gone already.
        let _ = self.child.wait().await;
        match tokio::time::timeout(OUTPUT_DRAIN_TIMEOUT, self.stderr).await {
            Ok(Ok(tail)) => tail.into_text(),
            Ok(Err(_)) | Err(_) => String::new(),
        }
    }
}

/// Starts it, and hands it its end of what its credential comes through. With the command goes our copy of that.
fn spawn(spec: &ProcessSpec, credential: Option<GitsEnd>) -> io::Result<ProcessTree> {
    let command = build_command(spec)?;
    match credential {
        Some(gits_end) => gits_end.spawn(command),
        None => ProcessTree::spawn(command),
    }
}

fn build_command(spec: &ProcessSpec) -> io::Result<Command> {
    let program = find(spec)?;
    let mut command = match &spec.stdin {
        ProcessInput::Bytes(_) => {
            let mut command = Command::new(&program);
            command.stdin(Stdio::piped());
            command
        }
        ProcessInput::KillOnClose => tethered(&program, None)?,
        ProcessInput::FileKillOnClose(path) => tethered(&program, Some(path))?,
    };
    command
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    Ok(command)
}

/// The program itself, so that the system starts it without a copy of this process first, and none that a checkout holds.
fn find(spec: &ProcessSpec) -> io::Result<PathBuf> {
    let path = spec.env.iter().rfind(|(name, _)| name == "PATH");
    let path = path.map(|(_, path)| path.as_os_str());
    let found = find_program(&spec.program, path.unwrap_or_default());
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

async fn cancelled(cancel: Option<&CancellationToken>) {
    match cancel {
        Some(cancel) => cancel.cancelled().await,
        None => std::future::pending().await,
    }
}

async fn write(feed: Option<(tokio::process::ChildStdin, &[u8])>) {
    if let Some((mut pipe, bytes)) = feed {
        // A child that ends before it has read everything says why by its exit code.
        let _ = pipe.write_all(bytes).await;
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, sink: &mut (dyn FnMut(&[u8]) + Send)) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = vec![0; 64 * 1024];
    // A pipe that cannot be read any more is at its end.
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        sink(&chunk[..count]);
    }
}

// A shell of Unix stands in for git.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell_spec(script: &str, limit: Duration) -> ProcessSpec {
        ProcessSpec {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
            folder: std::env::temp_dir(),
            stdin: ProcessInput::KillOnClose,
            timeout: limit,
            credential: None,
        }
    }

    async fn check(
        spec: ProcessSpec,
        cancel: Option<&CancellationToken>,
    ) -> (ProcessOutcome, String) {
        let mut out = OutputTail::new(1000);
        let end = run_to_end(spec, cancel, &mut |bytes| out.push(bytes), &mut |_| ())
            .await
            .unwrap();
        (end, out.into_text())
    }

    fn is_alive(pid: &str) -> bool {
        let pid = nix::unistd::Pid::from_raw(pid.trim().parse().unwrap());
        nix::sys::signal::kill(pid, None).is_ok()
    }

    async fn wait_until_gone(pid: &str) {
        for _ in 0..500 {
            if !is_alive(pid) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("process {pid} outlived its job");
    }

    #[tokio::test]
    async fn a_program_that_a_checkout_holds_is_not_run_in_place_of_ones_own() {
        let checkout = tempfile::tempdir().unwrap();
        std::fs::copy("/bin/true", checkout.path().join("sh")).unwrap();
        for stdin in [ProcessInput::KillOnClose, ProcessInput::Bytes(Vec::new())] {
            let mut spec = shell_spec("exit 7", Duration::from_secs(60));
            let path = spec.env[0].1.clone();
            spec.env[0].1 = [".:".into(), path].into_iter().collect();
            spec.folder = checkout.path().to_owned();
            spec.stdin = stdin;
            let end = run_to_end(spec, None, &mut |_| (), &mut |_| ()).await;
            assert!(
                matches!(end, Ok(ProcessOutcome::Exited(Some(7)))),
                "{end:?}"
            );
        }
        let mut spec = shell_spec("exit 7", Duration::from_secs(60));
        spec.env[0].1 = ".".into();
        spec.folder = checkout.path().to_owned();
        let end = run_to_end(spec, None, &mut |_| (), &mut |_| ()).await;
        assert_eq!(end.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn exit_code_and_output_come_back_and_input_is_empty() {
        let (end, out) = check(
            shell_spec("cat; echo hello; exit 3", Duration::from_secs(20)),
            None,
        )
        .await;
        assert_eq!(
            (end, out.as_str()),
            (ProcessOutcome::Exited(Some(3)), "hello\n")
        );
    }

    #[tokio::test]
    async fn what_a_job_leaves_in_the_background_is_killed_with_it() {
        let (end, out) = check(
            shell_spec("sleep 300 & echo $!", Duration::from_secs(20)),
            None,
        )
        .await;
        assert_eq!(end, ProcessOutcome::Exited(Some(0)));
        wait_until_gone(&out).await;
    }

    #[tokio::test]
    async fn a_job_that_takes_too_long_is_stopped_with_its_children() {
        let spec = shell_spec("sleep 300 & echo $!; wait", Duration::from_millis(300));
        let (end, out) = check(spec, None).await;
        assert_eq!(end, ProcessOutcome::TimedOut);
        wait_until_gone(&out).await;
    }

    #[tokio::test]
    async fn a_cancelled_job_is_stopped() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(
            check(
                shell_spec("sleep 300", Duration::from_secs(20)),
                Some(&cancel)
            )
            .await
            .0,
            ProcessOutcome::Cancelled
        );
    }

    #[tokio::test]
    async fn a_job_does_not_outlive_the_process_that_started_it() {
        let mut spec = shell_spec("sleep 300 & echo $!; wait", Duration::from_secs(20));
        spec.env.push(("LC_ALL".into(), "C".into()));
        let mut child = build_command(&spec)
            .unwrap()
            .process_group(0)
            .kill_on_drop(false)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = tokio::io::BufReader::new(child.stdout.take().unwrap());
        tokio::io::AsyncBufReadExt::read_line(&mut out, &mut line)
            .await
            .unwrap();
        // What the system does with the pipes of a process that is killed.
        drop(child.stdin.take());
        wait_until_gone(&line).await;
        assert!(!child.wait().await.unwrap().success());
    }

    #[test]
    fn a_tail_keeps_the_end() {
        let mut tail = OutputTail::new(4);
        for part in ["abc", "defgh", "ij"] {
            tail.push(part.as_bytes());
        }
        assert_eq!(tail.into_text(), "ghij");
    }
}

//! Waits for a program to end, with a deadline, while its outputs are read.

use crate::disk_usage::DiskStop;
use crate::refused_hosts::{RefusedHost, RefusedHosts};
use crate::sandbox::SandboxedChild;
use std::io;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;

/// How long a program that was asked to stop may take (§10.5).
const TERMINATION_GRACE: Duration = Duration::from_secs(5);
/// How long output is still read once the program is gone.
const OUTPUT_DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessOutcome {
    /// By itself; none when by a signal.
    Exited(Option<i32>),
    /// Stopped, since it took too long.
    TimedOut,
    /// Stopped, since nobody waits for it any more.
    Cancelled,
}

/// What a program left behind.
#[derive(Debug)]
pub struct SandboxedEnd {
    /// How it ended.
    pub outcome: ProcessOutcome,
    /// Why it was ended, if it filled the disk.
    pub disk_stop: Option<DiskStop>,
    /// `host:port` of those that it wanted to reach and may not.
    pub refused_hosts: Vec<String>,
}

impl SandboxedChild {
    /// Waits for its end. Each output goes to its sink as it comes; what it started ends with it.
    ///
    /// # Errors
    /// The system could not tell how it ended.
    pub async fn run(
        mut self,
        timeout: Duration,
        cancel: &CancellationToken,
        out: &(dyn Fn(&[u8]) + Sync),
        err: &(dyn Fn(&[u8]) + Sync),
    ) -> io::Result<SandboxedEnd> {
        let refused = self.refused_hosts();
        let (stdout, stderr) = (self.stdout(), self.stderr());
        let mut pipes = pin!(async {
            tokio::join!(read(stdout, out), read(stderr, err));
        });
        let mut piping = true;
        let mut stop = pin!(async {
            tokio::select! {
                () = tokio::time::sleep(timeout) => ProcessOutcome::TimedOut,
                () = cancel.cancelled() => ProcessOutcome::Cancelled,
            }
        });
        let outcome = loop {
            tokio::select! {
                status = self.wait() => break ProcessOutcome::Exited(status?.code()),
                () = &mut pipes, if piping => piping = false,
                why = &mut stop => {
                    self.terminate().await;
                    // The outcome is known; how it took that does not matter.
                    let _ = tokio::time::timeout(TERMINATION_GRACE, self.wait()).await;
                    break why;
                }
            }
        };
        let disk_stop = self.disk_stop();
        drop(self);
        if piping {
            // Only without a sandbox can something be left that holds the pipes open; it is not waited for.
            let _ = tokio::time::timeout(OUTPUT_DRAIN_TIMEOUT, pipes).await;
        }
        Ok(SandboxedEnd {
            outcome,
            disk_stop,
            refused_hosts: collect_hosts(refused).await,
        })
    }
}

/// Every host that was refused to a program that is gone.
async fn collect_hosts(refused: Option<RefusedHosts>) -> Vec<String> {
    let mut hosts = Vec::new();
    let Some(mut refused) = refused else {
        return hosts;
    };
    let all = async {
        while let Some(RefusedHost { host, port }) = refused.next().await {
            hosts.push(format!("{host}:{port}"));
        }
    };
    // The proxy ends with the program; what it has said until then is enough.
    let _ = tokio::time::timeout(OUTPUT_DRAIN_TIMEOUT, all).await;
    hosts
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, sink: &(dyn Fn(&[u8]) + Sync)) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = vec![0; 64 * 1024];
    // A pipe that cannot be read any more is at its end.
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        sink(&chunk[..count]);
    }
}

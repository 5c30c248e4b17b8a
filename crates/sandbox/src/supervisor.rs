//! The first program inside: it puts up what only the inside can (Landlock, system calls, limits), starts the one that was asked for, and takes
//! everything with it when that one, or Collie, ends. With it dies the process namespace, and nothing leaves that.

use crate::inner_walls::{self, InnerWallError};
use crate::policy::Limits;
use crate::processes::kill_descendants;
use crate::relay::{self, RelayConfig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

/// The first argument that makes a program the supervisor.
pub(crate) const SUPERVISOR_FLAG: &str = "--sandbox-supervisor";

/// Sent to Collie once every wall stands and the program has started behind them.
pub(crate) const READY: &[u8] = b"ready\n";
/// Sent to Collie instead, as long, where the kernel has no Landlock; nothing is started then.
pub(crate) const NO_LANDLOCK: &[u8] = b"nolsm\n";
/// Sent by Collie: end the program gently.
pub(crate) const TERMINATE: u8 = b't';

/// The exit status when the supervisor itself fails.
const FAILED: i32 = 125;
/// The exit status when Collie is gone, or wants it to end: as by `SIGKILL`.
const KILLED: i32 = 128 + 9;

/// Every process of the group that this one is in.
const OWN_GROUP: Pid = Pid::from_raw(0);

/// What the supervisor is told, as JSON in its second argument.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SupervisorConfig {
    /// The socket to Collie.
    pub(crate) control: PathBuf,
    /// What it puts up; nothing where the user wants no sandbox.
    pub(crate) walls: Option<InnerWalls>,
}

impl SupervisorConfig {
    /// A path that is no UTF-8 cannot be said in JSON; the supervisor then refuses what it is told, and nothing runs.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The walls that only the inside can put up.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InnerWalls {
    /// Folders that may be written to; everything else is only read.
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) limits: Limits,
    /// The way out; without one there is none.
    pub(crate) relay: Option<RelayConfig>,
}

/// Turns this process into a supervisor where its first argument says so, and ends it afterwards; returns at once otherwise.
/// Every program that starts sandboxes calls this first thing in `main`.
pub fn supervise_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(OsStr::new(SUPERVISOR_FLAG)) {
        return;
    }
    std::process::exit(match supervise(args) {
        Ok(status) => exit_code(status),
        Err(message) => {
            eprintln!("sandbox: {message}");
            FAILED
        }
    });
}

fn supervise(mut args: impl Iterator<Item = OsString>) -> Result<ExitStatus, String> {
    let config = args.next().unwrap_or_default();
    let config: SupervisorConfig = serde_json::from_str(&config.to_string_lossy())
        .map_err(|error| format!("its configuration cannot be read: {error}"))?;
    let program = args.next().ok_or("it is told no program")?;
    let mut control = UnixStream::connect(&config.control)
        .map_err(|error| format!("Collie cannot be reached: {error}"))?;
    if let Some(walls) = &config.walls {
        limit(walls.limits).map_err(|error| format!("limits cannot be set: {error}"))?;
        put_up(&walls.writable, &mut control)?;
    }
    let is_alone = config.walls.is_some();
    if !is_alone {
        adopt_orphans().map_err(|error| format!("its program cannot be followed: {error}"))?;
    }
    let mut command = Command::new(&program);
    command.args(args);
    if let Some(relay) = config.walls.and_then(|walls| walls.relay) {
        let address = relay::start(relay).map_err(|error| format!("no way out: {error}"))?;
        command.envs(relay::proxy_variables(address));
    }
    let mut child = command
        .spawn()
        .map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
    let said = control.write_all(READY);
    said.map_err(|error| format!("Collie cannot be reached: {error}"))?;
    let pid = i32::try_from(child.id()).map_err(|error| error.to_string())?;
    std::thread::spawn(move || follow(control, Pid::from_raw(pid)));
    let status = child
        .wait()
        .map_err(|error| format!("its program cannot be waited for: {error}"))?;
    if !is_alone {
        kill_descendants();
    }
    Ok(status)
}

/// Puts up the inner walls. That Landlock is missing, Collie is told by a word of its own.
fn put_up(writable: &[PathBuf], control: &mut UnixStream) -> Result<(), String> {
    inner_walls::put_up(writable).map_err(|error| match error {
        InnerWallError::NoLandlock => {
            // Where Collie is gone, nobody need know.
            let _ = control.write_all(NO_LANDLOCK);
            "the kernel has no Landlock".to_owned()
        }
        InnerWallError::Other(message) => message,
    })
}

/// Makes what loses its parent a child of this process: without a namespace nothing else holds it together.
fn adopt_orphans() -> nix::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

/// Does what Collie says until it says no more; then nothing is left to live for.
fn follow(mut control: UnixStream, program: Pid) {
    let mut byte = [0];
    while let Ok(1) = control.read(&mut byte) {
        if byte[0] == TERMINATE {
            // It may have ended by itself.
            let _ = kill(program, Signal::SIGTERM);
        }
    }
    // In a namespace this is more than is needed.
    kill_descendants();
    let _ = kill(OWN_GROUP, Signal::SIGKILL);
    std::process::exit(KILLED);
}

fn limit(limits: Limits) -> nix::Result<()> {
    let all = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_DATA, limits.memory_bytes),
        (Resource::RLIMIT_FSIZE, limits.file_bytes),
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        // On macOS it would count all processes of the user.
        #[cfg(target_os = "linux")]
        (Resource::RLIMIT_NPROC, limits.processes),
    ];
    for (resource, most) in all {
        let (_, hard) = nix::sys::resource::getrlimit(resource)?;
        let most = most.min(hard);
        setrlimit(resource, most, most)?;
    }
    Ok(())
}

fn exit_code(status: ExitStatus) -> i32 {
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).unwrap_or(FAILED)
}

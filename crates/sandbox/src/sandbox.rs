//! The sandbox of this machine, and programs that are run in it.

use crate::allowed_hosts::HostPattern;
use crate::bubblewrap::{SUPERVISOR, bubblewrap_args};
use crate::cgroup::{Cgroup, CgroupParent};
use crate::disk_usage::DiskStop;
use crate::disk_watch::DiskWatch;
use crate::error::SandboxError;
use crate::policy::SandboxPolicy;
use crate::program::{LimitsBy, Program, Stdin, UnsandboxedTrust};
use crate::proxy::Proxy;
use crate::refused_hosts::RefusedHosts;
use crate::relay::RelayConfig;
use crate::seatbelt::{self, SANDBOX_EXEC, SeatbeltView};
use crate::supervisor::{
    InnerWalls, NO_LANDLOCK, READY, SUPERVISOR_FLAG, SupervisorConfig, TERMINATE,
};
use crate::visible_folders::{VisibleFolders, visible_folders};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Where the socket to Collie stands inside.
const CONTROL: &str = "/run/collie/control";
/// How long putting up the walls may take.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long is waited for what a supervisor that has ended said before.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_secs(1);
/// How much of an error output is kept.
const MAX_MESSAGE_BYTES: u64 = 2_000;

/// The sandbox of this machine. That there is a value means that its walls were put up once and stood.
#[derive(Clone, Debug)]
pub struct Sandbox {
    backend: Backend,
    supervisor: PathBuf,
    cgroups: Option<CgroupParent>,
}

/// What puts the walls up, and where it is.
#[derive(Clone, Debug)]
enum Backend {
    /// `bwrap`, on Linux.
    Bubblewrap(PathBuf),
    /// `sandbox-exec`, on macOS.
    Seatbelt(PathBuf),
}

impl Backend {
    fn find(path: &OsStr) -> Result<Self, SandboxError> {
        match std::env::consts::OS {
            "linux" => std::env::split_paths(path)
                .map(|folder| folder.join("bwrap"))
                .find(|program| program.is_file())
                .map(Self::Bubblewrap)
                .ok_or(SandboxError::NoBubblewrap),
            "macos" => Ok(Self::Seatbelt(SANDBOX_EXEC.into())),
            other => Err(SandboxError::UnsupportedSystem(other)),
        }
    }
}

impl Sandbox {
    /// Looks for one, and runs a program that does nothing in it. `supervisor` is a program whose `main` begins with
    /// [`crate::supervise_if_asked`].
    ///
    /// # Errors
    /// What is missing, or in the way.
    pub async fn detect(supervisor: PathBuf) -> Result<Self, SandboxError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let sandbox = Self {
            backend: Backend::find(&path)?,
            supervisor,
            cgroups: CgroupParent::detect(),
        };
        let nothing = Program {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), ":".into()],
            env: vec![("PATH".into(), path)],
            folder: "/".into(),
        };
        let policy = SandboxPolicy::default();
        let started = sandbox.program(&policy, nothing).spawn(Stdin::Empty).await;
        let refused = |message| SandboxError::Refused { message };
        match started {
            Ok(mut child) => match child.wait().await {
                Ok(status) if status.success() => Ok(sandbox),
                Ok(status) => Err(refused(format!("a first program ended with {status}"))),
                Err(error) => Err(refused(error.to_string())),
            },
            Err(SandboxError::NotStarted { message, .. }) => Err(refused(message)),
            Err(error) => Err(error),
        }
    }

    /// What holds the limits on memory and processes here.
    pub fn limits_by(&self) -> LimitsBy {
        match self.cgroups {
            Some(_) => LimitsBy::ControlGroup,
            None => LimitsBy::Process,
        }
    }

    /// Whether its walls have been tried by nobody yet: those of macOS.
    pub fn is_untried(&self) -> bool {
        matches!(self.backend, Backend::Seatbelt(_))
    }

    /// Puts a program behind the walls.
    pub fn program(&self, policy: &SandboxPolicy, program: Program) -> Sandboxed {
        Sandboxed {
            supervisor: self.supervisor.clone(),
            walls: Some(Walls {
                backend: self.backend.clone(),
                policy: policy.clone(),
                cgroups: self.cgroups.clone(),
            }),
            program,
        }
    }
}

/// A program of a pull request, ready to be run: in the sandbox, or without one where the user said so. There is no other way to one.
#[derive(Debug)]
pub struct Sandboxed {
    supervisor: PathBuf,
    walls: Option<Walls>,
    program: Program,
}

#[derive(Debug)]
struct Walls {
    backend: Backend,
    policy: SandboxPolicy,
    cgroups: Option<CgroupParent>,
}

impl Walls {
    /// A group for one program. Where it cannot be made, the limits of processes hold alone.
    fn cgroup(&self) -> Option<Cgroup> {
        let group = self.cgroups.as_ref()?.create(self.policy.limits);
        if let Err(error) = &group {
            tracing::debug!(%error, "no control group could be made");
        }
        group.ok()
    }
}

impl Sandboxed {
    /// A program that runs as the user, with all that they may do. It too ends with Collie, and its process group with it.
    pub fn without_walls(_trust: UnsandboxedTrust, supervisor: PathBuf, program: Program) -> Self {
        Self {
            supervisor,
            walls: None,
            program,
        }
    }

    /// Starts it; both outputs are piped. Everything that it starts ends with it, and with the value that is given back.
    ///
    /// # Errors
    /// [`SandboxError::NotStarted`]: nothing has run.
    pub async fn spawn(self, stdin: Stdin) -> Result<SandboxedChild, SandboxError> {
        let shown = self.program.program.to_string_lossy().into_owned();
        let not_started = |message: String| SandboxError::NotStarted {
            program: shown.clone(),
            message,
        };
        let from_io = |error: io::Error| not_started(error.to_string());
        let control = ControlSocket::new().map_err(from_io)?;
        let hosts = self
            .walls
            .as_ref()
            .map(|walls| walls.policy.hosts.as_slice());
        let proxy = hosts
            .filter(|hosts| !hosts.is_empty())
            .map(|hosts| control.serve_proxy(hosts))
            .transpose()
            .map_err(from_io)?;
        let cgroup = self.walls.as_ref().and_then(Walls::cgroup);
        let command = self.command(control.folder.path(), cgroup.as_ref());
        let mut command = command.map_err(from_io)?;
        command
            .stdin(match stdin {
                Stdin::Empty => Stdio::null(),
                Stdin::Piped => Stdio::piped(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(self.walls.is_some());
        let mut child = command.spawn().map_err(from_io)?;
        // Whoever waits for a child closes its input.
        let stdin = child.stdin.take();
        let ready = control.wait_until_ready(&mut child).await;
        let stream = ready.map_err(|error| match error {
            StartError::NoLandlock => SandboxError::NoLandlock,
            StartError::Words(message) => not_started(message),
        })?;
        let group = child.id().and_then(|id| i32::try_from(id).ok());
        let group = group.map(Pid::from_raw).filter(|_| self.walls.is_some());
        let policy = self.walls.as_ref().map(|walls| &walls.policy);
        let watch = policy.zip(group);
        Ok(SandboxedChild {
            child,
            stdin,
            control: stream,
            group,
            disk_stop: None,
            _cgroup: cgroup,
            disk_watch: watch.map(|(policy, group)| DiskWatch::start(policy, group)),
            // The listener goes, so that the program inside cannot call; the proxy's stays.
            proxy,
            _folder: control.folder,
        })
    }

    fn command(&self, control: &Path, cgroup: Option<&Cgroup>) -> io::Result<Command> {
        let Program {
            program,
            args,
            env,
            folder,
        } = &self.program;
        let mut command = match &self.walls {
            Some(walls) => match &walls.backend {
                Backend::Bubblewrap(bubblewrap) => {
                    self.in_bubblewrap(bubblewrap, &walls.policy, control, cgroup)
                }
                Backend::Seatbelt(seatbelt) => {
                    self.in_seatbelt(seatbelt, &walls.policy, control)?
                }
            },
            None => {
                let mut command = Command::new(&self.supervisor);
                let config = SupervisorConfig {
                    control: control.join(CONTROL_NAME),
                    walls: None,
                };
                command.arg(SUPERVISOR_FLAG).arg(config.to_json());
                command
            }
        };
        command
            .arg(program)
            .args(args)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .current_dir(folder);
        let backend = self.walls.as_ref().map(|walls| &walls.backend);
        if let Some(Backend::Seatbelt(_)) = backend {
            let scratch = control.join(SCRATCH_NAME);
            command
                .env("HOME", seatbelt::home_in(&scratch))
                .env("TMPDIR", seatbelt::temp_in(&scratch));
        }
        Ok(command)
    }

    /// What of this machine the program sees.
    fn visible(&self, home: &Path) -> VisibleFolders {
        visible_folders(home, |name| {
            let mut env = self.program.env.iter();
            let found = env.find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone())
        })
    }

    /// Behind the walls of macOS. There is one network for all: the program reaches the relay, and servers that are named, at their ports.
    fn in_seatbelt(
        &self,
        seatbelt: &Path,
        policy: &SandboxPolicy,
        control: &Path,
    ) -> io::Result<Command> {
        let users_home = home_of(&self.program.env);
        let shown = self.visible(&users_home).shown;
        let scratch = control.join(SCRATCH_NAME);
        seatbelt::furnish(&scratch, &users_home, &shown, policy.kept.as_ref())?;
        let relay = match policy.hosts.as_slice() {
            [] => None,
            _ => Some(RelayConfig {
                proxy: control.join(PROXY_NAME),
                port: free_port()?,
                loopback: BTreeMap::new(),
            }),
        };
        let sockets = [CONTROL_NAME, PROXY_NAME].map(|name| control.join(name));
        let profile = seatbelt::profile(&SeatbeltView {
            policy,
            shown: &shown,
            supervisor: &self.supervisor,
            scratch: &scratch,
            sockets: &sockets,
            relay_port: relay.as_ref().map(|relay| relay.port),
        });
        let config = SupervisorConfig {
            control: control.join(CONTROL_NAME),
            walls: Some(InnerWalls {
                writable: Vec::new(),
                limits: policy.limits,
                relay,
            }),
        };
        let mut command = Command::new(seatbelt);
        command
            .arg("-p")
            .arg(profile.map_err(io::Error::other)?)
            .arg(&self.supervisor)
            .arg(SUPERVISOR_FLAG)
            .arg(config.to_json());
        Ok(command)
    }

    fn in_bubblewrap(
        &self,
        bubblewrap: &Path,
        policy: &SandboxPolicy,
        control: &Path,
        cgroup: Option<&Cgroup>,
    ) -> Command {
        let Program { env, folder, .. } = &self.program;
        let home = home_of(env);
        let visible = self.visible(&home);
        let config = SupervisorConfig {
            control: Path::new(CONTROL).join(CONTROL_NAME),
            walls: Some(InnerWalls {
                writable: [policy.writable.as_slice(), std::slice::from_ref(&home)].concat(),
                limits: policy.limits,
                relay: (!policy.hosts.is_empty()).then(|| relay_config(&policy.hosts)),
            }),
        };
        let mut words = cgroup.map_or_else(Vec::new, |group| group.join_command().into());
        words.push(bubblewrap.into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
            .args(bubblewrap_args(
                policy,
                &visible,
                &home,
                folder,
                &self.supervisor,
            ))
            .arg("--ro-bind")
            .arg(control)
            .arg(CONTROL)
            .args(["--", SUPERVISOR, SUPERVISOR_FLAG])
            .arg(config.to_json());
        command
    }
}

fn relay_config(hosts: &[HostPattern]) -> RelayConfig {
    // A host may be named twice, by the user and by a variable.
    let loopback: BTreeMap<u16, String> = hosts
        .iter()
        .filter_map(|host| Some((host.loopback_port()?, host.to_string())))
        .collect();
    RelayConfig {
        proxy: Path::new(CONTROL).join(PROXY_NAME),
        port: 0,
        loopback,
    }
}

/// The home folder that a program is shown, empty.
fn home_of(env: &[(OsString, OsString)]) -> PathBuf {
    let home = env.iter().find(|(name, _)| name == "HOME");
    home.map(|(_, home)| PathBuf::from(home))
        .filter(|home| home.is_absolute() && home.components().count() > 1)
        .unwrap_or_else(|| "/home/collie".into())
}

const CONTROL_NAME: &str = "socket";
const PROXY_NAME: &str = "proxy";
const SCRATCH_NAME: &str = "own";

/// A port of this machine that nobody listens at.
fn free_port() -> io::Result<u16> {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

/// Where the supervisor calls. It listens until one has called, so that the program inside cannot.
struct ControlSocket {
    folder: TempDir,
    listener: UnixListener,
}

impl ControlSocket {
    fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("collie-").tempdir()?;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700))?;
        let listener = UnixListener::bind(folder.path().join(CONTROL_NAME))?;
        Ok(Self { folder, listener })
    }

    /// A proxy that listens beside this.
    fn serve_proxy(&self, hosts: &[HostPattern]) -> io::Result<Proxy> {
        let listener = UnixListener::bind(self.folder.path().join(PROXY_NAME))?;
        Ok(Proxy::serve(listener, hosts.to_vec()))
    }

    /// Waits until every wall stands. The answer on failure is what bubblewrap or the supervisor said.
    async fn wait_until_ready(&self, child: &mut Child) -> Result<UnixStream, StartError> {
        let mut ready = pin!(accept_ready(&self.listener));
        let ended = tokio::select! {
            answer = &mut ready => return answer,
            status = child.wait() => match status {
                Ok(status) => format!("it ended with {status}"),
                Err(error) => error.to_string(),
            },
            () = tokio::time::sleep(START_TIMEOUT) => format!("no answer after {} s", START_TIMEOUT.as_secs()),
        };
        // A program may be done before anybody saw that it could begin.
        if let Ok(answer) = tokio::time::timeout(LAST_WORDS_TIMEOUT, ready).await {
            return answer;
        }
        // Dead is what it should be; what it said before is what counts.
        let _ = child.start_kill();
        let mut words = Vec::new();
        if let Some(stderr) = child.stderr.take() {
            let mut stderr = stderr.take(MAX_MESSAGE_BYTES);
            let read = stderr.read_to_end(&mut words);
            // What there is by then is enough.
            let _ = tokio::time::timeout(LAST_WORDS_TIMEOUT, read).await;
        }
        let words = String::from_utf8_lossy(&words);
        match words.trim() {
            "" => Err(StartError::Words(ended)),
            words => Err(StartError::Words(words.replace('\n', "; "))),
        }
    }
}

/// Why a program was not started.
enum StartError {
    /// The kernel has no Landlock.
    NoLandlock,
    /// What bubblewrap or the supervisor said.
    Words(String),
}

/// The stream of a supervisor whose walls stand. One that breaks off has ended, or will: that is seen by its process.
async fn accept_ready(listener: &UnixListener) -> Result<UnixStream, StartError> {
    loop {
        let mut said = vec![0; READY.len()];
        match listener.accept().await {
            Ok((mut stream, _)) => {
                if stream.read_exact(&mut said).await.is_ok() {
                    if said == READY {
                        return Ok(stream);
                    }
                    if said == NO_LANDLOCK {
                        return Err(StartError::NoLandlock);
                    }
                }
            }
            Err(_) => tokio::time::sleep(LAST_WORDS_TIMEOUT).await,
        }
    }
}

/// A program that runs. Dropped, it is killed with all that it started.
#[derive(Debug)]
pub struct SandboxedChild {
    child: Child,
    stdin: Option<ChildStdin>,
    control: UnixStream,
    /// What is killed at once. Without walls the supervisor does it: only it knows what has left the group.
    group: Option<Pid>,
    disk_watch: Option<DiskWatch>,
    disk_stop: Option<DiskStop>,
    _cgroup: Option<Cgroup>,
    proxy: Option<Proxy>,
    /// What its sockets lie in, and on macOS its home.
    _folder: TempDir,
}

impl SandboxedChild {
    /// What it reads, where that is piped; once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// What it writes; once.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// What it complains of; once.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// The hosts that it wanted to reach and may not; once. None where it has no way out, or no walls.
    pub fn refused_hosts(&mut self) -> Option<RefusedHosts> {
        self.proxy.as_mut()?.refused_hosts()
    }

    /// Waits until it has ended. In the sandbox nothing of it is left then.
    ///
    /// # Errors
    /// The system's.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        // On macOS something of its group may be left. Its number may be another's from here on.
        self.kill_group();
        self.group = None;
        self.disk_stop = self.disk_stop();
        self.disk_watch = None;
        status
    }

    /// Why it was ended for what it wrote, if it was.
    pub fn disk_stop(&self) -> Option<DiskStop> {
        let watched = self.disk_watch.as_ref().and_then(DiskWatch::stop);
        self.disk_stop.or(watched)
    }

    /// Asks it to end.
    pub async fn terminate(&mut self) {
        // It may have ended, and that is what is wanted.
        let _ = self.control.write_all(&[TERMINATE]).await;
    }

    /// Kills it and all that it started; [`SandboxedChild::wait`] tells when they are gone.
    pub async fn kill(&mut self) {
        // The supervisor goes by the end of its socket.
        let _ = self.control.shutdown().await;
        self.kill_group();
    }

    fn kill_group(&self) {
        if let Some(group) = self.group {
            // It may be gone, and that is what is wanted.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

impl Drop for SandboxedChild {
    fn drop(&mut self) {
        // The supervisor goes by the end of its socket, and its process namespace with it; its group goes at once.
        self.kill_group();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use collie_core::error_code::{ErrorCode, ErrorHint};
    use collie_core::user_error::UserError;

    #[test]
    fn a_machine_without_bubblewrap_is_named_with_what_to_install() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Backend::find(folder.path().as_os_str()).unwrap_err();
        assert_eq!(missing, SandboxError::NoBubblewrap);
        let told = UserError::from(missing);
        assert_eq!(told.code, ErrorCode::SandboxMissing);
        assert_eq!(
            told.hints,
            [ErrorHint::InstallBubblewrap, ErrorHint::Unsandboxed]
        );
        // The control: once it is there, it is found, without a new start.
        std::fs::write(folder.path().join("bwrap"), "").unwrap();
        assert!(Backend::find(folder.path().as_os_str()).is_ok());
    }
}

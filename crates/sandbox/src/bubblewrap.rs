//! The walls as arguments of bubblewrap.

use crate::policy::SandboxPolicy;
use crate::visible_folders::VisibleFolders;
use std::ffi::OsString;
use std::path::Path;

/// Where the supervisor's program stands inside.
pub(crate) const SUPERVISOR: &str = "/run/collie/supervisor";

/// The arguments up to the program: its own processes, IPC, host name and network, an empty home, and of this machine only what is named.
///
/// The order matters: what comes later lies over what came before.
pub(crate) fn bubblewrap_args(
    policy: &SandboxPolicy,
    visible: &VisibleFolders,
    home: &Path,
    folder: &Path,
    supervisor: &Path,
) -> Vec<OsString> {
    let mut args = Args(Vec::new());
    args.flags(&[
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-net",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
        "--hostname",
        "sandbox",
        "--cap-drop",
        "ALL",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/run",
        "--dir",
        "/var",
    ]);
    for memory in [Path::new("/tmp"), Path::new("/var/tmp"), home] {
        args.flags(&["--size", &policy.limits.temp_bytes.to_string()]);
        args.paths("--tmpfs", &[memory]);
    }
    for (link, target) in &visible.links {
        args.paths("--symlink", &[target, link]);
    }
    for shown in visible.shown.iter().chain(&policy.readable) {
        args.paths("--ro-bind", &[shown, shown]);
    }
    for writable in &policy.writable {
        args.paths("--bind", &[writable, writable]);
    }
    if let Some(cache) = &policy.cache {
        args.paths("--bind", &[cache, &home.join(".cache")]);
    }
    args.paths("--ro-bind", &[supervisor, Path::new(SUPERVISOR)]);
    args.paths("--chdir", &[folder]);
    args.0
}

struct Args(Vec<OsString>);

impl Args {
    fn flags(&mut self, flags: &[&str]) {
        self.0.extend(flags.iter().map(OsString::from));
    }

    fn paths(&mut self, flag: &str, paths: &[&Path]) {
        self.0.push(flag.into());
        self.0.extend(paths.iter().map(OsString::from));
    }
}

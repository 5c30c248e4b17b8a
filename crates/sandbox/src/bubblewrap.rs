//! The walls as arguments of bubblewrap.

use crate::policy::{KeptFolders, SandboxPolicy};
use crate::visible_folders::VisibleFolders;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the supervisor's program stands inside.
pub(crate) const SUPERVISOR: &str = "/run/collie/supervisor";

/// Its own of everything that Linux can give one's own of, no capability, and nothing to see yet.
const OWN_NAMESPACES: [&str; 18] = [
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
    "--dir",
    "/var",
];

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
    args.flags(&OWN_NAMESPACES);
    for (link, target) in &visible.links {
        args.paths("--symlink", &[target, link]);
    }
    let memory = ["/tmp", "/var/tmp", "/run", "/dev/shm"].map(Path::new);
    let is_over = |shown: &&PathBuf| {
        let mut below = memory.iter().chain([&home]);
        below.any(|below| shown.starts_with(below))
    };
    let (over_own, of_system): (Vec<_>, Vec<_>) = visible.shown.iter().partition(is_over);
    for shown in of_system {
        args.paths("--ro-bind", &[shown, shown]);
    }
    // Over the system, since the home may lie in what is shown of it.
    for folder in memory {
        args.memory(folder, policy);
    }
    args.memory(home, policy);
    args.flags(&["--remount-ro", "/dev"]);
    for shown in over_own {
        args.paths("--ro-bind", &[shown, shown]);
    }
    for hidden in &policy.hidden {
        args.paths("--tmpfs", &[hidden]);
    }
    for readable in &policy.readable {
        args.paths("--ro-bind", &[readable, readable]);
    }
    for writable in &policy.writable {
        args.paths("--bind", &[writable, writable]);
    }
    // Last, so that no mount point is made in what a program has written to.
    for (folder, below_home) in policy.kept.iter().flat_map(KeptFolders::iter) {
        args.paths("--bind", &[&folder, &home.join(below_home)]);
    }
    // Nothing can be written around what is shown in them.
    for hidden in &policy.hidden {
        args.paths("--remount-ro", &[hidden]);
    }
    args.paths("--ro-bind", &[supervisor, Path::new(SUPERVISOR)]);
    args.paths("--chdir", &[folder]);
    args.0
}

/// The part of [`crate::Limits::temp_bytes`] that a folder in memory gets; all parts together are less than the whole.
fn share_of(folder: &Path) -> u64 {
    match folder.to_str() {
        Some("/tmp") => 2,
        Some("/var/tmp" | "/dev/shm") => 16,
        Some("/run") => 32,
        // The home.
        _ => 4,
    }
}

struct Args(Vec<OsString>);

impl Args {
    fn flags(&mut self, flags: &[&str]) {
        self.0.extend(flags.iter().map(OsString::from));
    }

    /// An empty folder that can be written to.
    fn memory(&mut self, folder: &Path, policy: &SandboxPolicy) {
        let share = policy.limits.temp_bytes / share_of(folder);
        self.flags(&["--size", &share.to_string()]);
        self.paths("--tmpfs", &[folder]);
    }

    fn paths(&mut self, flag: &str, paths: &[&Path]) {
        self.0.push(flag.into());
        self.0.extend(paths.iter().map(OsString::from));
    }
}

//! Limits on a program and all that it starts together, where this user may make control groups:
//! [cgroup v2](https://docs.kernel.org/admin-guide/cgroup-v2.html), as a systemd session delegates them. Limits of processes (setrlimit(2)) bound each alone.

use crate::policy::Limits;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where version 2 is mounted.
const ROOT: &str = "/sys/fs/cgroup";
/// What has to be on in a group for its children to be limited.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];
/// How the names of our groups begin; the process that made them follows.
const PREFIX: &str = "collie-";
/// Moves itself into the group and becomes the program: nothing that it starts can be elsewhere.
const JOIN_SCRIPT: &str = r#"echo $$ 2>/dev/null >"$0/cgroup.procs"; exec "$@""#;
/// A group goes once its last process has; how often that is tried, and how long is waited in between.
const REMOVAL_TRIES: u32 = 50;
const REMOVAL_PAUSE: Duration = Duration::from_millis(100);

/// A group of this user in which others can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CgroupParent(PathBuf);

/// A group for one program; removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Cgroup(PathBuf);

impl CgroupParent {
    /// The nearest group around this process that delegates what is needed; none where there is no such.
    pub(crate) fn detect() -> Option<Self> {
        let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        Self::find(Path::new(ROOT), &own)
    }

    /// As [`CgroupParent::detect`]; `own` is what `/proc/self/cgroup` says.
    fn find(root: &Path, own: &str) -> Option<Self> {
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let folder = root.join(own);
        let around = folder.ancestors().take_while(|it| it.starts_with(root));
        let mut delegating = around
            .filter(|folder| delegates(folder))
            .map(|folder| Self(folder.to_owned()));
        // Whether the user may write there shows when it is done.
        delegating.find(|parent| parent.create(Limits::default()).is_ok())
    }

    /// Makes a group with these limits.
    pub(crate) fn create(&self, limits: Limits) -> io::Result<Cgroup> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        self.remove_leftovers();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let folder = self.0.join(name);
        std::fs::create_dir(&folder)?;
        let group = Cgroup(folder);
        group.write("memory.max", limits.tree_memory_bytes)?;
        group.write("pids.max", limits.processes)?;
        // An older kernel has them not: then it swaps, or one process of the tree goes instead of all.
        let _ = group.write("memory.swap.max", 0);
        let _ = group.write("memory.oom.group", 1);
        Ok(group)
    }

    /// Removes groups of processes that were killed. One that is in use cannot be removed.
    fn remove_leftovers(&self) {
        let Ok(entries) = std::fs::read_dir(&self.0) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let maker = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            let maker = maker.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
            if maker.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
                // Whoever is still in it goes on.
                let _ = std::fs::remove_dir(entry.path());
            }
        }
    }
}

fn delegates(folder: &Path) -> bool {
    let Ok(on) = std::fs::read_to_string(folder.join("cgroup.subtree_control")) else {
        return false;
    };
    let on: Vec<&str> = on.split_whitespace().collect();
    CONTROLLERS.iter().all(|needed| on.contains(needed))
}

impl Cgroup {
    fn write(&self, file: &str, value: u64) -> io::Result<()> {
        std::fs::write(self.0.join(file), value.to_string())
    }

    /// What is put before a command so that it runs in the group.
    pub(crate) fn join_command(&self) -> [OsString; 4] {
        [
            "/bin/sh".into(),
            "-c".into(),
            JOIN_SCRIPT.into(),
            self.0.clone().into(),
        ]
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        if std::fs::remove_dir(&self.0).is_ok() {
            return;
        }
        // What was killed may need a moment to be gone.
        let folder = self.0.clone();
        std::thread::spawn(move || {
            for _ in 0..REMOVAL_TRIES {
                std::thread::sleep(REMOVAL_PAUSE);
                match std::fs::remove_dir(&folder) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                    Err(_) | Ok(()) => return,
                }
            }
            // The next process of ours removes it.
            tracing::debug!("a control group could not be removed");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;

    /// What a systemd session looks like: the terminal's scope in a slice that delegates, in a service that does not.
    fn session(control: &str) -> (tempfile::TempDir, String) {
        let root = tempfile::tempdir().unwrap();
        let slice = root.path().join("user.service/app.slice");
        fs::create_dir_all(slice.join("terminal.scope")).unwrap();
        fs::write(slice.join("terminal.scope/cgroup.subtree_control"), "\n").unwrap();
        fs::write(slice.join("cgroup.subtree_control"), control).unwrap();
        let own = "1:name=systemd:/x\n0::/user.service/app.slice/terminal.scope\n";
        (root, own.to_owned())
    }

    #[test]
    fn a_group_is_made_in_the_nearest_one_that_delegates() {
        let (root, own) = session("cpu memory pids\n");
        let found = CgroupParent::find(root.path(), &own).unwrap();
        assert_eq!(found.0, root.path().join("user.service/app.slice"));
        let limits = Limits {
            tree_memory_bytes: 5_000,
            processes: 7,
            ..Limits::default()
        };
        let group = found.create(limits).unwrap();
        let value = |file: &str| fs::read_to_string(group.0.join(file)).unwrap();
        assert_eq!(
            (value("memory.max"), value("pids.max")),
            ("5000".into(), "7".into())
        );
        assert_eq!(
            (value("memory.swap.max"), value("memory.oom.group")),
            ("0".into(), "1".into())
        );
        // The first process of the command is in it before the command begins.
        let [shell, rest @ ..] = group.join_command();
        let told = Command::new(shell)
            .args(rest)
            .args(["sh", "-c", "echo $$"])
            .output()
            .unwrap();
        assert_eq!(value("cgroup.procs").as_bytes(), told.stdout);
    }

    #[test]
    fn where_nothing_is_delegated_there_is_none() {
        for control in ["", "cpu", "memory\n", "pids cpu"] {
            let (root, own) = session(control);
            assert_eq!(CgroupParent::find(root.path(), &own), None, "{control}");
        }
        let (root, _) = session("memory pids");
        for own in ["", "1:memory:/user.service/app.slice\n", "0::/elsewhere\n"] {
            assert_eq!(CgroupParent::find(root.path(), own), None, "{own}");
        }
        // A group of another user: nothing can be made in it. A file in its place refuses root too.
        let (root, own) = session("memory pids");
        let name = format!("{PREFIX}{}-", std::process::id());
        for number in 0..1_000 {
            let taken = root
                .path()
                .join("user.service/app.slice")
                .join(format!("{name}{number}"));
            fs::write(taken, "").unwrap();
        }
        assert_eq!(CgroupParent::find(root.path(), &own), None);
    }

    #[test]
    fn groups_of_processes_that_are_gone_are_removed_and_others_are_not() {
        let (root, own) = session("memory pids");
        let slice = root.path().join("user.service/app.slice");
        let gone = slice.join("collie-4294967295-0");
        let ours = slice.join(format!("collie-{}-x", std::process::id()));
        let foreign = slice.join("firefox-4294967295-0");
        for folder in [&gone, &ours, &foreign] {
            fs::create_dir(folder).unwrap();
        }
        let parent = CgroupParent::find(root.path(), &own).unwrap();
        parent.create(Limits::default()).unwrap();
        assert!(!gone.exists() && ours.exists() && foreign.exists());
    }

    #[test]
    fn a_command_runs_also_where_its_group_is_gone() {
        let group = Cgroup("/nowhere".into());
        let [shell, rest @ ..] = group.join_command();
        let ran = Command::new(shell)
            .args(rest)
            .args(["sh", "-c", "exit 3"])
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(3));
    }
}

//! The processes of this machine, as far as the system shows them.
//!
//! On Linux they are read from `/proc`. Elsewhere none are seen, and a process group is all that can be ended.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;

/// A tree that grows faster than it can be stopped is killed as it stands.
const MAX_STOP_PASSES: usize = 20;

/// One process; the time of its start tells it from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcessId {
    /// Its number.
    pub(crate) pid: i32,
    /// When it started, in ticks since the machine did.
    pub(crate) start_ticks: u64,
}

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessInfo {
    pub(crate) process: ProcessId,
    pub(crate) parent: i32,
    /// Whether it has ended and only waits to be noticed.
    pub(crate) is_dead: bool,
}

/// All of them.
#[cfg(target_os = "linux")]
pub(crate) fn list_processes() -> Vec<ProcessInfo> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(read_process).collect()
}

/// All of them: none are shown.
#[cfg(not(target_os = "linux"))]
pub(crate) fn list_processes() -> Vec<ProcessInfo> {
    Vec::new()
}

/// One of them, if it is there.
#[cfg(target_os = "linux")]
pub(crate) fn read_process(pid: i32) -> Option<ProcessInfo> {
    parse_stat_line(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// One of them: not shown.
#[cfg(not(target_os = "linux"))]
pub(crate) fn read_process(_: i32) -> Option<ProcessInfo> {
    None
}

/// Ends every process that this one, or one of its own, has started. What stands still starts nothing more, so all are stopped before
/// the first is killed. Of what has left its parent only a subreaper knows (prctl(2)).
pub(crate) fn kill_descendants() {
    let own = Pid::this().as_raw();
    let mut stopped = BTreeSet::new();
    for _ in 0..MAX_STOP_PASSES {
        let fresh: Vec<ProcessId> = descendants(own, &list_processes())
            .difference(&stopped)
            .copied()
            .collect();
        if fresh.is_empty() {
            break;
        }
        for process in fresh {
            send_signal(process, Signal::SIGSTOP);
            stopped.insert(process);
        }
    }
    for process in stopped {
        send_signal(process, Signal::SIGKILL);
    }
}

fn descendants(of: i32, seen: &[ProcessInfo]) -> BTreeSet<ProcessId> {
    let mut found = BTreeSet::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop() {
        let children = seen.iter().filter(|seen| seen.parent == parent);
        for child in children.filter(|child| !child.is_dead) {
            if found.insert(child.process) {
                parents.push(child.process.pid);
            }
        }
    }
    found
}

/// Sends a signal, if the process is still the one that was seen.
fn send_signal(process: ProcessId, signal: Signal) {
    if read_process(process.pid).is_some_and(|seen| seen.process == process) {
        // It may go in this very moment, and that is what is wanted.
        let _ = kill(Pid::from_raw(process.pid), signal);
    }
}

/// Reads a line of `/proc/PID/stat` (proc(5)). The name in parentheses may hold anything, so fields count from its end.
#[cfg(target_os = "linux")]
fn parse_stat_line(line: &str) -> Option<ProcessInfo> {
    let (pid, _) = line.split_once(' ')?;
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(ProcessInfo {
        process: ProcessId {
            pid: pid.parse().ok()?,
            start_ticks: fields.get(19)?.parse().ok()?,
        },
        parent: fields.get(1)?.parse().ok()?,
        is_dead: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        let line = "42 (a) b (c) Z 7 9 9 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 12345 0 0";
        let expect = ProcessInfo {
            process: ProcessId {
                pid: 42,
                start_ticks: 12345,
            },
            parent: 7,
            is_dead: true,
        };
        assert_eq!(parse_stat_line(line), Some(expect));
        assert_eq!(parse_stat_line("42 (a"), None);
    }

    #[test]
    fn this_process_is_among_them() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let seen = read_process(pid).unwrap();
        assert!(list_processes().contains(&seen));
    }
}

//! All the processes that one turn started, wherever they went, and their end.

use super::environment::TURN_MARK_VARIABLE;
use super::processes::{self, ProcessId};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::process::Child;
use tokio::time::{Instant, sleep, timeout};

/// How long processes that were asked to end may take.
const TERM_TIMEOUT: Duration = Duration::from_secs(2);
/// How long the system may take to clear away what was killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// How often is looked whether they are gone.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How often a tree that grows while it is being stopped is gone through again.
const MAX_STOP_PASSES: usize = 16;

/// A mark that no other turn has, and that tells who started it: `pid.start.random`.
pub(super) fn new_mark() -> String {
    let own = processes::read_process(own_pid()).map_or(0, |seen| seen.process.start_ticks);
    format!("{}.{own}.{}", own_pid(), uuid::Uuid::new_v4().simple())
}

fn own_pid() -> i32 {
    Pid::this().as_raw()
}

/// A process group, and what has left it. Dropped before it was [`Group::end`]ed, it is killed.
///
/// Its processes are told by the group, by descent, and by the mark in their environment, which also those carry that
/// have a session of their own and whose parent is gone.
pub(super) struct ProcessTree {
    /// None where the leader is long gone, and its number may be another's.
    leader: Option<Pid>,
    mark: String,
    known_processes: BTreeSet<ProcessId>,
    is_ended: bool,
}

impl ProcessTree {
    /// The group of a child that was started as its leader.
    pub(super) fn new(leader: Pid, mark: String) -> Self {
        Self {
            leader: Some(leader),
            mark,
            known_processes: BTreeSet::new(),
            is_ended: false,
        }
    }

    /// Remembers those alive now, which later may be told by nothing else.
    pub(super) fn remember_processes(&mut self) {
        self.scan();
    }

    /// Those alive now. They are remembered, so that they stay known when their parent is gone.
    fn scan(&mut self) -> BTreeSet<ProcessId> {
        let seen = processes::list_processes();
        let mut pids: BTreeSet<i32> = seen
            .iter()
            .filter(|seen| {
                self.leader
                    .is_some_and(|leader| leader.as_raw() == seen.group)
                    || self.known_processes.contains(&seen.process)
                    || processes::read_env_variable(seen.process.pid, TURN_MARK_VARIABLE).as_deref()
                        == Some(&self.mark)
            })
            .map(|seen| seen.process.pid)
            .collect();
        loop {
            let before = pids.len();
            pids.extend(
                seen.iter()
                    .filter(|seen| pids.contains(&seen.parent))
                    .map(|seen| seen.process.pid)
                    .collect::<Vec<_>>(),
            );
            if pids.len() == before {
                break;
            }
        }
        pids.remove(&own_pid());
        let alive = seen
            .iter()
            .filter(|seen| !seen.is_dead && pids.contains(&seen.process.pid));
        let alive: BTreeSet<ProcessId> = alive.map(|seen| seen.process).collect();
        self.known_processes.extend(&alive);
        alive
    }

    fn is_gone(&mut self) -> bool {
        if cfg!(target_os = "linux") {
            self.scan().is_empty()
        } else {
            self.leader
                .is_none_or(|leader| killpg(leader, None) == Err(Errno::ESRCH))
        }
    }

    fn terminate(&mut self) {
        for process in self.scan() {
            send_signal(process, Signal::SIGTERM);
        }
        self.signal_group(Signal::SIGTERM);
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // Gone already is as good.
            let _ = killpg(leader, signal);
        }
    }

    /// Stops the whole tree first, since what stands still starts nothing more; then kills it.
    fn kill(&mut self) {
        let mut stopped = BTreeSet::new();
        for _ in 0..MAX_STOP_PASSES {
            let fresh: Vec<ProcessId> = self.scan().difference(&stopped).copied().collect();
            if fresh.is_empty() {
                break;
            }
            for process in fresh {
                send_signal(process, Signal::SIGSTOP);
                stopped.insert(process);
            }
        }
        for process in self.known_processes.clone() {
            send_signal(process, Signal::SIGKILL);
        }
        self.signal_group(Signal::SIGKILL);
    }

    /// Ends it: waits for the leader to go by itself, then asks all that is left, then kills it.
    ///
    /// The answer is how the leader ended, if it did so by itself.
    pub(super) async fn end(
        mut self,
        child: &mut Child,
        exit_timeout: Duration,
    ) -> Option<std::process::ExitStatus> {
        self.remember_processes();
        let by_itself = timeout(exit_timeout, child.wait())
            .await
            .ok()
            .and_then(Result::ok);
        if !self.is_gone() {
            self.terminate();
            self.wait_until_gone(child, TERM_TIMEOUT).await;
        }
        for _ in 0..2 {
            if self.is_gone() {
                break;
            }
            self.kill();
            self.wait_until_gone(child, KILL_TIMEOUT).await;
        }
        if !self.is_gone() {
            tracing::warn!(left = ?self.scan(), "processes of an agent did not end although they were killed");
        }
        // Reaps the leader; it is gone, or nothing can end it.
        let _ = timeout(KILL_TIMEOUT, child.wait()).await;
        self.is_ended = true;
        by_itself
    }

    async fn wait_until_gone(&mut self, child: &mut Child, limit: Duration) {
        let until = Instant::now() + limit;
        loop {
            // Reaps the leader, which otherwise stays in the table.
            let _ = child.try_wait();
            if self.is_gone() || Instant::now() >= until {
                return;
            }
            sleep(POLL_INTERVAL).await;
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if !self.is_ended {
            self.kill();
        }
    }
}

/// Sends a signal, if the process is still the one that was seen.
fn send_signal(process: ProcessId, signal: Signal) {
    if processes::read_process(process.pid).is_some_and(|seen| seen.process == process) {
        // It may go in this very moment, and that is what is wanted.
        let _ = kill(Pid::from_raw(process.pid), signal);
    }
}

/// Kills what turns left running whose Collie is gone, since it was killed itself (§10.4). Only Linux shows them.
///
/// Returns how many there were.
pub fn end_orphaned_agents() -> usize {
    let marks = processes::list_processes()
        .into_iter()
        .filter_map(|seen| processes::read_env_variable(seen.process.pid, TURN_MARK_VARIABLE));
    let orphaned: BTreeSet<String> = marks.filter(|mark| !is_owner_alive(mark)).collect();
    let mut ended = 0;
    for mark in orphaned {
        // Dropping it kills.
        let mut group = ProcessTree {
            leader: None,
            mark,
            known_processes: BTreeSet::new(),
            is_ended: false,
        };
        ended += group.scan().len();
    }
    ended
}

/// Whether the Collie that made a mark is alive. A mark that is not ours to read is left alone.
fn is_owner_alive(mark: &str) -> bool {
    let mut parts = mark.split('.');
    let owner = (
        parts.next().and_then(|pid| pid.parse().ok()),
        parts.next().and_then(|start| start.parse().ok()),
    );
    let (Some(pid), Some(started)) = owner else {
        return true;
    };
    processes::read_process(pid).is_some_and(|seen| {
        !seen.is_dead
            && seen.process
                == ProcessId {
                    pid,
                    start_ticks: started,
                }
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::Stdio;
    use tokio::process::Command;

    /// A shell that runs a script as a marked group's leader.
    fn start_shell(script: &str, mark: &str) -> (ProcessTree, Child) {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script])
            .env(TURN_MARK_VARIABLE, mark)
            .process_group(0)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let child = command.spawn().unwrap();
        let leader = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
        (ProcessTree::new(leader, mark.to_owned()), child)
    }

    /// Waits until the tree has so many processes.
    async fn wait_for_process_count(group: &mut ProcessTree, count: usize) -> BTreeSet<ProcessId> {
        for _ in 0..1000 {
            let alive = group.scan();
            if alive.len() == count {
                return alive;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("there are {:?}, not {count}", group.scan());
    }

    fn alive(processes: &BTreeSet<ProcessId>) -> Vec<ProcessId> {
        let still = |p: &&ProcessId| {
            processes::read_process(p.pid).is_some_and(|seen| !seen.is_dead && seen.process == **p)
        };
        processes.iter().filter(still).copied().collect()
    }

    /// The shell, one child in its group, one in a session of its own, one there without the mark, and one there whose
    /// parent is gone.
    const TREE: &str = "sleep 300 & setsid sleep 300 & env -u COLLIE_AGENT_TURN setsid sleep 300 & \
                        (setsid sleep 300 &) ; wait";

    #[tokio::test]
    async fn a_tree_is_ended_wherever_its_processes_went() {
        let (mut group, mut child) = start_shell(TREE, &new_mark());
        let tree = wait_for_process_count(&mut group, 5).await;
        assert_eq!(group.end(&mut child, Duration::ZERO).await, None);
        assert_eq!(alive(&tree), []);
    }

    #[tokio::test]
    async fn what_does_not_listen_is_killed() {
        let (mut group, mut child) =
            start_shell("trap '' TERM; while :; do sleep 300; done", &new_mark());
        let tree = wait_for_process_count(&mut group, 2).await;
        let begun = Instant::now();
        assert_eq!(group.end(&mut child, Duration::ZERO).await, None);
        assert!(begun.elapsed() >= TERM_TIMEOUT, "it was asked first");
        assert_eq!(alive(&tree), []);
    }

    #[tokio::test]
    async fn a_leader_that_ends_by_itself_reports_how() {
        let (group, mut child) = start_shell("exit 3", &new_mark());
        let status = group.end(&mut child, Duration::from_secs(20)).await;
        assert_eq!(status.and_then(|status| status.code()), Some(3));
    }

    #[tokio::test]
    async fn a_dropped_group_is_killed() {
        let (mut group, mut child) = start_shell(TREE, &new_mark());
        let tree = wait_for_process_count(&mut group, 5).await;
        drop(group);
        // A kill takes effect in its time; the leader is reaped here.
        child.wait().await.unwrap();
        for _ in 0..1000 {
            if alive(&tree).is_empty() {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?} outlived the group", alive(&tree));
    }

    #[tokio::test]
    async fn what_a_collie_left_behind_that_is_gone_is_ended_and_nothing_else() {
        let (mut ours, mut child) = start_shell("exec sleep 300", &new_mark());
        let (mut theirs, mut orphan) = start_shell(TREE, "1.0.abc");
        let (left, kept) = (
            wait_for_process_count(&mut theirs, 5).await,
            wait_for_process_count(&mut ours, 1).await,
        );
        assert!(end_orphaned_agents() >= 4, "all that carry the mark");
        orphan.wait().await.unwrap();
        for _ in 0..1000 {
            if alive(&left).is_empty() {
                break;
            }
            sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(alive(&left), []);
        assert_eq!(alive(&kept).len(), kept.len());
        ours.end(&mut child, Duration::ZERO).await;
    }
}

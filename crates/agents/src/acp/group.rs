//! All the processes that one turn started, wherever they went, and their end.

use super::environment::MARK;
use super::processes::{self, Process};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::process::Child;
use tokio::time::{Instant, sleep, timeout};

/// How long processes that were asked to end may take.
const AFTER_TERM: Duration = Duration::from_secs(2);
/// How long the system may take to clear away what was killed.
const AFTER_KILL: Duration = Duration::from_secs(2);
/// How often is looked whether they are gone.
const LOOK: Duration = Duration::from_millis(20);
/// How often a tree that grows while it is being stopped is gone through again.
const ROUNDS: usize = 16;

/// A mark that no other turn has, and that tells who started it: `pid.start.random`.
pub(super) fn mark() -> String {
    let own = processes::one(own_pid()).map_or(0, |seen| seen.process.started);
    format!("{}.{own}.{}", own_pid(), uuid::Uuid::new_v4().simple())
}

fn own_pid() -> i32 {
    Pid::this().as_raw()
}

/// A process group, and what has left it. Dropped before it was [`Group::end`]ed, it is killed.
///
/// Its processes are told by the group, by descent, and by the mark in their environment, which also those carry that
/// have a session of their own and whose parent is gone.
pub(super) struct Group {
    /// None where the leader is long gone, and its number may be another's.
    leader: Option<Pid>,
    mark: String,
    known: BTreeSet<Process>,
    is_over: bool,
}

impl Group {
    /// The group of a child that was started as its leader.
    pub(super) fn new(leader: Pid, mark: String) -> Self {
        Self {
            leader: Some(leader),
            mark,
            known: BTreeSet::new(),
            is_over: false,
        }
    }

    /// Remembers those alive now, which later may be told by nothing else.
    pub(super) fn record(&mut self) {
        self.look();
    }

    /// Those alive now. They are remembered, so that they stay known when their parent is gone.
    fn look(&mut self) -> BTreeSet<Process> {
        let seen = processes::all();
        let mut pids: BTreeSet<i32> = seen
            .iter()
            .filter(|seen| {
                self.leader
                    .is_some_and(|leader| leader.as_raw() == seen.group)
                    || self.known.contains(&seen.process)
                    || processes::variable(seen.process.pid, MARK).as_deref() == Some(&self.mark)
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
        let alive: BTreeSet<Process> = alive.map(|seen| seen.process).collect();
        self.known.extend(&alive);
        alive
    }

    fn is_gone(&mut self) -> bool {
        if cfg!(target_os = "linux") {
            self.look().is_empty()
        } else {
            self.leader
                .is_none_or(|leader| killpg(leader, None) == Err(Errno::ESRCH))
        }
    }

    fn ask_to_end(&mut self) {
        for process in self.look() {
            signal(process, Signal::SIGTERM);
        }
        self.signal_leader_and_its(Signal::SIGTERM);
    }

    fn signal_leader_and_its(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // Gone already is as good.
            let _ = killpg(leader, signal);
        }
    }

    /// Stops the whole tree first, since what stands still starts nothing more; then kills it.
    fn kill(&mut self) {
        let mut stopped = BTreeSet::new();
        for _ in 0..ROUNDS {
            let fresh: Vec<Process> = self.look().difference(&stopped).copied().collect();
            if fresh.is_empty() {
                break;
            }
            for process in fresh {
                signal(process, Signal::SIGSTOP);
                stopped.insert(process);
            }
        }
        for process in self.known.clone() {
            signal(process, Signal::SIGKILL);
        }
        self.signal_leader_and_its(Signal::SIGKILL);
    }

    /// Ends it: waits for the leader to go by itself, then asks all that is left, then kills it.
    ///
    /// The answer is how the leader ended, if it did so by itself.
    pub(super) async fn end(
        mut self,
        child: &mut Child,
        patience: Duration,
    ) -> Option<std::process::ExitStatus> {
        self.record();
        let by_itself = timeout(patience, child.wait())
            .await
            .ok()
            .and_then(Result::ok);
        if !self.is_gone() {
            self.ask_to_end();
            self.wait(child, AFTER_TERM).await;
        }
        for _ in 0..2 {
            if self.is_gone() {
                break;
            }
            self.kill();
            self.wait(child, AFTER_KILL).await;
        }
        if !self.is_gone() {
            tracing::warn!(left = ?self.look(), "processes of an agent did not end although they were killed");
        }
        // Reaps the leader; it is gone, or nothing can end it.
        let _ = timeout(AFTER_KILL, child.wait()).await;
        self.is_over = true;
        by_itself
    }

    async fn wait(&mut self, child: &mut Child, limit: Duration) {
        let until = Instant::now() + limit;
        loop {
            // Reaps the leader, which otherwise stays in the table.
            let _ = child.try_wait();
            if self.is_gone() || Instant::now() >= until {
                return;
            }
            sleep(LOOK).await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_over {
            self.kill();
        }
    }
}

/// Sends a signal, if the process is still the one that was seen.
fn signal(process: Process, signal: Signal) {
    if processes::one(process.pid).is_some_and(|seen| seen.process == process) {
        // It may go in this very moment, and that is what is wanted.
        let _ = kill(Pid::from_raw(process.pid), signal);
    }
}

/// Kills what turns left running whose Collie is gone, since it was killed itself (§10.4). Only Linux shows them.
///
/// Returns how many there were.
pub fn end_left_behind() -> usize {
    let marks = processes::all()
        .into_iter()
        .filter_map(|seen| processes::variable(seen.process.pid, MARK));
    let orphaned: BTreeSet<String> = marks.filter(|mark| !is_owned(mark)).collect();
    let mut ended = 0;
    for mark in orphaned {
        // Dropping it kills.
        let mut group = Group {
            leader: None,
            mark,
            known: BTreeSet::new(),
            is_over: false,
        };
        ended += group.look().len();
    }
    ended
}

/// Whether the Collie that made a mark is alive. A mark that is not ours to read is left alone.
fn is_owned(mark: &str) -> bool {
    let mut parts = mark.split('.');
    let owner = (
        parts.next().and_then(|pid| pid.parse().ok()),
        parts.next().and_then(|start| start.parse().ok()),
    );
    let (Some(pid), Some(started)) = owner else {
        return true;
    };
    processes::one(pid)
        .is_some_and(|seen| !seen.is_dead && seen.process == Process { pid, started })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::Stdio;
    use tokio::process::Command;

    /// A shell that runs a script as a marked group's leader.
    fn start(script: &str, mark: &str) -> (Group, Child) {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script])
            .env(MARK, mark)
            .process_group(0)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let child = command.spawn().unwrap();
        let leader = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
        (Group::new(leader, mark.to_owned()), child)
    }

    /// Waits until the tree has so many processes.
    async fn until(group: &mut Group, count: usize) -> BTreeSet<Process> {
        for _ in 0..1000 {
            let alive = group.look();
            if alive.len() == count {
                return alive;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("there are {:?}, not {count}", group.look());
    }

    fn alive(processes: &BTreeSet<Process>) -> Vec<Process> {
        let still = |p: &&Process| {
            processes::one(p.pid).is_some_and(|seen| !seen.is_dead && seen.process == **p)
        };
        processes.iter().filter(still).copied().collect()
    }

    /// The shell, one child in its group, one in a session of its own, one there without the mark, and one there whose
    /// parent is gone.
    const TREE: &str = "sleep 300 & setsid sleep 300 & env -u COLLIE_AGENT_TURN setsid sleep 300 & \
                        (setsid sleep 300 &) ; wait";

    #[tokio::test]
    async fn a_tree_is_ended_wherever_its_processes_went() {
        let (mut group, mut child) = start(TREE, &mark());
        let tree = until(&mut group, 5).await;
        assert_eq!(group.end(&mut child, Duration::ZERO).await, None);
        assert_eq!(alive(&tree), []);
    }

    #[tokio::test]
    async fn what_does_not_listen_is_killed() {
        let (mut group, mut child) = start("trap '' TERM; while :; do sleep 300; done", &mark());
        let tree = until(&mut group, 2).await;
        let begun = Instant::now();
        assert_eq!(group.end(&mut child, Duration::ZERO).await, None);
        assert!(begun.elapsed() >= AFTER_TERM, "it was asked first");
        assert_eq!(alive(&tree), []);
    }

    #[tokio::test]
    async fn a_leader_that_ends_by_itself_tells_how() {
        let (group, mut child) = start("exit 3", &mark());
        let status = group.end(&mut child, Duration::from_secs(20)).await;
        assert_eq!(status.and_then(|status| status.code()), Some(3));
    }

    #[tokio::test]
    async fn a_dropped_group_is_killed() {
        let (mut group, mut child) = start(TREE, &mark());
        let tree = until(&mut group, 5).await;
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
        let (mut ours, mut child) = start("exec sleep 300", &mark());
        let (mut theirs, mut orphan) = start(TREE, "1.0.abc");
        let (left, kept) = (until(&mut theirs, 5).await, until(&mut ours, 1).await);
        assert!(end_left_behind() >= 4, "all that carry the mark");
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

//! What reviewers and fixers are doing right now, for whoever watches. It lives in memory only, and nothing is decided on it.

use collie_core::ids::{LoopId, Time};
use collie_core::usage::Usage;
use collie_i18n::Localizer;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// Deeds of one worker that are kept.
const MAX_RECENT_ACTIVITIES: usize = 12;
/// Growing numbers are told at most once in this time, in milliseconds.
const NOTIFY_INTERVAL_MS: u64 = 400;
/// Changes that a slow listener may be behind before it reads everything anew.
const CHANGE_CHANNEL_CAPACITY: usize = 256;
/// The name under which the fixer works.
pub const FIXER_NAME: &str = "fixer";

fn now() -> Time {
    Time(jiff::Timestamp::now().as_millisecond())
}

/// One thing that somebody does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Gathers what there is to read.
    GatheringMaterial,
    /// Was sent a prompt of so many tokens, and has not answered yet.
    ReadingPrompt {
        /// By the offline counter.
        tokens: u32,
    },
    /// Is asked again: a request failed, or its answer had not its form.
    Retrying {
        /// The number of the request.
        attempt: u32,
    },
    /// Thinks; so many characters so far.
    Thinking {
        /// Of thinking that the service shows.
        characters: u64,
    },
    /// Writes; so many characters so far.
    Writing {
        /// Of the answer.
        characters: u64,
    },
    /// Is asked to put its answer into its form.
    RepairingAnswer,
    /// Is offered to runners on other machines, and none has taken it.
    WaitingForRunner,
    /// A runner on another machine does it.
    RunningElsewhere {
        /// What the runner calls itself.
        runner: String,
    },
    /// Holds findings against the code once more.
    ValidatingFindings {
        /// How many.
        findings: usize,
    },
    /// An agent uses a tool; in its own words, which are untrusted.
    UsingTool {
        /// One line.
        title: String,
    },
    /// An agent was not allowed something; in its own words, which are untrusted.
    PermissionRefused {
        /// One line.
        title: String,
    },
    /// An agent's plan.
    FollowingPlan {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
}

impl Activity {
    /// It is the same deed that has come further: it replaces the one before instead of following it.
    fn continues(&self, before: &Activity) -> bool {
        matches!(
            (before, self),
            (Activity::Thinking { .. }, Activity::Thinking { .. })
                | (Activity::Writing { .. }, Activity::Writing { .. })
                | (
                    Activity::FollowingPlan { .. },
                    Activity::FollowingPlan { .. }
                )
        )
    }

    /// In words.
    pub fn localized_text(&self, localizer: &Localizer) -> String {
        let number = |n: u64| localizer.format_number(n).into();
        match self {
            Activity::GatheringMaterial => localizer.plain("doing-gathers"),
            Activity::ReadingPrompt { tokens } => {
                localizer.text("doing-reads", &[("tokens", number((*tokens).into()))])
            }
            Activity::Retrying { attempt } => {
                localizer.text("doing-asks-again", &[("attempt", (*attempt).into())])
            }
            Activity::Thinking { characters } => {
                localizer.text("doing-thinks", &[("characters", number(*characters))])
            }
            Activity::Writing { characters } => {
                localizer.text("doing-writes", &[("characters", number(*characters))])
            }
            Activity::RepairingAnswer => localizer.plain("doing-repairs"),
            Activity::WaitingForRunner => localizer.plain("doing-waits-for-runner"),
            Activity::RunningElsewhere { runner } => {
                localizer.text("doing-runs-elsewhere", &[("runner", runner.clone().into())])
            }
            Activity::ValidatingFindings { findings } => {
                localizer.text("doing-looks-again", &[("findings", (*findings).into())])
            }
            Activity::UsingTool { title } if title.is_empty() => localizer.plain("doing-uses"),
            Activity::UsingTool { title } => title.clone(),
            Activity::PermissionRefused { title } => {
                localizer.text("doing-refused", &[("title", title.clone().into())])
            }
            Activity::FollowingPlan { done, total } => {
                let args = [("done", (*done).into()), ("total", (*total).into())];
                localizer.text("doing-plans", &args)
            }
        }
    }
}

/// Somebody at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    id: u64,
    /// The reviewer's name, or [`FIXER`].
    pub name: String,
    /// The model, or the agent as it calls itself.
    pub runs_on: String,
    /// Since when.
    pub since: Time,
    /// What it does, and since when.
    pub current: (Time, Activity),
    /// What its session has spent so far, as far as is told.
    pub spent: Usage,
    /// What it did before, oldest first.
    pub recent: VecDeque<(Time, Activity)>,
}

impl Worker {
    /// What its session has spent so far, in words; none where nothing is told.
    pub fn spent_text(&self, localizer: &Localizer) -> Option<String> {
        let tokens = self
            .spent
            .input_tokens
            .saturating_add(self.spent.output_tokens);
        if tokens == 0 {
            return None;
        }
        let tokens = localizer.format_number(tokens).into();
        let text = match self.spent.cost().known_micros() {
            Some(_) => {
                let cost = localizer.format_cost(self.spent.cost()).into();
                localizer.text("doing-spent-cost", &[("tokens", tokens), ("cost", cost)])
            }
            None => localizer.text("doing-spent", &[("tokens", tokens)]),
        };
        Some(text)
    }
}

#[derive(Debug, Default)]
struct ActivityTable {
    next: u64,
    /// In the order in which they began.
    workers: BTreeMap<LoopId, Vec<Worker>>,
}

/// Everybody at work in this process.
#[derive(Debug)]
pub struct ActivityRegistry {
    table: Mutex<ActivityTable>,
    changes: broadcast::Sender<LoopId>,
}

impl Default for ActivityRegistry {
    fn default() -> Self {
        Self {
            table: Mutex::default(),
            changes: broadcast::channel(CHANGE_CHANNEL_CAPACITY).0,
        }
    }
}

impl ActivityRegistry {
    /// Somebody begins; it is over when what this returns is dropped, however that comes about.
    pub fn start_worker(
        self: &Arc<Self>,
        loop_id: &LoopId,
        name: &str,
        runs_on: &str,
    ) -> Arc<WorkerHandle> {
        let at = now();
        let mut table = self.table();
        table.next += 1;
        let id = table.next;
        table
            .workers
            .entry(loop_id.clone())
            .or_default()
            .push(Worker {
                id,
                name: name.to_owned(),
                runs_on: runs_on.to_owned(),
                since: at,
                current: (at, Activity::GatheringMaterial),
                spent: Usage::default(),
                recent: VecDeque::new(),
            });
        drop(table);
        self.notify(loop_id);
        Arc::new(WorkerHandle {
            registry: self.clone(),
            loop_id: loop_id.clone(),
            id,
            last_notified: Mutex::new((at, false)),
        })
    }

    /// Who works on a pull request.
    pub fn workers_on(&self, loop_id: &LoopId) -> Vec<Worker> {
        self.table()
            .workers
            .get(loop_id)
            .cloned()
            .unwrap_or_default()
    }

    /// Everybody, by pull request.
    pub fn all_workers(&self) -> BTreeMap<LoopId, Vec<Worker>> {
        self.table().workers.clone()
    }

    /// Names the pull requests on which something changes from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<LoopId> {
        self.changes.subscribe()
    }

    fn notify(&self, loop_id: &LoopId) {
        // Nobody may be watching.
        let _ = self.changes.send(loop_id.clone());
    }

    fn table(&self) -> MutexGuard<'_, ActivityTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody's work, as long as it lasts.
#[derive(Debug)]
pub struct WorkerHandle {
    registry: Arc<ActivityRegistry>,
    loop_id: LoopId,
    id: u64,
    /// When a growing number was told last, and whether it will be told again.
    last_notified: Mutex<(Time, bool)>,
}

impl WorkerHandle {
    /// What it does from now on.
    pub fn set_activity(&self, doing: Activity) {
        let at = now();
        let (mut grows, mut same) = (false, false);
        self.update_worker(|worker| {
            grows = doing.continues(&worker.current.1);
            same = doing == worker.current.1;
            if grows || same {
                worker.current.1 = doing;
            } else {
                let before = std::mem::replace(&mut worker.current, (at, doing));
                worker.recent.push_back(before);
                if worker.recent.len() > MAX_RECENT_ACTIVITIES {
                    worker.recent.pop_front();
                }
            }
        });
        if same {
            return;
        }
        if grows {
            return self.notify_soon();
        }
        *self.last_notified() = (at, false);
        self.registry.notify(&self.loop_id);
    }

    fn last_notified(&self) -> MutexGuard<'_, (Time, bool)> {
        let told = self.last_notified.lock();
        told.unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells now, or a little later where something was told a moment ago.
    fn notify_soon(&self) {
        let at = now();
        let mut told = self.last_notified();
        let quiet_for = at.since(told.0);
        if quiet_for >= NOTIFY_INTERVAL_MS {
            *told = (at, false);
            drop(told);
            self.registry.notify(&self.loop_id);
        } else if !told.1
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            // The last of many is told too.
            told.1 = true;
            let (all, pull) = (self.registry.clone(), self.loop_id.clone());
            runtime.spawn(async move {
                tokio::time::sleep(Duration::from_millis(NOTIFY_INTERVAL_MS - quiet_for)).await;
                all.notify(&pull);
            });
        }
    }

    /// What it runs on, as far as is known.
    pub fn runs_on(&self) -> String {
        let table = self.registry.table();
        let workers = table.workers.get(&self.loop_id);
        let mut own = workers.into_iter().flatten();
        own.find(|worker| worker.id == self.id)
            .map(|worker| worker.runs_on.clone())
            .unwrap_or_default()
    }

    /// What it turned out to run on.
    pub fn set_runs_on(&self, name: &str) {
        self.update_worker(|worker| name.clone_into(&mut worker.runs_on));
        self.registry.notify(&self.loop_id);
    }

    /// What its session has spent by now. It is told with what it does next, or a moment later.
    pub fn set_spent(&self, spent: Usage) {
        let mut is_new = false;
        self.update_worker(|worker| {
            is_new = worker.spent != spent;
            worker.spent = spent;
        });
        if is_new {
            self.notify_soon();
        }
    }

    fn update_worker(&self, change: impl FnOnce(&mut Worker)) {
        let mut table = self.registry.table();
        let workers = table.workers.get_mut(&self.loop_id);
        let mut own = workers.into_iter().flatten();
        if let Some(worker) = own.find(|worker| worker.id == self.id) {
            change(worker);
        }
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        let mut table = self.registry.table();
        if let Some(workers) = table.workers.get_mut(&self.loop_id) {
            workers.retain(|worker| worker.id != self.id);
            if workers.is_empty() {
                table.workers.remove(&self.loop_id);
            }
        }
        drop(table);
        self.registry.notify(&self.loop_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loop_id(number: u64) -> LoopId {
        LoopId {
            host: "github.com".into(),
            repo_id: "r".into(),
            number,
        }
    }

    #[test]
    fn who_works_is_shown_until_the_work_ends() {
        let all = Arc::new(ActivityRegistry::default());
        let mut changes = all.subscribe();
        let quinn = all.start_worker(&loop_id(1), "quinn", "openai/x");
        let fixer = all.start_worker(&loop_id(2), FIXER_NAME, "codex");
        quinn.set_activity(Activity::ReadingPrompt { tokens: 9 });
        fixer.set_runs_on("codex 0.169.0");
        let [worker] = &all.workers_on(&loop_id(1))[..] else {
            panic!("one works on the first");
        };
        assert_eq!(
            (worker.name.as_str(), &worker.current.1),
            ("quinn", &Activity::ReadingPrompt { tokens: 9 })
        );
        assert_eq!(worker.recent[0].1, Activity::GatheringMaterial);
        assert_eq!(all.workers_on(&loop_id(2))[0].runs_on, "codex 0.169.0");
        drop(quinn);
        assert_eq!(all.all_workers().keys().collect::<Vec<_>>(), [&loop_id(2)]);
        drop(fixer);
        assert!(all.all_workers().is_empty());
        let notified = std::iter::from_fn(|| changes.try_recv().ok()).map(|id| id.number);
        assert_eq!(notified.collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_of_a_growing_answer_is_reported_even_when_nothing_follows() {
        let all = Arc::new(ActivityRegistry::default());
        let working = all.start_worker(&loop_id(1), "quinn", "m");
        let mut changes = all.subscribe();
        for done in 1..=3 {
            working.set_activity(Activity::FollowingPlan { done, total: 3 });
        }
        changes.recv().await.unwrap();
        changes.recv().await.unwrap();
        let worker = &all.workers_on(&loop_id(1))[0];
        assert_eq!(
            worker.current.1,
            Activity::FollowingPlan { done: 3, total: 3 }
        );
    }

    #[test]
    fn a_growing_answer_is_one_deed_and_is_reported_now_and_then() {
        let all = Arc::new(ActivityRegistry::default());
        let working = all.start_worker(&loop_id(1), "quinn", "m");
        let mut changes = all.subscribe();
        for characters in 0..1_000 {
            working.set_activity(Activity::Writing { characters });
        }
        let worker = &all.workers_on(&loop_id(1))[0];
        assert_eq!(worker.current.1, Activity::Writing { characters: 999 });
        assert_eq!(worker.recent.len(), 1);
        let told = std::iter::from_fn(|| changes.try_recv().ok()).count();
        assert!((1..100).contains(&told), "{told} times");
        for n in 0..50 {
            working.set_activity(Activity::UsingTool {
                title: n.to_string(),
            });
        }
        let worker = &all.workers_on(&loop_id(1))[0];
        assert_eq!(worker.recent.len(), MAX_RECENT_ACTIVITIES);
        assert_eq!(
            worker.recent[0].1,
            Activity::UsingTool { title: "37".into() }
        );
    }
}

//! What reviewers and fixers are doing right now, for whoever watches. It lives in memory only, and nothing is decided on it.

use crate::clock::now;
use crate::words::Speech;
use collie_core::ids::{LoopId, Time};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// Deeds of one worker that are kept.
const MOST_RECENT: usize = 12;
/// Growing numbers are told at most once in this time, in milliseconds.
const PAUSE_MS: u64 = 400;
/// Changes that a slow listener may be behind before it reads everything anew.
const CHANGES: usize = 256;
/// The name under which the fixer works.
pub const FIXER: &str = "fixer";

/// One thing that somebody does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Gathers what there is to read.
    Gathers,
    /// Was sent a prompt of so many tokens, and has not answered yet.
    Reads {
        /// By the offline counter.
        tokens: u32,
    },
    /// Is asked again: a request failed, or its answer had not its form.
    AsksAgain {
        /// The number of the request.
        attempt: u32,
    },
    /// Thinks; so many characters so far.
    Thinks {
        /// Of thinking that the service shows.
        characters: u64,
    },
    /// Writes; so many characters so far.
    Writes {
        /// Of the answer.
        characters: u64,
    },
    /// Is asked to put its answer into its form.
    Repairs,
    /// Holds findings against the code once more.
    LooksAgain {
        /// How many.
        findings: usize,
    },
    /// An agent uses a tool; in its own words, which are untrusted.
    Uses {
        /// One line.
        title: String,
    },
    /// An agent was not allowed something; in its own words, which are untrusted.
    Refused {
        /// One line.
        title: String,
    },
    /// An agent's plan.
    Plans {
        /// Steps done.
        done: usize,
        /// Steps in all.
        total: usize,
    },
}

impl Doing {
    /// It is the same deed that has come further: it replaces the one before instead of following it.
    fn goes_on_from(&self, before: &Doing) -> bool {
        matches!(
            (before, self),
            (Doing::Thinks { .. }, Doing::Thinks { .. })
                | (Doing::Writes { .. }, Doing::Writes { .. })
                | (Doing::Plans { .. }, Doing::Plans { .. })
        )
    }

    /// In words.
    pub fn words(&self, speech: &Speech) -> String {
        let number = |n: u64| speech.number(n).into();
        match self {
            Doing::Gathers => speech.plain("doing-gathers"),
            Doing::Reads { tokens } => {
                speech.text("doing-reads", &[("tokens", number((*tokens).into()))])
            }
            Doing::AsksAgain { attempt } => {
                speech.text("doing-asks-again", &[("attempt", (*attempt).into())])
            }
            Doing::Thinks { characters } => {
                speech.text("doing-thinks", &[("characters", number(*characters))])
            }
            Doing::Writes { characters } => {
                speech.text("doing-writes", &[("characters", number(*characters))])
            }
            Doing::Repairs => speech.plain("doing-repairs"),
            Doing::LooksAgain { findings } => {
                speech.text("doing-looks-again", &[("findings", (*findings).into())])
            }
            Doing::Uses { title } if title.is_empty() => speech.plain("doing-uses"),
            Doing::Uses { title } => title.clone(),
            Doing::Refused { title } => {
                speech.text("doing-refused", &[("title", title.clone().into())])
            }
            Doing::Plans { done, total } => {
                let args = [("done", (*done).into()), ("total", (*total).into())];
                speech.text("doing-plans", &args)
            }
        }
    }
}

/// Somebody at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    id: u64,
    /// The reviewer's name, or [`FIXER`].
    pub who: String,
    /// The model, or the agent as it calls itself.
    pub runs_on: String,
    /// Since when.
    pub since: Time,
    /// What it does, and since when.
    pub now: (Time, Doing),
    /// What it did before, oldest first.
    pub recent: VecDeque<(Time, Doing)>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// In the order in which they began.
    workers: BTreeMap<LoopId, Vec<Worker>>,
}

/// Everybody at work in this process.
#[derive(Debug)]
pub struct Activities {
    table: Mutex<Table>,
    changes: broadcast::Sender<LoopId>,
}

impl Default for Activities {
    fn default() -> Self {
        Self {
            table: Mutex::default(),
            changes: broadcast::channel(CHANGES).0,
        }
    }
}

impl Activities {
    /// Somebody begins; it is over when what this returns is dropped, however that comes about.
    pub fn begin(self: &Arc<Self>, pull: &LoopId, who: &str, runs_on: &str) -> Arc<Working> {
        let at = now();
        let mut table = self.table();
        table.next += 1;
        let id = table.next;
        table.workers.entry(pull.clone()).or_default().push(Worker {
            id,
            who: who.to_owned(),
            runs_on: runs_on.to_owned(),
            since: at,
            now: (at, Doing::Gathers),
            recent: VecDeque::new(),
        });
        drop(table);
        self.tell(pull);
        Arc::new(Working {
            all: self.clone(),
            pull: pull.clone(),
            id,
            told: Mutex::new((at, false)),
        })
    }

    /// Who works on a pull request.
    pub fn of(&self, pull: &LoopId) -> Vec<Worker> {
        self.table().workers.get(pull).cloned().unwrap_or_default()
    }

    /// Everybody, by pull request.
    pub fn all(&self) -> BTreeMap<LoopId, Vec<Worker>> {
        self.table().workers.clone()
    }

    /// Names the pull requests on which something changes from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<LoopId> {
        self.changes.subscribe()
    }

    fn tell(&self, pull: &LoopId) {
        // Nobody may be watching.
        let _ = self.changes.send(pull.clone());
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody's work, as long as it lasts.
#[derive(Debug)]
pub struct Working {
    all: Arc<Activities>,
    pull: LoopId,
    id: u64,
    /// When a growing number was told last, and whether it will be told again.
    told: Mutex<(Time, bool)>,
}

impl Working {
    /// What it does from now on.
    pub fn does(&self, doing: Doing) {
        let at = now();
        let (mut grows, mut same) = (false, false);
        self.change(|worker| {
            grows = doing.goes_on_from(&worker.now.1);
            same = doing == worker.now.1;
            if grows || same {
                worker.now.1 = doing;
            } else {
                let before = std::mem::replace(&mut worker.now, (at, doing));
                worker.recent.push_back(before);
                if worker.recent.len() > MOST_RECENT {
                    worker.recent.pop_front();
                }
            }
        });
        if same {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet_for = at.since(told.0);
        if !grows || quiet_for >= PAUSE_MS {
            *told = (at, false);
            drop(told);
            self.all.tell(&self.pull);
        } else if !told.1
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            // The last of many is told too.
            told.1 = true;
            let (all, pull) = (self.all.clone(), self.pull.clone());
            runtime.spawn(async move {
                tokio::time::sleep(Duration::from_millis(PAUSE_MS - quiet_for)).await;
                all.tell(&pull);
            });
        }
    }

    /// What it runs on, as far as is known.
    pub fn name(&self) -> String {
        let table = self.all.table();
        let workers = table.workers.get(&self.pull);
        let mut own = workers.into_iter().flatten();
        own.find(|worker| worker.id == self.id)
            .map(|worker| worker.runs_on.clone())
            .unwrap_or_default()
    }

    /// What it turned out to run on.
    pub fn runs_on(&self, name: &str) {
        self.change(|worker| name.clone_into(&mut worker.runs_on));
        self.all.tell(&self.pull);
    }

    fn change(&self, change: impl FnOnce(&mut Worker)) {
        let mut table = self.all.table();
        let workers = table.workers.get_mut(&self.pull);
        let mut own = workers.into_iter().flatten();
        if let Some(worker) = own.find(|worker| worker.id == self.id) {
            change(worker);
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut table = self.all.table();
        if let Some(workers) = table.workers.get_mut(&self.pull) {
            workers.retain(|worker| worker.id != self.id);
            if workers.is_empty() {
                table.workers.remove(&self.pull);
            }
        }
        drop(table);
        self.all.tell(&self.pull);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull(number: u64) -> LoopId {
        LoopId {
            host: "github.com".into(),
            repo_id: "r".into(),
            number,
        }
    }

    #[test]
    fn who_works_is_shown_until_the_work_ends() {
        let all = Arc::new(Activities::default());
        let mut changes = all.subscribe();
        let quinn = all.begin(&pull(1), "quinn", "openai/x");
        let fixer = all.begin(&pull(2), FIXER, "codex");
        quinn.does(Doing::Reads { tokens: 9 });
        fixer.runs_on("codex 0.169.0");
        let [worker] = &all.of(&pull(1))[..] else {
            panic!("one works on the first");
        };
        assert_eq!(
            (worker.who.as_str(), &worker.now.1),
            ("quinn", &Doing::Reads { tokens: 9 })
        );
        assert_eq!(worker.recent[0].1, Doing::Gathers);
        assert_eq!(all.of(&pull(2))[0].runs_on, "codex 0.169.0");
        drop(quinn);
        assert_eq!(all.all().keys().collect::<Vec<_>>(), [&pull(2)]);
        drop(fixer);
        assert!(all.all().is_empty());
        let told = std::iter::from_fn(|| changes.try_recv().ok()).map(|id| id.number);
        assert_eq!(told.collect::<Vec<_>>(), [1, 2, 1, 2, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_of_a_growing_answer_is_told_even_when_nothing_follows() {
        let all = Arc::new(Activities::default());
        let working = all.begin(&pull(1), "quinn", "m");
        let mut changes = all.subscribe();
        for done in 1..=3 {
            working.does(Doing::Plans { done, total: 3 });
        }
        changes.recv().await.unwrap();
        changes.recv().await.unwrap();
        let worker = &all.of(&pull(1))[0];
        assert_eq!(worker.now.1, Doing::Plans { done: 3, total: 3 });
    }

    #[test]
    fn a_growing_answer_is_one_deed_and_is_told_now_and_then() {
        let all = Arc::new(Activities::default());
        let working = all.begin(&pull(1), "quinn", "m");
        let mut changes = all.subscribe();
        for characters in 0..1_000 {
            working.does(Doing::Writes { characters });
        }
        let worker = &all.of(&pull(1))[0];
        assert_eq!(worker.now.1, Doing::Writes { characters: 999 });
        assert_eq!(worker.recent.len(), 1);
        let told = std::iter::from_fn(|| changes.try_recv().ok()).count();
        assert!((1..100).contains(&told), "{told} times");
        for n in 0..50 {
            working.does(Doing::Uses {
                title: n.to_string(),
            });
        }
        let worker = &all.of(&pull(1))[0];
        assert_eq!(worker.recent.len(), MOST_RECENT);
        assert_eq!(worker.recent[0].1, Doing::Uses { title: "37".into() });
    }
}

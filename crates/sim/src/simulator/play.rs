//! Plays a schedule: the real engine, on one thread whose time is not the machine's, over as many lives as it dies.

use super::git_port::SimulatedGit;
use super::github_port::SimulatedGitHub;
use super::journal_port::{JournalThread, SimulatedJournal};
use super::other_ports::{NoSyntax, RealRenderer, SimulatedMemory, SimulatedPolicy};
use super::people::{self, People};
use super::schedule::{Call, Fault, MINUTE, Schedule, Tear, Torn};
use super::sessions_port::SimulatedSessions;
use super::stage::{START, Stage};
use super::{check_files, checks};
use collie_core::ids::Time;
use collie_engine::ports::{Journal, JournalReader, JournalUpkeep};
use collie_engine::{EffectPorts, Engine, EngineConfig, Ports};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How long after its last planned move a run may take to end, people helping.
const LONGEST_MS: u64 = 3 * 24 * 60 * MINUTE;
/// How often it is looked whether everything rests.
const LOOK_MS: u64 = 2 * MINUTE;
/// How often in a row it must.
const RESTS: u32 = 4;
/// How often it is looked for requests of other processes: less often than by default, which would be most of what a play does.
const REQUESTS_MS: u64 = 120_000;

/// What came of a play.
#[derive(Clone, Debug)]
pub struct Played {
    /// Everything that happened, a line each.
    pub log: Vec<String>,
    /// What was broken; the first one ended the play.
    pub breaches: Vec<String>,
    /// How often each state was reached.
    pub reached: BTreeMap<&'static str, u64>,
    /// How often runs ended for each reason.
    pub stops: BTreeMap<&'static str, u64>,
    /// Faults that struck.
    pub struck: BTreeMap<(Call, Fault), u64>,
    /// How often the process died.
    pub died: u64,
    /// How often each kind of file was torn when it did.
    pub torn: BTreeMap<Torn, u64>,
    /// Fixes that were pushed.
    pub pushes: usize,
    /// Posts that landed.
    pub posts: usize,
    /// Awaits at which it could have died.
    pub awaits: u64,
    /// How often each call was made.
    pub calls: BTreeMap<Call, u64>,
    /// How long it lasted by the world's clock, in milliseconds.
    pub lasted: u64,
}

enum LifeEnd {
    Died,
    Rests,
    Broken,
}

thread_local! {
    /// Panics of this thread that no schedule asked for.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Keeps panics that are asked for quiet, and writes the others down.
fn watch_panics() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let words = panic.payload().downcast_ref::<String>();
            if words.is_some_and(|words| words == super::PLANNED_PANIC) {
                return;
            }
            PANICS.with_borrow_mut(|panics| panics.push(panic.to_string()));
            usual(panic);
        }));
    });
}

/// Plays a schedule to its end, with a journal below a folder.
///
/// # Errors
/// The machine has no room or no right for a journal there: nothing is known of the schedule then.
pub fn play(schedule: &Schedule, below: &Path) -> Result<Played, String> {
    watch_panics();
    PANICS.take();
    let folder = tempfile::Builder::new()
        .prefix("collie-sim-")
        .tempdir_in(below)
        .map_err(|error| format!("no folder below {}: {error}", below.display()))?;
    let journal = JournalThread::open(folder.path()).map_err(|error| error.to_string())?;
    let player = Player {
        stage: Arc::new(Stage::new(schedule)),
        journal: Arc::new(journal),
        memory: Arc::default(),
        policy: Arc::new(SimulatedPolicy::new(&schedule.setting)),
    };
    people::plan(&player.stage);
    player.play()
}

struct Player {
    stage: Arc<Stage>,
    journal: Arc<JournalThread>,
    memory: Arc<SimulatedMemory>,
    policy: Arc<SimulatedPolicy>,
}

impl Player {
    fn play(self) -> Result<Played, String> {
        let stage = self.stage.clone();
        let (mut life, mut last) = (0, START);
        loop {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .map_err(|error| format!("no runtime: {error}"))?;
            let end = runtime.block_on(async {
                let end = self.live(life, last).await;
                last = stage.clock.world();
                end
            });
            drop(runtime);
            let is_broken = !stage.promises().breaches.is_empty();
            match end {
                LifeEnd::Died if is_broken => break,
                LifeEnd::Died => {
                    // Between two lives no runtime measures the time.
                    stage.clock.stop(last);
                    if let Err(error) = self.come_back() {
                        stage.breach(format!("it does not come back: {error}"));
                        break;
                    }
                }
                LifeEnd::Rests | LifeEnd::Broken => break,
            }
            life += 1;
        }
        stage.clock.stop(last);
        // What does not come back cannot be asked.
        if stage.promises().breaches.is_empty() {
            self.check_end()?;
        }
        let remote = stage.remote();
        let posts = remote.tokens.len();
        let pushes = remote.pushed_turns.len();
        drop(remote);
        let promises = stage.promises();
        Ok(Played {
            log: stage.lines(),
            breaches: promises.breaches.clone(),
            reached: promises.reached.clone(),
            stops: promises.stops.clone(),
            struck: stage.gate.struck(),
            died: stage.gate.died(),
            torn: stage.torn().struck.clone(),
            pushes,
            posts,
            awaits: stage.gate.awaits(),
            calls: stage.gate.calls(),
            lasted: stage.clock.world().since(START),
        })
    }

    /// Opens the journal again, with what the death has left of its files. A journal that does not open is a broken promise.
    fn come_back(&self) -> Result<(), String> {
        let stage = &self.stage;
        let at = stage.gate.take_death();
        let tears = stage.schedule.tears.iter();
        let tear = tears.copied().find(|tear| Some(tear.at) == at);
        let Some(Tear { at, file }) = tear else {
            return self.journal.reopen().map_err(|error| error.to_string());
        };
        stage.log(format!("the death leaves {file:?}"));
        let (acting, paths) = (stage.clone(), self.journal.paths().clone());
        let tearing = move || {
            let earlier = acting.earlier();
            let by = (acting.draw, at);
            acting.torn().tear((&paths, &earlier), by, file)
        };
        if file != Torn::JournalLost {
            return (self.journal.reopen_after(tearing)).map_err(|error| error.to_string());
        }
        // With it what people have asked for and nobody had taken is lost (docs/architecture.md): they are not told, and ask again.
        let mut promises = stage.promises();
        promises.cancelled.clear();
        promises.refused.clear();
        drop(promises);
        (self.journal.rebuild_after(tearing)).map_err(|error| error.to_string())
    }

    fn ports(&self) -> (Ports, Arc<SimulatedGitHub>) {
        let stage = &self.stage;
        let github = Arc::new(SimulatedGitHub(stage.clone()));
        let git = Arc::new(SimulatedGit::new(stage.clone()));
        let sessions = Arc::new(SimulatedSessions {
            stage: stage.clone(),
            git: git.clone(),
        });
        let journal = SimulatedJournal {
            stage: stage.clone(),
            journal: self.journal.clone(),
        };
        let ports = Ports {
            effects: EffectPorts {
                github: github.clone(),
                git,
                reviewers: sessions.clone(),
                fixer: sessions,
                renderer: Arc::new(RealRenderer),
                policy_source: self.policy.clone(),
                clock: Arc::new(StageClock(stage.clone())),
                review_memory: self.memory.clone(),
                syntax: Arc::new(NoSyntax),
            },
            journal: Arc::new(journal),
        };
        (ports, github)
    }

    async fn live(&self, life: u64, last: Time) -> LifeEnd {
        let stage = &self.stage;
        let downtime = match life {
            0 => 0,
            _ => stage.draw.between(("downtime", life), 1_000, 10 * MINUTE),
        };
        // Timers have whole milliseconds from when the runtime was made, which is no whole one by the machine's clock: after the first of
        // them everything falls on one.
        tokio::time::sleep(Duration::from_millis(1)).await;
        stage.clock.begin_life(last, downtime);
        stage.log(format!("life {life}"));
        let received = self.journal.ask(|store| store.unapplied());
        let received = received.unwrap_or_default().into_iter();
        stage.promises().received = received.map(|(seq, ..)| seq).collect();
        let (ports, github) = self.ports();
        let people = People {
            stage: stage.clone(),
            github,
            journal: self.journal.clone(),
        };
        if life == 0 {
            people.start_loops();
        }
        let acting = tokio::spawn(people.act());
        let end = tokio::select! {
            biased;
            () = stage.gate.death() => LifeEnd::Died,
            end = self.run(ports) => end,
        };
        acting.abort();
        if let LifeEnd::Died = end {
            stage.log("the process dies");
        }
        end
    }

    async fn run(&self, ports: Ports) -> LifeEnd {
        let config = EngineConfig {
            slots: usize::try_from(self.stage.schedule.setting.slots).unwrap_or(1),
            requests_every_ms: REQUESTS_MS,
            time_zone: jiff::tz::TimeZone::UTC,
            ..EngineConfig::default()
        };
        let engine = match Engine::start(ports, config).await {
            Ok(engine) => engine,
            Err(error) => {
                self.stage.log(format!("it does not start: {error}"));
                return LifeEnd::Died;
            }
        };
        let handle = engine.handle();
        let mut changes = handle.subscribe();
        for state in handle.loops() {
            checks::observe(&self.stage, state);
        }
        let watching = async {
            loop {
                match changes.recv().await {
                    Ok(state) => checks::observe(&self.stage, state),
                    Err(RecvError::Lagged(missed)) => {
                        self.stage.breach(format!("{missed} changes were not seen"));
                    }
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        tokio::select! {
            biased;
            () = watching => LifeEnd::Rests,
            error = engine.failed() => {
                self.stage.log(format!("it ends: {error}"));
                LifeEnd::Died
            }
            end = self.wait_for_rest() => end,
        }
    }

    async fn wait_for_rest(&self) -> LifeEnd {
        let stage = &self.stage;
        let planned = stage.schedule.moves.last().map_or(0, |planned| planned.at);
        let mut rests = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(LOOK_MS)).await;
            let panics = PANICS.take();
            for panic in panics {
                stage.breach(panic);
            }
            let passed = stage.clock.world().since(START);
            if passed > planned + LONGEST_MS {
                let promises = stage.promises();
                let states: Vec<String> = promises
                    .loops()
                    .map(|state| {
                        let effects: Vec<_> = state.outbox.effects.values().collect();
                        format!("{} {:?} {effects:?}", state.run.state, state.run.blocker)
                    })
                    .collect();
                drop(promises);
                stage.breach(format!("a run does not end: {states:#?}"));
            }
            if !stage.promises().breaches.is_empty() {
                return LifeEnd::Broken;
            }
            let asked = self
                .journal
                .ask(|store| Box::pin(async move { Ok(store.requests().await?.len()) }));
            let settled = stage.promises().is_settled(stage.schedule.setting.pulls);
            let is_quiet = settled && stage.agenda.is_done() && asked.is_ok_and(|left| left == 0);
            rests = if is_quiet { rests + 1 } else { 0 };
            if rests >= RESTS {
                return LifeEnd::Rests;
            }
        }
    }

    /// The journal says what was shown, and the audit log is whole.
    fn check_end(&self) -> Result<(), String> {
        let stored = self.journal.ask(|store| store.loops());
        let stored = stored.map_err(|error| error.to_string())?;
        let unapplied = self.journal.ask(|store| store.unapplied());
        let unapplied = unapplied.map_err(|error| error.to_string())?;
        checks::check_inbox(&self.stage, unapplied.iter().map(|(seq, ..)| *seq));
        checks::check_cancelled(&self.stage);
        checks::check_journal(&self.stage, &stored);
        let unwritten = self
            .journal
            .ask(|store| Box::pin(async { Ok(store.wait_for_checkpoints().await) }));
        let paths = self.journal.paths();
        check_files::check_checkpoints(&self.stage, paths, &stored, unwritten.unwrap_or(1))?;
        self.journal
            .ask(|store| Box::pin(async { store.audit(&check_files::last_line()).await }))
            .map_err(|error| error.to_string())?;
        check_files::check_audit(&self.stage, paths);
        Ok(())
    }
}

/// The stage's clock, as a port.
struct StageClock(Arc<Stage>);

#[async_trait::async_trait]
impl collie_engine::ports::Clock for StageClock {
    fn now(&self) -> Time {
        self.0.clock.now()
    }

    async fn sleep_until(&self, time: Time) {
        self.0.clock.sleep_until(time).await;
    }

    fn jitter(&self) -> u16 {
        self.0.clock.jitter()
    }

    fn run_id(&self) -> collie_core::ids::RunId {
        self.0.clock.run_id()
    }
}

//! Journals on either database, and loops to write into them.

use collie_core::event::{Cancel, Event};
use collie_core::ids::{Login, LoopId, RepoName, RunId, Time};
use collie_core::loop_state::{LoopState, NewLoop, PullRequest};
use collie_core::policy::Policy;
use collie_core::usage::Usage;
use collie_engine::ports::{
    AppliedStep, DaySpending, JournalReader, ModelSpending, ProjectedChange, ProjectedStep,
    ProjectionJournal, ProjectionPlace as _, StoreError,
};
use collie_engine::{HistoryEntry, apply_event};
use collie_store::{OpenMode, Store, StorePaths};
use collie_store_postgres::PostgresPlace;
use collie_testkit::postgres::{PostgresServer, shared};
use jiff::tz::TimeZone;
use std::sync::Arc;

pub const NOW: Time = Time(1_770_000_000_000);
pub const ENGINE: &str = "engine-one";

/// A data folder, with a database where views do not lie in it.
pub struct Home {
    folder: tempfile::TempDir,
    database: Option<(Arc<PostgresServer>, String)>,
}

impl Home {
    pub fn sqlite() -> Option<Self> {
        Some(Self {
            folder: tempfile::tempdir().unwrap(),
            database: None,
        })
    }

    /// None where there is no PostgreSQL, which is said.
    pub fn postgres() -> Option<Self> {
        let server = shared()?;
        let url = server.database();
        Some(Self::on(server, url))
    }

    pub fn on(server: Arc<PostgresServer>, url: String) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            database: Some((server, url)),
        }
    }

    /// Another server's folder with the same database.
    pub fn another(&self) -> Self {
        let (server, url) = self.database.as_ref().unwrap();
        Self::on(server.clone(), url.clone())
    }

    pub fn server(&self) -> &PostgresServer {
        &self.database.as_ref().unwrap().0
    }

    pub fn url(&self) -> &str {
        &self.database.as_ref().unwrap().1
    }

    pub async fn try_open(&self) -> Result<Arc<dyn ProjectionJournal>, StoreError> {
        let paths = StorePaths::below(self.folder.path());
        let own = Store::open(&paths, OpenMode::Engine).await.unwrap();
        match &self.database {
            None => Ok(Arc::new(own)),
            Some((_, url)) => PostgresPlace::parse(url).unwrap().open(Arc::new(own)).await,
        }
    }

    /// Opens it as a command does beside servers.
    pub async fn try_open_beside(
        &self,
        engine: Option<&str>,
    ) -> Result<Arc<dyn JournalReader>, StoreError> {
        let paths = StorePaths::below(self.folder.path());
        let own = Store::open(&paths, OpenMode::Reader).await.unwrap();
        let place = PostgresPlace::parse(self.url()).unwrap();
        place.open_reader(Arc::new(own), engine).await
    }

    /// Opens it, and claims it for the engine.
    pub async fn open(&self) -> Arc<dyn ProjectionJournal> {
        let journal = self.try_open().await.unwrap();
        assert!(journal.claim_for(Some(ENGINE)).await.unwrap());
        journal
    }
}

pub fn login() -> Login {
    Login::new("ana")
}

pub fn id(number: u64) -> LoopId {
    LoopId {
        host: "github.com".into(),
        repo_id: "R_1".into(),
        number,
    }
}

pub fn new_loop(number: u64) -> LoopState {
    let new = NewLoop {
        id: id(number),
        pull: PullRequest {
            repo: RepoName::parse("acme/web").unwrap(),
            title: "Mend the fence".into(),
            author: Some(login()),
            url: String::new(),
            base_ref: "main".into(),
            head_ref: "fence".into(),
        },
        run: RunId::new(format!("run-{number}")),
        started_by: login(),
        policy: Policy::default(),
    };
    LoopState::new(new, NOW)
}

pub fn step(version: u64, change: ProjectedChange, applied: AppliedStep) -> ProjectedStep {
    ProjectedStep {
        version,
        change,
        applied,
    }
}

/// A loop as it stands.
pub fn standing(state: &LoopState) -> AppliedStep {
    AppliedStep {
        inbox: Vec::new(),
        from: None,
        state: state.clone(),
        effects: Vec::new(),
        dropped: Vec::new(),
        notes: Vec::new(),
        at: NOW,
        spent: None,
        spent_on: Vec::new(),
        read_before: None,
    }
}

/// The beginning of a loop, and its end by a person, which cost something.
pub fn begun_and_cancelled(number: u64) -> [ProjectedStep; 2] {
    let state = new_loop(number);
    let cancel = Event::Cancel(Cancel { by: login() });
    let done = apply_event(&state, &cancel, NOW.plus(1));
    let entry = HistoryEntry::applied((&state, &cancel), &done, (2, NOW.plus(1)));
    let mut applied = entry.step_from(&state, &TimeZone::UTC).unwrap();
    let usage = |cost_micros, unpriced| Usage {
        input_tokens: 10,
        output_tokens: 5,
        cost_micros,
        unpriced_tokens: 1,
        unpriced,
    };
    applied.spent = Some(DaySpending {
        day: "2026-02-02".parse().unwrap(),
        usage: usage(700, false),
    });
    applied.spent_on = vec![ModelSpending {
        model: Some("openai/large".into()),
        usage: usage(600, true),
    }];
    [
        step(1, ProjectedChange::Begun, standing(&state)),
        step(2, ProjectedChange::Event(Box::new(cancel)), applied),
    ]
}

pub async fn events(journal: &dyn ProjectionJournal, number: u64) -> Vec<String> {
    let timeline = journal.timeline(&id(number)).await.unwrap();
    timeline.into_iter().map(|entry| entry.event).collect()
}

//! Loops and events to play with.

use collie_core::effect::Effect;
use collie_core::effect::PostEffect;
use collie_core::event::Event;
use collie_core::event::{Cancel, Observed};
use collie_core::ids::{
    ActionToken, EffectId, Login, LoopId, PullName, RepoName, RunId, Sha, Time,
};
use collie_core::lifecycle::State;
use collie_core::loop_state::{LoopState, NewLoop, PullRequest};
use collie_core::policy::Policy;
use collie_core::post::{Post, PostContent};
use collie_core::snapshot::{Actor, Mergeable, PullState, Snapshot};
use collie_engine::ports::{AppliedStep, Journal};
use collie_store::{OpenMode, Store, StorePaths};
use std::collections::{BTreeMap, BTreeSet};

pub const NOW: Time = Time(1_770_000_000_000);

/// A data folder that goes away with the test.
pub struct TempHome {
    pub folder: StorePaths,
    _temp: tempfile::TempDir,
}

pub fn temp_home() -> TempHome {
    let temp = tempfile::tempdir().unwrap();
    TempHome {
        folder: StorePaths::below(temp.path().join("home")),
        _temp: temp,
    }
}

impl TempHome {
    pub async fn engine(&self) -> Store {
        Store::open(&self.folder, OpenMode::Engine).await.unwrap()
    }

    pub async fn reader(&self) -> Store {
        Store::open(&self.folder, OpenMode::Reader).await.unwrap()
    }

    /// Every file below the folder, but for what SQLite keeps beside the database.
    pub fn file_names(&self) -> Vec<String> {
        let mut files = Vec::new();
        list_files(self.folder.root(), "", &mut files);
        files.retain(|file| !file.ends_with("-wal") && !file.ends_with("-shm"));
        files.sort();
        files
    }

    pub fn checkpoint(&self, path: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(self.folder.checkpoints().join(path)).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

fn list_files(folder: &std::path::Path, prefix: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            list_files(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push(name);
        }
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

pub fn sha(digit: char) -> Sha {
    Sha::parse(&digit.to_string().repeat(40)).unwrap()
}

pub fn pull_name(number: u64) -> PullName {
    PullName {
        repo: RepoName::parse("acme/web").unwrap(),
        number,
    }
}

pub fn new_loop(number: u64) -> LoopState {
    LoopState::new(
        NewLoop {
            id: id(number),
            pull: PullRequest {
                repo: RepoName::parse("acme/web").unwrap(),
                title: "Mend the fence".into(),
                author: Some(login()),
                url: format!("https://github.com/acme/web/pull/{number}"),
                base_ref: "main".into(),
                head_ref: "fence".into(),
            },
            run: RunId::new(format!("run-{number}")),
            started_by: login(),
            policy: Policy::default(),
        },
        NOW,
    )
}

pub fn cancel() -> Event {
    Event::Cancel(Cancel { by: login() })
}

pub fn observed(number: u64) -> Event {
    let actor = Actor {
        id: collie_core::ids::AccountId(7),
        login: login(),
        is_bot: false,
    };
    Event::Observed(Observed {
        snapshot: Box::new(Snapshot {
            read_at: NOW,
            repo: RepoName::parse("acme/web").unwrap(),
            number,
            title: "Mend the fence".into(),
            body: "a large text\n".repeat(200),
            url: String::new(),
            author: Some(actor.clone()),
            viewer: actor,
            state: PullState::Open,
            draft: false,
            locked: false,
            head: sha('a'),
            head_ref: "fence".into(),
            head_repo: None,
            base_ref: "main".into(),
            base: sha('b'),
            merge_blocked: false,
            mergeable: Mergeable::Yes,
            behind: false,
            review_required: false,
            auto_merge: None,
            in_merge_queue: false,
            queue_removal: None,
            labels: BTreeSet::new(),
            required_checks: BTreeSet::new(),
            known_checks: BTreeSet::new(),
            base_checks: Vec::new(),
            others_have_checks: false,
            checks: vec![],
            reviews: vec![],
            threads: vec![],
            comments: vec![],
            files: vec![],
            push_obstacles: BTreeSet::new(),
            pending_review: false,
            default_head: None,
            writers: BTreeSet::new(),
            permission_unread: BTreeSet::new(),
            pinned_accounts: BTreeMap::new(),
            start_denied: false,
            own_accounts: std::collections::BTreeSet::new(),
            reviewing_bots: std::collections::BTreeSet::new(),
        }),
        throttle: None,
    })
}

pub fn post(number: u64, nth: u64) -> (EffectId, Effect) {
    let post = Post {
        token: ActionToken::new(format!("token-{number}-{nth}")),
        content: PostContent::RequestRereview {
            logins: vec![login()],
            head: sha('a'),
        },
        by: None,
    };
    (
        EffectId::new(format!("pull-{number}/{nth}")),
        Effect::Post(PostEffect {
            post: Box::new(post),
        }),
    )
}

/// One event that leads to `state`, asks for `effects` and drops nothing.
pub fn applied(inbox: &[u64], before: &LoopState, state: LoopState) -> AppliedStep {
    AppliedStep {
        inbox: inbox.to_vec(),
        from: Some(before.run.state),
        state,
        effects: vec![],
        dropped: vec![],
        notes: vec![],
        spent: None,
        spent_on: vec![],
        read_before: Some(before.reading_times()),
        at: NOW,
    }
}

pub fn with_state(before: &LoopState, to: State) -> LoopState {
    let mut after = before.clone();
    after.run.state = to;
    after
}

/// Receives an event and applies it as what it came to.
pub async fn receive_and_apply(store: &Store, event: Event, before: &LoopState, after: LoopState) {
    let inbox = store
        .receive(&[(before.id.clone(), event)], NOW)
        .await
        .unwrap();
    store
        .apply(&[applied(&inbox, before, after)])
        .await
        .unwrap();
}

//! What the tests share: a served forge with one pull request, a loop that is ready, and clicks.

use async_trait::async_trait;
use collie_core::ids::{Login, LoopId, PullName, RunId, Sha, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::{self, LoopState, NewLoop};
use collie_core::merge_method::MergeMethod;
use collie_core::policy::Policy;
use collie_core::user_error::UserError;
use collie_engine::ports::{AuditEntry, Clock, StoreError};
use collie_forge::model::PullRequest;
use collie_github::{GitHubConfig, Token, TokenSource};
use collie_merge::{
    AuditSink, CompletedMerge, ConfirmedMerge, HumanConsent, MergeError, MergeGate,
};
use collie_testkit::forge::ForgeFixture;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::json;
use std::ops::Deref;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const NOW: i64 = 1_770_000_000_000;

/// A clock that stands still until someone sleeps.
pub struct StillClock(AtomicI64);

impl StillClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(NOW)))
    }
}

#[async_trait]
impl Clock for StillClock {
    fn now(&self) -> Time {
        Time(self.0.load(Ordering::SeqCst))
    }

    async fn sleep_until(&self, time: Time) {
        self.0.fetch_max(time.0, Ordering::SeqCst);
    }

    fn jitter(&self) -> u16 {
        0
    }

    fn run_id(&self) -> RunId {
        RunId::new("run")
    }
}

/// An audit log in memory.
#[derive(Default)]
pub struct MemoryAudit(Mutex<Vec<AuditEntry>>);

#[async_trait]
impl AuditSink for MemoryAudit {
    async fn append(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.0
            .lock()
            .expect("no test panics here")
            .push(entry.clone());
        Ok(())
    }
}

impl MemoryAudit {
    /// Each entry as its action's name, and the code where it has one.
    pub fn actions(&self) -> Vec<String> {
        let entries = self.0.lock().expect("no test panics here");
        let name = |entry: &AuditEntry| {
            let action = serde_json::to_value(entry.action).expect("a name");
            let code = entry.details.get("code").map_or("", String::as_str);
            format!("{} {code}", action.as_str().expect("a text"))
                .trim()
                .to_string()
        };
        entries.iter().map(name).collect()
    }
}

/// A loop that is ready at that head.
pub fn ready_loop(id: LoopId, head: &Sha) -> LoopState {
    let name = PullName::parse("demo/app#1").expect("a name");
    let mut state = LoopState::new(
        NewLoop {
            id,
            pull: loop_state::PullRequest {
                repo: name.repo,
                title: "Add much".into(),
                author: Some(Login::new("ana")),
                url: String::new(),
                head_ref: "feature".into(),
                base_ref: "main".into(),
            },
            run: RunId::new("run-1"),
            started_by: Login::new("octo"),
            policy: Policy::default(),
        },
        Time(NOW),
    );
    state.run.state = State::PrReadyToMerge;
    state.run.head.sha = Some(head.clone());
    state.run.head.approved = Some(head.clone());
    state
}

/// What octo confirms of a loop.
pub fn confirmed_merge(state: &LoopState, method: MergeMethod) -> ConfirmedMerge {
    ConfirmedMerge {
        id: state.id.clone(),
        pull: state.pull_name(),
        head: state.run.head.sha.clone().expect("a head"),
        method,
        login: Login::new("octo"),
        at: Time(NOW),
    }
}

pub fn consent_by_click(confirmed: ConfirmedMerge) -> HumanConsent {
    HumanConsent::given_by_a_click_in_the_merge_dialog(confirmed)
}

/// A gate of the API at `api_url`, as `forge-octo`.
pub fn merge_gate(api_url: &str, token: &str, audit: Arc<dyn AuditSink>) -> MergeGate {
    let tokens = TokenSource::Given(Token::new(token).expect("a token"));
    let mut config = GitHubConfig::new(api_url, tokens);
    config.request_timeout = Duration::from_secs(20);
    MergeGate::new(&config, StillClock::new(), audit).expect("a gate")
}

/// Holds that no error shows a token.
pub fn refusal_code(outcome: Result<CompletedMerge, MergeError>) -> &'static str {
    let error = outcome.expect_err("it is refused");
    let shown = format!("{error} {error:?} {}", UserError::from(&error));
    assert!(!shown.contains("forge-"), "a token in {shown}");
    error.why.code()
}

/// A forge with `demo/app`, pull request 1 of ana in it, and what was audited.
pub struct MergeFixture {
    forge: ForgeFixture,
    pub audit: Arc<MemoryAudit>,
}

impl Deref for MergeFixture {
    type Target = ForgeFixture;

    fn deref(&self) -> &ForgeFixture {
        &self.forge
    }
}

impl MergeFixture {
    pub async fn start() -> Self {
        let pull = PullFixture::new("feature")
            .with_title("Add much")
            .with_file("added.txt", "two\n")
            .with_commit("Add more")
            .with_file("more.txt", "three\n");
        let repository = RepositoryFixture::new("demo/app").with_base_file("shared.txt", "one\n");
        Self {
            forge: ForgeFixture::start(&repository.with_pull(pull)).await,
            audit: Arc::default(),
        }
    }

    pub async fn shutdown(mut self) {
        self.forge.stop().await;
    }

    pub fn gate(&self) -> MergeGate {
        self.gate_of("octo")
    }

    pub fn gate_of(&self, login: &str) -> MergeGate {
        let token = format!("forge-{login}");
        merge_gate(&self.api_url(), &token, self.audit.clone())
    }

    /// The loop of pull request 1, ready at its head.
    pub fn ready_loop(&self) -> LoopState {
        let repo = "demo/app".parse().expect("a name");
        let number = |state: &collie_forge::model::RepoState| state.meta.id;
        let repository = self.forge().read(&repo, number).expect("there");
        let id = LoopId {
            host: self.running().addr().to_string(),
            repo_id: collie_forge::node::node_id(
                collie_forge::node::NodeKind::Repository,
                repository,
            ),
            number: 1,
        };
        let head = Sha::parse(self.pull().head_sha.as_str()).expect("a head");
        ready_loop(id, &head)
    }

    /// Octo clicks Merge on the loop as it is now, and chooses a merge commit.
    pub async fn merge(&self, state: &LoopState) -> Result<CompletedMerge, MergeError> {
        let consent = consent_by_click(confirmed_merge(state, MergeMethod::Merge));
        self.gate().merge(state, consent).await
    }

    pub fn pull(&self) -> PullRequest {
        let repo = "demo/app".parse().expect("a name");
        let pull = |state: &collie_forge::model::RepoState| state.pulls.get(1).cloned();
        self.forge()
            .read(&repo, pull)
            .expect("there")
            .expect("there")
    }

    /// Who merged it; none while nobody has.
    pub fn merged_by(&self) -> Option<String> {
        let by = self.pull().merged_by?;
        Some(self.forge().account(by).login)
    }

    /// Runs a mutation on the pull request as ana.
    pub async fn mutate_pull(&self, field: &str) {
        let query = format!(
            "mutation($id: ID!) {{ {field}(input: {{pullRequestId: $id}}) {{ clientMutationId }} }}"
        );
        self.graphql_about_pull("ana", 1, &query).await;
    }

    /// A commit status on the head.
    pub async fn set_status(&self, state: &str) {
        let path = format!("/statuses/{}", self.pull().head_sha);
        let status = json!({"state": state, "context": "build"});
        self.repo_call("ana", "POST", &path, Some(status)).await;
    }

    /// How often a merge was asked for.
    pub async fn merge_request_count(&self) -> u64 {
        let counts = self.request_counts().await;
        let routes = counts["routes"].as_object().expect("routes");
        let merges = routes
            .iter()
            .filter(|(route, _)| route.starts_with("PUT ") && route.ends_with("/merge"));
        merges.filter_map(|(_, count)| count.as_u64()).sum()
    }
}

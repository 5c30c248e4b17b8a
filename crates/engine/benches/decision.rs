//! How long a decision takes with 1,000 loops on the real journal (§17): from a reading that shows the last check green to the
//! beginning of the review that follows. Beside it what one durable write costs in that folder, since a decision is four of them: the
//! event, the transaction that applies it, the checkpoint and its folder. And how long a start takes with all of them in flight, and what memory an idle loop takes.
//!
//! `cargo bench -p collie-engine --bench decision [-- LOOPS SAMPLES]`

use async_trait::async_trait;
use collie_core::autonomy::Autonomy;
use collie_core::budget::Budget;
use collie_core::code_context::{WordHits, WordSearch};
use collie_core::effect::CheckRun;
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::ids::*;
use collie_core::policy::Policy;
use collie_core::poll_budget::RateBudget;
use collie_core::post::Post;
use collie_core::review_memory::{MemoryEntry, RepositoryMemory};
use collie_core::snapshot::*;
use collie_core::token_right::{RepositoryWrite, TokenRight};
use collie_core::user_error::UserError;
use collie_engine::ports::*;
use collie_engine::{EffectPorts, Engine, EngineConfig, Ports};
use collie_store::{OpenMode, Store, StorePaths};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

fn sha(n: u64) -> Sha {
    Sha::parse(&format!("{n:040x}")).expect("forty hex digits")
}

fn actor() -> Actor {
    Actor {
        id: AccountId(1),
        login: Login::new("kim"),
        is_bot: false,
    }
}

/// GitHub with one repository of many pull requests. A pull request's check runs until it is made green.
struct FakeGitHub {
    green: Mutex<BTreeMap<u64, Option<Instant>>>,
}

impl FakeGitHub {
    fn snapshot(&self, pull: &PullRef) -> Snapshot {
        let number = pull.id.number;
        let mut green = self.green.lock().expect("no panic while held");
        let done = green.get_mut(&number);
        let (status, conclusion) = match done {
            Some(shown) => {
                shown.get_or_insert_with(Instant::now);
                (CheckStatus::Completed, Some(CheckConclusion::Success))
            }
            None => (CheckStatus::InProgress, None),
        };
        let check = Check {
            id: 1,
            name: "build".into(),
            status,
            conclusion,
            url: None,
            completed_at: None,
            reporter: None,
            summary: None,
            annotations: Vec::new(),
            log_tail: None,
            app_id: None,
            workflow: None,
        };
        Snapshot {
            read_at: SystemClock.now(),
            repo: pull.repo.clone(),
            number,
            title: format!("Change {number}").into(),
            body: String::new(),
            url: format!("https://github.com/{}/pull/{number}", pull.repo),
            author: Some(actor()),
            viewer: actor(),
            state: PullState::Open,
            draft: false,
            locked: false,
            head: sha(number),
            head_ref: format!("topic-{number}"),
            head_repo: Some(pull.repo.clone()),
            base_ref: "main".into(),
            base: sha(0),
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
            checks: vec![check],
            reviews: Vec::new(),
            threads: Vec::new(),
            comments: Vec::new(),
            files: Vec::new(),
            push_obstacles: BTreeSet::new(),
            pending_review: false,
            default_head: Some(sha(0)),
            writers: BTreeSet::new(),
            permission_unread: BTreeSet::new(),
            pinned_accounts: BTreeMap::new(),
            start_denied: false,
            own_accounts: std::collections::BTreeSet::new(),
            reviewing_bots: std::collections::BTreeSet::new(),
        }
    }
}

#[async_trait]
impl GitHub for FakeGitHub {
    async fn viewer(&self) -> Result<Actor, GitHubError> {
        Ok(actor())
    }
    async fn resolve_pull(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError> {
        let id = LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number: pull.number,
        };
        Ok(ResolvedPull {
            pull: PullRef {
                id,
                repo: pull.repo.clone(),
            },
            title: "A change".into(),
            author: Some(actor()),
            url: String::new(),
            head_ref: "topic".into(),
            base_ref: "main".into(),
        })
    }
    async fn open_pulls(&self, _: &RepoName) -> Result<Vec<u64>, GitHubError> {
        Ok(Vec::new())
    }
    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        pulls.iter().map(|pull| Ok(self.snapshot(pull))).collect()
    }
    fn budgets(&self) -> Vec<RateBudget> {
        Vec::new()
    }
    async fn post(
        &self,
        _: &PullRef,
        _: &RenderedPost,
        _: Option<&Login>,
    ) -> Result<u64, GitHubError> {
        Ok(1)
    }
    async fn find_post(&self, _: &PullRef, _: &ActionToken) -> Result<Option<u64>, GitHubError> {
        Ok(None)
    }
    async fn resolve_thread(&self, _: &PullRef, _: &ThreadId) -> Result<(), GitHubError> {
        Ok(())
    }
    async fn write_obstacle(&self, _: &PullRef) -> Result<Option<WriteObstacle>, GitHubError> {
        Ok(None)
    }
    async fn lacking_rights(
        &self,
        _: &RepoName,
        _: &BTreeSet<RepositoryWrite>,
    ) -> Result<BTreeSet<TokenRight>, GitHubError> {
        Ok(BTreeSet::new())
    }

    async fn rerun_check(&self, _: &PullRef, _: &CheckRun) -> Result<(), GitHubError> {
        Ok(())
    }

    async fn was_rerun(&self, _: &PullRef, _: &CheckRun) -> Result<bool, GitHubError> {
        Ok(false)
    }

    fn git_url(&self, repo: &RepoName) -> String {
        format!("https://github.com/{repo}.git")
    }
}

/// Git that tells when a review's checkout is asked for, and then has it fail for good.
struct FakeGit {
    begun: mpsc::UnboundedSender<(u64, Instant)>,
}

fn unavailable<T>() -> Result<T, GitError> {
    Err(GitError::GitUnavailable {
        message: "none in this bench".into(),
    })
}

#[async_trait]
impl Git for FakeGit {
    async fn prepare(
        &self,
        pull: &PullRef,
        _: &GitRemote,
        _: &Sha,
        _: &Sha,
        _: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        let _ = self.begun.send((pull.id.number, Instant::now()));
        unavailable()
    }
    async fn diff(&self, _: &CleanWorktree, _: &Sha) -> Result<Vec<DiffFile>, GitError> {
        unavailable()
    }
    async fn changed_lines_since(
        &self,
        _: &CleanWorktree,
        _: &Sha,
    ) -> Result<Option<BTreeMap<String, Vec<LineRange>>>, GitError> {
        unavailable()
    }
    async fn changed_paths_at(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: &Sha,
    ) -> Result<Option<BTreeSet<String>>, GitError> {
        unavailable()
    }
    async fn patch_of(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: usize,
    ) -> Result<Option<String>, GitError> {
        unavailable()
    }
    async fn file_at(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: &str,
        _: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        unavailable()
    }
    async fn paths_at(&self, _: &CleanWorktree, _: &Sha) -> Result<Vec<String>, GitError> {
        unavailable()
    }
    async fn search_words(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: &WordSearch,
    ) -> Result<WordHits, GitError> {
        unavailable()
    }
    async fn commit_messages(&self, _: &CleanWorktree, _: usize) -> Result<Vec<String>, GitError> {
        unavailable()
    }
    async fn shield(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: ShieldedConfig,
    ) -> Result<Shield, GitError> {
        unavailable()
    }
    async fn unshield(&self, _: &CleanWorktree, _: Shield) -> Result<(), GitError> {
        unavailable()
    }
    async fn files_at(
        &self,
        _: &PullRef,
        _: &GitRemote,
        _: &Sha,
        _: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        Ok(Vec::new())
    }
    async fn vet(
        &self,
        _: &CleanWorktree,
        _: &dyn SyntaxChecker,
        _: VerifyRun<'_>,
        _: &CancellationToken,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, GitError> {
        unavailable()
    }
    async fn merge_base_in(
        &self,
        _: &PullRef,
        _: &GitRemote,
        _: &Sha,
        _: &Sha,
    ) -> Result<Option<MergedWorktree>, GitError> {
        unavailable()
    }
    async fn lay_merge(&self, _: &MergedWorktree, _: &Sha) -> Result<(), GitError> {
        unavailable()
    }
    async fn vet_merge(
        &self,
        _: &MergedWorktree,
        _: &dyn SyntaxChecker,
        _: VerifyRun<'_>,
        _: &CancellationToken,
    ) -> Result<Result<VettedMerge, GateRefusal>, GitError> {
        unavailable()
    }
    async fn commit(&self, _: &VettedChange, _: &CommitMessage) -> Result<Sha, GitError> {
        unavailable()
    }
    async fn oscillates(
        &self,
        _: &CleanWorktree,
        _: &Sha,
        _: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        unavailable()
    }
    async fn push(
        &self,
        _: &PullRef,
        _: &GitRemote,
        _: (&Sha, &Sha),
        _: Option<&Login>,
    ) -> Result<PushOutcome, GitError> {
        unavailable()
    }
    async fn rebase(
        &self,
        _: &PullRef,
        _: &GitRemote,
        _: &Sha,
        _: &Sha,
        _: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        unavailable()
    }
    async fn remote_head(&self, _: &GitRemote) -> Result<Option<Sha>, GitError> {
        unavailable()
    }
    async fn clean_up(&self, _: &PullRef) -> Result<(), GitError> {
        Ok(())
    }
}

/// Everything else that a decision does not touch.
struct UnusedPorts;

#[async_trait]
impl Reviewers for UnusedPorts {
    async fn review(
        &self,
        _: ReviewRequest,
        _: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        Err(SessionFailure::permanent(UserError::new(
            ErrorCode::Cancelled,
        )))
    }
}

#[async_trait]
impl Fixer for UnusedPorts {
    async fn fix(
        &self,
        _: FixRequest,
        _: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        Err(SessionFailure::permanent(UserError::new(
            ErrorCode::Cancelled,
        )))
    }
}

impl Renderer for UnusedPorts {
    fn render(&self, post: &Post) -> RenderedPost {
        RenderedPost::Comment {
            body: post.token.to_string(),
        }
    }
}

#[async_trait]
impl ReviewMemory for UnusedPorts {
    async fn read(&self, _: &MemoryKey) -> Result<RepositoryMemory, StoreError> {
        Ok(RepositoryMemory::default())
    }
    async fn record(&self, _: &MemoryKey, _: &MemoryEntry) -> Result<(), StoreError> {
        Ok(())
    }
}

impl SyntaxChecker for UnusedPorts {
    fn first_broken_line(&self, _: &str, _: Option<&[u8]>, _: &[u8]) -> Option<u32> {
        None
    }
}

impl PolicySource for UnusedPorts {
    fn policy(&self, _: &RepoName, _: Option<&[u8]>) -> Result<EffectivePolicy, UserError> {
        let policy = Policy {
            poll_interval_ms: 1_000,
            ..Policy::default()
        };
        Ok(EffectivePolicy {
            policy,
            without_effect: BTreeSet::new(),
        })
    }
    fn pin_account(&self, _: &Login, seen: AccountId) -> Result<AccountId, UserError> {
        Ok(seen)
    }
    fn budget(&self) -> Budget {
        Budget::default()
    }
    fn verify_plan(&self, _: &RepoName, _: Option<&[u8]>) -> VerifyPlan {
        VerifyPlan::default()
    }
    fn may_start(&self, _: &Login) -> bool {
        true
    }
    fn autonomy(&self, _: &RepoName) -> Option<Autonomy> {
        Some(Autonomy::Push)
    }
}

struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Time(since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)))
    }
    async fn sleep_until(&self, time: Time) {
        tokio::time::sleep(Duration::from_millis(time.since(self.now()))).await;
    }
    fn jitter(&self) -> u16 {
        500
    }
    fn run_id(&self) -> RunId {
        RunId::new(format!("run-{}", rand::random::<u64>()))
    }
}

fn ports(hub: &Arc<FakeGitHub>, store: Store) -> (Ports, mpsc::UnboundedReceiver<(u64, Instant)>) {
    let (begun, receive) = mpsc::unbounded_channel();
    let rest = Arc::new(UnusedPorts);
    let ports = Ports {
        effects: EffectPorts {
            github: hub.clone(),
            git: Arc::new(FakeGit { begun }),
            reviewers: rest.clone(),
            fixer: rest.clone(),
            renderer: rest.clone(),
            policy_source: rest.clone(),
            clock: Arc::new(SystemClock),
            review_memory: rest.clone(),
            syntax: rest,
        },
        journal: Arc::new(store),
    };
    (ports, receive)
}

/// Resident memory of this process, in KiB; 0 where the system does not tell.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn percentile(sorted: &[Duration], permille: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted
        .get(last * permille / 1000)
        .copied()
        .unwrap_or_default()
}

/// What it takes to write 4 KiB to a folder and have them on the disk, each time; sorted.
fn durable_writes(folder: &Path) -> std::io::Result<Vec<Duration>> {
    let mut file = std::fs::File::create(folder.join("durable-writes"))?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let begin = Instant::now();
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        times.push(begin.elapsed());
    }
    times.sort();
    Ok(times)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let loops = numbers.next().unwrap_or(1_000);
    let samples = numbers.next().unwrap_or(200).min(loops);
    let home = tempfile::tempdir()?;
    let folder = StorePaths::below(home.path());
    let hub = Arc::new(FakeGitHub {
        green: Mutex::new(BTreeMap::new()),
    });

    let store = Store::open(&folder, OpenMode::Engine).await?;
    let (first, _) = ports(&hub, store);
    let engine = Engine::start(first, EngineConfig::default()).await?;
    let handle = engine.handle();
    let before = resident_kib();
    let repo = RepoName::parse("acme/api")?;
    for number in 1..=loops {
        handle
            .start(&PullName {
                repo: repo.clone(),
                number,
            })
            .await?;
    }
    while handle
        .loops()
        .iter()
        .any(|state| state.run.polling.last_snapshot.checks.is_empty())
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!(
        "memory of an idle loop: {:.1} KiB (all of {loops}: {} KiB)",
        (resident_kib().saturating_sub(before)) as f64 / loops as f64,
        resident_kib().saturating_sub(before),
    );
    engine.shutdown().await;
    // The handle holds the store, and with it the data folder.
    drop(handle);

    let begin = Instant::now();
    let store = Store::open(&folder, OpenMode::Engine).await?;
    let (second, mut begun) = ports(&hub, store);
    let engine = Engine::start(second, EngineConfig::default()).await?;
    println!(
        "start with {loops} loops in flight: {:.0?}",
        begin.elapsed()
    );

    let mut waits = Vec::new();
    for number in 1..=samples {
        hub.green
            .lock()
            .expect("no panic while held")
            .insert(number, None);
        let (number, at) = begun.recv().await.ok_or("the engine ended")?;
        let shown = hub
            .green
            .lock()
            .expect("no panic while held")
            .get(&number)
            .copied()
            .flatten();
        waits.push(at.duration_since(shown.ok_or("it was shown green first")?));
    }
    waits.sort();
    let writes = durable_writes(home.path())?;
    println!(
        "one durable write: p50 {:.1?}, p99 {:.1?}; a decision takes {:.1} of them at p50, {:.1} at p99",
        percentile(&writes, 500),
        percentile(&writes, 990),
        percentile(&waits, 500).as_secs_f64() / percentile(&writes, 500).as_secs_f64(),
        percentile(&waits, 990).as_secs_f64() / percentile(&writes, 990).as_secs_f64(),
    );
    println!(
        "reading shows green → review begins, {loops} loops, {samples} samples: p50 {:.1?}, p99 {:.1?}, most {:.1?}",
        percentile(&waits, 500),
        percentile(&waits, 990),
        percentile(&waits, 1000),
    );
    engine.shutdown().await;
    Ok(())
}

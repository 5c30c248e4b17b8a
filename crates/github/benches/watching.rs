//! What it costs to watch pull requests (§17): points and requests an hour at one poll a minute, idle and with some of them
//! changing, beside five plain REST reads of each; and what of memory the client remembers of each. On the real forge, which charges by
//! GitHub's published formula.
//!
//! `cargo bench -p collie-github --bench watching [-- COUNT…] [--polls N] [--changing PERCENT] [--webhooks CHANGES_AN_HOUR]`

use async_trait::async_trait;
use collie_core::ids::{PullName, RunId, Time};
use collie_engine::ports::{Clock, GitHub, PollDepth, PullPoll, PullRef};
use collie_github::{GitHubClient, GitHubConfig, Token, TokenSource};
use collie_testkit::forge::ForgeFixture;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Counts what is taken of the heap.
#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The five reads of seed 002 for one pull request.
const PLAIN_READS: [&str; 5] = [
    "/pulls/{n}",
    "/pulls/{n}/comments?per_page=100",
    "/issues/{n}/comments?per_page=100",
    "/pulls/{n}/files?per_page=100",
    "/issues/{n}",
];
const POLLS_AN_HOUR: u64 = 60;
/// With webhooks all are looked at so often an hour.
const QUARTERS: u64 = 4;

/// The system's clock, put forward by a minute with each poll.
#[derive(Default)]
struct SkippingClock(AtomicI64);

#[async_trait]
impl Clock for SkippingClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = since.map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        });
        Time(now + self.0.load(Ordering::SeqCst))
    }

    async fn sleep_until(&self, time: Time) {
        tokio::time::sleep(Duration::from_millis(time.since(self.now()))).await;
    }

    fn jitter(&self) -> u16 {
        0
    }

    fn run_id(&self) -> RunId {
        RunId::new("bench")
    }
}

/// A forge with pull requests, and who watches them.
struct Watching {
    forge: ForgeFixture,
    clock: Arc<SkippingClock>,
    client: GitHubClient,
    polls: Vec<PullPoll>,
}

/// What a number of polls came to.
#[derive(Default)]
struct Spent {
    polls: u64,
    points: u64,
    graphql: u64,
    rest: u64,
    charged_rest: u64,
    longest: Duration,
}

impl Watching {
    async fn start(count: u64) -> Result<Self, Box<dyn Error>> {
        let repository =
            (1..=count).fold(RepositoryFixture::new("demo/app"), |repository, number| {
                let pull = PullFixture::new(&format!("topic-{number}"));
                repository.with_pull(pull.with_file(&format!("{number}.txt"), "x\n"))
            });
        let forge = ForgeFixture::start(&repository).await;
        let clock = Arc::new(SkippingClock::default());
        let token = Token::new("forge-octo").ok_or("a token")?;
        let config = GitHubConfig::new(forge.api_url(), TokenSource::Given(token));
        let client = GitHubClient::connect(config, clock.clone()).await?;
        let mut polls = Vec::new();
        for number in 1..=count {
            let name = PullName::parse(&format!("demo/app#{number}"))?;
            let pull: PullRef = client.resolve_pull(&name).await?.pull;
            let depth = PollDepth::Changes;
            polls.push(PullPoll {
                pull,
                depth,
                by_person: false,
            });
        }
        let watching = Self {
            forge,
            clock,
            client,
            polls,
        };
        watching.furnish().await;
        Ok(watching)
    }

    /// Three statuses each, a comment, and on every tenth a thread.
    async fn furnish(&self) {
        for number in 1..=self.polls.len() {
            let sha = self.forge.sha(&format!("topic-{number}"));
            for context in ["build", "lint", "test"] {
                self.post_status(&sha, context, "success").await;
            }
            let comment = json!({"body": "Looks fine so far."});
            let path = format!("/issues/{number}/comments");
            self.forge
                .repo_call("ben", "POST", &path, Some(comment))
                .await;
            if number % 10 == 0 {
                let comment = json!({"body": "Why?", "path": format!("{number}.txt"), "line": 1,
                    "side": "RIGHT", "commit_id": sha});
                let path = format!("/pulls/{number}/comments");
                self.forge
                    .repo_call("ben", "POST", &path, Some(comment))
                    .await;
            }
        }
    }

    async fn post_status(&self, sha: &str, context: &str, state: &str) {
        let status = json!({"state": state, "context": context});
        let path = format!("/statuses/{sha}");
        self.forge
            .repo_call("ana", "POST", &path, Some(status))
            .await;
    }

    /// Changes some of them, others each minute: half by a check, a third by a comment, the rest by a push.
    async fn change(&self, minute: u64, percent: u64) {
        let count = self.polls.len() as u64;
        let changing = count * percent / 100;
        for turn in 0..changing {
            let number = (minute * changing + turn) % count + 1;
            self.change_one(number, turn, minute).await;
        }
    }

    async fn change_one(&self, number: u64, turn: u64, minute: u64) {
        match turn % 6 {
            0 => {
                let branch = format!("topic-{number}");
                let text = format!("minute {minute}\n");
                let file = format!("{number}.txt");
                self.forge.push(&branch, &[(&file, &text)]).await;
            }
            1 | 2 => {
                let comment = json!({"body": format!("Minute {minute}")});
                let path = format!("/issues/{number}/comments");
                self.forge
                    .repo_call("ben", "POST", &path, Some(comment))
                    .await;
            }
            _ => {
                let sha = self.forge.sha(&format!("topic-{number}"));
                let state = if minute.is_multiple_of(2) {
                    "pending"
                } else {
                    "failure"
                };
                self.post_status(&sha, "late", state).await;
            }
        }
    }

    /// An hour with webhooks: all are looked at each quarter of an hour, and each of so many changes has its pull request read alone, as
    /// soon as GitHub says so: the dearest case, where no two come together.
    async fn measure_webhooks(&self, changes: u64) -> Spent {
        let mut spent = Spent::default();
        let count = self.polls.len() as u64;
        self.refill().await;
        self.forge.reset_request_counts().await;
        for quarter in 0..QUARTERS {
            let begin = Instant::now();
            let read = self.client.poll(&self.polls).await;
            spent.longest = spent.longest.max(begin.elapsed());
            assert!(read.iter().all(Result::is_ok), "all can be read");
            for turn in 0..changes / QUARTERS {
                let number = (quarter * changes + turn * 7) % count + 1;
                self.change_one(number, turn, quarter).await;
                let at = usize::try_from(number - 1).unwrap_or(0);
                let reported = PullPoll {
                    depth: PollDepth::Reported,
                    ..self.polls[at].clone()
                };
                let read = self.client.poll(&[reported]).await;
                assert!(read.iter().all(Result::is_ok), "it can be read");
            }
            self.clock.0.fetch_add(15 * 60_000, Ordering::SeqCst);
        }
        let counts = self.forge.request_counts().await;
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        spent.polls = POLLS_AN_HOUR;
        spent.points = number(&counts["charged"]["graphql"]);
        spent.charged_rest = number(&counts["charged"]["core"]);
        spent.graphql = number(&counts["routes"]["POST /graphql"]);
        spent.rest = number(&counts["total"]) - spent.graphql;
        spent
    }

    /// Puts the limit back, so that the bench counts and does not meet it.
    async fn refill(&self) {
        for resource in ["graphql", "core"] {
            let full = json!({"resource": resource, "remaining": 5_000});
            self.forge
                .call("demo", "PUT", "/_forge/rate_limit", Some(full))
                .await;
        }
    }

    async fn measure(&self, minutes: u64, percent: u64) -> Spent {
        let mut spent = Spent::default();
        for minute in 0..minutes {
            self.change(minute, percent).await;
            self.refill().await;
            self.forge.reset_request_counts().await;
            let begin = Instant::now();
            let read = self.client.poll(&self.polls).await;
            spent.longest = spent.longest.max(begin.elapsed());
            assert!(read.iter().all(Result::is_ok), "all can be read");
            let counts = self.forge.request_counts().await;
            let number = |value: &Value| value.as_u64().unwrap_or(0);
            let graphql = number(&counts["routes"]["POST /graphql"]);
            spent.polls += 1;
            spent.points += number(&counts["charged"]["graphql"]);
            spent.charged_rest += number(&counts["charged"]["core"]);
            spent.graphql += graphql;
            spent.rest += number(&counts["total"]) - graphql;
            self.clock.0.fetch_add(60_000, Ordering::SeqCst);
        }
        spent
    }

    /// The same minute with plain REST reads, unconditional as the seed writes them; gives how many requests.
    async fn read_plainly(&self) -> u64 {
        self.refill().await;
        self.forge.reset_request_counts().await;
        // A hundred tell what each of them costs.
        let some = self.polls.len().min(100);
        for number in 1..=some {
            for path in PLAIN_READS {
                let path = path.replace("{n}", &number.to_string());
                self.forge.repo_call("ana", "GET", &path, None).await;
            }
        }
        let counts = self.forge.request_counts().await;
        let charged = counts["charged"]["core"].as_u64().unwrap_or(0);
        charged * self.polls.len() as u64 / some as u64
    }
}

/// What the client remembers, in bytes of the heap: what is given back with it.
fn remembered_by(client: GitHubClient) -> usize {
    let region = Region::new(HEAP);
    drop(client);
    let change = region.change();
    (change.bytes_deallocated).saturating_sub(change.bytes_allocated)
}

fn print_row(count: u64, what: &str, spent: &Spent) {
    let hourly = |total: u64| total * POLLS_AN_HOUR / spent.polls.max(1);
    println!(
        "{count:>6} {what:<22} {:>8} points/h {:>7} GraphQL/h {:>7} REST/h ({} charged), longest poll {:.1?}",
        hourly(spent.points),
        hourly(spent.graphql),
        hourly(spent.rest),
        hourly(spent.charged_rest),
        spent.longest,
    );
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let option = |name: &str, default: u64| {
        let at = arguments.iter().position(|arg| arg == name);
        let value = at.and_then(|at| arguments.get(at + 1));
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    };
    let (minutes, percent) = (option("--polls", 30), option("--changing", 5));
    let named: Vec<u64> = arguments.iter().map_while(|arg| arg.parse().ok()).collect();
    let counts = if named.is_empty() {
        vec![10, 100, 1_000]
    } else {
        named
    };
    for count in counts {
        let mut watching = Watching::start(count).await?;
        let first = watching.measure(1, 0).await;
        println!(
            "{count:>6} first poll             {:>8} points in all, {:.1?}",
            first.points, first.longest
        );
        let changes = option("--webhooks", 0);
        if changes > 0 {
            let spent = watching.measure_webhooks(changes).await;
            print_row(count, "webhooks, an hour", &spent);
            watching.forge.stop().await;
            continue;
        }
        print_row(count, "idle", &watching.measure(minutes, 0).await);
        print_row(count, "changing", &watching.measure(minutes, percent).await);
        let plain = watching.read_plainly().await;
        println!(
            "{count:>6} five plain REST reads  {:>8} requests/h",
            plain * POLLS_AN_HOUR
        );
        let Watching {
            mut forge, client, ..
        } = watching;
        let remembered = remembered_by(client);
        println!(
            "{count:>6} remembered             {:>8} bytes of each",
            remembered as u64 / count.max(1)
        );
        forge.stop().await;
    }
    Ok(())
}

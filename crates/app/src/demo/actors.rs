//! The people of the demo. They act through the forge's own doors, as themselves: HTTP and git.
//!
//! Every part may be begun again at any moment, also after a sudden end: who has done their deed sees so and leaves.

use super::forge_client::ForgeClient;
use super::sample_files::{self, PullFile};
use super::{DemoError, Scenario, scripted_model};
use collie_core::ids::PullName;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How often somebody looks whether it is their turn.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Where a scenario is played.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioPull {
    pub(crate) scenario: Scenario,
    pub(crate) pull: PullName,
    /// The folder of the scenario's files in the repository; empty where they are all there is.
    pub(crate) folder: PathBuf,
    /// The branch of the pull request.
    pub(crate) branch: String,
    /// Its head before anybody did anything.
    pub(crate) first_head: String,
}

impl ScenarioPull {
    /// Gives a path below `/repos/OWNER/REPO/KIND/NUMBER`; `kind` is `pulls` or `issues`.
    fn api_path(&self, kind: &str, rest: &str) -> String {
        format!(
            "/repos/{}/{kind}/{}{rest}",
            self.pull.repo, self.pull.number
        )
    }

    async fn read_head(&self, forge: &ForgeClient, login: &str) -> Result<String, DemoError> {
        let pull = forge.get(login, &self.api_path("pulls", "")).await?;
        Ok(pull["head"]["sha"].as_str().unwrap_or_default().to_owned())
    }
}

/// How fast people are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActorTiming {
    /// How long somebody takes for what they do.
    pub(crate) reaction_delay: Duration,
    /// How long somebody waits for their turn before they give up; none: as long as the part lasts.
    pub(crate) wait_timeout: Option<Duration>,
    /// Who waits for Collie to take the pull request up believes after this long that it has.
    pub(crate) assume_observed_after: Option<Duration>,
}

/// What people do before Collie is there.
pub(crate) async fn run_setup_actions(
    forge: &ForgeClient,
    target: &ScenarioPull,
) -> Result<(), DemoError> {
    match target.scenario {
        Scenario::Human => ask_for_changes(forge, target).await,
        Scenario::Clean
        | Scenario::FixLoop
        | Scenario::CiRed
        | Scenario::Stuck
        | Scenario::MovedHead
        | Scenario::ThreeRounds => Ok(()),
    }
}

/// What people do while Collie works. `changes` shows the loops as they change, from before the first one.
pub(crate) async fn run_actions(
    forge: &ForgeClient,
    target: &ScenarioPull,
    timing: ActorTiming,
    changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    match target.scenario {
        Scenario::Clean | Scenario::FixLoop | Scenario::CiRed => Ok(()),
        Scenario::Human => approve_when_asked(forge, target, timing).await,
        Scenario::Stuck => push_generated_files_after_fixes(forge, target, timing, changes).await,
        Scenario::MovedHead => force_push_after_observed(forge, target, timing, changes).await,
        Scenario::ThreeRounds => settle_question(forge, target, timing).await,
    }
}

/// Ana asks for changes, unless she has said something already.
async fn ask_for_changes(forge: &ForgeClient, target: &ScenarioPull) -> Result<(), DemoError> {
    let review = sample_files::review_file(target.scenario)?;
    let reviews = target.api_path("pulls", "/reviews");
    if authored_by(&forge.list(&review.author, &reviews).await?, &review.author)
        .next()
        .is_some()
    {
        return Ok(());
    }
    let line = sample_files::line_of(target.scenario, &review.path, &review.quote)?;
    let path = target.folder.join(&review.path);
    let body = json!({
        "event": "REQUEST_CHANGES",
        "body": review.body,
        "comments": [{ "path": path, "line": line, "side": "RIGHT", "body": review.comment }],
    });
    forge.post(&review.author, &reviews, &body).await.map(drop)
}

fn authored_by<'a>(items: &'a [Value], login: &'a str) -> impl Iterator<Item = &'a Value> {
    items
        .iter()
        .filter(move |item| item["user"]["login"] == login)
}

/// Ana looks again once she is asked to, and is content.
async fn approve_when_asked(
    forge: &ForgeClient,
    target: &ScenarioPull,
    timing: ActorTiming,
) -> Result<(), DemoError> {
    let who = sample_files::review_file(target.scenario)?.author;
    let asked = format!("@{who}");
    let conversation = target.api_path("issues", "/comments");
    wait_until(target, timing, "being asked to look again", || async {
        let comments = forge.list(&who, &conversation).await?;
        Ok(comments.iter().any(|comment| {
            comment["body"]
                .as_str()
                .is_some_and(|body| body.starts_with(&asked))
        }))
    })
    .await?;
    tokio::time::sleep(timing.reaction_delay).await;
    let reviews = target.api_path("pulls", "/reviews");
    let reviews_posted = forge.list(&who, &reviews).await?;
    if authored_by(&reviews_posted, &who).any(|review| review["state"] == "APPROVED") {
        return Ok(());
    }
    let body = json!({ "event": "APPROVE", "body": "Thank you, that is it." });
    forge.post(&who, &reviews, &body).await.map(drop)
}

/// What the author says to the model's question.
const ANSWER: &str = "Yes: a later row corrects an earlier one.";

/// Kim settles the model's question once it stands in a thread, and says why.
async fn settle_question(
    forge: &ForgeClient,
    target: &ScenarioPull,
    timing: ActorTiming,
) -> Result<(), DemoError> {
    let who = sample_files::pull_file(target.scenario)?.author;
    let question = scripted_model::question()?;
    let comments = target.api_path("pulls", "/comments");
    let asked = async || {
        let comments = forge.list(&who, &comments).await?;
        let asks = |item: &&Value| {
            let body = item["body"].as_str().unwrap_or_default();
            item["user"]["login"] != who.as_str() && body.contains(&question)
        };
        Ok::<_, DemoError>(comments.iter().find(asks).cloned())
    };
    wait_until(target, timing, "the model's question", || async {
        Ok(asked().await?.is_some())
    })
    .await?;
    tokio::time::sleep(timing.reaction_delay).await;
    let Some(comment) = asked().await? else {
        return Ok(());
    };
    let id = comment["id"].as_u64().unwrap_or_default();
    // Resolved first: an answer in an open thread would ask for one more.
    forge.resolve_thread(&who, &target.pull, id).await?;
    let all = forge.list(&who, &comments).await?;
    let answered = |item: &Value| item["in_reply_to_id"] == id && item["user"]["login"] == who;
    if all.iter().any(answered) {
        return Ok(());
    }
    let path = target.api_path("pulls", &format!("/comments/{id}/replies"));
    let body = json!({ "body": ANSWER });
    forge.post(&who, &path, &body).await.map(drop)
}

/// What Kim's generator is called in the history.
const GENERATOR_COMMIT_MESSAGE: &str = "Generate the files anew";

/// Times that it runs: once after each fix that Collie may claim for one finding (§5.2).
const GENERATOR_RUNS: usize = 3;

/// Kim runs the generator after each of Collie's fixes, which brings the finding back, until the loop stops.
async fn push_generated_files_after_fixes(
    forge: &ForgeClient,
    target: &ScenarioPull,
    timing: ActorTiming,
    changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    tokio::select! {
        pushed = push_generated_files(forge, target, timing) => pushed,
        () = wait_for_stop(target, changes) => Ok(()),
    }
}

async fn push_generated_files(
    forge: &ForgeClient,
    target: &ScenarioPull,
    timing: ActorTiming,
) -> Result<(), DemoError> {
    let pull = sample_files::pull_file(target.scenario)?;
    let commits = target.api_path("pulls", "/commits");
    let by_generator = |commit: &Value| {
        let message = commit["commit"]["message"].as_str();
        message.is_some_and(|message| message.starts_with(GENERATOR_COMMIT_MESSAGE))
    };
    let count = |all: &[Value]| all.iter().filter(|commit| by_generator(commit)).count();
    while count(&forge.list(&pull.author, &commits).await?) < GENERATOR_RUNS {
        wait_until(target, timing, "Collie's fix", || async {
            let head = target.read_head(forge, &pull.author).await?;
            let commits = forge.list(&pull.author, &commits).await?;
            Ok(head != target.first_head && !commits.last().is_some_and(by_generator))
        })
        .await?;
        tokio::time::sleep(timing.reaction_delay).await;
        let head = target.read_head(forge, &pull.author).await?;
        let short = head.get(..7).unwrap_or(&head);
        let push = PushKind::NewCommit(format!("{GENERATOR_COMMIT_MESSAGE} on {short}"));
        push_next_files(forge, target, &pull, push).await?;
    }
    Ok(())
}

/// Waits until the loop has ended or waits for a person.
async fn wait_for_stop(target: &ScenarioPull, mut changes: Receiver<Arc<LoopState>>) {
    loop {
        match changes.recv().await {
            Ok(state) if is_loop_of(&state, &target.pull) => {
                let state = state.run.state;
                if state == State::NeedsHuman || state.is_terminal() {
                    return;
                }
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            // The engine has ended; whoever plays is stopped with it.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Ben pushes a better last commit by force once Collie has seen the first.
async fn force_push_after_observed(
    forge: &ForgeClient,
    target: &ScenarioPull,
    timing: ActorTiming,
    changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    let pull = sample_files::pull_file(target.scenario)?;
    if target.read_head(forge, &pull.author).await? != target.first_head {
        return Ok(());
    }
    wait_until_observed(target, timing, changes).await?;
    tokio::time::sleep(timing.reaction_delay).await;
    push_next_files(forge, target, &pull, PushKind::AmendByForce).await
}

/// Waits until the loop has seen the first head.
async fn wait_until_observed(
    target: &ScenarioPull,
    timing: ActorTiming,
    mut changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    let gave_up = || DemoError::ActorTimeout {
        scenario: target.scenario,
        what: "Collie to take it up".to_owned(),
    };
    let wait = async {
        loop {
            match changes.recv().await {
                Ok(state) => {
                    let seen = state.run.head.sha.as_ref().map(|head| head.as_str());
                    if is_loop_of(&state, &target.pull) && seen == Some(target.first_head.as_str())
                    {
                        return Ok(());
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(gave_up()),
            }
        }
    };
    match (timing.assume_observed_after, timing.wait_timeout) {
        (Some(belief), _) => tokio::time::timeout(belief, wait).await.unwrap_or(Ok(())),
        (None, Some(patience)) => tokio::time::timeout(patience, wait)
            .await
            .unwrap_or_else(|_| Err(gave_up())),
        (None, None) => wait.await,
    }
}

/// Whether a loop is the one of a pull request.
pub(crate) fn is_loop_of(state: &LoopState, pull: &PullName) -> bool {
    state.pull.repo == pull.repo && state.id.number == pull.number
}

async fn wait_until<F: Future<Output = Result<bool, DemoError>>>(
    target: &ScenarioPull,
    timing: ActorTiming,
    what: &str,
    holds: impl Fn() -> F,
) -> Result<(), DemoError> {
    let begun = tokio::time::Instant::now();
    while !holds().await? {
        if timing
            .wait_timeout
            .is_some_and(|most| begun.elapsed() > most)
        {
            return Err(DemoError::ActorTimeout {
                scenario: target.scenario,
                what: what.to_owned(),
            });
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// How somebody pushes.
#[derive(Clone, Debug)]
enum PushKind {
    /// A new commit with this message.
    NewCommit(String),
    /// The last commit anew, by force, if it is still the first head.
    AmendByForce,
}

/// The author pushes the files of `then`.
async fn push_next_files(
    forge: &ForgeClient,
    target: &ScenarioPull,
    pull: &PullFile,
    how: PushKind,
) -> Result<(), DemoError> {
    let folder = tempfile::tempdir().map_err(DemoError::write("a temporary folder"))?;
    let (path, who, branch) = (folder.path(), pull.author.as_str(), target.branch.as_str());
    let url = forge.clone_url(&target.pull.repo);
    let clone = ["clone", "--quiet", "--branch", branch, &url, "."];
    sample_files::run_git_signed_in(forge, path, &clone, who).await?;
    sample_files::copy_layer(
        &format!("{}/then", target.scenario),
        &path.join(&target.folder),
    )?;
    match how {
        PushKind::NewCommit(message) => {
            sample_files::commit_all(path, &message, who).await?;
            let push = ["push", "--quiet", "origin", branch];
            sample_files::run_git_signed_in(forge, path, &push, who).await
        }
        PushKind::AmendByForce => {
            let lease = format!("--force-with-lease={branch}:{}", target.first_head);
            sample_files::run_git(path, &["add", "--all"], who).await?;
            sample_files::run_git(path, &["commit", "--quiet", "--amend", "--no-edit"], who)
                .await?;
            let push = ["push", "--quiet", &lease, "origin", branch];
            sample_files::run_git_signed_in(forge, path, &push, who).await
        }
    }
}

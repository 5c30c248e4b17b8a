//! The people of the demo. They act through the forge's own doors, as themselves: HTTP and git.
//!
//! Every part may be begun again at any moment, also after a sudden end: who has done their deed sees so and leaves.

use super::door::Forge;
use super::files::{self, PullFile};
use super::{DemoError, Scenario};
use collie_core::ids::PullName;
use collie_core::model::LoopState;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How often somebody looks whether it is their turn.
const LOOK: Duration = Duration::from_millis(250);

/// Where a scenario is played.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) scenario: Scenario,
    pub(crate) pull: PullName,
    /// The folder of the scenario's files in the repository; empty where they are all there is.
    pub(crate) folder: PathBuf,
    /// The branch of the pull request.
    pub(crate) branch: String,
    /// Its head before anybody did anything.
    pub(crate) first_head: String,
}

impl Place {
    /// Gives a path below `/repos/OWNER/REPO/KIND/NUMBER`; `kind` is `pulls` or `issues`.
    fn path(&self, kind: &str, rest: &str) -> String {
        format!(
            "/repos/{}/{kind}/{}{rest}",
            self.pull.repo, self.pull.number
        )
    }

    async fn head(&self, forge: &Forge, login: &str) -> Result<String, DemoError> {
        let pull = forge.get(login, &self.path("pulls", "")).await?;
        Ok(pull["head"]["sha"].as_str().unwrap_or_default().to_owned())
    }
}

/// How fast people are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temper {
    /// How long somebody takes for what they do.
    pub(crate) lag: Duration,
    /// How long somebody waits for their turn before they give up; none: as long as the part lasts.
    pub(crate) patience: Option<Duration>,
    /// Who waits for Collie to take the pull request up believes after this long that it has.
    pub(crate) belief: Option<Duration>,
}

/// What people do before Collie is there.
pub(crate) async fn prologue(forge: &Forge, place: &Place) -> Result<(), DemoError> {
    match place.scenario {
        Scenario::Human => ask_for_changes(forge, place).await,
        Scenario::Clean
        | Scenario::FixLoop
        | Scenario::CiRed
        | Scenario::Stuck
        | Scenario::MovedHead => Ok(()),
    }
}

/// What people do while Collie works. `changes` shows the loops as they change, from before the first one.
pub(crate) async fn play(
    forge: &Forge,
    place: &Place,
    temper: Temper,
    changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    match place.scenario {
        Scenario::Clean | Scenario::FixLoop | Scenario::CiRed => Ok(()),
        Scenario::Human => approve_when_asked(forge, place, temper).await,
        Scenario::Stuck => generate_anew(forge, place, temper).await,
        Scenario::MovedHead => push_over(forge, place, temper, changes).await,
    }
}

/// Ana asks for changes, unless she has said something already.
async fn ask_for_changes(forge: &Forge, place: &Place) -> Result<(), DemoError> {
    let review = files::review(place.scenario)?;
    let reviews = place.path("pulls", "/reviews");
    if by(&forge.list(&review.author, &reviews).await?, &review.author)
        .next()
        .is_some()
    {
        return Ok(());
    }
    let line = files::line_of(place.scenario, &review.path, &review.quote)?;
    let path = place.folder.join(&review.path);
    let body = json!({
        "event": "REQUEST_CHANGES",
        "body": review.body,
        "comments": [{ "path": path, "line": line, "side": "RIGHT", "body": review.comment }],
    });
    forge.post(&review.author, &reviews, &body).await.map(drop)
}

fn by<'a>(items: &'a [Value], login: &'a str) -> impl Iterator<Item = &'a Value> {
    items
        .iter()
        .filter(move |item| item["user"]["login"] == login)
}

/// Ana looks again once she is asked to, and is content.
async fn approve_when_asked(forge: &Forge, place: &Place, temper: Temper) -> Result<(), DemoError> {
    let who = files::review(place.scenario)?.author;
    let asked = format!("@{who}");
    let conversation = place.path("issues", "/comments");
    until(place, temper, "being asked to look again", || async {
        let comments = forge.list(&who, &conversation).await?;
        Ok(comments.iter().any(|c| {
            c["body"]
                .as_str()
                .is_some_and(|body| body.starts_with(&asked))
        }))
    })
    .await?;
    tokio::time::sleep(temper.lag).await;
    let reviews = place.path("pulls", "/reviews");
    let said = forge.list(&who, &reviews).await?;
    if by(&said, &who).any(|review| review["state"] == "APPROVED") {
        return Ok(());
    }
    let body = json!({ "event": "APPROVE", "body": "Thank you, that is it." });
    forge.post(&who, &reviews, &body).await.map(drop)
}

/// What Kim's generator is called in the history.
const GENERATED: &str = "Generate the files anew";

/// Kim runs the generator after Collie's fix, which brings the finding back.
async fn generate_anew(forge: &Forge, place: &Place, temper: Temper) -> Result<(), DemoError> {
    let pull = files::pull(place.scenario)?;
    until(place, temper, "Collie's fix", || async {
        Ok(place.head(forge, &pull.author).await? != place.first_head)
    })
    .await?;
    tokio::time::sleep(temper.lag).await;
    let commits = forge
        .list(&pull.author, &place.path("pulls", "/commits"))
        .await?;
    if commits
        .iter()
        .any(|commit| commit["commit"]["message"] == GENERATED)
    {
        return Ok(());
    }
    push(forge, place, &pull, Push::OnTop(GENERATED)).await
}

/// Ben pushes a better last commit by force once Collie has seen the first.
async fn push_over(
    forge: &Forge,
    place: &Place,
    temper: Temper,
    changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    let pull = files::pull(place.scenario)?;
    if place.head(forge, &pull.author).await? != place.first_head {
        return Ok(());
    }
    taken_up(place, temper, changes).await?;
    tokio::time::sleep(temper.lag).await;
    push(forge, place, &pull, Push::Instead).await
}

/// Waits until the loop has seen the first head.
async fn taken_up(
    place: &Place,
    temper: Temper,
    mut changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    let gave_up = || DemoError::NotMyTurn {
        scenario: place.scenario,
        what: "Collie to take it up".to_owned(),
    };
    let wait = async {
        loop {
            match changes.recv().await {
                Ok(state) => {
                    let seen = state.head.as_ref().map(|head| head.as_str());
                    if is_of(&state, &place.pull) && seen == Some(place.first_head.as_str()) {
                        return Ok(());
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(gave_up()),
            }
        }
    };
    match (temper.belief, temper.patience) {
        (Some(belief), _) => tokio::time::timeout(belief, wait).await.unwrap_or(Ok(())),
        (None, Some(patience)) => tokio::time::timeout(patience, wait)
            .await
            .unwrap_or_else(|_| Err(gave_up())),
        (None, None) => wait.await,
    }
}

/// Whether a loop is the one of a pull request.
pub(crate) fn is_of(state: &LoopState, pull: &PullName) -> bool {
    state.repo == pull.repo && state.id.number == pull.number
}

async fn until<F: Future<Output = Result<bool, DemoError>>>(
    place: &Place,
    temper: Temper,
    what: &str,
    holds: impl Fn() -> F,
) -> Result<(), DemoError> {
    let begun = tokio::time::Instant::now();
    while !holds().await? {
        if temper.patience.is_some_and(|most| begun.elapsed() > most) {
            return Err(DemoError::NotMyTurn {
                scenario: place.scenario,
                what: what.to_owned(),
            });
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// How somebody pushes.
#[derive(Clone, Copy, Debug)]
enum Push {
    /// A new commit with this message.
    OnTop(&'static str),
    /// The last commit anew, by force, if it is still the first head.
    Instead,
}

/// The author pushes the files of `then`.
async fn push(forge: &Forge, place: &Place, pull: &PullFile, how: Push) -> Result<(), DemoError> {
    let folder = tempfile::tempdir().map_err(DemoError::write("a temporary folder"))?;
    let (path, who, branch) = (folder.path(), pull.author.as_str(), place.branch.as_str());
    let url = forge.git(&place.pull.repo);
    files::git(
        path,
        &["clone", "--quiet", "--branch", branch, &url, "."],
        who,
    )
    .await?;
    files::lay(
        &format!("{}/then", place.scenario),
        &path.join(&place.folder),
    )?;
    match how {
        Push::OnTop(message) => {
            files::commit(path, message, who).await?;
            files::git(path, &["push", "--quiet", "origin", branch], who).await
        }
        Push::Instead => {
            let lease = format!("--force-with-lease={branch}:{}", place.first_head);
            files::git(path, &["add", "--all"], who).await?;
            files::git(path, &["commit", "--quiet", "--amend", "--no-edit"], who).await?;
            files::git(path, &["push", "--quiet", &lease, "origin", branch], who).await
        }
    }
}

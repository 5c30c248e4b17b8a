//! The people of the demo. They act through the forge's own doors, as themselves: HTTP and git.

use super::files::{self, PullFile};
use super::{DemoError, Scenario};
use collie_core::model::LoopState;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How often somebody looks whether it is their turn.
const LOOK: Duration = Duration::from_millis(250);

/// How long somebody waits for their turn before they give up.
const PATIENCE: Duration = Duration::from_secs(180);

/// Where the forge is.
#[derive(Clone, Debug)]
pub(crate) struct Forge {
    /// `http://127.0.0.1:PORT/api/v3`.
    pub(crate) api_url: String,
    /// `http://127.0.0.1:PORT`.
    pub(crate) git_url: String,
    pub(crate) http: reqwest::Client,
}

impl Forge {
    async fn call(
        &self,
        method: reqwest::Method,
        login: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, DemoError> {
        let failed = |message: String| DemoError::Cast {
            who: login.to_owned(),
            what: path.to_owned(),
            message,
        };
        let mut request = self
            .http
            .request(method, format!("{}{path}", self.api_url))
            .header("authorization", format!("Bearer forge-{login}"))
            .header("user-agent", "collie-demo");
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.map_err(|e| failed(e.to_string()))?;
        let status = answer.status();
        let body: Value = answer.json().await.map_err(|e| failed(e.to_string()))?;
        if status.is_success() {
            Ok(body)
        } else {
            Err(failed(format!("{status}: {body}")))
        }
    }

    /// Reads something as one of the cast.
    pub(crate) async fn get(&self, login: &str, path: &str) -> Result<Value, DemoError> {
        self.call(reqwest::Method::GET, login, path, None).await
    }

    /// Reads a list to its end.
    pub(crate) async fn list(&self, login: &str, path: &str) -> Result<Vec<Value>, DemoError> {
        let mut all = Vec::new();
        for page in 1.. {
            let items = self
                .get(login, &format!("{path}?per_page=100&page={page}"))
                .await?;
            let items = items.as_array().cloned().unwrap_or_default();
            let last = items.len() < 100;
            all.extend(items);
            if last {
                break;
            }
        }
        Ok(all)
    }

    async fn post(&self, login: &str, path: &str, body: &Value) -> Result<Value, DemoError> {
        self.call(reqwest::Method::POST, login, path, Some(body))
            .await
    }

    async fn head(&self, login: &str, scenario: Scenario) -> Result<String, DemoError> {
        let pull = self
            .get(login, &format!("/repos/{}/pulls/1", scenario.repo()))
            .await?;
        Ok(pull["head"]["sha"].as_str().unwrap_or_default().to_owned())
    }
}

/// What people do before Collie is there.
pub(crate) async fn prologue(forge: &Forge, scenario: Scenario) -> Result<(), DemoError> {
    match scenario {
        Scenario::Human => ask_for_changes(forge, scenario).await,
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
    scenario: Scenario,
    first_head: &str,
    changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    let pull = files::pull(scenario)?;
    match scenario {
        Scenario::Clean | Scenario::FixLoop | Scenario::CiRed => Ok(()),
        Scenario::Human => approve_when_asked(forge, scenario).await,
        Scenario::Stuck => {
            let author = pull.author.clone();
            until(scenario, "Collie's fix", || async {
                Ok(forge.head(&author, scenario).await? != first_head)
            })
            .await?;
            push(
                forge,
                scenario,
                &pull,
                Push::OnTop("Generate the files anew"),
            )
            .await
        }
        Scenario::MovedHead => {
            taken_up(scenario, first_head, changes).await?;
            push(forge, scenario, &pull, Push::Instead).await
        }
    }
}

async fn ask_for_changes(forge: &Forge, scenario: Scenario) -> Result<(), DemoError> {
    let review = files::review(scenario)?;
    let line = files::line_of(scenario, &review.path, &review.quote)?;
    let body = json!({
        "event": "REQUEST_CHANGES",
        "body": review.body,
        "comments": [{ "path": review.path, "line": line, "side": "RIGHT", "body": review.comment }],
    });
    let path = format!("/repos/{}/pulls/1/reviews", scenario.repo());
    forge.post(&review.author, &path, &body).await.map(drop)
}

/// Ana looks again once she is asked to, and is content.
async fn approve_when_asked(forge: &Forge, scenario: Scenario) -> Result<(), DemoError> {
    let who = files::review(scenario)?.author;
    let asked = format!("@{who}");
    let conversation = format!("/repos/{}/issues/1/comments", scenario.repo());
    until(scenario, "being asked to look again", || async {
        let comments = forge.list(&who, &conversation).await?;
        Ok(comments.iter().any(|c| {
            c["body"]
                .as_str()
                .is_some_and(|body| body.starts_with(&asked))
        }))
    })
    .await?;
    let body = json!({ "event": "APPROVE", "body": "Thank you, that is it." });
    forge
        .post(
            &who,
            &format!("/repos/{}/pulls/1/reviews", scenario.repo()),
            &body,
        )
        .await
        .map(drop)
}

/// Waits until the loop has seen the first head.
async fn taken_up(
    scenario: Scenario,
    first_head: &str,
    mut changes: Receiver<Arc<LoopState>>,
) -> Result<(), DemoError> {
    let gave_up = || DemoError::NotMyTurn {
        scenario,
        what: "Collie to take it up".to_owned(),
    };
    let wait = async {
        loop {
            match changes.recv().await {
                Ok(state) => {
                    let ours = state.repo == scenario.repo();
                    if ours
                        && state
                            .head
                            .as_ref()
                            .is_some_and(|head| head.as_str() == first_head)
                    {
                        return Ok(());
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Err(gave_up()),
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .unwrap_or_else(|_| Err(gave_up()))
}

async fn until<F: Future<Output = Result<bool, DemoError>>>(
    scenario: Scenario,
    what: &str,
    holds: impl Fn() -> F,
) -> Result<(), DemoError> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !holds().await? {
        if tokio::time::Instant::now() > deadline {
            return Err(DemoError::NotMyTurn {
                scenario,
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
    /// The last commit anew, by force.
    Instead,
}

/// The author pushes the files of `then`.
async fn push(
    forge: &Forge,
    scenario: Scenario,
    pull: &PullFile,
    how: Push,
) -> Result<(), DemoError> {
    let folder = tempfile::tempdir().map_err(DemoError::write("a temporary folder"))?;
    let (path, who) = (folder.path(), pull.author.as_str());
    let url = format!("{}/{}.git", forge.git_url, scenario.repo());
    files::git(
        path,
        &["clone", "--quiet", "--branch", &pull.branch, &url, "."],
        who,
    )
    .await?;
    files::lay(scenario, "then", path)?;
    match how {
        Push::OnTop(message) => {
            files::commit(path, message, who).await?;
            files::git(path, &["push", "--quiet", "origin", &pull.branch], who).await
        }
        Push::Instead => {
            files::git(path, &["add", "--all"], who).await?;
            files::git(path, &["commit", "--quiet", "--amend", "--no-edit"], who).await?;
            files::git(
                path,
                &["push", "--quiet", "--force", "origin", &pull.branch],
                who,
            )
            .await
        }
    }
}

//! `start`, `cancel`, `retry`, `resume`: wishes left for the engine of the data folder.

use crate::context::Context;
use crate::problem::Problem;
use crate::say;
use collie_app::connect;
use collie_app::requests::{self, AskError, Fate};
use collie_core::ids::Login;
use collie_engine::ports::Request;
use collie_store::{DataFolder, OpenMode, Store};
use serde_json::json;

/// Leaves the wish and waits for the running engine's answer.
pub async fn run(context: &Context, request: Request) -> Result<u8, Problem> {
    let by = signed_in(context).await?;
    let fate = ask(&context.data, &request, &by).await?;
    let out = &context.out;
    let (code, text) = match &fate {
        Fate::Queued => ("queued", say!(out.say, "cli-queued")),
        Fate::Done => ("done", say!(out.say, "cli-asked")),
        Fate::Unanswered => ("unanswered", say!(out.say, "cli-no-answer")),
        Fate::Refused(reason) => {
            let message = say!(out.say, "cli-refused", reason = reason.as_str());
            return Err(Problem::new("refused", message));
        }
    };
    if out.json {
        out.line(&json!({ "type": "request", "request": request, "fate": code }));
    }
    out.words(&text);
    Ok(0)
}

/// Who is signed in: wishes are made in somebody's name (§9.1).
pub async fn signed_in(context: &Context) -> Result<Login, Problem> {
    let github = connect::github(
        &context.config,
        &connect::token_source(&context.config).await,
    )
    .await
    .map_err(|error| no_token(context, error))?;
    collie_engine::ports::GitHub::viewer(github.as_ref())
        .await
        .map(|actor| actor.login)
        .map_err(|error| Problem::new("github", error))
}

/// A connection that could not be made.
pub fn no_token(context: &Context, error: impl ToString) -> Problem {
    Problem::new("github", error).hint(say!(context.out.say, "cli-hint-doctor"))
}

async fn ask(data: &DataFolder, request: &Request, by: &Login) -> Result<Fate, Problem> {
    let store = Store::open(data, OpenMode::Reader)
        .await
        .map_err(|e| Problem::new("store", e))?;
    let fate = requests::ask(&store, data, request, by).await;
    store.close().await;
    fate.map_err(failed)
}

/// Asks the running engine to take up a pull request, for a watch that only follows it.
pub async fn start_through(
    store: &Store,
    data: &DataFolder,
    pull: collie_core::ids::PullName,
    by: &Login,
) -> Result<(), Problem> {
    let request = Request::Start { pull };
    match requests::ask(store, data, &request, by)
        .await
        .map_err(failed)?
    {
        Fate::Refused(reason) => Err(Problem::new("refused", reason)),
        Fate::Done | Fate::Queued | Fate::Unanswered => Ok(()),
    }
}

fn failed(error: AskError) -> Problem {
    match error {
        AskError::Store(error) => Problem::new("store", error),
        AskError::Folder(error) => Problem::new("data_folder", error),
    }
}

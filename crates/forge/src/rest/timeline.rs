//! Timelines and events.

use axum::Router;
use axum::routing::get;
use serde_json::Value;

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, RepoRequest};
use crate::Forge;
use crate::actions;
use crate::model::TimelineEvent;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/issues/{number}/timeline", get(list_timeline))
        .route("/issues/{number}/events", get(list_events))
}

async fn list_timeline(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    let pull = call.read(|state| {
        actions::is_locked(state, number)?;
        Ok(state.pulls.get(number).cloned())
    })?;
    let commits = match pull {
        Some(pull) => {
            let git = call.forge.git(&call.repo)?;
            git.commits_between(&pull.git.merge_base, &pull.head_sha)
                .await?
        }
        None => Vec::new(),
    };
    call.read(|state| {
        let context = JsonContext::from_request(&call);
        let told = json_objects::timeline_json(context, state, number, &commits);
        Ok(call.page_response(told, Value::clone))
    })
}

async fn list_events(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    call.read(|state| {
        actions::is_locked(state, number)?;
        let found: Vec<&TimelineEvent> = (state.events.iter())
            .filter(|event| event.number == number)
            .collect();
        let context = JsonContext::from_request(&call);
        Ok(call.page_response(found, |e| json_objects::event_json(context, state, e)))
    })
}

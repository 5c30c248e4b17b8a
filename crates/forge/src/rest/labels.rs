//! Labels: of the repository, and on its issues and pull requests.

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{delete, get};
use serde::Deserialize;
use serde_json::Value;

use super::json_objects::{self, JsonContext};
use super::request::{AnyJsonBody, HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::repo_labels::{self, LabelEdit};
use crate::actions::{self, labels};
use crate::error::ForgeError;
use crate::model::Label;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/labels", get(list_repo_labels).post(create_label))
        .route(
            "/labels/{name}",
            get(get_label).patch(edit_label).delete(delete_label),
        )
        .route(
            "/issues/{number}/labels",
            get(list_labels)
                .post(add_labels)
                .put(set_labels)
                .delete(clear_labels),
        )
        .route("/issues/{number}/labels/{name}", delete(remove_label))
}

/// GitHub takes names and objects with a name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum LabelInput {
    Name(String),
    Object { name: String },
}

pub(super) fn label_names(labels: Vec<LabelInput>) -> Vec<String> {
    let name = |label| match label {
        LabelInput::Name(name) | LabelInput::Object { name } => name,
    };
    labels.into_iter().map(name).collect()
}

/// GitHub takes them as a field, as a list, and as one name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum LabelsInput {
    List(Vec<LabelInput>),
    One(String),
    Field {
        #[serde(default)]
        labels: Vec<LabelInput>,
    },
}

impl LabelsInput {
    fn names(self) -> Vec<String> {
        match self {
            Self::List(labels) | Self::Field { labels } => label_names(labels),
            Self::One(name) => vec![name],
        }
    }
}

fn labels_response(call: &RepoRequest, labels: Vec<Label>) -> HandlerResult {
    call.read(|state| {
        let context = JsonContext::from_request(call);
        let list: Vec<Value> = (labels.iter())
            .map(|l| json_objects::label_json(context, state, l))
            .collect();
        Ok(json_response(200, &Value::from(list)))
    })
}

async fn list_labels(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    call.read(|state| {
        let on = match state.issues.get(number) {
            Some(issue) => &issue.labels,
            None => &actions::pull(state, number)?.labels,
        };
        let found = on.iter().filter_map(|key| state.meta.labels.get(key));
        let context = JsonContext::from_request(&call);
        Ok(call.page_response(found.collect(), |l| {
            json_objects::label_json(context, state, l)
        }))
    })
}

fn apply_labels(call: &RepoRequest, names: &[String], replace: bool) -> HandlerResult {
    let number = call.number_param("number")?;
    let labels = labels::add(
        &call.forge,
        &call.viewer,
        &call.repo,
        number,
        names,
        replace,
    )?;
    labels_response(call, labels)
}

async fn add_labels(
    call: RepoRequest,
    AnyJsonBody(input): AnyJsonBody<LabelsInput>,
) -> HandlerResult {
    apply_labels(&call, &input.names(), false)
}

async fn set_labels(
    call: RepoRequest,
    AnyJsonBody(input): AnyJsonBody<LabelsInput>,
) -> HandlerResult {
    apply_labels(&call, &input.names(), true)
}

async fn remove_label(call: RepoRequest) -> HandlerResult {
    let (number, name) = (call.number_param("number")?, call.path_param("name")?);
    let labels = labels::remove(&call.forge, &call.viewer, &call.repo, number, Some(name))?;
    labels_response(&call, labels)
}

async fn clear_labels(call: RepoRequest) -> HandlerResult {
    let number = call.number_param("number")?;
    labels::remove(&call.forge, &call.viewer, &call.repo, number, None)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn list_repo_labels(call: RepoRequest) -> HandlerResult {
    call.read(|state| {
        let all: Vec<&Label> = state.meta.labels.values().collect();
        let context = JsonContext::from_request(&call);
        Ok(call.page_response(all, |l| json_objects::label_json(context, state, l)))
    })
}

fn label_response(call: &RepoRequest, label: &Label, status: u16) -> HandlerResult {
    call.read(|state| {
        let context = JsonContext::from_request(call);
        let body = json_objects::label_json(context, state, label);
        Ok(json_response(status, &body))
    })
}

async fn get_label(call: RepoRequest) -> HandlerResult {
    let key = call.path_param("name")?.to_lowercase();
    let label = call.read(|state| {
        let found = state.meta.labels.get(&key).cloned();
        found.ok_or_else(ForgeError::not_found)
    })?;
    label_response(&call, &label, 200)
}

#[derive(Debug, Deserialize)]
struct NewLabelInput {
    name: Option<String>,
    new_name: Option<String>,
    color: Option<String>,
    description: Option<String>,
}

async fn create_label(
    call: RepoRequest,
    JsonBody(input): JsonBody<NewLabelInput>,
) -> HandlerResult {
    let edit = LabelEdit {
        name: input.name,
        color: input.color,
        description: input.description,
    };
    let label = repo_labels::save(&call.forge, &call.viewer, &call.repo, None, edit)?;
    label_response(&call, &label, 201)
}

async fn edit_label(call: RepoRequest, JsonBody(input): JsonBody<NewLabelInput>) -> HandlerResult {
    let edit = LabelEdit {
        name: input.new_name,
        color: input.color,
        description: input.description,
    };
    let current = Some(call.path_param("name")?);
    let label = repo_labels::save(&call.forge, &call.viewer, &call.repo, current, edit)?;
    label_response(&call, &label, 200)
}

async fn delete_label(call: RepoRequest) -> HandlerResult {
    let name = call.path_param("name")?;
    repo_labels::delete(&call.forge, &call.viewer, &call.repo, name)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

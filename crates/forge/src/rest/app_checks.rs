//! Check runs as apps report them.

use axum::Router;
use axum::routing::{patch, post};
use jiff::Timestamp;
use serde::Deserialize;

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::app_checks::{self, CheckRunReport};
use crate::error::ForgeError;
use crate::model::{Annotation, AnnotationLevel, CheckRun, CheckStatus, Conclusion, Sha};

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/check-runs", post(create_run))
        .route("/check-runs/{id}", patch(update_run))
}

#[derive(Debug, Deserialize)]
struct RunInput {
    name: Option<String>,
    head_sha: Option<String>,
    status: Option<CheckStatus>,
    conclusion: Option<Conclusion>,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    #[serde(default)]
    output: OutputInput,
}

#[derive(Debug, Default, Deserialize)]
struct OutputInput {
    title: Option<String>,
    summary: Option<String>,
    #[serde(default)]
    annotations: Vec<AnnotationInput>,
}

#[derive(Debug, Deserialize)]
struct AnnotationInput {
    path: String,
    start_line: u64,
    annotation_level: AnnotationLevel,
    message: String,
}

impl RunInput {
    fn report(self) -> CheckRunReport {
        let annotation = |note: AnnotationInput| Annotation {
            path: note.path,
            line: note.start_line,
            level: note.annotation_level,
            message: note.message,
        };
        CheckRunReport {
            name: self.name,
            status: self.status,
            conclusion: self.conclusion,
            started_at: self.started_at,
            completed_at: self.completed_at,
            title: self.output.title,
            summary: self.output.summary,
            annotations: self
                .output
                .annotations
                .into_iter()
                .map(annotation)
                .collect(),
        }
    }
}

fn run_response(call: &RepoRequest, run: &CheckRun, status: u16) -> HandlerResult {
    call.read(|state| {
        let context = JsonContext::from_request(call);
        let body = json_objects::check_run_json(context, state, run);
        Ok(json_response(status, &body))
    })
}

async fn create_run(call: RepoRequest, JsonBody(input): JsonBody<RunInput>) -> HandlerResult {
    let wanted = input.head_sha.clone().unwrap_or_default();
    let unknown = || ForgeError::refused(422, format!("No commit found for SHA: {wanted}"));
    let head = Sha::new(&wanted).ok_or_else(unknown)?;
    let git = call.forge.git(&call.repo)?;
    git.commit_id(head.as_str()).await?.ok_or_else(unknown)?;
    let (forge, viewer) = (&call.forge, &call.viewer);
    let run = app_checks::create(forge, viewer, &call.repo, &head, input.report())?;
    run_response(&call, &run, 201)
}

async fn update_run(call: RepoRequest, JsonBody(input): JsonBody<RunInput>) -> HandlerResult {
    let id = call.number_param("id")?;
    let (forge, viewer) = (&call.forge, &call.viewer);
    let run = app_checks::update(forge, viewer, &call.repo, id, input.report())?;
    run_response(&call, &run, 200)
}

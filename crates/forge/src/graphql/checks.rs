//! Check runs and commit statuses.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Object, Result, SimpleObject, Union};

use super::actors::{Actor, slug};
use super::commits::Commit;
use super::connection::{Connection, ConnectionNode, Edge, PageArgs, PageInfo};
use super::enums::{
    CheckAnnotationLevel, CheckConclusionState, CheckRunState, CheckStatusState, StatusState,
};
use super::error::GraphQlError;
use super::pull_status;
use super::repository::Repository;
use super::scalars::{DateTime, Uri, to_graphql_int};
use super::{into_graphql_result, nullable, request_context};
use crate::model::{self, Account, Sha};
use crate::node::{NodeKind, node_id, node_id_in, parse_node_id};
use crate::shipped_accounts::app_id;

/// What all checks and statuses of a commit come to.
#[derive(Clone)]
pub struct StatusCheckRollup {
    repository: Repository,
    sha: Sha,
    state: StatusState,
    contexts: Arc<Vec<StatusCheckRollupContext>>,
}

impl StatusCheckRollup {
    /// Sums up a commit; nothing when nothing ever reported on it.
    pub fn of(ctx: &Context<'_>, repository: &Repository, sha: &Sha) -> Result<Option<Self>> {
        into_graphql_result(repository.read_state(ctx, |state| {
            let runs = state
                .latest_check_runs(sha)
                .into_iter()
                .map(|row| StatusCheckRollupContext::CheckRun(CheckRun::of(repository, row)));
            let statuses = state.latest_statuses(sha).into_iter().map(|row| {
                StatusCheckRollupContext::StatusContext(StatusContext::of(repository, row))
            });
            Some(Self {
                repository: repository.clone(),
                sha: sha.clone(),
                state: pull_status::status_rollup(state, sha)?,
                contexts: Arc::new(runs.chain(statuses).collect()),
            })
        }))
    }
}

#[Object]
impl StatusCheckRollup {
    async fn commit(&self) -> Option<Commit> {
        Some(Commit::unloaded(&self.repository, &self.sha))
    }

    async fn contexts(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<StatusCheckRollupContextConnection> {
        let bounds = PageArgs {
            after,
            before,
            first,
            last,
        };
        let page = Connection::paginate(ctx, bounds, self.contexts.to_vec())?;
        let mut runs: BTreeMap<CheckRunState, i64> = BTreeMap::new();
        let mut statuses: BTreeMap<StatusState, i64> = BTreeMap::new();
        for context in self.contexts.iter() {
            match context {
                StatusCheckRollupContext::CheckRun(run) => {
                    *runs.entry(check_run_state(&run.row)).or_default() += 1;
                }
                StatusCheckRollupContext::StatusContext(status) => {
                    *statuses.entry(status.row.state.into()).or_default() += 1;
                }
            }
        }
        Ok(StatusCheckRollupContextConnection {
            check_run_count: runs.values().sum(),
            check_run_counts_by_state: Some(
                runs.into_iter()
                    .map(|(state, count)| CheckRunStateCount { count, state })
                    .collect(),
            ),
            status_context_count: statuses.values().sum(),
            status_context_counts_by_state: Some(
                statuses
                    .into_iter()
                    .map(|(state, count)| StatusContextStateCount { count, state })
                    .collect(),
            ),
            page,
        })
    }

    pub async fn id(&self) -> ID {
        format!("SCR_{}_{}", self.repository.meta.id, self.sha).into()
    }

    async fn state(&self) -> StatusState {
        self.state
    }
}

/// A check run or a commit status.
#[derive(Clone, Union)]
pub enum StatusCheckRollupContext {
    /// A check run.
    CheckRun(CheckRun),
    /// A commit status.
    StatusContext(StatusContext),
}

impl ConnectionNode for StatusCheckRollupContext {
    const NAME: &'static str = "StatusCheckRollupContext";

    fn key(&self) -> String {
        match self {
            Self::CheckRun(run) => format!("run {}", run.row.id),
            Self::StatusContext(status) => format!("status {}", status.row.context),
        }
    }
}

/// How many check runs are in one state.
#[derive(SimpleObject)]
pub struct CheckRunStateCount {
    count: i64,
    state: CheckRunState,
}

/// How many statuses are in one state.
#[derive(SimpleObject)]
pub struct StatusContextStateCount {
    count: i64,
    state: StatusState,
}

/// Says in one word how far a check run is, or how it ended.
fn check_run_state(run: &model::CheckRun) -> CheckRunState {
    let ended = run.conclusion.map(|conclusion| match conclusion {
        model::Conclusion::Success => CheckRunState::Success,
        model::Conclusion::Failure => CheckRunState::Failure,
        model::Conclusion::Neutral => CheckRunState::Neutral,
        model::Conclusion::Cancelled => CheckRunState::Cancelled,
        model::Conclusion::Skipped => CheckRunState::Skipped,
        model::Conclusion::TimedOut => CheckRunState::TimedOut,
        model::Conclusion::ActionRequired => CheckRunState::ActionRequired,
    });
    ended.unwrap_or(match run.status {
        model::CheckStatus::Queued => CheckRunState::Queued,
        model::CheckStatus::InProgress => CheckRunState::InProgress,
        model::CheckStatus::Completed => CheckRunState::Completed,
    })
}

/// A page of checks and statuses, which counts both.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct StatusCheckRollupContextConnection {
    check_run_count: i64,
    check_run_counts_by_state: Option<Vec<CheckRunStateCount>>,
    status_context_count: i64,
    status_context_counts_by_state: Option<Vec<StatusContextStateCount>>,
    #[graphql(skip)]
    page: Connection<StatusCheckRollupContext>,
}

#[ComplexObject]
impl StatusCheckRollupContextConnection {
    async fn edges(&self) -> Option<Vec<Option<Edge<StatusCheckRollupContext>>>> {
        Some(self.page.edges_of_page())
    }

    async fn nodes(&self) -> Option<Vec<Option<StatusCheckRollupContext>>> {
        Some(
            self.page
                .nodes_of_page()
                .iter()
                .cloned()
                .map(Some)
                .collect(),
        )
    }

    async fn page_info(&self) -> PageInfo {
        self.page.page_bounds()
    }

    async fn total_count(&self) -> i64 {
        self.page.total_nodes()
    }
}

/// Tells whether the rules of a pull request's base require a check of this name.
fn is_check_required(
    ctx: &Context<'_>,
    repository: &Repository,
    name: &str,
    id: Option<&ID>,
    number: Option<i32>,
) -> Result<bool> {
    let wanted_id = id.and_then(|id| parse_node_id(id)).map(|node| node.id);
    let wanted_number = number.and_then(|number| u64::try_from(number).ok());
    if id.is_none() && number.is_none() {
        return Err(GraphQlError::new(
            "ARGUMENT_REQUIRED",
            "A pull request ID or pull request number is required.",
        )
        .into());
    }
    into_graphql_result(repository.read_state(ctx, |state| {
        state
            .pulls
            .iter()
            .find(|pull| Some(pull.id) == wanted_id || Some(pull.number) == wanted_number)
            .and_then(|pull| state.meta.protection.get(&pull.base_ref))
            .is_some_and(|rule| rule.required_checks.iter().any(|required| required == name))
    }))
}

/// One run of one check.
#[derive(Clone)]
pub struct CheckRun {
    repository: Repository,
    row: Arc<model::CheckRun>,
}

impl CheckRun {
    /// Shows a check run.
    pub fn of(repository: &Repository, row: &model::CheckRun) -> Self {
        Self {
            repository: repository.clone(),
            row: Arc::new(row.clone()),
        }
    }

    fn path(&self) -> String {
        format!(
            "{}/actions/runs/{}/job/{}",
            self.repository.meta.name, self.row.suite_id, self.row.id
        )
    }
}

#[Object]
impl CheckRun {
    async fn annotations(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Option<Result<Connection<CheckAnnotation>>> {
        nullable(async move {
            let annotations = (0..self.row.annotations.len())
                .map(|place| CheckAnnotation {
                    run: self.clone(),
                    place,
                })
                .collect();
            Connection::paginate(
                ctx,
                PageArgs {
                    after,
                    before,
                    first,
                    last,
                },
                annotations,
            )
            .map(Some)
        })
        .await
    }

    async fn check_suite(&self) -> CheckSuite {
        CheckSuite { run: self.clone() }
    }

    async fn completed_at(&self) -> Option<DateTime> {
        self.row.completed_at.map(Into::into)
    }

    async fn conclusion(&self) -> Option<CheckConclusionState> {
        self.row.conclusion.map(Into::into)
    }

    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.row.id))
    }

    async fn details_url(&self, ctx: &Context<'_>) -> Option<Uri> {
        Some(request_context(ctx).web_url(&self.path()))
    }

    async fn external_id(&self) -> Option<String> {
        None
    }

    pub async fn id(&self) -> ID {
        node_id_in(NodeKind::CheckRun, self.repository.meta.id, self.row.id).into()
    }

    pub async fn is_required(
        &self,
        ctx: &Context<'_>,
        pull_request_id: Option<ID>,
        pull_request_number: Option<i32>,
    ) -> Result<bool> {
        is_check_required(
            ctx,
            &self.repository,
            &self.row.name,
            pull_request_id.as_ref(),
            pull_request_number,
        )
    }

    async fn name(&self) -> String {
        self.row.name.clone()
    }

    async fn permalink(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }

    pub async fn repository(&self) -> Repository {
        self.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.path()))
    }

    async fn started_at(&self) -> Option<DateTime> {
        self.row.started_at.map(Into::into)
    }

    async fn status(&self) -> CheckStatusState {
        self.row.status.into()
    }

    async fn summary(&self) -> Option<String> {
        self.row.summary.clone()
    }

    async fn text(&self) -> Option<String> {
        None
    }

    async fn title(&self) -> Option<String> {
        self.row.title.clone()
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&self.path())
    }
}

/// All check runs of one app on one commit.
#[derive(Clone)]
pub struct CheckSuite {
    /// A run of it.
    pub run: CheckRun,
}

#[Object]
impl CheckSuite {
    async fn app(&self, ctx: &Context<'_>) -> Option<App> {
        Some(App(request_context(ctx).forge.account(self.run.row.app)))
    }

    async fn commit(&self) -> Commit {
        Commit::unloaded(&self.run.repository, &self.run.row.head_sha)
    }

    async fn created_at(&self) -> DateTime {
        self.run.row.created_at.into()
    }

    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(self.run.row.suite_id))
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::CheckSuite,
            self.run.repository.meta.id,
            self.run.row.suite_id,
        )
        .into()
    }

    pub async fn repository(&self) -> Repository {
        self.run.repository.clone()
    }

    /// None where no workflow has made it.
    async fn workflow_run(&self) -> Option<WorkflowRun> {
        let workflow = self.run.row.workflow.clone()?;
        let run = self.run.clone();
        Some(WorkflowRun { run, workflow })
    }
}

/// A run of a workflow.
#[derive(Clone)]
pub struct WorkflowRun {
    /// A job of it.
    run: CheckRun,
    workflow: model::Workflow,
}

#[Object]
impl WorkflowRun {
    async fn event(&self) -> String {
        self.workflow.event.clone()
    }

    /// Each run has a suite of its own here.
    async fn run_number(&self) -> i64 {
        to_graphql_int(self.run.row.suite_id)
    }

    async fn workflow(&self) -> Workflow {
        Workflow(self.clone())
    }
}

/// A workflow.
pub struct Workflow(WorkflowRun);

#[Object]
impl Workflow {
    async fn name(&self) -> String {
        self.0.workflow.name.clone()
    }

    async fn resource_path(&self) -> Uri {
        let repo = &self.0.run.repository.meta.name;
        Uri(format!(
            "/{repo}/actions/workflows/{}",
            self.0.workflow.file
        ))
    }
}

/// A GitHub App, known by its bot account.
#[derive(Clone)]
pub struct App(pub Account);

#[Object]
impl App {
    async fn database_id(&self) -> Option<i64> {
        Some(to_graphql_int(app_id(self.0.id)))
    }

    pub async fn id(&self) -> ID {
        node_id(NodeKind::App, app_id(self.0.id)).into()
    }

    async fn name(&self) -> String {
        self.0.name.clone().unwrap_or_else(|| slug(&self.0))
    }

    async fn slug(&self) -> String {
        slug(&self.0)
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&format!("apps/{}", slug(&self.0)))
    }
}

/// A remark of a check on a line.
#[derive(Clone)]
pub struct CheckAnnotation {
    run: CheckRun,
    place: usize,
}

/// The lines that a remark is on.
#[derive(SimpleObject)]
pub struct CheckAnnotationSpan {
    end: CheckAnnotationPosition,
    start: CheckAnnotationPosition,
}

/// A line, and perhaps a column.
#[derive(SimpleObject)]
pub struct CheckAnnotationPosition {
    column: Option<i64>,
    line: i64,
}

impl ConnectionNode for CheckAnnotation {
    const NAME: &'static str = "CheckAnnotation";

    fn key(&self) -> String {
        self.place.to_string()
    }
}

impl CheckAnnotation {
    fn row(&self) -> Option<&model::Annotation> {
        self.run.row.annotations.get(self.place)
    }
}

#[Object]
impl CheckAnnotation {
    async fn annotation_level(&self) -> Option<CheckAnnotationLevel> {
        self.row().map(|row| row.level.into())
    }

    async fn blob_url(&self, ctx: &Context<'_>) -> Uri {
        let path = self.row().map_or("", |row| row.path.as_str());
        request_context(ctx).web_url(&format!(
            "{}/blob/{}/{path}",
            self.run.repository.meta.name, self.run.row.head_sha
        ))
    }

    async fn location(&self) -> CheckAnnotationSpan {
        let position = || CheckAnnotationPosition {
            column: None,
            line: self.row().map_or(1, |row| to_graphql_int(row.line)),
        };
        CheckAnnotationSpan {
            end: position(),
            start: position(),
        }
    }

    async fn message(&self) -> String {
        self.row()
            .map(|row| row.message.clone())
            .unwrap_or_default()
    }

    async fn path(&self) -> String {
        self.row().map(|row| row.path.clone()).unwrap_or_default()
    }

    async fn raw_details(&self) -> Option<String> {
        None
    }

    async fn title(&self) -> Option<String> {
        None
    }
}

/// A commit status, as an outside CI posts it.
#[derive(Clone)]
pub struct StatusContext {
    repository: Repository,
    row: Arc<model::CommitStatus>,
}

impl StatusContext {
    /// Shows a status.
    pub fn of(repository: &Repository, row: &model::CommitStatus) -> Self {
        Self {
            repository: repository.clone(),
            row: Arc::new(row.clone()),
        }
    }
}

#[Object]
impl StatusContext {
    async fn commit(&self) -> Option<Commit> {
        Some(Commit::unloaded(&self.repository, &self.row.sha))
    }

    async fn context(&self) -> String {
        self.row.context.clone()
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.into()
    }

    async fn creator(&self, ctx: &Context<'_>) -> Option<Actor> {
        Some(Actor::of(ctx, self.row.creator))
    }

    async fn description(&self) -> Option<String> {
        self.row.description.clone()
    }

    pub async fn id(&self) -> ID {
        node_id_in(
            NodeKind::StatusContext,
            self.repository.meta.id,
            self.row.id,
        )
        .into()
    }

    pub async fn is_required(
        &self,
        ctx: &Context<'_>,
        pull_request_id: Option<ID>,
        pull_request_number: Option<i32>,
    ) -> Result<bool> {
        is_check_required(
            ctx,
            &self.repository,
            &self.row.context,
            pull_request_id.as_ref(),
            pull_request_number,
        )
    }

    async fn state(&self) -> StatusState {
        self.row.state.into()
    }

    async fn target_url(&self) -> Option<Uri> {
        self.row.target_url.clone().map(Uri)
    }
}

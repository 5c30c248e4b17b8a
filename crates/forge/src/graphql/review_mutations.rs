//! Reviews and replies over GraphQL.

use async_graphql::{Context, ID, InputObject, Object, Result, SimpleObject};

use super::connection::Edge;
use super::enums::{DiffSide, PullRequestReviewEvent};
use super::error::GraphQlError;
use super::mutation::{payloads, reload_pull};
use super::nodes::{pull_of, thread_of};
use super::reviews::PullRequestReview;
use super::scalars::GitObjectId;
use super::threads::PullRequestReviewComment;
use super::{into_graphql_result, nullable, request_context};
use crate::actions::reviews::{self, NewReview, ReviewEvent};
use crate::actions::threads::{self, NewThread};
use crate::model::Side;

/// Reviews and replies.
#[derive(Default)]
pub struct ReviewMutations;

/// An inline comment at GitHub's legacy position.
#[derive(InputObject)]
pub struct DraftPullRequestReviewComment {
    body: String,
    path: String,
    position: i32,
}

/// An inline comment on a line, or several.
#[derive(InputObject)]
pub struct DraftPullRequestReviewThread {
    body: String,
    line: i32,
    path: String,
    #[graphql(default_with = "Some(DiffSide::Right)")]
    side: Option<DiffSide>,
    start_line: Option<i32>,
    #[graphql(default_with = "Some(DiffSide::Right)")]
    start_side: Option<DiffSide>,
}

/// A review; without an event it stays pending.
#[derive(InputObject)]
pub struct AddPullRequestReviewInput {
    body: Option<String>,
    client_mutation_id: Option<String>,
    comments: Option<Vec<Option<DraftPullRequestReviewComment>>>,
    #[graphql(name = "commitOID")]
    commit_oid: Option<GitObjectId>,
    event: Option<PullRequestReviewEvent>,
    pull_request_id: ID,
    threads: Option<Vec<Option<DraftPullRequestReviewThread>>>,
}

/// The review that was begun or submitted.
#[derive(SimpleObject)]
pub struct AddPullRequestReviewPayload {
    client_mutation_id: Option<String>,
    pull_request_review: Option<PullRequestReview>,
    review_edge: Option<Edge<PullRequestReview>>,
}

/// A reply in a thread; with a pending review of one's own it is hidden until that is submitted.
#[derive(InputObject)]
pub struct AddPullRequestReviewThreadReplyInput {
    body: String,
    client_mutation_id: Option<String>,
    pull_request_review_id: Option<ID>,
    pull_request_review_thread_id: ID,
}

payloads! {
    /// The reply.
    AddPullRequestReviewThreadReplyPayload { comment: PullRequestReviewComment }
}

fn to_side(side: Option<DiffSide>) -> Side {
    match side {
        Some(DiffSide::Left) => Side::Left,
        Some(DiffSide::Right) | None => Side::Right,
    }
}

/// Turns a line or position into the model's; one that is not positive is nowhere in a diff.
fn to_line(number: i32) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn to_review_event(event: Option<PullRequestReviewEvent>) -> Result<Option<ReviewEvent>> {
    match event {
        None => Ok(None),
        Some(PullRequestReviewEvent::Approve) => Ok(Some(ReviewEvent::Approve)),
        Some(PullRequestReviewEvent::Comment) => Ok(Some(ReviewEvent::Comment)),
        Some(PullRequestReviewEvent::RequestChanges) => Ok(Some(ReviewEvent::RequestChanges)),
        Some(PullRequestReviewEvent::Dismiss) => {
            Err(GraphQlError::unprocessable("A review cannot begin as a dismissal.").into())
        }
    }
}

impl AddPullRequestReviewInput {
    fn new_review(self) -> Result<NewReview> {
        let comments = self
            .comments
            .unwrap_or_default()
            .into_iter()
            .flatten()
            .map(|draft| NewThread {
                path: draft.path,
                body: draft.body,
                line: None,
                side: Side::Right,
                start_line: None,
                start_side: None,
                position: Some(to_line(draft.position)),
                file_level: false,
            });
        let threads = self
            .threads
            .unwrap_or_default()
            .into_iter()
            .flatten()
            .map(|draft| NewThread {
                path: draft.path,
                body: draft.body,
                line: Some(to_line(draft.line)),
                side: to_side(draft.side),
                start_line: draft.start_line.map(to_line),
                start_side: draft.start_line.map(|_| to_side(draft.start_side)),
                position: None,
                file_level: false,
            });
        Ok(NewReview {
            commit: self.commit_oid.map(|oid| oid.0),
            body: self.body.unwrap_or_default(),
            event: to_review_event(self.event)?,
            comments: comments.chain(threads).collect(),
        })
    }
}

#[Object]
impl ReviewMutations {
    async fn add_pull_request_review(
        &self,
        ctx: &Context<'_>,
        input: AddPullRequestReviewInput,
    ) -> Option<Result<AddPullRequestReviewPayload>> {
        nullable(async move {
            let pull = pull_of(ctx, &input.pull_request_id)?;
            let request_context = request_context(ctx);
            let client_mutation_id = input.client_mutation_id.clone();
            let new = input.new_review()?;
            let name = &pull.repository.meta.name;
            let row = into_graphql_result(
                reviews::create(
                    &request_context.forge,
                    &request_context.viewer,
                    name,
                    pull.row.number,
                    new,
                )
                .await,
            )?;
            let pull = reload_pull(ctx, &pull)?;
            let before = into_graphql_result(pull.read_state(ctx, |state| {
                state
                    .reviews
                    .iter()
                    .filter(|review| review.number == row.number && review.id < row.id)
                    .count()
            }))?;
            let review = PullRequestReview {
                pull,
                row: row.into(),
            };
            Ok(Some(AddPullRequestReviewPayload {
                client_mutation_id,
                pull_request_review: Some(review.clone()),
                review_edge: Some(Edge::new(before, review)),
            }))
        })
        .await
    }

    async fn add_pull_request_review_thread_reply(
        &self,
        ctx: &Context<'_>,
        input: AddPullRequestReviewThreadReplyInput,
    ) -> Option<Result<AddPullRequestReviewThreadReplyPayload>> {
        nullable(async move {
            let thread = thread_of(ctx, &input.pull_request_review_thread_id)?;
            let request_context = request_context(ctx);
            let number = thread.pull.row.number;
            let waiting = into_graphql_result(thread.pull.read_state(ctx, |state| {
                reviews::pending_review_id(state, &request_context.viewer, number).is_some()
            }))?;
            let pending = waiting || input.pull_request_review_id.is_some();
            let name = &thread.pull.repository.meta.name;
            let row = into_graphql_result(threads::reply(
                &request_context.forge,
                &request_context.viewer,
                name,
                thread.row.id,
                &input.body,
                pending,
            ))?;
            let pull = reload_pull(ctx, &thread.pull)?;
            let comment = into_graphql_result(pull.read_state(ctx, |state| {
                PullRequestReviewComment::of(&pull, state, &row)
            }))?;
            Ok(Some(AddPullRequestReviewThreadReplyPayload {
                client_mutation_id: input.client_mutation_id,
                comment,
            }))
        })
        .await
    }
}

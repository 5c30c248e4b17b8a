//! GitHub's enums, with every value that the published schema has.

use async_graphql::Enum;

use crate::model;

/// Defines enums whose values GraphQL writes in upper case.
macro_rules! enums {
    ($($(#[doc = $doc:literal])+ $name:ident { $($value:ident),+ $(,)? })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Enum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
            pub enum $name {
                $(
                    #[doc = concat!("GitHub's `", stringify!($value), "`.")]
                    $value,
                )+
            }
        )+
    };
}

enums! {
    /// How bad an annotation is.
    CheckAnnotationLevel { Failure, Notice, Warning }
    /// How a check ended.
    CheckConclusionState {
        ActionRequired, Cancelled, Failure, Neutral, Skipped, Stale, StartupFailure, Success, TimedOut,
    }
    /// How far a check run is, or how it ended.
    CheckRunState {
        ActionRequired, Cancelled, Completed, Failure, InProgress, Neutral, Pending, Queued, Skipped, Stale,
        StartupFailure, Success, TimedOut, Waiting,
    }
    /// How far a check is.
    CheckStatusState { Completed, InProgress, Pending, Queued, Requested, Waiting }
    /// What an author is to the repository.
    CommentAuthorAssociation {
        Collaborator, Contributor, FirstTimer, FirstTimeContributor, Mannequin, Member, None, Owner,
    }
    /// A side of a split diff.
    DiffSide { Left, Right }
    /// What comments of a conversation are sorted by.
    IssueCommentOrderField { UpdatedAt }
    /// What issues and pull requests are sorted by.
    IssueOrderField { Comments, CreatedAt, UpdatedAt }
    /// Where an issue stands.
    IssueState { Closed, Open }
    /// Where a place in the merge queue stands.
    MergeQueueEntryState { AwaitingChecks, Locked, Mergeable, Queued, Unmergeable }
    /// Whether it merges, as far as git is concerned.
    MergeableState { Conflicting, Mergeable, Unknown }
    /// Which way a list is sorted.
    OrderDirection { Asc, Desc }
    /// What happened to a file.
    PatchStatus { Added, Changed, Copied, Deleted, Modified, Renamed }
    /// What a timeline can be asked for; the forge has what is of the merge queue.
    PullRequestTimelineItemsItemType { AddedToMergeQueueEvent, RemovedFromMergeQueueEvent }
    /// How a pull request is merged.
    PullRequestMergeMethod { Merge, Rebase, Squash }
    /// Whether an inline comment is published.
    PullRequestReviewCommentState { Pending, Submitted }
    /// What the reviews come to.
    PullRequestReviewDecision { Approved, ChangesRequested, ReviewRequired }
    /// What is done with a review.
    PullRequestReviewEvent { Approve, Comment, Dismiss, RequestChanges }
    /// What a review says.
    PullRequestReviewState { Approved, ChangesRequested, Commented, Dismissed, Pending }
    /// What a thread is about.
    PullRequestReviewThreadSubjectType { File, Line }
    /// Where a pull request stands.
    PullRequestState { Closed, Merged, Open }
    /// What an account is to a repository.
    RepositoryAffiliation { Collaborator, OrganizationMember, Owner }
    /// What repositories are sorted by.
    RepositoryOrderField { CreatedAt, Name, PushedAt, Stargazers, UpdatedAt }
    /// Which repositories are wanted.
    RepositoryPrivacy { Private, Public }
    /// What the viewer may do in a repository.
    RepositoryPermission { Admin, Maintain, Read, Triage, Write }
    /// Who sees a repository.
    RepositoryVisibility { Internal, Private, Public }
    /// What statuses and checks come to.
    StatusState { Error, Expected, Failure, Pending, Success }
}

/// Whether it merges, rules included.
#[derive(Debug, Enum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MergeStateStatus {
    /// The head lacks commits of a base that must be in it.
    Behind,
    /// The branch's rules hold it.
    Blocked,
    /// Nothing holds it.
    Clean,
    /// It conflicts.
    Dirty,
    /// It is a draft.
    #[graphql(
        deprecation = "DRAFT state will be removed from this enum and `isDraft` should be used instead Use PullRequest.isDraft instead. Removal on 2021-01-01 UTC."
    )]
    Draft,
    /// It merges, with hooks to run first.
    HasHooks,
    /// That is being found out, or it is closed.
    Unknown,
    /// It merges, though a check that is not required is not green.
    Unstable,
}

/// Translates the model's enums into GitHub's, variant by variant.
macro_rules! translate {
    ($($from:ty => $into:ident { $($left:ident => $right:ident),+ $(,)? })+) => {
        $(
            impl From<$from> for $into {
                fn from(value: $from) -> Self {
                    match value {
                        $(<$from>::$left => Self::$right,)+
                    }
                }
            }
        )+
    };
}

translate! {
    model::AnnotationLevel => CheckAnnotationLevel {
        Notice => Notice, Warning => Warning, Failure => Failure,
    }
    model::Conclusion => CheckConclusionState {
        Success => Success, Failure => Failure, Neutral => Neutral, Cancelled => Cancelled, Skipped => Skipped,
        TimedOut => TimedOut, ActionRequired => ActionRequired,
    }
    model::CheckStatus => CheckStatusState {
        Queued => Queued, InProgress => InProgress, Completed => Completed,
    }
    model::Role => CommentAuthorAssociation {
        None => None, Reader => Member, Collaborator => Collaborator, Member => Member, Owner => Owner,
    }
    model::Role => RepositoryPermission {
        None => Read, Reader => Read, Collaborator => Write, Member => Write, Owner => Admin,
    }
    model::Side => DiffSide { Left => Left, Right => Right }
    model::IssueState => IssueState { Open => Open, Completed => Closed, NotPlanned => Closed }
    model::MergeMethod => PullRequestMergeMethod { Merge => Merge, Rebase => Rebase, Squash => Squash }
    PullRequestMergeMethod => MergeMethodWanted { Merge => Merge, Rebase => Rebase, Squash => Squash }
    model::ReviewState => PullRequestReviewState {
        Pending => Pending, Commented => Commented, Approved => Approved, ChangesRequested => ChangesRequested,
        Dismissed => Dismissed,
    }
    model::PullState => PullRequestState { Open => Open, Closed => Closed, Merged => Merged }
    model::StatusState => StatusState {
        Error => Error, Failure => Failure, Pending => Pending, Success => Success,
    }
}

use model::MergeMethod as MergeMethodWanted;

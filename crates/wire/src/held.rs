//! What a loop would write if its level of autonomy allowed it (§13.7).

use collie_core::effect::Effect;
use collie_core::ids::{Sha, ThreadId};
use collie_core::loop_state::LoopState;
use collie_core::post::{Post, PostContent, RenderedPost, ReviewEvent};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What kind of write it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HeldKind {
    /// A review report in the conversation.
    Review,
    /// A comment on a line.
    Inline,
    /// A review of a persona under its own account.
    PersonaReview,
    /// A review of a persona that is taken back.
    DismissReview,
    /// A fix report in the conversation.
    Fix,
    /// The proof of ready.
    Proof,
    /// The last word of a run that stopped.
    Stop,
    /// A reply in a thread that settles it.
    Reply,
    /// A reply in a thread that adds to it.
    Addition,
    /// What became of what people said outside of threads.
    Answers,
    /// What became of a command in a comment.
    CommandReply,
    /// What became of findings in bodies of bots.
    BodyDispositions,
    /// A request to a bot to review.
    RequestBotReview,
    /// A request to people to look again.
    RequestRereview,
    /// A thread that is resolved.
    ResolveThread,
    /// Checks that are run again.
    RerunChecks,
}

impl HeldKind {
    /// Its name, as JSON writes it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One thing that would be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HeldWriteView {
    /// What.
    pub kind: HeldKind,
    /// Where: `path:line`; none for the conversation, and where that is not known.
    pub place: Option<String>,
    /// The complete Markdown, as it would be sent; empty for what has none.
    pub body: String,
}

/// The commit that would be pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HeldPushView {
    /// The commit.
    pub commit: Sha,
    /// The head that it was made on.
    pub head: Sha,
    /// The files that it changes; empty where that is not known.
    pub files: Vec<String>,
    /// Whether a person's Approve would push it now: the level is *ask*, not *observe*.
    pub can_approve: bool,
}

/// All that waits, in the order in which it would be written.
pub(crate) fn held_writes(
    state: &LoopState,
    render: &dyn Fn(&Post) -> RenderedPost,
) -> Vec<HeldWriteView> {
    let parked = state.outbox.effects.values();
    let parked = parked.filter(|effect| !state.may_do(effect));
    let held = state.outbox.held.iter().map(|held| &held.effect);
    parked
        .chain(held)
        .flat_map(|effect| write_views(state, effect, render))
        .collect()
}

pub(crate) fn held_push(state: &LoopState) -> Option<HeldPushView> {
    let push = state.held_push()?;
    Some(HeldPushView {
        commit: push.commit.clone(),
        head: push.head.clone(),
        files: push.files.to_vec(),
        can_approve: state.may_approve_push(),
    })
}

fn write_views(
    state: &LoopState,
    effect: &Effect,
    render: &dyn Fn(&Post) -> RenderedPost,
) -> Vec<HeldWriteView> {
    let bare = |kind, place| {
        vec![HeldWriteView {
            kind,
            place,
            body: String::new(),
        }]
    };
    match effect {
        Effect::Post(asked) => post_views(state, &asked.post, render),
        Effect::ResolveThread(asked) => {
            bare(HeldKind::ResolveThread, place_of(state, &asked.thread))
        }
        Effect::RerunChecks(_) => bare(HeldKind::RerunChecks, None),
        _ => Vec::new(),
    }
}

fn post_views(
    state: &LoopState,
    post: &Post,
    render: &dyn Fn(&Post) -> RenderedPost,
) -> Vec<HeldWriteView> {
    let place = match &post.content {
        PostContent::Reply { thread, .. } | PostContent::Addition { thread, .. } => {
            place_of(state, thread)
        }
        PostContent::CommandReply {
            place: Some(place), ..
        } => place_of(state, &place.thread),
        _ => None,
    };
    let kind = kind_of(&post.content);
    match render(post) {
        RenderedPost::Comment { body } | RenderedPost::Reply { body, .. } => {
            vec![HeldWriteView { kind, place, body }]
        }
        RenderedPost::Review {
            event,
            body,
            comments,
            ..
        } => {
            // What a persona says of the change stands in the review's own text.
            let verdict = (event != ReviewEvent::Comment).then_some(HeldWriteView {
                kind,
                place: None,
                body,
            });
            let comments = comments.into_iter().map(|comment| HeldWriteView {
                kind,
                place: Some(format!("{}:{}", comment.path, comment.line)),
                body: comment.body,
            });
            verdict.into_iter().chain(comments).collect()
        }
        RenderedPost::Dismissal { message, .. } => vec![HeldWriteView {
            kind,
            place,
            body: message,
        }],
    }
}

fn kind_of(content: &PostContent) -> HeldKind {
    match content {
        PostContent::Review(_) => HeldKind::Review,
        PostContent::Inline { .. } => HeldKind::Inline,
        PostContent::PersonaReview { .. } => HeldKind::PersonaReview,
        PostContent::DismissReview { .. } => HeldKind::DismissReview,
        PostContent::Fix(_) => HeldKind::Fix,
        PostContent::Proof(_) => HeldKind::Proof,
        PostContent::Stop(_) => HeldKind::Stop,
        PostContent::Reply { .. } => HeldKind::Reply,
        PostContent::Addition { .. } => HeldKind::Addition,
        PostContent::Answers { .. } => HeldKind::Answers,
        PostContent::CommandReply { .. } => HeldKind::CommandReply,
        PostContent::BodyDispositions { .. } => HeldKind::BodyDispositions,
        PostContent::RequestBotReview { .. } => HeldKind::RequestBotReview,
        PostContent::RequestRereview { .. } => HeldKind::RequestRereview,
    }
}

/// Where a thread is, as the finding that came of it says.
fn place_of(state: &LoopState, thread: &ThreadId) -> Option<String> {
    let mut known = state.run.review.findings.values();
    let found = known
        .find(|tracked| tracked.finding.source.review_id.as_deref() == Some(thread.as_str()))?;
    let finding = &found.finding;
    let line = finding.line.map(|line| format!(":{line}"));
    let place = format!("{}{}", finding.file, line.unwrap_or_default());
    Some(place).filter(|place| !place.is_empty())
}

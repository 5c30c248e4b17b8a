//! GitHub and the git remote of one pull request, as far as a loop can tell.

use crate::blank_snapshot::blank_snapshot;
use collie_core::bots::shipped_bots;
use collie_core::ids::{AccountId, ActionToken, Login, Sha, ThreadId, Time};
use collie_core::policy::KnownBot;
use collie_core::review::{Association, COMMENT_MARKER};
use collie_core::snapshot::{
    Actor, Check, CheckConclusion, CheckStatus, Comment, PullState, Review, ReviewVerdict,
    Snapshot, Thread,
};

use std::collections::BTreeMap;
use std::sync::Arc;

/// The account that Collie acts as, and the author.
pub const VIEWER: u64 = 10;
/// A person with write access.
pub const PERSON: u64 = 20;

/// What the bot finds, in the form of its maker.
const BOT_FINDING: &str = "_⚠️ Potential issue_ | _🟠 Major_\n\n**The order is turned round.**\n\nIt takes the difference.";

/// The check of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckState {
    /// It runs.
    Running,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
}

/// Who wrote a comment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// Collie, as this act.
    Collie(ActionToken),
    /// The person.
    Person,
    /// The review bot.
    Bot,
}

/// A comment of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Said {
    /// Its number.
    pub id: u64,
    /// Who wrote it.
    pub by: Speaker,
}

impl Said {
    /// Whether Collie wrote it.
    pub fn is_own(&self) -> bool {
        matches!(self.by, Speaker::Collie(_))
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Talk {
    /// Its comments.
    pub said: Vec<Said>,
    /// Whether it is resolved.
    pub resolved: bool,
}

impl Talk {
    /// A thread that somebody opens with this comment.
    pub fn opened(by: Said) -> Self {
        Self {
            said: vec![by],
            resolved: false,
        }
    }

    /// Whether a person has had the last word in it, or the bot the only one.
    pub fn waits_for_answer(&self) -> bool {
        let waits = match self.said.last().map(|last| &last.by) {
            Some(Speaker::Person) => true,
            // A fix, or a refusal with its reason, is not argued about without end.
            Some(Speaker::Bot) => !self.said.iter().any(Said::is_own),
            Some(Speaker::Collie(_)) | None => false,
        };
        waits && !self.resolved
    }

    /// Whether Collie has had the last word in it.
    pub fn last_is_own(&self) -> bool {
        self.said.last().is_some_and(Said::is_own)
    }

    /// Who opened it.
    pub fn opener(&self) -> Option<&Speaker> {
        self.said.first().map(|first| &first.by)
    }

    /// Whether Collie opened it.
    pub fn is_own(&self) -> bool {
        self.said.first().is_some_and(Said::is_own)
    }
}

/// Everything that a reading shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    /// Open, closed or merged.
    pub state: PullState,
    /// Its commits, the head last.
    pub branch: Vec<u8>,
    /// The check of the head.
    pub check: CheckState,
    /// Its threads.
    pub talks: Vec<Talk>,
    /// The person's review that stands.
    pub verdict: Option<ReviewVerdict>,
    /// Heads that the bot has looked at, and whether it opened a thread there.
    pub bot_looks: Vec<(u8, bool)>,
    /// Draft.
    pub draft: bool,
    /// Auto-merge is on.
    pub auto_merge: bool,
    /// How often each token stands at the end of a body.
    pub posts: BTreeMap<ActionToken, u8>,
}

impl Shown {
    /// The head.
    pub fn head(&self) -> u8 {
        self.branch.last().copied().unwrap_or_default()
    }
}

/// GitHub and the git remote.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// What is so.
    pub shown: Arc<Shown>,
    /// What was so before the last change: a replica that is behind shows it.
    pub before: Option<Arc<Shown>>,
    /// Posts that were accepted and are not there yet.
    pub late: Vec<Write>,
    /// The number of the next commit that anybody makes.
    pub next_commit: u8,
}

/// What a post adds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// Its token.
    pub token: ActionToken,
    /// The thread that it answers in.
    pub thread: Option<ThreadId>,
    /// Tokens of the threads that it opens.
    pub inline: Vec<ActionToken>,
}

impl World {
    /// An open pull request with one commit, whose check runs.
    pub fn new() -> Self {
        let shown = Shown {
            state: PullState::Open,
            branch: vec![1],
            check: CheckState::Running,
            talks: Vec::new(),
            verdict: None,
            bot_looks: Vec::new(),
            draft: false,
            auto_merge: false,
            posts: BTreeMap::new(),
        };
        Self {
            shown: Arc::new(shown),
            before: None,
            late: Vec::new(),
            next_commit: 2,
        }
    }

    /// Changes something; `keep` what was before where a reading may still show it.
    pub fn change(&mut self, keep: bool, change: impl FnOnce(&mut Shown)) {
        let mut shown = (*self.shown).clone();
        change(&mut shown);
        let before = std::mem::replace(&mut self.shown, Arc::new(shown));
        self.before = keep.then_some(before);
    }

    /// A number for a commit.
    pub fn make_commit(&mut self) -> u8 {
        self.next_commit += 1;
        self.next_commit - 1
    }

    /// A commit comes on top of the branch; its check begins.
    pub fn push(&mut self, keep: bool, commit: u8) {
        self.change(keep, |shown| {
            shown.branch.push(commit);
            shown.check = CheckState::Running;
        });
    }

    /// A post lands.
    pub fn land(&mut self, keep: bool, write: &Write) {
        self.change(keep, |shown| {
            *shown.posts.entry(write.token.clone()).or_default() += 1;
            let mut id = 100
                + shown
                    .talks
                    .iter()
                    .map(|talk| talk.said.len() as u64)
                    .sum::<u64>();
            let mut say = |token: &ActionToken| {
                id += 1;
                let by = Speaker::Collie(token.clone());
                Said { id, by }
            };
            let opened = write.inline.iter().map(|token| Talk::opened(say(token)));
            let opened: Vec<Talk> = opened.collect();
            if let Some(at) = write.thread.as_ref().and_then(talk_index)
                && let Some(talk) = shown.talks.get_mut(at)
            {
                talk.said.push(say(&write.token));
            }
            shown.talks.extend(opened);
        });
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// The id of a commit.
pub fn sha(commit: u8) -> Sha {
    Sha::parse(&format!("{commit:040x}")).unwrap_or_else(|_| unreachable!("40 hex digits"))
}

/// The commit that an id stands for.
pub fn commit_of(sha: &Sha) -> u8 {
    u8::from_str_radix(&sha.as_str()[38..], 16).unwrap_or_default()
}

/// The id of a thread.
pub fn thread_id(at: usize) -> ThreadId {
    ThreadId::new(format!("T{at}"))
}

/// Which thread an id stands for.
pub fn talk_index(id: &ThreadId) -> Option<usize> {
    id.as_str().strip_prefix('T')?.parse().ok()
}

fn actor(id: u64, login: &str) -> Actor {
    Actor {
        id: AccountId(id),
        login: Login::new(login),
        is_bot: false,
    }
}

/// Who is who.
pub fn author() -> Actor {
    actor(VIEWER, "kim")
}

/// The review bot: the first that ships.
pub fn bot() -> &'static KnownBot {
    let mut shipped = shipped_bots().iter().map(|shipped| &shipped.bot);
    let reviewing = shipped.find(|bot| bot.reviews);
    reviewing.unwrap_or_else(|| unreachable!("bots ship"))
}

fn bot_actor() -> Actor {
    Actor {
        is_bot: true,
        ..actor(bot().id.0, bot().login.as_str())
    }
}

/// What the bot says of a head, in the form of its maker.
fn bot_review(looked: &(u8, bool)) -> Review {
    let (head, opened) = *looked;
    let (before, at) = (sha(head.saturating_sub(1)), sha(head));
    Review {
        id: 60 + u64::from(head),
        author: Some(bot_actor()),
        association: Association::None,
        verdict: ReviewVerdict::Commented,
        commit: Some(at.clone()),
        body: format!(
            "**Actionable comments posted: {}**\n\nReviewing files that changed from the base of the PR and between {before} and {at}.",
            u8::from(opened)
        ),
        submitted_at: Some(Time(1)),
        updated_at: "2026-01-01T00:00:00Z".into(),
    }
}

/// The person's review that stands.
fn standing_review(shown: &Shown) -> Option<Review> {
    shown.verdict.map(|verdict| Review {
        id: 50,
        author: Some(actor(PERSON, "ana")),
        association: Association::Collaborator,
        verdict,
        commit: None,
        body: String::new(),
        submitted_at: Some(Time(1)),
        updated_at: "2026-01-01T00:00:00Z".into(),
    })
}

/// A reading, begun at a time.
pub fn snapshot(shown: &Shown, number: u64, read_at: Time) -> Snapshot {
    Snapshot {
        state: shown.state,
        draft: shown.draft,
        auto_merge: shown.auto_merge.then(|| Login::new("ana")),
        checks: vec![check(shown)],
        reviews: (standing_review(shown).into_iter())
            .chain(shown.bot_looks.iter().map(bot_review))
            .collect(),
        threads: shown.talks.iter().enumerate().map(thread).collect(),
        writers: [VIEWER, PERSON].map(AccountId).into(),
        ..blank_snapshot(
            (number, read_at),
            author(),
            (sha(shown.head()), sha(0)),
            "a.py",
        )
    }
}

fn check(shown: &Shown) -> Check {
    let conclusion = match shown.check {
        CheckState::Running => None,
        CheckState::Passed => Some(CheckConclusion::Success),
        CheckState::Failed => Some(CheckConclusion::Failure),
    };
    Check {
        id: u64::from(shown.head()),
        name: "build".into(),
        status: conclusion.map_or(CheckStatus::InProgress, |_| CheckStatus::Completed),
        conclusion,
        url: None,
        completed_at: None,
        reporter: None,
        summary: None,
        annotations: Vec::new(),
        log_tail: (shown.check == CheckState::Failed).then(|| "build: error: it broke".to_owned()),
        app_id: None,
        workflow: None,
    }
}

fn thread((at, talk): (usize, &Talk)) -> Thread {
    let is_first = |said: &Said| talk.said.first().is_some_and(|first| first.id == said.id);
    let comment = |said: &Said| {
        let (by, body) = match &said.by {
            Speaker::Collie(token) => (
                author(),
                format!("said\n\n{COMMENT_MARKER}\n<!-- collie-action:{token} -->"),
            ),
            Speaker::Person => (actor(PERSON, "ana"), "Please rename this.".to_owned()),
            Speaker::Bot if is_first(said) => (bot_actor(), BOT_FINDING.to_owned()),
            Speaker::Bot => (bot_actor(), "`@kim`: I still see it.".to_owned()),
        };
        Comment {
            id: said.id,
            author: Some(by),
            body,
            created_at: Time(1),
            updated_at: "2026-01-01T00:00:00Z".into(),
            commit: None,
        }
    };
    Thread {
        id: thread_id(at),
        path: "a.py".into(),
        line: Some(3),
        resolved: talk.resolved,
        resolved_by: None,
        outdated: false,
        comments: talk.said.iter().map(comment).collect(),
    }
}

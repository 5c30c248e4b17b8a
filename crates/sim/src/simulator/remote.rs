//! GitHub and the git remote, as people, bots, CI and Collie change them. What was so at any time can be read again: a replica that is behind
//! shows it.

use super::draw::Draw;
use super::schedule::{MINUTE, Setting};
use collie_core::bots::shipped_bots;
use collie_core::ids::{AccountId, ActionToken, Login, Sha, Time};
use collie_core::policy::KnownBot;
use collie_core::snapshot::{Actor, PullState, ReviewVerdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The account that Collie acts as.
pub const COLLIE: u64 = 10;
/// A person with write access.
pub const PERSON: u64 = 20;
/// Who opened the second pull request, with write access; the others are Collie's own account's.
pub const AUTHOR: u64 = 30;
/// The one file that everything is about.
pub const FILE: &str = "src/sum.py";
/// How many lines it has.
pub const LINES: u32 = 80;
/// The line of fault 0; those of the others follow.
pub const FIRST_LINE: u32 = 10;
/// Faults that there can be.
pub const FAULTS: u32 = 40;

/// The bot that reviews.
pub fn bot() -> KnownBot {
    let shipped = shipped_bots().iter().find(|bot| bot.bot.reviews);
    shipped.map_or_else(|| unreachable!("bots ship"), |bot| bot.bot.clone())
}

/// Who wrote something.
pub fn actor(id: u64) -> Actor {
    let (login, is_bot) = match id {
        COLLIE => (Login::new("kim"), false),
        PERSON => (Login::new("ana"), false),
        AUTHOR => (Login::new("jo"), false),
        _ => (bot().login, true),
    };
    Actor {
        id: AccountId(id),
        login,
        is_bot,
    }
}

/// A commit: which faults its files have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// What it lies on.
    pub parent: Option<u64>,
    /// The faults.
    pub faults: BTreeSet<u32>,
    /// Run and round of the fix that it is; none for a person's.
    pub turn: Option<(String, String)>,
}

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// GitHub's number.
    pub id: u64,
    /// By whom.
    pub author: u64,
    /// The words.
    pub body: String,
    /// When.
    pub at: Time,
    /// When it was last edited.
    pub edited: Option<Time>,
}

/// A thread on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Talk {
    /// Its line.
    pub line: u32,
    /// Whether it is resolved.
    pub resolved: bool,
    /// What was said.
    pub comments: Vec<Comment>,
    /// How often somebody has put a new wording to be answered, or a new word.
    pub asked: usize,
    /// How often Collie has answered, also where the answer was deleted since.
    pub answers: usize,
}

/// A review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewRow {
    /// GitHub's number.
    pub id: u64,
    /// By whom.
    pub author: u64,
    /// What it comes to.
    pub verdict: ReviewVerdict,
    /// Which head it is of.
    pub head: u64,
    /// The words.
    pub body: String,
    /// When.
    pub at: Time,
}

/// A pull request at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Open, closed or merged.
    pub state: PullState,
    /// Draft.
    pub draft: bool,
    /// Its conversation is locked.
    pub locked: bool,
    /// Auto-merge is on, since when.
    pub auto_merge: Option<Time>,
    /// Its commits, the head last.
    pub branch: Vec<u64>,
    /// When each head came, and in which try each of its checks is, since when.
    pub head_came: BTreeMap<u64, Time>,
    /// Checks that were run again: which of which head, and when.
    pub reruns: BTreeMap<(u64, u64), Time>,
    /// Checks that turned red long after they were green.
    pub turned_red: BTreeSet<(u64, u64)>,
    /// Threads, by their number.
    pub talks: BTreeMap<u64, Talk>,
    /// Comments of the conversation.
    pub remarks: Vec<Comment>,
    /// Reviews.
    pub reviews: Vec<ReviewRow>,
}

impl View {
    /// The head.
    pub fn head(&self) -> u64 {
        self.branch.last().copied().unwrap_or_default()
    }

    /// What a person's reviews come to.
    pub fn verdict(&self) -> Option<ReviewVerdict> {
        let said =
            |row: &&ReviewRow| row.author == PERSON && row.verdict != ReviewVerdict::Commented;
        self.reviews.iter().rev().find(said).map(|row| row.verdict)
    }

    /// Whether a thread waits for an answer to a person. One that was answered, and whose answer somebody deleted, does not (§8.2).
    pub fn has_open_word(&self) -> bool {
        self.talks.values().any(|talk| {
            let last = talk.comments.last();
            let is_answered = talk.answers >= talk.asked;
            !talk.resolved && !is_answered && last.is_some_and(|last| last.author == PERSON)
        })
    }
}

/// How a check stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckState {
    /// Its number: another one for each try.
    pub id: u64,
    /// Whether it has ended, and well.
    pub passed: Option<bool>,
    /// When it ended.
    pub ended: Option<Time>,
}

/// Everything.
#[derive(Debug)]
pub struct Remote {
    /// What chance goes by.
    pub draw: Draw,
    /// How the world is.
    pub setting: Setting,
    /// Each pull request, from its beginning on.
    pub pulls: Vec<Vec<(Time, Arc<View>)>>,
    /// Every commit that was made, pushed or not.
    pub commits: Vec<Commit>,
    /// Where the base branch is.
    pub base: u64,
    /// How often each token was ever written.
    pub tokens: BTreeMap<ActionToken, u32>,
    /// Run and round of each fix that was pushed, by pull request.
    pub pushed_turns: Vec<(usize, (String, String))>,
    next_id: u64,
}

impl Remote {
    /// Open pull requests with a commit each.
    pub fn new(draw: Draw, setting: &Setting, now: Time) -> Self {
        let base = Commit {
            parent: None,
            faults: BTreeSet::new(),
            turn: None,
        };
        let mut remote = Self {
            draw,
            setting: setting.clone(),
            pulls: Vec::new(),
            commits: vec![base],
            base: 0,
            tokens: BTreeMap::new(),
            pushed_turns: Vec::new(),
            next_id: 1_000,
        };
        for pull in 0..setting.pulls {
            let faults = (0..setting.first_faults)
                .map(|n| number(draw.below(("fault", pull, n), u64::from(FAULTS))));
            let head = remote.make_commit(0, faults.collect(), None);
            let view = View {
                state: PullState::Open,
                draft: false,
                locked: false,
                auto_merge: None,
                branch: vec![head],
                head_came: BTreeMap::from([(head, now)]),
                reruns: BTreeMap::new(),
                turned_red: BTreeSet::new(),
                talks: BTreeMap::new(),
                remarks: Vec::new(),
                reviews: Vec::new(),
            };
            remote.pulls.push(vec![(now, Arc::new(view))]);
        }
        remote
    }

    /// Who opened a pull request.
    pub fn author(pull: usize) -> u64 {
        match pull {
            1 => AUTHOR,
            _ => COLLIE,
        }
    }

    /// What is so.
    pub fn view(&self, pull: usize) -> Arc<View> {
        let last = self.pulls.get(pull).and_then(|versions| versions.last());
        last.map_or_else(|| unreachable!("a pull request"), |(_, view)| view.clone())
    }

    /// What was so at a time.
    pub fn view_at(&self, pull: usize, at: Time) -> Arc<View> {
        let versions = &self.pulls[pull];
        let then = versions.iter().rev().find(|(since, _)| *since <= at);
        then.unwrap_or(&versions[0]).1.clone()
    }

    /// Changes a pull request.
    pub fn change(&mut self, pull: usize, now: Time, change: impl FnOnce(&mut View)) {
        let mut view = (*self.view(pull)).clone();
        change(&mut view);
        self.pulls[pull].push((now, Arc::new(view)));
    }

    /// A number that GitHub gives away.
    pub fn take_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A commit, which no branch has.
    pub fn make_commit(
        &mut self,
        parent: u64,
        faults: BTreeSet<u32>,
        turn: Option<(String, String)>,
    ) -> u64 {
        self.commits.push(Commit {
            parent: Some(parent),
            faults,
            turn,
        });
        self.commits.len() as u64 - 1
    }

    /// A commit by its number.
    pub fn commit(&self, id: u64) -> Option<&Commit> {
        self.commits.get(usize::try_from(id).ok()?)
    }

    /// Faults of a commit.
    pub fn faults(&self, id: u64) -> BTreeSet<u32> {
        self.commit(id)
            .map(|commit| commit.faults.clone())
            .unwrap_or_default()
    }

    /// A commit comes on top of a branch.
    pub fn push(&mut self, pull: usize, now: Time, commit: u64) {
        let turn = self.commit(commit).and_then(|commit| commit.turn.clone());
        self.pushed_turns.extend(turn.map(|turn| (pull, turn)));
        self.change(pull, now, |view| {
            view.branch.push(commit);
            view.head_came.insert(commit, now);
        });
    }

    /// How a check of the head of a view stands at a time.
    pub fn check(&self, pull: usize, view: &View, nth: u64, now: Time) -> Option<CheckState> {
        let head = view.head();
        let rerun = view.reruns.get(&(head, nth));
        let (attempt, came) = match rerun {
            Some(at) => (1_u64, *at),
            None => (0, *view.head_came.get(&head)?),
        };
        let of = ("check", pull, head, nth, attempt);
        let begins = came.plus(self.draw.between((of, "begins"), 500, 20_000));
        if attempt == 0 && now < begins {
            return None;
        }
        let ends = begins.plus(self.draw.between((of, "takes"), 5_000, 9 * MINUTE));
        let never = attempt == 0 && self.draw.chance((of, "never"), 15);
        let id = 10_000 + head * 100 + nth * 10 + attempt;
        if never || now < ends {
            return Some(CheckState {
                id,
                passed: None,
                ended: None,
            });
        }
        let broken = |fault: &u32| u64::from(*fault) % 7 == nth;
        let red = self.faults(head).iter().any(broken)
            || (attempt == 0 && self.draw.chance((of, "flaky"), 40))
            || view.turned_red.contains(&(head, nth));
        Some(CheckState {
            id,
            passed: Some(!red),
            ended: Some(ends),
        })
    }

    /// Whether everything that ready claims is so in a view.
    pub fn is_ready(&self, pull: usize, view: &View, at: Time) -> bool {
        let passed = |nth| {
            let check = self.check(pull, view, nth, at);
            check.is_some_and(|check| check.passed == Some(true))
        };
        view.state == PullState::Open
            && !view.draft
            && view.auto_merge.is_none()
            && view.verdict() != Some(ReviewVerdict::ChangesRequested)
            && !view.has_open_word()
            && (0..self.setting.checks).all(passed)
    }
}

/// The id of a commit.
pub fn sha(commit: u64) -> Sha {
    let id = format!("{:07x}{:033x}", commit + 1, 0);
    Sha::parse(&id).unwrap_or_else(|_| unreachable!("40 hex digits"))
}

/// The commit that an id stands for.
pub fn commit_of(sha: &Sha) -> u64 {
    let number = u64::from_str_radix(sha.short(), 16).unwrap_or_default();
    number.saturating_sub(1)
}

/// The title of a finding about a fault.
pub fn fault_title(fault: u32) -> String {
    format!("Fault {fault} makes the sum wrong")
}

/// The fault that a text is about.
pub fn named_fault(text: &str) -> Option<u32> {
    let rest = text.split("Fault ").nth(1)?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// A line of the file.
pub fn line_text(faults: &BTreeSet<u32>, line: u32) -> String {
    match line.checked_sub(FIRST_LINE).filter(|fault| *fault < FAULTS) {
        Some(fault) if faults.contains(&fault) => format!("total_{fault} = left - right"),
        Some(fault) => format!("total_{fault} = left + right"),
        None => format!("name_{line} = {line}"),
    }
}

/// The file.
pub fn file_text(faults: &BTreeSet<u32>) -> String {
    let lines: Vec<String> = (1..=LINES).map(|line| line_text(faults, line)).collect();
    lines.join("\n") + "\n"
}

/// A number that is small.
pub fn number(of: u64) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

//! What happens in one play: drawn from a seed, written down so that it can be played again, and shrunk.

use super::draw::Draw;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

/// A minute, in milliseconds.
pub const MINUTE: u64 = 60_000;

/// In how long everything that is planned happens. Where it is longer, most of a play are readings that show nothing new.
const WINDOW_MS: u64 = 30 * MINUTE;

/// How the world is that the loops live in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Pull requests.
    pub pulls: u64,
    /// Faults that the first commit of each pull request has.
    pub first_faults: u64,
    /// Checks of each head.
    pub checks: u64,
    /// How often a reviewer sees a fault that is there, in thousandths.
    pub sees: u64,
    /// How often it sees one that is not, a look.
    pub imagines: u64,
    /// How often the fixer mends what it is asked to.
    pub mends: u64,
    /// How often it breaks something else.
    pub breaks: u64,
    /// How often it claims what it did not mend.
    #[serde(default)]
    pub lies: u64,
    /// A review bot looks at each head.
    pub bot: bool,
    /// It contradicts each answer.
    pub bot_insists: bool,
    /// Reviewers of the panel: in one stage, or in two.
    pub reviewers: u64,
    /// Reviews and fixes at once.
    pub slots: u64,
}

/// Where a fault strikes: the first word of a call.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumCount,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// A reading.
    Poll,
    /// A post.
    Post,
    /// A search for a post.
    FindPost,
    /// Whether something merges by itself.
    WriteObstacle,
    /// A thread is resolved.
    ResolveThread,
    /// A check is run again.
    RerunCheck,
    /// A question of another kind to GitHub.
    Ask,
    /// A worktree.
    Prepare,
    /// What only looks at a clone.
    ReadClone,
    /// Gates.
    Vet,
    /// A commit.
    Commit,
    /// A push.
    Push,
    /// A look at the remote.
    RemoteHead,
    /// A worktree is removed.
    CleanUp,
    /// A reviewer.
    Review,
    /// The fixer.
    Fix,
    /// A write to the journal.
    Write,
    /// A read of the journal.
    Read,
}

/// What goes wrong.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It is done, and the answer does not arrive.
    AnswerLost,
    /// It is not done, and there is no answer.
    NotDone,
    /// It is done later than the answer that there is none.
    DoneLate,
    /// A rate limit.
    RateLimited,
    /// A refusal.
    Refused,
    /// What was so a while ago.
    Stale,
    /// It is not found.
    NotFound,
    /// It never ends by itself.
    Hangs,
    /// A fault of the program.
    Panics,
    /// The disk is full.
    DiskFull,
    /// It takes a long time.
    Slow,
}

/// A fault, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strike {
    /// At which calls.
    pub call: Call,
    /// Which of them, from 0.
    pub nth: u64,
    /// What.
    pub fault: Fault,
}

/// What a process that dies, or a machine that loses its power, leaves of a file of the data folder.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum Torn {
    /// A checkpoint ends in the middle.
    CheckpointCut,
    /// A checkpoint is still under the name that it has until it is whole; its place is empty.
    CheckpointUnfinished,
    /// The last line of the audit log ends in the middle.
    AuditLineCut,
    /// After the last line of the audit log stands the beginning of another one.
    AuditLineBegun,
    /// The journal is lost and made anew from the checkpoints, of which some are older by one change.
    JournalLost,
}

/// A torn file, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tear {
    /// The await at which the process dies, one of the crashes.
    pub at: u64,
    /// What it leaves.
    pub file: Torn,
}

/// What a person or time does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// A push by the author, with a new fault or without one.
    Push,
    /// A force push: the last commit is gone.
    ForcePush,
    /// A thread.
    Comment,
    /// Another word in a thread.
    CommentAgain,
    /// Another wording of a comment.
    Edit,
    /// A post of Collie's is deleted.
    DeletePost,
    /// A remark in the conversation.
    Remark,
    /// Changes are requested.
    RequestChanges,
    /// An approval.
    Approve,
    /// A draft, or none any more.
    Draft,
    /// Auto-merge on, or off again.
    AutoMerge,
    /// The conversation is locked, or no longer.
    Lock,
    /// Closed, or opened again.
    Close,
    /// Merged by a person.
    Merge,
    /// The base moves.
    BaseMoves,
    /// A person cancels.
    Cancel,
    /// A person begins another run.
    NextRun,
    /// Everything is paused, or no longer.
    Pause,
    /// A check that was green turns red at the same head.
    CheckTurnsRed,
    /// The clock is put forward.
    ClockForward,
    /// The clock is put back.
    ClockBack,
}

/// A move, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Milliseconds after the start.
    pub at: u64,
    /// At which pull request.
    pub pull: u64,
    /// What.
    pub what: Move,
}

/// Everything that is planned; the rest follows from the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// What chance goes by.
    pub seed: u64,
    /// The world.
    pub setting: Setting,
    /// What people do.
    pub moves: Vec<Planned>,
    /// What goes wrong.
    pub strikes: Vec<Strike>,
    /// Awaits at which the process dies, counted from 0 over all its lives.
    pub crashes: Vec<u64>,
    /// What is torn when it dies.
    #[serde(default)]
    pub tears: Vec<Tear>,
}

/// How many of a thousand deaths leave a torn file.
const TORN_PERMILLE: u64 = 400;

/// Faults that calls can have.
pub fn faults_of(call: Call) -> &'static [Fault] {
    use Fault::*;
    match call {
        Call::Poll => &[NotDone, RateLimited, Stale, Stale, Stale, NotFound, Slow],
        Call::Post => &[
            AnswerLost,
            AnswerLost,
            DoneLate,
            NotDone,
            RateLimited,
            Refused,
            Slow,
        ],
        Call::FindPost => &[NotDone, RateLimited, Slow],
        Call::WriteObstacle => &[NotDone, RateLimited, Slow],
        Call::ResolveThread | Call::RerunCheck => {
            &[AnswerLost, NotDone, RateLimited, Refused, Slow]
        }
        Call::Ask => &[NotDone, RateLimited],
        Call::Prepare => &[NotDone, Slow, Hangs, Panics],
        Call::ReadClone => &[NotDone, Slow],
        Call::Vet => &[Refused, Refused, NotDone, Slow],
        Call::Commit => &[NotDone, AnswerLost],
        Call::Push => &[AnswerLost, NotDone, Refused, Slow],
        Call::RemoteHead => &[NotDone],
        Call::CleanUp => &[NotDone],
        Call::Review | Call::Fix => &[NotDone, Refused, Hangs, Panics, Slow],
        Call::Write => &[DiskFull],
        Call::Read => &[],
    }
}

/// A post whose sender was told nothing lands while the next try waits: what is looked for only once is said twice.
fn late_under_a_rate_limit(nth: u64) -> [Strike; 2] {
    let at = |nth, fault| Strike {
        call: Call::Post,
        nth,
        fault,
    };
    [at(nth, Fault::DoneLate), at(nth + 1, Fault::RateLimited)]
}

fn setting(draw: &Draw) -> Setting {
    Setting {
        pulls: [1, 1, 1, 2, 3][index(draw.below("pulls", 5))],
        first_faults: draw.below("first faults", 5),
        checks: draw.below("checks", 4),
        sees: [400, 800, 1_000][index(draw.below("sees", 3))],
        imagines: [0, 0, 150, 1_000][index(draw.below("imagines", 4))],
        mends: [300, 800, 1_000][index(draw.below("mends", 3))],
        breaks: [0, 0, 200, 1_000][index(draw.below("breaks", 4))],
        lies: [0, 0, 0, 300][index(draw.below("lies", 4))],
        bot: draw.chance("bot", 400),
        bot_insists: draw.chance("bot insists", 300),
        reviewers: draw.between("reviewers", 1, 2),
        slots: draw.between("slots", 1, 3),
    }
}

/// What some of the deaths leave.
fn tears(draw: &Draw, crashes: &[u64]) -> Vec<Tear> {
    let torn = crashes.iter().copied();
    let torn = torn.filter(|at| draw.chance(("torn", at), TORN_PERMILLE));
    let tears = torn.filter_map(|at| {
        let file = draw.pick(("torn file", at), Torn::VARIANTS)?;
        Some(Tear { at, file })
    });
    tears.collect()
}

impl Schedule {
    /// What a seed gives: quiet ones and wild ones.
    pub fn of_seed(seed: u64) -> Self {
        let draw = Draw::new(seed);
        let setting = setting(&draw);
        let count = |what: &str, most: u64| match draw.below((what, "wild"), 4) {
            0 => 0,
            1 => draw.between(what, 1, 2),
            _ => draw.between(what, 1, most),
        };
        let moves = (0..count("moves", 8)).filter_map(|n| {
            Some(Planned {
                at: draw.below(("at", n), WINDOW_MS),
                pull: draw.below(("move of", n), setting.pulls),
                what: draw.pick(("move", n), Move::VARIANTS)?,
            })
        });
        let mut moves: Vec<Planned> = moves.collect();
        moves.sort_by_key(|planned| planned.at);
        let strikes = (0..count("strikes", 12)).filter_map(|n| {
            let call = draw.pick(("call", n), Call::VARIANTS)?;
            let often = matches!(call, Call::Poll | Call::Write | Call::Post);
            Some(Strike {
                call,
                nth: draw.below(("nth", n), if often { 20 } else { 6 }),
                fault: draw.pick(("fault", n), faults_of(call))?,
            })
        });
        let mut strikes: Vec<Strike> = strikes.collect();
        if draw.chance("late under a rate limit", 60) {
            strikes.extend(late_under_a_rate_limit(draw.below("late post", 6)));
        }
        let crashes = (0..count("crashes", 6)).map(|n| draw.below(("crash", n), 500));
        let mut crashes: Vec<u64> = crashes.collect();
        crashes.sort_unstable();
        crashes.dedup();
        let tears = tears(&draw, &crashes);
        // Of a post that was deleted, and that only the lost journal had seen, nobody can tell that it ever arrived.
        if tears.iter().any(|tear| tear.file == Torn::JournalLost) {
            moves.retain(|planned| planned.what != Move::DeletePost);
        }
        Self {
            seed,
            setting,
            moves,
            strikes,
            crashes,
            tears,
        }
    }

    /// Whether the journal is lost at some time.
    pub fn loses_its_journal(&self) -> bool {
        let mut torn = self.tears.iter();
        torn.any(|tear| tear.file == Torn::JournalLost)
    }

    /// How many things are planned.
    pub fn len(&self) -> usize {
        self.moves.len() + self.strikes.len() + self.crashes.len() + self.tears.len()
    }

    /// Whether nothing is planned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same without what is planned in a range of places.
    pub fn without(&self, first: usize, count: usize) -> Self {
        let taken = |at: usize| (first..first + count).contains(&at);
        let (moves, strikes) = (self.moves.len(), self.strikes.len());
        let before_tears = moves + strikes + self.crashes.len();
        Self {
            moves: keep(&self.moves, |at| !taken(at)),
            strikes: keep(&self.strikes, |at| !taken(moves + at)),
            crashes: keep(&self.crashes, |at| !taken(moves + strikes + at)),
            tears: keep(&self.tears, |at| !taken(before_tears + at)),
            ..self.clone()
        }
    }
}

fn keep<T: Copy>(of: &[T], wanted: impl Fn(usize) -> bool) -> Vec<T> {
    let kept = of.iter().enumerate().filter(|(at, _)| wanted(*at));
    kept.map(|(_, item)| *item).collect()
}

fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or_default()
}

/// Takes away what is not needed for `fails` to hold: halves first, then less, down to single things; then the setting is made plainer.
pub fn shrink(schedule: &Schedule, fails: impl Fn(&Schedule) -> bool) -> Schedule {
    let mut smallest = schedule.clone();
    let mut size = smallest.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < smallest.len() {
            let less = smallest.without(at, size);
            if less.len() < smallest.len() && fails(&less) {
                smallest = less;
            } else {
                at += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    for plainer in plainer_settings() {
        let mut next = smallest.clone();
        plainer(&mut next);
        if next != smallest && fails(&next) {
            smallest = next;
        }
    }
    smallest
}

fn plainer_settings() -> [fn(&mut Schedule); 8] {
    [
        |of| {
            of.setting.pulls = 1;
            of.moves.retain(|planned| planned.pull == 0);
        },
        |of| of.setting.bot = false,
        |of| of.setting.reviewers = 1,
        |of| of.setting.checks = of.setting.checks.min(1),
        |of| of.setting.first_faults = of.setting.first_faults.min(1),
        |of| of.setting.imagines = 0,
        |of| of.setting.breaks = 0,
        |of| of.setting.lies = 0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_schedule_and_others_give_others() {
        let all: Vec<Schedule> = (0..200).map(Schedule::of_seed).collect();
        assert_eq!(all[7], Schedule::of_seed(7));
        assert!(all.iter().any(Schedule::is_empty), "a quiet one");
        assert!(all.iter().any(|of| of.crashes.len() > 2), "a wild one");
        for file in Torn::VARIANTS {
            let is_torn = |of: &Schedule| of.tears.iter().any(|tear| tear.file == *file);
            assert!(all.iter().any(is_torn), "{file:?}");
        }
        let json = serde_json::to_string(&all[3]).unwrap();
        assert_eq!(serde_json::from_str::<Schedule>(&json).unwrap(), all[3]);
    }

    #[test]
    fn what_is_not_needed_to_fail_is_taken_away() {
        let seed = (0..).find(|seed| {
            let of = Schedule::of_seed(*seed);
            of.crashes.len() >= 3 && of.moves.len() >= 3 && of.strikes.len() >= 3
        });
        let whole = Schedule::of_seed(seed.unwrap());
        let (crash, planned) = (whole.crashes[1], whole.moves[2]);
        let fails = |of: &Schedule| of.crashes.contains(&crash) && of.moves.contains(&planned);
        let small = shrink(&whole, fails);
        assert_eq!(
            (&small.crashes, &small.moves),
            (&vec![crash], &vec![planned])
        );
        assert!(small.strikes.is_empty() && small.tears.is_empty());
    }
}

//! How far Collie goes by itself (§13.7): what a person chose, what the repository and its labels lower it to, and what is held back by it.

use crate::effect::Effect;
use crate::ids::{Login, Sha};
use crate::lifecycle::State;
use crate::loop_state::{LoopState, Outbox};
use crate::post::PostContent;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// How far Collie goes by itself. The stricter one is the lesser.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Autonomy {
    /// It reviews and fixes locally, and sends GitHub nothing.
    Observe,
    /// It posts; each push waits for a person.
    Ask,
    /// It posts and pushes. What loops of older versions did.
    #[default]
    Push,
}

/// The label that makes Collie observe a pull request, whatever else is set.
pub const OBSERVE_LABEL: &str = "collie:observe";

impl Autonomy {
    /// All of them, the strictest first.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Their names.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// Its name, as settings and JSON write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it is what states of older versions have.
    pub fn is_push(&self) -> bool {
        *self == Autonomy::Push
    }

    /// Whether this kind of write to GitHub may be made without asking.
    pub fn allows(self, write: GitHubWrite) -> bool {
        match (self, write) {
            (Autonomy::Observe, _) | (Autonomy::Ask, GitHubWrite::Push) => false,
            (Autonomy::Ask, GitHubWrite::Conversation) | (Autonomy::Push, _) => true,
        }
    }
}

/// What an effect writes to GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHubWrite {
    /// Comments, reviews, replies, resolved threads, checks that are run again, requests to bots and people.
    Conversation,
    /// Commits.
    Push,
}

impl Effect {
    /// What it writes to GitHub; none for what only reads, or stays on this machine.
    pub fn github_write(&self) -> Option<GitHubWrite> {
        match self {
            Effect::Push(_) => Some(GitHubWrite::Push),
            Effect::Post(_) | Effect::ResolveThread(_) | Effect::RerunChecks(_) => {
                Some(GitHubWrite::Conversation)
            }
            Effect::LoadConfig(_)
            | Effect::CheckRights(_)
            | Effect::Review(_)
            | Effect::Fix(_)
            | Effect::Verify(_)
            | Effect::MergeBase(_)
            | Effect::ReadRemoteHead(_)
            | Effect::Remember(_)
            | Effect::CleanUp => None,
        }
    }
}

/// What a person chose for a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ChosenAutonomy {
    /// The level.
    pub level: Autonomy,
    /// What the settings said when they were last told; another word of theirs is taken up, the same one is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configured: Option<Autonomy>,
}

impl ChosenAutonomy {
    /// Whether it is what states of older versions have.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Something that would be written if the level allowed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeldWrite {
    /// The head that it was made for; none before the first reading.
    pub head: Option<Sha>,
    /// What would be done.
    pub effect: Effect,
}

impl HeldWrite {
    /// What would be said, if it says something.
    pub fn content(&self) -> Option<&PostContent> {
        match &self.effect {
            Effect::Post(asked) => Some(&asked.post.content),
            _ => None,
        }
    }
}

/// A push that a person has approved: of this commit on this head, and of nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ApprovedPush {
    /// The commit.
    pub commit: Sha,
    /// The head that it was made on.
    pub head: Sha,
    /// Who.
    pub by: Login,
}

/// A commit that would be pushed if the level allowed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldPush<'a> {
    /// The commit.
    pub commit: &'a Sha,
    /// The head that it was made on.
    pub head: &'a Sha,
    /// The files that it changes; empty where that is not known.
    pub files: &'a [String],
}

impl LoopState {
    /// How far Collie goes by itself here: the strictest of what a person chose, the repository sets and a label says.
    pub fn autonomy(&self) -> Autonomy {
        if self.run.observed_by_label {
            return Autonomy::Observe;
        }
        let allowed = self.run.configuration.policy.max_autonomy;
        self.chosen_autonomy.level.min(allowed)
    }

    /// Whether the level lets this be done now; asked by `step` for each effect, and again by the engine right before each write.
    pub fn may_do(&self, effect: &Effect) -> bool {
        let level = self.autonomy();
        let Some(write) = effect.github_write() else {
            // The question what a token may write is put to GitHub as a write that it cannot carry out.
            return level > Autonomy::Observe || !matches!(effect, Effect::CheckRights(_));
        };
        let approved = match (level, effect) {
            (Autonomy::Ask, Effect::Push(asked)) => {
                let approved = self.run.fixing.approved_push.as_ref();
                approved.is_some_and(|it| it.commit == asked.commit && it.head == asked.from)
            }
            _ => false,
        };
        approved || level.allows(write)
    }

    /// The commit that waits for the level to be raised, or for a person's approval.
    pub fn held_push(&self) -> Option<HeldPush<'_>> {
        let level = self.autonomy();
        let fix = self.run.fixing.pending.as_ref()?;
        let commit = fix.commit.as_ref().filter(|_| !fix.pushed)?;
        let approved = self.run.fixing.approved_push.as_ref();
        let is_approved = level == Autonomy::Ask
            && approved.is_some_and(|it| it.commit == *commit && it.head == fix.from);
        let waits = !level.allows(GitHubWrite::Push) && !is_approved;
        (waits && fix.verification.allows_push()).then_some(HeldPush {
            commit,
            head: &fix.from,
            files: &fix.files,
        })
    }

    /// Whether what was held may be said by now, and has not been asked for yet.
    pub fn awaits_release(&self) -> bool {
        let over = match self.run.state {
            State::Merged | State::Closed | State::Cancelled => true,
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::PrReadyToMerge
            | State::NeedsHuman
            | State::Failed => false,
        };
        let mut held = self.outbox.held.iter();
        !over && self.autonomy() > Autonomy::Observe && held.any(|held| held.content().is_some())
    }

    /// Whether a person's word would have the held commit pushed now.
    pub fn may_approve_push(&self) -> bool {
        let asks = self.autonomy() == Autonomy::Ask && !self.run.state.is_terminal();
        asks && self.held_push().is_some()
    }

    /// How many writes wait for the level to be raised.
    pub fn held_count(&self) -> usize {
        let parked = self.outbox.effects.values();
        let parked = parked.filter(|effect| !self.may_do(effect));
        let push = usize::from(self.held_push().is_some());
        self.outbox.held.len() + parked.filter(|e| e.github_write().is_some()).count() + push
    }
}

impl Outbox {
    /// Keeps what the level does not allow, unless the very same is kept.
    pub fn hold(&mut self, head: Option<Sha>, effect: Effect) {
        if !self.held.iter().any(|held| held.effect == effect) {
            self.held.push(HeldWrite { head, effect });
        }
    }
}

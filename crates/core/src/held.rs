//! What the level of autonomy lets a loop do, and what it holds back (§13.7): said here, and asked by `step` and by the engine.

use crate::autonomy::{Autonomy, GitHubWrite};
use crate::effect::Effect;
use crate::ids::Sha;
use crate::loop_state::LoopState;

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

impl Effect {
    /// Whether it waits while everything is paused: what costs money or this machine's time, and what GitHub is asked by a write. What
    /// only reads goes on, so that a pause that ends finds the truth; so does clearing up.
    pub fn waits_for_pause(&self) -> bool {
        self.takes_slot() || self.github_write().is_some() || matches!(self, Effect::CheckRights(_))
    }
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

    /// Whether this may be done now: the level lets it, and nothing is paused. Asked by the engine right before each write, and before
    /// work begins.
    pub fn may_do(&self, effect: &Effect) -> bool {
        let is_paused = self.pause.is_some() && effect.waits_for_pause();
        !is_paused && self.level_allows(effect)
    }

    /// Whether the level lets this be done; asked by `step` for each effect.
    pub fn level_allows(&self, effect: &Effect) -> bool {
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

    /// Whether a pause of everything keeps something from being done that is asked for (§15).
    pub fn is_held_by_pause(&self) -> bool {
        let mut asked = self.outbox.effects.values();
        self.pause.is_some() && asked.any(Effect::waits_for_pause)
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
        let mut held = self.outbox.held.iter();
        let is_over = self.run.state.is_over();
        !is_over && self.autonomy() > Autonomy::Observe && held.any(|held| held.content().is_some())
    }

    /// Whether a person's word would have the held commit pushed now.
    pub fn may_approve_push(&self) -> bool {
        let asks = self.autonomy() == Autonomy::Ask && !self.run.state.is_terminal();
        asks && self.held_push().is_some()
    }

    /// How many writes wait for the level to be raised.
    pub fn held_count(&self) -> usize {
        let parked = self.outbox.effects.values();
        let parked = parked.filter(|effect| !self.level_allows(effect));
        let push = usize::from(self.held_push().is_some());
        self.outbox.held.len() + parked.filter(|e| e.github_write().is_some()).count() + push
    }
}

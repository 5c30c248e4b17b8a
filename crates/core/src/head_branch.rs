//! One lock per head branch (§6.4): of the loops whose commits go to one branch, one at a time makes commits and pushes them.

use crate::effect::Effect;
use crate::ids::{RepoName, Sha};
use crate::loop_state::LoopState;
use std::collections::BTreeSet;
use std::fmt;

/// Where the commits of a loop go. Pull requests into several bases may have the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadBranch {
    host: String,
    /// In lower case: GitHub takes no notice of it.
    repo: String,
    name: String,
}

impl fmt::Display for HeadBranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, repo, name } = self;
        write!(f, "{host}/{repo}/{name}")
    }
}

impl LoopState {
    /// Where its commits go.
    pub fn head_branch(&self) -> HeadBranch {
        let fork = self.run.head.repo.as_ref();
        let repo: &RepoName = fork.unwrap_or(&self.pull.repo);
        HeadBranch {
            host: self.id.host.clone(),
            repo: repo.to_string().to_ascii_lowercase(),
            name: self.pull.head_ref.clone(),
        }
    }

    /// Commits of its own that may be on no remote yet.
    pub fn unpushed_commits(&self) -> BTreeSet<Sha> {
        let pending = self.run.fixing.pending.iter().filter(|fix| !fix.pushed);
        let made = pending.filter_map(|fix| fix.commit.as_ref());
        let asked = self.outbox.effects.values().filter_map(Effect::own_commit);
        made.chain(asked).cloned().collect()
    }

    /// Whether a commit of its own is on its way to the head branch: made, not pushed, and no person has to do something first.
    pub fn is_about_to_push(&self) -> bool {
        let blocker = self.run.blocker.as_ref();
        let waits_for_person = blocker.is_some_and(|blocker| blocker.needs_person());
        let fix = self.run.fixing.pending.as_ref();
        let is_unpushed = fix.is_some_and(|fix| fix.commit.is_some() && !fix.pushed);
        !self.run.state.is_terminal() && is_unpushed && !waits_for_person
    }
}

impl Effect {
    /// The commit of Collie's that it works on, which may be on no remote yet.
    pub fn own_commit(&self) -> Option<&Sha> {
        match self {
            Effect::Push(asked) => Some(&asked.commit),
            Effect::Verify(asked) => Some(&asked.commit),
            Effect::Fix(asked) => asked.rejected.as_ref().map(|rejected| &rejected.commit),
            Effect::LoadConfig(_)
            | Effect::CheckRights(_)
            | Effect::Review(_)
            | Effect::MergeBase(_)
            | Effect::ReadRemoteHead(_)
            | Effect::Post(_)
            | Effect::ResolveThread(_)
            | Effect::RerunChecks(_)
            | Effect::Remember(_)
            | Effect::CleanUp => None,
        }
    }

    /// Whether it makes a commit for the head branch, as all work does but a review.
    pub fn makes_commit(&self) -> bool {
        self.takes_slot() && self.as_review().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autonomy::Autonomy;
    use crate::test_support::{LoopFixture, finding, sha};

    fn fixed(level: Autonomy) -> LoopFixture {
        let mut w = LoopFixture::new();
        w.state.chosen_autonomy.level = level;
        w.poll()
            .finish_review(&[finding("a.py", "bug", "if x == None:")]);
        w
    }

    #[test]
    fn branches_are_told_apart_by_repository_and_name() {
        let w = LoopFixture::new();
        let own = w.state.head_branch();
        let same = |change: fn(&mut LoopState)| {
            let mut other = w.state.clone();
            change(&mut other);
            other.head_branch() == own
        };
        assert!(same(|it| it.id.number += 1));
        assert!(same(|it| it.pull.base_ref = "release".into()));
        assert!(same(|it| {
            let upper = it.pull.repo.to_string().to_ascii_uppercase();
            it.run.head.repo = RepoName::parse(&upper).ok();
        }));
        assert!(!same(|it| it.pull.head_ref.push('2')));
        assert!(!same(
            |it| it.run.head.repo = RepoName::parse("fork/api").ok()
        ));
        assert!(!same(|it| it.id.host.push('2')));
    }

    #[test]
    fn a_commit_is_on_its_way_from_when_it_is_made_until_it_is_pushed() {
        let mut w = fixed(Autonomy::Push);
        assert!(!w.state.is_about_to_push());
        w.finish_fix(Some('b'));
        assert!(w.state.is_about_to_push());
        w.finish_push();
        assert!(!w.state.is_about_to_push());
    }

    #[test]
    fn a_commit_is_on_no_remote_from_when_it_is_made_until_it_is_pushed_whoever_is_waited_for() {
        for level in [Autonomy::Push, Autonomy::Ask] {
            let mut w = fixed(level);
            assert_eq!(w.state.unpushed_commits(), BTreeSet::new());
            w.finish_fix(Some('b'));
            assert_eq!(w.state.unpushed_commits(), [sha('b')].into(), "{level:?}");
        }
        let mut w = fixed(Autonomy::Push);
        w.finish_fix(Some('b'));
        w.state.outbox.effects.clear();
        let pending = w.state.run.fixing.pending.as_mut().unwrap();
        pending.pushed = true;
        assert_eq!(w.state.unpushed_commits(), BTreeSet::new());
    }

    #[test]
    fn a_commit_that_waits_for_a_person_keeps_nobody_else_from_the_branch() {
        for level in [Autonomy::Observe, Autonomy::Ask] {
            let mut w = fixed(level);
            w.finish_fix(Some('b'));
            assert_eq!(w.state.held_push().map(|it| it.commit), Some(&sha('b')));
            assert!(!w.state.is_about_to_push(), "{level:?}");
        }
    }
}

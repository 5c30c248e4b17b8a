//! What the Auto-PR-Review toggle does with each open pull request of its repository (§2, §13.1).

use crate::ids::{Login, Sha, Time};
use crate::lifecycle::State;
use crate::loop_state::LoopState;
use std::collections::BTreeSet;

/// Which pull requests a repository's toggle is for. An empty set stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoStartFilter {
    /// By one of these.
    pub authors: BTreeSet<Login>,
    /// With one of these labels; letter case does not matter, as on GitHub.
    pub labels: BTreeSet<String>,
    /// Into one of these branches.
    pub base_branches: BTreeSet<String>,
    /// Numbers of pull requests that a person left out.
    pub except: BTreeSet<u64>,
    /// The label that keeps Collie away (§3.7).
    pub ignore_label: String,
}

/// An open pull request as a listing shows it.
#[derive(Clone, Copy, Debug)]
pub struct OpenPull<'a> {
    /// Its number.
    pub number: u64,
    /// Its head.
    pub head: &'a Sha,
    /// A draft.
    pub draft: bool,
    /// Who opened it; none for an account that is gone.
    pub author: Option<&'a Login>,
    /// Its labels.
    pub labels: &'a [String],
    /// The base branch.
    pub base_ref: &'a str,
    /// When the listing was asked for.
    pub read_at: Time,
}

/// What the toggle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoStart {
    /// Starts a loop.
    Start,
    /// Begins a fresh run.
    Retry,
    /// Leaves it alone.
    Skip(SkipReason),
}

/// Why the toggle leaves a pull request alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// A loop is at work on it, or has ended for good.
    HasLoop,
    /// A person cancelled it: only a person starts it again.
    Cancelled,
    /// Nobody else has pushed since it stopped.
    NobodyPushed,
    /// It is a draft.
    Draft,
    /// It carries the label that keeps Collie away.
    Ignored,
    /// Its author is not among those chosen.
    Author,
    /// A person left it out.
    LeftOut,
    /// It has none of the labels chosen.
    Label,
    /// It goes into a branch that is not among those chosen.
    Base,
}

impl SkipReason {
    /// What programs branch on, and texts are named by.
    pub fn code(self) -> &'static str {
        match self {
            SkipReason::HasLoop => "has_loop",
            SkipReason::Cancelled => "cancelled",
            SkipReason::NobodyPushed => "nobody_pushed",
            SkipReason::Draft => "draft",
            SkipReason::Ignored => "ignored",
            SkipReason::Author => "author",
            SkipReason::LeftOut => "left_out",
            SkipReason::Label => "label",
            SkipReason::Base => "base",
        }
    }
}

/// Decides about one pull request. `known` is its loop, if there is one.
pub fn decide_auto_start(
    pull: &OpenPull<'_>,
    rules: &AutoStartFilter,
    existing: Option<&LoopState>,
) -> AutoStart {
    let start = match existing {
        None => AutoStart::Start,
        Some(existing) => match restart_existing(pull, existing) {
            Ok(decision) => decision,
            Err(why) => return AutoStart::Skip(why),
        },
    };
    skip_reason(pull, rules).map_or(start, AutoStart::Skip)
}

/// Whether a loop that is there begins anew.
fn restart_existing(pull: &OpenPull<'_>, existing: &LoopState) -> Result<AutoStart, SkipReason> {
    match existing.run.state {
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::PrReadyToMerge
        | State::Merged => Err(SkipReason::HasLoop),
        State::Cancelled => Err(SkipReason::Cancelled),
        // Open in a listing that is younger than the end: somebody has reopened it.
        State::Closed if pull.read_at > existing.run.updated_at => Ok(AutoStart::Retry),
        State::Closed => Err(SkipReason::HasLoop),
        State::NeedsHuman | State::Failed if pushed_by_others(pull.head, existing) => {
            Ok(AutoStart::Retry)
        }
        State::NeedsHuman | State::Failed => Err(SkipReason::NobodyPushed),
    }
}

/// Whether the head is one that the loop has neither seen last, nor made, nor replaced: a stale listing is no push.
fn pushed_by_others(head: &Sha, existing: &LoopState) -> bool {
    existing.run.head.sha.as_ref() != Some(head)
        && !existing.memory.own_commits.contains(head)
        && !existing.run.head.replaced.contains(head)
}

fn skip_reason(pull: &OpenPull<'_>, rules: &AutoStartFilter) -> Option<SkipReason> {
    let has = |label: &String| {
        pull.labels
            .iter()
            .any(|found| found.to_lowercase() == label.to_lowercase())
    };
    if pull.draft {
        Some(SkipReason::Draft)
    } else if has(&rules.ignore_label) {
        Some(SkipReason::Ignored)
    } else if !rules.authors.is_empty()
        && !pull
            .author
            .is_some_and(|author| rules.authors.contains(author))
    {
        Some(SkipReason::Author)
    } else if !rules.labels.is_empty() && !rules.labels.iter().any(has) {
        Some(SkipReason::Label)
    } else if !rules.base_branches.is_empty() && !rules.base_branches.contains(pull.base_ref) {
        Some(SkipReason::Base)
    } else if rules.except.contains(&pull.number) {
        Some(SkipReason::LeftOut)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{LoopFixture, sha};

    fn rules() -> AutoStartFilter {
        AutoStartFilter {
            ignore_label: "collie:ignore".into(),
            ..AutoStartFilter::default()
        }
    }

    fn set<T: Ord, const N: usize>(items: [T; N]) -> BTreeSet<T> {
        items.into_iter().collect()
    }

    fn open_pull<'a>(head: &'a Sha, author: &'a Login, labels: &'a [String]) -> OpenPull<'a> {
        OpenPull {
            number: 7,
            head,
            draft: false,
            author: Some(author),
            labels,
            base_ref: "main",
            read_at: Time(1),
        }
    }

    fn check(pull: OpenPull<'_>, rules: AutoStartFilter, expect: AutoStart) {
        assert_eq!(
            decide_auto_start(&pull, &rules, None),
            expect,
            "{pull:?} {rules:?}"
        );
    }

    #[test]
    fn a_pull_request_without_a_loop_is_started_unless_it_is_a_draft_or_ignored() {
        let (head, kim) = (sha('a'), Login::new("kim"));
        let ignored = ["Collie:Ignore".to_owned()];
        let open = open_pull(&head, &kim, &[]);
        check(open, rules(), AutoStart::Start);
        let draft = OpenPull {
            draft: true,
            ..open
        };
        check(draft, rules(), AutoStart::Skip(SkipReason::Draft));
        let kept_away = open_pull(&head, &kim, &ignored);
        check(kept_away, rules(), AutoStart::Skip(SkipReason::Ignored));
    }

    #[test]
    fn what_a_person_left_out_is_left_out() {
        let (head, kim) = (sha('a'), Login::new("kim"));
        let except = |number| AutoStartFilter {
            except: set([number]),
            ..rules()
        };
        let open = open_pull(&head, &kim, &[]);
        check(open, except(7), AutoStart::Skip(SkipReason::LeftOut));
        check(open, except(8), AutoStart::Start);
    }

    #[test]
    fn authors_labels_and_base_branches_narrow_what_is_started() {
        let (head, kim) = (sha('a'), Login::new("kim"));
        let labels = ["Bug".to_owned()];
        let open = open_pull(&head, &kim, &labels);
        let left = AutoStart::Skip;
        let authors = |name| AutoStartFilter {
            authors: set([Login::new(name)]),
            ..rules()
        };
        check(open, authors("KIM"), AutoStart::Start);
        check(open, authors("ana"), left(SkipReason::Author));
        check(
            OpenPull {
                author: None,
                ..open
            },
            authors("kim"),
            left(SkipReason::Author),
        );
        let labelled = |name: &str| AutoStartFilter {
            labels: set([name.to_owned()]),
            ..rules()
        };
        check(open, labelled("bug"), AutoStart::Start);
        check(open, labelled("docs"), left(SkipReason::Label));
        let into = |name: &str| AutoStartFilter {
            base_branches: set([name.to_owned()]),
            ..rules()
        };
        check(open, into("main"), AutoStart::Start);
        check(open, into("release"), left(SkipReason::Base));
    }

    #[test]
    fn a_loop_begins_anew_only_once_somebody_else_has_pushed_and_never_after_a_cancel() {
        let mut known = LoopFixture::new().state;
        known.run.head.sha = Some(sha('a'));
        known.memory.own_commits = set([sha('b')]);
        known.run.head.replaced = set([sha('c')]);
        known.run.updated_at = Time(1_000);
        let mut check = |state: State, head: char, expect: AutoStart| {
            known.run.state = state;
            let pull = OpenPull {
                number: 7,
                head: &sha(head),
                draft: false,
                author: None,
                labels: &[],
                base_ref: "main",
                read_at: Time(2_000),
            };
            assert_eq!(
                decide_auto_start(&pull, &rules(), Some(&known)),
                expect,
                "{state} at {head}"
            );
        };
        for state in [State::NeedsHuman, State::Failed] {
            check(state, 'a', AutoStart::Skip(SkipReason::NobodyPushed));
            check(state, 'b', AutoStart::Skip(SkipReason::NobodyPushed));
            check(state, 'c', AutoStart::Skip(SkipReason::NobodyPushed));
            check(state, 'd', AutoStart::Retry);
        }
        check(
            State::Cancelled,
            'd',
            AutoStart::Skip(SkipReason::Cancelled),
        );
        check(State::Closed, 'a', AutoStart::Retry);
        for state in [
            State::PrCreated,
            State::PrFixing,
            State::PrReadyToMerge,
            State::Merged,
        ] {
            check(state, 'd', AutoStart::Skip(SkipReason::HasLoop));
        }
    }

    #[test]
    fn a_listing_from_before_the_end_opens_nothing_again() {
        let mut known = LoopFixture::new().state;
        (known.run.state, known.run.updated_at) = (State::Closed, Time(1_000));
        let head = sha('d');
        let at = |read_at: i64| OpenPull {
            number: 7,
            head: &head,
            draft: false,
            author: None,
            labels: &[],
            base_ref: "main",
            read_at: Time(read_at),
        };
        let decision = |read_at| super::decide_auto_start(&at(read_at), &rules(), Some(&known));
        assert_eq!(decision(1_000), AutoStart::Skip(SkipReason::HasLoop));
        assert_eq!(decision(1_001), AutoStart::Retry);
    }
}

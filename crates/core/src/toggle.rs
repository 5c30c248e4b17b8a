//! What the Auto-PR-Review toggle does with each open pull request of its repository (§2, §13.1).

use crate::ids::{Login, Sha, Time};
use crate::lifecycle::State;
use crate::model::LoopState;
use std::collections::BTreeSet;

/// Which pull requests a repository's toggle is for. An empty set stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToggleRules {
    /// By one of these.
    pub authors: BTreeSet<Login>,
    /// With one of these labels; letter case does not matter, as on GitHub.
    pub labels: BTreeSet<String>,
    /// Into one of these branches.
    pub base_branches: BTreeSet<String>,
    /// The label that keeps Collie away (§3.7).
    pub ignore_label: String,
}

/// An open pull request as a listing shows it.
#[derive(Clone, Copy, Debug)]
pub struct OpenPull<'a> {
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
pub enum Wish {
    /// Starts a loop.
    Start,
    /// Begins a fresh run.
    Retry,
    /// Leaves it alone.
    Leave(PassedBy),
}

/// Why the toggle leaves a pull request alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedBy {
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
    /// It has none of the labels chosen.
    Label,
    /// It goes into a branch that is not among those chosen.
    Base,
}

impl PassedBy {
    /// What programs branch on, and texts are named by.
    pub fn code(self) -> &'static str {
        match self {
            PassedBy::HasLoop => "has_loop",
            PassedBy::Cancelled => "cancelled",
            PassedBy::NobodyPushed => "nobody_pushed",
            PassedBy::Draft => "draft",
            PassedBy::Ignored => "ignored",
            PassedBy::Author => "author",
            PassedBy::Label => "label",
            PassedBy::Base => "base",
        }
    }
}

/// Decides about one pull request. `known` is its loop, if there is one.
pub fn wish(pull: &OpenPull<'_>, rules: &ToggleRules, known: Option<&LoopState>) -> Wish {
    let again = match known {
        None => Wish::Start,
        Some(known) => match again(pull, known) {
            Ok(wish) => wish,
            Err(why) => return Wish::Leave(why),
        },
    };
    filtered(pull, rules).map_or(again, Wish::Leave)
}

/// Whether a loop that is there begins anew.
fn again(pull: &OpenPull<'_>, known: &LoopState) -> Result<Wish, PassedBy> {
    match known.state {
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::PrReadyToMerge
        | State::Merged => Err(PassedBy::HasLoop),
        State::Cancelled => Err(PassedBy::Cancelled),
        // Open in a listing that is younger than the end: somebody has reopened it.
        State::Closed if pull.read_at > known.updated_at => Ok(Wish::Retry),
        State::Closed => Err(PassedBy::HasLoop),
        State::NeedsHuman | State::Failed if pushed_by_others(pull.head, known) => Ok(Wish::Retry),
        State::NeedsHuman | State::Failed => Err(PassedBy::NobodyPushed),
    }
}

/// Whether the head is one that the loop has neither seen last, nor made, nor replaced: a stale listing is no push.
fn pushed_by_others(head: &Sha, known: &LoopState) -> bool {
    known.head.as_ref() != Some(head)
        && !known.own_commits.contains(head)
        && !known.replaced_heads.contains(head)
}

fn filtered(pull: &OpenPull<'_>, rules: &ToggleRules) -> Option<PassedBy> {
    let has = |label: &String| {
        pull.labels
            .iter()
            .any(|found| found.to_lowercase() == label.to_lowercase())
    };
    if pull.draft {
        Some(PassedBy::Draft)
    } else if has(&rules.ignore_label) {
        Some(PassedBy::Ignored)
    } else if !rules.authors.is_empty()
        && !pull
            .author
            .is_some_and(|author| rules.authors.contains(author))
    {
        Some(PassedBy::Author)
    } else if !rules.labels.is_empty() && !rules.labels.iter().any(has) {
        Some(PassedBy::Label)
    } else if !rules.base_branches.is_empty() && !rules.base_branches.contains(pull.base_ref) {
        Some(PassedBy::Base)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{World, sha};

    fn rules() -> ToggleRules {
        ToggleRules {
            ignore_label: "collie:ignore".into(),
            ..ToggleRules::default()
        }
    }

    fn set<T: Ord, const N: usize>(items: [T; N]) -> BTreeSet<T> {
        items.into_iter().collect()
    }

    #[test]
    fn a_pull_request_without_a_loop_is_started_when_the_rules_allow_it() {
        let (head, kim) = (sha('a'), Login::new("kim"));
        let labels = ["Bug".to_owned()];
        let open = OpenPull {
            head: &head,
            draft: false,
            author: Some(&kim),
            labels: &labels,
            base_ref: "main",
            read_at: Time(1),
        };
        let check = |pull: OpenPull<'_>, rules: ToggleRules, expect: Wish| {
            assert_eq!(wish(&pull, &rules, None), expect, "{pull:?} {rules:?}");
        };
        let left = Wish::Leave;
        check(open, rules(), Wish::Start);
        check(
            OpenPull {
                draft: true,
                ..open
            },
            rules(),
            left(PassedBy::Draft),
        );
        let ignored = ["Collie:Ignore".to_owned()];
        let kept_away = OpenPull {
            labels: &ignored,
            ..open
        };
        check(kept_away, rules(), left(PassedBy::Ignored));
        let authors = |name| ToggleRules {
            authors: set([Login::new(name)]),
            ..rules()
        };
        check(open, authors("KIM"), Wish::Start);
        check(open, authors("ana"), left(PassedBy::Author));
        check(
            OpenPull {
                author: None,
                ..open
            },
            authors("kim"),
            left(PassedBy::Author),
        );
        let labelled = |name: &str| ToggleRules {
            labels: set([name.to_owned()]),
            ..rules()
        };
        check(open, labelled("bug"), Wish::Start);
        check(open, labelled("docs"), left(PassedBy::Label));
        let into = |name: &str| ToggleRules {
            base_branches: set([name.to_owned()]),
            ..rules()
        };
        check(open, into("main"), Wish::Start);
        check(open, into("release"), left(PassedBy::Base));
    }

    #[test]
    fn a_loop_begins_anew_only_once_somebody_else_has_pushed_and_never_after_a_cancel() {
        let mut known = World::new().state;
        known.head = Some(sha('a'));
        known.own_commits = set([sha('b')]);
        known.replaced_heads = set([sha('c')]);
        known.updated_at = Time(1_000);
        let mut check = |state: State, head: char, expect: Wish| {
            known.state = state;
            let pull = OpenPull {
                head: &sha(head),
                draft: false,
                author: None,
                labels: &[],
                base_ref: "main",
                read_at: Time(2_000),
            };
            assert_eq!(
                wish(&pull, &rules(), Some(&known)),
                expect,
                "{state} at {head}"
            );
        };
        for state in [State::NeedsHuman, State::Failed] {
            check(state, 'a', Wish::Leave(PassedBy::NobodyPushed));
            check(state, 'b', Wish::Leave(PassedBy::NobodyPushed));
            check(state, 'c', Wish::Leave(PassedBy::NobodyPushed));
            check(state, 'd', Wish::Retry);
        }
        check(State::Cancelled, 'd', Wish::Leave(PassedBy::Cancelled));
        check(State::Closed, 'a', Wish::Retry);
        for state in [
            State::PrCreated,
            State::PrFixing,
            State::PrReadyToMerge,
            State::Merged,
        ] {
            check(state, 'd', Wish::Leave(PassedBy::HasLoop));
        }
    }

    #[test]
    fn a_listing_from_before_the_end_opens_nothing_again() {
        let mut known = World::new().state;
        (known.state, known.updated_at) = (State::Closed, Time(1_000));
        let head = sha('d');
        let at = |read_at: i64| OpenPull {
            head: &head,
            draft: false,
            author: None,
            labels: &[],
            base_ref: "main",
            read_at: Time(read_at),
        };
        let wish = |read_at| super::wish(&at(read_at), &rules(), Some(&known));
        assert_eq!(wish(1_000), Wish::Leave(PassedBy::HasLoop));
        assert_eq!(wish(1_001), Wish::Retry);
    }
}

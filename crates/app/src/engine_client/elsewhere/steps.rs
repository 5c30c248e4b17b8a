//! What a loop elsewhere tells, as steps for the journal here: decided anew from the events, and taken as it stands where that is not possible.

use collie_core::ids::Time;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::ports::{AppliedStep, ProjectedChange, ProjectedStep, VersionedLoop};
use collie_engine::{Happened, HistoryEntry};
use jiff::tz::TimeZone;

/// A loop as it was written down last.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine_client) struct KnownLoop<'a> {
    /// How many of its events are known; none where it was written down and that was lost.
    pub version: Option<u64>,
    /// The loop.
    pub state: &'a LoopState,
}

/// The steps that entries of its history come to. None: they do not go on from what is known, or come to something else than they say, and the
/// loop has to be taken as it stands.
pub(in crate::engine_client) fn steps_of(
    known: Option<KnownLoop<'_>>,
    entries: &[HistoryEntry],
    zone: &TimeZone,
) -> Option<Vec<ProjectedStep>> {
    let (mut version, mut state) = match known {
        Some(known) => (known.version?, Some(known.state.clone())),
        None => (0, None),
    };
    let mut steps = Vec::new();
    for entry in entries {
        if entry.version <= version {
            continue;
        }
        if entry.version != version + 1 {
            return None;
        }
        let step = match (&entry.happened, &state) {
            (Happened::Begun(begun), None) => ProjectedStep {
                version: entry.version,
                change: ProjectedChange::Begun,
                applied: as_it_stands(begun, None, entry.at),
            },
            (Happened::Applied { event, .. }, Some(before)) => ProjectedStep {
                version: entry.version,
                change: ProjectedChange::Event(event.clone()),
                applied: entry.step_from(before, zone)?,
            },
            _ => return None,
        };
        version = entry.version;
        state = Some(step.applied.state.clone());
        steps.push(step);
    }
    state.map(|_| steps)
}

/// Whether the history of a loop is not there yet: it comes a moment after its loop, and is told of then. A loop of an older worker has none.
pub(super) fn lags_behind(
    known: Option<KnownLoop<'_>>,
    entries: &[HistoryEntry],
    now: &VersionedLoop,
) -> bool {
    known.is_none() && entries.is_empty() && now.version > 0
}

/// The step that takes a loop as it stands.
pub(in crate::engine_client) fn replaced(
    known: Option<KnownLoop<'_>>,
    now: VersionedLoop,
) -> ProjectedStep {
    let before = known.map(|known| known.state.run.state);
    let at = now.state.run.updated_at;
    ProjectedStep {
        version: now.version,
        change: match known {
            Some(_) => ProjectedChange::Replaced,
            None => ProjectedChange::Joined,
        },
        applied: as_it_stands(&now.state, before, at),
    }
}

fn as_it_stands(state: &LoopState, from: Option<State>, at: Time) -> AppliedStep {
    AppliedStep {
        inbox: Vec::new(),
        from,
        state: state.clone(),
        effects: Vec::new(),
        dropped: Vec::new(),
        notes: Vec::new(),
        at,
        spent: None,
        spent_on: Vec::new(),
        read_before: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::event::{Cancel, Event, FixerNoted};
    use collie_core::fix::FixerNote;
    use collie_core::ids::{Login, LoopId, RepoName, RunId};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_core::policy::Policy;
    use collie_engine::apply_event;

    const NOW: Time = Time(1_000_000);

    fn new_loop() -> LoopState {
        let new = NewLoop {
            id: LoopId {
                host: "github.com".into(),
                repo_id: "R_1".into(),
                number: 7,
            },
            pull: PullRequest {
                repo: RepoName::parse("acme/api").unwrap(),
                title: "t".into(),
                author: None,
                url: String::new(),
                head_ref: "topic".into(),
                base_ref: "main".into(),
            },
            run: RunId::new("run"),
            started_by: Login::new("kim"),
            policy: Policy::default(),
        };
        LoopState::new(new, NOW)
    }

    /// A loop that begins and is cancelled: its history, and how it stands then.
    fn history() -> ([HistoryEntry; 2], LoopState) {
        let state = new_loop();
        let cancel = Event::Cancel(Cancel {
            by: Login::new("kim"),
        });
        let done = apply_event(&state, &cancel, NOW.plus(5));
        let entries = [
            HistoryEntry::begun(&state, NOW),
            HistoryEntry::applied((&state, &cancel), &done, (2, NOW.plus(5))),
        ];
        (entries, done.state)
    }

    fn versions(steps: &[ProjectedStep]) -> Vec<u64> {
        steps.iter().map(|step| step.version).collect()
    }

    #[test]
    fn a_history_that_is_whole_comes_to_the_loop_as_it_stands_and_what_is_known_to_nothing() {
        let (entries, stands) = history();
        let steps = steps_of(None, &entries, &TimeZone::UTC).unwrap();
        assert_eq!(versions(&steps), [1, 2]);
        assert_eq!(steps[1].applied.state, stands);
        let known = |version, state| {
            Some(KnownLoop {
                version: Some(version),
                state,
            })
        };
        let begun = new_loop();
        let steps = steps_of(known(1, &begun), &entries, &TimeZone::UTC).unwrap();
        assert_eq!(versions(&steps), [2]);
        let steps = steps_of(known(2, &stands), &entries, &TimeZone::UTC).unwrap();
        assert_eq!(versions(&steps), Vec::<u64>::new());
    }

    #[test]
    fn where_something_is_missing_or_comes_to_something_else_the_loop_is_taken_as_it_stands() {
        let (entries, stands) = history();
        let utc = &TimeZone::UTC;
        assert!(steps_of(None, &[], utc).is_none(), "nothing is kept");
        assert!(steps_of(None, &entries[1..], utc).is_none(), "no beginning");
        let begun = new_loop();
        let known = |version| {
            Some(KnownLoop {
                version,
                state: &begun,
            })
        };
        assert!(
            steps_of(known(Some(0)), &entries[1..], utc).is_none(),
            "a gap"
        );
        assert!(
            steps_of(known(None), &entries, utc).is_none(),
            "of no version"
        );
        let mut other_rules = entries.clone();
        other_rules[1].digest += 1;
        assert!(steps_of(known(Some(1)), &other_rules, utc).is_none());
        let now = VersionedLoop {
            version: 9,
            state: stands.clone(),
        };
        let step = replaced(known(Some(1)), now.clone());
        assert_eq!((step.version, step.applied.state), (9, stands));
        assert_eq!(step.change, ProjectedChange::Replaced);
        assert_eq!(replaced(None, now).change, ProjectedChange::Joined);
    }

    /// Shown at once, it would be shown *from here on*, and its beginning never.
    #[test]
    fn a_loop_whose_history_is_not_there_yet_is_not_taken_as_it_stands() {
        let (entries, state) = history();
        let stands = |version| VersionedLoop {
            version,
            state: state.clone(),
        };
        assert!(lags_behind(None, &[], &stands(2)));
        assert!(!lags_behind(None, &[], &stands(0)), "it has none");
        assert!(!lags_behind(None, &entries[1..], &stands(2)), "a gap");
        let known = KnownLoop {
            version: None,
            state: &state,
        };
        assert!(!lags_behind(Some(known), &[], &stands(2)));
    }

    /// What readings without an entry changed is told with the next event.
    #[test]
    fn times_of_reading_that_were_not_told_are_those_of_the_event() {
        let mut read = new_loop();
        read.run.polling.last_snapshot.at = Some(NOW.plus(3));
        let noted = Event::FixerNoted(FixerNoted {
            note: FixerNote {
                by: Login::new("kim"),
                finding_id: None,
                text: "keep it short".into(),
            },
        });
        let done = apply_event(&read, &noted, NOW.plus(5));
        assert_eq!(done.state.run.polling.last_snapshot.at, Some(NOW.plus(3)));
        let entry = HistoryEntry::applied((&read, &noted), &done, (2, NOW.plus(5)));
        let begun = new_loop();
        let known = KnownLoop {
            version: Some(1),
            state: &begun,
        };
        let steps = steps_of(Some(known), &[entry], &TimeZone::UTC).unwrap();
        assert_eq!(steps[0].applied.state, done.state);
    }
}

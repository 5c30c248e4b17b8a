//! What sessions on all workers have spent and set aside, held against the limits of §15.
//!
//! Each worker says what its session has come to, in absolute figures with a number that grows: what is said twice, or late, changes nothing.
//! A session whose worker fell silent keeps what it had set aside: the call under way may have cost that.

use crate::messages::{EarlierSpending, ReserveRequest, SessionSpending};
use collie_core::budget::{BudgetExceeded, Spending};
use collie_core::ids::{LoopId, Time};
use collie_core::usage::Usage;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How long a session may be silent. What it had set aside counts as spent then.
const SILENCE_MS: u64 = 24 * 60 * 60_000;
/// How long a session that has ended is known: its last words may come twice.
const KNOWN_FOR_MS: u64 = 10 * 60_000;
/// Days that are kept apart: today, and those of machines elsewhere.
const DAYS: usize = 4;

/// What was spent and set aside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SpendingBook {
    total: Usage,
    days: BTreeMap<Date, Usage>,
    /// By name. Those of a loop stay until none of them is open, and a while longer: what its loop had spent is known from before the first of
    /// them.
    sessions: BTreeMap<String, Session>,
    /// Moves whose earlier spending is counted.
    moves: BTreeSet<String>,
    /// The next session's place in the order in which they came.
    next_place: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    loop_id: LoopId,
    place: u64,
    /// What its loop had spent when it began.
    spent_before: Usage,
    spent: Usage,
    reserved: Usage,
    is_open: bool,
    /// The number of what was said last, and why that was refused.
    sequence: u64,
    refused: Option<BudgetExceeded>,
    /// When, on which day.
    heard_at: Time,
    day: Date,
}

impl SpendingBook {
    /// Sets the worst case of a call aside.
    ///
    /// # Errors
    /// The limit that it might pass; nothing is set aside then.
    pub fn reserve(&mut self, asked: &ReserveRequest) -> Result<(), BudgetExceeded> {
        let session = &asked.session;
        if !self.report(session) {
            let known = self.sessions.get(&session.name);
            let known = known.filter(|known| known.sequence == session.sequence);
            return known
                .and_then(|known| known.refused.clone())
                .map_or(Ok(()), Err);
        }
        let spending = self.spending(&session.loop_id, session.day);
        let checked = asked.budget.check(&spending, &asked.worst, asked.day_ends);
        if let Some(known) = self.sessions.get_mut(&session.name) {
            match &checked {
                Ok(()) => known.reserved += asked.worst,
                Err(exceeded) => known.refused = Some(exceeded.clone()),
            }
        }
        checked
    }

    /// Counts what was spent before a move, once.
    pub fn adopt(&mut self, earlier: EarlierSpending) {
        if self.moves.insert(earlier.name) {
            for (day, usage) in earlier.days {
                self.count(day, usage);
            }
        }
    }

    /// Takes over what a session has come to; whether that was new.
    pub fn report(&mut self, told: &SessionSpending) -> bool {
        self.end_silent_sessions(told.at);
        let place = self.next_place;
        let known = self.sessions.entry(told.name.clone());
        let session = known.or_insert_with(|| Session {
            loop_id: told.loop_id.clone(),
            place,
            spent_before: told.spent_before,
            spent: Usage::default(),
            reserved: Usage::default(),
            is_open: true,
            sequence: 0,
            refused: None,
            heard_at: told.at,
            day: told.day,
        });
        if session.place == place {
            self.next_place += 1;
        }
        if told.sequence <= session.sequence {
            return false;
        }
        let more = told.spent.since(&session.spent);
        session.spent = told.spent;
        session.reserved = told.reserved;
        session.is_open = told.is_open;
        session.sequence = told.sequence;
        session.refused = None;
        session.heard_at = session.heard_at.max(told.at);
        session.day = told.day;
        self.count(told.day, more);
        true
    }

    fn count(&mut self, day: Date, more: Usage) {
        self.total += more;
        *self.days.entry(day).or_default() += more;
        while self.days.len() > DAYS {
            self.days.pop_first();
        }
    }

    /// What is spent or set aside, as a session of a loop sees it.
    pub fn spending(&self, loop_id: &LoopId, today: Date) -> Spending {
        let mut spending = Spending {
            pull_request: Usage::default(),
            day: self.days.get(&today).copied().unwrap_or_default(),
            total: self.total,
        };
        for session in self.sessions.values() {
            spending.day += session.reserved;
            spending.total += session.reserved;
        }
        let of_loop = || (self.sessions.values()).filter(|session| session.loop_id == *loop_id);
        if let Some(first) = of_loop().min_by_key(|session| session.place) {
            spending.pull_request = first.spent_before;
        }
        for session in of_loop() {
            spending.pull_request += session.spent;
            spending.pull_request += session.reserved;
        }
        spending
    }

    fn end_silent_sessions(&mut self, now: Time) {
        let mut lost = Vec::new();
        for session in self.sessions.values_mut() {
            if session.is_open && now.since(session.heard_at) >= SILENCE_MS {
                session.is_open = false;
                let reserved = std::mem::take(&mut session.reserved);
                session.spent += reserved;
                lost.push((session.day, reserved));
            }
        }
        for (day, reserved) in lost {
            self.count(day, reserved);
        }
        self.forget_ended_sessions(now);
    }

    fn forget_ended_sessions(&mut self, now: Time) {
        let sessions = self.sessions.values();
        let needed: Vec<LoopId> = sessions
            .filter(|session| session.is_open || now.since(session.heard_at) < KNOWN_FOR_MS)
            .map(|session| session.loop_id.clone())
            .collect();
        self.sessions
            .retain(|_, session| needed.contains(&session.loop_id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::budget::{Budget, BudgetLimit, BudgetScope};

    const DAY_MS: u64 = 86_400_000;

    fn usd(dollars: u64) -> Usage {
        Usage {
            cost_micros: dollars * 1_000_000,
            ..Usage::default()
        }
    }

    fn limit(dollars: u64) -> BudgetLimit {
        BudgetLimit {
            cost_micros: Some(dollars * 1_000_000),
            tokens: None,
        }
    }

    fn day(nth: i8) -> Date {
        jiff::civil::date(2026, 11, nth)
    }

    /// What a session of a pull request says first.
    fn session(name: &str, number: u64) -> SessionSpending {
        SessionSpending {
            name: name.to_owned(),
            loop_id: LoopId {
                host: "github.com".to_owned(),
                repo_id: "R_1".to_owned(),
                number,
            },
            spent_before: Usage::default(),
            spent: Usage::default(),
            reserved: Usage::default(),
            is_open: true,
            sequence: 1,
            at: Time(1_000),
            day: day(1),
        }
    }

    fn ask(session: &SessionSpending, worst: u64, budget: Budget) -> ReserveRequest {
        ReserveRequest {
            session: session.clone(),
            worst: usd(worst),
            budget,
            day_ends: Time(i64::try_from(DAY_MS).expect("a time")),
        }
    }

    fn a_day(dollars: u64) -> Budget {
        Budget {
            day: limit(dollars),
            ..Budget::default()
        }
    }

    fn scope(answer: Result<(), BudgetExceeded>) -> Option<BudgetScope> {
        answer.err().map(|exceeded| exceeded.scope)
    }

    #[test]
    fn what_one_worker_has_set_aside_is_not_there_for_another() {
        let mut book = SpendingBook::default();
        let (a, b) = (session("a", 1), session("b", 2));
        assert_eq!(scope(book.reserve(&ask(&a, 3, a_day(5)))), None);
        let refused = book.reserve(&ask(&b, 3, a_day(5)));
        assert_eq!(scope(refused.clone()), Some(BudgetScope::Day));
        // The answer was lost, and it asks again: the same, and nothing more is set aside.
        assert_eq!(book.reserve(&ask(&b, 3, a_day(5))), refused);
        assert_eq!(book.reserve(&ask(&a, 3, a_day(5))), Ok(()));
        assert_eq!(book.spending(&a.loop_id, day(1)).day, usd(3));
        // One dollar of it was spent, the rest is given back.
        let told = SessionSpending {
            sequence: 2,
            spent: usd(1),
            ..a.clone()
        };
        assert!(book.report(&told));
        assert!(!book.report(&told), "said twice");
        let again = SessionSpending {
            sequence: 2,
            ..b.clone()
        };
        assert_eq!(book.reserve(&ask(&again, 3, a_day(5))), Ok(()));
        assert_eq!(book.spending(&a.loop_id, day(1)).day, usd(4));
    }

    #[test]
    fn a_day_is_whole_again_the_next_and_a_total_never_is() {
        let mut book = SpendingBook::default();
        let a = session("a", 1);
        book.report(&SessionSpending {
            spent: usd(5),
            is_open: false,
            ..a
        });
        let tomorrow = SessionSpending {
            day: day(2),
            ..session("b", 1)
        };
        assert_eq!(scope(book.reserve(&ask(&tomorrow, 1, a_day(5)))), None);
        let in_all = Budget {
            total: limit(5),
            ..Budget::default()
        };
        let c = session("c", 1);
        assert_eq!(
            scope(book.reserve(&ask(&c, 1, in_all))),
            Some(BudgetScope::Total)
        );
    }

    #[test]
    fn two_sessions_of_a_pull_request_share_its_limit_whichever_ends_first() {
        let mut book = SpendingBook::default();
        let of_pull = Budget {
            pull_request: limit(10),
            ..Budget::default()
        };
        let first = SessionSpending {
            spent_before: usd(2),
            ..session("first", 1)
        };
        let second = SessionSpending {
            name: "second".to_owned(),
            ..first.clone()
        };
        assert_eq!(book.reserve(&ask(&first, 4, of_pull)), Ok(()));
        assert_eq!(book.reserve(&ask(&second, 1, of_pull)), Ok(()));
        book.report(&SessionSpending {
            spent: usd(4),
            is_open: false,
            sequence: 2,
            ..first
        });
        // Its loop has those four by now; the second does not know.
        let third = SessionSpending {
            name: "third".to_owned(),
            spent_before: usd(6),
            ..second.clone()
        };
        assert_eq!(
            scope(book.reserve(&ask(&third, 4, of_pull))),
            Some(BudgetScope::PullRequest)
        );
        let again = SessionSpending {
            sequence: 2,
            ..third
        };
        assert_eq!(book.reserve(&ask(&again, 3, of_pull)), Ok(()));
        // Another pull request has its own.
        assert_eq!(book.reserve(&ask(&session("other", 2), 9, of_pull)), Ok(()));
    }

    #[test]
    fn what_a_dead_worker_had_set_aside_counts_as_spent_after_a_day() {
        let mut book = SpendingBook::default();
        let dead = session("dead", 1);
        assert_eq!(book.reserve(&ask(&dead, 3, a_day(5))), Ok(()));
        let later = SessionSpending {
            at: dead.at.plus(SILENCE_MS),
            day: day(2),
            ..session("later", 2)
        };
        assert!(book.report(&later));
        let spending = book.spending(&later.loop_id, day(2));
        assert_eq!((spending.day, spending.total), (usd(0), usd(3)));
        // It thaws, and says what it really was: that is no less.
        let thawed = SessionSpending {
            sequence: 2,
            spent: usd(1),
            is_open: false,
            ..dead
        };
        book.report(&thawed);
        assert!(book.spending(&later.loop_id, day(2)).total.cost_micros >= 3_000_000);
    }

    /// The answer to its last words was lost.
    #[test]
    fn what_an_ended_session_says_again_is_counted_once() {
        let mut book = SpendingBook::default();
        let ended = SessionSpending {
            spent: usd(2),
            is_open: false,
            ..session("a", 1)
        };
        assert!(book.report(&ended));
        assert!(!book.report(&ended));
        let again = SessionSpending {
            at: ended.at.plus(KNOWN_FOR_MS - 1),
            ..ended.clone()
        };
        assert!(!book.report(&again));
        assert_eq!(book.spending(&ended.loop_id, day(1)).total, usd(2));
        // The next session of the loop begins with those two.
        let next = SessionSpending {
            spent_before: usd(2),
            spent: usd(1),
            ..session("b", 1)
        };
        assert!(book.report(&next));
        assert_eq!(book.spending(&ended.loop_id, day(1)).pull_request, usd(3));
    }

    #[test]
    fn what_was_spent_before_a_move_counts_once() {
        let mut book = SpendingBook::default();
        let earlier = EarlierSpending {
            name: "move".to_owned(),
            days: vec![(day(1), usd(2)), (day(2), usd(3))],
        };
        book.adopt(earlier.clone());
        book.adopt(earlier);
        let spending = book.spending(&session("a", 1).loop_id, day(2));
        assert_eq!((spending.day, spending.total), (usd(3), usd(5)));
    }

    #[test]
    fn what_is_kept_stays_small() {
        let mut book = SpendingBook::default();
        for nth in 1..=28 {
            let a = SessionSpending {
                day: day(nth),
                at: Time(i64::from(nth) * i64::try_from(KNOWN_FOR_MS).expect("a time")),
                spent: usd(1),
                is_open: false,
                ..session(&nth.to_string(), 1)
            };
            book.report(&a);
        }
        assert_eq!((book.days.len(), book.sessions.len()), (DAYS, 1));
        assert_eq!(book.total, usd(28));
    }
}

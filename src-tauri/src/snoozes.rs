//! Which pull requests are snoozed, as the page last told: the tray and the notifications leave them out.

use collie_core::ids::Time;
use collie_wire::rpc::Snooze;
use std::collections::BTreeMap;

/// Who is out of the way, by `owner/repo#n`: until a time, or until it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snoozes(BTreeMap<String, Option<Time>>);

impl Snoozes {
    /// Takes all of them as they are now.
    pub fn new(told: Vec<Snooze>) -> Self {
        let snoozes = told.into_iter();
        Self(
            snoozes
                .map(|snooze| (snooze.key, snooze.until_ms.map(Time)))
                .collect(),
        )
    }

    /// Whether a pull request is out of the way.
    pub fn hide(&self, key: &str, now: Time) -> bool {
        match self.0.get(key) {
            Some(Some(until)) => now < *until,
            Some(None) => true,
            None => false,
        }
    }

    /// It came to something else: whoever waited for a change has it. The page says the same, later.
    pub fn end_at_change(&mut self, key: &str) {
        if self.0.get(key) == Some(&None) {
            self.0.remove(key);
        }
    }

    /// When the next one ends by itself.
    pub fn next_end(&self, now: Time) -> Option<Time> {
        let ends = self.0.values().flatten().copied();
        ends.filter(|until| *until > now).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snoozes(told: &[(&str, Option<i64>)]) -> Snoozes {
        let one = |(key, until_ms): &(&str, Option<i64>)| Snooze {
            key: (*key).to_owned(),
            until_ms: *until_ms,
        };
        Snoozes::new(told.iter().map(one).collect())
    }

    #[test]
    fn one_ends_at_its_time_and_the_other_with_a_change() {
        let mut snoozes = snoozes(&[("a/b#1", Some(100)), ("a/b#2", None)]);
        let hidden = |snoozes: &Snoozes, now| {
            ["a/b#1", "a/b#2", "a/b#3"].map(|key| snoozes.hide(key, Time(now)))
        };
        assert_eq!(hidden(&snoozes, 99), [true, true, false]);
        assert_eq!(hidden(&snoozes, 100), [false, true, false]);
        snoozes.end_at_change("a/b#1");
        snoozes.end_at_change("a/b#2");
        assert_eq!(hidden(&snoozes, 99), [true, false, false]);
    }

    #[test]
    fn the_next_end_is_the_first_that_is_still_to_come() {
        let snoozes = snoozes(&[("a/b#1", Some(100)), ("a/b#2", None), ("a/b#3", Some(50))]);
        assert_eq!(snoozes.next_end(Time(0)), Some(Time(50)));
        assert_eq!(snoozes.next_end(Time(50)), Some(Time(100)));
        assert_eq!(snoozes.next_end(Time(100)), None);
    }
}

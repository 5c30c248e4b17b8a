//! What of a pull request nobody was shown (§4.4), and why.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoStaticStr;

/// A changed file that was not shown, or not wholly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnseenFile {
    /// Its path at the head; of a removed file, its last.
    pub path: String,
    /// Why.
    pub reason: UnseenReason,
}

/// Why a changed file was not shown, or not wholly.
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
    IntoStaticStr,
    strum::VariantArray,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum UnseenReason {
    /// Its content is no text: a NUL byte near its start.
    Binary,
    /// A package manager writes it.
    Lockfile,
    /// The base marks it as generated or vendored.
    Generated,
    /// A commit of another repository.
    Submodule,
    /// A symbolic link.
    Link,
    /// It is larger than what is read.
    TooLarge,
    /// More files changed than are read.
    TooMany,
    /// It cannot be read: a name that is no UTF-8, text where there was none or with NUL bytes in it, a parser that gave up.
    Unreadable,
    /// Its syntax is nested deeper than the rules go.
    Nesting,
    /// It did not fit into the prompt.
    NoRoom,
    /// The reading that it was a part of failed.
    ReadingFailed,
    /// A push took it out of the pull request, and what went was not shown: no later difference shows it either.
    TakenOut,
}

impl UnseenReason {
    /// The code, as it is written in JSON and in the Fluent key `unseen-reason-…`.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// Whether it is text that somebody has to look at. The others are only named (§4.4).
    pub fn needs_look(self) -> bool {
        match self {
            UnseenReason::Binary
            | UnseenReason::Lockfile
            | UnseenReason::Generated
            | UnseenReason::Submodule => false,
            UnseenReason::Link
            | UnseenReason::TooLarge
            | UnseenReason::TooMany
            | UnseenReason::Unreadable
            | UnseenReason::Nesting
            | UnseenReason::NoRoom
            | UnseenReason::ReadingFailed
            | UnseenReason::TakenOut => true,
        }
    }
}

/// What is known of who was shown what at a head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// Files that nobody was shown wholly, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenFile>,
    /// Text files that the built-in rules read and no other reviewer was shown wholly, by path. Empty where there is no other reviewer.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub rules_only: BTreeSet<String>,
}

impl Coverage {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.unseen.is_empty() && self.rules_only.is_empty()
    }

    /// Text files that somebody has to look at.
    pub fn needing_look(&self) -> impl Iterator<Item = &UnseenFile> {
        self.unseen.iter().filter(|file| file.reason.needs_look())
    }

    /// What reviewers were not shown, put together: whether it is the rules that looked, and what they were not shown.
    pub(crate) fn of<'a>(looks: impl IntoIterator<Item = (bool, &'a [UnseenFile])>) -> Self {
        let (mut rules, mut others) = (None, None);
        for (by_rules, unseen) in looks {
            let unseen = unseen.iter().map(|file| (file.path.as_str(), file.reason));
            let slot = if by_rules { &mut rules } else { &mut others };
            *slot = Some(match slot.take() {
                None => unseen.collect(),
                Some(before) => shared(&before, &unseen.collect()),
            });
        }
        if let (Some(rules), Some(others)) = (&mut rules, &others) {
            let taken_out = others
                .iter()
                .filter(|(_, reason)| **reason == UnseenReason::TakenOut);
            // Rules look at what the pull request changes.
            rules.extend(taken_out.map(|(path, reason)| (*path, *reason)));
        }
        let rules_only = match (&rules, &others) {
            (Some(rules), Some(others)) => others
                .iter()
                .filter(|(path, reason)| reason.needs_look() && !rules.contains_key(*path))
                .map(|(path, _)| (*path).to_owned())
                .collect(),
            _ => BTreeSet::new(),
        };
        let unseen = match (rules, others) {
            (Some(rules), Some(others)) => shared(&rules, &others),
            (one, other) => one.or(other).unwrap_or_default(),
        };
        let file = |(path, reason): (&str, UnseenReason)| UnseenFile {
            path: path.to_owned(),
            reason,
        };
        Self {
            unseen: unseen.into_iter().map(file).collect(),
            rules_only,
        }
    }
}

/// Paths that are in both; of two reasons the one that needs a look.
fn shared<'a>(
    one: &BTreeMap<&'a str, UnseenReason>,
    other: &BTreeMap<&'a str, UnseenReason>,
) -> BTreeMap<&'a str, UnseenReason> {
    let both = one.iter().filter_map(|(path, reason)| {
        let also = other.get(path)?;
        Some((*path, *reason.max(also)))
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unseen(files: &[(&str, UnseenReason)]) -> Vec<UnseenFile> {
        let file = |(path, reason): &(&str, UnseenReason)| UnseenFile {
            path: (*path).to_owned(),
            reason: *reason,
        };
        files.iter().map(file).collect()
    }

    #[test]
    fn nobody_was_shown_what_no_reviewer_was_shown() {
        use UnseenReason::{Binary, Nesting, NoRoom, TooMany};
        let rules = unseen(&[("deep.py", Nesting), ("logo.png", Binary)]);
        let quinn = unseen(&[("a.py", NoRoom), ("deep.py", NoRoom), ("logo.png", Binary)]);
        let sam = unseen(&[
            ("a.py", TooMany),
            ("b.py", NoRoom),
            ("deep.py", NoRoom),
            ("logo.png", Binary),
        ]);
        let both = Coverage::of([(true, rules.as_slice()), (false, &quinn), (false, &sam)]);
        assert_eq!(
            both.unseen,
            unseen(&[("deep.py", NoRoom), ("logo.png", Binary)])
        );
        assert_eq!(both.rules_only, BTreeSet::from(["a.py".to_owned()]));
        let looked: Vec<&str> = both.needing_look().map(|file| file.path.as_str()).collect();
        assert_eq!(looked, ["deep.py"]);
        let gone = unseen(&[("gone.py", UnseenReason::TakenOut)]);
        let both = Coverage::of([(true, [].as_slice()), (false, &gone)]);
        assert_eq!(
            (both.unseen, both.rules_only),
            (gone.clone(), BTreeSet::new())
        );
        assert!(Coverage::of([(false, gone.as_slice()), (false, &[])]).is_empty());
        let alone = Coverage::of([(true, rules.as_slice())]);
        assert_eq!((alone.unseen, alone.rules_only), (rules, BTreeSet::new()));
        assert!(Coverage::of([]).is_empty());
    }
}

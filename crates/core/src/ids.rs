//! Names of things: newtypes, so that a SHA is never taken for a login.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Wraps a text that is known to name such a thing.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// The id of one attempt at a pull request (§2); a UUID.
    RunId
);
text_id!(
    /// The stable id of one effect; unique in the journal.
    EffectId
);
text_id!(
    /// What makes a finding the same finding in the next round (§5.1); hex SHA-256.
    Fingerprint
);
text_id!(
    /// What makes a posted act the same act after a crash (§8.2); hex SHA-256.
    ActionToken
);
text_id!(
    /// GitHub's opaque id of a review thread.
    ThreadId
);
text_id!(
    /// The key of one piece of feedback: `{pr}:{kind}:{comment_id}:{updated_at}` (§7.1).
    EventKey
);
text_id!(
    /// What makes a turn of feedback the same turn after a crash (§7.2); hex SHA-256.
    TurnKey
);

/// A commit id: 40 or 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
#[serde(try_from = "String", into = "String")]
pub struct Sha(String);

/// A text that is no commit id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a commit id: expected 40 or 64 hex digits")]
pub struct ParseShaError(pub String);

impl Sha {
    /// Reads a commit id; capital hex digits are accepted and lowered.
    pub fn parse(text: &str) -> Result<Self, ParseShaError> {
        let fits = matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
        if fits {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(ParseShaError(text.chars().take(80).collect()))
        }
    }

    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, as people write it.
    pub fn short(&self) -> &str {
        &self.0[..7]
    }
}

impl TryFrom<String> for Sha {
    type Error = ParseShaError;
    fn try_from(text: String) -> Result<Self, ParseShaError> {
        Self::parse(&text)
    }
}

impl From<Sha> for String {
    fn from(sha: Sha) -> Self {
        sha.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// GitHub's number of an account; names change, this does not (§3.4).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "number"))]
#[serde(transparent)]
pub struct AccountId(pub u64);

/// An account name. GitHub ignores letter case in it, so equality does too.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
#[serde(transparent)]
pub struct Login(String);

impl Login {
    /// Wraps a name; a leading `@` is dropped.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().trim_start_matches('@').to_string())
    }

    /// The name as GitHub spells it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn lowercase(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl PartialEq for Login {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}
impl Eq for Login {}
impl std::hash::Hash for Login {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.lowercase().hash(state);
    }
}
impl PartialOrd for Login {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Login {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.lowercase().cmp(&other.lowercase())
    }
}
impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `owner/name` of a repository, as people see it. Identity is [`LoopId`], since repositories get renamed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    owner: String,
    name: String,
}

/// A text that names no repository or pull request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not {1}")]
pub struct ParseNameError(pub String, pub &'static str);

impl RepoName {
    /// Reads `owner/name`. Only the characters that GitHub allows pass, so that both are safe as path segments.
    pub fn parse(text: &str) -> Result<Self, ParseNameError> {
        let bad = || {
            ParseNameError(
                text.chars().take(120).collect(),
                "a repository: expected OWNER/REPO",
            )
        };
        let (owner, name) = text.split_once('/').ok_or_else(bad)?;
        let fits = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && part != "."
                && part != ".."
                && part
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        if fits(owner) && fits(name) && !owner.starts_with('.') {
            Ok(Self {
                owner: owner.into(),
                name: name.into(),
            })
        } else {
            Err(bad())
        }
    }

    /// Whether GitHub takes both for the same repository: its names know no case.
    pub fn eq_ignore_case(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }

    /// The account or organization.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The repository without its owner.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl TryFrom<String> for RepoName {
    type Error = ParseNameError;
    fn try_from(text: String) -> Result<Self, ParseNameError> {
        Self::parse(&text)
    }
}
impl From<RepoName> for String {
    fn from(repo: RepoName) -> Self {
        repo.to_string()
    }
}
impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// The identity of a loop: host, repository node id and number (§2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LoopId {
    /// Host name, with port when it is not the usual one: `github.com`, `127.0.0.1:4000`.
    pub host: String,
    /// GitHub's node id of the repository; survives renames.
    pub repo_id: String,
    /// The pull request's number.
    pub number: u64,
}

/// The identity of a repository, whatever it is called now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RepositoryId {
    /// Host name, as in [`LoopId`].
    pub host: String,
    /// GitHub's node id; survives renames.
    pub repo_id: String,
}

impl LoopId {
    /// The repository of its pull request.
    pub fn repository(&self) -> RepositoryId {
        RepositoryId {
            host: self.host.clone(),
            repo_id: self.repo_id.clone(),
        }
    }
}

impl fmt::Display for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}#{}", self.host, self.repo_id, self.number)
    }
}

/// `owner/repo#number`, as a person types it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PullName {
    /// The repository.
    pub repo: RepoName,
    /// The number.
    pub number: u64,
}

impl PullName {
    /// Reads `owner/repo#number`.
    pub fn parse(text: &str) -> Result<Self, ParseNameError> {
        let bad = || {
            ParseNameError(
                text.chars().take(120).collect(),
                "a pull request: expected OWNER/REPO#N",
            )
        };
        let (repo, number) = text.split_once('#').ok_or_else(bad)?;
        let repo = RepoName::parse(repo).map_err(|_| bad())?;
        match number.parse() {
            Ok(number) if number > 0 => Ok(Self { repo, number }),
            Ok(_) | Err(_) => Err(bad()),
        }
    }
}

impl fmt::Display for PullName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repo, self.number)
    }
}

/// A moment: milliseconds since 1970 in UTC. Core never reads a clock; it is told.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// The moment that many milliseconds later.
    pub fn plus(self, millis: u64) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(millis).unwrap_or(i64::MAX)),
        )
    }

    /// RFC 3339 in UTC. A moment that no calendar holds is written as the first of 1970.
    pub fn rfc3339(self) -> String {
        jiff::Timestamp::from_millisecond(self.0)
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
            .to_string()
    }

    /// That many milliseconds earlier.
    #[must_use]
    pub fn minus(self, millis: u64) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(millis).unwrap_or(i64::MAX)),
        )
    }

    /// Milliseconds from `earlier` to this; zero when it is not earlier.
    pub fn since(self, earlier: Time) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

impl EffectId {
    /// Its place among those of its loop, by which it ends; the last of all where it has none.
    pub fn number(&self) -> u64 {
        let id = self.as_str();
        let digits = id.rsplit(|c: char| !c.is_ascii_digit()).next();
        let number = digits.and_then(|digits| digits.parse().ok());
        number.unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_or_refused_with_the_form_that_was_expected() {
        for good in ["a/b#1", "acme/web-app#482", "A.b/c_d.e#9"] {
            assert_eq!(PullName::parse(good).unwrap().to_string(), good);
        }
        for bad in [
            "", "a", "a/b", "a/b#", "a/b#0", "a/b#x", "a/../b#1", "a/..#1", "../b#1", "a b/c#1",
        ] {
            assert!(PullName::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn logins_ignore_case_and_the_at_sign() {
        assert_eq!(Login::new("@Ana"), Login::new("ana"));
        assert_ne!(Login::new("ana"), Login::new("anna"));
    }

    #[test]
    fn a_sha_is_hex_of_the_right_length() {
        assert_eq!(
            Sha::parse(&"AB".repeat(20)).unwrap().short(),
            "ababab"[..6].to_string() + "a"
        );
        assert!(Sha::parse("abc").is_err());
        assert!(Sha::parse(&"zz".repeat(20)).is_err());
    }
}

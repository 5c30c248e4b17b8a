//! The key of a loop's object: host, the repository's node id and the number (§2), so that a rename leaves it as it is.

use collie_core::ids::LoopId;
use restate_sdk::context::RequestTarget;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What the objects of loops are called.
const LOOP_OBJECT: &str = "CollieLoop";

/// The key of a loop's object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct LoopKey(LoopId);

/// A text that is no key of a loop.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no key of a loop")]
pub struct InvalidLoopKey(String);

impl LoopKey {
    /// The loop.
    pub fn id(&self) -> &LoopId {
        &self.0
    }

    /// A handler of its object.
    pub(crate) fn handler(&self, name: &str) -> RequestTarget {
        RequestTarget::object(LOOP_OBJECT, self.to_string(), name)
    }
}

impl From<LoopId> for LoopKey {
    fn from(id: LoopId) -> Self {
        Self(id)
    }
}

impl fmt::Display for LoopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoopId {
            host,
            repo_id,
            number,
        } = &self.0;
        write!(f, "{host}/{repo_id}/{number}")
    }
}

impl From<LoopKey> for String {
    fn from(key: LoopKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for LoopKey {
    type Error = InvalidLoopKey;

    fn try_from(text: String) -> Result<Self, InvalidLoopKey> {
        text.parse()
    }
}

impl FromStr for LoopKey {
    type Err = InvalidLoopKey;

    fn from_str(text: &str) -> Result<Self, InvalidLoopKey> {
        let invalid = || InvalidLoopKey(text.to_owned());
        // A node id of the old kind may hold a slash; a host and a number hold none.
        let (host, rest) = text.split_once('/').ok_or_else(invalid)?;
        let (repo_id, number) = rest.rsplit_once('/').ok_or_else(invalid)?;
        let number = number.parse().map_err(|_| invalid())?;
        if host.is_empty() || repo_id.is_empty() {
            return Err(invalid());
        }
        Ok(Self(LoopId {
            host: host.to_owned(),
            repo_id: repo_id.to_owned(),
            number,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::LoopKey;
    use collie_core::ids::LoopId;

    #[test]
    fn a_key_names_its_loop_and_nothing_else_is_one() {
        let id = LoopId {
            host: "github.example.org:8443".into(),
            repo_id: "MDEwOl/Jl+a==".into(),
            number: 7,
        };
        let key = LoopKey::from(id.clone());
        assert_eq!(key.to_string(), "github.example.org:8443/MDEwOl/Jl+a==/7");
        assert_eq!(key.to_string().parse::<LoopKey>().expect("a key").id(), &id);
        for wrong in ["", "a/b", "a/b/", "a//7", "/b/7", "a/b/x"] {
            assert!(wrong.parse::<LoopKey>().is_err(), "{wrong}");
        }
    }
}

//! GitHub's own scalars, all written as strings.

use async_graphql::NewType;
use jiff::Timestamp;

/// A number too large for `Int`.
#[derive(Debug, Clone, PartialEq, Eq, NewType)]
#[graphql(name = "BigInt")]
pub struct BigInt(String);

/// A moment in UTC, to the second.
#[derive(Debug, Clone, PartialEq, Eq, NewType)]
#[graphql(name = "DateTime")]
pub struct DateTime(String);

/// A moment as git has it.
#[derive(Debug, Clone, PartialEq, Eq, NewType)]
#[graphql(name = "GitTimestamp")]
pub struct GitTimestamp(String);

/// A git object's id.
#[derive(Debug, Clone, PartialEq, Eq, NewType)]
#[graphql(name = "GitObjectID")]
pub struct GitObjectId(pub String);

/// An address.
#[derive(Debug, Clone, PartialEq, Eq, NewType)]
#[graphql(name = "URI")]
pub struct Uri(pub String);

impl From<u64> for BigInt {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl From<Timestamp> for DateTime {
    fn from(at: Timestamp) -> Self {
        Self(whole_seconds(at))
    }
}

impl From<Timestamp> for GitTimestamp {
    fn from(at: Timestamp) -> Self {
        Self(whole_seconds(at))
    }
}

/// Writes a moment as GitHub does.
fn whole_seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Turns an id or a count into GraphQL's `Int`, which GitHub lets grow beyond 32 bits.
pub fn to_graphql_int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

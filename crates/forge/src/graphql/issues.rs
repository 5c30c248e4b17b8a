//! Issues, of which the forge has none but pull requests.
#![expect(
    unreachable_code,
    reason = "the type has no value, so its fields are never asked for"
)]

use async_graphql::{ID, Object};

use super::actors::Actor;
use super::enums::IssueState;
use super::page::Listed;
use super::repository::Repository;
use super::scalars::Uri;

/// An issue that is no pull request. The forge has none, so there is no value of this type.
#[derive(Clone)]
pub enum Issue {}

impl Listed for Issue {
    const NAME: &'static str = "Issue";

    fn key(&self) -> String {
        match *self {}
    }
}

#[Object]
impl Issue {
    async fn author(&self) -> Option<Actor> {
        match *self {}
    }

    async fn body(&self) -> String {
        match *self {}
    }

    async fn closed(&self) -> bool {
        match *self {}
    }

    async fn database_id(&self) -> Option<i64> {
        match *self {}
    }

    pub async fn id(&self) -> ID {
        match *self {}
    }

    async fn number(&self) -> i64 {
        match *self {}
    }

    pub async fn repository(&self) -> Repository {
        match *self {}
    }

    async fn state(&self) -> IssueState {
        match *self {}
    }

    async fn title(&self) -> String {
        match *self {}
    }

    pub async fn url(&self) -> Uri {
        match *self {}
    }
}

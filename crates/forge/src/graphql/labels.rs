//! Labels.

use std::sync::Arc;

use async_graphql::{Context, ID, Object};

use super::connection::ConnectionNode;
use super::repository::Repository;
use super::request_context;
use super::scalars::{Uri, to_graphql_int};
use crate::model;
use crate::node::{NodeKind, node_id_in};

/// A label of a repository.
#[derive(Clone)]
pub struct Label {
    /// Where it belongs.
    pub repository: Repository,
    /// The label.
    pub row: Arc<model::Label>,
}

impl ConnectionNode for Label {
    const NAME: &'static str = "Label";

    fn key(&self) -> String {
        to_graphql_int(self.row.id).to_string()
    }
}

#[Object]
impl Label {
    async fn color(&self) -> String {
        self.row.color.clone()
    }

    async fn description(&self) -> Option<String> {
        self.row.description.clone()
    }

    pub async fn id(&self) -> ID {
        node_id_in(NodeKind::Label, self.repository.meta.id, self.row.id).into()
    }

    async fn is_default(&self) -> bool {
        false
    }

    async fn name(&self) -> String {
        self.row.name.clone()
    }

    pub async fn repository(&self) -> Repository {
        self.repository.clone()
    }

    pub async fn resource_path(&self) -> Uri {
        Uri(format!(
            "/{}/labels/{}",
            self.repository.meta.name, self.row.name
        ))
    }

    pub async fn url(&self, ctx: &Context<'_>) -> Uri {
        request_context(ctx).web_url(&format!(
            "{}/labels/{}",
            self.repository.meta.name, self.row.name
        ))
    }
}

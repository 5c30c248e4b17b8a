//! The MCP server of a team (§18.3): the tools and resources of `collie mcp`, for the person whose token a request carries, with the rights that
//! they have over the API. One review outside of a loop is not offered: it would take no slot of the engine.

use crate::body::BODY_LIMIT;
use crate::people::SignedIn;
use crate::state::ServerState;
use async_trait::async_trait;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{PullName, RepoName};
use collie_core::user_error::UserError;
use collie_mcp::{
    LoopRequest, McpHost, McpServer, McpWords, Offers, RequestFate, ReviewMade, answer_http,
};
use collie_wire::LoopView;
use collie_wire::rpc::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Answers a request of an MCP client.
pub(crate) async fn mcp(
    State(state): State<Arc<ServerState>>,
    signed_in: SignedIn,
    request: Request,
) -> Response {
    let language = state.backend.localizer().language().code();
    let words = Arc::new(McpWords::new(language));
    let host = PersonHost { state, signed_in };
    let server = McpServer::new(Arc::new(host), words);
    answer_http(server, request, BODY_LIMIT)
        .await
        .map(Body::new)
}

/// The server's loops, as a person sees them.
struct PersonHost {
    state: Arc<ServerState>,
    signed_in: SignedIn,
}

impl PersonHost {
    async fn run(&self, command: Command) -> Result<Value, UserError> {
        let backend = self.state.acting_as(&self.signed_in);
        backend.run_unworded(command).await
    }

    async fn require_read(&self, pull: &PullName) -> Result<(), UserError> {
        let (person, name) = (&self.signed_in.person, pull.to_string());
        let read = self.state.access.require_read(person, &pull.repo, &name);
        read.await.map(drop).map_err(|error| error.0)
    }
}

#[async_trait]
impl McpHost for PersonHost {
    fn offers(&self) -> Offers {
        Offers {
            changes: true,
            reviews: false,
        }
    }

    fn has_engine(&self) -> bool {
        self.state.backend.is_running()
    }

    async fn loops(&self) -> Result<Vec<LoopView>, UserError> {
        let states = self.state.backend.loop_states();
        let repos: BTreeSet<RepoName> = states.iter().map(|it| it.pull.repo.clone()).collect();
        let readable = self.state.access.readable(&self.signed_in.person, repos);
        let readable = readable.await.map_err(|error| error.0)?;
        let seen = states.iter().filter(|it| readable.contains(&it.pull.repo));
        let views = seen.filter_map(|it| self.state.backend.loop_of_pull(&it.pull_name()));
        Ok(views.map(|found| found.view).collect())
    }

    async fn find(&self, pull: &PullName) -> Result<LoopView, UserError> {
        self.require_read(pull).await?;
        let found = self.state.backend.loop_of_pull(pull);
        let none = || UserError::new(ErrorCode::NoLoop).with("pull", pull);
        Ok(found.ok_or_else(none)?.view)
    }

    async fn timeline(&self, pull: &PullName) -> Result<Value, UserError> {
        self.require_read(pull).await?;
        let key = pull.to_string();
        self.run(Command::Timeline { key }).await
    }

    async fn ask(&self, pull: &PullName, request: LoopRequest) -> Result<RequestFate, UserError> {
        let (person, key) = (&self.signed_in.person, pull.to_string());
        let write = self.state.access.require_write(person, &pull.repo, &key);
        write.await.map_err(|error| error.0)?;
        self.run(match request {
            LoopRequest::Start => Command::Start { key },
            LoopRequest::Cancel => Command::Cancel { key },
        })
        .await?;
        Ok(RequestFate::Done)
    }

    async fn review(
        &self,
        _: &PullName,
        _: bool,
        _: &(dyn Fn(String) + Send + Sync),
        _: &CancellationToken,
    ) -> Result<ReviewMade, UserError> {
        Err(UserError::new(ErrorCode::McpReadOnly))
    }
}

//! `collie mcp`: what Collie knows and does, for an agent on this machine, as the person who is signed in.

use crate::args::McpArgs;
use crate::context::{self, Context};
use crate::interrupt::Interrupt;
use crate::review::{progress_text, review_setup};
use crate::review_output::{finding_json, markdown, review_json};
use crate::status::{find_loop, read_loops};
use crate::views::open_loops;
use async_trait::async_trait;
use collie_app::auth;
use collie_app::engine_client::journal::running_engine;
use collie_app::engine_client::local::redactor;
use collie_app::engine_client::{EngineClient, RequestOutcome};
use collie_app::render::loop_view::loop_view;
use collie_app::render::timeline::timeline_line;
use collie_app::review::{
    Posting, ReviewOptions, ReviewPanel, ReviewPayer, ReviewProgress, review,
};
use collie_core::error_code::ErrorCode;
use collie_core::ids::PullName;
use collie_core::loop_state::LoopState;
use collie_core::text::KnownSecrets;
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, LoopRequest};
use collie_mcp::{McpHost, McpServer, McpWords, Offers, RequestFate, ReviewMade, serve_stdio};
use collie_wire::LoopView;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Serves the client on standard input and output until it goes, or until it is told to stop.
pub async fn run(context: Context, args: &McpArgs) -> Result<u8, UserError> {
    let mut interrupt = Interrupt::listen();
    context::require_git().await?;
    let words = Arc::new(McpWords::new(context.config.language));
    let host = LocalHost {
        context,
        offers: Offers {
            changes: !args.read_only,
            reviews: true,
        },
    };
    let server = McpServer::new(Arc::new(host), words);
    serve_stdio(server, interrupt.wait()).await?;
    Ok(0)
}

/// This machine's data folder, whose engine another process runs, or none.
struct LocalHost {
    context: Context,
    offers: Offers,
}

impl LocalHost {
    fn view(&self, state: &LoopState) -> LoopView {
        let private = redactor(&self.context.config, KnownSecrets::default());
        let localizer = &self.context.output.localizer.shared;
        loop_view(state, None, localizer, &private)
    }
}

#[async_trait]
impl McpHost for LocalHost {
    fn offers(&self) -> Offers {
        self.offers
    }

    fn has_engine(&self) -> bool {
        matches!(running_engine(&self.context.data), Ok(Some(_)))
    }

    async fn loops(&self) -> Result<Vec<LoopView>, UserError> {
        let loops = read_loops(&self.context).await?;
        Ok(loops.iter().map(|state| self.view(state)).collect())
    }

    async fn find(&self, pull: &PullName) -> Result<LoopView, UserError> {
        Ok(self.view(&find_loop(&self.context, pull).await?))
    }

    async fn timeline(&self, pull: &PullName) -> Result<Value, UserError> {
        let state = find_loop(&self.context, pull).await?;
        let store = open_loops(&self.context).await?;
        let entries = store.timeline(&state.id).await;
        store.close().await;
        let localizer = &self.context.output.localizer.shared;
        let entries = entries?;
        let lines = entries.iter().map(|entry| timeline_line(entry, localizer));
        let lines: Vec<_> = lines.collect();
        serde_json::to_value(lines)
            .map_err(|error| UserError::new(ErrorCode::Answer).with("message", error))
    }

    async fn ask(
        &self,
        pull: &PullName,
        request: collie_mcp::LoopRequest,
    ) -> Result<RequestFate, UserError> {
        let pull = pull.clone();
        let request = match request {
            collie_mcp::LoopRequest::Start => LoopRequest::Start {
                pull,
                autonomy: None,
            },
            collie_mcp::LoopRequest::Cancel => LoopRequest::Cancel { pull },
        };
        let config = &self.context.config;
        let github = auth::github_client(config, &auth::token_source(config).await).await?;
        // Requests are made in somebody's name (§9.1).
        let by = github.viewer().await?.login;
        let engine = EngineClient::attach(&self.context.data, github).await?;
        let sent = engine.submit(&request, &by).await;
        engine.shutdown().await;
        Ok(match sent? {
            RequestOutcome::Queued => RequestFate::Queued,
            RequestOutcome::Done => RequestFate::Done,
            RequestOutcome::TimedOut => RequestFate::Unanswered,
        })
    }

    async fn review(
        &self,
        pull: &PullName,
        post: bool,
        on_progress: &(dyn Fn(String) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<ReviewMade, UserError> {
        let options = ReviewOptions {
            pull: pull.clone(),
            posting: match post {
                true => Posting::IfAllowed,
                false => Posting::DryRun,
            },
            panel: ReviewPanel::Configured,
            look_again: false,
            payer: ReviewPayer::DataFolder,
        };
        let setup = review_setup(&self.context, Arc::default()).await;
        let tell = |progress: ReviewProgress<'_>| {
            on_progress(progress_text(&self.context, pull, progress));
        };
        let reviewed = review(setup, &options, &tell, cancel).await?;
        let mut data = review_json(&reviewed);
        let findings = reviewed.findings.iter();
        let findings: Vec<Value> = findings
            .map(|(tracked, comment)| finding_json(tracked, comment.as_ref()))
            .collect();
        data["findings"] = findings.into();
        let text = markdown(&reviewed);
        Ok(ReviewMade { data, text })
    }
}

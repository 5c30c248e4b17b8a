//! The server behind every transport.

use crate::clean;
use crate::host::McpHost;
use crate::resources::{self, ResourceName};
use crate::tools::{self, ToolError, ToolName};
use crate::words::McpWords;
use collie_core::user_error::UserError;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Where an answer says which error it is; a tool's data is of the form that its schema says.
const ERROR_META: &str = "dev.collie/error";

/// Collie as an MCP server, for one who is served.
#[derive(Clone)]
pub struct McpServer {
    host: Arc<dyn McpHost>,
    words: Arc<McpWords>,
}

impl McpServer {
    /// Serves what `host` does.
    pub fn new(host: Arc<dyn McpHost>, words: Arc<McpWords>) -> Self {
        Self { host, words }
    }

    fn error_code(error: &UserError) -> serde_json::Value {
        json!({ "code": error.code, "hints": error.hints })
    }

    /// A tool that failed: the model reads why.
    fn failed(&self, error: &UserError) -> CallToolResult {
        let text = clean::text(&self.words.error(error));
        let mut meta = MetaObject::default();
        meta.insert(ERROR_META.to_owned(), Self::error_code(error));
        CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
    }

    fn failed_reading(&self, error: &UserError) -> ErrorData {
        let text = clean::text(&self.words.error(error));
        ErrorData::resource_not_found(text, Some(Self::error_code(error)))
    }
}

/// Tells a client how far a tool is, if it asked to be told.
fn progress(context: &RequestContext<RoleServer>) -> impl Fn(String) + Send + Sync + use<> {
    let token = context.meta.get_progress_token();
    let (send, mut told) = mpsc::unbounded_channel::<String>();
    let peer = context.peer.clone();
    if let Some(token) = token {
        tokio::spawn(async move {
            let mut step = 0.0;
            while let Some(message) = told.recv().await {
                step += 1.0;
                let told = ProgressNotificationParam::new(token.clone(), step);
                if peer
                    .notify_progress(told.with_message(message))
                    .await
                    .is_err()
                {
                    return;
                }
            }
        });
    }
    move |message| {
        // Who did not ask, or has gone, misses nothing.
        let _ = send.send(message);
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let server = Implementation::new("collie", env!("CARGO_PKG_VERSION")).with_title("Collie");
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(self.words.plain("mcp-instructions"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::list(self.host.offers(), &self.words);
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut all = tools::list(self.host.offers(), &self.words).into_iter();
        all.find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params(format!("unknown tool: {}", request.name), None);
        let tool = ToolName::offered(&request.name, self.host.offers()).ok_or_else(unknown)?;
        let given = request.arguments.unwrap_or_default();
        let on_progress = progress(&context);
        let host = self.host.as_ref();
        let called = tools::call(tool, given, host, &self.words, &on_progress, &context.ct).await;
        let answer = match called {
            Ok(answer) => answer,
            Err(ToolError::BadArguments(message)) => {
                return Err(ErrorData::invalid_params(message, None));
            }
            Err(ToolError::Failed(error)) => return Ok(self.failed(&error).into()),
        };
        let mut result = CallToolResult::structured(clean::value(answer.data));
        result.content = vec![ContentBlock::text(clean::text(&answer.text))];
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let loops = self.host.loops().await;
        let loops = loops.map_err(|error| self.failed_reading(&error))?;
        let listed = resources::list(&loops, &self.words);
        let mut result = ListResourcesResult::with_all_items(listed);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates(&self.words);
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let unknown = || ErrorData::resource_not_found(format!("no such resource: {uri}"), None);
        let name = ResourceName::parse(&uri).ok_or_else(unknown)?;
        let read = name.read(self.host.as_ref()).await;
        let read = read.map_err(|error| self.failed_reading(&error))?;
        let text = clean::value(read).to_string();
        let contents = ResourceContents::text(text, uri).with_mime_type(resources::mime());
        let mut result = ReadResourceResult::new(vec![contents]);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result.into())
    }
}

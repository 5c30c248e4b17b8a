//! What has been heard of an agent in this turn.

use super::mcp_servers::is_mcp_call;
use super::policy::{self, AgentRole, AllowedFolders, RefusalReason, Tool, ToolRefusal};
use super::turn::{AgentProgress, ToolCallState, ToolUse, TurnLimits};
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, MessageId, PlanEntryStatus, RequestPermissionOutcome,
    RequestPermissionRequest, SelectedPermissionOutcome, SessionId, SessionNotification,
    SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use collie_core::session::UntakenSetting;
use collie_sandbox::RefusedHost;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::{Duration, Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Bytes of the last message that are kept.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// Bytes of one chunk that goes to the timeline.
const MAX_CHUNK_BYTES: usize = 16 * 1024;
/// Bytes of a title, an id, a path.
const MAX_TITLE_BYTES: usize = 500;
/// Tool calls, and refusals, that are kept.
const MAX_LISTED: usize = 2000;

/// Why nothing more is read from an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutputFault {
    /// One message, or all of them, were longer than this.
    TooMuch { what: &'static str, bound: u64 },
    /// A message is no JSON.
    Unreadable { reason: String },
}

/// What counts of all that was heard.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnRecord {
    pub(super) text: String,
    pub(super) text_cut: bool,
    pub(super) tools: Vec<ToolUse>,
    pub(super) tools_left_out: usize,
    pub(super) refused: Vec<ToolRefusal>,
    pub(super) session_cost_usd: Option<f64>,
    pub(super) untaken: Vec<UntakenSetting>,
}

struct ObserverState {
    record: TurnRecord,
    /// The session whose updates count; none while an old one is replayed.
    session: Option<SessionId>,
    message: Option<MessageId>,
    /// Whether the next text begins a new message.
    starts_new_message: bool,
    /// The paths that each open tool call named.
    open_call_paths: BTreeMap<String, Vec<PathBuf>>,
    last_message_at: Instant,
    bytes_received: u64,
    step: &'static str,
    fault: Option<OutputFault>,
}

/// The ear of one turn. Its handlers never wait.
pub(super) struct TurnObserver {
    state: Mutex<ObserverState>,
    on_progress: Box<dyn Fn(AgentProgress) + Send + Sync>,
    role: AgentRole,
    allowed_folders: AllowedFolders,
    limits: TurnLimits,
    stop_token: CancellationToken,
    /// Servers that the agent was handed on: their tools are the user's to give.
    mcp_servers: Vec<String>,
}

impl TurnObserver {
    pub(super) fn new(
        role: AgentRole,
        allowed_folders: AllowedFolders,
        limits: TurnLimits,
        stop_token: CancellationToken,
        on_progress: impl Fn(AgentProgress) + Send + Sync + 'static,
    ) -> Self {
        let state = ObserverState {
            record: TurnRecord::default(),
            session: None,
            message: None,
            starts_new_message: true,
            open_call_paths: BTreeMap::new(),
            last_message_at: Instant::now(),
            bytes_received: 0,
            step: "initialize",
            fault: None,
        };
        Self {
            state: Mutex::new(state),
            on_progress: Box::new(on_progress),
            role,
            allowed_folders,
            limits,
            stop_token,
            mcp_servers: Vec::new(),
        }
    }

    /// The agent is handed on these MCP servers.
    pub(super) fn with_mcp_servers(self, mcp_servers: Vec<String>) -> Self {
        Self {
            mcp_servers,
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, ObserverState> {
        // A panic elsewhere leaves nothing half done here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the timeline.
    pub(super) fn emit(&self, progress: AgentProgress) {
        (self.on_progress)(progress);
    }

    /// The call that is open.
    pub(super) fn step(&self) -> &'static str {
        self.state().step
    }

    /// Another call is open now.
    pub(super) fn enter_step(&self, step: &'static str) {
        let mut state = self.state();
        state.step = step;
        state.last_message_at = Instant::now();
    }

    /// From here on, what this session says counts.
    pub(super) fn observe_session(&self, session: &SessionId) {
        self.state().session = Some(session.clone());
    }

    /// Why nothing more is read, if so.
    pub(super) fn fault(&self) -> Option<OutputFault> {
        self.state().fault.clone()
    }

    /// Nothing more is to be read; the first reason counts.
    pub(super) fn set_fault(&self, fault: OutputFault) {
        self.state().fault.get_or_insert(fault);
    }

    /// A line came, so many bytes long; only a message is a sign of life. Tells whether the turn may still go on.
    pub(super) fn count_line(&self, bytes: usize, is_message: bool) -> bool {
        let mut state = self.state();
        if is_message {
            state.last_message_at = Instant::now();
        }
        state.bytes_received = state.bytes_received.saturating_add(bytes as u64);
        if state.bytes_received > self.limits.max_turn_bytes {
            let bound = self.limits.max_turn_bytes;
            state.fault.get_or_insert(OutputFault::TooMuch {
                what: "turn",
                bound,
            });
        }
        state.fault.is_none()
    }

    /// Waits until no message has come for too long.
    pub(super) async fn wait_for_silence(&self, limit: Duration) {
        loop {
            let due = self.state().last_message_at + limit;
            if Instant::now() >= due {
                return;
            }
            sleep_until(due).await;
        }
    }

    /// What counts of it.
    pub(super) fn record(&self) -> TurnRecord {
        self.state().record.clone()
    }

    /// An update of a session.
    pub(super) fn on_session_update(&self, notification: SessionNotification) {
        let progress = {
            let mut state = self.state();
            if state.session.as_ref() != Some(&notification.session_id) {
                return;
            }
            state.apply_update(notification.update)
        };
        if let Some(progress) = progress {
            self.emit(progress);
        }
    }

    /// The answer to a request for permission.
    pub(super) fn answer_permission(
        &self,
        request: &RequestPermissionRequest,
    ) -> RequestPermissionOutcome {
        let call = &request.tool_call;
        let (announced, mut paths) = self.state().announced_call(&call.tool_call_id.0);
        paths.extend(policy::tool_call_paths(&call.fields));
        let tool = call
            .fields
            .kind
            .map(Tool::from)
            .or(announced.as_ref().map(|used| used.tool))
            .unwrap_or(Tool::Other);
        let announced_title = announced.map(|used| used.title).unwrap_or_default();
        let told = call.fields.title.as_deref();
        let title = told.unwrap_or(&announced_title).to_owned();
        let decision = if self.stop_token.is_cancelled() {
            Err(RefusalReason::Cancelled)
        } else if self.is_mcp_call(tool, [&title, &announced_title]) {
            // Which tools these are the user knows who set them up; the sandbox holds them as it holds the agent.
            Ok(())
        } else {
            policy::check_permission(self.role, tool, &paths, &self.allowed_folders)
        };
        let allowed = decision.is_ok();
        let option = policy::one_time_option(&request.options, allowed);
        let decision = if allowed && option.is_none() {
            Err(RefusalReason::NoOneTimeOption)
        } else {
            decision
        };
        if let Err(reason) = decision {
            self.record_refusal(tool, &title, reason.clone());
            let reject_option = match reason {
                RefusalReason::Cancelled => None,
                _ => policy::one_time_option(&request.options, false),
            };
            return permission_outcome(reject_option);
        }
        permission_outcome(option)
    }

    /// The agent does not take what the user set; told once.
    pub(super) fn record_untaken(&self, setting: UntakenSetting) {
        let mut state = self.state();
        if state.record.untaken.contains(&setting) {
            return;
        }
        state.record.untaken.push(setting.clone());
        drop(state);
        self.emit(AgentProgress::Untaken { setting });
    }

    fn is_mcp_call(&self, tool: Tool, titles: [&str; 2]) -> bool {
        let is_write = matches!(tool, Tool::Edit | Tool::Delete | Tool::Move);
        let names = || self.mcp_servers.iter().map(String::as_str);
        !is_write && titles.iter().any(|title| is_mcp_call(title, names()))
    }

    /// A host that it wanted to reach and may not.
    pub(super) fn record_refused_host(&self, host: &RefusedHost) {
        let title = format!("{}:{}", host.host, host.port);
        self.record_refusal(Tool::Fetch, &title, RefusalReason::HostNotListed);
    }

    fn record_refusal(&self, tool: Tool, title: &str, reason: RefusalReason) {
        let refusal = ToolRefusal {
            tool,
            title: truncate(title, MAX_TITLE_BYTES).to_owned(),
            reason,
        };
        let mut state = self.state();
        if state.record.refused.len() < MAX_LISTED {
            state.record.refused.push(refusal.clone());
        }
        drop(state);
        self.emit(AgentProgress::Refused { refusal });
    }
}

/// Without an option that holds for this once, the protocol's only other answer is that the turn was cancelled.
fn permission_outcome(
    option: Option<agent_client_protocol::v1::schema::PermissionOptionId>,
) -> RequestPermissionOutcome {
    option.map_or(RequestPermissionOutcome::Cancelled, |id| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id))
    })
}

impl ObserverState {
    fn apply_update(&mut self, update: SessionUpdate) -> Option<AgentProgress> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.apply_text_chunk(chunk),
            SessionUpdate::ToolCall(call) => {
                self.starts_new_message = true;
                Some(self.apply_tool_call(&call))
            }
            SessionUpdate::ToolCallUpdate(update) => {
                self.starts_new_message = true;
                self.apply_tool_call_update(&update)
            }
            SessionUpdate::AgentThoughtChunk(_) | SessionUpdate::UserMessageChunk(_) => {
                self.starts_new_message = true;
                None
            }
            SessionUpdate::Plan(plan) => {
                let done = plan
                    .entries
                    .iter()
                    .filter(|entry| entry.status == PlanEntryStatus::Completed)
                    .count();
                Some(AgentProgress::Plan {
                    done,
                    total: plan.entries.len(),
                })
            }
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage
                    .cost
                    .filter(|cost| cost.currency == "USD" && cost.amount.is_finite());
                if let Some(cost) = dollars {
                    self.record.session_cost_usd = Some(cost.amount);
                }
                Some(AgentProgress::Context {
                    tokens: usage.used,
                    session_cost_usd: self.record.session_cost_usd,
                })
            }
            // Commands, modes, titles: nothing that counts here; and what a later protocol adds.
            _ => None,
        }
    }

    fn apply_text_chunk(&mut self, chunk: ContentChunk) -> Option<AgentProgress> {
        let ContentBlock::Text(content) = chunk.content else {
            return None;
        };
        let is_other_message = chunk.message_id.is_some() && chunk.message_id != self.message;
        if self.starts_new_message || is_other_message {
            self.record.text.clear();
            self.record.text_cut = false;
        }
        self.starts_new_message = false;
        self.message = chunk.message_id;
        let room = MAX_TEXT_BYTES.saturating_sub(self.record.text.len());
        let kept = truncate(&content.text, room);
        self.record.text_cut |= kept.len() < content.text.len();
        self.record.text.push_str(kept);
        Some(AgentProgress::Text {
            chunk: truncate(&content.text, MAX_CHUNK_BYTES).to_owned(),
        })
    }

    /// What was told of a call before, and the paths it named.
    fn announced_call(&self, id: &str) -> (Option<ToolUse>, Vec<PathBuf>) {
        let id = truncate(id, MAX_TITLE_BYTES);
        let used = self.record.tools.iter().find(|used| used.id == id).cloned();
        (
            used,
            self.open_call_paths.get(id).cloned().unwrap_or_default(),
        )
    }

    fn apply_tool_call(&mut self, call: &ToolCall) -> AgentProgress {
        let used = ToolUse {
            id: truncate(&call.tool_call_id.0, MAX_TITLE_BYTES).to_owned(),
            tool: call.kind.into(),
            title: truncate(&call.title, MAX_TITLE_BYTES).to_owned(),
            state: tool_call_state(call.status),
        };
        let named = ToolCallUpdateFields::new()
            .locations(call.locations.clone())
            .content(call.content.clone())
            .raw_input(call.raw_input.clone());
        self.track_open_call_paths(&used.id, used.state, &named);
        let tools = &mut self.record.tools;
        if let Some(known) = tools.iter_mut().find(|known| known.id == used.id) {
            *known = used.clone();
        } else if tools.len() < MAX_LISTED {
            tools.push(used.clone());
        } else {
            self.record.tools_left_out += 1;
        }
        AgentProgress::Tool { used }
    }

    fn apply_tool_call_update(&mut self, update: &ToolCallUpdate) -> Option<AgentProgress> {
        let id = truncate(&update.tool_call_id.0, MAX_TITLE_BYTES);
        let known = self.record.tools.iter_mut().find(|known| known.id == id)?;
        let before = known.clone();
        if let Some(kind) = update.fields.kind {
            known.tool = kind.into();
        }
        if let Some(title) = &update.fields.title {
            known.title = truncate(title, MAX_TITLE_BYTES).to_owned();
        }
        if let Some(status) = update.fields.status {
            known.state = tool_call_state(status);
        }
        let used = known.clone();
        self.track_open_call_paths(&used.id, used.state, &update.fields);
        (used != before).then_some(AgentProgress::Tool { used })
    }

    /// Keeps the paths of a call for as long as it is open.
    fn track_open_call_paths(
        &mut self,
        id: &str,
        state: ToolCallState,
        named: &ToolCallUpdateFields,
    ) {
        match state {
            ToolCallState::Pending | ToolCallState::Running => {
                let paths = policy::tool_call_paths(named);
                if !paths.is_empty() && self.open_call_paths.len() < MAX_LISTED {
                    self.open_call_paths
                        .entry(id.to_owned())
                        .or_default()
                        .extend(paths);
                }
            }
            ToolCallState::Done | ToolCallState::Failed => {
                self.open_call_paths.remove(id);
            }
        }
    }
}

fn tool_call_state(status: ToolCallStatus) -> ToolCallState {
    match status {
        ToolCallStatus::InProgress => ToolCallState::Running,
        ToolCallStatus::Completed => ToolCallState::Done,
        ToolCallStatus::Failed => ToolCallState::Failed,
        // Pending, and what a later protocol adds.
        _ => ToolCallState::Pending,
    }
}

/// The longest start of a text that has at most so many bytes.
fn truncate(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// What is answered when a fixer asks, after its session was updated so.
    fn answer(update: Option<Value>, asked_of: Value) -> String {
        let root = tempfile::tempdir().unwrap();
        let allowed_folders = AllowedFolders {
            cwd: root.path().to_owned(),
            temp: root.path().to_owned(),
        };
        let (limits, stop) = (TurnLimits::default(), CancellationToken::new());
        let observer = TurnObserver::new(AgentRole::Fixer, allowed_folders, limits, stop, |_| {});
        observer.observe_session(&SessionId::new("s"));
        if let Some(update) = update {
            let notification = json!({"sessionId": "s", "update": update});
            observer.on_session_update(serde_json::from_value(notification).unwrap());
        }
        let options = ["allow_once", "reject_once"]
            .map(|kind| json!({"optionId": kind, "name": kind, "kind": kind}));
        let request = json!({"sessionId": "s", "toolCall": asked_of, "options": options});
        let request = serde_json::from_value(request).unwrap();
        match observer.answer_permission(&request) {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".to_owned(),
        }
    }

    #[test]
    fn a_call_of_a_kind_that_nobody_told_is_refused() {
        let known = json!({"toolCallId": "1", "kind": "read"});
        assert_eq!(answer(None, known), "allow_once");
        assert_eq!(answer(None, json!({"toolCallId": "1"})), "reject_once");
    }

    #[test]
    fn the_paths_that_a_call_was_announced_with_count_when_it_asks() {
        for (path, expect) in [("a.rs", "allow_once"), ("/etc/passwd", "reject_once")] {
            let announced = json!({
                "sessionUpdate": "tool_call", "toolCallId": "1", "title": "Edit", "kind": "edit",
                "locations": [{"path": path}],
            });
            let asked_of = json!({"toolCallId": "1", "locations": [{"path": "b.rs"}]});
            assert_eq!(answer(Some(announced), asked_of), expect, "{path}");
        }
    }
}

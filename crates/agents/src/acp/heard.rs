//! What has been heard of an agent in this turn.

use super::policy::{self, Ground, Refusal, Role, Tool, Why};
use super::turn::{Limits, Progress, ToolState, ToolUse};
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, MessageId, PlanEntryStatus, RequestPermissionOutcome,
    RequestPermissionRequest, SelectedPermissionOutcome, SessionId, SessionNotification,
    SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::{Duration, Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Bytes of the last message that are kept.
const TEXT: usize = 1 << 20;
/// Bytes of one chunk that goes to the timeline.
const CHUNK: usize = 16 * 1024;
/// Bytes of a title, an id, a path.
const TITLE: usize = 500;
/// Tool calls, and refusals, that are kept.
const LISTED: usize = 2000;

/// Why nothing more is read from an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// One message, or all of them, were longer than this.
    TooMuch { what: &'static str, bound: u64 },
    /// A message is no JSON.
    Broken { reason: String },
}

/// What counts of all that was heard.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    pub(super) text: String,
    pub(super) text_cut: bool,
    pub(super) tools: Vec<ToolUse>,
    pub(super) tools_left_out: usize,
    pub(super) refused: Vec<Refusal>,
    pub(super) session_cost_usd: Option<f64>,
}

struct State {
    account: Account,
    /// The session whose updates count; none while an old one is replayed.
    session: Option<SessionId>,
    message: Option<MessageId>,
    /// Whether the next text begins a new message.
    is_between: bool,
    /// The paths that each open tool call named.
    paths: BTreeMap<String, Vec<PathBuf>>,
    last: Instant,
    bytes: u64,
    step: &'static str,
    fault: Option<Fault>,
}

/// The ear of one turn. Its handlers never wait.
pub(super) struct Heard {
    state: Mutex<State>,
    updates: Box<dyn Fn(Progress) + Send + Sync>,
    role: Role,
    ground: Ground,
    limits: Limits,
    stop: CancellationToken,
}

impl Heard {
    pub(super) fn new(
        role: Role,
        ground: Ground,
        limits: Limits,
        stop: CancellationToken,
        updates: impl Fn(Progress) + Send + Sync + 'static,
    ) -> Self {
        let state = State {
            account: Account::default(),
            session: None,
            message: None,
            is_between: true,
            paths: BTreeMap::new(),
            last: Instant::now(),
            bytes: 0,
            step: "initialize",
            fault: None,
        };
        Self {
            state: Mutex::new(state),
            updates: Box::new(updates),
            role,
            ground,
            limits,
            stop,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves nothing half done here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the timeline.
    pub(super) fn tell(&self, progress: Progress) {
        (self.updates)(progress);
    }

    /// The call that is open.
    pub(super) fn step(&self) -> &'static str {
        self.state().step
    }

    /// Another call is open now.
    pub(super) fn enter(&self, step: &'static str) {
        let mut state = self.state();
        state.step = step;
        state.last = Instant::now();
    }

    /// From here on, what this session says counts.
    pub(super) fn listen_to(&self, session: &SessionId) {
        self.state().session = Some(session.clone());
    }

    /// Why nothing more is read, if so.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.state().fault.clone()
    }

    /// Nothing more is to be read; the first reason counts.
    pub(super) fn give_up(&self, fault: Fault) {
        self.state().fault.get_or_insert(fault);
    }

    /// A line came, so many bytes long; only a message is a sign of life. Tells whether the turn may still go on.
    pub(super) fn count(&self, bytes: usize, is_message: bool) -> bool {
        let mut state = self.state();
        if is_message {
            state.last = Instant::now();
        }
        state.bytes = state.bytes.saturating_add(bytes as u64);
        if state.bytes > self.limits.max_turn {
            let bound = self.limits.max_turn;
            state.fault.get_or_insert(Fault::TooMuch {
                what: "turn",
                bound,
            });
        }
        state.fault.is_none()
    }

    /// Waits until no message has come for too long.
    pub(super) async fn silence(&self, limit: Duration) {
        loop {
            let due = self.state().last + limit;
            if Instant::now() >= due {
                return;
            }
            sleep_until(due).await;
        }
    }

    /// What counts of it.
    pub(super) fn account(&self) -> Account {
        self.state().account.clone()
    }

    /// An update of a session.
    pub(super) fn update(&self, note: SessionNotification) {
        let progress = {
            let mut state = self.state();
            if state.session.as_ref() != Some(&note.session_id) {
                return;
            }
            state.take(note.update)
        };
        if let Some(progress) = progress {
            self.tell(progress);
        }
    }

    /// The answer to a request for permission.
    pub(super) fn permission(&self, asked: &RequestPermissionRequest) -> RequestPermissionOutcome {
        let call = &asked.tool_call;
        let (announced, mut paths) = self.state().announced(&call.tool_call_id.0);
        paths.extend(policy::paths_of(&call.fields));
        let tool = call
            .fields
            .kind
            .map(Tool::from)
            .or(announced.as_ref().map(|used| used.tool))
            .unwrap_or(Tool::Other);
        let title = call
            .fields
            .title
            .clone()
            .or(announced.map(|used| used.title))
            .unwrap_or_default();
        let decision = if self.stop.is_cancelled() {
            Err(Why::Cancelled)
        } else {
            policy::decide(self.role, tool, &paths, &self.ground)
        };
        let allowed = decision.is_ok();
        let option = policy::option_for(&asked.options, allowed);
        let decision = if allowed && option.is_none() {
            Err(Why::OnlyForever)
        } else {
            decision
        };
        if let Err(why) = decision {
            let refusal = Refusal {
                tool,
                title: cut(&title, TITLE).to_owned(),
                why,
            };
            let mut state = self.state();
            if state.account.refused.len() < LISTED {
                state.account.refused.push(refusal.clone());
            }
            drop(state);
            self.tell(Progress::Refused {
                refusal: refusal.clone(),
            });
            let no = match refusal.why {
                Why::Cancelled => None,
                _ => policy::option_for(&asked.options, false),
            };
            return selected(no);
        }
        selected(option)
    }
}

/// Without an option that holds for this once, the protocol's only other answer is that the turn was cancelled.
fn selected(
    option: Option<agent_client_protocol::v1::schema::PermissionOptionId>,
) -> RequestPermissionOutcome {
    option.map_or(RequestPermissionOutcome::Cancelled, |id| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id))
    })
}

impl State {
    fn take(&mut self, update: SessionUpdate) -> Option<Progress> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.text(chunk),
            SessionUpdate::ToolCall(call) => {
                self.is_between = true;
                Some(self.tool(&call))
            }
            SessionUpdate::ToolCallUpdate(update) => {
                self.is_between = true;
                self.tool_changed(&update)
            }
            SessionUpdate::AgentThoughtChunk(_) | SessionUpdate::UserMessageChunk(_) => {
                self.is_between = true;
                None
            }
            SessionUpdate::Plan(plan) => {
                let done = plan
                    .entries
                    .iter()
                    .filter(|entry| entry.status == PlanEntryStatus::Completed)
                    .count();
                Some(Progress::Plan {
                    done,
                    total: plan.entries.len(),
                })
            }
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage
                    .cost
                    .filter(|cost| cost.currency == "USD" && cost.amount.is_finite());
                if let Some(cost) = dollars {
                    self.account.session_cost_usd = Some(cost.amount);
                }
                None
            }
            // Commands, modes, titles: nothing that counts here; and what a later protocol adds.
            _ => None,
        }
    }

    fn text(&mut self, chunk: ContentChunk) -> Option<Progress> {
        let ContentBlock::Text(content) = chunk.content else {
            return None;
        };
        let is_other = chunk.message_id.is_some() && chunk.message_id != self.message;
        if self.is_between || is_other {
            self.account.text.clear();
            self.account.text_cut = false;
        }
        self.is_between = false;
        self.message = chunk.message_id;
        let room = TEXT.saturating_sub(self.account.text.len());
        let kept = cut(&content.text, room);
        self.account.text_cut |= kept.len() < content.text.len();
        self.account.text.push_str(kept);
        Some(Progress::Text {
            chunk: cut(&content.text, CHUNK).to_owned(),
        })
    }

    /// What was told of a call before, and the paths it named.
    fn announced(&self, id: &str) -> (Option<ToolUse>, Vec<PathBuf>) {
        let id = cut(id, TITLE);
        let used = self
            .account
            .tools
            .iter()
            .find(|used| used.id == id)
            .cloned();
        (used, self.paths.get(id).cloned().unwrap_or_default())
    }

    fn tool(&mut self, call: &ToolCall) -> Progress {
        let used = ToolUse {
            id: cut(&call.tool_call_id.0, TITLE).to_owned(),
            tool: call.kind.into(),
            title: cut(&call.title, TITLE).to_owned(),
            state: state_of(call.status),
        };
        let named = ToolCallUpdateFields::new()
            .locations(call.locations.clone())
            .content(call.content.clone())
            .raw_input(call.raw_input.clone());
        self.remember(&used.id, used.state, &named);
        let tools = &mut self.account.tools;
        if let Some(known) = tools.iter_mut().find(|known| known.id == used.id) {
            *known = used.clone();
        } else if tools.len() < LISTED {
            tools.push(used.clone());
        } else {
            self.account.tools_left_out += 1;
        }
        Progress::Tool { used }
    }

    fn tool_changed(&mut self, update: &ToolCallUpdate) -> Option<Progress> {
        let id = cut(&update.tool_call_id.0, TITLE);
        let known = self.account.tools.iter_mut().find(|known| known.id == id)?;
        let before = known.clone();
        if let Some(kind) = update.fields.kind {
            known.tool = kind.into();
        }
        if let Some(title) = &update.fields.title {
            known.title = cut(title, TITLE).to_owned();
        }
        if let Some(status) = update.fields.status {
            known.state = state_of(status);
        }
        let used = known.clone();
        self.remember(&used.id, used.state, &update.fields);
        (used != before).then_some(Progress::Tool { used })
    }

    /// Keeps the paths of a call for as long as it is open.
    fn remember(&mut self, id: &str, state: ToolState, named: &ToolCallUpdateFields) {
        match state {
            ToolState::Pending | ToolState::Running => {
                let paths = policy::paths_of(named);
                if !paths.is_empty() && self.paths.len() < LISTED {
                    self.paths.entry(id.to_owned()).or_default().extend(paths);
                }
            }
            ToolState::Done | ToolState::Failed => {
                self.paths.remove(id);
            }
        }
    }
}

fn state_of(status: ToolCallStatus) -> ToolState {
    match status {
        ToolCallStatus::InProgress => ToolState::Running,
        ToolCallStatus::Completed => ToolState::Done,
        ToolCallStatus::Failed => ToolState::Failed,
        // Pending, and what a later protocol adds.
        _ => ToolState::Pending,
    }
}

/// The longest start of a text that has at most so many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

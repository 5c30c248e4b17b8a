//! What an agent may write, tried with lines that none would.

use super::framing::parse_line;
use super::observer::TurnObserver;
use super::output_tail::OutputTail;
use super::policy::{AgentRole, AllowedFolders, Tool};
use super::turn::TurnLimits;
use agent_client_protocol::v1::schema::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    SessionNotification,
};
use collie_fuzz::Target;
use serde_json::Value;
use std::sync::Mutex;
use tokio_util::codec::{Decoder, LinesCodec};
use tokio_util::sync::CancellationToken;

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\n",
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "18446744073709551616",
    "\"\"",
    "\"jsonrpc\":\"2.0\"",
    "\"method\":",
    "\"session/update\"",
    "\"session/request_permission\"",
    "\"params\":",
    "\"sessionId\":\"s\"",
    "\"sessionUpdate\":",
    "\"agent_message_chunk\"",
    "\"tool_call\"",
    "\"tool_call_update\"",
    "\"usage_update\"",
    "\"plan\"",
    "\"toolCallId\":\"1\"",
    "\"kind\":",
    "\"edit\"",
    "\"read\"",
    "\"execute\"",
    "\"delete\"",
    "\"locations\":",
    "\"path\":",
    "\"rawInput\":",
    "\"file_path\":",
    "\"/etc/passwd\"",
    "\"../x\"",
    "\"way-out/x\"",
    "\"src/a.rs\"",
    "\".git/config\"",
    "\"allow_once\"",
    "\"allow_always\"",
    "\"reject_once\"",
    "\"optionId\":",
    "\"status\":",
    "\"completed\"",
    "\\u0000",
    "\\ud800",
    "é",
    "\u{1b}[31m",
    "\u{202e}",
];

struct Agent {
    observer: TurnObserver,
    tail: OutputTail,
    folders: AllowedFolders,
    role: AgentRole,
}

impl Agent {
    fn new(root: &std::path::Path, role: AgentRole) -> Self {
        let folders = AllowedFolders {
            cwd: root.join("tree"),
            temp: root.join("temp"),
        };
        let limits = TurnLimits {
            max_turn_bytes: 12_000,
            ..TurnLimits::default()
        };
        let observer = TurnObserver::new(
            role,
            folders.clone(),
            limits,
            CancellationToken::new(),
            |_| {},
        );
        observer.observe_session(&SessionId::new("s"));
        Self {
            observer,
            tail: OutputTail::default(),
            folders,
            role,
        }
    }

    /// Reads all lines as they would come from a pipe; the number of messages.
    fn hear(&self, bytes: &[u8]) -> usize {
        const MAX_LINE: usize = 4_000;
        let mut codec = LinesCodec::new_with_max_length(MAX_LINE);
        let mut buffer = bytes.into();
        let mut messages = 0;
        loop {
            let line = match codec.decode_eof(&mut buffer) {
                Ok(None) => return messages,
                Ok(Some(line)) => Ok(line),
                Err(error) => Err(error),
            };
            match parse_line(line, MAX_LINE, &self.observer, &self.tail) {
                None => {}
                Some(Err(_)) => {
                    assert!(self.observer.fault().is_some());
                    return messages;
                }
                Some(Ok(line)) => {
                    assert!(line.len() <= MAX_LINE);
                    self.obey(&serde_json::from_str(&line).expect("a message is JSON"));
                    messages += 1;
                }
            }
        }
    }

    fn obey(&self, message: &Value) {
        let params = message.get("params").cloned().unwrap_or_default();
        if let Ok(update) = serde_json::from_value::<SessionNotification>(params.clone()) {
            self.observer.on_session_update(update);
        }
        let Ok(request) = serde_json::from_value::<RequestPermissionRequest>(params) else {
            return;
        };
        let refused = self.observer.record().refused.len();
        let RequestPermissionOutcome::Selected(chosen) = self.observer.answer_permission(&request)
        else {
            return;
        };
        let allowed = self.observer.record().refused.len() == refused;
        let kinds: Vec<_> = request
            .options
            .iter()
            .filter(|option| option.option_id == chosen.option_id)
            .map(|option| option.kind)
            .collect();
        // Options that share an id are the agent's own riddle; the one that was meant is there.
        let meant = if allowed {
            PermissionOptionKind::AllowOnce
        } else {
            PermissionOptionKind::RejectOnce
        };
        assert!(kinds.contains(&meant), "{allowed}: {request:?}");
        if allowed {
            self.assert_within(&request);
        }
    }

    /// What was allowed is this role's to do, and leads nowhere else.
    fn assert_within(&self, request: &RequestPermissionRequest) {
        let known = self.observer.record().tools;
        let announced = known
            .iter()
            .find(|used| *used.id == *request.tool_call.tool_call_id.0);
        let kind = request.tool_call.fields.kind.map(Tool::from);
        let tool = kind
            .or(announced.map(|used| used.tool))
            .unwrap_or(Tool::Other);
        assert!(
            super::allowed_tools(self.role).contains(&tool),
            "{request:?}"
        );
        for place in request.tool_call.fields.locations.iter().flatten() {
            let full = self.folders.cwd.join(&place.path);
            let inside = [&self.folders.cwd, &self.folders.temp]
                .iter()
                .any(|folder| full.starts_with(folder));
            assert!(
                inside && !full.components().any(|part| part.as_os_str() == ".."),
                "{full:?}"
            );
            assert!(
                !full.starts_with(self.folders.cwd.join("way-out")),
                "{full:?}"
            );
        }
    }
}

/// Whatever an agent writes: what is kept of it has an end, and nothing is allowed that its role or a path forbids.
#[test]
fn acp_messages() {
    let root = tempfile::tempdir().expect("a folder");
    let root = root.path().canonicalize().expect("a folder");
    for folder in ["tree/src", "temp"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    std::os::unix::fs::symlink(&root, root.join("tree/way-out")).expect("a link");
    let heard = Mutex::new(0);
    let target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "acp_messages",
        words: WORDS,
        iterations: 1_000,
    };
    target.run(|bytes| {
        for role in [AgentRole::Reviewer, AgentRole::Fixer] {
            let agent = Agent::new(&root, role);
            *heard.lock().expect("a lock") += agent.hear(bytes);
            let record = agent.observer.record();
            assert!(record.text.len() <= bytes.len() && record.tools.len() <= bytes.len());
            let short = |text: &str| text.len() <= 500;
            assert!(
                record
                    .tools
                    .iter()
                    .all(|used| short(&used.id) && short(&used.title))
            );
            assert!(record.refused.iter().all(|refusal| short(&refusal.title)));
            assert!(record.session_cost_usd.is_none_or(f64::is_finite));
            let tail = agent.tail.text();
            assert!(
                tail.lines().count() <= 12 && !tail.contains(|c: char| c.is_control() && c != '\n')
            );
        }
    });
    // Else the corpus says nothing.
    assert!(*heard.lock().expect("a lock") > 20);
}

//! What the fake agent does for a prompt.

use crate::script::{self, Behaviors, PermissionAsk, Script};
use crate::{FakeAgent, exit_with};
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Cost, PermissionOption, PermissionOptionKind, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, PromptRequest, PromptResponse, RequestPermissionOutcome,
    RequestPermissionRequest, SessionId, SessionNotification, SessionUpdate, StopReason, ToolCall,
    ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind, Usage,
    UsageUpdate,
};
use agent_client_protocol::{Client, ConnectionTo, Error, Result};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::PoisonError;

/// Answers a prompt, or ends it when it is cancelled.
pub(crate) async fn answer_prompt(
    fake: &FakeAgent,
    request: PromptRequest,
    client: &ConnectionTo<Client>,
) -> Result<PromptResponse> {
    let mut cancelled = fake.cancelled.subscribe();
    tokio::select! {
        answer = run_prompt(fake, request, client) => answer,
        _ = cancelled.wait_for(|is| *is) => {
            let answer = PromptResponse::new(StopReason::Cancelled);
            // What an agent still tells of a turn that was broken off.
            let spent = Usage::new(650, 600, 50);
            Ok(match fake.behaviors.has("tell-spent") {
                true => answer.usage(spent),
                false => answer,
            })
        }
    }
}

async fn run_prompt(
    fake: &FakeAgent,
    request: PromptRequest,
    client: &ConnectionTo<Client>,
) -> Result<PromptResponse> {
    let texts = request.prompt.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let script = script::next_script().map_err(invalid_params)?;
    let mut behaviors = fake.behaviors.clone();
    behaviors.add(&script.behaviors).map_err(invalid_params)?;
    behaviors.add_from_prompt(&text).map_err(invalid_params)?;
    let session = PromptSession {
        client,
        session_id: &request.session_id,
        cwd: fake.cwd(),
    };
    session.send_update(SessionUpdate::UsageUpdate(UsageUpdate::new(600, 200_000)))?;
    if let Some(answer) = misbehave(&behaviors, &session).await? {
        return Ok(answer);
    }
    if behaviors.has("no-work") {
        session.send_text("All is done.")?;
        return Ok(PromptResponse::new(StopReason::EndTurn));
    }
    let answer = session.run_script(&script).await?;
    let answer = if behaviors.has("echo-env") {
        environment_json(fake)?
    } else {
        answer
    };
    let answer = answer
        .or_else(|| script::all_fixed_answer(&text))
        .unwrap_or_default();
    // In two parts, as models stream it.
    let middle = answer.floor_char_boundary(answer.len() / 2);
    for part in [&answer[..middle], &answer[middle..]] {
        session.send_text(part)?;
    }
    session.send_update(SessionUpdate::UsageUpdate(
        UsageUpdate::new(1300, 200_000).cost(Cost::new(0.25, "USD")),
    ))?;
    let stop_reason = if behaviors.has("refusal") {
        StopReason::Refusal
    } else {
        StopReason::EndTurn
    };
    Ok(PromptResponse::new(stop_reason).usage(Usage::new(1300, 1200, 100).cached_read_tokens(800)))
}

fn invalid_params(message: String) -> Error {
    Error::invalid_params().data(message)
}

/// Its environment, and what was set for its session, as one JSON object.
fn environment_json(fake: &FakeAgent) -> Result<Option<String>> {
    let variables = std::env::vars_os().map(|(name, value)| {
        (
            name.to_string_lossy().into_owned(),
            value.to_string_lossy().into_owned(),
        )
    });
    let mut variables: std::collections::BTreeMap<_, _> = variables.collect();
    variables.insert("mode of the session".into(), fake.mode());
    let choices = fake.choices.lock().unwrap_or_else(PoisonError::into_inner);
    variables.insert("model of the session".into(), choices.model.clone());
    variables.insert("effort of the session".into(), choices.effort.clone());
    let servers = fake.servers.lock().unwrap_or_else(PoisonError::into_inner);
    let servers = crate::session::describe_servers(&servers)?;
    variables.insert("servers of the session".into(), servers.to_string());
    Ok(serde_json::to_string(&variables).ok())
}

/// Does what no agent should. An answer is the whole turn.
async fn misbehave(
    behaviors: &Behaviors,
    session: &PromptSession<'_>,
) -> Result<Option<PromptResponse>> {
    for (name, kind) in [
        ("orphan", StrayKind::Orphan),
        ("daemon", StrayKind::Daemon),
        ("bare-orphan", StrayKind::BareOrphan),
    ] {
        if behaviors.has(name) {
            spawn_stray(kind).map_err(Error::into_internal_error)?;
        }
    }
    if behaviors.has("out-of-scope") {
        write(
            &session.cwd.join("out-of-scope.txt"),
            "nobody asked for this file\n",
        )?;
    }
    if behaviors.has("delete-test") {
        delete_first_test(&session.cwd)?;
    }
    if behaviors.has("unknown-update") {
        write_raw_message(
            &json!({"jsonrpc": "2.0", "method": "session/update", "params": {
                "sessionId": session.session_id, "update": {"sessionUpdate": "mood", "mood": "good"},
            }}),
        );
    }
    if behaviors.has("malformed-updates") {
        session.write_malformed_updates();
    }
    if behaviors.has("big") {
        write_raw_message(&session.text_update(&"x".repeat(10_000_000)));
    }
    if behaviors.has("invalid-json") {
        write_line("{\"jsonrpc\": \"2.0\", oops}");
    }
    if behaviors.has("crash") {
        exit_with("fake agent: \u{1b}[31mit has crashed\u{1b}[0m", 3);
    }
    if behaviors.has("overloaded") {
        return Err(Error::internal_error().data("429 Too Many Requests"));
    }
    while behaviors.has("endless") {
        write_raw_message(&session.text_update("and "));
        tokio::task::yield_now().await;
    }
    if behaviors.has("silence") {
        session.send_text("From here on it is silent.")?;
        std::future::pending::<()>().await;
    }
    Ok(None)
}

/// One prompt in its session.
struct PromptSession<'a> {
    client: &'a ConnectionTo<Client>,
    session_id: &'a SessionId,
    cwd: PathBuf,
}

impl PromptSession<'_> {
    fn send_update(&self, update: SessionUpdate) -> Result<()> {
        self.client
            .send_notification(SessionNotification::new(self.session_id.clone(), update))
    }

    fn send_text(&self, text: &str) -> Result<()> {
        self.send_update(SessionUpdate::AgentMessageChunk(ContentChunk::new(
            text.into(),
        )))
    }

    fn text_update(&self, text: &str) -> serde_json::Value {
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": self.session_id,
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
        }})
    }

    /// Messages that are JSON and not the protocol's.
    fn write_malformed_updates(&self) {
        let update = |update: serde_json::Value| {
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {
                "sessionId": self.session_id, "update": update,
            }})
        };
        for message in [
            json!({"jsonrpc": "2.0", "method": "session/update"}),
            json!({"jsonrpc": "2.0", "method": "session/update", "params": [1, 2]}),
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": 7, "update": {}}}),
            update(json!("text")),
            update(json!({"sessionUpdate": "usage_update", "used": -1, "size": "much"})),
            update(json!({"sessionUpdate": "tool_call", "toolCallId": {}, "title": []})),
            update(
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "hologram"}}),
            ),
            json!({"jsonrpc": "2.0", "method": "_ext/none", "params": {}}),
            json!({"jsonrpc": "2.0", "id": 424_242, "result": {}}),
            json!({"jsonrpc": "1.0", "method": 5}),
            json!({}),
        ] {
            write_raw_message(&message);
        }
    }

    /// Asks, edits, and tells what to answer.
    async fn run_script(&self, script: &Script) -> Result<Option<String>> {
        self.send_text("It looks around first.")?;
        let entry = |text: &str, status| PlanEntry::new(text, PlanEntryPriority::Medium, status);
        let plan = vec![
            entry("look", PlanEntryStatus::Completed),
            entry("change", PlanEntryStatus::Pending),
        ];
        self.send_update(SessionUpdate::Plan(Plan::new(plan)))?;
        self.announce_tool_call("look", ToolKind::Read, "Read the files", None)?;
        let mut outcomes = Vec::new();
        for (at, ask) in script.permission_requests.iter().enumerate() {
            outcomes.push(self.request_permission(at, ask).await?);
        }
        if outcomes.iter().all(|outcome| outcome.starts_with("allow")) {
            self.apply_edits(script)?;
        }
        let chosen_options = (!outcomes.is_empty()).then(|| outcomes.join(", "));
        Ok(script.answer.clone().or(chosen_options))
    }

    fn apply_edits(&self, script: &Script) -> Result<()> {
        for (path, content) in &script.edits {
            let file = self.cwd.join(path);
            self.announce_tool_call(path, ToolKind::Edit, &format!("Edit {path}"), Some(&file))?;
            let edited = match content {
                Some(content) => write(&file, content),
                None => std::fs::remove_file(&file).map_err(|error| file_error(&file, &error)),
            };
            match edited {
                // A tool that fails is no reason for an agent to give up.
                Err(error) if is_read_only(&file) => self.send_text(&error.to_string())?,
                edited => edited?,
            }
        }
        Ok(())
    }

    /// Announces a tool call and its end.
    fn announce_tool_call(
        &self,
        id: &str,
        kind: ToolKind,
        title: &str,
        file: Option<&Path>,
    ) -> Result<()> {
        let locations = file.map(ToolCallLocation::new).into_iter().collect();
        let call = ToolCall::new(id.to_owned(), title)
            .kind(kind)
            .status(ToolCallStatus::InProgress)
            .locations(locations);
        self.send_update(SessionUpdate::ToolCall(call))?;
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
        self.send_update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            id.to_owned(),
            done,
        )))
    }

    /// The id of the option that was chosen, or `cancelled`.
    async fn request_permission(&self, at: usize, ask: &PermissionAsk) -> Result<String> {
        let parsed = |text: &str| {
            serde_json::from_value(json!(text)).map_err(|error| invalid_params(error.to_string()))
        };
        let kind: ToolKind = serde_json::from_value(json!(ask.kind))
            .map_err(|error| invalid_params(error.to_string()))?;
        let locations = ask
            .path
            .as_ref()
            .map(|path| vec![ToolCallLocation::new(path)]);
        let title = ask.title.clone();
        let fields = ToolCallUpdateFields::new()
            .kind(kind)
            .title(title.unwrap_or_else(|| format!("{} something", ask.kind)))
            .locations(locations);
        let mut options = Vec::new();
        for option in &ask.options {
            let kind: PermissionOptionKind = parsed(option)?;
            options.push(PermissionOption::new(option.clone(), option.clone(), kind));
        }
        let call = ToolCallUpdate::new(format!("ask-{at}"), fields);
        let request = RequestPermissionRequest::new(self.session_id.clone(), call, options);
        let answer = self.client.send_request(request).block_task().await?;
        Ok(match answer.outcome {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".into(),
        })
    }
}

/// Tells again what was said in a session that is loaded.
pub(crate) fn replay_history(client: &ConnectionTo<Client>, session: &SessionId) -> Result<()> {
    let old = SessionUpdate::AgentMessageChunk(ContentChunk::new("This was said long ago.".into()));
    client.send_notification(SessionNotification::new(session.clone(), old))
}

/// Whether the file lies where nothing can be written.
fn is_read_only(file: &Path) -> bool {
    let folder = file.parent().unwrap_or(Path::new("."));
    let probe = folder.join(".fake-agent-probe");
    let tried = std::fs::File::create_new(&probe);
    let refused =
        matches!(&tried, Err(error) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem);
    if tried.is_ok() {
        // It was made a moment ago.
        let _ = std::fs::remove_file(&probe);
    }
    refused
}

fn write(file: &Path, content: &str) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(file, content))
        .map_err(|error| file_error(file, &error))
}

fn file_error(file: &Path, error: &std::io::Error) -> Error {
    Error::internal_error().data(format!("{}: {error}", file.display()))
}

/// Deletes the first file below a folder whose path speaks of a test.
fn delete_first_test(folder: &Path) -> Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(&next)
            .map_err(|error| file_error(&next, &error))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        entries.sort();
        for entry in entries {
            let below = entry
                .strip_prefix(folder)
                .unwrap_or(&entry)
                .to_string_lossy()
                .to_ascii_lowercase();
            if entry.is_dir() && !below.starts_with(".git") {
                folders.push(entry);
            } else if entry.is_file() && below.contains("test") {
                return std::fs::remove_file(&entry).map_err(|error| file_error(&entry, &error));
            }
        }
    }
    Err(invalid_params("there is no test to delete".into()))
}

/// Writes a message past the library.
fn write_raw_message(message: &serde_json::Value) {
    write_line(&message.to_string());
}

fn write_line(text: &str) {
    let mut out = std::io::stdout().lock();
    if out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .is_err()
    {
        // Nobody reads it any more.
        std::process::exit(0);
    }
}

/// How a process is left behind.
enum StrayKind {
    /// A child in a session of its own.
    Orphan,
    /// The same, and its parent is gone.
    Daemon,
    /// An orphan with an empty environment.
    BareOrphan,
}

/// Starts a process that stays, and returns when it has left the group. It keeps the error output open.
fn spawn_stray(kind: StrayKind) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("--stray")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    match kind {
        StrayKind::Orphan => {}
        StrayKind::Daemon => {
            command.arg("daemon");
        }
        StrayKind::BareOrphan => {
            command.env_clear();
        }
    }
    let mut child = command.spawn()?;
    let mut first_line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut first_line)?;
    }
    if first_line.is_empty() {
        Err(std::io::Error::other("the stray process did not start"))
    } else {
        Ok(())
    }
}

/// What such a process does: it leaves the group, says so and stays, whatever it is told.
pub(crate) fn run_stray(kind: Option<&str>) {
    let done = match kind {
        Some(_) => spawn_stray(StrayKind::Orphan),
        None => nix::unistd::setsid()
            .map(|_| ())
            .map_err(std::io::Error::from),
    };
    if let Err(error) = done {
        exit_with(&format!("fake agent: {error}"), 6);
    }
    println!("there");
    while kind.is_none() {
        std::thread::park();
    }
}

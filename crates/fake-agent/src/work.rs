//! What the fake agent does for a prompt.

use crate::script::{self, Ask, Script, Ways};
use crate::{Fake, leave};
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

/// Answers a prompt, or ends it when it is cancelled.
pub(crate) async fn prompt(
    fake: &Fake,
    asked: PromptRequest,
    client: &ConnectionTo<Client>,
) -> Result<PromptResponse> {
    let mut cancelled = fake.cancelled.subscribe();
    tokio::select! {
        answer = act(fake, asked, client) => answer,
        _ = cancelled.wait_for(|is| *is) => Ok(PromptResponse::new(StopReason::Cancelled)),
    }
}

async fn act(
    fake: &Fake,
    asked: PromptRequest,
    client: &ConnectionTo<Client>,
) -> Result<PromptResponse> {
    let texts = asked.prompt.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let script = script::next().map_err(wrong)?;
    let mut ways = fake.ways.clone();
    ways.add(&script.ways).map_err(wrong)?;
    ways.add_from(&text).map_err(wrong)?;
    let scene = Scene {
        client,
        session: &asked.session_id,
        cwd: fake.cwd(),
    };
    if let Some(answer) = misbehave(&ways, &scene).await? {
        return Ok(answer);
    }
    if ways.has("no-work") {
        scene.say("All is done.")?;
        return Ok(PromptResponse::new(StopReason::EndTurn));
    }
    let answer = scene.work(&script).await?;
    let answer = if ways.has("echo-env") {
        environment(fake.mode())
    } else {
        answer
    };
    let answer = answer
        .or_else(|| script::all_fixed(&text))
        .unwrap_or_default();
    // In two parts, as models stream it.
    let middle = answer.floor_char_boundary(answer.len() / 2);
    for part in [&answer[..middle], &answer[middle..]] {
        scene.say(part)?;
    }
    scene.tell(SessionUpdate::UsageUpdate(
        UsageUpdate::new(1300, 200_000).cost(Cost::new(0.25, "USD")),
    ))?;
    let stop = if ways.has("refusal") {
        StopReason::Refusal
    } else {
        StopReason::EndTurn
    };
    Ok(PromptResponse::new(stop).usage(Usage::new(1300, 1200, 100).cached_read_tokens(800)))
}

fn wrong(words: String) -> Error {
    Error::invalid_params().data(words)
}

/// Its environment and its session's mode, as one JSON object.
fn environment(mode: String) -> Option<String> {
    let variables = std::env::vars_os().map(|(name, value)| {
        (
            name.to_string_lossy().into_owned(),
            value.to_string_lossy().into_owned(),
        )
    });
    let mut variables: std::collections::BTreeMap<_, _> = variables.collect();
    variables.insert("mode of the session".into(), mode);
    serde_json::to_string(&variables).ok()
}

/// Does what no agent should. An answer is the whole turn.
async fn misbehave(ways: &Ways, scene: &Scene<'_>) -> Result<Option<PromptResponse>> {
    for (way, how) in [
        ("orphan", How::Orphan),
        ("daemon", How::Daemon),
        ("bare-orphan", How::BareOrphan),
    ] {
        if ways.has(way) {
            start_stray(how).map_err(Error::into_internal_error)?;
        }
    }
    if ways.has("out-of-scope") {
        write(
            &scene.cwd.join("out-of-scope.txt"),
            "nobody asked for this file\n",
        )?;
    }
    if ways.has("delete-test") {
        delete_a_test(&scene.cwd)?;
    }
    if ways.has("unknown-update") {
        raw(
            &json!({"jsonrpc": "2.0", "method": "session/update", "params": {
                "sessionId": scene.session, "update": {"sessionUpdate": "mood", "mood": "good"},
            }}),
        );
    }
    if ways.has("big") {
        raw(&scene.text_update(&"x".repeat(10_000_000)));
    }
    if ways.has("invalid-json") {
        line("{\"jsonrpc\": \"2.0\", oops}");
    }
    if ways.has("crash") {
        leave("fake agent: \u{1b}[31mit has crashed\u{1b}[0m", 3);
    }
    if ways.has("overloaded") {
        return Err(Error::internal_error().data("429 Too Many Requests"));
    }
    while ways.has("endless") {
        raw(&scene.text_update("and "));
        tokio::task::yield_now().await;
    }
    if ways.has("silence") {
        scene.say("From here on it is silent.")?;
        std::future::pending::<()>().await;
    }
    Ok(None)
}

/// One prompt in its session.
struct Scene<'a> {
    client: &'a ConnectionTo<Client>,
    session: &'a SessionId,
    cwd: PathBuf,
}

impl Scene<'_> {
    fn tell(&self, update: SessionUpdate) -> Result<()> {
        self.client
            .send_notification(SessionNotification::new(self.session.clone(), update))
    }

    fn say(&self, text: &str) -> Result<()> {
        self.tell(SessionUpdate::AgentMessageChunk(ContentChunk::new(
            text.into(),
        )))
    }

    fn text_update(&self, text: &str) -> serde_json::Value {
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": self.session,
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
        }})
    }

    /// Asks, edits, and tells what to answer.
    async fn work(&self, script: &Script) -> Result<Option<String>> {
        self.say("It looks around first.")?;
        let entry = |text: &str, status| PlanEntry::new(text, PlanEntryPriority::Medium, status);
        let plan = vec![
            entry("look", PlanEntryStatus::Completed),
            entry("change", PlanEntryStatus::Pending),
        ];
        self.tell(SessionUpdate::Plan(Plan::new(plan)))?;
        self.used("look", ToolKind::Read, "Read the files", None)?;
        let mut outcomes = Vec::new();
        for (at, ask) in script.asks.iter().enumerate() {
            outcomes.push(self.ask(at, ask).await?);
        }
        if outcomes.iter().all(|outcome| outcome.starts_with("allow")) {
            self.edit(script)?;
        }
        let told = (!outcomes.is_empty()).then(|| outcomes.join(", "));
        Ok(script.answer.clone().or(told))
    }

    fn edit(&self, script: &Script) -> Result<()> {
        for (path, content) in &script.edits {
            let file = self.cwd.join(path);
            self.used(path, ToolKind::Edit, &format!("Edit {path}"), Some(&file))?;
            match content {
                Some(content) => write(&file, content)?,
                None => std::fs::remove_file(&file).map_err(|error| failed(&file, &error))?,
            }
        }
        Ok(())
    }

    /// Announces a tool call and its end.
    fn used(&self, id: &str, kind: ToolKind, title: &str, file: Option<&Path>) -> Result<()> {
        let places = file.map(ToolCallLocation::new).into_iter().collect();
        let call = ToolCall::new(id.to_owned(), title)
            .kind(kind)
            .status(ToolCallStatus::InProgress)
            .locations(places);
        self.tell(SessionUpdate::ToolCall(call))?;
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
        self.tell(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            id.to_owned(),
            done,
        )))
    }

    /// The id of the option that was chosen, or `cancelled`.
    async fn ask(&self, at: usize, ask: &Ask) -> Result<String> {
        let parsed = |text: &str| {
            serde_json::from_value(json!(text)).map_err(|error| wrong(error.to_string()))
        };
        let kind: ToolKind =
            serde_json::from_value(json!(ask.kind)).map_err(|error| wrong(error.to_string()))?;
        let place = ask
            .path
            .as_ref()
            .map(|path| vec![ToolCallLocation::new(path)]);
        let fields = ToolCallUpdateFields::new()
            .kind(kind)
            .title(format!("{} something", ask.kind))
            .locations(place);
        let mut options = Vec::new();
        for option in &ask.options {
            let kind: PermissionOptionKind = parsed(option)?;
            options.push(PermissionOption::new(option.clone(), option.clone(), kind));
        }
        let call = ToolCallUpdate::new(format!("ask-{at}"), fields);
        let request = RequestPermissionRequest::new(self.session.clone(), call, options);
        let answer = self.client.send_request(request).block_task().await?;
        Ok(match answer.outcome {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".into(),
        })
    }
}

/// Tells again what was said in a session that is loaded.
pub(crate) fn replay(client: &ConnectionTo<Client>, session: &SessionId) -> Result<()> {
    let old = SessionUpdate::AgentMessageChunk(ContentChunk::new("This was said long ago.".into()));
    client.send_notification(SessionNotification::new(session.clone(), old))
}

fn write(file: &Path, content: &str) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(file, content))
        .map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &std::io::Error) -> Error {
    Error::internal_error().data(format!("{}: {error}", file.display()))
}

/// Deletes the first file below a folder whose path speaks of a test.
fn delete_a_test(folder: &Path) -> Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(&next)
            .map_err(|error| failed(&next, &error))?
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
                return std::fs::remove_file(&entry).map_err(|error| failed(&entry, &error));
            }
        }
    }
    Err(wrong("there is no test to delete".into()))
}

/// Writes a message past the library.
fn raw(message: &serde_json::Value) {
    line(&message.to_string());
}

fn line(text: &str) {
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
enum How {
    /// A child in a session of its own.
    Orphan,
    /// The same, and its parent is gone.
    Daemon,
    /// An orphan with an empty environment.
    BareOrphan,
}

/// Starts a process that stays, and returns when it has left the group. It keeps the error output open.
fn start_stray(how: How) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("--stray")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    match how {
        How::Orphan => {}
        How::Daemon => {
            command.arg("daemon");
        }
        How::BareOrphan => {
            command.env_clear();
        }
    }
    let mut child = command.spawn()?;
    let mut told = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut told)?;
    }
    if told.is_empty() {
        Err(std::io::Error::other("the stray process did not start"))
    } else {
        Ok(())
    }
}

/// What such a process does: it leaves the group, says so and stays, whatever it is told.
pub(crate) fn stray(how: Option<&str>) {
    let done = match how {
        Some(_) => start_stray(How::Orphan),
        None => nix::unistd::setsid()
            .map(|_| ())
            .map_err(std::io::Error::from),
    };
    if let Err(error) = done {
        leave(&format!("fake agent: {error}"), 6);
    }
    println!("there");
    while how.is_none() {
        std::thread::park();
    }
}

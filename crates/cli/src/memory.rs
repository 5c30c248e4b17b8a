//! `memory`: what people made of a repository's earlier findings, which later reviews are told.

use crate::args::MemoryCommand;
use crate::context::Context;
use crate::localize;
use crate::output::Output;
use collie_app::auth;
use collie_app::review_memory::MemoryOf;
use collie_core::ids::Time;
use collie_core::review_memory::{MemoryEntry, MemoryVerdict};
use collie_core::text::visible_line;
use collie_core::user_error::UserError;
use serde_json::json;

/// Shows or changes what is remembered of a repository.
pub async fn run(context: &Context, command: MemoryCommand) -> Result<u8, UserError> {
    let source = auth::token_source(&context.config).await;
    let github = auth::github_client(&context.config, &source).await?;
    let memory = MemoryOf::find(&context.data, &github, &command.repo().0).await?;
    let output = &context.output;
    match command {
        MemoryCommand::List { .. } => list(output, &memory)?,
        MemoryCommand::Forget { id, .. } => {
            memory.forget(&id)?;
            if output.json {
                output.print_json(&json!({ "type": "forgotten", "repo": memory.repo(), "id": id }));
            }
            output.print_text(&localize!(
                output.localizer,
                "cli-memory-forgotten",
                id = id
            ));
        }
        MemoryCommand::Path { .. } => path(output, &memory)?,
    }
    Ok(0)
}

fn list(output: &Output, memory: &MemoryOf) -> Result<(), UserError> {
    let entries = memory.load()?.entries;
    if entries.is_empty() {
        let repo = memory.repo().to_string();
        output.print_text(&localize!(
            output.localizer,
            "cli-memory-empty",
            repo = repo
        ));
    }
    for entry in &entries {
        if output.json {
            output.print_json(&entry_json(memory, entry));
        }
        output.print_text(&entry_text(output, entry));
    }
    Ok(())
}

fn path(output: &Output, memory: &MemoryOf) -> Result<(), UserError> {
    let file = memory.file()?;
    if output.json {
        output.print_json(&json!({ "type": "memory_file", "repo": memory.repo(), "path": file }));
    }
    let text = match &file {
        Some(file) => file.display().to_string(),
        None => {
            let repo = memory.repo().to_string();
            localize!(output.localizer, "cli-memory-empty", repo = repo)
        }
    };
    output.print_text(&text);
    Ok(())
}

/// An entry as a line of JSON, times in RFC 3339.
fn entry_json(memory: &MemoryOf, entry: &MemoryEntry) -> serde_json::Value {
    json!({
        "type": "memory", "repo": memory.repo(), "id": entry.id, "verdict": entry.verdict,
        "title": entry.title, "category": entry.category, "file": entry.file,
        "description": entry.description, "evidence": entry.evidence, "reason": entry.reason,
        "by": entry.by, "pull": entry.pull, "at": entry.at.rfc3339(),
        "expires_at": entry.expires_at.map(Time::rfc3339),
    })
}

/// An entry in two lines: what it was, and what people said of it.
fn entry_text(output: &Output, entry: &MemoryEntry) -> String {
    let verdict = match entry.verdict {
        MemoryVerdict::Dismissed => localize!(output.localizer, "cli-memory-dismissed"),
        MemoryVerdict::Accepted => localize!(output.localizer, "cli-memory-accepted"),
    };
    let head = format!(
        "{}  {verdict}  {}  {}",
        visible_line(&entry.id),
        visible_line(&entry.file),
        visible_line(&entry.title)
    );
    let day = |time: Time| time.rfc3339().chars().take(10).collect::<String>();
    let until = match entry.expires_at {
        Some(end) => localize!(output.localizer, "cli-memory-until", day = day(end)),
        None => localize!(output.localizer, "cli-memory-for-ever"),
    };
    let mut origin: Vec<String> = Vec::new();
    origin.extend(entry.by.as_ref().map(|login| format!("@{login}")));
    origin.extend(entry.pull.map(|number| format!("#{number}")));
    origin.push(until);
    let reason = entry.reason.as_deref().map(visible_line);
    let reason = reason.map_or_else(String::new, |reason| format!("{reason}  "));
    format!("{head}\n    {reason}({})", origin.join(", "))
}

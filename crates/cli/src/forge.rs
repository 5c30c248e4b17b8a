//! `collie forge`: the local stand-in for GitHub.

use crate::args::ForgeCommand;
use crate::interrupt::Interrupt;
use crate::localize;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::RepoName;
use collie_core::user_error::UserError;
use collie_forge::{Forge, ForgeError};
use serde_json::json;
use std::net::SocketAddr;
use std::path::Path;

/// Runs one of its commands.
pub async fn run(output: &Output, command: ForgeCommand) -> Result<u8, UserError> {
    crate::context::require_git().await?;
    match command {
        ForgeCommand::Serve { root, listen } => serve(output, &root, listen).await,
        ForgeCommand::Import { root, repo, git } => import(output, &root, &repo.0, &git).await,
        ForgeCommand::OpenPr {
            root,
            repo,
            base,
            head,
            title,
            author,
        } => {
            let author = author.unwrap_or_else(|| repo.0.owner().to_owned());
            let new = NewPull {
                base,
                head,
                title,
                author,
            };
            open_pr(output, &root, &repo.0, new).await
        }
    }
    .map_err(|error| {
        UserError::new(ErrorCode::Forge)
            .with("message", error_with_details(&error))
            .hint(ErrorHint::Forge)
    })
    .map(|()| 0)
}

/// The error with what GitHub would list beside it: which field is wrong, and why.
fn error_with_details(error: &ForgeError) -> String {
    let ForgeError::Refused {
        message, errors, ..
    } = error
    else {
        return error.to_string();
    };
    let listed = errors
        .iter()
        .filter_map(|e| e.as_str().or_else(|| e["message"].as_str()));
    std::iter::once(message.as_str())
        .chain(listed)
        .collect::<Vec<_>>()
        .join(": ")
}

async fn serve(output: &Output, root: &Path, listen: SocketAddr) -> Result<(), ForgeError> {
    let mut interrupt = Interrupt::listen();
    let running = Forge::open(root)?.serve(listen).await?;
    // One line of JSON in any case: programs wait for it (§16).
    output.print_json(&json!({
        "api_url": running.api_url(),
        "graphql_url": running.graphql_url(),
        "git_url": running.git_url(),
        "token": "forge-LOGIN",
        "secret": running.secret(),
    }));
    if !output.json {
        let text = localize!(output.localizer, "cli-serving", url = running.git_url());
        output.print_aside(&TerminalText::plain(text));
    }
    interrupt.wait().await;
    running.shutdown().await;
    Ok(())
}

async fn import(
    output: &Output,
    root: &Path,
    repo: &RepoName,
    git: &Path,
) -> Result<(), ForgeError> {
    let name = forge_name(repo)?;
    Forge::open(root)?.import(&name, git).await?;
    if output.json {
        output.print_json(&json!({ "type": "imported", "repo": repo.to_string() }));
    }
    output.print_text(&localize!(
        output.localizer,
        "cli-imported",
        repo = repo.to_string()
    ));
    Ok(())
}

struct NewPull {
    base: String,
    head: String,
    title: String,
    author: String,
}

async fn open_pr(
    output: &Output,
    root: &Path,
    repo: &RepoName,
    new: NewPull,
) -> Result<(), ForgeError> {
    let forge = Forge::open(root)?;
    let name = forge_name(repo)?;
    let number = forge
        .open_pr(&name, &new.base, &new.head, &new.title, "", &new.author)
        .await?;
    let pull = format!("{repo}#{number}");
    if output.json {
        output.print_json(&json!({ "type": "opened", "pull": pull, "number": number }));
    }
    output.print_text(&localize!(output.localizer, "cli-opened", pull = pull));
    Ok(())
}

fn forge_name(repo: &RepoName) -> Result<collie_forge::model::RepoName, ForgeError> {
    collie_forge::model::RepoName::new(repo.owner(), repo.name())
}

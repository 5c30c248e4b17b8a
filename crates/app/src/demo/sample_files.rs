//! The sample repositories: plain files of `demo/`, shipped inside the program, made into git repositories.

use super::forge_client::ForgeClient;
use super::{DemoError, Scenario};
use rust_embed::RustEmbed;
use serde::Deserialize;
use std::io;
use std::path::{Component, Path};
use std::process::Output;
use tokio::process::Command;

#[derive(RustEmbed)]
#[folder = "../../demo"]
struct EmbeddedFiles;

/// `pull.toml`: what the pull request is called and who opens it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PullFile {
    /// Its title.
    pub title: String,
    /// Its description.
    pub body: String,
    /// The branch it comes from; it goes into `main`.
    pub branch: String,
    /// The login of its author, one of the forge's cast.
    pub author: String,
}

/// `review.toml`: what a person says on a line of the pull request before Collie starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewFile {
    pub(crate) author: String,
    pub(crate) body: String,
    pub(crate) path: String,
    /// The line, word for word.
    pub(crate) quote: String,
    pub(crate) comment: String,
}

fn embedded_text(path: &str) -> Result<String, DemoError> {
    let file = EmbeddedFiles::get(path).ok_or_else(|| DemoError::EmbeddedFile(path.to_owned()))?;
    String::from_utf8(file.data.into_owned()).map_err(|_| DemoError::EmbeddedFile(path.to_owned()))
}

/// Reads a shipped file.
pub(crate) fn parse_embedded<T: for<'de> Deserialize<'de>>(path: &str) -> Result<T, DemoError> {
    toml::from_str(&embedded_text(path)?)
        .map_err(|error| DemoError::EmbeddedFile(format!("{path}: {error}")))
}

/// What a scenario's pull request is called and who opens it.
pub fn pull_file(scenario: Scenario) -> Result<PullFile, DemoError> {
    parse_embedded(&format!("{scenario}/pull.toml"))
}

/// What a person says in a scenario before Collie starts.
pub(crate) fn review_file(scenario: Scenario) -> Result<ReviewFile, DemoError> {
    parse_embedded(&format!("{scenario}/review.toml"))
}

/// The line, from 1, of a text in a file of the pull request's head.
pub(crate) fn line_of(scenario: Scenario, path: &str, quote: &str) -> Result<u32, DemoError> {
    let place = format!("{scenario}/head/{path}");
    let found = embedded_text(&place)?
        .lines()
        .position(|line| line == quote);
    found
        .and_then(|index| u32::try_from(index + 1).ok())
        .ok_or_else(|| DemoError::EmbeddedFile(format!("{place}: no line `{quote}`")))
}

/// Lays a layer, such as `clean/base` or `human/head`, over a folder.
pub(crate) fn copy_layer(layer: &str, folder: &Path) -> Result<(), DemoError> {
    let prefix = format!("{layer}/");
    let mut any = false;
    for name in EmbeddedFiles::iter().filter(|name| name.starts_with(&prefix)) {
        let relative = Path::new(&name[prefix.len()..]);
        // Shipped names are plain; this keeps a stray one from leaving the folder.
        if !relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(DemoError::EmbeddedFile(name.into_owned()));
        }
        let path = folder.join(relative);
        let file =
            EmbeddedFiles::get(&name).ok_or_else(|| DemoError::EmbeddedFile(name.to_string()))?;
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(DemoError::write(parent))?;
        std::fs::write(&path, file.data).map_err(DemoError::write(&path))?;
        any = true;
    }
    if any {
        Ok(())
    } else {
        Err(DemoError::EmbeddedFile(prefix))
    }
}

/// Lays what a scenario's repository says of its reviewers over the root of a repository; most say nothing.
pub(crate) fn copy_settings(scenario: Scenario, root: &Path) -> Result<(), DemoError> {
    match scenario {
        Scenario::ThreeRounds => copy_layer(&format!("{scenario}/settings"), root),
        Scenario::Clean
        | Scenario::FixLoop
        | Scenario::CiRed
        | Scenario::Stuck
        | Scenario::Human
        | Scenario::MovedHead => Ok(()),
    }
}

/// Makes a scenario's repository: `main` with the base, the pull request's branch with the head.
pub async fn make_repository(scenario: Scenario, folder: &Path) -> Result<(), DemoError> {
    let pull = pull_file(scenario)?;
    std::fs::create_dir_all(folder).map_err(DemoError::write(folder))?;
    run_git(
        folder,
        &["init", "--quiet", "--initial-branch=main"],
        "demo",
    )
    .await?;
    copy_layer(&format!("{scenario}/base"), folder)?;
    copy_settings(scenario, folder)?;
    commit_all(folder, "Start", "demo").await?;
    run_git(
        folder,
        &["switch", "--quiet", "--create", &pull.branch],
        "demo",
    )
    .await?;
    copy_layer(&format!("{scenario}/head"), folder)?;
    commit_all(folder, &pull.title, &pull.author).await?;
    run_git(folder, &["switch", "--quiet", "main"], "demo").await
}

/// Commits everything in a folder.
pub(crate) async fn commit_all(
    folder: &Path,
    message: &str,
    author: &str,
) -> Result<(), DemoError> {
    run_git(folder, &["add", "--all"], author).await?;
    run_git(folder, &["commit", "--quiet", "--message", message], author).await
}

/// Runs git for one of the cast, with neither the user's configuration nor hooks.
pub(crate) async fn run_git(folder: &Path, args: &[&str], login: &str) -> Result<(), DemoError> {
    let output = git_command(folder, args, login).output().await;
    judge_output(output, args)
}

/// The same where git speaks to the forge: it signs in as that one of the cast.
pub(crate) async fn run_git_signed_in(
    forge: &ForgeClient,
    folder: &Path,
    args: &[&str],
    login: &str,
) -> Result<(), DemoError> {
    let command = git_command(folder, args, login);
    let token = forge.token_of(login).into();
    let helper = collie_sandbox::own_program();
    let output = collie_git::output_signed_in(command, forge.git_url(), token, &helper).await;
    judge_output(output, args)
}

fn git_command(folder: &Path, args: &[&str], login: &str) -> Command {
    let email = format!("{login}@users.noreply.localhost");
    let mut command = Command::new("git");
    command
        .args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "commit.gpgSign=false",
            "-c",
            "gc.auto=0",
        ])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_CONFIG_COUNT")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", login)
        .env("GIT_AUTHOR_EMAIL", &email)
        .env("GIT_COMMITTER_NAME", login)
        .env("GIT_COMMITTER_EMAIL", &email)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true);
    command
}

fn judge_output(output: io::Result<Output>, args: &[&str]) -> Result<(), DemoError> {
    let output = output.map_err(DemoError::NoGit)?;
    if output.status.success() {
        return Ok(());
    }
    Err(DemoError::Git {
        command: args.join(" "),
        message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::SCENARIOS;
    use super::*;

    #[test]
    fn every_scenario_ships_what_it_needs() {
        for scenario in SCENARIOS {
            let folder = tempfile::tempdir().unwrap();
            pull_file(scenario).unwrap();
            copy_layer(&format!("{scenario}/base"), folder.path()).unwrap();
            assert!(folder.path().join(".forge.toml").is_file(), "{scenario}");
            copy_layer(&format!("{scenario}/head"), folder.path()).unwrap();
        }
        let review = review_file(Scenario::Human).unwrap();
        assert_eq!(
            line_of(Scenario::Human, &review.path, &review.quote).unwrap(),
            8
        );
        for scenario in [Scenario::Stuck, Scenario::MovedHead] {
            let folder = tempfile::tempdir().unwrap();
            copy_layer(&format!("{scenario}/then"), folder.path()).unwrap();
        }
    }
}

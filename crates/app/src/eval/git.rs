//! Git for the repositories of cases, with neither the user's configuration nor hooks.

use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_eval::Case;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The same commits get the same ids, so that recorded prompts are asked again.
const DATE: &str = "2000-01-01T00:00:00Z";

/// Git in a folder, with neither the user's configuration nor hooks.
pub(super) struct Git(PathBuf);

impl Git {
    pub(super) fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    /// What it prints; else its words.
    pub(super) async fn run(&self, args: &[&str]) -> Result<String, String> {
        let output = self.command(args).output().await;
        let output = output.map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(format!("git {}: {words}", args.join(" ")))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        for config in [
            "core.hooksPath=/dev/null",
            "core.autocrlf=false",
            "core.fsmonitor=false",
            "commit.gpgSign=false",
            "gc.auto=0",
            // Clones of other users are only read.
            "safe.directory=*",
        ] {
            command.args(["-c", config]);
        }
        command
            .args(args)
            .current_dir(&self.0)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            // `safe.directory` counts from here, and not from the command line.
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "safe.directory")
            .env("GIT_CONFIG_VALUE_0", "*")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "author")
                .env(format!("GIT_{who}_EMAIL"), "author@users.noreply.localhost")
                .env(format!("GIT_{who}_DATE"), DATE);
        }
        command
    }
}

/// Git failed while a case was set up.
pub(super) fn git_error(case: &Case, message: &dyn std::fmt::Display) -> UserError {
    UserError::new(ErrorCode::EvalGit)
        .with("case", &case.id)
        .with("message", message)
}

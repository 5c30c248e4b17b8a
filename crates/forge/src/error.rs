//! What can go wrong, and how GitHub would say it.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the forge did not do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForgeError {
    /// The name is not `owner/name`.
    #[error("`{0}` is no repository name: give OWNER/NAME of letters, digits, `-`, `_` and `.`")]
    BadRepoName(String),
    /// No such repository, or none that the account may see.
    #[error("no repository {0} in this forge: import one with `forge import`")]
    NoSuchRepo(String),
    /// The repository exists already.
    #[error("repository {0} exists already: import it under another name")]
    RepoExists(String),
    /// An account name is taken or malformed.
    #[error("cannot add account `{login}`: {why}")]
    BadAccount {
        /// The login.
        login: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// GitHub's refusal of a request: status, message and the fields at fault.
    #[error("{message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// GitHub's words.
        message: String,
        /// What is wrong with which field; strings or objects, as GitHub has both.
        errors: Vec<serde_json::Value>,
    },
    /// Git failed.
    #[error("`git {command}` failed in {repo}: {stderr}")]
    Git {
        /// The subcommand and its arguments.
        command: String,
        /// The repository's folder.
        repo: PathBuf,
        /// What git said.
        stderr: String,
    },
    /// Reading or writing failed.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// The verb: read, write, create.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A state file cannot be understood.
    #[error(
        "{path}, line {line} is damaged ({why}): move the file away to start this repository anew"
    )]
    Corrupt {
        /// The state file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the reader said.
        why: String,
    },
    /// Another process has the root.
    #[error("another forge runs on {0}: stop it, or choose another --root")]
    RootInUse(PathBuf),
    /// The listen address is not loopback.
    #[error("{0} is not a loopback address: the forge listens on 127.0.0.1 or ::1 only")]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {addr}: {source}; choose another port, or 0 for any")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl ForgeError {
    /// A refusal with a status and words only.
    pub fn refused(status: u16, message: impl Into<String>) -> Self {
        Self::Refused {
            status,
            message: message.into(),
            errors: Vec::new(),
        }
    }

    /// GitHub's 404, which also hides what one may not see.
    pub fn not_found() -> Self {
        Self::refused(404, "Not Found")
    }

    /// GitHub's 422 for one field.
    pub fn invalid(resource: &str, field: &str, code: &str) -> Self {
        Self::validation(serde_json::json!({
            "resource": resource, "field": field, "code": code
        }))
    }

    /// The same with words.
    pub fn invalid_with(resource: &str, field: &str, code: &str, message: &str) -> Self {
        Self::validation(serde_json::json!({
            "resource": resource, "field": field, "code": code, "message": message
        }))
    }

    /// GitHub's 422 with words of its own.
    pub fn custom_validation(resource: &str, field: &str, message: impl Into<String>) -> Self {
        Self::validation(serde_json::json!({
            "resource": resource, "field": field, "code": "custom", "message": message.into()
        }))
    }

    /// GitHub's 422 whose `errors` are plain strings, as reviews have it.
    pub fn unprocessable(message: impl Into<String>) -> Self {
        Self::Refused {
            status: 422,
            message: "Unprocessable Entity".into(),
            errors: vec![serde_json::Value::String(message.into())],
        }
    }

    fn validation(error: serde_json::Value) -> Self {
        Self::Refused {
            status: 422,
            message: "Validation Failed".into(),
            errors: vec![error],
        }
    }

    pub(crate) fn io(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { what, path, source }
    }
}

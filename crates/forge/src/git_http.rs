//! Git over smart HTTP, by `git http-backend`.

use std::process::Stdio;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio_util::io::ReaderStream;

use crate::Forge;
use crate::actions::{forks, pulls};
use crate::auth::{Credentials, credentials};
use crate::clock::now;
use crate::error::ForgeError;
use crate::git_dir;
use crate::model::{AccountId, RepoName};

/// The git routes: `/OWNER/NAME.git/…`.
pub(crate) fn router() -> Router<Forge> {
    Router::new()
        .route("/{owner}/{name}/info/refs", get(handle_git))
        .route("/{owner}/{name}/git-upload-pack", post(handle_git))
        .route("/{owner}/{name}/git-receive-pack", post(handle_git))
        .layer(axum::extract::DefaultBodyLimit::disable())
}

async fn handle_git(
    State(forge): State<Forge>,
    Path((owner, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    let name = name.strip_suffix(".git").unwrap_or(&name);
    let Ok(repo) = RepoName::new(&owner, name) else {
        return text_response(StatusCode::NOT_FOUND, "Repository not found.");
    };
    let query = request.uri().query().unwrap_or_default();
    let is_push = request.uri().path().ends_with("/git-receive-pack")
        || query.contains("service=git-receive-pack");
    let pusher = match authorize(&forge, &repo, request.headers(), is_push) {
        Ok(pusher) => pusher,
        Err(denied) => return denied.response(&repo),
    };
    let outcome = if is_push && request.method() == Method::POST {
        // The push goes on when the client hangs up.
        let task = serve_push(forge, repo, pusher, request);
        match tokio::spawn(task).await {
            Ok(outcome) => outcome,
            Err(_) => {
                return text_response(StatusCode::INTERNAL_SERVER_ERROR, "The push broke off.");
            }
        }
    } else {
        serve_fetch(&forge, &repo, &pusher, request).await
    };
    outcome.unwrap_or_else(|error| {
        tracing::warn!(%error, "git http-backend failed");
        text_response(
            StatusCode::INTERNAL_SERVER_ERROR,
            "git http-backend failed.",
        )
    })
}

/// Who it is; anyone may read what is public.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GitClient {
    login: Option<String>,
    id: AccountId,
    /// The only branches that may be pushed to; none where all may.
    pushable: Option<Vec<String>>,
}

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AccessDenied {
    BadToken,
    NoToken,
    Missing,
    Forbidden {
        login: String,
    },
    /// The token has no permission for it, whatever its account may.
    NotGranted,
}

impl AccessDenied {
    fn response(self, repo: &RepoName) -> Response {
        let message = match self {
            Self::Missing => return text_response(StatusCode::NOT_FOUND, "Repository not found."),
            Self::Forbidden { login } => {
                let message = format!("Permission to {repo}.git denied to {login}.");
                return text_response(StatusCode::FORBIDDEN, &message);
            }
            Self::NotGranted => {
                let message = "Write access to repository not granted.";
                return text_response(StatusCode::FORBIDDEN, message);
            }
            Self::BadToken => "Invalid username or token.",
            Self::NoToken => "Authentication required.",
        };
        let mut response = text_response(StatusCode::UNAUTHORIZED, message);
        response.headers_mut().insert(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static("Basic realm=\"GitHub\""),
        );
        response
    }
}

fn authorize(
    forge: &Forge,
    repo: &RepoName,
    headers: &HeaderMap,
    is_push: bool,
) -> Result<GitClient, AccessDenied> {
    let account = match credentials(forge, headers) {
        Credentials::Invalid => return Err(AccessDenied::BadToken),
        Credentials::Missing => None,
        Credentials::Valid(account) => Some(account),
    };
    let (visible, writable) = forge
        .read(repo, |state| match &account {
            Some(account) => (
                state.meta.visible_to(account),
                state.meta.role(account.id).may_write(),
            ),
            None => (!state.meta.private, false),
        })
        .unwrap_or((false, false));
    match account {
        None if is_push || !visible => Err(AccessDenied::NoToken),
        None => Ok(GitClient {
            login: None,
            id: crate::shipped_accounts::GHOST,
            pushable: None,
        }),
        Some(_) if !visible => Err(AccessDenied::Missing),
        Some(account)
            if is_push
                && !(forge.tokens().get(&account.login).may_write("contents")
                    && account.token_may("contents", true)
                    && account.token_covers(repo)) =>
        {
            Err(AccessDenied::NotGranted)
        }
        Some(account) if !account.token_may("contents", false) => Err(AccessDenied::NotGranted),
        Some(account) if is_push && !writable => {
            let pushable = forks::pushable_as_maintainer(forge, repo, &account);
            let pushable = pushable.unwrap_or_default();
            let client = GitClient {
                login: Some(account.login.clone()),
                id: account.id,
                pushable: Some(pushable.clone()),
            };
            let denied = AccessDenied::Forbidden {
                login: account.login,
            };
            (!pushable.is_empty()).then_some(client).ok_or(denied)
        }
        Some(account) => Ok(GitClient {
            login: Some(account.login),
            id: account.id,
            pushable: None,
        }),
    }
}

fn text_response(status: StatusCode, message: &str) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "text/plain")],
        format!("{message}\n"),
    )
        .into_response()
}

struct HttpBackend {
    /// Killed when dropped.
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

fn spawn_backend(
    forge: &Forge,
    repo: &RepoName,
    pusher: &GitClient,
    request: &Request,
) -> Result<HttpBackend, ForgeError> {
    let dir = forge.git(repo)?;
    let service = request
        .uri()
        .path()
        .splitn(4, '/')
        .nth(3)
        .unwrap_or_default()
        .to_owned();
    let protected: Vec<String> = forge.read(repo, |state| {
        state.meta.protection.keys().cloned().collect()
    })?;
    let header = |name: &str| {
        let value = request.headers().get(name).and_then(|v| v.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let mut command = git_dir::git_command(dir.path());
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", dir.path())
        .env("PATH_INFO", format!("/{service}"))
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", request.method().as_str())
        .env("QUERY_STRING", request.uri().query().unwrap_or_default())
        .env("CONTENT_TYPE", header("content-type"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("FORGE_PROTECTED", protected.join("\n"))
        .env_remove("CONTENT_LENGTH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(login) = &pusher.login {
        command.env("REMOTE_USER", login);
    }
    if let Some(pushable) = &pusher.pushable {
        command.env("FORGE_PUSHABLE", pushable.join("\n"));
    }
    let length = header("content-length");
    if !length.is_empty() {
        command.env("CONTENT_LENGTH", length);
    }
    let mut child = command
        .spawn()
        .map_err(ForgeError::io("run git in", dir.path()))?;
    let missing = || ForgeError::refused(500, "git http-backend has no pipes");
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    Ok(HttpBackend {
        child,
        stdin,
        stdout: BufReader::new(stdout),
    })
}

async fn write_body(mut stdin: ChildStdin, body: Body) {
    let mut chunks = body.into_data_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        if stdin.write_all(&chunk).await.is_err() {
            return;
        }
    }
}

/// Reads: the answer goes out as git writes it.
async fn serve_fetch(
    forge: &Forge,
    repo: &RepoName,
    pusher: &GitClient,
    request: Request,
) -> Result<Response, ForgeError> {
    let HttpBackend {
        mut child,
        stdin,
        mut stdout,
    } = spawn_backend(forge, repo, pusher, &request)?;
    tokio::spawn(write_body(stdin, request.into_body()));
    let (status, headers) = read_cgi_head(&mut stdout)
        .await
        .map_err(ForgeError::io("read", repo.to_string()))?;
    let rest = ReaderStream::new(stdout).map_ok(Bytes::from);
    // The child lives as long as its answer is read.
    let rest = rest.chain(futures::stream::once(async move {
        let _ = child.wait().await;
        Ok(Bytes::new())
    }));
    Ok((status, headers, Body::from_stream(rest)).into_response())
}

/// Writes: pull requests follow the branches before the client hears of success.
async fn serve_push(
    forge: Forge,
    repo: RepoName,
    pusher: GitClient,
    request: Request,
) -> Result<Response, ForgeError> {
    let cell = forge.repo_cell(&repo)?;
    let _refs = cell.refs.lock().await;
    let HttpBackend {
        mut child,
        stdin,
        mut stdout,
    } = spawn_backend(&forge, &repo, &pusher, &request)?;
    let answer = async {
        let head = read_cgi_head(&mut stdout).await?;
        let mut body = Vec::new();
        stdout.read_to_end(&mut body).await?;
        child.wait().await?;
        Ok((head, body))
    };
    let ((), answer) = tokio::join!(write_body(stdin, request.into_body()), answer);
    let ((status, headers), body) = answer.map_err(ForgeError::io("read", repo.to_string()))?;
    forge.change(&repo, |state| {
        let meta = state.meta.edit();
        meta.pushed_at = now();
        Ok(())
    })?;
    pulls::sync_with_branches(&forge, &repo, pusher.id).await?;
    pulls::sync_parent(&forge, &repo, &forge.account(pusher.id)).await?;
    Ok((status, headers, body).into_response())
}

async fn read_cgi_head(
    stdout: &mut BufReader<impl AsyncRead + Unpin>,
) -> std::io::Result<(StatusCode, HeaderMap)> {
    let mut status = StatusCode::OK;
    let mut headers = HeaderMap::new();
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok((status, headers));
        }
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().unwrap_or_default();
            status = code.parse().unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        } else if let (Ok(name), Ok(value)) =
            (name.parse::<HeaderName>(), HeaderValue::from_str(value))
        {
            headers.append(name, value);
        }
    }
}

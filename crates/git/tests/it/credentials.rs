//! How git gets its credential (§9.4): for the host of the call alone, and nowhere that another program could read it.

use crate::fixture::open_worktrees;
use collie_engine::ports::{Git, GitError, GitRemote};
use collie_git::{GitOptions, git_version};
use collie_testkit::program::write_program;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the fixture's token, `s3cret`, looks like in a header.
const BASIC: &str = "eC1hY2Nlc3MtdG9rZW46czNjcmV0";
/// What a server says that speaks version 2 of git's protocol, so that git goes on with a request of its own.
const ADVERTISEMENT: &str = "001e# service=git-upload-pack\n0000000eversion 2\n000cls-refs\n0000";

/// A web server that writes down each request, and answers by a rule.
struct TestServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl TestServer {
    async fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (requests.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(respond(stream, kept.clone(), answer.clone()));
            }
        });
        Self { address, requests }
    }

    fn remote(&self) -> GitRemote {
        let url = format!("http://{}/a/b.git", self.address);
        GitRemote {
            url: url.clone(),
            head_url: url,
            branch: "topic".into(),
            deleted_fork: None,
        }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn respond(
    mut stream: TcpStream,
    requests: Arc<Mutex<Vec<String>>>,
    answer: Arc<impl Fn(&str) -> String>,
) {
    let mut request = Vec::new();
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk).await {
            Ok(count @ 1..) => request.extend_from_slice(&chunk[..count]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    requests.lock().unwrap().push(request.clone());
    let _ = stream.write_all(answer(&request).as_bytes()).await;
}

fn http_answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn is_signed_in(request: &str) -> bool {
    request.contains(&format!("Authorization: Basic {BASIC}"))
}

/// A server that wants to be signed in to, then answers with this.
async fn private_server(then: String) -> TestServer {
    TestServer::start(move |request| match is_signed_in(request) {
        true => then.clone(),
        false => http_answer(
            "401 Unauthorized",
            "WWW-Authenticate: Basic realm=\"x\"\r\n",
            "",
        ),
    })
    .await
}

async fn git_server() -> TestServer {
    let content_type = "Content-Type: application/x-git-upload-pack-advertisement\r\n";
    TestServer::start(|_| http_answer("200 OK", content_type, ADVERTISEMENT)).await
}

/// Attack: the server that Collie asks sends git to one of its own, and the token goes along.
#[tokio::test]
async fn a_redirect_takes_no_credential_to_another_host() {
    let folder = tempfile::tempdir().unwrap();
    let worktrees = open_worktrees(folder.path(), GitOptions::default());
    let thief = git_server().await;
    let target = thief.remote().url;
    let location = format!("Location: {target}/info/refs?service=git-upload-pack\r\n");
    let server = private_server(http_answer("302 Found", &location, "")).await;

    let outcome = worktrees.remote_head(&server.remote()).await;
    assert!(
        matches!(
            outcome,
            Err(GitError::Failed { .. } | GitError::Unreachable { .. })
        ),
        "{outcome:?}"
    );
    // The control: the server that was asked for did get the credential.
    assert!(
        server
            .requests()
            .iter()
            .any(|request| is_signed_in(request))
    );
    let stolen = thief.requests();
    assert!(
        !stolen
            .iter()
            .any(|request| request.contains("Authorization")),
        "{stolen:?}"
    );
    assert_eq!(stolen, [] as [String; 0]);
}

/// Attack: the server says the credential that it was given, so that it stands in a log or a comment.
#[tokio::test]
async fn a_server_that_says_the_credential_brings_it_into_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let worktrees = open_worktrees(folder.path(), GitOptions::default());
    let words = format!("Neither s3cret nor {BASIC} may read this.\n");
    let answer = http_answer("403 Forbidden", "Content-Type: text/plain\r\n", &words);
    let server = private_server(answer).await;
    let error = worktrees.remote_head(&server.remote()).await.unwrap_err();
    let text = format!("{error} {error:?}");
    let expect = "Neither [REDACTED] nor [REDACTED] may read this.";
    assert!(text.contains(expect), "{text}");
    assert!(!text.contains("s3cret") && !text.contains(BASIC), "{text}");
}

/// A stand-in for git that writes down what other programs can see of it, then is git.
fn recording_git(folder: &Path) -> (PathBuf, PathBuf) {
    let (program, seen) = (folder.join("git"), folder.join("seen"));
    let script = format!(
        "#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline >> '{}'\nexec git \"$@\"\n",
        seen.display()
    );
    write_program(&program, script);
    (program, seen)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_environment_and_no_argument_of_git_has_the_credential() {
    let folder = tempfile::tempdir().unwrap();
    let (binary, seen) = recording_git(folder.path());
    let worktrees = open_worktrees(
        &folder.path().join("data"),
        GitOptions {
            binary,
            ..GitOptions::default()
        },
    );
    let server = private_server(http_answer("404 Not Found", "", "")).await;
    let outcome = worktrees.remote_head(&server.remote()).await;
    assert!(
        matches!(outcome, Err(GitError::Failed { .. })),
        "{outcome:?}"
    );
    assert!(
        server
            .requests()
            .iter()
            .any(|request| is_signed_in(request))
    );

    let seen = String::from_utf8_lossy(&fs::read(seen).unwrap()).into_owned();
    for visible in ["ls-remote", "core.hooksPath"] {
        assert!(seen.contains(visible), "{visible} is not seen: {seen}");
    }
    for secret in ["s3cret", BASIC, "Authorization"] {
        assert!(!seen.contains(secret), "{secret} is seen: {seen}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn git_sees_no_variable_that_is_not_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let (binary, seen) = recording_git(folder.path());
    git_version(&binary).await.unwrap();
    let seen = String::from_utf8_lossy(&fs::read(seen).unwrap()).into_owned();
    // Cargo gives every test this variable.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(seen.contains("GIT_CONFIG_COUNT="));
    assert!(!seen.contains("CARGO_MANIFEST_DIR"));
}

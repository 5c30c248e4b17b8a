//! What a program in the sandbox may ask the proxy for, tried with requests that nobody would write.

use crate::allowed_hosts::HostPattern;
use crate::proxy::{Rules, serve_connection};
use crate::refused_hosts::RefusedHosts;
use collie_fuzz::Target;
use hyper_util::client::proxy::matcher::Matcher;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::timeout;

const WORDS: &[&str] = &[
    "CONNECT ",
    "GET ",
    "POST ",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    " HTTP/2.0\r\n",
    "\r\n",
    "\n",
    "\r\n\r\n",
    "Host: ",
    "127.0.0.1:PORT",
    "127.0.0.1",
    ":PORT",
    "http://",
    "https://",
    "@",
    "user:pass@",
    "/",
    "?",
    "#",
    "[::1]:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "0177.0.0.1:PORT",
    "2130706433:PORT",
    "localhost:PORT",
    ".",
    "..",
    ":443",
    ":80",
    ":0",
    ":99999",
    "*",
    "Transfer-Encoding: chunked\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: -1\r\n",
    "0\r\n\r\n",
    "Upgrade: websocket\r\nConnection: upgrade\r\n",
    "evil.example:443",
    "127.0.0.1:PORT.evil.example",
    "%31",
    "\0",
    "\t",
    "é",
];

fn target(name: &'static str, words: &'static [&'static str], iterations: u32) -> Target {
    Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name,
        words,
        iterations,
    }
}

/// Serves one connection that sends this and then nothing more; what was answered.
async fn exchange(rules: Arc<Rules>, request: &[u8]) -> Vec<u8> {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair");
    let serve = tokio::spawn(serve_connection(theirs, rules));
    // It may hang up before all was sent.
    let _ = ours.write_all(request).await;
    let _ = ours.shutdown().await;
    let mut answer = Vec::new();
    let _ = ours.read_to_end(&mut answer).await;
    serve.await.expect("the proxy does not panic");
    answer
}

/// A host that counts who reaches it. Each input has its own, since a connection may be counted late.
async fn counting_host() -> (String, Arc<AtomicUsize>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = accepted.clone();
    let mut task = JoinSet::new();
    task.spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            drop(connection);
        }
    });
    (port.to_string(), accepted, task)
}

/// What was refused: each host once, by a name that shows, and never the one that is allowed.
async fn assert_reported(mut refused: RefusedHosts, port: &str) {
    let mut seen = Vec::new();
    while let Some(host) = refused.next().await {
        assert!(!host.host.chars().any(char::is_control), "{host:?}");
        let allowed = host.host == "127.0.0.1" && host.port.to_string() == port;
        assert!(!allowed && !seen.contains(&host), "{host:?}");
        seen.push(host);
    }
}

/// No connection leads anywhere but to the host that is allowed, and whoever is refused is told so.
#[test]
fn proxy_requests() {
    let runtime = Runtime::new().expect("a runtime");
    target("proxy_requests", WORDS, 400).run(|bytes| {
        runtime.block_on(async {
            let (port, accepted, _task) = counting_host().await;
            let request = String::from_utf8_lossy(bytes).replace("PORT", &port);
            let pattern: HostPattern = format!("127.0.0.1:{port}").parse().expect("a host");
            let (rules, refused) = Rules::new(vec![pattern], Matcher::builder().build());
            let exchange = exchange(Arc::new(rules), request.as_bytes());
            let answer = timeout(Duration::from_secs(20), exchange).await;
            let answer = answer.expect("an answer, or the end");
            let opened = answer.starts_with(b"HTTP/1.1 200") || answer.starts_with(b"HTTP/1.0 200");
            let reached = opened || accepted.load(Ordering::SeqCst) > 0;
            let named = request.contains("127.0.0.1") && request.contains(&port);
            assert!(!reached || named, "{request:?} got through");
            assert_reported(refused, &port).await;
        });
    });
}

const ALLOWED_HOSTS_WORDS: &[&str] = &[
    "example.com",
    "*.",
    "*",
    ".",
    ":",
    ":443",
    ":0",
    ":65535",
    ":65536",
    "[::1]",
    "[",
    "]",
    "@",
    "/",
    "EXAMPLE",
    "xn--",
    "é",
    "\u{3002}",
    " ",
    "%2e",
    "_",
    "-",
    "localhost",
    "127.0.0.1",
    "..",
];

/// A pattern is written as it is read, admits what it names, and never what only looks like it.
#[test]
fn allowed_hosts() {
    target("allowed_hosts", ALLOWED_HOSTS_WORDS, 4_000).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let Ok(pattern) = text.parse::<HostPattern>() else {
            return;
        };
        let shown = pattern.to_string();
        assert_eq!(
            shown.parse::<HostPattern>().as_ref(),
            Ok(&pattern),
            "{text:?}"
        );
        let (host, port) = shown.rsplit_once(':').expect("a port");
        let port: u16 = port.parse().expect("a number");
        let name = host.strip_prefix("*.").unwrap_or(host);
        let wild = host.starts_with("*.");
        assert_eq!(pattern.admits(name, port), !wild, "{shown}");
        assert_eq!(pattern.admits(&format!("a.{name}"), port), wild, "{shown}");
        for like in [
            format!("x{name}"),
            format!("{name}.evil.example"),
            format!("{name}x"),
            String::new(),
            ".".into(),
        ] {
            // `*.example` admits `a.evil.example` rightly.
            let below = wild && like.ends_with(&format!(".{name}"));
            assert!(
                below || !pattern.admits(&like, port),
                "{shown} admits {like}"
            );
        }
        assert!(!pattern.admits(name, port ^ 1) && !pattern.admits(&format!("a.{name}"), port ^ 1));
    });
}

//! What a program in the sandbox may ask the proxy for, tried with requests that nobody would write.

use crate::allowed_hosts::HostPattern;
use crate::proxy::{Rules, serve_connection};
use collie_fuzz::Target;
use hyper_util::client::proxy::matcher::Matcher;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::runtime::Runtime;

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

/// No connection leads anywhere but to the host that is allowed, and whoever is refused is told so and reported once, by a name that shows.
#[test]
fn proxy_requests() {
    let runtime = Runtime::new().expect("a runtime");
    let listener = runtime
        .block_on(TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let port = listener
        .local_addr()
        .expect("an address")
        .port()
        .to_string();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = accepted.clone();
    runtime.spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            drop(connection);
        }
    });
    target("proxy_requests", WORDS, 400).run(|bytes| {
        let request = String::from_utf8_lossy(bytes).replace("PORT", &port);
        let allowed = format!("127.0.0.1:{port}");
        let pattern: HostPattern = allowed.parse().expect("a host");
        let (rules, mut refused) = Rules::new(vec![pattern], Matcher::builder().build());
        let before = accepted.load(Ordering::SeqCst);
        let exchange = exchange(Arc::new(rules), request.as_bytes());
        let answer = runtime
            .block_on(async { tokio::time::timeout(Duration::from_secs(20), exchange).await });
        let answer = answer.expect("an answer, or the end");
        let reached = accepted.load(Ordering::SeqCst) > before;
        let named =
            |text: &str| text.contains(&allowed) || text.contains(&format!("127.0.0.1.:{port}"));
        assert!(!reached || named(&request), "{request:?} got through");
        let opened = answer.starts_with(b"HTTP/1.1 200") || answer.starts_with(b"HTTP/1.0 200");
        assert!(
            !opened || named(&request),
            "{request:?} is told that it got through"
        );
        runtime.block_on(async {
            let mut seen = Vec::new();
            while let Some(host) = refused.next().await {
                assert!(!host.host.chars().any(char::is_control), "{host:?}");
                assert!(
                    !(host.host == "127.0.0.1" && host.port.to_string() == port),
                    "{host:?}"
                );
                assert!(!seen.contains(&host), "{host:?} twice");
                seen.push(host);
            }
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
            assert!(!pattern.admits(&like, port), "{shown} admits {like}");
        }
        assert!(!pattern.admits(name, port ^ 1) && !pattern.admits(&format!("a.{name}"), port ^ 1));
    });
}

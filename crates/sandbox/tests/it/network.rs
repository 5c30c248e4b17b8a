//! The one way out: the hosts that are named, and no other.

use crate::support::{Ended, Machine, run};
use collie_sandbox::{RefusedHost, SandboxPolicy, Stdin};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server on this machine that greets whoever writes to it, until the test is over. Its port.
async fn greeter() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 4_096];
            let read = stream.read(&mut asked).await.unwrap();
            let asked = String::from_utf8_lossy(&asked[..read]).into_owned();
            let line = asked.lines().next().unwrap_or_default();
            let words = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello, {line}\n");
            // Who does not wait for the answer does not get it.
            let _ = stream.write_all(words.as_bytes()).await;
        }
    });
    port
}

/// Writes `words` to an address on the inside, and prints what comes back.
fn speak(address: &str, words: &str) -> String {
    format!("bash -c 'exec 3<>/dev/tcp/{address} && printf \"{words}\" >&3 && timeout 5 cat <&3'")
}

/// Where the proxy is, as the shell reads it.
const PROXY: &str = "127.0.0.1/${HTTPS_PROXY##*:}";

fn connect(host: &str, then: &str) -> String {
    speak(
        PROXY,
        &format!("CONNECT {host} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n{then}"),
    )
}

fn policy(machine: &Machine, hosts: &[String]) -> SandboxPolicy {
    SandboxPolicy {
        hosts: hosts.iter().map(|host| host.parse().unwrap()).collect(),
        ..machine.policy()
    }
}

async fn inside(machine: &Machine, hosts: &[String], script: &str) -> Ended {
    run(machine
        .sandbox
        .program(&policy(machine, hosts), machine.shell(script)))
    .await
}

#[tokio::test]
async fn a_host_that_is_named_is_reached_and_no_other() {
    let machine = Machine::new().await;
    let (named, other) = (greeter().await, greeter().await);
    // Named twice, as by the user and by a variable.
    let hosts = [format!("127.0.0.1:{named}"), format!("127.0.0.1:{named}")];
    let greeting = "GET /here HTTP/1.0\\r\\n\\r\\n";
    let tunnel = |port: u16| connect(&format!("127.0.0.1:{port}"), greeting);
    let plain = |port: u16| {
        let ask = format!(
            "GET http://127.0.0.1:{port}/here HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"
        );
        speak(PROXY, &ask)
    };
    for (what, script, reached) in [
        ("a tunnel", tunnel(named), true),
        ("a tunnel elsewhere", tunnel(other), false),
        ("plain HTTP", plain(named), true),
        ("plain HTTP elsewhere", plain(other), false),
        (
            "a port of this machine",
            speak(&format!("127.0.0.1/{named}"), greeting),
            true,
        ),
        (
            "another port of it",
            speak(&format!("127.0.0.1/{other}"), greeting),
            false,
        ),
        (
            "a name for the same machine",
            connect(&format!("localhost:{named}"), greeting),
            false,
        ),
    ] {
        let ended = inside(&machine, &hosts, &script).await;
        let got = ended.out.contains("hello, GET /here HTTP/1.");
        assert_eq!(got, reached, "{what}: {ended:?}");
        assert_eq!(
            ended.out.contains("403"),
            what.contains("elsewhere") || what.contains("name"),
            "{what}: {ended:?}"
        );
    }
    // The control: without walls both are there.
    for port in [named, other] {
        let ended = machine
            .outside(&speak(&format!("127.0.0.1/{port}"), greeting))
            .await;
        assert!(ended.out.contains("hello"), "{ended:?}");
    }
}

#[tokio::test]
async fn a_host_that_was_refused_is_told_once() {
    let machine = Machine::new().await;
    let twice = connect("evil.example:443", "");
    let script = format!(
        "{twice}; {twice}; {}; sleep 60",
        connect("other.example:22", "")
    );
    let hosts = ["api.example".to_owned()];
    let program = machine
        .sandbox
        .program(&policy(&machine, &hosts), machine.shell(&script));
    let mut child = program.spawn(Stdin::Empty).await.unwrap();
    let refused = |host: &str, port| RefusedHost {
        host: host.to_owned(),
        port,
    };
    let mut hosts = child.refused_hosts().unwrap();
    assert_eq!(hosts.next().await, Some(refused("evil.example", 443)));
    assert_eq!(hosts.next().await, Some(refused("other.example", 22)));
}

#[tokio::test]
async fn what_is_no_request_to_a_proxy_gets_an_answer() {
    let machine = Machine::new().await;
    let hosts = ["api.example".to_owned()];
    for words in [
        "GET /path HTTP/1.1\\r\\nHost: api.example\\r\\nConnection: close\\r\\n\\r\\n",
        "\\x00\\xff\\r\\n\\r\\n",
    ] {
        let ended = inside(&machine, &hosts, &speak(PROXY, words)).await;
        assert!(ended.out.starts_with("HTTP/1.1 400"), "{words}: {ended:?}");
    }
}

#[tokio::test]
async fn a_tunnel_carries_much_and_ends_with_either_end() {
    let machine = Machine::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let sent = vec![b'x'; 8 << 20];
        stream.write_all(&sent).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await
    });
    let script = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && wc -c <&3'");
    let ended = inside(&machine, &[format!("localhost:{port}")], &script).await;
    assert_eq!(ended.out.trim(), (8 << 20).to_string(), "{ended:?}");
    assert!(served.await.unwrap().is_ok(), "its end is told outside");
}

/// A tunnel, and a plain request whose answer never ends.
#[tokio::test]
async fn connections_to_hosts_end_with_the_program() {
    let machine = Machine::new().await;
    for plain in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let script = if plain {
            speak(
                PROXY,
                &format!("GET http://{host}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"),
            )
        } else {
            connect(&host, "GET / HTTP/1.1\\r\\n\\r\\n")
        };
        let policy = policy(&machine, std::slice::from_ref(&host));
        let program = machine.sandbox.program(&policy, machine.shell(&script));
        let child = program.spawn(Stdin::Empty).await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        let endless = b"HTTP/1.1 200 OK\r\n\r\nwithout end";
        stream.write_all(endless).await.unwrap();
        let asked = stream.read(&mut [0; 4_096]).await.unwrap();
        assert!(asked > 0);
        drop(child);
        let rest = async {
            while stream
                .read(&mut [0; 4_096])
                .await
                .is_ok_and(|read| read > 0)
            {}
        };
        let ended = tokio::time::timeout(Duration::from_secs(20), rest).await;
        assert!(ended.is_ok(), "plain: {plain}");
    }
}

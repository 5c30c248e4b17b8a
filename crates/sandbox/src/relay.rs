//! The inner end of the way out: the sandbox has a network of its own with nothing on it, and here a proxy seems to listen.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;

/// The longest head of the proxy's answer.
const MAX_HEAD_BYTES: usize = 8 * 1024;

/// What the supervisor relays.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RelayConfig {
    /// The proxy's socket.
    pub(crate) proxy: PathBuf,
    /// Where a proxy seems to listen; 0: anywhere.
    pub(crate) port: u16,
    /// Ports of this very machine, with which the program speaks without a proxy, since most clients ask none for `localhost`; each with
    /// its host as the user named it.
    pub(crate) loopback: BTreeMap<u16, String>,
}

/// Listens, and returns where the proxy seems to be.
pub(crate) fn start(config: RelayConfig) -> io::Result<SocketAddr> {
    let mut named = Vec::new();
    for (port, authority) in config.loopback {
        let first_words = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n");
        named.push((
            TcpListener::bind((Ipv4Addr::LOCALHOST, port))?,
            first_words.clone(),
        ));
        // There may be no IPv6.
        if let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            named.push((listener, first_words));
        }
    }
    // After those that are named: any port may be one of them.
    let any = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port))?;
    let address = any.local_addr()?;
    for (listener, first_words) in named.into_iter().chain([(any, String::new())]) {
        accept_each(listener, config.proxy.clone(), first_words);
    }
    Ok(address)
}

/// What tells programs of the proxy. Node reads the last.
pub(crate) fn proxy_variables(address: SocketAddr) -> impl Iterator<Item = (String, String)> {
    let proxy = format!("http://{address}");
    let through = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, proxy.clone()));
    let around = [("NO_PROXY", "localhost,127.0.0.1,::1".to_owned())];
    let both_cases = |(name, value): (&str, String)| {
        [
            (name.to_owned(), value.clone()),
            (name.to_ascii_lowercase(), value),
        ]
    };
    through
        .into_iter()
        .chain(around)
        .flat_map(both_cases)
        .chain([("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned())])
}

/// Relays every connection, each on threads of its own.
fn accept_each(listener: TcpListener, proxy: PathBuf, first_words: String) {
    thread::spawn(move || {
        for inner in listener.incoming() {
            let Ok(inner) = inner else {
                // No descriptor is left: the connections that there are give some back.
                thread::sleep(std::time::Duration::from_millis(100));
                continue;
            };
            let (proxy, first_words) = (proxy.clone(), first_words.clone());
            thread::spawn(move || {
                // Either end may break off, and that is the end of it.
                let outer = UnixStream::connect(proxy);
                let _ = outer.and_then(|outer| relay(inner, outer, &first_words));
            });
        }
    });
}

fn relay(inner: TcpStream, mut outer: UnixStream, first_words: &str) -> io::Result<()> {
    if !first_words.is_empty() {
        outer.write_all(first_words.as_bytes())?;
        expect_success(&mut outer)?;
    }
    let (mut from_inner, mut to_outer) = (inner.try_clone()?, outer.try_clone()?);
    let outward = thread::spawn(move || {
        let copied = io::copy(&mut from_inner, &mut to_outer);
        // The other end may be gone.
        let _ = to_outer.shutdown(Shutdown::Write);
        copied
    });
    let mut to_inner = inner;
    let inward = io::copy(&mut outer, &mut to_inner);
    let _ = to_inner.shutdown(Shutdown::Write);
    // The thread has not panicked: it only copies.
    let _ = outward.join();
    inward.map(drop)
}

/// Reads the head of an answer, byte by byte: what follows belongs to somebody else.
fn expect_success(stream: &mut UnixStream) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= MAX_HEAD_BYTES || stream.read(&mut byte)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.push(byte[0]);
    }
    match head.starts_with(b"HTTP/1.1 200") {
        true => Ok(()),
        false => Err(io::ErrorKind::ConnectionRefused.into()),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    /// Runs the test below in a network that has these two ports to give away.
    const INSIDE: &str = r#"echo '40000 40001' > /proc/sys/net/ipv4/ip_local_port_range
        exec "$0" --exact relay::tests::the_proxy_leaves_the_port_that_the_system_would_give_it --ignored"#;

    #[test]
    fn the_proxy_takes_none_of_the_ports_that_are_named() {
        let mut command = Command::new("bwrap");
        command.args("--unshare-user --uid 0 --unshare-net --cap-add CAP_NET_ADMIN".split(' '));
        command.args(["--dev-bind", "/", "/", "sh", "-ec", INSIDE]);
        let ended = command.arg(std::env::current_exe().unwrap()).output();
        let ended = ended.unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(said.contains(" 1 passed"), "{ended:?}");
    }

    #[test]
    #[ignore = "run by the test above, in a network of its own"]
    fn the_proxy_leaves_the_port_that_the_system_would_give_it() {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let named = free.local_addr().unwrap().port();
        drop(free);
        let config = RelayConfig {
            proxy: PathBuf::new(),
            port: 0,
            loopback: BTreeMap::from([(named, format!("localhost:{named}"))]),
        };
        let proxy = start(config).unwrap();
        assert_ne!(proxy.port(), named);
    }
}

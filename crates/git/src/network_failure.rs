//! Tells a command that failed for want of network from one that failed for another reason, by what it wrote.

/// What programs write when a name cannot be looked up or no network is there: libc, Node, curl and git, Go, Rust, Python, Java, Ruby, apt. In
/// lower case.
const SIGNS: &[&str] = &[
    "eai_again",
    "enotfound",
    "enetunreach",
    "could not resolve host",
    "couldn't resolve host",
    "could not resolve proxy",
    "temporary failure in name resolution",
    "temporary failure resolving",
    "name or service not known",
    "nodename nor servname provided",
    "no address associated with hostname",
    "failed to lookup address information",
    "dns error",
    "getaddrinfo",
    "network is unreachable",
    "no route to host",
    "spurious network error",
    "unknownhostexception",
    "failed to open tcp connection",
];

/// Go's resolver: both on one line.
const GO_LOOKUP: [&str; 2] = ["dial tcp", "lookup "];
/// A connection that is refused is the network's fault where it goes to another machine, which an address on the web is.
const REFUSED: [&str; 2] = ["connection refused", "econnrefused"];
const WEB: [&str; 2] = ["https://", ":443"];
/// Servers of the command itself: whether these answer is no matter of the sandbox.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// What is kept of the line that tells.
const MAX_LINE_CHARS: usize = 300;

/// The line that tells that there was no network; none where nothing does.
pub(crate) fn network_failure(output: &str) -> Option<String> {
    let line = output
        .lines()
        .find(|line| tells(&line.to_ascii_lowercase()))?;
    Some(line.trim().chars().take(MAX_LINE_CHARS).collect())
}

fn tells(line: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    if has(&LOOPBACK) {
        return false;
    }
    has(SIGNS) || GO_LOOKUP.iter().all(|word| line.contains(word)) || (has(&REFUSED) && has(&WEB))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_package_managers_write_without_a_network_is_known() {
        for line in [
            "npm error code EAI_AGAIN",
            "npm error network request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
            "curl: (6) Could not resolve host: example.com",
            "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
            "warning: spurious network error (3 tries remaining): [6] Couldn't resolve host name (Could not resolve host: index.crates.io)",
            "go: example.com/x@v1.0.0: Get \"https://proxy.golang.org/x\": dial tcp: lookup proxy.golang.org on 10.0.0.1:53: server misbehaving",
            "WARNING: Retrying after connection broken by 'NewConnectionError: [Errno -3] Temporary failure in name resolution'",
            "error: error sending request for url (https://pypi.org/simple/x/): dns error: failed to lookup address information",
            "connect: Network is unreachable",
            "java.net.UnknownHostException: repo.maven.apache.org",
            "request to https://registry.yarnpkg.com/x failed, reason: connect ECONNREFUSED 104.16.0.1:443",
        ] {
            let output = format!("building\n  {line}\nfailed\n");
            assert_eq!(network_failure(&output).as_deref(), Some(line), "{line}");
        }
    }

    #[test]
    fn other_failures_are_none_of_the_networks() {
        for output in [
            "",
            "assertion failed: left == right",
            "error[E0425]: cannot find value `x` in this scope",
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            "curl: (7) Failed to connect to localhost port 8080: Connection refused",
            "psql: connection to server at \"10.0.0.5\" failed: Connection refused",
            "npm error 404 Not Found - GET https://registry.npmjs.org/x",
        ] {
            assert_eq!(network_failure(output), None, "{output}");
        }
    }

    #[test]
    fn a_line_of_any_length_is_cut() {
        let output = format!("EAI_AGAIN {}", "é".repeat(10_000));
        assert_eq!(
            network_failure(&output).unwrap().chars().count(),
            MAX_LINE_CHARS
        );
    }
}

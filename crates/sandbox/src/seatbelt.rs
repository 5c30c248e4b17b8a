//! The walls as a profile of Seatbelt, for `sandbox-exec -p` of macOS. Nobody has run it on a Mac yet: what is tested is its text.
//!
//! A rule that comes later wins over one before it.

use crate::policy::{KeptFolders, SandboxPolicy};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where macOS has it.
pub(crate) const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// What every program of macOS needs: Apple's own rules, processes of its own, and signals to those alone.
const BASE: &str = r#"(version 1)
(deny default)
(import "system.sb")
(allow process-fork)
(allow process-exec)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* (literal "/") (literal "/dev/random") (literal "/dev/urandom"))
"#;

/// Folders of the system with programs and libraries, beside those of every system.
const SYSTEM: &[&str] = &[
    "/System",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Library/Java",
    "/Applications/Xcode.app",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
    "/sbin",
    "/bin",
    "/usr",
    "/opt",
];

/// What one program is shown, and where its ways out are.
#[derive(Debug)]
pub(crate) struct SeatbeltView<'a> {
    pub(crate) policy: &'a SandboxPolicy,
    /// Toolchains and caches, read-only.
    pub(crate) shown: &'a BTreeSet<PathBuf>,
    /// The program that begins.
    pub(crate) supervisor: &'a Path,
    /// A folder of its own, with home and temporary files.
    pub(crate) scratch: &'a Path,
    /// Sockets that it may connect to.
    pub(crate) sockets: &'a [PathBuf],
    /// Where the supervisor listens for those who ask a proxy, on loopback.
    pub(crate) relay_port: Option<u16>,
}

/// A path that no profile can name: it is no UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no UTF-8, and cannot be named to Seatbelt")]
pub(crate) struct UnnamablePath(PathBuf);

/// The profile. Whatever is named nowhere in it is refused.
pub(crate) fn profile(view: &SeatbeltView<'_>) -> Result<String, UnnamablePath> {
    let SeatbeltView { policy, shown, .. } = view;
    let mut rules = String::from(BASE);
    let system = SYSTEM.iter().map(PathBuf::from);
    let mut reads: Vec<PathBuf> = system.chain(shown.iter().cloned()).collect();
    reads.push(view.supervisor.to_owned());
    allow(&mut rules, "file-read*", "subpath", &reads)?;
    let hidden = real(&policy.hidden);
    rule(
        &mut rules,
        "deny",
        "file-read* file-write*",
        "subpath",
        &hidden,
    )?;
    let readable = real(&policy.readable);
    allow(&mut rules, "file-read*", "subpath", &readable)?;
    let mut writable: Vec<PathBuf> = policy.disk_folders().collect();
    writable.push(view.scratch.to_owned());
    let writable = real(&writable);
    allow(&mut rules, "file-read* file-write*", "subpath", &writable)?;
    // Names of folders on the way, and nothing else of these.
    let named = [reads, readable, writable, real(view.sockets)].concat();
    let above: BTreeSet<PathBuf> = named
        .iter()
        .flat_map(|path| path.ancestors().skip(1).map(Path::to_owned))
        .collect();
    let above: Vec<PathBuf> = above.into_iter().collect();
    allow(&mut rules, "file-read-metadata", "literal", &above)?;
    allow(
        &mut rules,
        "network-outbound",
        "literal",
        &real(view.sockets),
    )?;
    for port in ports(view) {
        let _ = writeln!(
            rules,
            "(allow network-outbound (remote ip \"localhost:{port}\"))"
        );
    }
    if let Some(port) = view.relay_port {
        let _ = writeln!(
            rules,
            "(allow network-bind network-inbound (local ip \"localhost:{port}\"))"
        );
    }
    Ok(rules)
}

/// The ports of this machine that it may reach: the relay's, and those that the user named.
fn ports(view: &SeatbeltView<'_>) -> BTreeSet<u16> {
    let hosts = view.policy.hosts.iter();
    let named = hosts.filter_map(|host| host.loopback_port());
    named.chain(view.relay_port).collect()
}

/// Paths as Seatbelt compares them: `/tmp` is a link to `/private/tmp`.
fn real<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
    let paths = paths.into_iter();
    paths
        .map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()))
        .collect()
}

fn allow(
    rules: &mut String,
    operations: &str,
    filter: &str,
    paths: &[PathBuf],
) -> Result<(), UnnamablePath> {
    rule(rules, "allow", operations, filter, paths)
}

/// One rule for all of the paths; none where there are none, since a rule without a filter holds for everything.
fn rule(
    rules: &mut String,
    verdict: &str,
    operations: &str,
    filter: &str,
    paths: &[PathBuf],
) -> Result<(), UnnamablePath> {
    if paths.is_empty() {
        return Ok(());
    }
    let _ = write!(rules, "({verdict} {operations}");
    for path in paths {
        let text = path.to_str().ok_or_else(|| UnnamablePath(path.clone()))?;
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = write!(rules, "\n  ({filter} \"{text}\")");
    }
    rules.push_str(")\n");
    Ok(())
}

/// Makes home and temporary folder in `scratch`. What is shown of the user's own home is found in the new one through links.
///
/// # Errors
/// The system's.
pub(crate) fn furnish(
    scratch: &Path,
    users_home: &Path,
    shown: &BTreeSet<PathBuf>,
    kept: Option<&KeptFolders>,
) -> io::Result<()> {
    let home = home_in(scratch);
    std::fs::create_dir_all(&home)?;
    std::fs::create_dir_all(temp_in(scratch))?;
    for path in shown {
        let Ok(below) = path.strip_prefix(users_home) else {
            continue;
        };
        let link = home.join(below);
        // One may lie in another that is linked already.
        if let (Some(parent), false) = (link.parent(), link.exists()) {
            std::fs::create_dir_all(parent)?;
            symlink(path, &link)?;
        }
    }
    for (folder, below) in kept.into_iter().flat_map(KeptFolders::iter) {
        let link = home.join(below);
        if let (Some(parent), false) = (link.parent(), link.exists()) {
            std::fs::create_dir_all(parent)?;
            symlink(folder, &link)?;
        }
    }
    Ok(())
}

/// The home folder that a program is given.
pub(crate) fn home_in(scratch: &Path) -> PathBuf {
    scratch.join("home")
}

/// Its folder for temporary files.
pub(crate) fn temp_in(scratch: &Path) -> PathBuf {
    scratch.join("temp")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    fn text(policy: &SandboxPolicy, relay_port: Option<u16>) -> String {
        let shown = BTreeSet::from(["/Users/ana/.cargo/bin".into()]);
        let sockets = ["/private/var/folders/x/collie-1/socket".into()];
        let view = SeatbeltView {
            policy,
            shown: &shown,
            supervisor: Path::new("/Applications/Collie.app/collie"),
            scratch: Path::new("/private/var/folders/x/collie-1/own"),
            sockets: &sockets,
            relay_port,
        };
        profile(&view).unwrap()
    }

    fn policy() -> SandboxPolicy {
        SandboxPolicy {
            writable: vec!["/data/work".into()],
            readable: vec!["/data/clone".into()],
            hidden: vec!["/data".into()],
            ..SandboxPolicy::default()
        }
    }

    /// The rules that name a path, without the rest of them.
    fn rules_with(text: &str, path: &str) -> Vec<String> {
        let quoted = format!("\"{path}\"");
        let rules = text.split("\n(").filter(|rule| rule.contains(&quoted));
        rules
            .map(|rule| rule.lines().next().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn what_is_named_is_allowed_and_everything_else_denied() {
        let data = tempfile::tempdir().unwrap();
        let kept = KeptFolders::create(data.path(), &[".cache".into()]).unwrap();
        let cache = data.path().join(".cache").canonicalize().unwrap();
        let policy = SandboxPolicy {
            kept: Some(kept),
            ..policy()
        };
        let text = text(&policy, None);
        assert!(text.starts_with("(version 1)\n(deny default)\n"), "{text}");
        for (path, rules) in [
            (
                "/data",
                &["deny file-read* file-write*", "allow file-read-metadata"] as &[&str],
            ),
            ("/data/clone", &["allow file-read*"]),
            ("/data/work", &["allow file-read* file-write*"]),
            (cache.to_str().unwrap(), &["allow file-read* file-write*"]),
            (
                "/private/var/folders/x/collie-1/own",
                &["allow file-read* file-write*"],
            ),
            ("/Users/ana/.cargo/bin", &["allow file-read*"]),
            ("/Users/ana", &["allow file-read-metadata"]),
            ("/Users/ana/.ssh", &[]),
            (
                "/private/var/folders/x/collie-1/socket",
                &["allow network-outbound"],
            ),
        ] {
            assert_eq!(rules_with(&text, path), rules, "{path}\n{text}");
        }
        // What is hidden is denied after what is shown, and before what is named in it.
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}"));
        assert!(at("/Users/ana/.cargo/bin") < at("(deny file-read*"));
        assert!(at("(deny file-read*") < at("/data/work"));
        assert_eq!(text.matches('(').count(), text.matches(')').count());
    }

    #[test]
    fn without_hosts_there_is_no_network_and_with_them_the_relay_alone() {
        let none = text(&policy(), None);
        assert!(!none.contains(" ip "), "{none}");
        let hosts = ["api.example.com", "localhost:11434"];
        let with_hosts = SandboxPolicy {
            hosts: hosts.iter().map(|host| host.parse().unwrap()).collect(),
            ..policy()
        };
        let some = text(&with_hosts, Some(4_000));
        let network: Vec<&str> = some.lines().filter(|line| line.contains(" ip ")).collect();
        assert_eq!(
            network,
            [
                "(allow network-outbound (remote ip \"localhost:4000\"))",
                "(allow network-outbound (remote ip \"localhost:11434\"))",
                "(allow network-bind network-inbound (local ip \"localhost:4000\"))",
            ]
        );
    }

    #[test]
    fn a_path_cannot_end_its_rule_and_one_that_cannot_be_named_is_an_error() {
        let evil = SandboxPolicy {
            writable: vec!["/w\") (allow default) (\\".into()],
            ..SandboxPolicy::default()
        };
        let text = text(&evil, None);
        assert!(
            text.contains(r#"(subpath "/w\") (allow default) (\\")"#),
            "{text}"
        );
        let bad = SandboxPolicy {
            hidden: vec![OsStr::from_bytes(b"/\xff").into()],
            ..SandboxPolicy::default()
        };
        let view = SeatbeltView {
            policy: &bad,
            shown: &BTreeSet::new(),
            supervisor: Path::new("/s"),
            scratch: Path::new("/o"),
            sockets: &[],
            relay_port: None,
        };
        assert!(profile(&view).is_err());
    }

    #[test]
    fn an_empty_list_makes_no_rule_that_holds_for_everything() {
        let text = text(&SandboxPolicy::default(), None);
        assert!(!text.contains("deny file"), "{text}");
        for line in text.lines().skip(3) {
            let is_open = [
                "(allow file-read*)",
                "(allow file-write*)",
                "(allow network-outbound)",
            ];
            assert!(!is_open.contains(&line), "{line}");
        }
    }

    #[test]
    fn the_new_home_has_toolchains_and_nothing_else_of_the_users() {
        let root = tempfile::tempdir().unwrap();
        let users = root.path().join("users");
        std::fs::create_dir_all(users.join(".cargo/bin")).unwrap();
        std::fs::create_dir_all(users.join(".ssh")).unwrap();
        let kept = KeptFolders::create(&root.path().join("kept"), &[".cache".into()]).unwrap();
        let shown = BTreeSet::from([users.join(".cargo/bin"), "/usr".into()]);
        let scratch = root.path().join("own");
        furnish(&scratch, &users, &shown, Some(&kept)).unwrap();
        let home = home_in(&scratch);
        assert!(home.join(".cargo/bin").is_dir() && home.join(".cache").is_dir());
        assert!(!home.join(".ssh").exists() && !home.join("usr").exists());
        assert!(temp_in(&scratch).is_dir());
    }
}

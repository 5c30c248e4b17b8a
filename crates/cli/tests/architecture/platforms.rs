//! No call of one system alone stands outside the places that are named here with their concern, so that who brings Collie to another system knows where to
//! look. Sources are read as tokens; what only tests are built with is passed over.

use super::merge_calls::identifiers_in_rust;
use super::{files_below, workspace_root};
use std::collections::BTreeSet;

/// Files, or folders of them, and what of systems they are about.
const PLACES: &[(&str, &str)] = &[
    (
        "crates/platform/src/",
        "process trees, paths, rights of files, pipes",
    ),
    (
        "crates/sandbox/src/",
        "the sandbox and the process trees in it",
    ),
    (
        "crates/hardening/src/",
        "what other programs see of the own process",
    ),
    (
        "crates/git/src/credential_channel",
        "what git is told its credential over",
    ),
    ("crates/cli/src/interrupt.rs", "being told to stop"),
    ("src-tauri/src/", "the window's toolkit"),
    // They do not ship.
    ("crates/testkit/src/", "tests"),
    (
        "crates/sim/src/simulator/processor.rs",
        "on which processor a play runs",
    ),
    ("crates/bridge/src/", "tests"),
    ("crates/fake-agent/src/", "tests"),
];

/// Crates that know one system alone.
const LIBRARIES: [&str; 13] = [
    "nix",
    "libc",
    "rustix",
    "command_fds",
    "landlock",
    "seccompiler",
    "gtk",
    "process_wrap",
    "win32job",
    "windows_sys",
    "interprocess",
    "widestring",
    "dunce",
];
/// Names of the standard library and of tokio's that are there on one system alone.
const NAMES: [&str; 7] = [
    "UnixStream",
    "UnixListener",
    "UnixDatagram",
    "process_group",
    "creation_flags",
    "pre_exec",
    "Win32",
];

/// The calls of one system alone in a source.
fn calls_of_one_system(source: &str) -> BTreeSet<String> {
    let words = identifiers_in_rust(source);
    let mut found = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map(|at| words[at].as_str());
        let in_std = before(2) == Some("std") && before(1) == Some("os");
        let in_tokio = matches!(word.as_str(), "unix" | "windows")
            && matches!(before(1), Some("net" | "signal"));
        if in_std
            || in_tokio
            || LIBRARIES.contains(&word.as_str())
            || NAMES.contains(&word.as_str())
        {
            found.insert(word.clone());
        }
    }
    found
}

#[test]
fn no_call_of_one_system_alone_stands_outside_the_place_for_its_concern() {
    let root = workspace_root();
    let mut outside = Vec::new();
    let mut used = BTreeSet::new();
    let crates = std::fs::read_dir(root.join("crates")).expect("the crates");
    let crates = crates.map(|entry| entry.expect("readable").path().join("src"));
    let folders = crates.chain([root.join("src-tauri/src")]);
    let files = folders.flat_map(|folder| files_below(&folder));
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let path = file
            .strip_prefix(&root)
            .expect("below")
            .to_string_lossy()
            .into_owned();
        let is_of_tests = ["/tests.rs", "_tests.rs", "/tests/"]
            .iter()
            .any(|part| path.contains(part));
        let found = calls_of_one_system(&std::fs::read_to_string(&file).expect("UTF-8"));
        if is_of_tests || found.is_empty() {
            continue;
        }
        match PLACES.iter().find(|(place, _)| path.starts_with(place)) {
            Some((place, _)) => drop(used.insert(*place)),
            None => outside.push(format!("{path}: {found:?}")),
        }
    }
    assert!(
        outside.is_empty(),
        "belongs into crates/platform: {outside:#?}"
    );
    let idle: Vec<_> = PLACES
        .iter()
        .filter(|(place, _)| !used.contains(place))
        .collect();
    assert!(
        idle.is_empty(),
        "nothing of one system is left there: {idle:?}"
    );
}

/// The control.
#[test]
fn a_call_of_one_system_is_seen_wherever_it_stands() {
    let check = |source: &str, expect: &[&str]| {
        let found = calls_of_one_system(source);
        assert_eq!(
            found.iter().map(String::as_str).collect::<Vec<_>>(),
            expect,
            "{source}"
        );
    };
    check("use std::os::unix::ffi::OsStrExt;", &["unix"]);
    check("fn f() { std::os::windows::process::x(); }", &["windows"]);
    check("use nix::sys::signal::kill;", &["nix"]);
    check(
        "fn f(c: Command) { c.process_group(0); }",
        &["process_group"],
    );
    check("use tokio::net::unix::OwnedReadHalf;", &["unix"]);
    check("use tokio::net::UnixStream;", &["UnixStream"]);
    check("use tokio::signal::windows::ctrl_c;", &["windows"]);
    check("use windows::Win32::System::Threading;", &["Win32"]);
    check("fn f(bytes: &[u8]) { bytes.windows(2); }", &[]);
    check(
        "#[cfg(test)] mod tests { use std::os::unix::fs::symlink; }",
        &[],
    );
    check("// std::os::unix\nfn unix() {}", &[]);
}

//! What comes from others: where it comes from, and what is known against it. Licences are looked at beside this file. Nothing is asked of
//! a network: advisories are a snapshot (`advisories/README.md` says of which day).

use crate::{metadata, workspace_root};
use rustsec::advisory::Informational;
use rustsec::report::{Report, Settings};
use rustsec::{Database, Lockfile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Tauri's window on Linux is GTK 3's; they go when Tauri goes on to GTK 4.
const GTK3: &str = "bindings of GTK 3 that nobody maintains any more: Tauri has no others on Linux";
/// Advisories that are known and stand, each with the reason.
const ACCEPTED: &[(&str, &str)] = &[
    (
        "RUSTSEC-2024-0370",
        "unmaintained macros that run at build time alone, of the bindings of GTK 3",
    ),
    ("RUSTSEC-2024-0411", GTK3),
    ("RUSTSEC-2024-0412", GTK3),
    ("RUSTSEC-2024-0413", GTK3),
    ("RUSTSEC-2024-0414", GTK3),
    ("RUSTSEC-2024-0415", GTK3),
    ("RUSTSEC-2024-0416", GTK3),
    ("RUSTSEC-2024-0417", GTK3),
    ("RUSTSEC-2024-0418", GTK3),
    ("RUSTSEC-2024-0419", GTK3),
    ("RUSTSEC-2024-0420", GTK3),
    (
        "RUSTSEC-2023-0071",
        "timing of private RSA keys; comes with what the SDK of Restate checks signatures by, which are Ed25519's, in a feature that is off",
    ),
    (
        "RUSTSEC-2024-0429",
        "unsound only in `VariantStrIter`, which nothing here uses; comes with the bindings of GTK 3",
    ),
];

/// Crates that must not come in by any way: TLS is rustls', and git is the `git` binary.
const BANNED: &[&str] = &[
    "git2",
    "libgit2-sys",
    "native-tls",
    "openssl",
    "openssl-sys",
];

fn advisories_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/architecture/advisories")
}

fn lockfile() -> Lockfile {
    Lockfile::load(workspace_root().join("Cargo.lock")).expect("Cargo.lock is read")
}

/// Advisories that hold for a lockfile: id, with crate and version.
fn advisories_against(lockfile: &Lockfile) -> BTreeMap<String, String> {
    let database = Database::open(&advisories_folder()).expect("the snapshot is read");
    let settings = Settings {
        informational_warnings: vec![
            Informational::Notice,
            Informational::Unmaintained,
            Informational::Unsound,
        ],
        ..Settings::default()
    };
    let report = Report::generate(&database, lockfile, &settings);
    let vulnerable = report.vulnerabilities.list.iter();
    let vulnerable = vulnerable.map(|found| (&found.advisory, &found.package));
    let warned = report.warnings.values().flatten();
    let warned = warned.filter_map(|warning| Some((warning.advisory.as_ref()?, &warning.package)));
    vulnerable
        .chain(warned)
        .map(|(advisory, package)| {
            let text = format!("{} {}: {}", package.name, package.version, advisory.title);
            (advisory.id.to_string(), text)
        })
        .collect()
}

#[test]
fn no_advisory_is_known_against_a_dependency_that_is_not_accepted() {
    let mut found = advisories_against(&lockfile());
    for (id, reason) in ACCEPTED {
        assert!(!reason.is_empty());
        assert!(
            found.remove(*id).is_some(),
            "{id} holds no more: take it out"
        );
    }
    assert!(found.is_empty(), "advisories to look at: {found:#?}");
}

/// The control: the same look at versions that are known to be bad.
#[test]
fn a_version_with_an_advisory_is_found() {
    let old = "version = 4\n\n[[package]]\nname = \"tokio\"\nversion = \"1.43.0\"\n\
               source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
    let found = advisories_against(&old.parse().expect("a lockfile"));
    assert_eq!(found.into_keys().collect::<Vec<_>>(), ["RUSTSEC-2025-0023"]);
}

#[test]
fn the_snapshot_of_advisories_knows_every_dependency() {
    let others = std::fs::read_to_string(advisories_folder().join("other-crates.txt"));
    let others = others.expect("the list of other crates");
    let others: BTreeSet<&str> = others.lines().collect();
    assert!(others.len() > 500, "only {} are listed", others.len());
    let packages = lockfile().packages;
    let unknown: Vec<_> = packages
        .iter()
        .map(|package| package.name.as_str())
        .filter(|name| others.contains(name))
        .collect();
    assert!(
        unknown.is_empty(),
        "{unknown:?} have advisories that are not in the snapshot: run scripts/renew-advisories.mjs"
    );
}

#[test]
fn every_dependency_comes_from_crates_io_and_is_the_one_that_was_locked() {
    let metadata = metadata();
    let members = metadata.workspace_packages();
    let ours: BTreeSet<&str> = members
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let mut wrong = Vec::new();
    for package in lockfile().packages {
        let name = format!("{} {}", package.name, package.version);
        match &package.source {
            None if ours.contains(package.name.as_str()) => {}
            Some(source) if source.is_default_registry() && package.checksum.is_some() => {}
            source => wrong.push(format!("{name}: {source:?}, {:?}", package.checksum)),
        }
        if BANNED.contains(&package.name.as_str()) {
            wrong.push(format!("{name}: banned"));
        }
    }
    for member in members {
        let any_version = member
            .dependencies
            .iter()
            .filter(|dependency| dependency.path.is_none() && dependency.req.to_string() == "*");
        wrong.extend(
            any_version.map(|found| format!("{}: {} of any version", member.name, found.name)),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

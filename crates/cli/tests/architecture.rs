//! Holds the walls between the crates, from `cargo metadata`: which may know which, and which library lives where.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn metadata() -> Metadata {
    // Offline: everything that was built is there.
    let offline = vec!["--offline".to_owned()];
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(offline)
        .exec()
        .expect("the workspace is described")
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace's folder")
}

/// What ships of each of our crates: its own dependencies, those for tests and builds left out.
fn direct(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let normal = |package: &&Package| {
        let names = package
            .dependencies
            .iter()
            .filter(|d| d.kind == DependencyKind::Normal);
        (
            package.name.to_string(),
            names.map(|d| d.name.clone()).collect(),
        )
    };
    metadata.workspace_packages().iter().map(normal).collect()
}

/// Everything that a crate ends up with, by way of others.
fn reached(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let resolve = metadata.resolve.as_ref().expect("resolved");
    let nodes: BTreeMap<&PackageId, _> =
        resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let names: BTreeMap<&PackageId, &Package> =
        metadata.packages.iter().map(|p| (&p.id, p)).collect();
    let start = metadata
        .packages
        .iter()
        .find(|p| p.name.as_str() == name)
        .expect(name);
    let mut queue = vec![&start.id];
    let mut seen = BTreeSet::new();
    while let Some(id) = queue.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in &nodes[id].deps {
            if dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind == DependencyKind::Normal)
            {
                queue.push(&dependency.pkg);
            }
        }
    }
    seen.into_iter()
        .map(|id| names[id].name.to_string())
        .filter(|n| n != name)
        .collect()
}

#[test]
fn core_does_no_io() {
    let reached = reached(&metadata(), "collie-core");
    let io = [
        "tokio",
        "async-std",
        "sqlx",
        "reqwest",
        "hyper",
        "octocrab",
        "nix",
        "rustix",
        "fd-lock",
        "tempfile",
        "async-trait",
        "tracing",
        "rand",
        "uuid",
    ];
    let found: Vec<_> = io.iter().filter(|name| reached.contains(**name)).collect();
    assert!(found.is_empty(), "collie-core reaches {found:?}");
    assert!(
        !reached.iter().any(|name| name.starts_with("collie-")),
        "collie-core depends on another crate of ours"
    );
}

#[test]
fn core_reads_no_clock() {
    for file in files(&root().join("crates/core/src")) {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        for call in [
            "::now()",
            "SystemTime",
            "Instant",
            "std::env",
            "std::fs",
            "std::process",
        ] {
            let found = text
                .lines()
                .any(|l| !l.trim_start().starts_with("//") && l.contains(call));
            assert!(!found, "{} holds `{call}`", file.display());
        }
    }
}

#[test]
fn each_outside_library_lives_in_one_crate() {
    let direct = direct(&metadata());
    let check = |library: &str, homes: &[&str]| {
        for (name, dependencies) in &direct {
            let uses = dependencies
                .iter()
                .any(|d| d == library || d.starts_with(&format!("{library}-")));
            assert!(
                !uses || homes.contains(&name.as_str()),
                "{name} depends on {library}, which belongs in {homes:?}"
            );
        }
    };
    check("octocrab", &["collie-github", "collie-merge"]);
    check("sqlx", &["collie-store"]);
    check("ast-grep", &["collie-rules"]);
    check("tree-sitter", &["collie-rules"]);
    check("agent-client-protocol", &["collie-agents"]);
    check("tauri", &["collie-desktop"]);
    check("async-graphql", &["collie-forge"]);
    check("clap", &["collie-cli"]);
}

#[test]
fn the_crates_know_each_other_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("collie-core", &[] as &[&str]),
        ("collie-forge", &[]),
        ("collie-engine", &["collie-core"]),
        ("collie-wire", &["collie-core"]),
        ("collie-store", &["collie-core", "collie-engine"]),
        ("collie-github", &["collie-core", "collie-engine"]),
        ("collie-git", &["collie-core", "collie-engine"]),
        ("collie-rules", &["collie-core", "collie-engine"]),
        ("collie-merge", &["collie-core", "collie-github"]),
    ]);
    for (name, dependencies) in direct(&metadata()) {
        let Some(allowed) = allowed.get(name.as_str()) else {
            continue;
        };
        let ours: Vec<_> = dependencies
            .iter()
            .filter(|d| d.starts_with("collie-"))
            .collect();
        let wrong: Vec<_> = ours
            .iter()
            .filter(|d| !allowed.contains(&d.as_str()))
            .collect();
        assert!(wrong.is_empty(), "{name} depends on {wrong:?}");
    }
}

#[test]
fn only_the_desktop_shell_may_reach_the_crate_that_merges() {
    let metadata = metadata();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if name != "collie-desktop" && name != "collie-merge" {
            assert!(
                !reached(&metadata, name).contains("collie-merge"),
                "{name} reaches collie-merge"
            );
        }
    }
}

#[test]
fn nothing_outside_the_forge_and_the_merge_crate_holds_a_call_that_merges() {
    // GitHub merges by these only: REST's `…/merge` and `…/merges`, and GraphQL's mutations.
    let calls = [
        "/merge\"",
        "/merge`",
        "/merge?",
        "/merges\"",
        "mergePullRequest",
        "enablePullRequestAutoMerge",
        "enqueuePullRequest",
        "mergeBranch",
    ];
    let mut looked_at = 0;
    for package in metadata().workspace_packages() {
        let folder = PathBuf::from(package.manifest_path.parent().expect("a folder"));
        if matches!(
            package.name.as_str(),
            "collie-forge" | "collie-merge" | "collie"
        ) {
            continue;
        }
        for file in files(&folder) {
            let shipped = !file.components().any(|part| {
                matches!(
                    part.as_os_str().to_str(),
                    Some("tests" | "benches" | "tests.rs")
                )
            });
            let code = file
                .extension()
                .is_some_and(|e| e == "rs" || e == "graphql");
            if !shipped || !code {
                continue;
            }
            looked_at += 1;
            let text = std::fs::read_to_string(&file).expect("UTF-8");
            // What tests hold against a call may name it.
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for line in text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
            {
                for call in calls {
                    assert!(
                        !line.contains(call),
                        "{} holds `{call}`: {line}",
                        file.display()
                    );
                }
            }
        }
    }
    assert!(looked_at > 50, "only {looked_at} files were looked at");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("readable")
        .map(|e| e.expect("readable").path())
    {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            found.push(entry);
        }
    }
    found
}

#[test]
fn every_dependency_has_a_licence_that_goes_with_ours() {
    let accepted = [
        "MIT",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "Unicode-3.0",
        "CC0-1.0",
        "0BSD",
        "BSL-1.0",
        "MPL-2.0",
        "Unlicense",
        "CDLA-Permissive-2.0",
        "OpenSSL",
        "bzip2-1.0.6",
        "MIT-0",
    ];
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        let Some(licence) = &package.license else {
            if package.license_file.is_none() {
                wrong.push(format!("{name}: none"));
            }
            continue;
        };
        let read = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX);
        let fits = read.is_ok_and(|expression| {
            expression.evaluate(|requirement| {
                requirement
                    .license
                    .id()
                    .is_some_and(|id| accepted.contains(&id.name))
            })
        });
        if !fits {
            wrong.push(format!("{name}: {licence}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "licences to look at:\n{}",
        wrong.join("\n")
    );
}

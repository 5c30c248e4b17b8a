//! Holds the walls between the crates, from `cargo metadata`: which may know which, and which library lives where.

mod dependencies;
mod function_length;
mod import_circles;
mod merge_calls;
mod platforms;
mod proofs;
mod real_time;
mod threat_model;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn metadata() -> Metadata {
    // Offline: everything that was built is there, and nothing of what only other systems need.
    let host = host_triple();
    let options = ["--offline", "--filter-platform", &host];
    MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .other_options(options.map(str::to_owned).to_vec())
        .exec()
        .expect("the workspace is described")
}

/// The system that is built for, as rustc names it.
fn host_triple() -> String {
    let said = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc runs");
    let said = String::from_utf8(said.stdout).expect("UTF-8");
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

fn workspace_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace's folder")
}

/// The one crate that may reach what merges.
fn shell_package(metadata: &Metadata) -> PackageId {
    let shell = metadata
        .root_package()
        .expect("the desktop app is the root package");
    shell.id.clone()
}

/// What ships of each of our crates: its own dependencies, those for tests and builds left out.
fn direct_dependencies(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
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
fn transitive_dependencies(metadata: &Metadata, name: &str) -> BTreeSet<String> {
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
    let reached = transitive_dependencies(&metadata(), "collie-core");
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
    for file in files_below(&workspace_root().join("crates/core/src")) {
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
    let direct = direct_dependencies(&metadata());
    let check = |library: &str, homes: &[&str]| {
        // A library of others may come in parts; a crate of ours is named whole.
        let is_outside = !library.starts_with("collie-");
        for (name, dependencies) in &direct {
            let uses = dependencies
                .iter()
                .any(|d| d == library || (is_outside && d.starts_with(&format!("{library}-"))));
            assert!(
                !uses || homes.contains(&name.as_str()),
                "{name} depends on {library}, which belongs in {homes:?}"
            );
        }
    };
    check("octocrab", &["collie-github", "collie-merge"]);
    check("sqlx", &["collie-store", "collie-store-postgres"]);
    // Hosts read the journal through its port.
    check(
        "collie-store",
        &["collie-app", "collie-sim", "collie-store-postgres"],
    );
    // Hosts that loops of elsewhere are shown by.
    check("collie-store-postgres", &["collie-cli"]);
    // What measures reviewers is no part of what they work in.
    check("collie-eval", &["collie-app", "collie-cli"]);
    check("ast-grep", &["collie-rules"]);
    check("tree-sitter", &["collie-rules"]);
    check(
        "agent-client-protocol",
        &["collie-agents", "collie-fake-agent"],
    );
    // Tests start it; nothing that ships holds it.
    check("collie-fake-agent", &[]);
    check("stateright", &["collie-sim"]);
    check("genai", &["collie-agents"]);
    check("jsonschema", &["collie-agents"]);
    check("tiktoken", &["collie-agents"]);
    check("collie-fake-llm", &[]);
    check("i18n-embed", &["collie-i18n"]);
    check("tauri", &["collie-desktop"]);
    check("async-graphql", &["collie-forge"]);
    check("landlock", &["collie-sandbox"]);
    check("rmcp", &["collie-mcp"]);
    check("restate", &["collie-host-restate"]);
    // A feature of the command, off by default: the desktop app does without.
    check("collie-host-restate", &["collie-cli"]);
    check("opentelemetry", &["collie-telemetry"]);
    check("opentelemetry_sdk", &["collie-telemetry"]);
    check("tracing-opentelemetry", &["collie-telemetry"]);
    check("collie-telemetry", &["collie-cli", "collie-host-restate"]);
    check("clap", &["collie-cli", "collie-bridge", "collie-sim"]);
}

#[test]
fn the_crates_know_each_other_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("collie-core", &[] as &[&str]),
        ("collie-platform", &[]),
        ("collie-forge", &["collie-platform"]),
        ("collie-engine", &["collie-core"]),
        ("collie-wire", &["collie-core"]),
        (
            "collie-store",
            &["collie-core", "collie-engine", "collie-platform"],
        ),
        (
            "collie-store-postgres",
            &["collie-core", "collie-engine", "collie-store"],
        ),
        (
            "collie-github",
            &["collie-core", "collie-engine", "collie-hardening"],
        ),
        (
            "collie-git",
            &[
                "collie-core",
                "collie-engine",
                "collie-linters",
                "collie-platform",
                "collie-sandbox",
            ],
        ),
        ("collie-linters", &[]),
        ("collie-eval", &["collie-core"]),
        ("collie-sandbox", &["collie-core", "collie-platform"]),
        ("collie-hardening", &[]),
        ("collie-rules", &["collie-core", "collie-engine"]),
        (
            "collie-agents",
            &[
                "collie-core",
                "collie-hardening",
                "collie-platform",
                "collie-sandbox",
            ],
        ),
        ("collie-i18n", &["collie-core"]),
        ("collie-mcp", &["collie-core", "collie-i18n", "collie-wire"]),
        (
            "collie-config",
            &["collie-agents", "collie-core", "collie-i18n"],
        ),
        (
            "collie-reviewers",
            &[
                "collie-agents",
                "collie-config",
                "collie-core",
                "collie-engine",
                "collie-github",
                "collie-hardening",
                "collie-i18n",
                "collie-linters",
                "collie-platform",
                "collie-rules",
                "collie-sandbox",
            ],
        ),
        (
            "collie-runners",
            &[
                "collie-agents",
                "collie-config",
                "collie-core",
                "collie-engine",
                "collie-reviewers",
            ],
        ),
        (
            "collie-host-restate",
            &[
                "collie-agents",
                "collie-core",
                "collie-engine",
                "collie-telemetry",
            ],
        ),
        (
            "collie-telemetry",
            &["collie-agents", "collie-core", "collie-engine"],
        ),
        (
            "collie-merge",
            &["collie-core", "collie-engine", "collie-github"],
        ),
    ]);
    for (name, dependencies) in direct_dependencies(&metadata()) {
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
fn nothing_of_the_loop_knows_what_measures_it() {
    let root = workspace_root();
    let own = ["crates/app/src/eval/", "crates/cli/src/eval"];
    let mut seen = 0;
    for folder in ["crates/app/src", "crates/cli/src", "src-tauri/src"] {
        for file in files_below(&root.join(folder)) {
            let path = file.strip_prefix(&root).expect("it is below");
            let text = std::fs::read_to_string(&file).expect("UTF-8");
            let names = ["collie_eval", "app::eval", "crate::eval::"];
            let named = names.iter().any(|name| text.contains(name));
            let path_text = path.to_string_lossy();
            let inside = own.iter().any(|own| path_text.starts_with(own));
            seen += usize::from(named && inside);
            assert!(!named || inside, "{} knows of evaluations", path.display());
        }
    }
    assert!(seen > 0, "nothing was looked at");
}

#[test]
fn what_tests_share_is_named_for_tests_alone() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    for shared in ["collie-testkit", "collie-fuzz", "collie-sim"] {
        let named_by = |package: &&Package, is_wanted: fn(DependencyKind) -> bool| {
            package
                .dependencies
                .iter()
                .any(|d| d.name == shared && is_wanted(d.kind))
        };
        let outside_of_tests: Vec<_> = packages
            .iter()
            .filter(|package| named_by(package, |kind| kind != DependencyKind::Development))
            .map(|package| package.name.as_str())
            .collect();
        assert!(
            outside_of_tests.is_empty(),
            "{outside_of_tests:?} depend on {shared}, which does not ship"
        );
        let package = packages
            .iter()
            .find(|package| package.name.as_str() == shared)
            .expect("a crate of what tests share");
        assert_eq!(
            package.publish.as_deref(),
            Some(&[][..]),
            "{shared} can be published"
        );
        // A name that nobody writes any more would hold nothing.
        assert!(
            packages
                .iter()
                .any(|package| named_by(package, |kind| kind == DependencyKind::Development))
        );
    }
}

#[test]
fn only_the_desktop_shell_may_reach_the_crate_that_merges() {
    let metadata = metadata();
    let shell = shell_package(&metadata);
    let merge = metadata
        .workspace_packages()
        .into_iter()
        .find(|package| package.name.as_str() == "collie-merge")
        .expect("the crate that merges");
    let mut looked_at = 0;
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if package.id == merge.id || package.id == shell {
            continue;
        }
        looked_at += 1;
        // Tests and build scripts count as well: what they may do, a later change may ship.
        assert!(
            !package
                .dependencies
                .iter()
                .any(|d| d.name == "collie-merge"),
            "{name} depends on collie-merge"
        );
        assert!(
            !transitive_dependencies(&metadata, name).contains("collie-merge"),
            "{name} reaches collie-merge"
        );
    }
    assert!(looked_at >= 10, "only {looked_at} crates were looked at");
}

#[test]
fn the_crate_that_merges_asks_for_it_in_one_place() {
    let calls = |folder: &str| {
        let sources = files_below(&workspace_root().join(folder)).into_iter();
        let texts = sources.map(|file| std::fs::read_to_string(file).expect("UTF-8"));
        texts
            .map(|text| text.matches("Method::PUT").count() + text.matches("mutation").count())
            .sum::<usize>()
    };
    assert_eq!(calls("crates/merge/src"), 1);
    assert_eq!(calls("crates/merge/queries"), 0);
}

/// What others wrote must not steer a terminal: words pass through `TerminalText`, and JSON is escaped, before they are written.
#[test]
fn one_file_of_the_command_writes_to_the_terminal() {
    // Completions are clap's, and the size of a terminal is only asked for.
    let others = [
        ("lib.rs", "&mut std::io::stdout()"),
        ("loop_display.rs", "Term::stderr().size()"),
        ("loop_display.rs", "ProgressDrawTarget::stderr_with_hz(10)"),
    ];
    let writes = [
        "print!(",
        "println!(",
        "io::std",
        "Term::",
        "DrawTarget::",
        ".set_message(",
        "as_sent()",
    ];
    let mut found = Vec::new();
    for file in files_below(&workspace_root().join("crates/cli/src")) {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .expect("UTF-8");
        if ["output.rs", "terminal_text.rs"].contains(&name) {
            continue;
        }
        let mut text = std::fs::read_to_string(&file).expect("UTF-8");
        for (_, other) in others.iter().filter(|(of, _)| *of == name) {
            assert!(text.contains(other), "{name} has no `{other}` any more");
            text = text.replacen(other, "", 1);
        }
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let wrong = code.filter(|line| writes.iter().any(|write| line.contains(write)));
        found.extend(wrong.map(|line| format!("{name}: {}", line.trim())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("readable")
        .map(|e| e.expect("readable").path())
    {
        if entry.is_dir() {
            found.extend(files_below(&entry));
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
        "Unicode-DFS-2016",
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

//! Which linters are selected, and how they are called.

use std::collections::BTreeMap;

use collie_linters::{SelectedLinter, files_to_read, select};

fn selected(base: &[(&str, &str)], changed: &[&str]) -> Vec<SelectedLinter> {
    let texts: BTreeMap<&str, &str> = base.iter().copied().collect();
    let paths: Vec<String> = base.iter().map(|(path, _)| (*path).to_owned()).collect();
    let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
    let readable = files_to_read(&paths);
    let read = |path: &str| {
        assert!(readable.iter().any(|one| one == path), "{path}");
        texts.get(path).map(|text| (*text).to_owned())
    };
    select(&paths, &read, &changed)
}

fn names(selected: &[SelectedLinter]) -> Vec<&str> {
    let names = selected.iter().map(|one| one.linter.name.as_str());
    names.collect()
}

#[test]
fn a_linter_is_selected_where_it_is_configured_and_has_files() {
    let changed = ["a.py", "a.ts", "src/a.rs", "a.go", "a.sh", "README.md"];
    for (base, expected) in [
        (vec![("ruff.toml", "")], vec!["ruff"]),
        (vec![("pyproject.toml", "[tool.ruff.lint]")], vec!["ruff"]),
        (vec![("pyproject.toml", "[tool.black]")], vec![]),
        (vec![("eslint.config.mjs", "")], vec!["eslint"]),
        (vec![(".eslintrc.json", "")], vec!["eslint"]),
        (
            vec![("package.json", "{\"eslintConfig\": {}}")],
            vec!["eslint"],
        ),
        (vec![("package.json", "{}")], vec![]),
        (vec![("biome.jsonc", "")], vec!["biome"]),
        (
            vec![(".oxlintrc.json", ""), (".eslintrc", "")],
            vec!["eslint", "oxlint"],
        ),
        (
            vec![("clippy.toml", ""), ("Cargo.toml", "")],
            vec!["clippy"],
        ),
        (vec![("clippy.toml", "")], vec![]),
        (vec![("Cargo.toml", "[lints.clippy]")], vec!["clippy"]),
        (
            vec![("Cargo.toml", "[workspace.lints.clippy]")],
            vec!["clippy"],
        ),
        (vec![("Cargo.toml", "[lints]\nworkspace = true")], vec![]),
        (
            vec![(".golangci.yml", ""), ("go.mod", "")],
            vec!["golangci-lint"],
        ),
        (vec![(".golangci.yml", "")], vec![]),
        (vec![(".semgrep/a.yml", "")], vec!["semgrep"]),
        (vec![(".semgrep/a.py", "")], vec![]),
        (vec![(".shellcheckrc", "")], vec!["shellcheck"]),
        (vec![(".github/actionlint.yml", "")], vec![]),
        (vec![("sub/eslint.config.mjs", "")], vec![]),
        (vec![], vec![]),
    ] {
        assert_eq!(names(&selected(&base, &changed)), expected, "{base:?}");
    }
    assert!(selected(&[("ruff.toml", "")], &["a.rs"]).is_empty());
    assert!(selected(&[("ruff.toml", "")], &[]).is_empty());
}

#[test]
fn a_configuration_in_a_folder_counts_for_the_files_below_it() {
    let base = [
        ("api/pyproject.toml", "[tool.ruff]"),
        ("web/pyproject.toml", "[tool.black]"),
    ];
    let found = selected(&base, &["api/x/a.py", "api.py", "web/a.py", "apis/a.py"]);
    assert_eq!(found[0].files, ["api/x/a.py"]);
    assert!(selected(&base, &["web/a.py"]).is_empty());
}

#[test]
fn files_are_arguments_that_are_no_options() {
    let found = selected(&[("ruff.toml", "")], &["-x.py", "@list.py", "a/b c.py"]);
    let args = found[0].args();
    let end = args.iter().position(|arg| arg == "--").unwrap();
    assert_eq!(args[end + 1..], ["./-x.py", "./@list.py", "./a/b c.py"]);
    assert!(args[..end].contains(&"--no-fix".to_owned()));
    let odd = ["../a.py", "/a.py", "a/../b.py", "a//b.py", "a\0.py", ""];
    assert!(selected(&[("ruff.toml", "")], &odd).is_empty());
}

#[test]
fn a_project_is_called_once() {
    let clippy = selected(&[("Cargo.toml", "[lints.clippy]")], &["src/a.rs"]);
    let args = [
        "clippy",
        "--message-format=json",
        "--offline",
        "--all-targets",
        "--quiet",
    ];
    assert_eq!(clippy[0].args(), args);
    let offline = ("CARGO_NET_OFFLINE".to_owned(), "true".to_owned());
    assert!(clippy[0].env().contains(&offline));
    assert!(clippy[0].ran(0) && clippy[0].ran(101) && !clippy[0].ran(1));
    let base = [(".golangci.toml", ""), ("go.work", "")];
    let go = selected(&base, &["a.go", "b/c.go", "b/d.go", "-e/f.go"]);
    let args = go[0].args();
    assert_eq!(args[args.len() - 3..], [".", "./-e", "./b"]);
}

#[test]
fn only_configurations_of_the_repository_are_named() {
    let base = [
        (".semgrep.yml", ""),
        (".semgrep/a.yml", ""),
        (".semgrep/b/c.yml", ""),
    ];
    let args = selected(&base, &["a.py"])[0].args();
    let named: Vec<&String> = args.iter().filter(|arg| arg.contains("config")).collect();
    assert_eq!(named, ["--config=./.semgrep.yml", "--config=./.semgrep"]);
    assert!(args.contains(&"--metrics=off".to_owned()));
    let base = [(".github/actionlint.yaml", "")];
    let args = selected(&base, &[".github/workflows/ci.yml"])[0].args();
    let expected = [
        "-format={{json .}}",
        "-no-color",
        "-shellcheck=",
        "-pyflakes=",
        "-config-file=./.github/actionlint.yaml",
        "--",
        "./.github/workflows/ci.yml",
    ];
    assert_eq!(args, expected);
}

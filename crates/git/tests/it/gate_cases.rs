//! The gates beside a strict reviewer's judgement (§6.3): on changes written here, and on changes of real histories, which are read from clones
//! that `COLLIE_GATE_CLONES` names (folders of git, separated by colons). Nothing of those is part of this repository but their names.

use crate::fixture::{GitFixture, write_bytes};
use collie_engine::ports::GateRefusal;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const CLONES: &str = "COLLIE_GATE_CLONES";
const JUDGEMENTS: [&str; 4] = ["allow", "tamper", "scope", "links"];

/// One side of a file; none where there is no file.
type Side = Option<(u32, Vec<u8>)>;

/// One change with its judgement.
struct Case {
    name: String,
    shape: String,
    judgement: String,
    /// Why the gates say otherwise, and are left so.
    known: Option<String>,
    /// Before and after, by path.
    files: BTreeMap<String, (Side, Side)>,
    /// What the pull request changes.
    pull: Vec<String>,
    /// Files that become another name of a file.
    hard_links: Vec<(String, String)>,
}

/// What the gates made of a case.
struct Outcome {
    case: Case,
    verdict: &'static str,
    detail: String,
}

impl Outcome {
    fn agrees(&self) -> bool {
        self.verdict == self.case.judgement
    }
}

fn read_toml(name: &str) -> Vec<toml::Table> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/gate_cases")
        .join(name);
    let text = fs::read_to_string(path).expect("a manifest");
    let table: toml::Table = text.parse().expect("TOML");
    let cases = table["case"].as_array().expect("cases");
    cases
        .iter()
        .map(|case| case.as_table().expect("a case").clone())
        .collect()
}

fn text(case: &toml::Table, key: &str) -> Option<String> {
    let value = case.get(key)?.as_str();
    Some(
        value
            .unwrap_or_else(|| panic!("{key} is a text"))
            .to_owned(),
    )
}

fn list(case: &toml::Table, key: &str) -> Option<Vec<String>> {
    let values = case.get(key)?.as_array().expect("a list").iter();
    Some(
        values
            .map(|value| value.as_str().expect("a text").to_owned())
            .collect(),
    )
}

impl Case {
    fn new(name: String, case: &toml::Table, files: BTreeMap<String, (Side, Side)>) -> Self {
        let judgement = text(case, "judgement").expect("a judgement");
        assert!(
            JUDGEMENTS.contains(&judgement.as_str()),
            "{name}: {judgement}"
        );
        Self {
            shape: text(case, "shape").expect("a shape"),
            known: text(case, "known"),
            pull: list(case, "pull").unwrap_or_else(|| files.keys().cloned().collect()),
            hard_links: Vec::new(),
            name,
            judgement,
            files,
        }
    }

    /// Lets a fixer make the change in a pull request that has just these files.
    async fn run(self) -> Outcome {
        let placeholder = |path: &String| self.pull.contains(path);
        let others = self.files.keys().filter(|path| !placeholder(path));
        let mut fixture = GitFixture::new(&[("README.md", "A repository.\n")]);
        fixture.git_as_author(&["checkout", "-q", "main"]);
        fixture.base = fixture.commit_as_author(|tree| {
            for path in &self.pull {
                write_bytes(tree, path, b"another content\n");
            }
            for path in others {
                put(tree, path, &self.files[path].0);
            }
        });
        fixture.git_as_author(&["checkout", "-q", "-B", "topic"]);
        fixture.commit_as_author(|tree| {
            for path in &self.pull {
                match self.files.get(path) {
                    Some((before, _)) => put(tree, path, before),
                    None => write_bytes(tree, path, b"changed\n"),
                }
            }
        });
        let worktree = fixture.prepare().await;
        for (path, (before, after)) in &self.files {
            if before != after {
                put(worktree.path(), path, after);
            }
        }
        for (path, other) in &self.hard_links {
            let (path, other) = (worktree.path().join(path), worktree.path().join(other));
            fs::remove_file(&path).expect("a file");
            fs::hard_link(other, path).expect("a link");
        }
        let (verdict, detail) = match fixture.vet(&worktree).await {
            Ok(_) => ("allow", String::new()),
            Err(GateRefusal::Scope { paths }) => ("scope", paths.join(", ")),
            Err(GateRefusal::Links { paths }) => ("links", paths.join(", ")),
            Err(GateRefusal::Tamper { locations }) => {
                let said = locations.iter().map(ToString::to_string);
                ("tamper", said.collect::<Vec<_>>().join(", "))
            }
            Err(other) => ("other", format!("{other:?}")),
        };
        Outcome {
            case: self,
            verdict,
            detail,
        }
    }
}

/// Puts a side of a file into a tree.
fn put(tree: &Path, path: &str, side: &Side) {
    let target = tree.join(path);
    let _ = fs::remove_file(&target);
    let Some((mode, bytes)) = side else {
        return;
    };
    if *mode == 0o120_000 {
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        symlink(String::from_utf8_lossy(bytes).as_ref(), &target).expect("a link");
        return;
    }
    write_bytes(tree, path, bytes);
    let bits = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
    fs::set_permissions(&target, fs::Permissions::from_mode(bits)).expect("a mode");
}

/// Runs git on a clone; none when it fails.
fn git(clone: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(clone).args(args);
    let output = command.output().expect("git runs");
    output.status.success().then_some(output.stdout)
}

/// A file as it was at a commit.
fn side(clone: &Path, commit: &str, path: &str) -> Side {
    let listed = git(clone, &["ls-tree", "-z", commit, "--", path])?;
    let line = String::from_utf8(listed).ok()?;
    let mode = u32::from_str_radix(line.split(' ').next()?, 8).ok()?;
    Some((
        mode,
        git(clone, &["cat-file", "blob", &format!("{commit}:{path}")])?,
    ))
}

/// The changes of real histories that the clones have, and how many they do not.
fn cases_of_histories(clones: &[PathBuf]) -> (Vec<Case>, usize) {
    let (mut found, mut missing) = (Vec::new(), 0);
    for case in read_toml("histories.toml") {
        let commit = text(&case, "commit").expect("a commit");
        let repository = text(&case, "repository").expect("a repository");
        let has =
            |clone: &&PathBuf| git(clone, &["cat-file", "-e", &format!("{commit}^")]).is_some();
        let Some(clone) = clones.iter().find(has) else {
            missing += 1;
            continue;
        };
        let paths = list(&case, "paths").expect("paths");
        let files = paths.into_iter().map(|path| {
            let before = side(clone, &format!("{commit}^"), &path);
            let after = side(clone, &commit, &path);
            assert!(before != after, "{commit} does not change {path}");
            (path, (before, after))
        });
        let name = format!("{repository} {}", &commit[..9]);
        found.push(Case::new(name, &case, files.collect()));
    }
    (found, missing)
}

/// The changes that are written here.
fn written_cases() -> Vec<Case> {
    let mut found = Vec::new();
    for case in read_toml("written.toml") {
        let mut files = BTreeMap::new();
        let mut hard_links = Vec::new();
        for file in case["file"].as_array().expect("files") {
            let file = file.as_table().expect("a file");
            let path = text(file, "path").expect("a path");
            let before: Side = text(file, "before").map(|text| (0o100_644, text.into_bytes()));
            let executable = file.get("executable").is_some();
            let mode = if executable { 0o100_755 } else { 0o100_644 };
            let mut after: Side = text(file, "after").map(|text| (mode, text.into_bytes()));
            if let Some(target) = text(file, "link") {
                after = Some((0o120_000, target.into_bytes()));
            }
            if let Some(other) = text(file, "hard_link") {
                after.clone_from(&before);
                hard_links.push((path.clone(), other));
            }
            files.insert(path, (before, after));
        }
        let name = text(&case, "name").expect("a name");
        found.push(Case {
            hard_links,
            ..Case::new(name, &case, files)
        });
    }
    found
}

/// Prints a table and the counts; the refusals that were right, by those that were made and by those that were due.
fn report(outcomes: &[Outcome]) -> (f64, f64) {
    let refuses = |verdict: &str| verdict != "allow";
    let mut counts = BTreeMap::from([
        ("true positive", 0),
        ("false positive", 0),
        ("true negative", 0),
        ("false negative", 0),
    ]);
    println!("| judgement | gates | shape | case |\n|---|---|---|---|");
    for outcome in outcomes {
        let Outcome {
            case,
            verdict,
            detail,
        } = outcome;
        let kind = match (refuses(&case.judgement), refuses(verdict)) {
            (true, true) => "true positive",
            (false, true) => "false positive",
            (false, false) => "true negative",
            (true, false) => "false negative",
        };
        *counts.get_mut(kind).expect("a kind") += 1;
        let mark = match (outcome.agrees(), &case.known) {
            (true, _) => String::new(),
            (false, Some(known)) => format!(" **known: {known}**"),
            (false, None) => " **wrong**".to_owned(),
        };
        println!(
            "| {} | {verdict} {detail} | {} | {}{mark} |",
            case.judgement, case.shape, case.name
        );
    }
    let [right, wrong, missed] =
        ["true positive", "false positive", "false negative"].map(|kind| f64::from(counts[kind]));
    let (precision, recall) = (right / (right + wrong), right / (right + missed));
    println!(
        "\n{counts:?}: precision {:.1} %, recall {:.1} %",
        100.0 * precision,
        100.0 * recall
    );
    (precision, recall)
}

fn assert_as_judged(outcomes: &[Outcome]) {
    let wrong = outcomes
        .iter()
        .filter(|outcome| !outcome.agrees() && outcome.case.known.is_none());
    let wrong: Vec<_> = wrong
        .map(|outcome| {
            format!(
                "{}: {} {}",
                outcome.case.name, outcome.verdict, outcome.detail
            )
        })
        .collect();
    assert!(wrong.is_empty(), "not as judged: {wrong:#?}");
    // What is known no more says something that is not so.
    let mended = outcomes
        .iter()
        .filter(|outcome| outcome.agrees() && outcome.case.known.is_some());
    let mended: Vec<_> = mended.map(|outcome| &outcome.case.name).collect();
    assert!(mended.is_empty(), "known, and right: {mended:#?}");
}

#[tokio::test]
async fn changes_of_every_shape_are_judged_as_a_reviewer_would() {
    let mut outcomes = Vec::new();
    for case in written_cases() {
        outcomes.push(case.run().await);
    }
    assert!(outcomes.len() >= 20, "{}", outcomes.len());
    report(&outcomes);
    assert_as_judged(&outcomes);
}

#[tokio::test]
async fn changes_of_real_histories_are_judged_as_a_reviewer_would() {
    let cases = read_toml("histories.toml");
    let refused = cases
        .iter()
        .filter(|case| text(case, "judgement").as_deref() != Some("allow"));
    assert!(
        cases.len() >= 60 && refused.count() >= 25,
        "{}",
        cases.len()
    );
    for case in &cases {
        let commit = text(case, "commit").expect("a commit");
        assert!(
            commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{commit}"
        );
    }
    let Ok(clones) = std::env::var(CLONES) else {
        println!(
            "{} changes, not measured: {CLONES} names no clones",
            cases.len()
        );
        return;
    };
    let clones: Vec<PathBuf> = clones.split(':').map(PathBuf::from).collect();
    let (cases, missing) = cases_of_histories(&clones);
    let mut outcomes = Vec::new();
    for case in cases {
        outcomes.push(case.run().await);
    }
    println!(
        "{} changes, {missing} of repositories without a clone",
        outcomes.len()
    );
    report(&outcomes);
    assert_as_judged(&outcomes);
}

//! Files of cases: what is read, what is refused and where, and what ships.

use collie_eval::{Change, SetProblem, parse_set, shipped_files, shipped_set, write_set};
use std::collections::{BTreeMap, BTreeSet};

const GOOD: &str = r#"
name = "mine"

[[case]]
id = "one"
repository = "acme/web"
base = "1111111111111111111111111111111111111111"
head = "2222222222222222222222222222222222222222"

[[case.fault]]
file = "src/a.rs"
lines = [3, 5]
within = [1, 9]
what = "The loop runs once too often."
kind = "off-by-one"
severity = "P1"

[[case]]
id = "two"
repository = "acme/web"
pull = 7
clean = true
"#;

#[test]
fn a_set_is_read_and_written_as_it_is() {
    let set = parse_set("mine.toml", GOOD).unwrap();
    assert_eq!(set.cases.len(), 2);
    assert!(!set.cases[0].is_clean() && set.cases[1].is_clean());
    assert_eq!(set.cases[0].faults[0].id, "1");
    assert_eq!(set.cases[1].change, Change::Pull(7));
    let written = write_set(&set.name, &set.cases);
    let again = parse_set("again.toml", &written).unwrap();
    assert_eq!((again.name, again.cases), (set.name, set.cases));
}

/// What is wrong with the good file, with one place of it replaced.
fn check(from: &str, to: &str, line: u64, key: &str, problem: SetProblem) {
    let text = GOOD.replacen(from, to, 1);
    assert_ne!(text, GOOD, "{from}");
    let error = parse_set("mine.toml", &text).unwrap_err();
    assert_eq!(error.file, "mine.toml");
    assert_eq!((error.line, error.key.as_str()), (line, key), "{error}");
    assert_eq!(error.problem, problem);
}

#[test]
fn what_is_wrong_with_a_set_is_told_with_its_line_and_key() {
    let sha = |text: &str| SetProblem::BadSha(text.into());
    check(
        "base = \"1111111111111111111111111111111111111111\"",
        "base = \"main\"",
        7,
        "case.base",
        sha("main"),
    );
    check(
        "[3, 5]",
        "[5, 3]",
        12,
        "case.fault.lines",
        SetProblem::BadLines,
    );
    check(
        "[3, 5]",
        "[0, 3]",
        12,
        "case.fault.lines",
        SetProblem::BadLines,
    );
    check(
        "[1, 9]",
        "[1]",
        13,
        "case.fault.within",
        SetProblem::BadLines,
    );
    check(
        "id = \"two\"",
        "id = \"one\"",
        19,
        "case.id",
        SetProblem::Duplicate("one".into()),
    );
    check(
        "id = \"two\"",
        "id = \"../two\"",
        19,
        "case.id",
        SetProblem::BadId("../two".into()),
    );
    check(
        "acme/web",
        "web",
        6,
        "case.repository",
        SetProblem::BadRepository("web".into()),
    );
    check(
        "src/a.rs",
        "../a.rs",
        11,
        "case.fault.file",
        SetProblem::BadPath("../a.rs".into()),
    );
    check(
        "clean = true\n",
        "",
        18,
        "case.clean",
        SetProblem::CleanOrFaulty,
    );
    check("pull = 7", "", 18, "case.base", SetProblem::NoChange);
    check(
        "file = \"src/a.rs\"\n",
        "",
        11,
        "case.fault.lines",
        SetProblem::LinesWithoutFile,
    );
    check(
        "\"off-by-one\"",
        "\" \"",
        15,
        "case.fault.kind",
        SetProblem::EmptyText,
    );
}

#[test]
fn what_is_no_toml_or_has_another_shape_is_told_with_its_line() {
    for (from, to, line) in [
        ("pull = 7", "pull = ", 21),
        ("pull = 7", "pul = 7", 21),
        ("severity = \"P1\"", "severity = \"P9\"", 16),
        ("kind = \"off-by-one\"\n", "", 10),
    ] {
        let error = parse_set("mine.toml", &GOOD.replacen(from, to, 1)).unwrap_err();
        assert!(matches!(error.problem, SetProblem::Syntax(_)), "{error}");
        assert_eq!(error.line, line, "{error}");
    }
    let error = parse_set("x", "name = \"x\"").unwrap_err();
    assert_eq!(error.problem, SetProblem::Empty);
}

#[test]
fn the_shipped_cases_are_whole() {
    let set = shipped_set("shipped").unwrap().unwrap();
    let (clean, faulty): (Vec<_>, Vec<_>) = set.cases.iter().partition(|case| case.is_clean());
    assert!(clean.len() >= 6, "{} clean cases", clean.len());
    assert!(clean.len() + faulty.len() >= 20);
    let languages: BTreeSet<_> = set.cases.iter().flat_map(|case| &case.language).collect();
    assert!(languages.len() >= 4, "{languages:?}");
    for case in &set.cases {
        let Change::Folder { folder, .. } = &case.change else {
            panic!("{} has no files", case.id);
        };
        assert!(case.title.is_some() && case.description.is_some());
        let files: BTreeMap<_, _> = shipped_files(folder).into_iter().collect();
        let tree = |name: &str| files.keys().filter(|path| path.starts_with(name)).count();
        assert!(tree("before/") > 0 && tree("after/") > 0, "{}", case.id);
        for fault in &case.faults {
            let file = fault.file.as_ref().expect("a file");
            let text = String::from_utf8(files[&format!("after/{file}")].clone()).unwrap();
            let lines = fault.lines.expect("lines");
            assert!(text.lines().count() >= lines.to as usize, "{}", case.id);
        }
    }
    assert!(shipped_set("nothing").is_none());
}

#[test]
fn the_cases_of_public_histories_name_commits_and_mended_lines() {
    let set = shipped_set("history").unwrap().unwrap();
    let faulty = set.cases.iter().filter(|case| !case.is_clean());
    assert!(faulty.clone().count() >= 60);
    for case in faulty {
        assert!(matches!(case.change, Change::Commits { .. }));
        for fault in &case.faults {
            assert!(
                fault.lines.is_some() && fault.fixed_by.is_some(),
                "{}",
                case.id
            );
        }
    }
}

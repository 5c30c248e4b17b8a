//! What is read out of the recorded output of real linters.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use collie_linters::{Diagnostic, Edit, apply, line_replacement};
use common::Fixture;

/// A diagnostic as a line of `diagnostics.txt`.
fn line(fixture: &Fixture, found: &Diagnostic) -> String {
    let code = found.code.as_deref().unwrap_or("-");
    let url = found.url.as_deref().unwrap_or("-");
    let fix = found.fix.as_ref().map_or("-".to_owned(), |edits| {
        let content = fixture.input(&found.path).unwrap();
        line_replacement(&content, edits).map_or("not whole lines".to_owned(), |fix| {
            format!("lines {}-{}: {:?}", fix.0, fix.1, fix.2)
        })
    });
    format!(
        "{}:{}-{} {:?} {code} | {} | {url} | {fix}\n",
        found.path, found.line, found.end_line, found.severity, found.message
    )
}

#[test]
fn diagnostics_are_read() {
    for fixture in Fixture::all() {
        let found = fixture.parse(&fixture.output).unwrap();
        let lines: String = found.iter().map(|one| line(&fixture, one)).collect();
        let file = fixture.folder.join("diagnostics.txt");
        let expected = fs::read_to_string(&file).unwrap();
        assert_eq!(lines, expected, "{}", file.display());
    }
}

#[test]
fn fixes_do_what_the_linter_does() {
    let mut compared = 0;
    for fixture in Fixture::all() {
        let mut fixes: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
        for found in fixture.parse(&fixture.output).unwrap() {
            fixes
                .entry(found.path)
                .or_default()
                .extend(found.fix.unwrap_or_default());
        }
        for (path, edits) in fixes.iter().filter(|(_, edits)| !edits.is_empty()) {
            let content = fixture.input(path).unwrap();
            let fixed = fs::read(fixture.folder.join("fixed").join(path)).unwrap();
            let applied = apply(&content, edits).unwrap();
            assert_eq!(
                String::from_utf8_lossy(&applied),
                String::from_utf8_lossy(&fixed),
                "{} {path}",
                fixture.linter.name
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 15);
}

#[test]
fn places_that_are_not_in_the_file_lose_the_fix_and_keep_the_line() {
    for fixture in Fixture::all() {
        let found = fixture.parse(&fixture.output).unwrap();
        for content in [None, Some(Vec::new()), Some(vec![0xff; 40])] {
            let read = |_: &str| content.clone();
            let root = std::path::Path::new(common::ROOT);
            let format = fixture.linter.format;
            let others = collie_linters::parse(format, &fixture.output, root, &read).unwrap();
            let lines = |found: &[Diagnostic]| {
                let lines = found.iter().map(|one| (one.path.clone(), one.line));
                lines.collect::<BTreeSet<_>>()
            };
            // Only where a lone return ends lines can the line not be told without the file.
            let is_known = |(path, _): &(String, u32)| path != "return.py";
            let (mut a, mut b) = (lines(&found), lines(&others));
            a.retain(is_known);
            b.retain(is_known);
            assert_eq!(a, b, "{}", fixture.linter.name);
            assert!(others.iter().all(|one| one.fix.is_none()));
        }
    }
}

#[test]
fn what_is_outside_of_the_root_is_left_out() {
    for fixture in Fixture::all() {
        let output = String::from_utf8(fixture.output.clone()).unwrap();
        let moved = output.replace(common::ROOT, "/elsewhere");
        if moved != output {
            let found = fixture.parse(moved.as_bytes()).unwrap();
            let all = fixture.parse(output.as_bytes()).unwrap();
            assert!(found.len() < all.len() || fixture.linter.name == "clippy");
        }
        let nothing = output.replace(".py\"", ".py/../../../x\"");
        assert!(fixture.parse(nothing.as_bytes()).is_ok());
    }
}

//! `collie demo`, as scripts run it.

use crate::support::*;
use serde_json::Value;

#[test]
fn the_demo_prints_json_lines_only_and_ends_with_0() {
    let ended = run(collie().args([
        "demo",
        "--json",
        "--scenario",
        "clean",
        "--scenario",
        "fix-loop",
    ]));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{ended:?}");
    let lines = ended.json();
    let told: Vec<&Value> = lines
        .iter()
        .filter(|line| line["type"] == "scenario")
        .collect();
    let mut names: Vec<&str> = told
        .iter()
        .map(|line| line["scenario"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["clean", "fix-loop"]);
    assert!(
        told.iter().all(|line| line["as_designed"] == true),
        "{told:#?}"
    );
    assert!(
        lines
            .iter()
            .all(|line| line["type"] == "scenario" || line["type"] == "loop")
    );
}

#[test]
fn the_demo_keeps_its_data_where_asked_and_does_not_go_over_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let demo = |language: &str| {
        run(collie()
            .args(["demo", "--lang", language, "--scenario", "clean", "--root"])
            .arg(folder.path()))
    };
    let first = demo("fr");
    assert_eq!(first.status, 0, "{first:?}");
    assert!(
        first.out.contains("comme prévu") && first.out.contains(folder.path().to_str().unwrap()),
        "{first:?}"
    );
    let second = demo("en");
    assert_eq!(second.status, 1);
    assert!(
        second.err.contains("earlier demo") && second.err.contains("--root"),
        "{second:?}"
    );
}

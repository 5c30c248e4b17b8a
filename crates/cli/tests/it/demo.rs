//! `collie demo`, as scripts run it.

use crate::support::*;
use serde_json::Value;

#[test]
fn the_demo_prints_json_lines_only_and_ends_with_0() {
    let ended = run_to_end(collie_command().args([
        "demo",
        "--json",
        "--scenario",
        "clean",
        "--scenario",
        "fix-loop",
    ]));
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let lines = ended.json();
    let outcomes: Vec<&Value> = lines
        .iter()
        .filter(|line| line["type"] == "scenario")
        .collect();
    let mut names: Vec<&str> = outcomes
        .iter()
        .map(|line| line["scenario"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["clean", "fix-loop"]);
    assert!(
        outcomes.iter().all(|line| line["as_designed"] == true),
        "{outcomes:#?}"
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
        run_to_end(
            collie_command()
                .args(["demo", "--lang", language, "--scenario", "clean", "--root"])
                .arg(folder.path()),
        )
    };
    let first = demo("fr");
    assert_eq!(first.status, 0, "{first:?}");
    assert!(
        first.stdout.contains("comme prévu")
            && first.stdout.contains(folder.path().to_str().unwrap()),
        "{first:?}"
    );
    let second = demo("en");
    assert_eq!(second.status, 1);
    assert!(
        second.stderr.contains("earlier demo") && second.stderr.contains("--root"),
        "{second:?}"
    );
}

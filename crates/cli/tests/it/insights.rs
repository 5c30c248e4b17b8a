//! `collie insights`: figures over many runs as text, as JSON and as rows (§13.8).

use crate::review::{model_quoting, review_line, run_review};
use crate::support::*;
use collie_testkit::repository::{PASSING_CHECK, PullContent};
use serde_json::json;

/// A pull request that a loop has fixed to ready, and one that a model has reviewed once.
fn setup() -> (ForgeServer, TestHome) {
    let forge = ForgeServer::start();
    forge.import_files(
        "demo/one",
        &[(".forge.toml", PASSING_CHECK), ("app.js", "export {};\n")],
        &[("app.js", &PullContent::Faulty.text())],
    );
    forge.import_files(
        "acme/app",
        &[("app.js", "export {};\n")],
        &[("app.js", "const sum = list.lenght;\n")],
    );
    let home = TestHome::new(&forge);
    let watched = home.run(&["watch", "demo/one#1", "--until-settled", "--json"]);
    assert_eq!(watched.status, 0, "{watched:?}");
    let model = model_quoting("const sum = list.lenght;");
    review_line(&run_review(&home, &model, &["--json"]));
    (forge, home)
}

#[test]
fn insights_tell_the_same_as_text_as_json_and_as_rows() {
    let (_forge, home) = setup();
    let words = home.run(&["insights"]);
    assert_eq!(words.status, 0, "{words:?}");
    for shown in [
        "Became ready",
        "Median time to ready",
        "Spending by model",
        "compatible/scripted",
        "price unknown",
    ] {
        assert!(
            words.stdout.contains(shown),
            "`{shown}` is not in\n{}",
            words.stdout
        );
    }
    let french = home.run(&["insights", "--lang", "fr"]);
    assert!(french.stdout.contains("prix inconnu"), "{french:?}");

    let told = home.run(&["insights", "--json"]);
    let [line] = &told.json()[..] else {
        panic!("one line: {told:?}")
    };
    assert_eq!(line["type"], "insights");
    assert_eq!(line["totals"]["ready"], 1, "{line:#}");
    assert_eq!(line["totals"]["time_to_ready"]["count"], 1);
    assert_eq!(line["models"][0]["name"], "compatible/scripted");
    assert_eq!(line["models"][0]["spent"]["tokens"], 2_400);
    assert_eq!(line["repositories"][0]["name"], "acme/app");

    // Of one repository only what is its own.
    let one = home.run(&["insights", "--repo", "demo/one", "--json"]);
    let line = &one.json()[0];
    assert_eq!(line["totals"]["ready"], 1, "{line:#}");
    assert_eq!(line["models"], json!([]));
    let other = home.run(&["insights", "--repo", "demo/none", "--json"]);
    assert_eq!(other.json()[0]["totals"]["ready"], 0);

    let runs = home.run(&["insights", "--csv"]);
    assert_eq!(runs.status, 0, "{runs:?}");
    let rows: Vec<&str> = runs.stdout.lines().collect();
    assert_eq!(rows.len(), 2, "its head and a row a run: {}", runs.stdout);
    assert!(rows[1].contains("demo/one"), "{}", rows[1]);
    let spending = home.run(&["insights", "--csv", "spending", "--since", "all"]);
    assert!(
        spending.stdout.contains("compatible/scripted"),
        "{spending:?}"
    );
    assert!(
        home.run(&["insights", "--csv", "runs", "--repo", "demo/none"])
            .stdout
            .lines()
            .count()
            == 1
    );
}

#[test]
fn a_time_or_a_table_that_is_none_is_a_usage_error_that_names_what_would_be() {
    let home = TestHome::with_config("");
    for wrong in ["tomorrow", "0d", "30", "2026-13-01", ""] {
        let ended = home.run(&["insights", "--since", wrong]);
        assert_eq!(ended.status, 2, "{wrong}: {ended:?}");
        assert!(ended.stderr.contains("YYYY-MM-DD"), "{wrong}: {ended:?}");
        assert_eq!(ended.stdout, "");
    }
    for wrong in [
        &["insights", "--csv", "nonsense"][..],
        &["insights", "--csv", "--json"],
        &["insights", "--repo", "nobody"],
    ] {
        let ended = home.run(wrong);
        assert_eq!(ended.status, 2, "{wrong:?}: {ended:?}");
    }
    // Nothing has happened, which is no error.
    let none = home.run(&["insights"]);
    assert_eq!(none.status, 0, "{none:?}");
}

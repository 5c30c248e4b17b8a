//! What `collie review` and `collie eval run` may spend: asked before each question, counted for everybody, told with the way out (§15).

use crate::eval::{Bench, model, text};
use crate::review::{REVIEW, model_quoting, review_args, review_line, reviews, run_review, setup};
use crate::support::*;
use serde_json::{Value, json};

const QUOTED: &str = "  const sum = list.lenght;";
/// What one answer of the scripted model of reviews takes; a review asks twice.
const ANSWER_TOKENS: u64 = 1_200;

/// A dollar a thousand tokens in, two out.
pub(crate) const PRICES: &str = r#"
[[price]]
provider = "compatible"
model = "scripted"
input = 1_000_000_000
output = 2_000_000_000
looked_up = "2026-11-24"
source = "this test"
"#;

/// The last line, which is the error of a command that ended with 1, the status of every refusal.
fn refusal(ended: &CommandResult) -> Value {
    assert_eq!(ended.status, 1, "{ended:?}");
    ended.json().pop().unwrap()
}

#[test]
fn a_question_whose_worst_case_does_not_fit_is_not_put_and_the_message_says_what_to_do() {
    let (forge, home) = setup();
    let home = home.with_config_lines("[budget]\nper_day_usd = 1");
    std::fs::write(home.path().join("prices.toml"), PRICES).unwrap();
    let model = model_quoting(QUOTED);
    let told = refusal(&run_review(&home, &model, &["--json"]));
    assert_eq!(told["code"], "budget_exceeded", "{told}");
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("$0.00 of $1.00"), "{message}");
    let hint = told["hints"][0].as_str().unwrap();
    assert!(
        hint.contains("`per_day_usd`") && hint.contains("midnight"),
        "{hint}"
    );
    assert_eq!(model.request_count(), 0, "it was not asked");
    assert_eq!(reviews(&forge), Vec::<Value>::new());
    let words = run_review(&home, &model, &["--lang", "fr"]);
    assert_eq!(words.status, 1);
    assert!(words.stderr.contains("Relevez `per_day_usd`"), "{words:?}");
    // The rules cost nothing.
    assert_eq!(home.run(&REVIEW).status, 0);
}

#[test]
fn what_a_review_spent_counts_for_the_next_one_and_for_everybody_who_looks() {
    let (forge, home) = setup();
    forge.import_files(
        "acme/two",
        &[("app.js", "export {};\n")],
        &[("app.js", "export const a = list.lenght;\n")],
    );
    let limit = ANSWER_TOKENS + 1;
    let home = home.with_config_lines(&format!("[budget]\nper_pull_request_tokens = {limit}"));
    let model = model_quoting(QUOTED);
    let first = review_line(&run_review(&home, &model, &["--json"]));
    assert_eq!(first["usage"]["input_tokens"], 2_000);
    let asked = model.request_count();
    forge.push_to_pull("acme/app", &[("README.md", "# The app\n")]);
    let told = refusal(&run_review(&home, &model, &["--json"]));
    assert_eq!(told["code"], "budget_exceeded", "{told}");
    let spent = "2,400 are spent";
    assert!(told["message"].as_str().unwrap().contains(spent), "{told}");
    assert!(
        told["hints"][0]
            .as_str()
            .unwrap()
            .contains("`per_pull_request_tokens`")
    );
    assert_eq!(model.request_count(), asked);

    // Another pull request has a limit of its own, and what both took is told.
    let mut other = review_args(&model, &["--dry-run", "--json"]);
    other[3] = "acme/two".to_owned();
    let other = home.run(&other.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(other.status, 0, "{other:?}");
    let rows = home.run(&["insights", "--csv", "spending"]);
    let of = |repo: &str| {
        let line = rows.stdout.lines().find(|line| line.contains(repo));
        line.unwrap_or_else(|| panic!("{repo} is not in {}", rows.stdout))
            .to_owned()
    };
    assert!(of("acme/app").contains("compatible/scripted"), "{rows:?}");
    assert!(of("acme/app").contains("2000"), "{rows:?}");
    assert!(of("acme/two").contains("compatible/scripted"), "{rows:?}");
}

#[test]
fn an_evaluation_ends_where_its_budget_does_and_goes_on_once_there_is_room() {
    let bench = Bench::new();
    let (out, home) = (bench.path("a.jsonl"), bench.path("home"));
    let configure = |tokens: u64| {
        std::fs::create_dir_all(&home).unwrap();
        let config = format!("[budget]\nper_day_tokens = {tokens}\n");
        std::fs::write(home.join("config.toml"), config).unwrap();
    };
    let model = model();
    let url = model.url();
    let run = |flags: &[&str]| {
        let set = bench.set_file();
        let fixed = [
            "run",
            "--set",
            text(&set),
            "--persona",
            "quinn",
            "--jobs",
            "1",
            "--llm-provider",
            "compatible",
            "--model",
            "scripted",
            "--llm-url",
            &url,
            "--out",
            text(&out),
        ];
        run_to_end(&mut bench.command(None, &[&fixed, flags].concat()))
    };
    // An answer takes 1,050 tokens, and may pass the limit: two of the first case do, no third is asked for.
    configure(1_100);
    let ended = run(&[]);
    let told = refusal(&ended);
    assert_eq!(told["code"], "eval_over_budget", "{told}");
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("after 1 of 3 runs"), "{message}");
    assert!(message.contains("--resume"), "{message}");
    assert!(
        told["hints"][0]
            .as_str()
            .unwrap()
            .contains("`per_day_tokens`")
    );
    assert_eq!(model.request_count(), 2);
    let kept = std::fs::read_to_string(&out).unwrap();
    assert!(kept.contains("\"case\":\"off\""), "{kept}");
    assert_eq!(
        kept.matches("\"case\":").count(),
        1 + kept.matches("\"verdict").count()
    );

    configure(1_000_000);
    let all = run(&["--resume"]);
    assert_eq!(all.status, 0, "{all:?}");
    assert_eq!(all.json().pop().unwrap()["figures"]["cases"], json!(3));
}

#[test]
fn what_is_replayed_costs_nothing_and_needs_no_budget() {
    let bench = Bench::new();
    let home = bench.path("home");
    let record = bench.path("record");
    let model = model();
    let url = model.url();
    let run = |out: &str, flags: &[&str]| {
        let (set, out) = (bench.set_file(), bench.path(out));
        let fixed = [
            "run",
            "--set",
            text(&set),
            "--persona",
            "quinn",
            "--llm-provider",
            "compatible",
            "--model",
            "scripted",
            "--llm-url",
            &url,
            "--out",
            text(&out),
        ];
        run_to_end(&mut bench.command(None, &[&fixed, flags].concat()))
    };
    let recorded = run("a.jsonl", &["--record", text(&record)]);
    assert_eq!(recorded.status, 0, "{recorded:?}");
    std::fs::write(home.join("config.toml"), "[budget]\ntotal_tokens = 1000\n").unwrap();
    assert_eq!(refusal(&run("b.jsonl", &[]))["code"], "eval_over_budget");
    let replayed = run("c.jsonl", &["--replay", text(&record)]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
}

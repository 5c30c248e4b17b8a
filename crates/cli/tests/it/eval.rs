//! `collie eval` from end to end, on a scripted model: recorded, replayed without it, judged, reported, compared.

use crate::support::*;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm as Model};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// The fault of `off`, on line 3.
const OFF: &str = "export function sum(list) {\n  let all = 0;\n  for (let i = 0; i <= list.length; i++) all += list[i];\n  return all;\n}\n";
const PLAIN: &str = "export function first(list) {\n  return list[0];\n}\n";
const LOST: &str = "export async function save(store, item) {\n  store.put(item);\n}\n";

const SET: &str = r#"
name = "small"

[[case]]
id = "off"
repository = "acme/sum"
folder = "off"
title = "Add sum"

[[case.fault]]
file = "app.js"
lines = [3, 3]
what = "The loop runs one element too far."
kind = "off-by-one"
severity = "P1"

[[case]]
id = "lost"
repository = "acme/store"
folder = "lost"
title = "Add save"

[[case.fault]]
file = "app.js"
lines = [2, 2]
what = "Nobody waits for the promise."
kind = "missing-await"
severity = "P1"

[[case]]
id = "plain"
repository = "acme/first"
folder = "plain"
title = "Add first"
clean = true
"#;

/// A folder with the set and its files.
fn set_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (case, text) in [("off", OFF), ("lost", LOST), ("plain", PLAIN)] {
        for (side, path, text) in [
            ("before", "README.md", "# A library\n"),
            ("after", "app.js", text),
        ] {
            let folder = folder.path().join(case).join(side);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(path), text).unwrap();
        }
    }
    std::fs::write(folder.path().join("set.toml"), SET).unwrap();
    folder
}

/// Something that a schema allows: whatever else it comes to ask for.
fn filled(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    if kinds.iter().any(|kind| kind == "null") || schema.get("anyOf").is_some() {
        return Value::Null;
    }
    match kinds[0].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().unwrap();
            let members = properties.iter();
            members
                .map(|(name, member)| (name.clone(), filled(member)))
                .collect()
        }
        Some("array") => json!([]),
        Some("integer" | "number") => json!(0),
        Some("boolean") => json!(false),
        _ => json!(""),
    }
}

/// The same with these members.
fn filled_with(schema: &Value, members: Value) -> Value {
    let mut whole = filled(schema);
    let object = whole.as_object_mut().unwrap();
    let Value::Object(members) = members else {
        panic!("members");
    };
    // Some members are not there in every shape of the question.
    object.extend(members);
    whole
}

/// A model that finds the fault of `off`, overlooks that of `lost`, and complains about `plain`.
pub(crate) fn model() -> Model {
    RUNTIME.block_on(FakeLlm::serve(answer))
}

fn answer(asked: &ReceivedRequest) -> Reply {
    let schema = asked.schema.as_ref().expect("a shape is asked for");
    let answer = if let Some(shape) = schema.pointer("/properties/verdicts/items") {
        let upheld = json!({"finding": "F1", "verdict": "upheld", "reason": "I looked."});
        json!({"verdicts": [filled_with(shape, upheld)]})
    } else {
        review_answer(schema, &asked.prompt())
    };
    Reply::text(answer.to_string()).with_usage(1_000, 0, 50)
}

fn review_answer(schema: &Value, prompt: &str) -> Value {
    let shape = schema.pointer("/properties/findings/items").unwrap();
    if shape.pointer("/properties/fault").is_some() {
        let judged = json!({"finding": "F1", "reason": "The same loop.", "fault": "K1"});
        return json!({"findings": [judged]});
    }
    let finding = |line: u32, evidence: &str, title: &str| {
        let members = json!({
            "kind": "error", "priority": "P1", "category": "correctness", "file": "app.js", "line": line,
            "evidence": evidence, "title": title, "description": title, "confidence": 0.95,
        });
        filled_with(shape, members)
    };
    let found = if prompt.contains("list.length") {
        let evidence = "  for (let i = 0; i <= list.length; i++) all += list[i];";
        Some(finding(3, evidence, "The sum is not a number"))
    } else if prompt.contains("list[0]") {
        Some(finding(
            2,
            "  return list[0];",
            "An empty list has no first element",
        ))
    } else {
        None
    };
    let conclusion = match found {
        Some(_) => "request_changes",
        None => "approve",
    };
    let members = json!({"conclusion": conclusion, "findings": Vec::from_iter(found)});
    filled_with(schema, members)
}

/// A folder to work in, with a data folder.
pub(crate) struct Bench {
    set: TempDir,
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            set: set_folder(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn set_file(&self) -> PathBuf {
        self.set.path().join("set.toml")
    }

    /// Runs `collie eval` with these arguments and this key.
    fn eval(&self, key: Option<&str>, args: &[&str]) -> CommandResult {
        run_to_end(&mut self.command(key, args))
    }

    pub(crate) fn command(&self, key: Option<&str>, args: &[&str]) -> Command {
        let mut command = collie_command();
        if let Some(key) = key {
            command.env("OPENAI_API_KEY", key);
        }
        command.args(["eval", "--json", "--home"]);
        command.arg(self.path("home")).args(args);
        command
    }

    /// Runs the cases on this model; none was up when there is no key.
    fn run_on(&self, url: &str, key: Option<&str>, out: &Path, flags: &[&str]) -> CommandResult {
        run_to_end(&mut self.run_command(url, key, out, flags))
    }

    fn run_command(&self, url: &str, key: Option<&str>, out: &Path, flags: &[&str]) -> Command {
        let set = self.set_file();
        let fixed = [
            "run",
            "--set",
            text(&set),
            "--persona",
            "quinn",
            "--llm-provider",
            "openai",
            "--model",
            "gpt-4.1",
            "--llm-url",
            url,
            "--out",
            text(out),
        ];
        self.command(key, &[&fixed, flags].concat())
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The last line, which sums it up.
fn last(ended: &CommandResult, kind: &str) -> Value {
    assert_eq!(ended.status, 0, "{ended:?}");
    let line = ended.json().pop().unwrap();
    assert_eq!(line["type"], kind, "{line}");
    line
}

fn error_code(ended: &CommandResult, status: i32) -> String {
    assert_eq!(ended.status, status, "{ended:?}");
    let line = ended.json().pop().unwrap();
    line["code"]
        .as_str()
        .unwrap_or_else(|| panic!("{line}"))
        .to_owned()
}

#[test]
fn a_recorded_run_is_the_same_run_without_the_model_or_a_key() {
    let bench = Bench::new();
    let (first, again) = (bench.path("first.jsonl"), bench.path("again.jsonl"));
    let record = bench.path("record");
    let model = model();
    let url = model.url();
    let flags = ["--repeat", "2", "--jobs", "2", "--record", text(&record)];
    let said = last(
        &bench.run_on(&url, Some("sk-secret-of-mine"), &first, &flags),
        "eval_report",
    );
    let figures = &said["figures"];
    assert_eq!(figures["found"], json!([2, 4]), "{figures:#}");
    assert_eq!(figures["precision"]["value"], 0.5);
    assert_eq!(figures["clean"]["silent"], json!([0, 2]));
    assert_eq!(
        figures["by_kind"],
        json!({"missing-await": [0, 2], "off-by-one": [2, 2]})
    );
    let asked = model.request_count();
    assert!(asked >= 6, "{asked}");
    drop(model);
    let flags = ["--repeat", "2", "--jobs", "1", "--replay", text(&record)];
    let replayed = last(&bench.run_on(&url, None, &again, &flags), "eval_report");
    assert_eq!(replayed, said);
    let bytes = |file: &Path| std::fs::read(file).unwrap();
    assert_eq!(bytes(&first), bytes(&again));
    for entry in std::fs::read_dir(record.join("off")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(
            !text.contains("sk-secret-of-mine"),
            "the key is in the record"
        );
    }
}

#[test]
fn what_is_not_recorded_ends_a_replay() {
    let bench = Bench::new();
    let record = bench.path("record");
    let model = model();
    let url = model.url();
    let flags = ["--record", text(&record)];
    let ended = bench.run_on(&url, Some("sk-1"), &bench.path("a.jsonl"), &flags);
    last(&ended, "eval_report");
    // The code of one case is another now, so that it asks another question.
    let file = bench.set.path().join("lost/after/app.js");
    std::fs::write(file, LOST.replace("save", "keep")).unwrap();
    let flags = ["--replay", text(&record)];
    let ended = bench.run_on(&url, None, &bench.path("b.jsonl"), &flags);
    assert_eq!(error_code(&ended, 1), "eval_not_recorded");
    let message = &ended.json().pop().unwrap()["message"];
    assert!(message.as_str().unwrap().starts_with("lost "), "{message}");
    // What was done before it is kept.
    let kept = std::fs::read_to_string(bench.path("b.jsonl")).unwrap();
    assert!(
        kept.contains("\"case\":\"off\"") && !kept.contains("\"case\":\"lost\""),
        "{kept}"
    );
}

#[test]
fn a_run_goes_on_where_it_ended_and_only_with_what_it_began_with() {
    let bench = Bench::new();
    let out = bench.path("a.jsonl");
    let model = model();
    let url = model.url();
    let run = |flags: &[&str]| bench.run_on(&url, Some("sk-1"), &out, flags);
    let one = last(&run(&["--only", "off"]), "eval_report");
    assert_eq!(one["figures"]["cases"], 1);
    let asked = model.request_count();
    assert_eq!(error_code(&run(&[]), 1), "eval_exists");
    assert_eq!(
        error_code(&run(&["--resume", "--repeat", "2"]), 1),
        "eval_other_run"
    );
    assert_eq!(model.request_count(), asked);
    let all = last(&run(&["--resume"]), "eval_report");
    assert_eq!(all["figures"]["cases"], 3);
    let again = model.request_count();
    last(&run(&["--resume"]), "eval_report");
    assert_eq!(model.request_count(), again, "everything is done");
    assert_eq!(
        error_code(&run(&["--resume", "--only", "nothing"]), 1),
        "eval_no_case"
    );
}

#[test]
fn a_run_that_is_interrupted_keeps_what_is_done_and_is_resumed() {
    let bench = Bench::new();
    let out = bench.path("a.jsonl");
    let hangs = Arc::new(AtomicBool::new(true));
    let until = Arc::clone(&hangs);
    let answered = RUNTIME.block_on(FakeLlm::serve(move |asked: &ReceivedRequest| {
        if until.load(Ordering::SeqCst) && asked.prompt().contains("store.put") {
            return Reply::hang_after("");
        }
        answer(asked)
    }));
    let url = answered.url();
    let mut command = bench.run_command(&url, Some("sk-1"), &out, &["--jobs", "1"]);
    let mut running = RunningCommand::start(&mut command);
    wait_until_blocking("the question that hangs", || {
        let asked = answered.requests();
        let hangs = asked
            .iter()
            .any(|asked| asked.prompt().contains("store.put"));
        hangs.then_some(())
    });
    running.signal(nix::sys::signal::Signal::SIGINT);
    let status = running.wait_for_exit();
    assert!(!status.success(), "{status} {:?}", running.seen);
    let kept = std::fs::read_to_string(&out).unwrap();
    assert!(kept.ends_with('\n'), "no line is cut: {kept}");
    let cases = |kept: &str| kept.matches("\"type\":\"case\"").count();
    assert_eq!(cases(&kept), 1, "{kept}");
    hangs.store(false, Ordering::SeqCst);
    let asked = answered.request_count();
    let resumed = bench.run_on(&url, Some("sk-1"), &out, &["--resume"]);
    assert_eq!(last(&resumed, "eval_report")["figures"]["cases"], 3);
    assert_eq!(cases(&std::fs::read_to_string(&out).unwrap()), 3);
    let again = answered.requests().split_off(asked);
    let is_done = |asked: &ReceivedRequest| asked.prompt().contains("list.length");
    assert!(!again.iter().any(is_done), "what is done is asked again");
}

#[test]
fn verdicts_come_from_a_model_and_from_a_person_and_runs_are_compared() {
    let bench = Bench::new();
    let (out, rules) = (bench.path("a.jsonl"), bench.path("rules.jsonl"));
    let model = model();
    let url = model.url();
    let judged = bench.run_on(&url, Some("sk-1"), &out, &["--judge", "model"]);
    let judged = last(&judged, "eval_report");
    assert_eq!(judged["figures"]["found"], json!([1, 2]));
    assert_eq!(judged["figures"]["false_findings"], 1);
    // A person knows better: what was said of the clean case is right.
    let lines = bench.path("hand.jsonl");
    let written = bench.eval(None, &["judge", text(&out), "--write", text(&lines)]);
    assert_eq!(last(&written, "eval_written")["lines"], 2);
    let filled = std::fs::read_to_string(&lines).unwrap();
    let filled = filled.lines().map(|line| match line.contains("\"plain\"") {
        true => line.replace("\"is\":null", "\"is\":\"valid\""),
        false => line.to_owned(),
    });
    std::fs::write(&lines, filled.collect::<Vec<_>>().join("\n")).unwrap();
    let read = bench.eval(None, &["judge", text(&out), "--read", text(&lines)]);
    assert_eq!(last(&read, "eval_report")["figures"]["false_findings"], 0);
    let report = last(&bench.eval(None, &["report", text(&out)]), "eval_report");
    assert_eq!(report["figures"]["precision"]["value"], 1.0);
    // The rules know none of these faults.
    let set = bench.set_file();
    let args = [
        "run",
        "--set",
        text(&set),
        "--persona",
        "rules",
        "--out",
        text(&rules),
    ];
    let found = last(&bench.eval(None, &args), "eval_report");
    assert_eq!(found["figures"]["found"], json!([0, 2]));
    assert_eq!(found["figures"]["spending"]["cost_micros"], 0);
    let compared = bench.eval(None, &["compare", text(&rules), text(&out)]);
    let compared = last(&compared, "eval_comparison");
    assert_eq!(compared["comparison"]["only_second"], 1);
    assert_eq!(
        compared["more_than_noise"], false,
        "two faults tell nothing"
    );
    let words = ["--lang", "fr", "eval", "compare", text(&rules), text(&out)];
    let french = run_to_end(collie_command().args(words));
    assert!(french.stdout.contains("Aucun n’est meilleur"), "{french:?}");
}

#[test]
fn a_model_that_is_down_fails_its_cases_and_says_so() {
    let bench = Bench::new();
    let model = RUNTIME.block_on(FakeLlm::serve(|_: &ReceivedRequest| {
        Reply::status(400, "{\"error\": {\"message\": \"no\"}}")
    }));
    let out = bench.path("a.jsonl");
    let ended = bench.run_on(&model.url(), Some("sk-1"), &out, &[]);
    assert_eq!(error_code(&ended, 1), "eval_cases_failed");
    let report = last(&bench.eval(None, &["report", text(&out)]), "eval_report");
    assert_eq!(report["figures"]["failed"].as_array().unwrap().len(), 3);
    assert_eq!(report["figures"]["runs"], 0);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let bench = Bench::new();
    let check = |args: &[&str], status, code: &str| {
        let ended = bench.eval(None, args);
        assert_eq!(error_code(&ended, status), code);
        ended.json().pop().unwrap()["message"].to_string()
    };
    check(&["run"], 2, "usage");
    check(
        &["run", "--persona", "x", "--record", "a", "--replay", "b"],
        2,
        "usage",
    );
    check(&["judge", "a", "--judge", "coin"], 2, "usage");
    check(&["report", "nowhere.jsonl"], 1, "eval_file");
    check(&["check", "--set", "nowhere.toml"], 1, "eval_file");
    check(&["check", "--set", "history"], 1, "eval_no_clones");
    let empty = text(bench.folder.path());
    let message = check(
        &["check", "--set", "history", "--clones", empty],
        1,
        "eval_no_clone",
    );
    // All of them at once, so that nobody has to ask twenty times.
    for repository in ["20 repositories", "pallets/click", "psf/requests"] {
        assert!(message.contains(repository), "{message}");
    }
    let set = bench.set_file();
    let broken = SET.replace("lines = [2, 2]", "lines = [2, 1]");
    std::fs::write(&set, broken).unwrap();
    let message = check(&["check", "--set", text(&set)], 1, "eval_set_bad_lines");
    assert!(
        message.contains("set.toml") && message.contains("line 25"),
        "{message}"
    );
    assert!(message.contains("case.fault.lines"), "{message}");
    std::fs::write(&set, SET).unwrap();
    let run = [
        "run",
        "--set",
        text(&set),
        "--persona",
        "rules",
        "--record",
        empty,
    ];
    check(&run, 1, "eval_no_model");
    let run = ["run", "--set", text(&set), "--persona", "nobody"];
    check(&run, 1, "persona_unknown");
    std::fs::remove_dir_all(bench.set.path().join("off/after")).unwrap();
    check(&["check", "--set", text(&set)], 1, "eval_file");
    let fine = bench.eval(None, &["check", "--set", "shipped"]);
    assert!(last(&fine, "eval_set")["cases"].as_u64().unwrap() >= 20);
}

/// The folder of the shipped prompts, written by the command itself.
fn prompts_folder(bench: &Bench, name: &str) -> PathBuf {
    let folder = bench.path(name);
    let said = last(
        &bench.eval(None, &["prompts", text(&folder)]),
        "eval_prompts",
    );
    assert!(said["files"].as_u64().unwrap() > 20, "{said}");
    folder
}

/// The prompts of a folder reach the model, are told from others by their hash, and two versions are compared.
#[test]
fn prompts_of_a_folder_are_asked_in_the_place_of_the_shipped_ones() {
    let bench = Bench::new();
    // A model that overlooks the fault unless it is told to count.
    let model = RUNTIME.block_on(FakeLlm::serve(|asked: &ReceivedRequest| {
        let schema = asked.schema.as_ref().unwrap();
        let is_review = schema.pointer("/properties/findings/items").is_some();
        match asked.prompt().contains("Count the steps of each loop.") || !is_review {
            true => answer(asked),
            false => {
                let nothing = json!({"conclusion": "approve", "findings": []});
                let said = filled_with(schema, nothing).to_string();
                Reply::text(said).with_usage(1_000, 0, 50)
            }
        }
    }));
    let url = model.url();
    let folder = prompts_folder(&bench, "prompts");
    let (shipped, same, other) = (
        bench.path("shipped.jsonl"),
        bench.path("same.jsonl"),
        bench.path("other.jsonl"),
    );
    let run = |out: &Path, flags: &[&str]| {
        let ended = bench.run_on(&url, Some("sk-1"), out, flags);
        last(&ended, "eval_report")["figures"]["found"].clone()
    };
    let prompts = |out: &Path| {
        let lines = std::fs::read_to_string(out).unwrap();
        let header: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        header["prompts"].as_str().unwrap().to_owned()
    };
    assert_eq!(run(&shipped, &[]), json!([0, 2]));
    assert_eq!(run(&same, &["--prompts", text(&folder)]), json!([0, 2]));
    assert_eq!(prompts(&shipped), prompts(&same), "the words are the same");
    // A word more in a prompt, and in a persona; what an editor leaves beside them is no prompt.
    for (file, more) in [
        ("review.md", "\nCount the steps of each loop.\n"),
        ("personas/quinn.md", "\nYou count.\n"),
    ] {
        let file = folder.join(file);
        let words = std::fs::read_to_string(&file).unwrap() + more;
        std::fs::write(file, words).unwrap();
    }
    std::fs::write(folder.join(".review.md.swp"), b"\xff").unwrap();
    let record = bench.path("record");
    let flags = ["--prompts", text(&folder), "--record", text(&record)];
    assert_eq!(run(&other, &flags), json!([1, 2]));
    assert_ne!(prompts(&shipped), prompts(&other));
    let asked = model.requests();
    let counts = asked
        .iter()
        .filter(|asked| asked.prompt().contains("You count."));
    assert!(counts.count() >= 3, "the persona's words were asked too");
    let args = ["compare", text(&shipped), text(&other)];
    let compared = last(&bench.eval(None, &args), "eval_comparison");
    assert_eq!(compared["second"]["prompts"], prompts(&other).as_str());
    // Recorded answers belong to the words that they were given to.
    drop(model);
    let replay = ["--prompts", text(&folder), "--replay", text(&record)];
    let again = bench.path("again.jsonl");
    let ended = bench.run_on(&url, None, &again, &replay);
    last(&ended, "eval_report");
    assert_eq!(prompts(&again), prompts(&other));
    let ended = bench.run_on(
        &url,
        None,
        &bench.path("wrong.jsonl"),
        &["--replay", text(&record)],
    );
    assert_eq!(error_code(&ended, 1), "eval_not_recorded");
    // Nor does a run go on with other prompts than it began with.
    let ended = bench.run_on(&url, Some("sk-1"), &other, &["--resume"]);
    assert_eq!(error_code(&ended, 1), "eval_other_run");
}

#[test]
fn a_folder_of_prompts_that_is_not_whole_is_refused_with_its_files() {
    let bench = Bench::new();
    let folder = prompts_folder(&bench, "prompts");
    let run = |persona: &str| {
        let args = ["run", "--persona", persona, "--prompts", text(&folder)];
        let ended = bench.eval(None, &args);
        assert_eq!(ended.status, 1, "{ended:?}");
        ended.json().pop().unwrap()
    };
    assert_eq!(run("rules")["code"], "eval_prompts_unused");
    std::fs::write(folder.join("part.md"), "Part {{number}} of {{all}}").unwrap();
    std::fs::rename(folder.join("join.md"), folder.join("joins.md")).unwrap();
    std::fs::write(folder.join("first.md"), "").unwrap();
    let wrong = run("quinn");
    assert_eq!(wrong["code"], "eval_prompts_invalid");
    let told = wrong.to_string();
    for each in [
        "joins.md: no prompt is called so",
        "join.md: it is missing",
        "first.md: it is empty",
        "part.md: the slot {{total}} is missing",
        "part.md: nothing fills the slot {{all}}",
    ] {
        assert!(told.contains(each), "{each}: {told}");
    }
    assert!(!bench.path("eval.jsonl").exists());
    // What is there is not written over.
    let again = bench.eval(None, &["prompts", text(&folder)]);
    assert_eq!(error_code(&again, 1), "eval_file");
}

/// Commits of a repository as a user clones it: the change, and a merge of it.
fn cloned_repository(folder: &Path) -> (String, String) {
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .current_dir(folder)
            .args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        let ended = run_to_end(command.args(args));
        assert_eq!(ended.status, 0, "{ended:?}");
        ended.stdout.trim().to_owned()
    };
    std::fs::create_dir_all(folder).unwrap();
    git(&["init", "--quiet", "--initial-branch=trunk"]);
    std::fs::write(folder.join("README.md"), "# Sum\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "Begin"]);
    let base = git(&["rev-parse", "HEAD"]);
    git(&["switch", "--quiet", "--create", "topic"]);
    std::fs::write(folder.join("app.js"), OFF).unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "Add sum"]);
    let head = git(&["rev-parse", "HEAD"]);
    git(&["update-ref", "refs/pull/7/head", &head]);
    git(&["switch", "--quiet", "trunk"]);
    git(&["merge", "--quiet", "--no-ff", "-m", "Merge 7", "topic"]);
    (base, head)
}

#[test]
fn published_sets_are_read_and_their_commits_found_in_clones() {
    let bench = Bench::new();
    let clones = bench.path("clones");
    let (base, head) = cloned_repository(&clones.join("acme/sum"));
    let golden = json!([{
        "pr_title": "Add sum", "url": "https://github.com/acme/sum/pull/7",
        "comments": [{"comment": "The loop goes over the length of the list", "severity": "High"}],
    }]);
    let (file, set) = (bench.path("sum.json"), bench.path("golden.toml"));
    std::fs::write(&file, golden.to_string()).unwrap();
    let import = [
        "import",
        text(&file),
        "--format",
        "martian",
        "--out",
        text(&set),
    ];
    let looked_up = [&import[..], &["--clones", text(&clones)]].concat();
    assert_eq!(
        last(&bench.eval(None, &looked_up), "eval_written")["lines"],
        1
    );
    let written = std::fs::read_to_string(&set).unwrap();
    assert!(
        written.contains(&base) && written.contains(&head),
        "{written}"
    );
    let model = model();
    let (url, out) = (model.url(), bench.path("a.jsonl"));
    let run = [
        "run",
        "--set",
        text(&set),
        "--clones",
        text(&clones),
        "--persona",
        "quinn",
        "--llm-provider",
        "openai",
        "--model",
        "gpt-4.1",
        "--llm-url",
        &url,
        "--out",
        text(&out),
        "--judge",
        "model",
    ];
    let said = last(&bench.eval(Some("sk-1"), &run), "eval_report");
    assert_eq!(said["figures"]["found"], json!([1, 1]));
    // Nobody is shown what came after the change.
    let prompts: Vec<String> = model
        .requests()
        .iter()
        .map(ReceivedRequest::prompt)
        .collect();
    assert!(prompts.iter().all(|prompt| !prompt.contains("Merge 7")));
    let other = [
        "import",
        text(&set),
        "--format",
        "aacr",
        "--out",
        text(&file),
    ];
    assert_eq!(error_code(&bench.eval(None, &other), 1), "eval_set_syntax");
}

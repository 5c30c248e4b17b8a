//! What others name their checks steers no terminal, and hides nothing in what is printed, logged or kept.

use crate::support::*;
use serde_json::Value;
use std::path::Path;

/// Names of checks: what they do to a terminal, the name, and how it is shown.
const NAMES: [(&str, &str, &str); 5] = [
    (
        "writes the clipboard",
        "osc\u{1b}]52;c;ZXZpbA==\u{7}\u{9d}52;c;ZXZpbA==\u{9c}",
        "osc␛]52;c;ZXZpbA==␇\u{fffd}52;c;ZXZpbA==\u{fffd}",
    ),
    (
        "clears the screen",
        "csi\u{1b}[2J\u{1b}[H\u{9b}2J",
        "csi␛[2J␛[H\u{fffd}2J",
    ),
    (
        "writes over the line, beeps and deletes",
        "cr\u{8}\u{7}\u{7f}\rpassed",
        "cr␈␇␡␍passed",
    ),
    (
        "hides and colours what follows",
        "sgr\u{1b}[8m\u{1b}[32mgreen",
        "sgr␛[8m␛[32mgreen",
    ),
    (
        "turns the order around and hides",
        "bidi\u{202e}txt\u{2066}.exe\u{200b}\u{e0041}",
        "bidi\u{fffd}txt\u{fffd}.exe\u{fffd}\u{fffd}",
    ),
];

/// What the command itself sends to a terminal: colours, the redrawing of what it has drawn, the cursor.
const OWN: [&str; 17] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[36m",
    "\u{1b}[2K",
    "\u{1b}[1A",
    "\u{1b}[2A",
    "\u{1b}[3A",
    "\u{1b}[1B",
    "\u{1b}[J",
    "\u{1b}[0J",
    "\u{1b}[?25l",
    "\u{1b}[?25h",
    "\r",
];

fn steers(c: char) -> bool {
    let hides = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{e0000}'..='\u{e01ef}');
    (c.is_control() && c != '\n') || hides
}

/// What is wrong with texts that were printed or written.
#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    /// Nothing in a text but what is the command's own steers what shows it.
    fn check_harmless(&mut self, what: &str, text: &str, own: &[&str]) {
        for (does, name, _) in NAMES {
            if text.contains(name) {
                self.0.push(format!("{what}: a name {does}: {text:?}"));
            }
        }
        let others = |text: String, own: &&str| text.replace(own, "");
        let plain = own.iter().fold(text.to_owned(), others);
        if let Some(found) = plain.chars().find(|c| steers(*c)) {
            self.0.push(format!("{what}: {found:?} in {plain:?}"));
        }
    }

    /// The same, and every name can be seen.
    fn check_shown(&mut self, what: &str, text: &str, own: &[&str]) {
        self.check_harmless(what, text, own);
        for (_, _, shown) in NAMES {
            if !text.contains(shown) {
                self.0.push(format!("{what}: no {shown}: {text:?}"));
            }
        }
    }
}

/// A forge with a pull request `acme/app#1` that waits for checks of those names.
fn forge_with_hostile_checks(gate: &CheckGate) -> ForgeServer {
    let forge = ForgeServer::start();
    let toml: String = (NAMES.iter())
        .map(|(_, name, _)| {
            let quoted = serde_json::to_string(name)
                .unwrap()
                .replace('\u{7f}', "\\u007f");
            gate.forge_toml().replace("\"gate\"", &quoted)
        })
        .collect();
    forge.import_files(
        "acme/app",
        &[(".forge.toml", &toml), ("a.txt", "a\n")],
        &[("a.txt", "b\n")],
    );
    forge
}

/// All files of a folder in one text.
fn files_in(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap();
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    texts.collect()
}

/// The names that a line of JSON tells are those that were given: they came all the way.
fn assert_names_came(loop_line: &Value) {
    let checks = loop_line["ci"]["checks"].as_array().unwrap();
    for (does, name, _) in NAMES {
        assert!(
            checks.iter().any(|check| check["name"] == name),
            "{does}: {loop_line:#}"
        );
    }
}

#[test]
fn names_of_checks_steer_no_terminal_and_hide_nothing_in_a_pipe() {
    let gate = CheckGate::new();
    let forge = forge_with_hostile_checks(&gate);
    let home = TestHome::new(&forge);
    let mut command = home.collie(&["watch", "acme/app#1"]);
    command.env("COLLIE_LOG", "trace");
    let watch = TerminalCommand::start(command);
    watch.wait_until_shown("not finished");
    // By then every check is there.
    wait_until_blocking("the checks", || {
        home.status("acme/app#1")["ci"]["checks"]
            .as_array()
            .unwrap()
            .len()
            == NAMES.len()
    });
    assert_names_came(&home.status("acme/app#1"));

    let mut problems = Problems::default();
    let on_terminal = |args: &[&str]| TerminalCommand::start(home.collie(args)).finish();
    problems.check_shown("status on a terminal", &on_terminal(&["status"]), &OWN);
    problems.check_shown("status in a pipe", &home.run(&["status"]).stdout, &[]);
    let log = ["log", "acme/app#1"];
    problems.check_harmless("log on a terminal", &on_terminal(&log), &OWN);
    problems.check_harmless("log in a pipe", &home.run(&log).stdout, &[]);
    let json = home.run(&["status", "--json"]).stdout;
    problems.check_harmless("status as JSON", &json, &[]);
    let watched = watch.interrupt();
    problems.check_harmless("watch on a terminal", &watched, &OWN);
    assert!(watched.contains("not finished: osc"), "{watched:?}");

    let mut watch = home.start(&["watch", "acme/app#1"]);
    let mut piped = String::new();
    while !piped.contains("bidi") {
        let line = watch.next_line(std::time::Instant::now() + WAIT_TIMEOUT);
        piped += &line.expect("the checks come");
    }
    problems.check_shown("watch in a pipe", &piped, &[]);
    for folder in ["logs", "audit"] {
        let text = files_in(&home.path().join(folder));
        assert!(!text.is_empty(), "{folder}");
        problems.check_harmless(folder, &text, &[]);
    }
    assert!(problems.0.is_empty(), "{}", problems.0.join("\n"));
}

//! No function is longer than 60 lines, save those that are named here with their reason.
//!
//! What counts are the lines from the word `fn` to the brace that closes the body, comments and all. Functions of tests count where they stand
//! beside what they test; files that hold tests alone are passed over.

use super::{files_below, workspace_root};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 60;

/// Functions that stay longer: file, name, and why they are read more easily whole.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "crates/agents/src/prompting/filter.rs",
        "filter_findings",
        "One pass over the findings; each step is a function already.",
    ),
    (
        "crates/agents/src/prompting/review_prompt.rs",
        "collect_parts",
        "One call a part of the prompt, in the order of their rank.",
    ),
    (
        "crates/app/src/engine_client/local.rs",
        "build_ports_on",
        "One value a port: what an engine reaches the outside by.",
    ),
    (
        "crates/app/src/review/mod.rs",
        "review",
        "One review from its preparation to what was posted, step by step.",
    ),
    (
        "crates/app/src/review/run_reviewers.rs",
        "run_reviewers",
        "All seats at once, and what the first failure stops.",
    ),
    (
        "crates/core/src/step/mod.rs",
        "answered",
        "One exhaustive match: each effect with its answers.",
    ),
    (
        "crates/core/src/step/single_review.rs",
        "review_once",
        "What a loop would make of one review, in the order of the loop.",
    ),
    (
        "crates/core/src/test_support.rs",
        "deliver",
        "One exhaustive match: what a test's GitHub answers to each effect.",
    ),
    (
        "crates/core/src/blocker.rs",
        "args",
        "One exhaustive match: each blocker to what its text takes up.",
    ),
    (
        "crates/wire/src/rpc/command.rs",
        "topic",
        "One match over every command, so that a new one does not compile until it is decided here.",
    ),
    (
        "crates/server/src/visibility.rs",
        "needs",
        "One match over every command, so that a new one does not compile until it is decided here.",
    ),
    (
        "crates/config/src/resolve.rs",
        "apply_layer",
        "Every field of a layer is named, so that a new one does not compile until it is resolved here.",
    ),
    (
        "crates/config/src/tighten.rs",
        "tighten",
        "Every field of a layer is named, so that a new one does not compile until it is decided here.",
    ),
    (
        "crates/wire/src/json_lines.rs",
        "note_text",
        "One exhaustive match: each remark to its text.",
    ),
    (
        "crates/engine/src/audit.rs",
        "note_entry",
        "One exhaustive match: each remark to its entry, if it has one.",
    ),
    (
        "crates/i18n/src/renderer.rs",
        "render_post",
        "One exhaustive match: each sort of post to its body.",
    ),
    (
        "crates/agents/src/acp/failure.rs",
        "from",
        "One exhaustive match: each failure of an agent to its code and values.",
    ),
    (
        "crates/agents/src/llm/failure.rs",
        "from",
        "One exhaustive match: each failure of a model to its code and values.",
    ),
    (
        "crates/app/src/backend/commands.rs",
        "dispatch",
        "One exhaustive match: each command of the contract to what carries it out.",
    ),
    (
        "crates/app/src/backend/settings/schema.rs",
        "limits",
        "A table: each limit's key, where it is written and what it comes to.",
    ),
    (
        "crates/config/src/error_kind.rs",
        "from",
        "One exhaustive match: each kind of problem to its values.",
    ),
    (
        "crates/merge/src/refusal.rs",
        "every_refusal",
        "A table for tests: an example of each refusal.",
    ),
    (
        "crates/wire/src/rpc/command.rs",
        "stale_topics",
        "One match over every command, so that a new one does not compile until it is decided here.",
    ),
    (
        "crates/wire/src/rpc/typescript.rs",
        "response_types",
        "One line a command; a test holds that none is missing.",
    ),
    (
        "crates/cli/src/doctor.rs",
        "rebuild",
        "One step after the other, each told.",
    ),
    ("crates/cli/src/lib.rs", "run", "A match over all commands."),
    (
        "crates/server/src/metrics.rs",
        "default",
        "One metric after the other.",
    ),
    (
        "crates/app/src/eval/run.rs",
        "run",
        "One case after the other, each counted.",
    ),
    (
        "crates/forge/src/webhooks/events.rs",
        "pull_events",
        "A match over what may happen to a pull request.",
    ),
];

/// A function, and how many lines it takes.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    lines: usize,
}

/// Reads every function with a body of a Rust source, those within others too.
fn functions_in_rust(source: &str) -> Vec<Function> {
    let tokens: TokenStream = source.parse().expect("Rust");
    let mut found = Vec::new();
    collect_functions(tokens, &mut found);
    found
}

fn collect_functions(tokens: TokenStream, found: &mut Vec<Function>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect_functions(group.stream(), found),
            TokenTree::Ident(word) if word == "fn" => {
                // A type such as `fn(u8)` names none.
                if let Some(TokenTree::Ident(name)) = tokens.get(at + 1)
                    && let Some(end) = last_line(&tokens[at..])
                {
                    found.push(Function {
                        name: name.to_string(),
                        lines: end + 1 - word.span().start().line,
                    });
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The line of the brace that closes a function's body; none where a trait only declares it.
fn last_line(tokens: &[TokenTree]) -> Option<usize> {
    for token in tokens {
        match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                return Some(body.span_close().end().line);
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            _ => {}
        }
    }
    None
}

/// Every source of the workspace by its path, without those that hold tests alone.
fn sources() -> BTreeMap<String, String> {
    let root = workspace_root();
    let crates = std::fs::read_dir(root.join("crates")).expect("readable");
    let mut folders: Vec<PathBuf> = crates
        .map(|entry| entry.expect("readable").path().join("src"))
        .collect();
    folders.push(root.join("src-tauri/src"));
    let mut sources = BTreeMap::new();
    for file in folders.iter().flat_map(|folder| files_below(folder)) {
        let below = file.strip_prefix(&root).expect("below the root");
        if below.extension().is_some_and(|end| end == "rs") && !holds_tests_alone(below) {
            let text = std::fs::read_to_string(&file).expect("UTF-8");
            sources.insert(below.to_str().expect("UTF-8").to_owned(), text);
        }
    }
    sources
}

fn holds_tests_alone(file: &Path) -> bool {
    file.components().any(|part| {
        let part = part.as_os_str();
        part == "tests" || part == "tests.rs"
    })
}

#[test]
fn no_function_is_longer_than_sixty_lines_but_those_that_are_named() {
    let mut count = 0;
    let mut new: Vec<(String, String)> = Vec::new();
    let mut shown = String::new();
    for (file, text) in sources() {
        for Function { name, lines } in functions_in_rust(&text) {
            count += 1;
            if lines > MOST_LINES {
                shown += &format!("{lines} {file} {name}\n");
                new.push((file.clone(), name));
            }
        }
    }
    assert!(count > 4_000, "only {count} functions were seen");
    // One entry stands for one function, also where a file has others of the name.
    let mut gone = Vec::new();
    for &(file, name, reason) in ALLOWED {
        assert!(reason.len() > 20, "{name} in {file} is named without one");
        match new
            .iter()
            .position(|long| (long.0.as_str(), long.1.as_str()) == (file, name))
        {
            Some(at) => drop(new.swap_remove(at)),
            None => gone.push((file, name)),
        }
    }
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}\n{shown}"
    );
}

#[test]
fn a_function_is_measured_from_its_word_to_its_brace_wherever_it_stands() {
    let check = |source: &str, expected: &[(&str, usize)]| {
        let found = functions_in_rust(source);
        let found: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.lines)).collect();
        assert_eq!(found, expected, "{source}");
    };
    check("fn a() {}", &[("a", 1)]);
    check(
        "#[inline]\n/// Text.\npub(crate) async fn a(\n    b: u8,\n) {\n    // why\n\n}",
        &[("a", 6)],
    );
    check("impl A for B {\n fn a() {\n }\n}", &[("a", 2)]);
    check("trait A {\n fn a();\n fn b() {\n }\n}", &[("b", 2)]);
    check("#[cfg(test)]\nmod tests {\n fn a() {\n }\n}", &[("a", 2)]);
    check("fn a() {\n fn b() {\n }\n}", &[("a", 4), ("b", 2)]);
    check("m! { fn a() {\n} }", &[("a", 2)]);
    // A type, a comment and a text hold none.
    check(
        "type A = fn(u8);\n// fn a() {}\nconst B: &str = \"fn b() {}\";",
        &[],
    );
}

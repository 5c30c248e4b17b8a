//! Promise 1 from the sources' side: no call that merges stands outside the forge and the crate that merges (§11).
//!
//! Sources are read as tokens, so that neither a comment nor a test hides what ships, and nothing that ships is taken for a test:
//! of a file only the very items that bear `#[cfg(test)]` are passed over, not what follows them.

use super::{files_below, metadata, shell_package};
use cargo_metadata::Package;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// GitHub merges by these only: REST's `…/merge` and `…/merges`, and GraphQL's mutations.
const MUTATIONS: [&str; 4] = [
    "mergepullrequest",
    "enablepullrequestautomerge",
    "enqueuepullrequest",
    "mergebranch",
];

/// Whether a text, as a literal or a query, is part of a call that merges.
fn is_merge_call(text: &str) -> bool {
    let lower = text.to_lowercase();
    let path = lower.split(['?', '#']).next().unwrap_or_default();
    let route = ["/merge", "/merges"].iter().any(|end| path.ends_with(end));
    route || MUTATIONS.iter().any(|mutation| lower.contains(mutation))
}

/// Calls that merge in a Rust source; what only tests are built with is left out.
fn merge_calls_in_rust(source: &str) -> Vec<String> {
    let tokens: TokenStream = source.parse().expect("Rust");
    let mut found = Vec::new();
    collect_merge_calls(tokens, &mut found);
    found
}

fn collect_merge_calls(tokens: TokenStream, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut before = [None, None];
    while let Some(token) = tokens.next() {
        if let (TokenTree::Punct(hash), Some(TokenTree::Group(attribute))) = (&token, tokens.peek())
            && hash.as_char() == '#'
            && attribute.delimiter() == Delimiter::Bracket
        {
            let text = attribute.stream().to_string();
            // `doc = "…"` is how a comment comes.
            let comment = text.starts_with("doc ");
            let test = text.replace(' ', "") == "cfg(test)";
            if comment || test {
                tokens.next();
            }
            if test {
                skip_item(&mut tokens);
            }
            continue;
        }
        match &token {
            TokenTree::Group(group) => collect_merge_calls(group.stream(), found),
            TokenTree::Literal(literal) => found.extend(
                Some(literal_value(&literal.to_string())).filter(|literal| is_merge_call(literal)),
            ),
            TokenTree::Ident(name) => {
                let name = name.to_string();
                let squeezed = name.replace('_', "").to_lowercase();
                // octocrab's own way: `.pulls(…).merge(…)`, and calls named like the mutations.
                let method = before == [Some(')'.to_string()), Some('.'.to_string())];
                let call = matches!(tokens.peek(), Some(TokenTree::Group(_)));
                if MUTATIONS.contains(&squeezed.as_str()) || (name == "merge" && method && call) {
                    found.push(name);
                }
            }
            TokenTree::Punct(_) => {}
        }
        let shown = match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                ")".to_owned()
            }
            other => other.to_string(),
        };
        before = [before[1].take(), Some(shown)];
    }
}

/// Every identifier of a Rust source, in order; what only tests are built with is left out, and comments.
pub(crate) fn identifiers_in_rust(source: &str) -> Vec<String> {
    fn collect(tokens: TokenStream, found: &mut Vec<String>) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            if let (TokenTree::Punct(hash), Some(TokenTree::Group(attribute))) =
                (&token, tokens.peek())
                && hash.as_char() == '#'
                && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
            {
                tokens.next();
                skip_item(&mut tokens);
                continue;
            }
            match token {
                TokenTree::Group(group) => collect(group.stream(), found),
                TokenTree::Ident(name) => found.push(name.to_string()),
                TokenTree::Literal(_) | TokenTree::Punct(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(source.parse().expect("Rust"), &mut found);
    found
}

/// Passes over the item that an attribute belongs to: up to its body or its semicolon.
pub(crate) fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(punct) if punct.as_char() == ';' => return,
            _ => {}
        }
    }
}

/// What stands between a literal's quotes.
fn literal_value(literal: &str) -> String {
    literal
        .trim_start_matches(['b', 'c', 'r', '#'])
        .trim_end_matches('#')
        .trim_matches('"')
        .to_owned()
}

/// Every source that ships of the crates that must not be able to merge, with what it says.
fn shipped_sources() -> Vec<(String, PathBuf, String)> {
    let metadata = metadata();
    let shell = shell_package(&metadata);
    let folder = |package: &Package| {
        let mut folder = PathBuf::from(package.manifest_path.parent().expect("a folder"));
        if package.id == shell {
            // Its own folder holds all others.
            folder.push("src-tauri");
        }
        folder
    };
    let mut sources = Vec::new();
    for package in metadata.workspace_packages() {
        if matches!(package.name.as_str(), "collie-forge" | "collie-merge") {
            continue;
        }
        for file in files_below(&folder(package)) {
            let extension = file.extension().and_then(|end| end.to_str());
            if is_shipped(&file) && matches!(extension, Some("rs" | "graphql")) {
                let text = std::fs::read_to_string(&file).expect("UTF-8");
                sources.push((package.name.to_string(), file, text));
            }
        }
    }
    sources
}

/// Whether a file is part of what is built for people; modules of tests stand in files of their own or in these folders.
pub(crate) fn is_shipped(file: &Path) -> bool {
    !file.components().any(|part| {
        matches!(
            part.as_os_str().to_str(),
            Some("tests" | "benches" | "tests.rs" | "test_support.rs" | "target" | "node_modules")
        )
    })
}

fn merge_calls_in(file: &Path, text: &str) -> Vec<String> {
    if file.extension().is_some_and(|end| end == "graphql") {
        let mutation = text.lines().filter(|line| is_merge_call(line));
        return mutation.map(str::to_owned).collect();
    }
    merge_calls_in_rust(text)
}

#[test]
fn nothing_outside_the_forge_and_the_merge_crate_holds_a_call_that_merges() {
    for (_, file, text) in shipped_sources() {
        let found = merge_calls_in(&file, &text);
        assert!(found.is_empty(), "{} holds {found:?}", file.display());
    }
}

#[test]
fn a_call_that_merges_would_be_seen_in_every_file_wherever_it_stands() {
    let calls = [
        "fn f() { let _ = format!(\"/repos/{}/pulls/{}/merge\", 1, 2); }",
        "const M: &str = r#\"mutation { mergePullRequest(input: {}) { clientMutationId } }\"#;",
        "async fn f(o: &Octocrab) { o.pulls(a, b).merge(1).send().await; }",
        "fn f() { post(\"/repos/acme/api/merges?x=1\") }",
    ];
    let sources = shipped_sources();
    for (_, file, text) in &sources {
        if file.extension().is_some_and(|end| end == "graphql") {
            let more = format!("{text}\nmutation M {{ enqueuePullRequest(input: {{}}) {{ x }} }}");
            assert_eq!(merge_calls_in(file, &more).len(), 1, "{}", file.display());
            continue;
        }
        // Below everything: beyond each item that only tests are built with.
        let found = merge_calls_in_rust(&format!("{text}\n{}", calls.join("\n")));
        assert_eq!(found.len(), calls.len(), "{} hides one", file.display());
    }
    let crates: std::collections::BTreeSet<_> = sources.iter().map(|(name, ..)| name).collect();
    assert!(crates.len() >= 12, "only {crates:?} were looked at");
    assert!(sources.len() > 300, "only {} files", sources.len());
}

#[test]
fn what_only_tests_are_built_with_may_name_a_call_that_merges() {
    let test = "#[cfg(test)]\nmod tests { fn f() { let _ = \"/pulls/1/merge\"; } }";
    assert!(merge_calls_in_rust(test).is_empty());
    assert!(merge_calls_in_rust("/// `PUT /pulls/1/merge`\n// \"/merge\"\nfn f() {}").is_empty());
    assert_eq!(
        merge_calls_in_rust("#[cfg(not(test))] fn f() { \"/x/merge\"; }").len(),
        1
    );
    assert_eq!(
        merge_calls_in_rust("#[cfg(test)] mod a; fn f() { \"/x/merge\"; }").len(),
        1
    );
}

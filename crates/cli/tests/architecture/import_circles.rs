//! No files of a crate import each other in a circle, save those that are named here with their reason.
//!
//! What counts is what a source says: the paths of its `use`s and of its code, as tokens, resolved through re-exports to the file that defines
//! what they name. A module that declares or re-exports its children does not import them by that; a child that names what its parent
//! defines imports the parent. What only tests are built with is passed over.

use super::merge_calls::{is_shipped, skip_item};
use super::{files_below, metadata, workspace_root};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Circles that stay: all their files, and why none of them can do without the others.
const ALLOWED: &[(&[&str], &str)] = &[
    (
        &[
            "crates/agents/src/prompting/enclosing.rs",
            "crates/agents/src/prompting/file_parts.rs",
            "crates/agents/src/prompting/file_tree.rs",
            "crates/agents/src/prompting/finding_context.rs",
            "crates/agents/src/prompting/groups.rs",
            "crates/agents/src/prompting/guideline_parts.rs",
            "crates/agents/src/prompting/hunks.rs",
            "crates/agents/src/prompting/judgements.rs",
            "crates/agents/src/prompting/layers.rs",
            "crates/agents/src/prompting/material.rs",
            "crates/agents/src/prompting/prompt_parts.rs",
            "crates/agents/src/prompting/related.rs",
            "crates/agents/src/prompting/relevance.rs",
            "crates/agents/src/prompting/review_prompt.rs",
        ],
        "A part of a change is material, and what it is grouped by are prompts of that material: `ReviewPart` should stand by itself.",
    ),
    (
        &[
            "crates/reviewers/src/context.rs",
            "crates/reviewers/src/gather.rs",
            "crates/reviewers/src/lib.rs",
        ],
        "`Panel` in `lib.rs` keeps the cache of what its own methods in `context.rs` find.",
    ),
    (
        &["crates/rules/src/aliases.rs", "crates/rules/src/ruleset.rs"],
        "A rule's aliases are read of a rule, and the rules keep them by rule.",
    ),
    (
        &[
            "crates/rules/src/symbols/grammar.rs",
            "crates/rules/src/symbols/outline.rs",
        ],
        "A grammar says what an outline is made of, and outlines name the kinds of it.",
    ),
    (
        &[
            "crates/forge/src/graphql.rs",
            "crates/forge/src/graphql/actors.rs",
            "crates/forge/src/graphql/auto_merge.rs",
            "crates/forge/src/graphql/checks.rs",
            "crates/forge/src/graphql/comments.rs",
            "crates/forge/src/graphql/commits.rs",
            "crates/forge/src/graphql/issues.rs",
            "crates/forge/src/graphql/labels.rs",
            "crates/forge/src/graphql/merge_mutations.rs",
            "crates/forge/src/graphql/merge_queue.rs",
            "crates/forge/src/graphql/merge_queue_events.rs",
            "crates/forge/src/graphql/mutation.rs",
            "crates/forge/src/graphql/nodes.rs",
            "crates/forge/src/graphql/owned_repositories.rs",
            "crates/forge/src/graphql/pull.rs",
            "crates/forge/src/graphql/query.rs",
            "crates/forge/src/graphql/repository.rs",
            "crates/forge/src/graphql/review_mutations.rs",
            "crates/forge/src/graphql/reviews.rs",
            "crates/forge/src/graphql/threads.rs",
        ],
        "Types that describe each other: GitHub's schema is a graph, in which a pull request has a repository that has pull requests.",
    ),
    (
        &[
            "crates/engine/src/ports/command_spending.rs",
            "crates/engine/src/ports/journal.rs",
        ],
        "What commands spend is part of what the journal keeps, and is told in the journal's own errors.",
    ),
    (
        &[
            "crates/forge/src/actions/comments.rs",
            "crates/forge/src/actions/forks.rs",
            "crates/forge/src/actions/merge.rs",
            "crates/forge/src/actions/pulls.rs",
            "crates/forge/src/actions/reviews.rs",
            "crates/forge/src/actions/threads.rs",
            "crates/forge/src/auth.rs",
            "crates/forge/src/bots.rs",
            "crates/forge/src/checks.rs",
            "crates/forge/src/faults.rs",
            "crates/forge/src/faults/injected_fault.rs",
            "crates/forge/src/faults/request_log.rs",
            "crates/forge/src/lib.rs",
            "crates/forge/src/rest/device_flow.rs",
            "crates/forge/src/rest/json_objects/check.rs",
            "crates/forge/src/rest/json_objects/conversation.rs",
            "crates/forge/src/rest/json_objects/issue.rs",
            "crates/forge/src/rest/json_objects/mod.rs",
            "crates/forge/src/rest/json_objects/pull.rs",
            "crates/forge/src/rest/json_objects/reaction.rs",
            "crates/forge/src/rest/json_objects/repo.rs",
            "crates/forge/src/rest/request.rs",
            "crates/forge/src/webhooks/events.rs",
            "crates/forge/src/webhooks/mod.rs",
            "crates/forge/src/webhooks/payloads.rs",
        ],
        "The forge is one state: every action changes it, tells its hooks of that in the same objects that answers are made of, and asks who is signed in.",
    ),
    (
        &[
            "crates/server/src/device.rs",
            "crates/server/src/state.rs",
            "crates/server/src/webhooks/intake.rs",
            "crates/server/src/webhooks/mod.rs",
        ],
        "Intake and codes belong to the server's state, which answers of them need.",
    ),
    (
        &[
            "crates/store/src/command_spending.rs",
            "crates/store/src/runs.rs",
            "crates/store/src/spending.rs",
            "crates/store/src/store.rs",
        ],
        "What loops and commands spend is one sum, kept by the store that both are part of.",
    ),
];

type ModulePath = Vec<String>;

/// One leaf of a `use`: what it names, under which name, and whether others see it there.
#[derive(Clone, Debug)]
struct Import {
    path: Vec<String>,
    /// `*` for everything.
    name: String,
    public: bool,
}

/// What a module says of others.
#[derive(Clone, Debug, Default)]
struct Module {
    file: String,
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in the code, and single names as paths of one.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of one crate.
type Modules = BTreeMap<ModulePath, Module>;

/// Reads a crate's sources, given by their paths below `src`.
fn read_modules(sources: &BTreeMap<String, String>) -> Modules {
    let mut modules = Modules::new();
    let library = sources.contains_key("lib.rs");
    for (file, text) in sources {
        // Beside a library the program is a crate of its own.
        if library && file == "main.rs" {
            continue;
        }
        let stem = file.trim_end_matches(".rs");
        let mut path: ModulePath = stem.split('/').map(str::to_owned).collect();
        if matches!(
            path.last().map(String::as_str),
            Some("mod" | "lib" | "main")
        ) {
            path.pop();
        }
        let tokens: TokenStream = text.parse().expect("Rust");
        read_module(tokens, file, &path, &mut modules);
    }
    modules
}

fn read_module(tokens: TokenStream, file: &str, path: &ModulePath, modules: &mut Modules) {
    let module = modules.entry(path.clone()).or_default();
    file.clone_into(&mut module.file);
    let inner = collect_names(tokens, true, module);
    for (name, tokens) in inner {
        let mut path = path.clone();
        path.push(name);
        read_module(tokens, file, &path, modules);
    }
}

/// Collects imports, definitions and paths; gives back the modules that stand within.
fn collect_names(
    tokens: TokenStream,
    top: bool,
    module: &mut Module,
) -> Vec<(String, TokenStream)> {
    let tokens: Vec<TokenTree> = without_tests(tokens);
    let mut inner = Vec::new();
    let mut public = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(group) => {
                inner.extend(collect_names(group.stream(), false, module));
            }
            TokenTree::Ident(word) => match word.to_string().as_str() {
                "pub" => {
                    public = true;
                    // `(crate)`, `(super)`
                    let scope = |token: &&TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
                    at += usize::from(tokens.get(at).filter(scope).is_some());
                    continue;
                }
                "use" => {
                    let end = tokens[at..].iter().position(|token| is_punct(token, ';'));
                    let end = at + end.unwrap_or(tokens.len() - at);
                    read_use(&tokens[at..end], &[], public, &mut module.imports);
                    at = end;
                }
                "mod" => {
                    if let (Some(name), Some(TokenTree::Group(body))) =
                        (tokens.get(at), tokens.get(at + 1))
                    {
                        inner.push((name.to_string(), body.stream()));
                        at += 2;
                    } else {
                        // A declaration names no more than the file.
                        at += 1;
                    }
                }
                kind @ ("struct" | "enum" | "trait" | "type" | "const" | "static" | "fn"
                | "union" | "macro_rules") => {
                    at += usize::from(kind == "macro_rules");
                    if let (true, Some(TokenTree::Ident(name))) = (top, tokens.get(at)) {
                        module.defined.insert(name.to_string());
                        at += 1;
                    }
                }
                first => {
                    let mut path = vec![first.to_owned()];
                    while let (Some(a), Some(b), Some(TokenTree::Ident(next))) =
                        (tokens.get(at), tokens.get(at + 1), tokens.get(at + 2))
                        && is_punct(a, ':')
                        && is_punct(b, ':')
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    module.paths.insert(path);
                }
            },
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
        public = false;
    }
    inner
}

/// Leaves out each item that bears `#[cfg(test)]`.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let (true, Some(TokenTree::Group(attribute))) = (is_punct(&token, '#'), tokens.peek())
            && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
        {
            tokens.next();
            skip_item(&mut tokens);
            continue;
        }
        kept.push(token);
    }
    kept
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// The leaves of one tree of a `use`.
fn read_use(tokens: &[TokenTree], above: &[String], public: bool, found: &mut Vec<Import>) {
    let mut path = above.to_vec();
    let mut name = None;
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => {
                name = rest.next().map(ToString::to_string);
            }
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Punct(star) if star.as_char() == '*' => name = Some("*".into()),
            TokenTree::Group(group) => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                for tree in tokens.split(|token| is_punct(token, ',')) {
                    if !tree.is_empty() {
                        read_use(tree, &path, public, found);
                    }
                }
                return;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
    found.push(Import { path, name, public });
}

/// Where a path leads that stands in a module: the modules on its way whose files define something of it. None leads out of the crate.
fn resolve(
    modules: &Modules,
    within: &ModulePath,
    path: &[String],
    depth: u8,
) -> Option<ModulePath> {
    let mut at = within.clone();
    let mut rest = path.iter().peekable();
    match path.first()?.as_str() {
        "crate" => {
            at.clear();
            rest.next();
        }
        "self" | "super" => {
            while let Some(word) = rest.next_if(|word| matches!(word.as_str(), "self" | "super")) {
                if word == "super" {
                    at.pop()?;
                }
            }
        }
        first => {
            let mut child = at.clone();
            child.push(first.to_owned());
            let module = &modules[&at];
            let bound = module.imports.iter().any(|import| import.name == first);
            if !modules.contains_key(&child) && !bound {
                return None;
            }
        }
    }
    while let Some(name) = rest.next() {
        let mut child = at.clone();
        child.push(name.clone());
        if modules.contains_key(&child) {
            at = child;
            continue;
        }
        let module = modules.get(&at)?;
        if module.defined.contains(name) || depth == 0 {
            return Some(at);
        }
        let named = module.imports.iter().find(|import| import.name == *name);
        if let Some(import) = named {
            let mut path = import.path.clone();
            path.extend(rest.cloned());
            return resolve(modules, &at, &path, depth - 1);
        }
        let globs = module.imports.iter().filter(|import| import.name == "*");
        let through = globs.filter_map(|import| resolve(modules, &at, &import.path, depth - 1));
        let mut through = through.filter(|target| modules[target].defined.contains(name));
        return Some(through.next().unwrap_or(at));
    }
    Some(at)
}

/// Which file imports which.
fn imports(modules: &Modules) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, module) in modules {
        let used = |name: &str| module.paths.iter().any(|path| path[0] == name);
        let imported = module.imports.iter().filter(|import| {
            let target = resolve(modules, path, &import.path, 8);
            // A child that is shown to others only.
            let child = target.is_some_and(|target| target.starts_with(path));
            !(child && import.public) || used(&import.name)
        });
        let imported = imported.map(|import| &import.path);
        for named in imported.chain(module.paths.iter().filter(|path| path.len() > 1)) {
            let Some(target) = resolve(modules, path, named, 8) else {
                continue;
            };
            let target = &modules[&target].file;
            if *target != module.file {
                edges
                    .entry(module.file.clone())
                    .or_default()
                    .insert(target.clone());
            }
        }
    }
    edges
}

/// Files that reach each other, two or more, each group sorted.
fn circles(edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached = |from: &String| -> BTreeSet<&String> {
        let mut seen = BTreeSet::new();
        let mut queue: Vec<&String> = edges.get(from).into_iter().flatten().collect();
        while let Some(file) = queue.pop() {
            if seen.insert(file) {
                queue.extend(edges.get(file).into_iter().flatten());
            }
        }
        seen
    };
    let reach: BTreeMap<&String, _> = edges.keys().map(|file| (file, reached(file))).collect();
    let mut found = BTreeSet::new();
    for (file, seen) in &reach {
        let back = |other: &&&String| reach.get(**other).is_some_and(|seen| seen.contains(file));
        let circle: Vec<String> = seen
            .iter()
            .filter(back)
            .map(|file| (**file).clone())
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found
}

/// The sources of every crate that ship, by folder and their path below it.
fn crate_sources() -> BTreeMap<String, BTreeMap<String, String>> {
    let (root, metadata) = (workspace_root(), metadata());
    let mut crates = BTreeMap::new();
    for package in metadata.workspace_packages() {
        let folder = Path::new(package.manifest_path.parent().expect("a folder").as_str());
        let folder = if folder == root {
            root.join("src-tauri/src")
        } else {
            folder.join("src")
        };
        let mut sources = BTreeMap::new();
        for file in files_below(&folder) {
            let below = file.strip_prefix(&folder).expect("below it");
            if is_shipped(below) && file.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&file).expect("UTF-8");
                sources.insert(below.to_str().expect("UTF-8").to_owned(), text);
            }
        }
        let folder = folder.strip_prefix(&root).expect("below the root");
        crates.insert(folder.to_str().expect("UTF-8").to_owned(), sources);
    }
    crates
}

#[test]
fn no_files_import_each_other_in_a_circle_but_those_that_are_named() {
    let mut found = BTreeSet::new();
    let mut shown = String::new();
    let mut count = 0;
    for (folder, sources) in crate_sources() {
        let edges = imports(&read_modules(&sources));
        count += edges.values().map(BTreeSet::len).sum::<usize>();
        for circle in circles(&edges) {
            for file in &circle {
                let within = edges[file].iter().filter(|other| circle.contains(other));
                let within: Vec<_> = within.map(String::as_str).collect();
                shown += &format!("{folder}/{file} -> {}\n", within.join(", "));
            }
            shown += "\n";
            let files = circle.iter().map(|file| format!("{folder}/{file}"));
            found.insert(files.collect::<Vec<_>>());
        }
    }
    assert!(count > 600, "only {count} imports were seen");
    let allowed: BTreeSet<Vec<String>> = ALLOWED
        .iter()
        .map(|(files, _)| files.iter().map(|&file| file.to_owned()).collect())
        .collect();
    for (files, reason) in ALLOWED {
        assert!(reason.len() > 20, "{files:?} are named without a reason");
    }
    let new: Vec<_> = found.difference(&allowed).collect();
    let gone: Vec<_> = allowed.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}\n{shown}"
    );
}

#[test]
fn a_circle_is_seen_through_groups_re_exports_parents_and_paths() {
    let check = |sources: &[(&str, &str)], expected: &[&[&str]]| {
        let owned = |&(file, text): &(&str, &str)| (file.to_owned(), text.to_owned());
        let edges = imports(&read_modules(&sources.iter().map(owned).collect()));
        let found: Vec<Vec<String>> = circles(&edges).into_iter().collect();
        assert_eq!(found, expected, "{sources:?}");
    };
    let two: &[&[&str]] = &[&["a.rs", "b.rs"]];
    check(
        &[
            ("a.rs", "use crate::b::{B, C as D};"),
            ("b.rs", "fn f() -> Vec<crate::a::A> { todo!() }"),
            ("lib.rs", "mod a; mod b;"),
        ],
        two,
    );
    // Through what the root shows, which takes no part in it.
    check(
        &[
            ("a.rs", "use crate::B;"),
            ("b.rs", "use super::A;"),
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
        ],
        &[],
    );
    check(
        &[
            ("a.rs", "use crate::B; pub struct A;"),
            ("b.rs", "use super::A; pub struct B;"),
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
        ],
        two,
    );
    let parent: &[&[&str]] = &[&["a/b.rs", "a/mod.rs"]];
    let child = ("a/b.rs", "use super::A; pub struct B;");
    check(
        &[child, ("a/mod.rs", "mod b; pub use b::B; pub struct A;")],
        &[],
    );
    check(
        &[child, ("a/mod.rs", "mod b; pub use b::B; pub struct A(B);")],
        parent,
    );
    check(
        &[
            child,
            ("a/mod.rs", "mod b; pub struct A; fn f() { b::g() }"),
        ],
        parent,
    );
    check(
        &[
            child,
            (
                "a/mod.rs",
                "mod b; pub struct A; #[cfg(test)] mod tests { fn f() { super::b::g() } }",
            ),
        ],
        &[],
    );
}

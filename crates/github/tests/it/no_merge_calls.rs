//! Nothing in this crate can merge (§11).

use std::path::Path;

/// Ways to merge, or to have merged, through GitHub's API or octocrab; in small letters.
const FORBIDDEN_TEXTS: [&str; 12] = [
    "/merge",
    "mergepullrequest",
    "enablepullrequestautomerge",
    "enqueuepullrequest",
    "mergebranch",
    "updatepullrequestbranch",
    "update-branch",
    ".merge(",
    "pulls()",
    "method::put",
    "method::patch",
    "method::delete",
];

/// The one use of such a method, in small letters: it dismisses a review of Collie's own (§18.2), at a path that leads nowhere else.
const DISMISSAL: &str =
    "/pulls/{number}/reviews/{review}/dismissals\");\n        self.write(method::put, &path, body)";

fn collect_files(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect_files(&path, found);
        } else {
            let text = std::fs::read_to_string(&path).expect("a text");
            found.push((path.display().to_string(), text));
        }
    }
}

#[test]
fn no_source_and_no_query_names_a_way_to_merge() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect_files(&root.join("src"), &mut found);
    collect_files(&root.join("queries"), &mut found);
    assert!(
        found.len() > 30,
        "sources and queries were found: {}",
        found.len()
    );
    for (path, text) in &found {
        let mut text = text.to_ascii_lowercase();
        if path.ends_with("api_client.rs") {
            assert!(text.contains(DISMISSAL), "{path} dismisses no review");
            text = text.replacen(DISMISSAL, "", 1);
        }
        for forbidden in FORBIDDEN_TEXTS {
            assert!(!text.contains(forbidden), "{path} has `{forbidden}`");
        }
    }
    let mutations: Vec<&str> = found
        .iter()
        .filter(|(path, _)| path.ends_with(".graphql"))
        .flat_map(|(_, text)| text.lines())
        .filter(|line| line.starts_with("mutation"))
        .collect();
    assert_eq!(mutations, ["mutation ResolveThread($thread: ID!) {"]);
}

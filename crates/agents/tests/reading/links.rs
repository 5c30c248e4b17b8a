//! Issues and documents that a pull request names.

use collie_agents::prompting::{
    GUIDELINES, LinkKind, MOST_LINKED, guideline_paths, is_guideline, linked_documents,
    linked_issues,
};
use collie_core::ids::RepoName;

fn repo() -> RepoName {
    RepoName::parse("acme/shop").expect("a name")
}

/// `+acme/shop#7` closes it, ` acme/shop#7` names it.
fn issues(description: &str, title: &str, branch: &str) -> Vec<String> {
    linked_issues(description, title, branch, &repo(), "github.com")
        .iter()
        .map(|found| {
            let sign = match found.link {
                LinkKind::Closes => "+",
                LinkKind::Mentions => " ",
            };
            format!("{sign}{}#{}", found.repo, found.number)
        })
        .collect()
}

#[test]
fn issues_are_found_however_they_are_written() {
    let check = |description: &str, expect: &[&str]| {
        assert_eq!(issues(description, "", ""), expect, "{description:?}");
    };
    check("", &[]);
    check("See #7.", &[" acme/shop#7"]);
    for word in [
        "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
        "Fixes:", "CLOSES",
    ] {
        check(&format!("{word} #7"), &["+acme/shop#7"]);
    }
    check(
        "This discloses #7 and prefixes #8",
        &[" acme/shop#7", " acme/shop#8"],
    );
    check("Fixes #1, #2", &["+acme/shop#1", " acme/shop#2"]);
    check("fixes gh-3, see GH-4", &["+acme/shop#3", " acme/shop#4"]);
    check("fixes acme/api#5", &["+acme/api#5"]);
    check(
        "Resolves https://github.com/acme/api/issues/6#issuecomment-1",
        &["+acme/api#6"],
    );
    check(
        "see https://github.com/acme/shop/pull/9.",
        &[" acme/shop#9"],
    );
    check(
        "Fixes [the bug](https://github.com/acme/shop/issues/3)",
        &["+acme/shop#3"],
    );
    check(
        "[#4](https://github.com/acme/shop/issues/4)",
        &[" acme/shop#4"],
    );
    // Named twice: the stronger word counts, and case makes no other repository.
    check("#7 and ACME/Shop#7. Fixes #7", &["+acme/shop#7"]);
    // Other hosts, other pages, no numbers.
    check("fixes https://gitlab.com/acme/shop/issues/6", &[]);
    check("https://github.com/acme/shop/blob/main/issues/6", &[]);
    check("#0 #x C#7 &#39; #7a a/b/c#1x ##5", &[]);
    // Code and comments are nobody's words.
    check(
        "`fixes #1`\n\n```\nfixes #2\n```\n\n    fixes #3\n\n<!-- fixes #4 -->\n\nok",
        &[],
    );
    check("fixes `x` #5", &[" acme/shop#5"]);
    // Across a line end.
    check("Fixes\n#8", &["+acme/shop#8"]);
    check("- [x] closes #9\n- [ ] tests", &["+acme/shop#9"]);
}

#[test]
fn title_and_branch_name_issues_too() {
    assert_eq!(issues("", "Fix #7: totals", ""), ["+acme/shop#7"]);
    let check =
        |branch: &str, expect: &[&str]| assert_eq!(issues("", "", branch), expect, "{branch}");
    check("fix/123-totals", &[" acme/shop#123"]);
    check("123-totals", &[" acme/shop#123"]);
    check("ana/issue-123", &[" acme/shop#123"]);
    check("gh-5", &[" acme/shop#5"]);
    check("release/2024-05", &[]);
    check("releases-2", &[]);
    check("patch-1", &[]);
    check("main", &[]);
    check("v1.2.3", &[]);
    check("", &[]);
}

#[test]
fn no_more_than_ten_are_taken_those_it_closes_first() {
    let text: String = (1..=30).map(|n| format!("#{n} ")).collect();
    let found = issues(&format!("{text}\n\nfixes #29"), "", "");
    assert_eq!(found.len(), MOST_LINKED);
    assert_eq!(found[0], "+acme/shop#29");
}

#[test]
fn issues_of_another_port_are_another_hosts() {
    let at = |address: &str, host: &str| linked_issues(address, "", "", &repo(), host).len();
    assert_eq!(
        at("http://127.0.0.1:4000/acme/shop/issues/1", "127.0.0.1:4000"),
        1
    );
    assert_eq!(
        at("http://127.0.0.1:4001/acme/shop/issues/1", "127.0.0.1:4000"),
        0
    );
    assert_eq!(
        at("https://www.github.com/acme/shop/issues/1", "github.com"),
        1
    );
}

#[test]
fn documents_are_those_of_this_repository() {
    let check = |description: &str, expect: &[&str]| {
        let found = linked_documents(description, &repo(), "github.com", &["main", "feat/vat"]);
        assert_eq!(found, expect, "{description:?}");
    };
    check("", &[]);
    check("[a](docs/a.md)", &["docs/a.md"]);
    check(
        "[a](./docs/a%20b.md#part) [b](/docs/b.md?x)",
        &["docs/a b.md", "docs/b.md"],
    );
    check("[a](docs/a.md) [again](docs/a.md)", &["docs/a.md"]);
    check("[a][1]\n\n[1]: docs/a.md", &["docs/a.md"]);
    check(
        "https://github.com/acme/shop/blob/main/docs/a.md",
        &["docs/a.md"],
    );
    check(
        "see https://github.com/Acme/Shop/blob/feat/vat/docs/a.md.",
        &["docs/a.md"],
    );
    check(
        "[x](https://github.com/acme/shop/blob/0123abc/README)",
        &["README"],
    );
    check("[x](../blob/main/docs/a.md)", &["docs/a.md"]);
    // Others, outside, no documents.
    check("[x](https://github.com/acme/api/blob/main/a.md)", &[]);
    check(
        "[x](https://example.com/acme/shop/blob/main/a.md) [y](//example.com/a.md)",
        &[],
    );
    check(
        "[x](../../etc/passwd) [y](.git/config) [z](C:/a.md) [m](mailto:a@b.c) [h](#top)",
        &[],
    );
    check(
        "[x](https://github.com/acme/shop/blob/main/..%2F..%2Fa.md)",
        &[],
    );
    check("![x](docs/a.md) [y](docs/picture.PNG) [f](docs/)", &[]);
    check("`[a](docs/a.md)`", &[]);
}

#[test]
fn no_more_than_ten_documents_are_taken() {
    let text: String = (1..=30).map(|n| format!("[x](docs/{n}.md) ")).collect();
    assert_eq!(
        linked_documents(&text, &repo(), "github.com", &[]).len(),
        MOST_LINKED
    );
}

#[test]
fn guidelines_are_those_of_the_root_and_of_the_folders_of_changed_files() {
    let tree = [
        "AGENTS.md",
        "api/AGENTS.md",
        "api/v1/CLAUDE.md",
        "contributing.md",
        "src/CONTRIBUTING.md",
        "web/AGENTS.md",
    ]
    .map(String::from);
    let check = |changed: &[&str], expect: &[&str]| {
        assert_eq!(guideline_paths(&tree, changed), expect, "{changed:?}");
    };
    check(&["README.md"], &["AGENTS.md", "contributing.md"]);
    check(
        &["api/v1/a.rs"],
        &[
            "AGENTS.md",
            "contributing.md",
            "api/AGENTS.md",
            "api/v1/CLAUDE.md",
        ],
    );
    check(
        &["apis/a.rs", "web/b.ts"],
        &["AGENTS.md", "contributing.md", "web/AGENTS.md"],
    );
}

#[test]
fn guidelines_are_known_in_any_case() {
    let every_other_letter = |path: &str| -> String {
        let letters = path.chars().enumerate();
        letters
            .map(|(n, letter)| match n % 2 {
                0 => letter.to_ascii_uppercase(),
                _ => letter.to_ascii_lowercase(),
            })
            .collect()
    };
    assert!(!GUIDELINES.is_empty());
    for path in GUIDELINES {
        let (lower, upper) = (path.to_lowercase(), path.to_uppercase());
        for written in [path.to_string(), lower, upper, every_other_letter(path)] {
            assert!(is_guideline(&written), "{written}");
            let tree = [written];
            assert_eq!(guideline_paths(&tree, &[]), tree, "{path}");
        }
    }
    assert!(!is_guideline("src/CONTRIBUTING.md"));
}

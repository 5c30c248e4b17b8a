//! Words in the files of a commit: what is found, and what no word or file can do.

use crate::fixture::{GitFixture, write_bytes, write_files};
use collie_core::code_context::{WordHits, WordSearch};
use collie_engine::ports::Git;

async fn search(fixture: &GitFixture, words: &[&str], extensions: &[&str]) -> WordHits {
    let worktree = fixture.prepare().await;
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let search = WordSearch {
        words: owned(words),
        extensions: owned(extensions),
    };
    let found = fixture
        .worktrees
        .search_words(&worktree, worktree.head(), &search)
        .await;
    found.unwrap()
}

fn places(found: &WordHits) -> Vec<(&str, u32)> {
    let hits = found.hits.iter();
    hits.map(|hit| (hit.path.as_str(), hit.line)).collect()
}

#[tokio::test]
async fn whole_words_are_found_in_files_of_the_head() {
    let fixture = GitFixture::new(&[("old.rs", "load(1)\n")]);
    fixture.commit_as_author(|tree| {
        std::fs::remove_file(tree.join("old.rs")).unwrap();
        write_files(
            tree,
            &[
                ("a.rs", "x\nload(1)\nreload(2)\nloader(3)\n"),
                ("deep/down/b.rs", "let y = load;\n"),
                ("c.py", "load(1)\n"),
                ("README.md", "load\n"),
            ],
        );
    });
    let found = search(&fixture, &["load"], &["rs", "py"]).await;
    assert_eq!(
        places(&found),
        [("a.rs", 2), ("c.py", 1), ("deep/down/b.rs", 1)]
    );
    assert!(!found.truncated);
    assert_eq!(found.hits[0].text, "load(1)");
    let none = search(&fixture, &["nowhere"], &["rs"]).await;
    assert_eq!(none, WordHits::default());
}

/// Words come from the pull request: none is an option, a pattern or a second pattern.
#[tokio::test]
async fn a_word_is_nothing_but_a_word() {
    let fixture = GitFixture::new(&[("a.rs", "a.c\nabc\n--open-files-in-pager=touch x\n-e\n.*\n")]);
    fixture.commit_as_author(|_| ());
    let odd = [
        "--open-files-in-pager=touch x",
        "-e",
        "-f/etc/passwd",
        "a.c",
        ".*",
        "abc\nx",
        "",
        "--",
        "HEAD",
    ];
    let found = search(&fixture, &odd, &["rs"]).await;
    assert_eq!(places(&found), []);
    let both = [odd.as_slice(), &["abc"]].concat();
    assert_eq!(
        places(&search(&fixture, &both, &["rs"]).await),
        [("a.rs", 2)]
    );
    for odd in ["../rs", "rs :(exclude)*", "*", ":/", ""] {
        assert_eq!(
            places(&search(&fixture, &["abc"], &[odd]).await),
            [],
            "{odd}"
        );
    }
}

/// Attributes and settings of the head have no say.
#[tokio::test]
async fn what_the_head_says_of_its_files_hides_nothing() {
    let fixture = GitFixture::new(&[("a.rs", "x\n")]);
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                (".gitattributes", "*.rs binary\n"),
                ("sub/.gitattributes", "* -diff\n"),
                ("a.rs", "load(1)\n"),
                ("sub/b.rs", "load(2)\n"),
            ],
        );
    });
    let found = search(&fixture, &["load"], &["rs"]).await;
    assert_eq!(places(&found), [("a.rs", 1), ("sub/b.rs", 1)]);
}

#[tokio::test]
async fn odd_files_are_read_lossily_and_long_lines_cut() {
    let fixture = GitFixture::new(&[("a.rs", "x\n")]);
    fixture.commit_as_author(|tree| {
        write_bytes(tree, "latin.rs", b"load(\"\xe9t\xe9\")\n");
        write_bytes(tree, "binary.rs", b"\0load\n");
        write_files(
            tree,
            &[
                ("long.rs", &format!("load {}\n", "x".repeat(1_000_000))),
                ("na\nme.rs", "load\n"),
            ],
        );
    });
    let found = search(&fixture, &["load"], &["rs"]).await;
    assert_eq!(
        places(&found),
        [("latin.rs", 1), ("long.rs", 1), ("na\nme.rs", 1)]
    );
    assert_eq!(found.hits[0].text, "load(\"\u{fffd}t\u{fffd}\")");
    assert_eq!(found.hits[1].text.len(), 400);
}

#[tokio::test]
async fn a_hundred_thousand_hits_are_cut_short() {
    let fixture = GitFixture::new(&[("a.rs", "x\n")]);
    let many = "load(1)\n".repeat(1_000);
    fixture.commit_as_author(|tree| {
        let names: Vec<String> = (0..110).map(|n| format!("d/f{n:03}.rs")).collect();
        let files: Vec<(&str, &str)> = names
            .iter()
            .map(|name| (name.as_str(), many.as_str()))
            .collect();
        write_files(tree, &files);
    });
    let found = search(&fixture, &["load"], &["rs"]).await;
    assert_eq!(found.hits.len(), 20_000);
    assert!(found.truncated);
    let in_first = found.hits.iter().filter(|hit| hit.path == "d/f000.rs");
    assert_eq!(in_first.count(), 200);
}

#[tokio::test]
async fn messages_of_commits_are_bounded_and_in_order() {
    let fixture = GitFixture::new(&[("a.rs", "x\n")]);
    let commit = |message: &str| {
        fixture.git_as_author(&["commit", "-q", "--allow-empty", "-m", message]);
    };
    commit("First thing\n\nBecause of it.");
    commit(&"long ".repeat(2_000));
    commit("Third \u{e9}");
    fixture.git_as_author(&["push", "-q", "-f", "origin", "HEAD"]);
    let worktree = fixture.prepare().await;
    let messages = |max| fixture.worktrees.commit_messages(&worktree, max);
    let all = messages(10).await.unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(
        (all[0].as_str(), all[2].as_str()),
        ("First thing\n\nBecause of it.", "Third \u{e9}")
    );
    assert!(all[1].len() <= 2_000 && all[1].starts_with("long long"));
    assert_eq!(messages(1).await.unwrap(), ["Third \u{e9}"]);
}

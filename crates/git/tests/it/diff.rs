//! The pull request's difference, by lines, whatever is in it.

use crate::fixture::{GitFixture, git_in, write_bytes, write_files};
use collie_core::coverage::UnseenReason;
use collie_core::ids::Sha;
use collie_engine::ports::{DiffFile, Git};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

fn diff_file<'a>(files: &'a [DiffFile], path: &str) -> &'a DiffFile {
    files
        .iter()
        .find(|file| file.path == path)
        .unwrap_or_else(|| panic!("{path:?} is not in {files:?}"))
}

fn numbered_lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

#[tokio::test]
async fn changed_and_shown_lines_are_those_of_the_head() {
    let fixture = GitFixture::new(&[
        ("a", &numbered_lines(30)),
        ("gone", "1\n"),
        ("old", &numbered_lines(20)),
        ("same", "x\n"),
    ]);
    fixture.commit_as_author(|tree| {
        let text = numbered_lines(30)
            .replace("line 10\n", "new 10\nnew 11\n")
            .replace("line 25\n", "");
        write_files(
            tree,
            &[
                ("a", &text),
                ("added", "1\n2\n3"),
                ("empty", ""),
                ("moved/new", &(numbered_lines(20) + "more\n")),
            ],
        );
        fs::remove_file(tree.join("gone")).unwrap();
        fs::remove_file(tree.join("old")).unwrap();
    });
    let files = fixture.diff().await;
    assert_eq!(files.len(), 5, "{files:?}");
    let a = diff_file(&files, "a");
    assert_eq!(
        (a.changed.as_slice(), a.shown.as_slice()),
        (&[(10, 11)][..], &[(7, 14), (23, 28)][..])
    );
    assert!(!a.added && !a.deleted && !a.opaque && a.old_path.is_none());
    let added = diff_file(&files, "added");
    assert!(added.added);
    assert_eq!(
        (added.changed.as_slice(), added.shown.as_slice()),
        (&[(1, 3)][..], &[(1, 3)][..])
    );
    let empty = diff_file(&files, "empty");
    assert!(empty.added && empty.changed.is_empty() && !empty.opaque);
    let gone = diff_file(&files, "gone");
    assert!(gone.deleted && gone.changed.is_empty() && gone.shown.is_empty());
    let moved = diff_file(&files, "moved/new");
    assert_eq!(
        (moved.old_path.as_deref(), moved.changed.as_slice()),
        (Some("old"), &[(21, 21)][..])
    );
}

#[tokio::test]
async fn the_difference_is_to_the_merge_base_not_to_the_base() {
    let mut fixture = GitFixture::new(&[("a", "1\n"), ("b", "1\n")]);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture.git_as_author(&["checkout", "-q", "main"]);
    fixture.base = fixture.commit_as_author(|tree| write_files(tree, &[("b", "2\n")]));
    fixture.git_as_author(&["checkout", "-q", "topic"]);
    let files = fixture.diff().await;
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["a"]
    );
}

#[tokio::test]
async fn names_of_any_kind_come_through() {
    let names = [
        "with space",
        "quote\"d",
        "new\nline",
        "tab\there",
        "ünï/cödé",
        "back\\slash",
        "a b/ c",
        "@@ -1 +1 @@",
        "-dash",
        ":(top)x",
        "*.c",
        "evil\ndiff --git a/x b/x\n@@ -1,9 +1,9 @@\n",
        "'; touch x; '",
        " b/b",
        "trailing ",
    ];
    let fixture = GitFixture::new(&[("a", "1\n")]);
    fixture.commit_as_author(|tree| {
        for (index, name) in names.iter().enumerate() {
            write_bytes(tree, name, "x\n".repeat(index + 1).as_bytes());
        }
        let raw = std::ffi::OsStr::from_bytes(b"bad\xff");
        fs::write(tree.join(raw), "x\n").unwrap();
    });
    let worktree = fixture.prepare().await;
    let files = fixture
        .worktrees
        .diff(&worktree, &fixture.base)
        .await
        .unwrap();
    assert_eq!(files.len(), names.len() + 1);
    for (index, name) in names.iter().enumerate() {
        let count = u32::try_from(index).unwrap() + 1;
        assert_eq!(diff_file(&files, name).changed, [(1, count)], "{name:?}");
        let text = fixture
            .worktrees
            .file_at(&worktree, worktree.head(), name, 1000)
            .await
            .unwrap();
        assert_eq!(
            text.unwrap(),
            "x\n".repeat(index + 1).into_bytes(),
            "{name:?}"
        );
    }
    assert!(
        diff_file(&files, "bad\u{fffd}").opaque,
        "a name that is no text has no lines"
    );
}

#[tokio::test]
async fn what_has_no_lines_is_opaque() {
    let fixture = GitFixture::new(&[
        ("bin", "a\0b"),
        ("mode", "x\n"),
        ("becomes link", "x\n"),
        ("last", "x\n"),
    ]);
    let nested = fixture.path("nested");
    git_in(&fixture.path(""), &["init", "-q", "nested"]);
    git_in(&nested, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let inner = git_in(&nested, &["rev-parse", "HEAD"]);
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                ("bin", "a\0c"),
                ("z", "1\n"),
                ("last", "y\n"),
                ("asset.dat", "one\n"),
            ],
        );
        write_files(tree, &[(".gitattributes", "*.dat -diff\n")]);
        fs::set_permissions(tree.join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(tree.join("becomes link")).unwrap();
        symlink("mode", tree.join("becomes link")).unwrap();
        symlink("z", tree.join("link")).unwrap();
        fixture.git_as_author(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{inner},sub"),
        ]);
        fs::create_dir(tree.join("sub")).unwrap();
    });
    let files = fixture.diff().await;
    for (path, unshown) in [
        ("bin", UnseenReason::Binary),
        ("becomes link", UnseenReason::Link),
        ("link", UnseenReason::Link),
        ("sub", UnseenReason::Submodule),
    ] {
        let file = diff_file(&files, path);
        assert!(
            file.opaque && file.changed.is_empty() && file.shown.is_empty(),
            "{file:?}"
        );
        assert_eq!(file.unshown, Some(unshown), "{path}");
    }
    let asset = diff_file(&files, "asset.dat");
    assert_eq!(
        (asset.changed.as_slice(), asset.unshown),
        (&[(1, 1)][..], None)
    );
    let mode = diff_file(&files, "mode");
    assert!(!mode.opaque && mode.changed.is_empty());
    assert_eq!(
        diff_file(&files, "z").changed,
        [(1, 1)],
        "files after a link have their own lines"
    );
    assert_eq!(diff_file(&files, "last").changed, [(1, 1)]);
}

#[tokio::test]
async fn line_ends_and_large_files_are_counted_as_git_counts() {
    let long = "x".repeat(5_000_000);
    let fixture = GitFixture::new(&[
        ("crlf", "a\r\nb\r\nc\r\n"),
        ("cut", "a\nb"),
        ("cr", "a\rb\r"),
    ]);
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                ("crlf", "a\r\nB\r\nc\r\n"),
                ("cut", "a\nb\n"),
                ("cr", "a\rB\r"),
                ("one line", &long),
            ],
        );
        write_files(tree, &[("many", &numbered_lines(400_000))]);
    });
    let files = fixture.diff().await;
    for (path, expect) in [
        ("crlf", (2, 2)),
        ("cut", (2, 2)),
        ("cr", (1, 1)),
        ("one line", (1, 1)),
        ("many", (1, 400_000)),
    ] {
        assert_eq!(diff_file(&files, path).changed, [expect], "{path}");
    }
}

#[tokio::test]
async fn an_empty_difference_is_empty() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    fixture.commit_as_author(|_| ());
    assert_eq!(fixture.diff().await, []);
}

#[tokio::test]
async fn lines_since_an_earlier_head_are_reported() {
    let fixture = GitFixture::new(&[("a", "1\n2\n3\n"), ("b", "1\n")]);
    let first =
        fixture.commit_as_author(|tree| write_files(tree, &[("a", "1\nx\n3\n"), ("b", "2\n")]));
    fixture.prepare().await;
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "0\n1\nx\n3\n4\n")]));
    let worktree = fixture.prepare().await;
    let lines = fixture
        .worktrees
        .changed_lines_since(&worktree, &first)
        .await
        .unwrap();
    assert_eq!(
        lines.unwrap().into_iter().collect::<Vec<_>>(),
        [("a".to_string(), vec![(1, 1), (5, 5)])]
    );
    let unknown = Sha::parse(&"ab".repeat(20)).unwrap();
    assert!(
        fixture
            .worktrees
            .changed_lines_since(&worktree, &unknown)
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn files_are_read_as_of_a_commit() {
    let fixture = GitFixture::new(&[
        (".collie/rules/a.yml", "A"),
        (".collie/rules/sub/b.yml", "B"),
        (".collie.toml", "T"),
    ]);
    let head = fixture.commit_as_author(|tree| {
        write_files(tree, &[(".collie/rules/a.yml", "changed")]);
        symlink(".collie.toml", tree.join("link")).unwrap();
    });
    // Without a worktree, and before anything was fetched.
    let place = &fixture.worktrees;
    let base = &fixture.base;
    let rules = place
        .files_at(&fixture.pull, &fixture.remote, base, ".collie/rules")
        .await
        .unwrap();
    let expect = [
        (".collie/rules/a.yml", b"A"),
        (".collie/rules/sub/b.yml", b"B"),
    ];
    assert_eq!(
        rules,
        expect.map(|(path, text)| (path.to_string(), text.to_vec()))
    );
    for none in ["nothing", "../x", "/etc", ".git"] {
        assert_eq!(
            place
                .files_at(&fixture.pull, &fixture.remote, base, none)
                .await
                .unwrap(),
            [],
            "{none}"
        );
    }
    let one = place
        .files_at(&fixture.pull, &fixture.remote, base, ".collie.toml")
        .await
        .unwrap();
    assert_eq!(one, [(".collie.toml".to_string(), b"T".to_vec())]);

    let worktree = fixture.prepare().await;
    for (path, max, expect) in [
        (".collie.toml", 10, Some(&b"T"[..])),
        (".collie/rules/a.yml", 7, Some(b"changed")),
        (".collie/rules/a.yml", 6, None),
        ("nothing", 10, None),
        (".collie", 10, None),
        (".collie/", 10, None),
        ("link", 100, None),
        ("../x", 10, None),
        ("", 10, None),
    ] {
        let found = place.file_at(&worktree, &head, path, max).await.unwrap();
        assert_eq!(found.as_deref(), expect, "{path}");
    }
}

#[tokio::test]
async fn deletions_are_part_of_what_changed_since_an_earlier_head() {
    let fixture = GitFixture::new(&[("a", "1\n2\n3\n"), ("gone", "1\n"), ("same", "1\n")]);
    let first = fixture.commit_as_author(|tree| write_files(tree, &[("a", "1\n2\n3\n4\n")]));
    fixture.prepare().await;
    fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", "1\n3\n4\n")]);
        fs::remove_file(tree.join("gone")).unwrap();
    });
    let worktree = fixture.prepare().await;
    let lines = fixture
        .worktrees
        .changed_lines_since(&worktree, &first)
        .await;
    let paths: Vec<String> = lines.unwrap().unwrap().into_keys().collect();
    assert_eq!(paths, ["a", "gone"]);
}

/// What the head's attributes may try to hide a file by.
#[tokio::test]
async fn attributes_of_the_head_hide_no_line() {
    for (attributes, at) in [
        ("*.py -diff\n", ".gitattributes"),
        ("*.py binary\n", ".gitattributes"),
        ("[attr]quiet -diff -text\n*.py quiet\n", ".gitattributes"),
        ("*.py -diff\n", "src/.gitattributes"),
        ("*.py diff=none\n", ".gitattributes"),
        ("*.py working-tree-encoding=latin1\n", ".gitattributes"),
        (
            "*.py linguist-generated linguist-vendored\n",
            ".gitattributes",
        ),
        (
            "*.py export-ignore export-subst ident filter=lfs\n",
            ".gitattributes",
        ),
    ] {
        let fixture = GitFixture::new(&[("src/a.py", "x = 1\n")]);
        fixture.commit_as_author(|tree| {
            write_files(tree, &[(at, attributes), ("src/a.py", "x = 1\ny = 2\n")]);
        });
        let files = fixture.diff().await;
        let file = diff_file(&files, "src/a.py");
        let seen = (file.opaque, file.changed.as_slice(), file.unshown);
        assert_eq!(seen, (false, &[(2, 2)][..], None), "{at}: {attributes}");
    }
}

#[tokio::test]
async fn whether_a_file_is_text_is_told_by_its_content() {
    let late_nul = [vec![b'a'; 8_000], b"\0\n".to_vec()].concat();
    let fixture = GitFixture::new(&[("was_binary", "a\0b\n"), ("gone.bin", "a\0b\n")]);
    fixture.commit_as_author(|tree| {
        write_files(tree, &[("latin1", ""), ("was_binary", "text\n")]);
        fs::remove_file(tree.join("gone.bin")).unwrap();
        write_bytes(tree, "latin1", b"caf\xe9\n");
        write_bytes(tree, "late", &late_nul);
        write_bytes(tree, "huge", &b"0123456789abcde\n".repeat((32 << 16) + 1));
    });
    let files = fixture.diff().await;
    for (path, lines, unshown) in [
        ("latin1", &[(1, 1)][..], None),
        ("late", &[(1, 1)], None),
        ("gone.bin", &[], Some(UnseenReason::Binary)),
        ("was_binary", &[], Some(UnseenReason::Unreadable)),
        ("huge", &[], Some(UnseenReason::TooLarge)),
    ] {
        let file = diff_file(&files, path);
        assert_eq!(
            (file.changed.as_slice(), file.unshown),
            (lines, unshown),
            "{path}"
        );
    }
}

#[tokio::test]
async fn what_is_generated_the_base_says_and_not_the_head() {
    let mark = concat!("# @", "generated\nx = 1\n");
    let fixture = GitFixture::new(&[
        (
            ".gitattributes",
            "gen/** linguist-generated\nvendor/own/** -linguist-vendored\n",
        ),
        ("marked.py", mark),
        ("plain.py", "x = 1\n"),
        ("vendor/lib/a.py", "x = 1\n"),
        ("vendor/own/a.py", "x = 1\n"),
        ("app.min.js", "x = 1\n"),
        ("Cargo.lock", "x\n"),
    ]);
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                ("marked.py", "y = 1\n"),
                ("plain.py", mark),
                ("new.py", mark),
                ("vendor/lib/b.py", "y = 1\n"),
                ("vendor/own/a.py", "y = 1\n"),
                ("dist/a.js", "y = 1\n"),
                ("app.min.js", "y = 1\n"),
                ("other.min.js", "y = 1\n"),
                ("gen/a b.py", "y = 1\n"),
                ("Cargo.lock", "y\n"),
            ],
        );
    });
    let files = fixture.diff().await;
    for (path, unshown) in [
        ("marked.py", Some(UnseenReason::Generated)),
        ("vendor/lib/b.py", Some(UnseenReason::Generated)),
        ("app.min.js", Some(UnseenReason::Generated)),
        ("gen/a b.py", Some(UnseenReason::Generated)),
        ("Cargo.lock", Some(UnseenReason::Lockfile)),
        ("plain.py", None),
        ("new.py", None),
        ("vendor/own/a.py", None),
        ("dist/a.js", None),
        ("other.min.js", None),
    ] {
        assert_eq!(diff_file(&files, path).unshown, unshown, "{path}");
    }
}

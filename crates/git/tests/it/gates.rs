//! What a fixer may leave behind (§6.3).

use crate::fixture::{
    GitFixture, OopsSyntaxChecker, commit_message, git_in, read_text, write_bytes, write_files,
};
use collie_engine::ports::{GateRefusal, Git, GitError};
use collie_engine::ports::{SessionMeter, VerifyPlan, VerifyRun};
use collie_git::GitOptions;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

async fn fixture() -> GitFixture {
    let fixture = GitFixture::new(&[
        ("a", "1\n"),
        ("keep", "1\n"),
        ("d/e", "1\n"),
        ("gone", "1\n"),
        (".gitignore", "out\n"),
    ]);
    fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", "2\n"), ("d/new", "1\n")]);
        fs::remove_file(tree.join("gone")).unwrap();
    });
    fixture
}

async fn refused_paths(change: impl FnOnce(&Path)) -> Vec<String> {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    change(worktree.path());
    match fixture.vet(&worktree).await {
        Err(GateRefusal::Scope { paths }) => paths,
        other => panic!("not refused: {other:?}"),
    }
}

async fn vetted_paths(change: impl FnOnce(&Path)) -> Vec<String> {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    change(worktree.path());
    fixture
        .vet(&worktree)
        .await
        .unwrap()
        .map(|vetted| vetted.paths().to_vec())
        .unwrap_or_default()
}

#[tokio::test]
async fn files_of_the_pull_request_may_change() {
    assert_eq!(vetted_paths(|_| ()).await, Vec::<String>::new());
    assert_eq!(
        vetted_paths(|tree| write_bytes(tree, "a", b"3\n")).await,
        ["a"]
    );
    assert_eq!(
        vetted_paths(|tree| write_bytes(tree, "a", b"2\n")).await,
        Vec::<String>::new(),
        "written, not changed"
    );
    assert_eq!(
        vetted_paths(|tree| write_bytes(tree, "gone", b"back\n")).await,
        ["gone"]
    );
    assert_eq!(
        vetted_paths(|tree| fs::remove_file(tree.join("d/new")).unwrap()).await,
        ["d/new"]
    );
    assert_eq!(
        vetted_paths(|tree| write_bytes(tree, "out/ignored", b"x")).await,
        Vec::<String>::new()
    );
    let exec = fs::Permissions::from_mode(0o755);
    assert_eq!(
        vetted_paths(|tree| fs::set_permissions(tree.join("a"), exec).unwrap()).await,
        ["a"]
    );
}

#[tokio::test]
async fn anything_else_may_not() {
    assert_eq!(
        refused_paths(|tree| write_bytes(tree, "keep", b"2\n")).await,
        ["keep"]
    );
    assert_eq!(
        refused_paths(|tree| write_bytes(tree, "a b\n\"c", b"x")).await,
        ["a b\n\"c"]
    );
    assert_eq!(
        refused_paths(|tree| fs::remove_file(tree.join("keep")).unwrap()).await,
        ["keep"]
    );
    assert_eq!(
        refused_paths(|tree| fs::rename(tree.join("a"), tree.join("b")).unwrap()).await,
        ["b"]
    );
    let exec = fs::Permissions::from_mode(0o755);
    assert_eq!(
        refused_paths(|tree| fs::set_permissions(tree.join("keep"), exec).unwrap()).await,
        ["keep"]
    );
    assert_eq!(
        refused_paths(|tree| {
            fs::remove_file(tree.join("a")).unwrap();
            symlink("/etc/passwd", tree.join("a")).unwrap();
        })
        .await,
        ["a"]
    );
    assert_eq!(
        refused_paths(|tree| {
            fs::rename(tree.join("d"), tree.join("out")).unwrap();
            symlink("out", tree.join("d")).unwrap();
        })
        .await,
        ["d"]
    );
    assert_eq!(
        refused_paths(|tree| {
            write_bytes(tree, "d/new", b"2\n");
            fs::rename(tree.join("d"), tree.join("out")).unwrap();
            write_bytes(tree, ".gitignore", b"out\nd\n");
            symlink("out", tree.join("d")).unwrap();
        })
        .await,
        [".gitignore", "d/new"]
    );
    assert_eq!(
        refused_paths(|tree| {
            fs::remove_file(tree.join("a")).unwrap();
            write_bytes(tree, "a/b", b"x");
        })
        .await,
        ["a", "a/b"]
    );
    for make in [
        &["init", "-q", "sub"][..],
        &["clone", "-q", "origin.git", "sub"],
    ] {
        let fixture = fixture().await;
        let worktree = fixture.prepare().await;
        git_in(&fixture.path(""), make);
        fs::rename(fixture.path("sub"), worktree.path().join("sub")).unwrap();
        assert_eq!(
            fixture.vet(&worktree).await.unwrap_err(),
            GateRefusal::Scope {
                paths: vec!["sub/".into()]
            }
        );
    }
}

#[tokio::test]
async fn hiding_a_change_does_not_help() {
    let hide: [&dyn Fn(&Path); 5] = [
        &|tree| {
            drop(git_in(
                tree,
                &["update-index", "--assume-unchanged", "keep"],
            ))
        },
        &|tree| drop(git_in(tree, &["update-index", "--skip-worktree", "keep"])),
        &|tree| drop(git_in(tree, &["commit", "-qam", "mine"])),
        &|tree| {
            git_in(tree, &["config", "core.excludesFile", "/dev/null"]);
            git_in(tree, &["config", "core.fileMode", "false"]);
            git_in(tree, &["config", "core.ignoreStat", "true"]);
        },
        &|tree| {
            git_in(tree, &["add", "-A"]);
            let mine = git_in(
                tree,
                &["commit-tree", &git_in(tree, &["write-tree"]), "-m", "x"],
            );
            git_in(tree, &["replace", "-f", "HEAD", &mine]);
        },
    ];
    for hide in hide {
        assert_eq!(
            refused_paths(|tree| {
                write_bytes(tree, "keep", b"2\n");
                hide(tree);
            })
            .await,
            ["keep"]
        );
    }
}

/// What no later gate can read must not pass them all.
#[tokio::test]
async fn a_file_whose_name_is_no_utf8_may_not_change() {
    let fixture = fixture().await;
    let name = OsStr::from_bytes(b"n\xff.rs");
    fixture.commit_as_author(|tree| fs::write(tree.join(name), "1\n").unwrap());
    let worktree = fixture.prepare().await;
    assert!(fixture.vet(&worktree).await.unwrap().is_none());
    fs::write(worktree.path().join(name), "2\n").unwrap();
    let expect = GateRefusal::Scope {
        paths: vec!["n\u{fffd}.rs".into()],
    };
    assert_eq!(fixture.vet(&worktree).await.unwrap_err(), expect);
}

/// Attack: between the preparation and the gates, the clone gets a filter that runs a program and makes a change look like none.
#[tokio::test]
async fn settings_that_came_into_the_clone_meanwhile_are_not_obeyed() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    let (clone, trap) = (fixture.clone_path(), fixture.path("trap"));
    let filter = format!("touch {}; echo 1", trap.display());
    git_in(&clone, &["config", "filter.hide.clean", &filter]);
    write_bytes(&clone, "info/attributes", b"* filter=hide\n");
    write_bytes(worktree.path(), "keep", b"2\n");
    let expect = GateRefusal::Scope {
        paths: vec!["keep".into()],
    };
    assert_eq!(fixture.vet(&worktree).await.unwrap_err(), expect);
    assert!(!trap.exists(), "the filter ran");
}

#[tokio::test]
async fn a_changed_dot_git_is_refused_and_put_back() {
    let meddle: [&dyn Fn(&Path); 3] = [
        &|tree| fs::write(tree.join(".git"), "gitdir: /tmp\n").unwrap(),
        &|tree| fs::remove_file(tree.join(".git")).unwrap(),
        &|tree| {
            fs::remove_file(tree.join(".git")).unwrap();
            git_in(tree, &["init", "-q"]);
        },
    ];
    for meddle in meddle {
        let fixture = fixture().await;
        let worktree = fixture.prepare().await;
        let before = read_text(&worktree.path().join(".git"));
        write_bytes(worktree.path(), "a", b"3\n");
        meddle(worktree.path());
        assert_eq!(
            fixture.vet(&worktree).await.unwrap_err(),
            GateRefusal::Scope {
                paths: vec![".git".into()]
            }
        );
        assert_eq!(read_text(&worktree.path().join(".git")), before);
        assert!(fixture.vet(&worktree).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_worktree_that_was_swapped_for_a_link_is_an_error() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    let aside = fixture.path("aside");
    fs::rename(worktree.path(), &aside).unwrap();
    symlink(&aside, worktree.path()).unwrap();
    let answer = fixture.vet_with(&worktree, &[]).await;
    assert!(matches!(answer, Err(GitError::WorktreeGone)), "{answer:?}");
    assert!(
        !fs::symlink_metadata(fixture.prepare().await.path())
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn what_checks_the_pull_request_may_not_be_weakened() {
    let test = "#[test]\nfn one() {\n    assert_eq!(f(1), 2);\n    assert_eq!(f(2), 3);\n}\n";
    let fixture = GitFixture::new(&[("a", "1\n")]);
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                ("tests/a.rs", test),
                ("tests/b.rs", test),
                ("tests/odd.rs", "#[test]\nfn two() {}\n"),
                (".github/workflows/ci.yml", "on: push\n"),
                ("src/lib.rs", "fn f() {}\n"),
            ],
        );
        write_bytes(tree, "tests/bytes.rs", b"#[test]\nfn x() {} // \xff\n");
    });
    let worktree = fixture.prepare().await;
    let tree = worktree.path();
    write_bytes(tree, "tests/a.rs", test.replace("f(2)", "f(3)").as_bytes());
    fs::remove_file(tree.join("tests/b.rs")).unwrap();
    write_bytes(
        tree,
        "tests/odd.rs",
        b"#[test]\n#[ignore]\nfn two() {}\nOOPS\n",
    );
    write_bytes(tree, "tests/bytes.rs", b"// \xff\n");
    write_bytes(tree, ".github/workflows/ci.yml", b"on: never\n");
    write_bytes(tree, "src/lib.rs", b"#[allow(unused)]\nfn f() {}\n");
    let Err(GateRefusal::Tamper { locations }) = fixture.vet(&worktree).await else {
        panic!("not refused")
    };
    let told: Vec<String> = locations
        .iter()
        .map(|place| {
            format!(
                "{}:{} {:?}",
                place.path,
                place.line.unwrap_or(0),
                place.kind
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ".github/workflows/ci.yml:0 Workflow",
            "src/lib.rs:1 Suppressed",
            "tests/b.rs:0 DeletedTest",
            "tests/bytes.rs:0 DeletedTest",
            "tests/odd.rs:2 SkippedTest",
        ]
    );

    let worktree = fixture.prepare().await;
    write_bytes(tree, "keep", b"2\n");
    write_bytes(tree, ".github/workflows/ci.yml", b"on: never\n");
    let scope = fixture.vet(&worktree).await.unwrap_err();
    assert!(
        matches!(scope, GateRefusal::Scope { .. }),
        "scope is first: {scope:?}"
    );
}

#[tokio::test]
async fn a_test_file_may_get_its_old_name_back() {
    let test = "#[test]\nfn one() {\n    assert_eq!(f(1), 2);\n}\n";
    let fixture = GitFixture::new(&[("tests/old.rs", test)]);
    fixture.commit_as_author(|tree| {
        fs::rename(tree.join("tests/old.rs"), tree.join("tests/new.rs")).unwrap()
    });
    let worktree = fixture.prepare().await;
    let tree = worktree.path();
    fs::rename(tree.join("tests/new.rs"), tree.join("tests/old.rs")).unwrap();
    let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(vetted.paths(), ["tests/new.rs", "tests/old.rs"]);
}

#[tokio::test]
async fn a_file_that_does_not_parse_any_more_is_refused() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"2\nOOPS\n");
    write_bytes(worktree.path(), "d/new", b"fine\n");
    let expect = GateRefusal::Syntax {
        locations: vec!["a:2".into()],
    };
    assert_eq!(fixture.vet(&worktree).await.unwrap_err(), expect);
}

#[tokio::test]
async fn verify_commands_see_the_fix_and_their_failure_is_reported() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"3\n");
    let good = fixture
        .vet_with(&worktree, &["grep -q 3 a", "test -d .git || test -f .git"])
        .await
        .unwrap();
    assert!(good.unwrap().is_some());
    let bad = fixture
        .vet_with(
            &worktree,
            &[
                "true",
                "echo out; echo err >&2; pwd; cat; cat .git; exit 4",
                "touch ran",
            ],
        )
        .await;
    let Err(GateRefusal::Verify { command, output }) = bad.unwrap() else {
        panic!("passed")
    };
    assert!(command.starts_with("echo out"));
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            ".",
            "err",
            "gitdir: ~/clones/127.0.0.1~3A4000/R_kgDO~3D.git/worktrees/pr-7-fix",
            "out"
        ],
        "no path of this machine, nothing to read"
    );
    assert!(!worktree.path().join("ran").exists());
}

#[tokio::test]
async fn verify_commands_see_no_variable_that_is_not_theirs() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"3\n");
    let Err(GateRefusal::Verify { output, .. }) =
        fixture.vet_with(&worktree, &["env; false"]).await.unwrap()
    else {
        panic!("passed")
    };
    // Cargo gives every test this variable.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(
        output.contains("PATH=") && !output.contains("CARGO_MANIFEST_DIR"),
        "{output}"
    );
}

#[tokio::test]
async fn what_verify_commands_change_is_not_committed() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"3\n");
    let vetted = fixture
        .vet_with(
            &worktree,
            &["echo 4 > a; echo x > keep; mkdir -p m; touch m/ore; git init -q n; rm .git; rm -r d; touch d"],
        )
        .await;
    let vetted = vetted.unwrap().unwrap().unwrap();
    assert_eq!(vetted.paths(), ["a"]);
    assert_eq!(read_text(&worktree.path().join("a")), "3\n");
    assert_eq!(read_text(&worktree.path().join("keep")), "1\n");
    let again = fixture.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(
        again.tree(),
        vetted.tree(),
        "the commands' traces are not the fixer's"
    );
    let commit = fixture
        .worktrees
        .commit(&vetted, &commit_message())
        .await
        .unwrap();
    let shown = git_in(
        &fixture.clone_path(),
        &["show", "--format=%P", "--name-status", commit.as_str()],
    );
    assert_eq!(shown, format!("{}\n\nM\ta", worktree.head()));
    assert_eq!(
        fixture
            .worktrees
            .file_at(&worktree, &commit, "a", 10)
            .await
            .unwrap()
            .unwrap(),
        b"3\n"
    );
}

#[tokio::test]
async fn links_that_lead_out_are_text_again_after_verify_commands() {
    let fixture = fixture().await;
    fixture.commit_as_author(|tree| symlink("/etc/passwd", tree.join("link")).unwrap());
    let worktree = fixture.prepare().await;
    let link = worktree.path().join("link");
    write_bytes(worktree.path(), "a", b"3\n");
    let make_it_one = "rm link; ln -s /etc/passwd link";
    for command in ["true", make_it_one] {
        let vetted = fixture.vet_with(&worktree, &[command]).await.unwrap();
        assert_eq!(vetted.unwrap().unwrap().paths(), ["a"], "{command}");
        assert!(fs::read_link(&link).is_err(), "{command}");
        assert_eq!(read_text(&link), "/etc/passwd", "{command}");
    }
}

#[tokio::test]
async fn a_verify_command_is_stopped_by_its_limit_and_by_cancelling() {
    let limit = Duration::from_millis(300);
    let fixture = GitFixture::with_options(
        &[("a", "1\n")],
        GitOptions {
            verify_timeout: limit,
            ..GitOptions::default()
        },
    );
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"3\n");
    let begun = Instant::now();
    let slow = fixture
        .vet_with(&worktree, &["echo begun; sleep 300"])
        .await
        .unwrap();
    assert!(
        matches!(&slow, Err(GateRefusal::Verify { output, .. }) if output.starts_with("begun")),
        "{slow:?}"
    );

    let cancel = CancellationToken::new();
    cancel.cancel();
    let commands = VerifyPlan {
        commands: vec!["sleep 300".to_string()],
        ..VerifyPlan::default()
    };
    let verify = VerifyRun {
        plan: &commands,
        meter: &SessionMeter::default(),
    };
    let cancelled = fixture
        .worktrees
        .vet(&worktree, &OopsSyntaxChecker, verify, &cancel)
        .await;
    assert!(matches!(cancelled, Err(GitError::Cancelled)));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn a_fix_brings_no_secret() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    let token = ["glpat-", "q7RkT2mWx9LbV4nZc8Yh"].concat();
    for content in [
        format!("2\nkey = {token}\n"),
        "2\nclient_secret = 'q7RkT2mWx9LbV4nZc8YhJ3pF'\n".to_owned(),
        "2\nthe token of this process is s3cret\n".to_owned(),
    ] {
        write_bytes(worktree.path(), "a", content.as_bytes());
        let expect = GateRefusal::Secrets {
            locations: vec!["a:2".into()],
        };
        let refusal = fixture.vet(&worktree).await.unwrap_err();
        assert_eq!(refusal, expect, "{content}");
        assert!(!refusal.to_string().contains(&token));
    }
    write_bytes(worktree.path(), "a", b"2\nkey = read_from_environment()\n");
    assert!(fixture.vet(&worktree).await.unwrap().is_some());
}

#[tokio::test]
async fn a_fix_leaves_no_file_with_another_link() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    let elsewhere = fixture.path("of-this-machine");
    fs::write(&elsewhere, "not the fixer's\n").unwrap();
    fs::remove_file(worktree.path().join("a")).unwrap();
    fs::hard_link(&elsewhere, worktree.path().join("a")).unwrap();
    let expect = GateRefusal::Links {
        paths: vec!["a".into()],
    };
    assert_eq!(fixture.vet(&worktree).await.unwrap_err(), expect);
}

//! What a fixer may leave behind (§6.3).

use crate::world::{NoOops, World, git_in, message, put, read, write};
use collie_engine::ports::{GateRefusal, Git, GitError};
use collie_git::Options;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

async fn world() -> World {
    let world = World::new(&[
        ("a", "1\n"),
        ("keep", "1\n"),
        ("d/e", "1\n"),
        ("gone", "1\n"),
        (".gitignore", "out\n"),
    ]);
    world.author(|tree| {
        write(tree, &[("a", "2\n"), ("d/new", "1\n")]);
        fs::remove_file(tree.join("gone")).unwrap();
    });
    world
}

async fn refused(change: impl FnOnce(&Path)) -> Vec<String> {
    let world = world().await;
    let worktree = world.prepare().await;
    change(&worktree.path);
    match world.vet(&worktree).await {
        Err(GateRefusal::Scope { paths }) => paths,
        other => panic!("not refused: {other:?}"),
    }
}

async fn passed(change: impl FnOnce(&Path)) -> Vec<String> {
    let world = world().await;
    let worktree = world.prepare().await;
    change(&worktree.path);
    world
        .vet(&worktree)
        .await
        .unwrap()
        .map(|vetted| vetted.paths)
        .unwrap_or_default()
}

#[tokio::test]
async fn files_of_the_pull_request_may_change() {
    assert_eq!(passed(|_| ()).await, Vec::<String>::new());
    assert_eq!(passed(|tree| put(tree, "a", b"3\n")).await, ["a"]);
    assert_eq!(
        passed(|tree| put(tree, "a", b"2\n")).await,
        Vec::<String>::new(),
        "written, not changed"
    );
    assert_eq!(passed(|tree| put(tree, "gone", b"back\n")).await, ["gone"]);
    assert_eq!(
        passed(|tree| fs::remove_file(tree.join("d/new")).unwrap()).await,
        ["d/new"]
    );
    assert_eq!(
        passed(|tree| put(tree, "out/ignored", b"x")).await,
        Vec::<String>::new()
    );
    let exec = fs::Permissions::from_mode(0o755);
    assert_eq!(
        passed(|tree| fs::set_permissions(tree.join("a"), exec).unwrap()).await,
        ["a"]
    );
}

#[tokio::test]
async fn anything_else_may_not() {
    assert_eq!(refused(|tree| put(tree, "keep", b"2\n")).await, ["keep"]);
    assert_eq!(
        refused(|tree| put(tree, "a b\n\"c", b"x")).await,
        ["a b\n\"c"]
    );
    assert_eq!(
        refused(|tree| fs::remove_file(tree.join("keep")).unwrap()).await,
        ["keep"]
    );
    assert_eq!(
        refused(|tree| fs::rename(tree.join("a"), tree.join("b")).unwrap()).await,
        ["b"]
    );
    let exec = fs::Permissions::from_mode(0o755);
    assert_eq!(
        refused(|tree| fs::set_permissions(tree.join("keep"), exec).unwrap()).await,
        ["keep"]
    );
    assert_eq!(
        refused(|tree| {
            fs::remove_file(tree.join("a")).unwrap();
            symlink("/etc/passwd", tree.join("a")).unwrap();
        })
        .await,
        ["a"]
    );
    assert_eq!(
        refused(|tree| {
            fs::rename(tree.join("d"), tree.join("out")).unwrap();
            symlink("out", tree.join("d")).unwrap();
        })
        .await,
        ["d"]
    );
    assert_eq!(
        refused(|tree| {
            put(tree, "d/new", b"2\n");
            fs::rename(tree.join("d"), tree.join("out")).unwrap();
            put(tree, ".gitignore", b"out\nd\n");
            symlink("out", tree.join("d")).unwrap();
        })
        .await,
        [".gitignore", "d/new"]
    );
    assert_eq!(
        refused(|tree| {
            fs::remove_file(tree.join("a")).unwrap();
            put(tree, "a/b", b"x");
        })
        .await,
        ["a", "a/b"]
    );
    for make in [
        &["init", "-q", "sub"][..],
        &["clone", "-q", "origin.git", "sub"],
    ] {
        let world = world().await;
        let worktree = world.prepare().await;
        git_in(&world.path(""), make);
        fs::rename(world.path("sub"), worktree.path.join("sub")).unwrap();
        assert_eq!(
            world.vet(&worktree).await.unwrap_err(),
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
            refused(|tree| {
                put(tree, "keep", b"2\n");
                hide(tree);
            })
            .await,
            ["keep"]
        );
    }
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
        let world = world().await;
        let worktree = world.prepare().await;
        let before = read(&worktree.path.join(".git"));
        put(&worktree.path, "a", b"3\n");
        meddle(&worktree.path);
        assert_eq!(
            world.vet(&worktree).await.unwrap_err(),
            GateRefusal::Scope {
                paths: vec![".git".into()]
            }
        );
        assert_eq!(read(&worktree.path.join(".git")), before);
        assert!(world.vet(&worktree).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_worktree_that_was_swapped_for_a_link_is_an_error() {
    let world = world().await;
    let worktree = world.prepare().await;
    let aside = world.path("aside");
    fs::rename(&worktree.path, &aside).unwrap();
    symlink(&aside, &worktree.path).unwrap();
    let answer = world.vet_with(&worktree, &[]).await;
    assert!(matches!(answer, Err(GitError::Io { .. })), "{answer:?}");
    assert!(
        !fs::symlink_metadata(world.prepare().await.path)
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn what_checks_the_pull_request_may_not_be_weakened() {
    let test = "#[test]\nfn one() {\n    assert_eq!(f(1), 2);\n    assert_eq!(f(2), 3);\n}\n";
    let world = World::new(&[("a", "1\n")]);
    world.author(|tree| {
        write(
            tree,
            &[
                ("tests/a.rs", test),
                ("tests/b.rs", test),
                ("tests/odd.rs", "#[test]\nfn two() {}\n"),
                (".github/workflows/ci.yml", "on: push\n"),
                ("src/lib.rs", "fn f() {}\n"),
            ],
        );
        put(tree, "tests/bytes.rs", b"#[test]\nfn x() {} // \xff\n");
    });
    let worktree = world.prepare().await;
    let tree = worktree.path.as_path();
    put(tree, "tests/a.rs", test.replace("f(2)", "f(3)").as_bytes());
    fs::remove_file(tree.join("tests/b.rs")).unwrap();
    put(
        tree,
        "tests/odd.rs",
        b"#[test]\n#[ignore]\nfn two() {}\nOOPS\n",
    );
    put(tree, "tests/bytes.rs", b"// \xff\n");
    put(tree, ".github/workflows/ci.yml", b"on: never\n");
    put(tree, "src/lib.rs", b"#[allow(unused)]\nfn f() {}\n");
    let Err(GateRefusal::Tamper { places }) = world.vet(&worktree).await else {
        panic!("not refused")
    };
    let told: Vec<String> = places
        .iter()
        .map(|place| {
            format!(
                "{}:{} {:?}",
                place.path,
                place.line.unwrap_or(0),
                place.what
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

    let worktree = world.prepare().await;
    put(tree, "keep", b"2\n");
    put(tree, ".github/workflows/ci.yml", b"on: never\n");
    let scope = world.vet(&worktree).await.unwrap_err();
    assert!(
        matches!(scope, GateRefusal::Scope { .. }),
        "scope is first: {scope:?}"
    );
}

#[tokio::test]
async fn a_test_file_may_get_its_old_name_back() {
    let test = "#[test]\nfn one() {\n    assert_eq!(f(1), 2);\n}\n";
    let world = World::new(&[("tests/old.rs", test)]);
    world.author(|tree| fs::rename(tree.join("tests/old.rs"), tree.join("tests/new.rs")).unwrap());
    let worktree = world.prepare().await;
    let tree = worktree.path.as_path();
    fs::rename(tree.join("tests/new.rs"), tree.join("tests/old.rs")).unwrap();
    let vetted = world.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(vetted.paths, ["tests/new.rs", "tests/old.rs"]);
}

#[tokio::test]
async fn a_file_that_does_not_parse_any_more_is_refused() {
    let world = world().await;
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"2\nOOPS\n");
    put(&worktree.path, "d/new", b"fine\n");
    let expect = GateRefusal::Syntax {
        places: vec!["a:2".into()],
    };
    assert_eq!(world.vet(&worktree).await.unwrap_err(), expect);
}

#[tokio::test]
async fn verify_commands_see_the_fix_and_their_failure_is_told() {
    let world = world().await;
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"3\n");
    let good = world
        .vet_with(&worktree, &["grep -q 3 a", "test -d .git || test -f .git"])
        .await
        .unwrap();
    assert!(good.unwrap().is_some());
    let bad = world
        .vet_with(
            &worktree,
            &[
                "true",
                "echo out; echo err >&2; pwd; cat; exit 4",
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
        [".", "err", "out"],
        "no path of this machine, nothing to read"
    );
    assert!(!worktree.path.join("ran").exists());
}

#[tokio::test]
async fn verify_commands_see_no_variable_that_is_not_theirs() {
    let world = world().await;
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"3\n");
    let Err(GateRefusal::Verify { output, .. }) =
        world.vet_with(&worktree, &["env; false"]).await.unwrap()
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
    let world = world().await;
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"3\n");
    let vetted = world
        .vet_with(
            &worktree,
            &["echo 4 > a; echo x > keep; mkdir -p m; touch m/ore; git init -q n; rm .git; rm -r d; touch d"],
        )
        .await;
    let vetted = vetted.unwrap().unwrap().unwrap();
    assert_eq!(vetted.paths, ["a"]);
    assert_eq!(read(&worktree.path.join("a")), "3\n");
    assert_eq!(read(&worktree.path.join("keep")), "1\n");
    let again = world.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(
        again.tree, vetted.tree,
        "the commands' traces are not the fixer's"
    );
    let commit = world.place.commit(&vetted, &message()).await.unwrap();
    let shown = git_in(
        &world.clone_path(),
        &["show", "--format=%P", "--name-status", commit.as_str()],
    );
    assert_eq!(shown, format!("{}\n\nM\ta", worktree.head));
    assert_eq!(
        world
            .place
            .file_at(&worktree, &commit, "a", 10)
            .await
            .unwrap()
            .unwrap(),
        b"3\n"
    );
}

#[tokio::test]
async fn a_verify_command_is_stopped_by_its_limit_and_by_cancelling() {
    let limit = Duration::from_millis(300);
    let world = World::with(
        &[("a", "1\n")],
        Options {
            verify_limit: limit,
            ..Options::default()
        },
    );
    world.author(|tree| write(tree, &[("a", "2\n")]));
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"3\n");
    let begun = Instant::now();
    let slow = world
        .vet_with(&worktree, &["echo begun; sleep 300"])
        .await
        .unwrap();
    assert!(
        matches!(&slow, Err(GateRefusal::Verify { output, .. }) if output.starts_with("begun")),
        "{slow:?}"
    );

    let cancel = CancellationToken::new();
    cancel.cancel();
    let commands = vec!["sleep 300".to_string()];
    let cancelled = world
        .place
        .vet(&worktree, &NoOops, &commands, &cancel)
        .await;
    assert!(matches!(cancelled, Err(GitError::Cancelled)));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

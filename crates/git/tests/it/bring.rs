//! Preparing worktrees (§6.2), and what is not obeyed meanwhile (§9.3).

use crate::world::{World, git_in, listing, place, put, read, write};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, Git, GitError, Purpose, Remote};
use collie_git::{CloneReader, Options, git_version};
use futures::future::join_all;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

#[tokio::test]
async fn a_worktree_is_brought_to_the_head_whatever_was_left_in_it() {
    let world = World::new(&[("a", "1\n"), (".gitignore", "build\n"), ("d/b", "1\n")]);
    world.author(|tree| write(tree, &[("a", "2\n")]));
    let first = world.prepare().await;
    let expect = listing(&first.path);
    assert_eq!(expect, [".gitignore", "a", "d/b"]);

    put(&first.path, "a", b"changed");
    put(&first.path, "build/x", b"x");
    put(&first.path, "nested/.git/HEAD", b"ref: refs/heads/x\n");
    put(&first.path, "locked/x", b"x");
    fs::remove_dir_all(first.path.join("d")).unwrap();
    symlink("/", first.path.join("d")).unwrap();
    fs::set_permissions(first.path.join("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    git_in(&first.path, &["update-index", "--assume-unchanged", "a"]);
    git_in(&first.path, &["checkout", "-q", "-b", "mine"]);
    git_in(&first.path, &["config", "core.hooksPath", "/tmp"]);

    let head = world.author(|tree| write(tree, &[("new é \"q\"\n", "n\n")]));
    let again = world.prepare().await;
    assert_eq!(
        (again.path.clone(), again.head.clone()),
        (first.path, head.clone())
    );
    assert_eq!(again.merge_base, world.base);
    assert_eq!(
        listing(&again.path),
        [".gitignore", "a", "d/b", "new é \"q\"\n"]
    );
    assert_eq!(read(&again.path.join("a")), "2\n");
    assert_eq!(
        git_in(&again.path, &["rev-parse", "HEAD"]),
        head.to_string()
    );
    assert_eq!(git_in(&again.path, &["status", "--porcelain"]), "");
    assert!(!read(&world.clone_path().join("config")).contains("hooksPath"));
}

#[tokio::test]
async fn reviewers_have_a_checkout_of_their_own() {
    let world = World::new(&[("a", "1\n")]);
    let head = world.author(|tree| write(tree, &[("a", "2\n")]));
    let fix = world.prepare().await;
    let review = world
        .try_prepare(&head, Purpose::Review("quinn"))
        .await
        .unwrap();
    assert_ne!(fix.path, review.path);
    put(&fix.path, "a", b"3\n");
    assert_eq!(read(&review.path.join("a")), "2\n");
    let reader = CloneReader::new(&world.path("data"));
    assert_eq!(reader.worktree(&world.pull.id), Some(fix.path.clone()));
    let names = ["quinn", "sam", "ana/../../fix", "Éa"];
    let mut paths = std::collections::BTreeSet::from([fix.path]);
    for name in names {
        let own = world.try_prepare(&head, Purpose::Review(name)).await;
        let own = own.unwrap();
        assert_eq!(own.path.parent(), review.path.parent());
        assert_eq!(world.place.diff(&own).await.unwrap()[0].path, "a");
        paths.insert(own.path);
    }
    assert_eq!(paths.len(), 1 + names.len());
    fs::remove_dir_all(paths.pop_first().unwrap()).unwrap();
    assert_eq!(reader.worktree(&world.pull.id).as_ref(), paths.first());
}

#[tokio::test]
async fn another_head_than_expected_is_a_mismatch() {
    let world = World::new(&[("a", "1\n")]);
    let old = world.author(|tree| write(tree, &[("a", "2\n")]));
    let new = world.author(|tree| write(tree, &[("a", "3\n")]));
    let Err(GitError::HeadMismatch { branch, found }) =
        world.try_prepare(&old, Purpose::Review("quinn")).await
    else {
        panic!("no mismatch")
    };
    assert_eq!((branch.as_str(), found), ("topic", Some(new.clone())));

    world.git(&["push", "-q", "origin", ":topic"]);
    let gone = world.try_prepare(&new, Purpose::Fix).await;
    assert!(
        matches!(gone, Err(GitError::HeadMismatch { found: None, .. })),
        "{gone:?}"
    );
}

#[tokio::test]
async fn a_head_of_a_fork_and_a_rewritten_head_are_found() {
    let mut world = World::new(&[("a", "1\n")]);
    world.git(&["push", "-q", "origin", "topic"]);
    git_in(
        &world.path(""),
        &["clone", "-q", "--bare", "origin.git", "fork.git"],
    );
    world.remote.head_url = world.remote.url.replace("origin.git", "fork.git");
    world.git(&["remote", "set-url", "origin", "../fork.git"]);
    world.author(|tree| write(tree, &[("a", "2\n")]));
    assert_eq!(read(&world.prepare().await.path.join("a")), "2\n");

    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    world.author(|tree| write(tree, &[("a", "other\n")]));
    assert_eq!(read(&world.prepare().await.path.join("a")), "other\n");
}

#[tokio::test]
async fn a_shallow_remote_is_compared_as_it_is() {
    let mut world = World::new(&[("a", "1\n")]);
    let head = world.author(|tree| write(tree, &[("a", "2\n")]));
    let url = format!("file://{}", world.path("origin.git").display());
    git_in(
        &world.path(""),
        &[
            "clone",
            "-q",
            "--bare",
            "--depth=1",
            "--no-single-branch",
            &url,
            "shallow.git",
        ],
    );
    world.remote.url = world.remote.url.replace("origin.git", "shallow.git");
    world.remote.head_url = world.remote.url.clone();
    let worktree = world.try_prepare(&head, Purpose::Fix).await.unwrap();
    assert_eq!(worktree.merge_base, world.base);
    assert_eq!(
        world.place.diff(&worktree).await.unwrap()[0].changed,
        [(1, 1)]
    );
}

#[tokio::test]
async fn a_submodules_url_is_never_asked() {
    let world = World::new(&[("a", "1\n")]);
    let trap = world.path("trap");
    let lure = world.path("author/.git");
    let head = world.head();
    let modules = format!(
        "[submodule \"x\"]\n\tpath = x\n\turl = ext::touch {}\n\
         [submodule \"y\"]\n\tpath = y\n\turl = file://{}\n",
        trap.display(),
        lure.display()
    );
    for path in ["x", "y"] {
        let entry = format!("160000,{head},{path}");
        world.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }
    put(&world.path("author"), ".gitmodules", modules.as_bytes());
    put(&world.path("author"), "a", b"2\n");
    world.git(&["add", ".gitmodules", "a"]);
    world.git(&["commit", "-q", "-m", "submodules"]);
    world.git(&["push", "-q", "origin", "HEAD"]);
    let worktree = world.prepare().await.path;
    let commit = world.fix(|tree| put(tree, "a", b"3\n")).await;
    let from = world.head();
    world
        .place
        .push(&world.pull, &world.remote, &commit, &from)
        .await
        .unwrap();
    assert_eq!(world.remote_topic(), commit.as_str());
    for path in ["x", "y"] {
        assert_eq!(fs::read_dir(worktree.join(path)).unwrap().count(), 0);
    }
    assert!(!world.clone_path().join("modules").exists());
    assert!(!trap.exists());
}

#[tokio::test]
async fn nothing_of_the_repository_runs() {
    let world = World::new(&[("a", "1\n")]);
    let trap = world.path("trap");
    let run = format!("touch {}", trap.display());
    world.author(|tree| {
        write(
            tree,
            &[(
                ".gitattributes",
                "* filter=evil diff=evil merge=evil text=auto eol=crlf ident\n",
            )],
        );
        write(
            tree,
            &[
                ("a", "2\n$Id$\n"),
                (
                    ".gitmodules",
                    "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c touch% trap\n",
                ),
            ],
        );
    });
    let clone = world.clone_path();
    world.prepare().await;
    for hook in [
        "post-checkout",
        "pre-commit",
        "pre-push",
        "reference-transaction",
        "post-index-change",
    ] {
        put(
            &clone,
            &format!("hooks/{hook}"),
            format!("#!/bin/sh\n{run}\n").as_bytes(),
        );
        fs::set_permissions(
            clone.join("hooks").join(hook),
            fs::Permissions::from_mode(0o755),
        )
        .unwrap();
    }
    for key in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.command",
        "diff.evil.textconv",
        "diff.external",
        "merge.evil.driver",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
    ] {
        git_in(&clone, &["config", key, &run]);
    }
    let commit = world.fix(|tree| write(tree, &[("a", "3\n$Id$\n")])).await;
    let worktree = world.prepare().await;
    world.place.diff(&worktree).await.unwrap();
    let from = world.head();
    world
        .place
        .push(&world.pull, &world.remote, &commit, &from)
        .await
        .unwrap();
    assert!(!trap.exists());
    assert_eq!(world.origin(&["cat-file", "blob", "topic:a"]), "3\n$Id$");
    assert_eq!(
        read(&worktree.path.join("a")),
        "2\n$Id$\n",
        "no line end conversion, no keyword"
    );
}

#[tokio::test]
async fn links_that_lead_out_are_checked_out_as_text() {
    let world = World::new(&[("a", "1\n"), ("d/x", "1\n")]);
    let secret = world.path("secret");
    fs::write(&secret, "s").unwrap();
    world.author(|tree| {
        symlink(&secret, tree.join("out")).unwrap();
        symlink("../../../../../secret", tree.join("d/up")).unwrap();
        symlink("../.git/config", tree.join("d/git")).unwrap();
        symlink("out", tree.join("chain")).unwrap();
        symlink("d", tree.join("in")).unwrap();
        symlink("in/../../b", tree.join("sly")).unwrap();
        write(tree, &[("a", "2\n")]);
    });
    let worktree = world.prepare().await;
    let is_link = |path: &str| {
        fs::symlink_metadata(worktree.path.join(path))
            .unwrap()
            .is_symlink()
    };
    for path in ["out", "d/up", "d/git"] {
        assert!(!is_link(path), "{path}");
    }
    assert_eq!(read(&worktree.path.join("out")), secret.to_string_lossy());
    assert_eq!(
        read(&worktree.path.join("chain")),
        secret.to_string_lossy(),
        "a link to a disarmed link is harmless"
    );
    assert!(is_link("in"));
    assert!(
        world.vet(&worktree).await.unwrap().is_none(),
        "the text in place of a link is no change"
    );
    let commit = world.fix(|tree| write(tree, &[("a", "3\n")])).await;
    let modes = git_in(&world.clone_path(), &["ls-tree", "-r", commit.as_str()]);
    assert_eq!(
        modes.matches("120000").count(),
        6,
        "links stay links in the commit"
    );
}

#[tokio::test]
async fn what_a_killed_git_left_behind_is_in_nobodys_way() {
    let world = World::new(&[("a", "1\n")]);
    world.author(|tree| write(tree, &[("a", "2\n")]));
    // A clone that was never finished.
    fs::create_dir_all(world.clone_path().join("objects")).unwrap();
    let worktree = world.prepare().await;
    let commit = world.fix(|tree| write(tree, &[("a", "3\n")])).await;

    let clone = world.clone_path();
    for lock in [
        "config.lock",
        "packed-refs.lock",
        "shallow.lock",
        "HEAD.lock",
        "worktrees/pr-7-fix/index.lock",
        "worktrees/pr-7-fix/HEAD.lock",
        "refs/collie/pr/7/head.lock",
        "objects/pack/tmp_pack_abc",
    ] {
        put(&clone, lock, b"");
    }
    put(&clone, "worktrees/pr-7-fix/index", b"broken");
    put(&clone, "collie/pr-7-fix.index", b"broken");
    fs::remove_file(worktree.path.join(".git")).unwrap();
    world.author(|tree| write(tree, &[("a", "4\n")]));
    // The next process on the same folder.
    let place = place(&world.path("data"), Options::default());
    let head = world.head();
    let again = place
        .prepare(&world.pull, &world.remote, &head, &world.base, Purpose::Fix)
        .await
        .unwrap();
    assert_eq!(read(&again.path.join("a")), "4\n");
    assert!(!clone.join("objects/pack/tmp_pack_abc").exists());
    assert_eq!(
        place
            .file_at(&again, &commit, "a", 100)
            .await
            .unwrap()
            .unwrap(),
        b"3\n",
        "own commits are kept"
    );
    place.clean_up(&world.pull).await.unwrap();
    assert!(!clone.join("packed-refs.lock").exists());
}

#[tokio::test]
async fn cleaning_up_leaves_no_worktree_and_may_be_repeated() {
    let world = World::new(&[("a", "1\n")]);
    let head = world.author(|tree| write(tree, &[("a", "2\n")]));
    world.place.clean_up(&world.pull).await.unwrap();
    let fix = world.prepare().await;
    let own = ["quinn", "sam", "é"].map(|name| world.try_prepare(&head, Purpose::Review(name)));
    let reader = CloneReader::new(&world.path("data"));
    let own: Vec<CleanWorktree> = join_all(own)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    put(&fix.path, "ro/x", b"");
    fs::set_permissions(fix.path.join("ro"), fs::Permissions::from_mode(0o555)).unwrap();
    // Before each reviewer had one of its own, all of them had this one.
    let trees = fix.path.parent().unwrap();
    put(trees, "pr-7-review/a", b"2\n");
    put(&world.clone_path(), "worktrees/pr-7-review/HEAD", b"");
    put(&world.clone_path(), "collie/pr-7-review.index", b"");
    // Another pull request's, which stays.
    put(trees, "pr-70-review-quinn/a", b"2\n");
    for _ in 0..2 {
        world.place.clean_up(&world.pull).await.unwrap();
        assert!(own.iter().all(|own| !own.path.exists()));
        assert_eq!(reader.worktree(&world.pull.id), None);
        assert_eq!(listing(trees), ["pr-70-review-quinn/a"]);
        let known = listing(&world.clone_path());
        let known: Vec<&String> = known.iter().filter(|path| path.contains("pr-7-")).collect();
        assert!(known.is_empty(), "{known:?}");
    }
    assert_eq!(git_in(&world.clone_path(), &["for-each-ref"]), "");
    assert_eq!(listing(&world.path("data/trash")), Vec::<String>::new());
    world.prepare().await;
}

#[tokio::test]
async fn bad_remotes_are_clear_errors() {
    let world = World::new(&[("a", "1\n")]);
    let head = world.author(|_| ());
    let at = |url: &str, branch: &str| Remote {
        url: url.into(),
        head_url: url.into(),
        branch: branch.into(),
    };
    let gone = world.remote.url.replace("origin", "nowhere");
    for (remote, expect) in [
        (at(&gone, "topic"), "Failed"),
        (at("http://127.0.0.1:1/x.git", "topic"), "Unreachable"),
        (at("https://me:pw@example.com/x.git", "topic"), "Io"),
        (at("ext::sh -c id", "topic"), "Io"),
        (at("--upload-pack=id", "topic"), "Io"),
        (at(&world.remote.url, "a:b"), "Io"),
    ] {
        let error = world
            .place
            .prepare(&world.pull, &remote, &head, &world.base, Purpose::Fix)
            .await
            .unwrap_err();
        assert!(
            format!("{error:?}").starts_with(expect),
            "{remote:?}: {error:?}"
        );
        let text = format!("{error} {error:?}");
        for hidden in ["s3cret", "pw", &*world.path("data").to_string_lossy()] {
            assert!(!text.contains(hidden), "{text}");
        }
        assert!(world.place.remote_head(&remote).await.is_err());
    }
}

#[tokio::test]
async fn a_damaged_remote_is_told_in_its_own_words() {
    let world = World::new(&[("a", "1\n")]);
    world.author(|_| ());
    world.prepare().await;
    let head = world.author(|tree| write(tree, &[("a", "2\n")]));
    let blob = world.git(&["rev-parse", "HEAD:a"]);
    let object = format!("origin.git/objects/{}/{}", &blob[..2], &blob[2..]);
    fs::remove_file(world.path(&object)).unwrap();
    let error = world.try_prepare(&head, Purpose::Fix).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&blob), "{text}");
    assert!(!text.contains("hint:"), "{text}");
}

#[tokio::test]
async fn a_missing_git_is_said_so() {
    let Err(GitError::NoGit { message }) = git_version(Path::new("no-such-git")).await else {
        panic!("found")
    };
    assert!(message.contains("install git"), "{message}");
    assert!(
        git_version(Path::new("git"))
            .await
            .unwrap()
            .starts_with("2.")
    );

    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("git");
    fs::write(&old, "#!/bin/sh\necho git version 2.30.1\n").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    let world = World::with(
        &[],
        Options {
            git: old,
            ..Options::default()
        },
    );
    let error = world
        .try_prepare(&world.base.clone(), Purpose::Fix)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, GitError::NoGit { message } if message.contains("2.30.1")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_remote_that_never_answers_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let limit = std::time::Duration::from_millis(400);
    let mut world = World::with(
        &[],
        Options {
            network_limit: limit,
            ..Options::default()
        },
    );
    world.remote.head_url = format!("http://{}/x.git", listener.local_addr().unwrap());
    let error = world.place.remote_head(&world.remote).await.unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn the_token_goes_in_a_header_and_nowhere_else() {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut world = World::new(&[]);
    world.remote.head_url = format!("http://{}/x.git", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let head: Vec<String> = lines
            .map(|line| line.unwrap())
            .take_while(|line| !line.is_empty())
            .collect();
        stream
            .write_all(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
        head
    });
    let error = world.place.remote_head(&world.remote).await.unwrap_err();
    let head = server.join().unwrap();
    assert!(matches!(error, GitError::Failed { .. }), "{error:?}");
    assert!(
        head.contains(&"Authorization: Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0".to_string()),
        "{head:?}"
    );
    assert!(!head[0].contains("s3cret"));
    let none = Sha::parse(&"a".repeat(40)).unwrap();
    assert!(world.try_prepare(&none, Purpose::Fix).await.is_err());
}

#[tokio::test]
async fn a_preparation_that_is_broken_off_at_any_moment_can_be_repeated() {
    let world = World::new(&[("a", "1\n")]);
    let many: Vec<(String, String)> = (0..200)
        .map(|n| (format!("d{}/f{n}", n % 7), format!("{n}\n")))
        .collect();
    for step in 0..12 {
        let head = world.author(|tree| {
            for (path, text) in &many {
                put(tree, path, format!("{step}{text}").as_bytes());
            }
        });
        let moment = std::time::Duration::from_millis(step * 9);
        // Whether it was in time does not matter.
        let _ = tokio::time::timeout(moment, world.try_prepare(&head, Purpose::Fix)).await;
        let worktree = world.try_prepare(&head, Purpose::Fix).await.unwrap();
        assert_eq!(read(&worktree.path.join("d3/f3")), format!("{step}3\n"));
        assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "");
    }
}

#[tokio::test]
async fn pull_requests_of_one_repository_do_not_disturb_each_other() {
    let world = World::new(&[("a", "1\n")]);
    let head = world.author(|tree| write(tree, &[("a", "2\n")]));
    let prepares = (1..=6).map(|number| {
        let (world, head) = (&world, &head);
        async move {
            let mut pull = world.pull.clone();
            pull.id.number = number;
            let worktree = world
                .place
                .prepare(&pull, &world.remote, head, &world.base, Purpose::Fix)
                .await
                .unwrap();
            put(&worktree.path, "a", format!("{number}\n").as_bytes());
            world.place.clean_up(&world.pull).await.unwrap();
            world
                .vet(&worktree)
                .await
                .unwrap()
                .map(|vetted| vetted.tree)
        }
    });
    let trees: std::collections::BTreeSet<_> = join_all(prepares).await.into_iter().collect();
    assert_eq!(
        trees.len(),
        6,
        "number 2 changes nothing, the others differ"
    );
    assert!(trees.contains(&None));
}

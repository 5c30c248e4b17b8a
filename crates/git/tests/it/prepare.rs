//! Preparing worktrees (§6.2), and what is not obeyed meanwhile (§9.3).

use crate::fixture::{
    GitFixture, git_in, list_files, open_worktrees, read_text, write_bytes, write_files,
};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, Git, GitError, GitRemote, WorktreePurpose};
use collie_git::{CloneReader, GitOptions, git_version};
use collie_testkit::program::write_program;
use futures::future::join_all;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

#[tokio::test]
async fn a_worktree_is_brought_to_the_head_whatever_was_left_in_it() {
    let fixture = GitFixture::new(&[("a", "1\n"), (".gitignore", "build\n"), ("d/b", "1\n")]);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let first = fixture.prepare().await;
    let expect = list_files(first.path());
    assert_eq!(expect, [".gitignore", "a", "d/b"]);

    write_bytes(first.path(), "a", b"changed");
    write_bytes(first.path(), "build/x", b"x");
    write_bytes(first.path(), "nested/.git/HEAD", b"ref: refs/heads/x\n");
    write_bytes(first.path(), "locked/x", b"x");
    fs::remove_dir_all(first.path().join("d")).unwrap();
    symlink("/", first.path().join("d")).unwrap();
    fs::set_permissions(
        first.path().join("locked"),
        fs::Permissions::from_mode(0o555),
    )
    .unwrap();
    git_in(first.path(), &["update-index", "--assume-unchanged", "a"]);
    git_in(first.path(), &["checkout", "-q", "-b", "mine"]);
    git_in(first.path(), &["config", "core.hooksPath", "/tmp"]);

    let head = fixture.commit_as_author(|tree| write_files(tree, &[("new é \"q\"\n", "n\n")]));
    let again = fixture.prepare().await;
    assert_eq!(
        (again.path(), again.head().clone()),
        (first.path(), head.clone())
    );
    assert_eq!(*again.merge_base(), fixture.base);
    assert_eq!(
        list_files(again.path()),
        [".gitignore", "a", "d/b", "new é \"q\"\n"]
    );
    assert_eq!(read_text(&again.path().join("a")), "2\n");
    assert_eq!(
        git_in(again.path(), &["rev-parse", "HEAD"]),
        head.to_string()
    );
    assert_eq!(git_in(again.path(), &["status", "--porcelain"]), "");
    assert!(!read_text(&fixture.clone_path().join("config")).contains("hooksPath"));
}

#[tokio::test]
async fn reviewers_have_a_checkout_of_their_own() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let fix = fixture.prepare().await;
    let review = fixture
        .try_prepare(&head, WorktreePurpose::Review("quinn"))
        .await
        .unwrap();
    assert_ne!(fix.path(), review.path());
    write_bytes(fix.path(), "a", b"3\n");
    assert_eq!(read_text(&review.path().join("a")), "2\n");
    let reader = CloneReader::new(&fixture.path("data"));
    assert_eq!(
        reader.worktree(&fixture.pull.id),
        Some(fix.path().to_owned())
    );
    let names = ["quinn", "sam", "ana/../../fix", "Éa"];
    let mut paths = std::collections::BTreeSet::from([fix.path().to_owned()]);
    for name in names {
        let own = fixture
            .try_prepare(&head, WorktreePurpose::Review(name))
            .await;
        let own = own.unwrap();
        assert_eq!(own.path().parent(), review.path().parent());
        assert_eq!(
            fixture.worktrees.diff(&own, &fixture.base).await.unwrap()[0].path,
            "a"
        );
        paths.insert(own.path().to_owned());
    }
    assert_eq!(paths.len(), 1 + names.len());
    fs::remove_dir_all(paths.pop_first().unwrap()).unwrap();
    assert_eq!(reader.worktree(&fixture.pull.id).as_ref(), paths.first());
}

#[tokio::test]
async fn another_head_than_expected_is_a_mismatch() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let old = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let new = fixture.commit_as_author(|tree| write_files(tree, &[("a", "3\n")]));
    let Err(GitError::HeadMismatch { branch, found }) = fixture
        .try_prepare(&old, WorktreePurpose::Review("quinn"))
        .await
    else {
        panic!("no mismatch")
    };
    assert_eq!((branch.as_str(), found), ("topic", Some(new.clone())));

    fixture.git_as_author(&["push", "-q", "origin", ":topic"]);
    let gone = fixture.try_prepare(&new, WorktreePurpose::Fix).await;
    assert!(
        matches!(gone, Err(GitError::HeadMismatch { found: None, .. })),
        "{gone:?}"
    );
}

#[tokio::test]
async fn a_head_of_a_fork_and_a_rewritten_head_are_found() {
    let mut fixture = GitFixture::new(&[("a", "1\n")]);
    fixture.git_as_author(&["push", "-q", "origin", "topic"]);
    git_in(
        &fixture.path(""),
        &["clone", "-q", "--bare", "origin.git", "fork.git"],
    );
    fixture.remote.head_url = fixture.remote.url.replace("origin.git", "fork.git");
    fixture.git_as_author(&["remote", "set-url", "origin", "../fork.git"]);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    assert_eq!(read_text(&fixture.prepare().await.path().join("a")), "2\n");

    fixture.git_as_author(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "other\n")]));
    assert_eq!(
        read_text(&fixture.prepare().await.path().join("a")),
        "other\n"
    );
}

#[tokio::test]
async fn a_shallow_remote_is_compared_as_it_is() {
    let mut fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let url = format!("file://{}", fixture.path("origin.git").display());
    git_in(
        &fixture.path(""),
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
    fixture.remote.url = fixture.remote.url.replace("origin.git", "shallow.git");
    fixture.remote.head_url = fixture.remote.url.clone();
    let worktree = fixture
        .try_prepare(&head, WorktreePurpose::Fix)
        .await
        .unwrap();
    assert_eq!(*worktree.merge_base(), fixture.base);
    assert_eq!(
        fixture
            .worktrees
            .diff(&worktree, &fixture.base)
            .await
            .unwrap()[0]
            .changed,
        [(1, 1)]
    );
}

#[tokio::test]
async fn a_submodules_url_is_never_asked() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let trap = fixture.path("trap");
    let lure = fixture.path("author/.git");
    let head = fixture.head();
    let modules = format!(
        "[submodule \"x\"]\n\tpath = x\n\turl = ext::touch {}\n\
         [submodule \"y\"]\n\tpath = y\n\turl = file://{}\n",
        trap.display(),
        lure.display()
    );
    for path in ["x", "y"] {
        let entry = format!("160000,{head},{path}");
        fixture.git_as_author(&["update-index", "--add", "--cacheinfo", &entry]);
    }
    write_bytes(&fixture.path("author"), ".gitmodules", modules.as_bytes());
    write_bytes(&fixture.path("author"), "a", b"2\n");
    fixture.git_as_author(&["add", ".gitmodules", "a"]);
    fixture.git_as_author(&["commit", "-q", "-m", "submodules"]);
    fixture.git_as_author(&["push", "-q", "origin", "HEAD"]);
    let worktree = fixture.prepare().await;
    let commit = fixture
        .commit_fix(|tree| write_bytes(tree, "a", b"3\n"))
        .await;
    let from = fixture.head();
    fixture
        .worktrees
        .push(&fixture.pull, &fixture.remote, (&commit, &from), None)
        .await
        .unwrap();
    assert_eq!(fixture.remote_topic(), commit.as_str());
    for path in ["x", "y"] {
        assert_eq!(fs::read_dir(worktree.path().join(path)).unwrap().count(), 0);
    }
    assert!(!fixture.clone_path().join("modules").exists());
    assert!(!trap.exists());
}

#[tokio::test]
async fn nothing_of_the_repository_runs() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let trap = fixture.path("trap");
    let run = format!("touch {}", trap.display());
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[(
                ".gitattributes",
                "* filter=evil diff=evil merge=evil text=auto eol=crlf ident\n",
            )],
        );
        write_files(
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
    let clone = fixture.clone_path();
    fixture.prepare().await;
    for hook in [
        "post-checkout",
        "pre-commit",
        "pre-push",
        "reference-transaction",
        "post-index-change",
    ] {
        let hooks = clone.join("hooks");
        fs::create_dir_all(&hooks).unwrap();
        write_program(&hooks.join(hook), format!("#!/bin/sh\n{run}\n"));
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
    let commit = fixture
        .commit_fix(|tree| write_files(tree, &[("a", "3\n$Id$\n")]))
        .await;
    let worktree = fixture.prepare().await;
    fixture
        .worktrees
        .diff(&worktree, &fixture.base)
        .await
        .unwrap();
    let from = fixture.head();
    fixture
        .worktrees
        .push(&fixture.pull, &fixture.remote, (&commit, &from), None)
        .await
        .unwrap();
    assert!(!trap.exists());
    assert_eq!(
        fixture.git_in_origin(&["cat-file", "blob", "topic:a"]),
        "3\n$Id$"
    );
    assert_eq!(
        read_text(&worktree.path().join("a")),
        "2\n$Id$\n",
        "no line end conversion, no keyword"
    );
}

#[tokio::test]
async fn links_that_lead_out_are_checked_out_as_text() {
    let fixture = GitFixture::new(&[("a", "1\n"), ("d/x", "1\n")]);
    let secret = fixture.path("secret");
    fs::write(&secret, "s").unwrap();
    fixture.commit_as_author(|tree| {
        symlink(&secret, tree.join("out")).unwrap();
        symlink("../../../../../secret", tree.join("d/up")).unwrap();
        symlink("../.git/config", tree.join("d/git")).unwrap();
        symlink("out", tree.join("chain")).unwrap();
        symlink("d", tree.join("in")).unwrap();
        symlink("in/../../b", tree.join("sly")).unwrap();
        write_files(tree, &[("a", "2\n")]);
    });
    let worktree = fixture.prepare().await;
    let is_link = |path: &str| {
        fs::symlink_metadata(worktree.path().join(path))
            .unwrap()
            .is_symlink()
    };
    for path in ["out", "d/up", "d/git"] {
        assert!(!is_link(path), "{path}");
    }
    assert_eq!(
        read_text(&worktree.path().join("out")),
        secret.to_string_lossy()
    );
    assert_eq!(
        read_text(&worktree.path().join("chain")),
        secret.to_string_lossy(),
        "a link to a disarmed link is harmless"
    );
    assert!(is_link("in"));
    assert!(
        fixture.vet(&worktree).await.unwrap().is_none(),
        "the text in place of a link is no change"
    );
    let commit = fixture
        .commit_fix(|tree| write_files(tree, &[("a", "3\n")]))
        .await;
    let modes = git_in(&fixture.clone_path(), &["ls-tree", "-r", commit.as_str()]);
    assert_eq!(
        modes.matches("120000").count(),
        6,
        "links stay links in the commit"
    );
}

/// Attack: each link stays within by its text, and leads out by way of another one; what it leads to need not be there yet.
#[tokio::test]
async fn links_that_lead_out_by_way_of_others_are_checked_out_as_text() {
    let fixture = GitFixture::new(&[("a", "1\n"), ("a-b/c/d/x", "1\n")]);
    fixture.commit_as_author(|tree| {
        symlink("../../..", tree.join("a-b/c/d/up")).unwrap();
        symlink("a-b/c/d/up", tree.join("top")).unwrap();
        symlink("a-b/c/d/up/../secret", tree.join("x")).unwrap();
        symlink("a-b/c/d/up/../not-yet", tree.join("y")).unwrap();
        symlink("a-b/top/../a", tree.join("nowhere")).unwrap();
        symlink("a-b/c/d/up/a", tree.join("within")).unwrap();
        symlink("loop", tree.join("loop")).unwrap();
    });
    let worktree = fixture.prepare().await;
    let beside = worktree.path().parent().unwrap();
    fs::write(beside.join("secret"), "s").unwrap();
    let worktree = fixture.prepare().await;
    let target = |path: &str| fs::read_link(worktree.path().join(path)).ok();
    for path in ["x", "y"] {
        assert_eq!(target(path), None, "{path}");
        let text = read_text(&worktree.path().join(path));
        assert!(text.starts_with("a-b/c/d/up/../"), "{path}: {text}");
    }
    for path in ["a-b/c/d/up", "top", "nowhere", "within", "loop"] {
        assert!(target(path).is_some(), "{path}");
    }
    assert_eq!(read_text(&worktree.path().join("within")), "1\n");
    assert!(fixture.vet(&worktree).await.unwrap().is_none());
}

#[tokio::test]
async fn what_a_killed_git_left_behind_is_in_nobodys_way() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    // A clone that was never finished.
    fs::create_dir_all(fixture.clone_path().join("objects")).unwrap();
    let worktree = fixture.prepare().await;
    let commit = fixture
        .commit_fix(|tree| write_files(tree, &[("a", "3\n")]))
        .await;

    let clone = fixture.clone_path();
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
        write_bytes(&clone, lock, b"");
    }
    write_bytes(&clone, "worktrees/pr-7-fix/index", b"broken");
    write_bytes(&clone, "collie/pr-7-fix.index", b"broken");
    fs::remove_file(worktree.path().join(".git")).unwrap();
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "4\n")]));
    // The next process on the same folder.
    let worktrees = open_worktrees(&fixture.path("data"), GitOptions::default());
    let head = fixture.head();
    let again = worktrees
        .prepare(
            &fixture.pull,
            &fixture.remote,
            &head,
            &fixture.base,
            WorktreePurpose::Fix,
        )
        .await
        .unwrap();
    assert_eq!(read_text(&again.path().join("a")), "4\n");
    assert!(!clone.join("objects/pack/tmp_pack_abc").exists());
    assert_eq!(
        worktrees
            .file_at(&again, &commit, "a", 100)
            .await
            .unwrap()
            .unwrap(),
        b"3\n",
        "own commits are kept"
    );
    worktrees.clean_up(&fixture.pull).await.unwrap();
    assert!(!clone.join("packed-refs.lock").exists());
}

#[tokio::test]
async fn cleaning_up_leaves_no_worktree_and_may_be_repeated() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture.worktrees.clean_up(&fixture.pull).await.unwrap();
    let fix = fixture.prepare().await;
    let own =
        ["quinn", "sam", "é"].map(|name| fixture.try_prepare(&head, WorktreePurpose::Review(name)));
    let reader = CloneReader::new(&fixture.path("data"));
    let own: Vec<CleanWorktree> = join_all(own)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    write_bytes(fix.path(), "ro/x", b"");
    fs::set_permissions(fix.path().join("ro"), fs::Permissions::from_mode(0o555)).unwrap();
    // Before each reviewer had one of its own, all of them had this one.
    let trees = fix.path().parent().unwrap();
    write_bytes(trees, "pr-7-review/a", b"2\n");
    write_bytes(&fixture.clone_path(), "worktrees/pr-7-review/HEAD", b"");
    write_bytes(&fixture.clone_path(), "collie/pr-7-review.index", b"");
    // Another pull request's, which stays.
    write_bytes(trees, "pr-70-review-quinn/a", b"2\n");
    for _ in 0..2 {
        fixture.worktrees.clean_up(&fixture.pull).await.unwrap();
        assert!(own.iter().all(|own| !own.path().exists()));
        assert_eq!(reader.worktree(&fixture.pull.id), None);
        assert_eq!(list_files(trees), ["pr-70-review-quinn/a"]);
        let known = list_files(&fixture.clone_path());
        let known: Vec<&String> = known.iter().filter(|path| path.contains("pr-7-")).collect();
        assert!(known.is_empty(), "{known:?}");
    }
    assert_eq!(git_in(&fixture.clone_path(), &["for-each-ref"]), "");
    assert_eq!(
        list_files(&fixture.path("data/trash")),
        Vec::<String>::new()
    );
    fixture.prepare().await;
}

#[tokio::test]
async fn the_head_of_a_deleted_fork_is_read_from_the_pull_request_itself() {
    let mut fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture.git_as_author(&["push", "-q", "origin", "HEAD:refs/pull/7/head"]);
    fixture.git_as_author(&["push", "-q", "origin", ":topic"]);
    let prepare = async |fixture: &GitFixture| {
        let (pull, remote, base) = (&fixture.pull, &fixture.remote, &fixture.base);
        let purpose = WorktreePurpose::Review("rules");
        let worktrees = &fixture.worktrees;
        worktrees.prepare(pull, remote, &head, base, purpose).await
    };
    let by_branch = prepare(&fixture).await;
    assert!(
        matches!(by_branch, Err(GitError::HeadMismatch { .. })),
        "{by_branch:?}"
    );
    fixture.remote.deleted_fork = Some(7);
    let worktree = prepare(&fixture).await.unwrap();
    assert_eq!(
        std::fs::read_to_string(worktree.path().join("a")).unwrap(),
        "2\n"
    );
    let (worktrees, remote) = (&fixture.worktrees, &fixture.remote);
    assert_eq!(
        worktrees.remote_head(remote).await.unwrap(),
        Some(head.clone())
    );
    let pushed = worktrees
        .push(&fixture.pull, remote, (&head, &fixture.base), None)
        .await;
    assert!(
        matches!(pushed, Err(GitError::PushRefused { .. })),
        "{pushed:?}"
    );
}

#[tokio::test]
async fn bad_remotes_are_clear_errors() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|_| ());
    let at = |url: &str, branch: &str| GitRemote {
        url: url.into(),
        head_url: url.into(),
        branch: branch.into(),
        deleted_fork: None,
    };
    let gone = fixture.remote.url.replace("origin", "nowhere");
    for (remote, expect) in [
        (at(&gone, "topic"), "Failed"),
        (at("http://127.0.0.1:1/x.git", "topic"), "Unreachable"),
        (
            at("https://me:passw0rd@example.com/x.git", "topic"),
            "InvalidRemote",
        ),
        (at("ext::sh -c id", "topic"), "InvalidRemote"),
        (at("--upload-pack=id", "topic"), "InvalidRemote"),
        (at(&fixture.remote.url, "a:b"), "InvalidRemote"),
    ] {
        let error = fixture
            .worktrees
            .prepare(
                &fixture.pull,
                &remote,
                &head,
                &fixture.base,
                WorktreePurpose::Fix,
            )
            .await
            .unwrap_err();
        assert!(
            format!("{error:?}").starts_with(expect),
            "{remote:?}: {error:?}"
        );
        let text = format!("{error} {error:?}");
        for hidden in [
            "s3cret",
            "passw0rd",
            &*fixture.path("data").to_string_lossy(),
        ] {
            assert!(!text.contains(hidden), "{text}");
        }
        assert!(fixture.worktrees.remote_head(&remote).await.is_err());
    }
}

#[tokio::test]
async fn a_damaged_remote_is_reported_in_its_own_words() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    fixture.commit_as_author(|_| ());
    fixture.prepare().await;
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let blob = fixture.git_as_author(&["rev-parse", "HEAD:a"]);
    let object = format!("origin.git/objects/{}/{}", &blob[..2], &blob[2..]);
    fs::remove_file(fixture.path(&object)).unwrap();
    let error = fixture
        .try_prepare(&head, WorktreePurpose::Fix)
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&blob), "{text}");
    assert!(!text.contains("hint:"), "{text}");
}

#[tokio::test]
async fn a_missing_git_is_said_so() {
    let Err(GitError::GitUnavailable { message }) = git_version(Path::new("no-such-git")).await
    else {
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
    write_program(&old, "#!/bin/sh\necho git version 2.30.1\n");
    let fixture = GitFixture::with_options(
        &[],
        GitOptions {
            binary: old,
            ..GitOptions::default()
        },
    );
    let error = fixture
        .try_prepare(&fixture.base.clone(), WorktreePurpose::Fix)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, GitError::GitUnavailable { message } if message.contains("2.30.1")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_remote_that_never_answers_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let limit = std::time::Duration::from_millis(400);
    let mut fixture = GitFixture::with_options(
        &[],
        GitOptions {
            network_timeout: limit,
            ..GitOptions::default()
        },
    );
    fixture.remote.head_url = format!("http://{}/x.git", listener.local_addr().unwrap());
    let error = fixture
        .worktrees
        .remote_head(&fixture.remote)
        .await
        .unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn the_token_goes_in_a_header_and_nowhere_else() {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut fixture = GitFixture::new(&[]);
    fixture.remote.head_url = format!("http://{}/x.git", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        loop {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines
                .map(|line| line.unwrap())
                .take_while(|line| !line.is_empty())
                .collect();
            let signed_in = head.iter().any(|line| line.starts_with("Authorization"));
            // An older git signs in once it is asked to.
            let status = match signed_in {
                true => "403 No",
                false => "401 Who\r\nWWW-Authenticate: Basic realm=\"x\"",
            };
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            if signed_in {
                return head;
            }
        }
    });
    let error = fixture
        .worktrees
        .remote_head(&fixture.remote)
        .await
        .unwrap_err();
    let head = server.join().unwrap();
    assert!(matches!(error, GitError::Failed { .. }), "{error:?}");
    assert!(
        head.contains(&"Authorization: Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0".to_string()),
        "{head:?}"
    );
    assert!(!head[0].contains("s3cret"));
    let none = Sha::parse(&"a".repeat(40)).unwrap();
    assert!(
        fixture
            .try_prepare(&none, WorktreePurpose::Fix)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_preparation_that_is_broken_off_at_any_moment_can_be_repeated() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let many: Vec<(String, String)> = (0..200)
        .map(|n| (format!("d{}/f{n}", n % 7), format!("{n}\n")))
        .collect();
    for step in 0..12 {
        let head = fixture.commit_as_author(|tree| {
            for (path, text) in &many {
                write_bytes(tree, path, format!("{step}{text}").as_bytes());
            }
        });
        let moment = std::time::Duration::from_millis(step * 9);
        // Whether it was in time does not matter.
        let _ =
            tokio::time::timeout(moment, fixture.try_prepare(&head, WorktreePurpose::Fix)).await;
        let worktree = fixture
            .try_prepare(&head, WorktreePurpose::Fix)
            .await
            .unwrap();
        assert_eq!(
            read_text(&worktree.path().join("d3/f3")),
            format!("{step}3\n")
        );
        assert_eq!(git_in(worktree.path(), &["status", "--porcelain"]), "");
    }
}

#[tokio::test]
async fn pull_requests_of_one_repository_do_not_disturb_each_other() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let prepares = (1..=6).map(|number| {
        let (world, head) = (&fixture, &head);
        async move {
            let mut pull = world.pull.clone();
            pull.id.number = number;
            let worktree = world
                .worktrees
                .prepare(
                    &pull,
                    &world.remote,
                    head,
                    &world.base,
                    WorktreePurpose::Fix,
                )
                .await
                .unwrap();
            write_bytes(worktree.path(), "a", format!("{number}\n").as_bytes());
            world.worktrees.clean_up(&world.pull).await.unwrap();
            world
                .vet(&worktree)
                .await
                .unwrap()
                .map(|vetted| vetted.tree().clone())
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

//! Committing, pushing, rebasing (§6.4), and fixes that take each other back (§5.3).

use crate::fixture::{
    GitFixture, commit_message, git_in, list_files, open_worktrees, write_bytes, write_files,
};
use collie_core::ids::Sha;
use collie_engine::ports::{CommitMessage, CommitTransfer, Git, GitError, PushOutcome};
use collie_git::{GitOptions, Worktrees};
use collie_testkit::program::write_program;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn ten_lines() -> String {
    (1..=10).map(|n| format!("line {n}\n")).collect()
}

async fn fixture() -> GitFixture {
    let fixture = GitFixture::new(&[("a", &ten_lines()), ("b", "1\n")]);
    fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", &ten_lines().replace("line 5", "five"))])
    });
    fixture
}

async fn commit_replacement(fixture: &GitFixture, from: &str, to: &str) -> Sha {
    let text = fs::read_to_string(fixture.path("author/a"))
        .unwrap()
        .replace(from, to);
    fixture
        .commit_fix(|tree| write_files(tree, &[("a", &text)]))
        .await
}

async fn push_commit(
    fixture: &GitFixture,
    commit: &Sha,
    from: &Sha,
) -> Result<PushOutcome, GitError> {
    fixture
        .worktrees
        .push(&fixture.pull, &fixture.remote, (commit, from), None)
        .await
}

#[tokio::test]
async fn a_fix_is_one_commit_on_the_head_with_trailers_by_the_identity() {
    let fixture = fixture().await;
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"x\n");
    git_in(worktree.path(), &["commit", "-qam", "agent's own"]);
    write_bytes(worktree.path(), "a", b"y\n");
    let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
    let message = CommitMessage {
        by: None,
        subject: "fix: y [skip ci]".into(),
        body: "Why.".into(),
        trailers: vec![("Collie-Run".into(), "r-1".into())],
    };
    let commit = fixture.worktrees.commit(&vetted, &message).await.unwrap();
    let shown = git_in(
        &fixture.clone_path(),
        &[
            "show",
            "-s",
            "--format=%P|%an <%ae>|%cn|%B",
            commit.as_str(),
        ],
    );
    let expect = format!(
        "{}|Col Lie <col@example.com>|Col Lie|fix: y\n\nWhy.\n\nCollie-Run: r-1",
        worktree.head()
    );
    assert_eq!(shown, expect);
}

#[tokio::test]
async fn without_an_identity_the_users_configuration_counts() {
    let fixture = fixture().await;
    for (config, expect) in [
        (
            "[user]\n\tname = Ana B\n\temail = ana@example.com\n[core]\n\thooksPath = /tmp\n",
            "Ana B <ana@example.com>",
        ),
        ("[user]\n\tname = Only\n", "Collie <collie@noreply.invalid>"),
        ("", "Collie <collie@noreply.invalid>"),
    ] {
        let home = fixture.path("home");
        write_bytes(&home, ".gitconfig", config.as_bytes());
        let options = GitOptions {
            allow_file_remotes: true,
            user_home: Some(home),
            ..GitOptions::default()
        };
        let worktrees =
            Worktrees::new(&fixture.path("data"), Arc::new(|| None), None, options).unwrap();
        let worktree = fixture.prepare().await;
        write_bytes(worktree.path(), "a", b"y\n");
        let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
        let commit = worktrees.commit(&vetted, &commit_message()).await.unwrap();
        let who = git_in(
            &fixture.clone_path(),
            &["show", "-s", "--format=%an <%ae>", commit.as_str()],
        );
        assert_eq!(who, expect);
    }
}

#[tokio::test]
async fn signing_is_as_the_user_configured_it() {
    let fixture = fixture().await;
    let home = fixture.path("home");
    let signer = "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho -----BEGIN PGP SIGNATURE-----\n\
        echo; echo x; echo -----END PGP SIGNATURE-----\n";
    fs::create_dir_all(&home).unwrap();
    write_program(&home.join("signer"), signer);
    let config = format!(
        "[user]\n\tname = A\n\temail = a@example.com\n[commit]\n\tgpgsign\n[gpg]\n\tprogram = {}\n",
        home.join("signer").display()
    );
    write_bytes(&home, ".gitconfig", config.as_bytes());
    let options = GitOptions {
        allow_file_remotes: true,
        user_home: Some(home),
        ..GitOptions::default()
    };
    let worktrees =
        Worktrees::new(&fixture.path("data"), Arc::new(|| None), None, options).unwrap();
    let worktree = fixture.prepare().await;
    write_bytes(worktree.path(), "a", b"y\n");
    let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
    let commit = worktrees.commit(&vetted, &commit_message()).await.unwrap();
    assert!(
        git_in(
            &fixture.clone_path(),
            &["cat-file", "commit", commit.as_str()]
        )
        .contains("gpgsig")
    );
}

#[tokio::test]
async fn a_push_is_done_once_and_may_be_repeated() {
    let fixture = fixture().await;
    let from = fixture.head();
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    assert_ne!(fixture.remote_topic(), commit.to_string());
    for _ in 0..2 {
        assert_eq!(
            push_commit(&fixture, &commit, &from).await.unwrap(),
            PushOutcome::Done
        );
        assert_eq!(fixture.remote_topic(), commit.to_string());
    }
    assert_eq!(
        fixture
            .worktrees
            .remote_head(&fixture.remote)
            .await
            .unwrap(),
        Some(commit.clone())
    );

    // Somebody goes on from it: it is still done.
    fixture.git_as_author(&["pull", "-q", "--ff-only", "origin", "topic"]);
    let later = fixture.commit_as_author(|tree| write_files(tree, &[("b", "2\n")]));
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Done
    );
    assert_eq!(fixture.remote_topic(), later.to_string());

    // Also for a process whose clone is lost.
    let worktrees = open_worktrees(&fixture.path("other"), GitOptions::default());
    assert_eq!(
        worktrees
            .push(&fixture.pull, &fixture.remote, (&commit, &from), None)
            .await
            .unwrap(),
        PushOutcome::Done
    );
}

#[tokio::test]
async fn a_remote_that_moved_is_never_overwritten() {
    let fixture = fixture().await;
    let from = fixture.head();
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    let moved = fixture.commit_as_author(|tree| write_files(tree, &[("b", "2\n")]));
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Moved { head: moved }
    );

    fixture.git_as_author(&["reset", "-q", "--hard", "main"]);
    let rewritten = fixture.commit_as_author(|tree| write_files(tree, &[("b", "other\n")]));
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Moved {
            head: rewritten.clone()
        }
    );

    // A remote that went back would take the push as a fast forward, and bring dropped commits back.
    fixture.git_as_author(&["push", "-q", "-f", "origin", "main:topic"]);
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Moved {
            head: fixture.base.clone()
        }
    );

    fixture.git_as_author(&["push", "-q", "origin", ":topic"]);
    let gone = push_commit(&fixture, &commit, &from).await;
    assert!(
        matches!(gone, Err(GitError::HeadMismatch { found: None, .. })),
        "{gone:?}"
    );
}

/// A stand-in for git at this path: what is pushed, another pushed to the branch just before.
fn overtaken_git(program: &Path, origin: &Path, rival: &Sha) {
    let script = format!(
        "#!/bin/sh\n\
         [ \"$1\" != push ] || git --git-dir='{}' update-ref refs/heads/topic {rival}\n\
         exec git \"$@\"\n",
        origin.display()
    );
    write_program(program, script);
}

#[tokio::test]
async fn a_push_that_comes_between_the_look_and_the_push_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("git");
    let options = GitOptions {
        binary: binary.clone(),
        ..GitOptions::default()
    };
    write_program(&binary, "#!/bin/sh\nexec git \"$@\"\n");
    let fixture = GitFixture::with_options(&[("a", &ten_lines())], options);
    let from = fixture.commit_as_author(|tree| write_files(tree, &[("a", "five\n")]));
    let commit = commit_replacement(&fixture, "five", "six").await;
    fixture.git_as_author(&["checkout", "-q", "-b", "rival"]);
    let rival = fixture.commit_as_author(|tree| write_files(tree, &[("a", "theirs\n")]));
    assert_eq!(fixture.remote_topic(), from.to_string());
    overtaken_git(&binary, &fixture.path("origin.git"), &rival);
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Moved {
            head: rival.clone()
        }
    );
    assert_eq!(fixture.remote_topic(), rival.to_string());
}

/// The head brings attributes by which git would take both sides of a conflict.
#[tokio::test]
async fn attributes_of_the_head_settle_no_conflict_of_a_fix_with_it() {
    let fixture = fixture().await;
    fixture.commit_as_author(|tree| write_files(tree, &[(".gitattributes", "* merge=union\n")]));
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    let onto = fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", &ten_lines().replace("line 1\n", "uno\n"))])
    });
    let (pull, remote) = (&fixture.pull, &fixture.remote);
    let laid = fixture
        .worktrees
        .rebase(pull, remote, &commit, &onto, &fixture.base);
    let answer = laid.await;
    assert!(matches!(answer, Err(GitError::Diverged)), "{answer:?}");
}

#[tokio::test]
async fn a_refusal_by_policy_comes_with_the_remotes_words() {
    let fixture = fixture().await;
    let from = fixture.head();
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    let hook = fixture.path("origin.git/hooks/pre-receive");
    write_program(
        &hook,
        "#!/bin/sh\necho 'commits must be signed' >&2\nexit 1\n",
    );
    let Err(GitError::PushRefused { message }) = push_commit(&fixture, &commit, &from).await else {
        panic!("not refused")
    };
    assert_eq!(message, "commits must be signed\npre-receive hook declined");
    assert_eq!(fixture.remote_topic(), from.to_string());
    fs::remove_file(hook).unwrap();
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Done
    );
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_looking() {
    let fixture = fixture().await;
    let from = fixture.head();
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    // The remote takes the push, and dies before it says so.
    let hook = fixture.path("origin.git/hooks/post-update");
    write_program(&hook, "#!/bin/sh\nkill -9 $PPID\n");
    assert_eq!(
        push_commit(&fixture, &commit, &from).await.unwrap(),
        PushOutcome::Done
    );
    assert_eq!(fixture.remote_topic(), commit.to_string());
}

#[tokio::test]
async fn a_commit_that_is_not_there_is_not_pushed() {
    let fixture = fixture().await;
    fixture.prepare().await;
    let unknown = Sha::parse(&"ab".repeat(20)).unwrap();
    let from = fixture.head();
    assert!(matches!(
        push_commit(&fixture, &unknown, &from).await,
        Err(GitError::Failed { .. })
    ));
    let below = push_commit(&fixture, &fixture.base.clone(), &from).await;
    assert!(matches!(below, Err(GitError::Failed { .. })), "{below:?}");
    assert_eq!(fixture.remote_topic(), from.to_string());
}

#[tokio::test]
async fn a_fix_is_laid_on_top_of_a_head_that_moved() {
    let fixture = fixture().await;
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    let onto = fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", &ten_lines().replace("line 10", "ten"))])
    });
    let worktrees = &fixture.worktrees;
    let worktree = worktrees
        .rebase(
            &fixture.pull,
            &fixture.remote,
            &commit,
            &onto,
            &fixture.base,
        )
        .await
        .unwrap();
    assert_eq!(*worktree.head(), onto);
    let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
    let again = worktrees.commit(&vetted, &commit_message()).await.unwrap();
    assert_eq!(
        push_commit(&fixture, &again, &onto).await.unwrap(),
        PushOutcome::Done
    );
    let expect = ten_lines()
        .replace("line 10", "ten")
        .replace("line 1\n", "one\n");
    assert_eq!(fixture.git_in_origin(&["show", "topic:a"]) + "\n", expect);
}

#[tokio::test]
async fn a_fix_that_waits_for_a_decision_is_there_however_git_cleans_up() {
    let fixture = fixture().await;
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    let head = fixture.head();
    // Another round makes the worktree anew, and somebody cleans the clone with all that git has.
    fixture.prepare().await;
    let clone = fixture.clone_path();
    git_in(&clone, &["reflog", "expire", "--expire=now", "--all"]);
    git_in(&clone, &["gc", "--prune=now", "--quiet"]);
    let laid = fixture.worktrees.rebase(
        &fixture.pull,
        &fixture.remote,
        &commit,
        &head,
        &fixture.base,
    );
    let worktree = laid.await.unwrap();
    assert!(fixture.vet(&worktree).await.unwrap().is_some());
    // Once the run is over nothing keeps it.
    fixture.worktrees.clean_up(&fixture.pull).await.unwrap();
    assert_eq!(git_in(&clone, &["for-each-ref"]), "");
}

#[tokio::test]
async fn a_fix_that_conflicts_has_diverged_and_leaves_no_trace() {
    let fixture = fixture().await;
    let commit = commit_replacement(&fixture, "line 1\n", "one\n").await;
    let onto = fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", &ten_lines().replace("line 1\n", "uno\n"))])
    });
    let answer = fixture
        .worktrees
        .rebase(
            &fixture.pull,
            &fixture.remote,
            &commit,
            &onto,
            &fixture.base,
        )
        .await;
    assert!(matches!(answer, Err(GitError::Diverged)), "{answer:?}");
    let tree = fixture.path("data/worktrees/127.0.0.1~3A4000/R_kgDO~3D/pr-7-fix");
    assert_eq!(git_in(&tree, &["status", "--porcelain"]), "");
    assert_eq!(list_files(&tree), ["a", "b"]);
}

#[tokio::test]
async fn a_fix_that_takes_an_earlier_one_back_is_reported() {
    let fixture = fixture().await;
    let first = commit_replacement(&fixture, "line 3\n", "three\n").await;
    push_commit(&fixture, &first, &fixture.head())
        .await
        .unwrap();
    fixture.git_as_author(&["pull", "-q", "--ff-only", "origin", "topic"]);
    fixture.commit_as_author(|tree| {
        write_bytes(
            tree,
            "a",
            format!("zero\n{}", fs::read_to_string(tree.join("a")).unwrap()).as_bytes(),
        )
    });
    let own = BTreeSet::from([first.clone()]);
    let other = commit_replacement(&fixture, "line 7\n", "seven\n").await;
    let back = commit_replacement(&fixture, "three\n", "line 3\n").await;
    let worktree = fixture.prepare().await;
    let oscillates = |commit: &Sha| {
        let commit = commit.clone();
        let (world, worktree, own) = (&fixture, &worktree, &own);
        async move {
            world
                .worktrees
                .oscillates(worktree, &commit, own)
                .await
                .unwrap()
        }
    };
    assert!(oscillates(&back).await);
    assert!(!oscillates(&other).await);
    assert!(
        !oscillates(&first).await,
        "a commit does not take itself back"
    );
}

#[tokio::test]
async fn a_commit_goes_to_another_machine_whose_clone_is_new_and_is_pushed_from_there() {
    let fixture = fixture().await;
    let from = fixture.head();
    let commit = commit_replacement(&fixture, "line 7", "seven").await;
    let (pull, remote) = (&fixture.pull, &fixture.remote);
    let known = [&from, &fixture.base];
    let packed = fixture.worktrees.export_commit(pull, &commit, &known);
    let pack = packed.await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = GitOptions {
        allow_file_remotes: true,
        ..GitOptions::default()
    };
    let there = open_worktrees(folder.path(), options);
    assert!(
        !CommitTransfer::has_commit(&there, pull, &commit)
            .await
            .unwrap()
    );
    let lost = there.push(pull, remote, (&commit, &from), None).await;
    assert!(lost.is_err(), "{lost:?}");
    for _ in 0..2 {
        let brought = there.import_commit(pull, remote, &commit, pack.clone());
        brought.await.unwrap();
    }
    assert!(
        CommitTransfer::has_commit(&there, pull, &commit)
            .await
            .unwrap()
    );
    let pushed = there.push(pull, remote, (&commit, &from), None).await;
    assert_eq!(pushed.unwrap(), PushOutcome::Done);
    assert_eq!(fixture.remote_topic(), commit.to_string());
}

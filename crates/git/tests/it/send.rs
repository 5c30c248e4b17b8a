//! Committing, pushing, rebasing (§6.4), and fixes that take each other back (§5.3).

use crate::world::{World, git_in, listing, message, place, put, write};
use collie_core::ids::Sha;
use collie_engine::ports::{CommitMessage, Git, GitError, PushOutcome};
use collie_git::{GitPlace, Options};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

fn ten() -> String {
    (1..=10).map(|n| format!("line {n}\n")).collect()
}

async fn world() -> World {
    let world = World::new(&[("a", &ten()), ("b", "1\n")]);
    world.author(|tree| write(tree, &[("a", &ten().replace("line 5", "five"))]));
    world
}

async fn fix(world: &World, from: &str, to: &str) -> Sha {
    let text = fs::read_to_string(world.path("author/a"))
        .unwrap()
        .replace(from, to);
    world.fix(|tree| write(tree, &[("a", &text)])).await
}

async fn push(world: &World, commit: &Sha, from: &Sha) -> Result<PushOutcome, GitError> {
    world
        .place
        .push(&world.pull, &world.remote, commit, from)
        .await
}

#[tokio::test]
async fn a_fix_is_one_commit_on_the_head_with_trailers_by_the_identity() {
    let world = world().await;
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"x\n");
    git_in(&worktree.path, &["commit", "-qam", "agent's own"]);
    put(&worktree.path, "a", b"y\n");
    let vetted = world.vet(&worktree).await.unwrap().unwrap();
    let message = CommitMessage {
        subject: "fix: y [skip ci]".into(),
        body: "Why.".into(),
        trailers: vec![("Collie-Run".into(), "r-1".into())],
    };
    let commit = world.place.commit(&vetted, &message).await.unwrap();
    let shown = git_in(
        &world.clone_path(),
        &[
            "show",
            "-s",
            "--format=%P|%an <%ae>|%cn|%B",
            commit.as_str(),
        ],
    );
    let expect = format!(
        "{}|Col Lie <col@example.com>|Col Lie|fix: y\n\nWhy.\n\nCollie-Run: r-1",
        worktree.head
    );
    assert_eq!(shown, expect);
}

#[tokio::test]
async fn without_an_identity_the_users_configuration_counts() {
    let world = world().await;
    for (config, expect) in [
        (
            "[user]\n\tname = Ana B\n\temail = ana@example.com\n[core]\n\thooksPath = /tmp\n",
            "Ana B <ana@example.com>",
        ),
        ("[user]\n\tname = Only\n", "Collie <collie@noreply.invalid>"),
        ("", "Collie <collie@noreply.invalid>"),
    ] {
        let home = world.path("home");
        put(&home, ".gitconfig", config.as_bytes());
        let options = Options {
            local_remotes: true,
            home: Some(home),
            ..Options::default()
        };
        let place = GitPlace::new(&world.path("data"), Arc::new(|| None), None, options).unwrap();
        let worktree = world.prepare().await;
        put(&worktree.path, "a", b"y\n");
        let vetted = world.vet(&worktree).await.unwrap().unwrap();
        let commit = place.commit(&vetted, &message()).await.unwrap();
        let who = git_in(
            &world.clone_path(),
            &["show", "-s", "--format=%an <%ae>", commit.as_str()],
        );
        assert_eq!(who, expect);
    }
}

#[tokio::test]
async fn signing_is_as_the_user_configured_it() {
    let world = world().await;
    let home = world.path("home");
    let signer = "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho -----BEGIN PGP SIGNATURE-----\n\
        echo; echo x; echo -----END PGP SIGNATURE-----\n";
    put(&home, "signer", signer.as_bytes());
    fs::set_permissions(home.join("signer"), fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!(
        "[user]\n\tname = A\n\temail = a@example.com\n[commit]\n\tgpgsign\n[gpg]\n\tprogram = {}\n",
        home.join("signer").display()
    );
    put(&home, ".gitconfig", config.as_bytes());
    let options = Options {
        local_remotes: true,
        home: Some(home),
        ..Options::default()
    };
    let place = GitPlace::new(&world.path("data"), Arc::new(|| None), None, options).unwrap();
    let worktree = world.prepare().await;
    put(&worktree.path, "a", b"y\n");
    let vetted = world.vet(&worktree).await.unwrap().unwrap();
    let commit = place.commit(&vetted, &message()).await.unwrap();
    assert!(
        git_in(
            &world.clone_path(),
            &["cat-file", "commit", commit.as_str()]
        )
        .contains("gpgsig")
    );
}

#[tokio::test]
async fn a_push_is_done_once_and_may_be_repeated() {
    let world = world().await;
    let from = world.head();
    let commit = fix(&world, "line 1\n", "one\n").await;
    assert_ne!(world.remote_topic(), commit.to_string());
    for _ in 0..2 {
        assert_eq!(
            push(&world, &commit, &from).await.unwrap(),
            PushOutcome::Done
        );
        assert_eq!(world.remote_topic(), commit.to_string());
    }
    assert_eq!(
        world.place.remote_head(&world.remote).await.unwrap(),
        Some(commit.clone())
    );

    // Somebody goes on from it: it is still done.
    world.git(&["pull", "-q", "--ff-only", "origin", "topic"]);
    let later = world.author(|tree| write(tree, &[("b", "2\n")]));
    assert_eq!(
        push(&world, &commit, &from).await.unwrap(),
        PushOutcome::Done
    );
    assert_eq!(world.remote_topic(), later.to_string());

    // Also for a process whose clone is lost.
    let place = place(&world.path("other"), Options::default());
    assert_eq!(
        place
            .push(&world.pull, &world.remote, &commit, &from)
            .await
            .unwrap(),
        PushOutcome::Done
    );
}

#[tokio::test]
async fn a_remote_that_moved_is_never_overwritten() {
    let world = world().await;
    let from = world.head();
    let commit = fix(&world, "line 1\n", "one\n").await;
    let moved = world.author(|tree| write(tree, &[("b", "2\n")]));
    assert_eq!(
        push(&world, &commit, &from).await.unwrap(),
        PushOutcome::Moved { head: moved }
    );

    world.git(&["reset", "-q", "--hard", "main"]);
    let rewritten = world.author(|tree| write(tree, &[("b", "other\n")]));
    assert_eq!(
        push(&world, &commit, &from).await.unwrap(),
        PushOutcome::Moved {
            head: rewritten.clone()
        }
    );

    // A remote that went back would take the push as a fast forward, and bring dropped commits back.
    world.git(&["push", "-q", "-f", "origin", "main:topic"]);
    assert_eq!(
        push(&world, &commit, &from).await.unwrap(),
        PushOutcome::Moved {
            head: world.base.clone()
        }
    );

    world.git(&["push", "-q", "origin", ":topic"]);
    let gone = push(&world, &commit, &from).await;
    assert!(
        matches!(gone, Err(GitError::HeadMismatch { found: None, .. })),
        "{gone:?}"
    );
}

#[tokio::test]
async fn a_refusal_by_policy_comes_with_the_remotes_words() {
    let world = world().await;
    let from = world.head();
    let commit = fix(&world, "line 1\n", "one\n").await;
    let hook = world.path("origin.git/hooks/pre-receive");
    put(
        &world.path("origin.git"),
        "hooks/pre-receive",
        b"#!/bin/sh\necho 'commits must be signed' >&2\nexit 1\n",
    );
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let Err(GitError::PushRefused { message }) = push(&world, &commit, &from).await else {
        panic!("not refused")
    };
    assert_eq!(message, "commits must be signed\npre-receive hook declined");
    assert_eq!(world.remote_topic(), from.to_string());
    fs::remove_file(hook).unwrap();
    assert_eq!(
        push(&world, &commit, &from).await.unwrap(),
        PushOutcome::Done
    );
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_looking() {
    let world = world().await;
    let from = world.head();
    let commit = fix(&world, "line 1\n", "one\n").await;
    // The remote takes the push, and dies before it says so.
    put(
        &world.path("origin.git"),
        "hooks/post-update",
        b"#!/bin/sh\nkill -9 $PPID\n",
    );
    let hook = world.path("origin.git/hooks/post-update");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        push(&world, &commit, &from).await.unwrap(),
        PushOutcome::Done
    );
    assert_eq!(world.remote_topic(), commit.to_string());
}

#[tokio::test]
async fn a_commit_that_is_not_there_is_not_pushed() {
    let world = world().await;
    world.prepare().await;
    let unknown = Sha::parse(&"ab".repeat(20)).unwrap();
    let from = world.head();
    assert!(matches!(
        push(&world, &unknown, &from).await,
        Err(GitError::Failed { .. })
    ));
    let below = push(&world, &world.base.clone(), &from).await;
    assert!(matches!(below, Err(GitError::Failed { .. })), "{below:?}");
    assert_eq!(world.remote_topic(), from.to_string());
}

#[tokio::test]
async fn a_fix_is_laid_on_top_of_a_head_that_moved() {
    let world = world().await;
    let commit = fix(&world, "line 1\n", "one\n").await;
    let onto = world.author(|tree| write(tree, &[("a", &ten().replace("line 10", "ten"))]));
    let place = &world.place;
    let worktree = place
        .rebase(&world.pull, &world.remote, &commit, &onto, &world.base)
        .await
        .unwrap();
    assert_eq!(worktree.head, onto);
    let vetted = world.vet(&worktree).await.unwrap().unwrap();
    let again = place.commit(&vetted, &message()).await.unwrap();
    assert_eq!(
        push(&world, &again, &onto).await.unwrap(),
        PushOutcome::Done
    );
    let expect = ten().replace("line 10", "ten").replace("line 1\n", "one\n");
    assert_eq!(world.origin(&["show", "topic:a"]) + "\n", expect);
}

#[tokio::test]
async fn a_fix_that_conflicts_has_diverged_and_leaves_no_trace() {
    let world = world().await;
    let commit = fix(&world, "line 1\n", "one\n").await;
    let onto = world.author(|tree| write(tree, &[("a", &ten().replace("line 1\n", "uno\n"))]));
    let answer = world
        .place
        .rebase(&world.pull, &world.remote, &commit, &onto, &world.base)
        .await;
    assert!(matches!(answer, Err(GitError::Diverged)), "{answer:?}");
    let tree = world.path("data/worktrees/127.0.0.1~3A4000/R_kgDO~3D/pr-7-fix");
    assert_eq!(git_in(&tree, &["status", "--porcelain"]), "");
    assert_eq!(listing(&tree), ["a", "b"]);
}

#[tokio::test]
async fn a_fix_that_takes_an_earlier_one_back_is_told() {
    let world = world().await;
    let first = fix(&world, "line 3\n", "three\n").await;
    push(&world, &first, &world.head()).await.unwrap();
    world.git(&["pull", "-q", "--ff-only", "origin", "topic"]);
    world.author(|tree| {
        put(
            tree,
            "a",
            format!("zero\n{}", fs::read_to_string(tree.join("a")).unwrap()).as_bytes(),
        )
    });
    let own = BTreeSet::from([first.clone()]);
    let other = fix(&world, "line 7\n", "seven\n").await;
    let back = fix(&world, "three\n", "line 3\n").await;
    let worktree = world.prepare().await;
    let oscillates = |commit: &Sha| {
        let commit = commit.clone();
        let (world, worktree, own) = (&world, &worktree, &own);
        async move {
            world
                .place
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

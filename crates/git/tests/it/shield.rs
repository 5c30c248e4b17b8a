//! What agents obey comes from the base while they work (§9.3).

use crate::fixture::{GitFixture, list_files, read_text, write_bytes, write_files};
use collie_engine::ports::{CleanWorktree, Git, Shield, ShieldedConfig, WorktreePurpose};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A base with settings of its own, and a pull request that changes, removes and adds some.
fn fixture() -> GitFixture {
    let fixture = GitFixture::new(&[
        ("AGENTS.md", "base\n"),
        ("CLAUDE.md", "base\n"),
        ("pkg/AGENTS.md", "base\n"),
        ("gone/CLAUDE.md", "base\n"),
        (".claude/settings.json", "{}\n"),
        ("src/a", "1\n"),
    ]);
    fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                ("CLAUDE.md", "evil\n"),
                ("pkg/agents.MD", "evil\n"),
                (".claude/hooks/x.sh", "evil\n"),
                (".mcp.json", "evil\n"),
                ("deep/er/.cursor/rules/r.mdc", "evil\n"),
                (".github/copilot-instructions.md", "evil\n"),
                (".github/workflows/ci.yml", "kept\n"),
                ("src/a", "2\n"),
            ],
        );
        fs::remove_file(tree.join("pkg/AGENTS.md")).unwrap();
        fs::remove_dir_all(tree.join("gone")).unwrap();
    });
    fixture
}

async fn prepare_shielded(fixture: &GitFixture) -> (CleanWorktree, Shield) {
    let worktree = fixture.prepare().await;
    let shield = fixture
        .worktrees
        .shield(&worktree, &fixture.base, ShieldedConfig::Agents)
        .await
        .unwrap();
    (worktree, shield)
}

#[tokio::test]
async fn an_agent_sees_the_bases_settings_and_the_gates_see_the_heads() {
    let fixture = fixture();
    let head = list_files(fixture.prepare().await.path());
    let (worktree, shield) = prepare_shielded(&fixture).await;
    assert_eq!(
        list_files(worktree.path()),
        [
            ".claude/settings.json",
            ".github/workflows/ci.yml",
            "AGENTS.md",
            "CLAUDE.md",
            "gone/CLAUDE.md",
            "pkg/AGENTS.md",
            "src/a",
        ]
    );
    assert_eq!(read_text(&worktree.path().join("CLAUDE.md")), "base\n");
    assert_eq!(
        shield.swapped(),
        [
            ".claude/hooks/x.sh",
            ".github/copilot-instructions.md",
            ".mcp.json",
            "CLAUDE.md",
            "deep/er/.cursor/rules/r.mdc",
            "gone/CLAUDE.md",
            "pkg/AGENTS.md",
            "pkg/agents.MD",
        ]
    );

    write_bytes(worktree.path(), "src/a", b"3\n");
    write_bytes(worktree.path(), "CLAUDE.md", b"the agent's\n");
    write_bytes(worktree.path(), ".claude/memory/note", b"the agent's\n");
    write_bytes(worktree.path(), "new/GEMINI.md", b"the agent's\n");
    fs::remove_file(worktree.path().join("AGENTS.md")).unwrap();
    fixture.worktrees.unshield(&worktree, shield).await.unwrap();
    assert_eq!(list_files(worktree.path()), head);
    assert_eq!(read_text(&worktree.path().join("CLAUDE.md")), "evil\n");
    assert!(!worktree.path().join("gone").exists());
    let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(vetted.paths(), ["src/a"]);
}

#[tokio::test]
async fn raising_and_lowering_may_be_repeated_in_any_order() {
    let fixture = fixture();
    let (worktree, first) = prepare_shielded(&fixture).await;
    let seen = list_files(worktree.path());
    let again = fixture
        .worktrees
        .shield(&worktree, &fixture.base, ShieldedConfig::Agents)
        .await
        .unwrap();
    assert_eq!((&first, &list_files(worktree.path())), (&again, &seen));
    for shield in [first, again] {
        fixture.worktrees.unshield(&worktree, shield).await.unwrap();
        assert!(fixture.vet(&worktree).await.unwrap().is_none());
    }
    let third = fixture
        .worktrees
        .shield(&worktree, &fixture.base, ShieldedConfig::Agents)
        .await
        .unwrap();
    assert_eq!(list_files(worktree.path()), seen);
    drop(third);
    // A crash: nobody lowers it.
    assert!(
        fixture
            .vet(&fixture.prepare().await)
            .await
            .unwrap()
            .is_none()
    );
}

/// Reviewers of one stage work side by side: one that begins, or is done, brings nothing back under another.
#[tokio::test]
async fn a_reviewers_shield_stands_whatever_other_reviewers_do() {
    let fixture = fixture();
    let head = fixture.head();
    let prepare = |name| fixture.try_prepare(&head, WorktreePurpose::Review(name));
    let sam = prepare("sam").await.unwrap();
    let of_sam = fixture
        .worktrees
        .shield(&sam, &fixture.base, ShieldedConfig::Agents)
        .await
        .unwrap();
    let shielded = || {
        let text = |path: &str| fs::read_to_string(sam.path().join(path)).ok();
        [text("CLAUDE.md"), text(".mcp.json")]
    };
    let expect = [Some("base\n".to_string()), None];
    assert_eq!(shielded(), expect);

    let quinn = prepare("quinn").await.unwrap();
    assert_eq!(shielded(), expect, "another has begun");
    let of_quinn = fixture
        .worktrees
        .shield(&quinn, &fixture.base, ShieldedConfig::Agents)
        .await
        .unwrap();
    let misplaced = fixture.worktrees.unshield(&sam, of_quinn.clone()).await;
    misplaced.expect_err("it stands in another worktree");
    assert_eq!(shielded(), expect, "another's is of no use here");
    fixture.worktrees.unshield(&quinn, of_quinn).await.unwrap();
    assert_eq!(shielded(), expect, "another is done");
    assert_eq!(read_text(&quinn.path().join("CLAUDE.md")), "evil\n");

    fixture.worktrees.unshield(&sam, of_sam).await.unwrap();
    assert_eq!(read_text(&sam.path().join("CLAUDE.md")), "evil\n");
}

#[tokio::test]
async fn no_link_is_followed() {
    let fixture = GitFixture::new(&[("docs/guide.md", "base\n"), ("pkg/AGENTS.md", "base\n")]);
    let outside = fixture.path("outside");
    write_bytes(&outside, "deep/AGENTS.md", b"mine\n");
    fixture.git_as_author(&["checkout", "-q", "main"]);
    let base = fixture.commit_as_author(|tree| {
        symlink("docs/guide.md", tree.join("CLAUDE.md")).unwrap();
        symlink("docs", tree.join(".claude")).unwrap();
        symlink("/etc/passwd", tree.join("GEMINI.md")).unwrap();
    });
    fixture.git_as_author(&["checkout", "-q", "-B", "topic"]);
    fixture.commit_as_author(|tree| {
        write_bytes(tree, "docs/guide.md", b"evil\n");
        fs::remove_dir_all(tree.join("pkg")).unwrap();
        symlink(&outside, tree.join("pkg")).unwrap();
        symlink(&outside, tree.join(".cursor")).unwrap();
    });
    let worktree = fixture.prepare().await;
    // An agent of an earlier try may have made a link of any folder.
    fs::remove_file(worktree.path().join("pkg")).unwrap();
    symlink(&outside, worktree.path().join("pkg")).unwrap();
    let shield = fixture
        .worktrees
        .shield(&worktree, &base, ShieldedConfig::Agents)
        .await
        .unwrap();
    assert_eq!(read_text(&worktree.path().join("CLAUDE.md")), "base\n");
    assert_eq!(
        read_text(&worktree.path().join(".claude/guide.md")),
        "base\n"
    );
    assert!(!worktree.path().join("GEMINI.md").exists());
    assert!(!worktree.path().join(".cursor").exists());

    symlink(&outside, worktree.path().join("docs/.claude")).unwrap();
    fixture.worktrees.unshield(&worktree, shield).await.unwrap();
    let link = fs::read_link(worktree.path().join("CLAUDE.md")).unwrap();
    assert_eq!(link, Path::new("docs/guide.md"));
    let armed = |name: &str| {
        fs::symlink_metadata(worktree.path().join(name))
            .unwrap()
            .is_symlink()
    };
    assert!(!armed("GEMINI.md") && !armed(".cursor"), "they lead out");
    assert_eq!(list_files(&outside), ["deep/AGENTS.md"]);
}

#[tokio::test]
async fn folders_that_an_agent_locked_are_no_hiding_place() {
    let fixture = fixture();
    let (worktree, shield) = prepare_shielded(&fixture).await;
    write_bytes(worktree.path(), "src/AGENTS.md", b"the agent's\n");
    let locked = fs::Permissions::from_mode(0o500);
    fs::set_permissions(worktree.path().join("src"), locked).unwrap();
    fixture.worktrees.unshield(&worktree, shield).await.unwrap();
    assert!(!worktree.path().join("src/AGENTS.md").exists());
    assert!(fixture.vet(&worktree).await.unwrap().is_none());
}

#[tokio::test]
async fn every_path_of_a_commit_is_listed() {
    let fixture = fixture();
    let worktree = fixture.prepare().await;
    let paths = fixture
        .worktrees
        .paths_at(&worktree, &fixture.base)
        .await
        .unwrap();
    assert_eq!(
        paths,
        [
            ".claude/settings.json",
            "AGENTS.md",
            "CLAUDE.md",
            "gone/CLAUDE.md",
            "pkg/AGENTS.md",
            "src/a",
        ]
    );
    let absent = collie_core::ids::Sha::parse(&"1".repeat(40)).unwrap();
    assert!(
        fixture
            .worktrees
            .paths_at(&worktree, &absent)
            .await
            .is_err()
    );
}

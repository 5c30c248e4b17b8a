//! What agents obey comes from the base while they work (§9.3).

use crate::world::{World, listing, put, read, write};
use collie_engine::ports::{CleanWorktree, Git, Purpose, Shield};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A base with settings of its own, and a pull request that changes, removes and adds some.
fn world() -> World {
    let world = World::new(&[
        ("AGENTS.md", "base\n"),
        ("CLAUDE.md", "base\n"),
        ("pkg/AGENTS.md", "base\n"),
        ("gone/CLAUDE.md", "base\n"),
        (".claude/settings.json", "{}\n"),
        ("src/a", "1\n"),
    ]);
    world.author(|tree| {
        write(
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
    world
}

async fn raised(world: &World) -> (CleanWorktree, Shield) {
    let worktree = world.prepare().await;
    let shield = world.place.shield(&worktree, &world.base).await.unwrap();
    (worktree, shield)
}

#[tokio::test]
async fn an_agent_sees_the_bases_settings_and_the_gates_see_the_heads() {
    let world = world();
    let head = listing(&world.prepare().await.path);
    let (worktree, shield) = raised(&world).await;
    assert_eq!(
        listing(&worktree.path),
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
    assert_eq!(read(&worktree.path.join("CLAUDE.md")), "base\n");
    assert_eq!(
        shield.swapped,
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

    put(&worktree.path, "src/a", b"3\n");
    put(&worktree.path, "CLAUDE.md", b"the agent's\n");
    put(&worktree.path, ".claude/memory/note", b"the agent's\n");
    put(&worktree.path, "new/GEMINI.md", b"the agent's\n");
    fs::remove_file(worktree.path.join("AGENTS.md")).unwrap();
    world.place.unshield(&worktree, shield).await.unwrap();
    assert_eq!(listing(&worktree.path), head);
    assert_eq!(read(&worktree.path.join("CLAUDE.md")), "evil\n");
    assert!(!worktree.path.join("gone").exists());
    let vetted = world.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(vetted.paths, ["src/a"]);
}

#[tokio::test]
async fn raising_and_lowering_may_be_repeated_in_any_order() {
    let world = world();
    let (worktree, first) = raised(&world).await;
    let seen = listing(&worktree.path);
    let again = world.place.shield(&worktree, &world.base).await.unwrap();
    assert_eq!((&first, &listing(&worktree.path)), (&again, &seen));
    for shield in [first, again] {
        world.place.unshield(&worktree, shield).await.unwrap();
        assert!(world.vet(&worktree).await.unwrap().is_none());
    }
    let third = world.place.shield(&worktree, &world.base).await.unwrap();
    assert_eq!(listing(&worktree.path), seen);
    drop(third);
    // A crash: nobody lowers it.
    assert!(world.vet(&world.prepare().await).await.unwrap().is_none());
}

/// Reviewers of one stage work side by side: one that begins, or is done, brings nothing back under another.
#[tokio::test]
async fn a_reviewers_shield_stands_whatever_other_reviewers_do() {
    let world = world();
    let head = world.head();
    let prepare = |name| world.try_prepare(&head, Purpose::Review(name));
    let sam = prepare("sam").await.unwrap();
    let of_sam = world.place.shield(&sam, &world.base).await.unwrap();
    let shielded = || {
        let text = |path: &str| fs::read_to_string(sam.path.join(path)).ok();
        [text("CLAUDE.md"), text(".mcp.json")]
    };
    let expect = [Some("base\n".to_string()), None];
    assert_eq!(shielded(), expect);

    let quinn = prepare("quinn").await.unwrap();
    assert_eq!(shielded(), expect, "another has begun");
    let of_quinn = world.place.shield(&quinn, &world.base).await.unwrap();
    world.place.unshield(&quinn, of_quinn).await.unwrap();
    assert_eq!(shielded(), expect, "another is done");
    assert_eq!(read(&quinn.path.join("CLAUDE.md")), "evil\n");

    world.place.unshield(&sam, of_sam).await.unwrap();
    assert_eq!(read(&sam.path.join("CLAUDE.md")), "evil\n");
}

#[tokio::test]
async fn no_link_is_followed() {
    let world = World::new(&[("docs/guide.md", "base\n"), ("pkg/AGENTS.md", "base\n")]);
    let outside = world.path("outside");
    put(&outside, "deep/AGENTS.md", b"mine\n");
    world.git(&["checkout", "-q", "main"]);
    let base = world.author(|tree| {
        symlink("docs/guide.md", tree.join("CLAUDE.md")).unwrap();
        symlink("docs", tree.join(".claude")).unwrap();
        symlink("/etc/passwd", tree.join("GEMINI.md")).unwrap();
    });
    world.git(&["checkout", "-q", "-B", "topic"]);
    world.author(|tree| {
        put(tree, "docs/guide.md", b"evil\n");
        fs::remove_dir_all(tree.join("pkg")).unwrap();
        symlink(&outside, tree.join("pkg")).unwrap();
        symlink(&outside, tree.join(".cursor")).unwrap();
    });
    let worktree = world.prepare().await;
    // An agent of an earlier try may have made a link of any folder.
    fs::remove_file(worktree.path.join("pkg")).unwrap();
    symlink(&outside, worktree.path.join("pkg")).unwrap();
    let shield = world.place.shield(&worktree, &base).await.unwrap();
    assert_eq!(read(&worktree.path.join("CLAUDE.md")), "base\n");
    assert_eq!(read(&worktree.path.join(".claude/guide.md")), "base\n");
    assert!(!worktree.path.join("GEMINI.md").exists());
    assert!(!worktree.path.join(".cursor").exists());

    symlink(&outside, worktree.path.join("docs/.claude")).unwrap();
    world.place.unshield(&worktree, shield).await.unwrap();
    let link = fs::read_link(worktree.path.join("CLAUDE.md")).unwrap();
    assert_eq!(link, Path::new("docs/guide.md"));
    let armed = |name: &str| {
        fs::symlink_metadata(worktree.path.join(name))
            .unwrap()
            .is_symlink()
    };
    assert!(!armed("GEMINI.md") && !armed(".cursor"), "they lead out");
    assert_eq!(listing(&outside), ["deep/AGENTS.md"]);
}

#[tokio::test]
async fn folders_that_an_agent_locked_are_no_hiding_place() {
    let world = world();
    let (worktree, shield) = raised(&world).await;
    put(&worktree.path, "src/AGENTS.md", b"the agent's\n");
    let locked = fs::Permissions::from_mode(0o500);
    fs::set_permissions(worktree.path.join("src"), locked).unwrap();
    world.place.unshield(&worktree, shield).await.unwrap();
    assert!(!worktree.path.join("src/AGENTS.md").exists());
    assert!(world.vet(&worktree).await.unwrap().is_none());
}

#[tokio::test]
async fn every_path_of_a_commit_is_listed() {
    let world = world();
    let worktree = world.prepare().await;
    let paths = world.place.paths_at(&worktree, &world.base).await.unwrap();
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
    assert!(world.place.paths_at(&worktree, &absent).await.is_err());
}

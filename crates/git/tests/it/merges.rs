//! The base merged into the head: what git does by itself, and what a fixer may leave behind (§3.7).

use crate::fixture::{
    GitFixture, OopsSyntaxChecker, commit_message, git_in, read_text, write_bytes, write_files,
};
use collie_core::base_merge::MergeSide;
use collie_core::ids::Sha;
use collie_engine::ports::ShieldedConfig;
use collie_engine::ports::{
    GateRefusal, Git, MergedWorktree, PushOutcome, SessionMeter, Tamper, VerifyPlan, VerifyRun,
    VettedMerge,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// `main` and `topic`, which parted at `common`.
struct Parted {
    git: GitFixture,
    base: Sha,
    head: Sha,
}

impl Parted {
    fn new(common: &[(&str, &str)], head: impl FnOnce(&Path), base: impl FnOnce(&Path)) -> Self {
        let git = GitFixture::new(common);
        git.git_as_author(&["checkout", "-q", "main"]);
        let base = git.commit_as_author(base);
        git.git_as_author(&["checkout", "-q", "topic"]);
        let head = git.commit_as_author(head);
        Self { git, base, head }
    }

    /// Both sides change these files.
    fn files(common: &[(&str, &str)], head: &[(&str, &str)], base: &[(&str, &str)]) -> Self {
        Self::new(
            common,
            |tree| write_files(tree, head),
            |tree| write_files(tree, base),
        )
    }

    async fn try_merge(&self) -> Option<MergedWorktree> {
        let Self { git, base, head } = self;
        let merging = git
            .worktrees
            .merge_base_in(&git.pull, &git.remote, head, base);
        merging.await.unwrap()
    }

    async fn merge(&self) -> MergedWorktree {
        self.try_merge().await.unwrap()
    }

    async fn vet(&self, merged: &MergedWorktree) -> Result<VettedMerge, GateRefusal> {
        let (plan, meter) = (VerifyPlan::default(), SessionMeter::default());
        let (verify, cancel) = (
            VerifyRun {
                plan: &plan,
                meter: &meter,
            },
            CancellationToken::new(),
        );
        let vetting = self
            .git
            .worktrees
            .vet_merge(merged, &OopsSyntaxChecker, verify, &cancel);
        vetting.await.unwrap()
    }

    /// Vets what a fixer leaves behind.
    async fn resolve(&self, fix: impl FnOnce(&Path)) -> Result<VettedMerge, GateRefusal> {
        let merged = self.merge().await;
        fix(merged.worktree.path());
        self.vet(&merged).await
    }

    async fn commit(&self, vetted: &VettedMerge) -> Sha {
        let worktrees = &self.git.worktrees;
        let commit = worktrees.commit(&vetted.change, &commit_message()).await;
        commit.unwrap()
    }
}

fn lost(vetted: &VettedMerge) -> Vec<(MergeSide, String)> {
    let lines = vetted.lost.iter();
    lines.map(|line| (line.side, line.to_string())).collect()
}

const COMMON: &[(&str, &str)] = &[("a", "1\n2\n3\n"), ("b", "1\n"), ("keep", "1\n")];

/// Both sides change line 2 of `a`.
fn conflicting() -> Parted {
    Parted::files(COMMON, &[("a", "1\nhead\n3\n")], &[("a", "1\nbase\n3\n")])
}

#[tokio::test]
async fn git_alone_merges_what_does_not_conflict_into_a_commit_with_both_parents() {
    let parted = Parted::files(COMMON, &[("a", "1\nhead\n2\n3\n")], &[("b", "base\n")]);
    let merged = parted.merge().await;
    assert_eq!(merged.conflicts, []);
    assert_eq!(read_text(&merged.worktree.path().join("b")), "base\n");
    let vetted = parted.vet(&merged).await.unwrap();
    assert_eq!(lost(&vetted), []);
    let commit = parted.commit(&vetted).await;
    let git = &parted.git;
    let pushed = git
        .worktrees
        .push(&git.pull, &git.remote, (&commit, &parted.head), None);
    assert_eq!(pushed.await.unwrap(), PushOutcome::Done);
    let parents = git.git_in_origin(&["log", "-1", "--format=%P", "topic"]);
    assert_eq!(parents, format!("{} {}", parted.head, parted.base));
    git.git_as_author(&["merge", "-q", "--no-edit", "main"]);
    let tree = |at: &str| format!("{at}^{{tree}}");
    let ours = git.git_in_origin(&["rev-parse", &tree("topic")]);
    assert_eq!(ours, git.git_as_author(&["rev-parse", &tree("HEAD")]));
    // The base is in it now.
    let again = Parted {
        head: Sha::parse(&git.remote_topic()).unwrap(),
        base: parted.base.clone(),
        git: parted.git,
    };
    assert!(again.try_merge().await.is_none());
}

#[tokio::test]
async fn a_conflict_is_marked_and_what_the_fixer_makes_of_it_is_committed() {
    let parted = conflicting();
    let merged = parted.merge().await;
    let [conflict] = merged.conflicts.as_slice() else {
        panic!("{:?}", merged.conflicts);
    };
    assert!(conflict.path == "a" && conflict.texts.is_some());
    let text = read_text(&merged.worktree.path().join("a"));
    assert!(text.contains("<<<<<<<") && text.contains("head\n=======\nbase\n"));
    write_bytes(merged.worktree.path(), "a", b"1\nhead\nbase\n3\n");
    let vetted = parted.vet(&merged).await.unwrap();
    assert_eq!(lost(&vetted), []);
    let commit = parted.commit(&vetted).await;
    let clone = parted.git.clone_path();
    let shown = git_in(&clone, &["show", &format!("{commit}:a")]);
    assert_eq!(shown, "1\nhead\nbase\n3");

    // The same commit again, as after a person allowed its verify commands.
    let merged = parted.merge().await;
    let laid = parted.git.worktrees.lay_merge(&merged, &commit);
    laid.await.unwrap();
    let again = parted.vet(&merged).await.unwrap();
    assert_eq!(again.change.tree(), vetted.change.tree());
}

#[tokio::test]
async fn conflicts_that_are_left_are_refused() {
    let parted = conflicting();
    let places = |refused: Result<VettedMerge, GateRefusal>| match refused {
        Err(GateRefusal::ConflictMarkers { locations }) => locations,
        other => panic!("{other:?}"),
    };
    let untouched = parted.resolve(|_| ()).await;
    assert_eq!(places(untouched), ["a:2", "a:4", "a:6"]);
    let half = |tree: &Path| write_bytes(tree, "a", b"1\nhead\n=======\nbase\n3\n");
    assert_eq!(places(parted.resolve(half).await), ["a:3"]);
}

#[tokio::test]
async fn a_line_that_a_side_added_and_the_result_lacks_is_listed() {
    let parted = conflicting();
    let ours = |tree: &Path| write_bytes(tree, "a", b"1\nhead\n3\n");
    let vetted = parted.resolve(ours).await.unwrap();
    assert_eq!(lost(&vetted), [(MergeSide::Base, "a:2 base".into())]);
    // Also in a file that did not conflict, and when all of it is gone.
    let parted = Parted::files(
        COMMON,
        &[("a", "1\nhead\n3\n"), ("new", "of the head\n")],
        &[("a", "1\nbase\n3\n"), ("b", "of the base\n")],
    );
    let resolved = |tree: &Path| {
        write_files(tree, &[("a", "1\nhead\nbase\n3\n"), ("b", "1\n")]);
        fs::remove_file(tree.join("new")).unwrap();
    };
    let vetted = parted.resolve(resolved).await.unwrap();
    let expect = [
        (MergeSide::Head, "new:1 of the head".into()),
        (MergeSide::Base, "b:1 of the base".into()),
    ];
    assert_eq!(lost(&vetted), expect);
}

#[tokio::test]
async fn a_binary_file_that_the_result_takes_back_is_listed() {
    let image = |last: u8| [0, 1, 2, last];
    let parted = Parted::new(
        &[("a", "1\n"), ("image", "\0\u{1}\u{2}\u{3}")],
        |tree| write_bytes(tree, "a", b"head\n"),
        |tree| {
            write_bytes(tree, "a", b"base\n");
            write_bytes(tree, "image", &image(4));
        },
    );
    let both = |tree: &Path| write_bytes(tree, "a", b"head\nbase\n");
    assert_eq!(lost(&parted.resolve(both).await.unwrap()), []);
    let dropped = |tree: &Path| {
        both(tree);
        write_bytes(tree, "image", &image(3));
    };
    let vetted = parted.resolve(dropped).await.unwrap();
    assert_eq!(lost(&vetted), [(MergeSide::Base, "image:0 ".into())]);
}

#[tokio::test]
async fn what_a_side_moved_is_looked_for_where_the_other_put_it() {
    let long: String = (1..20).map(|at| format!("line {at}\n")).collect();
    let parted = Parted::new(
        &[("old", &long), ("a", "1\n")],
        |tree| {
            fs::rename(tree.join("old"), tree.join("new")).unwrap();
            write_bytes(tree, "a", b"head\n");
        },
        |tree| write_files(tree, &[("old", &format!("{long}added\n")), ("a", "base\n")]),
    );
    let resolved = |tree: &Path| write_bytes(tree, "a", b"head\nbase\n");
    assert_eq!(lost(&parted.resolve(resolved).await.unwrap()), []);
    let dropped = |tree: &Path| {
        write_files(tree, &[("a", "head\nbase\n"), ("new", &long)]);
    };
    let vetted = parted.resolve(dropped).await.unwrap();
    assert_eq!(lost(&vetted), [(MergeSide::Base, "old:20 added".into())]);
}

#[tokio::test]
async fn nothing_outside_of_what_the_two_sides_changed_may_change() {
    let parted = conflicting();
    let resolved = |tree: &Path| {
        write_files(
            tree,
            &[("a", "1\nhead\nbase\n3\n"), ("keep", "2\n"), ("x", "")],
        );
    };
    let Err(GateRefusal::Scope { paths }) = parted.resolve(resolved).await else {
        panic!("not refused");
    };
    assert_eq!(paths, ["keep", "x"]);
}

#[tokio::test]
async fn what_the_base_did_to_tests_is_its_own_and_what_the_fixer_does_is_not() {
    let test = "import t from 't';\nt('adds', () => expect(1).toBe(1));\n";
    let skipped = test.replace("t('adds'", "t.skip('adds'");
    // The base took the test away, and brought a workflow: that is no doing of the merge.
    let parted = Parted::new(
        &[("a", "1\n"), ("a.test.js", test), ("b.test.js", test)],
        |tree| write_bytes(tree, "a", b"head\n"),
        |tree| {
            write_files(
                tree,
                &[("a", "base\n"), (".github/workflows/ci.yml", "on: push\n")],
            );
            fs::remove_file(tree.join("a.test.js")).unwrap();
            write_files(tree, &[("b.test.js", &format!("{test}// base\n"))]);
        },
    );
    let both = |tree: &Path| write_bytes(tree, "a", b"head\nbase\n");
    assert_eq!(lost(&parted.resolve(both).await.unwrap()), []);
    let tampered = parted.resolve(|tree| {
        both(tree);
        write_files(tree, &[("b.test.js", &format!("{skipped}// base\n"))]);
    });
    let Err(GateRefusal::Tamper { locations }) = tampered.await else {
        panic!("not refused");
    };
    let kinds: Vec<Tamper> = locations.iter().map(|place| place.kind).collect();
    assert_eq!(kinds, [Tamper::SkippedTest]);
}

#[tokio::test]
async fn a_test_that_conflicts_may_be_as_either_side_has_it_and_no_weaker() {
    let test = |body: &str| format!("import t from 't';\nt('adds', () => {{ {body} }});\n");
    let [common, head, base] = [
        "expect(1).toBe(1);",
        "expect(2).toBe(2);",
        "expect(3).toBe(3);",
    ]
    .map(|body| test(&format!("\n{body}\n")));
    let parted = Parted::files(
        &[("a.test.js", &common)],
        &[("a.test.js", &head)],
        &[("a.test.js", &base)],
    );
    let take = |text: String| move |tree: &Path| write_files(tree, &[("a.test.js", &text)]);
    let vetted = parted.resolve(take(head.clone())).await.unwrap();
    assert_eq!(lost(&vetted).len(), 1, "named as left out");
    let weaker = parted.resolve(take(head.replace("t('adds'", "t.skip('adds'")));
    assert!(matches!(weaker.await, Err(GateRefusal::Tamper { .. })));
}

#[tokio::test]
async fn a_test_that_the_base_skips_may_stay_skipped() {
    let test =
        |name: &str, body: &str| format!("import t from 't';\n{name}, () => {{ {body} }});\n");
    let parted = Parted::files(
        &[("a.test.js", &test("t('adds'", "expect(1).toBe(1);"))],
        &[("a.test.js", &test("t('adds'", "expect(2).toBe(2);"))],
        &[("a.test.js", &test("t.skip('adds'", "expect(1).toBe(1);"))],
    );
    let as_the_base = |tree: &Path| {
        let text = test("t.skip('adds'", "expect(1).toBe(1);");
        write_files(tree, &[("a.test.js", &text)]);
    };
    let vetted = parted.resolve(as_the_base).await.unwrap();
    assert_eq!(lost(&vetted).len(), 1, "what the head made of it is named");
}

#[tokio::test]
async fn syntax_and_secrets_are_held_against_both_sides() {
    let token = format!("ghp_{}", "q7RkT2mWx9LbV4nZc8YhJ3pFs6DgA1uE5oIt");
    let parted = Parted::files(
        COMMON,
        &[("a", "1\nhead\n3\n")],
        &[("a", "1\nbase\n3\n"), ("b", &format!("{token}\n"))],
    );
    let write = |text: &'static str| move |tree: &Path| write_bytes(tree, "a", text.as_bytes());
    let broken = parted.resolve(write("1\nhead\nbase OOPS\n3\n")).await;
    assert!(
        matches!(broken, Err(GateRefusal::Syntax { .. })),
        "{broken:?}"
    );
    // A secret of the base is there already.
    assert!(parted.resolve(write("1\nhead\nbase\n3\n")).await.is_ok());
    let other = format!("ghp_{}", "A1uE5oItq7RkT2mWx9LbV4nZc8YhJ3pFs6Dg");
    let leaky = parted.resolve(|tree| {
        write_files(tree, &[("a", &format!("1\nhead\nbase\n{other}\n3\n"))]);
    });
    assert!(matches!(leaky.await, Err(GateRefusal::Secrets { .. })));
}

#[tokio::test]
async fn a_merge_of_git_alone_that_breaks_the_syntax_is_refused() {
    let long: String = (1..20).map(|at| format!("line {at}\n")).collect();
    let parted = Parted::files(
        &[("a", &long)],
        &[("a", &format!("head\n{long}"))],
        &[("a", &format!("{long}base OOPS\n"))],
    );
    // The base was broken before, the head was not: it may not become so.
    assert!(matches!(
        parted.resolve(|_| ()).await,
        Err(GateRefusal::Syntax { .. })
    ));
}

#[tokio::test]
async fn only_texts_that_both_sides_have_are_a_fixers() {
    let bytes = |tree: &Path, last: u8| write_bytes(tree, "image", &[0, 1, 2, last]);
    let link = |tree: &Path, to: &str| {
        let _ = fs::remove_file(tree.join("link"));
        symlink(to, tree.join("link")).unwrap();
    };
    let parted = Parted::new(
        &[
            ("gone", "1\n"),
            ("CLAUDE.md", "1\n"),
            ("text", "1\n"),
            ("link", ""),
        ],
        |tree| {
            bytes(tree, 3);
            link(tree, "text");
            write_files(
                tree,
                &[("gone", "2\n"), ("CLAUDE.md", "2\n"), ("text", "2\n")],
            );
        },
        |tree| {
            bytes(tree, 4);
            link(tree, "gone");
            write_files(tree, &[("CLAUDE.md", "3\n"), ("text", "3\n")]);
            fs::remove_file(tree.join("gone")).unwrap();
        },
    );
    let merged = parted.merge().await;
    let found: Vec<(&str, bool)> = merged
        .conflicts
        .iter()
        .map(|conflict| (conflict.path.as_str(), conflict.texts.is_some()))
        .collect();
    let expect = [
        ("CLAUDE.md", false),
        ("gone", false),
        ("image", false),
        ("link", false),
        ("text", true),
    ];
    assert_eq!(found, expect);
}

#[tokio::test]
async fn links_that_lead_out_stay_text_when_the_base_is_merged_in() {
    let parted = Parted::new(
        COMMON,
        |tree| symlink("/etc/passwd", tree.join("heads")).unwrap(),
        |tree| {
            symlink("../../beside", tree.join("bases")).unwrap();
            symlink("a", tree.join("within")).unwrap();
        },
    );
    let merged = parted.merge().await;
    assert_eq!(merged.conflicts, []);
    let tree = merged.worktree.path();
    assert_eq!(fs::read_link(tree.join("within")).unwrap(), Path::new("a"));
    let all_are_text = || {
        for (path, text) in [("heads", "/etc/passwd"), ("bases", "../../beside")] {
            assert!(fs::read_link(tree.join(path)).is_err(), "{path}");
            assert_eq!(read_text(&tree.join(path)), text);
        }
    };
    all_are_text();
    let vetted = parted.vet(&merged).await.unwrap();
    let commit = parted.commit(&vetted).await;
    let modes = git_in(
        &parted.git.clone_path(),
        &["ls-tree", "-r", commit.as_str()],
    );
    assert_eq!(modes.matches("120000").count(), 3, "links in the commit");
    let laid = parted.git.worktrees.lay_merge(&merged, &commit);
    laid.await.unwrap();
    all_are_text();
}

#[tokio::test]
async fn neither_attributes_nor_drivers_nor_hooks_have_a_say() {
    let attributes = "* merge=union\na conflict-marker-size=32\n";
    let parted = Parted::files(
        &[(".gitattributes", attributes), ("a", "1\n")],
        &[("a", "head\n")],
        &[("a", "base\n")],
    );
    let merged = parted.merge().await;
    assert_eq!(merged.conflicts.len(), 1, "a union would hide it");
    let text = read_text(&merged.worktree.path().join("a"));
    assert!(text.starts_with("<<<<<<< "), "{text}");
}

#[tokio::test]
async fn settings_for_agents_come_back_as_git_merged_them() {
    let parted = Parted::files(
        COMMON,
        &[("a", "1\nhead\n3\n")],
        &[("a", "1\nbase\n3\n"), ("CLAUDE.md", "of the base\n")],
    );
    let merged = parted.merge().await;
    let tree = &merged.worktree;
    let git = &parted.git.worktrees;
    let shield = git
        .shield(tree, &parted.base, ShieldedConfig::Agents)
        .await
        .unwrap();
    write_bytes(tree.path(), "a", b"1\nhead\nbase\n3\n");
    git.unshield(tree, shield).await.unwrap();
    let vetted = parted.vet(&merged).await.unwrap();
    assert_eq!(lost(&vetted), []);
    assert_eq!(vetted.change.paths(), ["a"]);
}

//! Any change, however odd: the loop ends, every inline comment is accepted, and every fix lands where it should.

use collie_core::lifecycle::State;
use collie_testkit::engine::run_test;
use collie_testkit::git::git;
use collie_testkit::repository::{CLEAN_FILE, FAULTY_FILE, RepositoryFixture};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_changes_nothing_becomes_ready() {
    run_test(RepositoryFixture::unchanged(), async |ctx| {
        ctx.start_loop_until_ready().await;
        let files = ctx.repo_get("/pulls/1/files").await;
        assert_eq!(files, json!([]));
    })
    .await;
}

const NAMES: [&str; 8] = [
    "with space.js",
    "quo\"te's.js",
    "new\nline.js",
    "тест/été.js",
    "tab\there.js",
    "-dash.js",
    "back\\slash.js",
    "deep/er/[x] {y} (z) #1 100%.js",
];

#[tokio::test(flavor = "multi_thread")]
async fn odd_names_are_reviewed_commented_on_and_fixed() {
    let fixture = NAMES
        .iter()
        .fold(RepositoryFixture::unchanged(), |scene, name| {
            scene.with_head_file(name, FAULTY_FILE)
        });
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let inline = ctx.repo_get("/pulls/1/comments?per_page=100").await;
        let inline = inline.as_array().unwrap();
        assert_eq!(inline.len(), NAMES.len());
        for name in NAMES {
            assert!(inline.iter().any(|one| one["path"] == name), "{name}");
            assert_eq!(ctx.file("topic", name).trim(), CLEAN_FILE.trim(), "{name}");
        }
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_renamed_deleted_and_moded_files_are_no_obstacle() {
    let binary: Vec<u8> = (0..=255).cycle().take(4_096).collect();
    let fixture = RepositoryFixture::unchanged()
        .with_base_file("old.js", CLEAN_FILE)
        .with_base_file("gone.js", "export const gone = true;\n")
        .with_base_file("run.sh", "true\n")
        .with_base_file("picture.bin", &binary)
        .with_head_file("other.bin", &binary[1..])
        .with_head_file("app.js", FAULTY_FILE)
        .with_head_edit(|dir| {
            std::fs::write(dir.join("picture.bin"), [0, 1, 2, 0]).unwrap();
            let run = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(dir.join("run.sh"), run).unwrap();
            git(dir, &["mv", "old.js", "renamed.js"]);
            std::fs::write(dir.join("renamed.js"), FAULTY_FILE).unwrap();
            git(dir, &["rm", "-q", "gone.js"]);
            git(dir, &["add", "-A"]);
        });
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        for path in ["app.js", "renamed.js"] {
            assert_eq!(ctx.file("topic", path).trim(), CLEAN_FILE.trim(), "{path}");
        }
        let mode = git(&ctx.bare_repository(), &["ls-tree", "topic", "run.sh"]);
        assert!(mode.starts_with("100755"), "{mode}");
    })
    .await;
}

fn link(dir: &Path, target: &str, name: &str) {
    std::os::unix::fs::symlink(target, dir.join(name)).expect("links can be made");
    git(dir, &["add", "-A"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn submodules_and_links_out_of_the_tree_are_not_followed() {
    let fixture = RepositoryFixture::unchanged()
        .with_head_file("app.js", FAULTY_FILE)
        .with_head_edit(|dir| {
            let module = "160000,1111111111111111111111111111111111111111,module";
            std::fs::write(
                dir.join(".gitmodules"),
                "[submodule \"module\"]\n\tpath = module\n\turl = ext::sh -c touch% pwned\n",
            )
            .unwrap();
            link(dir, "/etc/passwd", "passwd.js");
            link(dir, "../../../..", "up");
            link(dir, "app.js", "same.js");
            git(dir, &["update-index", "--add", "--cacheinfo", module]);
        });
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        // A person looks where links lead to.
        let state = ctx.wait_for_blocker(1, "unseen").await;
        let unseen: Vec<&str> = state
            .run
            .head
            .coverage
            .needing_look()
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!(unseen, ["passwd.js", "same.js", "up"]);
        assert_eq!(ctx.file("topic", "app.js").trim(), CLEAN_FILE.trim());
        let tree = git(&ctx.bare_repository(), &["ls-tree", "topic"]);
        for kept in ["160000 commit 1111", "120000 blob"] {
            assert!(tree.contains(kept), "{tree}");
        }
        let said = ctx.posted_bodies(1).await.join("\n");
        assert!(!said.contains("root:"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn line_ends_and_missing_last_ones_stay_as_they_are() {
    let crlf = FAULTY_FILE.replace('\n', "\r\n");
    let bare = FAULTY_FILE.trim_end();
    let fixture = RepositoryFixture::unchanged()
        .with_base_file(".gitattributes", "*.js -text filter=evil diff=evil\n")
        .with_head_file("crlf.js", &crlf)
        .with_head_file("bare.js", bare)
        .with_head_file("bom.js", format!("\u{feff}{FAULTY_FILE}"));
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let raw = |path: &str| git(&ctx.bare_repository(), &["show", &format!("topic:{path}")]);
        let crlf = raw("crlf.js");
        assert!(!crlf.contains("debugger"), "{crlf:?}");
        assert_eq!(crlf.matches('\n').count(), crlf.matches("\r\n").count());
        let size = git(&ctx.bare_repository(), &["cat-file", "-s", "topic:bare.js"]);
        assert_eq!(raw("bare.js").len().to_string(), size);
        assert!(raw("bom.js").starts_with('\u{feff}'));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_5_mb_is_no_obstacle() {
    let line = "const value = \"abcdefghijklmnopqrstuvwxyz\"; // data\n";
    let big = line.repeat(5 * 1024 * 1024 / line.len());
    let mut grown = big.clone();
    grown.push_str("export function f() {\n  debugger;\n}\n");
    let fixture = RepositoryFixture::unchanged()
        .with_base_file("big.txt", "small\n")
        .with_base_file("grown.txt", &big)
        .with_head_file("big.txt", &big)
        .with_head_file("grown.txt", &grown)
        .with_head_file("app.js", FAULTY_FILE);
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        assert_eq!(ctx.file("topic", "app.js").trim(), CLEAN_FILE.trim());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_findings_than_fit_inline_go_into_the_report() {
    let fixture = (0..30).fold(RepositoryFixture::unchanged(), |fixture, n| {
        fixture.with_head_file(&format!("file{n:02}.js"), FAULTY_FILE)
    });
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let inline = ctx.repo_get("/pulls/1/comments?per_page=100").await;
        assert_eq!(inline.as_array().unwrap().len(), 20);
        let reports = ctx.posted_bodies(1).await;
        assert!(reports.iter().any(|body| body.contains("file29.js")));
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_that_were_there_before_are_left_alone() {
    let fixture = RepositoryFixture::unchanged()
        .with_base_file("app.js", FAULTY_FILE)
        .with_head_file("app.js", format!("{FAULTY_FILE}export const more = 1;\n"));
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 0);
        assert!(state.run.review.findings.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_the_change_is_never_repeated_in_a_post() {
    run_test(RepositoryFixture::unfixable(), async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::NeedsHuman).await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        let said = ctx.posted_bodies(1).await;
        assert!(said.len() >= 2, "{said:#?}");
        assert!(!said.join("\n").contains("glpat-"), "{said:#?}");
    })
    .await;
}

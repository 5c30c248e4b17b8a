//! An account of one's own: toggle, watch, cancel, merge.

use crate::fixture::{REPO, WindowFixture};
use crate::window::{AppWindow, LaunchOptions};
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use fantoccini::key::Key;
use std::path::Path;
use std::process::Command;

/// The app on a stage, as the account of `GITHUB_TOKEN`.
pub async fn open(home: &Path) -> AppWindow {
    let start = LaunchOptions {
        env: vec![("GITHUB_TOKEN", format!("forge-{COLLIE}"))],
        ..LaunchOptions::default()
    };
    AppWindow::open(home, &start).await
}

/// A configuration that lets the account start, with the repository in the sidebar.
pub fn allowed_user_config(more: &str) -> String {
    format!("allowed_users = [\"{COLLIE}\"]\n{more}\n[[repositories]]\nname = \"{REPO}\"\n")
}

/// Signs in with what was found, and goes from the overview to the repository.
pub async fn sign_in(window: &AppWindow) {
    window
        .wait_for_text(&format!("Continue as @{COLLIE}"))
        .await;
    window.press("Continue").await;
    window.find(&heading_xpath("Overview")).await;
    window.press(REPO).await;
    window.find_control("Auto-PR-Review").await;
}

pub async fn start(window: &AppWindow, title: &str) {
    window.press(&format!("Start a loop for {title}")).await;
}

/// The heading of a pull request's detail.
pub fn heading_xpath(title: &str) -> String {
    format!("//*[self::h1 or self::h2 or self::h3][normalize-space(.)=\"{title}\"]")
}

/// Opens a pull request's detail.
pub async fn open_card(window: &AppWindow, title: &str) {
    window.find_row(title).await.click().await.unwrap();
    window.find(&heading_xpath(title)).await;
}

/// Has loops start for every pull request of the repository that is shown, at the level that it has.
pub(crate) async fn turn_on(window: &AppWindow) {
    window.press("Auto-PR-Review").await;
    confirm_turning_on(window).await;
}

async fn confirm_turning_on(window: &AppWindow) {
    window.press("Turn on").await;
    window
        .wait_until("the sheet to be gone", || async {
            window.try_find_control("Turn on").await.is_none()
        })
        .await;
}

#[tokio::test]
async fn the_toggle_takes_every_pull_request_to_ready_and_a_click_merges_it() {
    let fixture = WindowFixture::new(
        "true",
        &[
            ("Count the list", PullContent::Faulty),
            ("Sum it up", PullContent::Clean),
        ],
    )
    .await;
    let home = fixture.write_config("");
    let window = open(&home).await;
    window
        .wait_for_text(&format!("Continue as @{COLLIE}"))
        .await;
    window.press("Continue").await;
    window.wait_for_text("Before anything starts").await;
    window.press("Skip").await;
    window.press(&format!("Allow @{COLLIE}")).await;
    window.wait_for_text("Choose repositories").await;
    window.press(REPO).await;
    window.press("Add 1 repository").await;
    window.find(&heading_xpath("Overview")).await;
    window.press(REPO).await;
    // What is added in the window is only observed until somebody says otherwise.
    window.press("Auto-PR-Review").await;
    window.press("Push").await;
    confirm_turning_on(&window).await;
    window.press("Overview").await;
    // Both come to the overview, and stay there until they are ready.
    window
        .find("//button[starts-with(normalize-space(.), 'Ready to merge 2')]")
        .await
        .click()
        .await
        .unwrap();
    window.wait_for_text("Count the list").await;
    window.wait_for_text("Sum it up").await;
    open_card(&window, "Count the list").await;
    let head = fixture.head_sha(1).await;
    window.press("Merge…").await;
    window
        .press(&format!("Merge {} into main", &head[..7]))
        .await;
    window
        .wait_until("the merge on the forge", || async {
            fixture.repo_get("/pulls/1").await["merged"] == true
        })
        .await;
    let pull = fixture.repo_get("/pulls/1").await;
    assert_eq!(pull["merged_by"]["login"], COLLIE);
    assert_eq!(pull["head"]["sha"], head.as_str());
    let other = fixture.repo_get("/pulls/2").await;
    assert_eq!(other["merged"], false);
    // The forge has it before Collie has heard that it has.
    window
        .wait_until("the merge in the audit log", || async {
            let audit = read_audit_log(&home);
            audit.contains("merge_requested") && audit.contains("merge_completed")
        })
        .await;
    window.quit().await;
}

#[tokio::test]
async fn a_head_that_moved_under_the_dialog_is_not_merged() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    // The window does not look again by itself while this test runs: only the merge does.
    let home = fixture.write_config_polling("10m", &allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, "Sum it up").await;
    open_card(&window, "Sum it up").await;
    let head = fixture.head_sha(1).await;
    let merge = format!("Merge {} into main", &head[..7]);
    window.press("Merge…").await;
    window.wait_for_enabled(&merge).await;
    fixture.push_change(1).await;
    window.press(&merge).await;
    // Once the gate has refused, the loop is read again, and the dialog knows both heads.
    window.wait_for_text("The head has moved").await;
    let audit = read_audit_log(&home);
    assert!(audit.contains("head_moved"), "{audit}");
    let pull = fixture.repo_get("/pulls/1").await;
    assert_eq!(pull["merged"], false);
    window.quit().await;
}

/// What there is of a review before it is cancelled, and is not any more afterwards.
struct ExpectedLeftovers {
    /// A command that runs below the data folder.
    child: Option<&'static str>,
    worktree: bool,
}

/// Cancels a review in a state, and looks that nothing is left of it.
async fn check_cancel_in(
    check: &str,
    change: PullContent,
    config: &str,
    state: &str,
    left: ExpectedLeftovers,
) {
    let fixture = WindowFixture::new(check, &[("Count the list", change)]).await;
    let home = fixture.write_config(&allowed_user_config(config));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, "Count the list").await;
    open_card(&window, "Count the list").await;
    window.wait_for_text(state).await;
    if let Some(child) = left.child {
        window
            .wait_until("the child to run", || async {
                commands_below(&home).contains(child)
            })
            .await;
    }
    assert_eq!(has_worktree(&home), left.worktree);
    if state == "not finished" {
        // Nothing is lost: no question, and five seconds to take it back.
        window.press("Cancel").await;
        window.find_control("Undo").await;
    } else {
        window.press("Cancel…").await;
        window.press("Cancel the run").await;
    }
    window.wait_for_text("A person cancelled it").await;
    window
        .wait_until("the children to be gone", || async {
            commands_below(&home).is_empty()
        })
        .await;
    window
        .wait_until("the worktree to be gone", || async { !has_worktree(&home) })
        .await;
    window.quit().await;
}

/// Whether a pull request is checked out below a data folder.
fn has_worktree(home: &Path) -> bool {
    let found = Command::new("find")
        .arg(home.join("git/worktrees"))
        .args(["-name", "pr-*"])
        .output()
        .unwrap();
    !found.stdout.is_empty()
}

/// Commands that run below a data folder.
fn commands_below(home: &Path) -> String {
    let mut found = String::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let inside = std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd.starts_with(home));
        if inside && let Ok(line) = std::fs::read(path.join("cmdline")) {
            found.push_str(&String::from_utf8_lossy(&line).replace('\0', " "));
            found.push('\n');
        }
    }
    found
}

#[tokio::test]
async fn a_review_that_waits_for_checks_can_be_cancelled() {
    let left = ExpectedLeftovers {
        child: None,
        worktree: false,
    };
    check_cancel_in("sleep 601", PullContent::Clean, "", "not finished", left).await;
}

#[tokio::test]
async fn a_review_that_waits_for_a_person_can_be_cancelled() {
    let panel = "[[stages]]\nreviewers = [\"rules\", \"@ben\"]\n";
    let left = ExpectedLeftovers {
        child: None,
        worktree: true,
    };
    let state = "Waiting for a review by @ben";
    check_cancel_in("true", PullContent::Clean, panel, state, left).await;
}

#[tokio::test]
async fn a_fix_that_hangs_can_be_cancelled() {
    let verify = "[verify]\ncommands = [\"sleep 602\"]\n";
    let left = ExpectedLeftovers {
        child: Some("sleep 602"),
        worktree: true,
    };
    check_cancel_in(
        "true",
        PullContent::Faulty,
        verify,
        "Fixing 1 finding",
        left,
    )
    .await;
}

#[tokio::test]
async fn everything_can_be_done_by_keyboard() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let window = open(&fixture.write_config(&allowed_user_config(""))).await;
    window.find_control("Continue").await;
    window.tab_to("Continue").await;
    window.key(Key::Enter).await;
    window.find(&heading_xpath("Overview")).await;
    // The palette leads to the repository.
    let palette = format!("{}k{}", char::from(Key::Control), char::from(Key::Null));
    window.keys(&palette).await;
    window.find("//input[@role='combobox']").await;
    window.keys(REPO).await;
    window
        .find(&format!(
            "//*[@role='option'][@aria-selected='true'][normalize-space(.)='{REPO}']"
        ))
        .await;
    window.key(Key::Enter).await;
    window.wait_for_text("Sum it up").await;
    window.keys("j").await;
    window.keys("s").await;
    window
        .find("//*[@role='row'][contains(., 'Ready to merge')]")
        .await;
    window.key(Key::Enter).await;
    window.find(&heading_xpath("Sum it up")).await;
    window.keys("m").await;
    let head = fixture.head_sha(1).await;
    let merge = format!("Merge {} into main", &head[..7]);
    window.find_control(&merge).await;
    window.tab_to(&merge).await;
    window.key(Key::Enter).await;
    window
        .wait_until("the merge on the forge", || async {
            fixture.repo_get("/pulls/1").await["merged"] == true
        })
        .await;
    window.quit().await;
}

#[tokio::test]
async fn a_folder_that_another_collie_owns_is_followed() {
    let fixture = WindowFixture::new("sleep 603", &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let folder = collie_store::StorePaths::below(&home);
    let other = collie_store::Store::open(&folder, collie_store::OpenMode::Engine)
        .await
        .unwrap();
    let window = open(&home).await;
    window
        .wait_for_text(&format!("Continue as @{COLLIE}"))
        .await;
    window.press("Continue").await;
    window.wait_for_text("Another Collie").await;
    other.close().await;
    window
        .wait_until("the window to take over", || async {
            !window.page_text().await.contains("Another Collie")
        })
        .await;
    window.quit().await;
}

#[tokio::test]
async fn a_typed_token_is_kept_in_the_keychain_and_nowhere_else() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let start = LaunchOptions {
        keychain: true,
        ..LaunchOptions::default()
    };
    let window = AppWindow::open(&home, &start).await;
    window.press("Enter a token").await;
    window
        .wait_for_text("It is stored in the system keychain.")
        .await;
    let token = format!("forge-{COLLIE}");
    window.fill("Token", &token).await;
    window.press("Sign in").await;
    window.press(REPO).await;
    window.find_control("Auto-PR-Review").await;
    window.quit().await;
    let again = AppWindow::open(&home, &start).await;
    again.press(REPO).await;
    again.wait_for_text("Sum it up").await;
    again.quit().await;
    let found = Command::new("grep")
        .args(["-rlF", &token])
        .arg(&home)
        .output()
        .unwrap();
    // It looked at every file, and found nothing.
    assert_eq!(found.status.code(), Some(1), "{found:?}");
}

#[tokio::test]
async fn a_locked_keychain_is_named_with_the_way_out() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config("language = \"fr\""));
    let with_keychain = LaunchOptions {
        keychain: true,
        ..LaunchOptions::default()
    };
    let window = AppWindow::open(&home, &with_keychain).await;
    window.press("Saisir un jeton").await;
    window.fill("Jeton", &format!("forge-{COLLIE}")).await;
    window.press("Se connecter").await;
    window.press(REPO).await;
    window.find_control("Auto-PR-Review").await;
    window.quit().await;
    // The bus starts the keychain when it is asked for, and nobody is there to unlock it.
    let locked = AppWindow::open(&home, &LaunchOptions::default()).await;
    locked.wait_for_text("Le trousseau est verrouillé.").await;
    locked.wait_for_text("Déverrouillez-le et réessayez").await;
    locked.wait_for_enabled("Réessayer").await;
    locked.quit().await;
    let again = AppWindow::open(&home, &with_keychain).await;
    again.press(REPO).await;
    again.wait_for_text("Sum it up").await;
    again.quit().await;
}

fn read_audit_log(home: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(home.join("audit")).unwrap() {
        text.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    text
}

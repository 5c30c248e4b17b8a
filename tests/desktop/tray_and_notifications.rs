//! What the app shows around its window: notifications, and the tray.

use crate::desktop_panel::ShownNotification;
use crate::fixture::{REPO, WindowFixture};
use crate::own_account::{allowed_user_config, heading_xpath, sign_in, start};
use crate::window::{AppWindow, LaunchOptions, WAIT};
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use std::path::Path;
use std::process::Command;

/// A check that lets the first pull request pass, and sends the second to a person.
const SECOND_FAILS: &str = "test ! -e app2.js";

/// Opens the app in a desktop with a panel.
async fn open(home: &Path) -> AppWindow {
    let start = LaunchOptions {
        env: vec![("GITHUB_TOKEN", format!("forge-{COLLIE}"))],
        panel: true,
        ..LaunchOptions::default()
    };
    AppWindow::open(home, &start).await
}

/// Two pull requests: the first becomes ready, the second needs a person.
async fn two_pulls() -> WindowFixture {
    let pulls = [
        ("Count <the> list", PullContent::Faulty),
        ("Q&A", PullContent::Clean),
    ];
    WindowFixture::new(SECOND_FAILS, &pulls).await
}

/// Waits until as many notifications were shown, and says that they are these.
async fn wait_for_notifications(window: &AppWindow, expect: &[ShownNotification]) {
    let many = || async { window.panel().notifications().len() >= expect.len() };
    window.wait_until("the notifications", many).await;
    assert_eq!(window.panel().notifications(), expect);
}

/// Waits until the tray says this beside its icon, and has these lines in its menu.
async fn wait_for_tray(window: &AppWindow, label: &str, lines: &[&str]) {
    let told = WAIT.until("the tray to say so", async || {
        let tray = window.panel().tray().await;
        let says = tray.map(|tray| (tray.label.clone(), tray.lines()));
        match &says {
            Some((said, menu)) if said == label && menu == lines => Ok(()),
            _ => Err(format!("the tray says {says:#?}")),
        }
    });
    told.await;
}

#[tokio::test]
async fn a_loop_that_waits_for_a_person_is_reported_once_and_a_crash_reports_nothing_again() {
    let fixture = two_pulls().await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, "Count <the> list").await;
    // A title on GitHub is anybody's text, and panels read a body as simple HTML.
    let ready = || {
        ShownNotification::new(
            "octo/app#1 is ready to merge; nobody has read the change",
            "Count &lt;the&gt; list",
        )
    };
    wait_for_notifications(&window, &[ready()]).await;
    start(&window, "Q&A").await;
    let needs = || ShownNotification::new("octo/app#2 needs you", "Q&amp;A");
    wait_for_notifications(&window, &[ready(), needs()]).await;
    window.panel().click_notification(0).await;
    window.find(&heading_xpath("Count <the> list")).await;
    window.kill().await;

    let again = open(&home).await;
    again.wait_for_text("Count <the> list").await;
    fixture.push_change(1).await;
    // It becomes ready anew, which is news; nothing else has happened.
    wait_for_notifications(&again, &[ready()]).await;
    again.quit().await;
}

#[tokio::test]
async fn notifications_are_off_and_french_as_the_settings_say() {
    let fixture = two_pulls().await;
    let config = "language = \"fr\"\n[desktop]\nnotifications = false\n";
    let home = fixture.write_config(&allowed_user_config(config));
    let window = open(&home).await;
    window.press("Continuer").await;
    window.press(REPO).await;
    window
        .press("Démarrer une boucle pour Count <the> list")
        .await;
    let lines = [
        "Ouvrir Collie",
        "-",
        "[1 prête]",
        "octo/app#1 est prête\u{202f}: Count <the> list",
        "-",
        "Tout mettre en pause",
        "Quitter Collie",
    ];
    wait_for_tray(&window, "1\u{202f}✓", &lines).await;
    window.press("Réglages").await;
    window.press("Notifications").await;
    window.press("Enregistrer").await;
    window.wait_for_text("Réglages enregistrés").await;
    window.press("Fermer les réglages").await;
    window.press("Démarrer une boucle pour Q&A").await;
    // Nothing came of the first: it would have come before.
    wait_for_notifications(
        &window,
        &[ShownNotification::new(
            "octo/app#2 a besoin de vous",
            "Q&amp;A",
        )],
    )
    .await;
    window.quit().await;
}

#[tokio::test]
async fn the_tray_counts_brings_the_window_back_and_shows_who_waits() {
    let fixture = two_pulls().await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    wait_for_tray(
        &window,
        "",
        &[
            "Open Collie",
            "-",
            "[Nothing needs you]",
            "-",
            "Quit Collie",
        ],
    )
    .await;
    sign_in(&window).await;
    window.press("Auto-PR-Review").await;
    window.press("Turn on").await;
    let first = "octo/app#1 is ready: Count <the> list";
    let second = "octo/app#2 needs you: Q&A";
    let lines = [
        "Open Collie",
        "-",
        "[1 ready, 1 needs you]",
        first,
        second,
        "-",
        "Pause everything",
        "Quit Collie",
    ];
    wait_for_tray(&window, "1 ✓ 1 !", &lines).await;
    let tray = window.panel().tray().await.unwrap();
    assert_eq!(tray.status, "Active");
    assert!(Path::new(&tray.icon).is_file(), "{}", tray.icon);

    window.close();
    window
        .wait_until("the window to be hidden", || async {
            !window.is_shown().await
        })
        .await;
    tray.click("Open Collie").await;
    window
        .wait_until("the window to be back", || async {
            window.is_shown().await
        })
        .await;
    window.close();
    window
        .wait_until("the window to be hidden", || async {
            !window.is_shown().await
        })
        .await;
    tray.click(second).await;
    window.find(&heading_xpath("Q&A")).await;
    assert!(window.is_shown().await);
    window.quit().await;
}

/// The lines of the menu of the tray, between those that are always there.
fn tray_lines<'a>(said: &[&'a str], last: &'a str) -> Vec<&'a str> {
    let before = ["Open Collie", "-"];
    [&before[..], said, &["-", last, "Quit Collie"]].concat()
}

#[tokio::test]
async fn everything_is_paused_and_continues_from_the_tray() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    let running = tray_lines(&["[Nothing needs you]"], "Pause everything");
    wait_for_tray(&window, "", &running).await;
    let tray = async || window.panel().tray().await.unwrap();
    tray().await.click("Pause everything").await;
    window.wait_for_text("Everything is paused").await;
    let last = "Continue everything that is paused";
    let paused = tray_lines(&["[Everything is paused]", "[Nothing needs you]"], last);
    wait_for_tray(&window, "", &paused).await;
    start(&window, "Sum it up").await;
    window.wait_for_text("Everything is paused, by @").await;
    wait_for_tray(&window, "", &paused).await;
    assert_eq!(
        fixture.repo_get("/issues/1/comments").await,
        serde_json::json!([])
    );
    tray().await.click(last).await;
    let pull = "octo/app#1 is ready: Sum it up";
    let ready = tray_lines(&["[1 ready]", pull], "Pause everything");
    wait_for_tray(&window, "1 ✓", &ready).await;
    assert!(!window.page_text().await.contains("Everything is paused"));
    window.quit().await;
}

#[tokio::test]
async fn what_is_snoozed_leaves_the_tray_and_is_no_notification() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, "Sum it up").await;
    let ready = || {
        ShownNotification::new(
            "octo/app#1 is ready to merge; nobody has read the change",
            "Sum it up",
        )
    };
    wait_for_notifications(&window, &[ready()]).await;
    let pull = "octo/app#1 is ready: Sum it up";
    let counted = tray_lines(&["[1 ready]", pull], "Pause everything");
    wait_for_tray(&window, "1 ✓", &counted).await;
    window.keys("j").await;
    window.keys("h").await;
    window.press("Until tomorrow").await;
    let none = tray_lines(&["[Nothing needs you]"], "Pause everything");
    wait_for_tray(&window, "", &none).await;

    // Another head becomes ready, which would be news; a snooze lasts longer than a start.
    let head = fixture.head_sha(1).await;
    fixture.push_change(1).await;
    let moved = format!("not {}", &head[..7]);
    window
        .wait_until(&moved, || async {
            is_ready_at_another_head(&window, &head).await
        })
        .await;
    wait_for_tray(&window, "", &none).await;
    assert_eq!(window.panel().notifications(), [ready()]);
    window.quit().await;
    let again = open(&home).await;
    again.wait_for_text("Sum it up").await;
    wait_for_tray(&again, "", &none).await;

    // Woken up, it counts.
    again.keys("j").await;
    again.keys("h").await;
    wait_for_tray(&again, "1 ✓", &counted).await;
    again.quit().await;
}

/// Whether the only loop is ready, at a head that is not this one.
async fn is_ready_at_another_head(window: &AppWindow, head: &str) -> bool {
    window.find_row("Sum it up").await.click().await.unwrap();
    let text = window.page_text().await;
    text.contains("Ready at ") && !text.contains(&format!("Ready at {}", &head[..7]))
}

#[tokio::test]
async fn quitting_from_the_tray_puts_loops_down_and_they_go_on_at_the_next_start() {
    let temp = tempfile::tempdir().unwrap();
    let over = temp.path().join("over");
    let check = format!("until test -e {}; do sleep 0.1; done", over.display());
    let fixture = WindowFixture::new(&check, &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, "Sum it up").await;
    window.wait_for_text("not finished").await;
    let pid = window.pid().expect("the app runs an engine");
    window
        .panel()
        .tray()
        .await
        .unwrap()
        .click("Quit Collie")
        .await;
    window.wait_for_exit(pid).await;
    assert_eq!(
        window.log_lines("did not stop in time"),
        Vec::<String>::new()
    );
    drop(window);

    std::fs::write(&over, "").unwrap();
    let again = open(&home).await;
    wait_for_notifications(
        &again,
        &[ShownNotification::new(
            "octo/app#1 is ready to merge; nobody has read the change",
            "Sum it up",
        )],
    )
    .await;
    again.quit().await;
}

#[tokio::test]
async fn without_the_tray_s_library_the_window_works_all_the_same() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let none = fixture.dir.path().join("lib");
    std::fs::create_dir(&none).unwrap();
    // What the loader finds first is no library, and it looks no further.
    for name in ["libayatana-appindicator3.so", "libappindicator3.so"] {
        std::fs::write(none.join(name), "").unwrap();
        std::fs::write(none.join(format!("{name}.1")), "").unwrap();
    }
    let start = LaunchOptions {
        env: vec![
            ("GITHUB_TOKEN", format!("forge-{COLLIE}")),
            ("LD_LIBRARY_PATH", none.display().to_string()),
        ],
        panel: true,
        ..LaunchOptions::default()
    };
    let window = AppWindow::open(&home, &start).await;
    sign_in(&window).await;
    assert!(window.panel().tray().await.is_none());
    assert_eq!(
        window
            .log_lines("libayatana-appindicator3 is not installed")
            .len(),
        1
    );
    assert_eq!(window.log_lines("a panic"), Vec::<String>::new());
    window.quit().await;
}

#[tokio::test]
async fn without_a_bus_closing_the_window_ends_the_app() {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Clean)]).await;
    let start = LaunchOptions {
        env: vec![("GITHUB_TOKEN", format!("forge-{COLLIE}"))],
        no_bus: true,
        ..LaunchOptions::default()
    };
    let window = AppWindow::open(&fixture.write_config(&allowed_user_config("")), &start).await;
    sign_in(&window).await;
    let pid = window.pid().expect("the app runs an engine");
    window.close();
    window.wait_for_exit(pid).await;
}

#[test]
fn without_a_display_the_terminal_is_told_what_to_do() {
    let check = |language: &str, problem: &str, hint: &str| {
        let home = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_collie-desktop"))
            .env("COLLIE_HOME", home.path().join("home"))
            .env("LANG", language)
            .env_remove("LC_ALL")
            .env_remove("LC_MESSAGES")
            .env_remove("LANGUAGE")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(problem) && said.contains(hint), "{said}");
        assert!(!home.path().join("home").exists(), "nothing was begun");
    };
    check(
        "C.UTF-8",
        "error: Collie needs a display to open its window",
        "hint: Without a display, `collie watch OWNER/REPO` runs",
    );
    check(
        "fr_FR.UTF-8",
        "erreur\u{202f}: Collie a besoin d’un écran",
        "conseil\u{202f}: Sans écran, `collie watch OWNER/REPO` fait tourner",
    );
}

//! The first start without an account: the demo, in both languages and themes, through a crash.

use crate::window::{AppWindow, LaunchOptions};
use std::os::unix::fs::PermissionsExt as _;

/// Opens the demo from the sign-in.
async fn open_demo(home: &std::path::Path) -> AppWindow {
    let window = AppWindow::open(home, &LaunchOptions::default()).await;
    window.wait_for_text("Try the demo").await;
    window.press("Open").await;
    window.wait_for_text("Seven pull requests to watch").await;
    window
}

#[tokio::test]
async fn the_demo_opens_from_the_sign_in_and_a_scenario_becomes_ready() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    let window = open_demo(&home).await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    let mode = std::fs::metadata(&home).unwrap().permissions().mode();
    assert_eq!(
        mode & 0o777,
        0o700,
        "the data folder is for its owner alone"
    );
    window.press("Start Found, fixed, ready").await;
    window.press("Go to the pull requests").await;
    window.press("Ready to merge").await;
    window
        .wait_for_text("Read orders from JSON as well as CSV")
        .await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.quit().await;
}

#[tokio::test]
async fn language_and_theme_change_at_once_and_stay() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    let window = open_demo(&home).await;
    window.press("Go to the pull requests").await;
    window.press("Settings").await;
    window.choose("Language", "fr").await;
    window.wait_for_text("Réglages").await;
    window.choose("Thème", "dark").await;
    window
        .wait_until("the dark theme", || async {
            window
                .script("return document.documentElement.dataset.theme")
                .await
                == "dark"
        })
        .await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.quit().await;
    let again = AppWindow::open(&home, &LaunchOptions::default()).await;
    again.wait_for_text("Dépôts").await;
    let theme = again
        .script("return document.documentElement.dataset.theme")
        .await;
    assert_eq!(theme, "dark");
    again.quit().await;
}

#[tokio::test]
async fn a_killed_app_goes_on_where_it_was() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    let window = open_demo(&home).await;
    window.press("Start Found, fixed, ready").await;
    window
        .wait_until("the scenario to be under way", || async {
            window
                .try_find_control("Start Found, fixed, ready")
                .await
                .is_none()
        })
        .await;
    window.kill().await;
    let again = AppWindow::open(&home, &LaunchOptions::default()).await;
    // It was left at the list of scenarios, and is there again.
    again.press("Go to the pull requests").await;
    again.press("Ready to merge").await;
    again
        .wait_for_text("Read orders from JSON as well as CSV")
        .await;
    assert!(again.try_find_control("Try again").await.is_none());
    again.quit().await;
}

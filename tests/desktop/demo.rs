//! The first start without an account: the demo, in both languages and themes, through a crash.

use crate::window::{Start, Window};
use std::os::unix::fs::PermissionsExt as _;

/// Opens the demo from the sign-in.
async fn into_the_demo(home: &std::path::Path) -> Window {
    let window = Window::open(home, &Start::default()).await;
    window.says("Try the demo").await;
    window.press("Open").await;
    window.says("Six pull requests to watch").await;
    window
}

#[tokio::test]
async fn the_demo_opens_from_the_sign_in_and_a_scenario_becomes_ready() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    let window = into_the_demo(&home).await;
    assert_eq!(window.axe().await, Vec::<String>::new());
    let mode = std::fs::metadata(&home).unwrap().permissions().mode();
    assert_eq!(
        mode & 0o777,
        0o700,
        "the data folder is for its owner alone"
    );
    window.press("Start Found, fixed, ready").await;
    window.press("Go to the pull requests").await;
    window.press("Ready to merge").await;
    window.says("Read orders from JSON as well as CSV").await;
    assert_eq!(window.axe().await, Vec::<String>::new());
    window.quit().await;
}

#[tokio::test]
async fn language_and_theme_change_at_once_and_stay() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    let window = into_the_demo(&home).await;
    window.press("Go to the pull requests").await;
    window.press("Settings").await;
    window.choose("Language", "fr").await;
    window.says("Réglages").await;
    window.choose("Thème", "dark").await;
    window
        .until("the dark theme", || async {
            window
                .script("return document.documentElement.dataset.theme")
                .await
                == "dark"
        })
        .await;
    assert_eq!(window.axe().await, Vec::<String>::new());
    window.quit().await;
    let again = Window::open(&home, &Start::default()).await;
    again.says("Dépôts").await;
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
    let window = into_the_demo(&home).await;
    window.press("Start Found, fixed, ready").await;
    window
        .until("the scenario to be under way", || async {
            window
                .control_now("Start Found, fixed, ready")
                .await
                .is_none()
        })
        .await;
    window.kill().await;
    let again = Window::open(&home, &Start::default()).await;
    again.press("Ready to merge").await;
    again.says("Read orders from JSON as well as CSV").await;
    assert!(again.control_now("Try again").await.is_none());
    again.quit().await;
}

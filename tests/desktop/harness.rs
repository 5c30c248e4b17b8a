//! The harness itself: what is the driver's fault is tried anew, what is the app's never is.

use crate::driver::{Driver, LaunchOptions, NoSession};
use crate::window::AppWindow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A program of some lines of shell.
fn program(folder: &Path, name: &str, lines: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
    file
}

#[tokio::test]
async fn a_driver_that_ends_before_there_is_a_session_is_started_anew() {
    let temp = tempfile::tempdir().unwrap();
    let once = temp.path().join("once");
    let lines = format!(
        "if mkdir '{}' 2>/dev/null; then exit 7; fi\nexec WebKitWebDriver \"$@\"",
        once.display()
    );
    let start = LaunchOptions {
        driver: program(temp.path(), "driver", &lines),
        ..LaunchOptions::default()
    };
    let window = AppWindow::open(&temp.path().join("home"), &start).await;
    assert!(once.exists(), "the first one has ended");
    window.wait_for_text("Try the demo").await;
    window.quit().await;
}

#[tokio::test]
async fn an_app_that_ends_is_its_own_fault_and_is_not_tried_again() {
    let temp = tempfile::tempdir().unwrap();
    let start = LaunchOptions {
        app: program(temp.path(), "app", "echo 'no window today' >&2\nexit 3"),
        ..LaunchOptions::default()
    };
    let mut driver = Driver::start(&temp.path().join("home"), &start);
    match driver.connect().await {
        Err(NoSession::App(told)) => {
            assert!(told.contains("the app has ended"), "{told}");
            assert!(told.contains("no window today"), "{told}");
        }
        Err(NoSession::Driver(told)) => panic!("the driver is blamed: {told}"),
        Ok(_) => panic!("there is a session"),
    }
}

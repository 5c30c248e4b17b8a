//! The overview of all loops, as the first page of the real window.

use crate::fixture::WindowFixture;
use crate::own_account::{allowed_user_config, heading_xpath, open, sign_in, turn_on};
use crate::window::{AppWindow, WAIT};
use collie_testkit::repository::PullContent;
use fantoccini::key::Key;

/// A check that lets the first pull request pass, and sends the second to a person.
const SECOND_FAILS: &str = "test ! -e app2.js";

/// A tile that counts so many.
fn tile_xpath(name: &str, count: u32) -> String {
    format!("//button[@aria-pressed][starts-with(normalize-space(.), '{name} {count}')]")
}

/// How wide the page is, in pixels of its own.
async fn inner_width(window: &AppWindow) -> i64 {
    let width = window.client.execute("return innerWidth", Vec::new()).await;
    width.unwrap().as_i64().unwrap()
}

#[tokio::test]
async fn the_overview_counts_filters_and_tells_what_would_be_done_to_several() {
    let pulls = [
        ("Count the list", PullContent::Clean),
        ("Sum it up", PullContent::Clean),
    ];
    let fixture = WindowFixture::new(SECOND_FAILS, &pulls).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    turn_on(&window).await;
    window.press("Overview").await;
    window.find(&tile_xpath("Ready to merge", 1)).await;
    let needs_you = window.find(&tile_xpath("Needs you", 1)).await;
    window.find_row("Count the list").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());

    // A tile lists what it counts.
    needs_you.click().await.unwrap();
    window.find(&heading_xpath("Needs you")).await;
    window.find_row("Sum it up").await;
    assert!(!window.page_text().await.contains("Count the list"));
    window.keys("0").await;
    window.find(&heading_xpath("Overview")).await;
    window.find_row("Count the list").await;

    // The first line is the one that needs somebody.
    window.keys("j").await;
    window.keys("x").await;
    window.wait_for_text("1 selected").await;
    window.press("Retry 1").await;
    window
        .find("//*[@role='dialog'][contains(., 'Retry 1 run?')][contains(., 'octo/app#2')]")
        .await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.key(Key::Escape).await;

    // The palette leads from anywhere to a pull request.
    let palette = format!("{}k{}", char::from(Key::Control), char::from(Key::Null));
    window.keys(&palette).await;
    window.find("//input[@role='combobox']").await;
    window.keys("count list").await;
    window
        .find("//*[@role='option'][@aria-selected='true'][starts-with(., 'Count the list')]")
        .await;
    window.key(Key::Enter).await;
    window.find(&heading_xpath("Count the list")).await;
    window.wait_for_enabled("Merge…").await;

    // Twice as large, everything is still there: the page has half the room.
    let before = inner_width(&window).await;
    let larger = format!(
        "{}++++++{}",
        char::from(Key::Control),
        char::from(Key::Null)
    );
    window.keys(&larger).await;
    WAIT.until("the window to be zoomed", async || {
        inner_width(&window).await * 2 <= before
    })
    .await;
    window.find(&heading_xpath("Count the list")).await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    let usual = format!("{}0{}", char::from(Key::Control), char::from(Key::Null));
    window.keys(&usual).await;
    WAIT.until("the usual size", async || {
        inner_width(&window).await == before
    })
    .await;
    window.quit().await;
}

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

/// The heading of a group that has so many lines.
fn group_xpath(name: &str, count: u32) -> String {
    format!("//button[@aria-expanded][normalize-space(.)='{name} {count}']")
}

#[tokio::test]
async fn what_is_not_started_is_listed_in_the_overview_and_started_there_one_and_several() {
    let pulls = [
        ("Count the list", PullContent::Clean),
        ("Sum it up", PullContent::Clean),
        ("Show the mean", PullContent::Clean),
    ];
    let fixture = WindowFixture::new("true", &pulls).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    window.press("Overview").await;
    window.find(&group_xpath("Not started", 3)).await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.press("Start a loop for Count the list").await;
    window.find(&group_xpath("Ready to merge", 1)).await;
    window.find(&group_xpath("Not started", 2)).await;

    // The search is that of loops.
    window.keys("/").await;
    window.keys("mean").await;
    window.find(&group_xpath("Not started", 1)).await;
    window.key(Key::Escape).await;
    window.find(&group_xpath("Not started", 2)).await;
    window.press("Select Sum it up").await;
    window.press("Select Show the mean").await;
    window.wait_for_text("2 selected").await;
    window.press("Start 2").await;
    let confirm = "//*[@role='dialog'][contains(., 'Start 2 loops?')]//button[.='Start 2']";
    window.find(confirm).await.click().await.unwrap();
    window.find(&group_xpath("Ready to merge", 3)).await;
    assert!(!window.page_text().await.contains("Not started"));
    window.quit().await;
}

#[tokio::test]
async fn everything_is_paused_from_the_overview_and_continues_there() {
    let fixture = WindowFixture::new("true", &[("Count the list", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    window.press("Overview").await;
    window.press("Pause everything").await;
    window.wait_for_text("Everything is paused").await;
    window.press("Start a loop for Count the list").await;
    // Nothing is reviewed or written meanwhile, and the line says why.
    window.find(&group_xpath("Waiting", 1)).await;
    window.wait_for_text("Everything is paused, by @").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    let comments = fixture.repo_get("/issues/1/comments").await;
    assert_eq!(comments, serde_json::json!([]));
    window.press("Continue").await;
    window.find(&group_xpath("Ready to merge", 1)).await;
    assert!(!window.page_text().await.contains("Everything is paused"));
    window.quit().await;
}

#[tokio::test]
async fn a_window_of_480_pixels_shows_everything_and_scrolls_no_way_but_down() {
    let fixture = WindowFixture::new("true", &[("Count the list", PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    window.press("Overview").await;
    window.find_row("Count the list").await;
    window.client.set_window_size(480, 700).await.unwrap();
    WAIT.until("a narrow window", async || {
        match inner_width(&window).await {
            width if width <= 480 => Ok(()),
            width => Err(width),
        }
    })
    .await;
    window.find_row("Count the list").await;
    let overflow = "return document.documentElement.scrollWidth - innerWidth";
    assert_eq!(window.script(overflow).await.as_i64(), Some(0));
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.quit().await;
}

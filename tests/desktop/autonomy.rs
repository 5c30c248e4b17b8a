//! How far Collie goes by itself, as a person sets it in the window (§13.7).

use crate::fixture::WindowFixture;
use crate::own_account::{allowed_user_config, open, open_card, sign_in, start};
use crate::window::AppWindow;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;

const TITLE: &str = "Count the list";
const OTHER: &str = "Sum it up";

/// What Collie has said on the forge, whoever reads it.
async fn said(fixture: &WindowFixture, number: u64) -> usize {
    let mut count = 0;
    for place in ["issues", "pulls"] {
        let list = fixture
            .repo_get(&format!("/{place}/{number}/comments"))
            .await;
        let own = list.as_array().unwrap().iter();
        count += own.filter(|one| one["user"]["login"] == COLLIE).count();
    }
    count
}

/// Whether a loop was made for it.
async fn has_loop(window: &AppWindow, title: &str) -> bool {
    let start = format!("Start a loop for {title}");
    window.try_find_control(&start).await.is_none()
}

#[tokio::test]
async fn nothing_starts_before_the_sheet_is_confirmed_and_a_push_is_approved_on_its_commit() {
    let pulls = [(TITLE, PullContent::Faulty), (OTHER, PullContent::Clean)];
    let fixture = WindowFixture::new("true", &pulls).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    window
        .find_control(&format!("Start a loop for {OTHER}"))
        .await;
    window.press("Auto-PR-Review").await;
    window
        .wait_for_text("2 pull requests match; 2 start now.")
        .await;
    window.press("Observe").await;
    window.press(&format!("#2 {OTHER}")).await;
    window
        .wait_for_text("2 pull requests match; 1 starts now.")
        .await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    assert!(!has_loop(&window, TITLE).await && !has_loop(&window, OTHER).await);
    window.press("Turn on").await;
    window
        .wait_until("the sheet to be gone", || async {
            window.try_find_control("Turn on").await.is_none()
        })
        .await;

    open_card(&window, TITLE).await;
    window.wait_for_text("held back").await;
    window.wait_for_text("What it would have posted").await;
    let head = fixture.head_sha(1).await;
    assert_eq!(said(&fixture, 1).await, 0);
    assert!(!has_loop(&window, OTHER).await, "it was left out");

    // Raised, it posts; the push waits for its approval.
    let menu = "//section//button[@aria-haspopup='menu'][contains(., 'Autonomy: observe')]";
    window.press_at(menu).await;
    let ask = "//*[@role='menuitemradio'][contains(., 'Ask')]";
    window.press_at(ask).await;
    window.press("Approve push…").await;
    assert_eq!(fixture.head_sha(1).await, head);
    window.press("Push").await;
    window.wait_for_enabled("Merge…").await;
    assert_ne!(fixture.head_sha(1).await, head);
    assert!(said(&fixture, 1).await > 0);
    window.quit().await;
}

#[tokio::test]
async fn a_rejected_push_is_not_made_and_the_card_says_why() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Faulty)]).await;
    let config = format!("{}autonomy = \"ask\"\n", allowed_user_config(""));
    let home = fixture.write_config(&config);
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    let head = fixture.head_sha(1).await;
    window.press("Reject…").await;
    let note = "//textarea[@id=//label[normalize-space(.)='What should be different?']/@for]";
    let field = window.find(note).await;
    field.send_keys("Keep the statement").await.unwrap();
    window.press("Reject").await;
    // The rules cannot read it: a person has to go on.
    window.wait_for_enabled("Retry…").await;
    assert!(window.try_find_control("Approve push…").await.is_none());
    let page = window.script("return document.body.textContent").await;
    let page = page.as_str().unwrap_or_default();
    assert!(
        !page.contains("push_rejected"),
        "a code on the card: {page}"
    );
    window.press("Timeline").await;
    window.wait_for_text("Keep the statement").await;
    assert_eq!(fixture.head_sha(1).await, head);
    window.quit().await;
}

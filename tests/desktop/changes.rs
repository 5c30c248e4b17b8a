//! What Collie changed, as the window shows it.

use crate::fixture::WindowFixture;
use crate::own_account::{allowed_user_config, open, open_card, sign_in, start};
use collie_testkit::repository::PullContent;
use fantoccini::key::Key;

const TITLE: &str = "Count the list";
const TABLE: &str = "//*[@role='table'][starts-with(@aria-label, 'Lines of')]";

#[tokio::test]
async fn what_was_pushed_is_shown_line_by_line_beside_its_finding_by_keyboard_alone() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Faulty)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    window.wait_for_enabled("Merge…").await;

    // The merge dialog tells how much it is, and leads there.
    window.press("Merge…").await;
    // Behind the dialog the proof says the same.
    let sum = "//*[@role='dialog']//button[.='Collie changed 1 file']";
    window.find(sum).await;
    window.tab_to("Collie changed 1 file").await;
    window.key(Key::Enter).await;
    window.find(TABLE).await;
    let removed = "//*[@role='row'][.//*[contains(., 'debugger;')]]";
    window.find(&format!("{TABLE}{removed}")).await;
    let heading = format!("{TABLE}//*[@role='row'][contains(., 'P2')]//button");
    window.find(&heading).await;

    window.keys("f").await;
    window.find_control("Back beside the list (f)").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.key(Key::Escape).await;
    window.find_control("Whole window (f)").await;

    // From the hunk to its finding.
    window.find(&heading).await.click().await.unwrap();
    let opened = "//button[@aria-expanded='true'][contains(., 'debugger')]";
    window.find(opened).await;
    window.keys("d").await;
    window.find(TABLE).await;
    window.keys("d").await;
    window
        .find("//*[@role='tab'][@aria-selected='true'][.='Progress']")
        .await;
    window.quit().await;
}

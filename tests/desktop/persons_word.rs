//! What a person says of a finding, in the window.

use crate::fixture::WindowFixture;
use crate::own_account::{allowed_user_config, open, open_card, sign_in, start};
use collie_testkit::repository::PullContent;

const TITLE: &str = "Show how the key is read";

#[tokio::test]
async fn a_finding_that_stopped_a_run_is_dismissed_and_the_run_goes_on_to_ready() {
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Unfixable)]).await;
    let home = fixture.write_config(&allowed_user_config(""));
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    window.wait_for_text("Manual intervention required").await;

    window.press("Dismiss and resume…").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.fill("Reason", "A key of the example").await;
    window.press("Dismiss and resume").await;

    window.wait_for_enabled("Merge…").await;
    window.wait_for_text("1 finding dismissed").await;
    window.press("1 finding was dismissed by a person").await;
    window
        .wait_for_text("dismissed it: A key of the example")
        .await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    assert_eq!(window.page_errors(), Vec::<String>::new());
    window.quit().await;
}

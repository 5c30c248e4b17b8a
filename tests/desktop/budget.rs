//! What a pull request may spend: what waits for it, where the limit is raised, and what it has cost, in the window (§15).

use crate::fixture::WindowFixture;
use crate::own_account::{allowed_user_config, open, open_card, sign_in, start};
use collie_fake_llm::{FakeLlm, Reply};
use collie_testkit::git::write_files;
use collie_testkit::repository::PullContent;
use serde_json::json;

const TITLE: &str = "Count the list";

/// A dollar a thousand tokens in, and two out: the one answer of the model costs $1.40.
const PRICES: &str = r#"
[[price]]
provider = "compatible"
model = "scripted"
input = 1_000_000_000
output = 2_000_000_000
looked_up = "2026-11-24"
source = "this test"
"#;

#[tokio::test]
async fn a_loop_waits_for_its_budget_the_limit_is_raised_from_its_card_and_it_continues() {
    let model = FakeLlm::serve(|_| {
        let review = json!({
            "conclusion": "approve", "findings": [], "earlier": [], "escalations": [],
            "fullReport": "It counts what it says.",
        });
        Reply::text(review.to_string()).with_usage(1_000, 0, 200)
    })
    .await;
    let fixture = WindowFixture::new("true", &[(TITLE, PullContent::Clean)]).await;
    let home = fixture.write_config(&allowed_user_config(&format!(
        "[budget]\nper_pull_request_usd = 2\n[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\nmax_tokens = 1000\n",
        model.url()
    )));
    write_files(&home, &[("prices.toml", PRICES.to_owned())]);
    let window = open(&home).await;
    sign_in(&window).await;
    start(&window, TITLE).await;
    open_card(&window, TITLE).await;
    window
        .wait_for_text("This pull request’s budget does not pay for the next question: $0.00 of $2.00 are spent")
        .await;
    assert_eq!(model.requests().len(), 0, "it was not asked");
    assert_eq!(window.axe_violations().await, Vec::<String>::new());

    window.press("Raise the limit…").await;
    window.wait_for_text("$0.00").await;
    let limit = window
        .find("//input[@id='setting-budget.per_pull_request_usd']")
        .await;
    limit.clear().await.unwrap();
    limit.send_keys("1000").await.unwrap();
    window.press("Save").await;
    window.wait_for_text("Settings saved").await;
    window.press("Close settings").await;

    // Nobody has to start it again: it continues, and what it cost is told where it is looked for.
    window.wait_for_enabled("Merge…").await;
    assert_eq!(model.requests().len(), 1);
    window.wait_for_text("$1.40").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    window.press("Overview").await;
    let tile = "//button[contains(., 'Spent today') and contains(., '$1.40')]";
    window.find(tile).await;
    window.quit().await;
}

//! From a token to the overview, before anything starts (§13.5, §13.7).

use crate::fixture::{REPO, WindowFixture};
use crate::own_account::{heading_xpath, open};
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use serde_json::Value;

/// What the forge was asked to write, by its own count.
fn writes(counts: &Value) -> Vec<String> {
    let names = |kind: &str| -> Vec<String> {
        let counted = counts[kind].as_object().cloned().unwrap_or_default();
        counted.keys().cloned().collect()
    };
    let is_write = |route: &String| {
        !(route.starts_with("GET ")
            || route.starts_with("HEAD ")
            || route.ends_with("/graphql")
            || route.ends_with("git-upload-pack")
            || route.contains("/_forge/"))
    };
    let mut found: Vec<String> = names("routes").into_iter().filter(is_write).collect();
    let mutations = names("graphql").into_iter();
    found.extend(mutations.filter(|operation| operation.starts_with("mutation")));
    found
}

#[tokio::test]
async fn a_token_leads_past_what_collie_may_do_and_its_level_to_the_overview_and_nothing_is_written()
 {
    let fixture = WindowFixture::new("true", &[("Sum it up", PullContent::Faulty)]).await;
    let home = fixture.write_config("");
    fixture.reset_request_counts().await;
    let window = open(&home).await;
    window
        .wait_for_text(&format!("Continue as @{COLLIE}"))
        .await;
    window.press("Continue").await;
    window.wait_for_text("Before anything starts").await;
    window.wait_for_text("Collie never").await;
    window.wait_for_text("price unknown").await;
    assert_eq!(window.axe_violations().await, Vec::<String>::new());
    // Who leaves in the middle comes back to the same place, with what was chosen.
    window.press("Ask").await;
    window.find_control("Continue with Ask").await;
    window.quit().await;
    let window = open(&home).await;
    window.wait_for_text("Before anything starts").await;
    window.press("Continue with Ask").await;
    window.press(&format!("Allow @{COLLIE}")).await;
    window.wait_for_text("Choose repositories").await;
    window.press(REPO).await;
    window.press("Add 1 repository").await;
    window.find(&heading_xpath("Overview")).await;
    let config = std::fs::read_to_string(home.join("config.toml")).unwrap();
    assert!(config.contains("new_repositories = \"ask\""), "{config}");
    assert!(config.contains("autonomy = \"ask\""), "{config}");
    let counts = fixture.request_counts().await;
    assert_eq!(writes(&counts), Vec::<String>::new());
    window.quit().await;
}

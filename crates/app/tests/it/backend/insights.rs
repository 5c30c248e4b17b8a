//! What runs came to, as the page asks for it.

use crate::backend::fixture::{BackendFixture, pull_key};
use collie_core::insights::InsightsRange;
use collie_testkit::repository::PullContent;
use collie_wire::rpc::Command;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_ready_and_how_it_ended_is_counted_in_its_repository_alone() {
    let fixture = BackendFixture::new(&[PullContent::Clean, PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    let ask = async |only: Option<String>| {
        let range = InsightsRange::Days { days: 7 };
        client.run_command(Command::Insights { range, only }).await
    };
    let nothing = ask(None).await;
    assert_eq!(
        (&nothing["first_day"], &nothing["totals"]["ready"]),
        (&json!(null), &json!(0))
    );
    for number in [1, 2] {
        client.start_loop(number).await;
        client.wait_for_state(number, "pr_ready_to_merge").await;
    }
    client
        .run_command(Command::Cancel { key: pull_key(1) })
        .await;
    client.wait_for_state(1, "cancelled").await;
    let figures = ask(None).await;
    let totals = &figures["totals"];
    assert_eq!(
        (&totals["ready"], &totals["ended"]),
        (&json!(2), &json!(1)),
        "{figures:#}"
    );
    assert_eq!(totals["time_to_ready"]["count"], 2);
    assert_eq!(figures["ends"], json!([{ "end": "cancelled", "count": 1 }]));
    assert_eq!(figures["unit"], "day");
    assert_eq!(
        figures["periods"][6]["ready"], 2,
        "today is the last of seven"
    );
    let key = pull_key(1);
    let (repo, _) = key.split_once('#').unwrap();
    assert_eq!(figures["all_repositories"], json!([repo]));
    assert_eq!(ask(Some(repo.to_owned())).await["totals"], *totals);
    let other = ask(Some("acme/other".into())).await;
    assert_eq!(other["totals"]["ready"], 0);
    assert_eq!(other["all_repositories"], json!([repo]), "one may go back");
    let range = InsightsRange::All;
    let only = Some("no repository".to_owned());
    client.run_refused(Command::Insights { range, only }).await;
    client.backend.close().await;
}

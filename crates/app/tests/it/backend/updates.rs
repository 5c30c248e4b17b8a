//! What the backend tells of loops without being asked.

use crate::backend::fixture::{BackendFixture, TestClient, pull_key};
use collie_fake_llm::{FakeLlm, Reply};
use collie_testkit::repository::PullContent;
use collie_testkit::wait::wait_until;
use collie_wire::rpc::{Command, Topic, Update};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What was told of a loop, in order.
fn loop_updates(client: &TestClient, key: &str) -> Vec<Map<String, Value>> {
    let told = client.updates.lock().unwrap();
    told.iter()
        .filter_map(|update| match update {
            Update::Loop { key: of, changed } if of == key => Some(changed.clone()),
            _ => None,
        })
        .collect()
}

/// Applies what was told of a loop to nothing; every piece has to say something new.
fn merged_view(client: &TestClient, key: &str) -> Map<String, Value> {
    let mut whole = Map::new();
    for changed in loop_updates(client, key) {
        let new = changed
            .iter()
            .filter(|(name, value)| *name != "elapsed_ms" && whole.get(*name) != Some(*value))
            .count();
        let old = changed.len() - usize::from(changed.contains_key("elapsed_ms")) - new;
        assert!(new > 0, "nothing new: {changed:?}");
        assert_eq!(old, 0, "told twice: {changed:?}");
        whole.extend(changed);
    }
    whole
}

fn without_times(view: &Value) -> Value {
    let mut view = view.clone();
    view.as_object_mut().unwrap().remove("elapsed_ms");
    view
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_is_told_whole_at_first_then_only_what_changed() {
    let fixture = BackendFixture::new(&[PullContent::Faulty, PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.start_loop(2).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    client.wait_for_state(2, "pr_ready_to_merge").await;
    for number in [1, 2] {
        client
            .run_command(Command::Cancel {
                key: pull_key(number),
            })
            .await;
        client.wait_for_state(number, "cancelled").await;
    }
    let mut shown = BTreeMap::new();
    for number in [1, 2] {
        let key = pull_key(number);
        // What ends after the cancel is told as well; the last word is the same.
        client
            .wait_until(
                &format!("the last word on {key}"),
                Command::Loops,
                |loops| {
                    let view = crate::backend::fixture::find_entry(loops, "key", &key);
                    let together = Value::Object(merged_view(&client, &key));
                    without_times(&view) == without_times(&together)
                },
            )
            .await;
        shown.insert(key.clone(), client.loop_view(&key).await);
    }
    for (key, view) in shown {
        let told = loop_updates(&client, &key);
        assert_eq!(
            told[0].keys().collect::<Vec<_>>(),
            view.as_object().unwrap().keys().collect::<Vec<_>>()
        );
        assert!(told.len() > 3, "{told:#?}");
        for later in &told[1..] {
            assert!(
                !later.contains_key("url") && !later.contains_key("key"),
                "{later:?}"
            );
        }
        let told = client.updates.lock().unwrap().clone();
        let timeline = Topic::Timeline(key);
        let stale = told.iter().any(|update| match update {
            Update::Stale { topics } => topics.contains(&timeline),
            _ => false,
        });
        assert!(stale, "its timeline grew");
    }
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_language_makes_everything_stale_and_blockers_speak_it() {
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("open");
    let check = format!("while [ ! -e {} ]; do sleep 0.1; done", gate.display());
    let fixture = BackendFixture::with_check(&check, &[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    let blocked = |loops: &Value| loops[0]["blocker"]["code"] == "checks_running";
    let english = client
        .wait_until("running checks", Command::Loops, blocked)
        .await;
    client.updates.lock().unwrap().clear();
    let changes = BTreeMap::from([("language".to_owned(), json!("fr"))]);
    assert_eq!(
        client.run_command(Command::SaveSettings { changes }).await,
        json!([])
    );
    client
        .wait_for_updates("everything stale", |told| {
            told.iter().any(|update| {
                matches!(update, Update::Stale { topics } if topics.contains(&Topic::Everything))
            })
        })
        .await;
    assert_eq!(client.session().await["language"], "fr");
    let french = client.run_command(Command::Loops).await;
    let text = |loops: &Value| loops[0]["blocker"]["text"].as_str().unwrap().to_owned();
    assert_ne!(text(&french), text(&english));
    assert!(text(&french).contains("vérification"), "{}", text(&french));
    // What is refused from now on is refused in French.
    let error = client
        .run_refused(Command::Start {
            key: "?".to_owned(),
        })
        .await;
    assert!(
        error.message.contains("n’est") || error.message.contains('«'),
        "{}",
        error.message
    );
    std::fs::write(&gate, "").unwrap();
    client.wait_for_state(1, "pr_ready_to_merge").await;
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_set_up_has_this_machine_looked_at_again() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.updates.lock().unwrap().clear();
    let changes = BTreeMap::from([
        ("llm.provider".to_owned(), json!("ollama")),
        ("llm.model".to_owned(), json!("m")),
    ]);
    assert_eq!(
        client.run_command(Command::SaveSettings { changes }).await,
        json!([])
    );
    client
        .wait_for_updates("the doctor's lines stale", |told| {
            told.iter().any(|update| {
                matches!(update, Update::Stale { topics } if topics.contains(&Topic::Doctor))
            })
        })
        .await;
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_works_on_a_loop_is_reported_while_it_lasts() {
    let model = FakeLlm::serve(|_| Reply::hang_after("I begin to wri")).await;
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let settings = format!(
        "[llm]\nprovider = \"compatible\"\nmodel = \"scripted\"\nurl = \"{}\"\n",
        model.url()
    );
    let client = fixture.open_signed_in(&settings).await;
    client.start_loop(1).await;
    let writes = |workers: &Value| {
        let text = workers[0]["text"].as_str().unwrap_or_default();
        text.contains("Writing its answer")
    };
    let shown = client
        .wait_until("a model that writes", Command::Activities, |all| {
            writes(&all[0]["workers"])
        })
        .await;
    assert_eq!(shown[0]["key"], json!(pull_key(1)));
    let worker = &shown[0]["workers"][0];
    assert_eq!(worker["name"], json!("quinn"));
    assert_eq!(worker["runs_on"], json!("compatible/scripted"));
    let before = worker["recent"].as_array().unwrap().len();
    assert_eq!(before, 2, "it gathered and was asked: {worker}");
    let cancel = Command::Cancel { key: pull_key(1) };
    client.run_command(cancel).await;
    client
        .wait_until("nobody at work", Command::Activities, |all| {
            *all == json!([])
        })
        .await;
    // Updates come in batches, a moment after what they tell.
    let told = wait_until("the update that tells it", async || {
        let updates = client.updates.lock().unwrap();
        let told: Vec<_> = updates
            .iter()
            .filter_map(|update| match update {
                Update::Activity(view) => Some(view.clone()),
                _ => None,
            })
            .collect();
        let is_idle = told.last().is_some_and(|view| view.workers.is_empty());
        is_idle.then_some(told).ok_or("somebody at work")
    })
    .await;
    assert!(
        told.iter()
            .any(|view| view.key == pull_key(1) && writes(&json!(view.workers)))
    );
}

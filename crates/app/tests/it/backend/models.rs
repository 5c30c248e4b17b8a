//! Keys, lists and tests of language models through the backend, on a real server that insists on its maker's form.

use crate::backend::fixture::{
    TestClient, as_value, assert_problem, log_folder, log_text, no_keychain,
};
use collie_app::auth::keychain::Keychain;
use collie_fake_llm::{FakeLlm, ReceivedRequest, Reply, RunningFakeLlm, Service};
use collie_testkit::wait::wait_until;
use collie_wire::rpc::{Command, Topic, Update};
use keyring_core::api::CredentialStoreApi;
use keyring_core::{CredentialStore, Error, mock};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// A key that no answer, file or log may hold.
const KEY: &str = "key-Zebrafink-of-a-person";

type Changes = BTreeMap<String, Value>;

/// A backend without an account, on a keychain.
struct Desk {
    folder: TempDir,
    client: TestClient,
    store: Arc<mock::Store>,
}

impl Desk {
    async fn new(environment: &'static [(&'static str, &'static str)]) -> Self {
        let store = mock::Store::new().unwrap();
        let kept: Arc<CredentialStore> = store.clone();
        let open = move || Ok(kept.clone());
        let keychain = Keychain::with_store(Arc::new(open), Duration::from_secs(20));
        Self::on(store, keychain, environment).await
    }

    async fn on(
        store: Arc<mock::Store>,
        keychain: Keychain,
        environment: &'static [(&'static str, &'static str)],
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let variable = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let home = folder.path().join("home");
        let client = TestClient::open_with(&home, Arc::new(variable), keychain).await;
        Self {
            folder,
            client,
            store,
        }
    }

    /// Makes the next call of the keychain on an entry fail.
    fn fail_next(&self, entry: &str, error: Error) {
        let entry = self.store.build("collie", entry, None).unwrap();
        let credential: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        credential.set_error(error);
    }

    async fn key(&self, changes: &Changes) -> Value {
        let answer = self.client.run_command(ask_key(changes)).await;
        assert!(!answer.to_string().contains(KEY), "{answer}");
        answer
    }

    async fn set_key(&self, changes: &Changes, secret: &str) -> Value {
        let set = Command::SetModelKey {
            table: "llm".into(),
            changes: changes.clone(),
            secret: secret.into(),
        };
        match self.client.backend.run(set).await {
            Ok(answer) => answer,
            Err(error) => as_value(&error),
        }
    }
}

fn ask_key(changes: &Changes) -> Command {
    Command::ModelKey {
        table: "llm".into(),
        changes: changes.clone(),
    }
}

fn test_of(changes: &Changes) -> Command {
    Command::TestModel {
        table: "llm".into(),
        changes: changes.clone(),
    }
}

/// What a person chose and has not saved: a model of the service.
fn chosen(provider: &str, model: &str, fake: &RunningFakeLlm) -> Changes {
    let url = fake.root();
    let all = json!({"llm.provider": provider, "llm.model": model, "llm.url": url});
    let mut all: Changes = serde_json::from_value(all).unwrap();
    all.retain(|_, value| value != "");
    all
}

fn ok(_: &ReceivedRequest) -> Reply {
    Reply::json(&json!({"ok": true})).with_usage(1_000, 0, 100)
}

async fn anthropic() -> RunningFakeLlm {
    let page = json!({"data": [
        {"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5", "created_at": "2026-01-01T00:00:00Z"}],
        "has_more": false, "first_id": "a", "last_id": "b"});
    let service = Service::anthropic().with_key(KEY).with_list([page]);
    FakeLlm::serve_as(service, ok).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typed_key_is_kept_used_and_never_told() {
    let desk = Desk::new(&[]).await;
    log_folder();
    let fake = anthropic().await;
    let changes = chosen("anthropic", "claude-opus-5-5", &fake);
    let host = fake.root().replace("http://", "");
    let before = desk.key(&changes).await;
    assert_eq!(before["host"], host);
    assert_eq!(
        (&before["source"], &before["stored"]),
        (&json!("unneeded"), &json!(false))
    );
    // A service of this machine may need no key; this one does.
    let refused = desk.client.run_refused(test_of(&changes)).await;
    assert_eq!(as_value(&refused)["code"], "llm_unauthorized");
    assert_eq!(
        desk.set_key(&changes, &format!(" {KEY}\n")).await,
        Value::Null
    );
    let kept = desk.key(&changes).await;
    assert_eq!(
        (&kept["source"], &kept["stored"]),
        (&json!("keychain"), &json!(true))
    );
    let tested = desk.client.run_command(test_of(&changes)).await;
    assert_eq!(tested["model"], "anthropic/claude-opus-5-5");
    assert_eq!(
        (&tested["input_tokens"], &tested["output_tokens"]),
        (&json!(1_000), &json!(100))
    );
    assert_eq!(tested["cost_usd"], json!(0.006));
    assert!(tested["latency_ms"].is_u64());
    let listed = desk
        .client
        .run_command(Command::ListModels {
            table: "llm".into(),
            changes: chosen("anthropic", "", &fake),
        })
        .await;
    assert_eq!(listed[0]["name"], "claude-opus-5-5");
    assert_eq!(listed[0]["title"], "Claude Opus 5.5");
    // A key goes to the host that it was typed for, and to no other.
    let other = anthropic().await;
    let elsewhere = desk
        .key(&chosen("anthropic", "claude-opus-5-5", &other))
        .await;
    assert_eq!(elsewhere["stored"], false);
    let removed = Command::RemoveModelKey {
        table: "llm".into(),
        changes: changes.clone(),
    };
    desk.client.run_command(removed.clone()).await;
    desk.client.run_command(removed).await;
    assert_eq!(desk.key(&changes).await["stored"], false);
    let stale = |updates: &[Update]| {
        updates.iter().any(
            |update| matches!(update, Update::Stale { topics } if topics.contains(&Topic::ModelKeys)),
        )
    };
    desk.client.wait_for_updates("keys are stale", stale).await;
    let told = format!("{:?}", desk.client.updates.lock().unwrap());
    assert!(!told.contains(KEY));
    desk.client.backend.close().await;
    for file in files_below(desk.folder.path()) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains(KEY), "the key is in {}", file.display());
    }
    assert!(!log_text().contains(KEY), "the key is in the log");
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false => found.push(path),
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_key_is_refused_and_not_said_back() {
    let desk = Desk::new(&[]).await;
    let fake = anthropic().await;
    let mut changes = chosen("anthropic", "claude-opus-5-5", &fake);
    for typed in [
        "",
        "   ",
        "key-Zebrafink\nkey-of-another",
        "key Zebrafink",
        "clé-Zebrafink",
    ] {
        let refused = desk.set_key(&changes, typed).await;
        assert_eq!(refused["code"], "llm_key_shape", "{typed:?}");
        assert!(!refused.to_string().contains("Zebrafink"), "{refused}");
        assert_eq!(desk.key(&changes).await["stored"], false);
    }
    // Where the settings say that the key is elsewhere, none is kept that nobody would use.
    changes.insert("llm.key_variable".into(), json!("TEAM_KEY"));
    assert_eq!(desk.key(&changes).await["editable"], false);
    let refused = desk.set_key(&changes, KEY).await;
    assert_problem(&refused, "llm_key_named");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keychain_that_refuses_or_is_not_there_says_what_else_works() {
    let desk = Desk::new(&[]).await;
    let changes: Changes = BTreeMap::from([("llm.provider".to_owned(), json!("openai"))]);
    let locked = || Error::NoStorageAccess("dismissed".into());
    desk.fail_next("model:openai", locked());
    assert_problem(&desk.set_key(&changes, KEY).await, "keychain_locked");
    desk.fail_next("model:openai", locked());
    let told = desk.key(&changes).await;
    assert_eq!(
        (&told["source"], &told["stored"]),
        (&json!("missing"), &json!(false))
    );
    assert_eq!(told["problem"]["is_absent"], false);
    assert!(
        told["problem"]["hints"][0]
            .as_str()
            .unwrap()
            .contains("key_command")
    );

    let headless = Desk::on(mock::Store::new().unwrap(), no_keychain(), &[]).await;
    let told = headless.key(&changes).await;
    assert_eq!(
        (&told["source"], &told["problem"]["is_absent"]),
        (&json!("missing"), &json!(true))
    );
    assert_eq!(told["variables"], json!(["OPENAI_API_KEY", "LLM_API_KEY"]));
    assert!(
        told["problem"]["hints"][0]
            .as_str()
            .unwrap()
            .contains("environment variable")
    );
    assert_problem(&headless.set_key(&changes, KEY).await, "no_keychain");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_comes_before_the_keychain_and_a_program_before_both() {
    let desk = Desk::new(&[("ANTHROPIC_API_KEY", "key-of-the-environment")]).await;
    let fake = anthropic().await;
    let mut changes = chosen("anthropic", "claude-opus-5-5", &fake);
    desk.set_key(&changes, KEY).await;
    let key = desk.key(&changes).await;
    let expected = (json!("variable"), json!("ANTHROPIC_API_KEY"), json!(true));
    assert_eq!(
        (
            key["source"].clone(),
            key["name"].clone(),
            key["stored"].clone()
        ),
        expected
    );
    let refused = desk.client.run_refused(test_of(&changes)).await;
    assert_eq!(as_value(&refused)["code"], "llm_unauthorized");
    changes.insert("llm.key_command".into(), json!(["echo", KEY]));
    let key = desk.key(&changes).await;
    assert_eq!(
        (&key["source"], &key["name"]),
        (&json!("command"), &json!("echo"))
    );
    desk.client.run_command(test_of(&changes)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_fails_says_why_and_what_to_do() {
    let desk = Desk::new(&[("LLM_API_KEY", "key-of-another")]).await;
    let fake = anthropic().await;
    let code = async |changes: &Changes| {
        let refused = desk.client.run_refused(test_of(changes)).await;
        assert!(!refused.message.contains("problem-"), "{}", refused.message);
        as_value(&refused)["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        code(&chosen("anthropic", "claude-opus-5-5", &fake)).await,
        "llm_unauthorized"
    );
    assert_eq!(code(&BTreeMap::new()).await, "config_problem");
    let unnamed = BTreeMap::from([("llm.provider".to_owned(), json!("ollama"))]);
    assert_eq!(code(&unnamed).await, "llm_no_model");
    let wrong = BTreeMap::from([
        ("llm.provider".to_owned(), json!("ollama")),
        ("llm.model".to_owned(), json!("m")),
        ("llm.effort".to_owned(), json!("much")),
    ]);
    assert_eq!(code(&wrong).await, "config_problem");
    assert_eq!(fake.request_count(), 1, "what is wrong is not asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_is_given_up_when_another_begins_or_the_page_is_left() {
    let desk = Desk::new(&[]).await;
    let fake = FakeLlm::serve(|asked: &ReceivedRequest| match asked.number {
        1 | 2 => Reply::hang_after("{"),
        _ => ok(asked),
    })
    .await;
    let changes = chosen("compatible", "ours", &fake);
    let run = || {
        let (backend, test) = (desk.client.backend.clone(), test_of(&changes));
        tokio::spawn(async move { backend.run(test).await })
    };
    let asked = async |times: usize| {
        wait_until("it is asked", async || fake.request_count() >= times).await;
    };
    let first = run();
    asked(1).await;
    let second = run();
    let given_up = first.await.unwrap().unwrap_err();
    assert_eq!(as_value(&given_up)["code"], "llm_cancelled");
    asked(2).await;
    desk.client
        .run_command(Command::StopModelTest {
            table: "llm".into(),
        })
        .await;
    let left = second.await.unwrap().unwrap_err();
    assert_eq!(as_value(&left)["code"], "llm_cancelled");
    fake.wait_for_hang_ups(2).await;
    let third = run().await.unwrap().unwrap();
    assert_eq!(
        third["cost_usd"],
        Value::Null,
        "an unknown price is no zero"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_five_hundred_models_comes_whole() {
    let desk = Desk::new(&[]).await;
    let models: Vec<Value> = (0..500)
        .map(|nth| json!({"id": format!("model-{nth:03}"), "object": "model", "max_model_len": 8_192}))
        .collect();
    let page = json!({"object": "list", "data": models});
    let fake = FakeLlm::serve_as(Service::vllm().with_list([page]), ok).await;
    let list = Command::ListModels {
        table: "llm".into(),
        changes: chosen("vllm", "", &fake),
    };
    let listed = desk.client.run_command(list).await;
    assert_eq!(listed.as_array().unwrap().len(), 500);
    assert_eq!(
        listed[499],
        json!({"name": "model-499", "title": null, "context_tokens": 8_192})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reviews_cost_is_told_where_the_price_is_known() {
    let desk = Desk::new(&[]).await;
    let cost = async |changes: Changes| {
        let table = "llm".to_owned();
        let asked = Command::ExpectedCost { table, changes };
        desk.client.backend.run(asked).await.unwrap()
    };
    let fake = anthropic().await;
    let known = cost(chosen("anthropic", "claude-opus-5-5", &fake)).await;
    // 5,759 tokens at 4 dollars a million.
    assert_eq!(known["first"]["usd_least"], json!(0.023036));
    assert_eq!(known["answer_usd"], json!(0.02));
    let unknown = cost(chosen("compatible", "ours", &fake)).await;
    assert_eq!(unknown["first"]["usd_least"], Value::Null);
    assert_eq!(unknown["first"]["tokens_least"], 5_759);
    assert_eq!(cost(Changes::new()).await, unknown);
}

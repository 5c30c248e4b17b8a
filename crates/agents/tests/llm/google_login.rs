//! Vertex AI on a Google login: a token service and a metadata server that speak Google's published forms.

use super::{TEST_TIMEOUT, ignore_progress, impatient_llm, plain_request};
use collie_agents::llm::{GoogleCredentials, GoogleLogin, Llm, LlmFailure, Model, Provider};
use collie_core::user_error::UserError;
use collie_fake_llm::{
    FakeLlm, GoogleAccount, GoogleAnswers, Reply, RunningFakeLlm, RunningGoogle, Service,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const VERTEX: &str = "/v1/projects/ours/locations/europe-west1";

async fn vertex() -> RunningFakeLlm {
    FakeLlm::serve_as(Service::vertex(), |_| Reply::text("Fine.")).await
}

fn login_of(file: &Value) -> GoogleLogin {
    let credentials = GoogleCredentials::from_json(&file.to_string()).expect("a login");
    GoogleLogin::new(credentials, "key.json".into(), |_| ())
}

fn model(vertex: &RunningFakeLlm, login: GoogleLogin) -> Model {
    let mut model = Model::new(Provider::Vertex, "gemini-3.8-flash");
    model.url = Some(format!("{}{VERTEX}", vertex.root()));
    model.login = Some(login);
    model
}

async fn ask(llm: &Llm, model: &Model) -> Result<String, LlmFailure> {
    let cancel = CancellationToken::new();
    let request = plain_request("Well?");
    let asked = llm.complete(model, &request, &ignore_progress, &cancel);
    let answered = asked.await.map_err(|failed| failed.failure)?;
    Ok(answered.text)
}

/// The tokens that the model was asked with.
fn tokens(vertex: &RunningFakeLlm) -> Vec<String> {
    let requests = vertex.requests();
    let keys = requests
        .iter()
        .map(|request| request.key().unwrap_or_default().to_owned());
    keys.collect()
}

#[tokio::test]
async fn each_kind_of_login_gets_a_token_once_and_asks_with_it() {
    let google = RunningGoogle::serve(GoogleAnswers::default()).await;
    let (account, url) = (GoogleAccount::new(), google.token_url());
    let machine = GoogleCredentials::metadata_server(&google.metadata_host()).unwrap();
    for (login, number) in [
        (login_of(&account.key_file(&url)), 1),
        (login_of(&account.user_file(&url)), 2),
        (GoogleLogin::new(machine, "machine".into(), |_| ()), 3),
    ] {
        let (vertex, llm) = (vertex().await, impatient_llm());
        let model = model(&vertex, login);
        assert_eq!(ask(&llm, &model).await.unwrap(), "Fine.");
        assert_eq!(ask(&llm, &model).await.unwrap(), "Fine.");
        let token = format!("ya29.token-{number}");
        assert_eq!(tokens(&vertex), [token.clone(), token]);
    }
    assert_eq!(google.asked(), ["jwt-bearer", "refresh_token", "metadata"]);
}

#[tokio::test]
async fn a_token_that_ends_soon_is_renewed_before_the_next_request() {
    let lifetime = Duration::from_secs(200);
    let answers = GoogleAnswers {
        lifetime,
        ..GoogleAnswers::default()
    };
    let google = RunningGoogle::serve(answers).await;
    let login = login_of(&GoogleAccount::new().key_file(&google.token_url()));
    let (vertex, llm) = (vertex().await, impatient_llm());
    let model = model(&vertex, login);
    ask(&llm, &model).await.unwrap();
    ask(&llm, &model).await.unwrap();
    assert_eq!(tokens(&vertex), ["ya29.token-1", "ya29.token-2"]);
}

#[tokio::test]
async fn a_token_that_the_service_refuses_is_not_used_again() {
    let google = RunningGoogle::serve(GoogleAnswers::default()).await;
    let login = login_of(&GoogleAccount::new().user_file(&google.token_url()));
    let service = Service::vertex().with_key("ya29.token-2");
    let vertex = FakeLlm::serve_as(service, |_| Reply::text("Fine.")).await;
    let (model, llm) = (model(&vertex, login), impatient_llm());
    let refused = ask(&llm, &model).await.unwrap_err();
    assert!(
        matches!(refused, LlmFailure::Unauthorized { .. }),
        "{refused}"
    );
    assert_eq!(ask(&llm, &model).await.unwrap(), "Fine.");
}

#[tokio::test]
async fn what_google_says_of_a_login_is_told_without_what_is_secret() {
    let google = RunningGoogle::serve(GoogleAnswers::default()).await;
    let url = google.token_url();
    let mut revoked = GoogleAccount::new().user_file(&url);
    revoked["refresh_token"] = json!("1//revoked-Zebrafink");
    let mut gone = GoogleAccount::new().key_file(&url);
    gone["client_email"] = json!("gone@ours.iam.gserviceaccount.com");
    for (file, words) in [
        (revoked, "invalid_grant: Token has been expired or revoked."),
        (gone, "invalid_grant: Invalid grant: account not found"),
    ] {
        let vertex = vertex().await;
        let model = model(&vertex, login_of(&file));
        let refused = ask(&impatient_llm(), &model).await.unwrap_err();
        let LlmFailure::LoginRefused {
            origin, service, ..
        } = &refused
        else {
            panic!("{refused}");
        };
        assert_eq!(
            (origin.as_str(), service.as_str()),
            ("key.json", "127.0.0.1")
        );
        let shown = format!("{refused} {:?}", UserError::from(refused.clone()));
        assert!(shown.contains(words), "{shown}");
        assert!(
            !shown.contains("Zebrafink") && !shown.contains("eyJ"),
            "{shown}"
        );
        assert_eq!(vertex.request_count(), 0, "nobody is asked without a token");
    }
}

#[tokio::test]
async fn an_outage_of_the_token_service_is_waited_for_and_then_told() {
    let outage = (503, json!({"error": "temporarily_unavailable"}));
    let answers = |failures| GoogleAnswers {
        failures,
        ..GoogleAnswers::default()
    };
    let google = RunningGoogle::serve(answers(vec![outage.clone(); 2])).await;
    let login = login_of(&GoogleAccount::new().key_file(&google.token_url()));
    let vertex_service = vertex().await;
    let llm = impatient_llm();
    assert_eq!(
        ask(&llm, &model(&vertex_service, login)).await.unwrap(),
        "Fine."
    );
    assert_eq!(google.asked().len(), 3);

    let google = RunningGoogle::serve(answers(vec![outage; 9])).await;
    let login = login_of(&GoogleAccount::new().key_file(&google.token_url()));
    let failed = ask(&llm, &model(&vertex_service, login)).await.unwrap_err();
    assert!(failed.is_transient());
    assert!(
        matches!(failed, LlmFailure::LoginUnanswered { .. }),
        "{failed}"
    );

    let nobody = login_of(&GoogleAccount::new().key_file("http://127.0.0.1:1/token"));
    let model = model(&vertex_service, nobody);
    let asked = ask(&llm, &model);
    let failed = tokio::time::timeout(TEST_TIMEOUT, asked)
        .await
        .unwrap()
        .unwrap_err();
    assert!(
        matches!(failed, LlmFailure::LoginUnanswered { .. }),
        "{failed}"
    );
}

#[tokio::test]
async fn what_is_no_metadata_server_gives_no_token() {
    let answers = GoogleAnswers {
        is_metadata_server: false,
        ..GoogleAnswers::default()
    };
    let google = RunningGoogle::serve(answers).await;
    let machine = GoogleCredentials::metadata_server(&google.metadata_host()).unwrap();
    let login = GoogleLogin::new(machine, "machine".into(), |_| ());
    let vertex = vertex().await;
    let refused = ask(&impatient_llm(), &model(&vertex, login))
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("no metadata server"),
        "{refused}"
    );
    assert_eq!(vertex.request_count(), 0);
}

#[tokio::test]
async fn several_who_wait_for_a_token_ask_for_it_once() {
    let google = RunningGoogle::serve(GoogleAnswers::default()).await;
    let login = login_of(&GoogleAccount::new().key_file(&google.token_url()));
    let (vertex, llm) = (vertex().await, impatient_llm());
    let model = model(&vertex, login);
    let asked = futures::future::join_all((0..5).map(|_| ask(&llm, &model))).await;
    assert!(asked.iter().all(Result::is_ok), "{asked:?}");
    assert_eq!(google.asked(), ["jwt-bearer"]);
}

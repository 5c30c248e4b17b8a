//! `collie models`: lists of a service, and a real question to those that are set up.

use crate::support::*;
use collie_fake_llm::{
    FakeLlm, GoogleAccount, GoogleAnswers, ReceivedRequest, Reply, RunningFakeLlm, RunningGoogle,
    Service,
};
use serde_json::json;

fn service(answer: Reply) -> RunningFakeLlm {
    let list = json!({"object": "list", "data": [
        {"id": "small", "object": "model", "max_model_len": 8_192},
        {"id": "large", "object": "model", "max_model_len": 131_072}]});
    let script = move |_: &_| answer.clone();
    RUNTIME.block_on(FakeLlm::serve_as(Service::vllm().with_list([list]), script))
}

fn answering() -> RunningFakeLlm {
    service(Reply::json(&json!({"ok": true})).with_usage(60, 0, 12))
}

#[test]
fn the_models_of_a_service_are_listed_for_people_and_for_programs() {
    let (model, home) = (answering(), TestHome::with_config(""));
    let flags = ["models", "--provider", "vllm", "--url", &model.root()];
    let told = home.run(&flags);
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert_eq!(
        told.stdout,
        "vllm: 2 models\n  large  131,072 tokens\n  small  8,192 tokens\n"
    );
    let lines = home.run(&[&flags[..], &["--json"]].concat()).json();
    assert_eq!(
        lines,
        [
            json!({"type": "model", "provider": "vllm", "name": "large", "title": null, "context_tokens": 131_072}),
            json!({"type": "model", "provider": "vllm", "name": "small", "title": null, "context_tokens": 8_192}),
        ]
    );
    let french = home.run(&[&flags[..], &["--lang", "fr"]].concat());
    assert!(french.stdout.contains("2 modèles"), "{}", french.stdout);
}

#[test]
fn every_model_that_is_set_up_is_tested_and_one_that_fails_is_the_status() {
    let (good, bad) = (answering(), service(Reply::status(404, "no such model")));
    let config = format!(
        "[llm]\nprovider = \"vllm\"\nmodel = \"large\"\nurl = \"{}\"\nfallback = \"spare\"\n\
         [models.spare]\nprovider = \"llamacpp\"\nmodel = \"gone\"\nurl = \"{}\"\n",
        good.root(),
        bad.root()
    );
    let home = TestHome::with_config(&config);
    let told = home.run(&["models", "test"]);
    assert_eq!(told.status, 1);
    assert!(
        told.stdout.starts_with("vllm/large answers: "),
        "{}",
        told.stdout
    );
    assert!(
        told.stdout
            .ends_with("60 tokens in, 12 out, price unknown\n"),
        "{}",
        told.stdout
    );
    assert!(told.stderr.contains("`gone` (llamacpp"), "{}", told.stderr);
    let lines = home.run(&["models", "test", "--json"]).json();
    assert_eq!(lines[0]["type"], "model_test");
    assert_eq!(lines[0]["cost_usd"], json!(null), "no price is no zero");
    assert_eq!(lines[0]["answered_model"], "large");
    assert_eq!(lines[1]["code"], "llm_model_not_found");
    let asked = good.requests().pop().unwrap();
    assert!(asked.schema.is_some(), "a review asks with a shape too");
}

#[test]
fn what_cannot_be_listed_or_tested_says_what_to_do() {
    let home = TestHome::with_config("");
    let check = |args: &[&str], expect: &str| {
        let told = home.run(args);
        assert_eq!(told.status, 1, "{args:?}");
        assert!(told.stderr.contains(expect), "{args:?}: {}", told.stderr);
    };
    check(&["models"], "No language model is set up");
    check(&["models", "test"], "No language model is set up");
    check(
        &["models", "--provider", "bedrock"],
        "has no list of its models",
    );
    check(
        &["models", "test", "--provider", "openai"],
        "Name it with --model",
    );
    check(&["models", "--provider", "anthropic"], "ANTHROPIC_API_KEY");
    let nowhere = "http://127.0.0.1:1";
    check(
        &["models", "--provider", "ollama", "--url", nowhere],
        "could not be reached",
    );
}

#[test]
fn the_doctor_looks_for_the_key_of_every_model_that_is_named() {
    let config = "[llm]\nprovider = \"openai\"\nmodel = \"gpt-5\"\nfallback = \"spare\"\n\
         [models.spare]\nprovider = \"anthropic\"\nmodel = \"claude-x\"\n\
         [models.local]\nprovider = \"ollama\"\nmodel = \"qwen3\"\n\
         [reviewers.quinn]\nkey_variable = \"QUINN_KEY\"\n\
         [reviewers.priya]\nprovider = \"gemini\"\nmodel = \"gemini-3\"\n\
         [reviewers.sam]\neffort = \"high\"\nkey_command = [\"pass\", \"sam\"]\n";
    let home = TestHome::with_config(config);
    let mut doctor = home.collie(&["doctor", "--json"]);
    let lines = run_to_end(doctor.env("OPENAI_API_KEY", "sk-Zebrafink-0123456789")).json();
    let told: Vec<_> = lines
        .iter()
        .filter(|line| line["name"] == "model")
        .map(|line| {
            (
                line["status"].as_str().unwrap(),
                line["text"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("ok", "gpt-5 (openai)"),
        // She is in no stage.
        (
            "note",
            "[reviewers.priya] gemini-3 (gemini): no key; set GEMINI_API_KEY, LLM_API_KEY, or name a program that prints it as `key_command`: there is no keychain here",
        ),
        (
            "missing",
            "[reviewers.quinn] gpt-5 (openai): no key; `key_variable` names QUINN_KEY, which is not set",
        ),
        // Quinn may ask him in; the program is not run.
        ("ok", "[reviewers.sam] gpt-5 (openai)"),
        ("ok", "[models.local] qwen3 (ollama)"),
        (
            "note",
            "[models.spare] claude-x (anthropic): no key; set ANTHROPIC_API_KEY, LLM_API_KEY, or name a program that prints it as `key_command`: there is no keychain here",
        ),
    ];
    assert_eq!(told, expected);
}

/// One model of a service that answers as its maker publishes.
fn test_with(home: &TestHome, variables: &[(&str, &str)]) -> CommandResult {
    let mut command = home.collie(&["models", "test", "--json"]);
    run_to_end(command.envs(variables.iter().copied()))
}

#[test]
fn vertex_ai_is_asked_on_each_kind_of_google_login() {
    let google = RUNTIME.block_on(RunningGoogle::serve(GoogleAnswers::default()));
    let (account, url) = (GoogleAccount::new(), google.token_url());
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let key_file = write("key.json", account.key_file(&url).to_string());
    let user_file = account.user_file(&url).to_string();
    let user_file = write("gcloud/application_default_credentials.json", user_file);
    let gcloud = user_file.rsplit_once('/').unwrap().0;
    let host = google.metadata_host();
    for (number, (name, value)) in [
        ("GOOGLE_APPLICATION_CREDENTIALS", key_file.as_str()),
        ("GOOGLE_APPLICATION_CREDENTIALS", user_file.as_str()),
        ("CLOUDSDK_CONFIG", gcloud),
        ("GCE_METADATA_HOST", host.as_str()),
    ]
    .into_iter()
    .enumerate()
    {
        let token = format!("ya29.token-{}", number + 1);
        let service = Service::vertex().with_key(token.clone());
        let answer = |_: &_| Reply::json(&json!({"ok": true})).with_usage(60, 0, 12);
        let model = RUNTIME.block_on(FakeLlm::serve_as(service, answer));
        let home = TestHome::with_config(&format!(
            "[llm]\nprovider = \"vertex\"\nmodel = \"gemini-3.8-flash\"\nurl = \"{}/v1/projects/ours/locations/global\"\n",
            model.root()
        ));
        let told = test_with(&home, &[(name, value)]);
        assert_eq!(told.status, 0, "{name}: {}{}", told.stdout, told.stderr);
        assert_eq!(told.json()[0]["type"], "model_test", "{}", told.stdout);
        assert!(!told.stdout.contains(&token) && !told.stderr.contains(&token));
        let asked = model.requests().pop().unwrap();
        let quota = asked.header("x-goog-user-project");
        let is_person = value == user_file || value == gcloud;
        assert_eq!(quota, is_person.then_some("quota-of-ours"), "{name}");
    }
    assert_eq!(
        google.asked(),
        ["jwt-bearer", "refresh_token", "refresh_token", "metadata"]
    );

    let broken = write("broken.json", "{}".to_owned());
    let home = TestHome::with_config(
        "[llm]\nprovider = \"vertex\"\nmodel = \"gemini-3.8-flash\"\nurl = \"http://127.0.0.1:1/v1/projects/ours/locations/global\"\n",
    );
    let told = test_with(&home, &[("GOOGLE_APPLICATION_CREDENTIALS", &broken)]);
    assert_eq!(told.status, 1);
    assert_eq!(
        told.json()[0]["code"],
        "llm_login_unusable",
        "{}",
        told.stdout
    );
    assert!(
        told.stdout
            .contains("gcloud auth application-default login"),
        "{}",
        told.stdout
    );
}

#[test]
fn bedrock_is_asked_with_a_token_that_an_access_key_signed() {
    let signed = |request: &ReceivedRequest| {
        let key = request.key().unwrap_or_default();
        match key.starts_with("bedrock-api-key-") {
            true => Reply::json(&json!({"ok": true})).with_usage(60, 0, 12),
            false => Reply::status(
                403,
                r#"{"Message": "Authentication failed: Please make sure your API Key is valid."}"#,
            ),
        }
    };
    let model = RUNTIME.block_on(FakeLlm::serve_as(Service::bedrock(), signed));
    let home = TestHome::with_config(&format!(
        "[llm]\nprovider = \"bedrock\"\nmodel = \"anthropic.claude-sonnet-4-5-20250929-v1:0\"\nurl = \"{}\"\n",
        model.root()
    ));
    let login = [
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        (
            "AWS_SECRET_ACCESS_KEY",
            "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        ),
        ("AWS_REGION", "eu-central-1"),
    ];
    let told = test_with(&home, &login);
    assert_eq!(told.status, 0, "{}{}", told.stdout, told.stderr);
    assert_eq!(
        told.json()[0]["answered_model"],
        json!(null),
        "Converse does not say it"
    );
    assert!(!told.stdout.contains("bedrock-api-key"), "{}", told.stdout);
    let asked = model.requests().pop().unwrap();
    assert_eq!(
        asked.path,
        "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    );
    let told = test_with(&home, &[("AWS_BEARER_TOKEN_BEDROCK", "stale")]);
    assert_eq!(
        told.json()[0]["code"],
        "llm_unauthorized",
        "{}",
        told.stdout
    );
}

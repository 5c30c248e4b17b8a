//! A GitHub App on the forge, and Collie acting as it (§18.2).

use super::context::TestContext;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use collie_core::ids::Login;
use collie_github::AppCredentials;
use ring::rand::SystemRandom;
use ring::rsa::KeyPair;
use ring::signature::RSA_PKCS1_SHA256;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// An RSA key that is nobody's.
const KEY: &[u8] = include_bytes!("../../../fake-llm/src/google-account.der");

/// An App that was made, by the number that the forge knows it by.
#[derive(Clone, Copy, Debug)]
pub struct TestApp {
    id: u64,
    installation: u64,
}

/// The public part of an App's key, as the forge takes it.
pub fn public_key() -> String {
    let key = KeyPair::from_pkcs8(KEY).expect("a key");
    STANDARD.encode(key.public().as_ref())
}

/// By what an App signs in, now.
fn jwt(app: u64) -> String {
    let key = KeyPair::from_pkcs8(KEY).expect("a key");
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.expect("a clock that goes").as_secs();
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = part(json!({"alg": "RS256", "typ": "JWT"}));
    let claims = part(json!({"iat": now - 60, "exp": now + 300, "iss": app.to_string()}));
    let signed = format!("{head}.{claims}");
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        signed.as_bytes(),
        &mut signature,
    )
    .expect("it signs");
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// The private key of every App of tests.
pub fn pem() -> String {
    let body = STANDARD.encode(KEY);
    let lines: Vec<&str> = (0..body.len())
        .step_by(64)
        .map(|at| &body[at..body.len().min(at + 64)])
        .collect();
    let lines = lines.join("\n");
    format!("-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n")
}

impl TestContext {
    /// Makes an App `collie-app` that is installed at the repository's owner and may write there, and has Collie act as it from the next
    /// start of the engine on. Tokens of its installation are good for so many seconds.
    pub async fn act_as_app(&mut self, token_lifetime_s: i64) -> TestApp {
        let owner = self.repo().split('/').next().unwrap_or_default().to_owned();
        let body = json!({"slug": "collie-app", "owner": owner, "public_key": public_key()});
        let made = self.call("demo", "POST", "/_forge/apps", Some(body)).await;
        let id = made["id"].as_u64().expect("an id");
        let installation = made["installation"].as_u64().expect("an id");
        let app = TestApp { id, installation };
        self.change_app(app, json!({"token_lifetime_s": token_lifetime_s}))
            .await;
        self.change_repository(json!({"roles": {"collie-app[bot]": "member"}}))
            .await;
        self.edit_config(|layer| {
            let allowed = layer.allowed_users.get_or_insert_default();
            allowed.insert(Login::new("collie-app"));
        });
        let credentials = AppCredentials::new(&id.to_string(), Login::new(&owner), &pem().into());
        self.app = Some(credentials.expect("the key is one"));
        app
    }

    /// Suspends an App's installation, takes it away, or changes how long its next tokens are good.
    pub async fn change_app(&self, app: TestApp, change: Value) {
        let path = format!("/_forge/apps/{}", app.id);
        self.call("demo", "PATCH", &path, Some(change)).await;
    }

    /// Asks for a token of an App's installation; the status and what came back.
    pub async fn ask_app_token(&self, app: TestApp, asked: Value) -> (u16, Value) {
        let path = format!("/app/installations/{}/access_tokens", app.installation);
        let url = format!("{}{path}", self.api_url());
        let request = reqwest::Client::new().post(url).json(&asked);
        Self::answered(request.bearer_auth(jwt(app.id))).await
    }

    /// Sends a request with a token, to the REST API or GraphQL; the status and what came back.
    pub async fn with_token(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let method = method.parse().expect("a method");
        let url = format!("{}{path}", self.api_url());
        let mut request = reqwest::Client::new().request(method, url);
        if let Some(body) = body {
            request = request.json(&body);
        }
        Self::answered(request.bearer_auth(token)).await
    }

    /// What GraphQL answers to who has a token.
    pub async fn graphql_with_token(&self, token: &str, query: &str) -> Value {
        let web = self.api_url().replace("/api/v3", "");
        let request = reqwest::Client::new().post(format!("{web}/api/graphql"));
        let request = request.json(&json!({"query": query}));
        Self::answered(request.bearer_auth(token)).await.1
    }

    /// The status of git's first request to fetch from a repository, or to push to it.
    pub async fn git_status(&self, token: &str, repo: &str, service: &str) -> u16 {
        let web = self.api_url().replace("/api/v3", "");
        let url = format!("{web}/{repo}.git/info/refs?service={service}");
        let request = reqwest::Client::new().get(url);
        Self::answered(request.basic_auth("x-access-token", Some(token)))
            .await
            .0
    }

    async fn answered(request: reqwest::RequestBuilder) -> (u16, Value) {
        let request = request.header("user-agent", "test");
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let text = answer.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        (status, body)
    }
}

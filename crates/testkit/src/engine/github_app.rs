//! A GitHub App on the forge, and Collie acting as it (§18.2).

use super::context::TestContext;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_core::ids::Login;
use collie_github::AppCredentials;
use ring::rsa::KeyPair;
use serde_json::{Value, json};

/// An RSA key that is nobody's.
const KEY: &[u8] = include_bytes!("../../../fake-llm/src/google-account.der");

/// An App that was made, by the number that the forge knows it by.
#[derive(Clone, Copy, Debug)]
pub struct TestApp(u64);

fn pem() -> String {
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
        let key = KeyPair::from_pkcs8(KEY).expect("a key");
        let public_key = STANDARD.encode(key.public().as_ref());
        let body = json!({"slug": "collie-app", "owner": owner, "public_key": public_key});
        let made = self.call("demo", "POST", "/_forge/apps", Some(body)).await;
        let id = made["id"].as_u64().expect("an id");
        let app = TestApp(id);
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
    pub async fn change_app(&self, TestApp(id): TestApp, change: Value) {
        let path = format!("/_forge/apps/{id}");
        self.call("demo", "PATCH", &path, Some(change)).await;
    }
}

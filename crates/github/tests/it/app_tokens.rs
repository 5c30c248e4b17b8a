//! A GitHub App in place of a person's token (§18.2), against a server that checks its JWT as GitHub does.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::*;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use collie_core::ids::{Login, Time};
use collie_core::own_accounts::AppProblem;
use collie_engine::ports::{Clock as _, GitHub as _, GitHubError};
use collie_github::{AppCredentials, GitHubClient, GitHubConfig, TokenSource};
use ring::rsa::KeyPair;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// An RSA key that is nobody's.
const KEY: &[u8] = include_bytes!("../../../fake-llm/src/google-account.der");
const NOW: i64 = 1_700_000_000_000;
const HOUR_MS: i64 = 3_600_000;
const APP_ID: &str = "4711";

fn pem() -> String {
    let body = STANDARD.encode(KEY);
    let lines: Vec<&str> = (0..body.len())
        .step_by(64)
        .map(|at| &body[at..body.len().min(at + 64)])
        .collect();
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        lines.join("\n")
    )
}

/// GitHub as an App sees it: `ahead_ms` by its own clock.
#[derive(Clone)]
struct Host {
    clock: Arc<ManualClock>,
    ahead_ms: Arc<Mutex<i64>>,
    made: Arc<AtomicUsize>,
    suspended: Arc<AtomicBool>,
    installed: Arc<AtomicBool>,
    accepts_key: Arc<AtomicBool>,
}

impl Host {
    fn now_ms(&self) -> i64 {
        self.clock.now().0 + *self.ahead_ms.lock().unwrap()
    }

    fn date(&self) -> String {
        let now = jiff::Timestamp::from_millisecond(self.now_ms()).unwrap();
        now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    fn answer(&self, status: u16, body: &Value) -> ResponseTemplate {
        ResponseTemplate::new(status)
            .set_body_json(body)
            .insert_header("date", self.date())
    }

    /// Whether a request bears a JWT that GitHub would accept now.
    fn is_app(&self, request: &Request) -> bool {
        let header = request
            .headers
            .get("authorization")
            .unwrap()
            .to_str()
            .unwrap();
        let jwt = header.strip_prefix("Bearer ").unwrap();
        let Some((signed, signature)) = jwt.rsplit_once('.') else {
            return false;
        };
        let key = KeyPair::from_pkcs8(KEY).unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public());
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let claims = signed.split('.').nth(1).unwrap();
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
        let now = self.now_ms() / 1000;
        let (issued, ends) = (
            claims["iat"].as_i64().unwrap(),
            claims["exp"].as_i64().unwrap(),
        );
        self.accepts_key.load(Ordering::Relaxed)
            && public.verify(signed.as_bytes(), &signature).is_ok()
            && claims["iss"] == APP_ID
            && issued <= now
            && ends > now
            && ends <= now + 600
    }
}

/// The installations, and tokens for them.
impl Respond for Host {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        if !self.is_app(request) {
            return self.answer(
                401,
                &json!({"message": "A JSON web token could not be decoded"}),
            );
        }
        if request.method == "GET" {
            let suspended = self
                .suspended
                .load(Ordering::Relaxed)
                .then_some("2026-01-01T00:00:00Z");
            let row = json!({"id": 77, "account": {"login": "Acme"}, "suspended_at": suspended});
            let rows = if self.installed.load(Ordering::Relaxed) {
                vec![row]
            } else {
                vec![]
            };
            return self.answer(200, &json!(rows));
        }
        if !self.installed.load(Ordering::Relaxed) {
            return self.answer(404, &json!({"message": "Not Found"}));
        }
        if self.suspended.load(Ordering::Relaxed) {
            return self.answer(
                403,
                &json!({"message": "This installation has been suspended"}),
            );
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let ends = jiff::Timestamp::from_millisecond(self.now_ms() + HOUR_MS).unwrap();
        self.answer(
            201,
            &json!({"token": format!("ghs_{number}"), "expires_at": ends.to_string()}),
        )
    }
}

/// What asks for an installation's token: each answer names the token that it was asked with, the newest alone is good.
struct Viewer(Host);

impl Respond for Viewer {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let header = request
            .headers
            .get("authorization")
            .unwrap()
            .to_str()
            .unwrap();
        let newest = format!("Bearer ghs_{}", self.0.made.load(Ordering::Relaxed));
        if header != newest {
            return self.0.answer(401, &json!({"message": "Bad credentials"}));
        }
        let viewer = json!({"__typename": "Bot", "login": "collie-app[bot]", "databaseId": 900});
        self.0.answer(200, &json!({"data": {"viewer": viewer}}))
    }
}

async fn app_on(server: &MockServer, ahead_ms: i64) -> (Host, GitHubClient) {
    let clock = ManualClock::at(NOW);
    let host = Host {
        clock: clock.clone(),
        ahead_ms: Arc::new(Mutex::new(ahead_ms)),
        made: Arc::default(),
        suspended: Arc::default(),
        installed: Arc::new(true.into()),
        accepts_key: Arc::new(true.into()),
    };
    Mock::given(path_regex("^/api/v3/app/installations"))
        .respond_with(host.clone())
        .mount(server)
        .await;
    Mock::given(method("POST"))
        .and(path("/api/graphql"))
        .respond_with(Viewer(host.clone()))
        .mount(server)
        .await;
    let app = AppCredentials::new(APP_ID, Login::new("acme"), &pem().into()).unwrap();
    let config = GitHubConfig::new(server.uri(), TokenSource::App(app));
    let client = GitHubClient::connect(config, clock).await.unwrap();
    (host, client)
}

/// Breaks something of a host, or mends it.
type Breakage = fn(&Host, bool);

#[tokio::test]
async fn an_installation_s_token_is_renewed_before_it_ends_and_after_it_was_refused() {
    let server = MockServer::start().await;
    let (host, client) = app_on(&server, 0).await;
    let viewer = client.sign_in().await.unwrap();
    assert_eq!((viewer.id.0, viewer.login.as_str()), (900, "collie-app"));
    client.sign_in().await.unwrap();
    assert_eq!(
        host.made.load(Ordering::Relaxed),
        1,
        "one token serves many calls"
    );
    host.clock.advance(HOUR_MS / 2);
    client.sign_in().await.unwrap();
    assert_eq!(host.made.load(Ordering::Relaxed), 1);
    host.clock.advance(HOUR_MS / 4);
    client.sign_in().await.unwrap();
    assert_eq!(
        host.made.load(Ordering::Relaxed),
        2,
        "it ends in a quarter of an hour"
    );
    assert_eq!(client.token().expose(), "ghs_2");
    // Somebody revoked it.
    host.made.fetch_add(1, Ordering::Relaxed);
    client.sign_in().await.unwrap();
    assert_eq!(client.token().expose(), "ghs_4");
}

#[tokio::test]
async fn a_clock_that_goes_wrong_is_no_wrong_key() {
    for ahead_ms in [-30 * 60_000, -120_000, 45_000, 30 * 60_000] {
        let server = MockServer::start().await;
        let (host, client) = app_on(&server, ahead_ms).await;
        client
            .sign_in()
            .await
            .unwrap_or_else(|error| panic!("{ahead_ms}: {error}"));
        assert_eq!(host.made.load(Ordering::Relaxed), 1, "{ahead_ms}");
    }
}

#[tokio::test]
async fn an_app_that_cannot_act_says_why_and_acts_again_once_it_can() {
    let wrong: [(Breakage, AppProblem); 3] = [
        (
            |host, wrong| host.accepts_key.store(!wrong, Ordering::Relaxed),
            AppProblem::KeyRefused,
        ),
        (
            |host, wrong| host.installed.store(!wrong, Ordering::Relaxed),
            AppProblem::NotInstalled,
        ),
        (
            |host, wrong| host.suspended.store(wrong, Ordering::Relaxed),
            AppProblem::Suspended,
        ),
    ];
    for (set, expected) in wrong {
        for knows_installation in [false, true] {
            let server = MockServer::start().await;
            let (host, client) = app_on(&server, 0).await;
            if knows_installation {
                client.sign_in().await.unwrap();
                host.clock.advance(HOUR_MS);
            }
            set(&host, true);
            let error = client.viewer().await;
            let error = match error {
                // What is known of a token that is still in use is known.
                Ok(_) => client.sign_in().await.unwrap_err().into(),
                Err(error) => error,
            };
            assert!(
                matches!(error, GitHubError::App { problem, .. } if problem == expected),
                "{expected:?}: {error}"
            );
            set(&host, false);
            client.sign_in().await.unwrap();
        }
    }
}

#[tokio::test]
async fn neither_key_nor_token_is_shown() {
    let server = MockServer::start().await;
    let (host, client) = app_on(&server, 0).await;
    client.sign_in().await.unwrap();
    let app = AppCredentials::new(APP_ID, Login::new("acme"), &pem().into()).unwrap();
    let told = format!("{:?} {:?}", TokenSource::App(app), client.token());
    assert!(!told.contains("ghs_") && !told.contains("KEY"), "{told}");
    for wrong in [
        "",
        "no key",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    ] {
        assert!(AppCredentials::new(APP_ID, Login::new("acme"), &wrong.into()).is_err());
    }
    assert!(host.now_ms() >= Time(NOW).0);
}

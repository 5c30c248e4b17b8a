//! A GitHub App in place of a person's token (§18.2), against a server that checks its JWT as GitHub does.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::*;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use collie_core::ids::{Login, RepoName, Time};
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
    /// What each token was asked for, from the first on.
    asked: Arc<Mutex<Vec<Value>>>,
    /// What the App was granted; nothing is said of it where it is null.
    granted: Arc<Mutex<Value>>,
    /// Tokens that somebody has revoked.
    revoked: Arc<Mutex<Vec<String>>>,
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
            let granted = self.granted.lock().unwrap().clone();
            let row = json!({"id": 77, "account": {"login": "Acme"}, "suspended_at": suspended, "permissions": granted});
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
        let asked: Value = request.body_json().unwrap();
        if asked["repositories"][0] == "gone" {
            let message = "There is at least one repository that does not exist or is not accessible to the parent installation.";
            return self.answer(422, &json!({"message": message}));
        }
        let granted = self.granted.lock().unwrap().clone();
        let permissions = asked["permissions"].as_object().into_iter().flatten();
        let has_it = |(name, level): (&String, &Value)| {
            granted[name] == *level || (granted[name] == "write" && level == "read")
        };
        if !permissions.into_iter().all(has_it) {
            let message = "The permissions requested are not granted to this installation.";
            return self.answer(422, &json!({"message": message}));
        }
        self.asked.lock().unwrap().push(asked);
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

/// A repository: its own tokens may read it, those of others do not see it.
struct OneRepository(Host);

impl Respond for OneRepository {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let header = request.headers.get("authorization").unwrap();
        let token = header.to_str().unwrap().strip_prefix("Bearer ").unwrap();
        if self
            .0
            .revoked
            .lock()
            .unwrap()
            .iter()
            .any(|gone| gone == token)
        {
            return self.0.answer(401, &json!({"message": "Bad credentials"}));
        }
        let number: usize = token.strip_prefix("ghs_").unwrap().parse().unwrap();
        let asked = self.0.asked.lock().unwrap()[number - 1].clone();
        let name = request.url.path().split('/').nth(5).unwrap();
        match asked["repositories"][0].as_str() {
            Some(own) if own.eq_ignore_ascii_case(name) => {
                let full_name = format!("acme/{name}");
                let body = json!({"full_name": full_name, "node_id": name, "permissions": {"push": true}, "private": true, "visibility": "private"});
                self.0.answer(200, &body)
            }
            _ => self.0.answer(404, &json!({"message": "Not Found"})),
        }
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
        asked: Arc::default(),
        granted: Arc::default(),
        revoked: Arc::default(),
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
    Mock::given(method("GET"))
        .and(path_regex("^/api/v3/repos/"))
        .respond_with(OneRepository(host.clone()))
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

fn named(repo: &str) -> RepoName {
    RepoName::parse(repo).unwrap()
}

/// Reads a repository's page, which only its own token may.
async fn read(client: &GitHubClient, repo: &str) {
    let found = client.repository_access(&named(repo)).await;
    found.unwrap_or_else(|error| panic!("{repo}: {error}"));
}

async fn git_token(server: &MockServer, client: &GitHubClient, repo: &str) -> Option<String> {
    let url = format!("{}/{repo}.git", server.uri());
    let token = client.git_token(&url).await?;
    Some(token.expose().to_owned())
}

#[tokio::test]
async fn each_repository_has_a_token_of_its_own_that_is_renewed_by_itself() {
    let server = MockServer::start().await;
    let (host, client) = app_on(&server, 0).await;
    for repo in ["acme/one", "acme/two", "Acme/One", "acme/two"] {
        read(&client, repo).await;
    }
    let asked = host.asked.lock().unwrap().clone();
    let names: Vec<&Value> = asked.iter().map(|asked| &asked["repositories"]).collect();
    assert_eq!(names, [&json!(["one"]), &json!(["two"])]);
    // Git gets the token of the repository that it goes to, and of no other place.
    assert_eq!(
        git_token(&server, &client, "acme/one").await.unwrap(),
        "ghs_1"
    );
    assert_eq!(
        git_token(&server, &client, "acme/two").await.unwrap(),
        "ghs_2"
    );
    assert_eq!(
        client.git_token("https://evil.example/acme/one.git").await,
        None
    );
    assert_eq!(host.made.load(Ordering::Relaxed), 2);
    // One that was revoked is made anew, and the other is left.
    host.revoked.lock().unwrap().push("ghs_1".into());
    read(&client, "acme/one").await;
    assert_eq!(
        git_token(&server, &client, "acme/one").await.unwrap(),
        "ghs_3"
    );
    assert_eq!(
        git_token(&server, &client, "acme/two").await.unwrap(),
        "ghs_2"
    );
    // Git alone has them renewed too.
    host.clock.advance(HOUR_MS * 3 / 4);
    assert_eq!(
        git_token(&server, &client, "acme/two").await.unwrap(),
        "ghs_4"
    );
    assert_eq!(host.made.load(Ordering::Relaxed), 4);
    let known: Vec<String> = (client.tokens().iter())
        .map(|token| token.expose().to_owned())
        .collect();
    for token in ["ghs_3", "ghs_4"] {
        assert!(
            known.iter().any(|known| known == token),
            "{token} of {known:?}"
        );
    }
}

#[tokio::test]
async fn a_token_has_what_collie_needs_as_far_as_the_app_was_granted_it() {
    let server = MockServer::start().await;
    let (host, client) = app_on(&server, 0).await;
    *host.granted.lock().unwrap() = json!({
        "administration": "write", "contents": "write", "issues": "write", "members": "read",
        "metadata": "read", "pull_requests": "read", "secrets": "write",
    });
    client.sign_in().await.unwrap();
    read(&client, "acme/one").await;
    let reads =
        json!({"contents": "read", "issues": "read", "metadata": "read", "pull_requests": "read"});
    let writes =
        json!({"contents": "write", "issues": "read", "metadata": "read", "pull_requests": "read"});
    let expected = [
        json!({"permissions": reads}),
        json!({"repositories": ["one"], "permissions": writes}),
    ];
    assert_eq!(*host.asked.lock().unwrap(), expected);
    // What was taken away since is not asked for again.
    *host.granted.lock().unwrap() = json!({"contents": "read", "metadata": "read"});
    read(&client, "acme/two").await;
    let last = host.asked.lock().unwrap().last().cloned().unwrap();
    let less =
        json!({"repositories": ["two"], "permissions": {"contents": "read", "metadata": "read"}});
    assert_eq!(last, less);
    // What was granted since is, with the next token.
    *host.granted.lock().unwrap() = json!({"contents": "write", "metadata": "read"});
    host.clock.advance(HOUR_MS);
    read(&client, "acme/two").await;
    let last = host.asked.lock().unwrap().last().cloned().unwrap();
    let more =
        json!({"repositories": ["two"], "permissions": {"contents": "write", "metadata": "read"}});
    assert_eq!(last, more);
}

#[tokio::test]
async fn a_repository_that_the_app_has_not_answers_for_itself() {
    let server = MockServer::start().await;
    let (host, client) = app_on(&server, 0).await;
    for repo in ["acme/gone", "elsewhere/one", "acme/gone"] {
        let error = client.repository_access(&named(repo)).await.err().unwrap();
        assert!(
            matches!(error, GitHubError::NotFound { .. }),
            "{repo}: {error}"
        );
    }
    let asked = host.asked.lock().unwrap().clone();
    assert_eq!(
        asked,
        [json!({})],
        "one token to be told that it is not there"
    );
    read(&client, "acme/one").await;
}

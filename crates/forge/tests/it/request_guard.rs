//! Who gets to the forge at all: a page of another site, another user of the machine, a name that was bound anew.

use crate::fixture::{ForgeFixture, REPO, commit_files, git, wait_until};
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const HOST: &str = "host";
const ORIGIN: &str = "origin";
const CONTENT_TYPE: &str = "content-type";
const SECRET: &str = "x-forge-secret";
const AUTHORIZATION: &str = "authorization";

/// A request as it goes over the wire: no client adds or mends anything.
#[derive(Clone, Debug)]
struct RawRequest {
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl RawRequest {
    fn new(method: &'static str, target: &str, body: &str) -> Self {
        Self {
            method,
            target: target.to_owned(),
            headers: Vec::new(),
            body: body.to_owned(),
        }
    }

    /// Puts a header in place of what was there.
    fn with(self, name: &'static str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a header to what is there.
    fn and(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(header, _)| *header != name);
        self
    }

    fn target(mut self, target: &str) -> Self {
        self.target = target.to_owned();
        self
    }

    /// The status and the head of the answer.
    async fn send(&self, address: &str) -> (u16, String) {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !self.body.is_empty() {
            text += &format!("content-length: {}\r\n", self.body.len());
        }
        text += &format!("connection: close\r\n\r\n{}", self.body);
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        stream.write_all(text.as_bytes()).await.expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("it answers");
        let answer = String::from_utf8_lossy(&answer).to_lowercase();
        let (head, _) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status");
        (status.parse().expect("a number"), head.to_owned())
    }
}

/// A forge, and a repository beside it whose check leaves a mark once it has run.
struct Target {
    fixture: ForgeFixture,
    address: String,
    port: u16,
    secret: String,
    mark: PathBuf,
}

impl Target {
    async fn start() -> Self {
        let fixture = ForgeFixture::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
        let mark = fixture.dir.path().join("mark");
        let check = format!(
            "[[check]]\nname = \"mark\"\nrun = \"touch {}\"\n",
            mark.display()
        );
        let hostile = fixture.dir.path().join("hostile");
        std::fs::create_dir(&hostile).expect("the folder is writable");
        git(&hostile, &["init", "-q", "-b", "main"]);
        commit_files(&hostile, &[("a.txt".to_owned(), "a\n".to_owned())], "Begin");
        git(&hostile, &["checkout", "-q", "-b", "change"]);
        commit_files(&hostile, &[(".forge.toml".to_owned(), check)], "Change");
        let address = fixture.running().addr();
        Self {
            secret: fixture.secret().to_owned(),
            address: address.to_string(),
            port: address.port(),
            mark,
            fixture,
        }
    }

    /// A request for a route of the forge's own as its owner sends it.
    fn own(&self, method: &'static str, target: &str, body: &str) -> RawRequest {
        let request = self.bare(method, target, body).and(SECRET, &self.secret);
        match body {
            "" => request,
            _ => request.and(CONTENT_TYPE, "application/json"),
        }
    }

    /// The same without secret and content type.
    fn bare(&self, method: &'static str, target: &str, body: &str) -> RawRequest {
        RawRequest::new(method, target, body).and(HOST, &self.address)
    }

    /// What a client of GitHub sends.
    fn api(&self, method: &'static str, target: &str, body: &str) -> RawRequest {
        let request = self.bare(method, target, body);
        let request = request
            .and(AUTHORIZATION, "Bearer forge-demo")
            .and("user-agent", "test");
        match body {
            "" => request,
            _ => request.and(CONTENT_TYPE, "application/json"),
        }
    }

    /// Imports the hostile repository under a name.
    fn import(&self, name: &str) -> RawRequest {
        let path = self.fixture.dir.path().join("hostile");
        let body = json!({"repo": format!("evil/{name}"), "path": path}).to_string();
        self.own("POST", "/_forge/import", &body)
    }

    /// Opens a pull request in what was imported under a name: its head's checks run.
    fn open(&self, name: &str) -> RawRequest {
        let body = json!({
            "repo": format!("evil/{name}"), "base": "main", "head": "change", "title": "T", "author": "ana",
        });
        self.own("POST", "/_forge/pulls", &body.to_string())
    }

    /// Each request that must not get in, by what is foreign about it.
    fn foreign_requests(&self) -> Vec<(String, RawRequest)> {
        let mut all = Vec::new();
        all.extend(self.foreign_content_types());
        all.extend(self.foreign_hosts());
        all.extend(self.foreign_origins());
        all.extend(self.foreign_secrets());
        all.extend(self.own_routes_without_secret());
        all.extend(self.foreign_api_requests());
        all
    }

    fn foreign_content_types(&self) -> Vec<(String, RawRequest)> {
        let types = [
            "text/plain",
            "text/plain;charset=UTF-8",
            "text/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/octet-stream",
            "application/jsonp",
            "application/json-patch+json",
            "text/plain, application/json",
        ];
        let mut all: Vec<_> = (types.iter().enumerate())
            .map(|(at, kind)| {
                let request = self.import(&format!("type-{at}")).with(CONTENT_TYPE, kind);
                (format!("content type `{kind}`"), request)
            })
            .collect();
        let none = self.import("type-none").without(CONTENT_TYPE);
        all.push(("no content type".to_owned(), none));
        all
    }

    fn foreign_hosts(&self) -> Vec<(String, RawRequest)> {
        let port = self.port;
        let hosts = [
            "evil.example".to_owned(),
            format!("evil.example:{port}"),
            format!("127.0.0.1.evil.example:{port}"),
            format!("localhost.evil.example:{port}"),
            format!("evil.example#127.0.0.1:{port}"),
            format!("user@127.0.0.1:{port}"),
            format!("0.0.0.0:{port}"),
            format!("127.0.0.2:{port}"),
            "127.0.0.1".to_owned(),
            "127.0.0.1:1".to_owned(),
            "localhost".to_owned(),
            String::new(),
        ];
        let mut all: Vec<_> = (hosts.iter().enumerate())
            .map(|(at, host)| {
                let request = self.import(&format!("host-{at}")).with(HOST, host);
                (format!("host `{host}`"), request)
            })
            .collect();
        let none = self.import("host-none").without(HOST);
        all.push(("no host".to_owned(), none));
        let two = self.import("host-two").and(HOST, "evil.example");
        all.push(("two hosts".to_owned(), two));
        let absolute = format!("http://evil.example:{port}/_forge/import");
        let absolute = self.import("host-absolute").target(&absolute);
        all.push(("another host in the target".to_owned(), absolute));
        all
    }

    fn foreign_origins(&self) -> Vec<(String, RawRequest)> {
        let port = self.port;
        let origins = [
            "http://evil.example".to_owned(),
            "https://evil.example".to_owned(),
            format!("http://evil.example:{port}"),
            format!("http://127.0.0.1:{port}.evil.example"),
            format!("https://127.0.0.1:{port}"),
            "http://127.0.0.1:1".to_owned(),
            "http://127.0.0.1".to_owned(),
            "null".to_owned(),
            String::new(),
        ];
        let mut all: Vec<_> = (origins.iter().enumerate())
            .map(|(at, origin)| {
                let request = self.import(&format!("origin-{at}")).with(ORIGIN, origin);
                (format!("origin `{origin}`"), request)
            })
            .collect();
        let two = self.import("origin-two");
        let two = two.and(ORIGIN, &format!("http://{}", self.address));
        let two = two.and(ORIGIN, "http://evil.example");
        all.push(("two origins".to_owned(), two));
        for site in ["cross-site", "same-site"] {
            let request = self.import(site).with("sec-fetch-site", site);
            all.push((format!("a page that is {site}"), request));
        }
        all
    }

    fn foreign_secrets(&self) -> Vec<(String, RawRequest)> {
        let shorter = self.secret.get(1..).unwrap_or_default();
        let secrets = [
            ("an empty secret", String::new()),
            ("zeros", "0".repeat(self.secret.len())),
            ("the end of the secret", shorter.to_owned()),
            ("more than the secret", format!("{}0", self.secret)),
            ("the secret in large letters", self.secret.to_uppercase()),
            ("a token", "forge-demo".to_owned()),
            ("a constant", "demo-token".to_owned()),
        ];
        let mut all: Vec<_> = (secrets.iter().enumerate())
            .map(|(at, (what, secret))| {
                let request = self.import(&format!("secret-{at}")).with(SECRET, secret);
                ((*what).to_owned(), request)
            })
            .collect();
        let bare = || self.import("secret-elsewhere").without(SECRET);
        all.push(("no secret".to_owned(), bare()));
        let token = bare().and(AUTHORIZATION, &format!("Bearer {}", self.secret));
        all.push(("the secret as a token".to_owned(), token));
        let query = format!("/_forge/import?secret={0}&{SECRET}={0}", self.secret);
        all.push((
            "the secret in the address".to_owned(),
            bare().target(&query),
        ));
        let two = self.import("secret-two").and(SECRET, "0");
        all.push(("two secrets".to_owned(), two));
        all
    }

    /// Every route below `/_forge`, as another user of the machine would ask for it.
    fn own_routes_without_secret(&self) -> Vec<(String, RawRequest)> {
        let routes = self.own_routes().into_iter();
        let odd = [
            ("OPTIONS", "/_forge/import"),
            ("HEAD", "/_forge/accounts"),
            ("POST", "/_forge"),
            ("GET", "/_forge/"),
            ("POST", "/_forge//import"),
            ("POST", "/_forge/unknown"),
            ("GET", "/_forge/app.git/info/refs?service=git-upload-pack"),
        ];
        let odd = odd.map(|(method, target)| self.own(method, target, ""));
        let more = [self.import("bare"), self.open("bare")];
        routes
            .chain(odd)
            .chain(more)
            .map(|request| {
                let what = format!("{} {} without secret", request.method, request.target);
                (what, request.without(SECRET))
            })
            .collect()
    }

    /// A request for each route below `/_forge`.
    fn own_routes(&self) -> Vec<RawRequest> {
        let bots = format!("/_forge/bots?repo={REPO}");
        let repo = format!("/_forge/repos/{REPO}");
        let heads = format!("/_forge/repos/{REPO}/pulls/1/heads");
        let limit = json!({"resource": "core", "remaining": 5000});
        let requests: [(&'static str, &str, Value); 16] = [
            ("GET", "/_forge/accounts", Value::Null),
            ("POST", "/_forge/accounts", json!({"login": "zoe"})),
            ("POST", "/_forge/tokens", json!({"login": "ana"})),
            ("GET", "/_forge/repos", Value::Null),
            ("GET", &heads, Value::Null),
            ("PATCH", &repo, json!({"archived": false})),
            ("GET", "/_forge/faults", Value::Null),
            ("POST", "/_forge/faults", json!([])),
            ("DELETE", "/_forge/faults", Value::Null),
            ("GET", "/_forge/requests", Value::Null),
            ("DELETE", "/_forge/requests", Value::Null),
            ("GET", "/_forge/log", Value::Null),
            ("PUT", "/_forge/rate_limit", limit),
            ("GET", &bots, Value::Null),
            ("PUT", &bots, json!([])),
            ("DELETE", &bots, Value::Null),
        ];
        let text = |body: &Value| match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        (requests.iter())
            .map(|(method, target, body)| self.own(method, target, &text(body)))
            .collect()
    }

    /// What GitHub has too: names, pages and simple requests of others get nowhere there either.
    fn foreign_api_requests(&self) -> Vec<(String, RawRequest)> {
        let foreign = format!("evil.example:{}", self.port);
        let origin = format!("http://{foreign}");
        let refs = format!("/{REPO}.git/info/refs?service=git-upload-pack");
        let issues = format!("/api/v3/repos/{REPO}/issues");
        let read = self.api("GET", "/api/v3/user", "");
        let git = self.bare("GET", &refs, "");
        let open = self.api("POST", &issues, r#"{"title": "T"}"#);
        let query = self.api(
            "POST",
            "/api/graphql",
            r#"{"query": "{ viewer { login } }"}"#,
        );
        let preflight = self
            .bare("OPTIONS", &issues, "")
            .and(ORIGIN, &origin)
            .and("access-control-request-method", "POST")
            .and("access-control-request-headers", "authorization");
        let named = |what: &str, request: RawRequest| (what.to_owned(), request);
        vec![
            named(
                "a foreign host at the API",
                read.clone().with(HOST, &foreign),
            ),
            named("a page at the API", read.clone().with(ORIGIN, &origin)),
            named("a foreign host at git", git.clone().with(HOST, &foreign)),
            named("a page at git", git.with(ORIGIN, &origin)),
            named(
                "text at the API",
                open.clone().with(CONTENT_TYPE, "text/plain"),
            ),
            named(
                "a form at the API",
                open.with(CONTENT_TYPE, "application/x-www-form-urlencoded"),
            ),
            named(
                "text at GraphQL",
                query.clone().with(CONTENT_TYPE, "text/plain"),
            ),
            named("a foreign host at GraphQL", query.with(HOST, &foreign)),
            named("a page that asks first", preflight),
            named(
                "a foreign host at no route",
                read.target("/nowhere").with(HOST, &foreign),
            ),
        ]
    }

    fn repositories(&self) -> Vec<String> {
        let names = self.fixture.forge().repos();
        names.iter().map(ToString::to_string).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_foreign_request_gets_in() {
    let target = Target::start().await;
    let requests = target.foreign_requests();
    assert!(requests.len() >= 30, "only {} requests", requests.len());
    let mut got_in = Vec::new();
    for (what, request) in &requests {
        let (status, head) = request.send(&target.address).await;
        if !(400..500).contains(&status) {
            got_in.push(format!("{status}: {what}"));
        }
        assert!(!head.contains("access-control-"), "{what}: {head}");
    }
    assert!(
        got_in.is_empty(),
        "{} of {} foreign requests got in:\n{}",
        got_in.len(),
        requests.len(),
        got_in.join("\n")
    );
    assert_eq!(target.repositories(), [REPO]);
    assert!(!target.mark.exists(), "commands of another were run");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_requests_of_the_owner_get_in_and_run_commands() {
    let target = Target::start().await;
    let port = target.port;
    let own = format!("http://{}", target.address);
    let granted = [
        target.import("plain"),
        target
            .import("named")
            .with(HOST, &format!("localhost:{port}")),
        target
            .import("large")
            .with(HOST, &format!("LocalHost:{port}")),
        target.import("origin").with(ORIGIN, &own),
        target.import("page").with("sec-fetch-site", "same-origin"),
        target.import("typed").with("sec-fetch-site", "none"),
        target.import("type").with(CONTENT_TYPE, "Application/JSON"),
        target
            .import("set")
            .with(CONTENT_TYPE, "application/json; charset=utf-8"),
    ];
    let api = target.api("GET", "/api/v3/user", "");
    let query = r#"{"query": "{ viewer { login } }"}"#;
    let others = [
        target.api("POST", "/api/graphql", query),
        target.bare(
            "GET",
            &format!("/{REPO}.git/info/refs?service=git-upload-pack"),
            "",
        ),
        api.clone().with(HOST, &format!("localhost:{port}")),
        api,
    ];
    let all = granted.into_iter().chain([target.open("plain")]);
    let all = all.chain(target.own_routes()).chain(others);
    for request in all {
        let (status, head) = request.send(&target.address).await;
        assert!((200..300).contains(&status), "{request:?}: {head}");
    }
    // The reach of it: an imported repository runs what it names.
    wait_until("the mark of a check", async || target.mark.exists()).await;
}

//! `collie serve` as a GitHub App: it acts as the App, and people may do there what each of them may, never what the App may.

use crate::serve::{READER, TestServer, WRITER, check_problem};
use crate::support::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// An RSA key that is nobody's.
const KEY: &[u8] = include_bytes!("../../../fake-llm/src/google-account.der");
const APP: &str = "collie-app";
const APP_LOGIN: &str = "collie-app[bot]";

fn pem() -> String {
    let body = STANDARD.encode(KEY);
    let lines: Vec<&str> = (0..body.len())
        .step_by(64)
        .map(|at| &body[at..body.len().min(at + 64)])
        .collect();
    let lines = lines.join("\n");
    format!("-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n")
}

/// The public part: the number and the exponent of the key, as they stand in it.
fn public_key() -> String {
    let key = ring::rsa::KeyPair::from_pkcs8(KEY).unwrap();
    STANDARD.encode(key.public().as_ref())
}

/// A server that acts as an App, which may write in `acme/one` and `acme/secret`; its own account `demo` may in neither.
fn server_as_app(keys: &std::path::Path) -> TestServer {
    let server = TestServer::start();
    let TestServer {
        forge,
        gate,
        home,
        mut process,
        ..
    } = server;
    process.kill();
    let app = json!({"slug": APP, "owner": "acme", "public_key": public_key()});
    let app = forge.call(COLLIE_LOGIN, "POST", "/_forge/apps", Some(app));
    for repo in ["acme/one", "acme/secret"] {
        let settings =
            json!({"roles": {WRITER: "member", APP_LOGIN: "member", COLLIE_LOGIN: "none"}});
        let path = format!("/_forge/repos/{repo}");
        forge.call(COLLIE_LOGIN, "PATCH", &path, Some(settings));
    }
    let key_file = keys.join("app.pem");
    std::fs::write(&key_file, pem()).unwrap();
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    let config = config.replace(
        &format!("allowed_users = [\"{COLLIE_LOGIN}\"]"),
        &format!("allowed_users = [\"{APP}\"]"),
    );
    let id = app["id"].as_u64().unwrap();
    let key_file = key_file.display();
    home.configure(&format!(
        "{config}[app]\nid = \"{id}\"\naccount = \"acme\"\nkey_file = \"{key_file}\"\n"
    ));
    TestServer::with_home(forge, gate, home)
}

#[test]
fn what_the_app_may_nobody_may_who_may_not_write_themselves() {
    let keys = tempfile::tempdir().unwrap();
    let server = server_as_app(keys.path());
    // Each is refused before anything is done, whichever way they come.
    let start = json!({"id": "1", "type": "start"});
    let refused = server.event(READER, "acme/one/1", start.clone());
    check_problem(&refused, 403, "no_write_access");
    let refused = server.event(READER, "acme/secret/1", start.clone());
    check_problem(&refused, 404, "not_visible");
    let cookie = server.sign_in(READER);
    let command = |name: &str| json!({"command": name, "args": {"key": "acme/one#1"}});
    check_problem(
        &server.page(&cookie, command("start")),
        403,
        "no_write_access",
    );
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        {"name": "start_loop", "arguments": {"pull_request": "acme/one#1"}}});
    let mcp = server.http.post(format!("{}/mcp", server.url)).json(&call);
    let mcp = mcp
        .header("accept", "application/json, text/event-stream")
        .bearer_auth(format!("forge-{READER}"));
    let said = format!("{:?}", server.send(mcp).body);
    assert!(
        said.contains("no_write_access") || said.contains("may not"),
        "{said}"
    );
    assert_eq!(server.get(READER, "/pr/acme/one/1/status").status, 404);
    let posted = server.forge.list("/repos/acme/one/issues/1/comments");
    assert_eq!(posted, Vec::<Value>::new());
    // Who may write has the App do it, in both repositories.
    server.start_loop("acme/one");
    server.start_loop("acme/secret");
    for kind in ["cancel", "retry", "resume", "CLOSE"] {
        let event = json!({"id": kind, "type": kind});
        let refused = server.event(READER, "acme/one/1", event);
        check_problem(&refused, 403, "no_write_access");
    }
    server.gate.open();
    for repo in ["acme/one", "acme/secret"] {
        wait_until_blocking(repo, || {
            let state = server.state(&format!("{repo}/1"));
            match state == "pr_ready_to_merge" {
                true => Ok(()),
                false => Err(server.get(WRITER, &format!("/pr/{repo}/1/status")).body),
            }
        });
        wait_until_blocking("a word of the App's", || {
            let said = ["issues/1/comments", "pulls/1/reviews"].map(|list| {
                let path = format!("/repos/{repo}/{list}");
                server.forge.call(WRITER, "GET", &path, None)
            });
            let said = said.iter().flat_map(|list| list.as_array().unwrap());
            let logins: Vec<&Value> = said.map(|it| &it["user"]["login"]).collect();
            assert!(
                logins.iter().all(|login| **login == APP_LOGIN),
                "{logins:?}"
            );
            !logins.is_empty()
        });
    }
    // Each repository has a token of its own, and one was to ask who the App is.
    let counts = server
        .forge
        .call(COLLIE_LOGIN, "GET", "/_forge/requests", None);
    let made = "POST /app/installations/{installation_id}/access_tokens";
    assert_eq!(counts["routes"][made], 3, "{counts:#}");
}

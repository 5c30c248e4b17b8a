//! What a server takes of runners over HTTP, from somebody who plays a runner by hand: each token for its session alone, each result once,
//! each patch through the gates.

use crate::runners::{FAULT, MENDED, RUNNERS, team};
use crate::serve::{Answer, TestServer, check_problem};
use crate::support::*;
use serde_json::{Value, json};

/// Plays a runner.
struct Hand<'s> {
    server: &'s TestServer,
    secret: String,
}

impl Hand<'_> {
    fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        let request = self.server.http.post(format!("{}{path}", self.server.url));
        self.server.send(request.bearer_auth(token).json(body))
    }

    /// Waits for a session.
    fn claim(&self) -> Value {
        wait_until_blocking("a session", || {
            let asked = json!({"name": "hand", "wait_ms": 5_000});
            let answer = self.post("/runners/claim", &self.secret, &asked);
            match answer.status {
                200 => Ok(answer.body),
                204 => Err("nothing to do"),
                _ => panic!("{answer:?}"),
            }
        })
    }

    fn hand_in(&self, claimed: &Value, outcome: Value) -> Answer {
        let token = claimed["token"].as_str().unwrap();
        self.post("/pr/acme/one/1/session", token, &handed(claimed, outcome))
    }
}

fn handed(claimed: &Value, outcome: Value) -> Value {
    let mut body = outcome;
    body["session"] = claimed["session"].clone();
    if body["head"].is_null() {
        body["head"] = claimed["work"]["head"].clone();
    }
    body
}

fn review(findings: &[Value]) -> Value {
    let conclusion = match findings {
        [] => "approve",
        _ => "request_changes",
    };
    let none = json!({"p0_blocking": 0, "p1_critical": 0, "p2_important": 0, "p3_suggestion": 0});
    let result = json!({
        "agent": "quinn", "prNumber": 1, "conclusion": conclusion, "issues": none, "findings": findings,
        "fullReport": "I looked.",
    });
    json!({"type": "review", "result": result})
}

fn finding() -> Value {
    json!({
        "id": "Q-1", "priority": "P1", "category": "correctness", "file": "app.js", "line": 2,
        "title": "The length is misspelt", "description": "`lenght` is undefined.", "suggestion": null, "kind": "error",
        "confidence": 0.95, "evidence": "  const sum = list.lenght;",
        "source": {"type": "human", "name": "ana", "timestamp": "2026-01-01T00:00:00Z"},
    })
}

fn base64(text: &str) -> String {
    collie_runners::bytes_to_base64(text.as_bytes())
}

/// A fix of all that is asked, with this patch.
fn fix(claimed: &Value, patch: &str) -> Value {
    let issues = claimed["work"]["work"]["payload"]["issuesToFix"].as_array();
    let fixed: Vec<Value> = (issues.unwrap().iter())
        .map(|issue| json!({"findingId": issue["id"], "description": "as asked"}))
        .collect();
    let result = json!({
        "agent": "hand", "prNumber": 1, "summary": {"fixed": 0, "rejected": 0, "deferred": 0}, "fixedIssues": fixed,
        "rejectedIssues": [],
    });
    json!({"type": "fix", "result": result, "patch": base64(patch)})
}

fn new_file(path: &str, text: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n"
    )
}

fn mending() -> String {
    let lines = |mark: char, text: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    let (old, new) = (lines('-', FAULT), lines('+', MENDED));
    format!("diff --git a/app.js b/app.js\n--- a/app.js\n+++ b/app.js\n@@ -1,4 +1,4 @@\n{old}{new}")
}

#[test]
fn a_token_is_good_for_its_session_alone_and_a_result_is_taken_once() {
    let (mut server, secret) = team(RUNNERS);
    let hand = Hand {
        server: &server,
        secret: secret.clone(),
    };
    let asked = json!({"name": "hand", "wait_ms": 0});
    for wrong in ["forge-ana", "collie_runner_00", ""] {
        let refused = hand.post("/runners/claim", wrong, &asked);
        check_problem(&refused, 401, "runner_unknown");
    }
    server.start_loop("acme/one");
    let claimed = hand.claim();
    let token = claimed["token"].as_str().unwrap();
    let session = claimed["session"].as_str().unwrap();
    assert_eq!(claimed["work"]["work"]["type"], "review", "{claimed}");
    assert_eq!(claimed["work"]["work"]["reviewer"]["name"], "quinn");
    // Nothing of it lets anybody in who is a person, and no token of the server's account goes along.
    let whole = claimed.to_string();
    assert!(!whole.contains("forge-") && !whole.contains(&secret));
    for as_person in [token, &secret] {
        let status = server
            .http
            .get(format!("{}/pr/acme/one/1/status", server.url));
        let answer = server.send(status.bearer_auth(as_person));
        assert_eq!(answer.status, 401, "{answer:?}");
    }

    let beat = json!({"session": session});
    let path = "/pr/acme/one/1/session";
    let alive = hand.post(&format!("{path}/heartbeat"), token, &beat);
    assert_eq!(alive.status, 200, "{alive:?}");
    let bundle = |token: &str, path: &str, session: &str| {
        let url = format!("{}{path}/{session}/bundle", server.url);
        server.send(server.http.get(url).bearer_auth(token))
    };
    let sent = bundle(token, path, session);
    assert_eq!(sent.status, 200);
    assert_eq!(sent.headers["content-type"], "application/x-git-bundle");
    check_problem(
        &bundle(&secret, path, session),
        401,
        "session_token_unknown",
    );
    check_problem(&bundle(token, path, "other"), 403, "session_token_other");
    let good = handed(&claimed, review(&[]));
    for (path, token, status, code) in [
        (path, "", 401, "session_token_unknown"),
        (path, "collie_session_00", 401, "session_token_unknown"),
        (path, secret.as_str(), 401, "session_token_unknown"),
        ("/pr/acme/one/2/session", token, 403, "session_token_other"),
        (
            "/pr/acme/secret/1/session",
            token,
            403,
            "session_token_other",
        ),
    ] {
        check_problem(&hand.post(path, token, &good), status, code);
    }
    let mut other_session = good.clone();
    other_session["session"] = json!("0".repeat(32));
    check_problem(
        &hand.post(path, token, &other_session),
        403,
        "session_token_other",
    );

    // What is wrong in its shape is refused, and the session goes on.
    let host = server.url.trim_start_matches("http://");
    let large = |token: &str| {
        server.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: 26214400\r\n\r\n"
        ))
    };
    assert!(large(token).starts_with("HTTP/1.1 413"));
    assert!(large("collie_session_00").starts_with("HTTP/1.1 401"));
    for broken in [
        json!({}),
        json!([]),
        json!({"session": session, "type": "merge"}),
    ] {
        check_problem(&hand.post(path, token, &broken), 400, "request_malformed");
    }
    let mut stale = review(&[]);
    stale["head"] = json!("c".repeat(40));
    check_problem(&hand.hand_in(&claimed, stale), 409, "session_stale");
    let mut other_pull = review(&[]);
    other_pull["result"]["prNumber"] = json!(2);
    check_problem(
        &hand.hand_in(&claimed, other_pull),
        422,
        "result_for_another_pull",
    );
    let other_work = json!({
        "type": "fix", "patch": "", "result": {
            "agent": "x", "prNumber": 1, "summary": {"fixed": 0, "rejected": 0, "deferred": 0}, "fixedIssues": [],
            "rejectedIssues": [],
        },
    });
    check_problem(
        &hand.hand_in(&claimed, other_work),
        422,
        "session_other_work",
    );

    // A server that is started again offers the work anew, and knows nothing of the token of before.
    let before = claimed;
    server.restart();
    let hand = Hand {
        server: &server,
        secret,
    };
    let refused = hand.hand_in(&before, review(&[finding()]));
    check_problem(&refused, 401, "session_token_unknown");
    let claimed = hand.claim();
    assert_ne!(claimed["session"], before["session"]);
    assert_eq!(claimed["work"]["head"], before["work"]["head"]);
    let taken = hand.hand_in(&claimed, review(&[]));
    assert_eq!((taken.status, &taken.body["taken"]), (202, &json!(true)));
    check_problem(&hand.hand_in(&claimed, review(&[])), 409, "session_over");
    let token = claimed["token"].as_str().unwrap();
    let beat = json!({"session": claimed["session"]});
    let late = hand.post("/pr/acme/one/1/session/heartbeat", token, &beat);
    check_problem(&late, 409, "session_over");
    wait_until_blocking("ready", || {
        let state = server.state("acme/one/1");
        if state == "pr_ready_to_merge" {
            Ok(())
        } else {
            Err(state)
        }
    });
}

#[test]
fn a_patch_passes_the_servers_gates_and_is_pushed_by_the_server_once() {
    let (server, secret) = team(RUNNERS);
    let hand = Hand {
        server: &server,
        secret,
    };
    server.start_loop("acme/one");
    let claimed = hand.claim();
    let taken = hand.hand_in(&claimed, review(&[finding()]));
    assert_eq!(taken.status, 202, "{taken:?}");

    let claimed = hand.claim();
    assert_eq!(claimed["work"]["work"]["type"], "fix", "{claimed}");
    let issues = &claimed["work"]["work"]["payload"]["issuesToFix"];
    // A runner does not say who found something.
    assert_eq!(issues[0]["source"]["type"], "agent", "{issues}");
    assert_eq!(issues[0]["source"]["name"], "quinn", "{issues}");
    let unbalanced = json!({"fixedIssues": [], "rejectedIssues": []});
    let mut wrong = fix(&claimed, &mending());
    wrong["result"]["fixedIssues"] = unbalanced["fixedIssues"].clone();
    check_problem(&hand.hand_in(&claimed, wrong), 422, "result_unbalanced");

    // A patch that leads elsewhere, or is for another head, ends the session; its work is offered anew.
    let mut claimed = claimed;
    for patch in [
        new_file("../out.js", "out"),
        new_file(".git/hooks/pre-commit", "out"),
    ] {
        check_problem(
            &hand.hand_in(&claimed, fix(&claimed, &patch)),
            422,
            "patch_unfit",
        );
        check_problem(
            &hand.hand_in(&claimed, fix(&claimed, &mending())),
            409,
            "session_over",
        );
        claimed = hand.claim();
        assert_eq!(claimed["work"]["work"]["refusal"], Value::Null, "{claimed}");
    }

    // What applies and may not be is what the gates are for: it goes back as the fixer's next instruction.
    let workflow = ".github/workflows/ci.yml";
    let taken = hand.hand_in(
        &claimed,
        fix(&claimed, &(mending() + &new_file(workflow, "on: push"))),
    );
    assert_eq!(taken.status, 202, "{taken:?}");
    let claimed = hand.claim();
    let refusal = &claimed["work"]["work"]["refusal"];
    assert_eq!(
        refusal,
        &json!({"gate": "scope", "paths": [workflow]}),
        "{claimed}"
    );
    let tried = claimed["work"]["work"]["tried"].as_str().unwrap();
    assert!(!tried.is_empty(), "the fixer goes on from what it did");
    let commits = || server.forge.list("/repos/acme/one/pulls/1/commits").len();
    assert_eq!(commits(), 1, "nothing was pushed");

    let taken = hand.hand_in(&claimed, fix(&claimed, &mending()));
    assert_eq!(taken.status, 202, "{taken:?}");
    let claimed = hand.claim();
    assert_eq!(claimed["work"]["work"]["type"], "review", "{claimed}");
    assert_eq!(commits(), 2);
    assert_eq!(hand.hand_in(&claimed, review(&[])).status, 202);
    wait_until_blocking("ready", || {
        let state = server.state("acme/one/1");
        if state == "pr_ready_to_merge" {
            Ok(())
        } else {
            Err(state)
        }
    });
    assert_eq!(commits(), 2, "one push");
}

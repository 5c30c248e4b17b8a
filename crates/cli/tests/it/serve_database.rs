//! Two servers whose views lie in one PostgreSQL (§18.5): the same loops, the same browsers, and a database that comes and goes.

use crate::serve::{TestServer, WRITER, check_problem};
use crate::serve_elsewhere::{Fleet, serve_command, serve_views, unchanged};
use crate::support::*;
use collie_app::demo::Scenario;
use collie_testkit::postgres::PostgresServer;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A server and a worker on a database of its own; none where something is missing, which is said.
fn fleet() -> Option<(Fleet, Arc<PostgresServer>, String)> {
    let database = Arc::new(PostgresServer::start()?);
    let url = database.database();
    let fleet = Fleet::with_views(Some(&url), unchanged)?;
    Some((fleet, database, url))
}

/// A second server on the same database, with a folder of its own.
fn second_server(fleet: &Fleet, url: &str) -> Second {
    let home = TestHome::new(&fleet.server.forge);
    let (process, url) = serve_views(&home, &fleet.engine, Some(url));
    let second = Second {
        _home: home,
        _process: process,
        url,
    };
    second.wait_until_ready(&fleet.server);
    second
}

struct Second {
    _home: TestHome,
    _process: RunningCommand,
    url: String,
}

impl Second {
    fn get(&self, server: &TestServer, path: &str) -> crate::serve::Answer {
        let request = server.http.get(format!("{}{path}", self.url));
        server.send(request.bearer_auth(format!("forge-{WRITER}")))
    }

    fn wait_until_ready(&self, server: &TestServer) {
        wait_until_blocking("the second server to be ready", || {
            let answer = self.get(server, "/readyz");
            (answer.status == 200).then_some(()).ok_or(answer.body)
        });
    }

    fn page(&self, server: &TestServer, cookie: &str, command: &Value) -> crate::serve::Answer {
        let request = (server.http.post(format!("{}/rpc", self.url)))
            .header("cookie", cookie)
            .header("x-collie-request", "1")
            .header("sec-fetch-site", "same-origin")
            .header("origin", &self.url);
        server.send(request.json(command))
    }
}

/// Reads an event stream until it has told something.
fn read_until(stream: &mut reqwest::Response, what: &str) -> String {
    let mut told = String::new();
    RUNTIME.block_on(async {
        while !told.contains(what) {
            let chunk = tokio::time::timeout(WAIT_TIMEOUT, stream.chunk());
            let chunk = chunk.await.unwrap_or_else(|_| panic!("{told}"));
            let chunk = chunk.unwrap().expect("the stream goes on");
            told.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    });
    told
}

#[test]
fn two_servers_on_one_database_show_the_same_loops_to_the_same_browsers() {
    let Some((fleet, database, url)) = fleet() else {
        return;
    };
    let second = second_server(&fleet, &url);
    let server = &fleet.server;
    let repo = "demo/clean";
    fleet.import(Scenario::Clean, repo);
    // Both stream, whichever of them is the first to write.
    let open = |url: &str| {
        let request = server.http.get(format!("{url}/events"));
        RUNTIME.block_on(request.bearer_auth(format!("forge-{WRITER}")).send())
    };
    let mut streams = [open(&server.url).unwrap(), open(&second.url).unwrap()];
    assert_eq!(fleet.event(repo, "s", "start").status, 202);
    for stream in &mut streams {
        read_until(stream, "pr_ready_to_merge");
    }
    let path = format!("/pr/{repo}/1/status");
    let shown = |status: &Value| {
        let proof = &status["proof"];
        let shown = [
            &status["state"],
            &status["title"],
            &proof["head_sha"],
            &proof["checks"],
        ];
        json!(shown)
    };
    wait_until_blocking("both to show the same", || {
        let (one, two) = (fleet.status(repo), second.get(server, &path).body);
        let is_same = shown(&one) == shown(&two) && one["state"] == "pr_ready_to_merge";
        is_same.then_some(()).ok_or_else(|| json!([one, two]))
    });
    // Each version of the loop is one entry.
    let twice =
        "SELECT (SELECT count(*) FROM journal) - (SELECT sum(projected_version) FROM loops)";
    assert_eq!(database.ask(&url, twice), "0");
    let created = "SELECT count(*) FROM journal WHERE event IN ('created', 'joined', 'engine')";
    assert_eq!(database.ask(&url, created), "1");
    // Who signed in at one is signed in at the other, and out at both.
    let cookie = server.sign_in(WRITER);
    let session = json!({"command": "session"});
    let there = second.page(server, &cookie, &session);
    assert_eq!(there.status, 200, "{there:?}");
    assert_eq!(there.body["account"]["login"], WRITER, "{there:?}");
    let ended = json!({"command": "sign_out"});
    assert_eq!(server.page(&cookie, ended).status, 200);
    // It is looked for again after two seconds.
    std::thread::sleep(Duration::from_secs(3));
    let there = second.page(server, &cookie, &session);
    assert!(there.body["account"].is_null(), "{there:?}");
}

#[test]
fn a_database_that_is_down_is_said_and_one_that_was_lost_is_filled_anew() {
    let Some((mut fleet, database, url)) = fleet() else {
        return;
    };
    let repo = "demo/clean";
    fleet.import(Scenario::Clean, repo);
    assert_eq!(fleet.event(repo, "s", "start").status, 202);
    let before = fleet.wait_for_state(repo, "pr_ready_to_merge");
    let names = "SELECT string_agg(event, ' ' ORDER BY seq) FROM journal";
    let history = database.ask(&url, names);
    database.stop();
    wait_until_blocking("the server to notice", || {
        let answer = fleet.server.get(WRITER, "/readyz");
        (answer.body["code"] == "database_unreachable")
            .then_some(())
            .ok_or(answer.body)
    });
    let answer = fleet.server.get(WRITER, "/readyz");
    check_problem(&answer, 503, "database_unreachable");
    let detail = answer.body.to_string();
    assert!(
        detail.contains("PostgreSQL") && !detail.contains("127.0.0.1"),
        "{detail}"
    );
    // What was told last is still shown. A server that begins meanwhile says what is missing.
    assert_eq!(fleet.status(repo)["state"], before["state"]);
    let home = TestHome::new(&fleet.server.forge);
    let refused = run_to_end(&mut serve_command(&home, &fleet.engine, Some(&url)));
    assert_eq!(refused.status, 1, "{refused:?}");
    assert_eq!(
        refused.json()[0]["code"],
        "database_unreachable",
        "{refused:?}"
    );
    database.resume();
    fleet.wait_until_ready_to_serve();
    // Lost while nobody looks: what Restate keeps fills it.
    assert!(fleet.server.process.kill());
    database.drop_database(&url);
    database.create(&url);
    let served = serve_views(&fleet.server.home, &fleet.engine, Some(&url));
    (fleet.server.process, fleet.server.url) = served;
    fleet.wait_until_ready_to_serve();
    fleet.wait_for_state(repo, "pr_ready_to_merge");
    let filled = database.ask(&url, names);
    assert!(filled.starts_with(&history), "{filled}: {history}");
}

#[test]
fn an_address_that_is_none_of_postgresql_is_refused_and_not_repeated() {
    let Some((fleet, _, _)) = fleet() else {
        return;
    };
    let home = TestHome::new(&fleet.server.forge);
    for url in [
        "mysql://ana:hidden@db/collie",
        "postgres://ana:hidden@db:port/x",
    ] {
        let refused = run_to_end(&mut serve_command(&home, &fleet.engine, Some(url)));
        assert_eq!(refused.status, 1, "{refused:?}");
        assert_eq!(refused.json()[0]["code"], "database_url", "{refused:?}");
        let all = format!("{refused:?}");
        assert!(
            all.contains("DATABASE_URL") && !all.contains("hidden"),
            "{all}"
        );
    }
}

/// A command beside a server, with a database in its environment or without one.
fn beside(home: &TestHome, args: &[&str], database: Option<&str>) -> CommandResult {
    let mut command = home.collie(args);
    match database {
        Some(url) => command.env("DATABASE_URL", url),
        None => command.env_remove("DATABASE_URL"),
    };
    run_to_end(&mut command)
}

#[test]
fn commands_beside_a_server_read_the_database_that_it_has() {
    let Some((mut fleet, _database, url)) = fleet() else {
        return;
    };
    let (repo, pull) = ("demo/clean", "demo/clean#1");
    fleet.import(Scenario::Clean, repo);
    assert_eq!(fleet.event(repo, "s", "start").status, 202);
    fleet.wait_for_state(repo, "pr_ready_to_merge");
    let reading = [
        vec!["status", pull, "--json"],
        vec!["log", pull, "--json"],
        vec!["replay", pull, "--json"],
        vec!["insights", "--json"],
        vec!["watch", pull, "--until-settled", "--json"],
    ];
    let home = &fleet.server.home;
    let [status, log, replay, insights, watch] = [0, 1, 2, 3, 4].map(|index| {
        let answer = beside(home, &reading[index], Some(&url));
        assert_eq!(answer.status, 0, "{answer:?}");
        answer.json()
    });
    assert_eq!(status[0]["state"], "pr_ready_to_merge", "{status:?}");
    assert_eq!(log[0]["event"], "created", "{log:?}");
    assert_eq!(replay.last().unwrap()["same"], true, "{replay:?}");
    assert_eq!(insights[0]["totals"]["ready"], 1, "{insights:?}");
    let last = watch.last().unwrap();
    assert_eq!(last["state"], "pr_ready_to_merge", "{watch:?}");
    // Without the variable, and with that of some other program, it is said what is missing, and not that there is nothing.
    let others = "mysql://ana:hidden@db/shop";
    for args in &reading {
        for (database, code) in [(None, "loops_in_database"), (Some(others), "database_url")] {
            let refused = beside(home, args, database);
            assert_eq!(refused.status, 1, "{refused:?}");
            assert_eq!(refused.json()[0]["code"], code, "{refused:?}");
        }
    }
    // What is no part of the folder is said where somebody may rely on it.
    let copy = home.path().with_extension("copy");
    for args in [vec!["backup", copy.to_str().unwrap()], vec!["doctor"]] {
        let answer = beside(home, &args, None);
        assert!(answer.stdout.contains("PostgreSQL"), "{answer:?}");
    }
    let alone = TestHome::new(&fleet.server.forge);
    let answer = beside(&alone, &["status", "--json"], Some(others));
    assert_eq!(answer.status, 0, "{answer:?}");
    // What commands ask is left in the server's folder, whether they read the database or not.
    let asked = beside(home, &["cancel", pull, "--json"], None);
    assert_eq!(asked.json()[0]["fate"], "done", "{asked:?}");
    fleet.wait_for_state(repo, "cancelled");
    // A server that keeps its views in its folder again is read there.
    assert!(fleet.server.process.kill());
    let served = serve_views(&fleet.server.home, &fleet.engine, None);
    (fleet.server.process, fleet.server.url) = served;
    fleet.wait_until_ready_to_serve();
    fleet.wait_for_state(repo, "cancelled");
    let answer = beside(&fleet.server.home, &reading[0], None);
    assert_eq!(answer.json()[0]["state"], "cancelled", "{answer:?}");
}

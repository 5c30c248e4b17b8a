//! Bad input and bad surroundings: an exit status, a code for programs, words and a hint for people, in both languages.

use crate::support::*;
use collie_testkit::git::git;
use serde_json::{Value, json};
use std::path::Path;

/// A hint in both languages.
type Hint = (&'static str, &'static str);

const ACCESS: Hint = ("Check the name", "Vérifiez le nom");
const SIGN_IN: Hint = ("Sign in again", "Reconnectez-vous");
const NETWORK: Hint = ("Check the network", "Vérifiez le réseau");
const ALLOW: Hint = ("Add the account to", "Ajoutez le compte aux");
const UPDATE: Hint = ("Update Collie", "Mettez Collie à jour");
const REBUILD: Hint = ("collie doctor --rebuild", "collie doctor --rebuild");
const SPACE: Hint = ("Free up some space", "Libérez de l’espace");
const CONFIG: Hint = ("Fix it", "Corrigez-la");
const GIT: Hint = ("Install git", "Installez git");
const DATA: Hint = (
    "set COLLIE_HOME to another one",
    "choisissez-en un autre avec COLLIE_HOME",
);
const FORGE: Hint = ("`collie help forge`", "`collie help forge`");
const USAGE: (i32, &str) = (2, "usage");

/// Runs a command that has to fail, for programs and for people in both languages; gives the message.
fn assert_fails_with(
    command: &dyn Fn() -> std::process::Command,
    code: &str,
    words: &[&str],
    hint: Hint,
) -> String {
    let ended = run_to_end(command().arg("--json"));
    let lines = ended.json();
    let said = lines.last().unwrap_or(&Value::Null);
    assert_eq!(
        (ended.status, &said["type"], &said["code"]),
        (1, &json!("error"), &json!(code)),
        "{ended:?}"
    );
    assert_eq!(ended.stderr, "", "{ended:?}");
    let message = said["message"].as_str().unwrap().to_owned();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in {said}");
    }
    assert!(said["hints"].to_string().contains(hint.0), "{said}");
    for (language, label, hint) in [
        ("en", "error: ", hint.0),
        ("fr", "erreur\u{202f}: ", hint.1),
    ] {
        let ended = run_to_end(command().args(["--lang", language]));
        assert_eq!(ended.status, 1, "{ended:?}");
        assert!(
            ended.stderr.starts_with(label) && ended.stderr.contains(hint),
            "{language}: {ended:?}"
        );
    }
    message
}

/// A forge with `acme/one#1`, and a data folder.
fn setup() -> (ForgeServer, TestHome) {
    let forge = ForgeServer::start();
    forge.import_acme_one();
    let home = TestHome::new(&forge);
    (forge, home)
}

const WATCH: [&str; 3] = ["watch", "acme/one#1", "--until-settled"];

#[test]
fn what_github_does_not_know_or_allow_is_reported_and_makes_no_loop() {
    let (forge, home) = setup();
    for pull in ["acme/nothing#1", "acme/one#77", "nobody/one#1"] {
        assert_fails_with(
            &|| home.collie(&["watch", pull, "--until-settled"]),
            "not_found",
            &[pull, "was not found"],
            ACCESS,
        );
    }
    assert_fails_with(
        &|| home.collie(&["watch", "acme/nothing", "--until-settled"]),
        "not_found",
        &["acme/nothing"],
        ACCESS,
    );
    for asked in ["status", "log"] {
        let ended = home.run(&[asked, "acme/one#1", "--json"]);
        assert_eq!(
            (ended.status, &ended.json()[0]["code"]),
            (1, &json!("no_loop")),
            "{ended:?}"
        );
        let ended = home.run(&[asked, "acme/one#1", "--lang", "fr"]);
        assert!(ended.stderr.contains("n’a pas de boucle"), "{ended:?}");
    }
    let stranger = TestHome::new(&forge).signed_in_as("no-token-of-this-forge");
    for command in [&WATCH as &[&str], &["start", "acme/one#1"]] {
        assert_fails_with(
            &|| stranger.collie(command),
            "unauthorized",
            &["no longer accepts the token"],
            SIGN_IN,
        );
    }
    let nobody = TestHome::new(&forge).signed_in_as("");
    assert_fails_with(
        &|| nobody.collie(&WATCH),
        "no_token",
        &["No token found for 127.0.0.1"],
        SIGN_IN,
    );
    let ana = TestHome::new(&forge).signed_in_as("forge-ana");
    assert_fails_with(&|| ana.collie(&WATCH), "denied", &["@ana may not"], ALLOW);
    assert!(
        ana.audit()
            .iter()
            .all(|line| line["action"] == "permission_check_denied" && line["login"] == "ana")
    );
    let nowhere = TestHome::with_config("github_api_url = \"http://127.0.0.1:1/api/v3\"\n");
    for command in [&WATCH as &[&str], &["start", "acme/one#1"]] {
        assert_fails_with(
            &|| nowhere.collie(command),
            "unreachable",
            &["127.0.0.1:1"],
            NETWORK,
        );
    }
    for home in [&home, &stranger, &ana, &nowhere] {
        let ended = home.run(&["status", "--json"]);
        assert_eq!(
            (ended.status, ended.stdout.as_str()),
            (0, ""),
            "no loop was made"
        );
    }
}

#[test]
fn the_token_of_another_account_than_the_one_that_is_named_is_not_used() {
    let (forge, home) = setup();
    let home = home.with_config_lines("github_account = \"kim\"");
    for command in [&WATCH as &[&str], &["start", "acme/one#1"]] {
        let ended = home.run(&[command, &["--json"]].concat());
        assert_eq!(ended.status, 1, "{ended:?}");
        let said = ended.json().remove(0).to_string();
        let words = format!("is @{COLLIE_LOGIN}'s, and github_account names @kim");
        assert!(said.contains(&words), "{said}");
    }
    let ended = home.run(&["status", "--json"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, ""), "no loop");
    let named = TestHome::new(&forge);
    let named = named.with_config_lines(&format!("github_account = \"{COLLIE_LOGIN}\""));
    let ended = named.run(&WATCH);
    assert_eq!(ended.status, 0, "control: {ended:?}");
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_2() {
    let (_forge, home) = setup();
    let bad: [&[&str]; 10] = [
        &["watch"],
        &["watch", "acme"],
        &["watch", "acme/one#0"],
        &["watch", "acme/one#x"],
        &["watch", "https://github.com/acme/one/pull/1"],
        &["start", "acme/one"],
        &["merge", "acme/one#1"],
        &["demo", "--scenario", "none"],
        &["status", "--lang", "de"],
        &["forge", "serve", "--root", "x", "--listen", "here"],
    ];
    for args in bad {
        let ended = home.run(args);
        assert_eq!(
            (ended.status, ended.stdout.as_str()),
            (USAGE.0, ""),
            "{args:?}: {ended:?}"
        );
        assert!(ended.stderr.starts_with("error: "), "{args:?}: {ended:?}");
        let ended = home.run(&[args, &["--json"]].concat());
        let said = &ended.json()[0];
        assert_eq!(
            (ended.status, &said["code"]),
            (USAGE.0, &json!(USAGE.1)),
            "{args:?}: {ended:?}"
        );
        assert!(
            said["message"] != "" && said["hints"][0].is_string(),
            "{said}"
        );
    }
    assert!(!home.path().join("collie.db").exists());
    for good in ["--help", "--version"] {
        let ended = home.run(&[good, "--json"]);
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{ended:?}");
    }
}

#[test]
fn a_wrong_configuration_is_reported_with_file_line_key_and_the_nearest_name() {
    let (_forge, home) = setup();
    let file = home.path().join("config.toml").display().to_string();
    let cases = [
        (
            "pol_interval = \"3s\"",
            "`pol_interval`: unknown key; did you mean `poll_interval`?",
        ),
        (
            "poll_interval = \"soon\"",
            "`poll_interval`: \"soon\" is not a duration",
        ),
        ("slots = 0", "`slots`: 0 is not valid"),
        (
            "language = \"de\"",
            "`language`: \"de\" is not valid: expected one of en, fr",
        ),
        ("strictness = \"balancd\"", "did you mean `balanced`?"),
        (
            "require_human_approval = false",
            "`require_human_approval`: Collie never merges",
        ),
        ("auto_merge = true", "`auto_merge`: Collie never merges"),
        (
            "[verify]\ncommand = [\"true\"]",
            "`verify.command`: unknown key; did you mean `verify.commands`?",
        ),
        ("allowed_users = ", "line 2"),
    ];
    for (text, words) in cases {
        home.configure(&format!("# The first line.\n{text}\n"));
        let message = assert_fails_with(
            &|| home.collie(&WATCH),
            "configuration",
            &[&file, words],
            CONFIG,
        );
        let line = if text.starts_with('[') {
            "line 3"
        } else {
            "line 2"
        };
        assert!(message.contains(line), "{message}");
    }
    home.configure("poll_interval = \"1s\"\n");
    assert_fails_with(
        &|| home.collie(&["status"]),
        "configuration",
        &["`poll_interval`", "15 s"],
        CONFIG,
    );
    assert!(!home.path().join("collie.db").exists());
}

#[test]
fn problems_are_reported_in_the_configured_language() {
    let (_forge, home) = setup();
    let home = home.with_config_lines("language = \"fr\"");
    let ended = home.run(&["watch", "acme/nothing#1"]);
    assert!(
        ended.stderr.starts_with("erreur\u{202f}: ") && ended.stderr.contains(ACCESS.1),
        "{ended:?}"
    );
}

#[test]
fn without_git_nothing_begins() {
    let (_forge, home) = setup();
    let empty = tempfile::tempdir().unwrap();
    let root = empty.path().join("forge");
    let root = root.to_str().unwrap();
    let commands: [&[&str]; 4] = [
        &WATCH,
        &["demo", "--scenario", "clean"],
        &["forge", "serve", "--root", root],
        &[
            "forge", "import", "--root", root, "--repo", "a/b", "--git", ".",
        ],
    ];
    for args in commands {
        let bare = || {
            let mut command = home.collie(args);
            command.env("PATH", empty.path());
            command
        };
        assert_fails_with(&bare, "no_git", &["git 2.38"], GIT);
    }
    let mut doctor = home.collie(&["doctor", "--json"]);
    let ended = run_to_end(doctor.env("PATH", empty.path()));
    let lines = ended.json();
    let git = lines.iter().find(|line| line["name"] == "git").unwrap();
    assert_eq!(
        (ended.status, &git["status"]),
        (1, &json!("missing")),
        "{git}"
    );
    assert_eq!(
        home.run(&["status", "--json"]).stdout,
        "",
        "no loop was made"
    );
}

#[test]
fn a_data_folder_that_cannot_be_used_is_reported() {
    let (_forge, home) = setup();
    let file = home.path().join("file");
    std::fs::write(&file, "").unwrap();
    for folder in [
        file.as_path(),
        &file.join("below"),
        Path::new("/proc/collie"),
    ] {
        for args in [&WATCH as &[&str], &["status"]] {
            let at = || {
                let mut command = home.collie(args);
                command.env("COLLIE_HOME", folder);
                command.env("GITHUB_API_URL", "http://127.0.0.1:1/api/v3");
                command
            };
            assert_fails_with(&at, "folder", &[folder.to_str().unwrap()], DATA);
        }
    }
}

/// Runs SQL on a database that nobody has open.
fn run_sql(database: &Path, sql: &str) {
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()";
    let mut command = std::process::Command::new("python3");
    let ended = run_to_end(command.args(["-c", script]).arg(database).arg(sql));
    assert_eq!(ended.status, 0, "{ended:?}");
}

#[test]
fn data_of_a_newer_collie_is_refused_and_left_alone() {
    let (_forge, home) = setup();
    assert_eq!(home.run(&WATCH).status, 0);
    let database = home.path().join("collie.db");
    run_sql(
        &database,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (999, 'from the future', 1, x'00', 0)",
    );
    let before = std::fs::read(&database).unwrap();
    for args in [
        &WATCH as &[&str],
        &["status"],
        &["log", "acme/one#1"],
        &["doctor", "--rebuild"],
    ] {
        assert_fails_with(
            &|| home.collie(args),
            "newer",
            &["newer version of Collie", "version 999"],
            UPDATE,
        );
    }
    assert!(std::fs::read(&database).unwrap() == before);
}

#[test]
fn a_damaged_journal_is_kept_and_rebuilt_from_the_checkpoints_without_saying_anything_twice() {
    let (forge, home) = setup();
    assert_eq!(home.run(&WATCH).status, 0);
    let posts = || forge.list("/repos/acme/one/issues/1/comments").len();
    let (before, run_id) = (posts(), home.status("acme/one#1")["run_id"].clone());
    let database = home.path().join("collie.db");
    std::fs::write(
        &database,
        "no database at all, but long enough to be looked at",
    )
    .unwrap();
    for args in [&WATCH as &[&str], &["status"], &["start", "acme/one#1"]] {
        assert_fails_with(
            &|| home.collie(args),
            "damaged",
            &["is damaged and was set aside"],
            REBUILD,
        );
    }
    let ended = home.run(&["doctor", "--rebuild", "--json"]);
    let report = &ended.json()[0];
    assert_eq!(
        (ended.status, &report["restored"]),
        (0, &json!(["acme/one#1"])),
        "{ended:?}"
    );
    assert!(Path::new(report["kept_aside"].as_str().unwrap()).exists());
    assert_eq!(home.run(&WATCH).status, 0);
    assert_eq!(
        (posts(), &home.status("acme/one#1")["run_id"]),
        (before, &run_id)
    );
    let again = home.run(&["doctor", "--rebuild", "--json"]);
    assert_eq!(
        (again.status, &again.json()[0]["healthy"]),
        (0, &json!(true))
    );
}

#[test]
fn a_damaged_checkpoint_is_kept_and_reported_by_a_rebuild() {
    let (_forge, home) = setup();
    assert_eq!(home.run(&WATCH).status, 0);
    let checkpoint = home.path().join("state/acme/one/pr_1.json");
    let half = std::fs::read_to_string(&checkpoint).unwrap();
    let half = &half[..half.len() / 2];
    std::fs::write(&checkpoint, half).unwrap();
    assert_eq!(home.run(&WATCH).status, 0, "the journal is the truth");
    std::fs::write(&checkpoint, half).unwrap();
    std::fs::remove_file(home.path().join("collie.db")).unwrap();
    assert_fails_with(&|| home.collie(&WATCH), "damaged", &["collie.db"], REBUILD);
    let ended = home.run(&["doctor", "--rebuild", "--json"]);
    let report = &ended.json()[0];
    assert_eq!(
        (ended.status, &report["restored"]),
        (0, &json!([])),
        "{ended:?}"
    );
    let skipped = &report["skipped"][0];
    assert!(
        skipped["place"].as_str().unwrap().contains("pr_1.json") && skipped["reason"] != "",
        "{report}"
    );
    assert_eq!(std::fs::read_to_string(&checkpoint).unwrap(), half);
    assert_eq!(home.run(&WATCH).status, 0, "it begins anew");
}

/// Watches with no room for any file to grow beyond a few KiB: SQLite cannot make the file beside the journal any larger, which is
/// how it first meets a full disk.
fn watch_with_no_room_for_files(home: &TestHome) -> CommandResult {
    let watch = home.collie(&WATCH);
    let script = "trap '' XFSZ && ulimit -f 16 && exec \"$@\" --json";
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", script, "sh"]).arg(watch.get_program());
    limited.args(watch.get_args()).env_clear();
    let variables = watch.get_envs();
    limited.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    run_to_end(&mut limited)
}

fn assert_disk_is_full(ended: &CommandResult, what: &str) {
    let said = ended.json().pop().unwrap_or_default();
    let outcome = (ended.status, &said["type"]);
    assert_eq!(outcome, (1, &json!("error")), "{what}: {ended:?}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let message = text(&said["message"]);
    assert!(message.contains("is full"), "{what}: {message}");
    assert!(text(&said["hints"][0]).contains(SPACE.0), "{what}: {said}");
}

/// Lets no more rows into a table of the journal, also while an engine runs, or lets them in again. SQLite answers the insert after the
/// largest row id like one that finds the disk full (<https://www.sqlite.org/autoinc.html>).
fn set_table_full(home: &TestHome, table: &str, full: bool) {
    let last = if full { i64::MAX } else { 1_000_000 };
    let sql = format!("UPDATE sqlite_sequence SET seq = {last} WHERE name = '{table}'");
    run_sql(&home.path().join("collie.db"), &sql);
}

/// No disk is mounted for it, which not everybody may.
#[test]
fn a_full_disk_is_reported_and_with_room_the_loop_goes_on() {
    let (forge, home) = setup();
    let ended = watch_with_no_room_for_files(&home);
    assert_disk_is_full(&ended, "before there is a journal");
    let settles = |pull: &str| {
        let ended = home.run(&["watch", pull, "--until-settled", "--json"]);
        let last = ended.json().pop().unwrap_or_default();
        let outcome = (ended.status, &last["type"], &last["state"]);
        let ready = (0, &json!("settled"), &json!("pr_ready_to_merge"));
        assert_eq!(outcome, ready, "{ended:?}");
    };
    settles("acme/one#1");
    let ended = watch_with_no_room_for_files(&home);
    assert_disk_is_full(&ended, "with a journal");

    for table in ["inbox", "outbox"] {
        let (gate, repo) = (CheckGate::new(), format!("acme/{table}"));
        let base = [(".forge.toml", gate.forge_toml()), ("a.txt", "a\n".into())];
        let base = base.each_ref().map(|(path, text)| (*path, text.as_str()));
        forge.import_files(&repo, &base, &[("a.txt", "b\n")]);
        let pull = format!("{repo}#1");
        let mut engine = home.start(&["watch", &pull, "--until-settled", "--json"]);
        engine.read_until("the checks", |line| {
            line["blocker"]["code"] == "checks_running"
        });
        set_table_full(&home, table, true);
        gate.open();
        let status = engine.wait_for_exit().code().unwrap_or(-1);
        let ended = CommandResult {
            status,
            stdout: engine.seen.join("\n"),
            stderr: String::new(),
        };
        assert_disk_is_full(&ended, table);
        set_table_full(&home, table, false);
        settles(&pull);
    }
}

#[test]
fn the_forge_reports_what_it_cannot_take() {
    let (forge, home) = setup();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("file"), "").unwrap();
    std::fs::create_dir(at("plain")).unwrap();
    let used = forge.root().to_str().unwrap().to_owned();
    let root = at("root");
    let open = |head: &str, repo: &str| -> Vec<String> {
        let args = [
            "open-pr", "--root", &root, "--repo", repo, "--base", "main", "--head", head,
            "--title", "T",
        ];
        args.map(str::to_owned).to_vec()
    };
    let words =
        |args: &[&str]| -> Vec<String> { args.iter().map(|arg| (*arg).to_owned()).collect() };
    let source = at("source");
    std::fs::create_dir(&source).unwrap();
    git(Path::new(&source), &["init", "-q", "-b", "main"]);
    git(
        Path::new(&source),
        &["commit", "-q", "--allow-empty", "-m", "Start"],
    );
    let import = words(&[
        "import", "--root", &root, "--repo", "acme/two", "--git", &source,
    ]);
    let done = home.run(&[
        "forge", "import", "--json", "--root", &root, "--repo", "acme/two", "--git", &source,
    ]);
    assert_eq!(done.status, 0, "{done:?}");
    let cases = [
        (words(&["serve", "--root", &at("file")]), at("file")),
        (
            words(&["serve", "--root", &at("file/below")]),
            at("file/below"),
        ),
        (
            words(&["serve", "--root", &used]),
            "another forge runs".to_owned(),
        ),
        (
            words(&["serve", "--root", &root, "--listen", "0.0.0.0:0"]),
            "not a loopback address".to_owned(),
        ),
        (
            words(&[
                "import",
                "--root",
                &root,
                "--repo",
                "a/b",
                "--git",
                &at("plain"),
            ]),
            at("plain"),
        ),
        (
            words(&[
                "import",
                "--root",
                &root,
                "--repo",
                "a/b",
                "--git",
                &at("file"),
            ]),
            at("file"),
        ),
        (
            words(&[
                "import",
                "--root",
                &root,
                "--repo",
                "a/b",
                "--git",
                &at("none"),
            ]),
            at("none"),
        ),
        (import, "acme/two exists already".to_owned()),
        (
            open("nothing", "acme/two"),
            "`nothing` is no branch or commit".to_owned(),
        ),
        (open("main", "a/none"), "a".to_owned()),
        (open("main", "acme/two"), "main".to_owned()),
    ];
    for (args, message) in cases {
        let command = || {
            let mut command = home.collie(&["forge"]);
            command.args(&args);
            command
        };
        assert_fails_with(&command, "forge", &[&message], FORGE);
    }
}

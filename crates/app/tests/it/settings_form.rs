//! The settings' form over `config.toml`: what it shows, what it refuses, what it leaves as a person wrote it.

use collie_app::backend::settings::{self, Changes, SettingsTarget};
use collie_config::{
    Config, ConfigErrorKind, ConfigFileKind, ConfigLayer, DataFolder, LiveConfig, needs_restart,
};
use collie_core::autonomy::Autonomy;
use collie_core::ids::{Login, RepoName};
use collie_i18n::Localizer;
use collie_wire::rpc::{SettingField, SettingKind, SettingProblem, SettingSource, SettingsView};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A data folder with a `config.toml`, and an environment.
struct SettingsFolder {
    root: TempDir,
    variables: Vec<(&'static str, &'static str)>,
}

impl SettingsFolder {
    fn with(text: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("config.toml"), text).unwrap();
        let variables = Vec::new();
        Self { root, variables }
    }

    fn folder(&self) -> DataFolder {
        DataFolder::at(self.root.path()).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.root.path().join("config.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn variable(&self, name: &str) -> Option<String> {
        let found = self.variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    }

    fn view(&self) -> SettingsView {
        settings::view(
            &self.folder(),
            |name| self.variable(name),
            &english_localizer(),
        )
    }

    fn field(&self, key: &str) -> SettingField {
        let fields = self.view().fields;
        fields
            .into_iter()
            .find(|field| field.key == key)
            .expect(key)
    }

    fn check(&self, changes: Value) -> Vec<SettingProblem> {
        let environment = |name: &str| self.variable(name);
        settings::check(
            &self.folder(),
            environment,
            &parse_changes(changes),
            &english_localizer(),
        )
    }

    fn save(&self, changes: Value) -> Result<Config, Vec<SettingProblem>> {
        let environment = |name: &str| self.variable(name);
        settings::save(
            &self.folder(),
            environment,
            &parse_changes(changes),
            &english_localizer(),
        )
        .unwrap()
    }
}

fn english_localizer() -> Localizer {
    Localizer::new("en")
}

fn parse_changes(changes: Value) -> Changes {
    serde_json::from_value(changes).unwrap()
}

fn parse_repository(name: &str) -> RepoName {
    RepoName::parse(name).unwrap()
}

/// What a person wrote, with comments everywhere.
const HAND_WRITTEN_CONFIG: &str = r#"# Collie, as I like it.

# who may
allowed_users = [
  "@Ana", # the boss
  "ben",
]
slots = 2 # no more, the machine is small
poll_interval = 90_000
max_iterations = 3

# checks
[verify]
commands = ["make lint"] # quick

# our bot
[[bots]]
id = 42
login = "house-bot"
name = "House"
reviews = false # it only counts

[[repositories]]
name = "acme/api"
authors = ["ana"] # hers first

# the site
[[repositories]]
name = "acme/site"
auto_pr_review_enabled = false
"#;

#[test]
fn what_was_not_changed_stays_as_it_was_written() {
    let check = |changes: Value, edits: &[(&str, &str)]| {
        let home = SettingsFolder::with(HAND_WRITTEN_CONFIG);
        home.save(changes.clone()).unwrap();
        let mut expected = HAND_WRITTEN_CONFIG.to_owned();
        for (from, to) in edits {
            assert!(expected.contains(from), "{from}");
            expected = expected.replacen(from, to, 1);
        }
        assert_eq!(home.text(), expected, "{changes}");
    };
    check(json!({}), &[]);
    check(json!({"slots": 5}), &[("slots = 2", "slots = 5")]);
    check(json!({"slots": 2, "poll_interval": "1m 30s"}), &[]);
    check(json!({"poll_interval": "2m"}), &[("90_000", "\"2m\"")]);
    check(
        json!({"slots": null}),
        &[("slots = 2 # no more, the machine is small\n", "")],
    );
    check(
        json!({"allowed_users": ["Ana", "ben", "kim"]}),
        &[("  \"ben\",\n", "  \"ben\",\n  \"kim\",\n")],
    );
    check(
        json!({"allowed_users": ["ben"]}),
        &[("\n  \"@Ana\", # the boss", " # the boss")],
    );
    check(
        json!({"max_pr_review_iterations": 4}),
        &[("max_iterations = 3", "max_pr_review_iterations = 4")],
    );
    check(
        json!({"max_pr_review_iterations": null}),
        &[("max_iterations = 3\n", "")],
    );
    check(
        json!({"verify.commands": ["make lint", "make test"]}),
        &[("[\"make lint\"]", "[\"make lint\", \"make test\"]")],
    );
    check(
        json!({"verify.commands": ["make test", "make lint"]}),
        &[("[\"make lint\"]", "[\"make test\", \"make lint\"]")],
    );
    check(
        json!({"desktop.theme": "dark"}),
        &[(
            "auto_pr_review_enabled = false\n",
            "auto_pr_review_enabled = false\n\n[desktop]\ntheme = \"dark\"\n",
        )],
    );
    check(
        json!({"bots": [{"login": "House-Bot", "id": 42}, {"login": "coderabbitai", "id": 136622811, "shipped": true}]}),
        &[("login = \"house-bot\"", "login = \"House-Bot\"")],
    );
    check(
        json!({"repositories": [
            {"name": "acme/api", "authors": ["ana"]},
            {"name": "acme/site", "auto_pr_review_enabled": true, "labels": ["go"], "unsandboxed": true},
        ]}),
        &[(
            "auto_pr_review_enabled = false\n",
            "auto_pr_review_enabled = true\nlabels = [\"go\"]\nunsandboxed = true\n",
        )],
    );
    check(
        json!({"repositories": [{"name": "acme/api", "authors": ["ana"]}]}),
        &[(
            "\n# the site\n[[repositories]]\nname = \"acme/site\"\nauto_pr_review_enabled = false\n",
            "",
        )],
    );
    check(
        json!({"repositories": [
            {"name": "acme/site"},
            {"name": "acme/api", "authors": ["ana"]},
        ]}),
        &[
            (
                "[[repositories]]\nname = \"acme/api\"\nauthors = [\"ana\"] # hers first\n",
                "%",
            ),
            (
                "# the site\n[[repositories]]\nname = \"acme/site\"\nauto_pr_review_enabled = false\n",
                "[[repositories]]\nname = \"acme/api\"\nauthors = [\"ana\"] # hers first\n",
            ),
            (
                "%",
                "# the site\n[[repositories]]\nname = \"acme/site\"\nauto_pr_review_enabled = false\n",
            ),
        ],
    );
}

#[test]
fn a_file_of_any_shape_can_be_edited() {
    let check = |before: &str, changes: Value, after: &str| {
        let home = SettingsFolder::with(before);
        home.save(changes).unwrap();
        assert_eq!(home.text(), after);
    };
    check("", json!({"slots": 2}), "slots = 2\n");
    check("# mine", json!({"slots": 2}), "# mine\nslots = 2\n");
    check(
        "# mine\n\n# slots\nslots = 1\n",
        json!({"slots": null}),
        "# mine\n\n",
    );
    check(
        "verify.commands = [\"a\"]\n",
        json!({"verify.commands": ["b"]}),
        "verify.commands = [\"b\"]\n",
    );
    check(
        "verify = { commands = [\"a\"] } # all\n",
        json!({"verify.commands": ["a", "b"]}),
        "verify = { commands = [\"a\", \"b\"] } # all\n",
    );
    check(
        "repositories = [{ name = \"a/b\" }]\n",
        json!({"repositories": [{"name": "a/b"}, {"name": "c/d"}]}),
        "[[repositories]]\nname = \"a/b\"\n\n[[repositories]]\nname = \"c/d\"\n",
    );
    check(
        "slots = 1\n# ours\nrepositories = [{ name = \"a/b\" }]\n",
        json!({"repositories": [{"name": "a/b", "labels": ["x"]}]}),
        "slots = 1\n# ours\n[[repositories]]\nname = \"a/b\"\nlabels = [\"x\"]\n",
    );
    check(
        "stages = []\n",
        json!({"stages": [{"reviewers": [{"name": "rules", "kind": "rules"}, {"name": "ana", "kind": "human"}]}]}),
        "[[stages]]\nreviewers = [\"rules\", \"@ana\"]\n",
    );
    // Comments of a stage stay with its reviewers.
    check(
        "# one\n[[stages]]\nreviewers = [\"rules\"]\n\n# two\n[[stages]]\nreviewers = [\"@ana\"]\n",
        json!({"stages": [{"reviewers": [{"name": "ana", "kind": "human"}]}]}),
        "\n# two\n[[stages]]\nreviewers = [\"@ana\"]\n",
    );
    // A key that nobody knows is the one thing that can be taken out without knowing it.
    check("foo = 1\nslots = 1\n", json!({"foo": null}), "slots = 1\n");
}

#[test]
fn problems_are_reported_by_setting_and_nothing_is_written() {
    let check = |changes: Value, key: &str, message: &str| {
        let home = SettingsFolder::with(HAND_WRITTEN_CONFIG);
        let problems = home.check(changes.clone());
        let told: Vec<_> = problems
            .iter()
            .map(|problem| (problem.key.as_str(), problem.message.as_str()))
            .collect();
        assert_eq!(told, [(key, message)], "{changes}");
        assert_eq!(problems[0].line, None, "{changes}");
        assert_eq!(home.save(changes).unwrap_err(), problems);
        assert_eq!(home.text(), HAND_WRITTEN_CONFIG);
    };
    let range = "expected a whole number from 1 to 64";
    check(
        json!({"slots": 0}),
        "slots",
        &format!("0 is not valid: {range}"),
    );
    check(
        json!({"slots": "two"}),
        "slots",
        &format!("\"two\" is not valid: {range}"),
    );
    check(
        json!({"slots": {"a": 1}}),
        "slots",
        "{\"a\":1} is not allowed here",
    );
    check(
        json!({"slots": 4, "max_comments": 101}),
        "max_comments",
        "101 is not valid: expected a whole number from 0 to 100",
    );
    check(
        json!({"poll_interval": "5s"}),
        "poll_interval",
        "github.com is read every 15 s at most: set it to \"15s\" or more",
    );
    check(
        json!({"poll_interval": "soon"}),
        "poll_interval",
        "\"soon\" is not a duration: expected one such as \"30m\", \"45s\" or \"500ms\"",
    );
    check(
        json!({"desktop.theme": "drak"}),
        "desktop.theme",
        "\"drak\" is not valid: expected one of system, light, dark; did you mean `dark`?",
    );
    check(
        json!({"allowed_users": ["a b"]}),
        "allowed_users",
        "\"a b\" is not a login",
    );
    check(
        json!({"expected_bots": ["coderabbit"]}),
        "expected_bots",
        "\"coderabbit\" is not a known bot; add it under [[bots]] with the number of its account; did you mean `coderabbitai`?",
    );
    check(
        json!({"bots": [{"login": "x", "id": 0}]}),
        "bots",
        "expected the number of the bot’s account",
    );
    check(
        json!({"stages": [{"reviewers": []}]}),
        "stages",
        "a stage has 1 to 5 reviewers, not 0",
    );
    check(
        json!({"repositories": [{"name": "acme"}]}),
        "repositories",
        "\"acme\" is not a repository: expected one such as \"owner/repo\"",
    );
    check(
        json!({"repositories": [{"name": "a/b"}, {"name": "A/B"}]}),
        "repositories",
        "A/B is listed twice",
    );
    check(
        json!({"repositories": "all"}),
        "repositories",
        "expected tables: [[repositories]]",
    );
    check(
        json!({"github_api_url": "ghe"}),
        "github_api_url",
        "\"ghe\" is not a valid address: expected one such as \"https://ghe.example.com/api/v3\", without a login in it",
    );
}

#[test]
fn a_key_nobody_knows_is_refused_with_those_that_are() {
    let home = SettingsFolder::with("");
    let problems = home.check(json!({"slotz": 1}));
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0]
            .message
            .starts_with("unknown key; known keys are language, desktop.theme")
    );
}

#[test]
fn a_file_with_problems_is_shown_with_them_and_kept() {
    let text = "slots = 0\nmax_comments = 5\nfoo = 1\n";
    let home = SettingsFolder::with(text);
    let view = home.view();
    let told: Vec<_> = view
        .problems
        .iter()
        .map(|problem| (problem.key.as_str(), problem.line))
        .collect();
    assert_eq!(told, [("slots", Some(1)), ("foo", Some(3))]);
    assert_eq!(home.field("max_comments").value, json!(5));
    // What stands elsewhere in the file keeps a change from being saved, and says where it is.
    let problems = home.save(json!({"slots": 3})).unwrap_err();
    assert_eq!(
        (problems.len(), problems[0].key.as_str(), problems[0].line),
        (1, "foo", Some(3))
    );
    assert_eq!(home.text(), text);
    home.save(json!({"slots": 3, "foo": null})).unwrap();
    assert_eq!(home.text(), "slots = 3\nmax_comments = 5\n");
}

#[test]
fn while_the_file_has_problems_the_configuration_in_force_is_shown() {
    let home = SettingsFolder::with("slots = 7\nmax_comments = 500\n");
    let held = Config::resolve(
        home.root.path().into(),
        &[ConfigLayer {
            slots: Some(2),
            ..ConfigLayer::default()
        }],
    )
    .unwrap();
    let folder = home.folder();
    let ground = SettingsTarget {
        current_config: Some(&held),
        ..SettingsTarget::from(&folder)
    };
    let view = settings::view(ground, |_| None, &english_localizer());
    let slots = view
        .fields
        .iter()
        .find(|field| field.key == "slots")
        .unwrap();
    assert_eq!(
        (&slots.value, slots.source),
        (&json!(2), SettingSource::File)
    );
}

#[test]
fn what_is_no_toml_is_never_overwritten() {
    for (bytes, line, start) in [
        (&b"slots = 2\nslots ="[..], Some(2), ""),
        (
            b"slots = 1\nslots = 2\n",
            Some(2),
            "invalid TOML: duplicate",
        ),
        (b"slots = 2 \xff", None, "not UTF-8 after byte 10"),
    ] {
        let home = SettingsFolder::with("");
        fs::write(home.file(), bytes).unwrap();
        let shown = home.view().problems;
        assert_eq!((shown[0].key.as_str(), shown[0].line), ("", line));
        assert!(shown[0].message.starts_with(start), "{}", shown[0].message);
        assert_eq!(home.save(json!({"slots": 3})).unwrap_err(), shown);
        assert_eq!(fs::read(home.file()).unwrap(), bytes);
    }
}

#[test]
fn values_tell_where_they_come_from_and_the_environment_cannot_be_changed_here() {
    let mut home = SettingsFolder::with("max_comments = 5\nslots = 2\n");
    home.variables = vec![
        ("MAX_COMMENTS", "7"),
        ("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS", "ana"),
    ];
    let seen = |key: &str| {
        let field = home.field(key);
        (field.value, field.default, field.source)
    };
    assert_eq!(
        seen("max_comments"),
        (json!(7), json!(20), SettingSource::Environment)
    );
    assert_eq!(seen("slots"), (json!(2), json!(3), SettingSource::File));
    assert_eq!(
        seen("max_restarts"),
        (json!(20), json!(20), SettingSource::Default)
    );
    assert_eq!(
        seen("allowed_users"),
        (json!(["ana"]), json!([]), SettingSource::Environment)
    );
    let problems = home.save(json!({"max_comments": 9})).unwrap_err();
    assert_eq!(
        problems[0].message,
        "MAX_COMMENTS is set in the environment, which takes precedence; unset it there to change this here"
    );
    let allowed = settings::allow_login(
        &home.folder(),
        |name| home.variable(name),
        &Login::new("ben"),
    );
    assert_eq!(allowed.unwrap().unwrap_err()[0].key, "allowed_users");
    home.variables = vec![("MAX_COMMENTS", "many")];
    assert_eq!(home.view().problems[0].key, "max_comments");
}

#[test]
fn what_lies_below_the_file_is_the_default() {
    let home = SettingsFolder::with("");
    let below = [ConfigLayer {
        language: Some("fr"),
        github_api_url: Some("http://127.0.0.1:4000/api/v3".to_owned()),
        ..ConfigLayer::default()
    }];
    let folder = home.folder();
    let ground = SettingsTarget {
        base_layers: &below,
        ..SettingsTarget::from(&folder)
    };
    let changes = parse_changes(json!({"poll_interval": "1s"}));
    let config = settings::save(ground, |_| None, &changes, &english_localizer())
        .unwrap()
        .unwrap();
    assert_eq!(
        (config.language, config.policy.poll_interval_ms),
        ("fr", 1000)
    );
    assert_eq!(home.text(), "poll_interval = \"1s\"\n");
    // Our own hands tell problems in the language that the person chose.
    fs::write(home.file(), "slots = 0\n").unwrap();
    let refused = settings::allow_login(ground, |_| None, &Login::new("ana"))
        .unwrap()
        .unwrap_err();
    assert!(
        refused[0].message.contains("n’est pas valide"),
        "{}",
        refused[0].message
    );
}

#[test]
fn what_the_demo_sets_is_not_called_the_default() {
    let home = SettingsFolder::with("slots = 2\n");
    let demo = [ConfigLayer {
        // So often nobody else's host is asked.
        github_api_url: Some("http://127.0.0.1:4000/api/v3".to_owned()),
        poll_interval: Some(1_000),
        slots: Some(7),
        ..ConfigLayer::default()
    }];
    let folder = home.folder();
    let target = SettingsTarget {
        demo_layers: &demo,
        ..SettingsTarget::from(&folder)
    };
    let view = settings::view(target, |_| None, &english_localizer());
    let seen = |key: &str| {
        let field = view.fields.iter().find(|field| field.key == key).unwrap();
        (field.value.clone(), field.default.clone(), field.source)
    };
    assert_eq!(
        seen("poll_interval"),
        (json!("1s"), json!("1m"), SettingSource::Demo)
    );
    assert_eq!(seen("slots"), (json!(2), json!(3), SettingSource::File));
    assert_eq!(
        seen("max_restarts"),
        (json!(20), json!(20), SettingSource::Default)
    );
    let changes = parse_changes(json!({"slots": null}));
    let config = settings::save(target, |_| None, &changes, &english_localizer());
    assert_eq!(config.unwrap().unwrap().slots, 7, "it holds all the same");
}

#[test]
fn the_sidebar_and_its_toggles_are_kept_in_the_file() {
    let home = SettingsFolder::with(HAND_WRITTEN_CONFIG);
    let (folder, none) = (home.folder(), |_: &str| None);
    let names = |config: &Config| -> Vec<(String, bool)> {
        let each = config.repositories.iter();
        each.map(|repository| {
            (
                repository.name.to_string(),
                repository.auto_pr_review_enabled,
            )
        })
        .collect()
    };
    let config =
        settings::set_auto_review(&folder, none, &parse_repository("Acme/API"), true, None)
            .unwrap()
            .unwrap();
    assert_eq!(
        names(&config),
        [("acme/api".into(), true), ("acme/site".into(), false)]
    );
    assert!(home.text().contains(
        "name = \"acme/api\"\nauthors = [\"ana\"] # hers first\nauto_pr_review_enabled = true\n"
    ));
    let config = settings::add_repositories(
        &folder,
        none,
        &[parse_repository("acme/site"), parse_repository("o/r")],
    )
    .unwrap()
    .unwrap();
    assert_eq!(config.repositories.len(), 3);
    settings::remove_repository(&folder, none, &parse_repository("acme/api"))
        .unwrap()
        .unwrap();
    settings::remove_repository(&folder, none, &parse_repository("nobody/nothing"))
        .unwrap()
        .unwrap();
    let config = settings::allow_login(&folder, none, &Login::new("kim"))
        .unwrap()
        .unwrap();
    assert_eq!(
        names(&config),
        [("acme/site".into(), false), ("o/r".into(), false)]
    );
    assert!(config.policy.allowed_users.contains(&Login::new("kim")));
    assert!(home.text().contains("# the boss") && home.text().contains("# the site"));
}

#[test]
fn savers_at_the_same_time_lose_nothing() {
    let home = SettingsFolder::with("# mine\n");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let folder = home.folder();
            scope.spawn(move || {
                settings::add_repositories(
                    &folder,
                    |_| None,
                    &[parse_repository(&format!("o/r{n}"))],
                )
                .unwrap()
                .unwrap();
            });
        }
    });
    let config = home.save(json!({})).unwrap();
    let names: BTreeSet<String> = config
        .repositories
        .iter()
        .map(|repository| repository.name.to_string())
        .collect();
    assert_eq!(names, (0..8).map(|n| format!("o/r{n}")).collect());
    assert!(home.text().starts_with("# mine\n"));
}

#[cfg(unix)]
#[test]
fn a_linked_file_stays_a_link_and_rights_stay_as_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = SettingsFolder::with("");
    let elsewhere = tempfile::tempdir().unwrap();
    let real = elsewhere.path().join("collie.toml");
    fs::write(&real, "slots = 2\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::remove_file(home.file()).unwrap();
    symlink(&real, home.file()).unwrap();
    home.save(json!({"slots": 4})).unwrap();
    assert!(fs::symlink_metadata(home.file()).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "slots = 4\n");
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    fs::remove_file(&real).unwrap();
    home.save(json!({"slots": 5})).unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "slots = 5\n");
}

#[test]
fn a_file_that_cannot_be_read_or_written_is_reported() {
    let home = SettingsFolder::with("");
    fs::remove_file(home.file()).unwrap();
    fs::create_dir(home.file()).unwrap();
    assert!(
        home.view().problems[0]
            .message
            .starts_with("cannot be read: ")
    );
    let saved = settings::save(
        &home.folder(),
        |_| None,
        &parse_changes(json!({"slots": 2})),
        &english_localizer(),
    );
    let error = saved.unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read ") && error.contains("config.toml"),
        "{error}"
    );
}

/// A model that is set up, so that each of its settings can be changed alone.
const MODEL_CONFIG: &str =
    "[llm]\nprovider = \"ollama\"\nmodel = \"m\"\nurl = \"http://127.0.0.1:1/v1\"\n";

/// What a person wrote about models and agents.
const HAND_WRITTEN_AGENTS: &str = r#"# mine
[llm] # the big one
provider = "openai"
model = "gpt-5" # good

# who fixes
[fixer]
runs_on = "codex" # quick

[fixer.by_author]
Ana = "mine" # hers

# our agent
[agents.mine]
command = [
  "mine", # the program
  "--acp",
]
env = ["MINE_KEY"] # to log in

# quality
[reviewers.quinn]
runs_on = "llm" # reads well
escalates_to = [] # nobody
"#;

#[test]
fn models_and_agents_are_edited_where_they_stand() {
    let check = |changes: Value, edits: &[(&str, &str)]| {
        let home = SettingsFolder::with(HAND_WRITTEN_AGENTS);
        home.save(changes.clone()).unwrap();
        let mut expected = HAND_WRITTEN_AGENTS.to_owned();
        for (from, to) in edits {
            assert!(expected.contains(from), "{from}");
            expected = expected.replacen(from, to, 1);
        }
        assert_eq!(home.text(), expected, "{changes}");
    };
    let mine = json!({"name": "mine", "command": ["mine", "--acp"], "env": ["MINE_KEY"]});
    let quinn = json!({"name": "quinn", "runs_on": "llm", "escalates_to": []});
    check(
        json!({"llm.model": "gpt-5-mini", "llm.temperature": 0.2}),
        &[(
            "model = \"gpt-5\" # good\n",
            "model = \"gpt-5-mini\" # good\ntemperature = 0.2\n",
        )],
    );
    check(
        json!({"fixer.runs_on": "claude-code"}),
        &[("\"codex\" # quick", "\"claude-code\" # quick")],
    );
    check(
        json!({"fixer.by_author": [{"login": "@ana", "runs_on": "rules"}, {"login": "ben", "runs_on": "goose"}]}),
        &[(
            "Ana = \"mine\" # hers\n",
            "Ana = \"rules\" # hers\nben = \"goose\"\n",
        )],
    );
    check(
        json!({"fixer.by_author": []}),
        &[("\n[fixer.by_author]\nAna = \"mine\" # hers\n", "")],
    );
    check(
        json!({"agents": [mine, {"name": "goose", "command": [], "env": ["GOOSE_KEY"], "hosts": ["localhost:11434"], "state": [".goose"]}]}),
        &[(
            "# to log in\n",
            "# to log in\n\n[agents.goose]\nenv = [\"GOOSE_KEY\"]\nhosts = [\"localhost:11434\"]\nstate = [\".goose\"]\n",
        )],
    );
    check(
        json!({"agents": [{"name": "mine", "command": ["mine", "acp"], "env": []}]}),
        &[
            // The comment stood before the word that went.
            (", # the program\n  \"--acp\"", ",\n  \"acp\""),
            ("env = [\"MINE_KEY\"] # to log in\n", ""),
        ],
    );
    check(
        json!({"agents": [{"name": "mine", "command": ["mine", "--acp"], "env": ["MINE_KEY"], "model": "large", "effort": "high"}]}),
        &[(
            "# to log in\n",
            "# to log in\nmodel = \"large\"\neffort = \"high\"\n",
        )],
    );
    // That nobody takes over is not silence.
    check(
        json!({"reviewers": [{"name": "quinn", "runs_on": "llm", "escalates_to": [], "fallback": []}]}),
        &[("# nobody\n", "# nobody\nfallback = []\n")],
    );
    check(
        json!({"reviewers": [quinn, {"name": "sam", "runs_on": "mine", "model": "big"}]}),
        &[(
            "# nobody\n",
            "# nobody\n\n[reviewers.sam]\nruns_on = \"mine\"\nmodel = \"big\"\n",
        )],
    );
    check(
        json!({"reviewers": [{"name": "quinn", "model": "small", "escalates_to": ["sam", "nora"]}]}),
        &[(
            "runs_on = \"llm\" # reads well\nescalates_to = [] # nobody\n",
            "escalates_to = [\"sam\", \"nora\"] # nobody\nmodel = \"small\"\n",
        )],
    );
    check(
        json!({"reviewers": null}),
        &[(
            "\n# quality\n[reviewers.quinn]\nruns_on = \"llm\" # reads well\nescalates_to = [] # nobody\n",
            "",
        )],
    );
}

/// What a person wrote about MCP servers.
const HAND_WRITTEN_SERVERS: &str = r#"# the handbook
[mcp.docs]
command = ["docs-server", "--stdio"] # ours
env = ["DOCS_TOKEN"]
used_by = ["fixer"] # no more

[mcp.tickets]
url = "https://mcp.example.com"
transport = "http" # the newer form
headers = { Authorization = { variable = "TICKETS" } } # to log in
used_by = ["reviewers"]
"#;

#[test]
fn mcp_servers_are_edited_where_they_stand() {
    let docs = json!({"name": "docs", "command": ["docs-server", "--stdio"], "env": ["DOCS_TOKEN"], "headers": [], "used_by": ["fixer"], "hosts": [], "readable": []});
    let authorization = json!({"name": "Authorization", "value": "TICKETS", "from_variable": true});
    let tickets = json!({"name": "tickets", "command": [], "env": [], "url": "https://mcp.example.com", "transport": "http", "headers": [authorization], "used_by": ["reviewers"], "hosts": [], "readable": []});
    let field = SettingsFolder::with(HAND_WRITTEN_SERVERS).field("mcp");
    assert_eq!(field.value, json!([docs, tickets]));
    let check = |changes: Value, edits: &[(&str, &str)]| {
        let home = SettingsFolder::with(HAND_WRITTEN_SERVERS);
        home.save(changes.clone()).unwrap();
        let mut expected = HAND_WRITTEN_SERVERS.to_owned();
        for (from, to) in edits {
            assert!(expected.contains(from), "{from}");
            expected = expected.replacen(from, to, 1);
        }
        assert_eq!(home.text(), expected, "{changes}");
    };
    let with = |server: &Value, changes: Value| {
        let mut server = server.clone();
        for (key, value) in changes.as_object().unwrap() {
            server[key] = value.clone();
        }
        server
    };
    check(
        json!({"mcp": [with(&docs, json!({"used_by": ["fixer", "reviewers"], "hosts": ["docs.example.com"]})), tickets]}),
        &[(
            "used_by = [\"fixer\"] # no more\n",
            "used_by = [\"fixer\", \"reviewers\"] # no more\nhosts = [\"docs.example.com\"]\n",
        )],
    );
    check(
        json!({"mcp": [docs, with(&tickets, json!({"transport": "sse"}))]}),
        &[("\"http\" # the newer", "\"sse\" # the newer")],
    );
    // The usual way of speaking goes without saying.
    let local = json!({"name": "local", "url": "http://127.0.0.1:9/mcp", "transport": "http", "used_by": ["fixer"]});
    check(
        json!({"mcp": [docs, local, tickets]}),
        &[(
            "used_by = [\"reviewers\"]\n",
            "used_by = [\"reviewers\"]\n\n[mcp.local]\nurl = \"http://127.0.0.1:9/mcp\"\nused_by = [\"fixer\"]\n",
        )],
    );
    // A program instead of an address takes along what was said of that.
    let program = json!({"name": "tickets", "command": ["tickets"], "used_by": ["reviewers"]});
    let home = SettingsFolder::with(HAND_WRITTEN_SERVERS);
    home.save(json!({"mcp": [docs, program]})).unwrap();
    let gone = ["https://", "transport", "headers"];
    assert!(
        gone.iter().all(|word| !home.text().contains(word)),
        "{}",
        home.text()
    );
}

#[test]
fn an_mcp_server_that_is_not_clear_or_holds_a_secret_is_not_saved() {
    let check = |server: Value, path: &str, told: &str| {
        let home = SettingsFolder::with("");
        let problems = home.save(json!({ "mcp": [server] })).unwrap_err();
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}");
        };
        let place = (problem.key.as_str(), problem.path.as_deref());
        assert_eq!(place, ("mcp", Some(path)), "{server}");
        assert!(problem.message.contains(told), "{}", problem.message);
        assert!(!problem.message.contains("AbCdEf"), "{}", problem.message);
        assert_eq!(home.text(), "");
    };
    let key = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEfGhIjKl";
    check(json!({"name": "docs"}), "mcp.docs", "needs a `command`");
    check(
        json!({"name": "docs", "command": ["docs"]}),
        "mcp.docs",
        "`used_by`",
    );
    check(
        json!({"name": "docs", "command": ["docs", key], "used_by": ["fixer"]}),
        "mcp.docs.command",
        "a secret stands here",
    );
    check(
        json!({"name": "docs", "command": ["docs"], "env": [key], "used_by": ["fixer"]}),
        "mcp.docs.env",
        "variable",
    );
    check(
        json!({"name": "docs", "url": format!("https://h/?key={key}"), "used_by": ["fixer"]}),
        "mcp.docs.url",
        "a secret stands here",
    );
    let header = json!({"name": "Authorization", "value": "Bearer AbCdEf"});
    check(
        json!({"name": "docs", "url": "https://h", "headers": [header], "used_by": ["fixer"]}),
        "mcp.docs.headers",
        "is a secret",
    );
}

#[test]
fn tables_of_models_may_be_written_in_one_line() {
    let check = |before: &str, changes: Value, after: &str| {
        let home = SettingsFolder::with(before);
        home.save(changes).unwrap();
        assert_eq!(home.text(), after);
    };
    let two = json!({"agents": [{"name": "a", "command": ["a"]}, {"name": "b", "command": ["b"]}]});
    check(
        "agents = { a = { command = [\"a\"] } } # all\n",
        two.clone(),
        "agents = { a = { command = [\"a\"] }, b = { command = [\"b\"] } } # all\n",
    );
    check(
        "agents.a.command = [\"a\"]\n",
        two,
        "agents.a.command = [\"a\"]\n\n[agents.b]\ncommand = [\"b\"]\n",
    );
    check(
        "fixer = { runs_on = \"codex\" }\n",
        json!({"fixer.by_author": [{"login": "ana", "runs_on": "goose"}]}),
        "fixer = { runs_on = \"codex\", by_author = { ana = \"goose\" } }\n",
    );
    check(
        "",
        json!({"fixer.by_author": [{"login": "ana", "runs_on": "goose"}], "fixer.runs_on": "codex"}),
        "[fixer]\nruns_on = \"codex\"\n\n[fixer.by_author]\nana = \"goose\"\n",
    );
    check(
        "",
        json!({"fixer.by_author": [{"login": "ana", "runs_on": "goose"}]}),
        "[fixer.by_author]\nana = \"goose\"\n",
    );
}

#[test]
fn problems_of_models_are_reported_at_what_is_missing() {
    let check = |file: &str, changes: Value, told: &[(&str, &str)]| {
        let home = SettingsFolder::with(file);
        let problems = home.check(changes.clone());
        let keys: Vec<_> = problems
            .iter()
            .map(|problem| (problem.key.as_str(), problem.message.as_str()))
            .collect();
        assert_eq!(keys, told, "{changes}");
        assert_eq!(home.save(changes).unwrap_err(), problems);
        assert_eq!(home.text(), file);
    };
    let both =
        "a language model needs both `provider` and `model`: Collie has no default for either";
    check(
        "",
        json!({"llm.provider": "openai"}),
        &[("llm.model", both)],
    );
    check("", json!({"llm.model": "gpt-5"}), &[("llm.provider", both)]);
    check(
        MODEL_CONFIG,
        json!({"llm.model": null}),
        &[("llm.model", both)],
    );
    check(
        "",
        json!({"llm.provider": "compatible", "llm.model": "m"}),
        &[(
            "llm.url",
            "the provider \"compatible\" needs a `url`, such as \"http://127.0.0.1:8080/v1\"",
        )],
    );
    check(
        MODEL_CONFIG,
        json!({"llm.temperature": 2.5}),
        &[(
            "llm.temperature",
            "2.5 is not valid: expected a number from 0 to 2, such as 0.2",
        )],
    );
    check(
        "",
        json!({"fixer.runs_on": "codx"}),
        &[(
            "fixer.runs_on",
            "\"codx\" is not an agent: set it up as [agents.codx] with its `command`; did you mean `codex`?",
        )],
    );
    check(
        "",
        json!({"fixer.by_author": [{"login": "a b", "runs_on": "codex"}]}),
        &[("fixer.by_author", "\"a b\" is not a login")],
    );
    check(
        "",
        json!({"reviewers": [{"name": "quinn", "runs_on": "llm"}]}),
        &[("reviewers", both)],
    );
    check(
        "",
        json!({"reviewers": [{"name": "My Own", "runs_on": "codex"}]}),
        &[(
            "reviewers",
            "\"My Own\" is not a valid name: expected lower-case letters, digits and dashes",
        )],
    );
    check(
        "",
        json!({"agents": [{"name": "mine"}]}),
        &[(
            "agents",
            "Collie does not know this agent: it needs a `command`, such as [\"my-agent\", \"--acp\"]",
        )],
    );
    check(
        "[fixer]\nruns_on = \"mine\"\n[agents.mine]\ncommand = [\"mine\"]\n",
        json!({"agents": []}),
        &[(
            "fixer.runs_on",
            "\"mine\" is not an agent: set it up as [agents.mine] with its `command`",
        )],
    );
    check(
        "",
        json!({"agents": "all"}),
        &[("agents", "\"all\" is not allowed here")],
    );
    // Both halves together are right, also where the file had one.
    SettingsFolder::with("")
        .save(json!({"llm.provider": "openai", "llm.model": "gpt-5"}))
        .unwrap();
    let half = SettingsFolder::with("[llm]\nprovider = \"openai\"\nmax_tokens = 512\n");
    let view = half.view();
    assert_eq!(view.problems[0].key, "llm.model");
    assert_eq!(half.field("llm.provider").value, json!("openai"));
    assert_eq!(half.field("llm.max_tokens").value, json!(512));
    half.save(json!({"llm.model": "gpt-5"})).unwrap();
}

#[test]
fn the_environment_decides_over_the_model_and_holds_its_key() {
    let mut home = SettingsFolder::with(MODEL_CONFIG);
    home.variables = vec![
        ("LLM_PROVIDER", "anthropic"),
        ("LLM_MODEL", "claude-x"),
        ("LLM_API_KEY", "sk-0123456789"),
    ];
    for (key, value, variable) in [
        ("llm.provider", "anthropic", "LLM_PROVIDER"),
        ("llm.model", "claude-x", "LLM_MODEL"),
    ] {
        let field = home.field(key);
        assert_eq!(
            (field.value, field.source, field.variable.as_deref()),
            (json!(value), SettingSource::Environment, Some(variable))
        );
        let problems = home.save(json!({ key: "ollama" })).unwrap_err();
        assert!(problems[0].message.starts_with(variable));
    }
    assert_eq!(home.field("llm.url").source, SettingSource::File);
    let view = home.view();
    assert!(!serde_json::to_string(&view).unwrap().contains("sk-0123"));
}

#[test]
fn agents_and_personas_of_the_user_are_offered() {
    let home = SettingsFolder::with(
        "[agents.mine]\ncommand = [\"mine\"]\n[reviewers.nora]\nruns_on = \"mine\"\n[[stages]]\nreviewers = [\"rules\", \"kim\"]\n",
    );
    fs::create_dir(home.root.path().join("personas")).unwrap();
    let write = |name: &str, text: &str| {
        fs::write(home.root.path().join("personas").join(name), text).unwrap();
    };
    write(
        "ada.md",
        "---\nname: ada\ntitle: accessibility reviewer\nfocus: who cannot use it\n---\nLook at names.\n",
    );
    write("bad.md", "no front matter\n");
    let options = match home.field("fixer.runs_on").kind {
        SettingKind::Runner { options } => options,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (options[0].as_str(), options[6].as_str()),
        ("rules", "mine")
    );
    let (personas, wrong) = match home.field("stages").kind {
        SettingKind::Stages {
            personas,
            persona_problems,
        } => (personas, persona_problems),
        other => panic!("{other:?}"),
    };
    let offered: Vec<_> = personas
        .iter()
        .map(|persona| {
            (
                persona.name.as_str(),
                persona.title.as_deref(),
                persona.runs_on.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        offered,
        [
            ("priya", None, None),
            ("quinn", None, None),
            ("sam", None, None),
            ("ada", Some("accessibility reviewer"), None),
            ("kim", None, None),
            ("nora", None, Some("mine")),
        ]
    );
    assert!(
        wrong.len() == 1 && wrong[0].starts_with("personas/bad.md, line 1"),
        "{wrong:?}"
    );
    // With a model the others have something to run on, and Quinn is on the panel unless the file says who is.
    home.save(json!({"llm.provider": "ollama", "llm.model": "m", "stages": null}))
        .unwrap();
    let field = home.field("stages");
    assert_eq!(field.value, field.default);
    assert_eq!(field.value[0]["reviewers"][0]["name"], json!("quinn"));
    home.save(json!({"stages": [{"reviewers": [{"name": "ada", "kind": "agent"}]}]}))
        .unwrap();
    assert!(home.text().contains("reviewers = [\"ada\"]"));
    assert_eq!(home.field("stages").default, field.default);
}

/// The form knows no accounts (§18.2): they are lost by no change of what a persona runs on.
#[test]
fn a_persona_keeps_its_account_when_nothing_else_is_said_of_it_any_more() {
    let account = "[reviewers.quinn]\naccount = \"quinn-bot\"\nmay_approve = true\n";
    let home = SettingsFolder::with(&format!(
        "{account}runs_on = \"codex\"\n\n[reviewers.sam]\nruns_on = \"codex\"\n"
    ));
    home.save(json!({"reviewers": []})).unwrap();
    assert_eq!(home.text().trim(), account.trim(), "sam's table is gone");
    home.save(json!({"reviewers": [{"name": "quinn", "runs_on": "codex"}]}))
        .unwrap();
    assert!(home.text().starts_with(account), "{}", home.text());
}

/// The keys that a table of the file knows, asked of the parser itself.
fn documented_keys(text: &str) -> BTreeSet<String> {
    let error = ConfigLayer::from_toml("config.toml", text, ConfigFileKind::User).unwrap_err();
    match &error.problems[0].kind {
        ConfigErrorKind::UnknownKey(known) => known.iter().map(|key| (*key).to_owned()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_key_of_the_file_is_shown_or_left_out_for_a_reason() {
    let left_out = [
        (
            "max_iterations",
            "the older name of max_pr_review_iterations",
        ),
        ("require_human_approval", "can only be true (§11)"),
        ("auto_merge", "can only be false (§11)"),
        ("verify", "a table, whose keys are shown"),
        ("desktop", "a table, whose keys are shown"),
        ("disk", "a table, whose keys are shown"),
        (
            "runners",
            "of a server, whose settings stand in the file of its machine alone",
        ),
        (
            "app",
            "of `collie watch` and `collie serve`, as their operator set them up",
        ),
        (
            "fixer.accounts",
            "goes with tokens that `collie account` alone takes",
        ),
        ("budget", "a table, whose keys are shown"),
        ("llm", "a table, whose keys are shown"),
        ("fixer", "a table, whose keys are shown"),
    ];
    let mut keys = documented_keys("qqqqqq = 1");
    for table in ["verify", "desktop", "disk", "budget", "llm", "fixer"] {
        let inner = documented_keys(&format!("[{table}]\nqqqqqq = 1"));
        keys.extend(inner.into_iter().map(|key| format!("{table}.{key}")));
    }
    for (key, why) in left_out {
        assert!(keys.remove(key), "{key}, {why}, is no key any more");
    }
    let shown = SettingsFolder::with("")
        .view()
        .fields
        .into_iter()
        .map(|field| field.key);
    assert_eq!(shown.collect::<BTreeSet<_>>(), keys);
}

#[test]
fn the_form_offers_exactly_what_the_file_takes() {
    for field in SettingsFolder::with("").view().fields {
        let key = field.key.as_str();
        let fits = |value: Value| {
            SettingsFolder::with(MODEL_CONFIG)
                .check(json!({ key: value }))
                .is_empty()
        };
        match field.kind {
            SettingKind::Number { min, max } => {
                assert!(fits(json!(min)) && fits(json!(max)), "{key}");
                assert!(
                    !fits(json!(i64::from(min) - 1)) && !fits(json!(max + 1)),
                    "{key}"
                );
            }
            SettingKind::Choice { options } => {
                assert!(options.iter().all(|option| fits(json!(option))), "{key}");
                assert!(!fits(json!("qqqqqq")), "{key}");
            }
            SettingKind::Runner { options } => {
                assert!(options.iter().all(|option| fits(json!(option))), "{key}");
                assert!(!fits(json!("qqqqqq")), "{key}");
            }
            SettingKind::Authors { options } => {
                let by = |agent: &str| json!([{"login": "ana", "runs_on": agent}]);
                assert!(options.iter().all(|option| fits(by(option))), "{key}");
                assert!(!fits(by("qqqqqq")), "{key}");
            }
            SettingKind::Personas {
                options,
                personas,
                providers,
                efforts,
            } => {
                let on = |name: &str, option: &str| json!([{"name": name, "runs_on": option}]);
                let with = |key: &str, word: &str| json!([{"name": "quinn", "model": "m", "url": "http://h/v1", key: word}]);
                assert!(providers.iter().all(|word| fits(with("provider", word))));
                assert!(efforts.iter().all(|word| fits(with("effort", word))));
                assert!(options.iter().all(|option| fits(on("quinn", option))));
                assert!(
                    personas
                        .iter()
                        .all(|persona| fits(on(&persona.name, "llm")))
                );
                assert!(!fits(on("quinn", "qqqqqq")), "{key}");
            }
            SettingKind::Models { providers, efforts } => {
                let with = |provider: &str, effort: &str| json!([{"name": "spare", "provider": provider, "model": "m", "url": "http://h/v1", "effort": effort}]);
                assert!(providers.iter().all(|word| fits(with(word, "low"))));
                assert!(efforts.iter().all(|word| fits(with("openai", word))));
                assert!(!fits(with("openai", "qqqqqq")) && !fits(with("qqqqqq", "low")));
            }
            SettingKind::Program => {
                assert!(fits(json!(["pass", "show", "key"])) && !fits(json!([])))
            }
            SettingKind::ModelNames => assert!(!fits(json!(["qqqqqq"])), "{key}"),
            SettingKind::Headers => {
                let one = |name: &str| json!([{"name": name, "value": "x"}]);
                assert!(fits(one("X-Team")) && !fits(one("two words")), "{key}");
            }
            SettingKind::Agents { known, efforts } => {
                assert!(known.iter().all(|name| fits(json!([{ "name": name }]))));
                assert!(!fits(json!([{"name": "qqqqqq"}])), "{key}");
                let with = |effort: &str| json!([{"name": "codex", "effort": effort}]);
                assert!(efforts.iter().all(|word| fits(with(word))) && !fits(with("qqqqqq")));
            }
            SettingKind::McpServers { transports, roles } => {
                let with = |transport: &str, role: &str| json!([{"name": "docs", "url": "https://h", "transport": transport, "used_by": [role]}]);
                assert!(transports.iter().all(|word| fits(with(word, "fixer"))));
                assert!(roles.iter().all(|word| fits(with("http", word))));
                assert!(!fits(with("qqqqqq", "fixer")) && !fits(with("http", "qqqqqq")));
            }
            SettingKind::Decimal { max } => {
                let taken = [json!(0), json!(max), json!(0.25), json!(max + 1)].map(fits);
                assert_eq!(taken, [true, true, true, false], "{key}");
            }
            SettingKind::Toggle => assert!(fits(json!(true)) && !fits(json!("true")), "{key}"),
            SettingKind::Fraction => assert!(
                fits(json!(1)) && fits(json!(0.25)) && !fits(json!(1.1)),
                "{key}"
            ),
            SettingKind::Duration => assert!(fits(json!("1h 2m 3s")) && !fits(json!("")), "{key}"),
            SettingKind::Text
            | SettingKind::Logins
            | SettingKind::Texts
            | SettingKind::Stages { .. }
            | SettingKind::Bots
            | SettingKind::Repositories => assert!(!fits(json!(17)), "{key}"),
        }
        // What is shown can be sent back; a model's settings, a limit, a command, and an account are null while there is none.
        let null = field.value.is_null();
        let may_be_none = key.starts_with("llm.")
            || key.starts_with("budget.")
            || key == "verify.prepare"
            || key == "github_account";
        assert!(!null || may_be_none, "{key}");
        assert!(
            null || SettingsFolder::with("")
                .check(json!({ key: field.value }))
                .is_empty(),
            "{key}"
        );
    }
}

#[test]
fn every_field_has_its_words_in_both_languages() {
    let locales = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../locales");
    for language in ["en", "fr"] {
        let files = fs::read_dir(locales.join(language)).unwrap();
        let texts: String = files
            .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        let has = |key: &str| {
            texts
                .lines()
                .any(|line| line.starts_with(&format!("{key} =")))
        };
        for field in SettingsFolder::with("").view().fields {
            let key = format!("setting-{}", field.key.replace('.', "-"));
            assert!(
                has(&key) && has(&format!("{key}-help")),
                "{language}: {key}"
            );
            let words: Vec<String> = match field.kind {
                SettingKind::Choice { options } => {
                    options.iter().map(|word| format!("{key}-{word}")).collect()
                }
                SettingKind::Runner { options }
                | SettingKind::Authors { options }
                | SettingKind::Personas { options, .. } => options
                    .iter()
                    .map(|word| format!("runner-{word}"))
                    .collect(),
                SettingKind::Stages { personas, .. } => personas
                    .iter()
                    .map(|persona| format!("persona-{}", persona.name))
                    .collect(),
                _ => Vec::new(),
            };
            for word in words {
                assert!(has(&word), "{language}: {word}");
            }
        }
    }
}

#[test]
fn what_changed_is_in_force_at_once_but_for_where_and_how_many() {
    let home = SettingsFolder::with("");
    let live = LiveConfig::new(home.save(json!({})).unwrap());
    let held = live.clone();
    let before = live.replace(
        home.save(json!({"max_comments": 3, "language": "fr"}))
            .unwrap(),
    );
    assert_eq!(
        (held.get().policy.max_comments, held.get().language),
        (3, "fr")
    );
    assert!(!needs_restart(&before, &held.get()));
    for changes in [
        json!({"slots": 9}),
        json!({"github_api_url": "https://ghe.example.com/api/v3"}),
    ] {
        assert!(needs_restart(&held.get(), &home.save(changes).unwrap()));
    }
}

fn login_lists() -> impl Strategy<Value = Value> {
    prop::collection::btree_set("[a-z][a-z0-9-]{0,8}", 0..4).prop_map(|set| json!(set))
}

fn string_lists() -> impl Strategy<Value = Value> {
    prop::collection::btree_set("[A-Za-bé\"'#\\\\\\]][ a-bA-B]{0,2}[a-bA-B]", 0..4)
        .prop_map(|set| json!(set))
}

fn repository_lists() -> impl Strategy<Value = Value> {
    let one = (any::<bool>(), login_lists(), string_lists(), string_lists());
    prop::collection::btree_map("[a-z]{1,4}/[a-z]{1,4}", one, 0..4).prop_map(|map| {
        let each = map.into_iter().map(|(name, (on, authors, labels, base_branches))| {
            json!({ "name": name, "auto_pr_review_enabled": on, "authors": authors, "labels": labels, "base_branches": base_branches, "read_from": [], "unsandboxed": false, "autonomy": null, "except": [] })
        });
        each.collect()
    })
}

/// A change that fits, of any kind of setting.
fn any_change() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![
        any_model_change(),
        (1..=64u32).prop_map(|n| ("slots", json!(n))),
        (0..=1000u32).prop_map(|n| ("comment_threshold", json!(f64::from(n) / 1000.0))),
        (1..=50u32).prop_map(|n| ("max_pr_review_iterations", json!(n))),
        (15..100_000u32).prop_map(|state| ("poll_interval", json!(duration_text(state)))),
        prop::sample::select(vec!["permissive", "balanced", "strict"])
            .prop_map(|w| ("strictness", json!(w))),
        any::<bool>().prop_map(|yes| ("desktop.keep_running", json!(yes))),
        prop_oneof![Just("observe"), Just("ask"), Just("push")]
            .prop_map(|level| ("desktop.new_repositories", json!(level))),
        any::<bool>().prop_map(|yes| ("fix", json!(yes))),
        any::<bool>().prop_map(|yes| ("fix_suggestions", json!(yes))),
        "[a-z\"#=\\[é]{1,12}".prop_map(|text| ("ignore_label", json!(text))),
        login_lists().prop_map(|list| ("allowed_users", list)),
        string_lists().prop_map(|list| ("ignored_checks", list)),
        string_lists().prop_map(|list| ("verify.commands", list)),
        repository_lists().prop_map(|list| ("repositories", list)),
    ]
}

/// A change of models and agents that fits, whatever else is set.
fn any_model_change() -> impl Strategy<Value = (&'static str, Value)> {
    let agent = || prop::sample::select(vec!["rules", "codex", "claude-code", "goose"]);
    let runs_on = || prop::option::of(prop::sample::select(vec!["codex", "goose"]));
    let persona = (
        runs_on(),
        prop::option::of("[a-z\"#é]{1,6}"),
        prop::option::of(Just(vec!["sam"])),
    );
    prop_oneof![
        (0..=2000u32).prop_map(|n| ("llm.temperature", json!(f64::from(n) / 1000.0))),
        (256..=200_000u32).prop_map(|n| ("llm.max_tokens", json!(n))),
        (2_000..=2_000_000u32).prop_map(|n| ("llm.context_tokens", json!(n))),
        Just(("llm.url", json!("http://127.0.0.1:8080/v1"))),
        agent().prop_map(|name| ("fixer.runs_on", json!(name))),
        prop::collection::btree_map("[a-z][a-z0-9-]{0,8}", agent(), 0..4).prop_map(|rows| {
            let each = rows
                .into_iter()
                .map(|(login, on)| json!({"login": login, "runs_on": on}));
            ("fixer.by_author", each.collect())
        }),
        prop::collection::btree_map("[a-z][a-z0-9-]{0,8}", persona, 0..4).prop_map(|rows| {
            let each = rows.into_iter().map(|(name, (on, model, asks))| {
                json!({"name": name, "runs_on": on, "model": model, "escalates_to": asks})
            });
            ("reviewers", each.collect())
        }),
        prop::collection::btree_map(
            "[a-z][a-z0-9-]{0,8}",
            (string_lists(), string_lists(), any::<bool>()),
            0..4
        )
        .prop_map(|rows| {
            let each = rows.into_iter().map(|(name, (more, env, chosen))| {
                let command: Vec<Value> = [json!("my-agent")]
                    .into_iter()
                    .chain(more.as_array().unwrap().clone())
                    .collect();
                let mut agent = json!({"name": name, "command": command, "env": env, "hosts": [], "readable": [], "state": []});
                if chosen {
                    agent["model"] = json!("large \"one\"");
                    agent["effort"] = json!("low");
                }
                agent
            });
            ("agents", each.collect())
        }),
        any_mcp_change(),
    ]
}

/// Servers that fit: programs, and addresses of both forms.
fn any_mcp_change() -> impl Strategy<Value = (&'static str, Value)> {
    let transport = prop::option::of(prop::sample::select(vec!["http", "sse"]));
    let servers = prop::collection::btree_map("[a-z][a-z0-9-]{0,8}", transport, 0..4);
    servers.prop_map(|rows| {
        let each = rows.into_iter().map(|(name, transport)| {
            let mut server = json!({"name": name, "command": [], "env": [], "headers": [], "used_by": ["reviewers"], "hosts": [], "readable": ["/srv/docs"]});
            match transport {
                Some(transport) => {
                    server["url"] = json!("https://mcp.example.com");
                    server["transport"] = json!(transport);
                    server["headers"] = json!([{"name": "X-Team", "value": "TEAM", "from_variable": true}]);
                }
                None => {
                    server["command"] = json!(["docs", "two words"]);
                    server["env"] = json!(["DOCS_TOKEN"]);
                }
            }
            server
        });
        ("mcp", each.collect())
    })
}

fn duration_text(seconds: u32) -> String {
    let parts = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let said = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, unit)| format!("{n}{unit}"));
    said.collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fits and is saved is shown, by the form and by the file alone; comments stay; taken out again, the default holds.
    #[test]
    fn what_is_saved_is_shown(changes in prop::collection::vec(any_change(), 1..5), written in any::<bool>()) {
        let home = SettingsFolder::with(if written { HAND_WRITTEN_CONFIG } else { "" });
        for (key, value) in &changes {
            home.save(json!({ *key: value })).unwrap();
            prop_assert_eq!(&home.field(key).value, value, "{}", home.text());
            prop_assert!(!written || home.text().starts_with("# Collie, as I like it.\n\n"));
        }
        for (key, _) in &changes {
            home.save(json!({ *key: null })).unwrap();
            let field = home.field(key);
            prop_assert_eq!((field.value, field.source), (field.default, SettingSource::Default));
        }
    }
}

#[test]
fn a_change_of_case_alone_is_written_where_case_matters() {
    let home =
        SettingsFolder::with("ignored_checks = [\"Build\"] # slow\nallowed_users = [\"Kim\"]\n");
    home.save(json!({ "ignored_checks": ["build"], "allowed_users": ["kim"] }))
        .unwrap();
    let text = home.text();
    assert!(
        text.contains("\"build\"") && !text.contains("Build"),
        "{text}"
    );
    // The same account: what a person wrote stays.
    assert!(text.contains("\"Kim\""), "{text}");
}

#[test]
fn a_repository_that_is_added_begins_at_the_level_that_was_chosen() {
    let level_of = |file: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.toml"), file).unwrap();
        let data = DataFolder::at(folder.path()).unwrap();
        let repo = RepoName::parse("acme/api").unwrap();
        settings::add_repositories(&data, |_| None, std::slice::from_ref(&repo))
            .unwrap()
            .unwrap();
        let layer = ConfigLayer::from_folder(&data).unwrap();
        layer.repositories.unwrap()[0].autonomy
    };
    assert_eq!(level_of(""), Some(Autonomy::Observe));
    let chosen = level_of("[desktop]\nnew_repositories = \"push\"\n");
    assert_eq!(chosen, Some(Autonomy::Push));
}

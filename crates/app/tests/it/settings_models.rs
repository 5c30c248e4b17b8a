//! Language models in the settings' form: options, headers, those that take over; of all, of personas.

use collie_app::backend::settings::{self, Changes};
use collie_config::{Config, DataFolder, HeaderSource, LlmSettings};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use collie_wire::rpc::SettingProblem;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A data folder with a `config.toml`.
struct ModelFile(TempDir);

impl ModelFile {
    fn with(text: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("config.toml"), text).unwrap();
        Self(root)
    }

    fn folder(&self) -> DataFolder {
        DataFolder::at(self.0.path()).unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.path().join("config.toml")).unwrap()
    }

    fn value(&self, key: &str) -> Value {
        let view = settings::view(&self.folder(), |_| None, &Localizer::new("en"));
        assert_eq!(view.problems, []);
        let mut fields = view.fields.into_iter();
        fields.find(|field| field.key == key).expect(key).value
    }

    fn save(&self, changes: Value) -> Result<Config, Vec<SettingProblem>> {
        let changes = parse(changes);
        settings::save(&self.folder(), |_| None, &changes, &Localizer::new("en")).unwrap()
    }

    fn model(&self, table: &str, changes: Value) -> Result<LlmSettings, UserError> {
        settings::model_of_table(&self.folder(), |_| None, &parse(changes), table)
    }
}

fn parse(changes: Value) -> Changes {
    serde_json::from_value(changes).unwrap()
}

/// What a person wrote about models.
const HAND_WRITTEN: &str = r#"# mine
[llm] # the big one
provider = "openai"
model = "gpt-5" # good
headers = { "X-Team" = "reviews", "X-Gateway" = { variable = "GATEWAY" } } # ours

# takes over
[models.spare]
provider = "ollama" # here
model = "qwen3:8b"

# looks closely
[reviewers.sam]
effort = "high" # thinks
max_tokens = 50_000

[reviewers.sam.headers] # hers
X-Team = "security" # the team
"#;

#[test]
fn options_of_models_are_edited_where_they_stand() {
    let check = |changes: Value, edits: &[(&str, &str)]| {
        let home = ModelFile::with(HAND_WRITTEN);
        home.save(changes.clone()).unwrap();
        let mut expected = HAND_WRITTEN.to_owned();
        for (from, to) in edits {
            assert!(expected.contains(from), "{from}");
            expected = expected.replacen(from, to, 1);
        }
        assert_eq!(home.text(), expected, "{changes}");
    };
    let team = json!({"name": "X-Team", "value": "reviews", "from_variable": false});
    let gateway = json!({"name": "X-Gateway", "value": "GATEWAY", "from_variable": true});
    check(
        json!({"llm.effort": "low", "llm.key_command": ["pass", "show key"], "llm.fallback": ["spare"]}),
        &[(
            "# ours\n",
            "# ours\neffort = \"low\"\nfallback = [\"spare\"]\nkey_command = [\"pass\", \"show key\"]\n",
        )],
    );
    check(json!({"llm.headers": [team, gateway]}), &[]);
    check(
        json!({"llm.headers": [team, {"name": "X-Gateway", "value": "OTHER", "from_variable": true}]}),
        &[("\"GATEWAY\"", "\"OTHER\"")],
    );
    check(
        json!({"llm.headers": [gateway]}),
        &[("{ \"X-Team\" = \"reviews\", ", "{ ")],
    );
    check(
        json!({"llm.headers": []}),
        &[(
            "headers = { \"X-Team\" = \"reviews\", \"X-Gateway\" = { variable = \"GATEWAY\" } } # ours\n",
            "",
        )],
    );
    check(
        json!({"models": [{"name": "spare", "provider": "ollama", "model": "qwen3:30b", "context_tokens": 16_000}]}),
        &[("\"qwen3:8b\"\n", "\"qwen3:30b\"\ncontext_tokens = 16000\n")],
    );
    check(
        json!({"reviewers": [{"name": "sam", "effort": "max", "max_tokens": 50_000, "provider": "anthropic", "model": "claude-opus-4-5",
            "headers": [{"name": "X-Team", "value": "security"}, {"name": "X-Key", "value": "SAM", "from_variable": true}]}]}),
        &[
            ("\"high\" # thinks", "\"max\" # thinks"),
            (
                "50_000\n",
                "50_000\nmodel = \"claude-opus-4-5\"\nprovider = \"anthropic\"\n",
            ),
            (
                "# the team\n",
                "# the team\nX-Key = { variable = \"SAM\" }\n",
            ),
        ],
    );
}

#[test]
fn what_is_said_of_models_is_shown_and_holds() {
    let home = ModelFile::with("");
    let all = json!({
        "llm.provider": "openai", "llm.model": "gpt-5", "llm.effort": "xhigh", "llm.key_variable": "TEAM_KEY",
        "llm.headers": [{"name": "X-Team", "value": "a", "from_variable": false}],
        "llm.fallback": ["spare"],
        "models": [{"name": "spare", "provider": "vllm", "model": "m", "temperature": 0.3, "url": "http://gpu:8000/v1"}],
        "reviewers": [{"name": "sam", "runs_on": null, "model": null, "escalates_to": null,
            "key_command": ["pass", "sam"], "context_tokens": 9000, "fallback": ["spare"]}],
    });
    let config = home.save(all.clone()).unwrap();
    for (key, value) in all.as_object().unwrap() {
        assert_eq!(home.value(key), *value, "{key}");
    }
    let sam = &config.persona_models["sam"];
    assert_eq!((sam.model.as_str(), sam.context_tokens), ("gpt-5", 9_000));
    assert_eq!(sam.key_command, ["pass", "sam"]);
    assert_eq!(sam.fallback, ["spare"]);
    assert_eq!(sam.headers["X-Team"], HeaderSource::Value("a".into()));
    assert_eq!(
        config.models["spare"].url.as_deref(),
        Some("http://gpu:8000/v1")
    );
}

#[test]
fn bad_input_is_refused_with_its_field_and_nothing_is_written() {
    let check = |changes: Value, path: &str, told: &str| {
        let home = ModelFile::with(HAND_WRITTEN);
        let problems = home.save(changes.clone()).unwrap_err();
        assert_eq!(home.text(), HAND_WRITTEN, "{changes}");
        let [problem] = &problems[..] else {
            panic!("{problems:?}")
        };
        let told_path = problem.path.as_ref().unwrap_or(&problem.key);
        assert_eq!(told_path, path, "{changes}");
        assert!(path.starts_with(&problem.key));
        assert!(problem.message.contains(told), "{}", problem.message);
    };
    let sam = |key: &str, value: Value| json!({"reviewers": [{"name": "sam", key: value}]});
    check(
        sam("max_tokens", json!("many")),
        "reviewers.sam.max_tokens",
        "\"many\"",
    );
    check(
        sam("effort", json!("much")),
        "reviewers.sam.effort",
        "\"much\"",
    );
    check(
        sam("temperature", json!(3)),
        "reviewers.sam.temperature",
        "0 to 2",
    );
    check(
        sam("fallback", json!(["spar"])),
        "reviewers.sam.fallback",
        "`spare`",
    );
    let secret = "sk-ant-api03-Zebrafink0123456789";
    let header = json!([{"name": "X-Api-Key", "value": secret}]);
    check(
        sam("headers", header.clone()),
        "reviewers.sam.headers",
        "X-Api-Key",
    );
    check(json!({"llm.headers": header}), "llm.headers", "X-Api-Key");
    let twice = json!([{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "2"}]);
    check(json!({"llm.headers": twice}), "llm.headers", "x-a");
    check(
        json!({"llm.key_variable": secret}),
        "llm.key_variable",
        "MY_MODEL_KEY",
    );
    let told = ModelFile::with(HAND_WRITTEN)
        .save(json!({"llm.key_variable": secret}))
        .unwrap_err();
    assert!(!format!("{told:?}").contains(secret), "{told:?}");
    check(
        json!({"models": [{"name": "spare", "provider": "ollama"}]}),
        "models.spare.model",
        "both `provider` and `model`",
    );
    check(
        json!({"models": [{"name": "Two words", "provider": "ollama", "model": "m"}]}),
        "models.Two words",
        "Two words",
    );
}

#[test]
fn a_model_is_known_before_it_is_saved_and_before_it_has_a_name() {
    let home = ModelFile::with("");
    let none = home.model("llm", json!({})).unwrap_err();
    assert_eq!(none.code, ErrorCode::ConfigProblem);
    let openai = home
        .model("llm", json!({"llm.provider": "openai"}))
        .unwrap();
    assert_eq!((openai.provider, openai.model.as_str()), ("openai", ""));
    let sam = json!({"llm.provider": "openai", "llm.model": "gpt-5", "llm.key_variable": "TEAM",
        "reviewers": [{"name": "sam", "model": "gpt-5-mini"}, {"name": "quinn", "provider": "ollama"}]});
    let found = home.model("reviewers.sam", sam.clone()).unwrap();
    assert_eq!(
        (
            found.provider,
            found.model.as_str(),
            found.key_variable.as_deref()
        ),
        ("openai", "gpt-5-mini", Some("TEAM"))
    );
    let quinn = home.model("reviewers.quinn", sam.clone()).unwrap();
    assert_eq!(
        (quinn.provider, quinn.model.as_str(), quinn.key_variable),
        ("ollama", "", None)
    );
    let priya = home.model("reviewers.priya", sam).unwrap();
    assert_eq!(priya.model, "gpt-5");
    // What is wrong with a model is told before anything is asked; what is wrong elsewhere is of no matter.
    let wrong = json!({"llm.provider": "openai", "llm.effort": "much", "slots": 1000});
    let told = home.model("llm", wrong.clone()).unwrap_err();
    assert!(format!("{told:?}").contains("llm.effort"), "{told:?}");
    let elsewhere = json!({"llm.provider": "openai", "slots": 1000});
    assert_eq!(home.model("llm", elsewhere).unwrap().provider, "openai");
    let url = home
        .model("llm", json!({"llm.provider": "compatible"}))
        .unwrap_err();
    assert!(format!("{url:?}").contains("llm.url"), "{url:?}");
    assert_eq!(home.text(), "");
}

//! Configuration as people write it: what is accepted, and how mistakes are told.

use collie_agents::llm::Provider;
use collie_config::{
    Config, ConfigError, ConfigErrorKind, ConfigFileKind, ConfigLayer, DesktopConfig,
    DisplayedValue, HeaderSource, LlmSettings, Theme, Tightened, WatchedRepository, host_of,
    tighten,
};
use collie_core::autonomy::Autonomy;
use collie_core::ids::{AccountId, Login};
use collie_core::policy::{ReviewerKind, ReviewerSpec, Strictness};
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Each problem on a line.
fn in_words(localizer: &Localizer, error: &ConfigError) -> String {
    let lines: Vec<String> = (error.problems.iter())
        .map(|problem| localizer.error_text(&UserError::from(problem)))
        .collect();
    lines.join("\n")
}

fn english(error: &ConfigError) -> String {
    in_words(&Localizer::new("en"), error)
}

fn resolve_user_file(text: &str) -> Result<Config, String> {
    let layer = ConfigLayer::from_toml("config.toml", text, ConfigFileKind::User)
        .map_err(|error| english(&error))?;
    Config::resolve(PathBuf::from("home"), &[layer]).map_err(|error| english(&error))
}

fn resolve_repository_file(base: &Config, text: &str) -> Result<Tightened, String> {
    ConfigLayer::from_toml(".collie.toml", text, ConfigFileKind::Repository)
        .and_then(|layer| tighten(base, &layer))
        .map_err(|error| english(&error))
}

#[test]
fn a_whole_file_is_read() {
    let config = resolve_user_file(
        r#"
max_pr_review_iterations = 3
ci_check_timeout = 1_800_000
external_bot_timeout = "20m"
poll_interval = "1m 30s"
require_human_approval = true
auto_merge = false
allowed_users = ["@Ana", "ben"]
ignored_checks = ["flaky"]
expected_bots = ["coderabbitai"]
comment_threshold = 0.85
max_comments = 5
strictness = "strict"
language = "fr"
slots = 2
github_api_url = "https://ghe.example.com/api/v3/"

[verify]
commands = ["make lint"]

[[bots]]
id = 42
login = "house-bot[bot]"

[[stages]]
reviewers = ["rules", "@ana"]
"#,
    )
    .unwrap();
    let policy = &config.policy;
    assert_eq!(policy.max_iterations, 3);
    assert_eq!(
        (policy.ci_timeout_ms, policy.bot_timeout_ms),
        (1_800_000, 1_200_000)
    );
    assert_eq!(policy.poll_interval_ms, 90_000);
    assert!(policy.allowed_users.contains(&Login::new("ANA")));
    assert_eq!(
        policy.expected_bots,
        BTreeSet::from([AccountId(136_622_811)])
    );
    assert_eq!((policy.comment_threshold, policy.max_comments), (850, 5));
    assert_eq!(policy.strictness, Strictness::Strict);
    assert_eq!((config.language, config.slots), ("fr", 2));
    assert_eq!(config.api_url, "https://ghe.example.com/api/v3");
    assert_eq!(config.verify, ["make lint"]);
    let house = policy
        .bots
        .iter()
        .find(|bot| bot.id == AccountId(42))
        .unwrap();
    assert_eq!((house.login.as_str(), house.reviews), ("house-bot", true));
    let kinds: Vec<_> = policy.stages[0]
        .reviewers
        .iter()
        .map(|r| (r.name.as_str(), r.kind))
        .collect();
    assert_eq!(
        kinds,
        [("rules", ReviewerKind::Rules), ("ana", ReviewerKind::Human)]
    );
}

#[test]
fn an_empty_file_gives_the_defaults_and_allows_nobody() {
    let config = resolve_user_file("").unwrap();
    assert!(config.policy.allowed_users.is_empty());
    assert_eq!(config.policy.poll_interval_ms, 60_000);
    assert_eq!(config.slots, 3);
}

#[test]
fn mistakes_are_reported_with_file_line_key_and_the_nearest_name() {
    let check = |text: &str, expected: &str| {
        let error = resolve_user_file(text).expect_err(text);
        assert_eq!(error, expected, "{text}");
    };
    check(
        "\npol_interval = \"1m\"",
        "config.toml, line 2, `pol_interval`: unknown key; did you mean `poll_interval`?",
    );
    check(
        "[verify]\ncomands = []",
        "config.toml, line 2, `verify.comands`: unknown key; did you mean `verify.commands`?",
    );
    check(
        "poll_interval = \"soon\"",
        "config.toml, line 1, `poll_interval`: \"soon\" is not a duration: expected one such as \"30m\", \"45s\" or \"500ms\"",
    );
    check(
        "poll_interval = -3",
        "config.toml, line 1, `poll_interval`: -3 is not a duration: expected one such as \"30m\", \"45s\" or \"500ms\"",
    );
    check(
        "strictness = \"strickt\"",
        "config.toml, line 1, `strictness`: \"strickt\" is not valid: expected one of permissive, balanced, strict; did you mean `strict`?",
    );
    check(
        "max_pr_review_iterations = 0",
        "config.toml, line 1, `max_pr_review_iterations`: 0 is not valid: expected a whole number from 1 to 50",
    );
    check(
        "comment_threshold = 1.5",
        "config.toml, line 1, `comment_threshold`: 1.5 is not valid: expected a number from 0 to 1, such as 0.7",
    );
    check(
        "allowed_users = \"ana\"",
        "config.toml, line 1, `allowed_users`: \"ana\" is not valid: expected a list of strings, such as [\"a\", \"b\"]",
    );
    check(
        "[[stages]]\nreviewers = [\"quin\"]",
        "config.toml, line 2, `stages.reviewers`: \"quin\" is not a reviewer: expected \"rules\", a persona in lower case, or \"@\" and the login of a person; did you mean `quinn`?",
    );
    check(
        "[[stages]]\nreviewers = [\"My Own\"]",
        "config.toml, line 2, `stages.reviewers`: \"My Own\" is not a reviewer: expected \"rules\", a persona in lower case, or \"@\" and the login of a person",
    );
    check(
        "[llm]\nprovider = \"antropic\"\nmodel = \"m\"",
        "config.toml, line 2, `llm.provider`: \"antropic\" is not valid: expected one of openai, anthropic, gemini, azure, openrouter, bedrock, vertex, ollama, vllm, llamacpp, compatible; did you mean `anthropic`?",
    );
    check(
        "[llm]\nprovider = \"openai\"",
        "configuration, `llm.model`: a language model needs both `provider` and `model`: Collie has no default for either",
    );
    check(
        "[llm]\nprovider = \"compatible\"\nmodel = \"m\"",
        "configuration, `llm.url`: the provider \"compatible\" needs a `url`, such as \"http://127.0.0.1:8080/v1\"",
    );
    check(
        "[llm]\nprovider = \"azure\"\nmodel = \"m\"",
        "configuration, `llm.url`: the provider \"azure\" needs a `url`, such as \"https://NAME.openai.azure.com\"",
    );
    let other = "[llm]\nprovider = \"openai\"\nmodel = \"m\"\n";
    check(
        &format!("{other}[reviewers.sam]\nprovider = \"gemini\""),
        "configuration, `reviewers.sam.model`: a language model needs both `provider` and `model`: Collie has no default for either",
    );
    check(
        &format!(
            "{other}fallback = \"spair\"\n[models.spare]\nprovider = \"ollama\"\nmodel = \"m\""
        ),
        "configuration, `llm.fallback`: no [models.spair] is set up; did you mean `spare`?",
    );
    check(
        &format!("{other}headers = {{ \"X-Api-Key\" = \"hunter2\" }}"),
        "config.toml, line 4, `llm.headers`: the value of X-Api-Key is a secret, which no file should hold: give a table with `variable = \"NAME\"`",
    );
    check(
        &format!("{other}headers = {{ \"two words\" = \"x\" }}"),
        "config.toml, line 4, `llm.headers`: two words is no header: give a text, or a table with `variable = \"NAME\"`",
    );
    check(
        &format!("{other}key_variable = \"sk-0123456789\""),
        "config.toml, line 4, `llm.key_variable`: this is not the name of an environment variable: give the name of the one that holds the secret, such as \"MY_MODEL_KEY\", never the secret itself",
    );
    check(
        "[llm]\ntemperature = 3",
        "config.toml, line 2, `llm.temperature`: 3 is not valid: expected a number from 0 to 2, such as 0.2",
    );
    check(
        "[fixer]\nruns_on = \"codexx\"",
        "configuration, `fixer.runs_on`: \"codexx\" is not an agent: set it up as [agents.codexx] with its `command`; did you mean `codex`?",
    );
    check(
        "[fixer.by_author]\nana = \"zed\"",
        "configuration, `fixer.by_author`: \"zed\" is not an agent: set it up as [agents.zed] with its `command`",
    );
    check(
        "[reviewers.sam]\nruns_on = \"llm\"",
        "configuration, `reviewers.sam.runs_on`: a language model needs both `provider` and `model`: Collie has no default for either",
    );
    check(
        "[agents.zed]\nenv = [\"ZED_KEY\"]",
        "configuration, `agents.zed`: Collie does not know this agent: it needs a `command`, such as [\"my-agent\", \"--acp\"]",
    );
    check(
        "[agents.\"My Own\"]\ncommand = [\"x\"]",
        "config.toml, line 1, `agents.My Own`: \"My Own\" is not a valid name: expected lower-case letters, digits and dashes",
    );
    check(
        "[agents.zed]\ncommand = [\"zed\"]\nstate = [\".zed\", \"../.ssh\"]",
        "config.toml, line 3, `agents.zed.state`: `../.ssh` is no folder below a home: write it as `.agent/sessions`.",
    );
    check(
        "expected_bots = [\"coderabbit\"]",
        "configuration, `expected_bots`: \"coderabbit\" is not a known bot; add it under [[bots]] with the number of its account; did you mean `coderabbitai`?",
    );
    check(
        "github_api_url = \"ghe\"",
        "config.toml, line 1, `github_api_url`: \"ghe\" is not a valid address: expected one such as \"https://ghe.example.com/api/v3\", without a login in it",
    );
    check(
        "[[bots]]\nid = 3",
        "config.toml, line 1, `bots`: a bot needs an `id` and a `login`",
    );
    assert!(
        resolve_user_file("slots = ")
            .unwrap_err()
            .starts_with("config.toml, line 1: ")
    );
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once() {
    let error = resolve_user_file("slots = 0\nmax_comments = 500\nfoo = 1").unwrap_err();
    let lines: Vec<_> = error
        .lines()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            "config.toml, line 1, `slots`",
            "config.toml, line 2, `max_comments`",
            "config.toml, line 3, `foo`"
        ]
    );
}

#[test]
fn merging_cannot_be_asked_for() {
    for text in ["require_human_approval = false", "auto_merge = true"] {
        assert!(
            resolve_user_file(text)
                .unwrap_err()
                .contains("Collie never merges"),
            "{text}"
        );
        let base = resolve_user_file("").unwrap();
        assert!(
            resolve_repository_file(&base, text)
                .unwrap_err()
                .contains("Collie never merges"),
            "{text}"
        );
    }
}

#[test]
fn github_com_is_not_polled_faster_than_every_15_seconds() {
    assert!(
        resolve_user_file("poll_interval = \"14s\"")
            .unwrap_err()
            .contains("15 s")
    );
    assert!(resolve_user_file("poll_interval = \"15s\"").is_ok());
    assert!(resolve_user_file("ready_poll_interval = \"14s\"").is_err());
    assert!(resolve_user_file("ready_poll_interval = \"15s\"").is_ok());
    assert!(
        resolve_user_file(
            "poll_interval = \"1s\"\ngithub_api_url = \"http://127.0.0.1:4000/api/v3\""
        )
        .is_ok()
    );
}

#[test]
fn the_environment_lies_over_the_file_and_reports_its_mistakes_by_name() {
    let read = |pairs: &'static [(&str, &str)]| {
        ConfigLayer::from_environment(move |name| {
            pairs
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| (*v).to_owned())
        })
    };
    let file = ConfigLayer::from_toml(
        "config.toml",
        "allowed_users = [\"ana\"]\nmax_comments = 3",
        ConfigFileKind::User,
    )
    .unwrap();
    let env = read(&[
        ("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS", "ben, @kim"),
        ("MAX_COMMENTS", ""),
    ])
    .unwrap();
    let config = Config::resolve(PathBuf::from("home"), &[file, env]).unwrap();
    assert_eq!(
        config.policy.allowed_users,
        BTreeSet::from([Login::new("ben"), Login::new("kim")])
    );
    assert_eq!(config.policy.max_comments, 3);
    let error = read(&[("MAX_COMMENTS", "many"), ("COMMENT_THRESHOLD", "2")]).unwrap_err();
    assert_eq!(
        english(&error),
        "MAX_COMMENTS: \"many\" is not valid: expected a whole number from 0 to 100\nCOMMENT_THRESHOLD: \"2\" is not valid: expected a number from 0 to 1"
    );
}

#[test]
fn hosts_are_named_as_people_know_them() {
    for (url, host) in [
        ("https://api.github.com", "github.com"),
        ("https://GHE.example.com/api/v3", "ghe.example.com"),
        ("http://127.0.0.1:4000/api/v3", "127.0.0.1:4000"),
    ] {
        assert_eq!(host_of(url), host);
    }
}

#[test]
fn repositories_and_the_desktop_are_the_users_own() {
    let config = resolve_user_file(
        "[[repositories]]\nname = \"acme/api\"\nauto_pr_review_enabled = true\nauthors = [\"@Ana\"]\nlabels = [\"Go\"]\nbase_branches = [\"main\"]\n\n[[repositories]]\nname = \"acme/site\"\n\n[desktop]\ntheme = \"dark\"\nkeep_running = false\nnew_repositories = \"ask\"\n",
    )
    .unwrap();
    let (api, site) = (&config.repositories[0], &config.repositories[1]);
    assert_eq!(site, &WatchedRepository::new(site.name.clone()));
    assert!(api.auto_pr_review_enabled && !site.auto_pr_review_enabled);
    assert_eq!(
        config.desktop,
        DesktopConfig {
            theme: Theme::Dark,
            notifications: true,
            keep_running: false,
            new_repositories: Autonomy::Ask
        }
    );
    assert_eq!(api.authors, [Login::new("ana")]);
    assert_eq!(api.labels, ["Go"]);
    assert_eq!(api.base_branches, ["main"]);

    let base = resolve_user_file("").unwrap();
    for (text, reason) in [
        (
            "[[repositories]]\nname = \"a/b\"",
            "only the user’s own config.toml may list repositories, since it says where loops start by themselves",
        ),
        (
            "[desktop]\ntheme = \"dark\"",
            "only the user’s own config.toml may configure the desktop app",
        ),
    ] {
        let error = resolve_repository_file(&base, text).unwrap_err();
        assert!(error.ends_with(reason), "{error}");
    }
}

#[test]
fn the_panel_is_quinn_beside_the_rules_once_something_can_read() {
    let check = |text: &str, expected: &[&str]| {
        let config = resolve_user_file(text).unwrap();
        let names: Vec<Vec<String>> = config
            .policy
            .stages
            .iter()
            .map(|fixture| {
                let told = |r: &ReviewerSpec| match r.may_escalate_to.first() {
                    Some(asked) => format!("{} asks {asked}", r.name),
                    None => r.name.clone(),
                };
                fixture.reviewers.iter().map(told).collect()
            })
            .collect();
        assert_eq!(names.concat(), expected, "{text}");
    };
    let model = "[llm]\nprovider = \"ollama\"\nmodel = \"m\"\n";
    check("", &["rules"]);
    check(model, &["quinn asks sam", "rules"]);
    check("[fixer]\nruns_on = \"codex\"", &["quinn asks sam", "rules"]);
    check("[fixer]\nruns_on = \"rules\"", &["rules"]);
    check(
        &format!("{model}[reviewers.quinn]\nescalates_to = []"),
        &["quinn", "rules"],
    );
    check(
        &format!("{model}[reviewers.quinn]\nescalates_to = [\"priya\"]"),
        &["quinn asks priya", "rules"],
    );
    check(
        &format!("{model}[[stages]]\nreviewers = [\"sam\", \"@ben\"]"),
        &["sam", "ben"],
    );
}

#[test]
fn a_persona_of_the_users_asks_in_those_that_its_file_names_unless_the_settings_say_otherwise() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("personas");
    std::fs::create_dir(&folder).unwrap();
    let file = "---\nname: ada\ntitle: t\nfocus: f\nmay_escalate_to: [priya]\n---\nLook.\n";
    std::fs::write(folder.join("ada.md"), file).unwrap();
    let asks = |more: &str| {
        let text = format!(
            "[[stages]]\nreviewers = [\"ada\"]\n[llm]\nprovider = \"ollama\"\nmodel = \"m\"\n{more}"
        );
        let layer = ConfigLayer::from_toml("config.toml", &text, ConfigFileKind::User).unwrap();
        let config = Config::resolve(home.path().to_owned(), &[layer]).unwrap();
        let seat = config.policy.stages[0].reviewers[0].clone();
        seat.may_escalate_to.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(asks(""), ["priya"]);
    assert_eq!(asks("[reviewers.ada]\nescalates_to = [\"sam\"]"), ["sam"]);
}

#[test]
fn a_model_is_put_together_from_file_and_environment() {
    let file = ConfigLayer::from_toml(
        "config.toml",
        "[llm]\nprovider = \"openai\"\nmodel = \"old\"\ntemperature = 0.2\nmax_tokens = 4096",
        ConfigFileKind::User,
    )
    .unwrap();
    let environment = ConfigLayer::from_environment(|name| match name {
        "LLM_MODEL" => Some("new".to_owned()),
        "LLM_API_URL" => Some("http://127.0.0.1:1/v1/".to_owned()),
        _ => None,
    })
    .unwrap();
    let config = Config::resolve("home".into(), &[file, environment]).unwrap();
    let expected = LlmSettings {
        provider: "openai",
        model: "new".to_owned(),
        url: Some("http://127.0.0.1:1/v1".to_owned()),
        temperature: Some(200),
        max_tokens: 4096,
        context_tokens: 60_000,
        ..LlmSettings::default()
    };
    assert_eq!(config.llm, Some(expected));
}

#[test]
fn a_persona_has_a_model_of_its_own_and_others_take_over() {
    let file = r#"
        [llm]
        provider = "anthropic"
        model = "claude-sonnet-5-5"
        effort = "low"
        key_variable = "TEAM_KEY"
        fallback = ["spare", "local"]

        [models.spare]
        provider = "openai"
        model = "gpt-6-sol"
        headers = { "X-Team" = "reviews", "X-Gateway" = { variable = "GATEWAY_SECRET" } }

        [models.local]
        provider = "ollama"
        model = "qwen3:8b"

        [reviewers.sam]
        model = "claude-opus-5-5"
        effort = "high"

        [reviewers.priya]
        provider = "azure"
        model = "our-deployment"
        url = "https://ours.openai.azure.com"
        fallback = "spare"
    "#;
    let layer = ConfigLayer::from_toml("config.toml", file, ConfigFileKind::User).unwrap();
    let config = Config::resolve("home".into(), &[layer]).unwrap();
    let model = |persona| {
        let settings = config.model_of(persona).expect("it has one");
        let effort = settings.effort.map(|effort| effort.name());
        let key = settings.key_variable.as_deref();
        (settings.provider, settings.model.as_str(), effort, key)
    };
    let team = Some("TEAM_KEY");
    assert_eq!(
        model("quinn"),
        ("anthropic", "claude-sonnet-5-5", Some("low"), team)
    );
    assert_eq!(
        model("sam"),
        ("anthropic", "claude-opus-5-5", Some("high"), team)
    );
    assert_eq!(
        model("priya"),
        ("azure", "our-deployment", None, None),
        "what was another provider's is not its own"
    );
    let fallbacks = ["quinn", "priya"].map(|name| config.model_of(name).unwrap().fallback.clone());
    assert_eq!(fallbacks, [vec!["spare", "local"], vec!["spare"]]);
    let headers = &config.models["spare"].headers;
    assert_eq!(headers["X-Team"], HeaderSource::Value("reviews".into()));
    assert_eq!(
        headers["X-Gateway"],
        HeaderSource::Variable("GATEWAY_SECRET".into())
    );
    assert_eq!(config.models["local"].max_tokens, 32_000, "it thinks");
}

#[test]
fn what_may_be_spent_is_read_in_dollars_and_tokens() {
    let text = "[budget]\nper_pull_request_usd = 2.50\nper_day_usd = 20\ntotal_tokens = 4_000_000";
    let budget = resolve_user_file(text).expect("it is well formed").budget;
    assert_eq!(budget.pull_request.cost_micros, Some(2_500_000));
    assert_eq!(
        (budget.day.cost_micros, budget.day.token_limit()),
        (Some(20_000_000), Some(4_000_000))
    );
    assert_eq!(
        (budget.total.cost_micros, budget.total.tokens),
        (None, Some(4_000_000))
    );
    for wrong in [
        "per_day_usd = -1",
        "per_day_usd = \"5\"",
        "per_day_usd = 1e9",
        "per_day_usd = nan",
    ] {
        let error = resolve_user_file(&format!("[budget]\n{wrong}")).expect_err(wrong);
        assert!(
            error.contains("expected an amount in dollars"),
            "{wrong}: {error}"
        );
    }
    let near = resolve_user_file("[budget]\nper_day = 5").expect_err("no key");
    assert!(near.contains("per_day_usd"), "{near}");
}

#[test]
fn mistakes_are_reported_in_the_language_of_the_reader() {
    let check = |text: &str, expected: &str| {
        let error =
            ConfigLayer::from_toml("config.toml", text, ConfigFileKind::User).expect_err(text);
        assert_eq!(in_words(&Localizer::new("fr"), &error), expected, "{text}");
    };
    check(
        "\npol_interval = \"1m\"",
        "config.toml, ligne 2, `pol_interval`\u{202f}: clé inconnue\u{202f}; vouliez-vous dire `poll_interval`\u{202f}?",
    );
    check(
        "slots = [1]",
        "config.toml, ligne 1, `slots`\u{202f}: cette liste n’est pas valide\u{202f}: un nombre entier de 1 à 64 est attendu",
    );
    check(
        "[[stages]]\nreviewers = []\n[[repositories]]\nauthors = []",
        "config.toml, ligne 2, `stages.reviewers`\u{202f}: une étape a de 1 à 5 relecteurs, pas 0\nconfig.toml, ligne 3, `repositories`\u{202f}: un dépôt a besoin d’un `name`",
    );
}

/// One of each: a reason that has no words in a language would show its key.
#[test]
fn every_mistake_has_words_in_both_languages() {
    let shown = || DisplayedValue::Literal("1".to_owned());
    let name = || "x".to_owned();
    let all = [
        ConfigErrorKind::InvalidToml(name()),
        ConfigErrorKind::NotUtf8(3),
        ConfigErrorKind::Unreadable(name()),
        ConfigErrorKind::UnknownKeyNear(name()),
        ConfigErrorKind::UnknownKey(vec!["a", "b"]),
        ConfigErrorKind::UserFileOnly,
        ConfigErrorKind::UserFileOnlyBots,
        ConfigErrorKind::UserFileOnlyRepositories,
        ConfigErrorKind::UserFileOnlyDesktop,
        ConfigErrorKind::NotATable("verify"),
        ConfigErrorKind::NotAnArrayOfTables("bots"),
        ConfigErrorKind::HumanApprovalDisabled,
        ConfigErrorKind::AutoMergeEnabled,
        ConfigErrorKind::InvalidUrl(name()),
        ConfigErrorKind::InvalidAccountId,
        ConfigErrorKind::BotIncomplete,
        ConfigErrorKind::StageSize(1),
        ConfigErrorKind::StageEmpty,
        ConfigErrorKind::DuplicateReviewer,
        ConfigErrorKind::UnknownReviewer {
            name: name(),
            near: None,
        },
        ConfigErrorKind::UnknownReviewer {
            name: name(),
            near: Some("rules"),
        },
        ConfigErrorKind::UserFileOnlyModels,
        ConfigErrorKind::LlmIncomplete,
        ConfigErrorKind::LlmWithoutUrl(Provider::Azure),
        ConfigErrorKind::UnknownModel {
            name: name(),
            near: None,
        },
        ConfigErrorKind::InvalidHeader(name()),
        ConfigErrorKind::HeaderHoldsSecret(name()),
        ConfigErrorKind::NotAVariable,
        ConfigErrorKind::AgentWithoutCommand,
        ConfigErrorKind::McpIncomplete,
        ConfigErrorKind::VerdictWithoutAccount,
        ConfigErrorKind::AppIncomplete,
        ConfigErrorKind::McpHoldsSecret,
        ConfigErrorKind::WithheldVariable(name()),
        ConfigErrorKind::InvalidTemperature(shown()),
        ConfigErrorKind::InvalidDollars(shown()),
        ConfigErrorKind::InvalidName(name()),
        ConfigErrorKind::UnknownAgent {
            name: name(),
            near: None,
        },
        ConfigErrorKind::UnknownAgent {
            name: name(),
            near: Some(name()),
        },
        ConfigErrorKind::InvalidDuration(DisplayedValue::Table),
        ConfigErrorKind::OutOfRange {
            value: DisplayedValue::Datetime,
            least: 1,
            most: 5000,
        },
        ConfigErrorKind::InvalidShare(shown()),
        ConfigErrorKind::InvalidShareVariable(shown()),
        ConfigErrorKind::NotABoolean(shown()),
        ConfigErrorKind::NotAString(DisplayedValue::Array),
        ConfigErrorKind::NotAStringArray(shown()),
        ConfigErrorKind::InvalidLogin(name()),
        ConfigErrorKind::UnknownChoice {
            value: shown(),
            choices: vec!["a"],
            near: Some("a"),
        },
        ConfigErrorKind::UnknownChoice {
            value: shown(),
            choices: vec!["a"],
            near: None,
        },
        ConfigErrorKind::UnknownLanguage(name()),
        ConfigErrorKind::UnknownBot {
            login: name(),
            near: None,
        },
        ConfigErrorKind::UnknownBot {
            login: name(),
            near: Some(name()),
        },
        ConfigErrorKind::PollTooFast,
        ConfigErrorKind::InvalidRepository(name()),
        ConfigErrorKind::RepositoryUnnamed,
        ConfigErrorKind::DuplicateRepository(name()),
        ConfigErrorKind::SetByEnvironment("X"),
        ConfigErrorKind::UnsupportedValue(shown()),
    ];
    let (en, fr) = (Localizer::new("en"), Localizer::new("fr"));
    for wrong in all {
        let error = UserError::from(&wrong);
        let (english, french) = (en.error_text(&error), fr.error_text(&error));
        assert_ne!(english, french, "{wrong:?}");
        for text in [english, french] {
            let unsaid = text.contains("problem-")
                || text.contains("settings-")
                || text.contains(['{', '$']);
            assert!(!unsaid && !text.contains("No localization"), "{text}");
        }
    }
}

#[test]
fn issues_are_read_from_repositories_that_the_user_names_for_that_very_one() {
    let config = resolve_user_file(
        "[[repositories]]\nname = \"acme/api\"\nread_from = [\"Acme/Plans\"]\n\n[[repositories]]\nname = \"acme/site\"\n",
    )
    .unwrap();
    let reads = |from: &str, of: &str| {
        let name = |text: &str| collie_core::ids::RepoName::parse(text).unwrap();
        config.reads_from(&name(from), &name(of))
    };
    assert!(reads("acme/API", "acme/plans"));
    assert!(!reads("acme/site", "acme/plans"));
    assert!(!reads("acme/api", "acme/other"));
    let problem =
        resolve_user_file("[[repositories]]\nname = \"acme/api\"\nread_from = [\"plans\"]\n")
            .unwrap_err();
    assert!(problem.contains("line 3"), "{problem}");
}

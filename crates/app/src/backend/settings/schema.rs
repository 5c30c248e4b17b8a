//! Every setting, declared once: the form, the defaults and the edits of the file all come from here.

use super::model_settings;
use super::setting::{
    Setting, choice_kind, dollar_value, number_kind, optional_value, permille_value, setting,
};
use collie_agents::acp::HostPattern;
use collie_config::{
    AUTONOMY, BUDGET_TOKENS, CHECKOUT_FILES, DISK_MEGABYTES, LANGUAGES, MAX_COMMENTS, MAX_DOLLARS,
    MAX_ITERATIONS, MAX_RESTARTS, MERGE_BASE, REPLAY_DAYS, SESSION_RETRIES, SLOTS, STRICTNESS,
    THEMES, UNSEEN, WatchedRepository,
};
use collie_core::bots::shipped_bots;
use collie_core::ids::Login;
use collie_core::policy::{KnownBot, StageSpec};
use collie_wire::rpc::{
    BotSetting, RepositorySetting, ReviewerSetting, SettingGroup, SettingKind, StageSetting,
};
use serde_json::{Value, json};

/// All settings, in the order shown.
pub(super) fn settings() -> Vec<Setting> {
    let mut all = general();
    all.extend(people_and_repositories());
    all.extend(panel());
    all.extend(model_settings::model_settings());
    all.extend(budget());
    all.extend(limits());
    all.extend(disk());
    all.extend(rules());
    all.extend(bots());
    all
}

fn general() -> Vec<Setting> {
    use SettingGroup::General;
    vec![
        setting(
            "language",
            General,
            choice_kind(LANGUAGES),
            |layer| optional_value(layer.language),
            |config| json!(config.language),
        )
        .variable("COLLIE_LANG"),
        setting(
            "desktop.theme",
            General,
            choice_kind(THEMES),
            |layer| layer.theme.map(|theme| choice_value(THEMES, theme)),
            |config| choice_value(THEMES, config.desktop.theme),
        ),
        setting(
            "desktop.notifications",
            General,
            SettingKind::Toggle,
            |layer| optional_value(layer.notifications),
            |config| json!(config.desktop.notifications),
        ),
        setting(
            "desktop.keep_running",
            General,
            SettingKind::Toggle,
            |layer| optional_value(layer.keep_running),
            |config| json!(config.desktop.keep_running),
        ),
        setting(
            "desktop.new_repositories",
            General,
            choice_kind(AUTONOMY),
            |layer| {
                layer
                    .new_repositories
                    .map(|level| choice_value(AUTONOMY, level))
            },
            |config| choice_value(AUTONOMY, config.desktop.new_repositories),
        ),
    ]
}

fn people_and_repositories() -> Vec<Setting> {
    use SettingGroup::{Accounts, Repositories};
    vec![
        setting(
            "allowed_users",
            Accounts,
            SettingKind::Logins,
            |layer| layer.allowed_users.as_ref().map(login_values),
            |config| login_values(&config.policy.allowed_users),
        )
        .variable("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS")
        .unordered(),
        setting(
            "github_api_url",
            Accounts,
            SettingKind::Text,
            |layer| optional_value(layer.github_api_url.as_ref()),
            |config| json!(config.api_url),
        )
        .variable("GITHUB_API_URL"),
        setting(
            "github_account",
            Accounts,
            SettingKind::Text,
            |layer| optional_value(layer.github_account.as_ref().map(Login::as_str)),
            |config| json!(config.account.as_ref().map(Login::as_str)),
        ),
        setting(
            "repositories",
            Repositories,
            SettingKind::Repositories,
            |layer| optional_value(layer.repositories.as_deref().map(repository_settings)),
            |config| json!(repository_settings(&config.repositories)),
        ),
        setting(
            "ignore_label",
            Repositories,
            SettingKind::Text,
            |layer| optional_value(layer.ignore_label.as_ref()),
            |config| json!(config.policy.ignore_label),
        ),
    ]
}

fn panel() -> Vec<Setting> {
    use SettingGroup::Panel;
    vec![
        setting(
            "stages",
            Panel,
            SettingKind::Stages {
                personas: Vec::new(),
                persona_problems: Vec::new(),
            },
            |layer| layer.stages.as_deref().map(stage_values),
            |config| stage_values(&config.policy.stages),
        )
        .with_derived_default(),
        setting(
            "strictness",
            Panel,
            choice_kind(STRICTNESS),
            |layer| {
                layer
                    .strictness
                    .map(|strictness| choice_value(STRICTNESS, strictness))
            },
            |config| choice_value(STRICTNESS, config.policy.strictness),
        )
        .variable("REVIEW_STRICTNESS"),
        setting(
            "unseen",
            Panel,
            choice_kind(UNSEEN),
            |layer| layer.unseen.map(|unseen| choice_value(UNSEEN, unseen)),
            |config| choice_value(UNSEEN, config.policy.unseen),
        ),
        setting(
            "comment_threshold",
            Panel,
            SettingKind::Fraction,
            |layer| layer.comment_threshold.map(permille_value),
            |config| permille_value(config.policy.comment_threshold),
        )
        .variable("COMMENT_THRESHOLD"),
        setting(
            "max_comments",
            Panel,
            number_kind(MAX_COMMENTS),
            |layer| optional_value(layer.max_comments),
            |config| json!(config.policy.max_comments),
        )
        .variable("MAX_COMMENTS"),
    ]
}

fn limits() -> Vec<Setting> {
    use SettingGroup::Limits;
    let time = |key, layer_value, config_value| {
        setting(
            key,
            Limits,
            SettingKind::Duration,
            layer_value,
            config_value,
        )
    };
    vec![
        setting(
            "max_pr_review_iterations",
            Limits,
            number_kind(MAX_ITERATIONS),
            |layer| optional_value(layer.max_iterations),
            |config| json!(config.policy.max_iterations),
        )
        .legacy_key("max_iterations"),
        time(
            "ci_check_timeout",
            |layer| layer.ci_check_timeout.map(duration_value),
            |config| duration_value(config.policy.ci_timeout_ms),
        ),
        time(
            "external_bot_timeout",
            |layer| layer.external_bot_timeout.map(duration_value),
            |config| duration_value(config.policy.bot_timeout_ms),
        ),
        time(
            "poll_interval",
            |layer| layer.poll_interval.map(duration_value),
            |config| duration_value(config.policy.poll_interval_ms),
        ),
        time(
            "ready_poll_interval",
            |layer| layer.ready_poll_interval.map(duration_value),
            |config| duration_value(config.policy.ready_poll_interval_ms),
        ),
        time(
            "collect_failures_for",
            |layer| layer.collect_failures_for.map(duration_value),
            |config| duration_value(config.policy.red_collect_ms),
        ),
        time(
            "no_checks_grace",
            |layer| layer.no_checks_grace.map(duration_value),
            |config| duration_value(config.policy.no_checks_grace_ms),
        ),
        setting(
            "max_restarts",
            Limits,
            number_kind(MAX_RESTARTS),
            |layer| optional_value(layer.max_restarts),
            |config| json!(config.policy.max_restarts),
        ),
        setting(
            "session_retries",
            Limits,
            number_kind(SESSION_RETRIES),
            |layer| optional_value(layer.session_retries),
            |config| json!(config.policy.session_retries),
        ),
        setting(
            "slots",
            Limits,
            number_kind(SLOTS),
            |layer| optional_value(layer.slots),
            |config| json!(config.slots),
        ),
    ]
}

fn budget() -> Vec<Setting> {
    use SettingGroup::Limits;
    let dollars = SettingKind::Decimal { max: MAX_DOLLARS };
    let tokens = number_kind(BUDGET_TOKENS);
    vec![
        setting(
            "budget.per_pull_request_usd",
            Limits,
            dollars.clone(),
            |layer| layer.budget.pull_request.cost_micros.map(dollar_value),
            |config| json!(config.budget.pull_request.cost_micros.map(dollar_value)),
        ),
        setting(
            "budget.per_day_usd",
            Limits,
            dollars.clone(),
            |layer| layer.budget.day.cost_micros.map(dollar_value),
            |config| json!(config.budget.day.cost_micros.map(dollar_value)),
        ),
        setting(
            "budget.total_usd",
            Limits,
            dollars,
            |layer| layer.budget.total.cost_micros.map(dollar_value),
            |config| json!(config.budget.total.cost_micros.map(dollar_value)),
        ),
        setting(
            "budget.per_pull_request_tokens",
            Limits,
            tokens.clone(),
            |layer| optional_value(layer.budget.pull_request.tokens),
            |config| json!(config.budget.pull_request.tokens),
        ),
        setting(
            "budget.per_day_tokens",
            Limits,
            tokens.clone(),
            |layer| optional_value(layer.budget.day.tokens),
            |config| json!(config.budget.day.tokens),
        ),
        setting(
            "budget.total_tokens",
            Limits,
            tokens,
            |layer| optional_value(layer.budget.total.tokens),
            |config| json!(config.budget.total.tokens),
        ),
    ]
}

fn disk() -> Vec<Setting> {
    use SettingGroup::Limits;
    vec![
        setting(
            "disk.checkout_mb",
            Limits,
            number_kind(DISK_MEGABYTES),
            |layer| optional_value(layer.disk.checkout_mb),
            |config| json!(config.disk.checkout_mb),
        ),
        setting(
            "disk.checkout_files",
            Limits,
            number_kind(CHECKOUT_FILES),
            |layer| optional_value(layer.disk.checkout_files),
            |config| json!(config.disk.checkout_files),
        ),
        setting(
            "disk.sandbox_mb",
            Limits,
            number_kind(DISK_MEGABYTES),
            |layer| optional_value(layer.disk.sandbox_mb),
            |config| json!(config.disk.sandbox_mb),
        ),
        setting(
            "disk.replay_days",
            Limits,
            number_kind(REPLAY_DAYS),
            |layer| optional_value(layer.disk.replay_days),
            |config| json!(config.disk.replay_days),
        ),
    ]
}

fn autonomy() -> Setting {
    setting(
        "autonomy",
        SettingGroup::Rules,
        choice_kind(AUTONOMY),
        |layer| layer.autonomy.map(|level| choice_value(AUTONOMY, level)),
        |config| choice_value(AUTONOMY, config.policy.max_autonomy),
    )
}

fn rules() -> Vec<Setting> {
    use SettingGroup::Rules;
    vec![
        setting(
            "fix",
            Rules,
            SettingKind::Toggle,
            |layer| optional_value(layer.fix),
            |config| json!(config.policy.fix),
        ),
        setting(
            "fix_suggestions",
            Rules,
            SettingKind::Toggle,
            |layer| optional_value(layer.fix_suggestions),
            |config| json!(config.policy.fix_suggestions),
        ),
        autonomy(),
        setting(
            "merge_base",
            Rules,
            choice_kind(MERGE_BASE),
            |layer| {
                layer
                    .merge_base
                    .map(|merging| choice_value(MERGE_BASE, merging))
            },
            |config| choice_value(MERGE_BASE, config.policy.merge_base),
        ),
        setting(
            "linters",
            Rules,
            SettingKind::Toggle,
            |layer| optional_value(layer.linters),
            |config| json!(config.linters),
        ),
        setting(
            "verify.commands",
            Rules,
            SettingKind::Texts,
            |layer| optional_value(layer.verify.as_ref()),
            |config| json!(config.verify),
        ),
        setting(
            "verify.prepare",
            Rules,
            SettingKind::Text,
            |layer| optional_value(layer.prepare.command.as_ref()),
            |config| json!(config.prepare),
        ),
        setting(
            "verify.prepare_hosts",
            Rules,
            SettingKind::Texts,
            |layer| layer.prepare.hosts.as_deref().map(host_values),
            |config| host_values(&config.prepare_hosts),
        ),
    ]
}

fn bots() -> Vec<Setting> {
    use SettingGroup::Bots;
    vec![
        setting(
            "bots",
            Bots,
            SettingKind::Bots,
            |layer| (!layer.bots.is_empty()).then(|| bot_values(&layer.bots)),
            |config| bot_values(&config.policy.bots),
        ),
        setting(
            "expected_bots",
            Bots,
            SettingKind::Logins,
            |layer| layer.expected_bots.as_ref().map(login_values),
            |config| {
                let policy = &config.policy;
                let expected = policy
                    .bots
                    .iter()
                    .filter(|bot| policy.expected_bots.contains(&bot.id));
                login_values(expected.map(|bot| &bot.login))
            },
        )
        .unordered(),
        setting(
            "ignored_checks",
            Bots,
            SettingKind::Texts,
            |layer| optional_value(layer.ignored_checks.as_ref()),
            |config| json!(config.policy.ignored_checks),
        )
        .unordered(),
    ]
}

fn host_values(hosts: &[HostPattern]) -> Value {
    let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    json!(hosts)
}

fn choice_value<T: PartialEq>(options: &[(&str, T)], value: T) -> Value {
    let found = options.iter().find(|(_, meant)| *meant == value);
    found.map_or(Value::Null, |(name, _)| json!(name))
}

/// A time as the file writes it: `1h 30m`, `500ms`.
pub(super) fn duration_value(ms: u64) -> Value {
    let parts = [
        (ms / 3_600_000, "h"),
        (ms / 60_000 % 60, "m"),
        (ms / 1000 % 60, "s"),
        (ms % 1000, "ms"),
    ];
    let shown_parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    json!(shown_parts.join(" "))
}

fn login_values<'a>(logins: impl IntoIterator<Item = &'a Login>) -> Value {
    let logins: Vec<&str> = logins.into_iter().map(Login::as_str).collect();
    json!(logins)
}

fn stage_values(stages: &[StageSpec]) -> Value {
    let stages: Vec<StageSetting> = stages
        .iter()
        .map(|stage| StageSetting {
            reviewers: stage
                .reviewers
                .iter()
                .map(|reviewer| ReviewerSetting {
                    name: reviewer.name.clone(),
                    kind: reviewer.kind,
                })
                .collect(),
        })
        .collect();
    json!(stages)
}

fn bot_values(bots: &[KnownBot]) -> Value {
    let bots: Vec<BotSetting> = bots
        .iter()
        .map(|bot| BotSetting {
            login: bot.login.as_str().to_owned(),
            id: bot.id.0,
            shipped: shipped_bots().iter().any(|shipped| shipped.bot == *bot),
        })
        .collect();
    json!(bots)
}

/// The repositories as the form has them.
pub(super) fn repository_settings(repositories: &[WatchedRepository]) -> Vec<RepositorySetting> {
    let names = |logins: &[Login]| {
        logins
            .iter()
            .map(|login| login.as_str().to_owned())
            .collect()
    };
    let listed = repositories.iter().map(|watched| RepositorySetting {
        name: watched.name.to_string(),
        auto_pr_review_enabled: watched.auto_pr_review_enabled,
        authors: names(&watched.authors),
        labels: watched.labels.clone(),
        base_branches: watched.base_branches.clone(),
        read_from: watched.read_from.iter().map(ToString::to_string).collect(),
        unsandboxed: watched.unsandboxed,
        autonomy: watched.autonomy,
        except: watched.except.clone(),
    });
    listed.collect()
}

//! Every setting, declared once: the form, the defaults and the edits of the file all come from here.

use super::models;
use crate::config::{
    Bounds, Config, LANGUAGES, Layer, MAX_COMMENTS, MAX_ITERATIONS, MAX_RESTARTS, SESSION_RETRIES,
    SLOTS, STRICTNESS, THEMES, WatchedRepository, known_bots,
};
use collie_core::ids::Login;
use collie_core::policy::{KnownBot, ReviewerKind, StageSpec};
use collie_wire::rpc::{
    BotSetting, RepositorySetting, ReviewerSetting, SettingGroup, SettingKind, StageSetting,
};
use serde::Serialize;
use serde_json::{Value, json};

/// One setting.
pub(super) struct Setting {
    /// Its key in `config.toml`; tables are dotted.
    pub key: &'static str,
    /// Where it is shown.
    pub group: SettingGroup,
    /// What may be put in.
    pub kind: SettingKind,
    /// What a layer says; none when it is silent.
    pub said: fn(&Layer) -> Option<Value>,
    /// What holds.
    pub holds: fn(&Config) -> Value,
    /// The environment variable that decides over the file.
    pub variable: Option<&'static str>,
    /// An older name, which goes when the setting is changed.
    pub older: Option<&'static str>,
    /// The order of the list tells nothing, so that the file's may stay.
    pub unordered: bool,
    /// What is shown where nothing holds because another setting is missing.
    pub usual: Value,
    /// The default follows from other settings.
    pub follows: bool,
}

impl Setting {
    pub(super) fn variable(mut self, name: &'static str) -> Self {
        self.variable = Some(name);
        self
    }

    fn older(mut self, key: &'static str) -> Self {
        self.older = Some(key);
        self
    }

    pub(super) fn unordered(mut self) -> Self {
        self.unordered = true;
        self
    }

    pub(super) fn usual(mut self, value: u32) -> Self {
        self.usual = json!(value);
        self
    }

    fn follows(mut self) -> Self {
        self.follows = true;
        self
    }

    /// Whether a problem's key is this setting's, or lies in its tables.
    pub(super) fn owns(&self, key: &str) -> bool {
        let inside = |rest: &str| rest.is_empty() || rest.starts_with('.');
        key.strip_prefix(self.key).is_some_and(inside) || self.older == Some(key)
    }
}

type Said = fn(&Layer) -> Option<Value>;
type Holds = fn(&Config) -> Value;

pub(super) fn setting(
    key: &'static str,
    group: SettingGroup,
    kind: SettingKind,
    said: Said,
    holds: Holds,
) -> Setting {
    Setting {
        key,
        group,
        kind,
        said,
        holds,
        variable: None,
        older: None,
        unordered: false,
        usual: Value::Null,
        follows: false,
    }
}

/// All settings, in the order shown.
pub(super) fn settings() -> Vec<Setting> {
    let mut all = general();
    all.extend(people_and_repositories());
    all.extend(panel());
    all.extend(models::models());
    all.extend(limits());
    all.extend(rules_and_bots());
    all
}

fn general() -> Vec<Setting> {
    use SettingGroup::General;
    vec![
        setting(
            "language",
            General,
            choice(LANGUAGES),
            |l| some(l.language),
            |c| json!(c.language),
        )
        .variable("COLLIE_LANG"),
        setting(
            "desktop.theme",
            General,
            choice(THEMES),
            |l| l.theme.map(|theme| word(THEMES, theme)),
            |c| word(THEMES, c.desktop.theme),
        ),
        setting(
            "desktop.notifications",
            General,
            SettingKind::Toggle,
            |l| some(l.notifications),
            |c| json!(c.desktop.notifications),
        ),
        setting(
            "desktop.keep_running",
            General,
            SettingKind::Toggle,
            |l| some(l.keep_running),
            |c| json!(c.desktop.keep_running),
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
            |l| l.allowed_users.as_ref().map(names),
            |c| names(&c.policy.allowed_users),
        )
        .variable("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS")
        .unordered(),
        setting(
            "github_api_url",
            Accounts,
            SettingKind::Text,
            |l| some(l.github_api_url.as_ref()),
            |c| json!(c.api_url),
        )
        .variable("GITHUB_API_URL"),
        setting(
            "repositories",
            Repositories,
            SettingKind::Repositories,
            |l| some(l.repositories.as_deref().map(repositories)),
            |c| json!(repositories(&c.repositories)),
        ),
        setting(
            "ignore_label",
            Repositories,
            SettingKind::Text,
            |l| some(l.ignore_label.as_ref()),
            |c| json!(c.policy.ignore_label),
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
                wrong: Vec::new(),
            },
            |l| l.stages.as_deref().map(stages),
            |c| stages(&c.policy.stages),
        )
        .follows(),
        setting(
            "strictness",
            Panel,
            choice(STRICTNESS),
            |l| l.strictness.map(|strictness| word(STRICTNESS, strictness)),
            |c| word(STRICTNESS, c.policy.strictness),
        )
        .variable("REVIEW_STRICTNESS"),
        setting(
            "comment_threshold",
            Panel,
            SettingKind::Share,
            |l| l.comment_threshold.map(share),
            |c| share(c.policy.comment_threshold),
        )
        .variable("COMMENT_THRESHOLD"),
        setting(
            "max_comments",
            Panel,
            number(MAX_COMMENTS),
            |l| some(l.max_comments),
            |c| json!(c.policy.max_comments),
        )
        .variable("MAX_COMMENTS"),
    ]
}

fn limits() -> Vec<Setting> {
    use SettingGroup::Limits;
    let time = |key, said, holds| setting(key, Limits, SettingKind::Duration, said, holds);
    vec![
        setting(
            "max_pr_review_iterations",
            Limits,
            number(MAX_ITERATIONS),
            |l| some(l.max_iterations),
            |c| json!(c.policy.max_iterations),
        )
        .older("max_iterations"),
        time(
            "ci_check_timeout",
            |l| l.ci_check_timeout.map(duration),
            |c| duration(c.policy.ci_timeout_ms),
        ),
        time(
            "external_bot_timeout",
            |l| l.external_bot_timeout.map(duration),
            |c| duration(c.policy.bot_timeout_ms),
        ),
        time(
            "poll_interval",
            |l| l.poll_interval.map(duration),
            |c| duration(c.policy.poll_interval_ms),
        ),
        time(
            "ready_poll_interval",
            |l| l.ready_poll_interval.map(duration),
            |c| duration(c.policy.ready_poll_interval_ms),
        ),
        time(
            "collect_failures_for",
            |l| l.collect_failures_for.map(duration),
            |c| duration(c.policy.red_collect_ms),
        ),
        time(
            "no_checks_grace",
            |l| l.no_checks_grace.map(duration),
            |c| duration(c.policy.no_checks_grace_ms),
        ),
        setting(
            "max_restarts",
            Limits,
            number(MAX_RESTARTS),
            |l| some(l.max_restarts),
            |c| json!(c.policy.max_restarts),
        ),
        setting(
            "session_retries",
            Limits,
            number(SESSION_RETRIES),
            |l| some(l.session_retries),
            |c| json!(c.policy.session_retries),
        ),
        setting(
            "slots",
            Limits,
            number(SLOTS),
            |l| some(l.slots),
            |c| json!(c.slots),
        ),
    ]
}

fn rules_and_bots() -> Vec<Setting> {
    use SettingGroup::{Bots, Rules};
    vec![
        setting(
            "verify.commands",
            Rules,
            SettingKind::Texts,
            |l| some(l.verify.as_ref()),
            |c| json!(c.verify),
        ),
        setting(
            "bots",
            Bots,
            SettingKind::Bots,
            |l| (!l.bots.is_empty()).then(|| bots(&l.bots)),
            |c| bots(&c.policy.bots),
        ),
        setting(
            "expected_bots",
            Bots,
            SettingKind::Logins,
            |l| l.expected_bots.as_ref().map(names),
            |c| {
                let policy = &c.policy;
                let expected = policy
                    .bots
                    .iter()
                    .filter(|bot| policy.expected_bots.contains(&bot.id));
                names(expected.map(|bot| &bot.login))
            },
        )
        .unordered(),
        setting(
            "ignored_checks",
            Bots,
            SettingKind::Texts,
            |l| some(l.ignored_checks.as_ref()),
            |c| json!(c.policy.ignored_checks),
        )
        .unordered(),
    ]
}

pub(super) fn some<T: Serialize>(value: Option<T>) -> Option<Value> {
    value.map(|value| json!(value))
}

pub(super) fn number(bounds: Bounds) -> SettingKind {
    SettingKind::Number {
        least: bounds.least,
        most: bounds.most,
    }
}

pub(super) fn choice<T>(words: &[(&str, T)]) -> SettingKind {
    SettingKind::Choice {
        options: words.iter().map(|(name, _)| (*name).to_owned()).collect(),
    }
}

fn word<T: PartialEq>(words: &[(&str, T)], value: T) -> Value {
    let found = words.iter().find(|(_, meant)| *meant == value);
    found.map_or(Value::Null, |(name, _)| json!(name))
}

pub(super) fn share(permille: u16) -> Value {
    json!(f64::from(permille) / 1000.0)
}

/// A time as the file writes it: `1h 30m`, `500ms`.
pub(super) fn duration(ms: u64) -> Value {
    let parts = [
        (ms / 3_600_000, "h"),
        (ms / 60_000 % 60, "m"),
        (ms / 1000 % 60, "s"),
        (ms % 1000, "ms"),
    ];
    let said: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    json!(said.join(" "))
}

fn names<'a>(logins: impl IntoIterator<Item = &'a Login>) -> Value {
    let logins: Vec<&str> = logins.into_iter().map(Login::as_str).collect();
    json!(logins)
}

fn stages(stages: &[StageSpec]) -> Value {
    let stages: Vec<StageSetting> = stages
        .iter()
        .map(|stage| StageSetting {
            reviewers: stage
                .reviewers
                .iter()
                .map(|reviewer| ReviewerSetting {
                    name: reviewer.name.clone(),
                    kind: match reviewer.kind {
                        ReviewerKind::Rules => "rules",
                        ReviewerKind::Agent => "agent",
                        ReviewerKind::Human => "human",
                    }
                    .to_owned(),
                })
                .collect(),
        })
        .collect();
    json!(stages)
}

fn bots(bots: &[KnownBot]) -> Value {
    let shipped = known_bots();
    let bots: Vec<BotSetting> = bots
        .iter()
        .map(|bot| BotSetting {
            login: bot.login.as_str().to_owned(),
            id: bot.id.0,
            shipped: shipped.contains(bot),
        })
        .collect();
    json!(bots)
}

/// The repositories as the form has them.
pub(super) fn repositories(repositories: &[WatchedRepository]) -> Vec<RepositorySetting> {
    let names = |logins: &[Login]| logins.iter().map(|l| l.as_str().to_owned()).collect();
    let listed = repositories.iter().map(|watched| RepositorySetting {
        name: watched.name.to_string(),
        auto_pr_review_enabled: watched.auto_pr_review_enabled,
        authors: names(&watched.authors),
        labels: watched.labels.clone(),
        base_branches: watched.base_branches.clone(),
    });
    listed.collect()
}

//! Settings as a form: the UI draws what is declared here.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Every setting (§12).
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct SettingsView {
    /// Where they are kept.
    pub file: String,
    /// In the order shown. The label is the Fluent key `setting-KEY`, the help `setting-KEY-help` (dots written as dashes).
    pub fields: Vec<SettingField>,
    /// What is wrong with the file as it is; while there is something, the last good values hold.
    pub problems: Vec<SettingProblem>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct SettingField {
    /// Its key in `config.toml`; tables are dotted.
    pub key: String,
    /// Where it is shown.
    pub group: SettingGroup,
    /// What may be put in.
    pub kind: SettingKind,
    /// What holds. Shaped as `kind` says.
    #[ts(type = "unknown")]
    pub value: serde_json::Value,
    /// What held without anybody's word. Null where there is no default.
    #[ts(type = "unknown")]
    pub default: serde_json::Value,
    /// Where the value comes from. One from the environment cannot be changed here.
    pub source: SettingSource,
    /// The environment variable that decides over the file, where there is one.
    pub variable: Option<String>,
}

/// A page of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SettingGroup {
    /// Language, theme, notifications, tray.
    General,
    /// Who is signed in, the host, allowed users.
    Accounts,
    /// The sidebar's repositories with their toggles and filters.
    Repositories,
    /// Stages and reviewers, strictness, thresholds.
    Panel,
    /// Iterations, timeouts, polling, slots.
    Limits,
    /// Verify commands and the built-in rules.
    Rules,
    /// The registry, expected ones, ignored checks.
    Bots,
}

/// What may be put in, and how the value is written in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SettingKind {
    /// true or false.
    Toggle,
    /// A whole number.
    Number {
        /// At least.
        least: u32,
        /// At most.
        most: u32,
    },
    /// A number from 0 to 1.
    Share,
    /// A time such as `30m`, as a text.
    Duration,
    /// A text.
    Text,
    /// One of a few words; the label of each is `setting-KEY-WORD`.
    Choice {
        /// The words.
        options: Vec<String>,
    },
    /// A list of GitHub logins.
    Logins,
    /// A list of texts.
    Texts,
    /// A list of [`StageSetting`].
    Stages,
    /// A list of [`BotSetting`].
    Bots,
    /// A list of [`RepositorySetting`].
    Repositories,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// Nobody said anything.
    Default,
    /// `config.toml`.
    File,
    /// An environment variable.
    Environment,
}

/// Something that cannot be saved, or could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SettingProblem {
    /// The setting; empty when the whole file is no TOML.
    pub key: String,
    /// The line in the file, from 1; none for what was not saved yet.
    pub line: Option<u32>,
    /// What is wrong and what was expected, in the reader's language.
    pub message: String,
}

/// A stage of the panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StageSetting {
    /// `rules`, a login of a person, … 1 to 5.
    pub reviewers: Vec<ReviewerSetting>,
}

/// Who reviews.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReviewerSetting {
    /// `rules`, or a login.
    pub name: String,
    /// `rules`, `human`, …
    pub kind: String,
}

/// A bot of the registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BotSetting {
    /// Its login.
    pub login: String,
    /// Its account: what it is known by (§3.4).
    #[ts(type = "number")]
    pub id: u64,
    /// It ships with Collie: shown, and not to be removed.
    #[serde(default)]
    pub shipped: bool,
}

/// A repository of the sidebar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RepositorySetting {
    /// `owner/repo`.
    pub name: String,
    /// The toggle (§13.1).
    #[serde(default)]
    pub auto_pr_review_enabled: bool,
    /// Only pull requests by these; everybody's when empty.
    #[serde(default)]
    pub authors: Vec<String>,
    /// Only pull requests with one of these labels; any when empty.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Only pull requests into one of these branches; any when empty.
    #[serde(default)]
    pub base_branches: Vec<String>,
}

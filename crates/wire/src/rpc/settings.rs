//! Settings as a form: the UI draws what is declared here.

use collie_core::autonomy::Autonomy;
use collie_core::policy::ReviewerKind;
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
    /// The language model, coding agents, who fixes, what personas run on.
    Models,
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
        min: u32,
        /// At most.
        max: u32,
    },
    /// A number from 0 to 1.
    Fraction,
    /// A number from 0 to this one.
    Decimal {
        /// At most.
        max: u32,
    },
    /// A time such as `30m`, as a text.
    Duration,
    /// A text.
    Text,
    /// One of a few words; the label of each is `setting-KEY-WORD`. Without a default it may be none of them: null.
    Choice {
        /// The words.
        options: Vec<String>,
    },
    /// A list of GitHub logins.
    Logins,
    /// A list of texts.
    Texts,
    /// A list of [`StageSetting`].
    Stages {
        /// The personas that can be put in: shipped, the user's own, and those that are named somewhere already.
        personas: Vec<PersonaOption>,
        /// What is wrong with the user's own personas, a line each.
        persona_problems: Vec<String>,
    },
    /// What somebody runs on, as a text: one of these words. The label of a shipped one is `runner-WORD`, that of the user's own the word.
    Runner {
        /// `rules`, then the agents.
        options: Vec<String>,
    },
    /// A list of [`AuthorSetting`].
    Authors {
        /// What can fix.
        options: Vec<String>,
    },
    /// A list of [`PersonaSetting`].
    Personas {
        /// `llm`, then the agents.
        options: Vec<String>,
        /// Whom it may be said of.
        personas: Vec<PersonaOption>,
        /// The words of `provider`.
        providers: Vec<String>,
        /// The words of `effort`.
        efforts: Vec<String>,
    },
    /// A program with its arguments, as a list of texts.
    Program,
    /// A list of [`HeaderSetting`].
    Headers,
    /// A list of names of `[models.NAME]`, in the order in which they take over.
    ModelNames,
    /// A list of [`ModelSetting`].
    Models {
        /// The words of `provider`.
        providers: Vec<String>,
        /// The words of `effort`.
        efforts: Vec<String>,
    },
    /// A list of [`AgentSetting`].
    Agents {
        /// Those that Collie starts without being told how.
        known: Vec<String>,
        /// The words of `effort`.
        efforts: Vec<String>,
    },
    /// A list of [`McpServerSetting`].
    McpServers {
        /// The words of `transport`.
        transports: Vec<String>,
        /// The words of `used_by`.
        roles: Vec<String>,
    },
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
    /// What the demo needs, or takes from the settings outside of it.
    Demo,
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
    /// The key with the tables it lies in, such as `reviewers.sam.effort`, where that is more than [`Self::key`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// The line in the file, from 1; none for what was not saved yet.
    pub line: Option<u32>,
    /// What is wrong and what was expected, in the reader's language.
    pub message: String,
}

/// A stage of the panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StageSetting {
    /// `rules`, a persona, a login of a person: 1 to 5.
    pub reviewers: Vec<ReviewerSetting>,
}

/// Who reviews.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReviewerSetting {
    /// `rules`, a persona, or a login.
    pub name: String,
    /// What it is.
    pub kind: ReviewerKind,
}

/// A persona that can be put into a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PersonaOption {
    /// Its name.
    pub name: String,
    /// What it is, as its file says. None for one that ships, whose words are `persona-NAME`, and for one that no file of the user's describes.
    pub title: Option<String>,
    /// What it would run on, by the settings as they are saved: `llm`, or an agent. None: nothing is set up for it.
    pub runs_on: Option<String>,
    /// Whom it may ask in when the settings say nothing of that: those that its own file names.
    pub default_escalates_to: Vec<String>,
}

/// What a persona runs on. What is null follows the others: the language model, else the agent that fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PersonaSetting {
    /// Its name.
    pub name: String,
    /// `llm`, or an agent.
    #[serde(default)]
    pub runs_on: Option<String>,
    /// Another model of the same provider.
    #[serde(default)]
    pub model: Option<String>,
    /// Personas that it may ask in. Null: those that its own file names, [`PersonaOption::default_escalates_to`].
    #[serde(default)]
    pub escalates_to: Option<Vec<String>>,
    /// What else is other for its model than for that of all.
    #[serde(flatten)]
    pub options: ModelOptions,
    /// Those of `[models.NAME]` that take over from its model: those of the model for all when left out, nobody when empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fallback: Option<Vec<String>>,
}

/// A model that takes over from others: `[models.NAME]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelSetting {
    /// What `fallback` calls it.
    pub name: String,
    /// The provider's name for the model.
    #[serde(default)]
    pub model: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub options: ModelOptions,
}

/// What may be said of a model besides its name; what is left out is silence. Numbers are sent as they were typed where they are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ModelOptions {
    /// One of the providers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub provider: Option<String>,
    /// Where it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub url: Option<String>,
    /// How much it thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub effort: Option<String>,
    /// From 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number | string")]
    pub temperature: Option<serde_json::Value>,
    /// The longest answer, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number | string")]
    pub max_tokens: Option<serde_json::Value>,
    /// The largest request, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number | string")]
    pub context_tokens: Option<serde_json::Value>,
    /// The variable that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key_variable: Option<String>,
    /// The program that prints the key, with its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub key_command: Vec<String>,
    /// What goes along with each request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<HeaderSetting>>")]
    pub headers: Vec<HeaderSetting>,
}

/// A header that goes along with each request. One that holds a secret comes from a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HeaderSetting {
    /// Its name.
    pub name: String,
    /// Its value, or the name of the variable that holds it.
    pub value: String,
    /// Whether [`Self::value`] is the name of a variable.
    #[serde(default)]
    pub from_variable: bool,
}

/// Who fixes what an author opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AuthorSetting {
    /// The author.
    pub login: String,
    /// `rules`, or an agent.
    pub runs_on: String,
}

/// A coding agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AgentSetting {
    /// Its name.
    pub name: String,
    /// The program and its arguments. Empty for an agent that Collie starts without being told how.
    #[serde(default)]
    pub command: Vec<String>,
    /// Names of variables that it gets of Collie's own environment, to log in with.
    #[serde(default)]
    pub env: Vec<String>,
    /// Hosts that it reaches beside those of its makers: `example.com`, `*.example.com`, `localhost:11434`.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Files and folders of this machine that it may read: absolute paths.
    #[serde(default)]
    pub readable: Vec<String>,
    /// Folders below its home that outlive a turn.
    #[serde(default)]
    pub state: Vec<String>,
    /// Its model, as it calls it itself; its own choice when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// How much that thinks; its own default when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub effort: Option<String>,
}

/// A server of the user's that speaks the Model Context Protocol: a program, or one at an address. No secret is in it, but names of variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpServerSetting {
    /// Its name.
    pub name: String,
    /// The program and its arguments; empty for a server at an address.
    #[serde(default)]
    pub command: Vec<String>,
    /// Names of variables that the program gets of Collie's own environment.
    #[serde(default)]
    pub env: Vec<String>,
    /// The address; left out for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub url: Option<String>,
    /// How the server at the address is spoken to; left out for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub transport: Option<String>,
    /// What goes along with each request to the address.
    #[serde(default)]
    pub headers: Vec<HeaderSetting>,
    /// Whose agents get it.
    #[serde(default)]
    pub used_by: Vec<String>,
    /// Hosts that it reaches beside its own address.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Files and folders of this machine that it may read: absolute paths.
    #[serde(default)]
    pub readable: Vec<String>,
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
    /// Repositories that are not public and whose issues its pull requests may have read all the same.
    #[serde(default)]
    pub read_from: Vec<String>,
    /// Verify commands and agents run without the sandbox, as the user (§9.5).
    #[serde(default)]
    pub unsandboxed: bool,
    /// How far Collie goes by itself here; none in settings of before that was asked, where it pushes.
    #[serde(default)]
    pub autonomy: Option<Autonomy>,
    /// Numbers of pull requests that the toggle leaves out.
    #[serde(default)]
    #[ts(type = "Array<number>")]
    pub except: Vec<u64>,
}

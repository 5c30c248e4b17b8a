//! What can be wrong with a value: a code with arguments. The words are `settings-wrong-CODE` in `locales/`.

use collie_i18n::Localizer;
use fluent::FluentValue;
use std::fmt;
use std::sync::LazyLock;

/// A value as it was written, to be said back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisplayedValue {
    /// As written, texts with their quotes.
    Literal(String),
    /// A list, too long to be said back.
    Array,
    /// A table, too long to be said back.
    Table,
    /// A date, which no key takes.
    Datetime,
}

impl DisplayedValue {
    /// A text in its quotes.
    pub(crate) fn quoted(text: &str) -> Self {
        DisplayedValue::Literal(format!("\"{text}\""))
    }

    fn message(&self, localizer: &Localizer) -> String {
        match self {
            DisplayedValue::Literal(text) => text.clone(),
            DisplayedValue::Array => localizer.plain("settings-shown-array"),
            DisplayedValue::Table => localizer.plain("settings-shown-table"),
            DisplayedValue::Datetime => localizer.plain("settings-shown-datetime"),
        }
    }
}

/// What is wrong, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigErrorKind {
    /// The text is no TOML; the parser's reason is English.
    InvalidToml(String),
    /// The file is not UTF-8 after this byte.
    NotUtf8(usize),
    /// The file cannot be read, for the system's reason.
    Unreadable(String),
    /// Nobody knows the key, but one is near.
    UnknownKeyNear(String),
    /// Nobody knows the key; these are known in its table.
    UnknownKey(Vec<&'static str>),
    /// Only the user's own file may say this.
    UserFileOnly,
    /// Only the user's own file may name bots.
    UserFileOnlyBots,
    /// Only the user's own file may list repositories.
    UserFileOnlyRepositories,
    /// Only the user's own file may set the desktop app up.
    UserFileOnlyDesktop,
    /// Only the user's own file may say which models and agents run.
    UserFileOnlyModels,
    /// A model without its provider, or the other way round.
    LlmIncomplete,
    /// An agent that Collie does not know, without its command.
    AgentWithoutCommand,
    /// A compatible provider without its address.
    LlmWithoutUrl,
    /// No temperature from 0 to 2.
    InvalidTemperature(DisplayedValue),
    /// No name of a persona or an agent.
    InvalidName(String),
    /// No agent by this name.
    UnknownAgent {
        /// What was written.
        name: String,
        /// The one that was probably meant.
        near: Option<String>,
    },
    /// A table by this name was expected.
    NotATable(&'static str),
    /// Tables by this name were expected.
    NotAnArrayOfTables(&'static str),
    /// `require_human_approval` can only be true (§11).
    HumanApprovalDisabled,
    /// `auto_merge` can only be false (§11).
    AutoMergeEnabled,
    /// No address of an API.
    InvalidUrl(String),
    /// No number of an account.
    InvalidAccountId,
    /// A bot without its account or login.
    BotIncomplete,
    /// A stage has 1 to 5 reviewers, not this many.
    StageSize(usize),
    /// A stage without reviewers.
    StageEmpty,
    /// A reviewer is in a stage twice.
    DuplicateReviewer,
    /// No reviewer by this name.
    UnknownReviewer {
        /// What was written.
        name: String,
        /// The one that was probably meant.
        near: Option<&'static str>,
    },
    /// No time.
    InvalidDuration(DisplayedValue),
    /// No whole number in these bounds.
    OutOfRange {
        /// What was written.
        value: DisplayedValue,
        /// At least.
        least: u32,
        /// At most.
        most: u32,
    },
    /// No share from 0 to 1.
    InvalidShare(DisplayedValue),
    /// No share from 0 to 1, in a variable.
    InvalidShareVariable(DisplayedValue),
    /// Neither true nor false.
    NotABoolean(DisplayedValue),
    /// No text, or an empty one.
    NotAString(DisplayedValue),
    /// No list of texts.
    NotAStringArray(DisplayedValue),
    /// No login.
    InvalidLogin(String),
    /// None of these words.
    UnknownChoice {
        /// What was written.
        value: DisplayedValue,
        /// The words.
        choices: Vec<&'static str>,
        /// The one that was probably meant.
        near: Option<&'static str>,
    },
    /// No language of ours, in a variable.
    UnknownLanguage(String),
    /// No known bot has this login.
    UnknownBot {
        /// The login.
        login: String,
        /// The one that was probably meant.
        near: Option<String>,
    },
    /// github.com is read too often (§2).
    PollTooFast,
    /// No name of a repository.
    InvalidRepository(String),
    /// A repository without its name.
    RepositoryUnnamed,
    /// A repository is listed twice.
    DuplicateRepository(String),
    /// An environment variable holds the setting, so that the file has no say.
    SetByEnvironment(&'static str),
    /// Nothing of this shape can be written there.
    UnsupportedValue(DisplayedValue),
}

/// For logs, and for errors that have no reader yet.
pub(super) static ENGLISH: LazyLock<Localizer> = LazyLock::new(|| Localizer::new("en"));

impl ConfigErrorKind {
    /// Says it in a language.
    pub fn message(&self, localizer: &Localizer) -> String {
        let render = |code: &str, args: &[(&str, FluentValue<'_>)]| {
            localizer.text(&format!("settings-wrong-{code}"), args)
        };
        let value = |code: &str, shown: &DisplayedValue| {
            render(code, &[("value", shown.message(localizer).into())])
        };
        let name = |code: &str, name: &str| render(code, &[("name", name.to_owned().into())]);
        let near = |code: &str, near: Option<&str>, mut args: Vec<(&str, FluentValue<'_>)>| {
            let near = near.map(str::to_owned);
            match near {
                Some(near) => {
                    args.push(("near", near.into()));
                    render(&format!("{code}-near"), &args)
                }
                None => render(code, &args),
            }
        };
        match self {
            ConfigErrorKind::InvalidToml(reason) => {
                render("no-toml", &[("reason", reason.clone().into())])
            }
            ConfigErrorKind::NotUtf8(byte) => {
                render("not-utf8", &[("byte", byte.to_string().into())])
            }
            ConfigErrorKind::Unreadable(reason) => {
                render("unreadable", &[("reason", reason.clone().into())])
            }
            ConfigErrorKind::UnknownKeyNear(key) => name("unknown-key-near", key),
            ConfigErrorKind::UnknownKey(known) => {
                render("unknown-key", &[("known", known.join(", ").into())])
            }
            ConfigErrorKind::UserFileOnly => render("users-only", &[]),
            ConfigErrorKind::UserFileOnlyBots => render("users-only-bots", &[]),
            ConfigErrorKind::UserFileOnlyRepositories => render("users-only-repositories", &[]),
            ConfigErrorKind::UserFileOnlyDesktop => render("users-only-desktop", &[]),
            ConfigErrorKind::NotATable(key) => name("no-table", key),
            ConfigErrorKind::NotAnArrayOfTables(key) => name("no-tables", key),
            ConfigErrorKind::HumanApprovalDisabled => render("approval-off", &[]),
            ConfigErrorKind::AutoMergeEnabled => render("auto-merge", &[]),
            ConfigErrorKind::InvalidUrl(text) => value("no-address", &DisplayedValue::quoted(text)),
            ConfigErrorKind::InvalidAccountId => render("no-account", &[]),
            ConfigErrorKind::BotIncomplete => render("bot-incomplete", &[]),
            ConfigErrorKind::StageSize(count) => {
                render("stage-size", &[("count", (*count).into())])
            }
            ConfigErrorKind::StageEmpty => render("stage-empty", &[]),
            ConfigErrorKind::DuplicateReviewer => render("reviewer-twice", &[]),
            ConfigErrorKind::UnknownReviewer { name, near: meant } => {
                near("no-reviewer", *meant, vec![("name", name.clone().into())])
            }
            ConfigErrorKind::UserFileOnlyModels => render("users-only-models", &[]),
            ConfigErrorKind::LlmIncomplete => render("llm-incomplete", &[]),
            ConfigErrorKind::AgentWithoutCommand => render("agent-without-command", &[]),
            ConfigErrorKind::LlmWithoutUrl => render("llm-without-url", &[]),
            ConfigErrorKind::InvalidTemperature(shown) => value("no-temperature", shown),
            ConfigErrorKind::InvalidName(text) => name("no-name", text),
            ConfigErrorKind::UnknownAgent { name, near: meant } => {
                let args = vec![("name", name.clone().into())];
                near("no-agent", meant.as_deref(), args)
            }
            ConfigErrorKind::InvalidDuration(shown) => value("no-time", shown),
            ConfigErrorKind::OutOfRange {
                value: shown,
                least,
                most,
            } => render(
                "out-of-range",
                &[
                    ("value", shown.message(localizer).into()),
                    ("least", least.to_string().into()),
                    ("most", most.to_string().into()),
                ],
            ),
            ConfigErrorKind::InvalidShare(shown) => value("no-share", shown),
            ConfigErrorKind::InvalidShareVariable(shown) => value("no-share-text", shown),
            ConfigErrorKind::NotABoolean(shown) => value("no-truth", shown),
            ConfigErrorKind::NotAString(shown) => value("no-text", shown),
            ConfigErrorKind::NotAStringArray(shown) => value("no-texts", shown),
            ConfigErrorKind::InvalidLogin(text) => name("no-login", text),
            ConfigErrorKind::UnknownChoice {
                value: shown,
                choices,
                near: meant,
            } => {
                let args = vec![
                    ("value", shown.message(localizer).into()),
                    ("choices", choices.join(", ").into()),
                ];
                near("no-choice", *meant, args)
            }
            ConfigErrorKind::UnknownLanguage(text) => {
                value("no-language", &DisplayedValue::quoted(text))
            }
            ConfigErrorKind::UnknownBot { login, near: meant } => {
                let args = vec![("name", login.clone().into())];
                near("unknown-bot", meant.as_deref(), args)
            }
            ConfigErrorKind::PollTooFast => render("poll-too-fast", &[]),
            ConfigErrorKind::InvalidRepository(text) => name("no-repository", text),
            ConfigErrorKind::RepositoryUnnamed => render("repository-unnamed", &[]),
            ConfigErrorKind::DuplicateRepository(text) => name("repository-twice", text),
            ConfigErrorKind::SetByEnvironment(variable) => name("held-by-environment", variable),
            ConfigErrorKind::UnsupportedValue(shown) => value("no-value", shown),
        }
    }
}

impl fmt::Display for ConfigErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(&ENGLISH))
    }
}

//! What can be wrong with a value: a code with arguments. The words are `settings-wrong-CODE` in `locales/`.

use crate::words::Speech;
use fluent::FluentValue;
use std::fmt;
use std::sync::LazyLock;

/// A value as it was written, to be said back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As written, texts with their quotes.
    Literal(String),
    /// A list, too long to be said back.
    Array,
    /// A table, too long to be said back.
    Table,
    /// A date, which no key takes.
    Datetime,
}

impl Shown {
    /// A text in its quotes.
    pub(crate) fn text(text: &str) -> Self {
        Shown::Literal(format!("\"{text}\""))
    }

    fn told(&self, speech: &Speech) -> String {
        match self {
            Shown::Literal(text) => text.clone(),
            Shown::Array => speech.plain("settings-shown-array"),
            Shown::Table => speech.plain("settings-shown-table"),
            Shown::Datetime => speech.plain("settings-shown-datetime"),
        }
    }
}

/// What is wrong, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The text is no TOML; the parser's reason is English.
    NoToml(String),
    /// The file is not UTF-8 after this byte.
    NotUtf8(usize),
    /// The file cannot be read, for the system's reason.
    Unreadable(String),
    /// Nobody knows the key, but one is near.
    UnknownKeyNear(String),
    /// Nobody knows the key; these are known in its table.
    UnknownKey(Vec<&'static str>),
    /// Only the user's own file may say this.
    UsersOnly,
    /// Only the user's own file may name bots.
    UsersOnlyBots,
    /// Only the user's own file may list repositories.
    UsersOnlyRepositories,
    /// Only the user's own file may set the desktop app up.
    UsersOnlyDesktop,
    /// Only the user's own file may say which models and agents run.
    UsersOnlyModels,
    /// A model without its provider, or the other way round.
    LlmIncomplete,
    /// An agent that Collie does not know, without its command.
    AgentWithoutCommand,
    /// A compatible provider without its address.
    LlmWithoutUrl,
    /// No temperature from 0 to 2.
    NoTemperature(Shown),
    /// No name of a persona or an agent.
    NoName(String),
    /// No agent by this name.
    NoAgent {
        /// What was written.
        name: String,
        /// The one that was probably meant.
        near: Option<String>,
    },
    /// A table by this name was expected.
    NoTable(&'static str),
    /// Tables by this name were expected.
    NoTables(&'static str),
    /// `require_human_approval` can only be true (§11).
    ApprovalOff,
    /// `auto_merge` can only be false (§11).
    AutoMerge,
    /// No address of an API.
    NoAddress(String),
    /// No number of an account.
    NoAccount,
    /// A bot without its account or login.
    BotIncomplete,
    /// A stage has 1 to 5 reviewers, not this many.
    StageSize(usize),
    /// A stage without reviewers.
    StageEmpty,
    /// A reviewer is in a stage twice.
    ReviewerTwice,
    /// No reviewer by this name.
    NoReviewer {
        /// What was written.
        name: String,
        /// The one that was probably meant.
        near: Option<&'static str>,
    },
    /// No time.
    NoTime(Shown),
    /// No whole number in these bounds.
    OutOfRange {
        /// What was written.
        shown: Shown,
        /// At least.
        least: u32,
        /// At most.
        most: u32,
    },
    /// No share from 0 to 1.
    NoShare(Shown),
    /// No share from 0 to 1, in a variable.
    NoShareText(Shown),
    /// Neither true nor false.
    NoTruth(Shown),
    /// No text, or an empty one.
    NoText(Shown),
    /// No list of texts.
    NoTexts(Shown),
    /// No login.
    NoLogin(String),
    /// None of these words.
    NoChoice {
        /// What was written.
        shown: Shown,
        /// The words.
        choices: Vec<&'static str>,
        /// The one that was probably meant.
        near: Option<&'static str>,
    },
    /// No language of ours, in a variable.
    NoLanguage(String),
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
    NoRepository(String),
    /// A repository without its name.
    RepositoryUnnamed,
    /// A repository is listed twice.
    RepositoryTwice(String),
    /// An environment variable holds the setting, so that the file has no say.
    HeldByEnvironment(&'static str),
    /// Nothing of this shape can be written there.
    NoValue(Shown),
}

/// For logs, and for errors that have no reader yet.
pub(super) static ENGLISH: LazyLock<Speech> = LazyLock::new(|| Speech::new("en"));

impl Wrong {
    /// Says it in a language.
    pub fn told(&self, speech: &Speech) -> String {
        let say = |code: &str, args: &[(&str, FluentValue<'_>)]| {
            speech.text(&format!("settings-wrong-{code}"), args)
        };
        let value = |code: &str, shown: &Shown| say(code, &[("value", shown.told(speech).into())]);
        let name = |code: &str, name: &str| say(code, &[("name", name.to_owned().into())]);
        let near = |code: &str, near: Option<&str>, mut args: Vec<(&str, FluentValue<'_>)>| {
            let near = near.map(str::to_owned);
            match near {
                Some(near) => {
                    args.push(("near", near.into()));
                    say(&format!("{code}-near"), &args)
                }
                None => say(code, &args),
            }
        };
        match self {
            Wrong::NoToml(reason) => say("no-toml", &[("reason", reason.clone().into())]),
            Wrong::NotUtf8(byte) => say("not-utf8", &[("byte", byte.to_string().into())]),
            Wrong::Unreadable(reason) => say("unreadable", &[("reason", reason.clone().into())]),
            Wrong::UnknownKeyNear(key) => name("unknown-key-near", key),
            Wrong::UnknownKey(known) => say("unknown-key", &[("known", known.join(", ").into())]),
            Wrong::UsersOnly => say("users-only", &[]),
            Wrong::UsersOnlyBots => say("users-only-bots", &[]),
            Wrong::UsersOnlyRepositories => say("users-only-repositories", &[]),
            Wrong::UsersOnlyDesktop => say("users-only-desktop", &[]),
            Wrong::NoTable(key) => name("no-table", key),
            Wrong::NoTables(key) => name("no-tables", key),
            Wrong::ApprovalOff => say("approval-off", &[]),
            Wrong::AutoMerge => say("auto-merge", &[]),
            Wrong::NoAddress(text) => value("no-address", &Shown::text(text)),
            Wrong::NoAccount => say("no-account", &[]),
            Wrong::BotIncomplete => say("bot-incomplete", &[]),
            Wrong::StageSize(count) => say("stage-size", &[("count", (*count).into())]),
            Wrong::StageEmpty => say("stage-empty", &[]),
            Wrong::ReviewerTwice => say("reviewer-twice", &[]),
            Wrong::NoReviewer { name, near: meant } => {
                near("no-reviewer", *meant, vec![("name", name.clone().into())])
            }
            Wrong::UsersOnlyModels => say("users-only-models", &[]),
            Wrong::LlmIncomplete => say("llm-incomplete", &[]),
            Wrong::AgentWithoutCommand => say("agent-without-command", &[]),
            Wrong::LlmWithoutUrl => say("llm-without-url", &[]),
            Wrong::NoTemperature(shown) => value("no-temperature", shown),
            Wrong::NoName(text) => name("no-name", text),
            Wrong::NoAgent { name, near: meant } => {
                let args = vec![("name", name.clone().into())];
                near("no-agent", meant.as_deref(), args)
            }
            Wrong::NoTime(shown) => value("no-time", shown),
            Wrong::OutOfRange { shown, least, most } => say(
                "out-of-range",
                &[
                    ("value", shown.told(speech).into()),
                    ("least", least.to_string().into()),
                    ("most", most.to_string().into()),
                ],
            ),
            Wrong::NoShare(shown) => value("no-share", shown),
            Wrong::NoShareText(shown) => value("no-share-text", shown),
            Wrong::NoTruth(shown) => value("no-truth", shown),
            Wrong::NoText(shown) => value("no-text", shown),
            Wrong::NoTexts(shown) => value("no-texts", shown),
            Wrong::NoLogin(text) => name("no-login", text),
            Wrong::NoChoice {
                shown,
                choices,
                near: meant,
            } => {
                let args = vec![
                    ("value", shown.told(speech).into()),
                    ("choices", choices.join(", ").into()),
                ];
                near("no-choice", *meant, args)
            }
            Wrong::NoLanguage(text) => value("no-language", &Shown::text(text)),
            Wrong::UnknownBot { login, near: meant } => {
                let args = vec![("name", login.clone().into())];
                near("unknown-bot", meant.as_deref(), args)
            }
            Wrong::PollTooFast => say("poll-too-fast", &[]),
            Wrong::NoRepository(text) => name("no-repository", text),
            Wrong::RepositoryUnnamed => say("repository-unnamed", &[]),
            Wrong::RepositoryTwice(text) => name("repository-twice", text),
            Wrong::HeldByEnvironment(variable) => name("held-by-environment", variable),
            Wrong::NoValue(shown) => value("no-value", shown),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&ENGLISH))
    }
}

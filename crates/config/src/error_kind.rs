//! What can be wrong with a value: a code with arguments. The words are `problem-config_CODE` in `locales/`.

use collie_agents::llm::Provider;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::{TextArg, UserError};
use strum::{EnumDiscriminants, IntoStaticStr};

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

    fn arg(&self) -> TextArg {
        match self {
            DisplayedValue::Literal(text) => TextArg::Text(text.clone()),
            DisplayedValue::Array => TextArg::Key("settings-shown-array".into()),
            DisplayedValue::Table => TextArg::Key("settings-shown-table".into()),
            DisplayedValue::Datetime => TextArg::Key("settings-shown-datetime".into()),
        }
    }
}

/// What is wrong, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, EnumDiscriminants)]
#[strum_discriminants(
    name(ConfigErrorCode),
    doc = " The codes of [`ConfigErrorKind`]: those of [`ErrorCode`] that begin with `config_`.",
    derive(IntoStaticStr, strum::VariantArray),
    strum(serialize_all = "snake_case"),
    vis(pub(crate))
)]
pub enum ConfigErrorKind {
    /// The text is no TOML, in the parser's words.
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
    /// An MCP server that is no program and no address, or both, or is nobody's.
    McpIncomplete,
    /// Reviews of a persona may approve or request changes, and it has no account of its own.
    VerdictWithoutAccount,
    /// A GitHub App without its id, or without the account that has installed it.
    AppIncomplete,
    /// A secret in the command or the address of an MCP server.
    McpHoldsSecret,
    /// A variable that no other program gets.
    WithheldVariable(String),
    /// A provider that has no usual address, without its own.
    LlmWithoutUrl(Provider),
    /// No table of a model by this name.
    UnknownModel {
        /// What was written.
        name: String,
        /// The one that was probably meant.
        near: Option<String>,
    },
    /// No header that a request can have.
    InvalidHeader(String),
    /// A secret stands in the file.
    HeaderHoldsSecret(String),
    /// The same header is there twice.
    DuplicateHeader(String),
    /// No name of a variable; what was written may be a key.
    NotAVariable,
    /// No temperature from 0 to 2.
    InvalidTemperature(DisplayedValue),
    /// No amount of dollars up to a million.
    InvalidDollars(DisplayedValue),
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
    /// It names no host.
    InvalidHost(String),
    /// A verify command that looks like the line of one that prepares.
    ReservedCommand(String),
    /// It does not begin at the root.
    RelativePath(String),
    /// It is no path of plain names below a home folder.
    NotBelowHome(String),
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

impl ConfigErrorCode {
    /// The same among all codes.
    fn error_code(self) -> ErrorCode {
        let name: &str = self.into();
        format!("config_{name}")
            .parse()
            .expect("a test holds that each is among all codes")
    }
}

impl From<&ConfigErrorKind> for UserError {
    fn from(kind: &ConfigErrorKind) -> Self {
        use ConfigErrorKind as Kind;
        let error = UserError::new(ConfigErrorCode::from(kind).error_code());
        match kind {
            Kind::InvalidToml(message) | Kind::Unreadable(message) => {
                error.with("message", message)
            }
            Kind::NotUtf8(byte) => error.with("byte", byte),
            Kind::StageSize(count) => error.with("count", count),
            Kind::UnknownKeyNear(near) => error.with_nearest(Some(near)),
            Kind::UnknownKey(known) => error.with("known", known.join(", ")),
            Kind::NotATable(name)
            | Kind::NotAnArrayOfTables(name)
            | Kind::SetByEnvironment(name) => error.with("name", name),
            Kind::InvalidName(name)
            | Kind::InvalidLogin(name)
            | Kind::InvalidHost(name)
            | Kind::InvalidHeader(name)
            | Kind::HeaderHoldsSecret(name)
            | Kind::DuplicateHeader(name)
            | Kind::WithheldVariable(name)
            | Kind::ReservedCommand(name)
            | Kind::RelativePath(name)
            | Kind::NotBelowHome(name)
            | Kind::InvalidRepository(name)
            | Kind::DuplicateRepository(name) => error.with("name", name),
            Kind::UnknownReviewer { name, near } => error.with("name", name).with_nearest(*near),
            Kind::LlmWithoutUrl(provider) => {
                let example = match provider {
                    Provider::Azure => "https://NAME.openai.azure.com",
                    _ => "http://127.0.0.1:8080/v1",
                };
                error.with("name", provider).with("example", example)
            }
            Kind::UnknownAgent { name, near }
            | Kind::UnknownModel { name, near }
            | Kind::UnknownBot { login: name, near } => {
                error.with("name", name).with_nearest(near.as_ref())
            }
            Kind::InvalidUrl(text) | Kind::UnknownLanguage(text) => {
                error.with_arg("value", DisplayedValue::quoted(text).arg())
            }
            Kind::InvalidTemperature(value)
            | Kind::InvalidDollars(value)
            | Kind::InvalidDuration(value)
            | Kind::InvalidShare(value)
            | Kind::InvalidShareVariable(value)
            | Kind::NotABoolean(value)
            | Kind::NotAString(value)
            | Kind::NotAStringArray(value)
            | Kind::UnsupportedValue(value) => error.with_arg("value", value.arg()),
            Kind::OutOfRange { value, least, most } => error
                .with_arg("value", value.arg())
                .with("least", least)
                .with("most", most),
            Kind::UnknownChoice {
                value,
                choices,
                near,
            } => error
                .with_arg("value", value.arg())
                .with("choices", choices.join(", "))
                .with_nearest(*near),
            Kind::UserFileOnly
            | Kind::UserFileOnlyBots
            | Kind::UserFileOnlyRepositories
            | Kind::UserFileOnlyDesktop
            | Kind::UserFileOnlyModels
            | Kind::LlmIncomplete
            | Kind::AgentWithoutCommand
            | Kind::McpIncomplete
            | Kind::VerdictWithoutAccount
            | Kind::AppIncomplete
            | Kind::McpHoldsSecret
            | Kind::NotAVariable
            | Kind::HumanApprovalDisabled
            | Kind::AutoMergeEnabled
            | Kind::InvalidAccountId
            | Kind::BotIncomplete
            | Kind::StageEmpty
            | Kind::DuplicateReviewer
            | Kind::PollTooFast
            | Kind::RepositoryUnnamed => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConfigErrorCode;
    use strum::VariantArray as _;

    #[test]
    fn each_is_among_all_codes() {
        for code in ConfigErrorCode::VARIANTS {
            assert!(code.error_code().as_str().starts_with("config_"));
        }
    }
}

//! Readers of single values: what fits, and the words for what does not.

use super::desktop::Theme;
use super::error_kind::{ConfigErrorKind, DisplayedValue};
use super::problem::nearest;
use collie_core::autonomy::Autonomy;
use collie_core::ids::{Login, RepoName};
use collie_core::policy::{BaseMerging, Strictness, UnseenPolicy};
use collie_core::trust::PREPARE_LINE;
use jiff::SignedDuration;
use toml::de::DeValue;

/// What every reader of a value gives.
pub(crate) type ValueResult<T> = Result<T, ConfigErrorKind>;

fn displayed(value: &DeValue<'_>) -> DisplayedValue {
    match value {
        DeValue::String(text) => DisplayedValue::quoted(text),
        DeValue::Integer(number) => DisplayedValue::Literal(number.as_str().to_owned()),
        DeValue::Float(number) => DisplayedValue::Literal(number.as_str().to_owned()),
        DeValue::Boolean(yes) => DisplayedValue::Literal(yes.to_string()),
        DeValue::Datetime(_) => DisplayedValue::Datetime,
        DeValue::Array(_) => DisplayedValue::Array,
        DeValue::Table(_) => DisplayedValue::Table,
    }
}

/// A time such as `30m`, `500ms`, `1h 30m`; a bare number is milliseconds, as in seed 003.
pub(crate) fn duration_ms(value: &DeValue<'_>) -> ValueResult<u64> {
    match value {
        DeValue::String(text) => parse_duration_ms(text),
        DeValue::Integer(number) => parse_integer(number.as_str()),
        DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => None,
    }
    .filter(|ms| *ms > 0)
    .ok_or_else(|| ConfigErrorKind::InvalidDuration(displayed(value)))
}

/// A time in words; none when it is not one, is negative, or is over a year.
pub fn parse_duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let duration: SignedDuration = text.parse().ok()?;
    let ms = u64::try_from(duration.as_millis()).ok()?;
    (ms <= 366 * 24 * 3_600_000).then_some(ms)
}

fn parse_integer(text: &str) -> Option<u64> {
    text.replace('_', "").parse().ok()
}

/// Which whole numbers fit, both ends in. The settings' form shows the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At least.
    pub least: u32,
    /// At most.
    pub most: u32,
}

impl Bounds {
    pub(crate) const fn new(least: u32, most: u32) -> Self {
        Self { least, most }
    }

    pub(crate) fn contains(self, number: u32) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

/// `max_pr_review_iterations`.
pub const MAX_ITERATIONS: Bounds = Bounds::new(1, 50);
/// `max_restarts`.
pub const MAX_RESTARTS: Bounds = Bounds::new(1, 1000);
/// `session_retries`.
pub const SESSION_RETRIES: Bounds = Bounds::new(0, 10);
/// `max_comments`.
pub const MAX_COMMENTS: Bounds = Bounds::new(0, 100);
/// `disk.checkout_mb` and `disk.sandbox_mb`: up to a terabyte.
pub const DISK_MEGABYTES: Bounds = Bounds::new(1, 1 << 20);
/// `disk.checkout_files`.
pub const CHECKOUT_FILES: Bounds = Bounds::new(1, 100_000_000);
/// `disk.replay_days`: up to ten years.
pub const REPLAY_DAYS: Bounds = Bounds::new(0, 3_650);
/// `budget`: tokens of what has no price.
pub const BUDGET_TOKENS: Bounds = Bounds::new(1_000, 4_000_000_000);
/// `slots`.
pub const SLOTS: Bounds = Bounds::new(1, 64);

/// A whole number within bounds.
pub(crate) fn number(bounds: Bounds) -> impl Fn(&DeValue<'_>) -> ValueResult<u32> {
    move |value| {
        value
            .as_integer()
            .and_then(|n| parse_integer(n.as_str()))
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| bounds.contains(*n))
            .ok_or_else(|| ConfigErrorKind::OutOfRange {
                value: displayed(value),
                least: bounds.least,
                most: bounds.most,
            })
    }
}

/// The most dollars that a limit may be.
pub const MAX_DOLLARS: u32 = 1_000_000;

/// A number as it is written, whole or not; empty where it is none.
fn number_text<'a>(value: &'a DeValue<'_>) -> &'a str {
    match value {
        DeValue::Float(number) => number.as_str(),
        DeValue::Integer(number) => number.as_str(),
        DeValue::String(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => "",
    }
}

/// An amount of dollars up to a million; nothing may be spent by 0, in millionths of a dollar.
pub(crate) fn dollars(value: &DeValue<'_>) -> ValueResult<u64> {
    let text = number_text(value);
    let amount = text.replace('_', "").parse::<f64>().ok();
    amount
        .filter(|amount| (0.0..=f64::from(MAX_DOLLARS)).contains(amount))
        // In range, so the conversion neither wraps nor loses its sign.
        .map(|amount| (amount * 1_000_000.0).round() as u64)
        .ok_or_else(|| ConfigErrorKind::InvalidDollars(displayed(value)))
}

/// A share from 0 to 1, in thousandths.
pub(crate) fn permille(value: &DeValue<'_>) -> ValueResult<u16> {
    let text = number_text(value);
    parse_permille(text).ok_or_else(|| ConfigErrorKind::InvalidShare(displayed(value)))
}

/// A temperature from 0 to 2, in thousandths.
pub(crate) fn temperature(value: &DeValue<'_>) -> ValueResult<u16> {
    let read = parse_temperature(number_text(value));
    read.map_err(|_| ConfigErrorKind::InvalidTemperature(displayed(value)))
}

/// A temperature from 0 to 2 as text, in thousandths.
pub fn parse_temperature(text: &str) -> Result<u16, ConfigErrorKind> {
    let degrees = text.trim().parse::<f64>().ok();
    degrees
        .filter(|degrees| (0.0..=2.0).contains(degrees))
        // In range, so the conversion neither wraps nor loses its sign.
        .map(|degrees| (degrees * 1000.0).round() as u16)
        .ok_or_else(|| ConfigErrorKind::InvalidTemperature(DisplayedValue::quoted(text)))
}

/// A share in words, in thousandths.
pub(crate) fn parse_permille(text: &str) -> Option<u16> {
    let share: f64 = text.trim().parse().ok()?;
    // In range, so the conversion neither wraps nor loses its sign.
    (0.0..=1.0)
        .contains(&share)
        .then(|| (share * 1000.0).round() as u16)
}

/// Yes or no.
pub(crate) fn boolean(value: &DeValue<'_>) -> ValueResult<bool> {
    value
        .as_bool()
        .ok_or_else(|| ConfigErrorKind::NotABoolean(displayed(value)))
}

/// A text that is not empty.
pub(crate) fn string(value: &DeValue<'_>) -> ValueResult<String> {
    value
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| ConfigErrorKind::NotAString(displayed(value)))
}

/// A list of texts.
pub(crate) fn strings(value: &DeValue<'_>) -> ValueResult<Vec<String>> {
    let invalid = || ConfigErrorKind::NotAStringArray(displayed(value));
    value
        .as_array()
        .ok_or_else(invalid)?
        .iter()
        .map(|item| string(item.get_ref()).map_err(|_| invalid()))
        .collect()
}

/// Numbers of pull requests.
pub(crate) fn pull_numbers(value: &DeValue<'_>) -> ValueResult<Vec<u64>> {
    let bounds = Bounds {
        least: 1,
        most: u32::MAX,
    };
    let out_of_range = || ConfigErrorKind::OutOfRange {
        value: displayed(value),
        least: bounds.least,
        most: bounds.most,
    };
    let items = value.as_array().ok_or_else(out_of_range)?;
    items
        .iter()
        .map(|item| number(bounds)(item.get_ref()).map(u64::from))
        .collect()
}

/// A list of commands. How the lines begin that say what prepares a verification, no command may.
pub(crate) fn commands(value: &DeValue<'_>) -> ValueResult<Vec<String>> {
    let commands = strings(value)?;
    match commands
        .iter()
        .find(|command| command.starts_with(PREPARE_LINE))
    {
        Some(reserved) => Err(ConfigErrorKind::ReservedCommand(reserved.clone())),
        None => Ok(commands),
    }
}

/// A list of logins.
pub(crate) fn logins(value: &DeValue<'_>) -> ValueResult<Vec<Login>> {
    strings(value)?
        .iter()
        .map(|name| parse_login(name))
        .collect()
}

/// One login.
pub(crate) fn login(value: &DeValue<'_>) -> ValueResult<Login> {
    parse_login(&string(value)?)
}

/// One login: letters, digits and dashes, as GitHub has them; underscores for managed users.
pub(crate) fn parse_login(name: &str) -> ValueResult<Login> {
    let bare = name
        .trim()
        .trim_start_matches('@')
        .trim_end_matches("[bot]");
    let fits = !bare.is_empty()
        && bare.len() <= 100
        && bare
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    fits.then(|| Login::new(bare))
        .ok_or_else(|| ConfigErrorKind::InvalidLogin(name.to_owned()))
}

/// An address of a server.
pub(crate) fn url(value: &DeValue<'_>) -> ValueResult<String> {
    parse_url(&string(value)?)
}

/// An address of a server as text, without a slash at the end.
pub fn parse_url(value: &str) -> Result<String, ConfigErrorKind> {
    let fits = (value.starts_with("https://") || value.starts_with("http://"))
        && !value.contains(char::is_whitespace)
        && !value.contains('@');
    if fits {
        Ok(value.trim_end_matches('/').to_owned())
    } else {
        Err(ConfigErrorKind::InvalidUrl(value.to_owned()))
    }
}

/// A repository, as `owner/repo`.
pub(crate) fn repository(value: &DeValue<'_>) -> ValueResult<RepoName> {
    let name = string(value)?;
    RepoName::parse(&name).map_err(|_| ConfigErrorKind::InvalidRepository(name))
}

/// Repositories, each as `owner/repo`.
pub(crate) fn repositories(value: &DeValue<'_>) -> ValueResult<Vec<RepoName>> {
    let names = strings(value)?.into_iter();
    names
        .map(|name| RepoName::parse(&name).map_err(|_| ConfigErrorKind::InvalidRepository(name)))
        .collect()
}

/// One of a few words.
pub(crate) fn one_of<T: Copy>(
    choices: &'static [(&'static str, T)],
) -> impl Fn(&DeValue<'_>) -> ValueResult<T> {
    move |value| {
        let typed = value.as_str().unwrap_or_default();
        parse_choice(typed, choices).map_err(|_| invalid_choice(displayed(value), typed, choices))
    }
}

/// One of a few words, given as a text.
pub(crate) fn parse_choice<T: Copy>(typed: &str, choices: &[(&'static str, T)]) -> ValueResult<T> {
    choices
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(typed.trim()))
        .map(|(_, value)| *value)
        .ok_or_else(|| invalid_choice(DisplayedValue::quoted(typed), typed, choices))
}

fn invalid_choice<T>(
    shown: DisplayedValue,
    typed: &str,
    choices: &[(&'static str, T)],
) -> ConfigErrorKind {
    let names: Vec<&'static str> = choices.iter().map(|(name, _)| *name).collect();
    ConfigErrorKind::UnknownChoice {
        value: shown,
        near: nearest(typed, &names),
        choices: names,
    }
}

/// Words that mean themselves, as [`one_of`] takes them.
pub(crate) const fn each_by_name<const N: usize>(
    names: &[&'static str],
) -> [(&'static str, &'static str); N] {
    let mut pairs = [("", ""); N];
    let mut at = 0;
    while at < N {
        pairs[at] = (names[at], names[at]);
        at += 1;
    }
    pairs
}

/// The words for [`Strictness`].
pub const STRICTNESS: &[(&str, Strictness)] = &[
    ("permissive", Strictness::Permissive),
    ("balanced", Strictness::Balanced),
    ("strict", Strictness::Strict),
];

/// The words for [`UnseenPolicy`].
pub const UNSEEN: &[(&str, UnseenPolicy)] =
    &[("block", UnseenPolicy::Block), ("tell", UnseenPolicy::Tell)];

/// The words for [`Autonomy`].
pub const AUTONOMY: &[(&str, Autonomy)] = &[
    ("observe", Autonomy::Observe),
    ("ask", Autonomy::Ask),
    ("push", Autonomy::Push),
];

/// The words for [`BaseMerging`].
pub const MERGE_BASE: &[(&str, BaseMerging)] = &[
    ("off", BaseMerging::Off),
    ("clean", BaseMerging::Clean),
    ("agent", BaseMerging::Agent),
];

/// The words for [`Theme`].
pub const THEMES: &[(&str, Theme)] = &[
    ("system", Theme::System),
    ("light", Theme::Light),
    ("dark", Theme::Dark),
];

//! Readers of single values: what fits, and the words for what does not.

use super::problem::nearest;
use collie_core::ids::Login;
use collie_core::policy::Strictness;
use jiff::SignedDuration;
use toml::de::DeValue;

/// What every reader of a value gives.
pub(crate) type Read<T> = Result<T, String>;

fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(yes) => yes.to_string(),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            format!("this {}", value.type_str())
        }
    }
}

/// A time such as `30m`, `500ms`, `1h 30m`; a bare number is milliseconds, as in seed 003.
pub(crate) fn time(value: &DeValue<'_>) -> Read<u64> {
    match value {
        DeValue::String(text) => time_of(text),
        DeValue::Integer(number) => parse_integer(number.as_str()),
        DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => None,
    }
    .filter(|ms| *ms > 0)
    .ok_or_else(|| {
        format!(
            "{} is no time: expected such as \"30m\", \"45s\" or \"500ms\"",
            shown(value)
        )
    })
}

/// A time in words; none when it is not one, is negative, or is over a year.
pub(crate) fn time_of(text: &str) -> Option<u64> {
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

/// A whole number within bounds, both in.
pub(crate) fn number(least: u32, most: u32) -> impl Fn(&DeValue<'_>) -> Read<u32> {
    move |value| {
        value
            .as_integer()
            .and_then(|n| parse_integer(n.as_str()))
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| (least..=most).contains(n))
            .ok_or_else(|| {
                format!(
                    "{} does not fit: expected a whole number from {least} to {most}",
                    shown(value)
                )
            })
    }
}

/// A share from 0 to 1, in thousandths.
pub(crate) fn permille(value: &DeValue<'_>) -> Read<u16> {
    let text = match value {
        DeValue::Float(number) => number.as_str(),
        DeValue::Integer(number) => number.as_str(),
        DeValue::String(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => "",
    };
    permille_of(text).ok_or_else(|| {
        format!(
            "{} does not fit: expected a number from 0 to 1, such as 0.7",
            shown(value)
        )
    })
}

/// A share in words, in thousandths.
pub(crate) fn permille_of(text: &str) -> Option<u16> {
    let share: f64 = text.trim().parse().ok()?;
    // In range, so the conversion neither wraps nor loses its sign.
    (0.0..=1.0)
        .contains(&share)
        .then(|| (share * 1000.0).round() as u16)
}

/// Yes or no.
pub(crate) fn truth(value: &DeValue<'_>) -> Read<bool> {
    value
        .as_bool()
        .ok_or_else(|| format!("{} does not fit: expected true or false", shown(value)))
}

/// A text that is not empty.
pub(crate) fn text(value: &DeValue<'_>) -> Read<String> {
    value
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| format!("{} does not fit: expected a text", shown(value)))
}

/// A list of texts.
pub(crate) fn texts(value: &DeValue<'_>) -> Read<Vec<String>> {
    let wrong = || {
        format!(
            "{} does not fit: expected a list of texts, such as [\"a\", \"b\"]",
            shown(value)
        )
    };
    value
        .as_array()
        .ok_or_else(wrong)?
        .iter()
        .map(|item| text(item.get_ref()).map_err(|_| wrong()))
        .collect()
}

/// A list of logins.
pub(crate) fn logins(value: &DeValue<'_>) -> Read<Vec<Login>> {
    texts(value)?.iter().map(|name| login(name)).collect()
}

/// One login: letters, digits and dashes, as GitHub has them; underscores for managed users.
pub(crate) fn login(name: &str) -> Read<Login> {
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
        .ok_or_else(|| format!("\"{name}\" is no login"))
}

/// One of a few words.
pub(crate) fn one_of<T: Copy>(
    choices: &'static [(&'static str, T)],
) -> impl Fn(&DeValue<'_>) -> Read<T> {
    move |value| {
        let typed = value.as_str().unwrap_or_default();
        choice(typed, choices).map_err(|_| wrong_choice(&shown(value), typed, choices))
    }
}

/// One of a few words, given as a text.
pub(crate) fn choice<T: Copy>(typed: &str, choices: &[(&'static str, T)]) -> Read<T> {
    choices
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(typed.trim()))
        .map(|(_, value)| *value)
        .ok_or_else(|| wrong_choice(&format!("\"{typed}\""), typed, choices))
}

fn wrong_choice<T>(shown: &str, typed: &str, choices: &[(&'static str, T)]) -> String {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let hint = match nearest(typed, &names) {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => String::new(),
    };
    format!(
        "{shown} does not fit: expected one of {}{hint}",
        names.join(", ")
    )
}

/// The words for [`Strictness`].
pub(crate) const STRICTNESS: &[(&str, Strictness)] = &[
    ("permissive", Strictness::Permissive),
    ("balanced", Strictness::Balanced),
    ("strict", Strictness::Strict),
];

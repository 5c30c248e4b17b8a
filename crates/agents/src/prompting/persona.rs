//! Personas: who reviews, as Markdown with front matter (§4.1). Shipped ones and the user's own have the same form.

use super::prompts;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::{TextArg, UserError};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::collections::{BTreeMap, BTreeSet};

/// Where a repository keeps personas of its own: files `NAME.md`, read from the base branch (§4.1).
pub const PERSONAS_FOLDER: &str = ".collie/personas";

/// The keys of the front matter, with what each takes.
const KEYS: [(&str, &str); 4] = [
    (
        "name",
        "a word of lower-case letters, digits and `-`, at most 40 characters, such as `quinn`",
    ),
    (
        "title",
        "a line of at most 80 characters, such as `quality reviewer`",
    ),
    (
        "focus",
        "a line of at most 300 characters that says what this persona looks at",
    ),
    (
        "may_escalate_to",
        "a list of names of personas, such as `[sam]`",
    ),
];
/// How alike a word must be to be offered instead.
const MIN_SIMILARITY: f64 = 0.7;
/// The most characters of the words below the front matter.
const MAX_BODY_CHARS: usize = 8_000;

/// A reviewer's character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persona {
    /// The name that configuration and escalations use.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// What it looks at, in a line.
    pub focus: String,
    /// Reviewers it may ask in.
    pub may_escalate_to: Vec<String>,
    /// How it reviews, in Markdown.
    pub body: String,
}

/// What is wrong with a persona's file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersonaError {
    /// It does not begin with front matter.
    #[error(
        "{path}, line 1: no front matter: expected `---`, then lines such as `name: quinn`, then `---`, then the persona's words"
    )]
    NoFrontMatter {
        /// The file.
        path: String,
    },
    /// The front matter is no YAML, or no list of keys and values.
    #[error("{path}, line {line}: {message}")]
    NotYaml {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What the parser says.
        message: String,
    },
    /// A key that there is not.
    #[error("{path}, line {line}, `{key}`: unknown key: expected one of {}{}", quoted_list(.known.iter()), did_you_mean(.nearest.as_ref()))]
    UnknownKey {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The key.
        key: String,
        /// All keys.
        known: Vec<String>,
        /// The nearest one, as a half sentence; may be empty.
        nearest: Option<String>,
    },
    /// A value that does not fit.
    #[error("{path}, line {line}, `{key}`: {found} does not fit: expected {expected}{}", did_you_mean(.nearest.as_ref()))]
    BadValue {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The key.
        key: String,
        /// The value, as JSON.
        found: String,
        /// What it takes.
        expected: String,
        /// The nearest valid value, as a half sentence; may be empty.
        nearest: Option<String>,
    },
    /// A key that is needed.
    #[error("{path}: `{key}` is missing: expected {expected}")]
    Missing {
        /// The file.
        path: String,
        /// The key.
        key: String,
        /// What it takes.
        expected: String,
    },
    /// Nothing, or far too much, stands below the front matter.
    #[error(
        "{path}: {found} characters below the front matter: expected how this persona reviews, in 1 to 8000 characters"
    )]
    BadBody {
        /// The file.
        path: String,
        /// How many.
        found: usize,
    },
}

/// A persona as it was read, with where its keys stand.
impl From<PersonaError> for UserError {
    fn from(error: PersonaError) -> Self {
        let expected = |key: &str| TextArg::Key(format!("persona-expected-{key}"));
        match error {
            PersonaError::NoFrontMatter { path } => {
                UserError::new(ErrorCode::PersonaNoFrontMatter).with("path", path)
            }
            PersonaError::NotYaml {
                path,
                line,
                message,
            } => UserError::new(ErrorCode::PersonaNotYaml)
                .with("path", path)
                .with("line", line)
                .with("message", message),
            PersonaError::UnknownKey {
                path,
                line,
                key,
                known,
                nearest,
            } => UserError::new(ErrorCode::PersonaUnknownKey)
                .with("path", path)
                .with("line", line)
                .with("key", key)
                .with("known", known.join(", "))
                .with_nearest(nearest),
            PersonaError::BadValue {
                path,
                line,
                key,
                found,
                nearest,
                ..
            } => UserError::new(ErrorCode::PersonaBadValue)
                .with("path", path)
                .with("line", line)
                .with_arg("expected", expected(&key))
                .with("key", key)
                .with("found", found)
                .with_nearest(nearest),
            PersonaError::Missing { path, key, .. } => UserError::new(ErrorCode::PersonaMissingKey)
                .with("path", path)
                .with_arg("expected", expected(&key))
                .with("key", key),
            PersonaError::BadBody { path, found } => UserError::new(ErrorCode::PersonaBadBody)
                .with("path", path)
                .with_arg("found", found),
        }
    }
}

struct ParsedPersona {
    persona: Persona,
    path: String,
    escalate_line: u64,
}

/// The personas that come with Collie: Priya, Quinn and Sam.
pub fn built_in_personas() -> Vec<Persona> {
    parse_personas(&[]).0
}

/// Shipped personas and those of the given files (path and text), by name; a later file takes the place of an earlier one of that name. What
/// is wrong with a file leaves that persona out and is told.
pub fn parse_personas(files: &[(String, String)]) -> (Vec<Persona>, Vec<PersonaError>) {
    let own = prompts::personas().map(|(path, text)| (path.to_string(), text.to_string()));
    let mut errors = Vec::new();
    let mut by_name: BTreeMap<String, ParsedPersona> = BTreeMap::new();
    for (path, text) in own.chain(files.iter().cloned()) {
        match parse_with_lines(&path, &text) {
            Ok(parsed) => {
                by_name.insert(parsed.persona.name.clone(), parsed);
            }
            Err(persona_errors) => errors.extend(persona_errors),
        }
    }
    let names: BTreeSet<String> = by_name.keys().cloned().collect();
    for parsed in by_name.values() {
        let unknown = parsed.persona.may_escalate_to.iter();
        errors.extend(
            unknown
                .filter(|name| !names.contains(*name))
                .map(|name| no_such_persona(parsed, name, &names)),
        );
    }
    (
        by_name.into_values().map(|read| read.persona).collect(),
        errors,
    )
}

/// Reads one persona. The errors are for its author: file, line, key, what was expected.
pub fn parse_persona(path: &str, text: &str) -> Result<Persona, Vec<PersonaError>> {
    parse_with_lines(path, text).map(|read| read.persona)
}

fn no_such_persona(parsed: &ParsedPersona, name: &str, names: &BTreeSet<String>) -> PersonaError {
    PersonaError::BadValue {
        path: parsed.path.clone(),
        line: parsed.escalate_line,
        key: "may_escalate_to".into(),
        found: format!("\"{name}\""),
        expected: format!("a persona that there is: {}", quoted_list(names.iter())),
        nearest: nearest_word(name, names.iter().map(String::as_str)),
    }
}

fn quoted_list<T: AsRef<str>>(words: impl Iterator<Item = T>) -> String {
    words
        .map(|word| format!("`{}`", word.as_ref()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A near word as the end of a sentence; nothing when there is none.
fn did_you_mean(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

/// The nearest valid word, if one is near.
pub(super) fn nearest_word<'a>(word: &str, valid: impl Iterator<Item = &'a str>) -> Option<String> {
    valid
        .map(|other| (strsim::jaro_winkler(word, other), other))
        .filter(|(likeness, _)| *likeness >= MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, other)| other.to_owned())
}

/// Front matter and what follows it.
fn split_front_matter(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn parse_with_lines(path: &str, text: &str) -> Result<ParsedPersona, Vec<PersonaError>> {
    let Some((front, body)) = split_front_matter(text) else {
        return Err(vec![PersonaError::NoFrontMatter { path: path.into() }]);
    };
    let values = front_matter_values(path, front)?;
    let mut errors = unknown_keys(path, &values);
    let mut text_of = |key: &str, fits: &dyn Fn(&str) -> bool| {
        let Some(value) = values.get(key) else {
            errors.push(missing_key(path, key));
            return String::new();
        };
        match value
            .value
            .as_str()
            .map(str::trim)
            .filter(|text| fits(text))
        {
            Some(text) => text.to_string(),
            None => {
                errors.push(bad_value(path, key, value));
                String::new()
            }
        }
    };
    let line = |most: usize| {
        move |text: &str| {
            !text.is_empty() && text.chars().count() <= most && !text.contains(['\n', '\r'])
        }
    };
    let name = text_of("name", &is_persona_name);
    let title = text_of("title", &line(80));
    let focus = text_of("focus", &line(300));
    let escalate = values.get("may_escalate_to");
    let may_escalate_to = match escalate.map(|value| persona_names(&value.value)) {
        None => Vec::new(),
        Some(Some(names)) => names,
        Some(None) => {
            errors.extend(escalate.map(|value| bad_value(path, "may_escalate_to", value)));
            Vec::new()
        }
    };
    let body = super::code_sanitizer::sanitized_code_text(body)
        .trim()
        .to_string();
    errors.extend(check_body_length(path, &body));
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(ParsedPersona {
        persona: Persona {
            name,
            title,
            focus,
            may_escalate_to,
            body,
        },
        path: path.into(),
        escalate_line: escalate.map_or(1, |value| value.referenced.line() + 1),
    })
}

fn check_body_length(path: &str, body: &str) -> Option<PersonaError> {
    let length = body.chars().count();
    (length == 0 || length > MAX_BODY_CHARS).then(|| PersonaError::BadBody {
        path: path.into(),
        found: length,
    })
}

/// The front matter's values by key. The first line of the file is the `---` above them.
fn front_matter_values(
    path: &str,
    front: &str,
) -> Result<BTreeMap<String, Spanned<Value>>, Vec<PersonaError>> {
    serde_saphyr::from_str(front).map_err(|error| {
        vec![PersonaError::NotYaml {
            path: path.into(),
            line: error.location().map_or(1, |at| at.line() + 1),
            message: error.without_snippet().to_string(),
        }]
    })
}

fn unknown_keys(path: &str, values: &BTreeMap<String, Spanned<Value>>) -> Vec<PersonaError> {
    let known = || KEYS.iter().map(|(key, _)| *key);
    values
        .iter()
        .filter(|(key, _)| !known().any(|known_key| known_key == key.as_str()))
        .map(|(key, value)| PersonaError::UnknownKey {
            path: path.into(),
            line: value.referenced.line() + 1,
            key: key.clone(),
            known: known().map(str::to_owned).collect(),
            nearest: nearest_word(key, known()),
        })
        .collect()
}

fn expected_value(key: &str) -> String {
    let found = KEYS.iter().find(|(name, _)| *name == key);
    found.map_or_else(String::new, |(_, takes)| (*takes).to_string())
}

fn missing_key(path: &str, key: &str) -> PersonaError {
    PersonaError::Missing {
        path: path.into(),
        key: key.into(),
        expected: expected_value(key),
    }
}

fn bad_value(path: &str, key: &str, value: &Spanned<Value>) -> PersonaError {
    PersonaError::BadValue {
        path: path.into(),
        line: value.referenced.line() + 1,
        key: key.into(),
        found: value.value.to_string().chars().take(80).collect(),
        expected: expected_value(key),
        nearest: None,
    }
}

/// Whether a word can name a persona.
pub fn is_persona_name(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn persona_names(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| {
        value
            .as_str()
            .filter(|name| is_persona_name(name))
            .map(str::to_string)
    };
    match value {
        Value::Array(names) => names.iter().map(one).collect(),
        Value::String(_) => one(value).map(|name| vec![name]),
        Value::Null => Some(Vec::new()),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

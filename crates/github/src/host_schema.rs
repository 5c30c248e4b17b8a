//! Fields that a host does not know: GitHub Enterprise Server is older than GitHub.
//!
//! A document with such a field is refused as a whole, with an error of the code `undefinedField` for each. What can be done without
//! is learnt from that, left out from then on, and treated as unknown or absent. The rest is an error that names field and version.

use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What every composite type has: it takes the place of a field that is left out, so that no selection becomes empty.
const NOTHING: &str = "__typename";

/// A field that can be done without.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OptionalField {
    /// The types that have it.
    types: &'static [&'static str],
    name: &'static str,
    /// What is asked for in its place.
    instead: &'static str,
}

/// What each of them is missed for:
/// - the merge queue and auto-merge: a server whose schema has no such field has no such thing;
/// - `refUpdateRule`: who has no admin rights sees no required checks. `mergeStateStatus` says `BLOCKED` where one is missing, and
///   that is waited for;
/// - counts by state: what changed cannot be seen from a look, so that everything is read at each poll;
/// - `event`: each run of a workflow counts for itself, so that a green one of another event never hides a red one;
/// - `fullDatabaseId`: the same number, which fits into `databaseId` on a server of one's own.
const OPTIONAL_FIELDS: [OptionalField; 8] = [
    OptionalField::absent(&["PullRequest"], "isInMergeQueue"),
    OptionalField::absent(&["PullRequest"], "isMergeQueueEnabled"),
    OptionalField::absent(&["PullRequest"], "autoMergeRequest"),
    OptionalField::absent(&["Ref"], "refUpdateRule"),
    OptionalField::absent(&["StatusCheckRollupContextConnection"], CHECK_COUNTS),
    OptionalField::absent(
        &["StatusCheckRollupContextConnection"],
        "statusContextCountsByState",
    ),
    OptionalField {
        types: &["WorkflowRun"],
        name: "event",
        instead: "event: runNumber",
    },
    OptionalField {
        types: &[
            "IssueComment",
            "PullRequestReview",
            "PullRequestReviewComment",
        ],
        name: "fullDatabaseId",
        instead: "fullDatabaseId: databaseId",
    },
];

/// Without it a look does not show whether checks changed.
const CHECK_COUNTS: &str = "checkRunCountsByState";

impl OptionalField {
    const fn absent(types: &'static [&'static str], name: &'static str) -> Self {
        Self {
            types,
            name,
            instead: NOTHING,
        }
    }
}

/// A field that cannot be done without, and that the host does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// `Type.field`.
    pub field: String,
    /// The server's version; empty where it does not tell.
    pub version: String,
}

/// Which fields a host does not know, as learnt since the start of the process.
#[derive(Debug, Default)]
pub struct HostSchema {
    unknown: Mutex<BTreeSet<&'static OptionalField>>,
    version: Mutex<String>,
}

impl HostSchema {
    /// A document without what the host is known not to know.
    pub fn adapt<'a>(&self, document: &'a str) -> Cow<'a, str> {
        let unknown = self.lock();
        let mut adapted = Cow::Borrowed(document);
        for field in unknown.iter() {
            adapted = Cow::Owned(replace_field(&adapted, field));
        }
        adapted
    }

    /// Learns from the `errors` of an answer without data; true where the same is to be asked once more.
    ///
    /// # Errors
    /// The host does not know a field that cannot be done without.
    pub fn learn(&self, errors: &[Value], version: &str) -> Result<bool, UnknownField> {
        let mut told = self.version.lock().unwrap_or_else(PoisonError::into_inner);
        version.clone_into(&mut told);
        drop(told);
        let mut learnt = false;
        for (type_name, name) in errors.iter().filter_map(undefined_field) {
            let is_it =
                |field: &&OptionalField| field.name == name && field.types.contains(&type_name);
            let known = OPTIONAL_FIELDS.iter().find(is_it);
            // One that was left out, and is missed all the same, would be asked for without end.
            let added = known.is_some_and(|field| self.lock().insert(field));
            let is_one_of_many = learnt && known.is_some();
            if !(added || is_one_of_many) {
                return Err(UnknownField {
                    field: format!("{type_name}.{name}"),
                    version: version.to_owned(),
                });
            }
            if added {
                tracing::warn!(field = %format!("{type_name}.{name}"), version, "the server does not know a field: it is done without");
                learnt = true;
            }
        }
        Ok(learnt)
    }

    /// The version that the server told last; empty on github.com.
    pub fn version(&self) -> String {
        let told = self.version.lock();
        told.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is done without, as `Type.field`.
    pub fn unknown_fields(&self) -> Vec<String> {
        let names = |field: &&OptionalField| format!("{}.{}", field.types[0], field.name);
        self.lock().iter().map(names).collect()
    }

    /// Whether a look shows that checks changed.
    pub fn shows_check_counts(&self) -> bool {
        !self.lock().iter().any(|field| field.name == CHECK_COUNTS)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<&'static OptionalField>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server's version, as GitHub Enterprise Server tells it in its answers; empty on github.com.
pub fn server_version(headers: &http::HeaderMap) -> &str {
    let value = headers.get("x-github-enterprise-version");
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    value.rsplit_once('@').map_or(value, |(_, version)| version)
}

/// Type and name of the field that an error is about; none where it is about something else.
fn undefined_field(error: &Value) -> Option<(&str, &str)> {
    let extensions = &error["extensions"];
    if extensions["code"].as_str() != Some("undefinedField") {
        return None;
    }
    Some((
        extensions["typeName"].as_str()?,
        extensions["fieldName"].as_str()?,
    ))
}

/// Puts `instead` in the place of a field with its arguments and selection. The documents name no other thing alike.
fn replace_field(document: &str, field: &OptionalField) -> String {
    let mut out = String::with_capacity(document.len());
    let mut rest = document;
    while let Some(at) = rest.find(field.name) {
        let (before, found) = rest.split_at(at);
        let after = &found[field.name.len()..];
        out.push_str(before);
        let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_whole = !before.ends_with(|c: char| in_name(c) || matches!(c, '$' | '.'))
            && !after.starts_with(in_name);
        if is_whole {
            out.push_str(field.instead);
            let after_arguments = skip_group(after, '(', ')');
            rest = skip_group(after_arguments, '{', '}');
        } else {
            out.push_str(field.name);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// What comes after a group in brackets, where one begins here.
fn skip_group(text: &str, open: char, close: char) -> &str {
    let trimmed = text.trim_start();
    if !trimmed.starts_with(open) {
        return text;
    }
    let mut depth = 0_usize;
    for (at, c) in trimmed.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return &trimmed[at + c.len_utf8()..];
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn undefined(type_name: &str, field: &str) -> Value {
        json!({
            "message": format!("Field '{field}' doesn't exist on type '{type_name}'"),
            "path": ["fragment X", field],
            "extensions": {"code": "undefinedField", "typeName": type_name, "fieldName": field},
            "locations": [{"line": 1, "column": 1}],
        })
    }

    #[test]
    fn what_is_left_out_takes_its_selection_along() {
        let schema = HostSchema::default();
        let document =
            "{ a { isInMergeQueue refUpdateRule(x: 1) { y { z } } w } event { eventful } }";
        let errors = [
            undefined("PullRequest", "isInMergeQueue"),
            undefined("Ref", "refUpdateRule"),
            undefined("WorkflowRun", "event"),
        ];
        assert_eq!(schema.learn(&errors, "3.5.0"), Ok(true));
        assert_eq!(
            schema.adapt(document),
            "{ a { __typename __typename w } event: runNumber }"
        );
        assert_eq!(schema.unknown_fields().len(), 3);
        // A document without them stays as it is.
        assert_eq!(schema.adapt("{ events $event }"), "{ events $event }");
    }

    #[test]
    fn an_essential_field_and_one_that_was_left_out_already_are_errors() {
        let schema = HostSchema::default();
        let unknown = |field: &str| {
            Err(UnknownField {
                field: field.to_owned(),
                version: "3.5.0".to_owned(),
            })
        };
        let status = [undefined("PullRequest", "mergeStateStatus")];
        assert_eq!(
            schema.learn(&status, "3.5.0"),
            unknown("PullRequest.mergeStateStatus")
        );
        let queue = [undefined("PullRequest", "isInMergeQueue")];
        assert_eq!(schema.learn(&queue, "3.5.0"), Ok(true));
        assert_eq!(
            schema.learn(&queue, "3.5.0"),
            unknown("PullRequest.isInMergeQueue")
        );
        // A field of another type is another field.
        let other = [undefined("Issue", "isMergeQueueEnabled")];
        assert_eq!(
            schema.learn(&other, "3.5.0"),
            unknown("Issue.isMergeQueueEnabled")
        );
        assert_eq!(schema.learn(&[json!({"message": "x"})], ""), Ok(false));
    }

    /// Fields are found by their name alone: what is replaced must be a field of that type, wherever it is asked for.
    #[test]
    fn every_optional_field_is_asked_for_under_its_own_name_only() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
        let mut text = String::new();
        for folder in [folder.clone(), folder.join("fragments")] {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_file() {
                    text.push_str(&std::fs::read_to_string(path).expect("a query"));
                }
            }
        }
        let counts = OPTIONAL_FIELDS.iter().map(|field| {
            let lines = text.lines().map(str::trim);
            let words = |line: &&str| line.split(' ').any(|word| word == field.name);
            (field.name, lines.filter(words).count())
        });
        let counts: Vec<String> = counts
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        insta::assert_snapshot!(counts.join("\n"), @r"
        isInMergeQueue 2
        isMergeQueueEnabled 2
        autoMergeRequest 3
        refUpdateRule 2
        checkRunCountsByState 1
        statusContextCountsByState 1
        event 1
        fullDatabaseId 3
        ");
    }

    #[test]
    fn the_version_is_read_from_the_answer() {
        let mut headers = http::HeaderMap::new();
        assert_eq!(server_version(&headers), "");
        let value = http::HeaderValue::from_static("enterprise-server@3.5.2");
        headers.insert("x-github-enterprise-version", value);
        assert_eq!(server_version(&headers), "3.5.2");
    }
}

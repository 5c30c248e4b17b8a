//! Checks of the head, classified as the loop does (§3.3).

use collie_core::ci::{CheckOutcome, check_outcome};
use collie_core::snapshot::{Check, CheckConclusion, CheckStatus};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// A check run or a commit status, as GitHub gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "__typename")]
pub(crate) enum CheckContext {
    #[serde(rename_all = "camelCase")]
    CheckRun {
        database_id: Option<u64>,
        name: String,
        status: String,
        conclusion: Option<String>,
        check_suite: Option<CheckSuite>,
    },
    StatusContext {
        context: String,
        state: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct CheckSuite {
    app: Option<CheckApp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct CheckApp {
    slug: String,
}

/// Names of checks that are not green; empty when all are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UngreenChecks {
    pub failed: Vec<String>,
    pub running: Vec<String>,
}

impl UngreenChecks {
    /// Sorts the checks of a head; a re-run replaces, and ignored ones are left out.
    pub fn classify(contexts: &[CheckContext], ignored: &BTreeSet<String>) -> Self {
        let mut found = Self::default();
        let counted = contexts
            .iter()
            .filter(|one| !ignored.contains(one.name()) && !is_superseded(one, contexts));
        for one in counted {
            match check_outcome(&one.check()) {
                CheckOutcome::Passed => {}
                CheckOutcome::Failed => found.failed.push(one.name().to_string()),
                CheckOutcome::Running | CheckOutcome::NeedsAction => {
                    found.running.push(one.name().to_string());
                }
            }
        }
        found
    }

    /// Whether nothing is red or running.
    pub fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.running.is_empty()
    }
}

/// Whether the same app has a later run of the same name.
fn is_superseded(check: &CheckContext, all_checks: &[CheckContext]) -> bool {
    let CheckContext::CheckRun {
        database_id,
        name,
        check_suite,
        ..
    } = check
    else {
        return false;
    };
    all_checks.iter().any(|other| match other {
        CheckContext::CheckRun {
            database_id: later,
            name: same,
            check_suite: suite,
            ..
        } => same == name && suite == check_suite && later > database_id,
        CheckContext::StatusContext { .. } => false,
    })
}

impl CheckContext {
    fn name(&self) -> &str {
        match self {
            CheckContext::CheckRun { name, .. } => name,
            CheckContext::StatusContext { context, .. } => context,
        }
    }

    fn check(&self) -> Check {
        let (status, conclusion) = match self {
            // A word that is not known yet counts as not done: never as green.
            CheckContext::CheckRun {
                status, conclusion, ..
            } => (
                parse_graphql_enum(status).unwrap_or(CheckStatus::Pending),
                conclusion.as_deref().and_then(parse_graphql_enum),
            ),
            CheckContext::StatusContext { state, .. } => match state.as_str() {
                "SUCCESS" => (CheckStatus::Completed, Some(CheckConclusion::Success)),
                "ERROR" | "FAILURE" => (CheckStatus::Completed, Some(CheckConclusion::Failure)),
                _ => (CheckStatus::Pending, None),
            },
        };
        Check {
            id: 0,
            name: self.name().to_string(),
            status,
            conclusion,
            url: None,
            completed_at: None,
            reporter: None,
            summary: None,
            annotations: Vec::new(),
            log_tail: None,
            app_id: None,
            workflow: None,
        }
    }
}

/// Reads one of GitHub's words, which GraphQL writes in capitals.
fn parse_graphql_enum<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.to_ascii_lowercase())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check_run(id: u64, name: &str, status: &str, conclusion: Option<&str>) -> Value {
        json!({
            "__typename": "CheckRun", "databaseId": id, "name": name, "status": status,
            "conclusion": conclusion, "checkSuite": {"app": {"slug": "ci"}},
        })
    }

    #[track_caller]
    fn check(contexts: &[Value], failed: &[&str], running: &[&str]) {
        let contexts: Vec<CheckContext> =
            serde_json::from_value(Value::from(contexts.to_vec())).expect("contexts");
        let ignored = BTreeSet::from(["flaky".to_string()]);
        let found = UngreenChecks::classify(&contexts, &ignored);
        assert_eq!(
            (found.failed, found.running),
            (names(failed), names(running))
        );
    }

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| (*name).to_string()).collect()
    }

    #[test]
    fn only_what_passed_or_is_ignored_is_green() {
        let done = |name, conclusion| check_run(1, name, "COMPLETED", Some(conclusion));
        let status =
            |state: &str| json!({"__typename": "StatusContext", "context": state, "state": state});
        check(&[], &[], &[]);
        check(
            &[
                done("a", "SUCCESS"),
                done("b", "NEUTRAL"),
                done("c", "SKIPPED"),
            ],
            &[],
            &[],
        );
        check(&[done("flaky", "FAILURE"), status("SUCCESS")], &[], &[]);
        check(
            &[
                done("a", "FAILURE"),
                done("b", "TIMED_OUT"),
                done("c", "STARTUP_FAILURE"),
                status("ERROR"),
            ],
            &["a", "b", "c", "ERROR"],
            &[],
        );
        check(
            &[
                check_run(1, "a", "IN_PROGRESS", None),
                done("b", "ACTION_REQUIRED"),
                check_run(1, "c", "COMPLETED", None),
                check_run(1, "d", "DREAMING", None),
                check_run(1, "f", "DREAMING", Some("SUCCESS")),
                done("e", "INVENTED"),
                status("EXPECTED"),
            ],
            &[],
            &["a", "b", "c", "d", "f", "e", "EXPECTED"],
        );
    }

    #[test]
    fn a_rerun_replaces_the_run_before() {
        let failed = check_run(1, "a", "COMPLETED", Some("FAILURE"));
        let mut passed = check_run(2, "a", "COMPLETED", Some("SUCCESS"));
        check(&[failed.clone(), passed.clone()], &[], &[]);
        passed["checkSuite"]["app"]["slug"] = "another".into();
        check(&[failed, passed], &["a"], &[]);
    }
}

//! What the checks of a head amount to (§3.3). Every status and conclusion is classified, none by default.

use crate::check_failures;
use crate::failure_cause::FailureCause;
use crate::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use crate::policy::Policy;
use crate::snapshot::{Check, CheckConclusion, CheckStatus, Snapshot};
use crate::snapshot_summary::{CheckView, CiStatus};
use crate::tracked_finding::CheckFailure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How one check counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Not done.
    Running,
    /// Not done, and only a person can move it.
    NeedsAction,
    /// Done and fine.
    Passed,
    /// Done and not fine.
    Failed,
}

/// Classifies a check.
pub fn check_outcome(check: &Check) -> CheckOutcome {
    classify(check.status, check.conclusion)
}

/// Classifies a check that was kept in a summary. One that is missing runs; a word that GitHub does not use has failed.
pub fn kept_check_outcome(check: &CheckView) -> CheckOutcome {
    fn read<T: DeserializeOwned>(word: &str) -> Option<T> {
        serde_json::from_value(word.into()).ok()
    }
    let Some(status) = read(&check.status) else {
        return CheckOutcome::Running;
    };
    match &check.conclusion {
        None => classify(status, None),
        Some(word) => read(word).map_or(CheckOutcome::Failed, |conclusion| {
            classify(status, Some(conclusion))
        }),
    }
}

/// Classifies a status and a conclusion.
pub fn classify(status: CheckStatus, conclusion: Option<CheckConclusion>) -> CheckOutcome {
    match status {
        CheckStatus::Queued
        | CheckStatus::InProgress
        | CheckStatus::Waiting
        | CheckStatus::Requested
        | CheckStatus::Pending => CheckOutcome::Running,
        CheckStatus::Completed => match conclusion {
            Some(
                CheckConclusion::Success | CheckConclusion::Neutral | CheckConclusion::Skipped,
            ) => CheckOutcome::Passed,
            Some(
                CheckConclusion::Failure
                | CheckConclusion::Cancelled
                | CheckConclusion::TimedOut
                | CheckConclusion::Stale
                | CheckConclusion::StartupFailure,
            ) => CheckOutcome::Failed,
            Some(CheckConclusion::ActionRequired) => CheckOutcome::NeedsAction,
            // GitHub shows a run as completed a moment before its conclusion.
            None => CheckOutcome::Running,
        },
    }
}

/// All checks of a head, seen together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ci<'a> {
    /// Done and fine.
    pub passed: Vec<&'a Check>,
    /// Done and not fine.
    pub failed: Vec<&'a Check>,
    /// Not done.
    pub running: Vec<&'a Check>,
    /// Not done, a person has to act.
    pub needs_action: Vec<&'a Check>,
    /// Required by the branch rules, and not reported (absence is not success).
    pub missing_required: BTreeSet<&'a str>,
    /// Known from an earlier head of the pull request, and not reported.
    pub missing_known: Vec<&'a str>,
}

impl<'a> Ci<'a> {
    /// Sorts the checks of a snapshot; ignored ones are left out. Of several attempts at one the latest counts. `absent` are names
    /// that were waited for in vain at this head; required ones are waited for all the same.
    pub fn of(snapshot: &'a Snapshot, policy: &Policy, absent: &BTreeSet<String>) -> Self {
        let mut ci = Self::default();
        let counted = |name: &str| !policy.ignored_checks.contains(name);
        for check in latest_runs(&snapshot.checks)
            .into_iter()
            .filter(|c| counted(&c.name))
        {
            match check_outcome(check) {
                CheckOutcome::Running => ci.running.push(check),
                CheckOutcome::NeedsAction => ci.needs_action.push(check),
                CheckOutcome::Passed => ci.passed.push(check),
                CheckOutcome::Failed => ci.failed.push(check),
            }
        }
        let reported = |name: &str| snapshot.checks.iter().any(|c| c.name == name);
        let required = snapshot.required_checks.iter();
        let unmet = required.filter(|required| {
            let mut checks = snapshot.checks.iter();
            !checks.any(|check| required.is_met_by(check))
        });
        ci.missing_required = unmet
            .map(|required| required.name.as_str())
            .filter(|name| counted(name))
            .collect();
        let known = snapshot.known_checks.iter().map(String::as_str);
        ci.missing_known = known
            .filter(|name| counted(name) && !reported(name) && !absent.contains(*name))
            .filter(|name| !ci.missing_required.contains(name))
            .collect();
        ci
    }

    /// The whole in one word.
    pub fn status(&self) -> CiStatus {
        if !self.unfinished_names().is_empty() {
            CiStatus::Pending
        } else if !self.failed.is_empty() {
            CiStatus::Failed
        } else if self.passed.is_empty() {
            CiStatus::None
        } else {
            CiStatus::Passed
        }
    }

    /// Names of all that is not done.
    pub fn unfinished_names(&self) -> Vec<String> {
        let runs = self
            .running
            .iter()
            .chain(&self.needs_action)
            .map(|check| self.label(check));
        runs.chain(self.missing().map(str::to_string)).collect()
    }

    /// Names of what has not reported.
    fn missing(&self) -> impl Iterator<Item = &'a str> {
        let required = self.missing_required.iter();
        required.chain(&self.missing_known).copied()
    }

    /// Whether only people can move what is not done.
    pub fn waits_for_people(&self) -> bool {
        !self.needs_action.is_empty() && self.running.is_empty() && self.missing().next().is_none()
    }

    /// Whether all that have reported are done, and what is missing are names that only earlier heads had. Such a check may come late, or
    /// never, as where it runs for some paths only.
    pub fn only_known_missing(&self) -> bool {
        !self.missing_known.is_empty()
            && self.missing_required.is_empty()
            && self.running.is_empty()
            && self.needs_action.is_empty()
    }

    /// The name of a check as people tell it from the others: with its workflow, and what started that, where another bears the same.
    pub fn label(&self, check: &Check) -> String {
        let lists = [
            &self.passed,
            &self.failed,
            &self.running,
            &self.needs_action,
        ];
        let mut same = lists
            .into_iter()
            .flatten()
            .filter(|other| other.name == check.name && !other.is_same_check(check))
            .peekable();
        match &check.workflow {
            Some(workflow) if same.peek().is_some() => {
                let of_workflow = |other: &&Check| {
                    let other = other.workflow.as_ref();
                    other.is_some_and(|other| other.name == workflow.name)
                };
                let label = format!("{} / {}", workflow.name, check.name);
                match same.any(of_workflow) {
                    true => format!("{label} ({})", workflow.event),
                    false => label,
                }
            }
            Some(_) | None => check.name.clone(),
        }
    }

    /// The failed ones, as people tell them apart.
    pub fn failed_labels(&self) -> Vec<String> {
        self.failed.iter().map(|check| self.label(check)).collect()
    }

    /// How many checks there are, missing ones included.
    pub fn total(&self) -> u32 {
        let all = self.passed.len()
            + self.failed.len()
            + self.running.len()
            + self.needs_action.len()
            + self.missing().count();
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    /// For the card.
    pub fn check_views(&self, cause: impl Fn(&Check) -> Option<FailureCause>) -> Vec<CheckView> {
        let all = self
            .failed
            .iter()
            .chain(&self.running)
            .chain(&self.needs_action)
            .chain(&self.passed);
        let view = |check: &&Check| CheckView {
            name: self.label(check).as_str().into(),
            status: github_name(check.status),
            conclusion: check.conclusion.map(github_name),
            url: check.url.clone(),
            cause: match check_outcome(check) {
                CheckOutcome::Failed => cause(check),
                CheckOutcome::Running | CheckOutcome::NeedsAction | CheckOutcome::Passed => None,
            },
        };
        let missing = self.missing().map(|name| CheckView {
            name: name.into(),
            status: "missing".into(),
            conclusion: None,
            url: None,
            cause: None,
        });
        all.map(view).chain(missing).collect()
    }

    /// A failed check as a finding (P1, category `ci`), with the tail of its log as evidence.
    pub fn finding(&self, check: &Check, timestamp: &str) -> (Finding, CheckFailure) {
        let failure = CheckFailure {
            check: check.key(),
            failures: check_failures::failures(check),
        };
        check_finding(check, &self.label(check), failure, timestamp)
    }
}

/// A failed check as a finding (P1, category `ci`) under a name that people tell it by.
pub(crate) fn check_finding(
    check: &Check,
    label: &str,
    failure: CheckFailure,
    timestamp: &str,
) -> (Finding, CheckFailure) {
    let finding = failed_check_finding(check, label, &failure, timestamp);
    (finding, failure)
}

/// GitHub's word for a status or conclusion.
pub fn github_name<T: serde::Serialize>(value: T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

/// Of attempts at one check the one with the highest number: a re-run replaces.
fn latest_runs(checks: &[Check]) -> Vec<&Check> {
    let newer = |a: &Check, b: &Check| b.is_same_check(a) && b.id > a.id;
    checks
        .iter()
        .filter(|a| !checks.iter().any(|b| newer(a, b)))
        .collect()
}

fn failed_check_finding(
    check: &Check,
    label: &str,
    failure: &CheckFailure,
    timestamp: &str,
) -> Finding {
    let place = check_failures::located_annotations(check).next();
    Finding {
        id: format!("CI-{label}"),
        priority: Priority::P1,
        category: "ci".into(),
        file: place.map(|a| a.path.clone()).unwrap_or_default(),
        line: place.map(|a| a.line).filter(|line| *line > 0),
        title: failure_title(check, label, failure),
        description: check.summary.clone().unwrap_or_default(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Ci,
            name: label.into(),
            review_id: (check.id > 0).then(|| check.id.to_string()),
            timestamp: timestamp.into(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: check.log_tail.clone(),
    }
}

/// The first of what failed, in the words of its tool, and how many more there are; where nothing is known of it, how the check ended.
fn failure_title(check: &Check, label: &str, failure: &CheckFailure) -> String {
    let located = check_failures::located_annotations(check).next();
    let first = located.map(|annotation| annotation.message.as_str());
    let first = first.or_else(|| failure.failures.first().map(String::as_str));
    let title = first.map(one_line).unwrap_or_default();
    match (title.as_str(), failure.failures.len()) {
        ("", _) => format!("{label} {}", ending(check.conclusion)),
        (_, 0 | 1) => format!("{label}: {title}"),
        (_, count) => format!("{label}: {title}, and {} more", count - 1),
    }
}

/// How a check that did not pass ended, after its name.
fn ending(conclusion: Option<CheckConclusion>) -> &'static str {
    match conclusion {
        Some(CheckConclusion::TimedOut) => "timed out",
        Some(CheckConclusion::Cancelled) => "was cancelled",
        Some(CheckConclusion::ActionRequired) => "needs a person",
        Some(CheckConclusion::Stale) => "was given up by GitHub",
        Some(CheckConclusion::StartupFailure) => "could not start",
        Some(
            CheckConclusion::Failure
            | CheckConclusion::Success
            | CheckConclusion::Neutral
            | CheckConclusion::Skipped,
        )
        | None => "failed",
    }
}

fn one_line(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    line.chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::CheckWorkflow;
    use crate::test_support;

    fn job(
        id: u64,
        name: &str,
        workflow: (&str, &str, &str),
        conclusion: CheckConclusion,
    ) -> Check {
        let (file, name_of_workflow, event) = workflow;
        Check {
            id,
            workflow: Some(CheckWorkflow {
                path: format!("/acme/web/actions/workflows/{file}"),
                name: name_of_workflow.into(),
                event: event.into(),
            }),
            ..test_support::check(name, Some(conclusion))
        }
    }

    /// Names of the failed checks, and of the passed ones.
    fn sorted(checks: Vec<Check>) -> (Vec<String>, Vec<String>) {
        let mut world = test_support::LoopFixture::new();
        world.snapshot.checks = checks;
        let ci = Ci::of(&world.snapshot, &Policy::default(), &BTreeSet::new());
        let passed = ci.passed.iter().map(|check| ci.label(check));
        (ci.failed_labels(), passed.collect())
    }

    #[test]
    fn jobs_of_one_name_in_two_workflows_are_two_checks() {
        use CheckConclusion::{Failure, Success};
        let (ci, docs) = (("ci.yml", "CI", "push"), ("docs.yml", "Docs", "push"));
        let found = sorted(vec![
            job(1, "build", ci, Failure),
            job(2, "build", docs, Success),
        ]);
        assert_eq!(
            found,
            (vec!["CI / build".into()], vec!["Docs / build".into()])
        );
        // Two files may bear one name: what a pull request brings replaces nothing.
        let own = ("own.yml", "CI", "push");
        let found = sorted(vec![
            job(1, "build", ci, Failure),
            job(2, "build", own, Success),
        ]);
        assert_eq!(found.0.len(), 1, "{found:?}");
        let pull = ("ci.yml", "CI", "pull_request");
        let found = sorted(vec![
            job(1, "build", ci, Failure),
            job(2, "build", pull, Success),
        ]);
        let labels = |label: &str| vec![label.to_owned()];
        assert_eq!(
            found,
            (
                labels("CI / build (push)"),
                labels("CI / build (pull_request)")
            )
        );
        // Two apps may report checks of one name: neither stands for the other.
        let by = |id, app, conclusion| Check {
            id,
            reporter: Some(test_support::actor(app, "app", true)),
            ..test_support::check("build", Some(conclusion))
        };
        let (failed, passed) = sorted(vec![by(1, 71, Failure), by(2, 72, Success)]);
        assert_eq!((failed.len(), passed.len()), (1, 1));
        // A re-run is another attempt at the same.
        let found = sorted(vec![
            job(1, "build", ci, Failure),
            job(2, "build", ci, Success),
        ]);
        assert_eq!(found, (Vec::new(), labels("build")));
    }

    #[test]
    fn a_failed_check_is_titled_by_what_failed_and_else_by_how_it_ended() {
        let title = |conclusion, log: &str| {
            let check = Check {
                log_tail: (!log.is_empty()).then(|| log.to_owned()),
                ..test_support::check("test", Some(conclusion))
            };
            let failure = CheckFailure {
                check: check.key(),
                failures: check_failures::failures(&check),
            };
            check_finding(&check, "CI / test", failure, "").0.title
        };
        use CheckConclusion::{Cancelled, Failure, StartupFailure, TimedOut};
        let one = "✖ the median (1.05ms)\n\n✖ failing tests:\n\n✖ the median (1.05ms)\n";
        assert_eq!(title(Failure, one), "CI / test: the median");
        let three = "--- FAIL: TestA\n--- FAIL: TestB\n--- FAIL: TestC\n";
        assert_eq!(title(Failure, three), "CI / test: TestA, and 2 more");
        assert_eq!(title(Failure, ""), "CI / test failed");
        assert_eq!(title(TimedOut, ""), "CI / test timed out");
        assert_eq!(title(Cancelled, ""), "CI / test was cancelled");
        assert_eq!(title(StartupFailure, ""), "CI / test could not start");
    }
}

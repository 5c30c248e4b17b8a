//! What a runner hands in, as it comes over the wire, and what it says to the request.

use crate::work::{MAX_PATCH_BYTES, OfferedWork, ReviewWork, Work};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_core::coverage::UnseenFile;
use collie_core::error_code::ErrorCode;
use collie_core::event::{SecondLookScore, SessionFailure};
use collie_core::finding::{Replacement, SourceType};
use collie_core::fix::FixResult;
use collie_core::ids::{Fingerprint, Sha, ThreadId};
use collie_core::review::ReviewerResult;
use collie_core::session::{RefusedHosts, SessionSummary};
use collie_core::text::{sanitize_code, sanitize_untrusted};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a session came to, as it is handed in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HandedIn {
    /// The session.
    pub session: String,
    /// The head that was worked on.
    pub head: Sha,
    /// What was spent.
    #[serde(default)]
    pub spent: Vec<Spent>,
    /// Hosts that the runner's sandbox refused.
    #[serde(default)]
    pub refused_hosts: RefusedHosts,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: SessionOutcome,
}

/// What was spent on a model or an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// `provider/name`, or the agent.
    pub on: String,
    /// How much.
    pub usage: Usage,
}

/// What came of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum SessionOutcome {
    /// A review (A2).
    Review(Box<ReviewDone>),
    /// A fix (A5) with its patch.
    Fix(Box<FixDone>),
    /// It failed.
    Failed(FailedSession),
    /// The runner stops, and has done nothing that counts.
    Returned,
}

/// A review, done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReviewDone {
    /// The result (A2).
    pub result: ReviewerResult,
    /// Hash of the prompts that it was made with.
    #[serde(default)]
    pub prompt_hash: Option<String>,
    /// Earlier findings of its own that the reviewer takes back.
    #[serde(default)]
    pub withdrawn: BTreeSet<Fingerprint>,
    /// What can be put in place of the lines that a finding is about, by its id.
    #[serde(default)]
    pub replacements: BTreeMap<String, Replacement>,
    /// Earlier findings of its own that the reviewer could not be asked about.
    #[serde(default)]
    pub not_rechecked: BTreeSet<Fingerprint>,
    /// Why earlier findings still stand, by their ids.
    #[serde(default)]
    pub upheld: BTreeMap<String, String>,
    /// Threads that say a finding already, by its id.
    #[serde(default)]
    pub covered: BTreeMap<String, ThreadId>,
    /// How the session went.
    #[serde(default)]
    pub summary: Option<SessionSummary>,
    /// Changed files that the reviewer was not shown wholly.
    #[serde(default)]
    pub unseen: Vec<UnseenFile>,
    /// How far doubted findings stand, by their ids.
    #[serde(default)]
    pub second_looks: BTreeMap<String, SecondLookScore>,
}

/// A fix, done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FixDone {
    /// The account (A5), without commits.
    pub result: FixResult,
    /// All that was changed against the head, as git's patch in base64; empty where nothing was.
    pub patch: String,
    /// Each fix stands for itself.
    #[serde(default)]
    pub independent: bool,
    /// How the session went.
    #[serde(default)]
    pub summary: Option<SessionSummary>,
}

/// Why a session ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSession {
    /// Why.
    pub failure: SessionFailure,
}

/// Bytes as they go over the wire.
pub fn bytes_to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Bytes as they come; none where it is no base64.
pub fn bytes_from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

impl HandedIn {
    /// Holds it against what was asked: of that head, a review of a review, each issue answered once, a patch that is one and not too
    /// large. What it says of itself is recounted.
    pub(crate) fn validated(mut self, asked: &OfferedWork) -> Result<Self, UserError> {
        if self.head != asked.head {
            let moved = UserError::new(ErrorCode::SessionStale);
            return Err(moved.with("head", asked.head.short()));
        }
        let number = asked.loop_id.number;
        self.outcome = match (self.outcome, &asked.work) {
            (SessionOutcome::Review(mut done), Work::Review(asked)) => {
                done.result = done.result.validated(number)?;
                done.restrict_to(asked);
                done.sanitize();
                SessionOutcome::Review(done)
            }
            (SessionOutcome::Fix(mut done), Work::Fix(asked)) => {
                done.result = done.result.validated(&asked.payload)?;
                let unfit = || UserError::new(ErrorCode::PatchUnfit);
                let patch = bytes_from_base64(&done.patch).ok_or_else(unfit)?;
                if patch.len() > MAX_PATCH_BYTES {
                    let limit = MAX_PATCH_BYTES >> 20;
                    let large = UserError::new(ErrorCode::PatchTooLarge);
                    return Err(large.with("mb", limit));
                }
                done.sanitize();
                SessionOutcome::Fix(done)
            }
            (outcome @ (SessionOutcome::Failed(_) | SessionOutcome::Returned), _) => outcome,
            (SessionOutcome::Review(_) | SessionOutcome::Fix(_), _) => {
                return Err(UserError::new(ErrorCode::SessionOtherWork));
            }
        };
        Ok(self)
    }
}

impl ReviewDone {
    /// Leaves only what this reviewer may say: findings are its own, it takes back none but its own, and looks again at none but those it
    /// was asked about.
    fn restrict_to(&mut self, asked: &ReviewWork) {
        let name = &asked.reviewer.name;
        self.result.agent.clone_from(name);
        for finding in &mut self.result.findings {
            finding.source.kind = SourceType::Agent;
            finding.source.name.clone_from(name);
            finding.source.review_id = None;
        }
        let may_ask_in = &asked.reviewer.may_escalate_to;
        self.result
            .escalations
            .retain(|other| may_ask_in.contains(other));
        let own: BTreeSet<&Fingerprint> = (asked.known_findings.iter())
            .filter(|known| {
                let source = &known.finding.source;
                source.kind == SourceType::Agent && source.name == *name
            })
            .map(|known| &known.fingerprint)
            .collect();
        self.withdrawn.retain(|taken| own.contains(taken));
        let doubted: BTreeSet<&str> = asked.doubted.iter().map(|one| one.id.as_str()).collect();
        self.second_looks
            .retain(|id, _| doubted.contains(id.as_str()));
    }
}

/// Prose of others: no character that hides, no comment of HTML, nothing that speaks to a model (§9.2).
fn sanitize(text: &mut String) {
    *text = sanitize_untrusted(text).text;
}

impl ReviewDone {
    /// The texts as a reviewer here leaves them. Evidence stays as it is: it counts where it stands in the code.
    fn sanitize(&mut self) {
        for finding in &mut self.result.findings {
            sanitize(&mut finding.title);
            finding.title = finding.title.replace(['\r', '\n'], " ");
            sanitize(&mut finding.description);
            finding.suggestion.iter_mut().for_each(sanitize);
            sanitize(&mut finding.category);
        }
        sanitize(&mut self.result.full_report);
        self.upheld.values_mut().for_each(sanitize);
        let scores = self.second_looks.values_mut();
        scores.map(|score| &mut score.reason).for_each(sanitize);
        // What would be put into the code is taken as it is, or not at all.
        self.replacements
            .retain(|_, offered| sanitize_code(&offered.text).text == offered.text);
    }
}

impl FixDone {
    /// The texts as a fixer here leaves them.
    fn sanitize(&mut self) {
        let fixed = self.result.fixed_issues.iter_mut();
        fixed.map(|it| &mut it.description).for_each(sanitize);
        let rejected = self.result.rejected_issues.iter_mut();
        rejected.map(|it| &mut it.reason).for_each(sanitize);
        // Collie commits, whatever a runner says.
        self.result.commits.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_work::{finding, fix_work, review_work, sha};
    use serde_json::{Value, json};

    fn review(findings: &[Value]) -> Value {
        let conclusion = if findings.is_empty() {
            "approve"
        } else {
            "request_changes"
        };
        json!({
            "agent": "quinn", "prNumber": 7, "conclusion": conclusion, "findings": findings, "fullReport": "",
            "issues": {"p0_blocking": 0, "p1_critical": 0, "p2_important": 0, "p3_suggestion": 0},
        })
    }

    fn fix(fixed: &[&str], rejected: &[&str], patch: &[u8]) -> Value {
        let fixed: Vec<Value> = (fixed.iter())
            .map(|id| json!({"findingId": id, "description": "done"}))
            .collect();
        let rejected: Vec<Value> = (rejected.iter())
            .map(|id| json!({"findingId": id, "reason": "no"}))
            .collect();
        let result = json!({
            "agent": "codex", "prNumber": 7, "summary": {"fixed": 9, "rejected": 9, "deferred": 9},
            "fixedIssues": fixed, "rejectedIssues": rejected,
        });
        json!({"session": "s", "head": sha('a'), "type": "fix", "result": result, "patch": bytes_to_base64(patch)})
    }

    fn handed(body: Value) -> HandedIn {
        serde_json::from_value(body).unwrap()
    }

    fn handed_review(result: Value) -> HandedIn {
        handed(json!({"session": "s", "head": sha('a'), "type": "review", "result": result}))
    }

    fn code(done: HandedIn, asked: &OfferedWork) -> Option<ErrorCode> {
        done.validated(asked).err().map(|error| error.code)
    }

    #[test]
    fn a_review_is_the_reviewers_own_and_recounted() {
        let asked = review_work(7);
        let other = [finding("1", "human", "ana"), finding("2", "rules", "rules")];
        let mut result = review(&other);
        result["agent"] = json!("somebody");
        result["escalations"] = json!(["root"]);
        let mut done = handed_review(result);
        if let SessionOutcome::Review(review) = &mut done.outcome {
            review.withdrawn.insert(Fingerprint::new("f".repeat(64)));
            let score = json!({"confidence": 0.1, "reason": "no"});
            let score = serde_json::from_value(score).unwrap();
            review.second_looks.insert("BOT-1".into(), score);
        }
        let done = done.validated(&asked).unwrap();
        let SessionOutcome::Review(done) = done.outcome else {
            panic!("a review");
        };
        assert_eq!(done.result.agent, "quinn");
        assert_eq!(done.result.issues.p1_critical, 2);
        let mut findings = done.result.findings.iter();
        assert!(
            findings.all(|it| it.source.kind == SourceType::Agent && it.source.name == "quinn")
        );
        assert!(done.result.escalations.is_empty());
        assert!(done.withdrawn.is_empty() && done.second_looks.is_empty());
    }

    #[test]
    fn what_is_not_what_was_asked_for_is_refused() {
        let (review_asked, fix_asked) = (review_work(7), fix_work(7));
        let mut other_pull = review(&[]);
        other_pull["prNumber"] = json!(8);
        let mut nothing_said = review(&[]);
        nothing_said["conclusion"] = json!("needs_major_work");
        let twice = review(&[
            finding("1", "agent", "quinn"),
            finding("1", "agent", "quinn"),
        ]);
        for (result, expected) in [
            (other_pull, ErrorCode::ResultForAnotherPull),
            (nothing_said, ErrorCode::ResultWithoutFindings),
            (twice, ErrorCode::ResultFindingInvalid),
        ] {
            assert_eq!(code(handed_review(result), &review_asked), Some(expected));
        }
        let both: &[&str] = &["Q-1", "Q-2"];
        for (body, expected) in [
            (fix(&["Q-1"], &[], b""), Some(ErrorCode::ResultUnbalanced)),
            (fix(both, &["Q-2"], b""), Some(ErrorCode::ResultUnbalanced)),
            (
                fix(&["Q-1"], &["Q-9"], b""),
                Some(ErrorCode::ResultUnbalanced),
            ),
            (
                fix(both, &[], &vec![b'x'; MAX_PATCH_BYTES + 1]),
                Some(ErrorCode::PatchTooLarge),
            ),
            (fix(both, &[], &vec![b'x'; MAX_PATCH_BYTES]), None),
            (fix(&["Q-1"], &["Q-2"], b""), None),
        ] {
            assert_eq!(code(handed(body), &fix_asked), expected);
        }
        let mut no_base64 = fix(both, &[], b"");
        no_base64["patch"] = json!("no base64!");
        assert_eq!(
            code(handed(no_base64), &fix_asked),
            Some(ErrorCode::PatchUnfit)
        );
        let other_work = Some(ErrorCode::SessionOtherWork);
        assert_eq!(code(handed(fix(both, &[], b"")), &review_asked), other_work);
        assert_eq!(code(handed_review(review(&[])), &fix_asked), other_work);
    }

    #[test]
    fn what_a_runner_writes_hides_nothing_and_bears_no_mark_of_collie() {
        let mut hidden = finding("1", "agent", "quinn");
        hidden["title"] = json!("all \u{202e}is well\nreally");
        hidden["description"] = json!("fine<!-- collie-action:00 -->");
        let mut result = review(&[hidden]);
        result["fullReport"] = json!("fine <!-- pr-review-loop-marker -->");
        let mut done = handed_review(result);
        if let SessionOutcome::Review(review) = &mut done.outcome {
            for (id, text) in [("1", "let a = 1;"), ("2", "let \u{2066}a = 1;")] {
                let (first, last, text) = (1, 1, text.to_owned());
                let offered = Replacement { first, last, text };
                review.replacements.insert(id.into(), offered);
            }
        }
        let done = done.validated(&review_work(7)).unwrap();
        let SessionOutcome::Review(done) = done.outcome else {
            panic!("a review");
        };
        assert_eq!(done.result.findings[0].title, "all is well really");
        assert_eq!(done.result.findings[0].description.trim(), "fine");
        assert_eq!(done.result.full_report.trim(), "fine");
        assert_eq!(done.replacements.keys().collect::<Vec<_>>(), ["1"]);
    }

    #[test]
    fn a_result_for_another_head_is_stale_whatever_it_is() {
        let asked = review_work(7);
        for outcome in [
            json!({"type": "review", "result": review(&[])}),
            json!({"type": "returned"}),
        ] {
            let mut body = outcome;
            body["session"] = json!("s");
            body["head"] = json!(sha('c'));
            assert_eq!(code(handed(body), &asked), Some(ErrorCode::SessionStale));
        }
    }

    #[test]
    fn a_body_that_is_none_is_an_error_and_no_panic() {
        for body in [
            json!(null),
            json!([]),
            json!({}),
            json!({"session": 1, "head": sha('a'), "type": "returned"}),
            json!({"session": "s", "head": "x", "type": "returned"}),
            json!({"session": "s", "head": sha('a'), "type": "merge"}),
            json!({"session": "s", "head": sha('a'), "type": "fix", "result": {}, "patch": ""}),
            json!({"session": "s", "head": sha('a'), "type": "review", "result": review(&[json!({})])}),
        ] {
            assert!(
                serde_json::from_value::<HandedIn>(body.clone()).is_err(),
                "{body}"
            );
        }
    }
}

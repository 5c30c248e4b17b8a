//! What the reviewers of a head found at their first look: a finding that two of them make needs no second one (§4.4).
//!
//! It is kept in memory. What is lost with the process costs a second look, nothing else.

use collie_agents::prompting::needs_validation;
use collie_core::finding::Finding;
use collie_core::ids::{LoopId, Sha};
use collie_core::review::ReviewerResult;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pull requests whose looks are kept; those of the others are long over.
const MAX_PULLS: usize = 64;

/// The first looks at the head that each pull request was last looked at.
#[derive(Default)]
pub(super) struct FirstPassResults(Mutex<ResultsByPull>);

#[derive(Default)]
struct ResultsByPull {
    by_pull: BTreeMap<LoopId, HeadResults>,
    /// In the order in which they came.
    oldest_first: VecDeque<LoopId>,
}

struct HeadResults {
    head: Sha,
    /// One a reviewer.
    by_reviewer: Vec<ReviewerResult>,
}

impl FirstPassResults {
    /// Adds a reviewer's look. Gives its findings that need a second one, and how many do not because a colleague made them too.
    pub(super) fn add(
        &self,
        pull: &LoopId,
        head: &Sha,
        result: &ReviewerResult,
    ) -> (Vec<Finding>, u32) {
        let alone = needs_validation(std::slice::from_ref(result)).len();
        let mut guard = self.lock();
        let at_head = guard.at_head(pull, head);
        at_head
            .by_reviewer
            .retain(|other| other.agent != result.agent);
        at_head.by_reviewer.push(result.clone());
        let unconfirmed: Vec<Finding> = needs_validation(&at_head.by_reviewer)
            .into_iter()
            .filter(|finding| result.findings.contains(finding))
            .cloned()
            .collect();
        let agreed = alone.saturating_sub(unconfirmed.len());
        (unconfirmed, u32::try_from(agreed).unwrap_or(u32::MAX))
    }

    /// What the second look refuted agrees with nobody any more.
    pub(super) fn refute(&self, pull: &LoopId, agent: &str, ids: &BTreeSet<String>) {
        let mut guard = self.lock();
        let looks = guard.by_pull.get_mut(pull);
        let mut results = looks.into_iter().flat_map(|looks| &mut looks.by_reviewer);
        if let Some(own) = results.find(|result| result.agent == agent) {
            own.findings.retain(|finding| !ids.contains(&finding.id));
        }
    }

    fn lock(&self) -> MutexGuard<'_, ResultsByPull> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResultsByPull {
    fn at_head(&mut self, pull: &LoopId, head: &Sha) -> &mut HeadResults {
        if !self.by_pull.contains_key(pull) {
            self.oldest_first.push_back(pull.clone());
            if self.oldest_first.len() > MAX_PULLS
                && let Some(oldest) = self.oldest_first.pop_front()
            {
                self.by_pull.remove(&oldest);
            }
        }
        let looks = self
            .by_pull
            .entry(pull.clone())
            .or_insert_with(|| HeadResults {
                head: head.clone(),
                by_reviewer: Vec::new(),
            });
        if looks.head != *head {
            looks.head = head.clone();
            looks.by_reviewer.clear();
        }
        looks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The same P1, by this reviewer.
    fn result_by(by: &str) -> ReviewerResult {
        let finding = json!({
            "id": "F1", "priority": "P1", "category": "correctness", "file": "a.rs", "line": 3,
            "title": "The sum is wrong", "description": "", "suggestion": null,
            "source": {"type": "agent", "name": by, "reviewId": null, "timestamp": "2026-01-24T00:00:00Z"},
            "kind": "error", "confidence": 0.9, "evidence": "a + b",
        });
        serde_json::from_value(json!({
            "agent": by, "prNumber": 1, "conclusion": "request_changes",
            "issues": {"p0_blocking": 0, "p1_critical": 1, "p2_important": 0, "p3_suggestion": 0},
            "findings": [finding], "fullReport": "", "escalations": [],
        }))
        .unwrap()
    }

    #[test]
    fn what_two_found_at_one_head_is_agreed_until_a_second_look_refutes_it() {
        let pull = |number| LoopId {
            host: "github.com".into(),
            repo_id: "r".into(),
            number,
        };
        let head = |digit: &str| Sha::parse(&digit.repeat(40)).unwrap();
        let (first_pass, one) = (FirstPassResults::default(), head("a"));
        let add_and_count = |number, head: &Sha, by| {
            let (doubted, agreed) = first_pass.add(&pull(number), head, &result_by(by));
            (doubted.len(), agreed)
        };
        assert_eq!(add_and_count(1, &one, "quinn"), (1, 0));
        assert_eq!(add_and_count(1, &one, "sam"), (0, 1));
        assert_eq!(
            add_and_count(1, &head("b"), "quinn"),
            (1, 0),
            "another head"
        );
        assert_eq!(
            add_and_count(2, &one, "sam"),
            (1, 0),
            "another pull request"
        );
        first_pass.refute(&pull(2), "sam", &["F1".to_owned()].into());
        assert_eq!(add_and_count(2, &one, "quinn"), (1, 0), "it was refuted");
        for number in 3..200 {
            add_and_count(number, &one, "quinn");
        }
        assert_eq!(first_pass.lock().by_pull.len(), MAX_PULLS);
    }
}

//! What the reviewers of a head found at their first look: a finding that two of them make needs no second one (§4.4).
//!
//! It is kept in memory. What is lost with the process costs a second look, nothing else.

use collie_agents::reading::needs_validation;
use collie_core::ids::{LoopId, Sha};
use collie_core::shapes::{Finding, ReviewerResult};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The first looks at the head that each pull request was last looked at.
#[derive(Default)]
pub(super) struct FirstLooks(Mutex<BTreeMap<LoopId, Looks>>);

struct Looks {
    head: Sha,
    /// One a reviewer.
    results: Vec<ReviewerResult>,
}

impl FirstLooks {
    /// Adds a reviewer's look. Gives its findings that need a second one, and how many do not because a colleague made them too.
    pub(super) fn add(
        &self,
        pull: &LoopId,
        head: &Sha,
        result: &ReviewerResult,
    ) -> (Vec<Finding>, u32) {
        let alone = needs_validation(std::slice::from_ref(result)).len();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = all.entry(pull.clone()).or_insert_with(|| Looks {
            head: head.clone(),
            results: Vec::new(),
        });
        if looks.head != *head {
            looks.head = head.clone();
            looks.results.clear();
        }
        looks.results.retain(|other| other.agent != result.agent);
        looks.results.push(result.clone());
        let doubted: Vec<Finding> = needs_validation(&looks.results)
            .into_iter()
            .filter(|finding| result.findings.contains(finding))
            .cloned()
            .collect();
        let agreed = alone.saturating_sub(doubted.len());
        (doubted, u32::try_from(agreed).unwrap_or(u32::MAX))
    }
}

//! What shows whether the lists of a pull request changed: made of a shallow look, and of a full reading (§3.2).

use crate::node_conversion;
use crate::nodes::{CheckCountsNode, PullFactsNode, PullNode, ReviewChangeNode, ShallowPullNode};
use crate::pull_lists::PullLists;
use collie_core::ids::Time;
use collie_core::snapshot::{Review, ReviewVerdict};
use std::collections::BTreeMap;

/// Reviews whose edits a shallow look sees: the last ones.
const REVIEWS_SEEN: usize = 20;
/// Threads whose resolution a shallow look sees: the first ones.
const THREADS_SEEN: usize = 100;

/// GitHub's times are exact to a second, and so is what we know of its clock.
const SETTLING_MS: u64 = 2_000;

/// What shows whether the lists of a pull request changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PullDigest {
    head: String,
    base_ref: String,
    in_merge_queue: bool,
    /// Covers title, labels and whatever else GitHub counts as an update.
    updated_at: String,
    /// Check runs and statuses by state.
    checks: BTreeMap<(&'static str, String), u64>,
    reviews: ListDigest<(ReviewVerdict, String)>,
    comments: ListDigest<String>,
    threads: ListDigest<bool>,
}

/// How long a list is, and what of its entries may change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ListDigest<T> {
    total: u64,
    entries: Vec<T>,
}

/// How long the lists of a full reading are, said on their first pages.
pub(crate) struct ListSizes {
    checks: Option<CheckCountsNode>,
    reviews: Option<u64>,
    comments: Option<u64>,
    threads: Option<u64>,
}

impl ListSizes {
    /// Of an answer whose lists are still in it.
    pub fn of(node: &PullNode) -> Self {
        let mut latest = node.latest.nodes.iter().flatten();
        let commit = latest
            .find(|entry| entry.commit.oid == node.facts.head_ref_oid)
            .map(|entry| &entry.commit);
        let checks = commit.and_then(|commit| match &commit.status_check_rollup {
            Some(rollup) => {
                let counts = &rollup.contexts.counts;
                let is_told = counts.check_run_counts_by_state.is_some();
                is_told.then(|| counts.clone())
            }
            None => Some(CheckCountsNode::default()),
        });
        Self {
            checks,
            reviews: node.reviews.as_ref().and_then(|page| page.total_count),
            comments: node.comments.total_count,
            threads: node.review_threads.total_count,
        }
    }
}

impl PullDigest {
    /// Of a shallow look.
    pub fn of_look(node: &ShallowPullNode) -> Self {
        let rollup = node.status_check_rollup.as_ref();
        let reviews = node.reviews.as_ref();
        let review = |review: &ReviewChangeNode| {
            let verdict = node_conversion::parse_verdict(&review.state);
            (verdict, review.updated_at.clone())
        };
        let edited = &node.last_edited;
        let threads = &node.review_threads;
        Self {
            head: node.facts.head_ref_oid.clone(),
            base_ref: node.facts.base_ref_name.clone(),
            in_merge_queue: node.facts.is_in_merge_queue,
            updated_at: node.facts.updated_at.clone(),
            checks: rollup.map_or_else(BTreeMap::new, |rollup| check_counts(&rollup.contexts)),
            reviews: ListDigest {
                total: reviews.map_or(0, |reviews| reviews.total_count),
                entries: reviews
                    .into_iter()
                    .flat_map(|reviews| reviews.nodes.iter().flatten().map(review))
                    .collect(),
            },
            comments: ListDigest {
                total: edited.total_count,
                entries: edited
                    .nodes
                    .iter()
                    .flatten()
                    .map(|comment| comment.updated_at.clone())
                    .collect(),
            },
            threads: ListDigest {
                total: threads.total_count,
                entries: threads
                    .nodes
                    .iter()
                    .flatten()
                    .map(|thread| thread.is_resolved)
                    .collect(),
            },
        }
    }

    /// What a shallow look would show of what a full reading has read. None where GitHub did not say how long its lists are.
    pub fn of_reading(facts: &PullFactsNode, sizes: &ListSizes, lists: &PullLists) -> Option<Self> {
        let reviews = &lists.reviews[lists.reviews.len().saturating_sub(REVIEWS_SEEN)..];
        let review = |review: &Review| (review.verdict, review.updated_at.clone());
        let edits = lists.comments.iter().map(|comment| &comment.updated_at);
        let threads = lists.threads.iter().take(THREADS_SEEN);
        Some(Self {
            head: facts.head_ref_oid.clone(),
            base_ref: facts.base_ref_name.clone(),
            in_merge_queue: facts.is_in_merge_queue,
            updated_at: facts.updated_at.clone(),
            checks: sizes.checks.as_ref().map(check_counts)?,
            reviews: ListDigest {
                total: sizes.reviews?,
                entries: reviews.iter().map(review).collect(),
            },
            comments: ListDigest {
                total: sizes.comments?,
                entries: edits.max().cloned().into_iter().collect(),
            },
            threads: ListDigest {
                total: sizes.threads?,
                entries: threads.map(|thread| thread.resolved).collect(),
            },
        })
    }

    /// How many threads there are.
    pub fn thread_count(&self) -> u64 {
        self.threads.total
    }

    /// Whether what happens from now on changes it: GitHub's times are whole seconds, so that two edits in one second look alike.
    pub fn is_settled(&self, host_time: Time) -> bool {
        let times = self.reviews.entries.iter().map(|(_, at)| at);
        let times = times
            .chain(&self.comments.entries)
            .chain([&self.updated_at]);
        let newest = times.filter_map(|at| node_conversion::parse_time(at)).max();
        newest.is_none_or(|newest| newest.plus(SETTLING_MS) <= host_time)
    }

    /// The head.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// The base branch.
    pub fn base_ref(&self) -> &str {
        &self.base_ref
    }
}

fn check_counts(counts: &CheckCountsNode) -> BTreeMap<(&'static str, String), u64> {
    let runs = counts.check_run_counts_by_state.iter().flatten();
    let runs = runs.map(|count| (("run", count.state.clone()), count.count));
    let statuses = counts.status_context_counts_by_state.iter().flatten();
    let statuses = statuses.map(|count| (("status", count.state.clone()), count.count));
    runs.chain(statuses)
        .filter(|(_, count)| *count > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn look() -> Value {
        json!({
            "title": "T", "body": "", "url": "u", "state": "OPEN", "isDraft": false, "locked": false,
            "updatedAt": "2026-01-01T00:00:00Z", "headRefOid": "aa", "headRefName": "topic", "baseRefName": "main",
            "baseRefOid": "bb", "isCrossRepository": false, "maintainerCanModify": false, "mergeable": "MERGEABLE",
            "mergeStateStatus": "CLEAN", "isInMergeQueue": false,
            "statusCheckRollup": {"contexts": {
                "checkRunCountsByState": [{"state": "SUCCESS", "count": 2}],
                "statusContextCountsByState": [{"state": "PENDING", "count": 1}],
            }},
            "reviews": {"totalCount": 1, "nodes": [{"state": "APPROVED", "updatedAt": "2026-01-01T00:00:00Z"}]},
            "lastEdited": {"totalCount": 1, "nodes": [{"updatedAt": "2026-01-01T00:00:00Z"}]},
            "reviewThreads": {"totalCount": 1, "nodes": [{"isResolved": false}]},
        })
    }

    fn digest(look: Value) -> PullDigest {
        PullDigest::of_look(&serde_json::from_value(look).expect("a look"))
    }

    #[test]
    fn each_thing_that_a_look_has_of_the_lists_makes_a_difference_by_itself() {
        let later = json!("2026-01-01T00:00:01Z");
        let changes = [
            ("/headRefOid", json!("ab")),
            ("/baseRefName", json!("next")),
            ("/isInMergeQueue", json!(true)),
            ("/updatedAt", later.clone()),
            ("/statusCheckRollup", Value::Null),
            (
                "/statusCheckRollup/contexts/checkRunCountsByState/0/state",
                json!("FAILURE"),
            ),
            (
                "/statusCheckRollup/contexts/checkRunCountsByState/0/count",
                json!(3),
            ),
            (
                "/statusCheckRollup/contexts/statusContextCountsByState/0/state",
                json!("SUCCESS"),
            ),
            ("/reviews/totalCount", json!(2)),
            ("/reviews/nodes/0/state", json!("DISMISSED")),
            ("/reviews/nodes/0/updatedAt", later.clone()),
            ("/lastEdited/totalCount", json!(2)),
            ("/lastEdited/nodes/0/updatedAt", later),
            ("/reviewThreads/totalCount", json!(2)),
            ("/reviewThreads/nodes/0/isResolved", json!(true)),
        ];
        let before = digest(look());
        for (path, value) in changes {
            let mut after = look();
            *after.pointer_mut(path).expect(path) = value;
            assert_ne!(digest(after), before, "{path}");
        }
        // What is no list is taken from the look, whatever it says.
        let mut after = look();
        after["baseRefOid"] = json!("cc");
        after["mergeable"] = json!("CONFLICTING");
        assert_eq!(digest(after), before);
    }

    #[test]
    fn what_is_younger_than_two_seconds_may_still_change_unseen() {
        let seen = digest(look());
        let at = node_conversion::parse_time("2026-01-01T00:00:00Z").expect("a time");
        assert!(!seen.is_settled(at.plus(1_999)));
        assert!(seen.is_settled(at.plus(2_000)));
    }
}

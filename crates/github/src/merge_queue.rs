//! That GitHub took a pull request out of its merge queue, and what is known of why (§3.3): asked where the base has a queue, in which
//! it is not.
//!
//! The queue's own commit is the event's `beforeCommit`, which the schema does not say; people who read what GitHub answers do, such as
//! <https://github.com/flowglad/onton/pull/379>. Its first parent is what was before: the base, or the commit of the entry ahead
//! (`gh-readonly-queue/BASE/pr-N-SHA` ends in it). A queue that rebases makes several commits of a pull request: then that is not told.

use crate::api_client::ApiClient;
use crate::api_fault::{ApiFault, ok_if_hidden};
use crate::base_checks;
use crate::branch_rules::encode_path_segment;
use crate::check_evidence::{self, awaits_log};
use crate::graphql;
use crate::node_conversion;
use crate::nodes::{NodeList, OidOnly};
use crate::observation_cache::ObservationCache;
use crate::pull_lists::QueueHistory;
use crate::queries;
use collie_core::ci::{CheckOutcome, check_outcome};
use collie_core::ids::{RepoName, Sha, Time};
use collie_core::snapshot::{GroupBase, QueueRemoval, RemovalReason};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct RepositoryAnswer {
    #[serde(rename = "pullRequest")]
    pull_request: Option<PullAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullAnswer {
    commits: NodeList<CommitEntry>,
    timeline_items: NodeList<QueueEvent>,
}

#[derive(Deserialize)]
struct CommitEntry {
    commit: HeadCommit,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadCommit {
    oid: String,
    committed_date: String,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum QueueEvent {
    #[serde(rename = "AddedToMergeQueueEvent")]
    Added,
    #[serde(rename = "RemovedFromMergeQueueEvent", rename_all = "camelCase")]
    Removed {
        created_at: String,
        reason: Option<String>,
        before_commit: Option<QueueCommit>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct QueueCommit {
    oid: String,
    parents: NodeList<OidOnly>,
}

#[derive(Deserialize)]
struct ComparisonRow {
    status: String,
}

/// Which reading it is for.
pub(crate) struct QueueQuestion<'a> {
    /// The repository.
    pub repo: &'a RepoName,
    /// The pull request.
    pub number: u64,
    /// Its head.
    pub head: &'a Sha,
    /// Its base branch.
    pub base_ref: &'a str,
    /// What was known before.
    pub known: Option<&'a QueueHistory>,
}

/// Reads how it left the queue last; nothing where the token may not see it.
pub(crate) async fn read_queue_history(
    api: &ApiClient,
    cache: &ObservationCache,
    question: QueueQuestion<'_>,
) -> Result<QueueHistory, ApiFault> {
    let Some(mut pull) = ok_if_hidden(read_events(api, &question).await)?.flatten() else {
        return Ok(QueueHistory::default());
    };
    let head_date = head_date(&pull, question.head);
    let event = pull.timeline_items.nodes.drain(..).flatten().next_back();
    let (created_at, reason, commit) = match event {
        Some(QueueEvent::Removed {
            created_at,
            reason,
            before_commit,
        }) => (created_at, reason, before_commit),
        Some(QueueEvent::Added) => {
            let before = question.known.and_then(|known| known.untold_since);
            return Ok(QueueHistory {
                removal: None,
                untold_since: before.or_else(|| Some(api.clock.now())),
            });
        }
        Some(QueueEvent::Other) | None => return Ok(QueueHistory::default()),
    };
    let at = node_conversion::parse_time(&created_at)
        .ok_or_else(|| node_conversion::invalid_value("time", &created_at))?;
    let Some(reason) = removal_reason(reason.as_deref().unwrap_or_default()) else {
        return Ok(QueueHistory::default());
    };
    // A head that was made later was not in it.
    if head_date.is_some_and(|made| at < made) {
        return Ok(QueueHistory::default());
    }
    let mut removal = QueueRemoval {
        at,
        reason,
        head: None,
        commit: None,
        failed_checks: Vec::new(),
        built_on: None,
    };
    if let Some(known) = known_removal(&question, at, api.clock.now()) {
        removal = known.clone();
    } else if let Some(commit) = commit {
        add_commit(api, cache, &question, commit, &mut removal).await?;
    }
    Ok(QueueHistory {
        removal: Some(removal),
        untold_since: None,
    })
}

/// The same removal as it was read before, unless a log was still to come.
fn known_removal<'a>(
    question: &QueueQuestion<'a>,
    at: Time,
    now: Time,
) -> Option<&'a QueueRemoval> {
    let known = question.known?.removal.as_ref()?;
    let mut checks = known.failed_checks.iter();
    let lacks_log = checks.any(|check| awaits_log(check, now));
    (known.at == at && !lacks_log).then_some(known)
}

async fn read_events(
    api: &ApiClient,
    question: &QueueQuestion<'_>,
) -> Result<Option<PullAnswer>, ApiFault> {
    let (owner, name) = (question.repo.owner(), question.repo.name());
    let variables = json!({"owner": owner, "name": name, "number": question.number});
    let mut response = graphql::send(api, queries::QUEUE_REMOVAL, variables).await?;
    let repository: RepositoryAnswer = response.take_field("repository")?;
    Ok(repository.pull_request)
}

/// When the head was committed: it cannot have been queued before.
fn head_date(pull: &PullAnswer, head: &Sha) -> Option<Time> {
    let mut commits = pull.commits.nodes.iter().flatten();
    let head = commits.find(|entry| entry.commit.oid == head.as_str())?;
    node_conversion::parse_time(&head.commit.committed_date)
}

/// Adds what the queue's commit tells: its failed checks, and what it was built on.
async fn add_commit(
    api: &ApiClient,
    cache: &ObservationCache,
    question: &QueueQuestion<'_>,
    commit: QueueCommit,
    removal: &mut QueueRemoval,
) -> Result<(), ApiFault> {
    let parents = commit.parents.nodes.iter().flatten();
    let parents: Vec<&str> = parents.map(|parent| parent.oid.as_str()).collect();
    removal.commit = Some(node_conversion::parse_sha(&commit.oid)?);
    removal.head = match parents.as_slice() {
        [_, head] => Some(node_conversion::parse_sha(head)?),
        _ => None,
    };
    if removal.reason != RemovalReason::FailedChecks {
        return Ok(());
    }
    let nodes =
        base_checks::read_check_nodes(api, queries::HEAD_CHECKS, question.repo, &commit.oid);
    let evidence = &cache.check_evidence;
    let checks = check_evidence::checks_with_reporters(api, evidence, nodes.await?).await?;
    for mut check in checks {
        if check_outcome(&check) == CheckOutcome::Failed {
            check_evidence::attach_evidence(api, evidence, question.repo, &mut check).await?;
            removal.failed_checks.push(check);
        }
    }
    if let Some(parent) = parents.first() {
        let parent = node_conversion::parse_sha(parent)?;
        removal.built_on = read_group_base(api, cache, question, parent).await?;
    }
    Ok(())
}

async fn read_group_base(
    api: &ApiClient,
    cache: &ObservationCache,
    question: &QueueQuestion<'_>,
    commit: Sha,
) -> Result<Option<GroupBase>, ApiFault> {
    let (repo, base_ref) = (question.repo, question.base_ref);
    // From the second page on a comparison has no files.
    let path = format!(
        "/repos/{repo}/compare/{}...{commit}?per_page=1&page=2",
        encode_path_segment(base_ref)
    );
    let comparison = ok_if_hidden(api.get_uncached(&path).await)?;
    let Some(comparison) = comparison else {
        return Ok(None);
    };
    let comparison: ComparisonRow = comparison.json()?;
    let checks = base_checks::read_base_checks(
        api,
        &cache.base_checks,
        &cache.check_evidence,
        repo,
        &commit,
    );
    Ok(Some(GroupBase {
        on_base_branch: matches!(comparison.status.as_str(), "behind" | "identical"),
        checks: checks.await?,
        commit,
    }))
}

/// Reads GitHub's word; none where it was merged, which is told by the pull request itself. The timeline has words of its own (those
/// that were seen in public: `failed_checks`, `checks_timed_out`, `merge_conflict`, `manual`, `invalid_merge_commit`, `git_tree_invalid`,
/// `merged`), beside those of the webhook.
fn removal_reason(word: &str) -> Option<RemovalReason> {
    Some(match word.to_ascii_lowercase().as_str() {
        "merged" | "merge" | "already_merged" => return None,
        "failed_checks" | "ci_failure" => RemovalReason::FailedChecks,
        "checks_timed_out" | "ci_timeout" => RemovalReason::ChecksTimedOut,
        "merge_conflict" => RemovalReason::MergeConflict,
        "manual" => RemovalReason::Manual,
        "queue_cleared" => RemovalReason::QueueCleared,
        "roll_back" => RemovalReason::RolledBack,
        "branch_protections" => RemovalReason::BranchProtections,
        "git_tree_invalid" | "invalid_merge_commit" => RemovalReason::MergeNotBuilt,
        _ => RemovalReason::Unknown { word: word.into() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_the_timeline_and_of_the_webhook_is_read_and_others_stay_what_they_are() {
        use RemovalReason::{
            BranchProtections, ChecksTimedOut, FailedChecks, Manual, MergeConflict, MergeNotBuilt,
            QueueCleared, RolledBack,
        };
        let table = [
            ("failed_checks", FailedChecks),
            ("CI_FAILURE", FailedChecks),
            ("checks_timed_out", ChecksTimedOut),
            ("CI_TIMEOUT", ChecksTimedOut),
            ("merge_conflict", MergeConflict),
            ("MERGE_CONFLICT", MergeConflict),
            ("manual", Manual),
            ("QUEUE_CLEARED", QueueCleared),
            ("ROLL_BACK", RolledBack),
            ("BRANCH_PROTECTIONS", BranchProtections),
            ("git_tree_invalid", MergeNotBuilt),
            ("INVALID_MERGE_COMMIT", MergeNotBuilt),
        ];
        for (word, expect) in table {
            assert_eq!(removal_reason(word), Some(expect), "{word}");
        }
        for word in ["merged", "MERGE", "ALREADY_MERGED"] {
            assert_eq!(removal_reason(word), None, "{word}");
        }
        for word in ["", "UNKNOWN_REMOVAL_REASON", "Spring cleaning"] {
            let unknown = RemovalReason::Unknown { word: word.into() };
            assert_eq!(removal_reason(word), Some(unknown), "{word}");
        }
    }
}

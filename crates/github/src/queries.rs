//! The GraphQL documents, from `queries/`. `scripts/check-queries.mjs` checks them against GitHub's schema.

use std::fmt::Write;

macro_rules! document {
    ($file:literal $(, $fragment:literal)*) => {
        concat!(
            include_str!(concat!("../queries/", $file, ".graphql"))
            $(, include_str!(concat!("../queries/fragments/", $fragment, ".graphql")))*
        )
    };
}

const OBSERVE: &str = document!(
    "observe",
    "PointsLeft",
    "Home",
    "PullFacts",
    "PullLists",
    "HeadFacts",
    "Account",
    "CheckCounts",
    "CheckName",
    "BaseCheck",
    "HeadCheck",
    "SubmittedReview",
    "ConversationComment",
    "ReviewThread",
    "ThreadComment"
);
/// The same where every head is known: nothing spreads what hangs on the head alone.
const OBSERVE_KNOWN_HEADS: &str = document!(
    "observe",
    "PointsLeft",
    "Home",
    "PullFacts",
    "PullLists",
    "Account",
    "CheckCounts",
    "BaseCheck",
    "HeadCheck",
    "SubmittedReview",
    "ConversationComment",
    "ReviewThread",
    "ThreadComment"
);
/// Asks for what hangs on the head alone.
const SPREAD_HEAD_FACTS: &str = " ...HeadFacts";
const SHALLOW: &str = document!(
    "shallow",
    "PointsLeft",
    "Home",
    "PullFacts",
    "PullChanges",
    "Account",
    "CheckCounts"
);
const CONFIRM: &str = document!("confirm");
const LISTING: &str = document!(
    "listing",
    "OpenWork",
    "ListedPull",
    "ListedIssue",
    "Account"
);

/// Further comments of the conversation.
pub(crate) const COMMENTS: &str = document!("comments", "ConversationComment", "Account");
/// Further reviews.
pub(crate) const REVIEWS: &str = document!("reviews", "SubmittedReview", "Account");
/// Further threads.
pub(crate) const THREADS: &str = document!("threads", "ReviewThread", "ThreadComment", "Account");
/// Further comments of one thread.
pub(crate) const THREAD_COMMENTS: &str = document!("thread_comments", "ThreadComment", "Account");
/// Further changed files.
pub(crate) const FILES: &str = document!("files");
/// Further labels.
pub(crate) const LABELS: &str = document!("labels");
/// Checks of a commit.
pub(crate) const HEAD_CHECKS: &str = document!("head_checks", "BaseCheck", "HeadCheck", "Account");
/// Further checks of the commit that a base branch is at.
pub(crate) const BASE_CHECKS: &str = document!("base_checks", "BaseCheck", "Account");
/// How a pull request left its merge queue last.
pub(crate) const QUEUE_REMOVAL: &str = document!("queue_removal");
/// Whether the latest pull requests of a repository had checks.
pub(crate) const RECENT_CHECKS: &str = document!("recent_checks");
/// The account of the token.
pub(crate) const VIEWER: &str = document!("viewer", "Account");
/// A pull request by its name.
pub(crate) const RESOLVE: &str = document!("resolve", "Home", "Account");
/// Where the default branch of a repository is.
pub(crate) const DEFAULT_BRANCH: &str = document!("default_branch", "Home");
/// Open pull requests of a repository.
pub(crate) const OPEN_PULLS: &str = document!("open_pulls");
/// Repositories of the account.
pub(crate) const REPOSITORIES: &str = document!("repositories");
/// Further open pull requests of a repository, as the list shows them.
pub(crate) const LISTED_PULLS: &str = document!("listed_pulls", "ListedPull", "Account");
/// What a person is told before they merge.
pub(crate) const MERGE_FACTS: &str = document!("merge_facts");
/// Marks a thread resolved.
pub(crate) const RESOLVE_THREAD: &str = document!("resolve_thread");

/// The reading of pull requests, as `pull0`, `pull1`, …; for each is said whether what hangs on its head alone is known.
pub(crate) fn observe(heads_known: &[bool]) -> String {
    let document = if heads_known.iter().all(|known| *known) {
        OBSERVE_KNOWN_HEADS
    } else {
        OBSERVE
    };
    repeat_lines(document, heads_known.len(), |index, line| {
        if heads_known[index] {
            line.replace(SPREAD_HEAD_FACTS, "")
        } else {
            line
        }
    })
}

/// What shows whether something changed in `count` pull requests.
pub(crate) fn shallow(count: usize) -> String {
    repeat_aliased_lines(SHALLOW, count)
}

/// The last look at the heads of `count` pull requests.
pub(crate) fn confirm(count: usize) -> String {
    repeat_aliased_lines(CONFIRM, count)
}

/// What is open in `count` repositories, as `repo0`, `repo1`, …
pub(crate) fn listing(count: usize) -> String {
    repeat_aliased_lines(LISTING, count)
}

/// Repeats the two lines of a document that speak of entry 0 for each further one.
fn repeat_aliased_lines(document: &str, count: usize) -> String {
    repeat_lines(document, count, |_, line| line)
}

/// The same, with each repeated line as `edit` leaves it.
fn repeat_lines(document: &str, count: usize, edit: impl Fn(usize, String) -> String) -> String {
    let mut out = String::with_capacity(document.len() + count * 400);
    for line in document.lines() {
        if line.contains("$owner0") {
            for index in 0..count {
                let line = line.replace("pull0", &format!("pull{index}"));
                let line = line.replace("repo0", &format!("repo{index}"));
                let line = ["owner", "name", "number", "head", "threads"]
                    .iter()
                    .fold(line, |line, name| {
                        line.replace(&format!("${name}0"), &format!("${name}{index}"))
                    });
                let line = edit(index, line);
                // Writing into a text cannot fail.
                let _ = writeln!(out, "{line}");
            }
        } else {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_for_one_pull_request_is_the_file_that_the_schema_check_reads() {
        assert_eq!(observe(&[false]), OBSERVE);
        assert_eq!(shallow(1), SHALLOW);
        assert_eq!(confirm(1), CONFIRM);
        assert_eq!(listing(1), LISTING);
    }

    #[test]
    fn what_hangs_on_the_head_is_asked_for_where_the_head_is_new() {
        let spreads = |heads_known: &[bool]| {
            let document = observe(heads_known);
            [
                document.matches(SPREAD_HEAD_FACTS).count(),
                document.matches("fragment HeadFacts").count(),
                document.matches("fragment CheckName").count(),
            ]
        };
        assert_eq!(spreads(&[false, false]), [2, 1, 1]);
        assert_eq!(spreads(&[true, false]), [1, 1, 1]);
        assert_eq!(spreads(&[true, true]), [0, 0, 0]);
    }

    #[test]
    fn each_pull_request_has_an_alias_and_variables_of_its_own() {
        insta::assert_snapshot!(confirm(2), @r"
        query Confirm(
          $owner0: String!, $name0: String!, $number0: Int!, $head0: String!
          $owner1: String!, $name1: String!, $number1: Int!, $head1: String!
        ) {
          pull0: repository(owner: $owner0, name: $name0) { pullRequest(number: $number0) { headRefOid stackedOn: headRepository { pullRequests(states: OPEN, baseRefName: $head0, first: 1) { totalCount } } } }
          pull1: repository(owner: $owner1, name: $name1) { pullRequest(number: $number1) { headRefOid stackedOn: headRepository { pullRequests(states: OPEN, baseRefName: $head1, first: 1) { totalCount } } } }
        }
        ");
        let listing = listing(2);
        let head: Vec<&str> = listing.lines().take(6).collect();
        insta::assert_snapshot!(head.join("\n"), @r"
        query Listing(
          $owner0: String!, $name0: String!
          $owner1: String!, $name1: String!
        ) {
          repo0: repository(owner: $owner0, name: $name0) { ...OpenWork }
          repo1: repository(owner: $owner1, name: $name1) { ...OpenWork }
        ");
    }
}

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
    "Home",
    "Reading",
    "Account",
    "CheckName",
    "HeadCheck",
    "SubmittedReview",
    "ConversationComment",
    "ReviewThread",
    "ThreadComment"
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
pub(crate) const HEAD_CHECKS: &str = document!("head_checks", "HeadCheck", "Account");
/// Names of the checks of a commit.
pub(crate) const CHECK_NAMES: &str = document!("check_names", "CheckName");
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

/// The reading of `count` pull requests, as `pull0`, `pull1`, …
pub(crate) fn observe(count: usize) -> String {
    repeat_aliased_lines(OBSERVE, count)
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
    let mut out = String::with_capacity(document.len() + count * 400);
    for line in document.lines() {
        if line.contains("$owner0") {
            for index in 0..count {
                let line = line.replace("pull0", &format!("pull{index}"));
                let line = line.replace("repo0", &format!("repo{index}"));
                let line = ["owner", "name", "number", "head"]
                    .iter()
                    .fold(line, |line, name| {
                        line.replace(&format!("${name}0"), &format!("${name}{index}"))
                    });
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
        assert_eq!(observe(1), OBSERVE);
        assert_eq!(confirm(1), CONFIRM);
        assert_eq!(listing(1), LISTING);
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

//! What findings are made of that are words of people and bots.

/// How the ids of findings begin that are comments of threads.
pub(super) const THREAD_PREFIX: &str = "C-";
/// The same of comments of the conversation.
pub(super) const COMMENT_PREFIX: &str = "I-";
/// The same of a review's own text.
pub(super) const REVIEW_PREFIX: &str = "R-";
/// Their category.
pub(super) const FEEDBACK: &str = "feedback";

/// The first line of words that says something, as a title.
pub(super) fn first_line(body: &str) -> String {
    let plain = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("<!--") && !line.starts_with('>')
    };
    let line = body.lines().find(plain).unwrap_or("…").trim();
    line.trim_matches(|c| matches!(c, '*' | '_' | '#' | ' '))
        .chars()
        .take(160)
        .collect()
}

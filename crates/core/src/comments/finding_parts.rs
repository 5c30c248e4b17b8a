//! What findings are made of that are words of people and bots.

/// How the ids of findings begin that are comments of threads.
pub(super) const THREAD_PREFIX: &str = "C-";
/// The same of comments of the conversation.
pub(super) const COMMENT_PREFIX: &str = "I-";
/// The same of a review's own text.
pub(super) const REVIEW_PREFIX: &str = "R-";
/// Their category.
pub(super) const FEEDBACK: &str = "feedback";

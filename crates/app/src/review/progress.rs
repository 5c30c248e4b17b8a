//! How far one review is.

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub enum ReviewProgress<'a> {
    /// The pull request is read.
    Reading,
    /// The reviewers of these names look.
    Reviewing(&'a [String]),
    /// The review is posted.
    Posting,
}

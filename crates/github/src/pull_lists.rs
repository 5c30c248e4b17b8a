//! The lists of a pull request.

use crate::merge_queue::QueueHistory;
use collie_core::snapshot::{ChangedFile, Check, Comment, Review, Thread};
use std::collections::BTreeSet;

/// The lists of a pull request, read to their ends.
#[derive(Clone, Debug)]
pub(crate) struct PullLists {
    /// Names of checks of earlier heads, as they were when this head was first read.
    pub head_check_names: BTreeSet<String>,
    /// The same with what earlier readings taught.
    pub known_checks: BTreeSet<String>,
    pub checks: Vec<Check>,
    pub files: Vec<ChangedFile>,
    pub labels: BTreeSet<String>,
    pub reviews: Vec<Review>,
    pub comments: Vec<Comment>,
    pub threads: Vec<Thread>,
    /// How it left the merge queue last.
    pub queue: QueueHistory,
}

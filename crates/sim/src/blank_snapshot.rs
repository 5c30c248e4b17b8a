//! A pull request of which nothing is so yet: what the model and the simulator show is laid over it.

use collie_core::ids::Sha;
use collie_core::ids::{RepoName, Time};
use collie_core::snapshot::{Actor, ChangedFile, FileChange, Mergeable, PullState, Snapshot};
use std::collections::BTreeSet;

/// The repository of every pull request.
pub fn repo() -> RepoName {
    RepoName::parse("acme/api").unwrap_or_else(|_| unreachable!("a name"))
}

/// An open pull request of one file, by and for one account, at a head and on a base.
pub fn blank_snapshot(
    (number, read_at): (u64, Time),
    viewer: Actor,
    (head, base): (Sha, Sha),
    path: &str,
) -> Snapshot {
    Snapshot {
        read_at,
        repo: repo(),
        number,
        title: "A change".into(),
        body: String::new(),
        url: String::new(),
        author: Some(viewer.clone()),
        viewer,
        state: PullState::Open,
        draft: false,
        locked: false,
        head,
        head_ref: "topic".into(),
        head_repo: Some(repo()),
        base_ref: "main".into(),
        default_head: Some(base.clone()),
        base,
        merge_blocked: false,
        mergeable: Mergeable::Yes,
        behind: false,
        review_required: false,
        auto_merge: None,
        in_merge_queue: false,
        queue_removal: None,
        labels: BTreeSet::new(),
        required_checks: BTreeSet::new(),
        known_checks: BTreeSet::new(),
        base_checks: Vec::new(),
        others_have_checks: false,
        checks: Vec::new(),
        reviews: Vec::new(),
        threads: Vec::new(),
        comments: Vec::new(),
        files: vec![ChangedFile {
            path: path.into(),
            change: FileChange::Modified,
            additions: 1,
            deletions: 1,
        }],
        push_obstacles: BTreeSet::new(),
        pending_review: false,
        writers: BTreeSet::new(),
        permission_unread: BTreeSet::new(),
        pinned_accounts: Default::default(),
        start_denied: false,
        own_accounts: std::collections::BTreeSet::new(),
        reviewing_bots: BTreeSet::new(),
    }
}

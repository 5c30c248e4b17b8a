//! Labels and requested reviewers.

use std::collections::BTreeSet;

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Account, AccountId, EventKind, Label, PullRequest, RepoName, RepoState};

use super::{events, labels_mut, pull, pull_mut, repo_labels, require_write, touch};

/// Puts labels on an issue or pull request (those not there yet are made); with `replace`, only these stay.
pub(crate) fn add(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    names: &[String],
    replace: bool,
) -> Result<Vec<Label>, ForgeError> {
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        labels_mut(state, number)?;
        for name in names {
            repo_labels::check_name(name)?;
            let key = name.to_lowercase();
            if !state.meta.labels.contains_key(&key) {
                let label = Label {
                    id: forge.next_id(),
                    name: name.clone(),
                    color: repo_labels::DEFAULT_COLOR.to_owned(),
                    description: None,
                };
                state.meta.edit().labels.insert(key, label);
            }
        }
        let mut after = labels_mut(state, number)?.clone();
        if replace {
            after.clear();
        }
        after.extend(names.iter().map(|n| n.to_lowercase()));
        set_labels(forge, state, viewer.id, number, after)
    })
}

/// Puts labels in the place of those that are on, and writes down which came and went.
fn set_labels(
    forge: &Forge,
    state: &mut RepoState,
    actor: AccountId,
    number: u64,
    after: BTreeSet<String>,
) -> Result<Vec<Label>, ForgeError> {
    touch(state, number);
    let before = std::mem::replace(labels_mut(state, number)?, after.clone());
    let named = |key: &String| state.meta.labels.get(key).cloned();
    let gone: Vec<Label> = before.difference(&after).filter_map(named).collect();
    let new: Vec<Label> = after.difference(&before).filter_map(named).collect();
    let on = after.iter().filter_map(named).collect();
    for Label { name, color, .. } in gone {
        let kind = EventKind::Unlabeled { name, color };
        events::record(state, forge.next_id(), number, actor, kind);
    }
    for Label { name, color, .. } in new {
        let kind = EventKind::Labeled { name, color };
        events::record(state, forge.next_id(), number, actor, kind);
    }
    Ok(on)
}

/// Takes a label off; with `None`, all of them. 404 when it is not on.
pub(crate) fn remove(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    name: Option<&str>,
) -> Result<Vec<Label>, ForgeError> {
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        let mut after = labels_mut(state, number)?.clone();
        match name {
            Some(name) => {
                if !after.remove(&name.to_lowercase()) {
                    return Err(ForgeError::refused(404, "Label does not exist"));
                }
            }
            None => after.clear(),
        }
        set_labels(forge, state, viewer.id, number, after)
    })
}

/// Asks accounts for a review, or takes the request back.
pub(crate) fn request_reviewers(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    logins: &[String],
    add: bool,
) -> Result<PullRequest, ForgeError> {
    let mut accounts = Vec::new();
    for login in logins {
        accounts.push(forge.account_by_login(login).ok_or_else(not_collaborator)?);
    }
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        let author = pull(state, number)?.author;
        for account in accounts.iter().filter(|_| add) {
            if account.id == author {
                return Err(ForgeError::refused(
                    422,
                    "Review cannot be requested from pull request author.",
                ));
            }
            if !state.meta.visible_to(account) {
                return Err(not_collaborator());
            }
        }
        let pull = pull_mut(state, number)?;
        let before = pull.requested_reviewers.clone();
        for account in &accounts {
            pull.requested_reviewers.retain(|id| *id != account.id);
            if add {
                pull.requested_reviewers.push(account.id);
            }
        }
        pull.updated_at = now();
        let pull = pull.clone();
        for account in accounts {
            let reviewer = account.id;
            let kind = match (add, before.contains(&reviewer)) {
                (true, false) => EventKind::ReviewRequested { reviewer },
                (false, true) => EventKind::ReviewRequestRemoved { reviewer },
                (true, true) | (false, false) => continue,
            };
            events::record(state, forge.next_id(), number, viewer.id, kind);
        }
        Ok(pull)
    })
}

fn not_collaborator() -> ForgeError {
    ForgeError::refused(
        422,
        "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a \
         collaborator of the repository.",
    )
}

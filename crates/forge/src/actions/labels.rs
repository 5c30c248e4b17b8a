//! Labels and requested reviewers.

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Account, Label, PullRequest, RepoName};

use super::{labels_mut, pull, pull_mut, require_write, touch};

/// The colour of a label that is made by being used, as GitHub picks it.
const DEFAULT_COLOR: &str = "ededed";

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
            if name.trim().is_empty() || name.chars().count() > 50 {
                return Err(ForgeError::invalid("Label", "name", "invalid"));
            }
            let key = name.to_lowercase();
            if !state.meta.labels.contains_key(&key) {
                let label = Label {
                    id: forge.next_id(),
                    name: name.clone(),
                    color: DEFAULT_COLOR.to_owned(),
                    description: None,
                };
                state.meta.edit().labels.insert(key, label);
            }
        }
        let labels = state.meta.labels.clone();
        touch(state, number);
        let applied = labels_mut(state, number)?;
        if replace {
            applied.clear();
        }
        applied.extend(names.iter().map(|n| n.to_lowercase()));
        Ok(applied
            .iter()
            .filter_map(|key| labels.get(key).cloned())
            .collect())
    })
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
        let labels = state.meta.labels.clone();
        touch(state, number);
        let applied = labels_mut(state, number)?;
        match name {
            Some(name) => {
                if !applied.remove(&name.to_lowercase()) {
                    return Err(ForgeError::refused(404, "Label does not exist"));
                }
            }
            None => applied.clear(),
        }
        Ok(applied
            .iter()
            .filter_map(|key| labels.get(key).cloned())
            .collect())
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
        for account in &accounts {
            pull.requested_reviewers.retain(|id| *id != account.id);
            if add {
                pull.requested_reviewers.push(account.id);
            }
        }
        pull.updated_at = now();
        Ok(pull.clone())
    })
}

fn not_collaborator() -> ForgeError {
    ForgeError::refused(
        422,
        "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a \
         collaborator of the repository.",
    )
}

//! Assigning.

use crate::Forge;
use crate::error::ForgeError;
use crate::model::{Account, AccountId, EventKind, RepoName, RepoState, Role};

use super::{events, is_locked, require_visible, touch};

/// GitHub assigns no more accounts than this.
const MAX_ASSIGNEES: usize = 10;

/// Who can be assigned: those with a role.
pub(crate) fn is_assignable(state: &RepoState, account: AccountId) -> bool {
    state.meta.role(account) > Role::None
}

/// What becomes of the accounts that are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AssigneeChange {
    Add,
    Remove,
    /// Only they stay.
    Replace,
}

/// Changes the assignees of an issue or pull request. Those who cannot write change nothing, and who cannot be assigned
/// is left out: GitHub says neither.
pub(crate) fn change(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    logins: &[String],
    change: AssigneeChange,
) -> Result<(), ForgeError> {
    let named = logins.iter().filter_map(|l| forge.account_by_login(l));
    let named: Vec<AccountId> = named.map(|account| account.id).collect();
    forge.change(repo, |state| {
        require_visible(state, viewer)?;
        is_locked(state, number)?;
        if !state.meta.role(viewer.id).may_write() {
            return Ok(());
        }
        let before = assignees_mut(state, number)?.clone();
        let mut after = before.clone();
        match change {
            AssigneeChange::Add => {}
            AssigneeChange::Remove => after.retain(|id| !named.contains(id)),
            AssigneeChange::Replace => after.clear(),
        }
        if change != AssigneeChange::Remove {
            let fits = |id: &&AccountId| is_assignable(state, **id);
            for id in named.iter().filter(fits) {
                if !after.contains(id) && after.len() < MAX_ASSIGNEES {
                    after.push(*id);
                }
            }
        }
        for assignee in after.iter().filter(|id| !before.contains(id)) {
            let kind = EventKind::Assigned {
                assignee: *assignee,
            };
            events::record(state, forge.next_id(), number, viewer.id, kind);
        }
        for assignee in before.iter().filter(|id| !after.contains(id)) {
            let kind = EventKind::Unassigned {
                assignee: *assignee,
            };
            events::record(state, forge.next_id(), number, viewer.id, kind);
        }
        *assignees_mut(state, number)? = after;
        touch(state, number);
        Ok(())
    })
}

fn assignees_mut(state: &mut RepoState, number: u64) -> Result<&mut Vec<AccountId>, ForgeError> {
    let issue = state.issues.get_mut(number).map(|it| &mut it.assignees);
    let pull = state.pulls.get_mut(number).map(|it| &mut it.assignees);
    issue.or(pull).ok_or_else(ForgeError::not_found)
}

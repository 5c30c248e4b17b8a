//! The labels that a repository has.

use crate::Forge;
use crate::error::ForgeError;
use crate::model::{Account, Label, RepoName};

use super::require_write;

/// The colour of a label that is made by being used, as GitHub picks it.
pub(crate) const DEFAULT_COLOR: &str = "ededed";

/// What a label is to be; `None` leaves things as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct LabelEdit {
    pub(crate) name: Option<String>,
    pub(crate) color: Option<String>,
    pub(crate) description: Option<String>,
}

/// Refuses what no label can be called.
pub(crate) fn check_name(name: &str) -> Result<(), ForgeError> {
    if name.trim().is_empty() || name.chars().count() > 50 {
        return Err(ForgeError::invalid("Label", "name", "invalid"));
    }
    Ok(())
}

fn check_color(color: &str) -> Result<(), ForgeError> {
    if color.len() == 6 && color.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(ForgeError::invalid("Label", "color", "invalid"))
}

/// Makes a label, or changes the one that is called `current`.
pub(crate) fn save(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    current: Option<&str>,
    edit: LabelEdit,
) -> Result<Label, ForgeError> {
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        let old_key = current.map(str::to_lowercase);
        let old = match &old_key {
            Some(key) => Some(
                state
                    .meta
                    .labels
                    .get(key)
                    .ok_or_else(ForgeError::not_found)?,
            ),
            None => None,
        };
        let name = edit.name.or_else(|| old.map(|l| l.name.clone()));
        let name = name.ok_or_else(|| ForgeError::invalid("Label", "name", "missing_field"))?;
        check_name(&name)?;
        let key = name.to_lowercase();
        if old_key.as_ref() != Some(&key) && state.meta.labels.contains_key(&key) {
            return Err(ForgeError::invalid("Label", "name", "already_exists"));
        }
        let color = edit.color.or_else(|| old.map(|l| l.color.clone()));
        let color = color.unwrap_or_else(|| DEFAULT_COLOR.to_owned());
        check_color(&color)?;
        let label = Label {
            id: old.map_or_else(|| forge.next_id(), |l| l.id),
            name,
            color,
            description: edit
                .description
                .or_else(|| old.and_then(|l| l.description.clone())),
        };
        if let Some(old_key) = old_key {
            replace_everywhere(state, &old_key, Some(&key));
        }
        state.meta.edit().labels.insert(key, label.clone());
        Ok(label)
    })
}

/// Deletes a label; it is taken off whatever it is on.
pub(crate) fn delete(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    name: &str,
) -> Result<(), ForgeError> {
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        let key = name.to_lowercase();
        if !state.meta.labels.contains_key(&key) {
            return Err(ForgeError::not_found());
        }
        replace_everywhere(state, &key, None);
        Ok(())
    })
}

/// Takes a label away, and puts another on whatever it was on.
fn replace_everywhere(state: &mut crate::model::RepoState, key: &str, by: Option<&str>) {
    state.meta.edit().labels.remove(key);
    let pulls = state.pulls.iter().filter(|p| p.labels.contains(key));
    let issues = state.issues.iter().filter(|i| i.labels.contains(key));
    let numbers = pulls.map(|p| p.number).chain(issues.map(|i| i.number));
    for number in numbers.collect::<Vec<_>>() {
        if let Ok(labels) = super::labels_mut(state, number) {
            labels.remove(key);
            labels.extend(by.map(str::to_owned));
        }
    }
}

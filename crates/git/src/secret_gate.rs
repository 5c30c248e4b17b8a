//! The gate for secrets (§6.3 d): none in what a fix brings, by the forms of `core` or as a value that this process knows.

use crate::Worktrees;
use crate::layout::WorktreePaths;
use crate::plumbing_output::TreeChange;
use collie_core::text::{find_secrets, is_placeholder};
use collie_engine::ports::{GateRefusal, GitError};
use std::collections::BTreeSet;

impl Worktrees {
    /// Looks at what each changed file holds now and none of them held before.
    pub(crate) async fn check_secrets(
        &self,
        worktree_paths: &WorktreePaths,
        changes: &[TreeChange],
    ) -> Result<Option<GateRefusal>, GitError> {
        let old_ids: Vec<&str> = changes
            .iter()
            .filter(|change| change.old_mode != 0 && change.is_regular())
            .map(|change| change.old_id.as_str())
            .collect();
        let before = self.read_blobs(&worktree_paths.clone_dir, &old_ids).await?;
        let known = self.git.known_secrets();
        let old = SecretsBefore::of(&before, &known);
        let mut locations = Vec::new();
        for change in changes
            .iter()
            .filter(|change| change.new_mode != 0 && change.is_regular())
        {
            let ids = [change.new_id.as_str()];
            let after = self.read_blobs(&worktree_paths.clone_dir, &ids).await?;
            let path = String::from_utf8_lossy(&change.path);
            let lines = old.new_lines(after.first().map_or(&[], Vec::as_slice));
            locations.extend(lines.into_iter().map(|line| format!("{path}:{line}")));
        }
        Ok((!locations.is_empty()).then_some(GateRefusal::Secrets { locations }))
    }
}

/// The secrets that were there before the fix: who moves one has brought none.
struct SecretsBefore<'a> {
    by_form: BTreeSet<&'a [u8]>,
    known: Vec<&'a [u8]>,
}

impl<'a> SecretsBefore<'a> {
    fn of(before: &'a [Vec<u8>], known: &'a [String]) -> Self {
        let by_form = before
            .iter()
            .flat_map(|text| {
                find_secrets(text)
                    .into_iter()
                    .map(|secret| &text[secret.range])
            })
            .collect();
        let is_new = |secret: &&[u8]| {
            !before
                .iter()
                .any(|text| first_place(text, secret).is_some())
        };
        let known = known.iter().map(String::as_bytes).filter(is_new).collect();
        Self { by_form, known }
    }

    /// The lines of a text, from 1, with secrets that were not there before.
    fn new_lines(&self, after: &[u8]) -> BTreeSet<usize> {
        let by_form = find_secrets(after)
            .into_iter()
            .map(|secret| secret.range)
            .filter(|range| {
                let value = &after[range.clone()];
                !is_placeholder(value) && !self.by_form.contains(value)
            })
            .map(|range| range.start);
        let known = self
            .known
            .iter()
            .filter_map(|secret| first_place(after, secret));
        by_form
            .chain(known)
            .map(|at| after[..at].iter().filter(|byte| **byte == b'\n').count() + 1)
            .collect()
    }
}

fn first_place(text: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut from = 0;
    while let Some(found) = text[from..].iter().position(|byte| *byte == first) {
        let at = from + found;
        if text[at..].starts_with(part) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(before: &str, after: &str) -> Vec<usize> {
        let (before, known) = ([before.as_bytes().to_vec()], ["known-to-us".to_owned()]);
        let old = SecretsBefore::of(&before, &known);
        old.new_lines(after.as_bytes()).into_iter().collect()
    }

    #[test]
    fn a_secret_that_was_there_before_is_no_new_one() {
        let token = format!("ghp_{}", "q7RkT2mWx9LbV4nZc8YhJ3pFs6DgA1uE5oIt");
        let code = format!("a\nkey = {token}\n");
        assert_eq!(lines("a\n", &code), [2]);
        assert_eq!(
            lines(&code, &format!("moved {token}\n")),
            Vec::<usize>::new()
        );
        assert_eq!(lines("a\n", "b\nc known-to-us\n"), [2]);
        assert_eq!(lines("known-to-us", "b known-to-us"), Vec::<usize>::new());
        let made_up = format!("ghp_{}", "x".repeat(36));
        assert_eq!(lines("", &made_up), Vec::<usize>::new());
    }
}

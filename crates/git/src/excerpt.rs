//! Small pieces of a difference, for people to look at. Reads clones that are there; fetches and writes nothing.

use crate::Options;
use crate::call::{Call, Caller};
use crate::place::{names_of, trees_below};
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::GitError;
use similar::{ChangeTag, TextDiff};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A larger file is not cut up.
const LARGEST: usize = 1 << 20;
/// A longer line is cut.
const LONGEST_LINE: usize = 400;

/// Reads the clones of a data folder. Any process may, beside the one that owns them.
pub struct CloneReader {
    root: PathBuf,
    caller: Caller,
}

/// What to cut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Lines around a line of the newer side, changed or not.
    Around(u32),
    /// Changed lines with some around them; those nearest to a line of the older side, when it is known.
    Changes(Option<u32>),
}

/// One line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptLine {
    /// What happened to it.
    pub change: LineChange,
    /// Its number before, from 1.
    pub old: Option<u32>,
    /// Its number after, from 1.
    pub new: Option<u32>,
    /// Without its end; cut after 400 characters.
    pub text: String,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineChange {
    /// Nothing.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Stands for lines that are left out.
    Gap,
}

impl CloneReader {
    /// Reads the clones below a folder, as [`crate::GitPlace`] lays them out.
    pub fn new(root: &Path) -> Self {
        Self {
            caller: Caller::new(root.to_path_buf(), Arc::new(|| None), Options::default()),
            root: root.to_path_buf(),
        }
    }

    fn clone_of(&self, id: &LoopId) -> PathBuf {
        crate::place::clone_below(&self.root, id)
    }

    /// Where the worktree is in which fixes were made, else one that a reviewer read; none when all are gone.
    pub fn worktree(&self, id: &LoopId) -> Option<PathBuf> {
        let entries = std::fs::read_dir(trees_below(&self.root, id)).ok()?;
        let begin = names_of(id);
        let of_pull = entries.flatten().filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&begin)) && entry.path().is_dir()
        });
        // The fixer's comes before reviewers' by its name.
        of_pull.map(|entry| entry.path()).min()
    }

    /// The commit that a difference begins at: the merge base of two commits. None when the clone lacks one of them.
    pub async fn merge_base(&self, id: &LoopId, a: &Sha, b: &Sha) -> Result<Option<Sha>, GitError> {
        self.name(id, ["merge-base", a.as_str(), b.as_str()]).await
    }

    /// The commit before a commit. None when the clone lacks it.
    pub async fn parent(&self, id: &LoopId, commit: &Sha) -> Result<Option<Sha>, GitError> {
        let name = format!("{commit}^");
        self.name(id, ["rev-parse", "--verify", "--quiet", &name])
            .await
    }

    /// A piece of the difference of one file. Empty when there is no clone, no such file on the newer side, or it is no text.
    pub async fn excerpt(
        &self,
        id: &LoopId,
        between: (&Sha, &Sha),
        path: &str,
        cut: Cut,
    ) -> Result<Vec<ExcerptLine>, GitError> {
        let Some(new) = self.text(id, between.1, path).await? else {
            return Ok(Vec::new());
        };
        let old = self.text(id, between.0, path).await?.unwrap_or_default();
        Ok(cut_out(&lines(&old, &new), cut))
    }

    async fn name<const N: usize>(
        &self,
        id: &LoopId,
        args: [&str; N],
    ) -> Result<Option<Sha>, GitError> {
        let clone = self.clone_of(id);
        if !clone.is_dir() {
            return Ok(None);
        }
        let answer = self.caller.ask(Call::new(args).in_clone(&clone)).await?;
        Ok((answer.code == 0)
            .then(|| Sha::parse(&answer.line()).ok())
            .flatten())
    }

    async fn text(
        &self,
        id: &LoopId,
        commit: &Sha,
        path: &str,
    ) -> Result<Option<String>, GitError> {
        let clone = self.clone_of(id);
        if !clone.is_dir() || path.is_empty() {
            return Ok(None);
        }
        let call = Call::new(["cat-file", "blob"]).arg(format!("{commit}:{path}"));
        let answer = self.caller.ask(call.in_clone(&clone)).await?;
        if answer.code != 0 || answer.out.len() > LARGEST {
            return Ok(None);
        }
        Ok(String::from_utf8(answer.out).ok())
    }
}

/// Every line of both sides, in order.
fn lines(old: &str, new: &str) -> Vec<ExcerptLine> {
    let number = |index: Option<usize>| index.and_then(|i| u32::try_from(i + 1).ok());
    let diff = TextDiff::from_lines(old, new);
    diff.iter_all_changes()
        .map(|change| ExcerptLine {
            change: match change.tag() {
                ChangeTag::Equal => LineChange::Context,
                ChangeTag::Insert => LineChange::Added,
                ChangeTag::Delete => LineChange::Removed,
            },
            old: number(change.old_index()),
            new: number(change.new_index()),
            text: change
                .value()
                .trim_end_matches(['\n', '\r'])
                .chars()
                .take(LONGEST_LINE)
                .collect(),
        })
        .collect()
}

/// Lines shown on either side of what is looked at.
const CONTEXT: usize = 3;
/// More lines than these are not shown.
const MOST: usize = 40;

fn cut_out(all: &[ExcerptLine], cut: Cut) -> Vec<ExcerptLine> {
    let is_change = |line: &ExcerptLine| line.change != LineChange::Context;
    let centre = match cut {
        Cut::Around(line) => all.iter().position(|l| l.new == Some(line)),
        Cut::Changes(near) => all
            .iter()
            .enumerate()
            .filter(|(_, line)| is_change(line))
            .min_by_key(|(_, line)| {
                let at = line.old.or(line.new).unwrap_or(0);
                near.map_or(0, |near| at.abs_diff(near))
            })
            .map(|(index, _)| index),
    };
    let Some(centre) = centre else {
        return Vec::new();
    };
    // The whole run of changes around the centre is shown, and a run that touches it by its context.
    let (mut from, mut to) = (centre, centre);
    while from > 0
        && centre - from < MOST
        && all[from.saturating_sub(CONTEXT)..from]
            .iter()
            .any(is_change)
    {
        from -= 1;
    }
    while to + 1 < all.len()
        && to - from < MOST
        && all[to + 1..(to + 1 + CONTEXT).min(all.len())]
            .iter()
            .any(is_change)
    {
        to += 1;
    }
    let from = from.saturating_sub(CONTEXT);
    let end = (to + 1 + CONTEXT).min(all.len());
    let mut shown = all[from..end].to_vec();
    let gap = ExcerptLine {
        change: LineChange::Gap,
        old: None,
        new: None,
        text: String::new(),
    };
    if from > 0 {
        shown.insert(0, gap.clone());
    }
    if end < all.len() {
        shown.push(gap);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str, cut: Cut) -> String {
        let line = |line: &ExcerptLine| {
            let mark = match line.change {
                LineChange::Context => ' ',
                LineChange::Added => '+',
                LineChange::Removed => '-',
                LineChange::Gap => return "…".to_owned(),
            };
            format!("{mark}{}", line.text)
        };
        let cut: Vec<String> = cut_out(&lines(old, new), cut).iter().map(line).collect();
        cut.join("|")
    }

    fn numbers(count: u32) -> String {
        (1..=count).map(|n| format!("{n}\n")).collect()
    }

    #[test]
    fn an_excerpt_shows_a_line_with_its_neighbours_and_the_changes_it_is_among() {
        let new = numbers(20).replace("10\n", "ten\n");
        let check =
            |cut, expect: &str| assert_eq!(shown(&numbers(20), &new, cut), expect, "{cut:?}");
        check(Cut::Around(10), "…| 7| 8| 9|-10|+ten| 11| 12| 13|…");
        check(Cut::Around(3), " 1| 2| 3| 4| 5| 6|…");
        check(Cut::Around(99), "");
        check(Cut::Changes(None), "…| 7| 8| 9|-10|+ten| 11| 12| 13|…");
    }

    #[test]
    fn of_several_changes_the_nearest_is_shown() {
        let new = numbers(60)
            .replace("10\n", "ten\n")
            .replace("50\n", "fifty\n");
        assert_eq!(
            shown(&numbers(60), &new, Cut::Changes(Some(48))),
            "…| 47| 48| 49|-50|+fifty| 51| 52| 53|…"
        );
    }

    #[test]
    fn a_new_file_is_all_added_and_a_long_one_is_cut() {
        assert_eq!(shown("", "a\nb\n", Cut::Around(2)), "+a|+b");
        assert!(
            shown("", &numbers(500), Cut::Around(250))
                .split('|')
                .count()
                < 120
        );
        assert_eq!(shown("a\n", "a\n", Cut::Changes(None)), "");
    }
}

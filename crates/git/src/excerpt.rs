//! Small pieces of a difference, for people to look at. Reads clones that are there; fetches and writes nothing.

use crate::GitOptions;
use crate::git_command::{GitCommand, GitRunner};
use crate::layout::{worktree_name_prefix, worktrees_dir};
use collie_core::file_marks::is_binary;
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::GitError;
use similar::{ChangeTag, TextDiff};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A larger file is not cut up.
const MAX_FILE_BYTES: usize = 1 << 20;
/// A longer line is cut.
const MAX_LINE_CHARS: usize = 400;

/// Reads the clones of a data folder. Any process may, beside the one that owns them.
pub struct CloneReader {
    pub(crate) root: PathBuf,
    pub(crate) git: GitRunner,
}

/// What to cut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcerptSelection {
    /// Lines around a line of the newer side, changed or not.
    Around(u32),
    /// Changed lines with some around them; those nearest to a line of the older side, when it is known.
    NearestChanges(Option<u32>),
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
            git: GitRunner::new(root.to_path_buf(), Arc::new(|| None), GitOptions::default()),
            root: root.to_path_buf(),
        }
    }

    pub(crate) fn clone_path(&self, id: &LoopId) -> PathBuf {
        crate::layout::clone_path_below(&self.root, id)
    }

    /// Where the worktree is in which fixes were made, else one that a reviewer read; none when all are gone.
    pub fn worktree(&self, id: &LoopId) -> Option<PathBuf> {
        let entries = std::fs::read_dir(worktrees_dir(&self.root, id)).ok()?;
        let prefix = worktree_name_prefix(id);
        let of_pull = entries.flatten().filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&prefix)) && entry.path().is_dir()
        });
        // The fixer's comes before reviewers' by its name.
        of_pull.map(|entry| entry.path()).min()
    }

    /// The commit that a difference begins at: the merge base of two commits. None when the clone lacks one of them.
    pub async fn merge_base(
        &self,
        id: &LoopId,
        one: &Sha,
        other: &Sha,
    ) -> Result<Option<Sha>, GitError> {
        self.resolve_commit(id, ["merge-base", one.as_str(), other.as_str()])
            .await
    }

    /// The commit before a commit. None when the clone lacks it.
    pub async fn parent(&self, id: &LoopId, commit: &Sha) -> Result<Option<Sha>, GitError> {
        let name = format!("{commit}^");
        self.resolve_commit(id, ["rev-parse", "--verify", "--quiet", &name])
            .await
    }

    /// A piece of the difference of one file. Empty when there is no clone, no such file on the newer side, or it is no text.
    pub async fn excerpt(
        &self,
        id: &LoopId,
        between: (&Sha, &Sha),
        path: &str,
        selection: ExcerptSelection,
    ) -> Result<Vec<ExcerptLine>, GitError> {
        let Some(new) = self.read_text(id, between.1, path).await? else {
            return Ok(Vec::new());
        };
        let old = self
            .read_text(id, between.0, path)
            .await?
            .unwrap_or_default();
        Ok(select_lines(&diff_lines(&old, &new), selection))
    }

    async fn resolve_commit<const N: usize>(
        &self,
        id: &LoopId,
        args: [&str; N],
    ) -> Result<Option<Sha>, GitError> {
        let clone_dir = self.clone_path(id);
        if !clone_dir.is_dir() {
            return Ok(None);
        }
        let output = self
            .git
            .run_unchecked(GitCommand::new(args).in_clone(&clone_dir))
            .await?;
        Ok((output.exit_code == 0)
            .then(|| Sha::parse(&output.stdout_line()).ok())
            .flatten())
    }

    async fn read_text(
        &self,
        id: &LoopId,
        commit: &Sha,
        path: &str,
    ) -> Result<Option<String>, GitError> {
        let clone_dir = self.clone_path(id);
        if !clone_dir.is_dir() || path.is_empty() {
            return Ok(None);
        }
        let git_command = GitCommand::new(["cat-file", "blob"]).arg(format!("{commit}:{path}"));
        let output = self
            .git
            .run_unchecked(git_command.in_clone(&clone_dir))
            .await?;
        if output.exit_code != 0 || output.stdout.len() > MAX_FILE_BYTES {
            return Ok(None);
        }
        let is_text = !is_binary(&output.stdout);
        Ok(is_text.then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
    }
}

/// Every line of both sides, in order.
fn diff_lines(old: &str, new: &str) -> Vec<ExcerptLine> {
    let number = |index: Option<usize>| index.and_then(|index| u32::try_from(index + 1).ok());
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
                .take(MAX_LINE_CHARS)
                .collect(),
        })
        .collect()
}

/// Lines shown on either side of what is looked at.
const CONTEXT_LINES: usize = 3;
/// Of the changes that a line is among, so many lines are shown on either side of it: it stays in sight.
const LINES_AROUND: usize = 10;
/// The same of changes that are looked at for their own sake.
const CHANGED_LINES_AROUND: usize = 20;

fn is_change(line: &ExcerptLine) -> bool {
    line.change != LineChange::Context
}

/// Where the change is that lies nearest to a line of the older side; the first where no line is known.
fn nearest_change(all: &[ExcerptLine], near: Option<u32>) -> Option<usize> {
    let mut place = 0;
    let placed = all.iter().map(|line| {
        // What was added stands where the line before it was.
        place = line.old.unwrap_or(place);
        (place, line)
    });
    placed
        .enumerate()
        .filter(|(_, (_, line))| is_change(line))
        .min_by_key(|(_, (place, _))| near.map_or(0, |near| place.abs_diff(near)))
        .map(|(index, _)| index)
}

fn select_lines(all: &[ExcerptLine], selection: ExcerptSelection) -> Vec<ExcerptLine> {
    let (centre, reach) = match selection {
        ExcerptSelection::Around(line) => {
            let is_it = |candidate: &ExcerptLine| candidate.new == Some(line);
            (all.iter().position(is_it), LINES_AROUND)
        }
        ExcerptSelection::NearestChanges(near) => (nearest_change(all, near), CHANGED_LINES_AROUND),
    };
    let Some(centre) = centre else {
        return Vec::new();
    };
    // The whole run of changes around the centre is shown, and a run that touches it by its context.
    let (mut from, mut to) = (centre, centre);
    while from > 0
        && centre - from < reach
        && all[from.saturating_sub(CONTEXT_LINES)..from]
            .iter()
            .any(is_change)
    {
        from -= 1;
    }
    while to + 1 < all.len()
        && to - centre < reach
        && all[to + 1..(to + 1 + CONTEXT_LINES).min(all.len())]
            .iter()
            .any(is_change)
    {
        to += 1;
    }
    let from = from.saturating_sub(CONTEXT_LINES);
    let end = (to + 1 + CONTEXT_LINES).min(all.len());
    let mut selected = all[from..end].to_vec();
    let gap = ExcerptLine {
        change: LineChange::Gap,
        old: None,
        new: None,
        text: String::new(),
    };
    if from > 0 {
        selected.insert(0, gap.clone());
    }
    if end < all.len() {
        selected.push(gap);
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_selection(old: &str, new: &str, selection: ExcerptSelection) -> String {
        let line = |line: &ExcerptLine| {
            let mark = match line.change {
                LineChange::Context => ' ',
                LineChange::Added => '+',
                LineChange::Removed => '-',
                LineChange::Gap => return "…".to_owned(),
            };
            format!("{mark}{}", line.text)
        };
        let cut: Vec<String> = select_lines(&diff_lines(old, new), selection)
            .iter()
            .map(line)
            .collect();
        cut.join("|")
    }

    fn numbers(count: u32) -> String {
        (1..=count).map(|n| format!("{n}\n")).collect()
    }

    #[test]
    fn an_excerpt_shows_a_line_with_its_neighbours_and_the_changes_it_is_among() {
        let new = numbers(20).replace("10\n", "ten\n");
        let check = |cut, expect: &str| {
            assert_eq!(render_selection(&numbers(20), &new, cut), expect, "{cut:?}")
        };
        check(
            ExcerptSelection::Around(10),
            "…| 7| 8| 9|-10|+ten| 11| 12| 13|…",
        );
        check(ExcerptSelection::Around(3), " 1| 2| 3| 4| 5| 6|…");
        check(ExcerptSelection::Around(99), "");
        check(
            ExcerptSelection::NearestChanges(None),
            "…| 7| 8| 9|-10|+ten| 11| 12| 13|…",
        );
    }

    #[test]
    fn of_several_changes_the_nearest_is_shown() {
        let new = numbers(60)
            .replace("10\n", "ten\n")
            .replace("50\n", "fifty\n");
        assert_eq!(
            render_selection(
                &numbers(60),
                &new,
                ExcerptSelection::NearestChanges(Some(48))
            ),
            "…| 47| 48| 49|-50|+fifty| 51| 52| 53|…"
        );
    }

    #[test]
    fn the_line_that_is_looked_at_stands_in_the_middle_of_many_changes() {
        let cut = render_selection("", &numbers(500), ExcerptSelection::Around(250));
        let lines: Vec<&str> = cut.split('|').collect();
        let place = lines.iter().position(|line| *line == "+250");
        let place = place.expect("the line is shown");
        let below = lines.len() - 1 - place;
        assert!(place <= 14 && below <= 14, "{place} above, {below} below");
        // At the end of a run of changes, too, there is what comes before it.
        let cut = render_selection("", &numbers(60), ExcerptSelection::Around(60));
        assert!(cut.ends_with("+59|+60"), "{cut}");
    }

    #[test]
    fn what_fixed_a_line_is_looked_for_where_the_line_was_before() {
        let added: String = (1..=60).map(|n| format!("new {n}\n")).collect();
        let old = numbers(120);
        let new = format!("{added}{}", old.replace("\n70\n", "\nseventy\n"));
        let cut = render_selection(&old, &new, ExcerptSelection::NearestChanges(Some(60)));
        assert!(cut.contains("-70|+seventy"), "{cut}");
    }

    #[test]
    fn a_new_file_is_all_added_and_a_long_one_is_cut() {
        assert_eq!(
            render_selection("", "a\nb\n", ExcerptSelection::Around(2)),
            "+a|+b"
        );
        assert!(
            render_selection("", &numbers(500), ExcerptSelection::Around(250))
                .split('|')
                .count()
                < 120
        );
        assert_eq!(
            render_selection("a\n", "a\n", ExcerptSelection::NearestChanges(None)),
            ""
        );
    }
}

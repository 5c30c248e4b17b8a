//! Real pull requests out of clones, with what git alone knows of them: no issues, no documents, no conversation.

pub mod context;
pub mod fix;
mod git;

use collie_agents::prompting::{
    ChangedFile, FileStatus, Material, ReviewContext, TextFile, built_in_personas, guideline_paths,
};
use collie_core::ids::{RepoName, Sha};
use collie_core::policy::Policy;
use git::{lines, text_at};
use std::ops::RangeInclusive;
use std::path::Path;

/// Commits before and after these dates are not looked at, so that a later clone gives the same pull requests.
const SINCE: &str = "2020-01-01";
const UNTIL: &str = "2026-04-01";
/// As many lines changed are a pull request of usual size.
pub const USUAL_CHANGED_LINES: RangeInclusive<u32> = 30..=1_500;
/// As many paths as the app takes of a repository.
const MOST_PATHS: usize = 20_000;
/// As many findings as the app allows for.
const MOST_FINDINGS: u32 = 40;

/// A pull request that was merged.
pub struct Pull {
    /// The folder's name.
    pub repository: String,
    /// The merge commit, or the squashed one.
    pub commit: String,
    /// Lines added and removed.
    pub changed: u32,
    /// What a reviewer is given at first.
    pub material: Material,
}

/// The commits of a clone that brought pull requests in; those with the smallest names first, which is the same mixture each time.
pub fn commits(folder: &Path) -> Result<Vec<String>, String> {
    let (since, until) = (format!("--since={SINCE}"), format!("--until={UNTIL}"));
    let merges = merges(folder, &[&since, &until])?;
    let mut commits: Vec<String> = merges.into_iter().map(|merge| merge.commit).collect();
    commits.sort();
    Ok(commits)
}

/// The pull request that a commit brought in; none when it did not, or when it changes more lines than these, or fewer.
pub fn one(
    folder: &Path,
    commit: &str,
    lines: &RangeInclusive<u32>,
) -> Result<Option<Pull>, String> {
    let named = merges(folder, &["-1", commit])?.pop();
    let found = named.map(|merge| pull(folder, merge, lines)).transpose()?;
    Ok(found.flatten())
}

/// A commit of the default branch that brought a pull request in.
struct Merge {
    commit: String,
    parents: Vec<String>,
    number: u64,
    squashed: bool,
}

/// GitHub's merge commits name the pull request first, its squashed commits last.
fn merges(folder: &Path, which: &[&str]) -> Result<Vec<Merge>, String> {
    let log = [&["log", "--first-parent", "--format=%H%x09%P%x09%s"], which].concat();
    let log = lines(folder, &log)?;
    let read = |line: &String| {
        let [commit, parents, subject] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let parents: Vec<String> = parents.split(' ').map(str::to_string).collect();
        let squashed = parents.len() == 1;
        let number = if squashed {
            subject.strip_suffix(')')?.rsplit_once("(#")?.1
        } else {
            let named = subject.strip_prefix("Merge pull request #")?;
            named.split(' ').next()?
        };
        Some(Merge {
            commit: commit.to_string(),
            parents,
            number: number.parse().ok()?,
            squashed,
        })
    };
    Ok(log.iter().filter_map(read).collect())
}

/// The pull request as it was when it was merged; none when it changes more lines, or fewer.
fn pull(
    folder: &Path,
    merge: Merge,
    lines_wanted: &RangeInclusive<u32>,
) -> Result<Option<Pull>, String> {
    let (base, head) = match &merge.parents[..] {
        [before] if merge.squashed => (before.clone(), merge.commit.clone()),
        [before, head] => match lines(folder, &["merge-base", before, head]) {
            Ok(found) if !found.is_empty() => (found[0].clone(), head.clone()),
            Ok(_) | Err(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    let changed = changed_lines(folder, &base, &head)?;
    if !lines_wanted.contains(&changed) {
        return Ok(None);
    }
    let repository = name_of(folder);
    let material = material(folder, &merge, &repository, (&base, &head))?;
    Ok(Some(Pull {
        repository,
        commit: merge.commit,
        changed,
        material,
    }))
}

fn changed_lines(folder: &Path, base: &str, head: &str) -> Result<u32, String> {
    let rows = lines(folder, &["diff", "--numstat", "-M", base, head])?;
    let of_row = |row: &String| -> u32 {
        let counts = row.split('\t').take(2);
        counts.filter_map(|n| n.parse::<u32>().ok()).sum()
    };
    Ok(rows.iter().map(of_row).sum())
}

fn name_of(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy());
    name.unwrap_or_default().trim_end_matches(".git").replace(
        |c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c),
        "-",
    )
}

fn material(
    folder: &Path,
    merge: &Merge,
    repository: &str,
    (base, head): (&str, &str),
) -> Result<Material, String> {
    let (title, description) = title_and_description(folder, merge)?;
    let files = files(folder, base, head)?;
    let mut tree = paths(folder, head)?;
    tree.truncate(MOST_PATHS);
    let changed: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let guidelines = guideline_paths(&paths(folder, base)?, &changed)
        .into_iter()
        .filter_map(|path| {
            let text = text_at(folder, base, &path)?;
            Some(TextFile { path, text })
        });
    let policy = Policy::default();
    let name = format!("somebody/{repository}");
    Ok(Material {
        repo: RepoName::parse(&name).map_err(|error| format!("{name}: {error}"))?,
        number: merge.number,
        title,
        description,
        author: None,
        base: sha(base)?,
        head: sha(head)?,
        guidelines: guidelines.collect(),
        files,
        delta: None,
        tree,
        documents: Vec::new(),
        issues: Vec::new(),
        threads: Vec::new(),
        conversation: Vec::new(),
        tracked_findings: Vec::new(),
        bot_findings: Vec::new(),
        earlier_fixes: Vec::new(),
        persona: built_in_personas()
            .into_iter()
            .next()
            .ok_or("no persona ships")?,
        strictness: policy.strictness,
        comment_threshold: policy.comment_threshold,
        max_findings: MOST_FINDINGS,
        language: Some("English".into()),
        context: ReviewContext::default(),
        part: None,
    })
}

fn sha(text: &str) -> Result<Sha, String> {
    Sha::parse(text).map_err(|error| format!("{text}: {error}"))
}

/// Title and description: a merge commit has both in its body, a squashed one the title in its subject.
fn title_and_description(folder: &Path, merge: &Merge) -> Result<(String, String), String> {
    let message = lines(folder, &["log", "-1", "--format=%B", &merge.commit])?;
    let own = if merge.squashed { 0 } else { 1 };
    let mut rest = message
        .iter()
        .skip(own)
        .skip_while(|line| line.trim().is_empty());
    let title = rest.next().or(message.first()).cloned().unwrap_or_default();
    let description: Vec<&str> = rest.map(String::as_str).collect();
    Ok((title, description.join("\n").trim().to_string()))
}

fn paths(folder: &Path, commit: &str) -> Result<Vec<String>, String> {
    lines(
        folder,
        &["ls-tree", "-r", "--name-only", "--full-tree", commit],
    )
}

/// The changed files, whole on both sides.
fn files(folder: &Path, base: &str, head: &str) -> Result<Vec<ChangedFile>, String> {
    let rows = lines(folder, &["diff", "--name-status", "-M", base, head])?;
    let of_row = |row: &String| {
        let mut parts = row.split('\t');
        let (status, first) = (parts.next()?, parts.next()?);
        let path = parts.next().unwrap_or(first);
        let (is_new, is_gone) = (status.starts_with('A'), status.starts_with('D'));
        let before = (!is_new).then(|| text_at(folder, base, first));
        let after = (!is_gone).then(|| text_at(folder, head, path));
        let status = match (is_new, is_gone, first == path) {
            (true, _, _) => FileStatus::Added,
            (_, true, _) => FileStatus::Removed,
            (false, false, true) => FileStatus::Modified,
            (false, false, false) => FileStatus::Renamed,
        };
        Some(match (before, after) {
            // What is there and no text, on either side, has no lines to show.
            (Some(None), _) | (_, Some(None)) => ChangedFile {
                path: path.to_string(),
                old_path: None,
                status,
                hunks: Vec::new(),
                shown: Vec::new(),
                content_at_head: None,
                content_at_base: None,
            },
            (before, after) => {
                ChangedFile::between(path, Some(first), before.flatten(), after.flatten())
            }
        })
    };
    Ok(rows.iter().filter_map(of_row).collect())
}

//! Finds the clones that cases need, and the commits in them.

use super::git::{Git, git_error};
use super::sets::CaseFiles;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{RepoName, Sha};
use collie_core::user_error::UserError;
use collie_eval::{Case, CaseSet, Change};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where the change of a case was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CaseSource {
    /// Two folders of files.
    Folder,
    /// Two commits of a clone.
    Clone {
        /// The clone.
        folder: PathBuf,
        /// The commit that the change begins at.
        merge_base: Sha,
        /// The head.
        head: Sha,
    },
}

/// Sees that everything is there that the cases of a set need.
pub async fn check_set(
    set: &CaseSet,
    files: &CaseFiles,
    clones: Option<&Path>,
) -> Result<(), UserError> {
    if let Some(folder) = clones {
        all_cloned(set, folder)?;
    }
    for case in &set.cases {
        find_source(case, files, clones).await?;
    }
    Ok(())
}

/// Names at once all repositories that are to be cloned first.
fn all_cloned(set: &CaseSet, clones: &Path) -> Result<(), UserError> {
    let needs_clone = |case: &&Case| !matches!(case.change, Change::Folder { .. });
    let needed = set.cases.iter().filter(needs_clone);
    let missing: BTreeSet<&RepoName> = needed
        .map(|case| &case.repository)
        .filter(|repository| clone_of(repository, clones).is_none())
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(not_cloned(missing, clones)),
    }
}

fn not_cloned<'a>(missing: impl IntoIterator<Item = &'a RepoName>, clones: &Path) -> UserError {
    let names: Vec<String> = missing.into_iter().map(RepoName::to_string).collect();
    UserError::new(ErrorCode::EvalNoClone)
        .with_arg("count", names.len())
        .with("repositories", names.join(", "))
        .with("folder", clones.display())
}

/// Finds the change of a case.
pub(super) async fn find_source(
    case: &Case,
    files: &CaseFiles,
    clones: Option<&Path>,
) -> Result<CaseSource, UserError> {
    let (base, head) = match &case.change {
        Change::Folder { folder, .. } => {
            for side in ["before", "after"] {
                files.read(folder, side).map_err(|error| {
                    UserError::new(ErrorCode::EvalFile)
                        .with("file", format!("{folder}/{side}"))
                        .with("message", error)
                })?;
            }
            return Ok(CaseSource::Folder);
        }
        Change::Commits { base, head } => (Some(base), Some(head)),
        Change::Pull(_) => (None, None),
    };
    let clone = find_clone(case, clones)?;
    let git = Git::new(&clone);
    let (base, head) = match (base, head, &case.change) {
        (Some(base), Some(head), _) => (base.clone(), head.clone()),
        (_, _, Change::Pull(number)) => find_pull(case, &git, *number).await?,
        _ => return Err(no_commit(case, &clone, "")),
    };
    for commit in [&base, &head] {
        let name = format!("{commit}^{{commit}}");
        if git.run(&["cat-file", "-e", &name]).await.is_err() {
            return Err(no_commit(case, &clone, commit.as_str()));
        }
    }
    let merge_base = git
        .run(&["merge-base", base.as_str(), head.as_str()])
        .await
        .map_err(|message| git_error(case, &message))?;
    let merge_base = Sha::parse(merge_base.trim()).map_err(|error| git_error(case, &error))?;
    Ok(CaseSource::Clone {
        folder: clone,
        merge_base,
        head,
    })
}

fn no_commit(case: &Case, clone: &Path, commit: &str) -> UserError {
    UserError::new(ErrorCode::EvalNoCommit)
        .with("case", &case.id)
        .with("commit", commit)
        .with("folder", clone.display())
}

/// The clone of a case's repository: a folder of its name, with a work tree or without.
fn find_clone(case: &Case, clones: Option<&Path>) -> Result<PathBuf, UserError> {
    let repository = &case.repository;
    let clones = clones.ok_or_else(|| {
        UserError::new(ErrorCode::EvalNoClones)
            .with("case", &case.id)
            .with("repository", repository)
    })?;
    clone_of(repository, clones).ok_or_else(|| not_cloned([repository], clones))
}

/// The clone of a repository below a folder.
fn clone_of(repository: &RepoName, clones: &Path) -> Option<PathBuf> {
    let (owner, name) = (repository.owner(), repository.name());
    let names = [
        format!("{owner}/{name}"),
        format!("{owner}/{name}.git"),
        format!("{owner}+{name}"),
        format!("{owner}+{name}/repo"),
        name.to_owned(),
        format!("{name}.git"),
    ];
    let is_clone = |folder: &PathBuf| folder.join(".git").exists() || folder.join("HEAD").is_file();
    let mut folders = names.iter().map(|name| clones.join(name));
    folders.find(is_clone)
}

/// Base and head of a pull request whose head GitHub keeps as `refs/pull/N/head`.
///
/// Where it was merged by a commit of its own, the base is what that commit merged it into; else the default branch, which it was never in.
pub(super) async fn find_pull(
    case: &Case,
    git: &Git,
    number: u64,
) -> Result<(Sha, Sha), UserError> {
    let failed = |message: String| git_error(case, &message);
    let parse = |text: String| Sha::parse(text.trim()).map_err(|error| git_error(case, &error));
    let name = format!("refs/pull/{number}/head^{{commit}}");
    let head = git.run(&["rev-parse", "--verify", "--quiet", &name]).await;
    let head = head.map_err(|_| {
        UserError::new(ErrorCode::EvalNoPull)
            .with("case", &case.id)
            .with("number", number)
            .with("folder", git.folder().display())
    })?;
    let head = parse(head)?;
    let range = format!("{head}..HEAD");
    let merges = [
        "rev-list",
        "--merges",
        "--ancestry-path",
        "--parents",
        &range,
    ];
    let merges = git.run(&merges).await.map_err(failed)?;
    // The oldest merge on the way whose other parents hold the head.
    for line in merges.lines().rev() {
        let mut commits = line.split_whitespace().skip(1);
        let Some(into) = commits.next() else { continue };
        let holds = ["merge-base", "--is-ancestor", head.as_str(), into];
        if git.run(&holds).await.is_err() {
            return Ok((parse(into.to_owned())?, head));
        }
    }
    let tip = git.run(&["rev-parse", "HEAD"]).await.map_err(failed)?;
    Ok((parse(tip)?, head))
}

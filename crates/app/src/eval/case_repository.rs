//! Makes the repository of a case: a commit before the change, and one with it.

use super::clones::CaseSource;
use super::git::{Git, git_error};
use super::sets::CaseFiles;
use collie_core::user_error::UserError;
use collie_eval::{Case, Change};
use std::path::Path;

/// The branch that the pull request goes into.
pub(super) const BASE_BRANCH: &str = "main";
/// The branch that it comes from.
pub(super) const HEAD_BRANCH: &str = "change";

/// What a pull request is called.
pub(super) struct PullWords {
    pub(super) title: String,
    pub(super) description: String,
}

/// Makes the repository in an empty folder; gives what the pull request is called.
pub(super) async fn make_repository(
    case: &Case,
    source: &CaseSource,
    files: &CaseFiles,
    folder: &Path,
) -> Result<PullWords, UserError> {
    let git = Git::new(folder);
    let failed = |message: String| git_error(case, &message);
    let (subject, body) = match source {
        CaseSource::Folder => {
            commit_folders(case, files, &git).await?;
            (None, None)
        }
        CaseSource::Clone {
            folder: clone,
            merge_base,
            head,
        } => {
            let clone = Git::new(clone);
            let head = head.as_str();
            let said = |format| ["log", "-1", format, head];
            let subject = clone.run(&said("--format=%s")).await.map_err(failed)?;
            let body = clone.run(&said("--format=%b")).await.map_err(failed)?;
            let message = format!("{subject}\n{body}");
            copy_commits(&clone, &git, (merge_base.as_str(), head), &message)
                .await
                .map_err(failed)?;
            (Some(subject), Some(body))
        }
    };
    let words = |own: &Option<String>, other: Option<String>| {
        let text = own.clone().or(other).unwrap_or_default();
        text.trim().to_owned()
    };
    let title = words(&case.title, subject);
    Ok(PullWords {
        title: match title.is_empty() {
            true => case.id.clone(),
            false => title,
        },
        description: words(&case.description, body),
    })
}

async fn commit_folders(case: &Case, files: &CaseFiles, git: &Git) -> Result<(), UserError> {
    let Change::Folder { folder, removed } = &case.change else {
        return Ok(());
    };
    let failed = |message: String| git_error(case, &message);
    let run = async |args: &[&str]| git.run(args).await.map(drop).map_err(failed);
    let initial = format!("--initial-branch={BASE_BRANCH}");
    run(&["init", "--quiet", &initial]).await?;
    for (side, branch) in [("before", None), ("after", Some(HEAD_BRANCH))] {
        if let Some(branch) = branch {
            run(&["switch", "--quiet", "--create", branch]).await?;
            for path in removed {
                run(&["rm", "--quiet", "--", path]).await?;
            }
        }
        let read = files.read(folder, side);
        let read = read.map_err(|error| git_error(case, &error))?;
        for (path, bytes) in read {
            write_file(&git.folder().join(path), &bytes)
                .map_err(|error| git_error(case, &error))?;
        }
        run(&["add", "--all", "--force"]).await?;
        let message = branch.map_or("Begin", |_| "Change");
        run(&["commit", "--quiet", "--allow-empty", "--message", message]).await?;
    }
    run(&["switch", "--quiet", BASE_BRANCH]).await
}

fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// Two commits with the trees of two of a clone, whose objects are read where they are.
async fn copy_commits(
    clone: &Git,
    git: &Git,
    (base, head): (&str, &str),
    message: &str,
) -> Result<(), String> {
    git.run(&["init", "--quiet", "--bare"]).await?;
    let objects = [
        "rev-parse",
        "--path-format=absolute",
        "--git-path",
        "objects",
    ];
    let objects = clone.run(&objects).await?;
    let alternates = git.folder().join("objects/info/alternates");
    write_file(&alternates, objects.as_bytes()).map_err(|error| error.to_string())?;
    let tree = |commit: &str| format!("{commit}^{{tree}}");
    let (base_tree, head_tree) = (tree(base), tree(head));
    let before = git.run(&["commit-tree", &base_tree, "-m", "Begin"]).await?;
    let before = before.trim();
    let after = ["commit-tree", &head_tree, "-p", before, "-m", message];
    let after = git.run(&after).await?;
    for (branch, commit) in [(BASE_BRANCH, before), (HEAD_BRANCH, after.trim())] {
        let name = format!("refs/heads/{branch}");
        git.run(&["update-ref", &name, commit]).await?;
    }
    let head = format!("refs/heads/{BASE_BRANCH}");
    git.run(&["symbolic-ref", "HEAD", &head]).await.map(drop)
}

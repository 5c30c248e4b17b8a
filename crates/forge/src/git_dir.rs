//! Git plumbing on the bare repositories; every call is one `git` process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::error::ForgeError;
use crate::model::Sha;

/// A bare repository on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDir(PathBuf);

/// Who a commit is by, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Name.
    pub name: String,
    /// Email.
    pub email: String,
    /// RFC 3339 with the author's own offset.
    pub date: String,
}

/// A commit's own data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub sha: Sha,
    /// Its tree.
    pub tree: String,
    /// Its parents.
    pub parents: Vec<Sha>,
    /// Author.
    pub author: Signature,
    /// Committer.
    pub committer: Signature,
    /// Whole message, without the newline at its end.
    pub message: String,
}

const COMMIT_FORMAT: &str =
    "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B";
const COMMIT_FIELDS: usize = 10;

/// Who new commits are by, where git asks for it.
#[derive(Debug, Clone)]
pub(crate) struct CommitIdentity {
    pub(crate) name: String,
    pub(crate) email: String,
}

/// What git printed, whatever its exit status.
#[derive(Debug)]
pub(crate) struct GitOutput {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl GitDir {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Runs git and gives what it printed, whatever its exit status.
    pub(crate) async fn output(
        &self,
        args: &[&str],
        input: &[u8],
    ) -> Result<GitOutput, ForgeError> {
        run_git(&mut git_command(&self.0), &self.0, args, input).await
    }

    /// Runs git and gives what it printed; a non-zero exit status is an error.
    pub(crate) async fn run(&self, args: &[&str]) -> Result<Vec<u8>, ForgeError> {
        self.run_with_env(args, None).await
    }

    async fn run_with_env(
        &self,
        args: &[&str],
        env: Option<&[(String, String)]>,
    ) -> Result<Vec<u8>, ForgeError> {
        let mut command = git_command(&self.0);
        if let Some(variables) = env {
            command.envs(variables.iter().map(|(k, v)| (k, v)));
        }
        let output = run_git(&mut command, &self.0, args, b"").await?;
        if output.code == 0 {
            Ok(output.stdout)
        } else {
            Err(self.git_error(args, output.stderr))
        }
    }

    async fn run_text(&self, args: &[&str]) -> Result<String, ForgeError> {
        let bytes = self.run(args).await?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    fn git_error(&self, args: &[&str], stderr: String) -> ForgeError {
        ForgeError::Git {
            command: args.join(" "),
            repo: self.0.clone(),
            stderr,
        }
    }

    /// The commit that a revision names; `None` when it names none.
    pub async fn commit_id(&self, revision: &str) -> Result<Option<Sha>, ForgeError> {
        if revision.starts_with('-') || revision.contains('\0') {
            return Ok(None);
        }
        let commit_revision = format!("{revision}^{{commit}}");
        let output = self
            .output(
                &[
                    "rev-parse",
                    "--verify",
                    "--quiet",
                    "--end-of-options",
                    &commit_revision,
                ],
                b"",
            )
            .await?;
        Ok(Sha::new(&String::from_utf8_lossy(&output.stdout)))
    }

    /// The tip of a branch; `None` when there is no such branch.
    pub async fn branch(&self, name: &str) -> Result<Option<Sha>, ForgeError> {
        self.commit_id(&format!("refs/heads/{name}")).await
    }

    /// Branches and their tips.
    pub async fn branches(&self) -> Result<BTreeMap<String, Sha>, ForgeError> {
        let text = self
            .run_text(&[
                "for-each-ref",
                "--format=%(objectname) %(refname:lstrip=2)",
                "refs/heads",
            ])
            .await?;
        Ok(text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(sha, name)| Some((name.to_owned(), Sha::new(sha)?)))
            .collect())
    }

    /// The branch that HEAD points at, if it is one.
    pub(crate) async fn head_branch(&self) -> Result<Option<String>, ForgeError> {
        let output = self
            .output(&["symbolic-ref", "--short", "HEAD"], b"")
            .await?;
        let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok((output.code == 0 && !name.is_empty()).then_some(name))
    }

    /// Moves or creates a ref; with `old`, only if it is still there.
    pub(crate) async fn update_ref(
        &self,
        name: &str,
        new: &Sha,
        old: Option<&Sha>,
    ) -> Result<(), ForgeError> {
        let mut args = vec!["update-ref", name, new.as_str()];
        args.extend(old.map(Sha::as_str));
        self.run(&args).await.map(drop)
    }

    /// Brings a commit of another repository in, with all that it needs.
    pub(crate) async fn fetch_commit(&self, from: &GitDir, commit: &Sha) -> Result<(), ForgeError> {
        if self.commit_id(commit.as_str()).await?.is_some() {
            return Ok(());
        }
        let from = from.path().to_string_lossy().into_owned();
        let args = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--",
            &from,
            commit.as_str(),
        ];
        self.run(&args).await.map(drop)
    }

    /// Where two histories part; `None` when they never met.
    pub async fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>, ForgeError> {
        let output = self
            .output(&["merge-base", one.as_str(), other.as_str()], b"")
            .await?;
        Ok(Sha::new(&String::from_utf8_lossy(&output.stdout)))
    }

    /// Whether a commit is in the history of another.
    pub async fn is_ancestor(&self, old: &Sha, new: &Sha) -> Result<bool, ForgeError> {
        let args = ["merge-base", "--is-ancestor", old.as_str(), new.as_str()];
        Ok(self.output(&args, b"").await?.code == 0)
    }

    /// Numbers of commits that only the one and only the other has.
    pub async fn ahead_behind(&self, base: &Sha, head: &Sha) -> Result<(u64, u64), ForgeError> {
        let range = format!("{base}...{head}");
        let text = self
            .run_text(&["rev-list", "--left-right", "--count", &range])
            .await?;
        let mut numbers = text.split_whitespace().map(|n| n.parse().unwrap_or(0));
        let behind = numbers.next().unwrap_or(0);
        let ahead = numbers.next().unwrap_or(0);
        Ok((ahead, behind))
    }

    /// One commit.
    pub async fn commit(&self, sha: &Sha) -> Result<Commit, ForgeError> {
        let args = ["log", "-1", "-z", COMMIT_FORMAT, sha.as_str()];
        let mut commits = parse_commits(&self.run(&args).await?);
        commits
            .pop()
            .ok_or_else(|| self.git_error(&args, "it printed no commit".to_owned()))
    }

    /// The commits in `head` and not in `base`, oldest first.
    pub async fn commits_between(&self, base: &Sha, head: &Sha) -> Result<Vec<Commit>, ForgeError> {
        let range = format!("{base}..{head}");
        let args = [
            "log",
            "-z",
            "--reverse",
            "--topo-order",
            COMMIT_FORMAT,
            &range,
        ];
        Ok(parse_commits(&self.run(&args).await?))
    }

    /// The tree of a merge, or `None` when it conflicts.
    pub(crate) async fn merge_tree(
        &self,
        ours: &str,
        theirs: &Sha,
        base: Option<&Sha>,
    ) -> Result<Option<String>, ForgeError> {
        let base = base.map(|b| format!("--merge-base={b}"));
        let mut args = vec!["merge-tree", "--write-tree", "--no-messages", "--name-only"];
        args.extend(base.as_deref());
        args.extend([ours, theirs.as_str()]);
        let output = self.output(&args, b"").await?;
        match output.code {
            0 => Ok(Some(
                String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            )),
            1 => Ok(None),
            _ => Err(self.git_error(&args, output.stderr)),
        }
    }

    /// Writes a commit; without `author` the author is the committer.
    pub(crate) async fn commit_tree(
        &self,
        tree: &str,
        parents: &[&Sha],
        message: &str,
        committer: &CommitIdentity,
        author: Option<&Signature>,
    ) -> Result<Sha, ForgeError> {
        let mut args = vec!["commit-tree", tree, "-m", message];
        for parent in parents {
            args.extend(["-p", parent.as_str()]);
        }
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut env = vec![
            variable("GIT_COMMITTER_NAME", &committer.name),
            variable("GIT_COMMITTER_EMAIL", &committer.email),
        ];
        match author {
            Some(author) => env.extend([
                variable("GIT_AUTHOR_NAME", &author.name),
                variable("GIT_AUTHOR_EMAIL", &author.email),
                variable("GIT_AUTHOR_DATE", &author.date),
            ]),
            None => env.extend([
                variable("GIT_AUTHOR_NAME", &committer.name),
                variable("GIT_AUTHOR_EMAIL", &committer.email),
            ]),
        }
        let bytes = self.run_with_env(&args, Some(&env)).await?;
        Sha::new(&String::from_utf8_lossy(&bytes))
            .ok_or_else(|| self.git_error(&["commit-tree"], "it printed no commit id".to_owned()))
    }

    /// The bytes of a file at a commit, or `None` when there is no such file.
    pub async fn file(&self, sha: &Sha, path: &str) -> Result<Option<Vec<u8>>, ForgeError> {
        let object_name = format!("{sha}:{path}");
        let output = self
            .output(&["cat-file", "blob", &object_name], b"")
            .await?;
        Ok((output.code == 0).then_some(output.stdout))
    }
}

/// A `git` that obeys no configuration but the repository's own.
pub(crate) fn git_command(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .kill_on_drop(true);
    command
}

pub(crate) async fn run_git(
    command: &mut Command,
    dir: &Path,
    args: &[&str],
    input: &[u8],
) -> Result<GitOutput, ForgeError> {
    let io = |source| ForgeError::Io {
        what: "run git in",
        path: dir.to_owned(),
        source,
    };
    let mut child = command
        .args(args)
        .stdin(if input.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(io)?;
    let stdin = child.stdin.take();
    let write_input = async {
        if let Some(mut stdin) = stdin {
            // Git may stop reading early; its exit status tells.
            let _ = stdin.write_all(input).await;
        }
    };
    let ((), output) = tokio::join!(write_input, child.wait_with_output());
    let output = output.map_err(io)?;
    Ok(GitOutput {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

fn parse_commits(bytes: &[u8]) -> Vec<Commit> {
    let fields: Vec<String> = bytes
        .split(|b| *b == 0)
        .map(|field| String::from_utf8_lossy(field).into_owned())
        .collect();
    fields
        .chunks_exact(COMMIT_FIELDS)
        .filter_map(|fields| {
            let [sha, tree, parents, an, ae, ad, cn, ce, cd, message] = fields else {
                return None;
            };
            let signature = |name: &String, email: &String, date: &String| Signature {
                name: name.clone(),
                email: email.clone(),
                date: date.clone(),
            };
            Some(Commit {
                sha: Sha::new(sha)?,
                tree: tree.clone(),
                parents: parents.split_whitespace().filter_map(Sha::new).collect(),
                author: signature(an, ae, ad),
                committer: signature(cn, ce, cd),
                message: message.trim_end_matches('\n').to_owned(),
            })
        })
        .collect()
}

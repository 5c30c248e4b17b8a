//! Pushes, never forced, and settles what a lost answer leaves in doubt (§6.4).

use crate::Worktrees;
use crate::credential::RemoteOrigin;
use crate::fetch::{branch_ref, remote_error};
use crate::git_command::{GitCommand, GitOutput, command_error};
use collie_core::ids::{Login, Sha};
use collie_core::own_accounts::{AccountProblem, AccountTrouble};
use collie_engine::ports::{
    CleanWorktree, GitError, GitRemote, PullRef, PushOutcome, WorktreePurpose,
};
use secrecy::SecretString;

/// How often a push is tried while the remote moves under it.
const MAX_ATTEMPTS: usize = 3;

/// Signs that the remote was busy, not unwilling.
const BUSY_ERRORS: &[&str] = &[
    "cannot lock ref",
    "failed to update ref",
    "unable to create",
    "reference already exists",
];
/// Signs that the account may not push here.
const FORBIDDEN_ERRORS: &[&str] = &[
    "error: 401",
    "error: 403",
    "Permission to",
    "Write access",
    "Authentication failed",
    "could not read Username",
    "read-only",
    "shallow update not allowed",
];

impl Worktrees {
    /// See the port.
    pub(crate) async fn push_commit(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        (commit, from): (&Sha, &Sha),
        by: Option<&Login>,
    ) -> Result<PushOutcome, GitError> {
        let clone_dir = self.clone_path(&pull.id);
        let name = branch_ref(&remote.branch)?;
        if remote.deleted_fork.is_some() {
            let message = "the repository of the head branch is deleted".into();
            return Err(GitError::PushRefused { message });
        }
        let mut last = None;
        for _ in 0..MAX_ATTEMPTS {
            match self.read_remote_head(remote).await? {
                None => {
                    return Err(GitError::HeadMismatch {
                        branch: remote.branch.clone(),
                        found: None,
                    });
                }
                Some(head) if head == *commit => return Ok(PushOutcome::Done),
                Some(head) if head == *from => {}
                Some(_) => return self.settle_moved_branch(pull, remote, commit).await,
            }
            if let Some(error) = last.take() {
                // The remote is still where it was: the push did not arrive.
                return Err(error);
            }
            if !self.is_ancestor(&clone_dir, from, commit).await? {
                return Err(not_on_top(commit, from));
            }
            let git_command = push_command(remote, &format!("{commit}:{name}"));
            let mut git_command = git_command.in_clone(&clone_dir);
            if let Some(login) = by {
                git_command = git_command.signed_in_by(self.account_token(remote, login).await?);
            }
            last = match self.git.run_unchecked(git_command).await {
                Ok(GitOutput { exit_code: 0, .. }) => return Ok(PushOutcome::Done),
                Ok(answer) => Some(match by {
                    Some(login) if is_unaccepted(&answer) => {
                        account_error(login, AccountProblem::Refused)
                    }
                    _ => push_error(&answer),
                }),
                Err(error @ GitError::Unreachable { .. }) => Some(error),
                Err(error) => return Err(error),
            };
        }
        Err(last.unwrap_or_else(|| GitError::Unreachable {
            message: "the branch moves all the time".into(),
        }))
    }

    /// The token that a push as an account of its own signs in with: of the host that is pushed to.
    async fn account_token(
        &self,
        remote: &GitRemote,
        login: &Login,
    ) -> Result<SecretString, GitError> {
        let origin = RemoteOrigin::of(&remote.head_url);
        let host = origin.map(|origin| origin.host).unwrap_or_default();
        let accounts = &self.git.options().accounts;
        match accounts.token(&host, login).await {
            Ok(found) => Ok(found.token),
            Err(problem) => Err(account_error(login, problem)),
        }
    }

    /// The branch is elsewhere: with our commit in it, or not.
    async fn settle_moved_branch(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
    ) -> Result<PushOutcome, GitError> {
        let clone_dir = self.clone_path(&pull.id);
        let lock = self.clone_lock(&clone_dir);
        let mut intact = lock.lock().await;
        self.open_clone(&clone_dir, &mut intact).await?;
        let found = self.fetch_branch(&clone_dir, pull, remote).await?;
        *intact = true;
        match found {
            Some(head) if self.is_ancestor(&clone_dir, commit, &head).await? => {
                Ok(PushOutcome::Done)
            }
            Some(head) => Ok(PushOutcome::Moved { head }),
            None => Err(GitError::HeadMismatch {
                branch: remote.branch.clone(),
                found: None,
            }),
        }
    }

    /// See the port.
    pub(crate) async fn rebase_commit(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        let worktree = self
            .prepare_worktree(pull, remote, onto, base, WorktreePurpose::Fix)
            .await?;
        let worktree_paths = self.prepared_worktree_paths(&worktree)?;
        let git_command = worktree_paths.command([
            "cherry-pick",
            "--no-commit",
            "--allow-empty",
            commit.as_str(),
        ]);
        let output = self.git.run_unchecked(git_command).await?;
        if output.exit_code == 0 {
            return Ok(worktree);
        }
        self.check_out(&worktree_paths, onto).await?;
        // One is for conflicts; anything else is for git's own trouble, such as a commit that is not there.
        match output.exit_code {
            1 => Err(GitError::Diverged),
            _ => Err(command_error("cherry-pick", "the worktree", &output.stderr)),
        }
    }
}

fn not_on_top(commit: &Sha, from: &Sha) -> GitError {
    GitError::Failed {
        command: "push".into(),
        location: "the clone".into(),
        message: format!(
            "{} is not in the clone on top of {}",
            commit.short(),
            from.short()
        ),
    }
}

fn account_error(login: &Login, problem: AccountProblem) -> GitError {
    GitError::Account {
        trouble: AccountTrouble {
            login: login.clone(),
            problem,
        },
    }
}

/// Whether the remote does not accept the token itself; what that may not do is another matter.
fn is_unaccepted(output: &GitOutput) -> bool {
    let signs = [
        "error: 401",
        "Authentication failed",
        "could not read Username",
    ];
    signs.iter().any(|sign| output.stderr.contains(sign))
}

/// Pushes one refspec and nothing with it: no tags, no submodules, no hooks.
fn push_command(remote: &GitRemote, refspec: &str) -> GitCommand {
    let git_command = GitCommand::new([
        "push",
        "--porcelain",
        "--quiet",
        "--no-verify",
        "--no-follow-tags",
        "--no-signed",
        "--recurse-submodules=no",
        "--end-of-options",
        &remote.head_url,
    ]);
    git_command.arg(refspec).with_remote(&remote.head_url)
}

/// Why a push failed: refused by policy, or not arrived.
fn push_error(output: &GitOutput) -> GitError {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = &output.stderr;
    let has = |signs: &[&str]| {
        signs
            .iter()
            .any(|sign| stderr.contains(sign) || stdout.contains(sign))
    };
    if stdout.contains("[remote rejected]") && has(BUSY_ERRORS) {
        return GitError::Unreachable {
            message: stderr.clone(),
        };
    }
    if stdout.contains("[remote rejected]") || has(FORBIDDEN_ERRORS) {
        return GitError::PushRefused {
            message: rejection_message(&stdout, stderr),
        };
    }
    match remote_error("push", stderr) {
        // A push that was overtaken is told by the remote head; when that is where it was, trying again helps.
        GitError::Failed { .. } if stdout.contains("[rejected]") => GitError::Unreachable {
            message: stderr.clone(),
        },
        error => error,
    }
}

/// The remote's own words: its `remote:` lines and the reason in the status line.
fn rejection_message(stdout: &str, stderr: &str) -> String {
    let reason = stdout
        .lines()
        .filter_map(|line| line.strip_prefix("!\t"))
        .filter_map(|line| line.rsplit('\t').next())
        .map(|line| {
            line.trim_start_matches("[remote rejected]")
                .trim()
                .trim_matches(['(', ')'])
                .to_string()
        });
    let remote_lines = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("remote:"))
        .map(|line| line.trim().to_string());
    let lines: Vec<String> = remote_lines
        .chain(reason)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        stderr.to_string()
    } else {
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stdout: &str, stderr: &str) -> GitError {
        push_error(&GitOutput {
            exit_code: 1,
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.into(),
        })
    }

    #[test]
    fn a_refusal_by_policy_has_the_remotes_words() {
        let status =
            "!\tabc:refs/heads/x\t[remote rejected] (protected branch hook declined)\nDone\n";
        let words = "remote: error: GH006: Protected branch update failed.        \nremote: \nerror: failed to push some refs";
        let GitError::PushRefused { message } = check(status, words) else {
            panic!("not refused")
        };
        assert_eq!(
            message,
            "error: GH006: Protected branch update failed.\nprotected branch hook declined"
        );
        let forbidden = "remote: Permission to a/b.git denied to c.\nfatal: unable to access 'x': The requested URL returned error: 403";
        assert!(matches!(check("", forbidden), GitError::PushRefused { .. }));
    }

    #[test]
    fn what_may_go_better_next_time_is_no_refusal() {
        for (status, words) in [
            (
                "!\ta:b\t[remote rejected] (cannot lock ref 'refs/heads/x')\n",
                "",
            ),
            (
                "!\ta:b\t[rejected] (fetch first)\n",
                "error: failed to push some refs",
            ),
            ("", "fatal: the remote end hung up unexpectedly"),
            ("", "error: RPC failed; HTTP 502"),
        ] {
            assert!(
                matches!(check(status, words), GitError::Unreachable { .. }),
                "{status}{words}"
            );
        }
    }
}

//! Pushes, never forced, and settles what a lost answer leaves in doubt (§6.4).

use crate::GitPlace;
use crate::call::{Answer, Call, failure};
use crate::fetch::{head_ref, remote_error};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError, PullRef, Purpose, PushOutcome, Remote};

/// How often a push is tried while the remote moves under it.
const TRIES: usize = 3;

/// Signs that the remote was busy, not unwilling.
const BUSY: &[&str] = &[
    "cannot lock ref",
    "failed to update ref",
    "unable to create",
    "reference already exists",
];
/// Signs that the account may not push here.
const FORBIDDEN: &[&str] = &[
    "error: 401",
    "error: 403",
    "Permission to",
    "Write access",
    "Authentication failed",
    "could not read Username",
    "read-only",
    "shallow update not allowed",
];

impl GitPlace {
    /// See the port.
    pub(crate) async fn send(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        from: &Sha,
    ) -> Result<PushOutcome, GitError> {
        let clone = self.clone_of(&pull.id);
        let name = head_ref(&remote.branch)?;
        let mut last = None;
        for _ in 0..TRIES {
            match self.ask_head(remote).await? {
                None => {
                    return Err(GitError::HeadMismatch {
                        branch: remote.branch.clone(),
                        found: None,
                    });
                }
                Some(head) if head == *commit => return Ok(PushOutcome::Done),
                Some(head) if head == *from => {}
                Some(_) => return self.moved(pull, remote, commit).await,
            }
            if let Some(error) = last.take() {
                // The remote is still where it was: the push did not arrive.
                return Err(error);
            }
            if !self.is_ancestor(&clone, from, commit).await? {
                let message = format!(
                    "{} is not in the clone on top of {}",
                    commit.short(),
                    from.short()
                );
                return Err(GitError::Failed {
                    command: "push".into(),
                    place: "the clone".into(),
                    message,
                });
            }
            let call = Call::new([
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
            let call = call
                .arg(format!("{commit}:{name}"))
                .in_clone(&clone)
                .remote(&remote.head_url);
            last = match self.caller.ask(call).await {
                Ok(Answer { code: 0, .. }) => return Ok(PushOutcome::Done),
                Ok(answer) => Some(push_error(&answer)),
                Err(error @ GitError::Unreachable { .. }) => Some(error),
                Err(error) => return Err(error),
            };
        }
        Err(last.unwrap_or_else(|| GitError::Unreachable {
            message: "the branch moves all the time".into(),
        }))
    }

    /// The branch is elsewhere: with our commit in it, or not.
    async fn moved(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
    ) -> Result<PushOutcome, GitError> {
        let clone = self.clone_of(&pull.id);
        let lock = self.lock_of(&clone);
        let mut sound = lock.lock().await;
        self.open_clone(&clone, &mut sound).await?;
        let found = self.fetch_branch(&clone, pull, remote).await?;
        *sound = true;
        match found {
            Some(head) if self.is_ancestor(&clone, commit, &head).await? => Ok(PushOutcome::Done),
            Some(head) => Ok(PushOutcome::Moved { head }),
            None => Err(GitError::HeadMismatch {
                branch: remote.branch.clone(),
                found: None,
            }),
        }
    }

    /// See the port.
    pub(crate) async fn lay_on_top(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        onto: &Sha,
        base: &Sha,
    ) -> Result<CleanWorktree, GitError> {
        let worktree = self
            .make_ready(pull, remote, onto, base, Purpose::Fix)
            .await?;
        let spot = self.spot_of(&worktree)?;
        let call = spot.call([
            "cherry-pick",
            "--no-commit",
            "--allow-empty",
            commit.as_str(),
        ]);
        let answer = self.caller.ask(call).await?;
        if answer.code == 0 {
            return Ok(worktree);
        }
        self.check_out(&spot, onto).await?;
        // One is for conflicts; anything else is for git's own trouble, such as a commit that is not there.
        match answer.code {
            1 => Err(GitError::Diverged),
            _ => Err(failure("cherry-pick", "the worktree", &answer.words)),
        }
    }
}

/// Why a push failed: refused by policy, or not arrived.
fn push_error(answer: &Answer) -> GitError {
    let status = String::from_utf8_lossy(&answer.out);
    let words = &answer.words;
    let has = |signs: &[&str]| {
        signs
            .iter()
            .any(|sign| words.contains(sign) || status.contains(sign))
    };
    if status.contains("[remote rejected]") && has(BUSY) {
        return GitError::Unreachable {
            message: words.clone(),
        };
    }
    if status.contains("[remote rejected]") || has(FORBIDDEN) {
        return GitError::PushRefused {
            message: policy_words(&status, words),
        };
    }
    match remote_error("push", words) {
        // A push that was overtaken is told by the remote head; when that is where it was, trying again helps.
        GitError::Failed { .. } if status.contains("[rejected]") => GitError::Unreachable {
            message: words.clone(),
        },
        error => error,
    }
}

/// The remote's own words: its `remote:` lines and the reason in the status line.
fn policy_words(status: &str, words: &str) -> String {
    let reason = status
        .lines()
        .filter_map(|line| line.strip_prefix("!\t"))
        .filter_map(|line| line.rsplit('\t').next())
        .map(|line| {
            line.trim_start_matches("[remote rejected]")
                .trim()
                .trim_matches(['(', ')'])
                .to_string()
        });
    let said = words
        .lines()
        .filter_map(|line| line.strip_prefix("remote:"))
        .map(|line| line.trim().to_string());
    let all: Vec<String> = said.chain(reason).filter(|line| !line.is_empty()).collect();
    if all.is_empty() {
        words.to_string()
    } else {
        all.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: &str, words: &str) -> GitError {
        push_error(&Answer {
            code: 1,
            out: status.as_bytes().to_vec(),
            words: words.into(),
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

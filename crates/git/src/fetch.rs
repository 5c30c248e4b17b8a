//! Talks to remotes: fetching, and asking where a branch is.

use crate::Worktrees;
use crate::fetch_command::{FETCH, without_blobs};
use crate::git_command::{GitCommand, GitOutput, command_error};
use crate::layout::remove_crash_leftovers;
use crate::object_reader::parse_sha;
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::{GitError, GitRemote, PullRef};
use std::path::Path;

/// Signs that trying again does not help.
const PERMANENT_ERRORS: &[&str] = &[
    "error: 401",
    "error: 403",
    "error: 404",
    "error: 410",
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "not found",
    "does not appear to be a git repository",
    "not allowed",
    "not our ref",
    "Permission to",
    "couldn't find remote ref",
    "access denied",
    "unadvertised object",
];
/// Signs that the connection, not the request, was at fault.
const TRANSIENT_ERRORS: &[&str] = &[
    "Could not resolve host",
    "Failed to connect",
    "Couldn't connect",
    "Connection refused",
    "Connection reset",
    "onnection timed out",
    "Operation timed out",
    "early EOF",
    "hung up",
    "RPC failed",
    "unexpected disconnect",
    "unable to access",
    "Empty reply",
    "transfer closed",
    "returned error: 5",
    "returned error: 429",
    "index-pack failed",
    "invalid index-pack output",
    "expected flush",
    "bad line length",
    "Recv failure",
    "unexpectedly closed",
];

/// A URL as it may be shown: what stands before an `@` in its host could be a password.
fn without_credentials(url: &str) -> String {
    let url = url.escape_debug().to_string();
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            format!("{}://…{}", &url[..scheme], &url[at..])
        }
        _ => url,
    }
}

/// The name of a head branch's ref.
pub(crate) fn branch_ref(branch: &str) -> Result<String, GitError> {
    let bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    let bad = branch.starts_with('-')
        || branch.ends_with('.')
        || branch.split('/').any(bad_part)
        || branch.contains("..")
        || branch.contains("@{")
        || branch
            .chars()
            .any(|c| c.is_control() || " ~^:?*[\\".contains(c));
    if bad {
        return Err(GitError::InvalidRemote {
            value: branch.escape_debug().to_string(),
        });
    }
    Ok(format!("refs/heads/{branch}"))
}

/// The ref that has the head.
fn head_ref(remote: &GitRemote) -> Result<String, GitError> {
    match remote.deleted_fork {
        Some(number) => Ok(format!("refs/pull/{number}/head")),
        None => branch_ref(&remote.branch),
    }
}

/// Where the clone keeps what belongs to a pull request.
pub(crate) fn internal_ref(id: &LoopId, name: &str) -> String {
    format!("refs/collie/pr/{}/{name}", id.number)
}

/// What brings a commit of the base into the clone.
fn base_refspec(pull: &PullRef, commit: &Sha) -> String {
    format!("+{commit}:{}", internal_ref(&pull.id, "base"))
}

/// Tells a remote that cannot be reached from one that refuses.
pub(crate) fn remote_error(command: &str, stderr: &str) -> GitError {
    let has = |signs: &[&str]| signs.iter().any(|sign| stderr.contains(sign));
    match command_error(command, "the remote", stderr) {
        GitError::Failed { .. } if !has(PERMANENT_ERRORS) && has(TRANSIENT_ERRORS) => {
            GitError::Unreachable {
                message: stderr.into(),
            }
        }
        error => error,
    }
}

impl Worktrees {
    /// Refuses URLs that carry credentials, and kinds of remotes that are not allowed.
    fn check_url(&self, url: &str) -> Result<(), GitError> {
        let local = self.git.options().allow_file_remotes && url.starts_with("file://");
        let web = url
            .strip_prefix("https://")
            .or_else(|| url.strip_prefix("http://"));
        let clean = |rest: &str| {
            !rest
                .split(['/', '?', '#'])
                .next()
                .unwrap_or_default()
                .contains('@')
        };
        let fits = !url.chars().any(char::is_control) && (local || web.is_some_and(clean));
        if fits {
            return Ok(());
        }
        Err(GitError::InvalidRemote {
            value: without_credentials(url),
        })
    }

    /// Opens the clone for writing; its lock is held. What a killed call left is removed.
    pub(crate) async fn open_clone(
        &self,
        clone_dir: &Path,
        intact: &mut bool,
    ) -> Result<(), GitError> {
        self.ensure_clone(clone_dir).await?;
        if !std::mem::replace(intact, false) {
            remove_crash_leftovers(clone_dir);
        }
        Ok(())
    }

    /// Fetches refs into the clone; its lock is held. False when a branch is not there.
    async fn fetch(&self, clone_dir: &Path, url: &str, refs: &[String]) -> Result<bool, GitError> {
        let fetch = match self.git.options().partial_clone {
            true => without_blobs(FETCH.iter().copied(), url),
            false => GitCommand::new(FETCH).arg("--end-of-options").arg(url),
        };
        self.run_fetch(clone_dir, url, fetch, refs).await
    }

    /// Fetches commits with all that belongs to them, whatever the clone has.
    pub(crate) async fn fetch_everything(
        &self,
        clone_dir: &Path,
        url: &str,
        commits: &[&Sha],
    ) -> Result<(), GitError> {
        let wanted: Vec<String> = commits.iter().map(ToString::to_string).collect();
        let fetch = GitCommand::new(FETCH).arg("--refetch");
        let fetch = fetch.arg("--end-of-options").arg(url);
        self.run_fetch(clone_dir, url, fetch, &wanted).await?;
        Ok(())
    }

    /// Makes a call that fetches. False when a branch is not there.
    pub(crate) async fn run_fetch(
        &self,
        clone_dir: &Path,
        url: &str,
        mut fetch: GitCommand,
        wanted: &[String],
    ) -> Result<bool, GitError> {
        self.check_url(url)?;
        for name in wanted {
            fetch = fetch.arg(name);
        }
        let fetch = fetch.in_clone(clone_dir).with_remote(url);
        match self.git.run_unchecked(fetch).await? {
            GitOutput { exit_code: 0, .. } => Ok(true),
            GitOutput { stderr: words, .. } if words.contains("couldn't find remote ref") => {
                Ok(false)
            }
            GitOutput { stderr: words, .. } => Err(remote_error("fetch", &words)),
        }
    }

    /// Fetches the head branch; what it is at, none when it is not there.
    pub(crate) async fn fetch_branch(
        &self,
        clone_dir: &Path,
        pull: &PullRef,
        remote: &GitRemote,
    ) -> Result<Option<Sha>, GitError> {
        let name = internal_ref(&pull.id, "head");
        let wanted = format!("+{}:{name}", head_ref(remote)?);
        if !self.fetch(clone_dir, &remote.head_url, &[wanted]).await? {
            return Ok(None);
        }
        self.resolve_revision(clone_dir, &name).await
    }

    /// Fetches the head branch and, where the same repository has it and the clone does not, the base in the same call; what the branch is
    /// at, none when it is not there.
    pub(crate) async fn fetch_pull(
        &self,
        clone_dir: &Path,
        pull: &PullRef,
        remote: &GitRemote,
        base: &Sha,
    ) -> Result<Option<Sha>, GitError> {
        let is_one_repository = remote.head_url == remote.url;
        if !is_one_repository || self.has_commit(clone_dir, base).await? {
            return self.fetch_branch(clone_dir, pull, remote).await;
        }
        let head = internal_ref(&pull.id, "head");
        let wanted = [
            format!("+{}:{head}", head_ref(remote)?),
            base_refspec(pull, base),
        ];
        match self.fetch(clone_dir, &remote.url, &wanted).await {
            Ok(true) => self.resolve_revision(clone_dir, &head).await,
            // The branch may not be there, or the remote may give no commit by its id.
            Ok(false) | Err(GitError::Failed { .. }) => {
                self.fetch_branch(clone_dir, pull, remote).await
            }
            Err(error) => Err(error),
        }
    }

    /// Fetches a commit of the base repository when the clone does not have it.
    pub(crate) async fn fetch_commit(
        &self,
        clone_dir: &Path,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
    ) -> Result<(), GitError> {
        if self.has_commit(clone_dir, commit).await? {
            return Ok(());
        }
        let wanted = base_refspec(pull, commit);
        if self.fetch(clone_dir, &remote.url, &[wanted]).await?
            && self.has_commit(clone_dir, commit).await?
        {
            return Ok(());
        }
        let message = format!("the commit {} is not there", commit.short());
        Err(GitError::Failed {
            command: "fetch".into(),
            location: "the remote".into(),
            message,
        })
    }

    /// Asks the remote what the head branch is at; none when it is not there.
    pub(crate) async fn read_remote_head(
        &self,
        remote: &GitRemote,
    ) -> Result<Option<Sha>, GitError> {
        self.check_url(&remote.head_url)?;
        let name = head_ref(remote)?;
        let git_command = GitCommand::new([
            "ls-remote",
            "--quiet",
            "--end-of-options",
            &remote.head_url,
            &name,
        ])
        .with_remote(&remote.head_url);
        let output = self.git.run_unchecked(git_command).await?;
        if output.exit_code != 0 {
            return Err(remote_error("ls-remote", &output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        // The name is matched at its end, so others may come along.
        let line = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .find(|(_, found)| *found == name);
        line.map(|(sha, _)| parse_sha("ls-remote", sha)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_that_could_mean_something_else_are_refused() {
        for good in ["main", "fix/a-b_c", "ü/x", "a@b", "x'y\"z", "$(id)"] {
            assert_eq!(branch_ref(good).unwrap(), format!("refs/heads/{good}"));
        }
        for bad in [
            "", "-x", "a:b", "+a b", "a..b", "a@{1}", "a/.b", "a.lock", "a*", "a\nb", "/a", "a//b",
            "a\\b",
        ] {
            assert!(branch_ref(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cut_connection_is_distinguished_from_a_refusal() {
        let refused = |words| matches!(remote_error("fetch", words), GitError::Failed { .. });
        for words in [
            "fatal: unable to access 'x': Could not resolve host: x",
            "fatal: the remote end hung up unexpectedly",
            "fatal: unable to access 'x': The requested URL returned error: 502",
        ] {
            assert!(!refused(words), "{words}");
        }
        for words in [
            "fatal: repository 'https://x/y' not found",
            "fatal: unable to access 'x': The requested URL returned error: 403",
            "fatal: could not read Username for 'https://x': terminal prompts disabled",
        ] {
            assert!(refused(words), "{words}");
        }
    }
}

//! Talks to remotes: fetching, and asking where a branch is.

use crate::GitPlace;
use crate::call::{Answer, Call, failure};
use crate::objects::sha_of;
use crate::place::heal_clone;
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::{GitError, PullRef, Remote};
use std::path::Path;

/// Signs that trying again does not help.
const FOR_GOOD: &[&str] = &[
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
const FOR_NOW: &[&str] = &[
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

/// The name of a head branch's ref.
pub(crate) fn head_ref(branch: &str) -> Result<String, GitError> {
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
        let what = "the head branch's name is none that git allows".into();
        return Err(GitError::Io {
            what,
            message: format!("`{}`", branch.escape_debug()),
        });
    }
    Ok(format!("refs/heads/{branch}"))
}

/// Where the clone keeps what belongs to a pull request.
pub(crate) fn own_ref(id: &LoopId, name: &str) -> String {
    format!("refs/collie/pr/{}/{name}", id.number)
}

/// Tells a remote that cannot be reached from one that refuses.
pub(crate) fn remote_error(command: &str, words: &str) -> GitError {
    let has = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    match failure(command, "the remote", words) {
        GitError::Failed { .. } if !has(FOR_GOOD) && has(FOR_NOW) => GitError::Unreachable {
            message: words.into(),
        },
        error => error,
    }
}

impl GitPlace {
    /// Refuses URLs that carry credentials, and kinds of remotes that are not allowed.
    fn check_url(&self, url: &str) -> Result<(), GitError> {
        let local = self.caller.options().local_remotes && url.starts_with("file://");
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
        let what = "the git URL is not used".into();
        Err(GitError::Io {
            what,
            message: "expected https://HOST/… without credentials in it".into(),
        })
    }

    /// Opens the clone for writing; its lock is held. What a killed call left is removed.
    pub(crate) async fn open_clone(&self, clone: &Path, sound: &mut bool) -> Result<(), GitError> {
        self.ensure_clone(clone).await?;
        if !std::mem::replace(sound, false) {
            heal_clone(clone);
        }
        Ok(())
    }

    /// Fetches refs into the clone; its lock is held. False when a branch is not there.
    async fn fetch(&self, clone: &Path, url: &str, refs: &[String]) -> Result<bool, GitError> {
        self.check_url(url)?;
        let mut call = Call::new([
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            "--update-shallow",
            "--end-of-options",
            url,
        ]);
        for name in refs {
            call = call.arg(name);
        }
        let answer = self.caller.ask(call.in_clone(clone).remote(url)).await?;
        match answer {
            Answer { code: 0, .. } => Ok(true),
            Answer { words, .. } if words.contains("couldn't find remote ref") => Ok(false),
            Answer { words, .. } => Err(remote_error("fetch", &words)),
        }
    }

    /// Fetches the head branch; what it is at, none when it is not there.
    pub(crate) async fn fetch_branch(
        &self,
        clone: &Path,
        pull: &PullRef,
        remote: &Remote,
    ) -> Result<Option<Sha>, GitError> {
        let name = own_ref(&pull.id, "head");
        let wanted = format!("+{}:{name}", head_ref(&remote.branch)?);
        if !self.fetch(clone, &remote.head_url, &[wanted]).await? {
            return Ok(None);
        }
        self.resolve_name(clone, &name).await
    }

    /// Fetches a commit of the base repository when the clone does not have it.
    pub(crate) async fn fetch_commit(
        &self,
        clone: &Path,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
    ) -> Result<(), GitError> {
        if self.has_commit(clone, commit).await? {
            return Ok(());
        }
        let wanted = format!("+{commit}:{}", own_ref(&pull.id, "base"));
        if self.fetch(clone, &remote.url, &[wanted]).await?
            && self.has_commit(clone, commit).await?
        {
            return Ok(());
        }
        let message = format!("the commit {} is not there", commit.short());
        Err(GitError::Failed {
            command: "fetch".into(),
            place: "the remote".into(),
            message,
        })
    }

    /// Asks the remote what the head branch is at; none when it is not there.
    pub(crate) async fn ask_head(&self, remote: &Remote) -> Result<Option<Sha>, GitError> {
        self.check_url(&remote.head_url)?;
        let name = head_ref(&remote.branch)?;
        let call = Call::new([
            "ls-remote",
            "--quiet",
            "--end-of-options",
            &remote.head_url,
            &name,
        ])
        .remote(&remote.head_url);
        let answer = self.caller.ask(call).await?;
        if answer.code != 0 {
            return Err(remote_error("ls-remote", &answer.words));
        }
        let text = String::from_utf8_lossy(&answer.out);
        // The name is matched at its end, so others may come along.
        let line = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .find(|(_, found)| *found == name);
        line.map(|(sha, _)| sha_of("ls-remote", sha)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_that_could_mean_something_else_are_refused() {
        for good in ["main", "fix/a-b_c", "ü/x", "a@b", "x'y\"z", "$(id)"] {
            assert_eq!(head_ref(good).unwrap(), format!("refs/heads/{good}"));
        }
        for bad in [
            "", "-x", "a:b", "+a b", "a..b", "a@{1}", "a/.b", "a.lock", "a*", "a\nb", "/a", "a//b",
            "a\\b",
        ] {
            assert!(head_ref(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cut_connection_is_told_from_a_refusal() {
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

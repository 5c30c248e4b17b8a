//! Makes one commit of a vetted tree (§6.4).

use crate::commit_message::compose_commit_message;
use crate::fetch::internal_ref;
use crate::git_command::GitCommand;
use crate::object_reader::parse_sha;
use crate::plumbing_output::nul_fields;
use crate::{CommitIdentity, Worktrees};
use collie_core::ids::{Login, LoopId, Sha};
use collie_engine::ports::{CommitMessage, GitError, VettedChange};
use std::path::Path;

/// What the user's git configuration says of commits.
struct CommitSettings {
    identity: CommitIdentity,
    sign_commits: bool,
}

impl Worktrees {
    /// See the port. No hook runs, no index is looked at: the commit has the vetted tree, and the head as its parent; one that merges the
    /// base in has that as its second.
    pub(crate) async fn commit_change(
        &self,
        change: &VettedChange,
        message: &CommitMessage,
    ) -> Result<Sha, GitError> {
        let worktree_paths = self.prepared_worktree_paths(change.worktree())?;
        let settings = match &message.by {
            Some(account) => self.account_settings(account).await,
            None => self.commit_settings(&worktree_paths.clone_dir).await?,
        };
        let mut git_command = GitCommand::new([
            "commit-tree",
            change.tree().as_str(),
            "-p",
            change.worktree().head().as_str(),
        ]);
        if let Some(base) = change.merged() {
            git_command = git_command.arg("-p").arg(base.as_str());
        }
        if settings.sign_commits {
            git_command = git_command.arg("-S");
        }
        let CommitIdentity { name, email } = &settings.identity;
        let git_command = git_command
            .in_clone(&worktree_paths.clone_dir)
            .env("GIT_AUTHOR_NAME", name)
            .env("GIT_AUTHOR_EMAIL", email)
            .env("GIT_COMMITTER_NAME", name)
            .env("GIT_COMMITTER_EMAIL", email)
            .input(compose_commit_message(message, &self.git.known_secrets()).into_bytes());
        let git_command = if settings.sign_commits {
            git_command.with_user_config()
        } else {
            git_command
        };
        let output = self.git.run(git_command).await?;
        let commit = parse_sha("commit-tree", &output.stdout_line())?;
        // Reachable until the run ends, so that no repack or reset loses it before it is pushed.
        self.keep_commit(
            &worktree_paths.clone_dir,
            &change.worktree().pull().id,
            &commit,
        )
        .await?;
        Ok(commit)
    }

    /// Names a commit of Collie's, which is on no branch here.
    pub(crate) async fn keep_commit(
        &self,
        clone_dir: &Path,
        id: &LoopId,
        commit: &Sha,
    ) -> Result<(), GitError> {
        let name = internal_ref(id, &format!("own/{commit}"));
        let keep_ref = GitCommand::new(["update-ref", "--no-deref", &name, commit.as_str()]);
        self.git.run(keep_ref.in_clone(clone_dir)).await.map(drop)
    }

    /// An account of its own commits under the address that GitHub knows it by, unsigned: the user's key is the user's
    /// (<https://docs.github.com/en/account-and-profile/reference/email-addresses-reference#your-noreply-email-address>).
    async fn account_settings(&self, (host, login): &(String, Login)) -> CommitSettings {
        let known = self.git.options().accounts.known(host).await;
        let id = known.ok().and_then(|known| {
            let mut known = known.into_iter().filter(|own| own.active);
            Some(known.find(|own| own.login == *login)?.id)
        });
        let email = match id {
            Some(id) => format!("{}+{login}@users.noreply.{host}", id.0),
            // The push says that its token is missing.
            None => format!("{login}@users.noreply.{host}"),
        };
        CommitSettings {
            identity: CommitIdentity {
                name: login.to_string(),
                email,
            },
            sign_commits: false,
        }
    }

    /// Who commits: as set, else as the user's git is configured, else Collie under an address that is nobody's.
    async fn commit_settings(&self, clone_dir: &Path) -> Result<CommitSettings, GitError> {
        if let Some(identity) = self.identity.clone() {
            return Ok(CommitSettings {
                identity,
                sign_commits: false,
            });
        }
        let key_pattern = r"^(user\.(name|email)|commit\.gpgsign)$";
        let git_command =
            GitCommand::new(["config", "--includes", "-z", "--get-regexp", key_pattern])
                .in_clone(clone_dir)
                .with_user_config();
        let output = self.git.run_expecting(git_command, &[0, 1]).await?;
        let mut settings = CommitSettings {
            identity: CommitIdentity {
                name: String::new(),
                email: String::new(),
            },
            sign_commits: false,
        };
        for record in nul_fields(&output.stdout) {
            let record = String::from_utf8_lossy(record);
            // A key without a value means true.
            let (key, value) = record.split_once('\n').unwrap_or((record.as_ref(), "true"));
            match key {
                "user.name" => settings.identity.name = value.to_string(),
                "user.email" => settings.identity.email = value.to_string(),
                _ => {
                    settings.sign_commits = ["true", "yes", "on", "1"]
                        .iter()
                        .any(|yes| value.eq_ignore_ascii_case(yes))
                }
            }
        }
        if settings.identity.name.trim().is_empty() || settings.identity.email.trim().is_empty() {
            settings.identity = CommitIdentity {
                name: "Collie".into(),
                email: "collie@noreply.invalid".into(),
            };
        }
        Ok(settings)
    }
}

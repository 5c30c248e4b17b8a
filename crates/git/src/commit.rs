//! Makes one commit of a vetted tree (§6.4).

use crate::call::Call;
use crate::fetch::own_ref;
use crate::message::compose;
use crate::objects::sha_of;
use crate::raw::fields;
use crate::{CommitIdentity, GitPlace};
use collie_core::ids::Sha;
use collie_engine::ports::{CommitMessage, GitError, VettedChange};
use std::path::Path;

/// What the user's git configuration says of commits.
struct Author {
    identity: CommitIdentity,
    sign: bool,
}

impl GitPlace {
    /// See the port. No hook runs, no index is looked at: the commit has the vetted tree and the head as its parent.
    pub(crate) async fn make_commit(
        &self,
        change: &VettedChange,
        message: &CommitMessage,
    ) -> Result<Sha, GitError> {
        let spot = self.spot_of(&change.worktree)?;
        let author = self.author(&spot.clone).await?;
        let mut call = Call::new([
            "commit-tree",
            change.tree.as_str(),
            "-p",
            change.worktree.head.as_str(),
        ]);
        if author.sign {
            call = call.arg("-S");
        }
        let CommitIdentity { name, email } = &author.identity;
        let call = call
            .in_clone(&spot.clone)
            .env("GIT_AUTHOR_NAME", name)
            .env("GIT_AUTHOR_EMAIL", email)
            .env("GIT_COMMITTER_NAME", name)
            .env("GIT_COMMITTER_EMAIL", email)
            .input(compose(message).into_bytes());
        let call = if author.sign { call.for_user() } else { call };
        let answer = self.caller.run(call).await?;
        let commit = sha_of("commit-tree", &answer.line())?;
        // Reachable until the run ends, so that no repack or reset loses it before it is pushed.
        let name = own_ref(&change.worktree.pull.id, &format!("own/{commit}"));
        let keep =
            Call::new(["update-ref", "--no-deref", &name, commit.as_str()]).in_clone(&spot.clone);
        self.caller.run(keep).await?;
        Ok(commit)
    }

    /// Who commits: as set, else as the user's git is configured, else Collie under an address that is nobody's.
    async fn author(&self, clone: &Path) -> Result<Author, GitError> {
        if let Some(identity) = self.identity.clone() {
            return Ok(Author {
                identity,
                sign: false,
            });
        }
        let wanted = r"^(user\.(name|email)|commit\.gpgsign)$";
        let call = Call::new(["config", "--includes", "-z", "--get-regexp", wanted])
            .in_clone(clone)
            .for_user();
        let answer = self.caller.run_for(call, &[0, 1]).await?;
        let mut author = Author {
            identity: CommitIdentity {
                name: String::new(),
                email: String::new(),
            },
            sign: false,
        };
        for record in fields(&answer.out) {
            let record = String::from_utf8_lossy(record);
            // A key without a value means true.
            let (key, value) = record.split_once('\n').unwrap_or((record.as_ref(), "true"));
            match key {
                "user.name" => author.identity.name = value.to_string(),
                "user.email" => author.identity.email = value.to_string(),
                _ => {
                    author.sign = ["true", "yes", "on", "1"]
                        .iter()
                        .any(|yes| value.eq_ignore_ascii_case(yes))
                }
            }
        }
        if author.identity.name.trim().is_empty() || author.identity.email.trim().is_empty() {
            author.identity = CommitIdentity {
                name: "Collie".into(),
                email: "collie@noreply.invalid".into(),
            };
        }
        Ok(author)
    }
}

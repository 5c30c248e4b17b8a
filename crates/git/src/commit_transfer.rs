//! Carries a commit that is on no remote yet from the clone of one machine to that of another.
//!
//! As a pack that needs nothing else: a bundle holds differences to files that a partial clone may not have.

use crate::Worktrees;
use crate::git_command::GitCommand;
use async_trait::async_trait;
use collie_core::ids::Sha;
use collie_engine::ports::{CommitTransfer, GitError, GitRemote, PullRef};

#[async_trait]
impl CommitTransfer for Worktrees {
    async fn export_commit(
        &self,
        pull: &PullRef,
        commit: &Sha,
        known: &[&Sha],
    ) -> Result<Vec<u8>, GitError> {
        let wanted = known.iter().fold(format!("{commit}\n"), |lines, known| {
            lines + &format!("^{known}\n")
        });
        let pack = GitCommand::new(["pack-objects", "--stdout", "--revs", "--quiet"]);
        let pack = pack.input(wanted.into_bytes());
        let packed = self
            .git
            .run(pack.in_clone(&self.clone_path(&pull.id)))
            .await?;
        Ok(packed.stdout)
    }

    async fn has_commit(&self, pull: &PullRef, commit: &Sha) -> Result<bool, GitError> {
        let clone_dir = self.clone_path(&pull.id);
        let lock = self.clone_lock(&clone_dir);
        let mut intact = lock.lock().await;
        self.open_clone(&clone_dir, &mut intact).await?;
        let has = Worktrees::has_commit(self, &clone_dir, commit).await;
        *intact = true;
        has
    }

    async fn import_commit(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        pack: Vec<u8>,
    ) -> Result<(), GitError> {
        let clone_dir = self.clone_path(&pull.id);
        let lock = self.clone_lock(&clone_dir);
        let mut intact = lock.lock().await;
        self.open_clone(&clone_dir, &mut intact).await?;
        // What it is made on.
        self.fetch_branch(&clone_dir, pull, remote).await?;
        let unpack = GitCommand::new(["unpack-objects", "-q"]).input(pack);
        self.git.run(unpack.in_clone(&clone_dir)).await?;
        self.keep_commit(&clone_dir, &pull.id, commit).await?;
        *intact = true;
        Ok(())
    }
}

//! The messages of a pull request's commits.

use crate::Worktrees;
use crate::git_command::{GitCommand, command_error};
use collie_engine::ports::{CleanWorktree, GitError};
use std::path::Path;

/// Of a longer message the beginning is kept.
const MAX_MESSAGE_BYTES: usize = 2_000;
/// More of all messages together is not read.
const MAX_BYTES: usize = 400_000;

impl Worktrees {
    /// See the port.
    pub(crate) async fn read_commit_messages(
        &self,
        clone_dir: &Path,
        worktree: &CleanWorktree,
        max: usize,
    ) -> Result<Vec<String>, GitError> {
        let log = GitCommand::new(["log", "-z", "--no-merges", "--format=%B", "--no-color"])
            .arg("--no-show-signature")
            .arg("--no-notes")
            .arg(format!("--max-count={max}"))
            .arg("--end-of-options")
            .arg(format!("{}..{}", worktree.merge_base(), worktree.head()))
            .arg("--");
        let mut bytes = Vec::new();
        let mut keep = |piece: &[u8]| {
            let room = MAX_BYTES.saturating_sub(bytes.len());
            bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        };
        let output = self.git.stream(log.in_clone(clone_dir), &mut keep).await?;
        if output.exit_code != 0 {
            return Err(command_error("log", "the clone", &output.stderr));
        }
        let messages = bytes.split(|byte| *byte == 0).map(|message| {
            let kept = &message[..message.len().min(MAX_MESSAGE_BYTES)];
            String::from_utf8_lossy(kept).trim().to_owned()
        });
        let mut messages: Vec<String> = messages.filter(|message| !message.is_empty()).collect();
        messages.reverse();
        Ok(messages)
    }
}

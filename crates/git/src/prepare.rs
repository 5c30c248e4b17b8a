//! Brings a worktree to a known head (§6.2).

use crate::Worktrees;
use crate::git_command::GitCommand;
use crate::io_error::io_error;
use crate::layout::{WorktreePaths, copy_index};
use crate::object_reader::{parse_sha, unexpected_output};
use crate::plumbing_output;
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError, GitRemote, PullRef, WorktreePurpose};
use collie_platform::{bytes_of, path_of};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path};

/// As many links as Linux follows in one path.
const MAX_LINKS_IN_A_PATH: usize = 40;

impl Worktrees {
    /// Fetches, cleans, checks out; see the port. The head is detached: pull requests may share a branch's name.
    pub(crate) async fn prepare_worktree(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        head: &Sha,
        base: &Sha,
        purpose: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        let worktree_paths = self.worktree_paths(&pull.id, purpose);
        let lock = self.clone_lock(&worktree_paths.clone_dir);
        let mut intact = lock.lock().await;
        let known = self.lazy.merge_base(&worktree_paths.clone_dir, head, base);
        if let Some(merge_base) = known {
            return self
                .unlaid_worktree(worktree_paths, head, merge_base, (pull, remote))
                .await;
        }
        self.open_clone(&worktree_paths.clone_dir, &mut intact)
            .await?;
        let commits = (head, base);
        let merge_base = self
            .fetch_verified(
                &worktree_paths.clone_dir,
                (pull, remote),
                commits,
                &mut intact,
            )
            .await?;
        if self.git.options().lazy_checkout {
            *intact = true;
            self.lazy
                .remember(&worktree_paths.clone_dir, commits, &merge_base);
            return self
                .unlaid_worktree(worktree_paths, head, merge_base, (pull, remote))
                .await;
        }
        let fits = self.check_checkout_size(&worktree_paths.clone_dir, head);
        if let Err(error) = fits.await {
            *intact = true;
            return Err(error);
        }
        self.check_out_or_rebuild(&worktree_paths, head).await?;
        *intact = true;
        let found = self.checked_out_head(&worktree_paths).await?;
        verified_worktree(worktree_paths, (head, found), merge_base, (pull, remote))
    }

    /// Fetches head and base with all files that a reading of them needs, and sees that the branch is at the head; gives where they parted.
    /// The clone is intact after what is no fault of a call.
    async fn fetch_verified(
        &self,
        clone_dir: &Path,
        (pull, remote): (&PullRef, &GitRemote),
        (head, base): (&Sha, &Sha),
        intact: &mut bool,
    ) -> Result<Sha, GitError> {
        let mut remote_head = self.fetch_pull(clone_dir, pull, remote, base).await?;
        if remote_head.as_ref() != Some(head) {
            remote_head = self.fetch_branch(clone_dir, pull, remote).await?;
        }
        if remote_head.as_ref() != Some(head) {
            *intact = true;
            return Err(GitError::HeadMismatch {
                branch: remote.branch.clone(),
                found: remote_head,
            });
        }
        self.fetch_commit(clone_dir, pull, remote, base).await?;
        let merge_base = self.merge_base(clone_dir, base, head).await?;
        let completed = self.complete_pull(clone_dir, remote, [head, base, &merge_base]);
        if let Err(error) = completed.await {
            *intact = matches!(error, GitError::CheckoutTooLarge { .. });
            return Err(error);
        }
        Ok(merge_base)
    }

    /// A worktree without its files: they are laid when somebody needs them on disk. What an earlier one left is removed.
    async fn unlaid_worktree(
        &self,
        worktree_paths: WorktreePaths,
        head: &Sha,
        merge_base: Sha,
        (pull, remote): (&PullRef, &GitRemote),
    ) -> Result<CleanWorktree, GitError> {
        self.discard_worktree(&worktree_paths)?;
        self.ensure_worktree(&worktree_paths, head)?;
        self.lazy.add_unlaid(&worktree_paths.work_dir);
        let commit = format!("{head}^{{commit}}");
        let found = self
            .resolve_revision(&worktree_paths.clone_dir, &commit)
            .await?;
        let found = found.ok_or(GitError::WorktreeGone)?;
        verified_worktree(worktree_paths, (head, found), merge_base, (pull, remote))
    }

    /// Lays the files of a worktree that was prepared without them; nothing is done where they lie there.
    pub(crate) async fn lay_files(
        &self,
        worktree_paths: &WorktreePaths,
        head: &Sha,
    ) -> Result<(), GitError> {
        if !self.lazy.is_unlaid(&worktree_paths.work_dir) {
            return Ok(());
        }
        let lock = self.clone_lock(&worktree_paths.clone_dir);
        let _held = lock.lock().await;
        self.check_checkout_size(&worktree_paths.clone_dir, head)
            .await?;
        self.check_out_or_rebuild(worktree_paths, head).await?;
        self.lazy.set_laid(&worktree_paths.work_dir);
        Ok(())
    }

    /// Fetches the files that a partial clone lacks of head, base and where they parted: each from the repository that has it.
    async fn complete_pull(
        &self,
        clone_dir: &Path,
        remote: &GitRemote,
        [head, base, merge_base]: [&Sha; 3],
    ) -> Result<(), GitError> {
        if remote.deleted_fork.is_some() || remote.head_url == remote.url {
            let all = [head, base, merge_base];
            return self.complete_commits(clone_dir, &remote.url, &all).await;
        }
        self.complete_commits(clone_dir, &remote.head_url, &[head])
            .await?;
        self.complete_commits(clone_dir, &remote.url, &[base, merge_base])
            .await
    }

    /// What git says that a worktree is at.
    async fn checked_out_head(&self, worktree_paths: &WorktreePaths) -> Result<Sha, GitError> {
        let git_command = worktree_paths.command(["rev-parse", "--verify", "HEAD^{commit}"]);
        let output = self.git.run(git_command).await?;
        parse_sha("rev-parse", &output.stdout_line())
    }

    /// Where head and base parted. Histories without a common commit (a shallow remote) are compared as they are.
    pub(crate) async fn merge_base(
        &self,
        clone_dir: &Path,
        base: &Sha,
        head: &Sha,
    ) -> Result<Sha, GitError> {
        let git_command =
            GitCommand::new(["merge-base", base.as_str(), head.as_str()]).in_clone(clone_dir);
        let output = self.git.run_expecting(git_command, &[0, 1]).await?;
        if output.exit_code == 0 {
            parse_sha("merge-base", &output.stdout_line())
        } else {
            Ok(base.clone())
        }
    }

    async fn check_out_or_rebuild(
        &self,
        worktree_paths: &WorktreePaths,
        head: &Sha,
    ) -> Result<(), GitError> {
        match self.check_out(worktree_paths, head).await {
            Ok(()) => Ok(()),
            Err(error) => {
                tracing::warn!(%error, "a worktree is made anew");
                self.discard_worktree(worktree_paths)?;
                self.check_out(worktree_paths, head).await
            }
        }
    }

    /// Resets and cleans the worktree, which is made when it is not there.
    pub(crate) async fn check_out(
        &self,
        worktree_paths: &WorktreePaths,
        head: &Sha,
    ) -> Result<(), GitError> {
        // It is cleaned of what was prepared in it.
        self.prepared.forget(&worktree_paths.work_dir);
        self.ensure_worktree(worktree_paths, head)?;
        self.git
            .run(worktree_paths.command(["reset", "--hard", "--quiet", head.as_str()]))
            .await?;
        self.git
            .run(worktree_paths.command(["clean", "-ffdxq"]))
            .await?;
        self.replace_escaping_links(worktree_paths, &worktree_paths.git_dir.join("index"))
            .await?;
        copy_index(
            &worktree_paths.git_dir.join("index"),
            &worktree_paths.trusted_index,
        )
        .map_err(io_error("the index could not be copied"))
    }

    /// Removes a worktree and all that git knows of it.
    pub(crate) fn discard_worktree(&self, worktree_paths: &WorktreePaths) -> Result<(), GitError> {
        self.discard(&worktree_paths.work_dir)?;
        self.discard(&worktree_paths.git_dir)?;
        self.discard(&worktree_paths.trusted_index)
    }

    /// Puts a plain file, with the target as its text, in the place of each link that leads out of the worktree or
    /// into `.git` (§9.2). Which paths are links, the index says.
    pub(crate) async fn replace_escaping_links(
        &self,
        worktree_paths: &WorktreePaths,
        index: &Path,
    ) -> Result<(), GitError> {
        let output = self
            .git
            .run(worktree_paths.command_with_index(["ls-files", "-z", "--stage"], index))
            .await?;
        let staged = plumbing_output::parse_staged(&output.stdout)
            .ok_or_else(|| unexpected_output("ls-files"))?;
        let links: Vec<&[u8]> = staged
            .iter()
            .filter(|(mode, _)| plumbing_output::is_link_mode(*mode))
            .map(|(_, path)| path.as_slice())
            .collect();
        // Links of links: first those whose own text leads out, then those that turn out to.
        for escapes in [target_text_escapes, resolved_target_escapes] {
            for link in &links {
                let path = worktree_paths.work_dir.join(path_of(link));
                let Ok(target) = fs::read_link(&path) else {
                    continue;
                };
                if escapes(&worktree_paths.work_dir, &path, &target) {
                    let what = "a link that leads out of the worktree could not be replaced";
                    fs::remove_file(&path).map_err(io_error(what))?;
                    fs::write(&path, bytes_of(target.as_os_str())).map_err(io_error(what))?;
                }
            }
        }
        Ok(())
    }
}

/// What the engine is given for a worktree that was `found` at the head.
fn verified_worktree(
    worktree_paths: WorktreePaths,
    (head, found): (&Sha, Sha),
    merge_base: Sha,
    (pull, remote): (&PullRef, &GitRemote),
) -> Result<CleanWorktree, GitError> {
    CleanWorktree::at_verified_head(
        (worktree_paths.work_dir, worktree_paths.clone_dir),
        (head, found),
        merge_base,
        pull,
        remote,
    )
}

fn target_text_escapes(work_dir: &Path, link: &Path, target: &Path) -> bool {
    let relative = link.strip_prefix(work_dir).unwrap_or(link);
    let mut depth = relative.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::Prefix(_) | Component::RootDir => return true,
            Component::CurDir => {}
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            Component::Normal(name) if name.eq_ignore_ascii_case(".git") => return true,
            Component::Normal(_) => depth += 1,
        }
    }
    false
}

/// Goes the way that the system would go, through other links. What is not there yet leads on by its name: somebody may make it later.
fn resolved_target_escapes(work_dir: &Path, link: &Path, _target: &Path) -> bool {
    let mut place = link.parent().unwrap_or(work_dir).to_path_buf();
    let mut ahead: Vec<OsString> = link.file_name().map(OsStr::to_owned).into_iter().collect();
    let mut links_followed = 0;
    while let Some(part) = ahead.pop() {
        if part == ".." {
            if place == work_dir {
                return true;
            }
            place.pop();
            continue;
        }
        place.push(&part);
        match fs::read_link(&place) {
            Ok(target) if target.is_absolute() => return true,
            // Links that lead to each other in a circle lead nowhere.
            Ok(_) if links_followed == MAX_LINKS_IN_A_PATH => return false,
            Ok(target) => {
                links_followed += 1;
                place.pop();
                ahead.extend(parts_backwards(&target));
            }
            Err(_) if part.eq_ignore_ascii_case(".git") => return true,
            Err(_) => {}
        }
    }
    false
}

fn parts_backwards(target: &Path) -> Vec<OsString> {
    let parts = target.components().rev();
    parts
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_judged_by_where_their_text_leads() {
        for (link, target, expect) in [
            ("a", "b", false),
            ("a/b", "../c", false),
            ("a/b", "../../c", true),
            ("a", "/etc/passwd", true),
            ("a", "x/../../y", true),
            ("a", ".git/config", true),
            ("a/b/c", "../.GIT", true),
            ("a", "./b/./c", false),
        ] {
            let tree = Path::new("/t");
            assert_eq!(
                target_text_escapes(tree, &tree.join(link), Path::new(target)),
                expect,
                "{link} -> {target}"
            );
        }
    }
}

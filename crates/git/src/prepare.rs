//! Brings a worktree to a known head (§6.2).

use crate::GitPlace;
use crate::call::Call;
use crate::objects::{odd, sha_of};
use crate::place::{Spot, copy_index, io_error};
use crate::raw;
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError, PullRef, Purpose, Remote};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

impl GitPlace {
    /// Fetches, cleans, checks out; see the port. The head is detached: pull requests may share a branch's name.
    pub(crate) async fn make_ready(
        &self,
        pull: &PullRef,
        remote: &Remote,
        head: &Sha,
        base: &Sha,
        purpose: Purpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        let spot = self.spot(&pull.id, purpose);
        let lock = self.lock_of(&spot.clone);
        let mut sound = lock.lock().await;
        self.open_clone(&spot.clone, &mut sound).await?;
        let mut found = self.fetch_branch(&spot.clone, pull, remote).await?;
        if found.as_ref() != Some(head) {
            found = self.fetch_branch(&spot.clone, pull, remote).await?;
        }
        if found.as_ref() != Some(head) {
            *sound = true;
            return Err(GitError::HeadMismatch {
                branch: remote.branch.clone(),
                found,
            });
        }
        self.fetch_commit(&spot.clone, pull, remote, base).await?;
        let merge_base = self.merge_base(&spot.clone, base, head).await?;
        self.check_out_or_rebuild(&spot, head).await?;
        *sound = true;
        Ok(CleanWorktree {
            path: spot.tree,
            head: head.clone(),
            merge_base,
            pull: pull.clone(),
            branch: remote.branch.clone(),
        })
    }

    /// Where head and base parted. Histories without a common commit (a shallow remote) are compared as they are.
    async fn merge_base(&self, clone: &Path, base: &Sha, head: &Sha) -> Result<Sha, GitError> {
        let call = Call::new(["merge-base", base.as_str(), head.as_str()]).in_clone(clone);
        let answer = self.caller.run_for(call, &[0, 1]).await?;
        if answer.code == 0 {
            sha_of("merge-base", &answer.line())
        } else {
            Ok(base.clone())
        }
    }

    async fn check_out_or_rebuild(&self, spot: &Spot, head: &Sha) -> Result<(), GitError> {
        match self.check_out(spot, head).await {
            Ok(()) => Ok(()),
            Err(error) => {
                tracing::warn!(%error, "a worktree is made anew");
                self.discard_spot(spot)?;
                self.check_out(spot, head).await
            }
        }
    }

    /// Resets and cleans the worktree, which is made when it is not there.
    pub(crate) async fn check_out(&self, spot: &Spot, head: &Sha) -> Result<(), GitError> {
        self.ensure_worktree(spot, head)?;
        self.caller
            .run(spot.call(["reset", "--hard", "--quiet", head.as_str()]))
            .await?;
        self.caller.run(spot.call(["clean", "-ffdxq"])).await?;
        self.disarm_links(spot, &spot.admin.join("index")).await?;
        copy_index(&spot.admin.join("index"), &spot.index)
            .map_err(io_error("the index could not be copied"))
    }

    /// Removes a worktree and all that git knows of it.
    pub(crate) fn discard_spot(&self, spot: &Spot) -> Result<(), GitError> {
        self.discard(&spot.tree)?;
        self.discard(&spot.admin)?;
        self.discard(&spot.index)
    }

    /// Puts a plain file, with the target as its text, in the place of each link that leads out of the worktree or
    /// into `.git` (§9.2). Which paths are links, the index says.
    pub(crate) async fn disarm_links(&self, spot: &Spot, index: &Path) -> Result<(), GitError> {
        let answer = self
            .caller
            .run(spot.call_with_index(["ls-files", "-z", "--stage"], index))
            .await?;
        let staged = raw::staged(&answer.out).ok_or_else(|| odd("ls-files"))?;
        let links: Vec<&[u8]> = staged
            .iter()
            .filter(|(mode, _)| raw::is_link(*mode))
            .map(|(_, path)| path.as_slice())
            .collect();
        // Links of links: first those whose own text leads out, then those that turn out to.
        for judge in [leads_out_by_text, leads_out_in_fact] {
            for link in &links {
                let path = spot.tree.join(OsStr::from_bytes(link));
                let Ok(target) = fs::read_link(&path) else {
                    continue;
                };
                if judge(&spot.tree, &path, &target) {
                    let what = "a link that leads out of the worktree could not be replaced";
                    fs::remove_file(&path).map_err(io_error(what))?;
                    fs::write(&path, target.as_os_str().as_bytes()).map_err(io_error(what))?;
                }
            }
        }
        Ok(())
    }
}

fn leads_out_by_text(tree: &Path, link: &Path, target: &Path) -> bool {
    let inner = link.strip_prefix(tree).unwrap_or(link);
    let mut depth = inner.components().count().saturating_sub(1);
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

fn leads_out_in_fact(tree: &Path, link: &Path, _target: &Path) -> bool {
    link.canonicalize()
        .is_ok_and(|real| !real.starts_with(tree) || real.starts_with(tree.join(".git")))
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
                leads_out_by_text(tree, &tree.join(link), Path::new(target)),
                expect,
                "{link} -> {target}"
            );
        }
    }
}

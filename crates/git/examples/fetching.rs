//! Measures what a review fetches and starts: processes, bytes and time, of a first look at a pull request and of another one.
//!
//! ```console
//! $ cargo run -p collie-git --example fetching -- CLONE HEAD BASE
//! ```
//!
//! CLONE is the folder of a git repository, HEAD and BASE commits of it. Two reviewers look, each in a checkout of its own: at the diff, and at both
//! sides of every changed file. The remote is a copy on this disk: what a network adds to a byte and to an answer is not in the times.

use collie_core::ids::{LoopId, RepoName, Sha};
use collie_engine::ports::{Git, GitRemote, PullRef, WorktreePurpose};
use collie_git::{GitOptions, Worktrees};
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A file of each side is read up to this size.
const MAX_FILE_BYTES: u64 = 1 << 20;

#[tokio::main]
async fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [clone, head, base] = &args[..] else {
        return Err("usage: fetching CLONE HEAD BASE".into());
    };
    let folder = tempfile::tempdir()?;
    let origin = folder.path().join("origin.git");
    git(
        folder.path(),
        &["clone", "-q", "--bare", clone, "origin.git"],
    )?;
    for (key, value) in [
        ("uploadpack.allowFilter", "true"),
        ("uploadpack.allowAnySHA1InWant", "true"),
    ] {
        git(&origin, &["config", key, value])?;
    }
    git(&origin, &["branch", "-f", "collie-topic", head])?;
    println!("| | look | processes | bytes of packs | time |\n|---|---|---|---|---|");
    for (name, partial) in [("whole", false), ("partial", true)] {
        let place = Place::new(&folder.path().join(name), &origin, [head, base])?;
        for look in ["first", "another"] {
            // Another one is of another process.
            let start = Instant::now();
            let files = place.look(partial).await?;
            let time = start.elapsed().as_secs_f64();
            println!(
                "| {name} | {look}, {files} files | {} | {} | {time:.2} s |",
                place.calls()?,
                place.pack_bytes()?
            );
        }
    }
    Ok(())
}

/// A data folder, and the pull request that is looked at from it.
struct Place {
    root: PathBuf,
    recorder: PathBuf,
    remote: GitRemote,
    head: Sha,
    base: Sha,
}

impl Place {
    fn new(root: &Path, origin: &Path, [head, base]: [&str; 2]) -> Outcome<Self> {
        fs::create_dir_all(root)?;
        let recorder = root.join("git");
        let log = root.join("calls");
        let script = format!("#!/bin/sh\necho >> '{}'\nexec git \"$@\"\n", log.display());
        fs::write(&recorder, script)?;
        fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755))?;
        let url = format!("file://{}", origin.display());
        Ok(Self {
            root: root.join("data"),
            recorder,
            remote: GitRemote {
                url: url.clone(),
                head_url: url,
                branch: "collie-topic".into(),
                deleted_fork: None,
            },
            head: Sha::parse(&git(origin, &["rev-parse", head])?)?,
            base: Sha::parse(&git(origin, &["rev-parse", base])?)?,
        })
    }

    /// Has two reviewers look; says how many files changed.
    async fn look(&self, partial_clone: bool) -> Outcome<usize> {
        let options = GitOptions {
            binary: self.recorder.clone(),
            allow_file_remotes: true,
            partial_clone,
            ..GitOptions::default()
        };
        let git = Worktrees::new(&self.root, Arc::new(|| None), None, options)?;
        let pull = PullRef {
            id: LoopId {
                host: "localhost".into(),
                repo_id: "R".into(),
                number: 1,
            },
            repo: RepoName::parse("demo/x")?,
        };
        let mut files = 0;
        for reviewer in ["rules", "quinn"] {
            let purpose = WorktreePurpose::Review(reviewer);
            let worktree = git
                .prepare(&pull, &self.remote, &self.head, &self.base, purpose)
                .await?;
            let diff = git.diff(&worktree, &self.base).await?;
            files = diff.len();
            for file in &diff {
                let old = file.old_path.as_deref().unwrap_or(&file.path);
                for (commit, path) in [(worktree.merge_base(), old), (worktree.head(), &file.path)]
                {
                    git.file_at(&worktree, commit, path, MAX_FILE_BYTES).await?;
                }
            }
        }
        git.clean_up(&pull).await?;
        Ok(files)
    }

    /// How many calls of git there were since this was last asked.
    fn calls(&self) -> Outcome<usize> {
        let log = self.recorder.with_file_name("calls");
        let count = fs::read_to_string(&log)?.lines().count();
        fs::write(&log, "")?;
        Ok(count)
    }

    fn pack_bytes(&self) -> Outcome<u64> {
        let packs = self.root.join("clones/localhost/R.git/objects/pack");
        let mut bytes = 0;
        for entry in fs::read_dir(packs)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|kind| kind == "pack") {
                bytes += entry.metadata()?.len();
            }
        }
        Ok(bytes)
    }
}

fn git(folder: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

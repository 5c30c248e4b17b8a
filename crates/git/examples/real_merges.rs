//! Merges that people made, made again by Collie: `real_merges [MAX] CLONE…` prints a JSON object a clone.
//!
//! The two parents of a merge are head and base. What git merges by itself is held against the tree that the person committed; of what
//! conflicts, the person's resolution goes through the gates in place of a fixer's. Syntax and verify commands are left out. Up to `MAX` (60)
//! merges that conflict, the newest first, and half as many that do not. The clones are only read.

use collie_core::base_merge::LostLine;
use collie_core::ids::{LoopId, RepoName, Sha};
use collie_engine::ports::{
    GateRefusal, Git, GitRemote, MergedWorktree, PullRef, SessionMeter, SyntaxChecker, VerifyPlan,
    VerifyRun, VettedMerge,
};
use collie_git::{CommitIdentity, GitOptions, Worktrees};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Merges of one clone that conflict, at most.
const MAX_CONFLICTING: usize = 60;

/// Two parents, and what a person made of them.
struct HistoricMerge {
    commit: String,
    head: String,
    base: String,
}

/// A clone's merges, counted.
#[derive(Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, what: &'static str, count: usize) {
        *self.0.entry(what).or_default() += count;
    }
}

/// Takes every text as whole.
struct AnySyntax;

impl SyntaxChecker for AnySyntax {
    fn first_broken_line(&self, _: &str, _: Option<&[u8]>, _: &[u8]) -> Option<u32> {
        None
    }
}

fn git_bytes(folder: &Path, args: &[&str]) -> Result<(bool, Vec<u8>)> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "-C"])
        .arg(folder)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()?;
    Ok((output.status.success(), output.stdout))
}

fn git(folder: &Path, args: &[&str]) -> Result<String> {
    let (ok, stdout) = git_bytes(folder, args)?;
    if !ok {
        return Err(format!("git {args:?} failed in {}", folder.display()).into());
    }
    Ok(String::from_utf8_lossy(&stdout).trim().to_owned())
}

/// The merges of a clone by whether git finds conflicts.
fn historic_merges(clone: &Path, max: usize) -> Result<(Vec<HistoricMerge>, Vec<HistoricMerge>)> {
    let list = git(
        clone,
        &[
            "log",
            "--min-parents=2",
            "--max-parents=2",
            "--format=%H %P",
            "HEAD",
        ],
    )?;
    let (mut conflicting, mut clean) = (Vec::new(), Vec::new());
    for line in list.lines() {
        // The first parent is where it was merged: the base of the pull request that it was.
        let [commit, base, head] = line.split(' ').collect::<Vec<_>>()[..] else {
            continue;
        };
        if git_bytes(clone, &["merge-base", "--is-ancestor", base, head])?.0 {
            // Nothing had to be merged in.
            continue;
        }
        let tree = ["merge-tree", "--write-tree", "--name-only", head, base];
        let (merges, _) = git_bytes(clone, &tree)?;
        let (found, most) = match merges {
            true => (&mut clean, max / 2),
            false => (&mut conflicting, max),
        };
        if found.len() < most {
            found.push(HistoricMerge {
                commit: commit.to_owned(),
                head: head.to_owned(),
                base: base.to_owned(),
            });
        }
    }
    Ok((conflicting, clean))
}

/// A remote that lends its objects from a clone, and Collie's side.
struct Workshop {
    folder: tempfile::TempDir,
    origin: PathBuf,
    worktrees: Worktrees,
    pull: PullRef,
    remote: GitRemote,
}

impl Workshop {
    fn new(clone: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let origin = folder.path().join("origin.git");
        git(folder.path(), &["init", "-q", "--bare", "origin.git"])?;
        git(
            &origin,
            &["config", "uploadpack.allowAnySHA1InWant", "true"],
        )?;
        let objects = git(clone, &["rev-parse", "--git-path", "objects"])?;
        let objects = clone.canonicalize()?.join(objects);
        let alternates = origin.join("objects/info/alternates");
        std::fs::write(alternates, format!("{}\n", objects.display()))?;
        let options = GitOptions {
            allow_file_remotes: true,
            ..GitOptions::default()
        };
        let identity = CommitIdentity {
            name: "Collie".into(),
            email: "collie@example.com".into(),
        };
        let worktrees = Worktrees::new(
            &folder.path().join("data"),
            Arc::new(|| None),
            Some(identity),
            options,
        )?;
        let url = format!("file://{}", origin.display());
        Ok(Self {
            worktrees,
            pull: PullRef {
                id: LoopId {
                    host: "localhost".into(),
                    repo_id: "R".into(),
                    number: 1,
                },
                repo: RepoName::parse("real/history")?,
            },
            remote: GitRemote {
                url: url.clone(),
                head_url: url,
                branch: "topic".into(),
                deleted_fork: None,
            },
            origin,
            folder,
        })
    }

    async fn merge(&self, historic: &HistoricMerge) -> Result<Option<MergedWorktree>> {
        git(
            &self.origin,
            &["update-ref", "refs/heads/topic", &historic.head],
        )?;
        let (head, base) = (Sha::parse(&historic.head)?, Sha::parse(&historic.base)?);
        let merging = self
            .worktrees
            .merge_base_in(&self.pull, &self.remote, &head, &base);
        Ok(merging.await?)
    }

    async fn vet(
        &self,
        merged: &MergedWorktree,
    ) -> Result<std::result::Result<VettedMerge, GateRefusal>> {
        let (plan, meter) = (VerifyPlan::default(), SessionMeter::default());
        let verify = VerifyRun {
            plan: &plan,
            meter: &meter,
        };
        let cancel = CancellationToken::new();
        let vetting = self
            .worktrees
            .vet_merge(merged, &AnySyntax, verify, &cancel);
        Ok(vetting.await?)
    }

    /// Puts what the person committed into the worktree, and has it judged as a fixer's.
    async fn vet_historic(
        &self,
        merged: &MergedWorktree,
        historic: &HistoricMerge,
    ) -> Result<std::result::Result<VettedMerge, GateRefusal>> {
        let commit = Sha::parse(&historic.commit)?;
        // Fetches it.
        let files = self
            .worktrees
            .files_at(&self.pull, &self.remote, &commit, "no/such/folder");
        files.await?;
        self.worktrees.lay_merge(merged, &commit).await?;
        self.vet(merged).await
    }
}

/// How often a line is added and taken away.
#[derive(Clone, Copy, Default)]
struct Edits {
    added: i64,
    removed: i64,
}

/// What differs between two trees: by file and text without blanks around it. Files that are new, gone or renamed are left out.
fn edits(clone: &Path, from: &str, to: &str) -> Result<BTreeMap<(String, String), Edits>> {
    let diff = [
        "diff",
        "-U0",
        "--diff-filter=M",
        "--no-renames",
        // No fixer can move a submodule: it stays as git merged it.
        "--ignore-submodules=all",
        "--no-ext-diff",
        "--no-textconv",
        from,
        to,
    ];
    let (_, diff) = git_bytes(clone, &diff)?;
    let mut counts: BTreeMap<(String, String), Edits> = BTreeMap::new();
    let (mut file, mut in_hunk) = (String::new(), false);
    for line in String::from_utf8_lossy(&diff).lines() {
        if line.starts_with("diff --git") || line.starts_with("@@") {
            in_hunk = line.starts_with("@@");
        } else if let (false, Some(path)) = (in_hunk, line.strip_prefix("+++ ")) {
            path.clone_into(&mut file);
        } else if in_hunk && (line.starts_with('+') || line.starts_with('-')) {
            let text = line[1..].trim();
            if text.chars().any(char::is_alphanumeric) {
                let key = (file.clone(), text.to_owned());
                let found = counts.entry(key).or_default();
                match line.starts_with('+') {
                    true => found.added += 1,
                    false => found.removed += 1,
                }
            }
        }
    }
    Ok(counts)
}

/// The paths of a tree, as a diff names them.
fn files_of(clone: &Path, tree: &str) -> Result<BTreeSet<String>> {
    let list = git(clone, &["ls-tree", "-r", "--name-only", tree])?;
    Ok(list.lines().map(|path| format!("b/{path}")).collect())
}

/// Lines that a side added to a file that has one name everywhere, that a tree has too few of there, and that were not listed: judged by counting alone, in another way
/// than Collie's. What the other side took away may be missing.
fn lost_in_silence(
    clone: &Path,
    historic: &HistoricMerge,
    tree: &str,
    listed: &[LostLine],
) -> Result<Vec<String>> {
    let common = git(clone, &["merge-base", &historic.head, &historic.base])?;
    let head = edits(clone, &common, &historic.head)?;
    let base = edits(clone, &common, &historic.base)?;
    let merged = edits(clone, &common, tree)?;
    let texts: BTreeSet<&str> = listed.iter().map(|line| line.text.as_str()).collect();
    let whole = |file: &str| {
        let mut lines = listed.iter().filter(|line| line.line == 0);
        lines.any(|line| file.strip_prefix("b/") == Some(line.path.as_str()))
    };
    let names = [
        files_of(clone, &historic.head)?,
        files_of(clone, &historic.base)?,
        files_of(clone, tree)?,
    ];
    let has_one_name = |file: &String| names.iter().all(|files| files.contains(file));
    let mut silent = Vec::new();
    for (side, other) in [(&head, &base), (&base, &head)] {
        for (key, made) in side.iter().filter(|(key, _)| has_one_name(&key.0)) {
            let of = |edits: &BTreeMap<_, Edits>| edits.get(key).copied().unwrap_or_default();
            let wanted = made.added - made.removed - of(other).removed;
            let there = of(&merged).added - of(&merged).removed;
            let is_listed = texts.contains(key.1.as_str()) || whole(&key.0);
            if made.added > made.removed && there < wanted && !is_listed {
                silent.push(format!("{}: {}", key.0, key.1));
            }
        }
    }
    Ok(silent)
}

fn gate(refusal: &GateRefusal) -> &'static str {
    match refusal {
        GateRefusal::Scope { .. } => "person: refused, scope",
        GateRefusal::Tamper { .. } => "person: refused, anti-tamper",
        GateRefusal::Secrets { .. } => "person: refused, secrets",
        GateRefusal::ConflictMarkers { .. } => "person: refused, markers",
        _ => "person: refused, other",
    }
}

async fn measure(clone: &Path, max: usize, counts: &mut Counts) -> Result<()> {
    let (conflicting, clean) = historic_merges(clone, max)?;
    let workshop = Workshop::new(clone)?;
    for historic in conflicting.iter().chain(&clean) {
        let Some(merged) = workshop.merge(historic).await? else {
            continue;
        };
        counts.add("merges", 1);
        let theirs = git(
            clone,
            &["rev-parse", &format!("{}^{{tree}}", historic.commit)],
        )?;
        if merged.conflicts.is_empty() {
            let (tree, lost) = match workshop.vet(&merged).await? {
                Ok(vetted) => (vetted.change.tree().to_string(), vetted.lost),
                Err(refusal) => return Err(format!("a clean merge was refused: {refusal}").into()),
            };
            let same = tree == theirs;
            counts.add(if same { "exact" } else { "clean, different" }, 1);
            counts.add("clean: listed lines", lost.len());
            counts.add(
                "clean: merges with listed lines",
                usize::from(!lost.is_empty()),
            );
            // The tree is in Collie's clone, which borrows nothing: the clone is asked where the person made the same.
            if same {
                let silent = lost_in_silence(clone, historic, &theirs, &lost)?;
                counts.add("lost in silence", silent.len());
            }
            continue;
        }
        let for_agent = merged.conflicts.iter().all(|found| found.texts.is_some());
        counts.add("given up", 1);
        counts.add("given up: texts, an agent's", usize::from(for_agent));
        if !for_agent {
            continue;
        }
        match workshop.vet_historic(&merged, historic).await? {
            Err(refusal) => counts.add(gate(&refusal), 1),
            Ok(vetted) => {
                counts.add("person: passes", 1);
                counts.add(
                    "person: merges with listed lines",
                    usize::from(!vetted.lost.is_empty()),
                );
                counts.add("person: listed lines", vetted.lost.len());
                let silent = lost_in_silence(clone, historic, &theirs, &vetted.lost)?;
                for text in &silent {
                    eprintln!("{} lost in silence: {text}", historic.commit);
                }
                counts.add("lost in silence", silent.len());
            }
        }
    }
    drop(workshop.folder);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let max = match args.first().and_then(|first| first.parse().ok()) {
        Some(max) => {
            args.remove(0);
            max
        }
        None => MAX_CONFLICTING,
    };
    for clone in &args {
        let mut counts = Counts::default();
        counts.add("lost in silence", 0);
        measure(Path::new(clone), max, &mut counts).await?;
        let line = serde_json::json!({"clone": clone, "counts": counts.0});
        println!("{line}");
    }
    Ok(())
}

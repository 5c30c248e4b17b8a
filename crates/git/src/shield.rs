//! Keeps agents from obeying the settings that a pull request brings for them: those of the base stand in (§9.3).
//!
//! Nothing is written through a link: what the worktree holds in such places is removed first, links of the base are
//! replaced by what they lead to at the base, and a folder that is a link now gets nothing.

use crate::GitPlace;
use crate::place::{Spot, io_error, is_real_folder, make_writable};
use crate::raw::{self, Entry};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError, Shield};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// What agents and tools obey in whatever folder it lies, in lower case: some file systems take `claude.md` for it.
const OBEYED: &[&str] = &[
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".cursorrules",
    ".gemini",
    ".goose",
    ".goosehints",
    ".husky",
    ".mcp.json",
    ".opencode",
    ".vscode",
    "agents.md",
    "agents.override.md",
    "claude.local.md",
    "claude.md",
    "gemini.md",
    "opencode.json",
    "opencode.jsonc",
];
/// How they begin, whatever follows.
const OBEYED_PREFIX: &str = ".collie";
/// What is obeyed in a folder `.github`.
const OBEYED_IN_GITHUB: &[&str] = &["copilot-instructions.md", "instructions"];
/// Links of the base that lead to links are followed this far.
const MOST_HOPS: u8 = 4;
/// No more files than these are put in place of links.
const MOST_PLACED: usize = 10_000;

/// The base, as far as links matter.
struct Base {
    files: BTreeMap<Vec<u8>, (u32, String)>,
    links: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl GitPlace {
    /// See the port.
    pub(crate) async fn raise(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
    ) -> Result<Shield, GitError> {
        let spot = self.spot_of(worktree)?;
        let theirs = self.entries(&spot.clone, &worktree.head, "", true).await?;
        let ours = self.read_base(&spot, base).await?;
        let mut wanted = BTreeMap::new();
        for path in ours.files.keys().filter(|path| is_obeyed(path)) {
            unfold(&ours, path, path, MOST_HOPS, &mut wanted);
        }
        self.clear(&spot)?;
        let ids: Vec<&str> = wanted.values().map(|(_, id)| id.as_str()).collect();
        let blobs = self.blobs(&spot.clone, &ids).await?;
        let mut placed = Vec::new();
        for ((path, (mode, _)), blob) in wanted.iter().zip(&blobs) {
            let path = Path::new(OsStr::from_bytes(path));
            let what = "the base's settings for agents could not be put into the worktree";
            if lay(&spot.tree, path, blob, mode & 0o111 != 0).map_err(io_error(what))? {
                placed.push(path.to_path_buf());
            }
        }
        let head: BTreeMap<Vec<u8>, (u32, String)> = theirs.into_iter().map(keyed).collect();
        Ok(Shield {
            swapped: swapped(&head, &wanted),
            placed,
        })
    }

    /// See the port.
    pub(crate) async fn lower(
        &self,
        worktree: &CleanWorktree,
        shield: &Shield,
    ) -> Result<(), GitError> {
        let spot = self.spot_of(worktree)?;
        self.clear(&spot)?;
        for path in &shield.placed {
            for folder in path.ancestors().skip(1) {
                // Only one that was made for it is empty now.
                if folder.as_os_str().is_empty() || fs::remove_dir(spot.tree.join(folder)).is_err()
                {
                    break;
                }
            }
        }
        let mut names = Vec::new();
        let theirs = self.entries(&spot.clone, &worktree.head, "", true).await?;
        for entry in theirs.iter().filter(|entry| is_obeyed(&entry.path)) {
            names.extend_from_slice(&entry.path);
            names.push(0);
        }
        if names.is_empty() {
            return Ok(());
        }
        // Goes by the index that no agent is told of, and makes a folder of a link that stands in the way.
        let back = ["checkout-index", "--force", "--quiet", "-z", "--stdin"];
        let call = spot.call_with_index(back, &spot.index).input(names);
        self.caller.run(call).await?;
        self.disarm_links(&spot, &spot.index).await
    }

    async fn read_base(&self, spot: &Spot, base: &Sha) -> Result<Base, GitError> {
        let entries = self.entries(&spot.clone, base, "", true).await?;
        let files: BTreeMap<Vec<u8>, (u32, String)> = entries.into_iter().map(keyed).collect();
        let (paths, ids): (Vec<&Vec<u8>>, Vec<&str>) = files
            .iter()
            .filter(|(_, (mode, _))| raw::is_link(*mode))
            .map(|(path, (_, id))| (path, id.as_str()))
            .unzip();
        let targets = self.blobs(&spot.clone, &ids).await?;
        let links = paths.into_iter().cloned().zip(targets).collect();
        Ok(Base { files, links })
    }

    /// Removes everything from the worktree that is obeyed; links are removed, not followed.
    fn clear(&self, spot: &Spot) -> Result<(), GitError> {
        if !is_real_folder(&spot.tree) {
            return Err(GitError::Io {
                what: "the worktree is not there any more".into(),
                message: "prepare it again".into(),
            });
        }
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let here = spot.tree.join(&folder);
            let entries = fs::read_dir(&here).or_else(|_| {
                make_writable(&here);
                fs::read_dir(&here)
            });
            let what = "a folder of the worktree could not be read";
            for entry in entries.map_err(io_error(what))? {
                let entry = entry.map_err(io_error(what))?;
                let path = folder.join(entry.file_name());
                if path == Path::new(".git") {
                    continue;
                }
                if is_obeyed(path.as_os_str().as_bytes()) {
                    make_writable(&here);
                    self.discard(&spot.tree.join(&path))?;
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                }
            }
        }
        Ok(())
    }
}

fn keyed(entry: Entry) -> (Vec<u8>, (u32, String)) {
    (entry.path, (entry.mode, entry.id))
}

/// Agents or tools obey what lies at this path.
fn is_obeyed(path: &[u8]) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut above: &[u8] = b"";
    lower.split(|byte| *byte == b'/').any(|name| {
        let among = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
        let obeyed = among(OBEYED)
            || name.starts_with(OBEYED_PREFIX.as_bytes())
            || (above == b".github" && among(OBEYED_IN_GITHUB));
        above = name;
        obeyed
    })
}

/// Files that a path of the base comes to, by where they go: links are replaced by what they lead to at the base.
fn unfold(
    base: &Base,
    from: &[u8],
    to: &[u8],
    hops: u8,
    found: &mut BTreeMap<Vec<u8>, (u32, String)>,
) {
    if found.len() >= MOST_PLACED {
        return;
    }
    match base.files.get(from) {
        Some((mode, _)) if raw::is_link(*mode) => {
            let target = base.links.get(from).and_then(|text| landing(from, text));
            if let (Some(target), Some(hops)) = (target, hops.checked_sub(1)) {
                unfold(base, &target, to, hops, found);
            }
        }
        Some((mode, id)) if raw::is_file(*mode) => {
            found.insert(to.to_vec(), (*mode, id.clone()));
        }
        Some(_) => {}
        None => {
            let folder = [from, b"/"].concat();
            let inner = base.files.range(folder.clone()..);
            for (path, _) in inner.take_while(|(path, _)| path.starts_with(&folder)) {
                let to = [to, &path[from.len()..]].concat();
                unfold(base, path, &to, hops, found);
            }
        }
    }
}

/// Where a link of a tree leads within that tree; none when it leads out of it, or to its root.
fn landing(link: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&OsStr> = Path::new(OsStr::from_bytes(link))
        .parent()?
        .iter()
        .collect();
    for part in Path::new(OsStr::from_bytes(target)).components() {
        match part {
            Component::Prefix(_) | Component::RootDir => return None,
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(name) => parts.push(name),
        }
    }
    (!parts.is_empty()).then(|| parts.join(OsStr::new("/")).as_bytes().to_vec())
}

/// Writes a file where nothing is; false when a link or a file stands where a folder would have to be.
fn lay(tree: &Path, path: &Path, bytes: &[u8], executable: bool) -> io::Result<bool> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git")));
    if !plain {
        return Ok(false);
    }
    let mut folder = tree.to_path_buf();
    for part in path.parent().into_iter().flat_map(Path::iter) {
        folder.push(part);
        match fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_real_folder(&folder) {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    let mode = if executable { 0o755 } else { 0o644 };
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(tree.join(path));
    match opened {
        Ok(mut file) => file.write_all(bytes).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// The obeyed paths that are not the same in both.
fn swapped(
    head: &BTreeMap<Vec<u8>, (u32, String)>,
    placed: &BTreeMap<Vec<u8>, (u32, String)>,
) -> Vec<String> {
    let paths: BTreeSet<&Vec<u8>> = head
        .keys()
        .filter(|path| is_obeyed(path))
        .chain(placed.keys())
        .collect();
    paths
        .into_iter()
        .filter(|path| head.get(*path) != placed.get(*path))
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_for_agents_are_known_in_every_folder_and_case() {
        for path in [
            "AGENTS.md",
            "a/b/CLAUDE.md",
            "a/claude.MD",
            ".claude/commands/x.md",
            "pkg/.cursor/rules",
            ".Collie.toml",
            ".collie/rules/a.yml",
            ".github/copilot-instructions.md",
            "x/.github/instructions/a.md",
            "opencode.json",
            ".husky/pre-commit",
        ] {
            assert!(is_obeyed(path.as_bytes()), "{path}");
        }
        for path in [
            "README.md",
            "docs/claude.md.txt",
            "claude/x",
            "copilot-instructions.md",
            ".github/workflows/ci.yml",
            "MY-AGENTS.md",
            "src/collie.rs",
        ] {
            assert!(!is_obeyed(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn links_of_a_tree_land_inside_it_or_nowhere() {
        for (link, target, expect) in [
            ("CLAUDE.md", "AGENTS.md", Some("AGENTS.md")),
            ("a/b/CLAUDE.md", "../../docs/x.md", Some("docs/x.md")),
            ("a/x", "./y/../z", Some("a/z")),
            ("a", "/etc/passwd", None),
            ("a/b", "../../x", None),
            ("a", ".", None),
        ] {
            let landed = landing(link.as_bytes(), target.as_bytes());
            assert_eq!(
                landed.as_deref(),
                expect.map(str::as_bytes),
                "{link} -> {target}"
            );
        }
    }
}

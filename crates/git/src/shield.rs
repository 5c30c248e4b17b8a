//! Keeps agents and linters from obeying the settings that a pull request brings for them: those of the base stand in (§9.3).
//!
//! Nothing is written through a link: what the worktree holds in such places is removed first, links of the base are
//! replaced by what they lead to at the base, and a folder that is a link now gets nothing.

use crate::Worktrees;
use crate::io_error::io_error;
use crate::layout::{WorktreePaths, is_real_dir, make_writable};
use crate::plumbing_output::{self, TreeEntry};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError, Shield, ShieldedConfig};
use collie_linters::is_linter_config;
use collie_platform::{bytes_of, path_of, with_rights};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// What agents and tools obey in whatever folder it lies, in lower case: some file systems take `claude.md` for it.
const AGENT_CONFIG_NAMES: &[&str] = &[
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
const AGENT_CONFIG_PREFIX: &str = ".collie";
/// What is obeyed in a folder `.github`.
const AGENT_CONFIG_IN_GITHUB: &[&str] = &["copilot-instructions.md", "instructions"];
/// Folders with a repository's own packages, linters among them.
const PACKAGE_FOLDERS: &[&str] = &["node_modules", ".venv", "venv"];
/// Files that say which packages those are, and where they come from.
const PACKAGE_LISTS: &[&str] = &[
    ".npmrc",
    ".yarnrc.yml",
    "bun.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];
/// Links of the base that lead to links are followed this far.
const MAX_LINK_HOPS: u8 = 4;
/// No more files than these are put in place of links.
const MAX_PLACED_FILES: usize = 10_000;

/// The base, as far as links matter.
struct BaseTree {
    files: BTreeMap<Vec<u8>, (u32, String)>,
    links: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Worktrees {
    /// See the port.
    pub(crate) async fn shield_worktree(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
        config: ShieldedConfig,
    ) -> Result<Shield, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.lay_files(&worktree_paths, worktree.head()).await?;
        let head_entries = self
            .tree_entries(&worktree_paths.clone_dir, worktree.head(), "", true)
            .await?;
        let base_tree = self.read_base_tree(&worktree_paths, base).await?;
        let mut wanted = BTreeMap::new();
        for path in (base_tree.files.keys()).filter(|path| is_config(config, path)) {
            resolve_links(&base_tree, path, path, MAX_LINK_HOPS, &mut wanted);
        }
        self.remove_config(&worktree_paths, config)?;
        let ids: Vec<&str> = wanted.values().map(|(_, id)| id.as_str()).collect();
        let blobs = self.read_blobs(&worktree_paths.clone_dir, &ids).await?;
        let mut placed = Vec::new();
        for ((path, (mode, _)), blob) in wanted.iter().zip(&blobs) {
            let path = path_of(path);
            let what = "the base's settings could not be put into the worktree";
            if write_new_file(&worktree_paths.work_dir, path, blob, mode & 0o111 != 0)
                .map_err(io_error(what))?
            {
                placed.push(path.to_path_buf());
            }
        }
        let head_files: BTreeMap<Vec<u8>, (u32, String)> =
            head_entries.into_iter().map(by_path).collect();
        let swapped = swapped_paths(config, &head_files, &wanted);
        Ok(Shield::raised_in(worktree, config, swapped, placed))
    }

    /// See the port.
    pub(crate) async fn unshield_worktree(
        &self,
        worktree: &CleanWorktree,
        shield: &Shield,
    ) -> Result<(), GitError> {
        if !shield.is_raised_in(worktree) {
            return Err(GitError::Io {
                what: "the head's settings could not be brought back".into(),
                message: String::new(),
            });
        }
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        self.remove_config(&worktree_paths, shield.config())?;
        for path in shield.placed() {
            for folder in path.ancestors().skip(1) {
                // Only one that was made for it is empty now.
                if folder.as_os_str().is_empty()
                    || fs::remove_dir(worktree_paths.work_dir.join(folder)).is_err()
                {
                    break;
                }
            }
        }
        let mut names = Vec::new();
        // By the index, not the head: of a merge it holds what git made of both sides.
        let list =
            worktree_paths.command_with_index(["ls-files", "-z"], &worktree_paths.trusted_index);
        let output = self.git.run(list).await?;
        let entries = plumbing_output::nul_fields(&output.stdout);
        for path in entries.filter(|path| is_config(shield.config(), path)) {
            names.extend_from_slice(path);
            names.push(0);
        }
        if names.is_empty() {
            return Ok(());
        }
        // Goes by the index that no agent is told of, and makes a folder of a link that stands in the way.
        let checkout_args = ["checkout-index", "--force", "--quiet", "-z", "--stdin"];
        let git_command = worktree_paths
            .command_with_index(checkout_args, &worktree_paths.trusted_index)
            .input(names);
        self.git.run(git_command).await?;
        self.replace_escaping_links(&worktree_paths, &worktree_paths.trusted_index)
            .await
    }

    async fn read_base_tree(
        &self,
        worktree_paths: &WorktreePaths,
        base: &Sha,
    ) -> Result<BaseTree, GitError> {
        let entries = self
            .tree_entries(&worktree_paths.clone_dir, base, "", true)
            .await?;
        let files: BTreeMap<Vec<u8>, (u32, String)> = entries.into_iter().map(by_path).collect();
        let (paths, ids): (Vec<&Vec<u8>>, Vec<&str>) = files
            .iter()
            .filter(|(_, (mode, _))| plumbing_output::is_link_mode(*mode))
            .map(|(path, (_, id))| (path, id.as_str()))
            .unzip();
        let targets = self.read_blobs(&worktree_paths.clone_dir, &ids).await?;
        let links = paths.into_iter().cloned().zip(targets).collect();
        Ok(BaseTree { files, links })
    }

    /// Removes everything from the worktree that is obeyed; links are removed, not followed.
    fn remove_config(
        &self,
        worktree_paths: &WorktreePaths,
        config: ShieldedConfig,
    ) -> Result<(), GitError> {
        if !is_real_dir(&worktree_paths.work_dir) {
            return Err(GitError::WorktreeGone);
        }
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let here = worktree_paths.work_dir.join(&folder);
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
                if is_config(config, bytes_of(path.as_os_str())) {
                    make_writable(&here);
                    self.discard(&worktree_paths.work_dir.join(&path))?;
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                }
            }
        }
        Ok(())
    }
}

fn by_path(entry: TreeEntry) -> (Vec<u8>, (u32, String)) {
    (entry.path, (entry.mode, entry.id))
}

/// What lies at this path is obeyed.
fn is_config(config: ShieldedConfig, path: &[u8]) -> bool {
    match config {
        ShieldedConfig::Agents => is_agent_config(path),
        ShieldedConfig::Linters => {
            is_package_path(path) || {
                // No linter looks for a name that is no UTF-8.
                std::str::from_utf8(path).is_ok_and(is_linter_config)
            }
        }
    }
}

/// Linters come from there, or it says which do.
fn is_package_path(path: &[u8]) -> bool {
    let mut parts = path.split(|byte| *byte == b'/');
    parts.any(|name| {
        let among = |names: &[&str]| {
            names
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        };
        among(PACKAGE_FOLDERS) || among(PACKAGE_LISTS)
    })
}

/// Agents or tools obey what lies at this path.
pub(crate) fn is_agent_config(path: &[u8]) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut above: &[u8] = b"";
    lower.split(|byte| *byte == b'/').any(|name| {
        let among = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
        let obeyed = among(AGENT_CONFIG_NAMES)
            || name.starts_with(AGENT_CONFIG_PREFIX.as_bytes())
            || (above == b".github" && among(AGENT_CONFIG_IN_GITHUB));
        above = name;
        obeyed
    })
}

/// Files that a path of the base comes to, by where they go: links are replaced by what they lead to at the base.
fn resolve_links(
    base_tree: &BaseTree,
    from: &[u8],
    to: &[u8],
    hops_left: u8,
    found: &mut BTreeMap<Vec<u8>, (u32, String)>,
) {
    if found.len() >= MAX_PLACED_FILES {
        return;
    }
    match base_tree.files.get(from) {
        Some((mode, _)) if plumbing_output::is_link_mode(*mode) => {
            let target = base_tree
                .links
                .get(from)
                .and_then(|text| link_destination(from, text));
            if let (Some(target), Some(hops)) = (target, hops_left.checked_sub(1)) {
                resolve_links(base_tree, &target, to, hops, found);
            }
        }
        Some((mode, id)) if plumbing_output::is_file_mode(*mode) => {
            found.insert(to.to_vec(), (*mode, id.clone()));
        }
        Some(_) => {}
        None => {
            let folder = [from, b"/"].concat();
            let inner = base_tree.files.range(folder.clone()..);
            for (path, _) in inner.take_while(|(path, _)| path.starts_with(&folder)) {
                let to = [to, &path[from.len()..]].concat();
                resolve_links(base_tree, path, &to, hops_left, found);
            }
        }
    }
}

/// Where a link of a tree leads within that tree; none when it leads out of it, or to its root.
fn link_destination(link: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&OsStr> = path_of(link).parent()?.iter().collect();
    for part in path_of(target).components() {
        match part {
            Component::Prefix(_) | Component::RootDir => return None,
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(name) => parts.push(name),
        }
    }
    (!parts.is_empty()).then(|| bytes_of(&parts.join(OsStr::new("/"))).to_vec())
}

/// Writes a file where nothing is; false when a link or a file stands where a folder would have to be.
fn write_new_file(
    work_dir: &Path,
    path: &Path,
    bytes: &[u8],
    executable: bool,
) -> io::Result<bool> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git")));
    if !plain {
        return Ok(false);
    }
    let mut folder = work_dir.to_path_buf();
    for part in path.parent().into_iter().flat_map(Path::iter) {
        folder.push(part);
        match fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_real_dir(&folder) {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    with_rights(&mut options, executable);
    match options.open(work_dir.join(path)) {
        Ok(mut file) => file.write_all(bytes).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// The obeyed paths that are not the same in both.
fn swapped_paths(
    config: ShieldedConfig,
    head: &BTreeMap<Vec<u8>, (u32, String)>,
    placed: &BTreeMap<Vec<u8>, (u32, String)>,
) -> Vec<String> {
    let paths: BTreeSet<&Vec<u8>> = head
        .keys()
        .filter(|path| is_config(config, path))
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
            for written in [path.to_owned(), path.to_lowercase(), path.to_uppercase()] {
                assert!(is_agent_config(written.as_bytes()), "{written}");
            }
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
            assert!(!is_agent_config(path.as_bytes()), "{path}");
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
            let landed = link_destination(link.as_bytes(), target.as_bytes());
            assert_eq!(
                landed.as_deref(),
                expect.map(str::as_bytes),
                "{link} -> {target}"
            );
        }
    }
}

//! What each role may do (§6.5), and the answers to an agent that asks.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, ToolCallContent,
    ToolCallUpdateFields, ToolKind,
};
use std::path::{Component, Path, PathBuf};

/// What an agent is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentRole {
    /// Changes files of its folder.
    Fixer,
    /// Only reads.
    Reviewer,
}

/// What a tool does, in the kinds of ACP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Reads a file.
    Read,
    /// Looks for something.
    Search,
    /// Thinks, plans, keeps a list.
    Think,
    /// Writes a file.
    Edit,
    /// Deletes a file.
    Delete,
    /// Moves a file.
    Move,
    /// Runs a command.
    Execute,
    /// Gets something from the network.
    Fetch,
    /// Changes the session's mode, and with it what it asks for.
    SwitchMode,
    /// Anything else, also what the agent does not tell.
    Other,
}

impl From<ToolKind> for Tool {
    fn from(kind: ToolKind) -> Self {
        match kind {
            ToolKind::Read => Self::Read,
            ToolKind::Search => Self::Search,
            ToolKind::Think => Self::Think,
            ToolKind::Edit => Self::Edit,
            ToolKind::Delete => Self::Delete,
            ToolKind::Move => Self::Move,
            ToolKind::Execute => Self::Execute,
            ToolKind::Fetch => Self::Fetch,
            ToolKind::SwitchMode => Self::SwitchMode,
            // The protocol may grow; what is not known here is not allowed.
            _ => Self::Other,
        }
    }
}

/// The tools of a role: the one table that decides.
pub fn allowed_tools(role: AgentRole) -> &'static [Tool] {
    match role {
        AgentRole::Fixer => &[
            Tool::Read,
            Tool::Search,
            Tool::Think,
            Tool::Edit,
            Tool::Delete,
            Tool::Move,
            Tool::Execute,
        ],
        AgentRole::Reviewer => &[Tool::Read, Tool::Search, Tool::Think],
    }
}

/// A request of an agent that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRefusal {
    /// What it wanted to use.
    pub tool: Tool,
    /// The tool call in the agent's words.
    pub title: String,
    /// Why not.
    pub reason: RefusalReason,
}

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// The role does not have this tool.
    NotForRole,
    /// This path is outside of its folder, or may be.
    OutsideFolder {
        /// As the agent wrote it.
        path: String,
    },
    /// This path belongs to git.
    GitFolder {
        /// As the agent wrote it.
        path: String,
    },
    /// The agent offers no way to allow it just once.
    NoOneTimeOption,
    /// The host is not among those that the agent may reach.
    HostNotListed,
    /// The turn is being cancelled.
    Cancelled,
}

/// Where an agent may touch files.
#[derive(Clone, Debug)]
pub(super) struct AllowedFolders {
    /// The checkout.
    pub(super) cwd: PathBuf,
    /// Its own folder for temporary files.
    pub(super) temp: PathBuf,
}

/// Decides by role, kind and paths.
pub(super) fn check_permission(
    role: AgentRole,
    tool: Tool,
    paths: &[PathBuf],
    allowed_folders: &AllowedFolders,
) -> Result<(), RefusalReason> {
    if !allowed_tools(role).contains(&tool) {
        return Err(RefusalReason::NotForRole);
    }
    let is_write = matches!(tool, Tool::Edit | Tool::Delete | Tool::Move);
    for path in paths {
        let path_text = || path.to_string_lossy().into_owned();
        if !is_inside(allowed_folders, path) {
            return Err(RefusalReason::OutsideFolder { path: path_text() });
        }
        if is_write
            && path
                .components()
                .any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
        {
            return Err(RefusalReason::GitFolder { path: path_text() });
        }
    }
    Ok(())
}

/// Whether a path stays in one of the two folders, symbolic links followed. `..` is taken for a way out.
fn is_inside(allowed_folders: &AllowedFolders, path: &Path) -> bool {
    if path.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    let full = allowed_folders.cwd.join(path);
    // What does not exist yet is judged by the folder that it would be made in.
    let Some(there) = full.ancestors().find_map(|part| part.canonicalize().ok()) else {
        return false;
    };
    [&allowed_folders.cwd, &allowed_folders.temp]
        .iter()
        .any(|folder| {
            folder
                .canonicalize()
                .is_ok_and(|folder| there.starts_with(folder))
        })
}

/// Every path that a tool call names: its places, its diffs, and those fields of its input that are called so.
pub(super) fn tool_call_paths(call: &ToolCallUpdateFields) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    paths.extend(
        call.locations
            .iter()
            .flatten()
            .map(|place| place.path.clone()),
    );
    paths.extend(
        call.content
            .iter()
            .flatten()
            .filter_map(|content| match content {
                ToolCallContent::Diff(diff) => Some(diff.path.clone()),
                _ => None,
            }),
    );
    if let Some(serde_json::Value::Object(input)) = &call.raw_input {
        let named = input.iter().filter(|(name, _)| is_path_name(name));
        paths.extend(named.filter_map(|(_, value)| Some(PathBuf::from(value.as_str()?))));
    }
    paths
}

fn is_path_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("path")
        || ["cwd", "dir", "directory", "workdir", "file", "filename"].contains(&name.as_str())
}

/// The option that answers for this one time; none where the agent only offers to decide for good.
pub(super) fn one_time_option(
    options: &[PermissionOption],
    allowed: bool,
) -> Option<PermissionOptionId> {
    let kind = if allowed {
        PermissionOptionKind::AllowOnce
    } else {
        PermissionOptionKind::RejectOnce
    };
    let option = options.iter().find(|option| option.kind == kind)?;
    Some(option.option_id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::v1::schema::ToolCallUpdate;
    use serde_json::json;

    fn test_folders() -> (tempfile::TempDir, AllowedFolders) {
        let root = tempfile::tempdir().unwrap();
        let allowed_folders = AllowedFolders {
            cwd: root.path().join("tree"),
            temp: root.path().join("temp"),
        };
        for folder in [
            &allowed_folders.cwd.join("src"),
            &allowed_folders.temp,
            &root.path().join("treehouse"),
        ] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(allowed_folders.cwd.join("src/a.rs"), "").unwrap();
        std::os::unix::fs::symlink(root.path(), allowed_folders.cwd.join("way-out")).unwrap();
        std::os::unix::fs::symlink("src", allowed_folders.cwd.join("within")).unwrap();
        (root, allowed_folders)
    }

    fn outside_folder(path: &str) -> RefusalReason {
        RefusalReason::OutsideFolder { path: path.into() }
    }

    fn assert_permission(
        role: AgentRole,
        tool: Tool,
        path: &str,
        allowed_folders: &AllowedFolders,
        expect: Result<(), RefusalReason>,
    ) {
        assert_eq!(
            check_permission(role, tool, &[path.into()], allowed_folders),
            expect,
            "{role:?} {tool:?} {path}"
        );
    }

    #[test]
    fn a_reviewer_may_only_read_and_search_its_folder() {
        let (_root, allowed_folders) = test_folders();
        let check = |tool, path: &str, expect: Result<(), RefusalReason>| {
            assert_permission(AgentRole::Reviewer, tool, path, &allowed_folders, expect);
        };
        check(Tool::Read, "src/a.rs", Ok(()));
        check(Tool::Search, "", Ok(()));
        check(Tool::Edit, "src/a.rs", Err(RefusalReason::NotForRole));
        check(Tool::Execute, "", Err(RefusalReason::NotForRole));
        check(
            Tool::Read,
            "/etc/passwd",
            Err(outside_folder("/etc/passwd")),
        );
    }

    #[test]
    fn a_fixer_may_run_programs_and_edit_its_folders_but_not_gits_own() {
        let (root, allowed_folders) = test_folders();
        let beside = root
            .path()
            .join("treehouse/a")
            .to_string_lossy()
            .into_owned();
        let own_temp = allowed_folders
            .temp
            .join("x")
            .to_string_lossy()
            .into_owned();
        let inside = allowed_folders
            .cwd
            .join("src/new/b.rs")
            .to_string_lossy()
            .into_owned();
        let check = |tool, path: &str, expect: Result<(), RefusalReason>| {
            assert_permission(AgentRole::Fixer, tool, path, &allowed_folders, expect);
        };
        for path in ["src/a.rs", &inside, &own_temp, "within/b.rs"] {
            check(Tool::Edit, path, Ok(()));
        }
        for path in [beside.as_str(), "../treehouse/a", "src/../a.rs"] {
            check(Tool::Edit, path, Err(outside_folder(path)));
        }
        let way_out = "way-out/treehouse/a";
        check(Tool::Delete, way_out, Err(outside_folder(way_out)));
        let git_folder = RefusalReason::GitFolder {
            path: ".GIT/config".into(),
        };
        check(Tool::Edit, ".GIT/config", Err(git_folder));
        check(Tool::Read, ".git/HEAD", Ok(()));
        check(Tool::Execute, "", Ok(()));
        for tool in [Tool::Fetch, Tool::SwitchMode, Tool::Other] {
            check(tool, "", Err(RefusalReason::NotForRole));
        }
    }

    #[test]
    fn each_kind_of_the_protocol_is_a_tool_that_roles_have_or_lack() {
        // Kind, tool, fixer, reviewer.
        for (kind, tool, fixer, reviewer) in [
            (ToolKind::Read, Tool::Read, true, true),
            (ToolKind::Search, Tool::Search, true, true),
            (ToolKind::Think, Tool::Think, true, true),
            (ToolKind::Edit, Tool::Edit, true, false),
            (ToolKind::Delete, Tool::Delete, true, false),
            (ToolKind::Move, Tool::Move, true, false),
            (ToolKind::Execute, Tool::Execute, true, false),
            (ToolKind::Fetch, Tool::Fetch, false, false),
            (ToolKind::SwitchMode, Tool::SwitchMode, false, false),
            (ToolKind::Other, Tool::Other, false, false),
        ] {
            assert_eq!(Tool::from(kind), tool);
            let has = [AgentRole::Fixer, AgentRole::Reviewer]
                .map(|role| allowed_tools(role).contains(&tool));
            assert_eq!(has, [fixer, reviewer], "{tool:?}");
        }
    }

    #[test]
    fn every_path_of_a_call_counts_whatever_the_tool() {
        let (root, mut allowed_folders) = test_folders();
        let check =
            |tool, paths: &[&str], ground: &AllowedFolders, expect: Result<(), RefusalReason>| {
                let named: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
                let found = check_permission(AgentRole::Fixer, tool, &named, ground);
                assert_eq!(found, expect, "{tool:?} {paths:?}");
            };
        let git = |path: &str| Err(RefusalReason::GitFolder { path: path.into() });
        let nested = "src/.git/hooks/x";
        for tool in [Tool::Edit, Tool::Delete, Tool::Move] {
            check(tool, &["src/a.rs", nested], &allowed_folders, git(nested));
        }
        let outside = Err(RefusalReason::OutsideFolder {
            path: "/etc".into(),
        });
        check(
            Tool::Execute,
            &["src", "/etc"],
            &allowed_folders,
            outside.clone(),
        );
        // The folder may be named by a link, as temporary folders are on some systems.
        let named = root.path().join("named");
        std::os::unix::fs::symlink(&allowed_folders.cwd, &named).unwrap();
        allowed_folders.cwd = named;
        check(Tool::Edit, &["src/a.rs"], &allowed_folders, Ok(()));
        check(Tool::Edit, &["/etc"], &allowed_folders, outside);
    }

    #[test]
    fn fields_that_name_a_path_are_known() {
        for name in [
            "path",
            "absPath",
            "cwd",
            "dir",
            "directory",
            "workdir",
            "file",
            "fileName",
        ] {
            assert!(is_path_name(name), "{name}");
        }
        for name in ["command", "content", "pattern", "paths_left", "profile"] {
            assert!(!is_path_name(name), "{name}");
        }
    }

    #[test]
    fn the_paths_of_a_call_are_found_wherever_it_names_them() {
        let call: ToolCallUpdate = serde_json::from_value(json!({
            "toolCallId": "1",
            "locations": [{"path": "/a", "line": 3}],
            "content": [{"type": "diff", "path": "/b", "oldText": "", "newText": "x"}],
            "rawInput": {"file_path": "/c", "workdir": "/d", "command": "cat /e", "filePath": "/f"},
        }))
        .unwrap();
        let mut paths = tool_call_paths(&call.fields);
        paths.sort();
        assert_eq!(paths, ["/a", "/b", "/c", "/d", "/f"].map(PathBuf::from));
    }

    #[test]
    fn an_answer_is_never_for_good() {
        let options: Vec<PermissionOption> = serde_json::from_value(json!([
            {"optionId": "1", "name": "", "kind": "allow_always"},
            {"optionId": "2", "name": "", "kind": "allow_once"},
            {"optionId": "3", "name": "", "kind": "reject_once"},
            {"optionId": "4", "name": "", "kind": "reject_always"},
        ]))
        .unwrap();
        assert_eq!(
            one_time_option(&options, true),
            Some(PermissionOptionId::new("2"))
        );
        assert_eq!(
            one_time_option(&options, false),
            Some(PermissionOptionId::new("3"))
        );
        assert_eq!(one_time_option(&options[..1], true), None);
        assert_eq!(one_time_option(&options[3..], false), None);
    }
}

//! What is known of an agent before it is started.

use super::mcp_spec::McpServerSpec;
use super::policy::AgentRole;
use crate::llm::Effort;
use collie_sandbox::HostPattern;
use std::path::PathBuf;

/// How to start an agent and what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSpec {
    /// How configuration names it: `codex`, `claude-code`, …
    pub id: String,
    /// Its name as people know it.
    pub name: String,
    /// Program and arguments. The program is looked up on `PATH` unless it holds a slash.
    pub command: Vec<String>,
    /// Arguments that make `command[0]` print its version and end; none when there is no such way.
    pub version_args: Vec<String>,
    /// Names of the variables that it needs to log in and to find its settings. Names of GitHub tokens and of Collie's
    /// own variables have no effect here (§6.5).
    pub env_allowed: Vec<String>,
    /// Variables that are set for it, after all others.
    pub extra_env: Vec<(String, String)>,
    /// Variables that are set after those where it reviews: what makes it refuse by itself, where a refusal of ours would
    /// end its turn.
    pub reviewer_env: Vec<(String, String)>,
    /// Variables whose value is a file or folder that it reads.
    pub path_variables: Vec<String>,
    /// Variables whose value is a program that it runs.
    pub program_variables: Vec<String>,
    /// Variables that move it to another server of its model: that one is reached as well.
    pub url_variables: Vec<String>,
    /// What it reaches of the network (§9.5), and nothing else.
    pub hosts: Vec<HostPattern>,
    /// Files of the user that it reads at its start, beside those of `login_hints`.
    pub home_files: Vec<FileHint>,
    /// Folders below its home where it keeps sessions, beside those of the files above and below: they outlive a turn, the rest of its home
    /// does not.
    pub state_folders: Vec<PathBuf>,
    /// Files and folders that the user lets it read.
    pub readable: Vec<PathBuf>,
    /// Where its login shows.
    pub login_hints: LoginHints,
    /// How it logs in with a variable when it asks for a login (`authenticate`); the first whose variable is set.
    pub env_auth: Vec<EnvAuthMethod>,
    /// The session mode that makes it ask for permission, by role.
    pub modes: SessionModes,
    /// Modes that come before those behind Collie's walls, where the agent's own sandbox cannot be put up: Landlock refuses every mount.
    pub sandboxed_modes: SessionModes,
    /// The model that the user wants of it, by the agent's own id or name; its own when none.
    pub model: Option<String>,
    /// How much that is to think; its own when none.
    pub effort: Option<Effort>,
    /// Servers of the user's that it is handed on.
    pub mcp_servers: Vec<McpServerSpec>,
}

impl AgentSpec {
    /// What follows the program in its command.
    pub(super) fn args(&self) -> &[String] {
        self.command.get(1..).unwrap_or_default()
    }
}

/// Where a login shows, without asking anybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoginHints {
    /// Variables that are a login when set and not empty.
    pub env: Vec<String>,
    /// Files that are a login when they exist.
    pub files: Vec<FileHint>,
    /// Files that may hold one, such as settings that name another provider.
    pub possible_files: Vec<FileHint>,
    /// Whether it may work without any of these: by a login in the system's keychain, or by models that want none.
    pub works_without_hints: bool,
}

/// A way to log in that wants nobody at the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvAuthMethod {
    /// The variable that holds the key.
    pub variable: String,
    /// The agent's id of the method.
    pub method: String,
}

/// A file below a folder that a variable may move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHint {
    /// The variable that names the folder.
    pub variable: String,
    /// Else: this folder below `HOME`.
    pub folder: String,
    /// The file in it.
    pub name: String,
}

/// Ids of session modes (`session/set_mode`), by role; the first that the agent offers is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionModes {
    /// For a fixer.
    pub fixer: Vec<String>,
    /// For a reviewer.
    pub reviewer: Vec<String>,
}

impl SessionModes {
    /// Those of one role.
    pub(super) fn for_role(&self, role: AgentRole) -> &[String] {
        match role {
            AgentRole::Fixer => &self.fixer,
            AgentRole::Reviewer => &self.reviewer,
        }
    }
}

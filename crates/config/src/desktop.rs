//! What only the desktop app goes by: its repositories and its own manners (§13.1, §13.5).

use collie_core::autonomy::Autonomy;
use collie_core::ids::{Login, RepoName};

/// A repository of the sidebar, with what its toggle starts loops for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedRepository {
    /// Which.
    pub name: RepoName,
    /// The Auto-PR-Review toggle: off unless a person switched it on.
    pub auto_pr_review_enabled: bool,
    /// Only pull requests by these; everybody's when empty.
    pub authors: Vec<Login>,
    /// Only pull requests with one of these labels; any when empty.
    pub labels: Vec<String>,
    /// Only pull requests into one of these branches; any when empty.
    pub base_branches: Vec<String>,
    /// What its pull requests bring is run without a sandbox: verify commands and agents may do all that the user may (§9.5).
    pub unsandboxed: bool,
    /// Repositories that are not public and whose issues its pull requests may have read all the same (§9.1).
    pub read_from: Vec<RepoName>,
    /// How far Collie goes by itself here (§13.7); none in files of before that was asked.
    pub autonomy: Option<Autonomy>,
    /// Numbers of pull requests that the toggle leaves out.
    pub except: Vec<u64>,
}

impl WatchedRepository {
    /// A repository with the toggle off and no filter.
    pub fn new(name: RepoName) -> Self {
        Self {
            name,
            auto_pr_review_enabled: false,
            authors: Vec::new(),
            labels: Vec::new(),
            base_branches: Vec::new(),
            unsandboxed: false,
            read_from: Vec::new(),
            autonomy: None,
            except: Vec::new(),
        }
    }
}

/// `[desktop]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DesktopConfig {
    /// `theme`.
    pub theme: Theme,
    /// `notifications`: the system's, on ready, needs a person, failed.
    pub notifications: bool,
    /// `keep_running`: closing the window leaves loops at work, in the tray.
    pub keep_running: bool,
    /// `new_repositories`: how far Collie goes by itself in those that are added from now on (§13.7).
    pub new_repositories: Autonomy,
}

impl Default for DesktopConfig {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            notifications: true,
            keep_running: true,
            // Nothing is written to a new repository until a person says so.
            new_repositories: Autonomy::Observe,
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

//! Bringing repositories in, and opening pull requests in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Forge;
use crate::actions::pulls::{self, NewPull};
use crate::clock::now;
use crate::error::ForgeError;
use crate::git_dir::{self, GitDir};
use crate::model::{Account, AccountKind, RepoMeta, RepoName, RepoState, Role, Sha};

/// Logins of the shipped cast that have a role in every imported repository.
const CAST_ROLES: [(&str, Role); 4] = [
    ("octo", Role::Member),
    ("ana", Role::Member),
    ("ben", Role::Collaborator),
    ("kim", Role::Collaborator),
];

/// Keeps pushes away from what only the forge writes, and protected branches whole.
const UPDATE_HOOK: &str = "#!/bin/sh
# Arguments: ref, old id, new id. FORGE_PROTECTED: protected branches, one a line.
# FORGE_PUSHABLE: where it is set, the only branches that may be pushed to.
branch=${1#refs/heads/}
if [ -n \"${FORGE_PUSHABLE+x}\" ] && ! printf '%s\\n' \"$FORGE_PUSHABLE\" | grep -Fxq -- \"$branch\"; then
    echo \"error: permission to update $1 denied.\" >&2
    exit 1
fi
[ \"$branch\" = \"$1\" ] && exit 0
zero=0000000000000000000000000000000000000000
printf '%s\\n' \"$FORGE_PROTECTED\" | grep -Fxq -- \"$branch\" || exit 0
if [ \"$3\" = $zero ]; then
    echo \"error: GH006: Protected branch update failed for $1.\" >&2
    echo 'error: Cannot delete this protected branch' >&2
    exit 1
fi
[ \"$2\" = $zero ] && exit 0
if ! git merge-base --is-ancestor \"$2\" \"$3\"; then
    echo \"error: GH006: Protected branch update failed for $1.\" >&2
    echo 'error: Cannot force-push to this branch' >&2
    exit 1
fi
";

impl Forge {
    /// Takes in a copy of a git repository (bare or not), with its branches and tags.
    ///
    /// The owner is added as an account where there is none, and gets the role `owner`; the
    /// people of the shipped cast get the roles of `CAST_ROLES`.
    pub async fn import(&self, name: &RepoName, source: &Path) -> Result<(), ForgeError> {
        let owner = self.owner_account(name.owner())?;
        let default_branch = self.copy_git(name, source).await?;
        let meta = self.new_meta(name, &owner, default_branch);
        self.add_repo(RepoState::new(meta))
    }

    /// Copies a git repository to where that of a new repository is; gives its default branch.
    pub(crate) async fn copy_git(
        &self,
        name: &RepoName,
        source: &Path,
    ) -> Result<String, ForgeError> {
        if self.repo_cell(name).is_ok() {
            return Err(ForgeError::RepoExists(name.to_string()));
        }
        let dir = self.git_path(name);
        let folder = dir.parent().unwrap_or(self.root()).to_owned();
        std::fs::create_dir_all(&folder).map_err(ForgeError::io("create", &folder))?;
        let temporary =
            tempfile::tempdir_in(&folder).map_err(ForgeError::io("create a folder in", &folder))?;
        let copy = temporary.path().join("copy.git");
        clone_bare(source, &copy).await?;
        let git = GitDir::new(copy.clone());
        let default_branch = ensure_head_branch(&git).await?;
        configure_repository(&git).await?;
        // What is left of an import that was cut off has no state, so nobody saw it.
        if dir.exists() {
            std::fs::remove_dir_all(&dir).map_err(ForgeError::io("remove", &dir))?;
        }
        std::fs::rename(&copy, &dir).map_err(ForgeError::io("move into place", &dir))?;
        Ok(default_branch)
    }

    /// Opens a pull request; gives its number.
    ///
    /// `base` and `head` are branches or commits; for a commit that no named branch stands for, a
    /// branch `pr-N-base` or `pr-N-head` is made.
    pub async fn open_pr(
        &self,
        repo: &RepoName,
        base: &str,
        head: &str,
        title: &str,
        body: &str,
        author: &str,
    ) -> Result<u64, ForgeError> {
        let author = self.account_by_login(author).ok_or_else(|| {
            ForgeError::custom_validation("PullRequest", "author", format!("no account `{author}`"))
        })?;
        let git = self.git(repo)?;
        let next_number = self.read(repo, |state| state.meta.next_number)?;
        let base_ref = branch_or_new(&git, base, &format!("pr-{next_number}-base")).await?;
        let head_ref = branch_or_new(&git, head, &format!("pr-{next_number}-head")).await?;
        let new = NewPull {
            title: title.to_owned(),
            body: (!body.is_empty()).then(|| body.to_owned()),
            base_ref,
            head_ref,
            head_owner: None,
            maintainer_can_modify: false,
            draft: false,
        };
        pulls::open(self, &author, repo, new).await
    }

    fn owner_account(&self, login: &str) -> Result<Account, ForgeError> {
        match self.account_by_login(login) {
            Some(account) => Ok(account),
            None => self.add_account(login, AccountKind::User, None),
        }
    }

    fn new_meta(&self, name: &RepoName, owner: &Account, default_branch: String) -> RepoMeta {
        let at = now();
        let mut roles: BTreeMap<_, _> = CAST_ROLES
            .iter()
            .filter_map(|(login, role)| Some((self.account_by_login(login)?.id, *role)))
            .collect();
        roles.insert(owner.id, Role::Owner);
        RepoMeta {
            id: self.next_id(),
            name: name.clone(),
            owner: owner.id,
            fork_of: None,
            private: false,
            archived: false,
            default_branch,
            description: None,
            created_at: at,
            pushed_at: at,
            updated_at: at,
            roles,
            protection: BTreeMap::new(),
            merge_queue: BTreeSet::new(),
            allow_merge_commit: true,
            allow_squash_merge: true,
            allow_rebase_merge: true,
            allow_auto_merge: true,
            labels: BTreeMap::new(),
            next_number: 1,
            moved_issues: Default::default(),
            hooks: BTreeMap::new(),
            bots: serde_json::Value::Null,
        }
    }

    /// Where a repository's git folder is.
    pub(crate) fn git_path(&self, name: &RepoName) -> std::path::PathBuf {
        self.root().join("git").join(format!("{}.git", name.key()))
    }

    /// A repository's git folder.
    pub fn git(&self, repo: &RepoName) -> Result<GitDir, ForgeError> {
        let name = self.repo_cell(repo)?.name.clone();
        Ok(GitDir::new(self.git_path(&name)))
    }
}

async fn clone_bare(source: &Path, copy: &Path) -> Result<(), ForgeError> {
    let source = collie_platform::real_path(source)
        .map_err(ForgeError::io("find the repository", source))?;
    let from = source.to_string_lossy().into_owned();
    let to = copy.to_string_lossy().into_owned();
    let args = [
        "clone",
        "--quiet",
        "--bare",
        "--no-hardlinks",
        "--",
        &from,
        &to,
    ];
    // Folders of other users are fine to read: only objects and refs are copied.
    let mut command = git_dir::git_command(Path::new("/"));
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*");
    let output = git_dir::run_git(&mut command, &source, &args, b"").await?;
    if output.code == 0 {
        Ok(())
    } else {
        Err(ForgeError::Git {
            command: "clone --bare".to_owned(),
            repo: source,
            stderr: output.stderr,
        })
    }
}

/// Makes HEAD point at a branch that is there, and names it.
async fn ensure_head_branch(git: &GitDir) -> Result<String, ForgeError> {
    let branches = git.branches().await?;
    let head = git.head_branch().await?;
    if let Some(name) = &head
        && (branches.contains_key(name) || branches.is_empty())
    {
        return Ok(name.clone());
    }
    let existing_branch = ["main", "master"]
        .into_iter()
        .find(|name| branches.contains_key(*name))
        .map(str::to_owned)
        .or_else(|| branches.keys().next().cloned());
    let name = match existing_branch {
        Some(name) => name,
        None => {
            // A detached HEAD without any branch: give it one.
            if let Some(tip) = git.commit_id("HEAD").await? {
                git.update_ref("refs/heads/main", &tip, None).await?;
            }
            "main".to_owned()
        }
    };
    git.run(&["symbolic-ref", "HEAD", &format!("refs/heads/{name}")])
        .await?;
    Ok(name)
}

async fn configure_repository(git: &GitDir) -> Result<(), ForgeError> {
    for (key, value) in [
        ("http.receivepack", "true"),
        ("receive.hideRefs", "refs/pull"),
        ("receive.autogc", "false"),
        ("gc.auto", "0"),
        ("uploadpack.allowAnySHA1InWant", "true"),
        ("uploadpack.allowFilter", "true"),
        ("core.hooksPath", "hooks"),
    ] {
        git.run(&["config", key, value]).await?;
    }
    // The source's remote is nobody's business here.
    git.output(&["remote", "remove", "origin"], b"").await?;
    let hooks = git.path().join("hooks");
    std::fs::create_dir_all(&hooks).map_err(ForgeError::io("create", &hooks))?;
    let hook = hooks.join("update");
    std::fs::write(&hook, UPDATE_HOOK).map_err(ForgeError::io("write", &hook))?;
    make_executable(&hook)
}

fn make_executable(path: &Path) -> Result<(), ForgeError> {
    collie_platform::make_executable(path).map_err(ForgeError::io("make executable", path))
}

/// The branch itself, or one newly made at the commit.
async fn branch_or_new(git: &GitDir, name: &str, new_branch: &str) -> Result<String, ForgeError> {
    if git.branch(name).await?.is_some() {
        return Ok(name.to_owned());
    }
    let sha: Sha = git.commit_id(name).await?.ok_or_else(|| {
        ForgeError::custom_validation(
            "PullRequest",
            "head",
            format!("`{name}` is no branch or commit"),
        )
    })?;
    git.update_ref(&format!("refs/heads/{new_branch}"), &sha, None)
        .await?;
    Ok(new_branch.to_owned())
}

//! What a repository says of itself: configuration, rules, personas. All of it is read from a commit of the default branch, never from
//! the pull request's base, which may be anybody's branch (§9.3, §12). Without a commit there is none.

use crate::effect_host::{EffectHost, pull_ref, remote};
use crate::ports::{Git, GitError, GitRemote, PullRef};
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;

/// `.collie.toml` as of a commit.
pub(crate) async fn config_file(
    host: &dyn EffectHost,
    state: &LoopState,
    commit: Option<&Sha>,
) -> Result<Option<Vec<u8>>, GitError> {
    const NAME: &str = ".collie.toml";
    let Some(commit) = commit else {
        return Ok(None);
    };
    let (pull, remote) = (pull_ref(state), remote(host.ports(), state));
    let files = host
        .ports()
        .git
        .files_at(&pull, &remote, commit, NAME)
        .await?;
    Ok(files
        .into_iter()
        .find(|(path, _)| path == NAME)
        .map(|(_, text)| text))
}

/// The repository's own rules as of a commit.
pub(crate) async fn rule_files(
    git: &dyn Git,
    pull: &PullRef,
    remote: &GitRemote,
    commit: Option<&Sha>,
) -> Result<Vec<(String, Vec<u8>)>, GitError> {
    let folder = (".collie/rules", &[".yml", ".yaml"] as &[&str]);
    repository_files(git, pull, remote, commit, folder).await
}

/// The repository's own personas at a commit: path and text.
pub(crate) async fn persona_files(
    git: &dyn Git,
    pull: &PullRef,
    remote: &GitRemote,
    commit: Option<&Sha>,
) -> Result<Vec<(String, Vec<u8>)>, GitError> {
    let folder = (".collie/personas", &[".md"] as &[&str]);
    repository_files(git, pull, remote, commit, folder).await
}

async fn repository_files(
    git: &dyn Git,
    pull: &PullRef,
    remote: &GitRemote,
    commit: Option<&Sha>,
    (folder, endings): (&str, &[&str]),
) -> Result<Vec<(String, Vec<u8>)>, GitError> {
    let Some(commit) = commit else {
        return Ok(Vec::new());
    };
    let mut files = git.files_at(pull, remote, commit, folder).await?;
    files.retain(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)));
    Ok(files)
}

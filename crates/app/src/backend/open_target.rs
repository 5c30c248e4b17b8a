//! What commands open outside the window. Addresses come from GitHub and paths from the data folder, never from the window.

use super::backend_state::Backend;
use super::listings::{parse_pull, parse_repository};
use crate::engine_client::journal::create_folder;
use collie_config::data_paths;
use collie_config::host_of;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::finding_page::finding_page;
use collie_core::ids::Fingerprint;
use collie_core::loop_state::LoopState;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::user_error::UserError;
use collie_wire::rpc::OpenTarget;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something outside the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternalTarget {
    /// An address for the browser.
    Url(String),
    /// A folder or file of this machine.
    Path(PathBuf),
    /// A file of somebody's pull request, for an editor: nothing else may open it, since that might run it.
    Code {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: Option<u32>,
        /// The folder that it was taken out to, for where there is no editor.
        folder: PathBuf,
    },
}

/// Finds what a target means.
pub(super) async fn resolve(
    backend: &Backend,
    target: &OpenTarget,
) -> Result<ExternalTarget, UserError> {
    match target {
        OpenTarget::Item { key } => item_page(backend, key),
        OpenTarget::Check { key, name } => check_page(backend, key, name),
        OpenTarget::Commit { key, sha } => {
            let session = backend.session()?;
            let repo = parse_pull(key)?.repo;
            Ok(ExternalTarget::Url(format!(
                "{}/{repo}/commit/{sha}",
                web_url(&session.config.get().api_url)
            )))
        }
        OpenTarget::Checks { key } => {
            let ExternalTarget::Url(page) = item_page(backend, key)? else {
                return Err(UserError::new(ErrorCode::NoPage).with("name", key));
            };
            Ok(ExternalTarget::Url(format!("{page}/checks")))
        }
        OpenTarget::Thread { key, fingerprint } => {
            let (state, known) = finding_of(backend, key, fingerprint)?;
            let page = finding_page(&state, &known);
            let nothing = || UserError::new(ErrorCode::NoPage).with("name", &known.finding.title);
            web_address(&page.ok_or_else(nothing)?)
        }
        OpenTarget::Code { key, fingerprint } => code_of_finding(backend, key, fingerprint),
        OpenTarget::Worktree { key } => {
            let session = backend.session()?;
            let state = session.engine.find(&parse_pull(key)?);
            let folder = state.and_then(|state| session.clones.worktree(&state.id));
            folder
                .map(ExternalTarget::Path)
                .ok_or_else(|| UserError::new(ErrorCode::NoWorktree).with("pull", key))
        }
        OpenTarget::Configuration => configuration_file(backend),
        OpenTarget::Logs => Ok(ExternalTarget::Path(data_paths::logs_folder(
            &backend.shared.options.folder,
        ))),
        OpenTarget::NewToken => {
            let api = backend.configuration()?.api_url;
            Ok(ExternalTarget::Url(format!(
                "{}/settings/tokens/new?scopes=repo&description=Collie",
                web_url(&api)
            )))
        }
    }
}

/// The user's `config.toml`, made where it is not there.
fn configuration_file(backend: &Backend) -> Result<ExternalTarget, UserError> {
    let folder = &backend.shared.options.folder;
    create_folder(folder)?;
    let path = data_paths::config_file(folder);
    // There has to be something to open; an empty file says what a missing one does.
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .map_err(|error| {
            UserError::new(ErrorCode::Folder)
                .with("folder", path.display())
                .with("message", error)
                .hint(ErrorHint::DataFolder)
        })?;
    Ok(ExternalTarget::Path(path))
}

/// The file of a finding in the loop's worktree.
fn code_of_finding(
    backend: &Backend,
    key: &str,
    fingerprint: &str,
) -> Result<ExternalTarget, UserError> {
    let (state, known) = finding_of(backend, key, fingerprint)?;
    let folder = backend.session()?.clones.worktree(&state.id);
    let no_worktree = || UserError::new(ErrorCode::NoWorktree).with("pull", key);
    let folder = folder.ok_or_else(no_worktree)?;
    let file = &known.finding.file;
    let no_file = || UserError::new(ErrorCode::NoPage).with("name", file);
    let path = file_below(&folder, file).ok_or_else(no_file)?;
    let line = known.finding.line;
    Ok(ExternalTarget::Code { path, line, folder })
}

fn finding_of(
    backend: &Backend,
    key: &str,
    fingerprint: &str,
) -> Result<(Arc<LoopState>, TrackedFinding), UserError> {
    let pull = parse_pull(key)?;
    let state = backend.session()?.engine.find(&pull);
    let state = state.ok_or_else(|| UserError::new(ErrorCode::NoLoop).with("pull", &pull))?;
    let known = state
        .run
        .review
        .findings
        .get(&Fingerprint::new(fingerprint));
    let known = known.cloned();
    let known = known.ok_or_else(|| UserError::new(ErrorCode::NoFinding).with("pull", &pull))?;
    Ok((state, known))
}

/// A file of a pull request below its worktree; none where a link, or its name, leads out of that.
fn file_below(folder: &Path, file: &str) -> Option<PathBuf> {
    let folder = collie_platform::real_path(folder).ok()?;
    let path = collie_platform::real_path(&folder.join(file)).ok()?;
    (path.starts_with(&folder) && path.is_file()).then_some(path)
}

/// A pull request or an issue: GitHub leads from one kind's address to the other's.
fn item_page(backend: &Backend, key: &str) -> Result<ExternalTarget, UserError> {
    let session = backend.session()?;
    let name = parse_pull(key)?;
    if let Some(state) = session.engine.find(&name) {
        return web_address(&state.pull.url);
    }
    let repo = parse_repository(&name.repo.to_string())?;
    let web = web_url(&session.config.get().api_url);
    Ok(ExternalTarget::Url(format!(
        "{web}/{repo}/issues/{}",
        name.number
    )))
}

fn check_page(backend: &Backend, key: &str, name: &str) -> Result<ExternalTarget, UserError> {
    let nothing = || UserError::new(ErrorCode::NoPage).with("name", name);
    let state = backend
        .session()?
        .engine
        .find(&parse_pull(key)?)
        .ok_or_else(nothing)?;
    let check = state
        .run
        .polling
        .last_snapshot
        .checks
        .iter()
        .find(|check| check.name == name);
    let url = check
        .and_then(|check| check.url.clone())
        .ok_or_else(nothing)?;
    web_address(&url)
}

/// Lets through what a browser may be sent to: a check's page is named by whoever reported the check.
fn web_address(url: &str) -> Result<ExternalTarget, UserError> {
    let is_web_address = ["https://", "http://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
        && !url.chars().any(|c| c.is_control() || c.is_whitespace());
    if is_web_address {
        Ok(ExternalTarget::Url(url.to_owned()))
    } else {
        Err(UserError::new(ErrorCode::NoPage).with("name", url))
    }
}

/// Where people find what an API address belongs to.
fn web_url(api_url: &str) -> String {
    if host_of(api_url) == "github.com" {
        return "https://github.com".to_owned();
    }
    api_url
        .trim_end_matches('/')
        .trim_end_matches("/api/v3")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_find_a_host_where_its_api_says() {
        for (api, expect) in [
            ("https://api.github.com", "https://github.com"),
            ("https://ghe.example.com/api/v3", "https://ghe.example.com"),
            ("http://127.0.0.1:4000/api/v3", "http://127.0.0.1:4000"),
        ] {
            assert_eq!(web_url(api), expect);
        }
    }

    #[test]
    fn a_file_is_opened_only_inside_the_worktree() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("worktree");
        std::fs::create_dir_all(inside.join("src")).expect("a folder");
        std::fs::write(inside.join("src/a.rs"), "fn a() {}").expect("a file");
        std::fs::write(folder.path().join("secret"), "x").expect("a file");
        let found = file_below(&inside, "src/a.rs").expect("it is there");
        assert!(found.ends_with("worktree/src/a.rs"));
        let outside = folder.path().join("secret");
        let odd = [
            "../secret",
            "src",
            "",
            "gone.rs",
            outside.to_str().unwrap_or_default(),
        ];
        for file in odd {
            assert_eq!(file_below(&inside, file), None, "{file}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, inside.join("link")).expect("a link");
            assert_eq!(file_below(&inside, "link"), None);
        }
    }

    #[test]
    fn only_web_addresses_are_opened() {
        assert!(web_address("https://ci.example.com/1").is_ok());
        for odd in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://a b",
            "",
            "https://a\nb",
        ] {
            assert!(web_address(odd).is_err(), "{odd}");
        }
    }
}

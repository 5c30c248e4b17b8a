//! What commands open outside the window. Addresses come from GitHub and paths from the data folder, never from the window.

use super::lists::{pull, repository};
use super::{Desk, Opens, Problem};
use crate::config::host_of;
use crate::home;
use collie_wire::rpc::OpenTarget;

/// Finds what a target means.
pub(super) async fn opens(desk: &Desk, target: &OpenTarget) -> Result<Opens, Problem> {
    match target {
        OpenTarget::Item { key } => item(desk, key),
        OpenTarget::Check { key, name } => check(desk, key, name),
        OpenTarget::Commit { key, sha } => {
            let work = desk.work()?;
            let repo = pull(key)?.repo;
            Ok(Opens::Address(format!(
                "{}/{repo}/commit/{sha}",
                web(&work.config.get().api_url)
            )))
        }
        OpenTarget::Worktree { key } => {
            let work = desk.work()?;
            let state = work.find(&pull(key)?);
            let folder = state.and_then(|state| work.clones.worktree(&state.id));
            folder
                .map(Opens::Path)
                .ok_or_else(|| Problem::new("no_worktree").with("pull", key))
        }
        OpenTarget::Configuration => {
            let folder = &desk.shared.options.folder;
            folder.create()?;
            let path = home::config_file(folder);
            // There has to be something to open; an empty file says what a missing one does.
            std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(&path)
                .map_err(|error| {
                    Problem::new("folder")
                        .with("folder", path.display())
                        .with("message", error)
                        .hint("data_folder")
                })?;
            Ok(Opens::Path(path))
        }
        OpenTarget::Logs => Ok(Opens::Path(home::logs(&desk.shared.options.folder))),
        OpenTarget::NewToken => {
            let api = desk.configuration()?.api_url;
            Ok(Opens::Address(format!(
                "{}/settings/tokens/new?scopes=repo&description=Collie",
                web(&api)
            )))
        }
    }
}

/// A pull request or an issue: GitHub leads from one kind's address to the other's.
fn item(desk: &Desk, key: &str) -> Result<Opens, Problem> {
    let work = desk.work()?;
    let name = pull(key)?;
    if let Some(state) = work.find(&name) {
        return address(&state.url);
    }
    let repo = repository(&name.repo.to_string())?;
    let web = web(&work.config.get().api_url);
    Ok(Opens::Address(format!(
        "{web}/{repo}/issues/{}",
        name.number
    )))
}

fn check(desk: &Desk, key: &str, name: &str) -> Result<Opens, Problem> {
    let nothing = || Problem::new("no_page").with("name", name);
    let state = desk.work()?.find(&pull(key)?).ok_or_else(nothing)?;
    let check = state.seen.checks.iter().find(|check| check.name == name);
    let url = check
        .and_then(|check| check.url.clone())
        .ok_or_else(nothing)?;
    address(&url)
}

/// Lets through what a browser may be sent to: a check's page is named by whoever reported the check.
fn address(url: &str) -> Result<Opens, Problem> {
    let fits = ["https://", "http://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
        && !url.chars().any(|c| c.is_control() || c.is_whitespace());
    if fits {
        Ok(Opens::Address(url.to_owned()))
    } else {
        Err(Problem::new("no_page").with("name", url))
    }
}

/// Where people find what an API address belongs to.
fn web(api_url: &str) -> String {
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
            assert_eq!(web(api), expect);
        }
    }

    #[test]
    fn only_web_addresses_are_opened() {
        assert!(address("https://ci.example.com/1").is_ok());
        for odd in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://a b",
            "",
            "https://a\nb",
        ] {
            assert!(address(odd).is_err(), "{odd}");
        }
    }
}

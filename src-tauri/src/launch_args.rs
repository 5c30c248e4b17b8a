//! What the command line asks for, of this start or of a second one.

use collie_core::ids::{PullName, RepoName};
use tauri::Url;

/// What a start is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchRequest {
    /// Open the window.
    Window,
    /// Open the window and show a pull request in it.
    PullRequest(PullName),
    /// Say how the command is used.
    Help,
    /// Say which version this is.
    Version,
    /// An option that there is none of.
    UnknownOption(String),
    /// Something that names no pull request: the window opens and says so.
    InvalidArgument(String),
}

/// Opens the demo where nobody has signed in yet. Beside it stands what else is asked for.
const DEMO: &str = "--demo";

/// Whether the demo is to be opened where nobody has signed in yet.
pub fn wants_demo<T: AsRef<str>>(arguments: &[T]) -> bool {
    arguments.iter().any(|argument| argument.as_ref() == DEMO)
}

/// Reads the arguments behind the program's name. Of those that are no `--demo`, only the first counts.
pub fn parse<T: AsRef<str>>(arguments: &[T]) -> LaunchRequest {
    let mut others = arguments.iter().map(AsRef::as_ref).filter(|a| *a != DEMO);
    let Some(first) = others.next().map(str::trim) else {
        return LaunchRequest::Window;
    };
    match first {
        "" => LaunchRequest::Window,
        "--help" | "-h" => LaunchRequest::Help,
        "--version" | "-V" => LaunchRequest::Version,
        option if option.starts_with('-') => LaunchRequest::UnknownOption(option.to_owned()),
        name => parse_pull(name).map_or_else(
            || LaunchRequest::InvalidArgument(name.chars().take(120).collect()),
            LaunchRequest::PullRequest,
        ),
    }
}

/// Reads `OWNER/REPO#N`, the address of a pull request on GitHub or a GitHub Enterprise host, or `collie://open/OWNER/REPO/N`.
fn parse_pull(text: &str) -> Option<PullName> {
    if let Ok(pull) = PullName::parse(text) {
        return Some(pull);
    }
    let url = Url::parse(text).ok()?;
    let path: Vec<&str> = url
        .path_segments()
        .map(|parts| parts.filter(|part| !part.is_empty()).collect())
        .unwrap_or_default();
    let (owner, repo, number) = match (url.scheme(), url.host_str(), path.as_slice()) {
        ("collie", Some("open"), [owner, repo, number])
        | ("https" | "http", Some(_), [owner, repo, "pull", number, ..]) => (owner, repo, number),
        _ => return None,
    };
    let repo = RepoName::parse(&format!("{owner}/{repo}")).ok()?;
    PullName::parse(&format!("{repo}#{number}")).ok()
}

#[cfg(test)]
mod tests {
    use super::{LaunchRequest, parse, wants_demo};
    use collie_core::ids::PullName;

    fn check(arguments: &[&str], expect: LaunchRequest) {
        assert_eq!(parse(arguments), expect, "{arguments:?}");
    }

    #[test]
    fn a_pull_request_is_understood_by_name_and_by_address() {
        let named = || LaunchRequest::PullRequest(PullName::parse("acme/api#7").unwrap());
        for text in [
            "acme/api#7",
            " acme/api#7 ",
            "https://github.com/acme/api/pull/7",
            "https://github.com/acme/api/pull/7/files#diff-1",
            "https://github.example.com/acme/api/pull/7?w=1",
            "collie://open/acme/api/7",
            "collie://open/acme/api/7/",
        ] {
            check(&[text], named());
        }
        check(&["acme/api#7", "acme/api#8"], named());
    }

    #[test]
    fn what_names_no_pull_request_is_reported_and_not_followed() {
        for text in [
            "acme/api",
            "acme/api#0",
            "acme/api#x",
            "https://github.com/acme/api/issues/7",
            "https://github.com/acme/api/pull/",
            "collie://merge/acme/api/7",
            "collie://open/acme/api/7/more",
            "collie://open/acme/..%2F/7",
            "file:///acme/api/pull/7",
            "javascript:acme/api/pull/7",
            "\u{202e}",
        ] {
            check(&[text], LaunchRequest::InvalidArgument(text.to_owned()));
        }
        let long = "a".repeat(5_000);
        check(&[&long], LaunchRequest::InvalidArgument("a".repeat(120)));
    }

    #[test]
    fn the_demo_is_asked_for_by_its_option_alone() {
        assert!(wants_demo(&["--demo"]));
        assert!(wants_demo(&["acme/api#7", "--demo"]));
        assert!(!wants_demo(&["--demos"]));
        assert!(!wants_demo::<&str>(&[]));
    }

    #[test]
    fn options_are_distinguished() {
        check(&[], LaunchRequest::Window);
        check(&["--demo"], LaunchRequest::Window);
        check(&["--demo", "--version"], LaunchRequest::Version);
        check(&[""], LaunchRequest::Window);
        check(&["--help"], LaunchRequest::Help);
        check(&["-V"], LaunchRequest::Version);
        check(
            &["--merge"],
            LaunchRequest::UnknownOption("--merge".to_owned()),
        );
    }
}

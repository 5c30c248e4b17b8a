//! What the command line asks for, of this start or of a second one.

use collie_core::ids::{PullName, RepoName};
use tauri::Url;

/// What a start is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Open the window.
    Window,
    /// Open the window and show a pull request in it.
    Pull(PullName),
    /// Say how the command is used.
    Help,
    /// Say which version this is.
    Version,
    /// An option that there is none of.
    NoOption(String),
    /// Something that names no pull request: the window opens and says so.
    NotUnderstood(String),
}

/// Opens the demo where nobody has signed in yet. Beside it stands what else is asked for.
const DEMO: &str = "--demo";

/// Whether the demo is to be opened where nobody has signed in yet.
pub fn wants_demo<T: AsRef<str>>(arguments: &[T]) -> bool {
    arguments.iter().any(|argument| argument.as_ref() == DEMO)
}

/// Reads the arguments behind the program's name. Of those that are no `--demo`, only the first counts.
pub fn read<T: AsRef<str>>(arguments: &[T]) -> Asked {
    let mut others = arguments.iter().map(AsRef::as_ref).filter(|a| *a != DEMO);
    let Some(first) = others.next().map(str::trim) else {
        return Asked::Window;
    };
    match first {
        "" => Asked::Window,
        "--help" | "-h" => Asked::Help,
        "--version" | "-V" => Asked::Version,
        option if option.starts_with('-') => Asked::NoOption(option.to_owned()),
        name => pull(name).map_or_else(
            || Asked::NotUnderstood(name.chars().take(120).collect()),
            Asked::Pull,
        ),
    }
}

/// Reads `OWNER/REPO#N`, the address of a pull request on GitHub or a GitHub Enterprise host, or `collie://open/OWNER/REPO/N`.
fn pull(text: &str) -> Option<PullName> {
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
    use super::{Asked, read, wants_demo};
    use collie_core::ids::PullName;

    fn check(arguments: &[&str], expect: Asked) {
        assert_eq!(read(arguments), expect, "{arguments:?}");
    }

    #[test]
    fn a_pull_request_is_understood_by_name_and_by_address() {
        let named = || Asked::Pull(PullName::parse("acme/api#7").unwrap());
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
    fn what_names_no_pull_request_is_told_and_not_followed() {
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
            check(&[text], Asked::NotUnderstood(text.to_owned()));
        }
        let long = "a".repeat(5_000);
        check(&[&long], Asked::NotUnderstood("a".repeat(120)));
    }

    #[test]
    fn the_demo_is_asked_for_by_its_option_alone() {
        assert!(wants_demo(&["--demo"]));
        assert!(wants_demo(&["acme/api#7", "--demo"]));
        assert!(!wants_demo(&["--demos"]));
        assert!(!wants_demo::<&str>(&[]));
    }

    #[test]
    fn options_are_told_apart() {
        check(&[], Asked::Window);
        check(&["--demo"], Asked::Window);
        check(&["--demo", "--version"], Asked::Version);
        check(&[""], Asked::Window);
        check(&["--help"], Asked::Help);
        check(&["-V"], Asked::Version);
        check(&["--merge"], Asked::NoOption("--merge".to_owned()));
    }
}

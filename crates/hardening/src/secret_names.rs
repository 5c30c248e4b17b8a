//! Which variables hold a secret, told by their names.

use std::path::Path;

/// Parts of a variable's name that say that its value is a secret.
const SECRET_NAME_PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "KEY",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "PAT",
];

/// Whether a variable's name says that it holds a secret: `GITHUB_TOKEN`, `my_api_key`.
pub fn names_secret(name: &str) -> bool {
    name.to_ascii_uppercase()
        .split('_')
        .any(|part| SECRET_NAME_PARTS.contains(&part))
}

/// Whether a value that stands under such a name is one. `PWD`, `SSH_AUTH_SOCK` and files of keys hold paths.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    let is_path = value.starts_with(['/', '~', '.']) || Path::new(value).is_absolute();
    // The address of a database has its password in it.
    let may_hold = names_secret(name) || name == "DATABASE_URL";
    may_hold && !value.is_empty() && !is_path
}

/// The variables of the environment that hold a secret. A value that is no UTF-8 is none that anything takes.
pub(crate) fn in_environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| is_secret(name, value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_the_names_of_their_variables() {
        for (name, value) in [
            ("GITHUB_TOKEN", "forge-me"),
            ("DATABASE_URL", "postgres://collie:x@db/collie"),
            ("GH_TOKEN", "x"),
            ("LLM_API_KEY", "k"),
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDE_CODE_OAUTH_TOKEN", "t"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("my_api_key", "k"),
        ] {
            assert!(is_secret(name, value), "{name}");
        }
        for (name, value) in [
            ("PWD", "/home/ana"),
            ("SSH_AUTH_SOCK", "/run/ssh.sock"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "~/key.json"),
            ("GITHUB_TOKEN", ""),
            ("KEYBOARD", "qwerty"),
            ("PATH", "bin"),
            ("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS", "me"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}

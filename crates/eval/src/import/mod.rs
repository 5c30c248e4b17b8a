//! Reads the sets that others publish into cases.
//!
//! Neither has the code, and Martian's not even the commits: `collie eval import --clones DIR` looks them up in clones.

mod aacr;
mod martian;

pub use aacr::parse_aacr;
pub use martian::parse_martian;

use crate::set_error::{SetError, SetProblem};
use collie_core::ids::RepoName;
use serde::de::DeserializeOwned;

/// Reads JSON; an error says where.
fn parse_json<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, SetError> {
    serde_json::from_str(text).map_err(|error| SetError {
        file: file.to_owned(),
        line: error.line() as u64,
        key: String::new(),
        problem: SetProblem::Syntax(error.to_string()),
    })
}

/// The repository and the number of a pull request's address.
fn parse_pull_url(file: &str, key: &str, url: &str) -> Result<(RepoName, u64), SetError> {
    let wrong = || SetError {
        file: file.to_owned(),
        line: 1,
        key: key.to_owned(),
        problem: SetProblem::BadRepository(url.chars().take(200).collect()),
    };
    let rest = url
        .strip_prefix("https://github.com/")
        .ok_or_else(wrong)?
        .trim_end_matches('/');
    let (repo, number) = rest.split_once("/pull/").ok_or_else(wrong)?;
    let repo = RepoName::parse(repo).map_err(|_| wrong())?;
    Ok((repo, number.parse().map_err(|_| wrong())?))
}

/// The name of a case made of a pull request.
fn case_id(repo: &RepoName, number: u64) -> String {
    format!("{}-{}-{number}", repo.owner(), repo.name())
}

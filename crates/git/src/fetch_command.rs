//! How git is called to fetch: everything, or without files (0023).

use crate::git_command::GitCommand;

/// How every fetch begins.
pub(crate) const FETCH: &[&str] = &[
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--update-shallow",
];

/// What is left out of what is fetched.
const BLOB_FILTER: &str = "blob:none";
/// The name of the remote in a call that fetches from a partial clone; its URL is a setting of the call.
const PROMISOR: &str = "collie";

/// A fetch of commits and folders alone. Git marks what it gets as possibly incomplete, and asks nobody for the rest: the remote has a name
/// and is known to promise it for this call only.
pub(crate) fn without_blobs<'a>(args: impl Iterator<Item = &'a str>, url: &str) -> GitCommand {
    let fetch = GitCommand::new(args).arg("--end-of-options").arg(PROMISOR);
    [
        ("url", url),
        ("promisor", "true"),
        ("partialCloneFilter", BLOB_FILTER),
    ]
    .into_iter()
    .fold(fetch, |fetch, (key, value)| {
        fetch.setting(&format!("remote.{PROMISOR}.{key}"), value)
    })
}

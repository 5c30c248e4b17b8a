//! Git as a test uses it: nobody's configuration, no hooks, one author.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// When the commits of a repository in the making were made, so that their ids are the same on every run.
const FIXTURE_DATE: &str = "2026-01-02T03:04:05+02:00";

/// Runs git in a folder, and gives what it printed.
///
/// # Panics
///
/// When it fails.
pub fn git(folder: &Path, args: &[&str]) -> String {
    run_git(folder, args, &[])
}

/// The same with the dates of a repository in the making.
pub(crate) fn git_dated(folder: &Path, args: &[&str]) -> String {
    let dates = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"];
    run_git(folder, args, &dates.map(|name| (name, FIXTURE_DATE)))
}

fn run_git(folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "core.quotePath=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", "Ana Alves")
        .env("GIT_AUTHOR_EMAIL", "ana@example.com")
        .env("GIT_COMMITTER_NAME", "Ana Alves")
        .env("GIT_COMMITTER_EMAIL", "ana@example.com")
        .envs(environment.iter().copied())
        .output()
        .expect("git is installed");
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

/// Writes files, and the folders that they are in.
///
/// # Panics
///
/// When the folder cannot be written to.
pub fn write_files(folder: &Path, files: &[(impl AsRef<Path>, impl AsRef<[u8]>)]) {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("the folder is writable");
        std::fs::write(&path, text).expect("the file is writable");
        if text.as_ref().starts_with(b"#!") {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("the file is ours");
        }
    }
}

/// Writes files and commits them; gives the commit's id.
///
/// # Panics
///
/// When git refuses.
pub fn commit_files(
    folder: &Path,
    files: &[(impl AsRef<Path>, impl AsRef<[u8]>)],
    message: &str,
) -> String {
    write_files(folder, files);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
    git(folder, &["rev-parse", "HEAD"])
}

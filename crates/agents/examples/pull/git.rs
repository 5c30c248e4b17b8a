//! Git, called as a program; it is only read.

use std::path::Path;
use std::process::Command;

/// A larger file is not shown as text, as in the app.
const MAX_FILE: usize = 512 * 1024;

fn run(folder: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let out = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "safe.directory=*", "-c", "core.quotePath=false"])
        .args(args)
        .output()
        .map_err(|error| format!("git could not be started: {error}"))?;
    if out.status.success() {
        return Ok(out.stdout);
    }
    let said = String::from_utf8_lossy(&out.stderr);
    let folder = folder.display();
    Err(format!(
        "git {} in {folder}: {}",
        args.join(" "),
        said.trim()
    ))
}

/// The lines that git prints.
pub fn lines(folder: &Path, args: &[&str]) -> Result<Vec<String>, String> {
    let out = run(folder, args)?;
    let text = String::from_utf8_lossy(&out);
    Ok(text.lines().map(str::to_string).collect())
}

/// A file at a commit; none when it is not there, no text or too large.
pub fn text_at(folder: &Path, commit: &str, path: &str) -> Option<String> {
    let bytes = run(folder, &["cat-file", "blob", &format!("{commit}:{path}")]).ok()?;
    let small = bytes.len() <= MAX_FILE;
    String::from_utf8(bytes).ok().filter(|_| small)
}

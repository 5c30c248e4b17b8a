//! Finds sets of cases: built in by name, or files.

use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_eval::{CaseSet, parse_set, shipped_files, shipped_set};
use std::io;
use std::path::{Path, PathBuf};

/// Where the files of a set's folders are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseFiles {
    /// In the program.
    BuiltIn,
    /// Below this folder.
    Below(PathBuf),
}

/// A file that cannot be read or written.
pub(super) fn file_error(file: &Path, error: impl ToString) -> UserError {
    UserError::new(ErrorCode::EvalFile)
        .with("file", file.display())
        .with("message", error.to_string())
}

/// The set of a name, else of a file.
pub fn load_set(name: &str) -> Result<(CaseSet, CaseFiles), UserError> {
    if let Some(set) = shipped_set(name) {
        return Ok((set?, CaseFiles::BuiltIn));
    }
    let file = Path::new(name);
    let text = std::fs::read_to_string(file).map_err(|error| file_error(file, error))?;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    Ok((parse_set(name, &text)?, CaseFiles::Below(folder)))
}

impl CaseFiles {
    /// The files of one side of a case, by their paths.
    pub(super) fn read(&self, folder: &str, side: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
        let files = match self {
            CaseFiles::BuiltIn => shipped_files(&format!("{folder}/{side}")),
            CaseFiles::Below(root) => {
                let top = root.join(folder).join(side);
                let mut files = Vec::new();
                read_folder(&top, "", &mut files)?;
                files.sort();
                files
            }
        };
        match files.is_empty() {
            true => Err(io::Error::other(format!("{folder}/{side} has no file"))),
            false => Ok(files),
        }
    }
}

/// Reads all files below a folder, each with its path there.
pub(super) fn read_folder(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, Vec<u8>)>,
) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name
            .to_str()
            .ok_or_else(|| io::Error::other("a file's name is no UTF-8"))?;
        let path = format!("{prefix}{name}");
        // A link could lead anywhere.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            read_folder(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            files.push((path, std::fs::read(entry.path())?));
        }
    }
    Ok(())
}

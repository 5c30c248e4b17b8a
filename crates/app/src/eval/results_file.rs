//! Reads and writes files of results, so that what was done is never lost.

use super::sets::file_error;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_eval::{RunHeader, RunResults, parse_results, write_results};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Reads a file of results.
pub fn read_results(file: &Path) -> Result<RunResults, UserError> {
    let text = std::fs::read_to_string(file).map_err(|error| file_error(file, error))?;
    Ok(parse_results(&file.display().to_string(), &text)?)
}

/// Replaces a file of results at once: what was there stays until all of it is written.
pub fn save_results(file: &Path, results: &RunResults) -> Result<(), UserError> {
    let save = || {
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(write_results(results).as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file).map_err(|error| error.error)
    };
    save().map(drop).map_err(|error| file_error(file, error))
}

/// Where a run begins: what was done before, or nothing. A new file is made at once, so that it is known that it can be.
pub(super) fn begin(file: &Path, header: RunHeader, resume: bool) -> Result<RunResults, UserError> {
    let known = |code| UserError::new(code).with("file", file.display());
    let earlier = match std::fs::exists(file) {
        Ok(false) => None,
        Ok(true) if resume => Some(read_results(file)?),
        Ok(true) => return Err(known(ErrorCode::EvalExists)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(file_error(file, error)),
    };
    let results = match earlier {
        Some(earlier) if earlier.header != header => return Err(known(ErrorCode::EvalOtherRun)),
        Some(earlier) => earlier,
        None => RunResults {
            header,
            cases: Vec::new(),
            verdicts: Vec::new(),
        },
    };
    save_results(file, &results)?;
    Ok(results)
}

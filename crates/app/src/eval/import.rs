//! Makes a set of what others publish.

use super::clones::{CaseSource, find_source};
use super::sets::{CaseFiles, file_error};
use collie_core::user_error::UserError;
use collie_eval::import::{parse_aacr, parse_martian};
use collie_eval::{Case, Change, write_set};
use std::path::Path;

/// Whose form a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// `withmartian/code-review-benchmark`.
    Martian,
    /// `alibaba/aacr-bench`.
    Aacr,
}

/// Reads the published file, looks commits up where clones are named, and writes the set. Gives how many cases it has.
pub async fn import_set(
    format: ImportFormat,
    file: &Path,
    clones: Option<&Path>,
    out: &Path,
) -> Result<usize, UserError> {
    let text = std::fs::read_to_string(file).map_err(|error| file_error(file, error))?;
    let name = file.display().to_string();
    let mut cases = match format {
        ImportFormat::Martian => parse_martian(&name, &text)?,
        ImportFormat::Aacr => parse_aacr(&name, &text)?,
    };
    if clones.is_some() {
        for case in &mut cases {
            look_up_commits(case, clones).await?;
        }
    }
    let set = out.file_stem().map(|stem| stem.to_string_lossy());
    let written = write_set(set.as_deref().unwrap_or("imported"), &cases);
    std::fs::write(out, written).map_err(|error| file_error(out, error))?;
    Ok(cases.len())
}

/// Puts the commits of a pull request in the place of its number.
async fn look_up_commits(case: &mut Case, clones: Option<&Path>) -> Result<(), UserError> {
    let Change::Pull(_) = case.change else {
        return Ok(());
    };
    let found = find_source(case, &CaseFiles::BuiltIn, clones).await?;
    if let CaseSource::Clone {
        merge_base, head, ..
    } = found
    {
        case.change = Change::Commits {
            base: merge_base,
            head,
        };
    }
    Ok(())
}

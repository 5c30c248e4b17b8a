//! Prompts as files of a folder: those that a run takes in the place of the shipped ones, and the latter written out to begin with.

use super::sets::{file_error, read_folder};
use collie_agents::prompting::{PromptFiles, shipped_prompts};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use std::collections::BTreeMap;
use std::path::Path;

/// The prompts of a folder. What is wrong with its files is told of all of them.
pub(super) fn read_prompts(folder: &Path) -> Result<PromptFiles, UserError> {
    let mut read = Vec::new();
    read_folder(folder, "", &mut read).map_err(|error| file_error(folder, error))?;
    let mut files = BTreeMap::new();
    for (name, bytes) in read {
        // What a file manager or git left there.
        if name.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        let text =
            String::from_utf8(bytes).map_err(|error| file_error(&folder.join(&name), error))?;
        // An editor's ends of lines are no other words.
        files.insert(name, text.replace("\r\n", "\n"));
    }
    PromptFiles::parse(files).map_err(|errors| {
        UserError::new(ErrorCode::EvalPromptsInvalid)
            .with("folder", folder.display())
            .with_causes(errors.into_iter().map(UserError::from).collect())
    })
}

/// Writes the shipped prompts into a folder, over nothing that is there; gives how many.
pub fn write_prompts(folder: &Path) -> Result<usize, UserError> {
    let mut count = 0;
    for (name, text) in shipped_prompts() {
        let file = folder.join(name);
        let write = || {
            std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
            let mut new = std::fs::File::create_new(&file)?;
            std::io::Write::write_all(&mut new, text.as_bytes())
        };
        write().map_err(|error: std::io::Error| file_error(&file, error))?;
        count += 1;
    }
    Ok(count)
}

//! The files of the data folder that describe personas.

use collie_agents::prompting::{Persona, parse_personas};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use std::io::ErrorKind;
use std::path::Path;

/// The personas that ship and the user's own, and what is wrong with the files of the latter.
pub fn load_personas(home: &Path) -> (Vec<Persona>, Vec<UserError>) {
    let (files, unreadable) = match user_persona_files(&home.join("personas")) {
        Ok(files) => (files, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let (personas, errors) = parse_personas(&files);
    let wrong = errors.into_iter().map(UserError::from);
    (personas, unreadable.into_iter().chain(wrong).collect())
}

/// The files of the data folder that describe personas, each with its path there; an error says what cannot be read.
pub fn user_persona_files(folder: &Path) -> Result<Vec<(String, String)>, UserError> {
    let unreadable = |error: std::io::Error| {
        UserError::new(ErrorCode::PersonasUnreadable)
            .with("folder", folder.display())
            .with("message", error)
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|kind| kind == "md") {
            let text = std::fs::read_to_string(&path).map_err(unreadable)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.push((format!("personas/{name}"), text));
        }
    }
    files.sort();
    Ok(files)
}

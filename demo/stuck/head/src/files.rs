// Generated from schema/files.toml.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes the token.
pub fn save(path: &Path, token: &str) -> io::Result<()> {
    fs::write(path, token)?;
    fs::set_permissions(path, fs::Permissions::from_mode(400))
}

/// Reads the token.
pub fn load(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::{load, save};

    #[test]
    fn what_was_saved_is_loaded() {
        let path = std::env::temp_dir().join(format!("keep-{}", std::process::id()));
        save(&path, "secret").unwrap();
        assert_eq!(load(&path).unwrap(), "secret");
        std::fs::remove_file(&path).unwrap();
    }
}

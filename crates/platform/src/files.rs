//! Rights and names of files.

use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Whether a file has another name, which may lie anywhere. Where that cannot be told it counts as one that has.
pub fn has_other_names(file: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(file) > 1;
    #[cfg(not(unix))]
    {
        let _ = file;
        true
    }
}

/// What tells a file with several names from every other; none for a file with one name, and where that cannot be told.
pub fn identity_of_shared(file: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (file.nlink() > 1).then(|| (file.dev(), file.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// What a file takes of the disk, in bytes: its length, or its blocks where they are known to be more. They are known once they are
/// written back, which may be half a minute later.
pub fn bytes_on_disk(file: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        /// The unit of a file's blocks (stat(2)).
        const BLOCK_BYTES: u64 = 512;
        file.len()
            .max(std::os::unix::fs::MetadataExt::blocks(file) * BLOCK_BYTES)
    }
    #[cfg(not(unix))]
    file.len()
}

/// Whether a file can be started.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    let may_start = nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok();
    #[cfg(not(unix))]
    let may_start = path.extension().is_some_and(|ending| {
        ["exe", "com", "bat", "cmd"]
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    });
    path.is_file() && may_start
}

/// Lets everybody start a file, where rights say so.
///
/// # Errors
/// The system's.
pub fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755));
    #[cfg(not(unix))]
    fs::metadata(path).map(drop)
}

/// Gives the owner all rights on a folder: moving it needs them. Where it cannot be done, the removal says so.
pub fn make_owner_writable(folder: &Path) {
    let Ok(there) = fs::symlink_metadata(folder) else {
        return;
    };
    let mut rights = there.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        rights.set_mode(rights.mode() | 0o700);
    }
    #[cfg(not(unix))]
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "there are no other rights"
    )]
    rights.set_readonly(false);
    let _ = fs::set_permissions(folder, rights);
}

/// New files are for their owner alone, where the system knows owners.
pub fn private_file(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

/// A file is for its owner alone from now on, where the system knows owners.
pub fn make_private(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// New folders are for their owner alone, where the system knows owners.
pub fn private_folder(builder: &mut DirBuilder) {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    #[cfg(not(unix))]
    let _ = builder;
}

/// New files have the rights of git's two modes, where there are such.
pub fn with_rights(options: &mut OpenOptions, executable: bool) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, if executable { 0o755 } else { 0o644 });
    #[cfg(not(unix))]
    let _ = (options, executable);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_started_once_it_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tool.bat");
        fs::write(&file, "").unwrap();
        #[cfg(unix)]
        assert!(!is_executable(&file));
        make_executable(&file).unwrap();
        assert!(is_executable(&file));
        assert!(!is_executable(folder.path()), "a folder is no program");
    }

    #[test]
    fn a_second_name_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "").unwrap();
        #[cfg(unix)]
        assert!(!has_other_names(&fs::metadata(&file).unwrap()));
        fs::hard_link(&file, other).unwrap();
        assert!(has_other_names(&fs::metadata(&file).unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_new_has_the_rights_that_were_asked_for() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let opened = |set: &dyn Fn(&mut OpenOptions), name: &str| {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            set(&mut options);
            let path = folder.path().join(name);
            options.open(&path).unwrap();
            mode(&path)
        };
        assert_eq!(opened(&private_file, "private"), 0o600);
        assert_eq!(
            opened(&|it| with_rights(it, true), "program") & 0o100,
            0o100
        );
        assert_eq!(opened(&|it| with_rights(it, false), "text") & 0o111, 0);
        let (mut builder, path) = (DirBuilder::new(), folder.path().join("folder"));
        private_folder(&mut builder);
        builder.create(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
        fs::set_permissions(&path, PermissionsExt::from_mode(0o500)).unwrap();
        make_owner_writable(&path);
        assert_eq!(mode(&path), 0o700);
    }
}

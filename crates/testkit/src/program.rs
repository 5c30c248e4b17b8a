//! Programs that tests write and start.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program that may be started at once, whatever other threads do meanwhile.
///
/// The system starts no file that is open for writing anywhere (`ETXTBSY`). A child that another thread has just forked holds every open
/// file until it becomes a program of its own. So the file is only ever open in a child that has ended.
///
/// # Panics
///
/// When it cannot be written.
pub fn write_program(path: &Path, contents: impl AsRef<[u8]>) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let mut input = writer.stdin.take().expect("it is piped");
    input.write_all(contents.as_ref()).expect("it is read");
    drop(input);
    let status = writer.wait().expect("it ends");
    assert!(status.success(), "{} is not written", path.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_starts_at_once_while_other_threads_start_programs() {
        let folder = tempfile::tempdir().unwrap();
        let write_and_start = |thread: usize| {
            for nth in 0..50 {
                let program = folder.path().join(format!("{thread}-{nth}"));
                write_program(&program, "#!/bin/sh\nexit 7\n");
                let status = Command::new(&program).status();
                assert_eq!(status.unwrap().code(), Some(7));
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || write_and_start(thread));
            }
        });
    }
}

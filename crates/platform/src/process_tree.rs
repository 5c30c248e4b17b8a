//! A child with all that it starts.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix::Tree;
#[cfg(windows)]
use windows::Tree;
#[cfg(windows)]
pub use windows::TreeMembers;

use std::io;
use std::path::Path;
use std::process::ExitStatus;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// A child with all that it starts: a process group on Unix, a job on Windows. All of it is killed when this is dropped. On Windows it is
/// also killed when this process ends, whatever ends it; on Unix see [`tethered`].
#[derive(Debug)]
pub struct ProcessTree {
    tree: Tree,
}

impl ProcessTree {
    /// Starts a command and what will be its tree.
    ///
    /// # Errors
    /// The system's; nothing has run then.
    pub fn spawn(command: Command) -> io::Result<Self> {
        Tree::spawn(command).map(|tree| Self { tree })
    }

    /// What the child reads, where that is piped; once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.tree.stdin()
    }

    /// What it writes, where that is piped; once.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.tree.stdout()
    }

    /// What it complains of, where that is piped; once.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.tree.stderr()
    }

    /// Waits for the child; what it started may go on until [`ProcessTree::kill`].
    ///
    /// # Errors
    /// The system's.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.tree.wait().await
    }

    /// Asks all of it to end. Where a system cannot ask, it is killed.
    pub fn terminate(&mut self) {
        self.tree.terminate();
    }

    /// Ends all of it.
    pub fn kill(&mut self) {
        self.tree.kill();
    }

    /// What tells who belongs to it.
    #[cfg(windows)]
    pub fn members(&self) -> TreeMembers {
        self.tree.members()
    }
}

/// A command that reads a file, or nothing, and whose tree ends with this process, however that ends: on Unix by a script around it that
/// waits for the end of its own input, which is piped and has to be held until then; on Windows by its job.
///
/// # Errors
/// The file cannot be opened.
pub fn tethered(program: &Path, input: Option<&Path>) -> io::Result<Command> {
    #[cfg(unix)]
    return Ok(unix::tethered(program, input));
    #[cfg(windows)]
    return windows::tethered(program, input);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;
    use std::time::Duration;
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

    /// A command of the system's shell.
    fn shell(unix: &str, windows: &str) -> Command {
        let (program, flag, script) = if cfg!(windows) {
            ("cmd", "/C", windows)
        } else {
            ("sh", "-c", unix)
        };
        let mut command = Command::new(program);
        command.args([flag, script]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    /// Something that goes on until its input ends, started by something that ends before it.
    fn leaves_a_child() -> Command {
        shell(
            "cat & echo started",
            "start /B cmd /C set /p x= & echo started",
        )
    }

    async fn first_line(tree: &mut ProcessTree) -> (String, BufReader<ChildStdout>) {
        let mut out = BufReader::new(tree.stdout().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).await.unwrap();
        (line.trim().to_owned(), out)
    }

    /// Whether all that could write to an output has gone.
    async fn ends(mut out: BufReader<ChildStdout>) -> bool {
        let mut rest = Vec::new();
        let end = out.read_to_end(&mut rest);
        let end = tokio::time::timeout(Duration::from_secs(20), end).await;
        end.is_ok_and(|read| read.is_ok())
    }

    #[tokio::test]
    async fn an_exit_status_comes_back() {
        let mut tree = ProcessTree::spawn(shell("exit 3", "exit 3")).unwrap();
        assert_eq!(tree.wait().await.unwrap().code(), Some(3));
    }

    #[tokio::test]
    async fn what_a_child_leaves_behind_goes_with_the_tree() {
        let mut tree = ProcessTree::spawn(leaves_a_child()).unwrap();
        let (line, out) = first_line(&mut tree).await;
        assert_eq!(line, "started");
        drop(tree);
        assert!(ends(out).await, "something of the tree lives on");
    }

    #[tokio::test]
    async fn what_goes_on_goes_when_it_is_killed() {
        let mut tree =
            ProcessTree::spawn(shell("echo begun; cat", "echo begun& set /p x=")).unwrap();
        let stdin = tree.stdin();
        let (line, out) = first_line(&mut tree).await;
        assert_eq!(line, "begun");
        tree.kill();
        assert!(!tree.wait().await.unwrap().success());
        assert!(ends(out).await);
        drop(stdin);
    }

    #[tokio::test]
    async fn a_tethered_command_reads_its_file_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "of the file\n").unwrap();
        let (program, args) = if cfg!(windows) {
            ("cmd", ["/V:ON", "/C", "set /p x=& echo [!x!]"])
        } else {
            ("sh", ["-c", "read -r x; echo \"[$x]\"", "sh"])
        };
        let path = std::env::var_os("PATH").unwrap();
        let program = crate::find_program(program.as_ref(), &path).unwrap();
        for input in [Some(file.as_path()), None] {
            let mut command = tethered(&program, input).unwrap();
            command.args(args).stdout(Stdio::piped());
            let mut tree = ProcessTree::spawn(command).unwrap();
            let held = tree.stdin();
            let (line, _) = first_line(&mut tree).await;
            assert_eq!(line == "[of the file]", input.is_some(), "{line}");
            tree.wait().await.unwrap();
            drop(held);
        }
        assert_eq!(
            tethered(&program, Some(&folder.path().join("gone"))).is_err(),
            cfg!(windows)
        );
    }

    #[cfg(windows)]
    #[tokio::test]
    async fn members_are_those_of_the_tree_alone() {
        let mut tree = ProcessTree::spawn(leaves_a_child()).unwrap();
        let members = tree.members();
        let (_, out) = first_line(&mut tree).await;
        tree.wait().await.unwrap();
        assert!(members.count() > 0, "what was left is no member");
        assert!(!members.contains(std::process::id()));
        drop(tree);
        assert!(ends(out).await);
        assert_eq!(members.count(), 0);
    }
}

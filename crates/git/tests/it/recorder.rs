//! A git that writes down each of its calls, and may be told to misbehave.

use collie_git::GitOptions;
use collie_testkit::program::write_program;
use std::fs;
use std::path::PathBuf;

/// The calls of one git.
pub struct Recorder {
    folder: tempfile::TempDir,
}

/// One call.
pub struct Call {
    pub pid: i32,
    pub args: String,
}

impl Recorder {
    /// `before` is a piece of shell script that each call runs first; `$*` are its arguments.
    pub fn new(before: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "#!/bin/sh\necho \"$$ $*\" >> '{}'\n{before}\nexec git \"$@\"\n",
            folder.path().join("calls").display()
        );
        write_program(&folder.path().join("git"), script);
        Self { folder }
    }

    pub fn binary(&self) -> PathBuf {
        self.folder.path().join("git")
    }

    pub fn options(&self) -> GitOptions {
        GitOptions {
            binary: self.binary(),
            ..GitOptions::default()
        }
    }

    /// The calls since this was last asked.
    pub fn take(&self) -> Vec<Call> {
        let path = self.folder.path().join("calls");
        let text = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, "").unwrap();
        text.lines()
            .map(|line| {
                let (pid, args) = line.split_once(' ').unwrap();
                Call {
                    pid: pid.parse().unwrap(),
                    args: args.to_owned(),
                }
            })
            .collect()
    }

    /// The calls of one subcommand since this was last asked.
    pub fn take_calls_of(&self, subcommand: &str) -> Vec<Call> {
        let of = |call: &Call| call.args.split(' ').next() == Some(subcommand);
        self.take().into_iter().filter(of).collect()
    }
}

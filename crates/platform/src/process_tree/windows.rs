//! A tree is a job, which the system ends with the last hold on it: also when this process is killed.

use process_wrap::tokio::{ChildWrapper, CommandWrap, CommandWrapper, CreationFlags, JobObject};
use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use win32job::{ExtendedLimitInfo, Job, JobError};
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

/// A child that is in a job with all that it starts.
#[derive(Debug)]
pub(super) struct Tree {
    /// Has a job of its own within ours, which ends it at once.
    child: Box<dyn ChildWrapper>,
    job: Arc<Job>,
}

impl Tree {
    pub(super) fn spawn(command: Command) -> io::Result<Self> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Arc::new(Job::create_with_limit_info(&limits).map_err(system_error)?);
        let child = CommandWrap::from(command)
            // No console comes up for it.
            .wrap(CreationFlags(CREATE_NO_WINDOW))
            // The child does nothing yet when it is assigned, so nothing that it starts is missed.
            .wrap(Assigned(job.clone()))
            .wrap(JobObject)
            .spawn()?;
        Ok(Self { child, job })
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin().take()
    }

    pub(super) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout().take()
    }

    pub(super) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr().take()
    }

    /// The outer wrapper would wait for the whole job.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.inner_mut().wait().await
    }

    /// There is no way to ask that every program knows.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        // It may be gone already, and that is what is wanted.
        let _ = self.child.start_kill();
    }

    pub(super) fn members(&self) -> TreeMembers {
        TreeMembers {
            job: self.job.clone(),
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Who belongs to a tree. It keeps nothing of it alive that was killed.
#[derive(Clone, Debug)]
pub struct TreeMembers {
    job: Arc<Job>,
}

impl TreeMembers {
    /// Whether a process is one of them, now.
    pub fn contains(&self, process: u32) -> bool {
        let members = self.job.query_process_id_list();
        members.is_ok_and(|members| members.iter().any(|member| *member == process as usize))
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.job.query_process_id_list().unwrap().len()
    }
}

/// Puts a child that has not begun yet into a job.
#[derive(Debug)]
struct Assigned(Arc<Job>);

impl CommandWrapper for Assigned {
    fn wrap_child(
        &mut self,
        mut child: Box<dyn ChildWrapper>,
        _: &CommandWrap,
    ) -> io::Result<Box<dyn ChildWrapper>> {
        let gone = || io::Error::other("the child has no process handle");
        let handle = child.process_handle().ok_or_else(gone)?.as_raw_handle();
        let assigned = self.0.assign_process(handle as isize);
        assigned.map_err(|error| {
            // It waits to be let go on, and nobody will.
            let _ = child.start_kill();
            system_error(error)
        })?;
        Ok(child)
    }
}

fn system_error(error: JobError) -> io::Error {
    io::Error::other(format!("its processes cannot be held together: {error}"))
}

pub(super) fn tethered(program: &Path, input: Option<&Path>) -> io::Result<Command> {
    let stdin = match input {
        Some(input) => File::open(input)?.into(),
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command.stdin(stdin);
    Ok(command)
}

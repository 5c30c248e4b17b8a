//! Runs the repository's own commands on a fix (§6.3 e), in the sandbox (§9.5): they run what the pull request brings.

use crate::Worktrees;
use crate::git_command::inherited_env;
use crate::io_error::io_error;
use crate::layout::WorktreePaths;
use crate::network_failure::network_failure;
use crate::prepared::prepare_inputs;
use crate::process::OutputTail;
use collie_core::session::RefusedHosts;
use collie_engine::ports::{GateRefusal, GitError, PrepareStep, VerifyPlan, VerifyRun};
use collie_sandbox::{
    DiskStop, KeptFolders, Limits, ProcessOutcome, Program, SandboxError, SandboxPolicy, Sandboxed,
    Stdin, UnsandboxedTrust, disk_usage, toolchain_env,
};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use tokio_util::sync::CancellationToken;

/// What is kept of a command's output.
const MAX_OUTPUT_BYTES: usize = 16 * 1024;

/// Variables that say where downloads are kept, and where that is below `~/.cache`.
const DOWNLOAD_FOLDERS: &[(&str, &str)] = &[
    ("CARGO_HOME", "cargo"),
    ("GOMODCACHE", "go-mod"),
    ("npm_config_cache", "npm"),
    ("npm_config_store_dir", "pnpm"),
    ("YARN_CACHE_FOLDER", "yarn"),
];

/// What is told of an output in a sentence.
const MAX_LAST_LINES: usize = 5;
const MAX_LAST_CHARS: usize = 600;

/// What is told of a host that a program named.
const MAX_HOST_CHARS: usize = 300;

/// How a command of a plan ended.
struct CommandEnd {
    /// The end of what it wrote, both outputs in the order they came; without paths of this machine.
    output: String,
    /// `host:port` of those that it wanted to reach and may not.
    refused_hosts: Vec<String>,
    succeeded: bool,
}

impl Worktrees {
    /// Prepares, then runs the commands in order; the first that fails is the refusal.
    pub(crate) async fn run_verify(
        &self,
        paths: &WorktreePaths,
        run: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<GateRefusal>, GitError> {
        self.run_prepare(paths, run, cancel).await?;
        let plan = run.plan;
        for command in &plan.commands {
            let end = self
                .run_command(paths, plan, (command, &[]), cancel)
                .await?;
            if end.succeeded {
                continue;
            }
            let command = command.clone();
            let missing = network_failure(&end.output).filter(|_| !plan.unsandboxed);
            return match missing {
                Some(message) => Err(GitError::VerifyNeedsNetwork { command, message }),
                None => Ok(Some(GateRefusal::Verify {
                    command,
                    output: end.output,
                })),
            };
        }
        Ok(None)
    }

    /// Runs what gets the verification ready, unless that was done in this checkout with the same lock files.
    async fn run_prepare(
        &self,
        paths: &WorktreePaths,
        VerifyRun { plan, meter }: VerifyRun<'_>,
        cancel: &CancellationToken,
    ) -> Result<(), GitError> {
        let inputs = prepare_inputs(&paths.work_dir, &plan.prepare);
        if plan.prepare.is_empty()
            || inputs.is_some() && self.prepared.get(&paths.work_dir) == inputs
        {
            return Ok(());
        }
        self.prepared.forget(&paths.work_dir);
        for step in &plan.prepare {
            let what = (step.command.as_str(), step.hosts.as_slice());
            let end = self.run_command(paths, plan, what, cancel).await?;
            let PrepareStep { command, .. } = step;
            if !end.succeeded {
                return Err(GitError::PrepareFailed {
                    command: command.clone(),
                    message: last_words(&end.output),
                    refused_hosts: end.refused_hosts,
                });
            }
            if !end.refused_hosts.is_empty() {
                tracing::warn!(command, hosts = ?end.refused_hosts, "hosts were refused while a verification was prepared");
                meter.add_refused_hosts(RefusedHosts {
                    prepare: end
                        .refused_hosts
                        .iter()
                        .map(|host| shortened(host))
                        .collect(),
                    ..RefusedHosts::default()
                });
            }
        }
        if let Some(inputs) = inputs {
            self.prepared.remember(&paths.work_dir, inputs);
        }
        Ok(())
    }

    async fn run_command(
        &self,
        paths: &WorktreePaths,
        plan: &VerifyPlan,
        (command, hosts): (&str, &[String]),
        cancel: &CancellationToken,
    ) -> Result<CommandEnd, GitError> {
        let program = self.verify_program(paths, plan, (command, hosts)).await?;
        let child = program.spawn(Stdin::Empty).await.map_err(no_sandbox)?;
        // Both outputs go into one, in the order they come.
        let tail = Mutex::new(OutputTail::new(MAX_OUTPUT_BYTES));
        let keep = |bytes: &[u8]| {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.push(bytes);
        };
        let limit = self.git.options().verify_timeout;
        let ended = child
            .run(limit, cancel, &keep, &keep)
            .await
            .map_err(io_error("a verify command could not be waited for"))?;
        if let Some(stop) = ended.disk_stop {
            return Err(stopped_for(stop));
        }
        let output = tail.into_inner().unwrap_or_else(PoisonError::into_inner);
        let output = output.into_text();
        let output = output.replace(&*paths.work_dir.to_string_lossy(), ".");
        let mut output = self.git.redact_paths(&output);
        match ended.outcome {
            ProcessOutcome::Cancelled => return Err(GitError::Cancelled),
            ProcessOutcome::Exited(Some(_)) => {}
            ProcessOutcome::Exited(None) => output.push_str("\nIt was killed."),
            ProcessOutcome::TimedOut => {
                output.push_str(&format!("\nIt was stopped after {} s.", limit.as_secs()));
            }
        }
        Ok(CommandEnd {
            output,
            refused_hosts: ended.refused_hosts,
            succeeded: ended.outcome == ProcessOutcome::Exited(Some(0)),
        })
    }

    async fn verify_program(
        &self,
        paths: &WorktreePaths,
        plan: &VerifyPlan,
        (command, hosts): (&str, &[String]),
    ) -> Result<Sandboxed, GitError> {
        let mut program = self.shell_program(paths, command);
        if !plan.prepare.is_empty() {
            keep_downloads_in_cache(&mut program.env);
        }
        let policy = SandboxPolicy {
            writable: vec![paths.work_dir.clone()],
            readable: vec![paths.clone_dir.clone()],
            // The data folder: clones, journal and configuration.
            hidden: vec![self.root.parent().unwrap_or(&self.root).to_owned()],
            kept: Some(self.verify_cache(paths).await?),
            // They are the user's, and were read as such.
            hosts: hosts.iter().filter_map(|host| host.parse().ok()).collect(),
            limits: Limits {
                disk_bytes: self.git.options().disk_limits.now().sandbox_bytes,
                ..Limits::default()
            },
        };
        let trust = UnsandboxedTrust::by_the_users_setting(plan.unsandboxed);
        let sandbox = &self.git.options().sandbox;
        let placed = sandbox.program(&policy, program, trust).await;
        placed.map_err(no_sandbox)
    }

    fn shell_program(&self, paths: &WorktreePaths, command: &str) -> Program {
        let options = self.git.options();
        let extra_names: Vec<&str> = options.verify_env.iter().map(String::as_str).collect();
        let mut env = toolchain_env();
        env.extend(inherited_env(&extra_names));
        env.push((OsString::from("TMPDIR"), OsString::from("/tmp")));
        Program {
            program: collie_platform::SHELL.into(),
            args: vec!["-c".into(), command.into()],
            env,
            folder: paths.work_dir.clone(),
        }
    }

    /// The repository's own cache, which stays from one command to the next until it takes half of what a command may have on the disk.
    async fn verify_cache(&self, paths: &WorktreePaths) -> Result<KeptFolders, GitError> {
        let clone = paths.clone_dir.strip_prefix(&self.root);
        let root = self
            .root
            .join("verify-caches")
            .join(clone.unwrap_or(&paths.clone_dir));
        let most = self.git.options().disk_limits.now().sandbox_bytes / 2;
        let folder = root.clone();
        let used = tokio::task::spawn_blocking(move || disk_usage(&[folder], most)).await;
        if used.is_ok_and(|used| used > most) {
            tracing::info!(%most, "the cache of verify commands is emptied");
            self.discard(&root)?;
        }
        KeptFolders::create(&root, &[".cache".into()])
            .map_err(io_error("a cache folder could not be made"))
    }
}

/// Package managers that keep what they fetch elsewhere than in `~/.cache`: there it is found again by the commands that follow.
fn keep_downloads_in_cache(env: &mut Vec<(OsString, OsString)>) {
    let home = env.iter().find(|(name, _)| name == "HOME");
    let Some(home) = home.map(|(_, home)| PathBuf::from(home)) else {
        return;
    };
    for (name, below) in DOWNLOAD_FOLDERS {
        env.retain(|(known, _)| known != name);
        let folder = home.join(".cache").join(below);
        env.push((OsString::from(name), folder.into_os_string()));
    }
}

/// A host as the program named it: that may be as long as a request.
fn shortened(host: &str) -> String {
    host.chars().take(MAX_HOST_CHARS).collect()
}

/// The end of an output, short enough for a sentence.
fn last_words(output: &str) -> String {
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = lines[lines.len().saturating_sub(MAX_LAST_LINES)..].join("; ");
    let surplus = last.chars().count().saturating_sub(MAX_LAST_CHARS);
    last.chars().skip(surplus).collect()
}

fn no_sandbox(error: SandboxError) -> GitError {
    GitError::NoSandbox {
        error: Box::new(error.into()),
    }
}

/// A full disk may be freed before the next try; what passes a limit once passes it again.
fn stopped_for(stop: DiskStop) -> GitError {
    match stop {
        DiskStop::DiskFull => GitError::DiskFull,
        DiskStop::LimitPassed { .. } => GitError::SandboxStopped {
            error: Box::new(stop.into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_a_limit_that_was_passed() {
        assert!(matches!(
            stopped_for(DiskStop::DiskFull),
            GitError::DiskFull
        ));
        let passed = stopped_for(DiskStop::LimitPassed { bytes: 1 << 20 });
        assert!(matches!(passed, GitError::SandboxStopped { .. }));
    }
}

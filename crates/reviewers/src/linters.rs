//! The repository's own linters as reviewers (§4.7): what the base configures looks at the head, in the sandbox, on changed lines only.

use super::Panel;
use super::gather::git_failure;
use super::linter_findings::LinterReview;
use crate::activity::Activity;
use collie_core::event::SessionFailure;
use collie_core::file_marks::is_binary;
use collie_core::linter_run::{LinterOutcome, LinterRun};
use collie_core::session::SessionSummary;
use collie_engine::ports::{
    CleanWorktree, DiffFile, ReviewRequest, ReviewResponse, ShieldedConfig, path_in_worktree,
};
use collie_linters::{SelectedLinter, files_to_read, select};
use collie_rules::rule_aliases;
use collie_sandbox::{
    KeptFolders, Limits, ProcessOutcome, Program, SandboxPolicy, Stdin, disk_usage, program_folder,
    toolchain_env,
};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, fs, io};
use tokio_util::sync::CancellationToken;

/// How long one linter may take.
const TIMEOUT: Duration = Duration::from_secs(300);
/// A file of the base or of the head that is larger is not read.
const MAX_FILE_BYTES: u64 = 8 << 20;
/// What is read of a linter's output: more cannot be told apart from a fault.
const MAX_OUTPUT_BYTES: usize = 32 << 20;
/// What is kept of its error output.
const MAX_MESSAGE_CHARS: usize = 300;
/// The folder below the data folder with what linters keep from one run to the next.
const CACHES_FOLDER: &str = "linter-caches";
/// Where they keep it, below their home.
const CACHE_BELOW_HOME: &str = ".cache";

/// Where package managers put programs of a repository's own packages.
const PACKAGE_FOLDERS: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin"];

/// What is run for a linter.
struct LinterCommand<'a> {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(String, String)>,
    /// The hosts that it reaches.
    hosts: &'a [String],
}

/// What a command wrote, and its exit code; none when it was killed.
struct LinterOutput {
    exit_code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl LinterOutput {
    /// What it said of itself.
    fn words(&self) -> String {
        let words = String::from_utf8_lossy(&self.stderr);
        match words.trim().is_empty() {
            true => String::from_utf8_lossy(&self.stdout).into_owned(),
            false => words.into_owned(),
        }
    }
}

impl Panel {
    /// Adds to what the rules found what the repository's linters find.
    pub(super) async fn add_linters(
        &self,
        request: &ReviewRequest,
        response: &mut ReviewResponse,
        cancel: &CancellationToken,
    ) -> Result<(), SessionFailure> {
        let selected = self.selected_linters(request).await?;
        if selected.is_empty() {
            return Ok(());
        }
        let tree = &request.worktree;
        let shield = self
            .git
            .shield(tree, &request.base, ShieldedConfig::Linters)
            .await
            .map_err(git_failure)?;
        let names: Vec<&str> = (selected.iter())
            .map(|one| one.linter.name.as_str())
            .collect();
        let worker = self.activities.start_worker(
            &tree.pull().id,
            &request.reviewer.name,
            &names.join(", "),
        );
        let mut review = LinterReview::new(request.now);
        let wants_packages = selected.iter().any(|one| one.linter.in_packages);
        let prepared = match wants_packages {
            true => self.prepare_packages(request, cancel).await,
            false => Ok(()),
        };
        for one in &selected {
            if cancel.is_cancelled() {
                break;
            }
            worker.set_activity(Activity::UsingTool {
                title: one.linter.name.clone(),
            });
            let outcome = match &prepared {
                Err(outcome) if one.linter.in_packages => outcome.clone(),
                Ok(()) | Err(_) => self.run_linter(request, one, &mut review, cancel).await,
            };
            review.runs.push(LinterRun {
                name: one.linter.name.clone(),
                outcome,
            });
        }
        self.git.unshield(tree, shield).await.map_err(git_failure)?;
        let runs = std::mem::take(&mut review.runs);
        review.add_to(response, &rule_aliases(&request.rules));
        response.session = Some(SessionSummary {
            linters: runs,
            ..SessionSummary::default()
        });
        Ok(())
    }

    /// The linters that the base configures for a file that changed.
    async fn selected_linters(
        &self,
        request: &ReviewRequest,
    ) -> Result<Vec<SelectedLinter>, SessionFailure> {
        let changed: Vec<String> = request.diff.iter().filter_map(linted_path).collect();
        if !self.config.get().linters || changed.is_empty() {
            return Ok(Vec::new());
        }
        let tree = &request.worktree;
        let paths = self.git.paths_at(tree, &request.base).await;
        let paths = paths.map_err(git_failure)?;
        let texts = self.base_texts(request, &files_to_read(&paths)).await?;
        Ok(select(&paths, &|path| texts.get(path).cloned(), &changed))
    }

    /// Text files of the base.
    async fn base_texts(
        &self,
        request: &ReviewRequest,
        paths: &[String],
    ) -> Result<BTreeMap<String, String>, SessionFailure> {
        let tree = &request.worktree;
        let mut texts = BTreeMap::new();
        for path in paths {
            let read = self
                .git
                .file_at(tree, &request.base, path, MAX_FILE_BYTES)
                .await;
            let bytes = read.map_err(git_failure)?;
            if let Some(bytes) = bytes.filter(|bytes| !is_binary(bytes)) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                texts.insert(path.clone(), text);
            }
        }
        Ok(texts)
    }

    /// Runs one, and adds what it says of changed lines.
    async fn run_linter(
        &self,
        request: &ReviewRequest,
        selected: &SelectedLinter,
        review: &mut LinterReview,
        cancel: &CancellationToken,
    ) -> LinterOutcome {
        let linter = selected.linter;
        let tree = &request.worktree;
        let Some(program) = find_program(tree, &linter.program) else {
            return LinterOutcome::NotInstalled;
        };
        let args = selected.args().into_iter().map(OsString::from).collect();
        let command = LinterCommand {
            program,
            args,
            env: selected.env(),
            hosts: &[],
        };
        let output = match self.run_command(request, command, cancel).await {
            Ok(output) => output,
            Err(outcome) => return outcome,
        };
        if !output.exit_code.is_some_and(|code| selected.ran(code)) {
            return failed(&output.words(), tree);
        }
        let read = |path: &str| read_head_file(tree, path);
        match collie_linters::parse(linter.format, &output.stdout, tree.path(), &read) {
            Ok(diagnostics) => LinterOutcome::Ran {
                findings: review.add(linter, diagnostics, &request.diff, &read),
            },
            Err(error) => failed(&format!("{error}\n{}", output.words()), tree),
        }
    }

    /// Gets the packages of the repository into the checkout, as the verification does (§6.3 e).
    async fn prepare_packages(
        &self,
        request: &ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<(), LinterOutcome> {
        for step in &request.prepare {
            let command = LinterCommand {
                program: collie_platform::SHELL.into(),
                args: vec!["-c".into(), OsString::from(&step.command)],
                env: Vec::new(),
                hosts: &step.hosts,
            };
            let output = self.run_command(request, command, cancel).await?;
            if output.exit_code != Some(0) {
                let words = format!("`{}`: {}", step.command, output.words());
                return Err(failed(&words, &request.worktree));
            }
        }
        Ok(())
    }

    async fn run_command(
        &self,
        request: &ReviewRequest,
        command: LinterCommand<'_>,
        cancel: &CancellationToken,
    ) -> Result<LinterOutput, LinterOutcome> {
        let tree = &request.worktree;
        let could_not = |error: &dyn fmt::Display| failed(&error.to_string(), tree);
        let policy = self.linter_policy(request, &command).await;
        let policy = policy.map_err(|error| could_not(&error))?;
        let mut env = toolchain_env();
        env.push(("TMPDIR".into(), "/tmp".into()));
        if policy.kept.is_some() {
            env.extend(cargo_target_in_cache());
        }
        let more = command.env.into_iter();
        env.extend(more.map(|(name, value)| (name.into(), value.into())));
        let program = Program {
            program: command.program.into_os_string(),
            args: command.args,
            env,
            folder: tree.path().to_owned(),
        };
        let trust = self.unsandboxed(tree, request.author_may_write);
        let placed = self.sandbox.program(&policy, program, trust).await;
        let child = placed.map_err(|error| could_not(&error))?;
        let child = child.spawn(Stdin::Empty).await;
        let child = child.map_err(|error| could_not(&error))?;
        let (out, err) = (Output::default(), Output::default());
        let (push_out, push_err) = (
            |bytes: &[u8]| out.push(bytes),
            |bytes: &[u8]| err.push(bytes),
        );
        let ended = child.run(TIMEOUT, cancel, &push_out, &push_err).await;
        let ended = ended.map_err(|error| could_not(&error))?;
        if let Some(stop) = ended.disk_stop {
            return Err(could_not(&stop));
        }
        match ended.outcome {
            ProcessOutcome::Exited(exit_code) => Ok(LinterOutput {
                exit_code,
                stdout: out.into_bytes(),
                stderr: err.into_bytes(),
            }),
            ProcessOutcome::TimedOut | ProcessOutcome::Cancelled => Err(LinterOutcome::TimedOut {
                seconds: u32::try_from(TIMEOUT.as_secs()).unwrap_or(u32::MAX),
            }),
        }
    }

    async fn linter_policy(
        &self,
        request: &ReviewRequest,
        command: &LinterCommand<'_>,
    ) -> io::Result<SandboxPolicy> {
        let tree = &request.worktree;
        let config = self.config.get();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let program = program_folder(&command.program, home.as_deref());
        let readable = [tree.git_dir().to_owned()].into_iter().chain(program);
        Ok(SandboxPolicy {
            writable: vec![tree.path().to_owned()],
            readable: readable.collect(),
            hidden: vec![config.home.clone()],
            kept: self.linter_cache(request).await?,
            // They are the user's, and were read as such.
            hosts: (command.hosts.iter())
                .filter_map(|host| host.parse().ok())
                .collect(),
            limits: Limits {
                disk_bytes: u64::from(config.disk.sandbox_mb) << 20,
                ..Limits::default()
            },
        })
    }

    /// What is kept from one run to the next until it takes half of what a program may have on the disk: of a repository's own people, so that
    /// nobody else leaves something there for them.
    async fn linter_cache(&self, request: &ReviewRequest) -> io::Result<Option<KeptFolders>> {
        if !request.author_may_write {
            return Ok(None);
        }
        let config = self.config.get();
        let repo = request.worktree.pull().repo.to_string();
        let root = config.home.join(CACHES_FOLDER).join(repo.replace('/', "+"));
        let most = (u64::from(config.disk.sandbox_mb) << 20) / 2;
        let made = tokio::task::spawn_blocking(move || {
            if disk_usage(std::slice::from_ref(&root), most) > most {
                tracing::info!(%most, "the cache of linters is emptied");
                fs::remove_dir_all(&root)?;
            }
            KeptFolders::create(&root, &[CACHE_BELOW_HOME.into()]).map(Some)
        });
        made.await.map_err(io::Error::other)?
    }
}

/// Bytes that come in parts, up to a limit.
#[derive(Default)]
struct Output(Mutex<Vec<u8>>);

impl Output {
    fn push(&self, bytes: &[u8]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_OUTPUT_BYTES.saturating_sub(all.len());
        all.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path of a file that linters look at: text that somebody wrote and changed.
fn linted_path(file: &DiffFile) -> Option<String> {
    let is_read = !file.deleted && !file.opaque && file.unshown.is_none();
    (is_read && !file.changed.is_empty()).then(|| file.path.clone())
}

fn read_head_file(tree: &CleanWorktree, path: &str) -> Option<Vec<u8>> {
    let path = path_in_worktree(tree.path(), path)?;
    // A link is not followed: it could lead out of the worktree.
    let meta = fs::symlink_metadata(&path).ok()?;
    let is_read = meta.is_file() && meta.len() <= MAX_FILE_BYTES;
    is_read.then(|| fs::read(&path).ok()).flatten()
}

/// The program of that name among the packages in the checkout, else on the `PATH`.
fn find_program(tree: &CleanWorktree, name: &str) -> Option<PathBuf> {
    let own = PACKAGE_FOLDERS
        .iter()
        .map(|folder| tree.path().join(folder));
    own.map(|folder| folder.join(name))
        .find(|program| program.is_file())
        .or_else(|| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            collie_platform::find_program(OsStr::new(name), &path)
        })
}

/// What Clippy has checked is found again by its next run.
fn cargo_target_in_cache() -> Option<(OsString, OsString)> {
    let cache = PathBuf::from(std::env::var_os("HOME")?).join(CACHE_BELOW_HOME);
    let folder = cache.join("cargo-target").into_os_string();
    Some(("CARGO_TARGET_DIR".into(), folder))
}

fn failed(words: &str, tree: &CleanWorktree) -> LinterOutcome {
    LinterOutcome::Failed {
        message: last_words(words, tree),
    }
}

/// The end of what a program said, in one line, without paths of this machine.
fn last_words(text: &str, tree: &CleanWorktree) -> String {
    let text = text.replace(&*tree.path().to_string_lossy(), ".");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let kept: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let line = kept[kept.len().saturating_sub(3)..].join(" ");
    let surplus = line.chars().count().saturating_sub(MAX_MESSAGE_CHARS);
    line.chars().skip(surplus).collect()
}

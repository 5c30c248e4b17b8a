//! What a test starts from: a repository with a base and a head, and how Collie is told to treat it.

use collie_config::ConfigLayer;
use std::path::Path;
use std::process::Command;

/// The account that Collie posts as.
pub const COLLIE: &str = "octo";
/// The author of the pull requests.
pub const AUTHOR: &str = "ana";
/// The repository of every test.
pub const REPO: &str = "demo/app";

/// A check that passes at once.
pub const PASSING_CHECK: &str = "[[check]]\nname = \"test\"\nrun = \"true\"\n";
/// The file of most tests, without a fault.
pub const CLEAN_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  return sum;\n}\n";
/// The same with a fault that a rule finds (P2) and fixes.
pub const FAULTY_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  debugger;\n  return sum;\n}\n";

/// A fault that a rule finds (P0) and no rule fixes.
pub fn secret_line() -> String {
    // Put together here, so that no scanner takes this file for a leak.
    format!("export const key = \"AKIA{}\";\n", "Q3EGR5ZNPLXKD2MW")
}

type HeadEdit = Box<dyn Fn(&Path)>;

/// A repository in the making.
pub struct RepositoryFixture {
    base: Vec<(String, Vec<u8>)>,
    head: Vec<(String, Vec<u8>)>,
    head_edit: Option<HeadEdit>,
    pub(crate) head_branch: &'static str,
    pub(crate) base_branch: &'static str,
    pub(crate) login: &'static str,
    pub(crate) layer: ConfigLayer,
}

impl RepositoryFixture {
    /// A base with a passing check and a README; the head changes nothing yet.
    pub fn unchanged() -> Self {
        let layer = ConfigLayer {
            poll_interval: Some(100),
            ready_poll_interval: Some(150),
            collect_failures_for: Some(2_000),
            no_checks_grace: Some(1_000),
            allowed_users: Some([collie_core::ids::Login::new(COLLIE)].into()),
            ..ConfigLayer::default()
        };
        Self {
            base: Vec::new(),
            head: Vec::new(),
            head_edit: None,
            head_branch: "topic",
            base_branch: "main",
            login: COLLIE,
            layer,
        }
        .with_base_file("README.md", "# App\n")
        .with_base_file(".forge.toml", PASSING_CHECK)
    }

    /// A change without a fault.
    pub fn clean() -> Self {
        Self::unchanged()
            .with_base_file("app.js", "export {};\n")
            .with_head_file("app.js", CLEAN_FILE)
    }

    /// A change with one fault that the rules fix.
    pub fn faulty() -> Self {
        Self::unchanged()
            .with_base_file("app.js", "export {};\n")
            .with_head_file("app.js", FAULTY_FILE)
    }

    /// A change with one fault that nobody here can fix.
    pub fn unfixable() -> Self {
        Self::unchanged()
            .with_base_file("app.js", "export {};\n")
            .with_head_file("app.js", secret_line())
    }

    /// Another file of the base, or another text of one.
    pub fn with_base_file(mut self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.base.retain(|(known, _)| known != path);
        self.base.push((path.into(), text.as_ref().into()));
        self
    }

    /// Another file that the head adds or changes.
    pub fn with_head_file(mut self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.head.push((path.into(), text.as_ref().into()));
        self
    }

    /// A base without checks.
    pub fn without_checks(mut self) -> Self {
        self.base.retain(|(known, _)| known != ".forge.toml");
        self
    }

    /// Changes the working copy of the head by hand before it is committed.
    pub fn with_head_edit(mut self, shape: impl Fn(&Path) + 'static) -> Self {
        self.head_edit = Some(Box::new(shape));
        self
    }

    /// Changes what the user's `config.toml` would say.
    pub fn with_layer(mut self, tell: impl FnOnce(&mut ConfigLayer)) -> Self {
        tell(&mut self.layer);
        self
    }

    /// Another head and base branch.
    pub fn with_branches(mut self, head: &'static str, base: &'static str) -> Self {
        (self.head_branch, self.base_branch) = (head, base);
        self
    }

    /// Another signed-in account.
    pub fn with_login(mut self, login: &'static str) -> Self {
        self.login = login;
        self
    }

    /// Makes the repository in a folder.
    pub fn build(&self, dir: &Path) {
        std::fs::create_dir_all(dir).expect("the folder is writable");
        git(dir, &["init", "-q", "-b", "main"]);
        if self.base_branch == "main" {
            commit(dir, &self.base, None, "Begin");
            git(dir, &["checkout", "-q", "-b", self.head_branch]);
        } else {
            // The head is the default branch, the base one that it left behind.
            commit(dir, &self.base, None, "Begin");
            git(dir, &["branch", self.base_branch]);
        }
        commit(dir, &self.head, self.head_edit.as_ref(), "Change things");
        git(dir, &["checkout", "-q", "main"]);
    }
}

fn commit(dir: &Path, files: &[(String, Vec<u8>)], shape: Option<&HeadEdit>, message: &str) {
    write_files(dir, files);
    git(dir, &["add", "-A"]);
    if let Some(shape) = shape {
        shape(dir);
    }
    git(dir, &["commit", "-q", "--allow-empty", "-m", message]);
}

/// Writes files.
pub fn write_files(dir: &Path, files: &[(String, Vec<u8>)]) {
    for (path, text) in files {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("the folder is writable");
        std::fs::write(path, text).expect("the file is writable");
    }
}

/// Runs git with neither the user's configuration nor hooks, and gives what it printed.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(dir)
        .args(["-c", "core.quotePath=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", "Ana Alves")
        .env("GIT_AUTHOR_EMAIL", "ana@example.com")
        .env("GIT_COMMITTER_NAME", "Ana Alves")
        .env("GIT_COMMITTER_EMAIL", "ana@example.com")
        .output()
        .expect("git is installed");
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

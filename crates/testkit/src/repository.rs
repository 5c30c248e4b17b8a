//! What a test starts from: a repository, and the pull requests that are open in it.

use crate::git::{git, git_dated, write_files};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The author of pull requests.
pub const AUTHOR: &str = "ana";

/// A check that passes at once.
pub const PASSING_CHECK: &str = "[[check]]\nname = \"test\"\nrun = \"true\"\n";
/// The file of most tests, without a fault.
pub const CLEAN_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  return sum;\n}\n";
/// The same with a fault that a rule finds (P2) and fixes.
pub const FAULTY_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  debugger;\n  return sum;\n}\n";

/// What the only file of a pull request says.
#[derive(Clone, Copy, Debug)]
pub enum PullContent {
    /// Nothing to find.
    Clean,
    /// One fault that a rule finds (P2) and fixes.
    Faulty,
    /// One fault that a rule finds (P0) and nobody here can fix.
    Unfixable,
}

impl PullContent {
    /// The file's text.
    pub fn text(self) -> String {
        match self {
            PullContent::Clean => CLEAN_FILE.to_owned(),
            PullContent::Faulty => FAULTY_FILE.to_owned(),
            // Put together here, so that no scanner takes this file for a leak.
            PullContent::Unfixable => {
                format!("export const key = \"glpat-{}\";\n", "q7RkT2mWx9LbV4nZc8Yh")
            }
        }
    }
}

type Edit = Box<dyn Fn(&Path) + Send + Sync>;

/// A commit in the making.
#[derive(Default)]
struct CommitFixture {
    /// The pull request's title where there is none.
    message: Option<String>,
    files: Vec<(PathBuf, Vec<u8>)>,
    edit: Option<Edit>,
}

/// A pull request in the making.
pub struct PullFixture {
    head: String,
    base: String,
    title: String,
    body: String,
    author: String,
    draft: bool,
    /// Whether its branch is in a fork, and whether maintainers may push to it.
    fork: Option<bool>,
    commits: Vec<CommitFixture>,
}

impl PullFixture {
    /// A pull request of ana from a branch into `main` that changes nothing yet.
    pub fn new(head: &str) -> Self {
        Self {
            head: head.to_owned(),
            base: "main".to_owned(),
            title: format!("Change {head}"),
            body: String::new(),
            author: AUTHOR.to_owned(),
            draft: false,
            fork: None,
            commits: vec![CommitFixture::default()],
        }
    }

    /// Another branch.
    pub fn with_head(mut self, head: &str) -> Self {
        head.clone_into(&mut self.head);
        self
    }

    /// Another title.
    pub fn with_title(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    /// A description.
    pub fn with_body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    /// Another author.
    pub fn by(mut self, login: &str) -> Self {
        login.clone_into(&mut self.author);
        self
    }

    /// Its branch is in a fork of the author's, which those who may write to the base may push to.
    pub fn from_fork(mut self) -> Self {
        self.fork = Some(true);
        self
    }

    /// Its branch is in a fork of the author's, which nobody else may push to.
    pub fn from_closed_fork(mut self) -> Self {
        self.fork = Some(false);
        self
    }

    /// Whether it comes from a fork.
    pub(crate) fn is_from_fork(&self) -> bool {
        self.fork.is_some()
    }

    /// Another base. The head is made from `main` all the same.
    pub fn into_base(mut self, base: &str) -> Self {
        base.clone_into(&mut self.base);
        self
    }

    /// A draft.
    pub fn as_draft(mut self) -> Self {
        self.draft = true;
        self
    }

    /// Another message of the newest commit, which says the title by itself.
    pub fn with_message(mut self, message: &str) -> Self {
        self.newest_commit().message = Some(message.to_owned());
        self
    }

    /// A file that the newest commit adds or changes.
    pub fn with_file(mut self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let file = (path.into(), text.as_ref().into());
        self.newest_commit().files.push(file);
        self
    }

    /// Changes the working copy by hand before the newest commit is made.
    pub fn with_edit(mut self, edit: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        self.newest_commit().edit = Some(Box::new(edit));
        self
    }

    /// Another commit on top.
    pub fn with_commit(mut self, message: &str) -> Self {
        self.commits.push(CommitFixture::default());
        self.with_message(message)
    }

    fn newest_commit(&mut self) -> &mut CommitFixture {
        self.commits.last_mut().expect("there always is one")
    }

    /// Its branch.
    pub(crate) fn head(&self) -> &str {
        &self.head
    }

    /// Who opens it.
    pub(crate) fn author(&self) -> &str {
        &self.author
    }

    /// The request that opens it.
    pub(crate) fn opening_request(&self) -> Value {
        let head = match self.is_from_fork() {
            true => format!("{}:{}", self.author, self.head),
            false => self.head.clone(),
        };
        json!({
            "title": self.title, "body": self.body, "head": head, "base": self.base, "draft": self.draft,
            "maintainer_can_modify": self.fork == Some(true),
        })
    }

    /// Makes its commits on the branch that is checked out.
    pub(crate) fn commit(&self, folder: &Path) {
        for commit in &self.commits {
            let message = commit.message.as_ref().unwrap_or(&self.title);
            write_files(folder, &commit.files);
            git(folder, &["add", "-A"]);
            if let Some(edit) = &commit.edit {
                edit(folder);
            }
            git_dated(folder, &["commit", "-q", "--allow-empty", "-m", message]);
        }
    }
}

/// A repository in the making, whose default branch is `main`.
pub struct RepositoryFixture {
    name: String,
    base: Vec<(PathBuf, Vec<u8>)>,
    pulls: Vec<PullFixture>,
}

impl RepositoryFixture {
    /// A repository, `OWNER/NAME`, without a file or a pull request.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            base: Vec::new(),
            pulls: Vec::new(),
        }
    }

    /// `demo/app` with a README, a check that passes at once, and pull request 1 from `topic`, which changes nothing yet.
    pub fn unchanged() -> Self {
        let pull = PullFixture::new("topic")
            .with_title("Change things")
            .with_body("Please look.");
        Self::new("demo/app")
            .with_base_file("README.md", "# App\n")
            .with_base_file(".forge.toml", PASSING_CHECK)
            .with_pull(pull)
    }

    /// The same with a change without a fault.
    pub fn clean() -> Self {
        Self::changed(PullContent::Clean)
    }

    /// The same with a change whose one fault the rules fix.
    pub fn faulty() -> Self {
        Self::changed(PullContent::Faulty)
    }

    /// The same with a change whose one fault nobody here can fix.
    pub fn unfixable() -> Self {
        Self::changed(PullContent::Unfixable)
    }

    fn changed(content: PullContent) -> Self {
        Self::unchanged()
            .with_base_file("app.js", "export {};\n")
            .with_head_file("app.js", content.text())
    }

    /// A file of `main`, or another text of one.
    pub fn with_base_file(mut self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.base.retain(|(known, _)| known != Path::new(path));
        self.base.push((path.into(), text.as_ref().into()));
        self
    }

    /// Files of `main`.
    pub fn with_base_files(self, files: &[(&str, &str)]) -> Self {
        files.iter().fold(self, |fixture, (path, text)| {
            fixture.with_base_file(path, text)
        })
    }

    /// A README, and a command as the only check.
    pub fn with_check(self, command: &str) -> Self {
        let checks = format!("[[check]]\nname = \"test\"\nrun = {command:?}\ntimeout = \"900s\"\n");
        self.with_base_file("README.md", "# App\n")
            .with_base_file(".forge.toml", checks)
    }

    /// No checks.
    pub fn without_checks(mut self) -> Self {
        self.base
            .retain(|(known, _)| known != Path::new(".forge.toml"));
        self
    }

    /// Another pull request, whose number is one more than the last one's.
    pub fn with_pull(mut self, pull: PullFixture) -> Self {
        self.pulls.push(pull);
        self
    }

    /// Pull requests from `topic-1`, `topic-2` and so on, each of which adds `app.js`.
    pub fn with_topics(self, contents: &[PullContent]) -> Self {
        let topics = (1..).zip(contents);
        topics.fold(self, |fixture, (number, content)| {
            fixture.with_pull(
                PullFixture::new(&format!("topic-{number}")).with_file("app.js", content.text()),
            )
        })
    }

    /// A file that the newest pull request adds or changes.
    pub fn with_head_file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.with_newest_pull(|pull| pull.with_file(path, text))
    }

    /// Changes the working copy of the newest pull request by hand before it is committed.
    pub fn with_head_edit(self, edit: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        self.with_newest_pull(|pull| pull.with_edit(edit))
    }

    /// Other branches of the newest pull request.
    pub fn with_branches(self, head: &str, base: &str) -> Self {
        self.with_newest_pull(|pull| pull.with_head(head).into_base(base))
    }

    fn with_newest_pull(mut self, edit: impl FnOnce(PullFixture) -> PullFixture) -> Self {
        let newest = self.pulls.pop().expect("there is a pull request");
        self.pulls.push(edit(newest));
        self
    }

    /// Its name, `OWNER/NAME`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its pull requests, in the order of their numbers.
    pub(crate) fn pulls(&self) -> &[PullFixture] {
        &self.pulls
    }

    /// Makes the working copy, with a branch for each pull request.
    pub(crate) fn build(&self, folder: &Path) {
        std::fs::create_dir_all(folder).expect("the folder is writable");
        git(folder, &["init", "-q", "-b", "main"]);
        write_files(folder, &self.base);
        git(folder, &["add", "-A"]);
        git_dated(folder, &["commit", "-q", "--allow-empty", "-m", "Begin"]);
        let begin = git(folder, &["rev-parse", "HEAD"]);
        for pull in &self.pulls {
            // `main` may itself be the head; its base is then a branch that it has left behind.
            for branch in [&pull.base, &pull.head] {
                if branch != "main" && git(folder, &["branch", "--list", branch]).is_empty() {
                    git(folder, &["branch", branch, &begin]);
                }
            }
            git(folder, &["checkout", "-q", &pull.head]);
            pull.commit(folder);
        }
        git(folder, &["checkout", "-q", "main"]);
    }
}

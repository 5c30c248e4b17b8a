//! What an agent keeps of its home folder in the sandbox from one turn to the next, with the user's login and settings lent to it.
//!
//! What lies there an agent may have written, so nothing is followed out of it: not by the names of its folders, not by links in it.

use super::environment::EnvVars;
use super::spec::{AgentSpec, FileHint};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use collie_sandbox::KeptFolders;
use serde_json::Value;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// A larger file is no login and no settings.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Logins that an agent was lent, and may renew: a token that was used to get the next one is worth nothing any more.
#[derive(Debug, Default)]
pub(super) struct LentLogins {
    home: PathBuf,
    files: Vec<LentFile>,
}

#[derive(Debug)]
struct LentFile {
    /// The user's.
    original: PathBuf,
    /// Below the agent's home.
    copy: PathBuf,
    content: Vec<u8>,
}

/// Makes what an agent keeps of its home, and puts the user's login and settings for it there, as they are now.
pub(super) fn prepare(
    home: &Path,
    spec: &AgentSpec,
    env: &EnvVars,
) -> io::Result<(KeptFolders, LentLogins)> {
    // An agent that keeps nothing makes none below it.
    std::fs::create_dir_all(home)?;
    let kept = KeptFolders::create(home, &spec.kept_folders())?;
    let inside = Dir::open_ambient_dir(home, ambient_authority())?;
    let hints = &spec.login_hints;
    let settings = hints.possible_files.iter().chain(&spec.home_files);
    for hint in settings {
        if let Some(content) = hint.path(env).and_then(|path| read_file(&path)) {
            put(&inside, &hint.path_in_home(), &content)?;
        }
    }
    let mut files = Vec::new();
    for hint in &hints.files {
        let Some(original) = hint.path(env) else {
            continue;
        };
        if let Some(content) = read_file(&original) {
            let copy = hint.path_in_home();
            put(&inside, &copy, &content)?;
            files.push(LentFile {
                original,
                copy,
                content,
            });
        }
    }
    let logins = LentLogins {
        home: home.to_owned(),
        files,
    };
    Ok((kept, logins))
}

impl AgentSpec {
    /// What of its home outlives a turn: where its login, its settings and its sessions lie.
    fn kept_folders(&self) -> Vec<PathBuf> {
        let hints = &self.login_hints;
        let files = hints.files.iter().chain(&hints.possible_files);
        let of_files = files
            .chain(&self.home_files)
            .filter_map(|hint| Some(hint.path_in_home().parent()?.to_owned()));
        of_files.chain(self.state_folders.iter().cloned()).collect()
    }
}

impl LentLogins {
    /// Gives renewed logins back to the user. No process of the agent may be left.
    ///
    /// What is given back has the shape of what was lent; where somebody else renewed the login meanwhile, theirs stays.
    pub(super) fn give_back(&self) {
        let Ok(inside) = Dir::open_ambient_dir(&self.home, ambient_authority()) else {
            return;
        };
        for file in &self.files {
            if let Err(error) = file.give_back(&inside) {
                let path = file.original.display();
                tracing::warn!(%error, %path, "a login that an agent renewed could not be kept");
            }
        }
    }
}

impl LentFile {
    fn give_back(&self, inside: &Dir) -> io::Result<()> {
        let Some(renewed) = read_inside(inside, &self.copy)? else {
            return Ok(());
        };
        let is_renewed = renewed != self.content && is_alike(&self.content, &renewed);
        if !is_renewed || read_file(&self.original).as_ref() != Some(&self.content) {
            return Ok(());
        }
        let folder = self.original.parent().unwrap_or(Path::new("/"));
        let mut beside = tempfile::NamedTempFile::new_in(folder)?;
        beside.write_all(&renewed)?;
        let permissions = std::fs::metadata(&self.original)?.permissions();
        beside.as_file().set_permissions(permissions)?;
        beside.as_file().sync_all()?;
        beside.persist(&self.original)?;
        Ok(())
    }
}

/// A file of the user, whole; none where there is none that could be meant.
fn read_file(path: &Path) -> Option<Vec<u8>> {
    let meta = std::fs::metadata(path).ok()?;
    (meta.is_file() && meta.len() <= MAX_FILE_BYTES)
        .then(|| std::fs::read(path).ok())
        .flatten()
}

fn read_inside(inside: &Dir, path: &Path) -> io::Result<Option<Vec<u8>>> {
    // A pipe would be waited for.
    if !inside.symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut content = Vec::new();
    let file = inside.open(path)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// Writes a file, whatever an earlier turn has put in its place.
fn put(inside: &Dir, path: &Path, content: &[u8]) -> io::Result<()> {
    let mut folder = PathBuf::new();
    for part in path.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match inside.symlink_metadata(&folder) {
            Ok(there) if there.is_dir() => continue,
            Ok(_) => inside.remove_file(&folder)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        inside.create_dir(&folder)?;
    }
    if inside
        .symlink_metadata(path)
        .is_ok_and(|there| there.is_dir())
    {
        inside.remove_dir_all(path)?;
    }
    let folder = inside.open_dir(folder_of(path))?;
    let mut beside = cap_tempfile::TempFile::new(&folder)?;
    beside.write_all(content)?;
    beside.replace(path.file_name().unwrap_or_default())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => ".".into(),
    }
}

/// Both are JSON with the same names in it, and values of the same kinds: a login that was renewed, not another file.
fn is_alike(before: &[u8], after: &[u8]) -> bool {
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes);
    match (parse(before), parse(after)) {
        (Ok(before), Ok(after)) => has_same_shape(&before, &after),
        _ => false,
    }
}

fn has_same_shape(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before.iter().all(|(name, value)| {
                    let other = after.get(name);
                    other.is_some_and(|other| has_same_shape(value, other))
                })
        }
        (Value::Array(_), Value::Array(_)) => true,
        (before, after) => std::mem::discriminant(before) == std::mem::discriminant(after),
    }
}

impl FileHint {
    /// Where the user has it.
    pub(super) fn path(&self, env: &EnvVars) -> Option<PathBuf> {
        let moved = env.get(&self.variable).filter(|folder| !folder.is_empty());
        let folder = match moved {
            Some(folder) => PathBuf::from(folder),
            None => Path::new(env.get("HOME")?).join(&self.folder),
        };
        Some(folder.join(&self.name))
    }

    /// Where an agent looks for it whose environment moves nothing.
    fn path_in_home(&self) -> PathBuf {
        Path::new(&self.folder).join(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    struct Homes {
        root: tempfile::TempDir,
        spec: AgentSpec,
        env: EnvVars,
    }

    impl Homes {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let spec = crate::acp::known_agents()
                .into_iter()
                .find(|spec| spec.id == "codex");
            let codex = root.path().join("user/codex");
            fs::create_dir_all(&codex).unwrap();
            fs::write(
                codex.join("auth.json"),
                r#"{"tokens":{"a":"1"},"last":null}"#,
            )
            .unwrap();
            fs::write(codex.join("config.toml"), "model = 'x'").unwrap();
            let env = [("CODEX_HOME", codex), ("HOME", root.path().join("user"))];
            Self {
                spec: spec.unwrap(),
                env: env
                    .map(|(name, value)| (name.to_owned(), value.into()))
                    .into(),
                root,
            }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.root.path().join(path)
        }

        fn lend(&self) -> LentLogins {
            prepare(&self.at("home"), &self.spec, &self.env).unwrap().1
        }

        fn login(&self) -> String {
            fs::read_to_string(self.at("user/codex/auth.json")).unwrap()
        }
    }

    #[test]
    fn an_agent_that_keeps_nothing_has_a_home_all_the_same() {
        let mut homes = Homes::new();
        homes.spec = AgentSpec {
            login_hints: crate::acp::LoginHints::default(),
            home_files: Vec::new(),
            state_folders: Vec::new(),
            ..homes.spec
        };
        homes.lend();
        assert!(homes.at("home").is_dir());
    }

    #[test]
    fn login_and_settings_are_lent_and_a_renewed_login_comes_back() {
        let homes = Homes::new();
        let logins = homes.lend();
        let copy = homes.at("home/.codex/auth.json");
        assert_eq!(fs::read_to_string(&copy).unwrap(), homes.login());
        let settings = homes.at("home/.codex/config.toml");
        assert_eq!(fs::read_to_string(&settings).unwrap(), "model = 'x'");
        let renewed = r#"{"tokens":{"a":"2"},"last":null}"#;
        fs::write(&copy, renewed).unwrap();
        fs::write(&settings, "notify = ['sh', '-c', 'harm']").unwrap();
        logins.give_back();
        assert_eq!(homes.login(), renewed);
        let own = fs::read_to_string(homes.at("user/codex/config.toml")).unwrap();
        assert_eq!(own, "model = 'x'", "settings never come back");
        homes.lend();
        assert_eq!(fs::read_to_string(settings).unwrap(), "model = 'x'");
    }

    #[test]
    fn what_is_no_renewed_login_does_not_come_back() {
        for wrong in [
            "",
            "no JSON",
            "{}",
            r#"{"tokens":{"a":"2"},"last":null,"more":1}"#,
            r#"{"tokens":{"a":{}},"last":null}"#,
        ] {
            let homes = Homes::new();
            let (before, logins) = (homes.login(), homes.lend());
            fs::write(homes.at("home/.codex/auth.json"), wrong).unwrap();
            logins.give_back();
            assert_eq!(homes.login(), before, "{wrong}");
        }
        let homes = Homes::new();
        let logins = homes.lend();
        let theirs = r#"{"tokens":{"a":"3"},"last":null}"#;
        fs::write(homes.at("user/codex/auth.json"), theirs).unwrap();
        fs::write(
            homes.at("home/.codex/auth.json"),
            r#"{"tokens":{"a":"2"},"last":null}"#,
        )
        .unwrap();
        logins.give_back();
        assert_eq!(homes.login(), theirs, "somebody else renewed it");
    }

    #[test]
    fn nothing_is_written_or_read_through_what_an_agent_left() {
        let homes = Homes::new();
        let outside = homes.at("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(
            outside.join("auth.json"),
            r#"{"tokens":{"a":"9"},"last":null}"#,
        )
        .unwrap();
        // A folder that leads out, then a file that does, then a folder in the place of a file, then a pipe.
        fs::create_dir(homes.at("home")).unwrap();
        symlink(&outside, homes.at("home/.codex")).unwrap();
        homes.lend();
        let kept = fs::read_to_string(outside.join("auth.json")).unwrap();
        assert!(kept.contains("9"), "{kept}");
        let copy = homes.at("home/.codex/auth.json");
        fs::remove_file(&copy).unwrap();
        symlink(outside.join("auth.json"), &copy).unwrap();
        let logins = homes.lend();
        assert!(
            fs::read_to_string(outside.join("auth.json"))
                .unwrap()
                .contains("9")
        );
        fs::remove_file(&copy).unwrap();
        symlink(outside.join("auth.json"), &copy).unwrap();
        let before = homes.login();
        logins.give_back();
        assert_eq!(homes.login(), before, "what a link leads to is no login");
        fs::remove_file(&copy).unwrap();
        fs::create_dir_all(copy.join("deep")).unwrap();
        let logins = homes.lend();
        assert_eq!(fs::read_to_string(&copy).unwrap(), before);
        fs::remove_file(&copy).unwrap();
        nix::unistd::mkfifo(&copy, nix::sys::stat::Mode::S_IRWXU).unwrap();
        logins.give_back();
        assert_eq!(homes.login(), before);
    }
}

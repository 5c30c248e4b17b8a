//! What of this machine a sandboxed program sees, all of it read-only: the system, toolchains, their caches. Nothing that signs anybody in.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders of the system with programs and libraries.
const SYSTEM: &[&str] = &["/usr", "/opt", "/nix", "/home/linuxbrew", "/gnu"];

/// Folders that are links into `/usr` on most systems.
const MERGED: &[&str] = &["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// What of `/etc` programs need to run at all; it may end with `*`.
const ETC: &[&str] = &[
    "alternatives",
    "ca-certificates*",
    "debian_version",
    "dotnet",
    "fonts",
    "group",
    "gtk-3.0",
    "hosts",
    "java*",
    "ld.so.*",
    "locale*",
    "localtime",
    "lsb-release",
    "magic*",
    "maven/logging",
    "maven/m2.conf",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "php*",
    "pki/ca-trust",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "protocols",
    "python*",
    "services",
    "shells",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
];

/// Toolchains and caches below a home folder. Their configuration stays out: it holds tokens of registries.
const HOME: &[&str] = &[
    ".asdf/installs",
    ".asdf/shims",
    ".bun/bin",
    ".bun/install/cache",
    ".cargo/bin",
    ".cargo/git",
    ".cargo/registry",
    ".deno/bin",
    ".dotnet/dotnet",
    ".dotnet/host",
    ".dotnet/sdk",
    ".dotnet/shared",
    ".dotnet/tools",
    ".fnm",
    ".gradle/caches",
    ".gradle/wrapper",
    ".ivy2/cache",
    ".jenv",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise/installs",
    ".local/share/mise/shims",
    ".local/share/pnpm/store",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".m2/repository",
    ".npm/_cacache",
    ".nvm/versions",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman/candidates",
    ".swiftly",
    ".volta",
    "go/bin",
    "go/pkg/mod",
];

/// Variables that name a toolchain's folder, and what of it is shown.
const VARIABLES: &[(&str, &[&str])] = &[
    ("CARGO_HOME", &["bin", "git", "registry"]),
    ("RUSTUP_HOME", &[""]),
    ("GOROOT", &[""]),
    ("GOPATH", &["bin", "pkg/mod"]),
    ("GOMODCACHE", &[""]),
    ("JAVA_HOME", &[""]),
    ("NVM_DIR", &["versions"]),
    ("PYENV_ROOT", &[""]),
    ("VIRTUAL_ENV", &[""]),
];

/// What is shown of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VisibleFolders {
    /// Links that are made again: where, and what they say.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Folders and files, at the places where they are.
    pub(crate) shown: BTreeSet<PathBuf>,
}

/// Looks at this machine. `variable` reads the environment of the program that is to run.
pub(crate) fn visible_folders(
    home: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> VisibleFolders {
    let mut visible = VisibleFolders::default();
    visible.add_all(SYSTEM.iter().map(PathBuf::from));
    for folder in MERGED.iter().map(Path::new) {
        match std::fs::read_link(folder) {
            Ok(target) => visible.links.push((folder.to_owned(), target)),
            Err(_) => visible.add_all([folder.to_owned()]),
        }
    }
    visible.add_all(etc_entries());
    visible.add_all(HOME.iter().map(|below| home.join(below)));
    for (name, below) in VARIABLES {
        if let Some(root) = variable(name).map(PathBuf::from) {
            visible.add_all(below.iter().map(|below| root.join(below)));
        }
    }
    let path = variable("PATH").unwrap_or_default();
    visible.add_all(std::env::split_paths(&path).filter(|folder| is_programs_folder(folder, home)));
    visible
}

impl VisibleFolders {
    fn add_all(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        let there = paths
            .into_iter()
            .filter(|path| path.is_absolute() && path.exists());
        self.shown.extend(there);
    }
}

/// A folder on `PATH` is shown whole unless it is, or holds, the home folder.
fn is_programs_folder(folder: &Path, home: &Path) -> bool {
    let is_merged = MERGED.iter().any(|merged| folder.starts_with(merged));
    folder.is_absolute()
        && folder.components().count() > 1
        && !is_merged
        && !home.starts_with(folder)
}

fn etc_entries() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/etc") else {
        return Vec::new();
    };
    let starts: Vec<&str> = ETC
        .iter()
        .filter_map(|listed| listed.strip_suffix('*'))
        .collect();
    let begins_as_listed = |name: &str| starts.iter().any(|start| name.starts_with(start));
    let exact = ETC.iter().filter(|listed| !listed.ends_with('*'));
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(begins_as_listed))
        .map(|entry| entry.path())
        .chain(exact.map(|listed| Path::new("/etc").join(listed)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolchains_are_shown_and_what_signs_in_is_not() {
        let home = tempfile::tempdir().unwrap();
        for file in [
            ".cargo/bin/cargo",
            ".cargo/credentials.toml",
            ".config/gh/hosts.yml",
            ".ssh/id_ed25519",
            ".npmrc",
            "tools/bin/tool",
            "go/pkg/mod/x",
        ] {
            let file = home.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let path = std::env::join_paths([
            home.path().to_owned(),
            home.path().join("tools/bin"),
            "/".into(),
            "relative".into(),
        ])
        .unwrap();
        let visible = visible_folders(home.path(), |name| (name == "PATH").then(|| path.clone()));
        let below: Vec<_> = visible
            .shown
            .iter()
            .filter_map(|shown| shown.strip_prefix(home.path()).ok())
            .map(|shown| shown.to_str().unwrap())
            .collect();
        assert_eq!(below, [".cargo/bin", "go/pkg/mod", "tools/bin"]);
        assert!(visible.shown.contains(Path::new("/usr")));
        assert!(!visible.shown.contains(Path::new("/")));
        assert!(!visible.shown.contains(Path::new("/etc/shadow")));
    }
}

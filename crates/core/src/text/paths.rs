//! Paths: those of this machine that must not get out, and those of others that must not lead anywhere (§8.3, §9.2).

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing is left of it.
    #[error("an empty path names no file: expected a path relative to the repository")]
    Empty,
    /// It holds a NUL.
    #[error("the path holds a NUL character: no file has such a name")]
    Nul,
    /// It begins at a root, a drive, a share or a home.
    #[error(
        "`{0}` is not relative to the repository: expected a path without a leading slash, drive, share or `~`"
    )]
    Absolute(String),
    /// It has a back slash, which is a separator on some systems and a letter on others.
    #[error("`{0}` holds a back slash: expected `/` between folders")]
    BackSlash(String),
    /// It has a `..`.
    #[error("`{0}` leads out of its folder: expected a path without `..`")]
    Parent(String),
    /// It goes into git's own folder.
    #[error("`{0}` lies in git's own folder, which is never touched")]
    Git(String),
    /// A part of it is the name of a device on Windows.
    #[error("`{path}` holds `{part}`, which is the name of a device on Windows")]
    Reserved {
        /// The whole path.
        path: String,
        /// The part.
        part: String,
    },
}

/// Reads a path that somebody else wrote: relative, without `..`, normalised (`./a//b` is `a/b`).
pub fn safe_path(text: &str) -> Result<String, PathError> {
    let shown = || text.chars().take(200).collect::<String>();
    if text.contains('\0') {
        return Err(PathError::Nul);
    }
    if is_absolute(text) {
        return Err(PathError::Absolute(shown()));
    }
    if text.contains('\\') {
        return Err(PathError::BackSlash(shown()));
    }
    let mut parts = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => continue,
            ".." => return Err(PathError::Parent(shown())),
            part if is_git(part) => return Err(PathError::Git(shown())),
            part if is_device(part) => {
                return Err(PathError::Reserved {
                    path: shown(),
                    part: part.to_string(),
                });
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    match path.as_str() {
        "" => Err(PathError::Empty),
        // `./C:/x` begins at no drive, and what is left of it does.
        path if is_absolute(path) => Err(PathError::Absolute(shown())),
        _ => Ok(path),
    }
}

/// Whether it begins at a root, a drive, a share or a home.
fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    drive || text.starts_with(['/', '\\']) || text == "~" || text.starts_with("~/")
}

/// Whether some file system takes this name for `.git`: letter case, trailing dots, blanks or streams, short names, ignored characters.
fn is_git(part: &str) -> bool {
    let name: String = part
        .chars()
        .filter(|c| !super::untrusted::is_invisible(*c))
        .collect();
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    name == ".git" || name == "git~1"
}

fn is_device(part: &str) -> bool {
    let stem = part
        .split(['.', ':'])
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(&stem.as_str()) {
        return true;
    }
    let number = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    number.is_some_and(|n| {
        let mut digits = n.chars();
        matches!(
            (digits.next(), digits.next()),
            (Some('0'..='9' | '¹' | '²' | '³'), None)
        )
    })
}

/// Replaces the folders of this machine with `…`, and leaves what comes below them: `…/src/main.rs`.
///
/// Either way of writing separators is found. Folders of less than two characters are left out.
pub fn hide_folders(text: &str, folders: &[String]) -> String {
    let mut forms: Vec<String> = Vec::new();
    for folder in folders {
        let folder = folder.trim_end_matches(['/', '\\']);
        if folder.chars().count() < 2 {
            continue;
        }
        forms.push(folder.to_string());
        if folder.contains('\\') {
            forms.extend([folder.replace('\\', "/"), folder.replace('\\', "\\\\")]);
        }
    }
    forms.sort_unstable_by_key(|form| std::cmp::Reverse(form.len()));
    forms
        .iter()
        .fold(text.to_string(), |text, form| hide_folder(&text, form))
}

fn hide_folder(text: &str, folder: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let after = &rest[at + folder.len()..];
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '…');
        let starts = !out
            .chars()
            .chain(rest[..at].chars())
            .next_back()
            .is_some_and(of_name);
        let ends = !after.chars().next().is_some_and(of_name);
        out.push_str(&rest[..at]);
        out.push_str(if starts && ends { "…" } else { folder });
        rest = after;
    }
    out.push_str(rest);
    out
}

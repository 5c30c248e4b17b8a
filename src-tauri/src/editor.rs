//! The editor of this machine, and how it is told a line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How an editor is told where to go.
#[derive(Clone, Copy)]
enum LineForm {
    /// `-g FILE:LINE`
    GotoFlag,
    /// `FILE:LINE`
    Suffix,
    /// `--line LINE FILE`
    LineFlag,
    /// `+LINE FILE`
    Plus,
}

/// Editors with a window of their own, those first that developers more often have.
const EDITORS: [(&str, LineForm); 18] = [
    ("code", LineForm::GotoFlag),
    ("codium", LineForm::GotoFlag),
    ("cursor", LineForm::GotoFlag),
    ("windsurf", LineForm::GotoFlag),
    ("zed", LineForm::Suffix),
    ("zeditor", LineForm::Suffix),
    ("subl", LineForm::Suffix),
    ("idea", LineForm::LineFlag),
    ("rustrover", LineForm::LineFlag),
    ("pycharm", LineForm::LineFlag),
    ("webstorm", LineForm::LineFlag),
    ("goland", LineForm::LineFlag),
    ("clion", LineForm::LineFlag),
    ("phpstorm", LineForm::LineFlag),
    ("rubymine", LineForm::LineFlag),
    ("kate", LineForm::LineFlag),
    ("gedit", LineForm::Plus),
    ("gnome-text-editor", LineForm::Plus),
];

/// Opens a file at a line; whether there is an editor that does.
pub fn open(path: &Path, line: Option<u32>) -> bool {
    let chosen = ["VISUAL", "EDITOR"].map(std::env::var_os);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let is_program = |program: &Path| program.is_file();
    let Some((program, form)) = find(&chosen, &folders, is_program) else {
        return false;
    };
    let spawned = Command::new(program)
        .args(arguments(form, path, line))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match spawned {
        Ok(mut child) => {
            // Somebody has to wait for it, or it stays as a zombie.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(error) => {
            tracing::debug!(%error, "the editor did not start");
            false
        }
    }
}

/// The editor that the person chose, if it has a window, else the first that is there.
fn find(
    chosen: &[Option<OsString>],
    folders: &[PathBuf],
    is_program: impl Fn(&Path) -> bool,
) -> Option<(PathBuf, LineForm)> {
    let named = chosen.iter().flatten().filter_map(|word| {
        let program = Path::new(word);
        let stem = program.file_stem()?;
        EDITORS.iter().find(|(name, _)| OsStr::new(name) == stem)
    });
    let mut wanted = named.chain(&EDITORS);
    wanted.find_map(|(name, form)| {
        let mut places = folders.iter().flat_map(|folder| programs(folder, name));
        places
            .find(|program| is_program(program))
            .map(|program| (program, *form))
    })
}

/// What a program of that name may be called in a folder.
fn programs(folder: &Path, name: &str) -> [PathBuf; 3] {
    ["", ".cmd", ".exe"].map(|end| folder.join(format!("{name}{end}")))
}

fn arguments(form: LineForm, path: &Path, line: Option<u32>) -> Vec<OsString> {
    let file = path.as_os_str().to_owned();
    let Some(line) = line else {
        return vec![file];
    };
    let at_line = || {
        let mut file = file.clone();
        file.push(format!(":{line}"));
        file
    };
    match form {
        LineForm::GotoFlag => vec!["-g".into(), at_line()],
        LineForm::Suffix => vec![at_line()],
        LineForm::LineFlag => vec!["--line".into(), line.to_string().into(), file],
        LineForm::Plus => vec![format!("+{line}").into(), file],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(chosen: &str, there: &[&str]) -> Option<PathBuf> {
        let folders = [PathBuf::from("/bin")];
        let chosen = [None, Some(OsString::from(chosen))];
        let there: Vec<PathBuf> = there
            .iter()
            .map(|name| Path::new("/bin").join(name))
            .collect();
        let is_program = |program: &Path| there.iter().any(|one| one == program);
        find(&chosen, &folders, is_program).map(|(program, _)| program)
    }

    #[test]
    fn the_chosen_editor_comes_first_unless_it_lives_in_a_terminal() {
        assert_eq!(found("zed", &["code", "zed"]), Some("/bin/zed".into()));
        assert_eq!(
            found("/usr/bin/vim", &["vim", "code"]),
            Some("/bin/code".into())
        );
        assert_eq!(found("", &["kate"]), Some("/bin/kate".into()));
        assert_eq!(found("code", &[]), None);
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        let path = Path::new("/w/a.rs");
        let told = |form| {
            let words = arguments(form, path, Some(7));
            let words: Vec<String> = words
                .iter()
                .map(|w| w.to_string_lossy().into_owned())
                .collect();
            words.join(" ")
        };
        assert_eq!(told(LineForm::GotoFlag), "-g /w/a.rs:7");
        assert_eq!(told(LineForm::Suffix), "/w/a.rs:7");
        assert_eq!(told(LineForm::LineFlag), "--line 7 /w/a.rs");
        assert_eq!(told(LineForm::Plus), "+7 /w/a.rs");
        assert_eq!(
            arguments(LineForm::Plus, path, None),
            [OsString::from("/w/a.rs")]
        );
    }
}

//! The files that diagnostics are about.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path};
use std::rc::Rc;

use crate::diagnostic::Edit;
use crate::text::Text;

/// The files at the head, read once each.
pub(crate) struct Source<'a> {
    root: &'a Path,
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    texts: RefCell<HashMap<String, Option<Rc<Text>>>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(root: &'a Path, read: &'a dyn Fn(&str) -> Option<Vec<u8>>) -> Self {
        Self {
            root,
            read,
            texts: RefCell::default(),
        }
    }

    /// The path relative to the root, with `/`; `None` where it leaves the root.
    pub(crate) fn relative(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let below = if path.has_root() {
            path.strip_prefix(self.root).ok()?
        } else {
            path
        };
        let mut parts: Vec<&str> = Vec::new();
        for component in below.components() {
            match component {
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop()?;
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        (!parts.is_empty()).then(|| parts.join("/"))
    }

    /// Says whether the head has a file.
    pub(crate) fn exists(&self, path: &str) -> bool {
        (self.read)(path).is_some()
    }

    /// The text of a file, if the head has it and it is UTF-8.
    pub(crate) fn text(&self, path: &str) -> Option<Rc<Text>> {
        if let Some(text) = self.texts.borrow().get(path) {
            return text.clone();
        }
        let text = (self.read)(path).and_then(Text::new).map(Rc::new);
        self.texts
            .borrow_mut()
            .insert(path.to_owned(), text.clone());
        text
    }
}

/// The edits as a fix: `None` where there are none, they overlap, or one could not be placed.
pub(crate) fn fix_of(text: &Text, edits: impl Iterator<Item = Option<Edit>>) -> Option<Vec<Edit>> {
    let mut edits: Vec<Edit> = edits.collect::<Option<_>>()?;
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let in_range = edits.iter().all(|edit| {
        edit.start <= edit.end && text.is_boundary(edit.start) && text.is_boundary(edit.end)
    });
    let apart = edits
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.end <= b.start && a.start != b.start));
    (!edits.is_empty() && in_range && apart).then_some(edits)
}

/// A line number, at least 1.
pub(crate) fn line_number(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX).max(1)
}

/// The last line of a range whose end is behind its last character: an end at the start of a line
/// does not reach that line.
pub(crate) fn last_line(line: u64, end_line: Option<u64>, end_column: Option<u64>) -> u32 {
    let end = end_line.unwrap_or(line);
    let reached = if end_column == Some(1) && end > line {
        end - 1
    } else {
        end
    };
    line_number(reached.max(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_root() {
        let read = |_: &str| None;
        let source = Source::new(Path::new("/root/of/run"), &read);
        for (path, expected) in [
            ("/root/of/run/a/b.py", Some("a/b.py")),
            ("a/./b.py", Some("a/b.py")),
            ("./-x.py", Some("-x.py")),
            ("a/../b.py", Some("b.py")),
            ("../b.py", None),
            ("a/../../b.py", None),
            ("/root/of/run/../b.py", None),
            ("/root/of/runner/b.py", None),
            ("/etc/passwd", None),
            ("/root/of/run", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(source.relative(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_range_ends_on_the_line_of_its_last_character() {
        assert_eq!(last_line(3, Some(4), Some(1)), 3);
        assert_eq!(last_line(3, Some(4), Some(2)), 4);
        assert_eq!(last_line(3, Some(3), Some(1)), 3);
        assert_eq!(last_line(3, None, None), 3);
        assert_eq!(last_line(3, Some(1), None), 3);
        assert_eq!(line_number(0), 1);
        assert_eq!(line_number(u64::MAX), u32::MAX);
    }
}

//! Reads what `git diff-tree --raw -z` and `git ls-tree -z` print: exact names, whatever is in them.

/// One changed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeChange {
    pub(crate) old_mode: u32,
    pub(crate) new_mode: u32,
    pub(crate) old_id: String,
    pub(crate) new_id: String,
    /// `A`, `D`, `M`, `R`, `T`.
    pub(crate) status: u8,
    pub(crate) path: Vec<u8>,
    pub(crate) old_path: Option<Vec<u8>>,
}

impl TreeChange {
    /// Each side that is there is a plain file.
    pub(crate) fn is_regular(&self) -> bool {
        [self.old_mode, self.new_mode]
            .iter()
            .all(|mode| *mode == 0 || is_file_mode(*mode))
    }

    /// The path as text; none when it is no UTF-8.
    pub(crate) fn text_path(&self) -> Option<&str> {
        std::str::from_utf8(&self.path).ok()
    }
}

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) mode: u32,
    pub(crate) id: String,
    /// Bytes; zero for what is no file.
    pub(crate) size: u64,
    pub(crate) path: Vec<u8>,
}

/// The mode is that of a regular file.
pub(crate) fn is_file_mode(mode: u32) -> bool {
    mode & 0o170_000 == 0o100_000
}

/// The mode is that of a symbolic link.
pub(crate) fn is_link_mode(mode: u32) -> bool {
    mode == 0o120_000
}

/// The mode is that of a folder.
pub(crate) fn is_tree_mode(mode: u32) -> bool {
    mode & 0o170_000 == 0o040_000
}

/// Mode and id of an entry of a tree object, by its name; ids are `id_bytes` long there.
///
/// # Errors
/// When the bytes are no tree.
pub(crate) fn find_in_tree(
    tree: &[u8],
    id_bytes: usize,
    name: &str,
) -> Result<Option<(u32, String)>, ()> {
    for entry in raw_entries(tree, id_bytes) {
        let (mode, found, id) = entry.ok_or(())?;
        if found == name.as_bytes() {
            return Ok(Some((mode, hex_id(id))));
        }
    }
    Ok(None)
}

/// Mode, name and id of each entry of a tree object; none when the bytes are no tree.
pub(crate) fn tree_entries_of(tree: &[u8], id_bytes: usize) -> Option<Vec<(u32, &[u8], String)>> {
    let entries = raw_entries(tree, id_bytes);
    entries
        .map(|entry| entry.map(|(mode, name, id)| (mode, name, hex_id(id))))
        .collect()
}

/// The entries of a tree object one by one; none, once, where the bytes are no tree.
fn raw_entries(tree: &[u8], id_bytes: usize) -> impl Iterator<Item = Option<RawEntry<'_>>> {
    let mut rest = tree;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let entry = raw_entry(rest, id_bytes);
        rest = entry.map_or(&[], |(_, after)| after);
        Some(entry.map(|(entry, _)| entry))
    })
}

/// Mode, name and id as bytes.
type RawEntry<'a> = (u32, &'a [u8], &'a [u8]);

/// The first entry, and what follows it.
fn raw_entry(tree: &[u8], id_bytes: usize) -> Option<(RawEntry<'_>, &[u8])> {
    let end = tree.iter().position(|byte| *byte == 0)?;
    let space = tree[..end].iter().position(|byte| *byte == b' ')?;
    let mode = std::str::from_utf8(&tree[..space]).ok()?;
    let id = tree.get(end + 1..end + 1 + id_bytes)?;
    let entry = (parse_octal(mode)?, &tree[space + 1..end], id);
    Some((entry, &tree[end + 1 + id_bytes..]))
}

fn hex_id(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The parts between NUL bytes.
pub(crate) fn nul_fields(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
}

/// Reads raw diff records; none when they are not what git prints.
pub(crate) fn parse_changes(bytes: &[u8]) -> Option<Vec<TreeChange>> {
    let mut parts = nul_fields(bytes);
    let mut found = Vec::new();
    while let Some(head) = parts.next() {
        let head = std::str::from_utf8(head).ok()?.strip_prefix(':')?;
        let words: Vec<&str> = head.split(' ').collect();
        let [old_mode, new_mode, old_id, new_id, status] = words.as_slice() else {
            return None;
        };
        let status = *status.as_bytes().first()?;
        if !status.is_ascii_uppercase() {
            return None;
        }
        let first = parts.next()?.to_vec();
        let (path, old_path) = match status {
            b'R' | b'C' => (parts.next()?.to_vec(), Some(first)),
            _ => (first, None),
        };
        found.push(TreeChange {
            old_mode: parse_octal(old_mode)?,
            new_mode: parse_octal(new_mode)?,
            old_id: (*old_id).to_string(),
            new_id: (*new_id).to_string(),
            status,
            path,
            old_path,
        });
    }
    Some(found)
}

/// One version of a file that conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConflictStage {
    pub(crate) path: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) id: String,
    /// 1 what both sides came from, 2 the first side, 3 the second.
    pub(crate) number: u8,
}

/// Reads what `merge-tree --write-tree -z --no-messages` prints: the tree, and the stages of what conflicts; none when it is not that.
pub(crate) fn parse_merge_tree(bytes: &[u8]) -> Option<(String, Vec<ConflictStage>)> {
    let mut parts = nul_fields(bytes);
    let tree = std::str::from_utf8(parts.next()?).ok()?.to_string();
    let stages = parts.map(|record| {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let words: Vec<&str> = std::str::from_utf8(&record[..tab])
            .ok()?
            .split(' ')
            .collect();
        let [mode, id, number] = words.as_slice() else {
            return None;
        };
        Some(ConflictStage {
            path: record[tab + 1..].to_vec(),
            mode: parse_octal(mode)?,
            id: (*id).to_string(),
            number: number.parse().ok()?,
        })
    });
    let stages = stages.collect::<Option<Vec<_>>>()?;
    Some((tree, stages))
}

/// Reads the records of `ls-tree -z -l`; none when they are not what git prints.
pub(crate) fn parse_entries(bytes: &[u8]) -> Option<Vec<TreeEntry>> {
    nul_fields(bytes)
        .map(|record| {
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            let mut words = std::str::from_utf8(&record[..tab])
                .ok()?
                .split_ascii_whitespace();
            let mode = parse_octal(words.next()?)?;
            let _kind = words.next()?;
            let id = words.next()?.to_string();
            let size = words.next()?.parse().unwrap_or(0);
            Some(TreeEntry {
                mode,
                id,
                size,
                path: record[tab + 1..].to_vec(),
            })
        })
        .collect()
}

/// Reads the records of `ls-files -z --stage`: mode and path.
pub(crate) fn parse_staged(bytes: &[u8]) -> Option<Vec<(u32, Vec<u8>)>> {
    nul_fields(bytes)
        .map(|record| {
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            let mode = std::str::from_utf8(&record[..tab])
                .ok()?
                .split(' ')
                .next()?;
            Some((parse_octal(mode)?, record[tab + 1..].to_vec()))
        })
        .collect()
}

fn parse_octal(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_newlines_and_spaces_come_through() {
        let id = "0".repeat(40);
        let text = format!(
            ":100644 100755 {id} {id} M\0a b\n\"c\0:100644 100644 {id} {id} R087\0old\0new\t\0"
        );
        let found = parse_changes(text.as_bytes()).unwrap();
        assert_eq!(found[0].path, b"a b\n\"c");
        assert_eq!(
            (found[1].old_path.as_deref(), found[1].path.as_slice()),
            (Some(&b"old"[..]), &b"new\t"[..])
        );
    }

    #[test]
    fn what_git_never_prints_is_no_answer() {
        for bad in [
            "x",
            ":1 2",
            ":100644 100644 a b M",
            ":100644 100644 a b R1\0only",
        ] {
            assert_eq!(parse_changes(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(parse_entries(b"100644 blob"), None);
        assert_eq!(parse_staged(b"100644"), None);
    }
}

//! What a death leaves of the files of the data folder: checkpoints and lines of the audit log that end in the middle, and a journal that is
//! lost. Only SQLite's own files are not torn: `crates/store/tests/store/power_loss.rs` does that.

use super::draw::Draw;
use super::schedule::Torn;
use collie_store::StorePaths;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What was torn so far.
#[derive(Debug, Default)]
pub struct TornFiles {
    /// Checkpoints that were cut: none of them may be lost without a trace, nor taken for whole.
    pub checkpoints_cut: u64,
    /// Lines of the audit log that are torn, by file and number.
    pub audit_lines: BTreeSet<(String, u64)>,
    /// Whole lines among them.
    pub audit_lines_lost: u64,
    /// How often each kind of file was torn.
    pub struck: BTreeMap<Torn, u64>,
}

impl TornFiles {
    /// Tears a file as a death at this await leaves it. The journal is nobody's at this moment.
    pub fn tear(
        &mut self,
        (paths, earlier): (&StorePaths, &EarlierCheckpoints),
        (draw, at): (Draw, u64),
        file: Torn,
    ) -> io::Result<()> {
        *self.struck.entry(file).or_default() += 1;
        match file {
            Torn::CheckpointCut | Torn::CheckpointUnfinished => {
                let all = checkpoints(paths)?;
                let all: Vec<&PathBuf> = all.iter().collect();
                let Some(path) = draw.pick(("torn checkpoint", at), &all) else {
                    return Ok(());
                };
                cut(path, 0, (draw, at))?;
                match file {
                    Torn::CheckpointCut => self.checkpoints_cut += 1,
                    _ => fs::rename(path, path.with_file_name(".pr_torn.unfinished"))?,
                }
                Ok(())
            }
            Torn::AuditLineCut | Torn::AuditLineBegun => self.tear_audit(paths, file, (draw, at)),
            Torn::JournalLost => {
                earlier.put_back(|path| draw.chance(("older", at, path.file_name()), 500))?;
                lose_journal(&paths.database(), draw.chance(("journal is gone", at), 500))
            }
        }
    }

    fn tear_audit(&mut self, paths: &StorePaths, file: Torn, by: (Draw, u64)) -> io::Result<()> {
        let Some(path) = last_audit_file(paths)? else {
            return Ok(());
        };
        let bytes = fs::read(&path)?;
        let is_whole = bytes.ends_with(b"\n");
        let whole = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let begin = whole.iter().rposition(|byte| *byte == b'\n');
        let begin = begin.map_or(0, |at| at + 1);
        let mut number = 1 + whole.iter().filter(|byte| **byte == b'\n').count() as u64;
        match file {
            Torn::AuditLineBegun if is_whole => {
                number += 1;
                let half = (bytes.len() - begin) / 2;
                let more = bytes.iter().skip(begin).take(half);
                fs::write(
                    &path,
                    bytes.iter().chain(more).copied().collect::<Vec<u8>>(),
                )?;
            }
            // What ends in the middle already ends a little earlier.
            _ => {
                self.audit_lines_lost += u64::from(is_whole);
                cut(&path, begin + 1, by)?;
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.audit_lines.insert((name.into_owned(), number));
        Ok(())
    }
}

/// Cuts a file within what comes after its first `keep` bytes; its last two bytes, with which JSON is whole, are always lost.
fn cut(path: &Path, keep: usize, (draw, at): (Draw, u64)) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let end = bytes.len().saturating_sub(2).max(keep) as u64;
    let end = draw.between(("cut", at), keep as u64, end);
    let end = usize::try_from(end).unwrap_or(keep).min(bytes.len());
    fs::write(path, bytes.get(..end).unwrap_or_default())
}

/// The database is gone, or its second half is: SQLite has closed it, all of it is in its one file.
fn lose_journal(database: &Path, is_gone: bool) -> io::Result<()> {
    match is_gone {
        true => fs::remove_file(database),
        false => {
            let length = fs::metadata(database)?.len();
            let file = fs::File::options().write(true).open(database)?;
            file.set_len(length / 2)
        }
    }
}

fn last_audit_file(paths: &StorePaths) -> io::Result<Option<PathBuf>> {
    let files = files_below(&paths.audit())?.into_iter();
    let mut files = files.filter(|path| {
        let is_log = path.extension().is_some_and(|ending| ending == "jsonl");
        is_log && fs::metadata(path).is_ok_and(|data| data.len() > 0)
    });
    Ok(files.next_back())
}

/// All checkpoints, by their places.
pub fn checkpoints(paths: &StorePaths) -> io::Result<Vec<PathBuf>> {
    let files = files_below(&paths.checkpoints())?.into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    Ok(files.collect())
}

/// All files below a folder, sorted; none where there is no such folder.
pub fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        match path.is_dir() {
            true => files.extend(files_below(&path)?),
            false => files.push(path),
        }
    }
    files.sort();
    Ok(files)
}

/// The checkpoint of each loop, and the one before it.
#[derive(Debug, Default)]
pub struct EarlierCheckpoints {
    newest: BTreeMap<PathBuf, Vec<u8>>,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl EarlierCheckpoints {
    /// Takes in what lies there now.
    pub fn look(&mut self, paths: &StorePaths) -> io::Result<()> {
        for path in checkpoints(paths)? {
            let bytes = fs::read(&path)?;
            if self.newest.get(&path) != Some(&bytes) {
                let older = self.newest.insert(path.clone(), bytes);
                self.before.extend(older.map(|older| (path, older)));
            }
        }
        Ok(())
    }

    /// Puts the one before the newest back where that is wanted: the process died before it had written the newest.
    fn put_back(&self, is_wanted: impl Fn(&Path) -> bool) -> io::Result<()> {
        let mut older = self.before.iter().filter(|(path, _)| is_wanted(path));
        older.try_for_each(|(path, bytes)| fs::write(path, bytes))
    }
}

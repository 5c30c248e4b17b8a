//! Looks for words in the files of a commit (§4.4).
//!
//! What is looked for, and where, comes from the pull request: words are handed over as fixed strings behind their own option, and what
//! comes back is bounded while it streams by.

use crate::Worktrees;
use crate::git_command::{GitCommand, command_error};
use collie_core::code_context::{TextHit, WordHits, WordSearch};
use collie_core::ids::Sha;
use collie_engine::ports::GitError;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Words of one search; more are not looked for.
const MAX_WORDS: usize = 100;
/// A longer word is no name.
const MAX_WORD_BYTES: usize = 100;
/// Lines that are kept.
const MAX_HITS: usize = 20_000;
/// Lines of one file that are kept.
const MAX_HITS_IN_FILE: usize = 200;
/// Output that is read.
const MAX_BYTES: usize = 32 << 20;
/// What is kept of a line.
const MAX_LINE_BYTES: usize = 400;
/// A longer path is not one that a review names.
const MAX_PATH_BYTES: usize = 4_096;
/// How long a search may take.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(15);

impl Worktrees {
    /// See the port.
    pub(crate) async fn search_words_at(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        search: &WordSearch,
    ) -> Result<WordHits, GitError> {
        let Some(grep) = grep_command(commit, search) else {
            return Ok(WordHits::default());
        };
        let mut reader = HitReader::new(commit);
        let enough = CancellationToken::new();
        let output = {
            let mut sink = |bytes: &[u8]| {
                reader.feed(bytes);
                if reader.is_full() {
                    enough.cancel();
                }
            };
            let grep = grep.in_clone(clone_dir);
            let mut call = pin!(self.git.stream_until(grep, &mut sink, Some(&enough)));
            match tokio::time::timeout(SEARCH_TIMEOUT, &mut call).await {
                Ok(output) => output?,
                Err(_) => {
                    enough.cancel();
                    call.await?
                }
            }
        };
        // One is what git grep ends with where there is nothing.
        let truncated = enough.is_cancelled();
        match output.exit_code {
            _ if truncated => {}
            0 | 1 => {}
            _ => return Err(command_error("grep", "the clone", &output.stderr)),
        }
        let hits = reader.hits;
        Ok(WordHits { hits, truncated })
    }
}

/// The call; none where there is nothing to look for, or nowhere.
fn grep_command(commit: &Sha, search: &WordSearch) -> Option<GitCommand> {
    let is_word = |word: &&String| {
        let of_word = |letter: char| letter.is_alphanumeric() || "_$?!".contains(letter);
        (1..=MAX_WORD_BYTES).contains(&word.len()) && word.chars().all(of_word)
    };
    let words: Vec<&String> = search
        .words
        .iter()
        .filter(is_word)
        .take(MAX_WORDS)
        .collect();
    let is_extension = |extension: &&String| {
        !extension.is_empty() && extension.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let extensions: Vec<&String> = search.extensions.iter().filter(is_extension).collect();
    if words.is_empty() || extensions.is_empty() {
        return None;
    }
    let mut grep = GitCommand::new([
        "grep",
        "--fixed-strings",
        "--word-regexp",
        "--line-number",
        "--null",
        "--full-name",
        "--no-color",
        "--no-column",
        "--no-textconv",
        "--no-recurse-submodules",
        // Attributes are not asked: a NUL byte near the start of a file is what makes it binary.
        "-I",
    ])
    .arg(format!("--max-count={MAX_HITS_IN_FILE}"))
    // A clone that lacks files does not fetch them for this.
    .env("GIT_NO_LAZY_FETCH", "1")
    // Words are matched as bytes, whatever the machine's language.
    .env("LC_ALL", "C.UTF-8")
    // Extensions are patterns; they were looked at above.
    .env("GIT_LITERAL_PATHSPECS", "0");
    for word in words {
        grep = grep.arg("-e").arg(word);
    }
    grep = grep.arg(commit.as_str()).arg("--");
    for extension in extensions {
        grep = grep.arg(format!(":(top,glob)**/*.{extension}"));
    }
    Some(grep)
}

/// Where in a record of the output the reader is.
enum Field {
    Path,
    Line,
    Text,
}

/// Reads `COMMIT:path NUL line NUL text LF` in pieces. A path may hold line ends, a text may hold anything else.
struct HitReader {
    prefix: String,
    field: Field,
    path: Vec<u8>,
    line: Vec<u8>,
    text: Vec<u8>,
    bytes: usize,
    hits: Vec<TextHit>,
}

impl HitReader {
    fn new(commit: &Sha) -> Self {
        Self {
            prefix: format!("{commit}:"),
            field: Field::Path,
            path: Vec::new(),
            line: Vec::new(),
            text: Vec::new(),
            bytes: 0,
            hits: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.hits.len() >= MAX_HITS || self.bytes >= MAX_BYTES
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        for byte in bytes {
            match (&self.field, byte) {
                (Field::Path, 0) => self.field = Field::Line,
                // Older versions write a colon there.
                (Field::Line, 0 | b':') => self.field = Field::Text,
                (Field::Text, b'\n') => self.end_record(),
                (Field::Path, byte) => push_bounded(&mut self.path, *byte, MAX_PATH_BYTES),
                (Field::Line, byte) => push_bounded(&mut self.line, *byte, 20),
                (Field::Text, byte) => push_bounded(&mut self.text, *byte, MAX_LINE_BYTES),
            }
        }
    }

    fn end_record(&mut self) {
        self.field = Field::Path;
        let path = std::mem::take(&mut self.path);
        let line = std::mem::take(&mut self.line);
        let text = std::mem::take(&mut self.text);
        let path = std::str::from_utf8(&path).ok();
        let path = path.and_then(|path| path.strip_prefix(self.prefix.as_str()));
        let line = std::str::from_utf8(&line).ok();
        let line = line.and_then(|line| line.parse().ok());
        if let (Some(path), Some(line), true) = (path, line, self.hits.len() < MAX_HITS) {
            self.hits.push(TextHit {
                path: path.to_owned(),
                line,
                text: String::from_utf8_lossy(&text).into_owned(),
            });
        }
    }
}

fn push_bounded(buffer: &mut Vec<u8>, byte: u8, most: usize) {
    if buffer.len() < most {
        buffer.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_read_wherever_the_output_is_cut() {
        let commit = Sha::parse(&"a".repeat(40)).unwrap();
        let long = "x".repeat(5_000);
        let output = format!(
            "{commit}:src/a.rs\x003\x00foo(1)\n{commit}:odd\nname.rs\x0012:a:b\0c\n{commit}:b.rs\x001\x00{long}\n"
        );
        for step in [1, 2, 7, 64, 10_000] {
            let mut reader = HitReader::new(&commit);
            for piece in output.as_bytes().chunks(step) {
                reader.feed(piece);
            }
            let read: Vec<(&str, u32, usize)> = reader
                .hits
                .iter()
                .map(|hit| (hit.path.as_str(), hit.line, hit.text.len()))
                .collect();
            let expect = [
                ("src/a.rs", 3, 6),
                ("odd\nname.rs", 12, 5),
                ("b.rs", 1, MAX_LINE_BYTES),
            ];
            assert_eq!(read, expect);
        }
    }

    #[test]
    fn more_than_is_kept_ends_the_search() {
        let commit = Sha::parse(&"a".repeat(40)).unwrap();
        let mut reader = HitReader::new(&commit);
        let hit = format!("{commit}:a.rs\x003\x00foo\n");
        for _ in 0..MAX_HITS + 100 {
            reader.feed(hit.as_bytes());
        }
        assert!(reader.is_full());
        assert_eq!(reader.hits.len(), MAX_HITS);
    }
}

//! What git prints, what a fixer changed and what goes into a commit's message, tried with inputs that nobody would write.

use crate::commit_message::compose_commit_message;
use crate::lost_lines::lost_lines;
use crate::patch::{FilePatch, PatchReader};
use crate::plumbing_output::{self, TreeChange};
use crate::tamper::{tampering, tampering_by_move};
use collie_engine::ports::CommitMessage;
use collie_fuzz::{Target, parts};
use similar::TextDiff;
use std::fmt::Write as _;
use std::process::Command;

fn target(name: &'static str, words: &'static [&'static str], iterations: u32) -> Target {
    Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name,
        words,
        iterations,
    }
}

fn read_patch(patch: &[u8], step: usize) -> Option<Vec<FilePatch>> {
    let mut reader = PatchReader::default();
    for piece in patch.chunks(step) {
        reader.feed(piece);
    }
    reader.finish()
}

/// Lines in ranges that are in order and do not touch.
fn count_lines(ranges: &[(u32, u32)]) -> usize {
    for pair in ranges.windows(2) {
        assert!(pair[0].1 < pair[1].0, "{ranges:?}");
    }
    let lines = ranges.iter().map(|(from, to)| {
        assert!(from <= to, "{ranges:?}");
        (to - from + 1) as usize
    });
    lines.sum()
}

const LINE_WORDS: &[&str] = &[
    "\n",
    "+",
    "-",
    " ",
    "\\",
    "@@ -1 +1 @@\n",
    "@@ -1,3 +1,4 @@ fn\n",
    "@@ -0,0 +1 @@\n",
    "@@ -",
    "4294967295",
    "18446744073709551615",
    ",",
    " @@",
    "diff --git a/x b/x\n",
    "--- a/x\n",
    "+++ b/x\n",
    "Binary files a/x and b/x differ\n",
    "\\ No newline at end of file\n",
    "rename from x\n",
    "\r\n",
    "\r",
    "é",
    "\0",
    "\"",
    "%%%%\n",
];

/// However it comes in, a patch says the same; and of two texts it says which lines are new.
#[test]
fn patches() {
    target("patches", LINE_WORDS, 2_000).run(|bytes| {
        let whole = read_patch(bytes, usize::MAX);
        for step in [1, 3, 255, 256, 257] {
            assert_eq!(read_patch(bytes, step), whole, "in pieces of {step}");
        }
        // A lone `\r` ends no line to git, and one to `similar`.
        let [old, new] = parts::<2>(bytes).map(|text| text.replace('\r', ""));
        let open_end = old.strip_suffix('\n').unwrap_or(&old);
        for (old, new) in [
            (old.as_str(), new.as_str()),
            (open_end, &new),
            (&new, open_end),
        ] {
            assert_new_lines(old, new);
        }
    });
}

/// The lines that the patch between two texts calls new are those that are.
fn assert_new_lines(old: &str, new: &str) {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut config = TextDiff::configure();
    let diff = config.newline_terminated(true).diff_slices(&old, &new);
    let mut patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n".to_owned();
    let _ = write!(patch, "{}", diff.unified_diff().missing_newline_hint(true));
    let sections = read_patch(patch.as_bytes(), 64).expect("a whole patch");
    let [section] = sections.as_slice() else {
        panic!("{} sections of {patch}", sections.len());
    };
    let changes = diff.iter_all_changes();
    let added = changes.filter(|change| change.tag() == similar::ChangeTag::Insert);
    assert_eq!(count_lines(&section.changed), added.count(), "{patch}");
    count_lines(&section.shown);
    for line in section.changed.iter().flat_map(|(from, to)| [from, to]) {
        let shown = |range: &&(u32, u32)| (range.0..=range.1).contains(line);
        assert!(section.shown.iter().any(|range| shown(&range)), "{patch}");
    }
}

/// The same counts as git's own, for every file of the corpus against every other.
#[test]
fn counts_of_lines_are_gits_own() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let folder = tempfile::tempdir().expect("a folder");
    let texts: Vec<Vec<u8>> = ["patches", "tamper"]
        .iter()
        .flat_map(|name| std::fs::read_dir(corpus.join(name)).expect("a corpus"))
        .map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a file"))
        .collect();
    for side in ["a", "b"] {
        std::fs::create_dir(folder.path().join(side)).expect("a folder");
    }
    for (n, old) in texts.iter().enumerate() {
        for (m, new) in texts.iter().enumerate().filter(|(m, _)| *m != n) {
            let name = format!("{n}-{m}.txt");
            std::fs::write(folder.path().join("a").join(&name), old).expect("a file");
            std::fs::write(folder.path().join("b").join(&name), new).expect("a file");
        }
    }
    let diff = |options: &[&str]| {
        let output = Command::new("git")
            .args([
                "-c",
                "core.quotePath=true",
                "diff",
                "--no-index",
                "--no-ext-diff",
                "--no-color",
                "--text",
            ])
            .args(options)
            .args(["a", "b"])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(folder.path())
            .output();
        output.expect("git runs").stdout
    };
    let counts = String::from_utf8(diff(&["--numstat"])).expect("UTF-8");
    let sections = read_patch(&diff(&["-U3"]), 4_096).expect("a whole patch");
    assert_eq!(counts.lines().count(), sections.len());
    assert!(sections.len() >= 20, "{}", sections.len());
    for (line, section) in counts.lines().zip(sections) {
        let added: usize = line
            .split('\t')
            .next()
            .unwrap_or_default()
            .parse()
            .expect(line);
        assert_eq!(count_lines(&section.changed), added, "{line}");
    }
}

fn raw_records(changes: &[TreeChange]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for change in changes {
        let (old, new) = (change.old_mode, change.new_mode);
        let status = char::from(change.status);
        let head = format!(
            ":{old:06o} {new:06o} {} {} {status}\0",
            change.old_id, change.new_id
        );
        bytes.extend_from_slice(head.as_bytes());
        for path in change.old_path.iter().chain([&change.path]) {
            bytes.extend_from_slice(path);
            bytes.push(0);
        }
    }
    bytes
}

const PLUMBING_OUTPUT_WORDS: &[&str] = &[
    "\0",
    "\t",
    "\n",
    " ",
    ":",
    ":100644 100755 ",
    "120000",
    "160000",
    "100644",
    "000000",
    " blob ",
    "R087",
    "M\0",
    "A\0",
    "-",
    "0",
    "777777777777",
    "0123456789012345678901234567890123456789",
    "src/a.rs",
    "é",
    "\"",
    "..",
];

/// What was read, written and read again is the same; of a record there is all or nothing.
#[test]
fn plumbing_output() {
    target("plumbing_output", PLUMBING_OUTPUT_WORDS, 3_000).run(|bytes| {
        if let Some(changes) = plumbing_output::parse_changes(bytes) {
            assert_eq!(
                plumbing_output::parse_changes(&raw_records(&changes)),
                Some(changes.clone())
            );
            for change in changes {
                assert!(!change.path.is_empty() && !change.path.contains(&0));
                assert_eq!(
                    change.old_path.is_some(),
                    matches!(change.status, b'R' | b'C')
                );
            }
        }
        let records = plumbing_output::nul_fields(bytes).count();
        if let Some(entries) = plumbing_output::parse_entries(bytes) {
            assert_eq!(entries.len(), records);
        }
        if let Some(staged) = plumbing_output::parse_staged(bytes) {
            assert_eq!(staged.len(), records);
        }
    });
}

const TAMPER_WORDS: &[&str] = &[
    "#[test]\n",
    "#[ignore]\n",
    "fn a() {\n",
    "}\n",
    "assert_eq!(f(1), 2);\n",
    "assert!(true);\n",
    "def test_a():\n",
    "    assert f(1) == 2\n",
    "@pytest.mark.skip\n",
    "it('a', () => {\n",
    "});\n",
    "it.skip(",
    "expect(f(1)).toBe(2);\n",
    "func TestA(t *testing.T) {\n",
    "\tt.Skip()\n",
    "t.Error(\"x\")\n",
    "@Test\n",
    "@Disabled\n",
    "assertEquals(1, f());\n",
    "describe ",
    "  it 'a' do\n",
    "  end\n",
    "expect(f).to eq(1)\n",
    "# noqa\n",
    "// eslint-disable-next-line\n",
    "#[allow(dead_code)]\n",
    "//nolint\n",
    "\"\"\"",
    "r#\"",
    "\"#",
    "`",
    "'",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "${",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\n",
    "%%%%\n",
    "é",
    "\t",
    "<!--",
    "<skipTests>true</skipTests>",
    "fail_under = 90\n",
    "[tool.ruff]\n",
];

/// What did not change is never refused; places are lines of the file; a test that goes is missed.
#[test]
fn tamper() {
    target("tamper", TAMPER_WORDS, 700).run(|bytes| {
        let [path, before, after] = parts::<3>(bytes);
        let path = path.trim();
        assert_eq!(tampering(path, Some(&before), Some(&before)), []);
        let _ = tampering(path, None, Some(&after));
        let _ = tampering(path, Some(&before), None);
        let _ = tampering_by_move(path, "lib/other.rs", &before, &after);
        let lines = before.lines().count().max(after.lines().count()).max(1);
        for place in tampering(path, Some(&before), Some(&after)) {
            assert_eq!(place.path, path);
            let line = place.line.map_or(1, |line| line as usize);
            assert!((1..=lines).contains(&line), "{place:?}");
        }
    });
}

const COMMIT_MESSAGES_WORDS: &[&str] = &[
    "[skip ci]",
    "[ci skip]",
    "[",
    "]",
    "skip",
    " ci",
    "***NO_CI***",
    "skip-checks: true",
    "ci.skip",
    "[no [skip ci] ci]",
    "fixes #12",
    "@ana",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\u{2028}",
    "\u{85}",
    "\u{202e}",
    "\u{0}",
    "fix: ",
    "Signed-off-by: a <a@b>",
    ": ",
    "%%%%\n",
    "ghp_",
    "hunter2hunter2",
    "é",
    "/approve",
];

/// A message steers no CI, calls nobody, has one subject, and its trailers are its last lines.
#[test]
fn commit_messages() {
    target("commit_messages", COMMIT_MESSAGES_WORDS, 400).run(|bytes| {
        let [subject, body, value] = parts::<3>(bytes);
        let message = CommitMessage {
            by: None,
            subject,
            body,
            trailers: vec![("Collie-Run".to_owned(), value)],
        };
        let text = compose_commit_message(&message, &["hunter2hunter2".to_owned()]);
        let low = text.to_ascii_lowercase();
        for directive in ["[skip ci]", "[ci skip]", "[no ci]", "***no_ci***"] {
            assert!(!low.contains(directive), "{text:?}");
        }
        let trailer = |line: &str| {
            let words: Vec<&str> = line.split(':').map(str::trim).collect();
            words.join(":")
        };
        assert!(
            !low.lines().any(|line| trailer(line) == "skip-checks:true"),
            "{text:?}"
        );
        assert!(
            !low.split_whitespace().any(|word| word == "ci.skip"),
            "{text:?}"
        );
        assert!(!text.contains("hunter2hunter2"), "{text:?}");
        assert!(
            !text
                .chars()
                .any(|c| c.is_control() && !matches!(c, '\n' | '\t')),
            "{text:?}"
        );
        let mut lines = text.lines();
        let subject = lines.next().unwrap_or_default();
        assert!(
            !subject.trim().is_empty() && subject.chars().count() <= 72,
            "{text:?}"
        );
        assert!(lines.next().is_none_or(str::is_empty), "{text:?}");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
    });
}

const MERGED_FILES_WORDS: &[&str] = &[
    "a\n",
    "b\n",
    "c\n",
    "d\n",
    "  a\n",
    "}\n",
    "\n",
    "\r\n",
    "a",
    "é\n",
    "\u{0}",
    "<<<<<<< ours\n",
    "=======\n",
    "%%%%\n",
];

/// What a merge keeps is not lost: each side that is taken whole has nothing missing; and of a merge that keeps nothing each line that a side
/// added is named by its number.
#[test]
fn merged_files() {
    target("merged_files", MERGED_FILES_WORDS, 2_000).run(|bytes| {
        let [base, side, other, merged] = parts::<4>(bytes);
        let [base, side, other, merged] = [&base, &side, &other, &merged].map(String::as_bytes);
        let lines: Vec<&[u8]> = side.split(|byte| *byte == b'\n').collect();
        let names_lines = |lost: &[(u32, String)]| {
            assert!(lost.is_sorted_by(|a, b| a.0 < b.0), "{lost:?}");
            for (number, text) in lost {
                let line = lines[*number as usize - 1].trim_ascii();
                assert_eq!(String::from_utf8_lossy(line), *text);
                assert!(!text.is_empty());
            }
        };
        assert_eq!(lost_lines(base, base, other, merged), []);
        assert_eq!(lost_lines(base, side, base, side), []);
        assert_eq!(lost_lines(base, side, side, side), []);
        let lost = lost_lines(base, side, other, merged);
        names_lines(&lost);
        let all = lost_lines(b"", side, b"", b"");
        names_lines(&all);
        let with_content = |line: &&&[u8]| {
            line.iter()
                .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
        };
        assert_eq!(all.len(), lines.iter().filter(with_content).count());
        assert!(lost.iter().all(|line| all.contains(line)), "{lost:?}");
    });
}

//! How tests try inputs that nobody would write. A target is a function over bytes that panics where a property does not hold, with a
//! corpus of readable files beside its crate and the words that its input is made of.
//!
//! In every run the files of the corpus are tried as they are, then a fixed number of edits of them, the same each time. In the long form
//! (`scripts/fuzz.mjs`) libFuzzer goes on from the same corpus, and is led by what it covers.

use bolero::check;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Set to anything, a target is run by bolero's engine: libFuzzer where it was compiled in, else inputs at random.
pub const ENGINE: &str = "COLLIE_FUZZ_ENGINE";
/// Where a target writes its words for libFuzzer, which reads them from a file.
pub const DICTIONARY: &str = "COLLIE_FUZZ_DICTIONARY";
/// How many edits are tried in an ordinary run instead of the target's own number.
pub const ITERATIONS: &str = "COLLIE_FUZZ_ITERATIONS";
/// Where the edits begin: a failure names its number, and another number gives other edits.
pub const SEED: &str = "COLLIE_FUZZ_SEED";

/// What stands between the parts of an input, on a line of its own.
const PART_LINE: &str = "%%%%";
/// Inputs are cut after so many bytes: the corpus has small ones, and edits repeat.
const MAX_BYTES: usize = 16 * 1024;
const MAX_EDITS: usize = 12;

/// One thing that is fuzzed.
pub struct Target {
    /// The folder of its crate: `env!("CARGO_MANIFEST_DIR")`. The corpus is in `fuzz/NAME` there.
    pub crate_folder: &'static str,
    /// Its name, which is also that of its test.
    pub name: &'static str,
    /// What its input is made of.
    pub words: &'static [&'static str],
    /// How many edits an ordinary run tries.
    pub iterations: u32,
}

impl Target {
    /// Tries the corpus and what comes of it. `property` panics where it finds something.
    ///
    /// # Panics
    ///
    /// Says seed and input of what was found; the input is as small as it could be made.
    pub fn run(&self, property: impl Fn(&[u8]) + RefUnwindSafe + UnwindSafe) {
        if std::env::var_os(ENGINE).is_some() {
            self.run_engine(property);
            return;
        }
        let corpus = self.corpus();
        for (path, bytes) in &corpus {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| property(bytes))) {
                eprintln!("{} breaks `{}`", path.display(), self.name);
                std::panic::resume_unwind(panic);
            }
        }
        self.run_edits(&corpus, &property);
    }

    fn run_engine(&self, property: impl Fn(&[u8]) + RefUnwindSafe + UnwindSafe) {
        if let Some(path) = std::env::var_os(DICTIONARY) {
            std::fs::write(path, self.dictionary()).expect("the dictionary can be written");
        }
        check!().for_each(|bytes: &[u8]| property(&bytes[..bytes.len().min(MAX_BYTES)]));
    }

    fn run_edits(&self, corpus: &[(PathBuf, Vec<u8>)], property: &impl Fn(&[u8])) {
        let seed = number(SEED).unwrap_or(1);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let iterations = number(ITERATIONS).and_then(|count| u32::try_from(count).ok());
        let config = Config {
            cases: iterations.unwrap_or(self.iterations),
            failure_persistence: None,
            max_shrink_iters: 4_000,
            ..Config::default()
        };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let outcome = runner.run(&edited(), |input| {
            let bytes = input.bytes(corpus, self.words);
            catch_unwind(AssertUnwindSafe(|| property(&bytes)))
                .map_err(|panic| TestCaseError::fail(panic_text(&*panic)))
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, input)) => panic!(
                "`{}` does not hold ({SEED}={seed}): {reason}\ninput: b\"{}\"\nKeep it as a file of {}.",
                self.name,
                input.bytes(corpus, self.words).escape_ascii(),
                self.folder().display()
            ),
            Err(error) => panic!("`{}` ended early: {error}", self.name),
        }
    }

    fn folder(&self) -> PathBuf {
        Path::new(self.crate_folder).join("fuzz").join(self.name)
    }

    /// The files of the corpus, by name.
    fn corpus(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = self.folder();
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{} is no corpus: {error}", folder.display()));
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("a readable folder").path())
            .map(|path| {
                let bytes = std::fs::read(&path).expect("a readable file");
                (path, bytes)
            })
            .collect();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        files.sort();
        files
    }

    /// The words as libFuzzer reads them: one in quotes a line, bytes that are none of ASCII's letters as `\xAB`.
    fn dictionary(&self) -> String {
        let mut text = String::new();
        for word in self.words.iter().chain([&"\n%%%%\n"]) {
            text.push('"');
            for byte in word.bytes() {
                match byte {
                    b'"' | b'\\' => drop(write!(text, "\\{}", char::from(byte))),
                    b' '..=b'~' => text.push(char::from(byte)),
                    _ => drop(write!(text, "\\x{byte:02X}")),
                }
            }
            text.push_str("\"\n");
        }
        text
    }
}

/// The parts of an input, between lines of `%%%%`; those that it lacks are empty.
pub fn parts<const N: usize>(input: &[u8]) -> [String; N] {
    let text = String::from_utf8_lossy(input);
    let mut parts: [String; N] = std::array::from_fn(|_| String::new());
    let mut part = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == PART_LINE && part + 1 < N {
            part += 1;
        } else {
            parts[part].push_str(line);
        }
    }
    parts
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked")
        .to_owned()
}

/// A file of the corpus, or nothing, and what is done to it.
#[derive(Clone, Debug)]
struct Edited {
    file: Option<Index>,
    edits: Vec<(Index, Edit)>,
}

/// One edit, at a place of its own.
#[derive(Clone, Debug)]
enum Edit {
    Word(Index),
    Words(Vec<Index>),
    Bytes(Vec<u8>),
    Char(char),
    Byte(u8),
    Delete(Index),
    Repeat(Index, usize),
    Splice(Index, Index, Index),
}

fn edited() -> impl Strategy<Value = Edited> {
    let index = any::<Index>;
    let edit = prop_oneof![
        6 => index().prop_map(Edit::Word),
        2 => prop::collection::vec(index(), 2..8).prop_map(Edit::Words),
        1 => prop::collection::vec(any::<u8>(), 1..8).prop_map(Edit::Bytes),
        2 => any::<char>().prop_map(Edit::Char),
        2 => any::<u8>().prop_map(Edit::Byte),
        3 => index().prop_map(Edit::Delete),
        1 => (index(), 2_usize..40).prop_map(|(word, times)| Edit::Repeat(word, times)),
        3 => (index(), index(), index()).prop_map(|(file, from, to)| Edit::Splice(file, from, to)),
    ];
    let file = prop::option::weighted(0.85, index());
    let edits = prop::collection::vec((index(), edit), 0..MAX_EDITS);
    (file, edits).prop_map(|(file, edits)| Edited { file, edits })
}

impl Edited {
    fn bytes(&self, corpus: &[(PathBuf, Vec<u8>)], words: &[&str]) -> Vec<u8> {
        let file = self.file.map(|file| file.get(corpus).1.clone());
        let mut bytes = file.unwrap_or_default();
        for (place, edit) in &self.edits {
            let at = place.index(bytes.len() + 1);
            let word = |word: &Index| word.get(words).bytes();
            let (end, new): (usize, Vec<u8>) = match edit {
                Edit::Word(one) => (at, word(one).collect()),
                Edit::Words(some) => (at, some.iter().flat_map(word).collect()),
                Edit::Bytes(some) => (at, some.clone()),
                Edit::Char(c) => (at, c.to_string().into_bytes()),
                Edit::Byte(byte) => ((at + 1).min(bytes.len()), vec![*byte]),
                Edit::Delete(end) => (at + end.index(bytes.len() - at + 1), Vec::new()),
                Edit::Repeat(one, times) => (at, word(one).collect::<Vec<_>>().repeat(*times)),
                Edit::Splice(file, one, other) => {
                    let from = &file.get(corpus).1;
                    let one = one.index(from.len() + 1);
                    let other = other.index(from.len() + 1);
                    (at, from[one.min(other)..one.max(other)].to_vec())
                }
            };
            bytes.splice(at..end, new);
            bytes.truncate(MAX_BYTES);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const TARGET: Target = Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name: "self_test",
        words: &["needle", "hay", "\"\\\u{7f}"],
        iterations: 2_000,
    };

    fn failure_of(property: impl Fn(&[u8]) + RefUnwindSafe + UnwindSafe) -> String {
        let panic = catch_unwind(|| TARGET.run(property)).expect_err("it is found");
        panic_text(&*panic)
    }

    #[test]
    fn what_breaks_a_property_is_found_made_small_and_the_same_each_time() {
        let find = || {
            failure_of(|bytes| {
                assert!(!bytes.windows(12).any(|part| part == b"needleneedle"));
            })
        };
        let said = find();
        assert!(said.contains("input: b\"needleneedle\""), "{said}");
        assert!(said.contains("COLLIE_FUZZ_SEED=1"), "{said}");
        assert!(said.contains("fuzz/self_test"), "{said}");
        assert_eq!(said, find());
    }

    #[test]
    fn the_corpus_comes_first_and_then_as_many_edits_as_were_asked_for() {
        let count = AtomicU32::new(0);
        TARGET.run(|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), TARGET.iterations + 1);
        let said = failure_of(|bytes| assert_ne!(bytes, b"a b\n%%%%\nc\n"));
        assert!(!said.contains("COLLIE_FUZZ_SEED"), "{said}");
    }

    #[test]
    fn an_input_has_parts_and_a_dictionary_quotes_its_words() {
        let [one, two, three] = parts(b"a b\n%%%%\nc\n");
        assert_eq!((&*one, &*two, &*three), ("a b\n", "c\n", ""));
        assert_eq!(parts::<1>(b"a\n%%%%\nb"), ["a\n%%%%\nb"]);
        let dictionary = TARGET.dictionary();
        assert!(
            dictionary.starts_with("\"needle\"\n\"hay\"\n\"\\\"\\\\\\x7F\"\n"),
            "{dictionary}"
        );
    }
}

//! What linters printed, as recorded in `fixtures/`.

use std::fs;
use std::path::{Path, PathBuf};

use collie_linters::{Diagnostic, Format, Linter, ParseError, known_linters, parse};

/// Where the linters ran, as the recorded output has it.
pub const ROOT: &str = "/root/of/run";

/// A linter's recorded output.
pub struct Fixture {
    pub linter: &'static Linter,
    pub folder: PathBuf,
    pub output: Vec<u8>,
}

impl Fixture {
    pub fn all() -> Vec<Self> {
        known_linters().iter().map(Self::of).collect()
    }

    fn of(linter: &'static Linter) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(&linter.name);
        let name = match linter.format {
            Format::Github => "output.txt",
            Format::Cargo => "output.jsonl",
            _ => "output.json",
        };
        let output = fs::read(folder.join(name)).unwrap();
        Self {
            linter,
            folder,
            output,
        }
    }

    pub fn input(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join("input").join(path)).ok()
    }

    pub fn parse(&self, output: &[u8]) -> Result<Vec<Diagnostic>, ParseError> {
        let read = |path: &str| self.input(path);
        parse(self.linter.format, output, Path::new(ROOT), &read)
    }
}

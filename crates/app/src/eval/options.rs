//! What is asked of an evaluation.

use super::sets::CaseFiles;
use collie_eval::CaseSet;
use std::path::PathBuf;

/// Where answers of models come from and go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recording {
    /// From the service, and nowhere.
    Off,
    /// From the service, and into this folder.
    Record(PathBuf),
    /// From this folder.
    Replay(PathBuf),
}

/// Who says which finding names which fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    /// Place and words.
    Place,
    /// The configured language model, beside place and words.
    Model,
}

/// What is run, and how.
#[derive(Clone, Debug)]
pub struct EvalOptions {
    /// The cases.
    pub set: CaseSet,
    /// Where the files of its folders are.
    pub files: CaseFiles,
    /// The folder of clones.
    pub clones: Option<PathBuf>,
    /// Only the cases of these names; all where there are none.
    pub only: Vec<String>,
    /// Who reviews: a persona, or `rules`.
    pub persona: String,
    /// The folder of the prompts; those that ship where there is none.
    pub prompts: Option<PathBuf>,
    /// The model was named for this run: the persona runs on it, whatever the configuration says.
    pub prefer_model: bool,
    /// How often each case is run.
    pub repeats: u32,
    /// How many at once.
    pub jobs: usize,
    /// Where answers come from and go to.
    pub recording: Recording,
    /// Who judges.
    pub judge: JudgeKind,
    /// Lines between a finding and a fault that are still one place.
    pub distance: u32,
    /// The file of the results.
    pub results: PathBuf,
    /// Go on with that file.
    pub resume: bool,
}

/// How far an evaluation is.
#[derive(Clone, Copy, Debug)]
pub struct EvalProgress<'a> {
    /// Runs that are over, those of before included.
    pub done: usize,
    /// All runs.
    pub total: usize,
    /// The case that was the last to end.
    pub case: Option<&'a str>,
}

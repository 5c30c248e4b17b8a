//! `collie eval`: runs a reviewer on pull requests whose faults are known, and keeps what came of it (docs/eval.md).
//!
//! Each case becomes a repository of two commits on a forge of its own, with a pull request, and is reviewed there as `collie review --dry-run`
//! reviews: material, prompts, filters and second looks are those of a loop, whatever they are. Two commits, so that nobody finds the fix in the
//! history that came later.

mod case_repository;
mod case_run;
mod clones;
mod git;
mod import;
mod judge;
mod options;
mod payer;
mod prompt_folder;
mod recorder;
mod results_file;
mod run;
mod sets;

pub use clones::check_set;
pub use import::{ImportFormat, import_set};
pub use judge::{judge_by_model, judge_results};
pub use options::{EvalOptions, EvalProgress, JudgeKind, Recording};
pub use prompt_folder::write_prompts;
pub use results_file::{read_results, save_results};
pub use run::run;
pub use sets::{CaseFiles, load_set};

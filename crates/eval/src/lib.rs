//! Measures how good a reviewer is (`collie eval`, docs/eval.md): pull requests with known faults, what a reviewer found in them, which finding
//! names which fault, and what that comes to, with intervals.
//!
//! **Architecture invariant.** Nothing here does I/O but to read the cases that are built in, and nothing of the loop depends on it.
//! `collie_app::eval` runs reviewers on the cases; this crate says what they are and what came of it.

mod bootstrap;
mod case;
mod case_set;
mod comparison;
mod figures;
mod hand;
pub mod import;
mod interval;
mod judge_prompt;
mod judging;
mod place;
mod recording;
mod results;
mod set_error;
mod shipped;
mod verdict;

pub use bootstrap::{RESAMPLES, SEED};
pub use case::{Case, Change, Fault, LineRange};
pub use case_set::{CaseSet, parse_set, write_set};
pub use comparison::{Comparison, Difference, Metric, PairedCase, compare};
pub use figures::{CleanFigures, Figure, Figures, Spending, figures};
pub use hand::{read_hand_lines, write_hand_lines};
pub use interval::{Interval, mcnemar_exact, wilson};
pub use judge_prompt::{
    JudgePrompt, judge_prompt, judge_prompt_hash, judge_schema, parse_judgements,
};
pub use judging::{candidate_faults, judge_by_place, strongest_verdicts};
pub use place::{DEFAULT_DISTANCE, Nearness, nearness, shared_words};
pub use recording::{RecordedAnswer, request_hash};
pub use results::{
    CaseFailure, CaseResult, RanFinding, ResultsError, RunHeader, RunResults, RunTokens,
    parse_results, write_results,
};
pub use set_error::{SetError, SetProblem};
pub use shipped::{SHIPPED_SETS, shipped_files, shipped_set};
pub use verdict::{Judge, Judgement, Verdict};

//! What a reader is given, and how its answer is held against the code (§4.3, §4.4, §6.1, §9.2, §9.3).
//!
//! [`compose`] makes a prompt of a pull request's [`Material`]; [`result`] makes a result (A2) of the JSON that comes back; [`restrain`] drops
//! what does not stand in the code or was said already; [`needs_validation`] names what deserves a second look; [`fix_prompt`] and
//! [`fix_result`] do the same for fixers.
//!
//! **Architecture invariant.** Nothing here does I/O or waits. Every text of somebody else passes the sanitizer of `collie_core::text` and
//! stands inside a fence that it cannot close; what the pull request changes in files that steer agents is content, never instructions.

mod answer;
mod compose;
mod extract;
mod fit;
mod fixing;
mod hunks;
mod links;
mod material;
mod members;
mod persona;
mod pieces;
mod prompts;
mod restrain;
mod second;
mod sorts;
mod tree;
mod words;

pub use answer::{Answer, Settled, Settlement, result, schema};
pub use compose::{ReaderKind, compose};
pub use extract::extract_from_text;
pub use fit::{BudgetTooSmall, Lack, LeftOut, Part, Prompt};
pub use fixing::{FixMaterial, fix_prompt, fix_result, fix_schema};
pub use hunks::hunks;
pub use links::{
    GUIDELINES, IssueRef, MOST_GUIDELINES, MOST_LINKED, guideline_paths, is_guideline,
    linked_documents, linked_issues,
};
pub use material::{
    ChangedFile, ExistingThread, FileStatus, Hunk, LineChange, LinkKind, LinkedIssue, Material,
    Remark, TextFile,
};
pub use persona::{PERSONAS_FOLDER, Persona, PersonaError, is_name, load, parse, shipped};
pub use prompts::{PROMPTS_VERSION, prompts_hash, repair_prompt};
pub use restrain::{Dropped, Restrained, Why, restrain};
pub use second::{
    SecondVerdict, Validation, needs_validation, validated, validation_prompt, validation_schema,
};
pub use sorts::steers_tools;

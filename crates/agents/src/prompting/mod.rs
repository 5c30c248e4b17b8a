//! What a reader is given, and how its answer is held against the code (§4.3, §4.4, §6.1, §9.2, §9.3).
//!
//! [`compose`] makes a prompt of a pull request's [`Material`]; [`result`] makes a result (A2) of the JSON that comes back; [`restrain`] drops
//! what does not stand in the code or was said already; [`needs_validation`] names what deserves a second look; [`fix_prompt`] and
//! [`fix_result`] do the same for fixers.
//!
//! **Architecture invariant.** Nothing here does I/O or waits. Every text of somebody else passes the sanitizer of `collie_core::text` and
//! stands inside a fence that it cannot close; what the pull request changes in files that steer agents is content, never instructions.

mod code_sanitizer;
mod enclosing;
mod extract;
mod file_kind;
mod file_parts;
mod file_tree;
mod filter;
mod finding_context;
mod fix;
mod groups;
mod guideline_files;
mod guideline_parts;
mod hunks;
mod join;
mod json_members;
mod judgements;
mod layers;
mod links;
mod material;
mod persona;
mod progress;
mod prompt_files;
mod prompt_parts;
mod prompts;
mod prompts_in_use;
mod related;
mod relevance;
mod review_answer;
mod review_prompt;
mod token_budget;
mod token_shares;
mod validation;

pub use extract::extract_json;
pub use file_kind::is_tool_config;
pub use filter::{DropReason, DroppedFinding, FilteredReview, filter_findings, misquotes, recount};
pub use fix::{FixMaterial, TriedFix, fix_prompt, fix_schema, parse_fix};
pub use groups::{GroupedChange, MAX_PARTS, ReviewPart, group_changes};
pub use guideline_files::{applicable_instructions, background_paths, instruction_paths};
pub use hunks::{MAX_FILE_BYTES, hunks};
pub use join::{JoinedReadings, PartReading, join_prompt, join_schema, merge_answers, parse_join};
pub use links::{
    GUIDELINES, IssueRef, MOST_GUIDELINES, MOST_LINKED, guideline_paths, is_guideline,
    linked_documents, linked_issues,
};
pub use material::{
    ChangedFile, CheckState, EarlierFix, ExistingThread, FileStatus, Hunk, LineChange, LinkKind,
    LinkedIssue, Material, Remark, ReviewContext, TextFile,
};
pub use persona::{
    PERSONAS_FOLDER, Persona, PersonaError, built_in_personas, is_persona_name, parse_persona,
    parse_personas,
};
pub use prompt_files::{PromptFileError, PromptFiles};
pub use prompts::{PROMPTS_VERSION, prompts_hash, repair_prompt, shipped_prompts};
pub use review_answer::{ReviewerAnswer, SettledFinding, Settlement, parse_review, review_schema};
pub use review_prompt::{PromptTarget, review_prompt};
pub use token_budget::{BudgetTooSmall, OmissionReason, OmittedPart, Prompt, PromptPart};
pub use validation::{
    Validation, needs_validation, parse_validations, validation_prompt, validation_schema,
};

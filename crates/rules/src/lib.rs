//! The built-in reviewer and fixer (SPEC §4.7, §6.3c): structural rules in ast-grep syntax with
//! their fixes, secrets, conflict markers and broken syntax.
//!
//! Everything here is a pure function over bytes: no git, no network, no files but the rules
//! embedded in the program. The order of results is always the same.

mod adapter;
mod aliases;
mod bidi;
mod case;
mod compile;
mod conflict;
mod file_origin;
mod findings;
mod fix;
mod fix_plan;
mod language;
mod lines;
mod linter_fixes;
mod parsed_file;
mod path_glob;
mod rule_error;
mod rule_file;
mod rule_match;
mod ruleset;
mod scan;
mod second_parser;
mod secrets;
mod suppression;
pub mod symbols;
mod syntax;

#[cfg(test)]
mod fuzz_tests;

pub use adapter::RulesAdapter;
pub use aliases::{RuleAliases, rule_aliases};
pub use case::{CaseFailure, CaseProblem, RuleCase, RuleCases, read_cases, run_cases};
pub use fix::{AppliedFix, FixOutcome, SelectedMatch, UnappliedFix, UnappliedReason, apply_fixes};
pub use lines::LineSet;
pub use path_glob::matches_any_glob;
pub use rule_error::RuleError;
pub use rule_match::{FileScan, Priority, RuleMatch, ScanInput, TextEdit};
pub use ruleset::{RuleSet, RuleSummary, nearest_rule};
pub use scan::{scan, scan_file, scan_syntax};
pub use syntax::{SyntaxError, parses, syntax_errors};

//! What a fix has to pass before anything is committed (§6.3).

use collie_core::base_merge::LostLine;
pub use collie_core::fix::Tamper;
use collie_core::fix::note_codes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a gate refuses what the fixer did: its next instruction (§6.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "gate")]
pub enum GateRefusal {
    /// A file outside the pull request's diff.
    Scope {
        /// The paths.
        paths: Vec<String>,
    },
    /// What checks the pull request was weakened: only a person does that.
    Tamper {
        /// Where, and what.
        locations: Vec<TamperLocation>,
    },
    /// A file that parsed before does not any more.
    Syntax {
        /// `path:line`.
        locations: Vec<String>,
    },
    /// What is new has a secret in it.
    Secrets {
        /// `path:line`; never the secret.
        locations: Vec<String>,
    },
    /// Files that have another name somewhere, a hard link.
    Links {
        /// The paths.
        paths: Vec<String>,
    },
    /// A conflict is still marked.
    ConflictMarkers {
        /// `path:line`.
        locations: Vec<String>,
    },
    /// Lines that a side of a merge added are gone, and the account does not say why.
    LostLines {
        /// Which.
        lines: Vec<LostLine>,
    },
    /// A command of `[verify]` failed.
    Verify {
        /// The command.
        command: String,
        /// The end of its output.
        output: String,
    },
    /// A person did not let the fix be pushed.
    Person {
        /// What they said; may be empty.
        note: String,
    },
}

impl GateRefusal {
    /// As a note of the report: a code of [`note_codes`] and what it is about, without a sentence.
    pub fn note(&self) -> String {
        match self {
            GateRefusal::Scope { paths } => {
                format!("{}:{}", note_codes::GATE_SCOPE, paths.join(", "))
            }
            GateRefusal::Tamper { locations } => {
                let places: Vec<String> = locations.iter().map(TamperLocation::note).collect();
                format!("{}:{}", note_codes::GATE_TAMPER, places.join("; "))
            }
            GateRefusal::Syntax { locations } => {
                format!("{}:{}", note_codes::GATE_SYNTAX, locations.join(", "))
            }
            GateRefusal::Secrets { locations } => {
                format!("{}:{}", note_codes::GATE_SECRETS, locations.join(", "))
            }
            GateRefusal::Links { paths } => {
                format!("{}:{}", note_codes::GATE_LINKS, paths.join(", "))
            }
            GateRefusal::ConflictMarkers { locations } => {
                format!("{}:{}", note_codes::GATE_CONFLICTS, locations.join(", "))
            }
            GateRefusal::LostLines { lines } => {
                format!(
                    "{}:{}",
                    note_codes::GATE_LOST_LINES,
                    lost_lines(lines, "; ")
                )
            }
            GateRefusal::Verify { command, output } => {
                format!("{}:{command}\n{output}", note_codes::GATE_VERIFY)
            }
            GateRefusal::Person { note } => format!("{}:{note}", note_codes::PUSH_REJECTED),
        }
    }
}

/// As the fixer's next instruction, which is English as its prompt is.
impl fmt::Display for GateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateRefusal::Scope { paths } => {
                let paths = paths.join(", ");
                write!(f, "the fix changed files outside the pull request: {paths}")
            }
            GateRefusal::Tamper { locations: places } => {
                f.write_str(
                    "the fix weakens what checks the pull request, which only a person may do: ",
                )?;
                let places: Vec<String> = places.iter().map(TamperLocation::to_string).collect();
                f.write_str(&places.join("; "))
            }
            GateRefusal::Syntax { locations: places } => {
                write!(f, "the fix broke the syntax at {}", places.join(", "))
            }
            GateRefusal::Secrets { locations: places } => {
                let places = places.join(", ");
                write!(
                    f,
                    "the fix adds what looks like a secret at {places}: take it out, and read it from the environment or a secret store"
                )
            }
            GateRefusal::Links { paths } => {
                let paths = paths.join(", ");
                write!(
                    f,
                    "the fix left files that are hard links, write them as files of their own: {paths}"
                )
            }
            GateRefusal::ConflictMarkers { locations } => {
                let places = locations.join(", ");
                write!(f, "conflict markers are left at {places}")
            }
            GateRefusal::LostLines { lines } => write!(
                f,
                "these lines, which one of the branches added, are not in the result. Bring each back, or quote it word for word in the description of its file and say why it is left out:\n{}",
                lost_lines(lines, "\n")
            ),
            GateRefusal::Verify { command, output } => {
                write!(f, "`{command}` failed after the fix:\n{output}")
            }
            GateRefusal::Person { note } if note.is_empty() => f.write_str(
                "a person looked at the fix and rejected it, without saying why: find another way",
            ),
            GateRefusal::Person { note } => {
                write!(
                    f,
                    "a person looked at the fix and rejected it, saying:\n{note}"
                )
            }
        }
    }
}

fn lost_lines(lines: &[LostLine], between: &str) -> String {
    let lines: Vec<String> = lines.iter().map(LostLine::to_string).collect();
    lines.join(between)
}

/// One thing that checks the pull request and was weakened (§6.3 b).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TamperLocation {
    /// The file.
    pub path: String,
    /// 1-based line in what the fixer left; none where the thing is not there any more, or is the whole file.
    pub line: Option<u32>,
    /// What was done.
    pub kind: Tamper,
}

impl TamperLocation {
    fn note(&self) -> String {
        let kind: &str = self.kind.into();
        match self.line {
            Some(line) => format!("{kind} {}:{line}", self.path),
            None => format!("{kind} {}", self.path),
        }
    }
}

impl fmt::Display for TamperLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Tamper::DeletedTest => "a test is gone",
            Tamper::SkippedTest => "a test is skipped",
            Tamper::LoosenedAssertion => "a test asserts less",
            Tamper::Suppressed => "a warning or coverage is suppressed",
            Tamper::LinterSetting => "a setting of a linter, type checker or test runner changed",
            Tamper::CoverageSetting => "a coverage setting changed",
            Tamper::Workflow => "a workflow changed",
        })?;
        match self.line {
            Some(line) => write!(f, " ({}:{line})", self.path),
            None => write!(f, " ({})", self.path),
        }
    }
}

/// Whether the file still parses: asked of the rules by the syntax gate.
pub trait SyntaxChecker: Send + Sync {
    /// First broken line, when the file parsed before and does not now. `before` is none for a new file.
    fn first_broken_line(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<u32>;
}

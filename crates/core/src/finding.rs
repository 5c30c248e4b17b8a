//! Shape A1: one finding, and how sure its reviewer is of it (§4.3).

use serde::{Deserialize, Serialize};

/// How much a finding weighs. Orders by urgency: `P0` first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Priority {
    /// Blocks the merge.
    P0,
    /// Critical.
    P1,
    /// Important.
    P2,
    /// A suggestion; never blocks.
    P3,
}

impl Priority {
    /// Whether it stands between the pull request and `approve` (§4.6).
    pub fn blocks(self) -> bool {
        match self {
            Priority::P0 | Priority::P1 | Priority::P2 => true,
            Priority::P3 => false,
        }
    }
}

/// What sort of remark a finding is (§4.3).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Asked of a person; posted, never handed to the fixer.
    Question,
    /// A better way.
    Suggestion,
    /// Taste.
    Nitpick,
    /// A fault.
    #[default]
    Error,
    /// Praise; posted nowhere inline, counted nowhere.
    Praise,
}

/// Who found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// A reviewer that is a model or an agent.
    Agent,
    /// The built-in rules.
    Rules,
    /// A linter that the repository configures (§4.7).
    Linter,
    /// A failed check.
    Ci,
    /// A verified review bot.
    Bot,
    /// A person.
    Human,
}

impl SourceType {
    /// Whether it is a tool, which may be wrong. A check has to pass and a person has to be answered, whatever anybody says of what they found.
    pub fn is_tool(self) -> bool {
        match self {
            SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Bot => true,
            SourceType::Ci | SourceType::Human => false,
        }
    }
}

/// Where a finding comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FindingSource {
    /// The sort of source.
    #[serde(rename = "type")]
    pub kind: SourceType,
    /// Reviewer, check, bot or login.
    pub name: String,
    /// GitHub's id of the thread, comment or review, where there is one.
    pub review_id: Option<String>,
    /// RFC 3339.
    pub timestamp: String,
}

/// How sure the reviewer is, in thousandths; written as a number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "number"))]
pub struct Confidence(u16);

impl Confidence {
    /// Certain.
    pub const SURE: Confidence = Confidence(1000);

    /// From thousandths; more than 1000 is 1000.
    pub const fn from_permille(permille: u16) -> Self {
        Self(if permille > 1000 { 1000 } else { permille })
    }

    /// In thousandths.
    pub fn permille(self) -> u16 {
        self.0
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Self::SURE
    }
}

impl Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        if (0.0..=1.0).contains(&value) {
            // In range, so the rounded product is 0..=1000.
            Ok(Self((value * 1000.0).round() as u16))
        } else {
            Err(serde::de::Error::custom(format!(
                "confidence {value} is not between 0 and 1"
            )))
        }
    }
}

/// A1: one finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The reviewer's own id for it. Not its identity across rounds; that is the fingerprint (§5.1).
    pub id: String,
    /// How much it weighs.
    pub priority: Priority,
    /// Free word: `security`, `ci`, `tests`, …; for rules `rule:<id>`.
    pub category: String,
    /// Path in the repository; empty when it concerns no file.
    pub file: String,
    /// 1-based line at the reviewed head; null when unknown.
    pub line: Option<u32>,
    /// One line.
    pub title: String,
    /// The reasons, in Markdown.
    pub description: String,
    /// What to write instead, where that can be said; else null.
    pub suggestion: Option<String>,
    /// Who found it.
    pub source: FindingSource,
    /// The sort of remark.
    #[serde(default)]
    pub kind: FindingKind,
    /// How sure the reviewer is.
    #[serde(default)]
    pub confidence: Confidence,
    /// The lines it rests on, quoted; for a failed check the tail of its log.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// Lines to put in place of others at the reviewed head: a suggestion that GitHub can apply.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Replacement {
    /// The first line to replace, from 1.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// What stands there then, without a line end at its end.
    pub text: String,
}

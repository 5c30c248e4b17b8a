//! What people may tell Collie in comments (§7).

use serde::{Deserialize, Serialize};

/// Of a command that is none of the known ones so much is kept.
const MAX_UNKNOWN_CHARS: usize = 60;

/// What a person may tell Collie in a comment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "command")]
pub enum Command {
    /// End the run.
    Stop,
    /// Begin a fresh run.
    Retry,
    /// Say all that is known of a finding.
    Explain {
        /// Its number, as reports show it.
        number: u32,
    },
    /// Have what the thread is about fixed.
    FixThis,
    /// What was left to a person is settled.
    Done,
    /// None of these.
    Unknown {
        /// What stands there.
        words: String,
    },
}

impl Command {
    /// Reads what follows `/collie`.
    pub(crate) fn parse(words: &str) -> Self {
        let words = words.trim().trim_end_matches(['.', '!']).to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["stop"] => Command::Stop,
            ["retry"] => Command::Retry,
            ["done"] => Command::Done,
            ["fix", "this"] => Command::FixThis,
            ["explain", finding] => {
                let number = finding.strip_prefix("f-").and_then(|n| n.parse().ok());
                number.map_or_else(
                    || Command::unknown(&words),
                    |number| Command::Explain { number },
                )
            }
            _ => Command::unknown(&words),
        }
    }

    fn unknown(words: &[&str]) -> Self {
        let words = words.join(" ").chars().take(MAX_UNKNOWN_CHARS).collect();
        Command::Unknown { words }
    }

    /// As it is written, without what comes before it.
    pub fn words(&self) -> String {
        match self {
            Command::Stop => "stop".into(),
            Command::Retry => "retry".into(),
            Command::Explain { number } => format!("explain F-{number}"),
            Command::FixThis => "fix this".into(),
            Command::Done => "done".into(),
            Command::Unknown { words } => words.clone(),
        }
    }
}

//! Counts the tokens of prompt files, and of all together.
//!
//! ```console
//! $ cargo run -p collie-agents --example prompt-file-tokens -- crates/agents/prompts/*.md
//! ```

use collie_agents::llm::count_tokens;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut total = 0;
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let tokens = count_tokens(text.trim_end());
                total += tokens;
                println!("{tokens:>6} {path}");
            }
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{total:>6} in all");
    ExitCode::SUCCESS
}

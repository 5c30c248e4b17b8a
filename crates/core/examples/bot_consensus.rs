//! Joins findings of several tools as a loop does, for `scripts/bot-consensus.mjs`: JSON on standard input and output.
//!
//! In: `{"rule": {"near", "unplaced", "lines"}?, "pulls": [[{"tool", "file"?, "line"?, "text"}]]}`. Out: of each pull request the groups,
//! as indices of its findings.

use collie_core::agreement::{AgreementRule, Claim, Tool, join_claims};
use serde::Deserialize;
use std::io::{Error, Read as _};

#[derive(Deserialize)]
struct Input {
    rule: Option<Rule>,
    pulls: Vec<Vec<Remark>>,
}

#[derive(Deserialize)]
struct Rule {
    near: u32,
    unplaced: u32,
    lines: u32,
}

#[derive(Deserialize)]
struct Remark {
    tool: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: Option<u32>,
    text: String,
}

fn main() -> Result<(), Error> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let input: Input = serde_json::from_str(&text).map_err(Error::other)?;
    let rule = input
        .rule
        .map_or_else(AgreementRule::default, |rule| AgreementRule {
            max_line_distance: rule.lines,
            min_overlap_near: rule.near,
            min_overlap_unplaced: rule.unplaced,
        });
    let join = |pull: &Vec<Remark>| {
        let claims = pull.iter().map(|remark| {
            let tool = Tool::Bot(remark.tool.clone());
            Claim::new(tool, &remark.file, remark.line, &remark.text)
        });
        join_claims(&claims.collect::<Vec<_>>(), &rule)
    };
    let groups: Vec<Vec<Vec<usize>>> = input.pulls.iter().map(join).collect();
    println!("{}", serde_json::to_string(&groups).map_err(Error::other)?);
    Ok(())
}

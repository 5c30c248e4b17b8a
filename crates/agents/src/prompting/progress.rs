//! How far a pull request is, as a reviewer reads it: its commits, labels and checks.

use super::material::{Material, ReviewContext};
use super::prompt_parts::{PartCollector, sanitized_excerpt, sanitized_line};
use super::token_budget::{PartRank, PromptPart, TokenCounter, truncate_lines};
use collie_core::identity::normalize;

impl PartCollector {
    /// Its commits, the newest first, then labels and checks, as far as their share goes.
    pub(super) fn progress(
        &mut self,
        material: &Material,
        mut share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let commits = commits_text(material);
        if !commits.is_empty() {
            let what = (PromptPart::Commits, PartRank::Progress);
            let room = (&mut share, count_tokens);
            self.add_truncated(what, (&commits, &commits), room, truncate_lines);
        }
        let text = checks_text(&material.context);
        if !text.is_empty() {
            let what = (PromptPart::Checks, PartRank::Progress);
            let room = (&mut share, count_tokens);
            self.add_truncated(what, (&text, &text), room, truncate_lines);
        }
    }
}

/// Messages, newest first. Title and description of a pull request are often those of its one commit: what stands there is not shown twice.
fn commits_text(material: &Material) -> String {
    let title = normalize(&material.title);
    let description = normalize(&material.description);
    let newest_first = material.context.commits.iter().rev();
    let messages = newest_first.filter_map(|message| {
        let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
        let body = normalize(body);
        let told = !body.is_empty() && description.contains(&body);
        if !told && !body.is_empty() {
            return Some(sanitized_excerpt(message));
        }
        (normalize(subject) != title).then(|| sanitized_excerpt(subject))
    });
    let rows: Vec<String> = messages.map(|message| format!("- {message}")).collect();
    rows.join("\n")
}

/// Labels and checks, one a line.
fn checks_text(context: &ReviewContext) -> String {
    let mut rows = Vec::new();
    if !context.labels.is_empty() {
        let labels = context.labels.iter().map(|label| sanitized_line(label));
        rows.push(format!("labels: {}", labels.collect::<Vec<_>>().join(", ")));
    }
    rows.extend(context.checks.iter().map(|check| {
        let (name, state) = (sanitized_line(&check.name), sanitized_line(&check.state));
        format!("check {name}: {state}")
    }));
    rows.join("\n")
}

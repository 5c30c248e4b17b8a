//! Guidelines, and what says what the product is, as parts of a prompt: what is most to the point first (§4.4).

use super::code_sanitizer::sanitized_code_text;
use super::material::TextFile;
use super::prompt_parts::{PartCollector, sanitized_line};
use super::relevance::{guideline_pieces, split_guidelines};
use super::token_budget::{
    OmissionReason, OmittedPart, PartRank, PromptItem, PromptPart, TokenCounter,
};
use collie_core::text::fence_as_text;
use std::collections::BTreeSet;

/// What guidelines may take of a prompt.
#[derive(Clone, Copy, Debug)]
pub(super) struct GuidelineRoom {
    /// Tokens for those most to the point, which every round begins with.
    pub(super) first: u32,
    /// Tokens for more of them.
    pub(super) more: u32,
    /// Whether the others get what all else leaves of the budget.
    pub(super) rest: bool,
}

impl PartCollector {
    /// Guidelines, those most to the point first.
    pub(super) fn guidelines(
        &mut self,
        files: &[TextFile],
        room: GuidelineRoom,
        count_tokens: TokenCounter<'_>,
    ) {
        let mut seen = BTreeSet::new();
        let mut texts: Vec<(&str, String)> = files
            .iter()
            .map(|file| {
                (
                    file.path.as_str(),
                    sanitized_code_text(&without_html_comments(&file.text)),
                )
            })
            .map(|(path, text)| (path, text.trim().to_string()))
            .collect();
        // Many repositories keep the same text under two names.
        texts.retain(|(_, text)| !text.is_empty() && seen.insert(text.clone()));
        let whole: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let first = split_guidelines(&whole, room.first, &self.touched, count_tokens);
        let rest: Vec<&str> = first.iter().map(|divided| divided.rest.as_str()).collect();
        let more = split_guidelines(&rest, room.more, &self.touched, count_tokens);
        for ((path, _), (first, more)) in texts.iter().zip(first.iter().zip(&more)) {
            let part = guideline(path);
            let shown = [
                (PartRank::Guideline, &first.kept),
                (PartRank::MoreGuideline, &more.kept),
            ];
            let shown = shown.into_iter().filter(|(_, text)| !text.is_empty());
            let mut why = OmissionReason::NoRoom;
            for (rank, text) in shown {
                why = OmissionReason::Truncated;
                self.push(part.clone(), rank, text.clone(), count_tokens(text));
            }
            if !more.rest.is_empty() && !room.rest {
                self.omitted.push(OmittedPart {
                    part,
                    reason: why,
                    tokens: count_tokens(&more.rest),
                });
            }
        }
        if !room.rest {
            return;
        }
        let rest: Vec<&str> = more.iter().map(|divided| divided.rest.as_str()).collect();
        for piece in guideline_pieces(&rest, &self.touched) {
            self.items.push(PromptItem {
                part: guideline(texts[piece.text_index].0),
                rank: PartRank::RestOfGuideline,
                text: piece.text.to_owned(),
                tokens: count_tokens(piece.text),
                index: piece.place,
                addresses_model: false,
            });
        }
    }

    /// Documents that say what the product is: their sections that speak of what the change touches.
    pub(super) fn background(
        &mut self,
        files: &[TextFile],
        share: u32,
        count_tokens: TokenCounter<'_>,
    ) {
        let clean = |file: &TextFile| sanitized_code_text(&without_html_comments(&file.text));
        let texts: Vec<String> = files.iter().map(clean).collect();
        let texts: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
        let split = split_guidelines(&texts, share, &self.touched, count_tokens);
        for (file, part) in files.iter().zip(split) {
            if !part.kept.is_empty() {
                let path = file.path.clone();
                let tokens = count_tokens(&part.kept);
                let part_name = PromptPart::Document { path };
                self.push(part_name, PartRank::Background, part.kept, tokens);
            }
        }
    }
}

fn guideline(path: &str) -> PromptPart {
    let path = path.to_owned();
    PromptPart::Guideline { path }
}

/// HTML comments of a guideline are for people who fill in a form.
fn without_html_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = inside.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

pub(super) fn guidelines_section(kept: &[&PromptItem]) -> Option<String> {
    let files = guideline_files(kept, PartRank::Guideline)?;
    Some(format!(
        "## Guidelines of this repository, from its base branch\n\n{files}"
    ))
}

pub(super) fn more_guidelines_section(kept: &[&PromptItem]) -> Option<String> {
    let files = guideline_files(kept, PartRank::MoreGuideline)?;
    Some(format!(
        "## More of its guidelines, from its base branch\n\n{files}"
    ))
}

/// What there was room for after all else.
pub(super) fn rest_of_guidelines_section(kept: &[&PromptItem]) -> Option<String> {
    let files = guideline_files(kept, PartRank::RestOfGuideline)?;
    Some(format!(
        "## The rest of its guidelines, from its base branch\n\n{files}"
    ))
}

/// The kept pieces of each file in their order, one fence a file.
fn guideline_files(kept: &[&PromptItem], rank: PartRank) -> Option<String> {
    let mut pieces: Vec<(usize, &str, &str)> = kept
        .iter()
        .filter(|item| item.rank == rank)
        .filter_map(|item| match &item.part {
            PromptPart::Guideline { path } => Some((item.index, path.as_str(), item.text.as_str())),
            _ => None,
        })
        .collect();
    pieces.sort_by_key(|(place, _, _)| *place);
    let files: Vec<String> = pieces
        .chunk_by(|(_, path, _), (_, next, _)| path == next)
        .map(|pieces| {
            let path = pieces.first().map_or("", |(_, path, _)| path);
            let text: String = pieces.iter().map(|(_, _, text)| *text).collect();
            fence_as_text(&format!("{}\n\n{}", sanitized_line(path), text.trim_end()))
        })
        .collect();
    (!files.is_empty()).then(|| files.join("\n\n"))
}

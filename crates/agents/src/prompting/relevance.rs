//! Which sections of long texts matter for a change: those that name what it touches, and those that say how a change should be.

use super::file_kind::{FileKind, file_kind};
use super::material::Material;
use super::token_budget::{TokenCounter, truncate_paragraphs};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A shorter word names too many things.
const MIN_WORD_CHARS: usize = 4;
/// Words of a change that are looked for.
const MAX_WORDS: usize = 400;
/// A section that says so many of a change's words, its heading aside, speaks of it.
const MIN_WORDS_IN_TEXT: usize = 3;
/// Longer sections are cut where there is room for a part of them: about 500 tokens.
const MAX_PIECE_BYTES: usize = 2_000;
/// Folders and words that every repository has.
const COMMON_WORDS: [&str; 22] = [
    "main", "index", "test", "tests", "testing", "crates", "packages", "source", "sources", "code",
    "files", "file", "change", "changes", "update", "this", "that", "with", "from", "into", "when",
    "fixes",
];
/// Languages by the ends of their files' names.
const LANGUAGES: [(&[&str], &str); 13] = [
    (&["rs"], "rust"),
    (&["py", "pyi"], "python"),
    (&["js", "jsx", "mjs", "cjs"], "javascript"),
    (&["ts", "tsx", "mts", "cts"], "typescript"),
    (&["go"], "golang"),
    (&["java"], "java"),
    (&["rb"], "ruby"),
    (&["php"], "php"),
    (&["kt", "kts"], "kotlin"),
    (&["swift"], "swift"),
    (&["cs"], "csharp"),
    (&["sh", "bash"], "shell"),
    (&["ftl", "po"], "locales"),
];

/// What a change touches, as words to look for in texts.
#[derive(Debug, Default)]
pub(super) struct TouchedWords {
    /// Paths, and folders with more than one part: `src/http/client.rs`, `src/http`.
    paths: BTreeSet<String>,
    /// Names of folders and files without their ends, languages, words of the title.
    words: BTreeSet<String>,
}

/// How much a section speaks of what a change touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    /// Not at all.
    No,
    /// Several of its words stand in the text.
    InText,
    /// In the heading, or by its path.
    Plainly,
}

impl TouchedWords {
    /// Those of a whole pull request: what changes from round to round has no say, so that each round begins with the same guidelines.
    pub(super) fn of(material: &Material) -> Self {
        let mut touched = Self::default();
        for file in &material.files {
            touched.add_path(&file.path);
        }
        let words = words_of(&material.title);
        touched.words.extend(words);
        let common = |word: &String| COMMON_WORDS.contains(&word.as_str());
        touched.words.retain(|word| !common(word));
        while touched.words.len() > MAX_WORDS {
            touched.words.pop_last();
        }
        touched
    }

    fn add_path(&mut self, path: &str) {
        if file_kind(path) == FileKind::Generated {
            return;
        }
        let lower = path.to_lowercase();
        let mut folder = lower.as_str();
        while folder.contains('/') && self.paths.len() < MAX_WORDS {
            self.paths.insert(folder.to_owned());
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
        self.words.extend(words_of(&lower));
        let extension = lower
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension);
        let language = LANGUAGES.iter().find(|(ends, _)| ends.contains(&extension));
        self.words
            .extend(language.map(|(_, name)| (*name).to_owned()));
    }

    /// How much a section of Markdown speaks of it.
    pub(super) fn named_in(&self, section: &str) -> Named {
        let lower = section.to_lowercase();
        let heading = lower.lines().next().filter(|line| line.starts_with('#'));
        let in_heading = heading.is_some_and(|line| !self.words.is_disjoint(&words_of(line)));
        if in_heading || self.paths.iter().any(|path| lower.contains(path.as_str())) {
            return Named::Plainly;
        }
        let said = self.words.intersection(&words_of(&lower)).count();
        match said >= MIN_WORDS_IN_TEXT {
            true => Named::InText,
            false => Named::No,
        }
    }
}

fn words_of(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| word.chars().count() >= MIN_WORD_CHARS)
        .map(str::to_lowercase)
        .collect()
}

/// Words of headings and texts that tell how a change should be.
const REVIEW_KEYWORDS: [&str; 24] = [
    "review",
    "style",
    "convention",
    "guideline",
    "test",
    "coding",
    "code",
    "naming",
    "error",
    "security",
    "document",
    "changelog",
    "commit",
    "pull request",
    "api",
    "compatib",
    "deprecat",
    "must",
    "should",
    "never",
    "always",
    "avoid",
    "prefer",
    "architecture",
];

/// A text cut in two, each part in the text's order. Either may be empty.
pub(super) struct SplitText {
    /// What fits.
    pub(super) kept: String,
    /// What does not.
    pub(super) rest: String,
}

/// A section of one of several texts.
struct GuidelineSection<'a> {
    text_index: usize,
    text: &'a str,
    fits: bool,
}

/// As much of guidelines as fits, and what does not: whole sections, those that name what the change touches first, then those that speak of how
/// a change should be before those that do not, those of an earlier text before those of a later one.
pub(super) fn split_guidelines(
    texts: &[&str],
    max_tokens: u32,
    touched: &TouchedWords,
    count_tokens: TokenCounter<'_>,
) -> Vec<SplitText> {
    let all = texts.iter().map(|text| count_tokens(text));
    let all_fit = all.fold(0, u32::saturating_add) <= max_tokens;
    let of_text = |(of, text)| {
        markdown_sections(text)
            .into_iter()
            .map(move |text| (of, text))
    };
    let mut found: Vec<GuidelineSection<'_>> = (0..)
        .zip(texts.iter().copied())
        .flat_map(of_text)
        .map(|(of, text)| GuidelineSection {
            text_index: of,
            text,
            fits: all_fit,
        })
        .collect();
    if !all_fit {
        select_sections(&mut found, max_tokens, touched, count_tokens);
    }
    let part = |of: usize, kept: bool| -> String {
        let wanted = found
            .iter()
            .filter(|section| section.text_index == of && section.fits == kept);
        let text: String = wanted.map(|section| section.text).collect();
        text.trim_end().trim_start_matches('\n').to_string()
    };
    (0..texts.len())
        .map(|of| SplitText {
            kept: part(of, true),
            rest: part(of, false),
        })
        .collect()
}

fn select_sections(
    sections: &mut Vec<GuidelineSection<'_>>,
    max_tokens: u32,
    touched: &TouchedWords,
    count_tokens: TokenCounter<'_>,
) {
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_cached_key(|at| {
        let section = &sections[*at];
        order_of(section.text_index, section.text, touched)
    });
    let mut room = max_tokens;
    for at in &order {
        let tokens = count_tokens(sections[*at].text).saturating_add(1);
        if tokens <= room {
            room -= tokens;
            sections[*at].fits = true;
        }
    }
    let some = sections
        .iter()
        .any(|section| section.fits && !section.text.trim().is_empty());
    if let (false, Some(best)) = (some, order.first()) {
        // Not one fits: the beginning of the best one is better than nothing.
        let GuidelineSection {
            text_index: of,
            text,
            ..
        } = sections[*best];
        if let Some((beginning, _)) = truncate_paragraphs(text, max_tokens, count_tokens) {
            let (text, rest) = text.split_at(beginning.len());
            sections[*best].text = rest;
            let kept = true;
            sections.insert(
                *best,
                GuidelineSection {
                    text_index: of,
                    text,
                    fits: kept,
                },
            );
        }
    }
}

/// What a section of a text is sorted by.
fn order_of(
    text_index: usize,
    section: &str,
    touched: &TouchedWords,
) -> (Reverse<Named>, bool, usize, Reverse<usize>) {
    let (named, weight) = (touched.named_in(section), review_relevance(section));
    (Reverse(named), weight == 0, text_index, Reverse(weight))
}

/// A piece of one of several texts.
pub(super) struct GuidelinePiece<'a> {
    pub(super) text_index: usize,
    /// Its place among all pieces, in the order of the texts.
    pub(super) place: usize,
    pub(super) text: &'a str,
}

/// Guidelines in pieces, in the order in which [`split_guidelines`] takes sections: sections, long ones cut between paragraphs.
pub(super) fn guideline_pieces<'a>(
    texts: &[&'a str],
    touched: &TouchedWords,
) -> Vec<GuidelinePiece<'a>> {
    let pieces_of = |(text_index, text): (usize, &&'a str)| {
        let sections = markdown_sections(text).into_iter();
        let pieces = sections.flat_map(cut_between_paragraphs);
        pieces.map(move |text| (text_index, text))
    };
    let all = texts.iter().enumerate().flat_map(pieces_of);
    let mut pieces: Vec<GuidelinePiece<'a>> = all
        .filter(|(_, text)| !text.trim().is_empty())
        .enumerate()
        .map(|(place, (text_index, text))| GuidelinePiece {
            text_index,
            place,
            text,
        })
        .collect();
    pieces.sort_by_cached_key(|piece| order_of(piece.text_index, piece.text, touched));
    pieces
}

/// A section in pieces of at most [`MAX_PIECE_BYTES`], or a paragraph each.
fn cut_between_paragraphs(section: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut end) = (0, 0);
    let borders = section
        .match_indices("\n\n")
        .map(|(at, border)| at + border.len());
    for border in borders.chain([section.len()]) {
        if border - start > MAX_PIECE_BYTES && end > start {
            pieces.push(&section[start..end]);
            start = end;
        }
        end = border;
    }
    pieces.push(&section[start..]);
    pieces
}

/// A Markdown text cut before each heading that stands outside of fences.
fn markdown_sections(text: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut at = 0;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') && at > 0 {
            cuts.push(at);
        }
        at += line.len();
    }
    cuts.push(text.len());
    cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect()
}
/// How much a section speaks of how a change should be, per thousand characters; its heading counts most.
fn review_relevance(section: &str) -> usize {
    let lower = section.to_lowercase();
    let heading = lower.lines().next().unwrap_or_default();
    let in_heading = REVIEW_KEYWORDS
        .iter()
        .filter(|word| heading.contains(**word));
    let in_text: usize = REVIEW_KEYWORDS
        .iter()
        .map(|w| lower.matches(w).count())
        .sum();
    in_heading.count() * 20 + in_text * 1_000 / lower.len().max(500)
}

//! Whether two remarks say the same, by their words alone.

use std::collections::BTreeSet;

/// Words that say nothing of what a remark is about.
const STOP_WORDS: [&str; 48] = [
    "the", "this", "that", "and", "but", "for", "not", "with", "you", "your", "are", "was", "were",
    "has", "have", "can", "could", "should", "would", "will", "may", "might", "here", "there",
    "when", "then", "than", "from", "into", "its", "please", "line", "code", "also", "just", "les",
    "des", "une", "dans", "pour", "pas", "est", "que", "qui", "sur", "avec", "cette", "faut",
];
/// Words are compared by their beginnings, so that `check`, `checks` and `checked` are one.
const STEM_CHARS: usize = 5;

/// What a text is about.
pub fn word_stems(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() > 2 && !STOP_WORDS.contains(&word.as_str()))
        .map(|word| word.chars().take(STEM_CHARS).collect())
        .collect()
}

/// How much of the smaller of two texts the other says too, in thousandths; nothing when they share fewer than two words.
pub fn overlap_permille(a: &BTreeSet<String>, b: &BTreeSet<String>) -> u32 {
    let shared = a.intersection(b).count();
    let smaller = a.len().min(b.len());
    if shared < 2 {
        return 0;
    }
    u32::try_from(shared * 1_000 / smaller).unwrap_or(u32::MAX)
}

//! How many tokens a text has, nearly: without the vocabulary, whose first use takes longer than all else around a small review.

/// Letters that one token holds, nearly; longer words are several.
const LETTERS_PER_TOKEN: usize = 8;
/// Of digits exactly, of signs nearly.
const DIGITS_PER_TOKEN: usize = 3;

/// How much more tokens than [`approximate_tokens`] says a text may have, in percent, where it holds only a little that is odd.
const MARGIN_PERCENT: u64 = 25;

/// What a run of characters is; the vocabulary begins a new token where it changes, whatever else it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Word,
    Number,
    Space,
    Sign,
    Other,
}

fn kind(c: char) -> Run {
    match c {
        _ if c.is_ascii_alphabetic() => Run::Word,
        _ if c.is_ascii_digit() => Run::Number,
        _ if c.is_whitespace() => Run::Space,
        _ if c.is_ascii() => Run::Sign,
        _ => Run::Other,
    }
}

/// Nearly the tokens of a text in `o200k_base`: of source and prose within a fifth, mostly a little more than there are.
pub fn approximate_tokens(text: &str) -> u32 {
    let mut tokens = 0;
    let mut before = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = kind(first);
        let end = run_end(rest, run);
        let (piece, behind) = rest.split_at(end);
        tokens += piece_tokens(piece, run, before);
        (before, rest) = (Some(run), behind);
    }
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Where a run ends; words end where their letters become capitals.
fn run_end(text: &str, run: Run) -> usize {
    let bytes = text.as_bytes();
    if run == Run::Word {
        let capitals = bytes.iter().take_while(|b| b.is_ascii_uppercase()).count();
        let small = bytes[capitals..].iter();
        return capitals + small.take_while(|b| b.is_ascii_lowercase()).count();
    }
    text.find(|c| kind(c) != run).unwrap_or(text.len())
}

fn piece_tokens(piece: &str, run: Run, before: Option<Run>) -> usize {
    match run {
        Run::Word => piece.len().div_ceil(LETTERS_PER_TOKEN),
        Run::Number | Run::Sign => piece.len().div_ceil(DIGITS_PER_TOKEN),
        Run::Other => (piece.chars().count() * 2).div_ceil(3),
        Run::Space => match piece.rsplit_once('\n') {
            // A line's end is part of the sign before it, the last space of the word after it.
            Some((_, indent)) => {
                usize::from(before != Some(Run::Sign)) + usize::from(indent.len() > 1)
            }
            None => usize::from(piece.len() > 1),
        },
    }
}

/// Whether a text of so many tokens, nearly, has surely no more than this.
pub fn surely_fits(approximate: u64, limit: u64) -> bool {
    approximate.saturating_mul(100 + MARGIN_PERCENT) <= limit.saturating_mul(100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::count_tokens;

    /// Files of this repository, of many kinds.
    const TEXTS: [&str; 7] = [
        include_str!("token_estimate.rs"),
        include_str!("exchange.rs"),
        include_str!("../../prices.toml"),
        include_str!("../../../../docs/models-and-agents.md"),
        include_str!("../../../../scripts/scripted-model.mjs"),
        include_str!("../../../../ui/src/features/models/ModelKey.tsx"),
        include_str!("../../../../locales/fr/setup.ftl"),
    ];

    #[test]
    fn real_texts_are_estimated_within_the_margin() {
        for text in TEXTS {
            let (near, exact) = (approximate_tokens(text), count_tokens(text));
            let percent = u64::from(near) * 100 / u64::from(exact);
            assert!(
                (90..=130).contains(&percent),
                "{percent} %: {near} for {exact}"
            );
            assert!(
                !surely_fits(near.into(), u64::from(exact) - 1),
                "{near} for {exact}"
            );
        }
        assert_eq!(approximate_tokens(""), 0);
        assert!(surely_fits(80, 100) && !surely_fits(81, 100));
    }
}

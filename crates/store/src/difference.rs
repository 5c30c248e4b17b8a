//! Texts kept as their difference from texts that the reader has: frames of Zstandard whose prefix is the other text, which is what
//! `zstd --patch-from` makes. Why not JSON patches: docs/decisions/0051.

use std::io::{self, Read as _, Write as _};

/// The least that costs the decision little: the texts are small, and what they share with their prefix is found at any level.
const LEVEL: i32 = 3;

/// Up to here Zstandard finds what is shared by itself at this level, as the power of two; beyond, it is told to look far.
const OWN_WINDOW_LOG: u32 = 19;

/// What a reader accepts by itself, as the power of two: 128 MiB.
const LARGEST_WINDOW_LOG: u32 = 27;

/// A text as its difference from another, which may be empty.
pub(crate) fn encode(text: &[u8], prefix: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::with_ref_prefix(Vec::new(), LEVEL, prefix)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(text.len() as u64))?;
    let reach = (text.len() + prefix.len()).max(1).ilog2() + 1;
    if reach > OWN_WINDOW_LOG {
        encoder.window_log(reach.min(LARGEST_WINDOW_LOG))?;
        encoder.long_distance_matching(true)?;
    }
    encoder.write_all(text)?;
    encoder.finish()
}

/// The text of a difference. Another prefix than it was made with is an error: the checksum shows it.
pub(crate) fn decode(difference: &[u8], prefix: &[u8]) -> io::Result<String> {
    let mut decoder = zstd::Decoder::with_ref_prefix(difference, prefix)?;
    let mut text = String::new();
    decoder.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_text(lines: u32) -> String {
        (0..lines)
            .map(|line| {
                format!(
                    "{{\"line\":{line},\"hash\":{}}}\n",
                    line.wrapping_mul(2_654_435_761)
                )
            })
            .collect()
    }

    #[test]
    fn a_difference_is_small_and_comes_back_whole() {
        for lines in [0, 10, 1_000, 60_000] {
            let before = long_text(lines);
            let after = before.replacen("\"line\":7,", "\"line\":8,", 1) + "one more";
            let difference = encode(after.as_bytes(), before.as_bytes()).unwrap();
            assert!(
                difference.len() < 400,
                "{lines} lines: {}",
                difference.len()
            );
            assert_eq!(decode(&difference, before.as_bytes()).unwrap(), after);
        }
    }

    #[test]
    fn a_text_without_another_is_whole() {
        let text = long_text(1_000);
        let whole = encode(text.as_bytes(), b"").unwrap();
        assert!(whole.len() < text.len() / 2, "{}", whole.len());
        assert_eq!(decode(&whole, b"").unwrap(), text);
    }

    #[test]
    fn another_text_than_it_was_made_with_is_told_by_the_checksum() {
        let (one, other) = (long_text(100), long_text(100).replace("line", "LINE"));
        let difference = encode(one.as_bytes(), one.as_bytes()).unwrap();
        assert!(decode(&difference, other.as_bytes()).is_err());
        assert!(decode(&difference[..difference.len() - 2], one.as_bytes()).is_err());
        assert!(decode(b"no frame", b"").is_err());
    }
}

//! Tells what was generated from what was written.

/// Shannon entropy in bits a byte.
#[expect(
    clippy::cast_precision_loss,
    reason = "a secret is far shorter than 2^52 bytes"
)]
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f64;
    let sum: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f64 / total;
            share * share.log2()
        })
        .sum();
    -sum
}

/// How many of small letters, capitals, digits and signs there are.
pub(super) fn kinds_of_characters(value: &[u8]) -> usize {
    let kinds: [fn(&u8) -> bool; 4] = [
        u8::is_ascii_lowercase,
        u8::is_ascii_uppercase,
        u8::is_ascii_digit,
        |byte| !byte.is_ascii_alphanumeric(),
    ];
    kinds.iter().filter(|kind| value.iter().any(kind)).count()
}

/// How often the kind of character changes: letter to digit and back, small to capital. Names written in camel case change rarely, keys at every
/// second or third character.
fn changes(value: &[u8]) -> usize {
    value
        .windows(2)
        .filter(|pair| match (pair[0], pair[1]) {
            (a, b) if a.is_ascii_digit() => b.is_ascii_alphabetic(),
            (a, b) if a.is_ascii_lowercase() => b.is_ascii_digit() || b.is_ascii_uppercase(),
            (a, b) => a.is_ascii_uppercase() && b.is_ascii_digit(),
        })
        .count()
}

/// From this length on a row of letters and digits without a break is no word.
const LONG_BYTES: usize = 24;

/// No word: digits and letters, long or with a change of kind at every sixth character. Numbers pass where their form is of digits only.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let digits = value.iter().any(u8::is_ascii_digit);
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    match (digits, letters) {
        (true, true) => value.len() >= LONG_BYTES || changes(value) * 6 >= value.len(),
        (digits, _) => digits,
    }
}

/// As random as a generated key. A number in hexadecimal notation is a number.
pub(super) fn is_random(value: &[u8]) -> bool {
    if value.starts_with(b"0x") || value.starts_with(b"0X") {
        return false;
    }
    let core: Vec<u8> = value
        .iter()
        .copied()
        .filter(u8::is_ascii_alphanumeric)
        .collect();
    let digits = core.iter().filter(|byte| byte.is_ascii_digit()).count();
    let hex = core.iter().all(u8::is_ascii_hexdigit);
    digits >= 2
        && core.len() > digits + 1
        && core.len() * 4 >= value.len() * 3
        && changes(&core) * 4 >= core.len()
        && entropy(value) >= if hex { 3.0 } else { 3.4 }
}

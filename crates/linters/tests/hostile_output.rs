//! No output makes the crate panic, and no fix that is read out of one misses its file.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use collie_linters::{Diagnostic, apply, line_replacement};
use common::Fixture;

const CUTS: usize = 400;
const CHANGES: usize = 300;

fn check(fixture: &Fixture, output: &[u8]) {
    let found: Vec<Diagnostic> = fixture.parse(output).unwrap_or_default();
    for diagnostic in found {
        assert!(diagnostic.line >= 1 && diagnostic.end_line >= diagnostic.line);
        assert!(!diagnostic.path.starts_with('/') && !diagnostic.path.contains(".."));
        if let Some(edits) = &diagnostic.fix {
            let content = fixture.input(&diagnostic.path).unwrap();
            assert!(apply(&content, edits).is_some(), "{diagnostic:?}");
            let _ = line_replacement(&content, edits);
        }
    }
}

/// A sequence of numbers that looks random and is always the same.
fn numbers(seed: u64) -> impl Iterator<Item = usize> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap()
    })
}

#[test]
fn output_may_end_anywhere() {
    for fixture in Fixture::all() {
        let length = fixture.output.len();
        let step = (length / CUTS).max(1);
        for end in (0..length).step_by(step) {
            check(&fixture, &fixture.output[..end]);
            check(&fixture, &fixture.output[end..]);
        }
    }
}

#[test]
fn any_byte_may_be_another_one() {
    const BYTES: [u8; 12] = *b"\"{}[],:9-\0\n\xff";
    for fixture in Fixture::all() {
        let mut numbers = numbers(7);
        let mut next = |below: usize| numbers.next().unwrap() % below;
        for _ in 0..CHANGES {
            let mut output = fixture.output.clone();
            for _ in 0..=next(3) {
                let at = next(output.len());
                match next(3) {
                    0 => output[at] = BYTES[next(BYTES.len())],
                    1 => output.insert(at, BYTES[next(BYTES.len())]),
                    _ => drop(output.remove(at)),
                }
            }
            check(&fixture, &output);
        }
    }
}

#[test]
fn any_number_may_be_another_one() {
    const VALUES: [&str; 9] = [
        "0",
        "1",
        "2",
        "17",
        "4294967296",
        "18446744073709551615",
        "-1",
        "1e9",
        "null",
    ];
    for fixture in Fixture::all() {
        let output = String::from_utf8(fixture.output.clone()).unwrap();
        let spans = number_spans(&output);
        let mut numbers = numbers(11);
        let mut next = |below: usize| numbers.next().unwrap() % below;
        for _ in 0..CHANGES {
            let mut changed = output.clone();
            let (start, end) = spans[next(spans.len())];
            changed.replace_range(start..end, VALUES[next(VALUES.len())]);
            check(&fixture, changed.as_bytes());
        }
    }
}

fn number_spans(output: &str) -> Vec<(usize, usize)> {
    let bytes = output.as_bytes();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, _) in bytes.iter().enumerate().filter(|(_, b)| b.is_ascii_digit()) {
        match spans.last_mut() {
            Some(last) if last.1 == at => last.1 = at + 1,
            _ => spans.push((at, at + 1)),
        }
    }
    spans
}

#[test]
fn deep_output_is_an_error() {
    for fixture in Fixture::all() {
        let deep = [b"[".repeat(100_000), b"{\"a\":".repeat(100_000)];
        for output in deep {
            check(&fixture, &output);
        }
        for output in [
            "",
            "null",
            "[]",
            "{}",
            "\"",
            "::",
            "::error",
            "{\"runs\":[]}",
        ] {
            check(&fixture, output.as_bytes());
        }
    }
}

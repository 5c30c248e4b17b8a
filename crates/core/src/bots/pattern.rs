//! The expressions that bots' texts are read with.

use regex::{Regex, RegexBuilder};

/// An expression in either case.
pub(super) fn expression(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .expect("the forms are read by a test")
}

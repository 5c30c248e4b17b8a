//! Patterns by name, each compiled once.

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(pub(super) static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("the pattern is fixed and tested"));)*
    };
}
pub(super) use patterns;

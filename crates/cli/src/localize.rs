//! What the command says to people: the texts of `locales/*/cli.ftl` and `usage.ftl`.

use collie_i18n::Localizer;
use fluent::FluentValue;

/// Texts in one language; what it lacks is said in English.
pub struct CliLocalizer {
    own: Localizer,
    /// States, blockers and ends of loops, shared with what is posted.
    pub shared: Localizer,
}

impl CliLocalizer {
    /// Takes the texts of a language of the configuration; English for one that there are no texts in.
    pub fn new(language: &str) -> Self {
        Self {
            own: Localizer::from_files(language, &["cli", "usage", "insights"]),
            shared: Localizer::new(language),
        }
    }

    /// A text with its arguments.
    pub fn text(&self, key: &str, arguments: &[(&str, FluentValue<'_>)]) -> String {
        self.own.text(key, arguments)
    }
}

/// A text, with arguments where it takes some: `localize!(say, "cli-key", name = value)`.
#[macro_export]
macro_rules! localize {
    ($localizer:expr, $key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $localizer.text($key, &[$((stringify!($name), ::fluent::FluentValue::from($value))),*])
    };
}

#[cfg(test)]
mod tests {
    use super::CliLocalizer;
    use std::collections::BTreeSet;

    fn keys(language: &str) -> BTreeSet<String> {
        let locales = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../locales");
        let text = std::fs::read_to_string(locales.join(language).join("cli.ftl")).unwrap();
        text.lines()
            .filter(|line| !line.starts_with([' ', '#', '}']))
            .filter_map(|line| line.split_once(" ="))
            .map(|(key, _)| key.to_owned())
            .collect()
    }

    fn used() -> BTreeSet<String> {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut keys = BTreeSet::new();
        for file in std::fs::read_dir(source).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            // A quotation mark as a character opens no string.
            let text = code.collect::<Vec<_>>().join("\n").replace("'\"'", "");
            for piece in text.split('"').skip(1).step_by(2) {
                let prefixed = ["cli-", "demo-", "doctor-rebuil"]
                    .iter()
                    .any(|p| piece.starts_with(p));
                let is_key = piece
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '-' || c == '_');
                if prefixed && is_key && !piece.ends_with('-') {
                    keys.insert(piece.to_owned());
                }
            }
        }
        keys
    }

    #[test]
    fn both_languages_have_the_same_texts_and_each_that_is_used() {
        let (english, french) = (keys("en"), keys("fr"));
        assert_eq!(english, french);
        let missing: Vec<_> = used().difference(&english).cloned().collect();
        assert!(missing.is_empty(), "no text for {missing:?}");
        let idle: Vec<_> = english.difference(&used()).cloned().collect();
        assert!(idle.is_empty(), "nothing says {idle:?}");
    }

    #[test]
    fn plurals_follow_the_language() {
        assert_eq!(
            crate::localize!(CliLocalizer::new("en"), "cli-findings-fixed", count = 1),
            "1 finding fixed"
        );
        assert_eq!(
            crate::localize!(CliLocalizer::new("fr"), "cli-findings-fixed", count = 2),
            "2 constats corrigés"
        );
        assert_eq!(
            crate::localize!(CliLocalizer::new("xx"), "cli-findings-fixed", count = 2),
            "2 findings fixed"
        );
    }
}

//! What the app says outside its window: the texts of `locales/*/desktop.ftl`.

use collie_app::words::Language;
use fluent::{FluentArgs, FluentValue};
use i18n_embed::LanguageLoader as _;
use i18n_embed::fluent::FluentLanguageLoader;
use rust_embed::RustEmbed;
use unic_langid::LanguageIdentifier;

#[derive(RustEmbed)]
#[folder = "locales"]
struct Locales;

/// Texts in one language.
pub struct Texts(FluentLanguageLoader);

impl Texts {
    /// Takes the texts of a language.
    pub fn of(language: Language) -> Self {
        let id = |language: Language| -> LanguageIdentifier {
            language
                .code()
                .parse()
                .expect("our codes are language codes")
        };
        let loader = FluentLanguageLoader::new("desktop", id(Language::En));
        loader
            .load_languages(&Locales, &[id(language), id(Language::En)])
            .expect("the texts are part of this program, and a test reads them");
        // Menus and notifications show the marks for mixed writing directions as boxes.
        loader.set_use_isolating(false);
        Self(loader)
    }

    /// Takes the language of the environment: before the settings were read, and on a terminal.
    pub fn of_environment() -> Self {
        Self::of(Language::pick(None, &|name| std::env::var(name).ok()))
    }

    /// A text with its arguments.
    pub fn text(&self, key: &str, arguments: &[(&str, FluentValue<'_>)]) -> String {
        let arguments: FluentArgs<'_> = arguments.iter().cloned().collect();
        self.0.get_args_fluent(key, Some(&arguments))
    }

    /// A text without arguments.
    pub fn plain(&self, key: &str) -> String {
        self.0.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Locales;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn keys(language: &str) -> BTreeSet<String> {
        let file = Locales::get(&format!("{language}/desktop.ftl")).expect(language);
        let text = String::from_utf8(file.data.into_owned()).unwrap();
        text.lines()
            .filter(|line| line.starts_with("desktop-"))
            // Their names end in the codes of the crate that merges.
            .filter(|line| !line.starts_with("desktop-merge-"))
            .filter_map(|line| line.split_once(" ="))
            .map(|(key, _)| key.to_owned())
            .collect()
    }

    /// Every key that the sources name, or that another text is made of.
    fn used() -> BTreeSet<String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src-tauri/src");
        let code = std::fs::read_dir(source)
            .unwrap()
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let texts = Locales::get("en/desktop.ftl").expect("en").data;
        let texts = String::from_utf8(texts.into_owned()).unwrap();
        let quoted = code.flat_map(|text| pieces(&text, '"'));
        let inserted = texts.lines().flat_map(|line| pieces(line, '{'));
        quoted.chain(inserted).collect()
    }

    fn pieces(text: &str, mark: char) -> Vec<String> {
        text.split([mark, '}'])
            .map(str::trim)
            .filter(|piece| piece.starts_with("desktop-") && piece.len() > "desktop-".len())
            // The beginning of a key that a code completes.
            .filter(|piece| !piece.ends_with('-'))
            .filter(|piece| piece.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn both_languages_have_the_same_texts_and_each_is_used() {
        let (english, french) = (keys("en"), keys("fr"));
        assert_eq!(english, french);
        assert_eq!(english, used());
    }
}
